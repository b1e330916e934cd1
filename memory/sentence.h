// memory/sentence.h: what a sentence of a conversation carries.
//
// Threads: free functions without state.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "liubai/policy.h"
#include "memory/ledger.h"

namespace liubai::memory {

// Without line ends, tabs and double blanks.
std::string OneLine(std::string_view text);
// `text` or its beginning with "…", at most `bytes` and a little.
std::string Shorten(std::string_view text, std::size_t bytes);
// The first `bytes` of `text`, less a word or number that they would cut in two, and "…"; empty
// where nothing whole is in them. Half a number would be another number. REQUIRES: `bytes` is
// between two code points.
std::string CutAtWord(std::string_view text, std::size_t bytes);

// 1..5: what is lost hardest has most.
int Weight(DetailKind kind);

// Greetings, thanks, assent and the like, and nothing else: "Good morning, Anna!", 好的，谢谢。
bool IsSmallTalk(std::string_view sentence);

// Says that something is not so: "no longer", "don't", 不, 没.
bool Denies(std::string_view sentence);

struct Speech {
  bool assistant = false;
  std::string_view known;                    // Details that are in this text count for nothing.
  const CompactionPolicy* policy = nullptr;  // What kinds of details count; null: the default.
};

// How much a sentence carries for its length: exact details over talk, the user's words over the
// assistant's; little for a question and for what only the sentence before explains. 0: small talk.
double Worth(std::string_view sentence, const Speech& speech);

// The words by which sentences are compared, as of a query.
using Terms = std::set<std::string>;
Terms TermsOf(std::string_view text);
std::size_t Shared(const Terms& a, const Terms& b);
// Both say much the same, and with the same numbers.
bool Repeats(const Terms& a, const Terms& b);

}  // namespace liubai::memory
