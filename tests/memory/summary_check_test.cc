#include "memory/summary_check.h"

#include <gtest/gtest.h>

#include "memory/said_values.h"

namespace liubai::memory {
namespace {

Turn Said(TurnId id, Role role, std::string text, std::string speaker = "") {
  Turn turn;
  turn.id = id;
  turn.role = role;
  turn.text = std::move(text);
  turn.speaker = std::move(speaker);
  turn.time_ms = 1'709'500'000'000 + id * 60'000;  // Sunday, 3 March 2024.
  return turn;
}

// One turn, what may be said of it, and what may not.
struct Case {
  std::string turn;
  std::vector<std::string> kept;
  std::vector<std::string> wrong;
};

void Check(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    const std::vector<Turn> turns = {Said(1, Role::kUser, one.turn)};
    for (const std::string& summary : one.kept) {
      std::vector<std::string> rejected;
      EXPECT_EQ(CheckedSummary(summary, turns, &rejected), summary)
          << one.turn << (rejected.empty() ? "" : "\n  " + rejected[0]);
    }
    for (const std::string& summary : one.wrong) {
      std::vector<std::string> rejected;
      EXPECT_EQ(CheckedSummary(summary, turns, &rejected), "") << one.turn;
      EXPECT_EQ(rejected.size(), 1u) << summary;
    }
  }
}

TEST(CheckedSummary, NumbersInAllTheirSpellings) {
  Check({
      {"The deposit for the kitchen was $4,237.",
       {"The deposit for the kitchen was 4237 dollars.",
        "The deposit for the kitchen was four thousand two hundred and thirty-seven dollars.",
        "The kitchen deposit was 4237."},
       {"The deposit for the kitchen was $4,273.", "The deposit for the kitchen was €4,237.",
        "The deposit for the kitchen was four thousand two hundred and thirty dollars.",
        "The deposit for the kitchen was 4237 yuan.", "The deposit for the kitchen was $4.2k."}},
      {"厨房的定金是四千二百三十七元。",
       {"厨房的定金是4237元。", "厨房的定金是４２３７元。", "厨房的定金是四千二百三十七元。"},
       {"厨房的定金是4273元。", "厨房的定金是四千二百三十元。", "厨房的定金是4237美元。"}},
      {"我们的首付是五十万元。",
       {"首付是50万元。", "首付是500000元。"},
       {"首付是5万元。", "首付是15万元。"}},
      {"We keep three cats and twelve hens.",
       {"The user keeps 3 cats and 12 hens.", "The user keeps three cats."},
       {"The user keeps four cats and twelve hens.", "The user keeps 2 cats."}},
      {"我们养了三只猫。", {"用户养了3只猫。"}, {"用户养了四只猫。", "用户养了5只猫。"}},
      {"The rent went up by 5% in the new contract.",
       {"The rent went up by five percent in the new contract."},
       {"The rent went up by 15% in the new contract.",
        "The rent went up by eight percent in the new contract."}},
      {"房租涨了百分之五。", {"房租涨了5%。"}, {"房租涨了百分之八。", "房租涨了50%。"}},
      {"The parcel weighs 12 kg and comes in three weeks.",
       {"The parcel weighs twelve kilos and comes in 3 weeks."},
       {"The parcel weighs 12 lbs and comes in three weeks.",
        "The parcel weighs 12 kg and comes in three days."}},
      {"快递三周以后到，重12公斤。", {"快递3周以后到，重12公斤。"}, {"快递三天以后到，重12公斤。"}},
  });
}

TEST(CheckedSummary, DatesAndTimes) {
  Check({
      {"The dentist is on May 14 at 3:30 pm.",
       {"The dentist is on 14 May at 3:30 pm.", "The dentist is on the 14th of May.",
        "The dentist is on 5/14/2024 at 15:30.", "The dentist is at half past three."},
       {"The dentist is on June 14 at 3:30 pm.", "The dentist is on May 15 at 3:30 pm.",
        "The dentist is on May 14 at 3:30 am.", "The dentist is on May 14 at 3:45 pm.",
        "The dentist is at half past four."}},
      {"牙医约在五月十四号下午三点半。",
       {"牙医约在5月14日下午三点半。", "牙医约在五月十四日15:30。"},
       {"牙医约在6月14日下午三点半。", "牙医约在5月15日下午三点半。", "牙医约在5月14日下午四点半。",
        "牙医约在5月14日上午三点半。"}},
      {"Mia has violin on Wednesday near the bridge.",
       {"Mia has violin on Wednesdays."},
       {"Mia has violin on Thursday near the bridge."}},
      {"米娅星期三要上小提琴课。", {"米娅周三要上小提琴课。"}, {"米娅周四要上小提琴课。"}},
      {"The passport runs out on 2026-03-19.",
       {"The passport runs out on March 19, 2026."},
       {"The passport runs out on March 19, 2027.", "The passport runs out on March 9, 2026."}},
      {"We will see the notary tomorrow about the house.",
       {"The user will see the notary on Monday about the house.",
        "The user will see the notary on March 4 about the house."},
       {"The user will see the notary on Friday about the house.",
        "The user will see the notary on March 14 about the house."}},
  });
}

TEST(CheckedSummary, NamesLiteralsAndQuotations) {
  Check({
      {"Dr. Chen moved the appointment to his office in Porto.",
       {"Dr Chen moved the appointment to Porto."},
       {"Dr. Cheng moved the appointment to Porto.", "Dr. Chen moved the appointment to Lisbon."}},
      {"周明远医生把复诊改到了周五。", {"周明远医生改了复诊。"}, {"周明理医生改了复诊。"}},
      {"The invoice INV-2041 went to anna@fir.example today.",
       {"The invoice INV-2041 went to anna@fir.example."},
       {"The invoice INV-2014 went to anna@fir.example.",
        "The invoice INV-2041 went to anne@fir.example."}},
      {"The notes are in plan_v2.md and at https://fir.example/a, says the team.",
       {"The notes of the team are in plan_v2.md."},
       {"The notes of the team are in plan_v3.md.", "The notes are at https://fir.example/b."}},
      {"My phone number is 555-0143 now.",
       {"The user's phone number is 555-0143."},
       {"The user's phone number is 555-0134."}},
      {"The plaque says “leave no stone unturned” in gold letters.",
       {"The plaque says \"leave no stone unturned\" in gold letters.",
        "The plaque says 'leave no stone unturned.'"},
       {"The plaque says \"leave no stone behind\" in gold letters."}},
      {"牌子上写着“静候佳音”四个字。",
       {"牌子上写着「静候佳音」四个字。"},
       {"牌子上写着“静待花开”四个字。"}},
      {"Run `make all` before each release of the tool.",
       {"Run `make all` before each release."},
       {"Run `make clean` before each release."}},
  });
}

TEST(CheckedSummary, ANotThatWasSaidStays) {
  Check({
      {"I no longer drink coffee in the morning.",
       {"The user no longer drinks coffee in the morning.",
        "The user does not drink coffee in the morning."},
       {"The user drinks coffee in the morning."}},
      {"Never book a meeting before 10:30.",
       {"Never book a meeting before 10:30."},
       {"Book a meeting before 10:30."}},
      {"I am allergic to cashews, badly.",
       {"The user is allergic to cashews."},
       {"The user is not allergic to cashews."}},
      {"我不吃香菜。", {"用户不吃香菜。"}, {"用户吃香菜。"}},
      {"我特别喜欢吃香菜。", {"用户特别喜欢吃香菜。"}, {"用户不喜欢吃香菜。"}},
  });
}

TEST(CheckedSummary, WhoDidWhat) {
  const std::vector<Turn> turns = {
      Said(1, Role::kUser, "Tom paid $350 for the bicycle. I paid $90 for the helmet.", "Lin Yue"),
      Said(2, Role::kAssistant, "I can set a reminder for 8 May. Your helmet was $90.",
           "Assistant"),
      Said(3, Role::kUser, "Mia got a violin for 1,200 euros. She practises 40 minutes a day.",
           "Lin Yue"),
      Said(4, Role::kUser, "汤姆的车花了八万元。我的表花了九百元。", "Lin Yue")};
  for (const std::string summary : {
           "Tom paid $350 for the bicycle.",
           "The user paid $90 for the helmet.",
           "Lin Yue paid $90 for the helmet.",
           "The user said that Tom paid $350 for the bicycle.",
           "The assistant can set a reminder for 8 May.",
           "Mia got a violin for 1,200 euros.",
           "Mia practises 40 minutes a day.",
           "汤姆的车花了8万元。",
           "用户的表花了900元。",
       }) {
    std::vector<std::string> rejected;
    EXPECT_EQ(CheckedSummary(summary, turns, &rejected), summary)
        << (rejected.empty() ? "" : rejected[0]);
  }
  for (const std::string wrong : {
           "Tom paid $90 for the helmet.",
           "The user paid $350 for the bicycle.",
           "Lin Yue paid $350 for the bicycle.",
           "Mia paid $350 for the bicycle.",
           "The assistant paid 1,200 euros for a violin.",
           "Tom practises 40 minutes a day.",
           "Tom got a violin for 1,200 euros.",
           "汤姆的表花了900元。",
           "用户的车花了8万元。",
       }) {
    std::vector<std::string> rejected;
    EXPECT_EQ(CheckedSummary(wrong, turns, &rejected), "") << wrong;
    EXPECT_EQ(rejected.size(), 1u);
  }
}

TEST(CheckedSummary, TellsWhy) {
  std::vector<std::string> rejected;
  CheckedSummary("The rent is $990. The rent is not $900.",
                 {Said(1, Role::kUser, "The rent of the flat is $900.")}, &rejected);
  ASSERT_EQ(rejected.size(), 2u);
  EXPECT_EQ(rejected[0], "The rent is $990. [a value that no turn holds]");
  EXPECT_EQ(rejected[1], "The rent is not $900. [the contrary of what was said]");
}

TEST(ValuesOf, HaveOneForm) {
  EXPECT_EQ(ValuesOf("$4,237"), (Values{"n:4237", "m:usd:4237"}));
  EXPECT_EQ(ValuesOf("四千二百三十七元"), (Values{"n:4237", "m:cny:4237"}));
  EXPECT_EQ(ValuesOf("at 15:30"), ValuesOf("at 3:30 pm"));
  EXPECT_EQ(ValuesOf("下午三点半"), ValuesOf("3:30 pm"));
  EXPECT_EQ(ValuesOf("the 14th of May"), ValuesOf("五月十四号"));
  EXPECT_EQ(ValuesOf("on Sunday"), ValuesOf("周日"));
  EXPECT_EQ(ValuesOf("50万元"), ValuesOf("500,000元"));
  EXPECT_EQ(ValuesOf("12 kg"), ValuesOf("十二公斤"));
  EXPECT_EQ(ValuesOf("You may come in."), Values{});
  EXPECT_TRUE(ValuesOfDay(1'709'500'000'000, "tomorrow").contains("wd:1"));
}

}  // namespace
}  // namespace liubai::memory
