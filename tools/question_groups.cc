#include "tools/question_groups.h"

#include <algorithm>

#include "memory/question.h"

namespace liubai::tools {

std::string_view QuestionGroup(std::string_view question, std::string_view type,
                               std::int64_t now_ms) {
  using Trait = memory::QuestionTrait;
  const memory::QuestionReading reading = memory::ReadQuestion(question, now_ms);
  if (reading.Has(Trait::kCount) || reading.Has(Trait::kTotal)) return kQuestionGroups[0];
  if (reading.Has(Trait::kSuggestion) || type == "single-session-preference") {
    return kQuestionGroups[1];
  }
  if (std::ranges::any_of(reading.times, &memory::TimeExpression::relative)) {
    return kQuestionGroups[2];
  }
  if (type == "knowledge-update") return kQuestionGroups[3];
  if (reading.Has(Trait::kPersonalFact)) return kQuestionGroups[4];
  if (reading.Has(Trait::kSeveralHops) || reading.Has(Trait::kOrder) ||
      reading.Has(Trait::kDuration)) {
    return kQuestionGroups[5];
  }
  return kQuestionGroups[6];
}

}  // namespace liubai::tools
