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
#include <unordered_set>
#include <vector>

#include "liubai/agent.h"
#include "memory/answer_guard.h"
#include "memory/context_budget.h"
#include "memory/scheduler.h"
#include "memory/telling.h"

namespace liubai::inline v1 {

struct Agent::Impl : std::enable_shared_from_this<Agent::Impl> {
  using Clock = std::chrono::steady_clock;

  // One turn of the hot window as it stands in the context, or a notice (id 0).
  struct WindowTurn {
    TurnId id = 0;
    Role role = Role::kUser;
    std::vector<TokenId> tokens;  // Rendered: header, content, end.
    // Of a user's message where the format joins it to the system text when it stands first; empty:
    // it is `tokens` there too.
    std::vector<TokenId> tokens_first;
    std::string text;  // Its beginning.
  };
  // What the memory has for a message.
  struct Recalled {
    bool asks = false;     // The message asks the memory.
    std::string memories;  // As the prompt shows them; empty: none.
    std::vector<memory::Evidence> evidence;
    // The sentences that tell what is asked, and the day of each.
    memory::Tellings tellings;
    std::vector<std::string> days;
  };
  // What a reply is generated from.
  struct Prompt {
    std::vector<Segment> segments;
    WindowTurn user;  // With what was recalled for it.
    int tokens = 0;
  };
  // From its commit on a turn is part of the conversation, whatever happens to its reply: puts it
  // into the window when it goes out of scope.
  struct KeepTurn {
    KeepTurn(Impl* owner, const WindowTurn& given) : impl(owner), turn(given) {}
    KeepTurn(const KeepTurn&) = delete;
    KeepTurn& operator=(const KeepTurn&) = delete;
    ~KeepTurn() {
      impl->window.push_back(std::move(turn));
      impl->tail_stale = true;
      impl->Refresh();
    }
    Impl* impl;
    WindowTurn turn;
  };

  explicit Impl(const AgentOptions& given) : options(given) {}

  // Set-up, before the strand has tasks.
  Status Open(std::shared_ptr<memory::Scheduler> scheduler, std::shared_ptr<Retriever> shared);
  Status LoadWindow();

  // A turn.
  Result<Reply> RunTurn(std::string_view text, const OnText& on_text, const SendOptions& send,
                        std::stop_token stop, Clock::time_point called);
  Status CommitUser(std::string_view text, const SendOptions& send, Reply* reply);
  Result<Recalled> RecallFor(std::string_view text, Reply* reply, std::stop_token stop);
  // What stands word for word behind the essences, but of the turns that were searched already, as
  // far as `recalled` has room for it.
  Status AddWordsOfEssences(std::string_view text, const std::unordered_set<TurnId>& searched,
                            Recalled* recalled, Reply* reply) const;
  Status FindTellings(std::string_view text, RecallResult* found, Recalled* recalled,
                      PackOptions* pack) const;
  Result<bool> WindowTells(std::string_view text, const RecallResult& found) const;
  // Late in the context: what was recalled, the message (`fitted`: as `user` has it), `header`.
  Result<Prompt> BuildPrompt(const WindowTurn& user, std::string_view fitted,
                             const Recalled& recalled, std::vector<TokenId> header);
  // Generates on the context as it stands; holds back what is made up or only repeats the message.
  Result<Generation> GenerateReply(std::string_view text, const Recalled& recalled,
                                   SamplingParams sampling, const OnText& on_text,
                                   std::stop_token stop, Reply* reply);
  // What tells it is so plain that it may stand for an answer.
  static bool CanQuote(const Recalled& recalled);
  // Quotes what an answer left out, as far as `room` tokens last.
  void Complete(std::string_view text, const Recalled& recalled, bool broke_off, int room,
                const OnText& on_text, Generation* generated) const;
  // A cancelled turn is a reply without text; any other failure is told with the stored turn.
  Result<Reply> WithoutReply(const Status& failure, int prompt_tokens, Clock::time_point called,
                             Reply reply);
  // Lets the model call tools on the context as it stands, and leaves in it what they brought.
  // Lowers sampling->max_tokens to the room that is left.
  Status UseTools(std::string_view text, SamplingParams* sampling, Recalled* recalled,
                  std::stop_token stop, Reply* reply);
  // One call: its result goes behind it in the context, or the status says why there is none.
  Status Execute(std::string_view text, int tokens_left, Recalled* recalled, std::stop_token stop,
                 const Reply& reply, ToolCall* call, std::string* result);
  static std::string ToolsText();  // What the system prompt says of them.
  Status StoreReply(const Generation& generated, std::vector<TokenId> header, Reply* reply);
  Status MakeRoom(int tokens, Reply* reply, std::stop_token stop);
  Status FollowBlocks();

  // Idle work: each step does one piece; false: there was nothing to do.
  Result<bool> IdleStep(std::stop_token stop);
  // agent_recheck.cc: proofs once more; false: none is due.
  Result<bool> RecheckOnce(std::stop_token stop);
  void StartRecheck();
  // `force`: below the high mark too; `all`: the last exchange as well, when nothing else is left.
  Result<bool> CompactOnce(bool force, std::stop_token stop, bool all = false);
  Result<bool> ReadFactsOnce(std::stop_token stop);
  void ScheduleIdle(int delay_ms);
  void RunIdle();

  // Rendering.
  Status LoadPrefix();
  Result<WindowTurn> RenderTurn(const Turn& turn) const;
  Result<WindowTurn> RenderUser(TurnId id, std::string_view content) const;
  // Adds `turn` to a prefix or to what follows one.
  void Add(const WindowTurn& turn, std::vector<Segment>* segments) const;
  std::vector<Segment> Segments() const;
  int WindowTokens() const;
  int TurnsBudget() const;
  int TurnLimit() const { return std::max(TurnsBudget() / 2, 48); }  // Of one turn.
  int Count(std::string_view text) const {
    return static_cast<int>(options.model->Tokenize(text).size());
  }
  void Refresh();  // Publishes the snapshot.
  std::vector<StandingChange> TakeStandingChanges();
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
  CompactionPolicy policy;
  SessionId session = 0;
  std::shared_ptr<Retriever> own_retriever;
  Retriever* retriever = nullptr;
  std::unique_ptr<Context> context;
  std::unique_ptr<memory::Scheduler::Strand> strand;

  // The context, in order.
  std::vector<Segment> prefix;
  Segment system_alone;  // The system prompt without blocks and essences.
  // Of a format in which only a user's first message goes on after the prefix: what closes the
  // prefix for any other. Empty: it is closed.
  std::vector<TokenId> prefix_close;
  int system_tokens = 0, blocks_tokens = 0, essences_tokens = 0;
  std::vector<Block> blocks;  // As the prefix and the notices have them.
  std::vector<Essence> essences;
  std::int64_t last_left_out =
      0;  // Of those that do not fit the window, as they were last told of.
  std::vector<WindowTurn> window;
  int recalled_tokens = 0;  // Of the last turn, when they are still in the context.
  TurnId covered = 0;       // Turns up to this one are compacted.
  struct {
    TurnId next = 0, last = -1;  // Turns whose proofs are to be tried again; -1: not read yet.
  } recheck;
  TurnId window_first = 0;  // Turns between the two are the backlog.
  int backlog = 0;
  TurnId tokens_from = 0;  // Token ids of turns from this one on are this model's.
  bool tokens_known = false;
  bool tail_stale = false;      // The context is not what Segments() says.
  bool compact_failed = false;  // Not tried again until the window has changed.
  bool facts_too_weak = false;  // The model is not asked for facts again.
  std::vector<TokenId> braces;  // Tokens with which a tool call may begin.
  int tools_prefilled = 0;  // Computed for this turn before its reply, to see what it begins with.
  std::string last_user_text;

  // Shared with other threads, under `mutex`.
  mutable std::mutex mutex;
  WindowInfo snapshot;
  IdleStatus idle;
  std::vector<StandingChange> standing_changes;
  std::set<std::shared_ptr<std::stop_source>> running;
  std::stop_source idle_stop;
  int waiting = 0;
  bool idle_scheduled = false;
  std::atomic<bool> closing{false};
};

}  // namespace liubai::inline v1
