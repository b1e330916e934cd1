// English: whom a clause speaks of, and what is said of people in passing.
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

// "my … is": nouns of a person, and the attribute.
constexpr words::Pair kOwnNouns[] = {{"name", "name"},
                                     {"surname", "surname"},
                                     {"nickname", "nickname"},
                                     {"birthday", "birthday"},
                                     {"birthdate", "birthday"},
                                     {"age", "age"},
                                     {"job", "job"},
                                     {"occupation", "job"},
                                     {"profession", "job"},
                                     {"hometown", "hometown"},
                                     {"hobby", "hobby"},
                                     {"hobbies", "hobby"},
                                     {"major", "studies"},
                                     {"university", "school"},
                                     {"college", "school"},
                                     {"school", "school"},
                                     {"height", "height"},
                                     {"weight", "weight"},
                                     {"nationality", "nationality"},
                                     {"religion", "religion"},
                                     {"allergy", "allergy"},
                                     {"allergies", "allergy"},
                                     {"diet", "diet"},
                                     {"anniversary", "anniversary"}};

}  // namespace

std::string EnglishReader::Relation(std::size_t i, std::size_t* end, int* age) const {
  std::string before;
  std::size_t at = i;
  for (int n = 0; n < 3; ++n) {
    std::string_view lower = Lower(at);
    std::size_t after = at + 1;
    if (const int years = AgeAdjective(at, &after); years >= 0) {
      if (age != nullptr) *age = years;
      at = after;
      continue;
    }
    const auto pair = std::find_if(std::begin(words::kRelationAges), std::end(words::kRelationAges),
                                   [&](const words::Pair& p) { return p.first == lower; });
    if (pair == std::end(words::kRelationAges)) break;
    if (!pair->second.empty()) before = pair->second;
    ++at;
  }
  std::string_view base = FiledUnder(words::kRelationWords, Lower(at));
  std::string_view word = Lower(at);
  if (base.empty() && word.starts_with("ex-")) {
    base = FiledUnder(words::kRelationWords, word.substr(3));
    before = "ex";
  }
  if (base.empty()) return {};
  *end = at + 1;
  if (before == "ex") return fmt::format("ex-{}", base);
  if (before == "best" && base != "friend") before.clear();
  if (before == "twin") return fmt::format("twin {}", base);
  const bool sibling = base == "sister" || base == "brother" || base == "son" ||
                       base == "daughter" || base == "cousin" || base == "sibling";
  if ((before == "older" || before == "younger") && !sibling) before.clear();
  return before.empty() ? std::string(base) : fmt::format("{} {}", before, base);
}

int EnglishReader::AgeAdjective(std::size_t i, std::size_t* end) const {
  const std::string& lower = Lower(i);
  if (lower.size() > 9 && lower.ends_with("-year-old")) {
    *end = i + 1;
    return SmallNumber(lower.substr(0, lower.size() - 9));
  }
  const int years = SmallNumber(lower);
  if (years >= 0 && Lower(i + 1) == "year" && Lower(i + 2) == "old") return *end = i + 3, years;
  if (years >= 0 && Lower(i + 1) == "year-old") return *end = i + 2, years;
  return -1;
}

bool EnglishReader::IsPetWord(std::string_view word) {
  return FiledUnder(words::kThings, word) == "pet";
}

std::string EnglishReader::PetKind(std::size_t i, std::size_t* end, int* age) const {
  std::size_t begin = i;
  for (int n = 0; n < 3; ++n) {
    std::size_t after = begin;
    if (const int years = AgeAdjective(begin, &after); years >= 0) {
      *age = years;
      begin = after;
    } else if (!FiledUnder(words::kRelationAges, Lower(begin)).empty() || Lower(begin) == "cute" ||
               Lower(begin) == "new" || Lower(begin) == "old" || Lower(begin) == "lovely" ||
               Lower(begin) == "sweet" || Lower(begin) == "beloved" || Lower(begin) == "pet") {
      ++begin;
    } else {
      break;
    }
  }
  for (std::size_t at = begin; at < begin + 4 && at < words_.size() && !words_[at].stop; ++at) {
    if (IsPetWord(Lower(at))) {
      if (IsPetWord(Lower(at + 1))) ++at;
      *end = at + 1;
      return ToLowerUtf8(value_.Text(begin, at + 1));
    }
    if (Has(words::kPrepositions, Lower(at)) || Has(words::kPronouns, Lower(at))) break;
  }
  return {};
}

EnglishReader::Subject EnglishReader::Self() const {
  Subject self;
  self.name = reader_.speaker;
  self.self = true;
  return self;
}

EnglishReader::Subject EnglishReader::Person(const Subject& owner, const std::string& relation,
                                             std::size_t begin, std::size_t end) {
  Subject subject;
  subject.name = RelationSubject(owner.name, relation);
  subject.confidence = 0.9 * owner.confidence;
  subject.begin = begin;
  subject.end = end;
  const EnglishValue name = value_.Named(end);
  if (!name.text.empty() && Lower(name.end) != "and" && !IsThingAhead(name.end)) {
    Add(owner, relation, name.text, ClaimKind::kHolds);
    subject.name = name.text;
    subject.end = name.end;
    // "named Max" leaves the clause's verb open; ", Anna," too.
  }
  return subject;
}

bool EnglishReader::IsThingAhead(std::size_t i) const {
  return !FiledUnder(words::kThings, Lower(i)).empty() && Lower(i) != "fish";
}

void EnglishReader::Mentions() {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::string& lower = Lower(i);
    if (lower == "my" || lower == "our") Mention(i);
    if (lower == "as" && (Lower(i + 1) == "a" || Lower(i + 1) == "an") && AtClauseStart(i)) AsA(i);
  }
}

void EnglishReader::AsA(std::size_t i) {
  std::size_t at = i + 2, after = at;
  bool speaks = false;
  for (std::size_t j = at; j < words_.size() && j < at + 14; ++j) {
    if (Lower(j) == "," && (Lower(j + 1) == "i" || Lower(j + 1) == "my")) speaks = true;
  }
  if (!speaks && !(i > 0 && Lower(i - 1) == "," && (Lower(0) == "i" || Lower(0) == "my"))) return;
  if (const int years = AgeAdjective(at, &after); years >= 0) {
    Add(Self(), "age", fmt::format("{}", years), ClaimKind::kHolds, 0.9);
    at = after;
  }
  if (const EnglishValue job = value_.Job(at); !job.text.empty() && speaks) {
    Add(Self(), "job", job.text, ClaimKind::kHolds, 0.85);
  }
  if (Has(words::kDiets, Lower(at)) && speaks) {
    Add(Self(), "diet", Lower(at), ClaimKind::kHolds, 0.9);
  }
}

void EnglishReader::Mention(std::size_t i) {
  const Subject self = Self();
  std::size_t end = 0;
  int age = -1;
  if (const std::string relation = Relation(i + 1, &end, &age); !relation.empty()) {
    // "my mom's car": not the mother.
    Subject person = Person(self, relation, i, end);
    if (age >= 0) Add(person, "age", fmt::format("{}", age), ClaimKind::kHolds);
    BirthdayOf(person, person.end);
    if (Lower(person.end) == "'s") RelationOfRelation(person, person.end + 1);
    return;
  }
  age = -1;
  if (const std::string kind = PetKind(i + 1, &end, &age); !kind.empty()) {
    const EnglishValue name = value_.Named(end);
    const bool owns = !name.text.empty() || age >= 0 || kind.find(' ') != std::string::npos;
    if (owns && !(i > 0 && Lower(i - 1) == "get" && name.text.empty())) {
      Add(self, "pet", name.text.empty() ? kind : fmt::format("{} ({})", name.text, kind),
          ClaimKind::kHolds, 0.9);
    }
    if (age >= 0) {
      Subject pet = PetSubject(name.text, kind, i, end);
      Add(pet, "age", fmt::format("{}", age), ClaimKind::kHolds, 0.9);
    }
    return;
  }
  BirthdayOf(self, i + 1);
  // "my job as a nurse at St Mary's"
  const std::string& noun = Lower(i + 1);
  const std::size_t skip =
      noun == "current" || noun == "new" || noun == "day" || noun == "previous" || noun == "old"
          ? 1
          : 0;
  const std::string& head = Lower(i + 1 + skip);
  const bool former = noun == "previous" || noun == "old";
  const ClaimKind kind = former ? ClaimKind::kFormer : ClaimKind::kHolds;
  const std::size_t after = i + 2 + skip;
  if (head == "job" || head == "role" || head == "position" || head == "work" || head == "career") {
    const std::string& verb = i > 0 ? Lower(i - 1) : Lower(i);
    if (verb == "quit" || verb == "left" || verb == "lost" || verb == "quitting" ||
        verb == "leaving" || verb == "leave")
      return;
    if (Lower(after) == "as") {
      const EnglishValue job = value_.Job(after + 1);
      if (!job.text.empty()) Add(self, "job", job.text, kind, 0.9);
      if (Lower(job.end) == "at" || Lower(job.end) == "for") {
        const EnglishValue org = value_.Organisation(job.end + 1);
        if (!job.text.empty() && !org.text.empty()) Add(self, "employer", org.text, kind, 0.9);
      }
    } else if (Lower(after) == "at" && words_.size() > after + 1 && value_.IsNameAt(after + 1)) {
      Add(self, "employer", value_.Organisation(after + 1).text, kind, 0.85);
    }
    return;
  }
  if ((head == "apartment" || head == "house" || head == "flat" || head == "home" ||
       head == "place" || head == "condo" || head == "studio") &&
      Lower(after) == "in" && value_.IsNameAt(after + 1)) {
    Add(self, "home", value_.Place(after + 1).text, kind, 0.75);
    return;
  }
  if ((head == "degree" || head == "phd" || head == "master's" || head == "bachelor's" ||
       head == "mba" || head == "masters") &&
      (Lower(after) == "in" || Lower(after) == "degree")) {
    EnglishValue degree = value_.Rest(i + 1 + skip, 9);
    if (const auto last = degree.text.find(" last "); last != std::string::npos) {
      degree.text.resize(last);
    }
    if (Lower(after) == "in" || Lower(after + 1) == "in") {
      Add(self, "degree", degree.text, ClaimKind::kHolds, 0.85);
    }
    return;
  }
  if (head == "hometown" && (Lower(after) == "of" || Lower(after) == ",")) {
    if (const EnglishValue place = value_.Place(after + 1);
        !place.text.empty() && value_.IsNameAt(after + 1)) {
      Add(self, "hometown", place.text, ClaimKind::kHolds);
    }
    return;
  }
  // "my iPhone 13 Pro", "my 2018 Honda Civic"
  std::string_view attribute;
  const EnglishValue thing = value_.Thing(i + 1, &attribute);
  if (thing.text.empty() || attribute == "pet" || Lower(thing.end) == "'s") return;
  bool exact = false;
  for (std::size_t j = i + 1; j < thing.end; ++j) {
    exact |= words_[j].capital || IsAsciiDigit(static_cast<unsigned char>(words_[j].lower[0]));
  }
  const bool has_new = noun == "new" || noun == "own";
  if (exact || has_new) Add(self, attribute, thing.text, ClaimKind::kHolds, exact ? 0.85 : 0.7);
}

void EnglishReader::BirthdayOf(const Subject& who, std::size_t i) {
  std::size_t at = Lower(i) == "'s" ? i + 1 : i;
  while (Lower(at) == "upcoming" || Lower(at) == "own" || Lower(at) == "big") ++at;
  const std::string& lower = Lower(at);
  if (lower.size() < 3 || (Lower(at + 1) != "birthday" && Lower(at + 1) != "bday")) return;
  const bool ordinal = lower.ends_with("th") || lower.ends_with("st") || lower.ends_with("nd") ||
                       lower.ends_with("rd");
  if (!ordinal) return;
  const int years = SmallNumber(lower.substr(0, lower.size() - 2));
  if (years <= 0) return;
  Add(who, "birthday celebrated", fmt::format("{}", years), ClaimKind::kHolds, 0.85);
}

void EnglishReader::RelationOfRelation(const Subject& owner, std::size_t i) {
  std::size_t end = 0;
  int age = -1;
  const std::string relation = Relation(i, &end, &age);
  if (relation.empty()) return;
  Subject person = Person(owner, relation, owner.begin, end);
  if (age >= 0) Add(person, "age", fmt::format("{}", age), ClaimKind::kHolds);
  BirthdayOf(person, person.end);
}

EnglishReader::Subject EnglishReader::PetSubject(const std::string& name, const std::string& kind,
                                                 std::size_t begin, std::size_t end) const {
  Subject pet;
  const auto space = kind.rfind(' ');
  pet.name = name.empty()
                 ? RelationSubject(reader_.speaker,
                                   space == std::string::npos ? kind : kind.substr(space + 1))
                 : name;
  pet.pet = true;
  pet.confidence = 0.85;
  pet.begin = begin;
  pet.end = end;
  return pet;
}

EnglishReader::Subject EnglishReader::ParseSubject(std::size_t i) {
  Subject subject;
  const std::string& lower = Lower(i);
  if (lower == "i") {
    subject = Self();
    subject.begin = i;
    subject.end = i + 1;
    return subject;
  }
  if (lower == "we") {
    subject = Self();
    subject.confidence = 0.8;
    subject.begin = i;
    subject.end = i + 1;
    return subject;
  }
  if (lower == "my" || lower == "our") {
    std::size_t end = 0;
    if (const std::string relation = Relation(i + 1, &end); !relation.empty()) {
      if (Lower(end) == "and" && Lower(end + 1) == "i") {
        subject = Self();
        subject.confidence = 0.8;
        subject.begin = i;
        subject.end = end + 2;
        return subject;
      }
      Subject person = Person(Self(), relation, i, end);
      if (Lower(person.end) == "and" && Lower(person.end + 1) == "i") {
        subject = Self();
        subject.confidence = 0.8;
        subject.begin = i;
        subject.end = person.end + 2;
        return subject;
      }
      // "My sister's husband Tom works …"
      if (Lower(person.end) == "'s" && !Relation(person.end + 1, &end).empty()) {
        const std::string second = Relation(person.end + 1, &end);
        Subject chained = Person(person, second, i, end);
        reader_.last_person = chained.name;
        return chained;
      }
      reader_.last_person = person.name;
      return person;
    }
    int age = -1;
    if (const std::string kind = PetKind(i + 1, &end, &age); !kind.empty()) {
      const EnglishValue name = value_.Named(end);
      subject = PetSubject(name.text, kind, i, name.text.empty() ? end : name.end);
      reader_.last_person = subject.name;
      return subject;
    }
    return subject;
  }
  if ((lower == "he" || lower == "she") && !reader_.last_person.empty()) {
    subject.name = reader_.last_person;
    subject.confidence = 0.7;
    subject.begin = i;
    subject.end = i + 1;
    return subject;
  }
  // "The parents of my colleague live in Porto": theirs.
  if (lower == "the") {
    std::size_t of = 0;
    const std::string whose = Relation(i + 1, &of);
    if (whose.empty() || Lower(of) != "of") return subject;
    std::string owner;
    std::size_t end = of + 2;
    if (Lower(of + 1) == "my" || Lower(of + 1) == "our") {
      const std::string relation = Relation(of + 2, &end);
      if (relation.empty()) return subject;
      const EnglishValue name = value_.Named(end);
      owner = name.text.empty() ? RelationSubject(reader_.speaker, relation) : name.text;
      if (!name.text.empty()) end = name.end;
    } else if (value_.IsNameAt(of + 1)) {
      const EnglishValue name = value_.Name(of + 1);
      owner = name.text;
      end = name.end;
    } else {
      return subject;
    }
    subject.name = RelationSubject(owner, whose);
    subject.confidence = 0.8;
    subject.begin = i;
    subject.end = end;
    reader_.last_person = subject.name;
    return subject;
  }
  // "Mum and Dad live in Porto": one's own, as names are.
  static constexpr words::Pair kCalled[] = {
      {"mum", "mother"},          {"mom", "mother"},       {"mummy", "mother"},
      {"dad", "father"},          {"daddy", "father"},     {"grandma", "grandmother"},
      {"granny", "grandmother"},  {"nana", "grandmother"}, {"grandpa", "grandfather"},
      {"granddad", "grandfather"}};
  if (const auto relation = FiledUnder(kCalled, lower); !relation.empty() && words_[i].capital) {
    std::string_view whose = relation;
    subject.end = i + 1;
    if (Lower(i + 1) == "and" && !FiledUnder(kCalled, Lower(i + 2)).empty()) {
      whose = relation.starts_with("grand") ? "grandparents" : "parents";
      subject.end = i + 3;
    }
    subject.name = RelationSubject(reader_.speaker, whose);
    subject.confidence = 0.8;
    subject.begin = i;
    reader_.last_person = subject.name;
    return subject;
  }
  if (value_.IsNameAt(i)) {
    const EnglishValue name = value_.Name(i);
    const std::string& verb = Lower(name.end);
    static constexpr std::string_view kVerbs[] = {
        "is",       "was",    "lives",  "works",   "has",     "turned",    "studies", "plays",
        "moved",    "loves",  "likes",  "hates",   "'s",      "used",      "just",    "got",
        "lived",    "worked", "does",   "became",  "teaches", "speaks",    "drives",  "owns",
        "recently", "now",    "also",   "still",   "prefers", "graduated", "studied", "adopted",
        "bought",   "quit",   "enjoys", "sold",    "earns",   "pays",      "makes",   "commutes",
        "takes",    "leads",  "banks",  "listens", "cycles",  "walks"};
    if (!Has(kVerbs, verb) || name.text.find(' ') != std::string::npos) {
      // Two names are a person's whole name; three words are mostly something else.
      if (!Has(kVerbs, verb) || std::count(name.text.begin(), name.text.end(), ' ') > 1) {
        return subject;
      }
    }
    if (!FiledUnder(words::kBrands, lower).empty() || Has(kNationalities, lower)) return subject;
    subject.name = name.text;
    subject.confidence = 0.7;
    subject.begin = i;
    subject.end = name.end;
    return subject;
  }
  return subject;
}

EnglishReader::Subject EnglishReader::RelativeSubject(std::size_t who) {
  std::size_t end = who;
  if (end > 0 && Lower(end - 1) == ",") --end;
  // Back to "my", over at most six words.
  for (std::size_t at = end; at-- > 0 && end - at < 7;) {
    if (Lower(at) != "my" && Lower(at) != "our") continue;
    std::size_t stop = 0;
    const std::string relation = Relation(at + 1, &stop);
    if (relation.empty()) return {};
    const Subject person = Person(Self(), relation, at, stop);
    if (person.end == end || person.end == who || person.end + 1 == who) {
      reader_.last_person = person.name;
      return person;
    }
    return {};
  }
  return {};
}

bool EnglishReader::OwnNoun(std::size_t i) { return Accepts(i) && OwnNounOf(Self(), i + 1); }

bool EnglishReader::OwnNounOf(const Subject& owner, std::size_t i) {
  std::size_t at = i;
  while (Lower(at) == "new" || Lower(at) == "current" || Lower(at) == "full" ||
         Lower(at) == "first" || Lower(at) == "last" || Lower(at) == "home" ||
         Lower(at) == "main" || Lower(at) == "old")
    ++at;
  std::string attribute;
  std::size_t end = at + 1;
  if (Lower(at) == "blood" && Lower(at + 1) == "type") {
    attribute = "blood type";
    end = at + 2;
  } else if (Lower(at) == "shoe" && Lower(at + 1) == "size") {
    attribute = "shoe size";
    end = at + 2;
  } else if ((Lower(at) == "native" || Lower(at) == "mother") &&
             (Lower(at + 1) == "language" || Lower(at + 1) == "tongue")) {
    attribute = "language";
    end = at + 2;
  } else if (Lower(at) == "star" && Lower(at + 1) == "sign") {
    attribute = "star sign";
    end = at + 2;
  } else if (const auto filed = FiledUnder(kOwnNouns, Lower(at)); !filed.empty()) {
    attribute = filed;
  } else {
    // "My car is a Honda Civic", "My dog is called Max", "My dog's name is Max".
    int age = -1;
    std::size_t after = 0;
    const std::string kind = PetKind(at, &after, &age);
    if (!kind.empty()) {
      std::size_t name_at = after;
      if (Lower(after) == "'s" && Lower(after + 1) == "name" && Lower(after + 2) == "is") {
        name_at = after + 3;
      } else if (Lower(after) == "is" &&
                 (Lower(after + 1) == "called" || Lower(after + 1) == "named")) {
        name_at = after + 2;
      } else {
        return false;
      }
      const EnglishValue name = value_.Name(name_at);
      if (name.text.empty()) return false;
      reader_.last_person = name.text;
      return Add(owner, "pet", fmt::format("{} ({})", name.text, kind), ClaimKind::kHolds) !=
             nullptr;
    }
    const auto thing = FiledUnder(words::kThings, Lower(at));
    if (thing.empty() || Lower(at + 1) != "is" ||
        (Lower(at + 2) != "a" && Lower(at + 2) != "an" && Lower(at + 2) != "the"))
      return false;
    std::string_view same;
    const EnglishValue what = value_.Thing(at + 2, &same);
    if (what.text.empty() || same != thing) {
      // "a red Mini Cooper": named, though none of the words is known.
      const EnglishValue noun = value_.Noun(at + 2, 5);
      bool named = false;
      for (std::size_t j = at + 3; j < noun.end; ++j) named |= words_[j].capital;
      return named && Add(owner, thing, noun.text, ClaimKind::kHolds, 0.9) != nullptr;
    }
    return Add(owner, thing, what.text, ClaimKind::kHolds) != nullptr;
  }
  std::size_t verb = end;
  bool former = false;
  while (Has(kAdverbs, Lower(verb))) ++verb;
  if (Lower(verb) == "was" || Lower(verb) == "were") former = true;
  if (Lower(verb) == "used" && Lower(verb + 1) == "to" && Lower(verb + 2) == "be") {
    former = true;
    verb += 2;
  } else if (Lower(verb) == "will" && Lower(verb + 1) == "be") {
    ++verb;
  } else if (Lower(verb) != "is" && Lower(verb) != "are" && !former && Lower(verb) != "include" &&
             Lower(verb) != "falls" && Lower(verb) != "'s" && Lower(verb) != "changed") {
    return false;
  }
  ++verb;
  bool now = false;
  while (Has(kAdverbs, Lower(verb)) || Lower(verb) == "to") {
    now |= Lower(verb) == "now";
    ++verb;
  }
  if (Lower(verb) == "not" || Lower(verb) == "that" || Lower(verb) == "in" ||
      Lower(verb) == "going") {
    if (attribute != "birthday") return false;
  }
  if (Lower(verb) == "on" || Lower(verb) == "in") ++verb;
  std::string text;
  if (attribute == "birthday" || attribute == "anniversary") {
    text = value_.Date(verb).text;
  } else if (attribute == "name" || attribute == "surname" || attribute == "nickname") {
    text = value_.Name(verb).text;
  } else if (attribute == "age") {
    std::size_t unused = 0;
    const int years = value_.Age(verb, &unused);
    if (years >= 0) text = fmt::format("{}", years);
  } else if (attribute == "job") {
    text = value_.Job(verb).text;
  } else if (attribute == "height" || attribute == "weight") {
    text = value_.Rest(verb).text;
    if (text.find_first_of("0123456789") == std::string::npos) text.clear();
  } else if (attribute == "shoe size") {
    text = value_.Rest(verb, 6).text;
    if (text.find_first_of("0123456789") == std::string::npos) text.clear();
  } else if (attribute == "hobby" || attribute == "allergy") {
    bool any = false;
    for (std::string& item : value_.List(verb)) {
      any |= Add(owner, attribute, std::move(item), ClaimKind::kHolds) != nullptr;
    }
    return any;
  } else if (attribute == "school" || attribute == "hometown") {
    if (words_.size() > verb && value_.IsNameAt(verb)) text = value_.Organisation(verb).text;
  } else if (attribute == "diet") {
    for (std::string_view diet : words::kDiets) {
      if (Lower(verb) == diet) text = diet;
    }
  } else {
    const EnglishValue noun = value_.Noun(verb);
    text = noun.text;
  }
  if (text.empty()) return false;
  const auto of = owner.name.rfind("'s ");
  if (attribute == "name" && !owner.self && of != std::string::npos) {
    // "My sister's name is Anna" names the sister.
    Subject whose = owner;
    whose.name = owner.name.substr(0, of);
    whose.self = whose.name == reader_.speaker;
    reader_.last_person = text;
    return Add(whose, owner.name.substr(of + 3), std::move(text), ClaimKind::kHolds) != nullptr;
  }
  Claim* claim = Add(owner, attribute, std::move(text),
                     former && attribute != "birthday" ? ClaimKind::kFormer : ClaimKind::kHolds);
  if (claim != nullptr) claim->change |= now;
  return true;
}

std::string EnglishReader::AddressFrom(std::size_t i) const {
  std::size_t end = i;
  while (end < words_.size() && end - i < 16 && Lower(end) != ";" && Lower(end) != "but" &&
         Lower(end) != "and" && !(Lower(end) == "." && end + 1 == words_.size()))
    ++end;
  while (end > i && words_[end - 1].stop) --end;
  return value_.Text(i, end);
}

void EnglishReader::Relatives(const Subject& subject, std::size_t i, ClaimKind kind) {
  std::size_t at = i;
  for (int n = 0; n < 4; ++n) {
    std::string count = Lower(at);
    std::size_t begin = at;
    const int number = SmallNumber(count);
    const bool one = count == "a" || count == "an" || number == 1;
    if (!one && number < 0 && count != "no") return;
    ++at;
    std::size_t end = 0;
    int age = -1;
    if (one) {
      const std::string relation = Relation(at, &end, &age);
      const bool child = !relation.empty() || Has(words::kChildWords, Lower(at)) ||
                         Has(words::kChildWords, Lower(at + 1));
      if (relation.empty()) {
        if (child && subject.self && Has(words::kChildWords, Lower(at))) {
          Add(subject, "child", Lower(at), kind, 0.9);
        }
        return;
      }
      const EnglishValue name = value_.Named(end);
      if (kind == ClaimKind::kEnded) return;
      Add(subject, relation, name.text.empty() ? relation : name.text, kind);
      Subject person;
      person.name = name.text.empty() ? RelationSubject(subject.name, relation) : name.text;
      person.confidence = 0.9 * subject.confidence;
      if (age >= 0) Add(person, "age", fmt::format("{}", age), ClaimKind::kHolds);
      reader_.last_person = person.name;
      at = name.text.empty() ? end : name.end;
      if (Lower(at) == "who") {
        person.begin = at;
        person.end = at + 1;
        (void)Predicate(person, {});
      }
    } else {
      while (!FiledUnder(words::kRelationAges, Lower(at)).empty() || Lower(at) == "young" ||
             Lower(at) == "lovely" || Lower(at) == "grown" || Lower(at) == "beautiful")
        ++at;
      const auto relation = FiledUnder(words::kPluralRelations, Lower(at));
      if (relation.empty()) return;
      if (count == "no") return;
      Add(subject, relation, value_.Text(begin, at + 1), kind);
      ++at;
      // "two kids, Emma and Noah"
      if (Lower(at) == "," || Lower(at) == "named" || Lower(at) == "called" || Lower(at) == "(" ||
          Lower(at) == ":") {
        std::size_t list = at + 1;
        while (value_.IsNameAt(list)) {
          const EnglishValue name = value_.Name(list);
          Add(subject, relation, name.text, kind, 0.95);
          list = name.end;
          // "Emma (7)"
          if (Lower(list) == "(" && SmallNumber(Lower(list + 1)) >= 0 && Lower(list + 2) == ")") {
            Subject person;
            person.name = name.text;
            person.confidence = 0.85;
            Add(person, "age", fmt::format("{}", SmallNumber(Lower(list + 1))), ClaimKind::kHolds);
            list += 3;
          }
          if (Lower(list) == "," || Lower(list) == "and") ++list;
          if (Lower(list) == "and") ++list;
        }
      }
    }
    if (Lower(at) == "and" || Lower(at) == ",") {
      ++at;
      if (Lower(at) == "and") ++at;
      continue;
    }
    return;
  }
}

void EnglishReader::Others(const Subject& subject, const Flags& flags, std::size_t at) {
  if (!flags.be || flags.negated || flags.modal || flags.past || flags.subordinate) {
    Died(subject, flags, at);
    return;
  }
  const std::string& lower = Lower(at);
  if (Has(kNationalities, lower) && words_[at].capital &&
      (at + 1 >= words_.size() || words_[at + 1].stop || Lower(at + 1) == "and" ||
       Lower(at + 1) == "but" || Lower(at + 1) == "so")) {
    Add(subject, "nationality", value_.Text(at, at + 1), ClaimKind::kHolds, 0.9);
    return;
  }
  if ((lower == "a" || lower == "an") && Lower(at + 1) == "retired") {
    if (const EnglishValue job = value_.Job(at + 2); !job.text.empty()) {
      Add(subject, "job", fmt::format("retired {}", job.text), ClaimKind::kHolds);
    }
    return;
  }
  // "a mom of two", "the mother of three"
  if ((lower == "a" || lower == "the") &&
      (Lower(at + 1) == "mom" || Lower(at + 1) == "mother" || Lower(at + 1) == "dad" ||
       Lower(at + 1) == "father" || Lower(at + 1) == "mum" || Lower(at + 1) == "parent") &&
      Lower(at + 2) == "of" && SmallNumber(Lower(at + 3)) > 0) {
    Add(subject, "child", Lower(at + 3), ClaimKind::kHolds, 0.9);
    return;
  }
  // "Anna is my sister."
  if (lower == "my" || lower == "our") {
    std::size_t end = 0;
    const std::string relation = Relation(at + 1, &end);
    if (!relation.empty() && !subject.self && !subject.pet &&
        subject.name.find("'s ") == std::string::npos &&
        (end >= words_.size() || words_[end].stop || Lower(end) == "and" || Lower(end) == "from")) {
      Add(Self(), relation, subject.name, ClaimKind::kHolds, 0.9);
      reader_.last_person = subject.name;
    }
    return;
  }
  // "Hi, I'm Anna."
  if (subject.self && Lower(subject.begin) == "i" && value_.IsNameAt(at) &&
      !Has(kNationalities, lower)) {
    const EnglishValue name = value_.Name(at);
    const std::string& after = Lower(name.end);
    const bool alone = name.end >= words_.size() || after == "," || after == "." || after == "!" ||
                       after == "and" || after == "by" || after == "from";
    const bool greets = subject.begin == 0 || Has(kLeads, Lower(subject.begin - 1)) ||
                        (subject.begin > 1 && Has(kLeads, Lower(subject.begin - 2)));
    if (alone && greets && name.text.find(' ') == std::string::npos) {
      Add(subject, "name", name.text, ClaimKind::kHolds, 0.85);
    }
  }
}

void EnglishReader::Died(const Subject& subject, const Flags& flags, std::size_t at) {
  if (subject.self || flags.negated || flags.modal) return;
  const bool died = Lower(at) == "died" || (Lower(at) == "passed" && Lower(at + 1) == "away") ||
                    (Lower(at) == "put" && Lower(at + 1) == "down");
  if (!died) return;
  if (subject.pet) {
    const std::string owner = RelationSubject(reader_.speaker, "");
    Subject self = Self();
    const std::string kind =
        subject.name.starts_with(owner) ? subject.name.substr(owner.size()) : subject.name;
    // That there was one is said in the same breath.
    std::erase_if(reader_.claims, [&](const Claim& claim) {
      return claim.attribute == "pet" && claim.statement == statement_ &&
             claim.value.find(kind) != std::string::npos;
    });
    Add(self, "pet", kind, ClaimKind::kEnded);
  } else {
    Add(subject, "died", value_.Text(at, std::min(words_.size(), at + 2)), ClaimKind::kHolds);
  }
}

}  // namespace liubai::memory
