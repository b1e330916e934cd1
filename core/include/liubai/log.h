// liubai/log.h: where an instance reports what it does. A library never prints by itself.
//
// Threads: Log may be called from any thread, also concurrently; implementations lock.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace liubai::inline v1 {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

std::string_view LogLevelName(LogLevel level);

// Called with one line without its end. Must not throw.
using LogSink = std::function<void(LogLevel level, std::string_view component, std::string_view line)>;

// Passed by value; an empty logger drops every line.
class Logger {
 public:
  Logger() = default;
  explicit Logger(LogSink sink, LogLevel least = LogLevel::kInfo)
      : sink_(std::move(sink)), least_(least) {}

  void Log(LogLevel level, std::string_view component, std::string_view line) const {
    if (sink_ && level >= least_) sink_(level, component, line);
  }

 private:
  LogSink sink_;
  LogLevel least_ = LogLevel::kInfo;
};

}  // namespace liubai::inline v1
