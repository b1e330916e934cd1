// core/text.h: UTF-8 and Unicode properties (utf8proc), and edit distance for suggestions.
//
// Threads: free functions without state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/status.h"

namespace liubai {

// One decoded code point. `length` is at least 1; an invalid byte yields value -1 and length 1.
struct DecodedCodePoint {
  std::int32_t value;
  std::size_t length;
};

// REQUIRES: offset < text.size(). Overlong forms, surrogates and values above U+10FFFF are invalid.
DecodedCodePoint DecodeUtf8(std::string_view text, std::size_t offset);
void AppendUtf8(std::int32_t code_point, std::string& out);

// The byte offset of the first invalid sequence, or npos when all of `text` is valid.
std::size_t FindInvalidUtf8(std::string_view text);
// kInvalidArgument naming `what` and the offset when `text` is not UTF-8 or holds a NUL.
Status CheckText(std::string_view text, std::string_view what);
// Every invalid byte replaced by U+FFFD.
std::string RepairUtf8(std::string_view text);
// The length of the longest prefix of `text` that does not end inside a code point.
std::size_t CompleteUtf8Prefix(std::string_view text);
// At most `max_bytes`, cut between code points.
std::string_view TruncateUtf8(std::string_view text, std::size_t max_bytes);

// Without spaces, tabs and line ends at either end.
std::string_view Trim(std::string_view text);

std::size_t CountCodePoints(std::string_view text);

bool IsLetter(std::int32_t code_point);       // General category L*.
bool IsMark(std::int32_t code_point);         // M*.
bool IsNumber(std::int32_t code_point);       // N*.
bool IsPunctuation(std::int32_t code_point);  // P*, and the ASCII symbols BERT counts as such.
bool IsSpace(std::int32_t code_point);        // White_Space, as \s in Unicode regular expressions.
bool IsControl(std::int32_t code_point);      // Cc, Cf, Cn, Co, Cs but not tab, line feed, return.
bool IsCjkIdeograph(std::int32_t code_point);
// Han, Hiragana, Katakana, Hangul: scripts written without spaces or indexed by bigrams.
bool IsCjk(std::int32_t code_point);

std::int32_t ToLower(std::int32_t code_point);
std::string ToLowerUtf8(std::string_view text);
std::string NormalizeNfc(std::string_view text);
std::string NormalizeNfd(std::string_view text);
// NFKC with case folding; marks are kept.
std::string FoldNfkc(std::string_view text);

// Levenshtein distance over bytes.
std::size_t EditDistance(std::string_view a, std::string_view b);
// The candidate nearest to `word`, or "" when none is within a third of its length (at least 2).
std::string_view NearestWord(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace liubai
