// The liubai program: finds the subcommand, parses its flags, runs it and turns its Status into an
// exit code and a message.
#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <optional>
#include <vector>

#include "core/text.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "tools/bench_report.h"
#include "tools/command.h"
#include "tools/global_flags.h"

#ifndef LIUBAI_VERSION
#error "LIUBAI_VERSION comes from the build"
#endif

namespace liubai::tools {

void DeclareGlobalFlags(Flags& flags, GlobalOptions& options, std::string& color) {
  flags.Switch("--json", &options.json, "results, warnings and errors as JSON");
  flags.Switch("-q,--quiet", &options.quiet, "results and errors only");
  flags.Switch("-v,--verbose", &options.verbose, "say more on standard error");
  flags.Switch("--offline", &options.offline, "ask nothing of a network");
  color = "auto";
  flags.Choice("--color", &color, {"auto", "on", "off"}, "colour; auto heeds NO_COLOR");
  flags.Text("--log-file", "FILE", &options.log_file, "append the log to FILE");
}

namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr int kInterrupted = 130;

void PrintError(const Status& status, int exit_code, bool json) {
  std::fflush(stdout);
  if (json) {
    const nlohmann::json object = {{"error",
                                    {{"code", std::string(StatusCodeName(status.code()))},
                                     {"message", status.message()},
                                     {"exit_code", exit_code}}}};
    fmt::print(stderr, "{}\n",
               object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print(stderr, "error: {}\n", status.message());
  }
}

std::string ProgramHelp() {
  std::string out =
      "Usage: liubai COMMAND [flags]\n"
      "Long-term memory for agents: an engine, a memory and an agent, offline.\n\nCommands:\n";
  for (const CommandEntry& entry : AllCommands()) {
    out += fmt::format("  {:<22} {}\n", entry.name, entry.summary);
  }
  out +=
      "\nliubai COMMAND --help says more of each; liubai \"some text\" answers it once.\n"
      "Flags of every command: --json --quiet --verbose --color --no-color --offline --log-file "
      "FILE "
      "--version\n"
      "Environment: LIUBAI_HOME (models and memories), LIUBAI_<FLAG> for any flag, NO_COLOR.\n\n"
      "Example: liubai demo\n";
  return out;
}

std::string GroupHelp(std::string_view group) {
  std::string out = fmt::format("Usage: liubai {} COMMAND [flags]\n\nCommands:\n", group);
  std::string_view example;
  for (const CommandEntry& entry : AllCommands()) {
    if (!entry.name.starts_with(fmt::format("{} ", group))) continue;
    out += fmt::format("  {:<22} {}\n", entry.name, entry.summary);
    if (example.empty()) example = entry.example;
  }
  return out + fmt::format("\nExample: {}\n", example);
}

bool IsGroup(std::string_view word) {
  for (const CommandEntry& entry : AllCommands()) {
    if (entry.name.size() > word.size() && entry.name.starts_with(word) &&
        entry.name[word.size()] == ' ') {
      return true;
    }
  }
  return false;
}

const CommandEntry* FindCommand(std::string_view name) {
  for (const CommandEntry& entry : AllCommands()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

// "; did you mean 'x'?", or "" when nothing is near.
std::string Suggestion(std::string_view word, std::string_view group) {
  std::vector<std::string_view> known;
  for (const CommandEntry& entry : AllCommands()) {
    const std::size_t space = entry.name.find(' ');
    if (group.empty()) {
      known.push_back(entry.name.substr(0, space));
    } else if (space != std::string_view::npos && entry.name.substr(0, space) == group) {
      known.push_back(entry.name.substr(space + 1));
    }
  }
  const std::string_view nearest = NearestWord(word, known);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

// Warnings go to standard error, everything goes to the log file.
class LogOutput {
 public:
  explicit LogOutput(const GlobalOptions& options) : options_(options) {}
  ~LogOutput() {
    if (file_ != nullptr) std::fclose(file_);
  }

  Status Open() {
    if (options_.log_file.empty()) return {};
    file_ = std::fopen(options_.log_file.c_str(), "ae");
    if (file_ != nullptr) return {};
    return {StatusCode::kPermissionDenied, fmt::format("cannot open the log file '{}': {}",
                                                       options_.log_file, std::strerror(errno))};
  }

  Logger MakeLogger() {
    const LogLevel shown = options_.verbose ? LogLevel::kInfo : LogLevel::kWarning;
    const LogLevel least = file_ != nullptr ? LogLevel::kDebug : shown;
    return Logger(
        [this, shown](LogLevel level, std::string_view component, std::string_view line) {
          const std::lock_guard lock(mutex_);
          if (level >= shown && !options_.quiet) {
            if (options_.json) {
              const nlohmann::json object = {{"log", std::string(LogLevelName(level))},
                                             {"component", component},
                                             {"message", line}};
              fmt::print(stderr, "{}\n",
                         object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
            } else {
              fmt::print(stderr, "{}: {}: {}\n", LogLevelName(level), component, line);
            }
          }
          if (file_ != nullptr) {
            char when[32];
            const std::time_t now = std::time(nullptr);
            std::tm utc{};
            gmtime_r(&now, &utc);
            std::strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
            fmt::print(file_, "{} {} {}: {}\n", when, LogLevelName(level), component, line);
            std::fflush(file_);
          }
        },
        least);
  }

 private:
  const GlobalOptions& options_;
  std::FILE* file_ = nullptr;
  std::mutex mutex_;
};

// The command line with the command's name taken out.
struct CommandLine {
  std::string group;
  std::string name;
  std::vector<std::string> args;
};

CommandLine Split(const std::vector<std::string>& words) {
  CommandLine line;
  std::size_t i = 0;
  // Global flags may stand before the command.
  for (; i < words.size() && words[i].size() > 1 && words[i][0] == '-'; ++i) {
    line.args.push_back(words[i]);
    if ((words[i] == "--log-file" || words[i] == "--color") && i + 1 < words.size()) {
      line.args.push_back(words[++i]);
    }
  }
  if (i < words.size()) {
    line.name = words[i++];
    if (FindCommand(line.name) == nullptr && IsGroup(line.name)) {
      line.group = line.name;
      while (i < words.size() && words[i].starts_with("-")) line.args.push_back(words[i++]);
      line.name = i < words.size() ? line.group + " " + words[i++] : "";
    }
  }
  line.args.insert(line.args.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return line;
}

bool Take(std::vector<std::string>& args, std::initializer_list<std::string_view> names) {
  bool taken = false;
  for (std::size_t i = 0; i < args.size() && args[i] != "--";) {
    if (std::ranges::find(names, args[i]) != names.end()) {
      args.erase(args.begin() + static_cast<std::ptrdiff_t>(i));
      taken = true;
    } else {
      ++i;
    }
  }
  return taken;
}

int RunProgram(const std::vector<std::string>& words) {
  CommandLine line = Split(words);
  const char* json_variable = std::getenv("LIUBAI_JSON");
  // What a mistake on the command line is reported as, before it could be parsed.
  const bool json = std::ranges::find(words, "--json") != words.end() ||
                    (json_variable != nullptr && std::string_view(json_variable) == "1");
  const auto refuse = [&](std::string message) {
    PrintError({StatusCode::kInvalidArgument, std::move(message)}, kUsage, json);
    return kUsage;
  };

  if (line.name == "help") {
    std::vector<std::string> rest = line.args;
    rest.push_back("--help");
    line = Split(rest);
  }
  const bool help = Take(line.args, {"--help", "-h"});
  if (Take(line.args, {"--version"})) {
    if (json) {
      fmt::print("{}\n", nlohmann::json({{"version", LIUBAI_VERSION}}).dump());
    } else {
      fmt::print("liubai {}\n", LIUBAI_VERSION);
    }
    return 0;
  }
  if (line.name.empty()) {
    if (!line.group.empty()) {
      if (!help)
        return refuse(fmt::format("liubai {}: a command is missing; try liubai {} --help",
                                  line.group, line.group));
      fmt::print("{}", GroupHelp(line.group));
      return 0;
    }
    if (!help) {
      for (const std::string& word : line.args) {
        if (word.starts_with("--") && word != "--json") {
          return refuse(fmt::format("a command is missing before '{}'; try liubai --help", word));
        }
      }
      if (json) return refuse("a command is missing; try liubai --help");
    }
    fmt::print("{}", ProgramHelp());
    return 0;
  }
  const CommandEntry* entry = FindCommand(line.name);
  if (entry == nullptr && line.group.empty() && line.name.find(' ') != std::string::npos &&
      FindCommand("chat") != nullptr) {
    // liubai "some text"
    line.args.insert(line.args.begin(), {"-p", line.name});
    line.name = "chat";
    entry = FindCommand("chat");
  }
  if (entry == nullptr) {
    const std::string word =
        line.group.empty() ? line.name : line.name.substr(line.group.size() + 1);
    return refuse(
        fmt::format("unknown command '{}'{}{}", line.name, Suggestion(word, line.group),
                    line.group.empty() ? "" : fmt::format(" (liubai {} --help)", line.group)));
  }

  const std::unique_ptr<Command> command = entry->make();
  GlobalOptions options;
  Flags flags;
  std::string color;
  command->Declare(flags);
  std::optional<BenchRun> bench;
  if (line.group == "bench" && line.name != "bench compare")
    bench.emplace(line.name).Declare(flags);
  DeclareGlobalFlags(flags, options, color);
  if (help) {
    fmt::print("{}\n\n{}\nExample: {}\n", entry->summary, flags.Help(line.name), entry->example);
    return 0;
  }
  if (Take(line.args, {"--no-color"})) line.args.insert(line.args.begin(), {"--color", "off"});
  if (const Status status = flags.Parse(line.name, line.args); !status.ok()) {
    PrintError(status, kUsage, json);
    return kUsage;
  }
  // In the environment, so that whatever fetches a model, in whatever command, heeds it.
  if (flags.IsSet("--offline")) ::setenv("LIUBAI_OFFLINE", options.offline ? "1" : "0", 1);
  const char* no_color = std::getenv("NO_COLOR");
  options.color = color == "on" || (color == "auto" && StdoutIsTerminal() && !options.json &&
                                    (no_color == nullptr || *no_color == '\0'));
  LogOutput log(options);
  if (const Status status = log.Open(); !status.ok()) {
    PrintError(status, kFailed, options.json);
    return kFailed;
  }
  Interrupts::Install();
  Invocation call(options, log.MakeLogger());
  Status status;
  if (bench) {
    call.SetBench(&*bench);
    status = bench->Begin(flags);
  }
  if (status.ok()) status = command->Run(call, Interrupts::Begin());
  if (status.ok() && bench) status = bench->Write();
  if (status.ok() && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)) {
    status = {StatusCode::kResourceExhausted,
              fmt::format("cannot write to standard output: {}", std::strerror(errno))};
  }
  if (status.ok()) return 0;
  const int exit_code = status.code() == StatusCode::kCancelled ? kInterrupted
                        : call.is_usage_error()                 ? kUsage
                                                                : kFailed;
  PrintError(status, exit_code, options.json);
  return exit_code;
}

}  // namespace
}  // namespace liubai::tools

int main(int argc, char** argv) {
  // Line editing and the width of characters need UTF-8, whatever the surroundings say.
  if (std::setlocale(LC_CTYPE, "") == nullptr || MB_CUR_MAX < 2)
    std::setlocale(LC_CTYPE, "C.UTF-8");
  return liubai::tools::RunProgram(std::vector<std::string>(argv + 1, argv + argc));
}
