// engine/model_store.h: which models are known by name, where their files lie, and how they get
// there.
//
// The catalogue is engine/models.json, built into the library. Files lie in <data>/models, where
// <data> is $LIUBAI_HOME, else $XDG_DATA_HOME/liubai, else ~/.local/share/liubai.
//
// Errors:  kNotFound for a name that is neither known nor a file (the nearest name is suggested);
//          kUnavailable when no source had the model (each source and its reason are named);
//          kDataLoss for bytes of another digest; kResourceExhausted for a full disk; kCancelled.
// Threads: free functions; two processes that fetch one model take turns.
// Units:   bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/status.h"

namespace liubai::engine {

struct PackagePart {
  std::string package;  // "name==version" in the Python package index.
  std::string member;   // The file in it whose path ends so.
};

struct CatalogueEntry {
  std::string name;
  std::string role;  // "chat", "completion", "embedding".
  bool is_default = false;
  std::string architecture;
  std::string summary;
  std::string file;
  std::uint64_t bytes = 0;
  std::string sha256;
  std::string licence;
  std::string hub;                    // "owner/repository".
  std::vector<PackagePart> packages;  // Joined in order.
};

const std::vector<CatalogueEntry>& Catalogue();
const CatalogueEntry* FindModel(std::string_view name);

std::string ModelsFolder();
// Where the entry's file lies or would lie.
std::string ModelPath(const CatalogueEntry& entry);
bool IsFetched(const CatalogueEntry& entry);

// A path as it is; a name's path when it has been fetched.
Result<std::string> ResolveModel(std::string_view name_or_path);

// Called now and then with the bytes that have arrived.
using FetchProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Fetches the model unless it is there; returns its path. The file is checked before it gets its
// name.
Result<std::string> FetchModel(const CatalogueEntry& entry, const FetchProgress& progress = {},
                               std::stop_token stop = {});

}  // namespace liubai::engine
