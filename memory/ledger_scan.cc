// The scanner: which detail begins at a place, and those that are written with signs.
#include "memory/ledger_scan.h"

#include <algorithm>

#include "memory/ledger_words.h"

namespace liubai::memory {

using words::Has;

std::string_view TrimmedView(std::string_view text, std::string_view blanks) {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return text.substr(0, 0);
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

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

DetailScanner::DetailScanner(std::string_view text) : text_(text) {
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

std::vector<Detail> DetailScanner::Values() {
  for (std::size_t i = 0; i < size() && details_.size() < kMostDetails;) {
    const std::size_t end = Match(i);
    i = end > i ? end : Next(i);
  }
  Quotes();
  return std::move(details_);
}

std::string DetailScanner::NarrowText(std::size_t begin, std::size_t end) const {
  std::string out;
  for (std::size_t i = begin; i < end; ++i) AppendUtf8(code_[i], out);
  return out;
}

std::string DetailScanner::Lower(std::size_t begin, std::size_t end) const {
  return ToLowerUtf8(NarrowText(begin, end));
}

bool DetailScanner::Is(std::size_t i, std::string_view ascii_or_utf8) const {
  return text_.substr(offset_[std::min(i, size())]).starts_with(ascii_or_utf8);
}

std::size_t DetailScanner::WordEnd(std::size_t i) const {
  while (i < size() && (IsAsciiWord(at(i)) || (at(i) > 127 && IsLetter(at(i)) && !IsCjk(at(i))) ||
                        (at(i) == '\'' && IsAsciiLetter(at(i + 1)))))
    ++i;
  return i;
}

std::size_t DetailScanner::SkipBlanks(std::size_t i) const {
  while (at(i) == ' ') ++i;
  return i;
}

// The lower-case word that begins after blanks at `i`, and its end.
std::pair<std::string, std::size_t> DetailScanner::WordAt(std::size_t i) const {
  i = SkipBlanks(i);
  const std::size_t end = WordEnd(i);
  return {Lower(i, end), end};
}

std::string DetailScanner::WordBefore(std::size_t i) const {
  while (i > 0 && at(i - 1) == ' ') --i;
  std::size_t begin = i;
  while (begin > 0 && (IsAsciiWord(at(begin - 1)) || at(begin - 1) == '\'')) --begin;
  return Lower(begin, i);
}

// Past the whole word, number or character at `i`.
std::size_t DetailScanner::Next(std::size_t i) const {
  const std::size_t end = WordEnd(i);
  return end > i ? end : i + 1;
}

bool DetailScanner::AtWordStart(std::size_t i) const {
  return i == 0 || (!IsAsciiWord(at(i - 1)) &&
                    !(at(i - 1) > 127 && IsLetter(at(i - 1)) && !IsCjk(at(i - 1))));
}

bool DetailScanner::InList(std::int32_t c, std::string_view list) const {
  std::string one;
  AppendUtf8(c, one);
  return list.find(one) != std::string_view::npos;
}

std::size_t DetailScanner::Add(DetailKind kind, std::size_t begin, std::size_t end) {
  Detail detail;
  detail.kind = kind;
  detail.begin = offset_[begin];
  detail.end = offset_[end];
  detail.text = std::string(Bytes(begin, end));
  details_.push_back(std::move(detail));
  return end;
}

std::size_t DetailScanner::Match(std::size_t i) {
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
    if (const std::size_t end = MoneyAfterSign(i); end > i) return Add(DetailKind::kMoney, i, end);
  }
  if (Is(i, "百分之")) {
    std::size_t end = i + 3;
    while (IsAsciiDigit(at(end)) || at(end) == '.' || IsChineseNumeral(at(end)) || at(end) == U'点')
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

std::size_t DetailScanner::Code(std::size_t i) {
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

std::size_t DetailScanner::Url(std::size_t i) const {
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
std::size_t DetailScanner::Compound(std::size_t i) {
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
    if (signs > 0 && upper == letters && letters > 3 && slashes == 0 && word.find(':') == word.npos)
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

bool DetailScanner::LooksLikeDottedDate(std::string_view word) {
  const auto first = word.find('.'), last = word.rfind('.');
  return first != last && first <= 2 && last - first <= 3 && word.size() - last == 5;
}

// Groups of digits with separators, 7 to 15 digits in all; an 11-digit mobile number.
std::size_t DetailScanner::Phone(std::size_t i) const {
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

void DetailScanner::Quotes() {
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

}  // namespace liubai::memory
