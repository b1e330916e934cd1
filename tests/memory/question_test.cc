// What questions ask for, as seen from Wednesday 14 June 2023.
#include "memory/question.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace liubai {
namespace {

using memory::QuestionReading;
using memory::QuestionTrait;

constexpr std::int64_t kNow = 1686736800000;  // 2023-06-14 10:00

QuestionReading Read(std::string_view text, std::span<const std::string> speakers = {}) {
  return memory::ReadQuestion(text, kNow, speakers);
}
std::string_view Of(std::string_view text, memory::TextPart part) {
  return text.substr(part.begin, part.end - part.begin);
}

struct Case {
  std::string_view text;
  std::string_view wanted;
};
// Compares what `tell` makes of each reading.
template <class Tell>
void Check(std::span<const Case> cases, const Tell& tell) {
  for (const auto& [text, wanted] : cases) EXPECT_EQ(tell(Read(text)), wanted) << text;
}
void Append(std::string& out, std::string_view part) {
  if (!out.empty()) out += ' ';
  out += part;
}

// What is asked for and the traits, without those of whom it is about.
std::string Kinds(const QuestionReading& reading) {
  std::string out(AskedForName(reading.asked));
  for (int i = 0; i < memory::kQuestionTraits; ++i) {
    const auto trait = static_cast<QuestionTrait>(i);
    if (trait == QuestionTrait::kAboutSelf || trait == QuestionTrait::kSeveralHops) continue;
    if (reading.Has(trait)) Append(out, QuestionTraitName(trait));
  }
  return out;
}

TEST(Question, TellsEnglishKinds) {
  static constexpr Case kCases[] = {
      {"How many plants did I buy in May?", "number count"},
      {"how many weeks ago did I start pottery", "number duration"},
      {"How many days passed between the concert and the trip?", "number duration"},
      {"How many hours did Ben spend hiking in total?", "number count total"},
      {"How much did I spend on shoes?", "number total"},
      {"How much sugar goes into the cake?", "number"},
      {"What is the total weight of the parcels?", "thing total"},
      {"How often does Ben swim?", "number frequency"},
      {"How many times a week does she train?", "number count frequency"},
      {"What instruments does Ben play?", "thing list"},
      {"What does Ben play?", "thing"},
      {"What class did she take?", "thing"},
      {"Which of the books did Ben like?", "thing list"},
      {"List all the cities Ben has visited.", "nothing list"},
      {"Which did Ben do first, the move or the wedding?", "thing order"},
      {"In what order did the concerts happen?", "thing order"},
      {"Did the fire come before or after the flood?", "nothing order"},
      {"Is Ben older than Mia?", "nothing comparison yes_no"},
      {"How much more does the red bike cost?", "number total comparison"},
      {"What is the difference between the two phones?", "thing comparison"},
      {"How long did Ben live in Oslo?", "number duration"},
      {"How long ago did he leave?", "time duration"},
      {"Can you recommend a film for tonight?", "nothing suggestion"},
      {"How many films did I watch in the past month?", "number count"},
      {"Could you tell me where my keys are?", "place personal_fact"},
      {"Who said 'never again'?", "person"},
      {"Any tips for keeping my cactus alive?", "nothing suggestion personal_fact"},
      {"What should I cook for dinner?", "thing suggestion"},
      {"Which wine did you recommend last week?", "thing about_assistant"},
      {"Remind me of the recipe you gave me.", "nothing about_assistant"},
      {"How old was I when my brother was born?", "number personal_fact"},
      {"What breed is my dog?", "thing personal_fact"},
      {"Where does Ben work now?", "place current"},
      {"Does Ben still play chess?", "nothing current yes_no"},
      {"What is the latest title of the report?", "thing current"},
      {"Where did Ben use to live, and where did he live originally?", "place former"},
      {"What car used to stand here?", "thing former"},
      {"What was my previous phone number?", "thing personal_fact former"},
      {"Where did Ben live before?", "place former"},
      {"Who painted the fence?", "person"},
      {"Whose bicycle is it?", "person"},
      {"When did Ben paint the fence?", "time"},
      {"When I turned thirty, where did my aunt live?", "place personal_fact"},
      {"What year was the house built?", "time"},
      {"Which city does Ben fly to?", "place"},
      {"Why did Ben leave?", "reason"},
      {"How did Ben repair the boat?", "manner"},
      {"Did Ben repair the boat?", "nothing yes_no"},
      {"Did Ben repair the boat or the car?", "nothing"},
      {"Which of them did Ben not like?", "thing negated"},
      {"What has Ben never eaten?", "thing negated"},
      {"Didn't Ben go to Rome?", "nothing yes_no negated"},
      {"Why don't we go to Rome?", "reason"},
      {"No, I mean the other one. Who was it?", "person"},
  };
  Check(kCases, Kinds);
}

TEST(Question, TellsChineseKinds) {
  static constexpr Case kCases[] = {
      {"我去年看了几次电影？", "number count"},
      {"我一共花了多少钱？", "number total"},
      {"小李买了多少本书？", "number count"},
      {"他多久一次去游泳？", "number frequency duration"},
      {"我去过哪些城市？", "thing list"},
      {"请列出她喜欢的花。", "nothing list"},
      {"搬家和结婚哪个先发生？", "thing order"},
      {"这三件事的先后顺序是什么？", "thing order"},
      {"我比弟弟大几岁？", "number comparison"},
      {"红色的和蓝色的有什么不同？", "thing comparison"},
      {"两次旅行隔了多久？", "number duration"},
      {"他在里昂住了多长时间？", "number duration"},
      {"能推荐一部电影吗？", "nothing suggestion"},
      {"给我一些做饭的建议", "nothing suggestion"},
      {"你上次推荐的书叫什么？", "thing about_assistant"},
      {"你给我推荐过哪些书？", "thing list about_assistant"},
      {"之前你给我介绍了一家店，叫什么？", "thing about_assistant"},
      {"你给我推荐一部电影吧", "nothing suggestion"},
      {"他曾经住在哪里？", "place former"},
      {"我曾经去过的公园叫什么？", "thing"},
      {"我的自行车是什么颜色？", "thing personal_fact"},
      {"他现在住在哪里？", "place current"},
      {"她还喜欢跳舞吗？", "nothing current yes_no"},
      {"她以前在哪儿工作？", "place former"},
      {"原来的房租是多少？", "number former"},
      {"三天以前他去哪儿了？", "place"},
      {"最近三天他去哪儿了？", "place"},
      {"谁弹钢琴？", "person"},
      {"什么时候搬的家？", "time"},
      {"会议是几号？", "time"},
      {"为什么取消了？", "reason"},
      {"这个菜怎么做？", "manner"},
      {"他是不是老师？", "nothing yes_no"},
      {"她有没有养猫？", "nothing yes_no"},
      {"我没有去过哪个国家？", "thing negated"},
      {"他从来不吃什么？", "thing negated"},
      {"比如说呢", "nothing"},
      {"谁的成绩不错？", "person"},
      {"别人怎么看？", "manner"},
      {"比赛什么时候开始？", "time"},
  };
  Check(kCases, Kinds);
}

std::string Names(const QuestionReading& reading) {
  std::string out;
  for (const memory::QuestionName& name : reading.names) {
    if (!out.empty()) out += ", ";
    out += name.name;
    if (name.possessive) out += "'s";
  }
  return out;
}

TEST(Question, FindsNames) {
  static constexpr Case kCases[] = {
      {"What did Caroline's sister say to Ben?", "Caroline's, Ben"},
      {"Did Mary Ann go to New Zealand?", "Mary Ann, New Zealand"},
      {"Where does Dr. Osei work?", "Dr. Osei"},
      {"Zoë met José in Århus", "José, Århus"},
      {"Nora's bicycle is red", "Nora's"},
      {"Nora and I went home", "Nora"},
      {"Was there a mass at St. Mary's Church on Ash Wednesday?", "St. Mary's Church"},
      {"Who read 'The Cat of Oslo' in an Italian bar?", ""},
      {"In May and on Friday I rest", ""},
      {"When will Christmas be?", ""},
      {"between Christmas and New Year's", ""},
      {"小明的姐姐喜欢什么", "小明's"},
      {"Recently I went home. However, it rained.", ""},
      {"WHERE DID I GO LAST TUESDAY", ""},
      {"What Is The Name Of The Dog", ""},
      {"Have I read The Lord of the Rings?", "Lord"},
      {"who is my dentist", ""},
      {"the University of Toronto is large", "University of Toronto"},
      {"王医生说了什么？", "王医生"},
      {"李小明的妹妹住在哪里？", "李小明's"},
      {"我和张伟去了哪里？", "张伟"},
      {"小王喜欢什么？", "小王"},
      {"我跟欧阳修文聊了什么", "欧阳修文"},
      {"Tom和Anna是谁", "Tom, Anna"},
      {"高兴的时候我马上去白天的地方", ""},
      {"周末我和朋友去爬山", ""},
      {"陈老师推荐了哪本书", "陈老师"},
      {"同事刘洋借了什么", "刘洋"},
  };
  Check(kCases, Names);
}

TEST(Question, KnowsSpeakersInAnyCase) {
  const std::vector<std::string> speakers = {"Caroline Brown", "Will", "王小美", "Zoë"};
  const auto Told = [&](std::string_view text) {
    std::string out;
    for (const memory::QuestionName& name : Read(text, speakers).names) {
      out.append(name.name).append(std::to_string(name.speaker));
      out.append(name.possessive ? "'s " : " ");
    }
    return out;
  };
  EXPECT_EQ(Told("what did caroline brown's aunt say"), "caroline brown0's ");
  EXPECT_EQ(Told("Did Caroline call?"), "Caroline0 ");
  EXPECT_EQ(Told("when will she call Will?"), "Will1 ");
  EXPECT_EQ(Told("王小美的猫叫什么"), "王小美2's ");
  EXPECT_EQ(Told("Did Zoë sing?"), "Zoë3 ");
  EXPECT_EQ(Told("carolines browning"), "");
}

TEST(Question, FindsQuotations) {
  const auto Quotes = [](std::string_view text) {
    std::string out;
    for (const memory::QuestionQuote& quote : Read(text).quotes)
      out.append("[").append(quote.quote).append("]");
    return out;
  };
  EXPECT_EQ(Quotes("Who said \"the early bird\" and 'it isn't over'?"),
            "[the early bird][it isn't over]");
  EXPECT_EQ(Quotes("“one” ‘two’ «three» „four“"), "[one][two][three][four]");
  EXPECT_EQ(Quotes("谁看过《三体》和『红楼』、「茶馆」、“家”"), "[三体][红楼][茶馆][家]");
  EXPECT_EQ(Quotes("Tom's and Ann's, rock 'n roll"), "");
  EXPECT_EQ(Quotes("a lost \" mark"), "");
  EXPECT_EQ(Quotes("\"\" \"  \""), "");
}

std::string Numbers(const QuestionReading& reading) {
  std::string out;
  for (const memory::Quantity& number : reading.numbers) {
    Append(out, number.value);
    if (!number.unit.empty()) out += "_" + number.unit;
  }
  return out;
}

TEST(Question, NormalisesNumbers) {
  static constexpr Case kCases[] = {
      {"$4,237", "4237_usd"},
      {"4237 dollars", "4237_usd"},
      {"US$4,237.00", "4237_usd"},
      {"four thousand two hundred and thirty-seven dollars", "4237_usd"},
      {"Four Thousand Two Hundred Thirty Seven bucks", "4237_usd"},
      {"4.2k", "4200"},
      {"$1.5 million", "1500000_usd"},
      {"half a million euros", "500000_eur"},
      {"USD 500", "500_usd"},
      {"a hundred guests", "100_person"},
      {"a dozen eggs, two dozen nails", "12 24"},
      {"one and a half hours", "1.5_hour"},
      {"half an hour", "0.5_hour"},
      {"three point five kilos", "3.5_kg"},
      {"a 10km run and a 3-mile walk", "10_km 3_mile"},
      {"minus five degrees, -7.50 degrees", "-5_degree -7.5_degree"},
      {"twenty percent or 20%", "20_percent 20_percent"},
      {"3/4 cups and 1/2 mile", "0.75 0.5_mile"},
      {"5-10 km", "5 10_km"},
      {"007", "7"},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
      {"twenty twenty", "20 20"},
      {"one of the two", "2"},
      {"version 1.2.3 of A12 at 7:30 on the 3rd floor, 555-123-4567", ""},
      {"on May 5 2023 I paid 30 pounds", "30_lb"},
      {"in 2022 I ran 3 races", "3"},
      {"on February 30", ""},
      {"四千二百三十七元", "4237_cny"},
      {"4237元", "4237_cny"},
      {"４２３７块钱", "4237_cny"},
      {"肆仟贰佰叁拾柒元", "4237_cny"},
      {"两万五", "25000"},
      {"1.5万元", "15000_cny"},
      {"三百二", "320"},
      {"一千零五十人", "1050_person"},
      {"三块五毛", "3.5_cny"},
      {"两个半小时", "2.5_hour"},
      {"半小时", "0.5_hour"},
      {"百分之三十", "30_percent"},
      {"三成", "30_percent"},
      {"三点五公里", "3.5_km"},
      {"零下五度", "-5_degree"},
      {"十二个月", "12_month"},
      {"三只猫", "3"},
      {"三次", "3_time"},
      {"八岁", "8_year"},
      {"一个人、一起、万一、十分、千万别", "1_person"},
      {"第三名", ""},
      {"两三天", ""},
      {"三天前花了二十元", "20_cny"},
  };
  Check(kCases, Numbers);
}

std::string Hops(const QuestionReading& reading) {
  std::string out;
  for (const memory::QuestionHop& hop : reading.hops) {
    if (!out.empty()) out += "; ";
    out.append(QuestionHopName(hop.kind)).append(": ").append(hop.part);
  }
  return out;
}

TEST(Question, NamesWhatHasToBeFoundFirst) {
  static constexpr Case kCases[] = {
      {"Where does my sister's husband work?", "possessive: my sister"},
      {"What is Caroline's sister called?", "possessive: Caroline's sister"},
      {"What is the name of my brother's dog?", "possessive: my brother"},
      {"Where is the office of my boss?", "possessive: my boss"},
      {"Where does the person who taught me pottery live?",
       "clause: person who taught me pottery live"},
      {"What is the colour of the car that Ben bought?", "clause: car that Ben bought"},
      {"How old was I when my brother was born?", "event: my brother was born"},
      {"What did Ben eat after he won?", "event: he won"},
      {"Who cooked the soup I liked?", "clause: soup I liked"},
      {"Did Ben and Mia visit Oslo?", "entity: Ben; entity: Mia; entity: Oslo"},
      {"How many days passed between the day I sowed and the day I reaped?",
       "event: day I sowed and the day I reaped; event: day I reaped"},
      {"What is the total amount I paid?", ""},
      {"What colour is my car?", ""},
      {"When did I move?", ""},
      {"What is Caroline's hobby?", ""},
      {"我姐姐的公司在哪里？", "possessive: 我姐姐"},
      {"小李的妹妹叫什么？", "possessive: 小李的妹妹"},
      {"教我弹琴的那个人住在哪里？", "clause: 教我弹琴的那个人"},
      {"那位教我法语的老师叫什么？", "clause: 那位教我法语的老师"},
      {"那个红色的包在哪里？", ""},
      {"我搬到里昂的时候多大？", "event: 我搬到里昂"},
      {"我的猫叫什么？", ""},
      {"什么时候开会？", ""},
  };
  Check(kCases, Hops);
}

TEST(Question, PointsAtWhatNegates) {
  const auto Words = [](std::string_view text) {
    std::string out;
    for (const memory::TextPart& part : Read(text).negations) Append(out, Of(text, part));
    return out;
  };
  EXPECT_EQ(Words("Which film did I not see, and who isn’t here?"), "not isn’t");
  EXPECT_EQ(Words("我没有去过哪里？他不吃什么？"), "没有 不");
  EXPECT_EQ(Words("特别不错，是不是？未来没问题"), "没");
}

TEST(Question, WeighsTermsByWhatTheyTell) {
  const auto Weight = [](const QuestionReading& reading, std::string_view term) {
    for (const memory::QuestionTerm& known : reading.terms) {
      if (known.term == term) return known.weight;
    }
    return -1.0;
  };
  const QuestionReading weeks = Read("How many weeks ago did I paint the fence last Saturday?");
  EXPECT_EQ(Weight(weeks, "fenc"), 1.0);
  EXPECT_EQ(Weight(weeks, "mani"), 0.6);
  EXPECT_LT(Weight(weeks, "saturday"), 0.6);
  EXPECT_EQ(Weight(Read("Which march did the band play?"), "march"), 1.0);
  EXPECT_LT(Weight(Read("What did the band play in March?"), "march"), 0.6);
  // Said outside the time as well.
  EXPECT_EQ(Weight(Read("Which march did the band play in March?"), "march"), 1.0);
  EXPECT_LT(Weight(Read("Any tips for my garden?"), "tip"), 1.0);
  EXPECT_EQ(Weight(Read("Who paid the tip?"), "tip"), 1.0);
  const QuestionReading chinese = Read("上周三的象棋比赛");
  EXPECT_EQ(Weight(chinese, "象棋"), 1.0);
  EXPECT_LT(Weight(chinese, "上周"), 0.6);
}

TEST(Question, HoldsTimesAndImpossibleDates) {
  const std::string_view text = "What did I do last Saturday and on February 30?";
  const QuestionReading reading = Read(text);
  ASSERT_EQ(reading.times.size(), 1u);
  EXPECT_EQ(Of(text, reading.times[0].text), "last Saturday");
  EXPECT_EQ(memory::FormatMinute(reading.times[0].range.from_ms), "2023-06-10 00:00");
  ASSERT_EQ(reading.impossible_dates.size(), 1u);
  EXPECT_EQ(Of(text, reading.impossible_dates[0]), "February 30");
}

TEST(Question, ReadsAnyText) {
  std::string all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes += static_cast<char>(i);
  const std::string_view texts[] = {"",
                                    "a",
                                    "?",
                                    "我",
                                    "\xe6\x88",
                                    all_bytes,
                                    "\U0001F600\U0001F680?!",
                                    "Сколько мне лет? Иван",
                                    "¿Cuándo fue mi última cita? Él",
                                    "いつ引っ越しましたか",
                                    "''''''\"\"\"\"''s 's 's's",
                                    "the the the who who that that the",
                                    "我的的的那那的时候的人"};
  for (const std::string_view text : texts) {
    const QuestionReading reading = Read(text);
    for (const memory::QuestionName& name : reading.names) EXPECT_LE(name.text.end, text.size());
    for (const memory::QuestionHop& hop : reading.hops) EXPECT_LE(hop.text.end, text.size());
    for (const memory::Quantity& number : reading.numbers) {
      EXPECT_LT(number.text.begin, number.text.end);
      EXPECT_LE(number.text.end, text.size());
    }
  }
}

TEST(Question, ReadsAnyMixtureOfItsWords) {
  constexpr std::uint32_t kSeed = 20230614;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  constexpr std::string_view kPieces[] = {
      "last ",  "next ",   "the ",     "week",    "month ", "May ",    "may ",       "5",
      "31",     "2023",    "13",       "/",       "-",      ".",       ":",          " ",
      "'s ",    "\u2019s", "\"",       "two ",    "ago ",   "of ",     "half ",      "a ",
      "days ",  "first ",  "Friday",   "before ", "three ", "hundred", "三",         "十",
      "百",     "万",      "年",       "月",      "日",     "前",      "后",         "上",
      "个",     "周",      "初",       "半",      "去年",   "国庆",    "到",         "之间",
      "的",     "我",      "姐姐",     "那",      "时候",   "小",      "王",         "$",
      "k",      "%",       "point ",   "minus ",  "Tom",    "Ann's ",  "who ",       "when ",
      "I ",     "不",      "没有",     "是",      "《",     "》",      "\xff",       "\xe4\xb8",
      "\n",     "？",      "between ", "from ",   "to ",    "in ",     "农历",       "腊月",
      "第",     "½",       "块",       "点",      "early ", "mid-",    "Christmas ", "2",
      "百分之", "２０"};
  const std::vector<std::string> speakers = {"Tom", "王小明"};
  for (int i = 0; i < 4000; ++i) {
    std::string text;
    for (std::uint32_t n = 1 + random() % 14; n > 0; --n)
      text += kPieces[random() % std::size(kPieces)];
    const std::int64_t now = static_cast<std::int64_t>(random()) * 1000;
    const QuestionReading reading = memory::ReadQuestion(text, now, speakers, -300);
    for (const memory::TimeExpression& time : reading.times) {
      EXPECT_LT(time.range.from_ms, time.range.to_ms) << text;
      EXPECT_LT(time.text.begin, time.text.end) << text;
      EXPECT_LE(time.text.end, text.size()) << text;
    }
    for (const memory::QuestionName& name : reading.names) EXPECT_FALSE(name.name.empty()) << text;
    for (const memory::QuestionHop& hop : reading.hops) EXPECT_FALSE(hop.part.empty()) << text;
    for (const memory::Quantity& number : reading.numbers) {
      EXPECT_FALSE(number.value.empty()) << text;
      EXPECT_LE(number.text.end, text.size()) << text;
    }
    for (const memory::QuestionTerm& term : reading.terms) {
      EXPECT_GT(term.weight, 0) << text;
      EXPECT_LE(term.weight, 1) << text;
    }
  }
}

// Twice the text may take twice the time, not four times: 8 is far from both a slow machine's
// noise and 16, which four times the text would cost if the time grew with its square.
TEST(Question, TakesTimeInProportionToLength) {
  const std::string_view parts[] = {"the person who told my sister's friend in May \"so\" 4,237 ",
                                    "我姐姐的朋友三天前没有去那个的时候，", "\" ' “ 「 《",
                                    "Ben 's than ", "how many what which when I "};
  for (const std::string_view part : parts) {
    const auto Seconds = [&](std::size_t bytes) {
      std::string text;
      while (text.size() < bytes) text += part;
      double best = 1e9;
      for (int i = 0; i < 3; ++i) {
        const std::clock_t start = std::clock();  // Other programs may be at work.
        EXPECT_LE(Read(text).hops.size(), 64u);
        best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
      }
      return best;
    };
    const double small = Seconds(25'000), large = Seconds(100'000);
    EXPECT_LT(large, 8 * small + 0.01) << part;
  }
}

}  // namespace
}  // namespace liubai
