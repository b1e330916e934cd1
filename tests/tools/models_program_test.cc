// Models by the program: fetched from a hub of our own, used by their reference, and never without
// leave.

#include "nlohmann/json.hpp"
#include "tests/engine/hub_server.h"
#include "tests/tools/program_fixture.h"

namespace liubai::tools {
namespace {

constexpr char kTiny[] = LIUBAI_SOURCE_DIR "/tests/golden/tiny/tiny-llama.gguf";
constexpr char kReference[] = "hf:owner/tiny/sub/model.gguf";

class ModelsProgramTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    hub_file_ = folder_ / "hub/owner/tiny/sub/model.gguf";
    std::filesystem::create_directories(hub_file_.parent_path());
    std::filesystem::copy_file(kTiny, hub_file_);
    server_.Start((folder_ / "hub").string(), (folder_ / "log").string());
    environment_ = "env -u LIUBAI_OFFLINE -u HF_HUB_OFFLINE -u HF_TOKEN HF_HUB_CACHE='" +
                   (folder_ / "cache").string() + "' HF_ENDPOINT=" + server_.endpoint();
  }
  void TearDown() override {
    server_.Stop();
    ProgramTest::TearDown();
  }
  Outcome Call(const std::string& args, const std::string& environment = "") {
    return Run(args, "", environment_ + " " + environment);
  }
  void Digest(const std::string& digest) {
    std::ofstream(hub_file_.string() + ".digest") << digest;
  }
  std::string HubLog() { return Contents(folder_ / "log"); }

  std::filesystem::path hub_file_;
  std::string environment_;
  HubServer server_;
};

TEST_F(ModelsProgramTest, AReferenceIsFetchedOnceAndNamesTheModelEverywhere) {
  Outcome outcome = Call(std::string("tokenize -m ") + kReference + " hello");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find(std::string("liubai models fetch ") + kReference), std::string::npos)
      << outcome.err;
  EXPECT_EQ(HubLog(), "") << "only models fetch may ask the hub";

  outcome = Call(std::string("models fetch --json ") + kReference);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto fetched = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(fetched["name"], kReference);
  EXPECT_EQ(fetched["bytes"], std::filesystem::file_size(kTiny));
  EXPECT_EQ(Contents(fetched["path"].get<std::string>()), Contents(kTiny));
  const std::string log = HubLog();
  EXPECT_EQ(Call(std::string("models fetch ") + kReference).status, 0);
  EXPECT_EQ(HubLog(), log) << "what is here is not asked for again";

  const std::string by_path = Call(std::string("tokenize --json -m '") + kTiny + "' hello").out;
  for (const char* command : {"tokenize --json hello", "complete --json -n 2 hello",
                              "score --json hub/../in", "bench decode --json -n 2"}) {
    outcome = Run(std::string(command) + " -m " + kReference, "hello there, hello", environment_);
    EXPECT_EQ(outcome.status, 0) << command << ": " << outcome.err;
  }
  EXPECT_EQ(Call(std::string("tokenize --json hello -m ") + kReference).out, by_path);
  EXPECT_EQ(Call(std::string("models show ") + kReference).status, 0);
  EXPECT_NE(Call("models list").out.find(kReference), std::string::npos);
  bool listed = false;
  const auto list = nlohmann::json::parse(Call("models list --json").out);
  for (const auto& model : list["models"]) {
    listed |= model["name"] == kReference && model["fetched"] == true;
  }
  EXPECT_TRUE(listed);
}

TEST_F(ModelsProgramTest, ADigestThatDiffersOrIsMissingIsRefused) {
  const std::string fetch = std::string("models fetch ") + kReference;
  Digest("");
  Outcome outcome = Call(fetch);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("x-linked-etag"), std::string::npos) << outcome.err;
  EXPECT_EQ(HubLog().find("GET"), std::string::npos)
      << "nothing is downloaded that cannot be checked";
  Digest(std::string(64, '0'));
  outcome = Call(fetch);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find(std::string(64, '0')), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(kReference), std::string::npos) << outcome.err;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "home")) {
    EXPECT_FALSE(entry.path().string().ends_with(".gguf") ||
                 entry.path().string().ends_with(".part"))
        << entry.path();
  }
}

TEST_F(ModelsProgramTest, OfflineAsksNothingOfANetwork) {
  for (const std::string& fetch :
       {std::string("models fetch ") + kReference, std::string("models fetch smollm2-135m")}) {
    for (const auto& [flag, environment] :
         {std::pair{" --offline", ""}, {"", "LIUBAI_OFFLINE=1"}, {"", "HF_HUB_OFFLINE=1"}}) {
      const Outcome outcome = Call(fetch + flag, environment);
      EXPECT_EQ(outcome.status, 1);
      EXPECT_NE(outcome.err.find("no network was allowed"), std::string::npos) << outcome.err;
    }
  }
  EXPECT_EQ(HubLog(), "");
  // Off in either spelling is off.
  EXPECT_EQ(Call(std::string("models fetch ") + kReference, "LIUBAI_OFFLINE=off").status, 0);
}

TEST_F(ModelsProgramTest, ABrokenDownloadIsResumedByTheNextFetch) {
  const std::string fetch = std::string("models fetch --json ") + kReference;
  std::ofstream(hub_file_.string() + ".cut") << 100'000;
  Outcome outcome = Call(fetch);
  if (outcome.status != 0) {  // It need not try again by itself.
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find(kReference), std::string::npos) << outcome.err;
    outcome = Call(fetch);
  }
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(HubLog().find("bytes=100000-"), std::string::npos) << HubLog();
  const auto fetched = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(Contents(fetched["path"].get<std::string>()), Contents(kTiny));
}

// A limit on the size of a file stands in for a disk without room.
TEST_F(ModelsProgramTest, AFullDiskIsNamedAndTheNextFetchGoesOn) {
  const std::string fetch = std::string("models fetch ") + kReference;
  const std::string command = "cd '" + folder_.string() + "' && trap '' XFSZ && ulimit -f 200 && " +
                              environment_ + " LIUBAI_HOME='" + (folder_ / "home").string() +
                              "' '" LIUBAI_PROGRAM "' " + fetch + " >out 2>err";
  const int raw = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(raw));
  EXPECT_EQ(WEXITSTATUS(raw), 1);
  const std::string said = Contents(folder_ / "err");
  EXPECT_NE(said.find("home/models/"), std::string::npos) << said;
  EXPECT_NE(said.find("File too large"), std::string::npos) << said;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "home")) {
    EXPECT_FALSE(entry.path().string().ends_with(".gguf")) << entry.path();
  }
  EXPECT_EQ(Call(fetch).status, 0);
  EXPECT_EQ(Call(std::string("tokenize hello -m ") + kReference).status, 0);
}

TEST_F(ModelsProgramTest, AFailedFetchNamesTheSourceAndTheReason) {
  Outcome outcome = Call("models fetch hf:owner/tiny/absent.gguf");
  EXPECT_EQ(outcome.status, 1);
  for (const char* part : {"hf:owner/tiny/absent.gguf", "Hugging Face cache: not there",
                           "hub: ", "/owner/tiny/resolve/main/absent.gguf", "404"}) {
    EXPECT_NE(outcome.err.find(part), std::string::npos) << part << " not in: " << outcome.err;
  }
  outcome = Call("models fetch hf:owner/tiny/absent.gguf", "HF_ENDPOINT=http://127.0.0.1:9");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("127.0.0.1:9"), std::string::npos) << outcome.err;
  // A bad name is refused before anything else is fetched.
  outcome = Call(std::string("models fetch ") + kReference + " hf:owner/../x.gguf");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("hf:owner/repository/file.gguf"), std::string::npos) << outcome.err;
  EXPECT_EQ(HubLog().find("model.gguf"), std::string::npos);
}

}  // namespace
}  // namespace liubai::tools
