// memory/time_combine.h: from the pieces that the scanners find to times on the calendar.
//
// Threads: free functions without state.
// Units:   as in time_scan.h.
#pragma once

#include <string_view>
#include <vector>

#include "memory/time_scan.h"

namespace liubai::memory::timing {

struct LocalTime {
  Span span;
  TimePrecision precision = TimePrecision::kDay;
  TimeRelation relation = TimeRelation::kWithin;
  bool about = false;
  bool relative = false;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};
// `pieces` in the order of the text. Pieces that nothing completes are left out.
std::vector<LocalTime> Combine(std::string_view text, const Calendar& calendar, TimeReader reader,
                               const std::vector<Piece>& pieces);

}  // namespace liubai::memory::timing
