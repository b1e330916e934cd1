#include "memory/retrieval_list.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/text.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

constexpr std::size_t kItem_bytes = 280;
constexpr std::size_t kCompared = 256;  // Of the best: what is far down is not worth the time.
constexpr int kFreeTurns = 2;           // Of one session, before its others yield.
constexpr double kYielding = 0.85;      // Times this for each further one.

std::string_view Shown(const RecallHit& hit) {
  return std::string_view(hit.turn.text).substr(hit.begin, hit.end - hit.begin);
}

}  // namespace

bool WantsSeveral(const QuestionReading& reading) {
  return CountsUp(reading) || reading.Has(QuestionTrait::kList);
}

bool CountsUp(const QuestionReading& reading) {
  return reading.Has(QuestionTrait::kCount) || reading.Has(QuestionTrait::kTotal);
}

std::pair<std::size_t, std::size_t> ItemExcerpt(std::string_view text,
                                                const std::vector<std::string>& terms) {
  if (text.size() <= kItem_bytes) return {0, text.size()};
  const std::set<std::string> wanted(terms.begin(), terms.end());
  const std::vector<TextRange> sentences = SplitSentences(text);
  std::vector<std::size_t> has;
  for (const TextRange& range : sentences) {
    std::set<std::string> found;
    TokenizeText(text.substr(range.begin, range.end - range.begin),
                 [&](std::string_view term, bool) {
                   if (wanted.contains(std::string(term))) found.emplace(term);
                 });
    has.push_back(found.size());
  }
  if (sentences.empty()) return {0, TruncateUtf8(text, kItem_bytes).size()};
  // The best sentence, and those beside it as long as there is room, the fuller side first.
  std::size_t first = static_cast<std::size_t>(std::ranges::max_element(has) - has.begin());
  std::size_t last = first;
  while (true) {
    const auto Fits = [&](std::size_t from, std::size_t to) {
      return sentences[to].end - sentences[from].begin <= kItem_bytes;
    };
    const bool before = first > 0 && Fits(first - 1, last);
    const bool after = last + 1 < sentences.size() && Fits(first, last + 1);
    if (!before && !after) break;
    if (after && (!before || has[last + 1] >= has[first - 1])) {
      ++last;
    } else {
      --first;
    }
  }
  const std::size_t begin = sentences[first].begin;
  const std::string_view shown = text.substr(begin, sentences[last].end - begin);
  return {begin, begin + TruncateUtf8(shown, 2 * kItem_bytes).size()};
}

void GatherItems(RecallResult& result, std::size_t limit, bool spread) {
  std::vector<RecallHit> kept;
  std::vector<Terms> told;
  for (RecallHit& hit : result.hits) {
    const auto [begin, end] = ItemExcerpt(hit.turn.text, result.terms);
    hit.begin = static_cast<std::uint32_t>(begin);
    hit.end = static_cast<std::uint32_t>(end);
    if (kept.size() >= kCompared) {
      kept.push_back(std::move(hit));
      continue;
    }
    Terms terms = TermsOf(Shown(hit));
    const auto same = std::ranges::find_if(
        told, [&](const Terms& other) { return terms.size() > 2 && Repeats(terms, other); });
    if (same != told.end()) {
      RecallHit& first = kept[static_cast<std::size_t>(same - told.begin())];
      first.same.push_back({hit.turn.id, hit.turn.session_id, hit.turn.time_ms});
      continue;
    }
    told.push_back(std::move(terms));
    kept.push_back(std::move(hit));
  }
  std::unordered_map<SessionId, int> of_session;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    double key = kept[i].score;
    const int earlier = of_session[kept[i].turn.session_id]++;
    for (int turn = kFreeTurns; spread && turn <= earlier; ++turn) key *= kYielding;
    order.emplace_back(key, i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  result.hits.clear();
  for (const auto& [key, i] : order) {
    if (result.hits.size() == limit) break;
    std::sort(kept[i].same.begin(), kept[i].same.end(),
              [](const RecallSource& a, const RecallSource& b) {
                return std::pair(a.time_ms, a.turn) < std::pair(b.time_ms, b.turn);
              });
    result.hits.push_back(std::move(kept[i]));
  }
}

}  // namespace liubai::memory
