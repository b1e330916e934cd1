// The parts of benchmarks that can be wrong without a model: scores, texts, pictures, statistics.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tools/answer_score.h"
#include "tools/bench_scores.h"
#include "tools/heat_map.h"
#include "tools/needle_text.h"
#include "tools/paired.h"
#include "tools/question_groups.h"

namespace liubai::tools {
namespace {

TEST(AnswerScore, LocomosF1IsOverStemsWithoutArticlesAndPunctuation) {
  EXPECT_DOUBLE_EQ(LocomoScore(4, "the red kite", "A red kite."), 1);
  EXPECT_DOUBLE_EQ(LocomoScore(4, "running", "she runs"), 2 * 0.5 * 1 / 1.5);
  EXPECT_DOUBLE_EQ(LocomoScore(4, "4,237 dollars", "4237 dollars"), 1);
  EXPECT_DOUBLE_EQ(LocomoScore(4, "a cello", "a violin"), 0);
  EXPECT_DOUBLE_EQ(LocomoScore(4, "cello", ""), 0);
  // Each word counts once for each time it stands there.
  EXPECT_DOUBLE_EQ(LocomoScore(2, "May", "May May May"), 0.5);
}

TEST(AnswerScore, LocomosCategoriesAreScoredInTheirOwnWays) {
  // Two parts of three are found, whatever their order.
  EXPECT_NEAR(LocomoScore(1, "tea, books, a drum", "books, tea"), 2.0 / 3, 1e-9);
  EXPECT_LT(LocomoScore(4, "tea, books, a drum", "books, tea"), 1);
  EXPECT_DOUBLE_EQ(LocomoScore(3, "likely yes; she said that she would", "Likely yes"), 1);
  EXPECT_LT(LocomoScore(4, "likely yes; she said that she would", "Likely yes"), 1);
  EXPECT_DOUBLE_EQ(LocomoScore(5, "", "That was not mentioned."), 1);
  EXPECT_DOUBLE_EQ(LocomoScore(5, "", "In Lisbon."), 0);
}

TEST(AnswerScore, AContainedAnswerIsWholeWordsInOrder) {
  EXPECT_TRUE(ContainsAnswer("7 May 2023", "It was on 7 May, 2023, I think."));
  EXPECT_FALSE(ContainsAnswer("7 May 2023", "It was on 17 May 2023."));
  EXPECT_TRUE(ContainsAnswer("three", "She has 3 cats"));
  EXPECT_FALSE(ContainsAnswer("art", "the party"));
  EXPECT_FALSE(ContainsAnswer("", "anything"));
}

TEST(AnswerScore, LongMemEvalIsCheckedByType) {
  EXPECT_TRUE(LongMemRight("multi-session", false, "3", "You have three of them."));
  EXPECT_FALSE(LongMemRight("multi-session", false, "3", "You have 13 of them."));
  const std::string days = "7 days. 8 days (including the last day) is also acceptable.";
  EXPECT_TRUE(LongMemRight("temporal-reasoning", false, days, "8 days"));
  EXPECT_TRUE(LongMemRight("temporal-reasoning", false, days, "six days"));
  EXPECT_FALSE(LongMemRight("temporal-reasoning", false, days, "5 days"));
  EXPECT_FALSE(LongMemRight("multi-session", false, "7 days", "8 days"));
  EXPECT_TRUE(LongMemRight("single-session-user", false, "Green Valley", "At the green valley."));
  EXPECT_FALSE(LongMemRight("single-session-user", false, "Green Valley", "In a valley."));
  EXPECT_TRUE(LongMemRight("single-session-user", true, "never said",
                           "You did not mention that."
                           " I don't know."));
  EXPECT_FALSE(LongMemRight("single-session-user", true, "never said", "Four."));
  const std::string gold =
      "I suggested to water the orchids with melted ice once every 9 days in winter.";
  EXPECT_TRUE(LongMemRight("single-session-assistant", false, gold,
                           "To water orchids with melted ice every 9 days in winter, I suggested"));
  EXPECT_FALSE(
      LongMemRight("single-session-assistant", false, gold,
                   "To water orchids with melted ice every 6 days in winter, I suggested"));
  EXPECT_FALSE(LongMemRight("single-session-assistant", false, gold, "Water them every 9 days."));
  EXPECT_FALSE(LongMemCheckable("single-session-preference"));
}

TEST(NeedleText, TheSameSeedGivesTheSameTextAndALongerOneBeginsWithIt) {
  for (const bool chinese : {false, true}) {
    FillerSentences one(chinese, 7), two(chinese, 7), other(chinese, 8);
    std::set<std::string> sentences;
    int same = 0, differing = 0;
    for (int i = 0; i < 400; ++i) {
      const std::string sentence = one.Next();
      same += sentence == two.Next();
      differing += sentence != other.Next();
      sentences.insert(sentence);
    }
    EXPECT_EQ(same, 400);
    EXPECT_GT(differing, 350);
    EXPECT_GT(sentences.size(), 350u);  // Hardly anything is said twice.
  }
}

TEST(NeedleText, WhatIsAskedStandsAtItsDepthAndTheRestDoesNotMove) {
  for (const bool chinese : {false, true}) {
    std::vector<std::string> sentences;
    FillerSentences filler(chinese, 3);
    for (int i = 0; i < 100; ++i) sentences.push_back(filler.Next());
    const auto lines = [&](double depth) {
      return Paragraphs(sentences, MakeHaystack(chinese, 3, depth).needles, chinese, 2);
    };
    const auto where = [](const std::vector<std::string>& paragraphs, const std::string& text) {
      for (std::size_t i = 0; i < paragraphs.size(); ++i) {
        if (paragraphs[i].find(text) != std::string::npos) return static_cast<int>(i);
      }
      return -1;
    };
    const Haystack start = MakeHaystack(chinese, 3, 0);
    ASSERT_EQ(start.questions.size(), std::size(kNeedleTasks));
    const std::string code = start.questions[0].references[0];
    ASSERT_EQ(lines(0).size(), 50u);
    EXPECT_EQ(where(lines(0), code), 0);
    EXPECT_EQ(where(lines(0.5), code), 25);
    EXPECT_EQ(where(lines(1), code), 49);
    for (const NeedleQuestion& question : start.questions) {
      for (const std::string& reference : question.references) {
        EXPECT_GE(where(lines(0), reference), 0) << reference;
        EXPECT_EQ(question.question.find(reference), std::string::npos) << question.question;
        // The filler alone answers nothing.
        EXPECT_EQ(where(sentences, reference), -1) << reference;
      }
    }
    // What only looks alike stays where it was.
    int moved = 0;
    const Haystack end = MakeHaystack(chinese, 3, 1);
    for (std::size_t i = 0; i < start.needles.size(); ++i) {
      EXPECT_EQ(start.needles[i].sentence, end.needles[i].sentence);
      moved += start.needles[i].place != end.needles[i].place;
    }
    EXPECT_GE(moved, 3);
    EXPECT_LE(moved, 7);
  }
}

TEST(NeedleText, ReferencesAreFoundWhateverTheirCase) {
  EXPECT_DOUBLE_EQ(ReferencesFound({"Blue Teapot"}, "in the BLUE teapot."), 1);
  EXPECT_DOUBLE_EQ(ReferencesFound({"AB-1234", "CD-5678"}, "ab-1234 and CD-5679"), 0.5);
  EXPECT_DOUBLE_EQ(ReferencesFound({"茶壶"}, "在茶壶里"), 1);
  EXPECT_DOUBLE_EQ(ReferencesFound({}, "x"), 0);
}

TEST(HeatMap, HasAPanelForEachSystemAndEscapesItsLabels) {
  HeatMap map;
  map.title = "a < b & \"c\"";
  map.note = "n\x01";
  map.columns = {"1k", "2k"};
  map.rows = {"0 %"};
  map.panels = {{"one", {{0.0, 1.0}}}, {"two", {{0.25, std::nullopt}}}};
  const std::string svg = HeatMapSvg(map);
  const auto count = [&](const std::string& text) {
    int n = 0;
    for (std::size_t at = 0; (at = svg.find(text, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(count("class=\"cell\""), 4);
  EXPECT_EQ(count("class=\"panel\""), 2);
  EXPECT_EQ(count("class=\"legend\""), 1);
  EXPECT_NE(svg.find("<title>a &lt; b &amp; &quot;c&quot;</title>"), std::string::npos);
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
  EXPECT_NE(svg.find("#440154"), std::string::npos);  // 0.
  EXPECT_NE(svg.find("#fde725"), std::string::npos);  // 1.
  EXPECT_NE(svg.find("#dddddd"), std::string::npos);  // Not run.
}

TEST(Paired, ChanceAndCertaintyAreToldApart) {
  EXPECT_NEAR(McNemar(1, 9), 22.0 / 1024, 1e-12);
  EXPECT_DOUBLE_EQ(McNemar(0, 0), 1);
  EXPECT_DOUBLE_EQ(McNemar(5, 5), 1);
  const std::vector<double> low(30, 0.25), high(30, 0.5);
  const Paired shift = Pair(low, high);
  EXPECT_DOUBLE_EQ(shift.low, 0.25);
  EXPECT_DOUBLE_EQ(shift.high, 0.25);
  EXPECT_FALSE(shift.binary);
  std::vector<double> a, b;
  for (int i = 0; i < 40; ++i) {
    a.push_back(i % 2);
    b.push_back((i / 2) % 2);
  }
  const Paired chance = Pair(a, b);
  EXPECT_TRUE(chance.binary);
  EXPECT_LT(chance.low, 0);
  EXPECT_GT(chance.high, 0);
}

TEST(BenchScores, ListsAreReadAndRefusedByItem) {
  const auto numbers = ParseNumbers("--lengths", "4,2,4", 1, 8);
  ASSERT_TRUE(numbers.ok());
  EXPECT_EQ(*numbers, (std::vector<int>{4, 2}));
  for (const std::string_view bad : {"", "9", "0", "x", "1,,2", "1 "}) {
    const auto refused = ParseNumbers("--lengths", bad, 1, 8);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_NE(refused.status().message().find("--lengths"), std::string::npos);
  }
  constexpr std::string_view kKnown[] = {"whole", "tiers"};
  EXPECT_EQ(*ParseNames("--systems", "all", kKnown), (std::vector<std::string>{"whole", "tiers"}));
  EXPECT_NE(ParseNames("--systems", "tier", kKnown).status().message().find("'tier'"),
            std::string::npos);
  ScoreSum sum;
  EXPECT_EQ(sum.Text(), "-");
  for (int i = 0; i < 10; ++i) sum.Add(i < 8 ? 1 : 0);
  EXPECT_EQ(sum.ToJson()["score"]["value"], 80);
  EXPECT_NEAR(sum.ToJson()["score"]["low"], 49.02, 0.01);  // Newcombe's formula by hand.
}

TEST(QuestionGroup, GoesByTheFirstKindThatFits) {
  constexpr std::int64_t kMay8 = 1683504000000;
  const auto Group = [&](std::string_view text, std::string_view type = "multi-session") {
    return QuestionGroup(text, type, kMay8);
  };
  EXPECT_EQ(Group("How many bikes did I sell last month?"), "count or total");
  EXPECT_EQ(Group("Can you suggest a hotel?"), "suggestion");
  EXPECT_EQ(Group("Where to?", "single-session-preference"), "suggestion");
  EXPECT_EQ(Group("Whom did I meet three weeks ago?"), "relative date");
  EXPECT_EQ(Group("Where does Rachel live?", "knowledge-update"), "knowledge update");
  EXPECT_EQ(Group("What colour is my car?"), "person fact");
  EXPECT_EQ(Group("Which did I see first, the whale or the seal?"), "several hops");
  EXPECT_EQ(Group("What is a seal?"), "other");
}

}  // namespace
}  // namespace liubai::tools
