#include "memory/ledger.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "memory/ledger_query.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

using words::Has;

constexpr std::array<std::string_view, kDetailKinds> kKindNames = {
    "number",     "money",   "percent",    "date",  "time",     "name",    "identifier",
    "url",        "email",   "phone",      "code",  "file",     "quote",   "rule",
    "preference", "allergy", "correction", "place", "negation", "promise", "question"};

}  // namespace

std::string_view DetailKindName(DetailKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

std::span<const std::string_view> DetailKindNames() { return kKindNames; }

std::optional<DetailKind> DetailKindOf(std::string_view name) {
  const auto at = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (at == kKindNames.end()) return {};
  return static_cast<DetailKind>(at - kKindNames.begin());
}

bool IsLasting(DetailKind kind) {
  return kind == DetailKind::kRule || kind == DetailKind::kPreference ||
         kind == DetailKind::kAllergy || kind == DetailKind::kCorrection;
}

bool IsStatement(DetailKind kind) {
  switch (kind) {
    case DetailKind::kRule:
    case DetailKind::kPreference:
    case DetailKind::kAllergy:
    case DetailKind::kCorrection:
    case DetailKind::kNegation:
    case DetailKind::kPromise:
    case DetailKind::kQuestion:
      return true;
    default:
      return false;
  }
}

std::vector<TextRange> SplitSentences(std::string_view text) {
  std::vector<TextRange> sentences;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end) {
    const std::string_view part = TrimmedView(text.substr(begin, end - begin), kBlanks);
    if (!part.empty()) {
      const auto at = static_cast<std::uint32_t>(part.data() - text.data());
      sentences.push_back({at, at + static_cast<std::uint32_t>(part.size())});
    }
    begin = end;
  };
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    const std::size_t next = i + point.length;
    const std::int32_t c = point.value;
    if (c == '\n' || c == 0x3002 || c == 0xFF01 || c == 0xFF1F || c == 0xFF1B) {
      // A quotation mark that closes behind the stop belongs to what it closes.
      std::size_t end = next;
      for (std::string_view close : {"”", "」", "』", "）"}) {
        if (c != '\n' && text.substr(next).starts_with(close)) end = next + close.size();
      }
      cut(end);
      i = end;
      continue;
    } else if ((c == '.' || c == '!' || c == '?') &&
               (next >= text.size() || text[next] == ' ' || text[next] == '\n' ||
                text[next] == '"' || static_cast<unsigned char>(text[next]) >= 0x80)) {
      std::size_t word = i;
      while (word > begin && IsAsciiLetter(static_cast<unsigned char>(text[word - 1]))) --word;
      const std::string last = ToLowerUtf8(text.substr(word, i - word));
      static constexpr std::string_view kShort[] = {"mr", "mrs", "ms",  "dr", "prof",  "st",
                                                    "vs", "e.g", "i.e", "no", "approx"};
      const bool initial =
          last.size() == 1 && text[word] >= 'A' && text[word] <= 'Z' && text[word] != 'I';
      const bool half_day = (last == "m") && word >= 2 && text[word - 1] == '.';
      // "no." is a number's sign only before a digit; "no" ends many sentences.
      const bool short_word =
          Has(kShort, last) &&
          !(last == "no" && !(next + 1 < text.size() && IsAsciiDigit(text[next + 1])));
      if (c != '.' ||
          !(short_word || initial ||
            (half_day && next + 1 < text.size() && text[next] == ' ' && text[next + 1] >= 'a'))) {
        cut(next);
      }
    }
    i = next;
  }
  cut(text.size());
  return sentences;
}

bool IsQuestion(std::string_view text) {
  std::string_view trimmed = TrimmedView(text, kBlanks);
  if (trimmed.ends_with("?") || trimmed.ends_with("？")) return true;
  static constexpr std::string_view kEnds[] = {"吗", "呢", "什么", "多少", "哪里", "几点"};
  for (std::string_view stop : {"。", "！", ".", "!"}) {
    if (trimmed.ends_with(stop)) trimmed.remove_suffix(stop.size());
  }
  // 太阳在山顶上等着咱们呢 tells.
  static constexpr std::string_view kTells[] = {"着", "还没", "正在", "才", "可", "多着", "好着"};
  if (trimmed.ends_with("呢") && words::Holds(trimmed, kTells)) return false;
  for (std::string_view end : kEnds) {
    if (trimmed.ends_with(end)) return true;
  }
  return false;
}

std::vector<Detail> ExtractDetails(std::string_view text) {
  std::vector<Detail> details = DetailScanner(text).Values();
  const std::vector<TextRange> sentences = SplitSentences(text);
  for (const TextRange& range : sentences) {
    if (details.size() >= kMostDetails) break;
    FindStatements(text, range, &details);
  }
  std::stable_sort(details.begin(), details.end(), [](const Detail& a, const Detail& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::size_t index = 0;
  for (Detail& detail : details) {
    while (index + 1 < sentences.size() && sentences[index].end <= detail.begin) ++index;
    if (sentences.empty()) break;
    const TextRange range = sentences[index];
    // A sentence of a table can be a page long.
    const std::uint32_t begin =
        range.end - range.begin > 1200
            ? (detail.begin > range.begin + 300 ? detail.begin - 300 : range.begin)
            : range.begin;
    std::uint32_t from = begin;
    while (from < detail.begin && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
    std::string_view sentence = text.substr(from, range.end - from);
    if (sentence.size() > 1200) sentence = TruncateUtf8(sentence, 1200);
    detail.sentence = std::string(sentence);
    static constexpr std::string_view kSelf[] = {"i",  "i'm", "my",   "me",
                                                 "we", "our", "i've", "i'd"};
    std::size_t unused = 0;
    const std::string lower = ToLowerUtf8(sentence);
    detail.first_person = FindAnyWord(lower, kSelf, &unused) != std::string::npos ||
                          sentence.find("我") != std::string_view::npos;
  }
  index = 0;
  for (Detail& detail : details) {
    while (index + 1 < sentences.size() && sentences[index].end <= detail.begin) ++index;
    if (sentences.empty()) break;
    detail.query = ProofQuery(text, sentences, index, details, detail);
  }
  return details;
}

}  // namespace liubai::memory
