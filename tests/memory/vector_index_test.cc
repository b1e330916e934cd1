#include "memory/vector_index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/half.h"

namespace liubai::memory {
namespace {

constexpr int kDimension = 24;

class TempFolder {
 public:
  TempFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "liubai-vectors-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Passes all on until the `fail_at`th changing call, which fails; with `for_ever` so do all after
// it.
class FailingFiles : public FileSystem {
 public:
  int fail_at = -1;
  bool for_ever = false;
  int calls = 0;

  Status Step(const std::string& what) {
    const int call = calls++;
    if (fail_at >= 0 && (call == fail_at || (for_ever && call > fail_at))) {
      return Status(StatusCode::kResourceExhausted, "no space left: " + what);
    }
    return Status();
  }
  Result<std::unique_ptr<ReadableFile>> OpenForRead(const std::string& path) override {
    return real_.OpenForRead(path);
  }
  Result<std::unique_ptr<WritableFile>> OpenForWrite(const std::string& path,
                                                     bool append) override {
    if (Status s = Step("open"); !s.ok()) return s;
    Result<std::unique_ptr<WritableFile>> file = real_.OpenForWrite(path, append);
    if (!file.ok()) return file.status();
    return std::unique_ptr<WritableFile>(new File(*this, std::move(*file)));
  }
  Status Rename(const std::string& from, const std::string& to) override {
    if (Status s = Step("rename"); !s.ok()) return s;
    return real_.Rename(from, to);
  }
  Status Remove(const std::string& path) override {
    if (Status s = Step("remove"); !s.ok()) return s;
    return real_.Remove(path);
  }
  Status CreateDirectories(const std::string& path) override {
    return real_.CreateDirectories(path);
  }
  Status SyncDirectory(const std::string& path) override {
    if (Status s = Step("sync folder"); !s.ok()) return s;
    return real_.SyncDirectory(path);
  }
  bool Exists(const std::string& path) override { return real_.Exists(path); }
  Result<std::uint64_t> FileSize(const std::string& path) override { return real_.FileSize(path); }
  Result<std::vector<std::string>> List(const std::string& path) override {
    return real_.List(path);
  }

 private:
  class File : public WritableFile {
   public:
    File(FailingFiles& files, std::unique_ptr<WritableFile> real)
        : files_(files), real_(std::move(real)) {}
    Status Write(std::span<const std::byte> bytes) override {
      if (Status s = files_.Step("write"); !s.ok()) return s;
      return real_->Write(bytes);
    }
    Status Sync() override {
      if (Status s = files_.Step("sync"); !s.ok()) return s;
      return real_->Sync();
    }
    Status Close() override {
      if (Status s = files_.Step("close"); !s.ok()) return s;
      return real_->Close();
    }

   private:
    FailingFiles& files_;
    std::unique_ptr<WritableFile> real_;
  };
  FileSystem& real_ = PosixFileSystem();
};

class VectorIndexTest : public ::testing::Test {
 protected:
  void SetUp() override { OpenStore(); }

  void OpenStore() {
    store_.reset();
    auto store = Store::Open(folder_.path());
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
    auto record = store_->EnsureEmbedder("test", "test-1", kDimension);
    ASSERT_TRUE(record.ok()) << record.status().ToString();
    record_ = *record;
    auto session = store_->EnsureSession("s");
    ASSERT_TRUE(session.ok());
    session_ = *session;
  }
  std::vector<float> RandomVector() {
    std::normal_distribution<float> normal;
    std::vector<float> vector(kDimension);
    float squares = 0;
    for (float& value : vector) value = normal(random_), squares += value * value;
    for (float& value : vector) value /= std::sqrt(squares);
    return vector;
  }
  // Deletes turns; those beside them lose their vectors, which knew something of the deleted text.
  void Delete(const std::vector<TurnId>& ids) {
    ASSERT_TRUE(store_->DeleteTurns(ids).ok());
    for (const TurnId id : ids) {
      for (TurnId near = id - 2; near <= id + 2; ++near) vectors_.erase(near);
    }
  }
  // `count` more turns, each with a vector; keeps the vectors as the store has them.
  void AddTurns(int count) {
    std::vector<NewTurn> turns(count);
    for (NewTurn& turn : turns) turn.session_id = session_, turn.text = "words";
    auto ids = store_->AppendTurns(turns);
    ASSERT_TRUE(ids.ok()) << ids.status().ToString();
    std::vector<NewEmbedding> embeddings;
    for (const TurnId id : *ids) {
      NewEmbedding embedding;
      embedding.unit_id = id;
      for (const float value : RandomVector()) embedding.values.push_back(FloatToHalf(value));
      embeddings.push_back(std::move(embedding));
    }
    auto put = store_->PutEmbeddings(record_.id, embeddings);
    ASSERT_TRUE(put.ok()) << put.status().ToString();
    const auto stored = store_->EmbeddingsOf(record_.id, UnitKind::kTurn, *ids);
    ASSERT_TRUE(stored.ok());
    ASSERT_EQ(stored->size(), ids->size());
    for (std::size_t i = 0; i < stored->size(); ++i) {
      std::vector<float>& kept = vectors_[(*stored)[i].unit_id];
      for (std::size_t d = 0; d < kDimension; ++d) {
        kept.push_back(HalfToFloat((*stored)[i].values[d]));
        // Eight bits and a scale: half a step off at most.
        EXPECT_NEAR(kept[d], HalfToFloat(embeddings[i].values[d]), 0.6 / 127);
      }
    }
  }
  std::unique_ptr<VectorIndex> OpenIndex() {
    auto index = VectorIndex::Open(*store_, record_, UnitKind::kTurn, kDefaultTenant, options_);
    EXPECT_TRUE(index.ok()) << index.status().ToString();
    return index.ok() ? std::move(*index) : nullptr;
  }
  float ScoreOf(std::span<const float> query, std::int64_t unit) const {
    float score = 0;
    for (int i = 0; i < kDimension; ++i) score += query[i] * vectors_.at(unit)[i];
    return score;
  }
  std::vector<std::int64_t> Expected(std::span<const float> query, std::size_t limit,
                                     const UnitFilter& filter = {}) const {
    std::vector<std::pair<float, std::int64_t>> all;
    for (const auto& [id, vector] : vectors_) {
      if (filter && !filter(id)) continue;
      all.emplace_back(-ScoreOf(query, id), id);
    }
    std::sort(all.begin(), all.end());
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < std::min(limit, all.size()); ++i) ids.push_back(all[i].second);
    return ids;
  }
  void ExpectExact(const VectorIndex& index, const UnitFilter& filter = {}) {
    for (int i = 0; i < 5; ++i) {
      const std::vector<float> query = RandomVector();
      auto hits = index.Search(query, 7, filter);
      ASSERT_TRUE(hits.ok()) << hits.status().ToString();
      const std::vector<std::int64_t> expected = Expected(query, 7, filter);
      ASSERT_EQ(hits->size(), expected.size());
      for (std::size_t place = 0; place < expected.size(); ++place) {
        // Those may change places whose scores a rounding to f16 tells apart.
        const VectorHit& hit = (*hits)[place];
        ASSERT_TRUE(vectors_.contains(hit.unit_id));
        EXPECT_NEAR(hit.score, ScoreOf(query, hit.unit_id), 2e-4);
        EXPECT_NEAR(hit.score, ScoreOf(query, expected[place]), 2e-4);
        EXPECT_TRUE(!filter || filter(hit.unit_id));
      }
    }
  }
  void ExpectSound(const VectorIndex& index) {
    auto audit = index.Audit();
    ASSERT_TRUE(audit.ok()) << audit.status().ToString();
    EXPECT_TRUE(audit->ok());
    EXPECT_EQ(index.status().live_rows, static_cast<std::int64_t>(vectors_.size()));
  }
  std::vector<std::string> IndexFiles() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("vectors-")) names.push_back(name);
    }
    return names;
  }
  std::string IndexPath() const {
    const std::vector<std::string> names = IndexFiles();
    EXPECT_EQ(names.size(), 1u);
    return names.empty() ? "" : folder_.path() + "/" + names.front();
  }

  TempFolder folder_;
  std::unique_ptr<Store> store_;
  EmbedderRecord record_;
  SessionId session_ = 0;
  VectorIndexOptions options_;
  std::mt19937 random_{17};
  std::map<std::int64_t, std::vector<float>> vectors_;
};

TEST_F(VectorIndexTest, AnEmptyIndexFindsNothing) {
  auto index = OpenIndex();
  auto hits = index->Search(RandomVector(), 5);
  ASSERT_TRUE(hits.ok());
  EXPECT_TRUE(hits->empty());
}

TEST_F(VectorIndexTest, RefusesAQueryOfAnotherDimension) {
  auto index = OpenIndex();
  const std::vector<float> query(kDimension + 1);
  EXPECT_EQ(index->Search(query, 5).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(VectorIndexTest, FindsWhatAFullComparisonFindsBeforeAndAfterMerging) {
  auto index = OpenIndex();
  AddTurns(200);
  ASSERT_TRUE(index->CatchUp().ok());
  EXPECT_EQ(index->status().tail_rows, 200);
  ExpectExact(*index);
  ASSERT_TRUE(index->Publish().ok());
  EXPECT_EQ(index->status().tail_rows, 0);
  ExpectExact(*index);
  AddTurns(40);
  ASSERT_TRUE(index->CatchUp().ok());
  ExpectExact(*index);
  ExpectExact(*index, [](std::int64_t unit) { return unit % 9 == 0; });
  ExpectSound(*index);
}

TEST_F(VectorIndexTest, AReopenedFileIsReadAndCaughtUp) {
  AddTurns(100);
  ASSERT_TRUE(OpenIndex()->Publish().ok());
  AddTurns(10);
  OpenStore();
  auto index = OpenIndex();
  EXPECT_FALSE(index->status().rebuilt);
  EXPECT_EQ(index->status().generation, 1);
  EXPECT_EQ(index->status().tail_rows, 10);
  ExpectExact(*index);
  ExpectSound(*index);
}

TEST_F(VectorIndexTest, DeletedRowsAreNeverReturnedAndLeaveTheFile) {
  AddTurns(60);
  auto index = OpenIndex();
  ASSERT_TRUE(index->Publish().ok());
  const std::vector<TurnId> gone = {vectors_.begin()->first,
                                    std::next(vectors_.begin(), 30)->first};
  Delete(gone);
  ASSERT_TRUE(index->CatchUp().ok());
  EXPECT_EQ(index->status().tombstones, 8);  // The first turn has two beside it, the other four.
  ExpectExact(*index);
  ExpectSound(*index);
  ASSERT_TRUE(index->Publish().ok());
  EXPECT_EQ(index->status().tombstones, 0);
  ExpectExact(*index);
  EXPECT_EQ(IndexFiles().size(), 1u);
}

TEST_F(VectorIndexTest, ListsReturnAsManyAsAskedForUnderFiltersAndTombstones) {
  options_.lists_above = 300;
  options_.least_compared = 100;
  options_.compared_part = 3;
  AddTurns(600);
  auto index = OpenIndex();
  ASSERT_TRUE(index->Publish().ok());
  ASSERT_GT(index->status().lists, 10);
  Delete({vectors_.begin()->first});
  AddTurns(30);
  ASSERT_TRUE(index->CatchUp().ok());
  int found = 0, wanted = 0;
  for (int i = 0; i < 20; ++i) {
    const std::vector<float> query = RandomVector();
    auto hits = index->Search(query, 10);
    ASSERT_TRUE(hits.ok());
    ASSERT_EQ(hits->size(), 10u);
    for (const std::int64_t id : Expected(query, 10)) {
      ++wanted;
      for (const VectorHit& hit : *hits) found += hit.unit_id == id ? 1 : 0;
    }
  }
  EXPECT_GE(found, wanted * 70 / 100);  // Random directions, of which a third are compared.
  EXPECT_LT(found, wanted);             // All were: then lists were not searched.
  // Selective: exact.
  ExpectExact(*index, [](std::int64_t unit) { return unit % 50 == 0; });
  // Merged into the lists, without the deleted row.
  ASSERT_TRUE(index->Publish().ok());
  ExpectSound(*index);
  OpenStore();
  index = OpenIndex();
  EXPECT_GT(index->status().lists, 10);
  EXPECT_FALSE(index->status().rebuilt);
  ExpectSound(*index);
}

TEST_F(VectorIndexTest, AnyDamagedByteIsNoticedQuarantinedAndRebuiltLoudly) {
  AddTurns(50);
  ASSERT_TRUE(OpenIndex()->Publish().ok());
  const std::string path = IndexPath();
  const std::uintmax_t size = std::filesystem::file_size(path);
  std::string good(size, '\0');
  std::ifstream(path, std::ios::binary).read(good.data(), static_cast<std::streamsize>(size));
  std::vector<std::size_t> places = {0, 8, 12, 17, 60, size / 2, size - 1};
  for (std::size_t at = 0; at < 250; at += 7) places.push_back(at);
  for (const std::size_t at : places) {
    SCOPED_TRACE(at);
    for (const std::string& name : IndexFiles())
      std::filesystem::remove(folder_.path() + "/" + name);
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x41);
    std::ofstream(path, std::ios::binary) << bad;
    auto index = OpenIndex();
    EXPECT_TRUE(index->status().rebuilt);
    EXPECT_NE(index->status().note, "");
    EXPECT_TRUE(std::filesystem::exists(path + ".quarantined"));
    ExpectExact(*index);
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{20}, size - 1}) {
    SCOPED_TRACE(length);
    std::ofstream(path, std::ios::binary) << good.substr(0, length);
    EXPECT_TRUE(OpenIndex()->status().rebuilt);
  }
  std::ofstream(path, std::ios::binary) << good;
  EXPECT_FALSE(OpenIndex()->status().rebuilt);
}

TEST_F(VectorIndexTest, AFileOfTheFormatBeforeIsQuarantinedAndRebuiltLoudly) {
  AddTurns(20);
  ASSERT_TRUE(OpenIndex()->Publish().ok());
  const std::string path = IndexPath();
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(8);
    file.put(1);
  }
  auto index = OpenIndex();
  EXPECT_TRUE(index->status().rebuilt);
  EXPECT_NE(index->status().note.find("format 1, this program reads 2"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(path + ".quarantined"));
  ExpectExact(*index);
  ExpectSound(*index);
}

TEST_F(VectorIndexTest, AGraphOfAnOlderProgramIsBuiltAnew) {
  AddTurns(20);
  ASSERT_TRUE(OpenIndex()->Publish().ok());
  {
    std::fstream file(IndexPath(), std::ios::binary | std::ios::in | std::ios::out);
    // Behind three strings, tenant, kind, dimension and metric.
    file.seekp(static_cast<std::streamoff>(16 + 3 * 4 + 32 + 32 + record_.fingerprint.size() + 20));
    file.put(1);
  }
  auto index = OpenIndex();
  EXPECT_TRUE(index->status().rebuilt);
  EXPECT_NE(index->status().note.find("type 1, this program reads 0 and 2"), std::string::npos);
  ExpectExact(*index);
  ASSERT_TRUE(index->Publish().ok());
  EXPECT_FALSE(OpenIndex()->status().rebuilt);
}

TEST_F(VectorIndexTest, ListsThatGrewManifoldAreMadeAnew) {
  options_.lists_above = 100;
  AddTurns(120);
  auto index = OpenIndex();
  ASSERT_TRUE(index->Publish().ok());
  const std::int64_t few = index->status().lists;
  AddTurns(600);
  ASSERT_TRUE(index->Publish().ok());
  EXPECT_GT(index->status().lists, few);
  ExpectSound(*index);
  ExpectExact(*index);  // So few are all compared.
  options_.lists_above = 10000;
  OpenStore();
  index = OpenIndex();
  ASSERT_TRUE(index->Publish().ok());
  EXPECT_EQ(index->status().lists, 0);
  ExpectExact(*index);
}

TEST_F(VectorIndexTest, AVectorTakesAQuarterOfFloat32) {
  AddTurns(400);
  ASSERT_TRUE(OpenIndex()->Publish().ok());
  EXPECT_LE(std::filesystem::file_size(IndexPath()), 1000u + 400 * (24 + kDimension));
}

TEST_F(VectorIndexTest, AMissingFileIsRebuiltAndPublishedAgain) {
  AddTurns(20);
  ASSERT_TRUE(OpenIndex()->Publish().ok());
  std::filesystem::remove(IndexPath());
  auto index = OpenIndex();
  EXPECT_TRUE(index->status().rebuilt);
  ASSERT_TRUE(index->Publish().ok());
  EXPECT_EQ(IndexFiles().size(), 1u);
  ExpectSound(*index);
}

TEST_F(VectorIndexTest, AFailureAtAnyStepLeavesOneValidGeneration) {
  AddTurns(30);
  ASSERT_TRUE(OpenIndex()->Publish().ok());
  for (const bool for_ever : {false, true}) {
    bool failed = true;
    for (int at = 0; failed; ++at) {
      ASSERT_LT(at, 40);
      SCOPED_TRACE(at);
      AddTurns(1);
      {
        auto index = OpenIndex();
        ASSERT_NE(index, nullptr);
      }
      FailingFiles files;
      VectorIndexOptions options = options_;
      options.file_system = &files;
      auto opened = VectorIndex::Open(*store_, record_, UnitKind::kTurn, kDefaultTenant, options);
      ASSERT_TRUE(opened.ok());
      files.calls = 0;
      files.fail_at = at;
      files.for_ever = for_ever;
      failed = !(*opened)->Publish().ok();
      ExpectExact(**opened);
      opened = Status(StatusCode::kCancelled, "the process ends here");
      OpenStore();  // As after a crash: what is on disk is all there is.
      auto index = OpenIndex();
      ASSERT_NE(index, nullptr);
      EXPECT_FALSE(index->status().rebuilt) << index->status().note;
      EXPECT_EQ(IndexFiles().size(), 1u);
      ExpectExact(*index);
      ExpectSound(*index);
    }
  }
}

TEST_F(VectorIndexTest, ABackupDoesNotBelieveTheOriginalsFile) {
  AddTurns(20);
  ASSERT_TRUE(OpenIndex()->Publish().ok());
  TempFolder copy;
  const std::string folder = copy.path() + "/copy";
  ASSERT_TRUE(store_->Backup(folder).ok());
  std::filesystem::copy(IndexPath(), folder);
  auto store = Store::Open(folder);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  auto index = VectorIndex::Open(**store, record_, UnitKind::kTurn, kDefaultTenant, options_);
  ASSERT_TRUE(index.ok());
  EXPECT_EQ((*index)->status().generation, 0);
  ExpectSound(**index);
}

TEST_F(VectorIndexTest, TenantsDoNotMeet) {
  AddTurns(10);
  auto other = VectorIndex::Open(*store_, record_, UnitKind::kTurn, 2, options_);
  ASSERT_TRUE(other.ok());
  auto hits = (*other)->Search(RandomVector(), 10);
  ASSERT_TRUE(hits.ok());
  EXPECT_TRUE(hits->empty());
}

}  // namespace
}  // namespace liubai::memory
