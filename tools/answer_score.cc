#include "tools/answer_score.h"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include "core/text.h"
#include "tools/demo_score.h"

namespace liubai::tools {
namespace {

// Porter's own algorithm, which the benchmark's script uses, not its successor.
std::string Stem(const std::string& word) {
  thread_local const std::unique_ptr<sb_stemmer, void (*)(sb_stemmer*)> porter(
      sb_stemmer_new("porter", "UTF_8"), &sb_stemmer_delete);
  if (porter == nullptr) return word;
  const sb_symbol* stem = sb_stemmer_stem(
      porter.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
  if (stem == nullptr) return word;
  return {reinterpret_cast<const char*>(stem),
          static_cast<std::size_t>(sb_stemmer_length(porter.get()))};
}

std::vector<std::string> Stems(std::string_view text) {
  std::vector<std::string> words = AnswerWords(text);
  for (std::string& word : words) word = Stem(word);
  return words;
}

double F1(std::string_view gold, std::string_view answer) {
  const std::vector<std::string> wanted = Stems(gold), said = Stems(answer);
  if (wanted.empty() || said.empty()) return 0;
  std::map<std::string, int> counts;
  for (const std::string& word : wanted) ++counts[word];
  int same = 0;
  for (const std::string& word : said) {
    const auto found = counts.find(word);
    if (found != counts.end() && found->second-- > 0) ++same;
  }
  if (same == 0) return 0;
  const double precision = static_cast<double>(same) / static_cast<double>(said.size());
  const double recall = static_cast<double>(same) / static_cast<double>(wanted.size());
  return 2 * precision * recall / (precision + recall);
}

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(Trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string InDigits(const std::string& word) {
  static constexpr std::array<std::string_view, 21> kWords = {
      "zero",     "one",     "two",     "three",     "four",     "five",     "six",
      "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
      "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"};
  const auto found = std::ranges::find(kWords, word);
  return found == kWords.end() ? word : std::to_string(found - kWords.begin());
}

std::vector<std::string> PlainWords(std::string_view text) {
  std::vector<std::string> words = AnswerWords(text);
  for (std::string& word : words) word = InDigits(word);
  return words;
}

bool IsDigits(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

// The numbers of a text, as digits.
std::vector<std::string> Numbers(const std::vector<std::string>& words) {
  std::vector<std::string> numbers;
  std::ranges::copy_if(words, std::back_inserter(numbers), IsDigits);
  return numbers;
}

bool IsUnit(const std::string& word) {
  static constexpr std::array<std::string_view, 20> kUnits = {
      "day",     "days",   "week",    "weeks",  "month", "months", "year",
      "years",   "hour",   "hours",   "time",   "times", "minute", "minutes",
      "dollars", "dollar", "percent", "people", "miles", "items"};
  return std::ranges::find(kUnits, word) != kUnits.end();
}

bool IsCalendarUnit(const std::string& word) {
  return word.starts_with("day") || word.starts_with("week") || word.starts_with("month");
}

}  // namespace

std::vector<std::string> AnswerWords(std::string_view text) {
  const std::string folded = ToLowerUtf8(text);
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty() && word != "a" && word != "an" && word != "the" && word != "and") {
      words.push_back(word);
    }
    word.clear();
  };
  for (std::size_t i = 0; i < folded.size();) {
    const DecodedCodePoint point = DecodeUtf8(folded, i);
    if (IsSpace(point.value)) {
      finish();
    } else if (point.value >= 0 && !IsPunctuation(point.value)) {
      word.append(folded, i, point.length);  // Punctuation is dropped, not a place to divide.
    }
    i += point.length;
  }
  finish();
  return words;
}

double LocomoScore(int category, std::string_view gold, std::string_view answer) {
  if (category == 5) return SaysUnknown(answer) ? 1 : 0;
  if (category == 3) return F1(gold.substr(0, gold.find(';')), answer);
  if (category != 1) return F1(gold, answer);
  double sum = 0;
  const std::vector<std::string_view> wanted = Split(gold, ','), said = Split(answer, ',');
  for (const std::string_view part : wanted) {
    double best = 0;
    for (const std::string_view one : said) best = std::max(best, F1(part, one));
    sum += best;
  }
  return sum / static_cast<double>(wanted.size());
}

bool ContainsAnswer(std::string_view gold, std::string_view answer) {
  const std::vector<std::string> wanted = PlainWords(gold), said = PlainWords(answer);
  return !wanted.empty() && !std::ranges::search(said, wanted).empty();
}

bool LongMemCheckable(std::string_view type) { return type != "single-session-preference"; }

bool LongMemRight(std::string_view type, bool abstention, std::string_view gold,
                  std::string_view answer) {
  if (abstention) return SaysUnknown(answer);
  const std::vector<std::string> wanted = PlainWords(gold), said = PlainWords(answer);
  if (wanted.empty()) return false;
  std::vector<std::string> numbers = Numbers(wanted);
  const std::vector<std::string> told = Numbers(said);
  const bool number_alone =
      IsDigits(wanted[0]) && (wanted.size() == 1 || (wanted.size() == 2 && IsUnit(wanted[1])));
  const bool lengths =
      type == "temporal-reasoning" && IsDigits(wanted[0]) && wanted.size() > 1 && IsUnit(wanted[1]);
  if (number_alone || lengths) {
    if (!lengths) numbers.resize(1);
    for (const std::string& number : numbers) {
      for (const std::string& one : told) {
        if (one == number) return true;
        const long distance = std::labs(std::atol(one.c_str()) - std::atol(number.c_str()));
        if (lengths && IsCalendarUnit(wanted[1]) && distance <= 1) return true;
      }
    }
    return false;
  }
  if (wanted.size() <= 6) return !std::ranges::search(said, wanted).empty();
  if (!std::ranges::all_of(numbers, [&](const std::string& number) {
        return std::ranges::find(told, number) != told.end();
      })) {
    return false;
  }
  const std::vector<std::string> stems = Stems(answer);
  const std::set<std::string> has(stems.begin(), stems.end());
  int content = 0, found = 0;
  for (const std::string& stem : Stems(gold)) {
    if (stem.size() < 4) continue;  // Function words are short, mostly.
    ++content;
    found += has.contains(stem);
  }
  return content > 0 && found * 5 >= content * 4;
}

}  // namespace liubai::tools
