#include "core/reserved_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace liubai {
namespace {

TEST(ReservedMemoryTest, IsAlignedToALargePageAndZeroed) {
  constexpr std::size_t kBytes = (std::size_t{3} << 20) + 5;
  const ReservedMemory memory = ReservedMemory::Reserve(kBytes);
  ASSERT_FALSE(memory.empty());
  EXPECT_EQ(memory.size(), kBytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % (std::uintptr_t{2} << 20), 0u);
  for (std::size_t i = 0; i < kBytes; i += 4093) EXPECT_EQ(memory.data()[i], std::byte{0}) << i;
  memory.data()[kBytes - 1] = std::byte{1};
}

TEST(ReservedMemoryTest, MovesWithItsContent) {
  ReservedMemory first = ReservedMemory::Reserve(4096);
  ASSERT_FALSE(first.empty());
  first.data()[7] = std::byte{42};
  ReservedMemory second = std::move(first);
  EXPECT_TRUE(first.empty());
  EXPECT_EQ(second.data()[7], std::byte{42});
  second = ReservedMemory();
  EXPECT_TRUE(second.empty());
}

TEST(ReservedMemoryTest, IsEmptyWhereTheSystemRefuses) {
  EXPECT_TRUE(ReservedMemory::Reserve(SIZE_MAX).empty());
  EXPECT_TRUE(ReservedMemory::Reserve(std::size_t{1} << 62).empty());
}

}  // namespace
}  // namespace liubai
