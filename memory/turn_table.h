// memory/turn_table.h: what recall keeps in memory of each turn: session, time, speaker,
// neighbours, what its text looks like. Read from the store once, and then it grows with it.
//
// Errors:  those of Store.
// Threads: none of its own; the caller locks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "liubai/store.h"
#include "memory/date_expression.h"

namespace liubai::memory {

struct TurnMeta {
  TurnId id = 0;
  SessionId session = 0;
  std::int64_t time_ms = 0;
  TurnId previous = 0;  // In the session; 0: none.
  TurnId next = 0;
  std::int32_t speaker = -1;      // Number of the name; -1: none.
  std::int32_t first_person = 0;  // How often the user speaks of himself; 0 for other roles.
  std::int32_t bytes = 0;         // Of the text.
  Role role = Role::kUser;
  bool asks = false;      // Its last sentence is a question.
  bool mentions = false;  // It speaks of times.
};

class TurnTable {
 public:
  // Reads turns that were added since. Deleted ones stay: hits are joined to live rows later.
  Status Refresh(const Store& store, TenantId tenant);
  std::size_t size() const { return turns_.size(); }
  const TurnMeta* Find(TurnId id) const;
  // How close a turn comes to `ranges`: by when it was said, or a little less by a time that it
  // speaks of ("yesterday", "next Friday").
  double Closeness(const TurnMeta& meta, std::span<const TimeRange> ranges) const;
  // Two before and two after in the session, in order; 0: none.
  std::array<TurnId, 4> Around(TurnId id) const;
  // Numbers of the speakers whose name, or a word of it, is a word of `text`.
  std::unordered_set<std::int32_t> SpeakersNamedIn(std::string_view text) const;
  struct TimeMatches {
    std::vector<TurnId> turns;  // At most as many as were wanted, spread evenly.
    double rarity = 0;          // 1: one turn of many is of that time; 0: all are.
  };
  TimeMatches InTime(std::span<const TimeRange> ranges, std::size_t most) const;
  // The same of sessions: how close each comes to the ranges, times their rarity.
  std::vector<std::pair<SessionId, double>> SessionsInTime(std::span<const TimeRange> ranges) const;
  // Of each session, how often the user speaks of himself.
  std::unordered_map<SessionId, std::int64_t> FirstPersonBySession() const;

 private:
  std::vector<TurnMeta> turns_;                                   // In order of id.
  std::unordered_map<TurnId, std::vector<TimeRange>> mentioned_;  // Times that turns speak of.
  std::unordered_map<SessionId, TurnId> last_;
  std::unordered_map<std::string, std::int32_t> speakers_;
};

// A TurnFilter that answers quickly for many turns.
class CompiledFilter {
 public:
  CompiledFilter(const TurnFilter& filter, const TurnTable& table);
  bool empty() const { return empty_; }
  bool operator()(TurnId id) const;

 private:
  const TurnFilter& filter_;
  const TurnTable& table_;
  std::unordered_set<TurnId> exclude_;
  bool empty_ = false;
};

}  // namespace liubai::memory
