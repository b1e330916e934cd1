#include "tools/replay_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/macros.h"
#include "core/text.h"

namespace liubai::tools {
namespace {

constexpr std::size_t kLettersOfToken = 6;
constexpr std::size_t kDigitsOfToken = 3;

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }

// How long the token at the head of `text` is; a blank belongs to the word behind it.
std::size_t TokenBytes(std::string_view text) {
  const std::size_t blank =
      text.front() == ' ' && text.size() > 1 && IsAsciiLetter(text[1]) ? 1 : 0;
  std::size_t end = blank;
  while (end < text.size() && end - blank < kLettersOfToken && IsAsciiLetter(text[end])) ++end;
  if (end > blank) return end;
  while (end < text.size() && end < kDigitsOfToken && IsAsciiDigit(text[end])) ++end;
  return end > 0 ? end : DecodeUtf8(text, 0).length;
}

int TokensOf(const std::vector<Segment>& segments) {
  std::size_t tokens = 0;
  for (const Segment& segment : segments) tokens += segment.tokens.size();
  return static_cast<int>(tokens);
}

}  // namespace

class ReplayModel::ReplayContext final : public Context {
 public:
  ReplayContext(ReplayModel& model, std::vector<Segment> segments, bool fork)
      : model_(model), segments_(std::move(segments)), fork_(fork) {}

  Status SetSegments(std::vector<Segment> segments) override {
    if (const int tokens = TokensOf(segments); tokens > model_.info_.context_tokens) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("the context is given {} tokens and has room for {}", tokens,
                                model_.info_.context_tokens));
    }
    segments_ = std::move(segments);
    return Status();
  }
  Status Append(Segment segment) override {
    std::vector<Segment> longer = segments_;
    longer.push_back(std::move(segment));
    return SetSegments(std::move(longer));
  }
  const std::vector<Segment>& segments() const override { return segments_; }
  ContextStats stats() const override {
    ContextStats stats;
    stats.tokens = stats.computed_tokens = TokensOf(segments_);
    stats.capacity_tokens = model_.info_.context_tokens;
    return stats;
  }
  Status Prefill(std::stop_token stop) override {
    if (stop.stop_requested()) return Status(StatusCode::kCancelled, "prefill cancelled");
    return Status();
  }
  Result<Generation> Generate(const SamplingParams& sampling, const OnText& on_text,
                              std::stop_token stop) override {
    if (segments_.empty()) return Status(StatusCode::kFailedPrecondition, "the context is empty");
    if (fork_) return Summary(sampling, on_text, stop);
    std::string reply;
    {
      std::lock_guard lock(model_.mutex_);
      reply = std::exchange(model_.reply_, {});
      model_.last_prompt_ = segments_;
    }
    Generation out;
    out.prompt_tokens = TokensOf(segments_);
    std::vector<TokenId> tokens = model_.Tokenize(reply);
    if (static_cast<int>(tokens.size()) > sampling.max_tokens) {
      tokens.resize(static_cast<std::size_t>(sampling.max_tokens));
      reply = model_.Detokenize(tokens);
      reply.resize(CompleteUtf8Prefix(reply));
      out.reason = StopReason::kMaxTokens;
    }
    segments_.back().tokens.insert(segments_.back().tokens.end(), tokens.begin(), tokens.end());
    out.tokens = std::move(tokens);
    out.text = std::move(reply);
    if (on_text && !out.text.empty() && !on_text(out.text)) out.reason = StopReason::kCancelled;
    return out;
  }
  Result<std::vector<float>> NextLogits(std::stop_token) override {
    return Status(StatusCode::kUnimplemented, "a replayed conversation has no logits");
  }
  Result<std::unique_ptr<Context>> Fork() const override {
    return std::unique_ptr<Context>(new ReplayContext(model_, segments_, true));
  }

 private:
  Result<Generation> Summary(const SamplingParams& sampling, const OnText& on_text,
                             std::stop_token stop) {
    if (model_.real_ == nullptr) {
      return Status(StatusCode::kUnimplemented, "nothing is generated without a model");
    }
    LIUBAI_ASSIGN_OR_RETURN(const auto context, model_.real_->NewContext());
    LIUBAI_RETURN_IF_ERROR(context->SetSegments(segments_));
    return context->Generate(sampling, on_text, stop);
  }

  ReplayModel& model_;
  std::vector<Segment> segments_;
  const bool fork_;
};

ReplayModel::ReplayModel(LanguageModel* real, int context_tokens) : real_(real) {
  if (real_ != nullptr) {
    info_ = real_->info();
  } else {
    info_.name = "replay";
    info_.architecture = "none";
    info_.fingerprint = "replay-1";
    info_.context_tokens = info_.trained_context_tokens = context_tokens;
  }
}

void ReplayModel::GiveReply(std::string text) {
  std::lock_guard lock(mutex_);
  reply_ = std::move(text);
}

std::vector<Segment> ReplayModel::last_prompt() const {
  std::lock_guard lock(mutex_);
  return last_prompt_;
}

TokenId ReplayModel::Intern(std::string_view piece) const {
  const auto known = ids_.find(piece);
  if (known != ids_.end()) return known->second;
  const auto id = static_cast<TokenId>(pieces_.size());
  ids_.emplace(piece, id);
  pieces_.emplace_back(piece);
  return id;
}

std::vector<TokenId> ReplayModel::Tokenize(std::string_view text) const {
  if (real_ != nullptr) return real_->Tokenize(text);
  std::lock_guard lock(mutex_);
  std::vector<TokenId> tokens;
  while (!text.empty()) {
    const std::size_t bytes = TokenBytes(text);
    tokens.push_back(Intern(text.substr(0, bytes)));
    text.remove_prefix(bytes);
  }
  return tokens;
}

std::vector<TokenId> ReplayModel::TokenizeWithControls(std::string_view text,
                                                       bool add_special) const {
  return real_ != nullptr ? real_->TokenizeWithControls(text, add_special) : Tokenize(text);
}

std::string ReplayModel::Detokenize(std::span<const TokenId> tokens) const {
  if (real_ != nullptr) return real_->Detokenize(tokens);
  std::lock_guard lock(mutex_);
  std::string text;
  for (const TokenId token : tokens) text += pieces_.at(static_cast<std::size_t>(token));
  return text;
}

Result<std::vector<TokenId>> ReplayModel::ChatStart(std::string_view system) const {
  if (real_ != nullptr) return real_->ChatStart(system);
  return ReplayModel::ChatMessage("system", system);
}

Result<std::vector<TokenId>> ReplayModel::ChatFirst(std::string_view system,
                                                    std::string_view user) const {
  if (real_ != nullptr) return real_->ChatFirst(system, user);
  return ReplayModel::ChatMessage("user", user);
}

Result<std::vector<TokenId>> ReplayModel::ChatMessage(std::string_view role,
                                                      std::string_view content) const {
  if (real_ != nullptr) return real_->ChatMessage(role, content);
  std::vector<TokenId> tokens = Tokenize(content);
  std::lock_guard lock(mutex_);
  tokens.insert(tokens.begin(), Intern(fmt::format("<{}>", role)));
  tokens.push_back(Intern("<end>\n"));
  return tokens;
}

Result<std::vector<TokenId>> ReplayModel::ChatReplyHeader() const {
  if (real_ != nullptr) return real_->ChatReplyHeader();
  std::lock_guard lock(mutex_);
  return std::vector<TokenId>{Intern("<assistant>")};
}

Result<std::vector<TokenId>> ReplayModel::ChatMessageEnd() const {
  if (real_ != nullptr) return real_->ChatMessageEnd();
  std::lock_guard lock(mutex_);
  return std::vector<TokenId>{Intern("<end>\n")};
}

Result<std::unique_ptr<Context>> ReplayModel::NewContext() {
  return std::unique_ptr<Context>(new ReplayContext(*this, {}, false));
}

Result<std::vector<Generation>> ReplayModel::GenerateBatch(std::span<const BatchItem>,
                                                           std::stop_token) {
  return Status(StatusCode::kUnimplemented, "a replayed conversation is not generated in batches");
}

Result<LanguageModel::Score> ReplayModel::ScoreTokens(std::span<const TokenId>, std::stop_token) {
  return Status(StatusCode::kUnimplemented, "a replayed conversation is not scored");
}

}  // namespace liubai::tools
