// memory/question.h: what kind of answer a question wants, as far as its words tell: who said it,
// whether it is about the one who asks, and which of its words name a topic. English and Chinese.
//
// Threads: free functions without state.
#pragma once

#include <string_view>

namespace liubai::memory {

struct QuestionKind {
  bool about_self = false;       // Of the one who asks: "my", "did I".
  bool about_assistant = false;  // Of what the assistant said: "you recommended", "remind me".
};
QuestionKind ReadQuestion(std::string_view text);

// The last sentence asks.
bool EndsInQuestion(std::string_view text);

// How often a text speaks of the one who says it: "I", "my", "we", "我". What is asked about a
// person later ("how old was I when …") was mostly said in passing, in such a text.
int CountFirstPerson(std::string_view text);

// 0..1: how much a term of a question tells of its topic. "How many weeks ago" says which kind of
// answer is wanted; the texts that hold it need not have these words.
double TopicWeight(std::string_view term);

}  // namespace liubai::memory
