// Amounts: behind a sign, and numbers that a clause speaks of as money.
#include <algorithm>

#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {

using words::Has;

// "$680-$720", "£20 to £30" as one.
std::size_t DetailScanner::MoneyAfterSign(std::size_t i) const {
  const std::size_t end = OneMoneyAfterSign(i);
  if (end == i) return i;
  std::size_t next = SkipBlanks(end);
  if (at(next) == '-' || at(next) == 0x2013 || at(next) == 0x2014) {
    next = SkipBlanks(next + 1);
  } else if (const auto [joint, joint_end] = WordAt(end); joint == "to") {
    next = SkipBlanks(joint_end);
  } else {
    return end;
  }
  if (at(next) != at(i)) return end;
  const std::size_t past = OneMoneyAfterSign(next);
  return past > next ? past : end;
}

std::size_t DetailScanner::OneMoneyAfterSign(std::size_t i) const {
  const std::size_t digits = SkipBlanks(i + 1);
  if (!IsAsciiDigit(at(digits))) return i;
  std::size_t end = NumberEnd(digits);
  if ((at(end) | 32) == 'k' || (at(end) | 32) == 'm' || (at(end) | 32) == 'b') {
    if (!IsAsciiWord(at(end + 1))) return end + 1;
  }
  if (at(end) == U'万' || at(end) == U'亿') return end + 1;
  const auto [word, word_end] = WordAt(end);
  return Has(words::kScales, word) ? word_end : end;
}

// 七百六, 一碗二十八, 加肉十五: said so of money, and of little else.
bool DetailScanner::PricedSo(std::size_t begin, std::size_t end) const {
  if (!ClauseEndsAt(end)) return false;
  const std::string_view clause = Bytes(ClauseStart(begin, 14), begin);
  if (end - begin < 2) return false;
  // 一碗, 一人, 一个月: what the amount is for.
  for (std::size_t back = 2; back <= 4 && back <= begin; ++back) {
    const std::size_t one = begin - back;
    if ((at(one) == U'一' || at(one) == U'每') && one + 1 < begin &&
        PastAny(one + 1, words::kChineseUnits) == begin)
      return true;
  }
  if (words::Holds(clause,
                   {"海拔", "字",   "人数", "步", "血压", "血糖", "分", "编号", "号码", "里程",
                    "体重", "身高", "公里", "页", "年",   "第",   "高", "尾号", "密码", "工号"}))
    return false;
  std::size_t numerals = begin;
  while (numerals < end && IsChineseNumeral(at(numerals))) ++numerals;
  // The last numeral counts what its scale leaves out: 七百六 is 760.
  if (numerals == end && end - begin >= 3 && ChineseScale(at(end - 2)) >= 100 &&
      ChineseDigit(at(end - 1)) > 0)
    return true;
  static constexpr std::string_view kCosts[] = {"随",   "月租", "租",  "底薪", "到手",
                                                "打车", "人均", "押",  "订金", "份子",
                                                "礼金", "修",   "起拍"};
  if (words::Holds(clause, kCosts)) return true;
  return !details_.empty() && details_.back().kind == DetailKind::kMoney &&
         details_.back().end + 24 > offset_[begin] && begin > 0 && IsCjkIdeograph(at(begin - 1));
}

// A Chinese number without a unit is an amount where the clause speaks of money.
bool DetailScanner::AboutMoney(std::size_t begin, std::size_t end) const {
  if (PricedSo(begin, end)) return true;
  static constexpr std::string_view kSpends[] = {"花",   "花了",   "付",   "付了", "赚了", "卖",
                                                 "便宜", "便宜了", "省了", "优惠", "立减", "返现",
                                                 "贵了", "欠我",   "欠你", "欠他", "借我", "借给我",
                                                 "欠了", "借了",   "亏了", "赔了", "罚了"};
  const std::string_view before = Bytes(ClauseStart(begin, 14), begin);
  if (end - begin >= 2 &&
      std::any_of(std::begin(kSpends), std::end(kSpends),
                  [&](std::string_view verb) { return before.ends_with(verb); }))
    return true;
  if (!ClauseEndsAt(end) && !InList(at(end), "了吧呢的就一还没起左以不出够包是打上拿") &&
      !IsAsciiLetter(at(end)))
    return false;
  const std::string_view clause = Bytes(ClauseStart(begin, 14), begin);
  static constexpr std::string_view kMoneyWords[] = {
      "定金",   "尾款", "机票", "车票", "票价", "门票", "房贷", "车贷", "贷款", "补贴",
      "违约金", "学费", "赔",   "报价", "挂了", "亏",   "欠我", "欠他", "欠你", "红包",
      "彩礼",   "报酬", "房款", "花",   "费",   "价",   "钱",   "工资", "薪",   "预算",
      "租金",   "付",   "花了", "涨了", "押金", "月供", "贵",   "收入", "奖金", "罚",
      "欠",     "借了", "赚",   "成本", "开销", "首付", "存了", "还款", "卖了", "年卡",
      "月卡",   "季卡", "内场", "看台", "客单", "人均", "酒席"};
  if (words::Holds(clause, kMoneyWords)) return true;
  // 下单了一台小米14，4599: what was bought, and nothing but its price.
  if (TrimmedView(clause, kBlanks).empty() && end - begin >= 3 && IsAsciiDigit(at(begin)) &&
      ClauseEndsAt(end) &&
      words::Holds(Bytes(begin > 40 ? begin - 40 : 0, begin),
                   {"下单", "买了", "入手", "拍了", "抢到", "订了", "办了", "报了", "换了", "租"}))
    return true;
  // 留了五十万: tens of thousands of nothing else.
  static constexpr std::string_view kCrowds[] = {"人口", "粉丝", "播放", "阅读", "点击",
                                                 "浏览", "观众", "人次", "用户", "步数",
                                                 "销量", "字",   "发行", "下载", "票"};
  if (ClauseEndsAt(end) && (at(end - 1) == U'万' || at(end - 1) == U'亿') && end - begin >= 2 &&
      !words::Holds(clause, kCrowds))
    return true;
  // 门票80元，学生40
  static constexpr std::string_view kWhose[] = {"学生", "儿童", "老人", "成人", "会员", "其他人",
                                                "一人", "每人", "小孩", "大人", "孩子", "老年人"};
  if (std::any_of(std::begin(kWhose), std::end(kWhose),
                  [&](std::string_view who) { return clause.ends_with(who); }) &&
      std::any_of(details_.begin(), details_.end(), [&](const Detail& detail) {
        return detail.kind == DetailKind::kMoney && detail.end + 60 > offset_[begin];
      }))
    return true;
  // 要一万二, but 要三 is too little to tell.
  if (clause.ends_with("要") && end - begin >= 2) return true;
  if ((clause.ends_with("才") || clause.ends_with("只要")) && end - begin >= 3) return true;
  // 单张1880, 6999的套餐: hundreds of nothing else, where something is bought or paid.
  static constexpr std::string_view kNoSums[] = {
      "字",   "人数", "步",   "血压", "血糖", "分",   "号",   "里程", "体重", "身高",
      "公里", "页",   "年",   "第",   "海拔", "密码", "尿酸", "房",   "室",   "门牌",
      "楼",   "航班", "次",   "频道", "端口", "热量", "大卡", "米",   "克",   "度",
      "次列", "编号", "尾数", "码",   "型",   "血",   "亩",   "斤",   "单词", "词汇",
      "转速", "功率", "瓦",   "兆",   "网速", "路",   "线",   "名"};
  static constexpr std::string_view kTrade[] = {
      "价",   "卖",   "买",   "票",   "套餐", "租",   "押金", "付",   "花了", "定金", "二手",
      "礼金", "份子", "工资", "补",   "罚",   "打车", "充值", "欠",   "贷",   "便宜", "贵",
      "砍",   "单张", "会费", "报名", "挂号", "团购", "学费", "话费", "保费", "税前", "税后",
      "收",   "支",   "退款", "报销", "优惠", "满减", "涨到", "降到", "吃了", "点了", "总共",
      "补课", "水电", "预算", "首付", "成交", "中介", "起拍", "转账", "红包", "酒席", "彩礼"};
  bool hundreds = IsAsciiDigit(at(begin)) && end - begin >= 3 && end - begin <= 6 &&
                  Bytes(begin, end).find('.') == std::string_view::npos;
  for (std::size_t k = begin; k < end; ++k) hundreds |= ChineseScale(at(k)) >= 100;
  if (hundreds && (ClauseEndsAt(end) || InList(at(end), "的起左以不出吧呢够就包是没打还上了拿")) &&
      !words::Holds(clause, kNoSums) &&
      !words::Holds(Bytes(end, end + 3), {"人", "字", "步", "次"}) &&
      words::Holds(Bytes(begin > 24 ? begin - 24 : 0, end + 6), kTrade))
    return true;
  // 是89块，不是98
  static constexpr std::string_view kAgain[] = {"不是", "是", "变成", "改成", "到"};
  const bool again = std::any_of(std::begin(kAgain), std::end(kAgain),
                                 [&](std::string_view lead) { return clause.ends_with(lead); });
  return again && std::any_of(details_.begin(), details_.end(), [&](const Detail& detail) {
           return detail.kind == DetailKind::kMoney && detail.end + 120 > offset_[begin];
         });
}

// A number without a unit behind "paid" or "cost", or right behind an amount: "12 euros, 8 for
// students".
bool DetailScanner::PaidFor(std::size_t begin, std::size_t end) const {
  // "the fifty I owed him", "1,100 a month"
  const auto [who, who_end] = WordAt(end);
  const std::string verb = WordAt(who_end).first;
  if (verb == "owe" || verb == "owed" || verb == "owes") return true;
  const std::string_view digits = Bytes(begin, end);
  if (who == "all" && verb == "in") return true;
  if (who == "each" && digits.size() >= 2 && IsAsciiDigit(at(begin)) && digits >= "20" &&
      ClauseEndsAt(who_end))
    return true;
  const bool large = digits.size() >= 3 && IsAsciiDigit(at(begin));
  if (large && (who == "a" || who == "per") && (verb == "month" || verb == "night")) return true;
  if (large && who == "pcm") return true;
  const std::string around =
      Lower(ClauseStart(begin, 40), begin) + " " + Lower(end, std::min(end + 24, size()));
  std::size_t at_word = 0;
  // "visa bill (312.40)", "base is 115k"
  static constexpr std::string_view kSums[] = {"bill",    "bills",  "price", "total",   "cost",
                                               "fee",     "fees",   "due",   "balance", "invoice",
                                               "payment", "refund", "owing", "receipt", "amount"};
  const auto point = digits.rfind('.');
  if (point != digits.npos && digits.size() == point + 3 &&
      FindAnyWord(around, kSums, &at_word) != around.npos)
    return true;
  static constexpr std::string_view kWages[] = {"base",  "salary", "offer",  "bonus", "comp",
                                                "house", "budget", "asking", "raise", "deposit"};
  if (digits.ends_with("k") && FindAnyWord(around, kWages, &at_word) != around.npos) return true;
  // "a bag of rice is now 92k"
  static constexpr std::string_view kCounted[] = {"steps", "miles",  "followers", "words",
                                                  "views", "people", "users",     "subs",
                                                  "run",   "race",   "km"};
  // "tuition went up by 350", "got it down to 45 from 60": money is what the clause speaks of.
  static constexpr std::string_view kSpeaks[] = {
      "tuition", "rent",   "fare",    "fee",      "fees",        "price",    "prices",  "cost",
      "costs",   "paid",   "pay",     "deposit",  "upfront",     "tip",      "refund",  "bundle",
      "quote",   "quoted", "salary",  "wage",     "wages",       "cheaper",  "budget",  "sold",
      "selling", "fine",   "invoice", "bill",     "tab",         "discount", "savings", "loan",
      "owe",     "owes",   "premium", "mortgage", "bonus",       "charged",  "charges", "haggled",
      "knocked", "share",  "wants",   "landlord", "electricity", "total",    "ticket",  "tickets"};
  static constexpr std::string_view kThen[] = {
      "for",  "to",  "from", "a",       "each",    "per", "in",  "this",  "last",
      "on",   "and", "but",  "upfront", "total",   "now", "off", "extra", "more",
      "less", "all", "out",  "back",    "instead", "if",  "so"};
  static constexpr std::string_view kNoSum[] = {"number", "no",   "page",  "room",  "bus", "at",
                                                "age",    "aged", "bed",   "seat",  "row", "gate",
                                                "flat",   "the",  "until", "level", "of"};
  const bool plain_sum = IsAsciiDigit(at(begin)) && digits.size() >= 2 && digits >= "20" &&
                         digits.find('-') == digits.npos && digits.find(':') == digits.npos &&
                         !(digits.size() == 4 && IsYear(begin)) && IsAsciiDigit(digits.back()) &&
                         (point == digits.npos || digits.size() == point + 3);
  const std::string_view head = Bytes(ClauseStart(begin, 50), begin);
  if (plain_sum && !Has(kNoSum, WordBefore(begin)) && at(begin - 1) != '#' &&
      (ClauseEndsAt(end) || Has(kThen, who)) &&
      FindAnyWord(ToLowerUtf8(head), kSpeaks, &at_word) != head.npos)
    return true;
  // "my share came to 312.50", "got it down to 45 from 60", "that's 25 each"
  if (plain_sum && WordBefore(begin) == "to" &&
      (head.ends_with("came to ") || head.ends_with("comes to ") || head.ends_with("down to ")) &&
      (ClauseEndsAt(end) || who == "from" || who == "each"))
    return true;
  if (plain_sum && who == "each" && (ClauseEndsAt(who_end) || verb == "for")) return true;
  if (plain_sum && WordBefore(begin) == "from" && !details_.empty() && ClauseEndsAt(end) &&
      details_.back().kind == DetailKind::kMoney && details_.back().end + 7 > offset_[begin])
    return true;
  // "wants 40 for it"
  static constexpr std::string_view kAsks[] = {"wants",    "want",     "asks",    "asked",
                                               "takes",    "charging", "quoting", "swap",
                                               "offering", "offer",    "goes"};
  if ((who == "for" || who == "to") && digits.size() >= 2 && digits.size() <= 6 &&
      Has(kAsks, WordBefore(begin)))
    return true;
  if (digits.ends_with("k") && !Has(kCounted, who) &&
      (digits.size() >= 4 || WordBefore(begin) == "now" || WordBefore(begin) == "was" ||
       WordBefore(begin) == "cost") &&
      FindAnyWord(around, kCounted, &at_word) == around.npos)
    return true;
  static constexpr std::string_view kSales[] = {"bought",  "got",   "sold",   "sell",
                                                "selling", "going", "listed", "buy"};
  if (WordBefore(begin) == "for" && ClauseEndsAt(end) &&
      FindAnyWord(around, kSales, &at_word) != around.npos)
    return true;
  // "14.50 for two boxes"
  if (point != digits.npos && digits.size() == point + 3 && point > 0 && IsAsciiDigit(at(begin)) &&
      (who == "for" || who == "each" || who == "total" || who == "pp" || who == "delivered")) {
    static constexpr std::string_view kClock[] = {"at", "by", "from", "until", "till", "to", "m"};
    if (!Has(kClock, WordBefore(begin))) return true;
  }
  // "its 95 a night"
  if (digits.size() == 2 && IsAsciiDigit(at(begin)) && digits >= "20" &&
      ((who == "a" && (verb == "night" || verb == "term" || verb == "head" || verb == "person" ||
                       verb == "ticket" || verb == "session" || verb == "pop")) ||
       who == "pp"))
    return true;
  static constexpr std::string_view kFollow[] = {
      "for",   "a",    "an",   "per", "each", "in", "last", "this", "to",   "altogether",
      "total", "back", "from", "off", "plus", "at", "but",  "and",  "today"};
  if (!ClauseEndsAt(end) && !Has(kFollow, WordAt(end).first)) return false;
  static constexpr std::string_view kPays[] = {
      "paid",   "pay",     "pays",      "cost", "costs",   "costing",  "worth", "asking", "quoted",
      "bid",    "offered", "owe",       "owes", "charged", "earns",    "earn",  "spent",  "charges",
      "saying", "left",    "inherited", "lost", "lent",    "borrowed", "saved", "earned"};
  const std::string lead = WordBefore(begin);
  // "we lost 3-1"
  const bool score = digits.find('-') != digits.npos || digits.find(':') != digits.npos;
  if (score && (lead == "lost" || lead == "won")) return false;
  if (Has(kPays, lead)) return true;
  // "owe ama 60"
  if (!details_.empty() && details_.back().kind == DetailKind::kName && begin > 0 &&
      details_.back().end == offset_[begin - 1] && at(begin - 1) == ' ') {
    static constexpr std::string_view kGives[] = {"owe",  "owes", "owed",   "paid", "pay",
                                                  "lent", "lend", "sent",   "send", "venmo",
                                                  "gave", "give", "charged"};
    const std::size_t name = begin - 1 - CountCodePoints(details_.back().text);
    if (Has(kGives, WordBefore(name))) return true;
  }
  if (lead == "rent" || lead == "salary" || lead == "mortgage" || lead == "deposit") return true;
  if ((lead == "me" || lead == "us" || lead == "him" || lead == "her" || lead == "only" ||
       lead == "about") &&
      Has(kPays, WordBefore(begin > lead.size() + 1 ? begin - lead.size() - 1 : 0)))
    return true;
  // "salary is 62k"
  static constexpr std::string_view kAmounts[] = {"salary", "salaries", "wage",    "wages",
                                                  "rent",   "mortgage", "deposit", "budget"};
  if (lead == "is" || lead == "was" || lead == "to" || lead == "of") {
    const std::string clause = Lower(ClauseStart(begin, 30), begin);
    std::size_t unused = 0;
    if (FindAnyWord(clause, kAmounts, &unused) != clause.npos && end > begin + 1) return true;
  }
  return !details_.empty() && details_.back().kind == DetailKind::kMoney &&
         details_.back().end + 4 >= offset_[begin];
}

}  // namespace liubai::memory
