#include "kernels/paged_attention.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/half.h"

namespace liubai::kernels {

void StoreKv(const PagedKvView& kv, int kv_head, std::int64_t position, const float* k,
             const float* v) {
  const std::int32_t page = kv.block_table[position / kPageTokens];
  assert(page >= 0);
  const int slot = static_cast<int>(position % kPageTokens);
  const int dim = kv.head_dim;
  std::byte* record = kv.pages + static_cast<std::size_t>(page) * kv.page_bytes + kv.layer_offset +
                      static_cast<std::size_t>(kv_head) * KvRecordBytes(kv.element, dim);
  if (kv.element == KvElement::kF16) {
    auto* keys = reinterpret_cast<std::uint16_t*>(record);
    std::uint16_t* values = keys + kPageTokens * dim;
    for (int d = 0; d < dim; ++d) keys[d * kPageTokens + slot] = FloatToHalf(k[d]);
    for (int d = 0; d < dim; ++d) values[slot * dim + d] = FloatToHalf(v[d]);
    return;
  }
  auto* keys = reinterpret_cast<std::int8_t*>(record);
  std::int8_t* values = keys + kPageTokens * dim;
  auto* scales = reinterpret_cast<float*>(values + kPageTokens * dim);
  float k_max = 0.0f, v_max = 0.0f;
  for (int d = 0; d < dim; ++d) {
    k_max = std::max(k_max, std::fabs(k[d]));
    v_max = std::max(v_max, std::fabs(v[d]));
  }
  const float k_inverse = k_max > 0.0f ? 127.0f / k_max : 0.0f;
  const float v_inverse = v_max > 0.0f ? 127.0f / v_max : 0.0f;
  for (int d = 0; d < dim; ++d) {
    keys[(d / 4 * kPageTokens + slot) * 4 + d % 4] =
        static_cast<std::int8_t>(std::lrintf(k[d] * k_inverse));
  }
  for (int d = 0; d < dim; ++d) {
    values[slot * dim + d] = static_cast<std::int8_t>(std::lrintf(v[d] * v_inverse));
  }
  scales[slot] = k_max / 127.0f;
  scales[kPageTokens + slot] = v_max / 127.0f;
}

void PagedAttention(CpuIsa isa, const PagedKvView& kv, const AttentionQuery& query) {
  assert(query.key_end > query.key_begin && query.group >= 1 && query.group <= kMaxGroup);
  assert(query.workspace.size() >=
         AttentionWorkspaceFloats(query.group, query.key_end - query.key_begin));
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx512Vnni:
      return paged_attention::AttendAvx512(kv, query);
    case CpuIsa::kAvx2:
      return paged_attention::AttendAvx2(kv, query);
#endif
    default:
      return paged_attention::AttendPortable(kv, query);
  }
}

void MergeAttention(int parts, int head_dim, const float* parts_out, std::size_t part_stride,
                    const float* parts_lse, std::size_t lse_stride, float* out) {
  float most = parts_lse[0];
  for (int i = 1; i < parts; ++i) most = std::max(most, parts_lse[i * lse_stride]);
  float total = 0.0f;
  std::fill(out, out + head_dim, 0.0f);
  for (int i = 0; i < parts; ++i) {
    const float weight = std::exp(parts_lse[i * lse_stride] - most);
    total += weight;
    for (int d = 0; d < head_dim; ++d) out[d] += weight * parts_out[i * part_stride + d];
  }
  const float inverse = 1.0f / total;
  for (int d = 0; d < head_dim; ++d) out[d] *= inverse;
}

}  // namespace liubai::kernels
