#include "engine/sampler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>

namespace liubai::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<int> Counts(const SamplingParams& params, const std::vector<float>& logits, int draws) {
  Sampler sampler(params);
  std::vector<int> counts(logits.size());
  for (int i = 0; i < draws; ++i) {
    std::vector<float> copy = logits;
    const auto id = sampler.Choose(copy, {}, 0);
    EXPECT_TRUE(id.ok()) << id.status().ToString();
    if (!id.ok()) break;
    ++counts[static_cast<std::size_t>(*id)];
  }
  return counts;
}

TEST(SamplingParamsTest, NamesTheFieldAndItsLimits) {
  const auto message = [](auto change) {
    SamplingParams params;
    change(params);
    return params.Validate().message();
  };
  EXPECT_EQ(message([](auto&) {}), "");
  EXPECT_EQ(message([](auto& p) { p.max_tokens = 0; }), "max_tokens is 0; it must be 1 to 1048576");
  EXPECT_EQ(message([](auto& p) { p.temperature = NAN; }),
            "temperature is nan; it must be 0 to 100");
  EXPECT_EQ(message([](auto& p) { p.top_p = 0; }), "top_p is 0; it must be above 0 and at most 1");
  EXPECT_EQ(message([](auto& p) { p.min_p = 2; }), "min_p is 2; it must be 0 to 1");
  EXPECT_EQ(message([](auto& p) { p.top_k = -1; }), "top_k is -1; it must be 0 to 1048576");
  EXPECT_EQ(message([](auto& p) { p.repetition_penalty = 0; }),
            "repetition_penalty is 0; it must be 0.1 to 10");
  EXPECT_EQ(message([](auto& p) { p.stop = {""}; }),
            "stop string 0 has 0 bytes; it must have 1 to 1024");
  EXPECT_EQ(message([](auto& p) {
              p.stop = {"a", "\xff"};
            }),
            "stop string 1 is not valid UTF-8: byte 0xff at offset 0");
  EXPECT_EQ(message([](auto& p) {
              p.logit_bias = {{3, NAN}};
            }),
            "logit_bias of token 3 is nan; it must be finite or -inf");
}

TEST(SamplerTest, GreedyTakesTheFirstOfTheBest) {
  EXPECT_EQ(Counts({}, {1.0f, 3.0f, 3.0f, -kInfinity}, 3), (std::vector<int>{0, 3, 0, 0}));
}

TEST(SamplerTest, FailsByNameOnWhatIsNoNumber) {
  Sampler sampler({});
  std::vector<float> logits = {0.0f, NAN, 1.0f};
  auto id = sampler.Choose(logits, {}, 0);
  ASSERT_FALSE(id.ok());
  EXPECT_EQ(id.status().code(), StatusCode::kNumericError);
  EXPECT_NE(id.status().message().find("token 1 is nan"), std::string::npos);
  logits = {0.0f, 1.0f, kInfinity};
  EXPECT_EQ(sampler.Choose(logits, {}, 0).status().code(), StatusCode::kNumericError);
  logits = {-kInfinity, -kInfinity};
  EXPECT_EQ(sampler.Choose(logits, {}, 0).status().message(), "every token is forbidden");
}

TEST(SamplerTest, DrawsFollowTheProbabilities) {
  SamplingParams params;
  params.temperature = 2.0f;
  params.seed = 11;
  const std::vector<float> logits = {2.0f * std::log(0.5f), 2.0f * std::log(0.3f),
                                     2.0f * std::log(0.2f), -1000.0f};
  const auto counts = Counts(params, logits, 20000);
  // Six standard deviations of a binomial are at most 424.
  EXPECT_NEAR(counts[0], 10000, 424);
  EXPECT_NEAR(counts[1], 6000, 424);
  EXPECT_NEAR(counts[2], 4000, 424);
  EXPECT_EQ(counts[3], 0);
}

TEST(SamplerTest, CutsKeepWhatTheySay) {
  std::vector<float> logits;
  for (const float p : {0.05f, 0.4f, 0.2f, 0.3f, 0.05f}) logits.push_back(std::log(p));
  const auto kept = [&](auto change) {
    SamplingParams params;
    params.temperature = 1.0f;
    params.seed = 5;
    change(params);
    std::vector<int> ids;
    const auto counts = Counts(params, logits, 2000);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0) ids.push_back(static_cast<int>(i));
    }
    return ids;
  };
  EXPECT_EQ(kept([](auto&) {}), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(kept([](auto& p) { p.top_k = 2; }), (std::vector<int>{1, 3}));
  EXPECT_EQ(kept([](auto& p) { p.top_p = 0.65f; }), (std::vector<int>{1, 3}));
  EXPECT_EQ(kept([](auto& p) { p.top_p = 0.75f; }), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(kept([](auto& p) { p.top_p = 0.001f; }), (std::vector<int>{1}));
  EXPECT_EQ(kept([](auto& p) { p.min_p = 0.6f; }), (std::vector<int>{1, 3}));
  EXPECT_EQ(kept([](auto& p) {
              p.logit_bias = {{1, -kInfinity}, {3, -100.0f}};
            }),
            (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(kept([](auto& p) {
              p.mask = [](std::span<float> all, std::span<const TokenId>) {
                for (std::size_t i = 0; i + 1 < all.size(); ++i) all[i] = -kInfinity;
              };
            }),
            (std::vector<int>{4}));
}

// The sequence is part of the contract: the same seed gives the same text on every platform.
TEST(SamplerTest, OneSeedOneSequence) {
  SamplingParams params;
  params.temperature = 1.0f;
  params.seed = 42;
  const std::vector<float> logits(1000, 0.0f);
  const auto draw = [&](const SamplingParams& p) {
    Sampler sampler(p);
    std::vector<TokenId> ids;
    for (int i = 0; i < 5; ++i) {
      std::vector<float> copy = logits;
      ids.push_back(*sampler.Choose(copy, {}, 0));
    }
    return ids;
  };
  EXPECT_EQ(draw(params), (std::vector<TokenId>{741, 159, 278, 344, 38}));
  params.seed = 43;
  EXPECT_NE(draw(params), (std::vector<TokenId>{741, 159, 278, 344, 38}));
}

TEST(SamplerTest, PenaltyAppliesToTheWindowOnly) {
  SamplingParams params;
  params.repetition_penalty = 2.0f;
  params.repetition_window = 2;
  Sampler sampler(params);
  const std::vector<TokenId> history = {2, 0, 1, 1};
  std::vector<float> logits = {1.0f, 4.0f, 3.0f, -1.0f};
  EXPECT_EQ(*sampler.Choose(logits, history, 0), 2);
  EXPECT_EQ(logits, (std::vector<float>{1.0f, 2.0f, 3.0f, -1.0f}));
}

TEST(SamplerTest, CopiesOfTheContextGetLessLikelyTheLongerTheyAre) {
  SamplingParams params;
  params.dry_multiplier = 1.0f;
  params.dry_base = 2.0f;
  params.dry_allowed = 2;
  Sampler sampler(params);
  // 1 2 3 4 stands in the context; generated were 1 2 3: token 4 would go on with the copy.
  const std::vector<TokenId> history = {1, 2, 3, 4, 9, 1, 2, 3};
  std::vector<float> logits(10, 0.0f);
  logits[4] = 1.9f;
  logits[7] = 0.0f;
  ASSERT_EQ(*sampler.Choose(logits, history, 3), 0);
  EXPECT_FLOAT_EQ(logits[4], 1.9f - 2.0f);  // Three copied: 1 * 2^(3 - 2).
  // What the prompt repeats by itself does not count: only generated tokens do.
  logits.assign(10, 0.0f);
  logits[4] = 1.9f;
  EXPECT_EQ(*sampler.Choose(logits, history, 1), 4);
}

TEST(SamplerTest, LargeVocabulariesTakeMilliseconds) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0.0f, 3.0f);
  std::vector<float> logits(151'936);
  for (float& logit : logits) logit = normal(random);
  const auto milliseconds = [&](const SamplingParams& params) {
    Sampler sampler(params);
    std::vector<float> copy;
    double best = 1e9;
    for (int i = 0; i < 10; ++i) {
      copy = logits;
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_TRUE(sampler.Choose(copy, {}, 0).ok());
      best = std::min(
          best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
                    .count());
    }
    return best;
  };
  SamplingParams top_k, top_p;
  top_k.temperature = top_p.temperature = 0.8f;
  top_k.top_k = 40;
  top_p.top_p = 0.95f;
  const double greedy_ms = milliseconds({}), top_k_ms = milliseconds(top_k),
               top_p_ms = milliseconds(top_p);
  std::printf("greedy %.3f ms, top_k %.3f ms, top_p %.3f ms\n", greedy_ms, top_k_ms, top_p_ms);
  EXPECT_LT(greedy_ms, 20.0);
  EXPECT_LT(top_k_ms, 50.0);
  EXPECT_LT(top_p_ms, 100.0);
}

TEST(TextGateTest, StopStringsSplitAcrossTokens) {
  TextGate gate({"</end>", "STOP"});
  EXPECT_EQ(gate.Push("hello </e"), "hello ");
  EXPECT_EQ(gate.Push("m> <"), "</em> ");
  EXPECT_EQ(gate.Push("/end"), "");
  EXPECT_EQ(gate.Push("> more"), "");
  EXPECT_TRUE(gate.stopped());
  EXPECT_EQ(gate.Push("x") + gate.Finish(), "");
}

TEST(TextGateTest, WholeCodePointsOnly) {
  TextGate gate({});
  EXPECT_EQ(gate.Push("a\xe4\xb8"), "a");
  EXPECT_EQ(gate.Push("\xad\xe6"), "中");
  EXPECT_EQ(gate.Finish(), "\xef\xbf\xbd");
}

TEST(TextGateTest, TheCutOfTheTextDoesNotMatter) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    const auto word = [&](unsigned most) {
      std::string text;
      for (unsigned n = 1 + random() % most; n > 0; --n) text.push_back("ab"[random() % 2]);
      return text;
    };
    const std::vector<std::string> stops = {word(6) + "c", word(8) + "a", word(9)};
    const std::string text = word(30) + "c" + word(30);
    // By the definition: the first place where a stop string ends, and the longest that ends there.
    std::string wanted = text;
    for (std::size_t end = 1; end <= text.size() && wanted.size() == text.size(); ++end) {
      std::size_t longest = 0;
      for (const std::string& stop : stops) {
        if (text.substr(0, end).ends_with(stop)) longest = std::max(longest, stop.size());
      }
      if (longest > 0) {
        wanted = text.substr(0, end - longest);
        break;
      }
    }
    TextGate gate(stops);
    std::string shown;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t size = 1 + random() % 5;
      shown += gate.Push(text.substr(i, size));
      i += size;
    }
    shown += gate.Finish();
    ASSERT_EQ(shown, wanted) << text;
  }
}

}  // namespace
}  // namespace liubai::engine
