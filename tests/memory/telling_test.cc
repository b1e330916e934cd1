#include "memory/telling.h"

#include <gtest/gtest.h>

#include "memory/fts_tokenizer.h"

namespace liubai::memory {
namespace {

// All words tell as much.
Tellings Tell(std::string_view question, std::vector<std::string_view> texts) {
  const std::vector<std::string> terms = QueryTerms(question);
  const std::vector<double> weights(terms.size(), 1.0);
  return TellingSentences(terms, weights, texts, WantedBy(question));
}

std::vector<std::string> Sentences(const Tellings& tellings) {
  std::vector<std::string> out;
  for (const Telling& one : tellings.sentences) out.push_back(one.sentence);
  return out;
}

TEST(TellingTest, TellsWhetherOneThingIsAskedOrSeveral) {
  EXPECT_EQ(WantedBy("What is the code of the cellar?"), Wanted::kOne);
  EXPECT_EQ(WantedBy("地下室的密码是多少？"), Wanted::kOne);
  EXPECT_EQ(WantedBy("What are the codes of the cellar and the attic?"), Wanted::kParts);
  EXPECT_EQ(WantedBy("地下室和阁楼的密码分别是多少？"), Wanted::kParts);
  EXPECT_EQ(WantedBy("Which books did I read in spring?"), Wanted::kSeveral);
  EXPECT_EQ(WantedBy("How many times did I go swimming?"), Wanted::kSeveral);
}

TEST(TellingTest, TakesASentenceForEachPartInTheOrderOfTheQuestion) {
  const Tellings tellings =
      Tell("What are the codes of the cellar and of the attic?",
           {"It rained. The code of the attic is 4471. We had soup.",
            "The code of the garage is 9920.", "The code of the cellar is 1208, by the way."});
  EXPECT_EQ(Sentences(tellings),
            (std::vector<std::string>{"The code of the cellar is 1208, by the way.",
                                      "The code of the attic is 4471."}));
  EXPECT_EQ(tellings.sentences[0].text, 2u);
  EXPECT_DOUBLE_EQ(tellings.together, 1.0);
  EXPECT_EQ(Sentences(Tell("地下室和阁楼的密码分别是多少？",
                           {"下雨了。阁楼的密码是4471。", "车库的密码是9920。",
                            "对了，地下室的密码是1208。"})),
            (std::vector<std::string>{"对了，地下室的密码是1208。", "阁楼的密码是4471。"}));
}

TEST(TellingTest, TakesTheBestOneWhereOneThingIsAsked) {
  EXPECT_EQ(
      Sentences(Tell("Where does Anna keep the spare key?",
                     {"Ben keeps the spare key in a jar.", "Where does Anna keep the spare key?",
                      "Anna keeps the spare key in a boot."})),
      (std::vector<std::string>{"Anna keeps the spare key in a boot."}));
  EXPECT_TRUE(Tell("What is the licence plate of the car?", {"The car is red."}).sentences.empty());
  EXPECT_TRUE(TellingSentences({}, {}, {}, Wanted::kOne).sentences.empty());
}

TEST(TellingTest, TakesAllOfAKindOnceEach) {
  EXPECT_EQ(
      Sentences(Tell("Which books did I read?", {"I read the book Emma. I read the book Dune.",
                                                 "I read the book Emma.", "The weather was fine."}))
          .size(),
      2u);
}

TEST(TellingTest, SeesWhatAnAnswerLeftOut) {
  const std::string question = "What are the codes of the cellar and of the attic?";
  const Tellings tellings =
      Tell(question, {"The code of the attic is 4471.", "The code of the cellar is 1208."});
  ASSERT_EQ(tellings.sentences.size(), 2u);
  EXPECT_EQ(LeftOut(tellings, question, "The cellar has 1208, the attic 4471."),
            std::vector<std::size_t>{});
  EXPECT_EQ(LeftOut(tellings, question, "The code of the cellar is 1208."),
            std::vector<std::size_t>{1});
  const std::string chinese = "小李小时候和结婚以后住在哪里？";
  const Tellings lived = Tell(chinese, {"小李小时候住在徐州。", "小李结婚以后住在丽江。"});
  ASSERT_EQ(lived.sentences.size(), 2u);
  EXPECT_EQ(LeftOut(lived, chinese, "小李小时候住在丽江。"), std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace liubai::memory
