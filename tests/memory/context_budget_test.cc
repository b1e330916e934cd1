#include "memory/context_budget.h"

#include <random>

#include "core/text.h"
#include "gtest/gtest.h"

namespace liubai::memory {
namespace {

// A tokenizer that is easy to reason about: three bytes a token.
int Count(std::string_view text) { return static_cast<int>((text.size() + 2) / 3); }

TEST(ContextBudget, PartsNeverExceedTheWindow) {
  for (int window : {256, 257, 512, 1000, 2048, 4096, 8192, 131072}) {
    for (bool with_memory : {true, false}) {
      const auto plan = PlanBudget(window, {}, with_memory);
      ASSERT_TRUE(plan.ok()) << window << ": " << plan.status().ToString();
      EXPECT_GE(plan->Turns(plan->blocks, plan->essences), plan->least_turns);
      EXPECT_EQ(plan->Turns(plan->blocks, plan->essences) + plan->blocks + plan->essences +
                    plan->recalled + plan->reply,
                window);
    }
  }
}

TEST(ContextBudget, RefusesWhatCannotBe) {
  const auto small = PlanBudget(255, {}, true);
  EXPECT_EQ(small.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(small.status().message().find("255"), std::string::npos);
  const auto blocks = PlanBudget(2048, {.blocks_tokens = 2000}, true);
  EXPECT_EQ(blocks.status().code(), StatusCode::kResourceExhausted);
  EXPECT_NE(blocks.status().message().find("2000"), std::string::npos);
  EXPECT_EQ(PlanBudget(2048, {.reply_tokens = -1}, true).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(PlanBudget(2048, {.high_mark = 0.4, .low_mark = 0.5}, true).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(ContextBudget, NamesBlocksThatAreTooLarge) {
  const auto plan = PlanBudget(2048, {}, true);
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(CheckPrefix(*plan, 100, plan->blocks - 100, plan->essences).ok());
  const Status status = CheckPrefix(*plan, 100, plan->blocks - 99, 0);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find(std::to_string(plan->blocks)), std::string::npos)
      << status.message();
  EXPECT_EQ(CheckPrefix(*plan, 100, 0, 2000).code(), StatusCode::kResourceExhausted);
}

TEST(ContextBudget, KeepsHeadAndTailOfWhatIsTooLong) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + " 长城\n";
  bool shortened = false;
  const std::string fitted = FitText(text, 100, 17, Count, &shortened);
  EXPECT_TRUE(shortened);
  EXPECT_LE(Count(fitted), 100);
  EXPECT_GE(Count(fitted), 80);
  EXPECT_TRUE(fitted.starts_with("line 0"));
  EXPECT_TRUE(fitted.ends_with("line 999 长城\n"));
  EXPECT_NE(fitted.find("turn 17"), std::string::npos);
  EXPECT_EQ(FindInvalidUtf8(fitted), std::string_view::npos);

  EXPECT_EQ(FitText("short", 100, 17, Count, &shortened), "short");
  EXPECT_FALSE(shortened);
}

TEST(ContextBudget, FitsAnyTextInAnyBudget) {
  const unsigned seed = 7;
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    const int length = static_cast<int>(random() % 3000);
    while (static_cast<int>(text.size()) < length) {
      AppendUtf8(random() % 3 == 0 ? 0x4E00 + static_cast<int>(random() % 5000)
                                   : 'a' + static_cast<int>(random() % 26),
                 text);
    }
    const int budget = 40 + static_cast<int>(random() % 300);
    const std::string fitted = FitText(text, budget, 99, Count, nullptr);
    ASSERT_LE(Count(fitted), budget);
    ASSERT_EQ(FindInvalidUtf8(fitted), std::string_view::npos);
    if (Count(text) <= budget) {
      ASSERT_EQ(fitted, text);
    }
  }
}

TEST(ContextBudget, DoesNotTokenizeMegabytesWhole) {
  const std::string text(5 << 20, 'x');
  std::size_t most = 0;
  const auto count = [&](std::string_view part) {
    most = std::max(most, part.size());
    return Count(part);
  };
  EXPECT_LE(Count(FitText(text, 200, 1, count, nullptr)), 200);
  EXPECT_LT(most, 10'000u);
}

}  // namespace
}  // namespace liubai::memory
