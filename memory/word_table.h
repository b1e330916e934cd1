// memory/word_table.h: the words of every turn, of its window (itself with two turns before and two
// after it in its session) and of every session, by which texts are scored; and what of a term
// depends on them. A window is no row: its counts are the sums of its turns'.
//
// Threads: none of its own; the caller locks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "memory/term_postings.h"

namespace liubai::memory {

class WordTable {
 public:
  static constexpr int kReach = 2;              // Turns before and after.
  using Beside = std::array<std::uint32_t, 4>;  // In order; 0: none.
  struct Session {
    std::int64_t id = 0;
    std::int64_t words = 0;
    std::int64_t user_words = 0;
  };
  struct Added {
    std::int64_t window_words = 0;  // By how much all windows together grew.
    bool new_session = false;
  };

  // REQUIRES: `turn` is above those that are here.
  Added Add(std::uint32_t turn, std::int64_t session, std::int32_t words, bool user);
  void Clear();
  // Brings what `list` knows of windows and sessions up to the turns that are here.
  void Update(TermPostings& list) const;

  std::size_t places() const { return words_.size(); }  // Turns are below it.
  // By turn. All in arrays of their own: a search walks through some of them.
  std::int32_t words(std::uint32_t turn) const { return words_[turn]; }
  std::int32_t window_words(std::uint32_t turn) const { return window_words_[turn]; }
  const Beside& beside(std::uint32_t turn) const { return beside_[turn]; }
  int WindowTurns(std::uint32_t turn) const;
  std::span<const Session> sessions() const { return sessions_; }

 private:
  void CountSessions(TermPostings& list) const;
  void CountAllWindows(TermPostings& list) const;
  void CountNewWindows(TermPostings& list) const;

  std::vector<std::int32_t> words_, window_words_;
  std::vector<Beside> beside_;
  std::vector<std::int32_t> session_;  // Place in `sessions_`.
  std::vector<std::uint8_t> user_;     // 1: the user said it.
  std::vector<Session> sessions_;
  std::unordered_map<std::int64_t, std::int32_t> session_places_;
  std::vector<std::uint32_t> last_turn_;  // By place of the session.
};

}  // namespace liubai::memory
