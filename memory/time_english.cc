// The times of English.
#include <algorithm>
#include <array>
#include <string>

#include "memory/time_scan.h"
#include "memory/time_words.h"

namespace liubai::memory::timing {
namespace {

constexpr std::size_t kLongestWord = 16;

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

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

char GapOf(std::string_view gap, bool at_start) {
  if (at_start) return '^';
  while (gap.size() > 1 && IsBlank(gap.front())) gap.remove_prefix(1);
  bool blank_after = false;
  while (gap.size() > 1 && IsBlank(gap.back())) gap.remove_suffix(1), blank_after = true;
  if (gap.size() == 1) {
    if (IsBlank(gap[0])) return ' ';
    if (gap[0] == '.' && blank_after) return 's';
    return gap[0];
  }
  if (gap == "\u2013" || gap == "\u2014" || gap == "\u2010" || gap == "\u2011") return '-';
  return 'x';
}

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
  bool Split() {
    bool trigger = false;
    tokens_.reserve(text_.size() / 5 + 4);
    std::array<char, kLongestWord> lower;
    std::size_t last_end = 0;
    for (std::size_t i = 0; i < text_.size();) {
      if (!IsDigit(text_[i]) && !IsLetter(text_[i])) {
        ++i;
        continue;
      }
      Token token{};
      token.begin = static_cast<std::uint32_t>(i);
      token.gap = GapOf(text_.substr(last_end, i - last_end), tokens_.empty() && last_end == 0);
      token.upper = text_[i] >= 'A' && text_[i] <= 'Z';
      std::size_t size = 0;
      if (IsDigit(text_[i])) {
        int value = 0;
        while (i < text_.size() && IsDigit(text_[i])) {
          value = std::min(value * 10 + (text_[i] - '0'), 20000);
          ++i, ++size;
        }
        token.digits = static_cast<std::uint8_t>(std::min<std::size_t>(size, 20));
        token.info = {Word::kDigits, static_cast<std::int16_t>(value), true, false, false};
        std::size_t tail = i;
        while (tail < text_.size() && IsLetter(text_[tail])) ++tail;
        const std::string_view suffix = text_.substr(i, tail - i);
        if (suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th") {
          token.info.word = Word::kOrdinal;
        } else if (suffix == "s" && value % 10 == 0 &&
                   (size == 2 || (size == 4 && value >= 1800))) {
          token.info.word = Word::kDecade;
          if (size == 2)
            token.info.value = static_cast<std::int16_t>(value + (value < 30 ? 2000 : 1900));
        } else if (!suffix.empty()) {
          token.info = {};  // 10am, 5k, 3d
        }
        i = tail;
      } else {
        while (i < text_.size() && (IsLetter(text_[i]) || IsDigit(text_[i]))) {
          const char c = text_[i++];
          if (size < kLongestWord)
            lower[size] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
          ++size;
        }
        if (size <= kLongestWord) token.info = LookUpWord({lower.data(), size});
      }
      token.end = static_cast<std::uint32_t>(i);
      // A possessive ending belongs to the word.
      const std::string_view after = text_.substr(i, 5);
      const std::size_t mark = after.starts_with('\'') ? 1 : after.starts_with("\u2019") ? 3 : 0;
      if (mark > 0 && after.substr(mark, 1) == "s" &&
          (after.size() == mark + 1 || !IsLetter(after[mark + 1]))) {
        token.possessive = true;
        i += mark + 1;
      }
      last_end = i;
      trigger |= token.info.trigger;
      tokens_.push_back(token);
    }
    return trigger;
  }

  const Token& At_(std::size_t i) const {
    static constexpr Token kNone{0, 0, {}, 'x', 0, false, false};
    return i < tokens_.size() ? tokens_[i] : kNone;
  }
  Word W(std::size_t i) const { return At_(i).info.word; }
  int V(std::size_t i) const { return At_(i).info.value; }
  char Gap(std::size_t i) const { return At_(i).gap; }
  bool Joined(std::size_t i) const { return Gap(i) == ' '; }  // By nothing but blanks.
  bool Loose(std::size_t i) const { return Gap(i) == ' ' || Gap(i) == ','; }
  Word Before(std::size_t i) const { return i > 0 && Joined(i) ? W(i - 1) : Word::kOther; }
  bool Is(std::size_t i, std::string_view lower) const {
    const Token& token = At_(i);
    if (token.end - token.begin != lower.size() || lower.empty()) return false;
    for (std::size_t k = 0; k < lower.size(); ++k) {
      const char c = text_[token.begin + k];
      if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) != lower[k]) return false;
    }
    return true;
  }

  // Adds `piece` as what tokens [i, end) say; returns `end`.
  std::size_t Add(Piece piece, std::size_t i, std::size_t end) {
    piece.begin = At_(i).begin;
    piece.end = At_(end - 1).end;
    found_->pieces.push_back(piece);
    return end;
  }
  std::size_t Impossible(std::size_t i, std::size_t end) {
    found_->impossible.push_back({At_(i).begin, At_(end - 1).end});
    return end;
  }
  std::size_t AddDay(int y, int m, int d, std::size_t i, std::size_t end, int further = 0) {
    const std::optional<Span> span = OneDay(y, m, d);
    if (!span) return Impossible(i, end);
    Piece piece;
    piece.span = piece.frame = {span->from, span->to + further * kDayMs};
    if (further > 0) piece.precision = TimePrecision::kDays;
    return Add(piece, i, end);
  }
  Piece Open(Piece::Kind kind, int a, TimePrecision precision, int b = 0) const {
    Piece piece;
    piece.kind = kind;
    piece.a = a;
    piece.b = b;
    piece.precision = precision;
    return piece;
  }
  std::size_t AddMonthDay(int m, int d, int further, std::size_t i, std::size_t end) {
    if (!OneDay(2024, m, d)) return Impossible(i, end);  // 2024 has a 29 February.
    Piece piece = Open(Piece::Kind::kMonthDay, m, TimePrecision::kDay, d);
    piece.c = further;
    if (further > 0) piece.precision = TimePrecision::kDays;
    return Add(piece, i, end);
  }

  bool IsYear(std::size_t i) const {
    return W(i) == Word::kDigits && At_(i).digits == 4 && V(i) >= 1900 && V(i) <= 2100;
  }
  bool IsMonth(std::size_t i) const { return W(i) == Word::kMonth || W(i) == Word::kMonthShort; }
  // 1..99 for a day of the month, in digits or words; 0: none.
  int Day(std::size_t i) const {
    if (W(i) == Word::kDigits && At_(i).digits <= 2) return V(i);
    if (W(i) == Word::kOrdinal && At_(i).digits <= 2 && V(i) <= 99) return V(i);
    return 0;
  }
  // "twenty-first"; else as Day. `end`: past it.
  int LongDay(std::size_t i, std::size_t* end) const {
    *end = i + 1;
    if (W(i) == Word::kNumber && (V(i) == 20 || V(i) == 30) && W(i + 1) == Word::kOrdinal &&
        V(i + 1) < 10 && At_(i + 1).digits == 0 && (Gap(i + 1) == '-' || Gap(i + 1) == ' ')) {
      *end = i + 2;
      return V(i) + V(i + 1);
    }
    return Day(i);
  }

  // 2023-05-08, 2023/05, 5/20/2023, 20.5.2023
  std::size_t NumericDate(std::size_t i) {
    const char sign = Gap(i + 1);
    if (W(i) != Word::kDigits || W(i + 1) != Word::kDigits) return i;
    if (sign != '-' && sign != '/' && sign != '.') return i;
    if (text_[At_(i + 1).begin - 1] == ' ') return i;
    if (i > 0 && W(i - 1) == Word::kDigits && Gap(i) == sign) return i;
    const bool three = W(i + 2) == Word::kDigits && Gap(i + 2) == sign;
    const bool four = three && W(i + 3) == Word::kDigits && Gap(i + 3) == sign;
    const int a = V(i), b = V(i + 1), c = V(i + 2);
    if (four) return i;  // An address of a machine, a telephone number.
    if (At_(i).digits == 4 && a >= 1900 && a <= 2100 && At_(i + 1).digits <= 2) {
      if (three && At_(i + 2).digits <= 2) return AddDay(a, b, c, i, i + 3);
      if (three || sign == '.' || At_(i + 1).digits != 2) return i;
      if (b < 1 || b > 12) return i;
      Piece piece;
      piece.span = piece.frame = MonthSpan(a, b);
      piece.precision = TimePrecision::kMonth;
      return Add(piece, i, i + 2);
    }
    if (At_(i).digits > 2 || At_(i + 1).digits > 2) return i;
    if (three && (At_(i + 2).digits == 4 || (At_(i + 2).digits == 2 && sign == '/'))) {
      const int y = At_(i + 2).digits == 4 ? c : 2000 + c;
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

  struct Count {
    int value = 0;
    bool half = false;
    bool few = false;
    bool about = false;
    std::size_t end = 0;  // 0: none
  };
  Count CountAt(std::size_t i) const {
    Count count;
    const Word word = W(i);
    if (word == Word::kDigits && At_(i).digits <= 4) {
      count = {V(i), false, false, false, i + 1};
      if (Gap(i + 1) == '.' && W(i + 1) == Word::kDigits && V(i + 1) == 5 &&
          At_(i + 1).digits == 1) {
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

  // "four weeks ago", "two Fridays ago", "a couple of days ago", "in three weeks", "two days before
  // (Christmas)".
  std::size_t Counted(std::size_t i) {
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
                     (W(j) == Word::kBack && At_(unit).info.plural && W(j + 1) != Word::kTo &&
                      W(j + 1) != Word::kIn && W(j + 1) != Word::kFrom);
    if (ago) {
      if (word == Word::kUnit && festival == nullptr) {
        const auto piece =
            Away(calendar_, static_cast<Unit>(V(unit)), -count.value, count.half, count.few, about);
        return piece ? Add(*piece, first, j + 1) : i;
      }
      Piece piece = festival != nullptr
                        ? Open(Piece::Kind::kFestival, festival->festival, TimePrecision::kDay)
                    : word == Word::kWeekday
                        ? Open(Piece::Kind::kWeekday, V(unit), TimePrecision::kDay)
                        : Open(Piece::Kind::kSeason, V(unit), TimePrecision::kSeason);
      piece.pick = Pick::kAgo;
      piece.c = std::min(count.value, 100);
      piece.relative = true;
      return Add(piece, first, j + 1);
    }
    if (word != Word::kUnit || festival != nullptr) return i;
    // "two days before Christmas"; dropped when no time follows.
    const bool from_now =
        W(j) == Word::kFrom && (W(j + 1) == Word::kNow || W(j + 1) == Word::kToday);
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

  // "in three weeks" of something that is to come; the combiner takes it only from such sentences.
  std::size_t InCounted(std::size_t i) {
    if (W(i) != Word::kIn || !Joined(i + 1)) return i;
    std::size_t start = i + 1;
    if (W(start) == Word::kAbout) ++start;
    const Count count = CountAt(start);
    if (count.end == 0 || !Joined(count.end) || W(count.end) != Word::kUnit) return i;
    const Unit unit = static_cast<Unit>(V(count.end));
    if (unit < Unit::kDay || unit == Unit::kNight || At_(count.end).possessive) return i;
    // "did I join in a month ago": counted from the "a" on.
    for (std::size_t next = count.end + 1; next < count.end + 5; ++next) {
      if (W(next) == Word::kAgo || W(next) == Word::kBefore) return i;
    }
    auto piece = Away(calendar_, unit, count.value, count.half, count.few, start > i + 1);
    if (!piece) return i;
    piece->pick = Pick::kComing;
    return Add(*piece, i, count.end + 1);
  }

  const FestivalName* FestivalAt(std::size_t i, std::size_t* end) const {
    if (!At_(i).info.festival) return nullptr;
    std::string first(text_.substr(At_(i).begin, At_(i).end - At_(i).begin));
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
      if (name->words == "new years" && !At_(i).upper) continue;
      *end = i + static_cast<std::size_t>(name->count);
      return name;
    }
    return nullptr;
  }

  std::size_t FestivalPiece(std::size_t i, Pick pick, std::size_t first) {
    std::size_t end = i;
    const FestivalName* name = FestivalAt(i, &end);
    if (name == nullptr) {
      // "New Year's", "the new year"
      if (Is(i, "new") && Is(i + 1, "year") && Joined(i + 1) && At_(i + 1).possessive) {
        Piece piece = Open(Piece::Kind::kFestival, static_cast<int>(Festival::kNewYear),
                           TimePrecision::kDays);
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

  static bool LeadsMonth(Word word) {
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
  // Names that are other words too need a lead: "may", "march", "april" and "june" are also words
  // or people, and short forms too.
  bool MonthStandsAlone(std::size_t i) const {
    const Word lead = i > 0 && (Joined(i) || Gap(i) == '-') ? W(i - 1) : Word::kOther;
    const int m = V(i);
    if (W(i) == Word::kMonth && m != 3 && m != 4 && m != 5 && m != 6 && m != 8) {
      return !At_(i).possessive || LeadsMonth(lead);
    }
    const bool followed = Joined(i + 1) && W(i + 1) == Word::kPronoun;  // "before may I", "may be"
    if (followed && !At_(i).upper) return false;
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
      return At_(i).upper || lead == Word::kFrom;
    }
    if (lead == Word::kFrom || lead == Word::kBy || lead == Word::kBefore || lead == Word::kAfter) {
      // "from April" may be a person; in lower case it is none.
      return m != 4 && m != 6 && m != 8 ? !followed && !(m == 3 && !At_(i).upper)
                                        : !At_(i).upper || lead == Word::kBefore;
    }
    if (!At_(i).upper || At_(i).possessive) return false;
    // "the May trip"
    return lead == Word::kThe && m != 4 && m != 6 && Joined(i + 1) && W(i + 1) == Word::kOther;
  }

  // Month and day in either order, month and year, a month.
  std::size_t MonthForms(std::size_t i) {
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
          !(W(i) == Word::kOrdinal && At_(i).digits == 0 && !of && W(m) == Word::kMonthShort)) {
        // "2 may be": a number and a verb.
        const bool verb = V(m) == 5 && !At_(m).upper && !of && W(m + 1) == Word::kPronoun;
        // "the first March meeting" counts meetings.
        const bool counts = W(i) == Word::kOrdinal && At_(i).digits == 0 && !of;
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
    const bool verb = V(i) == 5 && !At_(i).upper && !LeadsMonth(Before(i)) &&
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

  // "2000 dollars", "2019 people": a number that counts.
  bool Quantity(std::size_t i) const {
    if (!Joined(i + 1)) return Gap(i + 1) == '.' && W(i + 1) == Word::kDigits;
    return W(i + 1) == Word::kUnit && !At_(i + 1).possessive;
  }

  std::size_t YearForm(std::size_t i) {
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
        wanted =
            i >= 2 && (IsYear(i - 2) || IsMonth(i - 2) || Is(i - 2, "prior") || Is(i - 2, "up"));
        break;
      case Word::kDigits:
        wanted = Gap(i) == '-' && i >= 1 && IsYear(i - 1);
        break;
      case Word::kUnit:
        wanted = V(i - 1) == static_cast<int>(Unit::kYear) ||
                 V(i - 1) == static_cast<int>(Unit::kQuarter);
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
  bool IsFestivalEnd(std::size_t i) const {
    return !found_->pieces.empty() && found_->pieces.back().kind == Piece::Kind::kFestival &&
           found_->pieces.back().end == At_(i).end;
  }

  // What follows "last", "next", "this", …
  std::size_t Relative(std::size_t i) {
    Word word = W(i);
    if (!Joined(i + 1)) return i;
    std::size_t j = i + 1;
    std::size_t first = i;
    const Word lead = Before(i);
    if (word == Word::kThis && (W(j) == Word::kPast || W(j) == Word::kLast ||
                                W(j) == Word::kComing || W(j) == Word::kNext)) {
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
      if (unit < Unit::kDay || (unit == Unit::kDay && (!At_(j).info.plural && word != Word::kPast)))
        return i;
      if (W(j + 1) == Word::kOf && Joined(j + 1)) return i;  // See Nth.
      if (At_(j).info.plural) {
        // "the past weeks"
        if (word != Word::kPast || unit == Unit::kDay) {
          if (unit != Unit::kDay || word != Word::kPast) return i;
        }
        const auto piece = Rolling(calendar_, unit, -4);
        return piece ? Add(*piece, first, j + 1) : i;
      }
      if (sign != 0 && unit != Unit::kNight && unit != Unit::kWeekend &&
          ((word == Word::kPast && (lead == Word::kThe || lead == Word::kIn ||
                                    lead == Word::kThis || lead == Word::kOver || j > i + 1)) ||
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
    if ((W(j) == Word::kWeekday && !At_(j).info.plural) || W(j) == Word::kWeekdayShort) {
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
    } else if (W(j) == Word::kSeason && !At_(j).info.plural) {
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
  std::size_t TheUnit(std::size_t i) {
    if (W(i) == Word::kWeekday && !At_(i).info.plural) {
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
    if (W(i) != Word::kUnit || At_(i).info.plural) return i;
    const Unit unit = static_cast<Unit>(V(i));
    if (unit == Unit::kDay && i > 0 && Before(i) == Word::kOtherWord &&
        Before(i - 1) == Word::kThe) {
      const Piece piece = *Away(calendar_, Unit::kDay, -4, false, true, true);  // "the other day"
      return Add(piece, i - 1, i + 1);
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
      Piece piece =
          Open(Piece::Kind::kOffset, W(i + 1) == Word::kBefore ? -1 : 1, PrecisionOf(unit));
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
  std::size_t TheWeekend(std::size_t i) {
    if (W(i) != Word::kUnit || V(i) != static_cast<int>(Unit::kWeekend) || At_(i).info.plural)
      return i;
    if (Before(i) != Word::kThe) return i;
    const Word lead = Before(i - 1);
    if (lead != Word::kAt && lead != Word::kOver && lead != Word::kDuring && lead != Word::kOn &&
        lead != Word::kIn && lead != Word::kBefore && lead != Word::kAfter &&
        lead != Word::kSince) {
      return i;
    }
    return Add(Open(Piece::Kind::kWeekend, 0, TimePrecision::kDays), i, i + 1);
  }

  // "the first week of June", "the last Friday in May"; needs the time that follows.
  std::size_t Nth(std::size_t i) {
    const bool last = W(i) == Word::kLast;
    // "last weekend before April 10"
    if (last && W(i + 1) == Word::kUnit && !At_(i + 1).info.plural && Joined(i + 1) &&
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
      if (piece.unit == Unit::kQuarter)
        piece.kind = Piece::Kind::kQuarter, piece.a = last ? 4 : V(i);
    } else {
      return i;
    }
    return Add(piece, i, i + 2);
  }

  // "in the summer", "summer of 2022", "during winter"
  std::size_t Season(std::size_t i) {
    if (W(i) != Word::kSeason || At_(i).info.plural) return i;
    Word lead = i > 0 && (Joined(i) || Gap(i) == '-') ? W(i - 1) : Word::kOther;
    const bool the = lead == Word::kThe;
    if (the) lead = Before(i - 1);
    bool wanted = lead == Word::kIn || lead == Word::kDuring || lead == Word::kSince ||
                  lead == Word::kEarly || lead == Word::kMid || lead == Word::kLate ||
                  ((lead == Word::kOver || lead == Word::kFor) && the) ||
                  (lead == Word::kOf && !the);
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
    if ((lead == Word::kBefore || lead == Word::kAfter || lead == Word::kUntil) && the &&
        V(i) != 2 && !Is(i, "fall")) {
      wanted |= !Joined(i + 1) || i + 1 >= tokens_.size() || W(i + 1) == Word::kOf;
    }
    if (!wanted) return i;
    // "in spring water", "in the summer house": a word that goes on from it.
    if (!the && lead == Word::kIn && !IsYear(next) && Is(i, "spring") && Is(i + 1, "water"))
      return i;
    return Add(Open(Piece::Kind::kSeason, V(i), TimePrecision::kSeason), i, i + 1);
  }

  std::size_t Weekday(std::size_t i) {
    const bool full = W(i) == Word::kWeekday;
    if (!full && W(i) != Word::kWeekdayShort) return i;
    if (At_(i).info.plural || Before(i) == Word::kEvery) return i;
    if (Before(i) == Word::kOtherWord && i > 1 && W(i - 2) == Word::kEvery) return i;
    if (!full) {
      const bool word = V(i) == 6 || V(i) == 5 || Is(i, "wed");  // "sun", "sat", "wed"
      const Word lead = Before(i);
      const bool dated = (Loose(i + 1) || Gap(i + 1) == 's') && IsMonth(i + 1) && Day(i + 2) > 0;
      if (!dated && (lead != Word::kOn || (word && !At_(i).upper))) return i;
    }
    return Add(Open(Piece::Kind::kWeekday, V(i), TimePrecision::kDay), i, i + 1);
  }

  // "on the 15th"
  std::size_t DayOfMonth(std::size_t i) {
    if (W(i) != Word::kOrdinal || At_(i).digits == 0 || Before(i) != Word::kThe) return i;
    const Word lead = Before(i - 1);
    if (lead != Word::kOn && lead != Word::kBy && lead != Word::kSince && lead != Word::kUntil &&
        lead != Word::kBefore && lead != Word::kAfter) {
      return i;
    }
    if (V(i) < 1 || V(i) > 31) return i;
    const bool ends = i + 1 >= tokens_.size() || (!Joined(i + 1) && Gap(i + 1) != '-');
    if (!ends && W(i + 1) != Word::kOf) return i;
    return Add(Open(Piece::Kind::kDayOfMonth, 0, TimePrecision::kDay, V(i)), i, i + 1);
  }

  std::size_t At(std::size_t i) {
    const Token& token = At_(i);
    std::size_t end = i;
    const auto Try = [&](std::size_t reached) {
      end = reached;
      return reached > i;
    };
    switch (token.info.word) {
      case Word::kYesterday:
        return Add(UnitPiece(calendar_, Unit::kDay, -1), i, i + 1);
      case Word::kToday:
        return Add(UnitPiece(calendar_, Unit::kDay, 0), i, i + 1);
      case Word::kTomorrow:
        return Add(UnitPiece(calendar_, Unit::kDay, 1), i, i + 1);
      case Word::kTonight:
        return Add(UnitPiece(calendar_, Unit::kNight, 0), i, i + 1);
      case Word::kDigits:
        if (Try(NumericDate(i)) || Try(MonthForms(i)) || Try(Counted(i)) || Try(YearForm(i))) {
          return end;
        }
        break;
      case Word::kOrdinal:
        if (Try(MonthForms(i)) || Try(Nth(i)) || Try(DayOfMonth(i))) return end;
        break;
      case Word::kNumber:
        if (Try(Counted(i)) || Try(MonthForms(i))) return end;
        break;
      case Word::kA:
      case Word::kHalf:
      case Word::kCouple:
      case Word::kFew:
      case Word::kSeveral:
        return Counted(i);
      case Word::kIn:
        return InCounted(i);
      case Word::kLast:
        if (Try(Nth(i)) || Try(Relative(i))) return end;
        break;
      case Word::kPast:
      case Word::kPrevious:
      case Word::kNext:
      case Word::kComing:
      case Word::kThis:
        return Relative(i);
      case Word::kMonth:
      case Word::kMonthShort:
        if (token.info.festival && Try(FestivalPiece(i, Pick::kOpen, i))) return end;
        return MonthForms(i);
      case Word::kWeekday:
      case Word::kWeekdayShort:
        if (Try(TheUnit(i)) || Try(Weekday(i))) return end;
        break;
      case Word::kSeason:
        if (token.info.festival && Try(FestivalPiece(i, Pick::kOpen, i))) return end;
        return Season(i);
      case Word::kUnit:
        if (Try(TheUnit(i)) || Try(TheWeekend(i))) return end;
        if (static_cast<Unit>(token.info.value) == Unit::kNight && !token.info.plural) {
          Piece piece = Open(Piece::Kind::kPart, 0, TimePrecision::kPartOfDay);
          piece.part = Part::kNight;
          return Add(piece, i, i + 1);
        }
        break;
      case Word::kDecade:
        return YearForm(i);
      case Word::kPart: {
        Piece piece = Open(Piece::Kind::kPart, 0, TimePrecision::kPartOfDay);
        piece.part = static_cast<Part>(token.info.value);
        return Add(piece, i, i + 1);
      }
      default:
        if (token.info.festival) {
          if (Before(i) == Word::kEvery) return i;
          return FestivalPiece(i, Pick::kOpen, i);
        }
        if (Is(i, "q1") || Is(i, "q2") || Is(i, "q3") || Is(i, "q4")) {
          return Add(
              Open(Piece::Kind::kQuarter, text_[token.begin + 1] - '0', TimePrecision::kSeason), i,
              i + 1);
        }
    }
    return i;
  }

  std::string_view text_;
  const Calendar& calendar_;
  Found* found_;
  std::vector<Token> tokens_;
};

}  // namespace

void ScanEnglish(std::string_view text, const Calendar& calendar, Found* found) {
  EnglishScan(text, calendar, found).Run();
}

}  // namespace liubai::memory::timing
