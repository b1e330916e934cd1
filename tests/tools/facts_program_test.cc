// What the program shows of facts and profiles.
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/tools/program_fixture.h"

namespace liubai::tools {
namespace {

constexpr char kLife[] =
    R"({"role":"user","content":"I live in Lyon.","time":"2023-01-10T10:00:00Z"}
{"role":"user","content":"My sister Anna is 30.","time":"2023-01-10T10:01:00Z"}
{"role":"user","content":"I moved to Paris.","time":"2023-06-10T10:00:00Z"}
{"role":"user","content":"My birthday is on 3 March.","time":"2023-07-10T10:00:00Z"}
{"role":"user","content":"Sorry, my birthday is on 13 March, not 3 March.","time":"2023-07-10T10:01:00Z"}
{"role":"user","content":"我对花生过敏。","time":"2023-08-01T10:00:00Z"}
)";

class FactsProgramTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ASSERT_EQ(Run("import -", kLife).status, 0);
  }
  // JSON lines of a command, one object each.
  std::vector<nlohmann::json> Lines(const std::string& args) {
    const Outcome outcome = Run(args + " --json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::vector<nlohmann::json> lines;
    std::istringstream in(outcome.out);
    for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }
  std::vector<std::string> Values(const std::string& args, const std::string& attribute) {
    std::vector<std::string> values;
    for (const auto& line : Lines(args)) {
      if (line["attribute"] == attribute) {
        values.push_back(line["value"].get<std::string>() + ": " +
                         line["state"].get<std::string>());
      }
    }
    return values;
  }
};

using List = std::vector<std::string>;

TEST_F(FactsProgramTest, FactsHaveAHistoryAndAPast) {
  EXPECT_EQ(Values("inspect facts", "home"), List{"Paris: valid"});
  EXPECT_EQ(Values("inspect facts --history", "home"), (List{"Lyon: closed", "Paris: valid"}));
  EXPECT_EQ(Values("inspect facts --history", "birthday"),
            (List{"3 March: wrong", "13 March: valid"}));
  EXPECT_EQ(Values("inspect facts --with-closed", "birthday"), List{"13 March: valid"});
  EXPECT_EQ(Values("inspect facts --as-of 2023-03-01", "home"), List{"Lyon: closed"});
  EXPECT_EQ(Values("inspect facts --as-of 2022-01-01", "home"), List{});
  EXPECT_EQ(Values("inspect facts --subject anna", "age"), List{"30: valid"});
  EXPECT_EQ(Values("inspect facts --subject anna", "home"), List{});
  const auto history = Lines("inspect facts --history --subject User");
  ASSERT_FALSE(history.empty());
  EXPECT_EQ(history[0]["closed_by"], 3);
  EXPECT_EQ(history[0]["sources"], nlohmann::json::array({1}));
  const Outcome text = Run("inspect facts --history");
  EXPECT_NE(text.out.find("wrong"), std::string::npos);
  EXPECT_NE(text.out.find("花生"), std::string::npos);
}

TEST_F(FactsProgramTest, ProfilesNameTheirSources) {
  const auto profiles = Lines("inspect profile");
  ASSERT_EQ(profiles.size(), 1u);
  EXPECT_EQ(profiles[0]["subject"], "User");
  std::map<std::string, nlohmann::json> lines;
  for (const auto& line : profiles[0]["lines"]) {
    lines[line["about"].get<std::string>() + "/" + line["attribute"].get<std::string>()] = line;
  }
  EXPECT_EQ(lines["/home"]["value"], "Paris");
  EXPECT_EQ(lines["/home"]["sources"], nlohmann::json::array({3}));
  EXPECT_EQ(lines["sister Anna/age"]["value"], "30");
  EXPECT_EQ(lines["/allergy"]["value"], "花生");
  const auto then = Lines("inspect profile --subject user --as-of 2023-02-01");
  EXPECT_NE(then[0].dump().find("Lyon"), std::string::npos);
  EXPECT_EQ(then[0].dump().find("Paris"), std::string::npos);
  const auto sources = Lines("inspect profile --question '给我推荐点零食'");
  ASSERT_FALSE(sources.empty());
  EXPECT_EQ(sources[0]["turn"], 6);
}

TEST_F(FactsProgramTest, TellsWhoWroteAFactAndWhatAModelHasRead) {
  for (const auto& line : Lines("inspect facts")) EXPECT_EQ(line["writer"], "rules");
  EXPECT_TRUE(Lines("inspect facts --model").empty());
  EXPECT_NE(Run("inspect facts --model").out.find("REJECTED"), std::string::npos);
}

TEST_F(FactsProgramTest, BenchFactsCountsWhatTheRulesFind) {
  std::ofstream(folder_ / "turns.jsonl")
      << R"({"text":"I live in Lyon.","facts":["me | home | Lyon"]})"
      << "\n"
      << R"({"text":"It rained again.","facts":["me | pet | *"]})"
      << "\n"
      << R"({"text":"I'm 30 years old.","facts":[]})"
      << "\n";
  const Outcome outcome = Run("bench facts turns.jsonl --without-model --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto result = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(result["turns"], 3);
  EXPECT_EQ(result["rules"]["marked"], 2);
  EXPECT_EQ(result["rules"]["written"], 2);
  EXPECT_EQ(result["rules"]["recall"]["value"], 50.0);
  EXPECT_EQ(result["rules"]["precision"]["value"], 50.0);
  EXPECT_NE(Run("bench facts turns.jsonl --without-model").out.find("PRECISION"),
            std::string::npos);
  std::ofstream(folder_ / "bad.jsonl") << R"({"text":"x","facts":["home Lyon"]})"
                                       << "\n";
  const Outcome bad = Run("bench facts bad.jsonl --without-model");
  EXPECT_EQ(bad.status, 1);
  EXPECT_NE(bad.err.find("bad.jsonl:1: the fact \"home Lyon\" is not"), std::string::npos)
      << bad.err;
}

TEST_F(FactsProgramTest, RefusesWhatItCannotMean) {
  Outcome outcome = Run("inspect facts --as-of yesterday");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("'yesterday' is no date"), std::string::npos) << outcome.err;
  EXPECT_EQ(Run("inspect facts --as-of 2023-02-30").status, 1);
  outcome = Run("inspect facts --as-of 2023-01-01 --history");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("neither --history nor"), std::string::npos) << outcome.err;
  outcome = Run("inspect profile --subject Anne");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("did you mean 'Anna'"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace liubai::tools
