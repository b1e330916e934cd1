// liubai/agent.h: a conversation with a language model whose memory outlives its window.
//
// An Agent commits each turn to its store, recalls what has left the window, generates, and in idle
// time embeds, writes the ledger of exact details and compacts. A session is resumed by creating an
// Agent on the same store and session name: blocks, essences and window are rebuilt from the store.
//
// Errors:  failures come back as a Status or a Result<T>; callbacks must not throw.
// kInvalidArgument:
//          an option out of its range, text that is not UTF-8 or holds a NUL, an empty message;
//          kResourceExhausted: the system prompt and the blocks do not fit their part of the window
//          (figures in the message), no KV pages, a full disk; kCancelled: stopped while it waited
//          or made room, the user's turn may be stored; kNumericError and other failures of the
//          model: the user's turn is stored, no reply is.
// Threads: every method may be called from any thread. Turns and idle work of one agent run one
// after
//          another on the agent's own thread, where callbacks are called too; Send waits for it and
//          is refused (kFailedPrecondition) inside a callback.
// Units:   *_tokens are counted by the model's own tokenizer; text is UTF-8; times are UTC
//          milliseconds; *_us are microseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/embedder.h"
#include "liubai/language_model.h"
#include "liubai/log.h"
#include "liubai/policy.h"
#include "liubai/retrieval.h"
#include "liubai/sampling.h"
#include "liubai/status.h"
#include "liubai/store.h"

namespace liubai::inline v1 {

enum class MemoryMode : std::uint8_t {
  kLiubai,         // Everything that this library is for.
  kSlidingWindow,  // Recent turns only: no recall, no essences, no blocks. For comparison.
};

enum class CompactionMode : std::uint8_t {
  kModel,       // The model summarises; what fails the check is replaced by an extract.
  kExtractive,  // Sentences of the turns themselves.
};

// Where recalled memories stand.
enum class RecallPlacement : std::uint8_t {
  kInMessage,      // At the head of the user's message.
  kBeforeMessage,  // In a system message of their own before it.
};

// The parts of the window. 0: a share of the window (see WindowInfo for what it came to).
struct WindowBudgets {
  int blocks_tokens = 0;    // System prompt and blocks.
  int essences_tokens = 0;  // Summaries.
  int recalled_tokens = 0;  // Recalled memories.
  int reply_tokens = 0;     // One reply.
  double high_mark = 0.85;  // Compaction starts when turns fill more of their part than this …
  double low_mark = 0.5;    // … and goes on down to this. 0 < low < high <= 1.
};

struct AgentOptions {
  Store* store = nullptr;              // Outlives the agent. REQUIRED.
  LanguageModel* model = nullptr;      // Outlives the agent. REQUIRED.
  const Embedder* embedder = nullptr;  // Outlives the agent; null: recall by words only.
  Retriever* retriever = nullptr;      // Outlives the agent; null: one of its own on the store.
  std::string session = "default";
  TenantId tenant = kDefaultTenant;
  std::string system_prompt;  // Empty: DefaultSystemPrompt().
  int window_tokens = 2048;   // 256..the model's context; 0: the model's context.
  WindowBudgets budgets;
  SamplingParams sampling;  // max_tokens is lowered to the reply's budget.
  MemoryMode memory_mode = MemoryMode::kLiubai;
  CompactionMode compaction = CompactionMode::kModel;
  // Set: its marks, and its shares of the window where `budgets` has 0, take the place of those of
  // `budgets`.
  std::optional<CompactionPolicy> policy;
  RecallPlacement recall_placement = RecallPlacement::kInMessage;
  // 0..64: most memories recalled for one message. Measured with qwen2.5-coder-0.5b on the
  // demonstration's 52 questions (`liubai demo -k`): 2 and 3 give 27 right answers of 38 and refuse
  // 13 of 14 never said, 1 gives 26 and refuses 10.
  int recall_turns = 2;
  // A value (number, name, date) in an answer from memory whose joint probability is below this is
  // not told: the reply breaks off and says that it does not know. 0..1; 0: everything is told.
  double least_confidence = 0.6;
  // Replies to messages that do not ask the memory are kept from reciting the window (DRY
  // sampling).
  bool discourage_copies = true;
  bool keep_recalled = false;  // Keep recalled memories in the window after their turn.
  bool idle_work = true;       // false: only RunIdle does it (for measurements).
  int idle_delay_ms = 50;      // How long after a turn idle work begins.
  // Idle work also reads facts with the model, under a grammar, out of turns of this session in
  // which the rules find none. A model that cannot be held to a grammar, or too many of whose
  // statements are not in the turns, is told of in the log and not asked again.
  bool model_facts = false;
  // 0..16: how often in one turn the model may look into the memory by itself before it answers: it
  // may unfold an essence that its prompt shows, or search. 0: it has no tools and is told of none.
  // With tools a reply never begins with '{'.
  int max_tool_calls = 0;
  int queue_limit = 64;   // Sends that may wait; another one is kResourceExhausted.
  std::string user_name;  // The speaker of user turns, or empty.
  std::string assistant_name;
  std::function<std::int64_t()> now_ms;  // Empty: the system's clock.
  Logger logger;
};

struct RecalledTurn {
  TurnId turn_id = 0;
  double score = 0;
  std::string why;   // One line for people.
  std::string text;  // As the model saw it.
};

// A line of the block `user` that is not there any more, and the later word that took its place;
// `now` empty: there was no room for it.
struct StandingChange {
  std::string was;
  std::string now;
};

// A look into the memory by the model itself. What it brought stands in the context, as words that
// were said, until the next turn; it is not stored.
struct ToolCall {
  std::string tool;      // "unfold" or "recall"; empty: what the model wrote is no call.
  std::string argument;  // The essence's id, or what was searched.
  // kNotFound: the prompt shows no such essence, or nothing was found; kResourceExhausted: there
  // was no room for a result; kAlreadyExists: the same call was made before in this turn;
  // kInvalidArgument: no call. Then the model answers without it.
  Status status;
  std::vector<TurnId> turns;  // That the model was shown, oldest first.
  int tokens = 0;             // Call and result in the context.
};

struct Reply {
  std::string text;
  TurnId user_turn = 0;
  TurnId reply_turn = 0;               // 0: nothing was generated, nothing stored.
  std::vector<RecalledTurn> recalled;  // In the order in which the model saw them.
  std::string recall_note;             // Why recall was by words only, what it left out; or empty.
  StopReason stop_reason = StopReason::kEndOfTurn;
  int prompt_tokens = 0;
  int cached_tokens = 0;  // Of those, not computed for this turn.
  int reply_tokens = 0;
  std::int64_t recall_us = 0;
  std::int64_t ttft_us = 0;  // From the call, waiting and recall included, to the first token.
  std::int64_t total_us = 0;
  bool waited_for_compaction = false;  // The window was full.
  bool broke_off = false;              // Before a value that would have been made up.
  bool shortened = false;              // The message was larger than its part of the window.
  // By compactions since the reply before, as far as TakeStandingChanges did not take them.
  std::vector<StandingChange> standing_changes;
  std::vector<ToolCall> tool_calls;  // In order; refused ones, too.
};

struct WindowInfo {
  int window_tokens = 0;
  int system_tokens = 0;    // System prompt.
  int blocks_tokens = 0;    // Blocks.
  int essences_tokens = 0;  // Summaries.
  int turns_tokens = 0;     // The hot window.
  int recalled_tokens = 0;  // Of the last turn, while still in the context.
  int blocks_budget = 0;    // System prompt and blocks.
  int essences_budget = 0;
  int turns_budget = 0;  // What is left for turns.
  int recalled_budget = 0;
  int reply_budget = 0;
  double pressure = 0;    // turns_tokens / turns_budget, or pages in use when that is more.
  int turns = 0;          // In the hot window.
  TurnId first_turn = 0;  // The oldest of them; 0: none.
  int backlog_turns = 0;  // Left the window and not compacted yet: recalled by words meanwhile.
  int essences = 0;
  int pages = 0;  // KV pages that the context holds.
  int pool_pages = 0;
  int pool_free_pages = 0;
};

struct IdleStatus {
  bool busy = false;             // A turn or idle work runs or waits.
  std::int64_t compactions = 0;  // By this object.
  std::int64_t embedded = 0;
  std::int64_t proofs_tried_again = 0;        // That details are found again by their context.
  std::int64_t proofs_gone = 0;               // Of these: no longer so, and the log warns.
  std::int64_t fact_statements = 0;           // That the model wrote (AgentOptions::model_facts).
  std::int64_t fact_statements_rejected = 0;  // Of these: not in their turns as stated.
  std::int64_t facts_read = 0;                // Of these: new, and stored.
  Status last_error;  // Of idle work; OK when the last piece of each kind went well.
};

class Agent {
 public:
  static Result<std::unique_ptr<Agent>> Create(const AgentOptions& options);
  // Cancels what runs and waits for it; idle work that was not done is done by the next agent.
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  static std::string DefaultSystemPrompt();

  struct SendOptions {
    // A retry with the same key continues the turn that is stored under it instead of adding one.
    std::string idempotency_key;
  };

  // Runs one turn. The user's turn is on disk before anything else happens; on OK the reply is too,
  // also an interrupted one (stop_reason kCancelled). Cancelled before the first token, nothing is
  // stored for the reply.
  Result<Reply> Send(std::string_view text, const OnText& on_text = {});
  Result<Reply> Send(std::string_view text, const OnText& on_text, const SendOptions& options);

  // The same without waiting; `on_done` is called on the agent's thread.
  std::future<Result<Reply>> SendAsync(std::string text, OnText on_text = {});
  void SendAsync(std::string text, OnText on_text, std::function<void(Result<Reply>)> on_done);

  // Stops the turn that runs within one step, and those that wait.
  void Cancel();

  // Does all idle work now and returns when there is none left: vectors, compaction, proofs, the
  // window's exact cache. Returns the first failure.
  // Proofs are tried again when a tenth more than at the last time was compacted.
  Status WaitIdle();
  // Tries all proofs again now, and does all idle work: some milliseconds a proof.
  Status ProveAgain();
  IdleStatus idle_status() const;

  // Compacts down to the low mark even below the high mark. OK and nothing done when there is
  // nothing to take.
  Status Compact();

  // What compactions have replaced in the block `user` since they were last taken, here or by a
  // reply.
  std::vector<StandingChange> TakeStandingChanges();

  Result<WindowInfo> Window() const;
  // What the next turn begins with, in order: system prompt, blocks, essences, turns, notices. The
  // id of a turn or an essence is its own; waits for the turn that runs.
  Result<std::vector<Segment>> ContextSegments() const;
  SessionId session() const;
  const Retriever& retriever() const;

  // A second agent on a session of its own that begins with this one's window, essences and turns
  // (copied into the store under the new name); it shares this one's pages until either goes on.
  Result<std::unique_ptr<Agent>> Fork(std::string_view session);

 private:
  struct Impl;
  explicit Agent(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace liubai::inline v1
