// Names of people, organisations and places in Chinese: by family name, by what they end in, by
// what stands before them.
#include <algorithm>

#include "memory/ledger_gazetteer.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/lexicon.h"

namespace liubai::memory {

using words::Has;

namespace {

// A name of a place or an organisation begins behind these and holds none of them.
constexpr std::string_view kOutside =
    "在到去从给是和与跟我你他她它这那个有没不来的了也就都住读考进于被对向叫过回往经离至由把每几某"
    "很说逛游爬看坐乘走见约送接开找买租靠近距得着吗呢吧啊要想能会可以已还再又只刚正里上下前后边旁"
    "请让帮等同并且但因为所家店条座间处片位名号";
constexpr std::string_view kAfterPlace = "的市县区站人有在来去到坐出开那这话菜";
// Family names that are everyday words as well.
constexpr std::string_view kWeakSurnames = "高白黄金江石方马毛钱龙段万文武史任范何许曾康汤夏钟季时";
constexpr std::string_view kRareSurnames =
    "裴贝柯关苗凌霍游阮柳翁庄詹申施盛童颜辛章鲁葛祝左齐舒屈毕聂鲍管骆卜荣季殷靳祁柏瞿项席麦蓝尚甘涂"
    "闫沙冉桑班欧牛向路付佟蒲覃冼巩岑耿匡寇";

}  // namespace

// No part of a name at `i`; 和 is one in 协和, 和平.
bool DetailScanner::OutsideName(std::size_t i) const {
  if (!IsCjkIdeograph(at(i))) return true;
  if (at(i) == U'和' &&
      (InList(at(i - 1), "协祥颐太人中永温共平仁") || InList(at(i + 1), "平谐睦悦")))
    return false;
  return InList(at(i), kOutside);
}

bool DetailScanner::EndsGiven(std::int32_t c) const {
  return !IsCjkIdeograph(c) || InList(c, words::kNotGiven);
}

std::size_t DetailScanner::Title(std::size_t i) const {
  for (std::string_view title : words::kChineseTitles) {
    if (!Is(i, title)) continue;
    if (title == "总" && !EndsGiven(at(i + 1)) && at(i + 1) != U'说') continue;
    return i + CountCodePoints(title);
  }
  return i;
}

// What is said to be called so: past it, or `i`. Sets `*place` where its end says that it is one.
std::size_t DetailScanner::ChineseCalled(std::size_t i, bool* place) const {
  std::size_t end = i;
  while (end < i + 8 && IsCjkIdeograph(at(end)) &&
         !InList(at(end), "的了是在和与跟也今吗吧呢啊我你"))
    ++end;
  // A short clause is the whole name; of a longer one the family name must tell.
  if (!ClauseEndsAt(end) || end - i < 2) {
    end = i;
    while (end < i + 4 && !EndsGiven(at(end))) ++end;
  }
  for (std::size_t from = i + 2; from < end; ++from) {
    if (PastAny(from, words::kChinesePlaceEnds) == end) *place = true;
  }
  if (end - i > 4 && !*place) return i;
  return end - i >= 2 ? end : i;
}

// Past a place at `i` that is known, or whose end says so, with its house number.
std::size_t DetailScanner::ChinesePlace(std::size_t i) const {
  static constexpr std::string_view kNot[] = {"大同小异", "大理石", "长春花", "中山装", "开封了",
                                              "上海话",   "日本料", "天津饭", "开封后"};
  if (PastAny(i, kNot) > i) return i;
  std::size_t end = PastAny(i, words::kChinesePlaces);
  const std::size_t listed =
      i + CountCodePoints(text_.substr(offset_[i], ChinesePlaceBytes(text_.substr(offset_[i]))));
  if (listed > end && !IsChineseWord(Bytes(i - 1, i + 1)) &&
      (!IsChineseWord(Bytes(listed - 1, listed + 1)) || InList(at(listed), kAfterPlace)))
    end = listed;
  const std::size_t known = end;
  const bool inside = i > 0 && IsCjkIdeograph(at(i - 1)) && !InList(at(i - 1), kOutside);
  // After a known place, or up to six characters after what may stand before a name.
  std::size_t suffix = i;
  if (known > i || !inside) {
    for (std::size_t n = known > i ? known - i : 2; n <= 6; ++n) {
      bool clean = true;
      for (std::size_t k = known > i ? known : i; k < i + n; ++k) clean &= !OutsideName(k);
      if (!clean) break;
      std::size_t past = PastAny(i + n, words::kChinesePlaceEnds);
      // 春熙苑4栋: by its block.
      if (past == i + n && InList(at(i + n), "苑府园庭邸湾居") && n <= 4) {
        static constexpr std::string_view kBlocks[] = {"栋", "号楼", "幢", "号院", "座"};
        const std::size_t block = Digits(i + n + 1, 3);
        if (block > i + n + 1 && PastAny(block, kBlocks) > block) past = i + n + 1;
      }
      if (past == i + n) continue;
      const std::int32_t first = at(i + n), before = at(i + n - 1), next = at(past);
      if (Has(words::kChineseKinds, Bytes(i, i + n))) continue;
      // 公路, 超市, 小区 and the like are kinds of places; 路由, 市场 are other words.
      const bool one = past == i + n + 1;
      if (one && first == U'路' &&
          (InList(before, "公马铁道网线思出退半问带迷铺赶绕拦顺修套岔弯") ||
           InList(next, "由线程况费径")))
        continue;
      if (one && first == U'街' && InList(before, "大老业行商美")) continue;
      if (one && first == U'区' &&
          (InList(before, "小社地园宅发景山郊市城误专禁时战灾校学片辖") ||
           InList(next, "别域间分块")))
        continue;
      if (one && first == U'市' &&
          (InList(before, "超城股菜早夜集门都楼") || InList(next, "场民区面值")))
        continue;
      if (one && first == U'省' && InList(next, "钱事下得电油心")) continue;
      if (one &&
          (first == U'山' || first == U'湖' || first == U'岛' || first == U'村' || first == U'镇' ||
           first == U'县') &&
          (InList(before, "登火冰假江人工半小农乡大高雪深") || (n < 2 && before == U'城') ||
           InList(next, "水脉区东西民")))
        continue;
      suffix = past;
    }
  }
  end = std::max(end, suffix);
  if (end == i) return i;
  // 广州南: a station of the town.
  if (end == known && InList(at(end), "东西南北") &&
      (ClauseEndsAt(end + 1) || InList(at(end + 1), "站的出上下")) && at(end + 1) != U'方' &&
      !IsChineseWord(Bytes(end, end + 2)))
    ++end;
  // 虹桥站
  if (end == known && at(end) == U'站' && !InList(at(end + 1), "在着起立出住稳")) suffix = ++end;
  // 18号, 99弄6号, 3号楼
  while (true) {
    const std::size_t number = AnyNumber(SkipBlanks(end));
    if (number == SkipBlanks(end)) break;
    static constexpr std::string_view kParts[] = {"号楼", "号院", "号", "弄",
                                                  "栋",   "单元", "室", "层"};
    const std::size_t part = PastAny(number, kParts);
    if (part == number || suffix != end) {
      if (part == number || suffix == i) break;
    }
    end = part;
    suffix = end;
  }
  // 7栋2单元1503: the door.
  if (InList(at(end - 1), "楼栋元座院号")) {
    const std::size_t door = Digits(SkipBlanks(end), 5);
    if (door >= SkipBlanks(end) + 3 && door <= SkipBlanks(end) + 4 && !IsAsciiWord(at(door)) &&
        PastAny(door, words::kChineseMoney) == door)
      return Is(door, "室") ? door + 1 : door;
  }
  return end;
}

// 市二院, 实验二小: a school or a hospital by its number.
std::size_t DetailScanner::NumberedHouse(std::size_t i) const {
  static constexpr std::string_view kOf[] = {"市",   "省",   "县",   "区",   "实验", "师大",
                                             "附属", "中铁", "中建", "中交", "中冶"};
  std::size_t number = PastAny(i, kOf);
  if (number == i) number = PastAny(i, words::kChinesePlaces);
  if (number == i || (i > 0 && IsChineseWord(Bytes(i - 1, i + 1)))) return i;
  std::size_t end = number;
  while (end < number + 2 && ChineseDigit(at(end)) > 0) ++end;
  if (at(end) == U'十') ++end;
  if (end == number) return i;
  static constexpr std::string_view kHouses[] = {"小学", "中学", "医院", "小",
                                                 "中",   "院",   "幼",   "局"};
  const std::size_t past = PastAny(end, kHouses);
  return past > end && !IsChineseWord(Bytes(past - 1, past + 1)) ? past : i;
}

std::size_t DetailScanner::ChineseOrganisation(std::size_t i) const {
  if (const std::size_t end = NumberedHouse(i); end > i) return end;
  static constexpr std::string_view kRegions[] = {"华中", "华东", "华南", "华北", "西南",
                                                  "西北", "东北", "中国", "中央", "国家"};
  const bool known = PastAny(i, words::kChinesePlaces) > i || PastAny(i, kRegions) > i;
  if (!known && i > 0 && IsCjkIdeograph(at(i - 1)) && !InList(at(i - 1), kOutside)) return i;
  for (std::size_t n = 2; n <= 8; ++n) {
    for (std::size_t k = Is(i, "国家") ? i + 2 : i; k < i + n; ++k) {
      if (OutsideName(k)) return i;
    }
    const std::size_t past = PastAny(i + n, words::kChineseOrganisationEnds);
    if (past == i + n) continue;
    // 格式按|华中师大: it begins with the region.
    for (std::size_t k = i + 1; k + 2 <= i + n && !known; ++k) {
      if (PastAny(k, kRegions) > k) return i;
    }
    // 深圳分公司 is one of several.
    if (Has(words::kChineseKinds, Bytes(i, i + n)) || InList(at(i + n - 1), "分子总母")) return i;
    // 杭州第一人民医院: go on while it goes on.
    const std::size_t further = PastAny(past, words::kChineseOrganisationEnds);
    return further > past ? further : past;
  }
  return i;
}

// A family name and one or two characters that given names are made of.
std::size_t DetailScanner::ChinesePerson(std::size_t i) const {
  std::size_t given = PastAny(i, words::kCompoundSurnames);
  const bool compound = given > i;
  if (!compound) {
    if (!InList(at(i), words::kSurnames)) return i;
    given = i + 1;
  }
  if (PastAny(i, words::kNotNamesChinese) > i) return i;
  const bool open = i == 0 || !IsCjkIdeograph(at(i - 1)) ||
                    (!details_.empty() && details_.back().end == offset_[i]);
  const bool led = open || InList(at(i - 1), words::kBeforeNames);
  bool relation = false;
  for (std::string_view lead : words::kPersonLeads) {
    relation |= CountCodePoints(lead) > 1 && Bytes(0, i).ends_with(lead);
  }
  if (!led && !relation) return i;
  const auto is_given = [&](std::size_t at_given) {
    return IsCjkIdeograph(at(at_given)) && InList(at(at_given), words::kGivenCharacters);
  };
  if (!is_given(given)) return i;
  if (compound && !is_given(given + 1)) return given + 1;
  const bool weak = !compound && InList(at(i), kWeakSurnames) && !relation &&
                    !InList(at(given), words::kOnlyGiven);
  const auto bounded = [&](std::size_t end) {
    return !IsCjkIdeograph(at(end)) || InList(at(end), words::kAfterNames) || Title(end) > end ||
           ChineseRelativeDate(end) > end || ChineseDate(end) > end || ChineseTime(end) > end;
  };
  if (is_given(given + 1)) {
    // 王明明天来: the day takes its character back.
    if (ChineseRelativeDate(given + 1) == given + 1 || bounded(given + 2)) return given + 2;
  }
  if (bounded(given + 1) && !(weak && !relation)) return given + 1;
  return i;
}

// 苏妮塔: two to five characters by which foreign names are written, two of them used for little
// else.
std::size_t DetailScanner::ForeignName(std::size_t i) const {
  static constexpr std::string_view kSounds =
      "妮塔娅莎蒂弗姆茜娜菲曼埃艾伊奥丝莱赫黛佩珀维瓦格哈汉卡凯柯科拉兰劳里利琳卢露罗玛迈梅米莫纳尼"
      "帕皮普乔"
      "萨塞舍斯泰汤托沃希西夏辛雅亚尤约詹珍朱苏安贝布达戴德迪多恩尔法费芬弗甘戈古基加杰吉克肯库蕾雷"
      "丽列伦洛"
      "麦门南内诺欧佩奇琼瑞森山沙什史特图翁乌耶易尹扎";
  static constexpr std::string_view kMarks =
      "德哈妮塔娅莎蒂弗姆茜娜菲曼埃艾伊奥丝莱赫黛佩珀蕾莫诺斯萨尔玛";
  const bool open = i == 0 || !IsCjkIdeograph(at(i - 1)) || InList(at(i - 1), words::kBeforeNames);
  if (!open) return i;
  std::size_t end = i;
  int marks = 0;
  while (end < i + 5 && IsCjkIdeograph(at(end)) && InList(at(end), kSounds))
    marks += InList(at(end++), kMarks);
  if (end - i < 2 || marks < (end - i > 2 ? 1 : 2)) return i;
  return !IsCjkIdeograph(at(end)) || InList(at(end), words::kAfterNames) || Title(end) > end ? end
                                                                                             : i;
}

// 小王, 老张, 阿杰, 小美, 乐乐
std::size_t DetailScanner::ChineseNickname(std::size_t i) const {
  const std::int32_t c = at(i), next = at(i + 1), third = at(i + 2);
  const bool open = i == 0 || !IsCjkIdeograph(at(i - 1)) ||
                    InList(at(i - 1), words::kBeforeNames) ||
                    (!details_.empty() && details_.back().end == offset_[i]);
  if ((c == U'小' || c == U'老') && InList(next, words::kSurnames) && next != U'文' &&
      next != U'白' && next != U'高' && !(c == U'小' && InList(next, "康龙熊马程汤金毛石钱江")) &&
      !(c == U'老' && InList(next, "江汤毛龙")) &&
      (i == 0 || !InList(at(i - 1), "大最缩从多不最"))) {
    if (PastAny(i + 1, words::kNotNamesChinese) > i + 1) return i;
    if (EndsGiven(third) || (open && InList(third, words::kAfterNames)) || Title(i + 2) > i + 2)
      return i + 2;
    // 小郑工资涨了: a word of two characters begins behind it.
    if (open && IsCjkIdeograph(third) && !InList(third, words::kGivenCharacters)) return i + 2;
    return i;
  }
  if (c == U'小' && open && InList(next, "明红美芳丽强军刚华兰娟燕玲梅雪雨琴敏静") &&
      InList(third, "说在和跟也要想去来问给让的今昨就把") && !Is(i + 2, "的时") &&
      !Is(i + 2, "在下"))
    return i + 2;
  if (c == U'阿' && IsCjkIdeograph(next) && !InList(next, "姨里拉富根尔司弥胶姆斯联婆公") &&
      (!IsCjkIdeograph(third) || InList(third, words::kAfterNames) || IsChineseNumeral(third) ||
       (open && InList(next, words::kGivenCharacters))))
    return i + 2;
  // 佩珊: characters that hardly stand in any other word.
  if (open && InList(c, words::kOnlyGiven) && InList(next, words::kOnlyGiven) &&
      (!IsCjkIdeograph(third) || InList(third, words::kAfterNames)))
    return i + 2;
  // 乐乐, 朵朵
  if (c == next && open &&
      InList(c, "朵乐欢豆咪圆妞贝毛果糖甜萌琪婷涵佳诺依瑶媛莹丹阳晨露彤畅妮娜") &&
      (!IsCjkIdeograph(third) || InList(third, words::kAfterNames) || EndsGiven(third)) &&
      third != U'雨' && third != U'地')
    return i + 2;
  return i;
}

std::size_t DetailScanner::ChineseName(std::size_t i) {
  if (const std::size_t end = DottedName(i); end > i)
    return Add(DetailKind::kName, i, std::max(end, Title(end)));
  static constexpr std::string_view kCalls[] = {"我的名字是", "名字是", "名字叫", "取名叫", "名叫",
                                                "叫做",       "叫作",   "起名",   "叫",     "我是",
                                                "姓名是",     "牌子是", "品牌是"};
  for (std::string_view call : kCalls) {
    if (!Is(i, call)) continue;
    const std::size_t begin = i + CountCodePoints(call);
    if (call == "叫" && i > 0 && InList(at(i - 1), "请别大喊呼尖嚎惨吼怪")) break;
    if (call == "我是" && !InList(at(begin), words::kSurnames)) break;
    if (ChineseFile(begin) > begin) return begin;
    if (InList(at(begin), "我你他她它什啥车外人醒号苦停板来去一大")) break;
    bool place = false;
    std::size_t end = call == "我是" ? begin : ChineseCalled(begin, &place);
    if (call == "我是") {
      while (end < begin + 3 && !EndsGiven(at(end))) ++end;
    }
    if (end - begin >= 2 || (end - begin == 1 && call == "我是" && Title(end) > end)) {
      if (const std::size_t title = Title(end); title > end) end = title;
      return Add(place ? DetailKind::kPlace : DetailKind::kName, begin, end);
    }
    // Latin names after 叫: "叫Mimi".
    if (IsUpper(at(begin))) return Add(DetailKind::kName, begin, WordEnd(begin));
    return begin;
  }
  if (const std::size_t end = ChineseOrganisation(i); end > i)
    return Add(DetailKind::kName, i, end);
  if (const std::size_t end = ChinesePlace(i); end > i) return Add(DetailKind::kPlace, i, end);
  static constexpr std::string_view kPlaces[] = {"住在",   "来自",   "搬到",  "搬去",
                                                 "老家在", "出差去", "出生在"};
  for (std::string_view lead : kPlaces) {
    if (!Is(i, lead)) continue;
    const std::size_t begin = i + CountCodePoints(lead);
    if (ChinesePlace(begin) > begin || ChineseOrganisation(begin) > begin) return begin;
    std::size_t end = begin;
    while (end < begin + 8 && IsCjkIdeograph(at(end)) &&
           !InList(at(end), "的了和与跟附，。工读上学一这那我你他她新隔同"))
      ++end;
    return end >= begin + 2 ? Add(DetailKind::kPlace, begin, end) : begin;
  }
  // 高兴旺师傅: two characters and a title make a name of what is a word else; 郜老师 has a family
  // name that no list holds.
  static constexpr std::string_view kSureTitles[] = {"老师", "师傅", "医生",
                                                     "教授", "阿姨", "主任"};
  if (InList(at(i), words::kSurnames) && !EndsGiven(at(i + 1)) && !EndsGiven(at(i + 2)) &&
      PastAny(i, words::kNotNamesChinese) == i + 2 && !IsChineseWord(Bytes(i + 1, i + 3)) &&
      PastAny(i + 3, kSureTitles) > i + 3)
    return Add(DetailKind::kName, i, PastAny(i + 3, kSureTitles));
  static constexpr std::string_view kTeachers[] = {"老师", "师傅", "教练"};
  if ((i == 0 || !IsCjkIdeograph(at(i - 1))) && IsCjkIdeograph(at(i)) &&
      PastAny(i + 1, kTeachers) > i + 1 && !IsChineseNumeral(at(i)) &&
      NamePartScore(NamePart::kFamily, at(i)) < 0 && !IsChineseWord(Bytes(i, i + 2)) &&
      !InList(at(i),
              "好这那新各我你他她找和跟给大小老女男问请叫让是有对谢本该某每哪众诸名当做为见听说"))
    return Add(DetailKind::kName, i, PastAny(i + 1, kTeachers));
  // 王医生, 李明老师
  if ((InList(at(i), words::kSurnames) || InList(at(i), kRareSurnames)) &&
      PastAny(i, words::kNotNamesChinese) == i) {
    const bool rare = !InList(at(i), words::kSurnames);
    if (const std::size_t end = Title(i + 1); end > i + 1 && !(rare && at(i + 1) == U'总'))
      return Add(DetailKind::kName, i, end);
    for (std::size_t given = 1; given <= 2 && !rare; ++given) {
      bool name = true;
      for (std::size_t k = 1; k <= given; ++k) name &= !EndsGiven(at(i + k));
      if (!name) break;
      if (const std::size_t end = Title(i + 1 + given); end > i + 1 + given) {
        return Add(DetailKind::kName, i, end);
      }
    }
  }
  if (const std::size_t end = ForeignName(i); end > i)
    return Add(DetailKind::kName, i, std::max(end, Title(end)));
  // 大卫, 露西: foreign names that everyone writes so.
  if (const std::size_t end = PastAny(i, words::kForeignNames);
      end > i && (i == 0 || !IsCjkIdeograph(at(i - 1)) || InList(at(i - 1), words::kBeforeNames)) &&
      (!IsCjkIdeograph(at(end)) || InList(at(end), words::kAfterNames) || Title(end) > end))
    return Add(DetailKind::kName, i, std::max(end, Title(end)));
  if (const std::size_t end = ChineseNickname(i); end > i) return Add(DetailKind::kName, i, end);
  if (const std::size_t end = ChinesePerson(i); end > i) return Add(DetailKind::kName, i, end);
  for (std::string_view lead : words::kPersonLeads) {
    if (!Is(i, lead)) continue;
    const std::size_t begin = i + CountCodePoints(lead);
    if (!InList(at(begin), words::kSurnames)) continue;
    if (PastAny(begin, words::kNotNamesChinese) > begin) continue;
    if (const std::size_t person = ModelledPerson(begin); person > begin)
      return Add(DetailKind::kName, begin, person);
    std::size_t end = begin + 1;
    while (end < begin + 3 && !EndsGiven(at(end))) ++end;
    const std::size_t title = Title(begin + 1);
    if (title > begin + 1) return i;  // Found from the family name on.
    // A single-character lead is too weak for two characters that go on as a word.
    const bool weak = CountCodePoints(lead) == 1;
    if (end - begin >= 2 && (!weak || EndsGiven(at(end)))) {
      return Add(DetailKind::kName, begin, end);
    }
  }
  return i;
}

}  // namespace liubai::memory
