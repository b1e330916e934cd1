// liubai chat that is killed, interrupted, or whose disk is full: what was acknowledged is there,
// in order and once; the memory is whole; the conversation goes on. The same of import and demo.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

#include "engine/model_store.h"
#include "tests/tools/program_fixture.h"

namespace liubai::tools {
namespace {

class ChatCrashTest : public ProgramTest {
 protected:
  struct Said {
    std::string role;
    std::string text;
  };

  void SetUp() override {
    ProgramTest::SetUp();
    const std::string models = engine::ModelsFolder() + "/";
    model_ = models + "SmolLM2-135M-Instruct.Q4_1.gguf";
    embedder_ = models + "all-minilm-l6-v2-f16.gguf";
    for (const std::string& file : {model_, embedder_}) {
      if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
    }
  }
  std::vector<std::string> Arguments() const {
    return {LIUBAI_PROGRAM, "chat", "--json", "-m", model_, "--embedder", embedder_, "--store",
            Store(),        "-c",   "512",    "-n", "6",    "-k",         "1",       "--compaction",
            "extractive"};
  }
  std::string Store() const { return (folder_ / "store").string(); }
  std::string Quoted() const {
    std::string words;
    const std::vector<std::string> arguments = Arguments();
    for (std::size_t i = 1; i < arguments.size(); ++i) words += "'" + arguments[i] + "' ";
    return words;
  }
  // The memory's turns; the memory is whole, or the test fails.
  std::vector<Said> Turns() {
    std::vector<Said> turns;
    if (!std::filesystem::exists(folder_ / "store/memory.db")) return turns;
    const Outcome doctor = Run("doctor --store '" + Store() + "'");
    EXPECT_EQ(doctor.status, 0) << doctor.out;
    const Outcome exported = Run("export --store '" + Store() + "'");
    // Killed while the database was being created.
    if (exported.err.find("no turn is in it yet") != std::string::npos) return turns;
    EXPECT_EQ(exported.status, 0) << exported.err;
    std::istringstream lines(exported.out);
    for (std::string line; std::getline(lines, line);) {
      const auto turn = nlohmann::json::parse(line);
      turns.push_back({turn["role"], turn["content"]});
    }
    return turns;
  }
  std::string model_, embedder_;
};

std::string Message(int number) {
  return "This is message " + std::to_string(number) + ": the boat number " +
         std::to_string(number * 37) + " came in at dawn and paid $" + std::to_string(number * 7) +
         " for its place.";
}

// The program, talked to through pipes.
class Talk {
 public:
  Talk(const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      dup2(open((folder / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), 2);
      setenv("LIUBAI_HOME", (folder / "home").c_str(), 1);
      std::vector<char*> argv;
      for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  ~Talk() {
    Kill();
    CloseInput();
    close(from_);
  }
  void Say(const std::string& line) {
    const std::string text = line + "\n";
    ASSERT_EQ(write(to_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void CloseInput() {
    if (to_ >= 0) close(to_);
    to_ = -1;
  }
  // One more line of its output; false: there is none within `wait_ms`, or it has ended.
  bool ReadLine(std::string* line, int wait_ms) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
    while (true) {
      if (const auto at = read_.find('\n'); at != std::string::npos) {
        *line = read_.substr(0, at);
        read_.erase(0, at + 1);
        return true;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                            end - std::chrono::steady_clock::now())
                            .count();
      pollfd wait = {from_, POLLIN, 0};
      if (poll(&wait, 1, static_cast<int>(std::max<std::int64_t>(left, 0))) <= 0) return false;
      char bytes[4096];
      const ssize_t got = read(from_, bytes, sizeof bytes);
      if (got <= 0) return false;
      read_.append(bytes, static_cast<std::size_t>(got));
    }
  }
  pid_t child() const { return child_; }
  void Interrupt() { kill(child_, SIGINT); }
  // What its end was: a signal's number, or minus the exit code.
  int Kill() {
    if (child_ <= 0) return 0;
    kill(child_, SIGKILL);
    return Wait();
  }
  int Wait() {
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
  }

 private:
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
  std::string read_;
};

TEST_F(ChatCrashTest, EveryAcknowledgedTurnSurvivesKillMinusNine) {
  // More of them, when asked for: LIUBAI_CRASH_ROUNDS=200.
  const char* wanted = std::getenv("LIUBAI_CRASH_ROUNDS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : 25;
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<Said> acknowledged;  // In order: each message and its reply.
  int next = 1;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::vector<Said> heard;
    {
      Talk talk(Arguments(), folder_);
      for (int i = 0; i < 3; ++i) talk.Say(Message(next + i));
      // Within a turn; or, at the end of the input, within the work that follows: embedding and
      // compaction.
      const int replies = static_cast<int>(random() % 4);
      if (replies == 3) talk.CloseInput();
      std::string line;
      while (static_cast<int>(heard.size()) < 2 * replies && talk.ReadLine(&line, 60'000)) {
        const auto reply = nlohmann::json::parse(line);
        heard.push_back({"user", Message(next + static_cast<int>(heard.size()) / 2)});
        heard.push_back({"assistant", reply["reply"]});
      }
      ASSERT_EQ(heard.size(), 2u * static_cast<unsigned>(replies)) << "it ended by itself";
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % (replies == 0 ? 700 : 250)));
      const int end = talk.Kill();
      ASSERT_TRUE(end == SIGKILL || (end == 0 && replies == 3)) << end;
      // What was written before the end counts.
      while (talk.ReadLine(&line, 1000)) {
        heard.push_back({"user", Message(next + static_cast<int>(heard.size()) / 2)});
        heard.push_back({"assistant", nlohmann::json::parse(line)["reply"]});
      }
    }
    const std::vector<Said> turns = Turns();
    // The last message may be there without its acknowledgement, alone or with its reply.
    acknowledged.insert(acknowledged.end(), heard.begin(), heard.end());
    ASSERT_GE(turns.size(), acknowledged.size());
    ASSERT_LE(turns.size(), acknowledged.size() + 2);
    for (std::size_t i = 0; i < acknowledged.size(); ++i) {
      ASSERT_EQ(turns[i].role, acknowledged[i].role) << i;
      ASSERT_EQ(turns[i].text, acknowledged[i].text) << i;
    }
    next += static_cast<int>(heard.size()) / 2;
    for (std::size_t i = acknowledged.size(); i < turns.size(); ++i) {
      ASSERT_EQ(turns[i].role, i == acknowledged.size() ? "user" : "assistant");
      if (turns[i].role == "user") {
        ASSERT_EQ(turns[i].text, Message(next));
        ++next;
      }
    }
    acknowledged = turns;
  }
  ASSERT_GT(next, rounds / 2) << "hardly anything was said";
  // It goes on, and what was embedded and compacted between the kills holds together.
  Outcome outcome = Run(Quoted() + "-p 'Good evening.'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Turns().size(), acknowledged.size() + 2);
  outcome = Run("inspect summary --json --store '" + Store() + "'");
  const auto summary = nlohmann::json::parse(outcome.out);
  EXPECT_GT(summary["embeddings"], 0) << outcome.out;
  EXPECT_GT(summary["compactions"], 0) << outcome.out;
}

TEST_F(ChatCrashTest, AFullDiskEndsTheChatAndLosesNothing) {
  Outcome outcome = Run(Quoted() + "-p 'My name is Petra.'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::size_t before = Turns().size();
  ASSERT_EQ(before, 2u);
  // A limit on the size of a file stands in for a disk without room: the log of the database may
  // grow by little, then every write fails.
  std::string input;
  for (int i = 1; i <= 10; ++i) input += Message(i) + std::string(40000, 'x') + "\n";
  std::ofstream(folder_ / "in") << input;
  const std::string command = "cd '" + folder_.string() + "' && trap '' XFSZ && ulimit -f 300 && " +
                              "LIUBAI_HOME='" + (folder_ / "home").string() +
                              "' '" LIUBAI_PROGRAM "' " + Quoted() + "<in >out 2>err";
  const int raw = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(raw));
  EXPECT_EQ(WEXITSTATUS(raw), 1);
  const std::string said = Contents(folder_ / "err");
  EXPECT_NE(said.find("store/memory.db"), std::string::npos) << said;
  EXPECT_NE(said.find("line "), std::string::npos) << said;
  const std::string out = Contents(folder_ / "out");
  const auto replies = static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n'));
  EXPECT_LT(replies, 10u);
  const std::vector<Said> turns = Turns();
  ASSERT_GE(turns.size(), before + 2 * replies);
  ASSERT_LE(turns.size(), before + 2 * replies + 1);
  outcome = Run(Quoted() + "-p 'Are you there?'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Turns().size(), turns.size() + 2);
}

TEST_F(ChatCrashTest, AnInterruptionOfTheWorkAfterTheLastTurnLeavesItForTheNextRun) {
  std::string lines;
  for (int i = 0; i < 300; ++i) {
    lines += nlohmann::json({{"role", "user"}, {"content", Message(i)}}).dump() + "\n";
  }
  ASSERT_EQ(Run("import - --session default -q --store '" + Store() + "'", lines).status, 0);
  auto arguments = Arguments();
  {
    Talk talk(arguments, folder_);
    talk.Say("Good evening.");
    talk.CloseInput();
    std::string line;
    ASSERT_TRUE(talk.ReadLine(&line, 60'000)) << Contents(folder_ / "err");
    talk.Interrupt();
    EXPECT_EQ(talk.Wait(), -130);
  }
  EXPECT_NE(Contents(folder_ / "err").find("\"exit_code\":130"), std::string::npos)
      << Contents(folder_ / "err");
  EXPECT_EQ(Turns().size(), 302u);
}

TEST_F(ChatCrashTest, AnInterruptedDemoIsReplacedByTheNextOne) {
  const std::vector<std::string> arguments = {LIUBAI_PROGRAM, "demo", "--live-turns", "1",
                                              "-m",           model_, "--embedder",   embedder_,
                                              "-c",           "1024", "--store",      Store()};
  for (int run = 0; run < 2; ++run) {
    Talk talk(arguments, folder_);
    std::string line;
    while (line.find("turns imported") == std::string::npos) {
      ASSERT_TRUE(talk.ReadLine(&line, 60'000)) << Contents(folder_ / "err");
    }
    talk.Interrupt();
    EXPECT_EQ(talk.Wait(), -130);
    EXPECT_NE(Contents(folder_ / "err").find("error: "), std::string::npos);
    EXPECT_EQ(Turns().size(), 188u) << "the import is whole";
  }
  // Killed before it had anything but its mark.
  std::filesystem::remove_all(folder_ / "store");
  std::filesystem::create_directory(folder_ / "store");
  std::ofstream(folder_ / "store/liubai-demo") << "x";
  Talk talk(arguments, folder_);
  std::string line;
  ASSERT_TRUE(talk.ReadLine(&line, 60'000)) << Contents(folder_ / "err");
}

}  // namespace
}  // namespace liubai::tools
