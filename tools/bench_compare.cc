// liubai bench compare: two results of one benchmark, metric by metric, with their intervals; where
// both hold a result for each question, the questions are paired.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/file_system.h"
#include "core/macros.h"
#include "tools/commands.h"
#include "tools/paired.h"

namespace liubai::tools {
namespace {

using nlohmann::json;

constexpr int kDeepest = 64;

struct Metric {
  double value = 0;
  bool interval = false;
  double low = 0, high = 0;

  json ToJson() const {
    if (!interval) return value;
    return {{"value", value}, {"low", low}, {"high", high}};
  }
  std::string Text() const {
    return interval ? fmt::format("{:.5g} [{:.5g}, {:.5g}]", value, low, high)
                    : fmt::format("{:.6g}", value);
  }
};

// Of one question, its numbers and truth values by name.
using Item = std::map<std::string, double>;

struct ResultFile {
  std::string path;
  json run;
  std::map<std::string, Metric> metrics;
  std::map<std::string, std::map<std::string, Item>> items;  // List, id, values.
};

bool IsNumber(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number();
}

bool EachHas(const json& array, const char* key) {
  return !array.empty() && std::ranges::all_of(array, [&](const json& element) {
    return element.is_object() && element.contains(key) && element[key].is_string();
  });
}

std::string Joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

// Reads the metrics of one result; errors name the place in it.
class Flattener {
 public:
  explicit Flattener(ResultFile& file) : file_(file) {}

  Status Walk(const json& value, const std::string& path, int depth = 0) {
    if (depth > kDeepest) {
      return Bad(fmt::format("{}: nested more than {} deep", path, kDeepest));
    }
    if (value.is_number()) {
      file_.metrics[path].value = value.get<double>();
    } else if (value.is_object()) {
      if (IsNumber(value, "value") && IsNumber(value, "low") && IsNumber(value, "high")) {
        const Metric metric{value["value"], true, value["low"], value["high"]};
        if (metric.low > metric.high) {
          return Bad(
              fmt::format("{}: its interval is from {} to {}", path, metric.low, metric.high));
        }
        file_.metrics[path] = metric;
        return {};
      }
      for (const auto& [name, inner] : value.items()) {
        if (depth == 0 && name == "run") continue;
        LIUBAI_RETURN_IF_ERROR(Walk(inner, Joined(path, name), depth + 1));
      }
    } else if (value.is_array() && EachHas(value, "id")) {
      for (const json& element : value) {
        const std::string id = element["id"];
        const auto [at, added] = file_.items[path].emplace(id, Item());
        if (!added) return Bad(fmt::format("{}: the id '{}' is there twice", path, id));
        LIUBAI_RETURN_IF_ERROR(WalkItem(element, "", at->second, depth + 1));
      }
    } else if (value.is_array()) {
      const bool named = EachHas(value, "name");
      for (std::size_t i = 0; i < value.size(); ++i) {
        const std::string name = named ? value[i]["name"].get<std::string>() : std::to_string(i);
        LIUBAI_RETURN_IF_ERROR(Walk(value[i], fmt::format("{}[{}]", path, name), depth + 1));
      }
    }
    return {};
  }

 private:
  Status Bad(std::string message) const {
    return {StatusCode::kDataLoss, fmt::format("{}: {}", file_.path, message)};
  }

  Status WalkItem(const json& value, const std::string& path, Item& item, int depth) {
    if (depth > kDeepest) {
      return Bad(fmt::format("{}: nested more than {} deep", path, kDeepest));
    }
    if (value.is_number()) {
      item[path] = value.get<double>();
    } else if (value.is_boolean()) {
      item[path] = value.get<bool>() ? 1 : 0;
    } else if (value.is_object()) {
      for (const auto& [name, inner] : value.items()) {
        LIUBAI_RETURN_IF_ERROR(WalkItem(inner, Joined(path, name), item, depth + 1));
      }
    }
    return {};
  }

  ResultFile& file_;
};

Result<ResultFile> Read(const std::string& path) {
  LIUBAI_ASSIGN_OR_RETURN(const std::string text,
                          ReadFile(PosixFileSystem(), path, std::uint64_t{256} << 20));
  const auto bad = [&](std::string what) {
    return Status(StatusCode::kDataLoss, fmt::format("{} {}", path, what));
  };
  json result;
  try {
    result = json::parse(text);
  } catch (const json::exception& error) {
    const std::string first = text.substr(0, text.find('\n'));
    if (first.size() < text.size() && json::accept(first)) {
      return bad("holds several results; compare files of one result each");
    }
    return bad(fmt::format("is no result of a benchmark, it is not JSON: {}", error.what()));
  }
  if (!result.is_object()) return bad("is no result of a benchmark: not a JSON object");
  const auto run = result.find("run");
  if (run == result.end() || !run->is_object() || !run->contains("bench") ||
      !(*run)["bench"].is_string() || !run->contains("data") || !(*run)["data"].is_array()) {
    return bad("is no result of a benchmark: it has no \"run\" with \"bench\" and \"data\"");
  }
  ResultFile file;
  file.path = path;
  file.run = *run;
  LIUBAI_RETURN_IF_ERROR(Flattener(file).Walk(result, ""));
  return file;
}

// The digests alone: the same file may lie elsewhere.
std::vector<std::string> Digests(const ResultFile& file) {
  std::vector<std::string> digests;
  for (const json& one : file.run["data"]) {
    digests.push_back(one.is_object() && one.contains("sha256") && one["sha256"].is_string()
                          ? one["sha256"].get<std::string>()
                          : "unknown");
  }
  return digests;
}

class BenchCompare final : public Command {
  void Declare(Flags& flags) override {
    flags.Arguments("FILE", &files_, true, "two results, the earlier one first");
    flags.Text("--only", "TEXT", &only_, "only metrics whose name contains TEXT");
    flags.Switch("--force", &force_, "compare also another benchmark or other data");
  }

  Status Run(Invocation& call, std::stop_token) override {
    if (files_.size() != 2) {
      return call.UsageError(fmt::format("two files are compared, not {}", files_.size()));
    }
    LIUBAI_ASSIGN_OR_RETURN(const ResultFile a, Read(files_[0]));
    LIUBAI_ASSIGN_OR_RETURN(const ResultFile b, Read(files_[1]));
    json forced = json::array();
    for (const std::string& reason : {OtherBench(a, b), OtherData(a, b)}) {
      if (reason.empty()) continue;
      if (!force_) return Status(StatusCode::kFailedPrecondition, reason + "; --force compares");
      call.Warn(reason);
      forced.push_back(reason);
    }
    return Show(call, a, b, forced);
  }

  static std::string OtherBench(const ResultFile& a, const ResultFile& b) {
    if (a.run["bench"] == b.run["bench"]) return "";
    return fmt::format("{} is of {}, {} is of {}", a.path, a.run["bench"].get<std::string>(),
                       b.path, b.run["bench"].get<std::string>());
  }
  static std::string OtherData(const ResultFile& a, const ResultFile& b) {
    const auto of_a = Digests(a), of_b = Digests(b);
    if (of_a == of_b) return "";
    return fmt::format("the data differ: SHA-256 {} in {}, {} in {}",
                       of_a.empty() ? "none" : fmt::format("{}", fmt::join(of_a, ", ")), a.path,
                       of_b.empty() ? "none" : fmt::format("{}", fmt::join(of_b, ", ")), b.path);
  }

  // What else was not the same: [a, b] by name.
  static json Differences(const json& a, const json& b) {
    json out = json::object();
    const auto compare = [&](const std::string& name, const json& left, const json& right) {
      if (left != right) out[name] = {left, right};
    };
    for (const char* name : {"version", "commit", "machine", "threads"}) {
      compare(name, a.value(name, json()), b.value(name, json()));
    }
    const json left = a.value("configuration", json::object()),
               right = b.value("configuration", json::object());
    std::set<std::string> names;
    for (const json& side : {left, right}) {
      if (!side.is_object()) continue;
      for (const auto& [name, value] : side.items()) names.insert(name);
    }
    for (const std::string& name : names) {
      compare("--" + name, left.is_object() ? left.value(name, json()) : json(),
              right.is_object() ? right.value(name, json()) : json());
    }
    return out;
  }

  bool Wanted(const std::string& name) const { return name.find(only_) != std::string::npos; }

  std::vector<std::pair<std::string, Paired>> Pairs(const ResultFile& a,
                                                    const ResultFile& b) const {
    std::vector<std::pair<std::string, Paired>> out;
    for (const auto& [list, items] : a.items) {
      const auto other = b.items.find(list);
      if (other == b.items.end()) continue;
      std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> values;
      for (const auto& [id, item] : items) {
        const auto same = other->second.find(id);
        if (same == other->second.end()) continue;
        for (const auto& [name, value] : item) {
          const auto found = same->second.find(name);
          if (found == same->second.end() || !Wanted(Joined(list, name))) continue;
          values[name].first.push_back(value);
          values[name].second.push_back(found->second);
        }
      }
      for (const auto& [name, both] : values) {
        out.emplace_back(Joined(list, name), Pair(both.first, both.second));
      }
    }
    return out;
  }

  Status Show(Invocation& call, const ResultFile& a, const ResultFile& b, const json& forced) {
    const json differences = Differences(a.run, b.run);
    json metrics = json::array(), paired = json::array(), only_a = json::array(),
         only_b = json::array();
    Table table({"METRIC", "A", "B", "B - A", "95 % INTERVALS"});
    for (const auto& [name, left] : a.metrics) {
      if (!Wanted(name)) continue;
      const auto found = b.metrics.find(name);
      if (found == b.metrics.end()) {
        only_a.push_back(name);
        continue;
      }
      const Metric& right = found->second;
      const double difference = right.value - left.value;
      json overlap;
      if (left.interval && right.interval) {
        overlap = left.low <= right.high && right.low <= left.high;
      }
      metrics.push_back({{"metric", name},
                         {"a", left.ToJson()},
                         {"b", right.ToJson()},
                         {"difference", difference},
                         {"intervals_overlap", overlap}});
      table.Add({name, left.Text(), right.Text(), fmt::format("{:+.5g}", difference),
                 overlap.is_null()     ? ""
                 : overlap.get<bool>() ? "overlap"
                                       : "apart"});
    }
    for (const auto& [name, right] : b.metrics) {
      if (Wanted(name) && !a.metrics.contains(name)) only_b.push_back(name);
    }
    Table pairs({"PAIRED BY QUESTION", "N", "A", "B", "B - A", "95 % INTERVAL", "ONLY A, ONLY B"});
    const auto all = Pairs(a, b);
    for (const auto& [name, pair] : all) {
      json one = {
          {"metric", name},
          {"n", pair.n},
          {"a", pair.a},
          {"b", pair.b},
          {"difference", {{"value", pair.b - pair.a}, {"low", pair.low}, {"high", pair.high}}},
          {"higher_in_a", pair.higher_in_a},
          {"higher_in_b", pair.higher_in_b}};
      std::string test = fmt::format("{}, {}", pair.higher_in_a, pair.higher_in_b);
      if (pair.binary) {
        one["mcnemar_p"] = McNemar(pair.higher_in_a, pair.higher_in_b);
        test += fmt::format("; McNemar p {:.3g}", one["mcnemar_p"].get<double>());
      }
      paired.push_back(std::move(one));
      pairs.Add({name, fmt::format("{}", pair.n), fmt::format("{:.4g}", pair.a),
                 fmt::format("{:.4g}", pair.b), fmt::format("{:+.4g}", pair.b - pair.a),
                 fmt::format("[{:+.4g}, {:+.4g}]", pair.low, pair.high), test});
    }
    if (call.json()) {
      call.PrintJson({{"a", {{"file", a.path}, {"run", a.run}}},
                      {"b", {{"file", b.path}, {"run", b.run}}},
                      {"forced", forced},
                      {"differences", differences},
                      {"metrics", metrics},
                      {"paired", paired},
                      {"paired_interval", "bootstrap over questions, 95 %"},
                      {"only_in_a", only_a},
                      {"only_in_b", only_b}});
      return {};
    }
    call.Print(fmt::format("{}\n  A  {}, {}, {}\n  B  {}, {}, {}\n",
                           call.Bold(a.run["bench"].get<std::string>()), a.path,
                           Said(a.run, "commit"), Said(a.run, "started"), b.path,
                           Said(b.run, "commit"), Said(b.run, "started")));
    for (const auto& [name, both] : differences.items()) {
      call.Print(fmt::format("  {} differs: {} and {}\n", name, both[0].dump(), both[1].dump()));
    }
    call.Print("\n");
    table.Print(call);
    if (!all.empty()) {
      call.Print("\n");
      pairs.Print(call);
    }
    if (!only_a.empty() || !only_b.empty()) {
      call.Note(
          fmt::format("{} metrics are in A only, {} in B only", only_a.size(), only_b.size()));
    }
    return {};
  }

  static std::string Said(const json& run, const char* key) {
    const json value = run.value(key, json());
    return value.is_string() ? value.get<std::string>() : fmt::format("{} not stated", key);
  }

  std::vector<std::string> files_;
  std::string only_;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeBenchCompare() { return std::make_unique<BenchCompare>(); }

}  // namespace liubai::tools
