// Names in Chinese by the characters that names are made of (memory/lexicon/chinese_given.txt),
// where no word of the language stands.
#include <algorithm>

#include "memory/ledger_gazetteer.h"
#include "memory/ledger_known.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/lexicon.h"

namespace liubai::memory {

using words::Has;

namespace {

// Before a person, beside kBeforeNames.
constexpr std::string_view kLeads =
    "回请约陪帮替代谢怪问找叫喊让给跟和与同是由对把被说听托等见带接送教认追嫁娶养喂坐靠家"
    "着了过但而且那这还又也就都、";
// Behind a name one goes on so.
constexpr std::string_view kGoesOn =
    "说讲问答叫让请帮替给跟和与同在是有要想会能可应该得去来到回走坐住吃喝做买卖写看听玩学教带拿送收"
    "打接开"
    "也都还又就才刚已正没不别很太最挺真总老常一二两三四五六七八九十今昨明前后上下早晚周这那的了过吗"
    "呢吧啊把被"
    "将从对向往为因所但而且或生病死哭笑结离考升辞退请欠借还付花赚订约推提发转改修查负管主介爱喜讨恨"
    "怕担哪怎昨"
    "家她他我你咱您本自同组部姐哥叔姨嫂婶伯爷奶妈爸改摔换洗骂踢拍画唱跳飞骑开修搬装存取挂停抽戒追撞"
    "丢捡掉碰抱"
    "背扶推拖抓挑选点猜算数量称摆扔烧煮炒切帮催约逛救撕砸吐摸喂找怀逼盯赶陪养穿戴种织缝摘剪弹钓滑练"
    "醒睡"
    "起躺站嫁娶租迷爱抄追";
constexpr std::string_view kMoreTitles[] = {
    "先生", "女士", "小姐", "老师", "医生", "大夫",   "经理", "总监", "教授", "主任",   "阿姨",
    "叔叔", "师傅", "律师", "同学", "博士", "护士",   "老板", "院长", "校长", "工程师", "奶奶",
    "爷爷", "局长", "处长", "科长", "部长", "厂长",   "店长", "馆长", "队长", "班长",   "组长",
    "会长", "社长", "站长", "书记", "主席", "董事长", "秘书", "助理", "编辑", "主编",   "导演",
    "导师", "教练", "会计", "顾问", "专员", "警官",   "法官", "司机", "大爷", "大妈",   "大叔",
    "大姐", "大哥", "大婶", "大嫂", "伯伯", "婶婶",   "姐姐", "哥哥", "工头", "师父",   "道长",
    "法师", "总",   "工",   "哥",   "姐",   "嫂",     "叔",   "姨",   "婶",   "伯",     "爷",
    "奶",   "导",   "董",   "局",   "姑",   "妈",     "爸"};
// Family names that join words, or say how, far more often.
constexpr std::string_view kJoints = "和都全来应时常同明从与于连边当便也向关为";
// Relations that a name follows, with nothing between.
constexpr std::string_view kRelations[] = {
    "表弟",   "表妹",   "表哥",   "表姐",   "堂弟",   "堂妹",   "堂哥",   "堂姐",   "弟弟",
    "妹妹",   "哥哥",   "姐姐",   "儿子",   "女儿",   "外甥",   "侄子",   "侄女",   "外甥女",
    "孙子",   "孙女",   "外孙",   "老公",   "老婆",   "丈夫",   "妻子",   "爱人",   "男友",
    "女友",   "男朋友", "女朋友", "对象",   "前任",   "同事",   "同学",   "同桌",   "室友",
    "舍友",   "闺蜜",   "发小",   "朋友",   "哥们",   "邻居",   "房东",   "租客",   "客户",
    "领导",   "老板",   "上司",   "助理",   "秘书",   "实习生", "徒弟",   "师傅",   "司机",
    "保姆",   "月嫂",   "中介",   "老师",   "班主任", "医生",   "大夫",   "律师",   "教练",
    "导游",   "导师",   "队友",   "队长",   "网友",   "学长",   "学姐",   "学弟",   "学妹",
    "师兄",   "师姐",   "师弟",   "师妹",   "小姑子", "小舅子", "女婿",   "儿媳",   "儿媳妇",
    "干儿子", "干妈",   "堂姐夫", "表姐夫", "记者",   "作者",   "导演",   "演员",   "歌手",
    "主持人", "候选人", "负责人", "联系人", "负责的", "叫",     "哥们儿", "姐们儿", "大哥",
    "二哥",   "大姐",   "二姐",   "舅舅",   "嫂子",   "姐夫",   "妹夫",   "弟媳",   "学生",
    "组长",   "主管",   "店长",   "老乡",   "战友",   "球友",   "病友",   "群友",   "主播",
    "博主",   "作家",   "画家",   "设计师", "前男友", "前女友", "小儿子", "大儿子", "大女儿",
    "小女儿", "护士",   "教授",   "阿姨",   "搭档",   "合伙人", "投资人", "候补",   "班长"};

// How much a name by its sound has of `c`, of which the commonest are no rarer in other words.
int SoundOf(std::int32_t c) {
  static constexpr std::string_view kSounds =
      "妮塔娅莎蒂弗姆茜娜菲曼埃艾伊奥丝莱赫黛佩珀维瓦格哈汉卡凯柯科拉兰劳里利琳卢露罗玛迈梅米莫纳尼"
      "帕皮普乔萨塞舍斯泰汤托沃希西夏辛雅亚尤约詹珍朱苏安贝布达戴德迪多恩尔法费芬弗甘戈古基加杰吉克"
      "肯"
      "库蕾雷丽列伦洛麦门内诺欧佩奇琼瑞森沙什史特图翁乌耶易尹扎";
  std::string one;
  AppendUtf8(c, one);
  return std::max(SoundScore(c), kSounds.find(one) != kSounds.npos ? 2 : 0);
}

}  // namespace

// Nothing of a word stands before `i`, as far as the words that are known tell.
bool DetailScanner::NameMayBegin(std::size_t i) const {
  if (i == 0 || !IsCjkIdeograph(at(i - 1))) return true;
  if (!details_.empty() && details_.back().end == offset_[i]) return true;
  if (IsChineseWord(Bytes(i - 1, i + 1))) return false;
  if (InList(at(i - 1), words::kBeforeNames) || InList(at(i - 1), kLeads)) return true;
  return (i >= 2 && IsChineseWord(Bytes(i - 2, i))) || FollowsRelation(i);
}

bool DetailScanner::FollowsRelation(std::size_t i) const {
  const std::string_view before = Bytes(0, i);
  return std::any_of(std::begin(kRelations), std::end(kRelations),
                     [&](std::string_view relation) { return before.ends_with(relation); });
}

// A name may end before `end`: a word begins there, or nothing of one.
bool DetailScanner::NameMayEnd(std::size_t end) const {
  if (!IsCjkIdeograph(at(end)) || InList(at(end), kGoesOn) || IsChineseNumeral(at(end)))
    return true;
  if (Title(end) > end || ChineseRelativeDate(end) > end) return true;
  return IsChineseWord(Bytes(end, end + 2)) && !IsChineseWord(Bytes(end - 1, end + 1));
}

// A word of the language begins at `i`.
bool DetailScanner::ChineseWordAt(std::size_t i) const {
  for (std::size_t n = 2; n <= 4 && i + n <= size(); ++n) {
    if (IsChineseWord(Bytes(i, i + n))) return true;
  }
  return false;
}

std::size_t DetailScanner::ChineseTitleAt(std::size_t i) const {
  const std::size_t end = PastAny(i, kMoreTitles);
  if (end == i + 1) {
    // 总是, 工作, 哥们, 妈妈: the character belongs to what follows.
    if (IsChineseWord(Bytes(i, i + 2)) || at(i) == at(i + 1)) return i;
  }
  return end;
}

// A family name, and a given name, a title or a way of address.
std::size_t DetailScanner::ModelledPerson(std::size_t i) const {
  std::size_t given = PastAny(i, words::kCompoundSurnames);
  const bool compound = given > i;
  if (!compound) given = i + 1;
  const int family = compound ? 4 : NamePartScore(NamePart::kFamily, at(i));
  // 布洛芬 and the like are no people.
  static constexpr std::string_view kMedicines[] = {"布洛芬",   "阿莫西林", "阿司匹林", "头孢",
                                                    "奥美拉唑", "蒙脱石",   "维生素"};
  if (PastAny(i, kMedicines) > i) return i;
  if (family < 0 || !NameMayBegin(i)) return i;
  if (PastAny(i, words::kNotNamesChinese) > i) return i;
  const bool led_at =
      i == 0 || !IsCjkIdeograph(at(i - 1)) || InList(at(i - 1), words::kBeforeNames);
  if (const std::size_t end = ChineseTitleAt(given);
      end > given && family >= (led_at ? 0 : 1) && (compound || !InList(at(i), kJoints)) &&
      (compound || (!IsChineseWord(Bytes(i, i + 2)) && !ChineseWordAt(given - 1))) &&
      (end > given + 1 || family >= (led_at ? 0 : 2)))
    return end;
  if (!compound && ChineseWordAt(i)) return i;
  const bool led = FollowsRelation(i);
  // Few full names of two characters are known; what stands in the longer ones stands there too.
  const int one = std::max(NamePartScore(NamePart::kOnly, at(given)),
                           std::max(NamePartScore(NamePart::kFirst, at(given)),
                                    NamePartScore(NamePart::kSecond, at(given))) -
                               1);
  const int two =
      NamePartScore(NamePart::kFirst, at(given)) + NamePartScore(NamePart::kSecond, at(given + 1));
  const bool word = IsChineseWord(Bytes(given, given + 2));
  // The second character begins a word of its own: 覃川|来长沙.
  // 覃川|来长沙, 石磊|开了
  const bool torn = IsChineseWord(Bytes(given + 1, given + 3)) ||
                    (InList(at(given + 2), "了过着") && InList(at(given + 1), kGoesOn));
  const bool two_ends =
      IsCjkIdeograph(at(given + 1)) && NameMayEnd(given + 2) &&
      !InList(at(given + 1), "的了吗呢吧在是说跟和与把被让给也都还又就才已没不很");
  const int need = led ? 3 : 5;
  const int whole = family + two - (word ? 3 : 0) - (torn ? 3 : 0);
  if (two_ends && whole >= need && two >= (led ? 0 : 1)) {
    if (const std::size_t end = ChineseTitleAt(given + 2); end > given + 3) return end;
    return given + 2;
  }
  if (NameMayEnd(given + 1) && IsCjkIdeograph(at(given)) &&
      family + one >= (led || led_at ? 5 : 6) && one >= 1 &&
      !IsChineseWord(Bytes(given, given + 2)))
    return given + 1;
  return i;
}

// 小严, 老葛, 阿坤; 谭嫂 is a family name with a title.
std::size_t DetailScanner::ModelledNickname(std::size_t i) const {
  const std::int32_t c = at(i), next = at(i + 1);
  if (c != U'小' && c != U'老' && c != U'阿' && c != U'大') return i;
  // 放老秦家: any verb may stand before it.
  const bool after_verb = (c == U'小' || c == U'老') &&
                          NamePartScore(NamePart::kFamily, next) >= 3 && i > 0 &&
                          !IsChineseWord(Bytes(i - 1, i + 1)) && !InList(at(i - 1), "最大从多缩");
  // 小钱 is money too, but it does not say anything.
  const bool acts = c == U'小' && NamePartScore(NamePart::kFamily, next) >= 2 && NameMayBegin(i) &&
                    InList(at(i + 2), "说问请让帮");
  if (acts && next != U'孩' && next != U'朋') return i + 2;
  if (!IsCjkIdeograph(next) || (!after_verb && !NameMayBegin(i)) || ChineseWordAt(i) ||
      InList(next, "姨叔姑舅婶妹弟哥姐侄孙嫂爷奶爸妈伯"))
    return i;
  const bool family = NamePartScore(NamePart::kFamily, next) >= (c == U'大' ? 4 : 2);
  const bool given =
      (c == U'阿' || c == U'小' || c == U'大') &&
      std::max(NamePartScore(NamePart::kOnly, next), NamePartScore(NamePart::kSecond, next)) >=
          (c == U'阿' || (i > 0 && at(i - 1) == U'家') ? 1
           : c == U'小'                                ? 2
                                                       : 3);
  if ((!family && !given) || PastAny(i + 1, words::kNotNamesChinese) > i + 1) return i;
  if (IsChineseWord(Bytes(i + 1, i + 3)) && IsCjkIdeograph(at(i + 2))) return i;
  if (c == U'阿' && SoundScore(at(i + 2)) > 0 && SoundScore(at(i + 3)) > 0) return i;
  return NameMayEnd(i + 2) ? i + 2 : i;
}

// A given name alone: 佳琪, 苗苗, and behind a relation 一航.
std::size_t DetailScanner::ModelledGiven(std::size_t i) const {
  const std::int32_t c = at(i), next = at(i + 1);
  if (!IsCjkIdeograph(c) || !IsCjkIdeograph(next) || !NameMayBegin(i) || !NameMayEnd(i + 2))
    return i;
  const bool open = i == 0 || !IsCjkIdeograph(at(i - 1)) ||
                    InList(at(i - 1), words::kBeforeNames) || FollowsRelation(i) ||
                    (c == next && InList(at(i - 1), "过陪哄抱喂带接送养")) ||
                    (!details_.empty() && details_.back().end == offset_[i]);
  if (!open) return i;
  static constexpr std::string_view kChildren[] = {"大宝", "二宝", "小宝", "三宝", "大毛",
                                                   "二毛", "三毛", "二丫", "大丫", "妮妮"};
  if (!open) return i;
  if (Has(kChildren, Bytes(i, i + 2))) return i + 2;
  // 强子可以作证
  if (next == U'子' && InList(c, "强军勇刚健辉斌亮峰涛杰柱顺虎栓伟磊") &&
      InList(at(i + 2), "说跟让问叫给可也又和在是"))
    return i + 2;
  const bool word = ChineseWordAt(i);
  if (c == next) {
    // 苗苗 is a word too, but not before what somebody does.
    if (word) {
      static constexpr std::string_view kActs = "说把跟和问叫让给";
      const bool taken = i > 0 && InList(at(i - 1), "接送陪哄抱喂");
      return (taken || InList(at(i + 2), kActs)) && NamePartScore(NamePart::kOnly, c) >= 2 &&
                     !InList(c, "爸妈爷奶哥弟姐妹叔伯婶姑舅宝娃星太公婆天常慢")
                 ? i + 2
                 : i;
    }
    return std::max(NamePartScore(NamePart::kSecond, c), NamePartScore(NamePart::kOnly, c)) >= 0 &&
                   !IsChineseNumeral(c)
               ? i + 2
               : i;
  }
  if (word) return i;
  if (Has(words::kChineseGivenNames, Bytes(i, i + 2))) return i + 2;
  if (IsChineseWord(Bytes(i + 1, i + 3))) return i;
  const int first = NamePartScore(NamePart::kFirst, c);
  const int second = NamePartScore(NamePart::kSecond, next);
  if (FollowsRelation(i)) return first + second >= 1 ? i + 2 : i;
  return first >= 3 && second >= 3 && first + second >= 7 ? i + 2 : i;
}

// 阿列克谢·彼得罗夫: parts with a dot between them, the last as far as characters of sounds go.
std::size_t DetailScanner::DottedName(std::size_t i) const {
  const auto dot = [&](std::size_t k) {
    return at(k) == 0xB7 || at(k) == 0x2022 || at(k) == 0x30FB;
  };
  if (!IsCjkIdeograph(at(i)) || !NameMayBegin(i)) return i;
  std::size_t end = i;
  while (end < i + 7 && IsCjkIdeograph(at(end))) ++end;
  if (!dot(end) || !IsCjkIdeograph(at(end + 1))) return i;
  // What stands before the name: 听阿列克谢·….
  for (std::size_t k = i; k < end; ++k) {
    if (k > i && SoundOf(at(k)) == 0 && end - i > 3) return i;
  }
  while (dot(end) && IsCjkIdeograph(at(end + 1))) {
    std::size_t part = end + 2;
    while (part < end + 8 && SoundOf(at(part)) > 0 &&
           !(part > end + 2 && SoundOf(at(part)) < 3 && NameMayEnd(part)))
      ++part;
    end = part;
  }
  return end;
}

// 马尔克斯: written by its sound.
std::size_t DetailScanner::SoundedName(std::size_t i) const {
  if (!IsCjkIdeograph(at(i)) || !NameMayBegin(i)) return i;
  std::size_t end = i;
  int sounds = 0;
  while (end < i + 8 && SoundOf(at(end)) > 0) sounds += SoundOf(at(end++));
  const std::size_t length = end - i;
  if (length < 2 || ChineseWordAt(i) || !NameMayEnd(end) || Is(i, "布洛芬") || Is(i, "阿司匹林"))
    return i;
  const bool led = i > 0 && (InList(at(i - 1), words::kBeforeNames) || InList(at(i - 1), kLeads));
  const int need = length == 2 ? (led ? 9 : 12) : static_cast<int>(length) * 3 + 4;
  return sounds >= need ? end : i;
}

// 姓顾: a family name alone.
std::size_t DetailScanner::ToldFamily(std::size_t i) const {
  if (at(i) != U'姓' || InList(at(i - 1), "百老同贵")) return i;
  const bool family = NamePartScore(NamePart::kFamily, at(i + 1)) >= 0;
  return family && !ChineseWordAt(i + 1) && NameMayEnd(i + 2) ? i + 2 : i;
}

std::size_t DetailScanner::ModelledName(std::size_t i) {
  // 张记: a shop.
  if (at(i + 1) == U'记' && NamePartScore(NamePart::kFamily, at(i)) >= 3 &&
      (NameMayBegin(i) || InList(at(i - 1), "去在到回逛")) && !IsChineseWord(Bytes(i + 1, i + 3)) &&
      !ChineseWordAt(i) && !InList(at(i + 2), "得着住不了在下起错性"))
    return Add(DetailKind::kName, i, i + 2);
  if (const std::size_t end = ToldFamily(i); end > i) return Add(DetailKind::kName, i + 1, end);
  const std::size_t brand = ChineseBrandBytes(text_.substr(offset_[i]));
  if (brand > 0) {
    const std::size_t end = i + CountCodePoints(text_.substr(offset_[i], brand));
    const bool inside = i > 0 && IsCjkIdeograph(at(i - 1)) && IsChineseWord(Bytes(i - 1, i + 1));
    if (!inside && !IsChineseWord(Bytes(end - 1, end + 1))) return Add(DetailKind::kName, i, end);
  }
  for (const std::size_t end : {ModelledNickname(i), ModelledPerson(i)}) {
    if (end > i) return Add(DetailKind::kName, i, end);
  }
  if (const std::size_t end = SoundedName(i); end > i) {
    static constexpr std::string_view kTo = "在去到飞回从往";
    const bool gets =
        i > 1 && at(i - 1) == U'到' && InList(at(i - 2), "抽买见遇拿等听看梦找碰收吃用玩刷轮聊");
    const bool place = i > 0 && InList(at(i - 1), kTo) && Title(end) == end && !gets;
    return Add(place ? DetailKind::kPlace : DetailKind::kName, i, std::max(end, Title(end)));
  }
  if (const std::size_t end = ModelledGiven(i); end > i) return Add(DetailKind::kName, i, end);
  return i;
}

}  // namespace liubai::memory
