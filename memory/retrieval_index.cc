// Turns become vectors: runs of them in one pass, long ones in pieces.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/half.h"
#include "core/macros.h"
#include "core/text.h"
#include "memory/fts_tokenizer.h"
#include "memory/retrieval_impl.h"

namespace liubai::inline v1 {

using memory::EmbeddedText;
using memory::HasTerm;
using memory::Normalise;
using memory::WordAt;

namespace {

constexpr int kBlock_tokens = 380;  // Of one encoder pass over a run of turns.
constexpr int kPiece_tokens = 320;  // Of a turn that is longer than a block.
constexpr int kBlocksPerBatch = 16;
constexpr std::size_t kVeryLong_bytes = 100'000;  // Some hundred pieces.

std::vector<std::uint16_t> Narrow(std::span<const float> values) {
  std::vector<std::uint16_t> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = FloatToHalf(values[i]);
  return out;
}

}  // namespace

// A long text in overlapping pieces, each of at most kPiece_tokens.
Result<std::vector<std::string_view>> Retriever::Impl::Pieces(std::string_view text) const {
  std::vector<std::string_view> pieces;
  const int limit = std::min(kPiece_tokens, embedder->max_tokens());
  std::size_t step = 900;
  for (std::size_t begin = 0; begin < text.size();) {
    std::string_view piece = TruncateUtf8(text.substr(begin), step);
    // A first code point longer than the step cannot be: it is at most four bytes.
    LIUBAI_ASSIGN_OR_RETURN(const int tokens, embedder->CountTokens(piece, EmbedKind::kPassage));
    if (tokens > limit && piece.size() > 8) {
      step = std::max<std::size_t>(8, piece.size() * static_cast<std::size_t>(limit) /
                                          static_cast<std::size_t>(tokens) * 9 / 10);
      continue;
    }
    if (begin + piece.size() < text.size()) {  // End at a space where there is one.
      const std::size_t space = piece.find_last_of(" \n");
      if (space != std::string_view::npos && space > piece.size() / 2)
        piece = piece.substr(0, space + 1);
    }
    pieces.push_back(piece);
    if (begin + piece.size() >= text.size()) break;
    std::size_t next = begin + piece.size() - piece.size() / 5;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xc0) == 0x80) ++next;
    begin = std::max(next, begin + 1);
  }
  return pieces;
}

// Vectors of consecutive turns of one session, of which `context` precedes them: one pass over them
// all, each turn the mean of its own tokens, which know their neighbours.
Result<std::int64_t> Retriever::Impl::EmbedRun(std::span<const Turn> context,
                                               std::span<const Turn> turns,
                                               std::vector<NewEmbedding>& out,
                                               std::stop_token stop) const {
  struct Place {
    std::int64_t unit = 0;
    std::int32_t piece = 0;
    std::size_t block = 0;
    std::size_t begin = 0, end = 0;
  };
  std::vector<std::string> blocks;
  std::vector<Place> places;
  const int limit = std::min(kBlock_tokens, embedder->max_tokens() - 8);
  std::vector<std::string> recent;  // The last two texts, to stand before the next block.
  const auto Remember = [&](const std::string& text) {
    recent.push_back(std::string(TruncateUtf8(text, 400)));
    if (recent.size() > 2) recent.erase(recent.begin());
  };
  for (const Turn& turn : context) Remember(EmbeddedText(turn));
  int used = 0;
  bool open = false;
  for (const Turn& turn : turns) {
    const std::string text = EmbeddedText(turn);
    LIUBAI_ASSIGN_OR_RETURN(const int tokens, embedder->CountTokens(text, EmbedKind::kPassage));
    if (tokens > limit * 3 / 4) {
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::string_view> pieces, Pieces(text));
      std::int32_t number = 0;
      for (const std::string_view piece : pieces) {
        places.push_back({turn.id, number++, blocks.size(), 0, piece.size()});
        blocks.emplace_back(piece);
      }
      Remember(text);
      open = false;
      continue;
    }
    if (!open || used + tokens > limit) {
      std::string start;
      used = 0;
      for (const std::string& before : recent) {
        LIUBAI_ASSIGN_OR_RETURN(const int cost, embedder->CountTokens(before, EmbedKind::kPassage));
        if (used + cost + tokens > limit) continue;
        used += cost;
        start += before;
        start += '\n';
      }
      blocks.push_back(std::move(start));
      open = true;
    }
    used += tokens;
    std::string& block = blocks.back();
    places.push_back({turn.id, 0, blocks.size() - 1, block.size(), block.size() + text.size()});
    block += text;
    block += '\n';
    Remember(text);
  }

  const std::size_t dimension = static_cast<std::size_t>(embedder->dimension());
  std::size_t place = 0;
  for (std::size_t first = 0; first < blocks.size(); first += kBlocksPerBatch) {
    const std::size_t last = std::min(blocks.size(), first + kBlocksPerBatch);
    std::vector<std::string_view> views(blocks.begin() + static_cast<std::ptrdiff_t>(first),
                                        blocks.begin() + static_cast<std::ptrdiff_t>(last));
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<TokenVectors> tokens,
                            embedder->EmbedTokens(views, EmbedKind::kPassage, stop));
    for (; place < places.size() && places[place].block < last; ++place) {
      const Place& at = places[place];
      const TokenVectors& block = tokens[at.block - first];
      std::vector<float> mean(dimension, 0.0f);
      std::vector<std::uint8_t> codes;
      for (std::size_t t = 0; t < block.begin.size(); ++t) {
        if (block.end[t] <= at.begin || block.begin[t] >= at.end) continue;
        const std::span<const float> token =
            std::span(block.vectors).subspan(t * dimension, dimension);
        for (std::size_t d = 0; d < dimension; ++d) mean[d] += token[d];
        // Punctuation is an eighth of the tokens and answers nothing.
        if (codec && HasTerm(WordAt(blocks[at.block], block.begin[t], block.end[t]))) {
          codec->Encode(token, codes);
        }
      }
      Normalise(mean);
      out.push_back({UnitKind::kTurn, at.unit, at.piece, Narrow(mean)});
      if (codec) {
        NewEmbedding& packed =
            out.emplace_back(NewEmbedding{UnitKind::kTurnTokens, at.unit, at.piece, {}});
        packed.values.resize(std::max<std::size_t>(codes.size() / 2, 1));
        std::copy(codes.begin(), codes.end(),
                  reinterpret_cast<std::uint8_t*>(packed.values.data()));
      }
    }
  }
  return static_cast<std::int64_t>(turns.size());
}

Result<IndexProgress> Retriever::IndexPending(std::int64_t limit, std::stop_token stop) {
  IndexProgress progress;
  if (!impl_->index || limit <= 0) return progress;
  const TenantId tenant = impl_->options.tenant;
  constexpr std::int64_t kBatch = 128;
  // Turns of an older store have vectors and no token vectors: they get both anew.
  const UnitKind wanted = impl_->codec ? UnitKind::kTurnTokens : UnitKind::kTurn;
  while (progress.embedded < limit) {
    if (stop.stop_requested()) return Status(StatusCode::kCancelled, "indexing was stopped");
    LIUBAI_ASSIGN_OR_RETURN(
        const std::vector<std::int64_t> ids,
        impl_->store->PendingEmbeddings(impl_->record.id, wanted, kBatch, 0, tenant));
    if (ids.empty()) break;
    LIUBAI_ASSIGN_OR_RETURN(std::vector<Turn> turns, impl_->store->GetTurns(ids, tenant));
    // A very long turn takes minutes, and an interruption makes it begin again: it comes alone, and
    // nothing else is kept waiting by it.
    const auto longer = std::stable_partition(turns.begin(), turns.end(), [](const Turn& turn) {
      return turn.text.size() <= kVeryLong_bytes;
    });
    const auto shorter = static_cast<std::int64_t>(longer - turns.begin());
    const std::int64_t most =
        std::max<std::int64_t>(std::min(shorter, limit - progress.embedded), 1);
    if (static_cast<std::int64_t>(turns.size()) > most) {
      turns.erase(turns.begin() + most, turns.end());
    }
    std::stable_sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
      return a.session_id != b.session_id ? a.session_id < b.session_id : a.seq < b.seq;
    });
    std::vector<NewEmbedding> vectors;
    for (std::size_t begin = 0; begin < turns.size();) {
      std::size_t end = begin + 1;
      while (end < turns.size() && turns[end].session_id == turns[begin].session_id &&
             turns[end].seq == turns[end - 1].seq + 1) {
        ++end;
      }
      LIUBAI_ASSIGN_OR_RETURN(std::vector<Turn> context,
                              impl_->store->Neighbours(turns[begin].id, 2, 0, tenant));
      if (!context.empty() && context.back().id == turns[begin].id) context.pop_back();
      LIUBAI_RETURN_IF_ERROR(
          impl_->EmbedRun(context, std::span(turns).subspan(begin, end - begin), vectors, stop)
              .status());
      begin = end;
    }
    LIUBAI_RETURN_IF_ERROR(impl_->store->PutEmbeddings(impl_->record.id, vectors, tenant).status());
    progress.embedded += static_cast<std::int64_t>(turns.size());
    progress.vectors += static_cast<std::int64_t>(vectors.size());
    if (turns.empty()) break;
  }
  LIUBAI_RETURN_IF_ERROR(impl_->index->CatchUp());
  LIUBAI_ASSIGN_OR_RETURN(
      const std::vector<std::int64_t> left,
      impl_->store->PendingEmbeddings(impl_->record.id, wanted, 1000, 0, tenant));
  progress.pending = static_cast<std::int64_t>(left.size());
  return progress;
}

}  // namespace liubai::inline v1

namespace liubai::memory {

void Normalise(std::span<float> vector) {
  double squares = 0;
  for (const float value : vector) squares += static_cast<double>(value) * value;
  if (squares <= 0) return;
  const float scale = static_cast<float>(1 / std::sqrt(squares));
  for (float& value : vector) value *= scale;
}

std::string_view WordAt(std::string_view text, std::size_t begin, std::size_t end) {
  const auto Inside = [&](std::size_t at) {
    const char c = text[at];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '\'';
  };
  while (begin > 0 && begin < text.size() && Inside(begin - 1) && Inside(begin)) --begin;
  while (end > 0 && end < text.size() && Inside(end) && Inside(end - 1)) ++end;
  return text.substr(begin, end - begin);
}

}  // namespace liubai::memory
