#include "tools/bench_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tools/recall_metrics.h"

namespace liubai::tools {
namespace {

std::vector<std::string> Items(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    if (std::ranges::find(items, item) == items.end()) items.emplace_back(item);
  }
  return items;
}

}  // namespace

nlohmann::json ScoreSum::ToJson() const { return {{"n", n}, {"score", PerCentJson(sum, n)}}; }

std::string ScoreSum::Text() const {
  const Interval interval = Wilson95(sum, n);
  return n == 0 ? "-"
                : fmt::format("{:.1f} [{:.1f}, {:.1f}]", Mean() * 100, interval.low * 100,
                              interval.high * 100);
}

Result<std::vector<int>> ParseNumbers(std::string_view flag, std::string_view list, int least,
                                      int most) {
  std::vector<int> numbers;
  for (const std::string& item : Items(list)) {
    char* end = nullptr;
    const long number = std::strtol(item.c_str(), &end, 10);
    if (item.empty() || *end != '\0' || number < least || number > most) {
      return Status(
          StatusCode::kInvalidArgument,
          fmt::format("{}: '{}' is not a whole number from {} to {}", flag, item, least, most));
    }
    numbers.push_back(static_cast<int>(number));
  }
  if (numbers.empty()) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{}: the list is empty", flag));
  }
  return numbers;
}

Result<std::vector<std::string>> ParseNames(std::string_view flag, std::string_view list,
                                            std::span<const std::string_view> known) {
  if (list == "all") return std::vector<std::string>(known.begin(), known.end());
  std::vector<std::string> names = Items(list);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end()) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}: '{}' is not one of {}", flag, name, fmt::join(known, ", ")));
    }
  }
  if (names.empty()) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{}: the list is empty", flag));
  }
  return names;
}

}  // namespace liubai::tools
