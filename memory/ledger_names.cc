// Names: capitalised words, and Chinese names by family name, title and lead.
#include <algorithm>

#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {

using words::Has;

bool DetailScanner::EndsGiven(std::int32_t c) const {
  return !IsCjkIdeograph(c) || InList(c, words::kNotGiven);
}

std::size_t DetailScanner::ChineseName(std::size_t i) {
  static constexpr std::string_view kCalls[] = {"我的名字是", "名字是", "名字叫", "取名叫",
                                                "名叫",       "叫做",   "叫作",   "起名",
                                                "叫",         "我是",   "姓名是"};
  for (std::string_view call : kCalls) {
    if (!Is(i, call)) continue;
    const std::size_t begin = i + CountCodePoints(call);
    if (call == "叫" && i > 0 && (at(i - 1) == U'请' || at(i - 1) == U'别' || at(i - 1) == U'大'))
      break;
    if (call == "我是" && !InList(at(begin), words::kSurnames)) break;
    if (at(begin) == U'我' || at(begin) == U'你' || at(begin) == U'他' || at(begin) == U'什') break;
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
  if ((at(i) == U'小' || at(i) == U'老' || at(i) == U'阿') && InList(at(i + 1), words::kSurnames) &&
      at(i + 1) != U'文' && at(i + 1) != U'白' && at(i + 1) != U'高' &&
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

std::size_t DetailScanner::Title(std::size_t i) const {
  for (std::string_view title : words::kChineseTitles) {
    if (!Is(i, title)) continue;
    if (title == "总" && !EndsGiven(at(i + 1)) && at(i + 1) != U'说') continue;
    return i + CountCodePoints(title);
  }
  return i;
}

bool DetailScanner::AtSentenceStart(std::size_t i) const {
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

std::size_t DetailScanner::Name(std::size_t i) {
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
    const bool ambiguous = word == "may" || word == "april" || word == "june" || word == "march" ||
                           word == "new" || word == "best" || word == "book" || word == "great";
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

}  // namespace liubai::memory
