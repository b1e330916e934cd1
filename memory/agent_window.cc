// What an agent's context holds: set-up from the store, rendering, compaction, idle work.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <span>

#include "core/macros.h"
#include "core/text.h"
#include "memory/agent_impl.h"
#include "memory/compaction.h"
#include "memory/prompt.h"

namespace liubai::inline v1 {
namespace {

constexpr std::int64_t kMostWindowTurns = 2000;  // Read from the store when a session is resumed.
constexpr std::int64_t kIndexBatch = 32;         // Turns embedded by one piece of idle work.
constexpr std::int64_t kUnmergedVectors = 1024;  // Above this the index file is written again.

}  // namespace

std::int64_t Agent::Impl::Now() const {
  if (options.now_ms) return options.now_ms();
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Status Agent::Impl::Open(std::shared_ptr<memory::Scheduler> scheduler,
                         std::shared_ptr<Retriever> shared) {
  if (options.store == nullptr || options.model == nullptr) {
    return Status(StatusCode::kInvalidArgument, options.store == nullptr
                                                    ? "AgentOptions::store is not set"
                                                    : "AgentOptions::model is not set");
  }
  const int capacity = options.model->info().context_tokens;
  if (options.window_tokens == 0) options.window_tokens = capacity;
  if (options.window_tokens > capacity) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("window_tokens is {}; the model's context has {}",
                              options.window_tokens, capacity));
  }
  if (options.recall_turns < 0 || options.recall_turns > 64) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("recall_turns is {}; it must be 0..64", options.recall_turns));
  }
  if (!(options.least_confidence >= 0 && options.least_confidence <= 1)) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("least_confidence is {}; it must be 0..1", options.least_confidence));
  }
  if (options.max_tool_calls < 0 || options.max_tool_calls > 16) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("max_tool_calls is {}; it must be 0..16", options.max_tool_calls));
  }
  if (options.queue_limit < 1 || options.queue_limit > 65'536) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("queue_limit is {}; it must be 1..65536", options.queue_limit));
  }
  if (options.idle_delay_ms < 0 || options.idle_delay_ms > 3'600'000) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("idle_delay_ms is {}; it must be 0..3600000", options.idle_delay_ms));
  }
  LIUBAI_RETURN_IF_ERROR(CheckText(options.system_prompt, "the system prompt"));
  LIUBAI_RETURN_IF_ERROR(options.sampling.Validate());
  if (options.policy) {
    policy = *options.policy;
    LIUBAI_RETURN_IF_ERROR(policy.Validate().WithContext("AgentOptions::policy"));
    memory::ApplyPolicy(policy, options.window_tokens, &options.budgets);
  }
  LIUBAI_ASSIGN_OR_RETURN(plan, memory::PlanBudget(options.window_tokens, options.budgets,
                                                   options.memory_mode == MemoryMode::kLiubai));
  if (options.system_prompt.empty()) options.system_prompt = memory::DefaultSystemText();
  // A fork has it already.
  if (options.max_tool_calls > 0 && options.memory_mode == MemoryMode::kLiubai &&
      !options.system_prompt.ends_with(ToolsText())) {
    options.system_prompt += ToolsText();
  }
  LIUBAI_ASSIGN_OR_RETURN(session, options.store->EnsureSession(options.session, options.tenant));
  retriever = options.retriever;
  if (retriever == nullptr) {
    own_retriever = std::move(shared);
    if (own_retriever == nullptr) {
      RetrieverOptions opened;
      opened.tenant = options.tenant;
      opened.logger = options.logger;
      LIUBAI_ASSIGN_OR_RETURN(auto made, Retriever::Open(*options.store, options.embedder, opened));
      own_retriever = std::move(made);
    }
    retriever = own_retriever.get();
  }
  if (context == nullptr) {
    LIUBAI_ASSIGN_OR_RETURN(context, options.model->NewContext());
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto first, options.model->ChatFirst(options.system_prompt, "-"));
  LIUBAI_ASSIGN_OR_RETURN(const auto later, options.model->ChatMessage("user", "-"));
  if (first != later) {
    LIUBAI_ASSIGN_OR_RETURN(prefix_close, options.model->ChatMessageEnd());
  }
  LIUBAI_RETURN_IF_ERROR(LoadPrefix());
  LIUBAI_RETURN_IF_ERROR(LoadWindow());
  if (scheduler == nullptr) scheduler = std::make_shared<memory::Scheduler>();
  strand = std::make_unique<memory::Scheduler::Strand>(std::move(scheduler));
  Refresh();
  return Status();
}

Status Agent::Impl::LoadPrefix() {
  const LanguageModel& model = *options.model;
  std::vector<Block> now;
  std::vector<Essence> kept;
  if (options.memory_mode == MemoryMode::kLiubai) {
    LIUBAI_ASSIGN_OR_RETURN(now, options.store->Blocks(options.tenant));
    LIUBAI_ASSIGN_OR_RETURN(kept, options.store->Essences(session, false, options.tenant));
  }
  // One system text, as chat models are taught to expect, in as many segments as it has parts: each
  // ends where its tokens are still those of the whole.
  const auto render = [&](std::span<const Block> with, std::span<const Essence> and_with) {
    return model.ChatStart(memory::SystemText(options.system_prompt, with, and_with));
  };
  LIUBAI_ASSIGN_OR_RETURN(std::vector<TokenId> alone, render({}, {}));
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<TokenId> with_blocks, render(now, {}));
  const int system = static_cast<int>(alone.size());
  const int in_blocks = static_cast<int>(with_blocks.size()) - system;
  LIUBAI_ASSIGN_OR_RETURN(std::vector<TokenId> whole, render(now, kept));
  std::size_t first = 0;
  // A smaller window than the one in which the essences were written: the oldest go first, loudly.
  while (static_cast<int>(whole.size() - with_blocks.size()) > plan.essences &&
         first < kept.size()) {
    ++first;
    LIUBAI_ASSIGN_OR_RETURN(whole, render(now, std::span(kept).subspan(first)));
  }
  if (first > 0 && kept[first - 1].id != last_left_out) {
    last_left_out = kept[first - 1].id;
    options.logger.Log(LogLevel::kWarning, "agent",
                       fmt::format("{} of {} essences, up to essence {}, do not fit the {} tokens "
                                   "for essences and are left out of the window",
                                   first, kept.size(), last_left_out, plan.essences));
  }
  const int in_essences = static_cast<int>(whole.size() - with_blocks.size());
  std::vector<Segment> built;
  std::size_t begin = 0;
  const auto cut = [&](SegmentKind kind, std::uint64_t id, const std::vector<TokenId>& part) {
    const auto end = std::max(
        begin, static_cast<std::size_t>(
                   std::mismatch(part.begin(), part.end(), whole.begin(), whole.end()).second -
                   whole.begin()));
    if (end == begin) return;
    built.push_back({kind,
                     id,
                     {whole.begin() + static_cast<std::ptrdiff_t>(begin),
                      whole.begin() + static_cast<std::ptrdiff_t>(end)}});
    begin = end;
  };
  cut(SegmentKind::kSystem, 0, alone);
  cut(SegmentKind::kBlock, 0, with_blocks);
  for (std::size_t i = first; i < kept.size(); ++i) {
    LIUBAI_ASSIGN_OR_RETURN(const auto part,
                            render(now, std::span(kept).subspan(first, i + 1 - first)));
    cut(SegmentKind::kEssence, static_cast<std::uint64_t>(kept[i].id), part);
  }
  LIUBAI_RETURN_IF_ERROR(memory::CheckPrefix(plan, system, in_blocks, in_essences));
  prefix = std::move(built);
  system_alone = {SegmentKind::kSystem, 0, std::move(alone)};
  blocks = std::move(now);
  essences = std::move(kept);
  system_tokens = system;
  blocks_tokens = in_blocks;
  essences_tokens = in_essences;
  tail_stale = true;
  // Notices of edited blocks are in the prefix now.
  std::erase_if(window, [](const WindowTurn& turn) { return turn.id == 0; });
  return Status();
}

Result<Agent::Impl::WindowTurn> Agent::Impl::RenderTurn(const Turn& turn) const {
  const LanguageModel& model = *options.model;
  WindowTurn rendered;
  rendered.id = turn.id;
  rendered.role = turn.role;
  rendered.text = std::string(TruncateUtf8(turn.text, 300));
  const int vocabulary = model.info().vocabulary_size;
  const bool usable = std::all_of(turn.tokens.begin(), turn.tokens.end(), [&](TokenId token) {
    return token >= 0 && (vocabulary == 0 || token < vocabulary);
  });
  if (!usable) {
    options.logger.Log(LogLevel::kWarning, "agent",
                       fmt::format("the token ids of turn {} are not in the vocabulary of {}: its "
                                   "text is used",
                                   turn.id, vocabulary));
  }
  if (turn.role == Role::kAssistant && !turn.tokens.empty() && usable && tokens_known &&
      turn.id >= tokens_from) {
    // The ids that were generated, not those that the text would have.
    LIUBAI_ASSIGN_OR_RETURN(rendered.tokens, model.ChatReplyHeader());
    rendered.tokens.insert(rendered.tokens.end(), turn.tokens.begin(), turn.tokens.end());
    LIUBAI_ASSIGN_OR_RETURN(const auto end, model.ChatMessageEnd());
    rendered.tokens.insert(rendered.tokens.end(), end.begin(), end.end());
    if (static_cast<int>(rendered.tokens.size()) <= TurnLimit()) return rendered;
  }
  const std::string text = memory::FitText(
      turn.text, std::max(TurnLimit() - 16, 32), turn.id,
      [this](std::string_view part) { return Count(part); }, nullptr);
  if (turn.role == Role::kUser || turn.role == Role::kTool) {
    LIUBAI_ASSIGN_OR_RETURN(
        WindowTurn user,
        RenderUser(turn.id, turn.role == Role::kTool ? "Tool result: " + text : text));
    rendered.tokens = std::move(user.tokens);
    rendered.tokens_first = std::move(user.tokens_first);
    return rendered;
  }
  LIUBAI_ASSIGN_OR_RETURN(
      rendered.tokens,
      model.ChatMessage(turn.role == Role::kAssistant ? "assistant" : "system", text));
  return rendered;
}

Result<Agent::Impl::WindowTurn> Agent::Impl::RenderUser(TurnId id, std::string_view content) const {
  WindowTurn user;
  user.id = id;
  user.role = Role::kUser;
  LIUBAI_ASSIGN_OR_RETURN(user.tokens, options.model->ChatMessage("user", content));
  if (!prefix_close.empty()) {
    LIUBAI_ASSIGN_OR_RETURN(user.tokens_first,
                            options.model->ChatFirst(options.system_prompt, content));
  }
  return user;
}

Status Agent::Impl::LoadWindow() {
  Store& store = *options.store;
  LIUBAI_ASSIGN_OR_RETURN(const Session row, store.GetSession(session, options.tenant));
  covered = row.covered_through;
  // Whose token ids the turns have: "<fingerprint> <first turn>".
  tokens_known = false;
  auto setting = store.GetSetting(fmt::format("agent.tokens.{}", session), options.tenant);
  if (setting.ok()) {
    const auto space = setting->rfind(' ');
    long long from = 0;
    if (space != std::string::npos &&
        std::sscanf(setting->c_str() + space + 1, "%lld", &from) == 1 &&
        setting->substr(0, space) == options.model->info().fingerprint) {
      tokens_known = true;
      tokens_from = from;
    }
  } else if (setting.status().code() != StatusCode::kNotFound) {
    return setting.status();
  }

  TurnFilter filter;
  filter.tenant = options.tenant;
  filter.session = session;
  if (options.memory_mode == MemoryMode::kLiubai) filter.after_turn = covered;
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<Turn> turns,
                          store.Turns(filter, kMostWindowTurns, true));
  window.clear();
  const int budget = TurnsBudget();
  // All that was in the window when the session ended fits again; an import may be far larger, and
  // then the window begins below the high mark.
  int used = 0;
  std::size_t begin = turns.size();
  std::vector<WindowTurn> rendered;
  for (; begin > 0; --begin) {
    LIUBAI_ASSIGN_OR_RETURN(WindowTurn turn, RenderTurn(turns[begin - 1]));
    if (used + static_cast<int>(turn.tokens.size()) > budget) break;
    used += static_cast<int>(turn.tokens.size());
    rendered.push_back(std::move(turn));
  }
  while (begin > 0 && !rendered.empty() && used > plan.high_mark * budget) {
    used -= static_cast<int>(rendered.back().tokens.size());
    rendered.pop_back();
    ++begin;
  }
  std::reverse(rendered.begin(), rendered.end());
  // Whole exchanges only, when something is left out.
  if (begin > 0) {
    std::size_t skip = 0;
    while (skip < rendered.size() && rendered[skip].role != Role::kUser) ++skip;
    if (skip < rendered.size()) {
      rendered.erase(rendered.begin(), rendered.begin() + static_cast<std::ptrdiff_t>(skip));
    }
  }
  window = std::move(rendered);
  window_first = window.empty() ? 0 : window.front().id;
  backlog = 0;
  if (options.memory_mode == MemoryMode::kLiubai && row.turns > 0) {
    // Counted in the store: the read above is bounded.
    filter.before_turn = window_first;
    for (TurnId after = covered;;) {
      filter.after_turn = after;
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<Turn> part, store.Turns(filter, 1000));
      backlog += static_cast<int>(part.size());
      if (part.size() < 1000) break;
      after = part.back().id;
    }
  }
  for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
    if (turn->role != Role::kUser) continue;
    last_user_text = std::string(TruncateUtf8(turn->text, 300));
    break;
  }
  tail_stale = true;
  return Status();
}

// Before the first reply with token ids is stored, the session says whose they are.
Status Agent::Impl::RememberTokens() {
  if (tokens_known) return Status();
  TurnId from = 1;
  for (const WindowTurn& turn : window) from = std::max(from, turn.id);
  LIUBAI_RETURN_IF_ERROR(options.store->SetSetting(
      fmt::format("agent.tokens.{}", session),
      fmt::format("{} {}", options.model->info().fingerprint, from), options.tenant));
  tokens_from = from;
  tokens_known = true;
  return Status();
}

void Agent::Impl::Add(const WindowTurn& turn, std::vector<Segment>* segments) const {
  const SegmentKind before = segments->empty() ? SegmentKind::kSystem : segments->back().kind;
  const bool first = before == SegmentKind::kSystem || before == SegmentKind::kBlock ||
                     before == SegmentKind::kEssence;
  const bool joined = first && !turn.tokens_first.empty();
  if (first && !joined && !prefix_close.empty()) {
    segments->push_back({SegmentKind::kOther, 0, prefix_close});
  }
  segments->push_back({turn.id == 0 ? SegmentKind::kNotice : SegmentKind::kTurn,
                       static_cast<std::uint64_t>(turn.id),
                       joined ? turn.tokens_first : turn.tokens});
}

std::vector<Segment> Agent::Impl::Segments() const {
  std::vector<Segment> segments = prefix;
  for (const WindowTurn& turn : window) Add(turn, &segments);
  return segments;
}

int Agent::Impl::WindowTokens() const {
  int tokens = 0;
  for (const WindowTurn& turn : window) tokens += static_cast<int>(turn.tokens.size());
  return tokens;
}

int Agent::Impl::TurnsBudget() const {
  return plan.Turns(system_tokens + blocks_tokens, essences_tokens);
}

void Agent::Impl::Refresh() {
  WindowInfo info;
  info.window_tokens = plan.window;
  info.system_tokens = system_tokens;
  info.blocks_tokens = blocks_tokens;
  info.essences_tokens = essences_tokens;
  info.turns_tokens = WindowTokens();
  info.recalled_tokens = recalled_tokens;
  info.blocks_budget = plan.blocks;
  info.essences_budget = plan.essences;
  info.turns_budget = TurnsBudget();
  info.recalled_budget = plan.recalled;
  info.reply_budget = plan.reply;
  for (const WindowTurn& turn : window) info.turns += turn.id != 0;
  info.first_turn = window.empty() ? 0 : window.front().id;
  info.backlog_turns = backlog;
  info.essences = static_cast<int>(essences.size());
  const ContextStats stats = context->stats();
  info.pages = stats.pages;
  info.pool_pages = stats.pool_pages;
  info.pool_free_pages = stats.pool_free_pages;
  info.pressure =
      info.turns_budget > 0 ? static_cast<double>(info.turns_tokens) / info.turns_budget : 1.0;
  if (stats.pages + stats.pool_free_pages > 0) {
    info.pressure = std::max(
        info.pressure, static_cast<double>(stats.pages) / (stats.pages + stats.pool_free_pages));
  }
  std::lock_guard lock(mutex);
  snapshot = info;
}

Result<bool> Agent::Impl::IdleStep(std::stop_token stop) {
  const Status cancelled(StatusCode::kCancelled, "idle work made way");
  if (stop.stop_requested() || Closing()) return cancelled;
  if (options.memory_mode == MemoryMode::kLiubai) {
    // Vectors first: what compaction proves is found by meaning too.
    LIUBAI_ASSIGN_OR_RETURN(const IndexProgress indexed,
                            retriever->IndexPending(kIndexBatch, stop));
    {
      std::lock_guard lock(mutex);
      idle.embedded += indexed.embedded;
    }
    if (indexed.embedded > 0) {
      if (retriever->status().unmerged > kUnmergedVectors) {
        LIUBAI_RETURN_IF_ERROR(retriever->Publish());
      }
      return true;
    }
    LIUBAI_ASSIGN_OR_RETURN(const bool compacted, CompactOnce(false, stop));
    if (compacted) return true;
    LIUBAI_ASSIGN_OR_RETURN(const bool rechecked, RecheckOnce(stop));
    if (rechecked) return true;
  } else if (WindowTokens() > plan.high_mark * TurnsBudget()) {
    Reply unused;
    LIUBAI_RETURN_IF_ERROR(
        MakeRoom(TurnsBudget() - static_cast<int>(plan.low_mark * TurnsBudget()), &unused, stop));
  }
  // The exact cache of what the next turn begins with: without what was recalled for the last one.
  if (tail_stale) {
    recalled_tokens = 0;
    LIUBAI_RETURN_IF_ERROR(context->SetSegments(Segments()));
    LIUBAI_RETURN_IF_ERROR(context->Prefill(stop));
    tail_stale = false;
  }
  return ReadFactsOnce(stop);
}

Result<bool> Agent::Impl::CompactOnce(bool force, std::stop_token stop, bool all) {
  if (options.memory_mode != MemoryMode::kLiubai) return false;
  Store& store = *options.store;
  const LanguageModel& model = *options.model;
  const int budget = TurnsBudget();
  const int low = static_cast<int>(plan.low_mark * budget);
  const auto count = [this](std::string_view part) { return Count(part); };

  memory::CompactionRequest request;
  std::vector<WindowTurn> chosen;
  std::size_t from_window = 0;
  if (backlog > 0) {
    // Turns that never were in this window (an import, a larger window before): as many at a time
    // as a summary can be asked for.
    TurnFilter filter;
    filter.tenant = options.tenant;
    filter.session = session;
    filter.after_turn = covered;
    filter.before_turn = window_first;
    LIUBAI_ASSIGN_OR_RETURN(std::vector<Turn> turns, store.Turns(filter, 200));
    // Beside the system prompt, the instruction and the summary.
    const int room = std::max(plan.window - system_tokens - blocks_tokens - plan.essences - 160,
                              plan.least_turns);
    int used = 0;
    std::size_t take = 0, whole = 0;
    for (; take < turns.size(); ++take) {
      LIUBAI_ASSIGN_OR_RETURN(WindowTurn turn, RenderTurn(turns[take]));
      if (turns[take].role == Role::kUser) whole = take;
      if (take > 0 && used + static_cast<int>(turn.tokens.size()) > room) break;
      used += static_cast<int>(turn.tokens.size());
      chosen.push_back(std::move(turn));
    }
    if (take < turns.size() && whole > 0) take = whole;
    chosen.resize(take);
    turns.resize(take);
    request.turns = std::move(turns);
    if (request.turns.empty()) {
      backlog = 0;
      return false;
    }
  } else {
    WindowInfo info;
    {
      std::lock_guard lock(mutex);
      info = snapshot;
    }
    const double pressure =
        std::max(budget > 0 ? static_cast<double>(WindowTokens()) / budget : 1.0,
                 info.pages + info.pool_free_pages > 0
                     ? static_cast<double>(info.pages) / (info.pages + info.pool_free_pages)
                     : 0.0);
    if (!force && (pressure <= plan.high_mark || compact_failed)) return false;
    // The oldest whole exchanges, down to the low mark; the last one stays unless all must go.
    int left = WindowTokens();
    std::size_t last_exchange = window.size();
    while (last_exchange > 0 && window[last_exchange - 1].role != Role::kUser) --last_exchange;
    if (last_exchange > 0) --last_exchange;
    std::size_t take = 0;
    while (take < last_exchange && (left > low || window[take].role != Role::kUser)) {
      left -= static_cast<int>(window[take++].tokens.size());
    }
    if (take == 0 && force && window.size() > 0 && (all || WindowTokens() > low)) {
      take = window.size();
    }
    std::vector<TurnId> ids;
    for (std::size_t i = 0; i < take; ++i) {
      chosen.push_back(window[i]);
      if (window[i].id != 0) ids.push_back(window[i].id);
    }
    from_window = take;
    if (ids.empty()) {
      compact_failed = !force;
      return false;
    }
    LIUBAI_ASSIGN_OR_RETURN(request.turns, store.GetTurns(ids, options.tenant));
    if (request.turns.empty()) {  // Deleted meanwhile.
      window.erase(window.begin(), window.begin() + static_cast<std::ptrdiff_t>(take));
      tail_stale = true;
      return true;
    }
  }

  request.tenant = options.tenant;
  request.session = session;
  for (const WindowTurn& turn : chosen) {
    request.tokens_before += static_cast<int>(turn.tokens.size());
  }
  // "[essence 12] " before each, the line that leads to them, and where tokens meet.
  constexpr int kAround = 16;
  request.policy = policy;
  request.essence_tokens =
      std::max(static_cast<int>(plan.essences * policy.essence_share) - kAround, 24);
  request.all_essences_tokens = std::max(plan.essences - kAround, 24);
  int others = 0;
  for (const Block& other : blocks) {
    if (other.label != memory::kUserBlock) others += Count(other.value) + Count(other.label) + 6;
  }
  request.standing_tokens = std::max(plan.blocks - system_tokens - others - 12, 0);
  request.essences = essences;
  request.count = count;
  request.now_ms = Now();
  // Of a long import all but the last part soon shares lines with its neighbours: a summary by the
  // model would cost minutes and be cut to a line.
  const bool last_part = backlog <= static_cast<int>(request.turns.size());
  if (options.compaction == CompactionMode::kModel && (backlog == 0 || last_part)) {
    request.summarise = [&](std::string_view instruction, int max_tokens,
                            std::stop_token token) -> Result<std::string> {
      // On a fork that shares the live pages: only the instruction is computed.
      LIUBAI_ASSIGN_OR_RETURN(auto fork, context->Fork());
      std::vector<Segment> segments = from_window > 0 ? prefix : std::vector<Segment>{system_alone};
      for (const WindowTurn& turn : chosen) Add(turn, &segments);
      LIUBAI_ASSIGN_OR_RETURN(auto ask, model.ChatMessage("user", instruction));
      LIUBAI_ASSIGN_OR_RETURN(const auto header, model.ChatReplyHeader());
      ask.insert(ask.end(), header.begin(), header.end());
      segments.push_back({SegmentKind::kOther, 0, std::move(ask)});
      LIUBAI_RETURN_IF_ERROR(fork->SetSegments(std::move(segments)));
      SamplingParams greedy;
      greedy.max_tokens = max_tokens;
      greedy.repetition_penalty = 1.1f;
      LIUBAI_ASSIGN_OR_RETURN(Generation summary, fork->Generate(greedy, {}, token));
      if (summary.reason == StopReason::kCancelled) {
        return Status(StatusCode::kCancelled, "the summary was cancelled");
      }
      if (summary.reason == StopReason::kMaxTokens) summary.text += "…";
      return std::move(summary.text);
    };
  }
  auto outcome = memory::CompactTurns(store, *retriever, request, options.logger, stop);
  if (!outcome.ok()) {
    if (outcome.status().code() != StatusCode::kCancelled) {
      compact_failed = true;
      options.logger.Log(LogLevel::kError, "compaction", outcome.status().ToString());
    }
    return outcome.status();
  }
  covered = request.turns.back().id;
  if (from_window > 0) {
    window.erase(window.begin(), window.begin() + static_cast<std::ptrdiff_t>(from_window));
    window_first = window.empty() ? 0 : window.front().id;
  } else {
    backlog -= static_cast<int>(request.turns.size());
  }
  tail_stale = true;
  {
    std::lock_guard lock(mutex);
    ++idle.compactions;
    for (const auto& [line, by] : outcome->edit.replaced) standing_changes.push_back({line, by});
    for (const std::string& line : outcome->edit.dropped) standing_changes.push_back({line, ""});
  }
  options.logger.Log(
      LogLevel::kInfo, "compaction",
      fmt::format("turns {}–{}: {} tokens became {}; {} details: {} in the essence, {} proved, {} "
                  "verbatim ({}, {} ms)",
                  outcome->report.first_turn, outcome->report.last_turn,
                  outcome->report.tokens_before, outcome->report.tokens_after,
                  outcome->report.details, outcome->report.kept_in_essence, outcome->report.proved,
                  outcome->report.kept_in_window, outcome->report.method,
                  outcome->report.duration_ms));

  LIUBAI_RETURN_IF_ERROR(LoadPrefix());
  Refresh();
  return true;
}

}  // namespace liubai::inline v1
