// kernels/paged_attention.h: keys and values in pages, and attention that reads them in place.
//
// Layout, the same on CPU and CUDA. A page holds 16 tokens of one group of layers. For each layer
// of the group it holds one record for each KV head, in order:
//   f16  K [head_dim][16] halves (one dimension of 16 tokens together), V [16][head_dim] halves
//   q8   K [head_dim / 4][16][4] int8 (four dimensions of one token together), V [16][head_dim]
//   int8,
//        scale of K [16] f32, scale of V [16] f32; value = scale * int8, one scale a head and token
// K in this order turns 16 scores into one vector: dimension by dimension, no sum across lanes.
//
// Keys of a model whose keys have a bias b are stored in q8 less that bias, rotated: k = R(p) W x.
// The missing q.R(p)b is a dot product of `bias_query`, made once for each query head, with the row
// of the rotation table for position p, which all layers share. (Measured: 8-bit keys five times
// closer.)
//
// Threads: each call works in its caller's thread alone; calls on disjoint outputs may run
// together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/cpu_features.h"

namespace liubai::kernels {

inline constexpr int kPageTokens = 16;

enum class KvElement : std::uint8_t { kF16 = 0, kQ8 = 1 };

// Bytes of one KV head's record of one layer in a page.
constexpr std::size_t KvRecordBytes(KvElement element, int head_dim) {
  const std::size_t values = static_cast<std::size_t>(2 * kPageTokens) * head_dim;
  return element == KvElement::kF16 ? 2 * values : values + 2 * kPageTokens * sizeof(float);
}

// One layer of one sequence.
struct PagedKvView {
  std::byte* pages = nullptr;  // The pool: page i begins at pages + i * page_bytes.
  const std::int32_t* block_table =
      nullptr;  // [ceil(tokens / 16)] page numbers; released ones are -1.
  std::size_t page_bytes = 0;
  std::size_t layer_offset = 0;  // Of the layer's first record in a page, in bytes.
  int head_dim = 0;              // REQUIRES: a multiple of 32.
  KvElement element = KvElement::kQ8;
};

// Stores the key and value of one token and one KV head at `position`.
//   k, v  [head_dim] f32
// REQUIRES: the position's page is in the block table and is not shared.
void StoreKv(const PagedKvView& kv, int kv_head, std::int64_t position, const float* k,
             const float* v);

struct AttentionQuery {
  const float* q = nullptr;           // [group, head_dim] f32: the query heads that share kv_head.
  const float* bias_query = nullptr;  // [group, head_dim] f32, or null.
  const float* rotation =
      nullptr;  // [positions / 16][head_dim][16] f32: cos of each pair, then sin.
  int kv_head = 0;
  int group = 0;               // 1..kMaxGroup.
  std::int64_t key_begin = 0;  // Keys [key_begin, key_end) are attended to.
  std::int64_t key_end = 0;    // REQUIRES: key_end > key_begin.
  float scale = 1.0f;
  float* out = nullptr;          // [group, head_dim] f32, normalised.
  float* log_sum_exp = nullptr;  // [group] f32, or null; makes partial results mergeable.
  std::span<float> workspace;    // At least AttentionWorkspaceFloats(group, key_end - key_begin).
};
inline constexpr int kMaxGroup = 32;

constexpr std::size_t AttentionWorkspaceFloats(int group, std::int64_t keys) {
  return static_cast<std::size_t>(group) *
         static_cast<std::size_t>((keys / kPageTokens + 2) * kPageTokens);
}

// softmax(scale * (q K^T + bias)) V over the given keys, by `isa`'s path.
void PagedAttention(CpuIsa isa, const PagedKvView& kv, const AttentionQuery& query);

// Merges `parts` partial results over disjoint keys (FlashDecoding): out [head_dim].
//   parts_out [parts] rows of head_dim, `part_stride` floats apart; parts_lse [parts], `lse_stride`
//   apart
void MergeAttention(int parts, int head_dim, const float* parts_out, std::size_t part_stride,
                    const float* parts_lse, std::size_t lse_stride, float* out);

namespace paged_attention {  // One function for each instruction set; called through the dispatch
                             // above.
void AttendPortable(const PagedKvView& kv, const AttentionQuery& query);
void AttendAvx2(const PagedKvView& kv, const AttentionQuery& query);
void AttendAvx512(const PagedKvView& kv, const AttentionQuery& query);
}  // namespace paged_attention

}  // namespace liubai::kernels
