// liubai inspect question: the reading as a table and as JSON, and what it refuses.
#include "nlohmann/json.hpp"
#include "tests/tools/program_fixture.h"

namespace liubai::tools {
namespace {

class InspectQuestionTest : public ProgramTest {};

TEST_F(InspectQuestionTest, ShowsTheReading) {
  const std::string question =
      "inspect question \"What did caroline pay last Saturday, 4,237 dollars?\" --speaker Caroline "
      "--at 2023-06-14T10:00:00Z";
  const Outcome json = Run(question + " --json");
  ASSERT_EQ(json.status, 0) << json.err;
  const nlohmann::json reading = nlohmann::json::parse(json.out);
  EXPECT_EQ(reading["asked"], "thing");
  ASSERT_EQ(reading["times"].size(), 1u);
  EXPECT_EQ(reading["times"][0]["from_ms"], 1686355200000);  // 2023-06-10
  EXPECT_EQ(reading["times"][0]["precision"], "day");
  ASSERT_EQ(reading["names"].size(), 1u);
  EXPECT_EQ(reading["names"][0]["speaker"], 0);
  ASSERT_EQ(reading["numbers"].size(), 1u);
  EXPECT_EQ(reading["numbers"][0]["value"], "4237");
  const Outcome table = Run(question);
  EXPECT_NE(table.out.find("2023-06-10 00:00 to 2023-06-11 00:00, day within"), std::string::npos)
      << table.out;
}

TEST_F(InspectQuestionTest, ReadsATurn) {
  const Outcome outcome =
      Run("inspect question --turn --json '下周三我要去北京' --at 2023-06-14T10:00:00Z");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json reading = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(reading["times"].size(), 1u);
  EXPECT_EQ(reading["times"][0]["from_ms"], 1687305600000);  // 2023-06-21
  EXPECT_FALSE(reading.contains("names"));
}

TEST_F(InspectQuestionTest, RefusesWhatIsNoTime) {
  const Outcome outcome = Run("inspect question x --at 2023-02-30");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("--at 2023-02-30 is no time"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace liubai::tools
