// The times of Chinese.
#include <algorithm>
#include <string>

#include "core/text.h"
#include "memory/ledger_scan.h"
#include "memory/time_scan.h"

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

struct FestivalName {
  U32 name;
  Festival festival;
};
constexpr FestivalName kFestivals[] = {{U"国庆", Festival::kChineseNationalDay},
                                       {U"春节", Festival::kSpringFestival},
                                       {U"大年初一", Festival::kSpringFestival},
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

class ChineseScan {
 public:
  ChineseScan(std::string_view text, const Calendar& calendar, Found* found)
      : calendar_(calendar), found_(found) {
    code_.reserve(text.size() / 2);
    offset_.reserve(text.size() / 2 + 1);
    for (std::size_t i = 0; i < text.size();) {
      const DecodedCodePoint point = DecodeUtf8(text, i);
      char32_t c = point.value < 0 ? 0xfffd : static_cast<char32_t>(point.value);
      if (c >= 0xff10 && c <= 0xff19) c -= 0xfee0;
      code_.push_back(c);
      offset_.push_back(static_cast<std::uint32_t>(i));
      i += point.length;
    }
    offset_.push_back(static_cast<std::uint32_t>(text.size()));
  }

  void Run() {
    for (std::size_t i = 0; i < code_.size();) {
      const std::size_t end = At(i);
      i = end > i ? end : i + 1;
    }
  }

 private:
  char32_t C(std::size_t i) const { return i < code_.size() ? code_[i] : 0; }
  char32_t Prev(std::size_t i) const { return i > 0 ? code_[i - 1] : 0; }
  bool Is(std::size_t i, U32 word) const {
    return U32(code_).substr(std::min(i, code_.size())).starts_with(word);
  }
  bool In(char32_t c, U32 list) const { return c != 0 && list.find(c) != U32::npos; }
  bool EveryBefore(std::size_t i) const {  // 每, 每年, 每个, 每到
    return Prev(i) == U'每' || (i > 1 && In(Prev(i), U"年个逢到") && code_[i - 2] == U'每');
  }
  static bool IsNumeral(char32_t c) {
    return (c >= '0' && c <= '9') || IsChineseNumeral(static_cast<std::int32_t>(c)) || c == U'廿';
  }

  std::size_t Add(Piece piece, std::size_t i, std::size_t end) {
    piece.begin = offset_[i];
    piece.end = offset_[end];
    found_->pieces.push_back(piece);
    return end;
  }
  std::size_t Impossible(std::size_t i, std::size_t end) {
    found_->impossible.push_back({offset_[i], offset_[end]});
    return end;
  }

  struct Numeral {
    int value = 0;
    std::size_t end = 0;
    bool arabic = false;
    bool positional = false;  // 二〇二三
  };
  // A numeral of at most `most` characters; its end is `i` when there is none.
  Numeral NumeralAt(std::size_t i, std::size_t most) const {
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

  // 初, 中旬, 底, … after a month or a year; moves `end` past it.
  Portion PortionAt(std::size_t i, bool year, std::size_t* end) const {
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
    static constexpr Name kOfBoth[] = {
        {U"初", Portion::kStart, U"一二三四五六七八九十中高恋次步学"},
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

  // Past "5月20日", "五月", "五月初", "五月初五" of `year` (0: not said) at `i`; `begin`: where the
  // year began. `i` when there is no month.
  std::size_t MonthAt(std::size_t i, int year, std::size_t begin, Pick pick) {
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

  // What may follow a year: a month, a season, 底, a half, a quarter. Adds the piece.
  std::size_t AfterYear(std::size_t i, std::size_t begin, const Piece& year, int number) {
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

  struct Amount {
    int value = 0;
    bool half = false;
    bool few = false;
    bool about = false;
    Unit unit = Unit::kDay;
    std::size_t end = 0;  // 0: none
  };
  // 三天, 两个多月, 半年, 几周, 十多年, 一年半
  Amount AmountAt(std::size_t i) const {
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
      if (numeral.end == at || numeral.positional) return amount;
      amount.value = numeral.value;
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

  // 三天前, 两个月后; of numerals that are no date.
  std::size_t Distance(std::size_t i) {
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

  std::size_t Numbers(std::size_t i) {
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
        const bool old =
            year.value >= 50 || (year.value < 10 && (C(i) == '0' || In(C(i), U"零〇")));
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

  std::size_t Festive(std::size_t i, std::size_t end, Festival festival) {
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

  std::size_t YearWord(std::size_t i, std::size_t end, int steps) {
    const Piece piece = UnitPiece(calendar_, Unit::kYear, steps);
    return AfterYear(end, i, piece, calendar_.year() + steps);
  }

  // 今天, 昨晚, 大前天, 去年, …
  std::size_t DayWord(std::size_t i) {
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

  // Past 三, 日, 天, 末 after 周, 星期 or 礼拜; 0..6, 7 for 末, -1: none.
  int WeekdayAt(std::size_t i) const {
    const char32_t c = C(i);
    if (c == U'日' || c == U'天') {
      // 周日常, 星期天天
      return In(C(i + 1), U"常天") || (c == U'天' && C(i - 1) == U'周') ? -1 : 6;
    }
    if (c == U'末') return 7;
    const int digit = c == U'十'   ? -1
                      : c == U'两' ? -1
                                   : ChineseDigit(static_cast<std::int32_t>(c));
    if (digit >= 1 && digit <= 6) return digit - 1;
    if (c >= '1' && c <= '6' && !(C(i + 1) >= '0' && C(i + 1) <= '9'))
      return static_cast<int>(c - '1');
    return -1;
  }
  std::size_t WeekName(std::size_t i) const {  // Its length, 0: none.
    return Is(i, U"星期") || Is(i, U"礼拜") ? 2 : C(i) == U'周' ? 1 : 0;
  }

  // 上周三, 上上个月初, 这个周末, 下礼拜天, 本月5号
  std::size_t UnitWord(std::size_t i) {
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

  // 最近三天, 过去一个月, 近两年, 这几天, 前几天, 前阵子
  std::size_t Recent(std::size_t i) {
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

  std::size_t At(std::size_t i) {
    const char32_t c = code_[i];
    if (c < 0x2e80 && !(c >= '0' && c <= '9')) return i;
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
          Piece& piece = found_->pieces.back();
          if (piece.kind == Piece::Kind::kMonthDay) piece.kind = Piece::Kind::kLunarDay;
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

  // 第二个周末, 第一周, 第三季度, of a month or year named before it.
  std::size_t Ordinal(std::size_t i) {
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

  const Calendar& calendar_;
  Found* found_;
  std::u32string code_;
  std::vector<std::uint32_t> offset_;
};

}  // namespace

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
