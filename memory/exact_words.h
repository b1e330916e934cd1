// memory/exact_words.h: details for which no essence of the prompt has room, word for word in
// essences behind it.
//
// Such an essence (method "exact") has the turns of the leaf that stands for it, a line for each
// sentence: "[17] The number of the locker today is 311." (further lines of it are indented by two
// blanks). It is never in the prompt;
// Store::UnfoldEssence of the leaf and Store::SearchEssences bring it.
//
// Threads: free functions without state.
// Units:   bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/records.h"
#include "memory/ledger.h"

namespace liubai::memory {

inline constexpr std::string_view kExact = "exact";  // Essence::method of such an essence.
// Of one compaction. What is beyond has no place, and the log says so as an error.
inline constexpr std::size_t kMostExactEssences = 16;
inline constexpr std::size_t kMostExactBytes = 8192;  // Of one.

struct ExactLine {
  TurnId turn = 0;
  std::string text;
};
// The detail's sentence; of a long one the detail, whole, with some words around it.
ExactLine ExactLineOf(const Detail& detail, TurnId turn);

// The texts of as many essences as `lines` need, each under `heading`, the turns in order. Room is
// given in the order of `lines`; those that are the same stand once.
struct ExactTexts {
  ExactTexts(std::string_view heading, std::span<const ExactLine> lines);
  std::vector<std::string> texts;
  std::vector<bool> placed;  // [lines]: has a place.
};

// The lines of such a text.
std::vector<ExactLine> ReadExactLines(std::string_view text);

// What of `essence` a search looks at: the lines of an exact one; the sentences of another, with
// turn 0.
std::vector<ExactLine> SearchedLines(const Essence& essence);

}  // namespace liubai::memory
