// The generated life: the same for the same seed, and each question is answered by its turn alone.
#include "tools/life_generator.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace liubai::tools {
namespace {

Life Generate(int sessions, std::uint64_t seed, LifeLanguage language) {
  auto life = GenerateLife({sessions, seed, language});
  EXPECT_TRUE(life.ok()) << life.status().ToString();
  return life.ok() ? std::move(*life) : Life();
}

std::vector<Life> Lives() {
  std::vector<Life> lives;
  for (const std::uint64_t seed : {1, 2, 77}) {
    for (const LifeLanguage language :
         {LifeLanguage::kEnglish, LifeLanguage::kChinese, LifeLanguage::kMixed}) {
      lives.push_back(Generate(300, seed, language));
    }
  }
  lives.push_back(Generate(kFewestLifeSessions, 5, LifeLanguage::kMixed));
  lives.push_back(Generate(kMostLifeSessions, 6, LifeLanguage::kMixed));
  return lives;
}

TEST(LifeGeneratorTest, IsTheSameForTheSameSeed) {
  const Life one = Generate(60, 9, LifeLanguage::kMixed);
  const Life same = Generate(60, 9, LifeLanguage::kMixed);
  const Life other = Generate(60, 10, LifeLanguage::kMixed);
  ASSERT_EQ(one.turns.size(), same.turns.size());
  for (std::size_t i = 0; i < one.turns.size(); ++i) {
    EXPECT_EQ(one.turns[i].text, same.turns[i].text);
    EXPECT_EQ(one.turns[i].time_ms, same.turns[i].time_ms);
  }
  ASSERT_EQ(one.details.size(), same.details.size());
  for (std::size_t i = 0; i < one.details.size(); ++i) {
    EXPECT_EQ(one.details[i].question, same.details[i].question);
    EXPECT_EQ(one.details[i].value, same.details[i].value);
  }
  std::set<std::string> texts;
  for (const LifeTurn& turn : one.turns) texts.insert(turn.text);
  std::size_t again = 0;
  for (const LifeTurn& turn : other.turns) again += texts.contains(turn.text);
  EXPECT_LT(again, other.turns.size() / 3);
}

TEST(LifeGeneratorTest, GoesOnInTimeAndByTurns) {
  for (const Life& life : Lives()) {
    ASSERT_FALSE(life.turns.empty());
    std::int64_t before = 0;
    int session = 1;
    for (std::size_t i = 0; i < life.turns.size(); ++i) {
      EXPECT_EQ(life.turns[i].user, i % 2 == 0);
      EXPECT_GT(life.turns[i].time_ms, before);
      EXPECT_FALSE(life.turns[i].text.empty());
      EXPECT_EQ(life.turns[i].text.find('{'), std::string::npos) << life.turns[i].text;
      EXPECT_TRUE(life.turns[i].session == session || life.turns[i].session == session + 1);
      session = life.turns[i].session;
      before = life.turns[i].time_ms;
    }
    EXPECT_EQ(session, life.sessions);
    EXPECT_GT(life.end_ms, before);
  }
}

TEST(LifeGeneratorTest, HoldsEachValueInItsTurnsAndInNoQuestion) {
  for (const Life& life : Lives()) {
    for (const LifeDetail& detail : life.details) {
      SCOPED_TRACE(detail.question + " " + detail.value);
      ASSERT_FALSE(detail.turns.empty());
      EXPECT_FALSE(detail.question.empty());
      EXPECT_EQ(detail.question.find('{'), std::string::npos);
      EXPECT_EQ(detail.question.find("  "), std::string::npos);
      for (const std::size_t turn : detail.turns) {
        ASSERT_LT(turn, life.turns.size());
        EXPECT_TRUE(HoldsValue(life.turns[turn].text, detail.value)) << life.turns[turn].text;
        EXPECT_TRUE(HoldsAnswer(life.turns[turn].text, detail)) << life.turns[turn].text;
        EXPECT_EQ(life.turns[turn].session, detail.session);
      }
      EXPECT_TRUE(life.turns[detail.turns.front()].user);
      EXPECT_FALSE(HoldsAnswer(detail.question, detail));
      EXPECT_EQ(detail.past, detail.superseded_by.has_value());
      if (detail.superseded_by) {
        EXPECT_GT(*detail.superseded_by, detail.turns.front());
        // What takes its place does not answer for it.
        EXPECT_FALSE(HoldsAnswer(life.turns[*detail.superseded_by].text, detail))
            << life.turns[*detail.superseded_by].text;
      }
    }
  }
}

TEST(LifeGeneratorTest, TellsAsMuchLateAsEarlyAndOfManyKinds) {
  const Life life = Generate(300, 3, LifeLanguage::kMixed);
  std::map<int, int> by_tenth;
  std::map<std::string, int> by_kind, by_language;
  std::set<std::string> questions;
  int past = 0;
  for (const LifeDetail& detail : life.details) {
    ++by_tenth[(detail.session - 1) * 10 / life.sessions];
    ++by_kind[detail.kind];
    ++by_language[detail.language];
    past += detail.past;
    questions.insert(detail.question);
  }
  EXPECT_GE(life.details.size(), 500u);
  ASSERT_EQ(by_tenth.size(), 10u);
  for (const auto& [tenth, count] : by_tenth) EXPECT_GE(count, 30) << tenth;
  for (const char* kind : {"money", "date", "time", "number", "name", "place", "identifier",
                           "email", "phone", "url", "preference", "promise", "rule"}) {
    EXPECT_GE(by_kind[kind], 3) << kind;
  }
  EXPECT_GE(by_language["en"], 150);
  EXPECT_GE(by_language["zh"], 150);
  EXPECT_GE(past, 50);
  // Of one question there is one answer.
  EXPECT_EQ(questions.size(), life.details.size());
  // No sentence is said so often that it would be told by its form.
  std::map<std::string, std::size_t> texts;
  std::size_t most = 0;
  for (const LifeTurn& turn : life.turns) {
    if (turn.user) most = std::max(most, ++texts[turn.text]);
  }
  EXPECT_LE(most, 10u);
}

TEST(LifeGeneratorTest, KeepsNumbersAndWordsWhole) {
  EXPECT_TRUE(HoldsValue("I paid $4,237.", "4,237"));
  EXPECT_FALSE(HoldsValue("I paid $14,237.", "4,237"));
  EXPECT_FALSE(HoldsValue("in 2018", "18"));
  EXPECT_FALSE(HoldsValue("18.5 km", "18"));
  EXPECT_TRUE(HoldsValue("No, 18, not 80.", "18"));
  EXPECT_TRUE(HoldsValue("At ACME now", "acme"));
  EXPECT_FALSE(HoldsValue("the Mossgate deal", "moss"));
  EXPECT_TRUE(HoldsValue("房租每月4200元。", "4200元"));
  EXPECT_FALSE(HoldsValue("11月4日", "1月4日"));
  EXPECT_FALSE(HoldsValue("anything", ""));
}

TEST(LifeGeneratorTest, RefusesLivesTooShortAndTooLong) {
  for (const int sessions : {-1, 0, kFewestLifeSessions - 1, kMostLifeSessions + 1}) {
    const auto life = GenerateLife({sessions, 1, LifeLanguage::kEnglish});
    ASSERT_FALSE(life.ok());
    EXPECT_NE(life.status().ToString().find(std::to_string(sessions)), std::string::npos);
  }
}

}  // namespace
}  // namespace liubai::tools
