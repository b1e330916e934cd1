// memory/question_relation.h: what in a question stands to what: "the day before I moved", "after
// the interview", 搬家之前, and what it says is not so: "what did I never try", 没去成.
//
// Errors:  none.
// Threads: free functions without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/question.h"

namespace liubai::memory {

// What is asked for came before or after an event that has to be found first.
struct OrderAnchor {
  bool before = true;
  std::string event;  // "i moved to lyon"
  std::optional<double>
      days;  // How long before or after: "the day before" 1, "two weeks after" 14.
};
// At most two; "before May" is a time (question.h) and none.
std::vector<OrderAnchor> ReadOrderAnchors(std::string_view text, const QuestionReading& reading);

// Terms of the verb and the thing that the question negates; empty: it negates nothing.
std::vector<std::string> NegatedTerms(std::string_view text, const QuestionReading& reading);
// 0..1: the share of `terms` that one sentence of `text` has which denies something.
double DeniesToo(std::string_view text, const std::vector<std::string>& terms);

}  // namespace liubai::memory
