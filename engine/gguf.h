// engine/gguf.h: reads a model file in the GGUF format, memory-mapped; nothing in the file is
// trusted.
//
// Format: little-endian; magic "GGUF", u32 version (2 or 3), u64 tensors, u64 metadata pairs; the
// pairs (string key, u32 type, value); the tensor list (string name, u32 dimensions, u64 each, u32
// type, u64 offset); padding to `general.alignment` (32 when absent); the data. Strings are u64
// length and bytes.
//
// Open reads the header and checks all of it against the size of the file: counts, lengths, types,
// names, alignment, and that every tensor lies inside the data without overlapping another. Weights
// are not touched. Memory used is a small multiple of the bytes that the file really holds.
//
// Errors:  kDataLoss (corrupt: the message names field, value, limit and offset), kUnimplemented (a
// version or
//          a tensor type that is not supported), kNotFound (no such file, key or tensor),
//          kInvalidArgument (a key of another type; a path that is no regular file).
// Threads: const methods may run together.
// Units:   offsets and sizes in bytes, from the start of the file unless said otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file_system.h"
#include "kernels/data_type.h"
#include "liubai/status.h"

namespace liubai::engine {

enum class GgufType : std::uint32_t {  // Stored in model files: never renumber.
  kUint8 = 0,
  kInt8 = 1,
  kUint16 = 2,
  kInt16 = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
};

// "u32", "string", …; empty for an unknown number.
std::string_view GgufTypeName(GgufType type);
// The bytes of one value; 0 for strings, arrays and unknown numbers.
std::size_t GgufTypeBytes(GgufType type);

inline constexpr std::uint32_t kGgufDefaultAlignment = 32;
inline constexpr std::uint64_t kGgufMaxAlignment = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGgufMaxKeyBytes = std::uint64_t{1} << 16;
inline constexpr std::uint64_t kGgufMaxTensorNameBytes = 64;
inline constexpr std::uint32_t kGgufMaxDims = 4;

// One metadata pair. Spans and views point into the file and live as long as its GgufFile.
struct GgufValue {
  std::string_view key;
  GgufType type = GgufType::kUint8;
  GgufType element_type = GgufType::kUint8;  // Of an array; else the same as `type`.
  std::uint64_t count = 1;                   // Elements of an array; else 1.
  // The value's bytes, unaligned: a string's characters; an array's elements, packed.
  std::span<const std::byte> data;
  std::span<const std::string_view> strings;  // The elements of an array of strings.
  std::uint64_t offset = 0;                   // Of the value.

  bool is_array() const { return type == GgufType::kArray; }
  std::string_view string() const {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
  }
};

struct GgufTensor {
  std::string_view name;
  kernels::DataType type = kernels::DataType::kF32;
  int dim_count = 1;
  // dims[0] is the length of a row, contiguous in memory; those beyond dim_count are 1.
  std::array<std::int64_t, kGgufMaxDims> dims = {1, 1, 1, 1};
  std::span<const std::byte> data;
  std::uint64_t offset = 0;

  std::int64_t row_elements() const { return dims[0]; }
  std::int64_t rows() const { return dims[1] * dims[2] * dims[3]; }
  std::int64_t elements() const { return dims[0] * rows(); }
  // REQUIRES: 0 <= row < rows().
  std::span<const std::byte> row(std::int64_t row) const;
  std::string ShapeString() const;  // "[576, 49152]"
};

class GgufFile {
 public:
  static Result<GgufFile> Open(const std::string& path);
  GgufFile(GgufFile&&) noexcept;
  GgufFile& operator=(GgufFile&&) noexcept;
  ~GgufFile();

  const std::string& path() const;
  std::uint32_t version() const;
  std::uint64_t alignment() const;
  std::uint64_t data_offset() const;
  std::uint64_t file_bytes() const;
  // Both in the order of the file.
  std::span<const GgufValue> metadata() const;
  std::span<const GgufTensor> tensors() const;

  // Null when there is none.
  const GgufValue* Find(std::string_view key) const;
  const GgufTensor* FindTensor(std::string_view name) const;
  Result<const GgufTensor*> GetTensor(std::string_view name) const;

  // A missing key is kNotFound; one of another type, or a number outside the range,
  // kInvalidArgument. Integers are accepted in every width and sign that holds the value; floats in
  // both widths.
  Result<std::uint32_t> GetU32(std::string_view key) const;
  Result<std::uint64_t> GetU64(std::string_view key) const;
  Result<std::int64_t> GetI64(std::string_view key) const;
  Result<float> GetF32(std::string_view key) const;
  Result<bool> GetBool(std::string_view key) const;
  Result<std::string_view> GetString(std::string_view key) const;

  // As above, but a missing key gives `fallback`; a key of another type is still an error.
  Result<std::uint32_t> GetU32Or(std::string_view key, std::uint32_t fallback) const;
  Result<std::uint64_t> GetU64Or(std::string_view key, std::uint64_t fallback) const;
  Result<std::int64_t> GetI64Or(std::string_view key, std::int64_t fallback) const;
  Result<float> GetF32Or(std::string_view key, float fallback) const;
  Result<bool> GetBoolOr(std::string_view key, bool fallback) const;
  Result<std::string_view> GetStringOr(std::string_view key, std::string_view fallback) const;

  // Arrays. Strings are views into the file, not copied; numbers are copied, since the file does
  // not align them.
  Result<std::span<const std::string_view>> GetStringArray(std::string_view key) const;
  Result<std::vector<std::uint8_t>> GetU8Array(std::string_view key) const;
  Result<std::vector<std::int32_t>> GetI32Array(std::string_view key) const;
  Result<std::vector<std::uint32_t>> GetU32Array(std::string_view key) const;
  Result<std::vector<float>> GetF32Array(std::string_view key) const;
  Result<std::vector<bool>> GetBoolArray(std::string_view key) const;

  // kNumericError naming the tensor, the block and its offset when a scale or a float value is NaN
  // or infinite. Reads the whole tensor. REQUIRES: a tensor of this file.
  Status CheckFinite(const GgufTensor& tensor) const;

  // See MappedFile.
  Status CheckUnchanged() const;
  void Release(std::uint64_t offset, std::uint64_t length) const;
  void Release(const GgufTensor& tensor) const { Release(tensor.offset, tensor.data.size()); }

 private:
  struct Impl;
  explicit GgufFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace liubai::engine
