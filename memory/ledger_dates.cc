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

// "between 2015 and 2018": the year before it is one.
bool DetailScanner::FollowsYear(std::size_t i) const {
  return WordBefore(i) == "and" && !details_.empty() && details_.back().kind == DetailKind::kDate &&
         details_.back().end + 5 >= offset_[i] && details_.back().text.size() == 4;
}

std::size_t DetailScanner::NumericDate(std::size_t i) const {
  if (!IsAsciiDigit(at(i))) return i;
  const std::size_t a = Digits(i, 4);
  const std::int32_t sign = at(a);
  if (sign != '-' && sign != '/' && sign != '.') return i;
  const std::size_t b = Digits(a + 1, 2);
  const bool month_and_year = sign == '/' && Digits(a + 1, 5) == a + 5;
  if (b == a + 1 || (IsAsciiDigit(at(b)) && !month_and_year)) return i;
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
  } else if (sign == '/' && !month_and_year && a - i <= 2 && first >= 1 && first <= 12 &&
             second >= 1 && second <= 31) {
    end = b;
  } else if (sign == '-' && a - i == 4 && IsYear(i) && second >= 1 && second <= 12 && b - a == 3) {
    end = b;
  }
  if (sign == '/' && a == i + 2 && first >= 1 && first <= 12 && Digits(a + 1, 5) == a + 5 &&
      IsYear(a + 1))
    end = a + 5;  // 03/2029
  // "3/4 cup"
  if (end == b && sign == '/' && Has(words::kUnits, WordAt(end).first)) return i;
  return end > i && !IsAsciiWord(at(end)) ? end : i;
}

std::size_t DetailScanner::DayThenMonth(std::size_t begin, std::size_t end) const {
  if (end - begin > 2) return begin;
  std::size_t j = end;
  // "3 to 7 May", "3–7 May"
  if (const std::size_t range = RangeEnd(begin, end); range > end && range - end <= 6) {
    const auto [month, month_end] = WordAt(range);
    if (Has(words::kMonths, month)) return WithYear(month_end);
  }
  const std::string suffix = Lower(end, std::min(end + 2, size()));
  if (suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th") j += 2;
  auto [word, word_end] = WordAt(j);
  if (word == "of") std::tie(word, word_end) = WordAt(word_end);
  if (!Has(words::kMonths, word)) return begin;
  // "20 may be enough"
  if (word == "may" && !IsUpper(at(SkipBlanks(word_end - 3)))) return begin;
  return WithYear(at(word_end) == '.' && word.size() <= 4 && at(word_end + 1) == ' ' &&
                          IsAsciiDigit(at(word_end + 2))
                      ? word_end + 1
                      : word_end);
}

// "the 21st" where nothing follows that it could count.
bool DetailScanner::IsDayOfMonth(std::size_t begin, std::size_t end) const {
  if (Small(begin, end - 2) > 31 || WordBefore(begin) != "the") return false;
  if (ClauseEndsAt(end)) return true;
  static constexpr std::string_view kFollow[] = {
      "at", "and", "or", "for", "not", "to", "instead", "in", "so", "but", "because", "then", "if"};
  return Has(kFollow, WordAt(end).first);
}

// Past ", 2024" or " 2024" when that follows.
std::size_t DetailScanner::WithYear(std::size_t i) const {
  std::size_t j = SkipBlanks(at(i) == ',' ? i + 1 : i);
  return Digits(j, 5) == j + 4 && IsYear(j) ? j + 4 : i;
}

// Days counted from the turn's own, and feasts: "tomorrow", "last night", "next week", "Easter".
std::size_t DetailScanner::RelativeDate(std::size_t i) const {
  static constexpr std::string_view kPeriods[] = {
      "week",   "month", "year",    "weekend",  "summer", "winter", "spring",
      "autumn", "fall",  "quarter", "semester", "term",   "decade", "century"};
  static constexpr std::string_view kFeasts[] = {
      "christmas", "easter", "thanksgiving", "halloween", "hanukkah",
      "ramadan",   "xmas",   "eid",          "diwali",    "passover"};
  static constexpr std::string_view kTwoWords[] = {
      "christmas eve", "christmas day",  "boxing day",       "good friday",      "black friday",
      "cyber monday",  "new year's eve", "new year's day",   "new year's",       "valentine's day",
      "mother's day",  "father's day",   "independence day", "labor day",        "labour day",
      "memorial day",  "easter sunday",  "easter monday",    "chinese new year", "spring festival"};
  const auto [word, end] = WordAt(i);
  if (IsUpper(at(i))) {
    const std::string line = Lower(i, std::min(i + 18, size()));
    for (std::string_view feast : kTwoWords) {
      if (line.starts_with(feast) && !IsAsciiWord(at(i + feast.size()))) return i + feast.size();
    }
    if (Has(kFeasts, word)) return end;
    if (word.ends_with("'s") && Has(kFeasts, word.substr(0, word.size() - 2))) return end - 2;
  }
  // What is no other word needs no capital.
  static constexpr std::string_view kPlainFeasts[] = {
      "christmas", "thanksgiving", "halloween", "hanukkah", "ramadan", "diwali",
      "passover",  "xmas",         "easter",    "eid",      "nye"};
  if (Has(kPlainFeasts, word)) return end;
  static constexpr std::string_view kPlainTwo[] = {
      "christmas eve",  "christmas day",   "boxing day",    "new year's eve",
      "new year's day", "valentine's day", "mother's day",  "father's day",
      "black friday",   "good friday",     "easter sunday", "easter monday",
      "new year's",     "new years eve",   "memorial day",  "labor day"};
  const std::string plain_line = Lower(i, std::min(i + 18, size()));
  for (std::string_view feast : kPlainTwo) {
    if (plain_line.starts_with(feast) && !IsAsciiWord(at(i + feast.size())))
      return i + feast.size();
  }
  if (word == "tomorrow" || word == "yesterday") return end;
  if (word == "tomorrow's" || word == "yesterday's") return end - 2;
  if (word == "day") {  // "the day after tomorrow"
    const auto [joint, joint_end] = WordAt(end);
    const auto [day, day_end] = WordAt(joint_end);
    const bool counted =
        (joint == "after" && day == "tomorrow") || (joint == "before" && day == "yesterday");
    return counted ? day_end : i;
  }
  if (word == "next" || word == "last" || word == "this") {
    auto [day, day_end] = WordAt(end);
    if (day.ends_with("'s")) day.resize(day.size() - 2), day_end -= 2;
    if (Has(words::kWeekdays, day)) return day_end;
    if (word != "this" && Has(words::kMonths, day) && IsUpper(at(SkipBlanks(end)))) return day_end;
    if (day == "weekend") return day_end;
    if (word != "this" && Has(kPeriods, day)) return day_end;
    if (word == "last" && day == "night") return day_end;
    if (word != "this" && Has(kPlainFeasts, day)) return day_end;
    return i;
  }
  if (word == "spring" || word == "summer" || word == "autumn" || word == "winter" ||
      word == "fall") {
    const auto [of, of_end] = WordAt(end);
    const std::size_t from = of == "of" ? of_end : end;
    const std::size_t year = WithYear(from);
    return year > from ? year : i;
  }
  // "Q3 2024"
  if (at(i) == 'Q' && at(i + 1) >= '1' && at(i + 1) <= '4' && !IsAsciiWord(at(i + 2)))
    return WithYear(i + 2);
  return i;
}

// Past "ago" behind an amount of time that begins at `end`: "days ago", 天前.
std::size_t DetailScanner::Ago(std::size_t end) const {
  static constexpr std::string_view kSpans[] = {"days",  "day",   "weeks", "week",    "months",
                                                "month", "years", "year",  "decades", "centuries"};
  const auto [unit, unit_end] = WordAt(end);
  if (Has(kSpans, unit)) {
    const auto [ago, ago_end] = WordAt(unit_end);
    return ago == "ago" || ago == "earlier" ? ago_end : end;
  }
  static constexpr std::string_view kChinese[] = {"天", "周", "个星期", "星期", "个月", "年"};
  static constexpr std::string_view kPast[] = {"前", "后", "以前", "以后", "之前", "之后"};
  const std::size_t span = PastAny(SkipBlanks(end), kChinese);
  if (span == SkipBlanks(end)) return end;
  const std::size_t past = PastAny(span, kPast);
  return past > span ? past : end;
}

// "a couple of weeks ago", "two or three weeks ago", "early october", "end of may", "the late 80s".
std::size_t DetailScanner::VagueDate(std::size_t i) const {
  const auto [word, end] = WordAt(i);
  static constexpr std::string_view kSome[] = {"a", "an", "few", "several", "couple", "some"};
  static constexpr std::string_view kSpans[] = {"day",   "days",   "week", "weeks",
                                                "month", "months", "year", "years"};
  if (Has(kSome, word)) {
    std::size_t j = end;
    for (int words = 0; words < 3; ++words) {
      const auto [next, next_end] = WordAt(j);
      const auto [ago, ago_end] = WordAt(next_end);
      if (Has(kSpans, next) && (ago == "ago" || ago == "earlier")) return ago_end;
      if (next != "of" && next != "couple" && next != "few") break;
      j = next_end;
    }
  }
  if (word == "early" || word == "late" || word == "mid") {
    const std::size_t next = at(end) == '-' ? end + 1 : SkipBlanks(end);
    if (next == end) return i;
    const auto [month, month_end] = WordAt(next);
    if (Has(words::kMonths, month)) return WithYear(month_end);
    if (const std::size_t decade = DecadeAt(next); decade > next) return decade;
  }
  if (word == "end" || word == "beginning" || word == "start" || word == "middle") {
    const auto [of, of_end] = WordAt(end);
    auto [month, month_end] = WordAt(of_end);
    if (of != "of") return i;
    if (Has(words::kMonths, month) && month.size() > 2) return WithYear(month_end);
  }
  return i;
}

// "80s", "1990s"; "her 30s" is an age.
std::size_t DetailScanner::DecadeAt(std::size_t i) const {
  const std::size_t end = Digits(i, 4);
  if ((end != i + 2 && end != i + 4) || at(end - 1) != '0' || at(end) != 's' ||
      IsAsciiWord(at(end + 1)))
    return i;
  return end + 1;
}

// A weekday cut short and in lower case: "on fri", "tues 9am".
std::size_t DetailScanner::ShortDay(std::size_t i) const {
  static constexpr std::string_view kDays[] = {"mon",  "tue",   "tues", "wed", "weds", "thu",
                                               "thur", "thurs", "fri",  "sat", "sun"};
  const auto [word, end] = WordAt(i);
  if (!Has(kDays, word)) return i;
  // "Hope Mon, Miles Wed", but "the Sun"
  if (IsUpper(at(i))) {
    const bool plain = IsUpper(at(i + 1)) || (word == "sun" && WordBefore(i) == "the");
    return !plain && ClauseEndsAt(end) ? end : i;
  }
  if (at(end) == '.' && IsAsciiWord(at(end + 1))) return i;
  if (word == "weds" || word == "thurs" || word == "tues") return end;
  static constexpr std::string_view kLeads[] = {"on",    "by",    "until",  "til",  "till", "next",
                                                "this",  "last",  "every",  "from", "come", "comes",
                                                "since", "after", "before", "for",  "you",  "u"};
  static constexpr std::string_view kParts[] = {
      "morning", "afternoon", "evening", "night", "eve", "am", "pm", "at", "and", "or", "to"};
  const std::string before = WordBefore(i);
  const bool again = !details_.empty() && details_.back().kind == DetailKind::kDate &&
                     details_.back().end + 6 > offset_[i];
  const bool weak = word == "sat" || word == "sun" || word == "wed";
  if (Has(kLeads, before)) return weak && before == "for" ? i : end;
  if (again) return end;
  const std::size_t next = SkipBlanks(end);
  const bool timed = ClockTime(next) > next || (IsAsciiDigit(at(next)) && !weak);
  const auto [part, part_end] = WordAt(end);
  if (timed || Has(kParts, part)) {
    if ((part == "and" || part == "or" || part == "to") && !Has(kDays, WordAt(part_end).first))
      return i;
    return weak && part == "at" ? i : end;
  }
  return i;
}

std::size_t DetailScanner::DateByWord(std::size_t i) const {
  auto [word, end] = WordAt(i);
  if (const std::size_t vague = VagueDate(i); vague > i) return vague;
  if (const std::size_t day = ShortDay(i); day > i) return day;
  static constexpr std::string_view kTomorrow[] = {"tmrw", "tmr", "tmw", "tomoz", "tomo", "2moro"};
  if (Has(kTomorrow, word)) return end;
  if (const std::size_t relative = RelativeDate(i); relative > i) return relative;
  if (word == "mid" && at(end) == '-') {  // "mid-December"
    const auto [month, month_end] = WordAt(end + 1);
    return Has(words::kMonths, month) ? WithYear(month_end) : i;
  }
  if (word.ends_with("s") && Has(words::kWeekdays, word.substr(0, word.size() - 1)) &&
      IsUpper(at(i)))
    return end;
  if (word.ends_with("'s") && Has(words::kWeekdays, word.substr(0, word.size() - 2)))
    return end - 2;
  if (Has(words::kWeekdays, word)) {
    if (at(end) == ',') {  // "Friday, March 5", "Friday, 12 July"
      const std::size_t next = SkipBlanks(end + 1);
      if (IsUpper(at(next))) {
        if (const std::size_t date = DateByWord(next);
            date > next && Has(words::kMonths, WordAt(next).first))
          return date;
      }
      if (IsAsciiDigit(at(next))) {
        const std::size_t day = Digits(next, 2);
        if (const std::size_t date = DayThenMonth(next, day); date > next) return date;
      }
    }
    return end;
  }
  if (word.ends_with("'s") && Has(words::kWholeMonths, word.substr(0, word.size() - 2)) &&
      IsUpper(at(i)) && word != "may's" && word != "june's" && word != "april's")
    return end - 2;
  static constexpr std::string_view kShortDays[] = {"mon",  "tue",   "tues", "wed", "thu",
                                                    "thur", "thurs", "fri",  "sat", "sun"};
  if (Has(kShortDays, word) && IsUpper(at(i))) {
    const std::size_t next = SkipBlanks(at(end) == '.' || at(end) == ',' ? end + 1 : end);
    if (IsAsciiDigit(at(next))) {
      const std::size_t day = Digits(next, 2);
      if (const std::size_t date = DayThenMonth(next, day); date > next) return date;
      if (const std::size_t date = NumericDate(next); date > next) return date;
      if (const std::size_t time = ClockTime(next); time > next) return end;
    }
    if (IsUpper(at(next)) && Has(words::kMonths, WordAt(next).first)) {
      if (const std::size_t date = DateByWord(next); date > next) return date;
    }
    static constexpr std::string_view kDayLeads[] = {"on",   "by",  "until", "next", "this",
                                                     "last", "you", "till",  "from", "every"};
    // Within a sentence a capital is enough, but for "Sun" and "Sat".
    const bool plain = word != "sun" && word != "sat" && word != "wed";
    return Has(kDayLeads, WordBefore(i)) || (plain && !AtSentenceStart(i) && !IsUpper(at(next)))
               ? end
               : i;
  }
  if (!Has(words::kMonths, word)) return i;
  // "since march": in lower case a month is one where a year or a time is spoken of.
  static constexpr std::string_view kClear[] = {"january", "february", "september",
                                                "october", "november", "december"};
  static constexpr std::string_view kLowerLeads[] = {"in",   "since",  "until",  "till", "next",
                                                     "last", "early",  "late",   "mid",  "from",
                                                     "by",   "during", "before", "after"};
  const std::size_t lower_day = SkipBlanks(end);
  const std::size_t lower_day_end = Digits(lower_day, 3);
  const bool dated = word != "may" && lower_day > end && lower_day_end > lower_day &&
                     lower_day_end <= lower_day + 2 && Small(lower_day, lower_day_end) >= 1 &&
                     Small(lower_day, lower_day_end) <= 31 && at(lower_day_end) != ':' &&
                     at(lower_day_end) != '%' && (word != "march" || ClauseEndsAt(lower_day_end));
  if (!IsUpper(at(i)) && !dated) {
    if (word.size() < 3 || (word.size() == 3 && word != "may")) return i;
    if (!Has(kClear, word) && (!Has(kLowerLeads, WordBefore(i)) ||
                               (!ClauseEndsAt(end) && !IsAsciiDigit(at(SkipBlanks(end))) &&
                                Has(words::kNotNames, WordAt(end).first) == false)))
      return i;
  }
  std::size_t j = SkipBlanks(at(end) == '.' && word.size() <= 4 ? end + 1 : end);
  const std::size_t day_end = Digits(j, 4);
  if (day_end > j && day_end - j <= 2 && Small(j, day_end) >= 1 && Small(j, day_end) <= 31 &&
      !IsAsciiDigit(at(day_end)) && at(day_end) != ':') {
    const std::string suffix = Lower(day_end, std::min(day_end + 2, size()));
    const bool ordinal = suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th";
    std::size_t last = day_end + (ordinal ? 2 : 0);
    // "March 3-7"
    if ((at(last) == '-' || at(last) == 0x2013) && IsAsciiDigit(at(last + 1)) &&
        Digits(last + 1, 3) <= last + 3)
      last = Digits(last + 1, 2);
    return WithYear(last);
  }
  if (const std::size_t year = WithYear(end); year > end) return year;
  // A month alone: "in May", but not "May I".
  static constexpr std::string_view kLeads[] = {
      "in",   "by",  "since", "until",  "of",    "last",   "next", "this", "from",    "early",
      "late", "mid", "every", "before", "after", "during", "till", "for",  "through", "between"};
  if (word.size() <= 3 && word != "may") return i;
  if (Has(kLeads, WordBefore(i))) return end;
  // These are no names and no verbs.
  static constexpr std::string_view kPlain[] = {"january", "february", "july",    "september",
                                                "october", "november", "december"};
  return Has(kPlain, word) ? end : i;
}

}  // namespace liubai::memory
