// tools/replay_model.h: a language model whose replies are given, so that a conversation that is
// known runs through an agent as it was: committed, recalled for, rendered, compacted.
//
// Over a real model it has that model's tokens and chat format, and what is generated on a fork of
// a context (a summary) is that model's own. Without one, a token is a short piece of a word, a
// number of up to three digits or one character of another script.
//
// Errors:  kUnimplemented for a generation on a fork without a real model, for batches and scores.
// Threads: as LanguageModel; GiveReply may be called from any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/language_model.h"

namespace liubai::tools {

class ReplayModel final : public LanguageModel {
 public:
  // `real` may be null and outlives this one; `context_tokens` is the window without it.
  ReplayModel(LanguageModel* real, int context_tokens);

  // What the next generation that is not on a fork says; as much of it as its limit allows.
  void GiveReply(std::string text);
  // The prompt of the last such generation.
  std::vector<Segment> last_prompt() const;

  const ModelInfo& info() const override { return info_; }
  std::vector<TokenId> Tokenize(std::string_view text) const override;
  std::vector<TokenId> TokenizeWithControls(std::string_view text, bool add_special) const override;
  std::string Detokenize(std::span<const TokenId> tokens) const override;
  Result<std::vector<TokenId>> ChatStart(std::string_view system) const override;
  Result<std::vector<TokenId>> ChatFirst(std::string_view system,
                                         std::string_view user) const override;
  Result<std::vector<TokenId>> ChatMessage(std::string_view role,
                                           std::string_view content) const override;
  Result<std::vector<TokenId>> ChatReplyHeader() const override;
  Result<std::vector<TokenId>> ChatMessageEnd() const override;
  Result<std::unique_ptr<Context>> NewContext() override;
  Result<std::vector<Generation>> GenerateBatch(std::span<const BatchItem> items,
                                                std::stop_token stop) override;
  Result<Score> ScoreTokens(std::span<const TokenId> tokens, std::stop_token stop) override;

 private:
  class ReplayContext;
  TokenId Intern(std::string_view piece) const;  // REQUIRES: mutex_ is held.

  LanguageModel* real_;
  ModelInfo info_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, TokenId, std::less<>> ids_;
  mutable std::vector<std::string> pieces_;
  std::string reply_;
  std::vector<Segment> last_prompt_;
};

}  // namespace liubai::tools
