// tools/essence_text.h: essences as people and programs see them.
//
// Threads: free functions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "liubai/store.h"
#include "tools/command.h"

namespace liubai::tools {

nlohmann::json DescribeEssence(const Essence& essence);
// "essence 12, turns 1-8, 2024-03-04, level 0"
std::string EssenceHead(const Essence& essence);
// What it says, in one line, without what the head says already.
std::string EssenceWords(const Essence& essence);
std::string EssenceText(Invocation& call, const Essence& essence);
// The essence, the essences one step down, the turns.
std::string UnfoldedText(Invocation& call, const UnfoldedEssence& unfolded);
// "12", "essence 12" or "#12". kInvalidArgument names the text.
Result<std::int64_t> ParseEssenceId(std::string_view text);

}  // namespace liubai::tools
