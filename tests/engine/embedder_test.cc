// Encoders against float32 oracles (tests/golden/embed-*.json). Needs the model files. That the ids
// are the oracles', control tokens in the text included, is tokenizer_test's to say.
#include "liubai/embedder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/thread_pool.h"
#include "engine/model_store.h"
#include "kernels/dense_attention.h"

namespace liubai {
namespace {

std::string ModelPath(const std::string& file) { return engine::ModelsFolder() + "/" + file; }

struct GoldenEmbedder {
  const char* name;
  const char* file;
  double exact_cosine;  // The least cosine of any text, in float32 on the weights of the file,
  double fast_cosine;   // and on the fast path.
};
void PrintTo(const GoldenEmbedder& embedder, std::ostream* out) { *out << embedder.name; }

double Cosine(const float* a, const float* b, int n) {
  double ab = 0, aa = 0, bb = 0;
  for (int i = 0; i < n; ++i) {
    ab += double{a[i]} * double{b[i]};
    aa += double{a[i]} * double{a[i]};
    bb += double{b[i]} * double{b[i]};
  }
  return ab / std::sqrt(aa * bb);
}

class EmbedderGoldenTest : public ::testing::TestWithParam<GoldenEmbedder> {
 protected:
  void SetUp() override {
    path_ = ModelPath(GetParam().file);
    if (!std::ifstream(path_)) GTEST_SKIP() << "model file " << path_ << " is not there";
    golden_ = nlohmann::json::parse(std::ifstream(
        std::string(LIUBAI_SOURCE_DIR) + "/tests/golden/embed-" + GetParam().name + ".json"));
  }
  std::unique_ptr<Embedder> Load(bool exact, int threads) {
    auto embedder = LoadEmbedder(path_, {.threads = threads, .exact = exact});
    EXPECT_TRUE(embedder.ok()) << embedder.status().ToString();
    return std::move(embedder).value();
  }
  // Embeds all golden texts, in one batch a kind, and returns the least cosine.
  double LeastCosine(const Embedder& embedder) {
    double least = 1;
    for (const EmbedKind kind : {EmbedKind::kQuery, EmbedKind::kPassage, EmbedKind::kPlain}) {
      const std::string prefix = kind == EmbedKind::kQuery     ? "query: "
                                 : kind == EmbedKind::kPassage ? "passage: "
                                                               : "";
      std::vector<std::string> texts;
      std::vector<std::vector<float>> wanted;
      for (const auto& item : golden_["items"]) {
        if (item.value("prefix", "") != prefix) continue;
        const auto text = item["text"].get<std::string>();
        // The oracle's tokenizer lets text become control tokens, an embedder does not.
        if (text.find("[CLS]") != std::string::npos) continue;
        const auto tokens = embedder.CountTokens(text, kind);
        EXPECT_TRUE(tokens.ok()) << tokens.status().ToString();
        if (!tokens.ok() || *tokens > embedder.max_tokens()) continue;  // Cut in the oracle.
        EXPECT_EQ(static_cast<std::size_t>(*tokens), item["ids"].size()) << text;
        texts.push_back(text);
        wanted.push_back(item["v"].get<std::vector<float>>());
      }
      const std::vector<std::string_view> views(texts.begin(), texts.end());
      const auto vectors = embedder.Embed(views, kind);
      EXPECT_TRUE(vectors.ok()) << vectors.status().ToString();
      if (!vectors.ok()) return 0;
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const int n = embedder.dimension();
        const double cosine =
            Cosine(vectors->data() + i * static_cast<std::size_t>(n), wanted[i].data(), n);
        if (!(cosine >= least)) {
          least = cosine;
          least_text_ = texts[i];
        }
        ++compared_;
      }
    }
    return least;
  }
  std::string path_;
  nlohmann::json golden_;
  int compared_ = 0;
  std::string least_text_;  // Of the least cosine.
};

TEST_P(EmbedderGoldenTest, ExactVectorsAreTheOracles) {
  const auto embedder = Load(true, 2);
  const double least = LeastCosine(*embedder);
  std::cout << "least cosine " << least << "\n";
  EXPECT_GE(least, GetParam().exact_cosine) << least_text_;
  EXPECT_GE(compared_, 40);
}

TEST_P(EmbedderGoldenTest, FastVectorsAreNearTheOracles) {
  for (const int threads : {1, 2}) {
    const auto embedder = Load(false, threads);
    const double least = LeastCosine(*embedder);
    std::cout << "least cosine " << least << "\n";
    EXPECT_GE(least, GetParam().fast_cosine) << threads << " threads: " << least_text_;
  }
}

TEST_P(EmbedderGoldenTest, AVectorDoesNotDependOnItsCompany) {
  const auto embedder = Load(false, 2);
  std::vector<std::string> texts;
  for (const auto& item : golden_["items"]) texts.push_back(item["text"].get<std::string>());
  std::erase_if(texts, [&](const std::string& text) {
    const auto tokens = embedder->CountTokens(text, EmbedKind::kPassage);
    return !tokens.ok() || *tokens > embedder->max_tokens();
  });
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const auto together = embedder->Embed(views, EmbedKind::kPassage);
  ASSERT_TRUE(together.ok());
  const int n = embedder->dimension();
  for (std::size_t i = 0; i < views.size(); i += 7) {
    // Short texts are encoded by one thread, long ones by a team.
    const auto alone = embedder->Embed({&views[i], 1}, EmbedKind::kPassage);
    ASSERT_TRUE(alone.ok());
    EXPECT_GE(Cosine(alone->data(), together->data() + i * static_cast<std::size_t>(n), n), 0.99999)
        << texts[i];
  }
}

TEST_P(EmbedderGoldenTest, TokenVectorsCoverTheText) {
  const auto embedder = Load(false, 2);
  const std::string_view text = "Anna paid $4,237 for the blue bicycle.";
  const auto tokens = embedder->EmbedTokens({&text, 1}, EmbedKind::kPassage);
  ASSERT_TRUE(tokens.ok()) << tokens.status().ToString();
  const TokenVectors& vectors = tokens->at(0);
  ASSERT_GE(vectors.begin.size(), 8u);
  ASSERT_EQ(vectors.begin.size(), vectors.end.size());
  ASSERT_EQ(vectors.vectors.size(),
            vectors.begin.size() * static_cast<std::size_t>(embedder->dimension()));
  EXPECT_EQ(vectors.begin.front(), 0u);
  EXPECT_EQ(vectors.end.back(), text.size());
  std::string covered;
  for (std::size_t i = 0; i < vectors.begin.size(); ++i) {
    ASSERT_LT(vectors.begin[i], vectors.end[i]);
    covered += text.substr(vectors.begin[i], vectors.end[i] - vectors.begin[i]);
  }
  std::string letters(text);
  std::erase(letters, ' ');
  std::erase(covered, ' ');
  EXPECT_EQ(covered, letters);
}

TEST_P(EmbedderGoldenTest, RefusesWhatItCannotEmbed) {
  const auto embedder = Load(false, 2);
  std::string words;
  for (int i = 0; i < 600; ++i) words += "word ";
  const std::string_view texts[] = {"short", words};
  const auto long_text = embedder->Embed(texts, EmbedKind::kPassage);
  ASSERT_FALSE(long_text.ok());
  EXPECT_EQ(long_text.status().code(), StatusCode::kInvalidArgument);
  const auto tokens = embedder->CountTokens(words, EmbedKind::kPassage);
  ASSERT_TRUE(tokens.ok());
  EXPECT_NE(long_text.status().message().find(std::to_string(*tokens)), std::string::npos);
  EXPECT_NE(long_text.status().message().find(std::to_string(embedder->max_tokens())),
            std::string::npos);

  const std::string_view invalid = "\xff";
  EXPECT_EQ(embedder->Embed({&invalid, 1}, EmbedKind::kPlain).status().code(),
            StatusCode::kInvalidArgument);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_EQ(embedder->Embed({texts, 1}, EmbedKind::kPlain, stopped.get_token()).status().code(),
            StatusCode::kCancelled);
  const auto nothing = embedder->Embed({}, EmbedKind::kPlain);
  ASSERT_TRUE(nothing.ok());
  EXPECT_TRUE(nothing->empty());
}

TEST_P(EmbedderGoldenTest, KnowsWhichTextsItDoesNotKnow) {
  const auto embedder = Load(false, 1);
  const auto share = [&](std::string_view text) {
    auto unknown = embedder->UnknownShare(text);
    EXPECT_TRUE(unknown.ok()) << unknown.status().ToString();
    return unknown.ok() ? *unknown : -1.0;
  };
  EXPECT_EQ(share("The rent of the flat is 900 a month."), 0.0);
  EXPECT_EQ(share(""), 0.0);
  const double chinese = share("我们现在的房租是多少钱一个月？");
  if (std::string_view(GetParam().name) == "all-minilm-l6-v2") {
    EXPECT_GT(chinese, 0.1);
  } else {
    EXPECT_EQ(chinese, 0.0);
  }
}

TEST_P(EmbedderGoldenTest, TheIdNamesTheWeights) {
  const auto one = Load(false, 1), two = Load(false, 2);
  EXPECT_EQ(one->id(), two->id());
  EXPECT_TRUE(one->id().starts_with(one->name() + "-"));
}

// MiniLM's file holds the oracle's float32 weights in f16, e5's the very weights of its oracle.
INSTANTIATE_TEST_SUITE_P(
    Models, EmbedderGoldenTest,
    ::testing::Values(
        GoldenEmbedder{"all-minilm-l6-v2", "all-minilm-l6-v2-f16.gguf", 0.9999, 0.999},
        GoldenEmbedder{"multilingual-e5-small", "multilingual-e5-small.gguf", 0.9999, 0.999}));

TEST(EmbedderTest, AnUnknownFileAndAbsurdThreadsAreRefused) {
  EXPECT_EQ(LoadEmbedder("/nonexistent.gguf").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(LoadEmbedder("/nonexistent.gguf", {.threads = -1}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(LoadEmbedder("/nonexistent.gguf", {.threads = 257}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(DenseAttentionTest, AgreesWithDoublePrecision) {
  const unsigned seed = 20240611;
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (const CpuIsa isa : {CpuIsa::kPortable, CpuIsa::kAvx2, CpuIsa::kAvx512Vnni}) {
    if (isa > BestCpuIsa()) continue;
    for (const int dim : {16, 32, 48, 64}) {
      for (const int tokens : {1, 3, 15, 16, 17, 70}) {
        const int stride = 2 * dim;
        const auto make = [&](float scale) {
          std::vector<float> values(static_cast<std::size_t>(tokens * stride));
          for (float& value : values) value = scale * normal(random);
          return values;
        };
        const auto q = make(3), k = make(3), v = make(1);
        std::vector<float> out(q.size(), -7.0f);
        std::vector<float> workspace(kernels::DenseAttentionFloats(tokens, dim));
        const float scale = 1.0f / std::sqrt(static_cast<float>(dim));
        kernels::DenseAttention({.q = q.data(),
                                 .k = k.data(),
                                 .v = v.data(),
                                 .out = out.data(),
                                 .stride = stride,
                                 .tokens = tokens,
                                 .head_dim = dim,
                                 .scale = scale,
                                 .workspace = workspace},
                                isa);
        for (int i = 0; i < tokens; ++i) {
          std::vector<double> p(static_cast<std::size_t>(tokens));
          double sum = 0, most = -1e300;
          for (int pass = 0; pass < 2; ++pass) {
            for (int j = 0; j < tokens; ++j) {
              double dot = 0;
              for (int d = 0; d < dim; ++d) {
                dot += double{q[static_cast<std::size_t>(i * stride + d)]} *
                       double{k[static_cast<std::size_t>(j * stride + d)]};
              }
              dot *= double{scale};
              if (pass == 0) {
                most = std::max(most, dot);
              } else {
                sum += p[static_cast<std::size_t>(j)] = std::exp(dot - most);
              }
            }
          }
          for (int d = 0; d < dim; ++d) {
            double wanted = 0;
            for (int j = 0; j < tokens; ++j) {
              wanted += p[static_cast<std::size_t>(j)] / sum *
                        double{v[static_cast<std::size_t>(j * stride + d)]};
            }
            ASSERT_NEAR(out[static_cast<std::size_t>(i * stride + d)], wanted, 1e-5)
                << CpuIsaName(isa) << " dim " << dim << " tokens " << tokens;
          }
          for (int d = dim; d < stride; ++d) {
            ASSERT_EQ(out[static_cast<std::size_t>(i * stride + d)], -7.0f);  // Not its columns.
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace liubai
