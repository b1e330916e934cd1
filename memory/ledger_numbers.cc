// Numbers in digits and in words of both languages, and what the word after them makes of them.
#include <algorithm>
#include <tuple>

#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {

using words::Has;

int ChineseDigit(std::int32_t c) {
  switch (c) {
    case U'零':
    case U'〇':
      return 0;
    case U'一':
      return 1;
    case U'二':
    case U'两':
      return 2;
    case U'三':
      return 3;
    case U'四':
      return 4;
    case U'五':
      return 5;
    case U'六':
      return 6;
    case U'七':
      return 7;
    case U'八':
      return 8;
    case U'九':
      return 9;
    default:
      return -1;
  }
}
std::int64_t ChineseScale(std::int32_t c) {
  switch (c) {
    case U'十':
      return 10;
    case U'百':
      return 100;
    case U'千':
      return 1000;
    case U'万':
      return 10'000;
    case U'亿':
      return 100'000'000;
    default:
      return 0;
  }
}

namespace {

std::int64_t ParseChineseNumeral(std::u32string_view text) {
  bool scaled = false;
  for (char32_t c : text) scaled |= ChineseScale(c) > 0;
  std::int64_t total = 0, section = 0, digit = 0, last_scale = 0;
  if (!scaled) {  // Read digit by digit, as years and telephone numbers are.
    for (char32_t c : text) {
      if (total > 100'000'000'000'000) break;
      total = total * 10 + ChineseDigit(c);
    }
    return total;
  }
  for (char32_t c : text) {
    if (const int d = ChineseDigit(c); d >= 0) {
      digit = d;
      if (d == 0) last_scale = 0;
      continue;
    }
    const std::int64_t scale = ChineseScale(c);
    if (scale >= 10'000) {
      total = (total + section + digit) * scale;
      section = 0;
    } else {
      section += (digit == 0 && section == 0 ? 1 : digit) * scale;
    }
    digit = 0;
    last_scale = scale;
  }
  // 三百二 is 320: the last digit stands for the scale below.
  return total + section + (last_scale >= 100 ? digit * last_scale / 10 : digit);
}

int EnglishNumber(std::string_view lower) {
  static constexpr std::string_view kSmall[] = {
      "zero",     "one",     "two",     "three",     "four",     "five",    "six",
      "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
      "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  static constexpr std::string_view kTens[] = {"twenty", "thirty",  "forty",  "fifty",
                                               "sixty",  "seventy", "eighty", "ninety"};
  for (int i = 0; i < 20; ++i) {
    if (lower == kSmall[i]) return i;
  }
  for (int i = 0; i < 8; ++i) {
    if (lower == kTens[i]) return 20 + 10 * i;
  }
  return -1;
}
std::int64_t EnglishScale(std::string_view lower) {
  if (lower == "hundred") return 100;
  if (lower == "thousand") return 1000;
  if (lower == "million") return 1'000'000;
  if (lower == "billion") return 1'000'000'000;
  return 0;
}

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
      numbers.push_back(std::to_string(ParseChineseNumeral(digits)));
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
  return end;
}

std::size_t DetailScanner::MoneyAfterSign(std::size_t i) const {
  const std::size_t digits = SkipBlanks(i + 1);
  if (!IsAsciiDigit(at(digits))) return i;
  std::size_t end = NumberEnd(digits);
  if ((at(end) | 32) == 'k' || (at(end) | 32) == 'm' || (at(end) | 32) == 'b') {
    if (!IsAsciiWord(at(end + 1))) return end + 1;
  }
  if (at(end) == U'万' || at(end) == U'亿') return end + 1;
  const auto [word, word_end] = WordAt(end);
  return Has(words::kScales, word) ? word_end : end;
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

// What follows a number says what it is: money, percent, a time, a unit.
std::size_t DetailScanner::Quantity(std::size_t begin, std::size_t end) {
  if (at(end) == '%') return Add(DetailKind::kPercent, begin, end + 1);
  const auto [word, word_end] = WordAt(end);
  if (word == "percent") return Add(DetailKind::kPercent, begin, word_end);
  std::size_t scale_end = end;
  std::string unit = word;
  std::size_t unit_end = word_end;
  if (Has(words::kScales, word)) {
    scale_end = word_end;
    std::tie(unit, unit_end) = WordAt(word_end);
  }
  if ((unit == "k" || unit == "K") && unit_end == end + 1) scale_end = unit_end;
  if (unit == "pounds" || unit == "pound") {
    const auto [next, next_end] = WordAt(unit_end);
    if (next == "heavier" || next == "lighter") unit = "lbs";
  }
  if (Has(words::kCurrencyWords, unit)) return Add(DetailKind::kMoney, begin, unit_end);
  if (Has(words::kUnits, unit)) return Add(DetailKind::kNumber, begin, unit_end);
  const std::size_t blank = SkipBlanks(end);
  for (const std::string_view money : words::kChineseMoney) {
    if (Is(blank, money)) {
      std::size_t past = blank + CountCodePoints(money);
      if (money == "块" && ChineseDigit(at(past)) > 0) ++past;  // 三块五
      return Add(DetailKind::kMoney, begin, past);
    }
  }
  for (const std::string_view measure : words::kChineseUnits) {
    if (Is(blank, measure)) {
      return Add(DetailKind::kNumber, begin, blank + CountCodePoints(measure));
    }
  }
  return Add(DetailKind::kNumber, begin, scale_end);
}

std::size_t DetailScanner::Number(std::size_t i) {
  if (const std::size_t end = NumericDate(i); end > i) return Add(DetailKind::kDate, i, end);
  if (const std::size_t end = ChineseDate(i); end > i) return Add(DetailKind::kDate, i, end);
  if (const std::size_t end = ClockTime(i); end > i) return Add(DetailKind::kTime, i, end);
  if (const std::size_t end = ChineseTime(i); end > i) return Add(DetailKind::kTime, i, end);
  if (at(i) == U'第') {
    std::size_t end = i + 1;
    while (IsAsciiDigit(at(end)) || IsChineseNumeral(at(end))) ++end;
    return end > i + 1 && !(end == i + 2 && at(i + 1) == U'一') ? Add(DetailKind::kNumber, i, end)
                                                                : i + 1;
  }
  if (IsAsciiDigit(at(i))) {
    std::size_t end = NumberEnd(i);
    // "5 March 2024", "5th of March"
    if (const std::size_t date = DayThenMonth(i, end); date > i)
      return Add(DetailKind::kDate, i, date);
    const std::string suffix = Lower(end, std::min(end + 2, size()));
    if ((suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th") &&
        !IsAsciiWord(at(end + 2))) {
      return Add(DetailKind::kNumber, i, end + 2);
    }
    if (end - i == 4 && (at(i) == '1' || at(i) == '2') && IsYear(i) && at(end) != '%') {
      const std::string after = WordAt(end).first;
      if (Has(words::kYearLeads, WordBefore(i)) && !Has(words::kUnits, after) &&
          !Has(words::kCurrencyWords, after)) {
        return Add(DetailKind::kDate, i, end);
      }
    }
    if (at(end) == 's' && end - i == 4) return Add(DetailKind::kDate, i, end + 1);  // 1990s
    if (at(end) == '/' && IsAsciiDigit(at(end + 1))) {
      const std::size_t fraction = NumberEnd(end + 1);
      return Add(DetailKind::kNumber, i, fraction);
    }
    while (at(end) == U'万' || at(end) == U'亿' || at(end) == U'千') ++end;
    return Quantity(i, end);
  }
  std::size_t end = i;
  bool only_scales = true;
  while (IsChineseNumeral(at(end))) only_scales &= ChineseScale(at(end++)) > 0;
  if (at(end) == U'多') ++end;
  const bool half = at(end) == U'半';
  if (end == i + 1 && (at(i) == U'一' || at(i) == U'千' || at(i) == U'万' || at(i) == U'百')) {
    // 一个, 万一, 千万: words, but 一岁 and 一公斤 are quantities.
    static constexpr std::string_view kMeasured[] = {"公斤", "公里", "小时", "岁", "斤", "万"};
    bool measured = false;
    for (std::string_view unit : kMeasured) measured |= at(i) == U'一' && Is(end, unit);
    if (!measured) return end;
  }
  if (only_scales && end == i + 2 && (Is(i, "千万") || Is(i, "十分"))) return end;
  if (end == i + 1 && !half) {  // One numeral counts only before a measure or money.
    bool measured = false;
    for (const std::string_view unit : words::kChineseUnits) measured |= Is(end, unit);
    for (const std::string_view unit : words::kChineseMoney) measured |= Is(end, unit);
    if (!measured) return end;
    if (at(i) == U'十' && Is(end, "分") && !Is(end, "分钟")) return end;
  }
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
