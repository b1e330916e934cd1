#include "engine/tokenizer.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "engine/tokenizer_base.h"
#include "fmt/format.h"

namespace liubai::engine {
namespace {

// RepairUtf8, and for each byte of the result (and its end) the offset it came from.
std::string RepairWithMap(std::string_view text, std::vector<std::uint32_t>& origin) {
  std::string repaired;
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    const std::size_t before = repaired.size();
    if (point.value < 0) {
      repaired += "\xef\xbf\xbd";
    } else {
      repaired += text.substr(i, point.length);
    }
    for (std::size_t j = before; j < repaired.size(); ++j) {
      origin.push_back(static_cast<std::uint32_t>(i + std::min(j - before, point.length - 1)));
    }
    i += point.length;
  }
  origin.push_back(static_cast<std::uint32_t>(text.size()));
  return repaired;
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> Tokenizer::Create(const TokenizerData& data) {
  if (data.model == "gpt2") return CreateByteLevelBpe(data);
  if (data.model == "llama") return CreateSentencePieceBpe(data);
  if (data.model == "bert") return CreateWordPiece(data);
  if (data.model == "t5") return CreateUnigram(data);
  return Status(
      StatusCode::kUnimplemented,
      fmt::format("tokenizer.ggml.model is '{}'; known are gpt2, llama, bert, t5", data.model));
}

TokenizerBase::TokenizerBase(const TokenizerData& data, Vocabulary vocabulary, bool add_bos,
                             bool add_eos)
    : vocabulary_(std::move(vocabulary)),
      model_(data.model),
      bos_(data.bos),
      eos_(data.eos),
      eot_(data.eot),
      unk_(data.unk),
      pad_(data.pad),
      cls_(data.cls),
      sep_(data.sep),
      mask_(data.mask),
      add_bos_(data.add_bos.value_or(add_bos)),
      add_eos_(data.add_eos.value_or(add_eos)) {
  for (const TokenId id : {eos_, eot_}) {
    if (id != kNoToken) end_of_generation_.push_back(id);
  }
  for (const std::string_view name : {"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>",
                                      "<|end_of_text|>", "<end_of_turn>", "<eos>", "<|end|>"}) {
    const TokenId id = FindToken(name);
    if (id == kNoToken || !IsControl(id)) continue;
    end_of_generation_.push_back(id);
    const bool ends_turn = name == "<|im_end|>" || name == "<|eot_id|>" || name == "<end_of_turn>";
    if (eot_ == kNoToken && ends_turn) eot_ = id;
  }
  std::sort(end_of_generation_.begin(), end_of_generation_.end());
  end_of_generation_.erase(std::unique(end_of_generation_.begin(), end_of_generation_.end()),
                           end_of_generation_.end());
}

std::vector<TokenId> TokenizerBase::Encode(std::string_view text, EncodeOptions options) const {
  EncodedText out;
  if (FindInvalidUtf8(text) == std::string_view::npos) {
    EncodeInto(text, options, out, false);
  } else {
    EncodeInto(RepairUtf8(text), options, out, false);
  }
  return std::move(out.ids);
}

EncodedText TokenizerBase::EncodeWithOffsets(std::string_view text, EncodeOptions options) const {
  EncodedText out;
  if (FindInvalidUtf8(text) == std::string_view::npos) {
    EncodeInto(text, options, out, true);
    return out;
  }
  std::vector<std::uint32_t> origin;
  EncodeInto(RepairWithMap(text, origin), options, out, true);
  for (std::uint32_t& offset : out.begin) offset = origin[offset];
  for (std::uint32_t& offset : out.end) offset = origin[offset];
  return out;
}

void TokenizerBase::EncodeInto(std::string_view text, EncodeOptions options, EncodedText& out,
                               bool with_offsets) const {
  TokenSink sink(out, with_offsets);
  const TokenId opening = cls_ != kNoToken ? cls_ : bos_;
  const TokenId closing = sep_ != kNoToken ? sep_ : eos_;
  if (options.add_special && add_bos_ && opening != kNoToken) sink.Add(opening, 0, 0);

  const ByteTrie& special = vocabulary_.special();
  std::size_t plain = 0;
  bool first = true;
  const auto flush = [&](std::size_t end) {
    if (plain == end) return;
    sink.set_base(plain);
    EncodePlain(text.substr(plain, end - plain), first, sink);
    first = false;
  };
  for (std::size_t i = 0; i < text.size() && !special.empty();) {
    std::uint32_t node = special.Next(ByteTrie::kRoot, static_cast<unsigned char>(text[i]));
    TokenId found = kNoToken;
    std::size_t end = i;
    for (std::size_t j = i + 1; node != ByteTrie::kMissing; ++j) {
      const TokenId value = special.Value(node);
      if (value >= 0 && (options.parse_special || !vocabulary_.IsGuarded(value))) {
        found = value;
        end = j;
      }
      if (j == text.size()) break;
      node = special.Next(node, static_cast<unsigned char>(text[j]));
    }
    if (found == kNoToken) {
      ++i;
      continue;
    }
    flush(i);
    sink.set_base(0);
    sink.Add(found, i, end);
    plain = i = end;
    first = true;
  }
  flush(text.size());
  sink.set_base(text.size());
  if (options.add_special && add_eos_ && closing != kNoToken) sink.Add(closing, 0, 0);
}

std::string TokenizerBase::Decode(std::span<const TokenId> ids, DecodeOptions options) const {
  std::string text;
  for (const TokenId id : ids) {
    if (options.skip_control && IsControl(id)) continue;
    text += TokenText(id);
  }
  return text;
}

std::string_view TokenizerBase::TokenText(TokenId id) const {
  return vocabulary_.Contains(id) ? vocabulary_.Text(id) : std::string_view();
}

TokenId TokenizerBase::FindToken(std::string_view text) const {
  const ByteTrie& special = vocabulary_.special();
  std::uint32_t node = ByteTrie::kRoot;
  for (const char byte : text) {
    node = special.Next(node, static_cast<unsigned char>(byte));
    if (node == ByteTrie::kMissing) break;
  }
  if (node != ByteTrie::kMissing && node != ByteTrie::kRoot && special.Value(node) >= 0) {
    return special.Value(node);
  }
  return vocabulary_.Find(text);
}

bool TokenizerBase::IsControl(TokenId id) const {
  return vocabulary_.Contains(id) && vocabulary_.Kind(id) == TokenKind::kControl;
}

bool TokenizerBase::IsEndOfGeneration(TokenId id) const {
  return std::binary_search(end_of_generation_.begin(), end_of_generation_.end(), id);
}

}  // namespace liubai::engine
