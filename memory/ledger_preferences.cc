// Tastes that are told with a word for them: "prefer", "love", 喜欢.
#include <algorithm>

#include "memory/ledger_scan.h"
#include "memory/ledger_statements.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

// The first "love", "hate" and the like behind a plural, and where it ends.
std::size_t ManyLike(std::string_view text, std::size_t* end) {
  static constexpr std::string_view kVerbs[] = {"love",    "hate",  "like",   "adore",
                                                "dislike", "enjoy", "prefer", "detest"};
  static constexpr std::string_view kNot[] = {
      "always", "does",      "this",    "was",    "is",     "looks", "feels",  "sounds",
      "seems",  "sometimes", "things",  "tastes", "smells", "it's",  "that's", "words",
      "lots",   "needs",     "perhaps", "works",  "acts",   "plus",  "unless", "dress"};
  std::size_t best = std::string_view::npos;
  for (std::string_view verb : kVerbs) {
    const auto at = FindWord(text, verb);
    if (at == text.npos || at < 5 || at >= best || text[at - 1] != ' ') continue;
    const std::string_view before = text.substr(0, at - 1);
    const auto blank = before.rfind(' ');
    const std::string_view word = before.substr(blank == before.npos ? 0 : blank + 1);
    if (word.size() < 4 || !word.ends_with("s") || word.ends_with("'s") || word.ends_with("ss") ||
        words::Has(kNot, word))
      continue;
    best = at;
    *end = at + verb.size();
  }
  return best;
}

}  // namespace

void FindPreferences(Sentence& sentence) {
  static constexpr std::string_view kEnglish[] = {"prefer",
                                                  "prefers",
                                                  "i like",
                                                  "i love",
                                                  "i enjoy",
                                                  "i hate",
                                                  "i dislike",
                                                  "can't stand",
                                                  "don't like",
                                                  "doesn't like",
                                                  "i'd rather",
                                                  "would rather",
                                                  "i really like",
                                                  "i really love",
                                                  "i don't eat",
                                                  "i don't drink",
                                                  "favourite",
                                                  "favorite",
                                                  "likes",
                                                  "loves",
                                                  "hates",
                                                  "i no longer like",
                                                  "i don't want",
                                                  "fond of",
                                                  "a fan of",
                                                  "i now like",
                                                  "i also like",
                                                  "i still like",
                                                  "i adore",
                                                  "i don't care for",
                                                  "favourites",
                                                  "favorites",
                                                  "adore",
                                                  "adores",
                                                  "loathe",
                                                  "loathes",
                                                  "detests",
                                                  "can't bear",
                                                  "is crazy about",
                                                  "am crazy about",
                                                  "obsessed with",
                                                  "dislikes",
                                                  "dislike",
                                                  "enjoys",
                                                  "we'd rather",
                                                  "she'd rather",
                                                  "he'd rather",
                                                  "they'd rather",
                                                  "they like",
                                                  "they love",
                                                  "we love",
                                                  "we like",
                                                  "both hate",
                                                  "both love",
                                                  "both like",
                                                  "all love",
                                                  "all hate",
                                                  "we hate",
                                                  "they hate",
                                                  "mad about",
                                                  "crazy about",
                                                  "keen on",
                                                  "can't bear",
                                                  "my go-to",
                                                  "not a fan",
                                                  "big fan",
                                                  "they enjoy",
                                                  "we enjoy",
                                                  "detest",
                                                  "detests",
                                                  "couldn't live without",
                                                  "kids love",
                                                  "kids like",
                                                  "children love",
                                                  "children like",
                                                  "cats love",
                                                  "i can't eat without",
                                                  "not keen",
                                                  "people like",
                                                  "have a soft spot for",
                                                  "partial to",
                                                  "likes to",
                                                  "much rather",
                                                  "far rather",
                                                  "can't abide",
                                                  "cannot stand",
                                                  "cannot bear",
                                                  "can't resist",
                                                  "more of a",
                                                  "i'm into",
                                                  "is into",
                                                  "can't get enough of",
                                                  "not my thing",
                                                  "not my cup of tea",
                                                  "a sucker for",
                                                  "really into",
                                                  "i always drink",
                                                  "i always eat",
                                                  "i always take",
                                                  "i always have",
                                                  "i always wear",
                                                  "i always use",
                                                  "i always buy",
                                                  "i never drink",
                                                  "i never eat",
                                                  "i never wear",
                                                  "i never use",
                                                  "i never buy",
                                                  "i never watch",
                                                  "i never take",
                                                  "i never work",
                                                  "i never cook",
                                                  "i'd sooner",
                                                  "would sooner",
                                                  "i always sleep",
                                                  "i always order",
                                                  "i always read"};
  static constexpr std::string_view kNot[] = {
      "would like", "i'd like",     "i'd love",    "would love", "looks like",
      "feels like", "feel like",    "love you",    "love it",    "hate to say",
      "loves me",   "love to hear", "like to ask", "likes of"};
  static constexpr std::string_view kChinese[] = {
      "更喜欢", "最喜欢", "不喜欢",     "喜欢",     "讨厌",   "最爱",     "偏爱",   "偏好",
      "爱吃",   "不吃",   "爱喝",       "不喝",     "受不了", "习惯用",   "我不要", "宁愿",
      "宁可",   "情愿",   "爱看",       "爱听",     "最怕",   "更爱",     "爱坐",   "爱去",
      "不爱",   "爱用",   "爱穿",       "爱玩",     "钟爱",   "热爱",     "享受",   "痴迷",
      "爱睡",   "爱逛",   "爱住",       "爱买",     "爱养",   "爱打",     "爱做",   "很爱",
      "特别爱", "不太爱", "超爱",       "反感",     "最烦",   "烦透",     "习惯",   "闻不得",
      "吃不惯", "喝不惯", "住不惯",     "看不惯",   "听不惯", "见不得",   "嫌弃",   "崇拜",
      "只喝",   "只吃",   "只穿",       "只看",     "专爱",   "就好一口", "爱啃",   "她嫌",
      "他嫌",   "我嫌",   "中意",       "欣赏不来", "没兴趣", "更愿意",   "吃不来", "迷上",
      "只认",   "没兴趣", "兴趣都没有", "还是得吃", "离不开", "不感冒",   "无感",   "情有独钟",
      "看不上", "吃不腻", "爱个",       "情愿"};
  static constexpr std::string_view kNotChinese[] = {
      "从来不吃", "从来不喝", "从不吃", "从不喝", "不吃饭", "吃不吃",
      "喝不喝",   "喜欢你",   "习惯了", "好习惯", "坏习惯", "的习惯",
      "个习惯",   "习惯就好", "可爱",   "爱情",   "恋爱",   "不爱惜"};
  const std::string_view text = sentence.plain();
  for (std::size_t from = 0; from < text.size();) {
    std::size_t end = 0;
    auto hit = FindAnyWord(text.substr(from), kEnglish, &end);
    // "The twins love chocolate"
    if (std::size_t past = 0, many = ManyLike(text.substr(from), &past); many < hit)
      hit = many, end = past;
    if (hit == text.npos) {
      hit = FindAny(text.substr(from), kChinese, &end);
      if (hit == text.npos) break;
    }
    const std::size_t at = from + hit;
    std::size_t begin = from + end;
    from = begin;
    const Sentence::Range clause = sentence.ClauseAt(at);
    if (sentence.IsCovered(clause)) continue;
    const std::string_view part = sentence.Text(clause);
    std::size_t unused = 0;
    if (FindAny(part, kNot, &unused) != part.npos ||
        FindAny(part, kNotChinese, &unused) != part.npos)
      continue;
    // "My favourite colour is teal": the value follows the verb.
    const std::string_view rest = text.substr(begin);
    const bool favourite =
        text.substr(0, begin).ends_with("rite") || text.substr(0, begin).ends_with("rites");
    const std::size_t stop = sentence.EndOf(begin);
    // "We'll bring her favourite toy" says nothing of what it is.
    if (favourite) {
      const std::string_view before = text.substr(clause.begin, at - clause.begin);
      const std::string_view after = text.substr(begin, stop - begin);
      const bool says =
          words::Holds(after, {" is", " are", " was", " were", ":", " has ", "'s "}) ||
          words::Holds(before, {" is ", "'s ", " are ", " was ", "'re "});
      if (!says) continue;
    }
    for (std::string_view verb : {" is now ", " is ", " are ", " was "}) {
      const auto is = rest.find(verb);
      if (favourite && is != rest.npos && begin + is < stop) {
        begin += is + verb.size();
        break;
      }
    }
    if (begin == from) {
      for (std::string_view verb : {"的颜色是", "的是", "是"}) {
        const auto is = rest.find(verb);
        if (is != rest.npos && is < 30 && begin + is < stop) {
          begin += is + verb.size();
          break;
        }
      }
    }
    std::size_t value_end = std::max(sentence.EndOf(begin), begin);
    // "loves jazz and plays the saxophone": another verb tells something else.
    static constexpr std::string_view kAnd[] = {
        " and plays ",  " and works ",   " and goes ",   " and lives ", " and has ",
        " and is ",     " and does ",    " and drinks ", " and eats ",  " and reads ",
        " and runs ",   " and hates ",   " and wants ",  " and can't ", " and never ",
        " and always ", " and doesn't ", " and i "};
    std::size_t unused_end = 0;
    if (const auto cut = FindAny(text.substr(begin, value_end - begin), kAnd, &unused_end);
        cut != text.npos)
      value_end = begin + cut;
    const Sentence::Range covered{std::min(clause.begin, at), std::max(clause.end, value_end)};
    const Sentence::Range value = sentence.Trimmed({begin, value_end});
    // 女儿偏偏爱吃: what it is stands before.
    if (value.end > value.begin && sentence.Text(value).find_first_not_of(' ') != text.npos) {
      sentence.Add(DetailKind::kPreference, value, covered);
    } else {
      sentence.Add(DetailKind::kPreference, {clause.begin, begin}, covered);
    }
    from = std::max(from, value_end);
  }
}

}  // namespace liubai::memory
