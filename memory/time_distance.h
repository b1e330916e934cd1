// memory/time_distance.h: questions whose answer is a difference of dates, or which of two came
// first: "how many days ago did I buy the smoker", "how many weeks passed between the workshop and
// the planting", "which did I finish first, the thesis or the course", 我是几天前买的,
// 从签约到搬家隔了多少天.
//
// A model reads dates and cannot subtract them. The memory finds the events, takes their days from
// what was said and does the arithmetic.
//
// Threads: free functions without state.
// Units:   UTC milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace liubai::memory {

struct AskedDistance {
  enum class What : std::uint8_t {
    kToNow,    // One event: how long ago it was.
    kBetween,  // Two: from the first to the second.
    kOrder,    // Two: which came first.
  };
  enum class Unit : std::uint8_t { kAny, kDays, kWeeks, kMonths, kYears };
  What what = What::kToNow;
  Unit unit = Unit::kAny;           // As the question asks for it; kAny: "how long".
  std::vector<std::string> events;  // As the question has them, one or two.
};
// Empty: the question asks for no such thing. Of a very long text the beginning is read.
std::optional<AskedDistance> ReadDistance(std::string_view question);

// "bought" for "buy", "went" for "go": a question asks "did I buy". Empty: past tense has its stem.
std::string_view PastOf(std::string_view verb);

// The day of what a sentence said at `told_ms` tells: the one that it names ("on March 3rd", "last
// Tuesday"), or the day on which it was said.
std::int64_t DayOf(std::string_view sentence, std::int64_t told_ms);

// "14 days", "2 weeks (14 days)", "about 3 months (92 days)", 14 天. Calendar days lie between,
// whatever the hours.
std::string SayDistance(std::int64_t from_ms, std::int64_t to_ms, AskedDistance::Unit unit,
                        bool chinese);

}  // namespace liubai::memory
