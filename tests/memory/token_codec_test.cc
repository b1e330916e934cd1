#include "memory/token_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "memory/general_text.h"
#include "memory/retrieval_weights.h"

namespace liubai::memory {
namespace {

constexpr int kDimension = 192;

// Tokens of four bytes; a vector each, from a seed that its bytes give, in a space of which the
// first dimensions hold most, as those of an encoder do.
class SeededEmbedder final : public Embedder {
 public:
  const std::string& id() const override { return id_; }
  const std::string& name() const override { return id_; }
  int dimension() const override { return kDimension; }
  int max_tokens() const override { return 64; }
  Result<int> CountTokens(std::string_view text, EmbedKind) const override {
    return static_cast<int>(text.size() / 4) + 1;
  }
  Result<std::vector<float>> Embed(std::span<const std::string_view>, EmbedKind,
                                   std::stop_token) const override {
    return Status(StatusCode::kUnimplemented, "tokens only");
  }
  Result<std::vector<TokenVectors>> EmbedTokens(std::span<const std::string_view> texts, EmbedKind,
                                                std::stop_token) const override {
    std::vector<TokenVectors> out;
    for (const std::string_view text : texts) {
      if (static_cast<int>(text.size() / 4) + 1 > max_tokens()) {
        return Status(StatusCode::kInvalidArgument, "too long");
      }
      TokenVectors& tokens = out.emplace_back();
      for (std::size_t at = 0; at < text.size(); at += 4) {
        tokens.begin.push_back(static_cast<std::uint32_t>(at));
        tokens.end.push_back(static_cast<std::uint32_t>(std::min(at + 4, text.size())));
        std::mt19937 random(
            static_cast<std::uint32_t>(std::hash<std::string_view>()(text.substr(at, 4))));
        std::normal_distribution<float> normal;
        for (int d = 0; d < kDimension; ++d) {
          tokens.vectors.push_back(0.3f +
                                   normal(random) / std::sqrt(1.0f + static_cast<float>(d) / 8));
        }
      }
    }
    return out;
  }

 private:
  std::string id_ = "seeded";
};

double Cosine(std::span<const float> a, std::span<const float> b) {
  double dot = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    dot += a[i] * b[i], aa += a[i] * a[i], bb += b[i] * b[i];
  return dot / std::sqrt(aa * bb);
}

std::span<const std::uint8_t> Codes(const TokenCodec& codec, std::span<const float> vectors,
                                    std::vector<std::uint8_t>& codes) {
  codec.Encode(vectors, codes);
  return codes;
}

TEST(TokenCodecTest, ATokenIsNearestToItselfInSixtyFourBytes) {
  const SeededEmbedder embedder;
  const auto codec = TokenCodec::For(embedder, {});
  ASSERT_TRUE(codec.ok()) << codec.status().ToString();
  const std::vector<std::string_view> texts = {"abcdefghijkl", "mnopqrstuvwx"};
  const auto tokens = embedder.EmbedTokens(texts, EmbedKind::kQuery, {});
  ASSERT_TRUE(tokens.ok());
  std::vector<std::uint8_t> first, second;
  Codes(**codec, (*tokens)[0].vectors, first);
  Codes(**codec, (*tokens)[1].vectors, second);
  EXPECT_EQ(first.size(), 3u * 64);
  const LateQuestion question = (*codec)->Prepare((*tokens)[0].vectors);
  const std::span<const std::uint8_t> own[] = {first}, other[] = {second};
  const LateScore same = TokenCodec::Score(question, own);
  const LateScore different = TokenCodec::Score(question, other);
  EXPECT_GT(same.of_question, 0.9);
  EXPECT_LT(same.of_question, 1.1);
  EXPECT_GT(same.of_text, 0.9);
  EXPECT_LT(different.of_question, 0.6);
  // Two runs of one text count as one.
  const std::span<const std::uint8_t> both[] = {second, first};
  EXPECT_DOUBLE_EQ(TokenCodec::Score(question, both).of_question, same.of_question);
}

TEST(TokenCodecTest, ItsBytesGiveTheSameCodecAndDamagedOnesAreRefused) {
  const SeededEmbedder embedder;
  const auto codec = TokenCodec::For(embedder, {});
  ASSERT_TRUE(codec.ok());
  const auto again = TokenCodec::Parse((*codec)->bytes(), kDimension);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  const std::vector<std::string_view> texts = {"some words to encode"};
  const auto tokens = embedder.EmbedTokens(texts, EmbedKind::kPassage, {});
  std::vector<std::uint8_t> one, two;
  Codes(**codec, (*tokens)[0].vectors, one);
  Codes(**again, (*tokens)[0].vectors, two);
  EXPECT_EQ(one, two);
  const std::string& bytes = (*codec)->bytes();
  for (const std::string& damaged :
       {std::string(), bytes.substr(1), bytes.substr(0, bytes.size() - 4), bytes + "x",
        bytes.substr(0, 12) + "\xff\xff\xff\x7f" + bytes.substr(16)}) {
    const auto refused = TokenCodec::Parse(damaged, kDimension);
    EXPECT_FALSE(refused.ok()) << damaged.size() << " bytes";
  }
  EXPECT_FALSE(TokenCodec::Parse(bytes, kDimension + 1).ok());
}

TEST(TokenCodecTest, TheDirectionsKeepWhatTokensDifferBy) {
  // Cosines of pairs, less what all have in common, before and after.
  const SeededEmbedder embedder;
  const auto codec = TokenCodec::For(embedder, {});
  ASSERT_TRUE(codec.ok());
  const std::string_view text = GeneralText()[0].substr(0, 120);
  const auto tokens = embedder.EmbedTokens(std::span(&text, 1), EmbedKind::kPassage, {});
  ASSERT_TRUE(tokens.ok());
  const std::span<const float> all((*tokens)[0].vectors);
  double worst = 0;
  for (std::size_t i = 0; i + 1 < all.size() / kDimension; ++i) {
    std::vector<float> a(all.begin() + static_cast<std::ptrdiff_t>(i * kDimension),
                         all.begin() + static_cast<std::ptrdiff_t>((i + 1) * kDimension));
    std::vector<float> b(all.begin() + static_cast<std::ptrdiff_t>((i + 1) * kDimension),
                         all.begin() + static_cast<std::ptrdiff_t>((i + 2) * kDimension));
    std::vector<std::uint8_t> codes;
    const std::span<const std::uint8_t> runs[] = {Codes(**codec, b, codes)};
    const double late = TokenCodec::Score((*codec)->Prepare(a), runs).of_question;
    for (float& value : a) value -= 0.3f;
    for (float& value : b) value -= 0.3f;
    worst = std::max(worst, std::abs(late - Cosine(a, b)));
  }
  EXPECT_LT(worst, 0.25);
}

TEST(RetrievalWeightsTest, TheFittedOnesAreCompleteAndOthersAreNamed) {
  RetrievalWeights weights = FittedWeights();
  EXPECT_GT(weights.turn_vectors[RecallField::kTokensAround], 0);
  EXPECT_GT(weights.turn_words[RecallField::kWordsAround], 0);
  EXPECT_GT(weights.talk_vectors[RecallField::kContextTokens], 0);
  EXPECT_GT(weights.session_words[SessionField::kBestTurn], 0);
  EXPECT_LT(weights.relevance_vectors.bias, 0);
  EXPECT_LT(weights.relevance_words.bias, 0);
  ASSERT_TRUE(SetWeight(weights, "tokens", 0.5).ok());
  EXPECT_EQ(weights.turn_vectors[RecallField::kTokens], 0.5);
  EXPECT_EQ(weights.talk_words[RecallField::kTokens], 0.5);
  ASSERT_TRUE(SetWeight(weights, "turn_words.tokens", 0.25).ok());
  EXPECT_EQ(weights.turn_words[RecallField::kTokens], 0.25);
  EXPECT_EQ(weights.turn_vectors[RecallField::kTokens], 0.5);
  const Status unknown = SetWeight(weights, "turn_words.tockens", 1);
  EXPECT_EQ(unknown.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(unknown.message().find("turn_words.tockens"), std::string::npos);
  EXPECT_FALSE(SetWeight(weights, "tokens", std::nan("")).ok());
}

}  // namespace
}  // namespace liubai::memory
