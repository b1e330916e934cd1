#include "kernels/late_interaction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace liubai::kernels {
namespace {

constexpr CodeLevels kLevels = {-127, -96, -75, -58, -44, -31, -18, -6,
                                6,    18,  31,  44,  58,  75,  96,  127};

// By the definition: no packing, no tables.
std::int64_t Dot(const std::int16_t* question, const std::uint8_t* token, std::int64_t dims) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < dims; ++i) {
    const std::uint8_t byte = token[i % (dims / 2)];
    sum += std::int64_t{question[i]} * kLevels[i < dims / 2 ? byte & 15 : byte >> 4];
  }
  return sum;
}

TEST(LateInteractionTest, EveryInstructionSetGivesTheDefinition) {
  const std::uint32_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (const std::int64_t dims : {64, 128, 192, 256}) {
    for (const std::int64_t questions : {1, 7, 20}) {
      const std::int64_t count = 33;
      std::vector<std::int16_t> question(static_cast<std::size_t>(questions * dims));
      for (std::int16_t& value : question) {
        value = static_cast<std::int16_t>(static_cast<int>(random() % (2 * kMostLateQuestion + 1)) -
                                          kMostLateQuestion);
      }
      // The largest sum that there can be must fit as well.
      std::fill(question.begin(), question.begin() + dims, kMostLateQuestion);
      std::vector<std::uint8_t> tokens(static_cast<std::size_t>(count * dims / 2));
      for (std::uint8_t& byte : tokens) byte = static_cast<std::uint8_t>(random());
      std::fill(tokens.begin(), tokens.begin() + dims / 2, 0xff);
      for (const CpuIsa isa : {CpuIsa::kPortable, CpuIsa::kAvx2, CpuIsa::kAvx512Vnni}) {
        if (static_cast<int>(isa) > static_cast<int>(BestCpuIsa())) continue;
        std::vector<std::int32_t> of_question(static_cast<std::size_t>(questions), -2000000000);
        of_question.back() = 2000000000;  // Of a run before: it stays.
        std::vector<std::int32_t> of_token(static_cast<std::size_t>(count));
        LateInteraction(question.data(), questions, tokens.data(), count, dims, kLevels,
                        of_question.data(), of_token.data(), isa);
        for (std::int64_t q = 0; q < questions; ++q) {
          std::int64_t best = q + 1 == questions ? 2000000000 : -2000000000;
          for (std::int64_t t = 0; t < count; ++t) {
            best = std::max(best, Dot(&question[static_cast<std::size_t>(q * dims)],
                                      &tokens[static_cast<std::size_t>(t * dims / 2)], dims));
          }
          EXPECT_EQ(of_question[static_cast<std::size_t>(q)], best) << "dims " << dims;
        }
        for (std::int64_t t = 0; t < count; ++t) {
          std::int64_t best = -2000000000;
          for (std::int64_t q = 0; q < questions; ++q) {
            best = std::max(best, Dot(&question[static_cast<std::size_t>(q * dims)],
                                      &tokens[static_cast<std::size_t>(t * dims / 2)], dims));
          }
          EXPECT_EQ(of_token[static_cast<std::size_t>(t)], best) << "dims " << dims;
        }
      }
    }
  }
}

}  // namespace
}  // namespace liubai::kernels
