// What people say of times, and what they do not mean by it, as seen from Wednesday 14 June 2023,
// 10:00. Ranges are written "first day..last day precision[ relation][ about]".
#include "memory/date_expression.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace liubai {
namespace {

using memory::ReadTimes;
using memory::TimeExpression;
using memory::TimeReader;
using memory::TimeReading;

constexpr std::int64_t kDay = 86400000;
constexpr std::int64_t kHour = 3600000;
constexpr std::int64_t kNow = 1686736800000;  // 2023-06-14 10:00

std::string Day(std::int64_t ms) { return memory::FormatMinute(ms).substr(0, 10); }

std::string Describe(const TimeExpression& time) {
  std::string out;
  if (time.precision == memory::TimePrecision::kPartOfDay) {
    out = memory::FormatMinute(time.range.from_ms) + ".." + memory::FormatMinute(time.range.to_ms);
  } else {
    out = Day(time.range.from_ms);
    if (time.range.to_ms > time.range.from_ms + kDay) out += ".." + Day(time.range.to_ms - 1);
    out.append(" ").append(TimePrecisionName(time.precision));
  }
  if (time.relation != memory::TimeRelation::kWithin) {
    out.append(" ").append(TimeRelationName(time.relation));
  }
  if (time.range.about) out += " about";
  return out;
}
std::string Describe(const TimeReading& reading) {
  std::string out;
  for (const TimeExpression& time : reading.times) {
    if (!out.empty()) out += "; ";
    out += Describe(time);
  }
  for (std::size_t i = 0; i < reading.impossible.size(); ++i) out += out.empty() ? "!" : " !";
  return out;
}

struct Case {
  std::string_view text;
  std::string_view wanted;  // "" for none, "!" for a date that does not exist.
};

void Check(std::span<const Case> cases, TimeReader reader) {
  for (const auto& [text, wanted] : cases) {
    EXPECT_EQ(Describe(ReadTimes(text, kNow, reader)), wanted) << text;
  }
}

constexpr Case kEnglish[] = {
    {"What did I cook yesterday?", "2023-06-13 day"},
    {"Who rang me today", "2023-06-14 day"},
    {"where was I the day before yesterday", "2023-06-12 day"},
    {"which film did we see last Saturday?", "2023-06-10 day"},
    {"which film did we see last wednesday?", "2023-06-07 day"},
    {"what did she lend me on Monday", "2023-06-12 day"},
    {"the plumber came on friday", "2023-06-09 day"},
    {"Where did I eat four weeks ago?", "2023-05-15..2023-05-19 week about"},
    {"how far did I run 5 days ago?", "2023-06-09 day"},
    {"how far did I run twenty-one days ago?", "2023-05-24 day"},
    {"what did I plant a month ago", "2023-05-04..2023-05-24 month about"},
    {"what did I plant two years ago", "2021-04-15..2021-08-13 year about"},
    {"a couple of days ago he wrote", "2023-06-11..2023-06-13 day about"},
    {"a few weeks ago he wrote", "2023-05-03..2023-05-31 week about"},
    {"what did I take part in a month ago?", "2023-05-04..2023-05-24 month about"},
    {"the weekend of the 4th of July", "2022-07-02..2022-07-03 days"},
    {"on Tuesday the 9th?", "2023-06-09 day"},
    {"since the beginning of the year", "2023-01-01..2023-02-28 season since"},
    {"a week ago on Saturday", "2023-06-10 day"},
    {"in the first half of September 2022", "2022-09-01..2022-09-15 days"},
    {"the last weekend before April 10, 2023", "2023-04-08..2023-04-09 days"},
    {"on Ash Wednesday", "2023-02-22 day"},
    {"the 7/22 trip", "2022-07-22 day"},
    {"half a year ago we met", "2022-10-15..2023-02-12 month about"},
    {"a year and a half ago we met", "2021-10-15..2022-02-12 year about"},
    {"an hour ago", "2023-06-14 day"},
    {"in the past month", "2023-05-14..2023-06-14 month"},
    {"over the past two weeks", "2023-05-31..2023-06-14 week"},
    {"during the last 10 days", "2023-06-04..2023-06-14 day"},
    {"in the last year", "2022-06-14..2023-06-14 year"},
    {"last week", "2023-06-05..2023-06-11 week"},
    {"last month", "2023-05-01..2023-05-31 month"},
    {"last year", "2022-01-01..2022-12-31 year"},
    {"this year", "2023-01-01..2023-12-31 year"},
    {"earlier this year", "2023-01-01..2023-06-14 year"},
    {"earlier this month", "2023-06-01..2023-06-14 month"},
    {"this past weekend", "2023-06-10..2023-06-11 days"},
    {"last weekend", "2023-06-10..2023-06-11 days"},
    {"two weekends ago", "2023-06-03..2023-06-04 days"},
    {"the weekend before last", "2023-06-03..2023-06-04 days"},
    {"the week before last", "2023-05-29..2023-06-04 week"},
    {"the year before last", "2021-01-01..2021-12-31 year"},
    {"three fridays ago", "2023-05-26 day"},
    {"over the weekend", "2023-06-10..2023-06-11 days"},
    {"what happened in May?", "2023-05-01..2023-05-31 month"},
    {"what happened in may?", "2023-05-01..2023-05-31 month"},
    {"what happened in July?", "2022-07-01..2022-07-31 month"},
    {"during March", "2023-03-01..2023-03-31 month"},
    {"in may last year", "2022-05-01..2022-05-31 month"},
    {"in May of last year", "2022-05-01..2022-05-31 month"},
    {"last May", "2023-05-01..2023-05-31 month"},
    {"in June 2021", "2021-06-01..2021-06-30 month"},
    {"in september, 2021", "2021-09-01..2021-09-30 month"},
    {"early June", "2023-06-01..2023-06-10 days"},
    {"mid-July", "2022-07-11..2022-07-20 days"},
    {"late March 2022", "2022-03-21..2022-03-31 days"},
    {"at the end of April", "2023-04-21..2023-04-30 days"},
    {"at the beginning of the month of May", "2023-05-01..2023-05-31 month"},
    {"in 2022", "2022-01-01..2022-12-31 year"},
    {"back in 2019?", "2019-01-01..2019-12-31 year"},
    {"in early 2022", "2022-01-01..2022-04-30 season"},
    {"in the second half of 2021", "2021-07-01..2021-12-31 season"},
    {"the first quarter of 2022", "2022-01-01..2022-03-31 season"},
    {"in the nineties", "1990-01-01..1999-12-31 years"},
    {"in the 1980s", "1980-01-01..1989-12-31 years"},
    {"on 8 May 2023", "2023-05-08 day"},
    {"on May 8th, 2023?", "2023-05-08 day"},
    {"on May 8?", "2023-05-08 day"},
    {"on the 8th of May", "2023-05-08 day"},
    {"on the third of august", "2022-08-03 day"},
    {"march 3rd", "2023-03-03 day"},
    {"on Friday, May 5", "2023-05-05 day"},
    {"on Oct. 12", "2022-10-12 day"},
    {"between Dec 3 and Dec 9, 2022", "2022-12-03..2022-12-09 day"},
    {"May 5-8", "2023-05-05..2023-05-08 days"},
    {"on 2023-02-11", "2023-02-11 day"},
    {"2023/02/11", "2023-02-11 day"},
    {"on 2/11/2023", "2023-02-11 day"},
    {"on 21.3.2023", "2023-03-21 day"},
    {"in 2023-02", "2023-02-01..2023-02-28 month"},
    {"between March and May", "2023-03-01..2023-05-31 month"},
    {"from October to January", "2022-10-01..2023-01-31 month"},
    {"from march until may 2022", "2022-03-01..2022-05-31 month"},
    {"between 2019 and 2021", "2019-01-01..2021-12-31 year"},
    {"from Monday to Wednesday last week", "2023-06-05..2023-06-07 day"},
    {"on Friday last week", "2023-06-09 day"},
    {"on Tuesday two weeks ago", "2023-05-30 day"},
    {"on Valentine's day", "2023-02-14 day"},
    {"on Valentine\u2019s Day last year", "2022-02-14 day"},
    {"Christmas Eve last year", "2022-12-24 day"},
    {"last year's Christmas", "2022-12-25 day"},
    {"at Christmas 2020", "2020-12-25 day"},
    {"on Thanksgiving", "2022-11-24 day"},
    {"on easter sunday", "2023-04-09 day"},
    {"on Mother's Day", "2023-05-14 day"},
    {"on the Fourth of July", "2022-07-04 day"},
    {"on New Year's Eve", "2022-12-31 day"},
    {"during Chinese New Year", "2023-01-22..2023-01-28 days"},
    {"the day after Christmas", "2022-12-26 day"},
    {"two days before Valentine's Day", "2023-02-12 day"},
    {"the week before Easter", "2023-04-02..2023-04-08 week"},
    {"the weekend of May 6", "2023-05-06..2023-05-07 days"},
    {"in the first week of June", "2023-06-01..2023-06-07 week"},
    {"the last Friday in April", "2023-04-28 day"},
    {"the second weekend of March", "2023-03-11..2023-03-12 days"},
    {"last summer", "2022-06-01..2022-08-31 season"},
    {"in the summer of 2021", "2021-06-01..2021-08-31 season"},
    {"two winters ago", "2021-12-01..2022-02-28 season"},
    {"in the fall", "2022-09-01..2022-11-30 season"},
    {"last night", "2023-06-13 18:00..2023-06-14 06:00"},
    {"yesterday evening", "2023-06-13 17:00..2023-06-14 00:00"},
    {"this morning", "2023-06-14 04:00..2023-06-14 12:00"},
    {"on Sunday afternoon", "2023-06-11 12:00..2023-06-11 18:00"},
    {"last Saturday night", "2023-06-10 18:00..2023-06-11 06:00"},
    {"since March", "2023-03-01..2023-03-31 month since"},
    {"before May 2022", "2022-05-01..2022-05-31 month before"},
    {"after last Tuesday", "2023-06-13 day after"},
    {"until the end of April", "2023-04-21..2023-04-30 days until"},
    {"prior to 2020", "2020-01-01..2020-12-31 year before"},
    {"What am I going to do next Friday?", "2023-06-23 day"},
    {"the day after tomorrow", "2023-06-16 day"},
    {"the other day", "2023-06-06..2023-06-12 days about"},
    {"yesterday and last Monday", "2023-06-13 day; 2023-06-12 day"},
    {"on February 30", "!"},
    {"on February 29", "2020-02-29 day"},
    {"on February 29, 2023", "!"},
    {"on 31 April 2022", "!"},
    {"on 2023-13-05", "!"},
    {"on the 45th of May", "!"},
};
TEST(DateExpression, ReadsEnglishQuestions) { Check(kEnglish, TimeReader::kQuestion); }

constexpr Case kNotEnglish[] = {
    {"May I march forward for a second?", ""},
    {"may 2 friends come along", ""},
    {"the army may march", ""},
    {"she may be home", ""},
    {"march on, sun or rain", ""},
    {"I sat in the sun", ""},
    {"they wed in secret", ""},
    {"for three years", ""},
    {"a three-year-old boy", ""},
    {"he is 30 years old", ""},
    {"how long did it last", ""},
    {"did the battery last two hours", ""},
    {"last time we spoke", ""},
    {"my last name", ""},
    {"at the last minute", ""},
    {"every Friday", ""},
    {"on Sundays", ""},
    {"each May", ""},
    {"a spring mattress", ""},
    {"I fall asleep", ""},
    {"the second book", ""},
    {"it costs 2000 dollars", ""},
    {"in 2000 steps", "2000-01-01..2000-12-31 year"},
    {"April called me", ""},
    {"with June and Augustus", ""},
    {"May's bicycle", ""},
    {"on the 5th floor", ""},
    {"version 10.2.1", ""},
    {"call 555-1234", ""},
    {"one day we will see", ""},
    {"two hours later", ""},
    {"the day before my exam", ""},
    {"", ""},
    {"a", ""},
};
TEST(DateExpression, TakesNoOtherEnglishForATime) { Check(kNotEnglish, TimeReader::kQuestion); }

constexpr Case kChinese[] = {
    {"昨天我吃了什么", "2023-06-13 day"},
    {"前天谁来过", "2023-06-12 day"},
    {"两三天前", "2023-06-11..2023-06-13 day about"},
    {"大年初三", "2023-01-24 day"},
    {"去年的今天", "2022-06-14 day"},
    {"去年十月一号到七号", "2022-10-01..2022-10-07 day"},
    {"听说今天下雨", "2023-06-14 day"},
    {"我说过去年夏天的事", "2022-06-01..2022-08-31 season"},
    {"22年夏天", "2022-06-01..2022-08-31 season"},
    {"我们可以这个周末去吗", "2023-06-17..2023-06-18 days"},
    {"大前天呢", "2023-06-11 day"},
    {"三天前说了什么", "2023-06-11 day"},
    {"5天前", "2023-06-09 day"},
    {"两周前去了哪里", "2023-05-29..2023-06-02 week about"},
    {"三个星期前", "2023-05-22..2023-05-26 week about"},
    {"两个月前", "2023-04-04..2023-04-24 month about"},
    {"半年前", "2022-10-15..2023-02-12 month about"},
    {"五年前", "2018-04-15..2018-08-13 year about"},
    {"几天前", "2023-06-08..2023-06-13 days about"},
    {"前几天", "2023-06-08..2023-06-13 days about"},
    {"上周三的会议", "2023-06-07 day"},
    {"上星期天", "2023-06-11 day"},
    {"上个礼拜五", "2023-06-09 day"},
    {"上上周", "2023-05-29..2023-06-04 week"},
    {"上周", "2023-06-05..2023-06-11 week"},
    {"这周一", "2023-06-12 day"},
    {"上周末", "2023-06-10..2023-06-11 days"},
    {"周末去哪了", "2023-06-10..2023-06-11 days"},
    {"周五买了什么", "2023-06-09 day"},
    {"上个月", "2023-05-01..2023-05-31 month"},
    {"上个月初", "2023-05-01..2023-05-10 days"},
    {"上个月5号", "2023-05-05 day"},
    {"上上个月", "2023-04-01..2023-04-30 month"},
    {"五月底", "2023-05-22..2023-05-31 days"},
    {"三月中旬", "2023-03-11..2023-03-20 days"},
    {"7月", "2022-07-01..2022-07-31 month"},
    {"5月20日", "2023-05-20 day"},
    {"八月三号", "2022-08-03 day"},
    {"去年5月20日", "2022-05-20 day"},
    {"二〇二三年五月", "2023-05-01..2023-05-31 month"},
    {"二零二二年十月三日", "2022-10-03 day"},
    {"2022年10月3日", "2022-10-03 day"},
    {"2022年 10月 3日", "2022-10-03 day"},
    {"22年10月", "2022-10-01..2022-10-31 month"},
    {"2021年", "2021-01-01..2021-12-31 year"},
    {"2021年底", "2021-11-01..2021-12-31 season"},
    {"去年", "2022-01-01..2022-12-31 year"},
    {"前年夏天", "2021-06-01..2021-08-31 season"},
    {"去年冬天", "2022-12-01..2023-02-28 season"},
    {"今年三月", "2023-03-01..2023-03-31 month"},
    {"去年上半年", "2022-01-01..2022-06-30 season"},
    {"今年第一季度", "2023-01-01..2023-03-31 season"},
    {"九十年代", "1990-01-01..1999-12-31 years"},
    {"去年国庆", "2022-10-01..2022-10-07 days"},
    {"国庆节去了哪", "2022-10-01..2022-10-07 days"},
    {"春节", "2023-01-22..2023-01-28 days"},
    {"去年春节", "2022-02-01..2022-02-07 days"},
    {"除夕晚上", "2023-01-21 17:00..2023-01-22 00:00"},
    {"中秋", "2022-09-10 day"},
    {"2021年中秋节", "2021-09-21 day"},
    {"端午节", "2022-06-03 day"},
    {"元宵节", "2023-02-05 day"},
    {"清明", "2023-04-05 day"},
    {"五一假期", "2023-05-01..2023-05-05 days"},
    {"情人节", "2023-02-14 day"},
    {"双十一买了什么", "2022-11-11 day"},
    {"平安夜", "2022-12-24 day"},
    {"正月十五", "2023-02-05 day"},
    {"农历八月十五", "2022-09-10 day"},
    {"腊月二十三", "2023-01-14 day"},
    {"寒假", "2023-01-10..2023-02-28 month"},
    {"昨晚", "2023-06-13 17:00..2023-06-14 00:00"},
    {"昨天下午", "2023-06-13 12:00..2023-06-13 18:00"},
    {"上周六早上", "2023-06-10 04:00..2023-06-10 12:00"},
    {"最近三天", "2023-06-11..2023-06-14 day"},
    {"过去一个月", "2023-05-14..2023-06-14 month"},
    {"近两年", "2021-06-14..2023-06-14 year"},
    {"三月到五月", "2023-03-01..2023-05-31 month"},
    {"5月1日至5日", "2023-05-01..2023-05-05 day"},
    {"三月和五月之间", "2023-03-01..2023-05-31 month"},
    {"上周一到周三", "2023-06-05..2023-06-07 day"},
    {"五月之前", "2023-05-01..2023-05-31 month before"},
    {"国庆以后", "2022-10-01..2022-10-07 days after"},
    {"去年以来", "2022-01-01..2022-12-31 year since"},
    {"从三月开始", "2023-03-01..2023-03-31 month since"},
    {"截至五月", "2023-05-01..2023-05-31 month until"},
    {"我明天要做什么", "2023-06-15 day"},
    {"下周五打算去哪", "2023-06-23 day"},
    {"15号", "2023-05-15 day"},
    {"2月30日", "!"},
    {"13月", "!"},
    {"2023年13月", "!"},
    {"2023年2月29日", "!"},
    {"5月32号", "!"},
    {"昨天和上周三", "2023-06-13 day; 2023-06-07 day"},
};
TEST(DateExpression, ReadsChineseQuestions) { Check(kChinese, TimeReader::kQuestion); }

constexpr Case kNotChinese[] = {
    {"三年了", ""},
    {"他今年", "2023-01-01..2023-12-31 year"},
    {"住了三天", ""},
    {"三个月的孩子", ""},
    {"一年级", ""},
    {"每周五", ""},
    {"每年春节", ""},
    {"晚上月亮很圆", ""},
    {"身上周围", ""},
    {"以前天天跑步", ""},
    {"请说明天气的变化", ""},
    {"聪明天真", ""},
    {"过去年轻时", ""},
    {"周先生", ""},
    {"十一个苹果", ""},
    {"第三天", ""},
    {"五月饼", ""},
    {"三号楼", ""},
    {"每天早上", ""},
    {"夏天喜欢吃什么", ""},
    {"后天的努力和天才", "2023-06-16 day"},
    {"年", ""},
    {"周", ""},
};
TEST(DateExpression, TakesNoOtherChineseForATime) { Check(kNotChinese, TimeReader::kQuestion); }

constexpr Case kTurns[] = {
    {"Yesterday I went to the lake with Nora.", "2023-06-13 day"},
    {"I'm meeting her next Friday!", "2023-06-23 day"},
    {"We will fly on Friday.", "2023-06-16 day"},
    {"We flew home on Friday.", "2023-06-09 day"},
    {"The wedding is in September.", "2023-09-01..2023-09-30 month"},
    {"We got married in September.", "2022-09-01..2022-09-30 month"},
    {"I'm leaving in two weeks.", "2023-06-26..2023-06-30 week about"},
    {"I lost five pounds in two weeks.", ""},
    {"My exam is on June 20.", "2023-06-20 day"},
    {"I have a dentist appointment tomorrow morning.", "2023-06-15 04:00..2023-06-15 12:00"},
    {"Last weekend was great, and this Saturday we are hiking.",
     "2023-06-10..2023-06-11 days; 2023-06-17 day"},
    {"昨天我和小李去爬山了。", "2023-06-13 day"},
    {"下周三我要去北京出差。", "2023-06-21 day"},
    {"我打算国庆去云南。", "2023-10-01..2023-10-07 days"},
    {"国庆我去了云南。", "2022-10-01..2022-10-07 days"},
    {"三天后我要去面试。", "2023-06-17 day"},
    {"三天后他才回来了。", ""},
    {"I really like this idea, thanks for sharing it with me!", ""},
    {"ok", ""},
};
TEST(DateExpression, ReadsTurnsFromTheirOwnDay) { Check(kTurns, TimeReader::kTurn); }

TEST(DateExpression, TellsWhereItStands) {
  const std::string_view text = "What did we eat on Christmas Eve last year, Tom?";
  const TimeReading reading = ReadTimes(text, kNow, TimeReader::kQuestion);
  ASSERT_EQ(reading.times.size(), 1u);
  const auto [begin, end] = reading.times[0].text;
  EXPECT_EQ(text.substr(begin, end - begin), "Christmas Eve last year");
  EXPECT_TRUE(reading.times[0].relative);
}

TEST(DateExpression, FollowsTheClockOfWhoeverSpeaks) {
  // 22:30 UTC on 13 June is the 14th in Shanghai and the 13th in New York.
  const std::int64_t now = kNow - 11 * kHour - kHour / 2;
  const auto Yesterday = [&](int offset) {
    return ReadTimes("yesterday", now, TimeReader::kQuestion, offset).times.at(0).range;
  };
  EXPECT_EQ(memory::FormatMinute(Yesterday(480).from_ms), "2023-06-12 16:00");
  EXPECT_EQ(memory::FormatMinute(Yesterday(-240).from_ms), "2023-06-12 04:00");
  EXPECT_EQ(Yesterday(480).to_ms - Yesterday(480).from_ms, kDay);
}

TEST(DateExpression, AdmitsWhatTheRelationSays) {
  const auto One = [](std::string_view text) {
    return Admits(ReadTimes(text, kNow, TimeReader::kQuestion).times.at(0));
  };
  EXPECT_EQ(Day(One("before May").to_ms), "2023-05-01");
  EXPECT_LT(One("before May").from_ms, kNow - 3000 * kDay);
  EXPECT_EQ(Day(One("after May").from_ms), "2023-06-01");
  EXPECT_GT(One("since May").to_ms, kNow);
  EXPECT_EQ(Day(One("since May").from_ms), "2023-05-01");
  EXPECT_EQ(Day(One("until May").to_ms), "2023-06-01");
  EXPECT_EQ(One("in May").to_ms, One("until May").to_ms);
}

TEST(DateExpression, SurvivesAnyTextAndAnyDay) {
  std::string all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes += static_cast<char>(i);
  std::string many;
  for (int i = 0; i < 2500; ++i) many += "last may 5 and 三天前 ";
  const std::string_view texts[] = {all_bytes,
                                    many,
                                    "\xe5\xb9",
                                    "99999999999999999999 years ago",
                                    "9999 days ago, 1000 years ago, in 999 weeks",
                                    "三千九百年前 亿年前 99999天前",
                                    "last last last next this may the of of of",
                                    "\u0438\u044e\u043d\u044c 2023 \U0001F600 ao\u00fbt",
                                    "上上上上上周末末 年年年 月月 周周五五",
                                    "0000-00-00 00/00/0000 2023-06-31"};
  for (const std::int64_t now : {kNow, std::int64_t{0}, std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max()}) {
    for (const std::string_view text : texts) {
      for (const TimeReader reader : {TimeReader::kQuestion, TimeReader::kTurn}) {
        const TimeReading reading = ReadTimes(text, now, reader, 1 << 30);
        for (const TimeExpression& time : reading.times) {
          EXPECT_LT(time.range.from_ms, time.range.to_ms);
          EXPECT_LT(time.text.begin, time.text.end);
          EXPECT_LE(time.text.end, text.size());
        }
      }
    }
  }
}

}  // namespace
}  // namespace liubai
