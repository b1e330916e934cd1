// A turn, end to end: commit, recall, append, generate, commit.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/macros.h"
#include "core/text.h"
#include "memory/agent_impl.h"
#include "memory/answer_guard.h"
#include "memory/essence.h"
#include "memory/ledger.h"
#include "memory/prompt.h"

namespace liubai::inline v1 {
namespace {

std::int64_t MicrosSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                               start)
      .count();
}

// "I don't know" and its kin: such replies, recalled, only teach the model to repeat them.
bool SaysUnknown(std::string_view text) {
  const std::string lower = ToLowerUtf8(TruncateUtf8(text, 300));
  for (std::string_view sign :
       {"don't know", "do not know", "don't have", "do not have", "no information", "not sure",
        "cannot recall", "can't recall", "don’t know", "i'm sorry", "i apologize", "as an ai",
        "不知道", "不清楚", "没有相关", "没有提到", "无法", "抱歉"}) {
    if (lower.find(sign) != std::string::npos) return true;
  }
  return false;
}

// Asks in every sentence: it holds the words of its answer but not the answer.
bool OnlyAsks(std::string_view text) {
  for (const memory::TextRange range : memory::SplitSentences(text)) {
    if (!memory::IsQuestion(text.substr(range.begin, range.end - range.begin))) return false;
  }
  return true;
}

// How much a hit counts as a memory, beside how well it fits the words.
double Usefulness(const Turn& turn) {
  if (OnlyAsks(turn.text)) return 0.3;
  if (turn.role == Role::kAssistant) return SaysUnknown(turn.text) ? 0.2 : 0.85;
  return turn.status == TurnStatus::kInterrupted ? 0.7 : 1.0;
}

// Below this share of the best score a memory distracts more than it helps.
constexpr double kLeastOfBest = 0.45;
// Of a message's words, in one turn.
constexpr double kAskedCover = 0.75;
constexpr double kRelatedCover = 0.5;
constexpr std::size_t kMostQueryBytes = 2000;

}  // namespace

Status Agent::Impl::CommitUser(std::string_view text, const SendOptions& send, Reply* reply) {
  NewTurn turn;
  turn.session_id = session;
  turn.role = Role::kUser;
  turn.speaker = options.user_name;
  turn.text = std::string(text);
  turn.time_ms = Now();
  turn.idempotency_key = send.idempotency_key;
  LIUBAI_ASSIGN_OR_RETURN(reply->user_turn, options.store->AppendTurn(turn, options.tenant));
  if (reply->user_turn <= covered) {
    return Status(
        StatusCode::kAlreadyExists,
        fmt::format("the message with the key \"{}\" is turn {}, which has left the window",
                    send.idempotency_key, reply->user_turn));
  }
  const auto known = std::find_if(window.begin(), window.end(), [&](const WindowTurn& old) {
    return old.id == reply->user_turn;
  });
  if (known == window.end()) return Status();
  if (known + 1 != window.end()) {
    return Status(
        StatusCode::kAlreadyExists,
        fmt::format("the message with the key \"{}\" is turn {}, and {}", send.idempotency_key,
                    reply->user_turn,
                    (known + 1)->role == Role::kAssistant ? "it has its reply"
                                                          : "the conversation went on after it"));
  }
  window.pop_back();  // Its reply failed: rendered again.
  return Status();
}

Status Agent::Impl::RecallFor(std::string_view text, Reply* reply, bool* asks,
                              std::string* memories, std::stop_token stop) {
  memories->clear();
  if (options.memory_mode != MemoryMode::kLiubai || options.recall_turns == 0) return Status();
  const auto start = Clock::now();
  RecallQuery query;
  // A long message is asked for by its two ends.
  query.text = std::string(TruncateUtf8(text, kMostQueryBytes));
  if (text.size() > 2 * kMostQueryBytes) {
    std::string_view tail = text.substr(text.size() - kMostQueryBytes / 2);
    while (!tail.empty() && (static_cast<unsigned char>(tail[0]) & 0xC0) == 0x80)
      tail.remove_prefix(1);
    query.text += "\n";
    query.text += tail;
  }
  query.context = last_user_text;
  query.filter.tenant = options.tenant;
  for (const WindowTurn& turn : window) {
    if (turn.id != 0) query.filter.exclude.push_back(turn.id);
  }
  query.filter.exclude.push_back(reply->user_turn);
  query.limit = options.recall_turns * 3 + 4;
  query.now_ms = Now();
  auto found = retriever->Recall(query, stop);
  if (!found.ok()) {
    if (found.status().code() == StatusCode::kCancelled) return found.status();
    // A reply without memories is better than none, and it says so.
    reply->recall_note = "recall failed: " + found.status().ToString();
    options.logger.Log(LogLevel::kError, "agent", reply->recall_note);
    return Status();
  }
  reply->recall_note = found->note;
  std::unordered_set<std::string> seen;
  for (const WindowTurn& turn : window) {
    if (!turn.text.empty()) seen.insert(turn.text);
  }
  std::vector<RecallHit> hits;
  const bool question = memory::IsQuestion(text);
  // Which share of the message's terms the turn itself has.
  const auto covered = [&](const RecallHit& hit) {
    const std::size_t terms = std::max(found->terms.size(), hit.words.size());
    return terms == 0 ? 0.0 : static_cast<double>(hit.words.size()) / static_cast<double>(terms);
  };
  for (RecallHit& hit : found->hits) {
    // The same words in another session (a fork, a repeated import) count once.
    if (!seen.insert(std::string(TruncateUtf8(hit.turn.text, 300))).second) continue;
    // Neighbours bring a turn in; of a few turns the ones with the question's own words answer it.
    const double share = covered(hit);
    // A question all of whose words were said together is asked of the memory, whatever its form.
    if (question && found->terms.size() >= 2 && share >= kAskedCover) *asks = true;
    hit.score *= Usefulness(hit.turn) * (0.7 + 0.5 * share);
    hits.push_back(std::move(hit));
  }
  std::stable_sort(hits.begin(), hits.end(),
                   [](const RecallHit& a, const RecallHit& b) { return a.score > b.score; });
  while (!hits.empty() && hits.back().score < kLeastOfBest * hits.front().score) hits.pop_back();
  // What does not ask the memory gets only what is plainly about the same: a small model answers
  // the memories instead of the message.
  if (!*asks) {
    std::erase_if(hits, [&](const RecallHit& hit) { return covered(hit) < kRelatedCover; });
  }
  found->hits = std::move(hits);
  if (found->hits.empty()) {
    reply->recall_us = MicrosSince(start);
    return Status();
  }

  const bool chinese = memory::MostlyChinese(text);
  PackOptions pack;
  pack.budget_tokens =
      plan.recalled - Count(memory::MessageWithMemories("\n", "", chinese, true)) - 4;
  // What does not ask the memory gets the best one only: more of them draw the reply away.
  pack.most = *asks ? options.recall_turns : std::min(options.recall_turns, 1);
  pack.count = [this](std::string_view part) -> Result<std::int64_t> { return Count(part); };
  LIUBAI_ASSIGN_OR_RETURN(const PackedMemories packed, PackMemories(*found, pack));
  *memories = packed.text;
  for (const TurnId id : packed.turns) {
    for (const RecallHit& hit : found->hits) {
      if (hit.turn.id != id) continue;
      RecalledTurn turn;
      turn.turn_id = id;
      turn.score = hit.score;
      turn.why = hit.Why();
      turn.text = RenderMemory(
          hit.turn, std::string_view(hit.turn.text).substr(hit.begin, hit.end - hit.begin));
      reply->recalled.push_back(std::move(turn));
      break;
    }
  }
  reply->recall_us = MicrosSince(start);
  return Status();
}

Status Agent::Impl::MakeRoom(int tokens, Reply* reply, std::stop_token stop) {
  while (WindowTokens() + tokens > TurnsBudget()) {
    if (options.memory_mode == MemoryMode::kSlidingWindow) {
      // The oldest exchanges are forgotten, down to the low mark, so that it happens rarely.
      const int low =
          std::min(static_cast<int>(plan.low_mark * TurnsBudget()), TurnsBudget() - tokens);
      std::size_t drop = 0;
      int left = WindowTokens();
      while (drop < window.size() &&
             (left > low || (drop > 0 && window[drop].role != Role::kUser))) {
        left -= static_cast<int>(window[drop++].tokens.size());
      }
      window.erase(window.begin(), window.begin() + static_cast<std::ptrdiff_t>(drop));
      if (drop == 0) break;
      continue;
    }
    reply->waited_for_compaction = true;
    auto done = CompactOnce(true, stop);
    LIUBAI_RETURN_IF_ERROR(done.status());
    if (!*done) break;
  }
  if (WindowTokens() + tokens > TurnsBudget()) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("the message takes {} tokens and the window's part for turns is {}, "
                              "of which {} cannot be compacted",
                              tokens, TurnsBudget(), WindowTokens()));
  }
  return Status();
}

// An edit of a block by the application is announced at the tail; the next compaction folds it into
// the prefix, which stays cached until then.
Status Agent::Impl::FollowBlocks() {
  if (options.memory_mode != MemoryMode::kLiubai) return Status();
  LIUBAI_ASSIGN_OR_RETURN(std::vector<Block> now, options.store->Blocks(options.tenant));
  std::vector<Block> changed;
  for (const Block& block : now) {
    const auto known = std::find_if(blocks.begin(), blocks.end(),
                                    [&](const Block& old) { return old.label == block.label; });
    if (known == blocks.end() || known->value != block.value) changed.push_back(block);
  }
  for (const Block& old : blocks) {
    const bool gone = std::none_of(now.begin(), now.end(),
                                   [&](const Block& block) { return block.label == old.label; });
    if (!gone) continue;
    changed.push_back(old);
    changed.back().deleted = true;
  }
  if (changed.empty()) return Status();
  const int total = Count(memory::SystemText(options.system_prompt, now)) + 8;
  LIUBAI_RETURN_IF_ERROR(memory::CheckPrefix(plan, system_tokens,
                                             std::max(0, total - system_tokens), essences_tokens));
  blocks = std::move(now);
  if (window.empty()) return LoadPrefix();
  for (const Block& block : changed) {
    WindowTurn notice;
    notice.role = Role::kSystem;
    LIUBAI_ASSIGN_OR_RETURN(notice.tokens,
                            options.model->ChatMessage("system", memory::NoticeText(block)));
    window.push_back(std::move(notice));
  }
  return Status();
}

Result<Agent::Impl::Prompt> Agent::Impl::BuildPrompt(const WindowTurn& user,
                                                     std::string_view fitted,
                                                     std::string_view memories, bool asks,
                                                     std::vector<TokenId> header) {
  Prompt prompt;
  prompt.segments = Segments();
  prompt.user = user;
  if (memories.empty()) {
    Add(user, &prompt.segments);
  } else if (const bool chinese = memory::MostlyChinese(fitted);
             options.recall_placement == RecallPlacement::kInMessage) {
    LIUBAI_ASSIGN_OR_RETURN(prompt.user, RenderUser(user.id, memory::MessageWithMemories(
                                                                 memories, fitted, chinese, asks)));
    prompt.user.text = user.text;
    Add(prompt.user, &prompt.segments);
  } else {
    WindowTurn recalled;
    recalled.role = Role::kSystem;
    LIUBAI_ASSIGN_OR_RETURN(
        recalled.tokens,
        options.model->ChatMessage("system", memory::MemoriesText(memories, chinese)));
    Add(recalled, &prompt.segments);
    prompt.segments.back().kind = SegmentKind::kRecalled;
    Add(user, &prompt.segments);
    prompt.user.tokens = std::move(recalled.tokens);
    prompt.user.tokens.insert(prompt.user.tokens.end(), user.tokens.begin(), user.tokens.end());
    prompt.user.tokens_first.clear();
  }
  recalled_tokens = static_cast<int>(prompt.user.tokens.size() - user.tokens.size());
  prompt.segments.push_back({SegmentKind::kTurn, 0, std::move(header)});
  for (const Segment& segment : prompt.segments) {
    prompt.tokens += static_cast<int>(segment.tokens.size());
  }
  return prompt;
}

Result<Reply> Agent::Impl::WithoutReply(const Status& failure, int prompt_tokens,
                                        Clock::time_point called, Reply reply) {
  if (failure.code() == StatusCode::kCancelled) {
    reply.stop_reason = StopReason::kCancelled;
    reply.prompt_tokens = prompt_tokens;
    reply.total_us = MicrosSince(called);
    return reply;
  }
  // What the failure left in the context is not trusted.
  if (failure.code() != StatusCode::kResourceExhausted) {
    auto fresh = options.model->NewContext();
    if (fresh.ok()) context = std::move(*fresh);
  }
  return failure.WithContext(fmt::format("turn {} is stored, its reply failed", reply.user_turn));
}

Status Agent::Impl::StoreReply(const Generation& generated, std::vector<TokenId> header,
                               Reply* reply) {
  LIUBAI_RETURN_IF_ERROR(RememberTokens());
  NewTurn turn;
  turn.session_id = session;
  turn.role = Role::kAssistant;
  turn.speaker = options.assistant_name;
  turn.text = generated.text;
  turn.tokens = generated.tokens;
  turn.time_ms = Now();
  turn.status =
      generated.reason == StopReason::kCancelled ? TurnStatus::kInterrupted : TurnStatus::kComplete;
  auto stored = options.store->AppendTurn(turn, options.tenant);
  if (!stored.ok()) {
    return stored.status().WithContext(
        fmt::format("turn {} is stored, its reply could not be", reply->user_turn));
  }
  reply->reply_turn = *stored;
  WindowTurn spoken;
  spoken.id = *stored;
  spoken.role = Role::kAssistant;
  spoken.text = std::string(TruncateUtf8(generated.text, 300));
  spoken.tokens = std::move(header);
  spoken.tokens.insert(spoken.tokens.end(), generated.tokens.begin(), generated.tokens.end());
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<TokenId> end, options.model->ChatMessageEnd());
  spoken.tokens.insert(spoken.tokens.end(), end.begin(), end.end());
  window.push_back(std::move(spoken));
  compact_failed = false;
  Refresh();
  return Status();
}

Result<Reply> Agent::Impl::RunTurn(std::string_view text, const OnText& on_text,
                                   const SendOptions& send, std::stop_token stop,
                                   Clock::time_point called) {
  LIUBAI_RETURN_IF_ERROR(CheckText(text, "the message"));
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Status(StatusCode::kInvalidArgument, "the message is empty");
  }
  if (stop.stop_requested()) return Status(StatusCode::kCancelled, "cancelled before it began");

  Reply reply;
  LIUBAI_RETURN_IF_ERROR(CommitUser(text, send, &reply));
  // The message, whole or by its ends.
  const auto count = [this](std::string_view part) { return Count(part); };
  const int limit = std::max(TurnLimit() - 16, 32);  // The header and the end of a message.
  const std::string fitted = memory::FitText(text, limit, reply.user_turn, count, &reply.shortened);
  LIUBAI_ASSIGN_OR_RETURN(WindowTurn user, RenderUser(reply.user_turn, fitted));
  user.text = std::string(TruncateUtf8(text, 300));
  auto keep = std::make_unique<KeepTurn>(this, user);
  if (window_first == 0) window_first = reply.user_turn;

  LIUBAI_RETURN_IF_ERROR(FollowBlocks());
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<TokenId> header, options.model->ChatReplyHeader());
  LIUBAI_RETURN_IF_ERROR(
      MakeRoom(static_cast<int>(user.tokens.size() + header.size()), &reply, stop));
  bool asks = options.memory_mode == MemoryMode::kLiubai && memory::AsksMemory(text);
  std::string memories;
  LIUBAI_RETURN_IF_ERROR(RecallFor(text, &reply, &asks, &memories, stop));

  LIUBAI_ASSIGN_OR_RETURN(Prompt prompt, BuildPrompt(user, fitted, memories, asks, header));
  SamplingParams sampling = options.sampling;
  sampling.max_tokens = std::min({sampling.max_tokens, plan.reply, plan.window - prompt.tokens});
  if (sampling.max_tokens < 1) {
    return Status(
        StatusCode::kResourceExhausted,
        fmt::format("the prompt of {} tokens leaves no room for a reply in the window of {}",
                    prompt.tokens, plan.window));
  }
  tail_stale = true;
  LIUBAI_RETURN_IF_ERROR(context->SetSegments(std::move(prompt.segments)));
  const auto started = Clock::now();
  auto generated = GenerateReply(text, asks, sampling, on_text, stop, &reply);
  if (!generated.ok()) {
    return WithoutReply(generated.status(), prompt.tokens, called, std::move(reply));
  }
  reply.text = generated->text;
  reply.stop_reason = generated->reason;
  reply.prompt_tokens = generated->prompt_tokens;
  reply.cached_tokens = generated->prompt_tokens - generated->prefilled_tokens;
  reply.reply_tokens = static_cast<int>(generated->tokens.size());
  reply.ttft_us = std::chrono::duration_cast<std::chrono::microseconds>(started - called).count() +
                  generated->first_token_us;
  if (options.keep_recalled && recalled_tokens > 0) {
    keep->turn = std::move(prompt.user);
    recalled_tokens = 0;
  }
  keep.reset();  // The user's turn is in the window now.
  last_user_text = std::string(TruncateUtf8(text, 300));
  // Stopped before its first word: there is nothing to store.
  if (generated->reason != StopReason::kCancelled || !generated->tokens.empty()) {
    LIUBAI_RETURN_IF_ERROR(StoreReply(*generated, header, &reply));
  }
  reply.total_us = MicrosSince(called);
  return reply;
}

}  // namespace liubai::inline v1
