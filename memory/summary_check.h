// memory/summary_check.h: which sentences of a model's summary were said in the turns.
//
// Threads: free functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "liubai/records.h"

namespace liubai::memory {

// The sentences of the summary that hold no number, name, address or identifier but those of the
// turns, and mostly words of one turn; without repetitions, courtesies, marks of lists and a last
// sentence that breaks off ("…"). A sentence in the first person that a turn holds as it is gets
// its speaker's name before it. `rejected` gets the sentences that were left out; it may be null.
std::vector<std::string> CheckedSentences(std::string_view summary, const std::vector<Turn>& turns,
                                          std::vector<std::string>* rejected);
// The same as one text.
std::string CheckedSummary(std::string_view summary, const std::vector<Turn>& turns,
                           std::vector<std::string>* rejected);

}  // namespace liubai::memory
