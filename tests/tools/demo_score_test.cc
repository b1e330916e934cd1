#include "tools/demo_score.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/text.h"

namespace liubai::tools {
namespace {

bool HasChinese(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    if (IsCjkIdeograph(point.value)) return true;
    i += point.length;
  }
  return false;
}

TEST(DemoScoreTest, TheTextsAreBuiltInWhole) {
  const std::string_view talk = DemoConversation();
  EXPECT_GE(std::ranges::count(talk, '\n'), 120);
  EXPECT_EQ(talk.back(), '\n');
  const auto live = DemoLiveTurns();
  ASSERT_TRUE(live.ok()) << live.status().ToString();
  EXPECT_EQ(live->size(), 20u);
  const auto questions = DemoQuestions();
  ASSERT_TRUE(questions.ok()) << questions.status().ToString();
  EXPECT_EQ(questions->size(), 14u);
  EXPECT_EQ(std::ranges::count_if(*questions, [](const auto& q) { return !q.answerable; }), 2);
  EXPECT_EQ(std::ranges::count_if(*questions, [](const auto& q) { return HasChinese(q.question); }),
            7);
}

TEST(DemoScoreTest, AcceptedValuesWereSaidAndEveryQuestionCanBeRight) {
  std::vector<DemoQuestion> all;
  for (const auto& questions : {DemoQuestions(), DemoFurtherQuestions()}) {
    ASSERT_TRUE(questions.ok()) << questions.status().ToString();
    all.insert(all.end(), questions->begin(), questions->end());
  }
  for (const DemoQuestion& question : all) {
    if (!question.answerable) {
      EXPECT_TRUE(IsRight(question, "I don't know.")) << question.question;
      EXPECT_TRUE(IsRight(question, "我不知道，您没有提到过。")) << question.question;
      EXPECT_FALSE(IsRight(question, "It is what it is.")) << question.question;
      continue;
    }
    EXPECT_TRUE(std::ranges::any_of(question.accept, [](const std::string& value) {
      return DemoConversation().find(value) != std::string_view::npos ||
             ToLowerUtf8(DemoConversation()).find(value) != std::string::npos;
    })) << question.question;
    EXPECT_TRUE(IsRight(question, question.accept[0] + " it is.")) << question.question;
    EXPECT_FALSE(IsRight(question, "I don't know.")) << question.question;
    EXPECT_FALSE(IsRight(question, "")) << question.question;
  }
}

TEST(DemoScoreTest, OwnQuestionsAreReadOrRefusedByName) {
  const auto good = ParseDemoQuestions(
      "{\"question\": \"Code?\", \"accept\": [\"5\"]}\n\n"
      "{\"question\": \"Dog?\", \"answerable\": false}\n",
      "mine.jsonl");
  ASSERT_TRUE(good.ok()) << good.status().ToString();
  EXPECT_EQ(good->size(), 2u);
  EXPECT_TRUE(IsRight((*good)[1], "I don't know."));
  for (const char* bad : {"", "x", "[]", "{\"question\": 5}", "{\"accept\": [\"5\"]}",
                          "{\"question\": \"\", \"accept\": [\"5\"]}", "{\"question\": \"Code?\"}",
                          "{\"question\": \"Code?\", \"accept\": \"5\"}",
                          "{\"question\": \"Code?\", \"accept\": [\"5\"], \"forbid\": [\"(\"]}"}) {
    const auto questions = ParseDemoQuestions(bad, "mine.jsonl");
    ASSERT_FALSE(questions.ok()) << bad;
    EXPECT_EQ(questions.status().code(), StatusCode::kInvalidArgument) << bad;
    EXPECT_NE(questions.status().ToString().find("mine.jsonl"), std::string::npos) << bad;
  }
}

TEST(DemoScoreTest, TheOldValueAndTheInventedOneAreWrong) {
  const DemoQuestion code{"code?", true, {"5812"}, {"5821"}};
  EXPECT_TRUE(IsRight(code, "The code is 5812."));
  EXPECT_TRUE(IsRight(code, "The code is ５８１２."));  // Full-width digits.
  EXPECT_FALSE(IsRight(code, "The code is 5821."));
  EXPECT_FALSE(IsRight(code, "It was 5821 and is 5812."));
  const auto questions = DemoQuestions();
  ASSERT_TRUE(questions.ok());
  for (const DemoQuestion& question : *questions) {
    if (question.answerable) continue;
    EXPECT_FALSE(IsRight(question, "I am not sure, but it is ABC-1234, 血型是O型。"))
        << question.question;
  }
}

}  // namespace
}  // namespace liubai::tools
