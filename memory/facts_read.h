// memory/facts_read.h: what the sources of facts share: a turn cut into sentences without what is
// quoted, and words with their places.
//
// Threads: one thread for each reader; the free functions have no state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "memory/facts.h"

namespace liubai::memory {

// Who speaks, and what the sentences before have left to refer to.
struct FactReader {
  std::string speaker;      // "User", "Caroline".
  std::string last_person;  // Whom "she" may mean; "": nobody was spoken of.
  double trust = 1;         // Less for what an assistant says of itself.
  std::int64_t time_ms = 0;
  std::vector<Claim> claims;
};

// Makes `claim` of a sentence that corrects a correction, where its attribute has one value at a
// time; false where the reader has the same claim already.
bool FinishClaim(const FactReader& reader, bool corrects, const std::string& wrong, Claim* claim);

// `text` with blanks of the same length where others are quoted: "…", “…”, 「…」, code, "> lines".
std::string MaskQuoted(std::string_view text);

// Claims of one sentence, without what is quoted in it, as `statement` has it.
void ReadEnglish(std::string_view sentence, std::string_view statement, FactReader* reader);
void ReadChinese(std::string_view sentence, std::string_view statement, FactReader* reader);

// When what a clause says began or ended: "since 2019", "last March", "for three years", 去年.
struct FactTimes {
  std::optional<std::int64_t> from_ms;
  std::optional<std::int64_t> to_ms;
};
FactTimes FactTimesOf(std::string_view clause, std::int64_t now_ms);

// The value that `word` is filed under in a list of pairs; "": it is not there.
template <class List>
std::string_view FiledUnder(const List& list, std::string_view word) {
  for (const auto& [key, value] : list) {
    if (key == word) return value;
  }
  return {};
}

// The subject of what is said of somebody's relation: "User's sister".
std::string RelationSubject(std::string_view owner, std::string_view relation);

// A number in digits, English words up to ninety-nine, or Chinese numerals; -1 for others.
int SmallNumber(std::string_view word);

}  // namespace liubai::memory
