// kernels/vector_ops_inl.h: the bodies of kernels/vector_ops.h, compiled once for each instruction
// set. The including file defines LIUBAI_VECTOR_OPS, the namespace of its copies.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/vector_math_inl.h"
#include "kernels/vector_ops_isa.h"

namespace liubai::kernels::LIUBAI_VECTOR_OPS {
namespace {

// Applies f to 16 values at a time; the rest goes through a padded copy.
template <class F>
inline void Map1(const float* x, std::int64_t n, float* out, F f) {
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) Store(out + i, f(Load(x + i)));
  if (i < n) {
    float a[16] = {};
    std::memcpy(a, x + i, static_cast<std::size_t>(n - i) * sizeof(float));
    float y[16];
    Store(y, f(Load(a)));
    std::memcpy(out + i, y, static_cast<std::size_t>(n - i) * sizeof(float));
  }
}
template <class F>
inline void Map2(const float* x, const float* y, std::int64_t n, float* out, F f) {
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) Store(out + i, f(Load(x + i), Load(y + i)));
  if (i < n) {
    float a[16] = {}, b[16] = {}, c[16];
    std::memcpy(a, x + i, static_cast<std::size_t>(n - i) * sizeof(float));
    std::memcpy(b, y + i, static_cast<std::size_t>(n - i) * sizeof(float));
    Store(c, f(Load(a), Load(b)));
    std::memcpy(out + i, c, static_cast<std::size_t>(n - i) * sizeof(float));
  }
}

inline F32x16 Gelu(F32x16 x) {
  // 0.5 x (1 + tanh(u)) = x / (1 + e^-2u)
  const F32x16 u = 0.7978845608f * (x + 0.044715f * x * x * x);
  return x / (1.0f + Exp(-2.0f * u));
}

}  // namespace

void RmsNorm(const float* x, const float* weight, float epsilon, std::int64_t n, float* out) {
  F32x16 squares = {};
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) squares += Load(x + i) * Load(x + i);
  float sum = Sum(squares);
  for (; i < n; ++i) sum += x[i] * x[i];
  const float scale = 1.0f / std::sqrt(sum / static_cast<float>(n) + epsilon);
  Map2(x, weight, n, out, [&](F32x16 a, F32x16 w) { return a * scale * w; });
}

void LayerNorm(const float* x, const float* weight, const float* bias, float epsilon,
               std::int64_t n, float* out) {
  F32x16 sums = {};
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) sums += Load(x + i);
  float sum = Sum(sums);
  for (; i < n; ++i) sum += x[i];
  const float mean = sum / static_cast<float>(n);
  F32x16 squares = {};
  for (i = 0; i + 16 <= n; i += 16) squares += (Load(x + i) - mean) * (Load(x + i) - mean);
  float square = Sum(squares);
  for (; i < n; ++i) square += (x[i] - mean) * (x[i] - mean);
  const float scale = 1.0f / std::sqrt(square / static_cast<float>(n) + epsilon);
  Map2(x, weight, n, out, [&](F32x16 a, F32x16 w) { return (a - mean) * scale * w; });
  Map2(out, bias, n, out, [](F32x16 a, F32x16 b) { return a + b; });
}

void Softmax(const float* x, std::int64_t n, float* out) {
  if (n == 0) return;
  const float most = *std::max_element(x, x + n);
  Map1(x, n, out, [&](F32x16 v) { return Exp(v - most); });
  float sum = 0.0f;
  for (std::int64_t i = 0; i < n; ++i) sum += out[i];
  const float inverse = 1.0f / sum;
  for (std::int64_t i = 0; i < n; ++i) out[i] *= inverse;
}

void SiluMul(const float* gate, const float* up, std::int64_t n, float* out) {
  Map2(gate, up, n, out, [](F32x16 g, F32x16 u) { return g / (1.0f + Exp(-g)) * u; });
}

void GeluTanhMul(const float* gate, const float* up, std::int64_t n, float* out) {
  Map2(gate, up, n, out, [](F32x16 g, F32x16 u) { return Gelu(g) * u; });
}

void GeluTanh(const float* x, std::int64_t n, float* out) {
  Map1(x, n, out, [](F32x16 v) { return Gelu(v); });
}

// The error function after Abramowitz and Stegun 7.1.26: within 1.5e-7.
void GeluErf(const float* x, std::int64_t n, float* out) {
  Map1(x, n, out, [](F32x16 v) {
    const F32x16 z = v * 0.70710678f;
    const F32x16 a = z < 0.0f ? -z : z;
    const F32x16 t = 1.0f / (1.0f + 0.3275911f * a);
    F32x16 p = t * 1.061405429f - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    const F32x16 e = 1.0f - p * t * Exp(-a * a);
    const F32x16 signed_e = z < 0.0f ? -e : e;
    return 0.5f * v * (1.0f + signed_e);
  });
}

}  // namespace liubai::kernels::LIUBAI_VECTOR_OPS
