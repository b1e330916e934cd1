// tools/paired.h: two measurements of the same questions: how much they differ, and whether by
// chance.
//
// Errors:  none.
// Threads: free functions without state.
#pragma once

#include <cstddef>
#include <span>

namespace liubai::tools {

struct Paired {
  std::size_t n = 0;
  double a = 0, b = 0;       // Means.
  double low = 0, high = 0;  // Of b - a: bootstrap over the questions, 95 %.
  bool binary = true;        // Every value is 0 or 1.
  int higher_in_a = 0, higher_in_b = 0;
};

// The same values give the same interval. REQUIRES: as many in `a` as in `b`, at least one.
Paired Pair(std::span<const double> a, std::span<const double> b);

// McNemar's exact test, two-sided: how often chance alone divides the pairs that differ so
// unevenly.
double McNemar(int higher_in_a, int higher_in_b);

}  // namespace liubai::tools
