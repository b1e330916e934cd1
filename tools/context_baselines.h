// tools/context_baselines.h: what people do without a memory: a sliding window, summaries one after
// another, a summary of summaries. Each keeps a conversation in as many tokens as it is given.
//
//   sliding window      the last turns that fit
//   plain summary       turns that leave are summarised part by part; the summaries stand one after
//                       another, and the oldest go when their share is full
//   recursive summary   the summary so far and the turns that leave are summarised together
//
// A summary has a third of the tokens. Turns leave when the rest is full, down to half of it.
//
// Errors:  those of the model that summarises.
// Threads: one thread.
// Units:   *_tokens by `count`.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/language_model.h"
#include "liubai/records.h"
#include "memory/context_budget.h"

namespace liubai::tools {

enum class BaselineKind : std::uint8_t { kSlidingWindow, kPlainSummary, kRecursiveSummary };
inline constexpr BaselineKind kBaselines[] = {
    BaselineKind::kSlidingWindow, BaselineKind::kPlainSummary, BaselineKind::kRecursiveSummary};
std::string_view BaselineName(BaselineKind kind);  // "sliding window", …

// The turns, and before them what was summarised already (may be empty), in at most `max_tokens`.
using SummariseTurns = std::function<Result<std::string>(
    std::string_view before, const std::vector<Turn>& turns, int max_tokens, std::stop_token stop)>;
// By our own choice of sentences.
SummariseTurns ExtractiveSummaries(memory::CountTokens count);
// By `model`, which outlives the function, on a context of its own.
SummariseTurns ModelSummaries(LanguageModel& model);

class ContextBaseline {
 public:
  ContextBaseline(BaselineKind kind, int budget_tokens, memory::CountTokens count,
                  SummariseTurns summarise);

  Status Add(const Turn& turn, std::stop_token stop);

  BaselineKind kind() const { return kind_; }
  std::string Summary() const;
  // Verbatim, oldest first; of a turn that is too long, its ends.
  const std::deque<Turn>& turns() const { return turns_; }
  // All of it, a line a turn.
  std::string Text() const;
  int tokens() const;

 private:
  int TurnTokens(const Turn& turn) const;
  int TurnsBudget() const;
  Status Summarise(std::vector<Turn> leaving, std::stop_token stop);

  BaselineKind kind_;
  int budget_;
  memory::CountTokens count_;
  SummariseTurns summarise_;
  std::deque<Turn> turns_;
  std::deque<int> turn_tokens_;
  int turns_tokens_ = 0;
  std::deque<std::string> summaries_;  // One, when they are recursive.
};

}  // namespace liubai::tools
