// kernels/vector_ops_isa.h: one instruction set's copies of kernels/vector_ops.h, declared in the
// namespace LIUBAI_VECTOR_OPS. Included once for each set, so there is no guard.
#include <cstdint>

namespace liubai::kernels::LIUBAI_VECTOR_OPS {

void RmsNorm(const float* x, const float* weight, float epsilon, std::int64_t n, float* out);
void LayerNorm(const float* x, const float* weight, const float* bias, float epsilon,
               std::int64_t n, float* out);
void Softmax(const float* x, std::int64_t n, float* out);
void SiluMul(const float* gate, const float* up, std::int64_t n, float* out);
void GeluTanhMul(const float* gate, const float* up, std::int64_t n, float* out);
void GeluTanh(const float* x, std::int64_t n, float* out);
void GeluErf(const float* x, std::int64_t n, float* out);

}  // namespace liubai::kernels::LIUBAI_VECTOR_OPS
