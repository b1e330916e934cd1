#include "liubai/language_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <unordered_set>

#include "core/cpu_features.h"
#include "core/elapsed.h"
#include "core/hash.h"
#include "core/macros.h"
#include "engine/chat_template.h"
#include "engine/decoder.h"
#include "engine/grammar_mask.h"
#include "engine/kv_cache.h"
#include "engine/sampler.h"
#include "engine/tokenizer.h"
#include "fmt/format.h"

namespace liubai::inline v1 {
namespace {

// The logarithm of the sum of e^logit, without overflow.
double LogSumExp(std::span<const float> logits) {
  const float most = *std::max_element(logits.begin(), logits.end());
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit - most));
  return static_cast<double>(most) + std::log(sum);
}

constexpr int kMaxThreads = 256;
constexpr int kMaxChunkTokens = 4096;
constexpr int kDefaultContextTokens = 8192;
constexpr int kContextsOfDefaultBudget = 4;
constexpr int kScoreChunkTokens = 64;  // Logits of so many tokens are held at once.

using Clock = std::chrono::steady_clock;

Status InRange(std::string_view what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return Status();
  return Status(StatusCode::kInvalidArgument,
                fmt::format("{} is {}; it must be {}..{}", what, value, low, high));
}

class LocalModel;

class LocalContext final : public Context {
 public:
  LocalContext(LocalModel& model, engine::KvPool& pool) : model_(model), sequence_(pool) {}

  Status SetSegments(std::vector<Segment> segments) override;
  Status Append(Segment segment) override;
  const std::vector<Segment>& segments() const override { return segments_; }
  ContextStats stats() const override;
  Status Prefill(std::stop_token stop) override;
  Result<Generation> Generate(const SamplingParams& sampling, const OnText& on_text,
                              std::stop_token stop) override;
  Result<std::vector<float>> NextLogits(std::stop_token stop) override;
  Result<std::unique_ptr<Context>> Fork() const override;

 private:
  friend class LocalModel;

  // Computes all tokens; with `logits` the last one is computed here in any case, and its logits
  // are the decoder's afterwards. The engine's lock is held by the caller for the last step only.
  Status Compute(std::stop_token stop, std::vector<float>* logits, int* computed);

  LocalModel& model_;
  std::vector<Segment> segments_;
  std::vector<TokenId> tokens_;  // All segments, end to end.
  engine::KvSequence sequence_;  // A prefix of tokens_.
};

class LocalModel final : public LanguageModel {
 public:
  static Result<std::unique_ptr<LanguageModel>> Load(const std::string& path,
                                                     const LanguageModelOptions& options);

  const ModelInfo& info() const override { return info_; }
  std::vector<TokenId> Tokenize(std::string_view text) const override {
    return tokenizer_->Encode(text, {});
  }
  std::vector<TokenId> TokenizeWithControls(std::string_view text,
                                            bool add_special) const override {
    return tokenizer_->Encode(text, {.add_special = add_special, .parse_special = true});
  }
  std::string Detokenize(std::span<const TokenId> tokens) const override {
    return tokenizer_->Decode(tokens);
  }
  Result<std::vector<TokenId>> ChatStart(std::string_view system) const override {
    LIUBAI_RETURN_IF_ERROR(chat_status_);
    return chat_->Start(*tokenizer_, system);
  }
  Result<std::vector<TokenId>> ChatFirst(std::string_view system,
                                         std::string_view user) const override {
    LIUBAI_RETURN_IF_ERROR(chat_status_);
    return chat_->First(*tokenizer_, system, user);
  }
  Result<std::vector<TokenId>> ChatMessage(std::string_view role,
                                           std::string_view content) const override {
    LIUBAI_RETURN_IF_ERROR(chat_status_);
    return chat_->Message(*tokenizer_, role, content);
  }
  Result<std::vector<TokenId>> ChatReplyHeader() const override {
    LIUBAI_RETURN_IF_ERROR(chat_status_);
    return chat_->ReplyHeader(*tokenizer_);
  }
  Result<std::vector<TokenId>> ChatMessageEnd() const override {
    LIUBAI_RETURN_IF_ERROR(chat_status_);
    return chat_->MessageEnd(*tokenizer_);
  }

  Result<TokenMask> MaskFor(const Grammar& grammar) const override;
  Result<std::unique_ptr<Context>> NewContext() override {
    return std::unique_ptr<Context>(std::make_unique<LocalContext>(*this, *kv_));
  }
  Result<std::vector<Generation>> GenerateBatch(std::span<const BatchItem> items,
                                                std::stop_token stop) override;
  Result<Score> ScoreTokens(std::span<const TokenId> tokens, std::stop_token stop) override;

 private:
  friend class LocalContext;

  // `before` tokens are in the context already.
  Status CheckTokens(std::span<const TokenId> tokens, std::size_t before) const;

  ModelInfo info_;
  LanguageModelOptions options_;
  std::unique_ptr<ThreadPool> threads_;
  std::unique_ptr<engine::DecoderModel> model_;
  std::unique_ptr<engine::Tokenizer> tokenizer_;
  std::unique_ptr<engine::ChatTemplate> chat_;
  Status chat_status_;
  std::unique_ptr<engine::Decoder> decoder_;
  std::unique_ptr<engine::KvPool> kv_;
  std::mutex step_;  // One Forward at a time.
  mutable std::once_flag spelled_;
  mutable std::shared_ptr<const engine::GrammarVocabulary> spelling_;  // Made when first asked for.
};

Result<TokenMask> LocalModel::MaskFor(const Grammar& grammar) const {
  std::call_once(spelled_,
                 [this] { spelling_ = std::make_shared<engine::GrammarVocabulary>(*tokenizer_); });
  LIUBAI_ASSIGN_OR_RETURN(auto mask, engine::GrammarMask::Create(spelling_, grammar));
  return TokenMask([mask = std::shared_ptr<engine::GrammarMask>(std::move(mask))](
                       std::span<float> logits, std::span<const TokenId> generated) {
    mask->Apply(logits, generated);
  });
}

Status LocalModel::CheckTokens(std::span<const TokenId> tokens, std::size_t before) const {
  const int vocabulary = info_.vocabulary_size;
  for (const TokenId token : tokens) {
    if (token < 0 || token >= vocabulary) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("token {} is not in the vocabulary of {}", token, vocabulary));
    }
  }
  const std::size_t capacity = static_cast<std::size_t>(info_.context_tokens);
  if (before + tokens.size() > capacity) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{} tokens do not fit a context of {}",
                                                            before + tokens.size(), capacity));
  }
  return Status();
}

Status LocalContext::SetSegments(std::vector<Segment> segments) {
  std::vector<TokenId> tokens;
  for (const Segment& segment : segments) {
    LIUBAI_RETURN_IF_ERROR(model_.CheckTokens(segment.tokens, tokens.size()));
    tokens.insert(tokens.end(), segment.tokens.begin(), segment.tokens.end());
  }
  const auto& old = sequence_.tokens();
  const auto common = std::mismatch(old.begin(), old.end(), tokens.begin(), tokens.end()).first;
  sequence_.Truncate(static_cast<int>(common - old.begin()));
  segments_ = std::move(segments);
  tokens_ = std::move(tokens);
  return Status();
}

Status LocalContext::Append(Segment segment) {
  LIUBAI_RETURN_IF_ERROR(model_.CheckTokens(segment.tokens, tokens_.size()));
  tokens_.insert(tokens_.end(), segment.tokens.begin(), segment.tokens.end());
  segments_.push_back(std::move(segment));
  return Status();
}

ContextStats LocalContext::stats() const {
  ContextStats stats;
  stats.tokens = static_cast<int>(tokens_.size());
  stats.computed_tokens = sequence_.length();
  stats.capacity_tokens = model_.info_.context_tokens;
  stats.pages = sequence_.pages();
  stats.shared_pages = model_.kv_->CountShared(sequence_.block_tables());
  stats.pool_pages = model_.kv_->total_pages();
  stats.pool_free_pages = model_.kv_->free_pages();
  return stats;
}

Status LocalContext::Compute(std::stop_token stop, std::vector<float>* logits, int* computed) {
  const int total = static_cast<int>(tokens_.size());
  if (logits != nullptr && sequence_.length() == total) sequence_.Truncate(total - 1);
  if (sequence_.length() < total) sequence_.AdoptPrefix(tokens_);
  if (computed != nullptr) *computed = total - sequence_.length();
  while (sequence_.length() < total) {
    if (stop.stop_requested()) return Status(StatusCode::kCancelled, "prefill cancelled");
    const int begin = sequence_.length();
    const int count = std::min(model_.options_.prefill_chunk_tokens, total - begin);
    const bool last = begin + count == total;
    LIUBAI_RETURN_IF_ERROR(sequence_.Extend(std::span(tokens_).subspan(
        static_cast<std::size_t>(begin), static_cast<std::size_t>(count))));
    const engine::DecoderInput input{&sequence_, count, false, last && logits != nullptr};
    const std::lock_guard lock(model_.step_);
    const Status status = model_.decoder_->Forward(*model_.kv_, std::span(&input, 1));
    if (!status.ok()) {
      sequence_.Truncate(begin);
      return status;
    }
    sequence_.Publish();
    if (last && logits != nullptr) {
      const std::span<const float> row = model_.decoder_->logits();
      logits->assign(row.begin(), row.end());
    }
  }
  return Status();
}

Status LocalContext::Prefill(std::stop_token stop) { return Compute(stop, nullptr, nullptr); }

Result<std::vector<float>> LocalContext::NextLogits(std::stop_token stop) {
  if (tokens_.empty()) return Status(StatusCode::kFailedPrecondition, "the context is empty");
  std::vector<float> logits;
  LIUBAI_RETURN_IF_ERROR(Compute(stop, &logits, nullptr));
  return logits;
}

Result<std::unique_ptr<Context>> LocalContext::Fork() const {
  auto fork = std::make_unique<LocalContext>(model_, *model_.kv_);
  fork->segments_ = segments_;
  fork->tokens_ = tokens_;
  fork->sequence_.CopyFrom(sequence_);
  return std::unique_ptr<Context>(std::move(fork));
}

Result<Generation> LocalContext::Generate(const SamplingParams& sampling, const OnText& on_text,
                                          std::stop_token stop) {
  const LanguageModel::BatchItem item{this, sampling, on_text};
  LIUBAI_ASSIGN_OR_RETURN(auto generations, model_.GenerateBatch(std::span(&item, 1), stop));
  return std::move(generations[0]);
}

Result<std::vector<Generation>> LocalModel::GenerateBatch(std::span<const BatchItem> items,
                                                          std::stop_token stop) {
  struct Live {
    LocalContext* context;
    engine::Sampler sampler;
    engine::TextGate gate;
    std::vector<float> logits;
    std::vector<float> raw;  // The same before a token is chosen, where logprobs are wanted.
    std::size_t generated = 0;
    bool done = false;
  };
  const Clock::time_point start = Clock::now();
  std::vector<Live> live;
  std::vector<Generation> results(items.size());
  std::unordered_set<const Context*> seen;
  for (const BatchItem& item : items) {
    LIUBAI_RETURN_IF_ERROR(item.sampling.Validate());
    auto* context = dynamic_cast<LocalContext*>(item.context);
    if (context == nullptr || &context->model_ != this || !seen.insert(context).second) {
      return Status(StatusCode::kInvalidArgument,
                    "a batch needs distinct contexts of the model that runs it");
    }
    if (context->tokens_.empty()) {
      return Status(StatusCode::kFailedPrecondition, "the context is empty");
    }
    live.push_back(
        {context, engine::Sampler(item.sampling), engine::TextGate(item.sampling.stop), {}});
  }
  const auto finish = [&](std::size_t i, StopReason reason) {
    Live& one = live[i];
    one.done = true;
    results[i].reason = reason;
    const std::string rest = one.gate.Finish();
    results[i].text += rest;
    if (!rest.empty() && items[i].on_text) items[i].on_text(rest);
    results[i].total_us = MicrosSince(start);
  };
  for (std::size_t i = 0; i < live.size(); ++i) {
    Live& one = live[i];
    results[i].prompt_tokens = static_cast<int>(one.context->tokens_.size());
    const Status status = one.context->Compute(stop, &one.logits, &results[i].prefilled_tokens);
    if (status.code() == StatusCode::kCancelled) {
      finish(i, StopReason::kCancelled);
    } else if (!status.ok()) {
      return status;
    }
  }
  for (;;) {
    std::vector<std::size_t> stepping;
    for (std::size_t i = 0; i < live.size(); ++i) {
      Live& one = live[i];
      if (one.done) continue;
      LocalContext& context = *one.context;
      if (stop.stop_requested()) {
        finish(i, StopReason::kCancelled);
        continue;
      }
      const SamplingParams& sampling = items[i].sampling;
      // Of the model's own distribution, which the choice changes.
      const double normaliser = sampling.logprobs ? LogSumExp(one.logits) : 0.0;
      if (sampling.logprobs) one.raw = one.logits;
      LIUBAI_ASSIGN_OR_RETURN(const TokenId token,
                              one.sampler.Choose(one.logits, context.tokens_, one.generated));
      if (one.generated == 0) results[i].first_token_us = MicrosSince(start);
      if (tokenizer_->IsEndOfGeneration(token)) {
        finish(i, StopReason::kEndOfTurn);
        continue;
      }
      if (static_cast<int>(context.tokens_.size()) >= info_.context_tokens) {
        finish(i, StopReason::kContextFull);
        continue;
      }
      const float logprob =
          sampling.logprobs
              ? static_cast<float>(static_cast<double>(one.raw[static_cast<std::size_t>(token)]) -
                                   normaliser)
              : 0.0f;
      if (sampling.accept && !sampling.accept(token, logprob)) {
        finish(i, StopReason::kRejected);
        continue;
      }
      context.tokens_.push_back(token);
      if (context.segments_.empty()) context.segments_.emplace_back();
      context.segments_.back().tokens.push_back(token);
      results[i].tokens.push_back(token);
      if (sampling.logprobs) results[i].logprobs.push_back(logprob);
      ++one.generated;
      const std::string piece = one.gate.Push(tokenizer_->TokenText(token));
      results[i].text += piece;
      const bool go_on = piece.empty() || !items[i].on_text || items[i].on_text(piece);
      if (one.gate.stopped()) {
        finish(i, StopReason::kStopString);
      } else if (!go_on) {
        finish(i, StopReason::kCancelled);
      } else if (static_cast<int>(one.generated) >= items[i].sampling.max_tokens) {
        finish(i, StopReason::kMaxTokens);
      } else {
        stepping.push_back(i);
      }
    }
    if (stepping.empty()) return results;
    std::vector<engine::DecoderInput> inputs;
    for (const std::size_t i : stepping) {
      LocalContext& context = *live[i].context;
      const Status status = context.sequence_.Extend(std::span(context.tokens_).last(1));
      if (!status.ok()) {
        for (const engine::DecoderInput& input : inputs) {
          const_cast<engine::KvSequence*>(input.sequence)->Truncate(input.sequence->length() - 1);
        }
        return status;
      }
      inputs.push_back({&context.sequence_, 1, false, true});
    }
    const std::lock_guard lock(step_);
    const Status status = decoder_->Forward(*kv_, inputs);
    const std::span<const float> logits = decoder_->logits();
    const auto vocabulary = static_cast<std::size_t>(info_.vocabulary_size);
    for (std::size_t n = 0; n < stepping.size(); ++n) {
      Live& one = live[stepping[n]];
      if (!status.ok()) {
        one.context->sequence_.Truncate(one.context->sequence_.length() - 1);
        continue;
      }
      one.context->sequence_.Publish();
      const auto row = logits.subspan(n * vocabulary, vocabulary);
      one.logits.assign(row.begin(), row.end());
    }
    if (!status.ok()) return status;
  }
}

Result<LanguageModel::Score> LocalModel::ScoreTokens(std::span<const TokenId> tokens,
                                                     std::stop_token stop) {
  if (tokens.size() < 2) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} tokens cannot be scored; at least 2 are needed", tokens.size()));
  }
  LIUBAI_RETURN_IF_ERROR(CheckTokens(tokens, 0));
  Score score;
  const auto vocabulary = static_cast<std::size_t>(info_.vocabulary_size);
  engine::KvSequence sequence(*kv_);
  while (sequence.tokens().size() < tokens.size()) {
    if (stop.stop_requested()) return Status(StatusCode::kCancelled, "scoring cancelled");
    const std::size_t begin = sequence.tokens().size();
    const std::size_t count = std::min<std::size_t>(kScoreChunkTokens, tokens.size() - begin);
    LIUBAI_RETURN_IF_ERROR(sequence.Extend(tokens.subspan(begin, count)));
    const engine::DecoderInput input{&sequence, static_cast<int>(count), true, true};
    const std::lock_guard lock(step_);
    LIUBAI_RETURN_IF_ERROR(decoder_->Forward(*kv_, std::span(&input, 1)));
    sequence.Publish();
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const float> row = decoder_->logits().subspan(i * vocabulary, vocabulary);
      const auto best = std::max_element(row.begin(), row.end());
      if (!std::isfinite(*best)) {
        return Status(StatusCode::kNumericError,
                      fmt::format("the logits at position {} are not finite", begin + i));
      }
      score.arg_max.push_back(static_cast<TokenId>(best - row.begin()));
      if (begin + i + 1 == tokens.size()) break;
      double sum = 0.0;
      for (const float logit : row) sum += std::exp(static_cast<double>(logit - *best));
      const float target = row[static_cast<std::size_t>(tokens[begin + i + 1])];
      score.nll.push_back(static_cast<float>(std::log(sum) + static_cast<double>(*best - target)));
    }
  }
  return score;
}

Result<std::unique_ptr<LanguageModel>> LocalModel::Load(const std::string& path,
                                                        const LanguageModelOptions& options) {
  LIUBAI_RETURN_IF_ERROR(InRange("threads", options.threads, 0, kMaxThreads));
  LIUBAI_RETURN_IF_ERROR(
      InRange("prefill_chunk_tokens", options.prefill_chunk_tokens, 1, kMaxChunkTokens));
  auto model = std::make_unique<LocalModel>();
  model->options_ = options;
  model->threads_ = std::make_unique<ThreadPool>(
      options.threads == 0 ? std::min(AvailableCores(), kMaxThreads) : options.threads);
  LIUBAI_ASSIGN_OR_RETURN(model->model_,
                          engine::DecoderModel::Load(path, options.exact, *model->threads_));
  const engine::DecoderConfig& config = model->model_->config();
  const engine::GgufFile& file = model->model_->file();
  auto tokenizer = [&]() -> Result<std::unique_ptr<engine::Tokenizer>> {
    LIUBAI_ASSIGN_OR_RETURN(const auto data, engine::LoadTokenizerData(file));
    return engine::Tokenizer::Create(data);
  }();
  if (!tokenizer.ok()) return tokenizer.status().WithContext(path);
  model->tokenizer_ = std::move(tokenizer).value();
  if (model->tokenizer_->vocab_size() > config.vocabulary) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("{}: the tokenizer has {} tokens, the embedding {} rows", path,
                              model->tokenizer_->vocab_size(), config.vocabulary));
  }
  if (options.context_tokens != 0) {
    LIUBAI_RETURN_IF_ERROR(
        InRange("context_tokens", options.context_tokens, 16, config.trained_context_tokens));
  }
  const int context_tokens = options.context_tokens != 0
                                 ? options.context_tokens
                                 : std::min(config.trained_context_tokens, kDefaultContextTokens);
  LIUBAI_ASSIGN_OR_RETURN(const auto jinja, file.GetStringOr("tokenizer.chat_template", ""));
  auto chat = engine::ChatTemplate::Recognize(jinja, options.chat_template, *model->tokenizer_);
  if (chat.ok()) {
    model->chat_ = std::make_unique<engine::ChatTemplate>(std::move(chat).value());
  } else if (!options.chat_template.empty()) {
    return chat.status();
  } else {
    model->chat_status_ = chat.status();
  }
  model->decoder_ = std::make_unique<engine::Decoder>(*model->model_, options.kv_format,
                                                      context_tokens, *model->threads_);
  LIUBAI_ASSIGN_OR_RETURN(
      model->kv_,
      engine::KvPool::Create(model->decoder_->groups(), context_tokens, kContextsOfDefaultBudget,
                             options.prefill_chunk_tokens, options.kv_budget_bytes));
  ModelInfo& info = model->info_;
  info.name = config.name.empty() ? path.substr(path.rfind('/') + 1) : config.name;
  info.path = path;
  info.architecture = config.architecture;
  info.isa = std::string(CpuIsaName(BestCpuIsa()));
  info.chat_template = model->chat_ ? model->chat_->name() : "";
  info.parameters = model->model_->parameters();
  info.file_bytes = file.file_bytes();
  info.weight_bytes = model->model_->weight_bytes();
  info.kv_budget_bytes = model->kv_->bytes();
  for (const engine::KvGroup& group : model->decoder_->groups()) {
    info.kv_bytes_per_token += group.page_bytes() / kernels::kPageTokens;
  }
  info.trained_context_tokens = config.trained_context_tokens;
  info.context_tokens = context_tokens;
  info.vocabulary_size = config.vocabulary;
  info.layers = config.layers;
  info.threads = model->threads_->size();
  info.kv_format = options.kv_format;
  // Header, tensor list and a sample of every tensor: enough to tell models apart without reading
  // all.
  Sha256 sha;
  for (const engine::GgufTensor& tensor : file.tensors()) {
    sha.Update(tensor.name);
    sha.Update(tensor.ShapeString());
    sha.Update(tensor.data.first(std::min<std::size_t>(tensor.data.size(), 256)));
    sha.Update(tensor.data.last(std::min<std::size_t>(tensor.data.size(), 256)));
  }
  for (const engine::GgufValue& value : file.metadata()) {
    sha.Update(value.key);
    sha.Update(value.data.first(std::min<std::size_t>(value.data.size(), 4096)));
  }
  info.fingerprint = sha.Hex();
  return std::unique_ptr<LanguageModel>(std::move(model));
}

}  // namespace

Result<std::vector<TokenId>> LanguageModel::ChatOpening(std::string_view system,
                                                        std::string_view user) const {
  LIUBAI_ASSIGN_OR_RETURN(std::vector<TokenId> tokens, ChatStart(system));
  LIUBAI_ASSIGN_OR_RETURN(const auto first, ChatFirst(system, user));
  tokens.insert(tokens.end(), first.begin(), first.end());
  return tokens;
}

Result<TokenMask> LanguageModel::MaskFor(const Grammar&) const {
  return Status(StatusCode::kUnimplemented,
                fmt::format("the model {} cannot be held to a grammar", info().name));
}

std::string_view StopReasonName(StopReason reason) {
  switch (reason) {
    case StopReason::kEndOfTurn:
      return "end_of_turn";
    case StopReason::kStopString:
      return "stop_string";
    case StopReason::kMaxTokens:
      return "max_tokens";
    case StopReason::kContextFull:
      return "context_full";
    case StopReason::kCancelled:
      return "cancelled";
    case StopReason::kRejected:
      return "rejected";
  }
  return "unknown";
}

Result<std::unique_ptr<LanguageModel>> LoadLanguageModel(const std::string& path,
                                                         const LanguageModelOptions& options) {
  return LocalModel::Load(path, options);
}

}  // namespace liubai::inline v1
