// memory/ledger_scan.h: what the sources of the ledger share: the scanner of values and the search
// for words.
//
// The scanner reads the text once, as code points, with full-width letters and signs as their
// narrow forms. Its methods take the place of a code point; those that return a place return the
// end of what they found, or the place they were given when it is not there.
//
// Threads: one thread for each scanner; the free functions have no state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"
#include "memory/ledger.h"
#include "memory/numerals.h"

namespace liubai::memory {

inline constexpr std::string_view kBlanks = " \t\r\n";

inline bool IsAsciiDigit(std::int32_t c) { return c >= '0' && c <= '9'; }
inline bool IsAsciiLetter(std::int32_t c) { return (c | 32) >= 'a' && (c | 32) <= 'z' && c < 128; }
inline bool IsAsciiWord(std::int32_t c) { return IsAsciiDigit(c) || IsAsciiLetter(c); }
inline bool IsVulgarFraction(std::int32_t c) {
  return (c >= 0xBC && c <= 0xBE) || (c >= 0x2150 && c <= 0x215E);
}
inline bool IsUpper(std::int32_t c) { return c >= 0 && IsLetter(c) && ToLower(c) != c; }

// `text` with a blank in the place of each `value`.
std::string Without(std::string_view text, std::string_view value);
std::string_view TrimmedView(std::string_view text, std::string_view blanks);
// Finds `needle` in lower-case ASCII text at word boundaries.
std::size_t FindWord(std::string_view text, std::string_view needle);
// `word` stands in `lower`: an English one whole, or, where it ends in '*', as the beginning of a
// word; a Chinese one anywhere.
bool HasWord(std::string_view lower, std::string_view word);
template <class List>
bool HasAnyWord(std::string_view lower, const List& list) {
  return std::any_of(std::begin(list), std::end(list),
                     [&](std::string_view word) { return HasWord(lower, word); });
}
// Programs and languages, which have versions: "Java".
bool IsTool(std::string_view name);
// In lower case: a given name of people; a company, product or service that is no other word.
bool IsGivenName(std::string_view lower);
bool IsBrand(std::string_view lower);
// What only people do: "said". A word that neither English nor talk has.
bool IsDeed(std::string_view lower);
bool IsUnknownWord(std::string_view lower);
// The first of `list` at word boundaries, and where it ends.
template <class List>
std::size_t FindAnyWord(std::string_view text, const List& list, std::size_t* end) {
  std::size_t best = std::string_view::npos;
  for (std::string_view needle : list) {
    const auto at = FindWord(text, needle);
    if (at < best) best = at, *end = at + needle.size();
  }
  return best;
}
// The first of `list`, and where it ends.
template <class List>
std::size_t FindAny(std::string_view text, const List& list, std::size_t* end) {
  std::size_t best = std::string_view::npos;
  for (std::string_view needle : list) {
    const auto at = text.find(needle);
    if (at < best) best = at, *end = at + needle.size();
  }
  return best;
}

// Appends the statements of the sentence `range` of `text`, whose values are in `details` already.
void FindStatements(std::string_view text, TextRange range, std::vector<Detail>* details);

class DetailScanner {
 public:
  explicit DetailScanner(std::string_view text);

  // Values and quotations, values first.
  std::vector<Detail> Values();
  std::vector<std::string> Numbers() const;

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
    begin = std::min(begin, size());
    end = std::max(begin, std::min(end, size()));
    return text_.substr(offset_[begin], offset_[end] - offset_[begin]);
  }

  // ledger_scan.cc: characters and words.
  std::string NarrowText(std::size_t begin, std::size_t end) const;
  std::string Lower(std::size_t begin, std::size_t end) const;
  bool Is(std::size_t i, std::string_view ascii_or_utf8) const;
  // Past the longest of `list` that stands at `i`; `i`: none does.
  template <class List>
  std::size_t PastAny(std::size_t i, const List& list) const {
    std::string_view longest;
    for (std::string_view one : list) {
      if (one.size() > longest.size() && Is(i, one)) longest = one;
    }
    return i + CountCodePoints(longest);
  }
  std::size_t WordEnd(std::size_t i) const;
  std::size_t SkipBlanks(std::size_t i) const;
  std::pair<std::string, std::size_t> WordAt(std::size_t i) const;
  std::string WordBefore(std::size_t i) const;
  std::size_t Next(std::size_t i) const;
  bool AtWordStart(std::size_t i) const;
  bool InList(std::int32_t c, std::string_view list) const;
  // Between `i` and the last comma, stop or line end before it, at most `most` code points back.
  std::size_t ClauseStart(std::size_t i, std::size_t most) const;
  // Nothing of a clause follows.
  bool ClauseEndsAt(std::size_t i) const;
  std::size_t Add(DetailKind kind, std::size_t begin, std::size_t end);
  std::size_t Match(std::size_t i);

  // ledger_signs.cc: code, addresses, identifiers, telephone numbers, quotations.
  std::size_t Code(std::size_t i);
  std::size_t Call(std::size_t i) const;
  std::size_t CommandLine(std::size_t i) const;
  std::size_t Url(std::size_t i) const;
  std::size_t ChineseFile(std::size_t i) const;
  bool Numbered(std::size_t i) const;
  std::size_t IdentifierGroups(std::size_t i) const;
  std::size_t ChinesePlate(std::size_t i) const;
  bool Lettered(std::size_t i) const;
  std::size_t Compound(std::size_t i);
  static bool LooksLikeDottedDate(std::string_view word);
  std::size_t Phone(std::size_t i) const;
  bool CalledAt(std::size_t i) const;
  void Quotes();
  void DropInside(std::size_t begin, std::size_t end);
  void DropTitleWords(std::size_t begin, std::size_t end);

  // ledger_numbers.cc: numbers in digits and words, money, percentages, quantities.
  std::size_t NumberEnd(std::size_t i) const;
  std::size_t MoneyAfterSign(std::size_t i) const;
  std::size_t OneMoneyAfterSign(std::size_t i) const;
  std::size_t NumberWords(std::size_t i, std::int64_t* value) const;
  std::size_t AnyNumber(std::size_t i) const;
  std::size_t RangeEnd(std::size_t begin, std::size_t end) const;
  std::size_t AfterUnit(std::size_t end, std::string_view unit) const;
  std::size_t AfterChineseUnit(std::size_t end) const;
  bool PricedSo(std::size_t begin, std::size_t end) const;
  bool AboutMoney(std::size_t begin, std::size_t end) const;
  bool PaidFor(std::size_t begin, std::size_t end) const;
  std::size_t Quantity(std::size_t begin, std::size_t end);
  std::size_t CountByWord(std::size_t i);
  bool IsListMark(std::size_t begin, std::size_t end) const;
  std::size_t Number(std::size_t i);
  std::size_t DigitNumber(std::size_t i);
  std::size_t ChineseNumber(std::size_t i);
  int Small(std::size_t begin, std::size_t end) const;
  std::size_t Digits(std::size_t i, std::size_t most) const;
  std::size_t Numeral(std::size_t i, std::size_t most) const;

  // ledger_dates.cc: dates and times of day.
  bool IsYear(std::size_t i) const;
  bool FollowsYear(std::size_t i) const;
  std::size_t NumericDate(std::size_t i) const;
  std::size_t ClockTime(std::size_t i) const;
  std::size_t TimeByWord(std::size_t i) const;
  std::size_t BareHour(std::size_t begin, std::size_t end) const;
  std::size_t DayThenMonth(std::size_t begin, std::size_t end) const;
  bool IsDayOfMonth(std::size_t begin, std::size_t end) const;
  std::size_t WithYear(std::size_t i) const;
  std::size_t VagueDate(std::size_t i) const;
  std::size_t DecadeAt(std::size_t i) const;
  std::size_t ShortDay(std::size_t i) const;
  std::size_t DateByWord(std::size_t i) const;
  std::size_t RelativeDate(std::size_t i) const;
  std::size_t Ago(std::size_t end) const;
  std::size_t ChineseRelativeDate(std::size_t i) const;
  std::size_t ChineseDate(std::size_t i) const;
  std::size_t ChineseTime(std::size_t i) const;

  // ledger_names.cc: names of people and places in Latin letters.
  bool AtSentenceStart(std::size_t i) const;
  bool IsAcronym(std::size_t begin, std::size_t end) const;
  DetailKind NameKind(std::size_t begin, std::size_t end) const;
  std::size_t StreetAfter(std::size_t i) const;
  std::size_t NameEnd(std::size_t i, std::size_t* begin, bool* sure) const;
  bool GoesOnAsTitle(std::size_t j) const;
  std::size_t ModelAfter(std::size_t begin, std::size_t end) const;
  bool IsNamedByContext(std::size_t begin, std::size_t end) const;
  std::size_t Name(std::size_t i);

  // ledger_names_chinese.cc: names in Chinese.
  bool OutsideName(std::size_t i) const;
  bool EndsGiven(std::int32_t c) const;
  std::size_t ChineseName(std::size_t i);
  std::size_t ChinesePlace(std::size_t i) const;
  std::size_t NumberedHouse(std::size_t i) const;
  std::size_t ChineseOrganisation(std::size_t i) const;
  std::size_t ChineseCalled(std::size_t i, bool* place) const;
  std::size_t ChinesePerson(std::size_t i) const;
  std::size_t ForeignName(std::size_t i) const;
  std::size_t ChineseNickname(std::size_t i) const;
  std::size_t Title(std::size_t i) const;

  // ledger_people.cc: names in lower case by what stands around them.
  std::size_t FamilyAfter(std::size_t end) const;
  std::size_t LowerTitled(std::size_t i) const;
  std::size_t LowerStreet(std::size_t i) const;
  std::size_t LowerByContext(std::size_t i) const;
  std::string CueBefore(std::size_t i) const;
  bool ClauseOpensAt(std::size_t i) const;
  std::size_t LowerPerson(std::size_t i);

  // ledger_people_chinese.cc: Chinese names by the characters that names are made of.
  bool NameMayBegin(std::size_t i) const;
  bool NameMayEnd(std::size_t end) const;
  bool FollowsRelation(std::size_t i) const;
  bool ChineseWordAt(std::size_t i) const;
  std::size_t ChineseTitleAt(std::size_t i) const;
  std::size_t ModelledPerson(std::size_t i) const;
  std::size_t ModelledNickname(std::size_t i) const;
  std::size_t ModelledGiven(std::size_t i) const;
  std::size_t SoundedName(std::size_t i) const;
  std::size_t DottedName(std::size_t i) const;
  std::size_t ToldFamily(std::size_t i) const;
  std::size_t ModelledName(std::size_t i);

  // ledger_shops_chinese.cc: shops, makers and products in Chinese.
  std::size_t ChineseShop(std::size_t i) const;
  std::size_t ChineseMaker(std::size_t i) const;
  std::size_t ChineseProduct(std::size_t i) const;

  // ledger_known.cc: what is known, in lower case and in Chinese; numbers by their label.
  bool NamesAt(std::size_t i) const;
  std::size_t LowerName(std::size_t i);
  std::size_t FlightAt(std::size_t i) const;
  std::size_t PostCode(std::size_t i) const;
  std::size_t LabelledNumber(std::size_t i) const;
  std::size_t YearlyNumber(std::size_t i) const;
  std::size_t PinnedVersion(std::size_t i) const;
  std::size_t BritishPlate(std::size_t i) const;
  std::size_t VersionAt(std::size_t i) const;
  std::size_t FlatNumber(std::size_t i) const;
  std::size_t CodeWord(std::size_t i) const;
  std::size_t HourByLetter(std::size_t i) const;
  std::size_t SeatAt(std::size_t i) const;
  std::size_t TyreSize(std::size_t i) const;
  std::size_t FeetBySign(std::size_t i) const;
  std::size_t AboutHour(std::size_t i) const;
  std::size_t FeetAndInches(std::size_t i) const;
  std::size_t ChineseSeat(std::size_t i) const;
  std::size_t ChineseLabelled(std::size_t i) const;
  std::size_t ChineseCase(std::size_t i) const;
  std::size_t ChinesePrice(std::size_t i) const;
  std::size_t ChineseMeasure(std::size_t i) const;
  std::size_t ChineseKnown(std::size_t i) const;
  std::size_t ChineseProject(std::size_t i) const;

  std::string_view text_;
  std::vector<std::int32_t> code_;
  std::vector<std::uint32_t> offset_;
  std::vector<Detail> details_;
};

}  // namespace liubai::memory
