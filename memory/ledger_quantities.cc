// What the word after a number makes of it, and counts that begin with another word.
#include <algorithm>
#include <tuple>

#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {

using words::Has;

// What follows a number says what it is: money, percent, a time, a unit.
std::size_t DetailScanner::Quantity(std::size_t begin, std::size_t end) {
  if (const std::size_t range = RangeEnd(begin, end); range > end) end = range;
  if (at(end) == '%') return Add(DetailKind::kPercent, begin, end + 1);
  if (at(end) == ' ' && at(end + 1) == '%') return Add(DetailKind::kPercent, begin, end + 2);
  if (const std::size_t sign = SkipBlanks(end);
      at(sign) == 0x20AC || at(sign) == 0xA3 || (at(sign) == '$' && !IsAsciiDigit(at(sign + 1))))
    return Add(DetailKind::kMoney, begin, sign + 1);  // "1.299 €"
  if (at(end) == 0x2103) return Add(DetailKind::kNumber, begin, end + 1);
  if (const std::size_t degree = SkipBlanks(end); at(degree) == 0xB0) {
    const bool scale = (at(degree + 1) | 32) == 'c' || (at(degree + 1) | 32) == 'f';
    return Add(DetailKind::kNumber, begin, degree + 1 + scale);
  }
  if (const std::size_t ago = Ago(end); ago > end) return Add(DetailKind::kDate, begin, ago);
  // "12-year-old", "30-minute"
  if (at(end) == '-' && IsAsciiLetter(at(end + 1))) {
    const std::size_t unit_end = WordEnd(end + 1);
    const bool old = Lower(unit_end, std::min(unit_end + 4, size())) == "-old";
    if (unit_end >= end + 4 && !IsUpper(at(end + 1)))
      return Add(DetailKind::kNumber, begin, unit_end + (old ? 4 : 0));
  }
  // "three and a half hours"
  if (const auto [word, word_end] = WordAt(end); word == "and") {
    const auto [article, article_end] = WordAt(word_end);
    const auto [part, part_end] = WordAt(article_end);
    if (article == "a" && (part == "half" || part == "quarter")) end = part_end;
  }
  const auto [word, word_end] = WordAt(end);
  if (word == "percent" || word == "pct") return Add(DetailKind::kPercent, begin, word_end);
  if (word == "per" && WordAt(word_end).first == "cent")
    return Add(DetailKind::kPercent, begin, WordAt(word_end).second);
  std::size_t scale_end = end;
  std::string unit = word;
  std::size_t unit_end = word_end;
  if (Has(words::kScales, word)) {
    scale_end = word_end;
    std::tie(unit, unit_end) = WordAt(word_end);
  }
  if (unit == "k" && unit_end == end + 1) {
    scale_end = unit_end;
    std::tie(unit, unit_end) = WordAt(unit_end);
  }
  if (unit == "pounds" || unit == "pound") {
    const auto [next, next_end] = WordAt(unit_end);
    if (next == "heavier" || next == "lighter") unit = "lbs";
  }
  if (unit == "working" || unit == "business" || unit == "consecutive" || unit == "straight")
    std::tie(unit, unit_end) = WordAt(unit_end);
  if (Has(words::kFractions, unit)) return Add(DetailKind::kNumber, begin, unit_end);
  if (Has(words::kCurrencyWords, unit)) return Add(DetailKind::kMoney, begin, unit_end);
  if (Has(words::kUnits, unit)) return Add(DetailKind::kNumber, begin, AfterUnit(unit_end, unit));
  const std::size_t blank = SkipBlanks(scale_end);
  if (const std::size_t money = PastAny(blank, words::kChineseMoney); money > blank) {
    // 三块五, 两块七毛五; 元 may be the first character of a feast.
    std::size_t past = money;
    if (at(money - 1) == U'块' && ChineseDigit(at(money)) > 0 && !IsChineseNumeral(at(money + 1)) &&
        PastAny(money + 1, words::kChineseUnits) == money + 1) {
      past = money + 1;
      if (at(past) == U'毛' || at(past) == U'角') {
        ++past;
        if (ChineseDigit(at(past)) > 0) ++past;
        if (at(past) == U'分') ++past;
      }
    }
    if (!Is(blank, "元旦") && !Is(blank, "元宵")) return Add(DetailKind::kMoney, begin, past);
  }
  if (at(blank) == U'成' && end - begin <= 2 && IsChineseNumeral(at(begin)) &&
      (ClauseEndsAt(blank + 1) || InList(at(blank + 1), "的左以人客左了多")))
    return Add(DetailKind::kPercent, begin, blank + 1);
  if (const std::size_t past = PastAny(blank, words::kChineseUnits);
      past > blank &&
      !(at(blank) == U'分' &&
        !words::Holds(Bytes(ClauseStart(begin, 12), begin),
                      {"领先", "得", "扣", "加", "差", "比分", "考", "打", "输", "赢"}) &&
        past == blank + 1 && end == begin + 1 && !IsAsciiDigit(at(begin)))) {
    // 三室一厅
    if (at(blank) == U'室' && IsChineseNumeral(at(past)) && at(past + 1) == U'厅')
      return Add(DetailKind::kNumber, begin, past + 2);
    return Add(DetailKind::kNumber, begin, AfterChineseUnit(past));
  }
  // "27.50 each"
  const auto dot = Bytes(begin, end).find('.');
  if (dot != std::string_view::npos && Bytes(begin, end).size() == dot + 3 &&
      (word == "each" || word == "apiece"))
    return Add(DetailKind::kMoney, begin, end);
  // "the two islands": known already.
  if (!IsAsciiDigit(at(begin)) && IsAsciiLetter(at(begin)) && (word.size() > 2) &&
      !IsAcronym(begin, end)) {
    const std::string lead = WordBefore(begin), count = Lower(begin, end);
    if ((lead == "the" || lead == "these" || lead == "those") &&
        (count == "two" || count == "three") && !ClauseEndsAt(end))
      return end;
  }
  // "12.5 percent for members, 5 for everybody else"
  if (word == "for" && !details_.empty() &&
      (details_.back().kind == DetailKind::kMoney ||
       details_.back().kind == DetailKind::kPercent) &&
      details_.back().end + 40 > offset_[begin] &&
      text_.substr(details_.back().end, offset_[begin] - details_.back().end).find(" for ") !=
          text_.npos)
    return Add(details_.back().kind, begin, end);
  if (PaidFor(begin, scale_end)) return Add(DetailKind::kMoney, begin, scale_end);
  if (IsChineseNumeral(at(end - 1)) || IsCjk(at(begin - 1)) || IsCjk(at(ClauseStart(begin, 14)))) {
    if (AboutMoney(begin, end)) return Add(DetailKind::kMoney, begin, end);
  }
  return Add(DetailKind::kNumber, begin, scale_end);
}

// Counts that begin with another word: "a hundred", "half an hour", "twice", "third floor".
std::size_t DetailScanner::CountByWord(std::size_t i) {
  const auto [word, end] = WordAt(i);
  const auto [next, next_end] = WordAt(end);
  // Mostly.
  static constexpr std::string_view kMostly = "nine times out of ten";
  if (Lower(i, std::min(i + kMostly.size(), size())) == kMostly) return i + kMostly.size();
  if (word == "twice" || word == "thrice") return Add(DetailKind::kNumber, i, end);
  if (word == "once") {
    static constexpr std::string_view kEach[] = {"a",    "an",    "every", "per",
                                                 "each", "daily", "weekly"};
    return Has(kEach, next) ? Add(DetailKind::kNumber, i, end) : i;
  }
  if (word == "a" || word == "an") {
    const bool scale = EnglishScale(next) > 0 || next == "dozen";
    if (scale && WordBefore(i) != "in" && WordBefore(i) != "thanks") return Quantity(i, next_end);
    if (Has(words::kFractions, next) && WordAt(next_end).first == "of")
      return Add(DetailKind::kNumber, i, next_end);
    return i;
  }
  // "half 5" is half past four or five.
  if (word == "half" && IsAsciiDigit(at(SkipBlanks(end))) && next.size() <= 2) {
    static constexpr std::string_view kThen[] = {"instead", "on", "for", "or", "at", "today"};
    const int hour = Small(SkipBlanks(end), next_end);
    if (hour > 0 && hour <= 12 && (ClauseEndsAt(next_end) || Has(kThen, WordAt(next_end).first)))
      return Add(DetailKind::kTime, i, next_end);
  }
  if (word == "half" && (next == "a" || next == "an")) {
    const auto [unit, unit_end] = WordAt(next_end);
    const bool amount =
        Has(words::kUnits, unit) || EnglishScale(unit) > 0 || unit == "dozen" || unit == "percent";
    if (!amount || unit == "second") return i;
    if (unit == "percent") return Add(DetailKind::kPercent, i, unit_end);
    const bool money = EnglishScale(unit) > 0 && PaidFor(i, unit_end);
    return Add(money ? DetailKind::kMoney : DetailKind::kNumber, i, unit_end);
  }
  if (word == "one") {
    static constexpr std::string_view kPlaces[] = {
        "page",  "chapter", "level",   "lesson", "part",   "gate", "platform", "unit",
        "stage", "round",   "episode", "season", "volume", "lane", "phase"};
    if (Has(kPlaces, WordBefore(i)) && ClauseEndsAt(end)) return Add(DetailKind::kNumber, i, end);
    if (const std::size_t range = RangeEnd(i, end); range > end) return Quantity(i, end);
    const bool amount = Has(words::kUnits, next) && !Has(words::kVagueUnits, next);
    return amount ? Add(DetailKind::kNumber, i, next_end) : i;
  }
  if (Has(words::kOrdinals, word) && Has(words::kOrdered, next) && next != "year")
    return Add(DetailKind::kNumber, i, end);
  return i;
}

}  // namespace liubai::memory
