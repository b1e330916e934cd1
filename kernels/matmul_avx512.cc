// kernels/matmul.h with AVX-512 VNNI: a register holds one column quad of 16 rows; vpdpbusd
// multiplies it with four activations that are broadcast from memory. Prefill unpacks a block once
// for 16 tokens.
//
// This file is compiled for AVX-512: it must not instantiate inline functions that others share.
#include <immintrin.h>

#include "kernels/matmul_layout.h"

namespace liubai::kernels {
namespace {

using std::int64_t;

__m512i LoadBytes(const std::byte* p) { return _mm512_loadu_si512(p); }
__m512 LoadHalves(const std::byte* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
__m512 LoadU8AsFloat(const std::byte* p) {
  return _mm512_cvtepi32_ps(
      _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
__m512 LoadS8AsFloat(const std::byte* p) {
  return _mm512_cvtepi32_ps(
      _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
__m512i BroadcastQuad(const std::byte* p) {
  int quad;
  __builtin_memcpy(&quad, p, sizeof(quad));
  return _mm512_set1_epi32(quad);
}
__m512 BroadcastFloat(const std::byte* p) {
  float value;
  __builtin_memcpy(&value, p, sizeof(value));
  return _mm512_set1_ps(value);
}

// The eight column quads of a block as unsigned bytes.
template <int kBits>
[[gnu::always_inline]] inline void Unpack(const std::byte* tile, __m512i (&quads)[8]) {
  if constexpr (kBits == 8) {
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) quads[j] = LoadBytes(tile + 64 * j);
  } else {
    const __m512i low = _mm512_set1_epi8(15);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const __m512i packed = LoadBytes(tile + 64 * i);
      quads[i] = _mm512_and_si512(packed, low);
      quads[i + 4] = _mm512_and_si512(_mm512_srli_epi16(packed, 4), low);
    }
    if constexpr (kBits == 5) {
      const __m512i sixteen = _mm512_set1_epi8(16);
#pragma GCC unroll 8
      for (int j = 0; j < 8; ++j) {
        __mmask64 mask;
        __builtin_memcpy(&mask, tile + 256 + 8 * j, sizeof(mask));
        quads[j] = _mm512_mask_add_epi8(quads[j], mask, quads[j], sixteen);
      }
    } else if constexpr (kBits == 6) {
      const __m512i field = _mm512_set1_epi8(0x30);
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) {
        const __m512i high = LoadBytes(tile + 256 + 64 * h);
        const __m512i shifted[4] = {_mm512_slli_epi16(high, 4), _mm512_slli_epi16(high, 2), high,
                                    _mm512_srli_epi16(high, 2)};
#pragma GCC unroll 4
        for (int f = 0; f < 4; ++f) {  // 0xf8: a | (b & c).
          quads[4 * h + f] = _mm512_ternarylogic_epi32(quads[4 * h + f], shifted[f], field, 0xf8);
        }
      }
    }
  }
}

// Scales of the two halves of a block (equal but for Q6_K) and the minimum.
struct BlockScales {
  __m512 scale;
  __m512 high_scale;
  __m512 min;
};
template <DataType kType>
[[gnu::always_inline]] inline BlockScales ReadScales(const std::byte* scales, int64_t b) {
  constexpr PackedFormat kFormat = GetPackedFormat(kType);
  BlockScales out{};
  if constexpr (!kFormat.super_blocks) {
    const std::byte* p = scales + b * kFormat.scale_bytes;
    out.scale = LoadHalves(p);
    if constexpr (kFormat.has_min) out.min = LoadHalves(p + 32);
  } else {
    const std::byte* head = scales + b / 8 * kFormat.scale_bytes;
    const __m512 d = LoadHalves(head);
    if constexpr (kFormat.bits == 6) {
      const std::byte* p = head + 32 + 32 * (b % 8);
      out.scale = _mm512_mul_ps(d, LoadS8AsFloat(p));
      out.high_scale = _mm512_mul_ps(d, LoadS8AsFloat(p + 16));
    } else {
      const std::byte* p = head + 64 + 32 * (b % 8);
      out.scale = _mm512_mul_ps(d, LoadU8AsFloat(p));
      out.min = _mm512_mul_ps(_mm512_sub_ps(_mm512_setzero_ps(), LoadHalves(head + 32)),
                              LoadU8AsFloat(p + 16));
    }
  }
  return out;
}

// -zero * sum of activations, from the stored -128 * sum.
template <int kZero>
[[gnu::always_inline]] inline __m512i ZeroPoint(const std::byte* p) {
  if constexpr (kZero == 0) return _mm512_setzero_si512();
  constexpr int kShift = kZero == 128 ? 0 : kZero == 32 ? 2 : kZero == 16 ? 3 : 4;
  return _mm512_srai_epi32(BroadcastQuad(p), kShift);
}

[[gnu::always_inline]] inline void Write(__m512 sum, int64_t token, int64_t row, __mmask16 mask,
                                         const MatMulOutput& out) {
  float* place = out.data + token * out.stride + row;
  if (out.bias != nullptr) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, out.bias + row));
  if (out.accumulate) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, place));
  _mm512_mask_storeu_ps(place, mask, sum);
}

// One group of rows times one tile of kWidth tokens whose first is `token`.
template <DataType kType, int kWidth>
void Tile(const std::byte* group, int64_t cols, const std::byte* activations, int64_t token,
          int64_t row, __mmask16 mask, const MatMulOutput& out) {
  constexpr PackedFormat kFormat = GetPackedFormat(kType);
  const std::byte* tile = group + QuantOffset(kFormat, cols);
  const int64_t blocks = cols / kActivationBlock;
  __m512 sums[kWidth];
#pragma GCC unroll 16
  for (int t = 0; t < kWidth; ++t) sums[t] = _mm512_setzero_ps();

  for (int64_t b = 0; b < blocks; ++b) {
    // The hardware's prefetcher stops at pages and starts anew; 4 KB ahead measured best.
#pragma GCC unroll 8
    for (int64_t line = 0; line < kFormat.quant_bytes; line += 64) {
      _mm_prefetch(reinterpret_cast<const char*>(tile + 4096 + line), _MM_HINT_T0);
    }
    __m512i quads[8];
    Unpack<kFormat.bits>(tile, quads);
    const BlockScales scales = ReadScales<kType>(group, b);
    const std::byte* tail = activations + 32 * kWidth;
#pragma GCC unroll 16
    for (int t = 0; t < kWidth; ++t) {
      const std::byte* q = activations + 32 * t;
      const std::byte* s = tail + 4 * t;
      const __m512 scale = BroadcastFloat(s);
      if constexpr (kFormat.bits == 6) {
        __m512i low = ZeroPoint<32>(s + 12 * kWidth);
        __m512i high = ZeroPoint<32>(s + 16 * kWidth);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
          low = _mm512_dpbusd_epi32(low, quads[j], BroadcastQuad(q + 4 * j));
          high = _mm512_dpbusd_epi32(high, quads[j + 4], BroadcastQuad(q + 16 + 4 * j));
        }
        const __m512 dot = _mm512_fmadd_ps(_mm512_cvtepi32_ps(high), scales.high_scale,
                                           _mm512_mul_ps(_mm512_cvtepi32_ps(low), scales.scale));
        sums[t] = _mm512_fmadd_ps(dot, scale, sums[t]);
      } else {
        __m512i dot = ZeroPoint<kFormat.zero>(s + 8 * kWidth);
#pragma GCC unroll 8
        for (int j = 0; j < 8; ++j) {
          dot = _mm512_dpbusd_epi32(dot, quads[j], BroadcastQuad(q + 4 * j));
        }
        sums[t] =
            _mm512_fmadd_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(dot), scales.scale), scale, sums[t]);
        if constexpr (kFormat.has_min) {
          sums[t] = _mm512_fmadd_ps(scales.min, BroadcastFloat(s + 4 * kWidth), sums[t]);
        }
      }
    }
    tile += kFormat.quant_bytes;
    activations += kWidth * kActivationBlockBytes;
  }
#pragma GCC unroll 16
  for (int t = 0; t < kWidth; ++t) Write(sums[t], token + t, row, mask, out);
}

using TileFunction = void (*)(const std::byte*, int64_t, const std::byte*, int64_t, int64_t,
                              __mmask16, const MatMulOutput&);

__mmask16 RowMask(int64_t rows) {
  return static_cast<__mmask16>(rows >= kRowGroup ? 0xffff : (1 << rows) - 1);
}

template <DataType kType>
void Product(const PackedMatrix& w, const Activations& x, int64_t row_begin, int64_t row_end,
             const MatMulOutput& out) {
  static constexpr TileFunction kTiles[kTokenTile] = {
      Tile<kType, 1>,  Tile<kType, 2>,  Tile<kType, 3>,  Tile<kType, 4>,
      Tile<kType, 5>,  Tile<kType, 6>,  Tile<kType, 7>,  Tile<kType, 8>,
      Tile<kType, 9>,  Tile<kType, 10>, Tile<kType, 11>, Tile<kType, 12>,
      Tile<kType, 13>, Tile<kType, 14>, Tile<kType, 15>, Tile<kType, 16>};
  // Tokens in chunks whose activations stay in the second-level cache while the weights pass.
  constexpr int64_t kChunkBytes = 512 * 1024;
  const int64_t token_bytes = w.cols() / kActivationBlock * kActivationBlockBytes;
  int64_t chunk = kChunkBytes / (token_bytes * kTokenTile) * kTokenTile;
  if (chunk < kTokenTile) chunk = kTokenTile;
  for (int64_t first = 0; first < x.tokens; first += chunk) {
    const int64_t end = first + chunk < x.tokens ? first + chunk : x.tokens;
    for (int64_t row = row_begin; row < row_end; row += kRowGroup) {
      const std::byte* group = w.group(row / kRowGroup);
      const __mmask16 mask = RowMask(row_end - row);
      for (int64_t token = first; token < end; token += kTokenTile) {
        const int64_t width = end - token < kTokenTile ? end - token : kTokenTile;
        kTiles[width - 1](group, w.cols(), x.quantized + token * token_bytes, token, row, mask,
                          out);
      }
    }
  }
}

// 16 floats of a packed float matrix.
template <DataType kType>
[[gnu::always_inline]] inline __m512 LoadFloats(const std::byte* group, int64_t c) {
  if constexpr (kType == DataType::kF32) {
    return _mm512_loadu_ps(group + 64 * c);
  } else if constexpr (kType == DataType::kF16) {
    return LoadHalves(group + 32 * c);
  } else {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(group + 32 * c));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(words), 16));
  }
}

// kGroups groups of 16 rows times kWidth tokens in float32.
template <DataType kType, int kGroups, int kWidth>
void FloatTile(const std::byte* group, int64_t group_bytes, const Activations& x, int64_t token,
               int64_t row, __mmask16 last_mask, const MatMulOutput& out) {
  const float* in = x.x + token * x.x_stride;
  __m512 sums[kGroups][kWidth];
#pragma GCC unroll 2
  for (int g = 0; g < kGroups; ++g) {
#pragma GCC unroll 8
    for (int t = 0; t < kWidth; ++t) sums[g][t] = _mm512_setzero_ps();
  }
  for (int64_t c = 0; c < x.cols; ++c) {
    __m512 weights[kGroups];
#pragma GCC unroll 2
    for (int g = 0; g < kGroups; ++g) weights[g] = LoadFloats<kType>(group + g * group_bytes, c);
#pragma GCC unroll 8
    for (int t = 0; t < kWidth; ++t) {
      const __m512 value = _mm512_set1_ps(in[t * x.x_stride + c]);
#pragma GCC unroll 2
      for (int g = 0; g < kGroups; ++g) {
        sums[g][t] = _mm512_fmadd_ps(weights[g], value, sums[g][t]);
      }
    }
  }
#pragma GCC unroll 2
  for (int g = 0; g < kGroups; ++g) {
    const __mmask16 mask = g + 1 == kGroups ? last_mask : static_cast<__mmask16>(0xffff);
#pragma GCC unroll 8
    for (int t = 0; t < kWidth; ++t) {
      Write(sums[g][t], token + t, row + g * kRowGroup, mask, out);
    }
  }
}

using FloatTileFunction = void (*)(const std::byte*, int64_t, const Activations&, int64_t, int64_t,
                                   __mmask16, const MatMulOutput&);

template <DataType kType, int kGroups>
void FloatGroups(const std::byte* group, int64_t group_bytes, const Activations& x, int64_t row,
                 __mmask16 mask, const MatMulOutput& out) {
  static constexpr FloatTileFunction kTiles[8] = {
      FloatTile<kType, kGroups, 1>, FloatTile<kType, kGroups, 2>, FloatTile<kType, kGroups, 3>,
      FloatTile<kType, kGroups, 4>, FloatTile<kType, kGroups, 5>, FloatTile<kType, kGroups, 6>,
      FloatTile<kType, kGroups, 7>, FloatTile<kType, kGroups, 8>};
  for (int64_t token = 0; token < x.tokens; token += 8) {
    const int64_t width = x.tokens - token < 8 ? x.tokens - token : 8;
    kTiles[width - 1](group, group_bytes, x, token, row, mask, out);
  }
}

template <DataType kType>
void FloatProduct(const PackedMatrix& w, const Activations& x, int64_t row_begin, int64_t row_end,
                  const MatMulOutput& out) {
  for (int64_t row = row_begin; row < row_end;) {
    const std::byte* group = w.group(row / kRowGroup);
    if (row + kRowGroup < row_end) {
      const int64_t bytes = w.group(row / kRowGroup + 1) - group;
      FloatGroups<kType, 2>(group, bytes, x, row, RowMask(row_end - row - kRowGroup), out);
      row += 2 * kRowGroup;
    } else {
      FloatGroups<kType, 1>(group, 0, x, row, RowMask(row_end - row), out);
      row += kRowGroup;
    }
  }
}

}  // namespace

void QuantizeActivationsAvx512(const Activations& a, int64_t token_begin, int64_t token_end,
                               int64_t col_begin, int64_t col_end) {
  const int64_t blocks = a.cols / kActivationBlock;
  const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
  for (int64_t token = token_begin; token < token_end; ++token) {
    const int64_t tile = token / kTokenTile * kTokenTile;
    const int64_t width = a.tokens - tile < kTokenTile ? a.tokens - tile : kTokenTile;
    const int64_t t = token - tile;
    const float* x = a.x + token * a.x_stride;
    for (int64_t b = col_begin / kActivationBlock; b < col_end / kActivationBlock; ++b) {
      const __m512 low = _mm512_loadu_ps(x + 32 * b);
      const __m512 high = _mm512_loadu_ps(x + 32 * b + 16);
      // As integers, magnitudes order like floats, and infinity and NaN come last.
      const std::uint32_t largest_bits = static_cast<std::uint32_t>(_mm512_reduce_max_epi32(
          _mm512_max_epi32(_mm512_and_si512(_mm512_castps_si512(low), magnitude),
                           _mm512_and_si512(_mm512_castps_si512(high), magnitude))));
      float largest;
      __builtin_memcpy(&largest, &largest_bits, sizeof(largest));
      const bool finite = largest_bits < 0x7f800000;
      const bool zero = !finite || largest < 0x1p-100f;
      const float scale = finite ? (zero ? 0.0f : largest / 127.0f) : __builtin_nanf("");
      std::byte* block = a.quantized + (tile * blocks + b * width) * kActivationBlockBytes;
      std::byte* tail = block + 32 * width + 4 * t;
      __m512i low_q = _mm512_setzero_si512();
      __m512i high_q = _mm512_setzero_si512();
      if (!zero) {
        const __m512 inverse = _mm512_set1_ps(127.0f / largest);
        low_q = _mm512_cvtps_epi32(_mm512_mul_ps(low, inverse));
        high_q = _mm512_cvtps_epi32(_mm512_mul_ps(high, inverse));
      }
      _mm_storeu_si128(reinterpret_cast<__m128i*>(block + 32 * t), _mm512_cvtepi32_epi8(low_q));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(block + 32 * t + 16),
                       _mm512_cvtepi32_epi8(high_q));
      const int low_sum = _mm512_reduce_add_epi32(low_q);
      const int high_sum = _mm512_reduce_add_epi32(high_q);
      const int sum = low_sum + high_sum;
      const float scaled_sum = scale * static_cast<float>(sum);
      const int zero_points[3] = {-128 * sum, -128 * low_sum, -128 * high_sum};
      __builtin_memcpy(tail, &scale, 4);
      __builtin_memcpy(tail + 4 * width, &scaled_sum, 4);
      __builtin_memcpy(tail + 8 * width, &zero_points[0], 4);
      __builtin_memcpy(tail + 12 * width, &zero_points[1], 4);
      __builtin_memcpy(tail + 16 * width, &zero_points[2], 4);
    }
  }
}

void MatMulAvx512(const PackedMatrix& w, const Activations& x, int64_t row_begin, int64_t row_end,
                  const MatMulOutput& out) {
  switch (w.type()) {
    case DataType::kF32:
      return FloatProduct<DataType::kF32>(w, x, row_begin, row_end, out);
    case DataType::kF16:
      return FloatProduct<DataType::kF16>(w, x, row_begin, row_end, out);
    case DataType::kBF16:
      return FloatProduct<DataType::kBF16>(w, x, row_begin, row_end, out);
    case DataType::kQ4_0:
      return Product<DataType::kQ4_0>(w, x, row_begin, row_end, out);
    case DataType::kQ4_1:
      return Product<DataType::kQ4_1>(w, x, row_begin, row_end, out);
    case DataType::kQ5_0:
      return Product<DataType::kQ5_0>(w, x, row_begin, row_end, out);
    case DataType::kQ5_1:
      return Product<DataType::kQ5_1>(w, x, row_begin, row_end, out);
    case DataType::kQ8_0:
      return Product<DataType::kQ8_0>(w, x, row_begin, row_end, out);
    case DataType::kQ4_K:
      return Product<DataType::kQ4_K>(w, x, row_begin, row_end, out);
    case DataType::kQ5_K:
      return Product<DataType::kQ5_K>(w, x, row_begin, row_end, out);
    case DataType::kQ6_K:
      return Product<DataType::kQ6_K>(w, x, row_begin, row_end, out);
  }
}

void MatMulFloatGroupAvx512(const float* group, const Activations& x, int64_t row, int rows,
                            const MatMulOutput& out) {
  FloatGroups<DataType::kF32, 1>(reinterpret_cast<const std::byte*>(group), 0, x, row,
                                 RowMask(rows), out);
}

}  // namespace liubai::kernels
