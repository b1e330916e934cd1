// Names in Chinese by what they are of: shops and firms by their trade, who made a work, products
// with a model.
#include <algorithm>

#include "memory/ledger_gazetteer.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/lexicon.h"

namespace liubai::memory {

using words::Has;

namespace {

// A shop, a firm or a house that ends so has a name before it.
constexpr std::string_view kTrades[] = {
    "民宿",       "客栈",         "齿科",     "口腔",   "药房",   "大药房",   "超市",   "便利店",
    "咖啡",       "咖啡馆",       "咖啡店",   "茶馆",   "茶楼",   "书屋",     "书吧",   "火锅",
    "火锅店",     "面馆",         "烤肉",     "烤鱼",   "烧烤",   "小馆",     "餐馆",   "酒楼",
    "酒家",       "酒吧",         "健身",     "健身房", "美容院", "理发店",   "花店",   "影城",
    "影院",       "剧场",         "乐园",     "商场",   "百货",   "宠物医院", "宠物店", "驾校",
    "琴行",       "画室",         "舞蹈",     "瑜伽",   "瑜伽馆", "度假村",   "养老院", "事务所",
    "科技",       "传媒",         "物业",     "物流",   "家居",   "烘焙",     "面包店", "蛋糕店",
    "菜馆",       "饭馆",         "私房菜",   "料理",   "日料",   "水果店",   "母婴店", "文具店",
    "画廊",       "球馆",         "游泳馆",   "汉堡",   "奶茶",   "甜品",     "眼科",   "体检中心",
    "证券",       "保险",         "资本",     "地产",   "置业",   "装饰",     "搬家",   "家政",
    "律师事务所", "会计师事务所", "月子中心", "教育",   "网吧",   "电竞",     "客运站"};
// Where such a name stands, or nothing of a clause.
constexpr std::string_view kBeforeShops = "在去到从是叫订定约选找来给跟和进逛搬用、";
// Before a trade these say what kind it is or where.
constexpr std::string_view kKinds[] = {
    "楼下", "门口", "附近", "旁边", "对面", "隔壁", "小区", "社区", "学校", "公司", "路口",
    "街角", "网红", "川菜", "湘菜", "粤菜", "自助", "海鲜", "羊肉", "牛肉", "麻辣", "精品",
    "手工", "手冲", "私立", "公立", "连锁", "大型", "小型", "进口", "线上", "网上", "无人",
    "二手", "母婴", "儿童", "宠物", "私人", "专业", "正规", "高端", "平价", "社保", "车险",
    "商业", "重疾", "医疗", "意外", "人寿", "义务", "高等", "素质", "在线", "家庭", "成人",
    "早期", "学前", "职业", "国际", "金融", "高新", "信息", "生物", "数码", "黑胶", "室内",
    "露天", "户外", "大学", "中学", "小学", "单位", "自家", "老家", "镇上", "县里", "城里"};
// What a house that serves food, tea or books may end in.
constexpr std::string_view kHouses = "楼阁轩斋坊居";
constexpr std::string_view kWorks[] = {"的《",   "的演唱会", "的新专辑", "的专辑", "的新歌",
                                       "的小说", "的新书",   "演唱会",   "主演的", "导演的",
                                       "的歌",   "的音乐会", "的个展",   "唱的《", "写的《",
                                       "演的《", "翻唱的",   "的散文",   "的诗"};
// Makers whose name is a word as well, and what they make.
constexpr std::string_view kMakers[] = {"小米", "苹果", "荣耀", "红米", "理想", "大众", "长城",
                                        "华为", "索尼", "大疆", "佳能", "尼康", "三星", "富士"};
constexpr std::string_view kMade[] = {"手机", "电视", "手环", "手表", "平板", "电脑",   "笔记本",
                                      "耳机", "充电", "汽车", "官网", "之家", "专卖店", "音箱",
                                      "门锁", "相机", "微单", "冰箱", "空调", "扫地"};
constexpr std::string_view kModelEnds[] = {"Pro", "Max", "Plus", "Ultra", "SE", "Air", "mini"};

}  // namespace

// 云栖民宿, 瑞尔齿科; 福满楼 where one eats.
std::size_t DetailScanner::ChineseShop(std::size_t i) const {
  if (!IsCjkIdeograph(at(i)) || !NameMayBegin(i)) return i;
  const bool led = i == 0 || !IsCjkIdeograph(at(i - 1)) || InList(at(i - 1), kBeforeShops) ||
                   InList(at(i - 1), words::kBeforeNames);
  if (InList(at(i), "喝吃点买开煮泡冲烤办做学教练选换用有")) return i;
  // 在蚂蚁上班, 在鞍钢干了三十年
  if (i > 0 && at(i - 1) == U'在') {
    static constexpr std::string_view kWork[] = {"上班",   "实习",   "干了",   "做销售",
                                                 "做后端", "做前端", "做运营", "当保安",
                                                 "做会计", "打工",   "任职",   "做测试"};
    for (std::size_t n = 2; n <= 4; ++n) {
      if (OutsideName(i + n - 1)) break;
      if (PastAny(i + n, kWork) == i + n) continue;
      const bool kind = InList(at(i + n - 1), "家厂院校司店所部局社区市县企馆里边外地方室楼") ||
                        Has(kKinds, Bytes(i, i + 2)) || PastAny(i, words::kChinesePlaces) > i ||
                        ChinesePlaceBytes(text_.substr(offset_[i])) > 0 ||
                        ChineseRelativeDate(i) > i || Has(words::kChineseKinds, Bytes(i, i + n));
      if (!kind) return i + n;
      break;
    }
  }
  // 那家润园四季就蛮好, 在老灶台请我们吃
  if (i >= 2 && (Is(i - 2, "那家") || Is(i - 2, "这家"))) {
    for (std::size_t n = 2; n <= 4 && !OutsideName(i + n - 1); ++n) {
      if (InList(at(i + n), "就蛮挺还不真") && !IsChineseWord(Bytes(i, i + n)) &&
          !Has(kTrades, Bytes(i, i + n)) && !words::Holds(Bytes(i, i + n), {"店", "馆", "公司"}))
        return i + n;
    }
  }
  if (i > 0 && at(i - 1) == U'在') {
    for (std::size_t n = 3; n <= 4 && !OutsideName(i + n - 1); ++n) {
      if (InList(at(i + n), "请聚吃") && !IsChineseWord(Bytes(i, i + 2)) &&
          !IsChineseWord(Bytes(i + n - 2, i + n)) && !IsChineseWord(Bytes(i, i + n)))
        return i + n;
    }
  }
  for (std::size_t n = 2; n <= 4; ++n) {
    if (InList(at(i + n - 1), "杯碗份盘瓶块点个些种样")) return i;
    if (OutsideName(i + n - 1) || IsChineseNumeral(at(i + n - 1))) return i;
    if (n == 2 && (OutsideName(i) || IsChineseNumeral(at(i)))) return i;
    const std::string_view head = Bytes(i, i + n);
    if (const std::size_t end = PastAny(i + n, kTrades); end > i + n) {
      const bool kind = Has(kKinds, Bytes(i, i + 2)) || Has(kKinds, Bytes(i + n - 2, i + n)) ||
                        Has(words::kChineseKinds, head) || IsChineseWord(head) ||
                        PastAny(i, words::kChinesePlaces) == i + n;
      if (kind) return i;
      bool word = false;  // 健康咨询: of two words one after the other.
      for (std::size_t k = i; k + 2 <= i + n; ++k) word |= IsChineseWord(Bytes(k, k + 2));
      if (word || IsChineseWord(Bytes(i + n - 1, i + n + 1))) return i;
      return end;
    }
    if (led && i > 0 && InList(at(i + n), kHouses) && n <= 3 && !IsChineseWord(Bytes(i, i + n)) &&
        !IsChineseWord(Bytes(i + n - 1, i + n + 1)) && !ChineseWordAt(i) &&
        (ClauseEndsAt(i + n + 1) || InList(at(i + n + 1), "吃聚请摆订定的见喝办")))
      return i + n + 1;
  }
  return i;
}

// 余华的《文城》, 陈奕迅的演唱会: who made a work.
std::size_t DetailScanner::ChineseMaker(std::size_t i) const {
  const bool open = i == 0 || !IsCjkIdeograph(at(i - 1)) ||
                    InList(at(i - 1), "看完听读追过了抢买去爱和跟是刚在到有");
  if (!open || NamePartScore(NamePart::kFamily, at(i)) < 0) return i;
  for (std::size_t n = 3; n >= 2; --n) {
    if (PastAny(i + n, kWorks) == i + n) continue;
    for (std::size_t k = i; k < i + n; ++k) {
      if (!IsCjkIdeograph(at(k)) || InList(at(k), "的了是我你他她这那")) return i;
    }
    return IsChineseWord(Bytes(i, i + n)) || (n == 3 && IsChineseWord(Bytes(i, i + 2))) ? i : i + n;
  }
  return i;
}

// 小米14 Pro, 华为Mate60, 索尼电视: a maker whose name is a word, by what is made.
std::size_t DetailScanner::ChineseProduct(std::size_t i) const {
  std::size_t maker = PastAny(i, kMakers);
  const bool weak = maker > i;
  if (!weak)
    maker =
        i + CountCodePoints(text_.substr(offset_[i], ChineseBrandBytes(text_.substr(offset_[i]))));
  if (maker == i || (!weak && (!IsCjkIdeograph(at(maker - 1)) || !IsAsciiWord(at(maker)))))
    return i;
  std::size_t end = maker;
  while (IsAsciiWord(at(end)) || (at(end) == '-' && IsAsciiWord(at(end + 1)))) ++end;
  const bool measured = PastAny(end, words::kChineseUnits) > end || at(end) == '.' ||
                        PastAny(end, words::kChineseMoney) > end || at(end) == ':';
  if (end > maker && end < maker + 14 && !(measured && IsAsciiDigit(at(end - 1)))) {
    for (int more = 0; more < 2; ++more) {
      const std::size_t next = SkipBlanks(end);
      if (const std::size_t past = PastAny(next, kModelEnds); past > next && !IsAsciiWord(at(past)))
        end = past;
    }
    return end;
  }
  return weak && PastAny(maker, kMade) > maker ? maker : i;
}

}  // namespace liubai::memory
