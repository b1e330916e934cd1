#include "engine/gguf_writer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/file_system.h"

namespace liubai::engine {
namespace {

using kernels::DataType;

class GgufWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "liubai-writer-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ + "/x.gguf";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Refused in words that hold `part`, and nothing is left behind.
  void ExpectRefused(const GgufWriter& writer, std::string_view part) {
    const Status status = writer.Write(PosixFileSystem(), path_);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.ToString();
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
    EXPECT_TRUE(PosixFileSystem().List(folder_)->empty());
  }

  std::string folder_;
  std::string path_;
};

// A disk that is full after `room` bytes.
class FullDisk final : public FileSystem {
 public:
  explicit FullDisk(std::size_t room) : room_(room) {}

  Result<std::unique_ptr<ReadableFile>> OpenForRead(const std::string& path) override {
    return PosixFileSystem().OpenForRead(path);
  }
  Result<std::unique_ptr<WritableFile>> OpenForWrite(const std::string& path,
                                                     bool append) override {
    auto file = PosixFileSystem().OpenForWrite(path, append);
    if (!file.ok()) return file.status();
    return std::unique_ptr<WritableFile>(std::make_unique<File>(std::move(*file), room_));
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return PosixFileSystem().Rename(from, to);
  }
  Status Remove(const std::string& path) override { return PosixFileSystem().Remove(path); }
  Status CreateDirectories(const std::string& path) override {
    return PosixFileSystem().CreateDirectories(path);
  }
  Status SyncDirectory(const std::string& path) override {
    return PosixFileSystem().SyncDirectory(path);
  }
  bool Exists(const std::string& path) override { return PosixFileSystem().Exists(path); }
  Result<std::uint64_t> FileSize(const std::string& path) override {
    return PosixFileSystem().FileSize(path);
  }
  Result<std::vector<std::string>> List(const std::string& path) override {
    return PosixFileSystem().List(path);
  }

 private:
  class File final : public WritableFile {
   public:
    File(std::unique_ptr<WritableFile> file, std::size_t room)
        : file_(std::move(file)), room_(room) {}
    Status Write(std::span<const std::byte> bytes) override {
      if (bytes.size() > room_) return ErrnoStatus(ENOSPC, "write", "x.gguf");
      room_ -= bytes.size();
      return file_->Write(bytes);
    }
    Status Sync() override { return file_->Sync(); }
    Status Close() override { return file_->Close(); }

   private:
    std::unique_ptr<WritableFile> file_;
    std::size_t room_;
  };

  std::size_t room_;
};

TEST_F(GgufWriterTest, StreamsATensorInPieces) {
  GgufWriter writer;
  const std::int64_t dims[] = {4, 3};
  writer.AddTensor("t", DataType::kF32, dims, [](const GgufWriter::Sink& sink) -> Status {
    for (int row = 0; row < 3; ++row) {
      const std::vector<float> values(4, static_cast<float>(row));
      if (Status status = sink(std::as_bytes(std::span(values))); !status.ok()) return status;
    }
    return Status();
  });
  const std::int64_t one[] = {1};
  const float value = 9;
  writer.AddTensor("u", DataType::kF32, one, std::as_bytes(std::span(&value, 1)));
  ASSERT_TRUE(writer.Write(PosixFileSystem(), path_).ok());
  const auto file = GgufFile::Open(path_);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  const float* values = reinterpret_cast<const float*>(file->FindTensor("t")->data.data());
  EXPECT_EQ(values[0], 0.0f);
  EXPECT_EQ(values[11], 2.0f);
  EXPECT_EQ(*reinterpret_cast<const float*>(file->FindTensor("u")->data.data()), 9.0f);
  EXPECT_EQ(*ReadFile(PosixFileSystem(), path_), *writer.Serialize());
}

TEST_F(GgufWriterTest, CopiesMetadataUnchanged) {
  GgufWriter writer;
  writer.SetString("s", "text");
  writer.SetU16("n", 7);
  writer.SetStringArray("tokens", std::vector<std::string>{"a", "bc"});
  writer.SetF32Array("scores", std::vector<float>{1, 2});
  ASSERT_TRUE(writer.Write(PosixFileSystem(), path_).ok());
  const auto file = GgufFile::Open(path_);
  ASSERT_TRUE(file.ok());
  GgufWriter copy;
  for (const GgufValue& value : file->metadata()) copy.Copy(value);
  EXPECT_EQ(*copy.Serialize(), *writer.Serialize());
}

TEST_F(GgufWriterTest, RefusesWhatTheFormatRefuses) {
  const std::int64_t dims[] = {4};
  const std::vector<std::byte> data(16);
  const auto with_key = [](std::string_view key) {
    GgufWriter writer;
    writer.SetU32(key, 1);
    return writer;
  };
  const auto with_tensor = [&](std::string_view name, std::vector<std::int64_t> shape,
                               DataType type = DataType::kF32) {
    GgufWriter writer;
    writer.AddTensor(name, type, shape, data);
    return writer;
  };
  ExpectRefused(with_key(""), "key is empty");
  ExpectRefused(with_key(std::string(70000, 'k')), "70000");
  ExpectRefused(with_key("\xff"), "key");
  GgufWriter twice = with_key("k");
  twice.SetU8("k", 1);
  ExpectRefused(twice, "'k' is set twice");
  ExpectRefused(with_tensor("", {4}), "tensor name is empty");
  ExpectRefused(with_tensor(std::string(65, 'n'), {4}), "65");
  GgufWriter same = with_tensor("t", {4});
  same.AddTensor("t", DataType::kF32, dims, data);
  ExpectRefused(same, "'t' is added twice");
  ExpectRefused(with_tensor("t", {}), "0 dimensions");
  ExpectRefused(with_tensor("t", {1, 1, 1, 1, 4}), "5 dimensions");
  ExpectRefused(with_tensor("t", {4, 0}), "dimension 1 of 0");
  ExpectRefused(with_tensor("t", {4}, DataType::kQ4_0), "multiple of the 32");
  ExpectRefused(with_tensor("t", {1ll << 40, 1ll << 40}), "larger than the limit");
  ExpectRefused(with_tensor("t", {4}, static_cast<DataType>(99)), "unknown type 99");
  ExpectRefused(with_tensor("t", {5}), "16 bytes, needs 20");
  ExpectRefused(with_tensor("t", {3}), "more than its 12 bytes");
  ExpectRefused(GgufWriter(24), "alignment 24");
}

TEST_F(GgufWriterTest, AFullDiskLeavesTheOldFileAndNoOther) {
  ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), path_, "old").ok());
  GgufWriter writer;
  const std::int64_t dims[] = {1000};
  writer.AddTensor("t", DataType::kF32, dims, std::vector<std::byte>(4000));
  FullDisk disk(1000);
  const Status status = writer.Write(disk, path_);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString();
  EXPECT_NE(status.message().find(path_), std::string::npos);
  EXPECT_EQ(*ReadFile(PosixFileSystem(), path_), "old");
  EXPECT_EQ(PosixFileSystem().List(folder_)->size(), 1u);
}

TEST_F(GgufWriterTest, AFailingSourceIsReported) {
  GgufWriter writer;
  const std::int64_t dims[] = {4};
  writer.AddTensor("t", DataType::kF32, dims, [](const GgufWriter::Sink&) {
    return Status(StatusCode::kDataLoss, "the source broke");
  });
  const Status status = writer.Write(PosixFileSystem(), path_);
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_TRUE(PosixFileSystem().List(folder_)->empty());
}

}  // namespace
}  // namespace liubai::engine
