// Recall by meaning, with a real embedder (multilingual-e5-small), where its file is.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "core/half.h"
#include "engine/model_store.h"
#include "liubai/retrieval.h"

namespace liubai {
namespace {

class RetrievalModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string file = engine::ModelsFolder() + "/multilingual-e5-small.gguf";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
    std::string pattern = ::testing::TempDir() + "liubai-recall-model-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto store = Store::Open(folder_);
    auto embedder = LoadEmbedder(file);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    ASSERT_TRUE(embedder.ok()) << embedder.status().ToString();
    store_ = std::move(*store);
    embedder_ = std::move(*embedder);
    session_ = *store_->EnsureSession("first");
  }
  void TearDown() override {
    store_.reset();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  TurnId Say(std::string text) {
    NewTurn turn;
    turn.session_id = session_;
    turn.text = std::move(text);
    turn.time_ms = 1683504000000;
    auto id = store_->AppendTurn(turn);
    EXPECT_TRUE(id.ok()) << id.status().ToString();
    return id.ok() ? *id : 0;
  }
  // Small talk, so that neighbours of one turn are not those of another.
  void Chat() {
    for (const char* text :
         {"Nice weather again.", "今天没什么事。", "The bus was late, as always.",
          "晚上看了一会儿电视。", "I need to buy new printer paper."}) {
      Say(text);
    }
  }
  RecallResult Ask(const Retriever& retriever, std::string text) {
    RecallQuery query;
    query.text = std::move(text);
    query.limit = 5;
    query.with_irrelevant = true;
    auto result = retriever.Recall(query);
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    return result.ok() ? std::move(*result) : RecallResult();
  }

  std::string folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Embedder> embedder_;
  SessionId session_ = 0;
};

TEST_F(RetrievalModelTest, FindsWhatSharesNoWordWithTheQuestion) {
  Chat();
  const TurnId dog = Say("Our dachshund Waldi turned three.");
  Chat();
  const TurnId allergy = Say("我一吃花生就过敏。");
  Chat();
  auto retriever = Retriever::Open(*store_, embedder_.get());
  ASSERT_TRUE(retriever.ok()) << retriever.status().ToString();
  auto progress = (*retriever)->IndexPending(100);
  ASSERT_TRUE(progress.ok()) << progress.status().ToString();
  EXPECT_EQ(progress->pending, 0);
  auto words = Retriever::Open(*store_, nullptr);
  ASSERT_TRUE(words.ok());

  const auto Near = [&](const RecallResult& result, TurnId id) {
    for (const RecallHit& hit : result.hits) {
      if (hit.turn.id == id) return true;
    }
    return false;
  };
  for (const auto& [question, id] : {std::pair("Which pet lives in the household?", dog),
                                     std::pair("什么东西不能吃?", allergy)}) {
    const RecallResult found = Ask(**retriever, question);
    EXPECT_TRUE(found.by_meaning);
    EXPECT_TRUE(Near(found, id)) << question;
    EXPECT_FALSE(Near(Ask(**words, question), id)) << question;
  }
}

TEST_F(RetrievalModelTest, TheVectorOfATurnKnowsItsNeighbours) {
  Say("Where shall I send the spare parts of the pump?");
  const TurnId other = Say("To Lisbon.");
  session_ = *store_->EnsureSession("second");
  Say("Where did the two of you spend your honeymoon?");
  const TurnId answer = Say("To Lisbon.");
  auto retriever = Retriever::Open(*store_, embedder_.get());
  ASSERT_TRUE(retriever.ok()) << retriever.status().ToString();
  ASSERT_TRUE((*retriever)->IndexPending(100).ok());
  const auto records = store_->Embedders();
  ASSERT_TRUE(records.ok());
  ASSERT_EQ(records->size(), 1u);
  const std::vector<TurnId> ids = {other, answer};
  const auto stored = store_->EmbeddingsOf((*records)[0].id, UnitKind::kTurn, ids);
  const auto question = (*retriever)->EmbedQuestion({.text = "the journey after the wedding"});
  ASSERT_TRUE(stored.ok() && question.ok());
  ASSERT_EQ(stored->size(), 2u);
  std::vector<double> cosines(2);
  for (std::size_t unit = 0; unit < 2; ++unit) {
    for (std::size_t i = 0; i < question->pooled.size(); ++i) {
      cosines[unit] += question->pooled[i] * HalfToFloat((*stored)[unit].values[i]);
    }
  }
  ASSERT_EQ((*stored)[0].unit_id, other);
  EXPECT_GT(cosines[1], cosines[0] + 0.01);
}

}  // namespace
}  // namespace liubai
