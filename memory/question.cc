#include "memory/question.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

namespace liubai::memory {
namespace {

// Calls `add` on each run of ASCII letters, lower-cased, with what an apostrophe joins to it.
template <class Add>
void ForEachWord(std::string_view text, const Add& add) {
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if ((c >= 'a' && c <= 'z') || (c == '\'' && !word.empty())) {
      word.push_back(c);
    } else if (c >= 'A' && c <= 'Z') {
      word.push_back(static_cast<char>(c - 'A' + 'a'));
    } else if (text.substr(std::min(i, text.size())).starts_with("\u2019") && !word.empty()) {
      word.push_back('\'');
      i += 2;
    } else if (!word.empty()) {
      add(std::string_view(word));
      word.clear();
    }
  }
}

bool IsFirstPerson(std::string_view word) {
  static const std::unordered_set<std::string_view> words = {
      "i",  "i'm", "i've",   "i'd", "i'll", "my",    "me",    "mine",
      "we", "our", "myself", "us",  "ours", "we've", "we're", "we'd"};
  return words.contains(word);
}

int Occurrences(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

// "you told me", "you had suggested"; not "could you suggest".
bool IsSaying(std::string_view word) {
  static const std::unordered_set<std::string_view> words = {
      "told",  "said",   "mentioned", "recommended", "suggested", "gave",      "provided",
      "wrote", "listed", "described", "explained",   "shared",    "advised",   "answered",
      "made",  "named",  "proposed",  "showed",      "created",   "generated", "drafted"};
  return words.contains(word);
}

bool IsTalk(std::string_view word) {
  return word == "conversation" || word == "chat" || word == "discussion" || word == "session";
}

}  // namespace

QuestionKind ReadQuestion(std::string_view text) {
  QuestionKind kind;
  std::string before, before_that;
  ForEachWord(text, [&](std::string_view word) {
    kind.about_self |= IsFirstPerson(word);
    kind.about_assistant |= IsSaying(word) && (before == "you" || before_that == "you");
    kind.about_assistant |= word == "me" && before == "remind";
    kind.about_assistant |=
        IsTalk(word) && (before == "previous" || before == "last" || before == "earlier");
    before_that = std::move(before);
    before = word;
  });
  kind.about_self |= Occurrences(text, "我") > 0;
  kind.about_assistant |= Occurrences(text, "提醒我") > 0;
  for (std::size_t at = text.find("你"); at != std::string_view::npos;
       at = text.find("你", at + 3)) {
    // Within the three characters after it.
    const std::string_view after = text.substr(at + 3, 15);
    for (const std::string_view said : {"说过", "说的", "告诉", "推荐", "建议", "提到", "提过"}) {
      // "你能推荐…吗" asks for a new one.
      kind.about_assistant |= after.find(said) != std::string_view::npos &&
                              !after.starts_with("能") && !after.starts_with("可以");
    }
  }
  return kind;
}

// Behind the mark there may be a smile, a closing quotation mark, or what was shared.
bool EndsInQuestion(std::string_view text) {
  constexpr std::size_t kBehind_bytes = 12;
  const std::size_t shared = text.rfind(" [");
  if (shared != std::string_view::npos && text.ends_with(']')) text = text.substr(0, shared);
  const std::string_view tail =
      text.size() > kBehind_bytes ? text.substr(text.size() - kBehind_bytes) : text;
  const std::size_t mark = std::max(tail.rfind('?') + 1, tail.rfind("？") + 1);
  return mark != 0 && tail.find_first_of(".!", mark) == std::string_view::npos;
}

int CountFirstPerson(std::string_view text) {
  int count = Occurrences(text, "我");
  ForEachWord(text, [&](std::string_view word) { count += IsFirstPerson(word) ? 1 : 0; });
  return count;
}

double TopicWeight(std::string_view term) {
  // As they look after folding and stemming.
  static const std::unordered_set<std::string_view> wanted = {
      "mani",   "much", "number",  "total", "long",   "order", "first", "second", "third", "year",
      "month",  "week", "day",     "hour",  "time",   "date",  "ago",   "last",   "past",  "pass",
      "recent", "most", "current", "sinc",  "happen", "event", "one",   "two",    "three", "four",
      "five",   "six",  "seven",   "eight", "nine",   "ten",   "多久",  "几天",   "几年",  "几次",
      "几个",   "上个", "上周",    "个月",  "星期",   "以前",  "之前",  "天前",   "周前",  "月前",
      "年前",   "一共", "总共",    "哪天",  "哪个",   "次数"};
  const bool digit = term.size() == 1 && term[0] >= '0' && term[0] <= '9';
  return digit || wanted.contains(term) ? 0.6 : 1.0;
}

}  // namespace liubai::memory
