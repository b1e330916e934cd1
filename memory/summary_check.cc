#include "memory/summary_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/text.h"
#include "memory/essence.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

// Words that a summary needs and a conversation does not: they prove nothing either way.
constexpr std::string_view kSummaryWords =
    "user users assistant conversation summary told tells tell said says say mentioned mentions "
    "mention asked asks ask discussed discuss decided decides decide talked talks talk stated "
    "shared explained wants wanted plans planned also about additionally finally";
constexpr std::string_view kChineseSummaryWords[] = {
    "用户", "助手", "对话", "总结", "提到", "决定", "讨论", "告诉", "询问", "希望",
    "表示", "谈到", "介绍", "建议", "说了", "说明", "他们", "她们", "并且", "以及"};

Terms OwnTerms(std::string sentence) {
  static const Terms kBoilerplate = TermsOf(kSummaryWords);
  for (std::string_view word : kChineseSummaryWords) sentence = Without(sentence, word);
  Terms terms = TermsOf(sentence);
  std::erase_if(terms, [](const std::string& term) { return kBoilerplate.contains(term); });
  return terms;
}

// What the turns say, as a summary's sentence is compared with it.
struct Said {
  std::unordered_set<std::string> numbers;
  std::string text;                                    // Lower case.
  std::string names;                                   // The same without full stops and titles.
  std::vector<std::unordered_set<std::string>> words;  // Of each turn.
};

// "dr. chen" and "mr chen" are "chen": words by one blank each, titles and stops left out.
std::string PlainName(std::string_view lower) {
  std::string plain, word;
  for (std::size_t i = 0; i <= lower.size(); ++i) {
    const bool blank = i == lower.size() || lower[i] == ' ' || lower[i] == '\n';
    if (!blank && lower[i] != '.' && lower[i] != ',') word += lower[i];
    if (!blank || word.empty()) continue;
    if (!words::Has(words::kTitles, word)) {
      if (!plain.empty()) plain += ' ';
      plain += word;
    }
    word.clear();
  }
  return plain;
}

Said ReadTurns(const std::vector<Turn>& turns) {
  Said said;
  for (const Turn& turn : turns) {
    for (std::string& number : NumbersIn(turn.text)) said.numbers.insert(std::move(number));
    const std::string text =
        fmt::format("{} {}\n", ToLowerUtf8(turn.speaker), ToLowerUtf8(turn.text));
    said.text += text;
    said.words.push_back(TermSet(text));
    // The date of a turn is known too.
    const std::string day = FormatDay(turn.time_ms);
    for (std::string& number : NumbersIn(day)) said.numbers.insert(std::move(number));
  }
  said.names = fmt::format(" {} ", PlainName(said.text));
  return said;
}

bool InventsNumber(std::string_view sentence, const Said& said) {
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    if (!IsAsciiDigit(static_cast<unsigned char>(sentence[at]))) continue;
    std::size_t end = at;
    while (end < sentence.size() && (IsAsciiDigit(static_cast<unsigned char>(sentence[end])) ||
                                     sentence[end] == '.' || sentence[end] == ','))
      ++end;
    for (const std::string& number : NumbersIn(sentence.substr(at, end - at))) {
      if (!said.numbers.contains(number)) return true;
    }
    at = end;
  }
  return false;
}

bool InventsLiteral(std::string_view sentence, const Said& said) {
  for (const Detail& detail : ExtractDetails(sentence)) {
    const bool literal = detail.kind == DetailKind::kName || detail.kind == DetailKind::kEmail ||
                         detail.kind == DetailKind::kUrl || detail.kind == DetailKind::kFile ||
                         detail.kind == DetailKind::kPhone ||
                         detail.kind == DetailKind::kIdentifier ||
                         detail.kind == DetailKind::kQuote;
    if (!literal) continue;
    const std::string value = ToLowerUtf8(detail.text);
    if (said.text.find(value) != std::string::npos) continue;
    if (detail.kind != DetailKind::kName) return true;
    if (value == "user" || value == "assistant") continue;
    const std::string plain = PlainName(value);
    if (!plain.empty() && said.names.find(fmt::format(" {} ", plain)) != std::string::npos)
      continue;
    // One word at the beginning may be no name at all, but another form of a word that was said.
    bool another_form = sentence.starts_with(detail.text) && value.find(' ') == std::string::npos;
    if (another_form) {
      const auto terms = QueryTerms(value);
      another_form = std::any_of(said.words.begin(), said.words.end(), [&](const auto& words) {
        return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const auto& term) {
          return words.contains(term);
        });
      });
    }
    if (!another_form) return true;
  }
  return false;
}

// Most of its words must be those of one turn: a small model likes to sum up its instructions
// instead, and to join what two turns said.
bool SpeaksOfElse(const std::string& sentence, const Said& said) {
  const Terms terms = OwnTerms(sentence);
  std::size_t most = 0;
  for (const auto& words : said.words) {
    std::size_t known = 0;
    for (const std::string& term : terms) known += words.contains(term);
    most = std::max(most, known);
  }
  if (terms.size() < 3) return most == 0;
  // Pairs of characters fit a paraphrase less often than words do.
  return MostlyChinese(sentence) ? most * 2 < terms.size() : most * 5 < terms.size() * 3;
}

// "- ", "* " and "2. " before a line of a list.
std::string_view WithoutListMark(std::string_view line) {
  line = Trim(line);
  if (line.starts_with("- ") || line.starts_with("* ")) return Trim(line.substr(2));
  std::size_t digits = 0;
  while (digits < line.size() && IsAsciiDigit(static_cast<unsigned char>(line[digits]))) ++digits;
  const std::string_view rest = line.substr(digits);
  const bool mark = digits > 0 && digits <= 2 && (rest.starts_with(". ") || rest.starts_with(") "));
  return mark ? Trim(rest.substr(2)) : line;
}

// The turn that says exactly this, or null.
const Turn* SaidBy(const std::string& sentence, const std::vector<Turn>& turns) {
  const auto turn = std::find_if(turns.begin(), turns.end(), [&](const Turn& one) {
    return OneLine(one.text).find(sentence) != std::string::npos;
  });
  return turn == turns.end() ? nullptr : &*turn;
}

// "I", "my", 我: said by the one who says it.
bool SpeaksOfItself(std::string_view sentence) {
  static constexpr std::string_view kSelf[] = {"i", "i'm", "my", "me", "we", "our", "i've", "i'd"};
  std::size_t end = 0;
  return FindAnyWord(ToLowerUtf8(sentence), kSelf, &end) != std::string::npos ||
         sentence.find("我") != std::string_view::npos;
}

}  // namespace

std::vector<std::string> CheckedSentences(std::string_view summary, const std::vector<Turn>& turns,
                                          std::vector<std::string>* rejected) {
  const Said said = ReadTurns(turns);
  std::vector<std::string> checked;
  std::unordered_set<std::string> seen;
  for (std::size_t at = 0; at < summary.size();) {
    const std::size_t end = std::min(summary.find('\n', at), summary.size());
    const std::string_view line = WithoutListMark(summary.substr(at, end - at));
    at = end + 1;
    for (const TextRange range : SplitSentences(line)) {
      std::string sentence = OneLine(line.substr(range.begin, range.end - range.begin));
      if (!seen.insert(ToLowerUtf8(sentence)).second || IsSmallTalk(sentence)) continue;
      const Turn* source = SpeaksOfItself(sentence) ? SaidBy(sentence, turns) : nullptr;
      if (sentence.ends_with("…") || InventsNumber(sentence, said) ||
          InventsLiteral(sentence, said) || SpeaksOfElse(sentence, said)) {
        if (rejected != nullptr) rejected->push_back(std::move(sentence));
        continue;
      }
      checked.push_back(source == nullptr ? std::move(sentence)
                                          : fmt::format("{}: {}", SpeakerOf(*source), sentence));
    }
  }
  return checked;
}

std::string CheckedSummary(std::string_view summary, const std::vector<Turn>& turns,
                           std::vector<std::string>* rejected) {
  std::string text;
  for (const std::string& sentence : CheckedSentences(summary, turns, rejected)) {
    if (!text.empty()) text += ' ';
    text += sentence;
  }
  return text;
}

}  // namespace liubai::memory
