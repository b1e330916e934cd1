// kernels/vector_ops.h: norms and activation functions on rows of float32.
//
// Threads: free functions without state, on the calling thread; `out` may be `x` itself.
// Errors:  none; NaN and infinity propagate.
#pragma once

#include <cstdint>

#include "core/cpu_features.h"

namespace liubai::kernels {

// out = x / sqrt(mean(x^2) + epsilon) * weight, elementwise.      x, weight, out  [n] f32
// Zhang and Sennrich 2019.
void RmsNorm(const float* x, const float* weight, float epsilon, std::int64_t n, float* out,
             CpuIsa isa = BestCpuIsa());

// out = (x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias.   x, weight, bias, out  [n]
// f32 Ba, Kiros and Hinton 2016.
void LayerNorm(const float* x, const float* weight, const float* bias, float epsilon,
               std::int64_t n, float* out, CpuIsa isa = BestCpuIsa());

// out = exp(x - max(x)) / sum; returns nothing for n == 0.         x, out  [n] f32
void Softmax(const float* x, std::int64_t n, float* out, CpuIsa isa = BestCpuIsa());

// out = gate / (1 + exp(-gate)) * up.                               gate, up, out  [n] f32
void SiluMul(const float* gate, const float* up, std::int64_t n, float* out,
             CpuIsa isa = BestCpuIsa());

// out = GELU(gate) * up by the tanh formula (Hendrycks and Gimpel 2016).   gate, up, out  [n] f32
void GeluTanhMul(const float* gate, const float* up, std::int64_t n, float* out,
                 CpuIsa isa = BestCpuIsa());

// out = GELU(x), tanh formula or exact (error function).                    x, out  [n] f32
void GeluTanh(const float* x, std::int64_t n, float* out, CpuIsa isa = BestCpuIsa());
void GeluErf(const float* x, std::int64_t n, float* out, CpuIsa isa = BestCpuIsa());

// out = a + b.                                                      a, b, out  [n] f32
void Add(const float* a, const float* b, std::int64_t n, float* out);

}  // namespace liubai::kernels
