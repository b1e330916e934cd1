#include "liubai/policy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "liubai/agent.h"
#include "memory/context_budget.h"
#include "memory/essence.h"

namespace liubai {
namespace {

int Count(std::string_view text) { return static_cast<int>((text.size() + 3) / 4); }

std::string WithPolicy(std::string_view policy) {
  return R"({"format": "liubai-policy", "version": 1, "policy": )" + std::string(policy) + "}";
}

TEST(Policy, WhatIsWrittenIsReadAgain) {
  PolicyFile file;
  file.policy.high_mark = 0.7;
  file.policy.low_mark = 0.4;
  file.policy.essences_share = 0.123;
  file.policy.fine_essences = 5;
  file.policy.kind_weights = {{"money", 2.5}, {"name", 0}};
  file.provenance = {
      "lives, seeds 1 to 9", std::string(64, 'a'), 7, 60, "abc", "2024-03-04", 1.5, 1.75};
  const std::string text = FormatPolicy(file);
  const auto read = ParsePolicy(text, "p.json");
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(FormatPolicy(*read), text);
  EXPECT_EQ(read->policy.KindWeight("money"), 2.5);
  EXPECT_EQ(read->policy.KindWeight("name"), 0);
  EXPECT_EQ(read->policy.KindWeight("rule"), 1);
  EXPECT_EQ(read->provenance.data, "lives, seeds 1 to 9");
  EXPECT_EQ(read->provenance.reward_fitted, 1.75);
}

TEST(Policy, WhatIsNotThereIsTheDefault) {
  const auto read = ParsePolicy(WithPolicy(R"({"fan_out": 6})"), "p.json");
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->policy.fan_out, 6);
  EXPECT_EQ(read->policy.high_mark, CompactionPolicy().high_mark);
}

TEST(Policy, AMalformedFileIsNamedWithItsFault) {
  struct Case {
    std::string text;
    std::string_view fault;
  };
  const Case cases[] = {
      {"", "not JSON"},
      {"{", "not JSON"},
      {"[1]", "not a JSON object"},
      {R"({"policy": {}})", "\"format\""},
      {R"({"format": "gguf", "version": 1, "policy": {}})", "\"format\""},
      {R"({"format": "liubai-policy", "version": 2, "policy": {}})", "\"version\" is 2"},
      {R"({"format": "liubai-policy", "policy": {}})", "\"version\" is not there"},
      {R"({"format": "liubai-policy", "version": 1})", "\"policy\""},
      {WithPolicy("[]"), "\"policy\""},
      {WithPolicy(R"({"hihg_mark": 0.8})"), "hihg_mark"},
      {WithPolicy(R"({"high_mark": "0.8"})"), "high_mark"},
      {WithPolicy(R"({"high_mark": 1.8})"), "high_mark is 1.8; it must be 0.05..1"},
      {WithPolicy(R"({"high_mark": 0.4, "low_mark": 0.5})"), "low_mark 0.5 must be below"},
      {WithPolicy(R"({"fan_out": 1})"), "fan_out is 1; it must be 2..16"},
      {WithPolicy(R"({"fan_out": 2.5})"), "fan_out is 2.5, not a whole number"},
      {WithPolicy(R"({"fine_essences": 1000000})"), "fine_essences"},
      {WithPolicy(R"({"kind_weights": {"colour": 1}})"), "\"colour\""},
      {WithPolicy(R"({"kind_weights": {"money": -1}})"), "money is -1; it must be 0..10"},
      {WithPolicy(R"({"kind_weights": {"money": null}})"), "money"},
      {WithPolicy(R"({"kind_weights": 3})"), "kind_weights"},
      {R"({"format": "liubai-policy", "version": 1, "policy": {}, "provenance": 3})", "provenance"},
      {R"({"format": "liubai-policy", "version": 1, "policy": {}, "provenance": {"seed": "x"}})",
       "seed"},
  };
  for (const Case& one : cases) {
    const auto read = ParsePolicy(one.text, "p.json");
    ASSERT_FALSE(read.ok()) << one.text;
    EXPECT_EQ(read.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(read.status().message().find("p.json"), std::string::npos)
        << read.status().ToString();
    EXPECT_NE(read.status().message().find(one.fault), std::string::npos)
        << read.status().ToString();
  }
  EXPECT_EQ(LoadPolicy("/nonexistent/p.json").status().code(), StatusCode::kNotFound);
  CompactionPolicy policy;
  policy.summary_share = std::nan("");
  EXPECT_FALSE(policy.Validate().ok());
  policy = {};
  policy.kind_weights = {{"money", 1}, {"money", 2}};
  EXPECT_FALSE(policy.Validate().ok());
}

TEST(Policy, SharesBecomeBudgetsWhereNoneIsSet) {
  CompactionPolicy policy;
  policy.high_mark = 0.7;
  policy.low_mark = 0.3;
  policy.essences_share = 0.25;
  policy.recalled_share = 0.1;
  WindowBudgets budgets;
  budgets.recalled_tokens = 77;
  memory::ApplyPolicy(policy, 2000, &budgets);
  EXPECT_EQ(budgets.essences_tokens, 500);
  EXPECT_EQ(budgets.recalled_tokens, 77);
  EXPECT_EQ(budgets.high_mark, 0.7);
  EXPECT_EQ(budgets.low_mark, 0.3);
  // The default is what the agent does without one.
  WindowBudgets with, without;
  memory::ApplyPolicy(CompactionPolicy(), 2048, &with);
  const auto planned = memory::PlanBudget(2048, with, true);
  const auto plain = memory::PlanBudget(2048, without, true);
  ASSERT_TRUE(planned.ok() && plain.ok());
  EXPECT_EQ(planned->essences, plain->essences);
  EXPECT_EQ(planned->recalled, plain->recalled);
  EXPECT_EQ(planned->high_mark, plain->high_mark);
}

TEST(Policy, WeightsDecideWhichSentencesStay) {
  Turn turn;
  turn.id = 1;
  turn.role = Role::kUser;
  turn.text = "The roof of the shed cost $4,237. The train to Porto leaves at 14:05 from there.";
  const auto extract = [&](const CompactionPolicy& policy) {
    return memory::ExtractSummary({turn}, 16, Count, {}, policy);
  };
  CompactionPolicy policy;
  policy.kind_weights = {{"money", 10}, {"time", 0}, {"name", 0}};
  EXPECT_NE(extract(policy).find("$4,237"), std::string::npos) << extract(policy);
  policy.kind_weights = {{"money", 0}, {"time", 10}, {"name", 10}};
  EXPECT_NE(extract(policy).find("14:05"), std::string::npos) << extract(policy);
}

}  // namespace
}  // namespace liubai
