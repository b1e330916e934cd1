// What was said before is otherwise.
#include <algorithm>

#include "memory/ledger_scan.h"
#include "memory/ledger_statements.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

// "it's RX-2207 not RX-2270", "the sofa is 190 cm wide, not 210": one value, and what it is not.
bool SaysOneNotOther(const Sentence& sentence) {
  const std::string_view text = sentence.plain();
  // "I want the 7:40, not the 8:10" chooses.
  static constexpr std::string_view kChooses[] = {
      "want",   "wants", "prefer", "prefers", "need",  "needs", "use",  "take",
      "would",  "let's", "please", "get",     "buy",   "wear",  "make", "bring",
      "rather", "like",  "should", "choose",  "chose", "picked"};
  std::size_t end = 0;
  if (FindAnyWord(text, kChooses, &end) != text.npos) return false;
  return sentence.ValueNotValue();
}

bool CorrectsInEnglish(const Sentence& sentence) {
  const std::string_view text = sentence.plain();
  static constexpr std::string_view kStarts[] = {
      "no,",         "no wait",      "wait,",    "actually",   "correction", "sorry,", "i meant",
      "oops",        "scratch that", "no, wait", "my mistake", "sorry typo", "typo",   "my bad",
      "sorry wrong", "no i ",        "no it",    "nope",       "nvm ",       "edit:",  "whoops"};
  static constexpr std::string_view kSays[] = {
      "i was wrong",  "i misspoke",    "correction:",     "i meant",          "i made a mistake",
      "my mistake",   "it's actually", "it was actually", "turned out to be", "sorry, it's",
      "sorry it's",   "i mistyped",    "was wrong about", "i mixed up",       "got that wrong",
      "that's wrong", "scratch that",  "turns out it's"};
  const auto holds = [&](const auto& list) {
    return std::any_of(std::begin(list), std::end(list),
                       [&](std::string_view one) { return text.find(one) != text.npos; });
  };
  if (text.find("sorry, not sorry") != text.npos) return false;
  static constexpr std::string_view kPlainly[] = {
      "i meant",       "i was wrong",      "i misspoke", "i mistyped",       "mixed them up",
      "i mixed up",    "had them swapped", "as i wrote", "as i said before", "scratch that",
      "ignore what i", "ignore my last",   "i said it",  "was mistaken"};
  if (holds(kPlainly) && (text.find("i said it") == text.npos || text.find("but") != text.npos))
    return true;
  if (!sentence.HasValue()) return false;
  for (std::string_view start : kStarts) {
    if (text.starts_with(start)) return true;
  }
  if (holds(kSays) || SaysOneNotOther(sentence)) return true;
  // "the code is for the back door, not 4471"
  if (const auto at = text.find(", not ");
      at != text.npos && sentence.MeasureIn(at, text.size()) &&
      words::Holds(text.substr(0, at), {" is ", "'s ", " are ", " was ", "its ", "it's "}))
    return true;
  if (text.find("i said") != text.npos &&
      words::Holds(text, {" but ", "sorry", " not ", "actually"}))
    return true;
  // Another day than was said.
  static constexpr std::string_view kShifts[] = {
      "has been moved", "rescheduled",    "changed to",   "postponed to",  "brought forward",
      "been pushed",    "been postponed", "been put off", "put off until", "pushed back to",
      "moved up to",    "pushed to",      "bumped to"};
  if (holds(kShifts) && sentence.HasMeasure()) return true;
  if (const auto at = FindWord(text, "moved"); at != text.npos) {
    // "Tom moved to Bristol in 2020" tells news, not another date.
    const auto to = text.find(" to ", at);
    if (to != text.npos && sentence.HasWhen() &&
        !sentence.Has(DetailKind::kPlace, {to, sentence.ClauseAt(to).end}))
      return true;
  }
  // "The rate is now 3.4% instead of 3.25%", "I said Tuesday but it's Wednesday"
  if (const auto at = text.find("instead of"); at != text.npos && sentence.TwoOfAKind()) {
    const std::size_t begin = sentence.ClauseAt(at).begin;
    const std::string_view before = text.substr(begin, at - begin);
    if (words::Holds(before, {" is ", " are ", "it's ", "now "})) return true;
  }
  static constexpr std::string_view kBefore[] = {"i said", "no longer", "not anymore",
                                                 "used to be"};
  if (holds(kBefore) && sentence.TwoOfAKind() &&
      (text.find("used to be") == text.npos || words::Holds(text, {"now", "but"})))
    return true;
  // "The talk isn't at 3 but at 4:30"
  if (const auto at = text.find("n't "); at != text.npos) {
    const auto but = text.find(" but ", at);
    static constexpr std::string_view kAgain[] = {"at", "on", "in", "by", "the",
                                                  "a",  "an", "to", "for"};
    if (but != text.npos && text.substr(at, but - at).find(',') == text.npos) {
      const auto word = text.substr(but + 5, text.find(' ', but + 5) - (but + 5));
      return words::Has(kAgain, word) && sentence.TwoOfAKind();
    }
  }
  return false;
}

bool CorrectsInChinese(const Sentence& sentence) {
  const std::string_view text = sentence.plain();
  static constexpr std::string_view kWrong[] = {
      "不对，",   "不对,",  "说错了",   "更正",     "记错了",  "我是说", "纠正",   "写错了",
      "搞错了",   "弄错",   "看错了",   "算错了",   "打错了",  "说岔了", "口误",   "手误",
      "记岔了",   "作废",   "之前说的", "刚才说的", "写反了",  "发错了", "记混了", "听错了",
      "报错了价", "更正下", "订正",     "有误",     "不对不对"};
  std::size_t end = 0;
  if (FindAny(text, kWrong, &end) != text.npos) return true;
  if (!sentence.HasValue()) return false;
  static constexpr std::string_view kChanges[] = {"改成",   "改到", "改为",   "推迟到",
                                                  "提前到", "延到", "延期到", "挪到",
                                                  "不再是", "而是", "换到",   "变成了"};
  if (const auto cue = FindAny(text, kChanges, &end); cue != text.npos) {
    // 请帮我改成循环, 把max_conn改成200 ask for it.
    const std::string_view before = text.substr(0, cue);
    const bool asked = text.substr(end).ends_with("吧") ||
                       words::Holds(text, {"吧。", "吧，", "吧！"}) ||
                       words::Holds(before, {"帮我", "请", "麻烦", "能不能", "想"}) ||
                       (text.starts_with("把") && text.find("了") == text.npos);
    if (!asked) return true;
  }
  // 应该是周三 guesses, where nothing is said to be wrong.
  if (words::Holds(text, {"应该是", "其实是"}) &&
      words::Holds(text, {"错", "不是", "不对", "之前"}))
    return true;
  if (text.find("不再") != text.npos) return true;
  // 不是 80，是 18
  if (const auto at = text.find("不是"); at != text.npos) {
    const auto rest = text.substr(at + std::string_view("不是").size());
    if (words::Holds(rest, {"，是", "而是", ",是"})) return true;
  }
  const auto at = text.find("，不是");
  return at != text.npos && text.substr(0, at).find("是") != text.npos;
}

}  // namespace

void FindCorrections(Sentence& sentence) {
  if (CorrectsInEnglish(sentence) || CorrectsInChinese(sentence))
    sentence.Add(DetailKind::kCorrection, {0, sentence.plain().size()});
}

}  // namespace liubai::memory
