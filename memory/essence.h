// memory/essence.h: the text that stands for turns that have left the window.
//
// A summary by the model is checked against the turns; an extract takes their own sentences; older
// essences merge into one. What is chosen, and what is dropped first, follows from what a sentence
// carries: exact details over talk, the user's words over the assistant's; greetings, thanks,
// questions and what the assistant only repeats come last.
//
// Threads: free functions without state.
// Units:   budgets in tokens by `count`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "liubai/records.h"
#include "memory/context_budget.h"
#include "memory/ledger.h"

namespace liubai::memory {

// Without line ends, tabs and double blanks.
std::string OneLine(std::string_view text);
// `text` or its beginning with "…", at most `bytes` and a little.
std::string Shorten(std::string_view text, std::size_t bytes);
// The speaker's name, or the role: "User".
std::string SpeakerOf(const Turn& turn);

// 1..5: what is lost hardest has most.
int Weight(DetailKind kind);

// Greetings, thanks, assent and the like, and nothing else: "Good morning, Anna!", 好的，谢谢。
bool IsSmallTalk(std::string_view sentence);

// The sentences of the summary that hold no number, name, address or identifier but those of the
// turns, and mostly words of the turns; without repetitions and without a last sentence that breaks
// off. `rejected` gets the sentences that were left out.
std::vector<std::string> CheckedSentences(std::string_view summary, const std::vector<Turn>& turns,
                                          std::vector<std::string>* rejected);
// The same as one text.
std::string CheckedSummary(std::string_view summary, const std::vector<Turn>& turns,
                           std::vector<std::string>* rejected);

// Sentences of the turns that carry most, in order, each speaker named where it changes, at most
// `budget` tokens; none that `already` says in much the same words.
std::string ExtractSummary(const std::vector<Turn>& turns, int budget, const CountTokens& count,
                           const std::vector<std::string>& already = {});

// One essence for several, oldest first: the sentences that carry most, a line for each range of
// turns that has one; the ranges of the lines follow one another and together cover all turns of
// `essences`. What was said to be on record stays so, as far as there is room.
std::string MergeEssences(const std::vector<Essence>& essences, int budget,
                          const CountTokens& count);

// Before the words that are kept exactly, and before the subjects that were shelved.
std::string_view ExactLabel(bool chinese);
std::string_view RecordLabel(bool chinese);

// Chinese, mostly: which language instructions are given in.
bool MostlyChinese(std::string_view text);

// "2024-03-04"
std::string FormatDay(std::int64_t time_ms);

}  // namespace liubai::memory
