// Dispatch of kernels/vector_ops.h.
#include "kernels/vector_ops.h"

#define LIUBAI_VECTOR_OPS vector_ops_portable
#include "kernels/vector_ops_isa.h"
#undef LIUBAI_VECTOR_OPS
#define LIUBAI_VECTOR_OPS vector_ops_avx2
#include "kernels/vector_ops_isa.h"
#undef LIUBAI_VECTOR_OPS
#define LIUBAI_VECTOR_OPS vector_ops_avx512
#include "kernels/vector_ops_isa.h"
#undef LIUBAI_VECTOR_OPS

namespace liubai::kernels {

void RmsNorm(const float* x, const float* weight, float epsilon, std::int64_t n, float* out,
             CpuIsa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx512Vnni:
      return vector_ops_avx512::RmsNorm(x, weight, epsilon, n, out);
    case CpuIsa::kAvx2:
      return vector_ops_avx2::RmsNorm(x, weight, epsilon, n, out);
#endif
    default:
      return vector_ops_portable::RmsNorm(x, weight, epsilon, n, out);
  }
}

void LayerNorm(const float* x, const float* weight, const float* bias, float epsilon,
               std::int64_t n, float* out, CpuIsa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx512Vnni:
      return vector_ops_avx512::LayerNorm(x, weight, bias, epsilon, n, out);
    case CpuIsa::kAvx2:
      return vector_ops_avx2::LayerNorm(x, weight, bias, epsilon, n, out);
#endif
    default:
      return vector_ops_portable::LayerNorm(x, weight, bias, epsilon, n, out);
  }
}

void Softmax(const float* x, std::int64_t n, float* out, CpuIsa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx512Vnni:
      return vector_ops_avx512::Softmax(x, n, out);
    case CpuIsa::kAvx2:
      return vector_ops_avx2::Softmax(x, n, out);
#endif
    default:
      return vector_ops_portable::Softmax(x, n, out);
  }
}

void SiluMul(const float* gate, const float* up, std::int64_t n, float* out, CpuIsa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx512Vnni:
      return vector_ops_avx512::SiluMul(gate, up, n, out);
    case CpuIsa::kAvx2:
      return vector_ops_avx2::SiluMul(gate, up, n, out);
#endif
    default:
      return vector_ops_portable::SiluMul(gate, up, n, out);
  }
}

void GeluTanhMul(const float* gate, const float* up, std::int64_t n, float* out, CpuIsa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx512Vnni:
      return vector_ops_avx512::GeluTanhMul(gate, up, n, out);
    case CpuIsa::kAvx2:
      return vector_ops_avx2::GeluTanhMul(gate, up, n, out);
#endif
    default:
      return vector_ops_portable::GeluTanhMul(gate, up, n, out);
  }
}

void GeluTanh(const float* x, std::int64_t n, float* out, CpuIsa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx512Vnni:
      return vector_ops_avx512::GeluTanh(x, n, out);
    case CpuIsa::kAvx2:
      return vector_ops_avx2::GeluTanh(x, n, out);
#endif
    default:
      return vector_ops_portable::GeluTanh(x, n, out);
  }
}

void GeluErf(const float* x, std::int64_t n, float* out, CpuIsa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx512Vnni:
      return vector_ops_avx512::GeluErf(x, n, out);
    case CpuIsa::kAvx2:
      return vector_ops_avx2::GeluErf(x, n, out);
#endif
    default:
      return vector_ops_portable::GeluErf(x, n, out);
  }
}

void Add(const float* a, const float* b, std::int64_t n, float* out) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}

}  // namespace liubai::kernels
