// memory/time_scan.h: what the sources of date_expression.h share: the calendar as seen from a day,
// the pieces that the scanners of both languages find, and the festivals.
//
// Threads: free functions without state.
// Units:   local milliseconds (UTC plus the offset of whoever speaks); ranges are half-open; text
//          positions are bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "memory/date_expression.h"

namespace liubai::memory::timing {

using std::chrono::days;
using std::chrono::sys_days;

inline constexpr std::int64_t kHourMs = 3'600'000;
inline constexpr std::int64_t kDayMs = 24 * kHourMs;

struct Span {
  std::int64_t from = 0;
  std::int64_t to = 0;
};
inline std::int64_t Ms(sys_days at) { return at.time_since_epoch().count() * kDayMs; }
inline Span DaySpan(sys_days from, int count = 1) { return {Ms(from), Ms(from + days(count))}; }
inline sys_days DayOf(std::int64_t ms) {
  return std::chrono::floor<days>(
      std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(ms)));
}
std::optional<Span> OneDay(int year, int month, int day);  // Empty for a day that does not exist.
Span MonthSpan(int year, int month);
Span YearSpan(int year);
// Meteorological seasons of the northern half, 0 = spring; winter begins in December of `year`.
Span SeasonSpan(int year, int season);

enum class Unit : std::uint8_t {
  kMinute,
  kHour,
  kDay,
  kNight,
  kWeekend,
  kWeek,
  kFortnight,
  kMonth,
  kQuarter,
  kSeason,
  kYear,
  kDecade,
  kWeekday,
  kHoliday,
};

enum class Festival : std::uint8_t {
  kNewYearsDay,
  kNewYearsEve,
  kNewYear,
  kMartinLutherKingDay,
  kValentinesDay,
  kPresidentsDay,
  kWomensDay,
  kArborDay,
  kSaintPatricksDay,
  kAprilFools,
  kMardiGras,
  kAshWednesday,
  kGoodFriday,
  kEaster,
  kEasterMonday,
  kEarthDay,
  kMayDay,
  kMothersDay,
  kMemorialDay,
  kChildrensDay,
  kFathersDay,
  kJuneteenth,
  kIndependenceDay,
  kLaborDay,
  kTeachersDay,
  kChineseNationalDay,
  kColumbusDay,
  kHalloween,
  kBonfireNight,
  kVeteransDay,
  kThanksgiving,
  kBlackFriday,
  kCyberMonday,
  kDoubleTwelve,
  kChristmasEve,
  kChristmas,
  kBoxingDay,
  kSpringFestival,
  kSpringFestivalEve,
  kLanternFestival,
  kQingming,
  kDragonBoat,
  kQixi,
  kMidAutumn,
  kDoubleNinth,
  kWinterSolstice,
  kLaba,
  kLittleNewYear,
  kSummerHolidays,
  kWinterHolidays,
};
// That of the calendar year; empty where no table reaches.
std::optional<Span> FestivalSpan(Festival festival, int year);
// A day of the Chinese calendar that falls into the calendar year.
std::optional<Span> LunarDay(int year, int month, int day);

// The days around the one on which something is said.
class Calendar {
 public:
  Calendar(std::int64_t now_ms, int utc_offset_minutes);
  std::int64_t now() const { return now_; }
  sys_days today() const { return today_; }
  int year() const { return static_cast<int>(date_.year()); }
  int month() const { return static_cast<int>(static_cast<unsigned>(date_.month())); }
  int day() const { return static_cast<int>(static_cast<unsigned>(date_.day())); }
  int weekday() const { return weekday_; }  // 0 = Monday.
  sys_days Monday() const { return today_ - days(weekday_); }
  // The same day `months` away, or the last of that month.
  sys_days MonthsAway(int months) const;
  // The calendar unit that is `steps` from the one that holds today.
  Span UnitSpan(Unit unit, int steps) const;

 private:
  std::int64_t now_;
  sys_days today_;
  std::chrono::year_month_day date_;
  int weekday_;
};

// Which of the times that come again is meant.
enum class Pick : std::uint8_t { kOpen, kLast, kThis, kNext, kComing, kAgo };
enum class Portion : std::uint8_t {
  kWhole,
  kStart,
  kEarly,
  kMiddle,
  kLate,
  kEnd,
  kFirstHalf,
  kSecondHalf,
};
enum class Part : std::uint8_t { kNone, kMorning, kNoon, kAfternoon, kEvening, kNight };

// What a scanner finds: a time, or a piece of one that its neighbours complete.
struct Piece {
  enum class Kind : std::uint8_t {
    kFixed,       // `span`, and `frame`: the calendar unit it lies in.
    kMonth,       // `a`: 1..12
    kMonthDay,    // `a`: month, `b`: day, `c`: further days
    kDayOfMonth,  // `b`
    kWeekday,     // `a`: 0 = Monday
    kWeekend,
    kSeason,    // `a`: 0 = spring
    kFestival,  // `a`
    kPart,      // `part`, of a day named beside it
    kNth,       // `a`: 1.. or -1, of `unit` (or of weekday `b`), in a time named beside it
    kOffset,    // `a` of `unit` before (negative) or after a time named right behind it
    kHalf,      // `a`: 1, 2, of a year
    kQuarter,   // `a`: 1..4
    kLunarDay,  // `a`: month, `b`: day
  };
  Kind kind = Kind::kFixed;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  int a = 0;
  int b = 0;
  int c = 0;
  Unit unit = Unit::kDay;
  Pick pick = Pick::kOpen;
  Part part = Part::kNone;
  Portion portion = Portion::kWhole;
  TimePrecision precision = TimePrecision::kDay;
  TimeRelation relation = TimeRelation::kWithin;
  bool about = false;
  bool relative = false;  // To the day on which it is said.
  bool weak = false;      // A time only when another one says which: 夏天.
  Span span;
  Span frame;
};

struct Found {
  std::vector<Piece> pieces;  // In the order of the text.
  std::vector<TextPart> impossible;
};
void ScanEnglish(std::string_view text, const Calendar& calendar, Found* found);
void ScanChinese(std::string_view text, const Calendar& calendar, Found* found);

// "three weeks ago" (steps -3) or "in three weeks". `few`: an unclear number, about `steps`.
std::optional<Piece> Away(const Calendar& calendar, Unit unit, int steps, bool half, bool few,
                          bool about);
// "the past three weeks" (steps -3) up to today, "the next two months" from today.
std::optional<Piece> Rolling(const Calendar& calendar, Unit unit, int steps);
// "last month" (-1), "this week" (0), "next year" (1).
Piece UnitPiece(const Calendar& calendar, Unit unit, int steps);
TimePrecision PrecisionOf(Unit unit);

}  // namespace liubai::memory::timing
