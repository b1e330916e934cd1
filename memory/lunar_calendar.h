// memory/lunar_calendar.h: the Chinese lunisolar calendar, for festivals and dates that are named
// by it: 春节, 中秋, 农历八月十五.
//
// Threads: free functions without state.
#pragma once

#include <chrono>
#include <optional>

namespace liubai::memory {

inline constexpr int kFirstLunarYear = 1990;
inline constexpr int kLastLunarYear = 2049;

// The day on which `day` of `month` of the lunar year that begins in the spring of `year` falls;
// empty outside 1990..2049 and for days that the month does not have. Leap months are not named.
std::optional<std::chrono::sys_days> FromLunar(int year, int month, int day);

}  // namespace liubai::memory
