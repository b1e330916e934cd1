#include "tools/paired.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace liubai::tools {

constexpr int kResamples = 4000;

Paired Pair(std::span<const double> a, std::span<const double> b) {
  Paired out;
  out.n = a.size();
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) {
    out.a += a[i];
    out.b += b[i];
    differences.push_back(b[i] - a[i]);
    out.binary &= (a[i] == 0 || a[i] == 1) && (b[i] == 0 || b[i] == 1);
    out.higher_in_a += a[i] > b[i];
    out.higher_in_b += b[i] > a[i];
  }
  const double n = static_cast<double>(a.size());
  out.a /= n;
  out.b /= n;
  std::mt19937 random(1);
  std::vector<double> means;
  for (int i = 0; i < kResamples; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < differences.size(); ++j) {
      sum += differences[random() % differences.size()];
    }
    means.push_back(sum / n);
  }
  std::ranges::sort(means);
  out.low = means[kResamples / 40];
  out.high = means[kResamples - 1 - kResamples / 40];
  return out;
}

double McNemar(int higher_in_a, int higher_in_b) {
  const int n = higher_in_a + higher_in_b, k = std::min(higher_in_a, higher_in_b);
  double term = -n * std::log(2.0), sum = 0;  // log of n over 0 times 2^-n.
  for (int i = 0; i <= k; ++i) {
    sum += std::exp(term);
    term += std::log(static_cast<double>(n - i)) - std::log(static_cast<double>(i + 1));
  }
  return std::min(1.0, 2 * sum);
}

}  // namespace liubai::tools
