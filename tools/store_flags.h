// tools/store_flags.h: the flags with which subcommands name and open a memory.
#pragma once

#include <memory>
#include <string>

#include "liubai/store.h"
#include "tools/command.h"

namespace liubai::tools {

inline constexpr std::string_view kDefaultSession = "default";

struct StoreFlags {
  std::string store;    // A folder; empty: `memory` beside the models folder.
  std::string session;  // Empty: all, or the default one where one is written.

  void Declare(Flags& flags);
  std::string Folder() const;
  // kNotFound, saying what to do, where there is no memory yet.
  Result<std::unique_ptr<Store>> OpenForReading(Invocation& call) const;
  Result<std::unique_ptr<Store>> OpenForWriting(Invocation& call) const;
  // The filter of --session; kNotFound with the nearest name for a session that does not exist.
  Result<TurnFilter> Filter(const Store& store) const;
};

// "2024-03-04 09:12"
std::string ShortTime(std::int64_t time_ms);
std::string_view RoleWord(Role role);

}  // namespace liubai::tools
