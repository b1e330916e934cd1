#include "memory/time_instances.h"

#include <algorithm>
#include <array>

namespace liubai::memory::timing {
namespace {

using Kind = Piece::Kind;
using std::chrono::months;
using std::chrono::year_month_day;

}  // namespace

bool Recurs(const Piece& piece) {
  return piece.kind != Kind::kFixed && piece.kind != Kind::kPart && piece.kind != Kind::kNth &&
         piece.kind != Kind::kOffset && piece.kind != Kind::kHalf && piece.kind != Kind::kQuarter;
}
// The time of `piece` in the year, month or week that holds `day`.
std::optional<Span> InstanceAt(const Piece& piece, sys_days day) {
  const year_month_day date(day);
  const int y = static_cast<int>(date.year());
  const int m = static_cast<int>(static_cast<unsigned>(date.month()));
  const sys_days monday =
      day - days(static_cast<int>(std::chrono::weekday(day).iso_encoding()) - 1);
  switch (piece.kind) {
    case Kind::kMonth:
      return MonthSpan(y, piece.a);
    case Kind::kMonthDay: {
      std::optional<Span> span = OneDay(y, piece.a, piece.b);
      if (span) span->to += piece.c * kDayMs;
      return span;
    }
    case Kind::kDayOfMonth:
      return OneDay(y, m, piece.b);
    case Kind::kWeekday:
      return DaySpan(monday + days(piece.a));
    case Kind::kWeekend:
      return DaySpan(monday + days(5), 2);
    case Kind::kSeason:
      return SeasonSpan(y, piece.a);
    case Kind::kFestival:
      return FestivalSpan(static_cast<Festival>(piece.a), y);
    case Kind::kLunarDay:
      return LunarDay(y, piece.a, piece.b);
    default:
      return std::nullopt;
  }
}
sys_days Step(const Piece& piece, sys_days day, int steps) {
  if (piece.kind == Kind::kWeekday || piece.kind == Kind::kWeekend) return day + days(7 * steps);
  const year_month_day date(day);
  const year_month_day first = date.year() / date.month() / std::chrono::day(1);
  return sys_days(first + months((piece.kind == Kind::kDayOfMonth ? 1 : 12) * steps));
}
std::optional<Span> Inside(const Piece& piece, const Span& frame) {
  return Search(piece, DayOf(frame.from), 1,
                [&](const Span& span) { return span.from >= frame.from && span.from < frame.to; });
}

// `piece` as it is meant on its own, looking `ahead` or back.
std::optional<Span> OnItsOwn(const Piece& piece, const Calendar& calendar, bool ahead) {
  const std::int64_t today = Ms(calendar.today());
  const bool short_one = piece.kind == Kind::kWeekday;
  const auto Ended = [&](const Span& span) { return span.to <= today; };
  const auto Later = [&](const Span& span) { return span.from > today; };
  switch (piece.pick) {
    case Pick::kOpen:
      if (piece.kind == Kind::kLunarDay && piece.c > 0) return Inside(piece, piece.frame);
      if (ahead) {
        return Search(piece, calendar.today(), 1, [&](const Span& span) {
          return short_one ? span.from > today : span.to > today;
        });
      }
      return Search(piece, calendar.today(), -1, [&](const Span& span) {
        return short_one ? span.to <= today : span.from <= today;
      });
    case Pick::kLast:
      return Search(piece, calendar.today(), -1, Ended);
    case Pick::kThis:
      return InstanceAt(piece, calendar.today());
    case Pick::kNext:
      if (short_one) return InstanceAt(piece, calendar.today() + days(7));
      return Search(piece, calendar.today(), 1, Later);
    case Pick::kComing:
      return Search(piece, calendar.today(), 1, Later);
    case Pick::kAgo: {
      std::optional<Span> span = Search(piece, calendar.today(), -1, Ended);
      if (!span) return span;
      return InstanceAt(piece, Step(piece, DayOf(span->from), 1 - std::max(1, piece.c)));
    }
  }
  return std::nullopt;
}

Span CutYear(const Span& year, Portion portion) {
  const year_month_day date{DayOf(year.from)};
  const int y = static_cast<int>(date.year());
  const auto Months = [&](int first, int last) {
    return Span{MonthSpan(y, first).from, MonthSpan(y, last).to};
  };
  switch (portion) {
    case Portion::kWhole:
      return year;
    case Portion::kStart:
      return Months(1, 2);
    case Portion::kEarly:
      return Months(1, 4);
    case Portion::kMiddle:
      return Months(5, 8);
    case Portion::kLate:
      return Months(9, 12);
    case Portion::kEnd:
      return Months(11, 12);
    case Portion::kFirstHalf:
      return Months(1, 6);
    case Portion::kSecondHalf:
      return Months(7, 12);
  }
  return year;
}

Span Cut(const Span& span, Portion portion, TimePrecision precision) {
  if (precision == TimePrecision::kYear) return CutYear(span, portion);
  const std::int64_t length = (span.to - span.from) / kDayMs;
  const auto Days = [&](std::int64_t from, std::int64_t to) {
    return Span{span.from + from * kDayMs, span.from + to * kDayMs};
  };
  // A month is cut after its tenth and twentieth day, other units into equal parts.
  const bool month = precision == TimePrecision::kMonth && length >= 28 && length <= 31;
  const std::int64_t third = month ? 10 : std::max<std::int64_t>(1, (length + 1) / 3);
  switch (portion) {
    case Portion::kWhole:
      return span;
    case Portion::kStart:
    case Portion::kEarly:
      return Days(0, third);
    case Portion::kMiddle:
      return Days(third, month ? 20 : length - third);
    case Portion::kLate:
      return Days(month ? 20 : length - third, length);
    case Portion::kEnd:
      return Days(length - third, length);
    case Portion::kFirstHalf:
      return Days(0, (length + 1) / 2);
    case Portion::kSecondHalf:
      return Days(length / 2, length);
  }
  return span;
}
TimePrecision Finer(TimePrecision precision) {
  switch (precision) {
    case TimePrecision::kYears:
      return TimePrecision::kYears;
    case TimePrecision::kYear:
      return TimePrecision::kSeason;
    case TimePrecision::kSeason:
      return TimePrecision::kMonth;
    case TimePrecision::kMonth:
    case TimePrecision::kWeek:
      return TimePrecision::kDays;
    default:
      return precision;
  }
}

Span CutDay(const Span& day, Part part) {
  constexpr std::array<std::pair<int, int>, 6> kHours = {
      {{0, 24}, {4, 12}, {11, 14}, {12, 18}, {17, 24}, {18, 30}}};
  const auto [from, to] = kHours[static_cast<std::size_t>(part)];
  return {day.from + from * kHourMs, day.from + to * kHourMs};
}

// The `n`-th week, weekend, day or weekday of `frame`.
std::optional<Span> NthIn(const Piece& nth, const Span& frame) {
  const std::int64_t length = (frame.to - frame.from) / kDayMs;
  const bool last = nth.a < 0;
  if (nth.unit == Unit::kDay || nth.unit == Unit::kWeek) {
    const std::int64_t size = nth.unit == Unit::kDay ? 1 : 7;
    const std::int64_t from = last ? length - size : size * (nth.a - 1);
    if (from < 0 || from >= length) return std::nullopt;
    return Span{frame.from + from * kDayMs, frame.from + std::min(length, from + size) * kDayMs};
  }
  if (nth.unit == Unit::kMonth) {
    const sys_days at = DayOf(last ? frame.to - kDayMs : frame.from);
    const year_month_day date(at);
    const year_month_day first = date.year() / date.month() / std::chrono::day(1);
    const year_month_day month = first + months(last ? 0 : nth.a - 1);
    return MonthSpan(static_cast<int>(month.year()),
                     static_cast<int>(static_cast<unsigned>(month.month())));
  }
  Piece piece;
  piece.kind = nth.unit == Unit::kWeekend ? Kind::kWeekend : Kind::kWeekday;
  piece.a = nth.b;
  const auto In = [&](const Span& span) { return span.from >= frame.from && span.from < frame.to; };
  if (last) return Search(piece, DayOf(frame.to - kDayMs), -1, In);
  std::optional<Span> span = Search(piece, DayOf(frame.from), 1, In);
  if (!span) return span;
  span = InstanceAt(piece, Step(piece, DayOf(span->from), nth.a - 1));
  return span && In(*span) ? span : std::nullopt;
}

}  // namespace liubai::memory::timing
