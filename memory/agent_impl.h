// memory/agent_impl.h: the state of an agent and the steps of its turns and of its idle work.
//
// Threads: everything but what says otherwise is touched by tasks of the agent's strand only.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/agent.h"
#include "memory/context_budget.h"
#include "memory/scheduler.h"

namespace liubai::inline v1 {

struct Agent::Impl : std::enable_shared_from_this<Agent::Impl> {
  using Clock = std::chrono::steady_clock;

  // One turn of the hot window as it stands in the context, or a notice (id 0).
  struct WindowTurn {
    TurnId id = 0;
    Role role = Role::kUser;
    std::vector<TokenId> tokens;  // Rendered: header, content, end.
    std::string text;             // Its beginning.
  };

  explicit Impl(const AgentOptions& given) : options(given) {}

  // Set-up, before the strand has tasks.
  Status Open(std::shared_ptr<memory::Scheduler> scheduler, std::shared_ptr<Retriever> shared);
  Status LoadWindow();

  // A turn.
  Result<Reply> RunTurn(std::string_view text, const OnText& on_text, const SendOptions& send,
                        std::stop_token stop, Clock::time_point called);
  Status CommitUser(std::string_view text, const SendOptions& send, Reply* reply, bool* repeated);
  Status RecallFor(std::string_view text, Reply* reply, bool* asks, std::string* memories,
                   std::stop_token stop);
  // Generates on the context as it stands; holds back what is made up or only repeats the message.
  Result<Generation> GenerateReply(std::string_view text, bool asks, SamplingParams sampling,
                                   const OnText& on_text, std::stop_token stop, Reply* reply);
  Status MakeRoom(int tokens, Reply* reply, std::stop_token stop);
  Status FollowBlocks();

  // Idle work: each step does one piece; false: there was nothing to do.
  Result<bool> IdleStep(std::stop_token stop);
  Result<bool> CompactOnce(bool force, std::stop_token stop);
  void ScheduleIdle(int delay_ms);
  void RunIdle();

  // Rendering.
  Status LoadPrefix();
  Result<WindowTurn> RenderTurn(const Turn& turn) const;
  std::vector<Segment> Segments() const;
  int WindowTokens() const;
  int TurnsBudget() const;
  int TurnLimit() const { return std::max(TurnsBudget() / 2, 48); }  // Of one turn.
  int Count(std::string_view text) const {
    return static_cast<int>(options.model->Tokenize(text).size());
  }
  void Refresh();  // Publishes the snapshot.
  std::int64_t Now() const;
  Status RememberTokens();

  // Any thread.
  bool Closing() const { return closing.load(); }
  std::shared_ptr<std::stop_source> Register();
  void Unregister(const std::shared_ptr<std::stop_source>& source);
  void CancelAll();
  void Close();

  AgentOptions options;
  memory::BudgetPlan plan;
  SessionId session = 0;
  std::shared_ptr<Retriever> own_retriever;
  Retriever* retriever = nullptr;
  std::unique_ptr<Context> context;
  std::unique_ptr<memory::Scheduler::Strand> strand;

  // The context, in order.
  std::vector<Segment> prefix;
  Segment system_alone;  // The system prompt as a message of its own.
  int system_tokens = 0, blocks_tokens = 0, essences_tokens = 0;
  std::vector<Block> blocks;  // As the prefix and the notices have them.
  std::vector<Essence> essences;
  std::vector<WindowTurn> window;
  int recalled_tokens = 0;  // Of the last turn, when they are still in the context.
  TurnId covered = 0;       // Turns up to this one are compacted.
  TurnId window_first = 0;  // Turns between the two are the backlog.
  int backlog = 0;
  TurnId tokens_from = 0;  // Token ids of turns from this one on are this model's.
  bool tokens_known = false;
  bool tail_stale = false;      // The context is not what Segments() says.
  bool compact_failed = false;  // Not tried again until the window has changed.
  std::string last_user_text;

  // Shared with other threads, under `mutex`.
  mutable std::mutex mutex;
  WindowInfo snapshot;
  IdleStatus idle;
  std::set<std::shared_ptr<std::stop_source>> running;
  std::stop_source idle_stop;
  int waiting = 0;
  bool idle_scheduled = false;
  std::atomic<bool> closing{false};
};

}  // namespace liubai::inline v1
