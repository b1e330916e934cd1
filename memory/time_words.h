// memory/time_words.h: the English words that times are made of.
//
// Threads: free functions without state.
#pragma once

#include <cstdint>
#include <string_view>

namespace liubai::memory::timing {

enum class Word : std::uint8_t {
  kOther,
  kDigits,   // `value`; `size` digits
  kNumber,   // "three", `value`
  kOrdinal,  // "third", "3rd", `value`
  kDecade,   // "1990s", "90s", "nineties": `value` is its first year
  kMonth,    // 1..12; `weak`: also another word or a name
  kMonthShort,
  kWeekday,  // 0 = Monday
  kWeekdayShort,
  kUnit,  // timing::Unit
  kSeason,
  kFestival,  // The first word of one; see FestivalAt.
  kPart,      // timing::Part
  kYesterday,
  kToday,
  kTonight,
  kTomorrow,
  kNow,
  kAgo,
  kBack,
  kLast,
  kPast,
  kPrevious,
  kNext,
  kComing,
  kThis,
  kThe,
  kA,
  kOf,
  kIn,
  kOn,
  kAt,
  kBy,
  kFor,
  kFrom,
  kTo,
  kSince,
  kUntil,
  kBefore,
  kAfter,
  kBetween,
  kDuring,
  kOver,
  kWithin,
  kAnd,
  kOr,
  kSo,
  kHalf,
  kCouple,
  kFew,
  kSeveral,
  kAbout,
  kEvery,
  kEarly,
  kMid,
  kLate,
  kStart,
  kEnd,
  kMiddle,
  kOtherWord,  // "other"
  kPronoun,
};

struct WordInfo {
  Word word = Word::kOther;
  std::int16_t value = 0;
  bool trigger = false;   // Without any of these a text names no time.
  bool plural = false;    // "Fridays", "weeks"
  bool festival = false;  // May begin the name of a festival too: "may day", "easter monday".
};
// `lower`: ASCII, without a possessive ending.
WordInfo LookUpWord(std::string_view lower);

struct FestivalName {
  std::string_view words;  // Lower case, blanks between the words, no apostrophes.
  int festival;
  int count;  // Of words.
};
// Those whose first word is `first`, longest first; ends with `words` empty.
const FestivalName* FestivalsOf(std::string_view first);

}  // namespace liubai::memory::timing
