// Chinese: clauses, subjects, names and corrections.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "memory/facts_chinese_reader.h"
#include "memory/facts_words.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

using words::Has;
using words::Holds;

constexpr std::string_view kIf[] = {"如果",   "要是",   "假如",  "假设",   "倘若", "万一",
                                    "希望",   "但愿",   "梦见",  "梦到",   "想象", "假装",
                                    "扮演",   "要不是", "的话",  "怎么办", "好想", "是不是",
                                    "会不会", "可能会", "本来想"};

constexpr std::string_view kReported[] = {
    "他说",   "她说",   "听说",   "据说",   "有人说", "们说",   "说我",   "以为",
    "都说",   "妈妈说", "爸爸说", "朋友说", "医生说", "老师说", "书上说", "小说里",
    "电影里", "他问",   "她问",   "问我",   "歌词",   "新闻"};

constexpr std::string_view kAsking[] = {"吗",   "什么",   "哪",       "谁",   "多少",   "几岁",
                                        "几点", "几个",   "有没有",   "怎么", "为什么", "要不要",
                                        "多大", "能不能", "可不可以", "如何", "推荐"};

constexpr std::string_view kLeads[] = {
    "其实",   "对了",     "而且",   "因为", "所以", "但是",     "不过",       "另外",   "还有",
    "然后",   "嗯",       "哦",     "你好", "您好", "话说",     "顺便说一下", "说起来", "毕竟",
    "由于",   "虽然",     "可是",   "只是", "后来", "终于",     "那",         "啊",     "唉",
    "哎",     "今年",     "最近",   "去年", "前年", "上个月",   "上周",       "昨天",   "今天",
    "这个月", "上个星期", "上半年", "年初", "年底", "本来",     "目前",       "现在",   "如今",
    "眼下",   "以前",     "从前",   "之前", "曾经", "过去",     "原来",       "小时候", "当年",
    "那时候", "自从",     "自",     "不对", "更正", "更正一下", "纠正一下",   "抱歉",   "不好意思",
    "说错了", "记错了",   "刚刚",   "刚才", "已经", "早就",     "不瞒你说",   "告诉你", "跟你说",
    "是这样", "介绍一下", "大家好", "是的", "没错", "应该说",   "好吧",       "真的",   "我说过",
    "平时",   "周末",     "一直",   "从小"};

constexpr std::string_view kFormer[] = {"以前",   "从前",   "之前", "曾经", "过去", "原来",
                                        "小时候", "那时候", "当年", "曾",   "原先"};

constexpr std::string_view kAdverbs[] = {
    "今年", "已经", "现在", "目前",   "如今",   "就",   "也",   "都",   "还",     "一直",
    "从小", "最近", "去年", "前年",   "上个月", "刚刚", "刚",   "很",   "特别",   "非常",
    "比较", "挺",   "蛮",   "超",     "超级",   "真的", "其实", "平时", "以前",   "曾经",
    "之前", "从前", "过去", "原来",   "小时候", "后来", "终于", "又",   "再",     "家里",
    "自己", "本人", "更",   "最",     "可",     "总",   "一般", "周末", "每天",   "昨天",
    "上周", "当年", "那时", "那时候", "仍然",   "依然", "确实", "大概", "应该",   "上个星期",
    "早就", "才",   "正",   "正在",   "长期",   "偶尔", "经常", "常",   "只",     "这个月",
    "年初", "从来", "向来", "曾",     "快",     "马上", "即将", "明年", "下个月", "们",
    "全家", "一家", "严重", "是"};

constexpr std::string_view kValueEnds[] = {"，", "。", "！", "；", "？", ",", ".", "!", ";",
                                           "?",  "（", "）", "(",  ")",  "…", "~", "—"};

constexpr std::string_view kTails[] = {"了",     "的",   "啊", "呀",   "呢",   "吧",
                                       "哦",     "哈",   "啦", "嘛",   "而已", "之类",
                                       "什么的", "这类", " ",  "等等", "等"};

constexpr std::string_view kNextToName[] = {
    "是",   "在",   "住",   "今年", "也",   "刚",   "很", "最",   "喜",   "不",   "叫",   "对",
    "养",   "有",   "搬",   "从",   "毕业", "工",   "去", "明年", "和",   "跟",   "的",   "上",
    "读",   "学",   "当",   "做",   "就",   "都",   "快", "现",   "下",   "生",   "结",   "一",
    "患",   "会",   "退",   "怀",   "爱",   "考",   "到", "正",   "买",   "即将", "马上", "已",
    "曾",   "以前", "特别", "说",   "，",   "讨厌", "换", "辞",   "得",   "刚刚", "被",   "把",
    "从小", "非",   "身",   "出",   "比",   "要",   "想", "打",   "计划", "开"};

bool StartsWithAny(std::string_view text, std::string_view* rest, auto& list) {
  std::size_t longest = 0;
  for (std::string_view part : list) {
    if (text.starts_with(part)) longest = std::max(longest, part.size());
  }
  if (longest == 0) return false;
  *rest = text.substr(longest);
  return true;
}

constexpr std::string_view kOtherSubjects[] = {
    "你",   "您", "他们", "她们", "它",   "这",   "那",   "大家", "人们",   "有人", "别人",
    "很多", "谁", "小说", "电影", "公司", "医生", "老师", "天气", "孩子们", "客户"};

}  // namespace

void ChineseReader::Read() {
  const std::string_view trimmed = Trim(sentence_);
  const bool question = trimmed.ends_with("？") || trimmed.ends_with("?");
  corrects_ = Holds(sentence_, {"更正", "纠正", "说错了", "记错了", "写错了", "打错了", "搞错了",
                                "口误", "弄错了", "不对，", "不对,"});
  std::vector<std::string_view> clauses;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= sentence_.size();) {
    std::size_t length = 1;
    bool stop = i == sentence_.size();
    for (std::string_view end : kValueEnds) {
      if (!stop && sentence_.substr(i).starts_with(end) && end != "." && end != "(" && end != ")" &&
          end != "（" && end != "）") {
        stop = true;
        length = end.size();
      }
    }
    if (stop) {
      const std::string_view clause = Trim(sentence_.substr(begin, i - begin));
      if (!clause.empty()) clauses.push_back(clause);
      begin = i + length;
    }
    i += stop ? length : DecodeUtf8(sentence_, i).length;
  }
  subject_ = {};
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    if (Holds(clauses[i], kIf)) return;  // What follows hangs on it.
    if (Holds(clauses[i], kReported)) {
      // 他说，…: the rest is his.
      return;
    }
    const bool asks = (question && i + 1 == clauses.size()) || Holds(clauses[i], kAsking);
    std::string_view clause = clauses[i];
    // 不是80，是18; 是18，不是80
    if (!asks && i + 1 < clauses.size()) {
      std::string_view wrong, right;
      if (NotThis(clause, &wrong) && IsThat(clauses[i + 1], &right)) {
        FindSubject(&clause);
        wrong_ = std::string(wrong);
        corrects_ = true;
        Correct(right);
        ++i;
        continue;
      }
      if (NotThis(clauses[i + 1], &wrong) && clause.find("不是") == clause.npos) {
        wrong_ = std::string(wrong);
        corrects_ = true;
        if (!Clause(clause)) {
          std::string_view value = clause;
          (void)IsThat(clause, &value);
          Correct(value);
        }
        wrong_.clear();
        ++i;
        continue;
      }
    }
    // 不是80而是18
    if (const auto at = clause.find("而是"); !asks && at != clause.npos) {
      std::string_view wrong;
      if (NotThis(clause.substr(0, at), &wrong)) {
        wrong_ = std::string(wrong);
        corrects_ = true;
        FindSubject(&clause);
        Correct(clauses[i].substr(at + std::string_view("而是").size()));
        continue;
      }
    }
    if (asks) {
      Presupposed(clause);
      continue;
    }
    const bool said = Clause(clause);
    if (!said && corrects_) {
      std::string_view value;
      if (IsThat(clause, &value)) Correct(value);
    }
  }
}

bool ChineseReader::Add(const Who& who, std::string_view attribute, std::string_view value,
                        ClaimKind kind, double confidence) {
  value = Trimmed(value);
  if (value.empty() || attribute.empty() || value.size() > 90) return false;
  Claim claim;
  claim.subject = who.name;
  claim.attribute = std::string(attribute);
  claim.value = std::string(value);
  claim.statement = std::string(statement_);
  claim.kind = kind;
  claim.first_person = who.self;
  claim.confidence = who.confidence * confidence * reader_.trust;
  claim.change = change_;
  if (!FinishClaim(reader_, corrects_, wrong_, &claim)) return false;
  const FactTimes times = FactTimesOf(clause_, reader_.time_ms);
  if (claim.kind == ClaimKind::kFormer) {
    claim.from_ms = times.from_ms;
  } else if (claim.kind == ClaimKind::kEnded) {
    claim.to_ms = times.from_ms;
  } else if (attribute != "birthday" && attribute != "birth year" && attribute != "plan") {
    claim.from_ms = times.from_ms;
  }
  reader_.claims.push_back(std::move(claim));
  return true;
}

std::string_view ChineseReader::Trimmed(std::string_view value) {
  for (bool again = true; again;) {
    again = false;
    value = Trim(value);
    for (std::string_view tail : kTails) {
      if (value.ends_with(tail) && value.size() > tail.size()) {
        value.remove_suffix(tail.size());
        again = true;
      }
    }
  }
  return value;
}

bool ChineseReader::NotThis(std::string_view clause, std::string_view* wrong) {
  const auto at = clause.find("不是");
  if (at == clause.npos || at > 24 || clause.substr(0, at).ends_with("是")) return false;
  std::string_view rest = clause.substr(at + std::string_view("不是").size());
  for (std::string_view lead : {"在", "叫", "住在"}) {
    if (rest.starts_with(lead)) rest.remove_prefix(lead.size());
  }
  rest = Trimmed(rest);
  if (rest.empty() || CountCodePoints(rest) > 12) return false;
  *wrong = rest;
  return true;
}

bool ChineseReader::IsThat(std::string_view clause, std::string_view* right) {
  for (std::string_view lead :
       {"而是", "应该是", "其实是", "是", "应该叫", "我是说", "我的意思是"}) {
    const auto at = clause.find(lead);
    // 但是, 总是, 还是 are other words.
    if (at == clause.npos || at > 12) continue;
    const std::string_view before = clause.substr(0, at);
    if (Holds(before, {"但", "总", "还", "只", "可", "要", "于", "或", "不", "就"})) continue;
    const std::string_view rest = Trimmed(clause.substr(at + lead.size()));
    if (rest.empty() || CountCodePoints(rest) > 14 || Holds(rest, {"因为", "为了", "这样"}))
      continue;
    *right = rest;
    return true;
  }
  return false;
}

void ChineseReader::Correct(std::string_view value) {
  value = Trimmed(value);
  for (std::string_view lead : {"在", "叫", "住在"}) {
    if (value.starts_with(lead)) value.remove_prefix(lead.size());
  }
  if (value.empty()) return;
  // A number alone is filed under what it corrects; 18岁 is an age.
  Who who = subject_.name.empty() ? Self() : subject_;
  std::string age;
  if (AgeIn(value, &age) && Add(who, "age", age)) {
    wrong_.clear();
    return;
  }
  Claim claim;
  claim.subject = who.name;
  claim.value = std::string(value);
  claim.statement = std::string(statement_);
  claim.kind = ClaimKind::kCorrects;
  claim.wrong = wrong_;
  claim.confidence = 0.8 * reader_.trust;
  reader_.claims.push_back(std::move(claim));
  wrong_.clear();
}

ChineseReader::Who ChineseReader::Self() const {
  Who who;
  who.name = reader_.speaker;
  who.self = true;
  return who;
}

std::string_view ChineseReader::NameAt(std::string_view text, bool bound) {
  if (text.empty()) return {};
  const DecodedCodePoint first = DecodeUtf8(text, 0);
  if (IsUpper(first.value)) {
    std::size_t end = 0;
    while (end < text.size() &&
           (IsAsciiWord(static_cast<unsigned char>(text[end])) || text[end] == '-' ||
            (text[end] == ' ' && end + 1 < text.size() &&
             IsUpper(static_cast<unsigned char>(text[end + 1])))))
      ++end;
    return end > 1 ? text.substr(0, end) : std::string_view();
  }
  if (!IsCjkIdeograph(first.value)) return {};
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < text.size() && ends.size() < 4;) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    if (!IsCjkIdeograph(point.value)) break;
    i += point.length;
    ends.push_back(i);
  }
  const auto follows = [&](std::size_t end) {
    const std::string_view rest = text.substr(end);
    if (rest.empty()) return true;
    if (!IsCjkIdeograph(DecodeUtf8(rest, 0).value)) return true;
    return std::any_of(std::begin(kNextToName), std::end(kNextToName),
                       [&](std::string_view next) { return rest.starts_with(next); });
  };
  if (!bound) {
    // 叫X: up to the end of the clause, or a word that goes on.
    for (std::size_t n : {3u, 2u, 4u}) {
      if (ends.size() >= n && follows(ends[n - 1])) return text.substr(0, ends[n - 1]);
    }
    return ends.size() == 1 ? text.substr(0, ends[0]) : std::string_view();
  }
  const std::string_view head = text.substr(0, first.length);
  const std::string_view second = ends.size() > 1 ? text.substr(ends[0], ends[1] - ends[0]) : "";
  const bool surname = words::kSurnames.find(head) != std::string_view::npos;
  if (head == "小" || head == "老" || head == "阿") {
    static constexpr std::string_view kNot[] = {"小时", "小学", "小孩", "小区", "小狗", "小猫",
                                                "老师", "老家", "老板", "小说", "小朋", "老是",
                                                "小吃", "老人", "阿姨", "小姐", "小组", "老婆",
                                                "老公", "小心", "老爸", "老妈", "老虎", "小伙"};
    if (ends.size() >= 2 && !Has(kNot, text.substr(0, ends[1])) && follows(ends[1])) {
      return text.substr(0, ends[1]);
    }
    return {};
  }
  if (head == second && follows(ends[1])) return text.substr(0, ends[1]);
  if (!surname) return {};
  for (std::size_t n : {3u, 2u}) {
    if (ends.size() < n || !follows(ends[n - 1])) continue;
    const std::string_view given = text.substr(ends[0], ends[n - 1] - ends[0]);
    bool usual = true;
    for (std::size_t i = 0; i < given.size();) {
      const std::size_t length = DecodeUtf8(given, i).length;
      usual &= words::kNotGiven.find(given.substr(i, length)) == std::string_view::npos;
      i += length;
    }
    if (usual) return text.substr(0, ends[n - 1]);
  }
  return {};
}

std::string_view ChineseReader::Relation(std::string_view text, std::size_t* end) {
  std::size_t lead = 0;
  for (std::string_view skip : {"大", "小", "亲", "最好的", "双胞胎", "二", "老"}) {
    if (text.starts_with(skip)) lead = skip.size();
  }
  std::string_view best;
  std::size_t longest = 0;
  for (const std::size_t from : {std::size_t{0}, lead}) {
    for (const auto& [word, filed] : words::kChineseRelations) {
      if (text.substr(from).starts_with(word) && word.size() + from > longest) {
        best = filed;
        longest = word.size() + from;
      }
    }
  }
  if (best == "friend" && text.starts_with("最好的")) best = "best friend";
  *end = longest;
  return best;
}

void ChineseReader::FindSubject(std::string_view* clause) {
  std::string_view rest = Trim(*clause);
  explicit_ = true;
  former_ = false;
  change_ = false;
  for (int n = 0; n < 6; ++n) {
    std::string_view after;
    for (std::string_view past : kFormer) former_ |= rest.starts_with(past);
    change_ |= rest.starts_with("现在") || rest.starts_with("如今") || rest.starts_with("目前");
    // 2019年, 三年前
    if (const auto year = rest.find("年");
        year != rest.npos && year <= 12 && IsAsciiDigit(static_cast<unsigned char>(rest[0]))) {
      after = rest.substr(year + 3);
      if (after.starts_with("前") || after.starts_with("的时候")) {
        after = after.substr(after.starts_with("前") ? 3 : 9);
      }
      for (std::string_view skip :
           {"起", "以来", "开始", "初", "底", "夏天", "春天", "秋天", "冬天"}) {
        if (after.starts_with(skip)) after.remove_prefix(skip.size());
      }
      rest = Trim(after);
      continue;
    }
    if (!StartsWithAny(rest, &after, kLeads)) break;
    rest = Trim(after);
    if (rest.starts_with("：")) rest.remove_prefix(std::string_view("：").size());
    if (rest.starts_with(":")) rest.remove_prefix(1);
  }
  const std::string_view before = rest;
  if (rest.starts_with("我们") || rest.starts_with("咱们") || rest.starts_with("我")) {
    rest.remove_prefix(rest.starts_with("我们") || rest.starts_with("咱们") ? 6 : 3);
    std::string_view own = rest;
    const bool possessive = own.starts_with("的");
    if (possessive) own.remove_prefix(3);
    if (own.starts_with("家的"))
      own.remove_prefix(6);
    else if (own.starts_with("家"))
      own.remove_prefix(3);
    std::size_t end = 0;
    std::string_view relation = Relation(own, &end);
    // 我妈, 我哥
    for (const auto& [word, filed] :
         {words::Pair{"妈", "mother"}, words::Pair{"爸", "father"},
          words::Pair{"姐", "older sister"}, words::Pair{"哥", "older brother"},
          words::Pair{"弟", "younger brother"}, words::Pair{"妹", "younger sister"}}) {
      if (relation.empty() && !possessive && own.starts_with(word)) relation = filed, end = 3;
    }
    if (!relation.empty()) {
      Person(relation, own.substr(end), clause);
      return;
    }
    if (const std::string_view pet = PetWord(own); !pet.empty()) {
      PetOf(pet, own.substr(pet.size()), clause);
      return;
    }
    // 我家有两只狗
    if (rest.starts_with("家有") || rest.starts_with("家养")) rest.remove_prefix(3);
    subject_ = Self();
    // 我知道他…: what follows is of another.
    for (std::string_view verb : {"知道", "觉得", "认为", "问", "听", "让", "请", "相信", "感觉",
                                  "想知道", "发现", "看到"}) {
      if (rest.starts_with(verb)) subject_ = {};
    }
    *clause = rest;
    return;
  }
  if ((rest.starts_with("他") || rest.starts_with("她")) && !rest.starts_with("他们") &&
      !rest.starts_with("她们")) {
    subject_ = {};
    if (!reader_.last_person.empty()) {
      subject_.name = reader_.last_person;
      subject_.confidence = 0.7;
    }
    *clause = rest.substr(3);
    return;
  }
  // 妹妹住在…: one's own, where the sentence before spoke of oneself.
  std::size_t end = 0;
  const std::string_view relation = Relation(rest, &end);
  if (!relation.empty() && !rest.substr(end).starts_with("说") &&
      !rest.substr(end).starts_with("们") && !rest.substr(end).starts_with("，")) {
    static constexpr std::string_view kKin[] = {"colleague", "friend",    "classmate",
                                                "boss",      "neighbour", "coach",
                                                "advisor",   "landlord",  "aunt"};
    if (!Has(kKin, relation)) {
      Person(relation, rest.substr(end), clause);
      subject_.confidence *= 0.85;
      return;
    }
  }
  if (const std::string_view name = NameAt(rest, true);
      !name.empty() && !IsUpper(DecodeUtf8(name, 0).value)) {
    subject_ = {};
    subject_.name = std::string(name);
    subject_.confidence = 0.65;
    *clause = rest.substr(name.size());
    return;
  }
  if (StartsWithAny(before, &rest, kOtherSubjects)) {
    subject_ = {};
    *clause = before;
    return;
  }
  explicit_ = false;
  *clause = before;
}

std::string_view ChineseReader::PetWord(std::string_view text) {
  std::string_view best;
  for (const auto& [word, filed] : words::kChineseThings) {
    if (filed == "pet" && text.starts_with(word) && word.size() > best.size()) best = word;
  }
  for (std::string_view word : {"小狗", "小猫", "狗狗", "猫猫", "猫咪", "狗", "猫"}) {
    if (text.starts_with(word) && word.size() > best.size()) best = word;
  }
  return best;
}

void ChineseReader::Person(std::string_view relation, std::string_view rest,
                           std::string_view* clause) {
  const Who self = Self();
  Who person;
  person.name = RelationSubject(self.name, relation);
  person.confidence = 0.85;
  if (rest.starts_with("（") || rest.starts_with("(")) {
    rest.remove_prefix(rest.starts_with("(") ? 1 : 3);
  }
  std::string_view name;
  std::string_view called = rest;
  for (std::string_view adverb : {"的名字", "名字"}) {
    if (called.starts_with(adverb)) called.remove_prefix(adverb.size());
  }
  if (called.starts_with("叫做")) {
    name = NameAt(called.substr(6), false);
  } else if (called.starts_with("叫")) {
    name = NameAt(called.substr(3), false);
  } else if (called.size() < rest.size() && called.starts_with("是")) {
    name = NameAt(called.substr(3), false);
  } else {
    name = NameAt(rest, true);
  }
  if (!name.empty() && !Holds(name, {"什么", "我", "你"})) {
    clause_ = *clause;
    Add(self, relation, name, ClaimKind::kHolds, 0.95);
    rest = rest.substr(static_cast<std::size_t>(name.data() - rest.data()) + name.size());
    person.name = std::string(name);
  }
  reader_.last_person = person.name;
  subject_ = person;
  *clause = rest;
}

void ChineseReader::PetOf(std::string_view kind, std::string_view rest, std::string_view* clause) {
  Who pet;
  pet.pet = true;
  pet.confidence = 0.85;
  pet.name = RelationSubject(reader_.speaker, kind);
  std::string_view called = rest;
  for (std::string_view adverb : {"的名字", "名字", "名"}) {
    if (called.starts_with(adverb)) called.remove_prefix(adverb.size());
  }
  if (called.starts_with("叫") || (called.size() < rest.size() && called.starts_with("是"))) {
    const std::string_view name = NameAt(called.substr(3), false);
    if (!name.empty() && !Holds(name, {"什么"})) {
      clause_ = *clause;
      Add(Self(), "pet", fmt::format("{}（{}）", name, kind));
      pet.name = std::string(name);
      rest = called.substr(3 + name.size());
    }
  }
  reader_.last_person = pet.name;
  subject_ = pet;
  *clause = rest;
}

void ChineseReader::Presupposed(std::string_view clause) {
  for (std::size_t at = 0; (at = clause.find("我", at)) != clause.npos; at += 3) {
    std::string_view own = clause.substr(at + 3);
    if (own.starts_with("的")) own.remove_prefix(3);
    if (own.starts_with("家")) own.remove_prefix(3);
    std::size_t end = 0;
    const std::string_view relation = Relation(own, &end);
    if (relation.empty()) continue;
    const std::string_view name = NameAt(own.substr(end), true);
    clause_ = clause;
    if (!name.empty()) Add(Self(), relation, name, ClaimKind::kHolds, 0.8);
  }
  FindSubject(&clause);
}

bool ChineseReader::Clause(std::string_view clause) {
  clause_ = clause;
  const std::size_t before = reader_.claims.size();
  if (NamesPet(clause)) return true;
  // 早上我…, 从这周起我们…, 所有餐厅里我…: when and among what, before who.
  if (const auto self = clause.find("我"); self != clause.npos && self > 0 && self <= 36) {
    const std::string_view before = clause.substr(0, self);
    static constexpr std::string_view kEnds[] = {"时",   "时候", "以后", "之后", "起",   "早上",
                                                 "晚上", "里",   "中",   "周末", "目前", "："};
    const bool when =
        std::ranges::any_of(kEnds, [&](std::string_view end) { return before.ends_with(end); });
    if (when && !Holds(before, {"他", "她", "你", "不是", "家里", "心"}))
      clause.remove_prefix(self);
  }
  if (HouseholdState(clause)) return true;
  FindSubject(&clause);
  // 换了工作，现在在…上班: who speaks may leave himself out.
  if (subject_.name.empty() && !explicit_ && reader_.last_person.empty()) {
    static constexpr std::string_view kOwn[] = {"换了工作", "换工作", "跳槽", "搬家",
                                                "搬到",     "搬进",   "入职", "辞职"};
    const bool works =
        clause.starts_with("在") && (topic_ != nullptr || Holds(clause, {"上班", "当"}));
    if (works || std::ranges::any_of(
                     kOwn, [&](std::string_view verb) { return clause.starts_with(verb); })) {
      subject_ = Self();
      subject_.confidence = 0.75;
    }
  }
  if (subject_.name.empty()) return reader_.claims.size() > before;
  Predicate(clause);
  return reader_.claims.size() > before;
}

bool ChineseReader::NamesPet(std::string_view clause) {
  if (reader_.claims.empty()) return false;
  Claim& last = reader_.claims.back();
  if (last.attribute != "pet" || last.statement != statement_) return false;
  // 一只叫大黄，一只叫小黑
  bool one = false;
  for (std::string_view lead : {"一只", "另一只", "一条", "另一条"}) {
    if (!clause.starts_with(lead)) continue;
    clause.remove_prefix(lead.size());
    one = true;
  }
  const auto open = last.value.find("（");
  if (open != std::string::npos && !one) return false;
  for (std::string_view lead : {"叫做", "名字叫", "名叫", "它叫", "叫"}) {
    if (!clause.starts_with(lead)) continue;
    const std::string_view name = NameAt(clause.substr(lead.size()), false);
    if (name.empty()) return false;
    reader_.last_person = std::string(name);
    if (open == std::string::npos) {
      last.value = fmt::format("{}（{}）", name, last.value);
    } else {
      Claim next = last;
      next.value = fmt::format("{}{}", name, last.value.substr(open));
      reader_.claims.push_back(std::move(next));
    }
    return true;
  }
  return false;
}

void ChineseReader::Predicate(std::string_view rest) {
  // 我…: adverbs, and what they say of time.
  bool most = false, soon = false;
  const std::string_view whole = rest;
  // 不再 and 已经不 deny what held.
  for (int n = 0; n < 8; ++n) {
    rest = Trim(rest);
    std::string_view after;
    if (rest.starts_with("最喜欢") || rest.starts_with("最爱")) {
      most = true;
      rest.remove_prefix(3);
      break;
    }
    if (rest.starts_with("再也不")) break;
    if (!StartsWithAny(rest, &after, kAdverbs)) break;
    for (std::string_view past : kFormer) former_ |= rest.starts_with(past);
    change_ |= rest.starts_with("现在") || rest.starts_with("如今") || rest.starts_with("刚");
    soon |= rest.starts_with("快") || rest.starts_with("马上") || rest.starts_with("即将") ||
            rest.starts_with("明年") || rest.starts_with("下个月");
    if (rest.starts_with("是") && !rest.starts_with("是在") && !rest.starts_with("是从")) break;
    rest = after;
  }
  const ClaimKind kind = former_ ? ClaimKind::kFormer : ClaimKind::kHolds;
  if (!subject_.pet && States(rest, kind)) return;
  if (Name(rest) || Age(rest, soon) || Birth(rest)) return;
  if (Tastes(rest, most)) return;
  if (Health(rest, kind)) return;
  if (Homes(rest, kind, whole)) return;
  if (Studies(rest, kind)) return;
  if (Work(rest, kind)) return;
  if (Love(rest)) return;
  if (Relatives(rest, kind)) return;
  if (Things(rest, kind)) return;
  (void)Plans(rest);
}

void ReadChinese(std::string_view sentence, std::string_view statement, FactReader* reader) {
  ChineseReader(sentence, statement, reader).Read();
}

}  // namespace liubai::memory
