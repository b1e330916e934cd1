// tools/kept_answers.h: answers of a language model kept in a file by what they were generated
// from, so that a benchmark that was stopped goes on where it was, and one that is run again asks
// only what has changed.
//
// One JSON object a line: {"key", "answer", "prompt_tokens", "answer_us"}; the key is the SHA-256
// of model, arithmetic, format of the cache, limit of tokens and the prompt's tokens. A last line
// that was cut off is removed.
//
// Errors:  those of FileSystem; kDataLoss naming the file and the line that is none of ours.
// Threads: none of its own; one process a file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/file_system.h"
#include "liubai/language_model.h"

namespace liubai::tools {

struct KeptAnswer {
  std::string text;
  int prompt_tokens = 0;
  std::int64_t answer_us = 0;
};

class KeptAnswers {
 public:
  static Result<KeptAnswers> Open(FileSystem& fs, const std::string& path);
  static std::string Key(const ModelInfo& model, bool exact, int max_tokens,
                         std::span<const TokenId> prompt);

  // Null: not asked yet.
  const KeptAnswer* Find(const std::string& key);
  // On OK the answer survives a crash.
  Status Add(const std::string& key, const KeptAnswer& answer);
  int found() const { return found_; }

 private:
  KeptAnswers() = default;
  std::map<std::string, KeptAnswer> answers_;
  std::unique_ptr<WritableFile> file_;
  int found_ = 0;
};

}  // namespace liubai::tools
