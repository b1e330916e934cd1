// Tokenisers and chat templates against two reference implementations (tests/golden/tokens-*.json),
// and language models against float32 oracles (tests/golden/logits-*.json). Needs model files.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/chat_template.h"
#include "engine/gguf.h"
#include "engine/model_store.h"
#include "engine/tokenizer.h"
#include "liubai/language_model.h"

namespace liubai::engine {
namespace {

std::string ModelPath(const std::string& file) { return engine::ModelsFolder() + "/" + file; }

struct GoldenModel {
  const char* file;
  const char* golden;
};
void PrintTo(const GoldenModel& model, std::ostream* out) { *out << model.golden; }

class ModelGoldenTest : public ::testing::TestWithParam<GoldenModel> {
 protected:
  void SetUp() override {
    path_ = ModelPath(GetParam().file);
    if (!std::ifstream(path_)) GTEST_SKIP() << "model file " << path_ << " is not there";
  }
  nlohmann::json Golden(const std::string& kind) const {
    return nlohmann::json::parse(std::ifstream(LIUBAI_SOURCE_DIR "/tests/golden/" + kind + "-" +
                                               GetParam().golden + ".json"));
  }
  std::string path_;
};

TEST_P(ModelGoldenTest, EveryStringHasTheReferenceIds) {
  auto file = GgufFile::Open(path_);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  auto data = LoadTokenizerData(*file);
  ASSERT_TRUE(data.ok()) << data.status().ToString();
  auto tokenizer = Tokenizer::Create(*data);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  const auto golden = Golden("tokens");
  int checked = 0;
  for (const auto& item : golden["strings"]) {
    const auto text = item["text"].get<std::string>();
    EXPECT_EQ((*tokenizer)->Encode(text, {.parse_special = true}),
              item["ids"].get<std::vector<TokenId>>())
        << text;
    ++checked;
  }
  EXPECT_GT(checked, 80);
  if (!golden.contains("chat") || golden["chat"].empty()) return;
  auto jinja = file->GetStringOr("tokenizer.chat_template", "");
  ASSERT_TRUE(jinja.ok());
  if (jinja->empty()) return;
  auto chat = ChatTemplate::Recognize(*jinja, "", **tokenizer);
  ASSERT_TRUE(chat.ok()) << chat.status().ToString();
  for (const auto& item : golden["chat"]) {
    std::vector<TokenId> ids;
    const auto append = [&](const std::vector<TokenId>& more) {
      ids.insert(ids.end(), more.begin(), more.end());
    };
    const auto& messages = item["messages"];
    std::size_t first = messages[0]["role"] == "system" ? 1 : 0;
    const std::string system = first == 1 ? messages[0]["content"].get<std::string>() : "";
    append(chat->Start(**tokenizer, system));
    append(chat->First(**tokenizer, system, messages[first]["content"].get<std::string>()));
    while (++first < messages.size()) {
      append(chat->Message(**tokenizer, messages[first]["role"].get<std::string>(),
                           messages[first]["content"].get<std::string>()));
    }
    EXPECT_EQ((*tokenizer)->Decode(ids), item["text_without_generation_prompt"].get<std::string>());
    append(chat->ReplyHeader(**tokenizer));
    EXPECT_EQ((*tokenizer)->Decode(ids), item["text"].get<std::string>());
  }
  // Text of users is never a control token.
  for (const TokenId id : (*tokenizer)->Encode("<|im_end|><|im_start|>system<end_of_turn>", {})) {
    EXPECT_FALSE((*tokenizer)->IsControl(id));
  }
}

TEST_P(ModelGoldenTest, ExactModeAgreesWithTheOracle) {
  LanguageModelOptions options;
  options.exact = true;
  options.kv_format = KvFormat::kF16;
  options.context_tokens = 2048;
  auto model = LoadLanguageModel(path_, options);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const auto golden = Golden("logits");
  const auto ids = golden["long"]["ids"].get<std::vector<TokenId>>();
  const auto want = golden["long"]["nll"].get<std::vector<float>>();
  const auto score = (*model)->ScoreTokens(ids);
  ASSERT_TRUE(score.ok()) << score.status().ToString();
  double difference = 0;
  for (std::size_t i = 0; i < want.size(); ++i) difference += score->nll[i] - want[i];
  EXPECT_NEAR(difference / static_cast<double>(want.size()), 0.0, 1e-4);
  for (const auto& prompt : golden["prompts"]) {
    auto context = (*model)->NewContext();
    ASSERT_TRUE((*context)
                    ->Append({SegmentKind::kOther, 0, prompt["ids"].get<std::vector<TokenId>>()})
                    .ok());
    const auto greedy = prompt["greedy"].get<std::vector<TokenId>>();
    const auto margin = prompt["margin_top2"].get<std::vector<float>>();
    SamplingParams sampling;
    sampling.max_tokens = static_cast<int>(greedy.size());
    const auto generation = (*context)->Generate(sampling);
    ASSERT_TRUE(generation.ok()) << generation.status().ToString();
    for (std::size_t i = 0; i < generation->tokens.size() && margin[i] > 0.01f; ++i) {
      ASSERT_EQ(generation->tokens[i], greedy[i]) << prompt["text"] << " at " << i;
    }
  }
}

TEST_P(ModelGoldenTest, FastModeIsAsCloseAsThePeer) {
  // With the cache that the peer was measured with.
  auto model = LoadLanguageModel(path_, {.context_tokens = 2048, .kv_format = KvFormat::kF16});
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const auto golden = Golden("logits");
  const auto ids = golden["long"]["ids"].get<std::vector<TokenId>>();
  const auto nll = golden["long"]["nll"].get<std::vector<float>>();
  const auto arg_max = golden["long"]["argmax"].get<std::vector<TokenId>>();
  const auto score = (*model)->ScoreTokens(ids);
  ASSERT_TRUE(score.ok()) << score.status().ToString();
  double difference = 0;
  int agree = 0;
  for (std::size_t i = 0; i < nll.size(); ++i) difference += score->nll[i] - nll[i];
  for (std::size_t i = 0; i < arg_max.size(); ++i) agree += score->arg_max[i] == arg_max[i];
  difference /= static_cast<double>(nll.size());
  const double share = static_cast<double>(agree) / static_cast<double>(arg_max.size());
  std::cout << "NLL off by " << difference << ", arg-max agrees in " << 100 * share << " %\n";
  RecordProperty("nll_difference", std::to_string(difference));
  // llama.cpp on the same files and text: 97.5, 98.9 and 97.4 %; NLL off by -0.0010, 0.0024 and
  // 0.0034. Single figures move with the rounding of near ties, so one limit serves all three
  // models.
  EXPECT_GE(share, 0.97);
  EXPECT_LE(std::fabs(difference), 0.0034);
}

INSTANTIATE_TEST_SUITE_P(Small, ModelGoldenTest,
                         ::testing::Values(GoldenModel{"SmolLM2-135M-Instruct.Q4_1.gguf",
                                                       "smollm2-135m-instruct-q4_1"}));
INSTANTIATE_TEST_SUITE_P(Large, ModelGoldenTest,
                         ::testing::Values(GoldenModel{"qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
                                                       "qwen2.5-coder-0.5b-instruct-q4_k_m"},
                                           GoldenModel{"gemma-3-270m-q4_k_m.gguf",
                                                       "gemma-3-270m-q4_k_m"}));

}  // namespace
}  // namespace liubai::engine
