// memory/said.h: what turns say, sentence by sentence, as a summary's sentence is compared with it.
//
// Threads: values and free functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "liubai/records.h"
#include "memory/said_values.h"
#include "memory/sentence.h"

namespace liubai::memory {

struct SaidSentence {
  std::string text;   // Lower case.
  std::string names;  // The same without full stops and titles, between blanks.
  Values values;
  Terms terms;
  bool denies = false;
  bool first_person = false;
  bool second_person = false;
  bool names_somebody = false;
  bool pronoun = false;  // Who does it stands in a sentence before.
};
struct SaidTurn {
  Role role = Role::kUser;
  std::string speaker;  // As `SaidSentence::names`.
  std::vector<SaidSentence> sentences;
};
// What the turns say, as a summary's sentence is compared with it.
struct Said {
  std::unordered_set<std::string> numbers;
  Values values;
  std::string text;                                    // Lower case.
  std::string names;                                   // The same without full stops and titles.
  std::vector<std::unordered_set<std::string>> words;  // Of each turn.
  std::vector<SaidTurn> turns;
};

Said ReadTurns(const std::vector<Turn>& turns);

// Curly marks and corner brackets as straight ones, so that either kind is found.
std::string Straight(std::string_view text);
// "dr. chen", "chen's" and "mr chen" are "chen": words by one blank each, titles and stops left
// out.
std::string PlainName(std::string_view lower);
// Names of a sentence, as PlainName, with the byte where each begins: those of the ledger, and a
// capitalised word at the beginning that somebody's deed follows ("Tom paid …", "Tom's bicycle …").
std::vector<std::pair<std::size_t, std::string>> NamesOf(std::string_view sentence);
// Speaks of the one who says it: "I", "my", 我.
bool IsSelf(std::string_view lower);

}  // namespace liubai::memory
