// memory/retrieval_impl.h: the state of a retriever, the candidates of a search, and its steps.
//
// Threads: const methods may run together; the table and the words lie behind `mutex`.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/text.h"
#include "liubai/retrieval.h"
#include "memory/question.h"
#include "memory/retrieval_weights.h"
#include "memory/text_terms.h"
#include "memory/token_codec.h"
#include "memory/turn_table.h"
#include "memory/vector_index.h"

namespace liubai::inline v1 {

struct Retriever::Impl {
  struct Candidate {
    TurnId id = 0;
    const memory::TurnMeta* meta = nullptr;
    // As measured, and among the candidates; NaN: it has no value in this field.
    memory::FieldWeights<RecallField, kRecallFields> value, share;
    double around_share = 1;  // How much the turns around it count: less among long turns.
    bool in_time = false;
    int told = 0;  // What it tells of the asked state held then (1) or did not (-1).
    // What weighs its shares: a turn without a vector yet is weighed by words, on the same scale.
    const memory::TurnWeights* weights = nullptr;
    double scale = 1;
    double score = 0;
    double Contribution(RecallField field) const {
      return scale * (*weights)[field] * share[field];
    }

    // To `now` where that is more, or it has no value yet.
    void Raise(RecallField field, double now) {
      value[field] = std::isnan(value[field]) ? now : std::max(value[field], now);
    }

    Candidate() { value.values.fill(std::numeric_limits<double>::quiet_NaN()); }
  };
  // What a text scores by chance against this question.
  struct Background {
    double mean = 0;
    double deviation = 1;
  };

  Store* store = nullptr;
  const Embedder* embedder = nullptr;
  RetrieverOptions options;
  memory::RetrievalWeights weights;
  EmbedderRecord record;
  std::unique_ptr<memory::VectorIndex> index;
  std::shared_ptr<const memory::TokenCodec> codec;  // Null: without token vectors.
  std::string note;

  mutable std::mutex mutex;  // Guards what follows.
  mutable memory::TurnTable table;
  struct CoveredTurns {
    SessionId session = 0;
    TurnId first_turn = 0, last_turn = 0;
  };
  mutable std::array<std::int64_t, 3> essence_stamp{};  // Of what follows.
  mutable std::vector<CoveredTurns> essences;
  mutable memory::TextTerms essence_terms;  // Of each of them.

  Status OpenCodec();
  Status Refresh() const {
    std::lock_guard lock(mutex);
    return table.Refresh(*store, options.tenant);
  }
  TurnFilter Bound(const TurnFilter& filter) const {
    TurnFilter bound = filter;
    bound.tenant = options.tenant;
    return bound;
  }
  // Candidates of all fields; what the question's words, date and names say of them.
  Status Collect(const RecallQuery& query, const memory::QuestionReading& reading,
                 const memory::AskedState& state, const QuestionVectors& vectors,
                 std::vector<Candidate>& candidates, RecallResult& result,
                 Background& background) const;
  // The nearest of the question, and of what was said before it where that is encoded.
  Result<std::vector<std::vector<memory::VectorHit>>> Nearest(const QuestionVectors& vectors,
                                                              const TurnFilter& filter) const;
  static Background Measure(std::span<const float> scores);
  Result<RecallResult> Search(const RecallQuery& query, const QuestionVectors& vectors) const;
  Status ScoreMeaning(const QuestionVectors& vectors, std::vector<Candidate>& candidates) const;
  Status ScoreTokens(const RecallQuery& query, const QuestionVectors& vectors,
                     const RecallResult& result, std::span<Candidate> candidates) const;
  // Values become shares, and these a score.
  void Weigh(std::span<Candidate> candidates, const RecallResult& result,
             const Background& background, const Background& context_background) const;
  Status AddHops(const memory::QuestionReading& reading, const RecallQuery& query,
                 std::vector<Candidate>& candidates) const;
  // retrieval_fields.cc: what the question says of kinds, order and negation, and what essences
  // say.
  Status AddOrder(const memory::QuestionReading& reading, const RecallQuery& query,
                  std::vector<Candidate>& candidates) const;
  Status AddNegation(const memory::QuestionReading& reading, const RecallQuery& query,
                     std::span<Candidate> candidates) const;
  Status RefreshEssences() const;
  // Values of turns that essences cover.
  Result<std::vector<std::pair<TurnId, double>>> EssenceValues(const RecallResult& result,
                                                               const TurnFilter& filter) const;
  // retrieval_distance.cc: what the calendar says of the events that the question sets apart.
  Status AddDistance(const RecallQuery& query, RecallResult& result) const;
  // retrieval_rerank.cc. What Search found becomes what the caller gets: a list, reranked hits.
  void Finish(const RecallQuery& query, RecallResult& result, std::stop_token stop) const;
  void Rerank(const RecallQuery& query, RecallResult& result, std::stop_token stop) const;
  RecallRelevance Relevance(const Candidate& candidate, const RecallResult& result,
                            const std::vector<std::string>& words,
                            const Background& background) const;
  // The text without the words of the time for which a state is asked: those are in other turns.
  static std::string WordsToSearch(const memory::QuestionReading& reading, std::string_view text);
  static memory::AskedState StateAsked(const memory::QuestionReading& reading,
                                       std::string_view text);
  // REQUIRES: the mutex is held.
  void AddHeld(const memory::AskedState& asked, std::span<Candidate> candidates) const;
  // Those that are still there.
  Result<std::vector<Turn>> TurnsOf(std::span<const Candidate> candidates) const;
  Status AddExact(const memory::QuestionReading& reading, std::span<Candidate> candidates) const;
  Result<std::int64_t> EmbedRun(std::span<const Turn> context, std::span<const Turn> turns,
                                std::vector<NewEmbedding>& out, std::stop_token stop) const;
  Result<std::vector<std::string_view>> Pieces(std::string_view text) const;
};

}  // namespace liubai::inline v1

namespace liubai::memory {

// What words and vectors of a turn are made from.
inline std::string EmbeddedText(const Turn& turn) {
  return turn.speaker.empty() ? turn.text : turn.speaker + ": " + turn.text;
}

// Of length 1; a vector of zeros stays.
void Normalise(std::span<float> vector);
// The word of which the bytes [begin, end), a token, are a part.
std::string_view WordAt(std::string_view text, std::size_t begin, std::size_t end);

// When the question is asked.
inline std::int64_t NowOf(const RecallQuery& query) {
  if (query.now_ms != kNow) return query.now_ms;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Of a very long question the beginning is read.
inline QuestionReading ReadForRecall(const RecallQuery& query) {
  constexpr std::size_t kReadOf_bytes = 4000;
  return ReadQuestion(TruncateUtf8(query.text, kReadOf_bytes), NowOf(query));
}

}  // namespace liubai::memory
