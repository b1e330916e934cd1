// Chinese dates and distances in numbers: 5月20日, 二〇二三年五月, 三天前, 最近两周.
#include <algorithm>

#include "memory/time_chinese.h"

namespace liubai::memory::timing {
namespace {

using U32 = std::u32string_view;

struct UnitName {
  U32 name;
  Unit unit;
};
// Longer names first.
constexpr UnitName kUnits[] = {
    {U"个星期", Unit::kWeek}, {U"个礼拜", Unit::kWeek},    {U"个小时", Unit::kHour},
    {U"个钟头", Unit::kHour}, {U"个周末", Unit::kWeekend}, {U"个季度", Unit::kQuarter},
    {U"分钟", Unit::kMinute}, {U"小时", Unit::kHour},      {U"星期", Unit::kWeek},
    {U"礼拜", Unit::kWeek},   {U"个月", Unit::kMonth},     {U"天", Unit::kDay},
    {U"日", Unit::kDay},      {U"周", Unit::kWeek},        {U"年", Unit::kYear}};

}  // namespace

ChineseScan::Numeral ChineseScan::NumeralAt(std::size_t i, std::size_t most) const {
  Numeral out;
  out.end = i;
  if (C(i) >= '0' && C(i) <= '9') {
    out.arabic = true;
    while (out.end < i + most && C(out.end) >= '0' && C(out.end) <= '9') {
      out.value = out.value * 10 + static_cast<int>(C(out.end++) - '0');
    }
    if (C(out.end) >= '0' && C(out.end) <= '9') out.end = i;  // Longer than that.
    return out;
  }
  int total = 0, digit = -1, digits = 0, sum = 0;
  bool scaled = false;
  for (; out.end < i + most; ++out.end) {
    const char32_t c = C(out.end);
    const int d = ChineseDigit(static_cast<std::int32_t>(c));
    if (d >= 0) {
      digit = d;
      sum = sum * 10 + d;
      ++digits;
    } else if (c == U'十' || c == U'百') {
      scaled = true;
      total += (digit > 0 ? digit : 1) * (c == U'十' ? 10 : 100);
      digit = -1;
    } else if (c == U'廿') {
      scaled = true;
      total += 20;
    } else {
      break;
    }
  }
  out.positional = !scaled && digits > 1;
  out.value = scaled ? total + std::max(digit, 0) : sum;
  return out;
}

Portion ChineseScan::PortionAt(std::size_t i, bool year, std::size_t* end) const {
  struct Name {
    U32 name;
    Portion portion;
    U32 not_before;
  };
  static constexpr Name kOfYear[] = {
      {U"年初", Portion::kStart, {}},       {U"年底", Portion::kEnd, {}},
      {U"年末", Portion::kEnd, {}},         {U"年中", Portion::kMiddle, {}},
      {U"上半年", Portion::kFirstHalf, {}}, {U"下半年", Portion::kSecondHalf, {}}};
  static constexpr Name kOfMonth[] = {{U"上旬", Portion::kEarly, {}},
                                      {U"中旬", Portion::kMiddle, {}},
                                      {U"下旬", Portion::kLate, {}},
                                      {U"上半月", Portion::kFirstHalf, {}},
                                      {U"下半月", Portion::kSecondHalf, {}}};
  static constexpr Name kOfBoth[] = {{U"初", Portion::kStart, U"一二三四五六七八九十中高恋次步学"},
                                     {U"底", Portion::kEnd, U"下"},
                                     {U"末", Portion::kEnd, U"端"}};
  const auto Find = [&](const auto& names) {
    for (const Name& name : names) {
      if (!Is(i, name.name) || In(C(i + name.name.size()), name.not_before)) continue;
      *end = i + name.name.size();
      return name.portion;
    }
    return Portion::kWhole;
  };
  const Portion own = year ? Find(kOfYear) : Find(kOfMonth);
  return own != Portion::kWhole ? own : Find(kOfBoth);
}

std::size_t ChineseScan::MonthAt(std::size_t i, int year, std::size_t begin, Pick pick) {
  const Numeral month = NumeralAt(i, 3);
  const bool first = Is(i, U"正月") || Is(i, U"腊月") || Is(i, U"冬月");
  std::size_t sign = first ? i + 1 : month.end;
  if (!first && (month.end == i || month.positional)) return i;
  if (C(sign) == ' ') ++sign;
  if (C(sign) != U'月' || C(sign + 1) == U'饼' || C(sign + 1) == U'亮') return i;
  if (!first && !month.arabic && C(i) == U'两') return i;
  const int m = Is(i, U"腊月") ? 12 : Is(i, U"冬月") ? 11 : first ? 1 : month.value;
  std::size_t end = sign + 1;
  const std::size_t day_begin = C(end) == ' ' ? end + 1 : end;
  if (m < 1 || m > 12) {
    if (Prev(i) == U'第') return i;
    const Numeral day = NumeralAt(day_begin, 3);
    if (day.end > day_begin && In(C(day.end), U"日号")) end = day.end + 1;
    return Impossible(begin, end);
  }
  Piece piece;
  piece.pick = pick;
  piece.relative = pick != Pick::kOpen;
  // 五月初五, 正月十五, 八月十五 are the lunar calendar's.
  const bool initial = C(day_begin) == U'初' && In(C(day_begin + 1), U"一二三四五六七八九十");
  const Numeral day = NumeralAt(initial ? day_begin + 1 : day_begin, 3);
  const bool told = day.end > day_begin + (initial ? 1 : 0);
  std::size_t day_sign = day.end;
  if (told && C(day_sign) == ' ') ++day_sign;
  const bool lunar =
      first || initial || (told && !day.arabic && !In(C(day_sign), U"日号") && day.value == 15);
  if (lunar && told && day.value >= 1 && day.value <= 30) {
    piece.kind = Piece::Kind::kLunarDay;
    piece.a = m;
    piece.b = day.value;
    if (year > 0) piece.frame = YearSpan(year), piece.c = year;
    return Add(piece, begin, In(C(day_sign), U"日号") ? day_sign + 1 : day.end);
  }
  if (first) {
    piece.kind = Piece::Kind::kFestival;  // 正月 alone: around the Spring Festival.
    if (m != 1) return i;
    piece.a = static_cast<int>(Festival::kSpringFestival);
    piece.precision = TimePrecision::kDays;
    return Add(piece, begin, end);
  }
  if (told && In(C(day_sign), U"日号") && !(C(day_sign) == U'日' && C(day_sign + 1) == U'本')) {
    end = day_sign + 1;
    if (year > 0) {
      const std::optional<Span> span = OneDay(year, m, day.value);
      if (!span) return Impossible(begin, end);
      piece.span = piece.frame = *span;
      return Add(piece, begin, end);
    }
    if (!OneDay(2024, m, day.value)) return Impossible(begin, end);
    piece.kind = Piece::Kind::kMonthDay;
    piece.a = m;
    piece.b = day.value;
    return Add(piece, begin, end);
  }
  if (C(end) == U'份') ++end;
  piece.precision = TimePrecision::kMonth;
  piece.portion = PortionAt(end, false, &end);
  if (year > 0) {
    piece.span = piece.frame = MonthSpan(year, m);
  } else {
    piece.kind = Piece::Kind::kMonth;
    piece.a = m;
  }
  return Add(piece, begin, end);
}

std::size_t ChineseScan::AfterYear(std::size_t i, std::size_t begin, const Piece& year,
                                   int number) {
  std::size_t at = i;
  if (C(at) == ' ') ++at;
  if (C(at) == U'的') ++at;
  if (Is(at, U"农历") || Is(at, U"阴历")) at += 2;
  if (const std::size_t end = MonthAt(at, number, begin, Pick::kOpen); end > at) {
    // Only said by the year's distance.
    if (!found_->pieces.empty() && found_->pieces.back().end == offset_[end]) {
      found_->pieces.back().relative |= year.relative;
    }
    return end;
  }
  Piece piece = year;
  std::size_t end = i;
  piece.portion = PortionAt(i, true, &end);
  if (piece.portion == Portion::kWhole && In(C(at), U"春夏秋冬") &&
      !In(C(at + 1), U"节装令游运卷至")) {
    const int season = static_cast<int>(U32(U"春夏秋冬").find(C(at)));
    piece.span = piece.frame = SeasonSpan(number, season);
    piece.precision = TimePrecision::kSeason;
    end = at + (In(C(at + 1), U"天季") ? 2 : 1);
    piece.portion = PortionAt(end, false, &end);
  }
  return Add(piece, begin, end);
}

ChineseScan::Amount ChineseScan::AmountAt(std::size_t i) const {
  Amount amount;
  std::size_t at = i;
  if (C(at) == U'好') ++at;
  if (C(at) == U'半') {
    amount.half = true;
    ++at;
  } else if (In(C(at), U"几数些")) {
    amount.few = true;
    amount.value = 3;
    ++at;
  } else {
    const Numeral numeral = NumeralAt(at, 4);
    // 两三天: two or three.
    const bool or_more =
        numeral.positional && numeral.end == at + 2 && numeral.value % 10 == numeral.value / 10 + 1;
    if (numeral.end == at || (numeral.positional && !or_more)) return amount;
    amount.value = or_more ? numeral.value / 10 : numeral.value;
    amount.about = or_more;
    at = numeral.end;
    if (C(at) == U'几') amount.about = true, ++at;
  }
  if (In(C(at), U"多来")) amount.about = true, ++at;
  // 两个半月, 三个多月
  if (C(at) == U'个' && In(C(at + 1), U"半多")) {
    (C(at + 1) == U'半' ? amount.half : amount.about) = true;
    at += 2;
    if (C(at) != U'月' && !Is(at, U"星期") && !Is(at, U"礼拜")) return {};
    amount.unit = C(at) == U'月' ? Unit::kMonth : Unit::kWeek;
    amount.end = at + (C(at) == U'月' ? 1 : 2);
    return amount;
  }
  for (const UnitName& name : kUnits) {
    if (!Is(at, name.name)) continue;
    at += name.name.size();
    amount.unit = name.unit;
    if (C(at) == U'半') amount.half = true, ++at;
    if (C(at) == U'多') amount.about = true, ++at;
    amount.end = at;
    return amount;
  }
  if (C(at) == U'月' && Prev(at) == U'两') {  // 两月前
    amount.unit = Unit::kMonth;
    amount.end = at + 1;
  }
  return amount;
}

std::size_t ChineseScan::Distance(std::size_t i) {
  const Amount amount = AmountAt(i);
  if (amount.end == 0) return i;
  std::size_t at = amount.end;
  if (C(at) == U'左' && C(at + 1) == U'右') at += 2;
  const bool spelled = In(C(at), U"之以") && In(C(at + 1), U"前后");
  if (spelled) ++at;
  if (!In(C(at), U"前后")) return i;
  const bool before = C(at) == U'前';
  if (!spelled && before && In(C(at + 1), U"面方往台半任夕")) return i;
  if (!spelled && !before && In(C(at + 1), U"面来悔半续")) return i;
  auto piece = Away(calendar_, amount.unit, before ? -amount.value : amount.value, amount.half,
                    amount.few, amount.about);
  if (!piece) return i;
  if (!before) piece->pick = Pick::kComing;  // Counted from the day of a story, mostly.
  return Add(*piece, i, at + 1);
}

std::size_t ChineseScan::Numbers(std::size_t i) {
  if (IsNumeral(Prev(i)) || In(Prev(i), U"第.") || EveryBefore(i)) return i;
  if (const std::size_t end = Distance(i); end > i) return end;
  // Festivals that are numbers.
  if (Is(i, U"五一") && (In(C(i + 2), U"劳假长节期放去那前后小") || Is(i + 2, U"的时候"))) {
    return Festive(i, i + 2 + (Is(i + 2, U"劳动节") ? 3 : 0), Festival::kMayDay);
  }
  if (Is(i, U"十一") && (In(C(i + 2), U"假长黄") || Is(i + 2, U"期间") || Is(i + 2, U"放假"))) {
    return Festive(i, i + 2, Festival::kChineseNationalDay);
  }
  if (Is(i, U"六一") && (In(C(i + 2), U"儿节") || Is(i + 2, U"那天"))) {
    return Festive(i, i + 2 + (Is(i + 2, U"儿童节") ? 3 : 0), Festival::kChildrensDay);
  }
  const Numeral year = NumeralAt(i, 4);
  std::size_t sign = year.end;
  if (sign > i && C(sign) == ' ') ++sign;
  if (year.end > i && Is(sign, U"年代")) {
    int first = year.value;
    if (first < 100) first += first < 30 ? 2000 : 1900;
    if (first % 10 != 0 || first < 1800 || first > 2100) return i;
    Piece piece;
    piece.span = piece.frame = {YearSpan(first).from, YearSpan(first + 9).to};
    piece.precision = TimePrecision::kYears;
    return Add(piece, i, sign + 2);
  }
  if (year.end > i && C(sign) == U'年' && !In(C(sign + 1), U"级纪轻龄间")) {
    int number = 0;
    if (year.end == i + 4 && (year.arabic || year.positional)) number = year.value;
    if (year.end == i + 2 && (year.arabic || year.positional)) {
      const Numeral month = NumeralAt(sign + 1, 3);
      const bool dated =
          (month.end > sign + 1 && C(month.end) == U'月') ||
          (year.value >= 10 && In(C(sign + 1), U"春夏秋冬") && In(C(sign + 2), U"天季"));
      const bool old = year.value >= 50 || (year.value < 10 && (C(i) == '0' || In(C(i), U"零〇")));
      if (dated || (old && !In(C(sign + 1), U"前后内来的"))) {
        number = year.value + (year.value < 50 ? 2000 : 1900);
      }
    }
    if (number >= 1800 && number <= 2200) {
      Piece piece;
      piece.span = piece.frame = YearSpan(number);
      piece.precision = TimePrecision::kYear;
      return AfterYear(sign + 1, i, piece, number);
    }
  }
  if (const std::size_t end = MonthAt(i, 0, i, Pick::kOpen); end > i) return end;
  // 15号, 15日
  const Numeral day = NumeralAt(i, 3);
  if (day.end > i && day.value >= 1 && day.value <= 31 && !day.positional &&
      (C(day.end) == U'号' || (C(day.end) == U'日' && day.arabic)) &&
      !In(C(day.end + 1), U"楼线房门机店院球桌位车厅馆码本元")) {
    Piece piece;
    piece.kind = Piece::Kind::kDayOfMonth;
    piece.b = day.value;
    return Add(piece, i, day.end + 1);
  }
  // An amount is no time; its numeral is not read again.
  return std::max(i, year.end);
}

std::size_t ChineseScan::Recent(std::size_t i) {
  static constexpr U32 kFar[] = {U"前阵子", U"前一阵子", U"前段时间", U"前一段时间", U"前些日子"};
  for (U32 name : kFar) {
    if (!Is(i, name)) continue;
    Piece piece = *Away(calendar_, Unit::kWeek, -3, false, true, true);
    return Add(piece, i, i + name.size());
  }
  std::size_t at = i;
  bool far = false;
  if (Is(i, U"最近") || Is(i, U"过去")) {
    at += 2;
    if (In(C(at), U"的这")) ++at;
  } else if (In(C(i), U"近这") && !In(Prev(i), U"最附将靠接远临")) {
    ++at;
  } else if (C(i) == U'前' && !In(Prev(i), U"以之目眼面提向从")) {
    ++at;
    far = true;
  } else {
    return i;
  }
  const Amount amount = AmountAt(at);
  if (amount.end == 0 || amount.unit < Unit::kDay) return i;
  if (C(i) == U'这' && !amount.few && amount.value < 2) return i;
  std::size_t end = amount.end;
  if (In(C(end), U"前后")) return i;  // 近三年前
  if (Is(end, U"以来") || Is(end, U"之内") || Is(end, U"以内")) {
    end += 2;
  } else if (C(end) == U'里' || C(end) == U'内' || C(end) == U'间') {
    ++end;
  }
  if (far) {
    // 前两天, 前几天: some days ago; 前三年 is as often the first three.
    if (!amount.few && !(amount.unit == Unit::kDay && amount.value == 2)) return i;
    auto piece = Away(calendar_, amount.unit, -std::max(2, amount.value), false, true, true);
    return piece ? Add(*piece, i, end) : i;
  }
  int count = amount.few ? 5 : amount.value;
  Unit unit = amount.unit;
  if (amount.half) {
    if (unit == Unit::kYear)
      unit = Unit::kMonth, count = 12 * count + 6;
    else if (unit == Unit::kMonth)
      unit = Unit::kDay, count = 30 * count + 15;
  }
  const auto piece = Rolling(calendar_, unit, -count);
  return piece ? Add(*piece, i, end) : i;
}
}  // namespace liubai::memory::timing
