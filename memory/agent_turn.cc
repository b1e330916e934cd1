// A turn, end to end: commit, recall, append, generate, commit.
#include <fmt/format.h>

#include <algorithm>

#include "core/elapsed.h"
#include "core/macros.h"
#include "core/text.h"
#include "memory/agent_impl.h"
#include "memory/essence.h"
#include "memory/prompt.h"

namespace liubai::inline v1 {
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
    // Essences that grew may leave less room than the last exchange and the message need together.
    LIUBAI_ASSIGN_OR_RETURN(bool done, CompactOnce(true, stop));
    if (!done) {
      LIUBAI_ASSIGN_OR_RETURN(done, CompactOnce(true, stop, /*all=*/true));
    }
    if (!done) break;
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
                                                     const Recalled& recalled,
                                                     std::vector<TokenId> header) {
  const std::string_view memories = recalled.memories;
  Prompt prompt;
  prompt.segments = Segments();
  prompt.user = user;
  const bool in_message = options.recall_placement == RecallPlacement::kInMessage;
  const bool chinese = memory::MostlyChinese(fitted);
  if (memories.empty() && (recalled.tellings.sentences.empty() || !in_message)) {
    Add(user, &prompt.segments);
  } else if (in_message) {
    std::vector<std::string> tellings;
    for (const memory::Telling& one : recalled.tellings.sentences) {
      tellings.push_back(one.sentence);
    }
    LIUBAI_ASSIGN_OR_RETURN(
        prompt.user, RenderUser(user.id, memory::MessageWithMemories(memories, fitted, chinese,
                                                                     recalled.asks, tellings)));
    prompt.user.text = user.text;
    Add(prompt.user, &prompt.segments);
  } else {
    WindowTurn before;
    before.role = Role::kSystem;
    LIUBAI_ASSIGN_OR_RETURN(before.tokens, options.model->ChatMessage(
                                               "system", memory::MemoriesText(memories, chinese)));
    Add(before, &prompt.segments);
    prompt.segments.back().kind = SegmentKind::kRecalled;
    Add(user, &prompt.segments);
    prompt.user.tokens = std::move(before.tokens);
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
  LIUBAI_ASSIGN_OR_RETURN(Recalled recalled, RecallFor(text, &reply, stop));

  LIUBAI_ASSIGN_OR_RETURN(Prompt prompt, BuildPrompt(user, fitted, recalled, header));
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
  const Status looked = UseTools(fitted, &sampling, &recalled, stop, &reply);
  if (!looked.ok()) return WithoutReply(looked, prompt.tokens, called, std::move(reply));
  const auto started = Clock::now();
  auto generated = GenerateReply(text, recalled, sampling, on_text, stop, &reply);
  if (!generated.ok()) {
    return WithoutReply(generated.status(), prompt.tokens, called, std::move(reply));
  }
  Complete(text, recalled, reply.broke_off,
           plan.window - prompt.tokens - static_cast<int>(generated->tokens.size()), on_text,
           &*generated);
  reply.text = generated->text;
  reply.stop_reason = generated->reason;
  reply.prompt_tokens = generated->prompt_tokens;
  reply.cached_tokens =
      std::max(generated->prompt_tokens - generated->prefilled_tokens - tools_prefilled, 0);
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
  reply.standing_changes = TakeStandingChanges();
  reply.total_us = MicrosSince(called);
  return reply;
}

}  // namespace liubai::inline v1
