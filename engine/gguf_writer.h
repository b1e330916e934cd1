// engine/gguf_writer.h: writes a model file in the GGUF format (version 3), as engine/gguf.h reads
// it.
//
// Metadata and tensors are declared first, in the order of the file; Write then streams the data of
// each tensor in turn, so that a model larger than memory can be written. The file appears whole or
// not at all: a temporary file beside it, fsync, rename, fsync of the folder.
//
// Errors:  kInvalidArgument (a key, name, shape or amount of data that the format refuses), those
// of
//          core/file_system.h, and whatever a tensor's source returns.
// Threads: belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file_system.h"
#include "engine/gguf.h"
#include "kernels/data_type.h"
#include "liubai/status.h"

namespace liubai::engine {

class GgufWriter {
 public:
  // Takes the next bytes of a tensor.
  using Sink = std::function<Status(std::span<const std::byte>)>;
  // Gives all bytes of a tensor to the sink, in any number of pieces.
  using Source = std::function<Status(const Sink&)>;

  // REQUIRES (checked by Write): `alignment` is a power of two of 8 to 1 MiB.
  explicit GgufWriter(std::uint32_t alignment = kGgufDefaultAlignment);

  // Metadata; a key may be set once.
  void SetU8(std::string_view key, std::uint8_t value);
  void SetI8(std::string_view key, std::int8_t value);
  void SetU16(std::string_view key, std::uint16_t value);
  void SetI16(std::string_view key, std::int16_t value);
  void SetU32(std::string_view key, std::uint32_t value);
  void SetI32(std::string_view key, std::int32_t value);
  void SetU64(std::string_view key, std::uint64_t value);
  void SetI64(std::string_view key, std::int64_t value);
  void SetF32(std::string_view key, float value);
  void SetF64(std::string_view key, double value);
  void SetBool(std::string_view key, bool value);
  void SetString(std::string_view key, std::string_view value);
  void SetStringArray(std::string_view key, std::span<const std::string> values);
  void SetStringArray(std::string_view key, std::span<const std::string_view> values);
  void SetU8Array(std::string_view key, std::span<const std::uint8_t> values);
  void SetI32Array(std::string_view key, std::span<const std::int32_t> values);
  void SetU32Array(std::string_view key, std::span<const std::uint32_t> values);
  void SetF32Array(std::string_view key, std::span<const float> values);
  // A pair of another file, as it is there, `general.alignment` excepted.
  void Copy(const GgufValue& value);

  // dims[0] is the length of a row. The source is called once by each Write.
  void AddTensor(std::string_view name, kernels::DataType type, std::span<const std::int64_t> dims,
                 Source source);
  // `data` is copied.
  void AddTensor(std::string_view name, kernels::DataType type, std::span<const std::int64_t> dims,
                 std::span<const std::byte> data);

  Status Write(FileSystem& fs, const std::string& path) const;
  // The whole file in memory, for tests and small models.
  Result<std::string> Serialize() const;

 private:
  struct Tensor {
    std::string name;
    kernels::DataType type;
    std::vector<std::int64_t> dims;
    Source source;
  };

  void AddPair(std::string_view key, GgufType type, std::string_view bytes);
  void AddArray(std::string_view key, GgufType type, std::uint64_t count, std::string_view bytes);
  Status Check() const;
  Status Emit(const Sink& sink) const;

  std::uint32_t alignment_;
  std::vector<std::string> keys_;
  std::string pairs_;  // Already encoded.
  std::vector<Tensor> tensors_;
};

}  // namespace liubai::engine
