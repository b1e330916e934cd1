// memory/question_scan.h: what the sources of question.h share.
//
// Threads: free functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "memory/question.h"

namespace liubai::memory {

// A text with its words in lower case, one blank between them and one at either end, apostrophes
// straight, and other signs as words of their own: " who is tom's boss ? ".
struct PlainText {
  std::string text;
  std::vector<std::uint32_t> origin;  // For each byte of `text`, where it comes from.
};
PlainText MakePlain(std::string_view text);

// question_kind.cc
void ReadKinds(std::string_view text, const PlainText& plain, QuestionReading* reading);
// question_names.cc
void ReadNames(std::string_view text, std::span<const std::string> speakers,
               QuestionReading* reading);
void ReadQuotes(std::string_view text, QuestionReading* reading);
// question_hops.cc; after the names.
void ReadHops(std::string_view text, const PlainText& plain, QuestionReading* reading);

}  // namespace liubai::memory
