// tools/answer_score.h: whether a reader's answer is right, without a model as judge.
//
// Threads: free functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace liubai::tools {

// Words of an answer: lower case, without punctuation and without a, an, the, and.
std::vector<std::string> AnswerWords(std::string_view text);

// LoCoMo's score, 0..1. F1 over Porter stems; category 1: the mean, over the parts of the gold
// answer between commas, of the best F1 among the parts of the answer; category 3: the gold answer
// before its ';'; category 5: 1 when the answer says that nothing tells it.
double LocomoScore(int category, std::string_view gold, std::string_view answer);

// Whether all words of `gold` stand in `answer` one after the other. Numbers count whether written
// in words (up to twenty) or digits.
bool ContainsAnswer(std::string_view gold, std::string_view answer);

// LongMemEval's published judge is a large model. This stands in its place, and is stricter:
//   abstention           the answer says that it is not known
//   gold is a number     (alone, or with a unit: "3", "21 days") that number is in the answer;
//                        temporal-reasoning: any of the numbers that the gold answer allows, and of
//                        days, weeks or months one more or less, as that judge does
//   gold up to six words as ContainsAnswer
//   longer               four fifths of its content stems, and all its numbers, are in the answer
bool LongMemRight(std::string_view type, bool abstention, std::string_view gold,
                  std::string_view answer);
// Preferences are judged by a rubric: there is no such check.
bool LongMemCheckable(std::string_view type);

}  // namespace liubai::tools
