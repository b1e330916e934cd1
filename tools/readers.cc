#include "tools/readers.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/elapsed.h"
#include "core/macros.h"
#include "tools/needle_text.h"

namespace liubai::tools {
namespace {

std::string_view RoleName(Role role) { return role == Role::kAssistant ? "assistant" : "user"; }

// The start of a chat and each turn as its messages.
Result<std::vector<std::vector<TokenId>>> Render(const LanguageModel& model,
                                                 std::string_view system,
                                                 std::span<const NewTurn> turns) {
  std::vector<std::vector<TokenId>> messages;
  LIUBAI_ASSIGN_OR_RETURN(messages.emplace_back(), model.ChatStart(system));
  for (const NewTurn& turn : turns) {
    LIUBAI_ASSIGN_OR_RETURN(messages.emplace_back(),
                            model.ChatMessage(RoleName(turn.role), turn.text));
  }
  return messages;
}

bool HoldsAll(std::string_view text, References references) {
  return !references.empty() &&
         ReferencesFound({references.begin(), references.end()}, text) == 1.0;
}

}  // namespace

Result<int> CountChatTokens(LanguageModel& model, std::string_view system,
                            std::span<const NewTurn> turns) {
  LIUBAI_ASSIGN_OR_RETURN(const auto messages, Render(model, system, turns));
  std::size_t tokens = 0;
  for (const auto& message : messages) tokens += message.size();
  return static_cast<int>(tokens);
}

Result<std::unique_ptr<TextReader>> TextReader::Open(LanguageModel& model, std::string_view system,
                                                     std::span<const NewTurn> turns,
                                                     int limit_tokens, int reserve_tokens,
                                                     std::stop_token stop) {
  LIUBAI_ASSIGN_OR_RETURN(auto messages, Render(model, system, turns));
  int left = limit_tokens - reserve_tokens - static_cast<int>(messages[0].size());
  std::size_t first = messages.size();
  while (first > 1 && static_cast<int>(messages[first - 1].size()) <= left) {
    left -= static_cast<int>(messages[--first].size());
  }
  if (first == messages.size() && !turns.empty()) {
    return Status(
        StatusCode::kResourceExhausted,
        fmt::format("a prompt of {} tokens, {} of them reserved, has no room for the last "
                    "turn of {} tokens",
                    limit_tokens, reserve_tokens, messages.back().size()));
  }
  LIUBAI_ASSIGN_OR_RETURN(std::unique_ptr<Context> context, model.NewContext());
  std::string text;
  // Where the format joins the system text to the first message, both are rendered together.
  const bool whole_start = first >= messages.size();
  if (whole_start) {
    LIUBAI_RETURN_IF_ERROR(context->Append({SegmentKind::kSystem, 0, std::move(messages[0])}));
  } else {
    const std::string_view opening = turns[first - 1].text;
    LIUBAI_ASSIGN_OR_RETURN(auto tokens, model.ChatOpening(system, opening));
    LIUBAI_RETURN_IF_ERROR(context->Append({SegmentKind::kTurn, 0, std::move(tokens)}));
    text += opening;
  }
  for (std::size_t i = first + 1; i < messages.size(); ++i) {
    LIUBAI_RETURN_IF_ERROR(context->Append({SegmentKind::kTurn, i, std::move(messages[i])}));
    text += "\n" + turns[i - 1].text;
  }
  LIUBAI_RETURN_IF_ERROR(context->Prefill(stop));
  return std::unique_ptr<TextReader>(
      new TextReader(model, std::move(context), messages.size() - first, std::move(text)));
}

Result<Reading> TextReader::Ask(std::string_view question, References references,
                                const SamplingParams& sampling, std::stop_token stop) {
  const auto start = std::chrono::steady_clock::now();
  LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Context> copy, context_->Fork());
  LIUBAI_ASSIGN_OR_RETURN(auto message, model_.ChatMessage("user", question));
  LIUBAI_RETURN_IF_ERROR(copy->Append({SegmentKind::kTurn, 0, std::move(message)}));
  LIUBAI_ASSIGN_OR_RETURN(auto header, model_.ChatReplyHeader());
  LIUBAI_RETURN_IF_ERROR(copy->Append({SegmentKind::kTurn, 0, std::move(header)}));
  LIUBAI_ASSIGN_OR_RETURN(const Generation generation, copy->Generate(sampling, {}, stop));
  if (generation.reason == StopReason::kCancelled) {
    return Status(StatusCode::kCancelled, "stopped");
  }
  Reading reading;
  reading.answer = generation.text;
  reading.prompt_tokens = generation.prompt_tokens;
  reading.computed_tokens = generation.prefilled_tokens;
  reading.total_us = MicrosSince(start);
  reading.in_prompt = HoldsAll(text_, references);
  return reading;
}

Result<std::unique_ptr<TieredReader>> TieredReader::Open(const AgentOptions& options,
                                                         std::span<const NewTurn> turns,
                                                         std::stop_token stop) {
  const auto start = std::chrono::steady_clock::now();
  LIUBAI_ASSIGN_OR_RETURN(ScratchFolder folder, ScratchFolder::Make());
  std::unique_ptr<TieredReader> reader(new TieredReader(options, std::move(folder)));
  LIUBAI_ASSIGN_OR_RETURN(reader->store_, Store::Open(reader->folder_.path() + "/told"));
  AgentOptions& own = reader->options_;
  own.store = reader->store_.get();
  own.idle_work = false;
  LIUBAI_ASSIGN_OR_RETURN(const SessionId session, reader->store_->EnsureSession(own.session));
  std::vector<NewTurn> rows(turns.begin(), turns.end());
  std::int64_t last_ms = 0;
  for (NewTurn& row : rows) {
    row.session_id = session;
    last_ms = std::max(last_ms, row.time_ms);
  }
  if (!own.now_ms) own.now_ms = [last_ms] { return last_ms + 60'000; };
  LIUBAI_RETURN_IF_ERROR(reader->store_->AppendTurns(rows).status());
  LIUBAI_ASSIGN_OR_RETURN(reader->agent_, Agent::Create(own));
  const std::stop_callback cancel(stop, [&] { reader->agent_->Cancel(); });
  LIUBAI_RETURN_IF_ERROR(reader->agent_->WaitIdle());
  reader->open_us_ = MicrosSince(start);
  return reader;
}

Result<Reading> TieredReader::Ask(std::string_view question, References references,
                                  std::stop_token stop) {
  // A copy of the store, so that no question finds another one in the memory.
  LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
  const std::string path = folder.path() + "/asked";
  LIUBAI_RETURN_IF_ERROR(store_->Backup(path));
  LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open(path));
  AgentOptions options = options_;
  options.store = store.get();
  LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Agent> agent, Agent::Create(options));
  const std::stop_callback cancel(stop, [&] { agent->Cancel(); });
  std::string seen;
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<Segment> segments, agent->ContextSegments());
  for (const Segment& segment : segments) seen += options.model->Detokenize(segment.tokens);
  LIUBAI_ASSIGN_OR_RETURN(const Reply reply, agent->Send(question));
  if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
  for (const RecalledTurn& turn : reply.recalled) seen += "\n" + turn.text;
  Reading reading;
  reading.answer = reply.text;
  reading.prompt_tokens = reply.prompt_tokens;
  reading.computed_tokens = reply.prompt_tokens - reply.cached_tokens;
  reading.total_us = reply.total_us;
  reading.broke_off = reply.broke_off;
  reading.in_prompt = HoldsAll(seen, references);
  return reading;
}

}  // namespace liubai::tools
