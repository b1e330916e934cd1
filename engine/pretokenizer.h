// engine/pretokenizer.h: cuts a text into the words inside which byte-level BPE merges.
//
// Hand-written scanners for the regular expressions that the models were trained with:
//   gpt-2      's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//   smollm     \p{N}, alone; then gpt-2 on what lies between
//   qwen2      (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|
//   ?[^\s\p{L}\p{N}]+[\r\n]*
//              |\s*[\r\n]+|\s+(?!\S)|\s+
//   llama-bpe  as qwen2 with \p{N}{1,3}
//
// Errors:  kUnimplemented for an unknown name, listing the known ones.
// Threads: a WordScanner belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "liubai/status.h"

namespace liubai::engine {

enum class PreTokenizer : std::uint8_t { kGpt2, kSmollm, kQwen2, kLlamaBpe };

Result<PreTokenizer> ParsePreTokenizer(std::string_view name);

class WordScanner {
 public:
  // `text` is valid UTF-8 and outlives the scanner.
  WordScanner(PreTokenizer kind, std::string_view text) : kind_(kind), text_(text) {}

  // The next word, never empty; the words joined are the text. "" at the end.
  std::string_view Next();

 private:
  std::size_t EndOfGpt2Word(std::size_t limit) const;
  std::size_t EndOfQwenWord(std::size_t max_digits) const;

  PreTokenizer kind_;
  std::string_view text_;
  std::size_t offset_ = 0;
  std::size_t part_end_ = 0;  // smollm: where the next number begins.
};

}  // namespace liubai::engine
