#include "kernels/dequantize.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "core/half.h"

namespace liubai::kernels {
namespace {

// Blocks have no alignment of their own inside a file: every wide load goes through memcpy.
std::uint16_t Load16(const std::uint8_t* bytes) {
  std::uint16_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

std::uint32_t Load32(const std::uint8_t* bytes) {
  std::uint32_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

void Store16(std::uint16_t value, std::uint8_t* bytes) {
  std::memcpy(bytes, &value, sizeof(value));
}

float LoadHalf(const std::uint8_t* bytes) { return HalfToFloat(Load16(bytes)); }

// Element j of a 32-block of nibbles: low nibbles are 0..15, high nibbles 16..31.
int Nibble(const std::uint8_t* quants, int j) {
  return j < 16 ? quants[j] & 0xf : quants[j - 16] >> 4;
}

void DequantizeQ4_0(const std::uint8_t* block, float* out) {
  const float scale = LoadHalf(block);
  for (int j = 0; j < 32; ++j) out[j] = scale * static_cast<float>(Nibble(block + 2, j) - 8);
}

void DequantizeQ4_1(const std::uint8_t* block, float* out) {
  const float scale = LoadHalf(block);
  const float minimum = LoadHalf(block + 2);
  for (int j = 0; j < 32; ++j) {
    out[j] = scale * static_cast<float>(Nibble(block + 4, j)) + minimum;
  }
}

void DequantizeQ5_0(const std::uint8_t* block, float* out) {
  const float scale = LoadHalf(block);
  const std::uint32_t high = Load32(block + 2);
  for (int j = 0; j < 32; ++j) {
    const int quant = Nibble(block + 6, j) | static_cast<int>(high >> j & 1) << 4;
    out[j] = scale * static_cast<float>(quant - 16);
  }
}

void DequantizeQ5_1(const std::uint8_t* block, float* out) {
  const float scale = LoadHalf(block);
  const float minimum = LoadHalf(block + 2);
  const std::uint32_t high = Load32(block + 4);
  for (int j = 0; j < 32; ++j) {
    const int quant = Nibble(block + 8, j) | static_cast<int>(high >> j & 1) << 4;
    out[j] = scale * static_cast<float>(quant) + minimum;
  }
}

void DequantizeQ8_0(const std::uint8_t* block, float* out) {
  const float scale = LoadHalf(block);
  for (int j = 0; j < 32; ++j) {
    out[j] = scale * static_cast<float>(static_cast<std::int8_t>(block[2 + j]));
  }
}

// Eight 6-bit scales and eight 6-bit minima in 12 bytes: the first four of each in the low 6 bits
// of bytes 0..3 and 4..7; of the last four, low nibbles in bytes 8..11, high bits above the first
// ones.
struct ScaleAndMin {
  int scale;
  int minimum;
};
ScaleAndMin UnpackScale(const std::uint8_t* packed, int j) {
  if (j < 4) return {packed[j] & 63, packed[j + 4] & 63};
  return {(packed[j + 4] & 0xf) | (packed[j - 4] >> 6) << 4, (packed[j + 4] >> 4) | (packed[j] >> 6)
                                                                                        << 4};
}

// d, dmin, 12 bytes of scales, 128 bytes of nibbles: each 32 bytes hold two sub-blocks of 32.
void DequantizeQ4_K(const std::uint8_t* block, float* out) {
  const float scale = LoadHalf(block);
  const float minimum = LoadHalf(block + 2);
  for (int j = 0; j < 8; ++j) {
    const ScaleAndMin sub = UnpackScale(block + 4, j);
    const float sub_scale = scale * static_cast<float>(sub.scale);
    const float sub_minimum = minimum * static_cast<float>(sub.minimum);
    const std::uint8_t* quants = block + 16 + j / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const int quant = quants[i] >> (j % 2 * 4) & 0xf;
      out[j * 32 + i] = sub_scale * static_cast<float>(quant) - sub_minimum;
    }
  }
}

// As Q4_K, with 32 bytes of fifth bits before the nibbles: bit j of byte i is element i of
// sub-block j.
void DequantizeQ5_K(const std::uint8_t* block, float* out) {
  const float scale = LoadHalf(block);
  const float minimum = LoadHalf(block + 2);
  const std::uint8_t* high = block + 16;
  for (int j = 0; j < 8; ++j) {
    const ScaleAndMin sub = UnpackScale(block + 4, j);
    const float sub_scale = scale * static_cast<float>(sub.scale);
    const float sub_minimum = minimum * static_cast<float>(sub.minimum);
    const std::uint8_t* quants = block + 48 + j / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const int quant = (quants[i] >> (j % 2 * 4) & 0xf) | (high[i] >> j & 1) << 4;
      out[j * 32 + i] = sub_scale * static_cast<float>(quant) - sub_minimum;
    }
  }
}

// 128 bytes of low nibbles, 64 of high pairs, 16 signed scales (one per 16 elements), d. Each half
// of 128 elements takes 64 + 32 bytes: quarter q of 32 elements has its nibbles in byte 32 * (q %
// 2) + i, low for q < 2, and its high pair at bit 2 * q of byte i.
void DequantizeQ6_K(const std::uint8_t* block, float* out) {
  const float scale = LoadHalf(block + 208);
  for (int half = 0; half < 2; ++half) {
    const std::uint8_t* low = block + half * 64;
    const std::uint8_t* high = block + 128 + half * 32;
    const std::uint8_t* scales = block + 192 + half * 8;
    for (int q = 0; q < 4; ++q) {
      for (int i = 0; i < 32; ++i) {
        const int quant = (low[q % 2 * 32 + i] >> (q / 2 * 4) & 0xf) | (high[i] >> (2 * q) & 3)
                                                                           << 4;
        const float sub_scale =
            static_cast<float>(static_cast<std::int8_t>(scales[2 * q + i / 16]));
        out[half * 128 + q * 32 + i] = scale * sub_scale * static_cast<float>(quant - 32);
      }
    }
  }
}

template <int kElements, int kBytes>
void DequantizeBlocks(void (*block)(const std::uint8_t*, float*), const std::uint8_t* src,
                      float* dst, std::int64_t elements) {
  for (std::int64_t i = 0; i < elements; i += kElements, src += kBytes) block(src, dst + i);
}

void QuantizeQ8_0(const float* in, std::uint8_t* block) {
  float largest = 0;
  for (int j = 0; j < 32; ++j) largest = std::max(largest, std::fabs(in[j]));
  const std::uint16_t half = FloatToHalf(largest / 127.0f);
  Store16(half, block);
  // The stored scale, rounded to f16, is what a reader multiplies with.
  const float scale = HalfToFloat(half);
  const float inverse = scale != 0 ? 1.0f / scale : 0.0f;
  for (int j = 0; j < 32; ++j) {
    const int quant = std::clamp(static_cast<int>(std::lrintf(in[j] * inverse)), -127, 127);
    block[2 + j] = static_cast<std::uint8_t>(static_cast<std::int8_t>(quant));
  }
}

void QuantizeQ4_0(const float* in, std::uint8_t* block) {
  float extreme = 0;
  for (int j = 0; j < 32; ++j) {
    if (std::fabs(in[j]) > std::fabs(extreme)) extreme = in[j];
  }
  // -8 is the only quant without a counterpart: the value of the largest magnitude gets it.
  const std::uint16_t half = FloatToHalf(extreme / -8.0f);
  Store16(half, block);
  const float scale = HalfToFloat(half);
  const float inverse = scale != 0 ? 1.0f / scale : 0.0f;
  const auto quant = [&](int j) {
    return std::clamp(static_cast<int>(std::lrintf(in[j] * inverse)) + 8, 0, 15);
  };
  for (int j = 0; j < 16; ++j) {
    block[2 + j] = static_cast<std::uint8_t>(quant(j) | quant(j + 16) << 4);
  }
}

// An exponent of all ones is an infinity or a NaN.
bool HalfIsFinite(std::uint16_t half) { return (half & 0x7c00) != 0x7c00; }

}  // namespace

void DequantizeRow(DataType type, const std::byte* src, float* dst, std::int64_t elements) {
  assert(GetDataTypeInfo(type).block_elements != 0);
  assert(elements % GetDataTypeInfo(type).block_elements == 0);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(src);
  switch (type) {
    case DataType::kF32:
      std::memcpy(dst, bytes, static_cast<std::size_t>(elements) * sizeof(float));
      return;
    case DataType::kF16:
      for (std::int64_t i = 0; i < elements; ++i) dst[i] = LoadHalf(bytes + 2 * i);
      return;
    case DataType::kBF16:
      for (std::int64_t i = 0; i < elements; ++i) dst[i] = Bfloat16ToFloat(Load16(bytes + 2 * i));
      return;
    case DataType::kQ4_0:
      return DequantizeBlocks<32, 18>(DequantizeQ4_0, bytes, dst, elements);
    case DataType::kQ4_1:
      return DequantizeBlocks<32, 20>(DequantizeQ4_1, bytes, dst, elements);
    case DataType::kQ5_0:
      return DequantizeBlocks<32, 22>(DequantizeQ5_0, bytes, dst, elements);
    case DataType::kQ5_1:
      return DequantizeBlocks<32, 24>(DequantizeQ5_1, bytes, dst, elements);
    case DataType::kQ8_0:
      return DequantizeBlocks<32, 34>(DequantizeQ8_0, bytes, dst, elements);
    case DataType::kQ4_K:
      return DequantizeBlocks<256, 144>(DequantizeQ4_K, bytes, dst, elements);
    case DataType::kQ5_K:
      return DequantizeBlocks<256, 176>(DequantizeQ5_K, bytes, dst, elements);
    case DataType::kQ6_K:
      return DequantizeBlocks<256, 210>(DequantizeQ6_K, bytes, dst, elements);
  }
}

void QuantizeRow(DataType type, const float* src, std::byte* dst, std::int64_t elements) {
  assert(CanQuantizeTo(type));
  assert(elements % GetDataTypeInfo(type).block_elements == 0);
  auto* bytes = reinterpret_cast<std::uint8_t*>(dst);
  switch (type) {
    case DataType::kF32:
      std::memcpy(bytes, src, static_cast<std::size_t>(elements) * sizeof(float));
      return;
    case DataType::kF16:
      for (std::int64_t i = 0; i < elements; ++i) Store16(FloatToHalf(src[i]), bytes + 2 * i);
      return;
    case DataType::kBF16:
      for (std::int64_t i = 0; i < elements; ++i) Store16(FloatToBfloat16(src[i]), bytes + 2 * i);
      return;
    case DataType::kQ8_0:
      for (std::int64_t i = 0; i < elements; i += 32) QuantizeQ8_0(src + i, bytes + i / 32 * 34);
      return;
    case DataType::kQ4_0:
      for (std::int64_t i = 0; i < elements; i += 32) QuantizeQ4_0(src + i, bytes + i / 32 * 18);
      return;
    default:
      return;
  }
}

std::int64_t FindNonFiniteBlock(DataType type, std::span<const std::byte> data) {
  const DataTypeInfo info = GetDataTypeInfo(type);
  assert(info.block_bytes != 0 && data.size() % info.block_bytes == 0);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(data.data());
  const auto blocks = static_cast<std::int64_t>(data.size() / info.block_bytes);
  const auto find = [&](auto finite) -> std::int64_t {
    for (std::int64_t i = 0; i < blocks; ++i) {
      if (!finite(bytes + i * info.block_bytes)) return i;
    }
    return -1;
  };
  using Block = const std::uint8_t*;
  switch (type) {
    case DataType::kF32:
      return find([](Block b) { return (Load32(b) & 0x7f800000) != 0x7f800000; });
    case DataType::kBF16:
      return find([](Block b) { return (Load16(b) & 0x7f80) != 0x7f80; });
    case DataType::kF16:
    case DataType::kQ4_0:
    case DataType::kQ5_0:
    case DataType::kQ8_0:
      return find([](Block b) { return HalfIsFinite(Load16(b)); });
    case DataType::kQ4_1:
    case DataType::kQ5_1:
    case DataType::kQ4_K:
    case DataType::kQ5_K:
      return find([](Block b) { return HalfIsFinite(Load16(b)) && HalfIsFinite(Load16(b + 2)); });
    case DataType::kQ6_K:
      return find([](Block b) { return HalfIsFinite(Load16(b + 208)); });
  }
  return -1;
}

}  // namespace liubai::kernels
