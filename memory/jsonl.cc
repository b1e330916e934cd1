#include "memory/jsonl.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/macros.h"
#include "core/text.h"

namespace liubai::memory {
namespace {

using nlohmann::json;

struct Line {
  NewTurn turn;
  std::string session;
};

Status Bad(std::string why) { return Status(StatusCode::kInvalidArgument, std::move(why)); }

// The string under `key`; `fallback` when there is none.
Result<std::string> StringOf(const json& object, const char* key, std::string fallback) {
  const auto it = object.find(key);
  if (it == object.end() || it->is_null()) return fallback;
  if (!it->is_string())
    return Bad(fmt::format("\"{}\" is a {}, not a string", key, it->type_name()));
  LIUBAI_RETURN_IF_ERROR(CheckText(it->get_ref<const std::string&>(), fmt::format("\"{}\"", key)));
  return it->get<std::string>();
}

Result<Line> ParseLine(std::string_view text, const JsonlOptions& options) {
  if (const std::size_t at = FindInvalidUtf8(text); at != std::string_view::npos) {
    return Bad(fmt::format("invalid UTF-8 at byte {}", at));
  }
  const json object = json::parse(text, nullptr, false);
  if (object.is_discarded()) return Bad(fmt::format("not JSON: {}", TruncateUtf8(text, 60)));
  if (!object.is_object()) return Bad(fmt::format("a JSON {}, not an object", object.type_name()));
  for (const char* key : {"role", "content"}) {
    if (!object.contains(key) || object[key].is_null()) return Bad(fmt::format("no \"{}\"", key));
  }
  Line line;
  LIUBAI_ASSIGN_OR_RETURN(const std::string role, StringOf(object, "role", ""));
  const auto parsed = ParseRole(role);
  if (!parsed) {
    return Bad(fmt::format("role \"{}\" is none of system, user, assistant, tool",
                           TruncateUtf8(role, 40)));
  }
  line.turn.role = *parsed;
  LIUBAI_ASSIGN_OR_RETURN(line.turn.text, StringOf(object, "content", ""));
  LIUBAI_ASSIGN_OR_RETURN(line.turn.speaker, StringOf(object, "speaker", ""));
  LIUBAI_ASSIGN_OR_RETURN(line.session, StringOf(object, "session", options.default_session));
  // The store's own limit on names, checked here so that the error has its line.
  for (const std::string* name : {&line.turn.speaker, &line.session}) {
    if (name->size() > 1000)
      return Bad(fmt::format("a name of {} bytes, limit 1000", name->size()));
  }
  const auto time = object.find("time");
  if (time == object.end() || time->is_null()) return line;
  if (time->is_string()) {
    const auto ms = ParseTime(time->get_ref<const std::string&>());
    if (!ms) {
      return Bad(fmt::format("time \"{}\" is not ISO 8601",
                             TruncateUtf8(time->get_ref<const std::string&>(), 40)));
    }
    line.turn.time_ms = *ms;
  } else if (time->is_number()) {
    // Seconds until the year 5138, else milliseconds.
    const double value = time->get<double>();
    if (!(std::abs(value) < 1e15)) return Bad(fmt::format("time {} is out of range", value));
    line.turn.time_ms = std::llround(std::abs(value) < 1e11 ? value * 1000 : value);
  } else {
    return Bad(fmt::format("\"time\" is a {}, not a string or a number", time->type_name()));
  }
  return line;
}

}  // namespace

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kSystem:
      return "system";
    case Role::kUser:
      return "user";
    case Role::kAssistant:
      return "assistant";
    case Role::kTool:
      return "tool";
  }
  return "unknown";
}

std::optional<Role> ParseRole(std::string_view name) {
  for (const Role role : {Role::kSystem, Role::kUser, Role::kAssistant, Role::kTool}) {
    if (name == RoleName(role)) return role;
  }
  return std::nullopt;
}

std::string FormatTime(std::int64_t time_ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> time{milliseconds(time_ms)};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::optional<std::int64_t> ParseTime(std::string_view text) {
  using namespace std::chrono;
  std::size_t i = 0;
  const auto digits = [&](std::size_t n) -> int {
    if (i + n > text.size()) return -1;
    int value = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const char c = text[i + k];
      if (c < '0' || c > '9') return -1;
      value = value * 10 + (c - '0');
    }
    i += n;
    return value;
  };
  const auto skip = [&](std::string_view any) {
    if (i >= text.size() || any.find(text[i]) == std::string_view::npos) return false;
    ++i;
    return true;
  };
  const int y = digits(4);
  if (y < 0 || !skip("-")) return std::nullopt;
  const int m = digits(2);
  if (m < 0 || !skip("-")) return std::nullopt;
  const int d = digits(2);
  const year_month_day date{year(y), month(static_cast<unsigned>(m < 0 ? 0 : m)),
                            day(static_cast<unsigned>(d < 0 ? 0 : d))};
  if (d < 0 || !date.ok()) return std::nullopt;
  std::int64_t ms = sys_days(date).time_since_epoch().count() * std::int64_t{86'400'000};
  if (i == text.size()) return ms;
  if (!skip("T t")) return std::nullopt;
  const int hour = digits(2);
  if (hour < 0 || hour > 23 || !skip(":")) return std::nullopt;
  const int minute = digits(2);
  if (minute < 0 || minute > 59) return std::nullopt;
  ms += (hour * 60 + minute) * std::int64_t{60'000};
  if (skip(":")) {
    const int second = digits(2);
    if (second < 0 || second > 60) return std::nullopt;
    ms += second * 1000;
    if (skip(".,")) {
      int scale = 100;
      const std::size_t begin = i;
      while (i < text.size() && text[i] >= '0' && text[i] <= '9') {
        ms += (text[i++] - '0') * scale;
        scale /= 10;
      }
      if (i == begin) return std::nullopt;
    }
  }
  if (i == text.size()) return ms;
  if (skip("Zz")) return i == text.size() ? std::optional(ms) : std::nullopt;
  const char sign = text[i];
  if (!skip("+-")) return std::nullopt;
  const int zone_hour = digits(2);
  if (zone_hour < 0 || zone_hour > 14) return std::nullopt;
  skip(":");
  const int zone_minute = i == text.size() ? 0 : digits(2);
  if (zone_minute < 0 || zone_minute > 59 || i != text.size()) return std::nullopt;
  const std::int64_t offset = (zone_hour * 60 + zone_minute) * std::int64_t{60'000};
  return sign == '+' ? ms - offset : ms + offset;
}

Result<JsonlReport> ImportJsonl(Store& store, ReadableFile& file, const JsonlOptions& options) {
  JsonlReport report;
  std::vector<Line> lines;
  std::int64_t number = 0;
  std::string rest;  // The line that is being read.
  bool too_long = false;

  const auto finish = [&]() -> Status {
    ++number;
    std::string_view text = rest;
    if (number == 1 && text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    if (text.ends_with('\r')) text.remove_suffix(1);
    Status status;
    if (too_long) {
      ++report.lines;
      status = Bad(fmt::format("longer than {} bytes", options.max_line_bytes));
    } else if (text.find_first_not_of(" \t") != std::string_view::npos) {
      ++report.lines;
      auto line = ParseLine(text, options);
      status = line.status();
      if (line.ok()) lines.push_back(std::move(*line));
    }
    rest.clear();
    too_long = false;
    if (status.ok()) return status;
    status = status.WithContext(fmt::format("line {}", number));
    if (!options.skip_bad) return status;
    ++report.skipped;
    if (report.problems.size() < options.max_problems) report.problems.push_back(status.message());
    return Status();
  };

  std::vector<std::byte> buffer(std::size_t{1} << 16);
  for (;;) {
    if (options.stop.stop_requested()) return Status(StatusCode::kCancelled, "interrupted");
    LIUBAI_ASSIGN_OR_RETURN(const std::size_t n, file.Read(buffer));
    if (n == 0) break;
    std::string_view part(reinterpret_cast<const char*>(buffer.data()), n);
    while (!part.empty()) {
      const std::size_t end = part.find('\n');
      const std::string_view piece = part.substr(0, end);
      too_long = too_long || rest.size() + piece.size() > options.max_line_bytes;
      if (!too_long) rest += piece;
      if (end == std::string_view::npos) break;
      part.remove_prefix(end + 1);
      LIUBAI_RETURN_IF_ERROR(finish());
    }
  }
  if (!rest.empty() || too_long) LIUBAI_RETURN_IF_ERROR(finish());

  std::map<std::string, SessionId> sessions;
  std::vector<NewTurn> turns;
  turns.reserve(lines.size());
  for (Line& line : lines) {
    auto [it, added] = sessions.try_emplace(line.session, 0);
    if (added) {
      LIUBAI_ASSIGN_OR_RETURN(it->second, store.EnsureSession(line.session, options.tenant));
    }
    line.turn.session_id = it->second;
    turns.push_back(std::move(line.turn));
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto ids, store.AppendTurns(turns, options.tenant, options.stop));
  report.turns = static_cast<std::int64_t>(ids.size());
  report.sessions = static_cast<std::int64_t>(sessions.size());
  return report;
}

Result<std::int64_t> ExportJsonl(const Store& store, WritableFile& file, const TurnFilter& filter) {
  constexpr std::int64_t kPart = 256;
  std::map<SessionId, std::string> names;
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<Session> sessions, store.Sessions(filter.tenant));
  for (const Session& session : sessions) names[session.id] = session.name;
  TurnFilter next = filter;
  std::int64_t count = 0;
  for (;;) {
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Turn> turns, store.Turns(next, kPart));
    std::string out;
    for (const Turn& turn : turns) {
      nlohmann::ordered_json object;
      object["role"] = RoleName(turn.role);
      object["content"] = turn.text;
      object["time"] = FormatTime(turn.time_ms);
      if (!turn.speaker.empty()) object["speaker"] = turn.speaker;
      object["session"] = names[turn.session_id];
      out += object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
      out.push_back('\n');
    }
    LIUBAI_RETURN_IF_ERROR(file.Write(std::as_bytes(std::span(out))));
    count += static_cast<std::int64_t>(turns.size());
    if (static_cast<std::int64_t>(turns.size()) < kPart) return count;
    next.after_turn = turns.back().id;
  }
}

}  // namespace liubai::memory
