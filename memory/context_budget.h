// memory/context_budget.h: how the window is divided, in real tokens, and how a text is made to
// fit.
//
//   window = system prompt and blocks + essences + turns + recalled + reply
//
// The first two take what they hold, up to their budgets; recalled and reply are set aside; turns
// have the rest. The sum never exceeds the window.
//
// Errors:  kInvalidArgument: a budget or a mark out of its range; kResourceExhausted: the parts
// leave
//          no room for turns. Every message gives the figures.
// Threads: free functions without state.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "liubai/agent.h"

namespace liubai::memory {

struct BudgetPlan {
  int window = 0;
  int blocks = 0;  // System prompt and blocks together.
  int essences = 0;
  int recalled = 0;
  int reply = 0;
  int least_turns = 0;  // Below this a conversation is impossible.
  double high_mark = 0;
  double low_mark = 0;

  // What turns may fill when the prefix holds `blocks_used` and `essences_used` tokens; never less
  // than least_turns when both keep to their budgets.
  int Turns(int blocks_used, int essences_used) const {
    return window - reply - recalled - blocks_used - essences_used;
  }
};

// `with_memory`: false for a sliding window, which sets nothing aside for essences and recall.
Result<BudgetPlan> PlanBudget(int window_tokens, const WindowBudgets& budgets, bool with_memory);

// The marks and the shares of a window as budgets; parts that are set stay as they are.
void ApplyPolicy(const CompactionPolicy& policy, int window_tokens, WindowBudgets* budgets);

// kResourceExhausted when the system prompt and the blocks are over their part, or when nothing is
// left for turns.
Status CheckPrefix(const BudgetPlan& plan, int system_tokens, int blocks_tokens,
                   int essences_tokens);

using CountTokens = std::function<int(std::string_view)>;

// `text`, or its head and its tail with a line between them that says where the whole is stored:
// at most `budget` tokens. `turn` 0: not named. A text of megabytes is not tokenised whole.
// REQUIRES: budget >= 32.
std::string FitText(std::string_view text, int budget, TurnId turn, const CountTokens& count,
                    bool* shortened);

// The last `bytes` of `text`, less a code point that they would cut in two.
std::string_view TailBytes(std::string_view text, std::size_t bytes);

// The longest head (tail) of `text` of at most `budget` tokens, cut between code points.
std::string_view HeadOfTokens(std::string_view text, int budget, const CountTokens& count);
std::string_view TailOfTokens(std::string_view text, int budget, const CountTokens& count);

}  // namespace liubai::memory
