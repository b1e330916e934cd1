#include "kernels/matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "core/half.h"
#include "kernels/dequantize.h"

namespace liubai::kernels {
namespace {

constexpr DataType kTypes[] = {DataType::kF32,  DataType::kF16,  DataType::kBF16, DataType::kQ4_0,
                               DataType::kQ4_1, DataType::kQ5_0, DataType::kQ5_1, DataType::kQ8_0,
                               DataType::kQ4_K, DataType::kQ5_K, DataType::kQ6_K};

// Random bytes are a valid block of any type once its half-precision scales are made small and
// finite.
std::vector<std::byte> RandomRows(DataType type, std::int64_t elements, std::mt19937& random) {
  const DataTypeInfo info = GetDataTypeInfo(type);
  std::vector<std::byte> data(static_cast<std::size_t>(RowBytes(type, elements)));
  for (std::byte& b : data) b = static_cast<std::byte>(random());
  std::normal_distribution<float> normal;
  const auto put = [&](std::size_t at, std::uint16_t half) { std::memcpy(&data[at], &half, 2); };
  for (std::size_t at = 0; at < data.size(); at += info.block_bytes) {
    const auto scale = [&] { return FloatToHalf(0.02f * normal(random)); };
    switch (type) {
      case DataType::kF32: {
        const float value = normal(random);
        std::memcpy(&data[at], &value, 4);
        break;
      }
      case DataType::kF16:
        put(at, FloatToHalf(normal(random)));
        break;
      case DataType::kBF16:
        put(at, FloatToBfloat16(normal(random)));
        break;
      case DataType::kQ6_K:
        put(at + 208, scale());
        break;
      default:
        put(at, scale());
        if (type == DataType::kQ4_1 || type == DataType::kQ5_1 || type == DataType::kQ4_K ||
            type == DataType::kQ5_K) {
          put(at + 2, scale());
        }
    }
  }
  return data;
}

struct Aligned {
  explicit Aligned(std::size_t bytes)
      : data(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64))) {}
  ~Aligned() { std::free(data); }
  std::byte* data;
};

class MatMulTest : public ::testing::TestWithParam<CpuIsa> {};

TEST_P(MatMulTest, EveryTypeAndShapeMatchesDoublePrecision) {
  const CpuIsa isa = GetParam();
  if (isa > BestCpuIsa()) GTEST_SKIP() << "this processor lacks " << CpuIsaName(isa);
  ThreadPool pool(2);
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (const DataType type : kTypes) {
    for (const std::int64_t cols : {256, 512, 1536}) {
      for (const std::int64_t rows : {16, 23, 64}) {
        for (const std::int64_t tokens : {1, 2, 3, 7, 16, 33}) {
          const auto data = RandomRows(type, rows * cols, random);
          std::vector<float> weights(static_cast<std::size_t>(rows * cols));
          DequantizeRow(type, data.data(), weights.data(), rows * cols);
          std::vector<float> x(static_cast<std::size_t>(tokens * cols)),
              bias(static_cast<std::size_t>(rows));
          for (float& v : x) v = normal(random);
          for (float& v : bias) v = normal(random);
          auto packed = PackedMatrix::Pack(type, data, rows, cols, pool);
          ASSERT_TRUE(packed.ok()) << packed.status().ToString();
          Aligned quantized(ActivationBytes(tokens, cols));
          const Activations a{tokens, cols, x.data(), cols, quantized.data};
          QuantizeActivations(a, 0, tokens, 0, cols, isa);
          std::vector<float> out(static_cast<std::size_t>(tokens * rows), 1.0f);
          // Two ranges, as two threads would.
          const std::int64_t middle = rows > 16 ? 16 : rows;
          const MatMulOutput output{out.data(), rows, bias.data(), true};
          MatMul(*packed, a, 0, middle, output, isa);
          MatMul(*packed, a, middle, rows, output, isa);
          // The same float weights times activations rounded as the contract says.
          for (std::int64_t t = 0; t < tokens; ++t) {
            std::vector<double> rounded(static_cast<std::size_t>(cols));
            for (std::int64_t b = 0; b < cols; b += 32) {
              float most = 0;
              for (int i = 0; i < 32; ++i) most = std::max(most, std::fabs(x[t * cols + b + i]));
              for (int i = 0; i < 32; ++i) {
                const float value = x[t * cols + b + i];
                rounded[b + i] = packed->is_float() ? value
                                                    : std::lrint(value * (127.0f / most)) *
                                                          (static_cast<double>(most) / 127);
              }
            }
            for (std::int64_t r = 0; r < rows; ++r) {
              double want = 1.0 + bias[r], magnitude = 1.0;
              for (std::int64_t c = 0; c < cols; ++c) {
                const double product = rounded[c] * static_cast<double>(weights[r * cols + c]);
                want += product;
                magnitude += std::fabs(product);
              }
              ASSERT_NEAR(out[t * rows + r], want, 1e-5 * magnitude + 1e-4)
                  << GetDataTypeInfo(type).name << " " << rows << "x" << cols << " tokens "
                  << tokens << " at " << t << "," << r;
            }
          }
          // The exact path reads the file's own bytes.
          std::vector<float> scratch(ExactScratchFloats(cols)), exact(out.size());
          MatMulExact(type, data.data(), a, 0, rows, {exact.data(), rows, nullptr, false}, scratch,
                      isa);
          for (std::int64_t r = 0; r < rows; ++r) {
            double want = 0, magnitude = 1;
            for (std::int64_t c = 0; c < cols; ++c) {
              want += static_cast<double>(x[c]) * static_cast<double>(weights[r * cols + c]);
              magnitude += std::fabs(static_cast<double>(x[c] * weights[r * cols + c]));
            }
            ASSERT_NEAR(exact[r], want, 2e-6 * magnitude) << GetDataTypeInfo(type).name;
          }
        }
      }
    }
  }
}

TEST_P(MatMulTest, ActivationsThatAreNotFiniteMakeNaN) {
  const CpuIsa isa = GetParam();
  if (isa > BestCpuIsa()) GTEST_SKIP() << "this processor lacks " << CpuIsaName(isa);
  ThreadPool pool(1);
  std::mt19937 random(1);
  const auto data = RandomRows(DataType::kQ8_0, 16 * 32, random);
  auto packed = PackedMatrix::Pack(DataType::kQ8_0, data, 16, 32, pool);
  ASSERT_TRUE(packed.ok());
  std::vector<float> x(32, 1.0f), out(16);
  x[3] = INFINITY;
  Aligned quantized(ActivationBytes(1, 32));
  const Activations a{1, 32, x.data(), 32, quantized.data};
  QuantizeActivations(a, 0, 1, 0, 32, isa);
  MatMul(*packed, a, 0, 16, {out.data(), 16}, isa);
  EXPECT_TRUE(std::isnan(out[0]));
}

TEST(PackTest, RefusesShapesAndSizes) {
  ThreadPool pool(1);
  const std::vector<std::byte> data(34);
  EXPECT_FALSE(PackedMatrix::Pack(DataType::kQ8_0, data, 0, 32, pool).ok());
  EXPECT_FALSE(PackedMatrix::Pack(DataType::kQ8_0, data, 1, 33, pool).ok());
  EXPECT_FALSE(PackedMatrix::Pack(DataType::kQ8_0, data, 2, 32, pool).ok());
  EXPECT_TRUE(PackedMatrix::Pack(DataType::kQ8_0, data, 1, 32, pool).ok());
}

INSTANTIATE_TEST_SUITE_P(Isa, MatMulTest,
                         ::testing::Values(CpuIsa::kPortable, CpuIsa::kAvx2, CpuIsa::kAvx512Vnni),
                         [](const auto& info) {
                           return std::to_string(static_cast<int>(info.param));
                         });

}  // namespace
}  // namespace liubai::kernels
