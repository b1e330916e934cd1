// liubai bench turns: one long conversation with an agent; does the first token of its last turns
// take longer than that of its first ones?
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/elapsed.h"
#include "core/macros.h"
#include "tools/agent_flags.h"
#include "tools/bench_texts.h"
#include "tools/commands.h"
#include "tools/recall_metrics.h"

namespace liubai::tools {
namespace {

class BenchTurns final : public Command {
 public:
  BenchTurns() {
    model_.model = "smollm2-135m";
    model_.default_context_tokens = AgentFlags::kWindowTokens;
  }

 private:
  void Declare(Flags& flags) override {
    model_.Declare(flags);
    embedder_.Declare(flags);
    flags.Integer("--turns", "N", &turns_, 20, 1000000, "messages of the conversation");
    flags.Integer("-n,--max-tokens", "N", &max_tokens_, 1, 4096, "tokens of one reply at most");
    flags.Choice("--idle", &idle_, {"awaited", "background"},
                 "idle work: done before the next message, or while it is answered");
    flags.Choice("--compaction", &compaction_, {"model", "extractive"}, "how turns are summarised");
    flags.Integer("--seed", "N", &seed_, 0, 1 << 30, "of the generator of messages");
  }

  struct Turn {
    std::int64_t first_token_us;
    int computed_tokens;  // Of the prompt: what the cache did not hold.
  };
  // Turns [begin, end), counted from 0.
  nlohmann::json Range(int begin, int end) const {
    std::vector<std::int64_t> first_token_us;
    std::int64_t computed = 0;
    for (int i = begin; i < end; ++i) {
      const Turn& turn = done_[static_cast<std::size_t>(i)];
      first_token_us.push_back(turn.first_token_us);
      computed += turn.computed_tokens;
    }
    nlohmann::json range = LatencyJson(std::move(first_token_us));
    range["turns"] = {begin, end};
    range["computed_tokens"] = static_cast<double>(computed) / (end - begin);
    return range;
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_ASSIGN_OR_RETURN(const auto model, model_.Load(call));
    LIUBAI_ASSIGN_OR_RETURN(const auto embedder, embedder_.Load(call));
    LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
    LIUBAI_ASSIGN_OR_RETURN(const auto store, Store::Open(folder.path()));
    const bool awaited = idle_ == "awaited";
    AgentOptions options;
    options.store = store.get();
    options.model = model.get();
    options.embedder = embedder.get();
    options.window_tokens = 0;  // The model's context.
    options.sampling.max_tokens = max_tokens_;
    options.sampling.temperature = 0;
    options.compaction =
        compaction_ == "model" ? CompactionMode::kModel : CompactionMode::kExtractive;
    options.idle_work = !awaited;
    options.logger = call.logger();
    LIUBAI_ASSIGN_OR_RETURN(const auto agent, Agent::Create(options));
    const std::stop_callback cancel(stop, [&] { agent->Cancel(); });

    ChatTurns messages(static_cast<std::uint32_t>(seed_));
    std::string said;
    nlohmann::json growth = nlohmann::json::array();
    std::int64_t idle_us = 0, prompt_tokens = 0, cached_tokens = 0, reply_tokens = 0;
    int waited = 0;
    Progress progress = call.MakeProgress();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < turns_; ++i) {
      const std::string message = messages.Next();
      said += message + "\n";
      LIUBAI_ASSIGN_OR_RETURN(const Reply reply, agent->Send(message));
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
      done_.push_back({reply.ttft_us, reply.prompt_tokens - reply.cached_tokens});
      prompt_tokens += reply.prompt_tokens;
      cached_tokens += reply.cached_tokens;
      reply_tokens += reply.reply_tokens;
      waited += reply.waited_for_compaction;
      if (awaited) {
        const auto idle = std::chrono::steady_clock::now();
        LIUBAI_RETURN_IF_ERROR(agent->WaitIdle());
        idle_us += MicrosSince(idle);
      }
      const int tenth = std::max(turns_ / 10, 1);
      if ((i + 1) % tenth == 0) {
        LIUBAI_ASSIGN_OR_RETURN(const StoreStats stats, store->Stats());
        const nlohmann::json range = Range(i + 1 - tenth, i + 1);
        growth.push_back({{"turns", i + 1},
                          {"file_bytes", stats.file_bytes},
                          {"first_token_ms", range},
                          {"waited_for_compaction", waited}});
        if (!call.json()) {
          progress.Clear();
          call.Print(fmt::format(
              "  turns {:>5} to {:>5}: first token p50 {:>5.0f} ms, p95 {:>5.0f} ms\n",
              i + 1 - tenth, i + 1, range["p50"].get<double>(), range["p95"].get<double>()));
          std::fflush(stdout);
        }
      }
      progress.Update("turns", static_cast<std::uint64_t>(i + 1),
                      static_cast<std::uint64_t>(turns_));
    }
    const double seconds = static_cast<double>(MicrosSince(start)) / 1e6;
    progress.Clear();
    LIUBAI_RETURN_IF_ERROR(agent->WaitIdle());
    const IdleStatus idle = agent->idle_status();
    const nlohmann::json early = Range(turns_ / 20, turns_ * 3 / 20);
    const nlohmann::json late = Range(turns_ * 9 / 10, turns_);
    const auto ratio = [&](const char* key) {
      return late[key].get<double>() / std::max(early[key].get<double>(), 1e-3);
    };
    const nlohmann::json report = {
        {"bench", "turns"},
        {"turns", turns_},
        {"seed", seed_},
        {"idle_work", idle_},
        {"compaction", compaction_},
        {"max_reply_tokens", max_tokens_},
        {"first_token_ms", {{"early", early}, {"late", late}}},
        {"late_over_early", {{"p50", ratio("p50")}, {"p95", ratio("p95")}}},
        {"mean_tokens",
         {{"prompt", static_cast<double>(prompt_tokens) / turns_},
          {"cached", static_cast<double>(cached_tokens) / turns_},
          {"reply", static_cast<double>(reply_tokens) / turns_}}},
        {"compactions", idle.compactions},
        {"turns_that_waited_for_compaction", waited},
        {"idle_s", awaited ? nlohmann::json(static_cast<double>(idle_us) / 1e6) : nullptr},
        {"total_s", seconds},
        {"store", growth},
        {"embedder", embedder == nullptr ? nlohmann::json() : nlohmann::json(embedder->name())},
        {"model", DescribeModel(model->info())},
        {"peak_memory_bytes", PeakMemoryBytes()}};
    call.UseData("generated messages", said);
    if (call.Report(report)) return Status();
    call.Print(fmt::format(
        "{} turns, window {}, {} in {} threads, seed {}; idle work {}\n"
        "  first token, turns {} to {}: p50 {:.0f} ms, p95 {:.0f} ms; {:.0f} tokens computed\n"
        "  first token, turns {} to {}: p50 {:.0f} ms, p95 {:.0f} ms; {:.0f} tokens computed\n"
        "  late over early: p50 {:.2f}, p95 {:.2f}\n"
        "  {} compactions; {} turns waited for one; store {:.2f} MB; {:.0f} s in all\n",
        turns_, model->info().context_tokens, model->info().name, model->info().threads, seed_,
        awaited ? "awaited between turns" : "in the background", turns_ / 20, turns_ * 3 / 20,
        early["p50"].get<double>(), early["p95"].get<double>(),
        early["computed_tokens"].get<double>(), turns_ * 9 / 10, turns_, late["p50"].get<double>(),
        late["p95"].get<double>(), late["computed_tokens"].get<double>(), ratio("p50"),
        ratio("p95"), idle.compactions, waited, growth.back()["file_bytes"].get<double>() / 1e6,
        seconds));
    return Status();
  }

  ModelFlags model_;
  EmbedderFlags embedder_;
  int turns_ = 1000;
  int max_tokens_ = 16;
  int seed_ = 1;
  std::string idle_ = "awaited";
  std::string compaction_ = "model";
  std::vector<Turn> done_;
};

}  // namespace

std::unique_ptr<Command> MakeBenchTurns() { return std::make_unique<BenchTurns>(); }

}  // namespace liubai::tools
