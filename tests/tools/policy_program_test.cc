// A policy as the program fits, shows and refuses it.
#include "nlohmann/json.hpp"
#include "tests/tools/program_fixture.h"

namespace liubai::tools {
namespace {

class PolicyProgramTest : public ProgramTest {};

TEST_F(PolicyProgramTest, TuneWritesAFileThatTheBenchReads) {
  const std::string on = " --count 1 --sessions 8 --window 512";
  Outcome outcome =
      Run("tune --seed 3 --trials 2 --date 2024-03-04 --commit abc --out p.json --json" + on);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto told = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(told["trials"], 2);
  const auto file = nlohmann::json::parse(Contents(folder_ / "p.json"));
  EXPECT_EQ(file, told["file"]);
  EXPECT_EQ(file["provenance"]["date"], "2024-03-04");
  EXPECT_EQ(file["provenance"]["commit"], "abc");
  EXPECT_EQ(file["provenance"]["data_hash"].get<std::string>().size(), 64u);
  EXPECT_GE(file["provenance"]["reward_fitted"], file["provenance"]["reward_default"]);

  outcome = Run("bench policy --policy p.json --seed 9 --json" + on);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["provenance"]["data_hash"], file["provenance"]["data_hash"]);
  EXPECT_NE(report["data_hash"], file["provenance"]["data_hash"]);
  EXPECT_EQ(report["fitted_on_the_same"], false);
  EXPECT_GT(report["questions"], 0);
  EXPECT_LE(report["difference"]["reward"]["low"], report["difference"]["reward"]["value"]);
  outcome = Run("bench policy --policy p.json --seed 3" + on);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("was fitted to"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("fitted less default"), std::string::npos) << outcome.out;
}

TEST_F(PolicyProgramTest, ABadPolicyIsNamedBeforeAnythingIsLoaded) {
  std::ofstream(folder_ / "bad.json")
      << R"({"format":"liubai-policy","version":1,"policy":{"high_mark":3}})";
  for (const char* command :
       {"chat -p hello --policy bad.json", "bench policy --policy bad.json"}) {
    const Outcome outcome = Run(command);
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_NE(outcome.err.find("bad.json"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("high_mark is 3; it must be 0.05..1"), std::string::npos)
        << outcome.err;
  }
  EXPECT_EQ(Run("chat -p hello --policy none.json").status, 1);
  EXPECT_EQ(Run("bench policy").status, 2);
  EXPECT_EQ(Run("tune --conversations x.jsonl").status, 2);
  EXPECT_EQ(Run("tune --trials 0").status, 2);
}

}  // namespace
}  // namespace liubai::tools
