#include "memory/date_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "memory/time_combine.h"
#include "memory/time_scan.h"

namespace liubai::memory {
namespace {

using timing::kDayMs;

}  // namespace

std::string_view TimePrecisionName(TimePrecision precision) {
  constexpr std::array<std::string_view, 8> kNames = {"part_of_day", "day",    "days", "week",
                                                      "month",       "season", "year", "years"};
  return kNames[static_cast<std::size_t>(precision)];
}

std::string_view TimeRelationName(TimeRelation relation) {
  constexpr std::array<std::string_view, 5> kNames = {"within", "before", "after", "since",
                                                      "until"};
  return kNames[static_cast<std::size_t>(relation)];
}

TimeRange Admits(const TimeExpression& expression) {
  constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();
  TimeRange range = expression.range;
  switch (expression.relation) {
    case TimeRelation::kWithin:
      return range;
    case TimeRelation::kBefore:
      return {-kEver, range.from_ms};
    case TimeRelation::kAfter:
      return {range.to_ms, kEver};
    case TimeRelation::kSince:
      return {range.from_ms, kEver};
    case TimeRelation::kUntil:
      return {-kEver, range.to_ms};
  }
  return range;
}

TimeReading ReadTimes(std::string_view text, std::int64_t now_ms, TimeReader reader,
                      int utc_offset_minutes) {
  TimeReading reading;
  const timing::Calendar calendar(now_ms, utc_offset_minutes);
  timing::Found found;
  timing::ScanEnglish(text, calendar, &found);
  const std::size_t english = found.pieces.size(), impossible = found.impossible.size();
  timing::ScanChinese(text, calendar, &found);
  reading.impossible = std::move(found.impossible);
  if (impossible > 0 && impossible < reading.impossible.size()) {
    std::sort(reading.impossible.begin(), reading.impossible.end(),
              [](const TextPart& a, const TextPart& b) { return a.begin < b.begin; });
  }
  if (found.pieces.empty()) return reading;
  if (english > 0 && english < found.pieces.size()) {
    std::stable_sort(
        found.pieces.begin(), found.pieces.end(),
        [](const timing::Piece& a, const timing::Piece& b) { return a.begin < b.begin; });
  }
  const std::int64_t offset = std::clamp(utc_offset_minutes, -24 * 60, 24 * 60) * 60'000LL;
  for (const timing::LocalTime& time : timing::Combine(text, calendar, reader, found.pieces)) {
    TimeExpression expression;
    expression.range = {time.span.from - offset, time.span.to - offset, time.about};
    expression.precision = time.precision;
    expression.relation = time.relation;
    expression.relative = time.relative;
    expression.text = {time.begin, time.end};
    reading.times.push_back(expression);
  }
  return reading;
}

std::vector<TimeExpression> TimeExpressionsInTurn(std::string_view text, std::int64_t turn_time_ms,
                                                  int utc_offset_minutes) {
  return ReadTimes(text, turn_time_ms, TimeReader::kTurn, utc_offset_minutes).times;
}

std::vector<TimeRange> FindTimeRanges(std::string_view text, std::int64_t now_ms) {
  return TimeRangesOf(ReadTimes(text, now_ms, TimeReader::kQuestion).times, now_ms);
}

std::vector<TimeRange> TimeRangesOf(std::span<const TimeExpression> times, std::int64_t now_ms) {
  std::vector<TimeRange> ranges;
  for (const TimeExpression& time : times) {
    TimeRange range = time.range;
    if (time.precision == TimePrecision::kPartOfDay) {
      range.from_ms = timing::Ms(timing::DayOf(range.from_ms));
      range.to_ms = range.from_ms + kDayMs;
    }
    if (time.relation == TimeRelation::kSince) {
      const timing::Calendar calendar(now_ms, 0);
      range.to_ms = std::max(range.to_ms, timing::Ms(calendar.today()) + kDayMs);
    }
    const bool known = std::any_of(ranges.begin(), ranges.end(), [&](const TimeRange& other) {
      return other.from_ms == range.from_ms && other.to_ms == range.to_ms;
    });
    // A text that names hundreds of times asks for none of them.
    if (!known && ranges.size() < 64) ranges.push_back(range);
  }
  return ranges;
}

double Closeness(const TimeRange& range, std::int64_t time_ms) {
  constexpr double kOutsideDays = 2;
  const double outside =
      static_cast<double>(std::max(range.from_ms - time_ms, time_ms - range.to_ms + 1)) / kDayMs;
  if (outside > 0) {
    return outside > kOutsideDays ? 0 : 0.4 * (1 - outside / kOutsideDays);
  }
  if (!range.about) return 1;
  const double half = static_cast<double>(range.to_ms - range.from_ms) / 2;
  const double from_middle =
      std::abs(static_cast<double>(time_ms - range.from_ms) - half) / std::max(1.0, half);
  return 1 - 0.5 * from_middle;
}

std::string FormatMinute(std::int64_t time_ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(time_ms)};
  const auto at = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(at);
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(time - at).count();
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     minutes / 60, minutes % 60);
}

}  // namespace liubai::memory
