#include "memory/term_postings.h"

#include <bit>

namespace liubai::memory {
namespace {

// A count for every turn where one of this many has the term: 8 bytes a posting at most.
constexpr std::uint64_t kDenseFrom = 8;
// What a list takes in the cache beside its postings, about.
constexpr std::size_t kEntryBytes = 400;

}  // namespace

void TermImpact::Add(std::int32_t count, std::int32_t words) {
  std::int32_t& least = least_words_[std::min<std::size_t>(count, kCounts) - 1];
  least = least == kNone ? words : std::min(least, words);
  most_ = std::max(most_, count);
}

float TermImpact::Bound(float base, float slope) const {
  float bound = 0;
  for (std::size_t i = 0; i < kCounts; ++i) {
    if (least_words_[i] == kNone) continue;
    const float count =
        static_cast<float>(i + 1 < kCounts ? static_cast<std::int32_t>(i) + 1
                                           : std::max<std::int32_t>(most_, kCounts));
    const float least = static_cast<float>(std::max(0, least_words_[i]));
    bound = std::max(bound, count / (count + base + slope * least));
  }
  return bound;
}

void TermPostings::Add(std::uint32_t turn, int count) {
  if (size_ == 0) first_ = turn;
  last_ = turn;
  ++size_;
  const std::uint8_t kept = static_cast<std::uint8_t>(std::min<int>(count, kLarge));
  if (kept == kLarge) large_.emplace_back(turn, count);
  if (dense_) {
    counts_.resize(turn - first_ + 1);
    counts_.back() = kept;
  } else {
    turns_.push_back(turn);
    counts_.push_back(kept);
  }
  if (size_ >= 1024 && std::has_single_bit(size_)) ChooseForm();
}

void TermPostings::ChooseForm() {
  const std::uint64_t all = last_ - first_ + 1;
  const bool dense = size_ * kDenseFrom > all;
  if (dense == dense_) return;
  std::vector<std::uint32_t> turns;
  std::vector<std::uint8_t> counts;
  if (dense) {
    counts.resize(all);
    for (std::size_t i = 0; i < turns_.size(); ++i) counts[turns_[i] - first_] = counts_[i];
  } else {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] == 0) continue;
      turns.push_back(first_ + static_cast<std::uint32_t>(i));
      counts.push_back(counts_[i]);
    }
  }
  turns_ = std::move(turns);
  counts_ = std::move(counts);
  dense_ = dense;
}

int TermPostings::LargeCount(std::uint32_t turn) const {
  const auto found = std::lower_bound(large_.begin(), large_.end(), std::pair(turn, 0));
  return found != large_.end() && found->first == turn ? found->second : kLarge;
}

std::size_t TermPostings::bytes() const {
  return turns_.capacity() * sizeof(std::uint32_t) + counts_.capacity() +
         large_.capacity() * sizeof(large_[0]) + sessions.capacity() * sizeof(OfSession);
}

void TermPostings::ShrinkToFit() {
  turns_.shrink_to_fit();
  counts_.shrink_to_fit();
}

void TermPostings::Cursor::Seek(std::uint32_t turn) {
  const std::vector<std::uint32_t>& turns = list_.turns_;
  std::size_t low = 0, high = turns.size();
  if (at_ < turns.size() && turns[at_] < turn) {
    low = at_;
    for (std::size_t step = 1; low + step < high; step *= 2) {
      if (turns[low + step] >= turn) {
        high = low + step;
        break;
      }
      low += step;
    }
  } else {
    high = at_;
    for (std::size_t step = 1; high >= step; step *= 2) {
      if (turns[high - step] < turn) {
        low = high - step;
        break;
      }
      high -= step;
    }
  }
  at_ = static_cast<std::size_t>(std::lower_bound(turns.begin() + static_cast<std::ptrdiff_t>(low),
                                                  turns.begin() + static_cast<std::ptrdiff_t>(high),
                                                  turn) -
                                 turns.begin());
}

TermPostings* PostingsCache::Find(std::int64_t tenant, std::string_view term) {
  const auto of_tenant = places_.find(tenant);
  if (of_tenant == places_.end()) return nullptr;
  const auto found = of_tenant->second.find(term);
  if (found == of_tenant->second.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  Count(*found->second);
  return &found->second->list;
}

TermPostings& PostingsCache::Put(std::int64_t tenant, std::string_view term, TermPostings list) {
  entries_.push_front({tenant, std::string(term), std::move(list)});
  places_[tenant].emplace(term, entries_.begin());
  Count(entries_.front());
  return entries_.front().list;
}

void PostingsCache::Count(Entry& entry) {
  const std::size_t bytes = kEntryBytes + entry.list.bytes();
  bytes_ += bytes - entry.bytes;
  entry.bytes = bytes;
}

void PostingsCache::Trim(std::size_t most_bytes) {
  while (bytes_ > most_bytes && !entries_.empty()) {
    const Entry& oldest = entries_.back();
    bytes_ -= oldest.bytes;
    places_[oldest.tenant].erase(oldest.term);
    entries_.pop_back();
  }
}

void PostingsCache::Clear() {
  entries_.clear();
  places_.clear();
  bytes_ = 0;
}

}  // namespace liubai::memory
