// engine/sampler.h: chooses tokens from logits, and decides what of the text may be shown.
//
// Errors:  kNumericError naming the token whose logit is NaN or plus infinity, and when no token is
//          allowed.
// Threads: an object belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/sampling.h"
#include "liubai/status.h"

namespace liubai::engine {

class Sampler {
 public:
  // REQUIRES: params.Validate().ok().
  explicit Sampler(const SamplingParams& params);

  // `history` is everything before the token to be chosen, of which the last `generated` were
  // generated. The logits, [vocabulary], are changed. kInvalidArgument: a biased token is not in
  // the vocabulary.
  Result<TokenId> Choose(std::span<float> logits, std::span<const TokenId> history,
                         std::size_t generated);

 private:
  double NextUniform();
  void DiscourageCopies(std::span<float> logits, std::span<const TokenId> history,
                        std::size_t generated) const;
  // `most` is the greatest of the logits.
  TokenId Draw(std::span<const float> logits, float most);

  SamplingParams params_;
  std::uint64_t state_;
  std::vector<std::pair<float, TokenId>> candidates_;
};

// Holds text back while it may yet become a stop string or a whole code point. The stop string that
// is complete first counts; of those that end together, the longest.
class TextGate {
 public:
  // REQUIRES: no stop string is empty.
  explicit TextGate(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // Adds a token's bytes; returns what may be shown now. After a stop string everything is dropped.
  std::string Push(std::string_view bytes);
  // The rest at the end of the generation, invalid bytes replaced.
  std::string Finish();
  bool stopped() const { return stopped_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace liubai::engine
