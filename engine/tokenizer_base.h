// engine/tokenizer_base.h: what the four kinds of tokenizer share: the special tokens around and
// inside a text, invalid bytes, offsets, ids.
//
// A kind implements EncodePlain, which sees valid UTF-8 without special tokens.
// Threads: const methods may run together.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer.h"
#include "engine/vocabulary.h"

namespace liubai::engine {

// Collects tokens, with their places where somebody asked for them.
class TokenSink {
 public:
  explicit TokenSink(EncodedText& out, bool with_offsets)
      : out_(out), with_offsets_(with_offsets) {}

  // Token `id` came from [begin, end) of the part of the text that is being encoded.
  void Add(TokenId id, std::size_t begin, std::size_t end) {
    out_.ids.push_back(id);
    if (with_offsets_) {
      out_.begin.push_back(static_cast<std::uint32_t>(base_ + begin));
      out_.end.push_back(static_cast<std::uint32_t>(base_ + end));
    }
  }
  bool with_offsets() const { return with_offsets_; }
  void set_base(std::size_t base) { base_ = base; }

 private:
  EncodedText& out_;
  bool with_offsets_;
  std::size_t base_ = 0;
};

class TokenizerBase : public Tokenizer {
 public:
  std::vector<TokenId> Encode(std::string_view text, EncodeOptions options) const override;
  EncodedText EncodeWithOffsets(std::string_view text, EncodeOptions options) const override;
  std::string Decode(std::span<const TokenId> ids, DecodeOptions options) const override;
  std::string_view TokenText(TokenId id) const override;
  TokenId FindToken(std::string_view text) const override;
  bool IsControl(TokenId id) const override;
  bool IsEndOfGeneration(TokenId id) const override;
  const std::vector<TokenId>& end_of_generation() const override { return end_of_generation_; }

  int vocab_size() const override { return vocabulary_.size(); }
  const std::string& model() const override { return model_; }
  TokenId bos() const override { return bos_; }
  TokenId eos() const override { return eos_; }
  TokenId eot() const override { return eot_; }
  TokenId unk() const override { return unk_; }
  TokenId pad() const override { return pad_; }
  TokenId cls() const override { return cls_; }
  TokenId sep() const override { return sep_; }
  TokenId mask() const override { return mask_; }
  bool adds_bos() const override { return add_bos_; }
  bool adds_eos() const override { return add_eos_; }

 protected:
  // `add_bos` and `add_eos` are what is usual for the kind.
  TokenizerBase(const TokenizerData& data, Vocabulary vocabulary, bool add_bos, bool add_eos);

  // `first`: nothing of the text lies before, or only a special token.
  virtual void EncodePlain(std::string_view text, bool first, TokenSink& sink) const = 0;

  const Vocabulary& vocabulary() const { return vocabulary_; }
  void set_unk(TokenId id) { unk_ = id; }

 private:
  void EncodeInto(std::string_view text, EncodeOptions options, EncodedText& out,
                  bool with_offsets) const;

  Vocabulary vocabulary_;
  std::string model_;
  TokenId bos_, eos_, eot_, unk_, pad_, cls_, sep_, mask_;
  bool add_bos_, add_eos_;
  std::vector<TokenId> end_of_generation_;
};

// One for each kind; errors as Tokenizer::Create.
Result<std::unique_ptr<Tokenizer>> CreateByteLevelBpe(const TokenizerData& data);
Result<std::unique_ptr<Tokenizer>> CreateSentencePieceBpe(const TokenizerData& data);
Result<std::unique_ptr<Tokenizer>> CreateWordPiece(const TokenizerData& data);
Result<std::unique_ptr<Tokenizer>> CreateUnigram(const TokenizerData& data);

}  // namespace liubai::engine
