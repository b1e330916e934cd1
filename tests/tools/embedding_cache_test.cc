#include "tools/embedding_cache.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/model_store.h"

namespace liubai::tools {
namespace {

class EmbeddingCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = engine::ModelsFolder() + "/multilingual-e5-small.gguf";
    if (!std::filesystem::exists(file_)) GTEST_SKIP() << file_ << " is not there";
    std::string pattern = ::testing::TempDir() + "liubai-vectors-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  CachedEmbedder Load() {
    auto inner = LoadEmbedder(file_);
    EXPECT_TRUE(inner.ok()) << inner.status().ToString();
    return CachedEmbedder(std::move(*inner), folder_ + "/cache");
  }
  // One session in a store of its own, after `before` other turns.
  std::vector<NewEmbedding> Index(const CachedEmbedder& embedder, int before,
                                  std::vector<std::string> texts) {
    auto store = Store::Open(folder_ + "/store" + std::to_string(stores_++));
    EXPECT_TRUE(store.ok()) << store.status().ToString();
    auto retriever = Retriever::Open(**store, &embedder);
    EXPECT_TRUE(retriever.ok()) << retriever.status().ToString();
    const auto Append = [&](const std::string& session, const std::vector<std::string>& lines) {
      std::vector<NewTurn> turns;
      for (const std::string& line : lines) {
        NewTurn& turn = turns.emplace_back();
        turn.session_id = *(*store)->EnsureSession(session);
        turn.text = line;
      }
      auto ids = (*store)->AppendTurns(turns);
      EXPECT_TRUE(ids.ok()) << ids.status().ToString();
      auto made = embedder.IndexSession(**store, **retriever, turns, *ids, {});
      EXPECT_TRUE(made.ok()) << made.status().ToString();
      first_id_ = ids->front();
      return *made;
    };
    for (int i = 0; i < before; ++i) Append("before" + std::to_string(i), {"Good morning."});
    const std::vector<NewEmbedding> made = Append("session", texts);
    RecallQuery query;
    query.text = "dog";
    EXPECT_TRUE((*retriever)->Recall(query).ok());
    EXPECT_EQ((*retriever)->status().vectors,
              before + std::ranges::count(made, UnitKind::kTurn, &NewEmbedding::kind));
    return made;
  }

  std::string file_, folder_;
  int stores_ = 0;
  TurnId first_id_ = 0;
};

TEST_F(EmbeddingCacheTest, GivesTheSameVectorsToAnotherStoreWithoutEncoding) {
  const std::vector<std::string> texts = {"Our dachshund is called Waldi.", "He is three.", ""};
  std::vector<NewEmbedding> first, second;
  {
    const CachedEmbedder embedder = Load();
    first = Index(embedder, 0, texts);
    EXPECT_EQ(embedder.misses(), 1);
  }
  const TurnId first_id = first_id_;
  const CachedEmbedder embedder = Load();
  second = Index(embedder, 2, texts);
  EXPECT_EQ(embedder.hits(), 2);  // The second good morning and the session.
  EXPECT_EQ(embedder.misses(), 1);
  EXPECT_EQ(first_id + 2, first_id_);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].unit_id + 2, second[i].unit_id);
    EXPECT_EQ(first[i].values, second[i].values);
  }
  // Another text is another session.
  Index(embedder, 0, {"Our dachshund is called Waldo.", "He is three.", ""});
  EXPECT_EQ(embedder.misses(), 2);
}

TEST_F(EmbeddingCacheTest, WritesADamagedFileAgain) {
  const std::vector<std::string> texts = {"The harbour is frozen."};
  const CachedEmbedder embedder = Load();
  const auto first = Index(embedder, 0, texts);
  int damaged = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ + "/cache")) {
    if (!entry.is_regular_file()) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(40);
    file.put('\x7f');
    ++damaged;
  }
  ASSERT_GT(damaged, 0);
  const auto second = Index(embedder, 0, texts);
  EXPECT_EQ(embedder.hits(), 0);
  EXPECT_EQ(embedder.misses(), 2);
  ASSERT_EQ(first.size(), second.size());
  EXPECT_EQ(first[0].values, second[0].values);
  Index(embedder, 0, texts);
  EXPECT_EQ(embedder.hits(), 1);
}

TEST_F(EmbeddingCacheTest, KeepsQuestions) {
  const CachedEmbedder embedder = Load();
  const std::string_view question = "Which pet is there?";
  const auto first = embedder.Embed({&question, 1}, EmbedKind::kQuery, {});
  const auto second = Load().Embed({&question, 1}, EmbedKind::kQuery, {});
  const auto passage = embedder.Embed({&question, 1}, EmbedKind::kPassage, {});
  ASSERT_TRUE(first.ok() && second.ok() && passage.ok());
  EXPECT_EQ(*first, *second);
  EXPECT_NE(*first, *passage);
}

TEST(VectorBaseline, RanksUnitsByTheirBestPiece) {
  VectorBaseline baseline;
  // 1.0, 0.5 and -1.0 as binary16.
  baseline.Add(std::vector<NewEmbedding>{{UnitKind::kTurn, 7, 0, {0x3800, 0}},
                                         {UnitKind::kTurn, 8, 0, {0xbc00, 0}},
                                         {UnitKind::kTurn, 8, 1, {0x3c00, 0}},
                                         {UnitKind::kTurn, 9, 0, {0, 0x3c00}}});
  const std::vector<float> query = {1, 0};
  EXPECT_EQ(baseline.Search(query, 10), (std::vector<std::int64_t>{8, 7, 9}));
  EXPECT_EQ(baseline.Search(query, 1), std::vector<std::int64_t>{8});
}

}  // namespace
}  // namespace liubai::tools
