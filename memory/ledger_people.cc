// Names in lower case that no list needs to hold: a word that English does not have, or a given
// name that is a word too, where a name stands: behind "ask", "my cousin", "dr", before "said".
#include <algorithm>
#include <utility>

#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/lexicon.h"

namespace liubai::memory {

using words::Has;

namespace {

constexpr std::string_view kLowerTitles[] = {
    "mr",        "mrs",    "ms",       "miss",    "dr",     "doc",       "prof",
    "professor", "uncle",  "aunt",     "aunty",   "nana",   "nonna",     "grandma",
    "grandpa",   "auntie", "coach",    "captain", "capt",   "sgt",       "sir",
    "madame",    "lil",    "monsieur", "senor",   "senora", "signor",    "signora",
    "frau",      "herr",   "rabbi",    "imam",    "sheikh", "detective", "officer",
    "judge",     "mama",   "papa",     "baba",    "oga",    "tita",      "tito",
    "didi",      "bhai",   "abuela",   "abuelo",  "oma",    "opa",       "pastor"};
// Only a person follows these.
constexpr std::string_view kPersonCues[] = {
    "ask",        "asked",      "asking",      "tell",        "told",         "telling",
    "text",       "texted",     "ping",        "pinged",      "remind",       "reminded",
    "thank",      "invite",     "invited",     "hug",         "hi",           "hey",
    "hello",      "dear",       "dearest",     "lil",         "poor",         "cousin",
    "brother",    "bro",        "sister",      "sis",         "friend",       "mate",
    "buddy",      "pal",        "boss",        "manager",     "colleague",    "coworker",
    "neighbour",  "neighbor",   "roommate",    "flatmate",    "housemate",    "classmate",
    "teammate",   "girlfriend", "boyfriend",   "gf",          "bf",           "fiance",
    "fiancee",    "husband",    "wife",        "hubby",       "partner",      "ex",
    "son",        "daughter",   "nephew",      "niece",       "grandson",     "granddaughter",
    "godson",     "stepson",    "law",         "guy",         "bloke",        "dude",
    "lad",        "landlord",   "landlady",    "teacher",     "tutor",        "professor",
    "therapist",  "physio",     "dentist",     "doctor",      "nurse",        "vet",
    "intern",     "recruiter",  "plumber",     "electrician", "mechanic",     "nanny",
    "babysitter", "accountant", "lawyer",      "trainer",     "instructor",   "supervisor",
    "assistant",  "named",      "nicknamed",   "mentor",      "bestie",       "gran",
    "nan",        "grandad",    "granddad",    "stepdad",     "stepmum",      "stepmom",
    "godmother",  "godfather",  "childminder", "gp",          "consultant",   "surgeon",
    "builder",    "gardener",   "cleaner",     "barber",      "hairdresser",  "stylist",
    "tenant",     "lodger",     "client",      "patient",     "flatmates",    "crush",
    "rival",      "captain",    "keeper",      "striker",     "drummer",      "bassist",
    "singer",     "guitarist",  "dj",          "hugged",      "congratulate", "congrats"};
// A name of any kind follows these, where what follows is no word.
constexpr std::string_view kNameCues[] = {
    "with",       "from",     "to",       "by",        "for",         "at",       "on",
    "in",         "near",     "via",      "using",     "through",     "under",    "call",
    "called",     "calling",  "email",    "emailed",   "message",     "messaged", "met",
    "meet",       "meeting",  "saw",      "see",       "seen",        "visit",    "visited",
    "visiting",   "join",     "joined",   "miss",      "missed",      "love",     "like",
    "hate",       "hired",    "fired",    "paid",      "owe",         "owed",     "lent",
    "gave",       "give",     "helped",   "help",      "thanks",      "think",    "said",
    "says",       "about",    "without",  "than",      "except",      "it's",     "its",
    "im",         "i'm",      "old",      "little",    "big",         "young",    "when",
    "if",         "that",     "because",  "coz",       "cos",         "but",      "so",
    "apparently", "lol",      "is",       "was",       "does",        "did",      "has",
    "can",        "will",     "let",      "make",      "of",          "where's",  "how's",
    "who's",      "what's",   "new",      "buy",       "bought",      "use",      "used",
    "try",        "tried",    "download", "installed", "install",     "watching", "watched",
    "reading",    "between",  "w",        "n",         "and",         "vs",       "finished",
    "started",    "playing",  "played",   "streaming", "binged",      "bingeing", "rewatching",
    "ordered",    "ordering", "driving",  "drives",    "wearing",     "wears",    "visiting",
    "supporting", "hi",       "play",     "watch",     "read",        "rang",     "ring",
    "dm",         "dmed",     "hosted",   "hosting",   "recommended", "babysat",  "babysitting",
    "or",         "onto",     "outside"};
constexpr std::string_view kArticles[] = {"the",  "a",   "an",    "this", "these", "those",
                                          "some", "any", "every", "no",   "my",    "your",
                                          "his",  "her", "our",   "their"};
constexpr std::string_view kBeings[] = {
    "is",    "was",    "has",     "had",   "will",    "can",    "can't",  "cant",
    "isn't", "wasn't", "hasn't",  "won't", "would",   "could",  "should", "got",
    "gets",  "just",   "never",   "still", "doesn't", "doesnt", "didn't", "didnt",
    "needs", "made",   "already", "also",  "always",  "took",   "does"};

bool IsLetters(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) {
    return IsAsciiLetter(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80;
  });
}

// Short forms of no word have no vowel or say nothing: "tbf", "kg".
bool HasVowel(std::string_view word) {
  return word.find_first_of("aeiouy") != word.npos ||
         std::any_of(word.begin(), word.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

// Looks made of an English word, if wrongly written: "definitly", "borked".
bool LooksDerived(std::string_view word) {
  static constexpr std::string_view kEnds[] = {"ing",  "tion",  "ment", "ness", "able", "ible",
                                               "ful",  "less",  "ally", "ized", "ised", "izing",
                                               "tely", "ology", "ship", "ism",  "ings", "ities"};
  if (word.size() > 5 && (word.ends_with("ed") || word.ends_with("ly"))) return true;
  return std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) {
    return word.size() > end.size() + 2 && word.ends_with(end);
  });
}

// "ravi's", which ends at `end`: "ravi", and where that ends.
std::pair<std::string, std::size_t> WithoutPossessive(std::string word, std::size_t end) {
  if (word.ends_with("'s")) word.resize(word.size() - 2), end -= 2;
  return {std::move(word), end};
}

}  // namespace

bool IsUnknownWord(std::string_view lower) {
  return lower.size() >= 3 && IsLetters(lower) && HasVowel(lower) && !IsEnglishWord(lower) &&
         !IsTalkWord(lower) && !Has(words::kUnits, lower) && !Has(words::kNotNames, lower) &&
         !Has(words::kWeekdays, lower) && !Has(words::kMonths, lower) &&
         !Has(words::kCurrencyWords, lower) && !LooksDerived(lower);
}

// Past the words in lower case that go on with the name ending at `end`: "ravi subramaniam".
std::size_t DetailScanner::FamilyAfter(std::size_t end) const {
  if (at(end) != ' ') return end;
  const auto [word, word_end] = WordAt(end);
  const auto [bare, stop] = WithoutPossessive(word, word_end);
  const bool name = (IsUnknownWord(bare) || IsGivenName(bare)) && !IsDeed(bare) &&
                    !Has(kBeings, bare) && !Has(kNameCues, bare);
  return !IsUpper(at(end + 1)) && name && at(word_end) != '-' ? stop : end;
}

// "dr patel", "uncle kwame": a title in lower case and the name behind it.
std::size_t DetailScanner::LowerTitled(std::size_t i) const {
  const std::size_t title_end = WordEnd(i);
  if (!Has(kLowerTitles, Lower(i, title_end))) return i;
  std::size_t j = title_end;
  if (at(j) == '.') ++j;
  if (at(j) != ' ' || !IsLetter(at(j + 1))) return i;
  const auto [word, word_end] = WordAt(j);
  const auto [bare, stop] = WithoutPossessive(word, word_end);
  // Behind these any word is a name: "mr tanner"; "miss tanner's" is hers.
  static constexpr std::string_view kSure[] = {"mr", "mrs", "ms", "dr", "prof", "signor", "herr"};
  const std::string title = Lower(i, title_end);
  const bool plain = Has(words::kNotNames, bare) || IsDeed(bare) || Has(kBeings, bare) ||
                     Has(kArticles, bare) || IsTalkWord(bare);
  const bool sure = (Has(kSure, title) || (title == "miss" && stop != word_end)) && !plain;
  const bool name = ((IsGivenName(bare) || IsUnknownWord(bare)) && !IsDeed(bare)) || sure ||
                    (IsUpper(at(j + 1)) && !IsEnglishWord(bare));
  return name && bare.size() > 1 ? FamilyAfter(stop) : i;
}

// A name at `i` by the words around it; 0 where they say nothing.
std::size_t DetailScanner::LowerByContext(std::size_t i) const {
  const std::size_t whole = WordEnd(i);
  if (at(i - 1) == '-' || at(whole) == '-' || at(whole) == '_' || at(whole) == '@' ||
      at(i - 1) == '/')
    return i;
  if (at(whole) == '.' && IsAsciiWord(at(whole + 1))) return i;
  const auto [word, end] = WithoutPossessive(Lower(i, whole), whole);
  const bool possessive = end != whole;
  const bool unknown = IsUnknownWord(word);
  // "works at shell": a brand that is a word too, where nothing follows it.
  static constexpr std::string_view kWithBrands[] = {"on", "via", "using", "at", "through", "from"};
  if (IsListedBrand(word) && Has(kWithBrands, WordBefore(i)) && !possessive) {
    const std::string follower = WordAt(whole).first;
    if (ClauseEndsAt(whole) || follower == "and" || follower == "for" || follower == "but")
      return end;
  }
  static constexpr std::string_view kKin[] = {"auntie", "aunty", "mama", "papa", "nana", "baba"};
  const bool given = IsGivenName(word) && !Has(kKin, word) && !IsDeed(word) &&
                     !Has(words::kNotNames, word) && !Has(kPersonCues, word);
  if ((!unknown && !given) || Has(kKin, word)) return i;
  const std::string before = CueBefore(i);
  if (Has(kPersonCues, before)) {
    // "my friend grace", but "ask will you come"
    if (unknown) return FamilyAfter(end);
    static constexpr std::string_view kAsked[] = {"you", "i", "we"};
    return Has(kAsked, WordAt(whole).first) ? i : FamilyAfter(end);
  }
  const bool led = Has(kArticles, before);
  if (!led && (IsDeed(WordAt(whole).first) || (given && possessive)) &&
      (unknown || ClauseOpensAt(i)))
    return FamilyAfter(end);
  if (!unknown) return i;
  // "the hendersons"
  if (before == "the" && word.ends_with("s") && !possessive && word.size() > 4 &&
      !word.ends_with("ss") && !IsEnglishWord(word.substr(0, word.size() - 1)))
    return end;
  if (possessive && !led) return end;
  // "bar miro"
  static constexpr std::string_view kVenues[] = {"bar",   "cafe", "café",   "hotel",   "restaurant",
                                                 "villa", "casa", "studio", "project", "team"};
  if (Has(kVenues, before)) return end;
  // "her first dog, bijou"
  std::size_t comma = i;
  while (comma > 0 && at(comma - 1) == ' ') --comma;
  if (comma > 0 && at(comma - 1) == ',' && ClauseEndsAt(whole)) {
    const std::string whose = WordBefore(comma - 1);
    if (Has(kPersonCues, whose) || whose == "dog" || whose == "cat" || whose == "puppy" ||
        whose == "kitten" || whose == "baby")
      return end;
  }
  if (Has(kNameCues, before)) return FamilyAfter(end);
  // "biscuit and noor", "noor and biscuit"
  const bool beside = !details_.empty() && details_.back().kind == DetailKind::kName &&
                      offset_[i] <= details_.back().end + 5;
  if (beside && (before == "and" || at(i - 2) == ',' || at(i - 2) == '&')) return FamilyAfter(end);
  const bool opens = ClauseOpensAt(i) || before == "and" || before == "then";
  return opens && Has(kBeings, WordAt(whole).first) ? end : i;
}

// The word before `i`; "w/" is "with".
std::string DetailScanner::CueBefore(std::size_t i) const {
  while (i > 0 && at(i - 1) == ' ') --i;
  if (i >= 2 && at(i - 1) == '/' && (at(i - 2) | 32) == 'w') return "with";
  return WordBefore(i);
}

// Nothing of a clause stands before `i`.
bool DetailScanner::ClauseOpensAt(std::size_t i) const {
  while (i > 0 && at(i - 1) == ' ') --i;
  return i == 0 || ClauseEndsAt(i - 1) || at(i - 1) == ':' || at(i - 1) == '(' || at(i - 1) == '*';
}

// "on canal street"
std::size_t DetailScanner::LowerStreet(std::size_t i) const {
  static constexpr std::string_view kStreets[] = {
      "street",  "avenue", "boulevard", "lane",    "road", "grove", "crescent",
      "terrace", "mews",   "ave",       "gardens", "rd",   "blvd"};
  static constexpr std::string_view kParks[] = {"park",   "station", "airport", "beach",
                                                "square", "bridge",  "hill",    "island"};
  static constexpr std::string_view kAt[] = {"on",    "to",      "in",   "off",    "at",
                                             "near",  "from",    "down", "around", "past",
                                             "along", "outside", "via"};
  static constexpr std::string_view kAny[] = {"main",      "side",  "back",  "dirt",  "front",
                                              "botanical", "busy",  "same",  "high",  "cobbled",
                                              "narrow",    "quiet", "wrong", "memory"};
  const std::size_t first = WordEnd(i);
  if (!Has(kAt, WordBefore(i)) || at(first) != ' ') return i;
  const std::string word = Lower(i, first);
  const auto [street, end] = WordAt(first);
  const bool park = Has(kParks, street) && (IsUnknownWord(word) || IsGivenName(word));
  if ((!Has(kStreets, street) && !park) || word.size() < 3 || Has(kArticles, word) ||
      Has(kAny, word) || Has(words::kNotNames, word))
    return i;
  return end;
}

// Before a name in lower case that only its context tells.
std::size_t DetailScanner::LowerPerson(std::size_t i) {
  if (const std::size_t end = LowerTitled(i); end > i) return Add(DetailKind::kName, i, end);
  if (const std::size_t end = LowerStreet(i); end > i) return Add(DetailKind::kPlace, i, end);
  const std::size_t end = LowerByContext(i);
  if (end == i) return i;
  const DetailKind kind = NameKind(i, end);
  const bool whose = at(end) == '\'';
  return Add(whose || Has(kPersonCues, WordBefore(i)) ? DetailKind::kName : kind, i, end);
}

}  // namespace liubai::memory
