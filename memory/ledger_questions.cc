// What is asked for, or said to be undecided.
#include <algorithm>

#include "memory/ledger_scan.h"
#include "memory/ledger_statements.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

using words::Has;
using words::Holds;

bool IsCourtesy(std::string_view text) {
  static constexpr std::string_view kWhole[] = {"how are you",
                                                "how are you doing",
                                                "how's it going",
                                                "what's up",
                                                "how do you do",
                                                "really",
                                                "can you believe it",
                                                "who knows",
                                                "who cares",
                                                "you know what",
                                                "guess what",
                                                "so what",
                                                "why not",
                                                "is it",
                                                "isn't it",
                                                "are you",
                                                "ok",
                                                "okay",
                                                "right",
                                                "you know",
                                                "huh",
                                                "and you",
                                                "how about you",
                                                "see",
                                                "got it",
                                                "do you hear me",
                                                "how was your day",
                                                "how is it going",
                                                "shall we",
                                                "or what",
                                                "how so",
                                                "or do we not",
                                                "can i ask you something",
                                                "are you kidding",
                                                "isn't that great",
                                                "how are things",
                                                "what's new",
                                                "how is everything",
                                                "are you there"};
  static constexpr std::string_view kTags[] = {
      "isn't it",    "aren't you", "don't you", "right",    "doesn't it",         "wasn't it",
      "ok",          "okay",       "huh",       "you know", "can you believe it", "don't you think",
      "won't you",   "didn't it",  "eh",        "no",       "isn't he",           "isn't she",
      "aren't they", "haven't we", "didn't we", "yes",      "will you",           "innit"};
  static constexpr std::string_view kStarts[] = {
      "may i ask",      "can i ask you",  "could i have", "can i have",    "may i have",
      "would you mind", "would you like", "why don't we", "why don't you", "how dare",
      "do you mind",    "can i get",      "shall i",      "who doesn't",   "who wouldn't",
      "isn't it",       "how could you"};
  std::string_view trimmed = TrimmedView(text, " \t\r\n.,;:!?\"'");
  if (Has(kWhole, trimmed)) return true;
  for (std::string_view start : kStarts) {
    if (trimmed.starts_with(start)) return true;
  }
  for (std::string_view tag : kTags) {
    if (trimmed.size() > tag.size() + 2 && trimmed.ends_with(tag) &&
        trimmed.substr(0, trimmed.size() - tag.size()).ends_with(", "))
      return true;
  }
  // "Could you help me with this?" asks for a deed, "could you tell me" for an answer.
  static constexpr std::string_view kRequests[] = {
      "can you ", "could you ", "would you ", "will you ", "can you please ", "could you please "};
  static constexpr std::string_view kAnswers[] = {
      "tell", "say",    "remind",   "explain", "recommend", "suggest", "remember", "confirm",
      "show", "recall", "estimate", "know",    "find",      "check",   "look",     "name",
      "be",   "afford", "see",      "swim",    "drive",     "come"};
  for (std::string_view request : kRequests) {
    const auto at = FindWord(trimmed, TrimmedView(request, " "));
    if (at == trimmed.npos || at > 20) continue;
    std::string_view verb = FirstWord(trimmed.substr(at + request.size() - 1));
    if (verb == "please")
      verb =
          FirstWord(trimmed.substr(trimmed.find("please", at) + std::string_view("please").size()));
    if (!Has(kAnswers, verb)) return true;
  }
  std::size_t letters = 0;
  for (char c : trimmed) letters += IsAsciiLetter(static_cast<unsigned char>(c));
  const bool ascii = std::all_of(trimmed.begin(), trimmed.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return ascii && letters < 9;
}

bool IsChineseCourtesy(std::string_view text) {
  static constexpr std::string_view kWhole[] = {
      "怎么样",     "你好吗",   "好吗",     "行吗",           "可以吗",       "对吧",
      "是吧",       "是吗",     "吃了吗",   "在吗",           "真的吗",       "不是吗",
      "你呢",       "对吗",     "好不好",   "行不行",         "明白吗",       "懂吗",
      "知道吗",     "听见了吗", "忙吗",     "最近怎么样",     "你今天怎么样", "你最近怎么样",
      "今天怎么样", "还好吗",   "你还好吗", "怎么了",         "嗯",           "你说呢",
      "干嘛呢",     "忙什么呢", "你在吗",   "今天天气怎么样", "凭什么",       "怎么会"};
  std::string_view trimmed = TrimmedView(text, kBlanks);
  for (bool again = true; again;) {
    again = false;
    for (std::string_view stop : {"？", "?", "。", "！", "呀", "啊"}) {
      if (trimmed.ends_with(stop)) trimmed.remove_suffix(stop.size()), again = true;
    }
  }
  if (Has(kWhole, trimmed)) return true;
  // 帮我改一下好吗
  if (Holds(trimmed, {"帮我", "帮忙", "麻烦"}) &&
      Holds(trimmed, {"吗", "能不能", "可不可以", "能否"}) &&
      !Holds(trimmed, {"查", "看看", "想想", "回忆", "告诉"}))
    return true;
  // 能不能改短一点？
  for (std::string_view ask : {"能不能", "能否", "可不可以", "可以", "麻烦"}) {
    if (trimmed.starts_with(ask) &&
        StartsWithAny(trimmed.substr(ask.size()),
                      {"改", "帮", "给我", "发", "写", "再", "把", "快", "慢", "简", "翻译", "总结",
                       "小声", "换成", "请"}))
      return true;
  }
  // …，够了吧: what is said is only to be agreed to.
  if (trimmed.ends_with("吧")) {
    const auto comma = trimmed.rfind("，");
    if (comma != trimmed.npos && CountCodePoints(trimmed.substr(comma)) <= 5) return true;
  }
  for (std::string_view tag :
       {"，好吗", "，行吗", "，可以吗", "，对吧", "，是吧", "，对吗", "，是吗", "，好不好",
        "，不是吗", "，你呢", "，对不对", "，怎么样"}) {
    if (trimmed.ends_with(tag)) return true;
  }
  return false;
}

bool IsUndecided(std::string_view clause) {
  static constexpr std::string_view kEnglish[] = {
      "still open",      "haven't decided",     "have not decided",      "hasn't decided",
      "not decided",     "undecided",           "to be decided",         "tbd",
      "i wonder",        "we wonder",           "remains to be seen",    "up in the air",
      "need to decide",  "have to decide",      "need to find out",      "have to find out",
      "has to find out", "must find out",       "need to check whether", "need to ask",
      "to be confirmed", "haven't figured out", "to be determined",      "still to be",
      "can't decide",    "haven't settled",     "not settled",           "open question",
      "yet to decide",   "haven't made up",     "not clear yet",         "still unclear",
      "yet to be"};
  std::size_t end = 0;
  if (FindAnyWord(clause, kEnglish, &end) != clause.npos) return true;
  static constexpr std::string_view kUnknown[] = {
      "don't know",     "do not know",      "doesn't know", "not sure",     "no idea",
      "don't remember", "can't remember",   "nobody knows", "no one knows", "not certain",
      "don't yet know", "still don't know", "unsure",       "no clue",      "can't recall"};
  static constexpr std::string_view kWhich[] = {"if",  "whether", "who", "what",  "where", "when",
                                                "how", "which",   "why", "whose", "about"};
  if (FindAnyWord(clause, kUnknown, &end) != clause.npos) {
    std::string_view next = FirstWord(clause.substr(end));
    if (next == "yet") next = FirstWord(clause.substr(clause.find("yet", end) + 3));
    return Has(kWhich, next);
  }
  static constexpr std::string_view kChinese[] = {
      "还没定",     "没定下来", "待定",       "没想好",   "不确定",   "没决定",
      "拿不定主意", "未定",     "还在考虑",   "没商量好", "定不下来", "有待确认",
      "还没确定",   "没确定",   "悬而未决",   "说不准",   "拿不准",   "说不好",
      "难说",       "没谱",     "还得再想想", "不清楚是"};
  if (Holds(clause, kChinese)) return true;
  return Holds(clause, {"得打听", "得问问", "要打听", "得查一下", "得搞清楚", "得弄清楚", "不知道",
                        "不晓得", "不清楚", "想不起来", "记不清"}) &&
         Holds(clause, {"谁", "什么", "哪", "怎么", "要不要", "是不是", "多少", "能不能", "会不会",
                        "几", "有没有", "该不该", "为何", "何时"});
}

}  // namespace

// Asks without a question mark: "who's got the keys", 几点开门.
bool AsksUnmarked(std::string_view text) {
  text = TrimmedView(text, kBlanks);
  const std::string_view first = FirstWord(text);
  const std::string_view rest = TrimmedView(text.substr(std::min(first.size(), text.size())), " ");
  const std::string_view second = FirstWord(rest);
  static constexpr std::string_view kAsking[] = {"what",  "when",   "where",  "who",     "how",
                                                 "which", "whose",  "what's", "where's", "who's",
                                                 "how's", "when's", "why"};
  static constexpr std::string_view kThen[] = {
      "is",   "are",   "was",    "were", "do",   "does", "did", "has", "have", "can", "could",
      "will", "would", "should", "much", "many", "time", "day", "one", "kind", "far", "long"};
  static constexpr std::string_view kAsks[] = {
      "do",     "does", "did",  "is",    "are",    "has",     "have", "was",   "were",
      "anyone", "can",  "will", "shall", "should", "anybody", "hows", "wheres"};
  static constexpr std::string_view kWhom[] = {
      "i",   "we",   "you",  "he",   "she",  "they", "it",   "anyone", "anybody", "there",
      "the", "your", "my",   "know", "seen", "got",  "have", "u",      "ya",      "yall",
      "our", "this", "that", "his",  "her",  "free", "want", "need",   "up",      "else"};
  if (Has(kAsking, first) && !Holds(text, {"!", "who knows", "who cares"})) {
    const bool short_form = first.ends_with("'s") && !second.empty();
    // "when is" asks, "when we were" tells.
    if (short_form || (Has(kThen, second) && !(first == "how" && second == "one"))) {
      return !Holds(text, {", "}) || first != "when";
    }
  }
  // "is teddy coming tonight"
  const bool somebody = first != "have" && first != "can" && first != "will" &&
                        (IsGivenName(second) || IsUnknownWord(second)) && second.size() > 2 &&
                        rest.size() > second.size() + 3;
  if (Has(kAsks, first) && (Has(kWhom, second) || somebody) && !Holds(rest, {"not "}) &&
      (first != "have" || second != "the"))
    return true;
  static constexpr std::string_view kOpen[] = {
      "not sure who", "not sure who's", "not sure what", "not sure where", "not sure when",
      "not sure how", "not sure which", "no idea who",   "no idea what",   "no idea how",
      "no idea when", "dunno if",       "dunno who",     "dunno when"};
  std::size_t end = 0;
  return FindAnyWord(text, kOpen, &end) != text.npos;
}

bool AsksUnmarkedInChinese(std::string_view text) {
  text = TrimmedView(text, kBlanks);
  for (bool again = true; again;) {
    again = false;
    for (std::string_view stop : {"啊", "呀", "呢", "啦", "哈", "！"}) {
      if (text.ends_with(stop)) text.remove_suffix(stop.size()), again = true;
    }
  }
  if (text.size() > 60 ||
      Holds(text, {"都",   "也",     "说",       "看",       "记得",   "没什么", "不管",   "无论",
                   "随便", "什么的", "多少有",   "多少还",   "怎么也", "怎么都", "谁知道", "，",
                   "。",   "！",     "怎么这么", "怎么那么", "哪有",   "哪来"}))
    return false;
  if (Holds(text, {"到底什么时候", "大概要多少", "值不值",   "怎么解",   "是啥", "叫什么",
                   "叫啥",         "怎么弄",     "怎么办",   "咋办",     "咋弄", "咋整",
                   "多少钱",       "行不行",     "有没有人", "有谁",     "想问", "请问",
                   "求问",         "纠结选",     "几点放",   "怎么收费", "哪家", "何时能"}) &&
      !Holds(text, {"知道了", "忘了", "没人", "不知", "都"}))
    return true;
  if (Holds(text, {"像谁", "像什么"})) return false;
  if (text.ends_with("来着") || text.ends_with("了没") || text.ends_with("过没") ||
      text.ends_with("了没有"))
    return true;
  if (Holds(text, {"谁", "什么时候", "几点", "哪儿", "哪里", "哪个", "哪天", "多少钱", "为什么",
                   "怎么走", "几号", "什么地方", "放哪", "多大", "多久"}))
    return !Holds(text, {"不知", "知道", "没人", "了几点", "好久", "不多久"});
  // 要不要, 去不去
  for (auto at = text.find("不"); at != text.npos; at = text.find("不", at + 3)) {
    if (at >= 3 && at + 6 <= text.size() && text.substr(at - 3, 3) == text.substr(at + 3, 3))
      return !Holds(text, {"得不得", "不得不", "好不好吃", "时不时", "动不动", "差不差", "错不错"});
  }
  return false;
}

void FindOpenQuestions(Sentence& sentence, bool asks) {
  const std::string_view text = sentence.plain();
  const Sentence::Range whole{0, text.size()};
  if (asks) {
    if (!IsCourtesy(text) && !IsChineseCourtesy(text)) {
      sentence.Add(DetailKind::kQuestion, whole);
    }
    return;
  }
  if (!sentence.IsCovered(whole) && (AsksUnmarked(text) || AsksUnmarkedInChinese(text))) {
    if (!IsCourtesy(text) && !IsChineseCourtesy(text)) sentence.Add(DetailKind::kQuestion, whole);
    return;
  }
  for (const Sentence::Range clause : sentence.clauses()) {
    const std::string_view part = TrimmedView(sentence.Text(clause), kBlanks);
    const bool whole_clause = clause.end - clause.begin + 1 < text.size();
    if (whole_clause && !sentence.IsCovered(clause) && part.size() > 8 &&
        (AsksUnmarked(part) || AsksUnmarkedInChinese(part)) && !IsCourtesy(part) &&
        !IsChineseCourtesy(part)) {
      sentence.Add(DetailKind::kQuestion, clause);
      return;
    }
  }
  const bool asking = Holds(text, {"谁", "什么", "哪", "怎么", "多少", "几点", "是不是", "能不能"});
  for (const Sentence::Range clause : sentence.clauses()) {
    const bool to_ask = asking && Holds(sentence.Text(clause), {"得打听", "得问", "要打听", "得查",
                                                                "再问问", "不知道", "不清楚"});
    if (sentence.IsCovered(clause) || (!to_ask && !IsUndecided(sentence.Text(clause)))) continue;
    // 坐飞机还是坐火车，还没定: what is open stands before.
    const bool head = clause.begin == 0 || clause.end - clause.begin > 30;
    sentence.Add(DetailKind::kQuestion, {head ? clause.begin : 0, sentence.EndOf(clause.begin)});
    break;
  }
}

}  // namespace liubai::memory
