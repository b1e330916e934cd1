// The AVX-512 VNNI path of kernels/matmul.h: one vector is four columns of 16 rows, one instruction
// multiplies it with four activations that are broadcast from memory. A block of weights is
// unpacked once and meets up to 16 tokens, whose sums stay in registers.
#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/matmul_layout.h"

namespace liubai::kernels {
namespace {

inline __m512i LoadQuad(const std::byte* p) { return _mm512_loadu_si512(p); }
inline __m512 LoadHalves(const std::byte* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline __m512 LoadU8(const std::byte* p) {
  return _mm512_cvtepi32_ps(
      _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
inline __m512 LoadS8(const std::byte* p) {
  return _mm512_cvtepi32_ps(
      _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}

// The eight quads of a block as unsigned bytes.
template <DataType kType>
inline void Unpack(const std::byte* tile, __m512i (&quads)[8]) {
  constexpr PackedFormat kFormat = GetPackedFormat(kType);
  if constexpr (kFormat.bits == 8) {
    for (int j = 0; j < 8; ++j) quads[j] = LoadQuad(tile + 64 * j);
    return;
  }
  const __m512i nibble = _mm512_set1_epi8(15);
  for (int j = 0; j < 4; ++j) {
    const __m512i both = LoadQuad(tile + 64 * j);
    quads[j] = _mm512_and_si512(both, nibble);
    quads[j + 4] = _mm512_and_si512(_mm512_srli_epi16(both, 4), nibble);
  }
  if constexpr (kFormat.bits == 5) {
    const __m512i sixteen = _mm512_set1_epi8(16);
    for (int j = 0; j < 8; ++j) {
      std::uint64_t mask;
      std::memcpy(&mask, tile + 256 + 8 * j, 8);
      quads[j] =
          _mm512_mask_or_epi64(quads[j], 0xff, quads[j], _mm512_maskz_mov_epi8(mask, sixteen));
    }
  }
  if constexpr (kFormat.bits == 6) {
    const __m512i high_bits = _mm512_set1_epi8(0x30);
    for (int h = 0; h < 2; ++h) {
      const __m512i high = LoadQuad(tile + 256 + 64 * h);
      quads[4 * h] =
          _mm512_or_si512(quads[4 * h], _mm512_and_si512(_mm512_slli_epi16(high, 4), high_bits));
      quads[4 * h + 1] = _mm512_or_si512(quads[4 * h + 1],
                                         _mm512_and_si512(_mm512_slli_epi16(high, 2), high_bits));
      quads[4 * h + 2] = _mm512_or_si512(quads[4 * h + 2], _mm512_and_si512(high, high_bits));
      quads[4 * h + 3] = _mm512_or_si512(quads[4 * h + 3],
                                         _mm512_and_si512(_mm512_srli_epi16(high, 2), high_bits));
    }
  }
}

struct BlockScales {
  __m512 scale;   // Of columns [0, 16), or of all 32.
  __m512 second;  // Of columns [16, 32); Q6_K only.
  __m512 min;
};

template <DataType kType>
inline BlockScales ReadScales(const std::byte* scales, std::int64_t b) {
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
      out.scale = _mm512_mul_ps(d, LoadS8(p));
      out.second = _mm512_mul_ps(d, LoadS8(p + 16));
    } else {
      const std::byte* p = head + 64 + 32 * (b % 8);
      out.scale = _mm512_mul_ps(d, LoadU8(p));
      out.min =
          _mm512_mul_ps(_mm512_sub_ps(_mm512_setzero_ps(), LoadHalves(head + 32)), LoadU8(p + 16));
    }
  }
  return out;
}

inline __m512i Broadcast(const std::byte* p) {
  std::int32_t value;
  std::memcpy(&value, p, 4);
  return _mm512_set1_epi32(value);
}
inline float Float(const std::byte* p) {
  float value;
  std::memcpy(&value, p, 4);
  return value;
}

inline void Write(const MatMulOutput& out, std::int64_t token, std::int64_t row, __mmask16 rows,
                  __m512 value) {
  float* place = out.data + token * out.stride + row;
  if (out.bias != nullptr)
    value = _mm512_add_ps(value, _mm512_maskz_loadu_ps(rows, out.bias + row));
  if (out.accumulate) value = _mm512_add_ps(value, _mm512_maskz_loadu_ps(rows, place));
  _mm512_mask_storeu_ps(place, rows, value);
}

// Tokens [t, t + T) of a tile `width` wide whose activations begin at `tile`; sums [T].
template <DataType kType, int T>
inline void Product(const std::byte* scales, const std::byte* quants, std::int64_t blocks,
                    const std::byte* tile, std::int64_t width, std::int64_t t, __m512 (&sums)[T]) {
  constexpr PackedFormat kFormat = GetPackedFormat(kType);
  // -128 * sum becomes -zero * sum.
  constexpr int kShift = kFormat.zero == 8    ? 4
                         : kFormat.zero == 16 ? 3
                         : kFormat.zero == 32 ? 2
                                              : 0;
  for (int i = 0; i < T; ++i) sums[i] = _mm512_setzero_ps();
  for (std::int64_t b = 0; b < blocks; ++b) {
    __m512i quads[8];
    const std::byte* quant = quants + b * kFormat.quant_bytes;
    if constexpr (T == 1) {
      for (int line = 0; line < static_cast<int>(kFormat.quant_bytes); line += 64) {
        _mm_prefetch(reinterpret_cast<const char*>(quant + 2048 + line), _MM_HINT_T0);
      }
    }
    Unpack<kType>(quant, quads);
    const BlockScales s = ReadScales<kType>(scales, b);
    const std::byte* block = tile + b * width * kActivationBlockBytes;
    const std::byte* tail = block + 32 * width + 4 * t;
    for (int i = 0; i < T; ++i) {
      const std::byte* q = block + 32 * (t + i);
      const __m512 scale = _mm512_set1_ps(Float(tail + 4 * i));
      __m512i low = _mm512_setzero_si512(), high = _mm512_setzero_si512();
      if constexpr (kFormat.bits == 6) {
        low = _mm512_srai_epi32(Broadcast(tail + 12 * width + 4 * i), kShift);
        high = _mm512_srai_epi32(Broadcast(tail + 16 * width + 4 * i), kShift);
      } else if constexpr (kFormat.zero != 0) {
        low = _mm512_srai_epi32(Broadcast(tail + 8 * width + 4 * i), kShift);
      }
      for (int j = 0; j < 4; ++j) {
        low = _mm512_dpbusd_epi32(low, quads[j], Broadcast(q + 4 * j));
        if constexpr (kFormat.bits == 6 || T == 1) {
          high = _mm512_dpbusd_epi32(high, quads[j + 4], Broadcast(q + 16 + 4 * j));
        } else {
          low = _mm512_dpbusd_epi32(low, quads[j + 4], Broadcast(q + 16 + 4 * j));
        }
      }
      if constexpr (kFormat.bits == 6) {
        const __m512 dot = _mm512_fmadd_ps(_mm512_cvtepi32_ps(high), s.second,
                                           _mm512_mul_ps(_mm512_cvtepi32_ps(low), s.scale));
        sums[i] = _mm512_fmadd_ps(dot, scale, sums[i]);
      } else {
        if constexpr (T == 1) low = _mm512_add_epi32(low, high);
        sums[i] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(low), _mm512_mul_ps(s.scale, scale), sums[i]);
      }
      if constexpr (kFormat.has_min) {
        sums[i] = _mm512_fmadd_ps(s.min, _mm512_set1_ps(Float(tail + 4 * width + 4 * i)), sums[i]);
      }
    }
  }
}

template <DataType kType>
void Quantized(const PackedMatrix& w, const Activations& x, std::int64_t row_begin,
               std::int64_t row_end, const MatMulOutput& out) {
  constexpr PackedFormat kFormat = GetPackedFormat(kType);
  const std::int64_t blocks = w.cols() / kActivationBlock;
  const std::int64_t quant_offset = QuantOffset(kFormat, w.cols());
  for (std::int64_t row = row_begin; row < row_end; row += kRowGroup) {
    const std::byte* scales = w.group(row / kRowGroup);
    const std::byte* quants = scales + quant_offset;
    const auto rows =
        static_cast<__mmask16>(row_end - row < 16 ? (1u << (row_end - row)) - 1 : 0xffff);
    for (std::int64_t tile = 0; tile < x.tokens; tile += kTokenTile) {
      const std::int64_t width = x.tokens - tile < kTokenTile ? x.tokens - tile : kTokenTile;
      const std::byte* activations = x.quantized + tile * blocks * kActivationBlockBytes;
      std::int64_t t = 0;
      const auto step = [&]<int T>() {
        while (width - t >= T) {
          __m512 sums[T];
          Product<kType, T>(scales, quants, blocks, activations, width, t, sums);
          for (int i = 0; i < T; ++i) Write(out, tile + t + i, row, rows, sums[i]);
          t += T;
        }
      };
      step.template operator()<16>();
      step.template operator()<8>();
      step.template operator()<4>();
      step.template operator()<2>();
      step.template operator()<1>();
    }
  }
}

template <DataType kType>
inline __m512 ReadFloats(const std::byte* group, std::int64_t c) {
  if constexpr (kType == DataType::kF32) return _mm512_loadu_ps(group + 64 * c);
  if constexpr (kType == DataType::kF16) return LoadHalves(group + 32 * c);
  const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(group + 32 * c));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

template <DataType kType, int T>
inline void FloatTokens(const std::byte* group, const Activations& x, std::int64_t token,
                        std::int64_t row, __mmask16 rows, const MatMulOutput& out) {
  const float* a = x.x + token * x.x_stride;
  // Two chains a token, so that short batches are not bound by the latency of one.
  __m512 even[T], odd[T];
  for (int i = 0; i < T; ++i) even[i] = odd[i] = _mm512_setzero_ps();
  std::int64_t c = 0;
  for (; c + 2 <= x.cols; c += 2) {
    const __m512 w0 = ReadFloats<kType>(group, c), w1 = ReadFloats<kType>(group, c + 1);
    for (int i = 0; i < T; ++i) {
      even[i] = _mm512_fmadd_ps(w0, _mm512_set1_ps(a[i * x.x_stride + c]), even[i]);
      odd[i] = _mm512_fmadd_ps(w1, _mm512_set1_ps(a[i * x.x_stride + c + 1]), odd[i]);
    }
  }
  if (c < x.cols) {
    const __m512 w0 = ReadFloats<kType>(group, c);
    for (int i = 0; i < T; ++i) {
      even[i] = _mm512_fmadd_ps(w0, _mm512_set1_ps(a[i * x.x_stride + c]), even[i]);
    }
  }
  for (int i = 0; i < T; ++i) Write(out, token + i, row, rows, _mm512_add_ps(even[i], odd[i]));
}

template <DataType kType>
void FloatGroup(const std::byte* group, const Activations& x, std::int64_t row, int count,
                const MatMulOutput& out) {
  const auto rows = static_cast<__mmask16>(count < 16 ? (1u << count) - 1 : 0xffff);
  std::int64_t token = 0;
  for (; token + 8 <= x.tokens; token += 8) FloatTokens<kType, 8>(group, x, token, row, rows, out);
  for (; token + 2 <= x.tokens; token += 2) FloatTokens<kType, 2>(group, x, token, row, rows, out);
  for (; token < x.tokens; ++token) FloatTokens<kType, 1>(group, x, token, row, rows, out);
}

template <DataType kType>
void Floats(const PackedMatrix& w, const Activations& x, std::int64_t row_begin,
            std::int64_t row_end, const MatMulOutput& out) {
  for (std::int64_t row = row_begin; row < row_end; row += kRowGroup) {
    FloatGroup<kType>(w.group(row / kRowGroup), x, row,
                      static_cast<int>(row_end - row < kRowGroup ? row_end - row : kRowGroup), out);
  }
}

}  // namespace

void QuantizeActivationsAvx512(const Activations& a, std::int64_t token_begin,
                               std::int64_t token_end, std::int64_t col_begin,
                               std::int64_t col_end) {
  const std::int64_t blocks = a.cols / kActivationBlock;
  for (std::int64_t token = token_begin; token < token_end; ++token) {
    const std::int64_t tile = token / kTokenTile * kTokenTile;
    const std::int64_t width = a.tokens - tile < kTokenTile ? a.tokens - tile : kTokenTile;
    const std::int64_t t = token - tile;
    for (std::int64_t b = col_begin / 32; b < col_end / 32; ++b) {
      const float* x = a.x + token * a.x_stride + 32 * b;
      const __m512 x0 = _mm512_loadu_ps(x), x1 = _mm512_loadu_ps(x + 16);
      const __m512 magnitude0 = _mm512_abs_ps(x0), magnitude1 = _mm512_abs_ps(x1);
      const __m512 limit = _mm512_set1_ps(std::numeric_limits<float>::max());
      const bool finite = (_mm512_cmp_ps_mask(magnitude0, limit, _CMP_LE_OQ) &
                           _mm512_cmp_ps_mask(magnitude1, limit, _CMP_LE_OQ)) == 0xffff;
      const float largest = _mm512_reduce_max_ps(_mm512_max_ps(magnitude0, magnitude1));
      const bool zero = !finite || largest < 0x1p-100f;
      const float scale =
          finite ? (zero ? 0.0f : largest / 127.0f) : std::numeric_limits<float>::quiet_NaN();
      const __m512 inverse = _mm512_set1_ps(zero ? 0.0f : 127.0f / largest);
      const __mmask16 keep = zero ? 0 : 0xffff;
      const __m512i q0 = _mm512_maskz_cvtps_epi32(keep, _mm512_mul_ps(x0, inverse));
      const __m512i q1 = _mm512_maskz_cvtps_epi32(keep, _mm512_mul_ps(x1, inverse));
      std::byte* block = a.quantized + (tile * blocks + b * width) * kActivationBlockBytes;
      _mm_storeu_si128(reinterpret_cast<__m128i*>(block + 32 * t), _mm512_cvtepi32_epi8(q0));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(block + 32 * t + 16), _mm512_cvtepi32_epi8(q1));
      const int sum0 = _mm512_reduce_add_epi32(q0), sum1 = _mm512_reduce_add_epi32(q1);
      const float floats[2] = {scale, scale * static_cast<float>(sum0 + sum1)};
      const std::int32_t integers[3] = {-128 * (sum0 + sum1), -128 * sum0, -128 * sum1};
      std::byte* tail = block + 32 * width + 4 * t;
      for (int i = 0; i < 2; ++i) std::memcpy(tail + 4 * i * width, &floats[i], 4);
      for (int i = 0; i < 3; ++i) std::memcpy(tail + 4 * (i + 2) * width, &integers[i], 4);
    }
  }
}

void MatMulAvx512(const PackedMatrix& w, const Activations& x, std::int64_t row_begin,
                  std::int64_t row_end, const MatMulOutput& out) {
  switch (w.type()) {
    case DataType::kF32:
      return Floats<DataType::kF32>(w, x, row_begin, row_end, out);
    case DataType::kF16:
      return Floats<DataType::kF16>(w, x, row_begin, row_end, out);
    case DataType::kBF16:
      return Floats<DataType::kBF16>(w, x, row_begin, row_end, out);
    case DataType::kQ4_0:
      return Quantized<DataType::kQ4_0>(w, x, row_begin, row_end, out);
    case DataType::kQ4_1:
      return Quantized<DataType::kQ4_1>(w, x, row_begin, row_end, out);
    case DataType::kQ5_0:
      return Quantized<DataType::kQ5_0>(w, x, row_begin, row_end, out);
    case DataType::kQ5_1:
      return Quantized<DataType::kQ5_1>(w, x, row_begin, row_end, out);
    case DataType::kQ8_0:
      return Quantized<DataType::kQ8_0>(w, x, row_begin, row_end, out);
    case DataType::kQ4_K:
      return Quantized<DataType::kQ4_K>(w, x, row_begin, row_end, out);
    case DataType::kQ5_K:
      return Quantized<DataType::kQ5_K>(w, x, row_begin, row_end, out);
    case DataType::kQ6_K:
      return Quantized<DataType::kQ6_K>(w, x, row_begin, row_end, out);
  }
}

void MatMulFloatGroupAvx512(const float* group, const Activations& x, std::int64_t row, int rows,
                            const MatMulOutput& out) {
  FloatGroup<DataType::kF32>(reinterpret_cast<const std::byte*>(group), x, row, rows, out);
}

}  // namespace liubai::kernels
