#include "memory/context_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/macros.h"
#include "core/text.h"

namespace liubai::memory {
namespace {

constexpr int kLeastWindow = 256;
constexpr int kMostWindow = 1 << 20;
constexpr int kLeastPart = 40;
constexpr int kMostEssences = 8192;
constexpr int kMostRecalled = 2048;
// No tokenizer makes a token of more bytes than this from ordinary text; longer texts are cut
// before they are tokenised.
constexpr std::size_t kBytesPerToken = 16;

Result<int> Part(std::string_view name, int asked, int window, int share, int least, int most) {
  if (asked == 0) return std::clamp(window / share, least, most);
  if (asked < 0 || asked > window) {
    return Status(
        StatusCode::kInvalidArgument,
        fmt::format("budget {} is {} tokens; it must be 0..{} (the window)", name, asked, window));
  }
  return asked;
}

}  // namespace

Result<BudgetPlan> PlanBudget(int window_tokens, const WindowBudgets& budgets, bool with_memory) {
  if (window_tokens < kLeastWindow || window_tokens > kMostWindow) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("window_tokens is {}; it must be {}..{}", window_tokens, kLeastWindow,
                              kMostWindow));
  }
  if (!(budgets.low_mark > 0 && budgets.low_mark < budgets.high_mark && budgets.high_mark <= 1)) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("low_mark {} and high_mark {} must be 0 < low < high <= 1",
                              budgets.low_mark, budgets.high_mark));
  }
  BudgetPlan plan;
  plan.window = window_tokens;
  plan.high_mark = budgets.high_mark;
  plan.low_mark = budgets.low_mark;
  LIUBAI_ASSIGN_OR_RETURN(plan.blocks,
                          Part("blocks_tokens", budgets.blocks_tokens, window_tokens, 4, 64, 4096));
  LIUBAI_ASSIGN_OR_RETURN(plan.reply,
                          Part("reply_tokens", budgets.reply_tokens, window_tokens, 8, 32, 1024));
  if (with_memory) {
    LIUBAI_ASSIGN_OR_RETURN(plan.essences, Part("essences_tokens", budgets.essences_tokens,
                                                window_tokens, 6, kLeastPart, kMostEssences));
    LIUBAI_ASSIGN_OR_RETURN(plan.recalled, Part("recalled_tokens", budgets.recalled_tokens,
                                                window_tokens, 6, kLeastPart, kMostRecalled));
  }
  plan.least_turns = std::max(64, window_tokens / 8);
  const int left = plan.Turns(plan.blocks, plan.essences);
  if (left < plan.least_turns) {
    return Status(
        StatusCode::kResourceExhausted,
        fmt::format("a window of {} tokens is too small for its parts: blocks {}, essences "
                    "{}, recalled {}, reply {} leave {} for turns, and {} are needed",
                    window_tokens, plan.blocks, plan.essences, plan.recalled, plan.reply, left,
                    plan.least_turns));
  }
  return plan;
}

void ApplyPolicy(const CompactionPolicy& policy, int window_tokens, WindowBudgets* budgets) {
  budgets->high_mark = policy.high_mark;
  budgets->low_mark = policy.low_mark;
  const auto part = [&](double share, int most) {
    return std::clamp(static_cast<int>(share * window_tokens), kLeastPart, most);
  };
  if (budgets->essences_tokens == 0) {
    budgets->essences_tokens = part(policy.essences_share, kMostEssences);
  }
  if (budgets->recalled_tokens == 0) {
    budgets->recalled_tokens = part(policy.recalled_share, kMostRecalled);
  }
}

Status CheckPrefix(const BudgetPlan& plan, int system_tokens, int blocks_tokens,
                   int essences_tokens) {
  if (system_tokens + blocks_tokens > plan.blocks) {
    return Status(
        StatusCode::kResourceExhausted,
        fmt::format("the system prompt ({} tokens) and the memory blocks ({} tokens) need {} "
                    "tokens; their part of the window of {} tokens is {}",
                    system_tokens, blocks_tokens, system_tokens + blocks_tokens, plan.window,
                    plan.blocks));
  }
  const int left = plan.Turns(system_tokens + blocks_tokens, essences_tokens);
  if (left < plan.least_turns) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("the window of {} tokens has {} left for turns beside blocks ({}), "
                              "essences ({}), recalled ({}) and reply ({}); {} are needed",
                              plan.window, left, system_tokens + blocks_tokens, essences_tokens,
                              plan.recalled, plan.reply, plan.least_turns));
  }
  return Status();
}

std::string_view TailBytes(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t begin = text.size() - bytes;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  return text.substr(begin);
}

std::string_view HeadOfTokens(std::string_view text, int budget, const CountTokens& count) {
  std::string_view head =
      TruncateUtf8(text, static_cast<std::size_t>(std::max(budget, 0)) * kBytesPerToken);
  // Towards the budget by proportion, then the last steps by what is over.
  for (int tokens = count(head); tokens > budget && !head.empty(); tokens = count(head)) {
    const std::size_t fair = head.size() * static_cast<std::size_t>(std::max(budget, 0)) /
                             static_cast<std::size_t>(tokens);
    head = TruncateUtf8(head, std::min(fair, head.size() - 1));
  }
  return head;
}

std::string_view TailOfTokens(std::string_view text, int budget, const CountTokens& count) {
  std::string_view tail =
      TailBytes(text, static_cast<std::size_t>(std::max(budget, 0)) * kBytesPerToken);
  for (int tokens = count(tail); tokens > budget && !tail.empty(); tokens = count(tail)) {
    const std::size_t fair = tail.size() * static_cast<std::size_t>(std::max(budget, 0)) /
                             static_cast<std::size_t>(tokens);
    tail = TailBytes(tail, std::min(fair, tail.size() - 1));
  }
  return tail;
}

std::string FitText(std::string_view text, int budget, TurnId turn, const CountTokens& count,
                    bool* shortened) {
  if (shortened != nullptr) *shortened = false;
  if (text.size() <= static_cast<std::size_t>(budget) * kBytesPerToken && count(text) <= budget) {
    return std::string(text);
  }
  if (shortened != nullptr) *shortened = true;
  const std::string note =
      turn == 0
          ? std::string("\n[… the middle is left out …]\n")
          : fmt::format("\n[… the middle is left out; the whole is stored as turn {} …]\n", turn);
  int room = std::max(budget - count(note), 8);
  while (true) {
    const std::string_view head = HeadOfTokens(text, room * 2 / 3, count);
    const std::string_view tail =
        TailOfTokens(text.substr(head.size()), room - room * 2 / 3, count);
    std::string fitted = fmt::format("{}{}{}", head, note, tail);
    // Tokens may merge or split where the parts meet.
    const int over = count(fitted) - budget;
    if (over <= 0 || room <= 8) return fitted;
    room -= over;
    room = std::max(room, 8);
  }
}

}  // namespace liubai::memory
