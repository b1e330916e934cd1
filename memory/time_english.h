// memory/time_english.h: the scanner of English times, which time_english*.cc share.
//
// Its methods take the place of a token; those that return a place return the end of what they
// found and added, or the place they were given when it is not there.
//
// Threads: one thread for each scanner.
#pragma once

#include <string_view>
#include <vector>

#include "memory/time_scan.h"
#include "memory/time_words.h"

namespace liubai::memory::timing {

struct Token {
  std::uint32_t begin;
  std::uint32_t end;
  WordInfo info;
  // What stands before it: a blank, one sign, '.' with a blank as 's', anything else 'x', '^' for
  // the start of the text.
  char gap;
  std::uint8_t digits;  // Their number, for kDigits and ordinals in digits.
  bool upper;           // Begins with a capital letter.
  bool possessive;
};

class EnglishScan {
 public:
  EnglishScan(std::string_view text, const Calendar& calendar, Found* found)
      : text_(text), calendar_(calendar), found_(found) {}

  void Run() {
    if (!Split()) return;
    for (std::size_t i = 0; i < tokens_.size();) {
      const std::size_t end = At(i);
      i = end > i ? end : i + 1;
    }
  }

 private:
  // Words and numbers; false when none of them can be part of a time.
  bool Split();

  const Token& TokenAt(std::size_t i) const {
    static constexpr Token kNone{0, 0, {}, 'x', 0, false, false};
    return i < tokens_.size() ? tokens_[i] : kNone;
  }
  Word W(std::size_t i) const { return TokenAt(i).info.word; }
  int V(std::size_t i) const { return TokenAt(i).info.value; }
  char Gap(std::size_t i) const { return TokenAt(i).gap; }
  bool Joined(std::size_t i) const { return Gap(i) == ' '; }  // By nothing but blanks.
  bool Loose(std::size_t i) const { return Gap(i) == ' ' || Gap(i) == ','; }
  Word Before(std::size_t i) const { return i > 0 && Joined(i) ? W(i - 1) : Word::kOther; }
  bool Is(std::size_t i, std::string_view lower) const;

  // Adds `piece` as what tokens [i, end) say; returns `end`.
  std::size_t Add(Piece piece, std::size_t i, std::size_t end) {
    piece.begin = TokenAt(i).begin;
    piece.end = TokenAt(end - 1).end;
    found_->pieces.push_back(piece);
    return end;
  }
  std::size_t Impossible(std::size_t i, std::size_t end) {
    found_->impossible.push_back({TokenAt(i).begin, TokenAt(end - 1).end});
    return end;
  }
  std::size_t AddDay(int y, int m, int d, std::size_t i, std::size_t end, int further = 0);
  Piece Open(Piece::Kind kind, int a, TimePrecision precision, int b = 0) const;
  std::size_t AddMonthDay(int m, int d, int further, std::size_t i, std::size_t end) {
    if (!OneDay(2024, m, d)) return Impossible(i, end);  // 2024 has a 29 February.
    Piece piece = Open(Piece::Kind::kMonthDay, m, TimePrecision::kDay, d);
    piece.c = further;
    if (further > 0) piece.precision = TimePrecision::kDays;
    return Add(piece, i, end);
  }

  bool IsYear(std::size_t i) const {
    return W(i) == Word::kDigits && TokenAt(i).digits == 4 && V(i) >= 1900 && V(i) <= 2100;
  }
  bool IsMonth(std::size_t i) const { return W(i) == Word::kMonth || W(i) == Word::kMonthShort; }
  // 1..99 for a day of the month, in digits or words; 0: none.
  int Day(std::size_t i) const {
    if (W(i) == Word::kDigits && TokenAt(i).digits <= 2) return V(i);
    if (W(i) == Word::kOrdinal && TokenAt(i).digits <= 2 && V(i) <= 99) return V(i);
    return 0;
  }
  // "twenty-first"; else as Day. `end`: past it.
  int LongDay(std::size_t i, std::size_t* end) const;

  // 2023-05-08, 2023/05, 5/20/2023, 20.5.2023
  std::size_t NumericDate(std::size_t i);

  struct Count {
    int value = 0;
    bool half = false;
    bool few = false;
    bool about = false;
    std::size_t end = 0;  // 0: none
  };
  Count CountAt(std::size_t i) const;

  // "four weeks ago", "two Fridays ago", "a couple of days ago", "in three weeks", "two days before
  // (Christmas)".
  std::size_t Counted(std::size_t i);

  // "in three weeks" of something that is to come; the combiner takes it only from such sentences.
  std::size_t InCounted(std::size_t i);

  const FestivalName* FestivalAt(std::size_t i, std::size_t* end) const;

  std::size_t FestivalPiece(std::size_t i, Pick pick, std::size_t first);

  static bool LeadsMonth(Word word);
  // Names that are other words too need a lead: "may", "march", "april" and "june" are also words
  // or people, and short forms too.
  bool MonthStandsAlone(std::size_t i) const;

  // Month and day in either order, month and year, a month.
  std::size_t MonthForms(std::size_t i);

  // "2000 dollars", "2019 people": a number that counts.
  bool Quantity(std::size_t i) const {
    if (!Joined(i + 1)) return Gap(i + 1) == '.' && W(i + 1) == Word::kDigits;
    return W(i + 1) == Word::kUnit && !TokenAt(i + 1).possessive;
  }

  std::size_t YearForm(std::size_t i);
  bool IsFestivalEnd(std::size_t i) const {
    return !found_->pieces.empty() && found_->pieces.back().kind == Piece::Kind::kFestival &&
           found_->pieces.back().end == TokenAt(i).end;
  }

  // What follows "last", "next", "this", …
  std::size_t Relative(std::size_t i);

  enum class UnitTail : std::uint8_t { kNone, kFurtherBack, kFurtherOn };
  // "before last", "after next"
  UnitTail BeforeLast(std::size_t i, std::size_t* end) const {
    if (!Joined(i) || !Joined(i + 1)) return UnitTail::kNone;
    if (W(i) == Word::kBefore && W(i + 1) == Word::kLast)
      return *end = i + 2, UnitTail::kFurtherBack;
    if (W(i) == Word::kAfter && W(i + 1) == Word::kNext) return *end = i + 2, UnitTail::kFurtherOn;
    return UnitTail::kNone;
  }

  // "the week before last", "the day before yesterday", "the day after (Christmas)"
  std::size_t TheUnit(std::size_t i);
  std::size_t TheWeekend(std::size_t i);

  // "the first week of June", "the last Friday in May"; needs the time that follows.
  std::size_t Nth(std::size_t i);

  // "in the summer", "summer of 2022", "during winter"
  std::size_t Season(std::size_t i);

  std::size_t Weekday(std::size_t i);

  // "on the 15th"
  std::size_t DayOfMonth(std::size_t i);

  std::size_t At(std::size_t i);

  std::string_view text_;
  const Calendar& calendar_;
  Found* found_;
  std::vector<Token> tokens_;
};

}  // namespace liubai::memory::timing
