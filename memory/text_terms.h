// memory/text_terms.h: short texts by their terms, in memory: how much each has of a query. To read
// and tokenise all of them again for every question would take the longer the longer a life is.
//
// Threads: none of its own; the caller locks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace liubai::memory {

class TextTerms {
 public:
  // The texts are counted from 0.
  void Add(std::string_view text);
  void Clear();
  std::size_t size() const { return size_; }
  // [size()] the sum of the weights of those `terms` that a text has. REQUIRES: a weight for each
  // term; no term twice.
  std::vector<double> Weigh(std::span<const std::string> terms,
                            std::span<const double> weights) const;

 private:
  std::size_t size_ = 0;
  std::unordered_map<std::string, std::vector<std::uint32_t>> texts_;  // By term, in order.
};

}  // namespace liubai::memory
