// memory/prompt.h: the words that the controller itself puts into a context, in English or in
// Chinese by the user's own text. Short and plain, for models of half a billion parameters.
//
// Threads: free functions without state.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "liubai/records.h"

namespace liubai::memory {

std::string DefaultSystemText();
// The system prompt, what the blocks hold, and what the essences tell of earlier turns.
std::string SystemText(std::string_view system_prompt, std::span<const Block> blocks,
                       std::span<const Essence> essences = {});
// An essence as the prompt shows it: with its id, so that it can be unfolded, and its time.
std::string EssenceLine(const Essence& essence);
std::string NoticeText(const Block& block);

// Around recalled memories; `memories` ends with a line end.
std::string MemoriesText(std::string_view memories, bool chinese);
// The user's message with memories, which may be "", at its head; `question`: it asks, and
// invention is forbidden. `tellings`: the sentences that tell what is asked; of several, each tells
// a part.
std::string MessageWithMemories(std::string_view memories, std::string_view message, bool chinese,
                                bool question, std::span<const std::string> tellings = {});
// What an answer has left out, in the words in which it was said, with its day.
std::string QuoteText(std::string_view sentence, std::string_view day, bool chinese);

}  // namespace liubai::memory
