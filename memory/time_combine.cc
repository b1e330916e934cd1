// Pieces of times, put together and set on the calendar.
#include "memory/time_combine.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "memory/ledger_words.h"
#include "memory/time_instances.h"

namespace liubai::memory::timing {
namespace {

using Kind = Piece::Kind;
using std::chrono::months;
using std::chrono::year_month_day;
using words::Has;
using words::Holds;

constexpr std::size_t kLongestGap = 24;  // Bytes between pieces that belong together.
constexpr std::size_t kSentenceBytes = 160;

bool IsDayLevel(const Piece& piece) {
  return piece.precision == TimePrecision::kDay || piece.kind == Kind::kLunarDay ||
         piece.kind == Kind::kFestival;
}
bool NeedsAnother(const Piece& piece) { return !Recurs(piece) && piece.kind != Kind::kFixed; }

enum class Gap : std::uint8_t { kNone, kJoins, kTo, kAnd };

Gap GapBetween(std::string_view text, std::size_t begin, std::size_t end) {
  if (end < begin || end - begin > kLongestGap) return Gap::kNone;
  std::string gap;
  for (const char c : text.substr(begin, end - begin)) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (blank && (gap.empty() || gap.back() == ' ')) continue;
    gap += blank ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  while (!gap.empty() && gap.back() == ' ') gap.pop_back();
  static constexpr std::string_view kJoining[] = {
      "",        ",",      "of", "in",   "on",    "of the",  "in the", "'s",
      "\u2019s", "at",     "(",  ", in", "the",   "back in", ", on",   "during",
      "for",     "on the", "的", "（",   "’s on", "'s on",   "那个",   "那"};
  if (Has(kJoining, gap)) return Gap::kJoins;
  static constexpr std::string_view kTo[] = {"to",     "through", "thru",  "until",  "till", "-",
                                             "\u2013", "\u2014",  "~",     "到",     "至",   "～",
                                             "－",     "to the",  "up to", "一直到", "直到"};
  if (Has(kTo, gap)) return Gap::kTo;
  static constexpr std::string_view kAnd[] = {"and", "和", "与", "跟", "and the"};
  return Has(kAnd, gap) ? Gap::kAnd : Gap::kNone;
}

struct Node {
  Piece piece;
  std::optional<Piece> last;    // "from `piece` to `last`"
  std::optional<Piece> offset;  // "two days before `piece`"
};

class Combiner {
 public:
  Combiner(std::string_view text, const Calendar& calendar, TimeReader reader)
      : text_(text), calendar_(calendar), reader_(reader) {}

  std::vector<LocalTime> Run(const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) Take(piece);
    std::vector<LocalTime> times;
    for (Node& node : nodes_) {
      if (std::optional<LocalTime> time = Resolve(node)) times.push_back(*time);
    }
    return times;
  }

 private:
  void Take(Piece piece) {
    if (!nodes_.empty()) {
      Node& before = nodes_.back();
      if (piece.begin < before.piece.end) return;  // Read twice.
      const Piece& end = before.last ? *before.last : before.piece;
      const Gap gap = GapBetween(text_, end.end, piece.begin);
      if (gap == Gap::kJoins && Join(before, piece)) return;
      const bool whole = !NeedsAnother(before.piece) && !NeedsAnother(piece) && !before.last;
      if (whole && !before.offset && !before.piece.weak &&
          (gap == Gap::kTo || (gap == Gap::kAnd && IsBetween(before.piece, piece)))) {
        before.last = piece;
        return;
      }
    }
    nodes_.push_back({piece, std::nullopt, std::nullopt});
  }

  // Completes `node` by `piece`, or the other way round; false when they are two times.
  bool Join(Node& node, Piece& piece) {
    Piece& first = node.piece;
    if (first.kind == Kind::kOffset) {
      if (NeedsAnother(piece) || node.offset) return false;
      const Piece offset = first;
      piece.begin = offset.begin;
      node.piece = piece;
      node.offset = offset;
      return true;
    }
    if (piece.kind == Kind::kPart || first.kind == Kind::kPart) {
      const Piece part = piece.kind == Kind::kPart ? piece : first;
      Piece whole = piece.kind == Kind::kPart ? (node.last ? *node.last : first) : piece;
      if (whole.kind == Kind::kPart || whole.kind == Kind::kOffset || node.last) return false;
      if (!IsDayLevel(whole) || whole.part != Part::kNone) return piece.kind == Kind::kPart;
      whole.begin = std::min(part.begin, whole.begin);
      whole.end = std::max(part.end, whole.end);
      whole.part = part.part;
      node.piece = whole;
      return true;
    }
    const auto Fractional = [](const Piece& p) {
      return p.kind == Kind::kNth || p.kind == Kind::kHalf || p.kind == Kind::kQuarter;
    };
    if (Fractional(first) != Fractional(piece)) {
      const Piece fraction = Fractional(first) ? first : piece;
      Piece whole = Fractional(first) ? piece : first;
      if (NeedsAnother(whole) || node.last) return false;
      std::optional<Span> frame = whole.kind == Kind::kFixed ? whole.span : Own(whole);
      if (!frame) return false;
      std::optional<Span> span;
      if (fraction.kind == Kind::kNth) {
        if (whole.precision < TimePrecision::kMonth) return false;
        span = NthIn(fraction, *frame);
      } else if (fraction.kind == Kind::kHalf && whole.precision >= TimePrecision::kWeek) {
        span = Cut(*frame, fraction.a == 1 ? Portion::kFirstHalf : Portion::kSecondHalf,
                   whole.precision);
      } else {
        if (whole.precision != TimePrecision::kYear) return false;
        const std::chrono::year_month_day year{DayOf(frame->from)};
        const int y = static_cast<int>(year.year());
        span = Span{MonthSpan(y, 3 * fraction.a - 2).from, MonthSpan(y, 3 * fraction.a).to};
      }
      Piece fixed;
      fixed.begin = std::min(first.begin, piece.begin);
      fixed.end = std::max(first.end, piece.end);
      fixed.precision = fraction.kind == Kind::kHalf ? Finer(whole.precision) : fraction.precision;
      fixed.relative = whole.relative;
      if (!span) return false;
      fixed.span = fixed.frame = *span;
      node.piece = fixed;
      return true;
    }
    if (NeedsAnother(first) || NeedsAnother(piece)) return false;
    return JoinLevels(node, piece);
  }

  // "Friday" and "last week", "Christmas" and "two years ago", "Friday" and "May 5".
  bool JoinLevels(Node& node, Piece& piece) {
    Piece& last = node.last ? *node.last : node.piece;
    const bool forward = Recurs(last) && last.pick == Pick::kOpen &&
                         (piece.precision > last.precision || Absorbs(piece, last));
    const bool backward = !forward && Recurs(piece) && piece.pick == Pick::kOpen && !node.last &&
                          (last.precision > piece.precision || Absorbs(last, piece));
    if (!forward && !backward) return false;
    const Piece& fine = forward ? last : piece;
    const Piece& coarse = forward ? piece : last;
    Piece joined;
    if (Absorbs(coarse, fine)) {
      joined = coarse;
      if (joined.part == Part::kNone) joined.part = fine.part;
    } else if (coarse.kind == Kind::kFixed) {
      const bool weekly = fine.kind == Kind::kWeekday || fine.kind == Kind::kWeekend;
      const std::int64_t length = (coarse.frame.to - coarse.frame.from) / kDayMs;
      if (weekly && length > 7) {
        if (coarse.precision < TimePrecision::kMonth) return false;
        joined = coarse;  // "on a Friday in 2022"
      } else if (!weekly && coarse.precision < TimePrecision::kMonth) {
        return false;
      } else {
        const std::optional<Span> span = Inside(fine, coarse.frame);
        if (!span) return false;
        joined = fine;
        joined.kind = Kind::kFixed;
        joined.span = joined.frame = *span;
        joined.weak = false;
        joined.relative |= coarse.relative;
        if (forward && node.last && Recurs(node.piece) && node.piece.pick == Pick::kOpen) {
          if (const std::optional<Span> from = Inside(node.piece, coarse.frame)) {
            node.piece.kind = Kind::kFixed;
            node.piece.span = node.piece.frame = *from;
          }
        }
      }
    } else if (coarse.kind == Kind::kMonth && fine.kind == Kind::kDayOfMonth) {
      joined = fine;
      joined.kind = Kind::kMonthDay;
      joined.a = coarse.a;
      if (!OneDay(2024, joined.a, joined.b)) return false;
    } else if (fine.kind == Kind::kWeekday || fine.kind == Kind::kWeekend) {
      joined = coarse;
    } else {
      return false;
    }
    joined.begin = std::min(last.begin, piece.begin);
    joined.end = std::max(last.end, piece.end);
    last = joined;
    return true;
  }
  // "Friday" beside a date only says which day of the week that is.
  static bool Absorbs(const Piece& by, const Piece& weekday) {
    return weekday.kind == Kind::kWeekday && weekday.pick == Pick::kOpen &&
           by.kind != Kind::kWeekday && by.precision == TimePrecision::kDay;
  }

  // The word before byte `at`, lower case; moves `at` to its beginning. "" at a sentence's end.
  std::string WordBefore(std::size_t* at) const {
    std::size_t end = *at;
    while (end > 0 && (text_[end - 1] == ' ' || text_[end - 1] == '-')) --end;
    std::size_t begin = end;
    std::string word;
    while (begin > 0 && end - begin < 16) {
      const char c = text_[begin - 1];
      const bool upper = c >= 'A' && c <= 'Z';
      if (!upper && !(c >= 'a' && c <= 'z')) break;
      word.insert(word.begin(), upper ? static_cast<char>(c + 32) : c);
      --begin;
    }
    if (!word.empty()) *at = begin;
    return word;
  }
  bool IsBetween(const Piece& piece, const Piece& last) const {
    std::size_t at = piece.begin;
    std::string word = WordBefore(&at);
    if (word == "the") word = WordBefore(&at);
    if (word == "between") return true;
    const std::string_view after = text_.substr(std::min<std::size_t>(last.end, text_.size()));
    return after.starts_with("之间") || after.starts_with("间");
  }

  // Whether the sentence around speaks of what is to come.
  bool LooksAhead(const Piece& piece) const {
    std::size_t begin = piece.begin, end = piece.end;
    const auto Ends = [&](std::size_t i) {
      const char c = text_[i];
      if (c == '.' || c == '!' || c == '?' || c == '\n' || c == ';') return true;
      return i + 3 <= text_.size() && Holds(text_.substr(i, 3), {"。", "！", "？", "；"});
    };
    while (begin > 0 && piece.begin - begin < kSentenceBytes && !Ends(begin - 1)) --begin;
    while (end < text_.size() && end - piece.end < kSentenceBytes && !Ends(end)) ++end;
    std::string sentence = " ";
    for (const char c : text_.substr(begin, end - begin)) {
      sentence += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    sentence += ' ';
    static constexpr std::string_view kPast[] = {
        " was ", " were ", " did ",  " had ", " went ", " ago",     "n't go ", " been ", " came ",
        " got ", "ed ",    " took ", " met ", " saw ",  " bought ", "过",      "了"};
    static constexpr std::string_view kAhead[] = {
        " will ",    "'ll ",       "\u2019ll ",  " going to ",  " gonna ",
        " plan to ", " planning ", " upcoming ", " scheduled ", " looking forward ",
        " due ",     " hope to ",  " want to ",  " wanna ",     " have to ",
        " need to ", " about to ", " won't ",    " let's ",     " should ",
        " shall ",   " plans ",    " starts ",   " leaves ",    " begins ",
        "打算",      "准备",       "计划",       "将要",        "即将",
        "要去",      "会去",       "会在",       "想去",        "要在",
        "得去",      "要交",       "要开",       "将在",        "约好",
        "就要",      "马上要"};
    if (Holds(sentence, kAhead)) {
      return !Holds(sentence, {" did ", " was ", " were ", " had ", "went "});
    }
    if (reader_ == TimeReader::kQuestion || Holds(sentence, kPast)) return false;
    static constexpr std::string_view kPresent[] = {
        " is ",     " are ",    "'m ",   "\u2019m ", "'re ", "\u2019re ", " am ", "'s ",
        "\u2019s ", " let us ", " can ", " could ",  "可以", "要",        "会"};
    return Holds(sentence, kPresent);
  }

  std::optional<Span> Own(const Piece& piece) const {
    if (piece.kind == Kind::kFixed) return piece.span;
    return OnItsOwn(piece, calendar_, piece.pick == Pick::kOpen && LooksAhead(piece));
  }

  // "early", "mid-", "the end of" before a time; widens `node` to the left.
  Portion PortionBefore(Piece& piece, bool* earlier, bool* later) const {
    std::size_t at = piece.begin;
    bool of = false, in = false;
    for (int skipped = 0; skipped < 3; ++skipped) {
      const std::string word = WordBefore(&at);
      Portion portion = Portion::kWhole;
      if (word == "the" || word == "my") continue;
      if (word == "of" && !of) {
        of = true;
        continue;
      }
      if (word == "in" && !in) {
        in = true;
        continue;
      }
      if (!of) {
        if (word == "early") portion = Portion::kEarly;
        if (word == "mid") portion = Portion::kMiddle;
        if (word == "late") portion = Portion::kLate;
        *earlier = word == "earlier" && piece.relative;
        *later = word == "later" && piece.relative;
        if (*earlier || *later) portion = Portion::kWhole;
      } else {
        if (word == "beginning" || word == "start") portion = Portion::kStart;
        if (word == "end") portion = Portion::kEnd;
        if (word == "middle") portion = Portion::kMiddle;
        if (word == "part") {  // "the early part of"
          std::size_t before = at;
          const std::string which = WordBefore(&before);
          if (which == "early") portion = Portion::kEarly, at = before;
          if (which == "latter") portion = Portion::kSecondHalf, at = before;
        }
      }
      if (portion != Portion::kWhole || *earlier || *later) {
        piece.begin = static_cast<std::uint32_t>(at);
      }
      return portion;
    }
    return Portion::kWhole;
  }

  TimeRelation RelationOf(const Piece& piece) const {
    std::size_t at = piece.begin;
    for (int skipped = 0; skipped < 3; ++skipped) {
      const std::string word = WordBefore(&at);
      if (word == "the" || word == "in" || word == "on" || word == "at" || word == "my") continue;
      if (word == "before") return TimeRelation::kBefore;
      if (word == "after") return TimeRelation::kAfter;
      if (word == "since" || word == "starting") return TimeRelation::kSince;
      if (word == "until" || word == "till" || word == "by") return TimeRelation::kUntil;
      if (word == "to" || word == "of" || word == "than" || word == "from") {
        const std::string before = WordBefore(&at);
        if (word == "to" && before == "prior") return TimeRelation::kBefore;
        if (word == "to" && before == "up") return TimeRelation::kUntil;
        if (word == "of" && before == "as") return TimeRelation::kUntil;
        if (word == "than" && (before == "earlier" || before == "sooner"))
          return TimeRelation::kBefore;
        if (word == "than" && before == "later") {
          return WordBefore(&at) == "no" ? TimeRelation::kUntil : TimeRelation::kAfter;
        }
        if (word == "from" && before == "starting") return TimeRelation::kSince;
        if (word == "from") {
          const std::string_view after =
              text_.substr(std::min<std::size_t>(piece.end, text_.size()));
          if (after.starts_with(" on ") || after.starts_with(" on,") ||
              after.starts_with(" onward"))
            return TimeRelation::kSince;
        }
      }
      break;
    }
    return ChineseRelation(piece);
  }

  TimeRelation ChineseRelation(const Piece& piece) const {
    std::string_view after = text_.substr(std::min<std::size_t>(piece.end, text_.size()));
    const std::string_view before = text_.substr(0, piece.begin);
    const auto Goes = [&](std::string_view word, std::initializer_list<std::string_view> but = {}) {
      if (!after.starts_with(word)) return false;
      const std::string_view rest = after.substr(word.size());
      return std::none_of(but.begin(), but.end(),
                          [&](std::string_view next) { return rest.starts_with(next); });
    };
    if (Goes("那天") || Goes("的时候")) return TimeRelation::kWithin;
    if (Goes("之前") || Goes("以前") ||
        Goes("前", {"后", "面", "往", "台", "排", "几", "女", "男", "夫", "妻", "任", "天", "年",
                    "两", "一", "进", "途", "锋", "夕"})) {
      return TimeRelation::kBefore;
    }
    if (Goes("之后") || Goes("以后") || Goes("过后") ||
        Goes("后", {"面", "来", "天", "半", "续", "悔", "边", "院", "台", "勤", "果"})) {
      return TimeRelation::kAfter;
    }
    if (Goes("以来") || Goes("之后一直") || Goes("至今") || Goes("到现在") || Goes("开始") ||
        Goes("起", {"床", "来", "飞", "名", "码", "初", "身"})) {
      return TimeRelation::kSince;
    }
    if (Goes("为止") || before.ends_with("截至") || before.ends_with("截止") ||
        before.ends_with("截止到") || before.ends_with("截至到")) {
      return TimeRelation::kUntil;
    }
    if (before.ends_with("自从") || (before.ends_with("自") && !before.ends_with("亲自"))) {
      return TimeRelation::kSince;
    }
    return TimeRelation::kWithin;
  }

  std::optional<LocalTime> Resolve(Node& node) const {
    Piece& piece = node.piece;
    if (NeedsAnother(piece) || piece.weak) return std::nullopt;
    if (piece.kind == Kind::kFixed && piece.pick == Pick::kComing && !LooksAhead(piece)) {
      return std::nullopt;
    }
    const std::optional<Span> own = Own(piece);
    if (!own) return std::nullopt;
    LocalTime time;
    time.span = *own;
    time.precision = piece.precision;
    time.relative = piece.relative;
    time.about = piece.about;
    bool earlier = false, later = false;
    const Portion before = node.offset ? Portion::kWhole : PortionBefore(piece, &earlier, &later);
    const Portion portion = piece.portion != Portion::kWhole ? piece.portion : before;
    if (portion != Portion::kWhole && time.precision > TimePrecision::kDays) {
      time.span = Cut(time.span, portion, time.precision);
      time.precision = Finer(time.precision);
    }
    const std::int64_t tomorrow = Ms(calendar_.today()) + kDayMs;
    if (earlier) time.span.to = std::clamp(tomorrow, time.span.from + kDayMs, time.span.to);
    if (later) {
      time.span.from = std::clamp(tomorrow - kDayMs, time.span.from, time.span.to - kDayMs);
    }
    if (piece.part != Part::kNone && time.span.to - time.span.from == kDayMs) {
      time.span = CutDay(time.span, piece.part);
      time.precision = TimePrecision::kPartOfDay;
    }
    if (node.offset) Shift(*node.offset, time);
    time.begin = piece.begin;
    time.end = piece.end;
    time.relation = node.offset ? TimeRelation::kWithin : RelationOf(piece);
    if (node.last && !Stretch(node, *own, time)) return std::nullopt;
    if (time.span.to <= time.span.from) return std::nullopt;
    return time;
  }

  // "two days before", "the week after" on a time.
  static void Shift(const Piece& offset, LocalTime& time) {
    time.precision = std::max(offset.precision, TimePrecision::kDay);
    const sys_days first = DayOf(time.span.from);
    const auto Monday = [](sys_days day) {
      return day - days(static_cast<int>(std::chrono::weekday(day).iso_encoding()) - 1);
    };
    if (offset.a == 0) {  // "the weekend of May 6", "the week of May 8"
      // A Monday or Tuesday is nearer to the weekend before it.
      const sys_days monday = Monday(first);
      const int back = first - monday < days(2) ? 7 : 0;
      time.span =
          offset.unit == Unit::kWeekend ? DaySpan(monday + days(5 - back), 2) : DaySpan(monday, 7);
      return;
    }
    const int sign = offset.a < 0 ? -1 : 1;
    const sys_days edge = sign < 0 ? first : DayOf(time.span.to - 1);
    switch (offset.unit) {
      case Unit::kWeekend:
        time.span = DaySpan(Monday(edge) + days(7 * offset.a + 5), 2);
        return;
      case Unit::kWeek:
      case Unit::kFortnight: {
        const int size = offset.unit == Unit::kWeek ? 7 : 14;
        if (std::abs(offset.a) > 1) {  // "two weeks before": about that day.
          time.span = DaySpan(edge + days(size * offset.a - 2), 5);
          time.about = true;
        } else {
          time.span = sign < 0 ? DaySpan(edge - days(size), size) : DaySpan(edge + days(1), size);
        }
        return;
      }
      case Unit::kMonth:
      case Unit::kYear: {
        const year_month_day date(edge);
        const int length = offset.unit == Unit::kMonth ? 1 : 12;
        const year_month_day first_day = date.year() / date.month() / std::chrono::day(1);
        const year_month_day at = first_day + months(length * offset.a);
        const int y = static_cast<int>(at.year());
        time.span = length == 1 ? MonthSpan(y, static_cast<int>(static_cast<unsigned>(at.month())))
                                : YearSpan(y);
        return;
      }
      default:
        time.span = DaySpan(edge + days(offset.a));
    }
  }

  // To the end of node.last.
  bool Stretch(Node& node, const Span& first_span, LocalTime& time) const {
    Piece& last = *node.last;
    std::optional<Span> end;
    const bool within = last.kind == Kind::kDayOfMonth || last.kind == Kind::kWeekday;
    const bool same = last.kind == node.piece.kind;
    if (Recurs(node.piece) && node.piece.pick == Pick::kOpen && (same || !within)) {
      // The end says which one the beginning is: "March to May 2023".
      end = Own(last);
      if (!end) return false;
      if (end->from < time.span.from || last.kind == Kind::kFixed) {
        const std::int64_t latest = end->from;
        const auto from = Search(node.piece, DayOf(end->from), -1,
                                 [&](const Span& span) { return span.from <= latest; });
        if (from) time.span.from = from->from;
      }
    } else if (Recurs(last) && last.pick == Pick::kOpen) {
      const std::int64_t start = first_span.from;
      end = Search(last, DayOf(start), 1, [&](const Span& span) { return span.from >= start; });
    } else {
      end = Own(last);
    }
    if (!end || end->to <= time.span.from) return false;
    if (last.portion != Portion::kWhole) *end = Cut(*end, last.portion, last.precision);
    if (last.part != Part::kNone && end->to - end->from == kDayMs) *end = CutDay(*end, last.part);
    time.span.to = end->to;
    time.end = last.end;
    time.precision = std::max(time.precision, last.precision);
    time.relative |= last.relative;
    time.about |= last.about;
    if (time.relation == TimeRelation::kAfter || time.relation == TimeRelation::kUntil) {
      time.relation = TimeRelation::kWithin;
    }
    return true;
  }

  std::string_view text_;
  const Calendar& calendar_;
  TimeReader reader_;
  std::vector<Node> nodes_;
};

}  // namespace

std::vector<LocalTime> Combine(std::string_view text, const Calendar& calendar, TimeReader reader,
                               const std::vector<Piece>& pieces) {
  return Combiner(text, calendar, reader).Run(pieces);
}

}  // namespace liubai::memory::timing
