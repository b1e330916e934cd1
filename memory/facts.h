// memory/facts.h: what a turn says of people, found by rules at once: age, birthday, family, work,
// home, health, belongings, tastes, studies, plans, relationships; English and Chinese.
//
// A claim is one statement with subject, attribute and value. Questions, hypotheses, quotations,
// stories and what others are reported to have said give none; what a question only presupposes
// ("what suits my dog Max?") does. The rules are no parser: what they do not know they leave to
// full text.
//
// Errors:  none; where the words do not tell, there is no claim.
// Threads: free functions without state.
// Units:   times are UTC milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/records.h"

namespace liubai::memory {

// Higher when the rules find other facts in the same words: a store then writes them anew.
inline constexpr int kFactRules = 2;

enum class ClaimKind : std::uint8_t {
  kHolds,     // "I live in Lyon."
  kFormer,    // "I used to live in Lyon.": held once, no longer.
  kEnded,     // "I no longer have a car.": nothing new, but what was said before has ended.
  kCorrects,  // "I'm 18, not 80.": what was said before was wrong.
};

struct Claim {
  std::string subject;    // "User", a speaker's or other name, or "User's sister".
  std::string attribute;  // "age", "home", "allergy", …; "": that of what is corrected.
  std::string value;
  std::string statement;  // The sentence.
  ClaimKind kind = ClaimKind::kHolds;
  std::string wrong;          // What a correction takes back; "": whatever was said.
  bool change = false;        // "moved to", "now": what held before has ended.
  bool first_person = false;  // The subject is who speaks.
  std::optional<std::int64_t> from_ms;
  std::optional<std::int64_t> to_ms;
  double confidence = 0.9;
};

// What `turn` says, in the order in which it is said. Of a very long turn the beginning is read.
std::vector<Claim> ExtractClaims(const Turn& turn);

// One value at a time: age, home, …; of pets, tastes and languages there may be many.
bool IsSingleValued(std::string_view attribute);
// Never changes: a birthday, where one was born.
bool IsLasting(std::string_view attribute);
// "identity", "family", "work", "home", "health", "belongings", "tastes", "studies", "plans",
// "relationships"; "" for an attribute of another's making.
std::string_view FactKindOf(std::string_view attribute);
// All of them, in the order of a profile.
std::vector<std::string_view> FactKinds();
// Attributes and relations by their names, those with "favourite" and "ex-" left out.
std::vector<std::string_view> FactAttributes();

// What a word for a person of somebody's life is filed under: "mum" is "mother", 妈妈 is "mother",
// "little sister" is "younger sister"; "" for other words.
std::string_view RelationOf(std::string_view word);

}  // namespace liubai::memory
