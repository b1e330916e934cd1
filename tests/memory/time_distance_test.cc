#include "memory/time_distance.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace liubai::memory {
namespace {

using What = AskedDistance::What;
using Unit = AskedDistance::Unit;

std::int64_t At(int year, unsigned month, unsigned day, int hour = 12) {
  using namespace std::chrono;
  const sys_days date = std::chrono::year(year) / month / day;
  return duration_cast<milliseconds>((date + hours(hour)).time_since_epoch()).count();
}

TEST(TimeDistanceTest, ReadsWhatIsSetApart) {
  struct Case {
    const char* question;
    What what;
    Unit unit;
    std::vector<std::string> events;
  };
  const std::vector<Case> cases = {
      {"How many days ago did I buy the kayak?", What::kToNow, Unit::kDays, {"i buy the kayak"}},
      {"How long ago did we repaint the shed?", What::kToNow, Unit::kAny, {"we repaint the shed"}},
      {"How many weeks has it been since I stopped smoking?",
       What::kToNow,
       Unit::kWeeks,
       {"i stopped smoking"}},
      {"How many days passed between the day I ordered the lamp and the day it arrived broken?",
       What::kBetween,
       Unit::kDays,
       {"i ordered the lamp", "it arrived broken"}},
      {"How many months lie between the end of my lease and the start of my course and exams?",
       What::kBetween,
       Unit::kMonths,
       {"the end of my lease", "the start of my course and exams"}},
      {"How many days before the wedding did I buy the dress?",
       What::kBetween,
       Unit::kDays,
       {"i buy the dress", "the wedding"}},
      {"How long after the surgery did I run again?",
       What::kBetween,
       Unit::kAny,
       {"the surgery", "i run again"}},
      {"How many days had passed since I planted the beans when I saw the first leaf?",
       What::kBetween,
       Unit::kDays,
       {"i planted the beans", "i saw the first leaf"}},
      {"Which did I finish first, the thesis or the pottery course?",
       What::kOrder,
       Unit::kAny,
       {"the thesis", "the pottery course"}},
      {"我是几天前买的皮划艇？", What::kToNow, Unit::kDays, {"买的皮划艇"}},
      {"从签租约到搬进新家隔了多少天？", What::kBetween, Unit::kDays, {"签租约", "搬进新家"}},
      {"我戒烟到现在已经几个月了？", What::kToNow, Unit::kMonths, {"我戒烟"}},
      {"我先买的车还是先搬的家？", What::kOrder, Unit::kAny, {"买的车", "搬的家"}},
  };
  for (const Case& one : cases) {
    const auto asked = ReadDistance(one.question);
    ASSERT_TRUE(asked.has_value()) << one.question;
    EXPECT_EQ(asked->what, one.what) << one.question;
    EXPECT_EQ(asked->unit, one.unit) << one.question;
    EXPECT_EQ(asked->events, one.events) << one.question;
  }
}

TEST(TimeDistanceTest, WhatWasSaidInSoManyWordsIsNoDistance) {
  for (const char* question :
       {"How many days did I spend in Rome?", "How long have I been using my watch?",
        "How long is the bridge?", "Who came first in the race?", "What did I do two days ago?",
        "How many days ago?", "I'd first like a chair, tea or coffee.", "你去罗马待了几天？",
        "这座桥有多长？", "我几天没睡好？", "", "多少天", "前几天"}) {
    const auto asked = ReadDistance(question);
    EXPECT_FALSE(asked.has_value()) << question << " | " << (asked ? asked->events[0] : "");
  }
  EXPECT_FALSE(ReadDistance(std::string(100000, 'x')).has_value());
}

TEST(TimeDistanceTest, ASentenceIsOfTheDayThatItNames) {
  const std::int64_t told = At(2024, 5, 17);
  EXPECT_EQ(DayOf("I sold the boat.", told), told);
  EXPECT_EQ(DayOf("I sold the boat yesterday.", told), At(2024, 5, 16, 0));
  EXPECT_EQ(DayOf("On May 3rd I sold the boat.", told), At(2024, 5, 3, 0));
  EXPECT_EQ(DayOf("Read the March 15th issue today.", told), At(2024, 5, 17, 0));
  EXPECT_EQ(DayOf("我三天前卖了船。", told), At(2024, 5, 14, 0));
  EXPECT_EQ(DayOf("In 2019 I sold a boat.", told), told) << "a year names no day";
}

TEST(TimeDistanceTest, KnowsIrregularPasts) {
  EXPECT_EQ(PastOf("buy"), "bought");
  EXPECT_EQ(PastOf("be"), "was");
  EXPECT_EQ(PastOf("write"), "wrote");
  EXPECT_EQ(PastOf("paint"), "");
  EXPECT_EQ(PastOf(""), "");
}

TEST(TimeDistanceTest, CountsCalendarDays) {
  const std::int64_t from = At(2024, 2, 26, 23), to = At(2024, 3, 11, 1);
  EXPECT_EQ(SayDistance(from, to, Unit::kDays, false), "14 days");
  EXPECT_EQ(SayDistance(to, from, Unit::kDays, false), "14 days") << "either way";
  EXPECT_EQ(SayDistance(from, to, Unit::kWeeks, false), "2 weeks (14 days)");
  EXPECT_EQ(SayDistance(from, At(2024, 2, 27), Unit::kAny, false), "1 day");
  EXPECT_EQ(SayDistance(from, At(2024, 5, 27), Unit::kAny, false), "about 3 months (91 days)");
  EXPECT_EQ(SayDistance(from, At(2026, 2, 26), Unit::kYears, false), "about 2.0 years (731 days)");
  EXPECT_EQ(SayDistance(from, to, Unit::kDays, true), "14 天");
  EXPECT_EQ(SayDistance(from, to, Unit::kWeeks, true), "2 周 (14 天)");
}

}  // namespace
}  // namespace liubai::memory
