// What the question says of order and negation, and what essences say of the turns they cover.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/macros.h"
#include "memory/question_relation.h"
#include "memory/retrieval_impl.h"

namespace liubai::inline v1 {
namespace {

constexpr double kDay_ms = 86'400'000;

}  // namespace

// The event is searched for by itself; then a turn counts the more, the nearer it is to it on the
// right side, or to the day that is so long before or after it.
Status Retriever::Impl::AddOrder(const memory::QuestionReading& reading, const RecallQuery& query,
                                 std::vector<Candidate>& candidates) const {
  constexpr std::int64_t kEvents = 3;
  constexpr double kLeastOfBest = 0.6;
  constexpr double kNear_days = 30;
  const TurnFilter filter = Bound(query.filter);
  for (const memory::OrderAnchor& anchor : memory::ReadOrderAnchors(query.text, reading)) {
    LIUBAI_ASSIGN_OR_RETURN(const TextHits hits,
                            store->SearchTextFields(anchor.event, filter, kEvents));
    std::lock_guard lock(mutex);
    for (const TextHit& hit : hits.turn) {
      const memory::TurnMeta* const event = table.Find(hit.turn_id);
      const double sure = hit.score / hits.turn.front().score;
      if (event == nullptr || sure < kLeastOfBest) continue;
      for (Candidate& candidate : candidates) {
        if (candidate.id == event->id) continue;
        const auto at = std::pair(candidate.meta->time_ms, candidate.id);
        if ((at < std::pair(event->time_ms, event->id)) != anchor.before) continue;
        const double days =
            std::abs(static_cast<double>(candidate.meta->time_ms - event->time_ms)) / kDay_ms;
        const double off = anchor.days ? std::abs(days - *anchor.days) : days;
        const double reach = anchor.days ? std::max(1.0, *anchor.days / 4) : kNear_days;
        candidate.Raise(RecallField::kOrder, sure * std::exp(-off / reach));
      }
    }
  }
  return Status();
}

// Of the best candidates, since their texts are read.
Status Retriever::Impl::AddNegation(const memory::QuestionReading& reading,
                                    const RecallQuery& query,
                                    std::span<Candidate> candidates) const {
  const std::vector<std::string> terms = memory::NegatedTerms(query.text, reading);
  if (terms.empty()) return Status();
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<Turn> turns, TurnsOf(candidates));
  std::unordered_map<TurnId, double> denied;
  for (const Turn& turn : turns) {
    if (const double value = memory::DeniesToo(turn.text, terms); value > 0) {
      denied[turn.id] = value;
    }
  }
  for (Candidate& candidate : candidates) {
    const auto found = denied.find(candidate.id);
    if (found != denied.end()) candidate.value[RecallField::kNegation] = found->second;
  }
  return Status();
}

// REQUIRES: the mutex is held.
Status Retriever::Impl::RefreshEssences() const {
  LIUBAI_ASSIGN_OR_RETURN(const auto stamp, store->EssenceStamp(options.tenant));
  if (stamp == essence_stamp) return Status();
  // Most often some were added; after a removal all are read anew.
  const auto [count, last, characters] = essence_stamp;
  LIUBAI_ASSIGN_OR_RETURN(std::vector<Essence> fresh, store->EssencesAfter(last, options.tenant));
  std::int64_t more = 0;
  for (const Essence& essence : fresh) {
    more += static_cast<std::int64_t>(CountCodePoints(essence.text));
  }
  if (count + static_cast<std::int64_t>(fresh.size()) != stamp[0] ||
      characters + more != stamp[2]) {
    essences.clear();
    essence_terms.Clear();
    LIUBAI_ASSIGN_OR_RETURN(fresh, store->EssencesAfter(0, options.tenant));
  }
  for (const Essence& essence : fresh) {
    if (essence.first_turn == 0 || essence.last_turn < essence.first_turn) continue;
    essences.push_back({essence.session_id, essence.first_turn, essence.last_turn});
    essence_terms.Add(essence.text);
  }
  essence_stamp = stamp;
  return Status();
}

// How much of the question an essence has, by how much its words tell, goes to the turns it covers;
// to each of many less.
Result<std::vector<std::pair<TurnId, double>>> Retriever::Impl::EssenceValues(
    const RecallResult& result, const TurnFilter& filter) const {
  constexpr double kLeast = 0.5;       // Of the question.
  constexpr double kInFull_turns = 8;  // Covered turns up to which each counts in full.
  constexpr std::size_t kMostTurns = 256;
  std::vector<std::pair<TurnId, double>> values;
  double total = 0;
  for (const double weight : result.term_weights) total += weight;
  if (total <= 0) return values;
  std::lock_guard lock(mutex);
  LIUBAI_RETURN_IF_ERROR(RefreshEssences());
  if (essences.empty()) return values;
  const memory::CompiledFilter allows(filter, table);
  const std::vector<double> has = essence_terms.Weigh(result.terms, result.term_weights);
  std::vector<std::pair<double, const CoveredTurns*>> fit;
  for (std::size_t i = 0; i < essences.size(); ++i) {
    const CoveredTurns& essence = essences[i];
    if (has[i] / total < kLeast || (filter.session && *filter.session != essence.session)) continue;
    const double turns = static_cast<double>(essence.last_turn - essence.first_turn + 1);
    fit.emplace_back(has[i] / total * std::min(1.0, std::sqrt(kInFull_turns / turns)), &essence);
  }
  std::sort(fit.begin(), fit.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second > b.second;
  });
  std::unordered_set<TurnId> seen;
  for (const auto& [value, essence] : fit) {
    for (TurnId id = essence->first_turn; id <= essence->last_turn; ++id) {
      if (values.size() == kMostTurns) return values;
      const memory::TurnMeta* const meta = table.Find(id);
      if (meta == nullptr || meta->session != essence->session || !allows(id)) continue;
      if (seen.insert(id).second) values.emplace_back(id, value);
    }
  }
  return values;
}

}  // namespace liubai::inline v1
