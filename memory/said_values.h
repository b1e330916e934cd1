// memory/said_values.h: the values of a text in one form, so that a summary's can be compared with
// those that were said, in English or Chinese, in digits or words.
//
// A value is a word: "n:4237" a number, "m:usd:4237" an amount of money, "%:5" a percentage,
// "u:week:3" a quantity of time, length or weight, "mo:5" a month, "md:5-14" a day of the year,
// "wd:3" a day of the week (1: Monday), "t:3:30" a time of day on a clock of twelve hours,
// "ap:3:30:pm" the same with its half of the day.
//
// Threads: free functions without state.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "memory/ledger.h"

namespace liubai::memory {

using Values = std::set<std::string>;

Values ValuesOf(std::string_view text);
// Of one detail; empty when it is none of these.
Values ValuesOf(const Detail& detail);
// The day on which something was said, and the days that "tomorrow" and "yesterday" in it mean.
Values ValuesOfDay(std::int64_t time_ms, std::string_view text);

}  // namespace liubai::memory
