// memory/essence.h: the text that stands for turns that have left the window.
//
// An extract takes the turns' own sentences; older essences merge into one. What is chosen, and
// what is dropped first, follows from what a sentence carries: exact details over talk, the user's
// words over the assistant's; greetings, thanks, questions and what the assistant only repeats come
// last.
//
// Threads: free functions without state.
// Units:   budgets in tokens by `count`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "liubai/policy.h"
#include "liubai/records.h"
#include "memory/context_budget.h"

namespace liubai::memory {

// The speaker's name, or the role: "User".
std::string SpeakerOf(const Turn& turn);

// Sentences of the turns that carry most, in order, each speaker named where it changes, at most
// `budget` tokens; none that `already` says in much the same words.
std::string ExtractSummary(const std::vector<Turn>& turns, int budget, const CountTokens& count,
                           const std::vector<std::string>& already = {},
                           const CompactionPolicy& policy = {});

// `text`, or its beginning with "…": at most `budget` tokens, no word or number cut in two.
std::string FitWords(std::string_view text, int budget, const CountTokens& count);

// One essence for several, oldest first: the sentences that carry most, a line for each range of
// turns that has one; the ranges of the lines follow one another and together cover all turns of
// `essences`. What was said to be on record stays so, as far as there is room.
std::string MergeEssences(const std::vector<Essence>& essences, int budget,
                          const CountTokens& count, const CompactionPolicy& policy = {});

// Before the words that are kept exactly, and before the subjects that were shelved.
std::string_view ExactLabel(bool chinese);
std::string_view RecordLabel(bool chinese);

// Chinese, mostly: which language instructions are given in.
bool MostlyChinese(std::string_view text);

// "2024-03-04"
std::string FormatDay(std::int64_t time_ms);

}  // namespace liubai::memory
