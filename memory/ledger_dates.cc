// Dates and times of day.
#include <algorithm>
#include <tuple>

#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {

using words::Has;

bool DetailScanner::IsYear(std::size_t i) const {
  const std::string digits = NarrowText(i, i + 4);
  return digits >= "1000" && digits <= "2199" && (digits[0] == '2' || digits[1] >= '5');
}

std::size_t DetailScanner::NumericDate(std::size_t i) const {
  if (!IsAsciiDigit(at(i))) return i;
  const std::size_t a = Digits(i, 4);
  const std::int32_t sign = at(a);
  if (sign != '-' && sign != '/' && sign != '.') return i;
  const std::size_t b = Digits(a + 1, 2);
  if (b == a + 1 || IsAsciiDigit(at(b))) return i;
  const int first = Small(i, a), second = Small(a + 1, b);
  std::size_t end = i;
  if (at(b) == sign) {
    const std::size_t c = Digits(b + 1, 4);
    if (c == b + 1 || IsAsciiDigit(at(c))) return i;
    if (a - i == 4 && second <= 12 && Small(b + 1, c) <= 31) end = c;
    if (a - i <= 2 && first <= 31 && second <= 31 && (c - b - 1 == 4 || c - b - 1 == 2)) end = c;
    if (end > i && at(end) == 'T' && IsAsciiDigit(at(end + 1))) {
      while (IsAsciiDigit(at(end)) || at(end) == 'T' || at(end) == ':' || at(end) == 'Z') ++end;
    }
  } else if (sign == '/' && a - i <= 2 && first >= 1 && first <= 12 && second >= 1 &&
             second <= 31) {
    end = b;
  } else if (sign == '-' && a - i == 4 && IsYear(i) && second >= 1 && second <= 12 && b - a == 3) {
    end = b;
  }
  return end > i && !IsAsciiWord(at(end)) ? end : i;
}

std::size_t DetailScanner::ClockTime(std::size_t i) const {
  if (!IsAsciiDigit(at(i))) return i;
  const std::size_t hour = Digits(i, 2);
  if (IsAsciiDigit(at(hour)) || Small(i, hour) > 24) return i;
  std::size_t end = hour;
  bool clock = false;
  if (at(hour) == ':' || at(hour) == 0xFF1A) {
    const std::size_t minute = Digits(hour + 1, 2);
    if (minute == hour + 3 && Small(hour + 1, minute) < 60) {
      clock = true, end = minute;
      if (at(end) == ':' && Digits(end + 1, 2) == end + 3) end += 3;
    }
  }
  const std::size_t half = SkipBlanks(end);
  if (((at(half) | 32) == 'a' || (at(half) | 32) == 'p')) {
    if ((at(half + 1) | 32) == 'm' && !IsAsciiWord(at(half + 2))) {
      clock = true, end = half + 2;
    } else if (at(half + 1) == '.' && (at(half + 2) | 32) == 'm') {
      clock = true, end = at(half + 3) == '.' ? half + 4 : half + 3;
    }
  } else if (!clock) {
    const auto [word, word_end] = WordAt(end);
    if (word == "o'clock") clock = true, end = word_end;
  }
  if (!clock) return i;
  const auto [zone, zone_end] = WordAt(end);
  return Has(words::kTimeZones, zone) ? zone_end : end;
}

std::size_t DetailScanner::DayThenMonth(std::size_t begin, std::size_t end) const {
  if (end - begin > 2) return begin;
  std::size_t j = end;
  const std::string suffix = Lower(end, std::min(end + 2, size()));
  if (suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th") j += 2;
  auto [word, word_end] = WordAt(j);
  if (word == "of") std::tie(word, word_end) = WordAt(word_end);
  if (!Has(words::kMonths, word)) return begin;
  return WithYear(word_end);
}

// Past ", 2024" or " 2024" when that follows.
std::size_t DetailScanner::WithYear(std::size_t i) const {
  std::size_t j = SkipBlanks(at(i) == ',' ? i + 1 : i);
  return Digits(j, 5) == j + 4 && IsYear(j) ? j + 4 : i;
}

std::size_t DetailScanner::DateByWord(std::size_t i) const {
  auto [word, end] = WordAt(i);
  if (word == "next" || word == "last" || word == "this") {
    const auto [day, day_end] = WordAt(end);
    return Has(words::kWeekdays, day) ? day_end : i;
  }
  if (word.ends_with("s") && Has(words::kWeekdays, word.substr(0, word.size() - 1)) &&
      IsUpper(at(i)))
    return end;
  if (Has(words::kWeekdays, word)) {
    if (at(end) == ',') {  // "Friday, March 5"
      if (const std::size_t next = SkipBlanks(end + 1); IsUpper(at(next))) {
        if (const std::size_t date = DateByWord(next);
            date > next && Has(words::kMonths, WordAt(next).first))
          return date;
      }
    }
    return end;
  }
  if (!Has(words::kMonths, word)) return i;
  if (!IsUpper(at(i))) return i;
  std::size_t j = SkipBlanks(at(end) == '.' && word.size() <= 4 ? end + 1 : end);
  const std::size_t day_end = Digits(j, 4);
  if (day_end > j && day_end - j <= 2 && Small(j, day_end) >= 1 && Small(j, day_end) <= 31 &&
      !IsAsciiDigit(at(day_end)) && at(day_end) != ':') {
    const std::string suffix = Lower(day_end, std::min(day_end + 2, size()));
    const bool ordinal = suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th";
    return WithYear(day_end + (ordinal ? 2 : 0));
  }
  if (const std::size_t year = WithYear(end); year > end) return year;
  // A month alone: "in May", but not "May I".
  static constexpr std::string_view kLeads[] = {"in",   "by",   "since", "until",  "of",
                                                "last", "next", "this",  "from",   "early",
                                                "late", "mid",  "every", "before", "after"};
  return word.size() > 3 || word == "may" ? (Has(kLeads, WordBefore(i)) ? end : i) : i;
}

std::size_t DetailScanner::ChineseDate(std::size_t i) const {
  static constexpr std::string_view kWeeks[] = {"星期", "礼拜", "周"};
  std::size_t j = i;
  if (at(j) == U'下' || at(j) == U'上' || at(j) == U'这' || at(j) == U'本') ++j;
  if (at(j) == U'个') ++j;
  for (std::string_view week : kWeeks) {
    if (!Is(j, week)) continue;
    const std::size_t day = j + CountCodePoints(week);
    const int digit = ChineseDigit(at(day));
    if ((digit >= 1 && digit <= 6) || at(day) == U'日' || at(day) == U'天' || at(day) == U'末') {
      if (at(day) == U'日' && at(j) == U'周' && Is(day, "日子")) continue;
      return day + 1;
    }
  }
  if (j != i) return i;
  // 2024年3月5日, 3月5号, 二〇二四年, 三月五号
  std::size_t end = i;
  std::size_t year = Numeral(i, 4);
  std::size_t month_begin = i;
  const std::size_t year_sign = SkipBlanks(year);
  if (year == i + 4 && at(year_sign) == U'年') {
    end = year_sign + 1;
    month_begin = SkipBlanks(end);
  } else if (year == i + 2 && at(year) == U'年' && IsAsciiDigit(at(i)) &&
             Numeral(year + 1, 2) > year + 1 && at(Numeral(year + 1, 2)) == U'月') {
    end = year + 1;
    month_begin = end;
  }
  const std::size_t month = Numeral(month_begin, 3);
  if (month > month_begin && at(SkipBlanks(month)) == U'月') {
    end = SkipBlanks(month) + 1;
    const std::size_t day_begin = SkipBlanks(end);
    const std::size_t day = Numeral(day_begin, 3);
    const std::size_t day_sign = SkipBlanks(day);
    if (day > day_begin && (at(day_sign) == U'日' || at(day_sign) == U'号')) {
      end = day_sign + 1;
    } else if (day > end + 1 && !IsAsciiDigit(at(end))) {
      end = day;  // 八月十五
    } else if (at(end) == U'初' && ChineseDigit(at(end + 1)) > 0) {
      end += 2;  // 正月初一
    } else if (at(end) == U'份' || at(end) == U'底' || at(end) == U'初') {
      ++end;
    }
  } else if (end == i) {
    const std::size_t day = Numeral(i, 3);
    if (day > i && (at(day) == U'号' || (at(day) == U'日' && IsAsciiDigit(at(i)))) &&
        !Is(day, "号楼") && !Is(day, "号线") && !Is(day, "号房") && !Is(day, "号门") &&
        !IsAsciiDigit(at(day + 1))) {
      const bool in_range = !IsAsciiDigit(at(i)) || Small(i, day) <= 31;
      if (in_range) end = day + 1;
    }
  }
  return end;
}

std::size_t DetailScanner::ChineseTime(std::size_t i) const {
  static constexpr std::string_view kHalves[] = {"上午", "下午", "晚上", "早上", "中午",
                                                 "凌晨", "傍晚", "夜里", "半夜", "清晨"};
  std::size_t j = i;
  for (std::string_view half : kHalves) {
    if (Is(i, half)) j = i + 2;
  }
  j = SkipBlanks(j);
  const std::size_t hour = Numeral(j, 3);
  if (hour == j) return i;
  if (j > i && (at(hour) == ':' || at(hour) == 0xFF1A)) {
    const std::size_t end = ClockTime(j);
    return end > j ? end : i;
  }
  if (at(hour) != U'点' || (IsAsciiDigit(at(j)) && Small(j, hour) > 24)) return i;
  // 三点建议 is a count, not a time.
  if (j == i && !IsAsciiDigit(at(i)) &&
      (IsCjkIdeograph(at(hour + 1)) && at(hour + 1) != U'半' && at(hour + 1) != U'钟' &&
       at(hour + 1) != U'整' && at(hour + 1) != U'见' && at(hour + 1) != U'到' &&
       at(hour + 1) != U'开' && at(hour + 1) != U'前' && at(hour + 1) != U'后' &&
       at(hour + 1) != U'一' && ChineseDigit(at(hour + 1)) < 0 && at(hour + 1) != U'的' &&
       at(hour + 1) != U'起' && at(hour + 1) != U'吃' && at(hour + 1) != U'十'))
    return i;
  // 一点 alone is a little: 少喝一点, 暖和一点的.
  if (j == i && hour == j + 1 && at(j) == U'一' && at(hour + 1) != U'半' && at(hour + 1) != U'钟' &&
      at(hour + 1) != U'整' && at(hour + 1) != U'见' && at(hour + 1) != U'前' &&
      at(hour + 1) != U'一' && ChineseDigit(at(hour + 1)) < 0 && at(hour + 1) != U'十')
    return i;
  std::size_t end = hour + 1;
  if (at(end) == U'半' || at(end) == U'钟' || at(end) == U'整') return end + 1;
  if (Is(end, "一刻") || Is(end, "三刻")) return end + 2;
  const std::size_t minute = Numeral(end, 3);
  if (minute > end) return at(minute) == U'分' ? minute + 1 : minute;
  return end;
}

}  // namespace liubai::memory
