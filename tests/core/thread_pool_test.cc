#include "core/thread_pool.h"

#include <gtest/gtest.h>

#include <vector>

namespace liubai {
namespace {

TEST(ThreadPoolTest, RunsEveryMemberOnceAndMeetsAtBarriers) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    ASSERT_EQ(pool.size(), threads);
    std::vector<int> values(static_cast<std::size_t>(threads));
    std::atomic<int> wrong{0};
    for (int round = 1; round <= 200; ++round) {
      pool.Run([&](int member) {
        values[static_cast<std::size_t>(member)] = round;
        pool.Barrier();
        for (const int value : values) wrong += value != round;
        pool.Barrier();
      });
    }
    EXPECT_EQ(wrong.load(), 0);
  }
}

TEST(ThreadPoolTest, SplitWorkCoversAllItemsOnce) {
  for (const std::int64_t count : {0, 1, 15, 16, 17, 1000}) {
    for (const int members : {1, 2, 3, 7}) {
      std::int64_t next = 0;
      for (int member = 0; member < members; ++member) {
        const WorkRange range = SplitWork(count, member, members, 16);
        EXPECT_EQ(range.begin, next);
        EXPECT_TRUE(range.begin % 16 == 0 || range.begin == count);
        next = range.end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

}  // namespace
}  // namespace liubai
