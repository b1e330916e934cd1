// What the user said for good, as the program shows it: the block, and what replaced what.
#include "liubai/agent.h"
#include "nlohmann/json.hpp"
#include "tests/memory/scripted_model.h"
#include "tests/tools/program_fixture.h"

namespace liubai::tools {
namespace {

class BlocksProgramTest : public ProgramTest {};

TEST_F(BlocksProgramTest, TheHistoryTellsWhatReplacedWhat) {
  {
    auto store = Store::Open((folder_ / "home" / "memory").string());
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    ScriptedModel model;
    AgentOptions options;
    options.store = store->get();
    options.model = &model;
    options.window_tokens = 512;
    options.idle_work = false;
    options.compaction = CompactionMode::kExtractive;
    auto agent = Agent::Create(options);
    ASSERT_TRUE(agent.ok()) << agent.status().ToString();
    for (const char* text : {"I am allergic to cashews. My favourite colour is teal.",
                             "My favourite colour is green now."}) {
      ASSERT_TRUE((*agent)->Send(text).ok());
      for (int i = 0; i < 12; ++i) {
        ASSERT_TRUE((*agent)->Send("The garden looks fine, and so do the tomatoes in it.").ok());
      }
      ASSERT_TRUE((*agent)->Compact().ok());
    }
  }
  const Outcome history = Run("inspect blocks --history --json");
  ASSERT_EQ(history.status, 0) << history.err;
  std::vector<nlohmann::json> versions;
  std::istringstream lines(history.out);
  for (std::string line; std::getline(lines, line);)
    versions.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_EQ(versions[0]["changes"].size(), 2u);
  EXPECT_EQ(versions[0]["changes"][0]["was"], "");
  const auto& replaced = versions[1]["changes"][0];
  EXPECT_NE(replaced["was"].get<std::string>().find("teal"), std::string::npos);
  EXPECT_NE(replaced["now"].get<std::string>().find("green"), std::string::npos);
  const Outcome text = Run("inspect blocks --history");
  EXPECT_NE(text.out.find("replaced by - (preference"), std::string::npos) << text.out;
  const auto block = nlohmann::json::parse(Run("inspect blocks --json").out);
  EXPECT_EQ(block["value"].get<std::string>().find("teal"), std::string::npos);
  EXPECT_EQ(block["version"], 2);
  EXPECT_EQ(Run("inspect blocks --label nobody").status, 1);
}

}  // namespace
}  // namespace liubai::tools
