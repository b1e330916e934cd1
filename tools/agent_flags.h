// tools/agent_flags.h: the flags with which subcommands set up an agent, and the agent with all
// that it stands on.
#pragma once

#include <memory>
#include <string>

#include "liubai/agent.h"
#include "tools/command.h"
#include "tools/embedder_flags.h"
#include "tools/model_flags.h"
#include "tools/store_flags.h"

namespace liubai::tools {

// Declared in the order in which they depend on each other.
struct OpenedAgent {
  std::unique_ptr<Store> store;
  std::unique_ptr<Embedder> embedder;
  std::unique_ptr<LanguageModel> model;
  std::unique_ptr<Agent> agent;
};

struct AgentFlags {
  StoreFlags store;
  ModelFlags model;
  EmbedderFlags embedder;
  std::string system_prompt;
  std::string compaction = "model";
  std::string policy;  // A file, or empty: the default.
  std::string user_name;
  int recall_turns = AgentOptions().recall_turns;
  int max_tokens = 256;
  bool model_facts = false;
  bool tools = false;
  double temperature = 0;
  double repetition_penalty = 1.0;
  std::int64_t seed = -1;

  AgentFlags() { model.default_context_tokens = kWindowTokens; }
  void Declare(Flags& flags);
  // Everything but the parts that are opened.
  Result<AgentOptions> Options(Invocation& call) const;
  Result<OpenedAgent> Open(Invocation& call) const;

  static constexpr int kWindowTokens = 2048;
  static constexpr int kToolCalls = 2;  // Of one turn, with --tools.
};

// One turn as an object: what `chat --json` prints for each.
nlohmann::json DescribeReply(const Reply& reply);
// What takes the place of what, in one line.
std::string StandingLine(const StandingChange& change);
// A look of the model into the memory, in one line.
std::string ToolCallLine(const ToolCall& call);
// "turn 3  2024-03-04 Lin Yue: I paid … (words, meaning)" in one line of the terminal.
std::string RecalledLine(const RecalledTurn& turn, int columns);
// The parts of the window with a bar of pressure.
std::string WindowText(Invocation& call, const WindowInfo& info);
nlohmann::json DescribeWindow(const WindowInfo& info);

}  // namespace liubai::tools
