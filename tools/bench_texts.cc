#include "tools/bench_texts.h"

#include <fmt/format.h>

#include <fstream>
#include <string_view>

#include "memory/month_names.h"

namespace liubai::tools {
namespace {

constexpr std::string_view kNames[] = {"Anna",  "Tomas", "Mei",   "Jonas", "Priya", "Lucia",
                                       "Henry", "Sofia", "Kenji", "Amara", "Pavel", "Wei"};
constexpr std::string_view kThings[] = {
    "the blue bicycle", "the kitchen cabinets", "a used piano",       "the boiler",
    "winter tyres",     "a rain jacket",        "the garden fence",   "a bookshelf",
    "two train passes", "the storage unit",     "a coffee grinder",   "the dishwasher",
    "swimming lessons", "a camera lens",        "the tax adviser",    "a second-hand canoe",
    "the roof window",  "a standing desk",      "the dog's vaccines", "a set of pans"};
constexpr std::string_view kPlaces[] = {
    "the harbour", "Lisbon",     "the old mill",  "Kyoto",  "the library", "my sister's flat",
    "Graz",        "the clinic", "the allotment", "Oaxaca", "the station", "the climbing hall"};
constexpr std::string_view kMoods[] = {"relieved", "a bit annoyed", "tired but happy",
                                       "nervous",  "quite proud",   "not sure what to think"};
constexpr std::string_view kReasons[] = {"the old one broke for the third time",
                                         "the landlord finally agreed",
                                         "it was cheaper than I had feared",
                                         "everybody kept asking about it",
                                         "the weather changed again",
                                         "there was nothing left on the list",
                                         "I had promised it months ago",
                                         "the deadline had been moved forward"};

// {0} {1} names, {2} a thing, {3} a place, {4} an amount, {5} a day, {6} a month, {7} a mood, {8} a
// reason, {9} a small number.
constexpr std::string_view kSentences[] = {
    "I paid ${4} for {2} on {5} {6}, because {8}.",
    "{0} wants to go to {3} with {1} in {6}, and I said that I would look at the trains.",
    "Could you remind me to call {0} about {2} before the {5}th?",
    "We met {0} at {3} and talked for about {9} hours.",
    "{1} told me that {2} would take {9} weeks to arrive, so I ordered something else.",
    "Honestly I am {7} about the whole thing with {3}.",
    "The appointment moved from {5} {6} to the week after, {8}.",
    "What do you think, should we get {2} or wait until {6}?",
    "{0} is allergic to something in the food they serve at {3}, so we cook at home now.",
    "My budget for {2} was ${4}, and I spent ${9}0 more than that.",
    "It took {9} tries, but {1} fixed {2} with a part from {3}.",
    "Since {6} I go running near {3} every second morning, about {9} kilometres.",
    "{0} and {1} are getting married on {5} {6}, and the party is at {3}.",
    "I left the keys with {1}, who lives close to {3}.",
    "The number of the booking is {4}-{5}, please keep it somewhere.",
    "I changed my mind about {2}: {8}.",
};

template <std::size_t N>
const std::string_view& At(const std::string_view (&list)[N], std::size_t i) {
  return list[i % N];
}

}  // namespace

std::string ChatTurns::Sentence() {
  // Drawn one after the other: the order in which arguments are evaluated is not fixed.
  std::size_t draw[11];
  for (std::size_t& value : draw) value = Below(1 << 20);
  return fmt::format(fmt::runtime(At(kSentences, draw[0])), At(kNames, draw[1]),
                     At(kNames, draw[1] + 1 + draw[2] % 11), At(kThings, draw[3]),
                     At(kPlaces, draw[4]), 10 + draw[5] % 4990, 1 + draw[6] % 28,
                     At(memory::kMonthNames, draw[7]), At(kMoods, draw[8]), At(kReasons, draw[9]),
                     2 + draw[10] % 8);
}

std::string ChatTurns::Next() {
  std::string text = Sentence();
  for (std::size_t more = Below(3); more > 0; --more) text += " " + Sentence();
  return text;
}

std::uint64_t PeakMemoryBytes() {
  // Not getrusage: its peak survives exec, so a small program would show its parent's.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  }
  return 0;
}

}  // namespace liubai::tools
