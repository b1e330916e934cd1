// memory/summary_check.h: which sentences of a model's summary were said in the turns.
//
// Threads: free functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "liubai/records.h"

namespace liubai::memory {

// The sentences of the summary that hold no value (number, amount, date, time, name, address,
// quotation, code; in digits or words, English or Chinese) but those of the turns, none that was
// said of somebody else or with a "not", and mostly words of one turn; without repetitions,
// courtesies, marks of lists and a last sentence that breaks off ("…"). A sentence in the first
// person that a turn holds as it is gets its speaker's name before it. `rejected` gets the
// sentences that were left out, each with why: "… [a value that no turn holds]"; it may be null.
// `wrong`, which may be null: how many of them hold a wrong detail, and are not only badly put.
std::vector<std::string> CheckedSentences(std::string_view summary, const std::vector<Turn>& turns,
                                          std::vector<std::string>* rejected, int* wrong = nullptr);
// The same as one text.
std::string CheckedSummary(std::string_view summary, const std::vector<Turn>& turns,
                           std::vector<std::string>* rejected);

}  // namespace liubai::memory
