#include "liubai/retrieval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

using memory::VectorIndex;

std::string_view RecallFieldName(RecallField field) {
  static constexpr std::array<std::string_view, kRecallFields> kNames = {
      "words",           "words_around",   "words_long",    "meaning",
      "meaning_around",  "tokens",         "tokens_around", "session",
      "speaker",         "date",           "role",          "personal",
      "reply",           "asks",           "length",        "context",
      "context_meaning", "context_tokens", "hop",           "exact",
      "profile",         "held",           "kind",          "order",
      "negation",        "essence"};
  const std::size_t at = static_cast<std::size_t>(field);
  return at < kNames.size() ? kNames[at] : "unknown";
}

std::string_view SessionFieldName(SessionField field) {
  static constexpr std::array<std::string_view, kSessionFields> kNames = {
      "words",    "user_words", "best_turn", "second_turn", "more_turns", "meaning",
      "personal", "date",       "profile",   "user_turn",   "kind",       "sentence"};
  const std::size_t at = static_cast<std::size_t>(field);
  return at < kNames.size() ? kNames[at] : "unknown";
}

std::string RecallHit::Why() const {
  std::string why;
  for (const RecallSignal& signal : signals) {
    if (signal.contribution <= 0) continue;
    if (!why.empty()) why += ", ";
    why += fmt::format("{} {:.2f}", RecallFieldName(signal.field), signal.contribution);
  }
  if (!words.empty()) why += fmt::format(" ({})", fmt::join(words, " "));
  return why;
}

std::vector<const RecallHit*> RecallResult::ByTime() const {
  std::vector<const RecallHit*> ordered;
  for (const RecallHit& hit : hits) ordered.push_back(&hit);
  std::sort(ordered.begin(), ordered.end(), [](const RecallHit* a, const RecallHit* b) {
    return std::pair(a->turn.time_ms, a->turn.id) < std::pair(b->turn.time_ms, b->turn.id);
  });
  return ordered;
}

Retriever::Retriever(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Retriever::~Retriever() = default;

Result<std::unique_ptr<Retriever>> Retriever::Open(Store& store, const Embedder* embedder,
                                                   const RetrieverOptions& options) {
  if (options.rerank_first < 1 || options.rerank_first > 1000 || options.rerank_budget_ms < 1) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("the first {} hits reranked in {} ms; 1..1000 in at least 1 ms are "
                              "allowed",
                              options.rerank_first, options.rerank_budget_ms));
  }
  auto impl = std::make_unique<Impl>();
  impl->store = &store;
  impl->embedder = embedder;
  impl->options = options;
  impl->weights = memory::FittedWeights();
  for (const auto& [name, value] : options.weights) {
    LIUBAI_RETURN_IF_ERROR(memory::SetWeight(impl->weights, name, value));
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
    index_options.lists_above = options.lists_above;
    index_options.logger = options.logger;
    LIUBAI_ASSIGN_OR_RETURN(impl->index, VectorIndex::Open(store, impl->record, UnitKind::kTurn,
                                                           options.tenant, index_options));
    impl->note = impl->index->status().note;
    if (options.token_vectors) LIUBAI_RETURN_IF_ERROR(impl->OpenCodec());
  }
  if (!impl->note.empty()) {
    // Without an embedder it is what the caller asked for.
    options.logger.Log(embedder == nullptr ? LogLevel::kInfo : LogLevel::kWarning, "recall",
                       impl->note);
  }
  return std::unique_ptr<Retriever>(new Retriever(std::move(impl)));
}

// The store's codec, or one made now for it.
Status Retriever::Impl::OpenCodec() {
  if (!record.token_codec.empty()) {
    LIUBAI_ASSIGN_OR_RETURN(codec, memory::TokenCodec::Parse(record.token_codec, record.dimension));
    return Status();
  }
  if (store->read_only()) return Status();
  LIUBAI_ASSIGN_OR_RETURN(codec, memory::TokenCodec::For(*embedder, {}));
  record.token_codec = codec->bytes();
  return store->SetTokenCodec(record.id, record.token_codec);
}

namespace {

// Of a question's tokens: with more of them the embedder does not know its language.
constexpr double kMostUnknown = 0.1;

struct EncodedQuestion {
  std::vector<float> pooled;
  TokenVectors tokens;
};

// A text longer than the encoder is taken by its end, where people put what they want to know.
Result<EncodedQuestion> Encode(const Embedder& embedder, std::string_view text, bool with_tokens,
                               std::stop_token stop) {
  std::size_t cut_off = 0;
  LIUBAI_ASSIGN_OR_RETURN(int tokens, embedder.CountTokens(text, EmbedKind::kQuery));
  while (tokens > embedder.max_tokens()) {
    std::size_t cut = text.size() - text.size() * 9 / 10 *
                                        static_cast<std::size_t>(embedder.max_tokens()) /
                                        static_cast<std::size_t>(tokens);
    cut = std::max<std::size_t>(cut, 1);
    while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) ++cut;
    text.remove_prefix(cut);
    cut_off += cut;
    LIUBAI_ASSIGN_OR_RETURN(tokens, embedder.CountTokens(text, EmbedKind::kQuery));
  }
  EncodedQuestion encoded;
  if (!with_tokens) {
    LIUBAI_ASSIGN_OR_RETURN(encoded.pooled,
                            embedder.Embed(std::span(&text, 1), EmbedKind::kQuery, stop));
    return encoded;
  }
  // One pass for both: as in what is stored, the vector is the mean of the tokens.
  LIUBAI_ASSIGN_OR_RETURN(std::vector<TokenVectors> made,
                          embedder.EmbedTokens(std::span(&text, 1), EmbedKind::kQuery, stop));
  encoded.tokens = std::move(made.front());
  const std::size_t dimension = static_cast<std::size_t>(embedder.dimension());
  encoded.pooled.assign(dimension, 0.0f);
  for (std::size_t i = 0; i < encoded.tokens.vectors.size(); ++i) {
    encoded.pooled[i % dimension] += encoded.tokens.vectors[i];
  }
  memory::Normalise(encoded.pooled);
  for (std::uint32_t& place : encoded.tokens.begin) place += static_cast<std::uint32_t>(cut_off);
  for (std::uint32_t& place : encoded.tokens.end) place += static_cast<std::uint32_t>(cut_off);
  return encoded;
}

}  // namespace

Result<QuestionVectors> Retriever::EmbedQuestion(const RecallQuery& query,
                                                 std::stop_token stop) const {
  QuestionVectors vectors;
  if (!impl_->index) return vectors;
  LIUBAI_RETURN_IF_ERROR(CheckText(query.text, "the question"));
  const bool with_tokens = impl_->codec != nullptr;
  LIUBAI_ASSIGN_OR_RETURN(const double unknown, impl_->embedder->UnknownShare(query.text));
  if (unknown > kMostUnknown) return vectors;
  // As long as the text: positions of tokens are those of the text.
  const std::string words = Impl::WordsToSearch(memory::ReadForRecall(query), query.text);
  LIUBAI_ASSIGN_OR_RETURN(EncodedQuestion question,
                          Encode(*impl_->embedder, words, with_tokens, stop));
  vectors.pooled = std::move(question.pooled);
  vectors.tokens = std::move(question.tokens);
  if (query.context.empty()) return vectors;
  LIUBAI_RETURN_IF_ERROR(CheckText(query.context, "what was said before"));
  LIUBAI_ASSIGN_OR_RETURN(EncodedQuestion context,
                          Encode(*impl_->embedder, query.context, with_tokens, stop));
  vectors.context_pooled = std::move(context.pooled);
  vectors.context_tokens = std::move(context.tokens);
  return vectors;
}

Result<RecallResult> Retriever::Recall(const RecallQuery& query, std::stop_token stop) const {
  LIUBAI_ASSIGN_OR_RETURN(RecallResult result, RecallByScore(query, stop));
  LIUBAI_RETURN_IF_ERROR(impl_->AddDistance(query, result));
  impl_->Finish(query, result, stop);
  return result;
}

Result<RecallResult> Retriever::RecallByScore(const RecallQuery& query,
                                              std::stop_token stop) const {
  const auto start = std::chrono::steady_clock::now();
  Result<QuestionVectors> vectors = EmbedQuestion(query, stop);
  if (!vectors.ok() && vectors.status().code() == StatusCode::kCancelled) return vectors.status();
  if (!vectors.ok() && vectors.status().code() == StatusCode::kInvalidArgument)
    return vectors.status();
  const std::int64_t embed_us = MicrosSince(start);
  LIUBAI_ASSIGN_OR_RETURN(RecallResult result,
                          impl_->Search(query, vectors.ok() ? *vectors : QuestionVectors()));
  result.embed_us = embed_us;
  if (vectors.ok() && vectors->pooled.empty() && impl_->index) {
    result.note = fmt::format("{} does not know the language of the question, recall by words only",
                              impl_->embedder->name());
  }
  if (!vectors.ok()) {
    result.note =
        "the question could not be embedded, recall by words only: " + vectors.status().message();
    impl_->options.logger.Log(LogLevel::kWarning, "recall", result.note);
  }
  return result;
}

Result<RecallResult> Retriever::RecallWithVectors(const RecallQuery& query,
                                                  const QuestionVectors& vectors) const {
  if (!vectors.pooled.empty() && !impl_->index) {
    return Status(StatusCode::kFailedPrecondition,
                  "a vector was given, and there is no vector index");
  }
  LIUBAI_ASSIGN_OR_RETURN(RecallResult result, impl_->Search(query, vectors));
  LIUBAI_RETURN_IF_ERROR(impl_->AddDistance(query, result));
  impl_->Finish(query, result, {});
  return result;
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
  status.lists = index.lists;
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
