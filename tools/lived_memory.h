// tools/lived_memory.h: a memory that an agent has filled with a known conversation, sitting by
// sitting, as it is when each sitting begins in a new process: store, retrieval, compaction.
//
// Errors:  those of Agent, Store and Retriever.
// Threads: one thread.
// Units:   *_tokens by the replaying model.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "liubai/agent.h"
#include "tools/recall_metrics.h"
#include "tools/replay_model.h"

namespace liubai::tools {

inline constexpr std::string_view kLivedSession = "life";

struct LivedOptions {
  int window_tokens = 2048;
  CompactionMode compaction = CompactionMode::kExtractive;
  std::vector<std::pair<std::string, double>> weights;  // As RetrieverOptions::weights.
  Logger logger;
};

// One turn of a conversation that is known.
struct KnownTurn {
  bool user = true;
  std::string text;
  std::int64_t time_ms = 0;
};

// Sizes of the store's files.
struct LivedBytes {
  std::int64_t database = 0;
  std::int64_t indexes = 0;
  std::int64_t text = 0;  // Of the turns, without anything else.
};

class LivedMemory {
 public:
  // `model` and `embedder` (may be null) outlive it.
  static Result<std::unique_ptr<LivedMemory>> Open(ReplayModel& model, const Embedder* embedder,
                                                   const LivedOptions& options);

  // A sitting whose user turns are sent to the agent, each answered by the turn behind it; idle
  // work is done after each. `on_reply` sees what the agent tells of each turn.
  // REQUIRES: user and assistant take turns.
  Status Speak(std::span<const KnownTurn> turns, const std::function<void(const Reply&)>& on_reply);
  // A sitting that took place elsewhere: its turns are stored and the agent resumes behind them.
  Status Append(std::span<const KnownTurn> turns);

  // A message to a copy of the memory as it is, so that no question sees another.
  // The prompt's text, what was recalled for it included, is put into `prompt`.
  Result<Reply> AskCopy(const std::string& question, std::int64_t now_ms, std::string* prompt);

  // Of each turn that was spoken or appended, in order.
  const std::vector<TurnId>& turn_ids() const { return turn_ids_; }
  Store& store() { return *store_; }
  const Retriever& retriever() const { return *retriever_; }
  Agent& agent() { return *agent_; }
  // What the next message's prompt begins with: blocks, essences and hot window, as text.
  Result<std::string> PromptText();
  Result<LivedBytes> Bytes();

 private:
  LivedMemory(ReplayModel& model, const Embedder* embedder, const LivedOptions& options,
              ScratchFolder folder)
      : model_(model), embedder_(embedder), options_(options), folder_(std::move(folder)) {}
  AgentOptions OptionsFor(Store& store, Retriever& retriever);
  Status Resume();

  ReplayModel& model_;
  const Embedder* embedder_;
  LivedOptions options_;
  ScratchFolder folder_;
  std::int64_t now_ms_ = 0;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Retriever> retriever_;
  std::unique_ptr<Agent> agent_;
  std::vector<TurnId> turn_ids_;
  std::optional<ScratchFolder> copy_;  // A backup of `copy_turns_` turns, never opened itself.
  std::size_t copy_turns_ = 0;
};

}  // namespace liubai::tools
