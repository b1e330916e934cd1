// Runs the built program as a user would: exit codes, messages, suggestions.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "engine/model_store.h"
#include "nlohmann/json.hpp"
#include "tests/tools/program_fixture.h"

namespace liubai::tools {
namespace {

TEST_F(ProgramTest, HelpListsTheCommandsAndEndsWithAnExample) {
  const Outcome help = Run("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("completion"), std::string::npos);
  EXPECT_NE(help.out.find("Example: liubai"), std::string::npos);
  EXPECT_EQ(help.err, "");
}

TEST_F(ProgramTest, EveryCommandHasHelpWithAnExample) {
  std::istringstream lines(Run("--help").out);
  int commands = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ")) continue;
    std::string name = line.substr(2, 22);
    name.erase(name.find_last_not_of(' ') + 1);
    const Outcome help = Run(name + " --help");
    EXPECT_EQ(help.status, 0) << name;
    EXPECT_NE(help.out.find("Usage: liubai " + name), std::string::npos) << name;
    EXPECT_NE(help.out.find("Example: "), std::string::npos) << name;
    ++commands;
  }
  EXPECT_GT(commands, 0);
}

TEST_F(ProgramTest, MistypedCommandsAndFlagsGetASuggestion) {
  Outcome outcome = Run("completio bash");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("did you mean 'completion'?"), std::string::npos) << outcome.err;
  outcome = Run("completion bash --quite");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("did you mean '--quiet'?"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST_F(ProgramTest, ErrorsAreJsonWhenResultsAre) {
  const Outcome outcome = Run("completio --json");
  EXPECT_EQ(outcome.status, 2);
  const auto object = nlohmann::json::parse(outcome.err);
  EXPECT_EQ(object["error"]["code"], "invalid_argument");
  EXPECT_EQ(object["error"]["exit_code"], 2);
}

TEST_F(ProgramTest, ValuesComeFromTheEnvironmentAndAreCheckedThere) {
  const Outcome outcome = Run("completion bash", "", "LIUBAI_COLOR=mauve");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("LIUBAI_COLOR: 'mauve' is not one of auto, on, off"),
            std::string::npos)
      << outcome.err;
}

TEST_F(ProgramTest, AFullOutputIsAnError) {
  EXPECT_EQ(Run("completion bash --json >/dev/full; exit $?").status, 1);
}

TEST_F(ProgramTest, CompletionScriptsAreValidAndKnowTheCommands) {
  std::ofstream(folder_ / "bash script") << Run("completion bash").out;
  const std::string command = "bash -c 'source \"" + (folder_ / "bash script").string() +
                              "\"; COMP_WORDS=(liubai comp); COMP_CWORD=1; _liubai; [[ "
                              "\"${COMPREPLY[*]}\" == *completion* ]]'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_NE(Run("completion fish").out.find("complete -c liubai"), std::string::npos);
  EXPECT_TRUE(Run("completion zsh").out.starts_with("#compdef liubai"));
  EXPECT_EQ(Run("completion tcsh").status, 2);
}

// A conversation as JSON lines.
constexpr char kTalk[] =
    "{\"role\":\"user\",\"content\":\"I paid $4,237.\",\"speaker\":\"Lin\","
    "\"time\":\"2024-03-04T09:12:00Z\"}\n"
    "{\"role\":\"assistant\",\"content\":\"记住了。\"}\n";

TEST_F(ProgramTest, ImportedTurnsAreShownAndExportedAgain) {
  Outcome outcome = Run("import - --session talk --json", kTalk);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["turns"], 2);
  outcome = Run("inspect summary --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["sessions"][0]["name"], "talk");
  outcome = Run("inspect turns --session talk");
  EXPECT_NE(outcome.out.find("I paid $4,237."), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("2024-03-04 09:12"), std::string::npos) << outcome.out;

  ASSERT_EQ(Run("export out.jsonl").status, 0);
  outcome = Run("export out.jsonl");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("--overwrite"), std::string::npos);
  // What was exported gives the same lines from another memory.
  ASSERT_EQ(Run("import out.jsonl --store other").status, 0);
  EXPECT_EQ(Run("export --store other").out, Contents(folder_ / "out.jsonl"));
}

TEST_F(ProgramTest, ABadLineRefusesTheWholeFileByNumber) {
  const std::string bad = std::string(kTalk) + "{\"role\":\"king\",\"content\":\"x\"}\n";
  Outcome outcome = Run("import -", bad);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("line 3"), std::string::npos) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(Run("inspect summary --json").out)["turns"], 0);
  outcome = Run("import - --skip-bad --json", bad);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["turns"], 2);
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["skipped"], 1);
}

TEST_F(ProgramTest, InvalidUtf8AndNulAreRefused) {
  EXPECT_EQ(Run("import -", "{\"role\":\"user\",\"content\":\"\xff\"}\n").status, 1);
  EXPECT_EQ(Run("import -", "{\"role\":\"user\",\"content\":\"a\\u0000b\"}\n").status, 1);
}

TEST_F(ProgramTest, ReadingNeedsAMemoryAndSaysHowToMakeOne) {
  const Outcome outcome = Run("inspect turns");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("liubai import"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "home" / "memory"));
}

TEST_F(ProgramTest, MistypedSessionsAndModelsGetASuggestion) {
  ASSERT_EQ(Run("import - --session kitchen", kTalk).status, 0);
  Outcome outcome = Run("inspect turns --session kitchne");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("did you mean 'kitchen'?"), std::string::npos) << outcome.err;
  outcome = Run("models fetch smolm2-135m");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("smollm2-135m"), std::string::npos) << outcome.err;
  outcome = Run("tokenize -m smolm2-135m hello");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("smollm2-135m"), std::string::npos) << outcome.err;
}

TEST_F(ProgramTest, AbsurdValuesAreRefusedWithTheirRange) {
  for (const std::string threads : {"0", "-1", "100000", "two"}) {
    const Outcome outcome = Run("complete --threads " + threads + " hello");
    EXPECT_EQ(outcome.status, 2) << threads;
    EXPECT_NE(outcome.err.find("from 1 to 256"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(Run("complete --context-tokens -5 hello").status, 2);
  EXPECT_EQ(Run("inspect turns --last 0").status, 2);
}

TEST_F(ProgramTest, AModelFileThatIsTextIsRefusedByName) {
  std::ofstream(folder_ / "model.gguf") << "once upon a time";
  const Outcome outcome = Run("tokenize -m model.gguf hello");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("model.gguf"), std::string::npos) << outcome.err;
}

TEST_F(ProgramTest, DoctorFindsADamagedMemory) {
  ASSERT_EQ(Run("import -", kTalk).status, 0);
  EXPECT_EQ(Run("doctor").status, 0);
  std::fstream file(folder_ / "home" / "memory" / "memory.db",
                    std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(0);
  file.write("not a database!!", 16);
  file.close();
  const Outcome outcome = Run("doctor --json");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_GE(nlohmann::json::parse(outcome.out)["problems"].get<int>(), 1);
}

// Killed before the first turn: nothing is lost, and the next run goes on. An empty database beside
// an index is another thing.
TEST_F(ProgramTest, DoctorTellsAMemoryThatWasBegunFromOneThatIsLost) {
  const auto memory = folder_ / "home" / "memory";
  std::filesystem::create_directories(memory);
  std::ofstream(memory / "memory.db").close();
  std::ofstream(memory / "store.lock").close();
  Outcome outcome = Run("doctor");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("its creation was interrupted"), std::string::npos) << outcome.out;
  std::filesystem::create_directories(memory / "indexes");
  outcome = Run("doctor");
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_NE(outcome.out.find("memory.db is empty"), std::string::npos) << outcome.out;
  std::filesystem::remove(memory / "indexes");
  ASSERT_EQ(Run("import -", kTalk).status, 0);
  EXPECT_EQ(Run("doctor").status, 0);
}

TEST_F(ProgramTest, RecallFindsTheTurnAndSaysWhy) {
  ASSERT_EQ(Run("import - --quiet", kTalk).status, 0);
  Outcome outcome = Run("recall 'how much was paid?' --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto result = nlohmann::json::parse(outcome.out);
  ASSERT_FALSE(result["hits"].empty());
  EXPECT_EQ(result["hits"][0]["text"], "I paid $4,237.");
  EXPECT_FALSE(result["hits"][0]["why"].get<std::string>().empty());
  outcome = Run("recall 'zeppelin'");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("nothing fits"), std::string::npos) << outcome.out;
  // What looks like syntax of a full-text query is words.
  EXPECT_EQ(Run("recall 'paid AND (\"x* NEAR'").status, 0);
  EXPECT_EQ(Run("recall ''").status, 2);
}

TEST_F(ProgramTest, RecallOfHowManyIsAListInTheOrderOfTime) {
  constexpr char kLife[] =
      "{\"role\":\"user\",\"content\":\"I sold the second "
      "lamp.\",\"time\":\"2023-05-09T10:00:00Z\"}\n"
      "{\"role\":\"user\",\"content\":\"I sold a brass lamp.\",\"time\":\"2023-03-01T10:00:00Z\"}\n"
      "{\"role\":\"user\",\"content\":\"I sold a brass "
      "lamp.\",\"time\":\"2023-03-04T10:00:00Z\"}\n";
  ASSERT_EQ(Run("import - --quiet", kLife).status, 0);
  Outcome outcome = Run("recall 'How many lamps did I sell?'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("2 found, oldest first"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("told again in turn"), std::string::npos) << outcome.out;
  EXPECT_LT(outcome.out.find("brass"), outcome.out.find("second")) << outcome.out;
  outcome = Run("recall 'How many lamps did I sell?' --json");
  const auto result = nlohmann::json::parse(outcome.out);
  EXPECT_TRUE(result["list"].get<bool>());
  ASSERT_EQ(result["hits"].size(), 2u);
  EXPECT_EQ(result["hits"][0]["same"].size(), 1u);
  EXPECT_FALSE(result["hits"][0]["why"].get<std::string>().empty());
}

constexpr char kTinyModel[] = "'" LIUBAI_SOURCE_DIR "/tests/golden/tiny/tiny-qwen2.gguf'";

// A real model's file among the fetched ones; empty where it is not there.
std::string FetchedModel(const std::string& file) {
  const std::string path = liubai::engine::ModelsFolder() + "/" + file;
  return std::filesystem::exists(path) ? path : "";
}

TEST_F(ProgramTest, BenchTurnsMeasuresOneConversation) {
  const std::string model = FetchedModel("SmolLM2-135M-Instruct.Q4_1.gguf");
  if (model.empty()) GTEST_SKIP() << "the model file of smollm2-135m is not there";
  const Outcome outcome =
      Run("bench turns --turns 20 -n 2 -c 512 --threads 1 --embedder none --compaction extractive "
          "--json -m '" +
          model + "'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["turns"], 20);
  EXPECT_EQ(report["idle_work"], "awaited");
  EXPECT_EQ(report["first_token_ms"]["early"]["turns"], nlohmann::json({1, 3}));
  EXPECT_EQ(report["first_token_ms"]["late"]["turns"], nlohmann::json({18, 20}));
  EXPECT_GT(report["first_token_ms"]["late"]["p95"], 0);
  EXPECT_GT(report["mean_tokens"]["cached"], 0);
  EXPECT_GE(report["compactions"], 1);
  EXPECT_GT(report["store"].back()["file_bytes"], 0);
  EXPECT_EQ(Run("bench turns --turns 19").status, 2);
}

TEST_F(ProgramTest, BenchmarksOfTheEngineStateModelThreadsAndMemory) {
  for (const std::string bench : {"decode", "prefill"}) {
    const Outcome outcome =
        Run("bench " + bench + " -n 8 -d 16 -r 1 --threads 1 --json -m " + kTinyModel);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(report["bench"], bench);
    EXPECT_EQ(report["model"]["threads"], 1);
    EXPECT_GT(report["tokens_per_second"]["median"], 0);
    // More than the model, less than what no tiny model takes.
    EXPECT_GT(report["peak_memory_bytes"], report["model"]["file_bytes"]);
    EXPECT_LT(report["peak_memory_bytes"], 256 << 20);
  }
}

TEST_F(ProgramTest, BenchGoldenRunsEachKindOfFile) {
  const std::string golden = "bench golden --json '" LIUBAI_SOURCE_DIR "/tests/golden/";
  Outcome outcome = Run(golden + "tiny/tiny-qwen2.json' --exact -c 256 -m " + kTinyModel);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["greedy"]["texts_equal"], report["greedy"]["prompts"]);
  std::ofstream(folder_ / "other.json") << "{\"model\": \"x\"}";
  outcome = Run(std::string("bench golden other.json -m ") + kTinyModel);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("other.json"), std::string::npos) << outcome.err;
  const std::string embedder = FetchedModel("all-minilm-l6-v2-f16.gguf");
  if (embedder.empty()) GTEST_SKIP() << "the model file of all-minilm-l6-v2 is not there";
  outcome = Run(golden + "embed-all-minilm-l6-v2.json' -m '" + embedder + "'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  report = nlohmann::json::parse(outcome.out);
  EXPECT_GE(report["vectors"]["least_cosine"], 0.999);
  EXPECT_GE(report["vectors"]["compared"], 40);
}

TEST_F(ProgramTest, BenchEmbedTimesTextsThatItCanHandOn) {
  const std::string model = FetchedModel("all-minilm-l6-v2-f16.gguf");
  if (model.empty()) GTEST_SKIP() << "the model file of all-minilm-l6-v2 is not there";
  const Outcome outcome =
      Run("bench embed -n 12 -b 5 --singles 3 -r 1 --embedder-threads 1 --json" +
          (" --save-texts texts --embedder '" + model + "'"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["texts"], 12);
  EXPECT_EQ(report["singles"]["texts"], 3);
  EXPECT_GT(report["texts_per_second"]["median"], 0);
  EXPECT_GT(report["tokens"], 12 * 10);
  const std::string texts = Contents(folder_ / "texts");
  EXPECT_EQ(std::count(texts.begin(), texts.end(), '\n'), 12);
}

TEST_F(ProgramTest, ModelsShowReadsAFileAndImportNeedsAKnownFormat) {
  Outcome outcome =
      Run("models show '" LIUBAI_SOURCE_DIR "/tests/golden/tiny/tiny-llama.gguf' --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["metadata"]["general.architecture"], "llama");
  std::ofstream(folder_ / "notes.txt") << "once upon a time, in a land of no models";
  outcome = Run("models import notes.txt -o out.gguf");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("notes.txt"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.gguf"));
}

}  // namespace
}  // namespace liubai::tools
