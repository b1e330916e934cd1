// tests/memory/scripted_model.h: a LanguageModel whose replies a test decides, and which keeps what
// it was given, so that the controller's own behaviour can be tested without weights.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/language_model.h"

namespace liubai {

class ScriptedModel : public LanguageModel {
 public:
  // Called with the whole prompt as text; what it returns is streamed word by word.
  using Script = std::function<Result<std::string>(const std::string& prompt)>;

  explicit ScriptedModel(int context_tokens = 4096) {
    info_.name = "scripted";
    // Its vocabulary grows with its use: token ids mean the same to no other model, and to none of
    // another process.
    info_.fingerprint = "scripted-" + std::to_string(std::random_device()());
    info_.context_tokens = context_tokens;
  }

  Script script = [](const std::string&) -> Result<std::string> {
    return std::string("All right.");
  };
  std::function<void()> before_token;  // Called before each word of a reply.

  // The prompts of every generation, summaries included, as text and as a number of tokens.
  struct Call {
    std::string prompt;
    int tokens = 0;
    int prefilled = 0;
    std::vector<Segment> segments;
  };
  std::vector<Call> calls() const {
    std::lock_guard lock(mutex_);
    return calls_;
  }
  Call last() const {
    std::lock_guard lock(mutex_);
    return calls_.empty() ? Call{} : calls_.back();
  }

  const ModelInfo& info() const override { return info_; }
  ModelInfo& mutable_info() { return info_; }

  // A token is a run of at most 8 bytes of one word, its leading space included; a multi-byte
  // character is never cut.
  std::vector<TokenId> Tokenize(std::string_view text) const override {
    std::lock_guard lock(mutex_);
    std::vector<TokenId> tokens;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != ' ' && text[end] != '\n' &&
             (end - at < 8 || (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80))
        ++end;
      tokens.push_back(Intern(text.substr(at, end - at)));
      at = end;
    }
    return tokens;
  }
  std::vector<TokenId> TokenizeWithControls(std::string_view text, bool) const override {
    return Tokenize(text);
  }
  std::string Detokenize(std::span<const TokenId> tokens) const override {
    std::lock_guard lock(mutex_);
    std::string text;
    for (TokenId token : tokens) text += pieces_.at(static_cast<std::size_t>(token));
    return text;
  }
  Result<std::vector<TokenId>> ChatStart(std::string_view system) const override {
    return ScriptedModel::ChatMessage("system", system);
  }
  Result<std::vector<TokenId>> ChatFirst(std::string_view, std::string_view user) const override {
    return ScriptedModel::ChatMessage("user", user);
  }
  Result<std::vector<TokenId>> ChatMessage(std::string_view role,
                                           std::string_view content) const override {
    std::vector<TokenId> tokens = {Control("<" + std::string(role) + ">")};
    const auto body = Tokenize(content);
    tokens.insert(tokens.end(), body.begin(), body.end());
    tokens.push_back(Control("<end>\n"));
    return tokens;
  }
  Result<std::vector<TokenId>> ChatReplyHeader() const override {
    return std::vector<TokenId>{Control("<assistant>")};
  }
  Result<std::vector<TokenId>> ChatMessageEnd() const override {
    return std::vector<TokenId>{Control("<end>\n")};
  }
  Result<std::unique_ptr<Context>> NewContext() override {
    return std::unique_ptr<Context>(new ScriptedContext(*this));
  }
  Result<std::vector<Generation>> GenerateBatch(std::span<const BatchItem>,
                                                std::stop_token) override {
    return Status(StatusCode::kUnimplemented, "scripted");
  }
  Result<Score> ScoreTokens(std::span<const TokenId>, std::stop_token) override {
    return Status(StatusCode::kUnimplemented, "scripted");
  }

 private:
  class ScriptedContext final : public Context {
   public:
    explicit ScriptedContext(ScriptedModel& model) : model_(model) {}

    Status SetSegments(std::vector<Segment> segments) override {
      segments_ = std::move(segments);
      const auto tokens = Flat();
      if (static_cast<int>(tokens.size()) > model_.info_.context_tokens) {
        return Status(StatusCode::kInvalidArgument, "the list is longer than the capacity");
      }
      std::size_t same = 0;
      while (same < computed_.size() && same < tokens.size() && computed_[same] == tokens[same])
        ++same;
      computed_.resize(same);
      return Status();
    }
    Status Append(Segment segment) override {
      segments_.push_back(std::move(segment));
      return Status();
    }
    const std::vector<Segment>& segments() const override { return segments_; }
    ContextStats stats() const override {
      ContextStats stats;
      stats.tokens = static_cast<int>(Flat().size());
      stats.computed_tokens = static_cast<int>(computed_.size());
      stats.capacity_tokens = model_.info_.context_tokens;
      stats.pages = (stats.tokens + 15) / 16;
      stats.pool_pages = 100'000;
      stats.pool_free_pages = 100'000 - stats.pages;
      return stats;
    }
    Status Prefill(std::stop_token stop) override {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "prefill cancelled");
      computed_ = Flat();
      return Status();
    }
    Result<Generation> Generate(const SamplingParams& sampling, const OnText& on_text,
                                std::stop_token stop) override {
      Generation out;
      const auto prompt = Flat();
      out.prompt_tokens = static_cast<int>(prompt.size());
      out.prefilled_tokens = static_cast<int>(prompt.size() - computed_.size());
      computed_ = prompt;
      const std::string text = model_.Detokenize(prompt);
      {
        std::lock_guard lock(model_.mutex_);
        model_.calls_.push_back({text, out.prompt_tokens, out.prefilled_tokens, segments_});
      }
      auto reply = model_.script(text);
      if (!reply.ok()) return reply.status();
      for (const TokenId token : model_.Tokenize(*reply)) {
        if (model_.before_token) model_.before_token();
        if (stop.stop_requested()) {
          out.reason = StopReason::kCancelled;
          break;
        }
        if (static_cast<int>(out.tokens.size()) == sampling.max_tokens) {
          out.reason = StopReason::kMaxTokens;
          break;
        }
        const std::string piece = model_.Detokenize(std::span(&token, 1));
        out.tokens.push_back(token);
        out.text += piece;
        segments_.back().tokens.push_back(token);
        computed_.push_back(token);
        if (on_text && !on_text(piece)) {
          out.reason = StopReason::kCancelled;
          break;
        }
      }
      return out;
    }
    Result<std::vector<float>> NextLogits(std::stop_token) override {
      return Status(StatusCode::kUnimplemented, "scripted");
    }
    Result<std::unique_ptr<Context>> Fork() const override {
      auto copy = std::make_unique<ScriptedContext>(model_);
      copy->segments_ = segments_;
      copy->computed_ = computed_;
      return std::unique_ptr<Context>(std::move(copy));
    }

   private:
    std::vector<TokenId> Flat() const {
      std::vector<TokenId> tokens;
      for (const Segment& segment : segments_)
        tokens.insert(tokens.end(), segment.tokens.begin(), segment.tokens.end());
      return tokens;
    }
    ScriptedModel& model_;
    std::vector<Segment> segments_;
    std::vector<TokenId> computed_;
  };

  TokenId Control(const std::string& name) const {
    std::lock_guard lock(mutex_);
    return Intern(name);
  }
  TokenId Intern(std::string_view piece) const {
    const auto [at, added] =
        ids_.try_emplace(std::string(piece), static_cast<TokenId>(pieces_.size()));
    if (added) pieces_.emplace_back(piece);
    return at->second;
  }

  ModelInfo info_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, TokenId, std::less<>> ids_;
  mutable std::vector<std::string> pieces_;
  std::vector<Call> calls_;
};

}  // namespace liubai
