// tools/command.h: what a subcommand is, and what it is given to run with.
//
// A subcommand lives in its own file, declares its flags and runs; it is known to the program by
// one line of the table in commands.cc, from which dispatch, help and completion are made.
//
// Exit codes: 0; 1 for a failed Status; 2 for UsageError() and for what Flags refuses; 130 for
// kCancelled.
#pragma once

#include <cstdio>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "liubai/log.h"
#include "liubai/status.h"
#include "tools/flags.h"
#include "tools/terminal.h"

namespace liubai::tools {

// Flags of every subcommand.
struct GlobalOptions {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool color = false;    // For standard output.
  bool offline = false;  // Nothing is asked of a network.
  std::string log_file;
};

class BenchRun;

class Invocation {
 public:
  Invocation(const GlobalOptions& options, Logger logger)
      : options_(options), logger_(std::move(logger)) {}

  const GlobalOptions& options() const { return options_; }
  bool json() const { return options_.json; }
  const Logger& logger() const { return logger_; }

  // Results go to standard output; PrintJson adds the end of the line.
  void Print(std::string_view text);
  void PrintJson(const nlohmann::json& value);
  // Of benchmarks (bench_report.h): the data that is measured, and the result, which is printed
  // with
  // --json and kept for --out. True when it was printed: nothing else should be.
  void UseData(std::string_view name, std::string_view bytes);
  bool Report(nlohmann::json result);
  void SetBench(BenchRun* bench) { bench_ = bench; }
  // For a command that runs another one: its result goes there, and is not printed.
  void CaptureReport(nlohmann::json* report) { captured_ = report; }
  // For people only: on standard error, not with --quiet, not with --json.
  void Note(std::string_view text);
  // On standard error unless --quiet; as a JSON object with --json.
  void Warn(std::string_view text);

  std::string Dim(std::string_view text) const { return Styled(Style::kDim, text, options_.color); }
  std::string Bold(std::string_view text) const {
    return Styled(Style::kBold, text, options_.color);
  }
  std::string Paint(Style style, std::string_view text) const {
    return Styled(style, text, options_.color);
  }
  Progress MakeProgress() const { return Progress(!options_.quiet && !options_.json); }

  // A mistake in the command line that Flags could not see: exit code 2.
  Status UsageError(std::string message);
  bool is_usage_error() const { return usage_error_; }

 private:
  GlobalOptions options_;
  Logger logger_;
  bool usage_error_ = false;
  BenchRun* bench_ = nullptr;
  nlohmann::json* captured_ = nullptr;
};

class Command {
 public:
  virtual ~Command() = default;
  virtual void Declare(Flags& flags) = 0;
  // `stop` is requested by Ctrl-C.
  virtual Status Run(Invocation& call, std::stop_token stop) = 0;
};

struct CommandEntry {
  std::string_view name;  // "chat", or in two words "models fetch".
  std::string_view summary;
  std::string_view example;  // Works when pasted.
  std::unique_ptr<Command> (*make)();
};

std::span<const CommandEntry> AllCommands();

// A table of columns for people: cut to the terminal's width in the last column.
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void Add(std::vector<std::string> row);
  void Print(Invocation& call) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace liubai::tools
