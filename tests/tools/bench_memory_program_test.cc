// The benchmarks that ask a model about a long conversation, run small through the built program.
#include "engine/model_store.h"
#include "nlohmann/json.hpp"
#include "tests/tools/program_fixture.h"

namespace liubai::tools {
namespace {

using nlohmann::json;

class BenchMemoryTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    const std::string path = engine::ModelsFolder() + "/SmolLM2-135M-Instruct.Q4_1.gguf";
    if (!std::filesystem::exists(path))
      GTEST_SKIP() << "the model file of smollm2-135m is not there";
    model_ = " --threads 1 -n 4 --embedder none -m '" + path + "'";
  }
  static json System(const json& result, const std::string& name) {
    for (const json& one : result["systems"]) {
      if (one["name"] == name) return one;
    }
    return nullptr;
  }
  std::string model_;
};

// What a system can answer from, whatever the model makes of it: the whole text holds everything, a
// sliding window nothing of its beginning, and the tiers find the beginning again.
TEST_F(BenchMemoryTest, NeedleTellsWhatEachSystemHasInItsPrompt) {
  const std::string small =
      "bench needle --lengths 1024 --languages en --window 512 --recalled-tokens 160 --json" +
      model_;
  Outcome outcome =
      Run(small + " --depths 0 --tasks single,distractors --svg map.svg --out r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["questions"].size(), 2u);
  for (const std::string name : {"whole", "window", "tiers"}) {
    EXPECT_EQ(System(result, name)["all"]["n"], 2) << name;
  }
  for (const json& question : result["questions"]) {
    EXPECT_EQ(question["whole"]["in_prompt"], true) << question["id"];
    EXPECT_EQ(question["window"]["in_prompt"], false) << question["id"];
    EXPECT_EQ(question["tiers"]["in_prompt"], true) << question["id"];
    EXPECT_LE(question["whole"]["prompt_tokens"], 1024);
    EXPECT_GT(question["whole"]["prompt_tokens"], 800);
    EXPECT_LE(question["window"]["prompt_tokens"], 512);
    EXPECT_LE(question["tiers"]["prompt_tokens"], 512);
  }
  const json late = json::parse(Run(small + " --depths 100 --tasks single --systems window").out);
  EXPECT_EQ(late["questions"][0]["window"]["in_prompt"], true);
  // The picture is a document that an XML parser reads: a cell for each depth and system.
  const std::string parse =
      "python3 -c \"import xml.etree.ElementTree as e; r = e.parse('" +
      (folder_ / "map.svg").string() +
      "').getroot(); assert r.tag.endswith('svg'); c = [x for x in r.iter() if x.get('class') == "
      "'cell']; assert len(c) == 3, len(c)\"";
  EXPECT_EQ(std::system(parse.c_str()), 0) << Contents(folder_ / "map.svg");
  EXPECT_EQ(json::parse(Contents(folder_ / "r.json")), result);
}

TEST_F(BenchMemoryTest, NeedleRefusesWhatItCannotDo) {
  for (const auto& [args, said] :
       std::vector<std::pair<std::string, std::string>>{{"--lengths 100", "'100'"},
                                                        {"--depths 101", "'101'"},
                                                        {"--systems tier", "'tier'"},
                                                        {"--languages de", "'de'"},
                                                        {"--lengths 4096 -c 2048", "4096"}}) {
    const Outcome outcome = Run("bench needle " + args);
    EXPECT_EQ(outcome.status, 2) << args;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  }
}

TEST_F(BenchMemoryTest, PositionFindsFactsOfEveryAge) {
  Outcome outcome = Run("bench position --sessions 16 --embedder none --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  json result = json::parse(outcome.out);
  const json& recall = result["recall_by_sessions_ago"];
  EXPECT_EQ(recall["all"]["@10"]["n"], 32);
  int sum = 0;
  for (const std::string age : {"1", "2-3", "4-7", "8-15", "16-31"}) {
    sum += recall[age]["@10"]["n"].get<int>();
  }
  EXPECT_EQ(sum, 32);
  // Each fact has words that no other one has together.
  EXPECT_GE(recall["all"]["@10"]["score"]["value"], 90);
  EXPECT_TRUE(result["answered_by_place"].is_null());

  outcome = Run("bench position --sessions 8 --languages en --asked 2 --memories 3 --json" +
                model_.substr(0, model_.find("-n 4")) + model_.substr(model_.find("--embedder")));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  result = json::parse(outcome.out);
  for (const std::string placement : {"in_message", "before_message"}) {
    const json& places = result["answered_by_place"][placement];
    EXPECT_EQ(places["all"]["n"], 6) << placement;
    for (const std::string place : {"1", "2", "3"}) EXPECT_EQ(places[place]["n"], 2);
  }
  EXPECT_EQ(Run("bench position --sessions 5 --memories 6").status, 2);
}

// Made up, in the published form.
constexpr char kLocomo[] = R"([{"sample_id": "made-up", "conversation": {
  "speaker_a": "Ada", "speaker_b": "Ben",
  "session_1_date_time": "1:56 pm on 8 May, 2023",
  "session_1": [{"speaker": "Ada", "dia_id": "D1:1", "text": "I sold the cello to a baker from Ghent."},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "A good price, I hope."}],
  "session_2_date_time": "12:05 am on 9 May, 2023",
  "session_2": [{"speaker": "Ada", "dia_id": "D2:1", "text": "The kiln arrives in June."}]},
  "qa": [
    {"question": "Who bought the cello?", "answer": "a baker", "category": 4, "evidence": ["D1:1"]},
    {"question": "How many kilns arrive?", "answer": 1, "category": 1, "evidence": ["D2:1"]},
    {"question": "No answer?", "category": 2, "evidence": ["D2:1"]},
    {"question": "Which harp was sold?", "category": 5, "adversarial_answer": "SECRET", "evidence": []}]}])";

TEST_F(BenchMemoryTest, AnswerAsksTheSameQuestionsOfEachSystem) {
  std::ofstream(folder_ / "locomo.json") << kLocomo;
  const std::string args =
      "bench answer --data locomo.json --full-tokens 1024 --window 512" + model_;
  Outcome outcome = Run(args + " --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["asked"], 3);
  EXPECT_EQ(result["excluded_without_check"], 1);  // Neither an answer nor said to have none.
  EXPECT_NE(outcome.err.find("audit_errors.json"), std::string::npos) << outcome.err;
  for (const std::string name : {"full", "window", "tiers", "oracle"}) {
    const json system = System(result, name);
    for (const std::string measure : {"f1", "f1_corrected", "contains"}) {
      EXPECT_EQ(system[measure]["all"]["n"], 3) << name;
      EXPECT_EQ(system[measure]["category 5"]["n"], 1) << name;
    }
  }
  for (const json& question : result["questions"]) {
    EXPECT_EQ(question["full"]["prompt_tokens"], question["window"]["prompt_tokens"]);
    EXPECT_LT(question["oracle"]["prompt_tokens"], question["full"]["prompt_tokens"]);
  }
  // Nobody's data goes into a result that was not asked to hold it.
  EXPECT_EQ(outcome.out.find("baker"), std::string::npos);
  EXPECT_EQ(outcome.out.find("SECRET"), std::string::npos);
  EXPECT_EQ(result["tiers_over"]["window"]["f1"]["n"], 3);

  const auto drawn = [&](const std::string& seed) {
    std::string ids;
    const json one =
        json::parse(Run(args + " --json --sample 1 --systems oracle --seed " + seed).out);
    EXPECT_EQ(one["asked"], 1);
    return one["questions"][0]["id"].get<std::string>();
  };
  EXPECT_EQ(drawn("3"), drawn("3"));
  EXPECT_TRUE(drawn("3") != drawn("4") || drawn("3") != drawn("5") || drawn("3") != drawn("6"));

  // Stopped in the middle of a line, a run goes on with what it has.
  const auto kept = [&](const std::string& flags) {
    const Outcome again =
        Run(args + " --json --systems window,oracle --answers kept.jsonl" + flags);
    EXPECT_EQ(again.status, 0) << again.err;
    return json::parse(again.out);
  };
  const json asked = kept("");
  EXPECT_EQ(asked["answers_kept_before"], 0);
  std::ofstream(folder_ / "kept.jsonl", std::ios::app) << R"({"answer":"cut o)";
  const json again = kept("");
  EXPECT_EQ(again["answers_kept_before"], 6);
  EXPECT_EQ(System(again, "window")["f1"], System(asked, "window")["f1"]);
  EXPECT_EQ(kept(" -n 3")["answers_kept_before"], 0);  // Another answer may come of that.
  std::ofstream(folder_ / "none.jsonl") << "{}\n";
  outcome = Run(args + " --answers none.jsonl");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("none.jsonl: line 1 is no kept answer"), std::string::npos)
      << outcome.err;

  std::ofstream(folder_ / "bad.json") << "[{\"sample_id\": 1}]";
  outcome = Run("bench answer --data bad.json" + model_);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("bad.json"), std::string::npos) << outcome.err;
  EXPECT_EQ(Run("bench answer --data locomo.json --systems some").status, 2);
}

}  // namespace
}  // namespace liubai::tools
