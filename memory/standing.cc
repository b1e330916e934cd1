#include "memory/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "core/text.h"
#include "memory/essence.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

using words::Has;
using words::Holds;

// Lower case, curly apostrophes straightened.
std::string Plain(std::string_view text) {
  const std::string lower = ToLowerUtf8(text);
  constexpr std::string_view kCurly = "’";
  std::string plain;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const bool curly = std::string_view(lower).substr(i).starts_with(kCurly);
    plain += curly ? '\'' : lower[i];
    if (curly) i += kCurly.size() - 1;
  }
  return plain;
}

template <class List>
bool HoldsWord(std::string_view text, const List& list) {
  std::size_t end = 0;
  return FindAnyWord(text, list, &end) != std::string_view::npos;
}
template <class List>
bool StartsWith(std::string_view text, const List& list) {
  return std::any_of(std::begin(list), std::end(list),
                     [&](std::string_view part) { return text.starts_with(part); });
}

constexpr std::string_view kReported[] = {"said",  "says",   "told",    "tells",        "asked",
                                          "asks",  "warned", "insists", "according to", "reads",
                                          "heard", "claims", "thinks",  "writes",       "wrote"};
constexpr std::string_view kChineseReported[] = {
    "说：", "说,",  "说，", "说我", "总说",   "他说",   "她说",   "们说", "听说",
    "据说", "告诉", "要求", "提醒", "老师说", "医生说", "妈妈说", "觉得"};
constexpr std::string_view kOnce[] = {
    "today",        "tonight",      "tomorrow",       "yesterday",      "this time", "this week",
    "this morning", "this evening", "this afternoon", "this weekend",   "next week", "next month",
    "for now",      "right now",    "at the moment",  "for the moment", "this once", "just once",
    "this one",     "yet",          "until then"};
constexpr std::string_view kChineseOnce[] = {"今天", "今晚",   "明天", "后天",   "昨天", "这次",
                                             "这周", "本周",   "下周", "这几天", "刚才", "下次",
                                             "这回", "这一次", "这个", "这篇",   "这里", "那个"};

// "He said I must never …": the words are another's. `before`: what stands before the statement.
bool IsReported(std::string_view before) {
  if (HoldsWord(before, kReported) &&
      !HoldsWord(before, std::array<std::string_view, 2>{"i said", "i told"}))
    return true;
  if (Holds(before, kChineseReported)) return true;
  std::size_t quotes = 0;
  for (char c : before) quotes += c == '"';
  const auto open = before.rfind("“"), close = before.rfind("”");
  return quotes % 2 == 1 || (open != before.npos && (close == before.npos || close < open));
}

std::size_t ClauseBegin(std::string_view text, std::size_t at) {
  static constexpr std::string_view kBreaks[] = {"，", "；", "。", "、", "：",
                                                 "！", ", ", "; ", ": "};
  std::size_t begin = 0;
  for (std::string_view stop : kBreaks) {
    const auto found = text.substr(0, at).rfind(stop);
    if (found != text.npos) begin = std::max(begin, found + stop.size());
  }
  return begin;
}

// The last word of `text`, without what is not a letter; "" at a clause's beginning.
std::string_view LastWord(std::string_view text) {
  text = Trim(text);
  std::size_t begin = text.size();
  while (begin > 0 &&
         (IsAsciiWord(static_cast<unsigned char>(text[begin - 1])) || text[begin - 1] == '\''))
    --begin;
  return text.substr(begin);
}

bool IsStandingRule(std::string_view text) {
  static constexpr std::string_view kLasting[] = {
      "never",        "always",     "from now on", "every time",
      "whenever",     "in future",  "each time",   "under no circumstances",
      "at all times", "don't ever", "do not ever"};
  // Imperatives and their subjects; "the door never opened" tells a story.
  static constexpr std::string_view kBefore[] = {
      "",     "please", "and", "but",  "so",   "should", "must",    "you", "also",
      "then", "or",     "to",  "will", "rule", "that",   "because", "then"};
  static constexpr std::string_view kAsk[] = {
      "don't ",   "do not ", "please don't ", "remember ",   "make sure",        "please do not ",
      "you must", "must ",   "only reply",    "only answer", "please make sure", "please remember"};
  static constexpr std::string_view kGeneral[] = {
      "me",      "my",        "i",       "i'm",      "any",      "every",      "each",
      "when",    "replies",   "reply",   "answer",   "answers",  "messages",   "emails",
      "anymore", "unless",    "ever",    "mondays",  "tuesdays", "wednesdays", "thursdays",
      "fridays", "saturdays", "sundays", "weekends", "mornings", "evenings"};
  static constexpr std::string_view kIdioms[] = {
      "don't worry",  "do not worry",  "don't mind",   "don't tell me", "don't get me",
      "don't bother", "don't ask me",  "don't know",   "don't think",   "don't forget",
      "don't laugh",  "remember when", "remember how", "remember the"};
  for (std::string_view word : {"standing rule", "house rule", "rule:"}) {
    const auto at = FindWord(text, word);
    if (at != text.npos) return !IsReported(text.substr(0, at));
  }
  // "Please call me Captain from now on": asked of whoever listens.
  static constexpr std::string_view kFromNow[] = {"from now on", "in future", "every time",
                                                  "each time"};
  static constexpr std::string_view kAsked[] = {"please ", "call ",  "answer ", "reply ",   "use ",
                                                "write ",  "speak ", "keep ",   "address ", "sign ",
                                                "add ",    "start ", "end ",    "give ",    "put "};
  std::size_t end = 0;
  auto at = FindAnyWord(text, kFromNow, &end);
  if (at != text.npos && StartsWith(text.substr(ClauseBegin(text, at)), kAsked) &&
      !IsReported(text.substr(0, at))) {
    return true;
  }
  at = FindAnyWord(text, kLasting, &end);
  if (at != text.npos) {
    const std::size_t begin = ClauseBegin(text, at);
    const std::string_view before = text.substr(begin, at - begin);
    if (IsReported(text.substr(0, at)) || HoldsWord(text.substr(at), kOnce)) return false;
    return Has(kBefore, LastWord(before));
  }
  if (StartsWith(text, kAsk)) {
    return !StartsWith(text, kIdioms) && !HoldsWord(text, kOnce) && HoldsWord(text, kGeneral);
  }
  return false;
}

std::string_view WithoutEnds(std::string_view text, std::span<const std::string_view> leads) {
  for (bool again = true; again;) {
    again = false;
    for (std::string_view lead : leads) {
      if (!text.starts_with(lead)) continue;
      text.remove_prefix(lead.size());
      again = true;
    }
  }
  return text;
}

bool IsStandingChineseRule(std::string_view text) {
  static constexpr std::string_view kLasting[] = {
      "以后",     "从现在起", "从今以后", "每次",   "永远", "一律", "始终", "凡是",
      "绝对不要", "绝不要",   "千万不要", "千万别", "不许", "不准", "禁止", "总是"};
  static constexpr std::string_view kAsk[] = {"不要",   "别再", "必须", "务必",   "记住",
                                              "请记得", "记得", "切记", "请一直", "请"};
  static constexpr std::string_view kLeads[] = {
      "所以", "另外", "对了", "还有", "那么", "那",   "但是", "而且", "请",   "你",   "您", "也",
      "就",   "都",   "要",   "麻烦", "再说", "不过", "因此", "一定", "记住", "不要", "别"};
  static constexpr std::string_view kGeneral[] = {"我",   "每",   "任何", "时候", "以后", "回答",
                                                  "回复", "称呼", "一直", "从来", "只要", "凡是"};
  std::size_t end = 0;
  auto at = FindAny(text, kLasting, &end);
  const bool lasting = at != text.npos;
  if (!lasting) at = FindAny(text, kAsk, &end);
  if (at == text.npos || IsReported(text.substr(0, at))) return false;
  const std::size_t begin = ClauseBegin(text, at);
  const std::string_view before =
      WithoutEnds(Trim(text.substr(begin, at - begin)), std::span(kLeads));
  const std::string_view rest = text.substr(at);
  if (Holds(rest, kChineseOnce)) return false;
  if (lasting) {
    static constexpr std::string_view kMine[] = {"给我", "跟我", "对我", "我的", "叫我"};
    return before.empty() || Holds(before, kMine) || before.ends_with("时候");
  }
  // The request is made to whoever listens: another's duty has a subject.
  return (before.empty() || before.ends_with("要你") || before.ends_with("请你")) &&
         Holds(text.substr(end), kGeneral);
}

bool IsStandingAllergy(const Detail& detail, std::string_view text) {
  static constexpr std::string_view kIf[] = {"if", "whether", "might", "in case"};
  static constexpr std::string_view kChineseIf[] = {"如果", "是不是", "会不会", "万一"};
  const auto at = std::min(text.find(Plain(detail.text)), text.size());
  return detail.first_person && !IsReported(text.substr(0, at)) &&
         !HoldsWord(text.substr(0, at), kIf) && !Holds(text.substr(0, at), kChineseIf);
}

bool IsStandingPreference(std::string_view text) {
  static constexpr std::string_view kLiking[] = {
      "i prefer",       "i like",        "i love",        "i enjoy",          "i hate",
      "i dislike",      "i adore",       "i can't stand", "i don't like",     "i do not like",
      "i don't eat",    "i don't drink", "i really like", "i really love",    "i no longer like",
      "i now like",     "i also like",   "i still like",  "i don't care for", "i'm fond of",
      "i am fond of",   "i'm a fan of",  "i never",       "i always",         "i much prefer",
      "i still prefer", "i now prefer",  "we prefer",     "we don't eat"};
  static constexpr std::string_view kThisOne[] = {
      "it",       "that",      "this",       "these",     "those",    "your",    "the idea",
      "the way",  "the sound", "the second", "the first", "the last", "the new", "how",
      "to think", "what",      "them",       "him",       "her",      "not",     "had",
      "have",     "thought",   "was",        "wanted",    "knew",     "saw",     "said",
      "went",     "got",       "would",      "could",     "did",      "heard"};
  static constexpr std::string_view kBefore[] = {"if",   "when",     "whether", "until", "because",
                                                 "that", "although", "as",      "what",  "which",
                                                 "than", "where",    "how",     "who"};
  std::size_t end = 0;
  auto at = FindAnyWord(text, kLiking, &end);
  if (at != text.npos) {
    const std::string_view after = Trim(text.substr(end));
    const std::string_view word = after.substr(0, std::min(after.find(' '), after.size()));
    for (std::string_view one : kThisOne) {
      if (FindWord(after, one) == 0) return false;
    }
    // "I never opened it" happened once.
    const std::string_view liking = text.substr(at, end - at);
    if ((liking == "i never" || liking == "i always") && word.ends_with("ed")) return false;
    return !Has(kBefore, LastWord(text.substr(0, at))) && !IsReported(text.substr(0, at)) &&
           !HoldsWord(text, kOnce);
  }
  for (std::string_view favourite : {"my favourite ", "my favorite ", "our favourite "}) {
    at = FindWord(text, favourite);
    if (at == text.npos) continue;
    const std::string_view rest = text.substr(at + favourite.size());
    const auto verb = std::min(rest.find(" is "), rest.find(" are "));
    return verb != rest.npos && verb < 30 && !IsReported(text.substr(0, at)) &&
           !StartsWith(rest, std::array<std::string_view, 2>{"one ", "part "});
  }
  return false;
}

bool IsStandingChinesePreference(const Detail& detail, std::string_view text) {
  static constexpr std::string_view kLiking[] = {
      "更喜欢", "最喜欢", "不喜欢", "喜欢",   "讨厌", "最爱", "偏爱", "偏好", "爱吃",
      "不吃",   "爱喝",   "不喝",   "习惯用", "爱看", "爱听", "最怕", "更爱", "受不了"};
  static constexpr std::string_view kAdverbs[] = {
      "一直", "从小",   "从来", "向来", "总是", "就",   "都",   "也",   "很",
      "最",   "更",     "还是", "还",   "其实", "真的", "特别", "非常", "比较",
      "平时", "一般",   "现在", "早上", "晚上", "每天", "自己", "本人", "不太",
      "不大", "不怎么", "可",   "又",   "已经", "再也", "们",   "的"};
  static constexpr std::string_view kThisOne[] = {"这", "那", "它", "你", "您", "上了", "过"};
  std::size_t end = 0;
  const auto at = FindAny(text, kLiking, &end);
  if (at == text.npos || IsReported(text.substr(0, at))) return false;
  if (CountCodePoints(detail.text) < 2 && !detail.text.ends_with("辣")) return false;
  if (StartsWith(text.substr(end), kThisOne)) return false;
  const std::string_view before = text.substr(ClauseBegin(text, at), at - ClauseBegin(text, at));
  const auto self = before.rfind("我");
  // Left out, it is the one of the clause before.
  if (self == before.npos && !(Trim(before).empty() && text.starts_with("我"))) return false;
  const std::string_view between =
      self == before.npos ? "" : before.substr(self + std::string_view("我").size());
  return WithoutEnds(Trim(between), std::span(kAdverbs)).empty();
}

// A correction is worth keeping when the thing itself lasts and is the user's own: an exact value
// of any other thing that is always in sight is told for what was never said.
bool IsStandingCorrection(const Detail& detail, std::string_view text) {
  static constexpr std::string_view kLasting[] = {
      "code",   "password", "address", "number", "name",    "birthday", "email",
      "e-mail", "account",  "pin",     "plate",  "size",    "allergy",  "rent",
      "salary", "surname",  "phone",   "age",    "spelled", "spelt",    "deadline"};
  static constexpr std::string_view kChineseLasting[] = {
      "密码", "地址", "电话", "号码", "手机号", "名字", "生日", "邮箱", "账号", "门牌",
      "车牌", "房租", "尺码", "姓名", "代码",   "楼层", "工号", "血型", "年龄"};
  static constexpr std::string_view kOwn[] = {"my", "our", "mine"};
  static constexpr std::string_view kChineseOwn[] = {"我的", "我们的", "我家", "我们家"};
  const auto at = std::min(text.find(Plain(detail.text)), text.size());
  return !IsReported(text.substr(0, at)) &&
         ((HoldsWord(text, kOwn) && HoldsWord(text, kLasting)) ||
          (Holds(text, kChineseOwn) && Holds(text, kChineseLasting)));
}

std::string_view WordsOf(std::string_view line) {
  const auto close = line.find(") ");
  return line.starts_with("- (") && close != line.npos ? line.substr(close + 2) : line;
}
std::string_view KindOf(std::string_view line) {
  if (!line.starts_with("- (")) return "";
  const std::string_view rest = line.substr(3);
  return rest.substr(0, std::min(rest.find(','), rest.size()));
}

double Overlap(const Terms& a, const Terms& b) {
  const std::size_t shared = Shared(a, b);
  const std::size_t all = a.size() + b.size() - shared;
  return all == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(all);
}

// What somebody is allergic to: "cashew nuts", 花生.
Terms Allergens(std::string_view words) {
  Terms terms;
  for (const Detail& detail : ExtractDetails(words)) {
    if (detail.kind != DetailKind::kAllergy) continue;
    std::string text = detail.text;
    for (std::string_view filler : {"已经", "不再", "也", "都", "不", "严重", "有点"}) {
      text = Without(text, filler);
    }
    terms.merge(TermsOf(text));
  }
  static const Terms kFiller = TermsOf("nuts all kinds very anymore longer severely");
  std::erase_if(terms, [](const std::string& term) { return kFiller.contains(term); });
  return terms;
}

// Of an earlier and a later word on allergies: the later one says all of the earlier one again, or
// takes it back.
bool SameAllergy(std::string_view earlier, std::string_view later) {
  const Terms was = Allergens(earlier), is = Allergens(later);
  const std::size_t shared = Shared(was, is);
  if (shared == 0) return false;
  return Denies(earlier) == Denies(later) || Denies(later) ? shared == was.size() : true;
}

// Rules that leave no room for another of their kind: how to be called, in which language, in which
// units, how long. 0: none of these.
int RuleSlot(std::string_view words) {
  static constexpr std::string_view kCall[] = {"call me", "address me"};
  static constexpr std::string_view kChineseCall[] = {"叫我", "称呼我", "称我"};
  static constexpr std::string_view kSpeak[] = {"answer", "answers", "reply", "replies",  "respond",
                                                "write",  "speak",   "talk",  "translate"};
  static constexpr std::string_view kChineseSpeak[] = {"回答", "回复", "说", "写", "交流", "跟我"};
  static constexpr std::string_view kTongue[] = {"english", "chinese", "mandarin", "french",
                                                 "german",  "spanish", "japanese", "language"};
  static constexpr std::string_view kChineseTongue[] = {"中文", "英文", "英语", "汉语",
                                                        "法语", "德语", "日语", "普通话"};
  static constexpr std::string_view kUnits[] = {"metric", "imperial", "celsius", "fahrenheit"};
  static constexpr std::string_view kChineseUnits[] = {"公制", "英制", "摄氏", "华氏"};
  static constexpr std::string_view kLength[] = {"short",    "brief",        "concise",      "long",
                                                 "detailed", "one sentence", "two sentences"};
  static constexpr std::string_view kChineseLength[] = {"简短",   "简洁",   "详细",
                                                        "长一点", "短一点", "一句话"};
  const std::string text = Plain(words);
  const bool speaks = HoldsWord(text, kSpeak) || Holds(text, kChineseSpeak);
  if (HoldsWord(text, kCall) || Holds(text, kChineseCall)) return 1;
  if (speaks && (HoldsWord(text, kTongue) || Holds(text, kChineseTongue))) return 2;
  if (HoldsWord(text, kUnits) || Holds(text, kChineseUnits)) return 3;
  if (speaks && (HoldsWord(text, kLength) || Holds(text, kChineseLength))) return 4;
  return 0;
}

// What a statement is about, to be compared with another of its kind.
Terms SubjectTerms(std::string_view words, DetailKind kind) {
  const std::string plain = Plain(words);
  if (kind == DetailKind::kPreference) {
    for (std::string_view favourite : {"最喜欢的", "最爱的", "最喜欢吃的", "最喜欢喝的"}) {
      const auto at = plain.find(favourite);
      if (at == plain.npos) continue;
      const std::string_view rest = std::string_view(plain).substr(at + favourite.size());
      const auto verb = rest.find("是");
      if (verb != rest.npos && verb > 0 && verb < 30) {
        Terms terms = TermsOf(rest.substr(0, verb));
        terms.insert("favourite");
        return terms;
      }
    }
    for (std::string_view favourite : {"favourite ", "favorite "}) {
      const auto at = FindWord(plain, favourite);
      if (at == plain.npos) continue;
      const std::string_view rest = std::string_view(plain).substr(at + favourite.size());
      const auto verb = std::min(rest.find(" is "), rest.find(" are "));
      if (verb != rest.npos && verb < 30) {
        Terms terms = TermsOf(rest.substr(0, verb));
        terms.insert("favourite");
        return terms;
      }
    }
    for (const Detail& detail : ExtractDetails(words)) {
      if (detail.kind != kind) continue;
      static const Terms kVerbs = TermsOf("drink eat now anymore longer like really always cup");
      Terms terms = TermsOf(detail.text);
      std::erase_if(terms, [](const std::string& term) { return kVerbs.contains(term); });
      return terms;
    }
    return TermsOf(words);
  }
  // A rule or a correction without its values: "never before 10:30" and "never before 9:00".
  std::string rest(words);
  for (const Detail& detail : ExtractDetails(words)) {
    if (IsStatement(detail.kind) || IsNameKind(detail.kind)) continue;
    rest = Without(rest, detail.text);
  }
  static const Terms kFiller = TermsOf(
      "from now on please always never remember rule standing actually correction sorry not no "
      "wait 以后 从现在起 请 不是 更正 应该是");
  Terms terms = TermsOf(rest);
  std::erase_if(terms, [](const std::string& term) { return kFiller.contains(term); });
  return terms;
}

// `b` is the later one.
bool SameSubject(std::string_view a, std::string_view b) {
  const std::string_view kind = KindOf(a);
  if (kind.empty() || kind != KindOf(b)) return false;
  if (kind == DetailKindName(DetailKind::kAllergy)) return SameAllergy(WordsOf(a), WordsOf(b));
  if (kind == DetailKindName(DetailKind::kRule)) {
    const int slot = RuleSlot(WordsOf(a));
    if (slot != 0 && slot == RuleSlot(WordsOf(b))) return true;
  }
  if (kind == DetailKindName(DetailKind::kPreference)) {
    return Overlap(SubjectTerms(WordsOf(a), DetailKind::kPreference),
                   SubjectTerms(WordsOf(b), DetailKind::kPreference)) >= 0.5;
  }
  if (kind == DetailKindName(DetailKind::kRule)) {
    return Overlap(SubjectTerms(WordsOf(a), DetailKind::kRule),
                   SubjectTerms(WordsOf(b), DetailKind::kRule)) >= 0.99;
  }
  if (kind == DetailKindName(DetailKind::kCorrection)) {
    return Overlap(SubjectTerms(WordsOf(a), DetailKind::kCorrection),
                   SubjectTerms(WordsOf(b), DetailKind::kCorrection)) >= 0.6;
  }
  return false;
}

// Nothing changes with the second: the same words, or others that say the same.
bool SaysTheSame(std::string_view a, std::string_view b) {
  if (WordsOf(a) == WordsOf(b)) return true;
  if (KindOf(a).empty() || KindOf(a) != KindOf(b) || Denies(WordsOf(a)) != Denies(WordsOf(b)))
    return false;
  const Terms terms = TermsOf(WordsOf(a));
  return !terms.empty() && terms == TermsOf(WordsOf(b));
}

// "- (kind, day, turn N)": what is sorted by. A line written by hand has none.
std::pair<std::string_view, TurnId> TimeOf(std::string_view line) {
  const TurnId turn = TurnOfLine(line);
  if (turn == 0) return {};
  const auto comma = line.find(", ");
  return {line.substr(comma + 2, std::min<std::size_t>(10, line.size() - comma - 2)), turn};
}

std::vector<std::string> LinesOf(std::string_view value) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < value.size();) {
    const auto end = std::min(value.find('\n', at), value.size());
    if (end > at) lines.emplace_back(value.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string Join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  return text;
}

}  // namespace

bool IsStanding(const Detail& detail) {
  if (IsQuestion(detail.sentence)) return false;
  const std::string text = Plain(detail.sentence);
  switch (detail.kind) {
    case DetailKind::kAllergy:
      return IsStandingAllergy(detail, text);
    case DetailKind::kRule:
      return IsStandingRule(text) || IsStandingChineseRule(text);
    case DetailKind::kPreference:
      return IsStandingPreference(text) || IsStandingChinesePreference(detail, text);
    case DetailKind::kCorrection:
      return IsStandingCorrection(detail, text);
    default:
      return false;
  }
}

std::string VerbatimLine(const Detail& detail) {
  const std::string sentence = OneLine(detail.sentence);
  if (sentence.size() <= 160) return sentence;
  const auto at = sentence.find(OneLine(detail.text));
  if (at == std::string::npos || at < 100) return Shorten(sentence, 160);
  std::size_t begin = at - 80;
  while ((static_cast<unsigned char>(sentence[begin]) & 0xC0) == 0x80) ++begin;
  return fmt::format("…{}", Shorten(std::string_view(sentence).substr(begin), 160));
}

std::string StandingLine(const Detail& detail, const Turn& turn) {
  return fmt::format("- ({}, {}, turn {}) {}", DetailKindName(detail.kind), FormatDay(turn.time_ms),
                     turn.id, VerbatimLine(detail));
}

TurnId TurnOfLine(std::string_view line) {
  if (KindOf(line).empty()) return 0;
  const auto at = line.find(", turn ");
  long long turn = 0;
  if (at == line.npos ||
      std::sscanf(std::string(line.substr(at)).c_str(), ", turn %lld)", &turn) != 1)
    return 0;
  return turn;
}

std::vector<StandingEdit::Replaced> StandingChanges(std::string_view earlier,
                                                    std::string_view later) {
  const std::vector<std::string> before = LinesOf(earlier), after = LinesOf(later);
  const auto holds = [](const std::vector<std::string>& lines, const std::string& line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  };
  std::vector<StandingEdit::Replaced> changes;
  std::vector<bool> told(after.size(), false);
  for (const std::string& line : before) {
    if (holds(after, line)) continue;
    std::string by;
    for (std::size_t i = 0; i < after.size() && by.empty(); ++i) {
      if (holds(before, after[i])) continue;
      if (SaysTheSame(line, after[i]) || SameSubject(line, after[i])) by = after[i], told[i] = true;
    }
    changes.push_back({line, by});
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (!told[i] && !holds(before, after[i])) changes.push_back({"", after[i]});
  }
  return changes;
}

StandingEdit AddStanding(std::string_view value, const std::vector<std::string>& lines, int budget,
                         std::int64_t limit_bytes, const CountTokens& count) {
  StandingEdit edit;
  std::vector<std::string> all;
  const auto add = [&](const std::string& line) {
    // An older session may be compacted later: what was said since stands.
    const bool outdated = std::any_of(all.begin(), all.end(), [&](const std::string& known) {
      return TurnOfLine(known) != 0 && TimeOf(line) < TimeOf(known) &&
             (SaysTheSame(known, line) || SameSubject(line, known));
    });
    if (outdated) return;
    std::erase_if(all, [&](const std::string& old) {
      if (SaysTheSame(old, line)) return true;
      if (!SameSubject(old, line)) return false;
      edit.replaced.push_back({old, line});
      return true;
    });
    auto place = all.end();
    while (place != all.begin() && TurnOfLine(*(place - 1)) != 0 &&
           TimeOf(line) < TimeOf(*(place - 1))) {
      --place;
    }
    all.insert(place, line);
  };
  all = LinesOf(value);
  for (const std::string& line : lines) add(line);
  edit.value = Join(all);
  const auto fits = [&] {
    return count(edit.value) <= budget &&
           (limit_bytes == 0 || edit.value.size() <= static_cast<std::size_t>(limit_bytes));
  };
  while (!all.empty() && !fits()) {
    // What a person wrote into the block goes last, since this program cannot judge it.
    auto victim = all.end();
    for (std::string_view name : {"correction", "preference", "rule", "allergy"}) {
      victim = std::find_if(all.begin(), all.end(),
                            [&](const std::string& line) { return KindOf(line) == name; });
      if (victim != all.end()) break;
    }
    if (victim == all.end()) break;
    edit.dropped.push_back(*victim);
    all.erase(victim);
    edit.value = Join(all);
  }
  return edit;
}

}  // namespace liubai::memory
