#include "memory/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "memory/date_expression.h"
#include "memory/essence.h"
#include "memory/facts_read.h"
#include "memory/facts_words.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/numerals.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

using words::Has;
using words::Holds;

constexpr std::size_t kMostBytes = 16'000;  // Of a turn: longer ones are pasted texts.
constexpr std::size_t kMostAssistantBytes = 400;
constexpr std::size_t kMostSentenceBytes = 1'200;
constexpr std::size_t kMostClaims = 60;

constexpr std::string_view kKinds[] = {"identity", "family", "relationships", "home",   "work",
                                       "studies",  "health", "belongings",    "tastes", "plans"};

struct Attribute {
  std::string_view name;
  std::string_view kind;
  bool single = false;
  bool lasting = false;
};
constexpr Attribute kAttributes[] = {
    {"name", "identity", true},
    {"surname", "identity", true},
    {"nickname", "identity"},
    {"age", "identity", true},
    {"turning age", "identity", true},
    {"past age", "identity"},
    {"birthday", "identity", true, true},
    {"birthday celebrated", "identity"},
    {"birth year", "identity", true, true},
    {"birthplace", "identity", true, true},
    {"nationality", "identity"},
    {"religion", "identity", true},
    {"language", "identity"},
    {"phone number", "identity", true},
    {"e-mail", "identity", true},
    {"height", "identity", true},
    {"weight", "identity", true},
    {"shoe size", "identity", true},
    {"star sign", "identity", true, true},
    {"died", "identity", true, true},
    {"relationship", "relationships", true},
    {"partner", "relationships", true},
    {"anniversary", "relationships", true, true},
    {"home", "home", true},
    {"housing", "home", true},
    {"address", "home", true},
    {"hometown", "home", true, true},
    {"rent", "home", true},
    {"wifi password", "home", true},
    {"door code", "home", true},
    {"alarm code", "home", true},
    {"job", "work", true},
    {"employer", "work", true},
    {"workplace", "work", true},
    {"field of work", "work", true},
    {"salary", "work", true},
    {"commute", "work", true},
    {"team size", "work", true},
    {"studies", "studies"},
    {"school", "studies"},
    {"degree", "studies"},
    {"learning", "studies"},
    {"allergy", "health"},
    {"condition", "health"},
    {"medication", "health"},
    {"diet", "health", true},
    {"blood type", "health", true, true},
    {"avoids", "health"},
    {"gym", "health", true},
    {"pet", "belongings"},
    {"car", "belongings"},
    {"vehicle", "belongings"},
    {"phone", "belongings", true},
    {"computer", "belongings"},
    {"device", "belongings"},
    {"camera", "belongings"},
    {"instrument", "belongings"},
    {"belonging", "belongings"},
    {"bank", "belongings", true},
    {"locker code", "belongings", true},
    {"phone passcode", "belongings", true},
    {"likes", "tastes"},
    {"dislikes", "tastes"},
    {"hobby", "tastes"},
    {"plan", "plans"},
};
// Of these relations one has one at a time.
constexpr std::string_view kOneOfAKind[] = {
    "mother",  "father",   "wife",   "husband", "girlfriend", "boyfriend", "boss",       "fiancé",
    "fiancée", "landlord", "doctor", "dentist", "therapist",  "vet",       "hairdresser"};
// Attributes of many names, each with one value at a time.
struct Family {
  std::string_view prefix;
  std::string_view kind;
};
constexpr Family kFamilies[] = {
    {"favourite ", "tastes"}, {"price of ", "belongings"}, {"best time over ", "health"}};

const Family* FamilyOf(std::string_view attribute) {
  const auto* const at = std::ranges::find_if(
      kFamilies, [&](const Family& family) { return attribute.starts_with(family.prefix); });
  return at == std::end(kFamilies) ? nullptr : at;
}

const Attribute* FindAttribute(std::string_view name) {
  const auto at = std::find_if(std::begin(kAttributes), std::end(kAttributes),
                               [&](const Attribute& a) { return a.name == name; });
  return at == std::end(kAttributes) ? nullptr : at;
}

// "older sister", "ex-wife": the word that it is a case of.
std::string_view BaseRelation(std::string_view name) {
  if (name.starts_with("ex-")) return name.substr(3);
  const auto space = name.rfind(' ');
  return space == name.npos ? name : name.substr(space + 1);
}

bool IsRelation(std::string_view name) {
  const std::string_view base = BaseRelation(name);
  return Has(words::kFamily, base) ||
         std::any_of(std::begin(words::kRelationWords), std::end(words::kRelationWords),
                     [&](const words::Pair& p) { return p.second == base; });
}

// "write a story …", "act as …", "translate …": what follows is not the speaker's own word.
bool IsAnothersText(std::string_view text) {
  static constexpr std::string_view kAsks[] = {"write a",
                                               "write an",
                                               "write me",
                                               "write the",
                                               "rewrite",
                                               "translate",
                                               "proofread",
                                               "paraphrase",
                                               "summarize",
                                               "summarise",
                                               "act as",
                                               "pretend",
                                               "imagine",
                                               "roleplay",
                                               "role-play",
                                               "you are a ",
                                               "you are an ",
                                               "you will be",
                                               "i want you to act",
                                               "edit this",
                                               "edit the following",
                                               "improve this",
                                               "correct this",
                                               "fix the grammar",
                                               "compose",
                                               "please write",
                                               "please translate",
                                               "please rewrite",
                                               "please proofread",
                                               "can you write",
                                               "could you write",
                                               "can you rewrite",
                                               "can you translate",
                                               "let's roleplay",
                                               "i want you to pretend",
                                               "generate a",
                                               "create a story",
                                               "tell me a story",
                                               "draft a",
                                               "help me write",
                                               "can you proofread",
                                               "continue the story",
                                               "make this"};
  static constexpr std::string_view kChinese[] = {
      "写一篇", "写一个故事", "写首",   "翻译",   "扮演",     "假装", "改写",
      "润色",   "续写",       "编一个", "帮我写", "假设你是", "请写", "讲个故事"};
  const std::string_view head = TruncateUtf8(text, 240);
  const std::string lower = ToLowerUtf8(head);
  std::string_view start = Trim(lower);
  for (std::string_view greeting :
       {"hi, ", "hello, ", "hey, ", "ok, ", "please ", "now ", "hi! "}) {
    if (start.starts_with(greeting)) start.remove_prefix(greeting.size());
  }
  // "You are a star!" praises.
  const auto stop = start.find_first_of(".!?\n");
  if (start.starts_with("you are a") && stop != start.npos && start[stop] == '!') return false;
  return std::any_of(std::begin(kAsks), std::end(kAsks),
                     [&](std::string_view ask) { return start.starts_with(ask); }) ||
         std::any_of(std::begin(kChinese), std::end(kChinese), [&](std::string_view ask) {
           const auto at = start.find(ask);
           return at != start.npos && at < 18;
         });
}

// "Caroline: I …" at the beginning of a line: the name, and where its words begin.
std::string_view LineSpeaker(std::string_view line, std::size_t* begin) {
  static constexpr std::string_view kNot[] = {
      "note",  "update",     "ps",     "question", "answer",  "subject",   "re",         "edit",
      "fyi",   "correction", "title",  "name",     "date",    "address",   "hobby",      "hobbies",
      "likes", "job",        "goal",   "summary",  "user",    "assistant", "system",     "human",
      "ai",    "to",         "from",   "example",  "warning", "tip",       "background", "context",
      "task",  "input",      "output", "reminder", "plan",    "breakfast", "lunch",      "dinner",
      "pros",  "cons",       "step",   "option",   "day"};
  for (std::string_view colon : {": ", "："}) {
    const auto at = line.find(colon);
    if (at == line.npos || at == 0 || at > 24) continue;
    const std::string_view name = line.substr(0, at);
    const bool latin =
        IsUpper(DecodeUtf8(name, 0).value) && name.find_first_of(" .,!?()\"*#-") == name.npos;
    const bool chinese = IsCjkIdeograph(DecodeUtf8(name, 0).value) && CountCodePoints(name) <= 3 &&
                         words::kSurnames.find(name.substr(0, 3)) != name.npos;
    if ((!latin && !chinese) || Has(kNot, ToLowerUtf8(name))) return {};
    *begin = at + colon.size();
    return name;
  }
  return {};
}

bool MostlyCjk(std::string_view text) {
  std::size_t cjk = 0, letters = 0;
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    cjk += IsCjkIdeograph(point.value);
    letters += IsAsciiLetter(point.value);
    i += point.length;
  }
  return cjk * 4 >= letters && cjk > 0;
}

constexpr std::int64_t kDayMs = 86'400'000;

// "for three years", "for a year and a half": days; 0: none.
int DaysFor(std::string_view text) {
  const auto at = FindWord(text, "for");
  if (at == text.npos) return 0;
  std::string_view rest = Trim(text.substr(at + 3));
  for (std::string_view skip : {"about ", "almost ", "over ", "nearly ", "the past ", "the last ",
                                "more than ", "around ", "at least "}) {
    if (rest.starts_with(skip)) rest.remove_prefix(skip.size());
  }
  const auto space = rest.find(' ');
  if (space == rest.npos) return 0;
  const std::string_view word = rest.substr(0, space);
  const int count = word == "a" ? 1 : SmallNumber(word);
  if (count <= 0) return 0;
  const std::string_view unit = rest.substr(space + 1);
  if (unit.starts_with("year")) return count * 365;
  if (unit.starts_with("month")) return count * 30;
  if (unit.starts_with("week")) return count * 7;
  if (unit.starts_with("decade")) return count * 3652;
  return 0;
}

}  // namespace

std::string_view FactKindOf(std::string_view attribute) {
  if (const Attribute* known = FindAttribute(attribute)) return known->kind;
  if (const Family* family = FamilyOf(attribute)) return family->kind;
  if (Has(kOneOfAKind, attribute)) {
    return Has(words::kFamily, attribute) ? "family" : "relationships";
  }
  if (!IsRelation(attribute)) return {};
  const std::string_view base = BaseRelation(attribute);
  return Has(words::kFamily, base) && !attribute.starts_with("ex-") ? "family" : "relationships";
}

bool IsSingleValued(std::string_view attribute) {
  if (const Attribute* known = FindAttribute(attribute)) return known->single;
  return FamilyOf(attribute) != nullptr || Has(kOneOfAKind, attribute);
}

bool IsLasting(std::string_view attribute) {
  const Attribute* known = FindAttribute(attribute);
  return known != nullptr && known->lasting;
}

std::vector<std::string_view> FactKinds() { return {std::begin(kKinds), std::end(kKinds)}; }

std::vector<std::string_view> FactAttributes() {
  std::vector<std::string_view> names;
  for (const Attribute& attribute : kAttributes) names.push_back(attribute.name);
  for (const std::string_view relation : words::kFamily) names.push_back(relation);
  return names;
}

std::string_view RelationOf(std::string_view word) {
  if (const auto filed = FiledUnder(words::kRelationWords, word); !filed.empty()) return filed;
  if (const auto filed = FiledUnder(words::kChineseRelations, word); !filed.empty()) return filed;
  return FiledUnder(words::kPluralRelations, word);
}

std::string RelationSubject(std::string_view owner, std::string_view relation) {
  return fmt::format("{}'s {}", owner, relation);
}

int SmallNumber(std::string_view word) {
  if (word.empty()) return -1;
  if (word.size() <= 3 && std::all_of(word.begin(), word.end(), [](char c) {
        return IsAsciiDigit(static_cast<unsigned char>(c));
      })) {
    int value = 0;
    for (char c : word) value = value * 10 + (c - '0');
    return value;
  }
  if (const int value = EnglishNumber(word); value >= 0) return value;
  if (const auto hyphen = word.find('-'); hyphen != word.npos) {  // "twenty-one"
    const int ten = EnglishNumber(word.substr(0, hyphen));
    const int one = EnglishNumber(word.substr(hyphen + 1));
    if (ten >= 20) return one > 0 && one < 10 ? ten + one : -1;
  }
  // Chinese, up to 百.
  int total = 0, digit = -1;
  for (std::size_t i = 0; i < word.size();) {
    const DecodedCodePoint point = DecodeUtf8(word, i);
    i += point.length;
    const int value = ChineseDigit(point.value);
    const std::int64_t scale = ChineseScale(point.value);
    if (value >= 0) {
      digit = value;
    } else if (scale == 10 || scale == 100) {
      total += static_cast<int>(scale) * (digit < 0 ? 1 : digit);
      digit = -1;
    } else {
      return -1;
    }
  }
  return total + std::max(digit, 0);
}

FactTimes FactTimesOf(std::string_view clause, std::int64_t now_ms) {
  FactTimes times;
  for (const TimeExpression& time : ReadTimes(clause, now_ms, TimeReader::kTurn).times) {
    const TimeRange& range = time.range;
    if (range.from_ms > now_ms) continue;
    switch (time.relation) {
      case TimeRelation::kWithin:
        // 今年三十岁, "tonight": now is within it, and it began nothing.
        if (times.from_ms || range.to_ms > now_ms) break;
        times.from_ms = range.about ? (range.from_ms + range.to_ms) / 2 : range.from_ms;
        if (!times.to_ms) times.to_ms = range.to_ms;
        break;
      case TimeRelation::kSince:
        if (!times.from_ms) times.from_ms = range.from_ms;
        break;
      case TimeRelation::kAfter:
        if (!times.from_ms) times.from_ms = range.to_ms;
        break;
      case TimeRelation::kBefore:
        times.to_ms = range.from_ms;
        break;
      case TimeRelation::kUntil:
        times.to_ms = range.to_ms;
        break;
    }
  }
  const std::string lower = ToLowerUtf8(clause);
  if (!times.from_ms &&
      (FindWord(lower, "have") != lower.npos || FindWord(lower, "has") != lower.npos ||
       FindWord(lower, "been") != lower.npos || lower.find("'ve") != lower.npos ||
       lower.find("’ve") != lower.npos)) {
    if (const int ago = DaysFor(lower); ago > 0) times.from_ms = now_ms - ago * kDayMs;
  }
  if (times.from_ms && *times.from_ms > now_ms) times.from_ms.reset();
  if (times.to_ms && *times.to_ms > now_ms) times.to_ms.reset();
  return times;
}

bool FinishClaim(const FactReader& reader, bool corrects, const std::string& wrong, Claim* claim) {
  if (corrects && claim->kind == ClaimKind::kHolds && IsSingleValued(claim->attribute)) {
    claim->kind = ClaimKind::kCorrects;
    claim->wrong = wrong;
  }
  return std::ranges::none_of(reader.claims, [&](const Claim& other) {
    return other.subject == claim->subject && other.attribute == claim->attribute &&
           other.value == claim->value && other.kind == claim->kind;
  });
}

std::string MaskQuoted(std::string_view text) {
  std::string out(text);
  const auto blank = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && i < out.size(); ++i) {
      if (out[i] != '\n') out[i] = ' ';
    }
  };
  for (std::size_t at = 0; (at = text.find("```", at)) != text.npos;) {
    const auto end = text.find("```", at + 3);
    blank(at, end == text.npos ? text.size() : end + 3);
    if (end == text.npos) break;
    at = end + 3;
  }
  for (std::size_t line = 0; line < out.size();) {
    const auto end = std::min(out.find('\n', line), out.size());
    if (Trim(std::string_view(out).substr(line, end - line)).starts_with(">")) blank(line, end);
    line = end + 1;
  }
  static constexpr std::pair<std::string_view, std::string_view> kPairs[] = {
      {"\"", "\""}, {"“", "”"}, {"「", "」"}, {"『", "』"}, {"`", "`"}};
  for (const auto& [open, close] : kPairs) {
    for (std::size_t at = 0; (at = out.find(open, at)) != out.npos;) {
      const auto end = out.find(close, at + open.size());
      // A sign of inches, or a quotation that goes over pages, is no quotation.
      if (end == out.npos || end - at > 2000) break;
      // A name or a word in quotes stays: "called “Miso”".
      if (end - at <= 24 && out.substr(at, end - at).find(' ') == out.npos) {
        blank(at, at + open.size());
        blank(end, end + close.size());
      } else {
        blank(at, end + close.size());
      }
      at = end + close.size();
    }
  }
  return out;
}

std::vector<Claim> ExtractClaims(const Turn& turn) {
  if (turn.role == Role::kSystem || turn.role == Role::kTool || turn.trust == Trust::kUntrusted) {
    return {};
  }
  const bool assistant = turn.role == Role::kAssistant && turn.speaker.empty();
  // What a model writes at length is its own invention.
  if (assistant && turn.text.size() > kMostAssistantBytes) return {};
  const std::string_view text = TruncateUtf8(turn.text, kMostBytes);
  if (IsAnothersText(text)) return {};
  FactReader reader;
  reader.speaker = SpeakerOf(turn);
  reader.trust = assistant ? 0.5 : 1;
  reader.time_ms = turn.time_ms;
  const std::string masked = MaskQuoted(text);
  std::string own = reader.speaker;
  for (const TextRange& range : SplitSentences(masked)) {
    if (reader.claims.size() >= kMostClaims) break;
    std::size_t begin = range.begin;
    const std::size_t end = range.end;
    const std::string_view whole = std::string_view(masked).substr(begin, end - begin);
    if (range.begin == 0 || masked.rfind('\n', range.begin) + 1 == range.begin ||
        Trim(std::string_view(masked).substr(0, range.begin)).empty()) {
      std::size_t skip = 0;
      const std::string_view name = LineSpeaker(whole, &skip);
      if (!name.empty() && turn.speaker.empty()) {
        reader.speaker = std::string(name);
        reader.last_person.clear();
        begin += skip;
      } else if (name.empty() && turn.speaker.empty()) {
        reader.speaker = own;
      } else if (!name.empty() && name == turn.speaker) {
        begin += skip;
      }
    }
    if (end <= begin || end - begin > kMostSentenceBytes) continue;
    const std::string_view sentence = std::string_view(masked).substr(begin, end - begin);
    const std::string statement = Shorten(OneLine(text.substr(begin, end - begin)), 300);
    if (statement.empty()) continue;
    if (MostlyCjk(sentence)) {
      ReadChinese(sentence, statement, &reader);
    } else {
      ReadEnglish(sentence, statement, &reader);
    }
  }
  return std::move(reader.claims);
}

}  // namespace liubai::memory
