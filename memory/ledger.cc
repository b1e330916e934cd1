#include "memory/ledger.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/text.h"
#include "fmt/format.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

using words::Has;

constexpr std::array<std::string_view, 17> kKindNames = {
    "number", "money", "percent", "date",  "time", "name",       "identifier", "url",       "email",
    "phone",  "code",  "file",    "quote", "rule", "preference", "allergy",    "correction"};

bool IsAsciiDigit(std::int32_t c) { return c >= '0' && c <= '9'; }
bool IsAsciiLetter(std::int32_t c) { return (c | 32) >= 'a' && (c | 32) <= 'z' && c < 128; }
bool IsAsciiWord(std::int32_t c) { return IsAsciiDigit(c) || IsAsciiLetter(c); }
bool IsUpper(std::int32_t c) { return c >= 0 && IsLetter(c) && ToLower(c) != c; }

// Digits of Chinese numerals; -1 for other characters.
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
bool IsChineseNumeral(std::int32_t c) { return ChineseDigit(c) >= 0 || ChineseScale(c) > 0; }

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

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {
    code_.reserve(text.size());
    offset_.reserve(text.size() + 1);
    for (std::size_t at = 0; at < text.size();) {
      const DecodedCodePoint point = DecodeUtf8(text, at);
      code_.push_back(Narrow(point.value));
      offset_.push_back(static_cast<std::uint32_t>(at));
      at += point.length;
    }
    offset_.push_back(static_cast<std::uint32_t>(text.size()));
  }

  std::vector<Detail> Values() {
    for (std::size_t i = 0; i < size() && details_.size() < kMostDetails;) {
      const std::size_t end = Match(i);
      i = end > i ? end : Next(i);
    }
    Quotes();
    return std::move(details_);
  }

  std::vector<std::string> Numbers() const {
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

 private:
  // Full-width letters, digits and signs are read as their narrow forms.
  static std::int32_t Narrow(std::int32_t c) {
    if (c >= 0xFF01 && c <= 0xFF5E && c != 0xFF0C && c != 0xFF1A && c != 0xFF1B && c != 0xFF1F &&
        c != 0xFF01 && c != 0xFF08 && c != 0xFF09) {
      return c - 0xFEE0;
    }
    return c == 0x2019 ? '\'' : c;
  }

  std::size_t size() const { return code_.size(); }
  std::int32_t at(std::size_t i) const { return i < code_.size() ? code_[i] : 0; }
  std::string_view Bytes(std::size_t begin, std::size_t end) const {
    return text_.substr(offset_[begin], offset_[end] - offset_[begin]);
  }
  std::string NarrowText(std::size_t begin, std::size_t end) const {
    std::string out;
    for (std::size_t i = begin; i < end; ++i) AppendUtf8(code_[i], out);
    return out;
  }
  std::string Lower(std::size_t begin, std::size_t end) const {
    return ToLowerUtf8(NarrowText(begin, end));
  }
  bool Is(std::size_t i, std::string_view ascii_or_utf8) const {
    return text_.substr(offset_[std::min(i, size())]).starts_with(ascii_or_utf8);
  }
  std::size_t WordEnd(std::size_t i) const {
    while (i < size() && (IsAsciiWord(at(i)) || (at(i) > 127 && IsLetter(at(i)) && !IsCjk(at(i))) ||
                          (at(i) == '\'' && IsAsciiLetter(at(i + 1)))))
      ++i;
    return i;
  }
  std::size_t SkipBlanks(std::size_t i) const {
    while (at(i) == ' ') ++i;
    return i;
  }
  // The lower-case word that begins after blanks at `i`, and its end.
  std::pair<std::string, std::size_t> WordAt(std::size_t i) const {
    i = SkipBlanks(i);
    const std::size_t end = WordEnd(i);
    return {Lower(i, end), end};
  }
  std::string WordBefore(std::size_t i) const {
    while (i > 0 && at(i - 1) == ' ') --i;
    std::size_t begin = i;
    while (begin > 0 && (IsAsciiWord(at(begin - 1)) || at(begin - 1) == '\'')) --begin;
    return Lower(begin, i);
  }
  // Past the whole word, number or character at `i`.
  std::size_t Next(std::size_t i) const {
    const std::size_t end = WordEnd(i);
    return end > i ? end : i + 1;
  }
  bool AtWordStart(std::size_t i) const {
    return i == 0 || (!IsAsciiWord(at(i - 1)) &&
                      !(at(i - 1) > 127 && IsLetter(at(i - 1)) && !IsCjk(at(i - 1))));
  }

  std::size_t Add(DetailKind kind, std::size_t begin, std::size_t end) {
    Detail detail;
    detail.kind = kind;
    detail.begin = offset_[begin];
    detail.end = offset_[end];
    detail.text = std::string(Bytes(begin, end));
    details_.push_back(std::move(detail));
    return end;
  }

  std::size_t Match(std::size_t i) {
    const std::int32_t c = at(i);
    if (c == '`') return Code(i);
    const bool start = AtWordStart(i);
    if (start && (c == 'h' || c == 'w' || c == 'H' || c == 'W' || c == 'f')) {
      if (const std::size_t end = Url(i); end > i) return Add(DetailKind::kUrl, i, end);
    }
    if (start && (IsAsciiWord(c) || c == '/' || c == '~' || c == '#' || c == '.')) {
      if (const std::size_t end = Compound(i); end > i) return end;
    }
    if (c == '+' || c == '(' || (start && IsAsciiDigit(c))) {
      if (const std::size_t end = Phone(i); end > i) return Add(DetailKind::kPhone, i, end);
    }
    if (c == '$' || c == 0x20AC || c == 0xA3 || c == 0xA5) {
      if (const std::size_t end = MoneyAfterSign(i); end > i)
        return Add(DetailKind::kMoney, i, end);
    }
    if (Is(i, "百分之")) {
      std::size_t end = i + 3;
      while (IsAsciiDigit(at(end)) || at(end) == '.' || IsChineseNumeral(at(end)) ||
             at(end) == U'点')
        ++end;
      if (end > i + 3) return Add(DetailKind::kPercent, i, end);
    }
    if ((IsAsciiDigit(c) && (i == 0 || !IsAsciiLetter(at(i - 1)))) || IsChineseNumeral(c) ||
        c == U'第') {
      return Number(i);
    }
    if (start && IsAsciiLetter(c)) {
      if (const std::size_t end = DateByWord(i); end > i) return Add(DetailKind::kDate, i, end);
      if (const std::size_t end = NumberWords(i, nullptr); end > i) return Quantity(i, end);
      if ((c | 32) == 'n' && WordAt(i).first == "noon") return Add(DetailKind::kTime, i, i + 4);
    }
    if (IsCjkIdeograph(c)) {
      if (const std::size_t end = ChineseDate(i); end > i) return Add(DetailKind::kDate, i, end);
      if (const std::size_t end = ChineseTime(i); end > i) return Add(DetailKind::kTime, i, end);
      if (const std::size_t end = ChineseName(i); end > i) return end;
      return i;
    }
    if (start && IsUpper(c)) return Name(i);
    return i;
  }

  std::size_t Code(std::size_t i) {
    const bool fence = at(i + 1) == '`' && at(i + 2) == '`';
    const std::size_t open = fence ? 3 : 1, most = fence ? 4000 : 200;
    for (std::size_t j = i + open; j < size() && j - i <= most; ++j) {
      if (!fence && at(j) == '\n') break;
      if (at(j) == '`' && (!fence || (at(j + 1) == '`' && at(j + 2) == '`'))) {
        if (j == i + open) break;
        Add(DetailKind::kCode, i + open, j);
        return j + open;
      }
    }
    return i + open;
  }

  std::size_t Url(std::size_t i) const {
    if (!Is(i, "http://") && !Is(i, "https://") && !Is(i, "www.") && !Is(i, "ftp://")) return i;
    std::size_t end = i;
    while (end < size() && at(end) > ' ' && at(end) < 127 && at(end) != '"' && at(end) != '<' &&
           at(end) != '>' && at(end) != '`')
      ++end;
    while (end > i &&
           (at(end - 1) == '.' || at(end - 1) == ',' || at(end - 1) == ')' || at(end - 1) == ';' ||
            at(end - 1) == '!' || at(end - 1) == '?' || at(end - 1) == ':' || at(end - 1) == '\''))
      --end;
    return end - i > 8 ? end : i;
  }

  // E-mail addresses, file names, paths, identifiers: a run of word characters and signs.
  std::size_t Compound(std::size_t i) {
    std::size_t end = i;
    bool mail = false;
    int digits = 0, letters = 0, signs = 0, upper = 0, slashes = 0, dots = 0, underscores = 0;
    for (; end < size(); ++end) {
      const std::int32_t c = at(end);
      if (IsAsciiDigit(c)) {
        ++digits;
      } else if (IsAsciiLetter(c)) {
        ++letters;
        upper += c < 'a';
      } else if (c == '@' && !mail && end > i) {
        mail = true;
      } else if (c == '_') {
        ++underscores;
      } else if (c == '-' || c == '.' || c == '/' || c == '+' || c == '#' || c == '~' || c == '%' ||
                 c == '\\' || c == ':') {
        signs += c != '#';
        slashes += c == '/' || c == '\\';
        dots += c == '.';
      } else {
        break;
      }
    }
    while (end > i && !IsAsciiWord(at(end - 1)) && at(end - 1) != '_') {
      const std::int32_t c = at(end - 1);
      signs -= c != '#';
      slashes -= c == '/' || c == '\\';
      dots -= c == '.';
      --end;
    }
    if (end <= i + 1) return i;
    const std::string word = NarrowText(i, end);
    if (mail) {
      const auto sign = word.find('@');
      const auto dot = word.rfind('.');
      if (sign != std::string::npos && dot != std::string::npos && dot > sign + 1 &&
          dot + 2 < word.size()) {
        return Add(DetailKind::kEmail, i, end);
      }
      if (at(i) == '@') return i;
    }
    if (end < size() && at(end) > 127 && IsLetter(at(end)) && !IsCjk(at(end))) return i;
    const auto dot = word.rfind('.');
    if (dot != std::string::npos && dot > 0 && dot + 1 < word.size() && letters > 0 &&
        Has(words::kExtensions, ToLowerUtf8(word.substr(dot + 1)))) {
      return Add(DetailKind::kFile, i, end);
    }
    if ((at(i) == '/' || at(i) == '~') && slashes >= 2 && letters > 1) {
      return Add(DetailKind::kFile, i, end);
    }
    if (at(i) == '/' || at(i) == '~' || at(i) == '.') return i;
    if (at(i) == '#') return digits > 0 ? Add(DetailKind::kIdentifier, i, end) : i;
    if (underscores > 0 && letters > 0) {
      if (at(end) == '(' && at(end + 1) == ')') return Add(DetailKind::kCode, i, end + 2);
      return Add(DetailKind::kIdentifier, i, end);
    }
    if (letters == 0) {  // 192.168.1.10, 1.2.3
      if (dots >= 2 && slashes == 0 && signs == dots && !LooksLikeDottedDate(word)) {
        return Add(DetailKind::kIdentifier, i, end);
      }
      return i;
    }
    if (digits == 0) {
      // CamelCase and ALL-CAPS-WITH-SIGNS.
      if (signs > 0 && upper == letters && letters > 3 && slashes == 0 &&
          word.find(':') == word.npos)
        return Add(DetailKind::kIdentifier, i, end);
      return i;
    }
    if (word.find(':') != std::string::npos || slashes > 1) return i;
    // "3pm", "20kg", "5th", "1990s", "12-year-old", "30-minute": quantities, not identifiers.
    if (IsAsciiDigit(at(i))) {
      std::size_t j = i;
      while (IsAsciiDigit(at(j)) || at(j) == '.' || at(j) == ',') ++j;
      const std::string rest = Lower(j, end);
      if (upper == 0 || digits <= 3) {
        if (rest.size() <= 2 || Has(words::kUnits, rest) || rest[0] == '-') {
          if (upper < 2 || Has(words::kUnits, rest)) return i;
        }
      }
      if (rest == "st" || rest == "nd" || rest == "rd" || rest == "th" || rest == "s") return i;
      if (Has(words::kUnits, rest) || Has(words::kScales, rest)) return i;
    }
    // "GPT-4" and "A7" are identifiers; "covid-19" too.
    return Add(DetailKind::kIdentifier, i, end);
  }

  static bool LooksLikeDottedDate(std::string_view word) {
    const auto first = word.find('.'), last = word.rfind('.');
    return first != last && first <= 2 && last - first <= 3 && word.size() - last == 5;
  }

  // Groups of digits with separators, 7 to 15 digits in all; an 11-digit mobile number.
  std::size_t Phone(std::size_t i) const {
    std::size_t j = i, end = i;
    int digits = 0, groups = 0, group = 0, largest = 0;
    bool plus = false, paren = false;
    if (at(j) == '+') plus = true, ++j;
    for (; j < size(); ++j) {
      const std::int32_t c = at(j);
      if (IsAsciiDigit(c)) {
        if (group == 0) ++groups;
        ++digits;
        largest = std::max(largest, ++group);
        end = j + 1;
      } else if ((c == '-' || c == ' ' || c == '(' || c == ')') && (j == i || j <= end + 1)) {
        if (c == '(') paren = true;
        group = 0;
      } else {
        break;
      }
    }
    if (IsAsciiLetter(at(end)) || digits < 7 || digits > 15) return i;
    if (groups == 1 && !plus) {
      return digits == 11 && at(i) == '1' && at(i + 1) >= '3' ? end : i;
    }
    if (groups > 6 || largest > 11) return i;
    const std::string shown = NarrowText(i, end);
    if (shown.size() == 10 && shown[4] == '-' && shown[7] == '-') return i;  // A date.
    if (plus || paren) return end;
    // Blanks alone join numbers of lists; a hyphen joins telephone numbers.
    if (shown.find('-') == std::string::npos && !(digits >= 10 && shown[0] == '1')) return i;
    if (digits == 8 && groups == 2 && shown.size() == 9 && shown[4] == '-' &&
        (shown.starts_with("19") || shown.starts_with("20")))
      return i;  // 2019-2024
    return end;
  }

  // Past digits with thousands separators and a decimal part.
  std::size_t NumberEnd(std::size_t i) const {
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

  std::size_t MoneyAfterSign(std::size_t i) const {
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
  std::size_t NumberWords(std::size_t i, std::int64_t* value) const {
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
  std::size_t Quantity(std::size_t begin, std::size_t end) {
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

  std::size_t Number(std::size_t i) {
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

  bool IsYear(std::size_t i) const {
    const std::string digits = NarrowText(i, i + 4);
    return digits >= "1000" && digits <= "2199" && (digits[0] == '2' || digits[1] >= '5');
  }
  int Small(std::size_t begin, std::size_t end) const {
    int value = 0;
    for (std::size_t i = begin; i < end; ++i) value = std::min(value * 10 + (at(i) - '0'), 9999);
    return value;
  }
  std::size_t Digits(std::size_t i, std::size_t most) const {
    std::size_t end = i;
    while (end < i + most && IsAsciiDigit(at(end))) ++end;
    return end;
  }

  std::size_t NumericDate(std::size_t i) const {
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
    } else if (sign == '-' && a - i == 4 && IsYear(i) && second >= 1 && second <= 12 &&
               b - a == 3) {
      end = b;
    }
    return end > i && !IsAsciiWord(at(end)) ? end : i;
  }

  std::size_t ClockTime(std::size_t i) const {
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

  std::size_t DayThenMonth(std::size_t begin, std::size_t end) const {
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
  std::size_t WithYear(std::size_t i) const {
    std::size_t j = SkipBlanks(at(i) == ',' ? i + 1 : i);
    return Digits(j, 5) == j + 4 && IsYear(j) ? j + 4 : i;
  }

  std::size_t DateByWord(std::size_t i) const {
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

  std::size_t Numeral(std::size_t i, std::size_t most) const {
    std::size_t end = i;
    if (IsAsciiDigit(at(i))) {
      while (end < i + most && IsAsciiDigit(at(end))) ++end;
    } else {
      while (end < i + most && IsChineseNumeral(at(end)) && at(end) != U'万' && at(end) != U'亿')
        ++end;
    }
    return end;
  }

  std::size_t ChineseDate(std::size_t i) const {
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

  std::size_t ChineseTime(std::size_t i) const {
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
    std::size_t end = hour + 1;
    if (at(end) == U'半' || at(end) == U'钟' || at(end) == U'整') return end + 1;
    if (Is(end, "一刻") || Is(end, "三刻")) return end + 2;
    const std::size_t minute = Numeral(end, 3);
    if (minute > end) return at(minute) == U'分' ? minute + 1 : minute;
    return end;
  }

  bool InList(std::int32_t c, std::string_view list) const {
    std::string one;
    AppendUtf8(c, one);
    return list.find(one) != std::string_view::npos;
  }
  bool EndsGiven(std::int32_t c) const { return !IsCjkIdeograph(c) || InList(c, words::kNotGiven); }

  std::size_t ChineseName(std::size_t i) {
    static constexpr std::string_view kCalls[] = {"我的名字是", "名字是", "名字叫", "取名叫",
                                                  "名叫",       "叫做",   "叫作",   "起名",
                                                  "叫",         "我是",   "姓名是"};
    for (std::string_view call : kCalls) {
      if (!Is(i, call)) continue;
      const std::size_t begin = i + CountCodePoints(call);
      if (call == "叫" && i > 0 && (at(i - 1) == U'请' || at(i - 1) == U'别' || at(i - 1) == U'大'))
        break;
      if (call == "我是" && !InList(at(begin), words::kSurnames)) break;
      if (at(begin) == U'我' || at(begin) == U'你' || at(begin) == U'他' || at(begin) == U'什')
        break;
      std::size_t end = begin;
      const std::size_t most = call == "我是" ? 3 : 4;
      while (end < begin + most && !EndsGiven(at(end))) ++end;
      if (end - begin >= 2 || (end - begin == 1 && call == "我是" && Title(end) > end)) {
        if (const std::size_t title = Title(end); title > end) end = title;
        return Add(DetailKind::kName, begin, end);
      }
      // Latin names after 叫: "叫Mimi".
      if (IsUpper(at(begin))) {
        return Add(DetailKind::kName, begin, WordEnd(begin));
      }
      return begin;
    }
    static constexpr std::string_view kPlaces[] = {"住在",   "来自",   "搬到",  "搬去",
                                                   "老家在", "出差去", "出生在"};
    for (std::string_view lead : kPlaces) {
      if (!Is(i, lead)) continue;
      const std::size_t begin = i + CountCodePoints(lead);
      std::size_t end = begin;
      while (end < begin + 8 && IsCjkIdeograph(at(end)) &&
             !InList(at(end), "的了和与跟附，。工读上学"))
        ++end;
      return end >= begin + 2 ? Add(DetailKind::kName, begin, end) : begin;
    }
    // 王医生, 李明老师
    if (InList(at(i), words::kSurnames)) {
      if (const std::size_t end = Title(i + 1); end > i + 1) return Add(DetailKind::kName, i, end);
      for (std::size_t given = 1; given <= 2; ++given) {
        bool name = true;
        for (std::size_t k = 1; k <= given; ++k) name &= !EndsGiven(at(i + k));
        if (!name) break;
        if (const std::size_t end = Title(i + 1 + given); end > i + 1 + given) {
          return Add(DetailKind::kName, i, end);
        }
      }
    }
    // 小王, 老张
    if ((at(i) == U'小' || at(i) == U'老' || at(i) == U'阿') &&
        InList(at(i + 1), words::kSurnames) && at(i + 1) != U'文' && at(i + 1) != U'白' &&
        at(i + 1) != U'高' &&
        !(at(i) == U'小' && (at(i + 1) == U'康' || at(i + 1) == U'龙' || at(i + 1) == U'熊' ||
                             at(i + 1) == U'马' || at(i + 1) == U'程')) &&
        !(at(i) == U'老' && at(i + 1) == U'江') && (i == 0 || !InList(at(i - 1), "大最缩从多不"))) {
      if (EndsGiven(at(i + 2))) return Add(DetailKind::kName, i, i + 2);
    }
    for (std::string_view lead : words::kPersonLeads) {
      if (!Is(i, lead)) continue;
      const std::size_t begin = i + CountCodePoints(lead);
      if (!InList(at(begin), words::kSurnames)) continue;
      std::size_t end = begin + 1;
      while (end < begin + 3 && !EndsGiven(at(end))) ++end;
      const std::size_t title = Title(begin + 1);
      if (title > begin + 1) return i;  // Found from the family name on.
      // A single-character lead is too weak for two characters that go on as a word.
      const bool weak = CountCodePoints(lead) == 1;
      if (end - begin >= 2 && (!weak || EndsGiven(at(end)))) {
        return Add(DetailKind::kName, begin, end);
      }
    }
    return i;
  }
  std::size_t Title(std::size_t i) const {
    for (std::string_view title : words::kChineseTitles) {
      if (!Is(i, title)) continue;
      if (title == "总" && !EndsGiven(at(i + 1)) && at(i + 1) != U'说') continue;
      return i + CountCodePoints(title);
    }
    return i;
  }

  bool AtSentenceStart(std::size_t i) const {
    for (; i > 0; --i) {
      const std::int32_t c = at(i - 1);
      if (c == '"' || c == 0x201C || c == '(') return true;
      if (c != ' ' && c != '\'' && c != '-' && c != '*') break;
    }
    if (i == 0) return true;
    const std::int32_t c = at(i - 1);
    if (c == '.') {  // "Dr. Chen" goes on.
      return !Has(words::kTitles, WordBefore(i - 1));
    }
    return c == '!' || c == '?' || c == '\n' || c == ':' || c == 0x3002 || c == 0xFF01 ||
           c == 0xFF1F || c == ';' || c == '\r';
  }

  std::size_t Name(std::size_t i) {
    // A sequence of capitalised words; "of", "de", "van" may join them.
    std::size_t end = i, j = i;
    int count = 0, named = 0;
    bool title = false;
    std::size_t begin = i;
    while (IsUpper(at(j))) {
      const std::size_t word_end = WordEnd(j);
      std::string word = Lower(j, word_end);
      std::size_t stop = word_end;
      // "Flight GA8817": the identifier is its own detail.
      if (std::any_of(word.begin(), word.end(), [](char c) { return IsAsciiDigit(c); })) break;
      if (word.ends_with("'s")) {
        stop -= 2;
        word.resize(word.size() - 2);
      }
      const bool plain =
          Has(words::kNotNames, word) || Has(words::kWeekdays, word) || Has(words::kMonths, word);
      const bool ambiguous = word == "may" || word == "april" || word == "june" ||
                             word == "march" || word == "new" || word == "best" || word == "book" ||
                             word == "great";
      if (Has(words::kTitles, word)) {
        title = true;
        if (count == 0) begin = j;
        ++count;
        end = stop;
        j = at(word_end) == '.' ? word_end + 1 : word_end;
        if (at(j) == ' ') ++j;
        continue;
      }
      if (plain && !(ambiguous && count == 0 && !AtSentenceStart(j) && IsUpper(at(stop + 1)))) {
        if (count == 0) return stop;
        break;
      }
      ++count;
      ++named;
      end = stop;
      if (stop != word_end) break;  // A possessive ends the name.
      j = word_end;
      // "J. K. Rowling"
      if (at(j) == '.' && word.size() == 1) ++j;
      if (at(j) == '-' && IsUpper(at(j + 1))) {
        ++j;
        continue;
      }
      if (at(j) != ' ') break;
      ++j;
      if (!IsUpper(at(j))) {
        std::size_t next = j;
        for (int links = 0; links < 2 && !IsUpper(at(next)); ++links) {
          static constexpr std::string_view kLinks[] = {"of",  "de", "van", "von", "da",
                                                        "del", "la", "der", "di",  "bin"};
          const auto [link, link_end] = WordAt(next);
          if (!Has(kLinks, link)) break;
          next = SkipBlanks(link_end);
        }
        if (next > j && IsUpper(at(next)) && !Has(words::kNotNames, WordAt(next).first)) {
          j = next;
          continue;
        }
        break;
      }
    }
    if (named == 0) return title ? end : i;
    if (named == 1 && end == begin + 1) return end;  // An initial or a label.
    if (title || named >= 2 || !AtSentenceStart(begin)) return Add(DetailKind::kName, begin, end);
    // One word at the start of a sentence: a name when what follows says so.
    const auto [follower, follower_end] = WordAt(end);
    const bool possessive = at(end) == '\'' && at(end + 1) == 's';
    const std::string word = Lower(begin, end);
    const bool like_verb = word.ends_with("ing") || word.ends_with("ly") || word.ends_with("ed");
    if (!like_verb && (possessive || Has(words::kNameFollowers, follower)) &&
        !(follower == "and" && !IsUpper(at(SkipBlanks(follower_end))))) {
      return Add(DetailKind::kName, begin, end);
    }
    return end;
  }

  void Quotes() {
    struct Pair {
      std::int32_t open, close;
    };
    static constexpr Pair kPairs[] = {{'"', '"'},       {0x201C, 0x201D}, {0x300C, 0x300D},
                                      {0x300E, 0x300F}, {0x300A, 0x300B}, {0xAB, 0xBB}};
    for (std::size_t i = 0; i < size() && details_.size() < kMostDetails; ++i) {
      for (const Pair& pair : kPairs) {
        if (at(i) != pair.open) continue;
        for (std::size_t j = i + 1; j < size() && j - i < 400; ++j) {
          if (at(j) == '\n') break;
          if (at(j) != pair.close) continue;
          if (j > i + 2 && !(pair.open == '"' && i > 0 && IsAsciiDigit(at(i - 1)))) {
            Add(DetailKind::kQuote, i + 1, j);
          }
          i = j;
          break;
        }
        break;
      }
    }
  }

  std::string_view text_;
  std::vector<std::int32_t> code_;
  std::vector<std::uint32_t> offset_;
  std::vector<Detail> details_;
};

std::string_view TrimmedView(std::string_view text, std::string_view blanks) {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return text.substr(0, 0);
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// Finds `needle` in lower-case ASCII text at word boundaries.
std::size_t FindWord(std::string_view text, std::string_view needle) {
  for (auto at = text.find(needle); at != std::string_view::npos; at = text.find(needle, at + 1)) {
    const bool left = at == 0 || !IsAsciiWord(static_cast<unsigned char>(text[at - 1])) ||
                      !IsAsciiWord(static_cast<unsigned char>(needle.front()));
    const auto past = at + needle.size();
    const bool right = past >= text.size() ||
                       !IsAsciiWord(static_cast<unsigned char>(text[past])) ||
                       !IsAsciiWord(static_cast<unsigned char>(needle.back()));
    if (left && right) return at;
  }
  return std::string_view::npos;
}
template <class List>
std::size_t FindAnyWord(std::string_view text, const List& list, std::size_t* end) {
  std::size_t best = std::string_view::npos;
  for (std::string_view needle : list) {
    const auto at = FindWord(text, needle);
    if (at < best) best = at, *end = at + needle.size();
  }
  return best;
}
template <class List>
std::size_t FindAny(std::string_view text, const List& list, std::size_t* end) {
  std::size_t best = std::string_view::npos;
  for (std::string_view needle : list) {
    const auto at = text.find(needle);
    if (at < best) best = at, *end = at + needle.size();
  }
  return best;
}

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kEdges = " \t\r\n.,;:!?";

class Statements {
 public:
  Statements(std::string_view text, TextRange range, std::vector<Detail>* out)
      : text_(text), range_(range), out_(out) {
    sentence_ = text.substr(range.begin, range.end - range.begin);
    // Byte offsets must stay: only ASCII is folded, and the curly apostrophe is left alone.
    lower_ = std::string(sentence_);
    for (char& c : lower_) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
  }

  void Find() {
    if (IsQuestion(sentence_)) return;
    Allergy();
    const bool rule = Rule();
    if (!rule) Preference();
    Correction();
  }

 private:
  bool FirstPerson() const {
    static constexpr std::string_view kWords[] = {"i", "i'm", "my", "me", "we", "our", "i've"};
    std::size_t end = 0;
    return FindAnyWord(lower_, kWords, &end) != std::string::npos ||
           sentence_.find("我") != std::string_view::npos;
  }
  void Add(DetailKind kind, std::size_t begin, std::size_t end) {
    std::string_view part = sentence_.substr(begin, end - begin);
    const std::string_view trimmed = TrimmedView(part, kEdges);
    if (trimmed.empty()) return;
    Detail detail;
    detail.kind = kind;
    detail.begin = range_.begin + static_cast<std::uint32_t>(trimmed.data() - sentence_.data());
    detail.end = detail.begin + static_cast<std::uint32_t>(trimmed.size());
    detail.text = std::string(trimmed);
    // Full-width stops at the end are no part of it.
    static constexpr std::string_view kStops[] = {"。", "！", "？", "；", "，"};
    for (bool again = true; again;) {
      again = false;
      for (std::string_view stop : kStops) {
        if (detail.text.ends_with(stop)) {
          detail.text.resize(detail.text.size() - stop.size());
          detail.end -= static_cast<std::uint32_t>(stop.size());
          again = true;
        }
      }
    }
    if (!detail.text.empty()) out_->push_back(std::move(detail));
  }
  bool HasWhen() const {
    for (const Detail& detail : *out_) {
      const bool when = detail.kind == DetailKind::kDate || detail.kind == DetailKind::kTime;
      if (when && detail.begin >= range_.begin && detail.end <= range_.end) return true;
    }
    return false;
  }
  // The end of the clause that goes on at `begin`.
  std::size_t ClauseEnd(std::size_t begin) const {
    static constexpr std::string_view kEnds[] = {", but ",    "，",    "；",      "。", ";",
                                                 " because ", ", so ", " since ", "但"};
    std::size_t end = sentence_.size(), unused = 0;
    const auto at = FindAny(std::string_view(lower_).substr(begin), kEnds, &unused);
    return at == std::string::npos ? end : begin + at;
  }
  std::size_t ClauseBegin(std::size_t end) const {
    static constexpr std::string_view kBreaks[] = {"，", "；", "。", "、"};
    std::size_t begin = 0;
    for (std::string_view stop : kBreaks) {
      const auto at = sentence_.substr(0, end).rfind(stop);
      if (at != std::string_view::npos) begin = std::max(begin, at + stop.size());
    }
    return begin;
  }

  void Allergy() {
    static constexpr std::string_view kEnglish[] = {"allergic to",   "allergy to",
                                                    "allergies to",  "intolerant to",
                                                    "allergies are", "anaphylactic to"};
    std::size_t end = 0;
    if (FindAnyWord(lower_, kEnglish, &end) != std::string::npos) {
      Add(DetailKind::kAllergy, end, ClauseEnd(end));
      return;
    }
    static constexpr std::string_view kCompound[] = {"intolerant", "intolerance", "allergy"};
    if (const auto at = FindAnyWord(lower_, kCompound, &end); at != std::string::npos && at > 0) {
      auto begin = lower_.find_last_of(' ', at >= 2 ? at - 2 : 0);
      begin = begin == std::string::npos ? 0 : begin + 1;
      Add(DetailKind::kAllergy, begin, at);
      return;
    }
    static constexpr std::string_view kChinese[] = {"过敏", "不耐受"};
    if (const auto at = FindAny(sentence_, kChinese, &end); at != std::string::npos) {
      std::size_t begin = ClauseBegin(at);
      const auto dui = sentence_.substr(0, at).rfind("对");
      if (dui != std::string_view::npos && dui + 3 < at && dui >= begin) {
        Add(DetailKind::kAllergy, dui + 3, at);
      } else if (at > begin) {
        Add(DetailKind::kAllergy, begin, end);
      }
    }
  }

  bool Rule() {
    static constexpr std::string_view kStarts[] = {
        "never ",           "always ",         "please always", "please never", "remember to",
        "remember,",        "please remember", "don't ever",    "do not ever",  "make sure",
        "please make sure", "from now on",     "don't forget",  "you must",     "only reply",
        "only answer",      "please don't",    "please do not", "don't ",       "do not ",
        "remember that",    "whenever i",      "every time i",  "must "};
    static constexpr std::string_view kInside[] = {", never ",
                                                   ", always ",
                                                   "you must",
                                                   "you should always",
                                                   "you should never",
                                                   "from now on",
                                                   "please always",
                                                   "please never",
                                                   "standing rule",
                                                   "house rule",
                                                   "must always",
                                                   "must never",
                                                   "must not",
                                                   "; never ",
                                                   ": never ",
                                                   ": always ",
                                                   "rule:",
                                                   "remember to",
                                                   "under no circumstances"};
    static constexpr std::string_view kChinese[] = {
        "以后都", "以后请",   "以后不要", "以后别",   "从现在起", "从今以后", "必须",
        "务必",   "千万不要", "千万别",   "切记",     "请记住",   "记住",     "永远不要",
        "一律",   "禁止",     "每次都",   "绝对不要", "绝不要",   "请不要",   "请始终",
        "请总是", "请一直",   "记得要",   "请记得",   "不许",     "不准"};
    bool found = false;
    std::string plain;
    for (std::size_t i = 0; i < lower_.size(); ++i) {
      const bool curly = std::string_view(lower_).substr(i).starts_with("’");
      plain += curly ? '\'' : lower_[i];
      if (curly) i += std::string_view("’").size() - 1;
    }
    for (std::string_view start : kStarts) found |= plain.starts_with(start);
    for (std::string_view inside : kInside) found |= plain.find(inside) != std::string::npos;
    if (!found) {
      std::size_t end = 0;
      const auto at = FindAny(sentence_, kChinese, &end);
      if (at != std::string_view::npos) {
        // 我不要辣 is a preference; 我必须走了 is a duty of the speaker.
        const auto begin = ClauseBegin(at);
        const std::string_view before = sentence_.substr(begin, at - begin);
        found = before.find("我") == std::string_view::npos ||
                before.find("给我") != std::string_view::npos ||
                before.find("跟我") != std::string_view::npos ||
                before.find("对我") != std::string_view::npos;
      }
    }
    if (!found) {
      // 不要 alone commands only at the head of a clause; 不要太辣 and 不要紧 are wishes and words.
      for (std::string_view start : {"不要", "别再"}) {
        for (auto at = sentence_.find(start); at != std::string_view::npos;
             at = sentence_.find(start, at + start.size())) {
          const std::string_view rest = sentence_.substr(at + start.size());
          found |= at == ClauseBegin(at) && !rest.starts_with("太") && !rest.starts_with("紧");
        }
      }
    }
    if (found) Add(DetailKind::kRule, 0, sentence_.size());
    return found;
  }

  void Preference() {
    static constexpr std::string_view kEnglish[] = {
        "prefer",     "prefers",         "i like",        "i love",           "i enjoy",
        "i hate",     "i dislike",       "can't stand",   "don't like",       "doesn't like",
        "i'd rather", "would rather",    "i really like", "i really love",    "i never",
        "i always",   "i don't eat",     "i don't drink", "favourite",        "favorite",
        "likes",      "loves",           "hates",         "i no longer like", "i don't want",
        "fond of",    "i'm a fan of",    "i now like",    "i also like",      "i still like",
        "i adore",    "i don't care for"};
    static constexpr std::string_view kChinese[] = {
        "更喜欢", "最喜欢", "不喜欢", "喜欢",   "讨厌",   "最爱", "偏爱", "偏好", "爱吃", "不吃",
        "爱喝",   "不喝",   "受不了", "习惯用", "我不要", "宁愿", "爱看", "爱听", "最怕", "更爱"};
    std::size_t end = 0;
    if (FindAnyWord(lower_, kEnglish, &end) != std::string::npos) {
      // "My favourite colour is teal": the value follows the verb.
      const std::string_view rest = std::string_view(lower_).substr(end);
      for (std::string_view verb : {" is now ", " is ", " are ", " was "}) {
        const auto at = rest.find(verb);
        if (at != std::string_view::npos &&
            std::string_view(lower_).substr(0, end).ends_with("rite")) {
          Add(DetailKind::kPreference, end + at + verb.size(), ClauseEnd(end + at + verb.size()));
          return;
        }
      }
      Add(DetailKind::kPreference, end, ClauseEnd(end));
      return;
    }
    if (FindAny(sentence_, kChinese, &end) != std::string::npos) {
      std::size_t begin = end;
      for (std::string_view verb : {"的颜色是", "的是", "是"}) {
        const auto at = sentence_.substr(end).find(verb);
        if (at != std::string_view::npos && at < 30) {
          begin = end + at + verb.size();
          break;
        }
      }
      Add(DetailKind::kPreference, begin, ClauseEnd(begin));
    }
  }

  void Correction() {
    static constexpr std::string_view kStarts[] = {"no,",      "no wait",    "wait,",
                                                   "actually", "correction", "sorry,",
                                                   "i meant",  "oops",       "scratch that"};
    static constexpr std::string_view kInside[] = {
        ", not ",        "i was wrong",     "i misspoke",  "correction:", "i meant",
        "changed to",    "instead of",      "not anymore", "no longer",   "i made a mistake",
        "moved to",      "has been moved",  "rescheduled", "used to be",  "is now",
        "it's actually", "turned out to be"};
    static constexpr std::string_view kChinese[] = {
        "不对，", "不对,",  "说错了", "更正",   "改成",   "改到", "改为", "记错了",
        "应该是", "其实是", "纠正",   "写错了", "搞错了", "而是", "不再"};
    bool found = false;
    for (std::string_view start : kStarts) found |= lower_.starts_with(start);
    // "Sorry, I am late" corrects nothing: a value must follow.
    for (std::string_view inside : kInside) found |= lower_.find(inside) != std::string::npos;
    if (const auto at = FindWord(lower_, "moved"); at != std::string::npos) {
      found |= lower_.find(" to ", at) != std::string::npos && HasWhen();
    }
    if (found) {
      bool value = false;
      for (const Detail& detail : *out_) {
        value |=
            detail.begin >= range_.begin && detail.end <= range_.end && !IsStatement(detail.kind);
      }
      found = value || lower_.find(", not ") != std::string::npos;
    }
    std::size_t end = 0;
    found |= FindAny(sentence_, kChinese, &end) != std::string_view::npos;
    // 不是 80，是 18
    if (const auto at = sentence_.find("不是"); at != std::string_view::npos) {
      const auto rest = sentence_.substr(at + 6);
      found |= rest.find("，是") != std::string_view::npos || rest.find("而是") != rest.npos ||
               rest.find(",是") != std::string_view::npos;
    }
    if (const auto at = sentence_.find("，不是"); at != std::string_view::npos) {
      found |= sentence_.substr(0, at).find("是") != std::string_view::npos;
    }
    if (found) Add(DetailKind::kCorrection, 0, sentence_.size());
  }

  std::string_view text_;
  TextRange range_;
  std::string_view sentence_;
  std::string lower_;
  std::vector<Detail>* out_;
};

// `text` less every occurrence of `value`.
std::string Without(std::string_view text, std::string_view value) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto hit = value.empty() ? text.npos : text.find(value, at);
    out += text.substr(at, hit == text.npos ? text.npos : hit - at);
    if (hit == text.npos) break;
    out += ' ';
    at = hit + value.size();
  }
  return out;
}

// The words within a clause or two of bytes [begin, end), cut between code points.
std::string_view Around(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t from = begin > 160 ? begin - 160 : 0;
  std::size_t to = std::min(text.size(), end + 100);
  while (from < begin && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
  while (to < text.size() && (static_cast<unsigned char>(text[to]) & 0xC0) == 0x80) ++to;
  return text.substr(from, to - from);
}

std::string MakeQuery(std::string_view text, const std::vector<TextRange>& sentences,
                      std::size_t index, const Detail& detail, const std::vector<Detail>& all) {
  const TextRange range = sentences[index];
  const std::string_view sentence = text.substr(range.begin, range.end - range.begin);
  std::string query;
  if (detail.kind == DetailKind::kCorrection) {
    query = std::string(sentence);
    for (const Detail& value : all) {
      if (!IsStatement(value.kind) && value.begin >= range.begin && value.end <= range.end)
        query = Without(query, value.text);
    }
  } else if (detail.kind == DetailKind::kRule) {
    // How the rule begins must be enough to find it.
    const auto terms = QueryTerms(sentence);
    if (terms.size() < 3) return std::string(sentence);
    query = std::string(TruncateUtf8(sentence, sentence.size() * 2 / 3));
  } else if (sentence.size() > 320) {
    query = Without(Around(sentence, detail.begin - range.begin,
                           std::min<std::size_t>(detail.end - range.begin, sentence.size())),
                    detail.text);
  } else {
    query = Without(sentence, detail.text);
  }
  // Too few words name nothing: the sentences around it help, still without the value.
  std::size_t before = index, after = index + 1;
  while (QueryTerms(query).size() < 3 && (before > 0 || after < sentences.size())) {
    if (before > 0) {
      --before;
      const TextRange more = sentences[before];
      query = Without(text.substr(more.begin, more.end - more.begin), detail.text) + " " + query;
    } else {
      const TextRange more = sentences[after++];
      query += " " + Without(text.substr(more.begin, more.end - more.begin), detail.text);
    }
    if (query.size() > 300) break;
  }
  return std::string(TruncateUtf8(TrimmedView(query, kBlanks), 300));
}

}  // namespace

std::string_view DetailKindName(DetailKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

bool IsStatement(DetailKind kind) {
  return kind == DetailKind::kRule || kind == DetailKind::kPreference ||
         kind == DetailKind::kAllergy || kind == DetailKind::kCorrection;
}

std::vector<TextRange> SplitSentences(std::string_view text) {
  std::vector<TextRange> sentences;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end) {
    const std::string_view part = TrimmedView(text.substr(begin, end - begin), kBlanks);
    if (!part.empty()) {
      const auto at = static_cast<std::uint32_t>(part.data() - text.data());
      sentences.push_back({at, at + static_cast<std::uint32_t>(part.size())});
    }
    begin = end;
  };
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    const std::size_t next = i + point.length;
    const std::int32_t c = point.value;
    if (c == '\n' || c == 0x3002 || c == 0xFF01 || c == 0xFF1F || c == 0xFF1B) {
      cut(next);
    } else if ((c == '.' || c == '!' || c == '?') &&
               (next >= text.size() || text[next] == ' ' || text[next] == '\n' ||
                text[next] == '"' || static_cast<unsigned char>(text[next]) >= 0x80)) {
      std::size_t word = i;
      while (word > begin && IsAsciiLetter(static_cast<unsigned char>(text[word - 1]))) --word;
      const std::string last = ToLowerUtf8(text.substr(word, i - word));
      static constexpr std::string_view kShort[] = {"mr", "mrs", "ms",  "dr", "prof",  "st",
                                                    "vs", "e.g", "i.e", "no", "approx"};
      const bool initial =
          last.size() == 1 && text[word] >= 'A' && text[word] <= 'Z' && text[word] != 'I';
      const bool half_day = (last == "m") && word >= 2 && text[word - 1] == '.';
      // "no." is a number's sign only before a digit; "no" ends many sentences.
      const bool short_word =
          Has(kShort, last) &&
          !(last == "no" && !(next + 1 < text.size() && IsAsciiDigit(text[next + 1])));
      if (c != '.' ||
          !(short_word || initial ||
            (half_day && next + 1 < text.size() && text[next] == ' ' && text[next + 1] >= 'a'))) {
        cut(next);
      }
    }
    i = next;
  }
  cut(text.size());
  return sentences;
}

std::vector<std::string> NumbersIn(std::string_view text) { return Scanner(text).Numbers(); }

bool IsQuestion(std::string_view text) {
  std::string_view trimmed = TrimmedView(text, kBlanks);
  if (trimmed.ends_with("?") || trimmed.ends_with("？")) return true;
  static constexpr std::string_view kEnds[] = {"吗", "呢", "什么", "多少", "哪里", "几点"};
  for (std::string_view stop : {"。", "！", ".", "!"}) {
    if (trimmed.ends_with(stop)) trimmed.remove_suffix(stop.size());
  }
  for (std::string_view end : kEnds) {
    if (trimmed.ends_with(end)) return true;
  }
  return false;
}

std::vector<Detail> ExtractDetails(std::string_view text) {
  std::vector<Detail> details = Scanner(text).Values();
  const std::vector<TextRange> sentences = SplitSentences(text);
  for (const TextRange& range : sentences) {
    if (details.size() >= kMostDetails) break;
    Statements(text, range, &details).Find();
  }
  std::stable_sort(details.begin(), details.end(), [](const Detail& a, const Detail& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::size_t index = 0;
  for (Detail& detail : details) {
    while (index + 1 < sentences.size() && sentences[index].end <= detail.begin) ++index;
    if (sentences.empty()) break;
    const TextRange range = sentences[index];
    // A sentence of a table can be a page long.
    const std::uint32_t begin =
        range.end - range.begin > 1200
            ? (detail.begin > range.begin + 300 ? detail.begin - 300 : range.begin)
            : range.begin;
    std::uint32_t from = begin;
    while (from < detail.begin && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
    std::string_view sentence = text.substr(from, range.end - from);
    if (sentence.size() > 1200) sentence = TruncateUtf8(sentence, 1200);
    detail.sentence = std::string(sentence);
    static constexpr std::string_view kSelf[] = {"i",  "i'm", "my",   "me",
                                                 "we", "our", "i've", "i'd"};
    std::size_t unused = 0;
    const std::string lower = ToLowerUtf8(sentence);
    detail.first_person = FindAnyWord(lower, kSelf, &unused) != std::string::npos ||
                          sentence.find("我") != std::string_view::npos;
  }
  index = 0;
  for (Detail& detail : details) {
    while (index + 1 < sentences.size() && sentences[index].end <= detail.begin) ++index;
    if (sentences.empty()) break;
    detail.query = MakeQuery(text, sentences, index, detail, details);
  }
  return details;
}

std::string SubjectOf(const Detail& detail) {
  const std::string_view sentence = detail.sentence;
  auto at = sentence.find(detail.text);
  if (at == std::string_view::npos) at = sentence.size();
  std::string_view before = sentence.substr(0, at);
  const std::string_view value = detail.text;
  // Chinese: the last clause before the value, its pronouns and copulas taken off.
  bool cjk = false;
  for (std::size_t i = 0; i < sentence.size() && !cjk;) {
    const DecodedCodePoint point = DecodeUtf8(sentence, i);
    cjk = IsCjkIdeograph(point.value);
    i += point.length;
  }
  if (cjk) {
    if (IsStatement(detail.kind) || before.empty()) {
      before = detail.kind == DetailKind::kCorrection || detail.kind == DetailKind::kRule
                   ? std::string_view()
                   : before;
    }
    static constexpr std::string_view kBreaks[] = {"，", "。", "、", "；", "：", "！", " "};
    for (std::string_view stop : kBreaks) {
      const auto cut = before.rfind(stop);
      if (cut != std::string_view::npos && cut + stop.size() < before.size())
        before = before.substr(cut + stop.size());
    }
    static constexpr std::string_view kLeads[] = {"我们的", "我们", "我的", "我", "他的", "她的",
                                                  "你的",   "另外", "其实", "那", "这",   "就"};
    static constexpr std::string_view kTails[] = {"是", "叫", "为", "在", "要", "有", "了", "花",
                                                  "：", ":",  "，", "的", "约", "共", "做", "名"};
    for (bool again = true; again;) {
      again = false;
      for (std::string_view lead : kLeads) {
        if (before.starts_with(lead)) before.remove_prefix(lead.size()), again = true;
      }
      for (std::string_view tail : kTails) {
        if (before.ends_with(tail)) before.remove_suffix(tail.size()), again = true;
      }
      before = TrimmedView(before, kBlanks);
    }
    return std::string(TruncateUtf8(before, 24));
  }
  // English: up to three words before the value that mean something, the nearest ones.
  std::vector<std::string_view> kept;
  const auto take = [&](std::string_view part, bool from_end) {
    std::vector<std::string_view> all;
    for (std::size_t i = 0; i < part.size();) {
      std::size_t j = i;
      while (j < part.size() &&
             (IsAsciiLetter(static_cast<unsigned char>(part[j])) || (part[j] == '\'' && j > i) ||
              static_cast<unsigned char>(part[j]) >= 0x80 || (part[j] == '-' && j > i)))
        ++j;
      if (j > i) {
        const std::string_view word = part.substr(i, j - i);
        const std::string lower = ToLowerUtf8(word);
        static constexpr std::string_view kEmpty[] = {
            "about", "costs",   "cost",    "paid",   "pay",   "bought",    "called",   "named",
            "name",  "around",  "exactly", "born",   "lives", "live",      "going",    "need",
            "want",  "said",    "got",     "will",   "would", "also",      "just",     "really",
            "now",   "like",    "love",    "prefer", "using", "takes",     "comes",    "pounds",
            "total", "back",    "like",    "hate",   "likes", "favourite", "favorite", "lives",
            "works", "because", "it's",    "that's", "i'm",   "i've",      "we're",    "don't",
            "let's", "again",   "still",   "even",   "much",  "many",      "very"};
        if (!Has(words::kNotNames, lower) && !Has(kEmpty, lower) && lower.size() > 2 &&
            !QueryTerms(lower).empty())
          all.push_back(word);
      }
      i = std::max(j, i + 1);
    }
    if (from_end && all.size() > 3) all.erase(all.begin(), all.end() - 3);
    if (!from_end && all.size() > 2) all.resize(2);
    return all;
  };
  if (IsStatement(detail.kind)) {
    kept = take(detail.kind == DetailKind::kPreference ? before : std::string_view(), true);
  } else {
    kept = take(before, true);
    if (kept.empty() && at + value.size() < sentence.size())
      kept = take(sentence.substr(at + value.size()), false);
  }
  std::string subject;
  for (std::string_view word : kept) {
    if (!subject.empty()) subject += ' ';
    subject += word;
  }
  return subject;
}

}  // namespace liubai::memory
