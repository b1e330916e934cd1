#include "tools/bench_report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "commit.h"  // Made by the build.
#include "core/cpu_features.h"
#include "core/elapsed.h"
#include "core/file_system.h"
#include "core/hash.h"
#include "core/macros.h"
#include "core/thread_pool.h"

namespace liubai::tools {
namespace {

// The value after the first ':' of the first line of `path` that begins with `key`.
std::string FieldOf(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

nlohmann::json Machine() {
  const std::string cpu = FieldOf("/proc/cpuinfo", "model name");
  const std::string memory = FieldOf("/proc/meminfo", "MemTotal");  // "16315704 kB"
  return {{"cpu", cpu.empty() ? "unknown" : cpu},
          {"cores", AvailableCores()},
          {"isa", CpuIsaName(BestCpuIsa())},
          {"memory_bytes", std::strtoull(memory.c_str(), nullptr, 10) * 1024}};
}

}  // namespace

void BenchRun::Declare(Flags& flags) {
  flags.Text("--out", "FILE", &out_, "write the result to FILE, for liubai bench compare");
}

Status BenchRun::Begin(const Flags& flags) {
  for (const Flags::Entry& entry : flags.entries()) {
    if (entry.long_name == "--out") break;  // What follows says how to print.
    const std::string_view name = entry.long_name;
    configuration_[std::string(name.starts_with("--") ? name.substr(2) : name)] = entry.value();
  }
  using namespace std::chrono;
  started_ms_ = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  start_ = steady_clock::now();
  if (out_.empty()) return {};
  // Better now than after hours.
  std::error_code error;
  if (std::filesystem::is_directory(out_, error)) {
    return {StatusCode::kInvalidArgument, fmt::format("--out {}: it is a folder", out_)};
  }
  FileSystem& fs = PosixFileSystem();
  const std::string probe = out_ + ".begun";
  LIUBAI_RETURN_IF_ERROR(fs.OpenForWrite(probe).status().WithContext("--out"));
  return fs.Remove(probe).WithContext("--out");
}

void BenchRun::UseData(std::string_view name, std::string_view bytes) {
  data_.push_back({{"name", name}, {"sha256", Sha256Hex(bytes)}});
}

nlohmann::json BenchRun::Describe() const {
  return {{"bench", command_},
          {"configuration", configuration_},
          {"data", data_},
          {"version", LIUBAI_VERSION},
          {"commit", LIUBAI_COMMIT},
          {"machine", Machine()},
          {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(started_ms_ / 1000))},
          {"started_ms", started_ms_},
          {"seconds", std::round(static_cast<double>(MicrosSince(start_)) / 1e4) / 100}};
}

const nlohmann::json& BenchRun::Add(nlohmann::json result) {
  nlohmann::json run = Describe();
  if (result.contains("threads")) {
    run["threads"] = result["threads"];
  } else if (result.contains("model") && result["model"].contains("threads")) {
    run["threads"] = result["model"]["threads"];
  }
  result["run"] = std::move(run);
  return results_.emplace_back(std::move(result));
}

Status BenchRun::Write() const {
  if (out_.empty() || results_.empty()) return {};
  std::string text;
  for (const nlohmann::json& result : results_) {
    text += result.dump(results_.size() == 1 ? 1 : -1, ' ', false,
                        nlohmann::json::error_handler_t::replace) +
            "\n";
  }
  return WriteFileAtomically(PosixFileSystem(), out_, text).WithContext("--out");
}

}  // namespace liubai::tools
