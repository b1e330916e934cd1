// Contexts, prefixes, forks, batches, sampling and cancellation on a tiny real model.
#include "liubai/language_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/sampler.h"

namespace liubai {
namespace {

constexpr const char* kTiny = LIUBAI_SOURCE_DIR "/tests/golden/tiny/tiny-qwen2.gguf";

std::vector<TokenId> Pattern(int count, int step) {
  std::vector<TokenId> tokens;
  for (int i = 0; i < count; ++i) tokens.push_back((i * step + 7) % 300 + 10);
  return tokens;
}

class LanguageModelTest : public ::testing::TestWithParam<KvFormat> {
 protected:
  void SetUp() override {
    LanguageModelOptions options;
    options.threads = 2;
    options.context_tokens = 256;
    options.kv_format = GetParam();
    options.prefill_chunk_tokens = 20;
    auto model = LoadLanguageModel(kTiny, options);
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    model_ = std::move(model).value();
  }
  std::unique_ptr<Context> NewContext(std::vector<TokenId> tokens) {
    auto context = std::move(model_->NewContext()).value();
    EXPECT_TRUE(context->Append({SegmentKind::kTurn, 1, std::move(tokens)}).ok());
    return context;
  }
  std::unique_ptr<LanguageModel> model_;
};

SamplingParams Greedy(int tokens) {
  SamplingParams sampling;
  sampling.max_tokens = tokens;
  return sampling;
}

TEST_P(LanguageModelTest, UnchangedPrefixIsNeverComputedTwice) {
  auto first = NewContext(Pattern(100, 3));
  const auto one = first->Generate(Greedy(8));
  ASSERT_TRUE(one.ok()) << one.status().ToString();
  EXPECT_EQ(one->prefilled_tokens, 100);
  // Another context with the same text takes the pages; only the last page's rest is computed.
  auto second = NewContext(Pattern(100, 3));
  const auto two = second->Generate(Greedy(8));
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(two->prefilled_tokens, 100 - 96);
  EXPECT_EQ(two->tokens, one->tokens);
  EXPECT_GT(second->stats().shared_pages, 0);
  // An edit in the middle keeps what lies before it.
  std::vector<Segment> segments = {{SegmentKind::kSystem, 0, Pattern(40, 3)},
                                   {SegmentKind::kTurn, 1, Pattern(30, 5)}};
  ASSERT_TRUE(second->SetSegments(segments).ok());
  EXPECT_EQ(second->stats().computed_tokens, 40);
}

TEST_P(LanguageModelTest, ForkGoesItsOwnWay) {
  auto a = NewContext(Pattern(37, 3));
  ASSERT_TRUE(a->Prefill().ok());
  auto b = std::move(a->Fork()).value();
  ASSERT_TRUE(b->Append({SegmentKind::kTurn, 2, Pattern(9, 11)}).ok());
  ASSERT_TRUE(b->Generate(Greedy(5)).ok());
  const auto after = a->Generate(Greedy(12));
  auto fresh = NewContext(Pattern(37, 3));
  const auto want = fresh->Generate(Greedy(12));
  ASSERT_TRUE(after.ok() && want.ok());
  EXPECT_EQ(after->tokens, want->tokens);
}

TEST_P(LanguageModelTest, BatchEqualsOneByOne) {
  std::vector<std::unique_ptr<Context>> contexts;
  std::vector<LanguageModel::BatchItem> items;
  std::vector<std::vector<TokenId>> want;
  for (int i = 0; i < 3; ++i) {
    auto alone = NewContext(Pattern(20 + 13 * i, 3 + i));
    want.push_back(alone->Generate(Greedy(10 + i))->tokens);
    contexts.push_back(NewContext(Pattern(20 + 13 * i, 3 + i)));
    items.push_back({contexts.back().get(), Greedy(10 + i), {}});
  }
  const auto together = model_->GenerateBatch(items);
  ASSERT_TRUE(together.ok()) << together.status().ToString();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ((*together)[static_cast<std::size_t>(i)].tokens, want[static_cast<std::size_t>(i)]);
  items[1].context = items[0].context;
  EXPECT_EQ(model_->GenerateBatch(items).status().code(), StatusCode::kInvalidArgument);
}

TEST_P(LanguageModelTest, CancelsBetweenStepsAndKeepsWhatWasComputed) {
  auto context = NewContext(Pattern(64, 3));
  int pieces = 0;
  const auto stopped =
      context->Generate(Greedy(100), [&](std::string_view) { return ++pieces < 3; });
  ASSERT_TRUE(stopped.ok());
  EXPECT_EQ(stopped->reason, StopReason::kCancelled);
  EXPECT_EQ(pieces, 3);
  std::stop_source source;
  source.request_stop();
  auto other = NewContext(Pattern(64, 7));
  const auto cancelled = other->Generate(Greedy(5), {}, source.get_token());
  ASSERT_TRUE(cancelled.ok());
  EXPECT_EQ(cancelled->reason, StopReason::kCancelled);
  EXPECT_TRUE(cancelled->tokens.empty());
  EXPECT_EQ(other->Prefill(source.get_token()).code(), StatusCode::kCancelled);
}

TEST_P(LanguageModelTest, SameSeedSameText) {
  SamplingParams sampling = Greedy(30);
  sampling.temperature = 1.0f;
  sampling.top_p = 0.95f;
  sampling.seed = 20;
  const auto one = NewContext(Pattern(30, 3))->Generate(sampling);
  const auto two = NewContext(Pattern(30, 3))->Generate(sampling);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(one->tokens, two->tokens);
}

TEST_P(LanguageModelTest, BadInputIsNamed) {
  auto context = std::move(model_->NewContext()).value();
  EXPECT_EQ(context->Generate(Greedy(1)).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(context->Append({SegmentKind::kTurn, 0, {100000}}).message(),
            "token 100000 is not in the vocabulary of 392");
  EXPECT_EQ(context->Append({SegmentKind::kTurn, 0, Pattern(257, 1)}).message(),
            "257 tokens do not fit a context of 256");
  EXPECT_EQ(context->stats().tokens, 0);
  EXPECT_EQ(LoadLanguageModel(kTiny, {.threads = -1}).status().message(),
            "threads is -1; it must be 0..256");
  EXPECT_EQ(LoadLanguageModel("/nonexistent.gguf").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(LoadLanguageModel(kTiny, {.chat_template = "klingon"}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_P(LanguageModelTest, FullContextEndsTheGeneration) {
  auto context = NewContext(Pattern(250, 3));
  SamplingParams sampling = Greedy(100);
  sampling.logit_bias = {{1, -std::numeric_limits<float>::infinity()}};  // Never ends by itself.
  const auto full = context->Generate(sampling);
  ASSERT_TRUE(full.ok()) << full.status().ToString();
  EXPECT_EQ(full->reason, StopReason::kContextFull);
  EXPECT_EQ(context->stats().tokens, 256);
}

INSTANTIATE_TEST_SUITE_P(Formats, LanguageModelTest,
                         ::testing::Values(KvFormat::kF16, KvFormat::kQ8));

// The decoder shares its work out in several ways, by how many tokens and threads there are: all of
// them compute the same.
TEST_P(LanguageModelTest, TokensInPiecesOfAnySizeGiveTheSameLogits) {
  for (const int threads : {1, 2, 3}) {
    std::vector<float> want;
    for (const int piece : {64, 1, 2, 3, 4, 5, 7, 16}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, pieces of " + std::to_string(piece));
      LanguageModelOptions options;
      options.threads = threads;
      options.context_tokens = 256;
      options.kv_format = GetParam();
      auto model = LoadLanguageModel(kTiny, options);
      ASSERT_TRUE(model.ok()) << model.status().ToString();
      auto context = std::move((*model)->NewContext()).value();
      const std::vector<TokenId> tokens = Pattern(61, 3);
      for (int at = 0; at < 61; at += piece) {
        const auto begin = tokens.begin() + at;
        ASSERT_TRUE(context
                        ->Append({SegmentKind::kTurn, 1,
                                  std::vector<TokenId>(begin, begin + std::min(piece, 61 - at))})
                        .ok());
        ASSERT_TRUE(context->Prefill().ok());
      }
      const auto logits = context->NextLogits();
      ASSERT_TRUE(logits.ok()) << logits.status().ToString();
      if (want.empty()) want = *logits;
      ASSERT_EQ(logits->size(), want.size());
      double most = 0;
      for (std::size_t i = 0; i < want.size(); ++i) {
        most = std::max(most, std::fabs(static_cast<double>((*logits)[i] - want[i])));
      }
      EXPECT_LT(most, 0.05);
    }
  }
}

TEST(SamplerTest, MaskBiasAndPenaltyDecide) {
  std::vector<float> logits = {1.0f, 3.0f, 2.0f, 0.0f};
  SamplingParams params;
  engine::Sampler greedy(params);
  EXPECT_EQ(*greedy.Choose(logits, {}, 0), 1);
  params.mask = [](std::span<float> l, std::span<const TokenId>) {
    l[1] = -std::numeric_limits<float>::infinity();
  };
  EXPECT_EQ(*engine::Sampler(params).Choose(logits, {}, 0), 2);
  params.mask = nullptr;
  params.repetition_penalty = 4.0f;
  logits = {1.0f, 3.0f, 2.0f, 0.0f};
  const TokenId history[] = {1};
  EXPECT_EQ(*engine::Sampler(params).Choose(logits, history, 1), 2);
  logits[0] = NAN;
  EXPECT_EQ(greedy.Choose(logits, {}, 0).status().code(), StatusCode::kNumericError);
}

TEST(SamplerTest, DrawsFollowTheDistribution) {
  SamplingParams params;
  params.temperature = 1.0f;
  params.seed = 5;
  engine::Sampler sampler(params);
  int counts[3] = {};
  for (int i = 0; i < 20000; ++i) {
    std::vector<float> logits = {std::log(0.7f), std::log(0.2f), std::log(0.1f)};
    ++counts[*sampler.Choose(logits, {}, 0)];
  }
  EXPECT_NEAR(counts[0], 14000, 300);
  EXPECT_NEAR(counts[1], 4000, 250);
  params.top_k = 1;
  std::vector<float> logits = {0.0f, 0.1f};
  EXPECT_EQ(*engine::Sampler(params).Choose(logits, {}, 0), 1);
}

TEST(TextGateTest, HoldsBackStopStringsAndHalfCodePoints) {
  engine::TextGate gate({"END"});
  EXPECT_EQ(gate.Push("ab\xe4\xb8"), "ab");
  EXPECT_EQ(gate.Push("\xad"
                      "cE"),
            "中c");
  EXPECT_EQ(gate.Push("N"), "");
  EXPECT_EQ(gate.Push("x"), "ENx");
  EXPECT_EQ(gate.Push("yENDz"), "y");
  EXPECT_TRUE(gate.stopped());
  EXPECT_EQ(gate.Push("more"), "");
  EXPECT_EQ(gate.Finish(), "");
  engine::TextGate broken({});
  EXPECT_EQ(broken.Push("\xe4\xb8"), "");
  EXPECT_EQ(broken.Finish(), "\xef\xbf\xbd\xef\xbf\xbd");
}

}  // namespace
}  // namespace liubai
