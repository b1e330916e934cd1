// Runs the built program as a user would: exit codes, messages, suggestions.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "nlohmann/json.hpp"

namespace {

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "liubai program XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Runs liubai with `args`, written as for a shell, in an empty LIUBAI_HOME.
  Outcome Run(const std::string& args, const std::string& input = "",
              const std::string& environment = "") {
    std::ofstream(folder_ / "in", std::ios::binary) << input;
    const std::string command = "cd '" + folder_.string() +
                                "' && env -u LIUBAI_JSON LIUBAI_HOME='" +
                                (folder_ / "home").string() + "' " + environment +
                                " '" LIUBAI_PROGRAM "' " + args + " <in >out 2>err";
    const int raw = std::system(command.c_str());
    return {WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, Contents(folder_ / "out"),
            Contents(folder_ / "err")};
  }

  std::filesystem::path folder_;
};

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

}  // namespace
