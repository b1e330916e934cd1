#include "tools/policy_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "core/macros.h"
#include "liubai/agent.h"
#include "memory/ledger.h"
#include "tools/life_generator.h"
#include "tools/replay_model.h"

namespace liubai::tools {
namespace {

// Within these the search moves: narrower than what a policy may hold, since a conversation needs
// its last turns however well older ones are found again.
struct Move {
  std::string_view name;
  double CompactionPolicy::*value;
  double least;
  double most;
};
constexpr Move kMoves[] = {
    {"high_mark", &CompactionPolicy::high_mark, 0.6, 0.95},
    {"low_mark", &CompactionPolicy::low_mark, 0.35, 0.85},
    {"essences_share", &CompactionPolicy::essences_share, 0.04, 0.3},
    {"recalled_share", &CompactionPolicy::recalled_share, 0.04, 0.3},
    {"essence_share", &CompactionPolicy::essence_share, 0.15, 0.6},
    {"summary_share", &CompactionPolicy::summary_share, 0.25, 0.95},
    {"overview_share", &CompactionPolicy::overview_share, 0.1, 0.7},
};
constexpr double kLeastGap = 0.1;  // Between the marks: compaction is rare.
constexpr std::int64_t kMostFine = 8;
constexpr std::int64_t kMostFanOut = 8;
constexpr double kLeastKindWeight = 0.25;
constexpr double kMostKindWeight = 4;
constexpr int kResamples = 4000;

// Not the library's distributions, which each computes in its own way.
class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::size_t Below(std::size_t count) { return random_() % count; }
  double Unit() { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }
  double Between(double least, double most) { return least + (most - least) * Unit(); }

 private:
  std::mt19937_64 random_;
};

double Rounded(double value) { return std::round(value * 1000) / 1000; }

// What a step moves: an index of kMoves, or one of these.
constexpr std::size_t kFine = std::size(kMoves), kFanOut = kFine + 1, kKinds = kFanOut + 1;

std::string_view NameOf(std::size_t step) {
  if (step < std::size(kMoves)) return kMoves[step].name;
  return step == kFine ? "fine_essences" : step == kFanOut ? "fan_out" : "kind_weights";
}

// `steps`: what may be moved.
void MoveOne(const std::vector<std::size_t>& steps, Random& random, CompactionPolicy* policy) {
  const auto kinds = memory::DetailKindNames();
  const std::size_t pick = steps[random.Below(steps.size())];
  if (pick < std::size(kMoves)) {
    const Move& move = kMoves[pick];
    const double step = (move.most - move.least) * random.Between(-0.35, 0.35);
    policy->*move.value = Rounded(std::clamp(policy->*move.value + step, move.least, move.most));
  } else if (pick == kFine) {
    policy->fine_essences = 1 + static_cast<std::int64_t>(random.Below(kMostFine));
  } else if (pick == kFanOut) {
    policy->fan_out = 2 + static_cast<std::int64_t>(random.Below(kMostFanOut - 1));
  } else {
    const std::string kind(kinds[random.Below(kinds.size())]);
    const double weight =
        Rounded(std::clamp(policy->KindWeight(kind) * std::exp2(random.Between(-1.5, 1.5)),
                           kLeastKindWeight, kMostKindWeight));
    std::erase_if(policy->kind_weights, [&](const auto& one) { return one.first == kind; });
    policy->kind_weights.emplace_back(kind, weight);
    std::sort(policy->kind_weights.begin(), policy->kind_weights.end());
  }
}

CompactionPolicy Neighbour(const CompactionPolicy& policy, const std::vector<std::size_t>& steps,
                           Random& random) {
  CompactionPolicy moved = policy;
  const std::size_t count = 1 + random.Below(3);
  for (std::size_t i = 0; i < count; ++i) MoveOne(steps, random, &moved);
  moved.low_mark = Rounded(std::min(moved.low_mark, moved.high_mark - kLeastGap));
  return moved;
}

}  // namespace

Result<PolicyScore> MeasurePolicy(const CompactionPolicy& policy,
                                  const KnownConversation& conversation, int window_tokens,
                                  std::stop_token stop) {
  LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
  LIUBAI_ASSIGN_OR_RETURN(const auto store, Store::Open(folder.path()));
  LIUBAI_ASSIGN_OR_RETURN(const auto retriever, Retriever::Open(*store, nullptr));
  ReplayModel model(nullptr, window_tokens);
  std::int64_t now_ms = 0;
  AgentOptions options;
  options.store = store.get();
  options.model = &model;
  options.retriever = retriever.get();
  options.window_tokens = window_tokens;
  options.policy = policy;
  options.compaction = CompactionMode::kExtractive;
  options.least_confidence = 0;  // Replies are given: there is nothing to hold back.
  options.discourage_copies = false;
  options.idle_work = false;
  options.now_ms = [&] { return now_ms; };
  PolicyScore score;
  std::int64_t prompts = 0;
  double tokens = 0;
  {
    // What is recalled for a turn of the conversation changes nothing of what is kept of it.
    AgentOptions speaking = options;
    speaking.recall_turns = 0;
    LIUBAI_ASSIGN_OR_RETURN(const auto agent, Agent::Create(speaking));
    for (const KnownExchange& exchange : conversation.exchanges) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "interrupted");
      now_ms = exchange.time_ms;
      model.GiveReply(exchange.assistant);
      LIUBAI_ASSIGN_OR_RETURN(const Reply reply, agent->Send(exchange.user));
      LIUBAI_RETURN_IF_ERROR(agent->WaitIdle());
      tokens += reply.prompt_tokens;
      ++prompts;
      LIUBAI_ASSIGN_OR_RETURN(const WindowInfo window, agent->Window());
      score.most_essences_tokens = std::max(score.most_essences_tokens, window.essences_tokens);
    }
    score.compactions = static_cast<int>(agent->idle_status().compactions);
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto agent, Agent::Create(options));
  now_ms = conversation.end_ms;
  for (const DemoQuestion& question : conversation.questions) {
    if (stop.stop_requested()) return Status(StatusCode::kCancelled, "interrupted");
    model.GiveReply("-");
    LIUBAI_ASSIGN_OR_RETURN(const Reply reply, agent->Send(question.question));
    LIUBAI_RETURN_IF_ERROR(agent->WaitIdle());
    tokens += reply.prompt_tokens;
    ++prompts;
    std::string prompt;
    for (const Segment& segment : model.last_prompt()) prompt += model.Detokenize(segment.tokens);
    // An earlier value may stand beside the one that holds: `forbid` is for answers.
    score.found += std::any_of(question.accept.begin(), question.accept.end(),
                               [&](const auto& value) { return HoldsValue(prompt, value); });
    ++score.questions;
  }
  score.prompt_tokens = prompts > 0 ? tokens / static_cast<double>(prompts) : 0;
  return score;
}

PolicyMeans MeansOf(std::span<const PolicyScore> scores) {
  PolicyMeans means;
  for (const PolicyScore& score : scores) {
    means.recall += score.recall();
    means.prompt_tokens += score.prompt_tokens;
    means.reward += score.reward();
  }
  const auto n = static_cast<double>(std::max<std::size_t>(scores.size(), 1));
  return {means.recall / n, means.prompt_tokens / n, means.reward / n};
}

Result<PolicyFit> FitPolicy(const ScorePolicy& score, int trials, std::uint64_t seed,
                            const std::function<void(int trial, const PolicyMeans& best)>& told,
                            const std::vector<std::string>& fixed) {
  // The weights of kinds are many: they are moved three times as often as another parameter.
  std::vector<std::size_t> steps;
  std::string known;
  for (std::size_t step = 0; step <= kKinds; ++step) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", NameOf(step));
    if (std::find(fixed.begin(), fixed.end(), NameOf(step)) != fixed.end()) continue;
    steps.insert(steps.end(), step == kKinds ? 3 : 1, step);
  }
  for (const std::string& name : fixed) {
    if (known.find(name) == std::string::npos || name.empty()) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("no parameter is called \"{}\"; there are {}", name, known));
    }
  }
  if (steps.empty()) {
    return Status(StatusCode::kInvalidArgument, "every parameter is fixed: nothing can be fitted");
  }
  Random random(seed);
  PolicyFit fit;
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<PolicyScore> start, score(fit.policy));
  fit.start = fit.fitted = MeansOf(start);
  if (told) told(0, fit.fitted);
  for (int trial = 1; trial <= trials; ++trial) {
    const CompactionPolicy candidate = Neighbour(fit.policy, steps, random);
    const Result<std::vector<PolicyScore>> scores = score(candidate);
    ++fit.tried;
    if (!scores.ok()) {
      if (scores.status().code() != StatusCode::kResourceExhausted) return scores.status();
      ++fit.no_room;
      if (told) told(trial, fit.fitted);
      continue;
    }
    const PolicyMeans means = MeansOf(*scores);
    if (means.reward > fit.fitted.reward) {
      if (means.recall < fit.start.recall) {
        ++fit.refused;
      } else {
        fit.policy = candidate;
        fit.fitted = means;
      }
    }
    if (told) told(trial, fit.fitted);
  }
  return fit;
}

PairedDifference Bootstrap(std::span<const double> differences, std::uint64_t seed) {
  PairedDifference result;
  if (differences.empty()) return result;
  Random random(seed);
  const auto n = static_cast<double>(differences.size());
  for (const double one : differences) result.mean += one / n;
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    for (std::size_t i = 0; i < differences.size(); ++i) {
      mean += differences[random.Below(differences.size())] / n;
    }
  }
  std::sort(means.begin(), means.end());
  result.interval = {means[static_cast<std::size_t>(kResamples * 0.025)],
                     means[static_cast<std::size_t>(kResamples * 0.975) - 1]};
  return result;
}

}  // namespace liubai::tools
