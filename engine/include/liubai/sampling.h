// liubai/sampling.h: how the next token is chosen from the model's logits, and when to stop.
//
// The order is fixed: logit_bias, repetition penalty, DRY, mask, temperature, top_k, top_p, min_p;
// then one draw. With the same seed the same logits give the same tokens on every platform.
//
// Errors:  Validate names the field, the value and its limits.
// Threads: a value; the mask is called on the generating thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "liubai/status.h"
#include "liubai/types.h"

namespace liubai::inline v1 {

// Called before each choice with the logits, [vocabulary_size], and the tokens generated so far;
// forbids a token by setting its logit to minus infinity. Must not throw.
using TokenMask = std::function<void(std::span<float> logits, std::span<const TokenId> generated)>;

struct SamplingParams {
  int max_tokens = 512;      // 1..1,048,576.
  float temperature = 0.0f;  // 0..100; 0 takes the most likely token (greedy).
  int top_k = 0;             // 0..1,048,576; 0 keeps all.
  float top_p = 1.0f;        // Above 0, at most 1; 1 keeps all.
  float min_p = 0.0f;        // 0..1: least probability, as a share of the most likely token's.
  float repetition_penalty =
      1.0f;                    // 0.1..10; 1 is none. Divides positive logits, multiplies others.
  int repetition_window = 64;  // 0..65,536 last tokens to which the penalty applies.
  // DRY (p-e-w, 2024): a token that would go on with a copy of what stands in the context is made
  // less likely by multiplier * base^(length - allowed), from copies longer than `allowed` tokens.
  // Only what this generation has copied counts.
  float dry_multiplier = 0.0f;        // 0..100; 0 is off.
  float dry_base = 1.75f;             // 1..10.
  int dry_allowed = 2;                // 1..1,024.
  std::optional<std::uint64_t> seed;  // Unset: a random one for each generation.
  // Added to the logits of these tokens: finite, or minus infinity to forbid one. At most 65,536.
  std::vector<std::pair<TokenId, float>> logit_bias;
  // Generation ends before the first of these: at most 64, each 1..1,024 bytes of UTF-8.
  std::vector<std::string> stop;
  TokenMask mask;
  bool logprobs = false;  // Fill Generation::logprobs.
  // Called with each chosen token before its text is shown, and with its log-probability when
  // `logprobs` is set, else 0; false ends the generation before that token (StopReason::kRejected).
  // Must not throw.
  std::function<bool(TokenId token, float logprob)> accept;

  // kInvalidArgument naming the first field that is out of range. Token ids are checked against a
  // vocabulary where generation starts.
  Status Validate() const;
};

}  // namespace liubai::inline v1
