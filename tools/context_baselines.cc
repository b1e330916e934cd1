#include "tools/context_baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/macros.h"
#include "core/text.h"
#include "memory/essence.h"

namespace liubai::tools {
namespace {

constexpr int kAroundTurn = 4;  // Header and end of a message.
constexpr int kSummaryShare = 3;
constexpr int kPlainParts = 4;  // Summaries of parts that have room beside one another.

std::string Line(const Turn& turn) {
  return fmt::format("{}: {}", memory::SpeakerOf(turn), turn.text);
}

// A summary that is summarised again does not name its speakers twice.
std::string WithoutLabels(std::string_view text) {
  std::string plain(text);
  for (const std::string_view label : {"User: ", "Assistant: "}) {
    for (std::size_t at; (at = plain.find(label)) != std::string::npos;) {
      plain.erase(at, label.size());
    }
  }
  return plain;
}

}  // namespace

std::string_view BaselineName(BaselineKind kind) {
  switch (kind) {
    case BaselineKind::kSlidingWindow:
      return "sliding window";
    case BaselineKind::kPlainSummary:
      return "plain summary";
    case BaselineKind::kRecursiveSummary:
      break;
  }
  return "recursive summary";
}

SummariseTurns ExtractiveSummaries(memory::CountTokens count) {
  return [count = std::move(count)](std::string_view before, const std::vector<Turn>& turns,
                                    int max_tokens, std::stop_token) -> Result<std::string> {
    std::vector<Turn> all;
    if (!before.empty()) {
      all.emplace_back().text = WithoutLabels(before);
      all.back().role = Role::kUser;
    }
    all.insert(all.end(), turns.begin(), turns.end());
    return memory::ExtractSummary(all, max_tokens, count);
  };
}

SummariseTurns ModelSummaries(LanguageModel& model) {
  return [&model](std::string_view before, const std::vector<Turn>& turns, int max_tokens,
                  std::stop_token stop) -> Result<std::string> {
    std::string all;
    for (const Turn& turn : turns) all += Line(turn) + "\n";
    const bool chinese = memory::MostlyChinese(all);
    std::string message;
    if (!before.empty()) {
      message += fmt::format("{}\n{}\n\n", chinese ? "之前的总结：" : "Summary so far:", before);
    }
    message += fmt::format(
        "{}\n{}\n{}", chinese ? "对话：" : "Conversation:", all,
        chinese ? "请把以上全部内容总结成一段话，保留姓名、数字和日期。"
                : "Summarize all of this in one paragraph. Keep names, numbers and dates.");
    LIUBAI_ASSIGN_OR_RETURN(std::vector<TokenId> tokens,
                            model.ChatOpening("You write summaries of conversations.", message));
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<TokenId> header, model.ChatReplyHeader());
    tokens.insert(tokens.end(), header.begin(), header.end());
    LIUBAI_ASSIGN_OR_RETURN(const auto context, model.NewContext());
    LIUBAI_RETURN_IF_ERROR(context->Append({SegmentKind::kOther, 0, std::move(tokens)}));
    SamplingParams greedy;
    greedy.max_tokens = max_tokens;
    greedy.repetition_penalty = 1.1f;
    LIUBAI_ASSIGN_OR_RETURN(Generation made, context->Generate(greedy, {}, stop));
    if (made.reason == StopReason::kCancelled) {
      return Status(StatusCode::kCancelled, "the summary was cancelled");
    }
    return std::move(made.text);
  };
}

ContextBaseline::ContextBaseline(BaselineKind kind, int budget_tokens, memory::CountTokens count,
                                 SummariseTurns summarise)
    : kind_(kind),
      budget_(budget_tokens),
      count_(std::move(count)),
      summarise_(std::move(summarise)) {}

int ContextBaseline::TurnTokens(const Turn& turn) const { return count_(turn.text) + kAroundTurn; }

int ContextBaseline::TurnsBudget() const {
  return kind_ == BaselineKind::kSlidingWindow ? budget_ : budget_ - budget_ / kSummaryShare;
}

Status ContextBaseline::Add(const Turn& turn, std::stop_token stop) {
  Turn kept = turn;
  kept.text =
      memory::FitText(turn.text, std::max(TurnsBudget() / 2 - kAroundTurn, 32), 0, count_, nullptr);
  turn_tokens_.push_back(TurnTokens(kept));
  turns_tokens_ += turn_tokens_.back();
  turns_.push_back(std::move(kept));
  if (turns_tokens_ <= TurnsBudget()) return Status();
  // The window takes as much as there is room for; summaries are made seldom and of more.
  const int down_to = kind_ == BaselineKind::kSlidingWindow ? TurnsBudget() : TurnsBudget() / 2;
  std::vector<Turn> leaving;
  while (turns_tokens_ > down_to && turns_.size() > 1) {
    turns_tokens_ -= turn_tokens_.front();
    turn_tokens_.pop_front();
    leaving.push_back(std::move(turns_.front()));
    turns_.pop_front();
  }
  return kind_ == BaselineKind::kSlidingWindow ? Status() : Summarise(std::move(leaving), stop);
}

Status ContextBaseline::Summarise(std::vector<Turn> leaving, std::stop_token stop) {
  const int room = budget_ / kSummaryShare;
  if (kind_ == BaselineKind::kRecursiveSummary) {
    const std::string before = summaries_.empty() ? std::string() : summaries_.front();
    LIUBAI_ASSIGN_OR_RETURN(std::string all, summarise_(before, leaving, room, stop));
    summaries_.clear();
    summaries_.push_back(memory::FitWords(all, room, count_));
    return Status();
  }
  LIUBAI_ASSIGN_OR_RETURN(const std::string part,
                          summarise_({}, leaving, room / kPlainParts, stop));
  summaries_.push_back(memory::FitWords(part, room / kPlainParts, count_));
  int used = 0;
  for (const std::string& summary : summaries_) used += count_(summary) + 1;
  while (used > room && summaries_.size() > 1) {
    used -= count_(summaries_.front()) + 1;
    summaries_.pop_front();
  }
  return Status();
}

std::string ContextBaseline::Summary() const {
  std::string all;
  for (const std::string& summary : summaries_) {
    if (!all.empty()) all += '\n';
    all += summary;
  }
  return all;
}

std::string ContextBaseline::Text() const {
  std::string text = Summary();
  for (const Turn& turn : turns_) {
    if (!text.empty()) text += '\n';
    text += Line(turn);
  }
  return text;
}

int ContextBaseline::tokens() const {
  const std::string summary = Summary();
  return turns_tokens_ + (summary.empty() ? 0 : count_(summary));
}

}  // namespace liubai::tools
