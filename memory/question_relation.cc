#include "memory/question_relation.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/text.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger.h"
#include "memory/ledger_words.h"
#include "memory/question_scan.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

using words::Has;
using words::Holds;

constexpr std::size_t kMostAnchors = 2;
constexpr int kEventWords = 14;

struct Unit {
  std::string_view word;
  double days;
};
constexpr Unit kUnits[] = {{"day", 1},     {"days", 1},    {"night", 1},  {"evening", 1},
                           {"morning", 1}, {"week", 7},    {"weeks", 7},  {"weekend", 7},
                           {"month", 30},  {"months", 30}, {"year", 365}, {"years", 365}};
constexpr std::pair<std::string_view, double> kNumbers[] = {
    {"a", 1},    {"an", 1},   {"the", 1}, {"one", 1},   {"two", 2},   {"couple", 2}, {"three", 3},
    {"four", 4}, {"five", 5}, {"six", 6}, {"seven", 7}, {"eight", 8}, {"nine", 9},   {"ten", 10}};

bool Touches(const std::vector<TimeExpression>& times, std::size_t begin, std::size_t end) {
  return std::any_of(times.begin(), times.end(), [&](const TimeExpression& time) {
    return time.text.begin < end && begin < time.text.end;
  });
}

// "the day", "two weeks", "a month": what stands in front of "before".
std::optional<double> SpanBefore(const std::vector<std::string_view>& words, std::size_t at) {
  if (at < 1) return {};
  const auto unit = std::ranges::find(kUnits, words[at - 1], &Unit::word);
  if (unit == std::end(kUnits) || at < 2) return {};
  const std::string_view count = words[at - 2] == "of" && at > 2 ? words[at - 3] : words[at - 2];
  for (const auto& [word, number] : kNumbers) {
    if (word == count) return number * unit->days;
  }
  if (!count.empty() && count.size() <= 4 &&
      std::ranges::all_of(count, [](char c) { return c >= '0' && c <= '9'; })) {
    return std::stod(std::string(count)) * unit->days;
  }
  return {};
}

bool Ends(std::string_view word) {
  return word.size() == 1 && !(word[0] >= 'a' && word[0] <= 'z') &&
         !(word[0] >= '0' && word[0] <= '9');
}

void English(const PlainText& plain, const QuestionReading& reading,
             std::vector<OrderAnchor>* anchors) {
  std::vector<std::string_view> all;
  std::vector<std::size_t> begin;
  const std::string_view text = plain.text;
  for (std::size_t at = 1; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) all.push_back(text.substr(at, end - at)), begin.push_back(at);
    at = end + 1;
  }
  static constexpr std::string_view kAuxiliaries[] = {"did", "do", "does", "was", "were", "had"};
  static constexpr std::string_view kSubjects[] = {"i", "we", "he", "she", "they", "you", "my"};
  for (std::size_t i = 0; i + 1 < all.size() && anchors->size() < kMostAnchors; ++i) {
    if (all[i] != "before" && all[i] != "after") continue;
    // "before or after", "named after", "look after".
    if (all[i + 1] == "or" || (i > 0 && (all[i - 1] == "or" || all[i - 1] == "named" ||
                                         all[i - 1] == "look" || all[i - 1] == "looking"))) {
      continue;
    }
    const std::size_t from = i + 1;
    std::size_t to = from;
    while (to < all.size() && to < from + kEventWords && !Ends(all[to])) {
      // "how many days before I moved did I sign": the question itself.
      if (to > from && Has(kAuxiliaries, all[to]) && to + 1 < all.size() &&
          Has(kSubjects, all[to + 1])) {
        break;
      }
      ++to;
    }
    if (to == from) continue;
    const std::size_t first = begin[from], last = begin[to - 1] + all[to - 1].size();
    // "after May 5" is read as a time.
    if (Touches(reading.times, plain.origin[first], plain.origin[first] + 1)) continue;
    std::string event(text.substr(first, last - first));
    if (QueryTerms(event).empty() || !HasContent(event)) continue;
    anchors->push_back({all[i] == "before", std::move(event), SpanBefore(all, i)});
  }
}

// Where the clause that ends at `end` begins.
std::size_t ClauseBegin(std::string_view text, std::size_t end) {
  constexpr std::size_t kLongest = 60;
  std::size_t begin = end;
  while (begin > 0 && end - begin < kLongest) {
    std::size_t previous = begin - 1;
    while (previous > 0 && (static_cast<unsigned char>(text[previous]) & 0xc0) == 0x80) --previous;
    const std::string_view character = text.substr(previous, begin - previous);
    if (Holds("，。？！；、：“”「」,?!;\n在 ", {character})) break;
    begin = previous;
  }
  return begin;
}

void Chinese(std::string_view text, const QuestionReading& reading,
             std::vector<OrderAnchor>* anchors) {
  struct Mark {
    std::string_view text;
    bool before;
    std::optional<double> days;
  };
  static const std::array<Mark, 11> kMarks = {{{"的前一天", true, 1.0},
                                               {"前一天", true, 1.0},
                                               {"的后一天", false, 1.0},
                                               {"后一天", false, 1.0},
                                               {"的第二天", false, 1.0},
                                               {"前一周", true, 7.0},
                                               {"后一周", false, 7.0},
                                               {"之前", true, {}},
                                               {"以前", true, {}},
                                               {"之后", false, {}},
                                               {"以后", false, {}}}};
  std::set<std::size_t> taken;
  for (const Mark& mark : kMarks) {
    for (std::size_t at = text.find(mark.text); at != text.npos && anchors->size() < kMostAnchors;
         at = text.find(mark.text, at + mark.text.size())) {
      const std::size_t begin = ClauseBegin(text, at);
      // 三天以前 is a time; 之前 alone tells of no event.
      if (at - begin < 6 || Touches(reading.times, at, at + mark.text.size())) continue;
      if (Touches(reading.times, begin, begin + 1) || !taken.insert(begin).second) continue;
      anchors->push_back({mark.before, std::string(text.substr(begin, at - begin)), mark.days});
    }
  }
}

}  // namespace

std::vector<OrderAnchor> ReadOrderAnchors(std::string_view text, const QuestionReading& reading) {
  std::vector<OrderAnchor> anchors;
  English(MakePlain(text), reading, &anchors);
  Chinese(text, reading, &anchors);
  return anchors;
}

std::vector<std::string> NegatedTerms(std::string_view text, const QuestionReading& reading) {
  constexpr std::size_t kReach_bytes = 40;  // Some words, or a Chinese clause.
  std::vector<std::string> terms;
  for (const TextPart& part : reading.negations) {
    std::string_view after = TruncateUtf8(text.substr(part.end), kReach_bytes);
    for (const std::string_view sign : {",", ".", "?", "!", ";", "，", "。", "？", "！", "；"}) {
      after = after.substr(0, std::min(after.find(sign), after.size()));
    }
    // A word that the reach cuts in two is none.
    if (part.end + after.size() < text.size() && !after.empty()) {
      const char next = text[part.end + after.size()];
      const bool inside = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
      if (inside) after = after.substr(0, std::min(after.rfind(' '), after.size()));
    }
    if (!HasContent(after)) continue;
    for (std::string& term : QueryTerms(after, 4)) {
      if (std::ranges::find(terms, term) == terms.end()) terms.push_back(std::move(term));
    }
  }
  return terms;
}

double DeniesToo(std::string_view text, const std::vector<std::string>& terms) {
  if (terms.empty()) return 0;
  double best = 0;
  for (const TextRange range : SplitSentences(text)) {
    const std::string_view sentence = text.substr(range.begin, range.end - range.begin);
    if (!Denies(sentence)) continue;
    const auto has = TermSet(sentence);
    const auto held =
        std::ranges::count_if(terms, [&](const std::string& term) { return has.contains(term); });
    best = std::max(best, static_cast<double>(held) / static_cast<double>(terms.size()));
  }
  return best;
}

}  // namespace liubai::memory
