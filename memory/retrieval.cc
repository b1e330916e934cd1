#include "liubai/retrieval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "core/elapsed.h"
#include "core/macros.h"
#include "core/text.h"
#include "memory/date_expression.h"
#include "memory/fts_tokenizer.h"
#include "memory/question.h"
#include "memory/retrieval_impl.h"

namespace liubai::inline v1 {

using memory::FindTimeRanges;
using memory::NowOf;
using memory::QueryTerms;
using memory::TimeRange;
using memory::VectorIndex;

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

}  // namespace liubai::inline v1
