// What a detail is about: a short noun phrase near it, without its value.
//
// English is read as tokens, from the value to the left over prepositions, other values and verbs
// until a noun phrase ends there ("the code of the storage unit is …", "a deposit of … for the
// kitchen"); what a number counts, or what a payment is for, stands to its right. Chinese is read
// as the characters of the clause before the value, or, when that is empty, as what the clause
// before it speaks of. Neither is a parser: what does not look like a noun phrase is given up.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/subject_words.h"

namespace liubai::memory {
namespace {

using words::Has;

constexpr std::size_t kMostWords = 6;
constexpr std::size_t kMostCharacters = 12;  // Of Chinese.

// ---- English.

enum class Part : std::uint8_t {
  kWord,         // May belong to a noun phrase.
  kDeterminer,   // the, a, this, …
  kPossessive,   // my, our, …; "Anna's" is a word.
  kPreposition,  // Skipped on the way to the noun phrase.
  kVerb,         // Likewise.
  kAdverb,       // Likewise.
  kPronoun,      // Ends the search: the subject is a person who speaks or is spoken of.
  kBreak,        // Punctuation and conjunctions: ends a phrase.
  kValue,
};

struct Token {
  std::string_view text;
  std::string lower;
  Part part = Part::kWord;
};

bool EndsIn(std::string_view word, std::string_view end) {
  return word.size() > end.size() + 2 && word.ends_with(end);
}

Part PartOf(std::string_view lower) {
  using namespace words;
  if (Has(kDeterminers, lower)) return Part::kDeterminer;
  if (Has(kPossessives, lower)) return Part::kPossessive;
  if (Has(kPrepositions, lower)) return Part::kPreposition;
  if (Has(kPronouns, lower)) return Part::kPronoun;
  if (Has(kConjunctions, lower)) return Part::kBreak;
  if (Has(kAdverbs, lower)) return Part::kAdverb;
  if (Has(kVerbs, lower)) return Part::kVerb;
  return Part::kWord;
}

// Tokens of `sentence`; each of `values` is one. Sets `*at` to that of byte `begin`.
std::vector<Token> Tokenize(std::string_view sentence, const std::vector<TextRange>& values,
                            std::uint32_t begin, std::size_t* at) {
  std::vector<Token> tokens;
  std::size_t value = 0;
  for (std::size_t i = 0; i < sentence.size();) {
    while (value < values.size() && values[value].end <= i) ++value;
    if (value < values.size() && values[value].begin <= i) {
      if (values[value].begin == begin) *at = tokens.size();
      tokens.push_back({sentence.substr(i, values[value].end - i), "", Part::kValue});
      i = values[value].end;
      continue;
    }
    const auto c = static_cast<unsigned char>(sentence[i]);
    const bool letter = IsAsciiLetter(c) || c >= 0x80;
    if (letter && !sentence.substr(i).starts_with("“") && !sentence.substr(i).starts_with("”") &&
        !sentence.substr(i).starts_with("—") && !sentence.substr(i).starts_with("–") &&
        !sentence.substr(i).starts_with("…")) {
      std::size_t end = i;
      const std::size_t stop = value < values.size() ? values[value].begin : sentence.size();
      while (end < stop) {
        const auto next = static_cast<unsigned char>(sentence[end]);
        const bool inside = IsAsciiWord(next) || next >= 0x80 ||
                            ((next == '\'' || next == '-') && end + 1 < stop &&
                             IsAsciiLetter(static_cast<unsigned char>(sentence[end + 1])));
        if (!inside) break;
        ++end;
      }
      Token token{sentence.substr(i, end - i), "", Part::kWord};
      token.lower = ToLowerUtf8(token.text);
      if (const auto curly = token.lower.find("’"); curly != std::string::npos)
        token.lower = token.lower.substr(0, curly) + "'" + token.lower.substr(curly + 3);
      token.part = PartOf(token.lower);
      const Part before = tokens.empty() ? Part::kBreak : tokens.back().part;
      if ((before == Part::kDeterminer || before == Part::kPossessive) &&
          Has(words::kNounsToo, token.lower))
        token.part = Part::kWord;
      tokens.push_back(std::move(token));
      i = end;
      continue;
    }
    if (c != ' ' && c != '$' && c != '#') {
      // A slash or a sign inside a value's neighbourhood ends a phrase as a comma does.
      const std::size_t length = DecodeUtf8(sentence, i).length;
      tokens.push_back(
          {sentence.substr(i, length), std::string(sentence.substr(i, length)), Part::kBreak});
      i += length;
      continue;
    }
    ++i;
  }
  // "The total cost was …"
  for (std::size_t i = 2; i + 1 < tokens.size(); ++i) {
    const Part lead = tokens[i - 2].part;
    if (tokens[i].part == Part::kVerb && tokens[i - 1].part == Part::kWord &&
        (lead == Part::kDeterminer || lead == Part::kPossessive) &&
        tokens[i + 1].part == Part::kVerb && Has(words::kNounsToo, tokens[i].lower))
      tokens[i].part = Part::kWord;
  }
  return tokens;
}

struct Phrase {
  std::size_t begin = 0;  // Tokens [begin, end); empty: there is none.
  std::size_t end = 0;
  bool determined = false;  // "the", "my", "Anna's" stand before it.
};

bool IsVerbForm(const Token& token) {
  return EndsIn(token.lower, "ed") && !Has(words::kNounsInEd, token.lower);
}

// The noun phrase that ends before token `end`.
Phrase PhraseBefore(const std::vector<Token>& tokens, std::size_t end) {
  Phrase phrase{end, end, false};
  while (phrase.begin > 0) {
    const Token& token = tokens[phrase.begin - 1];
    if (token.part == Part::kDeterminer || token.part == Part::kPossessive) {
      phrase.determined = true;
      break;
    }
    if (token.part != Part::kWord || phrase.end - phrase.begin >= 4) break;
    // "finished the kitchen": a past form before a noun is an adjective only behind a determiner.
    if (IsVerbForm(token) &&
        (phrase.begin < 2 || (tokens[phrase.begin - 2].part != Part::kDeterminer &&
                              tokens[phrase.begin - 2].part != Part::kPossessive)))
      break;
    --phrase.begin;
  }
  // "carpenters finished": what is left of a verb at its end.
  while (phrase.end > phrase.begin && IsVerbForm(tokens[phrase.end - 1])) --phrase.end;
  return phrase;
}

// The noun phrase that begins at token `begin`, after its determiner.
Phrase PhraseAfter(const std::vector<Token>& tokens, std::size_t begin) {
  Phrase phrase{begin, begin, false};
  if (begin < tokens.size() &&
      (tokens[begin].part == Part::kDeterminer || tokens[begin].part == Part::kPossessive)) {
    phrase.determined = true;
    phrase.begin = phrase.end = begin + 1;
  }
  while (phrase.end < tokens.size() && phrase.end - phrase.begin < 4) {
    const Token& token = tokens[phrase.end];
    if (token.part != Part::kWord) break;
    if (phrase.end > phrase.begin && IsVerbForm(token)) break;
    ++phrase.end;
  }
  return phrase;
}

bool IsNoun(const std::vector<Token>& tokens, const Phrase& phrase) {
  if (phrase.begin >= phrase.end) return false;
  const std::string& head = tokens[phrase.end - 1].lower;
  const bool alone = phrase.end - phrase.begin == 1;
  const bool plain =
      std::all_of(tokens.begin() + static_cast<std::ptrdiff_t>(phrase.begin),
                  tokens.begin() + static_cast<std::ptrdiff_t>(phrase.end) - 1,
                  [](const Token& token) { return Has(words::kAdjectives, token.lower); });
  if ((plain && Has(words::kVagueNouns, head)) || Has(words::kAdjectives, head)) return false;
  if (EndsIn(head, "ful") || EndsIn(head, "ous") || EndsIn(head, "able")) return false;
  if (EndsIn(head, "ly") || head.size() < 2 || head.ends_with("'s")) return false;
  if (EndsIn(head, "ing") && !phrase.determined && !Has(words::kNounsInIng, head)) return false;
  const bool bare = !phrase.determined && alone;
  // "to celebrate", and a person alone, who is no subject of a number.
  if (bare && phrase.begin > 0 && tokens[phrase.begin - 1].lower == "to") return false;
  const bool capital = IsUpper(static_cast<unsigned char>(tokens[phrase.end - 1].text[0]));
  if (!phrase.determined && capital && (phrase.begin > 0 || !bare)) return false;
  if (bare && capital && !head.ends_with('s') && !Has(words::kPlainNouns, head)) return false;
  for (std::size_t i = phrase.begin; i < phrase.end; ++i) {
    for (char c : tokens[i].text) {
      if (IsAsciiDigit(static_cast<unsigned char>(c))) return false;
    }
  }
  return true;
}

std::string TextOf(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  std::size_t words = 0;
  for (std::size_t i = begin; i < end && words < kMostWords; ++i) {
    if (tokens[i].part == Part::kBreak || tokens[i].part == Part::kValue) break;
    if (!text.empty()) text += ' ';
    text += tokens[i].text;
    ++words;
  }
  return text;
}

bool Joins(const Token& token) {
  return token.lower == "of" || token.lower == "for" || token.lower == "with";
}

// `phrase` with what it belongs to on its left: "code of the [storage unit]".
Phrase WithOwner(const std::vector<Token>& tokens, Phrase phrase) {
  std::size_t before = phrase.begin;
  while (before > 0 && (tokens[before - 1].part == Part::kDeterminer ||
                        tokens[before - 1].part == Part::kPossessive))
    --before;
  if (before == 0 || !Joins(tokens[before - 1])) return phrase;
  const Phrase owner = PhraseBefore(tokens, before - 1);
  if (!IsNoun(tokens, owner) || phrase.end - owner.begin > kMostWords) return phrase;
  return {owner.begin, phrase.end, owner.determined};
}

// Lower case at the beginning of a sentence, unless it is a name.
std::string Finish(const std::vector<Token>& tokens, const Phrase& phrase, std::string text) {
  if (phrase.begin == 0 && !text.empty() && !tokens[0].lower.ends_with("'s") &&
      tokens[0].text.size() > 1 && IsUpper(static_cast<unsigned char>(text[0])) &&
      !IsUpper(static_cast<unsigned char>(text[1]))) {
    text[0] = static_cast<char>(text[0] | 32);
  }
  const bool letters = std::any_of(text.begin(), text.end(), [](char c) {
    return IsAsciiLetter(static_cast<unsigned char>(c));
  });
  return letters && text.size() >= 3 ? text : "";
}

std::string EnglishSubject(const Detail& detail, const std::vector<TextRange>& values,
                           std::uint32_t begin) {
  std::size_t at = std::string::npos;
  const std::vector<Token> tokens = Tokenize(detail.sentence, values, begin, &at);
  if (at == std::string::npos) return "";
  // Leftwards over what may stand between a subject and its value.
  std::size_t left = at;
  bool verb = false, born = false, naming = false;
  for (; left > 0; --left) {
    const Token& token = tokens[left - 1];
    const bool skipped =
        token.part == Part::kPreposition || token.part == Part::kVerb ||
        token.part == Part::kAdverb || token.part == Part::kDeterminer ||
        token.part == Part::kValue ||
        (token.lower == "and" && left > 1 && tokens[left - 2].part == Part::kValue);
    if (!skipped && !(token.part == Part::kWord && IsVerbForm(token))) break;
    if (token.part == Part::kValue && IsNameKind(detail.kind)) break;
    born |= token.lower == "born";
    naming |= Has(words::kNaming, token.lower);
    verb |= token.part == Part::kVerb || token.part == Part::kWord;
  }
  const bool name = IsNameKind(detail.kind) || detail.kind == DetailKind::kQuote;
  Phrase phrase = PhraseBefore(tokens, left);
  bool found = IsNoun(tokens, phrase);
  // "the flight to Oslo"
  if (!found && !name && phrase.begin > 1 && phrase.begin < phrase.end &&
      tokens[phrase.begin - 1].part == Part::kPreposition) {
    const Phrase thing = PhraseBefore(tokens, phrase.begin - 1);
    found = IsUpper(static_cast<unsigned char>(tokens[phrase.begin].text[0])) &&
            IsNoun(tokens, thing) && phrase.end - thing.begin <= kMostWords;
    if (found) phrase = {thing.begin, phrase.end, thing.determined};
  }
  if (name) {
    // A name tells something beside what it names: "our cat is called …", "my sister …".
    if (!found || (verb && !naming) || (!verb && left != at)) return "";
    if (!verb && !phrase.determined) {
      if (!Has(words::kRelations, tokens[phrase.end - 1].lower)) return "";
      phrase.begin = phrase.end - 1;
    }
  }
  if (born && phrase.begin < phrase.end)
    return fmt::format("{}'s birth", TextOf(tokens, phrase.begin, phrase.end));
  if (found) {
    // "a deposit of $4,237 for the kitchen"
    const bool held = left + 1 == at && tokens[left].part == Part::kPreposition;
    if ((left == at || held) && !verb && at + 1 < tokens.size() && Joins(tokens[at + 1])) {
      const Phrase purpose = PhraseAfter(tokens, at + 2);
      if (IsNoun(tokens, purpose) &&
          purpose.end - purpose.begin + phrase.end - phrase.begin < kMostWords) {
        return Finish(tokens, phrase,
                      fmt::format("{} {} {}", TextOf(tokens, phrase.begin, phrase.end),
                                  tokens[at + 1].text, TextOf(tokens, at + 2, purpose.end)));
      }
    }
    const bool bare = !phrase.determined && !verb && left == at && phrase.begin > 0;
    phrase = WithOwner(tokens, phrase);
    const std::string text = Finish(tokens, phrase, TextOf(tokens, phrase.begin, phrase.end));
    // "met twelve": a word alone right before a value is as likely a verb.
    if (!bare || phrase.end - phrase.begin > 1) return text;
  }
  if (name) return "";
  // What is counted or paid for: "forty captions", "$300 for the bike".
  std::size_t right = at + 1;
  if (right < tokens.size() && Joins(tokens[right])) ++right;
  if (right > at + 1 || detail.kind == DetailKind::kNumber) {
    const Phrase counted = PhraseAfter(tokens, right);
    const bool plural = counted.end > counted.begin && tokens[counted.end - 1].lower.ends_with('s');
    if (IsNoun(tokens, counted) && (counted.determined || plural || right > at + 1))
      return Finish(tokens, counted, TextOf(tokens, counted.begin, counted.end));
  }
  return "";
}

// ---- Chinese.

bool EndsWhole(std::string_view text) {
  return std::any_of(std::begin(words::kChineseWhole), std::end(words::kChineseWhole),
                     [&](std::string_view word) { return text.ends_with(word); });
}

template <class List>
std::string_view WithoutLeads(std::string_view text, const List& leads) {
  while (true) {
    std::size_t longest = 0;
    for (std::string_view lead : leads) {
      if (text.starts_with(lead)) longest = std::max(longest, lead.size());
    }
    if (longest == 0) return text;
    text.remove_prefix(longest);
  }
}
template <class List>
std::string_view WithoutTails(std::string_view text, const List& tails) {
  while (!EndsWhole(text)) {
    std::size_t longest = 0;
    for (std::string_view tail : tails) {
      if (text.ends_with(tail)) longest = std::max(longest, tail.size());
    }
    if (longest == 0) break;
    text.remove_suffix(longest);
  }
  return text;
}

// The noun phrase that `text` ends with, or "".
std::string ChineseNoun(std::string_view text, std::size_t least = 2) {
  using namespace words;
  text = WithoutTails(Trim(text), kChineseTails);
  // Behind the last word that no noun phrase holds.
  std::string masked(text);
  for (std::string_view whole : kChineseWhole) {
    for (auto at = masked.find(whole); at != masked.npos; at = masked.find(whole, at))
      std::fill_n(masked.begin() + static_cast<std::ptrdiff_t>(at), whole.size(), '\1');
  }
  std::size_t cut = 0;
  for (std::string_view word : kChineseNotNoun) {
    const auto at = masked.rfind(word);
    if (at != masked.npos) cut = std::max(cut, at + word.size());
  }
  text = WithoutLeads(text.substr(cut), kChineseLeads);
  text = WithoutTails(text, kChineseTails);
  // 租的公寓: one character before 的 says how it came, not what it is.
  const auto of = text.find("的");
  if (of != text.npos && CountCodePoints(text.substr(0, of)) < 2)
    text.remove_prefix(of + std::string_view("的").size());
  const std::size_t characters = CountCodePoints(text);
  if (characters < least || characters > kMostCharacters) return "";
  if (Has(kChineseVague, text) || text.starts_with("一")) return "";
  std::size_t last = text.size() - 1;
  while ((static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
  if (!EndsWhole(text) && kChineseNounEnds.find(text.substr(last)) == std::string_view::npos)
    return "";
  std::size_t ideographs = 0;
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    ideographs += IsCjkIdeograph(point.value);
    if (IsAsciiDigit(point.value)) return "";
    if (!IsCjkIdeograph(point.value) && !(point.value >= 0 && IsLetter(point.value))) return "";
    i += point.length;
  }
  return ideographs >= least ? std::string(text) : "";
}

// What the clause says something of: 我的护照 of 我的护照是新的.
std::string ChineseTopic(std::string_view clause) {
  std::size_t verb = clause.size();
  for (std::string_view copula : words::kChineseCopulas) {
    const auto at = clause.find(copula);
    if (at != clause.npos && at > 0) verb = std::min(verb, at);
  }
  return verb == clause.size() ? "" : ChineseNoun(clause.substr(0, verb));
}

std::string ChineseSubject(const Detail& detail, const std::vector<TextRange>& values,
                           std::uint32_t begin) {
  static constexpr std::string_view kBreaks[] = {"，", "。", "、", "；", "：", "！", "？", "“", "”",
                                                 "（", "）", "《", "》", "「", "」", ",",  ";"};
  // Other values count as breaks where they stand.
  std::string masked = detail.sentence;
  for (const TextRange& value : values) {
    if (value.begin != begin)
      std::fill(masked.begin() + value.begin, masked.begin() + value.end, '\1');
  }
  const std::string_view sentence = masked;
  std::vector<std::string_view> clauses;  // Before the value; the last one is its own.
  std::size_t from = 0;
  for (std::size_t i = 0; i < begin;) {
    std::size_t length = sentence[i] == '\1' && (i + 1 >= begin || sentence[i + 1] != '\1') ? 1 : 0;
    for (std::string_view stop : kBreaks) {
      if (length == 0 && sentence.substr(i).starts_with(stop)) length = stop.size();
    }
    if (length > 0) {
      const std::string_view clause = sentence.substr(from, i - from);
      clauses.push_back(clause.substr(0, clause.find_last_not_of('\1') + 1));
      from = i + length;
    }
    i += std::max<std::size_t>(length, 1);
  }
  const std::string_view own = sentence.substr(from, begin - from);
  const bool name = IsNameKind(detail.kind);
  if (name || detail.kind == DetailKind::kQuote) {
    const std::string noun = ChineseNoun(own, 1);
    const std::string_view bare = Trim(own);
    const bool called =
        std::any_of(std::begin(words::kChineseNaming), std::end(words::kChineseNaming),
                    [&](std::string_view naming) { return bare.ends_with(naming); });
    if (called) return noun;
    for (std::string_view relation : words::kPersonLeads) {
      if (name && CountCodePoints(relation) > 1 && bare.ends_with(relation))
        return std::string(relation);
    }
    return "";
  }
  if (std::string noun = ChineseNoun(own); !noun.empty()) return noun;
  // 6850元的房租
  const std::string_view after = sentence.substr(begin + detail.text.size());
  if (after.starts_with("的")) {
    std::string_view noun = after.substr(std::string_view("的").size());
    std::size_t end = noun.size();
    for (std::string_view stop : kBreaks) end = std::min(end, noun.find(stop));
    for (std::string_view word : words::kChineseNotNoun) end = std::min(end, noun.find(word));
    for (std::string_view word : words::kChineseCopulas) end = std::min(end, noun.find(word));
    noun = noun.substr(0, end);
    if (std::string text = ChineseNoun(noun); !text.empty() && CountCodePoints(text) <= 6)
      return text;
  }
  // The clause goes on about what the one before it named.
  for (std::size_t i = clauses.size(); i > 0 && clauses.size() - i < 2; --i) {
    if (std::string topic = ChineseTopic(clauses[i - 1]); !topic.empty()) return topic;
  }
  return "";
}

}  // namespace

std::string SubjectOf(const Detail& detail) {
  // What a statement is about is the statement; only a favourite names its kind.
  if (IsStatement(detail.kind)) {
    const std::string lower = ToLowerUtf8(detail.sentence);
    for (std::string_view favourite : {"favourite ", "favorite "}) {
      const auto at = FindWord(lower, favourite);
      if (detail.kind != DetailKind::kPreference || at == lower.npos) continue;
      const std::string_view rest = std::string_view(lower).substr(at);
      const auto verb = std::min(rest.find(" is "), rest.find(" are "));
      if (verb != rest.npos && verb < 40) return std::string(rest.substr(0, verb));
    }
    return "";
  }
  std::vector<TextRange> values;
  std::uint32_t begin = 0;
  bool found = false;
  for (const Detail& value : DetailScanner(detail.sentence).Values()) {
    // The same text twice: the first may be the wrong one, but it is about the same thing mostly.
    const bool same = value.text == detail.text && value.kind == detail.kind;
    if (value.kind == DetailKind::kQuote && !same) continue;
    if (IsNameKind(value.kind) && !same) continue;
    values.push_back({value.begin, value.end});
    if (same && !found) begin = value.begin, found = true;
  }
  if (!found) {
    const auto at = detail.sentence.find(detail.text);
    if (at == std::string::npos) return "";
    begin = static_cast<std::uint32_t>(at);
    values.push_back({begin, begin + static_cast<std::uint32_t>(detail.text.size())});
  }
  std::sort(values.begin(), values.end(),
            [](const TextRange& a, const TextRange& b) { return a.begin < b.begin; });
  std::size_t ideographs = 0, letters = 0;
  for (std::size_t i = 0; i < detail.sentence.size();) {
    const DecodedCodePoint point = DecodeUtf8(detail.sentence, i);
    ideographs += IsCjkIdeograph(point.value);
    letters += IsAsciiLetter(point.value);
    i += point.length;
  }
  return ideographs * 3 > letters ? ChineseSubject(detail, values, begin)
                                  : EnglishSubject(detail, values, begin);
}

}  // namespace liubai::memory
