// core/file_system.h: every operating-system call on files goes through here, so that tests can
// make the Nth call fail.
//
// Errors:  kNotFound, kPermissionDenied, kResourceExhausted (disk full, too many files),
//          kInvalidArgument (a directory or a FIFO where a file is needed), kDataLoss (I/O error);
//          every message names the path and the operating system's reason.
// Threads: a FileSystem may be shared; a file belongs to one thread at a time.
// Units:   sizes and offsets in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/status.h"

namespace liubai {

class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  // Reads up to buffer.size() bytes from the current place; 0 is the end.
  virtual Result<std::size_t> Read(std::span<std::byte> buffer) = 0;
};

class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual Status Write(std::span<const std::byte> bytes) = 0;
  // On OK the bytes written so far survive a crash.
  virtual Status Sync() = 0;
  // Further calls fail; called by the destructor, whose failure is silent.
  virtual Status Close() = 0;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual Result<std::unique_ptr<ReadableFile>> OpenForRead(const std::string& path) = 0;
  // Creates or truncates; with `append` keeps what is there.
  virtual Result<std::unique_ptr<WritableFile>> OpenForWrite(const std::string& path,
                                                             bool append = false) = 0;
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // OK also when nothing was there.
  virtual Status Remove(const std::string& path) = 0;
  // Creates the folder and its parents; OK when it exists.
  virtual Status CreateDirectories(const std::string& path) = 0;
  // Makes a rename or an unlink inside `path` survive a crash.
  virtual Status SyncDirectory(const std::string& path) = 0;
  virtual bool Exists(const std::string& path) = 0;
  virtual Result<std::uint64_t> FileSize(const std::string& path) = 0;
  // Names, sorted, without "." and "..".
  virtual Result<std::vector<std::string>> List(const std::string& path) = 0;
};

// The operating system's own files; never null, lives for ever.
FileSystem& PosixFileSystem();

// The value of a variable of the environment; empty where it is not set.
std::string Environment(const char* name);

// The status for errno `error_number` of `operation` on `path`.
Status ErrnoStatus(int error_number, std::string_view operation, std::string_view path);

Result<std::string> ReadFile(FileSystem& fs, const std::string& path,
                             std::uint64_t limit_bytes = std::uint64_t{1} << 30);
// Writes `path`.tmp, syncs, renames, syncs the folder: readers see the old or the new file, whole.
Status WriteFileAtomically(FileSystem& fs, const std::string& path, std::string_view bytes);

// A read-only, page-aligned view of a regular file; move-only.
// A file that shrinks while it is mapped makes reads of the lost pages fail with SIGBUS: callers
// that cannot trust the file check CheckUnchanged before each use of new pages.
class MappedFile {
 public:
  static Result<MappedFile> Open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }
  // kDataLoss when the file's size is no longer what was mapped.
  Status CheckUnchanged() const;
  // Lets the system drop the pages of [offset, offset + length) from this process; they are read
  // again from the file when touched.
  void Release(std::size_t offset, std::size_t length) const;

 private:
  MappedFile() = default;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  int descriptor_ = -1;
  std::string path_;
};

}  // namespace liubai
