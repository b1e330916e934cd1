#include "kernels/dense_attention.h"

#include <cassert>

namespace liubai::kernels {

void DenseAttention(const DenseAttentionHead& head, CpuIsa isa) {
  assert(head.head_dim % 16 == 0);
  assert(head.workspace.size() >= DenseAttentionFloats(head.tokens, head.head_dim));
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx512Vnni:
      return dense_attention::AttendAvx512(head);
    case CpuIsa::kAvx2:
      return dense_attention::AttendAvx2(head);
#endif
    default:
      return dense_attention::AttendPortable(head);
  }
}

}  // namespace liubai::kernels
