// memory/schema.h: the steps that make a database of each version out of the one before it.
// Persistent format, described in memory/FORMAT.md: a step that has shipped never changes.
#pragma once

#include <span>
#include <string_view>

namespace liubai::memory {

inline constexpr int kApplicationId = 0x4c495542;  // "LIUB"

// Step i turns user_version i into i + 1; the last one gives the current version.
std::span<const std::string_view> SchemaSteps();
inline int SchemaVersion() { return static_cast<int>(SchemaSteps().size()); }

}  // namespace liubai::memory
