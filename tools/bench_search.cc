// liubai bench search: how long one hybrid search takes over a store of many turns, without the
// embedding of the question. Texts and vectors are made by a seeded generator: the time of a search
// depends on their number and on the frequencies of words, which follow Zipf's law, not on what
// they say.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "core/cpu_features.h"
#include "core/half.h"
#include "core/macros.h"
#include "tools/commands.h"
#include "tools/recall_metrics.h"

namespace liubai::tools {
namespace {

constexpr int kDimension = 384;  // Of both embedders of the catalogue.
constexpr int kVocabulary = 20000;

// Stands where only the time of a search is measured: its vectors are never asked for by text.
class NoEmbedder final : public Embedder {
 public:
  const std::string& id() const override { return id_; }
  const std::string& name() const override { return id_; }
  int dimension() const override { return kDimension; }
  int max_tokens() const override { return 512; }
  Result<int> CountTokens(std::string_view text, EmbedKind) const override {
    return static_cast<int>(text.size() / 4);
  }
  Result<std::vector<float>> Embed(std::span<const std::string_view>, EmbedKind,
                                   std::stop_token) const override {
    return Status(StatusCode::kUnimplemented, "bench search makes its own vectors");
  }
  Result<std::vector<TokenVectors>> EmbedTokens(std::span<const std::string_view>, EmbedKind,
                                                std::stop_token) const override {
    return Status(StatusCode::kUnimplemented, "bench search makes its own vectors");
  }

 private:
  std::string id_ = "generated";
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
  std::vector<float> Vector() {
    std::normal_distribution<float> normal;
    std::vector<float> vector(kDimension);
    float squares = 0;
    for (float& value : vector) value = normal(random_), squares += value * value;
    for (float& value : vector) value /= std::sqrt(squares);
    return vector;
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    random_.seed(static_cast<std::uint32_t>(seed_));
    LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open(folder.path()));
    const NoEmbedder embedder;
    LIUBAI_ASSIGN_OR_RETURN(const EmbedderRecord record,
                            store->EnsureEmbedder(embedder.name(), embedder.id(), kDimension));
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
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<TurnId> ids, store->AppendTurns(turns));
      std::vector<NewEmbedding> embeddings;
      for (const TurnId id : ids) {
        NewEmbedding embedding;
        embedding.unit_id = id;
        for (const float value : Vector()) embedding.values.push_back(FloatToHalf(value));
        embeddings.push_back(std::move(embedding));
      }
      LIUBAI_RETURN_IF_ERROR(store->PutEmbeddings(record.id, embeddings).status());
      done += static_cast<int>(turns.size());
    }
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Retriever> retriever,
                            Retriever::Open(*store, &embedder));
    LIUBAI_RETURN_IF_ERROR(retriever->Publish());
    const double fill_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - filling).count();
    std::vector<std::int64_t> hybrid, words;
    for (int i = 0; i < queries_ + 10; ++i) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
      RecallQuery query;
      query.text = Words(8);
      const std::vector<float> vector = Vector();
      LIUBAI_ASSIGN_OR_RETURN(const RecallResult both, retriever->RecallWithVector(query, vector));
      LIUBAI_ASSIGN_OR_RETURN(const RecallResult one, retriever->RecallWithVector(query, {}));
      if (i < 10) continue;  // Caches warm up.
      hybrid.push_back(both.search_us);
      words.push_back(one.search_us);
    }
    const RetrieverStatus status = retriever->status();
    const nlohmann::json report = {{"bench", "search"},
                                   {"turns", turns_},
                                   {"queries", queries_},
                                   {"dimension", kDimension},
                                   {"index", status.graph ? "hnsw" : "exact"},
                                   {"data", "generated"},
                                   {"seed", seed_},
                                   {"query_embedding", "excluded"},
                                   {"isa", CpuIsaName(BestCpuIsa())},
                                   {"fill_s", std::round(fill_s * 10) / 10},
                                   {"hybrid_ms", LatencyJson(hybrid)},
                                   {"words_ms", LatencyJson(words)}};
    if (call.json()) {
      call.PrintJson(report);
    } else {
      call.Print(fmt::format(
          "hybrid search over {} turns ({}): p50 {} ms, p95 {} ms; words alone: p50 {} ms, p95 {} "
          "ms\n",
          turns_, status.graph ? "HNSW" : "exact", report["hybrid_ms"]["p50"].get<double>(),
          report["hybrid_ms"]["p95"].get<double>(), report["words_ms"]["p50"].get<double>(),
          report["words_ms"]["p95"].get<double>()));
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
