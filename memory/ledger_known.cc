// What is a name or an identifier by knowledge, not by form: names in lower case, numbers of
// flights, postcodes, numbers behind a word that says what they number; Chinese given names, brands
// and ways of address.
#include "memory/ledger_known.h"

#include <algorithm>

#include "memory/ledger_gazetteer.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/lexicon.h"

namespace liubai::memory {

using words::Has;

namespace {

// Airlines by their code, and kinds of trains; many are words or units too.
constexpr std::string_view kCarriers[] = {
    "AA", "AC", "AF", "AI", "AS", "AY",  "AZ", "B6", "BA",  "BR", "CA", "CI", "CX", "CZ",
    "DL", "DY", "EI", "EK", "ET", "EW",  "EY", "FM", "FR",  "FZ", "GA", "HO", "HU", "HV",
    "IB", "JL", "JQ", "KE", "KL", "LH",  "LO", "LS", "LX",  "MF", "MH", "MU", "NH", "NZ",
    "OS", "OZ", "PC", "PR", "QF", "QR",  "RO", "SC", "SK",  "SN", "SQ", "SU", "TG", "TK",
    "TP", "TR", "U2", "UA", "UX", "VA",  "VN", "VS", "VY",  "W6", "WF", "WN", "WS", "ZH",
    "3U", "5J", "6E", "9C", "9W", "ICE", "IC", "EC", "TGV", "RJ", "RE", "AVE"};
constexpr std::string_view kJourneys[] = {
    "flight",  "flights", "fly",       "flying",   "plane",  "train",     "trains",
    "bus",     "coach",   "airline",   "boarding", "gate",   "landing",   "lands",
    "landed",  "departs", "departing", "delayed",  "boards", "cancelled", "canceled",
    "arrives", "航班",    "飞机",      "火车",     "高铁"};
// Before "is", what they say is numbered: "the pin for the gate is 2290".
constexpr std::string_view kLabels[] = {
    "account",    "badge",    "booking",  "case",      "code",     "combination", "confirmation",
    "customer",   "employee", "id",       "invoice",   "licence",  "license",     "member",
    "membership", "order",    "passcode", "passport",  "password", "pin",         "plate",
    "pnr",        "policy",   "postcode", "reference", "ref",      "serial",      "sku",
    "ssn",        "student",  "ticket",   "tracking",  "voucher",  "zip",         "isbn",
    "iban",       "locker",   "wifi"};
// Behind its word, with nothing between.
constexpr std::string_view kDirectLabels[] = {
    "badge", "isbn", "sku", "zip", "postcode", "pnr", "confirmation", "passcode", "model"};
// Not a name behind "called" and "my dog".
constexpr std::string_view kPlainWords[] = {
    "a",       "about",  "after",     "again", "all",    "always",    "an",     "and",
    "another", "are",    "around",    "as",    "at",     "away",      "back",   "bad",
    "because", "been",   "before",    "being", "but",    "by",        "can",    "could",
    "did",     "do",     "does",      "down",  "even",   "every",     "ever",   "for",
    "from",    "get",    "gets",      "got",   "good",   "great",     "had",    "has",
    "have",    "he",     "her",       "here",  "him",    "his",       "home",   "how",
    "i",       "if",     "in",        "into",  "is",     "it",        "its",    "just",
    "last",    "late",   "later",     "like",  "made",   "me",        "might",  "mine",
    "more",    "most",   "must",      "my",    "need",   "needs",     "never",  "new",
    "next",    "no",     "not",       "now",   "of",     "off",       "ok",     "old",
    "on",      "once",   "one",       "only",  "or",     "our",       "out",    "over",
    "quite",   "really", "said",      "says",  "seems",  "she",       "should", "since",
    "so",      "some",   "something", "soon",  "still",  "that",      "the",    "their",
    "them",    "then",   "there",     "they",  "this",   "to",        "today",  "tomorrow",
    "tonight", "too",    "two",       "until", "up",     "us",        "very",   "wants",
    "was",     "we",     "were",      "what",  "when",   "where",     "which",  "who",
    "why",     "will",   "with",      "would", "yes",    "yesterday", "yet",    "you",
    "your",    "food",   "bed",       "toy",   "lead",   "collar",    "walker", "sitter",
    "vet",     "hair",   "cage",      "bowl",  "person", "people",    "breath", "names",
    "name",    "love"};
constexpr std::string_view kPets[] = {
    "dog",    "cat",    "puppy",    "kitten",   "hamster", "rabbit", "horse",  "pony",
    "parrot", "budgie", "tortoise", "goldfish", "bunny",   "gecko",  "ferret", "guinea pig"};
constexpr std::string_view kOwners[] = {"my", "our", "his", "her", "their", "your"};
constexpr std::string_view kPetDeeds[] = {
    "is",    "was",    "has",   "ate",   "eats",  "loves", "hates", "got",    "gets",
    "ran",   "runs",   "and",   "who",   "needs", "will",  "just",  "always", "bit",
    "threw", "sleeps", "slept", "still", "went",  "keeps", "broke", "stole",  "won't",
    "can't", "died",   "found", "had",   "likes", "turns"};
// "the new project" is one of many.
constexpr std::string_view kKindsOfProject[] = {
    "new",         "next",     "old",     "big",     "small",     "whole",        "same",
    "other",       "current",  "first",   "last",    "second",    "main",         "side",
    "school",      "science",  "group",   "art",     "final",     "whole",        "team",
    "pet",         "home",     "summer",  "class",   "research",  "pilot",        "web",
    "software",    "building", "our",     "my",      "the",       "this",         "that",
    "his",         "her",      "their",   "your",    "a",         "construction", "renovation",
    "housing",     "garden",   "kitchen", "history", "work",      "client",       "data",
    "open-source", "music",    "film",    "book",    "manhattan", "internal",     "joint",
    "long",        "latest",   "entire"};

// Ways to address somebody by a part of the name: 涛哥, 芳姐.
constexpr std::string_view kChineseAddress = "哥姐叔姨婶伯爷嫂妹弟";
constexpr std::string_view kNoAddress[] = {
    "大哥", "二哥", "三哥", "小哥", "老哥", "表哥", "堂哥", "帅哥", "大姐", "二姐", "小姐",
    "表姐", "堂姐", "学姐", "师姐", "空姐", "大叔", "二叔", "小叔", "表叔", "阿姨", "小姨",
    "大姨", "二姨", "表弟", "表妹", "弟弟", "妹妹", "姐姐", "哥哥", "叔叔", "爷爷", "大爷",
    "老爷", "少爷", "大伯", "大嫂", "嫂嫂", "学妹", "师妹", "学弟", "师弟", "兄弟", "姐妹",
    "徒弟", "堂弟", "堂妹", "小弟", "师哥", "学长", "婶婶", "伯伯", "二婶", "大婶", "老弟",
    "老妹", "老姐", "小妹", "大妹", "亲哥", "亲姐", "亲弟", "亲妹", "鹦哥"};

template <class List>
bool Known(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool IsGiven(std::string_view word) {
  return Known(words::kGivenNames, word) || Known(words::kMoreGivenNames, word);
}

}  // namespace

bool IsGivenName(std::string_view lower) { return IsGiven(lower) || IsListedGivenName(lower); }
bool IsBrand(std::string_view lower) {
  if (Known(words::kKnownBrandWords, lower)) return false;
  return Known(words::kKnownBrands, lower) || (IsListedBrand(lower) && !IsEnglishWord(lower));
}

// What is "called" or "named" before `i` is something: not "she called home", "he called twice".
bool DetailScanner::NamesAt(std::size_t i) const {
  std::size_t cue = i;
  while (cue > 0 && at(cue - 1) == ' ') --cue;
  const std::string verb = WordBefore(cue);
  if (verb != "called") return true;
  const std::string who = WordBefore(cue - verb.size());
  static constexpr std::string_view kCallers[] = {
      "i", "he", "she", "they", "we", "you", "who", "just", "mum", "dad", "mom", "never", "also"};
  return !Has(kCallers, who) && !who.empty();
}

// A name, a place or a brand in lower case, as one writes in a hurry.
std::size_t DetailScanner::LowerName(std::size_t i) {
  const std::size_t whole = WordEnd(i);
  std::size_t end = whole;
  if (end - i < 3 || at(end) == '_' || at(end) == '@') return i;
  if (at(end) == '.' && IsAsciiWord(at(end + 1))) return i;
  std::string word = Lower(i, end);
  if (word.ends_with("'s") && !Known(words::kKnownBrands, word))
    end -= 2, word.resize(word.size() - 2);
  // Places of two words: "new york".
  const std::string line = Lower(i, std::min(i + 24, size()));
  std::size_t known = 0;
  for (std::string_view place : words::kEnglishPlaces) {
    if (place.size() > known && line.starts_with(place) && !IsAsciiWord(at(i + place.size())))
      known = place.size();
  }
  const bool hyphen = at(i - 1) == '-' || at(end) == '-';
  const bool too = Known(words::kWordsToo, word);
  if (known > 0 && !hyphen) {
    const std::string place = line.substr(0, known);
    const bool two = place.find(' ') != place.npos && place != "the alps";
    if (two || (!IsGiven(place) && (!too || Known(words::kPlacesAnyway, place))))
      return Add(DetailKind::kPlace, i, i + known);
  }
  // "ikea kallax": a product that no list holds.
  if (IsBrand(word) && !hyphen && !IsGivenName(word)) {
    const auto [product, product_end] = WordAt(end);
    const bool named = end == whole && at(end) == ' ' && !IsUpper(at(end + 1)) &&
                       IsUnknownWord(product) && !IsGivenName(product) && at(product_end) != '\'';
    return Add(DetailKind::kName, i, named ? product_end : ModelAfter(i, end));
  }
  // "node 18"
  if (!hyphen && IsTool(word) && IsAsciiDigit(at(SkipBlanks(whole))) && end == whole)
    return Add(DetailKind::kName, i, end);
  if (!hyphen && IsGivenName(word) && (!too || IsUnknownWord(word)))
    return Add(DetailKind::kName, i, FamilyAfter(end));
  if (hyphen) return i;
  const std::string before = WordBefore(i);
  const bool plain = Has(kPlainWords, word) || Has(words::kNotNames, word);
  // "my dog biscuit chewed the charger"
  if (!plain && Has(kPets, before)) {
    std::size_t owner = i;
    while (owner > 0 && at(owner - 1) == ' ') --owner;
    owner -= before.size();
    const auto [follower, unused] = WordAt(whole);
    const bool deed =
        follower.ends_with("ed") || Has(kPetDeeds, follower) || at(whole) == ',' || end != whole;
    if (Has(kOwners, WordBefore(owner)) && deed && !word.ends_with("ed") &&
        !word.ends_with("ing") && !Has(kPetDeeds, word))
      return Add(DetailKind::kName, i, end);
  }
  // "the falcon project"
  if (!plain && before == "the" && WordAt(whole).first == "project" && end == whole &&
      !Has(kKindsOfProject, word))
    return Add(DetailKind::kName, i, end);
  // "a dog named biscuit", "it's called marmot"
  if (!plain && (before == "named" || before == "called" || before == "nicknamed") && NamesAt(i)) {
    static constexpr std::string_view kGoOn[] = {"and",  "on",  "in", "at", "near", "by",  "who",
                                                 "from", "she", "he", "is", "was",  "but", "it"};
    if (ClauseEndsAt(whole) || Has(kGoOn, WordAt(whole).first))
      return Add(DetailKind::kName, i, whole);
    // "the cat's called professor whiskers"
    const auto [second, second_end] = WordAt(whole);
    if (at(whole) == ' ' && !second.empty() && !Has(kPlainWords, second) &&
        (ClauseEndsAt(second_end) || Has(kGoOn, WordAt(second_end).first)))
      return Add(DetailKind::kName, i, second_end);
  }
  return i;
}

// "LH 1147", "ICE 599": a carrier and its number, in talk of a journey.
std::size_t DetailScanner::FlightAt(std::size_t i) const {
  std::size_t code = i;
  while (code < i + 4 && ((at(code) >= 'A' && at(code) <= 'Z') || IsAsciiDigit(at(code)))) ++code;
  if (code < i + 2 || at(code) != ' ' || !IsAsciiDigit(at(code + 1))) return i;
  std::size_t end = Digits(code + 1, 5);
  if (end > code + 5 || IsAsciiWord(at(end)) || at(end) == '.' || at(end) == '%') {
    if (!(at(end) == '.' && !IsAsciiDigit(at(end + 1)))) return i;
  }
  if (!Has(kCarriers, Bytes(i, code))) return i;
  const std::string around =
      Lower(ClauseStart(i, 60), i) + " " + Lower(end, std::min(end + 24, size()));
  std::size_t unused = 0;
  return FindAnyWord(around, kJourneys, &unused) != around.npos ? end : i;
}

// "BD51 SMR": a plate of Britain.
std::size_t DetailScanner::BritishPlate(std::size_t i) const {
  const auto upper = [&](std::size_t k) { return at(k) >= 'A' && at(k) <= 'Z'; };
  const bool plate = upper(i) && upper(i + 1) && Digits(i + 2, 3) == i + 4 && at(i + 4) == ' ' &&
                     upper(i + 5) && upper(i + 6) && upper(i + 7) && !IsAsciiWord(at(i + 8));
  return plate ? i + 8 : i;
}

// "upgraded from 1.8 to 2.0", "build 20240611.3"
std::size_t DetailScanner::VersionAt(std::size_t i) const {
  std::size_t end = Digits(i, 9);
  int dots = 0;
  while (end > i && at(end) == '.' && IsAsciiDigit(at(end + 1))) end = Digits(end + 1, 9), ++dots;
  if (end == i || IsAsciiWord(at(end)) || at(end) == '%' || at(end) == ':' ||
      (at(end) == '-' && IsAsciiWord(at(end + 1))))
    return i;
  const std::string before = WordBefore(i);
  if ((before == "version" || before == "build" || before == "release") &&
      (dots > 0 || before == "version"))
    return end;
  static constexpr std::string_view kChanges[] = {
      "upgrade", "upgraded", "upgrading", "downgrade", "downgraded", "update",
      "updated", "updating", "bump",      "bumped",    "migrate",    "migrated",
      "roll",    "rolled",   "revert",    "reverted"};
  std::size_t unused = 0;
  const bool change =
      (before == "from" || before == "to") && dots > 0 &&
      FindAnyWord(Lower(ClauseStart(i, 40), i), kChanges, &unused) != std::string::npos;
  return change && !Has(words::kUnits, WordAt(end).first) ? end : i;
}

// 3-2-1201: block, entrance and flat; no date has such a year.
std::size_t DetailScanner::FlatNumber(std::size_t i) const {
  const std::size_t block = Digits(i, 3);
  if (block == i || block > i + 2 || at(block) != '-') return i;
  const std::size_t entrance = Digits(block + 1, 3);
  if (entrance == block + 1 || entrance > block + 3 || at(entrance) != '-') return i;
  const std::size_t end = Digits(entrance + 1, 5);
  if (end < entrance + 4 || end > entrance + 5 || IsAsciiWord(at(end)) || at(end) == '-') return i;
  const std::string_view last = Bytes(entrance + 1, end);
  return end == entrance + 5 && (last.starts_with("19") || last.starts_with("20")) ? i : end;
}

// feat-login分支, user函数
std::size_t DetailScanner::CodeWord(std::size_t i) const {
  std::size_t end = i;
  while (IsAsciiWord(at(end)) ||
         ((at(end) == '-' || at(end) == '_' || at(end) == '/') && IsAsciiWord(at(end + 1))))
    ++end;
  if (end < i + 3 || !IsAsciiLetter(at(i))) return i;
  static constexpr std::string_view kOf[] = {"分支", "函数",   "变量", "字段", "参数", "接口",
                                             "方法", "这个类", "模块", "表里", "脚本"};
  return PastAny(SkipBlanks(end), kOf) > SkipBlanks(end) && !IsBrand(Lower(i, end)) &&
                 !IsTool(Lower(i, end))
             ? end
             : i;
}

// "18h30"
std::size_t DetailScanner::HourByLetter(std::size_t i) const {
  const std::size_t hour = Digits(i, 2);
  if (hour == i || at(hour) != 'h' || Digits(hour + 1, 3) != hour + 3 || IsAsciiWord(at(hour + 3)))
    return i;
  return Small(i, hour) < 24 && Small(hour + 1, hour + 3) < 60 ? hour + 3 : i;
}

// "SW1A 2AA"
std::size_t DetailScanner::PostCode(std::size_t i) const {
  const auto upper = [&](std::size_t k) { return at(k) >= 'A' && at(k) <= 'Z'; };
  std::size_t k = i;
  if (!upper(k)) return i;
  if (upper(++k)) ++k;
  if (!IsAsciiDigit(at(k++))) return i;
  if (IsAsciiDigit(at(k)) || upper(k)) ++k;
  if (at(k) != ' ' || !IsAsciiDigit(at(k + 1)) || !upper(k + 2) || !upper(k + 3) ||
      IsAsciiWord(at(k + 4)))
    return i;
  return k + 4;
}

// Digits behind "the pin for the gate is", "isbn".
std::size_t DetailScanner::LabelledNumber(std::size_t i) const {
  std::size_t end = i;
  int digits = 0;
  while (IsAsciiDigit(at(end)) ||
         ((at(end) == '-' || at(end) == '/') && IsAsciiDigit(at(end + 1)) && end > i))
    digits += IsAsciiDigit(at(end++));
  if (at(end) == '#' && digits > 2) ++end;
  if (at(end) == '-' && IsAsciiWord(at(end + 1))) return i;
  if (digits < 3 || IsAsciiLetter(at(end)) || at(end) == ':' || at(end) == '%' ||
      (at(end) == '.' && IsAsciiDigit(at(end + 1))))
    return i;
  const std::size_t begin = ClauseStart(i, 48);
  const std::string clause = Lower(begin, i);
  std::string_view before = TrimmedView(clause, " :#");
  const auto last_word = [](std::string_view text) {
    return text.substr(text.find_last_of(" '") + 1);
  };
  if (Has(kDirectLabels, last_word(before))) return end;
  const bool is = before.ends_with(" is") || before.ends_with(" was") || before.ends_with("'s") ||
                  before.ends_with(" ends in") || before.ends_with(" ending in");
  if (!is) return i;
  if (!ClauseEndsAt(end) && WordAt(end).first != "and" && WordAt(end).first != "but") return i;
  before = before.substr(0, before.find_last_of(" '"));
  for (int words = 0; words < 5 && !before.empty(); ++words) {
    const std::string_view word = last_word(before);
    if (Has(kLabels, word)) return end;
    before = TrimmedView(before.substr(0, before.size() - word.size()), " ");
  }
  return i;
}

// 2024/0731 behind "invoice", "case".
std::size_t DetailScanner::YearlyNumber(std::size_t i) const {
  const std::size_t year = Digits(i, 5);
  if (year != i + 4 || at(year) != '/' || !IsAsciiDigit(at(year + 1))) return i;
  const std::size_t end = Digits(year + 1, 9);
  if (end < year + 4 || IsAsciiWord(at(end)) || at(end) == '/') return i;
  return Numbered(i) || end > year + 4 ? end : i;
}

// "numpy==1.26.4"
std::size_t DetailScanner::PinnedVersion(std::size_t i) const {
  std::size_t name = i;
  while (IsAsciiWord(at(name)) || at(name) == '-' || at(name) == '_' || at(name) == '.') ++name;
  if (name < i + 2 || (at(name) != '=' && at(name) != '>' && at(name) != '<' && at(name) != '~') ||
      at(name + 1) != '=' || !IsAsciiDigit(at(name + 2)))
    return i;
  std::size_t end = name + 2;
  while (IsAsciiWord(at(end)) || (at(end) == '.' && IsAsciiWord(at(end + 1)))) ++end;
  return end;
}

// "22C" behind "seat", and the next of them.
std::size_t DetailScanner::SeatAt(std::size_t i) const {
  const std::size_t row = Digits(i, 2);
  if (row == i || !(at(row) >= 'A' && at(row) <= 'K') || IsAsciiWord(at(row + 1)) ||
      at(row + 1) == '-')
    return i;
  const std::string before = WordBefore(i);
  const bool more = !details_.empty() && details_.back().kind == DetailKind::kIdentifier &&
                    details_.back().end + 5 >= offset_[i];
  static constexpr std::string_view kCues[] = {"seat",      "seats", "in",   "room",  "flat",
                                               "apartment", "apt",   "unit", "suite", "desk",
                                               "cabin",     "gate",  "bay",  "block"};
  return Has(kCues, before) || more ? row + 1 : i;
}

// "195/65 R15": a tyre.
std::size_t DetailScanner::TyreSize(std::size_t i) const {
  if (Digits(i, 4) != i + 3 || at(i + 3) != '/' || Digits(i + 4, 3) != i + 6) return i;
  std::size_t end = i + 6;
  if (at(end) == ' ') ++end;
  if (at(end) == 'Z') ++end;
  if (at(end) != 'R' || Digits(end + 1, 3) != end + 3) return i;
  return end + 3;
}

// "5'4", 5'11", 6' 2"
std::size_t DetailScanner::FeetBySign(std::size_t i) const {
  if (!IsAsciiDigit(at(i)) || at(i + 1) != '\'') return i;
  const std::size_t inches = at(i + 2) == ' ' ? i + 3 : i + 2;
  const std::size_t end = Digits(inches, 2);
  if (end == inches || IsAsciiWord(at(end))) return i;
  return at(end) == '"' || at(end) == 0x201D ? end + 1 : end;
}

// "10ish", "7.30ish"
std::size_t DetailScanner::AboutHour(std::size_t i) const {
  std::size_t end = Digits(i, 2);
  if (end == i) return i;
  if ((at(end) == '.' || at(end) == ':') && Digits(end + 1, 2) == end + 3) end += 3;
  if (at(end) == '-') ++end;
  return Lower(end, std::min(end + 3, size())) == "ish" && !IsAsciiWord(at(end + 3)) ? end + 3 : i;
}

// "6ft2", "5ft 10", "6ft"
std::size_t DetailScanner::FeetAndInches(std::size_t i) const {
  std::size_t end = Digits(i, 2);
  if (end == i || Lower(end, std::min(end + 2, size())) != "ft") return i;
  end += 2;
  if (IsAsciiLetter(at(end))) return i;
  const std::size_t inches = at(end) == ' ' ? end + 1 : end;
  const std::size_t past = Digits(inches, 2);
  if (past > inches && !IsAsciiWord(at(past)) && at(past) != ':') return past;
  return end;
}

// 6车11F, 14C: a seat behind the word for it or in a train.
std::size_t DetailScanner::ChineseSeat(std::size_t i) const {
  const std::size_t coach = Digits(i, 2);
  if (coach == i) return i;
  std::size_t seat = coach;
  const bool in_coach = Is(coach, "车") || Is(coach, "车厢");
  if (in_coach) {
    seat = coach + (Is(coach, "车厢") ? 2 : 1);
    const std::size_t digits = Digits(seat, 3);
    if (digits == seat) return i;
    if (at(digits) >= 'A' && at(digits) <= 'F' && !IsAsciiWord(at(digits + 1))) return digits + 1;
    return Is(digits, "号") ? digits + 1 : i;
  }
  if (!(at(coach) >= 'A' && at(coach) <= 'K') || IsAsciiWord(at(coach + 1))) return i;
  const std::string_view before = Bytes(ClauseStart(i, 12), i);
  return words::Holds(before, {"座位", "座", "航班", "登机", "靠窗", "靠过道"}) ? coach + 1 : i;
}

// Digits behind the word that says what they number, a word or two away: 订单2024…退了, 会议号884
// 2210 735.
std::size_t DetailScanner::ChineseLabelled(std::size_t i) const {
  static constexpr std::string_view kAny[] = {
      "会议号", "订单",   "单号",     "工单",   "编号",   "门禁码", "门禁密码", "密码",
      "验证码", "取件码", "提货码",   "邮编",   "学号",   "工号",   "卡号",     "账号",
      "户号",   "证件号", "身份证号", "护照号", "发票号", "合同号", "预约号",   "排队号",
      "案号",   "批号",   "货号",     "型号",   "房卡号", "会员号", "快递单号", "运单号",
      "保单号", "确认号", "口令",     "流水号", "机身号", "座机号", "车架号",   "群号"};
  std::size_t tail = i;
  while (tail > 0 && (at(tail - 1) == ' ' || at(tail - 1) == ':' || at(tail - 1) == U'：' ||
                      at(tail - 1) == U'是' || at(tail - 1) == U'为' || at(tail - 1) == U'叫'))
    --tail;
  const std::string_view before = Bytes(0, tail);
  if (std::none_of(std::begin(kAny), std::end(kAny),
                   [&](std::string_view label) { return before.ends_with(label); }))
    return i;
  std::size_t end = i;
  int count = 0;
  while (IsAsciiWord(at(end)) ||
         ((at(end) == '-' || at(end) == ' ' || at(end) == '_' || at(end) == '/') && end > i &&
          IsAsciiDigit(at(end - 1)) && IsAsciiDigit(at(end + 1))))
    count += IsAsciiDigit(at(end++));
  if (at(end) == '#') ++end;
  return count >= 3 ? end : i;
}

// (2026)沪0115民初4182号 and the like: the number of a case in court.
std::size_t DetailScanner::ChineseCase(std::size_t i) const {
  if (at(i) != U'（' && at(i) != '(') return i;
  if (Digits(i + 1, 5) != i + 5 || (at(i + 5) != U'）' && at(i + 5) != ')')) return i;
  std::size_t end = i + 6;
  while (end < i + 30 && (IsCjkIdeograph(at(end)) || IsAsciiDigit(at(end))) && at(end) != U'号')
    ++end;
  return at(end) == U'号' && IsAsciiDigit(at(end - 1)) ? end + 1 : i;
}

// 9块9, 三块五
std::size_t DetailScanner::ChinesePrice(std::size_t i) const {
  std::size_t end = Numeral(i, 6);
  if (end == i) return i;
  // 八毛, 三千五一个月, 5万定金, 一百来块
  if (at(end) == U'毛' && (ClauseEndsAt(end + 1) || at(end + 1) == U'钱'))
    return at(end + 1) == U'钱' ? end + 2 : end + 1;
  if (at(end) == U'来' && at(end + 1) == U'块') return at(end + 2) == U'钱' ? end + 3 : end + 2;
  static constexpr std::string_view kServings[] = {"一份", "一碗", "一杯", "一瓶", "一盒", "一袋",
                                                   "一双", "一套", "一箱", "一桶", "一支", "一盘"};
  bool scaled = false;
  std::size_t whole = end;
  while (IsChineseNumeral(at(whole))) ++whole;
  for (std::size_t k = i + 1; k < whole; ++k) {
    if (at(k) == U'一' && k + 1 == whole) whole = k;
  }
  for (std::size_t k = i; k < whole; ++k) scaled |= ChineseScale(at(k)) >= 100;
  static constexpr std::string_view kEach[] = {"一个月", "一月",   "一晚",   "一年", "一平",
                                               "一位",   "一次",   "一节课", "一件", "一张",
                                               "一斤",   "一个人", "一人"};
  static constexpr std::string_view kSums[] = {"定金", "押金", "首付", "彩礼", "工资",
                                               "奖金", "年薪", "月薪", "红包", "罚款",
                                               "补偿", "赔偿", "订金", "学费"};
  if (scaled && whole > i + 1 &&
      (PastAny(whole, kSums) > whole || (at(i - 1) != U'第' && PastAny(whole, kEach) > whole)))
    return whole;
  // 二十五一份
  if (whole > i + 1 && PastAny(whole, kServings) > whole && ClauseEndsAt(whole + 2)) return whole;
  if (at(end) != U'块') return i;
  ++end;
  const bool digit = IsAsciiDigit(at(end)) || ChineseDigit(at(end)) > 0;
  if (!digit || IsAsciiDigit(at(end + 1)) || IsChineseNumeral(at(end + 1))) return i;
  if (at(end + 1) == U'毛') return i;
  return PastAny(end + 1, words::kChineseUnits) > end + 1 && !Is(end + 1, "包邮") ? i : end + 1;
}

// 一米七八, 一米八, 零下五度
std::size_t DetailScanner::ChineseMeasure(std::size_t i) const {
  // 37度8, 十来个
  if (const std::size_t whole = Numeral(i, 3);
      whole > i && at(whole) == U'度' && (IsAsciiDigit(at(i)) || ChineseDigit(at(i)) > 0) &&
      (IsAsciiDigit(at(whole + 1)) || ChineseDigit(at(whole + 1)) > 0) &&
      !IsAsciiWord(at(whole + 2)) && PastAny(whole + 2, words::kChineseUnits) == whole + 2)
    return whole + 2;
  if (at(i) == U'十' && at(i + 1) == U'来' && !IsChineseNumeral(at(i - 1)))
    return PastAny(i + 2, words::kChineseUnits) > i + 2 ? PastAny(i + 2, words::kChineseUnits) : i;
  if (Is(i, "零下")) {
    const std::size_t number = AnyNumber(i + 2);
    if (number == i + 2) return i;
    return Is(number, "摄氏度") ? number + 3 : Is(number, "度") ? number + 1 : number;
  }
  if (ChineseDigit(at(i)) < 1 || ChineseDigit(at(i)) > 2 || at(i + 1) != U'米') return i;
  std::size_t end = i + 2;
  while (end < i + 4 && ChineseDigit(at(end)) >= 0) ++end;
  return end > i + 2 && PastAny(end, words::kChineseUnits) == end ? end : i;
}

// A Chinese brand, a given name without its family name, somebody as one addresses them.
std::size_t DetailScanner::ChineseKnown(std::size_t i) const {
  const bool after_detail = !details_.empty() && details_.back().end == offset_[i];
  const bool open = i == 0 || !IsCjkIdeograph(at(i - 1)) ||
                    InList(at(i - 1), words::kBeforeNames) || after_detail;
  // 安卓14
  if (Is(i, "安卓") || Is(i, "鸿蒙")) return IsAsciiDigit(at(i + 2)) ? i + 2 : i;
  // 客户经理是尼雅: who somebody is, in a clause that says no more.
  static constexpr std::string_view kWho[] = {
      "经理是", "老师是",   "医生是",   "房东是", "老板是", "主任是", "同桌是", "室友是",
      "导游是", "负责人是", "联系人是", "队长是", "班长是", "司机是", "教练是", "律师是",
      "导师是", "组长是",   "收件人是", "户名是", "户名",   "收件人", "联系人", "茶是",
      "乐队是", "歌手是",   "演员是",   "作者是", "导演是", "游戏是", "牌子是", "主角是"};
  if (const std::string_view before = Bytes(0, i);
      std::any_of(std::begin(kWho), std::end(kWho),
                  [&](std::string_view who) { return before.ends_with(who); })) {
    std::size_t end = i;
    while (end < i + 5 && IsCjkIdeograph(at(end)) &&
           !InList(at(end), "的了吗呢吧不没很在这那我你他她"))
      ++end;
    if (end >= i + 2 && end <= i + 4 && ClauseEndsAt(end)) return end;
  }
  if (const std::size_t end = PastAny(i, words::kChineseBrands); end > i && at(end) != U'号') {
    if (!Has(words::kChineseBrandWords, Bytes(i, end))) return end;
    if (open && (ClauseEndsAt(end) || !InList(at(end), "的上里")) &&
        (InList(at(i - 1), "在从用被给去") || InList(at(end), "又裁招降涨")))
      return end;
  }
  const auto bounded = [&](std::size_t end) {
    return !IsCjkIdeograph(at(end)) || InList(at(end), words::kAfterNames) || Title(end) > end ||
           InList(at(end), "她他们约欠家考学带踢吵得哭笑唱跳") || IsChineseNumeral(at(end));
  };
  if (open) {
    if (const std::size_t end = PastAny(i, words::kChineseGivenNames); end > i && bounded(end)) {
      if (InList(at(end), kChineseAddress) && IsCjkIdeograph(at(end))) return end + 1;
      return end;
    }
    // 建国叔
    if (const std::size_t end = PastAny(i, words::kChineseGivenNames);
        end > i && IsCjkIdeograph(at(end)) && InList(at(end), "哥姐叔姨婶伯"))
      return end + 1;
  }
  // 老子说
  static constexpr std::string_view kSages[] = {
      "老子", "孔子",   "孟子",   "庄子",   "荀子",   "墨子",   "韩非子", "李白",
      "杜甫", "白居易", "苏东坡", "苏轼",   "鲁迅",   "曹操",   "诸葛亮", "刘备",
      "关羽", "张飞",   "秦始皇", "武则天", "孙悟空", "猪八戒", "林黛玉", "贾宝玉"};
  if (const std::size_t end = PastAny(i, kSages);
      end > i && open &&
      (at(end) == U'说' || at(end) == U'曰' || at(end) == U'写' || (end > i + 2 && bounded(end))))
    return end;
  // 晓琳
  if (open && at(i) == U'晓' && InList(at(i + 1), words::kGivenCharacters) && bounded(i + 2))
    return i + 2;
  // 何工: an engineer.
  if (open && InList(at(i), words::kSurnames) && at(i + 1) == U'工' &&
      !InList(at(i + 2), "作资人程厂地龄业序艺具种会钱商伤夫") &&
      PastAny(i, words::kNotNamesChinese) == i)
    return i + 2;
  // 王叔, 涛哥, 芳姐: a family or given character and how one calls somebody.
  if (open && IsCjkIdeograph(at(i + 1)) && InList(at(i + 1), "哥姐叔姨婶嫂导") &&
      (InList(at(i), words::kSurnames) || InList(at(i), words::kOnlyGiven) ||
       InList(at(i), "伟强军勇杰超明刚平辉斌波华丽红霞燕萍芬玲凤云梅兰敏静建国志鹏东飞龙宇凯")) &&
      !Known(kNoAddress, Bytes(i, i + 2)) && at(i + 2) != at(i + 1) && !InList(at(i + 2), "弟妹游"))
    return i + 2;
  return i;
}

// 萤火虫项目, 项目代号北极星: what a project is called.
std::size_t DetailScanner::ChineseProject(std::size_t i) const {
  if (i > 0 && IsCjkIdeograph(at(i - 1)) && !InList(at(i - 1), "的叫跟和把对在")) return i;
  static constexpr std::string_view kKinds[] = {
      "这个", "那个", "新的", "老的", "整个", "我们", "你们", "他们", "什么", "公司",
      "工程", "开源", "重点", "合作", "投资", "科研", "试点", "装修", "改造", "建设",
      "别的", "其他", "下个", "上个", "一个", "两个", "三个", "几个", "每个", "哪个",
      "某个", "大型", "小型", "国家", "地产", "扶贫", "收费", "检查", "体检", "比赛",
      "运动", "治疗", "服务", "所有", "海外", "国际", "外包", "研究", "课题", "政府",
      "第一", "第二", "做的", "手上", "手头", "目前", "最近", "今年", "去年", "明年"};
  for (std::size_t n = 2; n <= 4; ++n) {
    if (!Is(i + n, "项目")) continue;
    if (Known(kKinds, Bytes(i, i + 2)) || InList(at(i + n - 1), "的个各该本此")) return i;
    for (std::size_t k = i; k < i + n; ++k) {
      if (!IsCjkIdeograph(at(k)) || OutsideName(k)) return i;
    }
    return i + n;
  }
  return i;
}

}  // namespace liubai::memory
