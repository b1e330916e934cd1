// Results of benchmarks: what they say of the run, and how two of them are compared.
#include <algorithm>
#include <chrono>

#include "nlohmann/json.hpp"
#include "tests/tools/program_fixture.h"

namespace liubai::tools {
namespace {

using nlohmann::json;

class BenchProgramTest : public ProgramTest {
 protected:
  void Put(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  static json Result(json metrics, const std::string& bench = "bench x",
                     const std::string& sha256 = "ab") {
    metrics["bench"] = "x";
    metrics["run"] = {{"bench", bench},
                      {"commit", "c0ffee"},
                      {"configuration", {{"turns", metrics.value("turns", 1)}}},
                      {"data", {{{"name", "d"}, {"sha256", sha256}}}}};
    return metrics;
  }
  // The metric of that name in what `compare --json` prints.
  static json Named(const json& list, const std::string& name) {
    for (const json& one : list) {
      if (one["metric"] == name) return one;
    }
    return nullptr;
  }
};

TEST_F(BenchProgramTest, AResultSaysWhatMadeIt) {
  const Outcome outcome = Run("bench search --turns 200 --queries 5 --out r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("hybrid search over 200 turns"), std::string::npos) << outcome.out;
  const json result = json::parse(Contents(folder_ / "r.json"));
  EXPECT_EQ(result["bench"], "search");
  const json& run = result["run"];
  EXPECT_EQ(run["bench"], "bench search");
  EXPECT_EQ(run["configuration"]["turns"], 200);
  EXPECT_EQ(run["configuration"]["queries"], 5);
  EXPECT_EQ(run["configuration"]["seed"], 1);  // Not given: what it was by default.
  EXPECT_EQ(run["data"][0]["sha256"].get<std::string>().size(), 64u);
  EXPECT_FALSE(run["commit"].get<std::string>().empty());
  EXPECT_FALSE(run["machine"]["cpu"].get<std::string>().empty());
  EXPECT_GE(run["machine"]["cores"], 1);
  EXPECT_GT(run["machine"]["memory_bytes"], 1 << 20);
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  EXPECT_LT(now - run["started_ms"].get<std::int64_t>(), 600'000);
  EXPECT_GE(run["seconds"], 0.0);
  EXPECT_LT(run["seconds"], 600.0);
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("r.json.")) << entry.path();
  }
  // What is printed is what is written.
  const json printed =
      json::parse(Run("bench search --turns 200 --queries 5 --seed 2 --json --out other.json").out);
  EXPECT_EQ(printed, json::parse(Contents(folder_ / "other.json")));
  EXPECT_NE(printed["run"]["data"], run["data"]);
}

TEST_F(BenchProgramTest, AFileThatCannotBeWrittenIsRefusedBeforeTheRun) {
  for (const std::string out : {"nowhere/r.json", "."}) {
    const Outcome outcome = Run("bench search --turns 200 --queries 5 --out " + out);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find(out), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(BenchProgramTest, TwoRunsOverTheSameDataAreCompared) {
  ASSERT_EQ(Run("bench search --turns 200 --queries 5 --out a.json").status, 0);
  ASSERT_EQ(Run("bench search --turns 200 --queries 6 --out b.json").status, 0);
  ASSERT_EQ(Run("bench search --turns 300 --queries 5 --out c.json").status, 0);
  Outcome outcome = Run("bench compare a.json b.json --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json compared = json::parse(outcome.out);
  EXPECT_EQ(Named(compared["metrics"], "queries")["difference"], 1);
  EXPECT_TRUE(Named(compared["metrics"], "hybrid_ms.p95")["intervals_overlap"].is_null());
  EXPECT_EQ(compared["differences"], (json{{"--queries", {5, 6}}}));
  outcome = Run("bench compare a.json b.json --only hybrid_ms");
  EXPECT_NE(outcome.out.find("hybrid_ms.p95"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("fill_s"), std::string::npos) << outcome.out;

  outcome = Run("bench compare a.json c.json");
  EXPECT_EQ(outcome.status, 1);
  const json a = json::parse(Contents(folder_ / "a.json"));
  EXPECT_NE(outcome.err.find(a["run"]["data"][0]["sha256"].get<std::string>()), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("--force"), std::string::npos) << outcome.err;
  outcome = Run("bench compare --force a.json c.json --json");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(json::parse(outcome.out)["forced"].size(), 1u);
  EXPECT_NE(outcome.err.find("warning"), std::string::npos);
}

TEST_F(BenchProgramTest, IntervalsAndPairedQuestionsTellADifferenceFromChance) {
  json before = {{"near", {{"value", 50}, {"low", 40}, {"high", 60}}},
                 {"far", {{"value", 50}, {"low", 49}, {"high", 51}}},
                 {"systems", json::parse(R"([{"name": "ours", "n": 7}])")},
                 {"gone", 1},
                 {"questions", json::array()}};
  json after = before;
  after.erase("gone");
  after["new"] = 1;
  after["near"] = {{"value", 55}, {"low", 45}, {"high", 65}};
  after["far"] = {{"value", 60}, {"low", 59}, {"high", 61}};
  after["systems"] = json::parse(R"([{"name": "theirs", "n": 1}, {"name": "ours", "n": 9}])");
  // Forty questions: 29 right in both, 1 only before, 9 only after, 1 wrong in both. In another
  // order.
  const auto question = [](const std::string& id, bool right, double f1) -> json {
    return json::object({{"id", id}, {"ours", json::object({{"right", right}, {"f1", f1}})}});
  };
  for (int i = 0; i < 40; ++i) {
    const std::string id = "q" + std::to_string(i);
    before["questions"].push_back(question(id, i < 30, i < 30 ? 0.5 : 0.25));
    after["questions"].push_back(question(id, i != 0 && i != 39, i < 30 ? 0.625 : 0.375));
  }
  after["questions"].push_back(question("only after", true, 0));
  std::reverse(after["questions"].begin(), after["questions"].end());
  Put("a.json", Result(before).dump());
  Put("b.json", Result(after).dump());
  const Outcome outcome = Run("bench compare a.json b.json --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json compared = json::parse(outcome.out);
  EXPECT_EQ(Named(compared["metrics"], "near")["intervals_overlap"], true);
  EXPECT_EQ(Named(compared["metrics"], "far")["intervals_overlap"], false);
  EXPECT_EQ(Named(compared["metrics"], "far")["difference"], 10);
  EXPECT_EQ(Named(compared["metrics"], "systems[ours].n")["difference"], 2);
  EXPECT_EQ(compared["only_in_a"], json({"gone"}));
  EXPECT_EQ(compared["only_in_b"], json({"new", "systems[theirs].n"}));
  const json right = Named(compared["paired"], "questions.ours.right");
  EXPECT_EQ(right["n"], 40);
  EXPECT_EQ(right["higher_in_a"], 1);
  EXPECT_EQ(right["higher_in_b"], 9);
  EXPECT_NEAR(right["mcnemar_p"], 22.0 / 1024, 1e-9);
  EXPECT_NEAR(right["difference"]["value"], 0.2, 1e-9);
  EXPECT_GT(right["difference"]["low"], 0);
  EXPECT_LT(right["difference"]["low"], 0.2);
  EXPECT_GT(right["difference"]["high"], 0.2);
  const json f1 = Named(compared["paired"], "questions.ours.f1");
  EXPECT_FALSE(f1.contains("mcnemar_p"));
  EXPECT_EQ(f1["difference"], (json{{"value", 0.125}, {"low", 0.125}, {"high", 0.125}}));
  const std::string table = Run("bench compare a.json b.json").out;
  EXPECT_NE(table.find("apart"), std::string::npos) << table;
  EXPECT_NE(table.find("McNemar p 0.0215"), std::string::npos) << table;
}

TEST_F(BenchProgramTest, WhatIsNoResultIsRefusedByName) {
  Put("good.json", Result({{"turns", 3}}).dump());
  Put("bench.json", Result({{"turns", 3}}, "bench y").dump());
  const auto refused = [&](const std::string& text, const std::string& said) {
    Put("bad.json", text);
    const Outcome outcome = Run("bench compare good.json bad.json");
    EXPECT_EQ(outcome.status, 1) << said;
    EXPECT_NE(outcome.err.find("bad.json"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  };
  refused("", "not JSON");
  refused("{\"bench\": \"x\"", "not JSON");
  refused("[1]", "not a JSON object");
  refused("{\"bench\": \"x\"}", "no \"run\"");
  refused(Result({}).dump() + "\n" + Result({}).dump() + "\n", "several results");
  refused(Result({{"m", {{"value", 1}, {"low", 2}, {"high", 1}}}}).dump(), "m: its interval");
  refused(Result({{"q", json::parse(R"([{"id": "z"}, {"id": "z"}])")}}).dump(),
          "'z' is there twice");
  refused("{\"run\":{\"bench\":\"bench x\",\"data\":[]},\"d\":" + std::string(100000, '[') +
              std::string(100000, ']') + "}",
          "nested");
  Outcome outcome = Run("bench compare good.json missing.json");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("missing.json"), std::string::npos) << outcome.err;
  outcome = Run("bench compare good.json bench.json");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("bench y"), std::string::npos) << outcome.err;
  EXPECT_EQ(Run("bench compare good.json").status, 2);
  EXPECT_EQ(Run("bench compare good.json good.json good.json").status, 2);
  EXPECT_EQ(Run("bench compare good.json good.json").status, 0);
}

}  // namespace
}  // namespace liubai::tools
