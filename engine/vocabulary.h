// engine/vocabulary.h: the tokens of a model: their bytes, kinds and ranks, found by id or by text.
//
// Errors:  as Tokenizer::Create.
// Threads: const after Create.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer.h"

namespace liubai::engine {

// A set of byte strings with a value each; finds the longest that is a prefix of a text.
class ByteTrie {
 public:
  struct Entry {
    std::string_view text;  // Not empty.
    std::int32_t value;     // Not negative.
  };
  // Of entries with the same text the first in order stays.
  static ByteTrie Build(std::vector<Entry> entries);

  static constexpr std::uint32_t kRoot = 0;
  static constexpr std::uint32_t kMissing = 0xffffffff;
  // The node that follows `node` on `byte`, or kMissing.
  std::uint32_t Next(std::uint32_t node, unsigned char byte) const;
  // The value of the string that ends at `node`, or -1.
  std::int32_t Value(std::uint32_t node) const { return value_[node]; }
  bool empty() const { return value_.size() <= 1; }
  // Whether some entry begins with `byte`.
  bool Starts(unsigned char byte) const { return root_[byte] != kMissing; }

 private:
  // Breadth first: the children of a node are neighbours, in the order of their bytes.
  std::array<std::uint32_t, 256> root_;
  std::vector<std::uint32_t> first_;  // [nodes + 1]
  std::vector<unsigned char> byte_;   // [nodes]
  std::vector<std::int32_t> value_;   // [nodes]
};

// U+2581, which stands for a space in the pieces of SentencePiece vocabularies.
inline constexpr std::string_view kMetaSpace = "\xe2\x96\x81";
// `token` with spaces for every kMetaSpace.
std::string SpellSpaces(std::string_view token);

class Vocabulary {
 public:
  // Turns a token as written in the model file into the bytes it stands for.
  using Spell = std::string (*)(std::string_view token);

  // Checks and copies; `spell` is applied to normal tokens (and to user-defined ones by
  // SentencePiece).
  static Result<Vocabulary> Create(const TokenizerData& data, Spell spell, bool spell_user_defined);

  int size() const { return static_cast<int>(kinds_.size()); }
  bool Contains(TokenId id) const { return id >= 0 && id < size(); }
  // REQUIRES: Contains(id), wherever an id is given.
  std::string_view Text(TokenId id) const {
    const auto i = static_cast<std::size_t>(id);
    return std::string_view(bytes_).substr(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  TokenKind Kind(TokenId id) const { return kinds_[static_cast<std::size_t>(id)]; }

  // The normal token with these bytes, or kNoToken. Duplicates: the lowest id.
  TokenId Find(std::string_view text) const;
  // Tokens that are matched as a whole: control, unknown and user-defined ones.
  const ByteTrie& special() const { return special_; }
  // A token of special() that only a caller who asks for special tokens may get from a text.
  bool IsGuarded(TokenId id) const { return guarded_[static_cast<std::size_t>(id)]; }
  // Byte tokens, [256]; kNoToken where one is missing.
  const std::array<TokenId, 256>& bytes() const { return byte_tokens_; }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffff;

  std::string bytes_;
  std::vector<std::uint32_t> offsets_;  // [size + 1]
  std::vector<TokenKind> kinds_;
  std::vector<std::uint32_t> slots_;  // Open addressing; normal tokens only.
  ByteTrie special_;
  std::vector<bool> guarded_;  // [size]
  std::array<TokenId, 256> byte_tokens_;
};

}  // namespace liubai::engine
