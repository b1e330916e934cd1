// Times of day.
#include <algorithm>

#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {

using words::Has;

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
