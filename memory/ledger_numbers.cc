// Numbers in digits and in words of both languages, and what the word after them makes of them.
#include <algorithm>

#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/lexicon.h"

namespace liubai::memory {

using words::Has;

namespace {

// Digits with separators as a plain number: no commas, no leading zeros, no trailing decimals.
std::string PlainNumber(std::string_view digits) {
  std::string out;
  for (char c : digits) {
    if (c != ',') out += c;
  }
  if (const auto dot = out.find('.'); dot != std::string::npos) {
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
  }
  std::size_t zeros = 0;
  while (zeros + 1 < out.size() && out[zeros] == '0' && out[zeros + 1] != '.') ++zeros;
  return out.substr(zeros);
}

}  // namespace

std::vector<std::string> NumbersIn(std::string_view text) { return DetailScanner(text).Numbers(); }

std::vector<std::string> DetailScanner::Numbers() const {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < size();) {
    if (IsAsciiDigit(at(i))) {
      const std::size_t end = NumberEnd(i);
      numbers.push_back(PlainNumber(NarrowText(i, end)));
      i = end;
    } else if (IsChineseNumeral(at(i))) {
      std::u32string digits;
      for (; i < size() && IsChineseNumeral(at(i)); ++i) digits += static_cast<char32_t>(at(i));
      numbers.push_back(std::to_string(ChineseValue(digits)));
    } else if (IsAsciiLetter(at(i)) && !IsAsciiWord(at(i - 1))) {
      std::int64_t value = 0;
      const std::size_t end = NumberWords(i, &value);
      if (end > i) numbers.push_back(std::to_string(value));
      i = end > i ? end : WordEnd(i);
    } else {
      ++i;
    }
  }
  return numbers;
}

// Past digits with thousands separators and a decimal part.
std::size_t DetailScanner::NumberEnd(std::size_t i) const {
  std::size_t end = i;
  while (IsAsciiDigit(at(end))) ++end;
  if (end - i <= 3) {
    while (at(end) == ',' && IsAsciiDigit(at(end + 1)) && IsAsciiDigit(at(end + 2)) &&
           IsAsciiDigit(at(end + 3)) && !IsAsciiDigit(at(end + 4)))
      end += 4;
  }
  if (at(end) == '.' && IsAsciiDigit(at(end + 1))) {
    ++end;
    while (IsAsciiDigit(at(end))) ++end;
  }
  if (IsVulgarFraction(at(end))) ++end;  // 3½
  return end;
}

// "twenty-five", "two hundred and ten": the end, or `i`. "one" alone is an article.
std::size_t DetailScanner::NumberWords(std::size_t i, std::int64_t* value) const {
  std::int64_t total = 0, section = 0;
  std::size_t end = i, j = i;
  int used = 0;
  std::string only;
  while (true) {
    const auto [word, word_end] = WordAt(j);
    if (word.empty()) break;
    if (const int n = EnglishNumber(word); n >= 0) {
      section += n;
    } else if (const std::int64_t scale = EnglishScale(word); scale > 0 && used > 0) {
      if (scale == 100) {
        section = std::max<std::int64_t>(1, section) * 100;
      } else {
        total += std::max<std::int64_t>(1, section) * scale;
        section = 0;
      }
    } else if (word == "and" && used > 0 && section >= 100) {
      j = word_end;
      continue;
    } else if (word == "dozen" && used == 0) {
      section = 12;
    } else {
      break;
    }
    only = word;
    ++used;
    end = word_end;
    j = at(end) == '-' ? end + 1 : end;
    if (at(j) != ' ' && at(end) != '-') break;
  }
  if (used == 0 || (used == 1 && (only == "one" || only == "zero"))) return i;
  if (value != nullptr) *value = total + section;
  return end;
}

// A number in digits, numerals or English words at `i`.
std::size_t DetailScanner::AnyNumber(std::size_t i) const {
  if (IsAsciiDigit(at(i))) {
    std::size_t end = NumberEnd(i);
    while (at(end) == U'万' || at(end) == U'亿' || at(end) == U'千') ++end;
    return end;
  }
  if (IsChineseNumeral(at(i))) {
    std::size_t end = i;
    while (IsChineseNumeral(at(end))) ++end;
    return end;
  }
  return IsAsciiLetter(at(i)) ? NumberWords(i, nullptr) : i;
}

// Past the second number of a range, a product or a ratio: "3–5", "two to four", 三到五, "220 x
// 95", 3比1; `end` when the number before it stands alone.
std::size_t DetailScanner::RangeEnd(std::size_t begin, std::size_t end) const {
  const bool digits = IsAsciiDigit(at(begin));
  std::size_t j = end;
  const std::int32_t c = at(j);
  if (digits && (c == '-' || c == 0x2013 || c == 0x2014 || c == '~' || c == ':')) {
    if (!IsAsciiDigit(at(j + 1))) return end;
    const std::size_t past = NumberEnd(j + 1);
    return IsAsciiLetter(at(past)) && at(past - 1) == '-' ? end : past;
  }
  if (c == U'到' || c == U'至' || c == U'比' || c == U'或') {
    const std::size_t past = AnyNumber(j + 1);
    if (past == j + 1 || c != U'比') return past == j + 1 ? end : past;
    return ClauseEndsAt(past) || !IsCjkIdeograph(at(past)) || InList(at(past), "赢输平的领落战")
               ? past
               : end;
  }
  j = SkipBlanks(j);
  if (digits && (at(j) == 'x' || at(j) == 'X' || at(j) == 0xD7)) {
    const std::size_t next = SkipBlanks(j + 1);
    if (!IsAsciiDigit(at(next))) return end;
    const std::size_t past = NumberEnd(next);
    return RangeEnd(next, past);
  }
  if (at(end) != ' ') return end;
  const auto [joint, joint_end] = WordAt(end);
  if (joint != "to" && joint != "or") return end;
  const std::size_t next = SkipBlanks(joint_end);
  const std::size_t past = AnyNumber(next);
  if (past == next || at(past) == ':' || at(past) == '%' || at(past) == U'%') return end;
  const auto [after, after_end] = WordAt(past);
  return after == "am" || after == "pm" ? end : past;
}

// Past what follows a unit: "km/h", "1 hour 20 minutes", "5 feet 4 inches".
std::size_t DetailScanner::AfterUnit(std::size_t end, std::string_view unit) const {
  if (at(end) == '/' && IsAsciiLetter(at(end + 1))) {
    static constexpr std::string_view kPer[] = {"h",     "s", "min", "hour", "day", "week",
                                                "month", "l", "ml",  "kg",   "m"};
    const std::size_t past = WordEnd(end + 1);
    if (Has(kPer, Lower(end + 1, past))) end = past;
  }
  if (const auto [more, more_end] = WordAt(end);
      (unit == "square" || unit == "cubic") && Has(words::kUnits, more)) {
    return more_end;
  } else if (unit == "degrees" && (more == "celsius" || more == "fahrenheit")) {
    return more_end;
  }
  std::size_t next = SkipBlanks(end);
  if (const auto [word, word_end] = WordAt(end); word == "and") next = SkipBlanks(word_end);
  const std::size_t number = AnyNumber(next);
  if (number == next) return end;
  const auto [smaller, smaller_end] = WordAt(number);
  return Has(words::kSmallerUnits, smaller) ? smaller_end : end;
}

// Past 半 and what a smaller unit adds: 十九度半, 五米二, 1小时52分.
std::size_t DetailScanner::AfterChineseUnit(std::size_t end) const {
  if (at(end) == U'半') return end + 1;
  const std::int32_t unit = at(end - 1);
  const bool digit = ChineseDigit(at(end)) > 0 || IsAsciiDigit(at(end));
  if ((unit == U'米' || unit == U'块' || unit == U'斤' || unit == U'秒') && digit &&
      !IsChineseNumeral(at(end + 1)) && !IsAsciiDigit(at(end + 1)) &&
      PastAny(end + 1, words::kChineseUnits) == end + 1)
    return end + 1;
  if (unit != U'时' && unit != U'分' && unit != U'钟' && unit != U'年' && unit != U'天' &&
      unit != U'米' && unit != U'斤')
    return end;
  const std::size_t next = SkipBlanks(end);
  const std::size_t number = AnyNumber(next);
  if (number == next) return end;
  static constexpr std::string_view kSmaller[] = {"两",   "分钟", "分",     "秒",
                                                  "个月", "厘米", "个小时", "小时"};
  const std::size_t past = PastAny(SkipBlanks(number), kSmaller);
  return past > SkipBlanks(number) ? past : end;
}

// "1. budget approved; 2. hiring": the mark of a list, when the next one follows.
bool DetailScanner::IsListMark(std::size_t begin, std::size_t end) const {
  if (end - begin > 2 || (at(end) != '.' && at(end) != ')') || at(end + 1) != ' ') return false;
  std::size_t before = begin;
  while (before > 0 && at(before - 1) == ' ') --before;
  const std::int32_t c = before == 0 ? '\n' : at(before - 1);
  const bool open = c == '\n' || c == ';' || c == ':' || c == U'：' || c == U'；' || c == U'。';
  if (!open && !(before < begin && !IsAsciiDigit(c))) return false;
  const int value = Small(begin, end);
  const auto mark = [&](int number) {
    return std::to_string(number) + static_cast<char>(at(end)) + ' ';
  };
  return text_.find(mark(value + 1)) != text_.npos ||
         (value > 1 && text_.find(mark(value - 1)) != text_.npos);
}

std::size_t DetailScanner::Number(std::size_t i) {
  if (const std::size_t end = NumericDate(i); end > i) return Add(DetailKind::kDate, i, end);
  // B区17号: a place of a hall.
  if (IsAsciiDigit(at(i)) && i > 0 && InList(at(i - 1), "区栋座位") && at(Digits(i, 4)) == U'号' &&
      ClauseEndsAt(Digits(i, 4) + 1))
    return Add(DetailKind::kIdentifier, i, Digits(i, 4) + 1);
  if (const std::size_t end = ChineseDate(i); end > i) return Add(DetailKind::kDate, i, end);
  if (const std::size_t end = ClockTime(i); end > i) return Add(DetailKind::kTime, i, end);
  if (const std::size_t end = ChineseTime(i); end > i) return Add(DetailKind::kTime, i, end);
  return IsAsciiDigit(at(i)) ? DigitNumber(i) : ChineseNumber(i);
}

std::size_t DetailScanner::DigitNumber(std::size_t i) {
  std::size_t end = NumberEnd(i);
  if (IsListMark(i, end)) return end + 1;
  // 3-502 is a flat: too far apart for a range.
  if (at(end) == '-' && end - i <= 2 && Digits(end + 1, 5) == end + 4 &&
      PastAny(end + 4, words::kChineseUnits) == end + 4 && !IsAsciiLetter(at(end + 4)) &&
      !Has(words::kUnits, WordAt(end + 4).first))
    return Add(DetailKind::kIdentifier, i, end + 4);
  // "5 March 2024", "5th of March", "3 to 7 May"
  if (const std::size_t date = DayThenMonth(i, end); date > i)
    return Add(DetailKind::kDate, i, date);
  if (const std::size_t street = StreetAfter(i); street > i)
    return Add(DetailKind::kPlace, i, street);
  const std::string suffix = Lower(end, std::min(end + 2, size()));
  if ((suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th") &&
      !IsAsciiWord(at(end + 2))) {
    return Add(IsDayOfMonth(i, end + 2) ? DetailKind::kDate : DetailKind::kNumber, i, end + 2);
  }
  if (const std::size_t hour = BareHour(i, end); hour > i) return Add(DetailKind::kTime, i, hour);
  if (end - i == 4 && (at(i) == '1' || at(i) == '2') && IsYear(i) && at(end) != '%') {
    const std::string after = WordAt(end).first;
    if ((Has(words::kYearLeads, WordBefore(i)) || FollowsYear(i)) && !Has(words::kUnits, after) &&
        !Has(words::kCurrencyWords, after)) {
      return Add(DetailKind::kDate, i, end);
    }
  }
  // "a 2014 Skoda"
  if (end - i == 4 && IsYear(i) && at(end) == ' ') {
    static constexpr std::string_view kOf[] = {"a", "my", "the", "his", "her", "our", "their"};
    const std::string after = WordAt(end).first;
    if (Has(kOf, WordBefore(i)) && (IsBrand(after) || IsUpper(at(end + 1))))
      return Add(DetailKind::kDate, i, end);
  }
  if (at(end) == 'p' && end - i == 2 && !IsAsciiWord(at(end + 1)))  // 20p
    return Add(DetailKind::kMoney, i, end + 1);
  if (at(end) == 's' && end - i == 4) return Add(DetailKind::kDate, i, end + 1);  // 1990s
  if (const std::size_t decade = DecadeAt(i); decade > i && WordBefore(i) == "the")
    return Add(DetailKind::kDate, i, decade);
  // "born in '98", and a year that is all that is said.
  const bool cut = end - i == 2 && at(i - 1) == '\'' && Has(words::kYearLeads, WordBefore(i - 1));
  if (cut) return Add(DetailKind::kDate, i - 1, end);
  if (end - i == 4 && end == size() && i == 0 && IsYear(i)) return Add(DetailKind::kDate, i, end);
  // 3号床, B区17号
  if (Is(end, "号床") || Is(end, "号病床") || Is(end, "号工位") || Is(end, "号柜"))
    return Add(DetailKind::kIdentifier, i,
               end + (at(end + 1) == U'床' || at(end + 1) == U'柜' ? 2 : 3));
  // 048812
  if (at(i) == '0' && Digits(i, 12) == end && end - i >= 5 && !IsAsciiWord(at(end)))
    return Add(DetailKind::kIdentifier, i, end);
  // 12床, 9床: a bed of a ward.
  if (at(end) == U'床' && (ClauseEndsAt(end + 1) || IsCjkIdeograph(at(end + 1))) && end - i <= 3 &&
      !InList(at(end + 1), "被单垫子罩"))
    return Add(DetailKind::kIdentifier, i, end + 1);
  // 包间302, 工位17, 302会议室: which of the rooms.
  static constexpr std::string_view kRoomWords[] = {
      "包间", "包厢",   "工位", "车位", "窗口", "会议室", "教室", "分机", "卡座",
      "柜子", "储物柜", "房间", "座位", "桌号", "诊室",   "排号", "床位"};
  static constexpr std::string_view kRooms[] = {"教室", "会议室", "包间", "包厢",
                                                "诊室", "房间",   "房"};
  if (const std::string_view before = Bytes(0, i);
      Bytes(i, end).find('.') == std::string_view::npos &&
      PastAny(end, words::kChineseMoney) == end &&
      ((PastAny(end, words::kChineseUnits) == end &&
        std::any_of(std::begin(kRoomWords), std::end(kRoomWords),
                    [&](std::string_view word) { return before.ends_with(word); })) ||
       (end - i >= 3 && end - i <= 4 && PastAny(end, kRooms) > end)))
    return Add(DetailKind::kIdentifier, i, end);
  // 3号楼609: the door.
  if (!details_.empty() && details_.back().end == offset_[i] && end - i >= 3 && end - i <= 4 &&
      details_.back().kind == DetailKind::kNumber && InList(at(i - 1), "楼栋元座") &&
      ClauseEndsAt(end))
    return Add(DetailKind::kIdentifier, i, end);
  // 安卓14, 鸿蒙4
  static constexpr std::string_view kSystems[] = {"安卓", "鸿蒙", "苹果", "系统版本"};
  if (const std::string_view before = Bytes(0, i);
      PastAny(end, words::kChineseUnits) == end &&
      std::any_of(std::begin(kSystems), std::end(kSystems),
                  [&](std::string_view system) { return before.ends_with(system); }))
    return Add(DetailKind::kIdentifier, i, end);
  // "Postgres 14.2, not 15"
  if (details_.size() > 1 && details_.back().kind == DetailKind::kIdentifier && end - i <= 5 &&
      details_[details_.size() - 2].kind == DetailKind::kName &&
      details_[details_.size() - 2].end + 1 == details_.back().begin &&
      details_.back().end + 14 > offset_[i] && ClauseEndsAt(end) &&
      IsAsciiDigit(static_cast<unsigned char>(details_.back().text.front()))) {
    const std::string lead = WordBefore(i);
    if (lead == "not" || lead == "to" || lead == "and" || lead == "or" || lead == "on")
      return Add(DetailKind::kIdentifier, i, end);
  }
  // "Python 3.11", "Java 17"
  if (!details_.empty() &&
      (Bytes(i, end).find('.') != std::string_view::npos || IsTool(details_.back().text)) &&
      details_.back().kind == DetailKind::kName && i > 0 && details_.back().end == offset_[i - 1] &&
      at(i - 1) == ' ') {
    const std::string after = WordAt(end).first;
    if (!Has(words::kUnits, after) && !Has(words::kCurrencyWords, after) && at(end) != '%')
      return Add(DetailKind::kIdentifier, i, end);
  }
  // "version 4.0", 升级到4.0
  if (Bytes(i, end).find('.') != std::string_view::npos &&
      (ClauseEndsAt(end) || InList(at(end), "了的吧会有就后之"))) {
    static constexpr std::string_view kVersions[] = {"版本",   "版本号", "升到",   "升级到",
                                                     "更新到", "发布",   "个月发", "升级到了",
                                                     "回退到", "回滚到", "版本是", "版本为"};
    const std::string_view before = TrimmedView(Bytes(ClauseStart(i, 12), i), kBlanks);
    const std::string lead = WordBefore(i);
    if (lead == "version" || lead == "release" ||
        std::any_of(std::begin(kVersions), std::end(kVersions),
                    [&](std::string_view cue) { return before.ends_with(cue); }))
      return Add(DetailKind::kIdentifier, i, end);
  }
  if (at(end) == '/' && IsAsciiDigit(at(end + 1))) {
    const std::size_t fraction = NumberEnd(end + 1);
    const auto [unit, unit_end] = WordAt(fraction);
    return Add(DetailKind::kNumber, i, Has(words::kUnits, unit) ? unit_end : fraction);
  }
  while (at(end) == U'万' || at(end) == U'亿' || at(end) == U'千') ++end;
  // 21万9: of money only.
  if (at(end - 1) == U'万' && IsAsciiDigit(at(end)) && !IsAsciiDigit(at(end + 1)) &&
      PastAny(end + 1, words::kChineseUnits) == end + 1)
    return Add(DetailKind::kMoney, i, end + 1);
  if (at(end) == U'多' || at(end) == U'几') ++end;
  return Quantity(i, end);
}

std::size_t DetailScanner::ChineseNumber(std::size_t i) {
  if (at(i) == U'第') {
    std::size_t end = i + 1;
    while (IsAsciiDigit(at(end)) || IsChineseNumeral(at(end))) ++end;
    if (end == i + 1) return end;
    const std::size_t unit = PastAny(end, words::kChineseUnits);
    // 第一次 and 第一 are talk mostly, 第一名 is a rank.
    if (end == i + 2 && at(i + 1) == U'一' && !InList(at(end), "名位章页行层排级季集届期"))
      return end;
    return Add(DetailKind::kNumber, i, unit);
  }
  if (const std::size_t word = PastAny(i, words::kNumeralWords); word > i && !Is(i, "十分钟"))
    return word;
  if (const std::size_t saying = ChineseIdiomBytes(text_.substr(offset_[i]));
      saying > 0 && at(i + 1) != U'室')
    return i + CountCodePoints(text_.substr(offset_[i], saying));
  // 押一付三: months of a deposit and of rent.
  if ((at(i - 1) == U'押' && at(i + 1) == U'付') || (at(i - 1) == U'付' && at(i - 3) == U'押'))
    return i + 1;
  std::size_t end = i;
  bool only_scales = true, scaled = false;
  while (IsChineseNumeral(at(end))) {
    only_scales &= ChineseScale(at(end)) > 0;
    scaled |= ChineseScale(at(end++)) > 0;
  }
  // 两万八一平: what each costs.
  if (end > i + 2 && at(end - 1) == U'一' && ChineseDigit(at(end - 2)) > 0 && scaled &&
      PastAny(end, words::kChineseUnits) > end)
    --end;
  if (Is(end, "分之") && IsChineseNumeral(at(end + 2))) {  // 三分之一
    std::size_t part = end + 2;
    while (IsChineseNumeral(at(part))) ++part;
    return Add(DetailKind::kNumber, i, PastAny(part, words::kChineseUnits));
  }
  if (at(end) == U'点' && ChineseDigit(at(end + 1)) >= 0 && ChineseDigit(at(i)) >= 0) {  // 三点五
    std::size_t part = end + 1;
    while (ChineseDigit(at(part)) >= 0) ++part;
    end = part;
  }
  if (at(end) == U'多' || at(end) == U'几') {
    ++end;
    if (at(end) == U'万' || at(end) == U'亿' || at(end) == U'千' || at(end) == U'百') ++end;
  } else if (at(end) == U'来' && end > i + 1 && PastAny(end + 1, words::kChineseUnits) > end + 1) {
    ++end;  // 四十来岁
  }
  const bool half = at(end) == U'半';
  const auto measured = [&](std::size_t from) {
    return PastAny(from, words::kChineseUnits) > from || PastAny(from, words::kChineseMoney) > from;
  };
  if (end == i + 1 && ChineseScale(at(i)) != 10 && (at(i) == U'一' || ChineseScale(at(i)) > 0)) {
    // 一个, 万一, 千万: words, but 一岁, 一公斤 and 一个半小时 are quantities.
    static constexpr std::string_view kMeasured[] = {"公斤", "公里", "小时", "岁", "斤",
                                                     "万",   "个半", "千克", "克", "米",
                                                     "升",   "公顷", "吨",   "亩", "度半"};
    const bool amount = at(i) == U'一' && PastAny(end, kMeasured) > end && !Is(end, "米阳光");
    if (!amount && at(i) == U'一' && RangeEnd(i, end) > end) return Quantity(i, end);
    if (!amount) return end;
  }
  if (only_scales && end == i + 2 && Is(i, "千万")) return end;
  if (end == i + 1 && !half) {  // One numeral counts only before a measure or money.
    if (at(i) == U'十' && Is(end, "分") && !Is(end, "分钟")) return end;
    const std::size_t range = RangeEnd(i, end);
    const bool percent = at(end) == U'成';
    if (!measured(end) && range == end && !percent && !AboutMoney(i, end)) return end;
    if (percent && !measured(end)) {
      if (!(ClauseEndsAt(end + 1) || InList(at(end + 1), "的左以人客了多"))) return end;
    }
  }
  // 七八 is some; 二〇二四 is digits.
  if (end == i + 2 && !scaled && !measured(end)) return end;
  return Quantity(i, end);
}

int DetailScanner::Small(std::size_t begin, std::size_t end) const {
  int value = 0;
  for (std::size_t i = begin; i < end; ++i) value = std::min(value * 10 + (at(i) - '0'), 9999);
  return value;
}

std::size_t DetailScanner::Digits(std::size_t i, std::size_t most) const {
  std::size_t end = i;
  while (end < i + most && IsAsciiDigit(at(end))) ++end;
  return end;
}

std::size_t DetailScanner::Numeral(std::size_t i, std::size_t most) const {
  std::size_t end = i;
  if (IsAsciiDigit(at(i))) {
    while (end < i + most && IsAsciiDigit(at(end))) ++end;
  } else {
    while (end < i + most && IsChineseNumeral(at(end)) && at(end) != U'万' && at(end) != U'亿')
      ++end;
  }
  return end;
}

}  // namespace liubai::memory
