// The scanner: which detail begins at a place.
#include "memory/ledger_scan.h"

#include <algorithm>

#include "memory/ledger_gazetteer.h"
#include "memory/ledger_words.h"
#include "memory/lexicon.h"

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

bool HasWord(std::string_view lower, std::string_view word) {
  if (static_cast<unsigned char>(word[0]) >= 0x80) return lower.find(word) != lower.npos;
  if (!word.ends_with('*')) return FindWord(lower, word) != lower.npos;
  word.remove_suffix(1);
  for (auto at = lower.find(word); at != lower.npos; at = lower.find(word, at + 1)) {
    if (at == 0 || !IsAsciiWord(static_cast<unsigned char>(lower[at - 1]))) return true;
  }
  return false;
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

std::size_t DetailScanner::ClauseStart(std::size_t i, std::size_t most) const {
  std::size_t begin = i;
  while (begin > 0 && i - begin < most) {
    const std::int32_t c = at(begin - 1);
    if (c == ',' || c == ';' || c == '\n' || c == U'，' || c == U'；' || c == 0x3002 ||
        c == 0xFF01 || c == 0xFF1F || c == '!' || c == '?' || c == U'、' ||
        (c == '.' && at(begin) == ' '))
      break;
    --begin;
  }
  return begin;
}

bool DetailScanner::ClauseEndsAt(std::size_t i) const {
  const std::int32_t c = at(i);
  if (c == 0 || c == '\n' || c == '\r' || c == ',' || c == ';' || c == '!' || c == '?' ||
      c == ')' || c == U'，' || c == U'；' || c == 0x3002 || c == 0xFF01 || c == 0xFF1F ||
      c == U'、' || c == U'）' || c == 0x2026)
    return true;
  return c == '.' && !IsAsciiDigit(at(i + 1));
}

std::size_t DetailScanner::Match(std::size_t i) {
  const std::int32_t c = at(i);
  if (c == '`') return Code(i);
  const bool start = AtWordStart(i);
  if (const std::size_t end = ChineseCase(i); end > i) return Add(DetailKind::kIdentifier, i, end);
  if (start && IsAsciiWord(c)) {
    for (const std::size_t end :
         {FlightAt(i), PostCode(i), PinnedVersion(i), ChineseSeat(i), ChineseLabelled(i),
          YearlyNumber(i), LabelledNumber(i), SeatAt(i), TyreSize(i), BritishPlate(i), VersionAt(i),
          FlatNumber(i), CodeWord(i)}) {
      if (end > i) return Add(DetailKind::kIdentifier, i, end);
    }
    if (const std::size_t end = HourByLetter(i); end > i) return Add(DetailKind::kTime, i, end);
    if (const std::size_t end = AboutHour(i); end > i) return Add(DetailKind::kTime, i, end);
    if (const std::size_t end = FeetBySign(i); end > i) return Add(DetailKind::kNumber, i, end);
    if (const std::size_t end = FeetAndInches(i); end > i) return Add(DetailKind::kNumber, i, end);
    if (const std::size_t end = Url(i); end > i) return Add(DetailKind::kUrl, i, end);
    if (const std::size_t end = Call(i); end > i) return Add(DetailKind::kCode, i, end);
    if (const std::size_t end = CommandLine(i); end > i) return Add(DetailKind::kCode, i, end);
    if (const std::size_t end = IdentifierGroups(i); end > i) {
      // "door code 1946#"
      const bool key = at(end) == '#' && IsAsciiDigit(at(end - 1));
      return Add(DetailKind::kIdentifier, i, end + key);
    }
    if (Lettered(i)) return Add(DetailKind::kIdentifier, i, i + 1);
  }
  if (c == '@' && !IsAsciiWord(at(i - 1)) && IsAsciiLetter(at(i + 1))) {
    std::size_t end = i + 1;
    while (IsAsciiWord(at(end)) || at(end) == '_' ||
           ((at(end) == '.' || at(end) == '-') && IsAsciiWord(at(end + 1))))
      ++end;
    if (end > i + 2) return Add(DetailKind::kIdentifier, i, end);
  }
  if (start && IsUpper(c) && Has(words::kCurrencyCodes, WordAt(i).first)) {
    const std::size_t amount = SkipBlanks(WordEnd(i));
    if (IsAsciiDigit(at(amount))) return Add(DetailKind::kMoney, i, MoneyAfterSign(amount - 1));
  }
  if (start && (IsAsciiWord(c) || c == '/' || c == '~' || c == '#' || c == '.')) {
    if (const std::size_t end = Compound(i); end > i) return end;
  }
  if (c == '+' || c == '(' || (start && IsAsciiDigit(c))) {
    if (const std::size_t end = Phone(i); end > i) return Add(DetailKind::kPhone, i, end);
  }
  if (c == '$' || (c >= 0x20A0 && c <= 0x20BF) || c == 0xA3 || c == 0xA5 || c == 0xFFE5) {
    if (const std::size_t end = MoneyAfterSign(i); end > i) return Add(DetailKind::kMoney, i, end);
  }
  if (Is(i, "百分之")) {
    std::size_t end = i + 3;
    while (IsAsciiDigit(at(end)) || at(end) == '.' || IsChineseNumeral(at(end)) || at(end) == U'点')
      ++end;
    if (end > i + 3) return Add(DetailKind::kPercent, i, end);
  }
  if (IsVulgarFraction(c) && !IsAsciiDigit(at(i - 1))) return Quantity(i, i + 1);
  // "-1": a sign, where nothing stands that it could join.
  if ((c == '-' || c == 0x2212) && IsAsciiDigit(at(i + 1)) &&
      (i == 0 || at(i - 1) == ' ' || at(i - 1) == '(')) {
    const std::size_t count = details_.size();
    const std::size_t end = Match(i + 1);
    if (details_.size() == count + 1 && details_.back().begin == offset_[i + 1]) {
      Detail signed_detail = std::move(details_.back());
      details_.pop_back();
      return Add(signed_detail.kind, i, end);
    }
    return end;
  }
  if (IsCjkIdeograph(c)) {
    if (const std::size_t end = ChineseRelativeDate(i); end > i)
      return Add(DetailKind::kDate, i, end);
    // 千岛湖, 九江
    if (IsChineseNumeral(c) && PastAny(i, words::kChinesePlaces) > i) return ChineseName(i);
  }
  if (IsAsciiDigit(c) || IsChineseNumeral(c)) {
    if (const std::size_t end = ChinesePrice(i); end > i) return Add(DetailKind::kMoney, i, end);
    if (const std::size_t end = ChineseMeasure(i); end > i) return Add(DetailKind::kNumber, i, end);
  }
  if ((IsAsciiDigit(c) && (i == 0 || !IsAsciiLetter(at(i - 1)))) || IsChineseNumeral(c) ||
      c == U'第') {
    if (IsAsciiDigit(c)) {
      if (const std::size_t end = TimeByWord(i); end > i) return Add(DetailKind::kTime, i, end);
    }
    return Number(i);
  }
  if (start && IsAsciiLetter(c)) {
    if (const std::size_t end = DateByWord(i); end > i) return Add(DetailKind::kDate, i, end);
    if (const std::size_t end = TimeByWord(i); end > i) return Add(DetailKind::kTime, i, end);
    if (const std::size_t end = CountByWord(i); end > i) return end;
    if (const std::size_t end = NumberWords(i, nullptr); end > i) return Quantity(i, end);
    if (c >= 'a') {
      if (const std::size_t end = LowerName(i); end > i) return end;
      if (const std::size_t end = LowerPerson(i); end > i) return end;
    }
  }
  if (IsCjkIdeograph(c)) {
    if (c == U'半' && !IsChineseNumeral(at(i - 1)) && !InList(at(i - 1), "点个大多过后前上下夜")) {
      static constexpr std::string_view kHalves[] = {"半年", "半个月", "半小时", "半个小时",
                                                     "半斤", "半公斤", "半公里", "半杯",
                                                     "半瓶", "半碗"};
      if (const std::size_t end = PastAny(i, kHalves); end > i)
        return Add(DetailKind::kNumber, i, end);
    }
    if (const std::size_t end = ChinesePlate(i); end > i)
      return Add(DetailKind::kIdentifier, i, end);
    if (const std::size_t end = ChineseFile(i); end > i) return Add(DetailKind::kFile, i, end);
    if (const std::size_t end = ChineseDate(i); end > i) return Add(DetailKind::kDate, i, end);
    if (const std::size_t end = ChineseTime(i); end > i) return Add(DetailKind::kTime, i, end);
    for (const std::size_t end :
         {ChineseProduct(i), ChineseMaker(i), ChineseKnown(i), ChineseShop(i)}) {
      if (end > i) return Add(DetailKind::kName, i, end);
    }
    if (const std::size_t end = ChineseName(i); end > i) return end;
    if (const std::size_t end = ModelledName(i); end > i) return end;
    if (const std::size_t end = ChineseProject(i); end > i) return Add(DetailKind::kName, i, end);
    return i;
  }
  if (start && IsUpper(c)) {
    // QQ音乐
    const std::size_t brand = ChineseBrandBytes(text_.substr(offset_[i]));
    const std::size_t end = i + CountCodePoints(text_.substr(offset_[i], brand));
    if (brand > 0 && IsCjkIdeograph(at(end - 1))) return Add(DetailKind::kName, i, end);
    return Name(i);
  }
  return i;
}

}  // namespace liubai::memory
