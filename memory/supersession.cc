#include "memory/supersession.h"

#include <algorithm>

#include "core/text.h"
#include "memory/ledger.h"
#include "memory/ledger_words.h"
#include "memory/question.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

using words::Holds;

// 不喝咖啡了: a negation that "了" makes a change.
bool StoppedInChinese(std::string_view sentence) {
  for (std::string_view negation : {"不", "没"}) {
    const std::size_t at = sentence.find(negation);
    if (at == std::string_view::npos) continue;
    const std::size_t end = sentence.find("了", at);
    // Within one clause.
    if (end == std::string_view::npos || end - at > 30) continue;
    if (!Holds(sentence.substr(at, end - at), {"，", "。", "；", "、"})) return true;
  }
  return false;
}

bool TellsOfChange(std::string_view sentence) {
  const std::string lower = ToLowerUtf8(sentence);
  return Holds(lower, {"no longer",       "not any more",    "anymore",     "any more",
                       "instead",         "switched to",     "changed",     "correct",
                       "not what i told", "not what i said", "was wrong",   "moved to",
                       "from now on",     " now ",           "since then",  "replaced",
                       "mixed up",        "mixed that up",   "mixed it up", "misread",
                       "i meant",         "my mistake"}) ||
         Holds(lower, {"不再", "改成", "改为", "改喝", "改吃", "改用",   "改到", "改在",
                       "改叫", "换成", "换到", "换了", "更正", "不对，", "说错", "记错",
                       "搞错", "弄错", "弄混", "搞混", "看错", "写错"}) ||
         StoppedInChinese(lower);
}

}  // namespace

bool Supersedes(std::string_view later, std::string_view earlier,
                const std::vector<std::string>& asked) {
  std::vector<Terms> changes;
  for (const TextRange range : SplitSentences(later)) {
    const std::string_view sentence = later.substr(range.begin, range.end - range.begin);
    if (TellsOfChange(sentence) && !IsQuestion(sentence)) changes.push_back(TermsOf(sentence));
  }
  if (changes.empty()) return false;
  const Terms now = TermsOf(later), then = TermsOf(earlier);
  bool about = false;
  for (const std::string& term : asked) {
    if (!then.contains(term)) continue;
    // The earlier one tells something of its own that is asked for.
    if (!now.contains(term) && TopicWeight(term) >= 0.5) return false;
    about = true;
  }
  if (!about) return false;
  std::vector<std::size_t> shares;  // Of what is asked, in each sentence.
  bool changed = false;
  for (const TextRange range : SplitSentences(earlier)) {
    const std::string_view sentence = earlier.substr(range.begin, range.end - range.begin);
    if (IsQuestion(sentence)) continue;
    const Terms said = TermsOf(sentence);
    shares.push_back(static_cast<std::size_t>(std::ranges::count_if(
        asked, [&](const std::string& term) { return said.contains(term); })));
    for (const auto& change : changes) changed |= Shared(change, said) >= 2;
  }
  // Of several sentences on the matter the change need not be of the one that is asked for.
  if (!changed || shares.empty()) return false;
  const std::size_t most = *std::ranges::max_element(shares);
  return std::ranges::count_if(shares, [&](std::size_t share) { return 2 * share > most; }) == 1;
}

bool AsksAboutPast(std::string_view question) {
  const std::string lower = ToLowerUtf8(question);
  return Holds(lower, {"use to ",       "used to ",
                       "before",        "previous",
                       "original",      "formerly",
                       "my old ",       "our old ",
                       "the old ",      "at first",
                       "earlier",       "以前",
                       "之前",          "原来",
                       "原先",          "过去",
                       "当时",          "曾经",
                       "最早",          "一开始",
                       "最初",          "起初",
                       "当初",          "刚开始",
                       "at the start",  "in the beginning",
                       "was the first", "initial"});
}

}  // namespace liubai::memory
