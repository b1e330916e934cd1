#include "kernels/byte_rows.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace liubai::kernels {
namespace {

TEST(ByteRowsTest, EveryInstructionSetGivesTheDefinitionUpToTheLargestSum) {
  const std::uint32_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (const std::int64_t dims : {1, 15, 16, 24, 33, 64, 384, 1024}) {
    const std::int64_t count = 9;
    const std::int32_t most = MostByteQuery(dims);
    std::uniform_int_distribution<int> any(-most, most), byte(-128, 127);
    std::vector<std::int16_t> query(static_cast<std::size_t>(dims));
    std::vector<std::int8_t> rows(static_cast<std::size_t>(count * dims));
    for (auto& value : query) value = static_cast<std::int16_t>(any(random));
    for (auto& value : rows) value = static_cast<std::int8_t>(byte(random));
    for (const bool largest : {false, true}) {
      if (largest) {
        std::fill(query.begin(), query.end(), static_cast<std::int16_t>(-most));
        std::fill(rows.begin(), rows.begin() + dims, std::int8_t{-128});
      }
      for (const CpuIsa isa : {CpuIsa::kPortable, CpuIsa::kAvx2, CpuIsa::kAvx512Vnni}) {
        if (static_cast<int>(isa) > static_cast<int>(BestCpuIsa())) continue;
        std::vector<std::int32_t> sums(static_cast<std::size_t>(count));
        DotByteRows(query.data(), rows.data(), count, dims, sums.data(), isa);
        for (std::int64_t row = 0; row < count; ++row) {
          std::int64_t sum = 0;
          for (std::int64_t i = 0; i < dims; ++i) {
            sum += std::int64_t{query[static_cast<std::size_t>(i)]} *
                   rows[static_cast<std::size_t>(row * dims + i)];
          }
          EXPECT_EQ(sums[static_cast<std::size_t>(row)], sum) << "dims " << dims << " row " << row;
        }
      }
    }
  }
}

}  // namespace
}  // namespace liubai::kernels
