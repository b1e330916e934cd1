// engine/word_cache.h: the tokens of words already seen in one text; most words of a long text
// repeat.
//
// Threads: belongs to one call of Encode.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/bpe_merge.h"

namespace liubai::engine {

class WordCache {
 public:
  // Short texts are not worth the table.
  explicit WordCache(std::size_t text_bytes) {
    if (text_bytes > 2048) entries_.resize(kEntries);
  }

  // The symbols of `word`, from the cache or from encode(out). Valid until the next call. Words are
  // parts of one text that outlives the cache.
  template <class Encode>
  const std::vector<BpeSymbol>& Get(std::string_view word, const Encode& encode) {
    if (entries_.empty() || word.size() > kMaxWordBytes) {
      encode(scratch_);
      return scratch_;
    }
    Entry& entry = entries_[std::hash<std::string_view>()(word) & (kEntries - 1)];
    if (entry.word != word) {
      encode(entry.symbols);
      entry.word = word;
    }
    return entry.symbols;
  }

 private:
  static constexpr std::size_t kEntries = 4096;
  static constexpr std::size_t kMaxWordBytes = 48;
  struct Entry {
    std::string_view word;
    std::vector<BpeSymbol> symbols;
  };
  std::vector<Entry> entries_;
  std::vector<BpeSymbol> scratch_;
};

}  // namespace liubai::engine
