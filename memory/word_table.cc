#include "memory/word_table.h"

#include <algorithm>
#include <utility>

namespace liubai::memory {
namespace {

// Above so many new turns all windows are counted anew.
constexpr std::uint32_t kFewTurns = 10'000;

}  // namespace

WordTable::Added WordTable::Add(std::uint32_t turn, std::int64_t session, std::int32_t words,
                                bool user) {
  if (turn >= words_.size()) {
    words_.resize(turn + std::size_t{1});
    window_words_.resize(words_.size());
    beside_.resize(words_.size());
    session_.resize(words_.size());
    user_.resize(words_.size());
  }
  Added added;
  const auto [entry, fresh] =
      session_places_.emplace(session, static_cast<std::int32_t>(sessions_.size()));
  if (fresh) {
    sessions_.push_back({session, 0, 0});
    last_turn_.push_back(0);
    added.new_session = true;
  }
  const std::int32_t place = entry->second;
  sessions_[place].words += words;
  if (user) sessions_[place].user_words += words;
  words_[turn] = window_words_[turn] = words;
  session_[turn] = place;
  user_[turn] = user ? 1 : 0;
  added.window_words = words;
  std::uint32_t before = std::exchange(last_turn_[place], turn);
  for (int distance = 1; distance <= kReach && before != 0; ++distance) {
    beside_[turn][2 - distance] = before;
    beside_[before][1 + distance] = turn;
    window_words_[turn] += words_[before];
    window_words_[before] += words;
    added.window_words += words_[before] + words;
    before = beside_[before][1];
  }
  return added;
}

void WordTable::Clear() { *this = WordTable(); }

int WordTable::WindowTurns(std::uint32_t turn) const {
  return 1 +
         static_cast<int>(std::ranges::count_if(beside_[turn], [](auto id) { return id != 0; }));
}

void WordTable::Update(TermPostings& list) const {
  const std::uint32_t last = words_.empty() ? 0 : static_cast<std::uint32_t>(words_.size() - 1);
  if (list.counted_to == last) return;
  CountSessions(list);
  list.ForEach([&](std::uint32_t turn, int count) { list.turn_impact.Add(count, words_[turn]); },
               list.counted_to);
  if (list.counted_to == 0 || last - list.counted_to > kFewTurns) {
    CountAllWindows(list);
  } else {
    CountNewWindows(list);
  }
  list.counted_to = last;
}

void WordTable::CountSessions(TermPostings& list) const {
  static thread_local std::vector<std::int32_t> places;  // All -1 between calls.
  if (places.size() < sessions_.size()) places.resize(sessions_.size(), -1);
  bool known = false;
  list.ForEach(
      [&](std::uint32_t turn, int count) {
        if (!std::exchange(known, true)) {
          for (std::size_t i = 0; i < list.sessions.size(); ++i) {
            places[list.sessions[i].session] = static_cast<std::int32_t>(i);
          }
        }
        const std::int32_t session = session_[turn];
        if (places[session] < 0) {
          places[session] = static_cast<std::int32_t>(list.sessions.size());
          list.sessions.push_back({session, 0, 0});
        }
        TermPostings::OfSession& of_session = list.sessions[places[session]];
        of_session.count += count;
        if (user_[turn] == 0) return;
        if (of_session.user_count == 0) ++list.user_sessions;
        of_session.user_count += count;
      },
      list.counted_to);
  if (!known) return;
  for (const TermPostings::OfSession& of_session : list.sessions) places[of_session.session] = -1;
}

void WordTable::CountAllWindows(TermPostings& list) const {
  static thread_local std::vector<std::int32_t> counts;  // All 0 between calls.
  static thread_local std::vector<std::uint32_t> touched;
  if (counts.size() < words_.size()) counts.resize(words_.size());
  touched.clear();
  list.window_impact = TermImpact();
  list.ForEach([&](std::uint32_t turn, int count) {
    const auto touch = [&](std::uint32_t id) {
      if (counts[id] == 0) touched.push_back(id);
      counts[id] += count;
    };
    touch(turn);
    for (const std::uint32_t id : beside_[turn]) {
      if (id != 0) touch(id);
    }
  });
  for (const std::uint32_t id : touched) {
    list.window_impact.Add(std::exchange(counts[id], 0), window_words_[id]);
  }
  list.windows = static_cast<std::int64_t>(touched.size());
}

// Windows of new turns, and of those before them in their sessions, whose words are more now: what
// their impact was stays in the bound, which may be too large but not too small.
void WordTable::CountNewWindows(TermPostings& list) const {
  TermPostings::Cursor cursor(list);
  const std::uint32_t known = list.counted_to;
  const auto Count = [&](std::uint32_t turn) {
    int before = 0, now = 0;
    const auto add = [&](std::uint32_t id) {
      if (id == 0) return;
      const int count = cursor.CountOf(id);
      now += count;
      if (id <= known) before += count;
    };
    add(turn);
    for (const std::uint32_t id : beside_[turn]) add(id);
    if (now == 0) return;
    list.window_impact.Add(now, window_words_[turn]);
    if (turn > known || before == 0) ++list.windows;
  };
  for (std::uint32_t turn = known + 1; turn < words_.size(); ++turn) {
    if (words_[turn] == 0 && beside_[turn] == Beside{} && window_words_[turn] == 0) continue;
    Count(turn);
    for (const std::uint32_t id : {beside_[turn][0], beside_[turn][1]}) {
      if (id == 0 || id > known) continue;
      // Once, with the first of its new neighbours.
      const std::uint32_t first = beside_[id][2] > known ? beside_[id][2] : beside_[id][3];
      if (first == turn) Count(id);
    }
  }
}

}  // namespace liubai::memory
