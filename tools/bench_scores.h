// tools/bench_scores.h: means of scores from 0 to 1 with their intervals, and lists on the command
// line.
//
// Errors:  kInvalidArgument naming the flag, the item and what is allowed.
// Threads: values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/status.h"

namespace liubai::tools {

struct ScoreSum {
  double sum = 0;
  int n = 0;

  void Add(double score) {
    sum += score;
    ++n;
  }
  double Mean() const { return n > 0 ? sum / n : 0; }
  // {"n", "score": {"value", "low", "high"}} in per cent; Wilson's interval, of a mean of shares an
  // approximation.
  nlohmann::json ToJson() const;
  std::string Text() const;  // "83.3 [60.8, 94.2]"
};

// "1024,2048": numbers in [least, most], each once, in their order.
Result<std::vector<int>> ParseNumbers(std::string_view flag, std::string_view list, int least,
                                      int most);
// Of `known`; "all" is all of them.
Result<std::vector<std::string>> ParseNames(std::string_view flag, std::string_view list,
                                            std::span<const std::string_view> known);

}  // namespace liubai::tools
