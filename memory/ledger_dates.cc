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

std::size_t DetailScanner::ClockTime(std::size_t i) const {
  if (!IsAsciiDigit(at(i))) return i;
  // "at 0600", "given 0615"
  if (Digits(i, 5) == i + 4 && at(i) <= '2' && Small(i, i + 2) < 24 && Small(i + 2, i + 4) < 60 &&
      !IsAsciiWord(at(i + 4)) && at(i + 4) != '-' && at(i + 4) != '.') {
    static constexpr std::string_view kAt[] = {
        "at", "by", "until", "till", "from", "given", "before", "after", "around", "since", "til"};
    const std::string lead = WordBefore(i);
    if (at(i) == '0' ? Has(kAt, lead) : lead == "at" && Small(i + 2, i + 4) % 5 == 0) return i + 4;
  }
  const std::size_t hour = Digits(i, 2);
  if (IsAsciiDigit(at(hour))) return i;
  if (Small(i, hour) > 24) {  // "52:30": minutes and seconds.
    const bool minutes = hour == i + 2 && at(hour) == ':' && Small(i, hour) < 60 &&
                         Digits(hour + 1, 3) == hour + 3 && Small(hour + 1, hour + 3) < 60;
    return minutes && at(hour + 3) != ':' ? hour + 3 : i;
  }
  std::size_t end = hour;
  bool clock = false;
  if (at(hour) == ':' || at(hour) == 0xFF1A) {
    const std::size_t minute = Digits(hour + 1, 2);
    if (minute == hour + 3 && Small(hour + 1, minute) < 60) {
      clock = true, end = minute;
      if (at(end) == ':' && Digits(end + 1, 2) == end + 3) end += 3;
    }
  }
  if (!clock && at(hour) == '.' && Digits(hour + 1, 3) == hour + 3 &&
      Small(hour + 1, hour + 3) < 60) {  // "11.40 am", "at 11.40"
    const std::size_t after = SkipBlanks(hour + 3);
    const bool half_day = ((at(after) | 32) == 'a' || (at(after) | 32) == 'p') &&
                          (at(after + 1) | 32) == 'm' && !IsAsciiWord(at(after + 2));
    if (half_day) return after + 2;
    // "at 3.20 from the school"
    static constexpr std::string_view kThen[] = {"from", "on",       "and",   "for",   "in",
                                                 "with", "tomorrow", "today", "sharp", "outside",
                                                 "then", "to",       "please"};
    if (WordBefore(i) == "at" && (ClauseEndsAt(hour + 3) || Has(kThen, WordAt(hour + 3).first)))
      return hour + 3;
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

// "half past three", "a quarter to six", "ten past four", "midnight", "6 in the morning".
std::size_t DetailScanner::TimeByWord(std::size_t i) const {
  static constexpr std::string_view kParts[] = {"half", "quarter", "five",
                                                "ten",  "twenty",  "twenty-five"};
  static constexpr std::string_view kHours[] = {"one",  "two", "three",  "four",
                                                "five", "six", "seven",  "eight",
                                                "nine", "ten", "eleven", "twelve"};
  const auto [word, end] = WordAt(i);
  if (word == "noon" || word == "midnight" || word == "midday") return end;
  const auto is_hour = [&](std::size_t from, std::size_t* hour_end) {
    const auto [hour, past] = WordAt(from);
    *hour_end = past;
    const std::size_t digits = SkipBlanks(from);
    return Has(kHours, hour) ||
           (IsAsciiDigit(at(digits)) && Small(digits, past) <= 12 && past - digits <= 2);
  };
  std::size_t hour_end = 0;
  if (Has(kParts, word) || (IsAsciiDigit(at(i)) && end - i <= 2)) {
    const auto [joint, joint_end] = WordAt(end);
    if (word == "half" && Has(kHours, joint) && joint != "one" &&
        !Has(words::kUnits, WordAt(joint_end).first))
      return joint_end;
    if (joint == "past" && is_hour(joint_end, &hour_end)) return hour_end;
    const int minutes = IsAsciiDigit(at(i)) ? Small(i, end) : 5;
    if (joint == "to" && minutes % 5 == 0 && minutes <= 25 && minutes > 0 &&
        WordBefore(i) != "from" && is_hour(joint_end, &hour_end)) {
      // "five to ten people" is a range.
      static constexpr std::string_view kLeads[] = {"at",    "by",     "until", "till",  "around",
                                                    "about", "before", "after", "since", "from",
                                                    "a",     "is",     "it's",  "was"};
      if (word == "quarter" || Has(kLeads, WordBefore(i))) return hour_end;
    }
  }
  if (Has(kHours, word)) {
    const std::size_t bare = BareHour(i, end);
    if (bare > i) return bare;
  }
  return i;
}

// An hour alone, [begin, end): "at 10", "closes at six", "by 8", "7 in the morning".
std::size_t DetailScanner::BareHour(std::size_t begin, std::size_t end) const {
  if (IsAsciiDigit(at(begin)) && (end - begin > 2 || Small(begin, end) > 24)) return begin;
  const auto [after, after_end] = WordAt(end);
  if (after == "in") {
    const auto [the, the_end] = WordAt(after_end);
    const auto [part, part_end] = WordAt(the_end);
    static constexpr std::string_view kWhen[] = {"at",    "around", "about", "till", "until",
                                                 "by",    "from",   "to",    "past", "before",
                                                 "after", "and",    "or"};
    if (the == "the" &&
        (IsAsciiDigit(at(begin)) || Lower(begin, end) != "one" || Has(kWhen, WordBefore(begin))) &&
        (part == "morning" || part == "afternoon" || part == "evening"))
      return part_end;
  }
  static constexpr std::string_view kLeads[] = {"at", "by", "until", "till", "past"};
  const std::string lead = WordBefore(begin);
  // "between 2 and 4 pm"
  if (lead == "between" && after == "and" &&
      ClockTime(SkipBlanks(after_end)) > SkipBlanks(after_end))
    return end;
  // "open from 8 to 6", "we work from nine to five"
  if (lead == "from" || lead == "to") {
    static constexpr std::string_view kHours[] = {"open",  "opens", "hours", "daily",  "weekdays",
                                                  "shift", "work",  "works", "closed", "class"};
    std::size_t unused = 0;
    const std::string clause = Lower(ClauseStart(begin, 60), begin);
    // "from 9 to 5:30"
    const std::size_t clock = after == "to" ? SkipBlanks(after_end) : end;
    const bool hours = FindAnyWord(clause, kHours, &unused) != clause.npos ||
                       (lead == "from" && clock > end && ClockTime(clock) > clock);
    const bool small = !IsAsciiDigit(at(begin)) || Small(begin, end) <= 12;
    if (hours && small && (lead == "from" ? after == "to" : clause.find("from") != clause.npos))
      return end;
  }
  const bool hour = !IsAsciiDigit(at(begin)) || (Small(begin, end) <= 12 && Small(begin, end) > 0);
  // "7:30 to 9", "3 and 4 in the afternoon"
  const bool ranged = !details_.empty() && details_.back().kind == DetailKind::kTime &&
                      details_.back().end + 6 > offset_[begin] &&
                      (lead == "to" || lead == "and" || lead == "or" || lead == "til" ||
                       lead == "till" || lead == "until");
  if (ranged && hour && (ClauseEndsAt(end) || after == "on" || after == "every" || after == "in"))
    return end;
  if (hour && lead == "between" && after == "and") {
    const std::size_t second = SkipBlanks(after_end);
    const std::size_t second_end = AnyNumber(second);
    static constexpr std::string_view kComes[] = {
        "come",      "comes",      "arrive", "deliver", "visit",    "call",  "open",    "free",
        "meet",      "there",      "slot",   "window",  "delivery", "pick",  "drop",    "arrives",
        "delivered", "delivering", "home",   "coming",  "around",   "ready", "courier", "engineer"};
    std::size_t unused = 0;
    const bool comes =
        FindAnyWord(Lower(ClauseStart(begin, 60), begin), kComes, &unused) != std::string::npos ||
        (!details_.empty() && details_.back().kind == DetailKind::kDate &&
         details_.back().end + 12 > offset_[begin]);
    const std::string part = WordAt(WordAt(second_end).second).first;
    const bool in_day = WordAt(second_end).first == "in" && part == "the";
    if (second_end > second && second_end - second <= 2 &&
        (in_day || (comes && ClauseEndsAt(second_end))))
      return end;
  }
  if (hour && lead == "half" && IsAsciiDigit(at(begin)) &&
      (ClauseEndsAt(end) || after == "instead" || after == "on" || after == "for"))
    return end;
  // "half 5 instead of 5"
  if (hour && lead == "of" && ClauseEndsAt(end) && !details_.empty() &&
      details_.back().kind == DetailKind::kTime && details_.back().end + 14 > offset_[begin])
    return end;
  // "lunch is 12 to 12:30"
  if (hour && after == "to" &&
      (lead == "is" || lead == "are" || lead == "open" || lead == "work") &&
      ClockTime(SkipBlanks(after_end)) > SkipBlanks(after_end))
    return end;
  if (hour && IsAsciiDigit(at(begin)) && (lead == "after" || lead == "before") && ClauseEndsAt(end))
    return end;
  if (!Has(kLeads, lead)) {
    // "open nine"; "from six … to around ten": a time stands before.
    const bool again =
        (lead == "around" || lead == "about") &&
        std::any_of(details_.begin(), details_.end(), [&](const Detail& detail) {
          return detail.kind == DetailKind::kTime && detail.end + 80 > offset_[begin];
        });
    const bool dated =
        (lead == "around" || lead == "about") &&
        std::any_of(details_.begin(), details_.end(), [&](const Detail& detail) {
          return detail.kind == DetailKind::kDate && detail.end + 60 > offset_[begin];
        });
    if (lead != "open" && lead != "close" && !again && !dated) return begin;
  }
  if (at(end) == '%' || at(end) == '/' || at(end) == ':' || at(end) == '-' || at(end) == 0xB0 ||
      (at(end) == '.' && IsAsciiDigit(at(end + 1))))
    return begin;
  // "led by six"
  static constexpr std::string_view kMeasured[] = {
      "led",  "won",  "lost",      "up",        "down",    "ahead",   "beat",       "grew",
      "fell", "rose", "increased", "decreased", "dropped", "divided", "multiplied", "ran"};
  std::size_t measured_end = 0;
  if (lead == "by" && FindAnyWord(Lower(ClauseStart(begin, 24), begin), kMeasured, &measured_end) !=
                          std::string::npos)
    return begin;
  if (ClauseEndsAt(end) || at(end) == '"' || at(end) == 0x201D) {
    // "at 40", "by 20": no hours when the number is that of something else.
    return lead == "by" && !IsAsciiDigit(at(begin)) && Lower(begin, end) == "one" ? begin : end;
  }
  static constexpr std::string_view kFollow[] = {
      "and",  "or",   "on",   "sharp", "tomorrow", "tonight", "today", "every",  "instead",
      "for",  "with", "in",   "but",   "because",  "so",      "then",  "as",     "to",
      "when", "if",   "this", "next",  "already",  "exactly", "local", "latest", "at"};
  if (Has(kFollow, after) || Has(words::kWeekdays, after)) return end;
  return begin;
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

// 明天, 上个月, 去年夏天, 月底, 国庆节
std::size_t DetailScanner::ChineseRelativeDate(std::size_t i) const {
  static constexpr std::string_view kDays[] = {
      "大后天",   "大前天",   "明天",     "后天",     "昨天",     "前天",       "明日",
      "昨日",     "次日",     "明晚",     "明早",     "昨晚",     "昨夜",       "前晚",
      "后晚",     "上上周",   "下下周",   "上上个月", "下下个月", "上上个星期", "下下个星期",
      "下月初",   "上月初",   "下月底",   "上月底",   "下个月初", "下个月底",   "上个月初",
      "上个月底", "明年",     "明年初",   "明年底",   "去年底",   "去年初",     "后年",
      "去年",     "前年",     "大前年",   "上个月",   "下个月",   "上月",       "下月",
      "上周",     "下周",     "上星期",   "下星期",   "上个星期", "下个星期",   "上礼拜",
      "下礼拜",   "上个礼拜", "下个礼拜", "上个季度", "下个季度", "上季度",     "下季度",
      "上学期",   "下学期",   "月底",     "年底",     "月初",     "年初",       "月末",
      "年末",     "上个周末", "下个周末", "这周末",   "这个周末", "本周末",     "下周末",
      "上周末"};
  static constexpr std::string_view kFeasts[] = {
      "春节",   "元旦",   "除夕",     "元宵节",   "元宵",     "清明节", "清明",   "五一",
      "六一",   "端午节", "端午",     "中秋节",   "中秋",     "国庆节", "国庆",   "重阳节",
      "圣诞节", "圣诞",   "感恩节",   "情人节",   "七夕节",   "七夕",   "双十一", "双十二",
      "母亲节", "父亲节", "儿童节",   "劳动节",   "妇女节",   "教师节", "平安夜", "万圣节",
      "复活节", "腊八",   "大年三十", "大年初一", "大年初二", "年三十", "小年夜"};
  const std::size_t feast = PastAny(i, kFeasts);
  if (feast > i && !IsChineseNumeral(at(i - 1)) && !IsChineseNumeral(at(feast)) &&
      at(feast) != U'点' && at(feast) != U'号' && at(feast) != U'月')
    return Is(feast, "假期") || Is(feast, "假") ? feast : feast;
  // 腊月二十, 正月初五, 大年初三, 初五
  static constexpr std::string_view kLunar[] = {"腊月", "正月", "冬月", "大年"};
  const std::size_t lunar = PastAny(i, kLunar);
  const std::size_t early = at(lunar) == U'初' ? lunar + 1 : lunar;
  if (lunar > i || (at(i) == U'初' && (i == 0 || !IsCjkIdeograph(at(i - 1))))) {
    std::size_t day = early;
    while (day < early + 3 && (ChineseDigit(at(day)) > 0 || at(day) == U'十' || at(day) == U'廿'))
      ++day;
    if (day > early && !InList(at(day), "中高级次步期")) return day;
    if (lunar > i && !Is(i, "大年")) return Is(lunar, "里") ? lunar + 1 : lunar;
  }
  if ((Is(i, "上半年") || Is(i, "下半年")) && at(i - 1) != U'年') return i + 3;
  std::size_t end = PastAny(i, kDays);
  if (end == i) return i;
  if (Is(i, "上上周") || Is(i, "下下周")) {
    if (ChineseDigit(at(end)) > 0 || at(end) == U'日' || at(end) == U'末') ++end;
  }
  if (const std::size_t day = ChineseDate(i); day > end) end = day;  // 下周三
  const std::int32_t before = at(i - 1);
  // 以前天天, 马上周末, 三天后天气, 以上月薪
  if (InList(before, "以之马天月")) return i;
  if ((before == U'年' || before == U'月') && (at(i) == U'月' || at(i) == U'年')) return i;
  static constexpr std::string_view kSeasons[] = {"春天", "夏天", "秋天", "冬天", "春季", "夏季",
                                                  "秋季", "冬季", "暑假", "寒假", "年底", "年初"};
  if (at(end - 1) == U'年') {
    if (const std::size_t season = PastAny(end, kSeasons); season > end) return season;
    if (const std::size_t date = ChineseDate(end); date > end) return date;
    if (const std::size_t feast_of = PastAny(end, kFeasts); feast_of > end) return feast_of;
  }
  if (at(end - 1) == U'月' && end - i >= 2) {
    if (const std::size_t date = ChineseDate(end); date > end) return date;
  }
  return end;
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
      // 每周四节课, 一周三次: how often, not when.
      if (digit >= 1 && j == i && i > 0 && (at(i - 1) == U'每' || at(i - 1) == U'一') &&
          InList(at(day + 1), "节次个趟顿回遍堂场篇"))
        continue;
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
    static constexpr std::string_view kSeasons[] = {
        "春天", "夏天", "秋天", "冬天", "春季", "夏季", "秋季",   "冬季",   "春节", "国庆",
        "中秋", "年底", "年初", "底",   "初",   "末",   "上半年", "下半年", "暑假", "寒假"};
    if (const std::size_t season = PastAny(end, kSeasons); season > end) return season;
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
    } else if (IsAsciiDigit(at(month_begin)) && day > day_begin && day <= day_begin + 2 &&
               IsAsciiDigit(at(day_begin)) && Small(day_begin, day) <= 31 && ClauseEndsAt(day)) {
      end = day;  // 3月15
    } else if (day > end + 1 && !IsAsciiDigit(at(end))) {
      end = day;  // 八月十五
    } else if (at(end) == U'初' && ChineseDigit(at(end + 1)) > 0) {
      end += 2;  // 正月初一
    } else if (Is(end, "上旬") || Is(end, "中旬") || Is(end, "下旬")) {
      end += 2;
    } else if (at(end) == U'份' || at(end) == U'底' || at(end) == U'初' || at(end) == U'末') {
      ++end;
    }
  } else if (end == i) {
    const std::size_t day = Numeral(i, 3);
    if (day > i && (at(day) == U'号' || (at(day) == U'日' && IsAsciiDigit(at(i)))) &&
        !(at(day) == U'号' &&
          InList(at(day + 1), "楼线房门会机馆厅院桌柜球位车仓码店文台床公窗病铺摊")) &&
        !IsAsciiDigit(at(day + 1)) && !(i > 0 && InList(at(i - 1), "路街弄巷楼第住"))) {
      const bool in_range = !IsAsciiDigit(at(i)) || Small(i, day) <= 31;
      if (in_range) end = day + 1;
    }
  }
  return end;
}

std::size_t DetailScanner::ChineseTime(std::size_t i) const {
  static constexpr std::string_view kHalves[] = {"上午", "下午", "晚上", "早上", "中午", "凌晨",
                                                 "傍晚", "夜里", "半夜", "清晨", "早晨", "深夜"};
  if (Is(i, "正午") || Is(i, "午夜")) return i + 2;
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
  static constexpr std::string_view kCounted[] = {
      "建议", "要求", "意见", "原因", "理由", "想法", "问题", "内容", "不同", "说明",
      "体会", "经验", "感受", "启发", "疑问", "变化", "优势", "好处", "缺点", "优点",
      "区别", "共识", "结论", "需要", "注意", "钱",   "水",   "心",   "事",   "东西",
      "儿",   "意思", "关系", "进步", "一线", "收获", "心得"};
  if (j == i && !IsAsciiDigit(at(i)) && PastAny(hour + 1, kCounted) > hour + 1) return i;
  // 一点 alone is a little: 少喝一点, 暖和一点的.
  if (j == i && hour == j + 1 && at(j) == U'一' && at(hour + 1) != U'半' && at(hour + 1) != U'钟' &&
      at(hour + 1) != U'整' && at(hour + 1) != U'见' && at(hour + 1) != U'前' &&
      at(hour + 1) != U'一' && ChineseDigit(at(hour + 1)) < 0 && at(hour + 1) != U'十')
    return i;
  std::size_t end = hour + 1;
  if (at(end) == U'半' || at(end) == U'钟' || at(end) == U'整') return end + 1;
  if (at(end) == U'多') return end + 1;
  if (Is(end, "一刻") || Is(end, "三刻")) return end + 2;
  const std::size_t minute = Numeral(end, 3);
  if (minute > end && !(IsAsciiDigit(at(end)) && Small(end, minute) > 59))
    return at(minute) == U'分' && at(minute + 1) != U'钟' ? minute + 1 : minute;
  return end;
}

}  // namespace liubai::memory
