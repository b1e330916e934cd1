#include "memory/jsonl.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

namespace liubai::memory {
namespace {

class JsonlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "liubai-jsonl-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    store_ = *Store::Open(folder_ + "/s");
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  Result<JsonlReport> Import(const std::string& text, bool skip_bad = false) {
    const std::string path = folder_ + "/in.jsonl";
    EXPECT_TRUE(WriteFileAtomically(PosixFileSystem(), path, text).ok());
    auto file = PosixFileSystem().OpenForRead(path);
    JsonlOptions options;
    options.skip_bad = skip_bad;
    return ImportJsonl(*store_, **file, options);
  }
  std::string Export() {
    const std::string path = folder_ + "/out.jsonl";
    auto file = PosixFileSystem().OpenForWrite(path);
    EXPECT_TRUE(ExportJsonl(*store_, **file).ok());
    EXPECT_TRUE((*file)->Close().ok());
    return *ReadFile(PosixFileSystem(), path);
  }
  std::string folder_;
  std::unique_ptr<Store> store_;
};

TEST_F(JsonlTest, RoundTrips) {
  const std::string text =
      R"({"role":"user","content":"Hi \"there\"\n你好","time":"2023-05-08T13:56:00.000Z","speaker":"Ada","session":"a"})"
      "\n"
      R"({"role":"assistant","content":"","time":"2023-05-08T13:56:01.500Z","session":"b"})"
      "\n";
  const auto report = Import(text);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->turns, 2);
  EXPECT_EQ(report->sessions, 2);
  EXPECT_EQ(Export(), text);
}

TEST_F(JsonlTest, AcceptsByteOrderMarkCarriageReturnsBlankLinesAndNoLastLineEnd) {
  const auto report = Import(
      "\xef\xbb\xbf{\"role\":\"user\",\"content\":\"a\"}\r\n\r\n  "
      "\n{\"role\":\"tool\",\"content\":\"b\"}");
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->turns, 2);
  EXPECT_EQ(store_->FindSession("import")->turns, 2);
}

TEST_F(JsonlTest, OneBadLineRejectsAllAndIsNamed) {
  const std::string good = "{\"role\":\"user\",\"content\":\"a\"}\n";
  const std::pair<std::string, std::string> cases[] = {
      {"{\"role\":\"user\"", "not JSON"},
      {"[1]", "array"},
      {"{\"content\":\"a\"}", "role"},
      {"{\"role\":\"user\"}", "content"},
      {"{\"role\":\"king\",\"content\":\"a\"}", "king"},
      {"{\"role\":\"user\",\"content\":5}", "number"},
      {"{\"role\":\"user\",\"content\":\"\xff\"}", "UTF-8"},
      {"{\"role\":\"user\",\"content\":\"a\\u0000b\"}", "NUL"},
      {"{\"role\":\"user\",\"content\":\"a\",\"time\":\"yesterday\"}", "yesterday"},
      {"{\"role\":\"user\",\"content\":\"a\",\"time\":true}", "boolean"},
  };
  for (const auto& [line, why] : cases) {
    const auto report = Import(good + line + "\n" + good);
    ASSERT_FALSE(report.ok()) << line;
    EXPECT_NE(report.status().message().find("line 2"), std::string::npos)
        << report.status().message();
    EXPECT_NE(report.status().message().find(why), std::string::npos) << report.status().message();
    EXPECT_EQ(store_->Stats()->turns, 0);
    EXPECT_EQ(store_->Stats()->sessions, 0);
  }
  const auto skipped = Import(good + cases[4].first + "\n" + good, true);
  ASSERT_TRUE(skipped.ok());
  EXPECT_EQ(skipped->turns, 2);
  EXPECT_EQ(skipped->skipped, 1);
  ASSERT_EQ(skipped->problems.size(), 1u);
  EXPECT_NE(skipped->problems[0].find("line 2"), std::string::npos);
}

TEST_F(JsonlTest, LongLinesAndTheirLimit) {
  const std::string text =
      "{\"role\":\"user\",\"content\":\"" + std::string(5 << 20, 'y') + "\"}\n";
  ASSERT_TRUE(Import(text).ok());
  EXPECT_EQ(store_->Stats()->text_bytes, 5 << 20);
}

TEST(TimeTest, ReadsIsoAndPrintsIt) {
  EXPECT_EQ(ParseTime("1970-01-02"), 86'400'000);
  EXPECT_EQ(ParseTime("2023-05-08T13:56:00Z"), 1683554160000);
  EXPECT_EQ(ParseTime("2023-05-08 15:56:00+02:00"), 1683554160000);
  EXPECT_EQ(ParseTime("2023-05-08T13:56:00.25"), 1683554160250);
  for (const char* bad :
       {"", "2023", "2023-13-01", "2023-02-30", "2023-05-08T25:00", "2023-05-08T13:56:00Zx",
        "2023-05-08x", "2023-05-08T13:56+", "2023-05-08T13:56:00."}) {
    EXPECT_FALSE(ParseTime(bad).has_value()) << bad;
  }
  EXPECT_EQ(FormatTime(-1), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace liubai::memory
