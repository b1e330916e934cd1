// Names of people, things and places in Latin letters: capitalised words.
#include <algorithm>

#include "memory/ledger_gazetteer.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/lexicon.h"

namespace liubai::memory {

using words::Has;

namespace {

// Places that are other words or people's names too: they need a preposition.
constexpr std::string_view kAmbiguousPlaces[] = {
    "nice",   "reading", "split",   "bath",      "cork",    "turkey",  "florence",  "phoenix",
    "darwin", "sofia",   "austin",  "paris",     "dallas",  "sydney",  "charlotte", "adelaide",
    "york",   "kent",    "houston", "chile",     "china",   "georgia", "jordan",    "victoria",
    "dover",  "perth",   "lima",    "cleveland", "lincoln", "devon",   "alps"};
constexpr std::string_view kPlacePrepositions[] = {
    "in",        "to",     "from",    "near",    "via",     "through",  "around", "across",
    "leave",     "leaves", "leaving", "visit",   "visited", "visiting", "reach",  "reached",
    "departing", "of",     "between", "outside", "towards", "toward",   "for",    "at"};
constexpr std::string_view kMotions[] = {
    "move",       "moved",       "moving",    "fly",       "flew",    "flying", "flight",
    "flights",    "drive",       "drove",     "driving",   "trip",    "travel", "travelled",
    "traveled",   "travelling",  "train",     "bus",       "ferry",   "go",     "goes",
    "going",      "went",        "gone",      "come",      "comes",   "came",   "coming",
    "arrive",     "arrived",     "return",    "returned",  "back",    "road",   "way",
    "tour",       "transferred", "relocated", "emigrated", "miles",   "km",     "kilometres",
    "kilometers", "minutes",     "hours",     "tickets",   "ticket",  "sailed", "hiked",
    "cycled",     "originally",  "got",       "getting",   "stop",    "stops",  "stopped",
    "landed",     "left",        "ride",      "transfer",  "changed", "sail",   "cruise",
    "stuck",      "stranded",    "walked",    "ran",       "cycle",   "taxi",   "cab",
    "lift",       "coach",       "delivered", "shipped",   "commute", "detour", "okada"};
// Capitalised, and in these nobody lives.
constexpr std::string_view kTools[] = {
    "ios",        "android", "ubuntu",     "debian",     "fedora",     "macos",    "node",
    "django",     "angular", "cuda",       "gcc",        "clang",      "cmake",    "php",
    "perl",       "scala",   "docker",     "python",     "java",       "excel",    "rust",
    "git",        "linux",   "windows",    "slack",      "kubernetes", "postgres", "javascript",
    "typescript", "word",    "powerpoint", "photoshop",  "github",     "google",   "netflix",
    "spotify",    "zoom",    "teams",      "outlook",    "ruby",       "swift",    "kotlin",
    "react",      "vim",     "chrome",     "firefox",    "safari",     "ipados",   "watchos",
    "mysql",      "nginx",   "redis",      "postgresql", "numpy",      "pytorch",  "tensorflow",
    "pandas",     "kafka",   "spark",      "maven",      "gradle",     "npm",      "webpack",
    "vue",        "laravel", "rails",      "julia",      "haskell",    "elixir",   "xcode",
    "blender"};
constexpr std::string_view kDirections[] = {"north",     "south",    "east",      "west",
                                            "upper",     "lower",    "northeast", "northwest",
                                            "southeast", "southwest"};
// Given names that are verbs or nouns as well.
constexpr std::string_view kVerbNames[] = {
    "will",    "mark",   "rob",  "sue",   "bill",  "frank", "grace", "rose",
    "dawn",    "violet", "ruby", "penny", "randy", "noel",  "roman", "hazel",
    "georgia", "regina", "jack", "may",   "jean",  "kelly", "max",   "ray",
    "scott",   "art",    "gene", "dean",  "faith", "hope",  "joy"};
// What only people do.
constexpr std::string_view kDeeds[] = {
    "said",      "says",       "told",       "tells",    "lives",       "lived",      "loves",
    "likes",     "hates",      "wants",      "wanted",   "asked",       "asks",       "thinks",
    "thought",   "prefers",    "bought",     "gave",     "gives",       "knows",      "knew",
    "teaches",   "taught",     "studies",    "studied",  "plays",       "played",     "works",
    "worked",    "called",     "calls",      "drove",    "drives",      "wrote",      "writes",
    "believes",  "hopes",      "hoped",      "agreed",   "promised",    "moved",      "went",
    "came",      "comes",      "retired",    "retires",  "married",     "died",       "invited",
    "suggested", "visited",    "arrived",    "left",     "joined",      "laughed",    "cried",
    "smiled",    "speaks",     "spoke",      "feels",    "felt",        "eats",       "drinks",
    "sings",     "enjoys",     "turned",     "turns",    "handles",     "picked",     "picks",
    "scored",    "helped",     "helps",      "cooked",   "baked",       "met",        "adores",
    "dislikes",  "used",       "lost",       "won",      "found",       "sent",       "sends",
    "brought",   "brings",     "refused",    "lent",     "broke",       "caught",     "grew",
    "flew",      "sold",       "built",      "held",     "hurt",        "chose",      "drew",
    "fell",      "hid",        "led",        "paid",     "put",         "rang",       "rode",
    "read",      "sang",       "sat",        "slept",    "stole",       "swam",       "threw",
    "woke",      "wore",       "cut",        "hit",      "bit",         "borrowed",   "reads",
    "wears",     "sleeps",     "cooks",      "paints",   "rides",       "borrows",    "earns",
    "manages",   "leads",      "travels",    "finished", "recommended", "recommends", "mentioned",
    "owes",      "owed",       "signed",     "texted",   "texts",       "emailed",    "hosts",
    "swears",    "claims",     "forgot",     "forgets",  "remembers",   "hopes",      "reckons",
    "insisted",  "apologised", "apologized", "quit",     "phoned",      "shouted",    "nodded",
    "shrugged",  "drank",      "ate",        "began",    "understood",  "spilled",    "spilt",
    "cancelled", "canceled",   "dropped",    "rents",    "rented",      "commutes",   "volunteers",
    "graduated", "snores",     "cheated",    "babysits", "celebrates",  "complained", "complains",
    "fixes",     "fixed",      "keeps",      "kept",     "lends",       "sells",      "pays",
    "drops",     "hates",      "leaves",     "lied",     "stopped",     "sounds",     "seems",
    "looks",     "looked",     "replied",    "answered", "insists"};
// What things do as well.
constexpr std::string_view kStates[] = {
    "is",     "was",     "has",     "had",     "will",  "can",     "would", "could",  "should",
    "starts", "started", "needs",   "needed",  "made",  "makes",   "got",   "gets",   "does",
    "did",    "isn't",   "wasn't",  "hasn't",  "can't", "doesn't", "won't", "didn't", "runs",
    "ran",    "took",    "takes",   "must",    "may",   "might",   "never", "always", "just",
    "still",  "also",    "already", "doesn’t", "can’t", "isn’t"};

// Inside a title these are capitals as well: "The Last of Us".
constexpr std::string_view kTitleWords[] = {
    "the",       "a",        "an",     "my",       "our",       "your",    "no",         "all",
    "last",      "first",    "new",    "old",      "good",      "best",    "never",      "always",
    "great",     "us",       "me",     "you",      "it",        "up",      "out",        "off",
    "in",        "on",       "of",     "to",       "and",       "for",     "with",       "this",
    "that",      "how",      "what",   "when",     "where",     "who",     "why",        "one",
    "two",       "three",    "once",   "every",    "next",      "night",   "home",       "god",
    "earth",     "spring",   "summer", "winter",   "autumn",    "room",    "half",       "step",
    "second",    "third",    "right",  "more",     "be",        "is",      "are",        "not",
    "from",      "by",       "at",     "his",      "her",       "their",   "everything", "nothing",
    "something", "nobody",   "today",  "tomorrow", "yesterday", "another", "other",      "english",
    "british",   "american", "french", "italian",  "good"};
// Behind a possessive these begin another part: "dinner at Gino's on Friday".
constexpr std::string_view kAfterVenue[] = {
    "on",    "in",        "at",      "for",      "with",  "and",     "near",  "next",  "by",
    "after", "before",    "tonight", "tomorrow", "is",    "was",     "this",  "last",  "or",
    "then",  "to",        "from",    "around",   "was",   "has",     "does",  "since", "but",
    "today", "yesterday", "until",   "because",  "again", "instead", "where", "which", "if"};
// Products whose number is a part of their name, and what follows it.
constexpr std::string_view kModelled[] = {
    "iphone",  "ipad",         "galaxy",    "pixel",  "kindle",     "playstation", "xbox",
    "macbook", "surface",      "thinkpad",  "gopro",  "hero",       "model",       "oneplus",
    "oculus",  "quest",        "fairphone", "redmi",  "golf",       "civic",       "mazda",
    "peugeot", "renault",      "polestar",  "garmin", "forerunner", "fenix",       "nintendo",
    "fifa",    "civilization", "diablo",    "zelda"};
constexpr std::string_view kModelEnds[] = {"pro", "max",  "plus", "mini", "ultra",
                                           "air", "lite", "se",   "gt",   "xl"};

bool EndsLikeNoun(std::string_view word) {
  static constexpr std::string_view kEnds[] = {"ing",  "ly",   "ed",   "tion", "ment", "ness",
                                               "ity",  "ance", "ence", "ism",  "ics",  "age",
                                               "ship", "ures", "ions", "ents", "ers",  "hood"};
  return std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](std::string_view end) { return word.ends_with(end); });
}

}  // namespace

bool IsDeed(std::string_view lower) { return Has(kDeeds, lower); }

bool IsTool(std::string_view name) { return Has(kTools, ToLowerUtf8(name)); }

bool DetailScanner::AtSentenceStart(std::size_t i) const {
  for (; i > 0; --i) {
    const std::int32_t c = at(i - 1);
    if (c == '"' || c == 0x201C || c == '(' || c == 0xAB || c == 0x2018) return true;
    if (c != ' ' && c != '\'' && c != '-' && c != '*') break;
  }
  if (i == 0) return true;
  const std::int32_t c = at(i - 1);
  if (c == '.') {  // "Dr. Chen" goes on.
    return !Has(words::kTitles, WordBefore(i - 1));
  }
  // Emoji and arrows begin anew what follows.
  const bool sign = c >= 0x2190 && !IsLetter(c) && !IsCjk(c);
  return sign || c == '!' || c == '?' || c == '\n' || c == ':' || c == 0x3002 || c == 0xFF01 ||
         c == 0xFF1F || c == ';' || c == '\r' || c == 0x2026 || c == '>' || c == '|' || c == '#';
}

// Two capitals and more, and nothing else.
bool DetailScanner::IsAcronym(std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) {
    if (!(at(i) >= 'A' && at(i) <= 'Z')) return false;
  }
  return end > begin + 1;
}

// Past a house number and its street: "48 Alder Lane", "9 Rue des Lilas", "5th Avenue".
std::size_t DetailScanner::StreetAfter(std::size_t i) const {
  std::size_t j = Digits(i, 5);
  if (j == i) return i;
  const std::string suffix = Lower(j, std::min(j + 2, size()));
  const bool ordinal = suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th";
  if (ordinal) j += 2;
  if (!ordinal && at(j) >= 'A' && at(j) <= 'Z' && at(j + 1) == ' ') ++j;  // "12B Mill Road"
  if (at(j) == ',' && at(j + 1) == ' ') ++j;
  if (at(j) != ' ') return i;
  const auto [first, first_end] = WordAt(j);
  const bool leads = Has(words::kPlaceStarts, first) && IsUpper(at(j + 1));
  std::size_t end = i;
  for (int words = 0; words < 5 && at(j) == ' '; ++words) {
    const auto [word, word_end] = WordAt(j);
    static constexpr std::string_view kLinks[] = {"de", "des", "du", "la", "del", "di", "of", "le"};
    const bool upper = IsUpper(at(j + 1));
    if (!upper && !(leads && Has(kLinks, word))) break;
    if (Has(words::kStreetEnds, word) && (words > 0 || ordinal)) end = word_end;
    if (leads && upper && words > 0) end = word_end;
    j = word_end;
    if (end == word_end) {
      const auto [side, side_end] = WordAt(j);
      if (Has(kDirections, side) && IsUpper(at(j + 1))) return side_end;
      if (!leads) return end;
    }
  }
  return end;
}

// The kind of the name [begin, end), by its words and by what stands before it.
DetailKind DetailScanner::NameKind(std::size_t begin, std::size_t end) const {
  const std::string text = Lower(begin, end);
  const auto last_blank = text.rfind(' ');
  const auto first_blank = text.find(' ');
  const std::string last = last_blank == text.npos ? text : text.substr(last_blank + 1);
  const std::string first = text.substr(0, first_blank);
  const std::string before = WordBefore(begin);
  if (last_blank != text.npos) {
    if (Has(words::kOrganisationEnds, last)) return DetailKind::kName;
    if (Has(words::kTitles, first) && first != "st") return DetailKind::kName;
    if (Has(words::kStreetEnds, last) || Has(words::kPlaceEnds, last)) return DetailKind::kPlace;
    if (Has(words::kPlaceStarts, first) || Has(kDirections, first)) return DetailKind::kPlace;
    if (Has(kDirections, last)) {
      const auto middle = text.rfind(' ', last_blank - 1);
      const auto from = middle == text.npos ? 0 : middle + 1;
      if (Has(words::kStreetEnds, text.substr(from, last_blank - from))) return DetailKind::kPlace;
    }
  }
  if (Has(words::kEnglishPlaces, text)) {
    const bool sure = !Has(kAmbiguousPlaces, text) && !IsGivenName(text);
    const bool after_place = !details_.empty() && details_.back().kind == DetailKind::kPlace &&
                             details_.back().end + 3 > offset_[begin];
    if (sure || after_place || Has(kPlacePrepositions, before)) return DetailKind::kPlace;
  }
  // "from Ojota to Ketu"
  if (before == "from" && WordAt(end).first == "to" &&
      IsUpper(at(SkipBlanks(WordAt(end).second))) && !IsBrand(first) && !Has(kTools, first) &&
      !IsGivenName(first))
    return DetailKind::kPlace;
  if (before == "to" && !details_.empty() && details_.back().kind == DetailKind::kPlace &&
      details_.back().end + 4 == offset_[begin])
    return DetailKind::kPlace;
  static constexpr std::string_view kGroups[] = {"class",      "team",    "house",  "group",
                                                 "department", "section", "class,", "form",
                                                 "squad",      "unit"};
  if (before == "in" && Has(kGroups, WordAt(end).first)) return DetailKind::kName;
  // "schooled in Jos": nobody is in a person.
  static constexpr std::string_view kTrust[] = {"believe",    "confide", "interested",
                                                "confidence", "trust",   "faith",
                                                "invest",     "shares",  "put"};
  if (before == "in" && !IsBrand(first) && !Has(kTools, first) && last_blank == text.npos &&
      begin > 3 && !Has(kTrust, WordBefore(begin - 3)))
    return DetailKind::kPlace;
  // "the Swindon depot", "a taxi to Panjim", "did not reach Ogbomoso"
  static constexpr std::string_view kSites[] = {"depot",   "suburb",   "suburbs", "airport",
                                                "station", "marathon", "ferry",   "campus",
                                                "market",  "junction"};
  if (before == "the" && Has(kSites, WordAt(end).first) && !IsBrand(first))
    return DetailKind::kPlace;
  if (before == "reach" || before == "reached" || before == "outside" || before == "towards")
    return DetailKind::kPlace;
  if (IsGivenName(first) || IsBrand(first) || Has(kTools, first)) return DetailKind::kName;
  if (IsAcronym(begin, end) || IsAsciiDigit(at(SkipBlanks(end)))) return DetailKind::kName;
  if (Has(words::kPeoples, first) && last_blank == text.npos) return DetailKind::kName;
  if (before == "in" || before == "visit" || before == "visited" || before == "visiting" ||
      before == "outside")
    return DetailKind::kPlace;
  // "between Leeds and York"
  if (before == "and" && !details_.empty() && details_.back().kind == DetailKind::kPlace &&
      details_.back().end + 5 == offset_[begin] && Has(words::kEnglishPlaces, text))
    return DetailKind::kPlace;
  // "the Brixton branch"
  if (before == "the") {
    const std::string after = WordAt(end).first;
    if (after == "branch" || after == "marathon" || after == "suburbs" || after == "airport")
      return DetailKind::kPlace;
  }
  if (before == "to" || before == "from" || before == "near" || before == "via" ||
      before == "towards" || before == "at") {
    const std::string lead = Lower(ClauseStart(begin, 36), begin);
    std::size_t unused = 0;
    // "assigned to Wojtek", "sold to Wilkes"
    static constexpr std::string_view kGiving[] = {
        "assigned", "sent", "gave",    "handed",  "lent",    "sold",     "talked", "talking",
        "spoke",    "said", "married", "engaged", "related", "thanks",   "close",  "listened",
        "wrote",    "owed", "belongs", "reports", "intro",   "forwarded"};
    if (before == "to" && Has(kGiving, WordBefore(begin >= 3 ? begin - 3 : 0)))
      return DetailKind::kName;
    // "getting the sofa from Article" is no way.
    const auto moves = FindAnyWord(lead, kMotions, &unused);
    const bool takes = before == "from" && moves != lead.npos &&
                       words::Holds(lead.substr(moves, 7), {"got", "getting", "back"});
    if (before == "near" || (moves != lead.npos && !takes)) return DetailKind::kPlace;
  }
  return DetailKind::kName;
}

// A word that is a name, or that no list holds, stands in the capitals from `j` on.
bool DetailScanner::GoesOnAsTitle(std::size_t j) const {
  for (int words = 0; words < 5 && IsUpper(at(j)); ++words) {
    const auto [word, end] = WordAt(j);
    if (Has(words::kWeekdays, word) || Has(words::kMonths, word)) return false;
    if (!Has(words::kNotNames, word) && !Has(words::kPeoples, word)) return end > j + 1;
    if (!Has(kTitleWords, word) || at(end) != ' ') return false;
    j = end + 1;
  }
  return false;
}

// Past the model behind a product that ends at `end`: "ThinkPad X1", "Pixel 8 Pro", "Fujifilm
// X-T30"; `end`: none is there.
std::size_t DetailScanner::ModelAfter(std::size_t begin, std::size_t end) const {
  if (at(end) != ' ' || !IsAsciiWord(at(end + 1))) return end;
  const auto last = Lower(begin, end);
  const std::string_view word = std::string_view(last).substr(last.rfind(' ') + 1);
  if (IsTool(word)) return end;
  std::size_t model = end + 1;
  int digits = 0, upper = 0;
  while (IsAsciiWord(at(model)) || (at(model) == '-' && IsAsciiWord(at(model + 1)))) {
    digits += IsAsciiDigit(at(model));
    upper += IsUpper(at(model));
    if (at(model) >= 'a' && at(model) <= 'z') return end;
    ++model;
  }
  const bool ends = !IsAsciiWord(at(model)) && !(at(model) == '.' && IsAsciiDigit(at(model + 1)));
  if (digits == 0 || !ends || at(model) == '%' || at(model) == ':' || model > end + 14) return end;
  const bool known = IsBrand(word) || IsBrand(last) || IsBrand(last.substr(0, last.find(' ')));
  // "the Anbernic RG35XX": letters and digits behind a name that no person has.
  static constexpr std::string_view kNoMaker[] = {
      "flight", "order", "invoice", "ticket", "room",    "gate",  "seat",   "code",  "train",
      "parcel", "plate", "coupon",  "form",   "booking", "error", "number", "class", "group",
      "hall",   "block", "tag",     "part",   "model",   "route", "bus",    "unit",  "case"};
  const bool made = upper > 0 && digits >= 2 && model - end <= 10 && begin > 0 &&
                    !AtSentenceStart(begin) && !Has(kNoMaker, word) && !Has(words::kTitles, word) &&
                    at(end) == ' ';
  if (upper > 0 ? !known && !made && !Has(kModelled, word) : !Has(kModelled, word)) return end;
  if (upper == 0 && Has(words::kUnits, WordAt(model).first)) return end;
  for (int more = 0; more < 2; ++more) {
    const auto [word_after, past] = WordAt(model);
    if (at(model) == ' ' && Has(kModelEnds, word_after)) model = past;
  }
  return model;
}

// The end of a sequence of capitalised words from `i`; "of", "de", "van" and "&" may join them.
// Sets
// `*begin` to where the name begins; `*sure`: a title or two words say that it is a name.
std::size_t DetailScanner::NameEnd(std::size_t i, std::size_t* begin, bool* sure) const {
  std::size_t end = i, j = i;
  int count = 0, named = 0;
  bool title = false;
  *begin = i;
  *sure = false;
  while (IsUpper(at(j))) {
    if (j > i && FlightAt(j) > j) break;
    const std::size_t word_end = WordEnd(j);
    std::string word = Lower(j, word_end);
    std::size_t stop = word_end;
    // "Flight GA8817", "Invoice INV-2024": the identifier is its own detail.
    if (std::any_of(word.begin(), word.end(), [](char c) { return IsAsciiDigit(c); })) break;
    if (at(word_end) == '-' && IsAsciiDigit(at(word_end + 1))) break;
    // "Fujifilm X-T30": a model is a word of its own.
    if (at(word_end) == '-' && word.size() < 3) {
      const std::string part = WordAt(word_end + 1).first;
      if (std::any_of(part.begin(), part.end(), [](char c) { return IsAsciiDigit(c); })) break;
    }
    if (word.ends_with("'s")) {
      stop -= 2;
      word.resize(word.size() - 2);
    }
    const bool plain =
        Has(words::kNotNames, word) || Has(words::kWeekdays, word) || Has(words::kMonths, word);
    const bool ambiguous = word == "may" || word == "april" || word == "june" || word == "march" ||
                           word == "new" || word == "best" || word == "book" || word == "great" ||
                           word == "august";
    const bool street = word == "st" && at(word_end) == '.' && IsUpper(at(word_end + 2));
    if ((Has(words::kTitles, word) && word != "st") || (street && count == 0)) {
      title = true;
      if (count == 0) *begin = j;
      ++count;
      end = stop;
      j = at(word_end) == '.' ? word_end + 1 : word_end;
      if (at(j) == ' ') ++j;
      continue;
    }
    const bool after_title = title && named == 0 && ambiguous;
    const bool in_title = word != "i" && Has(kTitleWords, word) && at(stop) == ' ' &&
                          IsUpper(at(stop + 1)) && stop == word_end && !AtSentenceStart(*begin) &&
                          GoesOnAsTitle(stop + 1);
    if (plain && !after_title && !in_title &&
        !(ambiguous && count == 0 && !AtSentenceStart(j) && IsUpper(at(stop + 1)))) {
      if (count == 0) return stop;
      break;
    }
    if (IsAcronym(j, word_end) && count > 0 && named == 0 && !title) break;
    ++count;
    if (!(plain && in_title && count == 1)) ++named;
    end = stop;
    if (stop != word_end) {  // A possessive ends the name, but "Mary's Hospital" goes on.
      const auto [next, next_end] = WordAt(word_end);
      if (at(word_end) != ' ' || !IsUpper(at(word_end + 1)) ||
          !(Has(words::kOrganisationEnds, next) || Has(words::kPlaceEnds, next) ||
            Has(words::kStreetEnds, next)))
        break;
    }
    j = word_end;
    // "J. K. Rowling"
    if (at(j) == '.' && word.size() == 1) ++j;
    if (at(j) == '-' && IsUpper(at(j + 1))) {
      ++j;
      continue;
    }
    if (at(j) != ' ') break;
    ++j;
    if (at(j) == '&' && at(j + 1) == ' ' && IsUpper(at(j + 2))) {
      // "Sam & Alex" are two.
      if (IsGivenName(word) && IsGivenName(WordAt(j + 1).first)) break;
      j += 2;
      continue;
    }
    if (!IsUpper(at(j))) {
      std::size_t next = j;
      for (int links = 0; links < 2 && !IsUpper(at(next)); ++links) {
        static constexpr std::string_view kLinks[] = {"of",  "de", "van", "von", "da",  "do", "des",
                                                      "del", "la", "der", "di",  "bin", "du"};
        const auto [link, link_end] = WordAt(next);
        // "The Fox and Hounds"
        const bool pub =
            link == "and" && count == 2 && named == 1 && Lower(*begin, *begin + 4) == "the ";
        if (!Has(kLinks, link) && !pub) break;
        next = SkipBlanks(link_end);
      }
      if (next > j && IsUpper(at(next)) && !Has(words::kNotNames, WordAt(next).first)) {
        j = next;
        continue;
      }
      break;
    }
  }
  if (named == 0) return title ? end : i;
  *sure = title || named >= 2;
  return end;
}

// One capitalised word at the start of a sentence: a name when it is known as one, or when what
// follows says so.
bool DetailScanner::IsNamedByContext(std::size_t begin, std::size_t end) const {
  const std::string word = Lower(begin, end);
  const auto [follower, follower_end] = WordAt(end);
  const bool possessive = at(end) == '\'' && at(end + 1) == 's';
  const bool verb_name = Has(kVerbNames, word);
  const bool deed = Has(kDeeds, follower);
  if (Has(kTools, word) && (IsAsciiDigit(at(SkipBlanks(end))) || IsCjkIdeograph(at(end))))
    return true;
  if (IsBrand(word)) return true;
  if (IsGivenName(word)) {
    if (!verb_name) return true;
    return deed || possessive || (Has(kStates, follower) && follower != "never") ||
           follower == "and" || (follower == "from" && WordAt(follower_end).first == "the");
  }
  if (IsAcronym(begin, end) || Has(words::kBareNouns, word) || EndsLikeNoun(word)) return false;
  // "Attendees:" is a label.
  if (IsUnknownWord(word) && at(end) != ':') return true;
  // "Pepper the hamster"
  static constexpr std::string_view kPets[] = {"dog",    "cat",    "puppy", "kitten", "hamster",
                                               "rabbit", "parrot", "horse", "pony",   "tortoise"};
  if (follower == "the" && Has(kPets, WordAt(follower_end).first)) return true;
  // "Tom, our old neighbour, …"
  if (at(end) == ',' && at(end + 1) == ' ') {
    const auto [next, next_end] = WordAt(end + 1);
    return next == "our" || next == "my" || next == "who" || next == "his" || next == "her";
  }
  if (possessive) return true;
  if (follower == "and") return IsUpper(at(SkipBlanks(follower_end)));
  const bool plural = word.ends_with("s") && !word.ends_with("ss");
  // "Marlo fixed the roof"
  static constexpr std::string_view kObjects[] = {"the", "a",   "an", "my",  "me",    "us",  "his",
                                                  "her", "our", "it", "him", "their", "that"};
  if (!plural && follower.size() > 4 && follower.ends_with("ed") &&
      Has(kObjects, WordAt(follower_end).first))
    return true;
  return deed || (Has(kStates, follower) && !plural && !IsTalkWord(word));
}

std::size_t DetailScanner::Name(std::size_t i) {
  // A place of several words, some of which are no names alone: "New Zealand".
  const std::string line = Lower(i, std::min(i + 24, size()));
  std::size_t known = 0;
  for (std::string_view place : words::kEnglishPlaces) {
    const bool whole = line.starts_with(place) && !IsAsciiWord(at(i + CountCodePoints(place))) &&
                       place.size() > known;
    if (whole) known = place.size();
  }
  std::size_t begin = i;
  bool sure = false;
  std::size_t end = NameEnd(i, &begin, &sure);
  if (known > 0) {
    const std::size_t place_end = i + CountCodePoints(line.substr(0, known));
    if (place_end >= end && (begin == i || end <= i)) {
      if (NameKind(i, place_end) == DetailKind::kPlace)
        return Add(DetailKind::kPlace, i, place_end);
    }
  }
  if (end <= begin) return i;
  // "Watching Severance", "Email Thandiwe": what is done, and a name.
  if (begin == i && AtSentenceStart(i) && WordEnd(i) < end && at(WordEnd(i)) == ' ') {
    const std::string first = Lower(i, WordEnd(i));
    static constexpr std::string_view kDoes[] = {
        "email",    "text",   "met",    "saw",   "ping",    "book",  "buy",    "watch", "read",
        "visit",    "pay",    "pick",   "grab",  "got",     "had",   "love",   "loved", "hate",
        "heard",    "happy",  "merry",  "poor",  "cc",      "reply", "via",    "asked", "told",
        "thought",  "ate",    "found",  "took",  "made",    "gave",  "bought", "sold",  "moved",
        "left",     "picked", "try",    "tried", "go",      "went",  "drop",   "take",  "bring",
        "remember", "miss",   "feed",   "walk",  "wish",    "hire",  "fire",   "drove", "rang",
        "phone",    "invite", "follow", "thank", "welcome", "meet",  "with",   "from",  "like",
        "unlike",   "per",    "under",  "near",  "despite", "gonna", "lovely"};
    const bool does = Has(kDoes, first) || first.ends_with("ing") || first.ends_with("ed") ||
                      (IsDeed(first) && !first.ends_with("s"));
    if (IsTalkWord(first) || first.find('\'') != first.npos) return WordEnd(i);
    if (does && IsEnglishWord(first) && !IsGivenName(first)) return WordEnd(i);
  }
  // "OOMing", "PRs": made of an abbreviation.
  if (IsUpper(at(i + 1)) && WordEnd(i) == end) {
    const std::string_view word = Bytes(i, end);
    if (word.ends_with("ing") || word.ends_with("ed") || word.ends_with("s")) {
      std::size_t capitals = i;
      while (IsUpper(at(capitals))) ++capitals;
      if (capitals < end && capitals + 3 >= end) return end;
    }
  }
  // "Will picked up the kids": what is another word mostly is a name before a deed.
  const std::size_t first_end = WordEnd(i);
  if (AtSentenceStart(i) && Has(kVerbNames, Lower(i, first_end)) &&
      Has(words::kNotNames, Lower(i, first_end)) &&
      (Has(kDeeds, WordAt(first_end).first) || WordAt(first_end).first == Lower(i, first_end)))
    return Add(DetailKind::kName, i, first_end);
  if (Has(words::kNotNames, Lower(begin, end)) || Has(words::kWeekdays, Lower(begin, end)) ||
      Has(words::kMonths, Lower(begin, end)))
    return end;
  if (end == begin + 1) return end;  // An initial or a label.
  if (Has(words::kPeoples, Lower(begin, end))) return end;
  if (!sure && Has(words::kTitles, Lower(begin, end))) return end;
  if (!sure && IsAcronym(begin, end)) {
    if (IsBrand(Lower(begin, end))) return Add(DetailKind::kName, begin, end);
    const std::string before = WordBefore(begin);
    return before == "at" || before == "joined" ? Add(DetailKind::kName, begin, end) : end;
  }
  // "at Gino's", "St Mark's": nothing that it has follows.
  if (at(end) == '\'' && at(end + 1) == 's' && !IsAsciiWord(at(end + 2))) {
    static constexpr std::string_view kAt[] = {"at",       "from", "near",    "to",    "behind",
                                               "past",     "by",   "outside", "in",    "called",
                                               "opposite", "into", "via",     "tried", "the"};
    const bool alone = ClauseEndsAt(end + 2) || Has(kAfterVenue, WordAt(end + 2).first);
    if (alone && (Has(kAt, WordBefore(begin)) || Lower(begin, begin + 3) == "st ")) end += 2;
  }
  end = ModelAfter(begin, end);
  // "at Bodija market"
  static constexpr std::string_view kSites[] = {"market", "roundabout", "junction", "beach",
                                                "park",   "village",    "bridge",   "station",
                                                "hill",   "bay"};
  static constexpr std::string_view kSiteLeads[] = {"at", "in",     "to",      "near",   "from",
                                                    "by", "behind", "outside", "around", "past"};
  if (const auto [site, site_end] = WordAt(end); at(end) == ' ' && Has(kSites, site) &&
                                                 !IsUpper(at(end + 1)) &&
                                                 Has(kSiteLeads, WordBefore(begin)))
    return Add(DetailKind::kPlace, begin, site_end);
  const DetailKind kind = NameKind(begin, end);
  // "Renata in Legal": a part of a company.
  static constexpr std::string_view kDepartments[] = {
      "legal", "finance", "marketing", "sales",     "accounting", "engineering", "support",
      "hr",    "it",      "product",   "logistics", "operations", "procurement", "design"};
  if (!sure && Has(kDepartments, Lower(begin, end))) return end;
  if (sure || kind == DetailKind::kPlace || !AtSentenceStart(begin) || IsNamedByContext(begin, end))
    return Add(kind, begin, end);
  return end;
}

}  // namespace liubai::memory
