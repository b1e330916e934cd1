#include "memory/supersession.h"

#include <algorithm>
#include <initializer_list>
#include <unordered_set>

#include "core/text.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger.h"

namespace liubai::memory {
namespace {

bool HasAny(std::string_view text, std::initializer_list<std::string_view> signs) {
  return std::any_of(signs.begin(), signs.end(), [&](std::string_view sign) {
    return text.find(sign) != std::string_view::npos;
  });
}

// 不喝咖啡了: a negation that "了" makes a change.
bool StoppedInChinese(std::string_view sentence) {
  for (std::string_view negation : {"不", "没"}) {
    const std::size_t at = sentence.find(negation);
    if (at == std::string_view::npos) continue;
    const std::size_t end = sentence.find("了", at);
    // Within one clause.
    if (end == std::string_view::npos || end - at > 30) continue;
    if (!HasAny(sentence.substr(at, end - at), {"，", "。", "；", "、"})) return true;
  }
  return false;
}

bool TellsOfChange(std::string_view sentence) {
  const std::string lower = ToLowerUtf8(sentence);
  return HasAny(lower,
                {"no longer", "not any more", "anymore", "any more", "instead", "switched to",
                 "changed", "correct", "not what i told", "not what i said", "was wrong",
                 "moved to", "from now on", " now ", "since then", "replaced"}) ||
         HasAny(lower, {"不再", "改成", "改为", "改喝", "改吃", "改用", "改到", "改在", "改叫",
                        "换成", "换到", "换了", "更正", "更新", "说错", "记错", "搞错", "弄错"}) ||
         StoppedInChinese(lower);
}

std::unordered_set<std::string> Terms(std::string_view sentence) {
  const std::vector<std::string> terms = QueryTerms(sentence);
  return {terms.begin(), terms.end()};
}

}  // namespace

bool Supersedes(std::string_view later, std::string_view earlier,
                const std::vector<std::string>& asked) {
  std::vector<std::unordered_set<std::string>> changes;
  for (const TextRange range : SplitSentences(later)) {
    const std::string_view sentence = later.substr(range.begin, range.end - range.begin);
    if (TellsOfChange(sentence) && !IsQuestion(sentence)) changes.push_back(Terms(sentence));
  }
  if (changes.empty()) return false;
  const std::unordered_set<std::string> now = Terms(later), then = Terms(earlier);
  bool about = false;
  for (const std::string& term : asked) {
    if (!then.contains(term)) continue;
    // The earlier one tells something of its own that is asked for.
    if (!now.contains(term)) return false;
    about = true;
  }
  if (!about) return false;
  for (const TextRange range : SplitSentences(earlier)) {
    const std::string_view sentence = earlier.substr(range.begin, range.end - range.begin);
    if (IsQuestion(sentence)) continue;
    const std::unordered_set<std::string> said = Terms(sentence);
    for (const auto& change : changes) {
      const auto shared = std::count_if(change.begin(), change.end(), [&](const std::string& term) {
        return said.contains(term);
      });
      if (shared >= 2) return true;
    }
  }
  return false;
}

bool AsksAboutPast(std::string_view question) {
  const std::string lower = ToLowerUtf8(question);
  return HasAny(lower,
                {"use to ",  "used to ", "before",   "previous", "original", "formerly", "my old ",
                 "our old ", "the old ", "at first", "earlier",  "以前",     "之前",     "原来",
                 "原先",     "过去",     "当时",     "曾经",     "最早",     "一开始"});
}

}  // namespace liubai::memory
