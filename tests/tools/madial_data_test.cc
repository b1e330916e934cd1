#include "tools/madial_data.h"

#include <gtest/gtest.h>

#include <string>

namespace liubai::tools {
namespace {

constexpr char kMemories[] =
    R"({"1": {"time": "2023-12-25", "scene": "Activity", "emotion": "Happy", )"
    R"("event": "Ann sang in the choir.", "user-id": 1}})"
    "\n\n"
    R"({"2": {"time": "2023-13-45", "event": "Ben broke his arm.", "user-id": 2}})";

std::string Dialogue(const std::string& relevant, const std::string& user = "1") {
  return R"({"dialogue": ["<BOD>\n", "<Ann>:\"I sang today!\"\n", "<Assistant>:\"Lovely.\"\n", )"
         R"("<Ann>: “And again on Sunday.”\n", "<Assistant>:\"Like at Christmas?\"\n"], )"
         R"("test-turn": [4], "relevant-id": [)" +
         relevant + R"(], "user-id": )" + user + "}\n";
}

TEST(MadialDataTest, ReadsTheDialogueBeforeTheFirstTestTurn) {
  const auto data = ParseMadial(kMemories, Dialogue("1"), "en");
  ASSERT_TRUE(data.ok()) << data.status().ToString();
  ASSERT_EQ(data->dialogues.size(), 1u);
  EXPECT_EQ(data->dialogues[0].text, "I sang today!\nLovely.\nAnd again on Sunday.\n");
  EXPECT_EQ(data->dialogues[0].last, "And again on Sunday.");
  ASSERT_EQ(data->memories.size(), 1u) << "those of users who speak";
  EXPECT_EQ(data->memories[0].text,
            "{'scene': 'Activity', 'emotion': 'Happy', 'event': 'Ann sang in the choir.'}");
  EXPECT_GT(data->memories[0].time_ms, 0);
}

TEST(MadialDataTest, WritesAMemoryAsTheAuthorsScriptDoes) {
  const auto data = ParseMadial(
      R"({"1": {"event": "Ann's cat said \"no\"."}, "2": {"emotion": "Sad", "event": "Ann's bus left."}})",
      Dialogue("1"), "en");
  ASSERT_TRUE(data.ok()) << data.status().ToString();
  ASSERT_EQ(data->memories.size(), 2u);
  EXPECT_EQ(data->memories[0].text, R"({'event': 'Ann\'s cat said "no".'})") << "as Python";
  EXPECT_EQ(data->memories[1].text, R"({'emotion': 'Sad', 'event': "Ann's bus left."})");
}

TEST(MadialDataTest, CountsIdsThatDoNotExistAndDialoguesWithoutEvidence) {
  const auto data = ParseMadial(kMemories, Dialogue("1, 99, 1") + Dialogue("77"), "en");
  ASSERT_TRUE(data.ok()) << data.status().ToString();
  EXPECT_EQ(data->dialogues[0].relevant, std::vector<std::string>{"1"});
  EXPECT_EQ(data->unknown_ids, 2);
  EXPECT_EQ(data->without_evidence, 1);
}

TEST(MadialDataTest, AMemoryWithoutAUserIsOfThoseWhomItNames) {
  const auto data = ParseMadial(
      R"({"1": {"event": "Ann and Ben ran."}, "2": {"event": "Ben slept."}})", Dialogue("1"), "en");
  ASSERT_TRUE(data.ok()) << data.status().ToString();
  ASSERT_EQ(data->memories.size(), 1u);
  EXPECT_EQ(data->memories[0].id, "1");
}

TEST(MadialDataTest, NamesFileAndLineOfWhatIsNotInTheFormat) {
  const auto broken = ParseMadial(std::string(kMemories) + "\n{\"3\": {", Dialogue("1"), "zh");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.status().code(), StatusCode::kDataLoss);
  EXPECT_NE(broken.status().message().find("zh-memory.json, line 4"), std::string::npos)
      << broken.status().ToString();
  const auto without = ParseMadial(kMemories, "{\"dialogue\": []}", "zh");
  ASSERT_FALSE(without.ok());
  EXPECT_NE(without.status().message().find("zh-dialogue.json, line 1"), std::string::npos)
      << without.status().ToString();
}

}  // namespace
}  // namespace liubai::tools
