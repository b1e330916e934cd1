// kernels/paged_attention_inl.h: the body of paged attention, compiled once for each instruction
// set.
//
// The including file defines LIUBAI_ATTEND (the function's name) and is compiled with that set's
// flags. Vectors are the compiler's own 16-lane types, so that one text serves all; only the
// integer dot product and the conversion of halves differ.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/half.h"
#include "kernels/paged_attention.h"
#include "kernels/vector_math_inl.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace liubai::kernels::paged_attention {
namespace {

inline F32x16 Splat(float x) { return F32x16{x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

inline F32x16 LoadHalves(const std::uint16_t* p) {
#if defined(__AVX512F__)
  return (F32x16)_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
#elif defined(__F16C__)
  const __m256 low = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  const __m256 high = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 8)));
  F32x16 v;
  std::memcpy(&v, &low, 32);
  std::memcpy(reinterpret_cast<char*>(&v) + 32, &high, 32);
  return v;
#else
  F32x16 v;
  for (int i = 0; i < 16; ++i) v[i] = HalfToFloat(p[i]);
  return v;
#endif
}

inline F32x16 LoadBytes(const std::int8_t* p) {
  // GCC 12 converts vectors of bytes one by one when it is left to it.
#if defined(__AVX512F__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return (F32x16)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
#elif defined(__AVX2__)
  F32x16 v;
  for (int i = 0; i < 2; ++i) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + 8 * i));
    const __m256 half = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
    std::memcpy(reinterpret_cast<char*>(&v) + 32 * i, &half, 32);
  }
  return v;
#else
  F32x16 v;
  for (int i = 0; i < 16; ++i) v[i] = p[i];
  return v;
#endif
}

inline float Max(F32x16 v) {
  float m = v[0];
  for (int i = 1; i < 16; ++i) m = std::max(m, v[i]);
  return m;
}

// A query as integers of 13 bits in two bytes, q = scale * (64 * high + low): |high| <= 64 keeps
// the 16-bit sums of AVX2's byte product from saturating (255 * 64 * 2 < 32768).
struct IntegerQuery {
  alignas(64) std::int8_t high[256];
  alignas(64) std::int8_t low[256];
  std::int32_t high_sum = 0;
  std::int32_t low_sum = 0;
  float scale = 0.0f;
};

inline void Quantize(const float* q, int dim, IntegerQuery& out) {
  float most = 0.0f;
  for (int d = 0; d < dim; ++d) most = std::max(most, std::fabs(q[d]));
  const float inverse = most > 0.0f ? 4064.0f / most : 0.0f;
  out.scale = most / 4064.0f;
  out.high_sum = out.low_sum = 0;
  for (int d = 0; d < dim; ++d) {
    const int value = static_cast<int>(std::lrintf(q[d] * inverse));
    const int high = (value + 32) >> 6;
    out.high[d] = static_cast<std::int8_t>(high);
    out.low[d] = static_cast<std::int8_t>(value - high * 64);
    out.high_sum += out.high[d];
    out.low_sum += out.low[d];
  }
}

// The products of 16 keys, K [dim / 4][16][4], with H queries: the keys are read once for them all.
template <int H>
inline void IntegerScores(const std::int8_t* keys, const IntegerQuery* q, int dim, F32x16* scores) {
#if defined(__AVX512VNNI__)
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(0x80));
  __m512i high[H], low[H];
  for (int h = 0; h < H; ++h) {
    high[h] = _mm512_set1_epi32(-128 * q[h].high_sum);
    low[h] = _mm512_set1_epi32(-128 * q[h].low_sum);
  }
  for (int d = 0; d < dim; d += 4) {
    const __m512i k = _mm512_xor_si512(_mm512_loadu_si512(keys + d * kPageTokens), flip);
    for (int h = 0; h < H; ++h) {
      std::int32_t high4, low4;
      std::memcpy(&high4, q[h].high + d, 4);
      std::memcpy(&low4, q[h].low + d, 4);
      high[h] = _mm512_dpbusd_epi32(high[h], k, _mm512_set1_epi32(high4));
      low[h] = _mm512_dpbusd_epi32(low[h], k, _mm512_set1_epi32(low4));
    }
  }
  for (int h = 0; h < H; ++h) {
    const __m512i sum = _mm512_add_epi32(_mm512_slli_epi32(high[h], 6), low[h]);
    scores[h] = (F32x16)_mm512_cvtepi32_ps(sum) * q[h].scale;
  }
#elif defined(__AVX2__)
  const __m256i flip = _mm256_set1_epi8(static_cast<char>(0x80));
  const __m256i ones = _mm256_set1_epi16(1);
  // Eight keys at a time: the sums of H queries then fit into the sixteen registers.
  for (int i = 0; i < 2; ++i) {
    __m256i high[H], low[H];
    for (int h = 0; h < H; ++h) {
      high[h] = _mm256_set1_epi32(-128 * q[h].high_sum);
      low[h] = _mm256_set1_epi32(-128 * q[h].low_sum);
    }
    for (int d = 0; d < dim; d += 4) {
      const __m256i k = _mm256_xor_si256(
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys + d * kPageTokens + 32 * i)),
          flip);
      for (int h = 0; h < H; ++h) {
        std::int32_t high4, low4;
        std::memcpy(&high4, q[h].high + d, 4);
        std::memcpy(&low4, q[h].low + d, 4);
        high[h] = _mm256_add_epi32(
            high[h], _mm256_madd_epi16(_mm256_maddubs_epi16(k, _mm256_set1_epi32(high4)), ones));
        low[h] = _mm256_add_epi32(
            low[h], _mm256_madd_epi16(_mm256_maddubs_epi16(k, _mm256_set1_epi32(low4)), ones));
      }
    }
    for (int h = 0; h < H; ++h) {
      const __m256 sum =
          _mm256_cvtepi32_ps(_mm256_add_epi32(_mm256_slli_epi32(high[h], 6), low[h]));
      const __m256 score = _mm256_mul_ps(sum, _mm256_set1_ps(q[h].scale));
      std::memcpy(reinterpret_cast<char*>(scores + h) + 32 * i, &score, 32);
    }
  }
#else
  for (int h = 0; h < H; ++h) {
    std::int32_t sum[kPageTokens] = {};
    for (int d = 0; d < dim; d += 4) {
      for (int t = 0; t < kPageTokens; ++t) {
        for (int j = 0; j < 4; ++j) {
          sum[t] += keys[d * kPageTokens + t * 4 + j] * (q[h].high[d + j] * 64 + q[h].low[d + j]);
        }
      }
    }
    for (int t = 0; t < kPageTokens; ++t) scores[h][t] = static_cast<float>(sum[t]) * q[h].scale;
  }
#endif
}

// The products of 16 keys in halves, K [dim][16], with H queries [H][dim].
template <int H>
inline void HalfScores(const std::uint16_t* keys, const float* q, int dim, F32x16* scores) {
  F32x16 even[H] = {}, odd[H] = {};
  for (int d = 0; d < dim; d += 2) {
    const F32x16 k0 = LoadHalves(keys + d * kPageTokens);
    const F32x16 k1 = LoadHalves(keys + (d + 1) * kPageTokens);
    for (int h = 0; h < H; ++h) {
      even[h] += k0 * q[h * dim + d];
      odd[h] += k1 * q[h * dim + d + 1];
    }
  }
  for (int h = 0; h < H; ++h) scores[h] = even[h] + odd[h];
}

// The products of the rotation table's rows, [dim][16], with H queries, added to `scores`.
template <int H>
inline void AddBiasScores(const float* rotation, const float* q, int dim, F32x16* scores) {
  F32x16 sums[H] = {};
  for (int d = 0; d < dim; ++d) {
    const F32x16 r = Load(rotation + d * kPageTokens);
    for (int h = 0; h < H; ++h) sums[h] += r * q[h * dim + d];
  }
  for (int h = 0; h < H; ++h) scores[h] += sums[h];
}

// Calls f(H, first head) for blocks of at most four heads, H a constant.
template <typename F>
inline void ForBlocksOfHeads(int group, F&& f) {
  int h = 0;
  for (; h + 4 <= group; h += 4) f(std::integral_constant<int, 4>(), h);
  switch (group - h) {
    case 3:
      return f(std::integral_constant<int, 3>(), h);
    case 2:
      return f(std::integral_constant<int, 2>(), h);
    case 1:
      return f(std::integral_constant<int, 1>(), h);
    default:
      return;
  }
}

// Into the second level. Pages lie far apart, so that no hardware foresees the next.
inline void Prefetch(const std::byte* p, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(p + at, 0, 2);
}

// Adds weights [heads][stride] times V [tokens][dim] to `accumulators` for H heads and 16 * N
// columns.
template <int H, int N, bool kHalves>
inline void AddValues(const void* values, int dim, int column, int first, int last,
                      const float* weights, std::size_t stride, float* out) {
  F32x16 sums[H][N];
  for (int h = 0; h < H; ++h) {
    for (int n = 0; n < N; ++n) sums[h][n] = Load(out + h * dim + column + 16 * n);
  }
  for (int t = first; t < last; ++t) {
    F32x16 v[N];
    for (int n = 0; n < N; ++n) {
      const int at = t * dim + column + 16 * n;
      v[n] = kHalves ? LoadHalves(static_cast<const std::uint16_t*>(values) + at)
                     : LoadBytes(static_cast<const std::int8_t*>(values) + at);
    }
    for (int h = 0; h < H; ++h) {
      const F32x16 w = Splat(weights[h * stride + t]);
      for (int n = 0; n < N; ++n) sums[h][n] += w * v[n];
    }
  }
  for (int h = 0; h < H; ++h) {
    for (int n = 0; n < N; ++n) Store(out + h * dim + column + 16 * n, sums[h][n]);
  }
}

template <int H, bool kHalves>
inline void AddValuesOfHeads(const void* values, int dim, int first, int last, const float* weights,
                             std::size_t stride, float* out) {
  int column = 0;
  for (; column + 64 <= dim; column += 64) {
    AddValues<H, 4, kHalves>(values, dim, column, first, last, weights, stride, out);
  }
  for (; column < dim; column += 32) {
    AddValues<H, 2, kHalves>(values, dim, column, first, last, weights, stride, out);
  }
}

template <bool kHalves>
void Attend(const PagedKvView& kv, const AttentionQuery& query) {
  constexpr int kAhead = 2;  // Measured: one page comes too late, three push each other out.
  const int dim = kv.head_dim, group = query.group;
  const std::int64_t first_page = query.key_begin / kPageTokens;
  const std::int64_t last_page = (query.key_end - 1) / kPageTokens;
  const std::size_t stride = static_cast<std::size_t>(last_page - first_page + 1) * kPageTokens;
  float* scores = query.workspace.data();  // [group][stride]
  const auto record = [&](std::int64_t page) {
    return kv.pages + static_cast<std::size_t>(kv.block_table[page]) * kv.page_bytes +
           kv.layer_offset +
           static_cast<std::size_t>(query.kv_head) * KvRecordBytes(kv.element, dim);
  };
  const std::size_t key_bytes = static_cast<std::size_t>((kHalves ? 2 : 1) * kPageTokens * dim);
  const std::size_t scales_at = 2 * key_bytes;
  IntegerQuery integers[kHalves ? 1 : kMaxGroup];
  if (!kHalves) {
    for (int h = 0; h < group; ++h) Quantize(query.q + h * dim, dim, integers[h]);
  }
  F32x16 most[kMaxGroup];
  std::fill(most, most + group, Splat(-INFINITY));
  const F32x16 lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (std::int64_t page = first_page; page <= last_page; ++page) {
    if (page + kAhead <= last_page) {
      const std::byte* ahead = record(page + kAhead);
      Prefetch(ahead, key_bytes);
      if (!kHalves) Prefetch(ahead + scales_at, 64);
    }
    const std::byte* keys = record(page);
    const std::size_t at = static_cast<std::size_t>(page - first_page) * kPageTokens;
    const float low = static_cast<float>(query.key_begin - page * kPageTokens);
    const float high = static_cast<float>(query.key_end - page * kPageTokens);
    const float* rotation = query.rotation + static_cast<std::size_t>(page) * kPageTokens *
                                                 static_cast<std::size_t>(dim);
    ForBlocksOfHeads(group, [&](auto heads, int h) {
      constexpr int H = heads;
      F32x16 block[H];
      if constexpr (kHalves) {
        HalfScores<H>(reinterpret_cast<const std::uint16_t*>(keys), query.q + h * dim, dim, block);
      } else {
        const F32x16 scales = Load(reinterpret_cast<const float*>(keys + scales_at));
        IntegerScores<H>(reinterpret_cast<const std::int8_t*>(keys), integers + h, dim, block);
        for (int i = 0; i < H; ++i) block[i] *= scales;
      }
      if (query.bias_query != nullptr) {
        AddBiasScores<H>(rotation, query.bias_query + h * dim, dim, block);
      }
      for (int i = 0; i < H; ++i) {
        const F32x16 scaled = block[i] * query.scale;
        const F32x16 score = (lane < low) | (lane >= high) ? Splat(-INFINITY) : scaled;
        most[h + i] = score > most[h + i] ? score : most[h + i];
        Store(scores + (h + i) * stride + at, score);
      }
    });
  }
  float inverse[kMaxGroup];
  for (int h = 0; h < group; ++h) {
    float* row = scores + h * stride;
    const float maximum = Max(most[h]);
    F32x16 total = {};
    for (std::size_t i = 0; i < stride; i += 16) {
      const F32x16 v = Load(row + i);
      // Exp stops at -87; lanes outside the range must weigh nothing at all.
      const F32x16 e = v == Splat(-INFINITY) ? F32x16{} : Exp(v - maximum);
      total += e;
      Store(row + i, e);
    }
    const float sum = Sum(total);
    inverse[h] = 1.0f / sum;
    if (query.log_sum_exp != nullptr) query.log_sum_exp[h] = maximum + std::log(sum);
  }
  std::fill(query.out, query.out + static_cast<std::size_t>(group) * dim, 0.0f);
  for (std::int64_t page = first_page; page <= last_page; ++page) {
    if (page + kAhead <= last_page) {
      const std::byte* ahead = record(page + kAhead);
      Prefetch(ahead + key_bytes, key_bytes);
      if (!kHalves) Prefetch(ahead + scales_at + 64, 64);
    }
    const std::byte* base = record(page);
    const std::size_t at = static_cast<std::size_t>(page - first_page) * kPageTokens;
    const void* values = base + key_bytes;
    const int first =
        static_cast<int>(std::max<std::int64_t>(query.key_begin - page * kPageTokens, 0));
    const int last =
        static_cast<int>(std::min<std::int64_t>(query.key_end - page * kPageTokens, kPageTokens));
    if (!kHalves) {
      const F32x16 scales = Load(reinterpret_cast<const float*>(base + scales_at) + kPageTokens);
      for (int h = 0; h < group; ++h) {
        float* w = scores + h * stride + at;
        // A weight of zero must stay zero whatever an unused slot's scale holds.
        const F32x16 weights = Load(w);
        Store(w, weights == F32x16{} ? weights : weights * scales);
      }
    }
    ForBlocksOfHeads(group, [&](auto heads, int h) {
      AddValuesOfHeads<heads, kHalves>(values, dim, first, last, scores + at + h * stride, stride,
                                       query.out + h * dim);
    });
  }
  for (int h = 0; h < group; ++h) {
    for (int d = 0; d < dim; d += 16) {
      Store(query.out + h * dim + d, Load(query.out + h * dim + d) * inverse[h]);
    }
  }
}

}  // namespace

void LIUBAI_ATTEND(const PagedKvView& kv, const AttentionQuery& query) {
  if (kv.element == KvElement::kF16) {
    Attend<true>(kv, query);
  } else {
    Attend<false>(kv, query);
  }
}

}  // namespace liubai::kernels::paged_attention
