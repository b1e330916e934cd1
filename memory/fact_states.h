// memory/fact_states.h: the states of everyday life that people tell and ask for: employer, salary,
// way to work, address, rent, landlord, codes, prices, best times. One table of the words that name
// each, in statements and in questions, in English and Chinese.
//
// Threads: free functions without state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace liubai::memory {

// What a value of the state looks like; what does not is no value.
enum class StateValue : std::uint8_t {
  kOrganisation,
  kPerson,
  kMoney,
  kAddress,
  kWay,      // "by tram", "on foot", 坐地铁
  kCode,     // A password, a number at a door.
  kContact,  // A number or an address to reach somebody by.
  kCount,
  kPlace,
  kJob,
};

struct DailyState {
  std::string_view attribute;
  StateValue value;
  // What it is called: "salary", "take-home pay", 工资.
  std::span<const std::string_view> names;
  // How else a question asks for it: "how much do i earn", 一年挣.
  std::span<const std::string_view> asks;
  // There is one in a household: "the landlord" is one's own.
  bool household = false;
};

std::span<const DailyState> DailyStates();
// nullptr: none of that attribute.
const DailyState* DailyStateOf(std::string_view attribute);

// What a password or code is of: "front door" and 大门 give "door code"; "": of nothing known.
std::string_view CodeOf(std::string_view lower);
// "ten kilometres", "10k", 十公里: "10 km"; 半马: "half marathon"; "": no distance.
std::string DistanceOf(std::string_view lower);
// The kind of thing that one likes best, when it is a drink: "drink"; else "".
bool IsDrink(std::string_view lower);
// "in the morning", 早上, "at work", 工作时: when it is that one likes something; "": always.
std::string_view OccasionOf(std::string_view lower);

// Attributes of states that a question asks for; one that ends with "*" stands for all that begin
// so ("favourite *", "price of *").
std::vector<std::string> StatesAskedIn(std::string_view lower);

}  // namespace liubai::memory
