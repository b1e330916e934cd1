// memory/jsonl.h: conversations as JSON lines.
//
// One object a line: `role` (system, user, assistant, tool) and `content` (a string, may be empty);
// optional `time` (ISO 8601, UTC where no zone is given; or seconds or milliseconds since 1970),
// `speaker`, `session`. Other keys are ignored. Blank lines, a byte order mark and CR before LF are
// accepted.
//
// Errors:  kInvalidArgument naming the line and what is wrong in it (not JSON, not an object,
// invalid UTF-8,
//          a NUL, an unknown role, a key of the wrong type, a line over the limit): nothing is
//          stored, unless skip_bad. kCancelled: nothing is stored. Files and stores report as they
//          do.
// Threads: as the store.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/file_system.h"
#include "liubai/store.h"

namespace liubai::memory {

struct JsonlOptions {
  bool skip_bad = false;                   // Leave bad lines out and list them in the report.
  std::string default_session = "import";  // Of lines without `session`.
  TenantId tenant = kDefaultTenant;
  std::size_t max_line_bytes = std::size_t{64} << 20;
  std::size_t max_problems = 100;  // Listed; all are counted.
  std::stop_token stop;            // Looked at between reads and turns.
};

struct JsonlReport {
  std::int64_t lines = 0;  // That were not blank.
  std::int64_t turns = 0;  // Stored.
  std::int64_t sessions = 0;
  std::int64_t skipped = 0;
  std::vector<std::string> problems;
};

// All turns of `file` in one transaction.
Result<JsonlReport> ImportJsonl(Store& store, ReadableFile& file, const JsonlOptions& options = {});
// One line a turn, in the order of ids; read again, it gives the same turns. Returns the number of
// turns.
Result<std::int64_t> ExportJsonl(const Store& store, WritableFile& file,
                                 const TurnFilter& filter = {});

// "2023-05-08T13:56:00.000Z"
std::string FormatTime(std::int64_t time_ms);
// "2023-05-08", "2023-05-08 13:56", "2023-05-08T13:56:07.5+02:00"; nothing when it is not a time.
std::optional<std::int64_t> ParseTime(std::string_view text);
std::string_view RoleName(Role role);
std::optional<Role> ParseRole(std::string_view name);

}  // namespace liubai::memory
