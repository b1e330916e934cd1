#include "tools/policy_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace liubai::tools {
namespace {

PolicyScore Score(double tokens, int found) {
  PolicyScore score;
  score.questions = 10;
  score.found = found;
  score.prompt_tokens = tokens;
  return score;
}

// The smaller the mark, the smaller the prompt; below 0.8 a question less is answered.
Result<std::vector<PolicyScore>> Steep(const CompactionPolicy& policy) {
  return std::vector<PolicyScore>{Score(1000 * policy.high_mark, policy.high_mark < 0.8 ? 7 : 8)};
}

TEST(FitPolicy, FindsABetterOneAndNeverOneThatRecallsLess) {
  const auto fit = FitPolicy(Steep, 200, 5, {});
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit->tried, 200);
  EXPECT_GT(fit->refused, 0);
  EXPECT_GT(fit->fitted.reward, fit->start.reward);
  EXPECT_GE(fit->policy.high_mark, 0.8);
  EXPECT_LT(fit->policy.high_mark, 0.82);
  EXPECT_EQ(fit->fitted.recall, fit->start.recall);
  EXPECT_TRUE(fit->policy.Validate().ok());
}

TEST(FitPolicy, TheSameSeedGivesTheSamePolicy) {
  const auto text = [](std::uint64_t seed) {
    PolicyFile file;
    file.policy = FitPolicy(Steep, 60, seed, {})->policy;
    return FormatPolicy(file);
  };
  EXPECT_EQ(text(3), text(3));
  EXPECT_NE(text(3), text(4));
}

TEST(FitPolicy, WhatIsFixedStays) {
  const auto fit = FitPolicy(Steep, 60, 5, {}, {"high_mark", "kind_weights"});
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit->policy.high_mark, CompactionPolicy().high_mark);
  EXPECT_TRUE(fit->policy.kind_weights.empty());
  const auto wrong = FitPolicy(Steep, 60, 5, {}, {"colour"});
  EXPECT_EQ(wrong.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(wrong.status().message().find("\"colour\""), std::string::npos);
}

TEST(FitPolicy, AFailureEndsTheSearch) {
  int calls = 0;
  const auto fit = FitPolicy(
      [&](const CompactionPolicy& policy) -> Result<std::vector<PolicyScore>> {
        if (++calls == 4) return Status(StatusCode::kCancelled, "interrupted");
        return Steep(policy);
      },
      100, 1, {});
  EXPECT_EQ(fit.status().code(), StatusCode::kCancelled);
  EXPECT_EQ(calls, 4);
}

TEST(FitPolicy, APolicyWithoutRoomInTheWindowIsPassedOver) {
  const auto fit = FitPolicy(
      [&](const CompactionPolicy& policy) -> Result<std::vector<PolicyScore>> {
        if (policy.high_mark < CompactionPolicy().high_mark) {
          return Status(StatusCode::kResourceExhausted, "too small for its parts");
        }
        return Steep(policy);
      },
      60, 5, {});
  ASSERT_TRUE(fit.ok()) << fit.status().ToString();
  EXPECT_EQ(fit->tried, 60);
  EXPECT_GT(fit->no_room, 0);
  EXPECT_EQ(fit->policy.high_mark, CompactionPolicy().high_mark);
}

TEST(FitPolicy, WhateverItTriesIsValid) {
  const auto fit = FitPolicy(
      [](const CompactionPolicy& policy) -> Result<std::vector<PolicyScore>> {
        EXPECT_TRUE(policy.Validate().ok()) << policy.Validate().ToString();
        EXPECT_GT(policy.high_mark - policy.low_mark, 0.099);
        // Everything is better than what was before: the walk goes far.
        static double tokens = 1e9;
        return std::vector<PolicyScore>{Score(tokens *= 0.99, 5)};
      },
      400, 9, {});
  ASSERT_TRUE(fit.ok());
}

TEST(Bootstrap, TheIntervalHoldsTheMean) {
  std::vector<double> differences;
  for (int i = 0; i < 40; ++i) differences.push_back(1 + 0.5 * std::sin(i * 1.7));
  const PairedDifference paired = Bootstrap(differences, 1);
  EXPECT_LT(paired.interval.low, paired.mean);
  EXPECT_GT(paired.interval.high, paired.mean);
  EXPECT_GT(paired.interval.low, 0.8);
  EXPECT_LT(paired.interval.high, 1.2);
  const PairedDifference constant = Bootstrap(std::vector<double>(5, 2.0), 1);
  EXPECT_NEAR(constant.interval.low, 2, 1e-12);
  EXPECT_NEAR(constant.interval.high, 2, 1e-12);
  EXPECT_EQ(Bootstrap({}, 1).mean, 0);
}

TEST(MeasurePolicy, RunsAConversationThroughTheAgent) {
  const auto lives = GeneratedConversations(42, 2, 12);
  ASSERT_TRUE(lives.ok()) << lives.status().ToString();
  EXPECT_NE(HashOf(*lives), HashOf(*GeneratedConversations(43, 2, 12)));
  EXPECT_EQ(HashOf(*lives), HashOf(*GeneratedConversations(42, 2, 12)));
  const auto& life = lives->front();
  ASSERT_GT(life.questions.size(), 5u);
  const auto score = MeasurePolicy({}, life, 1024, {});
  ASSERT_TRUE(score.ok()) << score.status().ToString();
  EXPECT_EQ(score->questions, static_cast<int>(life.questions.size()));
  EXPECT_GT(score->found * 2, score->questions);
  EXPECT_GT(score->compactions, 1);
  EXPECT_LE(score->most_essences_tokens, 1024 / 6);
  EXPECT_GT(score->prompt_tokens, 100);
  EXPECT_LT(score->prompt_tokens, 1024);
  // The parameters reach the agent: less of the window is filled, and compacted more often.
  CompactionPolicy small;
  small.high_mark = 0.4;
  small.low_mark = 0.2;
  const auto less = MeasurePolicy(small, life, 1024, {});
  ASSERT_TRUE(less.ok()) << less.status().ToString();
  EXPECT_LT(less->prompt_tokens, score->prompt_tokens);
  EXPECT_GT(less->compactions, score->compactions);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_EQ(MeasurePolicy({}, life, 1024, stopped.get_token()).status().code(),
            StatusCode::kCancelled);
}

class ReadConversationsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = ScratchFolder::Make();
    ASSERT_TRUE(folder.ok());
    folder_.emplace(std::move(*folder));
  }
  std::string Write(const std::string& name, std::string_view text) {
    const std::string path = folder_->path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  std::optional<ScratchFolder> folder_;
};

TEST_F(ReadConversationsTest, SessionsAreConversations) {
  const std::string turns = Write("c.jsonl",
                                  R"({"role":"user","content":"The rent is $900.","session":"a"}
{"role":"user","content":"And the flat is small.","session":"a"}
{"role":"assistant","content":"Noted.","session":"a"}
{"role":"user","content":"The boat is blue.","session":"b"}
)");
  const std::string questions =
      Write("q.jsonl", R"({"question":"What is the rent?","accept":["$900"],"session":"a"}

{"question":"Which colour has the boat?","accept":["blue"]}
{"question":"Who is Tom?","answerable":false}
)");
  const auto known = ReadConversations(turns, questions);
  ASSERT_TRUE(known.ok()) << known.status().ToString();
  ASSERT_EQ(known->size(), 2u);
  ASSERT_EQ((*known)[0].exchanges.size(), 1u);
  EXPECT_EQ((*known)[0].exchanges[0].user, "The rent is $900.\nAnd the flat is small.");
  EXPECT_EQ((*known)[0].exchanges[0].assistant, "Noted.");
  EXPECT_EQ((*known)[0].questions.size(), 2u);
  EXPECT_EQ((*known)[1].questions.size(), 1u);
  const auto score = MeasurePolicy({}, known->front(), 512, {});
  ASSERT_TRUE(score.ok()) << score.status().ToString();
  EXPECT_EQ(score->found, 1) << "the rent, and not the other's boat";

  const std::string other =
      Write("other.jsonl", R"({"question":"Why?","accept":["so"],"session":"nobody"})");
  const auto wrong = ReadConversations(turns, other);
  EXPECT_EQ(wrong.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(wrong.status().message().find("nobody"), std::string::npos);
  const auto bad = ReadConversations(Write("bad.jsonl", "{}"), questions);
  EXPECT_EQ(bad.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(bad.status().message().find("bad.jsonl"), std::string::npos);
}

}  // namespace
}  // namespace liubai::tools
