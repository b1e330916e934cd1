#include "kernels/dequantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/half.h"

namespace liubai::kernels {
namespace {

using Bytes = std::vector<std::uint8_t>;

void PutHalf(Bytes& block, std::size_t at, float value) {
  const std::uint16_t half = FloatToHalf(value);
  std::memcpy(block.data() + at, &half, 2);
}

std::vector<float> Dequantize(DataType type, const Bytes& block, std::int64_t elements) {
  std::vector<float> out(static_cast<std::size_t>(elements));
  DequantizeRow(type, reinterpret_cast<const std::byte*>(block.data()), out.data(), elements);
  return out;
}

TEST(DequantizeTest, FloatTypes) {
  const std::vector<float> values = {1.5f, -2.0f, 0.0f, 65504.0f};
  for (const DataType type : {DataType::kF32, DataType::kF16, DataType::kBF16}) {
    Bytes bytes(static_cast<std::size_t>(RowBytes(type, 4)));
    QuantizeRow(type, values.data(), reinterpret_cast<std::byte*>(bytes.data()), 4);
    const auto back = Dequantize(type, bytes, 4);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(back[i], values[i]) << GetDataTypeInfo(type).name;
    EXPECT_NEAR(back[3], 65504.0f, 65504.0f / 256);
  }
}

TEST(DequantizeTest, Q4_0ByHand) {
  Bytes block(18);
  PutHalf(block, 0, 0.5f);
  for (int j = 0; j < 16; ++j) block[2 + j] = static_cast<std::uint8_t>(j | (15 - j) << 4);
  const auto out = Dequantize(DataType::kQ4_0, block, 32);
  for (int j = 0; j < 16; ++j) {
    EXPECT_EQ(out[j], 0.5f * static_cast<float>(j - 8));
    EXPECT_EQ(out[j + 16], 0.5f * static_cast<float>(7 - j));
  }
}

TEST(DequantizeTest, Q4_1ByHand) {
  Bytes block(20);
  PutHalf(block, 0, 0.25f);
  PutHalf(block, 2, -3.0f);
  for (int j = 0; j < 16; ++j) block[4 + j] = static_cast<std::uint8_t>(j | (15 - j) << 4);
  const auto out = Dequantize(DataType::kQ4_1, block, 32);
  for (int j = 0; j < 16; ++j) {
    EXPECT_EQ(out[j], 0.25f * static_cast<float>(j) - 3.0f);
    EXPECT_EQ(out[j + 16], 0.25f * static_cast<float>(15 - j) - 3.0f);
  }
}

TEST(DequantizeTest, Q5_0AndQ5_1ByHand) {
  // Elements 0 and 31 have the fifth bit.
  const std::uint32_t high = 1u | 1u << 31;
  Bytes zero(22), one(24);
  PutHalf(zero, 0, 2.0f);
  std::memcpy(zero.data() + 2, &high, 4);
  PutHalf(one, 0, 2.0f);
  PutHalf(one, 2, 1.0f);
  std::memcpy(one.data() + 4, &high, 4);
  for (int j = 0; j < 16; ++j) zero[6 + j] = one[8 + j] = 0x53;
  const auto out0 = Dequantize(DataType::kQ5_0, zero, 32);
  const auto out1 = Dequantize(DataType::kQ5_1, one, 32);
  for (int j = 0; j < 32; ++j) {
    const int quant = (j < 16 ? 3 : 5) + (j == 0 || j == 31 ? 16 : 0);
    EXPECT_EQ(out0[j], 2.0f * static_cast<float>(quant - 16)) << j;
    EXPECT_EQ(out1[j], 2.0f * static_cast<float>(quant) + 1.0f) << j;
  }
}

TEST(DequantizeTest, Q8_0ByHand) {
  Bytes block(34);
  PutHalf(block, 0, 0.5f);
  for (int j = 0; j < 32; ++j) block[2 + j] = static_cast<std::uint8_t>(j * 8 - 128);
  const auto out = Dequantize(DataType::kQ8_0, block, 32);
  for (int j = 0; j < 32; ++j) EXPECT_EQ(out[j], 0.5f * static_cast<float>(j * 8 - 128));
}

// Packs eight 6-bit scales and minima as the K blocks do, written from the layout's description.
void PackScales(const int* scales, const int* minima, std::uint8_t* packed) {
  for (int j = 0; j < 4; ++j) {
    packed[j] = static_cast<std::uint8_t>(scales[j] | (scales[j + 4] >> 4) << 6);
    packed[j + 4] = static_cast<std::uint8_t>(minima[j] | (minima[j + 4] >> 4) << 6);
    packed[j + 8] = static_cast<std::uint8_t>((scales[j + 4] & 15) | (minima[j + 4] & 15) << 4);
  }
}

constexpr int kScales[8] = {1, 63, 17, 32, 5, 62, 48, 21};
constexpr int kMinima[8] = {0, 9, 63, 31, 16, 47, 33, 60};

TEST(DequantizeTest, Q4_KByHand) {
  Bytes block(144);
  PutHalf(block, 0, 0.5f);
  PutHalf(block, 2, 0.25f);
  PackScales(kScales, kMinima, block.data() + 4);
  const auto quant = [](int i) { return i * 7 % 16; };
  for (int i = 0; i < 256; ++i) {
    block[16 + i / 64 * 32 + i % 32] |= static_cast<std::uint8_t>(quant(i) << (i / 32 % 2 * 4));
  }
  const auto out = Dequantize(DataType::kQ4_K, block, 256);
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(out[i], 0.5f * static_cast<float>(kScales[i / 32] * quant(i)) -
                          0.25f * static_cast<float>(kMinima[i / 32]))
        << i;
  }
}

TEST(DequantizeTest, Q5_KByHand) {
  Bytes block(176);
  PutHalf(block, 0, 0.5f);
  PutHalf(block, 2, 0.25f);
  PackScales(kScales, kMinima, block.data() + 4);
  const auto quant = [](int i) { return i * 11 % 32; };
  for (int i = 0; i < 256; ++i) {
    block[48 + i / 64 * 32 + i % 32] |=
        static_cast<std::uint8_t>((quant(i) & 15) << (i / 32 % 2 * 4));
    block[16 + i % 32] |= static_cast<std::uint8_t>((quant(i) >> 4) << (i / 32));
  }
  const auto out = Dequantize(DataType::kQ5_K, block, 256);
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(out[i], 0.5f * static_cast<float>(kScales[i / 32] * quant(i)) -
                          0.25f * static_cast<float>(kMinima[i / 32]))
        << i;
  }
}

TEST(DequantizeTest, Q6_KByHand) {
  Bytes block(210);
  PutHalf(block, 208, 0.5f);
  for (int j = 0; j < 16; ++j) block[192 + j] = static_cast<std::uint8_t>(j * 16 - 128);
  const auto quant = [](int i) { return i * 13 % 64; };
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128, quarter = i % 128 / 32, lane = i % 32;
    block[half * 64 + quarter % 2 * 32 + lane] |=
        static_cast<std::uint8_t>((quant(i) & 15) << (quarter / 2 * 4));
    block[128 + half * 32 + lane] |= static_cast<std::uint8_t>((quant(i) >> 4) << (quarter * 2));
  }
  const auto out = Dequantize(DataType::kQ6_K, block, 256);
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(out[i], 0.5f * static_cast<float>((i / 16 * 16 - 128) * (quant(i) - 32))) << i;
  }
}

TEST(DequantizeTest, RoundTripsStayWithinHalfAStep) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(32 * 64);
  for (float& v : values) v = normal(random);
  values[40] = 100.0f;  // An outlier makes a coarse block.
  std::fill(values.begin() + 64, values.begin() + 96, 0.0f);
  const auto count = static_cast<std::int64_t>(values.size());
  for (const DataType type : {DataType::kQ8_0, DataType::kQ4_0, DataType::kF16}) {
    Bytes bytes(static_cast<std::size_t>(RowBytes(type, count)));
    QuantizeRow(type, values.data(), reinterpret_cast<std::byte*>(bytes.data()), count);
    const auto back = Dequantize(type, bytes, count);
    for (std::int64_t block = 0; block < count; block += 32) {
      float largest = 0;
      for (int j = 0; j < 32; ++j) largest = std::max(largest, std::fabs(values[block + j]));
      // Q4_0 reaches only 7/8 of the largest magnitude on the other side: one step there.
      const float step = type == DataType::kQ8_0   ? largest / 127 * 0.51f
                         : type == DataType::kQ4_0 ? largest / 8 * 1.01f
                                                   : largest * 0x1p-10f;
      for (int j = 0; j < 32; ++j) {
        EXPECT_LE(std::fabs(back[block + j] - values[block + j]), step)
            << GetDataTypeInfo(type).name << " " << block + j;
      }
    }
  }
}

TEST(DequantizeTest, FindsNonFiniteScalesInEveryType) {
  const float infinity = std::numeric_limits<float>::infinity();
  const struct {
    DataType type;
    std::vector<std::size_t> scales;  // Places of the f16 scales in a block.
  } cases[] = {{DataType::kF16, {0}},     {DataType::kQ4_0, {0}},    {DataType::kQ4_1, {0, 2}},
               {DataType::kQ5_0, {0}},    {DataType::kQ5_1, {0, 2}}, {DataType::kQ8_0, {0}},
               {DataType::kQ4_K, {0, 2}}, {DataType::kQ5_K, {0, 2}}, {DataType::kQ6_K, {208}}};
  for (const auto& c : cases) {
    const DataTypeInfo info = GetDataTypeInfo(c.type);
    for (const std::size_t at : c.scales) {
      for (const float bad : {infinity, -infinity, std::nanf("")}) {
        Bytes data(info.block_bytes * 3);
        EXPECT_EQ(FindNonFiniteBlock(c.type, std::as_bytes(std::span(data))), -1) << info.name;
        PutHalf(data, info.block_bytes * 2 + at, bad);
        EXPECT_EQ(FindNonFiniteBlock(c.type, std::as_bytes(std::span(data))), 2) << info.name;
      }
    }
  }
  std::vector<float> floats = {1.0f, 3e38f, std::nanf("")};
  EXPECT_EQ(FindNonFiniteBlock(DataType::kF32, std::as_bytes(std::span(floats))), 2);
  Bytes brain(4);
  QuantizeRow(DataType::kBF16, floats.data(), reinterpret_cast<std::byte*>(brain.data()), 2);
  EXPECT_EQ(FindNonFiniteBlock(DataType::kBF16, std::as_bytes(std::span(brain))), -1);
  floats[1] = infinity;
  QuantizeRow(DataType::kBF16, floats.data(), reinterpret_cast<std::byte*>(brain.data()), 2);
  EXPECT_EQ(FindNonFiniteBlock(DataType::kBF16, std::as_bytes(std::span(brain))), 1);
}

}  // namespace
}  // namespace liubai::kernels
