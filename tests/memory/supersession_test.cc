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
}

TEST(SupersessionTest, KnowsAQuestionAboutThePast) {
  EXPECT_TRUE(AsksAboutPast("What did I use to drink in the morning?"));
  EXPECT_TRUE(AsksAboutPast("我以前早上喝什么？"));
  EXPECT_FALSE(AsksAboutPast("What do I drink in the morning?"));
  EXPECT_FALSE(AsksAboutPast("我现在早上喝什么？"));
}

}  // namespace
}  // namespace liubai::memory
