// Chinese: the states of every day, by the words that name them.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "memory/facts_chinese_reader.h"
#include "memory/facts_words.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/numerals.h"

namespace liubai::memory {
namespace {

using words::Has;
using words::Holds;
using words::Pair;

// Between the name of a state and its value, and before either; longer ones first.
constexpr std::string_view kFillers[] = {
    "从现在起", "从这周起", "从今天起", "从这个月起", "从下个月起", "差不多", "大概", "大约",
    "将近",     "一共",     "总共",     "只有",       "已经",       "现在",   "目前", "如今",
    "最近",     "每个月",   "一个月",   "每月",       "每年",       "一年",   "税前", "税后",
    "到手",     "又",       "也",       "都",         "刚",         "才",     "就",   "约",
    "新",       "这个月",   "今年",     "这周",       "上个月",     "去年",   "的",   "方式",
    "号码",     "名字",     "水平",     "了",         " "};
// What leads to the value; those from "变成" on say that it has changed.
constexpr std::string_view kLeading[] = {"是个", "是", "为", "：", ":", "有", "叫做", "叫", "在"};
constexpr std::string_view kChanging[] = {
    "改成了", "改成", "换成了", "换成", "变成了", "变成",   "涨到了", "涨到", "降到了", "降到",
    "升到了", "升到", "调到了", "调到", "提到了", "提到",   "加到了", "加到", "改为",   "换为",
    "变为",   "升为", "升成",   "涨成", "减到",   "减到了", "扩到了", "扩到", "增加到"};
constexpr std::string_view kChanges[] = {"变了",   "有变化", "有变动", "换了", "改了",
                                         "调整了", "涨了",   "降了",   "有变", "更新了"};

bool StripAny(std::string_view* text, std::span<const std::string_view> parts) {
  std::string_view best;
  for (const std::string_view part : parts) {
    if (text->starts_with(part) && part.size() > best.size()) best = part;
  }
  text->remove_prefix(best.size());
  return !best.empty();
}

bool IsNumeral(std::string_view text, std::size_t at) {
  const std::int32_t c = DecodeUtf8(text, at).value;
  return IsAsciiDigit(c) || IsChineseNumeral(c) || c == ',' || c == '.' || c == U'半';
}

// The number that `text` begins with.
std::string_view NumeralAt(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && IsNumeral(text, end)) end += DecodeUtf8(text, end).length;
  while (end > 0 && (text[end - 1] == ',' || text[end - 1] == '.')) --end;
  return text.substr(0, end);
}

std::string_view MoneyAt(std::string_view text) {
  for (const std::string_view sign : {"¥", "￥", "$", "€"}) {
    if (text.starts_with(sign)) {
      const std::string_view number = NumeralAt(text.substr(sign.size()));
      return number.empty() ? number : text.substr(0, sign.size() + number.size());
    }
  }
  const std::string_view number = NumeralAt(text);
  if (number.empty()) return {};
  std::string_view rest = text.substr(number.size());
  for (const std::string_view more : {"多", "来", "余"}) {
    if (rest.starts_with(more)) rest.remove_prefix(more.size());
  }
  for (const std::string_view unit : {"万元", "千元", "万块", "块钱", "欧元", "美元", "人民币",
                                      "万", "千", "元", "块", "k", "K"}) {
    if (!rest.starts_with(unit)) continue;
    rest.remove_prefix(unit.size());
    break;
  }
  // A count of something else: 三个, 5号线.
  static constexpr std::string_view kNot[] = {"个人", "个", "号", "位", "名", "岁", "点", "分",
                                              "公里", "天", "年", "次", "%",  "倍", "月"};
  for (const std::string_view other : kNot) {
    if (rest.starts_with(other) && !(other == "个" && rest.starts_with("个月"))) return {};
  }
  return text.substr(0, text.size() - rest.size());
}

std::string_view TimeAt(std::string_view text) {
  std::size_t end = 0;
  bool unit = false;
  while (end < text.size()) {
    const std::string_view rest = text.substr(end);
    const std::string_view number = NumeralAt(rest);
    if (!number.empty()) {
      end += number.size();
      continue;
    }
    std::size_t length = 0;
    for (const std::string_view part : {"小时", "分钟", "分", "秒", ":", "：", "钟"}) {
      if (rest.starts_with(part)) {
        length = part.size();
        break;
      }
    }
    if (length == 0 || end == 0) break;
    unit = true;
    end += length;
  }
  return unit ? text.substr(0, end) : std::string_view();
}

// 坐3号线, 骑车, 开车, 走路
std::string_view WayAt(std::string_view text) {
  static constexpr std::string_view kBy[] = {"坐",   "乘",   "骑",   "开车", "开",   "搭",
                                             "打车", "走路", "步行", "走着", "拼车", "自驾",
                                             "跑步", "挤",   "转",   "蹬"};
  std::string_view best;
  for (const std::string_view by : kBy) {
    if (text.starts_with(by) && by.size() > best.size()) best = by;
  }
  if (best.empty()) return {};
  std::size_t end = text.size();
  for (const std::string_view stop : {"去上班", "上班", "上下班", "去公司", "到公司", "去单位",
                                      "到单位", "去办公室", "通勤", "去的", "去学校", "来公司"}) {
    end = std::min(end, text.find(stop));
  }
  std::string_view way = text.substr(0, end);
  while (way.ends_with("了") || way.ends_with("的")) way.remove_suffix(3);
  const std::size_t length = CountCodePoints(way);
  if (length < 2 || length > 14) return {};
  // 开会, 坐下, 走了
  static constexpr std::string_view kModes[] = {"车", "地铁", "公交", "线",   "路",   "行",
                                                "轮", "船",   "摩托", "跑步", "走着", "巴士",
                                                "铁", "渡",   "自驾", "单车"};
  return std::ranges::any_of(kModes,
                             [&](std::string_view mode) { return way.find(mode) != way.npos; }) &&
                 !Holds(way, {"开会", "学校"})
             ? way
             : std::string_view();
}

bool HasDigit(std::string_view text) { return text.find_first_of("0123456789") != text.npos; }

bool IsStreet(std::string_view text) {
  if (!Holds(text, {"路", "街", "巷", "弄", "道", "小区", "栋", "号", "苑", "村", "里"}))
    return false;
  return HasDigit(text) || Holds(text, {"号", "栋", "室"});
}

}  // namespace

const DailyState* ChineseReader::StateNamed(std::string_view text, std::size_t* end) {
  const DailyState* best = nullptr;
  std::size_t longest = 0;
  const std::string lower = ToLowerUtf8(text);
  for (const DailyState& state : DailyStates()) {
    for (const std::string_view name : state.names) {
      const bool chinese =
          std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
      if (chinese && name.size() > longest && lower.starts_with(name)) {
        best = &state, longest = name.size();
      }
    }
  }
  // 楼下大门的密码, 家里无线网的新密码
  if (const auto at = lower.find("密码"); best == nullptr || best->value == StateValue::kCode) {
    if (at != lower.npos && at > 0 && at <= 30 && at + 6 > longest) {
      const std::string_view of = std::string_view(lower).substr(0, at);
      const std::string_view code = CodeOf(of);
      // 小罗家的大门密码 is not one's own, and begins with whose it is.
      static constexpr std::string_view kBegins[] = {
          "楼下", "大门", "前门", "后门",   "单元", "小区", "门",   "无线", "wifi", "wi-fi", "路由",
          "网络", "报警", "警报", "储物柜", "柜子", "手机", "锁屏", "车库", "公寓", "楼"};
      const bool own = std::ranges::any_of(
          kBegins, [&](std::string_view begin) { return of.starts_with(begin); });
      if (own && !code.empty() && !Holds(of, {"是", "把", "的人", "改", "换"})) {
        best = DailyStateOf(code);
        longest = at + std::string_view("密码").size();
      }
    }
    // 大门换了密码：
    if (at != lower.npos && best == nullptr && Holds(lower.substr(0, at), {"换了", "改了"})) {
      const std::string_view code = CodeOf(std::string_view(lower).substr(0, at));
      if (!code.empty()) {
        best = DailyStateOf(code);
        longest = at + 6;
        change_ = true;
      }
    }
  }
  *end = longest;
  return best;
}

bool ChineseReader::ToValue(std::string_view* text, bool* bare) {
  std::string_view rest = *text;
  *bare = true;
  for (int n = 0; n < 8; ++n) {
    rest = Trim(rest);
    if (StripAny(&rest, kChanging)) {
      change_ = true;
      *bare = false;
      continue;
    }
    if (StripAny(&rest, kChanges)) {
      change_ = true;
      continue;
    }
    for (const std::string_view past : {"以前", "原来", "之前", "曾经", "过去", "原先"}) {
      if (!rest.starts_with(past)) continue;
      former_ = true;
      rest.remove_prefix(past.size());
    }
    for (const std::string_view now : {"现在", "目前", "如今", "从现在起"}) {
      change_ |= rest.starts_with(now);
    }
    if (StripAny(&rest, kFillers)) continue;
    if (*bare && StripAny(&rest, kLeading)) {
      *bare = false;
      continue;
    }
    break;
  }
  *text = rest;
  return !rest.empty() && !rest.starts_with("不") && !rest.starts_with("没");
}

std::string_view ChineseReader::StateText(const DailyState& state, std::string_view text,
                                          bool bare) {
  switch (state.value) {
    case StateValue::kMoney:
      return MoneyAt(text);
    case StateValue::kCount: {
      const std::string_view number = NumeralAt(text);
      const std::string_view rest = text.substr(number.size());
      return !number.empty() && (rest.starts_with("个人") || rest.starts_with("人") ||
                                 rest.starts_with("名") || rest.starts_with("位") ||
                                 rest.starts_with("口人") || rest.starts_with("个同事"))
                 ? number
                 : std::string_view();
    }
    case StateValue::kWay:
      return WayAt(text);
    case StateValue::kCode: {
      std::size_t end = 0;
      while (end < text.size() && (IsAsciiWord(static_cast<unsigned char>(text[end])) ||
                                   text[end] == '-' || text[end] == '#' || text[end] == '*'))
        ++end;
      return end >= 3 && HasDigit(text.substr(0, end)) ? text.substr(0, end) : std::string_view();
    }
    case StateValue::kContact: {
      std::size_t end = 0;
      const bool mail = state.attribute == "e-mail";
      while (end < text.size() &&
             (IsAsciiWord(static_cast<unsigned char>(text[end])) || text[end] == '-' ||
              text[end] == '+' || (mail ? text[end] == '@' || text[end] == '.' : text[end] == ' ')))
        ++end;
      std::string_view value = Trim(text.substr(0, end));
      while (value.ends_with('.')) value.remove_suffix(1);
      if (mail ? value.find('@') == value.npos || value.starts_with('@') : value.size() < 5)
        return {};
      return mail || HasDigit(value) ? value : std::string_view();
    }
    case StateValue::kPerson: {
      if (bare && !text.starts_with("姓")) return {};
      if (text.starts_with("姓")) {
        const std::string_view surname = Until(Trimmed(text.substr(3)), {"的", "，", " "});
        const std::size_t length = CountCodePoints(surname);
        return length >= 1 && length <= 4 ? surname : std::string_view();
      }
      const std::string_view value = Trimmed(Until(text, {"，", "，"}));
      const std::size_t length = CountCodePoints(value);
      if (length < 2 || length > 5 ||
          Holds(value, {"谁", "什么", "个", "人", "很", "好", "在", "我"}))
        return {};
      static constexpr std::string_view kTitled[] = {"先生", "女士", "小姐", "医生", "大夫", "老师",
                                                     "太太", "阿姨", "叔",   "总",   "姐",   "哥"};
      const bool titled = std::ranges::any_of(
          kTitled, [&](std::string_view title) { return value.ends_with(title); });
      if (titled || IsUpper(DecodeUtf8(value, 0).value)) return value;
      return words::kSurnames.find(value.substr(0, 3)) != std::string_view::npos
                 ? value
                 : std::string_view();
    }
    case StateValue::kOrganisation: {
      if (bare) return {};
      std::string_view value = Trimmed(Until(text, {"工作", "上班", "的工作", "，", "任职", "卡"}));
      if (value.starts_with("“") && value.ends_with("”")) value = value.substr(3, value.size() - 6);
      const std::size_t length = CountCodePoints(value);
      if (length < 2 || length > 14 || value.ends_with("的") || value.starts_with("一") ||
          value.starts_with("个") || value.starts_with("很") || value.starts_with("做") ||
          Holds(value,
                {"什么", "哪", "放假", "开会", "附近", "旁边", "这", "那", "不", "最", "了"}))
        return {};
      return value;
    }
    case StateValue::kPlace:
      return bare ? std::string_view() : Place(text);
    case StateValue::kAddress: {
      const std::string_view value = Trimmed(text);
      return CountCodePoints(value) >= 3 && CountCodePoints(value) <= 30 && IsStreet(value)
                 ? value
                 : std::string_view();
    }
    case StateValue::kJob: {
      if (bare) return {};
      const std::string_view job = Job(text);
      if (!job.empty()) return job;
      static constexpr std::string_view kPosts[] = {"总监", "主管",   "经理",  "长",   "师",
                                                    "员",   "助理",   "专员",  "顾问", "主任",
                                                    "代表", "负责人", "合伙人"};
      const std::string_view value = Trimmed(text);
      const bool post =
          std::ranges::any_of(kPosts, [&](std::string_view end) { return value.ends_with(end); });
      return post && CountCodePoints(value) >= 2 && CountCodePoints(value) <= 12
                 ? value
                 : std::string_view();
    }
  }
  return {};
}

bool ChineseReader::KeepState(const Who& who, const DailyState& state, std::string_view text) {
  bool bare = true;
  if (!ToValue(&text, &bare)) return false;
  const std::string_view value = StateText(state, text, bare);
  if (value.empty()) return false;
  return Add(who, state.attribute, value, former_ ? ClaimKind::kFormer : ClaimKind::kHolds);
}

bool ChineseReader::HouseholdState(std::string_view clause) {
  std::string_view rest = Trim(clause);
  former_ = change_ = false;
  // 公司一年给我三十万
  if (const auto gives = rest.find("给我"); gives != rest.npos && gives <= 30) {
    const std::string_view before = rest.substr(0, gives), after = rest.substr(gives + 6);
    const std::string_view money = MoneyAt(Trim(after.starts_with("开") ? after.substr(3) : after));
    if (!money.empty() && Holds(before, {"公司", "老板", "单位", "他们"}) &&
        Holds(rest, {"一年", "每年", "每月", "每个月", "一个月", "月薪", "年薪"})) {
      return Add(Self(), "salary", money);
    }
  }
  // 在大门按2616, 进楼输2616
  if (Holds(rest, {"门", "楼"}) && !Holds(rest, {"他", "她", "你", "的人"})) {
    for (const std::string_view type : {"输入", "输", "按"}) {
      const auto at = rest.find(type);
      if (at == rest.npos || at == 0) continue;
      const std::string_view code =
          StateText(*DailyStateOf("door code"), Trim(rest.substr(at + type.size())), false);
      if (!code.empty() && NameAt(rest, true).empty()) return Add(Self(), "door code", code);
    }
  }
  // 新工作第一天，在…
  if (rest.starts_with("新工作") || rest.starts_with("新公司")) {
    topic_ = DailyStateOf("employer");
  }
  bool mine = false, home = false;
  // 房东把房租涨到…, 我把家里的密码改成…: whoever did it, it is one's own.
  if (const auto at = rest.find("把"); at != rest.npos && at <= 30) {
    static constexpr std::string_view kDoers[] = {"我",   "我们",   "房东",   "物业",
                                                  "公司", "老板",   "单位",   "他们",
                                                  "领导", "我老婆", "我老公", "银行"};
    bool doer = at == 0;
    for (const std::string_view who : kDoers) doer |= Trim(rest.substr(0, at)).ends_with(who);
    if (!doer) return false;
    rest.remove_prefix(at + 3);
    home = true;
  }
  for (int n = 0; n < 6; ++n) {
    rest = Trim(rest);
    for (const std::string_view now : {"现在", "目前", "如今"}) change_ |= rest.starts_with(now);
    static constexpr std::string_view kOwn[] = {"我们家的", "我们家", "我们的", "我们",   "我家的",
                                                "我家",     "我的",   "我",     "咱们家", "咱家"};
    if (!mine && StripAny(&rest, kOwn)) {
      mine = true;
      continue;
    }
    static constexpr std::string_view kBefore[] = {
        "现在",       "目前",     "如今",   "新的",   "新",       "从现在起", "从这个月起",
        "从下个月起", "每个月的", "每个月", "每月",   "这套房子", "这套公寓", "这间房子",
        "房子",       "公寓",     "这里",   "小区的", "小区",     "楼下的",   "这边",
        "对了",       "另外",     "最近",   "家里的", "家里"};
    std::size_t end = 0;
    if (StateNamed(rest, &end) != nullptr) break;
    if (StripAny(&rest, kBefore)) continue;
    // 记一下：房租…
    const auto colon = rest.find("：");
    if (colon == rest.npos || colon > 30) break;
    rest.remove_prefix(colon + 3);
  }
  std::size_t end = 0;
  const DailyState* state = StateNamed(rest, &end);
  // 视频会员每月25元, 十公里新纪录：48分: whoever says so pays it, and ran it.
  if (state == nullptr && !mine && !Holds(rest, {"他", "她", "你", "的"}) &&
      NameAt(rest, true).empty()) {
    const Who before = subject_;
    subject_ = Self();
    subject_.confidence = 0.75;
    if (Price(rest) || BestTime(clause)) return true;
    subject_ = before;
  }
  if (state == nullptr || (!mine && !home && !state->household)) return false;
  // What else is of 我 is read as that of any other person.
  if (state->value != StateValue::kPerson && mine && !home) return false;
  Who who = Self();
  who.confidence = mine ? 0.95 : 0.85;
  topic_ = state;
  if (!KeepState(who, *state, rest.substr(end))) {
    // 房东来信：从现在起房租…
    const auto colon = rest.find("：", end);
    return colon != rest.npos && colon <= 36 && HouseholdState(rest.substr(colon + 3));
  }
  subject_ = Self();
  return true;
}

bool ChineseReader::OfTopic(std::string_view rest) {
  if (topic_ == nullptr || !subject_.self) return false;
  // 新号码是…, 新公司是…, 现在是…
  for (const std::string_view lead : {"新的", "新"}) {
    if (rest.starts_with(lead)) rest.remove_prefix(lead.size());
  }
  std::size_t end = 0;
  if (const DailyState* named = StateNamed(rest, &end); named != nullptr) {
    if (named != topic_) return false;
    rest.remove_prefix(end);
  }
  return KeepState(subject_, *topic_, rest);
}

bool ChineseReader::States(std::string_view rest, ClaimKind kind) {
  const Who who = subject_;
  std::string_view own = rest;
  if (own.starts_with("的")) own.remove_prefix(3);
  for (const std::string_view lead : {"家的", "家", "每月的", "新的", "新"}) {
    std::size_t end = 0;
    if (StateNamed(own, &end) != nullptr) break;
    if (own.starts_with(lead)) own.remove_prefix(lead.size());
  }
  if (FavouriteOf(own) || BestTime(rest) || Price(own)) return true;
  std::size_t end = 0;
  if (const DailyState* state = StateNamed(own, &end); state != nullptr) {
    if (who.self) topic_ = state;
    if (KeepState(who, *state, own.substr(end))) return true;
  }
  // 我的车换成了…, 我的手机是…
  for (const auto& [word, attribute] : words::kChineseThings) {
    if (!own.starts_with(word) || attribute == "pet") continue;
    std::string_view value = own.substr(word.size());
    bool bare = true;
    if (!Holds(value.substr(0, 12), {"换成", "换了"}) || !ToValue(&value, &bare) || bare) continue;
    value = Trimmed(value);
    if (CountCodePoints(value) < 2 || CountCodePoints(value) > 14) continue;
    change_ = true;
    return Add(who, attribute, value, kind);
  }
  // 不在华为上班了
  for (const std::string_view lead : {"不在", "不再在"}) {
    if (!rest.starts_with(lead) || !Trim(rest).ends_with("了")) continue;
    const std::string_view org = Until(rest.substr(lead.size()), {"上班", "工作", "干了"});
    if (org.size() + lead.size() == rest.size() || CountCodePoints(org) < 2) continue;
    return Add(who, OrgAttribute(org), org, ClaimKind::kEnded);
  }
  // 换了工作, 换银行了, 把…密码改成…
  for (const std::string_view verb : {"换了", "换", "改了", "把", "跳槽", "搬家", "搬"}) {
    if (!rest.starts_with(verb)) continue;
    std::string_view what =
        rest.substr(verb == "搬家" || verb == "跳槽" || verb == "搬" ? 0 : verb.size());
    for (const std::string_view of : {"家里的", "家里", "我家的", "我的", "一家", "新", "个"}) {
      if (what.starts_with(of)) what.remove_prefix(of.size());
    }
    if (what.starts_with("工作") || what.starts_with("公司") || what.starts_with("单位") ||
        what.starts_with("跳槽了")) {
      topic_ = DailyStateOf("employer");
      return false;
    }
    if (const DailyState* state = StateNamed(what, &end); state != nullptr) {
      topic_ = state;
      change_ = true;
      if (KeepState(who, *state, what.substr(end))) return true;
      change_ = true;
    }
    break;
  }
  if (rest.starts_with("搬进") || rest.starts_with("搬到") || rest.starts_with("住在") ||
      rest.starts_with("住")) {
    std::string_view place =
        rest.substr(rest.starts_with("搬") || rest.starts_with("住在") ? 6 : 3);
    if (place.starts_with("了")) place.remove_prefix(3);
    const std::string_view value = Trimmed(place);
    if (IsStreet(value) && HasDigit(value) && CountCodePoints(value) <= 30) {
      change_ |= rest.starts_with("搬");
      return Add(who, "address", value, kind);
    }
  }
  return Earns(rest, kind) || Commutes(rest, kind) || Crew(rest, kind) || Tired(rest) ||
         Preferred(rest) || OfTopic(rest);
}

bool ChineseReader::Earns(std::string_view rest, ClaimKind kind) {
  // 一年挣二十五万, 每个月拿一万二, 每月交五千房租
  std::string_view body = rest;
  bool period = false;
  for (int n = 0; n < 4; ++n) {
    for (const std::string_view per : {"一年", "每年", "一个月", "每个月", "每月", "月"}) {
      period |= body.starts_with(per);
    }
    if (!StripAny(&body, kFillers)) break;
  }
  for (const std::string_view verb : {"能挣", "挣", "赚", "能赚", "拿到手", "拿"}) {
    if (!period || !body.starts_with(verb)) continue;
    const std::string_view money = MoneyAt(Trim(body.substr(verb.size())));
    return !money.empty() && Add(subject_, "salary", money, kind);
  }
  for (const std::string_view verb : {"交", "付", "给"}) {
    if (!body.starts_with(verb)) continue;
    std::string_view after = body.substr(verb.size());
    const bool first = after.starts_with("房租");
    if (first) after.remove_prefix(6);
    const std::string_view money = MoneyAt(Trim(after));
    if (money.empty()) continue;
    const bool rent = first || Holds(after.substr(money.size()), {"房租", "租金", "的租"}) ||
                      (topic_ != nullptr && topic_->attribute == "rent");
    return rent && Add(subject_, "rent", money, kind);
  }
  return false;
}

bool ChineseReader::Commutes(std::string_view rest, ClaimKind kind) {
  static constexpr std::string_view kGo[] = {"上班", "去公司",   "到公司", "去单位",
                                             "通勤", "去办公室", "来公司"};
  // 上班坐地铁, 上班是骑车去的
  if (rest.starts_with("上班") || rest.starts_with("通勤") || rest.starts_with("去上班")) {
    std::string_view body = rest.substr(rest.starts_with("去") ? 9 : 6);
    for (int n = 0; n < 4; ++n) {
      if (!StripAny(&body, kFillers) && !StripAny(&body, kLeading)) break;
    }
    for (const std::string_view usual : {"一般", "基本", "主要", "改", "靠"}) {
      if (body.starts_with(usual)) body.remove_prefix(usual.size());
    }
    const std::string_view way = WayAt(body);
    return !way.empty() && Add(subject_, "commute", way, kind);
  }
  std::size_t at = rest.npos;
  for (const std::string_view go : kGo) at = std::min(at, rest.find(go));
  if (at == rest.npos || at == 0 || at > 45) return false;
  std::string_view body = rest;
  for (int n = 0; n < 4; ++n) {
    if (!StripAny(&body, kFillers)) break;
  }
  for (const std::string_view usual : {"每天", "改", "都是", "一般", "平时", "是"}) {
    if (body.starts_with(usual)) body.remove_prefix(usual.size());
  }
  // 昨天坐公交上班的: of that one day.
  if (Holds(clause_, {"昨天", "前天", "今天早上", "那天", "刚才"}) && !Holds(clause_, {"每天"}))
    return false;
  const std::string_view way = WayAt(body);
  return !way.empty() && Add(subject_, "commute", way, kind);
}

bool ChineseReader::Crew(std::string_view rest, ClaimKind kind) {
  std::string_view body = rest;
  if (body.starts_with("在团队里") || body.starts_with("在公司里")) body.remove_prefix(12);
  for (const std::string_view lead : {"手下有", "手下管着", "手下一共有", "手底下有", "带着", "带",
                                      "管着", "管", "领导着", "负责管理", "管理"}) {
    if (!body.starts_with(lead)) continue;
    std::string_view count = body.substr(lead.size());
    for (const std::string_view over : {"一个", "一支"}) {
      // 带一个十人的团队
      if (count.starts_with(over) && Holds(count, {"团队", "小组"}))
        count.remove_prefix(over.size());
    }
    const std::string_view number = StateText(*DailyStateOf("team size"), count, false);
    return !number.empty() && Add(subject_, "team size", number, kind);
  }
  // 在力健健身房办了卡
  if (body.starts_with("在") || body.starts_with("去")) {
    for (const std::string_view gym :
         {"健身房", "健身中心", "健身馆", "瑜伽馆", "游泳馆", "攀岩馆"}) {
      const auto at = body.find(gym);
      if (at == body.npos || at <= 3 || at > 30) continue;
      const std::string_view after = body.substr(at + gym.size());
      if (!Holds(after, {"办了卡", "办卡", "健身", "锻炼", "训练", "练", "游泳"})) continue;
      return Add(subject_, "gym", body.substr(3, at + gym.size() - 3), kind, 0.9);
    }
  }
  // 硕士是在同济大学读的
  for (const std::string_view degree : {"本科", "硕士", "博士", "研究生", "大学", "高中"}) {
    std::string_view after = body;
    if (!after.starts_with(degree)) continue;
    after.remove_prefix(degree.size());
    if (after.starts_with("是")) after.remove_prefix(3);
    if (!after.starts_with("在")) continue;
    after.remove_prefix(3);
    for (const std::string_view verb : {"读", "念", "上"}) {
      const auto at = after.find(verb);
      if (at == after.npos || at < 6 || at > 36) continue;
      return Add(subject_, "school", after.substr(0, at), kind);
    }
  }
  return false;
}

void ChineseReader::KeepFavourite(std::string_view kind, std::string_view occasion,
                                  std::string_view value) {
  std::string attribute = "favourite";
  if (!kind.empty()) attribute += fmt::format(" {}", kind);
  if (!occasion.empty()) attribute += fmt::format(" {}", occasion);
  Add(subject_, attribute, value, former_ ? ClaimKind::kFormer : ClaimKind::kHolds, 0.95);
}

bool ChineseReader::FavouriteOf(std::string_view own) {
  // 最喜欢的餐厅换成了…, 最喜欢去的饭馆是…, 工作音乐是…
  std::string_view rest = own;
  bool most = false;
  std::string_view occasion = OccasionOf(rest.substr(0, std::min<std::size_t>(rest.size(), 12)));
  if (!occasion.empty()) {
    for (const std::string_view when : {"早上", "早晨", "晚上", "晚间", "工作时", "工作的", "工作",
                                        "上班时", "上班", "周末", "跑步时", "跑步"}) {
      if (rest.starts_with(when)) {
        rest.remove_prefix(when.size());
        break;
      }
    }
    if (rest.size() == own.size()) occasion = {};
  }
  static constexpr std::string_view kMost[] = {
      "最喜欢的",   "最爱的",   "最喜欢去的", "最爱去的", "最常去的",   "最喜欢喝的", "最爱喝的",
      "最喜欢吃的", "最爱吃的", "最喜欢听的", "最爱听的", "最喜欢看的", "最爱看的"};
  std::string_view lead;
  for (const std::string_view part : kMost) {
    // Predicate has read 最 already.
    for (const std::string_view form : {part, part.substr(3)}) {
      if (rest.starts_with(form) && form.size() > lead.size()) lead = form;
    }
  }
  if (!lead.empty() && !lead.starts_with("最") && !Holds(clause_, {"最"})) lead = {};
  most = !lead.empty();
  rest.remove_prefix(lead.size());
  std::string kind;
  std::size_t end = rest.size();
  for (const std::string_view verb :
       {"是", "换成", "变成", "改成", "现在是", "：", ":", "换了", "还是"}) {
    end = std::min(end, rest.find(verb));
  }
  if (end == rest.size() || end > 24) return false;
  kind = std::string(Trimmed(rest.substr(0, end)));
  for (const std::string_view now : {"现在", "目前", "最近", "又", "一直"}) {
    if (kind.ends_with(now)) kind.resize(kind.size() - now.size());
  }
  if (lead.ends_with("喝的") && kind.empty()) kind = "饮料";
  if (lead.ends_with("吃的") && kind.empty()) kind = "菜";
  if (lead.ends_with("听的") && kind.empty()) kind = "音乐";
  if (lead.ends_with("看的") && kind.empty()) kind = "节目";
  static constexpr std::string_view kKinds[] = {"音乐", "饮料", "早餐", "歌单", "咖啡", "背景音乐"};
  if (!most && (occasion.empty() || !Has(kKinds, kind))) return false;
  if (kind.empty() || kind == "人" || kind.ends_with("不")) return false;
  std::string_view value = rest.substr(end);
  bool bare = true;
  if (!ToValue(&value, &bare)) return false;
  value = Trimmed(value);
  if (CountCodePoints(value) < 1 || CountCodePoints(value) > 16 || Holds(value, {"什么", "哪"}))
    return false;
  KeepFavourite(kind, occasion, value);
  return true;
}

bool ChineseReader::Preferred(std::string_view rest) {
  // 早上我喜欢喝…, 工作时我现在更喜欢听…; 所有餐厅里我最喜欢…
  if (!subject_.self || former_) return false;
  std::string_view body = rest;
  for (int n = 0; n < 4; ++n) {
    static constexpr std::string_view kMore[] = {"更",         "最",     "比较",   "现在", "一般",
                                                 "都",         "就",     "还是",   "早上", "晚上",
                                                 "工作的时候", "工作时", "上班时", "周末", "改"};
    if (!StripAny(&body, kMore)) break;
  }
  bool likes = false;
  for (const std::string_view verb : {"喜欢", "偏爱", "爱"}) {
    if (!body.starts_with(verb)) continue;
    body.remove_prefix(verb.size());
    likes = true;
    break;
  }
  std::string_view kind;
  for (const auto& [verb, of] : {Pair{"喝", "饮料"}, Pair{"听", "音乐"}}) {
    if (!body.starts_with(verb)) continue;
    body.remove_prefix(3);
    kind = of;
  }
  const std::string_view value = Trimmed(body);
  if (CountCodePoints(value) < 2 || CountCodePoints(value) > 14 || value.starts_with("过") ||
      value.starts_with("的") || Holds(value, {"什么", "说", "不", "你", "他", "她"}))
    return false;
  const std::string_view occasion = OccasionOf(sentence_);
  // 所有餐厅里我现在最喜欢…
  if (const auto all = sentence_.find("所有"); likes && all != sentence_.npos && kind.empty()) {
    const std::string_view after = sentence_.substr(all + 6);
    const std::string_view what = Until(after, {"里", "中", "当中", "之中"});
    if (CountCodePoints(what) >= 1 && CountCodePoints(what) <= 5) {
      KeepFavourite(what, "", value);
      return true;
    }
  }
  if (occasion.empty() || kind.empty()) return false;
  if (!likes && kind == "饮料") return false;
  if (kind == "音乐" && occasion != "at work" && !likes) return false;
  change_ = true;
  KeepFavourite(kind, occasion, value);
  if (likes) Add(subject_, "likes", fmt::format("{}{}", kind == "饮料" ? "喝" : "听", value));
  return true;
}

bool ChineseReader::Tired(std::string_view rest) {
  for (const std::string_view verb :
       {"喝腻了", "吃腻了", "听腻了", "看腻了", "喝腻", "吃腻", "不再爱"}) {
    const auto at = rest.find(verb);
    if (at == rest.npos || at < 3 || at > 24 || verb == "不再爱") continue;
    const std::string_view what = Trimmed(rest.substr(0, at));
    if (what.starts_with("那") || what.starts_with("这")) return false;
    return Add(subject_, "likes", what, ClaimKind::kEnded, 0.9);
  }
  return false;
}

bool ChineseReader::BestTime(std::string_view rest) {
  if (!Holds(clause_, {"最好", "纪录", "记录", "PB", "最快", "最佳"}) &&
      !(Holds(sentence_, {"最好", "比以前", "最快", "纪录", "最佳"}) &&
        Holds(rest, {"跑", "游", "骑"})))
    return false;
  const std::string distance = DistanceOf(ToLowerUtf8(clause_));
  if (distance.empty()) return false;
  for (const std::string_view lead :
       {"成绩是", "纪录是", "记录是", "最好是", "PB是", "用了", "跑出了", "跑出", "跑进了",
        "游出了", "骑出了", "：", ":", "成绩", "跑了", "是"}) {
    const auto at = rest.find(lead);
    if (at == rest.npos) continue;
    std::string_view value = rest.substr(at + lead.size());
    while (StripAny(&value, kFillers)) {
    }
    const std::string_view time = TimeAt(Trim(value));
    if (time.empty()) continue;
    change_ = true;
    return Add(subject_, fmt::format("best time over {}", distance), time);
  }
  return false;
}

bool ChineseReader::Price(std::string_view own) {
  for (const std::string_view paid :
       {"会员", "订阅", "套餐", "月费", "健身卡", "年费", "网费", "话费"}) {
    const auto at = own.find(paid);
    if (at == own.npos || at > 24) continue;
    const std::string_view what = own.substr(0, at + paid.size());
    if (Holds(what, {"是", "买", "办", "不", "的人"})) return false;
    std::string_view value = own.substr(at + paid.size());
    bool bare = true;
    if (!Holds(value, {"月", "年"}) && !paid.ends_with("费")) return false;
    for (const std::string_view verb : {"要花", "要", "花", "收", "涨价到"}) {
      const auto found = value.find(verb);
      if (found != value.npos && found <= 15) {
        value = value.substr(found + verb.size());
        break;
      }
    }
    if (!ToValue(&value, &bare)) return false;
    const std::string_view money = MoneyAt(value);
    if (money.empty()) return false;
    Who who = subject_;
    return Add(who, fmt::format("price of {}", what), money);
  }
  return false;
}

}  // namespace liubai::memory
