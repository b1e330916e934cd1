// The times of English: tokens, and which form is tried where.
#include "memory/time_english.h"

#include <algorithm>
#include <array>

namespace liubai::memory::timing {
namespace {

constexpr std::size_t kLongestWord = 16;

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

}  // namespace

bool EnglishScan::Split() {
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
      } else if (suffix == "s" && value % 10 == 0 && (size == 2 || (size == 4 && value >= 1800))) {
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
        if (size < kLongestWord) lower[size] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
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

bool EnglishScan::Is(std::size_t i, std::string_view lower) const {
  const Token& token = TokenAt(i);
  if (token.end - token.begin != lower.size() || lower.empty()) return false;
  for (std::size_t k = 0; k < lower.size(); ++k) {
    const char c = text_[token.begin + k];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) != lower[k]) return false;
  }
  return true;
}

std::size_t EnglishScan::AddDay(int y, int m, int d, std::size_t i, std::size_t end, int further) {
  const std::optional<Span> span = OneDay(y, m, d);
  if (!span) return Impossible(i, end);
  Piece piece;
  piece.span = piece.frame = {span->from, span->to + further * kDayMs};
  if (further > 0) piece.precision = TimePrecision::kDays;
  return Add(piece, i, end);
}

Piece EnglishScan::Open(Piece::Kind kind, int a, TimePrecision precision, int b) const {
  Piece piece;
  piece.kind = kind;
  piece.a = a;
  piece.b = b;
  piece.precision = precision;
  return piece;
}

std::size_t EnglishScan::At(std::size_t i) {
  const Token& token = TokenAt(i);
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

void ScanEnglish(std::string_view text, const Calendar& calendar, Found* found) {
  EnglishScan(text, calendar, found).Run();
}

}  // namespace liubai::memory::timing
