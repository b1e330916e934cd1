// tools/life_bench.h: what the benchmarks over known conversations share: flags, the models that
// they load, figures with their intervals.
//
// Threads: one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tools/command.h"
#include "tools/context_baselines.h"
#include "tools/embedder_flags.h"
#include "tools/life_generator.h"
#include "tools/lived_memory.h"
#include "tools/model_flags.h"

namespace liubai::tools {

struct LifeBenchFlags {
  ModelFlags model;
  EmbedderFlags embedder;
  bool without_model = false;
  int sessions = 300;
  std::int64_t seed = 1;
  std::string language = "mixed";
  std::string compaction = "extractive";

  LifeBenchFlags();
  void Declare(Flags& flags);
  // kInvalidArgument for flags that exclude each other.
  Status Check(Invocation& call) const;
  LifeOptions Life() const;
};

// Declared in the order in which they depend on each other.
struct LifeBenchModels {
  std::unique_ptr<LanguageModel> real;  // Null without a model.
  std::unique_ptr<Embedder> embedder;   // Null: words only.
  std::unique_ptr<ReplayModel> replay;
  LivedOptions lived;

  static Result<LifeBenchModels> Load(Invocation& call, const LifeBenchFlags& flags);
  memory::CountTokens Counter() const;
  // Those of the model, or extracts where it does not summarise.
  SummariseTurns Summaries() const;
  nlohmann::json Describe() const;
};

// What the life is, for the result: its options, and all of its turns as one text.
std::string LifeName(const LifeBenchFlags& flags);
std::string LifeText(const Life& life);
std::vector<KnownTurn> KnownTurns(std::span<const LifeTurn> turns);

// Every baseline, each with the tokens of the prompt that the agent has for what it keeps.
std::vector<ContextBaseline> MakeBaselines(const LifeBenchModels& models, int budget_tokens);
// What the window has beside the reply and the question.
int PromptTokens(const WindowInfo& window);

// Successes of N in per cent, with Wilson's interval at 95 %.
struct Share {
  std::int64_t hits = 0;
  std::int64_t n = 0;
  void Add(bool hit) {
    hits += hit;
    ++n;
  }
  double per_cent() const {
    return n > 0 ? 100.0 * static_cast<double>(hits) / static_cast<double>(n) : 0;
  }
  nlohmann::json ToJson() const;  // {"value", "low", "high", "hits", "n"}
  std::string Text() const;       // "97.5 (95.1–98.8)"
};

}  // namespace liubai::tools
