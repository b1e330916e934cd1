#include "memory/answer_guard.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace liubai::memory {
namespace {

TEST(AsksMemoryTest, TellsQuestionsAboutPeopleFromThoseAboutTheWorld) {
  for (const char* text :
       {"What was the deposit I paid for the kitchen?", "What is my shoe size?",
        "When is Mia's birthday?", "Did I tell you about the piano?", "Where have we parked?",
        "我的牙医叫什么名字？", "我现在每天早上喝什么？", "你还记得那本书吗？",
        "汤姆给他的酸面团取了什么名字？", "婆婆喜欢喝什么茶？"}) {
    EXPECT_TRUE(AsksMemory(text)) << text;
  }
  for (const char* text :
       {"How long do potatoes cook?", "Why did the old map-makers draw monsters in the sea?",
        "My shoe size is 39.", "What's the weather like?", "What should I cook tonight?",
        "晚上我想早点休息，睡前看什么书比较好？", "我的鞋码是39。", "这本书讲什么？"}) {
    EXPECT_FALSE(AsksMemory(text)) << text;
  }
}

// Feeds tokens with their probabilities; returns the text before the refusal, or all of it.
std::pair<std::string, bool> Feed(AnswerGuard& guard,
                                  const std::vector<std::pair<std::string, double>>& tokens) {
  std::string text;
  std::vector<std::string> pieces;
  for (const auto& [piece, probability] : tokens) {
    if (!guard.Accept(piece, probability)) {
      for (std::size_t i = 0; i < guard.tokens_before(); ++i) text += pieces[i];
      return {text, false};
    }
    pieces.push_back(piece);
  }
  for (const std::string& piece : pieces) text += piece;
  return {text, true};
}

const std::vector<std::pair<std::string, double>>& Deposit(double first_digit) {
  static std::vector<std::pair<std::string, double>> tokens;
  tokens = {{"The", 0.5}, {" deposit", 0.9}, {" is", 0.6}, {" $", 0.9}, {"4", first_digit},
            {",", 0.9},   {"2", 0.98},       {"37", 0.99}, {".", 0.4}};
  return tokens;
}

TEST(AnswerGuardTest, LetsPassWhatWasSaidOfTheQuestion) {
  AnswerGuard guard("What was the deposit?", 0.6, {{"I paid a deposit of $4,237.", 1.0}});
  EXPECT_TRUE(Feed(guard, Deposit(0.5)).second);
}

TEST(AnswerGuardTest, WhatWasSaidOfOtherThingsMustBeCertain) {
  const Evidence other{"The roof cost $4,237.", 0.05};
  AnswerGuard guessed("What was the deposit?", 0.6, {other});
  const auto [text, whole] = Feed(guessed, Deposit(0.8));
  EXPECT_FALSE(whole);
  EXPECT_EQ(text, "The deposit is $");
  AnswerGuard certain("What was the deposit?", 0.6, {other});
  EXPECT_TRUE(Feed(certain, Deposit(0.98)).second);
}

TEST(AnswerGuardTest, WhatWasNeverSaidMustBeAllButCertain) {
  AnswerGuard guard("What was the deposit?", 0.6, {{"I paid a deposit of $90.", 1.0}});
  EXPECT_FALSE(Feed(guard, Deposit(0.9)).second);
}

TEST(AnswerGuardTest, WhatWasSaidOfSomebodyElseIsNeverTold) {
  const std::vector<std::pair<std::string, double>> tokens = {
      {"Tom", 1}, {"'s", 1}, {" birthday", 1}, {" is", 1}, {" October", 1}, {" ", 1}, {"14", 1}};
  AnswerGuard other("When is Tom's birthday?", 0.6, {{"Mia was born on October 14.", 0.5}});
  EXPECT_FALSE(Feed(other, tokens).second);
  AnswerGuard both("When is Tom's birthday?", 0.6,
                   {{"Mia was born on October 14.", 0.5}, {"Tom was born on October 14.", 0.5}});
  EXPECT_TRUE(Feed(both, tokens).second);
  // Names are written otherwise there.
  AnswerGuard chinese("When is Tom's birthday?", 0.6, {{"汤姆的生日是 October 14。", 0.5}});
  EXPECT_TRUE(Feed(chinese, tokens).second);
}

TEST(AnswerGuardTest, KnowsANumberInAnySpelling) {
  AnswerGuard chinese("每个月几号之前要付房租？", 0.6, {{"房租每个月五号之前要付。", 0.9}});
  EXPECT_TRUE(Feed(chinese, {{"每月", 0.1}, {"5", 0.6}, {"号", 1}, {"之前", 1}}).second);
  AnswerGuard words("How many rhymes are there?", 0.6, {{"There are thirty-two rhymes.", 0.9}});
  EXPECT_TRUE(Feed(words, {{"There", 1}, {" are", 1}, {" ", 1}, {"3", 0.7}, {"2", 0.9}}).second);
}

TEST(AnswerGuardTest, BreaksOffBeforeTheWholeImprobableValue) {
  AnswerGuard guard("What is the licence plate of our car?", 0.6, {});
  // No digit alone is improbable enough; together they are.
  const auto [text, whole] = Feed(guard, {{"The", 0.8},
                                          {" plate", 0.9},
                                          {" is", 0.99},
                                          {" ", 0.8},
                                          {"5", 0.98},
                                          {"8", 0.98},
                                          {"1", 0.98},
                                          {"2", 0.98}});
  EXPECT_FALSE(whole);
  EXPECT_EQ(text, "The plate is ");
}

TEST(AnswerGuardTest, WatchesNamesButNotThoseOfTheQuestion) {
  AnswerGuard known("Who is Mia's teacher?", 0.6, {});
  EXPECT_TRUE(Feed(known, {{"It", 0.9}, {" is", 0.9}, {" Mia", 0.2}, {"'s", 0.9}}).second);
  AnswerGuard invented("Who is Mia's teacher?", 0.6, {{"Mia's teacher is Mrs. Okafor.", 1.0}});
  const auto [text, whole] = Feed(invented, {{"It", 0.9}, {" is", 0.9}, {" Smith", 0.7}});
  EXPECT_FALSE(whole);
  EXPECT_EQ(text, "It is");
}

TEST(AnswerGuardTest, WatchesChineseWordsButNotTheFrameOfTheSentence) {
  AnswerGuard frame("我的血型是什么？", 0.6, {});
  EXPECT_TRUE(Feed(frame, {{"我的", 0.2}, {"血", 0.3}, {"型", 0.3}, {"是", 0.2}}).second);
  AnswerGuard invented("我的狗是什么颜色的？", 0.6, {});
  const auto [text, whole] = Feed(invented, {{"你的", 0.9}, {"狗", 0.9}, {"是", 0.9}, {"棕", 0.3}});
  EXPECT_FALSE(whole);
  EXPECT_EQ(text, "你的狗是");
}

TEST(AnswerGuardTest, ZeroLetsEverythingPass) {
  AnswerGuard guard("What was the deposit?", 0, {});
  EXPECT_TRUE(Feed(guard, Deposit(0.01)).second);
}

TEST(NamesInTest, FindsCapitalsThatDoNotBeginASentence) {
  EXPECT_EQ(NamesIn("When does Tom's passport expire?"), std::vector<std::string>({"tom"}));
  EXPECT_EQ(NamesIn("Which city do Tom and Mia like?"), std::vector<std::string>({"tom", "mia"}));
  EXPECT_TRUE(NamesIn("What did I pay? Who knows?").empty());
  EXPECT_TRUE(NamesIn("我的名字是什么？").empty());
  EXPECT_TRUE(NamesIn("What do I have to do on Monday, in May?").empty());
}

bool Echoes(const std::string& message, bool asks, const std::vector<std::string>& tokens) {
  EchoWatch watch(message, asks);
  for (const std::string& token : tokens) {
    if (!watch.Accept(token)) return true;
  }
  return watch.undecided() && watch.IsEcho();
}

TEST(EchoWatchTest, SeesAMessageThatIsGivenBack) {
  EXPECT_TRUE(Echoes("Mia asks why the sky is red in the evening.", false,
                     {"Mia", " asks", " why", " the", " sky", " is", " Red"}));
  EXPECT_TRUE(Echoes("她有点晕车，你有什么简单的办法吗？", false,
                     {"她", "有点", "晕车", "。你", "有简单", "的"}));
  EXPECT_TRUE(
      Echoes("When is Mia's birthday?", true, {"When", " is", " Mia", "'s", " birthday", "?"}));
}

TEST(EchoWatchTest, LeavesAnswersAlone) {
  EXPECT_FALSE(Echoes("Mia asks why the sky is red in the evening.", false,
                      {"The", " sky", " is", " red", " because", " of", " dust", "."}));
  EXPECT_FALSE(
      Echoes("我现在每天早上喝什么？", true, {"我", "现在", "每天", "早上", "喝", "龙井", "茶"}));
  EXPECT_FALSE(Echoes("我的牙医叫什么名字？", true, {"我的", "牙医", "叫", "周明远"}));
  EXPECT_FALSE(Echoes("OK", false, {"OK"}));
}

TEST(BreakOffTest, GoesOnFromWhatWasShown) {
  EXPECT_EQ(BreakOff("", false), "I don't know; nothing that I remember tells it.");
  EXPECT_EQ(BreakOff("我的血型是", true), "……我不知道，记忆里没有提到。");
}

}  // namespace
}  // namespace liubai::memory
