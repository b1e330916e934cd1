#include "engine/vocabulary.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <initializer_list>
#include <utility>

#include "core/macros.h"
#include "fmt/format.h"

namespace liubai::engine {
namespace {

constexpr std::size_t kMaxTokens = std::size_t{1} << 22;
constexpr std::size_t kMaxTokenBytes = std::size_t{1} << 16;

Status Corrupt(std::string message) {
  return Status(StatusCode::kDataLoss, "tokenizer: " + std::move(message));
}

// Files disagree on the kind of the tokens that structure a chat: the name decides.
bool IsControlName(std::string_view text) {
  if (text.size() >= 5 && text.starts_with("<|") && text.ends_with("|>")) {
    const std::string_view inner = text.substr(2, text.size() - 4);
    return std::all_of(inner.begin(), inner.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-';
    });
  }
  for (const std::string_view name : {"<start_of_turn>", "<end_of_turn>", "<start_of_image>",
                                      "<end_of_image>", "<bos>", "<eos>", "<pad>"}) {
    if (text == name) return true;
  }
  return false;
}

// Shown to readers of the model's output, and yet not to be forged by a text.
bool IsProtocolName(std::string_view text) {
  for (const std::string_view name : {"<tool_call>", "</tool_call>", "<tool_response>",
                                      "</tool_response>", "<think>", "</think>"}) {
    if (text == name) return true;
  }
  return false;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// The byte that "<0xHH>" stands for, or -1.
int ParseByteToken(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return -1;
  const int high = HexDigit(text[3]);
  const int low = HexDigit(text[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

Status CheckSpecialIds(const TokenizerData& data) {
  const auto count = static_cast<TokenId>(data.tokens.size());
  const std::initializer_list<std::pair<const char*, TokenId>> ids = {
      {"bos_token_id", data.bos},       {"eos_token_id", data.eos},     {"eot_token_id", data.eot},
      {"unknown_token_id", data.unk},   {"padding_token_id", data.pad}, {"cls_token_id", data.cls},
      {"seperator_token_id", data.sep}, {"mask_token_id", data.mask}};
  for (const auto& [name, id] : ids) {
    if (id == kNoToken || (id >= 0 && id < count)) continue;
    return Corrupt(
        fmt::format("tokenizer.ggml.{} is {}; the vocabulary has {} tokens", name, id, count));
  }
  return Status();
}

Status CheckSizes(const TokenizerData& data) {
  const std::size_t count = data.tokens.size();
  if (count == 0 || count > kMaxTokens) {
    return Corrupt(fmt::format("tokenizer.ggml.tokens has {} entries; it must have 1 to {}", count,
                               kMaxTokens));
  }
  if (!data.scores.empty() && data.scores.size() != count) {
    return Corrupt(fmt::format("tokenizer.ggml.scores has {} entries for {} tokens",
                               data.scores.size(), count));
  }
  if (!data.token_types.empty() && data.token_types.size() != count) {
    return Corrupt(fmt::format("tokenizer.ggml.token_type has {} entries for {} tokens",
                               data.token_types.size(), count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (data.tokens[i].size() > kMaxTokenBytes) {
      return Corrupt(fmt::format("token {} has {} bytes; at most {} are allowed", i,
                                 data.tokens[i].size(), kMaxTokenBytes));
    }
    if (!data.token_types.empty() && (data.token_types[i] < 1 || data.token_types[i] > 6)) {
      return Corrupt(
          fmt::format("token {} is of type {}; types are 1 to 6", i, data.token_types[i]));
    }
  }
  return CheckSpecialIds(data);
}

}  // namespace

ByteTrie ByteTrie::Build(std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.text < b.text; });
  entries.erase(std::unique(entries.begin(), entries.end(),
                            [](const Entry& a, const Entry& b) { return a.text == b.text; }),
                entries.end());
  // A node is a range of entries that share their first `depth` bytes; the queue is the trie
  // itself.
  struct Range {
    std::uint32_t begin, end, depth;
  };
  ByteTrie trie;
  std::vector<Range> ranges = {{0, static_cast<std::uint32_t>(entries.size()), 0}};
  trie.byte_.push_back(0);
  for (std::size_t node = 0; node < ranges.size(); ++node) {
    auto [begin, end, depth] = ranges[node];
    const bool ends_here = begin < end && depth > 0 && entries[begin].text.size() == depth;
    trie.value_.push_back(ends_here ? entries[begin].value : -1);
    if (ends_here) ++begin;
    trie.first_.push_back(static_cast<std::uint32_t>(ranges.size()));
    while (begin < end) {
      const char byte = entries[begin].text[depth];
      std::uint32_t next = begin + 1;
      while (next < end && entries[next].text[depth] == byte) ++next;
      ranges.push_back({begin, next, depth + 1});
      trie.byte_.push_back(static_cast<unsigned char>(byte));
      begin = next;
    }
  }
  trie.first_.push_back(static_cast<std::uint32_t>(ranges.size()));
  trie.root_.fill(kMissing);
  for (std::uint32_t child = trie.first_[0]; child < trie.first_[1]; ++child) {
    trie.root_[trie.byte_[child]] = child;
  }
  return trie;
}

std::uint32_t ByteTrie::Next(std::uint32_t node, unsigned char byte) const {
  if (node == kRoot) return root_[byte];
  const std::uint32_t end = first_[node + 1];
  for (std::uint32_t child = first_[node]; child < end; ++child) {
    if (byte_[child] >= byte) return byte_[child] == byte ? child : kMissing;
  }
  return kMissing;
}

Result<Vocabulary> Vocabulary::Create(const TokenizerData& data, Spell spell,
                                      bool spell_user_defined) {
  LIUBAI_RETURN_IF_ERROR(CheckSizes(data));
  const std::size_t count = data.tokens.size();
  Vocabulary vocabulary;
  vocabulary.byte_tokens_.fill(kNoToken);
  vocabulary.guarded_.assign(count, false);
  vocabulary.kinds_.reserve(count);
  vocabulary.offsets_.reserve(count + 1);
  vocabulary.offsets_.push_back(0);
  std::uint64_t total_bytes = 0;
  for (const std::string_view token : data.tokens) total_bytes += token.size();
  if (total_bytes > std::uint64_t{1} << 30) {
    return Corrupt(fmt::format("the tokens have {} bytes; at most {} are allowed", total_bytes,
                               std::uint64_t{1} << 30));
  }
  vocabulary.bytes_.reserve(total_bytes);

  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view token = data.tokens[i];
    const auto id = static_cast<TokenId>(i);
    TokenKind kind =
        data.token_types.empty() ? TokenKind::kNormal : static_cast<TokenKind>(data.token_types[i]);
    if (kind == TokenKind::kNormal || kind == TokenKind::kUserDefined) {
      const bool structural = id == data.bos || id == data.eos || id == data.eot ||
                              id == data.cls || id == data.sep || id == data.mask;
      if (structural || IsControlName(token)) kind = TokenKind::kControl;
    }
    if (kind == TokenKind::kNormal && id == data.unk) kind = TokenKind::kUnknown;
    if (kind == TokenKind::kByte) {
      const int byte = ParseByteToken(token);
      if (byte < 0) {
        return Corrupt(
            fmt::format("token {} is of type byte and reads '{}', not <0xHH>", i, token));
      }
      TokenId& known = vocabulary.byte_tokens_[static_cast<std::size_t>(byte)];
      if (known == kNoToken) known = id;
      vocabulary.bytes_.push_back(static_cast<char>(byte));
    } else if (kind == TokenKind::kNormal ||
               (kind == TokenKind::kUserDefined && spell_user_defined)) {
      vocabulary.bytes_ += spell(token);
    } else {
      vocabulary.bytes_ += token;
    }
    vocabulary.kinds_.push_back(kind);
    vocabulary.offsets_.push_back(static_cast<std::uint32_t>(vocabulary.bytes_.size()));
  }

  std::vector<ByteTrie::Entry> special;
  const std::size_t slots = std::bit_ceil(count + count / 2 + 8);
  vocabulary.slots_.assign(slots, kEmpty);
  for (std::size_t i = 0; i < count; ++i) {
    const auto id = static_cast<TokenId>(i);
    const std::string_view text = vocabulary.Text(id);
    if (text.empty()) continue;
    const TokenKind kind = vocabulary.Kind(id);
    if (kind == TokenKind::kNormal) {
      std::size_t slot = std::hash<std::string_view>()(text) & (slots - 1);
      while (vocabulary.slots_[slot] != kEmpty &&
             vocabulary.Text(static_cast<TokenId>(vocabulary.slots_[slot])) != text) {
        slot = (slot + 1) & (slots - 1);
      }
      if (vocabulary.slots_[slot] == kEmpty)
        vocabulary.slots_[slot] = static_cast<std::uint32_t>(i);
    } else if (kind != TokenKind::kUnused && kind != TokenKind::kByte) {
      special.push_back({text, id});
      vocabulary.guarded_[i] = kind != TokenKind::kUserDefined || IsProtocolName(text);
    }
  }
  vocabulary.special_ = ByteTrie::Build(std::move(special));
  return vocabulary;
}

TokenId Vocabulary::Find(std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>()(text) & mask;
  while (slots_[slot] != kEmpty) {
    const auto id = static_cast<TokenId>(slots_[slot]);
    if (Text(id) == text) return id;
    slot = (slot + 1) & mask;
  }
  return kNoToken;
}

std::string SpellSpaces(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size();) {
    if (token.substr(i).starts_with(kMetaSpace)) {
      text.push_back(' ');
      i += kMetaSpace.size();
    } else {
      text.push_back(token[i++]);
    }
  }
  return text;
}

}  // namespace liubai::engine
