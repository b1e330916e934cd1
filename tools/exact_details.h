// tools/exact_details.h: exact details of a text by plain regular expressions: URLs, e-mail
// addresses, money, dates, times, percentages, numbers, capitalised names; English and Chinese.
//
// Written apart from memory/ledger.h, to measure what that misses: it shares no code with it, and
// is coarser. A number that counts the lines of a list is no detail.
//
// Threads: free functions.
// Units:   byte offsets into the text; ranges are half-open.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace liubai::tools {

struct ExactDetail {
  std::string kind;   // "url", "email", "money", "date", "time", "percent", "number", "name"
  std::string value;  // Bytes [begin, end) of the text.
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string sentence;  // In which it stands.
  // What asks for it: its sentence without it, with the sentence before or after it where that says
  // too little.
  std::string question;
};

// The detail that somebody else knows of. REQUIRES: `value` is in `text`.
ExactDetail DetailAt(std::string_view text, std::string_view kind, std::string_view value);

// In order of begin; they do not overlap.
std::vector<ExactDetail> FindExactDetails(std::string_view text);

}  // namespace liubai::tools
