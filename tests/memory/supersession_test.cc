#include "memory/supersession.h"

#include <gtest/gtest.h>

#include "memory/fts_tokenizer.h"

namespace liubai::memory {
namespace {

bool Superseded(std::string_view question, std::string_view earlier, std::string_view later) {
  return Supersedes(later, earlier, QueryTerms(question));
}

TEST(SupersessionTest, SeesAChangeAndACorrection) {
  EXPECT_TRUE(Superseded("我现在每天早上喝什么？", "我每天早上都要喝一杯美式咖啡。",
                         "我不喝美式咖啡了，现在每天早上改喝龙井茶。"));
  EXPECT_TRUE(
      Superseded("What is the code of the bicycle lock?", "The code of the bicycle lock is 118.",
                 "I told you nonsense: the code of the bicycle lock is 181, that is correct now."));
  EXPECT_TRUE(Superseded("Where does my sister work?", "My sister works at the harbour office.",
                         "My sister no longer works at the harbour office; she has a bakery."));
  EXPECT_TRUE(Superseded("我们的聚会在哪天？", "聚会的日子定在星期六下午。",
                         "聚会的日子改到星期天下午了。"));
  EXPECT_TRUE(
      Superseded("合唱音乐会有多少人？", "合唱音乐会有111个人。", "不对，合唱音乐会是190个人。"));
  EXPECT_TRUE(Superseded("我现在每天早上喝什么？",
                         "我每天早上都要喝一杯美式咖啡，不加糖。最近早上还是有点冷。",
                         "我不喝美式咖啡了，现在每天早上改喝龙井茶。"));
  EXPECT_TRUE(Superseded("How many guests come to the fair?", "111 guests come to the fair.",
                         "190 guests come to the fair, I mixed it up."));
}

TEST(SupersessionTest, LeavesWhatIsAboutSomethingElse) {
  // Another lock.
  EXPECT_FALSE(Superseded("What is the code of the bicycle lock?",
                          "The code of the bicycle lock is 118.",
                          "The number of the bus to the harbour changed from 12 to 21."));
  // Said later, but nothing changed.
  EXPECT_FALSE(Superseded("Where does my sister work?", "My sister works at the harbour office.",
                          "I had lunch with my sister near the harbour office."));
  // The earlier turn tells what the later one does not speak of.
  EXPECT_FALSE(Superseded("On which floor is the storage unit?",
                          "The code of the storage unit is 118, it is on the third floor.",
                          "The code of the storage unit has changed, it is 181."));
  EXPECT_FALSE(Superseded("What is the code?", "Did you change the code of the lock?",
                          "The code of the lock has changed."));
  EXPECT_FALSE(Superseded("x", "", ""));
  // Of the sentences on the course, the change is of the other one.
  EXPECT_FALSE(Superseded("What is the fee of the pottery course?",
                          "The pottery course costs $307. The pottery course is in room 5.",
                          "The pottery course has moved to room 9."));
  EXPECT_FALSE(Superseded("折叠工具箱花了多少钱？", "折叠工具箱花了8511元。",
                          "小更新：我嫂子也看到一个折叠工具箱。"));
}

TEST(SupersessionTest, KnowsAQuestionAboutThePast) {
  EXPECT_TRUE(AsksAboutPast("What did I use to drink in the morning?"));
  EXPECT_TRUE(AsksAboutPast("我以前早上喝什么？"));
  EXPECT_TRUE(AsksAboutPast("声乐课最初在哪个教室？"));
  EXPECT_FALSE(AsksAboutPast("What do I drink in the morning?"));
  EXPECT_FALSE(AsksAboutPast("我现在早上喝什么？"));
}

}  // namespace
}  // namespace liubai::memory
