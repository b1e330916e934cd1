#include "tools/life_bench.h"

#include <fmt/format.h>

#include "core/macros.h"

namespace liubai::tools {
namespace {

constexpr int kQuestionTokens = 64;

}  // namespace

LifeBenchFlags::LifeBenchFlags() {
  model.default_context_tokens = 2048;
  embedder.embedder = "none";
}

void LifeBenchFlags::Declare(Flags& flags) {
  model.Declare(flags);
  flags.Switch("--without-model", &without_model,
               "no weights at all: replies are given, summaries are extracts");
  embedder.Declare(flags);
  flags.Integer("--sessions", "N", &sessions, kFewestLifeSessions, kMostLifeSessions,
                "sessions of the generated life; 300 are three years");
  flags.Integer("--seed", "N", &seed, 0, std::int64_t{1} << 40, "of the generator");
  flags.Choice("--language", &language, {"en", "zh", "mixed"}, "of the generated life");
  flags.Choice("--compaction", &compaction, {"model", "extractive"},
               "how turns are summarised, in every system");
}

Status LifeBenchFlags::Check(Invocation& call) const {
  if (without_model && compaction == "model") {
    return call.UsageError("--compaction model needs a model; leave --without-model out");
  }
  return Status();
}

LifeOptions LifeBenchFlags::Life() const {
  return {sessions, static_cast<std::uint64_t>(seed), LifeLanguageOf(language)};
}

Result<LifeBenchModels> LifeBenchModels::Load(Invocation& call, const LifeBenchFlags& flags) {
  LIUBAI_RETURN_IF_ERROR(flags.Check(call));
  LifeBenchModels models;
  const int window = flags.model.context_tokens != 0 ? flags.model.context_tokens
                                                     : flags.model.default_context_tokens;
  if (!flags.without_model) {
    LIUBAI_ASSIGN_OR_RETURN(models.real, flags.model.Load(call));
  }
  LIUBAI_ASSIGN_OR_RETURN(models.embedder, flags.embedder.Load(call));
  models.replay = std::make_unique<ReplayModel>(models.real.get(), window);
  models.lived.window_tokens = window;
  models.lived.compaction =
      flags.compaction == "model" ? CompactionMode::kModel : CompactionMode::kExtractive;
  models.lived.logger = call.logger();
  return models;
}

memory::CountTokens LifeBenchModels::Counter() const {
  return [model = replay.get()](std::string_view text) {
    return static_cast<int>(model->Tokenize(text).size());
  };
}

SummariseTurns LifeBenchModels::Summaries() const {
  return lived.compaction == CompactionMode::kModel ? ModelSummaries(*real)
                                                    : ExtractiveSummaries(Counter());
}

nlohmann::json LifeBenchModels::Describe() const {
  return {{"model", real ? DescribeModel(real->info()) : nlohmann::json()},
          {"embedder", embedder ? nlohmann::json(embedder->name()) : nlohmann::json()},
          {"window_tokens", lived.window_tokens},
          {"compaction", lived.compaction == CompactionMode::kModel ? "model" : "extractive"}};
}

std::string LifeName(const LifeBenchFlags& flags) {
  return fmt::format("generated life: {} sessions, {}, seed {}", flags.sessions, flags.language,
                     flags.seed);
}

std::string LifeText(const Life& life) {
  std::string text;
  for (const LifeTurn& turn : life.turns) text += turn.text + "\n";
  return text;
}

std::vector<KnownTurn> KnownTurns(std::span<const LifeTurn> turns) {
  std::vector<KnownTurn> known;
  for (const LifeTurn& turn : turns) known.push_back({turn.user, turn.text, turn.time_ms});
  return known;
}

int PromptTokens(const WindowInfo& window) {
  return window.window_tokens - window.reply_budget - kQuestionTokens;
}

std::vector<ContextBaseline> MakeBaselines(const LifeBenchModels& models, int budget_tokens) {
  std::vector<ContextBaseline> baselines;
  for (const BaselineKind kind : kBaselines) {
    baselines.emplace_back(kind, budget_tokens, models.Counter(), models.Summaries());
  }
  return baselines;
}

nlohmann::json Share::ToJson() const {
  nlohmann::json out = PerCentJson(static_cast<double>(hits), static_cast<double>(n));
  out["hits"] = hits;
  out["n"] = n;
  return out;
}

std::string Share::Text() const {
  if (n == 0) return "-";
  const Interval interval = Wilson95(static_cast<double>(hits), static_cast<double>(n));
  return fmt::format("{:.1f} ({:.1f}–{:.1f})", per_cent(), 100 * interval.low, 100 * interval.high);
}

}  // namespace liubai::tools
