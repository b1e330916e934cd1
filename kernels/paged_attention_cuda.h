// kernels/paged_attention_cuda.h: decode attention over pages on a CUDA device, split over the keys
// (FlashDecoding): one query token for each sequence of a batch. The twin of paged_attention.h,
// with the same pages, bias term and order of bytes.
//
// Plan once for each batch on the host (splits, workspace), then call once for each layer.
//
// Errors:  kInvalidArgument: a size, a count or an alignment outside its limits, by name and value.
//          kDeviceError: a launch was refused. What a kernel does later shows on the stream.
// Threads: no state; calls may run together, on one stream or several.
// Units:   *_bytes; workspace in floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/paged_attention.h"
#include "liubai/status.h"

struct CUstream_st;  // cudaStream_t points at it.

namespace liubai::kernels {

// One layer of a batch of sequences. All pointers are device memory, aligned to 16 bytes.
struct PagedDecode {
  const float* q = nullptr;           // [sequences, q_heads, head_dim] f32.
  const float* bias_query = nullptr;  // [sequences, q_heads, head_dim] f32, or null: no bias.
  const float* rotation = nullptr;    // [positions / 16][head_dim][16] f32, or null: no bias.
  const std::byte* pages = nullptr;   // The pool: page i begins at pages + i * page_bytes.
  const std::int32_t* block_table = nullptr;  // [sequences, table_stride] page numbers.
  const std::int32_t* lengths = nullptr;      // [sequences] keys of each; the query is the last.
  float* out = nullptr;          // [sequences, q_heads, head_dim] f32; zeros of length 0.
  float* log_sum_exp = nullptr;  // [sequences, q_heads] f32, or null: for merging states.
  std::size_t page_bytes = 0;    // A multiple of 16.
  std::size_t layer_offset = 0;  // Of the layer's first record in a page; multiple of 16.
  int sequences = 0;             // 1..65535.
  int q_heads = 0;               // A multiple of kv_heads; any group.
  int kv_heads = 0;
  int head_dim = 0;      // 32, 64, 128 or 256.
  int table_stride = 0;  // >= ceil(length / 16) for every length.
  int window = 0;        // > 0: only the last `window` keys are attended to.
  float scale = 1.0f;    // Of q . k and of the bias term.
  KvElement element = KvElement::kQ8;
};

// Splits of the keys that give every multiprocessor some blocks, and every warp some pages.
// REQUIRES: all are positive.
int PagedDecodeSplits(int sequences, int q_heads, int kv_heads, int max_tokens,
                      int multiprocessors);

constexpr std::size_t PagedDecodeWorkspaceFloats(int sequences, int q_heads, int head_dim,
                                                 int splits) {
  return splits <= 1
             ? 0
             : static_cast<std::size_t>(sequences) * static_cast<std::size_t>(q_heads) *
                   static_cast<std::size_t>(splits) * static_cast<std::size_t>(head_dim + 1);
}

// out = softmax(scale * (q K^T + bias_query . rotation)) V for every sequence, queued on `stream`.
//   splits     1..1024, the same for every sequence; those without keys cost nothing
//   workspace  device memory, at least PagedDecodeWorkspaceFloats floats, overwritten
Status PagedDecodeAttentionCuda(const PagedDecode& decode, int splits, std::span<float> workspace,
                                CUstream_st* stream);

}  // namespace liubai::kernels
