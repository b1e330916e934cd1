// memory/supersession.h: of two things said about the same, does the later one take the earlier one
// back? "I no longer drink coffee in the morning, I drink tea now." English and Chinese.
//
// Errors:  none; where the words do not tell, the answer is no.
// Threads: free functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace liubai::memory {

// Whether a sentence of `later` says that something changed or was wrong, and a sentence of
// `earlier` speaks of the same: they share two terms or more, and each of `asked` that the earlier
// one has is in `later` too, at least one.
//   asked  the terms of the question, as QueryTerms gives them.
bool Supersedes(std::string_view later, std::string_view earlier,
                const std::vector<std::string>& asked);

// "What did I use to drink?", 我以前喝什么？: the earlier one is wanted too.
bool AsksAboutPast(std::string_view question);

}  // namespace liubai::memory
