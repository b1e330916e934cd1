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
      {"I like teal, says my note.", "- (preference, 2024-09-01, turn 90) I like teal."},
  };
  for (const Case& one : other) {
    const StandingEdit edit = AddStanding(one.earlier, {one.later}, 1000, 0, Count);
    EXPECT_EQ(edit.value, one.earlier + "\n" + one.later);
    EXPECT_TRUE(edit.replaced.empty()) << one.later;
  }
}

TEST(AddStanding, LinesNameTheirTurn) {
  EXPECT_EQ(TurnOfLine("- (rule, 2024-03-05, turn 57) Never call before nine."), 57);
  EXPECT_EQ(TurnOfLine("written by hand, turn 57"), 0);
}

}  // namespace
}  // namespace liubai::memory
