#include "memory/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "core/macros.h"
#include "core/text.h"
#include "memory/essence.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger.h"
#include "memory/ledger_scan.h"
#include "memory/month_names.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

constexpr std::size_t kMostAround_bytes = 500;
constexpr std::size_t kMostBefore_bytes = 160;

std::string MonthOf(std::int64_t time_ms, bool chinese) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(time_ms))));
  const auto month = static_cast<unsigned>(day.month());
  const auto year = static_cast<int>(day.year());
  return chinese ? fmt::format("{}年{}月", year, month)
                 : fmt::format("in {} {}", kMonthNames[month - 1], year);
}

// As much of the turn around its sentence as a person would remember, without the value.
std::string Around(std::string_view text, std::string_view sentence, std::string_view value) {
  const std::size_t found = text.find(sentence);
  std::size_t begin = found == std::string_view::npos || found < kMostAround_bytes / 2
                          ? 0
                          : found - kMostAround_bytes / 2;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  return Without(TruncateUtf8(text.substr(begin), kMostAround_bytes), value);
}

bool IsAsciiLetterOrSign(char c) {
  return IsAsciiLetter(static_cast<unsigned char>(c)) || c == '_';
}

// Whole: no digit, letter, or decimal of a longer one touches it.
bool StandsIn(std::string_view text, std::string_view value) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = text.find(value); at != std::string_view::npos;
       at = text.find(value, at + 1)) {
    const std::size_t end = at + value.size();
    const char before = at > 0 ? text[at - 1] : ' ', after = end < text.size() ? text[end] : ' ';
    const bool decimal_before = at > 1 && (before == '.' || before == ',') && digit(text[at - 2]);
    const bool decimal_after =
        end + 1 < text.size() && (after == '.' || after == ',') && digit(text[end + 1]);
    const bool longer = (digit(value.front()) && (digit(before) || decimal_before)) ||
                        (digit(value.back()) && (digit(after) || decimal_after)) ||
                        (IsAsciiLetterOrSign(value.front()) && IsAsciiLetterOrSign(before)) ||
                        (IsAsciiLetterOrSign(value.back()) && IsAsciiLetterOrSign(after));
    if (!longer) return true;
  }
  return false;
}

// "Turns 3–8 (2024-05-01): " off.
std::string_view WithoutHeading(std::string_view line) {
  if (!line.starts_with("Turns ")) return line;
  const std::size_t colon = line.find(": ");
  return colon == std::string_view::npos ? line : line.substr(colon + 2);
}

}  // namespace

Result<bool> Prover::IsFound(const Turn& turn, const std::string& query) {
  // "It is" finds its turn among few, and no more when there are many.
  if (!HasContent(query)) return false;
  const auto key = std::pair(turn.id, query);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (stop_.stop_requested()) return Status(StatusCode::kCancelled, "the proof was cancelled");
  RecallQuery recall;
  recall.text = query;
  recall.filter.tenant = tenant_;
  recall.limit = kProofDepth;
  recall.now_ms = now_ms_;
  ++searches_;
  LIUBAI_ASSIGN_OR_RETURN(const RecallResult hits, retriever_.Recall(recall, stop_));
  const bool found = std::any_of(hits.hits.begin(), hits.hits.end(), [&](const RecallHit& hit) {
    // The same words in another turn answer as well, but not one sentence of it: "It costs $1,900"
    // is of something else there.
    return hit.turn.id == turn.id || hit.turn.text == turn.text;
  });
  known_.emplace(key, found);
  return found;
}

Result<std::string> Prover::FindingQuery(const Turn& turn, const Turn* before,
                                         std::string_view sentence, std::string_view value,
                                         const std::string& query) {
  std::vector<std::string> queries = {query};
  if (turn.text.size() > sentence.size()) queries.push_back(Around(turn.text, sentence, value));
  queries.push_back(query + " " + MonthOf(turn.time_ms, MostlyChinese(turn.text)));
  if (before != nullptr) {
    queries.push_back(Without(TruncateUtf8(OneLine(before->text), kMostBefore_bytes), value) + " " +
                      query);
  }
  for (std::string& one : queries) {
    LIUBAI_ASSIGN_OR_RETURN(const bool found, IsFound(turn, one));
    if (found) return std::move(one);
  }
  return std::string();
}

Carried::Carried(std::string_view text) {
  for (std::string& sentence : SentencesOfEssence(text)) {
    auto terms = TermSet(sentence);
    sentences_.push_back({std::move(sentence), std::move(terms)});
  }
}

bool Carried::Has(std::string_view value, std::string_view sentence) const {
  if (value.empty()) return false;
  std::vector<std::string> terms;
  bool asked = false;
  for (const Sentence& one : sentences_) {
    if (!StandsIn(one.text, value)) continue;
    if (!std::exchange(asked, true)) terms = QueryTerms(Without(sentence, value));
    if (terms.empty() || std::any_of(terms.begin(), terms.end(), [&](const std::string& term) {
          return one.terms.contains(term);
        })) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> SentencesOfEssence(std::string_view text) {
  std::vector<std::string> sentences;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = WithoutHeading(text.substr(at, end - at));
    at = end + 1;
    for (const TextRange range : SplitSentences(line))
      sentences.emplace_back(line.substr(range.begin, range.end - range.begin));
  }
  return sentences;
}

std::string_view SentenceAt(std::string_view text, std::size_t at) {
  for (const TextRange range : SplitSentences(text)) {
    if (at < range.end) return text.substr(range.begin, range.end - range.begin);
  }
  return text;
}

}  // namespace liubai::memory
