// tools/question_groups.h: the kinds of question by which recall is compared, as far as words and
// the benchmark's own label tell them.
//
// Errors:  none.
// Threads: free functions without state.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace liubai::tools {

// The first that fits, in this order.
inline constexpr std::array<std::string_view, 7> kQuestionGroups = {
    "count or total", "suggestion",   "relative date", "knowledge update",
    "person fact",    "several hops", "other"};
// `type`: LongMemEval's question_type.
std::string_view QuestionGroup(std::string_view question, std::string_view type,
                               std::int64_t now_ms);

}  // namespace liubai::tools
