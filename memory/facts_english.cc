// English: clauses, and what of them holds.
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
constexpr std::string_view kAsks[] = {"can",   "could", "do",   "does",  "what", "which", "how",
                                      "where", "when",  "who",  "would", "is",   "are",   "should",
                                      "any",   "will",  "have", "did",   "am",   "why",   "may"};

}  // namespace

void EnglishReader::Read() {
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

Claim* EnglishReader::Add(const Subject& subject, std::string_view attribute, std::string value,
                          ClaimKind kind, double confidence) {
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
  if (!FinishClaim(reader_, corrects_, wrong_, &claim)) return nullptr;
  reader_.claims.push_back(std::move(claim));
  ++claims_;
  return &reader_.claims.back();
}

void EnglishReader::FindCorrection() {
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

void EnglishReader::PlainCorrection() {
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

bool EnglishReader::AtClauseStart(std::size_t i, bool* subordinate) const {
  std::size_t at = i;
  while (at > 0 && Has(kLeads, Lower(at - 1))) --at;
  if (at == 0) return true;
  const EnglishWord& before = words_[at - 1];
  if (before.stop) return before.lower != "'" && before.lower != "\"" && before.lower != "/";
  if (Has(kJoins, before.lower)) return true;
  if (at < i && before.lower == "that") return false;
  if (before.lower == "that" && at > 1 && Has(kTelling, Lower(at - 2))) {
    // "He said that I …" is his word; "I told you that I …" mine.
    return Lower(at - 2) != "told" && (Lower(at - 2) != "say" || (at > 2 && Lower(at - 3) == "to"));
  }
  if (Has(kSubordinate, before.lower)) {
    if (subordinate != nullptr) *subordinate = true;
    return true;
  }
  // "in the morning I prefer", "for work I listen to", "at present we pay"
  static constexpr std::string_view kWhen[] = {
      "morning",     "mornings", "evening", "evenings", "afternoon", "night",  "breakfast",
      "lunch",       "dinner",   "present", "moment",   "winter",    "spring", "autumn",
      "restaurants", "books",    "films",   "movies",   "weekends",  "them",   "all"};
  if (Has(kWhen, before.lower)) return Lower(0) != "if";
  if (before.lower == "on" && at > 1 && Lower(at - 2) == "now") return true;  // "from now on"
  if ((before.lower == "work" || before.lower == "working") && at > 1 &&
      (Lower(at - 2) == "for" || Lower(at - 2) == "at" || Lower(at - 2) == "while" ||
       Lower(at - 2) == "when")) {
    return true;
  }
  // "After six years at the library I …": what stands before is no clause.
  static constexpr std::string_view kPhrase[] = {"after", "in",    "at",    "for", "from", "during",
                                                 "with",  "since", "until", "on",  "of"};
  if ((Lower(i) == "i" || Lower(i) == "we") && at < 10 && Has(kPhrase, Lower(0))) {
    static constexpr std::string_view kVerbs[] = {
        "is",  "are",  "was",   "were", "has",  "have", "had",  "do",    "does",
        "did", "that", "which", "who",  "what", "if",   "whom", "where", "everything"};
    bool phrase = true;
    for (std::size_t j = 1; j < at; ++j) {
      phrase &= !words_[j].stop && !Has(words::kPronouns, Lower(j)) && !Has(kVerbs, Lower(j)) &&
                !Lower(j).ends_with("ing");
    }
    if (phrase) return true;
  }
  // "last year I moved", "in 2019 I moved", "three years ago I moved"
  if (before.lower == "ago" || before.lower == "year" || before.lower == "month" ||
      before.lower == "week" || before.lower == "weekend" || before.lower == "summer" ||
      before.lower == "days" || before.lower == "time" || before.lower == "way")
    return Lower(0) != "if";
  return before.lower.size() == 4 && SmallNumber(before.lower) < 0 &&
         IsAsciiDigit(static_cast<unsigned char>(before.lower[0]));
}

bool EnglishReader::IsHypothetical(std::size_t i) const {
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

void EnglishReader::Clauses() {
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
      if (Accepts(i) && States(i)) continue;
      if ((lower == "my" || lower == "our") && OwnNoun(i)) continue;
      const Subject subject = ParseSubject(i);
      if (!subject.name.empty()) {
        last = subject;
        told = false;
        if (!Accepts(i)) continue;
        if (Lower(subject.end) == "'s" &&
            (OwnState(subject, subject.end + 1, false) || OwnNounOf(subject, subject.end + 1))) {
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
    // "… adopted a kitten and named her Pepper"
    if ((lower == "named" || lower == "called") &&
        (Lower(i + 1) == "her" || Lower(i + 1) == "him" || Lower(i + 1) == "it") &&
        value_.IsNameAt(i + 2) && !reader_.claims.empty()) {
      Claim& pet = reader_.claims.back();
      if (pet.attribute == "pet" && pet.statement == statement_ &&
          pet.value.find('(') == std::string::npos) {
        reader_.last_person = value_.Name(i + 2).text;
        pet.value = fmt::format("{} ({})", reader_.last_person, pet.value);
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

bool EnglishReader::FromStart(std::size_t i) const {
  for (std::size_t at = 0; at < i; ++at) {
    if (!words_[at].stop && !Has(kLeads, Lower(at))) return false;
  }
  return true;
}

bool EnglishReader::Accepts(std::size_t i) const {
  if (!question_) return true;
  for (std::size_t at = i + 2; at < words_.size(); ++at) {
    const std::string& before = Lower(at - 1);
    const bool joint = words_[at - 1].stop || before == "and" || before == "so" || before == "but";
    if (joint && Has(kAsks, Lower(at))) return true;
    if (joint && (Lower(at) == "i" || Lower(at) == "please") &&
        (Lower(at + 1) == "was" || Lower(at + 1) == "am" || Lower(at + 1) == "would") &&
        (Lower(at + 2) == "wondering" || Lower(at + 2) == "curious"))
      return true;
  }
  return false;
}

std::size_t EnglishReader::Auxiliaries(std::size_t i, Flags* flags) const {
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

std::size_t EnglishReader::Match(std::size_t rule, std::size_t i) const {
  std::size_t at = i;
  for (const Element& element : Rules().patterns[rule]) {
    const bool hit =
        std::find(element.either.begin(), element.either.end(), Lower(at)) != element.either.end();
    if (hit && at < words_.size()) {
      ++at;
      // Adverbs may stand between: "moved recently to", "have already got".
      while (at < words_.size() && Has(kAdverbs, Lower(at)) && Lower(at) != "all") ++at;
    } else if (!element.optional) {
      return std::string::npos;
    }
  }
  return at;
}

bool EnglishReader::Predicate(const Subject& subject, Flags flags) {
  const std::size_t verb = Auxiliaries(subject.end, &flags);
  if (verb >= words_.size()) return false;
  for (std::size_t at = verb; at < words_.size() && !(words_[at].stop && Lower(at) != ","); ++at) {
    flags.any_more |= (Lower(at) == "anymore") || (Lower(at) == "any" && Lower(at + 1) == "more") ||
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

void EnglishReader::Times(const Subject& subject, std::size_t first) {
  std::size_t end = subject.end;
  while (end < words_.size() && Lower(end) != ";" && Lower(end) != "but") ++end;
  const std::string clause = value_.Text(subject.begin, end);
  // "getting married in October" is still to come.
  if (clause.find("getting ") != std::string::npos) return;
  const FactTimes times = FactTimesOf(clause, reader_.time_ms);
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

bool EnglishReader::Apply(std::size_t index, const Subject& subject, const Flags& flags,
                          std::size_t verb) {
  const english::Rule& rule = kRules[index];
  if (rule.be == 1 && !flags.be && !(continued_ && rule.value == Value::kAllergies)) return false;
  if (rule.be == -1 && flags.be) return false;
  const bool stands =
      rule.value == Value::kDislikes && (Lower(verb) == "stand" || Lower(verb) == "bear");
  if (stands && !flags.negated) return false;
  const bool refuses = rule.value == Value::kAvoids && flags.negated;  // "can't eat gluten"
  if (flags.modal && !stands && !refuses) {
    // "would love to visit", "will be moving to": a wish or a plan.
    if ((rule.value != Value::kPlan && rule.value != Value::kWish) || flags.doubt) return false;
  }
  if (flags.subordinate && rule.tense == Tense::kState && !flags.past && !flags.former &&
      Lower(subject.begin > 0 ? subject.begin - 1 : 0) != "since")
    return false;
  // "when we got our first computer"
  if (flags.subordinate && rule.value == Value::kThing) return false;
  const std::size_t at = Match(index, verb);
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
  ReadValue({rule, subject, flags, verb, at, kind});
  for (std::size_t i = before; i < reader_.claims.size(); ++i) {
    Claim& claim = reader_.claims[i];
    claim.change |= rule.tense == Tense::kEvent || flags.now;
  }
  return reader_.claims.size() > before;
}

void EnglishReader::ReadValue(const Hit& hit) {
  switch (hit.rule.value) {
    case Value::kPlace:
      return ReadPlace(hit);
    case Value::kMovedFrom:
      return ReadMovedFrom(hit);
    case Value::kJob:
      return ReadJob(hit);
    case Value::kOrg:
    case Value::kJobAtOrg:
      return ReadEmployer(hit);
    case Value::kField:
      return ReadField(hit);
    case Value::kNewJob:
      return ReadNewJob(hit);
    case Value::kLeftJob:
      return ReadLeftJob(hit);
    case Value::kStudy:
      return ReadStudy(hit);
    case Value::kSchool:
      return ReadSchool(hit);
    case Value::kLikes:
    case Value::kDislikes:
      return ReadTaste(hit);
    case Value::kAvoids:
      return ReadAvoided(hit);
    case Value::kAllergies:
      return ReadAllergies(hit);
    case Value::kCondition:
      return ReadCondition(hit);
    case Value::kIllness:
      return ReadIllness(hit);
    case Value::kMedication:
      return ReadMedication(hit);
    case Value::kDiet:
      return ReadDiet(hit);
    case Value::kThing:
      return ReadThing(hit);
    case Value::kSold:
      return ReadSold(hit);
    case Value::kInstrument:
      return ReadInstrument(hit);
    case Value::kSport:
      return ReadSport(hit);
    case Value::kPartner:
      return ReadPartner(hit);
    case Value::kAge:
      return ReadAge(hit);
    case Value::kBorn:
      return ReadBorn(hit);
    case Value::kName:
      return ReadName(hit);
    case Value::kPlan:
    case Value::kWish:
      return ReadPlan(hit);
    case Value::kTrip:
      return ReadTrip(hit);
    case Value::kNoun:
      return ReadNoun(hit);
    case Value::kFixed:
      return ReadFixed(hit);
    case Value::kMoney:
    case Value::kPeriodic:
      return ReadMoney(hit);
    case Value::kPaid:
      return ReadPaid(hit);
    case Value::kAddress:
      return ReadAddress(hit);
    case Value::kWay:
    case Value::kWayVerb:
      return ReadWay(hit);
    case Value::kTakes:
      return ReadTakes(hit);
    case Value::kCount:
      return ReadCount(hit);
    case Value::kNamed:
      return ReadNamed(hit);
    case Value::kNewState:
    case Value::kChanged:
      return ReadNewState(hit);
    case Value::kTimed:
      return ReadTimed(hit);
    case Value::kListen:
      return ReadListen(hit);
    case Value::kTired:
      return ReadTired(hit);
    case Value::kBelongs:
      return ReadBelongs(hit);
  }
}

void ReadEnglish(std::string_view sentence, std::string_view statement, FactReader* reader) {
  EnglishReader(sentence, statement, reader).Read();
}

}  // namespace liubai::memory
