// memory/date_expression.h: the times that a text speaks of, in English and Chinese: "four weeks
// ago", "last Saturday", "early June", "between March and May", "Christmas Eve last year", 上周三,
// 去年国庆, 三天前, 二〇二三年五月.
//
// Errors:  none; a date that does not exist ("February 30", 13月) is no time and is told of.
// Threads: free functions without state.
// Units:   UTC milliseconds; ranges are half-open; text positions are bytes.
#pragma once

#include <cstdint>
#include <string>
#include <span>
#include <string_view>
#include <vector>

namespace liubai::memory {

struct TimeRange {
  std::int64_t from_ms;
  std::int64_t to_ms;
  bool about = false;  // The middle is meant, and people are not exact: "three weeks ago".
};
// 1 for what is meant, falling towards the ends of a range that is only about right, and to 0
// within days outside.
double Closeness(const TimeRange& range, std::int64_t time_ms);

struct TextPart {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// How exactly a time is named, from fine to coarse.
enum class TimePrecision : std::uint8_t {
  kPartOfDay,  // "yesterday evening"
  kDay,
  kDays,  // A weekend, a festival of several days, "early June".
  kWeek,
  kMonth,
  kSeason,  // Also quarters and halves of years.
  kYear,
  kYears,
};
std::string_view TimePrecisionName(TimePrecision precision);  // "part_of_day", "day", …

// What a time says of the event.
enum class TimeRelation : std::uint8_t {
  kWithin,  // It happened then.
  kBefore,  // Before the range begins: "before May", 五月之前.
  kAfter,   // After the range ends: "after the weekend", 国庆以后.
  kSince,   // From its beginning on: "since March", 去年以来.
  kUntil,   // Up to its end: "until Friday", 截至五月.
};
std::string_view TimeRelationName(TimeRelation relation);  // "within", "before", …

struct TimeExpression {
  TimeRange range;
  TimePrecision precision = TimePrecision::kDay;
  TimeRelation relation = TimeRelation::kWithin;
  bool relative = false;  // Counted from the day on which it is said.
  TextPart text;
};
// The times that `expression` admits: the range itself, or all before it, after it, ….
TimeRange Admits(const TimeExpression& expression);

struct TimeReading {
  std::vector<TimeExpression> times;  // In the order of the text.
  std::vector<TextPart> impossible;   // Dates that do not exist.
};

enum class TimeReader : std::uint8_t {
  kQuestion,  // Looks back: "in May" is the last May that has begun.
  kTurn,      // Looks where its sentence looks: "we will meet on Friday" is the next one.
};
// The times named in `text` by someone whose clock shows UTC plus `utc_offset_minutes`.
TimeReading ReadTimes(std::string_view text, std::int64_t now_ms, TimeReader reader,
                      int utc_offset_minutes = 0);

// The times that a turn mentions, resolved against its own date. Some microseconds for a turn
// without any.
std::vector<TimeExpression> TimeExpressionsInTurn(std::string_view text, std::int64_t turn_time_ms,
                                                  int utc_offset_minutes = 0);

// Ranges named in a question, as seen from `now_ms`; empty when there is none. A part of a day is
// taken as the day, since people tell of it later; "since March" reaches up to today.
std::vector<TimeRange> FindTimeRanges(std::string_view text, std::int64_t now_ms);
// The same of what has been read (TimeReader::kQuestion).
std::vector<TimeRange> TimeRangesOf(std::span<const TimeExpression> times, std::int64_t now_ms);

// "2023-05-08 13:56"
std::string FormatMinute(std::int64_t time_ms);

}  // namespace liubai::memory
