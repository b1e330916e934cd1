// What is not so.
#include <algorithm>

#include "memory/ledger_scan.h"
#include "memory/ledger_statements.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

using words::Has;
using words::Holds;

bool DeniesInEnglish(std::string_view clause) {
  static constexpr std::string_view kIdioms[] = {"not only",
                                                 "nothing ventured",
                                                 "nothing gained",
                                                 "built in a day",
                                                 "sorry, not sorry",
                                                 "have your cake",
                                                 "no problem",
                                                 "no worries",
                                                 "no wonder",
                                                 "no doubt",
                                                 "not bad",
                                                 "not at all",
                                                 "why not",
                                                 "no matter",
                                                 "no thanks",
                                                 "no, ",
                                                 "not to mention",
                                                 "can't wait",
                                                 "couldn't agree",
                                                 "don't worry",
                                                 "never mind",
                                                 "never-ending",
                                                 "can't believe",
                                                 "can't help",
                                                 "if not",
                                                 "or not",
                                                 "doesn't matter",
                                                 "not more than",
                                                 "no more than",
                                                 "no later than",
                                                 "no less than",
                                                 "no fewer than",
                                                 "no wider",
                                                 "no longer than",
                                                 "no earlier",
                                                 "none of your",
                                                 "not just",
                                                 "let's not",
                                                 "let us not",
                                                 "nothing special",
                                                 "nothing much",
                                                 "not really sure",
                                                 "no need",
                                                 "no big deal",
                                                 "no rush",
                                                 "wouldn't mind",
                                                 "don't mind",
                                                 "no wait",
                                                 "not yet sure",
                                                 "can't complain",
                                                 "not to be",
                                                 "whether or not",
                                                 "not least",
                                                 "sorry, not sorry",
                                                 "never say never",
                                                 "no pain",
                                                 "no way",
                                                 "no sooner",
                                                 "not to say",
                                                 "nothing but",
                                                 "no thank",
                                                 "no offense",
                                                 "no further than",
                                                 "no hurry",
                                                 "don't get me wrong",
                                                 "please",
                                                 "if it doesn't",
                                                 "if they don't",
                                                 "if you don't",
                                                 "if we don't",
                                                 "no good deed"};
  for (std::string_view idiom : kIdioms) {
    if (clause.find(idiom) != clause.npos) return false;
  }
  const std::string_view trimmed = TrimmedView(clause, kBlanks);
  if (trimmed == "no" || trimmed == "never" || trimmed == "not" || trimmed == "not me" ||
      trimmed == "not sorry" || trimmed == "nothing" || trimmed == "nope" ||
      trimmed == "sorry not sorry")
    return false;
  for (std::size_t i = 0; i < clause.size();) {
    const auto end = std::min(clause.find_first_of(" ,.;:!?()\"", i), clause.size());
    const std::string_view word = clause.substr(i, end - i);
    i = end + 1;
    if (word.size() > 3 && word.ends_with("n't")) return true;
    static constexpr std::string_view kWords[] = {"not",  "cannot",  "never",   "nobody", "nothing",
                                                  "none", "neither", "nowhere", "hardly"};
    if (Has(kWords, word)) return true;
    if (word == "no" && end < clause.size() && clause[end] == ' ') {
      const std::string_view next = FirstWord(clause.substr(end));
      // "Room no 5", "no 12": a number's sign.
      // "my account no is 6016"
      const bool sign = next == "is" || next == "was";
      if (!next.empty() && !sign && !IsAsciiDigit(static_cast<unsigned char>(next[0]))) return true;
    }
  }
  return false;
}

bool DeniesInChinese(std::string_view clause) {
  // Words that hold 不, 没 or 无 and deny nothing.
  static constexpr std::string_view kWords[] = {
      "不错",     "不好意思",   "对不起",   "不客气",   "不过，",    "不但",       "不仅",
      "不光",     "不只",       "不管",     "不论",     "不然",      "要不",       "不如",
      "不断",     "不停地",     "不停的",   "差不多",   "不得了",    "了不起",     "不得不",
      "不少",     "不久",       "不止",     "不妨",     "不愧",      "不禁",       "不由",
      "不用谢",   "不用客气",   "不要紧",   "没关系",   "没事",      "没问题",     "没错",
      "没什么",   "没想到",     "说不定",   "不知不觉", "不可思议",  "忍不住",     "舍不得",
      "恨不得",   "巴不得",     "好不容易", "时不时",   "动不动",    "不见不散",   "百看不厌",
      "不超过",   "不到",       "不满",     "不一会儿", "不一会",    "不多不少",   "不三不四",
      "不得超过", "没别的意思", "没准",     "不由得",   "不亦乐乎",  "不以为然",   "毫不犹豫",
      "迫不及待", "不懂就问",   "不要太",   "不大不小", "不服气",    "不知",       "不好说",
      "不瞒",     "不至于",     "不敢当",   "不胜",     "不便之处",  "没完没了",   "没日没夜",
      "不多",     "不远",       "不必",     "不用",     "不急",      "不慌",       "不惜",
      "不同",     "不低于",     "不少于",   "不高于",   "不多于",    "不妙",       "不吐不快",
      "不是我说", "一来二去",   "没门",     "不含糊",   "不假思索",  "不要钱",     "不贵",
      "不难",     "不晚",       "不早了",   "不好惹",   "不简单",    "没辙",       "可不是",
      "不是嘛",   "谈不上",     "不时之需", "不在话下", "包不住火",  "不负有心人", "套不着狼",
      "不可兼得", "不打不相识", "不入虎穴", "焉得",     "无风不起浪"};
  std::string masked(clause);
  for (std::string_view word : kWords) {
    for (auto at = masked.find(word); at != masked.npos; at = masked.find(word, at))
      std::fill_n(masked.begin() + static_cast<std::ptrdiff_t>(at), word.size(), '\1');
  }
  for (std::string_view sign : {"不", "没", "未"}) {
    for (auto at = masked.find(sign); at != masked.npos; at = masked.find(sign, at + sign.size())) {
      const std::size_t past = at + sign.size();
      // 要不要, 能不能 ask.
      if (at >= 3 && past + 3 <= masked.size() && masked.compare(at - 3, 3, masked, past, 3) == 0)
        continue;
      const std::string_view rest = std::string_view(masked).substr(past);
      if (sign == "未" && StartsWithAny(rest, {"来", "必", "免", "婚"})) continue;
      if (sign == "没" && StartsWithAny(rest, {"收了", "收走", "落"})) continue;
      return true;
    }
  }
  return Holds(masked, {"无法", "无人", "无权", "无效", "并无", "毫无", "无处", "从未"});
}

}  // namespace

void FindNegations(Sentence& sentence) {
  for (const Sentence::Range clause : sentence.clauses()) {
    const Sentence::Range part = sentence.Trimmed(clause);
    if (part.end <= part.begin || sentence.IsCovered(part)) continue;
    const std::string_view text = sentence.Text(part);
    if (DeniesInEnglish(text) || DeniesInChinese(text)) sentence.Add(DetailKind::kNegation, part);
  }
}

}  // namespace liubai::memory
