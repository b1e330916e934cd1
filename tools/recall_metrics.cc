#include "tools/recall_metrics.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_set>

#include "core/macros.h"
#include "core/text.h"

namespace liubai::tools {
namespace {

// Words of letters and digits, lower-cased, each once.
std::vector<std::string> Words(std::string_view text, std::size_t least_bytes) {
  std::vector<std::string> words;
  std::set<std::string> seen;
  std::string word;
  const auto Finish = [&] {
    if (word.size() >= least_bytes && seen.insert(word).second) words.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    if (point.value >= 0 &&
        (IsLetter(point.value) || IsNumber(point.value) || IsMark(point.value))) {
      AppendUtf8(ToLower(point.value), word);
    } else {
      Finish();
    }
    i += point.length;
  }
  Finish();
  return words;
}

double Round(double per_cent) { return std::round(per_cent * 100) / 100; }

}  // namespace

Interval Wilson95(double successes, double count) {
  if (count <= 0) return {0, 1};
  constexpr double z = 1.959963984540054;
  const double p = successes / count, z2 = z * z;
  const double middle = (p + z2 / (2 * count)) / (1 + z2 / count);
  const double half =
      z / (1 + z2 / count) * std::sqrt(p * (1 - p) / count + z2 / (4 * count * count));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

void RecallSums::Add(std::span<const std::string> ranked, std::span<const std::string> evidence) {
  const std::unordered_set<std::string> wanted(evidence.begin(), evidence.end());
  ++count_;
  for (std::size_t d = 0; d < kDepths.size(); ++d) {
    const std::size_t depth = static_cast<std::size_t>(kDepths[d]);
    double found = 0, gain = 0, ideal = 0;
    // DCG = rel_1 + sum over i >= 2 of rel_i / log2(i), as LongMemEval's own script has it.
    const auto Discount = [](std::size_t place) {
      return place == 0 ? 1.0 : 1.0 / std::log2(static_cast<double>(place + 1));
    };
    for (std::size_t i = 0; i < std::min(depth, ranked.size()); ++i) {
      if (!wanted.contains(ranked[i])) continue;
      ++found;
      gain += Discount(i);
    }
    for (std::size_t i = 0; i < std::min(depth, wanted.size()); ++i) ideal += Discount(i);
    fraction_[d] += found / static_cast<double>(wanted.size());
    any_[d] += found > 0 ? 1 : 0;
    all_[d] += found >= static_cast<double>(wanted.size()) ? 1 : 0;
    ndcg_[d] += ideal > 0 ? gain / ideal : 0;
  }
}

double RecallSums::Fraction(std::size_t depth) const {
  return count_ > 0 ? 100 * fraction_[depth] / static_cast<double>(count_) : 0;
}

nlohmann::json PerCentJson(double sum, double count) {
  const Interval interval = Wilson95(sum, count);
  return {{"value", Round(count > 0 ? 100 * sum / count : 0)},
          {"low", Round(100 * interval.low)},
          {"high", Round(100 * interval.high)}};
}

nlohmann::json RecallSums::ToJson(bool with_any_and_all) const {
  nlohmann::json out = {{"n", count_}};
  const double n = static_cast<double>(count_);
  const auto Put = [&](const char* name, int depth, double sum) {
    out[fmt::format("{}@{}", name, depth)] = PerCentJson(sum, n);
  };
  for (std::size_t d = 0; d < kDepths.size(); ++d) {
    Put("fraction", kDepths[d], fraction_[d]);
    if (!with_any_and_all) continue;
    Put("any", kDepths[d], any_[d]);
    Put("all", kDepths[d], all_[d]);
    out[fmt::format("ndcg@{}", kDepths[d])] = Round(n > 0 ? 100 * ndcg_[d] / n : 0);
  }
  return out;
}

struct FtsBaseline::Impl {
  sqlite3* db = nullptr;
  sqlite3_stmt* search = nullptr;
  ~Impl() {
    sqlite3_finalize(search);
    sqlite3_close(db);
  }
  Status Failed(std::string_view what) const {
    return Status(StatusCode::kInternal,
                  fmt::format("the FTS5 baseline, {}: {}", what, sqlite3_errmsg(db)));
  }
};

FtsBaseline::FtsBaseline(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FtsBaseline::~FtsBaseline() = default;

Result<std::unique_ptr<FtsBaseline>> FtsBaseline::Open(std::span<const std::string> texts) {
  auto impl = std::make_unique<Impl>();
  if (sqlite3_open(":memory:", &impl->db) != SQLITE_OK) return impl->Failed("opening");
  if (sqlite3_exec(impl->db,
                   "CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter unicode61'); BEGIN",
                   nullptr, nullptr, nullptr) != SQLITE_OK) {
    return impl->Failed("creating");
  }
  sqlite3_stmt* insert = nullptr;
  if (sqlite3_prepare_v2(impl->db, "INSERT INTO t(rowid, text) VALUES(?1, ?2)", -1, &insert,
                         nullptr) != SQLITE_OK) {
    return impl->Failed("filling");
  }
  bool filled = true;
  for (std::size_t i = 0; i < texts.size() && filled; ++i) {
    sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(i) + 1);
    sqlite3_bind_text(insert, 2, texts[i].data(), static_cast<int>(texts[i].size()), SQLITE_STATIC);
    filled = sqlite3_step(insert) == SQLITE_DONE;
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  if (!filled) return impl->Failed("filling");
  if (sqlite3_exec(impl->db, "COMMIT", nullptr, nullptr, nullptr) != SQLITE_OK ||
      sqlite3_prepare_v2(impl->db,
                         "SELECT rowid FROM t WHERE t MATCH ?1 ORDER BY bm25(t), rowid LIMIT ?2",
                         -1, &impl->search, nullptr) != SQLITE_OK) {
    return impl->Failed("preparing");
  }
  return std::unique_ptr<FtsBaseline>(new FtsBaseline(std::move(impl)));
}

Result<std::vector<std::size_t>> FtsBaseline::Search(std::string_view question, int limit) {
  std::string match;
  for (const std::string& word : Words(question, 1)) {
    if (!match.empty()) match += " OR ";
    match += '"' + word + '"';
  }
  std::vector<std::size_t> found;
  if (match.empty()) return found;
  sqlite3_bind_text(impl_->search, 1, match.data(), static_cast<int>(match.size()),
                    SQLITE_TRANSIENT);
  sqlite3_bind_int(impl_->search, 2, limit);
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(impl_->search)) == SQLITE_ROW) {
    found.push_back(static_cast<std::size_t>(sqlite3_column_int64(impl_->search, 0) - 1));
  }
  sqlite3_reset(impl_->search);
  if (code != SQLITE_DONE) return impl_->Failed("searching");
  return found;
}

std::vector<std::size_t> GrepSearch(std::span<const std::string> texts, std::string_view question,
                                    int limit) {
  const std::vector<std::string> words = Words(question, 4);
  std::vector<std::pair<int, std::size_t>> ranked;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string lower = ToLowerUtf8(texts[i]);
    int count = 0;
    for (const std::string& word : words) count += lower.find(word) != std::string::npos ? 1 : 0;
    if (count > 0) ranked.emplace_back(-count, i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < std::min(ranked.size(), static_cast<std::size_t>(limit)); ++i) {
    found.push_back(ranked[i].second);
  }
  return found;
}

nlohmann::json LatencyJson(std::vector<std::int64_t> micros) {
  if (micros.empty()) return nullptr;
  std::sort(micros.begin(), micros.end());
  const auto At = [&](double share) {
    const std::size_t place =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(micros.size()))) - 1;
    return Round(static_cast<double>(micros[std::min(place, micros.size() - 1)]) / 1000);
  };
  return {
      {"n", micros.size()}, {"p50", At(0.5)}, {"p95", At(0.95)}, {"p99", At(0.99)}, {"max", At(1)}};
}

nlohmann::json LatenciesJson(const std::map<std::string, std::vector<std::int64_t>>& micros) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [name, values] : micros) out[name] = LatencyJson(values);
  return out;
}

Result<std::vector<std::pair<std::string, double>>> ParseWeights(std::string_view text) {
  std::vector<std::pair<std::string, double>> weights;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    const std::string value(equals == std::string_view::npos ? "" : item.substr(equals + 1));
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != '\0') {
      return Status(StatusCode::kInvalidArgument, fmt::format("'{}' is not NAME=NUMBER", item));
    }
    weights.emplace_back(item.substr(0, equals), number);
  }
  return weights;
}

Result<std::string> DataFile(const std::string& data, std::string_view name) {
  std::string folder = data;
  if (folder.empty()) {
    const char* const given = std::getenv("LIUBAI_DATA");
    if (given != nullptr) folder = given;
  }
  if (folder.empty()) {
    return Status(
        StatusCode::kNotFound,
        fmt::format("where is {}? Give the data's folder with --data, or in LIUBAI_DATA", name));
  }
  // The folder that holds all data sets, that of this one, or the file itself.
  for (const std::filesystem::path& path :
       {std::filesystem::path(folder) / name,
        std::filesystem::path(folder) / std::filesystem::path(name).filename(),
        std::filesystem::path(folder)}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path.string();
  }
  return Status(StatusCode::kNotFound, fmt::format("{} holds no {}", folder, name));
}

std::vector<std::string> Names(std::span<const std::size_t> places,
                               std::span<const std::string> names) {
  std::vector<std::string> picked;
  for (const std::size_t place : places) picked.push_back(names[place]);
  return picked;
}

Result<ScratchFolder> ScratchFolder::Make() {
  std::error_code error;
  std::string pattern = (std::filesystem::temp_directory_path(error) / "liubai-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr) {
    return Status(StatusCode::kPermissionDenied,
                  fmt::format("no temporary folder {} can be made", pattern));
  }
  return ScratchFolder(pattern);
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  if (!path_.empty()) std::filesystem::remove_all(path_, error);
}

}  // namespace liubai::tools
