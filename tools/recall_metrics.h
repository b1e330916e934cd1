// tools/recall_metrics.h: figures of recall over many questions, and the baselines that every run
// has beside it.
//
// Errors:  those of SQLite as kInternal.
// Threads: values; none of its own.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "liubai/retrieval.h"
#include "liubai/status.h"

namespace liubai::tools {

inline constexpr std::array<int, 5> kDepths = {1, 5, 10, 25, 50};

struct Interval {
  double low;
  double high;
};
// Wilson's interval at 95 % for `successes` of `count`; of a mean of fractions it is an
// approximation.
Interval Wilson95(double successes, double count);

// {"value", "low", "high"} of `sum` of `count` in per cent, to two places; 0 of nothing.
nlohmann::json PerCentJson(double sum, double count);

// Sums over questions of what one system found. Ranks are places of the evidence, from 0.
class RecallSums {
 public:
  // `ranked`: the system's answer, best first; `evidence`: not empty. Ids are opaque.
  void Add(std::span<const std::string> ranked, std::span<const std::string> evidence);
  std::int64_t count() const { return count_; }
  double Fraction(std::size_t depth) const;
  // {"n", "fraction@1": {"value", "low", "high"}, "any@1", "all@1", "ndcg@1", …}, in per cent.
  nlohmann::json ToJson(bool with_any_and_all) const;

 private:
  std::int64_t count_ = 0;
  std::array<double, kDepths.size()> fraction_{};
  std::array<double, kDepths.size()> any_{};
  std::array<double, kDepths.size()> all_{};
  std::array<double, kDepths.size()> ndcg_{};
};

// SQLite FTS5 as most people use it: tokenize=porter, the question's words joined by OR, bm25().
class FtsBaseline {
 public:
  static Result<std::unique_ptr<FtsBaseline>> Open(std::span<const std::string> texts);
  ~FtsBaseline();
  // Places in `texts`, best first.
  Result<std::vector<std::size_t>> Search(std::string_view question, int limit);

 private:
  struct Impl;
  explicit FtsBaseline(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Texts by how many of the question's words of four letters and more they contain, then in order.
std::vector<std::size_t> GrepSearch(std::span<const std::string> texts, std::string_view question,
                                    int limit);

// Latencies in microseconds as {"p50", "p95", "max"} in milliseconds.
nlohmann::json LatencyJson(std::vector<std::int64_t> micros);

// The same of each system, by its name.
nlohmann::json LatenciesJson(const std::map<std::string, std::vector<std::int64_t>>& micros);

// "words=0.8,date=0.5" as RetrieverOptions::weights.
Result<std::vector<std::pair<std::string, double>>> ParseWeights(std::string_view text);

// --data, else LIUBAI_DATA, joined with `name`; kNotFound says how to give it.
Result<std::string> DataFile(const std::string& data, std::string_view name);

// The names at `places`, in their order.
std::vector<std::string> Names(std::span<const std::size_t> places,
                               std::span<const std::string> names);

// The system of that name, made where there is none; a report keeps the order in which they came.
template <class System>
System& NamedSystem(std::vector<System>& systems, const std::string& name) {
  for (System& system : systems) {
    if (system.name == name) return system;
  }
  systems.emplace_back().name = name;
  return systems.back();
}

// A new folder under the system's temporary one, removed at the end.
class ScratchFolder {
 public:
  static Result<ScratchFolder> Make();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();
  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace liubai::tools
