#include "engine/gguf_writer.h"

#include <unistd.h>

#include <bit>
#include <filesystem>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "core/macros.h"
#include "core/text.h"
#include "fmt/format.h"
#include "kernels/dequantize.h"

namespace liubai::engine {
namespace {

constexpr std::uint32_t kVersion = 3;
// 2^47 bytes: far above any model, far below where sums of sizes could overflow.
constexpr std::uint64_t kMaxTensorBytes = std::uint64_t{1} << 47;

template <class T>
requires std::is_arithmetic_v<T> std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

template <class T>
std::string_view BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

template <class T>
void Append(std::string& out, T value) {
  out.append(BytesOf(value));
}

void AppendString(std::string& out, std::string_view text) {
  Append(out, static_cast<std::uint64_t>(text.size()));
  out.append(text);
}

template <class T>
std::string EncodeStrings(std::span<const T> values) {
  std::string bytes;
  for (const std::string_view value : values) AppendString(bytes, value);
  return bytes;
}

Status CheckName(std::string_view name, std::string_view what, std::uint64_t limit_bytes) {
  if (name.empty()) return Status(StatusCode::kInvalidArgument, fmt::format("{} is empty", what));
  if (name.size() > limit_bytes) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} has {} bytes, the limit is {}", what, name.size(), limit_bytes));
  }
  return CheckText(name, what);
}

std::uint64_t AlignUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

GgufWriter::GgufWriter(std::uint32_t alignment) : alignment_(alignment) {
  if (alignment != kGgufDefaultAlignment) SetU32("general.alignment", alignment);
}

void GgufWriter::AddPair(std::string_view key, GgufType type, std::string_view bytes) {
  keys_.emplace_back(key);
  AppendString(pairs_, key);
  Append(pairs_, static_cast<std::uint32_t>(type));
  pairs_.append(bytes);
}

void GgufWriter::AddArray(std::string_view key, GgufType type, std::uint64_t count,
                          std::string_view bytes) {
  std::string encoded;
  Append(encoded, static_cast<std::uint32_t>(type));
  Append(encoded, count);
  encoded.append(bytes);
  AddPair(key, GgufType::kArray, encoded);
}

void GgufWriter::SetU8(std::string_view key, std::uint8_t value) {
  AddPair(key, GgufType::kUint8, BytesOf(value));
}
void GgufWriter::SetI8(std::string_view key, std::int8_t value) {
  AddPair(key, GgufType::kInt8, BytesOf(value));
}
void GgufWriter::SetU16(std::string_view key, std::uint16_t value) {
  AddPair(key, GgufType::kUint16, BytesOf(value));
}
void GgufWriter::SetI16(std::string_view key, std::int16_t value) {
  AddPair(key, GgufType::kInt16, BytesOf(value));
}
void GgufWriter::SetU32(std::string_view key, std::uint32_t value) {
  AddPair(key, GgufType::kUint32, BytesOf(value));
}
void GgufWriter::SetI32(std::string_view key, std::int32_t value) {
  AddPair(key, GgufType::kInt32, BytesOf(value));
}
void GgufWriter::SetU64(std::string_view key, std::uint64_t value) {
  AddPair(key, GgufType::kUint64, BytesOf(value));
}
void GgufWriter::SetI64(std::string_view key, std::int64_t value) {
  AddPair(key, GgufType::kInt64, BytesOf(value));
}
void GgufWriter::SetF32(std::string_view key, float value) {
  AddPair(key, GgufType::kFloat32, BytesOf(value));
}
void GgufWriter::SetF64(std::string_view key, double value) {
  AddPair(key, GgufType::kFloat64, BytesOf(value));
}
void GgufWriter::SetBool(std::string_view key, bool value) {
  AddPair(key, GgufType::kBool, BytesOf(static_cast<std::uint8_t>(value)));
}
void GgufWriter::SetString(std::string_view key, std::string_view value) {
  std::string bytes;
  AppendString(bytes, value);
  AddPair(key, GgufType::kString, bytes);
}
void GgufWriter::SetStringArray(std::string_view key, std::span<const std::string> values) {
  AddArray(key, GgufType::kString, values.size(), EncodeStrings(values));
}
void GgufWriter::SetStringArray(std::string_view key, std::span<const std::string_view> values) {
  AddArray(key, GgufType::kString, values.size(), EncodeStrings(values));
}
void GgufWriter::SetU8Array(std::string_view key, std::span<const std::uint8_t> values) {
  AddArray(key, GgufType::kUint8, values.size(), BytesOf(values));
}
void GgufWriter::SetI32Array(std::string_view key, std::span<const std::int32_t> values) {
  AddArray(key, GgufType::kInt32, values.size(), BytesOf(values));
}
void GgufWriter::SetU32Array(std::string_view key, std::span<const std::uint32_t> values) {
  AddArray(key, GgufType::kUint32, values.size(), BytesOf(values));
}
void GgufWriter::SetF32Array(std::string_view key, std::span<const float> values) {
  AddArray(key, GgufType::kFloat32, values.size(), BytesOf(values));
}

void GgufWriter::Copy(const GgufValue& value) {
  if (value.key == "general.alignment") return;
  const std::string_view bytes = value.string();
  if (value.is_array()) {
    AddArray(value.key, value.element_type, value.count, bytes);
  } else if (value.type == GgufType::kString) {
    SetString(value.key, bytes);
  } else {
    AddPair(value.key, value.type, bytes);
  }
}

void GgufWriter::AddTensor(std::string_view name, kernels::DataType type,
                           std::span<const std::int64_t> dims, Source source) {
  tensors_.push_back({std::string(name), type, {dims.begin(), dims.end()}, std::move(source)});
}

void GgufWriter::AddTensor(std::string_view name, kernels::DataType type,
                           std::span<const std::int64_t> dims, std::span<const std::byte> data) {
  AddTensor(name, type, dims,
            [copy = std::vector<std::byte>(data.begin(), data.end())](const Sink& sink) {
              return sink(copy);
            });
}

Status GgufWriter::Check() const {
  const auto invalid = [](const std::string& message) {
    return Status(StatusCode::kInvalidArgument, message);
  };
  if (!std::has_single_bit(alignment_) || alignment_ < 8 || alignment_ > kGgufMaxAlignment) {
    return invalid(fmt::format("alignment {} is not a power of two of 8 to {}", alignment_,
                               kGgufMaxAlignment));
  }
  std::unordered_set<std::string_view> seen;
  for (const std::string& key : keys_) {
    LIUBAI_RETURN_IF_ERROR(CheckName(key, "key", kGgufMaxKeyBytes));
    if (!seen.insert(key).second) return invalid(fmt::format("key '{}' is set twice", key));
  }
  seen.clear();
  for (const Tensor& tensor : tensors_) {
    LIUBAI_RETURN_IF_ERROR(CheckName(tensor.name, "tensor name", kGgufMaxTensorNameBytes));
    if (!seen.insert(tensor.name).second) {
      return invalid(fmt::format("tensor '{}' is added twice", tensor.name));
    }
    const kernels::DataTypeInfo info = kernels::GetDataTypeInfo(tensor.type);
    if (info.name.empty()) {
      return invalid(fmt::format("tensor '{}' has the unknown type {}", tensor.name,
                                 static_cast<std::uint32_t>(tensor.type)));
    }
    if (tensor.dims.empty() || tensor.dims.size() > kGgufMaxDims) {
      return invalid(fmt::format("tensor '{}' has {} dimensions, must have 1 to {}", tensor.name,
                                 tensor.dims.size(), kGgufMaxDims));
    }
    std::uint64_t bytes = info.block_bytes;
    for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
      const std::int64_t dim = tensor.dims[i];
      if (dim <= 0) {
        return invalid(fmt::format("tensor '{}' has dimension {} of {}, must be positive",
                                   tensor.name, i, dim));
      }
      if (i == 0 && dim % info.block_elements != 0) {
        return invalid(
            fmt::format("tensor '{}' has rows of {} values, not a multiple of the {} "
                        "of a {} block",
                        tensor.name, dim, info.block_elements, info.name));
      }
      const auto factor = static_cast<std::uint64_t>(i == 0 ? dim / info.block_elements : dim);
      if (factor > kMaxTensorBytes / bytes) {
        return invalid(fmt::format("tensor '{}' is larger than the limit of {} bytes", tensor.name,
                                   kMaxTensorBytes));
      }
      bytes *= factor;
    }
  }
  return Status();
}

Status GgufWriter::Emit(const Sink& sink) const {
  LIUBAI_RETURN_IF_ERROR(Check());
  std::string header = "GGUF";
  Append(header, kVersion);
  Append(header, static_cast<std::uint64_t>(tensors_.size()));
  Append(header, static_cast<std::uint64_t>(keys_.size()));
  header += pairs_;
  std::vector<std::uint64_t> sizes;
  std::uint64_t offset = 0;
  for (const Tensor& tensor : tensors_) {
    AppendString(header, tensor.name);
    Append(header, static_cast<std::uint32_t>(tensor.dims.size()));
    std::uint64_t rows = 1;
    for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
      Append(header, tensor.dims[i]);
      if (i > 0) rows *= static_cast<std::uint64_t>(tensor.dims[i]);
    }
    Append(header, static_cast<std::uint32_t>(tensor.type));
    Append(header, offset);
    sizes.push_back(rows *
                    static_cast<std::uint64_t>(kernels::RowBytes(tensor.type, tensor.dims[0])));
    offset += AlignUp(sizes.back(), alignment_);
  }
  header.resize(AlignUp(header.size(), alignment_), '\0');
  LIUBAI_RETURN_IF_ERROR(sink(std::as_bytes(std::span(header))));
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    std::uint64_t written = 0;
    const Status status = tensors_[i].source([&](std::span<const std::byte> bytes) -> Status {
      written += bytes.size();
      if (written > sizes[i]) {
        return Status(StatusCode::kInvalidArgument,
                      fmt::format("tensor '{}' was given more than its {} bytes", tensors_[i].name,
                                  sizes[i]));
      }
      return sink(bytes);
    });
    LIUBAI_RETURN_IF_ERROR(status);
    if (written != sizes[i]) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("tensor '{}' was given {} bytes, needs {}", tensors_[i].name,
                                written, sizes[i]));
    }
    const std::string padding(AlignUp(written, alignment_) - written, '\0');
    if (!padding.empty()) LIUBAI_RETURN_IF_ERROR(sink(std::as_bytes(std::span(padding))));
  }
  return Status();
}

Status GgufWriter::Write(FileSystem& fs, const std::string& path) const {
  // The process id keeps two writers of one file apart; the last rename wins, whole.
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  const auto write = [&]() -> Status {
    LIUBAI_RETURN_IF_ERROR(Check());
    LIUBAI_ASSIGN_OR_RETURN(auto file, fs.OpenForWrite(temporary));
    LIUBAI_RETURN_IF_ERROR(
        Emit([&](std::span<const std::byte> bytes) { return file->Write(bytes); }));
    LIUBAI_RETURN_IF_ERROR(file->Sync());
    return file->Close();
  };
  Status status = write();
  if (status.ok()) status = fs.Rename(temporary, path);
  if (!status.ok()) {
    (void)fs.Remove(temporary);
    return status.WithContext(fmt::format("writing {}", path));
  }
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return fs.SyncDirectory(parent.empty() ? "." : parent);
}

Result<std::string> GgufWriter::Serialize() const {
  std::string out;
  LIUBAI_RETURN_IF_ERROR(Emit([&](std::span<const std::byte> bytes) -> Status {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Status();
  }));
  return out;
}

}  // namespace liubai::engine
