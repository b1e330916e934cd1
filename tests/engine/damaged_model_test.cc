// Damaged model files, used as far as they let themselves be used: an error or tokens, never a
// crash. The sanitizers (LIUBAI_SANITIZE) make this sharper.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "liubai/language_model.h"

namespace liubai {
namespace {

class DamagedModelTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "liubai-damaged-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ifstream file(std::string(LIUBAI_SOURCE_DIR "/tests/golden/tiny/") + GetParam() + ".gguf",
                       std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    good_ = text.str();
    ASSERT_GT(good_.size(), 1000u);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // OK, or the first refusal.
  Status Use(const std::string& bytes) {
    const std::string path = folder_ + "/model.gguf";
    std::ofstream(path, std::ios::binary) << bytes;
    LanguageModelOptions options;
    options.threads = 1;
    options.context_tokens = 64;
    auto model = LoadLanguageModel(path, options);
    if (!model.ok()) return model.status();
    auto context = (*model)->NewContext();
    if (!context.ok()) return context.status();
    auto tokens = (*model)->TokenizeWithControls("Once upon 汉字 12 </s>", true);
    if (tokens.size() > 40) tokens.resize(40);
    const Status appended = (*context)->Append({SegmentKind::kOther, 0, tokens});
    if (!appended.ok()) return appended;
    SamplingParams sampling;
    sampling.max_tokens = 2;
    return (*context)->Generate(sampling).status();
  }

  std::string folder_, good_;
};

// Every number of the metadata becomes, one after another, what a length or an index must not be.
TEST_P(DamagedModelTest, AbsurdNumbersAreRefused) {
  ASSERT_TRUE(Use(good_).ok());
  constexpr std::array<std::uint32_t, 7> kAbsurd = {0,          1,          7,         255,
                                                    0x7fffffff, 0x80000000, 0xffffffff};
  int tried = 0, refused = 0;
  for (const char* key :
       {".block_count", ".embedding_length", ".feed_forward_length", ".attention.head_count",
        ".attention.head_count_kv", ".attention.key_length", ".attention.value_length",
        ".attention.layer_norm_rms_epsilon", ".attention.sliding_window", ".context_length",
        ".rope.freq_base", ".rope.dimension_count", ".vocab_size", "ggml.bos_token_id",
        "ggml.eos_token_id", "ggml.padding_token_id"}) {
    // The key's length stands before it, so that a longer key is not meant.
    std::size_t at = good_.find(key);
    for (; at != std::string::npos; at = good_.find(key, at + 1)) {
      const std::size_t end = at + std::strlen(key);
      std::uint32_t type = 0;
      std::memcpy(&type, &good_[end], sizeof type);
      if (type == 4 || type == 5 || type == 6) break;  // 32 bits: unsigned, signed, real.
    }
    if (at == std::string::npos) continue;
    for (const std::uint32_t value : kAbsurd) {
      std::string bytes = good_;
      std::memcpy(&bytes[at + std::strlen(key) + 4], &value, sizeof value);
      SCOPED_TRACE(testing::Message() << key << " = " << value);
      ++tried;
      const Status status = Use(bytes);
      if (status.ok()) continue;
      ++refused;
      EXPECT_NE(status.code(), StatusCode::kInternal) << status.ToString();
    }
  }
  EXPECT_GT(tried, 50);
  EXPECT_GT(refused, tried / 2);
}

TEST_P(DamagedModelTest, RandomDamageIsRefusedOrSurvived) {
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  int refused = 0;
  for (int round = 0; round < 150; ++round) {
    std::string bytes = good_;
    // The metadata is at the beginning; the weights, most of the file, say little.
    const std::size_t range = round % 3 == 0 ? bytes.size() : bytes.size() / 6;
    for (unsigned i = 0; i < 1 + random() % 4; ++i) {
      bytes[random() % range] = static_cast<char>(random());
    }
    const Status status = Use(bytes);
    if (status.ok()) continue;
    ++refused;
    EXPECT_FALSE(status.message().empty());
  }
  EXPECT_GT(refused, 5);
}

INSTANTIATE_TEST_SUITE_P(Tiny, DamagedModelTest,
                         ::testing::Values("tiny-llama-rope3", "tiny-qwen2", "tiny-qwen3",
                                           "tiny-gemma3"),
                         [](const auto& info) {
                           std::string name(info.param + 5);
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace liubai
