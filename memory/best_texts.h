// memory/best_texts.h: the best texts for a query by BM25, exactly, without scoring all that have
// one of its words (MaxScore: Turtle and Flood 1995, a term at a time).
//
// The terms come rarest first. Once the texts that have none of those so far cannot reach the
// `wanted` best, however well they fit the rest, no more are taken in: the rest, which most texts
// have, only adds to those that can still be among the best.
//
// Threads: one search at a time on each thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "memory/term_postings.h"
#include "memory/word_table.h"

namespace liubai::memory {

enum class ScoredText : std::uint8_t { kTurn, kWindow };

struct ScoredTerm {
  const TermPostings* list = nullptr;  // Brought up to date by WordTable::Update.
  float gain = 0;                      // The term's weight times (k1 + 1).
};

// A text that has a term so often scores gain * count / (count + base + slope * words).
struct ScoredLengths {
  float base = 0;
  float slope = 0;
};

struct BestText {
  std::uint32_t turn;
  float score;
};

// Best first; of equal ones the later turn.
// `allows`: which turns count; empty: all.
std::vector<BestText> BestTexts(ScoredText text, const WordTable& table,
                                std::span<const ScoredTerm> rarest_first,
                                const ScoredLengths& lengths, std::size_t wanted,
                                const std::function<bool(std::uint32_t)>& allows);

}  // namespace liubai::memory
