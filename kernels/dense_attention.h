// kernels/dense_attention.h: attention of every token of a text to all of them, for encoders.
//
// Threads: on the calling thread; heads and texts may be shared out among threads.
// Errors:  none; NaN propagates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/cpu_features.h"

namespace liubai::kernels {

// One head of one text: out = softmax(scale * q k^T) v, the softmax over all tokens.
struct DenseAttentionHead {
  const float* q = nullptr;  // [tokens, stride] f32, of which head_dim columns count.
  const float* k = nullptr;  // As q.
  const float* v = nullptr;  // As q.
  float* out = nullptr;      // As q.
  std::int64_t stride = 0;
  std::int64_t tokens = 0;
  int head_dim = 0;  // REQUIRES: a multiple of 16, at most 256.
  float scale = 1.0f;
  std::span<float> workspace;  // At least DenseAttentionFloats(tokens, head_dim).
};

constexpr std::size_t DenseAttentionFloats(std::int64_t tokens, int head_dim) {
  return static_cast<std::size_t>((tokens + 15) / 16 * 16 * (head_dim + 4));
}

void DenseAttention(const DenseAttentionHead& head, CpuIsa isa = BestCpuIsa());

namespace dense_attention {  // One for each instruction set, called through the dispatch above.
void AttendPortable(const DenseAttentionHead& head);
void AttendAvx2(const DenseAttentionHead& head);
void AttendAvx512(const DenseAttentionHead& head);
}  // namespace dense_attention

}  // namespace liubai::kernels
