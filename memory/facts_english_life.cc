// English: values of home, work, studies, love, age and plans.
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

}  // namespace

void EnglishReader::ReadPlace(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::string_view attribute = rule.attribute;
  if (attribute == "home" && subject.pet) return;
  EnglishValue place = value_.Place(at);
  // "Mum and Dad are in Porto" tells where they live; "I'm in Porto" where one is.
  if (rule.pattern == "in") {
    const bool kin = subject.name.find("'s ") != std::string::npos && !subject.pet;
    const bool ends = place.end >= words_.size() || words_[place.end].stop ||
                      Lower(place.end) == "now" || Lower(place.end) == "these";
    if (!kin || !value_.IsNameAt(at) || !ends) return;
  }
  // "from a tiny village in Wales"
  if (place.text.empty() && (Lower(at) == "a" || Lower(at) == "an")) {
    static constexpr std::string_view kTowns[] = {"town",   "village", "city",
                                                  "suburb", "place",   "hamlet"};
    for (std::size_t i = at + 1; i < at + 5 && i < words_.size(); ++i) {
      if (Has(kTowns, Lower(i)) &&
          (Lower(i + 1) == "in" || Lower(i + 1) == "near" || Lower(i + 1) == "called" ||
           Lower(i + 1) == "of") &&
          value_.IsNameAt(i + 2)) {
        place = value_.Place(i + 2);
      }
    }
  }
  if (place.text.empty() && (Lower(at) == "a" || Lower(at) == "an") && rule.attribute == "home") {
    const EnglishValue house = value_.Noun(at, 6);
    static constexpr std::string_view kHouses[] = {
        "apartment", "house",    "flat",      "studio",  "condo", "farm",
        "village",   "dorm",     "town",      "cottage", "loft",  "townhouse",
        "cabin",     "bungalow", "houseboat", "suburb",  "city"};
    for (std::string_view word : kHouses) {
      if (FindWord(ToLowerUtf8(house.text), word) != std::string::npos) {
        Add(subject, "housing", house.text, kind, 0.8);
        break;
      }
    }
    return;
  }
  if (place.text.empty()) return;
  Add(subject, attribute, place.text, kind);
  // "moved from Porto to Lyon" the other way round: "moved to Lyon from Porto".
  if (rule.tense == Tense::kEvent && attribute == "home" && Lower(place.end) == "from") {
    const EnglishValue old = value_.Place(place.end + 1);
    if (!old.text.empty()) Add(subject, "home", old.text, ClaimKind::kFormer, 0.9);
  }
}

void EnglishReader::ReadMovedFrom(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  const EnglishValue old = value_.Place(at);
  if (old.text.empty()) return;
  Add(subject, "home", old.text, ClaimKind::kFormer, 0.9);
  std::size_t to = old.end;
  if (Lower(to) == "back") ++to;
  if (Lower(to) == "to") {
    const EnglishValue place = value_.Place(to + 1);
    if (!place.text.empty()) Add(subject, "home", place.text, ClaimKind::kHolds);
  }
}

void EnglishReader::ReadJob(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  // Nouns before the verb: "I am the manager" of a story; "a" or a bare trade.
  EnglishValue job = value_.Job(at);
  if (job.text.empty()) return;
  const bool article = Lower(at) == "a" || Lower(at) == "an";
  if (rule.pattern.empty() && !article && Lower(at) != "the") return;
  if (rule.pattern.empty() && Lower(at) == "the" && Lower(job.end) != "of" &&
      Lower(job.end) != "at")
    return;
  if (rule.pattern.empty() && subject.pet) return;
  if (Lower(job.end) == "?" || Lower(job.end) == "myself_") return;
  Add(subject, "job", job.text, kind);
  Employer(subject, job.end, kind);
}

void EnglishReader::ReadEmployer(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  const EnglishValue org = value_.Organisation(at);
  if (org.text.empty()) return;
  if (rule.pattern.starts_with("joined") && !value_.IsNameAt(at)) return;
  const bool named = [&] {
    for (std::size_t i = at; i < org.end; ++i) {
      if (words_[i].capital) return true;
    }
    return false;
  }();
  // "I work for a bank", "at the hospital"; not "I work for free", "at night".
  const bool article = Lower(at) == "a" || Lower(at) == "an" || Lower(at) == "the" ||
                       Lower(at) == "our" || Lower(at) == "my";
  if (!named && !article) return;
  Add(subject, "employer", org.text, kind, named ? 1 : 0.85);
  if (Lower(org.end) == "as") {
    const EnglishValue job = value_.Job(org.end + 1);
    if (!job.text.empty()) Add(subject, "job", job.text, kind);
  }
}

void EnglishReader::ReadField(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  const EnglishValue noun = value_.Noun(at, 3);
  if (noun.text.empty() || noun.text.size() < 2 || words_[at].capital) {
    if (noun.text.empty() || noun.text != "HR") return;
  }
  static constexpr std::string_view kNot[] = {
      "progress", "my",     "the",         "a",       "this",    "that",  "an",
      "person",   "shifts", "teams",       "pairs",   "silence", "front", "it",
      "our",      "tandem", "conjunction", "general", "small"};
  if (Has(kNot, Lower(at)) && Lower(at) != "the") return;
  static constexpr std::string_view kNotHeads[] = {"garden",    "kitchen", "morning", "evening",
                                                   "afternoon", "past",    "yard",    "background",
                                                   "office",    "basement"};
  for (std::string_view word : kNotHeads) {
    if (noun.text.ends_with(word)) return;
  }
  for (std::string_view vague : {"field", "industry"}) {
    if (noun.text.starts_with(vague)) return;
  }
  Add(subject, "field of work", noun.text, kind, 0.9);
}

void EnglishReader::ReadNewJob(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::size_t i = at;
  for (int n = 0; n < 2; ++n) {
    if (Lower(i) == "as") {
      const EnglishValue job = value_.Job(i + 1);
      if (job.text.empty()) return;
      Add(subject, "job", job.text, kind);
      i = job.end;
    } else if (Lower(i) == "at" || Lower(i) == "with") {
      const EnglishValue org = value_.Organisation(i + 1);
      if (org.text.empty()) return;
      Add(subject, "employer", org.text, kind);
      i = org.end;
    } else {
      return;
    }
  }
}

void EnglishReader::ReadLeftJob(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::size_t i = at;
  std::string org_text, job_text;
  for (int n = 0; n < 2; ++n) {
    if (Lower(i) == "as") {
      const EnglishValue job = value_.Job(i + 1);
      job_text = job.text;
      i = std::max(job.end, i + 1);
    } else if (Lower(i) == "at" || Lower(i) == "with" || Lower(i) == "from") {
      const EnglishValue org = value_.Organisation(i + 1);
      org_text = org.text;
      i = std::max(org.end, i + 1);
    }
  }
  Add(subject, "job", job_text.empty() ? "job" : job_text, kind);
  Add(subject, "employer", org_text.empty() ? "employer" : org_text, kind);
}

void EnglishReader::Employer(const Subject& subject, std::size_t i, ClaimKind kind) {
  std::size_t at = i;
  // "a nurse in the emergency room at St Mary's"
  if (Lower(at) == "in" || Lower(at) == "of") {
    while (at < words_.size() && at < i + 6 && Lower(at) != "at" && !words_[at].stop) ++at;
  }
  if (Lower(at) != "at" && Lower(at) != "for" && Lower(at) != "with") return;
  const EnglishValue org = value_.Organisation(at + 1);
  if (org.text.empty()) return;
  const bool article = Lower(at + 1) == "a" || Lower(at + 1) == "an" || Lower(at + 1) == "the";
  bool named = false;
  for (std::size_t j = at + 1; j < org.end; ++j) named |= words_[j].capital;
  if (!named && !(article && Lower(at) != "with")) return;
  Add(subject, "employer", org.text, kind, named ? 0.95 : 0.8);
}

void EnglishReader::ReadStudy(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::string_view attribute = rule.attribute;
  std::size_t i = at;
  if (Lower(i) == "degree") ++i;
  const bool degree = attribute == "degree";
  if (rule.pattern.starts_with("taking")) {
    // "taking violin lessons", "a pottery class"
    const EnglishValue noun = value_.Noun(at, 6);
    for (std::string_view word : {"lessons", "classes", "class", "course", "courses", "workshop"}) {
      if (noun.text.ends_with(word)) Add(subject, attribute, noun.text, kind, 0.9);
    }
    return;
  }
  if (degree) {
    if (Lower(i) != "in" && Lower(i) != "of") return;
    std::size_t begin = at - 1;
    const EnglishValue noun = value_.Noun(i + 1, 7);
    if (noun.text.empty()) return;
    std::string what = value_.Text(begin, noun.end);
    if (const auto last = what.find(" last "); last != std::string::npos) what.resize(last);
    Add(subject, "degree", std::move(what), kind, 0.95);
    return;
  }
  const EnglishValue noun = value_.Noun(at, 6);
  if (noun.text.empty()) return;
  static constexpr std::string_view kNot[] = {
      "hard", "for",   "the",  "a",   "my",    "this", "that",   "it",   "all",  "at",  "with",
      "in",   "every", "some", "how", "these", "on",   "abroad", "late", "more", "what"};
  if (Has(kNot, Lower(at)) && !(Lower(at) == "the" && false)) {
    if (Lower(at) == "at" || Lower(at) == "in") {
      const EnglishValue school = value_.Organisation(at + 1);
      if (!school.text.empty() && value_.IsNameAt(at + 1)) {
        Add(subject, "school", school.text, kind);
      }
    }
    return;
  }
  std::string text = noun.text;
  for (std::string_view cut : {" at ", " in ", " for ", " with ", " under "}) {
    const auto cut_at = text.find(cut);
    if (cut_at != std::string::npos) text.resize(cut_at);
  }
  Add(subject, "studies", text, ClaimKind::kHolds == kind ? kind : ClaimKind::kFormer);
  for (std::size_t j = at; j < noun.end + 1 && j < words_.size(); ++j) {
    if (Lower(j) != "at") continue;
    const EnglishValue school = value_.Organisation(j + 1);
    if (!school.text.empty()) Add(subject, "school", school.text, kind);
  }
}

void EnglishReader::ReadSchool(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  if (rule.pattern.starts_with("went") || rule.pattern.starts_with("go") ||
      rule.pattern.starts_with("attend")) {
    // A school, not a shop or a wedding.
    const EnglishValue org = value_.Organisation(at);
    const std::string lower = ToLowerUtf8(org.text);
    bool school = false;
    for (std::string_view word : {"university", "college", "school", "academy", "institute",
                                  "conservatory", "polytechnic"}) {
      school |= FindWord(lower, word) != std::string::npos;
    }
    if (!school || lower == "school" || lower == "college" || lower == "university") return;
    bool named = false;
    for (std::size_t i = at; i < org.end; ++i) named |= words_[i].capital;
    if (!named) return;
    Add(subject, "school", org.text, kind);
    return;
  }
  const EnglishValue org = value_.Organisation(at);
  if (org.text.empty() || org.text == "college" || org.text == "university") return;
  Add(subject, "school", org.text, kind);
  std::size_t i = org.end;
  while (i < words_.size() && i < org.end + 4 && Lower(i) != "with") ++i;
  if (Lower(i) == "with") {
    const EnglishValue degree = value_.Noun(i + 1, 8);
    if (!degree.text.empty()) Add(subject, "degree", degree.text, kind);
  }
}

void EnglishReader::ReadPartner(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::size_t i = at;
  if (Lower(i) == "to" || Lower(i) == "with") ++i;
  EnglishValue name;
  if (i > at || rule.pattern.starts_with("dating") || rule.pattern == "married") {
    name = value_.Name(i);
  }
  if (rule.pattern.starts_with("dating") && name.text.empty()) return;
  if (rule.pattern == "married" && !flags.be && name.text.empty()) return;
  if (rule.fixed == "single" && Lower(verb) == "single" && at < words_.size() && !words_[at].stop &&
      Lower(at) != "and" && Lower(at) != "now" && Lower(at) != "again" && Lower(at) != "but" &&
      Lower(at) != "right")
    return;
  if (flags.negated) {
    Add(subject, "relationship", std::string(rule.fixed), ClaimKind::kEnded);
    return;
  }
  // "we broke up" is of two, "I broke up the party" of none.
  if (rule.pattern.starts_with("broke") && Lower(at) != "with" && at < words_.size() &&
      !words_[at].stop && Lower(at) != "last" && Lower(at) != "in" && Lower(at) != "after" &&
      Lower(at) != "and" && Lower(at) != "a")
    return;
  Add(subject, "relationship", std::string(rule.fixed), kind);
  if (rule.pattern.starts_with("broke")) {
    Add(subject, "partner", name.text.empty() ? "partner" : name.text, ClaimKind::kEnded);
  } else if (!name.text.empty() && rule.fixed != "divorced") {
    Add(subject, "partner", name.text, kind);
  }
}

void EnglishReader::ReadAge(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::string_view attribute = rule.attribute;
  std::size_t end = at;
  int years = value_.Age(at, &end);
  if (years < 0) {
    std::size_t after = at;
    const std::size_t begin = Lower(at) == "a" || Lower(at) == "an" ? at + 1 : at;
    years = AgeAdjective(begin, &after);
    end = after;
    if (years < 0) return;
    // "a 32-year-old nurse"
    if (const EnglishValue job = value_.Job(after); !job.text.empty()) {
      Add(subject, "job", job.text, kind);
    }
  }
  if (years == 0 && subject.self) return;
  std::string text = fmt::format("{}", years);
  if (flags.negated) return;
  if (rule.attribute == "age" && (flags.past || flags.former) && rule.tense != Tense::kEvent) {
    Add(subject, "past age", text, ClaimKind::kHolds, 0.9);
    return;
  }
  if (flags.subordinate) {
    if (rule.tense == Tense::kEvent) {
      Add(subject, "past age", text, ClaimKind::kHolds, 0.9);
    }
    return;
  }
  Add(subject, attribute, text, ClaimKind::kHolds);
}

void EnglishReader::ReadBorn(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  std::size_t i = at;
  if (Lower(i) == "and" && Lower(i + 1) == "raised") i += 2;
  const bool placed = Lower(i) == "in" || Lower(i) == "at" || Lower(i) == "near";
  const EnglishValue date = Lower(i) == "on" || Lower(i) == "in" ? value_.Date(i) : EnglishValue{};
  if (!date.text.empty()) {
    const bool year = date.text.size() == 4;
    Add(subject, year ? "birth year" : "birthday", date.text, ClaimKind::kHolds);
    i = date.end;
    if (Lower(i) != "in") return;
  } else if (!placed) {
    return;
  }
  const EnglishValue place = value_.Place(i + 1);
  if (place.text.empty() || !value_.IsNameAt(i + 1)) return;
  Add(subject, "birthplace", place.text, ClaimKind::kHolds);
  if (Lower(place.end) == "on" || Lower(place.end) == "in") {
    const EnglishValue when = value_.Date(place.end);
    if (!when.text.empty()) {
      Add(subject, when.text.size() == 4 ? "birth year" : "birthday", when.text, ClaimKind::kHolds);
    }
  }
}

void EnglishReader::ReadName(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  const EnglishValue name = value_.Name(at);
  if (name.text.empty()) return;
  if (subject.pet) return;
  Add(subject, "name", name.text, kind);
}

void EnglishReader::ReadPlan(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  if (flags.negated || flags.past || !subject.self) return;
  Plan(rule, subject, at);
}

void EnglishReader::ReadTrip(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  if (flags.negated || flags.past || !value_.IsNameAt(at)) return;
  const EnglishValue rest = value_.Rest(at, 10);
  Add(subject, "plan", fmt::format("go to {}", rest.text), ClaimKind::kHolds, 0.85);
}

void EnglishReader::Plan(const english::Rule& rule, const Subject& subject, std::size_t at) {
  static constexpr std::string_view kStrong[] = {
      "visit",    "travel",   "move",     "learn",     "buy",    "run",    "study",
      "marry",    "propose",  "adopt",    "apply",     "retire", "open",   "build",
      "renovate", "write",    "publish",  "join",      "train",  "attend", "host",
      "throw",    "organize", "organise", "celebrate", "quit",   "hike",   "climb",
      "sell",     "paint",    "remodel",  "bike",      "fly",    "plant",  "redecorate",
      "start",    "launch",   "graduate", "volunteer", "cycle",  "swim",   "sign",
      "take",     "go",       "get",      "spend",     "become", "save",   "lose"};
  static constexpr std::string_view kWeakObjects[] = {
      "it",      "that", "this", "them", "those",  "with", "for",     "some",
      "ahead",   "the",  "into", "back", "rid",    "over", "through", "to",
      "started", "your", "a",    "more", "better", "up",   "time"};
  const EnglishValue rest = value_.Rest(at, 12);
  if (rest.text.empty()) return;
  const std::string& first = Lower(at);
  if (rule.fixed == "move to") {
    if (value_.Place(at).text.empty() || !value_.IsNameAt(at)) return;
    Add(subject, "plan", fmt::format("move to {}", rest.text), ClaimKind::kHolds, 0.9);
    return;
  }
  std::string base = first;
  for (std::string_view tail : {"ing"}) {
    if (base.ends_with(tail) && base.size() > 5) {
      base.resize(base.size() - tail.size());
      if (base == "mov" || base == "writ" || base == "hik" || base == "tak" || base == "retir" ||
          base == "celebrat" || base == "renovat" || base == "organiz" || base == "hous" ||
          base == "bik" || base == "remodel" || base == "becom" || base == "sav")
        base += "e";
      if (base == "runn" || base == "plann" || base == "quitt" || base == "swimm" || base == "gett")
        base.pop_back();
    }
  }
  const bool strong = Has(kStrong, base);
  if (rule.value == Value::kWish) {
    if (!strong) return;
    const bool weak_verb = base == "go" || base == "get" || base == "take" || base == "start" ||
                           base == "spend" || base == "sign" || base == "save" || base == "buy" ||
                           base == "lose";
    if (weak_verb && Has(kWeakObjects, Lower(at + 1)) && Lower(at + 1) != "a" &&
        !(Lower(at + 1) == "to" && value_.IsNameAt(at + 2)))
      return;
  } else if (!strong && first != "a" && first != "an" && first != "my" && first != "our" &&
             first != "the") {
    // "plan ahead", "plan for it"
    if (!base.empty() && Has(kBadLikes, base)) return;
    if (rest.end - at < 2) return;
  }
  if (Has(words::kPronouns, Lower(at)) || first == "ahead" || first == "out") return;
  if (rest.text.find(' ') == std::string::npos) return;
  static constexpr std::string_view kNothing[] = {
      "get a sense",  "get a feel", "get a better", "get an idea",  "getting one",
      "get one",      "get it",     "take a look",  "get the most", "get a grasp",
      "get a handle", "get more",   "start by",     "getting some", "take advantage",
      "take it",      "get back",   "get started"};
  for (std::string_view nothing : kNothing) {
    if (rest.text.starts_with(nothing)) return;
  }
  Add(subject, "plan", rest.text, ClaimKind::kHolds, rule.value == Value::kWish ? 0.65 : 0.85);
}

void EnglishReader::ReadFixed(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  // "retired my old laptop" is nothing; "a retired teacher" is read as a trade.
  if (rule.fixed == "retired" && at < words_.size() && !words_[at].stop &&
      !Has(words::kPrepositions, Lower(at)) && Lower(at) != "and" && Lower(at) != "last" &&
      Lower(at) != "now" && Lower(at) != "two" && Lower(at) != "but" && Lower(at) != "so")
    return;
  Add(subject, rule.attribute, std::string(rule.fixed), given);
}

void EnglishReader::ReadNoun(const Hit& hit) {
  const auto& [rule, subject, flags, verb, at, given] = hit;
  ClaimKind kind = given;
  std::string_view attribute = rule.attribute;
  std::string text;
  if (attribute == "language") {
    for (std::string& item : value_.List(at)) {
      if (!IsUpper(DecodeUtf8(item, 0).value)) continue;
      Add(subject, attribute, std::move(item), kind);
    }
    return;
  }
  const EnglishValue noun = value_.Noun(at, 6);
  text = noun.text;
  if (text.empty() || Has(kBadLikes, Lower(at))) {
    if (Lower(at) != "the" && Lower(at) != "a" && Lower(at) != "an") return;
    if (text.empty()) return;
  }
  for (std::string_view cut : {" for ", " last ", " since "}) {
    const auto cut_at = text.find(cut);
    if (cut_at != std::string::npos && attribute == "learning") text.resize(cut_at);
  }
  if (rule.pattern == "learning to") text = value_.Text(at, noun.end);
  if (rule.pattern == "learning|studying" &&
      (Lower(at) == "a" || Lower(at) == "to" || Lower(at) == "about" || Lower(at) == "from" ||
       Lower(at) == "how" || Lower(at) == "more"))
    return;
  if (Has(words::kPrepositions, Lower(at))) return;
  if (attribute == "hobby" && rule.pattern.starts_with("?an") && Lower(verb) != "a" &&
      Lower(verb) != "an")
    return;
  Add(subject, attribute, text, kind, 0.9);
}

}  // namespace liubai::memory
