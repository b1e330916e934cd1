// liubai bench search: how long one hybrid search takes over a store of many turns, without the
// embedding of the question. Texts and vectors are made by a seeded generator: the time of a search
// depends on their number and on the frequencies of words, which follow Zipf's law, not on what
// they say.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "core/cpu_features.h"
#include "core/macros.h"
#include "tools/commands.h"
#include "tools/recall_metrics.h"

namespace liubai::tools {
namespace {

constexpr int kDimension = 384;  // Of both embedders of the catalogue.
constexpr int kVocabulary = 20000;

// Gives any text, for every four bytes, a token of a random direction: the time of a search is what
// is measured.
class RandomEmbedder final : public Embedder {
 public:
  RandomEmbedder() {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (float& value : pool_) value = normal(random);
  }
  const std::string& id() const override { return id_; }
  const std::string& name() const override { return id_; }
  int dimension() const override { return kDimension; }
  int max_tokens() const override { return 512; }
  Result<int> CountTokens(std::string_view text, EmbedKind) const override {
    return static_cast<int>(text.size() / 4) + 1;
  }
  Result<std::vector<float>> Embed(std::span<const std::string_view> texts, EmbedKind kind,
                                   std::stop_token stop) const override {
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<TokenVectors> made, EmbedTokens(texts, kind, stop));
    std::vector<float> out;
    for (const TokenVectors& text : made) {
      std::vector<float> mean(kDimension);
      for (std::size_t i = 0; i < text.vectors.size(); ++i) mean[i % kDimension] += text.vectors[i];
      float squares = 0;
      for (const float value : mean) squares += value * value;
      for (const float value : mean) out.push_back(value / std::sqrt(squares));
    }
    return out;
  }
  Result<std::vector<TokenVectors>> EmbedTokens(std::span<const std::string_view> texts, EmbedKind,
                                                std::stop_token) const override {
    std::vector<TokenVectors> out;
    for (const std::string_view text : texts) {
      TokenVectors& tokens = out.emplace_back();
      for (std::size_t at = 0; at < text.size(); at += 4) {
        tokens.begin.push_back(static_cast<std::uint32_t>(at));
        tokens.end.push_back(static_cast<std::uint32_t>(std::min(at + 4, text.size())));
        const std::size_t row = std::hash<std::string_view>()(text.substr(at, 12)) % kPool;
        const auto first = pool_.begin() + static_cast<std::ptrdiff_t>(row * kDimension);
        tokens.vectors.insert(tokens.vectors.end(), first, first + kDimension);
      }
    }
    return out;
  }

 private:
  static constexpr std::size_t kPool = 4096;
  std::string id_ = "generated";
  std::vector<float> pool_ = std::vector<float>(kPool * kDimension);
};

class BenchSearch final : public Command {
  void Declare(Flags& flags) override {
    flags.Integer("--turns", "N", &turns_, 100, 1000000, "turns in the store");
    flags.Integer("--queries", "N", &queries_, 1, 100000, "searches to time");
    flags.Integer("--seed", "N", &seed_, 0, 1 << 30, "of the generator");
  }

  std::string Words(int count) {
    std::string text;
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int i = 0; i < count; ++i) {
      // Zipf: rank = vocabulary ^ u.
      const int rank = static_cast<int>(std::pow(kVocabulary, uniform(random_)));
      text +=
          fmt::format("{}{}{}", text.empty() ? "" : " ", static_cast<char>('a' + rank % 26), rank);
    }
    return text;
  }
  Status Run(Invocation& call, std::stop_token stop) override {
    random_.seed(static_cast<std::uint32_t>(seed_));
    LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open(folder.path()));
    const RandomEmbedder embedder;
    const auto filling = std::chrono::steady_clock::now();
    for (int done = 0; done < turns_;) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
      LIUBAI_ASSIGN_OR_RETURN(const SessionId session,
                              store->EnsureSession(fmt::format("{}", done)));
      std::vector<NewTurn> turns(static_cast<std::size_t>(std::min(500, turns_ - done)));
      for (NewTurn& turn : turns) {
        turn.session_id = session;
        turn.text = Words(10 + static_cast<int>(random_() % 40));
      }
      LIUBAI_RETURN_IF_ERROR(store->AppendTurns(turns).status());
      done += static_cast<int>(turns.size());
    }
    // What the generator gives next stands for all that it gave before.
    call.UseData(fmt::format("generated: {} turns, seed {}", turns_, seed_), Words(16));
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Retriever> retriever,
                            Retriever::Open(*store, &embedder));
    LIUBAI_RETURN_IF_ERROR(retriever->IndexPending(turns_, stop).status());
    LIUBAI_RETURN_IF_ERROR(retriever->Publish());
    const double fill_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - filling).count();
    std::vector<std::int64_t> hybrid, words;
    for (int i = 0; i < queries_ + 10; ++i) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
      RecallQuery query;
      query.text = Words(8);
      LIUBAI_ASSIGN_OR_RETURN(const QuestionVectors vectors, retriever->EmbedQuestion(query, stop));
      LIUBAI_ASSIGN_OR_RETURN(const RecallResult both,
                              retriever->RecallWithVectors(query, vectors));
      LIUBAI_ASSIGN_OR_RETURN(const RecallResult one, retriever->RecallWithVectors(query, {}));
      if (i < 10) continue;  // Caches warm up.
      hybrid.push_back(both.search_us);
      words.push_back(one.search_us);
    }
    const RetrieverStatus status = retriever->status();
    LIUBAI_RETURN_IF_ERROR(store->Checkpoint());
    LIUBAI_ASSIGN_OR_RETURN(const StoreStats stats, store->Stats());
    std::int64_t bytes = 0;  // Database and index, all that lies in the folder.
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path())) {
      if (file.is_regular_file()) bytes += static_cast<std::int64_t>(file.file_size());
    }
    const std::int64_t beyond = (bytes - stats.text_bytes) / std::max<std::int64_t>(stats.turns, 1);
    const nlohmann::json report = {{"bench", "search"},
                                   {"turns", turns_},
                                   {"queries", queries_},
                                   {"dimension", kDimension},
                                   {"index", status.graph ? "hnsw" : "exact"},
                                   {"data", "generated"},
                                   {"seed", seed_},
                                   {"query_embedding", "excluded"},
                                   {"isa", CpuIsaName(BestCpuIsa())},
                                   {"bytes_per_turn_beyond_text", beyond},
                                   {"text_bytes_per_turn", stats.text_bytes / stats.turns},
                                   {"fill_s", std::round(fill_s * 10) / 10},
                                   {"hybrid_ms", LatencyJson(hybrid)},
                                   {"words_ms", LatencyJson(words)}};
    if (!call.Report(report)) {
      call.Print(fmt::format(
          "hybrid search over {} turns ({}): p50 {} ms, p95 {} ms; words alone: p50 {} ms, p95 {} "
          "ms; {} bytes a turn beyond its text of {}\n",
          turns_, status.graph ? "HNSW" : "exact", report["hybrid_ms"]["p50"].get<double>(),
          report["hybrid_ms"]["p95"].get<double>(), report["words_ms"]["p50"].get<double>(),
          report["words_ms"]["p95"].get<double>(), beyond, stats.text_bytes / stats.turns));
    }
    return Status();
  }

  int turns_ = 20000;
  int queries_ = 200;
  int seed_ = 1;
  std::mt19937 random_;
};

}  // namespace

std::unique_ptr<Command> MakeBenchSearch() { return std::make_unique<BenchSearch>(); }

}  // namespace liubai::tools
