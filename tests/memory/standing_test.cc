#include "memory/standing.h"

#include <gtest/gtest.h>

namespace liubai::memory {
namespace {

int Count(std::string_view text) { return static_cast<int>((text.size() + 3) / 4); }

bool Stands(std::string_view text) {
  for (const Detail& detail : ExtractDetails(text)) {
    if (IsStanding(detail)) return true;
  }
  return false;
}

TEST(IsStanding, TakesWhatHoldsForGood) {
  for (std::string_view text : {
           "Never book a meeting before 10:30.",
           "Before we plan this week, one standing rule for my calendar: never book a meeting "
           "before 10:30.",
           "Please always answer in metric units.",
           "From now on, sign every letter with \"Yours, M.\"",
           "Remember to call me Captain.",
           "Please call me Captain from now on.",
           "Use British spelling from now on.",
           "Don't use emojis in your replies.",
           "I'm allergic to peanuts and shellfish.",
           "My daughter is allergic to penicillin, and so am I.",
           "I prefer tea to coffee.",
           "My favourite colour is teal.",
           "I don't eat pork.",
           "I no longer like jazz.",
           "No, my phone number is 555-0143, not 555-0142.",
           "以后都用中文回答我。",
           "千万不要在晚上十点以后打电话。",
           "请不要每次都给我发表情。",
           "我对花生过敏。",
           "我喜欢喝乌龙茶。",
           "我从小就不喜欢香菜。",
           "从杭州回来以后我不喝美式咖啡了，现在每天早上改喝龙井茶。",
           "不对，我的门禁密码应该是4471，不是4417。",
       }) {
    EXPECT_TRUE(Stands(text)) << text;
  }
}

TEST(IsStanding, LeavesOutWhatWasMeantOnce) {
  for (std::string_view text : {
           "Never mind, what should I cook tonight?",
           "Don't worry about the cake today.",
           "Remember to buy milk.",
           "Make sure the file is sent tomorrow.",
           "I would rather not start a war over ceramics before breakfast.",
           "I don't want to go out today.",
           "I like the second one, I will take it.",
           "I love how you put it.",
           "The door never opened again.",
           "We will go there by bike from now on.",
           "My boss said: please wear a tie from now on.",
           "She always said \"never lend a book to an uncle\".",
           "My father said I must always wear a hat.",
           "Tom likes jazz.",
           "Mia loves the fox on the cake.",
           "The small garden in Suzhou was the favourite.",
           "A drawing by the map-maker of my favourite one by the river.",
           "Actually the meeting is on 12 May.",
           "The code of the storage unit is 5812, not what I told you last week.",
           "Do you know if I like oolong?",
           "我们家一直是咸的，放五花肉和咸蛋黄，Tom却喜欢甜的豆沙。",
           "我希望中英文都有，但是不要太挤，最好能让人记住。",
           "床已经垫高了，说不定我也会喜欢上高一点的床。",
           "我妈妈最喜欢听越剧。",
           "老师说以后每次都要带尺子。",
           "这篇作业必须明天交。",
           "今天不要放辣椒，记住了。",
           "会议改到2024年3月8日上午十点。",
           "你喜欢喝什么茶？",
       }) {
    EXPECT_FALSE(Stands(text)) << text;
  }
}

TEST(AddStanding, DropsTheLeastGraveFirst) {
  const std::vector<std::string> lines = {
      "- (allergy, 2024-03-04, turn 1) I am allergic to cashews.",
      "- (preference, 2024-03-04, turn 3) I like teal.",
      "- (rule, 2024-03-05, turn 5) Never call before nine."};
  const std::string all = AddStanding("written by hand", lines, 1000, 0, Count).value;
  EXPECT_TRUE(all.starts_with("written by hand\n- (allergy"));
  const StandingEdit less = AddStanding("written by hand", lines, Count(all) - 1, 0, Count);
  EXPECT_EQ(less.value.find("teal"), std::string::npos);
  EXPECT_NE(less.value.find("cashews"), std::string::npos);
  EXPECT_NE(less.value.find("Never call"), std::string::npos);
  EXPECT_EQ(less.dropped, std::vector<std::string>{lines[1]});
  const std::string least = AddStanding("written by hand", lines, 20, 0, Count).value;
  EXPECT_NE(least.find("written by hand"), std::string::npos);
  EXPECT_EQ(least.find("Never call"), std::string::npos);
  // A limit in bytes holds as the budget does.
  EXPECT_LE(AddStanding("written by hand", lines, 1000, 90, Count).value.size(), 90u);
  // Said again later: one line, with the later date.
  const std::string again =
      AddStanding(all, {"- (preference, 2024-04-01, turn 9) I like teal."}, 1000, 0, Count).value;
  EXPECT_EQ(again.find("teal"), again.rfind("teal"));
  EXPECT_NE(again.find("turn 9"), std::string::npos);
}

TEST(AddStanding, ALaterWordOnTheSameSubjectStands) {
  struct Case {
    std::string earlier, later;
  };
  const Case same[] = {
      {"- (preference, 2024-03-04, turn 3) My favourite colour is teal.",
       "- (preference, 2024-09-01, turn 90) My favourite colour is now green."},
      {"- (preference, 2024-03-04, turn 3) I prefer tea to coffee.",
       "- (preference, 2024-09-01, turn 90) I prefer coffee to tea now."},
      {"- (preference, 2024-03-04, turn 3) I love jazz.",
       "- (preference, 2024-09-01, turn 90) I no longer like jazz."},
      {"- (rule, 2024-03-04, turn 3) Never book a meeting before 10:30.",
       "- (rule, 2024-09-01, turn 90) From now on never book a meeting before 9:00."},
      {"- (preference, 2024-03-04, turn 3) 我喜欢喝乌龙茶。",
       "- (preference, 2024-09-01, turn 90) 我现在不喝乌龙茶了。"},
      {"- (preference, 2024-03-04, turn 3) 我最喜欢的颜色是蓝色。",
       "- (preference, 2024-09-01, turn 90) 我现在最喜欢的颜色是绿色。"},
      {"- (rule, 2024-03-04, turn 3) 以后都用中文回答我。",
       "- (rule, 2024-09-01, turn 90) 以后请一律用英文回复我。"},
      {"- (rule, 2024-03-04, turn 3) Always answer in English.",
       "- (rule, 2024-09-01, turn 90) From now on, always reply in French."},
      {"- (rule, 2024-03-04, turn 3) Remember to call me Captain.",
       "- (rule, 2024-09-01, turn 90) Please call me Anna from now on."},
      {"- (rule, 2024-03-04, turn 3) 以后请叫我王老师。",
       "- (rule, 2024-09-01, turn 90) 叫我老王就行，以后都这样。"},
      {"- (rule, 2024-03-04, turn 3) Always give lengths in metric units.",
       "- (rule, 2024-09-01, turn 90) Always give lengths in imperial units."},
      {"- (allergy, 2024-03-04, turn 3) I am allergic to cashews.",
       "- (allergy, 2024-09-01, turn 90) I am no longer allergic to cashews."},
      {"- (allergy, 2024-03-04, turn 3) 我对花生过敏。",
       "- (allergy, 2024-09-01, turn 90) 我对花生已经不过敏了。"},
      {"- (allergy, 2024-03-04, turn 3) I'm allergic to peanuts.",
       "- (allergy, 2024-09-01, turn 90) I'm allergic to peanuts and shellfish."},
  };
  for (const Case& one : same) {
    const StandingEdit edit = AddStanding(one.earlier, {one.later}, 1000, 0, Count);
    EXPECT_EQ(edit.value, one.later);
    ASSERT_EQ(edit.replaced.size(), 1u) << one.later;
    EXPECT_EQ(edit.replaced[0].line, one.earlier);
    EXPECT_EQ(edit.replaced[0].by, one.later);
  }
  const Case other[] = {
      {"- (preference, 2024-03-04, turn 3) I like teal.",
       "- (preference, 2024-09-01, turn 90) I like tea."},
      {"- (preference, 2024-03-04, turn 3) My favourite colour is teal.",
       "- (preference, 2024-09-01, turn 90) My favourite season is autumn."},
      {"- (rule, 2024-03-04, turn 3) Never email me on Sundays.",
       "- (rule, 2024-09-01, turn 90) Never email Tom on Sundays."},
      {"- (allergy, 2024-03-04, turn 3) I am allergic to cashews.",
       "- (allergy, 2024-09-01, turn 90) I am allergic to pollen."},
      {"- (allergy, 2024-03-04, turn 3) I'm allergic to peanuts and shellfish.",
       "- (allergy, 2024-09-01, turn 90) I'm allergic to peanuts."},
      {"- (preference, 2024-03-04, turn 3) 我最喜欢的颜色是蓝色。",
       "- (preference, 2024-09-01, turn 90) 我最喜欢的季节是秋天。"},
      {"- (rule, 2024-03-04, turn 3) 以后都用中文回答我。",
       "- (rule, 2024-09-01, turn 90) 以后不要在周日给我发邮件。"},
      {"I like teal, says my note.", "- (preference, 2024-09-01, turn 90) I like teal."},
  };
  for (const Case& one : other) {
    const StandingEdit edit = AddStanding(one.earlier, {one.later}, 1000, 0, Count);
    EXPECT_EQ(edit.value, one.earlier + "\n" + one.later);
    EXPECT_TRUE(edit.replaced.empty()) << one.later;
  }
}

TEST(AddStanding, WhatSaysTheSameIsOneLineAndNoReplacement) {
  for (const auto& [earlier, later] : std::vector<std::pair<std::string, std::string>>{
           {"- (preference, 2024-03-04, turn 3) I like teal.",
            "- (preference, 2024-09-01, turn 90) I like teal!"},
           {"- (rule, 2024-03-04, turn 3) Never call me before nine.",
            "- (rule, 2024-09-01, turn 90) Please never call me before nine."},
           {"- (rule, 2024-03-04, turn 3) 千万不要在晚上打电话。",
            "- (rule, 2024-09-01, turn 90) 千万不要在晚上打电话！"}}) {
    const StandingEdit edit = AddStanding(earlier, {later}, 1000, 0, Count);
    EXPECT_EQ(edit.value, later);
    EXPECT_TRUE(edit.replaced.empty()) << later;
  }
  // The same words with a "not" are another matter.
  const StandingEdit edit =
      AddStanding("- (preference, 2024-03-04, turn 3) I like jazz.",
                  {"- (preference, 2024-09-01, turn 90) I don't like jazz."}, 1000, 0, Count);
  EXPECT_EQ(edit.replaced.size(), 1u);
}

TEST(AddStanding, TheLatestIsLastInWhicheverOrderTheyCome) {
  const std::string old_rule = "- (rule, 2024-03-05, turn 5) Never call me before nine.";
  const std::string colour = "- (preference, 2024-05-01, turn 40) My favourite colour is teal.";
  const std::string newer = "- (preference, 2024-09-01, turn 90) My favourite colour is green.";
  EXPECT_EQ(AddStanding("by hand\n" + newer, {old_rule}, 1000, 0, Count).value,
            "by hand\n" + old_rule + "\n" + newer);
  // Of an older session that is compacted later: what was said since stands.
  const StandingEdit edit = AddStanding(newer, {colour}, 1000, 0, Count);
  EXPECT_EQ(edit.value, newer);
  EXPECT_TRUE(edit.replaced.empty());
  EXPECT_EQ(AddStanding("- (rule, 2024-09-01, turn 90) Never call me before nine.", {old_rule},
                        1000, 0, Count)
                .value,
            "- (rule, 2024-09-01, turn 90) Never call me before nine.");
}

TEST(StandingChanges, TellsWhatTookThePlaceOfWhat) {
  const std::string teal = "- (preference, 2024-03-04, turn 3) My favourite colour is teal.";
  const std::string green = "- (preference, 2024-09-01, turn 90) My favourite colour is green.";
  const std::string nuts = "- (allergy, 2024-03-04, turn 3) I am allergic to cashews.";
  const auto changes = StandingChanges(teal + "\n" + nuts, green + "\nby hand");
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].line, teal);
  EXPECT_EQ(changes[0].by, green);
  EXPECT_EQ(changes[1].line, nuts);
  EXPECT_EQ(changes[1].by, "");
  EXPECT_EQ(changes[2].line, "");
  EXPECT_EQ(changes[2].by, "by hand");
  EXPECT_TRUE(StandingChanges(teal, teal).empty());
}

TEST(AddStanding, LinesNameTheirTurn) {
  EXPECT_EQ(TurnOfLine("- (rule, 2024-03-05, turn 57) Never call before nine."), 57);
  EXPECT_EQ(TurnOfLine("written by hand, turn 57"), 0);
}

}  // namespace
}  // namespace liubai::memory
