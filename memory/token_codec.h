// memory/token_codec.h: token vectors of an embedder in 64 bytes each, and their late interaction
// with a question.
//
// A vector is normalised, turned into its principal directions over general text (kDims of them,
// the mean left out), divided by the deviation of each, and kept in 4 bits a direction, at the
// levels that lose least of a normal distribution (Lloyd and Max). The directions belong to one
// embedder: they are kept in the store beside its fingerprint, and codes of different ones never
// meet.
//
// Errors:  kInvalidArgument, kDataLoss for bytes that are no codec; those of the embedder.
// Threads: const methods may run together.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/embedder.h"
#include "liubai/status.h"

namespace liubai::memory {

// A question's tokens as the kernel reads them.
struct LateQuestion {
  std::vector<std::int16_t> values;  // [tokens, kDims]
  std::int64_t tokens = 0;
  double scale = 0;  // Of a score: similarity = scale * integer.
};

struct LateScore {
  double of_question = 0;  // Mean over the question's tokens of the best similarity in the text.
  double of_text = 0;      // The same over the text's tokens.
  std::vector<std::int32_t> best;  // [question tokens]: of each, in units of LateQuestion::scale.
};

class TokenCodec {
 public:
  static constexpr int kDims = 128;
  static constexpr int kBytes = kDims / 2;  // Of one token.

  // Fits the directions of `embedder` over general text of our own, which takes about a second;
  // within a process once for each embedder.
  static Result<std::shared_ptr<const TokenCodec>> For(const Embedder& embedder,
                                                       std::stop_token stop);
  static Result<std::shared_ptr<const TokenCodec>> Parse(std::string_view bytes, int dimension);
  const std::string& bytes() const { return bytes_; }

  // Appends the codes of `vectors` [tokens, dimension], of any length, to `out`.
  void Encode(std::span<const float> vectors, std::vector<std::uint8_t>& out) const;
  LateQuestion Prepare(std::span<const float> vectors) const;
  // `codes`: one run of tokens or several, of one text.
  static LateScore Score(const LateQuestion& question,
                         std::span<const std::span<const std::uint8_t>> codes);

 private:
  TokenCodec() = default;
  static Result<std::shared_ptr<const TokenCodec>> Fit(const Embedder& embedder,
                                                       std::stop_token stop);
  // The principal directions of a vector, of length 1.
  void Turn(const float* vector, float* out) const;

  std::string bytes_;
  int dimension_ = 0;
  std::vector<float> mean_;        // [dimension]
  std::vector<float> directions_;  // [dimension, kDims]
  std::vector<float> deviations_;  // [kDims]
};

}  // namespace liubai::memory
