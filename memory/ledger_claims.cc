// Statements that bind or leave open: promises, questions, and what is not so.
#include <algorithm>

#include "memory/ledger_scan.h"
#include "memory/ledger_statements.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

using words::Has;
using words::Holds;

bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::any_of(list.begin(), list.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

std::string_view FirstWord(std::string_view text) {
  text = TrimmedView(text, kBlanks);
  return text.substr(0, text.find_first_of(" ,.;:!?"));
}

// ---- Promises.

bool PromisesInEnglish(std::string_view text) {
  static constexpr std::string_view kWords[] = {"i promise",
                                                "promised to",
                                                "promised that",
                                                "promised me",
                                                "promised us",
                                                "promised him",
                                                "promised her",
                                                "he promised",
                                                "she promised",
                                                "they promised",
                                                "promises to",
                                                "we promise",
                                                "i swear",
                                                "swore",
                                                "swears",
                                                "guaranteed",
                                                "guarantees",
                                                "i guarantee",
                                                "we guarantee",
                                                "assured us",
                                                "assured me",
                                                "assured him",
                                                "assured her",
                                                "vowed",
                                                "committed to",
                                                "pledged",
                                                "my word",
                                                "his word",
                                                "her word",
                                                "count on me",
                                                "promised the",
                                                "promised my",
                                                "promised a",
                                                "promised it",
                                                "promised he",
                                                "promised she",
                                                "promised he'd",
                                                "promised she'd",
                                                "promised they'd",
                                                "promised we",
                                                "promised they",
                                                "promised i",
                                                "promised nothing",
                                                "has promised",
                                                "have promised",
                                                "i vow",
                                                "you can rely on me",
                                                "we undertake",
                                                "i undertake",
                                                "i give you my word",
                                                "agreed to"};
  std::size_t end = 0;
  // "Dad swears by ginger tea"
  const auto bound = FindAnyWord(text, kWords, &end);
  if (bound != text.npos && !text.substr(end).starts_with(" by ") &&
      !text.substr(end).starts_with(" at "))
    return true;
  // "I'll send it", but "I'll have the soup", "I'll be forty", "I'll probably stay".
  static constexpr std::string_view kSelf[] = {"i'll", "i will", "we'll", "we will", "i shall"};
  static constexpr std::string_view kNotDone[] = {
      "be",     "have",   "need",   "never",    "probably", "think", "miss",  "not",
      "admit",  "bet",    "guess",  "regret",   "survive",  "die",   "see",   "say",
      "always", "also",   "likely", "soon",     "only",     "go",    "want",  "end",
      "lose",   "starve", "pass",   "turn",     "must",     "get",   "just",  "manage",
      "stay",   "live",   "know",   "remember", "forget",   "take",  "stick", "wait"};
  static constexpr std::string_view kGet[] = {
      "get back",      "get you",       "get it",       "get them",     "get this",  "take care",
      "take you",      "take it",       "just send",    "be there",     "be back",   "be in touch",
      "be ready",      "go and",        "go get",       "also send",    "see to it", "remember to",
      "never tell",    "not tell",      "get the",      "pass it on",   "soon send", "wait for you",
      "take the kids", "have it ready", "have it done", "get in touch", "be round",  "be over",
      "go through it", "get it",        "get them",     "stop "};
  for (std::size_t from = 0; from < text.size();) {
    const auto at = FindAnyWord(text.substr(from), kSelf, &end);
    if (at == text.npos) break;
    const std::string_view before = text.substr(0, from + at);
    from += end;
    const std::string_view rest = TrimmedView(text.substr(from), kBlanks);
    if (Holds(before, {"maybe", "perhaps", "if ", "i think", "hope", "not sure", "when ", "doubt"}))
      continue;
    if (std::any_of(std::begin(kGet), std::end(kGet),
                    [&](std::string_view start) { return rest.starts_with(start); }))
      return true;
    const std::string_view verb = FirstWord(rest);
    // "I will have the report on your desk"
    if (verb == "have" && Holds(rest, {"on your", "for you", "ready", "to you", "done", "sorted"}))
      return true;
    if (!verb.empty() && IsAsciiLetter(static_cast<unsigned char>(verb[0])) && !Has(kNotDone, verb))
      return true;
  }
  // "Dad said he would build it", "Coach says he'll put me in"
  static constexpr std::string_view kSaid[] = {"said",      "says",      "told me", "told us",
                                               "confirmed", "replied",   "wrote",   "told her",
                                               "told him",  "told them", "told you"};
  if (FindAnyWord(text, kSaid, &end) != text.npos) {
    static constexpr std::string_view kWould[] = {
        "he'd",      "she'd",      "they'd",  "he'll",    "she'll",    "they'll",  "he would",
        "she would", "they would", "he will", "she will", "they will", "we would", "i'd",
        "i would",   "we'd",       "id",      "hed",      "theyd"};
    static constexpr std::string_view kWish[] = {"like",   "love", "rather",   "be", "never",
                                                 "prefer", "have", "probably", "not"};
    std::size_t would = 0;
    if (FindAnyWord(text.substr(end), kWould, &would) != text.npos &&
        !Has(kWish, FirstWord(text.substr(end + would))))
      return true;
  }
  // "The shop will refund me the full amount"
  static constexpr std::string_view kService[] = {
      "refund", "replace", "repay", "compensate", "reimburse", "deliver", "repair", "fix",
      "pay",    "return",  "call",  "contact",    "cover",     "send",    "notify", "exchange"};
  // "she'll fix it next week"
  static constexpr std::string_view kOthers[] = {"he'll", "she'll", "they'll"};
  if (const auto at = FindAnyWord(text, kOthers, &end); at != text.npos) {
    if (Has(kService, FirstWord(text.substr(end)))) return true;
  }
  if (const auto will = FindWord(text, "will"); will != text.npos && will > 0) {
    if (Has(kService, FirstWord(text.substr(will + 4)))) return true;
  }
  return false;
}

bool PromisesInChinese(std::string_view text) {
  if (Holds(text, {"昨天", "刚才", "已经", "请你", "麻烦你", "你能", "你可以", "上次", "当时"}))
    return Holds(text, {"答应了", "答应过", "保证过"}) && !Holds(text, {"没答应", "没有答应"});
  static constexpr std::string_view kWords[] = {
      "答应", "保证", "承诺", "发誓", "担保", "一言为定", "包在我身上", "说到做到", "我发四"};
  static constexpr std::string_view kNot[] = {"保证金", "质量保证", "没答应",   "不答应",
                                              "不保证", "不能保证", "没法保证", "答应吗",
                                              "担保人", "保证书",   "不敢保证"};
  if (Holds(text, kWords) && !Holds(text, kNot)) return true;
  const bool we = text.find("我") != text.npos;
  static constexpr std::string_view kForYou[] = {
      "给你",   "给你们", "给大家", "告诉你", "发你",   "打给你", "接你",   "还你",
      "还给",   "通知你", "帮你",   "替你",   "带给你", "联系你", "陪你",   "送你",
      "回复你", "给您",   "告诉您", "发您",   "通知您", "联系您", "回复您", "帮您",
      "替您",   "为你",   "叫你",   "找你",   "教你",   "转给你"};
  const bool done = text.ends_with("过") || Holds(text, {"过了", "了吗", "你给我", "不会", "没有"});
  const bool asked = StartsWithAny(text, {"你", "请", "他", "她", "谁", "能", "想"});
  if (!done && !asked && Holds(text, kForYou) && !text.ends_with("了")) return true;
  if (!we || done) return false;
  static constexpr std::string_view kMine[] = {
      "我来订",   "我来做",   "我来写",     "我来办",     "我来处理", "我来负责", "我来安排",
      "我来买",   "我来付",   "我来请",     "我来开",     "我来联系", "我来解决", "我来弄",
      "我来收",   "我来准备", "我来翻译",   "我来查",     "我来定",   "我来修",   "我来接",
      "我来还",   "我来搞定", "我来打",     "我来洗",     "我来照",   "我负责",   "我会尽",
      "我会给",   "我会把",   "我会帮",     "我会去",     "我会来",   "我会再",   "我会在",
      "我会通",   "我会联",   "我会告",     "我会按",     "我会准",   "我会处",   "我会负",
      "我会安",   "我会发",   "我会送",     "我会还",     "我会替",   "我会陪",   "我会马",
      "我会一直", "我会继续", "我会想办法", "我会跟",     "我一定",   "我们会尽", "我们会给",
      "我们会在", "我们会安", "我们会把",   "我们会及时", "我尽快",   "我尽量"};
  if (Holds(text, kMine)) return true;
  // 我下午三点去车站接她
  if (text.starts_with("我") && Holds(text, {"点", "早上", "上午", "下午", "晚上", "周", "号"}) &&
      Holds(text,
            {"去接", "来接", "接你", "接他", "接她", "送你", "送他", "送她", "带过", "拿给"}) &&
      !Holds(text, {"了", "想", "得", "昨", "没", "不"}))
    return true;
  if (text.starts_with("我") && text.find("去") != text.npos &&
      (text.ends_with("接她") || text.ends_with("接他") || text.ends_with("接你")))
    return true;
  // 帐篷我带
  for (std::string_view mine :
       {"我来浇", "我来拿", "我来送", "我来倒", "我来关", "我来搬", "我来擦", "我来遛",
        "我带",   "我买",   "我付",   "我来",   "我请",   "我订",   "我做",   "我洗",
        "我拿",   "我开",   "我送",   "我去买", "我去拿", "我去接", "我包了", "我出"}) {
    if (text.ends_with(mine) && text.size() > mine.size() + 3) return true;
  }
  static constexpr std::string_view kSoon[] = {
      "明天", "后天", "今天之内", "今晚",     "马上", "就去", "下周", "回头",   "待会",
      "晚上", "明早", "明晚",     "尽快",     "立刻", "这就", "之内", "以内",   "之前",
      "周末", "下班", "月底",     "一会儿就", "随后", "稍后", "改天", "过两天", "下次"};
  static constexpr std::string_view kDone[] = {"把", "还",     "交",   "修",   "发", "送",
                                               "寄", "打电话", "还钱", "去接", "带", "转"};
  return Holds(text, kSoon) && Holds(text, kDone) &&
         !Holds(text, {"我得", "我想", "我要不", "我怕"});
}

// 说月底还, 说暑假带我们去看海
bool ReportsPromise(std::string_view text) {
  const auto said = text.find("说");
  if (said == text.npos) return false;
  const std::string_view rest = text.substr(said + std::string_view("说").size());
  static constexpr std::string_view kWhen[] = {
      "明天", "后天", "月底", "下周", "下个月", "明年", "年底", "暑假", "寒假", "周末", "一定",
      "会",   "马上", "尽快", "今晚", "晚上",   "国庆", "过年", "春节", "周",   "前",   "点"};
  static constexpr std::string_view kDeeds[] = {"还",   "带我", "送我", "给我", "修",
                                                "退",   "赔",   "补",   "帮我", "陪我",
                                                "接我", "寄",   "请我", "送来", "换"};
  return Holds(rest, kWhen) && Holds(rest, kDeeds) && !Holds(rest, {"不", "没", "还是", "还没"});
}

// ---- Questions.

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

// ---- Negations.

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

void FindPromises(Sentence& sentence) {
  const std::string_view text = sentence.plain();
  // English promises go over commas ("You have my word: …"); one for each part between "; ".
  const Sentence::Range whole{0, text.size()};
  std::size_t begin = 0;
  for (std::string_view stop : {", so ", "; ", ", and so ", " so "}) {
    const auto at = text.find(stop);
    if (at == text.npos) continue;
    if (PromisesInEnglish(text.substr(at + stop.size())) &&
        !PromisesInEnglish(text.substr(0, at))) {
      begin = at + stop.size();
      break;
    }
  }
  if (!sentence.IsCovered({begin, text.size()}) && PromisesInEnglish(text.substr(begin))) {
    sentence.Add(DetailKind::kPromise, {begin, whole.end});
    return;
  }
  for (const Sentence::Range clause : sentence.clauses()) {
    if (sentence.IsCovered(clause)) continue;
    const std::string_view part = TrimmedView(sentence.Text(clause), kBlanks);
    if (PromisesInChinese(part) || ReportsPromise(part)) {
      sentence.Add(DetailKind::kPromise, {clause.begin, sentence.EndOf(clause.begin)});
      // 包在我身上，绝不迟到
      for (const Sentence::Range other : sentence.clauses()) {
        if (Holds(sentence.Text(other), {"绝不", "不会", "一定"})) sentence.Cover(other);
      }
    }
  }
}

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

void FindNegations(Sentence& sentence) {
  for (const Sentence::Range clause : sentence.clauses()) {
    const Sentence::Range part = sentence.Trimmed(clause);
    if (part.end <= part.begin || sentence.IsCovered(part)) continue;
    const std::string_view text = sentence.Text(part);
    if (DeniesInEnglish(text) || DeniesInChinese(text)) sentence.Add(DetailKind::kNegation, part);
  }
}

}  // namespace liubai::memory
