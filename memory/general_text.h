// memory/general_text.h: prose of many kinds in English and Chinese, to measure on it how an embedder
// spreads its vectors (memory/token_codec.h).
//
// Threads: a free function without state.
#pragma once

#include <string_view>
#include <vector>

namespace liubai::memory {

// Each within 400 tokens of the usual tokenisers. A change changes the codes of new stores only.
std::vector<std::string_view> GeneralText();

}  // namespace liubai::memory
