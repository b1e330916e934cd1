// memory/date_expression.h: the times that a question speaks of, in English and Chinese: "four
// weeks ago", "last Saturday", "on 8 May 2023", "in March", "三天前", "昨天".
//
// Threads: free functions without state.
// Units:   UTC milliseconds; ranges are half-open.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace liubai::memory {

struct TimeRange {
  std::int64_t from_ms;
  std::int64_t to_ms;
  bool about = false;  // The middle is meant, and people are not exact: "three weeks ago".
};
// 1 for what is meant, falling towards the ends of a range that is only about right, and to 0
// within days outside.
double Closeness(const TimeRange& range, std::int64_t time_ms);

// Ranges named in `text`, as seen from `now_ms`; empty when there is none.
std::vector<TimeRange> FindTimeRanges(std::string_view text, std::int64_t now_ms);

// "2023-05-08 13:56"
std::string FormatMinute(std::int64_t time_ms);

}  // namespace liubai::memory
