// The AVX2 path of kernels/matmul.h: half a vector of the AVX-512 path at a time. The byte product
// of AVX2 adds pairs in 16 bits with saturation, so 8-bit quants are multiplied nibble by nibble.
#include <immintrin.h>

#include <cstring>

#include "kernels/matmul_layout.h"

namespace liubai::kernels {
namespace {

constexpr int kLanes = 8;

inline __m256i LoadBytes32(const std::byte* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
inline __m256 LoadHalves(const std::byte* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline __m256 LoadU8(const std::byte* p) {
  return _mm256_cvtepi32_ps(
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
inline __m256 LoadS8(const std::byte* p) {
  return _mm256_cvtepi32_ps(
      _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
inline float Float(const std::byte* p) {
  float value;
  std::memcpy(&value, p, 4);
  return value;
}
inline std::int32_t Int(const std::byte* p) {
  std::int32_t value;
  std::memcpy(&value, p, 4);
  return value;
}

// Quad j of the eight rows of half `half`.
template <DataType kType>
inline __m256i Quad(const std::byte* tile, int j, int half) {
  constexpr PackedFormat kFormat = GetPackedFormat(kType);
  const __m256i nibble = _mm256_set1_epi8(15);
  __m256i q = LoadBytes32(tile + 64 * (kFormat.bits == 8 ? j : j % 4) + 32 * half);
  if constexpr (kFormat.bits == 8) return q;
  if (j >= 4) q = _mm256_srli_epi16(q, 4);
  q = _mm256_and_si256(q, nibble);
  if constexpr (kFormat.bits == 5) {
    // Byte i of the vector tests bit i of 32.
    const __m256i bits = _mm256_set1_epi32(Int(tile + 256 + 8 * j + 4 * half));
    const __m256i spread =
        _mm256_shuffle_epi8(bits, _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
                                                   2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3));
    const __m256i mask = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ull));
    const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, mask), mask);
    q = _mm256_or_si256(q, _mm256_and_si256(set, _mm256_set1_epi8(16)));
  }
  if constexpr (kFormat.bits == 6) {
    __m256i high = LoadBytes32(tile + 256 + 64 * (j / 4) + 32 * half);
    switch (j % 4) {
      case 0:
        high = _mm256_slli_epi16(high, 4);
        break;
      case 1:
        high = _mm256_slli_epi16(high, 2);
        break;
      case 2:
        break;
      default:
        high = _mm256_srli_epi16(high, 2);
    }
    q = _mm256_or_si256(q, _mm256_and_si256(high, _mm256_set1_epi8(0x30)));
  }
  return q;
}

template <bool kEightBits>
inline __m256i Dot(__m256i sum, __m256i weights, __m256i activations) {
  const __m256i ones = _mm256_set1_epi16(1);
  if constexpr (kEightBits) {
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i low = _mm256_and_si256(weights, nibble);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(weights, 4), nibble);
    const __m256i low_dot = _mm256_madd_epi16(_mm256_maddubs_epi16(low, activations), ones);
    const __m256i high_dot = _mm256_madd_epi16(_mm256_maddubs_epi16(high, activations), ones);
    return _mm256_add_epi32(sum, _mm256_add_epi32(low_dot, _mm256_slli_epi32(high_dot, 4)));
  } else {
    return _mm256_add_epi32(sum,
                            _mm256_madd_epi16(_mm256_maddubs_epi16(weights, activations), ones));
  }
}

inline void Write(const MatMulOutput& out, std::int64_t token, std::int64_t row, int rows,
                  __m256 value) {
  float values[kLanes];
  _mm256_storeu_ps(values, value);
  float* place = out.data + token * out.stride + row;
  for (int r = 0; r < rows; ++r) {
    const float v = values[r] + (out.bias != nullptr ? out.bias[row + r] : 0.0f);
    place[r] = out.accumulate ? place[r] + v : v;
  }
}

template <DataType kType, int T>
inline void Product(const std::byte* scales, const std::byte* quants, int half, std::int64_t blocks,
                    const std::byte* tile, std::int64_t width, std::int64_t t, __m256 (&sums)[T]) {
  constexpr PackedFormat kFormat = GetPackedFormat(kType);
  constexpr int kShift = kFormat.zero == 8    ? 4
                         : kFormat.zero == 16 ? 3
                         : kFormat.zero == 32 ? 2
                                              : 0;
  for (int i = 0; i < T; ++i) sums[i] = _mm256_setzero_ps();
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::byte* quant = quants + b * kFormat.quant_bytes;
    const std::byte* block = tile + b * width * kActivationBlockBytes;
    const std::byte* tail = block + 32 * width + 4 * t;
    __m256 scale[2], min = _mm256_setzero_ps();
    if constexpr (!kFormat.super_blocks) {
      const std::byte* p = scales + b * kFormat.scale_bytes + 16 * half;
      scale[0] = scale[1] = LoadHalves(p);
      if constexpr (kFormat.has_min) min = LoadHalves(p + 32);
    } else {
      const std::byte* head = scales + b / 8 * kFormat.scale_bytes;
      const __m256 d = LoadHalves(head + 16 * half);
      if constexpr (kFormat.bits == 6) {
        const std::byte* p = head + 32 + 32 * (b % 8) + 8 * half;
        scale[0] = _mm256_mul_ps(d, LoadS8(p));
        scale[1] = _mm256_mul_ps(d, LoadS8(p + 16));
      } else {
        const std::byte* p = head + 64 + 32 * (b % 8) + 8 * half;
        scale[0] = scale[1] = _mm256_mul_ps(d, LoadU8(p));
        min = _mm256_mul_ps(_mm256_sub_ps(_mm256_setzero_ps(), LoadHalves(head + 32 + 16 * half)),
                            LoadU8(p + 16));
      }
    }
    for (int part = 0; part < 2; ++part) {
      __m256i dots[T];
      for (int i = 0; i < T; ++i) {
        dots[i] = kFormat.zero == 0
                      ? _mm256_setzero_si256()
                      : _mm256_srai_epi32(
                            _mm256_set1_epi32(Int(tail + (12 + 4 * part) * width + 4 * i)), kShift);
      }
      for (int j = 4 * part; j < 4 * part + 4; ++j) {
        const __m256i q = Quad<kType>(quant, j, half);
        for (int i = 0; i < T; ++i) {
          dots[i] = Dot<kFormat.bits == 8>(dots[i], q,
                                           _mm256_set1_epi32(Int(block + 32 * (t + i) + 4 * j)));
        }
      }
      for (int i = 0; i < T; ++i) {
        sums[i] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots[i]),
                                  _mm256_mul_ps(scale[part], _mm256_set1_ps(Float(tail + 4 * i))),
                                  sums[i]);
      }
    }
    if constexpr (kFormat.has_min) {
      for (int i = 0; i < T; ++i) {
        sums[i] = _mm256_fmadd_ps(min, _mm256_set1_ps(Float(tail + 4 * width + 4 * i)), sums[i]);
      }
    }
  }
}

template <DataType kType>
void Quantized(const PackedMatrix& w, const Activations& x, std::int64_t row_begin,
               std::int64_t row_end, const MatMulOutput& out) {
  const std::int64_t blocks = w.cols() / kActivationBlock;
  const std::int64_t quant_offset = QuantOffset(GetPackedFormat(kType), w.cols());
  for (std::int64_t row = row_begin; row < row_end; row += kRowGroup) {
    const std::byte* scales = w.group(row / kRowGroup);
    for (int half = 0; half < 2 && row + kLanes * half < row_end; ++half) {
      const std::int64_t first = row + kLanes * half;
      const int rows = static_cast<int>(row_end - first < kLanes ? row_end - first : kLanes);
      for (std::int64_t tile = 0; tile < x.tokens; tile += kTokenTile) {
        const std::int64_t width = x.tokens - tile < kTokenTile ? x.tokens - tile : kTokenTile;
        const std::byte* activations = x.quantized + tile * blocks * kActivationBlockBytes;
        std::int64_t t = 0;
        const auto step = [&]<int T>() {
          for (; width - t >= T; t += T) {
            __m256 sums[T];
            Product<kType, T>(scales, scales + quant_offset, half, blocks, activations, width, t,
                              sums);
            for (int i = 0; i < T; ++i) Write(out, tile + t + i, first, rows, sums[i]);
          }
        };
        step.template operator()<4>();
        step.template operator()<1>();
      }
    }
  }
}

template <DataType kType>
inline __m256 ReadFloats(const std::byte* group, std::int64_t c, int half) {
  if constexpr (kType == DataType::kF32) {
    return _mm256_loadu_ps(reinterpret_cast<const float*>(group) + 16 * c + kLanes * half);
  }
  const std::byte* p = group + 32 * c + 16 * half;
  if constexpr (kType == DataType::kF16) return LoadHalves(p);
  return _mm256_castsi256_ps(_mm256_slli_epi32(
      _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))), 16));
}

template <DataType kType>
void FloatGroup(const std::byte* group, const Activations& x, std::int64_t row, int rows,
                const MatMulOutput& out) {
  for (int half = 0; half < 2 && rows > kLanes * half; ++half) {
    const int here = rows - kLanes * half < kLanes ? rows - kLanes * half : kLanes;
    std::int64_t token = 0;
    const auto step = [&]<int T>() {
      for (; token + T <= x.tokens; token += T) {
        const float* a = x.x + token * x.x_stride;
        __m256 sums[T];
        for (int i = 0; i < T; ++i) sums[i] = _mm256_setzero_ps();
        for (std::int64_t c = 0; c < x.cols; ++c) {
          const __m256 w = ReadFloats<kType>(group, c, half);
          for (int i = 0; i < T; ++i) {
            sums[i] = _mm256_fmadd_ps(w, _mm256_set1_ps(a[i * x.x_stride + c]), sums[i]);
          }
        }
        for (int i = 0; i < T; ++i) Write(out, token + i, row + kLanes * half, here, sums[i]);
      }
    };
    step.template operator()<8>();
    step.template operator()<1>();
  }
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

// The plain loop; its time is small beside the product's.
void QuantizeActivationsAvx2(const Activations& a, std::int64_t token_begin, std::int64_t token_end,
                             std::int64_t col_begin, std::int64_t col_end) {
  QuantizeActivationsCpu(a, token_begin, token_end, col_begin, col_end);
}

void MatMulAvx2(const PackedMatrix& w, const Activations& x, std::int64_t row_begin,
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

void MatMulFloatGroupAvx2(const float* group, const Activations& x, std::int64_t row, int rows,
                          const MatMulOutput& out) {
  FloatGroup<DataType::kF32>(reinterpret_cast<const std::byte*>(group), x, row, rows, out);
}

}  // namespace liubai::kernels
