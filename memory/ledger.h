// memory/ledger.h: the exact details of a turn, in English and Chinese: what a summary may not
// blur.
//
// Values (numbers, money, dates, names, identifiers, …) never overlap one another; a quotation or a
// statement (rule, preference, allergy, correction, negation, promise, question) may contain
// values. The scanners are written by hand and read the text once; they are not a parser of either
// language: they lean towards taking too much, since a detail taken in vain costs a look-up and one
// that is missed may be lost.
//
// Threads: free functions without state.
// Units:   byte offsets into the text; ranges are half-open.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace liubai::memory {

enum class DetailKind : std::uint8_t {  // Stored by name: never rename.
  kNumber,
  kMoney,
  kPercent,
  kDate,
  kTime,
  kName,
  kIdentifier,
  kUrl,
  kEmail,
  kPhone,
  kCode,
  kFile,
  kQuote,
  kRule,
  kPreference,
  kAllergy,
  kCorrection,
  kPlace,
  kNegation,  // What is not so: "We did not sign", 还没签.
  kPromise,   // What somebody bound himself to do.
  kQuestion,  // What was asked, or said to be undecided.
};
inline constexpr std::size_t kDetailKinds = static_cast<std::size_t>(DetailKind::kQuestion) + 1;

std::string_view DetailKindName(DetailKind kind);  // "number", "money", …
std::span<const std::string_view> DetailKindNames();
// The kind of a name; none for another word.
std::optional<DetailKind> DetailKindOf(std::string_view name);
// Rules, preferences, allergies, corrections, negations, promises and questions: more than a value.
bool IsStatement(DetailKind kind);
// Rules, preferences, allergies and corrections: they hold beyond the day.
bool IsLasting(DetailKind kind);
// Of a person, a thing or a place.
inline bool IsNameKind(DetailKind kind) {
  return kind == DetailKind::kName || kind == DetailKind::kPlace;
}

struct Detail {
  DetailKind kind = DetailKind::kNumber;
  std::string text;  // Bytes [begin, end) of the turn.
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string sentence;       // The one it stands in.
  std::string query;          // That sentence, or more around it, without the value.
  bool first_person = false;  // The sentence speaks of its speaker: "I", "my", 我.
};

// A turn with more than this many details is a table, not talk; the rest is left to full text.
inline constexpr std::size_t kMostDetails = 2000;

// In order of begin; of equal begins the longer first.
std::vector<Detail> ExtractDetails(std::string_view text);

// Half-open byte ranges of sentences, without the blanks between them.
struct TextRange {
  std::uint32_t begin;
  std::uint32_t end;
};
std::vector<TextRange> SplitSentences(std::string_view text);

// Every run of digits in `text` as a plain number: "4,237.50" is "4237.50", "007" is "7", "18.0" is
// "18"; number words and Chinese numerals as digits ("三百二十" is "320", "twelve" is "12").
std::vector<std::string> NumbersIn(std::string_view text);

// What a detail is about, in a few words that stand before it, without its value: "rent", "dentist
// appointment", "房租"; "" when the sentence has no such words.
std::string SubjectOf(const Detail& detail);

// Asks, and states nothing: "What is my rent?", 我的房租是多少？
bool IsQuestion(std::string_view text);

}  // namespace liubai::memory
