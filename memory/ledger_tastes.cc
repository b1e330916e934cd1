// What somebody likes or does not bear, said without the word for it: "brings me out in hives",
// "I'm a tea person", 一吃就起疹子, 咖啡只认美式.
#include "memory/ledger_scan.h"
#include "memory/ledger_statements.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

using words::Holds;

// What the body does.
constexpr std::string_view kReactions[] = {"hives",
                                           "a rash",
                                           "in rashes",
                                           "swells up",
                                           "swell up",
                                           "swelled up",
                                           "reacts badly",
                                           "react badly",
                                           "bad reaction",
                                           "reacts to",
                                           "react to",
                                           "sets her off",
                                           "sets him off",
                                           "sets me off",
                                           "breaks out in",
                                           "break out in",
                                           "brings me out",
                                           "brings her out",
                                           "brings him out",
                                           "epipen",
                                           "throat closes",
                                           "makes me itch",
                                           "makes him itch",
                                           "makes her itch",
                                           "makes me wheeze",
                                           "send him to hospital",
                                           "sends him to hospital",
                                           "sends her to hospital",
                                           "goes into shock",
                                           "anaphyla",
                                           "comes up in welts",
                                           "gets hay fever",
                                           "doesn't agree with"};
constexpr std::string_view kChineseReactions[] = {
    "起疹",   "荨麻疹", "皮试阳性", "嘴就肿", "嘴都肿", "嘴肿",   "脸就肿", "喉咙肿",  "浑身痒",
    "全身痒", "起红点", "起红疹",   "不耐",   "发痒",   "长疹子", "休克",   "喘不上气"};
// What they follow from.
constexpr std::string_view kChineseTouched[] = {
    "吃", "喝", "碰", "闻", "沾", "青霉素", "头孢", "花粉", "毛", "乳糖", "麸质", "打", "抹", "用"};

constexpr std::string_view kTastes[] = {
    "nothing beats",    "is my weakness",   "are my weakness",
    "won't touch",      "won't eat",        "won't drink",
    "only drinks",      "only eats",        "only drink",
    "only eat",         "only wears",       "only listens",
    "only reads",       "i only read",      "big on",
    "mad for",          "mad on",           "much of a fan",
    "guilty pleasure",  "nuts about",       "hooked on",
    "has a thing for",  "have a thing for", "lives for",
    "drives me mad",    "up the wall",      "on my nerves",
    "not for me",       "isn't for me",     "can't be doing with",
    "favours",          "favors",           "would sooner",
    "my comfort food",  "my happy place",   "goes mad for",
    "never say no to",  "turns my stomach", "makes my skin crawl",
    "can't get into",   "never got into",   "takes his coffee",
    "takes her coffee", "takes his tea",    "takes her tea",
    "i take my coffee", "i take my tea",    "swear by",
    "swears by"};
constexpr std::string_view kPersons[] = {" person", " fan ", " guy", " girl", " lover", " type"};

bool TastesInEnglish(std::string_view clause) {
  std::size_t end = 0;
  if (FindAnyWord(clause, kTastes, &end) != clause.npos) return true;
  // "I'm a tea person", "not much of a football fan"
  static constexpr std::string_view kAm[] = {
      "i'm a ",     "i'm an ",    "i am a ",  "i'm not a ",     "she's a ", "he's a ",
      "much of a ", "more of a ", "we're a ", "i'm more of a ", "not a "};
  const std::string padded = std::string(clause) + " ";
  for (std::string_view am : kAm) {
    const auto at = padded.find(am);
    if (at == padded.npos) continue;
    const std::string_view rest = std::string_view(padded).substr(at + am.size());
    for (std::string_view who : kPersons) {
      const auto ends = rest.find(who);
      if (ends == rest.npos || ends > 24 || ends < 3) continue;
      if (!Holds(rest.substr(0, ends), {"nice", "good", "great", "bad", "new", "young", "old"}))
        return true;
    }
  }
  // "give me the mountains over the beach any day"
  return clause.find(" over ") != clause.npos &&
         Holds(clause, {"any day", "any time", "every time", "i'd take ", "i'd pick ", "give me "});
}

}  // namespace

void FindReactions(Sentence& sentence) {
  const std::string_view text = sentence.plain();
  const Sentence::Range whole{0, text.size()};
  if (sentence.IsCovered(whole)) return;
  const auto& clauses = sentence.clauses();
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    const std::string_view part = sentence.Text(clauses[i]);
    std::size_t end = 0;
    if (FindAny(part, kReactions, &end) != part.npos) {
      // "no shellfish for Dele, his face swells up": of what stands before.
      const std::string_view trimmed = TrimmedView(part, kBlanks);
      bool goes_on = false;
      for (std::string_view who : {"his ", "her ", "my ", "it ", "they ", "she ", "he ", "that "})
        goes_on |= trimmed.starts_with(who);
      const std::size_t begin = goes_on && i > 0 ? clauses[i - 1].begin : clauses[i].begin;
      const Sentence::Range range{begin, clauses[i].end};
      sentence.Add(DetailKind::kAllergy, range);
      return;
    }
    if (FindAny(part, kChineseReactions, &end) == part.npos) continue;
    const Sentence::Range range{i > 0 && part.size() < 24 ? clauses[i - 1].begin : clauses[i].begin,
                                clauses[i].end};
    if (!Holds(sentence.Text(range), kChineseTouched) || text.find("不耐烦") != text.npos) continue;
    sentence.Add(DetailKind::kAllergy, range);
    return;
  }
}

void FindTastes(Sentence& sentence) {
  for (const Sentence::Range clause : sentence.clauses()) {
    if (sentence.IsCovered(clause)) continue;
    if (TastesInEnglish(sentence.Text(clause))) sentence.Add(DetailKind::kPreference, clause);
  }
}

}  // namespace liubai::memory
