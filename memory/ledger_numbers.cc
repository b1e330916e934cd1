// Numbers in digits and in words of both languages, and what the word after them makes of them.
#include <algorithm>
#include <tuple>

#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/lexicon.h"

namespace liubai::memory {

using words::Has;

namespace {

// Digits with separators as a plain number: no commas, no leading zeros, no trailing decimals.
std::string PlainNumber(std::string_view digits) {
  std::string out;
  for (char c : digits) {
    if (c != ',') out += c;
  }
  if (const auto dot = out.find('.'); dot != std::string::npos) {
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
  }
  std::size_t zeros = 0;
  while (zeros + 1 < out.size() && out[zeros] == '0' && out[zeros + 1] != '.') ++zeros;
  return out.substr(zeros);
}

}  // namespace

std::vector<std::string> NumbersIn(std::string_view text) { return DetailScanner(text).Numbers(); }

std::vector<std::string> DetailScanner::Numbers() const {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < size();) {
    if (IsAsciiDigit(at(i))) {
      const std::size_t end = NumberEnd(i);
      numbers.push_back(PlainNumber(NarrowText(i, end)));
      i = end;
    } else if (IsChineseNumeral(at(i))) {
      std::u32string digits;
      for (; i < size() && IsChineseNumeral(at(i)); ++i) digits += static_cast<char32_t>(at(i));
      numbers.push_back(std::to_string(ChineseValue(digits)));
    } else if (IsAsciiLetter(at(i)) && !IsAsciiWord(at(i - 1))) {
      std::int64_t value = 0;
      const std::size_t end = NumberWords(i, &value);
      if (end > i) numbers.push_back(std::to_string(value));
      i = end > i ? end : WordEnd(i);
    } else {
      ++i;
    }
  }
  return numbers;
}

// Past digits with thousands separators and a decimal part.
std::size_t DetailScanner::NumberEnd(std::size_t i) const {
  std::size_t end = i;
  while (IsAsciiDigit(at(end))) ++end;
  if (end - i <= 3) {
    while (at(end) == ',' && IsAsciiDigit(at(end + 1)) && IsAsciiDigit(at(end + 2)) &&
           IsAsciiDigit(at(end + 3)) && !IsAsciiDigit(at(end + 4)))
      end += 4;
  }
  if (at(end) == '.' && IsAsciiDigit(at(end + 1))) {
    ++end;
    while (IsAsciiDigit(at(end))) ++end;
  }
  if (IsVulgarFraction(at(end))) ++end;  // 3½
  return end;
}

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

// "twenty-five", "two hundred and ten": the end, or `i`. "one" alone is an article.
std::size_t DetailScanner::NumberWords(std::size_t i, std::int64_t* value) const {
  std::int64_t total = 0, section = 0;
  std::size_t end = i, j = i;
  int used = 0;
  std::string only;
  while (true) {
    const auto [word, word_end] = WordAt(j);
    if (word.empty()) break;
    if (const int n = EnglishNumber(word); n >= 0) {
      section += n;
    } else if (const std::int64_t scale = EnglishScale(word); scale > 0 && used > 0) {
      if (scale == 100) {
        section = std::max<std::int64_t>(1, section) * 100;
      } else {
        total += std::max<std::int64_t>(1, section) * scale;
        section = 0;
      }
    } else if (word == "and" && used > 0 && section >= 100) {
      j = word_end;
      continue;
    } else if (word == "dozen" && used == 0) {
      section = 12;
    } else {
      break;
    }
    only = word;
    ++used;
    end = word_end;
    j = at(end) == '-' ? end + 1 : end;
    if (at(j) != ' ' && at(end) != '-') break;
  }
  if (used == 0 || (used == 1 && (only == "one" || only == "zero"))) return i;
  if (value != nullptr) *value = total + section;
  return end;
}

// A number in digits, numerals or English words at `i`.
std::size_t DetailScanner::AnyNumber(std::size_t i) const {
  if (IsAsciiDigit(at(i))) {
    std::size_t end = NumberEnd(i);
    while (at(end) == U'万' || at(end) == U'亿' || at(end) == U'千') ++end;
    return end;
  }
  if (IsChineseNumeral(at(i))) {
    std::size_t end = i;
    while (IsChineseNumeral(at(end))) ++end;
    return end;
  }
  return IsAsciiLetter(at(i)) ? NumberWords(i, nullptr) : i;
}

// Past the second number of a range, a product or a ratio: "3–5", "two to four", 三到五, "220 x
// 95", 3比1; `end` when the number before it stands alone.
std::size_t DetailScanner::RangeEnd(std::size_t begin, std::size_t end) const {
  const bool digits = IsAsciiDigit(at(begin));
  std::size_t j = end;
  const std::int32_t c = at(j);
  if (digits && (c == '-' || c == 0x2013 || c == 0x2014 || c == '~' || c == ':')) {
    if (!IsAsciiDigit(at(j + 1))) return end;
    const std::size_t past = NumberEnd(j + 1);
    return IsAsciiLetter(at(past)) && at(past - 1) == '-' ? end : past;
  }
  if (c == U'到' || c == U'至' || c == U'比' || c == U'或') {
    const std::size_t past = AnyNumber(j + 1);
    if (past == j + 1 || c != U'比') return past == j + 1 ? end : past;
    return ClauseEndsAt(past) || !IsCjkIdeograph(at(past)) || InList(at(past), "赢输平的领落战")
               ? past
               : end;
  }
  j = SkipBlanks(j);
  if (digits && (at(j) == 'x' || at(j) == 'X' || at(j) == 0xD7)) {
    const std::size_t next = SkipBlanks(j + 1);
    if (!IsAsciiDigit(at(next))) return end;
    const std::size_t past = NumberEnd(next);
    return RangeEnd(next, past);
  }
  if (at(end) != ' ') return end;
  const auto [joint, joint_end] = WordAt(end);
  if (joint != "to" && joint != "or") return end;
  const std::size_t next = SkipBlanks(joint_end);
  const std::size_t past = AnyNumber(next);
  if (past == next || at(past) == ':' || at(past) == '%' || at(past) == U'%') return end;
  const auto [after, after_end] = WordAt(past);
  return after == "am" || after == "pm" ? end : past;
}

// Past what follows a unit: "km/h", "1 hour 20 minutes", "5 feet 4 inches".
std::size_t DetailScanner::AfterUnit(std::size_t end, std::string_view unit) const {
  if (at(end) == '/' && IsAsciiLetter(at(end + 1))) {
    static constexpr std::string_view kPer[] = {"h",     "s", "min", "hour", "day", "week",
                                                "month", "l", "ml",  "kg",   "m"};
    const std::size_t past = WordEnd(end + 1);
    if (Has(kPer, Lower(end + 1, past))) end = past;
  }
  if (const auto [more, more_end] = WordAt(end);
      (unit == "square" || unit == "cubic") && Has(words::kUnits, more)) {
    return more_end;
  } else if (unit == "degrees" && (more == "celsius" || more == "fahrenheit")) {
    return more_end;
  }
  std::size_t next = SkipBlanks(end);
  if (const auto [word, word_end] = WordAt(end); word == "and") next = SkipBlanks(word_end);
  const std::size_t number = AnyNumber(next);
  if (number == next) return end;
  const auto [smaller, smaller_end] = WordAt(number);
  return Has(words::kSmallerUnits, smaller) ? smaller_end : end;
}

// Past 半 and what a smaller unit adds: 十九度半, 五米二, 1小时52分.
std::size_t DetailScanner::AfterChineseUnit(std::size_t end) const {
  if (at(end) == U'半') return end + 1;
  const std::int32_t unit = at(end - 1);
  const bool digit = ChineseDigit(at(end)) > 0 || IsAsciiDigit(at(end));
  if ((unit == U'米' || unit == U'块' || unit == U'斤' || unit == U'秒') && digit &&
      !IsChineseNumeral(at(end + 1)) && !IsAsciiDigit(at(end + 1)) &&
      PastAny(end + 1, words::kChineseUnits) == end + 1)
    return end + 1;
  if (unit != U'时' && unit != U'分' && unit != U'钟' && unit != U'年' && unit != U'天' &&
      unit != U'米' && unit != U'斤')
    return end;
  const std::size_t next = SkipBlanks(end);
  const std::size_t number = AnyNumber(next);
  if (number == next) return end;
  static constexpr std::string_view kSmaller[] = {"两",   "分钟", "分",     "秒",
                                                  "个月", "厘米", "个小时", "小时"};
  const std::size_t past = PastAny(SkipBlanks(number), kSmaller);
  return past > SkipBlanks(number) ? past : end;
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

// What follows a number says what it is: money, percent, a time, a unit.
std::size_t DetailScanner::Quantity(std::size_t begin, std::size_t end) {
  if (const std::size_t range = RangeEnd(begin, end); range > end) end = range;
  if (at(end) == '%') return Add(DetailKind::kPercent, begin, end + 1);
  if (at(end) == ' ' && at(end + 1) == '%') return Add(DetailKind::kPercent, begin, end + 2);
  if (const std::size_t sign = SkipBlanks(end);
      at(sign) == 0x20AC || at(sign) == 0xA3 || (at(sign) == '$' && !IsAsciiDigit(at(sign + 1))))
    return Add(DetailKind::kMoney, begin, sign + 1);  // "1.299 €"
  if (at(end) == 0x2103) return Add(DetailKind::kNumber, begin, end + 1);
  if (const std::size_t degree = SkipBlanks(end); at(degree) == 0xB0) {
    const bool scale = (at(degree + 1) | 32) == 'c' || (at(degree + 1) | 32) == 'f';
    return Add(DetailKind::kNumber, begin, degree + 1 + scale);
  }
  if (const std::size_t ago = Ago(end); ago > end) return Add(DetailKind::kDate, begin, ago);
  // "12-year-old", "30-minute"
  if (at(end) == '-' && IsAsciiLetter(at(end + 1))) {
    const std::size_t unit_end = WordEnd(end + 1);
    const bool old = Lower(unit_end, std::min(unit_end + 4, size())) == "-old";
    if (unit_end >= end + 4 && !IsUpper(at(end + 1)))
      return Add(DetailKind::kNumber, begin, unit_end + (old ? 4 : 0));
  }
  // "three and a half hours"
  if (const auto [word, word_end] = WordAt(end); word == "and") {
    const auto [article, article_end] = WordAt(word_end);
    const auto [part, part_end] = WordAt(article_end);
    if (article == "a" && (part == "half" || part == "quarter")) end = part_end;
  }
  const auto [word, word_end] = WordAt(end);
  if (word == "percent" || word == "pct") return Add(DetailKind::kPercent, begin, word_end);
  if (word == "per" && WordAt(word_end).first == "cent")
    return Add(DetailKind::kPercent, begin, WordAt(word_end).second);
  std::size_t scale_end = end;
  std::string unit = word;
  std::size_t unit_end = word_end;
  if (Has(words::kScales, word)) {
    scale_end = word_end;
    std::tie(unit, unit_end) = WordAt(word_end);
  }
  if (unit == "k" && unit_end == end + 1) {
    scale_end = unit_end;
    std::tie(unit, unit_end) = WordAt(unit_end);
  }
  if (unit == "pounds" || unit == "pound") {
    const auto [next, next_end] = WordAt(unit_end);
    if (next == "heavier" || next == "lighter") unit = "lbs";
  }
  if (unit == "working" || unit == "business" || unit == "consecutive" || unit == "straight")
    std::tie(unit, unit_end) = WordAt(unit_end);
  if (Has(words::kFractions, unit)) return Add(DetailKind::kNumber, begin, unit_end);
  if (Has(words::kCurrencyWords, unit)) return Add(DetailKind::kMoney, begin, unit_end);
  if (Has(words::kUnits, unit)) return Add(DetailKind::kNumber, begin, AfterUnit(unit_end, unit));
  const std::size_t blank = SkipBlanks(scale_end);
  if (const std::size_t money = PastAny(blank, words::kChineseMoney); money > blank) {
    // 三块五, 两块七毛五; 元 may be the first character of a feast.
    std::size_t past = money;
    if (at(money - 1) == U'块' && ChineseDigit(at(money)) > 0 && !IsChineseNumeral(at(money + 1)) &&
        PastAny(money + 1, words::kChineseUnits) == money + 1) {
      past = money + 1;
      if (at(past) == U'毛' || at(past) == U'角') {
        ++past;
        if (ChineseDigit(at(past)) > 0) ++past;
        if (at(past) == U'分') ++past;
      }
    }
    if (!Is(blank, "元旦") && !Is(blank, "元宵")) return Add(DetailKind::kMoney, begin, past);
  }
  if (at(blank) == U'成' && end - begin <= 2 && IsChineseNumeral(at(begin)) &&
      (ClauseEndsAt(blank + 1) || InList(at(blank + 1), "的左以人客左了多")))
    return Add(DetailKind::kPercent, begin, blank + 1);
  if (const std::size_t past = PastAny(blank, words::kChineseUnits);
      past > blank &&
      !(at(blank) == U'分' &&
        !words::Holds(Bytes(ClauseStart(begin, 12), begin),
                      {"领先", "得", "扣", "加", "差", "比分", "考", "打", "输", "赢"}) &&
        past == blank + 1 && end == begin + 1 && !IsAsciiDigit(at(begin)))) {
    // 三室一厅
    if (at(blank) == U'室' && IsChineseNumeral(at(past)) && at(past + 1) == U'厅')
      return Add(DetailKind::kNumber, begin, past + 2);
    return Add(DetailKind::kNumber, begin, AfterChineseUnit(past));
  }
  // "27.50 each"
  const auto dot = Bytes(begin, end).find('.');
  if (dot != std::string_view::npos && Bytes(begin, end).size() == dot + 3 &&
      (word == "each" || word == "apiece"))
    return Add(DetailKind::kMoney, begin, end);
  // "the two islands": known already.
  if (!IsAsciiDigit(at(begin)) && IsAsciiLetter(at(begin)) && (word.size() > 2) &&
      !IsAcronym(begin, end)) {
    const std::string lead = WordBefore(begin), count = Lower(begin, end);
    if ((lead == "the" || lead == "these" || lead == "those") &&
        (count == "two" || count == "three") && !ClauseEndsAt(end))
      return end;
  }
  // "12.5 percent for members, 5 for everybody else"
  if (word == "for" && !details_.empty() &&
      (details_.back().kind == DetailKind::kMoney ||
       details_.back().kind == DetailKind::kPercent) &&
      details_.back().end + 40 > offset_[begin] &&
      text_.substr(details_.back().end, offset_[begin] - details_.back().end).find(" for ") !=
          text_.npos)
    return Add(details_.back().kind, begin, end);
  if (PaidFor(begin, scale_end)) return Add(DetailKind::kMoney, begin, scale_end);
  if (IsChineseNumeral(at(end - 1)) || IsCjk(at(begin - 1)) || IsCjk(at(ClauseStart(begin, 14)))) {
    if (AboutMoney(begin, end)) return Add(DetailKind::kMoney, begin, end);
  }
  return Add(DetailKind::kNumber, begin, scale_end);
}

// Counts that begin with another word: "a hundred", "half an hour", "twice", "third floor".
std::size_t DetailScanner::CountByWord(std::size_t i) {
  const auto [word, end] = WordAt(i);
  const auto [next, next_end] = WordAt(end);
  // Mostly.
  static constexpr std::string_view kMostly = "nine times out of ten";
  if (Lower(i, std::min(i + kMostly.size(), size())) == kMostly) return i + kMostly.size();
  if (word == "twice" || word == "thrice") return Add(DetailKind::kNumber, i, end);
  if (word == "once") {
    static constexpr std::string_view kEach[] = {"a",    "an",    "every", "per",
                                                 "each", "daily", "weekly"};
    return Has(kEach, next) ? Add(DetailKind::kNumber, i, end) : i;
  }
  if (word == "a" || word == "an") {
    const bool scale = EnglishScale(next) > 0 || next == "dozen";
    if (scale && WordBefore(i) != "in" && WordBefore(i) != "thanks") return Quantity(i, next_end);
    if (Has(words::kFractions, next) && WordAt(next_end).first == "of")
      return Add(DetailKind::kNumber, i, next_end);
    return i;
  }
  // "half 5" is half past four or five.
  if (word == "half" && IsAsciiDigit(at(SkipBlanks(end))) && next.size() <= 2) {
    static constexpr std::string_view kThen[] = {"instead", "on", "for", "or", "at", "today"};
    const int hour = Small(SkipBlanks(end), next_end);
    if (hour > 0 && hour <= 12 && (ClauseEndsAt(next_end) || Has(kThen, WordAt(next_end).first)))
      return Add(DetailKind::kTime, i, next_end);
  }
  if (word == "half" && (next == "a" || next == "an")) {
    const auto [unit, unit_end] = WordAt(next_end);
    const bool amount =
        Has(words::kUnits, unit) || EnglishScale(unit) > 0 || unit == "dozen" || unit == "percent";
    if (!amount || unit == "second") return i;
    if (unit == "percent") return Add(DetailKind::kPercent, i, unit_end);
    const bool money = EnglishScale(unit) > 0 && PaidFor(i, unit_end);
    return Add(money ? DetailKind::kMoney : DetailKind::kNumber, i, unit_end);
  }
  if (word == "one") {
    static constexpr std::string_view kPlaces[] = {
        "page",  "chapter", "level",   "lesson", "part",   "gate", "platform", "unit",
        "stage", "round",   "episode", "season", "volume", "lane", "phase"};
    if (Has(kPlaces, WordBefore(i)) && ClauseEndsAt(end)) return Add(DetailKind::kNumber, i, end);
    if (const std::size_t range = RangeEnd(i, end); range > end) return Quantity(i, end);
    const bool amount = Has(words::kUnits, next) && !Has(words::kVagueUnits, next);
    return amount ? Add(DetailKind::kNumber, i, next_end) : i;
  }
  if (Has(words::kOrdinals, word) && Has(words::kOrdered, next) && next != "year")
    return Add(DetailKind::kNumber, i, end);
  return i;
}

// "1. budget approved; 2. hiring": the mark of a list, when the next one follows.
bool DetailScanner::IsListMark(std::size_t begin, std::size_t end) const {
  if (end - begin > 2 || (at(end) != '.' && at(end) != ')') || at(end + 1) != ' ') return false;
  std::size_t before = begin;
  while (before > 0 && at(before - 1) == ' ') --before;
  const std::int32_t c = before == 0 ? '\n' : at(before - 1);
  const bool open = c == '\n' || c == ';' || c == ':' || c == U'：' || c == U'；' || c == U'。';
  if (!open && !(before < begin && !IsAsciiDigit(c))) return false;
  const int value = Small(begin, end);
  const auto mark = [&](int number) {
    return std::to_string(number) + static_cast<char>(at(end)) + ' ';
  };
  return text_.find(mark(value + 1)) != text_.npos ||
         (value > 1 && text_.find(mark(value - 1)) != text_.npos);
}

std::size_t DetailScanner::Number(std::size_t i) {
  if (const std::size_t end = NumericDate(i); end > i) return Add(DetailKind::kDate, i, end);
  // B区17号: a place of a hall.
  if (IsAsciiDigit(at(i)) && i > 0 && InList(at(i - 1), "区栋座位") && at(Digits(i, 4)) == U'号' &&
      ClauseEndsAt(Digits(i, 4) + 1))
    return Add(DetailKind::kIdentifier, i, Digits(i, 4) + 1);
  if (const std::size_t end = ChineseDate(i); end > i) return Add(DetailKind::kDate, i, end);
  if (const std::size_t end = ClockTime(i); end > i) return Add(DetailKind::kTime, i, end);
  if (const std::size_t end = ChineseTime(i); end > i) return Add(DetailKind::kTime, i, end);
  return IsAsciiDigit(at(i)) ? DigitNumber(i) : ChineseNumber(i);
}

std::size_t DetailScanner::DigitNumber(std::size_t i) {
  std::size_t end = NumberEnd(i);
  if (IsListMark(i, end)) return end + 1;
  // 3-502 is a flat: too far apart for a range.
  if (at(end) == '-' && end - i <= 2 && Digits(end + 1, 5) == end + 4 &&
      PastAny(end + 4, words::kChineseUnits) == end + 4 && !IsAsciiLetter(at(end + 4)) &&
      !Has(words::kUnits, WordAt(end + 4).first))
    return Add(DetailKind::kIdentifier, i, end + 4);
  // "5 March 2024", "5th of March", "3 to 7 May"
  if (const std::size_t date = DayThenMonth(i, end); date > i)
    return Add(DetailKind::kDate, i, date);
  if (const std::size_t street = StreetAfter(i); street > i)
    return Add(DetailKind::kPlace, i, street);
  const std::string suffix = Lower(end, std::min(end + 2, size()));
  if ((suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th") &&
      !IsAsciiWord(at(end + 2))) {
    return Add(IsDayOfMonth(i, end + 2) ? DetailKind::kDate : DetailKind::kNumber, i, end + 2);
  }
  if (const std::size_t hour = BareHour(i, end); hour > i) return Add(DetailKind::kTime, i, hour);
  if (end - i == 4 && (at(i) == '1' || at(i) == '2') && IsYear(i) && at(end) != '%') {
    const std::string after = WordAt(end).first;
    if ((Has(words::kYearLeads, WordBefore(i)) || FollowsYear(i)) && !Has(words::kUnits, after) &&
        !Has(words::kCurrencyWords, after)) {
      return Add(DetailKind::kDate, i, end);
    }
  }
  // "a 2014 Skoda"
  if (end - i == 4 && IsYear(i) && at(end) == ' ') {
    static constexpr std::string_view kOf[] = {"a", "my", "the", "his", "her", "our", "their"};
    const std::string after = WordAt(end).first;
    if (Has(kOf, WordBefore(i)) && (IsBrand(after) || IsUpper(at(end + 1))))
      return Add(DetailKind::kDate, i, end);
  }
  if (at(end) == 'p' && end - i == 2 && !IsAsciiWord(at(end + 1)))  // 20p
    return Add(DetailKind::kMoney, i, end + 1);
  if (at(end) == 's' && end - i == 4) return Add(DetailKind::kDate, i, end + 1);  // 1990s
  if (const std::size_t decade = DecadeAt(i); decade > i && WordBefore(i) == "the")
    return Add(DetailKind::kDate, i, decade);
  // "born in '98", and a year that is all that is said.
  const bool cut = end - i == 2 && at(i - 1) == '\'' && Has(words::kYearLeads, WordBefore(i - 1));
  if (cut) return Add(DetailKind::kDate, i - 1, end);
  if (end - i == 4 && end == size() && i == 0 && IsYear(i)) return Add(DetailKind::kDate, i, end);
  // 3号床, B区17号
  if (Is(end, "号床") || Is(end, "号病床") || Is(end, "号工位") || Is(end, "号柜"))
    return Add(DetailKind::kIdentifier, i,
               end + (at(end + 1) == U'床' || at(end + 1) == U'柜' ? 2 : 3));
  // 048812
  if (at(i) == '0' && Digits(i, 12) == end && end - i >= 5 && !IsAsciiWord(at(end)))
    return Add(DetailKind::kIdentifier, i, end);
  // 12床, 9床: a bed of a ward.
  if (at(end) == U'床' && (ClauseEndsAt(end + 1) || IsCjkIdeograph(at(end + 1))) && end - i <= 3 &&
      !InList(at(end + 1), "被单垫子罩"))
    return Add(DetailKind::kIdentifier, i, end + 1);
  // 包间302, 工位17, 302会议室: which of the rooms.
  static constexpr std::string_view kRoomWords[] = {
      "包间", "包厢",   "工位", "车位", "窗口", "会议室", "教室", "分机", "卡座",
      "柜子", "储物柜", "房间", "座位", "桌号", "诊室",   "排号", "床位"};
  static constexpr std::string_view kRooms[] = {"教室", "会议室", "包间", "包厢",
                                                "诊室", "房间",   "房"};
  if (const std::string_view before = Bytes(0, i);
      Bytes(i, end).find('.') == std::string_view::npos &&
      PastAny(end, words::kChineseMoney) == end &&
      ((PastAny(end, words::kChineseUnits) == end &&
        std::any_of(std::begin(kRoomWords), std::end(kRoomWords),
                    [&](std::string_view word) { return before.ends_with(word); })) ||
       (end - i >= 3 && end - i <= 4 && PastAny(end, kRooms) > end)))
    return Add(DetailKind::kIdentifier, i, end);
  // 3号楼609: the door.
  if (!details_.empty() && details_.back().end == offset_[i] && end - i >= 3 && end - i <= 4 &&
      details_.back().kind == DetailKind::kNumber && InList(at(i - 1), "楼栋元座") &&
      ClauseEndsAt(end))
    return Add(DetailKind::kIdentifier, i, end);
  // 安卓14, 鸿蒙4
  static constexpr std::string_view kSystems[] = {"安卓", "鸿蒙", "苹果", "系统版本"};
  if (const std::string_view before = Bytes(0, i);
      PastAny(end, words::kChineseUnits) == end &&
      std::any_of(std::begin(kSystems), std::end(kSystems),
                  [&](std::string_view system) { return before.ends_with(system); }))
    return Add(DetailKind::kIdentifier, i, end);
  // "Postgres 14.2, not 15"
  if (details_.size() > 1 && details_.back().kind == DetailKind::kIdentifier && end - i <= 5 &&
      details_[details_.size() - 2].kind == DetailKind::kName &&
      details_[details_.size() - 2].end + 1 == details_.back().begin &&
      details_.back().end + 14 > offset_[i] && ClauseEndsAt(end) &&
      IsAsciiDigit(static_cast<unsigned char>(details_.back().text.front()))) {
    const std::string lead = WordBefore(i);
    if (lead == "not" || lead == "to" || lead == "and" || lead == "or" || lead == "on")
      return Add(DetailKind::kIdentifier, i, end);
  }
  // "Python 3.11", "Java 17"
  if (!details_.empty() &&
      (Bytes(i, end).find('.') != std::string_view::npos || IsTool(details_.back().text)) &&
      details_.back().kind == DetailKind::kName && i > 0 && details_.back().end == offset_[i - 1] &&
      at(i - 1) == ' ') {
    const std::string after = WordAt(end).first;
    if (!Has(words::kUnits, after) && !Has(words::kCurrencyWords, after) && at(end) != '%')
      return Add(DetailKind::kIdentifier, i, end);
  }
  // "version 4.0", 升级到4.0
  if (Bytes(i, end).find('.') != std::string_view::npos &&
      (ClauseEndsAt(end) || InList(at(end), "了的吧会有就后之"))) {
    static constexpr std::string_view kVersions[] = {"版本",   "版本号", "升到",   "升级到",
                                                     "更新到", "发布",   "个月发", "升级到了",
                                                     "回退到", "回滚到", "版本是", "版本为"};
    const std::string_view before = TrimmedView(Bytes(ClauseStart(i, 12), i), kBlanks);
    const std::string lead = WordBefore(i);
    if (lead == "version" || lead == "release" ||
        std::any_of(std::begin(kVersions), std::end(kVersions),
                    [&](std::string_view cue) { return before.ends_with(cue); }))
      return Add(DetailKind::kIdentifier, i, end);
  }
  if (at(end) == '/' && IsAsciiDigit(at(end + 1))) {
    const std::size_t fraction = NumberEnd(end + 1);
    const auto [unit, unit_end] = WordAt(fraction);
    return Add(DetailKind::kNumber, i, Has(words::kUnits, unit) ? unit_end : fraction);
  }
  while (at(end) == U'万' || at(end) == U'亿' || at(end) == U'千') ++end;
  // 21万9: of money only.
  if (at(end - 1) == U'万' && IsAsciiDigit(at(end)) && !IsAsciiDigit(at(end + 1)) &&
      PastAny(end + 1, words::kChineseUnits) == end + 1)
    return Add(DetailKind::kMoney, i, end + 1);
  if (at(end) == U'多' || at(end) == U'几') ++end;
  return Quantity(i, end);
}

std::size_t DetailScanner::ChineseNumber(std::size_t i) {
  if (at(i) == U'第') {
    std::size_t end = i + 1;
    while (IsAsciiDigit(at(end)) || IsChineseNumeral(at(end))) ++end;
    if (end == i + 1) return end;
    const std::size_t unit = PastAny(end, words::kChineseUnits);
    // 第一次 and 第一 are talk mostly, 第一名 is a rank.
    if (end == i + 2 && at(i + 1) == U'一' && !InList(at(end), "名位章页行层排级季集届期"))
      return end;
    return Add(DetailKind::kNumber, i, unit);
  }
  if (const std::size_t word = PastAny(i, words::kNumeralWords); word > i && !Is(i, "十分钟"))
    return word;
  if (const std::size_t saying = ChineseIdiomBytes(text_.substr(offset_[i]));
      saying > 0 && at(i + 1) != U'室')
    return i + CountCodePoints(text_.substr(offset_[i], saying));
  // 押一付三: months of a deposit and of rent.
  if ((at(i - 1) == U'押' && at(i + 1) == U'付') || (at(i - 1) == U'付' && at(i - 3) == U'押'))
    return i + 1;
  std::size_t end = i;
  bool only_scales = true, scaled = false;
  while (IsChineseNumeral(at(end))) {
    only_scales &= ChineseScale(at(end)) > 0;
    scaled |= ChineseScale(at(end++)) > 0;
  }
  // 两万八一平: what each costs.
  if (end > i + 2 && at(end - 1) == U'一' && ChineseDigit(at(end - 2)) > 0 && scaled &&
      PastAny(end, words::kChineseUnits) > end)
    --end;
  if (Is(end, "分之") && IsChineseNumeral(at(end + 2))) {  // 三分之一
    std::size_t part = end + 2;
    while (IsChineseNumeral(at(part))) ++part;
    return Add(DetailKind::kNumber, i, PastAny(part, words::kChineseUnits));
  }
  if (at(end) == U'点' && ChineseDigit(at(end + 1)) >= 0 && ChineseDigit(at(i)) >= 0) {  // 三点五
    std::size_t part = end + 1;
    while (ChineseDigit(at(part)) >= 0) ++part;
    end = part;
  }
  if (at(end) == U'多' || at(end) == U'几') {
    ++end;
    if (at(end) == U'万' || at(end) == U'亿' || at(end) == U'千' || at(end) == U'百') ++end;
  } else if (at(end) == U'来' && end > i + 1 && PastAny(end + 1, words::kChineseUnits) > end + 1) {
    ++end;  // 四十来岁
  }
  const bool half = at(end) == U'半';
  const auto measured = [&](std::size_t from) {
    return PastAny(from, words::kChineseUnits) > from || PastAny(from, words::kChineseMoney) > from;
  };
  if (end == i + 1 && ChineseScale(at(i)) != 10 && (at(i) == U'一' || ChineseScale(at(i)) > 0)) {
    // 一个, 万一, 千万: words, but 一岁, 一公斤 and 一个半小时 are quantities.
    static constexpr std::string_view kMeasured[] = {"公斤", "公里", "小时", "岁", "斤",
                                                     "万",   "个半", "千克", "克", "米",
                                                     "升",   "公顷", "吨",   "亩", "度半"};
    const bool amount = at(i) == U'一' && PastAny(end, kMeasured) > end && !Is(end, "米阳光");
    if (!amount && at(i) == U'一' && RangeEnd(i, end) > end) return Quantity(i, end);
    if (!amount) return end;
  }
  if (only_scales && end == i + 2 && Is(i, "千万")) return end;
  if (end == i + 1 && !half) {  // One numeral counts only before a measure or money.
    if (at(i) == U'十' && Is(end, "分") && !Is(end, "分钟")) return end;
    const std::size_t range = RangeEnd(i, end);
    const bool percent = at(end) == U'成';
    if (!measured(end) && range == end && !percent && !AboutMoney(i, end)) return end;
    if (percent && !measured(end)) {
      if (!(ClauseEndsAt(end + 1) || InList(at(end + 1), "的左以人客了多"))) return end;
    }
  }
  // 七八 is some; 二〇二四 is digits.
  if (end == i + 2 && !scaled && !measured(end)) return end;
  return Quantity(i, end);
}

int DetailScanner::Small(std::size_t begin, std::size_t end) const {
  int value = 0;
  for (std::size_t i = begin; i < end; ++i) value = std::min(value * 10 + (at(i) - '0'), 9999);
  return value;
}

std::size_t DetailScanner::Digits(std::size_t i, std::size_t most) const {
  std::size_t end = i;
  while (end < i + most && IsAsciiDigit(at(end))) ++end;
  return end;
}

std::size_t DetailScanner::Numeral(std::size_t i, std::size_t most) const {
  std::size_t end = i;
  if (IsAsciiDigit(at(i))) {
    while (end < i + most && IsAsciiDigit(at(end))) ++end;
  } else {
    while (end < i + most && IsChineseNumeral(at(end)) && at(end) != U'万' && at(end) != U'亿')
      ++end;
  }
  return end;
}

}  // namespace liubai::memory
