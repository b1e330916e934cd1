// SentencePiece Unigram (Kudo 2018): of all segmentations of a word into pieces, the one with the
// greatest sum of scores. Text is normalised first (nmt_nfkc), and runs of spaces become one.

#include <utf8proc.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/macros.h"
#include "core/text.h"
#include "engine/normalized_text.h"
#include "engine/tokenizer_base.h"
#include "engine/vocabulary.h"
#include "fmt/format.h"

namespace liubai::engine {
namespace {

constexpr std::int32_t kMetaSpaceCodePoint = 0x2581;
// How much less likely than the rarest piece a character is that no piece spells.
constexpr float kUnknownPenalty = 10.0f;
constexpr float kCoarseScore = -16384.0f;  // Beyond the longest text that a model encodes at once.

// Code point -> code points.
class NormalizationMap {
 public:
  static Result<NormalizationMap> Parse(std::span<const std::uint8_t> bytes) {
    const auto bad = [](std::string_view what, std::size_t offset) {
      return Status(StatusCode::kDataLoss,
                    fmt::format("tokenizer: normalisation map: {} at byte {}", what, offset));
    };
    NormalizationMap map;
    if (bytes.empty()) return map;
    std::size_t offset = 0;
    const auto read = [&](std::size_t size, std::uint32_t& value) {
      if (bytes.size() - offset < size) return false;
      value = 0;
      for (std::size_t i = 0; i < size; ++i) value |= std::uint32_t{bytes[offset + i]} << (8 * i);
      offset += size;
      return true;
    };
    std::uint32_t count = 0;
    if (!read(4, count) || count > bytes.size() / 5) return bad("impossible count", 0);
    map.entries_.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      Entry entry{};
      std::uint32_t length = 0;
      if (!read(4, entry.code_point) || !read(1, length)) return bad("truncated", offset);
      if (entry.code_point > 0x10ffff) return bad("code point above U+10FFFF", offset);
      entry.begin = static_cast<std::uint32_t>(map.targets_.size());
      entry.length = length;
      for (std::uint32_t j = 0; j < length; ++j) {
        std::uint32_t target = 0;
        if (!read(4, target)) return bad("truncated", offset);
        if (target > 0x10ffff) return bad("code point above U+10FFFF", offset);
        map.targets_.push_back(static_cast<std::int32_t>(target));
      }
      map.entries_.push_back(entry);
    }
    if (offset != bytes.size()) return bad("bytes behind its end", offset);
    std::stable_sort(map.entries_.begin(), map.entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.code_point < b.code_point; });
    return map;
  }

  bool empty() const { return entries_.empty(); }

  // Calls emit(code_point) for each code point that stands for `c`.
  template <class Emit>
  void Apply(std::int32_t c, const Emit& emit) const {
    const auto entry =
        std::lower_bound(entries_.begin(), entries_.end(), static_cast<std::uint32_t>(c),
                         [](const Entry& e, std::uint32_t value) { return e.code_point < value; });
    if (entry == entries_.end() || entry->code_point != static_cast<std::uint32_t>(c)) {
      emit(c);
      return;
    }
    for (std::uint32_t i = 0; i < entry->length; ++i) emit(targets_[entry->begin + i]);
  }

 private:
  struct Entry {
    std::uint32_t code_point;
    std::uint32_t begin;
    std::uint32_t length;
  };
  std::vector<Entry> entries_;
  std::vector<std::int32_t> targets_;
};

class Unigram final : public TokenizerBase {
 public:
  Unigram(const TokenizerData& data, Vocabulary vocabulary, NormalizationMap map)
      : TokenizerBase(data, std::move(vocabulary), true, true),
        map_(std::move(map)),
        scores_(data.scores),
        add_space_prefix_(data.add_space_prefix.value_or(true)) {
    const Vocabulary& tokens = this->vocabulary();
    std::vector<ByteTrie::Entry> pieces;
    float least = 0;
    for (TokenId id = 0; id < tokens.size(); ++id) {
      if (tokens.Kind(id) == TokenKind::kUnknown && unk() == kNoToken) set_unk(id);
      if (tokens.Kind(id) != TokenKind::kNormal || tokens.Text(id).empty()) continue;
      pieces.push_back({tokens.Text(id), id});
      least = std::min(least, scores_[static_cast<std::size_t>(id)]);
    }
    unknown_score_ = least - kUnknownPenalty;
    trie_ = ByteTrie::Build(std::move(pieces));
  }

 protected:
  void EncodePlain(std::string_view text, bool first, TokenSink& sink) const override {
    const NormalizedText normalized = Normalize(text, first, sink.with_offsets());
    const std::string_view all = normalized.text;
    std::vector<Node> nodes;
    // Of the text so far. Ties are broken by rounding, so round as the models' own tokenizer does:
    // in single precision over the whole text; but not where that would decide more than ties.
    float score = 0.0f;
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = all.find(' ', begin + 1);
      if (end == std::string_view::npos) end = all.size();
      if (score < kCoarseScore) score = 0.0f;
      score = EncodeWord(normalized, begin, end, score, nodes, sink);
      begin = end;
    }
  }

 private:
  struct Node {
    float score;           // Of the best path from the beginning of the text.
    std::uint32_t length;  // Of its last piece; 0: not reached.
    TokenId id;
  };

  NormalizedText Normalize(std::string_view text, bool first, bool with_origin) const {
    NormalizedText out(with_origin);
    if (first && add_space_prefix_) out.Add(' ', 0, 0);
    const auto space_before = [&] { return !out.text.empty() && out.text.back() == ' '; };
    for (std::size_t i = 0; i < text.size();) {
      const DecodedCodePoint point = DecodeUtf8(text, i);
      const std::size_t begin = i;
      i += point.length;
      const auto emit = [&](std::int32_t c) {
        if (c == kMetaSpaceCodePoint) c = ' ';
        if (c == ' ' && space_before()) return;
        out.Add(c, begin, i);
      };
      if (!map_.empty()) {
        map_.Apply(point.value, emit);
      } else {
        ApplyNfkc(point.value, emit);
      }
    }
    return out;
  }

  // Without a map of the model's own: white space is a space, controls vanish, NFKC for the rest.
  template <class Emit>
  static void ApplyNfkc(std::int32_t c, const Emit& emit) {
    if (IsSpace(c)) {
      emit(' ');
      return;
    }
    if (c < 0x80) {
      if (!liubai::IsControl(c)) emit(c);
      return;
    }
    utf8proc_int32_t parts[32];
    int boundary = 0;
    utf8proc_ssize_t count = utf8proc_decompose_char(
        c, parts, 32, static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT),
        &boundary);
    if (count < 0 || count > 32) {
      emit(c);
      return;
    }
    count = utf8proc_normalize_utf32(
        parts, count, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    for (utf8proc_ssize_t p = 0; p < count; ++p) emit(parts[p]);
  }

  float EncodeWord(const NormalizedText& normalized, std::size_t word_begin, std::size_t word_end,
                   float score, std::vector<Node>& nodes, TokenSink& sink) const {
    const std::string_view word =
        std::string_view(normalized.text).substr(word_begin, word_end - word_begin);
    nodes.assign(word.size() + 1, Node{0.0f, 0, kNoToken});
    nodes[0].score = score;
    const auto offer = [&](std::size_t start, std::size_t end, TokenId id, float score) {
      Node& node = nodes[end];
      if (node.length == 0 || score > node.score) {
        node = {score, static_cast<std::uint32_t>(end - start), id};
      }
    };
    for (std::size_t start = 0; start < word.size();) {
      const float before = nodes[start].score;
      const std::size_t character = DecodeUtf8(word, start).length;
      bool spelled = false;
      std::uint32_t trie_node = ByteTrie::kRoot;
      for (std::size_t end = start; end < word.size();) {
        trie_node = trie_.Next(trie_node, static_cast<unsigned char>(word[end++]));
        if (trie_node == ByteTrie::kMissing) break;
        const TokenId id = trie_.Value(trie_node);
        if (id < 0) continue;
        offer(start, end, id, before + scores_[static_cast<std::size_t>(id)]);
        spelled = spelled || end - start == character;
      }
      if (!spelled) offer(start, start + character, unk(), before + unknown_score_);
      start += character;
    }

    // Back from the end; neighbouring unknown characters are one unknown token.
    struct Piece {
      TokenId id;
      std::size_t begin, end;
    };
    std::vector<Piece> pieces;
    for (std::size_t end = word.size(); end > 0;) {
      const Node& node = nodes[end];
      const std::size_t begin = end - node.length;
      if (node.id == unk() && !pieces.empty() && pieces.back().id == unk()) {
        pieces.back().begin = begin;
      } else {
        pieces.push_back({node.id, begin, end});
      }
      end = begin;
    }
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
      // A piece begins where its letters begin, not at the space before them.
      const bool spaced = word[piece->begin] == ' ' && piece->end - piece->begin > 1;
      sink.Add(piece->id, normalized.From(word_begin + piece->begin + (spaced ? 1 : 0)),
               normalized.To(word_begin + piece->end));
    }
    return nodes.back().score;
  }

  NormalizationMap map_;
  std::vector<float> scores_;
  bool add_space_prefix_;
  float unknown_score_ = 0;
  ByteTrie trie_;
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> CreateUnigram(const TokenizerData& data) {
  LIUBAI_ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::Create(data, SpellSpaces, true));
  if (data.scores.empty()) {
    return Status(StatusCode::kDataLoss, "tokenizer: tokenizer.ggml.scores is missing");
  }
  bool has_unknown = data.unk != kNoToken;
  for (std::size_t i = 0; i < data.scores.size(); ++i) {
    has_unknown = has_unknown || vocabulary.Kind(static_cast<TokenId>(i)) == TokenKind::kUnknown;
    if (!std::isfinite(data.scores[i])) {
      return Status(StatusCode::kDataLoss,
                    fmt::format("tokenizer: the score of token {} is {}", i, data.scores[i]));
    }
  }
  if (!has_unknown) {
    return Status(StatusCode::kDataLoss, "tokenizer: the vocabulary has no unknown token");
  }
  LIUBAI_ASSIGN_OR_RETURN(NormalizationMap map, NormalizationMap::Parse(data.normalization_map));
  return std::unique_ptr<Tokenizer>(
      std::make_unique<Unigram>(data, std::move(vocabulary), std::move(map)));
}

}  // namespace liubai::engine
