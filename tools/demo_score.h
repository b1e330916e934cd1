// tools/demo_score.h: the conversation of the demonstration, its questions, and whether an answer
// is right. The texts are tools/demo/*.jsonl, built into the program.
//
// Threads: free functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "liubai/status.h"

namespace liubai::tools {

std::string_view DemoConversation();  // JSON lines, to be imported.

struct DemoQuestion {
  std::string question;
  bool answerable = true;           // false: it was never said.
  std::vector<std::string> accept;  // Any of these in the answer makes it right.
  std::vector<std::string> forbid;  // Regular expressions: any of these makes it wrong.
  std::string session;              // The conversation that it is about; empty: any.
};

Result<std::vector<std::string>> DemoLiveTurns();
Result<std::vector<DemoQuestion>> DemoQuestions();
// Others about the same conversation, harder and more; two thirds were said.
Result<std::vector<DemoQuestion>> DemoFurtherQuestions();
// Questions in the form of tools/demo/questions.jsonl. kInvalidArgument names `name` and the
// question.
Result<std::vector<DemoQuestion>> ParseDemoQuestions(std::string_view text, std::string_view name);

// Right means: an accepted value and no forbidden one; of what was never said, words of not knowing
// and no forbidden value. Case, width and runs of spaces do not count.
bool IsRight(const DemoQuestion& question, std::string_view answer);
// Words of not knowing, in English or Chinese.
bool SaysUnknown(std::string_view answer);

}  // namespace liubai::tools
