// English times that are counted from another: "four weeks ago", "last Friday".
#include <algorithm>
#include <cstdlib>

#include "memory/time_english.h"

namespace liubai::memory::timing {

EnglishScan::Count EnglishScan::CountAt(std::size_t i) const {
  Count count;
  const Word word = W(i);
  if (word == Word::kDigits && TokenAt(i).digits <= 4) {
    count = {V(i), false, false, false, i + 1};
    if (Gap(i + 1) == '.' && W(i + 1) == Word::kDigits && V(i + 1) == 5 &&
        TokenAt(i + 1).digits == 1) {
      count.half = true, count.end = i + 2;  // 2.5 years ago
    }
  } else if (word == Word::kNumber) {
    count = {V(i), false, false, false, i + 1};
    if (V(i) >= 20 && W(i + 1) == Word::kNumber && V(i + 1) < 10 &&
        (Gap(i + 1) == '-' || Gap(i + 1) == ' ')) {
      count.value += V(i + 1);
      count.end = i + 2;
    }
  } else if (word == Word::kHalf) {
    count = {0, true, false, false, i + 1};
    if (W(i + 1) == Word::kA) count.end = i + 2;
    return count;
  } else if (word == Word::kA || word == Word::kCouple || word == Word::kFew ||
             word == Word::kSeveral) {
    std::size_t j = word == Word::kA && Joined(i + 1) ? i + 1 : i;
    if (W(j) == Word::kCouple) {
      j += W(j + 1) == Word::kOf ? 2 : 1;
      return {2, false, false, true, j};
    }
    if (W(j) == Word::kFew) return {3, false, true, false, j + 1};
    if (W(j) == Word::kSeveral) return {4, false, true, false, j + 1};
    count = {1, false, false, false, i + 1};
  } else {
    return count;
  }
  // "two and a half years", "a year or two", "two or three weeks"
  if (W(count.end) == Word::kAnd && W(count.end + 1) == Word::kA &&
      W(count.end + 2) == Word::kHalf) {
    count.half = true;
    count.end += 3;
  } else if ((W(count.end) == Word::kOr || W(count.end) == Word::kTo) &&
             (W(count.end + 1) == Word::kNumber || W(count.end + 1) == Word::kDigits) &&
             V(count.end + 1) == count.value + 1) {
    count.about = true;
    count.end += 2;
  }
  return count;
}

std::size_t EnglishScan::Counted(std::size_t i) {
  Count count = CountAt(i);
  if (count.end == 0) return i;
  for (std::size_t k = i + 1; k <= count.end; ++k) {
    if (Gap(k) != ' ' && Gap(k) != '-' && Gap(k) != '.') return i;
  }
  const std::size_t unit = count.end;
  const Word word = W(unit);
  std::size_t j = unit + 1;
  const FestivalName* festival = FestivalAt(unit, &j);
  if (word != Word::kUnit && word != Word::kWeekday && word != Word::kSeason &&
      festival == nullptr) {
    return i;
  }
  if (W(j) == Word::kAnd && W(j + 1) == Word::kA && W(j + 2) == Word::kHalf) {
    count.half = true;  // "a year and a half ago"
    j += 3;
  } else if (W(j) == Word::kOr && (W(j + 1) == Word::kSo || W(j + 1) == Word::kNumber)) {
    count.about = true;  // "a week or so ago", "a week or two ago"
    j += 2;
  }
  if (!Joined(j)) return i;
  bool about = count.about;
  std::size_t first = i;
  if (Before(i) == Word::kAbout || Before(i) == Word::kOver) about = true, first = i - 1;
  const bool ago = W(j) == Word::kAgo ||
                   (W(j) == Word::kBack && TokenAt(unit).info.plural && W(j + 1) != Word::kTo &&
                    W(j + 1) != Word::kIn && W(j + 1) != Word::kFrom);
  if (ago) {
    if (word == Word::kUnit && festival == nullptr) {
      const auto piece =
          Away(calendar_, static_cast<Unit>(V(unit)), -count.value, count.half, count.few, about);
      return piece ? Add(*piece, first, j + 1) : i;
    }
    Piece piece =
        festival != nullptr ? Open(Piece::Kind::kFestival, festival->festival, TimePrecision::kDay)
        : word == Word::kWeekday ? Open(Piece::Kind::kWeekday, V(unit), TimePrecision::kDay)
                                 : Open(Piece::Kind::kSeason, V(unit), TimePrecision::kSeason);
    piece.pick = Pick::kAgo;
    piece.c = std::min(count.value, 100);
    piece.relative = true;
    return Add(piece, first, j + 1);
  }
  if (word != Word::kUnit || festival != nullptr) return i;
  // "two days before Christmas"; dropped when no time follows.
  const bool from_now = W(j) == Word::kFrom && (W(j + 1) == Word::kNow || W(j + 1) == Word::kToday);
  if (from_now) {
    const auto piece =
        Away(calendar_, static_cast<Unit>(V(unit)), count.value, count.half, count.few, about);
    return piece ? Add(*piece, first, j + 2) : i;
  }
  if (W(j) == Word::kBefore || W(j) == Word::kAfter) {
    Piece piece = Open(Piece::Kind::kOffset, W(j) == Word::kBefore ? -count.value : count.value,
                       PrecisionOf(static_cast<Unit>(V(unit))));
    piece.unit = static_cast<Unit>(V(unit));
    if (std::abs(piece.a) > 1000) return i;
    return Add(piece, i, j + 1);
  }
  return i;
}

std::size_t EnglishScan::InCounted(std::size_t i) {
  if (W(i) != Word::kIn || !Joined(i + 1)) return i;
  std::size_t start = i + 1;
  if (W(start) == Word::kAbout) ++start;
  const Count count = CountAt(start);
  if (count.end == 0 || !Joined(count.end) || W(count.end) != Word::kUnit) return i;
  const Unit unit = static_cast<Unit>(V(count.end));
  if (unit < Unit::kDay || unit == Unit::kNight || TokenAt(count.end).possessive) return i;
  // "did I join in a month ago": counted from the "a" on.
  for (std::size_t next = count.end + 1; next < count.end + 5; ++next) {
    if (W(next) == Word::kAgo || W(next) == Word::kBefore) return i;
  }
  auto piece = Away(calendar_, unit, count.value, count.half, count.few, start > i + 1);
  if (!piece) return i;
  piece->pick = Pick::kComing;
  return Add(*piece, i, count.end + 1);
}

std::size_t EnglishScan::Relative(std::size_t i) {
  Word word = W(i);
  if (!Joined(i + 1)) return i;
  std::size_t j = i + 1;
  std::size_t first = i;
  const Word lead = Before(i);
  if (word == Word::kThis && (W(j) == Word::kPast || W(j) == Word::kLast || W(j) == Word::kComing ||
                              W(j) == Word::kNext)) {
    word = W(j) == Word::kPast || W(j) == Word::kLast ? Word::kPast : Word::kComing;
    if (!Joined(++j)) return i;
  }
  if (word == Word::kEarly || word == Word::kLate) return i;
  const bool back = word == Word::kLast || word == Word::kPast || word == Word::kPrevious;
  const bool ahead = word == Word::kNext || word == Word::kComing;
  const int sign = back ? -1 : ahead ? 1 : 0;
  // "the past three weeks", "the last few months", "the next two days"
  if (const Count count = CountAt(j); count.end > 0 && sign != 0 && W(j) != Word::kA &&
                                      W(j) != Word::kHalf && W(count.end) == Word::kUnit &&
                                      Joined(count.end)) {
    const bool led = word == Word::kPast || lead == Word::kThe || lead == Word::kThis ||
                     lead == Word::kIn || lead == Word::kOver || lead == Word::kWithin ||
                     lead == Word::kDuring;
    // "did it last two hours?"
    if (!led && word != Word::kNext) return i;
    if (static_cast<Unit>(V(count.end)) < Unit::kHour) return i;
    const int wide = count.few ? count.value + 2 : count.about ? count.value + 1 : count.value;
    const auto piece =
        Rolling(calendar_, static_cast<Unit>(V(count.end)), sign * std::max(1, wide));
    return piece ? Add(*piece, first, count.end + 1) : i;
  }
  if (W(j) == Word::kUnit) {
    const Unit unit = static_cast<Unit>(V(j));
    if (unit < Unit::kDay ||
        (unit == Unit::kDay && (!TokenAt(j).info.plural && word != Word::kPast)))
      return i;
    if (W(j + 1) == Word::kOf && Joined(j + 1)) return i;  // See Nth.
    if (TokenAt(j).info.plural) {
      // "the past weeks"
      if (word != Word::kPast || unit == Unit::kDay) {
        if (unit != Unit::kDay || word != Word::kPast) return i;
      }
      const auto piece = Rolling(calendar_, unit, -4);
      return piece ? Add(*piece, first, j + 1) : i;
    }
    if (sign != 0 && unit != Unit::kNight && unit != Unit::kWeekend &&
        ((word == Word::kPast && (lead == Word::kThe || lead == Word::kIn || lead == Word::kThis ||
                                  lead == Word::kOver || j > i + 1)) ||
         (word == Word::kLast && lead == Word::kThe))) {
      const auto piece = Rolling(calendar_, unit, sign);
      return piece ? Add(*piece, first, j + 1) : i;
    }
    // "the next week" of a story is counted from there.
    if (ahead && lead == Word::kThe && word == Word::kNext && unit < Unit::kWeek) return i;
    std::size_t end = j + 1;
    int steps = sign;
    const UnitTail tail = BeforeLast(end, &end);
    if (tail != UnitTail::kNone) steps += tail == UnitTail::kFurtherBack ? -1 : 1;
    if (unit == Unit::kNight && sign > 0) return i;
    return Add(UnitPiece(calendar_, unit, steps), first, end);
  }
  Piece piece;
  const Pick pick = back                    ? Pick::kLast
                    : word == Word::kComing ? Pick::kComing
                    : ahead                 ? Pick::kNext
                                            : Pick::kThis;
  std::size_t end = j + 1;
  if ((W(j) == Word::kWeekday && !TokenAt(j).info.plural) || W(j) == Word::kWeekdayShort) {
    piece = Open(Piece::Kind::kWeekday, V(j), TimePrecision::kDay);
  } else if (FestivalName const* name = FestivalAt(j, &end); name != nullptr) {
    return FestivalPiece(j, pick, first);
  } else if (IsMonth(j)) {
    if (V(j) == 5 && W(j + 1) == Word::kPronoun) return i;
    std::size_t day_end = j + 2;
    const int d = Joined(j + 1) ? LongDay(j + 1, &day_end) : 0;
    if (d > 0 && OneDay(2024, V(j), d)) {
      piece = Open(Piece::Kind::kMonthDay, V(j), TimePrecision::kDay, d);
      end = day_end;
    } else {
      piece = Open(Piece::Kind::kMonth, V(j), TimePrecision::kMonth);
    }
  } else if (W(j) == Word::kSeason && !TokenAt(j).info.plural) {
    piece = Open(Piece::Kind::kSeason, V(j), TimePrecision::kSeason);
  } else if (W(j) == Word::kPart) {
    if (ahead) return i;
    piece = UnitPiece(calendar_, Unit::kDay, back ? -1 : 0);
    piece.part = static_cast<Part>(V(j));
    return Add(piece, first, end);
  } else {
    return i;
  }
  piece.pick = pick;
  piece.relative = true;
  if (piece.pick == Pick::kLast && (W(j) == Word::kWeekday)) {
    const UnitTail tail = BeforeLast(end, &end);
    if (tail == UnitTail::kFurtherBack) piece.pick = Pick::kAgo, piece.c = 2;
  }
  return Add(piece, first, end);
}

std::size_t EnglishScan::TheUnit(std::size_t i) {
  if (W(i) == Word::kWeekday && !TokenAt(i).info.plural) {
    std::size_t end = i + 1;
    if (BeforeLast(end, &end) == UnitTail::kFurtherBack) {
      Piece piece = Open(Piece::Kind::kWeekday, V(i), TimePrecision::kDay);
      piece.pick = Pick::kAgo;
      piece.c = 2;
      piece.relative = true;
      return Add(piece, i, end);
    }
    return i;
  }
  if (W(i) != Word::kUnit || TokenAt(i).info.plural) return i;
  const Unit unit = static_cast<Unit>(V(i));
  if (unit == Unit::kDay && i > 0 && Before(i) == Word::kOtherWord && Before(i - 1) == Word::kThe) {
    const Piece piece = *Away(calendar_, Unit::kDay, -4, false, true, true);  // "the other day"
    return Add(piece, i - 1, i + 1);
  }
  // "the beginning of the year"
  if (unit >= Unit::kWeek && Before(i) == Word::kThe && Before(i - 1) == Word::kOf && i > 2 &&
      (W(i - 3) == Word::kStart || W(i - 3) == Word::kMiddle) && W(i + 1) != Word::kOf) {
    return Add(UnitPiece(calendar_, unit, 0), i, i + 1);
  }
  if (!Joined(i + 1)) return i;
  std::size_t end = i + 1;
  const UnitTail tail = BeforeLast(end, &end);
  if (tail != UnitTail::kNone && unit >= Unit::kNight) {
    return Add(UnitPiece(calendar_, unit, tail == UnitTail::kFurtherBack ? -2 : 2), i, end);
  }
  if (unit == Unit::kDay && Joined(i + 2)) {
    if (W(i + 1) == Word::kBefore && W(i + 2) == Word::kYesterday) {
      return Add(UnitPiece(calendar_, Unit::kDay, -2), i, i + 3);
    }
    if (W(i + 1) == Word::kAfter && W(i + 2) == Word::kTomorrow) {
      return Add(UnitPiece(calendar_, Unit::kDay, 2), i, i + 3);
    }
  }
  if (unit >= Unit::kDay && Before(i) == Word::kThe &&
      (W(i + 1) == Word::kBefore || W(i + 1) == Word::kAfter)) {
    Piece piece = Open(Piece::Kind::kOffset, W(i + 1) == Word::kBefore ? -1 : 1, PrecisionOf(unit));
    piece.unit = unit;
    return Add(piece, i, i + 2);
  }
  if (unit == Unit::kWeekend && Before(i) == Word::kThe) {
    if (W(i + 1) == Word::kOf && Joined(i + 1)) {  // "the weekend of May 6"
      Piece piece = Open(Piece::Kind::kOffset, 0, TimePrecision::kDays);
      piece.unit = Unit::kWeekend;
      return Add(piece, i, i + 2);
    }
    return i;
  }
  if (unit == Unit::kWeek && Before(i) == Word::kThe && W(i + 1) == Word::kOf) {
    Piece piece = Open(Piece::Kind::kOffset, 0, TimePrecision::kWeek);  // "the week of May 8"
    piece.unit = Unit::kWeek;
    return Add(piece, i, i + 2);
  }
  return i;
}

std::size_t EnglishScan::TheWeekend(std::size_t i) {
  if (W(i) != Word::kUnit || V(i) != static_cast<int>(Unit::kWeekend) || TokenAt(i).info.plural)
    return i;
  if (Before(i) != Word::kThe) return i;
  const Word lead = Before(i - 1);
  if (lead != Word::kAt && lead != Word::kOver && lead != Word::kDuring && lead != Word::kOn &&
      lead != Word::kIn && lead != Word::kBefore && lead != Word::kAfter && lead != Word::kSince) {
    return i;
  }
  return Add(Open(Piece::Kind::kWeekend, 0, TimePrecision::kDays), i, i + 1);
}

std::size_t EnglishScan::Nth(std::size_t i) {
  const bool last = W(i) == Word::kLast;
  // "last weekend before April 10"
  if (last && W(i + 1) == Word::kUnit && !TokenAt(i + 1).info.plural && Joined(i + 1) &&
      W(i + 2) == Word::kBefore && Joined(i + 2) && W(i + 3) != Word::kLast &&
      static_cast<Unit>(V(i + 1)) >= Unit::kDay && static_cast<Unit>(V(i + 1)) <= Unit::kMonth) {
    Piece piece = Open(Piece::Kind::kOffset, -1, PrecisionOf(static_cast<Unit>(V(i + 1))));
    piece.unit = static_cast<Unit>(V(i + 1));
    piece.relative = true;
    return Add(piece, i, i + 3);
  }
  if (!last && !(W(i) == Word::kOrdinal && V(i) <= 5)) return i;
  if (!Joined(i + 1) || !Joined(i + 2)) return i;
  if (W(i + 2) != Word::kOf && W(i + 2) != Word::kIn) return i;
  Piece piece = Open(Piece::Kind::kNth, last ? -1 : V(i), TimePrecision::kDay);
  if (W(i + 1) == Word::kHalf && !last) {
    piece.kind = Piece::Kind::kHalf;
    piece.precision = TimePrecision::kSeason;
    return V(i) <= 2 ? Add(piece, i, i + 2) : i;
  }
  if (W(i + 1) == Word::kWeekday) {
    piece.unit = Unit::kWeekday;
    piece.b = V(i + 1);
  } else if (W(i + 1) == Word::kUnit) {
    piece.unit = static_cast<Unit>(V(i + 1));
    if (piece.unit != Unit::kDay && piece.unit != Unit::kWeek && piece.unit != Unit::kWeekend &&
        piece.unit != Unit::kQuarter && piece.unit != Unit::kMonth) {
      return i;
    }
    piece.precision = PrecisionOf(piece.unit);
    if (piece.unit == Unit::kQuarter) piece.kind = Piece::Kind::kQuarter, piece.a = last ? 4 : V(i);
  } else {
    return i;
  }
  return Add(piece, i, i + 2);
}
}  // namespace liubai::memory::timing
