// The tree of essences as the program shows it.
#include "liubai/agent.h"
#include "nlohmann/json.hpp"
#include "tests/memory/scripted_model.h"
#include "tests/tools/program_fixture.h"

namespace liubai::tools {
namespace {

class EssencesProgramTest : public ProgramTest {
 protected:
  // A memory in which an agent has compacted some hundred turns.
  void MakeEssences() {
    auto store = Store::Open((folder_ / "home" / "memory").string());
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    ScriptedModel model;
    std::int64_t now_ms = 1'709'500'000'000;
    AgentOptions options;
    options.store = store->get();
    options.model = &model;
    options.window_tokens = 512;
    options.idle_work = false;
    options.compaction = CompactionMode::kExtractive;
    options.now_ms = [&] { return now_ms += 3'600'000; };
    auto agent = Agent::Create(options);
    ASSERT_TRUE(agent.ok()) << agent.status().ToString();
    for (int i = 0; i < 200; ++i) {
      const std::string guest = std::to_string(1000 + 7 * i);
      ASSERT_TRUE((*agent)->Send("The locker of guest " + guest + " is on the left.").ok());
      if (i % 4 == 3) {
        ASSERT_TRUE((*agent)->Compact().ok());
      }
    }
  }
  // Adds the turns of the leaves below `node` and checks that they follow one another.
  void Walk(const nlohmann::json& node, std::int64_t* next, int* depth, int step = 1) {
    *depth = std::max(*depth, step);
    EXPECT_EQ(node["first_turn"], *next) << node["id"];
    for (const auto& child : node["children"]) Walk(child, next, depth, step + 1);
    if (node["children"].empty()) {
      EXPECT_EQ(node["level"], 0) << node["id"];
      *next = node["last_turn"].get<std::int64_t>() + 1;
    }
    EXPECT_EQ(node["last_turn"], *next - 1) << node["id"];
    EXPECT_EQ(node["turns"],
              node["last_turn"].get<std::int64_t>() - node["first_turn"].get<std::int64_t>() + 1);
  }
};

TEST_F(EssencesProgramTest, TheTreeUnfoldsToEveryCompactedTurn) {
  ASSERT_NO_FATAL_FAILURE(MakeEssences());
  const Outcome tree = Run("inspect essences --tree --json");
  ASSERT_EQ(tree.status, 0) << tree.err;
  std::int64_t next = 1;
  int depth = 0;
  std::istringstream lines(tree.out);
  for (std::string line; std::getline(lines, line);) {
    Walk(nlohmann::json::parse(line), &next, &depth);
  }
  const auto summary = nlohmann::json::parse(Run("inspect summary --json").out);
  EXPECT_EQ(next, summary["sessions"][0]["covered_through"].get<std::int64_t>() + 1);
  EXPECT_GT(next, 300);
  EXPECT_GE(depth, 3);

  const Outcome text = Run("inspect essences --tree");
  EXPECT_NE(text.out.find("├─ essence "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("2024-03-"), std::string::npos) << text.out;
  const Outcome top = Run("inspect essences --tree --depth 1 --json");
  EXPECT_LT(top.out.size(), tree.out.size());

  const Outcome leaf = Run("inspect essence 1 --json");
  ASSERT_EQ(leaf.status, 0) << leaf.err;
  const auto essence = nlohmann::json::parse(leaf.out);
  EXPECT_EQ(essence["turns"].size(), essence["turns_total"]);
  EXPECT_EQ(essence["turns"][0]["text"], "The locker of guest 1000 is on the left.");
  EXPECT_TRUE(essence["children"].empty());
  EXPECT_NE(Run("inspect essence 1 -n 1").out.find("… and "), std::string::npos);
}

TEST_F(EssencesProgramTest, WhatIsNotAnEssenceIsNamed) {
  ASSERT_EQ(Run("import -", R"({"role":"user","content":"hello"})").status, 0);
  Outcome outcome = Run("inspect essence 12");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("essence 12 does not exist"), std::string::npos) << outcome.err;
  outcome = Run("inspect essence 1x");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("\"1x\" is not the number"), std::string::npos) << outcome.err;
  EXPECT_EQ(Run("inspect essences --tree --with-replaced").status, 2);
  EXPECT_EQ(Run("inspect essences --tree --depth 0").status, 2);
}

}  // namespace
}  // namespace liubai::tools
