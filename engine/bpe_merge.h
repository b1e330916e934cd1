// engine/bpe_merge.h: merges neighbouring symbols, best rank first, leftmost among equals.
//
// Short words are merged by scanning an array, long ones with a heap: n symbols cost O(n log n).
// Threads: a BpeMerger is scratch space of one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "liubai/types.h"

namespace liubai::engine {

struct BpeSymbol {
  std::uint32_t begin;
  std::uint32_t length;  // 0: merged into the symbol before it.
  TokenId id;            // kNoToken: not in the vocabulary.
};

struct BpeMerge {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t rank = kNone;  // Lower merges first.
  TokenId id = -1;             // Of the merged symbol.
};

class BpeMerger {
 public:
  std::vector<BpeSymbol>& symbols() { return symbols_; }

  // Merges symbols() until nothing more merges. `lookup(left, right)` gives a BpeMerge.
  template <class Lookup>
  void Run(const Lookup& lookup) {
    if (symbols_.size() <= kShort) {
      RunShort(lookup);
    } else {
      RunLong(lookup);
    }
  }

 private:
  static constexpr std::size_t kShort = 40;

  struct Candidate {
    std::uint32_t rank;
    std::uint32_t left;    // Index of a symbol.
    std::uint32_t length;  // Of both together: a later value means that one of them has changed.
    TokenId id;
  };

  template <class Lookup>
  void RunShort(const Lookup& lookup) {
    std::size_t count = symbols_.size();
    if (count < 2) return;
    merges_.resize(count);
    for (std::size_t i = 0; i + 1 < count; ++i) merges_[i] = lookup(symbols_[i], symbols_[i + 1]);
    while (count > 1) {
      std::size_t best = 0;
      for (std::size_t i = 1; i + 1 < count; ++i) {
        if (merges_[i].rank < merges_[best].rank) best = i;
      }
      if (merges_[best].rank == BpeMerge::kNone) break;
      symbols_[best].length += symbols_[best + 1].length;
      symbols_[best].id = merges_[best].id;
      const auto at = static_cast<std::ptrdiff_t>(best);
      std::move(symbols_.begin() + at + 2, symbols_.begin() + static_cast<std::ptrdiff_t>(count),
                symbols_.begin() + at + 1);
      std::move(merges_.begin() + at + 1, merges_.begin() + static_cast<std::ptrdiff_t>(count) - 1,
                merges_.begin() + at);
      --count;
      if (best + 1 < count) merges_[best] = lookup(symbols_[best], symbols_[best + 1]);
      if (best > 0) merges_[best - 1] = lookup(symbols_[best - 1], symbols_[best]);
    }
    symbols_.resize(count);
  }

  template <class Lookup>
  void RunLong(const Lookup& lookup) {
    const auto count = static_cast<std::uint32_t>(symbols_.size());
    const auto later = [](const Candidate& a, const Candidate& b) {
      return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
    };
    previous_.resize(count);
    next_.resize(count);
    heap_.clear();
    const auto consider = [&](std::uint32_t left, std::uint32_t right) {
      const BpeMerge merge = lookup(symbols_[left], symbols_[right]);
      if (merge.rank == BpeMerge::kNone) return false;
      heap_.push_back({merge.rank, left, symbols_[left].length + symbols_[right].length, merge.id});
      return true;
    };
    for (std::uint32_t i = 0; i < count; ++i) {
      previous_[i] = i == 0 ? count : i - 1;
      next_[i] = i + 1;
      if (i + 1 < count) consider(i, i + 1);
    }
    std::make_heap(heap_.begin(), heap_.end(), later);
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const Candidate candidate = heap_.back();
      heap_.pop_back();
      const std::uint32_t left = candidate.left;
      const std::uint32_t right = next_[left];
      if (symbols_[left].length == 0 || right == count ||
          symbols_[left].length + symbols_[right].length != candidate.length) {
        continue;
      }
      symbols_[left].length = candidate.length;
      symbols_[left].id = candidate.id;
      symbols_[right].length = 0;
      next_[left] = next_[right];
      if (next_[left] != count) {
        previous_[next_[left]] = left;
        if (consider(left, next_[left])) std::push_heap(heap_.begin(), heap_.end(), later);
      }
      if (previous_[left] != count && consider(previous_[left], left)) {
        std::push_heap(heap_.begin(), heap_.end(), later);
      }
    }
    std::erase_if(symbols_, [](const BpeSymbol& symbol) { return symbol.length == 0; });
  }

  std::vector<BpeSymbol> symbols_;
  std::vector<BpeMerge> merges_;
  std::vector<std::uint32_t> previous_, next_;
  std::vector<Candidate> heap_;
};

}  // namespace liubai::engine
