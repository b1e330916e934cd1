#include "memory/lexicon.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/text.h"

namespace liubai::memory {

extern const char* const kEnglishWordsText;
extern const char* const kTalkWordsText;
extern const char* const kGivenNamesText;
extern const char* const kNicknamesText;
extern const char* const kBrandsText;
extern const char* const kChineseWordsText;
extern const char* const kChinesePlacesText;
extern const char* const kChineseIdiomsText;
extern const char* const kChineseGivenText;
extern const char* const kChineseSoundsText;
extern const char* const kChineseBrandsText;

namespace {

std::vector<std::string_view> Split(std::string_view text, std::string_view blanks) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = text.find_first_not_of(blanks, at);
    if (begin == text.npos) break;
    const auto end = std::min(text.find_first_of(blanks, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    at = end;
  }
  return parts;
}

class WordList {
 public:
  explicit WordList(std::string_view text) {
    for (std::string_view word : Split(text, " \n")) {
      words_.insert(word);
      longest_ = std::max(longest_, word.size());
    }
  }
  bool Has(std::string_view word) const { return words_.count(word) != 0; }
  // Bytes of the longest word that `text` begins with.
  std::size_t Longest(std::string_view text) const {
    for (std::size_t bytes = std::min(longest_, text.size()); bytes > 0; --bytes) {
      if (Has(text.substr(0, bytes))) return bytes;
    }
    return 0;
  }

 private:
  std::unordered_set<std::string_view> words_;
  std::size_t longest_ = 0;
};

constexpr std::int32_t kFirstIdeograph = 0x4E00, kLastIdeograph = 0x9FFF;
using Scores = std::array<std::int8_t, kLastIdeograph - kFirstIdeograph + 1>;

void Fill(std::string_view level, std::string_view characters, Scores* scores) {
  int value = 0;
  std::from_chars(level.data(), level.data() + level.size(), value);
  for (std::size_t i = 0; i < characters.size();) {
    const DecodedCodePoint point = DecodeUtf8(characters, i);
    if (point.value >= kFirstIdeograph && point.value <= kLastIdeograph)
      (*scores)[static_cast<std::size_t>(point.value - kFirstIdeograph)] =
          static_cast<std::int8_t>(value);
    i += point.length;
  }
}

struct GivenScores {
  std::array<Scores, 4> parts;
  Scores sounds{};

  GivenScores() {
    constexpr std::string_view kParts[] = {"family", "first", "second", "only"};
    for (Scores& part : parts) part.fill(kNeverInNames);
    const auto fields = Split(kChineseGivenText, " \n");
    for (std::size_t i = 0; i + 2 < fields.size(); i += 3) {
      for (std::size_t part = 0; part < parts.size(); ++part) {
        if (fields[i] == kParts[part]) Fill(fields[i + 1], fields[i + 2], &parts[part]);
      }
    }
    const auto sound = Split(kChineseSoundsText, " \n");
    for (std::size_t i = 0; i + 1 < sound.size(); i += 2) Fill(sound[i], sound[i + 1], &sounds);
  }
};

const GivenScores& Given() {
  static const GivenScores scores;
  return scores;
}

const WordList& EnglishWords() {
  static const WordList words(kEnglishWordsText);
  return words;
}

// What make_lexicon.py leaves out: words with an ending or a front, the stem being in the list.
bool IsInflected(std::string_view word, int depth) {
  struct Ending {
    std::string_view end, put;
  };
  static constexpr Ending kEndings[] = {
      {"s", ""},     {"es", ""},   {"ies", "y"},  {"d", ""},    {"ed", ""},   {"ied", "y"},
      {"ing", ""},   {"ing", "e"}, {"ly", ""},    {"er", ""},   {"er", "e"},  {"ers", ""},
      {"ers", "e"},  {"est", ""},  {"est", "e"},  {"ness", ""}, {"ily", "y"}, {"ier", "y"},
      {"iest", "y"}, {"able", ""}, {"able", "e"}, {"less", ""}, {"ment", ""}, {"ments", ""},
      {"ish", ""},   {"y", ""},    {"ee", ""},    {"ees", ""},  {"or", ""},   {"ors", ""},
      {"ings", ""},  {"ings", "e"}};
  static constexpr std::string_view kFronts[] = {"un", "re", "non", "over", "pre", "mis"};
  const auto known = [&](std::string_view base) {
    return base.size() > 2 &&
           (EnglishWords().Has(base) || (depth > 0 && IsInflected(base, depth - 1)));
  };
  for (const auto& [end, put] : kEndings) {
    if (!word.ends_with(end)) continue;
    const std::string_view stem = word.substr(0, word.size() - end.size());
    if (known(std::string(stem) + std::string(put))) return true;
    const std::size_t n = stem.size();
    if (n > 3 && stem[n - 1] == stem[n - 2] && end[0] != 's' && known(stem.substr(0, n - 1)))
      return true;
  }
  return std::any_of(std::begin(kFronts), std::end(kFronts), [&](std::string_view front) {
    return word.starts_with(front) && known(word.substr(front.size()));
  });
}

}  // namespace

bool IsEnglishWord(std::string_view lower) {
  if (EnglishWords().Has(lower) || IsInflected(lower, 1)) return true;
  // "worktop", "lunchbox"
  for (std::size_t cut = 4; cut + 4 <= lower.size(); ++cut) {
    if (EnglishWords().Has(lower.substr(0, cut)) &&
        (EnglishWords().Has(lower.substr(cut)) || IsInflected(lower.substr(cut), 0)))
      return true;
  }
  return false;
}

bool IsTalkWord(std::string_view lower) {
  static const WordList words(kTalkWordsText);
  return words.Has(lower);
}

bool IsListedGivenName(std::string_view lower) {
  static const WordList names(kGivenNamesText), nicknames(kNicknamesText);
  return (names.Has(lower) || nicknames.Has(lower)) && !EnglishWords().Has(lower) &&
         !IsInflected(lower, 0) && !IsTalkWord(lower);
}

bool IsListedBrand(std::string_view lower) {
  static const WordList brands(kBrandsText);
  return brands.Has(lower);
}

int NamePartScore(NamePart part, std::int32_t c) {
  if (c < kFirstIdeograph || c > kLastIdeograph) return kNeverInNames;
  return Given()
      .parts[static_cast<std::size_t>(part)][static_cast<std::size_t>(c - kFirstIdeograph)];
}

int SoundScore(std::int32_t c) {
  if (c < kFirstIdeograph || c > kLastIdeograph) return 0;
  return Given().sounds[static_cast<std::size_t>(c - kFirstIdeograph)];
}

bool IsChineseWord(std::string_view word) {
  static const WordList words(kChineseWordsText);
  return words.Has(word);
}

std::size_t ChineseBrandBytes(std::string_view text) {
  static const WordList brands(kChineseBrandsText);
  return brands.Longest(text);
}

std::size_t ChinesePlaceBytes(std::string_view text) {
  static const WordList places(kChinesePlacesText);
  return places.Longest(text);
}

std::size_t ChineseIdiomBytes(std::string_view text) {
  static const WordList idioms(kChineseIdiomsText);
  return idioms.Longest(text);
}

}  // namespace liubai::memory
