// liubai bench search: how long one hybrid search takes over a store of many turns, by stage,
// without the embedding of the question; how much disk and memory that takes; what the lists of
// vectors miss of an exact scan. Words miss nothing: their best are exact (memory/best_texts.h).
//
// All is made by a seeded generator: the time of a search depends on the number of turns and on the
// frequencies of words, which follow Zipf's law, not on what they say. The vector of a turn is a
// unit vector at a random direction, kSpread away, from one of `--clusters` centres: the vectors of
// our general text under a real embedder, or, without one, random directions within a cone. So are
// those of the questions. Codes of tokens are drawn directly.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/cpu_features.h"
#include "core/elapsed.h"
#include "core/half.h"
#include "core/macros.h"
#include "memory/general_text.h"
#include "memory/token_codec.h"
#include "memory/vector_index.h"
#include "tools/commands.h"
#include "tools/embedder_flags.h"
#include "tools/recall_metrics.h"

namespace liubai::tools {
namespace {

constexpr int kDimension = 384;  // Of both embedders of the catalogue.
constexpr int kVocabulary = 20000;
constexpr float kSpread = 0.5f;  // A turn's cosine to its centre is 1 / sqrt(1 + kSpread^2), 0.89.
constexpr float kCone = 0.6f;    // Of a random centre, along the direction that all share.
constexpr int kBytesPerToken = 6;  // Of text.

using Vector = std::array<float, kDimension>;

void Normalise(Vector& vector) {
  float squares = 0;
  for (const float value : vector) squares += value * value;
  for (float& value : vector) value /= std::sqrt(squares);
}

Vector RandomUnit(std::mt19937& random) {
  std::normal_distribution<float> normal;
  Vector vector;
  for (float& value : vector) value = normal(random);
  Normalise(vector);
  return vector;
}

// The most memory that this process ever had, in MiB; 0 where the system does not tell.
std::int64_t PeakMemory_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atoll(line.c_str() + 6) / 1024;
  }
  return 0;
}

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::round(static_cast<double>(MicrosSince(since)) / 1e5) / 10;
}

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
    return static_cast<int>(text.size() / kBytesPerToken) + 1;
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
      for (std::size_t at = 0; at < text.size(); at += kBytesPerToken) {
        tokens.begin.push_back(static_cast<std::uint32_t>(at));
        tokens.end.push_back(
            static_cast<std::uint32_t>(std::min(at + kBytesPerToken, text.size())));
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
 public:
  BenchSearch() { embedder_.embedder = "none"; }

 private:
  void Declare(Flags& flags) override {
    flags.Integer("--turns", "N", &turns_, 100, 1000000, "turns in the store");
    flags.Integer("--queries", "N", &queries_, 1, 100000, "searches to time");
    flags.Integer("--clusters", "N", &clusters_, 1, 100000,
                  "centres of vectors: random ones, or with --embedder its vectors of the general "
                  "text. A turn's vector is a centre plus a random unit vector times 0.5, made of "
                  "length 1; so is a question's");
    flags.Integer("--sample", "N", &sample_, 0, 10000,
                  "searches whose vectors are compared with an exact scan");
    flags.Text("--keep", "FOLDER", &keep_,
               "keep the store there; one of as many turns that is there is used again");
    flags.Integer("--seed", "N", &seed_, 0, 1 << 30, "of the generator");
    embedder_.Declare(flags);
  }

  // Three syllables: one term to the tokeniser, and no word of a language.
  static std::string Word(int rank) {
    constexpr std::string_view kConsonants = "bdfghjklmnprstvz", kVowels = "aeiou";
    std::string word;
    for (int i = 0; i < 3; ++i, rank /= 80) {
      word += kConsonants[static_cast<std::size_t>(rank % 16)];
      word += kVowels[static_cast<std::size_t>(rank / 16 % 5)];
    }
    return word;
  }

  std::string Words(int count) {
    std::string text;
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int i = 0; i < count; ++i) {
      // Zipf: rank = vocabulary ^ u.
      const int rank = static_cast<int>(std::pow(kVocabulary, uniform(random_)));
      text += fmt::format("{}{}", text.empty() ? "" : " ", Word(rank));
    }
    return text;
  }

  Status MakeCentres(Invocation& call, std::stop_token stop) {
    if (embedder_.embedder == "none") {
      const Vector shared = RandomUnit(random_);
      for (int i = 0; i < clusters_; ++i) {
        Vector& centre = centres_.emplace_back(RandomUnit(random_));
        for (std::size_t d = 0; d < kDimension; ++d) {
          centre[d] = kCone * shared[d] + std::sqrt(1 - kCone * kCone) * centre[d];
        }
        Normalise(centre);
      }
      return Status();
    }
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Embedder> embedder, embedder_.Require(call));
    if (embedder->dimension() != kDimension) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("--embedder {}: {} dimensions, the bench has {}", embedder->name(),
                                embedder->dimension(), kDimension));
    }
    // Parts of about a sentence.
    std::vector<std::string> parts;
    for (const std::string_view text : memory::GeneralText()) {
      for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find_first_of(".\n", begin + 24), text.size() - 1);
        parts.emplace_back(text.substr(begin, end + 1 - begin));
        begin = end + 1;
      }
    }
    if (parts.size() > static_cast<std::size_t>(clusters_)) {
      parts.resize(static_cast<std::size_t>(clusters_));
    }
    clusters_ = static_cast<int>(parts.size());
    for (const std::string& part : parts) {
      const std::string_view text = part;
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<float> vector,
                              embedder->Embed({&text, 1}, EmbedKind::kPassage, stop));
      std::copy(vector.begin(), vector.end(), centres_.emplace_back().begin());
    }
    return Status();
  }

  Vector AroundACentre() {
    Vector vector = centres_[random_() % centres_.size()];
    const Vector away = RandomUnit(random_);
    for (std::size_t d = 0; d < kDimension; ++d) vector[d] += kSpread * away[d];
    Normalise(vector);
    return vector;
  }

  Status Fill(Store& store, std::int64_t embedder_id, std::stop_token stop) {
    constexpr int kBatch = 4000;  // Of one transaction.
    constexpr int kSession = 500;
    for (int done = 0; done < turns_;) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
      std::vector<NewTurn> turns(static_cast<std::size_t>(std::min(kBatch, turns_ - done)));
      for (std::size_t i = 0; i < turns.size(); ++i) {
        if (i % kSession == 0) {
          LIUBAI_ASSIGN_OR_RETURN(
              session_, store.EnsureSession(fmt::format("{}", static_cast<std::size_t>(done) + i)));
        }
        turns[i].session_id = session_;
        turns[i].text = Words(10 + static_cast<int>(random_() % 40));
      }
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<TurnId> ids, store.AppendTurns(turns));
      std::vector<NewEmbedding> vectors;
      for (std::size_t i = 0; i < turns.size(); ++i) {
        NewEmbedding& pooled = vectors.emplace_back(NewEmbedding{UnitKind::kTurn, ids[i], 0, {}});
        for (const float value : AroundACentre()) pooled.values.push_back(FloatToHalf(value));
        NewEmbedding& codes =
            vectors.emplace_back(NewEmbedding{UnitKind::kTurnTokens, ids[i], 0, {}});
        codes.values.resize((turns[i].text.size() / kBytesPerToken + 1) *
                            memory::TokenCodec::kBytes / 2);
        for (std::uint16_t& value : codes.values) value = static_cast<std::uint16_t>(random_());
      }
      LIUBAI_RETURN_IF_ERROR(store.PutEmbeddings(embedder_id, vectors).status());
      done += static_cast<int>(turns.size());
    }
    return Status();
  }

  // Shares of the exact best 10 and 300 that the index finds as a search asks it.
  Result<nlohmann::json> Recall(Store& store, const EmbedderRecord& record) {
    constexpr std::int64_t kWanted = 300;
    const auto opening = std::chrono::steady_clock::now();
    LIUBAI_ASSIGN_OR_RETURN(
        const std::unique_ptr<memory::VectorIndex> index,
        memory::VectorIndex::Open(store, record, UnitKind::kTurn, kDefaultTenant));
    nlohmann::json out = {{"open_s", Seconds(opening)}, {"sample", sample_}};
    std::array<double, 2> found{}, wanted{};
    std::vector<std::int64_t> search_us, scan_us;
    for (int i = 0; i < sample_; ++i) {
      const Vector query = AroundACentre();
      auto start = std::chrono::steady_clock::now();
      LIUBAI_ASSIGN_OR_RETURN(const auto hits, index->Search(query, kWanted));
      search_us.push_back(MicrosSince(start));
      start = std::chrono::steady_clock::now();
      LIUBAI_ASSIGN_OR_RETURN(const auto exact, index->Scan(query, kWanted));
      scan_us.push_back(MicrosSince(start));
      for (const std::size_t depth : {std::size_t{10}, std::size_t{kWanted}}) {
        const std::size_t at = depth == 10 ? 0 : 1;
        const std::size_t count = std::min(depth, exact.size());
        wanted[at] += static_cast<double>(count);
        for (std::size_t e = 0; e < count; ++e) {
          const auto end = hits.begin() + static_cast<std::ptrdiff_t>(std::min(depth, hits.size()));
          found[at] += std::any_of(hits.begin(), end, [&](const memory::VectorHit& hit) {
            return hit.vector_id == exact[e].vector_id;
          });
        }
      }
    }
    if (sample_ > 0) {
      out["recall_at_10"] = std::round(1000 * found[0] / wanted[0]) / 1000;
      out["recall_at_300"] = std::round(1000 * found[1] / wanted[1]) / 1000;
      out["index_ms"] = LatencyJson(search_us);
      out["scan_ms"] = LatencyJson(scan_us);
    }
    return out;
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    random_.seed(static_cast<std::uint32_t>(seed_));
    LIUBAI_RETURN_IF_ERROR(MakeCentres(call, stop));
    LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder scratch, ScratchFolder::Make());
    const std::string folder = keep_.empty() ? scratch.path() : keep_;
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open(folder));
    const RandomEmbedder embedder;
    auto start = std::chrono::steady_clock::now();
    LIUBAI_ASSIGN_OR_RETURN(std::unique_ptr<Retriever> retriever,
                            Retriever::Open(*store, &embedder));
    LIUBAI_ASSIGN_OR_RETURN(StoreStats stats, store->Stats());
    if (stats.turns != 0 && stats.turns != turns_) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("--keep {}: a store of {} turns is there, --turns is {}", folder,
                                stats.turns, turns_));
    }
    nlohmann::json report = {
        {"bench", "search"},
        {"turns", turns_},
        {"queries", queries_},
        {"dimension", kDimension},
        {"data", "generated"},
        {"vector_of_a_turn", "a centre plus a random unit vector times spread, of length 1"},
        {"centres", embedder_.embedder == "none" ? "random" : embedder_.embedder},
        {"clusters", clusters_},
        {"spread", kSpread},
        {"token_codes", "random"},
        {"seed", seed_},
        {"query_embedding", "excluded"},
        {"isa", CpuIsaName(BestCpuIsa())}};
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<EmbedderRecord> records, store->Embedders());
    if (stats.turns == 0) {
      start = std::chrono::steady_clock::now();
      LIUBAI_RETURN_IF_ERROR(Fill(*store, records.front().id, stop));
      report["fill_s"] = Seconds(start);
    } else {
      report["open_s"] = Seconds(start);
    }
    start = std::chrono::steady_clock::now();
    if (const RetrieverStatus built = retriever->status();
        built.generation == 0 || built.unmerged > 0 || stats.turns == 0) {
      LIUBAI_RETURN_IF_ERROR(retriever->Publish());
      report["index_build_s"] = Seconds(start);
    }
    // What the generator gives next stands for all that it gave before.
    call.UseData(fmt::format("generated: {} turns, {} clusters, seed {}", turns_, clusters_, seed_),
                 Words(16));
    report["peak_memory_after_build_mib"] = PeakMemory_mib();
    std::map<std::string, std::vector<std::int64_t>> micros;
    for (int i = 0; i < queries_ + 10; ++i) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
      RecallQuery query;
      query.text = Words(8);
      LIUBAI_ASSIGN_OR_RETURN(QuestionVectors vectors, retriever->EmbedQuestion(query, stop));
      const Vector pooled = AroundACentre();
      vectors.pooled.assign(pooled.begin(), pooled.end());
      LIUBAI_ASSIGN_OR_RETURN(const RecallResult both,
                              retriever->RecallWithVectors(query, vectors));
      LIUBAI_ASSIGN_OR_RETURN(const RecallResult one, retriever->RecallWithVectors(query, {}));
      if (i == 0) report["first_search_ms"] = static_cast<double>(both.search_us / 100) / 10;
      if (i < 10) continue;  // Caches warm up.
      micros["hybrid_ms"].push_back(both.search_us);
      micros["hybrid_words_ms"].push_back(both.words_us);
      micros["hybrid_vectors_ms"].push_back(both.vectors_us);
      micros["hybrid_tokens_ms"].push_back(both.tokens_us);
      micros["words_ms"].push_back(one.search_us);
    }
    const RetrieverStatus status = retriever->status();
    report["index"] = status.lists > 0 ? fmt::format("{} lists", status.lists) : "exact";
    report["peak_memory_mib"] = PeakMemory_mib();
    for (const auto& [name, values] : micros) report[name] = LatencyJson(values);
    retriever.reset();
    LIUBAI_ASSIGN_OR_RETURN(report["vectors"], Recall(*store, records.front()));
    LIUBAI_RETURN_IF_ERROR(store->Checkpoint());
    LIUBAI_ASSIGN_OR_RETURN(stats, store->Stats());
    std::int64_t bytes = 0;  // Database and index, all that lies in the folder.
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
      if (file.is_regular_file()) bytes += static_cast<std::int64_t>(file.file_size());
    }
    const std::int64_t beyond = (bytes - stats.text_bytes) / std::max<std::int64_t>(stats.turns, 1);
    report["bytes_per_turn_beyond_text"] = beyond;
    report["text_bytes_per_turn"] = stats.text_bytes / stats.turns;
    if (!call.Report(report)) {
      call.Print(fmt::format(
          "generated turns; each vector is one of {} {} centres plus {} times a random unit "
          "vector\n",
          clusters_, embedder_.embedder == "none" ? "random" : embedder_.embedder, kSpread));
      if (report.contains("index_build_s")) {
        call.Print(fmt::format("the vector index was built in {} s\n",
                               report["index_build_s"].get<double>()));
      }
      call.Print(fmt::format(
          "hybrid search over {} turns ({}): p50 {} ms, p95 {} ms, p99 {} ms; words alone: p50 {} "
          "ms, p95 {} ms; {} bytes a turn beyond its text of {}; {} MiB of memory at most\n",
          turns_, report["index"].get<std::string>(), report["hybrid_ms"]["p50"].get<double>(),
          report["hybrid_ms"]["p95"].get<double>(), report["hybrid_ms"]["p99"].get<double>(),
          report["words_ms"]["p50"].get<double>(), report["words_ms"]["p95"].get<double>(), beyond,
          stats.text_bytes / stats.turns, report["peak_memory_mib"].get<std::int64_t>()));
      if (sample_ > 0) {
        call.Print(
            fmt::format("of the 10 nearest vectors the index finds {:.1f} %, of the 300 "
                        "nearest {:.1f} %; words are exact\n",
                        100 * report["vectors"]["recall_at_10"].get<double>(),
                        100 * report["vectors"]["recall_at_300"].get<double>()));
      }
    }
    return Status();
  }

  int turns_ = 20000;
  int queries_ = 200;
  int clusters_ = 1000;
  int sample_ = 50;
  int seed_ = 1;
  std::string keep_;
  EmbedderFlags embedder_;
  SessionId session_ = 0;
  std::vector<Vector> centres_;
  std::mt19937 random_;
};

}  // namespace

std::unique_ptr<Command> MakeBenchSearch() { return std::make_unique<BenchSearch>(); }

}  // namespace liubai::tools
