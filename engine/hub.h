// engine/hub.h: one file of a repository on a model hub, or in the cache that the hub's own tools
// keep.
//
// The hub is $HF_ENDPOINT, else https://huggingface.co; $HF_TOKEN is sent to it and to no host that
// it redirects to. The cache is $HF_HUB_CACHE, else $HF_HOME/hub, else huggingface/hub in the XDG
// cache folder.
//
// Errors:  kUnavailable (no connection within 3 s, a stall of 30 s, an answer of the server: its
// code is
//          in the message), kNotFound (the hub has no such file), kPermissionDenied (a token is
//          needed), kResourceExhausted (disk full), kCancelled.
// Threads: free functions.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "liubai/status.h"

namespace liubai::engine {

struct HubFile {
  std::string repository;  // "owner/name"
  std::string file;        // Inside it, perhaps in folders.
  std::string revision = "main";
};

// What the hub says of a file before it is downloaded.
struct HubAnswer {
  std::string sha256;       // 64 hexadecimal digits, or empty: only large files carry it.
  std::uint64_t bytes = 0;  // 0: not said.
};

// Called now and then with the bytes that have arrived.
using FetchProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

std::string HubUrl(const HubFile& file);
Result<HubAnswer> AskHub(const HubFile& file, std::stop_token stop = {});

// Downloads into `part`, after the bytes that are there already; on an error they stay for the next
// try.
Status DownloadFromHub(const HubFile& file, const std::string& part, std::uint64_t total_bytes,
                       const FetchProgress& progress, std::stop_token stop);

// The path of the file in the user's hub cache: by digest, when one is given, else by name. Its
// content is not checked. "" when it is not there.
std::string FindInHubCache(const HubFile& file, std::string_view sha256);

}  // namespace liubai::engine
