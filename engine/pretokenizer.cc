#include "engine/pretokenizer.h"

#include <array>

#include "core/text.h"
#include "fmt/format.h"

namespace liubai::engine {
namespace {

enum class CharClass : std::uint8_t { kLetter, kNumber, kSpace, kOther };

constexpr std::array<CharClass, 128> kAsciiClasses = [] {
  std::array<CharClass, 128> classes{};
  for (int c = 0; c < 128; ++c) {
    CharClass& entry = classes[static_cast<std::size_t>(c)];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      entry = CharClass::kLetter;
    } else if (c >= '0' && c <= '9') {
      entry = CharClass::kNumber;
    } else if (c == ' ' || (c >= 9 && c <= 13)) {
      entry = CharClass::kSpace;
    } else {
      entry = CharClass::kOther;
    }
  }
  return classes;
}();

struct Char {
  CharClass kind;
  std::size_t length;
};

// REQUIRES: offset < text.size().
Char CharAt(std::string_view text, std::size_t offset) {
  const auto byte = static_cast<unsigned char>(text[offset]);
  if (byte < 0x80) return {kAsciiClasses[byte], 1};
  const DecodedCodePoint point = DecodeUtf8(text, offset);
  if (point.value < 0) return {CharClass::kOther, 1};
  if (IsLetter(point.value)) return {CharClass::kLetter, point.length};
  if (IsNumber(point.value)) return {CharClass::kNumber, point.length};
  if (IsSpace(point.value)) return {CharClass::kSpace, point.length};
  return {CharClass::kOther, point.length};
}

// The end of the run of `kind` that begins at `offset`, at most `limit`.
std::size_t EndOfRun(std::string_view text, std::size_t offset, std::size_t limit, CharClass kind) {
  while (offset < limit) {
    const Char c = CharAt(text, offset);
    if (c.kind != kind) break;
    offset += c.length;
  }
  return offset;
}

// The length of 's 't 're 've 'm 'll 'd at `offset`, or 0.
std::size_t ContractionLength(std::string_view text, std::size_t offset, std::size_t limit,
                              bool any_case) {
  if (text[offset] != '\'' || offset + 1 >= limit) return 0;
  const auto letter = [&](std::size_t i) -> char {
    if (i >= limit) return '\0';
    const char c = text[i];
    return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  const char first = letter(offset + 1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const char second = letter(offset + 2);
  if ((first == 'r' && second == 'e') || (first == 'v' && second == 'e') ||
      (first == 'l' && second == 'l')) {
    return 3;
  }
  return 0;
}

// \s+(?!\S)|\s+ on the run [begin, end): a space before a word is left to the word.
std::size_t EndOfSpaces(std::string_view text, std::size_t begin, std::size_t end,
                        std::size_t limit) {
  if (end == limit) return end;
  std::size_t last = end - 1;
  while (last > begin && (static_cast<unsigned char>(text[last]) & 0xc0) == 0x80) --last;
  return last > begin ? last : end;
}

}  // namespace

Result<PreTokenizer> ParsePreTokenizer(std::string_view name) {
  if (name == "gpt-2") return PreTokenizer::kGpt2;
  if (name == "smollm") return PreTokenizer::kSmollm;
  if (name == "qwen2" || name == "deepseek-r1-qwen") return PreTokenizer::kQwen2;
  if (name == "llama-bpe" || name == "llama3" || name == "llama-v3") return PreTokenizer::kLlamaBpe;
  return Status(
      StatusCode::kUnimplemented,
      fmt::format("tokenizer.ggml.pre is '{}'; known are gpt-2, smollm, qwen2, llama-bpe", name));
}

std::string_view WordScanner::Next() {
  if (offset_ >= text_.size()) return {};
  const std::size_t begin = offset_;
  switch (kind_) {
    case PreTokenizer::kGpt2:
      offset_ = EndOfGpt2Word(text_.size());
      break;
    case PreTokenizer::kSmollm: {
      const Char c = CharAt(text_, offset_);
      if (c.kind == CharClass::kNumber) {
        offset_ += c.length;
        break;
      }
      if (part_end_ <= offset_) {
        part_end_ = offset_;
        while (part_end_ < text_.size()) {
          const Char next = CharAt(text_, part_end_);
          if (next.kind == CharClass::kNumber) break;
          part_end_ += next.length;
        }
      }
      offset_ = EndOfGpt2Word(part_end_);
      break;
    }
    case PreTokenizer::kQwen2:
      offset_ = EndOfQwenWord(1);
      break;
    case PreTokenizer::kLlamaBpe:
      offset_ = EndOfQwenWord(3);
      break;
  }
  return text_.substr(begin, offset_ - begin);
}

std::size_t WordScanner::EndOfGpt2Word(std::size_t limit) const {
  if (const std::size_t length = ContractionLength(text_, offset_, limit, false); length > 0) {
    return offset_ + length;
  }
  const Char c = CharAt(text_, offset_);
  if (c.kind != CharClass::kSpace) return EndOfRun(text_, offset_, limit, c.kind);
  if (text_[offset_] == ' ' && offset_ + 1 < limit) {
    const Char next = CharAt(text_, offset_ + 1);
    if (next.kind != CharClass::kSpace) return EndOfRun(text_, offset_ + 1, limit, next.kind);
  }
  return EndOfSpaces(text_, offset_, EndOfRun(text_, offset_, limit, CharClass::kSpace), limit);
}

std::size_t WordScanner::EndOfQwenWord(std::size_t max_digits) const {
  const std::size_t limit = text_.size();
  if (const std::size_t length = ContractionLength(text_, offset_, limit, true); length > 0) {
    return offset_ + length;
  }
  const Char c = CharAt(text_, offset_);
  const std::size_t after = offset_ + c.length;
  if (c.kind == CharClass::kLetter) return EndOfRun(text_, after, limit, CharClass::kLetter);
  if (c.kind == CharClass::kNumber) {
    std::size_t end = after;
    for (std::size_t digits = 1; digits < max_digits && end < limit; ++digits) {
      const Char next = CharAt(text_, end);
      if (next.kind != CharClass::kNumber) break;
      end += next.length;
    }
    return end;
  }
  const bool newline = text_[offset_] == '\r' || text_[offset_] == '\n';
  if (!newline && after < limit && CharAt(text_, after).kind == CharClass::kLetter) {
    return EndOfRun(text_, after, limit, CharClass::kLetter);
  }
  std::size_t others = offset_;
  if (c.kind == CharClass::kOther ||
      (text_[offset_] == ' ' && after < limit && CharAt(text_, after).kind == CharClass::kOther)) {
    others = EndOfRun(text_, after, limit, CharClass::kOther);
    while (others < limit && (text_[others] == '\r' || text_[others] == '\n')) ++others;
    return others;
  }
  const std::size_t end = EndOfRun(text_, offset_, limit, CharClass::kSpace);
  const std::size_t last_newline = text_.substr(offset_, end - offset_).find_last_of("\r\n");
  if (last_newline != std::string_view::npos) return offset_ + last_newline + 1;
  return EndOfSpaces(text_, offset_, end, limit);
}

}  // namespace liubai::engine
