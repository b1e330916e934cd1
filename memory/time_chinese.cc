// The times of Chinese: which form is tried where; days, weeks and festivals by their names.
#include "memory/time_chinese.h"

#include <algorithm>
#include <bitset>

#include "core/text.h"

namespace liubai::memory::timing {
namespace {

using U32 = std::u32string_view;

struct FestivalName {
  U32 name;
  Festival festival;
};
constexpr FestivalName kFestivals[] = {{U"国庆", Festival::kChineseNationalDay},
                                       {U"春节", Festival::kSpringFestival},
                                       {U"过年", Festival::kSpringFestival},
                                       {U"除夕", Festival::kSpringFestivalEve},
                                       {U"大年三十", Festival::kSpringFestivalEve},
                                       {U"年三十", Festival::kSpringFestivalEve},
                                       {U"元宵", Festival::kLanternFestival},
                                       {U"清明", Festival::kQingming},
                                       {U"劳动节", Festival::kMayDay},
                                       {U"端午", Festival::kDragonBoat},
                                       {U"七夕", Festival::kQixi},
                                       {U"中秋", Festival::kMidAutumn},
                                       {U"重阳", Festival::kDoubleNinth},
                                       {U"元旦", Festival::kNewYearsDay},
                                       {U"跨年", Festival::kNewYearsEve},
                                       {U"情人节", Festival::kValentinesDay},
                                       {U"妇女节", Festival::kWomensDay},
                                       {U"植树节", Festival::kArborDay},
                                       {U"愚人节", Festival::kAprilFools},
                                       {U"复活节", Festival::kEaster},
                                       {U"母亲节", Festival::kMothersDay},
                                       {U"儿童节", Festival::kChildrensDay},
                                       {U"父亲节", Festival::kFathersDay},
                                       {U"教师节", Festival::kTeachersDay},
                                       {U"万圣节", Festival::kHalloween},
                                       {U"双十一", Festival::kVeteransDay},
                                       {U"光棍节", Festival::kVeteransDay},
                                       {U"双十二", Festival::kDoubleTwelve},
                                       {U"感恩节", Festival::kThanksgiving},
                                       {U"平安夜", Festival::kChristmasEve},
                                       {U"圣诞", Festival::kChristmas},
                                       {U"冬至", Festival::kWinterSolstice},
                                       {U"腊八", Festival::kLaba},
                                       {U"小年夜", Festival::kLittleNewYear},
                                       {U"暑假", Festival::kSummerHolidays},
                                       {U"寒假", Festival::kWinterHolidays}};

struct PartName {
  U32 name;
  Part part;
};
constexpr PartName kParts[] = {
    {U"早上", Part::kMorning}, {U"早晨", Part::kMorning}, {U"清晨", Part::kMorning},
    {U"上午", Part::kMorning}, {U"中午", Part::kNoon},    {U"下午", Part::kAfternoon},
    {U"傍晚", Part::kEvening}, {U"晚上", Part::kEvening}, {U"夜里", Part::kNight},
    {U"深夜", Part::kNight},   {U"半夜", Part::kNight},   {U"凌晨", Part::kMorning},
    {U"夜晚", Part::kEvening}};

// Whether any form begins with `c`; most characters of a text begin none.
bool MayBegin(char32_t c) {
  static const std::bitset<0x10000> known = [] {
    std::bitset<0x10000> set;
    const auto Add = [&](U32 list) {
      for (const char32_t c : list) set.set(c);
    };
    Add(U"0123456789零〇一二两三四五六七八九十百千万亿廿半几好数今昨明后去大前上下本这最近过农阴正"
        U"腊"
        U"冬周星礼年月第春夏秋早清中傍晚夜深凌");
    for (const FestivalName& name : kFestivals) set.set(name.name.front());
    for (const PartName& name : kParts) set.set(name.name.front());
    return set;
  }();
  return c < known.size() && known[c];
}

}  // namespace

std::size_t ChineseScan::Festive(std::size_t i, std::size_t end, Festival festival) {
  if (C(end) == U'节') ++end;
  if (Is(end, U"假期") || Is(end, U"期间") || Is(end, U"长假")) end += 2;
  Piece piece;
  piece.kind = Piece::Kind::kFestival;
  piece.a = static_cast<int>(festival);
  const auto span = FestivalSpan(festival, 2020);
  piece.precision = !span || span->to - span->from <= kDayMs ? TimePrecision::kDay
                    : span->to - span->from > 20 * kDayMs    ? TimePrecision::kMonth
                                                             : TimePrecision::kDays;
  return Add(piece, i, end);
}

std::size_t ChineseScan::DayWord(std::size_t i) {
  struct Name {
    U32 name;
    int steps;
    Part part;
  };
  static constexpr Name kDays[] = {
      {U"大前天", -3, Part::kNone},  {U"大后天", 3, Part::kNone},   {U"前天", -2, Part::kNone},
      {U"后天", 2, Part::kNone},     {U"昨天", -1, Part::kNone},    {U"昨日", -1, Part::kNone},
      {U"今天", 0, Part::kNone},     {U"今日", 0, Part::kNone},     {U"明天", 1, Part::kNone},
      {U"明日", 1, Part::kNone},     {U"今早", 0, Part::kMorning},  {U"今晨", 0, Part::kMorning},
      {U"今晚", 0, Part::kEvening},  {U"昨晚", -1, Part::kEvening}, {U"昨夜", -1, Part::kNight},
      {U"前晚", -2, Part::kEvening}, {U"明早", 1, Part::kMorning},  {U"明晚", 1, Part::kEvening},
      {U"今夜", 0, Part::kNight}};
  for (const Name& name : kDays) {
    if (!Is(i, name.name)) continue;
    // 以前天天, 聪明天真, 说明天气, 幕后天才
    const char32_t next = C(i + name.name.size());
    if (name.name == U"前天" && (In(Prev(i), U"以之目眼面提") || next == U'天')) return i;
    if (name.name == U"明天" && (In(Prev(i), U"聪透") || In(next, U"真气才"))) return i;
    if (name.name == U"后天" && (In(Prev(i), U"幕背") || In(next, U"才赋"))) return i;
    Piece piece = UnitPiece(calendar_, Unit::kDay, name.steps);
    piece.part = name.part;
    return Add(piece, i, i + name.name.size());
  }
  static constexpr std::pair<U32, int> kYears[] = {{U"大前年", -3}, {U"前年", -2}, {U"去年", -1},
                                                   {U"今年", 0},    {U"明年", 1},  {U"后年", 2}};
  for (const auto& [name, steps] : kYears) {
    if (!Is(i, name)) continue;
    const char32_t next = C(i + name.size());
    if (In(Prev(i), U"以之下上") || IsNumeral(Prev(i)) || In(next, U"龄轻级")) return i;
    if (Prev(i) == U'过' && In(next, U"少代间")) return i;  // 过去年少时, 说过去年
    return YearWord(i, i + name.size(), steps);
  }
  return i;
}

std::size_t ChineseScan::YearWord(std::size_t i, std::size_t end, int steps) {
  // 去年的今天
  const std::size_t at = C(end) == U'的' ? end + 1 : end;
  if (Is(at, U"今天") || Is(at, U"今日")) {
    Piece piece;
    piece.span = piece.frame = DaySpan(calendar_.MonthsAway(12 * steps));
    piece.relative = true;
    return Add(piece, i, at + 2);
  }
  const Piece piece = UnitPiece(calendar_, Unit::kYear, steps);
  return AfterYear(end, i, piece, calendar_.year() + steps);
}

int ChineseScan::WeekdayAt(std::size_t i) const {
  const char32_t c = C(i);
  if (c == U'日' || c == U'天') {
    // 周日常, 星期天天
    return In(C(i + 1), U"常天") || (c == U'天' && C(i - 1) == U'周') ? -1 : 6;
  }
  if (c == U'末') return 7;
  const int digit = c == U'十' ? -1 : c == U'两' ? -1 : ChineseDigit(static_cast<std::int32_t>(c));
  if (digit >= 1 && digit <= 6) return digit - 1;
  if (c >= '1' && c <= '6' && !(C(i + 1) >= '0' && C(i + 1) <= '9'))
    return static_cast<int>(c - '1');
  return -1;
}

std::size_t ChineseScan::UnitWord(std::size_t i) {
  int steps = 0;
  std::size_t at = i;
  if (In(C(i), U"上下") && In(Prev(i), U"晚早身路车马以地世街手船网桌床楼史")) return i;
  if (C(i) == U'上') {
    while (C(at) == U'上' && at < i + 3) --steps, ++at;
  } else if (C(i) == U'下') {
    while (C(at) == U'下' && at < i + 3) ++steps, ++at;
  } else if (In(C(i), U"本这")) {
    if (C(i) == U'本' && In(Prev(i), U"日书资成根剧版原")) return i;
    ++at;
  }
  const bool counter = C(at) == U'个';
  if (counter) ++at;
  if (const std::size_t length = WeekName(at); length > 0) {
    const int day = WeekdayAt(at + length);
    const std::size_t past = at + length + (day >= 0 ? 1 : 0);
    if (day < 0 && length == 1 && In(C(at + 1), U"围边年岁到期刊")) return i;
    if (day == 7) return Add(UnitPiece(calendar_, Unit::kWeekend, steps), i, past);
    Piece piece = UnitPiece(calendar_, Unit::kWeek, steps);
    if (day >= 0) {
      piece.span.from += day * kDayMs;
      piece.span.to = piece.span.from + kDayMs;
      piece.frame = piece.span;
      piece.precision = TimePrecision::kDay;
    } else {
      std::size_t end = past;
      if (Is(past, U"初")) piece.portion = Portion::kStart, ++end;
      return Add(piece, i, end);
    }
    return Add(piece, i, past);
  }
  if (C(at) == U'月' && !In(C(at + 1), U"亮饼球光色票薪经台")) {
    Piece piece = UnitPiece(calendar_, Unit::kMonth, steps);
    std::size_t end = at + 1;
    const Numeral day = NumeralAt(end, 3);
    if (day.end > end && In(C(day.end), U"日号")) {
      const std::chrono::year_month_day first{DayOf(piece.span.from)};
      const auto span = OneDay(static_cast<int>(first.year()),
                               static_cast<int>(static_cast<unsigned>(first.month())), day.value);
      if (!span) return Impossible(i, day.end + 1);
      piece.span = piece.frame = *span;
      piece.precision = TimePrecision::kDay;
      return Add(piece, i, day.end + 1);
    }
    if (C(end) == U'份') ++end;
    piece.portion = PortionAt(end, false, &end);
    return Add(piece, i, end);
  }
  if (Is(at, U"季度")) return Add(UnitPiece(calendar_, Unit::kQuarter, steps), i, at + 2);
  if (counter && In(C(at), U"春夏秋冬") && In(C(at + 1), U"天季")) {
    Piece piece;
    piece.kind = Piece::Kind::kSeason;
    piece.a = static_cast<int>(U32(U"春夏秋冬").find(C(at)));
    piece.precision = TimePrecision::kSeason;
    piece.pick = steps < 0 ? Pick::kLast : steps > 0 ? Pick::kNext : Pick::kThis;
    piece.relative = true;
    return Add(piece, i, at + 2);
  }
  if (steps != 0 && Is(at, U"半年")) {  // This year's first or second half.
    Piece piece = UnitPiece(calendar_, Unit::kYear, 0);
    piece.portion = steps < 0 ? Portion::kFirstHalf : Portion::kSecondHalf;
    return Add(piece, i, at + 2);
  }
  if (counter && steps != 0) {  // 上个中秋
    for (const FestivalName& name : kFestivals) {
      if (!Is(at, name.name)) continue;
      const std::size_t end = Festive(i, at + name.name.size(), name.festival);
      found_->pieces.back().pick = steps < 0 ? Pick::kLast : Pick::kNext;
      found_->pieces.back().relative = true;
      return end;
    }
  }
  return i;
}

std::size_t ChineseScan::At(std::size_t i) {
  const char32_t c = code_[i];
  if (!MayBegin(c)) return i;
  std::size_t end = i;
  const auto Try = [&](std::size_t reached) { return (end = reached) > i; };
  switch (c) {
    case U'今':
    case U'昨':
    case U'明':
    case U'后':
    case U'去':
      return DayWord(i);
    case U'大':
      if (Try(DayWord(i))) return end;
      if (Is(i, U"大年初")) {
        const Numeral day = NumeralAt(i + 3, 2);
        if (day.end == i + 3 || day.value < 1 || day.value > 15) return i;
        Piece piece;
        piece.kind = Piece::Kind::kLunarDay;
        piece.a = 1;
        piece.b = day.value;
        return Add(piece, i, day.end);
      }
      break;
    case U'前':
      if (Try(DayWord(i)) || Try(Recent(i))) return end;
      return i;
    case U'上':
      if (Is(i, U"上午")) break;
      return UnitWord(i);
    case U'下':
      if (Is(i, U"下午")) break;
      return UnitWord(i);
    case U'本':
      return UnitWord(i);
    case U'这':
      if (Try(UnitWord(i)) || Try(Recent(i))) return end;
      return i;
    case U'最':
    case U'近':
      return Recent(i);
    case U'过':
      if (Try(Recent(i))) return end;
      break;
    case U'农':
    case U'阴':
      if (C(i + 1) == U'历' && Try(MonthAt(i + 2, 0, i, Pick::kOpen)) && end > i + 2) {
        // A day that does not exist has left no piece.
        if (!found_->pieces.empty() && found_->pieces.back().end == offset_[end] &&
            found_->pieces.back().kind == Piece::Kind::kMonthDay) {
          found_->pieces.back().kind = Piece::Kind::kLunarDay;
        }
        return end;
      }
      return i;
    case U'正':
    case U'腊':
    case U'冬':
      if (C(i + 1) == U'月') return MonthAt(i, 0, i, Pick::kOpen);
      break;
    case U'周':
    case U'星':
    case U'礼': {
      const std::size_t length = WeekName(i);
      if (length == 0) return i;
      const int day = WeekdayAt(i + length);
      if (day < 0 || In(Prev(i), U"每双单一两几个")) {
        if (!(day == 7 && Prev(i) == U'个' && i > 1 && In(code_[i - 2], U"那"))) return i;
      }
      if (length == 1 && day < 6 && C(i + 2) == U'周') return i;
      Piece piece;
      piece.kind = day == 7 ? Piece::Kind::kWeekend : Piece::Kind::kWeekday;
      piece.a = day;
      piece.precision = day == 7 ? TimePrecision::kDays : TimePrecision::kDay;
      return Add(piece, i, i + length + 1);
    }
    case U'年': {
      if (IsNumeral(Prev(i)) || In(Prev(i), U"今去前明每本当那一")) return i;
      if (!Is(i, U"年初") && !Is(i, U"年底") && !Is(i, U"年末") && !Is(i, U"年三十")) return i;
      if (Is(i, U"年三十")) break;
      const bool start = Is(i, U"年初");
      if (start && In(C(i + 2), U"一二三四五六七八九十")) return i;
      const int steps = start || calendar_.month() >= 10 ? 0 : -1;
      Piece piece = UnitPiece(calendar_, Unit::kYear, steps);
      piece.portion = start ? Portion::kStart : Portion::kEnd;
      return Add(piece, i, i + 2);
    }
    case U'月':
      if ((Is(i, U"月初") || Is(i, U"月底")) && !IsNumeral(Prev(i)) && Prev(i) != U'个' &&
          Prev(i) != U'每') {
        const bool start = Is(i, U"月初");
        Piece piece = UnitPiece(calendar_, Unit::kMonth, start || calendar_.day() >= 20 ? 0 : -1);
        piece.portion = start ? Portion::kStart : Portion::kEnd;
        return Add(piece, i, i + 2);
      }
      return i;
    case U'第':
      return Ordinal(i);
    default:
      break;
  }
  if (IsNumeral(c) || c == U'半' || c == U'几' || c == U'好' || c == U'数') {
    if (c == U'好' || c == U'几' || c == U'数' || c == U'半') {
      if (!Is(i, U"半夜")) return Distance(i);
    } else if (!Is(i, U"七夕")) {
      return Numbers(i);
    }
  }
  if (In(c, U"春夏秋冬") && In(C(i + 1), U"天季")) {
    Piece piece;
    piece.kind = Piece::Kind::kSeason;
    piece.a = static_cast<int>(U32(U"春夏秋冬").find(c));
    piece.precision = TimePrecision::kSeason;
    piece.weak = true;
    return Add(piece, i, i + 2);
  }
  if (In(c, U"早清上中下傍晚夜深半凌")) {
    for (const PartName& name : kParts) {
      if (!Is(i, name.name)) continue;
      Piece piece;
      piece.kind = Piece::Kind::kPart;
      piece.part = name.part;
      piece.precision = TimePrecision::kPartOfDay;
      return Add(piece, i, i + name.name.size());
    }
  }
  for (const FestivalName& name : kFestivals) {
    if (name.name[0] != c || !Is(i, name.name)) continue;
    if (EveryBefore(i)) return i + name.name.size();
    if (name.name == U"过年" &&
        (In(Prev(i), U"难不经没") || IsNumeral(Prev(i)) || In(C(i + 2), U"级轻龄")))
      return i;
    return Festive(i, i + name.name.size(), name.festival);
  }
  return i;
}

std::size_t ChineseScan::Ordinal(std::size_t i) {
  const Numeral number = NumeralAt(i + 1, 2);
  if (number.end == i + 1 || number.value < 1 || number.value > 5) return i;
  Piece piece;
  piece.kind = Piece::Kind::kNth;
  piece.a = number.value;
  std::size_t at = number.end;
  if (Is(at, U"季度")) {
    piece.kind = Piece::Kind::kQuarter;
    piece.precision = TimePrecision::kSeason;
    return number.value <= 4 ? Add(piece, i, at + 2) : i;
  }
  if (C(at) == U'个') ++at;
  const std::size_t length = WeekName(at);
  if (length == 0) return number.end;
  const int day = WeekdayAt(at + length);
  piece.unit = day == 7 ? Unit::kWeekend : day >= 0 ? Unit::kWeekday : Unit::kWeek;
  piece.b = day;
  piece.precision = PrecisionOf(piece.unit);
  return Add(piece, i, at + length + (day >= 0 ? 1 : 0));
}

void ScanChinese(std::string_view text, const Calendar& calendar, Found* found) {
  // Han characters begin with one of these bytes; full-width digits alone name no time.
  const auto han = [](char c) {
    const unsigned char byte = static_cast<unsigned char>(c);
    return byte >= 0xe3 && byte <= 0xe9;
  };
  if (std::none_of(text.begin(), text.end(), han)) return;
  ChineseScan(text, calendar, found).Run();
}

}  // namespace liubai::memory::timing
