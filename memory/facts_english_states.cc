// English: the states of every day, by the words that name them.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "memory/facts_english_reader.h"
#include "memory/facts_words.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/subject_words.h"

namespace liubai::memory {
namespace {

using english::Value;
using words::Has;

constexpr std::size_t kNone = std::string::npos;

constexpr std::string_view kFresh[] = {"new",     "current", "own",    "present", "main",
                                       "monthly", "hourly",  "weekly", "home",    "annual",
                                       "yearly",  "old",     "actual", "full"};
// What leaves a statement open, or denies it.
constexpr std::string_view kOpen[] = {"might",    "may",     "could", "would",   "should", "will",
                                      "not",      "never",   "want",  "wants",   "going",  "hope",
                                      "unless",   "if",      "wish",  "whether", "shall",  "plan",
                                      "planning", "offered", "can",   "dream",   "imagine"};
constexpr std::string_view kCurrencies[] = {
    "euros", "euro",  "eur",  "dollars", "dollar", "usd",    "pounds", "quid",   "gbp",    "francs",
    "chf",   "bucks", "yuan", "rmb",     "cny",    "yen",    "jpy",    "kronor", "kroner", "kr",
    "sek",   "nok",   "dkk",  "zloty",   "pln",    "rupees", "inr",    "cents"};
constexpr std::string_view kScales[] = {"thousand", "hundred", "million", "grand", "k"};
constexpr std::string_view kPeriods[] = {"month", "year",  "week",   "hour",
                                         "day",   "annum", "quarter"};
constexpr std::string_view kModes[] = {
    "bus",     "tram",       "train",     "metro",     "subway",    "tube",       "underground",
    "bike",    "bicycle",    "ebike",     "e-bike",    "scooter",   "e-scooter",  "car",
    "ferry",   "boat",       "foot",      "motorbike", "moped",     "motorcycle", "taxi",
    "carpool", "skateboard", "cab",       "streetcar", "trolley",   "s-bahn",     "u-bahn",
    "rail",    "shuttle",    "vespa",     "coach",     "cable-car", "funicular",  "minibus",
    "tandem",  "lift",       "transport", "transit",   "van"};
constexpr std::string_view kGoing[] = {"walk", "cycle", "bike", "drive", "run", "carpool", "ride"};
constexpr std::string_view kWayEnds[] = {"now",  "these", "every",    "most",  "again", "instead",
                                         "from", "since", "and",      "but",   "to",    "because",
                                         "so",   "as",    "when",     "which", "today", "lately",
                                         "this", "at",    "nowadays", "for",   "on"};
constexpr std::string_view kHoldsUntil[] = {"now",   "these",     "nowadays", "today", "from",
                                            "since", "currently", "instead",  "again", "and",
                                            "but",   "so",        "until",    "as",    "after"};

bool IsDigit(char c) { return IsAsciiDigit(static_cast<unsigned char>(c)); }

// "Anna's landlord" names a person, "my sister's gym" none.
bool IsPersonState(const DailyState& state) { return state.value == StateValue::kPerson; }

}  // namespace

const DailyState* EnglishReader::StateNamed(std::size_t i, std::size_t* end) const {
  const DailyState* best = nullptr;
  std::size_t longest = 0;
  for (const DailyState& state : DailyStates()) {
    for (const std::string_view name : state.names) {
      if (static_cast<unsigned char>(name[0]) >= 0x80) continue;
      std::size_t at = i, words = 0;
      for (std::size_t from = 0; from <= name.size();) {
        const std::size_t to = std::min(name.find(' ', from), name.size());
        const std::string_view word = name.substr(from, to - from);
        const bool last = to == name.size();
        // "changed jobs", "switched gyms": the kind, not several of them.
        const bool plural = last && Lower(at).size() == word.size() + 1 &&
                            Lower(at).starts_with(word) && Lower(at).ends_with('s');
        if (at >= words_.size() || (Lower(at) != word && !plural)) {
          words = 0;
          break;
        }
        ++at, ++words;
        from = to + 1;
      }
      if (words > longest) best = &state, longest = words, *end = at;
    }
  }
  if (best != nullptr) return best;
  // "the code of our front door", "the password for the wifi"
  const std::string& head = Lower(i);
  if (head == "code" || head == "password" || head == "pin" || head == "combination" ||
      head == "key") {
    const std::string& of = Lower(i + 1);
    if (of != "of" && of != "for" && of != "to" && of != "at" && of != "on") return nullptr;
    std::size_t at = i + 2;
    while (at < words_.size() && at < i + 7 && !words_[at].stop && Lower(at) != "is" &&
           Lower(at) != "has" && Lower(at) != "changed" && Lower(at) != "was" && Lower(at) != "'s")
      ++at;
    const std::string_view code = CodeOf(ToLowerUtf8(value_.Text(i + 2, at)));
    if (code.empty()) return nullptr;
    *end = at;
    return DailyStateOf(code);
  }
  return nullptr;
}

bool EnglishReader::IsFirm(std::size_t i) const {
  for (std::size_t at = i; at-- > 0;) {
    if (words_[at].stop && Lower(at) != "'" && Lower(at) != ",") break;
    if (Has(kOpen, Lower(at))) return false;
  }
  return !IsHypothetical(i) && Accepts(i);
}

std::size_t EnglishReader::ToValue(std::size_t i, bool* former, bool* change) const {
  std::size_t at = i;
  // "the rent of our flat", "the password at home", "my favourite in the morning"
  static constexpr std::string_view kOf[] = {"of", "for", "at", "in", "on", "to"};
  if (Has(kOf, Lower(at))) {
    std::size_t over = at + 1;
    // "the rent of my sister", "the landlord of Anna": not one's own.
    std::size_t whose = over;
    while (Lower(whose) == "my" || Lower(whose) == "our" || Lower(whose) == "the") ++whose;
    std::size_t unused = 0;
    if (!Relation(whose, &unused).empty() || (Lower(at) == "of" && value_.IsNameAt(whose))) {
      return kNone;
    }
    while (over < words_.size() && over < at + 6 && !words_[over].stop && Lower(over) != "is" &&
           Lower(over) != "has" && Lower(over) != "was" && Lower(over) != "changed" &&
           Lower(over) != "went")
      ++over;
    at = over;
  }
  if (Lower(at) == "'s" && Lower(at + 1) == "name") at += 2;
  if (Lower(at) == "name") ++at;
  while (Has(kAdverbs, Lower(at))) ++at;
  const std::string& verb = Lower(at);
  if (verb == ":" || verb == "—" || verb == "–") {
    *change = true;
    return at + 1;
  }
  if (verb == "is" || verb == "are" || verb == "'s" || verb == "was" || verb == "were") {
    *former |= verb == "was" || verb == "were";
    ++at;
  } else if (verb == "used" && Lower(at + 1) == "to" && Lower(at + 2) == "be") {
    *former = true;
    at += 3;
  } else if (verb == "has" || verb == "have") {
    ++at;
    while (Has(kAdverbs, Lower(at)) || Lower(at) == "been" || Lower(at) == "a" ||
           Lower(at) == "new" || Lower(at) == "code" || Lower(at) == "number" ||
           Lower(at) == "password")
      ++at;
  } else if (verb == "comes" || verb == "stands" || verb == "runs" || verb == "amounts" ||
             verb == "became" || verb == "remains" || verb == "costs") {
    ++at;
    if (Lower(at) == "to" || Lower(at) == "at") return at + 1;
    return at;
  } else if (verb != "changed" && verb != "went" && verb != "rose" && verb != "dropped" &&
             verb != "fell" && verb != "increased" && verb != "moved" && verb != "grew" &&
             verb != "shrank" && verb != "switched" && verb != "goes") {
    return kNone;
  }
  // "has gone up to", "was raised to", "changed to", "is now"
  static constexpr std::string_view kMoves[] = {
      "changed",   "gone",  "went",  "raised",   "grew",   "grown",  "shrank",  "shrunk",
      "increased", "risen", "rose",  "dropped",  "fell",   "fallen", "moved",   "lowered",
      "cut",       "set",   "reset", "switched", "become", "bumped", "reduced", "updated",
      "goes",      "been",  "up",    "down",     "back"};
  bool moved = false;
  while (at < words_.size() && (Has(kAdverbs, Lower(at)) || Has(kMoves, Lower(at)))) {
    *change |= Lower(at) == "now";
    moved |= Has(kMoves, Lower(at));
    ++at;
  }
  if (moved) {
    *change = true;
    *former = false;  // "was raised to"
    // "from 900 to 950"
    if (Lower(at) == "from") {
      while (at < words_.size() && !words_[at].stop && Lower(at) != "to") ++at;
    }
    if (Lower(at) != "to" && Lower(at) != ":" && Lower(at) != ",") return kNone;
    ++at;
  }
  if (Lower(at) == ":" || Lower(at) == "called" || Lower(at) == "named") ++at;
  // "is no longer", "is not"
  if (Lower(at) == "no" || Lower(at) == "not" || Lower(at) == "going") return kNone;
  return at;
}

EnglishValue EnglishReader::Money(std::size_t i, bool* periodic) const {
  static constexpr std::string_view kAbout[] = {"about",   "around",        "roughly", "only",
                                                "just",    "nearly",        "almost",  "over",
                                                "exactly", "approximately", "now"};
  std::size_t begin = i;
  while (Has(kAbout, Lower(begin))) ++begin;
  std::size_t at = begin;
  const std::string& sign = Lower(at);
  if (sign == "$" || sign == "€" || sign == "£" || sign == "¥" || Has(kCurrencies, sign)) ++at;
  if (at >= words_.size()) return {};
  bool number = IsDigit(Lower(at)[0]);
  if (number) {
    ++at;
  } else {
    while (at < words_.size() && at < begin + 6 &&
           (SmallNumber(Lower(at)) >= 0 || (at > begin && Has(kScales, Lower(at))))) {
      number = true;
      ++at;
    }
  }
  if (!number) return {};
  while (at < words_.size() && Has(kScales, Lower(at))) ++at;
  if (at < words_.size() &&
      (Has(kCurrencies, Lower(at)) || Lower(at) == "€" || Lower(at) == "$" || Lower(at) == "£"))
    ++at;
  // "percent", "people": no money.
  static constexpr std::string_view kNoMoney[] = {"percent", "%",     "people", "hours",  "minutes",
                                                  "days",    "years", "weeks",  "months", "times",
                                                  "km",      "miles", ":",      "am",     "pm"};
  if (at < words_.size() && Has(kNoMoney, Lower(at))) return {};
  static constexpr std::string_view kBetween[] = {"gross", "net", "of", "before",
                                                  "after", "tax", "in", "all"};
  std::size_t over = at;
  while (over < at + 3 && Has(kBetween, Lower(over)) && Lower(over) != "of") ++over;
  const std::string& per = Lower(over);
  if ((per == "a" || per == "per" || per == "each" || per == "every" || per == "an" || per == "/" ||
       per == "the") &&
      Has(kPeriods, Lower(over + 1))) {
    at = over + 2;
    *periodic = true;
  } else if (per == "monthly" || per == "yearly" || per == "annually" || per == "weekly" ||
             per == "pa") {
    at = over + 1;
    *periodic = true;
  }
  return {value_.Text(begin, at), at};
}

EnglishValue EnglishReader::Way(std::size_t i) const {
  std::size_t begin = i;
  while (begin < words_.size() && (Lower(begin) == ":" || Lower(begin) == "," ||
                                   Lower(begin) == "differently" || Has(kAdverbs, Lower(begin))))
    ++begin;
  const std::string& first = Lower(begin);
  static constexpr std::string_view kBy[] = {"by", "on", "with", "via", "in", "using", "taking"};
  if (Has(kGoing, first) || first == "walking" || first == "cycling" || first == "driving" ||
      first == "biking") {
    std::size_t end = begin + 1;
    if (first == "ride" && Lower(end) != "my" && Lower(end) != "a") return {};
    while (end < words_.size() && end < begin + 6 && !words_[end].stop &&
           !Has(kWayEnds, Lower(end)))
      ++end;
    return {value_.Text(begin, end), end};
  }
  bool mode = false;
  std::size_t end = begin + (Has(kBy, first) ? 1 : 0);
  const std::size_t most = begin + 9;
  while (end < words_.size() && end < most) {
    // "the 7:40 train"
    const bool clock = Lower(end) == ":" && end > begin && IsDigit(Lower(end - 1)[0]);
    if (words_[end].stop && !clock) break;
    if (mode && Has(kWayEnds, Lower(end))) break;
    mode |= Has(kModes, Lower(end));
    ++end;
  }
  if (!mode) return {};
  return {value_.Text(begin, end), end};
}

EnglishValue EnglishReader::Count(std::size_t i) const {
  std::size_t begin = i;
  while (Lower(begin) == "about" || Lower(begin) == "around" || Lower(begin) == "over" ||
         Has(kAdverbs, Lower(begin)))
    ++begin;
  if (begin >= words_.size()) return {};
  const std::string& lower = Lower(begin);
  const bool digits = std::ranges::all_of(lower, [](char c) { return IsDigit(c); });
  if (!digits && SmallNumber(lower) < 1) return {};
  return {value_.Text(begin, begin + 1), begin + 1};
}

EnglishValue EnglishReader::Clock(std::size_t i) const {
  std::size_t begin = i;
  while (Lower(begin) == "about" || Lower(begin) == "under" || Lower(begin) == "just" ||
         Lower(begin) == "exactly" || Lower(begin) == "at" || Lower(begin) == "now")
    ++begin;
  if (begin >= words_.size() || !IsDigit(Lower(begin)[0])) return {};
  static constexpr std::string_view kUnits[] = {"hours",   "hour", "h", "minutes", "minute", "min",
                                                "seconds", "sec",  "s", "and",     "flat"};
  std::size_t end = begin + 1;
  bool timed = false;
  while (end < words_.size() && end < begin + 9) {
    if (Lower(end) == ":" && end + 1 < words_.size() && IsDigit(Lower(end + 1)[0])) {
      timed = true;
      end += 2;
    } else if (Has(kUnits, Lower(end)) && Lower(end) != "and") {
      timed = true;
      ++end;
    } else if (timed && IsDigit(Lower(end)[0])) {
      ++end;
    } else if (Lower(end) == "and" && end + 1 < words_.size() && IsDigit(Lower(end + 1)[0])) {
      ++end;
    } else {
      break;
    }
  }
  if (!timed) return {};
  return {value_.Text(begin, end), end};
}

EnglishValue EnglishReader::StateText(const DailyState& state, std::size_t i) const {
  if (i >= words_.size()) return {};
  switch (state.value) {
    case StateValue::kMoney: {
      bool periodic = false;
      const EnglishValue money = Money(i, &periodic);
      return money;
    }
    case StateValue::kWay: {
      const EnglishValue way = Way(i);
      return way;
    }
    case StateValue::kCount:
      return Count(i);
    case StateValue::kPerson: {
      std::size_t at = i;
      if (Lower(at) == "a" || Lower(at) == "an") return {};
      if (Lower(at) == "called" || Lower(at) == "named") ++at;
      const EnglishValue name = value_.Name(at);
      if (name.text.empty() || Has(kNationalities, Lower(at))) return {};
      const bool ends = name.end >= words_.size() || words_[name.end].stop ||
                        Has(kHoldsUntil, Lower(name.end)) || Lower(name.end) == "who" ||
                        Lower(name.end) == "at";
      return ends && Lower(name.end) != "'s" ? name : EnglishValue{};
    }
    case StateValue::kOrganisation: {
      std::size_t at = i;
      if (Lower(at) == "called" || Lower(at) == "named" || Lower(at) == "with") ++at;
      const bool article = Lower(at) == "the";
      if (!value_.IsNameAt(article ? at + 1 : at)) return {};
      EnglishValue org = value_.Organisation(at);
      if (const auto on = org.text.find(" on "); on != std::string::npos) org.text.resize(on);
      return org;
    }
    case StateValue::kPlace:
      return value_.IsNameAt(i) ? value_.Place(i) : EnglishValue{};
    case StateValue::kJob: {
      EnglishValue job = value_.Job(i);
      if (!job.text.empty()) return job;
      // "head of sales"
      static constexpr std::string_view kHeads[] = {"head",      "director", "lead", "chief",
                                                    "president", "vp",       "dean", "deputy"};
      std::size_t at = i;
      if (Lower(at) == "a" || Lower(at) == "the") ++at;
      if (!Has(kHeads, Lower(at))) return {};
      return value_.Rest(at, 6);
    }
    case StateValue::kAddress: {
      std::string text = AddressFrom(i);
      // "is now", "since June" belong to no address.
      for (const std::string_view cut :
           {" now", " these days", " since ", " from now", " as of "}) {
        if (const auto at = text.find(cut); at != std::string::npos) text.resize(at);
      }
      if (text.find_first_of("0123456789") == std::string::npos) return {};
      // A street has letters.
      if (std::ranges::none_of(text, [](char c) {
            return IsAsciiLetter(static_cast<unsigned char>(c)) ||
                   static_cast<unsigned char>(c) >= 0x80;
          })) {
        return {};
      }
      return {std::move(text), words_.size()};
    }
    case StateValue::kContact: {
      // "ida@fjord.example" is several words here.
      const std::string_view rest = sentence_.substr(words_[i].begin);
      std::size_t end = 0;
      const bool mail = state.attribute == "e-mail";
      const auto inside = [&](char c) {
        return IsAsciiWord(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '+' ||
               (mail ? c == '@' : c == ' ' || c == '(' || c == ')' || c == '/');
      };
      while (end < rest.size() && inside(rest[end]) &&
             (mail || !IsAsciiLetter(static_cast<unsigned char>(rest[end]))))
        ++end;
      std::string text(Trim(rest.substr(0, end)));
      while (text.ends_with('.') || text.ends_with('-')) text.pop_back();
      const auto digits = std::ranges::count_if(text, IsDigit);
      if (mail ? text.find('@') == text.npos || text.find('@') == 0 : digits < 5) return {};
      std::size_t after = i;
      while (after < words_.size() && words_[after].end <= words_[i].begin + text.size()) ++after;
      return {std::move(text), after};
    }
    case StateValue::kCode: {
      // One run without blanks, or groups of digits.
      std::size_t end = i + 1;
      const std::string& first = Lower(i);
      if (words_[i].stop) return {};
      while (end < words_.size() &&
             (words_[end].begin == words_[end - 1].end
                  ? Lower(end) != "." && Lower(end) != "," && Lower(end) != "!"
                  : IsDigit(first[0]) && IsDigit(Lower(end)[0])))
        ++end;
      std::string text = value_.Text(i, end);
      const bool digits = std::ranges::any_of(text, IsDigit);
      if (!digits || text.size() < 3 || text.find(' ') == 0) return {};
      return {std::move(text), end};
    }
  }
  return {};
}

bool EnglishReader::Keep(const Subject& owner, const DailyState& state, std::size_t i, bool former,
                         bool change) {
  const EnglishValue value = StateText(state, i);
  if (value.text.empty()) return false;
  const std::size_t before = reader_.claims.size();
  Claim* claim =
      Add(owner, state.attribute, value.text, former ? ClaimKind::kFormer : ClaimKind::kHolds);
  if (claim != nullptr) {
    claim->change |= change;
    Subject whole = owner;
    Times(whole, before);
  }
  return true;
}

bool EnglishReader::OwnState(const Subject& owner, std::size_t i, bool household_only) {
  if (BestTime(owner, i) || Favourite(owner, i) || Price(owner, i, true)) return true;
  std::size_t at = i;
  bool change = false;
  while (Has(kFresh, Lower(at)) && !words_[at].capital) {
    std::size_t end = 0;
    if (StateNamed(at, &end) != nullptr) break;  // "home address"
    change |= Lower(at) == "new";
    if (Lower(at) == "old") return false;
    ++at;
  }
  std::size_t end = 0;
  const DailyState* state = StateNamed(at, &end);
  if (state == nullptr || (household_only && !state->household)) return false;
  bool former = false;
  std::size_t value = ToValue(end, &former, &change);
  // "The company I work for is called Ridgeline."
  if (value == kNone && state->attribute == "employer" && Lower(end) == "i") {
    std::size_t over = end;
    while (over < words_.size() && over < end + 5 && Lower(over) != "is") ++over;
    value = ToValue(over, &former, &change);
  }
  if (value == kNone) return false;
  if (state->value == StateValue::kWay && Way(value).text.empty()) return false;
  return Keep(owner, *state, value, former, change);
}

bool EnglishReader::States(std::size_t i) {
  if (question_ && !Accepts(i)) return false;
  const std::string& lower = Lower(i);
  const Subject self = Self();
  if (lower == "my" || lower == "our") {
    Subject owner = self;
    owner.begin = i, owner.end = i + 1;
    if (lower == "our") owner.confidence = 0.9;
    if (OwnState(owner, i + 1, false)) return true;
  } else if (lower == "the" || lower == "new" || lower == "a" || lower == "changed") {
    Subject owner = self;
    owner.confidence = 0.85;
    owner.begin = owner.end = i;
    // "The code of our front door", "New wifi password: …", "The company I work for is …"
    // "We moved house! The new address is …": where nobody else was spoken of.
    const bool mine = lower == "the" && (Lower(i + 2) == "i" ||
                                         (Lower(i + 1) == "new" && reader_.last_person.empty()));
    if (lower == "changed" && i == 0) return Predicate(owner, {});
    if (lower != "changed" &&
        OwnState(owner, lower == "new" ? i : i + 1, lower != "new" && !mine)) {
      return true;
    }
  }
  // "They pay me 2,900 a month."
  for (std::size_t at = i; at < words_.size() && at < i + 6 && !words_[at].stop; ++at) {
    if ((Lower(at) != "pay" && Lower(at) != "pays" && Lower(at) != "paying") ||
        Lower(at + 1) != "me")
      continue;
    bool periodic = false;
    const EnglishValue money = Money(at + 2, &periodic);
    if (money.text.empty() || !periodic || !IsFirm(at)) continue;
    Subject owner = self;
    owner.begin = i, owner.end = at;
    Claim* claim = Add(owner, "salary", money.text, ClaimKind::kHolds, 0.95);
    if (claim != nullptr) claim->change |= Lower(at - 1) == "now";
    return true;
  }
  // "To get into the building, type 2616 at the front door."
  if ((lower == "type" || lower == "enter" || lower == "press" || lower == "punch") &&
      !CodeOf(ToLowerUtf8(sentence_)).empty()) {
    const std::size_t at = Lower(i + 1) == "in" ? i + 2 : i + 1;
    if (Keep(self, *DailyStateOf(CodeOf(ToLowerUtf8(sentence_))), at, false, false)) return true;
  }
  // "There are nine of us on my team."
  if (lower == "there" && (Lower(i + 1) == "are" || Lower(i + 1) == "is")) {
    const EnglishValue count = Count(i + 2);
    if (!count.text.empty() && IsFirm(i)) {
      for (std::size_t at = count.end; at < words_.size() && at < count.end + 8; ++at) {
        if ((Lower(at) == "my" || Lower(at) == "our") && Lower(at + 1) == "team") {
          return Add(self, "team size", count.text, ClaimKind::kHolds) != nullptr;
        }
      }
    }
  }
  // "Now twenty-three people in my team"
  if (const EnglishValue count = Count(i); !count.text.empty()) {
    const std::size_t in = count.end + 1;
    if ((Lower(in - 1) == "people" || Lower(in - 1) == "of") && IsFirm(i)) {
      for (std::size_t at = in; at < words_.size() && at < in + 3; ++at) {
        if ((Lower(at) == "my" || Lower(at) == "our") && Lower(at + 1) == "team") {
          return Add(self, "team size", count.text, ClaimKind::kHolds) != nullptr;
        }
      }
    }
  }
  // "You can reach me at mira@posteo.example."
  for (std::size_t at = i; at < words_.size() && at < i + 8; ++at) {
    if ((Lower(at) != "reach" && Lower(at) != "contact" && Lower(at) != "write" &&
         Lower(at) != "email" && Lower(at) != "call") ||
        (Lower(at + 1) != "me" && Lower(at + 1) != "to"))
      continue;
    std::size_t value = at + 2;
    while (Lower(value) == "me" || Lower(value) == "at" || Lower(value) == "on" ||
           Lower(value) == "under" || Lower(value) == "now")
      ++value;
    for (const std::string_view attribute : {"e-mail", "phone number"}) {
      if (Keep(self, *DailyStateOf(attribute), value, false, false)) return true;
    }
  }
  if (FirstDay(i) || Raised(i) || BestLiked(i)) return true;
  if (lower == "a" || lower == "new" || lower == "my") {
    if (BestTime(self, i + (lower == "new" ? 0 : 1))) return true;
  }
  if (value_.IsNameAt(i)) return Price(self, i, false);
  return false;
}

bool EnglishReader::FirstDay(std::size_t i) {
  std::size_t at = i;
  if (Lower(at) == "my" || Lower(at) == "the") ++at;
  if (Lower(at) != "first" || (Lower(at + 1) != "day" && Lower(at + 1) != "week")) return false;
  for (std::size_t to = at + 2; to < words_.size() && to < at + 10; ++to) {
    if ((Lower(to) != "at" && Lower(to) != "with") || !value_.IsNameAt(to + 1)) continue;
    const EnglishValue org = value_.Organisation(to + 1);
    const std::string lower = ToLowerUtf8(org.text);
    if (org.text.empty() || lower.find("school") != lower.npos ||
        lower.find("univers") != lower.npos)
      return false;
    if (!IsFirm(i)) return false;
    Claim* claim = Add(Self(), "employer", org.text, ClaimKind::kHolds, 0.9);
    if (claim != nullptr) claim->change = true;
    return true;
  }
  return false;
}

bool EnglishReader::Raised(std::size_t i) {
  static constexpr std::string_view kVerbs[] = {
      "put", "raised", "increased", "lowered", "cut",     "changed", "reset",
      "set", "bumped", "reduced",   "upped",   "dropped", "updated"};
  for (std::size_t at = i; at < words_.size() && at < i + 7 && !words_[at].stop; ++at) {
    if (!Has(kVerbs, Lower(at))) continue;
    const std::string& det = Lower(at + 1);
    if (det != "my" && det != "our" && det != "the") continue;
    std::size_t end = 0;
    std::size_t noun = at + 2;
    while (Has(kFresh, Lower(noun)) && StateNamed(noun, &end) == nullptr) ++noun;
    const DailyState* state = StateNamed(noun, &end);
    if (state == nullptr || (det == "the" && !state->household)) return false;
    // "Anna's landlord raised the rent" is hers.
    if (det == "the" && value_.IsNameAt(i)) return false;
    if (!IsFirm(at)) return false;
    for (std::size_t to = end; to < words_.size() && to < end + 8 && Lower(to) != "."; ++to) {
      if (Lower(to) == "to") {
        Subject owner = Self();
        owner.begin = i, owner.end = at;
        return Keep(owner, *state, to + 1, false, true);
      }
    }
    return false;
  }
  return false;
}

void EnglishReader::KeepFavourite(const Subject& owner, std::string_view what, std::string text,
                                  bool former, bool change) {
  const std::string lower = ToLowerUtf8(what);
  const std::string_view occasion = OccasionOf(lower);
  std::string kind;
  for (std::size_t at = 0; at < lower.size();) {  // What is left without words of the occasion.
    const std::size_t end = std::min(lower.find(' ', at), lower.size());
    const std::string_view word = std::string_view(lower).substr(at, end - at);
    static constexpr std::string_view kLess[] = {"in", "the",   "for",  "at",   "a", "of",
                                                 "to", "while", "when", "with", "i"};
    if (!word.empty() && !Has(kLess, word) && (occasion.empty() || OccasionOf(word).empty())) {
      if (!kind.empty()) kind += ' ';
      kind += word == "color"   ? "colour"
              : word == "movie" ? "film"
              : word == "café"  ? "cafe"
                                : word;
    }
    at = end + 1;
  }
  if (kind.empty() && IsDrink(ToLowerUtf8(text))) kind = "drink";
  if (kind.empty() && occasion.empty()) return;
  std::string attribute = "favourite";
  if (!kind.empty()) attribute += " " + kind;
  if (!occasion.empty()) attribute += fmt::format(" {}", occasion);
  for (const std::string_view cut :
       {" in the morning", " in the evening", " at work", " for work", " these days",
        " while working", " at the moment", " now", " for breakfast", " when working", " now"}) {
    if (const auto at = text.find(cut); at != text.npos && at > 0) text.resize(at);
  }
  Claim* claim =
      Add(owner, attribute, std::move(text), former ? ClaimKind::kFormer : ClaimKind::kHolds, 0.95);
  if (claim != nullptr) claim->change |= change;
}

bool EnglishReader::Favourite(const Subject& owner, std::size_t i) {
  std::size_t at = i;
  bool change = false, usual = false;
  for (; at < words_.size(); ++at) {
    const std::string& lower = Lower(at);
    if (lower == "new" || lower == "current") {
      change = lower == "new";
    } else if (lower == "all-time" || lower == "absolute" || lower == "very" || lower == "old") {
      if (lower == "old") return false;
    } else {
      break;
    }
  }
  const std::string& lead = Lower(at);
  usual = lead == "go-to" || lead == "usual" || lead == "preferred" || lead == "regular";
  std::size_t begin = at + 1;
  if (lead != "favourite" && lead != "favorite" && !usual) {
    // "my music for work", "my morning drink"
    static constexpr std::string_view kKinds[] = {"music",  "drink",    "breakfast",  "lunch",
                                                  "coffee", "playlist", "soundtrack", "beverage"};
    const bool kind =
        Has(kKinds, lead) || (!OccasionOf(lead).empty() && Has(kKinds, Lower(at + 1)));
    if (!kind) return false;
    begin = at;
    usual = true;
  }
  std::size_t verb = begin;
  while (verb < words_.size() && verb < begin + 8 && Lower(verb) != "is" && Lower(verb) != "are" &&
         Lower(verb) != "was" && Lower(verb) != "has" && Lower(verb) != "used" &&
         Lower(verb) != "changed" && !words_[verb].stop)
    ++verb;
  // "my favourite singer's new song": of another thing.
  for (std::size_t j = begin; j < verb; ++j) {
    if (Lower(j) == "'s") return false;
  }
  const std::string what = value_.Text(begin, verb);
  if (what.starts_with("part") || what.starts_with("thing") || what.starts_with("one"))
    return false;
  // "My music for work is …" only of an occasion: "my coffee is cold".
  if (usual && lead != "go-to" && OccasionOf(ToLowerUtf8(what)).empty()) return false;
  bool former = false;
  std::size_t value = ToValue(verb, &former, &change);
  if (value == kNone) return false;
  while (Has(kAdverbs, Lower(value)) || Lower(value) == "to") ++value;
  static constexpr std::string_view kNoValue[] = {
      "on",   "in",   "at",  "not",  "that", "when",  "to",   "closed", "sold",
      "gone", "open", "out", "cold", "good", "great", "very", "too",    "coming"};
  if (Has(kNoValue, Lower(value)) || Has(words::kPronouns, Lower(value))) return false;
  const EnglishValue noun = value_.Noun(value);
  if (noun.text.empty()) return false;
  // "Our favourite dog is Max": read elsewhere as it is.
  KeepFavourite(owner, what, noun.text, former, change);
  return true;
}

bool EnglishReader::BestLiked(std::size_t i) {
  // "I like Dune best of all books", "Of all restaurants I like Casa Verde best"
  if (Lower(i) == "i") {
    std::size_t at = i + 1;
    while (Has(kAdverbs, Lower(at))) ++at;
    if ((Lower(at) == "like" || Lower(at) == "love") && IsFirm(i)) {
      for (std::size_t best = at + 2; best < words_.size() && best < at + 9; ++best) {
        if (words_[best].stop && Lower(best) != "&") break;
        if (Lower(best) != "best" && Lower(best) != "most") continue;
        std::string what;
        for (std::size_t of = 0; of + 2 < words_.size(); ++of) {
          if (Lower(of) == "of" && (Lower(of + 1) == "all" || Lower(of + 1) == "the")) {
            std::size_t noun = of + 2;
            if (Lower(noun) == "the" || Lower(noun) == "our") ++noun;
            what = Lower(noun);
          }
        }
        if (what.size() > 3 && what.ends_with('s')) what.pop_back();
        if (what.empty()) {
          // "I like tea best."
          return Add(Self(), "likes", value_.Text(at + 1, best), ClaimKind::kHolds, 0.9) != nullptr;
        }
        KeepFavourite(Self(), what, value_.Text(at + 1, best), false, true);
        return true;
      }
    }
  }
  // "Green tea is my favourite drink these days."
  for (std::size_t be = i + 1; be < words_.size() && be < i + 7; ++be) {
    if (words_[be].stop && Lower(be) != "&") break;
    if (Lower(be) != "is" && Lower(be) != "are" && Lower(be) != "became" && Lower(be) != "become")
      continue;
    std::size_t at = be + 1;
    while (Has(kAdverbs, Lower(at))) ++at;
    if (Lower(at) != "my" && Lower(at) != "our") return false;
    ++at;
    bool change = Lower(at) == "new";
    if (change || Lower(at) == "current") ++at;
    std::size_t from = i, to = be;
    while (from < to && (Has(kLeads, Lower(from)) || words_[from].stop)) ++from;
    while (to > from && (Lower(to - 1) == "has" || Has(kAdverbs, Lower(to - 1)))) --to;
    if (from >= to || Has(words::kPronouns, Lower(from)) || Has(kAdverbs, Lower(from)) ||
        !IsFirm(be))
      return false;
    if (Lower(at) == "favourite" || Lower(at) == "favorite" || Lower(at) == "go-to") {
      const EnglishValue what = value_.Noun(at + 1, 4);
      if (what.text.empty()) return false;
      std::string kind = what.text;
      for (const std::string_view cut : {" these", " now", " of all", " at the moment"}) {
        if (const auto end = kind.find(cut); end != kind.npos) kind.resize(end);
      }
      const EnglishValue noun = value_.Noun(from);
      if (noun.text.empty() || noun.end > be) return false;
      KeepFavourite(Self(), kind, noun.text, false, true);
      return true;
    }
    std::size_t end = 0;
    const DailyState* state = StateNamed(at, &end);
    if (state == nullptr || (!IsPersonState(*state) && state->value != StateValue::kOrganisation) ||
        !value_.IsNameAt(from))
      return false;
    if (end < words_.size() && !words_[end].stop && !Has(kHoldsUntil, Lower(end))) return false;
    return Add(Self(), state->attribute, value_.Text(from, to), ClaimKind::kHolds) != nullptr;
  }
  return false;
}

bool EnglishReader::BestTime(const Subject& owner, std::size_t i) {
  std::size_t at = i;
  while (Has(kFresh, Lower(at)) || Lower(at) == "a") ++at;
  std::size_t best = at;
  static constexpr std::string_view kBest[] = {"best", "pb", "record", "fastest", "personal"};
  while (best < words_.size() && best < at + 5 && !words_[best].stop && !Has(kBest, Lower(best)) &&
         Lower(best) != "is")
    ++best;
  if (!Has(kBest, Lower(best))) return false;
  const std::string clause = ToLowerUtf8(value_.Text(i, std::min(words_.size(), best + 12)));
  const std::string distance = DistanceOf(clause);
  if (distance.empty() || !IsFirm(i)) return false;
  for (std::size_t to = best + 1; to < words_.size() && to < best + 12; ++to) {
    if (Lower(to) != "is" && Lower(to) != ":" && Lower(to) != "was" && Lower(to) != "in" &&
        Lower(to) != "with" && Lower(to) != "," && Lower(to) != "at" && Lower(to) != "stands")
      continue;
    const EnglishValue time = Clock(to + 1);
    if (time.text.empty()) continue;
    Claim* claim =
        Add(owner, fmt::format("best time over {}", distance), time.text, ClaimKind::kHolds, 0.95);
    if (claim != nullptr) claim->change = true;
    return true;
  }
  return false;
}

bool EnglishReader::Price(const Subject& owner, std::size_t i, bool owned) {
  static constexpr std::string_view kPaidFor[] = {
      "subscription", "membership", "plan",    "contract", "pass",
      "insurance",    "tariff",     "licence", "license",  "storage"};
  std::size_t verb = i;
  bool known = false;
  while (verb < words_.size() && verb < i + 5 && !words_[verb].stop && Lower(verb) != "is" &&
         Lower(verb) != "costs" && Lower(verb) != "cost" && !Has(kAdverbs, Lower(verb))) {
    known |= Has(kPaidFor, Lower(verb));
    ++verb;
  }
  if (verb == i || (owned && !known) || Lower(i) == "favourite") return false;
  const std::size_t end = verb;
  while (Has(kAdverbs, Lower(verb))) ++verb;
  const bool costs = Lower(verb) == "costs" || Lower(verb) == "cost";
  if (!costs && !(known && Lower(verb) == "is")) return false;
  std::size_t at = verb + 1;
  const bool me = Lower(at) == "me" || Lower(at) == "us";
  if (me) ++at;
  if (!owned && !me) return false;
  while (Has(kAdverbs, Lower(at)) || Lower(at) == "up" || Lower(at) == "to") ++at;
  bool periodic = false;
  const EnglishValue money = Money(at, &periodic);
  if (money.text.empty() || !periodic || !IsFirm(i)) return false;
  return Add(owner, fmt::format("price of {}", value_.Text(i, end)), money.text,
             ClaimKind::kHolds) != nullptr;
}

void EnglishReader::ReadMoney(const Hit& hit) {
  bool periodic = false;
  std::size_t at = hit.at;
  while (Lower(at) == ":" || Lower(at) == "," || Lower(at) == "to") ++at;
  const EnglishValue money = Money(at, &periodic);
  if (money.text.empty()) return;
  // "make 20 a day from my blog" is as well an income; "make 50 cakes a day" is none.
  if (hit.rule.value == Value::kPeriodic && !periodic) return;
  if (money.end < words_.size() && !words_[money.end].stop && !periodic &&
      SmallNumber(money.text) >= 0)
    return;  // "earned 12 points"
  Add(hit.subject, hit.rule.attribute, money.text, hit.kind);
}

void EnglishReader::ReadPaid(const Hit& hit) {
  std::size_t at = hit.at;
  // "pay a rent of 900"
  const bool rent_first = Lower(at) == "rent" || Lower(at + 1) == "rent";
  while (Lower(at) == "a" || Lower(at) == "rent" || Lower(at) == "of" || Lower(at) == ":" ||
         Lower(at) == "our" || Lower(at) == "my")
    ++at;
  bool periodic = false;
  const EnglishValue money = Money(at, &periodic);
  if (money.text.empty()) return;
  bool rent = rent_first;
  std::size_t of = money.end;
  for (std::size_t j = money.end; j < words_.size() && j < money.end + 6; ++j) {
    if (Lower(j) == "rent") rent = true;
  }
  const std::string lower = ToLowerUtf8(sentence_);
  if (!rent && periodic && Lower(of) != "for") rent = FindWord(lower, "rent") != lower.npos;
  if (rent) {
    Add(hit.subject, "rent", money.text, hit.kind);
    return;
  }
  if (Lower(of) != "for" || !periodic) return;
  const EnglishValue what = value_.Noun(of + 1, 4);
  static constexpr std::string_view kHomes[] = {"flat",  "apartment", "room",
                                                "house", "place",     "studio"};
  for (const std::string_view home : kHomes) {
    if (FindWord(ToLowerUtf8(what.text), home) != std::string::npos) {
      Add(hit.subject, "rent", money.text, hit.kind, 0.9);
      return;
    }
  }
  if (!what.text.empty()) {
    Add(hit.subject, fmt::format("price of {}", what.text), money.text, hit.kind, 0.9);
  }
}

void EnglishReader::ReadAddress(const Hit& hit) {
  const EnglishValue value = StateText(*DailyStateOf("address"), hit.at);
  // "live at 30 degrees", "moved to Berlin in 2021": the number stands beside the street's name.
  bool beside = false;
  for (std::size_t i = hit.at; i < hit.at + 4 && i < words_.size(); ++i) {
    if (words_[i].stop) break;
    if (!IsDigit(Lower(i)[0])) continue;
    beside |= value_.IsNameAt(i + 1) ||
              (i > hit.at && value_.IsNameAt(i - 1) && value_.Date(i - 1).text.empty());
  }
  if (!value.text.empty() && beside) Add(hit.subject, "address", value.text, hit.kind);
}

void EnglishReader::ReadWay(const Hit& hit) {
  if (hit.rule.value == Value::kWayVerb) {
    Add(hit.subject, "commute", Lower(hit.verb), hit.kind, 0.95);
    return;
  }
  const EnglishValue way = Way(hit.at);
  if (!way.text.empty()) Add(hit.subject, "commute", way.text, hit.kind);
}

void EnglishReader::ReadTakes(const Hit& hit) {
  // "take the 42 bus to the office"
  for (std::size_t to = hit.at + 1; to + 1 < words_.size() && to < hit.at + 8; ++to) {
    if (words_[to].stop && Lower(to) != ":") return;
    if (Lower(to) != "to") continue;
    std::size_t place = to + 1;
    if (Lower(place) == "the" || Lower(place) == "my") ++place;
    if (Lower(place) != "work" && Lower(place) != "office") return;
    const EnglishValue way = Way(hit.at);
    if (!way.text.empty()) Add(hit.subject, "commute", way.text, hit.kind);
    return;
  }
}

void EnglishReader::ReadCount(const Hit& hit) {
  const EnglishValue count = Count(hit.at);
  if (count.text.empty()) return;
  const bool team = hit.rule.pattern.find("team") != std::string_view::npos;
  const std::string& noun = Lower(count.end);
  const bool people = noun == "people" || noun == "persons" || noun == "engineers" ||
                      noun == "employees" || noun == "colleagues";
  // "lead two projects"
  if (team ? !(count.end >= words_.size() || words_[count.end].stop || people || noun == "now")
           : !people)
    return;
  Add(hit.subject, "team size", count.text, hit.kind);
}

void EnglishReader::ReadNamed(const Hit& hit) {
  std::size_t at = hit.at;
  if (Lower(at) == "the" && value_.IsNameAt(at + 1)) ++at;
  if (!value_.IsNameAt(at)) return;
  EnglishValue org = value_.Organisation(at);
  std::string lower = ToLowerUtf8(org.text);
  std::string_view attribute = hit.rule.attribute;
  if (attribute == "employer" &&
      (lower.find("univers") != lower.npos || lower.find("college") != lower.npos ||
       lower.find("school") != lower.npos))
    attribute = "school";
  Add(hit.subject, attribute, org.text, hit.kind, 0.95);
}

void EnglishReader::ReadBelongs(const Hit& hit) {
  if (!value_.IsNameAt(hit.at)) return;
  const std::string lower = ToLowerUtf8(sentence_);
  const auto says = [&](std::string_view word) { return FindWord(lower, word) != lower.npos; };
  // "I'm at Corvid now" may be a café, but not where jobs are spoken of.
  const bool job = says("job") || says("jobs") || says("quit") || says("company") || says("work") ||
                   says("employer") || says("career") || says("hired");
  const bool lasting =
      hit.flags.perfect && Lower(hit.verb) == "with" && (says("since") || says("for"));
  if (!job && !lasting) return;
  const EnglishValue org = value_.Organisation(hit.at);
  if (!org.text.empty()) Add(hit.subject, "employer", org.text, hit.kind, 0.85);
}

void EnglishReader::ReadNewState(const Hit& hit) {
  std::size_t end = 0;
  std::size_t at = hit.at;
  const bool changed = hit.rule.value == Value::kChanged;
  const bool jobs = Lower(at) == "jobs" || Lower(at) == "job";
  const DailyState* state = StateNamed(at, &end);
  if (jobs) state = DailyStateOf("employer"), end = at + 1;
  if (state == nullptr) {
    // "I have changed my work music: string quartets now"
    if (!changed || OccasionOf(Lower(at)).empty()) return;
    end = at + 2;
    while (Lower(end) == ":" || Lower(end) == "to" || Lower(end) == ",") ++end;
    const EnglishValue noun = value_.Noun(end);
    if (!noun.text.empty()) {
      KeepFavourite(hit.subject, value_.Text(at, at + 2), noun.text, false, true);
    }
    return;
  }
  // Over "at home", "of our front door", "to", ":", "and now go to", up to what may be the value.
  static constexpr std::string_view kOver[] = {
      "to",    ":",        ",",       "-",     "—",      ";",         "it",    "is",   "i",
      "am",    "we",       "are",     "now",   "and",    "at",        "with",  "the",  "my",
      "new",   "one",      "our",     "go",    "train",  "called",    "named", "home", "of",
      "for",   "front",    "door",    "flat",  "number", "code",      "this",  "time", "as",
      "name",  "last",     "week",    "month", "today",  "yesterday", "in",    "his",  "her",
      "whose", "employer", "company", "'s",    "firm",   "works",     "work"};
  for (std::size_t value = end; value < words_.size() && value < end + 10; ++value) {
    const bool ready = !Has(kOver, Lower(value)) || words_[value].capital;
    if (ready) {
      const EnglishValue text = StateText(*state, value);
      if (text.text.empty()) return;
      // "changed my address at work": nothing new is told.
      Add(hit.subject, state->attribute, text.text, ClaimKind::kHolds);
      return;
    }
  }
}

void EnglishReader::ReadTimed(const Hit& hit) {
  const std::string lower = ToLowerUtf8(sentence_);
  bool best = false;
  for (const std::string_view word : {"best", "record", "pb", "faster than ever", "fastest",
                                      "personal best", "faster than before"}) {
    best |= FindWord(lower, word) != lower.npos;
  }
  if (!best) return;
  for (std::size_t in = hit.at; in < words_.size() && in < hit.at + 8; ++in) {
    if (Lower(in) != "in") continue;
    const EnglishValue time = Clock(in + 1);
    const std::string distance = DistanceOf(ToLowerUtf8(value_.Text(hit.at, in)));
    if (time.text.empty() || distance.empty()) continue;
    Add(hit.subject, fmt::format("best time over {}", distance), time.text, ClaimKind::kHolds);
    return;
  }
}

void EnglishReader::ReadListen(const Hit& hit) {
  if (hit.flags.negated || hit.flags.past || hit.flags.former) return;
  const std::string lower = ToLowerUtf8(sentence_);
  const std::string_view occasion = OccasionOf(lower);
  if (occasion.empty()) return;
  const EnglishValue noun = value_.Noun(hit.at);
  if (noun.text.empty() || Has(kBadLikes, Lower(hit.at))) {
    if (noun.text.empty() || (Lower(hit.at) != "a" && Lower(hit.at) != "an")) return;
  }
  const bool listens = lower.find("listen") != lower.npos;
  if (!listens && Lower(hit.at) == "to") return;
  KeepFavourite(hit.subject, fmt::format("{}{}", listens ? "music " : "", occasion), noun.text,
                false, true);
  if (!listens) LikeList(hit.subject, "likes", hit.at, ClaimKind::kHolds);
}

void EnglishReader::ReadTired(const Hit& hit) {
  if (Has(kBadLikes, Lower(hit.at))) return;
  for (std::string& item : value_.List(hit.at)) {
    Add(hit.subject, "likes", std::move(item), ClaimKind::kEnded, 0.9);
  }
}

}  // namespace liubai::memory
