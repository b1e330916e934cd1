// tools/policy_search.h: how well a policy of compaction does on conversations that are known, and
// the search for a better one. No language model is in the path: the conversation runs through the
// agent as it was, essences are extracts.
//
// The reward of a conversation is the share of its questions whose answer is in the prompt that the
// agent makes for them, for each 1,000 tokens that a prompt has on average, of all its turns.
//
// Errors:  those of the agent and the store; kCancelled.
// Threads: one thread.
// Units:   tokens by the replaying model.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "liubai/policy.h"
#include "tools/known_conversations.h"
#include "tools/recall_metrics.h"

namespace liubai::tools {

struct PolicyScore {  // Of one conversation.
  int questions = 0;
  int found = 0;
  double prompt_tokens = 0;  // On average over all turns and questions.
  int compactions = 0;
  int most_essences_tokens = 0;

  double recall() const { return questions > 0 ? static_cast<double>(found) / questions : 0; }
  double reward() const { return prompt_tokens > 0 ? recall() / (prompt_tokens / 1000) : 0; }
};

Result<PolicyScore> MeasurePolicy(const CompactionPolicy& policy,
                                  const KnownConversation& conversation, int window_tokens,
                                  std::stop_token stop);

// The mean over conversations.
struct PolicyMeans {
  double recall = 0;
  double prompt_tokens = 0;
  double reward = 0;
};
PolicyMeans MeansOf(std::span<const PolicyScore> scores);

using ScorePolicy = std::function<Result<std::vector<PolicyScore>>(const CompactionPolicy&)>;

struct PolicyFit {
  CompactionPolicy policy;
  PolicyMeans start;  // Of the default.
  PolicyMeans fitted;
  int tried = 0;
  int refused = 0;  // More reward, but less recall than the default.
  int no_room = 0;  // Its parts did not fit into the window.
};

// Random steps from the best so far, `trials` of them, drawn by `seed`: the same seed and the same
// scores give the same policy. A policy that recalls less than the default is never taken, however
// small its prompt. `told` hears of each trial; parameters named in `fixed` stay as they are.
// kInvalidArgument: a name that no parameter has.
Result<PolicyFit> FitPolicy(const ScorePolicy& score, int trials, std::uint64_t seed,
                            const std::function<void(int trial, const PolicyMeans& best)>& told,
                            const std::vector<std::string>& fixed = {});

// Mean of paired differences and its interval at 95 %, by resampling pairs (seeded).
struct PairedDifference {
  double mean = 0;
  Interval interval{0, 0};
};
PairedDifference Bootstrap(std::span<const double> differences, std::uint64_t seed);

}  // namespace liubai::tools
