// kernels/vector_math_inl.h: sixteen floats at a time in the compiler's vector extensions. Each
// including file compiles its own copies for its instruction set: everything is in an unnamed
// namespace.
#pragma once

#include <cstdint>
#include <cstring>

namespace liubai::kernels {
namespace {

typedef float F32x16 __attribute__((vector_size(64)));
typedef std::int32_t I32x16 __attribute__((vector_size(64)));

inline F32x16 Load(const float* p) {
  F32x16 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void Store(float* p, F32x16 v) { std::memcpy(p, &v, sizeof v); }
inline float Sum(F32x16 v) {
  float s = 0.0f;
  for (int i = 0; i < 16; ++i) s += v[i];
  return s;
}

// e^x within 3e-7 for |x| <= 87, clamped outside; NaN stays.
inline F32x16 Exp(F32x16 x) {
  x = x < -87.0f ? F32x16{} - 87.0f : x;
  x = x > 87.0f ? F32x16{} + 87.0f : x;
  const F32x16 t = x * 1.44269504f + 12582912.0f;
  const F32x16 n = t - 12582912.0f;
  const F32x16 r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  F32x16 p = r * 1.3888889e-3f + 8.3333333e-3f;
  p = p * r + 4.1666667e-2f;
  p = p * r + 1.6666667e-1f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const I32x16 exponent = __builtin_convertvector(n, I32x16) << 23;
  const F32x16 y = (F32x16)((I32x16)p + exponent);
  return x == x ? y : x;
}

}  // namespace
}  // namespace liubai::kernels
