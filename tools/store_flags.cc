#include "tools/store_flags.h"

#include <filesystem>
#include <vector>

#include "core/file_system.h"
#include "core/macros.h"
#include "core/text.h"
#include "engine/model_store.h"
#include "fmt/format.h"
#include "memory/jsonl.h"

namespace liubai::tools {

void StoreFlags::Declare(Flags& flags) {
  flags.Text("-s,--store", "FOLDER", &store, "the memory (default: the data folder's)");
  flags.Text("--session", "NAME", &session, "one conversation of the memory");
}

std::string StoreFlags::Folder() const {
  if (!store.empty()) return store;
  return (std::filesystem::path(engine::ModelsFolder()).parent_path() / "memory").string();
}

Result<std::unique_ptr<Store>> StoreFlags::OpenForReading(Invocation& call) const {
  const std::string folder = Folder();
  if (!PosixFileSystem().Exists(folder)) {
    return Status(
        StatusCode::kNotFound,
        fmt::format("there is no memory in {}; liubai import FILE or liubai chat makes one",
                    folder));
  }
  StoreOptions options;
  options.create = false;
  options.read_only = true;
  options.logger = call.logger();
  return Store::Open(folder, options);
}

Result<std::unique_ptr<Store>> StoreFlags::OpenForWriting(Invocation& call) const {
  StoreOptions options;
  options.logger = call.logger();
  return Store::Open(Folder(), options);
}

Result<TurnFilter> StoreFlags::Filter(const Store& store) const {
  TurnFilter filter;
  if (session.empty()) return filter;
  const Result<Session> found = store.FindSession(session);
  if (found.ok()) {
    filter.session = found->id;
    return filter;
  }
  if (found.status().code() != StatusCode::kNotFound) return found.status();
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<Session> sessions, store.Sessions());
  std::vector<std::string_view> names;
  for (const Session& each : sessions) names.push_back(each.name);
  const std::string_view nearest = NearestWord(session, names);
  return Status(
      StatusCode::kNotFound,
      fmt::format("no session '{}'{}", session,
                  nearest.empty() ? "; known are: " + fmt::format("{}", fmt::join(names, ", "))
                                  : fmt::format("; did you mean '{}'?", nearest)));
}

std::string ShortTime(std::int64_t time_ms) {
  std::string text = memory::FormatTime(time_ms).substr(0, 16);
  if (text.size() > 10) text[10] = ' ';
  return text;
}

std::string_view RoleWord(Role role) { return memory::RoleName(role); }

}  // namespace liubai::tools
