#include "memory/essence.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "memory/sentence.h"
#include "memory/summary_check.h"

namespace liubai::memory {
namespace {

int Count(std::string_view text) { return static_cast<int>((text.size() + 3) / 4); }

Turn Said(TurnId id, Role role, std::string text) {
  Turn turn;
  turn.id = id;
  turn.role = role;
  turn.text = std::move(text);
  turn.time_ms = 1'709'500'000'000 + id * 60'000;
  return turn;
}

Essence Old(TurnId first, TurnId last, std::string text, std::int32_t level = 0) {
  Essence essence;
  essence.first_turn = first;
  essence.last_turn = last;
  essence.level = level;
  essence.text = std::move(text);
  return essence;
}

bool Holds(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// The lines' ranges follow one another, cover [first, last] and none is without words.
void ExpectCovers(const std::string& text, TurnId first, TurnId last) {
  TurnId next = first;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    long long from = 0, to = 0;
    int used = 0;
    if (std::sscanf(line.c_str(), "Turns %lld–%lld: %n", &from, &to, &used) != 2) continue;
    EXPECT_EQ(from, next) << text;
    EXPECT_GE(to, from) << text;
    EXPECT_GT(line.size(), static_cast<std::size_t>(used) + 3) << "nothing said in: " << line;
    next = to + 1;
  }
  EXPECT_EQ(next, last + 1) << text;
}

TEST(IsSmallTalk, TellsCourtesyFromContent) {
  for (std::string_view talk :
       {"Good morning, Lin Yue.", "Thanks, that helps a lot!", "You're welcome!", "Hi there!",
        "Good night, Tom, sleep well.", "Of course, I am glad to help.", "早上好！", "好的，谢谢。",
        "不客气，很高兴为您服务。", "太好了！", "晚安。", "知道了，谢谢你。"}) {
    EXPECT_TRUE(IsSmallTalk(talk)) << talk;
  }
  for (std::string_view content :
       {"Good morning, the rent is $900 now.", "The carpenters finished the kitchen.",
        "Thanks, the boiler works again.", "好的，房租是6850元。", "我对腰果过敏。",
        "She sleeps on my dictionaries.", "妈妈的膝盖手术很顺利，下周出院。"}) {
    EXPECT_FALSE(IsSmallTalk(content)) << content;
  }
}

TEST(CheckedSummary, LeavesOutWhatNoTurnSaid) {
  const std::vector<Turn> turns = {
      Said(1, Role::kUser, "The kitchen deposit was $4,237, paid to Acorn Carpenters."),
      Said(2, Role::kAssistant, "Noted, the rest is due later.")};
  std::vector<std::string> rejected;
  EXPECT_EQ(CheckedSummary("The kitchen deposit was 4237. The kitchen deposit was 4327. "
                           "The kitchen deposit was 4237. It was paid to Birch Carpenters.",
                           turns, &rejected),
            "The kitchen deposit was 4237.");
  ASSERT_EQ(rejected.size(), 2u);
  EXPECT_NE(rejected[0].find("4327"), std::string::npos);
  EXPECT_NE(rejected[1].find("Birch"), std::string::npos);
  // Words of another conversation altogether.
  EXPECT_EQ(CheckedSummary("Penguins migrate across frozen glaciers yearly.", turns, nullptr), "");
}

TEST(CheckedSummary, BelievesOtherFormsOfWhatWasSaid) {
  const std::vector<Turn> turns = {
      Said(1, Role::kUser, "Dr. Chen moved my dentist appointment, and the carpenters are late."),
      Said(2, Role::kUser, "周明远医生说我的智齿暂时不用拔。")};
  for (std::string_view summary :
       {"The user told the assistant that Dr Chen moved the appointment.",
        "The user mentioned the late carpenters.", "用户提到智齿暂时不用拔。"}) {
    EXPECT_EQ(CheckedSummary(summary, turns, nullptr), summary);
  }
  for (std::string_view wrong :
       {"The user mentioned that Dr Cheng moved the appointment.",
        "The appointment with Dr. Chen is on May 14.", "Mr. Brown moved the appointment.",
        "The user told the assistant.", "周明理医生说智齿暂时不用拔。",
        "The dentist appointment with the carp…"}) {
    EXPECT_EQ(CheckedSummary(wrong, turns, nullptr), "") << wrong;
  }
}

TEST(CheckedSummary, ReadsListsAndNamesWhoeverSpeaksOfThemselves) {
  std::vector<Turn> turns = {
      Said(1, Role::kUser,
           "I paid a deposit of $4,237 for the kitchen. The cabinets are pale oak."),
      Said(2, Role::kUser, "Mia has her violin lesson on Wednesday near the old canal bridge.")};
  turns[0].speaker = "Lin Yue";
  std::vector<std::string> rejected;
  EXPECT_EQ(CheckedSentences("1. I paid a deposit of $4,237 for the kitchen.\n"
                             "2. The user has cabinets of pale oak.\n- Of course!",
                             turns, &rejected),
            (std::vector<std::string>{"Lin Yue: I paid a deposit of $4,237 for the kitchen.",
                                      "The user has cabinets of pale oak."}));
  EXPECT_TRUE(rejected.empty()) << rejected[0];
  // Each word was said, but not of one thing.
  EXPECT_EQ(
      CheckedSummary("The deposit for the violin cabinets and the lesson of the kitchen bridge "
                     "paid the pale canal.",
                     turns, nullptr),
      "");
}

TEST(ExtractSummary, PrefersSentencesThatCarryDetails) {
  const std::vector<Turn> turns = {
      Said(1, Role::kUser, "Lovely weather today. I am allergic to cashews. It may rain later."),
      Said(2, Role::kAssistant, "How nice for you!")};
  const std::string summary = ExtractSummary(turns, 12, Count);
  EXPECT_EQ(summary, "User: I am allergic to cashews.");
  EXPECT_LE(Count(ExtractSummary(turns, 30, Count)), 30);
}

TEST(ExtractSummary, LeavesOutGreetingsThanksAndEchoes) {
  const std::vector<Turn> turns = {
      Said(1, Role::kUser, "Good morning, my friend! The rent of the flat is $1,450 a month."),
      Said(2, Role::kAssistant,
           "Good morning, Lin Yue! Noted, the rent of the flat is $1,450 a month."),
      Said(3, Role::kUser, "Thank you very much. Do you know a good soup?"),
      Said(4, Role::kAssistant, "You're welcome. A soup of leeks keeps for 3 days.")};
  EXPECT_EQ(ExtractSummary(turns, 200, Count),
            "User: The rent of the flat is $1,450 a month. "
            "Assistant: A soup of leeks keeps for 3 days.");
}

TEST(ExtractSummary, LeavesOutGreetingsThanksAndEchoesInChinese) {
  const std::vector<Turn> turns = {
      Said(1, Role::kUser, "早上好！我们的房租每个月6850元，房东姓钱。"),
      Said(2, Role::kAssistant, "早上好！好的，房租每个月6850元，房东姓钱。"),
      Said(3, Role::kUser, "好的，谢谢你。"), Said(4, Role::kAssistant, "不客气！")};
  EXPECT_EQ(ExtractSummary(turns, 200, Count), "User: 我们的房租每个月6850元，房东姓钱。");
}

TEST(ExtractSummary, SaysNothingTwice) {
  const std::vector<Turn> turns = {
      Said(1, Role::kUser, "The dentist is Dr. Chen. We sold the old car for $3,100."),
      Said(2, Role::kUser, "My dentist is Dr. Chen.")};
  const std::string summary =
      ExtractSummary(turns, 200, Count, {"The user sold the old car for $3,100."});
  EXPECT_FALSE(Holds(summary, "3,100")) << summary;
  EXPECT_EQ(summary.find("Dr. Chen"), summary.rfind("Dr. Chen")) << summary;
}

TEST(CutAtWord, CutsNoWordAndNoNumberInTwo) {
  const std::string text = "The roof cost $4,237 in all.";
  for (std::size_t bytes = 0; bytes <= text.size(); ++bytes) {
    const std::string cut = CutAtWord(text, bytes);
    EXPECT_TRUE(cut.empty() || cut == text || cut.ends_with("…")) << cut;
    EXPECT_EQ(cut.find("$4") != cut.npos, cut.find("$4,237") != cut.npos) << cut;
    EXPECT_EQ(cut.find("ro") != cut.npos, cut.find("roof") != cut.npos) << cut;
  }
  EXPECT_EQ(CutAtWord("屋顶花了四千二百三十七元", 21), "屋顶花了…");
  EXPECT_EQ(CutAtWord("屋顶花了4237元", 14), "屋顶花了…");
  EXPECT_EQ(CutAtWord("x", 1), "x");
  EXPECT_EQ(CutAtWord("", 0), "");
}

TEST(FitWords, StaysWithinTheBudget) {
  const std::string text = "The gardener paid 4000 euros for 40 roses on May 14.";
  for (int budget = 0; budget <= 14; ++budget) {
    const std::string fitted = FitWords(text, budget, Count);
    EXPECT_LE(Count(fitted), budget) << fitted;
    EXPECT_FALSE(Holds(fitted, "for 4…")) << fitted;
  }
  EXPECT_EQ(FitWords(text, 20, Count), text);
}

TEST(ExtractSummary, ABudgetBelowOneSentenceHoldsItsBeginning) {
  const std::string summary = ExtractSummary(
      {Said(1, Role::kUser, "The gardener paid 4000 euros for 40 roses and planted them.")}, 8,
      Count);
  EXPECT_EQ(summary, "User: The gardener paid 4000…");
}

TEST(MergeEssences, KeepsEveryRangeAndTheBudget) {
  std::vector<Essence> essences;
  for (int i = 0; i < 20; ++i) {
    essences.push_back(
        Old(i * 10 + 1, i * 10 + 10,
            "Turns x–y (2024-03-04): " + std::string(300, static_cast<char>('a' + i))));
  }
  for (const int budget : {400, 150, 40}) {
    const std::string text = MergeEssences(essences, budget, Count);
    EXPECT_LE(Count(text), budget);
    EXPECT_TRUE(text.starts_with("Turns 1–")) << text;
    EXPECT_NE(text.find("–200:"), std::string::npos) << text;
  }
}

TEST(MergeEssences, KeepsWhatMattersAndNotWhatComesFirst) {
  const std::vector<Essence> essences = {
      Old(1, 20,
          "Turns 1–20 (2024-03-04): Assistant: Good morning, Lin Yue. Lin Yue: I paid a deposit of "
          "$4,237 for the kitchen. Assistant: That sounds like a calm and bright choice.\nAlso on "
          "record: rent; Mia's birthday"),
      Old(21, 38,
          "Turns 21–38 (2024-03-15): Assistant: You're welcome. Lin Yue: What should I cook? "
          "Assistant: Thank you, how nice."),
      Old(39, 54,
          "Turns 39–54 (2024-04-02): Lin Yue: The code of the storage unit is 5812. Assistant: "
          "Good night.\nExact words: The spare key is with Mrs. Okafor.")};
  for (const int budget : {90, 60, 50}) {
    const std::string text = MergeEssences(essences, budget, Count);
    EXPECT_LE(Count(text), budget);
    ExpectCovers(text, 1, 54);
    EXPECT_TRUE(Holds(text, "$4,237")) << text;
    EXPECT_TRUE(Holds(text, "5812")) << text;
    EXPECT_FALSE(Holds(text, "Good morning")) << text;
    EXPECT_FALSE(Holds(text, "welcome")) << text;
    EXPECT_FALSE(Holds(text, "Good night")) << text;
  }
  const std::string text = MergeEssences(essences, 90, Count);
  EXPECT_TRUE(Holds(text, "spare key")) << text;
  EXPECT_TRUE(Holds(text, "Also on record: rent; Mia's birthday")) << text;
}

TEST(MergeEssences, KeepsWhatMattersInChinese) {
  const std::vector<Essence> essences = {
      Old(1, 10, "Turns 1–10 (2024-03-04): Assistant: 早上好！ 林月: 我们的房租每个月6850元。"),
      Old(11, 20, "Turns 11–20 (2024-03-05): Assistant: 不客气，祝您周末愉快。"),
      Old(21, 30,
          "Turns 21–30 (2024-03-06): 林月: 我的护照2026年3月19日到期。 Assistant: 好的，谢谢。\n"
          "另有记录可查：牙医; 高铁")};
  const std::string text = MergeEssences(essences, 60, Count);
  EXPECT_LE(Count(text), 60);
  ExpectCovers(text, 1, 30);
  EXPECT_TRUE(Holds(text, "6850元")) << text;
  EXPECT_TRUE(Holds(text, "2026年3月19日")) << text;
  EXPECT_FALSE(Holds(text, "早上好")) << text;
  EXPECT_FALSE(Holds(text, "不客气")) << text;
  EXPECT_TRUE(Holds(text, "另有记录可查：牙医; 高铁")) << text;
}

TEST(MergeEssences, MergesMergedOnesAgainAndAgain) {
  std::vector<Essence> essences;
  std::string merged;
  for (int round = 0; round < 12; ++round) {
    const TurnId first = round * 10 + 1;
    essences.push_back(Old(first, first + 9,
                           "Turns 0–0 (2024-03-04): Anna: The locker of season " +
                               std::to_string(round) + " has the number " +
                               std::to_string(7000 + round) + ". Assistant: Good morning!"));
    if (essences.size() < 2) continue;
    merged = MergeEssences(essences, 70, Count);
    EXPECT_LE(Count(merged), 70);
    ExpectCovers(merged, 1, first + 9);
    EXPECT_FALSE(Holds(merged, "Good morning")) << merged;
    EXPECT_TRUE(Holds(merged, "Anna: ")) << merged;
    essences = {Old(1, first + 9, merged, 1)};
  }
}

TEST(MergeEssences, DropsNearDuplicatesButNoOtherNumber) {
  const std::vector<Essence> essences = {
      Old(1, 10, "Turns 1–10 (2024-03-04): The code of the storage unit near the station is 5821."),
      Old(11, 20,
          "Turns 11–20 (2024-03-05): The code of the storage unit near the station is 5812."),
      Old(21, 30, "Turns 21–30 (2024-03-06): The code of the storage unit is 5812.")};
  const std::string text = MergeEssences(essences, 200, Count);
  ExpectCovers(text, 1, 30);
  EXPECT_TRUE(Holds(text, "5821")) << text;
  EXPECT_EQ(text.find("5812"), text.rfind("5812")) << text;
}

}  // namespace
}  // namespace liubai::memory
