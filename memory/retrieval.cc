#include "liubai/retrieval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/half.h"
#include "core/macros.h"
#include "core/text.h"
#include "memory/date_expression.h"
#include "memory/fts_tokenizer.h"
#include "memory/question.h"
#include "memory/retrieval_weights.h"
#include "memory/turn_table.h"
#include "memory/vector_index.h"

namespace liubai::inline v1 {

using memory::FindTimeRanges;
using memory::FormatMinute;
using memory::QueryTerms;
using memory::SessionWords;
using memory::TimeRange;
using memory::TokenizeText;
using memory::TurnMeta;
using memory::TurnTable;
using memory::VectorHit;
using memory::VectorIndex;

namespace {

constexpr std::int64_t kCandidates = 300;  // Of each field.
constexpr std::int64_t kSpreading = 100;   // Best by vector whose neighbours are candidates too.
constexpr std::size_t kExcerptFrom_bytes = 1200;
constexpr std::size_t kExcerpt_bytes = 900;
constexpr int kBlock_tokens = 380;  // Of one encoder pass over a run of turns.
constexpr int kPiece_tokens = 320;  // Of a turn that is longer than a block.
constexpr int kBlocksPerBatch = 16;

std::int64_t MicrosSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                               start)
      .count();
}

std::int64_t NowOf(const RecallQuery& query) {
  if (query.now_ms != kNow) return query.now_ms;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

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

double Largest(const std::vector<Candidate>& candidates, double Candidate::*field) {
  double most = 0;
  for (const Candidate& candidate : candidates) most = std::max(most, candidate.*field);
  return most;
}

// What a text scores by chance against this question.
struct Background {
  double mean = 0;
  double deviation = 1;
};

Background Measure(std::span<const float> scores) {
  Background background;
  if (scores.size() < 2) return background;
  double sum = 0, squares = 0;
  for (const float score : scores) sum += score;
  background.mean = sum / static_cast<double>(scores.size());
  for (const float score : scores) squares += (score - background.mean) * (score - background.mean);
  background.deviation = std::max(1e-4, std::sqrt(squares / static_cast<double>(scores.size())));
  return background;
}

// The words of a text, as terms.
std::unordered_set<std::string> TermsOf(std::string_view text) {
  std::unordered_set<std::string> terms;
  TokenizeText(text, [&](std::string_view term, bool) { terms.emplace(term); });
  return terms;
}

// The stretch of a long text that holds most of `terms`, cut at spaces where there are some.
std::pair<std::size_t, std::size_t> Excerpt(std::string_view text,
                                            const std::vector<std::string>& terms) {
  if (text.size() <= kExcerptFrom_bytes) return {0, text.size()};
  const std::unordered_set<std::string> wanted(terms.begin(), terms.end());
  std::size_t best_begin = 0, best_count = 0;
  for (std::size_t begin = 0; begin < text.size(); begin += kExcerpt_bytes / 3) {
    while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80) ++begin;
    std::size_t count = 0;
    std::unordered_set<std::string> seen;
    TokenizeText(TruncateUtf8(text.substr(begin), kExcerpt_bytes),
                 [&](std::string_view term, bool) {
                   if (wanted.contains(std::string(term)) && seen.emplace(term).second) ++count;
                 });
    if (count > best_count) best_count = count, best_begin = begin;
  }
  std::size_t begin = best_begin;
  if (begin > 0) {
    const std::size_t space = text.substr(begin, 80).find_first_of(" \n");
    if (space != std::string_view::npos) begin += space + 1;
  }
  std::size_t end = begin + TruncateUtf8(text.substr(begin), kExcerpt_bytes).size();
  if (end < text.size()) {
    const std::size_t space = text.substr(begin, end - begin).find_last_of(" \n");
    if (space != std::string_view::npos && space > kExcerpt_bytes / 2) end = begin + space;
  }
  return {begin, end};
}

std::string EmbeddedText(const Turn& turn) {
  return turn.speaker.empty() ? turn.text : turn.speaker + ": " + turn.text;
}

void Normalise(std::span<float> vector) {
  double squares = 0;
  for (const float value : vector) squares += static_cast<double>(value) * value;
  if (squares <= 0) return;
  const float scale = static_cast<float>(1 / std::sqrt(squares));
  for (float& value : vector) value *= scale;
}

std::vector<std::uint16_t> Narrow(std::span<const float> values) {
  std::vector<std::uint16_t> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = FloatToHalf(values[i]);
  return out;
}

}  // namespace

std::string_view RecallFieldName(RecallField field) {
  switch (field) {
    case RecallField::kWords:
      return "words";
    case RecallField::kWordsAround:
      return "words_around";
    case RecallField::kMeaning:
      return "meaning";
    case RecallField::kMeaningAround:
      return "meaning_around";
    case RecallField::kSpeaker:
      return "speaker";
    case RecallField::kDate:
      return "date";
    case RecallField::kRole:
      return "role";
    case RecallField::kPersonal:
      return "personal";
  }
  return "unknown";
}

std::string RecallHit::Why() const {
  std::string why;
  for (const RecallSignal& signal : signals) {
    if (!why.empty()) why += ", ";
    why += fmt::format("{} {:.2f}", RecallFieldName(signal.field), signal.contribution);
  }
  if (!words.empty()) why += fmt::format(" ({})", fmt::join(words, " "));
  return why;
}

struct Retriever::Impl {
  Store* store = nullptr;
  const Embedder* embedder = nullptr;
  RetrieverOptions options;
  memory::RetrievalWeights weights;
  EmbedderRecord record;
  std::unique_ptr<VectorIndex> index;
  std::string note;

  mutable std::mutex mutex;  // Guards what follows.
  mutable TurnTable table;
  mutable SessionWords session_words;

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
                 std::vector<Candidate>& candidates, std::vector<std::string>& terms,
                 Background& background) const;
  Result<RecallResult> Search(const RecallQuery& query, std::span<const float> vector) const;
  Status ScoreMeaning(std::span<const float> vector, std::vector<Candidate>& candidates) const;
  Result<std::int64_t> EmbedRun(std::span<const Turn> context, std::span<const Turn> turns,
                                std::vector<NewEmbedding>& out, std::stop_token stop) const;
  Result<std::vector<std::string_view>> Pieces(std::string_view text) const;
};

// Cosines of turn and neighbourhood. The vectors around a turn are weighed towards it.
Status Retriever::Impl::ScoreMeaning(std::span<const float> vector,
                                     std::vector<Candidate>& candidates) const {
  std::vector<std::int64_t> units;
  std::unordered_map<std::int64_t, std::size_t> place;
  const auto Want = [&](TurnId id) {
    if (id != 0 && place.emplace(id, units.size()).second) units.push_back(id);
  };
  for (const Candidate& candidate : candidates) {
    Want(candidate.id);
    for (const TurnId neighbour : table.Around(candidate.id)) Want(neighbour);
  }
  std::vector<float> scores(units.size());
  index->Score(vector, units, scores);
  for (Candidate& candidate : candidates) {
    const float own = scores[place.at(candidate.id)];
    if (std::isnan(own)) continue;
    candidate.meaning = own;
    const std::array<TurnId, 4> around = table.Around(candidate.id);
    double sum = own * weights.own, weight = weights.own;
    for (std::size_t i = 0; i < around.size(); ++i) {
      if (around[i] == 0 || std::isnan(scores[place.at(around[i])])) continue;
      const double share = i == 1 || i == 2 ? weights.next : weights.second;
      sum += share * scores[place.at(around[i])];
      weight += share;
    }
    candidate.meaning_around = sum / weight;
  }
  return Status();
}

Status Retriever::Impl::Collect(const RecallQuery& query, std::span<const float> vector,
                                std::vector<Candidate>& candidates, std::vector<std::string>& terms,
                                Background& background) const {
  const TurnFilter filter = Bound(query.filter);
  std::unordered_map<TurnId, std::size_t> place;
  const auto At = [&](TurnId id) -> Candidate& {
    const auto [entry, fresh] = place.emplace(id, candidates.size());
    if (fresh) candidates.emplace_back().id = id;
    return candidates[entry->second];
  };
  LIUBAI_ASSIGN_OR_RETURN(TextHits hits, store->SearchTextFields(query.text, filter, kCandidates));
  for (const TextHit& hit : hits.turn) At(hit.turn_id).words = hit.score;
  for (const TextHit& hit : hits.window) {
    Candidate& candidate = At(hit.turn_id);
    candidate.words_around = hit.score;
    const double share = std::min(1.0, weights.short_turn / std::max(1, hit.words));
    candidate.around_share = share * share;
  }
  terms = std::move(hits.terms);
  if (!query.context.empty()) {
    LIUBAI_ASSIGN_OR_RETURN(const TextHits said,
                            store->SearchTextFields(query.context, filter, kCandidates));
    for (const TextHit& hit : said.turn) At(hit.turn_id).words += weights.context * hit.score;
    for (const TextHit& hit : said.window)
      At(hit.turn_id).words_around += weights.context * hit.score;
  }

  std::lock_guard lock(mutex);
  const memory::CompiledFilter allows(filter, table);
  if (!vector.empty()) {
    LIUBAI_ASSIGN_OR_RETURN(
        const std::vector<VectorHit> nearest,
        index->Search(
            vector, kCandidates, allows.empty() ? memory::UnitFilter() : [&](std::int64_t unit) {
              return allows(unit);
            }));
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      At(nearest[i].unit_id);
      if (static_cast<std::int64_t>(i) >= kSpreading) continue;
      for (const TurnId neighbour : table.Around(nearest[i].unit_id)) {
        if (neighbour != 0 && allows(neighbour)) At(neighbour);
      }
    }
    background = Measure(index->SampleScores(vector, 512));
    LIUBAI_RETURN_IF_ERROR(ScoreMeaning(vector, candidates));
  }

  const std::vector<TimeRange> ranges = FindTimeRanges(query.text, NowOf(query));
  const std::unordered_set<std::int32_t> named = table.SpeakersNamedIn(query.text);
  const memory::QuestionKind kind = memory::ReadQuestion(query.text);
  double rarity = 0;
  if (!ranges.empty()) {
    const TurnTable::TimeMatches matches = table.InTime(ranges, 64);
    rarity = matches.rarity;
    for (const TurnId id : matches.turns) {
      if (allows(id)) At(id);
    }
  }
  for (Candidate& candidate : candidates) {
    const TurnMeta* meta = table.Find(candidate.id);
    if (meta == nullptr) continue;
    // Naming everyone tells nothing.
    if (named.size() == 1 && named.contains(meta->speaker)) candidate.speaker = 1;
    candidate.date = rarity * memory::BestCloseness(ranges, meta->time_ms);
    candidate.in_time = memory::BestCloseness(ranges, meta->time_ms) >= 0.5;
    if (meta->role == (kind.about_assistant ? Role::kAssistant : Role::kUser)) candidate.role = 1;
    if (kind.about_self && !kind.about_assistant) {
      candidate.personal = meta->first_person / (meta->first_person + 2.0);
    }
  }
  return Status();
}

Result<RecallResult> Retriever::Impl::Search(const RecallQuery& query,
                                             std::span<const float> vector) const {
  const auto start = std::chrono::steady_clock::now();
  if (query.limit < 1 || query.limit > 10000) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("a limit of {} memories; 1..10000 are allowed", query.limit));
  }
  LIUBAI_RETURN_IF_ERROR(CheckText(query.text, "the question"));
  LIUBAI_RETURN_IF_ERROR(Refresh());
  if (index) LIUBAI_RETURN_IF_ERROR(index->CatchUp());
  RecallResult result;
  result.by_meaning = !vector.empty();
  result.note = note;
  std::vector<Candidate> candidates;
  Background background;
  LIUBAI_RETURN_IF_ERROR(Collect(query, vector, candidates, result.terms, background));
  result.candidates = static_cast<std::int64_t>(candidates.size());

  const double words = Largest(candidates, &Candidate::words);
  const double words_around = Largest(candidates, &Candidate::words_around);
  const double meaning = Largest(candidates, &Candidate::meaning);
  const double meaning_around = Largest(candidates, &Candidate::meaning_around);
  const auto Share = [](double value, double most) { return most > 0 ? value / most : 0.0; };
  const auto AboveChance = [&](double value, double most) {
    if (std::isnan(value) || most <= background.mean) return 0.0;
    return std::max(0.0, (value - background.mean) / (most - background.mean));
  };
  for (Candidate& candidate : candidates) {
    const auto Add = [&](RecallField field, double value, double contribution) {
      if (contribution <= 0) return;
      candidate.score += contribution;
      candidate.signals.push_back({field, value, contribution});
    };
    // What the turns around do not count for, the turn itself does.
    const double around = weights.words_around * candidate.around_share;
    Add(RecallField::kWords, candidate.words,
        (weights.words + weights.words_around - around) * Share(candidate.words, words));
    Add(RecallField::kWordsAround, candidate.words_around,
        around * Share(candidate.words_around, words_around));
    Add(RecallField::kMeaning, candidate.meaning,
        weights.meaning * AboveChance(candidate.meaning, meaning));
    Add(RecallField::kMeaningAround, candidate.meaning_around,
        weights.meaning_around * AboveChance(candidate.meaning_around, meaning_around));
    Add(RecallField::kSpeaker, candidate.speaker, weights.speaker * candidate.speaker);
    Add(RecallField::kDate, candidate.date, weights.date * candidate.date);
    // Who says it orders what fits; it makes nothing fit.
    const double fit = candidate.score;
    Add(RecallField::kRole, candidate.role, weights.said_by * candidate.role * fit);
    Add(RecallField::kPersonal, candidate.personal, weights.personal * candidate.personal * fit);
  }
  const auto Better = [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : a.id > b.id;  // Newer first among equals.
  };
  // Some more than asked for: rows may be gone or irrelevant.
  const std::size_t most =
      std::min(candidates.size(), static_cast<std::size_t>(query.limit) * 2 + 16);
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(most),
                    candidates.end(), Better);
  candidates.resize(most);

  std::vector<TurnId> ids;
  for (const Candidate& candidate : candidates) ids.push_back(candidate.id);
  LIUBAI_ASSIGN_OR_RETURN(std::vector<Turn> turns, store->GetTurns(ids, options.tenant));
  std::unordered_map<TurnId, Turn*> live;
  for (Turn& turn : turns) live[turn.id] = &turn;
  for (Candidate& candidate : candidates) {
    if (result.hits.size() == static_cast<std::size_t>(query.limit)) break;
    const auto found = live.find(candidate.id);
    if (found == live.end()) continue;
    RecallHit hit;
    hit.turn = std::move(*found->second);
    const std::unordered_set<std::string> has = TermsOf(EmbeddedText(hit.turn));
    for (const std::string& term : result.terms) {
      if (has.contains(term)) hit.words.push_back(term);
    }
    const double covered = result.terms.empty() ? 0.0
                                                : static_cast<double>(hit.words.size()) /
                                                      static_cast<double>(result.terms.size());
    const double above =
        std::max(std::isnan(candidate.meaning) ? 0.0 : candidate.meaning,
                 std::isnan(candidate.meaning_around) ? 0.0 : candidate.meaning_around) -
        background.mean;
    const bool relevant =
        covered >= weights.least_covered || candidate.in_time ||
        (!vector.empty() && above >= weights.least_deviations * background.deviation) ||
        Share(candidate.words_around, words_around) >= weights.least_around;
    if (!relevant && !query.with_irrelevant) {
      ++result.dropped_irrelevant;
      continue;
    }
    hit.score = candidate.score;
    hit.signals = std::move(candidate.signals);
    std::sort(hit.signals.begin(), hit.signals.end(),
              [](const RecallSignal& a, const RecallSignal& b) {
                return a.contribution > b.contribution;
              });
    const auto [begin, end] = Excerpt(hit.turn.text, result.terms);
    hit.begin = static_cast<std::uint32_t>(begin);
    hit.end = static_cast<std::uint32_t>(end);
    if (query.before > 0 || query.after > 0) {
      LIUBAI_ASSIGN_OR_RETURN(
          std::vector<Turn> around,
          store->Neighbours(hit.turn.id, query.before, query.after, options.tenant));
      for (Turn& turn : around) {
        if (turn.seq < hit.turn.seq) {
          hit.before.push_back(std::move(turn));
        } else if (turn.seq > hit.turn.seq) {
          hit.after.push_back(std::move(turn));
        }
      }
    }
    result.hits.push_back(std::move(hit));
  }
  result.search_us = MicrosSince(start);
  return result;
}

Retriever::Retriever(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Retriever::~Retriever() = default;

Result<std::unique_ptr<Retriever>> Retriever::Open(Store& store, const Embedder* embedder,
                                                   const RetrieverOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->store = &store;
  impl->embedder = embedder;
  impl->options = options;
  for (const auto& [name, value] : options.weights) {
    double* const weight = memory::FindWeight(impl->weights, name);
    if (weight == nullptr || !std::isfinite(value)) {
      return Status(StatusCode::kInvalidArgument, fmt::format("weight {} = {}", name, value));
    }
    *weight = value;
  }
  if (embedder == nullptr) {
    impl->note = "no embedder: recall by words only";
  } else if (store.read_only()) {
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<EmbedderRecord> known, store.Embedders());
    for (const EmbedderRecord& record : known) {
      if (record.fingerprint == embedder->id()) impl->record = record;
    }
    if (impl->record.id == 0) {
      impl->note = fmt::format("the store has no vectors of embedder {}: recall by words only",
                               embedder->name());
    }
  } else {
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<EmbedderRecord> known, store.Embedders());
    LIUBAI_ASSIGN_OR_RETURN(impl->record, store.EnsureEmbedder(embedder->name(), embedder->id(),
                                                               embedder->dimension()));
    for (const EmbedderRecord& record : known) {
      if (record.fingerprint != embedder->id()) {
        options.logger.Log(
            LogLevel::kWarning, "recall",
            fmt::format("the store also has vectors of embedder {}: they are not used, "
                        "turns get new ones of {}",
                        record.name, embedder->name()));
      }
    }
  }
  if (impl->record.id != 0) {
    memory::VectorIndexOptions index_options;
    index_options.hnsw_above = options.hnsw_above;
    index_options.logger = options.logger;
    LIUBAI_ASSIGN_OR_RETURN(impl->index, VectorIndex::Open(store, impl->record, UnitKind::kTurn,
                                                           options.tenant, index_options));
    impl->note = impl->index->status().note;
  }
  if (!impl->note.empty()) {
    // Without an embedder it is what the caller asked for.
    options.logger.Log(embedder == nullptr ? LogLevel::kInfo : LogLevel::kWarning, "recall",
                       impl->note);
  }
  return std::unique_ptr<Retriever>(new Retriever(std::move(impl)));
}

Result<std::vector<float>> Retriever::EmbedQuery(std::string_view text,
                                                 std::stop_token stop) const {
  if (!impl_->index) return std::vector<float>();
  LIUBAI_RETURN_IF_ERROR(CheckText(text, "the question"));
  // A question longer than the encoder is asked by its end, where people put what they want to
  // know.
  LIUBAI_ASSIGN_OR_RETURN(int tokens, impl_->embedder->CountTokens(text, EmbedKind::kQuery));
  while (tokens > impl_->embedder->max_tokens()) {
    std::size_t cut = text.size() - text.size() * 9 / 10 * impl_->embedder->max_tokens() / tokens;
    cut = std::max<std::size_t>(cut, 1);
    while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) ++cut;
    text.remove_prefix(cut);
    LIUBAI_ASSIGN_OR_RETURN(tokens, impl_->embedder->CountTokens(text, EmbedKind::kQuery));
  }
  return impl_->embedder->Embed(std::span(&text, 1), EmbedKind::kQuery, stop);
}

Result<RecallResult> Retriever::Recall(const RecallQuery& query, std::stop_token stop) const {
  const auto start = std::chrono::steady_clock::now();
  Result<std::vector<float>> vector = EmbedQuery(query.text, stop);
  if (!vector.ok() && vector.status().code() == StatusCode::kCancelled) return vector.status();
  if (!vector.ok() && vector.status().code() == StatusCode::kInvalidArgument)
    return vector.status();
  const std::int64_t embed_us = MicrosSince(start);
  LIUBAI_ASSIGN_OR_RETURN(RecallResult result,
                          impl_->Search(query, vector.ok() ? std::span<const float>(*vector)
                                                           : std::span<const float>()));
  result.embed_us = embed_us;
  if (!vector.ok()) {
    result.note =
        "the question could not be embedded, recall by words only: " + vector.status().message();
    impl_->options.logger.Log(LogLevel::kWarning, "recall", result.note);
  }
  return result;
}

Result<RecallResult> Retriever::RecallWithVector(const RecallQuery& query,
                                                 std::span<const float> vector) const {
  if (!vector.empty() && !impl_->index) {
    return Status(StatusCode::kFailedPrecondition,
                  "a vector was given, and there is no vector index");
  }
  return impl_->Search(query, vector);
}

Result<std::vector<SessionHit>> Retriever::RecallSessions(const RecallQuery& query,
                                                          std::stop_token stop) const {
  RecallQuery turns_query = query;
  turns_query.limit = 200;
  turns_query.with_irrelevant = true;
  turns_query.before = turns_query.after = 0;
  LIUBAI_ASSIGN_OR_RETURN(const RecallResult turns, Recall(turns_query, stop));
  std::lock_guard lock(impl_->mutex);
  LIUBAI_RETURN_IF_ERROR(impl_->session_words.Refresh(*impl_->store, impl_->options.tenant));
  std::unordered_map<SessionId, SessionHit> sessions;
  const auto At = [&](SessionId id) -> SessionHit& {
    SessionHit& hit = sessions[id];
    hit.session_id = id;
    return hit;
  };
  const auto Add = [&](const std::vector<std::pair<SessionId, double>>& scores, RecallField field,
                       double weight) {
    double most = 0;
    for (const auto& [id, score] : scores) most = std::max(most, score);
    for (const auto& [id, score] : scores) {
      if (most <= 0 || (query.filter.session && id != *query.filter.session)) continue;
      SessionHit& hit = At(id);
      hit.score += weight * score / most;
      hit.signals.push_back({field, score, weight * score / most});
    }
  };
  const std::vector<std::string> terms = QueryTerms(query.text);
  Add(impl_->session_words.Score(terms, false), RecallField::kWordsAround,
      impl_->weights.session_words);
  Add(impl_->session_words.Score(terms, true), RecallField::kWords,
      impl_->weights.session_user_words);
  const memory::QuestionKind kind = memory::ReadQuestion(query.text);
  if (kind.about_self && !kind.about_assistant) {
    std::vector<std::pair<SessionId, double>> personal;
    for (const auto& [id, count] : impl_->table.FirstPersonBySession()) {
      personal.emplace_back(id, static_cast<double>(count) / (static_cast<double>(count) + 4));
    }
    Add(personal, RecallField::kPersonal, impl_->weights.session_personal);
  }
  const std::vector<TimeRange> ranges = FindTimeRanges(query.text, NowOf(query));
  if (!ranges.empty()) {
    for (const auto& [id, value] : impl_->table.SessionsInTime(ranges)) {
      if (query.filter.session && id != *query.filter.session) continue;
      SessionHit& hit = At(id);
      hit.score += impl_->weights.session_date * value;
      hit.signals.push_back({RecallField::kDate, value, impl_->weights.session_date * value});
    }
  }
  // Its best turn, and a little of the next ones: several mentions beat one.
  std::unordered_map<SessionId, int> seen;
  const double best = turns.hits.empty() ? 0 : turns.hits.front().score;
  for (const RecallHit& turn : turns.hits) {
    if (best <= 0) break;
    const int rank = seen[turn.turn.session_id]++;
    SessionHit& hit = At(turn.turn.session_id);
    if (rank == 0) hit.best_turn = turn.turn.id;
    const double weight = rank == 0   ? impl_->weights.session_turn
                          : rank == 1 ? impl_->weights.session_second_turn
                                      : 0;
    hit.score += weight * turn.score / best;
    if (rank == 0) hit.signals.insert(hit.signals.end(), turn.signals.begin(), turn.signals.end());
  }
  std::vector<SessionHit> hits;
  for (auto& [id, hit] : sessions) hits.push_back(std::move(hit));
  std::sort(hits.begin(), hits.end(), [](const SessionHit& a, const SessionHit& b) {
    return a.score != b.score ? a.score > b.score : a.session_id > b.session_id;
  });
  if (hits.size() > static_cast<std::size_t>(query.limit))
    hits.resize(static_cast<std::size_t>(query.limit));
  return hits;
}

// A long text in overlapping pieces, each of at most kPiece_tokens.
Result<std::vector<std::string_view>> Retriever::Impl::Pieces(std::string_view text) const {
  std::vector<std::string_view> pieces;
  const int limit = std::min(kPiece_tokens, embedder->max_tokens());
  std::size_t step = 900;
  for (std::size_t begin = 0; begin < text.size();) {
    std::string_view piece = TruncateUtf8(text.substr(begin), step);
    // A first code point longer than the step cannot be: it is at most four bytes.
    LIUBAI_ASSIGN_OR_RETURN(const int tokens, embedder->CountTokens(piece, EmbedKind::kPassage));
    if (tokens > limit && piece.size() > 8) {
      step = std::max<std::size_t>(8, piece.size() * static_cast<std::size_t>(limit) /
                                          static_cast<std::size_t>(tokens) * 9 / 10);
      continue;
    }
    if (begin + piece.size() < text.size()) {  // End at a space where there is one.
      const std::size_t space = piece.find_last_of(" \n");
      if (space != std::string_view::npos && space > piece.size() / 2)
        piece = piece.substr(0, space + 1);
    }
    pieces.push_back(piece);
    if (begin + piece.size() >= text.size()) break;
    std::size_t next = begin + piece.size() - piece.size() / 5;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xc0) == 0x80) ++next;
    begin = std::max(next, begin + 1);
  }
  return pieces;
}

// Vectors of consecutive turns of one session, of which `context` precedes them: one pass over them
// all, each turn the mean of its own tokens, which know their neighbours.
Result<std::int64_t> Retriever::Impl::EmbedRun(std::span<const Turn> context,
                                               std::span<const Turn> turns,
                                               std::vector<NewEmbedding>& out,
                                               std::stop_token stop) const {
  struct Place {
    std::int64_t unit = 0;
    std::int32_t piece = 0;
    std::size_t block = 0;
    std::size_t begin = 0, end = 0;
  };
  std::vector<std::string> blocks;
  std::vector<Place> places;
  const int limit = std::min(kBlock_tokens, embedder->max_tokens() - 8);
  std::vector<std::string> recent;  // The last two texts, to stand before the next block.
  const auto Remember = [&](const std::string& text) {
    recent.push_back(std::string(TruncateUtf8(text, 400)));
    if (recent.size() > 2) recent.erase(recent.begin());
  };
  for (const Turn& turn : context) Remember(EmbeddedText(turn));
  int used = 0;
  bool open = false;
  for (const Turn& turn : turns) {
    const std::string text = EmbeddedText(turn);
    LIUBAI_ASSIGN_OR_RETURN(const int tokens, embedder->CountTokens(text, EmbedKind::kPassage));
    if (tokens > limit * 3 / 4) {
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::string_view> pieces, Pieces(text));
      std::int32_t number = 0;
      for (const std::string_view piece : pieces) {
        places.push_back({turn.id, number++, blocks.size(), 0, piece.size()});
        blocks.emplace_back(piece);
      }
      Remember(text);
      open = false;
      continue;
    }
    if (!open || used + tokens > limit) {
      std::string start;
      used = 0;
      for (const std::string& before : recent) {
        LIUBAI_ASSIGN_OR_RETURN(const int cost, embedder->CountTokens(before, EmbedKind::kPassage));
        if (used + cost + tokens > limit) continue;
        used += cost;
        start += before;
        start += '\n';
      }
      blocks.push_back(std::move(start));
      open = true;
    }
    used += tokens;
    std::string& block = blocks.back();
    places.push_back({turn.id, 0, blocks.size() - 1, block.size(), block.size() + text.size()});
    block += text;
    block += '\n';
    Remember(text);
  }

  const std::size_t dimension = static_cast<std::size_t>(embedder->dimension());
  std::size_t place = 0;
  for (std::size_t first = 0; first < blocks.size(); first += kBlocksPerBatch) {
    const std::size_t last = std::min(blocks.size(), first + kBlocksPerBatch);
    std::vector<std::string_view> views(blocks.begin() + static_cast<std::ptrdiff_t>(first),
                                        blocks.begin() + static_cast<std::ptrdiff_t>(last));
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<TokenVectors> tokens,
                            embedder->EmbedTokens(views, EmbedKind::kPassage, stop));
    for (; place < places.size() && places[place].block < last; ++place) {
      const Place& at = places[place];
      const TokenVectors& block = tokens[at.block - first];
      std::vector<float> mean(dimension, 0.0f);
      for (std::size_t t = 0; t < block.begin.size(); ++t) {
        if (block.end[t] <= at.begin || block.begin[t] >= at.end) continue;
        for (std::size_t d = 0; d < dimension; ++d) mean[d] += block.vectors[t * dimension + d];
      }
      Normalise(mean);
      out.push_back({UnitKind::kTurn, at.unit, at.piece, Narrow(mean)});
    }
  }
  return static_cast<std::int64_t>(turns.size());
}

Result<IndexProgress> Retriever::IndexPending(std::int64_t limit, std::stop_token stop) {
  IndexProgress progress;
  if (!impl_->index || limit <= 0) return progress;
  const TenantId tenant = impl_->options.tenant;
  constexpr std::int64_t kBatch = 128;
  while (progress.embedded < limit) {
    if (stop.stop_requested()) return Status(StatusCode::kCancelled, "indexing was stopped");
    const std::int64_t want = std::min(kBatch, limit - progress.embedded);
    LIUBAI_ASSIGN_OR_RETURN(
        const std::vector<std::int64_t> ids,
        impl_->store->PendingEmbeddings(impl_->record.id, UnitKind::kTurn, want, 0, tenant));
    if (ids.empty()) break;
    LIUBAI_ASSIGN_OR_RETURN(std::vector<Turn> turns, impl_->store->GetTurns(ids, tenant));
    std::stable_sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
      return a.session_id != b.session_id ? a.session_id < b.session_id : a.seq < b.seq;
    });
    std::vector<NewEmbedding> vectors;
    for (std::size_t begin = 0; begin < turns.size();) {
      std::size_t end = begin + 1;
      while (end < turns.size() && turns[end].session_id == turns[begin].session_id &&
             turns[end].seq == turns[end - 1].seq + 1) {
        ++end;
      }
      LIUBAI_ASSIGN_OR_RETURN(std::vector<Turn> context,
                              impl_->store->Neighbours(turns[begin].id, 2, 0, tenant));
      if (!context.empty() && context.back().id == turns[begin].id) context.pop_back();
      LIUBAI_RETURN_IF_ERROR(
          impl_->EmbedRun(context, std::span(turns).subspan(begin, end - begin), vectors, stop)
              .status());
      begin = end;
    }
    LIUBAI_RETURN_IF_ERROR(impl_->store->PutEmbeddings(impl_->record.id, vectors, tenant).status());
    progress.embedded += static_cast<std::int64_t>(turns.size());
    progress.vectors += static_cast<std::int64_t>(vectors.size());
    if (turns.empty()) break;
  }
  LIUBAI_RETURN_IF_ERROR(impl_->index->CatchUp());
  LIUBAI_ASSIGN_OR_RETURN(
      const std::vector<std::int64_t> left,
      impl_->store->PendingEmbeddings(impl_->record.id, UnitKind::kTurn, 1000, 0, tenant));
  progress.pending = static_cast<std::int64_t>(left.size());
  return progress;
}

Status Retriever::Publish() { return impl_->index ? impl_->index->Publish() : Status(); }

RetrieverStatus Retriever::status() const {
  RetrieverStatus status;
  status.note = impl_->note;
  if (impl_->embedder != nullptr) status.embedder = impl_->embedder->name();
  if (!impl_->index) return status;
  const memory::VectorIndexStatus index = impl_->index->status();
  status.by_meaning = true;
  status.vectors = index.live_rows;
  status.unmerged = index.tail_rows;
  status.tombstones = index.tombstones;
  status.generation = index.generation;
  status.graph = index.graph;
  return status;
}

Result<std::vector<std::string>> Retriever::Verify() const {
  std::vector<std::string> problems;
  if (!impl_->index) return problems;
  LIUBAI_RETURN_IF_ERROR(impl_->index->CatchUp());
  LIUBAI_ASSIGN_OR_RETURN(const memory::VectorIndexAudit audit, impl_->index->Audit());
  for (const VectorId id : audit.missing)
    problems.push_back(fmt::format("vector {} is not in the index", id));
  for (const VectorId id : audit.extra)
    problems.push_back(fmt::format("vector {} is not in the store", id));
  for (const VectorId id : audit.differing)
    problems.push_back(fmt::format("vector {} differs from the store's", id));
  return problems;
}

std::string RenderMemory(const Turn& turn, std::string_view text) {
  static constexpr std::string_view kRoles[] = {"system", "user", "assistant", "tool"};
  return fmt::format("[{}] {}: {}", FormatMinute(turn.time_ms),
                     turn.speaker.empty() ? kRoles[static_cast<int>(turn.role) & 3]
                                          : std::string_view(turn.speaker),
                     text);
}

Result<PackedMemories> PackMemories(const RecallResult& result, const PackOptions& options) {
  struct Line {
    const RecallHit* hit;
    std::string text;
    std::int64_t tokens;
    bool excerpt;
  };
  PackedMemories packed;
  std::vector<Line> lines;
  std::int64_t left = options.budget_tokens;
  int taken = 0;
  for (const RecallHit& hit : result.hits) {
    if (taken == options.most) {
      ++packed.left_out;
      continue;
    }
    const std::string_view text = hit.turn.text;
    const bool long_turn = hit.begin > 0 || hit.end < text.size();
    Line line{&hit, RenderMemory(hit.turn, text), 0, false};
    LIUBAI_ASSIGN_OR_RETURN(line.tokens, options.count(line.text + "\n"));
    std::size_t begin = hit.begin, end = hit.end;
    // A turn that does not fit whole is shown in part; the best one in as small a part as must be.
    while (line.tokens > left && (long_turn || lines.empty()) && end > begin + 40) {
      if (line.excerpt)
        end = begin + TruncateUtf8(text.substr(begin), (end - begin) * 3 / 4).size();
      line.excerpt = true;
      line.text = RenderMemory(
          hit.turn, fmt::format("{}{}{}", begin > 0 ? "… " : "", text.substr(begin, end - begin),
                                end < text.size() ? " …" : ""));
      LIUBAI_ASSIGN_OR_RETURN(line.tokens, options.count(line.text + "\n"));
      if (!lines.empty() && line.tokens > left) break;
    }
    if (line.tokens > left) {
      ++packed.left_out;
      continue;
    }
    left -= line.tokens;
    ++taken;
    lines.push_back(std::move(line));
  }
  if (lines.size() > 2) {
    std::sort(lines.begin() + 1, lines.end(), [](const Line& a, const Line& b) {
      return std::pair(a.hit->turn.time_ms, a.hit->turn.id) <
             std::pair(b.hit->turn.time_ms, b.hit->turn.id);
    });
  }
  if (lines.size() > 1) std::rotate(lines.begin(), lines.begin() + 1, lines.end());
  for (const Line& line : lines) {
    packed.text += line.text + "\n";
    packed.turns.push_back(line.hit->turn.id);
    packed.tokens += line.tokens;
    if (line.excerpt) packed.excerpts.push_back(line.hit->turn.id);
  }
  return packed;
}

}  // namespace liubai::inline v1
