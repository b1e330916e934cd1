#include "tools/agent_flags.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "fmt/format.h"

namespace liubai::tools {

void AgentFlags::Declare(Flags& flags) {
  store.Declare(flags);
  model.Declare(flags);
  embedder.Declare(flags);
  flags.Text("--system", "TEXT", &system_prompt, "the system prompt (default: a short one)");
  flags.Text("--user-name", "NAME", &user_name, "the speaker of your turns");
  flags.Integer("-k,--recall-turns", "N", &recall_turns, 0, 64, "memories recalled for a message");
  flags.Choice("--compaction", &compaction, {"model", "extractive"}, "how turns are summarised");
  flags.Text("--policy", "FILE", &policy, "what is kept and when, as `liubai tune` writes it");
  flags.Switch(
      "--model-facts", &model_facts,
      "in idle time the model reads facts out of turns in which the rules find none; off: a "
      "small one gets most of them wrong");
  flags.Switch(
      "--tools", &tools,
      "the model may look into its memory before it answers: unfold a summary, search; off: "
      "a small one does so at almost any question");
  flags.Integer("-n,--max-tokens", "N", &max_tokens, 1, 4096, "tokens of one reply at most");
  flags.Real("--temperature", "T", &temperature, 0, 100, "0 takes the most likely token");
  flags.Real("--repetition-penalty", "P", &repetition_penalty, 0.1, 10, "1 is none");
  flags.Integer("--seed", "N", &seed, -1, std::numeric_limits<std::int64_t>::max(),
                "same seed, same text; -1: another one for each reply");
}

Result<AgentOptions> AgentFlags::Options(Invocation& call) const {
  AgentOptions options;
  if (!policy.empty()) {
    LIUBAI_ASSIGN_OR_RETURN(const PolicyFile file, LoadPolicy(policy));
    options.policy = file.policy;
  }
  options.session = store.session.empty() ? std::string(kDefaultSession) : store.session;
  options.system_prompt = system_prompt;
  options.recall_turns = recall_turns;
  options.compaction = compaction == "model" ? CompactionMode::kModel : CompactionMode::kExtractive;
  options.sampling.max_tokens = max_tokens;
  options.sampling.temperature = static_cast<float>(temperature);
  options.sampling.repetition_penalty = static_cast<float>(repetition_penalty);
  if (seed >= 0) options.sampling.seed = static_cast<std::uint64_t>(seed);
  options.model_facts = model_facts;
  options.max_tool_calls = tools ? kToolCalls : 0;
  options.user_name = user_name;
  options.window_tokens = 0;  // The model's context, which the flag sets.
  options.logger = call.logger();
  return options;
}

Result<OpenedAgent> AgentFlags::Open(Invocation& call) const {
  OpenedAgent opened;
  LIUBAI_ASSIGN_OR_RETURN(AgentOptions options,
                          Options(call));  // Bad ones before minutes of loading.
  LIUBAI_ASSIGN_OR_RETURN(opened.model, model.Load(call));
  LIUBAI_ASSIGN_OR_RETURN(opened.embedder, embedder.Load(call));
  LIUBAI_ASSIGN_OR_RETURN(opened.store, store.OpenForWriting(call));
  options.store = opened.store.get();
  options.model = opened.model.get();
  options.embedder = opened.embedder.get();
  LIUBAI_ASSIGN_OR_RETURN(opened.agent, Agent::Create(options));
  return opened;
}

nlohmann::json DescribeReply(const Reply& reply) {
  nlohmann::json changes = nlohmann::json::array();
  for (const StandingChange& change : reply.standing_changes) {
    changes.push_back({{"was", change.was}, {"now", change.now}});
  }
  nlohmann::json calls = nlohmann::json::array();
  for (const ToolCall& call : reply.tool_calls) {
    calls.push_back(
        {{"tool", call.tool},
         {"argument", call.argument},
         {"error", call.status.ok() ? nlohmann::json() : nlohmann::json(call.status.message())},
         {"turns", call.turns},
         {"tokens", call.tokens}});
  }
  nlohmann::json recalled = nlohmann::json::array();
  for (const RecalledTurn& turn : reply.recalled) {
    recalled.push_back(
        {{"turn_id", turn.turn_id}, {"score", turn.score}, {"why", turn.why}, {"text", turn.text}});
  }
  return {{"user_turn", reply.user_turn},
          {"reply_turn", reply.reply_turn},
          {"reply", reply.text},
          {"recalled", recalled},
          {"recall_note", reply.recall_note},
          {"stop_reason", StopReasonName(reply.stop_reason)},
          {"prompt_tokens", reply.prompt_tokens},
          {"cached_tokens", reply.cached_tokens},
          {"reply_tokens", reply.reply_tokens},
          {"recall_us", reply.recall_us},
          {"first_token_us", reply.ttft_us},
          {"total_us", reply.total_us},
          {"waited_for_compaction", reply.waited_for_compaction},
          {"broke_off", reply.broke_off},
          {"shortened", reply.shortened},
          {"standing_changes", changes},
          {"tool_calls", calls}};
}

std::string StandingLine(const StandingChange& change) {
  return change.now.empty()
             ? fmt::format("no longer in the prompt, for want of room: {}", change.was)
             : fmt::format("from now on: {}  (instead of: {})", change.now, change.was);
}

std::string ToolCallLine(const ToolCall& call) {
  const std::string what =
      call.tool.empty() ? "no tool" : fmt::format("{} {}", call.tool, call.argument);
  return call.status.ok()
             ? fmt::format("the model looked into its memory: {}: turns {} ({} tokens)", what,
                           fmt::join(call.turns, ", "), call.tokens)
             : fmt::format("the model's look into its memory was refused: {}: {}", what,
                           call.status.message());
}

std::string RecalledLine(const RecalledTurn& turn, int columns) {
  std::string line = FitToWidth(fmt::format("turn {}  {}", turn.turn_id, turn.text), columns);
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

nlohmann::json DescribeWindow(const WindowInfo& info) {
  return {{"window_tokens", info.window_tokens},
          {"system_tokens", info.system_tokens},
          {"blocks_tokens", info.blocks_tokens},
          {"blocks_budget", info.blocks_budget},
          {"essences_tokens", info.essences_tokens},
          {"essences_budget", info.essences_budget},
          {"turns_tokens", info.turns_tokens},
          {"turns_budget", info.turns_budget},
          {"recalled_tokens", info.recalled_tokens},
          {"recalled_budget", info.recalled_budget},
          {"reply_budget", info.reply_budget},
          {"pressure", info.pressure},
          {"turns", info.turns},
          {"first_turn", info.first_turn},
          {"backlog_turns", info.backlog_turns},
          {"essences", info.essences},
          {"pages", info.pages},
          {"pool_pages", info.pool_pages},
          {"pool_free_pages", info.pool_free_pages}};
}

std::string WindowText(Invocation& call, const WindowInfo& info) {
  constexpr int kCells = 30;
  const double shown = std::clamp(info.pressure, 0.0, 1.0);
  const int full = static_cast<int>(std::lround(shown * kCells));
  const Style style = shown > 0.85 ? Style::kRed : shown > 0.6 ? Style::kYellow : Style::kGreen;
  std::string text = fmt::format("pressure {} {:.0f} %\n", call.Paint(style, Bar(full, kCells)),
                                 info.pressure * 100);
  const auto part = [&](std::string_view name, int tokens, int budget, std::string note) {
    text += fmt::format("  {:<10} {:>6} of {:>6} tokens{}\n", name, tokens, budget,
                        note.empty() ? "" : "  " + call.Dim(note));
  };
  part("system", info.system_tokens, info.blocks_budget, "its part is shared with the blocks");
  part("blocks", info.blocks_tokens, std::max(info.blocks_budget - info.system_tokens, 0), "");
  part("essences", info.essences_tokens, info.essences_budget,
       fmt::format("{} summaries", info.essences));
  part("turns", info.turns_tokens, info.turns_budget,
       info.turns == 0 ? std::string("none")
                       : fmt::format("{} turns, from turn {}", info.turns, info.first_turn));
  part("recalled", info.recalled_tokens, info.recalled_budget, "of the last message");
  part("reply", 0, info.reply_budget, "kept free");
  text += fmt::format("  window     {:>6} tokens; {} of {} KV pages, {} free in the pool\n",
                      info.window_tokens, info.pages, info.pool_pages, info.pool_free_pages);
  if (info.backlog_turns > 0) {
    text += fmt::format("  {} older turns wait to be compacted; they are recalled by words\n",
                        info.backlog_turns);
  }
  return text;
}

}  // namespace liubai::tools
