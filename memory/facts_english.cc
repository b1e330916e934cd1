// English: who a clause speaks of, and what it says of them.
//
// A clause is found by its subject ("I", "my sister Anna", a name), which must stand where a clause
// can begin; auxiliaries and adverbs are read over, and tell whether it holds, held once, is denied
// or only wished for; the verb then picks the rule that reads the value.
#include "memory/facts_english.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/text.h"
#include "memory/facts_english_rules.h"
#include "memory/facts_words.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/sentence.h"
#include "memory/subject_words.h"

namespace liubai::memory {
namespace {

using english::kRules;
using english::Rule;
using english::Tense;
using english::Value;
using words::Has;

struct Element {
  std::vector<std::string_view> either;
  bool optional = false;
};

std::vector<Element> Compile(std::string_view pattern) {
  std::vector<Element> out;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t end = std::min(pattern.find(' ', at), pattern.size());
    std::string_view part = pattern.substr(at, end - at);
    Element element;
    if (part.starts_with('?')) element.optional = true, part.remove_prefix(1);
    for (std::size_t p = 0; p <= part.size();) {
      const std::size_t bar = std::min(part.find('|', p), part.size());
      element.either.push_back(part.substr(p, bar - p));
      p = bar + 1;
    }
    out.push_back(std::move(element));
    at = end + 1;
  }
  return out;
}

// Rules by the words that they may begin with; "" for those that begin with their value.
struct Table {
  std::vector<std::vector<Element>> patterns;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_word;
  std::vector<std::size_t> any;

  Table() {
    for (std::size_t i = 0; i < std::size(kRules); ++i) {
      patterns.push_back(Compile(kRules[i].pattern));
      bool required = false;
      for (const Element& element : patterns.back()) {
        for (std::string_view word : element.either) by_word[word].push_back(i);
        if (!element.optional) {
          required = true;
          break;
        }
      }
      if (!required) any.push_back(i);
    }
  }
};
const Table& Rules() {
  static const Table* table = new Table;
  return *table;
}

// May stand between the beginning of a clause and its subject.
constexpr std::string_view kLeads[] = {
    "actually",   "well",      "also",     "anyway",        "now",        "currently",
    "recently",   "today",     "yes",      "yeah",          "no",         "oh",
    "hi",         "hey",       "hello",    "sorry",         "ok",         "okay",
    "personally", "honestly",  "btw",      "fyi",           "plus",       "lately",
    "ps",         "so",        "right",    "unfortunately", "luckily",    "fortunately",
    "basically",  "yesterday", "nowadays", "then",          "finally",    "correction",
    "haha",       "lol",       "thanks",   "sure",          "originally", "later",
    "just",       "still",     "wow",      "hmm",           "maybe_",     "wait",
    "once"};
constexpr std::string_view kJoins[] = {"and",      "but",     "because",     "since", "as",
                                       "although", "though",  "while",       "yet",   "plus",
                                       "so",       "whereas", "considering", "given", "where"};
constexpr std::string_view kSubordinate[] = {"when", "after", "before", "until", "once", "since"};
// "…, and I'd like you to know that I live in Lyon."
constexpr std::string_view kTelling[] = {"know",  "mention",     "mentioned", "remember", "that",
                                         "note",  "say",         "fact",      "forgot",   "told",
                                         "given", "considering", "now",       "tell",     "add"};
constexpr std::string_view kHypothetical[] = {
    "if",       "unless",  "whether", "wish",    "suppose",  "imagine",        "pretend", "assume",
    "assuming", "hope",    "dream",   "dreamt",  "dreamed",  "hypothetically", "would",   "might",
    "could",    "as-if",   "say",     "says",    "said",     "thinks",         "think",   "thought",
    "claims",   "told",    "asked",   "believe", "believes", "guess",          "swear",   "heard",
    "fear",     "worried", "afraid",  "doubt"};
constexpr std::string_view kAdverbs[] = {
    "just",       "recently",  "now",       "currently",  "still",       "also",
    "really",     "actually",  "always",    "already",    "both",        "definitely",
    "absolutely", "truly",     "finally",   "happily",    "usually",     "mostly",
    "mainly",     "only",      "quite",     "pretty",     "very",        "especially",
    "normally",   "generally", "even",      "originally", "officially",  "sadly",
    "proudly",    "all",       "once",      "so",         "too",         "particularly",
    "simply",     "kind_of",   "literally", "often",      "personally",  "technically",
    "almost_",    "first",     "then",      "lately",     "regularly",   "totally",
    "basically",  "genuinely", "secretly",  "ultimately", "temporarily", "permanently",
    "myself"};
constexpr std::string_view kAsks[] = {"can",   "could", "do",   "does",  "what", "which", "how",
                                      "where", "when",  "who",  "would", "is",   "are",   "should",
                                      "any",   "will",  "have", "did",   "am",   "why",   "may"};
constexpr std::string_view kNationalities[] = {
    "american", "british",    "english",     "scottish",    "welsh",      "irish",     "french",
    "german",   "italian",    "spanish",     "portuguese",  "dutch",      "belgian",   "swiss",
    "austrian", "polish",     "czech",       "swedish",     "norwegian",  "danish",    "finnish",
    "russian",  "ukrainian",  "greek",       "turkish",     "indian",     "chinese",   "japanese",
    "korean",   "vietnamese", "thai",        "filipino",    "indonesian", "malaysian", "australian",
    "canadian", "mexican",    "brazilian",   "argentinian", "colombian",  "chilean",   "peruvian",
    "egyptian", "nigerian",   "kenyan",      "ethiopian",   "moroccan",   "iranian",   "israeli",
    "lebanese", "pakistani",  "bangladeshi", "hungarian",   "romanian",   "bulgarian", "croatian",
    "serbian",  "taiwanese",  "singaporean"};
constexpr std::string_view kSports[] = {
    "tennis",    "chess",      "soccer",   "football",   "basketball", "golf",     "volleyball",
    "badminton", "squash",     "cricket",  "rugby",      "hockey",     "baseball", "softball",
    "poker",     "pickleball", "lacrosse", "bridge",     "go",         "darts",    "pool",
    "billiards", "table",      "video",    "board",      "dungeons",   "ultimate", "paintball",
    "handball",  "water",      "field",    "competitive"};
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
                                     {"employer", "employer"},
                                     {"company", "employer"},
                                     {"address", "address"},
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
                                     {"salary", "salary"},
                                     {"rent", "rent"},
                                     {"anniversary", "anniversary"}};
constexpr std::string_view kBadLikes[] = {
    "it",     "that",    "this",    "these",  "those",      "your",      "the",      "you",
    "how",    "what",    "when",    "to",     "them",       "him",       "her",      "his",
    "their",  "its",     "both",    "all",    "some",       "idea",      "ideas",    "having",
    "being",  "hearing", "knowing", "seeing", "sound",      "way",       "me",       "us",
    "if",     "and",     "or",      "one",    "everything", "something", "anything", "most",
    "each",   "either",  "a",       "an",     "working",    "getting",   "any",      "more",
    "trying", "using",   "making",  "giving", "thinking",   "feeling",   "looking",  "learning"};

class English {
 public:
  English(std::string_view sentence, std::string_view statement, FactReader* reader)
      : sentence_(sentence),
        statement_(statement),
        reader_(*reader),
        words_(EnglishWords(sentence)),
        value_(words_, sentence) {}

  void Read() {
    if (words_.empty()) return;
    question_ = false;
    for (std::size_t i = words_.size(); i-- > 0;) {
      if (!words_[i].stop) break;
      question_ |= words_[i].lower == "?";
    }
    FindCorrection();
    Mentions();
    Clauses();
    if (corrects_ && claims_ == 0) PlainCorrection();
  }

 private:
  struct Subject {
    std::string name;  // "": none.
    bool self = false;
    bool pet = false;
    double confidence = 0.95;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Flags {
    bool be = false, past = false, former = false, negated = false, modal = false;
    bool perfect = false, now = false, any_more = false, did = false;
    bool doubt = false;  // "should", "might"
    bool subordinate = false;
  };

  const std::string& Lower(std::size_t i) const { return value_.Lower(i); }

  // ---- Claims.

  Claim* Add(const Subject& subject, std::string_view attribute, std::string value, ClaimKind kind,
             double confidence = 1) {
    value = OneLine(value);
    if (attribute.empty() || value.empty() || value.size() > 120) return nullptr;
    Claim claim;
    claim.subject = subject.name;
    claim.attribute = std::string(attribute);
    claim.value = std::move(value);
    claim.statement = std::string(statement_);
    claim.kind = kind;
    claim.first_person = subject.self;
    claim.confidence = subject.confidence * confidence * reader_.trust;
    if (corrects_ && kind == ClaimKind::kHolds && IsSingleValued(attribute)) {
      claim.kind = ClaimKind::kCorrects;
      claim.wrong = wrong_;
    }
    for (const Claim& other : reader_.claims) {
      if (other.subject == claim.subject && other.attribute == claim.attribute &&
          other.value == claim.value && other.kind == claim.kind)
        return nullptr;
    }
    reader_.claims.push_back(std::move(claim));
    ++claims_;
    return &reader_.claims.back();
  }

  // ---- Corrections.

  void FindCorrection() {
    std::string lower = ToLowerUtf8(sentence_);
    const bool no = (Lower(0) == "no" || Lower(0) == "wait" || Lower(0) == "oops") &&
                    (Lower(1) == "," || Lower(1) == "wait" || Lower(1) == "." || Lower(1) == "!" ||
                     Lower(1) == "-" || Lower(1) == "—");
    bool marked = false;
    for (std::string_view word :
         {"i meant", "i misspoke", "correction", "i mistyped", "i was wrong", "i made a mistake",
          "typo", "my mistake", "i said that wrong", "let me correct", "i got that wrong"}) {
      marked |= FindWord(lower, word) != std::string::npos;
    }
    // ", not 80": what is wrong, in a few words.
    for (std::size_t i = 1; i < words_.size(); ++i) {
      // "haven't" denies, and corrects nothing.
      if (Lower(i) != "not" || words_[i].end - words_[i].begin != 3 ||
          sentence_.substr(words_[i].begin, 3) != "not")
        continue;
      const bool comma = Lower(i - 1) == "," || Lower(i - 1) == "—" || Lower(i - 1) == "(" ||
                         Lower(i - 1) == "and" || Lower(i - 1) == "instead";
      if (!comma && !marked && !no) continue;
      std::size_t end = i + 1;
      while (end < words_.size() && !words_[end].stop && end - i < 6 && Lower(end) != "but" &&
             Lower(end) != "as" && Lower(end) != "like" && Lower(end) != "and")
        ++end;
      if (end == i + 1 || (end < words_.size() && !words_[end].stop && Lower(end) != "but" &&
                           Lower(end) != "as" && Lower(end) != "like"))
        continue;
      std::size_t begin = i + 1;
      while (Lower(begin) == "in" || Lower(begin) == "at" || Lower(begin) == "on" ||
             Lower(begin) == "the" || Lower(begin) == "a" || Lower(begin) == "an" ||
             Lower(begin) == "to")
        ++begin;
      if (begin >= end) continue;
      const std::string& first = Lower(begin);
      const bool exact = words_[begin].capital || SmallNumber(first) >= 0 ||
                         IsAsciiDigit(static_cast<unsigned char>(first[0]));
      if (!marked && !no && !exact) continue;
      wrong_ = value_.Text(begin, end);
      not_at_ = i;
      corrects_ = true;
      plain_ = true;
      return;
    }
    corrects_ = marked || no;
    plain_ = marked;
  }

  // "No, 18, not 80." "I meant Hanna." The attribute is that of what is corrected.
  void PlainCorrection() {
    if (question_ || !plain_) return;
    std::size_t end = not_at_ > 0 ? not_at_ : words_.size();
    while (end > 0 &&
           (words_[end - 1].stop || Lower(end - 1) == "and" || Lower(end - 1) == "instead"))
      --end;
    std::size_t begin = 0;
    static constexpr std::string_view kBefore[] = {
        "meant", "is",   "correction", "no", "was",    "say",  "wait", "oops", "are", "be",
        "sorry", "typo", "mistake",    "it", "should", "that", "to",   "in",   "at",  "on"};
    for (std::size_t i = 0; i < end; ++i) {
      if (Has(kBefore, Lower(i)) || words_[i].stop) begin = i + 1;
    }
    if (not_at_ > 0 && begin >= end) {
      // "not 80 but 18"
      for (std::size_t i = not_at_; i < words_.size(); ++i) {
        if (Lower(i) == "but") begin = i + 1, end = words_.size();
      }
      while (end > begin && words_[end - 1].stop) --end;
    }
    if (begin >= end || end - begin > 5) return;
    const std::string& first = Lower(begin);
    const bool exact = words_[begin].capital || SmallNumber(first) >= 0 ||
                       IsAsciiDigit(static_cast<unsigned char>(first[0]));
    if (!exact && wrong_.empty()) return;
    const auto counts = [](std::string_view text) {
      return SmallNumber(text) >= 0 || text.find_first_of("0123456789") != text.npos;
    };
    if (!wrong_.empty() && counts(wrong_) != counts(value_.Text(begin, end))) return;
    Claim claim;
    claim.subject = reader_.speaker;
    claim.value = value_.Text(begin, end);
    claim.statement = std::string(statement_);
    claim.kind = ClaimKind::kCorrects;
    claim.wrong = wrong_;
    claim.confidence = 0.8 * reader_.trust;
    reader_.claims.push_back(std::move(claim));
  }

  // ---- People.

  // "older sister", "ex-wife", "best friend" at word i, after its possessive; "": no relation.
  // Reads "7-year-old" on the way.
  std::string Relation(std::size_t i, std::size_t* end, int* age = nullptr) const {
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
      const auto pair =
          std::find_if(std::begin(words::kRelationAges), std::end(words::kRelationAges),
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

  // "7-year-old", "7 year old" before a noun.
  int AgeAdjective(std::size_t i, std::size_t* end) const {
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

  static bool IsPetWord(std::string_view word) { return FiledUnder(words::kThings, word) == "pet"; }

  // "my golden retriever Max": the kind of animal from `i`, the word after it in `end`.
  std::string PetKind(std::size_t i, std::size_t* end, int* age) const {
    std::size_t begin = i;
    for (int n = 0; n < 3; ++n) {
      std::size_t after = begin;
      if (const int years = AgeAdjective(begin, &after); years >= 0) {
        *age = years;
        begin = after;
      } else if (!FiledUnder(words::kRelationAges, Lower(begin)).empty() ||
                 Lower(begin) == "cute" || Lower(begin) == "new" || Lower(begin) == "old" ||
                 Lower(begin) == "lovely" || Lower(begin) == "sweet" || Lower(begin) == "beloved" ||
                 Lower(begin) == "pet") {
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

  Subject Self() const {
    Subject self;
    self.name = reader_.speaker;
    self.self = true;
    return self;
  }

  // A relation named, for whoever `owner` is; returns the subject of what is said of it.
  Subject Person(const Subject& owner, const std::string& relation, std::size_t begin,
                 std::size_t end) {
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
  // "my friend Tom's", "my sister Fender guitar": the capital word belongs to a thing.
  bool IsThingAhead(std::size_t i) const {
    return !FiledUnder(words::kThings, Lower(i)).empty() && Lower(i) != "fish";
  }

  // What is said in passing, also in questions.
  void Mentions() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::string& lower = Lower(i);
      if (lower == "my" || lower == "our") Mention(i);
      if (lower == "as" && (Lower(i + 1) == "a" || Lower(i + 1) == "an") && AtClauseStart(i))
        AsA(i);
    }
  }

  // "As a 32-year-old nurse, I …"
  void AsA(std::size_t i) {
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

  void Mention(std::size_t i) {
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
    if (head == "job" || head == "role" || head == "position" || head == "work" ||
        head == "career") {
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
      const EnglishValue degree = value_.Rest(i + 1 + skip, 9);
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

  // "my (sister's) 34th birthday"
  void BirthdayOf(const Subject& who, std::size_t i) {
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

  void RelationOfRelation(const Subject& owner, std::size_t i) {
    std::size_t end = 0;
    int age = -1;
    const std::string relation = Relation(i, &end, &age);
    if (relation.empty()) return;
    Subject person = Person(owner, relation, owner.begin, end);
    if (age >= 0) Add(person, "age", fmt::format("{}", age), ClaimKind::kHolds);
    BirthdayOf(person, person.end);
  }

  Subject PetSubject(const std::string& name, const std::string& kind, std::size_t begin,
                     std::size_t end) const {
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

  // ---- Clauses.

  bool AtClauseStart(std::size_t i, bool* subordinate = nullptr) const {
    std::size_t at = i;
    while (at > 0 && Has(kLeads, Lower(at - 1))) --at;
    if (at == 0) return true;
    const EnglishWord& before = words_[at - 1];
    if (before.stop) return before.lower != "'" && before.lower != "\"" && before.lower != "/";
    if (Has(kJoins, before.lower)) return true;
    if (at < i && before.lower == "that") return false;
    if (before.lower == "that" && at > 1 && Has(kTelling, Lower(at - 2))) {
      // "He said that I …" is his word; "I told you that I …" mine.
      return Lower(at - 2) != "told" &&
             (Lower(at - 2) != "say" || (at > 2 && Lower(at - 3) == "to"));
    }
    if (Has(kSubordinate, before.lower)) {
      if (subordinate != nullptr) *subordinate = true;
      return true;
    }
    // "last year I moved", "in 2019 I moved", "three years ago I moved"
    if (before.lower == "ago" || before.lower == "year" || before.lower == "month" ||
        before.lower == "week" || before.lower == "weekend" || before.lower == "summer" ||
        before.lower == "days" || before.lower == "time" || before.lower == "way")
      return Lower(0) != "if";
    return before.lower.size() == 4 && SmallNumber(before.lower) < 0 &&
           IsAsciiDigit(static_cast<unsigned char>(before.lower[0]));
  }

  // "If I …", "I wish I …", "He said I …": somewhere before word i in its own clause.
  bool IsHypothetical(std::size_t i) const {
    for (std::size_t at = i; at-- > 0;) {
      if (words_[at].stop && words_[at].lower != "'") return false;
      if (Has(kHypothetical, Lower(at))) {
        // "I think I …" hedges; "I said I …", "I told you I …" are one's own words.
        const std::string& who = at > 0 ? Lower(at - 1) : Lower(at);
        const bool own = who == "i" && (Lower(at) == "said" || Lower(at) == "told" ||
                                        Lower(at) == "mentioned" || Lower(at) == "swear");
        if (!own) return true;
      }
    }
    return false;
  }

  Subject ParseSubject(std::size_t i) {
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
    if (value_.IsNameAt(i)) {
      const EnglishValue name = value_.Name(i);
      const std::string& verb = Lower(name.end);
      static constexpr std::string_view kVerbs[] = {
          "is",       "was",    "lives",  "works",  "has",     "turned",    "studies", "plays",
          "moved",    "loves",  "likes",  "hates",  "'s",      "used",      "just",    "got",
          "lived",    "worked", "does",   "became", "teaches", "speaks",    "drives",  "owns",
          "recently", "now",    "also",   "still",  "prefers", "graduated", "studied", "adopted",
          "bought",   "quit",   "enjoys", "sold"};
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

  void Clauses() {
    Subject last;
    bool told = false;  // Of `last` something was said in this sentence.
    for (std::size_t i = 0; i < words_.size(); ++i) {
      bool subordinate = false;
      const std::string& lower = Lower(i);
      if (lower == "who" && i > 0) {
        // "my sister Anna, who lives in Lyon": whoever was named just before.
        const Subject before = RelativeSubject(i);
        if (!before.name.empty() && Accepts(i)) {
          Subject subject = before;
          subject.end = i + 1;
          Flags flags;
          told = Predicate(subject, flags);
        }
        continue;
      }
      if (AtClauseStart(i, &subordinate) && !IsHypothetical(i)) {
        if ((lower == "my" || lower == "our") && OwnNoun(i)) continue;
        const Subject subject = ParseSubject(i);
        if (!subject.name.empty()) {
          last = subject;
          told = false;
          if (!Accepts(i)) continue;
          if (Lower(subject.end) == "'s" && OwnNounOf(subject, subject.end + 1)) {
            told = true;
            continue;
          }
          Flags flags;
          flags.subordinate = subordinate;
          told = Predicate(subject, flags);
          i = subject.end - 1;
          continue;
        }
      }
      // "Just moved to Austin!": in talk the first word is left out.
      static constexpr std::string_view kHeadless[] = {"moved",  "lost",      "adopted", "quit",
                                                       "turned", "graduated", "bought",  "sold",
                                                       "got",    "started"};
      if (last.name.empty() && Has(kHeadless, lower) && !question_ && FromStart(i)) {
        Subject self = Self();
        self.confidence = 0.75;
        self.begin = self.end = i;
        told = Predicate(self, {});
        last = self;
        continue;
      }
      // "… and work at Acme": the same subject goes on.
      if (!last.name.empty() && i > last.end && (lower == "and" || lower == "but") &&
          !IsHypothetical(i) && Accepts(i)) {
        Subject again = last;
        again.end = i + 1;
        again.confidence *= 0.95;
        if (Lower(i + 1) != "i" && Lower(i + 1) != "my" && !Has(words::kPronouns, Lower(i + 1)) &&
            !value_.IsNameAt(i + 1)) {
          Flags flags;
          continued_ = true;
          told |= Predicate(again, flags);
          continued_ = false;
        }
      }
    }
  }

  // Nothing but leads before word i.
  bool FromStart(std::size_t i) const {
    for (std::size_t at = 0; at < i; ++at) {
      if (!words_[at].stop && !Has(kLeads, Lower(at))) return false;
    }
    return true;
  }

  Subject RelativeSubject(std::size_t who) {
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

  // In a question only what stands before the asking clause is told: "I'm allergic to nuts, what
  // can I eat?"
  bool Accepts(std::size_t i) const {
    if (!question_) return true;
    for (std::size_t at = i + 2; at < words_.size(); ++at) {
      const std::string& before = Lower(at - 1);
      const bool joint =
          words_[at - 1].stop || before == "and" || before == "so" || before == "but";
      if (joint && Has(kAsks, Lower(at))) return true;
      if (joint && (Lower(at) == "i" || Lower(at) == "please") &&
          (Lower(at + 1) == "was" || Lower(at + 1) == "am" || Lower(at + 1) == "would") &&
          (Lower(at + 2) == "wondering" || Lower(at + 2) == "curious"))
        return true;
    }
    return false;
  }

  // "My name is Lin", "My favourite colour is teal", "Our address is …".
  bool OwnNoun(std::size_t i) { return Accepts(i) && OwnNounOf(Self(), i + 1); }

  bool OwnNounOf(const Subject& owner, std::size_t i) {
    std::size_t at = i;
    while (Lower(at) == "new" || Lower(at) == "current" || Lower(at) == "full" ||
           Lower(at) == "first" || Lower(at) == "last" || Lower(at) == "home" ||
           Lower(at) == "main" || Lower(at) == "old")
      ++at;
    std::string attribute;
    std::size_t end = at + 1;
    if (Lower(at) == "favourite" || Lower(at) == "favorite") {
      std::size_t verb = at + 1;
      while (verb < words_.size() && verb < at + 7 && Lower(verb) != "is" && Lower(verb) != "are" &&
             Lower(verb) != "was" && Lower(verb) != "'s" && !words_[verb].stop)
        ++verb;
      if (Lower(verb) == "'s" && Lower(verb + 1) != "a") {
        while (verb < words_.size() && Lower(verb) != "is") ++verb;
      }
      const std::string& is = Lower(verb);
      if (is != "is" && is != "are" && is != "was") return false;
      const std::string what = value_.Text(at + 1, verb);
      if (what.empty() || what.starts_with("part") || what.starts_with("thing") ||
          what.starts_with("one"))
        return false;
      attribute = fmt::format("favourite {}", ToLowerUtf8(what));
      end = verb;
    } else if (Lower(at) == "phone" && Lower(at + 1) == "number") {
      attribute = "phone number";
      end = at + 2;
    } else if (Lower(at) == "blood" && Lower(at + 1) == "type") {
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
      if (what.text.empty() || same != thing) return false;
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
    } else if (attribute == "address" || attribute == "height" || attribute == "weight") {
      text = value_.Rest(verb).text;
      if (attribute == "address") text = AddressFrom(verb);
      if (text.find_first_of("0123456789") == std::string::npos) text.clear();
    } else if (attribute == "phone number" || attribute == "salary" || attribute == "rent" ||
               attribute == "shoe size") {
      text = value_.Rest(verb, 6).text;
      if (text.find_first_of("0123456789") == std::string::npos) text.clear();
    } else if (attribute == "hobby" || attribute == "allergy") {
      bool any = false;
      for (std::string& item : value_.List(verb)) {
        any |= Add(owner, attribute, std::move(item), ClaimKind::kHolds) != nullptr;
      }
      return any;
    } else if (attribute == "employer" || attribute == "school" || attribute == "hometown") {
      if (words_.size() > verb && value_.IsNameAt(verb)) text = value_.Organisation(verb).text;
    } else if (attribute == "diet") {
      for (std::string_view diet : words::kDiets) {
        if (Lower(verb) == diet) text = diet;
      }
    } else {
      const EnglishValue noun = value_.Noun(verb);
      text = noun.text;
      if (attribute.starts_with("favourite ")) {
        const auto first = Lower(verb);
        if (first == "when" || first == "the" ? false : Has(words::kPronouns, first)) text.clear();
      }
    }
    if (text.empty()) return false;
    Claim* claim = Add(owner, attribute, std::move(text),
                       former && attribute != "birthday" ? ClaimKind::kFormer : ClaimKind::kHolds);
    if (claim != nullptr) claim->change |= now;
    return true;
  }

  // An address goes on over its commas, to the end of the sentence.
  std::string AddressFrom(std::size_t i) const {
    std::size_t end = i;
    while (end < words_.size() && end - i < 16 && Lower(end) != ";" && Lower(end) != "but" &&
           Lower(end) != "and" && !(Lower(end) == "." && end + 1 == words_.size()))
      ++end;
    while (end > i && words_[end - 1].stop) --end;
    return value_.Text(i, end);
  }

  // ---- Predicates.

  std::size_t Auxiliaries(std::size_t i, Flags* flags) const {
    std::size_t at = i;
    for (; at < words_.size(); ++at) {
      const std::string& lower = Lower(at);
      if (lower == "no" && Lower(at + 1) == "longer") {
        flags->negated = flags->any_more = true;
        ++at;
      } else if (Has(kAdverbs, lower)) {
        flags->now |=
            lower == "now" || lower == "currently" || lower == "just" || lower == "recently";
      } else if (lower == "not" || lower == "never") {
        flags->negated = true;
      } else if (lower == "am" || lower == "is" || lower == "are" || lower == "'s") {
        // "my sister's 34", "Anna's a nurse"; a possessive has been read before.
        if (flags->be) break;
        flags->be = true;
      } else if (lower == "was" || lower == "were") {
        flags->be = flags->past = true;
      } else if (lower == "been" || lower == "being") {
        flags->be = true;
      } else if (lower == "have" || lower == "has" || lower == "had") {
        std::size_t next = at + 1;
        while (Has(kAdverbs, Lower(next)) || Lower(next) == "not" || Lower(next) == "never") ++next;
        const std::string& verb = Lower(next);
        static constexpr std::string_view kParticiples[] = {
            "been",  "had",  "got",  "gotten",  "taken", "become", "bought",
            "sold",  "left", "quit", "moved",   "known", "begun",  "gone",
            "given", "lost", "made", "started", "found"};
        const bool perfect =
            Has(kParticiples, verb) || (verb.ends_with("ed") && verb.size() > 4 && verb != "need");
        if (!perfect || (verb == "got" && lower != "had")) break;
        flags->perfect = true;
        if (lower == "had") flags->past = true;
      } else if (lower == "do" || lower == "does") {
        if (Lower(at + 1) != "not" && !Has(kAdverbs, Lower(at + 1)) && Lower(at + 1) != "have" &&
            Lower(at + 1) != "like" && Lower(at + 1) != "love" && Lower(at + 1) != "enjoy")
          break;
      } else if (lower == "did") {
        flags->past = flags->did = true;
      } else if (lower == "used" && Lower(at + 1) == "to") {
        flags->former = true;
        ++at;
        if (Lower(at + 1) == "be") flags->be = true, ++at;
      } else if (lower == "will" || lower == "would" || lower == "could" || lower == "should" ||
                 lower == "may" || lower == "might" || lower == "can" || lower == "must" ||
                 lower == "shall") {
        flags->modal = true;
        flags->doubt |= lower != "will" && lower != "would";
      } else if (lower == "be" && flags->modal) {
        flags->be = true;
      } else {
        break;
      }
    }
    return at;
  }

  std::size_t Match(const std::vector<Element>& pattern, std::size_t i) const {
    std::size_t at = i;
    for (const Element& element : pattern) {
      const bool hit = std::find(element.either.begin(), element.either.end(), Lower(at)) !=
                       element.either.end();
      if (hit && at < words_.size()) {
        ++at;
        // Adverbs may stand between: "moved recently to".
        while (at < words_.size() && Lower(at) == "recently") ++at;
      } else if (!element.optional) {
        return std::string::npos;
      }
    }
    return at;
  }

  bool Predicate(const Subject& subject, Flags flags) {
    const std::size_t verb = Auxiliaries(subject.end, &flags);
    if (verb >= words_.size()) return false;
    for (std::size_t at = verb; at < words_.size() && !(words_[at].stop && Lower(at) != ",");
         ++at) {
      flags.any_more |= (Lower(at) == "anymore") ||
                        (Lower(at) == "any" && Lower(at + 1) == "more") ||
                        (Lower(at) == "any" && Lower(at + 1) == "longer");
      flags.now |= Lower(at) == "now" && at > verb;
      if (Lower(at) == "," || Lower(at) == "but") break;
    }
    const Table& table = Rules();
    const auto found = table.by_word.find(Lower(verb));
    const std::size_t before = reader_.claims.size();
    if (found != table.by_word.end()) {
      for (const std::size_t index : found->second) {
        if (Apply(index, subject, flags, verb)) break;
      }
    }
    if (reader_.claims.size() == before) {
      for (const std::size_t index : table.any) {
        if (Apply(index, subject, flags, verb)) break;
      }
    }
    if (reader_.claims.size() == before) Others(subject, flags, verb);
    if (reader_.claims.size() == before) return false;
    Times(subject, before);
    return true;
  }

  void Times(const Subject& subject, std::size_t first) {
    std::size_t end = subject.end;
    while (end < words_.size() && Lower(end) != ";" && Lower(end) != "but") ++end;
    const FactTimes times = FactTimesOf(value_.Text(subject.begin, end), reader_.time_ms);
    for (std::size_t i = first; i < reader_.claims.size(); ++i) {
      Claim& claim = reader_.claims[i];
      if (claim.kind == ClaimKind::kFormer) {
        claim.from_ms = times.from_ms;
        claim.to_ms = times.to_ms;
      } else if (claim.kind == ClaimKind::kEnded) {
        claim.to_ms = times.from_ms;
      } else if (claim.attribute != "birthday" && claim.attribute != "plan") {
        claim.from_ms = times.from_ms;
      }
    }
  }

  bool Apply(std::size_t index, const Subject& subject, const Flags& flags, std::size_t verb) {
    const Rule& rule = kRules[index];
    if (rule.be == 1 && !flags.be && !(continued_ && rule.value == Value::kAllergies)) return false;
    if (rule.be == -1 && flags.be) return false;
    const bool stands =
        rule.value == Value::kDislikes && (Lower(verb) == "stand" || Lower(verb) == "bear");
    if (stands && !flags.negated) return false;
    if (flags.modal && !stands) {
      // "would love to visit", "will be moving to": a wish or a plan.
      if ((rule.value != Value::kPlan && rule.value != Value::kWish) || flags.doubt) return false;
    }
    if (flags.subordinate && rule.tense == Tense::kState && !flags.past && !flags.former &&
        Lower(subject.begin > 0 ? subject.begin - 1 : 0) != "since")
      return false;
    // "when we got our first computer"
    if (flags.subordinate && rule.value == Value::kThing) return false;
    const std::size_t at = Match(Rules().patterns[index], verb);
    if (at == std::string::npos) return false;

    ClaimKind kind = ClaimKind::kHolds;
    if (rule.tense == Tense::kState && (flags.former || (flags.past && !flags.perfect))) {
      kind = ClaimKind::kFormer;
    }
    if (rule.tense == Tense::kPast)
      kind = flags.perfect && !flags.past ? ClaimKind::kHolds : ClaimKind::kFormer;
    if (rule.tense == Tense::kEnd) kind = ClaimKind::kEnded;
    if (flags.negated && !stands) {
      if (flags.past || rule.tense == Tense::kEvent || rule.tense == Tense::kEnd) return false;
      kind = ClaimKind::kEnded;
    }
    const std::size_t before = reader_.claims.size();
    ReadValue(rule, subject, flags, verb, at, kind);
    for (std::size_t i = before; i < reader_.claims.size(); ++i) {
      Claim& claim = reader_.claims[i];
      claim.change |= rule.tense == Tense::kEvent || flags.now;
    }
    return reader_.claims.size() > before;
  }

  void ReadValue(const Rule& rule, const Subject& subject, const Flags& flags, std::size_t verb,
                 std::size_t at, ClaimKind kind) {
    std::string_view attribute = rule.attribute;
    switch (rule.value) {
      case Value::kPlace: {
        if (attribute == "home" && subject.pet) return;
        EnglishValue place = value_.Place(at);
        if (place.text.empty() && (Lower(at) == "a" || Lower(at) == "an") &&
            rule.attribute == "home") {
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
        return;
      }
      case Value::kMovedFrom: {
        const EnglishValue old = value_.Place(at);
        if (old.text.empty()) return;
        Add(subject, "home", old.text, ClaimKind::kFormer, 0.9);
        std::size_t to = old.end;
        if (Lower(to) == "back") ++to;
        if (Lower(to) == "to") {
          const EnglishValue place = value_.Place(to + 1);
          if (!place.text.empty()) Add(subject, "home", place.text, ClaimKind::kHolds);
        }
        return;
      }
      case Value::kJob: {
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
        return;
      }
      case Value::kOrg:
      case Value::kJobAtOrg: {
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
        return;
      }
      case Value::kField: {
        const EnglishValue noun = value_.Noun(at, 3);
        if (noun.text.empty() || noun.text.size() < 2 || words_[at].capital) {
          if (noun.text.empty() || noun.text != "HR") return;
        }
        static constexpr std::string_view kNot[] = {
            "progress", "my",     "the",         "a",       "this",    "that",  "an",
            "person",   "shifts", "teams",       "pairs",   "silence", "front", "it",
            "our",      "tandem", "conjunction", "general", "small"};
        if (Has(kNot, Lower(at)) && Lower(at) != "the") return;
        static constexpr std::string_view kNotHeads[] = {
            "garden", "kitchen", "morning",    "evening", "afternoon",
            "past",   "yard",    "background", "office",  "basement"};
        for (std::string_view word : kNotHeads) {
          if (noun.text.ends_with(word)) return;
        }
        if (noun.text == "field" || noun.text == "industry") return;
        Add(subject, "field of work", noun.text, kind, 0.9);
        return;
      }
      case Value::kNewJob: {
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
        return;
      }
      case Value::kLeftJob: {
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
        return;
      }
      case Value::kStudy: {
        std::size_t i = at;
        if (Lower(i) == "degree") ++i;
        const bool degree = attribute == "degree";
        if (rule.pattern.starts_with("taking")) {
          // "taking violin lessons", "a pottery class"
          const EnglishValue noun = value_.Noun(at, 6);
          for (std::string_view word :
               {"lessons", "classes", "class", "course", "courses", "workshop"}) {
            if (noun.text.ends_with(word)) Add(subject, attribute, noun.text, kind, 0.9);
          }
          return;
        }
        if (degree) {
          if (Lower(i) != "in" && Lower(i) != "of") return;
          std::size_t begin = at - 1;
          const EnglishValue noun = value_.Noun(i + 1, 7);
          if (noun.text.empty()) return;
          Add(subject, "degree", value_.Text(begin, noun.end), kind, 0.95);
          return;
        }
        const EnglishValue noun = value_.Noun(at, 6);
        if (noun.text.empty()) return;
        static constexpr std::string_view kNot[] = {
            "hard", "for",   "the", "a",      "my",   "this",  "that",
            "it",   "all",   "at",  "with",   "in",   "every", "some",
            "how",  "these", "on",  "abroad", "late", "more",  "what"};
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
        return;
      }
      case Value::kSchool: {
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
        return;
      }
      case Value::kLikes:
      case Value::kDislikes: {
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
        return;
      }
      case Value::kAvoids: {
        if (!flags.negated) return;
        const EnglishValue noun = value_.Noun(at, 4);
        if (noun.text.empty() || Has(kBadLikes, Lower(at)) || Lower(at) == "much" ||
            Lower(at) == "enough" || Lower(at) == "out" || Lower(at) == "well")
          return;
        for (std::string& item : value_.List(at)) {
          Add(subject, "avoids", std::move(item), ClaimKind::kHolds, 0.9);
        }
        return;
      }
      case Value::kAllergies: {
        for (std::string& item : value_.List(at)) {
          if (Has(kBadLikes, ToLowerUtf8(item))) continue;
          Add(subject, attribute, std::move(item), kind);
        }
        return;
      }
      case Value::kCondition: {
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
              if (text.starts_with(degree) && text.size() > degree.size() &&
                  text[degree.size()] == ' ')
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
        const std::string rest =
            ToLowerUtf8(value_.Text(begin, std::min(begin + 4, words_.size())));
        const std::string whole = ToLowerUtf8(value_.Text(at, std::min(at + 4, words_.size())));
        std::string_view best;
        for (std::string_view condition : words::kConditions) {
          const bool hit = FindWord(rest, condition) == 0 || FindWord(whole, condition) == 0;
          if (hit && condition.size() > best.size()) best = condition;
        }
        if (!best.empty()) Add(subject, "condition", std::string(best), kind);
        return;
      }
      case Value::kIllness: {
        for (std::string& item : value_.List(at)) {
          for (std::string_view cut : {" in ", " at ", " about ", " from ", " last ", " on "}) {
            const auto cut_at = item.find(cut);
            if (cut_at != std::string::npos) item.resize(cut_at);
          }
          if (item.size() < 3 || Has(kBadLikes, ToLowerUtf8(item))) continue;
          Add(subject, attribute, std::move(item), kind, 0.9);
        }
        return;
      }
      case Value::kMedication: {
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
        return;
      }
      case Value::kDiet: {
        const std::string rest = ToLowerUtf8(value_.Text(at, std::min(at + 3, words_.size())));
        for (std::string_view diet : words::kDiets) {
          const auto hit = FindWord(rest, diet);
          if (hit != 0) continue;
          // "a vegan restaurant": of something else.
          const std::size_t words =
              1 + static_cast<std::size_t>(std::count(diet.begin(), diet.end(), ' '));
          const std::string& next = Lower(at + words);
          const bool other =
              !next.empty() && at + words < words_.size() && !words_[at + words].stop &&
              next != "diet" && next != "and" && next != "but" && next != "so" && next != "now" &&
              next != "for" && next != "since" && next != "myself" && next != "who" &&
              next != "because" && next != "too" && next != "these" && next != "in" &&
              next != "last" && next != "after" && next != "anymore" && next != "any" &&
              next != "or" && next != "as" && next != "two" && next != "three" && next != "a";
          if (other) return;
          Add(subject, attribute, std::string(diet), kind);
          return;
        }
        return;
      }
      case Value::kThing: {
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
        if (Lower(thing.end) == "for" &&
            (Lower(thing.end + 1) == "my" || Lower(thing.end + 1) == "her" ||
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
        return;
      }
      case Value::kSold: {
        std::string_view filed;
        const EnglishValue thing = value_.Thing(at, &filed);
        if (thing.text.empty()) return;
        if (Lower(verb) == "lost" && filed == "belonging") return;
        Add(subject, filed, thing.text, kind);
        if (Lower(thing.end) == "for" || Lower(thing.end) == "with") {
          std::string_view other;
          const EnglishValue instead = value_.Thing(thing.end + 1, &other);
          if (!instead.text.empty()) Add(subject, other, instead.text, ClaimKind::kHolds);
        }
        return;
      }
      case Value::kInstrument: {
        std::string_view filed;
        const EnglishValue thing = value_.Thing(at, &filed);
        if (filed == "instrument") Add(subject, "instrument", thing.text, kind);
        return;
      }
      case Value::kSport: {
        if (!Has(kSports, Lower(at))) return;
        const EnglishValue noun = value_.Noun(at, 3);
        std::string text = noun.text;
        for (std::string_view cut :
             {" with ", " in ", " on ", " at ", " for ", " every ", " against "}) {
          const auto cut_at = text.find(cut);
          if (cut_at != std::string::npos) text.resize(cut_at);
        }
        Add(subject, attribute, text, kind, 0.9);
        return;
      }
      case Value::kPartner: {
        std::size_t i = at;
        if (Lower(i) == "to" || Lower(i) == "with") ++i;
        EnglishValue name;
        if (i > at || rule.pattern.starts_with("dating") || rule.pattern == "married") {
          name = value_.Name(i);
        }
        if (rule.pattern.starts_with("dating") && name.text.empty()) return;
        if (rule.pattern == "married" && !flags.be && name.text.empty()) return;
        if (rule.fixed == "single" && Lower(verb) == "single" && at < words_.size() &&
            !words_[at].stop && Lower(at) != "and" && Lower(at) != "now" && Lower(at) != "again" &&
            Lower(at) != "but" && Lower(at) != "right")
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
        return;
      }
      case Value::kAge: {
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
        if (rule.attribute == "age" && (flags.past || flags.former) &&
            rule.tense != Tense::kEvent) {
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
        return;
      }
      case Value::kBorn: {
        std::size_t i = at;
        if (Lower(i) == "and" && Lower(i + 1) == "raised") i += 2;
        const bool placed = Lower(i) == "in" || Lower(i) == "at" || Lower(i) == "near";
        const EnglishValue date =
            Lower(i) == "on" || Lower(i) == "in" ? value_.Date(i) : EnglishValue{};
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
            Add(subject, when.text.size() == 4 ? "birth year" : "birthday", when.text,
                ClaimKind::kHolds);
          }
        }
        return;
      }
      case Value::kName: {
        const EnglishValue name = value_.Name(at);
        if (name.text.empty()) return;
        if (subject.pet) return;
        Add(subject, "name", name.text, kind);
        return;
      }
      case Value::kPlan:
      case Value::kWish: {
        if (flags.negated || flags.past || !subject.self) return;
        Plan(rule, subject, at);
        return;
      }
      case Value::kTrip: {
        if (flags.negated || flags.past || !value_.IsNameAt(at)) return;
        const EnglishValue rest = value_.Rest(at, 10);
        Add(subject, "plan", fmt::format("go to {}", rest.text), ClaimKind::kHolds, 0.85);
        return;
      }
      case Value::kNoun: {
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
        return;
      }
      case Value::kFixed:
        if (rule.fixed == "retired" && at < words_.size() && !words_[at].stop &&
            !Has(words::kPrepositions, Lower(at)) && Lower(at) != "and" && Lower(at) != "last" &&
            Lower(at) != "now" && Lower(at) != "two" && Lower(at) != "but" && Lower(at) != "so") {
          // "a retired teacher" is read below; "retired my old laptop" is nothing.
          return;
        }
        Add(subject, attribute, std::string(rule.fixed), kind);
        return;
    }
  }

  void Employer(const Subject& subject, std::size_t i, ClaimKind kind) {
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

  void LikeList(const Subject& subject, std::string_view attribute, std::size_t at,
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

  // "have two brothers", "have a sister named Anna and a brother"
  void Relatives(const Subject& subject, std::size_t i, ClaimKind kind) {
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
              Add(person, "age", fmt::format("{}", SmallNumber(Lower(list + 1))),
                  ClaimKind::kHolds);
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

  void Pets(const Subject& subject, const std::string& text, std::size_t end, ClaimKind kind) {
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

  void Plan(const Rule& rule, const Subject& subject, std::size_t at) {
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
        if (base == "runn" || base == "plann" || base == "quitt" || base == "swimm" ||
            base == "gett")
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

  // What no verb of the table tells: "I'm Anna", "I'm German", "a retired teacher".
  void Others(const Subject& subject, const Flags& flags, std::size_t at) {
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
          (end >= words_.size() || words_[end].stop || Lower(end) == "and" ||
           Lower(end) == "from")) {
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
      const bool alone = name.end >= words_.size() || after == "," || after == "." ||
                         after == "!" || after == "and" || after == "by" || after == "from";
      const bool greets = subject.begin == 0 || Has(kLeads, Lower(subject.begin - 1)) ||
                          (subject.begin > 1 && Has(kLeads, Lower(subject.begin - 2)));
      if (alone && greets && name.text.find(' ') == std::string::npos) {
        Add(subject, "name", name.text, ClaimKind::kHolds, 0.85);
      }
    }
  }

  // "Our dog Max passed away last spring."
  void Died(const Subject& subject, const Flags& flags, std::size_t at) {
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

  std::string_view sentence_;
  std::string_view statement_;
  FactReader& reader_;
  std::vector<EnglishWord> words_;
  EnglishValues value_;
  bool question_ = false;
  bool corrects_ = false;  // The sentence takes something back.
  bool plain_ = false;     // It says so itself, beyond "no".
  bool continued_ = false;
  std::string wrong_;
  std::size_t not_at_ = 0;
  int claims_ = 0;
};

}  // namespace

void ReadEnglish(std::string_view sentence, std::string_view statement, FactReader* reader) {
  English(sentence, statement, reader).Read();
}

}  // namespace liubai::memory
