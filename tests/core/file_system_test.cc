#include "core/file_system.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "core/hash.h"

namespace liubai {
namespace {

class FileSystemTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "liubai-fs-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(FileSystemTest, WritesAtomicallyAndReadsBack) {
  FileSystem& fs = PosixFileSystem();
  const std::string path = folder_ + "/a";
  ASSERT_TRUE(WriteFileAtomically(fs, path, "one").ok());
  ASSERT_TRUE(WriteFileAtomically(fs, path, "two").ok());
  EXPECT_EQ(*ReadFile(fs, path), "two");
  EXPECT_EQ(fs.List(folder_)->size(), 1u);
  EXPECT_EQ(ReadFile(fs, path, 2).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(*Sha256HexOfFile(path), Sha256Hex("two"));
}

TEST_F(FileSystemTest, KnownDigest) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(FileSystemTest, RefusesFoldersPipesAndMissingFiles) {
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::Open(folder_).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(MappedFile::Open(pipe).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(PosixFileSystem().OpenForRead(pipe).status().code(), StatusCode::kInvalidArgument);
  const Status missing = MappedFile::Open(folder_ + "/none").status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_NE(missing.message().find(folder_ + "/none"), std::string::npos);
}

TEST_F(FileSystemTest, MappingNoticesAShrunkFile) {
  const std::string path = folder_ + "/m";
  ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), path, std::string(10000, 'x')).ok());
  auto mapped = MappedFile::Open(path);
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(mapped->bytes().size(), 10000u);
  EXPECT_TRUE(mapped->CheckUnchanged().ok());
  mapped->Release(0, 10000);
  EXPECT_EQ(static_cast<char>(mapped->bytes()[9999]), 'x');
  ASSERT_EQ(::truncate(path.c_str(), 100), 0);
  EXPECT_EQ(mapped->CheckUnchanged().code(), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace liubai
