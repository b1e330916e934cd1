#include "memory/time_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/text.h"
#include "memory/date_expression.h"
#include "memory/fts_tokenizer.h"
#include "memory/question.h"
#include "memory/sentence.h"
#include "memory/time_scan.h"

namespace liubai::memory {
namespace {

using Unit = AskedDistance::Unit;
using What = AskedDistance::What;

constexpr std::size_t kReadOf_bytes = 600;

// One blank between words, lower case, without the signs at the ends of words.
std::string Plain(std::string_view text) {
  std::string plain = " " + ToLowerUtf8(OneLine(text));
  while (plain.size() > 1 && std::string_view(" ?!.").find(plain.back()) != std::string_view::npos)
    plain.pop_back();
  return plain + " ";
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && std::string_view(" ,;:?!.").find(text.front()) != text.npos)
    text.remove_prefix(1);
  while (!text.empty() && std::string_view(" ,;:?!.").find(text.back()) != text.npos)
    text.remove_suffix(1);
  return text;
}

// Says something of its own: "it", "now" and "the day" tell of no event.
bool IsEvent(std::string_view text) { return !QueryTerms(text).empty(); }

// Without what only leads to the event: "the day i", "when i", "did i", "my".
std::string Event(std::string_view text) {
  text = Trimmed(text);
  static constexpr std::string_view kLeads[] = {
      "the day that ", "the day when ", "the day of ", "the day ",     "the date of ",
      "the date ",     "the time ",     "when ",       "since ",       "that ",
      "until ",        "did ",          "do ",         "was it ",      "is it ",
      "has it been ",  "had it been ",  "has passed ", "have passed ", "had passed ",
      "passed ",       "then "};
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view lead : kLeads) {
      if (!text.starts_with(lead)) continue;
      text.remove_prefix(lead.size());
      again = true;
    }
  }
  return std::string(Trimmed(text));
}

// "how many days", "how long": what is asked for, and where it ends in `plain`.
std::optional<std::pair<Unit, std::size_t>> AsksHowLong(std::string_view plain) {
  static constexpr std::pair<std::string_view, Unit> kAsked[] = {
      {" how many days ", Unit::kDays},     {" how many weeks ", Unit::kWeeks},
      {" how many months ", Unit::kMonths}, {" how many years ", Unit::kYears},
      {" how many nights ", Unit::kDays},   {" number of days ", Unit::kDays},
      {" number of weeks ", Unit::kWeeks},  {" number of months ", Unit::kMonths},
      {" how much time ", Unit::kAny},      {" how long ", Unit::kAny}};
  for (const auto& [words, unit] : kAsked) {
    const std::size_t at = plain.find(words);
    if (at != plain.npos) return std::pair(unit, at + words.size() - 1);
  }
  return {};
}

// Cuts "x and y" where the two parts begin alike, as people set two events beside each other;
// otherwise at the first place that leaves something to either side.
std::vector<std::string> Halves(std::string_view text, std::string_view middle) {
  std::vector<std::pair<std::string, std::string>> cuts;
  std::size_t alike = std::string::npos;
  for (std::size_t at = text.find(middle); at != text.npos; at = text.find(middle, at + 1)) {
    const std::string_view left = Trimmed(text.substr(0, at));
    const std::string_view right = Trimmed(text.substr(at + middle.size()));
    if (!IsEvent(left) || !IsEvent(right)) continue;
    const std::string_view first = left.substr(0, left.find(' '));
    if (alike == std::string::npos && right.substr(0, right.find(' ')) == first) {
      alike = cuts.size();
    }
    cuts.emplace_back(Event(left), Event(right));
  }
  if (cuts.empty()) return {};
  const auto& [left, right] = cuts[alike == std::string::npos ? 0 : alike];
  if (!IsEvent(left) || !IsEvent(right)) return {};
  return {left, right};
}

AskedDistance Two(What what, Unit unit, std::vector<std::string> events) {
  return {what, unit, std::move(events)};
}

std::optional<AskedDistance> English(std::string_view text) {
  const std::string plain = Plain(text);
  const auto asked = AsksHowLong(plain);
  if (!asked) {
    // "which did I do first, x or y"
    const std::size_t first = plain.find(" first");
    const std::size_t comma = plain.find(", ", first == plain.npos ? 0 : first);
    if (first == plain.npos || comma == plain.npos || !EndsInQuestion(text)) return {};
    std::vector<std::string> events = Halves(std::string_view(plain).substr(comma + 1), " or ");
    if (events.empty()) return {};
    return Two(What::kOrder, Unit::kAny, std::move(events));
  }
  const auto [unit, end] = *asked;
  const std::string_view rest = std::string_view(plain).substr(end);
  if (rest.starts_with(" ago ")) {
    // "how many days ago did I launch the site when I signed the contract"
    std::vector<std::string> events = Halves(rest.substr(5), " when i ");
    if (!events.empty()) return Two(What::kBetween, unit, std::move(events));
    std::string event = Event(rest.substr(5));
    if (!IsEvent(event)) return {};
    return AskedDistance{What::kToNow, unit, {std::move(event)}};
  }
  // The words between "how many days" and "between", "since" are those of passing.
  const auto Passes = [&](std::size_t to) {
    static constexpr std::string_view kPassing[] = {
        "passed", "pass", "had",     "has",   "have", "did",  "elapsed", "went",
        "by",     "was",  "were",    "there", "is",   "are",  "it",      "been",
        "it's",   "in",   "between", "lie",   "lay",  "does", "take"};
    for (std::size_t at = 1; at < to;) {
      const std::size_t blank = std::min(rest.find(' ', at), to);
      const std::string_view word = Trimmed(rest.substr(at, blank - at));
      if (!word.empty() && std::ranges::find(kPassing, word) == std::end(kPassing)) return false;
      at = blank + 1;
    }
    return true;
  };
  const std::size_t between = rest.find(" between ");
  if (between != rest.npos && Passes(between)) {
    std::vector<std::string> events = Halves(rest.substr(between + 9), " and ");
    if (events.empty()) return {};
    return Two(What::kBetween, unit, std::move(events));
  }
  const std::size_t from = rest.find(" from ");
  if (from != rest.npos && Passes(from)) {
    for (const std::string_view middle :
         {" to the ", " until ", " till ", " to when ", " to my "}) {
      std::vector<std::string> events = Halves(rest.substr(from + 6), middle);
      if (!events.empty()) return Two(What::kBetween, unit, std::move(events));
    }
  }
  const std::size_t since = rest.find(" since ");
  if (since != rest.npos && Passes(since)) {
    // "since I took lessons when I bought the guitar"
    std::vector<std::string> events = Halves(rest.substr(since + 7), " when ");
    if (!events.empty()) return Two(What::kBetween, unit, std::move(events));
    std::string event = Event(rest.substr(since + 7));
    if (IsEvent(event)) return AskedDistance{What::kToNow, unit, {std::move(event)}};
    return {};
  }
  // "how many days before the wedding did I buy the dress"
  for (const bool before : {true, false}) {
    const std::string_view word = before ? " before " : " after ";
    const std::size_t at = rest.find(word);
    if (at == rest.npos) continue;
    std::vector<std::string> events;
    if (Passes(at)) {
      events = Halves(rest.substr(at + word.size()), " did ");
    } else if (rest.starts_with(" did ") || rest.starts_with(" had ")) {
      // "how long did I wait after …" asks for what it says itself.
      continue;
    }
    if (events.empty()) continue;
    if (before) std::swap(events[0], events[1]);
    return Two(What::kBetween, unit, std::move(events));
  }
  return {};
}

struct ChineseAsk {
  std::string_view words;
  Unit unit;
};
constexpr ChineseAsk kChineseUnits[] = {
    {"多少天", Unit::kDays},    {"几天", Unit::kDays},       {"多少个星期", Unit::kWeeks},
    {"几个星期", Unit::kWeeks}, {"多少周", Unit::kWeeks},    {"几周", Unit::kWeeks},
    {"几个礼拜", Unit::kWeeks}, {"多少个月", Unit::kMonths}, {"几个月", Unit::kMonths},
    {"多少年", Unit::kYears},   {"几年", Unit::kYears},      {"多长时间", Unit::kAny},
    {"多久", Unit::kAny}};

std::string ChineseEvent(std::string_view text) {
  const auto Strip = [&](std::initializer_list<std::string_view> words, bool front) {
    for (bool again = true; again;) {
      again = false;
      for (const std::string_view word : words) {
        if (text.empty() || !(front ? text.starts_with(word) : text.ends_with(word))) continue;
        front ? text.remove_prefix(word.size()) : text.remove_suffix(word.size());
        again = true;
      }
    }
  };
  Strip({" ", "，", "？", "?", "、", "：", "请问", "从", "自从", "自", "离", "距离", "距", "我是",
         "是", "我们是", "到", "那"},
        true);
  Strip({" ",    "，",   "？",   "?",    "。",   "呢", "的时候", "那天",   "的那天",
         "以来", "之后", "以后", "之前", "以前", "了", "到现在", "到今天", "已经",
         "一共", "总共", "过",   "过去", "相",   "隔", "相隔",   "间隔",   "用",
         "花",   "之间", "中间", "的",   "有",   "是"},
        false);
  return std::string(text);
}

std::optional<AskedDistance> Chinese(std::string_view text) {
  std::size_t at = text.npos;
  ChineseAsk asked{};
  for (const ChineseAsk& one : kChineseUnits) {
    const std::size_t found = text.find(one.words);
    if (found < at) at = found, asked = one;
  }
  const auto Make = [](What what, Unit unit,
                       std::vector<std::string> events) -> std::optional<AskedDistance> {
    for (const std::string& event : events) {
      if (CountCodePoints(event) < 2 || !IsEvent(event)) return {};
    }
    return AskedDistance{what, unit, std::move(events)};
  };
  if (at == text.npos) {
    // 先买的车还是先搬的家, 买车和搬家哪个在先
    const std::size_t still = text.find("还是先");
    const std::size_t first = text.find("先");
    if (still == text.npos || first >= still) return {};
    return Make(What::kOrder, Unit::kAny,
                {ChineseEvent(text.substr(first + 3, still - first - 3)),
                 ChineseEvent(text.substr(still + 9))});
  }
  const std::string_view before = text.substr(0, at);
  const std::string_view after = text.substr(at + asked.words.size());
  if (after.starts_with("前") || after.starts_with("之前") || after.starts_with("以前")) {
    std::string event(before);
    event += after.substr(after.starts_with("前") ? 3 : 6);
    return Make(What::kToNow, asked.unit, {ChineseEvent(event)});
  }
  const bool passes = [&] {
    for (const std::string_view word :
         {"隔了", "相隔", "间隔", "过了", "过去了", "隔", "用了", "一共", "有", "是"}) {
      if (before.ends_with(word)) return true;
    }
    return after.starts_with("了") || before.ends_with("已经");
  }();
  if (!passes) return {};
  // 从签约到搬家, 签约和搬家之间
  for (const std::string_view middle : {"到", "和", "与", "跟"}) {
    const std::size_t cut = before.find(middle);
    if (cut == before.npos || cut < 6) continue;
    const std::string_view right = before.substr(cut + 3);
    if (right.starts_with("现在") || right.starts_with("今天")) break;
    if (middle != "到" && before.find("隔") == before.npos && before.find("间") == before.npos) {
      continue;
    }
    return Make(What::kBetween, asked.unit,
                {ChineseEvent(before.substr(0, cut)), ChineseEvent(right)});
  }
  const bool since = before.find("离") != before.npos || before.find("自") != before.npos ||
                     before.find("到现在") != before.npos || before.find("到今天") != before.npos ||
                     before.find("以来") != before.npos || before.find("过") != before.npos;
  if (!since) return {};
  std::string event(before);
  for (const std::string_view now : {"到现在", "到今天", "现在", "今天"}) {
    const std::size_t place = event.find(now);
    if (place != std::string::npos) event.erase(place, now.size());
  }
  return Make(What::kToNow, asked.unit, {ChineseEvent(event)});
}

// Whole months from one day to a later one, to the nearest.
std::int64_t Months(std::int64_t days) { return std::llround(static_cast<double>(days) / 30.4375); }

std::string Of(std::int64_t count, std::string_view unit) {
  return fmt::format("{} {}{}", count, unit, count == 1 ? "" : "s");
}

}  // namespace

std::optional<AskedDistance> ReadDistance(std::string_view question) {
  const std::string_view text = TruncateUtf8(question, kReadOf_bytes);
  if (auto asked = English(text)) return asked;
  return Chinese(text);
}

std::string_view PastOf(std::string_view verb) {
  static constexpr std::pair<std::string_view, std::string_view> kPast[] = {
      {"be", "was"},        {"become", "became"}, {"begin", "began"},   {"bite", "bit"},
      {"blow", "blew"},     {"break", "broke"},   {"bring", "brought"}, {"build", "built"},
      {"buy", "bought"},    {"catch", "caught"},  {"choose", "chose"},  {"come", "came"},
      {"draw", "drew"},     {"drink", "drank"},   {"drive", "drove"},   {"eat", "ate"},
      {"fall", "fell"},     {"feel", "felt"},     {"fight", "fought"},  {"find", "found"},
      {"fly", "flew"},      {"forget", "forgot"}, {"get", "got"},       {"give", "gave"},
      {"go", "went"},       {"grow", "grew"},     {"hang", "hung"},     {"have", "had"},
      {"hear", "heard"},    {"hide", "hid"},      {"hold", "held"},     {"keep", "kept"},
      {"know", "knew"},     {"lead", "led"},      {"leave", "left"},    {"lend", "lent"},
      {"lose", "lost"},     {"make", "made"},     {"meet", "met"},      {"pay", "paid"},
      {"ride", "rode"},     {"ring", "rang"},     {"rise", "rose"},     {"run", "ran"},
      {"say", "said"},      {"see", "saw"},       {"sell", "sold"},     {"send", "sent"},
      {"shoot", "shot"},    {"sing", "sang"},     {"sit", "sat"},       {"sleep", "slept"},
      {"speak", "spoke"},   {"spend", "spent"},   {"stand", "stood"},   {"steal", "stole"},
      {"swim", "swam"},     {"take", "took"},     {"teach", "taught"},  {"tell", "told"},
      {"think", "thought"}, {"throw", "threw"},   {"wake", "woke"},     {"wear", "wore"},
      {"win", "won"},       {"write", "wrote"}};
  const auto found = std::ranges::lower_bound(
      kPast, verb, {}, &std::pair<std::string_view, std::string_view>::first);
  return found != std::end(kPast) && found->first == verb ? found->second : std::string_view();
}

std::int64_t DayOf(std::string_view sentence, std::int64_t told_ms) {
  std::int64_t day = told_ms, nearest = std::numeric_limits<std::int64_t>::max();
  for (const TimeExpression& time : TimeExpressionsInTurn(sentence, told_ms)) {
    if (time.relation != TimeRelation::kWithin || time.precision > TimePrecision::kWeek) continue;
    const bool one = time.precision <= TimePrecision::kDay;
    const std::int64_t meant =
        one ? time.range.from_ms : time.range.from_ms + (time.range.to_ms - time.range.from_ms) / 2;
    // "The Easter service on April 1st": people tell soon of what they did.
    const std::int64_t far = std::abs(meant - told_ms);
    if (far < nearest) day = meant, nearest = far;
  }
  return day;
}

std::string SayDistance(std::int64_t from_ms, std::int64_t to_ms, Unit unit, bool chinese) {
  const std::int64_t days = std::abs((timing::DayOf(to_ms) - timing::DayOf(from_ms)).count());
  const std::string in_days = chinese ? fmt::format("{} 天", days) : Of(days, "day");
  if (unit == Unit::kAny) unit = days < 14 ? Unit::kDays : days < 60 ? Unit::kWeeks : Unit::kMonths;
  std::string said;
  bool exact = false;
  switch (unit) {
    case Unit::kAny:
    case Unit::kDays:
      return in_days;
    case Unit::kWeeks: {
      const std::int64_t weeks = std::llround(static_cast<double>(days) / 7);
      exact = days % 7 == 0;
      said = chinese ? fmt::format("{} 周", weeks) : Of(weeks, "week");
      break;
    }
    case Unit::kMonths:
      said = chinese ? fmt::format("{} 个月", Months(days)) : Of(Months(days), "month");
      break;
    case Unit::kYears: {
      const double years = static_cast<double>(days) / 365.25;
      said = chinese ? fmt::format("{:.1f} 年", years) : fmt::format("{:.1f} years", years);
      break;
    }
  }
  return fmt::format("{}{} ({})", exact ? "" : chinese ? "约 " : "about ", said, in_days);
}

}  // namespace liubai::memory
