// Decode attention over pages, split over the keys: Flash-Decoding (Dao et al., 2023), with states
// (value, log-sum-exp) that merge.
//
// A block serves one sequence, one KV head, up to eight of its query heads and one split of the
// pages; each of its warps takes every kWarps-th page. Within a page:
//   scores   a lane loads 16 bytes of K: some tokens of one dimension (f16) or of four (q8), and
//            keeps partial sums of these tokens over its dimensions; the lanes then halve among
//            them what is left to sum, until each holds one token
//   softmax  online (Milakov and Gimelshein, 2018), one maximum for each warp and head
//   values   a lane owns eight dimensions and loads them token by token
// Slots and pages without a key are never read as numbers: they may hold NaN.
#include <algorithm>
#include <bit>
#include <string>

#include "kernels/gpu.cuh"
#include "kernels/paged_attention_cuda.h"

namespace liubai::kernels {
namespace {

constexpr int kWarps = 4;
constexpr int kThreads = 32 * kWarps;
constexpr unsigned kFullMask = 0xffffffffu;
constexpr int kMaxHeads = 8;  // Of one block.
constexpr int kMaxSplits = 1024;

template <KvElement kElement, int D>
constexpr std::size_t kRecordBytes = KvRecordBytes(kElement, D);

__device__ __forceinline__ float4 LoadFloat4(const float* p) {
  return __ldg(reinterpret_cast<const float4*>(p));
}

// How the lanes of a warp share a page's K: a lane holds kLaneTokens tokens, kDims dimensions
// of them with each load, and kLanesOfTokens lanes side by side cover the page's tokens.
template <KvElement kElement>
struct KeyLayout;

template <>
struct KeyLayout<KvElement::kF16> {
  static constexpr int kElementBytes = 2;
  static constexpr int kLaneTokens = 8;
  static constexpr int kDims = 1;
  // out[kDims][kLaneTokens]: K [head_dim][16] halves.
  __device__ static void Load(const unsigned char* p, float (&out)[kDims][kLaneTokens]) {
    const uint4 bits = __ldg(reinterpret_cast<const uint4*>(p));
    const std::uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      half2 pair;
      memcpy(&pair, &words[i], 4);
      const float2 value = __half22float2(pair);
      out[0][2 * i] = value.x;
      out[0][2 * i + 1] = value.y;
    }
  }
};

template <>
struct KeyLayout<KvElement::kQ8> {
  static constexpr int kElementBytes = 1;
  static constexpr int kLaneTokens = 4;
  static constexpr int kDims = 4;
  // out[kDims][kLaneTokens]: K [head_dim / 4][16][4] int8.
  __device__ static void Load(const unsigned char* p, float (&out)[kDims][kLaneTokens]) {
    const uint4 bits = __ldg(reinterpret_cast<const uint4*>(p));
    const std::uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
    for (int token = 0; token < 4; ++token) {
#pragma unroll
      for (int d = 0; d < 4; ++d) {
        out[d][token] = static_cast<float>(static_cast<signed char>(words[token] >> (8 * d)));
      }
    }
  }
};

// Eight values of one token of V, [16][head_dim] in either format.
template <KvElement kElement>
__device__ __forceinline__ void LoadValues(const unsigned char* p, float (&out)[8]) {
  if constexpr (kElement == KvElement::kF16) {
    float pairs[1][8];
    KeyLayout<KvElement::kF16>::Load(p, pairs);
#pragma unroll
    for (int i = 0; i < 8; ++i) out[i] = pairs[0][i];
  } else {
    const uint2 bits = __ldg(reinterpret_cast<const uint2*>(p));
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      out[i] =
          static_cast<float>(static_cast<signed char>((i < 4 ? bits.x : bits.y) >> (8 * (i & 3))));
    }
  }
}

// Sums part[kTokens] over the lanes whose numbers differ in the bits kLane, kLane / 2, ...,
// kLowest: each exchange halves the tokens, until one is left and plain sums follow.
template <int kTokens, int kLane, int kLowest>
__device__ __forceinline__ float SumOverLanes(const float (&part)[kTokens]) {
  if constexpr (kLane < kLowest) {
    static_assert(kTokens == 1);
    return part[0];
  } else if constexpr (kTokens == 1) {
    const float sum[1] = {part[0] + __shfl_xor_sync(kFullMask, part[0], kLane)};
    return SumOverLanes<1, kLane / 2, kLowest>(sum);
  } else {
    constexpr int kHalf = kTokens / 2;
    const bool upper = (threadIdx.x & kLane) != 0;
    float rest[kHalf];
#pragma unroll
    for (int i = 0; i < kHalf; ++i) {
      const float give = upper ? part[i] : part[i + kHalf];
      rest[i] = (upper ? part[i + kHalf] : part[i]) + __shfl_xor_sync(kFullMask, give, kLane);
    }
    return SumOverLanes<kHalf, kLane / 2, kLowest>(rest);
  }
}

struct Arguments {
  PagedDecode decode;
  float* part_out;  // [sequences, q_heads, splits, head_dim] f32, normalised.
  float* part_lse;  // [sequences, q_heads, splits] f32, -inf without keys.
  int group;        // q_heads / kv_heads.
  int chunks;       // Blocks that share the group's heads.
};

// Floats of shared memory: q and bias_query [G][D], weights [kWarps][G][16]; afterwards the warps'
// sums [kWarps][G][D] in the same place.
constexpr int SharedFloats(int heads, int head_dim) {
  const int during = 2 * heads * head_dim + kWarps * heads * kPageTokens;
  const int after = kWarps * heads * head_dim;
  return during > after ? during : after;
}

// Grid: (splits, kv_heads * chunks, sequences). Block: kThreads.
template <KvElement kElement, int D, int G>
__global__ void __launch_bounds__(kThreads, G <= 4 ? 3 : 2) DecodeSplit(Arguments a) {
  using Layout = KeyLayout<kElement>;
  constexpr int kLaneTokens = Layout::kLaneTokens, kDims = Layout::kDims;
  constexpr int kLanesOfTokens = kPageTokens / kLaneTokens;  // 2 (f16) or 4 (q8).
  constexpr int kLanesOfDims = 32 / kLanesOfTokens;          // 16 or 8.
  constexpr int kKeySteps = D / (kLanesOfDims * kDims);      // Loads of K in a page.
  constexpr int kCopies = kLanesOfDims / kLaneTokens;        // Lanes that end with one token: 2.
  constexpr int kLanesOfValue = D / 8;                       // Lanes that share a token's V.
  constexpr int kValueTokens = 32 / kLanesOfValue;           // Tokens of V in one load.
  constexpr int kKeyBytes = kPageTokens * D * Layout::kElementBytes;
  static_assert(kCopies == 2 && kPageTokens % kValueTokens == 0);

  GPU_DYN_SMEM(float, shared);
  GPU_SHARED(float2, s_state, [kWarps][G]);  // Maximum and sum of each warp.
  float* s_q = shared;                       // [G][D]
  float* s_bias = s_q + G * D;               // [G][D]
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float* s_weights = s_bias + G * D + warp * G * kPageTokens;  // [G][16], this warp's own.

  const PagedDecode& kv = a.decode;
  const int split = blockIdx.x, splits = gridDim.x, sequence = blockIdx.z;
  const int kv_head = blockIdx.y / a.chunks, chunk = blockIdx.y % a.chunks;
  // Heads of this block: those of the chunk, of which the last one may have fewer than G.
  const int chunk_heads = (a.group + a.chunks - 1) / a.chunks;
  const int first_head = kv_head * a.group + chunk * chunk_heads;
  const int heads = min(chunk_heads, a.group - chunk * chunk_heads);
  const std::size_t row = static_cast<std::size_t>(sequence) * kv.q_heads + first_head;

  for (int i = threadIdx.x; i < G * D; i += kThreads) {
    const bool used = i < heads * D;
    s_q[i] = used ? kv.q[row * D + i] * kv.scale : 0.0f;
    s_bias[i] = used && kv.bias_query != nullptr ? kv.bias_query[row * D + i] * kv.scale : 0.0f;
  }
  __syncthreads();

  const int end = kv.lengths[sequence];
  const int begin = kv.window > 0 ? max(0, end - kv.window) : 0;
  const int first_page = begin / kPageTokens;
  const int pages = (end + kPageTokens - 1) / kPageTokens - first_page;
  const int split_pages = (pages + splits - 1) / splits;
  const int page_begin = first_page + split * split_pages;
  const int page_end = min(first_page + pages, page_begin + split_pages);
  const std::int32_t* table = kv.block_table + static_cast<std::size_t>(sequence) * kv.table_stride;
  const auto* records = reinterpret_cast<const unsigned char*>(kv.pages) + kv.layer_offset +
                        static_cast<std::size_t>(kv_head) * kRecordBytes<kElement, D>;

  // The token that this lane ends with, from the halvings of SumOverLanes.
  const int lane_tokens = lane % kLanesOfTokens * kLaneTokens;
  int token = lane_tokens;
#pragma unroll
  for (int bit = 16, size = kLaneTokens / 2; size > 0; bit /= 2, size /= 2) {
    token += (lane & bit) != 0 ? size : 0;
  }
  const int lane_dims = lane / kLanesOfTokens * kDims;
  const int value_token = lane / kLanesOfValue, value_dim = lane % kLanesOfValue * 8;

  float most[G], sum[G], values[G][8];
#pragma unroll
  for (int g = 0; g < G; ++g) {
    most[g] = -INFINITY;
    sum[g] = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i) values[g][i] = 0.0f;
  }

  for (int page = page_begin + warp; page < page_end; page += kWarps) {
    const unsigned char* record =
        records + static_cast<std::size_t>(__ldg(table + page)) * kv.page_bytes;
    float part[G][kLaneTokens];
#pragma unroll
    for (int g = 0; g < G; ++g) {
#pragma unroll
      for (int t = 0; t < kLaneTokens; ++t) part[g][t] = 0.0f;
    }
#pragma unroll(kKeySteps < 4 ? kKeySteps : 4)
    for (int step = 0; step < kKeySteps; ++step) {
      float keys[kDims][kLaneTokens];
      Layout::Load(record + step * 512 + lane * 16, keys);
      const int d0 = step * kLanesOfDims * kDims + lane_dims;
#pragma unroll
      for (int g = 0; g < G; ++g) {
#pragma unroll
        for (int d = 0; d < kDims; ++d) {
          const float query = s_q[g * D + d0 + d];
#pragma unroll
          for (int t = 0; t < kLaneTokens; ++t) part[g][t] += query * keys[d][t];
        }
      }
    }
    float value_scale = 1.0f;
    if constexpr (kElement == KvElement::kQ8) {
      const auto* scales = reinterpret_cast<const float*>(record + 2 * kKeyBytes);
      const float4 s = LoadFloat4(scales + lane_tokens);
      const float key_scale[4] = {s.x, s.y, s.z, s.w};
      value_scale = __ldg(scales + kPageTokens + token);
#pragma unroll
      for (int g = 0; g < G; ++g) {
#pragma unroll
        for (int t = 0; t < kLaneTokens; ++t) part[g][t] *= key_scale[t];
      }
    }
    if (kv.bias_query != nullptr) {  // The rotation table has K's order, one dimension at a time.
      const float* rotation = kv.rotation + static_cast<std::size_t>(page) * D * kPageTokens;
#pragma unroll 2
      for (int step = 0; step < D / kLanesOfDims; ++step) {
        const int d = step * kLanesOfDims + lane / kLanesOfTokens;
        float rows[kLaneTokens];
#pragma unroll
        for (int t = 0; t < kLaneTokens; t += 4) {
          const float4 r = LoadFloat4(rotation + d * kPageTokens + lane_tokens + t);
          rows[t] = r.x, rows[t + 1] = r.y, rows[t + 2] = r.z, rows[t + 3] = r.w;
        }
#pragma unroll
        for (int g = 0; g < G; ++g) {
          const float bias = s_bias[g * D + d];
#pragma unroll
          for (int t = 0; t < kLaneTokens; ++t) part[g][t] += bias * rows[t];
        }
      }
    }

    const int position = page * kPageTokens + token;
    const bool attended = position >= begin && position < end;
#pragma unroll
    for (int g = 0; g < G; ++g) {
      float score = SumOverLanes<kLaneTokens, 16, kLanesOfTokens>(part[g]);
      score = attended ? score : -INFINITY;
      float page_most = score;
#pragma unroll
      for (int bit = 16; bit > 0; bit /= 2) {
        if (bit != kLanesOfTokens) {  // Lanes that differ in this bit hold the same token.
          page_most = fmaxf(page_most, __shfl_xor_sync(kFullMask, page_most, bit));
        }
      }
      // A page has at least one attended key, so the new maximum is finite.
      const float new_most = fmaxf(most[g], page_most);
      const float keep = __expf(most[g] - new_most);
      const float weight = attended ? __expf(score - new_most) : 0.0f;
      most[g] = new_most;
      sum[g] = sum[g] * keep + weight;
      if ((lane & kLanesOfTokens) == 0) {
        s_weights[g * kPageTokens + token] = attended ? weight * value_scale : 0.0f;
      }
#pragma unroll
      for (int i = 0; i < 8; ++i) values[g][i] *= keep;
    }
    __syncwarp();
#pragma unroll(kPageTokens / kValueTokens < 4 ? kPageTokens / kValueTokens : 4)
    for (int t0 = 0; t0 < kPageTokens; t0 += kValueTokens) {
      const int t = t0 + value_token, at = page * kPageTokens + t;
      float v[8] = {};
      if (at >= begin && at < end) {
        LoadValues<kElement>(record + kKeyBytes + (t * D + value_dim) * Layout::kElementBytes, v);
      }
#pragma unroll
      for (int g = 0; g < G; ++g) {
        const float weight = s_weights[g * kPageTokens + t];
#pragma unroll
        for (int i = 0; i < 8; ++i) values[g][i] += weight * v[i];
      }
    }
    __syncwarp();  // The next page's weights overwrite these.
  }

  // Over the lanes of a warp; all of them share its maximum.
#pragma unroll
  for (int g = 0; g < G; ++g) {
#pragma unroll
    for (int bit = 16; bit > 0; bit /= 2) {
      if (bit != kLanesOfTokens) sum[g] += __shfl_xor_sync(kFullMask, sum[g], bit);
    }
#pragma unroll
    for (int bit = 16; bit >= kLanesOfValue; bit /= 2) {
#pragma unroll
      for (int i = 0; i < 8; ++i) values[g][i] += __shfl_xor_sync(kFullMask, values[g][i], bit);
    }
    if (lane == 0) s_state[warp][g] = make_float2(most[g], sum[g]);
  }
  // Queries and weights are read; their memory now takes the sums.
  __syncthreads();
  float* s_values = shared;  // [kWarps][G][D]
#pragma unroll
  for (int g = 0; g < G; ++g) {
    if (value_token == 0) {
      float4* to = reinterpret_cast<float4*>(s_values + (warp * G + g) * D + value_dim);
      to[0] = make_float4(values[g][0], values[g][1], values[g][2], values[g][3]);
      to[1] = make_float4(values[g][4], values[g][5], values[g][6], values[g][7]);
    }
  }
  __syncthreads();

  // Over the warps.
  for (int i = threadIdx.x; i < heads * D; i += kThreads) {
    const int g = i / D, d = i % D;
    float block_most = -INFINITY, block_sum = 0.0f, value = 0.0f;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) block_most = fmaxf(block_most, s_state[w][g].x);
    const bool any = block_most > -INFINITY;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      const float weight = any ? __expf(s_state[w][g].x - block_most) : 0.0f;
      block_sum += s_state[w][g].y * weight;
      value += s_values[(w * G + g) * D + d] * weight;
    }
    value = any ? value / block_sum : 0.0f;
    const float lse = any ? block_most + __logf(block_sum) : -INFINITY;
    if (splits == 1) {
      kv.out[(row + g) * D + d] = value;
      if (d == 0 && kv.log_sum_exp != nullptr) kv.log_sum_exp[row + g] = lse;
    } else {
      const std::size_t part = (row + g) * splits + split;
      a.part_out[part * D + d] = value;
      if (d == 0) a.part_lse[part] = lse;
    }
  }
}

// Merges the splits. Grid: (q_heads, sequences). Block: D.
template <int D>
__global__ void __launch_bounds__(D) DecodeMerge(Arguments a, int splits) {
  const std::size_t row =
      static_cast<std::size_t>(blockIdx.y) * gridDim.x + static_cast<std::size_t>(blockIdx.x);
  const float* lse = a.part_lse + row * splits;
  const float* parts = a.part_out + row * splits * D + threadIdx.x;
  float most = -INFINITY, sum = 0.0f, value = 0.0f;
  for (int s = 0; s < splits; ++s) most = fmaxf(most, lse[s]);
  const bool any = most > -INFINITY;
  for (int s = 0; s < splits; ++s) {
    const float weight = any ? __expf(lse[s] - most) : 0.0f;
    sum += weight;
    value += weight * parts[static_cast<std::size_t>(s) * D];
  }
  a.decode.out[row * D + threadIdx.x] = any ? value / sum : 0.0f;
  if (threadIdx.x == 0 && a.decode.log_sum_exp != nullptr) {
    a.decode.log_sum_exp[row] = any ? most + __logf(sum) : -INFINITY;
  }
}

template <KvElement kElement, int D, int G>
cudaError_t LaunchSplit(const Arguments& a, int splits, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(splits),
                  static_cast<unsigned>(a.decode.kv_heads * a.chunks),
                  static_cast<unsigned>(a.decode.sequences));
  return GPU_LAUNCH((DecodeSplit<kElement, D, G>), grid, kThreads,
                    SharedFloats(G, D) * sizeof(float), stream, a);
}

template <KvElement kElement, int D>
cudaError_t LaunchForHeads(int heads, const Arguments& a, int splits, cudaStream_t stream) {
  switch (heads) {
    case 1:
      return LaunchSplit<kElement, D, 1>(a, splits, stream);
    case 2:
      return LaunchSplit<kElement, D, 2>(a, splits, stream);
    case 3:
      return LaunchSplit<kElement, D, 3>(a, splits, stream);
    case 4:
      return LaunchSplit<kElement, D, 4>(a, splits, stream);
    case 5:  // Rare: one head of the block idles.
    case 6:
      return LaunchSplit<kElement, D, 6>(a, splits, stream);
    case 7:
      return LaunchSplit<kElement, D, 7>(a, splits, stream);
    default:
      return LaunchSplit<kElement, D, 8>(a, splits, stream);
  }
}

template <int D>
cudaError_t LaunchForDim(const Arguments& a, int splits, cudaStream_t stream) {
  const int heads = (a.group + a.chunks - 1) / a.chunks;
  const cudaError_t error = a.decode.element == KvElement::kF16
                                ? LaunchForHeads<KvElement::kF16, D>(heads, a, splits, stream)
                                : LaunchForHeads<KvElement::kQ8, D>(heads, a, splits, stream);
  if (error != cudaSuccess || splits == 1) return error;
  const dim3 grid(static_cast<unsigned>(a.decode.q_heads),
                  static_cast<unsigned>(a.decode.sequences));
  return GPU_LAUNCH((DecodeMerge<D>), grid, D, 0, stream, a, splits);
}

int Chunks(int group) { return (group + kMaxHeads - 1) / kMaxHeads; }

Status Refuse(const char* name, std::int64_t value, const char* limit) {
  return Status(StatusCode::kInvalidArgument, std::string("paged decode attention: ") + name +
                                                  " is " + std::to_string(value) + "; it must be " +
                                                  limit);
}

Status Check(const PagedDecode& kv, int splits, std::span<float> workspace) {
  if (kv.sequences < 1 || kv.sequences > 65535) {
    return Refuse("sequences", kv.sequences, "from 1 to 65535");
  }
  if (kv.kv_heads < 1) return Refuse("kv_heads", kv.kv_heads, "at least 1");
  if (kv.q_heads < 1 || kv.q_heads > 65535 || kv.q_heads % kv.kv_heads != 0) {
    return Refuse("q_heads", kv.q_heads, "a multiple of kv_heads from 1 to 65535");
  }
  if (kv.head_dim != 32 && kv.head_dim != 64 && kv.head_dim != 128 && kv.head_dim != 256) {
    return Refuse("head_dim", kv.head_dim, "32, 64, 128 or 256");
  }
  if (kv.table_stride < 1) return Refuse("table_stride", kv.table_stride, "at least 1");
  if (kv.window < 0) return Refuse("window", kv.window, "0 (all keys) or more");
  if (splits < 1 || splits > kMaxSplits) return Refuse("splits", splits, "from 1 to 1024");
  if (kv.page_bytes % 16 != 0 || kv.layer_offset % 16 != 0) {
    const bool page = kv.page_bytes % 16 != 0;
    return Refuse(page ? "page_bytes" : "layer_offset",
                  static_cast<std::int64_t>(page ? kv.page_bytes : kv.layer_offset),
                  "a multiple of 16");
  }
  const std::size_t record =
      static_cast<std::size_t>(kv.kv_heads) * KvRecordBytes(kv.element, kv.head_dim);
  if (kv.page_bytes < kv.layer_offset || kv.page_bytes - kv.layer_offset < record) {
    return Refuse("page_bytes", static_cast<std::int64_t>(kv.page_bytes),
                  "large enough for the layer's records");
  }
  if ((kv.bias_query == nullptr) != (kv.rotation == nullptr)) {
    return Status(StatusCode::kInvalidArgument,
                  "paged decode attention: bias_query and rotation must be given together");
  }
  if (kv.q == nullptr || kv.pages == nullptr || kv.block_table == nullptr ||
      kv.lengths == nullptr || kv.out == nullptr) {
    return Status(
        StatusCode::kInvalidArgument,
        "paged decode attention: q, pages, block_table, lengths and out must not be null");
  }
  for (const void* p :
       {static_cast<const void*>(kv.pages), static_cast<const void*>(kv.rotation)}) {
    if (reinterpret_cast<std::uintptr_t>(p) % 16 != 0) {
      return Status(StatusCode::kInvalidArgument,
                    "paged decode attention: pages and rotation must be aligned to 16 bytes");
    }
  }
  const std::size_t need =
      PagedDecodeWorkspaceFloats(kv.sequences, kv.q_heads, kv.head_dim, splits);
  if (workspace.size() < need) {
    return Refuse("workspace", static_cast<std::int64_t>(workspace.size()),
                  ("at least " + std::to_string(need) + " floats").c_str());
  }
  return Status();
}

}  // namespace

int PagedDecodeSplits(int sequences, int q_heads, int kv_heads, int max_tokens,
                      int multiprocessors) {
  constexpr int kBlocksPerMultiprocessor = 4;  // Of four warps: some latency is hidden.
  constexpr int kPagesPerWarp = 2;             // Fewer, and the merge costs more than it saves.
  const std::int64_t blocks =
      std::int64_t{sequences} * kv_heads * Chunks(q_heads / std::max(kv_heads, 1));
  const std::int64_t wanted =
      (std::int64_t{multiprocessors} * kBlocksPerMultiprocessor + blocks - 1) / blocks;
  const std::int64_t pages = (std::int64_t{max_tokens} + kPageTokens - 1) / kPageTokens;
  const std::int64_t useful = std::max<std::int64_t>(1, pages / (kPagesPerWarp * kWarps));
  return static_cast<int>(std::min<std::int64_t>({wanted, useful, kMaxSplits}));
}

Status PagedDecodeAttentionCuda(const PagedDecode& decode, int splits, std::span<float> workspace,
                                CUstream_st* stream) {
  if (Status status = Check(decode, splits, workspace); !status.ok()) return status;
  const std::size_t rows =
      static_cast<std::size_t>(decode.sequences) * static_cast<std::size_t>(decode.q_heads);
  Arguments a{decode, workspace.data(), nullptr, decode.q_heads / decode.kv_heads, 1};
  a.chunks = Chunks(a.group);
  if (splits > 1) {
    a.part_lse = workspace.data() + rows * static_cast<std::size_t>(splits) *
                                        static_cast<std::size_t>(decode.head_dim);
  }
  cudaError_t error = cudaSuccess;
  switch (decode.head_dim) {
    case 32:
      error = LaunchForDim<32>(a, splits, stream);
      break;
    case 64:
      error = LaunchForDim<64>(a, splits, stream);
      break;
    case 128:
      error = LaunchForDim<128>(a, splits, stream);
      break;
    default:
      error = LaunchForDim<256>(a, splits, stream);
  }
  if (error == cudaSuccess) return Status();
  return Status(
      StatusCode::kDeviceError,
      std::string("paged decode attention: the launch was refused: ") + cudaGetErrorString(error));
}

}  // namespace liubai::kernels
