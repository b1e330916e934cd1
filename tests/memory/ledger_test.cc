#include "memory/ledger.h"

#include <chrono>
#include <cstdio>
#include <random>
#include <utility>

#include "core/text.h"
#include "gtest/gtest.h"

namespace liubai::memory {
namespace {

struct Expected {
  DetailKind kind;
  std::string_view text;
};
struct Labelled {
  std::string_view turn;
  std::vector<Expected> details;
};

using enum DetailKind;

// Our own turns with what a careful reader would write down.
const std::vector<Labelled>& Set() {
  static const auto* set = new std::vector<Labelled>{
      {"The rent is $4,237 a month, due on March 5.", {{kMoney, "$4,237"}, {kDate, "March 5"}}},
      {"I paid 1,250.50 dollars for the bike.", {{kMoney, "1,250.50 dollars"}}},
      {"We raised $3.2 million from Acorn Capital.",
       {{kMoney, "$3.2 million"}, {kName, "Acorn Capital"}}},
      {"My sister Anna lives in Lisbon.", {{kName, "Anna"}, {kPlace, "Lisbon"}}},
      {"Anna's birthday is on 14 June 1990.", {{kName, "Anna"}, {kDate, "14 June 1990"}}},
      {"Dr. Chen moved my appointment to Tuesday at 3:30 pm.",
       {{kName, "Dr. Chen"},
        {kDate, "Tuesday"},
        {kTime, "3:30 pm"},
        {kCorrection, "Dr. Chen moved my appointment to Tuesday at 3:30 pm"}}},
      {"I'm allergic to peanuts and shellfish.", {{kAllergy, "peanuts and shellfish"}}},
      {"Never call me before 9am.", {{kRule, "Never call me before 9am"}, {kTime, "9am"}}},
      {"Please always answer in metric units.", {{kRule, "Please always answer in metric units"}}},
      {"Remember to water the ferns on Fridays.",
       {{kRule, "Remember to water the ferns on Fridays"}, {kDate, "Fridays"}}},
      {"From now on, sign every letter with \"Yours, M.\"",
       {{kRule, "From now on, sign every letter with \"Yours, M.\""}, {kQuote, "Yours, M."}}},
      {"I prefer tea to coffee.", {{kPreference, "tea to coffee"}}},
      {"My favourite colour is teal.", {{kPreference, "teal"}}},
      {"I hate cilantro.", {{kPreference, "cilantro"}}},
      {"No, 18 people, not 80.",
       {{kNumber, "18 people"}, {kNumber, "80"}, {kCorrection, "No, 18 people, not 80"}}},
      {"Actually the meeting is on 12 May.",
       {{kDate, "12 May"}, {kCorrection, "Actually the meeting is on 12 May"}}},
      {"The order number is ORD-2024-118.", {{kIdentifier, "ORD-2024-118"}}},
      {"Flight GA8817 leaves at 06:45.", {{kIdentifier, "GA8817"}, {kTime, "06:45"}}},
      {"Write to maria.lopez@example.org about it.", {{kEmail, "maria.lopez@example.org"}}},
      {"The docs are at https://docs.example.com/v2/setup?x=1.",
       {{kUrl, "https://docs.example.com/v2/setup?x=1"}}},
      {"Her number is +44 20 7946 0958.", {{kPhone, "+44 20 7946 0958"}}},
      {"Call the plumber at 555-0142.", {{kPhone, "555-0142"}}},
      {"Office: (415) 555-2671.", {{kPhone, "(415) 555-2671"}}},
      {"Run `make check` before you push.", {{kCode, "make check"}}},
      {"The bug is in src/parser.cc at line 212.", {{kFile, "src/parser.cc"}, {kNumber, "212"}}},
      {"Call parse_header() first.", {{kCode, "parse_header()"}}},
      {"The server is 192.168.1.10 on port 8080.",
       {{kIdentifier, "192.168.1.10"}, {kNumber, "8080"}}},
      {"We use version 1.2.3 of the library.", {{kIdentifier, "1.2.3"}}},
      {"He said \"the bridge is closed until spring\".",
       {{kQuote, "the bridge is closed until spring"}}},
      {"Sales grew by 18.5% in 2023.", {{kPercent, "18.5%"}, {kDate, "2023"}}},
      {"About 40 percent of them left.", {{kPercent, "40 percent"}}},
      {"The package weighs 2.5 kg.", {{kNumber, "2.5 kg"}}},
      {"We need twelve chairs and two hundred plates.",
       {{kNumber, "twelve"}, {kNumber, "two hundred"}}},
      {"The deadline is 2024-11-30.", {{kDate, "2024-11-30"}}},
      {"It opens on 3/15/2025.", {{kDate, "3/15/2025"}}},
      {"Our cat is called Miso.", {{kName, "Miso"}}},
      {"Thanks, that helps a lot!", {}},
      {"What should I cook tonight?", {{kQuestion, "What should I cook tonight"}}},
      {"Good morning! How are you?", {}},
      {"I met Juan Carlos de la Vega at the University of Porto.",
       {{kName, "Juan Carlos de la Vega"}, {kName, "University of Porto"}}},
      {"The wifi password is Blue-Heron-77.", {{kIdentifier, "Blue-Heron-77"}}},
      {"We live on the 14th floor.", {{kNumber, "14th"}}},
      {"The train takes three hours and costs 89 euros.",
       {{kNumber, "three hours"}, {kMoney, "89 euros"}}},
      {"Sorry, it's Gate B12, not B21.",
       {{kIdentifier, "B12"},
        {kIdentifier, "B21"},
        {kCorrection, "Sorry, it's Gate B12, not B21"}}},
      {"房租是每月4237元，每月5号交。", {{kMoney, "4237元"}, {kDate, "5号"}}},
      {"我叫李明，住在杭州。", {{kName, "李明"}, {kPlace, "杭州"}}},
      {"王医生说下周三下午3点半复查。",
       {{kName, "王医生"}, {kDate, "下周三"}, {kTime, "下午3点半"}}},
      {"我对花生过敏。", {{kAllergy, "花生"}}},
      {"我女儿张小雨今年七岁。", {{kName, "张小雨"}, {kNumber, "七岁"}}},
      {"以后都用中文回答我。", {{kRule, "以后都用中文回答我"}}},
      {"千万不要在晚上十点以后打电话。",
       {{kRule, "千万不要在晚上十点以后打电话"}, {kTime, "晚上十点"}}},
      {"我喜欢喝乌龙茶。", {{kPreference, "喝乌龙茶"}}},
      {"我不喜欢香菜。", {{kPreference, "香菜"}}},
      {"不对，是18个人，不是80个。",
       {{kNumber, "18个"}, {kNumber, "80个"}, {kCorrection, "不对，是18个人，不是80个"}}},
      {"会议改到2024年3月8日上午十点。",
       {{kDate, "2024年3月8日"},
        {kTime, "上午十点"},
        {kCorrection, "会议改到2024年3月8日上午十点"}}},
      {"我的手机号是13800138000。", {{kPhone, "13800138000"}}},
      {"邮箱是 li.ming@example.cn，别写错。", {{kEmail, "li.ming@example.cn"}}},
      {"我们家的猫叫咪咪，三岁了。", {{kName, "咪咪"}, {kNumber, "三岁"}}},
      {"折扣是百分之十五。", {{kPercent, "百分之十五"}}},
      {"一共三百二十块钱。", {{kMoney, "三百二十块钱"}}},
      {"订单号是 HZ20240318，快递已经发了。", {{kIdentifier, "HZ20240318"}}},
      {"他常说“慢就是快”。", {{kQuote, "慢就是快"}}},
      {"小王和老张都去。", {{kName, "小王"}, {kName, "老张"}}},
      {"谢谢你，辛苦了！", {}},
      {"今天天气怎么样？", {}},
      {"奶奶的生日是农历八月十五。", {{kDate, "八月十五"}}},
      {"文件放在 report_final.docx 里。", {{kFile, "report_final.docx"}}},
      {"跑步 5 公里用了 28 分钟。", {{kNumber, "5 公里"}, {kNumber, "28 分钟"}}},
      {"项目预算是 12 万元，截止 11 月 30 日。", {{kMoney, "12 万元"}, {kDate, "11 月 30 日"}}},
      {"周五晚上7点在中山路见。", {{kDate, "周五"}, {kTime, "晚上7点"}, {kPlace, "中山路"}}},
  };
  return *set;
}

TEST(Ledger, FindsWhatAReaderWouldWriteDown) {
  int expected = 0, found = 0, extra = 0;
  for (const Labelled& item : Set()) {
    const auto details = ExtractDetails(item.turn);
    std::vector<bool> used(details.size(), false);
    for (const Expected& want : item.details) {
      ++expected;
      bool hit = false;
      for (std::size_t i = 0; i < details.size() && !hit; ++i) {
        hit = !used[i] && details[i].kind == want.kind && details[i].text == want.text;
        if (hit) used[i] = true;
      }
      found += hit;
      if (!hit)
        std::printf("missed  %-11s %s   in: %s\n", std::string(DetailKindName(want.kind)).c_str(),
                    std::string(want.text).c_str(), std::string(item.turn).c_str());
    }
    for (std::size_t i = 0; i < details.size(); ++i) {
      if (used[i]) continue;
      ++extra;
      std::printf("extra   %-11s %s   in: %s\n",
                  std::string(DetailKindName(details[i].kind)).c_str(), details[i].text.c_str(),
                  std::string(item.turn).c_str());
    }
  }
  const double recall = static_cast<double>(found) / expected;
  const double precision = static_cast<double>(found) / (found + extra);
  std::printf("%zu turns, %d details: recall %.3f, precision %.3f\n", Set().size(), expected,
              recall, precision);
  EXPECT_GE(recall, 0.97);
  EXPECT_GE(precision, 0.93);
}

TEST(Ledger, RangesAndQueriesHold) {
  for (const Labelled& item : Set()) {
    std::uint32_t value_end = 0;
    for (const Detail& detail : ExtractDetails(item.turn)) {
      ASSERT_LE(detail.end, item.turn.size());
      EXPECT_EQ(detail.text, item.turn.substr(detail.begin, detail.end - detail.begin));
      EXPECT_FALSE(detail.sentence.empty()) << item.turn;
      if (!IsStatement(detail.kind)) {
        EXPECT_EQ(detail.query.find(detail.text), std::string::npos)
            << detail.text << " is in its own query: " << detail.query;
      }
      if (!IsStatement(detail.kind) && detail.kind != kQuote) {
        EXPECT_GE(detail.begin, value_end) << "values overlap in: " << item.turn;
        value_end = detail.end;
      }
    }
  }
}

TEST(Ledger, ShortSentencesBorrowTheirNeighboursForTheQuery) {
  const auto details = ExtractDetails("We looked at the flat on Canal Street. It costs $1,900.");
  for (const Detail& detail : details) {
    if (detail.kind != kMoney) continue;
    EXPECT_NE(detail.query.find("flat"), std::string::npos) << detail.query;
    EXPECT_EQ(detail.query.find("1,900"), std::string::npos);
    return;
  }
  FAIL() << "no amount found";
}

TEST(Ledger, SentencesKeepTheQuotationMarkThatClosesThem) {
  const std::string_view text = "她说：“慢就是快。”我们都笑了！（真的。）走吧";
  std::vector<std::string> sentences;
  for (const TextRange range : SplitSentences(text))
    sentences.emplace_back(text.substr(range.begin, range.end - range.begin));
  EXPECT_EQ(sentences,
            (std::vector<std::string>{"她说：“慢就是快。”", "我们都笑了！", "（真的。）", "走吧"}));
}

TEST(Ledger, NumbersAreComparable) {
  const std::vector<std::string> plain = {"4237", "4237.5", "7", "18", "320", "25", "210", "2024"};
  EXPECT_EQ(NumbersIn("$4,237 and 4,237.50, 007, 18.0, 三百二十, twenty-five, two hundred and ten, "
                      "二〇二四"),
            plain);
  EXPECT_EQ(NumbersIn("１２３ and 十二 and 一万二"),
            (std::vector<std::string>{"123", "12", "12000"}));
}

// The subject of the detail `value` of `text`; "none" when there is no such detail.
std::string SubjectIn(std::string_view text, std::string_view value) {
  for (const Detail& detail : ExtractDetails(text)) {
    if (detail.text == value && !IsStatement(detail.kind)) return SubjectOf(detail);
  }
  return "none";
}

TEST(Ledger, SubjectsNameTheThingAndNotItsValue) {
  struct Case {
    std::string_view text, value, subject;
  };
  const Case cases[] = {
      {"The rent is $4,237 a month.", "$4,237", "rent"},
      {"The wifi password is Blue-Heron-77.", "Blue-Heron-77", "wifi password"},
      {"I paid a deposit of $300 for the kitchen.", "$300", "deposit for the kitchen"},
      {"The code of the storage unit is 5812, not what I told you.", "5812",
       "code of the storage unit"},
      {"My dentist appointment was moved to Tuesday.", "Tuesday", "dentist appointment"},
      {"The appointment with the surveyor is on 14 June at 9:30.", "9:30",
       "appointment with the surveyor"},
      {"My passport expires on 19 March 2027.", "19 March 2027", "passport"},
      {"The train takes three hours and costs 89 euros.", "89 euros", "train"},
      {"Our new boiler has a guarantee until 2031.", "2031", "guarantee"},
      {"Our cat is called Miso.", "Miso", "cat"},
      {"My sister Anna lives in Lisbon.", "Anna", "sister"},
      {"The violin teacher is Mrs. Okafor.", "Mrs. Okafor", "violin teacher"},
      {"Mia was born on October 14.", "October 14", "Mia's birth"},
      {"We need forty chairs for the wedding.", "forty", "chairs"},
      {"I gave the plumber $120 for the kitchen tap.", "$120", "plumber for the kitchen tap"},
      {"Rent is due on the 5th.", "5th", "rent"},
      {"The order number of the new sofa is ORD-2024-118.", "ORD-2024-118",
       "order number of the new sofa"},
      {"Anna's birthday is on 14 June 1990.", "14 June 1990", "Anna's birthday"},
      {"The total cost was 1,900 dollars.", "1,900 dollars", "total cost"},
      {"Two cups of flour are enough.", "Two cups", "flour"},
      {"My flight to Oslo leaves at 7:15 am.", "7:15 am", "flight to Oslo"},
      {"The brakes of the Volvo will cost 640 euros.", "640 euros", "brakes of the Volvo"},
      {"I started the new job on 2 January 2023 with a salary of $72,000.", "$72,000", "salary"},
      {"公司的年会定在12月20日晚上六点。", "12月20日", "公司的年会"},
      {"孩子的学费每学期8200元。", "8200元", "孩子的学费"},
      {"新房的首付是120万元。", "120万元", "新房的首付"},
      {"快递单号SF1029384756，明天到。", "SF1029384756", "快递单号"},
      {"我的房租是4237元。", "4237元", "房租"},
      {"储物间的密码是5812。", "5812", "储物间的密码"},
      {"我们家的猫叫咪咪，三岁了。", "咪咪", "猫"},
      {"说到预约，我的牙医是周明远医生。", "周明远医生", "牙医"},
      {"护照2026年3月19日到期。", "2026年3月19日", "护照"},
      {"去杭州的高铁是G7539次，早上八点十二分出发。", "早上八点十二分", "杭州的高铁"},
      {"房租是每月4237元，每月5号交。", "5号", "房租"},
      {"订单号是 HZ20240318，快递已经发了。", "HZ20240318", "订单号"},
      {"会议改到2024年3月8日上午十点。", "上午十点", "会议"},
      {"奶奶的生日是农历八月十五。", "八月十五", "奶奶的生日"},
      {"项目预算是 12 万元。", "12 万元", "项目预算"},
      {"我昨天付了900元的押金。", "900元", "押金"},
      {"我女儿张小雨今年七岁。", "张小雨", "女儿"},
      {"中午和同事小何一起吃饭。", "小何", "同事"},
      // Nothing to name.
      {"Tom turned twelve.", "twelve", ""},
      {"Tom wanted Einstein.", "Einstein", ""},
      {"I met Juan Carlos in the park.", "Juan Carlos", ""},
      {"He left at 9:30.", "9:30", ""},
      {"It was better than eight.", "eight", ""},
      {"We want to celebrate on Friday.", "Friday", ""},
      {"今天我翻出来看了，一共三百二十块钱。", "三百二十块钱", ""},
      {"跑了5公里。", "5公里", ""},
      {"你有没有十分钟？", "十分钟", ""},
      {"我是李明。", "李明", ""},
  };
  for (const Case& one : cases) EXPECT_EQ(SubjectIn(one.text, one.value), one.subject) << one.text;
}

TEST(Ledger, SubjectsHoldNoValueOfTheirOwn) {
  for (const Labelled& item : Set()) {
    for (const Detail& detail : ExtractDetails(item.turn)) {
      const std::string subject = SubjectOf(detail);
      EXPECT_EQ(subject.find(detail.text), std::string::npos) << subject;
      EXPECT_LE(subject.size(), 60u) << subject;
    }
  }
}

TEST(Ledger, TellsQuestionsFromStatements) {
  EXPECT_TRUE(IsQuestion("What is my rent?"));
  EXPECT_TRUE(IsQuestion("我的房租是多少？"));
  EXPECT_TRUE(IsQuestion("你记得吗"));
  EXPECT_FALSE(IsQuestion("My rent is $5."));
}

TEST(Ledger, SurvivesAnyBytes) {
  const unsigned seed = 20240607;
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  static constexpr std::string_view kParts[] = {
      "$",    "1",  ",",    ".",    "年",     "月",   "第",  "叫", "@",     "/", "`",
      "\"",   "“",  "Dr. ", "one ", "百分之", "not ", "3pm", "-",  "+",     "(", "王",
      "过敏", "对", "\xff", "\xe4", "\n",     " ",    "A",   "é",  "最喜欢"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int i = 0, n = static_cast<int>(random() % 24); i < n; ++i)
      text += kParts[random() % std::size(kParts)];
    for (const Detail& detail : ExtractDetails(text)) {
      ASSERT_LE(detail.end, text.size());
      ASSERT_EQ(detail.text, text.substr(detail.begin, detail.end - detail.begin));
      SubjectOf(detail);
    }
    NumbersIn(text);
  }
}

TEST(Ledger, IsFastAndBounded) {
  std::string table;
  for (int i = 0; table.size() < 1 << 20; ++i) table += std::to_string(i) + ", item " + "é; ";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_LE(ExtractDetails(table).size(), kMostDetails);
  const auto took = std::chrono::steady_clock::now() - begin;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  std::printf("1 MiB of a table: %lld ms\n", static_cast<long long>(ms));
  EXPECT_LT(ms, 2000);
}

}  // namespace
}  // namespace liubai::memory
