// WordPiece as BERT uses it (Devlin et al. 2018): control characters dropped, Chinese characters
// and punctuation alone, accents stripped, lower case; then the longest pieces from the left.

#include <utf8proc.h>

#include <algorithm>
#include <utility>

#include "core/macros.h"
#include "core/text.h"
#include "engine/normalized_text.h"
#include "engine/tokenizer_base.h"
#include "engine/vocabulary.h"
#include "fmt/format.h"

namespace liubai::engine {
namespace {

constexpr std::size_t kMaxWordCharacters = 100;

std::string SpellAsIs(std::string_view token) { return std::string(token); }

// Some model files mark the beginnings of words (U+2581) instead of the continuations (##).
std::string SpellMarkedBeginning(std::string_view token) {
  if (token.starts_with(kMetaSpace)) return std::string(token.substr(kMetaSpace.size()));
  return "##" + std::string(token);
}

class WordPiece final : public TokenizerBase {
 public:
  WordPiece(const TokenizerData& data, Vocabulary vocabulary)
      : TokenizerBase(data, std::move(vocabulary), true, true) {
    for (TokenId id = 0; id < this->vocabulary().size(); ++id) {
      if (this->vocabulary().Kind(id) != TokenKind::kNormal) continue;
      longest_piece_ = std::max(longest_piece_, this->vocabulary().Text(id).size());
    }
  }

  std::string Decode(std::span<const TokenId> ids, DecodeOptions options) const override {
    std::string text;
    for (const TokenId id : ids) {
      if (options.skip_control && IsControl(id)) continue;
      std::string_view piece = TokenText(id);
      if (piece.empty()) continue;
      const bool continues = piece.size() > 2 && piece.starts_with("##");
      if (continues) piece.remove_prefix(2);
      if (!continues && !text.empty()) text.push_back(' ');
      text += piece;
    }
    return text;
  }

 protected:
  void EncodePlain(std::string_view text, bool, TokenSink& sink) const override {
    NormalizedText word(sink.with_offsets());
    const auto finish = [&] {
      if (!word.text.empty()) EncodeWord(word, sink);
      word.Clear();
    };
    for (std::size_t i = 0; i < text.size();) {
      const DecodedCodePoint point = DecodeUtf8(text, i);
      const std::size_t begin = i;
      i += point.length;
      const std::int32_t c = point.value;
      if (c > 0x20 && c < 0x7f) {
        const bool alone = IsPunctuation(c);
        if (alone) finish();
        word.Add(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c, begin, i);
        if (alone) finish();
        continue;
      }
      if (c <= 0 || c == 0xfffd || liubai::IsControl(c)) continue;
      if (IsSpace(c)) {
        finish();
        continue;
      }
      utf8proc_int32_t parts[8];
      int boundary = 0;
      const utf8proc_ssize_t count =
          utf8proc_decompose_char(c, parts, 8, UTF8PROC_DECOMPOSE, &boundary);
      for (utf8proc_ssize_t p = 0; p < std::min<utf8proc_ssize_t>(count, 8); ++p) {
        if (utf8proc_category(parts[p]) == UTF8PROC_CATEGORY_MN) continue;
        const std::int32_t lower = ToLower(parts[p]);
        const bool alone = IsCjkIdeograph(c) || IsPunctuation(lower);
        if (alone) finish();
        word.Add(lower, begin, i);
        if (alone) finish();
      }
    }
    finish();
  }

 private:
  void EncodeWord(const NormalizedText& word, TokenSink& sink) const {
    const std::string_view text = word.text;
    const auto add_unknown = [&] { sink.Add(unk(), word.From(0), word.To(text.size())); };
    if (text.size() > kMaxWordCharacters && CountCodePoints(text) > kMaxWordCharacters) {
      add_unknown();
      return;
    }
    struct Piece {
      TokenId id;
      std::size_t begin, end;
    };
    std::vector<Piece> pieces;
    std::string candidate;
    for (std::size_t begin = 0; begin < text.size();) {
      candidate = begin == 0 ? "" : "##";
      const std::size_t mark = candidate.size();
      candidate += text.substr(begin, longest_piece_);
      TokenId found = kNoToken;
      for (; candidate.size() > mark; candidate.pop_back()) {
        found = vocabulary().Find(candidate);
        if (found != kNoToken) break;
      }
      if (found == kNoToken) {
        add_unknown();
        return;
      }
      const std::size_t end = begin + candidate.size() - mark;
      pieces.push_back({found, begin, end});
      begin = end;
    }
    for (const Piece& piece : pieces) {
      sink.Add(piece.id, word.From(piece.begin), word.To(piece.end));
    }
  }

  std::size_t longest_piece_ = 1;
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> CreateWordPiece(const TokenizerData& given) {
  TokenizerData data = given;
  const auto marked =
      std::count_if(data.tokens.begin(), data.tokens.end(),
                    [](std::string_view token) { return token.starts_with(kMetaSpace); });
  const bool marks_beginnings = static_cast<std::size_t>(marked) > data.tokens.size() / 4;
  const std::pair<const char*, TokenId TokenizerData::*> named[] = {
      {"[UNK]", &TokenizerData::unk},
      {"[CLS]", &TokenizerData::cls},
      {"[SEP]", &TokenizerData::sep},
      {"[PAD]", &TokenizerData::pad},
      {"[MASK]", &TokenizerData::mask}};
  const bool typed = !data.token_types.empty();
  for (const auto& [name, member] : named) {
    if (data.*member == kNoToken) {
      const auto found = std::find(data.tokens.begin(), data.tokens.end(), name);
      if (found != data.tokens.end()) {
        data.*member = static_cast<TokenId>(found - data.tokens.begin());
      }
    }
  }
  for (const auto& [name, id] :
       {std::pair{"[UNK]", data.unk}, {"[CLS]", data.cls}, {"[SEP]", data.sep}}) {
    if (id == kNoToken) {
      return Status(StatusCode::kDataLoss,
                    fmt::format("tokenizer: the vocabulary has no {} token", name));
    }
  }
  if (!typed && data.pad >= 0 && data.pad < static_cast<TokenId>(data.tokens.size())) {
    data.token_types.assign(data.tokens.size(), static_cast<std::int32_t>(TokenKind::kNormal));
    data.token_types[static_cast<std::size_t>(data.pad)] =
        static_cast<std::int32_t>(TokenKind::kControl);
  }
  LIUBAI_ASSIGN_OR_RETURN(
      Vocabulary vocabulary,
      Vocabulary::Create(data, marks_beginnings ? SpellMarkedBeginning : SpellAsIs, false));
  return std::unique_ptr<Tokenizer>(std::make_unique<WordPiece>(data, std::move(vocabulary)));
}

}  // namespace liubai::engine
