// What the calendar says of a question's events, over a real store.
#include <gtest/gtest.h>

#include <string>

#include "liubai/retrieval.h"
#include "tests/memory/store_fixture.h"

namespace liubai {
namespace {

constexpr std::int64_t kDay = 86400000;
constexpr std::int64_t kMay8 = 1683504000000;  // 2023-05-08 00:00 UTC, a Monday.
constexpr std::int64_t kNoon = kDay / 2;

class DistanceTest : public StoreAndRetriever {
 protected:
  TurnId Say(std::string text, int day, Role role = Role::kUser) {
    NewTurn turn;
    turn.session_id = *store_->EnsureSession("day " + std::to_string(day));
    turn.role = role;
    turn.text = std::move(text);
    turn.time_ms = kMay8 + day * kDay + kNoon;
    auto id = store_->AppendTurn(turn);
    EXPECT_TRUE(id.ok()) << id.status().ToString();
    return id.ok() ? *id : 0;
  }
  RecallResult Ask(std::string text, int day) {
    RecallQuery query;
    query.text = std::move(text);
    query.now_ms = kMay8 + day * kDay;
    auto result = retriever_->Recall(query);
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    return result.ok() ? std::move(*result) : RecallResult();
  }
  static PackedMemories Pack(const RecallResult& result, std::int64_t budget) {
    PackOptions options;
    options.budget_tokens = budget;
    options.count = [](std::string_view text) -> Result<std::int64_t> {
      return static_cast<std::int64_t>(text.size());
    };
    auto packed = PackMemories(result, options);
    EXPECT_TRUE(packed.ok()) << packed.status().ToString();
    return packed.ok() ? std::move(*packed) : PackedMemories();
  }
  // Talk of the same things on other days.
  void SayMuch() {
    Say("I'm thinking about buying a kayak for the summer.", 1);
    Say("My kayak needs a new paddle and a dry bag.", 20);
    Say("The lamp in the hall flickers.", 3);
    Say("Let us talk about dinner.", 9);
  }
};

TEST_F(DistanceTest, SaysHowLongAgoSomethingWas) {
  SayMuch();
  const TurnId bought = Say("Guess what, I bought the kayak yesterday, it is green.", 8);
  const RecallResult result = Ask("How many days ago did I buy the kayak?", 30);
  ASSERT_TRUE(result.distance.has_value());
  ASSERT_EQ(result.distance->events.size(), 1u);
  EXPECT_EQ(result.distance->events[0].turn, bought);
  EXPECT_NE(result.distance->text.find("2023-05-15"), std::string::npos) << "the day before";
  EXPECT_NE(result.distance->text.find("23 days ago"), std::string::npos) << result.distance->text;
  const PackedMemories packed = Pack(result, 2000);
  EXPECT_TRUE(packed.text.ends_with(result.distance->text + "\n")) << packed.text;
  const PackedMemories small = Pack(result, 90);
  EXPECT_EQ(small.text.find("by the calendar"), std::string::npos) << "no room for it";
  EXPECT_LE(small.tokens, 90);
}

TEST_F(DistanceTest, CountsBetweenTwoEventsInEitherOrder) {
  SayMuch();
  const TurnId signed_lease = Say("Today I signed the lease of the flat in Porto.", 5);
  const TurnId moved = Say("We moved in today, boxes everywhere in the flat.", 33);
  for (const char* question :
       {"How many weeks passed between the day I signed the lease and the day we moved in?",
        "How many weeks passed between the day we moved in and the day I signed the lease?",
        "How many weeks before we moved in did I sign the lease?"}) {
    const RecallResult result = Ask(question, 60);
    ASSERT_TRUE(result.distance.has_value()) << question;
    ASSERT_EQ(result.distance->events.size(), 2u);
    EXPECT_EQ(result.distance->events[0].turn, signed_lease) << question;
    EXPECT_EQ(result.distance->events[1].turn, moved) << question;
    EXPECT_NE(result.distance->text.find("4 weeks (28 days)"), std::string::npos)
        << result.distance->text;
  }
}

TEST_F(DistanceTest, TellsWhichCameFirst) {
  Say("I finished the pottery course today.", 12);
  Say("I just finished my thesis on tides!", 2);
  const RecallResult result =
      Ask("Which did I finish first, the pottery course or the thesis on tides?", 40);
  ASSERT_TRUE(result.distance.has_value());
  const std::string& text = result.distance->text;
  EXPECT_LT(text.find("thesis"), text.find("pottery")) << text;
}

TEST_F(DistanceTest, AnswersInChinese) {
  Say("今天签了租约，房子在三楼。", 5);
  Say("今天终于搬进新家了。", 33);
  Say("晚饭吃什么好呢。", 12);
  const RecallResult result = Ask("从签租约到搬进新家隔了多少天？", 60);
  ASSERT_TRUE(result.distance.has_value());
  EXPECT_NE(result.distance->text.find("28 天"), std::string::npos) << result.distance->text;
  // What was asked and not answered is stored as well, and tells of nothing.
  Say("从签租约到搬进新家隔了多少天？", 50);
  Say("从签租约到搬进新家隔了我不知道，记忆里没有提到。", 50, Role::kAssistant);
  const RecallResult again = Ask("从签租约到搬进新家隔了多少天？", 60);
  ASSERT_TRUE(again.distance.has_value());
  EXPECT_NE(again.distance->text.find("28 天"), std::string::npos) << again.distance->text;
}

TEST_F(DistanceTest, SaysNothingOfWhatNobodyTold) {
  SayMuch();
  Say("I bought the kayak today.", 8);
  EXPECT_FALSE(Ask("How many days ago did I sell the violin?", 30).distance.has_value());
  EXPECT_FALSE(
      Ask("How many days passed between the day I bought the kayak and the day I sold the violin?",
          30)
          .distance.has_value());
  EXPECT_FALSE(Ask("How many days ago did I sell the kayak?", 30).distance.has_value())
      << "bought, never sold";
  EXPECT_FALSE(Ask("How many days ago did I buy the kayak?", 4).distance.has_value())
      << "it had not happened yet";
  EXPECT_FALSE(Ask("What colour is the kayak?", 30).distance.has_value());
}

}  // namespace
}  // namespace liubai
