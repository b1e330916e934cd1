// tests/tools/program_fixture.h: runs the built program as a user would.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace liubai::tools {

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

inline std::string Contents(const std::filesystem::path& path) {
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
                                "' && env -u LIUBAI_JSON -u LIUBAI_DATA LIUBAI_HOME='" +
                                (folder_ / "home").string() + "' " + environment +
                                " '" LIUBAI_PROGRAM "' " + args + " <in >out 2>err";
    const int raw = std::system(command.c_str());
    return {WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, Contents(folder_ / "out"),
            Contents(folder_ / "err")};
  }

  std::filesystem::path folder_;
};

}  // namespace liubai::tools
