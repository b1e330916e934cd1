// kernels/dense_attention_inl.h: the body of kernels/dense_attention.h, compiled once for each
// instruction set. The including file defines LIUBAI_ATTEND, the name of its copy.
#include <cmath>
#include <cstdint>

#include "kernels/dense_attention.h"
#include "kernels/vector_math_inl.h"

namespace liubai::kernels::dense_attention {
namespace {

constexpr int kQueries = 4;  // Attend together: each key and value is loaded once for all of them.

// out[i][0, 16 * kBlocks) = sum over t of p[i][t] * v[t].
template <int kBlocks>
inline void WeightedSum(const float* p, std::int64_t p_stride, const float* v, std::int64_t stride,
                        std::int64_t tokens, F32x16 (&sums)[kQueries][kBlocks]) {
  for (int i = 0; i < kQueries; ++i) {
    for (int j = 0; j < kBlocks; ++j) sums[i][j] = F32x16{};
  }
  for (std::int64_t t = 0; t < tokens; ++t) {
    F32x16 value[kBlocks];
    for (int j = 0; j < kBlocks; ++j) value[j] = Load(v + t * stride + 16 * j);
    for (int i = 0; i < kQueries; ++i) {
      const float weight = p[i * p_stride + t];
      for (int j = 0; j < kBlocks; ++j) sums[i][j] += weight * value[j];
    }
  }
}

}  // namespace

void LIUBAI_ATTEND(const DenseAttentionHead& head) {
  const std::int64_t tokens = head.tokens, stride = head.stride;
  const std::int64_t padded = (tokens + 15) / 16 * 16;
  const int dim = head.head_dim;
  float* keys = head.workspace.data();  // [head_dim, padded]
  float* scores = keys + dim * padded;  // [kQueries, padded]
  for (std::int64_t t = 0; t < padded; ++t) {
    for (int d = 0; d < dim; ++d) keys[d * padded + t] = t < tokens ? head.k[t * stride + d] : 0.0f;
  }
  for (std::int64_t first = 0; first < tokens; first += kQueries) {
    const float* q[kQueries];  // The last group repeats the last query.
    for (int i = 0; i < kQueries; ++i) {
      q[i] = head.q + (first + i < tokens ? first + i : tokens - 1) * stride;
    }
    float largest[kQueries];
    for (int i = 0; i < kQueries; ++i) largest[i] = -INFINITY;
    for (std::int64_t t = 0; t < padded; t += 16) {
      F32x16 dots[kQueries] = {};
      for (int d = 0; d < dim; ++d) {
        const F32x16 key = Load(keys + d * padded + t);
        for (int i = 0; i < kQueries; ++i) dots[i] += q[i][d] * key;
      }
      for (int i = 0; i < kQueries; ++i) Store(scores + i * padded + t, dots[i] * head.scale);
    }
    float inverse[kQueries];
    for (int i = 0; i < kQueries; ++i) {
      float* row = scores + i * padded;
      for (std::int64_t t = tokens; t < padded; ++t) row[t] = -INFINITY;
      F32x16 most = Load(row);
      for (std::int64_t t = 16; t < padded; t += 16) {
        const F32x16 s = Load(row + t);
        most = s > most ? s : most;
      }
      for (int lane = 0; lane < 16; ++lane) {
        largest[i] = most[lane] > largest[i] ? most[lane] : largest[i];
      }
      // Exp clamps the padding to e^-87, which no sum of at least 1 notices.
      F32x16 sum = {};
      for (std::int64_t t = 0; t < padded; t += 16) {
        const F32x16 e = Exp(Load(row + t) - largest[i]);
        Store(row + t, e);
        sum += e;
      }
      inverse[i] = 1.0f / Sum(sum);
    }
    const std::int64_t valid = tokens - first < kQueries ? tokens - first : kQueries;
    int d = 0;
    for (; d + 32 <= dim; d += 32) {
      F32x16 sums[kQueries][2];
      WeightedSum<2>(scores, padded, head.v + d, stride, tokens, sums);
      for (int i = 0; i < valid; ++i) {
        Store(head.out + (first + i) * stride + d, sums[i][0] * inverse[i]);
        Store(head.out + (first + i) * stride + d + 16, sums[i][1] * inverse[i]);
      }
    }
    for (; d < dim; d += 16) {
      F32x16 sums[kQueries][1];
      WeightedSum<1>(scores, padded, head.v + d, stride, tokens, sums);
      for (int i = 0; i < valid; ++i) {
        Store(head.out + (first + i) * stride + d, sums[i][0] * inverse[i]);
      }
    }
  }
}

}  // namespace liubai::kernels::dense_attention
