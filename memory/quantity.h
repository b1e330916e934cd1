// memory/quantity.h: the numbers of a text in all their spellings, as one value with its unit:
// "$4,237", "4237 dollars", "four thousand two hundred and thirty-seven dollars", "4.237k USD" and
// 四千二百三十七美元 are 4237 usd.
//
// Numerals that are parts of something else (versions, identifiers, telephone numbers, times of
// day, ordinals) are no quantities, nor is the "one" or 一 of an article. Dates are: the caller who
// knows them leaves them out.
//
// Threads: free functions without state.
// Units:   text positions are bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "memory/date_expression.h"

namespace liubai::memory {

struct Quantity {
  TextPart text;      // With its unit.
  std::string value;  // Plain: "4237", "2.5", "-3".
  std::string unit;   // "usd", "cny", "kg", "percent", "hour", "person", …; "" for a plain count.
};

// In the order of the text.
std::vector<Quantity> QuantitiesIn(std::string_view text);

}  // namespace liubai::memory
