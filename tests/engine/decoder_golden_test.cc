// The decoder against logits of independent implementations (tests/golden).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/decoder.h"

namespace liubai::engine {
namespace {

class TinyGoldenTest : public ::testing::TestWithParam<const char*> {};

TEST_P(TinyGoldenTest, LogitsAndGreedyTokensAgree) {
  const std::string base = std::string(LIUBAI_SOURCE_DIR "/tests/golden/tiny/tiny-") + GetParam();
  const auto golden = nlohmann::json::parse(std::ifstream(base + ".json"));
  for (const bool exact : {true, false}) {
    for (const int threads : {1, 2, 3}) {
      ThreadPool pool(threads);
      auto model = DecoderModel::Load(base + ".gguf", exact, pool);
      ASSERT_TRUE(model.ok()) << model.status().ToString();
      Decoder decoder(**model, KvFormat::kF16, 256, pool);
      auto kv = KvPool::Create(decoder.groups(), 256, 2, 256, 0);
      ASSERT_TRUE(kv.ok());
      const auto vocabulary = static_cast<std::size_t>((*model)->config().vocabulary);
      int sequence_index = 0;
      for (const auto& sequence : golden["sequences"]) {
        const auto ids = sequence["ids"].get<std::vector<TokenId>>();
        KvSequence tokens(**kv);
        ASSERT_TRUE(tokens.Extend(ids).ok());
        const DecoderInput prompt{&tokens, static_cast<int>(ids.size()), true, true};
        ASSERT_TRUE(decoder.Forward(**kv, std::span(&prompt, 1)).ok());
        tokens.Publish();
        for (const auto& position : sequence["positions"]) {
          const auto want = position["logits"].get<std::vector<float>>();
          ASSERT_EQ(want.size(), vocabulary);
          const std::size_t row = position["pos"].get<std::size_t>() * vocabulary;
          for (std::size_t i = 0; i < vocabulary; ++i) {
            ASSERT_NEAR(decoder.logits()[row + i], want[i], 2e-3)
                << "sequence " << sequence_index << " position " << position["pos"] << " logit "
                << i;
          }
        }
        const auto greedy = sequence["greedy"].get<std::vector<TokenId>>();
        const auto margin = sequence["margin_top2"].get<std::vector<float>>();
        std::span<const float> logits =
            decoder.logits().subspan((ids.size() - 1) * vocabulary, vocabulary);
        for (std::size_t i = 0; i < greedy.size(); ++i) {
          const auto best =
              static_cast<TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin());
          if (margin[i] > 0.01f) {
            ASSERT_EQ(best, greedy[i]) << "sequence " << sequence_index << " token " << i;
          }
          const TokenId next = greedy[i];
          ASSERT_TRUE(tokens.Extend(std::span(&next, 1)).ok());
          const DecoderInput step{&tokens, 1, false, true};
          ASSERT_TRUE(decoder.Forward(**kv, std::span(&step, 1)).ok());
          tokens.Publish();
          logits = decoder.logits();
        }
        ++sequence_index;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, TinyGoldenTest,
                         ::testing::Values("llama", "llama-rope3", "qwen2", "qwen3", "gemma3"));

TEST(DecoderModelTest, RefusesArchitecturesByName) {
  ThreadPool pool(1);
  const auto model =
      DecoderModel::Load(LIUBAI_SOURCE_DIR "/tests/golden/tiny/tiny-mamba.gguf", false, pool);
  EXPECT_EQ(model.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(model.status().message().find("\"mamba\""), std::string::npos);
}

}  // namespace
}  // namespace liubai::engine
