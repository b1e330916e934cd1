#include "tools/exact_details.h"

#include <algorithm>
#include <regex>
#include <utility>

#include "core/text.h"

namespace liubai::tools {
namespace {

// std::regex goes down the stack with the text: longer pieces are cut.
constexpr std::size_t kMostSentenceBytes = 600;
constexpr int kFewestWords = 3;

struct Pattern {
  const char* kind;
  std::regex regex;
};

// The first that fits a place has it. Characters beyond ASCII are alternatives and no classes: a
// class takes single bytes.
const std::vector<Pattern>& Patterns() {
  static const std::string month =
      "(?:January|February|March|April|May|June|July|August|September|October|November|December|"
      "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\\.?";
  static const std::vector<Pattern> patterns = {
      {"url", std::regex("https?://[^\\s<>\"')\\]]+")},
      {"email", std::regex("[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,64}\\.[A-Za-z]{2,}")},
      {"money",
       std::regex("(?:\\$|€|£|¥)\\s?\\d[\\d,]*(?:\\.\\d+)?(?:\\s?(?:million|billion|k|K|M)\\b)?")},
      {"money", std::regex("\\d[\\d,]*(?:\\.\\d+)?\\s?(?:dollars|euros|pounds|万元|元|块)")},
      {"date", std::regex("\\d{4}-\\d{1,2}-\\d{1,2}|\\d{1,2}/\\d{1,2}(?:/\\d{2,4})?")},
      {"date", std::regex("(?:\\d{4}年)?\\d{1,2}月\\d{1,2}(?:日|号)?")},
      {"date", std::regex("\\b" + month + "\\s+\\d{1,2}(?:st|nd|rd|th)?\\b(?:,?\\s+\\d{4}\\b)?")},
      {"date",
       std::regex("\\b\\d{1,2}(?:st|nd|rd|th)?\\s+(?:of\\s+)?" + month + "(?:,?\\s+\\d{4}\\b)?")},
      {"time", std::regex("\\b\\d{1,2}:\\d{2}(?:\\s?[ap]\\.?m\\.?)?|\\b\\d{1,2}\\s?[ap]m\\b")},
      {"percent", std::regex("\\d+(?:\\.\\d+)?\\s?%")},
      {"number", std::regex("\\d[\\d,]*(?:\\.\\d+)?")},
      {"name", std::regex("\\b[A-Z][a-z]+(?:\\s+[A-Z][a-z]+)+\\b")},
      {"name", std::regex("[a-z,]\\s([A-Z][a-z]{2,})\\b")},
  };
  return patterns;
}

bool Holds(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

// Half-open ranges between line ends and stops.
std::vector<std::pair<std::size_t, std::size_t>> Sentences(std::string_view text) {
  std::vector<std::pair<std::size_t, std::size_t>> sentences;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end) {
    while (begin < end && Holds(" \t\r\n", text[begin])) ++begin;
    while (end > begin && Holds(" \t\r\n", text[end - 1])) --end;
    while (end - begin > kMostSentenceBytes) {
      const std::size_t part = TruncateUtf8(text.substr(begin), kMostSentenceBytes).size();
      sentences.emplace_back(begin, begin + part);
      begin += part;
    }
    if (end > begin) sentences.emplace_back(begin, end);
  };
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, at);
    const std::size_t next = at + point.length;
    const bool stop = point.value == '\n' || point.value == 0x3002 || point.value == 0xFF01 ||
                      point.value == 0xFF1F ||
                      ((point.value == '.' || point.value == '!' || point.value == '?') &&
                       (next >= text.size() || Holds(" \n\"", text[next])));
    // The number that counts a line does not end it.
    const bool counts = point.value == '.' && at > begin && at - begin <= 2 &&
                        text[at - 1] >= '0' && text[at - 1] <= '9';
    if (stop && !counts) {
      cut(next);
      begin = next;
    }
    at = next;
  }
  cut(text.size());
  return sentences;
}

// Words of four letters and more, and characters of scripts without blanks by threes.
int Telling(std::string_view text) {
  int words = 0, characters = 0, letters = 0;
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, at);
    at += point.length;
    const bool cjk = point.value >= 0 && IsCjk(point.value);
    characters += cjk;
    letters = !cjk && point.value >= 0 && IsLetter(point.value) ? letters + 1 : 0;
    words += letters == 4;
  }
  return words + characters / 3;
}

std::string Without(std::string_view text, std::string_view value) {
  std::string out(text);
  for (std::size_t at; (at = out.find(value)) != std::string::npos;) {
    out.replace(at, value.size(), " ");
  }
  return out;
}

void FindIn(std::string_view text, std::size_t begin, std::size_t end,
            std::vector<ExactDetail>* found) {
  const std::string sentence(text.substr(begin, end - begin));
  std::vector<bool> taken(sentence.size(), false);
  for (const Pattern& pattern : Patterns()) {
    for (std::sregex_iterator match(sentence.begin(), sentence.end(), pattern.regex), none;
         match != none; ++match) {
      const std::size_t group = match->size() > 1 && (*match)[1].matched ? 1 : 0;
      const auto from = static_cast<std::size_t>(match->position(group));
      std::size_t to = from + static_cast<std::size_t>(match->length(group));
      while (to > from && Holds(".,", sentence[to - 1])) --to;
      if (std::find(taken.begin() + static_cast<std::ptrdiff_t>(from),
                    taken.begin() + static_cast<std::ptrdiff_t>(to),
                    true) != taken.begin() + static_cast<std::ptrdiff_t>(to)) {
        continue;
      }
      std::fill(taken.begin() + static_cast<std::ptrdiff_t>(from),
                taken.begin() + static_cast<std::ptrdiff_t>(to), true);
      const bool counts = std::string_view(pattern.kind) == "number" && from == 0 &&
                          to < sentence.size() && Holds(".)", sentence[to]);
      if (counts) continue;
      ExactDetail detail;
      detail.kind = pattern.kind;
      detail.value = sentence.substr(from, to - from);
      detail.begin = begin + from;
      detail.end = begin + to;
      detail.sentence = sentence;
      found->push_back(std::move(detail));
    }
  }
}

// What asks for the value of sentence `i`.
std::string QuestionFor(std::string_view text,
                        const std::vector<std::pair<std::size_t, std::size_t>>& sentences,
                        std::size_t i, std::string_view value) {
  const auto sentence = [&](std::size_t at) {
    return Without(text.substr(sentences[at].first, sentences[at].second - sentences[at].first),
                   value);
  };
  std::string question = sentence(i);
  std::size_t before = i, after = i + 1;
  while (Telling(question) < kFewestWords && (before > 0 || after < sentences.size())) {
    question =
        before > 0 ? sentence(--before) + " " + question : question + " " + sentence(after++);
  }
  return question;
}

}  // namespace

ExactDetail DetailAt(std::string_view text, std::string_view kind, std::string_view value) {
  ExactDetail detail;
  detail.kind = kind;
  detail.value = value;
  detail.begin = text.find(value);
  detail.end = detail.begin + value.size();
  const auto sentences = Sentences(text);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (detail.begin >= sentences[i].second) continue;
    detail.sentence = text.substr(sentences[i].first, sentences[i].second - sentences[i].first);
    detail.question = QuestionFor(text, sentences, i, value);
    break;
  }
  return detail;
}

std::vector<ExactDetail> FindExactDetails(std::string_view text) {
  std::vector<ExactDetail> found;
  const auto sentences = Sentences(text);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::size_t first = found.size();
    FindIn(text, sentences[i].first, sentences[i].second, &found);
    for (std::size_t d = first; d < found.size(); ++d) {
      found[d].question = QuestionFor(text, sentences, i, found[d].value);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const ExactDetail& a, const ExactDetail& b) { return a.begin < b.begin; });
  return found;
}

}  // namespace liubai::tools
