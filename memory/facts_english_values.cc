// Words and values of an English sentence.
#include <algorithm>

#include "core/text.h"
#include "memory/facts_english.h"
#include "memory/facts_words.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/subject_words.h"

namespace liubai::memory {
namespace {

using words::Has;

const std::string kNone;

// These end a noun phrase.
constexpr std::string_view kEnds[] = {
    "but",       "because", "so",        "since",    "when",    "while", "which",     "that",
    "who",       "where",   "although",  "though",   "if",      "as",    "i",         "we",
    "you",       "he",      "she",       "they",     "it",      "is",    "are",       "was",
    "were",      "am",      "has",       "have",     "had",     "will",  "would",     "can",
    "could",     "should",  "do",        "does",     "did",     "until", "unless",    "then",
    "whenever",  "whereas", "than",      "except",   "plus",    "not",   "please",    "what",
    "how",       "why",     "there",     "here",     "yet",     "once",  "after",     "before",
    "during",    "lately",  "recently",  "nowadays", "anymore", "today", "yesterday", "tomorrow",
    "currently", "ago",     "especially"};
// These may not stand last in one.
constexpr std::string_view kTails[] = {
    "too",   "now",  "as",     "well",  "more",  "these", "this",  "days",  "a",      "lot",
    "very",  "much", "really", "so",    "right", "and",   "or",    "the",   "my",     "for",
    "in",    "on",   "with",   "to",    "of",    "at",    "from",  "by",    "also",   "just",
    "any",   "an",   "anyway", "again", "last",  "next",  "every", "about", "around", "some",
    "still", "all",  "our",    "their", "his",   "her"};
constexpr std::string_view kDeterminers[] = {"a",   "an",    "the",  "my",  "our",  "some", "his",
                                             "her", "their", "both", "any", "this", "these"};
// A place is not "in fear", "in general".
constexpr std::string_view kNoPlaces[] = {
    "fear",    "peace",     "harmony", "general", "particular", "fact",     "order",   "person",
    "it",      "this",      "that",    "there",   "here",       "my",       "our",     "luxury",
    "poverty", "love",      "style",   "town",    "person",     "together", "case",    "touch",
    "mind",    "time",      "the",     "a",       "an",         "one",      "two",     "where",
    "such",    "between",   "these",   "those",   "their",      "his",      "her",     "your",
    "another", "different", "what",    "which",   "with",       "and",      "or",      "not",
    "for",     "of",        "to",      "bed",     "new",        "danger",   "someone", "it's",
    "some",    "many",      "front",   "part",    "full",       "high",     "private", "public",
    "sales",   "area"};

bool IsAmount(const std::string& lower) { return SmallNumber(lower) >= 0; }

}  // namespace

std::vector<EnglishWord> EnglishWords(std::string_view sentence) {
  std::vector<EnglishWord> out;
  const auto add = [&](std::string_view text, std::size_t begin, std::size_t end, bool stop) {
    EnglishWord word;
    word.text = std::string(text);
    word.lower = ToLowerUtf8(text);
    word.begin = begin;
    word.end = end;
    word.stop = stop;
    word.capital = !stop && IsUpper(DecodeUtf8(text, 0).value);
    out.push_back(std::move(word));
  };
  const auto letter = [&](std::size_t i) {
    if (i >= sentence.size()) return false;
    const DecodedCodePoint point = DecodeUtf8(sentence, i);
    return IsAsciiWord(point.value) || (point.value >= 0x80 && IsLetter(point.value));
  };
  const auto quote = [&](std::size_t i) -> std::size_t {
    if (i >= sentence.size()) return 0;
    return sentence[i] == '\'' ? 1 : sentence.substr(i).starts_with("’") ? 3 : 0;
  };
  for (std::size_t i = 0; i < sentence.size();) {
    const std::size_t length = DecodeUtf8(sentence, i).length;
    if (sentence[i] == ' ' || sentence[i] == '\t' || sentence[i] == '\r') {
      ++i;
      continue;
    }
    if (!letter(i)) {
      add(sentence.substr(i, length), i, i + length, true);
      i += length;
      continue;
    }
    std::size_t end = i;
    while (end < sentence.size()) {
      if (letter(end)) {
        end += DecodeUtf8(sentence, end).length;
      } else if ((sentence[end] == '-' || sentence[end] == '.' || sentence[end] == ',' ||
                  sentence[end] == '/' || sentence[end] == '&') &&
                 letter(end + 1) && end > i) {
        // "3.5", "1,200", "p.m", "and/or", "R&D"; a comma only between digits.
        const bool digits = IsAsciiDigit(static_cast<unsigned char>(sentence[end - 1])) &&
                            IsAsciiDigit(static_cast<unsigned char>(sentence[end + 1]));
        if (sentence[end] == ',' && !digits) break;
        ++end;
      } else {
        break;
      }
    }
    const std::string_view core = sentence.substr(i, end - i);
    const std::string lower = ToLowerUtf8(core);
    const std::size_t mark = quote(end);
    std::size_t tail = end + mark;
    while (mark > 0 && tail < sentence.size() &&
           IsAsciiLetter(static_cast<unsigned char>(sentence[tail])))
      ++tail;
    const std::string suffix = ToLowerUtf8(sentence.substr(end + mark, tail - end - mark));
    if (mark > 0 && suffix == "t" && lower.ends_with("n")) {  // don't, can't, won't
      std::string_view verb = core.substr(0, core.size() - 1);
      if (lower == "can") verb = core;
      if (lower == "won") verb = "will";
      if (lower == "shan") verb = "shall";
      add(verb, i, end, false);
      add("not", end, tail, false);
      i = tail;
    } else if (mark > 0 && (suffix == "m" || suffix == "re" || suffix == "ve" || suffix == "ll" ||
                            suffix == "d" || suffix == "s")) {
      add(core, i, end, false);
      const bool pronoun = Has(words::kPronouns, lower) || lower == "that" || lower == "what";
      const std::string_view full = suffix == "m"    ? "am"
                                    : suffix == "re" ? "are"
                                    : suffix == "ve" ? "have"
                                    : suffix == "ll" ? "will"
                                    : suffix == "d"  ? "would"
                                    : pronoun        ? "is"
                                                     : "'s";
      add(full, end, tail, false);
      i = tail;
    } else {
      if (lower == "cannot") {
        add("can", i, end, false);
        add("not", i, end, false);
      } else if (lower == "im") {
        add("i", i, end, false);
        add("am", i, end, false);
      } else if (lower == "ive") {
        add("i", i, end, false);
        add("have", i, end, false);
      } else if (lower == "dont" || lower == "doesnt") {
        add(lower == "dont" ? "do" : "does", i, end, false);
        add("not", i, end, false);
      } else if (lower == "gonna") {
        add("going", i, end, false);
        add("to", i, end, false);
      } else {
        add(core, i, end, false);
      }
      i = end;
    }
  }
  return out;
}

const std::string& EnglishValues::Lower(std::size_t i) const {
  return i < words_.size() ? words_[i].lower : kNone;
}

std::string EnglishValues::Text(std::size_t begin, std::size_t end) const {
  if (begin >= end || begin >= words_.size()) return {};
  const std::size_t from = words_[begin].begin, to = words_[std::min(end, words_.size()) - 1].end;
  return std::string(Trim(sentence_.substr(from, to - from)));
}

bool EnglishValues::IsNameAt(std::size_t i) const {
  if (!Capital(i)) return false;
  const std::string& lower = words_[i].lower;
  if (lower.size() < 2 || Has(words::kNotNames, lower) || Has(words::kPronouns, lower)) {
    return false;
  }
  return !IsAsciiDigit(static_cast<unsigned char>(lower[0]));
}

EnglishValue EnglishValues::Name(std::size_t i) const {
  std::size_t end = i;
  if (Has(words::kTitles, Lower(i)) && Capital(i)) {
    ++end;
    if (Lower(end) == "." && end < words_.size()) ++end;
  }
  std::size_t names = 0;
  while (end < words_.size() && names < 3 && IsNameAt(end)) ++end, ++names;
  if (names == 0) return {};
  return {Text(i, end), end};
}

EnglishValue EnglishValues::Place(std::size_t i) const {
  std::size_t begin = i;
  while (Lower(begin) == "the" || Lower(begin) == "downtown" || Lower(begin) == "central" ||
         Lower(begin) == "nearby" || Lower(begin) == "sunny" || Lower(begin) == "beautiful")
    ++begin;
  std::size_t end = begin;
  while (end < words_.size()) {
    if (IsNameAt(end)) {
      ++end;
    } else if ((Lower(end) == "," || Lower(end) == "of" || Lower(end) == "de" ||
                Lower(end) == "." || Lower(end) == "upon") &&
               end > begin && IsNameAt(end + 1) && end + 2 - begin < 8 &&
               !Has(words::kNameFollowers, Lower(end + 2)) &&
               FiledUnder(words::kRelationWords, Lower(end + 1)).empty()) {
      end += 2;
    } else {
      break;
    }
  }
  if (end > begin) return {Text(begin, end), end};
  // People who type in small letters live somewhere, too.
  if (Has(kNoPlaces, Lower(begin)) || Stop(begin) || Capital(begin) ||
      IsAsciiDigit(static_cast<unsigned char>(Lower(begin)[0])))
    return {};
  while (end < words_.size() && end - begin < 3 && !Stop(end) && !Has(kEnds, Lower(end)) &&
         !Has(kTails, Lower(end)) && !IsAmount(Lower(end)) && !Lower(end).ends_with("ing") &&
         !Lower(end).ends_with("ly"))
    ++end;
  if (end == begin || end - begin > 2) return {};
  return {Text(begin, end), end};
}

EnglishValue EnglishValues::Organisation(std::size_t i) const {
  std::size_t begin = i;
  while (Has(kDeterminers, Lower(begin))) ++begin;
  std::size_t end = begin;
  while (end < words_.size() && end - begin < 7) {
    const std::string& lower = Lower(end);
    const bool short_word = lower == "." && end > begin && Lower(end - 1) == "st";  // "St. Mary's"
    if (Stop(end) && lower != "&" && !short_word) break;
    if (Has(kEnds, lower) || lower == "and" || lower == "in" || lower == "on" || lower == "for" ||
        lower == "from" || lower == "to" || lower == "with" || lower == "doing" || lower == "or" ||
        lower == "at" || lower == "last" || lower == "next" || lower == "this")
      break;
    if (lower == "'s" && end == begin) break;
    ++end;
  }
  while (end > begin && Has(kTails, Lower(end - 1))) --end;
  if (end == begin || IsAmount(Lower(begin))) return {};
  // "work for it", "work at home", "work with them"
  static constexpr std::string_view kNot[] = {
      "home",  "it",        "them",    "him",    "myself", "me",      "least", "first",
      "night", "something", "someone", "this",   "that",   "hours",   "noon",  "work",
      "once",  "your",      "years",   "months", "days",   "minutes", "weeks"};
  if (Has(kNot, Lower(end - 1)) || Has(kNot, Lower(begin))) return {};
  return {Text(begin == i ? begin : (Capital(begin) ? begin : i), end), end};
}

std::string_view EnglishValues::JobHead(std::size_t i) const {
  std::string_view lower = Lower(i);
  if (Has(words::kJobs, lower)) return lower;
  return {};
}

EnglishValue EnglishValues::Job(std::size_t i) const {
  std::size_t begin = i;
  if (Lower(begin) == "a" || Lower(begin) == "an" || Lower(begin) == "the") ++begin;
  std::size_t last = begin;
  bool found = false;
  for (std::size_t at = begin; at < words_.size() && at < begin + 6; ++at) {
    if (Stop(at)) break;
    const std::string& lower = Lower(at);
    if (Has(kEnds, lower) || lower == "and" || lower == "at" || lower == "in" || lower == "for" ||
        lower == "of" || lower == "with" || lower == "to" || lower == "on" || lower == "by" ||
        lower == "like" || lower == "'s")
      break;
    if (!JobHead(at).empty()) last = at, found = true;
  }
  if (!found) return {};
  // "the lead guitar", "a cook book"
  const std::size_t end = last + 1;
  if (end < words_.size() && !Stop(end) && !Has(kEnds, Lower(end)) && !Has(kTails, Lower(end)) &&
      !Has(words::kPrepositions, Lower(end)) && Lower(end) != "and" && Lower(end) != "by" &&
      !Lower(end).ends_with("ing"))
    return {};
  if (Lower(begin) == "good" || Lower(begin) == "great" || Lower(begin) == "terrible" ||
      Lower(begin) == "bad" || Lower(begin) == "better")
    return {};
  return {Text(begin, end), end};
}

EnglishValue EnglishValues::Noun(std::size_t i, std::size_t most) const {
  std::size_t begin = i;
  while (Has(kDeterminers, Lower(begin))) ++begin;
  std::size_t end = begin;
  while (end < words_.size() && end - begin < most) {
    const std::string& lower = Lower(end);
    if (Stop(end) && lower != "&") break;
    if (Has(kEnds, lower) || lower == "and" || lower == "or") break;
    // "like hiking to relax": what it is for.
    if (lower == "to" && end > begin && !Lower(end - 1).ends_with("ing") &&
        Lower(end - 1) != "going" && Lower(end - 1) != "listening")
      break;
    ++end;
  }
  while (end > begin && (Has(kTails, Lower(end - 1)) || Lower(end - 1) == "'s")) --end;
  if (end == begin) return {};
  return {Text(begin, end), end};
}

EnglishValue EnglishValues::Thing(std::size_t i, std::string_view* attribute) const {
  std::size_t begin = i;
  static constexpr std::string_view kSkip[] = {
      "a",   "an",     "the",       "my",   "our",     "some",      "own",    "new",  "his",
      "her", "their",  "also",      "just", "another", "brand-new", "brand",  "few",  "couple",
      "of",  "lovely", "beautiful", "cute", "old",     "current",   "trusty", "first"};
  while (Has(kSkip, Lower(begin)) && !Capital(begin)) ++begin;
  std::size_t end = begin, last = begin;
  std::string_view found;
  if (Lower(begin) == "future" || Lower(begin) == "next" || Lower(begin) == "dream") return {};
  while (end < words_.size() && end - begin < 7 && !Stop(end)) {
    const std::string& lower = Lower(end);
    if (Has(kEnds, lower) || lower == "and" || lower == "or" || lower == "named" ||
        lower == "called" || lower == "in" || lower == "for" || lower == "with" || lower == "to" ||
        lower == "from" || lower == "at" || lower == "on" || lower == "of" || lower == "'s" ||
        lower == "time" || (end > begin && Has(kDeterminers, lower)))
      break;
    if (const auto filed = FiledUnder(words::kThings, lower); !filed.empty()) {
      found = filed;
      last = end;
    } else if (const auto brand = FiledUnder(words::kBrands, lower);
               !brand.empty() && Capital(end)) {
      if (found.empty()) found = brand;
      last = end;
    } else if (!found.empty() &&
               (Capital(end) || IsAsciiDigit(static_cast<unsigned char>(lower[0])) ||
                lower == "pro" || lower == "mini" || lower == "max" || lower == "plus")) {
      last = end;  // "iPhone 13 Pro"; but "my dog Max" ends before the name.
      if (found == "pet") {
        last = end - 1;
        break;
      }
    }
    ++end;
  }
  if (found.empty()) return {};
  const std::size_t after = last + 1;
  // "dog park", "car wash", "phone call": the thing only tells of another.
  if (after < words_.size() && !Stop(after)) {
    const std::string& lower = Lower(after);
    const bool goes_on = !Capital(after) && !Has(kEnds, lower) && !Has(kTails, lower) &&
                         !Has(words::kPrepositions, lower) && lower != "named" &&
                         lower != "called" && lower != "'s" && !lower.ends_with("ly") &&
                         lower != "together" && lower != "ever" && lower != "instead";
    if (goes_on) return {};
  }
  *attribute = found;
  return {Text(begin, after), after};
}

EnglishValue EnglishValues::Named(std::size_t i) const {
  std::size_t at = i;
  if (Lower(at) == "who" || Lower(at) == "that") ++at;
  if (Lower(at) == "is" || Lower(at) == "are" || Lower(at) == "was") ++at;
  if (Lower(at) == "named" || Lower(at) == "called") return Name(at + 1);
  if (at != i) return {};
  if (IsNameAt(i)) return Name(i);
  if ((Lower(i) == "," || Lower(i) == "(") && i < words_.size() && IsNameAt(i + 1)) {
    const EnglishValue name = Name(i + 1);
    const std::string& after = Lower(name.end);
    // "my sister, Anna, …"; not "my sister, Anna and Tom".
    if (after == "," || after == ")" || after == "." || after == "!" || name.end >= words_.size() ||
        after == "who" || after == "—" || after == "?") {
      EnglishValue value = name;
      if (after == "," || after == ")") ++value.end;
      return value;
    }
  }
  return {};
}

EnglishValue EnglishValues::Date(std::size_t i) const {
  if (i >= words_.size()) return {};
  const std::size_t from = words_[i].begin;
  for (const Detail& detail : ExtractDetails(sentence_.substr(from))) {
    if (detail.kind != DetailKind::kDate) continue;
    if (detail.begin > 4) break;
    std::size_t end = i;
    while (end < words_.size() && words_[end].end <= from + detail.end) ++end;
    return {detail.text, end};
  }
  return {};
}

EnglishValue EnglishValues::Rest(std::size_t i, std::size_t most) const {
  std::size_t end = i;
  while (end < words_.size() && end - i < most) {
    if (Stop(end) && Lower(end) != "-" && Lower(end) != "/" && Lower(end) != "&") break;
    const std::string& lower = Lower(end);
    if (lower == "but" || lower == "because" || lower == "so" || lower == "since" ||
        lower == "which" || lower == "if")
      break;
    if (lower == "and" &&
        (Lower(end + 1) == "i" || Lower(end + 1) == "we" || Lower(end + 1) == "was" ||
         Lower(end + 1) == "need" || Lower(end + 1) == "want" || Lower(end + 1) == "would"))
      break;
    ++end;
  }
  while (end > i && Has(kTails, Lower(end - 1)) && Lower(end - 1) != "more") --end;
  if (end == i) return {};
  return {Text(i, end), end};
}

std::vector<std::string> EnglishValues::List(std::size_t i) const {
  std::vector<std::string> items;
  for (std::size_t at = i; items.size() < 6;) {
    const EnglishValue item = Noun(at);
    if (item.text.empty()) break;
    items.push_back(item.text);
    std::size_t next = item.end;
    bool joined = false;
    while (Lower(next) == "," || Lower(next) == "and" || Lower(next) == "or") ++next, joined = true;
    if (!joined || next >= words_.size()) break;
    // What follows is a noun of the list, not a clause: the next one ends as the list does.
    const EnglishValue more = Noun(next);
    static constexpr std::string_view kVerbs[] = {
        "went",   "got",      "make",     "made",    "want",    "need",    "try",       "think",
        "would",  "was",      "bought",   "usually", "often",   "always",  "never",     "use",
        "wear",   "found",    "started",  "been",    "live",    "work",    "play",      "hate",
        "love",   "like",     "enjoy",    "prefer",  "looking", "trying",  "also",      "even",
        "now",    "recently", "could",    "am",      "just",    "other",   "others",    "stuff",
        "things", "thought",  "hope",     "wish",    "watch",   "drink",   "eat",       "read",
        "spend",  "take",     "go",       "maybe",   "etc",     "perhaps", "wondering", "planning",
        "still",  "really",   "sometimes"};
    if (more.text.empty() || Has(kVerbs, Lower(next))) break;
    const std::string& after = Lower(more.end);
    const bool ends = more.end >= words_.size() || Stop(more.end) || after == "and" ||
                      after == "or" || after == "but" || after == "so" || after == "because" ||
                      after == "too" || after == "as";
    if (!ends) break;
    // A later item is as short as the list; a long one is a clause of its own.
    if (more.end - next > 5) break;
    at = next;
  }
  return items;
}

int EnglishValues::Age(std::size_t i, std::size_t* end) const {
  std::string lower = Lower(i);
  std::size_t at = i + 1;
  if (lower.size() > 9 && lower.ends_with("-year-old")) {
    const int years = SmallNumber(lower.substr(0, lower.size() - 9));
    if (years < 0 || years > 120) return -1;
    *end = at;
    return years;
  }
  const int years = SmallNumber(lower);
  if (years < 0 || years > 120) return -1;
  if (Lower(at) == "-" || Lower(at) == "–") return -1;  // A range.
  if ((Lower(at) == "years" || Lower(at) == "year" || Lower(at) == "yrs" ||
       Lower(at) == "year-old") &&
      (Lower(at + 1) == "old" || Lower(at + 1) == "young" || Lower(at) == "year-old")) {
    *end = at + (Lower(at) == "year-old" ? 1 : 2);
    return years;
  }
  if (lower.find_first_of("./,%:") != std::string::npos) return -1;
  const std::string& after = Lower(at);
  const bool ends = at >= words_.size() || after == "." || after == "," || after == "!" ||
                    after == ";" || after == "?" || after == ")" || after == "and" ||
                    after == "now" || after == "so" || after == "but" || after == "this" ||
                    after == "already" || after == "today" || after == "—" || after == "who" ||
                    after == "with" || after == "next" || after == "soon" || after == "last" ||
                    after == "on" || after == "when" || after == "in" || after == "not";
  if (!ends) return -1;
  *end = at;
  return years;
}

}  // namespace liubai::memory
