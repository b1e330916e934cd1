#include "core/text.h"

#include <gtest/gtest.h>

#include "core/half.h"

namespace liubai {
namespace {

TEST(TextTest, FindsEveryKindOfInvalidUtf8) {
  EXPECT_EQ(FindInvalidUtf8("plain 中文 \xf0\x9f\x98\x80"), std::string_view::npos);
  for (const char* bad : {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe4\xb8", "\xff"}) {
    EXPECT_EQ(FindInvalidUtf8(std::string("ab") + bad), 2u) << bad;
  }
  EXPECT_EQ(RepairUtf8("a\xff""b"), "a\xef\xbf\xbd" "b");
}

TEST(TextTest, CheckTextNamesTheOffset) {
  EXPECT_TRUE(CheckText("留白", "turn").ok());
  EXPECT_EQ(CheckText("ab\xff", "turn").message(),
            "turn is not valid UTF-8: byte 0xff at offset 2");
  EXPECT_EQ(CheckText(std::string_view("a\0b", 3), "turn").message(),
            "turn holds a NUL byte at offset 1");
}

TEST(TextTest, CutsBetweenCodePoints) {
  EXPECT_EQ(TruncateUtf8("中文", 4), "中");
  EXPECT_EQ(CompleteUtf8Prefix("a\xe4\xb8"), 1u);
  EXPECT_EQ(CompleteUtf8Prefix("中"), 3u);
}

TEST(TextTest, RoundTripsEveryCodePoint) {
  for (std::int32_t c = 1; c <= 0x10ffff; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    std::string text;
    AppendUtf8(c, text);
    const DecodedCodePoint point = DecodeUtf8(text, 0);
    ASSERT_EQ(point.value, c);
    ASSERT_EQ(point.length, text.size());
  }
}

TEST(TextTest, SuggestsTheNearestWord) {
  const std::string_view words[] = {"inspect", "import", "export"};
  EXPECT_EQ(NearestWord("inspct", words), "inspect");
  EXPECT_EQ(NearestWord("zzzzzz", words), "");
}

TEST(HalfTest, EveryHalfRoundTrips) {
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const auto half = static_cast<std::uint16_t>(h);
    if ((half & 0x7c00) == 0x7c00 && (half & 0x3ff) != 0) continue;  // NaN
    ASSERT_EQ(FloatToHalf(HalfToFloat(half)), half) << h;
  }
  EXPECT_EQ(FloatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(FloatToHalf(1.0f + 0x1p-11f), 0x3c00);  // A tie goes to even.
  EXPECT_EQ(FloatToBfloat16(1.0f + 0x1p-8f), 0x3f80);
}

}  // namespace
}  // namespace liubai
