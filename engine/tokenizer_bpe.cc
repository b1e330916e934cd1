// Byte-level BPE (Radford et al. 2019): every byte is a symbol, written in model files as a
// printable character; pairs merge in the order of the merge list.

#include <array>
#include <bit>
#include <utility>

#include "core/macros.h"
#include "core/text.h"
#include "engine/bpe_merge.h"
#include "engine/pretokenizer.h"
#include "engine/tokenizer_base.h"
#include "engine/word_cache.h"
#include "fmt/format.h"

namespace liubai::engine {
namespace {

// The 188 bytes that print as themselves keep their code point; the others follow from U+0100 on.
constexpr std::int32_t kByteCharacters = 0x144;
constexpr std::array<std::int16_t, kByteCharacters> kByteOfCharacter = [] {
  std::array<std::int16_t, kByteCharacters> bytes{};
  bytes.fill(-1);
  std::size_t next = 0x100;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const bool prints =
        (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    bytes[prints ? byte : next++] = static_cast<std::int16_t>(byte);
  }
  return bytes;
}();

// The bytes that `token` writes; a token with any other character stands for itself.
std::string SpellBytes(std::string_view token) {
  std::string bytes;
  for (std::size_t i = 0; i < token.size();) {
    const DecodedCodePoint point = DecodeUtf8(token, i);
    const std::int32_t c = point.value;
    if (c < 0 || c >= kByteCharacters || kByteOfCharacter[static_cast<std::size_t>(c)] < 0) {
      return std::string(token);
    }
    bytes.push_back(static_cast<char>(kByteOfCharacter[static_cast<std::size_t>(c)]));
    i += point.length;
  }
  return bytes;
}

// (left, right) -> merge, by open addressing.
class MergeTable {
 public:
  explicit MergeTable(std::size_t count) : slots_(std::bit_ceil(count + count / 2 + 8)) {}

  // The first of equal pairs stays.
  void Add(TokenId left, TokenId right, BpeMerge merge) {
    Slot& slot = slots_[Place(Key(left, right))];
    if (slot.key == kFree) slot = {Key(left, right), merge};
  }
  BpeMerge Find(TokenId left, TokenId right) const {
    const Slot& slot = slots_[Place(Key(left, right))];
    return slot.key == kFree ? BpeMerge{} : slot.merge;
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = kFree;
    BpeMerge merge;
  };
  static std::uint64_t Key(TokenId left, TokenId right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 |
           static_cast<std::uint32_t>(right);
  }
  std::size_t Place(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t hash = key * 0x9e3779b97f4a7c15ull;
    std::size_t place = static_cast<std::size_t>(hash ^ hash >> 32) & mask;
    while (slots_[place].key != kFree && slots_[place].key != key) place = (place + 1) & mask;
    return place;
  }
  std::vector<Slot> slots_;
};

class ByteLevelBpe final : public TokenizerBase {
 public:
  ByteLevelBpe(const TokenizerData& data, Vocabulary vocabulary, PreTokenizer pre,
               MergeTable merges)
      : TokenizerBase(data, std::move(vocabulary), pre == PreTokenizer::kLlamaBpe, false),
        pre_(pre),
        merges_(std::move(merges)) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const char c = static_cast<char>(byte);
      byte_ids_[byte] = this->vocabulary().Find(std::string_view(&c, 1));
    }
  }

 protected:
  void EncodePlain(std::string_view text, bool, TokenSink& sink) const override {
    WordScanner scanner(pre_, text);
    BpeMerger merger;
    WordCache cache(text.size());
    std::size_t base = 0;
    for (std::string_view word = scanner.Next(); !word.empty(); word = scanner.Next()) {
      const auto encode = [&](std::vector<BpeSymbol>& out) { EncodeWord(word, merger, out); };
      for (const BpeSymbol& symbol : cache.Get(word, encode)) {
        // A byte that the vocabulary lacks is left out, as the models' own tokenizers do.
        if (symbol.id == kNoToken) continue;
        sink.Add(symbol.id, base + symbol.begin, base + symbol.begin + symbol.length);
      }
      base += word.size();
    }
  }

 private:
  void EncodeWord(std::string_view word, BpeMerger& merger, std::vector<BpeSymbol>& out) const {
    out.clear();
    if (pre_ == PreTokenizer::kLlamaBpe) {
      // Llama 3 takes a word that is a token as it is, whatever the merges say.
      if (const TokenId id = vocabulary().Find(word); id != kNoToken) {
        out.push_back({0, static_cast<std::uint32_t>(word.size()), id});
        return;
      }
    }
    std::vector<BpeSymbol>& symbols = merger.symbols();
    symbols.clear();
    for (std::size_t i = 0; i < word.size(); ++i) {
      symbols.push_back(
          {static_cast<std::uint32_t>(i), 1, byte_ids_[static_cast<unsigned char>(word[i])]});
    }
    merger.Run([this](const BpeSymbol& left, const BpeSymbol& right) {
      return merges_.Find(left.id, right.id);
    });
    out.assign(symbols.begin(), symbols.end());
  }

  PreTokenizer pre_;
  MergeTable merges_;
  std::array<TokenId, 256> byte_ids_;
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> CreateByteLevelBpe(const TokenizerData& data) {
  LIUBAI_ASSIGN_OR_RETURN(const PreTokenizer pre, ParsePreTokenizer(data.pre));
  LIUBAI_ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::Create(data, SpellBytes, false));
  MergeTable merges(data.merges.size());
  for (std::size_t i = 0; i < data.merges.size(); ++i) {
    const std::string_view merge = data.merges[i];
    // A token may begin with a space only where it is not written in byte characters.
    const std::size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == merge.size()) {
      return Status(StatusCode::kDataLoss,
                    fmt::format("tokenizer: merge {} is '{}', not two tokens", i, merge));
    }
    const std::string left = SpellBytes(merge.substr(0, space));
    const std::string right = SpellBytes(merge.substr(space + 1));
    BpeMerge result;
    result.rank = static_cast<std::uint32_t>(i);
    const TokenId left_id = vocabulary.Find(left);
    const TokenId right_id = vocabulary.Find(right);
    result.id = vocabulary.Find(left + right);
    if (left_id == kNoToken || right_id == kNoToken || result.id == kNoToken) {
      return Status(
          StatusCode::kDataLoss,
          fmt::format("tokenizer: merge {} is '{}'; {} is not in the vocabulary of {}", i, merge,
                      left_id == kNoToken    ? "its left side"
                      : right_id == kNoToken ? "its right side"
                                             : "its result",
                      vocabulary.size()));
    }
    merges.Add(left_id, right_id, result);
  }
  return std::unique_ptr<Tokenizer>(
      std::make_unique<ByteLevelBpe>(data, std::move(vocabulary), pre, std::move(merges)));
}

}  // namespace liubai::engine
