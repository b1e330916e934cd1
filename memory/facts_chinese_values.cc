// Chinese: what a clause says of its subject.
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

constexpr std::string_view kFormer[] = {"以前",   "从前",   "之前", "曾经", "过去", "原来",
                                        "小时候", "那时候", "当年", "曾",   "原先"};

constexpr std::string_view kPlaceEnds[] = {
    "工作", "上班", "读书", "上学", "生活", "了",   "的时候", "附近", "已经",   "那边", "这边",
    "多年", "和",   "跟",   "呢",   "好几", "快",   "也",     "很",   "一年",   "两年", "三年",
    "四年", "五年", "六年", "十年", "几年", "定居", "长大",   "居住", "住",     "念书", "养老",
    "做",   "当",   "的",   "时",   "，",   "。",   "！",     " ",    "租",     "买",   "开",
    "陪",   "一",   "有",   "过",   "是",   "整整", "将近",   "大约", "差不多", "从"};

constexpr std::string_view kNotOrigin[] = {
    "好",   "老",   "大",   "女",     "男",       "主",     "家",     "客",     "名",
    "病",   "一个", "什么", "本地",   "当地",     "外地",   "普通",   "成年",   "年轻",
    "懒",   "坏",   "聪明", "中间",   "负责",     "联系",   "候选",   "新",     "某个",
    "那个", "这个", "爱人", "工作狂", "急性子的", "内向的", "外向的", "随和的", "谨慎的"};

}  // namespace

std::string_view ChineseReader::AfterQuantity(std::string_view text) {
  std::string_view rest = text;
  for (std::string_view number : {"一", "两", "二", "三", "四", "五", "几", "1", "2", "3", "4"}) {
    if (rest.starts_with(number)) {
      rest.remove_prefix(number.size());
      break;
    }
  }
  for (std::string_view measure : {"只", "条", "辆", "台", "部", "把", "架", "套", "个", "匹", "名",
                                   "位", "盆", "双", "支", "件", "款"}) {
    if (rest.starts_with(measure)) return rest.substr(measure.size());
  }
  return text;
}

bool ChineseReader::AgeIn(std::string_view text, std::string* age) {
  const auto at = text.find("岁");
  if (at == text.npos) return false;
  std::size_t begin = at;
  while (begin > 0) {
    std::size_t from = begin - 1;
    while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) --from;
    const std::int32_t c = DecodeUtf8(text, from).value;
    if (!IsAsciiDigit(c) && !IsChineseNumeral(c) && c != ' ') break;
    begin = from;
  }
  std::string_view digits = Trim(text.substr(begin, at - begin));
  if (digits.ends_with("周")) digits.remove_suffix(3);
  const int years = SmallNumber(digits);
  if (years <= 0 || years > 120) return false;
  *age = fmt::format("{}", years);
  return true;
}

std::string_view ChineseReader::Until(std::string_view text,
                                      std::initializer_list<std::string_view> ends) {
  std::size_t end = text.size();
  for (std::string_view stop : ends) end = std::min(end, text.find(stop));
  return text.substr(0, end);
}

std::string_view ChineseReader::Place(std::string_view text) {
  for (std::string_view skip : {"了", "在", "到", "海边的", "山里的", "南方的", "北方的"}) {
    if (text.starts_with(skip)) text.remove_prefix(skip.size());
  }
  std::size_t end = text.size();
  for (std::string_view stop : kPlaceEnds) {
    const auto at = text.find(stop);
    if (at != text.npos && at > 0) end = std::min(end, at);
    if (at == 0) return {};
  }
  // 里: 家里, 学校里 are no places of the map.
  const std::string_view place = Trimmed(text.substr(0, end));
  static constexpr std::string_view kNot[] = {
      "家",   "家里", "这里", "那里", "这儿",   "那儿", "哪",   "学校", "宿舍",
      "公司", "医院", "一起", "外面", "这边",   "乡下", "一楼", "楼上", "楼下",
      "国外", "外地", "床上", "酒店", "爸妈家", "新家", "隔壁", "城里", "老家",
      "自己", "别人", "这个", "那个", "你",     "我",   "他",   "她"};
  for (std::string_view word : kNot) {
    if (place == word || (word.size() > 3 && place.starts_with(word))) return {};
  }
  const std::size_t length = CountCodePoints(place);
  return length >= 2 && length <= 14 ? place : std::string_view();
}

std::string_view ChineseReader::Job(std::string_view text) {
  text = Trimmed(text);
  for (std::string_view cut : {"已经", "很多年", "多年", "好几年"}) {
    const auto at = text.find(cut);
    if (at != text.npos) text = Trimmed(text.substr(0, at));
  }
  bool found = false;
  for (std::string_view job : words::kChineseJobs) found |= text.ends_with(job);
  if (!found || CountCodePoints(text) > 14) return {};
  return AfterQuantity(text);
}

std::string_view ChineseReader::ThingIn(std::string_view text, std::string_view* filed) {
  std::string_view best, attribute;
  std::size_t where = text.npos;
  for (const auto& [word, as] : words::kChineseThings) {
    const auto at = text.find(word);
    if (at == text.npos || at > 30) continue;
    const bool better = best.empty() || at + word.size() > where + best.size() ||
                        (at + word.size() == where + best.size() && word.size() > best.size());
    if (better) best = word, attribute = as, where = at;
  }
  if (best.empty()) return {};
  // 手机号, 手机壳
  if (best == "手机") {
    for (const std::string_view of : {"号", "卡", "费", "壳", "密码"}) {
      if (text.substr(where + best.size()).starts_with(of)) return {};
    }
  }
  // 车 alone is in many words: 车站, 火车, 堵车.
  if (best == "车") {
    const std::string_view after = text.substr(where + best.size());
    if (!after.empty() && !after.starts_with("了") && !after.starts_with("子")) return {};
    if (Holds(text, {"火车", "公交车", "堵车", "停车", "坐车", "打车", "开车", "出租车", "班车"}))
      return {};
  }
  *filed = attribute;
  return text.substr(0, where + best.size());
}

bool ChineseReader::Name(std::string_view rest) {
  std::string_view name;
  if (rest.starts_with("叫做") && explicit_) {
    name = NameAt(rest.substr(6), false);
  } else if (rest.starts_with("叫") && explicit_ && !rest.starts_with("叫我") &&
             !rest.starts_with("叫了") && !rest.starts_with("叫外卖")) {
    name = NameAt(rest.substr(3), false);
  } else if (rest.starts_with("的名字叫") || rest.starts_with("的名字是")) {
    name = NameAt(rest.substr(12), false);
  } else if (rest.starts_with("名字叫") || rest.starts_with("名字是")) {
    name = NameAt(rest.substr(9), false);
  } else if (rest.starts_with("姓")) {
    const std::string_view surname = Until(rest.substr(3), {"名", "，"});
    return CountCodePoints(surname) <= 2 && Add(subject_, "surname", surname);
  }
  if (name.empty() || Holds(name, {"什么"})) return false;
  if (subject_.pet) {
    return false;
  }
  if (!subject_.self && subject_.name.find("'s ") == std::string::npos) return false;
  return Add(subject_, "name", name);
}

bool ChineseReader::Age(std::string_view rest, bool soon) {
  // 八十大寿, 30岁生日
  if (const auto at = rest.find("大寿"); at != rest.npos) {
    std::string_view digits = rest.substr(0, at);
    for (std::size_t i = 0; i < digits.size();) {
      if (SmallNumber(digits.substr(i)) > 0) {
        return Add(subject_, "birthday celebrated",
                   fmt::format("{}", SmallNumber(digits.substr(i))));
      }
      i += DecodeUtf8(digits, i).length;
    }
    return false;
  }
  std::string age;
  if (!AgeIn(rest, &age)) {
    // 今年三十五了
    std::string_view tail = rest;
    if (!clause_.empty() && Holds(clause_, {"今年"}) && tail.ends_with("了")) {
      tail.remove_suffix(3);
      const int years = SmallNumber(Trim(tail));
      if (years > 0 && years <= 120) return Add(subject_, "age", fmt::format("{}", years));
    }
    return false;
  }
  const auto at = rest.find("岁");
  const std::string_view after = rest.substr(at + 3);
  if (after.starts_with("生日") || after.starts_with("的生日")) {
    return Add(subject_, "birthday celebrated", age);
  }
  // The number must follow at once, or nearly: 比我大三岁 is no age.
  if (at > 24 || Holds(rest.substr(0, at), {"比", "大", "小于", "到", "从", "孩子", "差"})) {
    return false;
  }
  if (after.starts_with("的时候") || after.starts_with("那年") || after.starts_with("时") ||
      after.starts_with("起") || after.starts_with("就") || after.starts_with("才") ||
      after.starts_with("前") || after.starts_with("以前") || after.starts_with("开始")) {
    return Add(subject_, "past age", age, ClaimKind::kHolds, 0.9);
  }
  if (after.starts_with("的") && after.size() > 3) return false;
  if (soon) return Add(subject_, "turning age", age);
  if (former_ || Holds(clause_, {"去年", "那时", "当时"})) {
    return Add(subject_, "past age", age, ClaimKind::kHolds, 0.9);
  }
  return Add(subject_, "age", age);
}

bool ChineseReader::Birth(std::string_view rest) {
  const auto date_in = [&](std::string_view text) -> std::string {
    for (const Detail& detail : ExtractDetails(text)) {
      if (detail.kind == DetailKind::kDate) return detail.text;
    }
    return {};
  };
  if (const auto at = rest.find("生日"); at != rest.npos && at <= 3) {
    const std::string_view after = rest.substr(at + 6);
    if (!after.starts_with("是") && !after.starts_with("在") && !after.starts_with("：") &&
        !IsAsciiDigit(static_cast<unsigned char>(after.empty() ? ' ' : after[0])))
      return false;
    return Add(subject_, "birthday", date_in(after));
  }
  const bool born =
      Holds(rest, {"出生", "生于"}) || (rest.ends_with("生的") && rest.starts_with("是"));
  if (!born) return false;
  bool any = false;
  const std::string date = date_in(rest);
  if (!date.empty()) {
    const bool year = date.find("月") == date.npos;
    any = Add(subject_, year ? "birth year" : "birthday", date);
  }
  for (std::string_view lead : {"出生在", "出生于", "生于", "生在"}) {
    const auto at = rest.find(lead);
    if (at == rest.npos) continue;
    const std::string_view place = Place(rest.substr(at + lead.size()));
    if (place.empty() || place.find("年") != place.npos || place.find("月") != place.npos) continue;
    any |= Add(subject_, "birthplace", place);
    break;
  }
  return any;
}

bool ChineseReader::Homes(std::string_view rest, ClaimKind kind, std::string_view whole) {
  const bool ended = Holds(whole, {"不住在", "不在", "不再住"}) &&
                     (whole.ends_with("了") || Holds(whole, {"不再"}));
  if (ended && Holds(whole, {"住"})) {
    const auto at = whole.find("住在");
    const std::string_view place = at == whole.npos ? "" : Place(whole.substr(at + 6));
    return Add(subject_, "home", place.empty() ? "home" : place, ClaimKind::kEnded);
  }
  // 从上海搬到杭州
  if (rest.starts_with("从") || rest.starts_with("由")) {
    const auto at = rest.find("搬");
    if (at == rest.npos) {
      if (rest.ends_with("毕业") || Holds(rest, {"毕业了"})) return false;
      const auto came = rest.find("来");
      if (rest.ends_with("来的") && came != rest.npos) {
        const std::string_view place = Trimmed(rest.substr(3, came - 3));
        return CountCodePoints(place) <= 6 && Add(subject_, "hometown", place);
      }
      return false;
    }
    const std::string_view from = Trimmed(rest.substr(3, at - 3));
    bool any = CountCodePoints(from) >= 2 && CountCodePoints(from) <= 10 &&
               Add(subject_, "home", from, ClaimKind::kFormer);
    std::string_view to = rest.substr(at + 3);
    for (std::string_view lead : {"到了", "到", "去了", "去", "来了", "来", "回了", "回"}) {
      if (!to.starts_with(lead)) continue;
      change_ = true;
      const std::string_view place = Place(to.substr(lead.size()));
      any |= !place.empty() && Add(subject_, "home", place);
      break;
    }
    return any;
  }
  for (std::string_view lead : {"搬到了", "搬到", "搬去了", "搬去", "搬来", "搬回了", "搬回",
                                "搬家到了", "搬家到", "移民到了", "移民到", "定居到"}) {
    if (!rest.starts_with(lead)) continue;
    const std::string_view place = Place(rest.substr(lead.size()));
    if (place.empty()) return false;
    change_ = true;
    return Add(subject_, "home", place, kind);
  }
  for (std::string_view lead : {"住在", "居住在", "定居在", "定居", "家在", "家住", "在"}) {
    if (!rest.starts_with(lead)) continue;
    if (lead == "在") {
      // 在杭州住, 在上海定居, 在杭州生活
      const auto at = std::min({rest.find("生活"), rest.find("定居"), rest.find("居住"),
                                rest.find("住了"), rest.find("长大")});
      if (at == rest.npos) break;
      const std::string_view place = Trimmed(rest.substr(3, at - 3));
      if (CountCodePoints(place) < 2 || CountCodePoints(place) > 10) return false;
      if (rest.substr(at).starts_with("长大")) return Add(subject_, "hometown", place);
      if (Place(place).empty()) return false;
      return Add(subject_, "home", place, kind);
    }
    const std::string_view place = Place(rest.substr(lead.size()));
    return !place.empty() && Add(subject_, "home", place, kind);
  }
  for (std::string_view lead :
       {"老家在", "老家是", "的老家在", "的老家是", "来自", "家乡是", "的家乡是", "家乡在"}) {
    if (!rest.starts_with(lead)) continue;
    const std::string_view place = Place(rest.substr(lead.size()));
    return !place.empty() && Add(subject_, "hometown", place);
  }
  for (std::string_view lead :
       {"的地址是", "家地址是", "的住址是", "家的地址是", "地址是", "的家庭住址是"}) {
    if (!rest.starts_with(lead)) continue;
    return Add(subject_, "address", Trimmed(rest.substr(lead.size())));
  }
  // 我是上海人
  if (rest.starts_with("是") && Trimmed(rest).ends_with("人")) {
    std::string_view place = Trimmed(rest).substr(3);
    place.remove_suffix(3);
    if (place.starts_with("地道的")) place.remove_prefix(9);
    const std::size_t length = CountCodePoints(place);
    const bool other = std::any_of(std::begin(kNotOrigin), std::end(kNotOrigin),
                                   [&](std::string_view word) { return place.ends_with(word); });
    if (length < 2 || length > 4 || other || place.find("的") != place.npos ||
        place.starts_with("一"))
      return false;
    return Add(subject_, place.ends_with("国") ? "nationality" : "hometown", place);
  }
  return false;
}

std::string_view ChineseReader::OrgAttribute(std::string_view org) {
  static constexpr std::string_view kHouses[] = {
      "公司",   "医院", "学校",   "大学", "银行", "局",   "所",   "院",   "厂",     "店",
      "集团",   "中心", "部",     "社",   "台",   "馆",   "中学", "小学", "幼儿园", "工作室",
      "事务所", "机构", "基金会", "部门", "机场", "超市", "餐厅", "酒店", "律所"};
  static constexpr std::string_view kFirms[] = {"阿里", "腾讯", "华为", "字节", "百度",
                                                "京东", "小米", "网易", "美团"};
  // What companies are called after, and towns are not.
  static constexpr std::string_view kTrades[] = {
      "科技", "设计", "软件", "物流", "纺织", "光学", "电子", "传媒",   "文化", "网络",
      "信息", "制药", "建筑", "能源", "贸易", "证券", "保险", "地产",   "汽车", "航空",
      "食品", "制造", "咨询", "资本", "实业", "股份", "动力", "出版社", "医药", "教育",
      "金融", "电器", "机械", "材料", "种业", "工具", "化工", "通信",   "影视", "广告"};
  bool house = IsUpper(DecodeUtf8(org, 0).value);
  for (std::string_view word : kTrades) house |= org.ends_with(word) && org.size() > word.size();
  for (std::string_view word : kHouses) house |= org.ends_with(word);
  for (std::string_view word : kFirms) house |= org.starts_with(word);
  return house ? "employer" : "workplace";
}

bool ChineseReader::Work(std::string_view rest, ClaimKind kind) {
  for (std::string_view lead : {"开了一家", "开了家", "经营着一家", "经营一家"}) {
    if (!rest.starts_with(lead)) continue;
    const std::string_view shop = Trimmed(rest.substr(lead.size()));
    change_ = true;
    return CountCodePoints(shop) >= 2 && CountCodePoints(shop) <= 8 &&
           Add(subject_, "job", fmt::format("开{}", shop), kind, 0.9);
  }
  if (rest.starts_with("退休")) {
    change_ = true;
    return Add(subject_, "job", "退休");
  }
  if (Holds(rest, {"辞职了", "离职了", "失业了", "被裁了", "被裁员", "辞掉了", "辞了职"}) &&
      !Holds(rest, {"想", "打算", "准备"})) {
    std::string_view org;
    if (rest.starts_with("从")) org = Trimmed(Until(rest.substr(3), {"辞职", "离职", "被裁"}));
    if (const auto at = rest.find("的工作"); at != rest.npos && rest.starts_with("辞掉了")) {
      org = Trimmed(rest.substr(9, at - 9));
    }
    Add(subject_, "job", "工作", ClaimKind::kEnded);
    return Add(subject_, "employer", org.empty() ? "单位" : org, ClaimKind::kEnded);
  }
  for (std::string_view lead : {"跳槽到了", "跳槽到", "跳槽去了", "入职了", "入职", "加入了",
                                "就职于", "任职于", "供职于"}) {
    if (!rest.starts_with(lead)) continue;
    const std::string_view org = Trimmed(rest.substr(lead.size()));
    change_ = lead != "就职于" && lead != "任职于" && lead != "供职于";
    if (CountCodePoints(org) < 2 || CountCodePoints(org) > 14) return false;
    return Add(subject_, "employer", org, kind);
  }
  // 在…工作, 在…当老师
  if (rest.starts_with("在") || rest.starts_with("是在")) {
    const std::string_view body = rest.substr(rest.starts_with("是在") ? 6 : 3);
    for (std::string_view verb : {"工作", "上班", "任职", "实习", "教书", "打工"}) {
      const auto at = body.find(verb);
      if (at == body.npos || at == 0) continue;
      // 考虑工作上的问题, 思考换工作: no place where one works.
      const std::string_view after = body.substr(at + verb.size());
      if (!after.empty() && !after.starts_with("了") && !after.starts_with("过") &&
          !after.starts_with("多年") && !after.starts_with("已经") && !after.starts_with("很多年"))
        return false;
      const std::string_view org = Trimmed(body.substr(0, at));
      if (CountCodePoints(org) < 2 || CountCodePoints(org) > 14 ||
          Holds(org, {"考虑", "思考", "换", "找", "这个", "一个", "准备", "行业", "家里", "这里",
                      "那里", "这边", "努力", "做", "当", "，"}) ||
          org == "家")
        return false;
      if (Holds(rest, {"不再"})) return false;
      return Add(subject_, OrgAttribute(org), org, kind);
    }
    for (std::string_view verb : {"当", "做", "担任"}) {
      const auto at = body.find(verb);
      if (at == body.npos || at == 0) continue;
      const std::string_view job = Job(body.substr(at + verb.size()));
      if (job.empty()) continue;
      const std::string_view org = Trimmed(body.substr(0, at));
      if (CountCodePoints(org) >= 2 && CountCodePoints(org) <= 14) {
        Add(subject_, OrgAttribute(org), org, kind);
      }
      return Add(subject_, "job", job, kind);
    }
    return false;
  }
  for (std::string_view lead :
       {"是", "当了", "当上了", "当", "做了", "做", "担任", "的工作是", "的职业是", "职业是",
        "工作是", "成为了", "成了", "升为", "转行做了", "转行做", "改行做"}) {
    if (!rest.starts_with(lead)) continue;
    if (lead != "是" && lead != "当" && lead != "做" && lead != "担任" && !lead.ends_with("是")) {
      change_ = true;
    }
    std::string_view body = rest.substr(lead.size());
    const std::string_view job = Job(body);
    if (job.empty()) {
      // 是做设计的
      if (lead == "是" && body.starts_with("做") && body.ends_with("的") && body.size() <= 30) {
        const std::string_view field = Trimmed(body.substr(3));
        return CountCodePoints(field) >= 2 && Add(subject_, "field of work", field, kind);
      }
      continue;
    }
    // 是阿里的工程师, 是一家医院的护士
    const auto of = job.rfind("的");
    if (of != job.npos && of > 0 && of + 3 < job.size()) {
      const std::string_view org = Trimmed(job.substr(0, of));
      if (Holds(org, {"我", "你", "他", "她"})) return false;
      if (Holds(org, {"公司", "医院", "学校", "大学", "银行", "中学", "小学", "集团", "局"})) {
        Add(subject_, "employer", org, kind);
      }
      return Add(subject_, "job", job.substr(of + 3), kind);
    }
    return Add(subject_, "job", job, kind);
  }
  if (rest.starts_with("从事")) {
    const std::string_view field = Trimmed(Until(rest.substr(6), {"行业", "工作", "，"}));
    return CountCodePoints(field) >= 2 && CountCodePoints(field) <= 10 &&
           Add(subject_, "field of work", field, kind);
  }
  return false;
}

bool ChineseReader::Studies(std::string_view rest, ClaimKind kind) {
  if (rest.starts_with("毕业于")) {
    const std::string_view school = Trimmed(rest.substr(9));
    return CountCodePoints(school) >= 3 && Add(subject_, "school", school);
  }
  if (const auto at = rest.find("毕业"); at != rest.npos && rest.starts_with("从")) {
    const std::string_view school = Trimmed(rest.substr(3, at - 3));
    return CountCodePoints(school) >= 3 && CountCodePoints(school) <= 16 &&
           Add(subject_, "school", school);
  }
  for (std::string_view lead :
       {"的专业是", "专业是", "主修的是", "主修", "学的是", "读的是", "大学学的是"}) {
    if (!rest.starts_with(lead)) continue;
    const std::string_view major = Trimmed(Until(rest.substr(lead.size()), {"专业", "，"}));
    return CountCodePoints(major) >= 2 && CountCodePoints(major) <= 14 &&
           Add(subject_, "studies", major, kind);
  }
  if (rest.starts_with("在")) {
    const std::string_view body = rest.substr(3);
    for (std::string_view school : {"大学", "学院", "中学", "高中", "小学", "初中", "幼儿园"}) {
      const auto at = body.find(school);
      if (at == body.npos) continue;
      std::string_view after = body.substr(at + school.size());
      const std::string_view name = body.substr(0, at + school.size());
      for (std::string_view verb : {"读", "念", "上学", "学", "攻读", "就读"}) {
        if (!after.starts_with(verb)) continue;
        if (CountCodePoints(name) > 14) return false;
        if (at > 0) Add(subject_, "school", name, kind);
        const std::string_view major = Trimmed(after.substr(verb.size()));
        if (CountCodePoints(major) >= 2 && CountCodePoints(major) <= 10 && verb != "上学" &&
            !Holds(major, {"书", "了"})) {
          Add(subject_, "studies", major, kind);
        }
        return true;
      }
    }
    // 在美国读博士
    for (std::string_view degree : {"博士", "硕士", "研究生", "本科", "大学", "高中", "博士后"}) {
      for (std::string_view verb : {"读", "念", "上"}) {
        const std::string what = fmt::format("{}{}", verb, degree);
        const auto at = body.find(what);
        if (at != body.npos && at > 0 && Trimmed(body.substr(at)) == what) {
          return Add(subject_, "studies", degree, kind, 0.9);
        }
      }
    }
    for (std::string_view verb : {"学", "自学", "学习"}) {
      if (!body.starts_with(verb) || body.starts_with("学校")) continue;
      const std::string_view what =
          Trimmed(body.substr(verb == "学" && body.starts_with("学习") ? 6 : verb.size()));
      if (CountCodePoints(what) < 2 || CountCodePoints(what) > 10 || what.starts_with("习") ||
          what.starts_with("一门新") || what.starts_with("一项") || what.starts_with("新的"))
        continue;
      return Add(subject_, "learning", what, kind, 0.9);
    }
  }
  for (std::string_view lead : {"开始学", "刚开始学", "在学", "报名学"}) {
    if (!rest.starts_with(lead)) continue;
    std::string_view what = rest.substr(lead.size());
    if (what.starts_with("习")) what.remove_prefix(3);
    what = Trimmed(what);
    return CountCodePoints(what) >= 2 && CountCodePoints(what) <= 10 &&
           Add(subject_, "learning", what, kind, 0.9);
  }
  for (std::string_view lead : {"读", "上", "念"}) {
    if (!rest.starts_with(lead)) continue;
    const std::string_view what = Trimmed(rest.substr(3));
    static constexpr std::string_view kGrades[] = {
        "大一",   "大二",   "大三",   "大四",       "研一",      "研二",   "研三", "研究生",
        "博士",   "硕士",   "高一",   "高二",       "高三",      "初一",   "初二", "初三",
        "一年级", "二年级", "三年级", "四年级",     "五年级",    "六年级", "小学", "初中",
        "高中",   "幼儿园", "大学",   "小学一年级", "小学三年级"};
    for (std::string_view grade : kGrades) {
      if (what == grade || (what.starts_with(grade) && what.size() <= grade.size() + 9)) {
        return Add(subject_, "studies", what, kind, 0.9);
      }
    }
  }
  return false;
}

bool ChineseReader::Health(std::string_view rest, ClaimKind kind) {
  if (const auto at = rest.find("过敏"); at != rest.npos) {
    std::string_view what;
    const auto to = rest.substr(0, at).rfind("对");
    const bool denied =
        Holds(rest.substr(0, at), {"不对", "没对", "不再对"}) || rest.substr(0, at).ends_with("不");
    if (to != rest.npos) {
      what = rest.substr(to + 3, at - to - 3);
    } else {
      what = rest.substr(0, at);
      for (std::string_view lead : {"有", "是", "会", "严重"}) {
        if (what.starts_with(lead)) what.remove_prefix(lead.size());
      }
      if (CountCodePoints(what) > 6) return false;
    }
    bool any = false;
    for (std::string_view tail : {"严重", "会", "都", "很", "也", "不", "有点", "轻微"}) {
      while (what.ends_with(tail)) what.remove_suffix(tail.size());
    }
    for (std::size_t begin = 0; begin < what.size();) {
      std::size_t end = what.size(), skip = 0;
      for (std::string_view join : {"、", "和", "以及", "还有", "跟"}) {
        const auto found = what.find(join, begin);
        if (found != what.npos && found > begin && found < end) end = found, skip = join.size();
      }
      any |= Add(subject_, "allergy", what.substr(begin, end - begin),
                 denied ? ClaimKind::kEnded : kind);
      begin = end + std::max<std::size_t>(skip, 1);
      if (end == what.size()) break;
    }
    return any;
  }
  if (rest.starts_with("吃素") || rest.starts_with("是素食") || rest.starts_with("吃全素")) {
    return Add(subject_, "diet", "素食", kind);
  }
  if (rest.starts_with("怀孕")) return Add(subject_, "condition", "怀孕", kind);
  if (rest.starts_with("血型是") || rest.starts_with("的血型是")) {
    return Add(subject_, "blood type", rest.substr(rest.find("是") + 3));
  }
  bool verb = false;
  std::string_view body = rest;
  for (std::string_view lead : {"有点", "有", "患有", "患了", "得了", "查出了", "查出", "被诊断为",
                                "被诊断出", "被确诊为", "确诊了", "确诊", "得过"}) {
    if (!rest.starts_with(lead)) continue;
    body = rest.substr(lead.size());
    verb = true;
    break;
  }
  if (verb || rest.starts_with("乳糖不耐受")) {
    std::string_view best;
    for (std::string_view condition : words::kChineseConditions) {
      const auto at = body.find(condition);
      if (at != body.npos && at <= 12 && condition.size() > best.size()) best = condition;
    }
    if (!best.empty()) return Add(subject_, "condition", best, kind);
  }
  for (std::string_view lead : {"在吃", "吃着", "每天吃", "服用", "在服用", "吃", "打"}) {
    if (!rest.starts_with(lead)) continue;
    const std::string_view what = Trimmed(rest.substr(lead.size()));
    const bool drug = what.ends_with("药") || what.ends_with("片") || what.ends_with("胶囊") ||
                      what.ends_with("胰岛素") || what.ends_with("双胍") ||
                      what.ends_with("沙坦") || what.ends_with("他汀") || what.ends_with("激素");
    if (drug && CountCodePoints(what) >= 3 && CountCodePoints(what) <= 12 &&
        !what.starts_with("了")) {
      return Add(subject_, "medication", what, kind);
    }
  }
  return false;
}

bool ChineseReader::Each(std::string_view what, std::string_view attribute, ClaimKind kind,
                         double confidence) {
  bool any = false;
  for (std::size_t begin = 0; begin < what.size();) {
    std::size_t end = what.size(), skip = 0;
    for (std::string_view join : {"、", "和", "以及", "还有", "跟"}) {
      const auto found = what.find(join, begin);
      if (found != what.npos && found > begin && found < end) end = found, skip = join.size();
    }
    const std::string_view part = what.substr(begin, end - begin);
    if (CountCodePoints(part) <= 14) any |= Add(subject_, attribute, part, kind, confidence);
    if (end == what.size()) break;
    begin = end + skip;
  }
  return any;
}

bool ChineseReader::Tastes(std::string_view rest, bool most) {
  for (std::string_view lead : {"的爱好是", "爱好是", "的兴趣是", "的爱好有", "爱好"}) {
    if (rest.starts_with(lead)) {
      return Each(rest.substr(lead.size()), "hobby", ClaimKind::kHolds, 1);
    }
  }
  bool negated = false, again = false;
  for (std::string_view no :
       {"不再", "已经不", "再也不", "不太", "不怎么", "不大", "不是很", "不能", "不可以", "不"}) {
    if (!rest.starts_with(no)) continue;
    negated = true;
    again = no == "不再" || no == "已经不" || no == "再也不";
    rest.remove_prefix(no.size());
    break;
  }
  // 最喜欢的颜色是蓝色
  if (!negated) {
    for (std::string_view lead : {"最喜欢的", "最爱的", "喜欢的", "爱的"}) {
      if (!rest.starts_with(lead)) continue;
      if (!most && !lead.starts_with("最")) break;
      const std::string_view body = rest.substr(lead.size());
      const auto is = body.find("是");
      if (is == body.npos || is == 0 || is > 18) return false;
      const std::string_view what = body.substr(0, is);
      const std::string_view value = Trimmed(body.substr(is + 3));
      if (CountCodePoints(value) > 14 || what == "就") return false;
      return Add(subject_, fmt::format("favourite {}", what), value);
    }
  }
  std::string_view verb;
  for (std::string_view like : {"喜欢",   "热爱",   "爱吃", "爱喝", "爱看",   "爱听", "爱玩",
                                "偏爱",   "迷上了", "迷上", "钟爱", "爱上了", "酷爱", "讨厌",
                                "受不了", "害怕",   "怕",   "恨",   "吃",     "喝",   "爱"}) {
    if (rest.starts_with(like)) {
      verb = like;
      break;
    }
  }
  if (verb.empty()) return false;
  if (!negated && (verb == "吃" || verb == "喝" || verb == "怕" || verb == "害怕")) {
    if (!most && verb != "怕") return false;
    if (verb == "怕" && !Holds(clause_, {"最怕"})) return false;
  }
  std::string_view what = rest.substr(verb.size());
  if (verb == "爱" && !negated) {
    // 爱运动, not 爱你, 爱人.
    if (what.starts_with("人") || what.starts_with("好") || what.starts_with("情")) return false;
  }
  if (what.starts_with("上了")) what.remove_prefix(6);
  const bool stopped = what.ends_with("了");
  what = Trimmed(Until(what, {"因为", "但", "所以"}));
  static constexpr std::string_view kNot[] = {"你", "您",   "这",   "那",   "它",   "她",   "他",
                                              "过", "我",   "什么", "哪",   "自己", "大家", "就",
                                              "的", "里面", "其中", "上面", "刚才", "一下"};
  for (std::string_view word : kNot) {
    if (what.starts_with(word)) return false;
  }
  if (CountCodePoints(what) < 1 || CountCodePoints(what) > 20) return false;
  const bool dislike =
      verb == "讨厌" || verb == "受不了" || verb == "怕" || verb == "害怕" || verb == "恨";
  std::string value(what);
  if (verb == "爱吃" || verb == "爱喝" || verb == "爱看" || verb == "爱听" || verb == "爱玩") {
    value = std::string(verb.substr(3)) + value;
  }
  const ClaimKind kind = former_ ? ClaimKind::kFormer : ClaimKind::kHolds;
  if (negated && dislike) return false;
  if (negated && (verb == "吃" || verb == "喝")) {
    if (value == "饭" || value == "早饭" || value == "下" || value.starts_with("下") ||
        value.starts_with("完") || value.starts_with("起"))
      return false;
    if (again || stopped) {
      change_ = true;
      Each(what, "likes", ClaimKind::kEnded, 0.9);
    }
    return Each(what, "avoids", ClaimKind::kHolds, 0.9);
  }
  if (negated) {
    if (again || stopped) return Each(value, "likes", ClaimKind::kEnded, 1);
    return Each(value, "dislikes", ClaimKind::kHolds, 1);
  }
  return Each(value, dislike ? "dislikes" : "likes", kind, 1);
}

bool ChineseReader::Love(std::string_view rest) {
  if (Holds(rest, {"想", "打算", "准备", "要不要", "不结婚", "没结婚", "想要"})) return false;
  // 和王芳结婚
  if (rest.starts_with("和") || rest.starts_with("跟") || rest.starts_with("与")) {
    const std::string_view name = NameAt(rest.substr(3), false);
    for (const auto& [word, state] :
         {words::Pair{"结婚", "married"}, {"订婚", "engaged"}, {"在一起", "in a relationship"}}) {
      const auto at = rest.find(word);
      if (at == rest.npos || at > 21) continue;
      const std::string_view who = Trimmed(rest.substr(3, at - 3));
      change_ = true;
      if (CountCodePoints(who) >= 2 && CountCodePoints(who) <= 4 &&
          !Holds(who, {"他", "她", "女朋友", "男朋友", "老公", "老婆"})) {
        Add(subject_, "partner", who);
      }
      return Add(subject_, "relationship", state);
    }
    for (std::string_view word : {"分手了", "离婚了", "分开了"}) {
      const auto at = rest.find(word);
      if (at == rest.npos) continue;
      change_ = true;
      Add(subject_, "partner", Trimmed(rest.substr(3, at - 3)), ClaimKind::kEnded);
      return Add(subject_, "relationship", word == "离婚了" ? "divorced" : "single");
    }
    (void)name;
    return false;
  }
  for (const auto& [word, state] : {words::Pair{"结婚了", "married"},
                                    {"已婚", "married"},
                                    {"结了婚", "married"},
                                    {"结婚", "married"},
                                    {"离婚了", "divorced"},
                                    {"离了婚", "divorced"},
                                    {"单身", "single"},
                                    {"是单身", "single"},
                                    {"订婚了", "engaged"},
                                    {"分手了", "single"},
                                    {"还没结婚", "single"},
                                    {"未婚", "single"}}) {
    if (!rest.starts_with(word)) continue;
    // 结婚纪念日, 结婚照
    const std::string_view after = rest.substr(std::string_view(word).size());
    if (std::string_view(word) == "结婚" && !after.empty() && !after.starts_with("了") &&
        !after.starts_with("快") && !after.starts_with("已") && !Holds(after, {"年"}))
      return false;
    if (std::string_view(word) == "分手了") Add(subject_, "partner", "对象", ClaimKind::kEnded);
    change_ = std::string_view(word).ends_with("了");
    return Add(subject_, "relationship", state);
  }
  return false;
}

bool ChineseReader::Relatives(std::string_view rest, ClaimKind kind) {
  if (rest.starts_with("是我的") || rest.starts_with("是我")) {
    std::size_t end = 0;
    const std::string_view body = rest.substr(rest.starts_with("是我的") ? 9 : 6);
    const std::string_view relation = Relation(body, &end);
    if (!relation.empty() && !subject_.self && Trimmed(body.substr(end)).empty() &&
        subject_.name.find("'s ") == std::string::npos) {
      return Add(Self(), relation, subject_.name);
    }
    return false;
  }
  if (!rest.starts_with("有") && !rest.starts_with("生了")) return false;
  std::string_view body = rest.substr(rest.starts_with("生了") ? 6 : 3);
  if (body.starts_with("了")) body.remove_prefix(3);
  const std::string_view things = AfterQuantity(body);
  const std::string_view count = body.substr(0, body.size() - things.size());
  if (count.empty() && !body.starts_with("女朋友") && !body.starts_with("男朋友")) return false;
  std::size_t end = 0;
  std::string_view kin = things;
  std::string_view relation = Relation(kin, &end);
  if (relation.empty()) {
    for (std::string_view child : {"孩子", "小孩", "宝宝", "娃"}) {
      if (things.starts_with(child)) {
        return Add(subject_, "child", body.substr(0, count.size() + child.size()), kind);
      }
    }
    return false;
  }
  std::string_view after = kin.substr(end);
  if (after.starts_with("，")) after.remove_prefix(3);
  if (after.starts_with("叫")) {
    const std::string_view name = NameAt(after.substr(3), false);
    if (!name.empty()) {
      reader_.last_person = std::string(name);
      return Add(subject_, relation, name, kind);
    }
  }
  if (!after.empty() && !after.starts_with("了") && !after.starts_with("在") &&
      !after.starts_with("和"))
    return false;
  reader_.last_person = RelationSubject(subject_.name, relation);
  const bool one =
      count.starts_with("一") || count.starts_with("1") || count.starts_with("个") || count.empty();
  return Add(subject_, relation, one ? kin.substr(0, end) : body.substr(0, count.size() + end),
             kind);
}

bool ChineseReader::Things(std::string_view rest, ClaimKind kind) {
  if (subject_.pet) {
    if (Holds(rest, {"去世了", "走了", "死了", "不在了", "离开了我们"})) {
      const std::string owner = RelationSubject(reader_.speaker, "");
      const std::string name =
          subject_.name.starts_with(owner) ? subject_.name.substr(owner.size()) : subject_.name;
      return Add(Self(), "pet", name, ClaimKind::kEnded);
    }
    return false;
  }
  std::string_view filed;
  if (rest.starts_with("把") || rest.starts_with("卖掉了") || rest.starts_with("卖了")) {
    const bool gone = Holds(rest, {"卖了", "卖掉", "送人了", "送给", "弄丢了", "捐了", "扔了"});
    const std::string_view body = rest.substr(rest.starts_with("把") ? 3 : rest.find("了") + 3);
    std::string_view cut = Until(body, {"卖", "送", "弄丢", "捐", "扔"});
    for (std::string_view lead :
         {"我的", "那辆", "那台", "那把", "那架", "旧", "自己的", "原来的"}) {
      if (cut.starts_with(lead)) cut.remove_prefix(lead.size());
    }
    const std::string_view thing = ThingIn(cut, &filed);
    if (!gone || thing.empty()) return false;
    return Add(subject_, filed, AfterQuantity(thing), ClaimKind::kEnded);
  }
  // 不养狗了, 没有车了
  for (std::string_view lead : {"不养", "没有", "没", "不再养", "不开", "不弹"}) {
    if (!rest.starts_with(lead)) continue;
    const std::string_view thing = ThingIn(rest.substr(lead.size()), &filed);
    if (thing.empty()) return false;
    return Add(subject_, filed, AfterQuantity(thing), ClaimKind::kEnded);
  }
  for (std::string_view lead :
       {"养了",   "养过",   "养着",   "养",       "有了",   "有",       "买了",     "收养了",
        "领养了", "入手了", "换了",   "换成了",   "开的是", "开着",     "开",       "骑",
        "用的是", "用",     "会弹",   "弹",       "会拉",   "拉",       "会吹",     "吹",
        "会打",   "打",     "在学弹", "的手机是", "的车是", "的电脑是", "的相机是", "手机是"}) {
    if (!rest.starts_with(lead)) continue;
    std::string_view body = rest.substr(lead.size());
    const bool plays = lead.ends_with("弹") || lead.ends_with("拉") || lead.ends_with("吹") ||
                       lead.ends_with("打");
    ClaimKind as = lead == "养过" ? ClaimKind::kFormer : kind;
    change_ |= lead == "换了" || lead == "换成了";
    std::string_view named;
    if (const auto called = body.find("叫"); called != body.npos && called > 0) {
      named = NameAt(body.substr(called + 3), false);
      body = body.substr(0, called);
    }
    for (std::string_view tail : {"，", "名字", "，名"}) {
      if (body.ends_with(tail)) body.remove_suffix(tail.size());
    }
    const std::string_view thing = ThingIn(body, &filed);
    if (thing.empty()) return false;
    if (plays && filed != "instrument") return false;
    if ((lead == "养" || lead == "养了" || lead == "养着") && filed != "pet" &&
        filed != "belonging")
      return false;
    if (lead == "开" && filed != "car") return false;
    if (lead == "骑" && filed != "vehicle") return false;
    if ((lead == "用" || lead == "有") && body.size() > thing.size() + 6) return false;
    std::string_view what = AfterQuantity(thing);
    // 两只猫 keeps its count.
    if (body.starts_with("两") || body.starts_with("三") || body.starts_with("2") ||
        body.starts_with("3")) {
      what = thing;
    }
    if (CountCodePoints(what) > 14 || Holds(what, {"，", "的时候", "因为"})) return false;
    if (filed == "pet" && !named.empty()) {
      reader_.last_person = std::string(named);
      return Add(subject_, "pet", fmt::format("{}（{}）", named, AfterQuantity(thing)), as);
    }
    return Add(subject_, filed, what, as, 0.95);
  }
  return false;
}

bool ChineseReader::Plans(std::string_view rest) {
  if (!subject_.self || former_) return false;
  for (std::string_view lead :
       {"要搬到", "要搬去", "打算", "计划", "准备", "决定", "要去", "想去", "想要去", "即将"}) {
    if (!rest.starts_with(lead)) continue;
    std::string_view what = rest.substr(lead.size());
    if (what.starts_with("好") || what.starts_with("了")) what.remove_prefix(3);
    what = Trimmed(what);
    if (lead.ends_with("去")) what = Trimmed(rest.substr(lead.size() - 3));
    if (lead.starts_with("要搬")) what = Trimmed(rest.substr(3));
    const std::size_t length = CountCodePoints(what);
    // 准备去吃饭了: of the next hour.
    if (Holds(what, {"吃饭", "晚饭", "午饭", "睡觉", "休息", "晚餐", "洗澡", "忙"}) ||
        Holds(clause_, {"现在", "马上要"}))
      return false;
    return length >= 3 && length <= 24 && Add(subject_, "plan", what, ClaimKind::kHolds, 0.85);
  }
  return false;
}

}  // namespace liubai::memory
