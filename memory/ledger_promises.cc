// What somebody binds himself to do.
#include <algorithm>

#include "memory/ledger_scan.h"
#include "memory/ledger_statements.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

using words::Has;
using words::Holds;

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

}  // namespace liubai::memory
