#include "core/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/macros.h"
#include "fmt/format.h"

namespace liubai {
namespace {

std::string ParentDirectory(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

class PosixReadableFile final : public ReadableFile {
 public:
  PosixReadableFile(int descriptor, std::string path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  ~PosixReadableFile() override { ::close(descriptor_); }

  Result<std::size_t> Read(std::span<std::byte> buffer) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, buffer.data(), buffer.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return ErrnoStatus(errno, "read", path_);
    }
  }

 private:
  int descriptor_;
  std::string path_;
};

class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(int descriptor, std::string path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  ~PosixWritableFile() override { (void)Close(); }

  Status Write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
      if (put < 0) {
        if (errno == EINTR) continue;
        return ErrnoStatus(errno, "write", path_);
      }
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return Status();
  }

  Status Sync() override {
    if (::fsync(descriptor_) != 0) return ErrnoStatus(errno, "fsync", path_);
    return Status();
  }

  Status Close() override {
    if (descriptor_ < 0) return Status();
    const int result = ::close(std::exchange(descriptor_, -1));
    return result == 0 ? Status() : ErrnoStatus(errno, "close", path_);
  }

 private:
  int descriptor_;
  std::string path_;
};

class PosixFileSystemImpl final : public FileSystem {
 public:
  Result<std::unique_ptr<ReadableFile>> OpenForRead(const std::string& path) override {
    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return ErrnoStatus(errno, "open", path);
    auto file = std::make_unique<PosixReadableFile>(descriptor, path);
    struct stat info {};
    if (::fstat(descriptor, &info) != 0) return ErrnoStatus(errno, "stat", path);
    if (!S_ISREG(info.st_mode)) {
      return Status(StatusCode::kInvalidArgument, fmt::format("{} is not a regular file", path));
    }
    return std::unique_ptr<ReadableFile>(std::move(file));
  }

  Result<std::unique_ptr<WritableFile>> OpenForWrite(const std::string& path,
                                                     bool append) override {
    const int mode = O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
    const int descriptor = ::open(path.c_str(), mode, 0644);
    if (descriptor < 0) return ErrnoStatus(errno, "open for writing", path);
    return std::unique_ptr<WritableFile>(std::make_unique<PosixWritableFile>(descriptor, path));
  }

  Status Rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) return ErrnoStatus(errno, "rename", from);
    return Status();
  }

  Status Remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return ErrnoStatus(errno, "remove", path);
    return Status();
  }

  Status CreateDirectories(const std::string& path) override {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return ErrnoStatus(error.value(), "create folder", path);
    return Status();
  }

  Status SyncDirectory(const std::string& path) override {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return ErrnoStatus(errno, "open folder", path);
    const int result = ::fsync(descriptor);
    const int error = errno;
    ::close(descriptor);
    return result == 0 ? Status() : ErrnoStatus(error, "fsync folder", path);
  }

  bool Exists(const std::string& path) override { return ::access(path.c_str(), F_OK) == 0; }

  Result<std::uint64_t> FileSize(const std::string& path) override {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return ErrnoStatus(errno, "stat", path);
    return static_cast<std::uint64_t>(info.st_size);
  }

  Result<std::vector<std::string>> List(const std::string& path) override {
    std::error_code error;
    std::vector<std::string> names;
    std::filesystem::directory_iterator entries(path, error);
    if (error) return ErrnoStatus(error.value(), "list folder", path);
    for (; entries != std::filesystem::directory_iterator(); entries.increment(error)) {
      if (error) return ErrnoStatus(error.value(), "list folder", path);
      names.push_back(entries->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

}  // namespace

FileSystem& PosixFileSystem() {
  static PosixFileSystemImpl file_system;
  return file_system;
}

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Status ErrnoStatus(int error_number, std::string_view operation, std::string_view path) {
  StatusCode code = StatusCode::kDataLoss;
  switch (error_number) {
    case ENOENT:
      code = StatusCode::kNotFound;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      code = StatusCode::kPermissionDenied;
      break;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      code = StatusCode::kResourceExhausted;
      break;
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case EINVAL:
    case ELOOP:
    case ENXIO:
      code = StatusCode::kInvalidArgument;
      break;
    case EEXIST:
      code = StatusCode::kAlreadyExists;
      break;
    default:
      break;
  }
  return Status(code,
                fmt::format("cannot {} {}: {}", operation, path, std::strerror(error_number)));
}

Result<std::string> ReadFile(FileSystem& fs, const std::string& path, std::uint64_t limit_bytes) {
  LIUBAI_ASSIGN_OR_RETURN(auto file, fs.OpenForRead(path));
  std::string content;
  std::vector<std::byte> buffer(1 << 16);
  for (;;) {
    LIUBAI_ASSIGN_OR_RETURN(const std::size_t got, file->Read(buffer));
    if (got == 0) return content;
    if (content.size() + got > limit_bytes) {
      return Status(StatusCode::kResourceExhausted,
                    fmt::format("{} is larger than the limit of {} bytes", path, limit_bytes));
    }
    content.append(reinterpret_cast<const char*>(buffer.data()), got);
  }
}

Status WriteFileAtomically(FileSystem& fs, const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".tmp";
  const auto write = [&]() -> Status {
    LIUBAI_ASSIGN_OR_RETURN(auto file, fs.OpenForWrite(temporary));
    LIUBAI_RETURN_IF_ERROR(file->Write(std::as_bytes(std::span(bytes))));
    LIUBAI_RETURN_IF_ERROR(file->Sync());
    return file->Close();
  };
  Status status = write();
  if (status.ok()) status = fs.Rename(temporary, path);
  if (!status.ok()) {
    (void)fs.Remove(temporary);
    return status;
  }
  return fs.SyncDirectory(ParentDirectory(path));
}

Result<MappedFile> MappedFile::Open(const std::string& path) {
  MappedFile mapped;
  mapped.path_ = path;
  mapped.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (mapped.descriptor_ < 0) return ErrnoStatus(errno, "open", path);
  struct stat info {};
  if (::fstat(mapped.descriptor_, &info) != 0) return ErrnoStatus(errno, "stat", path);
  if (!S_ISREG(info.st_mode)) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{} is not a regular file", path));
  }
  mapped.size_ = static_cast<std::size_t>(info.st_size);
  if (mapped.size_ == 0) return mapped;
  void* data = ::mmap(nullptr, mapped.size_, PROT_READ, MAP_SHARED, mapped.descriptor_, 0);
  if (data == MAP_FAILED) return ErrnoStatus(errno, "map", path);
  mapped.data_ = static_cast<const std::byte*>(data);
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status MappedFile::CheckUnchanged() const {
  struct stat info {};
  if (::fstat(descriptor_, &info) != 0) return ErrnoStatus(errno, "stat", path_);
  if (static_cast<std::size_t>(info.st_size) != size_) {
    return Status(
        StatusCode::kDataLoss,
        fmt::format("{} changed size while mapped: {} bytes, was {}", path_, info.st_size, size_));
  }
  return Status();
}

void MappedFile::Release(std::size_t offset, std::size_t length) const {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t begin = (offset + page - 1) / page * page;
  const std::size_t end = std::min(size_, offset + length) / page * page;
  if (begin < end) {
    ::madvise(const_cast<std::byte*>(data_) + begin, end - begin, MADV_DONTNEED);
  }
}

}  // namespace liubai
