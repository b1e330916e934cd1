// memory/standing.h: what the user said that holds for good, kept in the block `user`.
//
// A line is "- (kind, day, turn N) words". Standing instructions, allergies, lasting preferences
// and corrections of lasting things belong there; wishes for once, questions, other people's tastes
// and what others are quoted with do not. What a person or the model wrote into the block by hand
// stays as it is.
//
// Threads: free functions without state.
// Units:   budgets in tokens by `count`; limits in bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "liubai/records.h"
#include "memory/context_budget.h"
#include "memory/ledger.h"

namespace liubai::memory {

inline constexpr std::string_view kUserBlock = "user";

// Whether a statement of the user holds beyond the day on which it was made.
bool IsStanding(const Detail& detail);

// The detail's sentence, or when that is long the part of it around the detail.
std::string VerbatimLine(const Detail& detail);
// The block's line for a statement in a turn.
std::string StandingLine(const Detail& detail, const Turn& turn);
// The turn that a line names; 0: it was written by hand.
TurnId TurnOfLine(std::string_view line);

struct StandingEdit {
  std::string value;
  struct Replaced {
    std::string line;
    std::string by;
  };
  std::vector<Replaced> replaced;    // A later word on the same subject stands.
  std::vector<std::string> dropped;  // There was no room.
};

// The block's value with `lines` in it, the latest last. What says the same keeps the later date; a
// later word on the same subject takes the place of the earlier one, in whichever order they come.
// Over `budget` tokens or `limit_bytes` (0: none) the oldest lines go, corrections first, then
// preferences, rules and allergies.
StandingEdit AddStanding(std::string_view value, const std::vector<std::string>& lines, int budget,
                         std::int64_t limit_bytes, const CountTokens& count);

// Between two values of the block: lines that are gone with what took their place ("": nothing),
// then new ones (`line` ""), each in the order of its value.
std::vector<StandingEdit::Replaced> StandingChanges(std::string_view earlier,
                                                    std::string_view later);

}  // namespace liubai::memory
