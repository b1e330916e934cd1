// Calendar units and festivals.
#include <algorithm>

#include "memory/lunar_calendar.h"
#include "memory/time_scan.h"

namespace liubai::memory::timing {
namespace {

using std::chrono::day;
using std::chrono::month;
using std::chrono::months;
using std::chrono::weekday;
using std::chrono::year;
using std::chrono::year_month_day;

sys_days First(int y, int m) {
  return sys_days(year(y) / month(static_cast<unsigned>(m)) / day(1));
}

// The `n`-th `iso_weekday` (0 = Monday) of a month; -1: the last.
sys_days NthWeekday(int y, int m, int iso_weekday, int n) {
  const weekday wanted(static_cast<unsigned>((iso_weekday + 1) % 7));
  if (n < 0) return sys_days(year(y) / static_cast<int>(m) / wanted[std::chrono::last]);
  return sys_days(year(y) / static_cast<int>(m) / wanted[static_cast<unsigned>(n)]);
}

// The anonymous Gregorian algorithm (Meeus, Astronomical Algorithms, chapter 8).
sys_days EasterSunday(int y) {
  const int a = y % 19, b = y / 100, c = y % 100, d = b / 4, e = b % 4, f = (b + 8) / 25;
  const int g = (b - f + 1) / 3, h = (19 * a + b - d - g + 15) % 30, i = c / 4, k = c % 4;
  const int l = (32 + 2 * e + 2 * i - h - k) % 7, m = (a + 11 * h + 22 * l) / 451;
  const int sum = h + l - 7 * m + 114;
  return First(y, sum / 31) + days(sum % 31);
}

// The day of a solar term near the start of a century's constant: 4 or 5 April, 21 or 22 December.
int SolarTerm(int y, double constant) {
  const int in_century = y % 100;
  return static_cast<int>(in_century * 0.2422 + constant) - in_century / 4;
}

std::optional<Span> Lunar(int y, int m, int d, int before = 0, int count = 1) {
  const auto at = FromLunar(y, m, d);
  if (!at) return std::nullopt;
  return DaySpan(*at - days(before), count);
}
}  // namespace

// What the lunar year names in its last month lies in the following calendar year, mostly.
std::optional<Span> LunarDay(int y, int m, int d) {
  for (const int lunar_year : {y - 1, y}) {
    const auto at = FromLunar(lunar_year, m, d);
    if (at && year_month_day(*at).year() == year(y)) return DaySpan(*at);
  }
  return std::nullopt;
}

std::optional<Span> OneDay(int y, int m, int d) {
  if (m < 1 || m > 12 || d < 1 || d > 31) return std::nullopt;
  const year_month_day date{year(y), month(static_cast<unsigned>(m)),
                            day(static_cast<unsigned>(d))};
  if (!date.ok()) return std::nullopt;
  return DaySpan(sys_days(date));
}

Span MonthSpan(int y, int m) {
  return {Ms(First(y, m)), Ms(First(y + (m == 12 ? 1 : 0), m % 12 + 1))};
}

Span YearSpan(int y) { return {Ms(First(y, 1)), Ms(First(y + 1, 1))}; }

Span SeasonSpan(int y, int season) {
  const int first = 3 + 3 * season;
  return {MonthSpan(y, first).from, MonthSpan(season == 3 ? y + 1 : y, (first + 1) % 12 + 1).to};
}

std::optional<Span> FestivalSpan(Festival festival, int y) {
  if (y < 1 || y > 9990) return std::nullopt;
  const auto Nth = [&](int m, int iso_weekday, int n, int later = 0) {
    return DaySpan(NthWeekday(y, m, iso_weekday, n) + days(later));
  };
  switch (festival) {
    case Festival::kNewYearsDay:
      return OneDay(y, 1, 1);
    case Festival::kNewYearsEve:
      return OneDay(y, 12, 31);
    case Festival::kNewYear:
      return DaySpan(First(y, 1) - days(1), 2);
    case Festival::kMartinLutherKingDay:
      return Nth(1, 0, 3);
    case Festival::kValentinesDay:
      return OneDay(y, 2, 14);
    case Festival::kPresidentsDay:
      return Nth(2, 0, 3);
    case Festival::kWomensDay:
      return OneDay(y, 3, 8);
    case Festival::kArborDay:
      return OneDay(y, 3, 12);
    case Festival::kSaintPatricksDay:
      return OneDay(y, 3, 17);
    case Festival::kAprilFools:
      return OneDay(y, 4, 1);
    case Festival::kMardiGras:
      return DaySpan(EasterSunday(y) - days(47));
    case Festival::kAshWednesday:
      return DaySpan(EasterSunday(y) - days(46));
    case Festival::kGoodFriday:
      return DaySpan(EasterSunday(y) - days(2));
    case Festival::kEaster:
      return DaySpan(EasterSunday(y));
    case Festival::kEasterMonday:
      return DaySpan(EasterSunday(y) + days(1));
    case Festival::kEarthDay:
      return OneDay(y, 4, 22);
    case Festival::kMayDay:
      return DaySpan(First(y, 5), 5);
    case Festival::kMothersDay:
      return Nth(5, 6, 2);
    case Festival::kMemorialDay:
      return Nth(5, 0, -1);
    case Festival::kChildrensDay:
      return OneDay(y, 6, 1);
    case Festival::kFathersDay:
      return Nth(6, 6, 3);
    case Festival::kJuneteenth:
      return OneDay(y, 6, 19);
    case Festival::kIndependenceDay:
      return OneDay(y, 7, 4);
    case Festival::kLaborDay:
      return Nth(9, 0, 1);
    case Festival::kTeachersDay:
      return OneDay(y, 9, 10);
    case Festival::kChineseNationalDay:
      return DaySpan(First(y, 10), 7);
    case Festival::kColumbusDay:
      return Nth(10, 0, 2);
    case Festival::kHalloween:
      return OneDay(y, 10, 31);
    case Festival::kBonfireNight:
      return OneDay(y, 11, 5);
    case Festival::kVeteransDay:
      return OneDay(y, 11, 11);
    case Festival::kThanksgiving:
      return Nth(11, 3, 4);
    case Festival::kBlackFriday:
      return Nth(11, 3, 4, 1);
    case Festival::kCyberMonday:
      return Nth(11, 3, 4, 4);
    case Festival::kDoubleTwelve:
      return OneDay(y, 12, 12);
    case Festival::kChristmasEve:
      return OneDay(y, 12, 24);
    case Festival::kChristmas:
      return OneDay(y, 12, 25);
    case Festival::kBoxingDay:
      return OneDay(y, 12, 26);
    case Festival::kSpringFestival:
      return Lunar(y, 1, 1, 0, 7);
    case Festival::kSpringFestivalEve:
      return Lunar(y, 1, 1, 1);
    case Festival::kLanternFestival:
      return Lunar(y, 1, 15);
    case Festival::kQingming:
      return OneDay(y, 4, SolarTerm(y, y < 2000 ? 5.59 : 4.81));
    case Festival::kDragonBoat:
      return Lunar(y, 5, 5);
    case Festival::kQixi:
      return Lunar(y, 7, 7);
    case Festival::kMidAutumn:
      return Lunar(y, 8, 15);
    case Festival::kDoubleNinth:
      return Lunar(y, 9, 9);
    case Festival::kWinterSolstice:
      return OneDay(y, 12, SolarTerm(y, y < 2000 ? 22.60 : 21.94) - (y == 2021 ? 1 : 0));
    case Festival::kLaba:
      return LunarDay(y, 12, 8);
    case Festival::kLittleNewYear:
      return LunarDay(y, 12, 23);
    case Festival::kSummerHolidays:
      return Span{MonthSpan(y, 7).from, MonthSpan(y, 8).to};
    case Festival::kWinterHolidays:
      return Span{Ms(First(y, 1) + days(9)), MonthSpan(y, 2).to};
  }
  return std::nullopt;
}

Calendar::Calendar(std::int64_t now_ms, int utc_offset_minutes) {
  // Years 0..9999: far enough, and no sum below overflows.
  constexpr std::int64_t kLeast = -62'167'219'200'000, kMost = 253'402'300'799'999;
  const std::int64_t offset = std::clamp(utc_offset_minutes, -24 * 60, 24 * 60) * 60'000LL;
  now_ = std::clamp(std::clamp(now_ms, kLeast, kMost) + offset, kLeast, kMost);
  today_ = DayOf(now_);
  date_ = year_month_day(today_);
  weekday_ = static_cast<int>(std::chrono::weekday(today_).iso_encoding()) - 1;
}

sys_days Calendar::MonthsAway(int count) const {
  year_month_day date = date_ + months(count);
  if (!date.ok()) date = date.year() / date.month() / std::chrono::last;
  return sys_days(date);
}

Span Calendar::UnitSpan(Unit unit, int steps) const {
  const auto Month = [&](int count) {
    const year_month_day at{MonthsAway(count)};
    return MonthSpan(static_cast<int>(at.year()),
                     static_cast<int>(static_cast<unsigned>(at.month())));
  };
  switch (unit) {
    case Unit::kWeek:
      return DaySpan(Monday() + days(7 * steps), 7);
    case Unit::kFortnight:
      return DaySpan(Monday() + days(14 * steps), 14);
    case Unit::kWeekend:
      return DaySpan(Monday() + days(7 * steps + 5), 2);
    case Unit::kMonth:
      return Month(steps);
    case Unit::kQuarter: {
      const int back = (month() - 1) % 3;
      return {Month(3 * steps - back).from, Month(3 * steps - back + 2).to};
    }
    case Unit::kYear:
      return YearSpan(year() + steps);
    case Unit::kDecade: {
      const int first = year() / 10 * 10 + 10 * steps;
      return {YearSpan(first).from, YearSpan(first + 9).to};
    }
    default:
      return DaySpan(today_ + days(steps));
  }
}

TimePrecision PrecisionOf(Unit unit) {
  switch (unit) {
    case Unit::kNight:
      return TimePrecision::kPartOfDay;
    case Unit::kMinute:
    case Unit::kHour:
    case Unit::kDay:
    case Unit::kWeekday:
    case Unit::kHoliday:
      return TimePrecision::kDay;
    case Unit::kWeekend:
      return TimePrecision::kDays;
    case Unit::kWeek:
    case Unit::kFortnight:
      return TimePrecision::kWeek;
    case Unit::kMonth:
      return TimePrecision::kMonth;
    case Unit::kQuarter:
    case Unit::kSeason:
      return TimePrecision::kSeason;
    case Unit::kYear:
      return TimePrecision::kYear;
    case Unit::kDecade:
      return TimePrecision::kYears;
  }
  return TimePrecision::kDay;
}

Piece UnitPiece(const Calendar& calendar, Unit unit, int steps) {
  Piece piece;
  piece.span = piece.frame = calendar.UnitSpan(unit, steps);
  piece.precision = PrecisionOf(unit);
  piece.relative = true;
  if (unit == Unit::kNight) {  // From the evening on; the small hours belong to the day before.
    piece.span = {piece.frame.from + 18 * kHourMs, piece.frame.from + 30 * kHourMs};
  }
  return piece;
}

std::optional<Piece> Away(const Calendar& calendar, Unit unit, int steps, bool half, bool few,
                          bool about) {
  if (steps < -1000 || steps > 1000) return std::nullopt;
  const int sign = steps < 0 || (steps == 0 && half) ? -1 : 1;
  const int count = steps < 0 ? -steps : steps;
  Piece piece;
  piece.relative = true;
  piece.about = about || few;
  piece.precision = PrecisionOf(unit);
  const auto Around = [&](sys_days middle, int before, int total) {
    piece.span = DaySpan(middle - days(before), total);
    piece.about = true;
  };
  // An unclear number of days, `least`..`most` away.
  const auto Between = [&](int least, int most) {
    const sys_days near = calendar.today() + days(sign * least);
    const sys_days far = calendar.today() + days(sign * most);
    piece.span = {Ms(std::min(near, far)), Ms(std::max(near, far) + days(1))};
    piece.frame = piece.span;
    piece.about = true;
  };
  switch (unit) {
    case Unit::kMinute:
    case Unit::kHour: {
      const std::int64_t at =
          calendar.now() + sign * count * (unit == Unit::kHour ? kHourMs : kHourMs / 60);
      piece.span = piece.frame = DaySpan(DayOf(at));
      return piece;
    }
    case Unit::kDay: {
      if (few) {
        Between(std::max(1, count / 2), count * 2);
        piece.precision = TimePrecision::kDays;
        return piece;
      }
      const sys_days day = calendar.today() + days(sign * count);
      piece.frame = DaySpan(day);
      piece.span = piece.frame;
      // "a day or two", "about ten days"
      if (about) Around(day, std::max(1, count / 5), 2 * std::max(1, count / 5) + 1);
      return piece;
    }
    case Unit::kNight:
      piece.frame = DaySpan(calendar.today() + days(sign * count));
      piece.span = {piece.frame.from + 18 * kHourMs, piece.frame.from + 30 * kHourMs};
      return piece;
    case Unit::kWeekend:
      piece.span = piece.frame = calendar.UnitSpan(Unit::kWeekend, sign * count);
      return piece;
    case Unit::kWeek:
    case Unit::kFortnight: {
      const int length = unit == Unit::kWeek ? 7 : 14;
      if (few) return Between(length * std::max(1, count - 1), length * count * 2), piece;
      const sys_days day =
          calendar.today() + days(sign * (length * count + (half ? length / 2 : 0)));
      const int monday = static_cast<int>(std::chrono::weekday(day).iso_encoding()) - 1;
      piece.frame = DaySpan(day - days(monday), 7);
      // People round to weeks: two days to either side.
      Around(day, about ? 4 : 2, about ? 9 : 5);
      return piece;
    }
    case Unit::kMonth:
    case Unit::kQuarter:
    case Unit::kSeason:
    case Unit::kYear:
    case Unit::kDecade: {
      const int length = unit == Unit::kMonth    ? 1
                         : unit == Unit::kYear   ? 12
                         : unit == Unit::kDecade ? 120
                                                 : 3;
      if (few) {
        const auto near = calendar.MonthsAway(sign * length * std::max(1, count - 1));
        const auto far = calendar.MonthsAway(sign * length * count * 2);
        piece.span = piece.frame = {Ms(std::min(near, far)), Ms(std::max(near, far) + days(1))};
        return piece;
      }
      sys_days day = calendar.MonthsAway(sign * (length * count + (half ? length / 2 : 0)));
      if (half && length == 1) day += days(15 * sign);
      const std::chrono::year_month_day date(day);
      const int y = static_cast<int>(date.year());
      piece.frame = length == 1
                        ? MonthSpan(y, static_cast<int>(static_cast<unsigned>(date.month())))
                        : YearSpan(y);
      const int slack = length == 1 ? (count == 0 ? 5 : 10) : length == 3 ? 30 : 60;
      Around(day, slack * (length == 120 ? 6 : 1), 2 * slack * (length == 120 ? 6 : 1) + 1);
      if (half && count == 0) {
        piece.precision = length == 1 ? TimePrecision::kWeek : TimePrecision::kMonth;
      }
      return piece;
    }
    default:
      return std::nullopt;
  }
}

std::optional<Piece> Rolling(const Calendar& calendar, Unit unit, int steps) {
  if (steps < -1000 || steps > 1000 || steps == 0) return std::nullopt;
  sys_days other = calendar.today();
  switch (unit) {
    case Unit::kMinute:
    case Unit::kHour:
      other = DayOf(calendar.now() + steps * (unit == Unit::kHour ? kHourMs : kHourMs / 60));
      break;
    case Unit::kDay:
    case Unit::kNight:
      other += days(steps);
      break;
    case Unit::kWeekend:
      other = calendar.Monday() + days(7 * steps + (steps < 0 ? 5 : 6));
      break;
    case Unit::kWeek:
      other += days(7 * steps);
      break;
    case Unit::kFortnight:
      other += days(14 * steps);
      break;
    case Unit::kMonth:
      other = calendar.MonthsAway(steps);
      break;
    case Unit::kQuarter:
    case Unit::kSeason:
      other = calendar.MonthsAway(3 * steps);
      break;
    case Unit::kYear:
      other = calendar.MonthsAway(12 * steps);
      break;
    case Unit::kDecade:
      other = calendar.MonthsAway(120 * steps);
      break;
    default:
      return std::nullopt;
  }
  Piece piece;
  piece.relative = true;
  piece.precision = std::max(PrecisionOf(unit), TimePrecision::kDay);
  piece.span = {Ms(std::min(other, calendar.today())),
                Ms(std::max(other, calendar.today()) + days(1))};
  piece.frame = piece.span;
  return piece;
}

}  // namespace liubai::memory::timing
