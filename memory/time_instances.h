// memory/time_instances.h: times that come again, set on the calendar, and parts of times.
//
// Threads: free functions without state.
// Units:   as in time_scan.h.
#pragma once

#include <optional>

#include "memory/time_scan.h"

namespace liubai::memory::timing {

// A month, weekday, festival, …: which one is meant is not told by its name.
bool Recurs(const Piece& piece);
// The time of `piece` in the year, month or week that holds `day`; empty where there is none.
std::optional<Span> InstanceAt(const Piece& piece, sys_days day);
// `day` moved by that many of the units in which `piece` comes once.
sys_days Step(const Piece& piece, sys_days day, int steps);
// The first one, in `direction` from the unit that holds `from`, that `wanted` takes.
template <class Wanted>
std::optional<Span> Search(const Piece& piece, sys_days from, int direction, const Wanted& wanted) {
  constexpr int kFurthest = 9;  // 29 February may be eight years away.
  for (int i = -1; i <= kFurthest; ++i) {
    const std::optional<Span> span = InstanceAt(piece, Step(piece, from, direction * i));
    if (span && wanted(*span)) return span;
  }
  return std::nullopt;
}
// The first one that begins in `frame`.
std::optional<Span> Inside(const Piece& piece, const Span& frame);
// `piece` as it is meant on its own, looking `ahead` or back.
std::optional<Span> OnItsOwn(const Piece& piece, const Calendar& calendar, bool ahead);
// The `nth`-th week, weekend, day or weekday of `frame`.
std::optional<Span> NthIn(const Piece& nth, const Span& frame);

Span Cut(const Span& span, Portion portion, TimePrecision precision);
Span CutDay(const Span& day, Part part);
TimePrecision Finer(TimePrecision precision);  // What a portion of such a time has.

}  // namespace liubai::memory::timing
