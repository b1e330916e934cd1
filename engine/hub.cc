#include "engine/hub.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/file_system.h"
#include "core/macros.h"
#include "fmt/format.h"

namespace liubai::engine {
namespace {

constexpr long kConnectTimeoutMs = 3000;
constexpr long kStallSeconds = 30;
constexpr long kMaxRedirects = 10;

using Curl = std::unique_ptr<CURL, void (*)(CURL*)>;

struct Transfer {
  std::string url;
  FetchProgress progress;
  std::stop_token stop;
  std::uint64_t total_bytes = 0;
  HubAnswer answer;
  // Where the body goes; nothing for a HEAD.
  std::string part;
  std::unique_ptr<WritableFile> file;
  std::uint64_t had_bytes = 0;
  bool started = false;
  Status status;  // Why a callback stopped the transfer.
  CURL* curl = nullptr;

  Status Write(std::span<const std::byte> bytes);
};

// The first bytes of an answer decide whether they go after what is there (206) or replace it
// (200).
Status Transfer::Write(std::span<const std::byte> bytes) {
  if (!started) {
    long code = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
    if (had_bytes > 0 && code == 200) had_bytes = 0;
    LIUBAI_ASSIGN_OR_RETURN(file, PosixFileSystem().OpenForWrite(part, /*append=*/had_bytes > 0));
    started = true;
  }
  return file->Write(bytes);
}

std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  transfer.status = transfer.Write(std::as_bytes(std::span(data, size * count)));
  return transfer.status.ok() ? size * count : 0;
}

std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* user) {
  auto& answer = static_cast<Transfer*>(user)->answer;
  const std::string_view line(data, size * count);
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size * count;
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string value;
  for (const char c : line.substr(colon + 1)) {
    if (c != ' ' && c != '"' && c != '\r' && c != '\n') value.push_back(c);
  }
  if (name == "x-linked-etag" && value.size() == 64 &&
      value.find_first_not_of("0123456789abcdef") == std::string::npos) {
    answer.sha256 = value;
  } else if (name == "x-linked-size") {
    answer.bytes = std::strtoull(value.c_str(), nullptr, 10);
  }
  return size * count;
}

int OnProgress(void* user, curl_off_t, curl_off_t now, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (transfer.stop.stop_requested()) {
    transfer.status = Status(StatusCode::kCancelled, "interrupted");
    return 1;
  }
  if (transfer.progress && transfer.started) {
    transfer.progress(transfer.had_bytes + static_cast<std::uint64_t>(now), transfer.total_bytes);
  }
  return 0;
}

Result<Curl> Start(Transfer& transfer) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  Curl curl(curl_easy_init(), curl_easy_cleanup);
  if (curl == nullptr) return Status(StatusCode::kInternal, "libcurl could not be started");
  transfer.curl = curl.get();
  CURL* c = curl.get();
  curl_easy_setopt(c, CURLOPT_URL, transfer.url.c_str());
  curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
  curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, kStallSeconds);
  curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(c, CURLOPT_USERAGENT, "liubai");
  curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, OnHeader);
  curl_easy_setopt(c, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, OnBody);
  curl_easy_setopt(c, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, OnProgress);
  curl_easy_setopt(c, CURLOPT_XFERINFODATA, &transfer);
  curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
  if (const std::string token = Environment("HF_TOKEN"); !token.empty()) {
    // As a bearer token, and not as a header: libcurl then keeps it from other hosts.
    curl_easy_setopt(c, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    curl_easy_setopt(c, CURLOPT_XOAUTH2_BEARER, token.c_str());
  }
  return curl;
}

Status StatusOfCode(const std::string& url, long code) {
  StatusCode status = StatusCode::kUnavailable;
  std::string hint;
  if (code == 404) status = StatusCode::kNotFound;
  if (code == 401 || code == 403) {
    status = StatusCode::kPermissionDenied;
    hint = Environment("HF_TOKEN").empty() ? "; HF_TOKEN is not set" : "; HF_TOKEN was refused";
  }
  return Status(status, fmt::format("{} answered {}{}", url, code, hint));
}

Status Finish(Transfer& transfer, CURLcode result) {
  if (!transfer.status.ok()) return transfer.status;
  if (result != CURLE_OK && result != CURLE_HTTP_RETURNED_ERROR) {
    return Status(StatusCode::kUnavailable,
                  fmt::format("{}: {}", transfer.url, curl_easy_strerror(result)));
  }
  long code = 0;
  curl_easy_getinfo(transfer.curl, CURLINFO_RESPONSE_CODE, &code);
  if (code >= 400) return StatusOfCode(transfer.url, code);
  return Status();
}

}  // namespace

std::string HubUrl(const HubFile& file) {
  std::string endpoint = Environment("HF_ENDPOINT");
  if (endpoint.empty()) endpoint = "https://huggingface.co";
  while (endpoint.ends_with('/')) endpoint.pop_back();
  return fmt::format("{}/{}/resolve/{}/{}", endpoint, file.repository, file.revision, file.file);
}

Result<HubAnswer> AskHub(const HubFile& file, std::stop_token stop) {
  Transfer transfer;
  transfer.url = HubUrl(file);
  transfer.stop = stop;
  LIUBAI_ASSIGN_OR_RETURN(const Curl curl, Start(transfer));
  // The digest is in the hub's own answer, not in that of the storage that it redirects to.
  curl_easy_setopt(curl.get(), CURLOPT_NOBODY, 1L);
  LIUBAI_RETURN_IF_ERROR(Finish(transfer, curl_easy_perform(curl.get())));
  return transfer.answer;
}

Status DownloadFromHub(const HubFile& file, const std::string& part, std::uint64_t total_bytes,
                       const FetchProgress& progress, std::stop_token stop) {
  FileSystem& fs = PosixFileSystem();
  for (int attempt = 0;; ++attempt) {
    Transfer transfer;
    transfer.url = HubUrl(file);
    transfer.progress = progress;
    transfer.stop = stop;
    transfer.total_bytes = total_bytes;
    transfer.part = part;
    if (const auto size = fs.FileSize(part); size.ok()) transfer.had_bytes = *size;
    if (total_bytes > 0 && transfer.had_bytes == total_bytes) return Status();
    if (total_bytes > 0 && transfer.had_bytes > total_bytes) {
      LIUBAI_RETURN_IF_ERROR(fs.Remove(part));
      transfer.had_bytes = 0;
    }
    LIUBAI_ASSIGN_OR_RETURN(const Curl curl, Start(transfer));
    curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl.get(), CURLOPT_MAXREDIRS, kMaxRedirects);
    curl_easy_setopt(curl.get(), CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl.get(), CURLOPT_FAILONERROR, 1L);  // An error page is no model.
    // A range written by hand: CURLOPT_RESUME_FROM fails outright where the server ignores it.
    const std::string range = fmt::format("{}-", transfer.had_bytes);
    if (transfer.had_bytes > 0) curl_easy_setopt(curl.get(), CURLOPT_RANGE, range.c_str());
    const CURLcode result = curl_easy_perform(curl.get());
    long code = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &code);
    if (code == 416 && attempt == 0) {  // What is there is no beginning of the file.
      LIUBAI_RETURN_IF_ERROR(fs.Remove(part));
      continue;
    }
    LIUBAI_RETURN_IF_ERROR(Finish(transfer, result));
    if (transfer.file == nullptr) {  // An empty body.
      LIUBAI_ASSIGN_OR_RETURN(transfer.file, fs.OpenForWrite(part, /*append=*/true));
    }
    LIUBAI_RETURN_IF_ERROR(transfer.file->Sync());
    return transfer.file->Close();
  }
}

std::string FindInHubCache(const HubFile& file, std::string_view sha256) {
  std::string cache = Environment("HF_HUB_CACHE");
  if (cache.empty() && !Environment("HF_HOME").empty()) cache = Environment("HF_HOME") + "/hub";
  if (cache.empty() && !Environment("XDG_CACHE_HOME").empty()) {
    cache = Environment("XDG_CACHE_HOME") + "/huggingface/hub";
  }
  if (cache.empty()) cache = Environment("HOME") + "/.cache/huggingface/hub";
  std::string folder = "models--" + file.repository;
  for (std::size_t at = 0; (at = folder.find('/', at)) != std::string::npos;) {
    folder.replace(at, 1, "--");
  }
  FileSystem& fs = PosixFileSystem();
  const std::string repository = cache + "/" + folder;
  if (!sha256.empty()) {
    const std::string blob = fmt::format("{}/blobs/{}", repository, sha256);
    if (fs.Exists(blob)) return blob;
  }
  // Small files are stored under another digest, and some systems have no symbolic links.
  const auto snapshots = fs.List(repository + "/snapshots");
  if (!snapshots.ok()) return "";
  for (const std::string& snapshot : *snapshots) {
    const std::string path = fmt::format("{}/snapshots/{}/{}", repository, snapshot, file.file);
    if (fs.Exists(path)) return path;
  }
  return "";
}

}  // namespace liubai::engine
