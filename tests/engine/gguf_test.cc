// Every refusal of the GGUF reader by name, on files made byte by byte; good files are written by
// GgufWriter, then cut at every byte and damaged at random.
#include "engine/gguf.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>

#include "core/half.h"
#include "engine/gguf_writer.h"

namespace liubai::engine {
namespace {

using kernels::DataType;

// Bytes of a file that no writer of ours would write.
class Raw {
 public:
  template <class T>
  Raw& Put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  Raw& U32(std::uint32_t value) { return Put(value); }
  Raw& U64(std::uint64_t value) { return Put(value); }
  Raw& Text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  Raw& String(std::string_view text) { return U64(text.size()).Text(text); }
  Raw& Header(std::uint64_t tensors, std::uint64_t pairs, std::uint32_t version = 3) {
    return Text("GGUF").U32(version).U64(tensors).U64(pairs);
  }
  Raw& Tensor(std::string_view name, std::vector<std::int64_t> dims, std::uint32_t type,
              std::uint64_t offset) {
    String(name).U32(static_cast<std::uint32_t>(dims.size()));
    for (const std::int64_t dim : dims) Put(dim);
    return U32(type).U64(offset);
  }
  Raw& Zeros(std::size_t count) {
    bytes_.append(count, '\0');
    return *this;
  }
  Raw& Pad(std::size_t alignment = 32) {
    return Zeros((alignment - bytes_.size() % alignment) % alignment);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

constexpr std::uint32_t kU8 = 0, kU32 = 4, kF32 = 6, kBool = 7, kString = 8, kArray = 9, kU64 = 10;

class GgufTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "liubai-gguf-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ + "/x.gguf";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<GgufFile> Open(std::string_view bytes) {
    auto file = PosixFileSystem().OpenForWrite(path_);
    EXPECT_TRUE(file.ok());
    EXPECT_TRUE((*file)->Write(std::as_bytes(std::span(bytes))).ok());
    EXPECT_TRUE((*file)->Close().ok());
    return GgufFile::Open(path_);
  }

  // Refused with `code`, in words that hold each of `parts` and the path.
  void ExpectRefused(const Raw& raw, std::vector<std::string> parts,
                     StatusCode code = StatusCode::kDataLoss) {
    const auto file = Open(raw.bytes());
    ASSERT_FALSE(file.ok()) << parts[0];
    EXPECT_EQ(file.status().code(), code) << file.status().ToString();
    parts.push_back(path_);
    for (const std::string& part : parts) {
      EXPECT_NE(file.status().message().find(part), std::string::npos)
          << "no \"" << part << "\" in: " << file.status().message();
    }
  }

  std::string folder_;
  std::string path_;
};

GgufWriter GoodWriter(std::uint32_t alignment = 32) {
  GgufWriter writer(alignment);
  writer.SetString("general.architecture", "llama");
  writer.SetU8("u8", 200);
  writer.SetI8("i8", -5);
  writer.SetU16("u16", 65535);
  writer.SetI16("i16", -300);
  writer.SetU32("u32", 4000000000u);
  writer.SetI32("i32", -70000);
  writer.SetU64("u64", 1ull << 40);
  writer.SetI64("i64", -(1ll << 40));
  writer.SetF32("f32", 0.5f);
  writer.SetF64("f64", 0.25);
  writer.SetBool("yes", true);
  writer.SetBool("no", false);
  writer.SetStringArray("tokens", std::vector<std::string>{"a", "", "çé", std::string("\0x", 2)});
  writer.SetF32Array("scores", std::vector<float>{1.5f, -2.5f});
  writer.SetI32Array("types", std::vector<std::int32_t>{1, -2, 3});
  writer.SetU32Array("counts", std::vector<std::uint32_t>{7});
  writer.SetU8Array("blob", std::vector<std::uint8_t>{0, 255});
  writer.SetI32Array("none", {});
  std::vector<float> values(6);
  for (int i = 0; i < 6; ++i) values[i] = static_cast<float>(i);
  const std::int64_t dims[] = {3, 2};
  writer.AddTensor("a.weight", DataType::kF32, dims, std::as_bytes(std::span(values)));
  std::vector<std::byte> blocks(2 * 18, std::byte{0});
  const std::int64_t quantised[] = {32, 1, 2};
  writer.AddTensor("b.weight", DataType::kQ4_0, quantised, blocks);
  return writer;
}

TEST_F(GgufTest, ReadsWhatTheWriterWrote) {
  ASSERT_TRUE(GoodWriter().Write(PosixFileSystem(), path_).ok());
  auto file = GgufFile::Open(path_);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(file->version(), 3u);
  EXPECT_EQ(file->alignment(), 32u);
  EXPECT_EQ(file->path(), path_);
  EXPECT_EQ(*file->GetString("general.architecture"), "llama");
  EXPECT_EQ(*file->GetU32("u8"), 200u);
  EXPECT_EQ(*file->GetI64("i8"), -5);
  EXPECT_EQ(*file->GetU64("u16"), 65535u);
  EXPECT_EQ(*file->GetI64("i16"), -300);
  EXPECT_EQ(*file->GetU32("u32"), 4000000000u);
  EXPECT_EQ(*file->GetI64("i32"), -70000);
  EXPECT_EQ(*file->GetU64("u64"), 1ull << 40);
  EXPECT_EQ(*file->GetI64("i64"), -(1ll << 40));
  EXPECT_EQ(*file->GetF32("f32"), 0.5f);
  EXPECT_EQ(*file->GetF32("f64"), 0.25f);
  EXPECT_TRUE(*file->GetBool("yes"));
  EXPECT_FALSE(*file->GetBool("no"));
  const auto tokens = file->GetStringArray("tokens");
  ASSERT_EQ(tokens->size(), 4u);
  EXPECT_EQ((*tokens)[2], "çé");
  EXPECT_EQ((*tokens)[3], std::string_view("\0x", 2));
  EXPECT_EQ(*file->GetF32Array("scores"), (std::vector<float>{1.5f, -2.5f}));
  EXPECT_EQ(*file->GetI32Array("types"), (std::vector<std::int32_t>{1, -2, 3}));
  EXPECT_EQ(*file->GetU32Array("counts"), (std::vector<std::uint32_t>{7}));
  EXPECT_EQ(*file->GetU8Array("blob"), (std::vector<std::uint8_t>{0, 255}));
  EXPECT_TRUE(file->GetU32Array("none")->empty());
  ASSERT_EQ(file->tensors().size(), 2u);
  const GgufTensor* a = file->FindTensor("a.weight");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->ShapeString(), "[3, 2]");
  EXPECT_EQ(a->rows(), 2);
  EXPECT_EQ(a->elements(), 6);
  float second[3];
  std::memcpy(second, a->row(1).data(), sizeof(second));
  EXPECT_EQ(second[0], 3.0f);
  EXPECT_EQ(a->offset, file->data_offset());
  const GgufTensor* b = *file->GetTensor("b.weight");
  EXPECT_EQ(b->type, DataType::kQ4_0);
  EXPECT_EQ(b->rows(), 2);
  EXPECT_EQ(b->data.size(), 36u);
  file->Release(*b);
  EXPECT_EQ(b->data[35], std::byte{0});
  EXPECT_TRUE(file->CheckUnchanged().ok());
  EXPECT_EQ(file->metadata().size(), 19u);
}

TEST_F(GgufTest, AccessErrorsNameTheKey) {
  ASSERT_TRUE(GoodWriter().Write(PosixFileSystem(), path_).ok());
  const auto file = GgufFile::Open(path_);
  ASSERT_TRUE(file.ok());
  const auto expect = [](const Status& status, StatusCode code, std::string_view part) {
    EXPECT_EQ(status.code(), code) << status.ToString();
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  };
  expect(file->GetU32("llama.block_count").status(), StatusCode::kNotFound, "llama.block_count");
  expect(file->GetTensor("c.weight").status(), StatusCode::kNotFound, "c.weight");
  expect(file->GetU32("i8").status(), StatusCode::kInvalidArgument, "holds -5");
  expect(file->GetU32("u64").status(), StatusCode::kInvalidArgument, "1099511627776");
  expect(file->GetU32("f32").status(), StatusCode::kInvalidArgument, "f32");
  expect(file->GetU32("yes").status(), StatusCode::kInvalidArgument, "bool");
  expect(file->GetU32("types").status(), StatusCode::kInvalidArgument, "array of i32");
  expect(file->GetU32("none").status(), StatusCode::kInvalidArgument, "array of i32");
  expect(file->GetF32("u32").status(), StatusCode::kInvalidArgument, "u32");
  expect(file->GetF32("none").status(), StatusCode::kInvalidArgument, "array of i32");
  expect(file->GetString("u32").status(), StatusCode::kInvalidArgument, "u32");
  expect(file->GetBool("u8").status(), StatusCode::kInvalidArgument, "u8");
  expect(file->GetStringArray("scores").status(), StatusCode::kInvalidArgument, "scores");
  expect(file->GetF32Array("types").status(), StatusCode::kInvalidArgument, "types");
  expect(file->GetF32Array("tokens").status(), StatusCode::kInvalidArgument, "tokens");
  expect(file->GetI32Array("tokens").status(), StatusCode::kInvalidArgument, "tokens");
  expect(file->GetU32Array("types").status(), StatusCode::kInvalidArgument, "holds -2");
  expect(file->GetBoolArray("types").status(), StatusCode::kInvalidArgument, "types");
  EXPECT_EQ(*file->GetU32Or("absent", 7), 7u);
  EXPECT_EQ(*file->GetStringOr("absent", "x"), "x");
  expect(file->GetU32Or("f32", 7).status(), StatusCode::kInvalidArgument, "f32");
}

TEST_F(GgufTest, AcceptsVersionTwoAndAFileWithoutTensors) {
  const auto file = Open(Raw().Header(0, 1, 2).String("k").U32(kU8).Put('\x05').bytes());
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(file->version(), 2u);
  EXPECT_EQ(*file->GetU32("k"), 5u);
}

TEST_F(GgufTest, HonoursAlignment) {
  ASSERT_TRUE(GoodWriter(4096).Write(PosixFileSystem(), path_).ok());
  const auto file = GgufFile::Open(path_);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(file->alignment(), 4096u);
  EXPECT_EQ(file->tensors()[1].offset % 4096, 0u);
}

TEST_F(GgufTest, RefusesEmptyShortAndForeignFiles) {
  ExpectRefused(Raw(), {"empty", "offset 0"});
  ExpectRefused(Raw().Text("GGUF").U32(3), {"8 bytes", "24"});
  ExpectRefused(Raw().Text("Once upon a time there was a text file."), {"bad magic 'Once'"});
}

TEST_F(GgufTest, RefusesVersions) {
  for (const std::uint32_t version : {0u, 1u, 4u, 1000u}) {
    ExpectRefused(Raw().Header(0, 0, version),
                  {"version " + std::to_string(version) + " ", "2 and 3", "offset 4"},
                  StatusCode::kUnimplemented);
  }
  ExpectRefused(Raw().Header(0, 0, 0x03000000), {"big-endian"}, StatusCode::kUnimplemented);
}

TEST_F(GgufTest, RefusesCountsBeyondTheFile) {
  ExpectRefused(Raw().Header(~0ull, 0), {"tensor count 18446744073709551615", "offset 8"});
  ExpectRefused(Raw().Header(1, 0), {"tensor count 1", "at most 0"});
  ExpectRefused(Raw().Header(0, 1ull << 63), {"metadata count 9223372036854775808", "offset 16"});
  ExpectRefused(Raw().Header(0, 3).Zeros(41), {"metadata count 3", "at most 2"});
}

TEST_F(GgufTest, RefusesKeys) {
  ExpectRefused(Raw().Header(0, 1).String("").U32(kU64).U64(0), {"key is empty", "offset 24"});
  ExpectRefused(Raw().Header(0, 1).String(std::string(65537, 'k')).U32(kU8).Zeros(1),
                {"65537", "65536"});
  EXPECT_TRUE(
      Open(Raw().Header(0, 1).String(std::string(65536, 'k')).U32(kU8).Zeros(1).bytes()).ok());
  ExpectRefused(Raw().Header(0, 2).String("dup").U32(kU8).Zeros(1).String("dup").U32(kU8).Zeros(1),
                {"duplicate key 'dup'", "offset 40"});
  ExpectRefused(Raw().Header(0, 1).String("a\xff").U32(kU8).Zeros(1),
                {"not valid UTF-8", "offset 33"});
  ExpectRefused(Raw().Header(0, 1).String(std::string_view("a\0", 2)).U32(kU8).Zeros(1), {"NUL"});
  ExpectRefused(Raw().Header(0, 1).U64(1ull << 62).Zeros(16),
                {"key has length 4611686018427387904", "16 bytes are left"});
}

TEST_F(GgufTest, RefusesValues) {
  ExpectRefused(Raw().Header(0, 1).String("k").U32(13).U64(0), {"'k'", "value type 13", "12"});
  ExpectRefused(Raw().Header(0, 1).String("k").U32(kArray).U32(kArray).U64(0), {"'k'", "nested"});
  ExpectRefused(Raw().Header(0, 1).String("k").U32(kArray).U32(99).U64(0), {"element type 99"});
  ExpectRefused(Raw().Header(0, 1).String("k").U32(kString).U64(9).Text("12345678"),
                {"'k'", "length 9", "8 bytes are left"});
  ExpectRefused(Raw().Header(0, 1).String("k").U32(kArray).U32(kU32).U64(3).Zeros(11),
                {"'k'", "3 elements", "11 bytes are left"});
  // 2^62 * 4 is 0 in 64 bits.
  ExpectRefused(Raw().Header(0, 1).String("k").U32(kArray).U32(kF32).U64(1ull << 62).Zeros(8),
                {"4611686018427387904 elements"});
  ExpectRefused(Raw().Header(0, 1).String("k").U32(kArray).U32(kString).U64(1ull << 61).Zeros(8),
                {"2305843009213693952 elements"});
  ExpectRefused(Raw().Header(0, 1).String("k").U32(kArray).U32(kString).U64(2).String("abc").U64(5),
                {"'k'", "length 5", "0 bytes are left"});
  ExpectRefused(Raw().Header(0, 1).String("k").U32(kU64).U32(0), {"needs 8 bytes, 4 are left"});
  ExpectRefused(Raw().Header(0, 1).String("k").U32(kBool).Put('\x02'), {"'k'", "bool 2"});
  ExpectRefused(Raw().Header(0, 1).String("k").U32(kArray).U32(kBool).U64(3).Text(
                    std::string_view("\1\0\3", 3)),
                {"'k'", "bool 3", "offset 51"});
}

TEST_F(GgufTest, RefusesAlignments) {
  const auto with = [](std::uint32_t alignment) {
    return Raw().Header(0, 1).String("general.alignment").U32(kU32).U32(alignment);
  };
  for (const std::uint32_t bad : {0u, 1u, 4u, 33u, 48u, 1u << 21, 1u << 31}) {
    ExpectRefused(with(bad), {"general.alignment is " + std::to_string(bad), "1048576"});
  }
  for (const std::uint32_t good : {8u, 32u, 1u << 20}) EXPECT_TRUE(Open(with(good).bytes()).ok());
  ExpectRefused(Raw().Header(0, 1).String("general.alignment").U32(kU64).U64(32), {"u64", "u32"});
  ExpectRefused(Raw().Header(0, 1).String("general.alignment").U32(kString).String("32"),
                {"string", "u32"});
}

TEST_F(GgufTest, RefusesTensorNames) {
  const auto with = [](std::string_view name) {
    return Raw().Header(1, 0).Tensor(name, {8}, 0, 0).Pad().Zeros(32);
  };
  EXPECT_TRUE(Open(with(std::string(64, 'n')).bytes()).ok());
  ExpectRefused(with(std::string(65, 'n')), {"tensor name has 65 bytes", "64"});
  ExpectRefused(with(""), {"tensor name is empty"});
  ExpectRefused(with("\xc0\xaf"), {"not valid UTF-8"});
  ExpectRefused(Raw().Header(2, 0).Tensor("t", {8}, 0, 0).Tensor("t", {8}, 0, 32).Pad().Zeros(64),
                {"duplicate tensor 't'"});
}

TEST_F(GgufTest, RefusesShapes) {
  const auto with = [](std::vector<std::int64_t> dims, std::uint32_t type = 0) {
    return Raw().Header(1, 0).Tensor("t", std::move(dims), type, 0).Pad().Zeros(256);
  };
  EXPECT_TRUE(Open(with({8, 2, 2, 2}).bytes()).ok());
  ExpectRefused(with({}), {"'t'", "0 dimensions"});
  ExpectRefused(with({1, 1, 1, 1, 1}), {"'t'", "5 dimensions"});
  ExpectRefused(with({0}), {"dimension 0 of 0"});
  ExpectRefused(with({8, -1}), {"dimension 1 of -1"});
  ExpectRefused(with({8, 0, 2}), {"dimension 1 of 0"});
  ExpectRefused(with({33}, 2), {"rows of 33", "32", "Q4_0"});
  ExpectRefused(with({128}, 12), {"rows of 128", "256", "Q4_K"});
  // Products that wrap to small numbers in 64 bits.
  ExpectRefused(with({1ll << 32, 1ll << 32}), {"[4294967296, 4294967296]", "larger than the file"});
  ExpectRefused(with({1ll << 62, 4}), {"larger than the file"});
  ExpectRefused(with({4, 1ll << 60, 1ll << 2}), {"larger than the file"});
  ExpectRefused(with({std::numeric_limits<std::int64_t>::max()}), {"larger than the file"});
  ExpectRefused(with({1, 1, 1, std::numeric_limits<std::int64_t>::max()}),
                {"larger than the file"});
  ExpectRefused(with({1000}), {"larger than the file"});
}

TEST_F(GgufTest, RefusesTypes) {
  const auto with = [](std::uint32_t type) {
    return Raw().Header(1, 0).Tensor("t", {256}, type, 0).Pad().Zeros(1024);
  };
  ExpectRefused(with(10), {"'t'", "type 10 (Q2_K)"}, StatusCode::kUnimplemented);
  ExpectRefused(with(4), {"type 4 (unknown)"}, StatusCode::kUnimplemented);
  ExpectRefused(with(0xffffffff), {"type 4294967295"}, StatusCode::kUnimplemented);
}

TEST_F(GgufTest, RefusesPlaces) {
  const auto two = [](std::uint64_t first, std::uint64_t second) {
    return Raw()
        .Header(2, 0)
        .Tensor("a", {16}, 0, first)
        .Tensor("b", {16}, 0, second)
        .Pad()
        .Zeros(192);
  };
  EXPECT_TRUE(Open(two(0, 64).bytes()).ok());
  EXPECT_TRUE(Open(two(128, 0).bytes()).ok());  // Any order.
  ExpectRefused(two(0, 68), {"'b'", "data offset 68", "alignment 32"});
  ExpectRefused(two(0, 32), {"'b' overlaps 'a'"});
  ExpectRefused(two(0, 0), {"overlaps"});
  ExpectRefused(two(96, 64), {"'a' overlaps 'b'"});
  ExpectRefused(two(0, 160), {"'b' needs 64 bytes at data offset 160", "192"});
  ExpectRefused(two(0, ~0ull - 31), {"'b' needs 64 bytes at data offset 18446744073709551584"});
  // The file ends inside the padding before the data.
  ExpectRefused(
      Raw().Header(1, 1).String("general.alignment").U32(kU32).U32(1 << 20).Tensor("t", {1}, 0, 0),
      {"padding"});
}

TEST_F(GgufTest, RefusesFoldersPipesAndMissingFiles) {
  EXPECT_EQ(GgufFile::Open(folder_).status().code(), StatusCode::kInvalidArgument);
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(GgufFile::Open(pipe).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(GgufFile::Open(folder_ + "/none").status().code(), StatusCode::kNotFound);
}

TEST_F(GgufTest, NoticesAFileThatShrinks) {
  ASSERT_TRUE(GoodWriter().Write(PosixFileSystem(), path_).ok());
  const auto file = GgufFile::Open(path_);
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(::truncate(path_.c_str(), 100), 0);
  const Status status = file->CheckUnchanged();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_NE(status.message().find("100 bytes"), std::string::npos) << status.message();
}

TEST_F(GgufTest, NamesTheBlockOfANonFiniteScale) {
  GgufWriter writer;
  std::vector<std::byte> blocks(4 * 34, std::byte{0});
  const std::uint16_t nan = FloatToHalf(std::nanf(""));
  std::memcpy(blocks.data() + 2 * 34, &nan, 2);
  const std::int64_t dims[] = {64, 2};
  writer.AddTensor("bad", DataType::kQ8_0, dims, blocks);
  ASSERT_TRUE(writer.Write(PosixFileSystem(), path_).ok());
  const auto file = GgufFile::Open(path_);
  ASSERT_TRUE(file.ok());
  const Status status = file->CheckFinite(file->tensors()[0]);
  EXPECT_EQ(status.code(), StatusCode::kNumericError);
  EXPECT_NE(status.message().find("'bad'"), std::string::npos);
  EXPECT_NE(status.message().find("Q8_0 block 2"), std::string::npos);
  EXPECT_NE(status.message().find(std::to_string(file->data_offset() + 68)), std::string::npos);
}

// Reads all that a loader would read.
void Touch(const GgufFile& file) {
  for (const GgufValue& value : file.metadata()) {
    (void)file.GetU32(value.key).ok();
    (void)file.GetI64(value.key).ok();
    (void)file.GetF32(value.key).ok();
    (void)file.GetString(value.key).ok();
    (void)file.GetF32Array(value.key).ok();
    (void)file.GetI32Array(value.key).ok();
    std::size_t bytes = 0;
    for (const std::string_view text : value.strings) bytes += text.size();
    EXPECT_LE(bytes, file.file_bytes());
  }
  for (const GgufTensor& tensor : file.tensors()) {
    (void)file.CheckFinite(tensor).ok();
    EXPECT_EQ(static_cast<std::int64_t>(tensor.row(tensor.rows() - 1).size()) * tensor.rows(),
              static_cast<std::int64_t>(tensor.data.size()));
  }
}

TEST_F(GgufTest, RefusesTruncationAtEveryByte) {
  const auto bytes = GoodWriter().Serialize();
  ASSERT_TRUE(bytes.ok());
  // The last tensor ends before the padding of the file's end.
  const std::size_t padding = (32 - 36 % 32) % 32;
  for (std::size_t length = 0; length < bytes->size() - padding; ++length) {
    const auto file = Open(std::string_view(*bytes).substr(0, length));
    ASSERT_FALSE(file.ok()) << "accepted at " << length << " of " << bytes->size();
    EXPECT_EQ(file.status().code(), StatusCode::kDataLoss) << file.status().ToString();
  }
  EXPECT_TRUE(Open(std::string_view(*bytes).substr(0, bytes->size() - padding)).ok());
}

TEST_F(GgufTest, SurvivesRandomDamage) {
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const std::string good = *GoodWriter().Serialize();
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string bytes = good;
    const int damages = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < damages; ++i) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
          break;
        case 1:
          bytes[at] = static_cast<char>(random());
          break;
        case 2:
          bytes[at] = random() % 2 == 0 ? '\xff' : '\x7f';
          break;
        default:
          bytes.erase(at, 1 + random() % 8);
      }
    }
    const auto file = Open(bytes);
    if (file.ok()) {
      Touch(*file);
    } else {
      ++refused;
      EXPECT_FALSE(file.status().message().empty());
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST_F(GgufTest, LargeTokenArraysAreViewsIntoTheFile) {
  GgufWriter writer;
  std::vector<std::string> tokens;
  for (int i = 0; i < 250000; ++i) tokens.push_back("token" + std::to_string(i));
  writer.SetStringArray("tokenizer.ggml.tokens", tokens);
  ASSERT_TRUE(writer.Write(PosixFileSystem(), path_).ok());
  const auto file = GgufFile::Open(path_);
  ASSERT_TRUE(file.ok());
  const auto read = *file->GetStringArray("tokenizer.ggml.tokens");
  ASSERT_EQ(read.size(), tokens.size());
  EXPECT_EQ(read[249999], "token249999");
  const auto data = file->Find("tokenizer.ggml.tokens")->data;
  EXPECT_GE(static_cast<const void*>(read[0].data()), static_cast<const void*>(data.data()));
  EXPECT_LT(static_cast<const void*>(read[249999].data()),
            static_cast<const void*>(data.data() + data.size()));
}

}  // namespace
}  // namespace liubai::engine
