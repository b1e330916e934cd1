#include "memory/turn_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/macros.h"
#include "core/text.h"
#include "memory/fts_tokenizer.h"
#include "memory/question.h"

namespace liubai::memory {
namespace {

constexpr std::int64_t kPage = 1000;

// Calls `add` on each turn above `last`, in order of id.
template <class Add>
Status ReadNew(const Store& store, TenantId tenant, TurnId last, const Add& add) {
  while (true) {
    TurnFilter filter;
    filter.tenant = tenant;
    filter.after_turn = last;
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Turn> turns, store.Turns(filter, kPage));
    for (const Turn& turn : turns) {
      add(turn);
      last = std::max(last, turn.id);
    }
    if (turns.size() < static_cast<std::size_t>(kPage)) return Status();
  }
}

// As a word's rarity in BM25, so that "last year" counts less than "last Saturday".
double Rarity(std::size_t all, std::size_t matching) {
  const double n = static_cast<double>(all);
  return std::log((n + 1) / (std::max(1.0, static_cast<double>(matching)) + 0.5)) /
         std::log(n + 1.5);
}

// To the nearest of the ranges; 0: to none.
double BestCloseness(std::span<const TimeRange> ranges, std::int64_t time_ms) {
  double best = 0;
  for (const TimeRange& range : ranges) best = std::max(best, Closeness(range, time_ms));
  return best;
}

}  // namespace

Status TurnTable::Refresh(const Store& store, TenantId tenant) {
  return ReadNew(store, tenant, turns_.empty() ? 0 : turns_.back().id, [&](const Turn& turn) {
    TurnMeta meta;
    meta.id = turn.id;
    meta.session = turn.session_id;
    meta.time_ms = turn.time_ms;
    meta.role = turn.role;
    meta.bytes = static_cast<std::int32_t>(
        std::min<std::size_t>(turn.text.size(), std::numeric_limits<std::int32_t>::max()));
    meta.asks = EndsInQuestion(turn.text);
    for (const TimeExpression& time : TimeExpressionsInTurn(turn.text, turn.time_ms)) {
      // Coarser times than a month are spoken of everywhere and find nothing.
      if (time.relation != TimeRelation::kWithin || time.precision > TimePrecision::kMonth)
        continue;
      mentioned_[turn.id].push_back(time.range);
      meta.mentions = true;
    }
    if (turn.role == Role::kUser) meta.first_person = CountFirstPerson(turn.text);
    if (!turn.speaker.empty()) {
      meta.speaker =
          speakers_.emplace(ToLowerUtf8(turn.speaker), static_cast<std::int32_t>(speakers_.size()))
              .first->second;
    }
    TurnId& last = last_[turn.session_id];
    if (last != 0) {
      meta.previous = last;
      const_cast<TurnMeta*>(Find(last))->next = turn.id;
    }
    last = turn.id;
    turns_.push_back(meta);
  });
}

double TurnTable::Closeness(const TurnMeta& meta, std::span<const TimeRange> ranges) const {
  constexpr double kMentioned = 0.9;
  double best = BestCloseness(ranges, meta.time_ms);
  if (!meta.mentions || ranges.empty()) return best;
  for (const TimeRange& range : mentioned_.at(meta.id)) {
    best = std::max(
        best,
        kMentioned * BestCloseness(ranges, range.from_ms + (range.to_ms - range.from_ms) / 2));
  }
  return best;
}

const TurnMeta* TurnTable::Find(TurnId id) const {
  if (turns_.empty() || id < turns_.front().id || id > turns_.back().id) return nullptr;
  // Ids of one tenant mostly have no gaps.
  const std::size_t guess = static_cast<std::size_t>(id - turns_.front().id);
  if (guess < turns_.size() && turns_[guess].id == id) return &turns_[guess];
  const auto place = std::lower_bound(turns_.begin(), turns_.end(), id,
                                      [](const TurnMeta& meta, TurnId v) { return meta.id < v; });
  return place != turns_.end() && place->id == id ? &*place : nullptr;
}

std::array<TurnId, 4> TurnTable::Around(TurnId id) const {
  std::array<TurnId, 4> around = {0, 0, 0, 0};
  const TurnMeta* meta = Find(id);
  if (meta == nullptr) return around;
  around[1] = meta->previous;
  around[2] = meta->next;
  if (const TurnMeta* previous = Find(meta->previous)) around[0] = previous->previous;
  if (const TurnMeta* next = Find(meta->next)) around[3] = next->next;
  return around;
}

std::unordered_set<std::int32_t> TurnTable::SpeakersNamedIn(std::string_view text) const {
  std::unordered_set<std::int32_t> named;
  if (speakers_.empty()) return named;
  const std::string lower = ToLowerUtf8(text);
  const auto IsWordByte = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  for (const auto& [name, number] : speakers_) {
    if (name == "user" || name == "assistant" || name == "system" || name == "tool") continue;
    const std::string_view first = std::string_view(name).substr(0, name.find(' '));
    for (std::size_t at = lower.find(first); at != std::string::npos;
         at = lower.find(first, at + 1)) {
      const std::size_t end = at + first.size();
      const bool ascii = IsWordByte(static_cast<unsigned char>(first.back()));
      if (ascii && ((at > 0 && IsWordByte(static_cast<unsigned char>(lower[at - 1]))) ||
                    (end < lower.size() && IsWordByte(static_cast<unsigned char>(lower[end]))))) {
        continue;
      }
      named.insert(number);
      break;
    }
  }
  return named;
}

TurnTable::TimeMatches TurnTable::InTime(std::span<const TimeRange> ranges,
                                         std::size_t most) const {
  TimeMatches matches;
  std::vector<TurnId> ids;
  for (const TurnMeta& meta : turns_) {
    if (Closeness(meta, ranges) > 0) ids.push_back(meta.id);
  }
  matches.rarity = Rarity(turns_.size(), ids.size());
  for (std::size_t i = 0; i < std::min(most, ids.size()); ++i) {
    matches.turns.push_back(ids.size() <= most ? ids[i] : ids[i * ids.size() / most]);
  }
  return matches;
}

std::vector<std::pair<SessionId, double>> TurnTable::SessionsInTime(
    std::span<const TimeRange> ranges) const {
  std::unordered_map<SessionId, double> closeness;
  std::size_t in_time = 0;
  for (const TurnMeta& meta : turns_) {
    double& best = closeness[meta.session];
    const double now = Closeness(meta, ranges);
    if (best < 0.5 && now >= 0.5) ++in_time;
    best = std::max(best, now);
  }
  const double rarity = Rarity(closeness.size(), in_time);
  std::vector<std::pair<SessionId, double>> sessions;
  for (const auto& [session, value] : closeness) {
    if (value > 0) sessions.emplace_back(session, value * rarity);
  }
  return sessions;
}

std::unordered_map<SessionId, std::int64_t> TurnTable::FirstPersonBySession() const {
  std::unordered_map<SessionId, std::int64_t> counts;
  for (const TurnMeta& meta : turns_) {
    if (meta.first_person > 0) counts[meta.session] += meta.first_person;
  }
  return counts;
}

CompiledFilter::CompiledFilter(const TurnFilter& filter, const TurnTable& table)
    : filter_(filter), table_(table), exclude_(filter.exclude.begin(), filter.exclude.end()) {
  empty_ = !filter.session && filter.roles.empty() && filter.before_turn == 0 &&
           filter.after_turn == 0 && exclude_.empty() && !filter.from_ms && !filter.to_ms;
}

bool CompiledFilter::operator()(TurnId id) const {
  const TurnMeta* meta = table_.Find(id);
  if (meta == nullptr) return false;
  if (empty_) return true;
  if (filter_.session && meta->session != *filter_.session) return false;
  if (filter_.before_turn != 0 && id >= filter_.before_turn) return false;
  if (id <= filter_.after_turn) return false;
  if (filter_.from_ms && meta->time_ms < *filter_.from_ms) return false;
  if (filter_.to_ms && meta->time_ms >= *filter_.to_ms) return false;
  if (!filter_.roles.empty() &&
      std::find(filter_.roles.begin(), filter_.roles.end(), meta->role) == filter_.roles.end()) {
    return false;
  }
  return !exclude_.contains(id);
}

}  // namespace liubai::memory
