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
#include <vector>

#include "liubai/retrieval.h"
#include "memory/retrieval_weights.h"
#include "memory/turn_table.h"
#include "memory/vector_index.h"

namespace liubai::inline v1 {

struct Retriever::Impl {
  struct Candidate {
    TurnId id = 0;
    double words = 0, words_around = 0;
    double meaning = std::numeric_limits<double>::quiet_NaN();
    double meaning_around = std::numeric_limits<double>::quiet_NaN();
    double speaker = 0, date = 0, role = 0, personal = 0;
    double around_share = 1;
    bool in_time = false;
    double score = 0;
    std::vector<RecallSignal> signals;
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
  std::string note;

  mutable std::mutex mutex;  // Guards what follows.
  mutable memory::TurnTable table;
  mutable memory::SessionWords session_words;

  Status Refresh() const {
    std::lock_guard lock(mutex);
    return table.Refresh(*store, options.tenant);
  }
  TurnFilter Bound(const TurnFilter& filter) const {
    TurnFilter bound = filter;
    bound.tenant = options.tenant;
    return bound;
  }
  Status Collect(const RecallQuery& query, std::span<const float> vector,
                 std::vector<Candidate>& candidates, RecallResult& result,
                 Background& background) const;
  static Background Measure(std::span<const float> scores);
  Result<RecallResult> Search(const RecallQuery& query, std::span<const float> vector) const;
  Status ScoreMeaning(std::span<const float> vector, std::vector<Candidate>& candidates) const;
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

// When the question is asked.
inline std::int64_t NowOf(const RecallQuery& query) {
  if (query.now_ms != kNow) return query.now_ms;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace liubai::memory
