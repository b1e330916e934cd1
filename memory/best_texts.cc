#include "memory/best_texts.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace liubai::memory {
namespace {

// Sums of floats differ in the last bits by their order; bounds are wider than that.
constexpr float kSlack = 1.0001f;
// Shorter lists are gone through sooner than it is found out whether they may be left.
constexpr std::size_t kShortList = 512;

// All zero between searches: to clear what a search touched is less than to make it anew.
struct Scratch {
  std::vector<float> scores;           // By turn.
  std::vector<std::int32_t> counts;    // By turn, of one term.
  std::vector<std::uint32_t> touched;  // By one term.
  std::vector<std::uint32_t> candidates;
  std::vector<float> sorted;
};

class Search {
 public:
  Search(ScoredText text, const WordTable& table, const ScoredLengths& lengths, Scratch& scratch)
      : windows_(text == ScoredText::kWindow), table_(table), lengths_(lengths), s_(scratch) {
    if (s_.scores.size() < table.places()) {
      s_.scores.resize(table.places());
      s_.counts.resize(table.places());
    }
    s_.candidates.clear();
  }

  // Every text that has the term, but those that have none before it and cannot reach `threshold`
  // with `rest` of those behind it.
  void AddAll(const ScoredTerm& term, float threshold, float rest) {
    const auto Add = [&](std::uint32_t turn, int count) {
      const float score = ScoreOf(term, turn, count);
      if (s_.scores[turn] == 0) {
        if ((score + rest) * kSlack < threshold) return;
        s_.candidates.push_back(turn);
      }
      s_.scores[turn] += score;
    };
    if (!windows_) {
      term.list->ForEach(Add);
      return;
    }
    s_.touched.clear();
    term.list->ForEach([&](std::uint32_t turn, int count) {
      const auto touch = [&](std::uint32_t id) {
        if (s_.counts[id] == 0) s_.touched.push_back(id);
        s_.counts[id] += count;
      };
      touch(turn);
      for (const std::uint32_t id : table_.beside(turn)) {
        if (id != 0) touch(id);
      }
    });
    for (const std::uint32_t id : s_.touched) Add(id, std::exchange(s_.counts[id], 0));
  }

  // Candidates only. REQUIRES: they are in order.
  void AddToCandidates(const ScoredTerm& term) {
    TermPostings::Cursor cursor(*term.list);
    for (const std::uint32_t turn : s_.candidates) {
      int count = 0;
      if (windows_) {
        // In order, as turns beside each other mostly are: the cursor moves little.
        const WordTable::Beside& beside = table_.beside(turn);
        if (beside[0] != 0) count += cursor.CountOf(beside[0]);
        if (beside[1] != 0) count += cursor.CountOf(beside[1]);
        count += cursor.CountOf(turn);
        if (beside[2] != 0) count += cursor.CountOf(beside[2]);
        if (beside[3] != 0) count += cursor.CountOf(beside[3]);
      } else {
        count = cursor.CountOf(turn);
      }
      if (count > 0) s_.scores[turn] += ScoreOf(term, turn, count);
    }
  }

  // The score of the last of the `wanted` best; 0 while there are fewer. `least`: what it was
  // before; scores only grow.
  float Threshold(std::size_t wanted, float least,
                  const std::function<bool(std::uint32_t)>& allows) {
    s_.sorted.clear();
    for (const std::uint32_t turn : s_.candidates) {
      if (s_.scores[turn] < least || (allows && !allows(turn))) continue;
      s_.sorted.push_back(s_.scores[turn]);
    }
    if (s_.sorted.size() < wanted) return least;
    const auto last = s_.sorted.begin() + static_cast<std::ptrdiff_t>(wanted - 1);
    std::nth_element(s_.sorted.begin(), last, s_.sorted.end(), std::greater<>());
    return *last;
  }

  // Drops candidates that cannot reach `threshold`.
  void Prune(float threshold, float rest, const std::function<bool(std::uint32_t)>& allows) {
    std::erase_if(s_.candidates, [&](std::uint32_t turn) {
      if ((s_.scores[turn] + rest) * kSlack >= threshold && (!allows || allows(turn))) return false;
      s_.scores[turn] = 0;
      return true;
    });
  }

  void SortCandidates() {
    if (s_.candidates.size() < s_.scores.size() / 64) {
      std::ranges::sort(s_.candidates);
      return;
    }
    // So many are found sooner where they are: only candidates have a score.
    s_.candidates.clear();
    for (std::size_t turn = 0; turn < s_.scores.size(); ++turn) {
      if (s_.scores[turn] != 0) s_.candidates.push_back(static_cast<std::uint32_t>(turn));
    }
  }
  std::size_t candidates() const { return s_.candidates.size(); }

  std::vector<BestText> Take(std::size_t wanted, float threshold,
                             const std::function<bool(std::uint32_t)>& allows) {
    std::vector<BestText> best;
    const float least = Threshold(wanted, threshold, allows);
    for (const std::uint32_t turn : s_.candidates) {
      const float score = std::exchange(s_.scores[turn], 0.0f);
      if (score >= least && (!allows || allows(turn))) best.push_back({turn, score});
    }
    std::ranges::sort(best, [](const BestText& a, const BestText& b) {
      return a.score != b.score ? a.score > b.score : a.turn > b.turn;
    });
    if (best.size() > wanted) best.resize(wanted);
    return best;
  }

 private:
  float ScoreOf(const ScoredTerm& term, std::uint32_t turn, int count) const {
    const float tf = static_cast<float>(count);
    const float words =
        static_cast<float>(windows_ ? table_.window_words(turn) : table_.words(turn));
    return term.gain * tf / (tf + lengths_.base + lengths_.slope * words);
  }

  const bool windows_;
  const WordTable& table_;
  const ScoredLengths lengths_;
  Scratch& s_;
};

}  // namespace

std::vector<BestText> BestTexts(ScoredText text, const WordTable& table,
                                std::span<const ScoredTerm> rarest_first,
                                const ScoredLengths& lengths, std::size_t wanted,
                                const std::function<bool(std::uint32_t)>& allows) {
  if (wanted == 0) return {};
  static thread_local Scratch scratch;
  Search search(text, table, lengths, scratch);
  // The most that terms from the i-th on give a text.
  std::vector<float> rest(rarest_first.size() + 1);
  for (std::size_t i = rarest_first.size(); i-- > 0;) {
    const TermPostings& list = *rarest_first[i].list;
    const TermImpact& impact = text == ScoredText::kTurn ? list.turn_impact : list.window_impact;
    rest[i] = rest[i + 1] + rarest_first[i].gain * impact.Bound(lengths.base, lengths.slope);
  }
  bool closed = false;
  float threshold = 0;  // Of the scores so far, which only grow.
  for (std::size_t i = 0; i < rarest_first.size(); ++i) {
    const std::size_t size = rarest_first[i].list->size();
    if (size > kShortList && search.candidates() >= wanted && search.candidates() < 8 * size) {
      threshold = search.Threshold(wanted, threshold, allows);
      const bool closes = !closed && threshold > rest[i] * kSlack;
      closed = closed || closes;
      if (closed) search.Prune(threshold, rest[i], allows);
      if (closes) search.SortCandidates();
    }
    if (closed) {
      search.AddToCandidates(rarest_first[i]);
    } else {
      search.AddAll(rarest_first[i], threshold, rest[i + 1]);
    }
  }
  return search.Take(wanted, threshold, allows);
}

}  // namespace liubai::memory
