// English dates, months, years, seasons and festivals.
#include <algorithm>
#include <string>

#include "memory/time_english.h"

namespace liubai::memory::timing {

int EnglishScan::LongDay(std::size_t i, std::size_t* end) const {
  *end = i + 1;
  if (W(i) == Word::kNumber && (V(i) == 20 || V(i) == 30) && W(i + 1) == Word::kOrdinal &&
      V(i + 1) < 10 && TokenAt(i + 1).digits == 0 && (Gap(i + 1) == '-' || Gap(i + 1) == ' ')) {
    *end = i + 2;
    return V(i) + V(i + 1);
  }
  return Day(i);
}

std::size_t EnglishScan::NumericDate(std::size_t i) {
  const char sign = Gap(i + 1);
  if (W(i) != Word::kDigits || W(i + 1) != Word::kDigits) return i;
  if (sign != '-' && sign != '/' && sign != '.') return i;
  if (text_[TokenAt(i + 1).begin - 1] == ' ') return i;
  if (i > 0 && W(i - 1) == Word::kDigits && Gap(i) == sign) return i;
  const bool three = W(i + 2) == Word::kDigits && Gap(i + 2) == sign;
  const bool four = three && W(i + 3) == Word::kDigits && Gap(i + 3) == sign;
  const int a = V(i), b = V(i + 1), c = V(i + 2);
  if (four) return i;  // An address of a machine, a telephone number.
  if (TokenAt(i).digits == 4 && a >= 1900 && a <= 2100 && TokenAt(i + 1).digits <= 2) {
    if (three && TokenAt(i + 2).digits <= 2) return AddDay(a, b, c, i, i + 3);
    if (three || sign == '.' || TokenAt(i + 1).digits != 2) return i;
    if (b < 1 || b > 12) return i;
    Piece piece;
    piece.span = piece.frame = MonthSpan(a, b);
    piece.precision = TimePrecision::kMonth;
    return Add(piece, i, i + 2);
  }
  if (TokenAt(i).digits > 2 || TokenAt(i + 1).digits > 2) return i;
  if (three && (TokenAt(i + 2).digits == 4 || (TokenAt(i + 2).digits == 2 && sign == '/'))) {
    const int y = TokenAt(i + 2).digits == 4 ? c : 2000 + c;
    if (y < 1900 || y > 2100) return i;
    // The month leads, unless it cannot or the signs are full stops.
    return (sign == '.' || a > 12) ? AddDay(y, b, a, i, i + 3) : AddDay(y, a, b, i, i + 3);
  }
  // "on 5/20", "the 7/22 trip", not "the 1/2 cup"
  const Word lead = Before(i);
  const bool named = lead == Word::kThe && b > 16 && W(i + 2) == Word::kOther;
  if (!three && sign == '/' && (lead == Word::kOn || lead == Word::kSince || named) && a >= 1 &&
      a <= 12 && b >= 1 && b <= 31) {
    return AddMonthDay(a, b, 0, i, i + 2);
  }
  return i;
}

const FestivalName* EnglishScan::FestivalAt(std::size_t i, std::size_t* end) const {
  if (!TokenAt(i).info.festival) return nullptr;
  std::string first(text_.substr(TokenAt(i).begin, TokenAt(i).end - TokenAt(i).begin));
  for (char& c : first) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  for (const FestivalName* name = FestivalsOf(first); !name->words.empty(); ++name) {
    std::string_view rest = name->words;
    bool same = true;
    for (int k = 0; k < name->count && same; ++k) {
      const std::size_t word_end = std::min(rest.find(' '), rest.size());
      const std::size_t at = i + static_cast<std::size_t>(k);
      same = Is(at, rest.substr(0, word_end)) &&
             (k == 0 || Gap(at) == ' ' || Gap(at) == '-' || Gap(at) == 's');
      rest.remove_prefix(std::min(rest.size(), word_end + 1));
    }
    if (!same) continue;
    // "new years" is many years without the apostrophe or a capital letter.
    if (name->words == "new years" && !TokenAt(i).upper) continue;
    *end = i + static_cast<std::size_t>(name->count);
    return name;
  }
  return nullptr;
}

std::size_t EnglishScan::FestivalPiece(std::size_t i, Pick pick, std::size_t first) {
  std::size_t end = i;
  const FestivalName* name = FestivalAt(i, &end);
  if (name == nullptr) {
    // "New Year's", "the new year"
    if (Is(i, "new") && Is(i + 1, "year") && Joined(i + 1) && TokenAt(i + 1).possessive) {
      Piece piece =
          Open(Piece::Kind::kFestival, static_cast<int>(Festival::kNewYear), TimePrecision::kDays);
      piece.pick = pick;
      return Add(piece, first, i + 2);
    }
    return i;
  }
  // "Earth Day" is a festival, "earth day after day" is not told apart.
  const auto span = FestivalSpan(static_cast<Festival>(name->festival), 2020);
  Piece piece =
      Open(Piece::Kind::kFestival, name->festival,
           span && span->to - span->from > kDayMs ? TimePrecision::kDays : TimePrecision::kDay);
  piece.pick = pick;
  piece.relative = pick != Pick::kOpen;
  return Add(piece, first, end);
}

bool EnglishScan::LeadsMonth(Word word) {
  switch (word) {
    case Word::kIn:
    case Word::kDuring:
    case Word::kOf:
    case Word::kSince:
    case Word::kUntil:
    case Word::kEarly:
    case Word::kMid:
    case Word::kLate:
    case Word::kBetween:
    case Word::kLast:
    case Word::kPast:
    case Word::kNext:
    case Word::kThis:
    case Word::kComing:
    case Word::kPrevious:
      return true;
    default:
      return false;
  }
}

bool EnglishScan::MonthStandsAlone(std::size_t i) const {
  const Word lead = i > 0 && (Joined(i) || Gap(i) == '-') ? W(i - 1) : Word::kOther;
  const int m = V(i);
  if (W(i) == Word::kMonth && m != 3 && m != 4 && m != 5 && m != 6 && m != 8) {
    return !TokenAt(i).possessive || LeadsMonth(lead);
  }
  const bool followed = Joined(i + 1) && W(i + 1) == Word::kPronoun;  // "before may I", "may be"
  if (followed && !TokenAt(i).upper) return false;
  if (LeadsMonth(lead)) return true;
  if (W(i) == Word::kMonthShort) return false;
  // "between March and May", "from March to May": the other end is one.
  if ((lead == Word::kAnd || lead == Word::kTo || lead == Word::kOr || lead == Word::kUntil) &&
      i >= 2 && IsMonth(i - 2)) {
    return true;
  }
  if ((lead == Word::kAnd || lead == Word::kTo) && i >= 3 && IsMonth(i - 3) && IsYear(i - 2)) {
    return true;
  }
  if (Joined(i + 1) && (W(i + 1) == Word::kTo || W(i + 1) == Word::kUntil) && IsMonth(i + 2)) {
    return TokenAt(i).upper || lead == Word::kFrom;
  }
  if (lead == Word::kFrom || lead == Word::kBy || lead == Word::kBefore || lead == Word::kAfter) {
    // "from April" may be a person; in lower case it is none.
    return m != 4 && m != 6 && m != 8 ? !followed && !(m == 3 && !TokenAt(i).upper)
                                      : !TokenAt(i).upper || lead == Word::kBefore;
  }
  if (!TokenAt(i).upper || TokenAt(i).possessive) return false;
  // "the May trip"
  return lead == Word::kThe && m != 4 && m != 6 && Joined(i + 1) && W(i + 1) == Word::kOther;
}

std::size_t EnglishScan::MonthForms(std::size_t i) {
  // 8 May 2023, 8th of May, the twenty-first of June, 5-8 May
  std::size_t after = i;
  if (const int d = LongDay(i, &after); d > 0) {
    std::size_t m = after;
    int further = 0;
    std::size_t last_end = after;
    if ((Gap(after) == '-' || W(after) == Word::kTo) && d <= 31) {
      const std::size_t second = W(after) == Word::kTo ? after + 1 : after;
      const int last = LongDay(second, &last_end);
      if (last > d && last <= 31) m = last_end, further = last - d;
    }
    const bool of = W(m) == Word::kOf;
    if (of) ++m;
    if (IsMonth(m) && (Gap(m) == ' ' || Gap(m) == '-') && (of || d > 0) &&
        !(W(i) == Word::kOrdinal && TokenAt(i).digits == 0 && !of && W(m) == Word::kMonthShort)) {
      // "2 may be": a number and a verb.
      const bool verb = V(m) == 5 && !TokenAt(m).upper && !of && W(m + 1) == Word::kPronoun;
      // "the first March meeting" counts meetings.
      const bool counts = W(i) == Word::kOrdinal && TokenAt(i).digits == 0 && !of;
      if (!verb && !counts) {
        const std::size_t y = m + 1;
        if (IsYear(y) && (Loose(y) || Gap(y) == '-' || Gap(y) == 's')) {
          return AddDay(V(y), V(m), d, i, y + 1, further);
        }
        return AddMonthDay(V(m), d, further, i, m + 1);
      }
    }
  }
  if (!IsMonth(i)) return i;
  const bool dot = W(i) == Word::kMonthShort && (Gap(i + 1) == 's' || Gap(i + 1) == '.');
  std::size_t next = i + 1;
  const bool near = Joined(next) || dot || Gap(next) == '-';
  if (near && W(next) == Word::kThe && W(next + 1) == Word::kOrdinal) ++next;  // "May the fourth"
  std::size_t end = next;
  const int d = near ? LongDay(next, &end) : 0;
  // "may 2 people come" asks; "March 3 miles" tells of a walk.
  const bool verb = V(i) == 5 && !TokenAt(i).upper && !LeadsMonth(Before(i)) &&
                    Before(i) != Word::kOn && W(end) == Word::kOther;
  const bool counted = W(next) == Word::kDigits && Joined(end) && (W(end) == Word::kUnit || verb);
  if (d > 0 && !counted && Gap(end) != ':') {
    int further = 0;
    std::size_t last_end = end;
    if (Gap(end) == '-' || (W(end) == Word::kTo && Joined(end))) {
      const std::size_t second = W(end) == Word::kTo ? end + 1 : end;
      const int last = LongDay(second, &last_end);
      if (last > d && last <= 31 && !IsMonth(last_end)) further = last - d, end = last_end;
    }
    if (IsYear(end) && Loose(end)) return AddDay(V(end), V(i), d, i, end + 1, further);
    return AddMonthDay(V(i), d, further, i, end);
  }
  const std::size_t y = W(i + 1) == Word::kOf ? i + 2 : i + 1;
  if (IsYear(y) && (Loose(y) || dot) && (y == i + 1 || Joined(i + 1)) && !Quantity(y)) {
    Piece piece;
    piece.span = piece.frame = MonthSpan(V(y), V(i));
    piece.precision = TimePrecision::kMonth;
    return Add(piece, i, y + 1);
  }
  if (Before(i) == Word::kEvery || !MonthStandsAlone(i)) return i;
  return Add(Open(Piece::Kind::kMonth, V(i), TimePrecision::kMonth), i, i + 1);
}

std::size_t EnglishScan::YearForm(std::size_t i) {
  if (W(i) == Word::kDecade) {
    if (Before(i) != Word::kThe && Before(i) != Word::kIn && Before(i) != Word::kEarly &&
        Before(i) != Word::kLate && Before(i) != Word::kMid && Gap(i) != '-') {
      return i;
    }
    Piece piece;
    piece.span = piece.frame = {YearSpan(V(i)).from, YearSpan(V(i) + 9).to};
    piece.precision = TimePrecision::kYears;
    return Add(piece, i, i + 1);
  }
  if (!IsYear(i) || Quantity(i)) return i;
  const Word lead = i > 0 && (Joined(i) || Gap(i) == '-') ? W(i - 1) : Word::kOther;
  bool wanted = false;
  switch (lead) {
    case Word::kIn:
    case Word::kSince:
    case Word::kUntil:
    case Word::kDuring:
    case Word::kEarly:
    case Word::kMid:
    case Word::kLate:
    case Word::kBefore:
    case Word::kAfter:
    case Word::kBy:
    case Word::kSeason:
    case Word::kMiddle:
      wanted = true;
      break;
    case Word::kOf:  // "of 2000 people" counts.
    case Word::kFrom:
    case Word::kBetween:
      wanted = !Joined(i + 1) || W(i + 1) != Word::kOther || lead == Word::kFrom;
      break;
    case Word::kAnd:
    case Word::kTo:
      wanted = i >= 2 && (IsYear(i - 2) || IsMonth(i - 2) || Is(i - 2, "prior") || Is(i - 2, "up"));
      break;
    case Word::kDigits:
      wanted = Gap(i) == '-' && i >= 1 && IsYear(i - 1);
      break;
    case Word::kUnit:
      wanted =
          V(i - 1) == static_cast<int>(Unit::kYear) || V(i - 1) == static_cast<int>(Unit::kQuarter);
      break;
    default:
      wanted = i > 0 && Joined(i) &&
               (IsFestivalEnd(i - 1) || Is(i - 1, "q1") || Is(i - 1, "q2") || Is(i - 1, "q3") ||
                Is(i - 1, "q4"));
  }
  if (!wanted) return i;
  Piece piece;
  piece.span = piece.frame = YearSpan(V(i));
  piece.precision = TimePrecision::kYear;
  return Add(piece, i, i + 1);
}

std::size_t EnglishScan::Season(std::size_t i) {
  if (W(i) != Word::kSeason || TokenAt(i).info.plural) return i;
  Word lead = i > 0 && (Joined(i) || Gap(i) == '-') ? W(i - 1) : Word::kOther;
  const bool the = lead == Word::kThe;
  if (the) lead = Before(i - 1);
  bool wanted = lead == Word::kIn || lead == Word::kDuring || lead == Word::kSince ||
                lead == Word::kEarly || lead == Word::kMid || lead == Word::kLate ||
                ((lead == Word::kOver || lead == Word::kFor) && the) || (lead == Word::kOf && !the);
  const std::size_t next = W(i + 1) == Word::kOf ? i + 2 : i + 1;
  wanted |= IsYear(next) && (Joined(next) || Gap(next) == ',');
  // "summer two years ago"
  if (!wanted && Joined(i + 1) &&
      (W(i + 1) == Word::kNumber || W(i + 1) == Word::kDigits || W(i + 1) == Word::kLast)) {
    wanted = W(i + 2) == Word::kUnit && V(i + 2) == static_cast<int>(Unit::kYear);
  }
  if (!wanted && W(i + 1) == Word::kOf && Joined(i + 1) && the) {
    wanted = W(i + 2) == Word::kLast || W(i + 2) == Word::kThis;  // "the summer of last year"
  }
  if ((lead == Word::kBefore || lead == Word::kAfter || lead == Word::kUntil) && the && V(i) != 2 &&
      !Is(i, "fall")) {
    wanted |= !Joined(i + 1) || i + 1 >= tokens_.size() || W(i + 1) == Word::kOf;
  }
  if (!wanted) return i;
  // "in spring water", "in the summer house": a word that goes on from it.
  if (!the && lead == Word::kIn && !IsYear(next) && Is(i, "spring") && Is(i + 1, "water")) return i;
  return Add(Open(Piece::Kind::kSeason, V(i), TimePrecision::kSeason), i, i + 1);
}

std::size_t EnglishScan::Weekday(std::size_t i) {
  const bool full = W(i) == Word::kWeekday;
  if (!full && W(i) != Word::kWeekdayShort) return i;
  if (TokenAt(i).info.plural || Before(i) == Word::kEvery) return i;
  if (Before(i) == Word::kOtherWord && i > 1 && W(i - 2) == Word::kEvery) return i;
  if (!full) {
    const bool word = V(i) == 6 || V(i) == 5 || Is(i, "wed");  // "sun", "sat", "wed"
    const Word lead = Before(i);
    const bool dated = (Loose(i + 1) || Gap(i + 1) == 's') && IsMonth(i + 1) && Day(i + 2) > 0;
    if (!dated && (lead != Word::kOn || (word && !TokenAt(i).upper))) return i;
  }
  return Add(Open(Piece::Kind::kWeekday, V(i), TimePrecision::kDay), i, i + 1);
}

std::size_t EnglishScan::DayOfMonth(std::size_t i) {
  if (W(i) != Word::kOrdinal || TokenAt(i).digits == 0 || Before(i) != Word::kThe) return i;
  const Word lead = Before(i - 1);
  if (lead != Word::kOn && lead != Word::kWeekday && lead != Word::kBy && lead != Word::kSince &&
      lead != Word::kUntil && lead != Word::kBefore && lead != Word::kAfter) {
    return i;
  }
  if (V(i) < 1 || V(i) > 31) return i;
  const bool ends = i + 1 >= tokens_.size() || (!Joined(i + 1) && Gap(i + 1) != '-');
  if (!ends && W(i + 1) != Word::kOf) return i;
  return Add(Open(Piece::Kind::kDayOfMonth, 0, TimePrecision::kDay, V(i)), i, i + 1);
}
}  // namespace liubai::memory::timing
