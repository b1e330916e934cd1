// Dates in Chinese.

#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {

using words::Has;

// 明天, 上个月, 去年夏天, 月底, 国庆节
std::size_t DetailScanner::ChineseRelativeDate(std::size_t i) const {
  static constexpr std::string_view kDays[] = {
      "大后天",   "大前天",   "明天",     "后天",     "昨天",     "前天",       "明日",
      "昨日",     "次日",     "明晚",     "明早",     "昨晚",     "昨夜",       "前晚",
      "后晚",     "上上周",   "下下周",   "上上个月", "下下个月", "上上个星期", "下下个星期",
      "下月初",   "上月初",   "下月底",   "上月底",   "下个月初", "下个月底",   "上个月初",
      "上个月底", "明年",     "明年初",   "明年底",   "去年底",   "去年初",     "后年",
      "去年",     "前年",     "大前年",   "上个月",   "下个月",   "上月",       "下月",
      "上周",     "下周",     "上星期",   "下星期",   "上个星期", "下个星期",   "上礼拜",
      "下礼拜",   "上个礼拜", "下个礼拜", "上个季度", "下个季度", "上季度",     "下季度",
      "上学期",   "下学期",   "月底",     "年底",     "月初",     "年初",       "月末",
      "年末",     "上个周末", "下个周末", "这周末",   "这个周末", "本周末",     "下周末",
      "上周末"};
  static constexpr std::string_view kFeasts[] = {
      "春节",   "元旦",   "除夕",     "元宵节",   "元宵",     "清明节", "清明",   "五一",
      "六一",   "端午节", "端午",     "中秋节",   "中秋",     "国庆节", "国庆",   "重阳节",
      "圣诞节", "圣诞",   "感恩节",   "情人节",   "七夕节",   "七夕",   "双十一", "双十二",
      "母亲节", "父亲节", "儿童节",   "劳动节",   "妇女节",   "教师节", "平安夜", "万圣节",
      "复活节", "腊八",   "大年三十", "大年初一", "大年初二", "年三十", "小年夜"};
  const std::size_t feast = PastAny(i, kFeasts);
  if (feast > i && !IsChineseNumeral(at(i - 1)) && !IsChineseNumeral(at(feast)) &&
      at(feast) != U'点' && at(feast) != U'号' && at(feast) != U'月')
    return Is(feast, "假期") || Is(feast, "假") ? feast : feast;
  // 腊月二十, 正月初五, 大年初三, 初五
  static constexpr std::string_view kLunar[] = {"腊月", "正月", "冬月", "大年"};
  const std::size_t lunar = PastAny(i, kLunar);
  const std::size_t early = at(lunar) == U'初' ? lunar + 1 : lunar;
  if (lunar > i || (at(i) == U'初' && (i == 0 || !IsCjkIdeograph(at(i - 1))))) {
    std::size_t day = early;
    while (day < early + 3 && (ChineseDigit(at(day)) > 0 || at(day) == U'十' || at(day) == U'廿'))
      ++day;
    if (day > early && !InList(at(day), "中高级次步期")) return day;
    if (lunar > i && !Is(i, "大年")) return Is(lunar, "里") ? lunar + 1 : lunar;
  }
  if ((Is(i, "上半年") || Is(i, "下半年")) && at(i - 1) != U'年') return i + 3;
  std::size_t end = PastAny(i, kDays);
  if (end == i) return i;
  if (Is(i, "上上周") || Is(i, "下下周")) {
    if (ChineseDigit(at(end)) > 0 || at(end) == U'日' || at(end) == U'末') ++end;
  }
  if (const std::size_t day = ChineseDate(i); day > end) end = day;  // 下周三
  const std::int32_t before = at(i - 1);
  // 以前天天, 马上周末, 三天后天气, 以上月薪
  if (InList(before, "以之马天月")) return i;
  if ((before == U'年' || before == U'月') && (at(i) == U'月' || at(i) == U'年')) return i;
  static constexpr std::string_view kSeasons[] = {"春天", "夏天", "秋天", "冬天", "春季", "夏季",
                                                  "秋季", "冬季", "暑假", "寒假", "年底", "年初"};
  if (at(end - 1) == U'年') {
    if (const std::size_t season = PastAny(end, kSeasons); season > end) return season;
    if (const std::size_t date = ChineseDate(end); date > end) return date;
    if (const std::size_t feast_of = PastAny(end, kFeasts); feast_of > end) return feast_of;
  }
  if (at(end - 1) == U'月' && end - i >= 2) {
    if (const std::size_t date = ChineseDate(end); date > end) return date;
  }
  return end;
}

std::size_t DetailScanner::ChineseDate(std::size_t i) const {
  static constexpr std::string_view kWeeks[] = {"星期", "礼拜", "周"};
  std::size_t j = i;
  if (at(j) == U'下' || at(j) == U'上' || at(j) == U'这' || at(j) == U'本') ++j;
  if (at(j) == U'个') ++j;
  for (std::string_view week : kWeeks) {
    if (!Is(j, week)) continue;
    const std::size_t day = j + CountCodePoints(week);
    const int digit = ChineseDigit(at(day));
    if ((digit >= 1 && digit <= 6) || at(day) == U'日' || at(day) == U'天' || at(day) == U'末') {
      if (at(day) == U'日' && at(j) == U'周' && Is(day, "日子")) continue;
      // 每周四节课, 一周三次: how often, not when.
      if (digit >= 1 && j == i && i > 0 && (at(i - 1) == U'每' || at(i - 1) == U'一') &&
          InList(at(day + 1), "节次个趟顿回遍堂场篇"))
        continue;
      return day + 1;
    }
  }
  if (j != i) return i;
  // 2024年3月5日, 3月5号, 二〇二四年, 三月五号
  std::size_t end = i;
  std::size_t year = Numeral(i, 4);
  std::size_t month_begin = i;
  const std::size_t year_sign = SkipBlanks(year);
  if (year == i + 4 && at(year_sign) == U'年') {
    end = year_sign + 1;
    static constexpr std::string_view kSeasons[] = {
        "春天", "夏天", "秋天", "冬天", "春季", "夏季", "秋季",   "冬季",   "春节", "国庆",
        "中秋", "年底", "年初", "底",   "初",   "末",   "上半年", "下半年", "暑假", "寒假"};
    if (const std::size_t season = PastAny(end, kSeasons); season > end) return season;
    month_begin = SkipBlanks(end);
  } else if (year == i + 2 && at(year) == U'年' && IsAsciiDigit(at(i)) &&
             Numeral(year + 1, 2) > year + 1 && at(Numeral(year + 1, 2)) == U'月') {
    end = year + 1;
    month_begin = end;
  }
  const std::size_t month = Numeral(month_begin, 3);
  if (month > month_begin && at(SkipBlanks(month)) == U'月') {
    end = SkipBlanks(month) + 1;
    const std::size_t day_begin = SkipBlanks(end);
    const std::size_t day = Numeral(day_begin, 3);
    const std::size_t day_sign = SkipBlanks(day);
    if (day > day_begin && (at(day_sign) == U'日' || at(day_sign) == U'号')) {
      end = day_sign + 1;
    } else if (IsAsciiDigit(at(month_begin)) && day > day_begin && day <= day_begin + 2 &&
               IsAsciiDigit(at(day_begin)) && Small(day_begin, day) <= 31 && ClauseEndsAt(day)) {
      end = day;  // 3月15
    } else if (day > end + 1 && !IsAsciiDigit(at(end))) {
      end = day;  // 八月十五
    } else if (at(end) == U'初' && ChineseDigit(at(end + 1)) > 0) {
      end += 2;  // 正月初一
    } else if (Is(end, "上旬") || Is(end, "中旬") || Is(end, "下旬")) {
      end += 2;
    } else if (at(end) == U'份' || at(end) == U'底' || at(end) == U'初' || at(end) == U'末') {
      ++end;
    }
  } else if (end == i) {
    const std::size_t day = Numeral(i, 3);
    if (day > i && (at(day) == U'号' || (at(day) == U'日' && IsAsciiDigit(at(i)))) &&
        !(at(day) == U'号' &&
          InList(at(day + 1), "楼线房门会机馆厅院桌柜球位车仓码店文台床公窗病铺摊")) &&
        !IsAsciiDigit(at(day + 1)) && !(i > 0 && InList(at(i - 1), "路街弄巷楼第住"))) {
      const bool in_range = !IsAsciiDigit(at(i)) || Small(i, day) <= 31;
      if (in_range) end = day + 1;
    }
  }
  return end;
}

}  // namespace liubai::memory
