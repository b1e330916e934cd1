// liubai bench embed: texts as vectors, in batches and one at a time.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/cpu_features.h"
#include "core/file_system.h"
#include "core/macros.h"
#include "core/thread_pool.h"
#include "tools/bench_texts.h"
#include "tools/commands.h"
#include "tools/embedder_flags.h"

namespace liubai::tools {
namespace {

using Clock = std::chrono::steady_clock;

struct Rate {
  double least, median, most;
  nlohmann::json ToJson() const { return {{"min", least}, {"median", median}, {"max", most}}; }
};

class BenchEmbed final : public Command {
  void Declare(Flags& flags) override {
    embedder_.Declare(flags);
    flags.Integer("-n,--texts", "N", &count_, 1, 1000000, "texts to embed");
    flags.Integer("-b,--batch", "N", &batch_, 1, 1000000, "texts in one call");
    flags.Integer("-r,--repeat", "N", &repeat_, 1, 1000, "runs");
    flags.Integer("--singles", "N", &singles_, 0, 1000000,
                  "of the texts, also one in a call; 0: none");
    flags.Integer("--seed", "N", &seed_, 0, 1 << 30, "of the generator of texts");
    flags.Text("--save-texts", "FILE", &save_, "write the texts, one a line, for another program");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    if (embedder_.embedder_threads == 0) {
      embedder_.embedder_threads = std::min(AvailableCores(), 256);
    }
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Embedder> embedder, embedder_.Require(call));
    ChatTurns turns(static_cast<std::uint32_t>(seed_));
    std::vector<std::string> texts;
    std::int64_t tokens = 0;
    std::string lines;
    for (int i = 0; i < count_; ++i) {
      texts.push_back(turns.Next());
      LIUBAI_ASSIGN_OR_RETURN(const int n,
                              embedder->CountTokens(texts.back(), EmbedKind::kPassage));
      tokens += n;
      lines += texts.back() + "\n";
    }
    if (!save_.empty()) {
      LIUBAI_RETURN_IF_ERROR(WriteFileAtomically(PosixFileSystem(), save_, lines));
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    LIUBAI_ASSIGN_OR_RETURN(const Rate batched,
                            Measure(*embedder, views, static_cast<std::size_t>(batch_), stop));
    const auto alone = static_cast<std::size_t>(std::min(singles_, count_));
    Rate single{};
    if (alone > 0) {
      LIUBAI_ASSIGN_OR_RETURN(single, Measure(*embedder, {views.data(), alone}, 1, stop));
    }
    const double mean = static_cast<double>(tokens) / count_;
    nlohmann::json report = {{"bench", "embed"},
                             {"texts", count_},
                             {"batch", batch_},
                             {"tokens", tokens},
                             {"tokens_per_text", mean},
                             {"runs", repeat_},
                             {"seed", seed_},
                             {"texts_per_second", batched.ToJson()},
                             {"embedder", embedder->name()},
                             {"embedder_id", embedder->id()},
                             {"dimension", embedder->dimension()},
                             {"threads", embedder_.embedder_threads},
                             {"isa", CpuIsaName(BestCpuIsa())},
                             {"peak_memory_bytes", PeakMemoryBytes()}};
    if (alone > 0) {
      report["singles"] = {{"texts", alone}, {"texts_per_second", single.ToJson()}};
    }
    call.UseData("generated texts", lines);
    if (call.Report(report)) return Status();
    call.Print(fmt::format(
        "embed {} texts of {:.1f} tokens, {} in a call: {:.1f} texts/s (median of {}, {:.1f} to "
        "{:.1f})",
        count_, mean, batch_, batched.median, repeat_, batched.least, batched.most));
    if (alone > 0) call.Print(fmt::format("; one at a time: {:.1f} texts/s", single.median));
    call.Print(fmt::format("; {}, {} threads, {}, seed {}\n", embedder->name(),
                           embedder_.embedder_threads, CpuIsaName(BestCpuIsa()), seed_));
    return Status();
  }

  // The first run warms up and is not counted.
  Result<Rate> Measure(const Embedder& embedder, std::span<const std::string_view> texts,
                       std::size_t batch, std::stop_token stop) const {
    std::vector<double> rates;
    for (int run = 0; run <= repeat_; ++run) {
      const auto start = Clock::now();
      for (std::size_t i = 0; i < texts.size(); i += batch) {
        LIUBAI_RETURN_IF_ERROR(embedder
                                   .Embed(texts.subspan(i, std::min(batch, texts.size() - i)),
                                          EmbedKind::kPassage, stop)
                                   .status());
      }
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (run > 0) rates.push_back(static_cast<double>(texts.size()) / seconds);
    }
    std::sort(rates.begin(), rates.end());
    return Rate{rates.front(), rates[rates.size() / 2], rates.back()};
  }

  EmbedderFlags embedder_;
  int count_ = 1500;
  int batch_ = 256;
  int repeat_ = 3;
  int singles_ = 200;
  int seed_ = 1;
  std::string save_;
};

}  // namespace

std::unique_ptr<Command> MakeBenchEmbed() { return std::make_unique<BenchEmbed>(); }

}  // namespace liubai::tools
