// liubai bench decode | prefill: the engine's speed.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "fmt/format.h"
#include "tools/bench_texts.h"
#include "tools/commands.h"
#include "tools/memory_bandwidth.h"
#include "tools/model_flags.h"

namespace liubai::tools {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Ids without meaning, all ordinary; `salt` keeps runs from finding each other's prefixes.
std::vector<TokenId> FillerTokens(const ModelInfo& info, int count, int salt) {
  std::vector<TokenId> tokens;
  for (int i = 0; i < count; ++i) {
    tokens.push_back(static_cast<TokenId>(
        (static_cast<std::int64_t>(i) * 7919 + salt * 104729 + 1000) % (info.vocabulary_size / 2) +
        1000 % (info.vocabulary_size / 4)));
  }
  return tokens;
}

struct Summary {
  double least, median, most;
};
Summary Summarise(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

class BenchSpeed final : public Command {
 public:
  explicit BenchSpeed(bool decode) : decode_(decode) {}

 private:
  void Declare(Flags& flags) override {
    model_.Declare(flags);
    flags.Integer("-n,--tokens", "N", &tokens_, 1, 1 << 20, "tokens to time");
    flags.Integer("-d,--depth", "N", &depth_, 0, 1 << 20, "tokens in the context before");
    flags.Integer("-r,--repeat", "N", &repeat_, 1, 1000, "runs");
  }
  Status Run(Invocation& call, std::stop_token stop) override {
    if (model_.context_tokens == 0) model_.context_tokens = std::max(512, depth_ + tokens_ + 32);
    LIUBAI_ASSIGN_OR_RETURN(const auto model, model_.Load(call));
    for (const char* text :
         {"<|im_end|>", "<|endoftext|>", "<end_of_turn>", "<eos>", "<|eot_id|>"}) {
      const auto ids = model->TokenizeWithControls(text);
      if (ids.size() == 1) ends_.push_back(ids[0]);
    }
    std::vector<double> rates;
    // The first run warms up and is not counted.
    for (int run = 0; run <= repeat_; ++run) {
      LIUBAI_ASSIGN_OR_RETURN(auto context, model->NewContext());
      const int before = std::max(depth_, decode_ ? 1 : 0);
      if (before > 0) {
        LIUBAI_RETURN_IF_ERROR(
            context->Append({SegmentKind::kOther, 0, FillerTokens(model->info(), before, run)}));
        LIUBAI_RETURN_IF_ERROR(context->Prefill(stop));
      }
      double seconds = 0.0;
      if (decode_) {
        SamplingParams sampling;
        sampling.max_tokens = tokens_;
        // The model must not end its message before the count is full.
        sampling.mask = [&](std::span<float> logits, std::span<const TokenId>) {
          for (const TokenId id : ends_) logits[static_cast<std::size_t>(id)] = -INFINITY;
        };
        const auto start = std::chrono::steady_clock::now();
        LIUBAI_ASSIGN_OR_RETURN(const auto generation, context->Generate(sampling, {}, stop));
        seconds = SecondsSince(start);
        if (static_cast<int>(generation.tokens.size()) != tokens_) {
          return Status(StatusCode::kCancelled, "the run was cut short");
        }
      } else {
        LIUBAI_RETURN_IF_ERROR(context->Append(
            {SegmentKind::kOther, 1, FillerTokens(model->info(), tokens_, run + 1000)}));
        const auto start = std::chrono::steady_clock::now();
        LIUBAI_RETURN_IF_ERROR(context->Prefill(stop));
        seconds = SecondsSince(start);
      }
      if (run > 0) rates.push_back(tokens_ / seconds);
    }
    const Summary rate = Summarise(rates);
    const char* name = decode_ ? "decode" : "prefill";
    const std::uint64_t peak_bytes = PeakMemoryBytes();
    // What the machine's memory allows: each token reads all weights and the keys and values so
    // far.
    double bandwidth = 0, limit = 0;
    if (decode_) {
      const ModelInfo info = model->info();
      bandwidth = ReadBandwidth(info.threads);
      limit = bandwidth / (static_cast<double>(info.weight_bytes) +
                           static_cast<double>(info.kv_bytes_per_token) * (depth_ + tokens_ / 2));
    }
    nlohmann::json report = {
        {"bench", name},
        {"tokens", tokens_},
        {"depth", depth_},
        {"runs", repeat_},
        {"tokens_per_second", {{"min", rate.least}, {"median", rate.median}, {"max", rate.most}}},
        {"model", DescribeModel(model->info())},
        {"peak_memory_bytes", peak_bytes}};
    if (decode_) {
      report["read_bytes_per_second"] = bandwidth;
      report["memory_limit_tokens_per_second"] = limit;
    }
    if (!call.Report(report)) {
      call.Print(fmt::format(
          "{} {} tokens at depth {}: {:.1f} tokens/s (median of {}, {:.1f} to {:.1f}); {}, "
          "{} threads, {}, KV {}; peak memory {}\n",
          name, tokens_, depth_, rate.median, repeat_, rate.least, rate.most, model->info().name,
          model->info().threads, model->info().isa, model_.kv_format, HumanBytes(peak_bytes)));
      if (decode_) {
        call.Print(fmt::format("  memory is read at {:.1f} GB/s: at most {:.0f} tokens/s\n",
                               bandwidth / 1e9, limit));
      }
    }
    return Status();
  }

  bool decode_;
  ModelFlags model_;
  std::vector<TokenId> ends_;
  int tokens_ = decode_ ? 128 : 512;
  int depth_ = 0;
  int repeat_ = 5;
};

}  // namespace

std::unique_ptr<Command> MakeBenchDecode() { return std::make_unique<BenchSpeed>(true); }
std::unique_ptr<Command> MakeBenchPrefill() { return std::make_unique<BenchSpeed>(false); }

}  // namespace liubai::tools
