// engine/tokenizer.h: text to token ids and back, for the four kinds of tokenizer in model files.
//
//   "gpt2"   byte-level BPE: merges by rank inside the words of a pre-tokenizer
//   "llama"  SentencePiece BPE: merges by score over the whole text, bytes as a fallback
//   "bert"   WordPiece: lower-cased words, accents stripped, longest pieces first
//   "t5"     SentencePiece Unigram: the most likely segmentation (Viterbi)
//
// Control tokens (<|im_end|>, <s>, [CLS], ...) come out of Encode only with `parse_special`, or as
// what `add_special` puts around the text. Without them no text whatever becomes a control token;
// its characters are encoded as characters.
//
// Errors:  Create refuses a vocabulary that contradicts itself (kDataLoss) or is of an unknown kind
//          (kUnimplemented), naming the field, the value and the limit. Encode and Decode take any
//          bytes: each invalid byte of UTF-8 counts as U+FFFD; what a vocabulary cannot spell
//          becomes its unknown token or, in byte-level BPE, is left out.
// Threads: const methods may run together.
// Units:   offsets and sizes are bytes of the text as given.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/status.h"
#include "liubai/types.h"

namespace liubai::engine {

inline constexpr TokenId kNoToken = -1;

// As numbered in model files (tokenizer.ggml.token_type).
enum class TokenKind : std::int32_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,  // Matched in any text before everything else, for example runs of spaces.
  kUnused = 5,
  kByte = 6,  // <0x00> to <0xFF>.
};

// What a model file says about its tokenizer. The views must live until Create returns.
struct TokenizerData {
  std::string model;                      // tokenizer.ggml.model
  std::string pre;                        // tokenizer.ggml.pre, for "gpt2"
  std::vector<std::string_view> tokens;   // [vocabulary]
  std::vector<float> scores;              // [vocabulary], or empty for "gpt2" and "bert"
  std::vector<std::int32_t> token_types;  // [vocabulary], or empty: all are normal
  std::vector<std::string_view> merges;   // "left right", best first, for "gpt2"
  TokenId bos = kNoToken;
  TokenId eos = kNoToken;
  TokenId eot = kNoToken;
  TokenId unk = kNoToken;
  TokenId pad = kNoToken;
  TokenId cls = kNoToken;
  TokenId sep = kNoToken;
  TokenId mask = kNoToken;
  std::optional<bool> add_bos;  // Unset: what is usual for the kind.
  std::optional<bool> add_eos;
  std::optional<bool> add_space_prefix;
  // For "t5": i32 count, then for each u32 code point, u8 n, n × u32; little-endian. Empty: NFKC.
  std::vector<std::uint8_t> normalization_map;
};

struct EncodeOptions {
  bool add_special = false;  // What the model expects around a whole text (bos, eos, [CLS], [SEP]).
  bool parse_special = false;  // Control tokens written in the text become control tokens.
};

struct DecodeOptions {
  bool skip_control = false;  // Leave control tokens out.
};

// Token i came from text[begin[i], end[i]); tokens that `add_special` put there are empty ranges.
struct EncodedText {
  std::vector<TokenId> ids;
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> end;
};

class GgufFile;
// Views into `file`. Errors name the key.
Result<TokenizerData> LoadTokenizerData(const GgufFile& file);

class Tokenizer {
 public:
  static Result<std::unique_ptr<Tokenizer>> Create(const TokenizerData& data);
  virtual ~Tokenizer() = default;

  virtual std::vector<TokenId> Encode(std::string_view text, EncodeOptions options = {}) const = 0;
  // REQUIRES: text.size() < 2^32.
  virtual EncodedText EncodeWithOffsets(std::string_view text,
                                        EncodeOptions options = {}) const = 0;

  // Ids outside the vocabulary are left out. Text that went through normalisation comes back
  // normalised.
  virtual std::string Decode(std::span<const TokenId> ids, DecodeOptions options = {}) const = 0;
  // The bytes of one token, which may end inside a code point; "" outside the vocabulary.
  virtual std::string_view TokenText(TokenId id) const = 0;
  // The token whose text is exactly `text`, control tokens included; kNoToken when there is none.
  virtual TokenId FindToken(std::string_view text) const = 0;

  virtual bool IsControl(TokenId id) const = 0;
  // A token with which the model ends its message or its text.
  virtual bool IsEndOfGeneration(TokenId id) const = 0;
  virtual const std::vector<TokenId>& end_of_generation() const = 0;

  virtual int vocab_size() const = 0;
  virtual const std::string& model() const = 0;  // "gpt2", "llama", "bert", "t5".
  // kNoToken where the model has none.
  virtual TokenId bos() const = 0;
  virtual TokenId eos() const = 0;
  virtual TokenId eot() const = 0;
  virtual TokenId unk() const = 0;
  virtual TokenId pad() const = 0;
  virtual TokenId cls() const = 0;
  virtual TokenId sep() const = 0;
  virtual TokenId mask() const = 0;
  // Whether add_special puts a beginning-of-sequence token in front.
  virtual bool adds_bos() const = 0;
  virtual bool adds_eos() const = 0;
};

}  // namespace liubai::engine
