// memory/term_postings.h: the turns of a tenant that have a term, how often each has it, and what a
// search wants to know of all of them at once; and the lists that are kept between searches.
//
//   few of all turns    5 bytes a posting: the turn's id, and a count of 8 bits
//   an eighth or more   a count for every turn, in which any turn is found at once
//
// Threads: none of its own; the caller locks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace liubai::memory {

// The most that one text can score of a term: for each count, the fewest words of a text that has
// the term so often. Independent of BM25's numbers and of the mean length, which change.
class TermImpact {
 public:
  TermImpact() { least_words_.fill(kNone); }
  void Add(std::int32_t count, std::int32_t words);
  // The largest count / (count + base + slope * words). REQUIRES: base, slope >= 0.
  float Bound(float base, float slope) const;

 private:
  static constexpr std::int32_t kNone = -1;
  static constexpr std::size_t kCounts = 16;       // The last one holds all larger counts.
  std::array<std::int32_t, kCounts> least_words_;  // [count - 1]
  std::int32_t most_ = 0;                          // Largest count.
};

class TermPostings {
 public:
  // REQUIRES: `turn` is above those that are here; count > 0.
  void Add(std::uint32_t turn, int count);
  std::size_t size() const { return size_; }
  std::size_t bytes() const;
  void ShrinkToFit();

  // visit(turn, count) in order, of turns above `after`.
  template <class Visit>
  void ForEach(const Visit& visit, std::uint32_t after = 0) const {
    if (dense_) {
      for (std::size_t i = after < first_ ? 0 : after - first_ + 1; i < counts_.size(); ++i) {
        if (counts_[i] != 0) visit(first_ + static_cast<std::uint32_t>(i), Wide(first_ + i, i));
      }
      return;
    }
    const auto begin = std::upper_bound(turns_.begin(), turns_.end(), after);
    for (std::size_t i = static_cast<std::size_t>(begin - turns_.begin()); i < turns_.size(); ++i) {
      visit(turns_[i], Wide(turns_[i], i));
    }
  }

  // Looks turns up; those near the one before are found in a few steps.
  class Cursor {
   public:
    explicit Cursor(const TermPostings& list) : list_(list) {}
    // 0: the turn has it not.
    int CountOf(std::uint32_t turn) {
      if (list_.dense_) {
        const std::size_t i = turn - list_.first_;  // Below the first it wraps, beyond all.
        return turn >= list_.first_ && i < list_.counts_.size() ? list_.Wide(turn, i) : 0;
      }
      Seek(turn);
      return at_ < list_.turns_.size() && list_.turns_[at_] == turn ? list_.Wide(turn, at_) : 0;
    }

   private:
    void Seek(std::uint32_t turn);  // To the first that is not below it.
    const TermPostings& list_;
    std::size_t at_ = 0;
  };

  // What WordTable counts of the turns up to `counted_to`; see there.
  struct OfSession {
    std::int32_t session = 0;  // Place.
    std::int32_t count = 0;
    std::int32_t user_count = 0;
  };
  std::uint32_t counted_to = 0;
  std::int64_t windows = 0;  // That have the term.
  std::vector<OfSession> sessions;
  std::int64_t user_sessions = 0;  // In which the user said it.
  TermImpact turn_impact, window_impact;

 private:
  static constexpr std::uint8_t kLarge = 255;  // The count is in `large_`.
  int Wide(std::uint64_t turn, std::size_t place) const {
    const std::uint8_t count = counts_[place];
    return count != kLarge ? count : LargeCount(static_cast<std::uint32_t>(turn));
  }
  int LargeCount(std::uint32_t turn) const;
  void ChooseForm();

  bool dense_ = false;
  std::size_t size_ = 0;
  std::uint32_t first_ = 0, last_ = 0;
  std::vector<std::uint32_t> turns_;  // Empty when dense.
  std::vector<std::uint8_t> counts_;  // Beside `turns_`, or of each turn from `first_` on.
  std::vector<std::pair<std::uint32_t, int>> large_;  // In order.
};

// Lists by tenant and term within a budget of bytes; the one that was used longest ago goes first.
class PostingsCache {
 public:
  // Null: not here. Counts as a use. The list stays where it is until Trim or Clear.
  TermPostings* Find(std::int64_t tenant, std::string_view term);
  // REQUIRES: not here.
  TermPostings& Put(std::int64_t tenant, std::string_view term, TermPostings list);
  void Trim(std::size_t most_bytes);
  void Clear();
  // What a list has grown by since it was last found is not in it.
  std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::int64_t tenant;
    std::string term;
    TermPostings list;
    std::size_t bytes = 0;
  };
  void Count(Entry& entry);
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Entries = std::list<Entry>;  // The last used first.
  Entries entries_;
  std::map<std::int64_t,
           std::unordered_map<std::string, Entries::iterator, TextHash, std::equal_to<>>>
      places_;
  std::size_t bytes_ = 0;
};

}  // namespace liubai::memory
