#include "memory/date_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

namespace liubai::memory {
namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::weekday;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr std::int64_t kDayMs = 86400000;
constexpr std::array<std::string_view, 12> kMonths = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sunday",   "monday", "tuesday", "wednesday",
                                                       "thursday", "friday", "saturday"};
constexpr std::array<std::string_view, 13> kNumbers = {"zero", "one",    "two",   "three", "four",
                                                       "five", "six",    "seven", "eight", "nine",
                                                       "ten",  "eleven", "twelve"};

struct Words {
  std::vector<std::string> list;
  std::string_view At(std::size_t i) const {
    return i < list.size() ? std::string_view(list[i]) : "";
  }
};

Words Split(std::string_view text) {
  Words words;
  std::string word;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool upper = c >= 'A' && c <= 'Z';
    if (letter || upper || c == '-') {
      word.push_back(upper ? static_cast<char>(c - 'A' + 'a') : c);
    } else if (!word.empty()) {
      words.list.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.list.push_back(std::move(word));
  return words;
}

std::optional<int> Digits(std::string_view word) {
  if (word.empty() || word.size() > 4) return std::nullopt;
  int value = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<int> Number(std::string_view word) {
  if (word == "a" || word == "an") return 1;
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    if (word == kNumbers[i]) return static_cast<int>(i);
  }
  return Digits(word);
}

// 8, 8th, 1st
std::optional<unsigned> DayOfMonth(std::string_view word) {
  for (const std::string_view suffix : {"st", "nd", "rd", "th"}) {
    if (word.size() > 2 && word.ends_with(suffix)) word.remove_suffix(2);
  }
  const std::optional<int> value = Digits(word);
  if (!value || word.size() > 2 || *value < 1 || *value > 31) return std::nullopt;
  return static_cast<unsigned>(*value);
}

std::optional<int> Year(std::string_view word) {
  const std::optional<int> value = Digits(word);
  return value && *value >= 1900 && *value <= 2200 ? value : std::nullopt;
}

// 1..12; names and their first three letters, but for "may" and "mar" as other words see the
// callers.
std::optional<unsigned> Month(std::string_view word) {
  for (unsigned i = 0; i < kMonths.size(); ++i) {
    if (word == kMonths[i] || (word.size() == 3 && kMonths[i].starts_with(word)) ||
        (i == 8 && word == "sept")) {
      return i + 1;
    }
  }
  return std::nullopt;
}

std::optional<unsigned> Weekday(std::string_view word) {
  for (unsigned i = 0; i < kWeekdays.size(); ++i) {
    if (word == kWeekdays[i]) return i;
  }
  return std::nullopt;
}

std::int64_t Ms(sys_days at) { return at.time_since_epoch().count() * kDayMs; }

TimeRange Days(sys_days from, int count) { return {Ms(from), Ms(from + days(count))}; }

std::optional<TimeRange> OneDay(int y, unsigned m, unsigned d) {
  const year_month_day date{year(y), month(m), day(d)};
  if (!date.ok()) return std::nullopt;
  return Days(sys_days(date), 1);
}

TimeRange WholeMonth(int y, unsigned m) {
  const year_month_day first{year(y), month(m), day(1)};
  return {Ms(sys_days(first)), Ms(sys_days(first + std::chrono::months(1)))};
}

class Finder {
 public:
  Finder(std::string_view text, std::int64_t now_ms)
      : text_(text),
        words_(Split(text)),
        today_(std::chrono::floor<days>(
            std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(now_ms)))),
        date_(today_) {}

  std::vector<TimeRange> Run() {
    for (std::size_t i = 0; i < words_.list.size();) {
      const std::size_t used = At(i);
      i += std::max<std::size_t>(1, used);
    }
    Chinese();
    return std::move(ranges_);
  }

 private:
  void Add(const std::optional<TimeRange>& range) {
    if (range) ranges_.push_back(*range);
  }
  void About(sys_days from, int count) {
    ranges_.push_back(Days(from, count));
    ranges_.back().about = true;
  }
  // `unit` is "day", "week", …; the span widens with the unit, as people's memory of it does.
  bool Ago(int count, std::string_view unit) {
    if (unit.ends_with('s')) unit.remove_suffix(1);
    if (unit == "day") {
      Add(Days(today_ - days(count), 1));
    } else if (unit == "week") {
      About(today_ - days(7 * count + 2), 5);
    } else if (unit == "month") {
      const sys_days middle = Back(std::chrono::months(count));
      About(middle - days(10), 21);
    } else if (unit == "year") {
      About(Back(std::chrono::months(12 * count)) - days(60), 121);
    } else {
      return false;
    }
    return true;
  }
  sys_days Back(std::chrono::months count) const {
    year_month_day date = date_ - count;
    if (!date.ok()) date = date.year() / date.month() / std::chrono::last;
    return sys_days(date);
  }
  // The last year in which (month, day) was not after today.
  int YearOf(unsigned m, unsigned d) const {
    const int current = static_cast<int>(date_.year());
    const auto wanted = std::pair(m, d);
    const auto today =
        std::pair(static_cast<unsigned>(date_.month()), static_cast<unsigned>(date_.day()));
    return wanted <= today ? current : current - 1;
  }

  // Tries each form at word `i`; returns the words used, 0: none.
  std::size_t At(std::size_t i) {
    const std::string_view word = words_.At(i), next = words_.At(i + 1), third = words_.At(i + 2);
    if (const auto range = IsoDate(word)) return Add(range), 1;
    if (word == "yesterday") return Add(Days(today_ - days(1), 1)), 1;
    if (word == "today") return Add(Days(today_, 1)), 1;
    if (const auto count = Number(word); count && *count <= 1000 && third == "ago") {
      if (Ago(*count, next)) return 3;
    }
    if (word == "couple" && next == "of" && words_.At(i + 3) == "ago" && Ago(2, third)) return 4;
    if (word == "last" || word == "past" || word == "previous") {
      if (const auto wd = Weekday(next)) {
        const int back =
            (static_cast<int>(weekday(today_).c_encoding()) - static_cast<int>(*wd) + 6) % 7 + 1;
        return Add(Days(today_ - days(back), 1)), 2;
      }
      if (next == "week") return Add(Days(today_ - days(13), 13)), 2;
      if (next == "weekend") {
        const int since_sunday = static_cast<int>(weekday(today_).c_encoding());
        return Add(Days(today_ - days(since_sunday + 1 + (since_sunday == 0 ? 6 : 0)), 2)), 2;
      }
      if (next == "month") {
        const year_month_day before{Back(std::chrono::months(1))};
        return Add(WholeMonth(static_cast<int>(before.year()),
                              static_cast<unsigned>(before.month()))),
               2;
      }
      if (next == "year") {
        const int y = static_cast<int>(date_.year()) - 1;
        return Add(TimeRange{WholeMonth(y, 1).from_ms, WholeMonth(y, 12).to_ms}), 2;
      }
    }
    // 8 May 2023, 8th of May
    if (const auto d = DayOfMonth(word)) {
      const std::size_t skip = next == "of" ? 2 : 1;
      if (const auto m = Month(words_.At(i + skip))) {
        const auto y = Year(words_.At(i + skip + 1));
        Add(OneDay(y.value_or(YearOf(*m, *d)), *m, *d));
        return skip + 1 + (y ? 1 : 0);
      }
    }
    if (const auto m = Month(word)) {
      if (const auto d = DayOfMonth(next)) {  // May 8(, 2023)
        const auto y = Year(third);
        Add(OneDay(y.value_or(YearOf(*m, *d)), *m, *d));
        return y ? 3 : 2;
      }
      if (const auto y = Year(next)) return Add(WholeMonth(*y, *m)), 2;
      const std::string_view before = i > 0 ? words_.At(i - 1) : "";
      // "may" and "march" alone are other words.
      if (before == "in" || before == "during" || before == "of" || before == "since" ||
          before == "last") {
        return Add(WholeMonth(YearOf(*m, 1), *m)), 1;
      }
    }
    return 0;
  }

  static std::optional<TimeRange> IsoDate(std::string_view word) {
    if (word.size() != 10 || word[4] != '-' || word[7] != '-') return std::nullopt;
    const auto y = Year(word.substr(0, 4)), m = Digits(word.substr(5, 2)),
               d = Digits(word.substr(8, 2));
    if (!y || !m || !d) return std::nullopt;
    return OneDay(*y, static_cast<unsigned>(*m), static_cast<unsigned>(*d));
  }

  void Chinese() {
    const auto Has = [&](std::string_view word) {
      return text_.find(word) != std::string_view::npos;
    };
    if (Has("前天")) {
      Add(Days(today_ - days(2), 1));
    } else if (Has("昨天")) {
      Add(Days(today_ - days(1), 1));
    }
    if (Has("上周") || Has("上个星期") || Has("上星期")) Add(Days(today_ - days(13), 13));
    if (Has("上个月")) {
      const year_month_day before{Back(std::chrono::months(1))};
      Add(WholeMonth(static_cast<int>(before.year()), static_cast<unsigned>(before.month())));
    }
    static constexpr std::array<std::string_view, 11> kDigits = {"〇", "一", "二", "三", "四", "五",
                                                                 "六", "七", "八", "九", "十"};
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kUnits = {
        {{"天前", "day"},
         {"周前", "week"},
         {"个星期前", "week"},
         {"星期前", "week"},
         {"个月前", "month"},
         {"年前", "year"}}};
    for (const auto& [suffix, unit] : kUnits) {
      for (std::size_t at = text_.find(suffix); at != std::string_view::npos;
           at = text_.find(suffix, at + suffix.size())) {
        const std::string_view before = text_.substr(0, at);
        int count = 0;
        std::size_t digits = 0;
        while (digits < before.size() && digits < 3 && before[before.size() - 1 - digits] >= '0' &&
               before[before.size() - 1 - digits] <= '9') {
          ++digits;
        }
        if (digits > 0) count = Digits(before.substr(before.size() - digits)).value_or(0);
        for (std::size_t d = 1; digits == 0 && d < kDigits.size(); ++d) {
          if (before.ends_with(kDigits[d])) count = static_cast<int>(d);
        }
        if (digits == 0 && before.ends_with("两")) count = 2;
        if (count > 0) Ago(count, unit);
      }
    }
  }

  std::string_view text_;
  Words words_;
  sys_days today_;
  year_month_day date_;
  std::vector<TimeRange> ranges_;
};

}  // namespace

std::vector<TimeRange> FindTimeRanges(std::string_view text, std::int64_t now_ms) {
  return Finder(text, now_ms).Run();
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
  const sys_days at = std::chrono::floor<days>(time);
  const year_month_day date(at);
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(time - at).count();
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     minutes / 60, minutes % 60);
}

}  // namespace liubai::memory
