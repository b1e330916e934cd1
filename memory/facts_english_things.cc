// English: values of health, belongings and tastes.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/text.h"
#include "memory/facts_english_reader.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/sentence.h"
#include "memory/subject_words.h"

namespace liubai::memory {
namespace {

using english::Tense;
using english::Value;
using words::Has;

constexpr std::string_view kSports[] = {
    "tennis",    "chess",      "soccer",   "football",   "basketball", "golf",     "volleyball",
    "badminton", "squash",     "cricket",  "rugby",      "hockey",     "baseball", "softball",
    "poker",     "pickleball", "lacrosse", "bridge",     "go",         "darts",    "pool",
    "billiards", "table",      "video",    "board",      "dungeons",   "ultimate", "paintball",
    "handball",  "water",      "field",    "competitive"};

}  // namespace

void EnglishReader::ReadTaste(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::string_view attribute = rule.attribute;
  const bool dislikes = rule.value == Value::kDislikes;
  if (flags.negated && dislikes && Lower(verb) != "stand" && Lower(verb) != "bear") return;
  std::string_view as = attribute;
  if (flags.negated && !dislikes) {
    as = "dislikes";
    kind = ClaimKind::kHolds;
    if (flags.any_more) as = "likes", kind = ClaimKind::kEnded;
    if (flags.former || flags.past) return;
  }
  if (rule.pattern.starts_with("into")) {
    // "into", "fond of": the preposition belongs to the adjective.
    const std::string& adjective = Lower(verb);
    if (adjective != "into" && at == verb + 1) return;
    if (adjective == "into" && (Lower(at) == "the" || Lower(at) == "a")) return;
  }
  LikeList(subject, as, at, kind);
}

void EnglishReader::LikeList(const Subject& subject, std::string_view attribute, std::size_t at,
                             ClaimKind kind) {
  std::size_t begin = at;
  while (Lower(begin) == "really" || Lower(begin) == "all" || Lower(begin) == "kinds") ++begin;
  const bool definite = Lower(begin) == "the" || Lower(begin) == "a" || Lower(begin) == "an";
  if (definite && attribute == "hobby") return;
  if (Lower(begin) == "to") {
    // "I love to cook"; "I'd love to" never comes here.
    const EnglishValue verb = value_.Noun(begin + 1, 6);
    if (!verb.text.empty() && Lower(begin + 1) != "be" && Lower(begin + 1) != "hear" &&
        Lower(begin + 1) != "see" && Lower(begin + 1) != "know" && Lower(begin + 1) != "think") {
      Add(subject, attribute, verb.text, kind, 0.9);
    }
    return;
  }
  if (Has(kBadLikes, Lower(begin)) && !definite) return;
  if (definite) {
    const std::string& noun = Lower(begin + 1);
    static constexpr std::string_view kVague[] = {
        "idea",        "way",       "sound",  "look",    "fact",        "concept", "suggestion",
        "suggestions", "first",     "second", "third",   "one",         "thought", "new",
        "recipe",      "last",      "part",   "feeling", "combination", "option",  "plan",
        "ideas",       "same",      "lot",    "little",  "bit",         "good",    "list",
        "most",        "tip",       "tips",   "name",    "title",       "example", "use",
        "theme",       "challenge", "story"};
    if (Has(kVague, noun)) return;
    // "the Lakers", "the smell of rain"; what is only pointed at here is no taste.
    const EnglishValue what = value_.Noun(begin);
    const bool of = what.text.find(" of ") != std::string::npos;
    if (Lower(begin) == "the" && !of && !words_[std::min(begin + 1, words_.size() - 1)].capital) {
      return;
    }
    if (what.end > begin && Has(kVague, Lower(what.end - 1))) return;
  }
  for (std::string& item : value_.List(begin)) {
    const std::string lower = ToLowerUtf8(item);
    const std::string first = lower.substr(0, lower.find(' '));
    if (Has(kBadLikes, first) || item.size() < 3) continue;
    if (lower.ends_with(" idea") || lower.ends_with(" ideas") || lower.ends_with(" option")) {
      continue;
    }
    // "I like my job", people, and this one thing here.
    Add(subject, attribute, std::move(item), kind, definite ? 0.75 : 0.92);
  }
}

void EnglishReader::ReadAvoided(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  if (!flags.negated) return;
  const EnglishValue noun = value_.Noun(at, 4);
  if (noun.text.empty() || Has(kBadLikes, Lower(at)) || Lower(at) == "much" ||
      Lower(at) == "enough" || Lower(at) == "out" || Lower(at) == "well")
    return;
  for (std::string& item : value_.List(at)) {
    Add(subject, "avoids", std::move(item), ClaimKind::kHolds, 0.9);
  }
}

void EnglishReader::ReadAllergies(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::string_view attribute = rule.attribute;
  for (std::string& item : value_.List(at)) {
    if (Has(kBadLikes, ToLowerUtf8(item))) continue;
    Add(subject, attribute, std::move(item), kind);
  }
}

void EnglishReader::ReadCondition(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::size_t begin = at;
  // "I have a peanut allergy."
  for (std::size_t i = at; i < at + 6 && i < words_.size() && !words_[i].stop; ++i) {
    if ((Lower(i) == "allergy" || Lower(i) == "allergies" || Lower(i) == "intolerance") &&
        Lower(verb) != "had") {
      const EnglishValue noun = value_.Noun(at, 6);
      std::string text = noun.text;
      for (std::string_view tail : {" allergy", " allergies"}) {
        if (text.ends_with(tail)) text.resize(text.size() - tail.size());
      }
      static constexpr std::string_view kDegrees[] = {"severe", "mild",     "bad", "serious",
                                                      "slight", "terrible", "no"};
      for (std::string_view degree : kDegrees) {
        if (text.starts_with(degree) && text.size() > degree.size() && text[degree.size()] == ' ')
          text = text.substr(degree.size() + 1);
      }
      if (text == "allergies" || text == "allergy" || text.empty() || text == "seasonal")
        text = "seasonal allergies";
      Add(subject, "allergy", text, kind);
      return;
    }
  }
  while (Lower(begin) == "a" || Lower(begin) == "my" || Lower(begin) == "mild" ||
         Lower(begin) == "severe" || Lower(begin) == "chronic" || Lower(begin) == "really" ||
         Lower(begin) == "some" || Lower(begin) == "terrible" || Lower(begin) == "bad" ||
         Lower(begin) == "an" || Lower(begin) == "with" || Lower(begin) == "been")
    ++begin;
  const std::string rest = ToLowerUtf8(value_.Text(begin, std::min(begin + 4, words_.size())));
  const std::string whole = ToLowerUtf8(value_.Text(at, std::min(at + 4, words_.size())));
  std::string_view best;
  for (std::string_view condition : words::kConditions) {
    const bool hit = FindWord(rest, condition) == 0 || FindWord(whole, condition) == 0;
    if (hit && condition.size() > best.size()) best = condition;
  }
  if (!best.empty()) Add(subject, "condition", std::string(best), kind);
}

void EnglishReader::ReadIllness(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::string_view attribute = rule.attribute;
  for (std::string& item : value_.List(at)) {
    for (std::string_view cut : {" in ", " at ", " about ", " from ", " last ", " on "}) {
      const auto cut_at = item.find(cut);
      if (cut_at != std::string::npos) item.resize(cut_at);
    }
    if (item.size() < 3 || Has(kBadLikes, ToLowerUtf8(item))) continue;
    Add(subject, attribute, std::move(item), kind, 0.9);
  }
}

void EnglishReader::ReadMedication(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::string_view attribute = rule.attribute;
  const EnglishValue noun = value_.Noun(at, 7);
  if (noun.text.empty()) return;
  const std::string lower = ToLowerUtf8(noun.text);
  bool known = FindWord(lower, "medication") != std::string::npos ||
               FindWord(lower, "pills") != std::string::npos ||
               FindWord(lower, "inhaler") != std::string::npos;
  for (std::string_view name : words::kMedications) {
    known |= FindWord(lower, name) != std::string::npos;
  }
  const auto mg = lower.find("mg");
  known |= mg != std::string::npos && mg > 0 &&
           (IsAsciiDigit(static_cast<unsigned char>(lower[mg - 1])) || lower[mg - 1] == ' ');
  if (Lower(verb) == "prescribed" || (Lower(verb) == "just" && Lower(at - 1) == "prescribed"))
    known = true;
  const auto purpose = noun.text.find(" for ");
  if (known) Add(subject, attribute, noun.text.substr(0, purpose), kind);
}

void EnglishReader::ReadDiet(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::string_view attribute = rule.attribute;
  const std::string rest = ToLowerUtf8(value_.Text(at, std::min(at + 3, words_.size())));
  for (std::string_view diet : words::kDiets) {
    const auto hit = FindWord(rest, diet);
    if (hit != 0) continue;
    // "a vegan restaurant": of something else.
    const std::size_t words =
        1 + static_cast<std::size_t>(std::count(diet.begin(), diet.end(), ' '));
    const std::string& next = Lower(at + words);
    const bool other = !next.empty() && at + words < words_.size() && !words_[at + words].stop &&
                       next != "diet" && next != "and" && next != "but" && next != "so" &&
                       next != "now" && next != "for" && next != "since" && next != "myself" &&
                       next != "who" && next != "because" && next != "too" && next != "these" &&
                       next != "in" && next != "last" && next != "after" && next != "anymore" &&
                       next != "any" && next != "or" && next != "as" && next != "two" &&
                       next != "three" && next != "a";
    if (other) return;
    Add(subject, attribute, std::string(diet), kind);
    return;
  }
}

void EnglishReader::ReadThing(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  if (subject.pet) return;
  std::size_t begin = at;
  Relatives(subject, begin, kind);
  std::string_view filed;
  // "no pets"
  if (Lower(begin) == "no") {
    kind = ClaimKind::kEnded;
    ++begin;
  }
  const EnglishValue thing = value_.Thing(begin, &filed);
  if (thing.text.empty()) return;
  // "bought my sister a guitar", "bought a watch for my dad"
  if (Lower(thing.end) == "for" && (Lower(thing.end + 1) == "my" || Lower(thing.end + 1) == "her" ||
                                    Lower(thing.end + 1) == "him" || Lower(thing.end + 1) == "a"))
    return;
  if (Lower(thing.end) == "for" && Lower(thing.end + 1) == "sale") return;
  std::string text = thing.text;
  // "a new car, a silver Honda Civic": the second tells more.
  if (filed != "pet" && Lower(thing.end) == "," &&
      (Lower(thing.end + 1) == "a" || Lower(thing.end + 1) == "an")) {
    const EnglishValue more = value_.Noun(thing.end + 1, 6);
    bool named = false;
    for (std::size_t i = thing.end + 2; i < more.end; ++i) named |= words_[i].capital;
    if (named) text = fmt::format("{} ({})", more.text, ToLowerUtf8(text));
  }
  if (kind == ClaimKind::kEnded || filed != "pet") {
    Add(subject, filed, text, kind, 0.95);
  } else {
    Pets(subject, text, thing.end, kind);
  }
  std::size_t next = thing.end;
  for (int n = 0; n < 3 && (Lower(next) == "and" || Lower(next) == ","); ++n) {
    if (Lower(next) == "," && Lower(next + 1) == "and") ++next;
    std::string_view also;
    const EnglishValue more = value_.Thing(next + 1, &also);
    if (more.text.empty()) break;
    if (also == "pet") {
      Pets(subject, more.text, more.end, kind);
    } else {
      Add(subject, also, more.text, kind, 0.9);
    }
    next = more.end;
  }
}

void EnglishReader::Pets(const Subject& subject, const std::string& text, std::size_t end,
                         ClaimKind kind) {
  std::string what = ToLowerUtf8(text);
  const EnglishValue name = value_.Named(end);
  // "two cats, Luna and Milo"
  std::size_t list = Lower(end) == "," || Lower(end) == "named" || Lower(end) == "called" ||
                             Lower(end) == "(" || Lower(end) == ":"
                         ? end + 1
                         : end;
  std::vector<std::string> names;
  while (list > end && value_.IsNameAt(list)) {
    const EnglishValue one = value_.Name(list);
    names.push_back(one.text);
    list = one.end;
    if (Lower(list) != "," && Lower(list) != "and") break;
    ++list;
    if (Lower(list) == "and") ++list;
  }
  if (names.size() > 1) {
    for (const std::string& one : names) {
      Add(subject, "pet", fmt::format("{} ({})", one, what), kind, 0.9);
    }
    return;
  }
  if (!name.text.empty()) reader_.last_person = name.text;
  Add(subject, "pet", name.text.empty() ? what : fmt::format("{} ({})", name.text, what), kind,
      0.95);
}

void EnglishReader::ReadSold(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::string_view filed;
  const EnglishValue thing = value_.Thing(at, &filed);
  if (thing.text.empty()) return;
  if (Lower(verb) == "lost" && filed == "belonging") return;
  Add(subject, filed, thing.text, kind);
  if (Lower(thing.end) == "for" || Lower(thing.end) == "with") {
    std::string_view other;
    const EnglishValue instead = value_.Thing(thing.end + 1, &other);
    if (!instead.text.empty()) {
      Add(subject, other, instead.text, ClaimKind::kHolds);
    } else if (Lower(thing.end + 1) == "a" || Lower(thing.end + 1) == "an") {
      // "replaced my bicycle with a Canyon Endurace": the same kind of thing, by its name.
      const EnglishValue noun = value_.Noun(thing.end + 1, 5);
      bool named = false;
      for (std::size_t i = thing.end + 2; i < noun.end; ++i) named |= words_[i].capital;
      if (named) Add(subject, filed, noun.text, ClaimKind::kHolds, 0.9);
    }
  }
}

void EnglishReader::ReadInstrument(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::string_view filed;
  const EnglishValue thing = value_.Thing(at, &filed);
  if (filed == "instrument") Add(subject, "instrument", thing.text, kind);
}

void EnglishReader::ReadSport(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::string_view attribute = rule.attribute;
  if (!Has(kSports, Lower(at))) return;
  const EnglishValue noun = value_.Noun(at, 3);
  std::string text = noun.text;
  for (std::string_view cut : {" with ", " in ", " on ", " at ", " for ", " every ", " against "}) {
    const auto cut_at = text.find(cut);
    if (cut_at != std::string::npos) text.resize(cut_at);
  }
  Add(subject, attribute, text, kind, 0.9);
}

}  // namespace liubai::memory
