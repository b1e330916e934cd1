// tools/known_conversations.h: conversations of which it is known what was told in them, with
// questions that ask for it. The seam between what makes such conversations and what measures on
// them.
//
// Errors:  those of reading a file, and kInvalidArgument naming the file and the line or question.
// Threads: free functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "liubai/records.h"
#include "liubai/status.h"
#include "tools/demo_score.h"

namespace liubai::tools {

struct KnownExchange {
  std::string user;
  std::string assistant;
  std::int64_t time_ms = 0;
};
struct KnownConversation {
  std::string name;
  std::vector<KnownExchange> exchanges;
  std::vector<DemoQuestion> questions;  // Answerable ones; asked at the end.
  std::int64_t end_ms = 0;
};

// `count` lives of `sessions` sessions each, of the seeds from `seed` on, half English, half
// Chinese and mixed ones between them.
Result<std::vector<KnownConversation>> GeneratedConversations(std::int64_t seed, int count,
                                                              int sessions);
// JSON lines as `liubai import` reads them, each `session` a conversation, and questions in the
// form of tools/demo/questions.jsonl; those with a `session` belong to it, the others to all.
Result<std::vector<KnownConversation>> ReadConversations(const std::string& conversations,
                                                         const std::string& questions);
// All that is in them, each text with its length: what a hash of the data is taken of.
std::string BytesOf(std::span<const KnownConversation> conversations);
// SHA-256 of these.
std::string HashOf(std::span<const KnownConversation> conversations);

}  // namespace liubai::tools
