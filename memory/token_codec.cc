#include "memory/token_codec.h"

#include <faiss/VectorTransform.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <mutex>

#include "core/macros.h"
#include "core/text.h"
#include "kernels/late_interaction.h"
#include "memory/general_text.h"

namespace liubai::memory {
namespace {

constexpr std::string_view kMagic = "LBTC0001";  // See FORMAT.md.

// Sixteen levels for a normal distribution of deviation 1 (Max, Quantizing for Minimum Distortion,
// 1960, table 1), and the borders between them.
constexpr std::array<float, 16> kLevels = {-2.733f,  -2.069f,  -1.618f, -1.256f, -0.9424f, -0.6568f,
                                           -0.3881f, -0.1284f, 0.1284f, 0.3881f, 0.6568f,  0.9424f,
                                           1.256f,   1.618f,   2.069f,  2.733f};
constexpr float kLevelUnit = 2.733f / 127;  // Of the integers that the kernel multiplies.

const kernels::CodeLevels& IntegerLevels() {
  static const kernels::CodeLevels levels = [] {
    kernels::CodeLevels made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i] = static_cast<std::int8_t>(std::lround(kLevels[i] / kLevelUnit));
    }
    return made;
  }();
  return levels;
}

std::uint8_t CodeOf(float value) {
  std::uint8_t code = 0;
  for (std::size_t i = 0; i + 1 < kLevels.size(); ++i) {
    code += value > (kLevels[i] + kLevels[i + 1]) / 2 ? 1 : 0;
  }
  return code;
}

float InverseNorm(const float* vector, int dimension) {
  double squares = 0;
  for (int d = 0; d < dimension; ++d) squares += static_cast<double>(vector[d]) * vector[d];
  return squares > 0 ? static_cast<float>(1 / std::sqrt(squares)) : 0.0f;
}

}  // namespace

Result<std::shared_ptr<const TokenCodec>> TokenCodec::For(const Embedder& embedder,
                                                          std::stop_token stop) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const TokenCodec>> known;
  std::lock_guard lock(mutex);
  const auto found = known.find(embedder.id());
  if (found != known.end()) return found->second;
  LIUBAI_ASSIGN_OR_RETURN(std::shared_ptr<const TokenCodec> codec, Fit(embedder, stop));
  known.emplace(embedder.id(), codec);
  return codec;
}

Result<std::shared_ptr<const TokenCodec>> TokenCodec::Fit(const Embedder& embedder,
                                                          std::stop_token stop) {
  const int dimension = embedder.dimension();
  std::vector<std::string_view> texts;
  for (std::string_view text : GeneralText()) {
    // By its beginning, where the embedder takes less.
    LIUBAI_ASSIGN_OR_RETURN(int tokens, embedder.CountTokens(text, EmbedKind::kPassage));
    while (tokens > embedder.max_tokens() && text.size() > 8) {
      text = TruncateUtf8(text, text.size() / 2);
      LIUBAI_ASSIGN_OR_RETURN(tokens, embedder.CountTokens(text, EmbedKind::kPassage));
    }
    texts.push_back(text);
  }
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<TokenVectors> tokens,
                          embedder.EmbedTokens(texts, EmbedKind::kPassage, stop));
  std::vector<float> rows;
  for (const TokenVectors& text : tokens) {
    for (std::size_t at = 0; at < text.vectors.size(); at += static_cast<std::size_t>(dimension)) {
      const float scale = InverseNorm(&text.vectors[at], dimension);
      for (int d = 0; d < dimension; ++d) {
        rows.push_back(text.vectors[at + static_cast<std::size_t>(d)] * scale);
      }
    }
  }
  const std::size_t wide = static_cast<std::size_t>(dimension);
  const std::size_t count = rows.size() / wide;
  // With fewer dimensions than directions the rest are zero, and take no part in a score.
  const int directions = std::min(kDims, dimension);
  std::shared_ptr<TokenCodec> codec(new TokenCodec());
  codec->dimension_ = dimension;
  codec->directions_.assign(wide * kDims, 0.0f);
  codec->deviations_.assign(kDims, 0.0f);
  try {
    faiss::PCAMatrix pca(dimension, directions);
    pca.train(static_cast<std::int64_t>(count), rows.data());
    codec->mean_ = pca.mean;
    for (int k = 0; k < directions; ++k) {
      for (std::size_t d = 0; d < wide; ++d) {
        codec->directions_[d * kDims + static_cast<std::size_t>(k)] =
            pca.A[static_cast<std::size_t>(k) * wide + d];
      }
    }
  } catch (const std::exception& error) {
    return Status(StatusCode::kInternal,
                  fmt::format("the directions of embedder {} over {} tokens of {} dimensions: {}",
                              embedder.name(), count, dimension, error.what()));
  }
  std::array<float, kDims> turned;
  std::array<double, kDims> squares{};
  for (std::size_t i = 0; i < count; ++i) {
    codec->Turn(&rows[i * wide], turned.data());
    for (std::size_t k = 0; k < kDims; ++k) squares[k] += turned[k] * turned[k];
  }
  for (std::size_t k = 0; k < kDims; ++k) {
    codec->deviations_[k] = static_cast<float>(std::sqrt(squares[k] / static_cast<double>(count)));
  }
  codec->bytes_ = kMagic;
  for (const std::vector<float>* part : {&codec->mean_, &codec->directions_, &codec->deviations_}) {
    codec->bytes_.append(reinterpret_cast<const char*>(part->data()), part->size() * sizeof(float));
  }
  return std::shared_ptr<const TokenCodec>(std::move(codec));
}

Result<std::shared_ptr<const TokenCodec>> TokenCodec::Parse(std::string_view bytes, int dimension) {
  const std::size_t wide = static_cast<std::size_t>(dimension);
  const std::size_t expected = kMagic.size() + (wide + kDims * wide + kDims) * sizeof(float);
  if (!bytes.starts_with(kMagic) || bytes.size() != expected) {
    return Status(
        StatusCode::kDataLoss,
        fmt::format("directions of token vectors: {} bytes, {} expected for {} dimensions",
                    bytes.size(), expected, dimension));
  }
  std::shared_ptr<TokenCodec> codec(new TokenCodec());
  codec->bytes_ = bytes;
  codec->dimension_ = dimension;
  bytes.remove_prefix(kMagic.size());
  const auto Take = [&](std::vector<float>& out, std::size_t count) {
    out.resize(count);
    std::memcpy(out.data(), bytes.data(), count * sizeof(float));
    bytes.remove_prefix(count * sizeof(float));
    return std::all_of(out.begin(), out.end(), [](float v) { return std::isfinite(v); });
  };
  if (!Take(codec->mean_, wide) || !Take(codec->directions_, kDims * wide) ||
      !Take(codec->deviations_, kDims)) {
    return Status(StatusCode::kDataLoss, "directions of token vectors: a value is not finite");
  }
  return std::shared_ptr<const TokenCodec>(std::move(codec));
}

void TokenCodec::Turn(const float* vector, float* out) const {
  const float scale = InverseNorm(vector, dimension_);
  std::fill(out, out + kDims, 0.0f);
  for (int d = 0; d < dimension_; ++d) {
    const float centred = vector[d] * scale - mean_[static_cast<std::size_t>(d)];
    const float* direction = &directions_[static_cast<std::size_t>(d * kDims)];
    for (int k = 0; k < kDims; ++k) out[k] += direction[k] * centred;
  }
  // Compared are angles: what is left has length 1 again.
  const float norm = InverseNorm(out, kDims);
  for (int k = 0; k < kDims; ++k) out[k] *= norm;
}

void TokenCodec::Encode(std::span<const float> vectors, std::vector<std::uint8_t>& out) const {
  std::array<float, kDims> turned;
  for (std::size_t at = 0; at < vectors.size(); at += static_cast<std::size_t>(dimension_)) {
    Turn(&vectors[at], turned.data());
    for (std::size_t k = 0; k < kDims; ++k) {
      turned[k] = deviations_[k] > 0 ? turned[k] / deviations_[k] : 0.0f;
    }
    for (std::size_t k = 0; k < kBytes; ++k) {
      out.push_back(static_cast<std::uint8_t>(CodeOf(turned[k]) | CodeOf(turned[k + kBytes]) << 4));
    }
  }
}

LateQuestion TokenCodec::Prepare(std::span<const float> vectors) const {
  LateQuestion question;
  question.tokens = static_cast<std::int64_t>(vectors.size()) / dimension_;
  std::vector<float> turned(static_cast<std::size_t>(question.tokens) * kDims);
  float most = 0;
  for (std::int64_t t = 0; t < question.tokens; ++t) {
    float* row = &turned[static_cast<std::size_t>(t * kDims)];
    Turn(&vectors[static_cast<std::size_t>(t * dimension_)], row);
    for (std::size_t k = 0; k < kDims; ++k) {
      row[k] *= deviations_[k];
      most = std::max(most, std::abs(row[k]));
    }
  }
  if (most <= 0) return question;
  const float unit = most / kernels::kMostLateQuestion;
  for (const float value : turned) {
    question.values.push_back(static_cast<std::int16_t>(std::lround(value / unit)));
  }
  question.scale = static_cast<double>(unit) * kLevelUnit;
  return question;
}

LateScore TokenCodec::Score(const LateQuestion& question,
                            std::span<const std::span<const std::uint8_t>> codes) {
  LateScore score;
  if (question.tokens == 0 || question.values.empty()) return score;
  std::vector<std::int32_t> best(static_cast<std::size_t>(question.tokens),
                                 std::numeric_limits<std::int32_t>::min());
  std::vector<std::int32_t> of_token;
  double of_text = 0;
  std::int64_t tokens = 0;
  for (const std::span<const std::uint8_t> run : codes) {
    const auto count = static_cast<std::int64_t>(run.size()) / kBytes;
    if (count == 0) continue;
    of_token.resize(static_cast<std::size_t>(count));
    kernels::LateInteraction(question.values.data(), question.tokens, run.data(), count, kDims,
                             IntegerLevels(), best.data(), of_token.data());
    for (const std::int32_t value : of_token) of_text += value;
    tokens += count;
  }
  if (tokens == 0) return score;
  double of_question = 0;
  for (const std::int32_t value : best) of_question += value;
  score.of_question = question.scale * of_question / static_cast<double>(question.tokens);
  score.of_text = question.scale * of_text / static_cast<double>(tokens);
  score.best = std::move(best);
  return score;
}

}  // namespace liubai::memory
