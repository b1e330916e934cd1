#include "liubai/embedder.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>

#include "core/macros.h"
#include "core/text.h"
#include "core/thread_pool.h"
#include "engine/encoder.h"
#include "engine/tokenizer.h"

namespace liubai::inline v1 {
namespace {

constexpr int kMaxThreads = 256;
// A batch's activations stay in a core's second-level cache.
constexpr std::int64_t kBatchTokens = 256;
// Fewer tokens than this are encoded by the calling thread alone: what a team would win, the
// threads' meetings cost, and on a busy machine they cost far more.
constexpr std::int64_t kAloneTokens = 128;

class LocalEmbedder final : public Embedder {
 public:
  static Result<std::unique_ptr<Embedder>> Load(const std::string& path,
                                                const EmbedderOptions& options);

  const std::string& id() const override { return id_; }
  const std::string& name() const override { return encoder_->config().name; }
  int dimension() const override { return encoder_->config().width; }
  int max_tokens() const override { return encoder_->config().max_tokens; }

  Result<int> CountTokens(std::string_view text, EmbedKind kind) const override;
  Result<double> UnknownShare(std::string_view text) const override;
  Result<std::vector<float>> Embed(std::span<const std::string_view> texts, EmbedKind kind,
                                   std::stop_token stop) const override;
  Result<std::vector<TokenVectors>> EmbedTokens(std::span<const std::string_view> texts,
                                                EmbedKind kind,
                                                std::stop_token stop) const override;

 private:
  LocalEmbedder() = default;
  const std::string& Prefix(EmbedKind kind) const {
    static const std::string none;
    const engine::EncoderConfig& config = encoder_->config();
    return kind == EmbedKind::kQuery     ? config.query_prefix
           : kind == EmbedKind::kPassage ? config.passage_prefix
                                         : none;
  }
  // Checks the text; ids come with the prefix and the special tokens.
  Result<engine::EncodedText> Encode(std::string_view text, EmbedKind kind) const;
  // All of them, each within max_tokens().
  Result<std::vector<engine::EncodedText>> EncodeAll(std::span<const std::string_view> texts,
                                                     EmbedKind kind) const;
  // Encodes all texts; take(i, hidden [tokens, width]) is called once for each, from any thread.
  template <class Take>
  Status Run(const std::vector<engine::EncodedText>& texts, std::stop_token stop,
             const Take& take) const;

  std::unique_ptr<ThreadPool> threads_;
  std::unique_ptr<engine::Encoder> encoder_;
  std::unique_ptr<engine::Tokenizer> tokenizer_;
  std::string id_;
  mutable std::mutex mutex_;  // Guards the threads and the workspaces.
  mutable std::vector<engine::Encoder::WorkspacePtr> workspaces_;  // [threads]
};

Result<std::unique_ptr<Embedder>> LocalEmbedder::Load(const std::string& path,
                                                      const EmbedderOptions& options) {
  if (options.threads < 0 || options.threads > kMaxThreads) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("threads is {}; it must be 0..{}", options.threads, kMaxThreads));
  }
  std::unique_ptr<LocalEmbedder> embedder(new LocalEmbedder());
  embedder->threads_ = std::make_unique<ThreadPool>(
      options.threads == 0 ? std::min(AvailableCores(), kMaxThreads) : options.threads);
  LIUBAI_ASSIGN_OR_RETURN(embedder->encoder_,
                          engine::Encoder::Load(path, options.exact, *embedder->threads_));
  auto data = engine::LoadTokenizerData(embedder->encoder_->file());
  if (!data.ok()) return data.status().WithContext(path);
  auto tokenizer = engine::Tokenizer::Create(*data);
  if (!tokenizer.ok()) return tokenizer.status().WithContext(path);
  embedder->tokenizer_ = std::move(tokenizer).value();
  const engine::EncoderConfig& config = embedder->encoder_->config();
  if (embedder->tokenizer_->vocab_size() > config.vocabulary) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("{}: {} tokens, but token_embd.weight has {} rows", path,
                              embedder->tokenizer_->vocab_size(), config.vocabulary));
  }
  embedder->id_ = fmt::format("{}-{}", config.name, embedder->encoder_->fingerprint());
  for (int i = 0; i < embedder->threads_->size(); ++i) {
    embedder->workspaces_.push_back(engine::Encoder::NewWorkspace());
  }
  return std::unique_ptr<Embedder>(std::move(embedder));
}

Result<engine::EncodedText> LocalEmbedder::Encode(std::string_view text, EmbedKind kind) const {
  LIUBAI_RETURN_IF_ERROR(CheckText(text, "the text to embed"));
  return tokenizer_->EncodeWithOffsets(Prefix(kind) + std::string(text), {.add_special = true});
}

Result<int> LocalEmbedder::CountTokens(std::string_view text, EmbedKind kind) const {
  LIUBAI_ASSIGN_OR_RETURN(const engine::EncodedText encoded, Encode(text, kind));
  return static_cast<int>(encoded.ids.size());
}

Result<double> LocalEmbedder::UnknownShare(std::string_view text) const {
  LIUBAI_RETURN_IF_ERROR(CheckText(text, "the text to embed"));
  const std::vector<TokenId> ids = tokenizer_->Encode(text);
  if (ids.empty()) return 0.0;
  return static_cast<double>(std::ranges::count(ids, tokenizer_->unk())) /
         static_cast<double>(ids.size());
}

template <class Take>
Status LocalEmbedder::Run(const std::vector<engine::EncodedText>& texts, std::stop_token stop,
                          const Take& take) const {
  LIUBAI_RETURN_IF_ERROR(encoder_->file().CheckUnchanged());
  // Longest first: the batches at the end are short, and the threads finish together.
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return texts[a].ids.size() > texts[b].ids.size();
  });
  std::int64_t total = 0;
  for (const auto& text : texts) total += static_cast<std::int64_t>(text.ids.size());
  const int members = threads_->size();
  const bool alone = members == 1 || total < kAloneTokens;
  const bool team = !alone && texts.size() == 1;
  const std::int64_t limit =
      team || alone ? kBatchTokens : std::min(kBatchTokens, total / members + 1);

  struct Work {
    engine::EncoderBatch batch;
    std::vector<std::size_t> texts;
  };
  std::vector<Work> batches;
  for (const std::size_t i : order) {
    const auto& ids = texts[i].ids;
    if (batches.empty() ||
        batches.back().batch.tokens() + static_cast<std::int64_t>(ids.size()) > limit) {
      batches.emplace_back();
      batches.back().batch.begin.push_back(0);
    }
    Work& work = batches.back();
    work.batch.ids.insert(work.batch.ids.end(), ids.begin(), ids.end());
    work.batch.begin.push_back(work.batch.tokens());
    work.texts.push_back(i);
  }

  std::lock_guard<std::mutex> lock(mutex_);
  const auto hand_out = [&](const Work& work, const engine::Encoder::Workspace& workspace) {
    for (std::size_t i = 0; i < work.texts.size(); ++i) {
      take(work.texts[i],
           engine::Encoder::Hidden(workspace) + work.batch.begin[i] * encoder_->config().width);
    }
  };
  if (team || alone) {
    engine::Encoder::Workspace& workspace = *workspaces_[0];
    for (const Work& work : batches) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "embedding was cancelled");
      encoder_->Prepare(work.batch, team ? members : 1, workspace);
      if (team) {
        threads_->Run([&](int member) {
          encoder_->Forward(work.batch, member, members, *threads_, workspace);
        });
      } else {
        encoder_->Forward(work.batch, 0, 1, *threads_, workspace);
      }
      hand_out(work, workspace);
    }
    return Status();
  }
  std::atomic<std::size_t> next{0};
  std::atomic<bool> cancelled{false};
  threads_->Run([&](int member) {
    engine::Encoder::Workspace& workspace = *workspaces_[static_cast<std::size_t>(member)];
    for (;;) {
      const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= batches.size()) return;
      if (stop.stop_requested()) {
        cancelled = true;
        return;
      }
      encoder_->Prepare(batches[i].batch, 1, workspace);
      encoder_->Forward(batches[i].batch, 0, 1, *threads_, workspace);
      hand_out(batches[i], workspace);
    }
  });
  if (cancelled) return Status(StatusCode::kCancelled, "embedding was cancelled");
  return Status();
}

Result<std::vector<engine::EncodedText>> LocalEmbedder::EncodeAll(
    std::span<const std::string_view> texts, EmbedKind kind) const {
  std::vector<engine::EncodedText> encoded(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    LIUBAI_ASSIGN_OR_RETURN(encoded[i], Encode(texts[i], kind));
    if (encoded[i].ids.size() > static_cast<std::size_t>(max_tokens())) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("text {} of {} has {} tokens; {} takes at most {}", i + 1,
                                texts.size(), encoded[i].ids.size(), name(), max_tokens()));
    }
  }
  return encoded;
}

Result<std::vector<float>> LocalEmbedder::Embed(std::span<const std::string_view> texts,
                                                EmbedKind kind, std::stop_token stop) const {
  const auto width = static_cast<std::size_t>(dimension());
  LIUBAI_ASSIGN_OR_RETURN(const auto encoded, EncodeAll(texts, kind));
  std::vector<float> out(texts.size() * width);
  std::atomic<bool> finite{true};
  LIUBAI_RETURN_IF_ERROR(Run(encoded, stop, [&](std::size_t i, const float* hidden) {
    float* mean = out.data() + i * width;
    const std::size_t tokens = encoded[i].ids.size();
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t d = 0; d < width; ++d) mean[d] += hidden[t * width + d];
    }
    double squares = 0;
    for (std::size_t d = 0; d < width; ++d) {
      squares += static_cast<double>(mean[d]) * static_cast<double>(mean[d]);
    }
    if (!std::isfinite(squares)) finite = false;
    const float scale = squares > 0 ? static_cast<float>(1.0 / std::sqrt(squares)) : 0.0f;
    for (std::size_t d = 0; d < width; ++d) mean[d] *= scale;
  }));
  if (!finite) {
    return Status(StatusCode::kNumericError,
                  fmt::format("{} computed a vector that is not finite", name()));
  }
  return out;
}

Result<std::vector<TokenVectors>> LocalEmbedder::EmbedTokens(
    std::span<const std::string_view> texts, EmbedKind kind, std::stop_token stop) const {
  const auto width = static_cast<std::size_t>(dimension());
  const auto prefix = static_cast<std::uint32_t>(Prefix(kind).size());
  LIUBAI_ASSIGN_OR_RETURN(const auto encoded, EncodeAll(texts, kind));
  std::vector<TokenVectors> out(texts.size());
  std::atomic<bool> finite{true};
  LIUBAI_RETURN_IF_ERROR(Run(encoded, stop, [&](std::size_t i, const float* hidden) {
    const engine::EncodedText& text = encoded[i];
    TokenVectors& vectors = out[i];
    for (std::size_t t = 0; t < text.ids.size(); ++t) {
      // Special tokens are empty ranges; what ends inside the prefix belongs to it.
      if (text.begin[t] == text.end[t] || text.end[t] <= prefix) continue;
      vectors.begin.push_back(std::max(text.begin[t], prefix) - prefix);
      vectors.end.push_back(text.end[t] - prefix);
      const float* row = hidden + t * width;
      if (!std::all_of(row, row + width, [](float value) { return std::isfinite(value); })) {
        finite = false;
      }
      vectors.vectors.insert(vectors.vectors.end(), row, row + width);
    }
  }));
  if (!finite) {
    return Status(StatusCode::kNumericError,
                  fmt::format("{} computed a vector that is not finite", name()));
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<Embedder>> LoadEmbedder(const std::string& path,
                                               const EmbedderOptions& options) {
  return LocalEmbedder::Load(path, options);
}

}  // namespace liubai::inline v1
