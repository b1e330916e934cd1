#include "memory/said_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "core/text.h"
#include "memory/essence.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

struct Named {
  std::string_view word;
  std::string_view name;
};
// The longer ones first where one holds another: 美元 before 元.
constexpr Named kCurrencies[] = {
    {"us$", "usd"},      {"dollar", "usd"}, {"usd", "usd"},  {"bucks", "usd"},  {"美元", "usd"},
    {"美金", "usd"},     {"euro", "eur"},   {"eur", "eur"},  {"欧元", "eur"},   {"€", "eur"},
    {"pound", "gbp"},    {"gbp", "gbp"},    {"英镑", "gbp"}, {"£", "gbp"},      {"日元", "jpy"},
    {"yen", "jpy"},      {"jpy", "jpy"},    {"港币", "hkd"}, {"港元", "hkd"},   {"yuan", "cny"},
    {"renminbi", "cny"}, {"rmb", "cny"},    {"cny", "cny"},  {"人民币", "cny"}, {"¥", "cny"},
    {"￥", "cny"},       {"块", "cny"},     {"元", "cny"},   {"franc", "chf"},  {"chf", "chf"},
    {"rupee", "inr"},    {"cent", "cent"},  {"$", "usd"}};
constexpr Named kQuantities[] = {
    {"week", "week"},     {"星期", "week"},     {"礼拜", "week"},     {"周", "week"},
    {"day", "day"},       {"天", "day"},        {"month", "month"},   {"个月", "month"},
    {"year", "year"},     {"岁", "year"},       {"年", "year"},       {"hour", "hour"},
    {"hrs", "hour"},      {"小时", "hour"},     {"minute", "minute"}, {"mins", "minute"},
    {"分钟", "minute"},   {"second", "second"}, {"秒", "second"},     {"kilometer", "km"},
    {"kilometre", "km"},  {"km", "km"},         {"公里", "km"},       {"千米", "km"},
    {"centimeter", "cm"}, {"centimetre", "cm"}, {"cm", "cm"},         {"厘米", "cm"},
    {"mile", "mile"},     {"英里", "mile"},     {"kilo", "kg"},       {"kg", "kg"},
    {"公斤", "kg"},       {"千克", "kg"},       {"gram", "g"},        {"lb", "lb"},
    {"ounce", "oz"},      {"feet", "foot"},     {"foot", "foot"},     {"英尺", "foot"},
    {"inch", "inch"},     {"英寸", "inch"},     {"meter", "m"},       {"metre", "m"},
    {"liter", "litre"},   {"litre", "litre"}};

template <class List>
std::string_view NameIn(std::string_view text, const List& list) {
  for (const Named& one : list) {
    const auto at = text.find(one.word);
    if (at == text.npos) continue;
    // "day" is not in "yesterday", "eur" not in "euro" (found before it).
    const bool letters = IsAsciiLetter(static_cast<unsigned char>(one.word[0]));
    if (letters && at > 0 && IsAsciiLetter(static_cast<unsigned char>(text[at - 1]))) continue;
    return one.name;
  }
  return "";
}

int Month(std::string_view word) {
  for (std::size_t i = 0; i < std::size(words::kMonths); ++i) {
    if (word != words::kMonths[i]) continue;
    if (i < 12) return static_cast<int>(i) + 1;
    for (std::size_t m = 0; m < 12; ++m) {
      if (words::kMonths[m].starts_with(word.substr(0, 3))) return static_cast<int>(m) + 1;
    }
  }
  return 0;
}

// Words of ASCII letters and runs of digits, in order, lower case.
std::vector<std::string> WordsIn(std::string_view lower) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < lower.size();) {
    const auto c = static_cast<unsigned char>(lower[i]);
    std::size_t end = i;
    if (IsAsciiLetter(c)) {
      while (end < lower.size() && IsAsciiLetter(static_cast<unsigned char>(lower[end]))) ++end;
    } else if (IsAsciiDigit(c)) {
      while (end < lower.size() && IsAsciiDigit(static_cast<unsigned char>(lower[end]))) ++end;
    }
    if (end > i) out.emplace_back(lower.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return out;
}

std::optional<int> SmallNumber(std::string_view word) {
  const auto numbers = NumbersIn(word);
  if (numbers.size() != 1 || numbers[0].size() > 4 || numbers[0].find('.') != std::string::npos)
    return std::nullopt;
  return std::atoi(numbers[0].c_str());
}

void AddDay(int month, int day, Values* values) {
  if (month < 1 || month > 12) return;
  values->insert(fmt::format("mo:{}", month));
  if (day >= 1 && day <= 31) values->insert(fmt::format("md:{}-{}", month, day));
}

// Months, days of the year and of the week in a text of either language.
void AddDates(std::string_view text, Values* values) {
  const std::string lower = ToLowerUtf8(text);
  const auto parts = WordsIn(lower);
  const auto day_at = [&](std::size_t i) -> int {
    if (i >= parts.size() || !IsAsciiDigit(static_cast<unsigned char>(parts[i][0]))) return 0;
    return parts[i].size() <= 2 ? std::atoi(parts[i].c_str()) : 0;
  };
  const auto joins = [&](std::size_t i) {
    return i < parts.size() && (parts[i] == "st" || parts[i] == "nd" || parts[i] == "rd" ||
                                parts[i] == "th" || parts[i] == "of" || parts[i] == "the");
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const int month = Month(parts[i]); month > 0) {
      // "may" is mostly no month.
      std::size_t before = i;
      while (before > 0 && joins(before - 1)) --before;
      const int earlier = before > 0 ? day_at(before - 1) : 0;
      const int later = day_at(joins(i + 1) ? i + 2 : i + 1);
      const bool sure = parts[i] != "may" && parts[i] != "march" && parts[i] != "mar" &&
                        parts[i] != "sep" && parts[i] != "dec" && parts[i] != "jan";
      if (sure || earlier > 0 || later > 0) AddDay(month, earlier > 0 ? earlier : later, values);
      if (earlier > 0 && later > 0) AddDay(month, later, values);
    }
    for (std::size_t d = 0; d < std::size(words::kWeekdays); ++d) {
      if (parts[i].starts_with(words::kWeekdays[d])) values->insert(fmt::format("wd:{}", d + 1));
    }
  }
  // 2024-05-14, 2024/5/14, 14.5.2024: digits with one mark between them.
  for (std::size_t i = 0; i + 2 < parts.size(); ++i) {
    const int a = day_at(i), b = day_at(i + 1), c = day_at(i + 2);
    const auto year = [&](std::size_t at) {
      return parts[at].size() == 4 && IsAsciiDigit(static_cast<unsigned char>(parts[at][0]));
    };
    if (year(i) && b > 0 && c > 0) AddDay(b, c, values);
    if (year(i + 2) && a > 0 && b > 0) AddDay(a, b, values), AddDay(b, a, values);
  }
  // 5月14日, 五月十四号, 下个月 has none; 周三, 星期日.
  constexpr std::string_view kMonth = "月";
  for (auto at = text.find(kMonth); at != text.npos; at = text.find(kMonth, at + 1)) {
    std::size_t begin = at;
    while (begin > 0) {
      const std::size_t one = IsAsciiDigit(static_cast<unsigned char>(text[begin - 1])) ? 1 : 3;
      if (begin < one || at - begin > 8) break;
      const std::int32_t c = DecodeUtf8(text, begin - one).value;
      if (one == 3 && !IsChineseNumeral(c)) break;
      begin -= one;
    }
    const auto month = SmallNumber(text.substr(begin, at - begin));
    if (!month || begin == at) continue;
    std::size_t end = at + kMonth.size();
    while (end < text.size()) {
      const DecodedCodePoint c = DecodeUtf8(text, end);
      if (!IsAsciiDigit(c.value) && !IsChineseNumeral(c.value)) break;
      end += c.length;
    }
    const auto day = SmallNumber(text.substr(at + kMonth.size(), end - at - kMonth.size()));
    AddDay(*month, day.value_or(0), values);
  }
  static constexpr std::string_view kWeek[] = {"星期", "礼拜", "周"};
  static constexpr std::string_view kDays[] = {"一", "二", "三", "四", "五", "六", "日", "天"};
  for (std::string_view week : kWeek) {
    for (auto at = text.find(week); at != text.npos; at = text.find(week, at + 1)) {
      for (std::size_t d = 0; d < std::size(kDays); ++d) {
        if (!text.substr(at + week.size()).starts_with(kDays[d])) continue;
        values->insert(fmt::format("wd:{}", std::min<std::size_t>(d, 6) + 1));
      }
    }
  }
}

void AddTime(std::string_view text, Values* values) {
  const std::string lower = ToLowerUtf8(text);
  std::vector<int> numbers;
  for (const std::string& number : NumbersIn(lower)) {
    if (number.size() <= 2) numbers.push_back(std::atoi(number.c_str()));
  }
  if (numbers.empty() || numbers[0] > 24) return;
  int hour = numbers[0];
  int minute = numbers.size() > 1 && numbers[1] < 60 ? numbers[1] : 0;
  std::string_view half;
  if (words::Holds(lower, {"am", "a.m", "凌晨", "早上", "上午", "清晨", "morning"})) half = "am";
  if (words::Holds(lower, {"pm", "p.m", "下午", "晚上", "傍晚", "夜里", "evening", "afternoon"}))
    half = "pm";
  if (words::Holds(lower, {"half past", "点半"})) minute = 30;
  if (words::Holds(lower, {"quarter past", "一刻"})) minute = 15;
  if (words::Holds(lower, {"quarter to", "三刻"})) {
    minute = 45;
    if (lower.find("quarter to") != lower.npos) --hour;
  }
  if (hour > 12 && half.empty()) half = "pm";
  if (hour > 12) hour -= 12;
  if (hour == 0) hour = 12;
  values->insert(fmt::format("t:{}:{:02}", hour, minute));
  if (!half.empty()) values->insert(fmt::format("ap:{}:{:02}:{}", hour, minute, half));
}

// "half past three", "a quarter to six", "ten o'clock": a number with words around it.
void AddSpokenTimes(std::string_view text, Values* values) {
  const std::string lower = ToLowerUtf8(text);
  for (std::string_view lead : {"half past ", "quarter past ", "quarter to "}) {
    for (auto at = lower.find(lead); at != lower.npos; at = lower.find(lead, at + 1)) {
      const std::string_view rest = std::string_view(lower).substr(at + lead.size());
      const std::string_view hour = rest.substr(0, std::min(rest.find(' '), rest.size()));
      if (NumbersIn(hour).size() == 1) AddTime(std::string(lead) + std::string(hour), values);
    }
  }
}

// The numbers of a value; "1.5k", "2 million" and 50万 as what they amount to.
std::vector<std::string> Amounts(std::string_view text) {
  struct Scale {
    std::string_view word;
    double by;
  };
  static constexpr Scale kScales[] = {{"thousand", 1e3}, {"million", 1e6}, {"billion", 1e9},
                                      {"k", 1e3},        {"万", 1e4},      {"亿", 1e8}};
  std::vector<std::string> numbers = NumbersIn(text);
  if (text.find("百分之") != text.npos) std::erase(numbers, "100");
  const std::string lower = ToLowerUtf8(text);
  std::size_t end = lower.find_first_of("0123456789");
  if (end == lower.npos) return numbers;
  const std::size_t begin = end;
  while (end < lower.size() && (IsAsciiDigit(static_cast<unsigned char>(lower[end])) ||
                                lower[end] == '.' || lower[end] == ','))
    ++end;
  const std::string_view rest = Trim(std::string_view(lower).substr(end));
  for (const Scale& scale : kScales) {
    const std::string_view behind = rest.substr(std::min(scale.word.size(), rest.size()));
    if (!rest.starts_with(scale.word) ||
        (!behind.empty() && IsAsciiLetter(static_cast<unsigned char>(scale.word[0])) &&
         IsAsciiLetter(static_cast<unsigned char>(behind[0]))))
      continue;
    const auto plain = NumbersIn(lower.substr(begin, end - begin));
    if (plain.size() == 1) return {fmt::format("{:.0f}", std::stod(plain[0]) * scale.by)};
  }
  return numbers;
}

void AddQuantities(std::string_view lower, const std::vector<std::string>& numbers,
                   Values* values) {
  const std::string_view unit = NameIn(lower, kQuantities);
  for (const std::string& number : numbers) {
    values->insert("n:" + number);
    if (!unit.empty()) values->insert(fmt::format("u:{}:{}", unit, number));
  }
}

}  // namespace

Values ValuesOf(const Detail& detail) {
  Values values;
  const std::string lower = ToLowerUtf8(detail.text);
  const auto numbers = Amounts(detail.text);
  switch (detail.kind) {
    case DetailKind::kMoney: {
      const std::string_view currency = NameIn(lower, kCurrencies);
      for (const std::string& number : numbers) {
        values.insert("n:" + number);
        if (!currency.empty()) values.insert(fmt::format("m:{}:{}", currency, number));
      }
      break;
    }
    case DetailKind::kPercent:
      for (const std::string& number : numbers) {
        values.insert("n:" + number);
        values.insert("%:" + number);
      }
      break;
    case DetailKind::kTime:
      AddTime(detail.text, &values);
      break;
    case DetailKind::kDate:
      AddDates(detail.text, &values);
      for (const std::string& number : numbers) {
        // A month and its day are compared together, a year by itself.
        if (number.size() == 4) values.insert("n:" + number);
      }
      // "in three weeks": a quantity of time.
      if (values.empty()) AddQuantities(lower, numbers, &values);
      break;
    case DetailKind::kNumber:
      AddQuantities(lower, numbers, &values);
      break;
    default:
      break;
  }
  return values;
}

Values ValuesOf(std::string_view text) {
  Values values;
  for (const Detail& detail : ExtractDetails(text)) values.merge(ValuesOf(detail));
  AddDates(text, &values);
  AddSpokenTimes(text, &values);
  return values;
}

Values ValuesOfDay(std::int64_t time_ms, std::string_view text) {
  Values values;
  const std::string lower = ToLowerUtf8(text);
  const auto add = [&](std::int64_t day_ms) {
    const std::string day = FormatDay(day_ms);
    AddDates(day, &values);
    values.insert("n:" + day.substr(0, 4));
    const std::int64_t days = day_ms >= 0 ? day_ms / kDayMs : (day_ms - kDayMs + 1) / kDayMs;
    values.insert(fmt::format("wd:{}", ((days + 3) % 7 + 7) % 7 + 1));  // 1970 began on a Thursday.
  };
  add(time_ms);
  if (words::Holds(lower, {"tomorrow", "明天"})) add(time_ms + kDayMs);
  if (words::Holds(lower, {"yesterday", "昨天"})) add(time_ms - kDayMs);
  if (words::Holds(lower, {"后天", "day after tomorrow"})) add(time_ms + 2 * kDayMs);
  if (words::Holds(lower, {"前天", "day before yesterday"})) add(time_ms - 2 * kDayMs);
  return values;
}

}  // namespace liubai::memory
