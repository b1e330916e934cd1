#include "memory/quantity.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "core/text.h"
#include "memory/ledger_scan.h"
#include "memory/numerals.h"

namespace liubai::memory {
namespace {

using U32 = std::u32string_view;

struct UnitName {
  std::string_view name;
  std::string_view unit;
};
constexpr UnitName kEnglishUnits[] = {{"dollar", "usd"},
                                      {"dollars", "usd"},
                                      {"bucks", "usd"},
                                      {"usd", "usd"},
                                      {"euro", "eur"},
                                      {"euros", "eur"},
                                      {"eur", "eur"},
                                      {"gbp", "gbp"},
                                      {"quid", "gbp"},
                                      {"yuan", "cny"},
                                      {"rmb", "cny"},
                                      {"cny", "cny"},
                                      {"yen", "jpy"},
                                      {"jpy", "jpy"},
                                      {"cents", "cent"},
                                      {"cent", "cent"},
                                      {"percent", "percent"},
                                      {"pct", "percent"},
                                      {"kg", "kg"},
                                      {"kgs", "kg"},
                                      {"kilo", "kg"},
                                      {"kilos", "kg"},
                                      {"kilogram", "kg"},
                                      {"kilograms", "kg"},
                                      {"g", "g"},
                                      {"gram", "g"},
                                      {"grams", "g"},
                                      {"lb", "lb"},
                                      {"lbs", "lb"},
                                      {"pound", "lb"},
                                      {"pounds", "lb"},
                                      {"oz", "oz"},
                                      {"ounce", "oz"},
                                      {"ounces", "oz"},
                                      {"km", "km"},
                                      {"kms", "km"},
                                      {"kilometer", "km"},
                                      {"kilometers", "km"},
                                      {"kilometre", "km"},
                                      {"kilometres", "km"},
                                      {"mile", "mile"},
                                      {"miles", "mile"},
                                      {"m", "m"},
                                      {"meter", "m"},
                                      {"meters", "m"},
                                      {"metre", "m"},
                                      {"metres", "m"},
                                      {"cm", "cm"},
                                      {"centimeters", "cm"},
                                      {"centimetres", "cm"},
                                      {"mm", "mm"},
                                      {"foot", "ft"},
                                      {"feet", "ft"},
                                      {"ft", "ft"},
                                      {"inch", "in"},
                                      {"inches", "in"},
                                      {"hour", "hour"},
                                      {"hours", "hour"},
                                      {"hr", "hour"},
                                      {"hrs", "hour"},
                                      {"minute", "minute"},
                                      {"minutes", "minute"},
                                      {"min", "minute"},
                                      {"mins", "minute"},
                                      {"second", "second"},
                                      {"seconds", "second"},
                                      {"sec", "second"},
                                      {"secs", "second"},
                                      {"day", "day"},
                                      {"days", "day"},
                                      {"night", "night"},
                                      {"nights", "night"},
                                      {"week", "week"},
                                      {"weeks", "week"},
                                      {"month", "month"},
                                      {"months", "month"},
                                      {"year", "year"},
                                      {"years", "year"},
                                      {"yrs", "year"},
                                      {"time", "time"},
                                      {"times", "time"},
                                      {"people", "person"},
                                      {"persons", "person"},
                                      {"person", "person"},
                                      {"guests", "person"},
                                      {"degrees", "degree"},
                                      {"degree", "degree"},
                                      {"liter", "l"},
                                      {"liters", "l"},
                                      {"litre", "l"},
                                      {"litres", "l"},
                                      {"l", "l"},
                                      {"ml", "ml"},
                                      {"gb", "gb"},
                                      {"mb", "mb"},
                                      {"tb", "tb"},
                                      {"kb", "kb"},
                                      {"calories", "kcal"},
                                      {"kcal", "kcal"},
                                      {"acres", "acre"},
                                      {"pages", "page"},
                                      {"page", "page"}};

struct ChineseUnit {
  U32 name;
  std::string_view unit;
};
// Longer names first; those with "" count without saying what.
constexpr ChineseUnit kChineseUnits[] = {
    {U"人民币", "cny"},  {U"平方米", "m2"},   {U"公斤", "kg"},     {U"千克", "kg"},
    {U"公里", "km"},     {U"千米", "km"},     {U"厘米", "cm"},     {U"毫米", "mm"},
    {U"英里", "mile"},   {U"英尺", "ft"},     {U"英寸", "in"},     {U"毫升", "ml"},
    {U"小时", "hour"},   {U"钟头", "hour"},   {U"分钟", "minute"}, {U"星期", "week"},
    {U"礼拜", "week"},   {U"个月", "month"},  {U"美元", "usd"},    {U"美金", "usd"},
    {U"欧元", "eur"},    {U"英镑", "gbp"},    {U"日元", "jpy"},    {U"港币", "hkd"},
    {U"港元", "hkd"},    {U"元钱", "cny"},    {U"块钱", "cny"},    {U"平米", "m2"},
    {U"个小时", "hour"}, {U"个钟头", "hour"}, {U"个星期", "week"}, {U"个礼拜", "week"},
    {U"个人", "person"}, {U"元", "cny"},      {U"块", "cny"},      {U"克", "g"},
    {U"斤", "jin"},      {U"米", "m"},        {U"升", "l"},        {U"秒", "second"},
    {U"天", "day"},      {U"晚", "night"},    {U"周", "week"},     {U"年", "year"},
    {U"岁", "year"},     {U"度", "degree"},   {U"人", "person"},   {U"位", "person"},
    {U"名", "person"},   {U"次", "time"},     {U"遍", "time"},     {U"趟", "time"},
    {U"回", "time"},     {U"倍", "times"},    {U"页", "page"},     {U"亩", "mu"},
    {U"个", ""},         {U"只", ""},         {U"条", ""},         {U"本", ""},
    {U"张", ""},         {U"台", ""},         {U"辆", ""},         {U"件", ""},
    {U"套", ""},         {U"间", ""},         {U"瓶", ""},         {U"杯", ""},
    {U"顿", ""},         {U"棵", ""},         {U"份", ""},         {U"家", ""},
    {U"种", ""},         {U"场", ""},         {U"部", ""},         {U"首", ""},
    {U"口", ""},         {U"颗", ""},         {U"双", ""},         {U"把", ""},
    {U"层", ""},         {U"节", ""},         {U"道", ""},         {U"字", ""}};

// 10^-exponent units; `text` instead for digits that do not fit.
struct Decimal {
  std::int64_t mantissa = 0;
  int decimals = 0;
  std::string text;
};
constexpr int kMostDecimals = 6;
constexpr std::int64_t kMostMantissa = 1'000'000'000'000'000;

void Scale(Decimal* value, std::int64_t by) {
  while (by > 1 && by % 10 == 0 && value->decimals > 0) --value->decimals, by /= 10;
  if (!value->text.empty() || value->mantissa > kMostMantissa / std::max<std::int64_t>(1, by))
    return;
  value->mantissa *= by;
}
void AddHalf(Decimal* value) {
  if (value->decimals == 0 && value->mantissa < kMostMantissa / 10) {
    value->mantissa = value->mantissa * 10 + 5;
    value->decimals = 1;
  }
}
std::string Plain(Decimal value, bool negative) {
  if (!value.text.empty()) {
    if (negative) value.text.insert(value.text.begin(), '-');
    return value.text;
  }
  while (value.decimals > 0 && value.mantissa % 10 == 0) value.mantissa /= 10, --value.decimals;
  std::string digits = std::to_string(value.mantissa);
  if (value.decimals > 0) {
    const std::size_t places = static_cast<std::size_t>(value.decimals);
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    digits.insert(digits.size() - places, 1, '.');
  }
  if (negative && value.mantissa != 0) digits.insert(digits.begin(), '-');
  return digits;
}

std::int64_t ScaleWord(std::string_view lower) {
  return lower == "dozen" ? 12 : EnglishScale(lower);
}
std::string_view EnglishUnit(std::string_view lower) {
  static const std::unordered_map<std::string_view, std::string_view> units = [] {
    std::unordered_map<std::string_view, std::string_view> map;
    for (const UnitName& name : kEnglishUnits) map.emplace(name.name, name.unit);
    return map;
  }();
  const auto found = units.find(lower);
  return found == units.end() ? std::string_view() : found->second;
}
std::string_view SignUnit(char32_t c) {
  switch (c) {
    case U'$':
      return "usd";
    case U'€':
      return "eur";
    case U'£':
      return "gbp";
    case U'¥':
    case U'￥':
      return "cny";
    case U'₹':
      return "inr";
    default:
      return {};
  }
}

// Numerals as they stand on cheques and in the traditional script, too.
char32_t Simple(char32_t c) {
  constexpr U32 kFrom = U"壹贰叁肆伍陆柒捌玖拾佰仟萬億兩";
  constexpr U32 kTo = U"一二三四五六七八九十百千万亿两";
  const std::size_t at = kFrom.find(c);
  return at == U32::npos ? c : kTo[at];
}

class QuantityScan {
 public:
  explicit QuantityScan(std::string_view text) {
    code_.reserve(text.size());
    offset_.reserve(text.size() + 1);
    for (std::size_t i = 0; i < text.size();) {
      const DecodedCodePoint point = DecodeUtf8(text, i);
      char32_t c = point.value < 0 ? 0xfffd : static_cast<char32_t>(point.value);
      if (c >= 0xff10 && c <= 0xff19) c -= 0xfee0;
      if (c == 0xff0c) c = U'，';
      code_.push_back(Simple(c));
      offset_.push_back(static_cast<std::uint32_t>(i));
      i += point.length;
    }
    offset_.push_back(static_cast<std::uint32_t>(text.size()));
  }

  std::vector<Quantity> Run() {
    for (std::size_t i = 0; i < code_.size();) {
      std::size_t end = i;
      if (IsDigit(C(i))) {
        end = Digits(i);
      } else if (IsNumeral(C(i)) || C(i) == U'半') {
        end = Chinese(i);
      } else if (IsLetter(C(i))) {
        end = Words(i);
        if (end == i) end = WordEnd(i);
      }
      i = std::max(end, i + 1);
    }
    return std::move(found_);
  }

 private:
  char32_t C(std::size_t i) const { return i < code_.size() ? code_[i] : 0; }
  static bool IsDigit(char32_t c) { return c >= '0' && c <= '9'; }
  static bool IsLetter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool IsNumeral(char32_t c) { return IsChineseNumeral(static_cast<std::int32_t>(c)); }
  bool Is(std::size_t i, U32 word) const {
    return U32(code_).substr(std::min(i, code_.size())).starts_with(word);
  }
  std::size_t WordEnd(std::size_t i) const {
    while (IsLetter(C(i)) || IsDigit(C(i)) || C(i) == '_') ++i;
    return i;
  }
  // The letters at `i`, lower case; "" for none and for words longer than any that is known.
  std::string Word(std::size_t i) const {
    std::string word;
    for (; IsLetter(C(i)); ++i) {
      if (word.size() >= 12) return {};
      word += static_cast<char>(C(i) | 32);
    }
    return IsDigit(C(i)) ? std::string() : word;
  }

  // Adds a quantity from `begin` to `end`; returns `end`.
  std::size_t Add(const Decimal& value, std::string_view unit, std::size_t begin, std::size_t end,
                  bool negative = false) {
    found_.push_back({{offset_[begin], offset_[end]}, Plain(value, negative), std::string(unit)});
    return end;
  }

  // A unit at `i`, past one blank or hyphen; `end` moves past it. `known` tells a unit without a
  // name (个) from none.
  std::string_view UnitAt(std::size_t i, std::size_t* end, bool* known) const {
    *known = true;
    if (C(i) == '%' || C(i) == 0xff05) return *end = i + 1, "percent";
    if (const std::string_view sign = SignUnit(C(i)); !sign.empty()) return *end = i + 1, sign;
    if (C(i) == U'°' || C(i) == U'℃') return *end = i + 1, "degree";
    const std::size_t at = C(i) == ' ' || C(i) == '-' ? i + 1 : i;
    if (IsLetter(C(at))) {
      const std::string word = Word(at);
      const std::string_view unit = EnglishUnit(word);
      // A single letter only right behind the digits.
      if (!unit.empty() && (word.size() > 1 || at == i)) return *end = at + word.size(), unit;
    }
    for (const ChineseUnit& name : kChineseUnits) {
      if (!Is(at, name.name)) continue;
      *end = at + name.name.size();
      return name.unit;
    }
    *known = false;
    return {};
  }

  // Digits with groups of three and a decimal part; the end, `i` for what is longer than a number.
  std::size_t ReadDigits(std::size_t i, Decimal* value) const {
    std::size_t end = i;
    std::string digits;
    while (IsDigit(C(end))) digits += static_cast<char>(C(end++));
    if (end - i <= 3) {
      while ((C(end) == ',' || C(end) == U'，') && IsDigit(C(end + 1)) && IsDigit(C(end + 2)) &&
             IsDigit(C(end + 3)) && !IsDigit(C(end + 4))) {
        for (std::size_t k = end + 1; k < end + 4; ++k) digits += static_cast<char>(C(k));
        end += 4;
      }
    }
    std::string places;
    if (C(end) == '.' && IsDigit(C(end + 1))) {
      ++end;
      while (IsDigit(C(end))) places += static_cast<char>(C(end++));
      if (C(end) == '.' && IsDigit(C(end + 1))) return i;  // 1.2.3
    }
    const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    digits.erase(0, zeros);
    while (!places.empty() && places.back() == '0') places.pop_back();
    if (digits.size() + places.size() > 15 || places.size() > kMostDecimals) {
      value->text = places.empty() ? digits : digits + "." + places;
      return end;
    }
    value->mantissa = std::stoll(digits + places);
    value->decimals = static_cast<int>(places.size());
    return end;
  }

  std::size_t Digits(std::size_t i) {
    Decimal value;
    std::size_t end = ReadDigits(i, &value);
    if (end == i) {
      while (IsDigit(C(end)) || C(end) == '.') ++end;
      return end;
    }
    // What begins before the digits.
    std::size_t begin = i;
    std::string_view unit;
    bool negative = false;
    if (begin > 0) {
      const std::size_t sign = C(begin - 1) == ' ' && begin > 1 ? begin - 2 : begin - 1;
      unit = SignUnit(C(sign));
      if (!unit.empty()) {
        begin = sign;
        if (begin > 1 && (C(begin - 1) == 'S' || C(begin - 1) == 's') &&
            (C(begin - 2) == 'U' || C(begin - 2) == 'u')) {
          begin -= 2;  // US$
        }
      } else if (C(begin - 1) == ' ' && begin > 3 && IsLetter(C(begin - 2))) {
        std::size_t word = begin - 1;
        while (word > 0 && begin - word < 6 && IsLetter(C(word - 1))) --word;
        const std::string name = Word(word);
        if (name == "usd" || name == "eur" || name == "gbp" || name == "rmb" || name == "cny") {
          unit = EnglishUnit(name);
          begin = word;
        } else if (name == "minus") {
          negative = true;
          begin = word;
        }
      }
      if (IsLetter(C(i - 1)) || C(i - 1) == '_' || C(i - 1) == '#') return WordEnd(end);  // A12
      if (C(i - 1) == U'第') return end;
      if ((C(i - 1) == '-' || C(i - 1) == 0x2212) && (i == 1 || C(i - 2) == ' ')) {
        negative = true;
        begin = i - 1;
      }
      if (C(i - 1) == U'负' || (i > 1 && C(i - 2) == U'零' && C(i - 1) == U'下')) {
        negative = true;
        begin = C(i - 1) == U'负' ? i - 1 : i - 2;
      }
    }
    if ((C(end) == ':' || C(end) == 0xff1a) && IsDigit(C(end + 1))) {  // 7:30
      while (IsDigit(C(end)) || C(end) == ':' || C(end) == 0xff1a) ++end;
      return end;
    }
    if (C(end) == '-' && IsDigit(C(end + 1)) && unit.empty()) {
      std::size_t next = end + 1;
      while (IsDigit(C(next))) ++next;
      // Telephone numbers and identifiers: several groups, or a long one.
      if ((C(next) == '-' && IsDigit(C(next + 1))) || next - end > 4) {
        while (IsDigit(C(next)) || C(next) == '-') ++next;
        return next;
      }
    }
    if (C(end) == '/' && IsDigit(C(end + 1)) && value.decimals == 0) {
      Decimal below;
      const std::size_t past = ReadDigits(end + 1, &below);
      const bool exact = below.mantissa == 2 || below.mantissa == 4 || below.mantissa == 5 ||
                         below.mantissa == 8 || below.mantissa == 10;
      if (past == end + 1 || !exact || value.mantissa >= below.mantissa || C(past) == '/') {
        return std::max(past, end + 1);
      }
      value.mantissa = value.mantissa * 1000 / below.mantissa;
      value.decimals = 3;
      end = past;
    }
    if (C(end) == U'½') AddHalf(&value), ++end;
    // What follows them.
    const char32_t low = C(end) < 128 ? C(end) | 32 : C(end);
    if (IsLetter(C(end)) && !IsLetter(C(end + 1)) && !IsDigit(C(end + 1))) {
      if (low == 'k') {
        Scale(&value, 1000), ++end;
      } else if (low == 'm' && (!unit.empty() || C(end) == 'M')) {
        Scale(&value, 1'000'000), ++end;
      } else if (low == 'b' && !unit.empty()) {
        Scale(&value, 1'000'000'000), ++end;
      }
    } else if (IsLetter(C(end))) {
      const std::string suffix = Word(end);
      if (suffix == "bn") {
        Scale(&value, 1'000'000'000), end += 2;
      } else if (EnglishUnit(suffix).empty()) {
        return WordEnd(end);  // 3rd, 10am, 5xyz
      }
    }
    while (ChineseScale(static_cast<std::int32_t>(C(end))) > 0) {
      Scale(&value, ChineseScale(static_cast<std::int32_t>(C(end++))));
    }
    if (C(end) == ' ') {
      if (const std::string word = Word(end + 1); ScaleWord(word) > 0) {
        Scale(&value, ScaleWord(word));
        end += 1 + word.size();
      }
    }
    return Finish(value, unit, begin, end, negative);
  }

  // Looks for the unit behind the number, and for the half of 两个半小时.
  std::size_t Finish(Decimal value, std::string_view unit, std::size_t begin, std::size_t end,
                     bool negative) {
    if (C(end) == U'多') ++end;
    if (Is(end, U"个半")) {
      bool known = false;
      std::size_t past = end + 2;
      const std::string_view half =
          C(end + 2) == U'月' ? (past = end + 3, "month") : UnitAt(end + 2, &past, &known);
      if (!half.empty()) {
        AddHalf(&value);
        return Add(value, half, begin, past, negative);
      }
    }
    bool known = false;
    std::size_t past = end;
    const std::string_view after = UnitAt(end, &past, &known);
    if (known) end = past;
    if (after == "cny" && C(past - 1) == U'块') {  // 三块五
      const int tenths = ChineseDigit(static_cast<std::int32_t>(C(past)));
      if (tenths > 0 && value.decimals == 0 && !IsNumeral(C(past + 1))) {
        value.mantissa = value.mantissa * 10 + tenths;
        value.decimals = 1;
        end = past + (C(past + 1) == U'毛' || C(past + 1) == U'角' ? 2 : 1);
      }
    }
    if (unit.empty()) unit = after;
    return Add(value, unit, begin, end, negative);
  }

  // "two hundred and ten", "a dozen", "half a million", "minus five", "two and a half".
  std::size_t Words(std::size_t i) {
    if (i > 0 &&
        (IsLetter(C(i - 1)) || IsDigit(C(i - 1)) || C(i - 1) == '\'' || C(i - 1) == 0x2019)) {
      return i;
    }
    std::string word = Word(i);
    std::size_t begin = i, at = i;
    bool negative = false, half = false;
    if (word == "minus" && C(i + 5) == ' ') {
      negative = true;
      at = i + 6;
      word = Word(at);
      if (EnglishNumber(word) < 0) return i;
    }
    if (word == "half" && C(at + 4) == ' ') {  // "half a million", "half an hour"
      const std::string article = Word(at + 5);
      if (article != "a" && article != "an") return i;
      const std::size_t next = at + 6 + article.size();
      const std::string noun = Word(next);
      if (const std::int64_t scale = ScaleWord(noun); scale > 1) {
        Decimal value{5, 1, {}};
        Scale(&value, scale);
        return Finish(value, {}, begin, next + noun.size(), false);
      }
      const std::string_view unit = EnglishUnit(noun);
      return unit.empty() ? i : Add(Decimal{5, 1, {}}, unit, begin, next + noun.size());
    }
    std::int64_t total = 0, section = 0;
    int used = 0;
    std::size_t end = at;
    if (word == "a" && C(at + 1) == ' ' && ScaleWord(Word(at + 2)) > 0) {
      section = 1;
      used = 1;
      end = at + 1;
      at += 2;
      word = Word(at);
    }
    bool only_one = true;
    while (true) {
      const int n = EnglishNumber(word);
      const std::int64_t scale = ScaleWord(word);
      const std::int64_t last = section % 100;
      if (n >= 0 && (last == 0 || (last >= 20 && last % 10 == 0 && n > 0 && n < 10)) &&
          !(n == 0 && used > 0)) {
        section += n;
        only_one &= n == 1 && used == 0;
      } else if (scale > 0 && used > 0 &&
                 total < kMostMantissa / 1'000'000'000'000 + 1'000'000'000'000) {
        only_one = false;
        if (scale < 1000) {
          section = std::max<std::int64_t>(1, section) * scale;
        } else {
          total += std::max<std::int64_t>(1, section) * scale;
          section = 0;
        }
      } else {
        break;
      }
      ++used;
      end = at + word.size();
      std::size_t next = end;
      if (C(next) != ' ' && C(next) != '-') break;
      word = Word(next + 1);
      if (word == "and" && C(next) == ' ' && C(next + 4) == ' ') {
        const std::string after = Word(next + 5);
        if (after == "a" && Word(next + 7) == "half") {
          half = true;
          end = next + 11;
          break;
        }
        if (EnglishNumber(after) < 0 || (section < 100 && total == 0)) break;
        next += 4;
        word = after;
      }
      at = next + 1;
    }
    if (used == 0) return i;
    Decimal value{total + section, 0, {}};
    if (half) AddHalf(&value);
    if (C(end) == ' ' && Word(end + 1) == "point" && C(end + 6) == ' ') {  // "three point five"
      const std::string tenths = Word(end + 7);
      if (const int n = EnglishNumber(tenths); n >= 0 && n < 10) {
        value.mantissa = value.mantissa * 10 + n;
        value.decimals = 1;
        end += 7 + tenths.size();
        only_one = false;
      }
    }
    bool known = false;
    std::size_t past = end;
    const std::string_view unit = UnitAt(end, &past, &known);
    // "the one", "one of them"
    if (only_one && !half && (unit.empty() || unit == "time")) return i;
    return Add(value, unit, begin, known ? past : end, negative);
  }

  std::size_t Chinese(std::size_t i) {
    std::size_t begin = i, end = i;
    bool negative = false;
    if (begin > 0 && (C(i - 1) == U'第' || C(i - 1) == U'初')) {
      while (IsNumeral(C(end))) ++end;
      return end;
    }
    if (C(i) == U'半') {  // 半小时, 半斤
      bool known = false;
      std::size_t past = i + 1;
      if (i > 0 && (IsNumeral(C(i - 1)) || C(i - 1) == U'一')) return i + 1;
      const std::string_view unit =
          Is(i + 1, U"个月") ? (past = i + 3, "month") : UnitAt(i + 1, &past, &known);
      return unit.empty() || past == i + 1 ? i + 1 : Add(Decimal{5, 1, {}}, unit, i, past);
    }
    if (Is(i, U"百分之")) {
      Decimal value;
      end = IsDigit(C(i + 3)) ? ReadDigits(i + 3, &value) : ReadNumeral(i + 3, &value);
      return end > i + 3 ? Add(value, "percent", i, end) : i + 3;
    }
    Decimal value;
    end = ReadNumeral(i, &value);
    if (end == i) return i + 1;
    // 两三天: no one number.
    if (end == i + 2 && value.mantissa % 10 == value.mantissa / 10 + 1 && value.mantissa > 10 &&
        value.mantissa < 90 && ChineseScale(static_cast<std::int32_t>(C(i))) == 0 &&
        ChineseScale(static_cast<std::int32_t>(C(i + 1))) == 0) {
      return end;
    }
    if (i > 0 && C(i - 1) == U'负') negative = true, begin = i - 1;
    if (i > 1 && C(i - 2) == U'零' && C(i - 1) == U'下') negative = true, begin = i - 2;
    if (C(end) == U'成' && end == i + 1 && value.mantissa > 0 && value.mantissa < 10 &&
        C(end + 1) != U'为' && C(end + 1) != U'功' && C(end + 1) != U'都' && C(end + 1) != U'就') {
      Scale(&value, 10);
      return Add(value, "percent", begin, end + 1);  // 三成
    }
    const std::size_t past_more = C(end) == U'多' ? end + 1 : end;
    bool known = false;
    std::size_t past = past_more;
    const std::string_view unit = UnitAt(past_more, &past, &known);
    known |= Is(past_more, U"个半");
    if (end == i + 1) {
      // One character is a number only before what it counts; 一个, 一本 are articles.
      if (!known && C(end) != U'月') return end;
      if (C(i) == U'一' && (unit.empty() || unit == "time") && !Is(end, U"个半")) return end;
      if (IsChineseScaleWord(i)) return end;
      if (C(i) == U'十' && C(end) == U'分') return end;
    } else if (end == i + 2 && !known && (Is(i, U"千万") || Is(i, U"一一") || Is(i, U"万一"))) {
      return end;
    } else if (Is(i, U"一万") && !known) {
      return end;
    }
    return Finish(value, {}, begin, end, negative);
  }
  bool IsChineseScaleWord(std::size_t i) const {
    return C(i) == U'千' || C(i) == U'万' || C(i) == U'百' || C(i) == U'亿';
  }

  // 四千二百三十七, 两万五, 二〇二三, 三点五; the end.
  std::size_t ReadNumeral(std::size_t i, Decimal* value) const {
    std::size_t end = i;
    while (IsNumeral(C(end)) && end < i + 24) ++end;
    if (end == i) return i;
    value->mantissa = ChineseValue(U32(code_).substr(i, end - i));
    // 三点五公里, not 三点五分
    if (C(end) == U'点' && ChineseDigit(static_cast<std::int32_t>(C(end + 1))) >= 0) {
      std::size_t past = end + 1;
      Decimal with = *value;
      while (ChineseDigit(static_cast<std::int32_t>(C(past))) >= 0 &&
             with.decimals < kMostDecimals) {
        with.mantissa = with.mantissa * 10 + ChineseDigit(static_cast<std::int32_t>(C(past++)));
        ++with.decimals;
      }
      bool known = false;
      std::size_t unit_end = past;
      const std::string_view unit = UnitAt(past, &unit_end, &known);
      const std::int64_t scale = ChineseScale(static_cast<std::int32_t>(C(past)));
      if (scale > 0) Scale(&with, scale), ++past;
      if (!unit.empty() || scale > 0) *value = with, end = past;
    }
    return end;
  }

  std::u32string code_;
  std::vector<std::uint32_t> offset_;
  std::vector<Quantity> found_;
};

}  // namespace

std::vector<Quantity> QuantitiesIn(std::string_view text) { return QuantityScan(text).Run(); }

}  // namespace liubai::memory
