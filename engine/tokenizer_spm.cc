// SentencePiece BPE (Kudo and Richardson 2018): characters merge by the score of what they become;
// what no token spells is written in byte tokens. Model files write a space as U+2581; here it is a
// space.

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/macros.h"
#include "core/text.h"
#include "engine/bpe_merge.h"
#include "engine/tokenizer_base.h"
#include "engine/vocabulary.h"
#include "engine/word_cache.h"
#include "fmt/format.h"

namespace liubai::engine {
namespace {

// Higher scores get lower ranks; BpeMerge::kNone stays free since scores are finite.
std::uint32_t RankOfScore(float score) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(score + 0.0f);
  const std::uint32_t ascending = bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
  return ~ascending;
}

class SentencePieceBpe final : public TokenizerBase {
 public:
  SentencePieceBpe(const TokenizerData& data, Vocabulary vocabulary)
      : TokenizerBase(data, std::move(vocabulary), true, false),
        add_space_prefix_(data.add_space_prefix.value_or(true)) {
    const Vocabulary& tokens = this->vocabulary();
    ranks_.reserve(data.scores.size());
    for (const float score : data.scores) ranks_.push_back(RankOfScore(score));
    joins_space_.fill(false);
    for (TokenId id = 0; id < tokens.size(); ++id) {
      if (tokens.Kind(id) != TokenKind::kNormal) continue;
      const std::string_view text = tokens.Text(id);
      for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == ' ' && text[i - 1] != ' ') {
          joins_space_[static_cast<unsigned char>(text[i - 1])] = true;
        }
      }
    }
  }

 protected:
  void EncodePlain(std::string_view text, bool first, TokenSink& sink) const override {
    const bool prefix = first && add_space_prefix_;
    if (!prefix && text.find(kMetaSpace) == std::string_view::npos) {
      EncodeSpaced(text, {}, sink);
      return;
    }
    std::string spaced;
    std::vector<std::uint32_t> origin;  // [spaced.size() + 1]
    spaced.reserve(text.size() + 1);
    if (prefix) {
      spaced.push_back(' ');
      origin.push_back(0);
    }
    for (std::size_t i = 0; i < text.size();) {
      const bool meta = text.substr(i).starts_with(kMetaSpace);
      spaced.push_back(meta ? ' ' : text[i]);
      origin.push_back(static_cast<std::uint32_t>(i));
      i += meta ? kMetaSpace.size() : 1;
    }
    origin.push_back(static_cast<std::uint32_t>(text.size()));
    EncodeSpaced(spaced, origin, sink);
  }

 private:
  // `origin`: where each byte was before the spaces were written; empty when nothing changed.
  void EncodeSpaced(std::string_view text, const std::vector<std::uint32_t>& origin,
                    TokenSink& sink) const {
    const auto add = [&](TokenId id, std::size_t begin, std::size_t end) {
      sink.Add(id, origin.empty() ? begin : origin[begin], origin.empty() ? end : origin[end]);
    };
    BpeMerger merger;
    WordCache cache(text.size());
    for (std::size_t begin = 0; begin < text.size();) {
      // No token joins the two sides of such a cut, so merging part by part gives the same tokens.
      std::size_t end = begin + 1;
      while (end < text.size() && !(text[end] == ' ' && text[end - 1] != ' ' &&
                                    !joins_space_[static_cast<unsigned char>(text[end - 1])])) {
        ++end;
      }
      const std::string_view part = text.substr(begin, end - begin);
      const auto encode = [&](std::vector<BpeSymbol>& out) { EncodePart(part, merger, out); };
      for (const BpeSymbol& symbol : cache.Get(part, encode)) {
        const std::size_t at = begin + symbol.begin;
        if (symbol.id != kNoToken) {
          add(symbol.id, at, at + symbol.length);
          continue;
        }
        AddBytes(text.substr(at, symbol.length), at, add);
      }
      begin = end;
    }
  }

  template <class Add>
  void AddBytes(std::string_view character, std::size_t at, const Add& add) const {
    const auto& bytes = vocabulary().bytes();
    const bool complete = std::all_of(character.begin(), character.end(), [&](char c) {
      return bytes[static_cast<unsigned char>(c)] != kNoToken;
    });
    if (!complete) {
      if (unk() != kNoToken) add(unk(), at, at + character.size());
      return;
    }
    for (std::size_t i = 0; i < character.size(); ++i) {
      add(bytes[static_cast<unsigned char>(character[i])], at + i, at + i + 1);
    }
  }

  void EncodePart(std::string_view part, BpeMerger& merger, std::vector<BpeSymbol>& out) const {
    std::vector<BpeSymbol>& symbols = merger.symbols();
    symbols.clear();
    for (std::size_t i = 0; i < part.size();) {
      const std::size_t length = DecodeUtf8(part, i).length;
      symbols.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(length),
                         vocabulary().Find(part.substr(i, length))});
      i += length;
    }
    merger.Run([&](const BpeSymbol& left, const BpeSymbol& right) {
      BpeMerge merge;
      merge.id = vocabulary().Find(part.substr(left.begin, left.length + right.length));
      if (merge.id != kNoToken) merge.rank = ranks_[static_cast<std::size_t>(merge.id)];
      return merge;
    });
    out.assign(symbols.begin(), symbols.end());
  }

  bool add_space_prefix_;
  std::vector<std::uint32_t> ranks_;
  std::array<bool, 256> joins_space_;  // Some token has a space right after this byte.
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> CreateSentencePieceBpe(const TokenizerData& data) {
  LIUBAI_ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::Create(data, SpellSpaces, true));
  if (data.scores.empty()) {
    return Status(StatusCode::kDataLoss, "tokenizer: tokenizer.ggml.scores is missing");
  }
  for (std::size_t i = 0; i < data.scores.size(); ++i) {
    if (!std::isfinite(data.scores[i])) {
      return Status(StatusCode::kDataLoss,
                    fmt::format("tokenizer: the score of token {} is {}", i, data.scores[i]));
    }
  }
  return std::unique_ptr<Tokenizer>(
      std::make_unique<SentencePieceBpe>(data, std::move(vocabulary)));
}

}  // namespace liubai::engine
