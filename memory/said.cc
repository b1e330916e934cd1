#include "memory/said.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "memory/essence.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

constexpr std::string_view kSelf[] = {"i",    "i'm", "my",   "me",   "we",    "our",  "us",
                                      "i've", "i'd", "i'll", "mine", "we're", "we've"};
constexpr std::string_view kYou[] = {"you", "your", "yours", "you're"};
constexpr std::string_view kHeSheIt[] = {"he",  "she",  "they", "his",   "her", "their",
                                         "him", "them", "he's", "she's", "it",  "its"};

// "Tom paid": what somebody does who is named at the beginning, beside "-ed".
constexpr std::string_view kDeeds[] = {
    "paid",  "sold",  "sent",   "spent", "left",      "kept",      "met",   "took",
    "wrote", "drove", "flew",   "ate",   "drank",     "lent",      "broke", "found",
    "built", "chose", "began",  "ran",   "spoke",     "taught",    "read",  "put",
    "gets",  "pays",  "takes",  "has",   "practises", "practices", "wears", "drives",
    "keeps", "eats",  "drinks", "is",    "was",       "must",      "should"};

SaidSentence ReadSentence(std::string_view sentence) {
  SaidSentence said;
  said.text = ToLowerUtf8(Straight(sentence));
  said.names = fmt::format(" {} ", PlainName(said.text));
  said.values = ValuesOf(sentence);
  for (std::string& number : NumbersIn(sentence)) said.values.insert("n:" + std::move(number));
  said.terms = TermsOf(sentence);
  said.denies = Denies(sentence);
  said.first_person = IsSelf(said.text);
  said.second_person = HasAnyWord(said.text, kYou) || words::Holds(said.text, {"你", "您"});
  said.pronoun = HasAnyWord(said.text, kHeSheIt) || words::Holds(said.text, {"他", "她", "它"});
  said.names_somebody = !NamesOf(sentence).empty();
  return said;
}

}  // namespace

std::string PlainName(std::string_view lower) {
  std::string plain, word;
  for (std::size_t i = 0; i <= lower.size(); ++i) {
    const bool blank = i == lower.size() || lower[i] == ' ' || lower[i] == '\n';
    if (!blank && lower[i] != '.' && lower[i] != ',') word += lower[i];
    if (!blank || word.empty()) continue;
    if (word.ends_with("'s")) word.resize(word.size() - 2);
    if (!words::Has(words::kTitles, word)) {
      if (!plain.empty()) plain += ' ';
      plain += word;
    }
    word.clear();
  }
  return plain;
}

std::string Straight(std::string_view text) {
  std::string straight;
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint c = DecodeUtf8(text, i);
    if (c.value == 0x2019 || c.value == 0x2018) {
      straight += '\'';
    } else if (c.value == 0x201C || c.value == 0x201D || c.value == 0x300C || c.value == 0x300D) {
      straight += '"';
    } else {
      straight += text.substr(i, c.length);
    }
    i += c.length;
  }
  return straight;
}

bool IsSelf(std::string_view lower) {
  return HasAnyWord(lower, kSelf) || lower.find("我") != lower.npos ||
         lower.find("咱") != lower.npos;
}

std::vector<std::pair<std::size_t, std::string>> NamesOf(std::string_view sentence) {
  std::vector<std::pair<std::size_t, std::string>> names;
  for (const Detail& detail : ExtractDetails(sentence)) {
    if (detail.kind != DetailKind::kName) continue;
    std::string name = PlainName(ToLowerUtf8(Straight(detail.text)));
    if (!name.empty()) names.emplace_back(detail.begin, std::move(name));
  }
  if (!names.empty() && names.front().first == 0) return names;
  const std::string straight = Straight(sentence);
  const auto word = [&](std::size_t begin) {
    const std::size_t end = std::min(straight.find_first_of(" ,.;:!?", begin), straight.size());
    return std::string_view(straight).substr(begin, end - begin);
  };
  std::string_view first = word(0);
  if (first.empty() || first[0] < 'A' || first[0] > 'Z') return names;
  const bool owns = first.ends_with("'s");
  if (owns) first.remove_suffix(2);
  const std::string lower = ToLowerUtf8(first);
  if (lower.size() < 2 || words::Has(words::kNotNames, lower)) return names;
  const std::string_view next =
      straight.size() > first.size() + 1 ? word(first.size() + 1) : std::string_view();
  const bool does =
      next.ends_with("ed") || words::Has(kDeeds, next) || words::Has(words::kNameFollowers, next);
  if (owns || does) names.insert(names.begin(), {0, lower});
  return names;
}

Said ReadTurns(const std::vector<Turn>& turns) {
  Said said;
  for (const Turn& turn : turns) {
    for (std::string& number : NumbersIn(turn.text)) said.numbers.insert(std::move(number));
    const std::string text =
        fmt::format("{} {}\n", ToLowerUtf8(turn.speaker), ToLowerUtf8(Straight(turn.text)));
    said.text += text;
    said.words.push_back(TermSet(text));
    // The date of a turn is known too.
    const std::string day = FormatDay(turn.time_ms);
    for (std::string& number : NumbersIn(day)) said.numbers.insert(std::move(number));
    said.values.merge(ValuesOfDay(turn.time_ms, turn.text));
    SaidTurn& read = said.turns.emplace_back();
    read.role = turn.role;
    read.speaker = PlainName(ToLowerUtf8(turn.speaker));
    for (const TextRange range : SplitSentences(turn.text)) {
      read.sentences.push_back(
          ReadSentence(std::string_view(turn.text).substr(range.begin, range.end - range.begin)));
      said.values.insert(read.sentences.back().values.begin(), read.sentences.back().values.end());
    }
  }
  for (const std::string& value : said.values) {
    if (value.starts_with("n:")) said.numbers.insert(value.substr(2));
  }
  said.names = fmt::format(" {} ", PlainName(said.text));
  return said;
}

}  // namespace liubai::memory
