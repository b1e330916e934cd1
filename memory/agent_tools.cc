// The model's own looks into the memory: it begins its reply with a call, in JSON, gets what was
// said, and begins again. Where the model can be held to a grammar, a reply that begins with a
// brace can only be a call, and one that unfolds an essence can only name those that its prompt
// shows.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "core/text.h"
#include "memory/agent_impl.h"
#include "memory/essence.h"
#include "memory/fts_tokenizer.h"
#include "memory/prompt.h"

namespace liubai::inline v1 {
namespace {

constexpr int kMostQueryChars = 120;
constexpr int kMostCallTokens = 96;
constexpr int kLeastReplyTokens = 64;   // Kept free for the reply.
constexpr int kLeastResultTokens = 48;  // Less is no result.
constexpr int kMostResultTurns = 6;
constexpr std::int64_t kMostUnfolded = 200;
constexpr float kForbidden = -std::numeric_limits<float>::infinity();

Grammar CallGrammar(std::span<const Essence> essences) {
  std::vector<Grammar> calls;
  if (!essences.empty()) {
    std::vector<Grammar> ids;
    for (const Essence& essence : essences) {
      ids.push_back(Grammar::Text(fmt::format("{}", essence.id)));
    }
    calls.push_back(Grammar::Object(
        {{"tool", Grammar::Enum({"unfold"})}, {"essence", Grammar::OneOf(std::move(ids))}}));
  }
  calls.push_back(Grammar::Object(
      {{"tool", Grammar::Enum({"recall"})}, {"query", Grammar::String({2, kMostQueryChars, {}})}}));
  return Grammar::OneOf(std::move(calls));
}

// What a call says; its status where it is none.
ToolCall ReadCall(std::string_view text, std::span<const Essence> essences) {
  ToolCall call;
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto field = [&](const char* key) -> const nlohmann::json& {
    static const nlohmann::json kNone;
    return json.is_object() && json.contains(key) ? json[key] : kNone;
  };
  if (field("tool") == "unfold" && field("essence").is_number_integer()) {
    call.tool = "unfold";
    call.argument = field("essence").dump();
    const auto id = field("essence").get<std::int64_t>();
    if (std::none_of(essences.begin(), essences.end(),
                     [&](const Essence& one) { return one.id == id; })) {
      call.status =
          Status(StatusCode::kNotFound,
                 fmt::format("the prompt shows no essence {}; it shows {}", id, essences.size()));
    }
  } else if (field("tool") == "recall" && field("query").is_string()) {
    call.tool = "recall";
    call.argument = field("query").get<std::string>();
    if (Trim(call.argument).empty()) {
      call.status = Status(StatusCode::kInvalidArgument, "the query is empty");
    }
  } else {
    call.status = Status(StatusCode::kInvalidArgument,
                         fmt::format("\"{}\" is no call of a tool", TruncateUtf8(text, 80)));
  }
  return call;
}

bool BeginsCall(std::string_view text) { return text.starts_with('{'); }

// Also what only leads to a brace: a blank.
bool MayBeginCall(std::string_view text) {
  const auto at = text.find_first_not_of(" \t\n");
  return !text.empty() && (at == text.npos || text[at] == '{');
}

}  // namespace

std::string Agent::Impl::ToolsText() {
  return "\nYou can look into your memory before you answer. To read what an essence stands for, "
         "reply only {\"tool\": \"unfold\", \"essence\": 1} with its number; to search what was "
         "said, reply only {\"tool\": \"recall\", \"query\": \"dentist appointment\"} with words "
         "of your own.";
}

Status Agent::Impl::Execute(std::string_view text, int tokens_left, Recalled* recalled,
                            std::stop_token stop, const Reply& reply, ToolCall* call,
                            std::string* result) {
  RecallResult found;
  const auto terms = memory::TermSet(text);
  const auto share = [&](std::string_view said) {
    const auto has = memory::TermSet(said);
    const auto shared = std::count_if(terms.begin(), terms.end(),
                                      [&](const std::string& term) { return has.contains(term); });
    return terms.empty() ? 0.0 : static_cast<double>(shared) / static_cast<double>(terms.size());
  };
  if (call->tool == "unfold") {
    LIUBAI_ASSIGN_OR_RETURN(
        const UnfoldedEssence unfolded,
        options.store->UnfoldEssence(std::stoll(call->argument), kMostUnfolded, options.tenant));
    for (const Turn& turn : unfolded.turns) {
      RecallHit hit;
      hit.turn = turn;
      hit.score = share(turn.text);  // An essence may stand for more turns than there is room for.
      hit.end = static_cast<std::uint32_t>(turn.text.size());
      found.hits.push_back(std::move(hit));
    }
    std::stable_sort(found.hits.begin(), found.hits.end(),
                     [](const RecallHit& a, const RecallHit& b) { return a.score > b.score; });
  } else {
    RecallQuery query;
    query.text = call->argument;
    query.limit = 2 * kMostResultTurns;
    query.now_ms = Now();
    query.filter.tenant = options.tenant;
    query.filter.exclude.push_back(reply.user_turn);
    for (const WindowTurn& turn : window) {
      if (turn.id != 0) query.filter.exclude.push_back(turn.id);
    }
    LIUBAI_ASSIGN_OR_RETURN(found, retriever->Recall(query, stop));
  }
  if (found.hits.empty()) return Status(StatusCode::kNotFound, "nothing was found");
  PackOptions pack;
  pack.budget_tokens = tokens_left;
  pack.most = kMostResultTurns;
  pack.count = [this](std::string_view part) -> Result<std::int64_t> { return Count(part); };
  LIUBAI_ASSIGN_OR_RETURN(const PackedMemories packed, PackMemories(found, pack));
  if (packed.turns.empty()) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("no turn fits the {} tokens that are left for results", tokens_left));
  }
  *result = packed.text;
  call->turns = packed.turns;
  std::sort(call->turns.begin(), call->turns.end());
  for (const RecallHit& hit : found.hits) {
    if (!std::binary_search(call->turns.begin(), call->turns.end(), hit.turn.id)) continue;
    const std::string_view said =
        std::string_view(hit.turn.text).substr(hit.begin, hit.end - hit.begin);
    recalled->evidence.push_back({std::string(said), share(said)});
  }
  return Status();
}

Status Agent::Impl::UseTools(std::string_view text, SamplingParams* sampling, Recalled* recalled,
                             std::stop_token stop, Reply* reply) {
  tools_prefilled = 0;
  if (options.max_tool_calls == 0 || options.memory_mode != MemoryMode::kLiubai) return Status();
  LanguageModel& model = *options.model;
  if (braces.empty()) {
    for (TokenId token = 0; token < model.info().vocabulary_size; ++token) {
      if (MayBeginCall(model.Detokenize(std::span(&token, 1)))) braces.push_back(token);
    }
  }
  TokenMask calls;  // None where the model cannot be held to it: then what it wrote is read.
  if (auto mask = model.MaskFor(CallGrammar(essences)); mask.ok()) {
    calls = std::move(*mask);
  } else if (mask.status().code() != StatusCode::kUnimplemented) {
    return mask.status();
  }
  const TokenMask own = sampling->mask;
  const auto tokens_now = [&] {
    int tokens = 0;
    for (const Segment& one : context->segments()) tokens += static_cast<int>(one.tokens.size());
    return tokens;
  };
  int results_left = plan.recalled;
  for (int n = 0; n < options.max_tool_calls; ++n) {
    const std::vector<Segment> before = context->segments();
    const int before_tokens = tokens_now();
    SamplingParams params = *sampling;
    params.max_tokens = std::min(kMostCallTokens, plan.window - before_tokens);
    if (params.max_tokens < 1) break;
    params.mask = [&](std::span<float> logits, std::span<const TokenId> generated) {
      if (own) own(logits, generated);
      if (!calls) return;
      if (!generated.empty()) return calls(logits, generated);
      std::vector<float> allowed(logits.begin(), logits.end());
      calls(allowed, generated);
      for (const TokenId brace : braces) {
        const auto i = static_cast<std::size_t>(brace);
        logits[i] = allowed[i];
      }
    };
    bool first = true;
    params.accept = [&](TokenId token, float) {
      return !std::exchange(first, false) || BeginsCall(model.Detokenize(std::span(&token, 1)));
    };
    LIUBAI_ASSIGN_OR_RETURN(const Generation generated, context->Generate(params, {}, stop));
    tools_prefilled += generated.prefilled_tokens;
    if (generated.reason == StopReason::kCancelled) {
      return Status(StatusCode::kCancelled, "stopped while the model used a tool");
    }
    if (!BeginsCall(generated.text)) {
      LIUBAI_RETURN_IF_ERROR(context->SetSegments(before));
      break;
    }
    ToolCall call = ReadCall(generated.text, essences);
    std::string result;
    if (call.status.ok() &&
        std::any_of(reply->tool_calls.begin(), reply->tool_calls.end(), [&](const ToolCall& one) {
          return one.tool == call.tool && one.argument == call.argument;
        })) {
      call.status =
          Status(StatusCode::kAlreadyExists, "the same call was made before in this turn");
    }
    if (call.status.ok()) {
      const int room = plan.window - tokens_now() - kLeastReplyTokens -
                       Count(memory::MessageWithMemories("", text, true, true)) - 16;
      const int left = std::min(results_left, room);
      call.status =
          left < kLeastResultTokens
              ? Status(StatusCode::kResourceExhausted,
                       fmt::format("{} tokens are left for a result; at least {} are needed",
                                   std::max(left, 0), kLeastResultTokens))
              : Execute(text, left, recalled, stop, *reply, &call, &result);
    }
    if (call.status.code() == StatusCode::kCancelled) return call.status;
    if (!call.status.ok()) {
      // The model goes on as if it had not asked.
      options.logger.Log(
          LogLevel::kWarning, "agent",
          fmt::format("turn {}: a call of \"{}\" with \"{}\" was refused: {}", reply->user_turn,
                      call.tool, call.argument, call.status.message()));
      reply->tool_calls.push_back(std::move(call));
      LIUBAI_RETURN_IF_ERROR(context->SetSegments(before));
      break;
    }
    const bool chinese = memory::MostlyChinese(text);
    LIUBAI_ASSIGN_OR_RETURN(std::vector<TokenId> message, model.ChatMessageEnd());
    LIUBAI_ASSIGN_OR_RETURN(
        const auto said,
        model.ChatMessage("user", memory::MessageWithMemories(result, text, chinese, true)));
    LIUBAI_ASSIGN_OR_RETURN(const auto header, model.ChatReplyHeader());
    message.insert(message.end(), said.begin(), said.end());
    LIUBAI_RETURN_IF_ERROR(context->Append({SegmentKind::kRecalled, 0, std::move(message)}));
    LIUBAI_RETURN_IF_ERROR(context->Append({SegmentKind::kTurn, 0, header}));
    call.tokens = tokens_now() - before_tokens;
    results_left -= call.tokens;
    recalled_tokens += call.tokens;
    options.logger.Log(
        LogLevel::kInfo, "agent",
        fmt::format("turn {}: {} \"{}\" brought {} turns, {} tokens", reply->user_turn, call.tool,
                    call.argument, call.turns.size(), call.tokens));
    reply->tool_calls.push_back(std::move(call));
  }
  sampling->max_tokens = std::min(sampling->max_tokens, plan.window - tokens_now());
  // What is answered now is shown: no call may begin it.
  sampling->mask = [own, this](std::span<float> logits, std::span<const TokenId> generated) {
    if (own) own(logits, generated);
    if (!generated.empty()) return;
    for (const TokenId brace : braces) logits[static_cast<std::size_t>(brace)] = kForbidden;
  };
  return Status();
}

}  // namespace liubai::inline v1
