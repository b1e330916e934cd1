// memory/facts_english_reader.h: reads the facts of one English sentence.
//
// A clause is found by its subject ("I", "my sister Anna", a name), which must stand where a clause
// can begin; auxiliaries and adverbs are read over, and tell whether it holds, held once, is denied
// or only wished for; the verb then picks the rule that reads the value. What is said in passing
// ("my dog Max", "as a nurse") is read wherever it stands.
//
// Threads: one thread for each reader. Units: `i`, `at`, `begin`, `end` are words, half-open.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "memory/fact_states.h"
#include "memory/facts_english.h"
#include "memory/facts_english_rules.h"
#include "memory/facts_words.h"

namespace liubai::memory {

// May stand between the beginning of a clause and its subject.
inline constexpr std::string_view kLeads[] = {
    "actually",   "well",      "also",     "anyway",        "now",        "currently",
    "recently",   "today",     "yes",      "yeah",          "no",         "oh",
    "hi",         "hey",       "hello",    "sorry",         "ok",         "okay",
    "personally", "honestly",  "btw",      "fyi",           "plus",       "lately",
    "ps",         "so",        "right",    "unfortunately", "luckily",    "fortunately",
    "basically",  "yesterday", "nowadays", "then",          "finally",    "correction",
    "haha",       "lol",       "thanks",   "sure",          "originally", "later",
    "just",       "still",     "wow",      "hmm",           "maybe_",     "wait",
    "once"};
inline constexpr std::string_view kAdverbs[] = {
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
inline constexpr std::string_view kNationalities[] = {
    "american", "british",    "english",     "scottish",    "welsh",      "irish",     "french",
    "german",   "italian",    "spanish",     "portuguese",  "dutch",      "belgian",   "swiss",
    "austrian", "polish",     "czech",       "swedish",     "norwegian",  "danish",    "finnish",
    "russian",  "ukrainian",  "greek",       "turkish",     "indian",     "chinese",   "japanese",
    "korean",   "vietnamese", "thai",        "filipino",    "indonesian", "malaysian", "australian",
    "canadian", "mexican",    "brazilian",   "argentinian", "colombian",  "chilean",   "peruvian",
    "egyptian", "nigerian",   "kenyan",      "ethiopian",   "moroccan",   "iranian",   "israeli",
    "lebanese", "pakistani",  "bangladeshi", "hungarian",   "romanian",   "bulgarian", "croatian",
    "serbian",  "taiwanese",  "singaporean"};
inline constexpr std::string_view kBadLikes[] = {
    "it",     "that",    "this",    "these",  "those",      "your",      "the",      "you",
    "how",    "what",    "when",    "to",     "them",       "him",       "her",      "his",
    "their",  "its",     "both",    "all",    "some",       "idea",      "ideas",    "having",
    "being",  "hearing", "knowing", "seeing", "sound",      "way",       "me",       "us",
    "if",     "and",     "or",      "one",    "everything", "something", "anything", "most",
    "each",   "either",  "a",       "an",     "working",    "getting",   "any",      "more",
    "trying", "using",   "making",  "giving", "thinking",   "feeling",   "looking",  "learning"};

class EnglishReader {
 public:
  EnglishReader(std::string_view sentence, std::string_view statement, FactReader* reader)
      : sentence_(sentence),
        statement_(statement),
        reader_(*reader),
        words_(EnglishWords(sentence)),
        value_(words_, sentence) {}

  void Read();

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
  // A rule whose verb stands at `verb`; its value begins at `at`.
  struct Hit {
    const english::Rule& rule;
    const Subject& subject;
    const Flags& flags;
    std::size_t verb = 0;
    std::size_t at = 0;
    ClaimKind kind = ClaimKind::kHolds;
  };

  const std::string& Lower(std::size_t i) const { return value_.Lower(i); }

  // facts_english.cc: clauses, and what of them holds.
  Claim* Add(const Subject& subject, std::string_view attribute, std::string value, ClaimKind kind,
             double confidence = 1);
  void FindCorrection();
  // "No, 18, not 80." "I meant Hanna." The attribute is that of what is corrected.
  void PlainCorrection();
  bool AtClauseStart(std::size_t i, bool* subordinate = nullptr) const;
  // "If I …", "I wish I …", "He said I …": somewhere before word i in its own clause.
  bool IsHypothetical(std::size_t i) const;
  void Clauses();
  // Nothing but leads before word i.
  bool FromStart(std::size_t i) const;
  // In a question only what stands before the asking clause is told: "I'm allergic to nuts, what
  // can I eat?"
  bool Accepts(std::size_t i) const;
  std::size_t Auxiliaries(std::size_t i, Flags* flags) const;
  std::size_t Match(std::size_t rule, std::size_t i) const;
  bool Predicate(const Subject& subject, Flags flags);
  void Times(const Subject& subject, std::size_t first);
  bool Apply(std::size_t index, const Subject& subject, const Flags& flags, std::size_t verb);
  void ReadValue(const Hit& hit);

  // facts_english_people.cc: subjects, and what is said in passing.
  // "older sister", "ex-wife", "best friend" at word i, after its possessive; "": no relation.
  // Reads "7-year-old" on the way.
  std::string Relation(std::size_t i, std::size_t* end, int* age = nullptr) const;
  // "7-year-old", "7 year old" before a noun.
  int AgeAdjective(std::size_t i, std::size_t* end) const;
  static bool IsPetWord(std::string_view word);
  // "my golden retriever Max": the kind of animal from `i`, the word after it in `end`.
  std::string PetKind(std::size_t i, std::size_t* end, int* age) const;
  Subject Self() const;
  // A relation named, for whoever `owner` is; returns the subject of what is said of it.
  Subject Person(const Subject& owner, const std::string& relation, std::size_t begin,
                 std::size_t end);
  // "my friend Tom's", "my sister Fender guitar": the capital word belongs to a thing.
  bool IsThingAhead(std::size_t i) const;
  // What is said in passing, also in questions.
  void Mentions();
  // "As a 32-year-old nurse, I …"
  void AsA(std::size_t i);
  void Mention(std::size_t i);
  // "my (sister's) 34th birthday"
  void BirthdayOf(const Subject& who, std::size_t i);
  void RelationOfRelation(const Subject& owner, std::size_t i);
  Subject PetSubject(const std::string& name, const std::string& kind, std::size_t begin,
                     std::size_t end) const;
  Subject ParseSubject(std::size_t i);
  Subject RelativeSubject(std::size_t who);
  // "My name is Lin", "My favourite colour is teal", "Our address is …".
  bool OwnNoun(std::size_t i);
  bool OwnNounOf(const Subject& owner, std::size_t i);
  // An address goes on over its commas, to the end of the sentence.
  std::string AddressFrom(std::size_t i) const;
  // "have two brothers", "have a sister named Anna and a brother"
  void Relatives(const Subject& subject, std::size_t i, ClaimKind kind);
  // What no verb of the table tells: "I'm Anna", "I'm German", "a retired teacher".
  void Others(const Subject& subject, const Flags& flags, std::size_t at);
  // "Our dog Max passed away last spring."
  void Died(const Subject& subject, const Flags& flags, std::size_t at);

  // facts_english_life.cc: home, work, studies, love, age, plans.
  void ReadPlace(const Hit& hit);
  void ReadMovedFrom(const Hit& hit);
  void ReadJob(const Hit& hit);
  void ReadEmployer(const Hit& hit);
  void ReadField(const Hit& hit);
  void ReadNewJob(const Hit& hit);
  void ReadLeftJob(const Hit& hit);
  void Employer(const Subject& subject, std::size_t i, ClaimKind kind);
  void ReadStudy(const Hit& hit);
  void ReadSchool(const Hit& hit);
  void ReadPartner(const Hit& hit);
  void ReadAge(const Hit& hit);
  void ReadBorn(const Hit& hit);
  void ReadName(const Hit& hit);
  void ReadPlan(const Hit& hit);
  void ReadTrip(const Hit& hit);
  void Plan(const english::Rule& rule, const Subject& subject, std::size_t at);
  void ReadFixed(const Hit& hit);
  void ReadNoun(const Hit& hit);

  // facts_english_things.cc: health, belongings, tastes.
  void ReadTaste(const Hit& hit);
  void LikeList(const Subject& subject, std::string_view attribute, std::size_t at, ClaimKind kind);
  void ReadAvoided(const Hit& hit);
  void ReadAllergies(const Hit& hit);
  void ReadCondition(const Hit& hit);
  void ReadIllness(const Hit& hit);
  void ReadMedication(const Hit& hit);
  void ReadDiet(const Hit& hit);
  void ReadThing(const Hit& hit);
  void Pets(const Subject& subject, const std::string& text, std::size_t end, ClaimKind kind);
  void ReadSold(const Hit& hit);
  void ReadInstrument(const Hit& hit);
  void ReadSport(const Hit& hit);

  // facts_english_states.cc: the states of every day, by the words that name them.
  // At the beginning of a clause: "My salary is …", "New wifi password: …", "They pay me …".
  bool States(std::size_t i);
  // Behind "my", "Anna's", "the": word i begins what names the state.
  bool OwnState(const Subject& owner, std::size_t i, bool household_only);
  // "my favourite …", "my go-to …", "my morning drink is …".
  bool Favourite(const Subject& owner, std::size_t i);
  // "Green tea is my favourite drink", "I like Dune best of all books."
  bool BestLiked(std::size_t i);
  bool BestTime(const Subject& owner, std::size_t i);
  // "Spotify now costs me 11.99 a month."
  bool Price(const Subject& owner, std::size_t i, bool owned);
  // "… put the rent up to 1,150"
  bool Raised(std::size_t i);
  bool FirstDay(std::size_t i);
  // Nothing before word i in its clause denies it or leaves it open.
  bool IsFirm(std::size_t i) const;
  const DailyState* StateNamed(std::size_t i, std::size_t* end) const;
  // Over "is", "is called", "has gone up to", ":" to where a value may begin; npos: no such words.
  std::size_t ToValue(std::size_t i, bool* former, bool* change) const;
  EnglishValue StateText(const DailyState& state, std::size_t i) const;
  EnglishValue Money(std::size_t i, bool* periodic) const;
  EnglishValue Way(std::size_t i) const;
  EnglishValue Count(std::size_t i) const;
  EnglishValue Clock(std::size_t i) const;
  bool Keep(const Subject& owner, const DailyState& state, std::size_t i, bool former, bool change);
  void KeepFavourite(const Subject& owner, std::string_view what, std::string text, bool former,
                     bool change);
  void ReadMoney(const Hit& hit);
  void ReadPaid(const Hit& hit);
  void ReadAddress(const Hit& hit);
  void ReadWay(const Hit& hit);
  void ReadTakes(const Hit& hit);
  void ReadCount(const Hit& hit);
  void ReadNamed(const Hit& hit);
  void ReadNewState(const Hit& hit);
  void ReadTimed(const Hit& hit);
  void ReadListen(const Hit& hit);
  void ReadTired(const Hit& hit);
  void ReadBelongs(const Hit& hit);

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

}  // namespace liubai::memory
