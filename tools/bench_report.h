// tools/bench_report.h: what every result of a benchmark says of the run that made it, and the file
// into which --out writes it.
//
// A result is one JSON object with the key "bench"; its key "run" holds
//   bench          the command, "bench needle"
//   configuration  each flag by its long name without dashes, as it was before the run
//   data           what was read or generated: [{"name", "sha256"}], in the order of use
//   version, commit
//   machine        {"cpu", "cores", "isa", "memory_bytes"}
//   threads        of the result, where it states them
//   started        UTC, "2025-03-01T12:30:00Z"; started_ms, seconds
//
// Errors:  those of FileSystem; a file that cannot be written is refused before the run begins.
// Threads: none of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/status.h"
#include "tools/flags.h"

namespace liubai::tools {

class BenchRun {
 public:
  explicit BenchRun(std::string_view command) : command_(command) {}
  void Declare(Flags& flags);

  // Notes the flags and starts the clock. Refuses an --out that could not be written at the end.
  Status Begin(const Flags& flags);
  // What is measured depends on these bytes; `name` is a file's path, or says what was generated.
  void UseData(std::string_view name, std::string_view bytes);
  // The result with its key "run"; kept for the file.
  const nlohmann::json& Add(nlohmann::json result);
  // One result, or several, one a line. Nothing without --out or without a result.
  Status Write() const;

 private:
  nlohmann::json Describe() const;

  std::string command_;
  std::string out_;
  nlohmann::json configuration_ = nlohmann::json::object();
  nlohmann::json data_ = nlohmann::json::array();
  std::vector<nlohmann::json> results_;
  std::int64_t started_ms_ = 0;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace liubai::tools
