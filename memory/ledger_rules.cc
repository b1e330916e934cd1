// What is to be done or not beyond the moment, or must not be forgotten.
#include <algorithm>

#include "memory/ledger_scan.h"
#include "memory/ledger_statements.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

std::string_view WithoutLeads(std::string_view clause) {
  static constexpr std::string_view kLeads[] = {
      "and ", "so ",  "but ", "please ", "then ", "also ", "just ", "or ",  "well, ",
      "ok, ", "pls ", "plz ", "ok ",     "hey ",  "oh ",   "and, ", "btw ", "请",
      "就",   "那",   "所以", "但",      "但是",  "还有",  "而且",  "麻烦", "，"};
  for (bool again = true; again;) {
    again = false;
    clause = TrimmedView(clause, kBlanks);
    for (std::string_view lead : kLeads) {
      if (clause.starts_with(lead)) clause.remove_prefix(lead.size()), again = true;
    }
  }
  return clause;
}

}  // namespace

void FindRules(Sentence& sentence) {
  // At the head of a clause.
  static constexpr std::string_view kStarts[] = {"never ",
                                                 "always ",
                                                 "remember to",
                                                 "remember,",
                                                 "remember:",
                                                 "make sure",
                                                 "from now on",
                                                 "don't forget",
                                                 "you must",
                                                 "only reply",
                                                 "only answer",
                                                 "don't ",
                                                 "do not ",
                                                 "remember that",
                                                 "whenever i",
                                                 "every time i",
                                                 "must ",
                                                 "be sure to",
                                                 "under no circumstances",
                                                 "you have to",
                                                 "you are not allowed",
                                                 "no exceptions",
                                                 "you may not",
                                                 "make it a rule"};
  static constexpr std::string_view kInside[] = {"you must",
                                                 "you should always",
                                                 "you should never",
                                                 "from now on",
                                                 "please always",
                                                 "please never",
                                                 "standing rule",
                                                 "house rule",
                                                 "must always",
                                                 "must never",
                                                 "must not",
                                                 "mustn't",
                                                 "rule:",
                                                 "remember to",
                                                 "under no circumstances",
                                                 "never more",
                                                 "not allowed",
                                                 "is forbidden",
                                                 "are forbidden",
                                                 "is prohibited",
                                                 "are prohibited",
                                                 "not permitted",
                                                 "no matter what",
                                                 "so always",
                                                 "so never",
                                                 "are not to",
                                                 "is not to",
                                                 "and not to",
                                                 "aren't to",
                                                 "isn't to",
                                                 "nobody else",
                                                 "no one else",
                                                 "nobody ever",
                                                 "no more than one",
                                                 "each time you",
                                                 "needs to be kept",
                                                 "should be kept",
                                                 "make sure",
                                                 "every visitor",
                                                 "must be",
                                                 "at all times"};
  static constexpr std::string_view kSoothing[] = {
      "don't worry",    "don't mind",         "don't know",     "don't think",      "don't care",
      "don't bother",   "don't get me wrong", "don't be silly", "don't panic",      "never mind",
      "don't you",      "don't ask",          "don't i",        "don't we",         "don't they",
      "do not worry",   "don't believe",      "don't have",     "don't understand", "don't see",
      "don't remember", "don't want",         "don't like",     "don't need",       "don't mention",
      "never-",         "never say never",    "always nice",    "always good",      "always a ",
      "always happy",   "always the",         "never been",     "never had",        "don't even",
      "don't feel"};
  const std::string_view text = sentence.plain();
  std::size_t added = 0;
  const auto add = [&](Sentence::Range clause) {
    // The rule goes on over commas, not over "; " and ", so ".
    std::size_t begin = 0, end = text.size();
    for (std::string_view stop : {"; ", "；", ", so ", ", but ", "，所以", ": \"", ". "}) {
      const auto before = text.substr(0, clause.begin + 1).rfind(stop);
      if (before != text.npos) begin = std::max(begin, before + stop.size());
      const auto after = text.substr(clause.end).find(stop);
      if (after != text.npos) end = std::min(end, clause.end + after);
      if (text.substr(clause.end).starts_with(stop)) end = std::min(end, clause.end);
    }
    if (begin > clause.begin || sentence.Text(clause).find("no ") <= 1) begin = clause.begin;
    if (clause.begin < added) return;
    // 进车间必须戴护目镜，手机一律放柜子里; 别嫌烦，她右耳听不见了: a clause with its own subject
    // is another matter.
    for (const Sentence::Range next : sentence.clauses()) {
      if (next.begin <= clause.begin || next.begin >= end ||
          !text.substr(0, next.begin).ends_with("，"))
        continue;
      const std::string_view part = sentence.Text(next);
      if (clause.end - clause.begin > 12 &&
          (StartsWithAny(part,
                         {"他", "她", "我", "它", "你", "咱", "不然", "否则", "因为", "明天"}) ||
           words::Holds(part, {"必须", "一律", "禁止", "不许", "不准", "别", "务必", "一定要"})))
        end = std::min(end, next.begin);
    }
    added = end;
    sentence.Add(DetailKind::kRule, {begin, end}, {begin, end});
  };
  for (const Sentence::Range range : sentence.clauses()) {
    const std::string_view clause = WithoutLeads(sentence.Text(range));
    if (clause.empty()) continue;
    bool soothing = false;
    for (std::string_view start : kSoothing) soothing |= clause.starts_with(start);
    soothing |= clause.find("never mind") != clause.npos;
    bool found = false;
    for (std::string_view start : kStarts) found |= clause.starts_with(start);
    std::size_t unused = 0;
    found |= FindAnyWord(clause, kInside, &unused) != clause.npos;
    found |= TrimmedView(clause, kEdges) == "always";
    // "never lost patience" tells, "never lose patience" commands.
    static constexpr std::string_view kPast[] = {
        "lost",    "was",   "had",   "got",   "came", "went", "said", "saw",    "told",
        "took",    "made",  "found", "knew",  "gave", "left", "felt", "kept",   "began",
        "spoke",   "wrote", "ate",   "drank", "met",  "paid", "been", "forgot", "heard",
        "thought", "meant", "were",  "won",   "sent", "did"};
    for (std::string_view often : {"never ", "always "}) {
      if (!clause.starts_with(often)) continue;
      const std::string_view rest = clause.substr(often.size());
      const std::string_view verb = rest.substr(0, rest.find_first_of(" ,.;!"));
      if (words::Has(kPast, verb) || (verb.size() > 4 && verb.ends_with("ed") && verb != "need"))
        found = false;
    }
    // "The children must be in bed by 8", but not "you must be tired", "it must have been".
    if (const auto must = FindWord(clause, "must"); must != clause.npos && must > 0) {
      const std::string_view before = clause.substr(0, must);
      const std::string_view after = clause.substr(must);
      const bool guess = after.starts_with("must have been") || after.starts_with("must've") ||
                         (after.starts_with("must be") &&
                          StartsWithAny(before, {"you ", "it ", "that ", "this ", "he ", "she ",
                                                 "there ", "they "}));
      found |= !guess && !StartsWithAny(before, {"i ", "we "});
    }
    // "Guests have to leave by nine": of many, or of whom one speaks to.
    if (const auto duty = clause.find(" have to "); duty != clause.npos) {
      const auto blank = clause.substr(0, duty).rfind(' ');
      const std::string_view who =
          clause.substr(0, duty).substr(blank == clause.npos ? 0 : blank + 1);
      found |= (who.ends_with("s") && who.size() > 3) || who == "you" || who == "children";
    }
    if (const auto duty = clause.find(" has to "); duty != clause.npos)
      found |= clause.starts_with("every") || clause.starts_with("nobody");
    // "all visitors sign in at the front desk"
    if (clause.starts_with("all ") || clause.starts_with("every ")) {
      static constexpr std::string_view kDuties[] = {
          "sign in",  "sign out",    "wear",       "report to",  "carry",     "bring",
          "check in", "leave their", "go through", "keep their", "get signed"};
      std::size_t duty_end = 0;
      const auto duty = FindAnyWord(clause, kDuties, &duty_end);
      found |= duty != clause.npos && duty < 30;
    }
    // "No phones at the dinner table": a ban has no verb.
    if (clause.starts_with("no ")) {
      static constexpr std::string_view kVerbs[] = {
          "is",     "are",    "was",   "were",  "has",   "have",    "had",     "did",
          "does",   "do",     "came",  "can",   "will",  "would",   "could",   "told",
          "knows",  "wants",  "said",  "found", "there", "problem", "worries", "idea",
          "thanks", "wonder", "doubt", "one",   "way",   "need",    "rush",    "luck",
          "news",   "matter", "that",  "it",    "i",     "we",      "he",      "she",
          "they",   "wait",   "thank", "you",   "other", "left",    "more",    "answer",
          "sign",   "trace",  "reply", "word",  "go",    "deal",    "kidding"};
      std::size_t verb_end = 0;
      found |= range.begin == 0 && FindAnyWord(clause, kVerbs, &verb_end) == clause.npos &&
               clause.find(' ', 3) != clause.npos;
      found |= clause.ends_with("ing") && clause.find(' ', 3) == clause.npos;
      // "phones off, no highlighters": of several.
      const std::string_view thing = TrimmedView(clause.substr(3), kEdges);
      found |= range.begin > 0 && thing.find(' ') == thing.npos && thing.size() > 4 &&
               thing.ends_with("s") && !words::Has(kVerbs, thing);
      if (range.begin == 0 && thing.find(' ') == thing.npos && !thing.ends_with("ing"))
        found = false;
    }
    if (found && !soothing) {
      add(range);
      continue;
    }
    // Chinese.
    static constexpr std::string_view kChinese[] = {
        "以后都",   "以后请",     "以后不要", "以后别",     "从现在起", "从今以后", "从今往后",
        "必须",     "务必",       "切记",     "请记住",     "永远不要", "一律",     "禁止",
        "严禁",     "绝对不要",   "绝不要",   "绝不能",     "绝对不能", "请不要",   "请始终",
        "请总是",   "请一直",     "记得要",   "请记得",     "不许",     "不准",     "不得",
        "万万不可", "不可以",     "每次都要", "每次都",     "始终",     "千万不要", "千万别",
        "一定要",   "都别",       "都不要",   "也别",       "也不要",   "谁也不许", "谁都不许",
        "不要告诉", "不能和",     "天内不能", "小时内不能", "之前不能", "期间不能", "不能一起",
        "不能跟",   "每次提交前", "每四小时", "要两个人",   "医生让",   "医生叫我", "医嘱",
        "凡是",     "一概",       "睡前吃",   "饭后吃",     "饭前吃",   "不能直接", "不能私自"};
    static constexpr std::string_view kNotChinese[] = {
        "不得不", "不得了", "必须的", "禁止区", "记住了",   "没必须",
        "舍不得", "巴不得", "恨不得", "不得已", "怪不得",   "了不得",
        "由不得", "不得超", "始终没", "始终不", "不得而知", "可不可以"};
    static constexpr std::string_view kKind[] = {
        "着急",     "担心", "客气", "生气", "介意", "难过", "紧张", "害怕", "在意", "挂念",
        "放在心上", "怕",   "说了", "提了", "闹",   "逗",   "误会", "见外", "多想", "忘了",
        "急",       "说",   "写错", "弄错", "搞错", "走开", "走",   "动"};
    std::size_t end = 0;
    const std::string_view part = sentence.Text(range);
    const auto soothes = [&](std::string_view rest) {
      return std::any_of(std::begin(kKind), std::end(kKind),
                         [&](std::string_view word) { return rest.starts_with(word); });
    };
    if (const auto at = FindAny(part, kChinese, &end); at != part.npos) {
      // 我不要辣 is a preference; 我必须走了 is a duty of the speaker.
      const std::string_view before = part.substr(0, at);
      found = before.find("我") == part.npos ||
              words::Holds(before, {"给我", "跟我", "对我", "回复我"});
      for (std::string_view word : kNotChinese) found &= part.find(word) == part.npos;
      // 闻不得, 说不准: what cannot be done, not what may not.
      static constexpr std::string_view kCannot[] = {
          "闻", "吃", "碰", "看", "听", "急", "动", "惹", "缺", "少", "见", "使",
          "要", "算", "说", "拿", "摸", "猜", "瞄", "记", "认", "怪", "舍", "巴"};
      if (part.substr(at, end - at).starts_with("不得") || part.substr(at).starts_with("不准"))
        found &= !std::any_of(std::begin(kCannot), std::end(kCannot),
                              [&](std::string_view verb) { return before.ends_with(verb); });
      if (part.substr(at, end - at).ends_with("别")) found &= !soothes(part.substr(end));
      if (part.substr(at).starts_with("千万不要")) found &= !soothes(part.substr(end));
      // 医生让我下周去复查 is an appointment.
      if (part.substr(at).starts_with("医生"))
        found = words::Holds(part.substr(end), {"少", "多", "别", "每", "不", "戒", "忌", "按时"});
      // 一定要 of a wish: 一定要幸福.
      if (part.substr(at).starts_with("一定要"))
        found &= sentence.plain().find("切记") != part.npos || before.find("前") != part.npos ||
                 before.find("时") != part.npos || part.substr(end).find("带") != part.npos;
    }
    // 不要 and 别 alone command only at the head of a clause; 不要太辣 and 不要紧 are wishes and
    // words; 记得 commands where nobody is asked or remembers.
    for (std::string_view start : {"不要", "别再", "别", "千万不能"}) {
      if (!clause.starts_with(start)) continue;
      const std::string_view rest = clause.substr(start.size());
      found |= !StartsWithAny(rest, {"太", "紧", "的", "人", "墅", "扭", "致", "名", "针", "看",
                                     "样", "处", "家", "提", "了", "脸", "吧", "不"}) &&
               !soothes(rest) && CountCodePoints(rest) >= 2;
    }
    // 沙发后面的阀门别碰
    for (auto at = part.find("别"); at != part.npos && at > 0; at = part.find("别", at + 3)) {
      static constexpr std::string_view kWords[] = {"特", "区", "分", "告", "个", "性", "级", "差",
                                                    "鉴", "识", "辨", "离", "派", "类", "国", "送"};
      const std::string_view before = part.substr(0, at), rest = part.substr(at + 3);
      const bool word = std::any_of(std::begin(kWords), std::end(kWords),
                                    [&](std::string_view one) { return before.ends_with(one); });
      found |= !word && !soothes(rest) && CountCodePoints(rest) >= 1 && rest.size() <= 36 &&
               !words::Holds(before, {"让我", "叫我", "劝我"}) &&
               !StartsWithAny(rest, {"的", "人", "墅", "扭", "致", "名", "针", "样", "处", "家",
                                     "提", "了", "去"});
    }
    if (const auto at = part.find("不要"); at != part.npos && at > 0) {
      // 24小时内不要开车
      found |= words::Holds(part.substr(0, at), {"内", "以前", "之前", "时候", "情况下", "期间"}) &&
               part.find("要不要") == part.npos;
    }
    if (const auto at = part.find("记得"); at != part.npos) {
      const std::string_view rest = part.substr(at + std::string_view("记得").size());
      const std::string_view before = part.substr(0, at);
      found |= !words::Holds(before, {"我", "不", "还", "他", "她", "你", "谁", "只"}) &&
               !rest.empty() &&
               !StartsWithAny(rest, {"吗", "了", "很", "是", "当", "那", "小时", "以前"});
    }
    if (clause.starts_with("记住")) {
      found |= !clause.starts_with("记住了") &&
               CountCodePoints(sentence.plain()) > CountCodePoints(clause) + 2;
      found |= CountCodePoints(clause) > 4 && !clause.starts_with("记住了");
    }
    // 以后回复都用英文
    if (const auto later = part.find("以后"); later != part.npos && later < 7) {
      const auto all = part.find("都", later);
      found |= all != part.npos && all - later < 30 && part.find("我") == part.npos;
    }
    // 离开的时候要在前台签退
    for (std::string_view when : {"时候要", "时要", "之后要", "后要"}) {
      found |= part.find(when) != part.npos && part.find("我") == part.npos;
    }
    if (clause.starts_with("每次我") || clause.starts_with("每当我")) found = true;
    if (found) add(range);
  }
}

}  // namespace liubai::memory
