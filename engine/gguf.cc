#include "engine/gguf.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "core/macros.h"
#include "core/text.h"
#include "fmt/format.h"
#include "kernels/dequantize.h"

namespace liubai::engine {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF is read in place, little-endian");

constexpr std::string_view kMagic = "GGUF";
constexpr std::uint64_t kHeaderBytes = 24;
// The least that a pair or a tensor can take: a name of one byte, and a value of one or one
// dimension.
constexpr std::uint64_t kLeastPairBytes = 8 + 1 + 4 + 1;
constexpr std::uint64_t kLeastTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;
constexpr std::uint64_t kLeastStringBytes = 8;

template <class T>
T LoadAs(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// For messages: what a hostile file calls itself must not garble the terminal.
std::string Printable(std::string_view name) {
  constexpr std::size_t kShown = 80;
  std::string out;
  for (const char c : name.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out.push_back(c);
    }
  }
  if (name.size() > kShown) out += "...";
  return RepairUtf8(out);
}

// Formats that exist elsewhere and are not read here, so that the message can name them.
std::string_view ForeignTypeName(std::uint32_t type) {
  switch (type) {
    case 9:
      return "Q8_1";
    case 10:
      return "Q2_K";
    case 11:
      return "Q3_K";
    case 15:
      return "Q8_K";
    case 16:
      return "IQ2_XXS";
    case 17:
      return "IQ2_XS";
    case 18:
      return "IQ3_XXS";
    case 19:
      return "IQ1_S";
    case 20:
      return "IQ4_NL";
    case 21:
      return "IQ3_S";
    case 22:
      return "IQ2_S";
    case 23:
      return "IQ4_XS";
    case 24:
      return "I8";
    case 25:
      return "I16";
    case 26:
      return "I32";
    case 27:
      return "I64";
    case 28:
      return "F64";
    case 29:
      return "IQ1_M";
    case 34:
      return "TQ1_0";
    case 35:
      return "TQ2_0";
    case 39:
      return "MXFP4";
    default:
      return "unknown";
  }
}

// A place in the file; every read checks what is left first.
class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  std::uint64_t offset() const { return offset_; }
  std::uint64_t remaining() const { return bytes_.size() - offset_; }

  Status Corrupt(std::uint64_t offset, std::string_view what) const {
    return Status(StatusCode::kDataLoss, fmt::format("{}: {} at offset {}", path_, what, offset));
  }
  Status Unsupported(std::uint64_t offset, std::string_view what) const {
    return Status(StatusCode::kUnimplemented,
                  fmt::format("{}: {} at offset {}", path_, what, offset));
  }

  Result<std::span<const std::byte>> Take(std::uint64_t length, std::string_view what) {
    if (length > remaining()) {
      return Corrupt(offset_,
                     fmt::format("{} needs {} bytes, {} are left", what, length, remaining()));
    }
    const auto taken = bytes_.subspan(offset_, length);
    offset_ += length;
    return taken;
  }

  template <class T>
  Result<T> Number(std::string_view what) {
    LIUBAI_ASSIGN_OR_RETURN(const auto taken, Take(sizeof(T), what));
    return LoadAs<T>(taken.data());
  }

  // A length-prefixed string without copying it.
  Result<std::string_view> String(std::string_view what) {
    const std::uint64_t at = offset_;
    LIUBAI_ASSIGN_OR_RETURN(const auto length, Number<std::uint64_t>(what));
    if (length > remaining()) {
      return Corrupt(at,
                     fmt::format("{} has length {}, {} bytes are left", what, length, remaining()));
    }
    LIUBAI_ASSIGN_OR_RETURN(const auto taken, Take(length, what));
    return std::string_view(reinterpret_cast<const char*>(taken.data()), taken.size());
  }

  // A string that names something: not empty, bounded, UTF-8, without NUL.
  Result<std::string_view> Name(std::string_view what, std::uint64_t limit_bytes) {
    const std::uint64_t at = offset_;
    LIUBAI_ASSIGN_OR_RETURN(const std::string_view name, String(what));
    if (name.empty()) return Corrupt(at, fmt::format("{} is empty", what));
    if (name.size() > limit_bytes) {
      return Corrupt(
          at, fmt::format("{} has {} bytes, the limit is {}", what, name.size(), limit_bytes));
    }
    if (const std::size_t bad = FindInvalidUtf8(name); bad != std::string_view::npos) {
      return Corrupt(at + 8 + bad,
                     fmt::format("{} '{}' is not valid UTF-8", what, Printable(name)));
    }
    if (const std::size_t nul = name.find('\0'); nul != std::string_view::npos) {
      return Corrupt(at + 8 + nul, fmt::format("{} '{}' holds a NUL", what, Printable(name)));
    }
    return name;
  }

 private:
  std::span<const std::byte> bytes_;
  const std::string& path_;
  std::uint64_t offset_ = 0;
};

Status CheckBools(const Cursor& cursor, const GgufValue& value, std::uint64_t offset) {
  for (std::size_t i = 0; i < value.data.size(); ++i) {
    const auto byte = std::to_integer<unsigned>(value.data[i]);
    if (byte > 1) {
      return cursor.Corrupt(offset + i, fmt::format("key '{}' holds the bool {}, must be 0 or 1",
                                                    Printable(value.key), byte));
    }
  }
  return Status();
}

}  // namespace

std::string_view GgufTypeName(GgufType type) {
  switch (type) {
    case GgufType::kUint8:
      return "u8";
    case GgufType::kInt8:
      return "i8";
    case GgufType::kUint16:
      return "u16";
    case GgufType::kInt16:
      return "i16";
    case GgufType::kUint32:
      return "u32";
    case GgufType::kInt32:
      return "i32";
    case GgufType::kFloat32:
      return "f32";
    case GgufType::kBool:
      return "bool";
    case GgufType::kString:
      return "string";
    case GgufType::kArray:
      return "array";
    case GgufType::kUint64:
      return "u64";
    case GgufType::kInt64:
      return "i64";
    case GgufType::kFloat64:
      return "f64";
  }
  return "";
}

std::size_t GgufTypeBytes(GgufType type) {
  switch (type) {
    case GgufType::kUint8:
    case GgufType::kInt8:
    case GgufType::kBool:
      return 1;
    case GgufType::kUint16:
    case GgufType::kInt16:
      return 2;
    case GgufType::kUint32:
    case GgufType::kInt32:
    case GgufType::kFloat32:
      return 4;
    case GgufType::kUint64:
    case GgufType::kInt64:
    case GgufType::kFloat64:
      return 8;
    case GgufType::kString:
    case GgufType::kArray:
      return 0;
  }
  return 0;
}

std::span<const std::byte> GgufTensor::row(std::int64_t row) const {
  const auto bytes = static_cast<std::size_t>(kernels::RowBytes(type, dims[0]));
  return data.subspan(static_cast<std::size_t>(row) * bytes, bytes);
}

std::string GgufTensor::ShapeString() const {
  return fmt::format("[{}]", fmt::join(dims.begin(), dims.begin() + dim_count, ", "));
}

struct GgufFile::Impl {
  explicit Impl(MappedFile file) : mapped(std::move(file)) {}

  Status Parse();
  Result<GgufValue> ParsePair(Cursor& cursor);
  Status ParseArray(Cursor& cursor, GgufValue& value);
  Result<GgufTensor> ParseTensor(Cursor& cursor);
  Status SetAlignment(const Cursor& cursor);
  Status PlaceTensors(const Cursor& cursor);

  Status WrongType(const GgufValue& value, std::string_view wanted) const;
  Result<const GgufValue*> Get(std::string_view key) const;
  template <class T>
  Result<T> Integer(std::string_view key) const;
  template <class T>
  Result<std::vector<T>> IntegerArray(std::string_view key) const;
  template <class T>
  Result<T> ConvertInteger(const GgufValue& value, std::uint64_t index) const;
  Result<float> ConvertFloat(const GgufValue& value, std::uint64_t index) const;

  MappedFile mapped;
  std::uint32_t version = 0;
  std::uint64_t alignment = kGgufDefaultAlignment;
  std::uint64_t data_offset = 0;
  std::vector<GgufValue> metadata;
  std::vector<GgufTensor> tensors;
  // One vector per array of strings; GgufValue::strings points into it.
  std::vector<std::vector<std::string_view>> string_arrays;
  std::unordered_map<std::string_view, std::size_t> keys;
  std::unordered_map<std::string_view, std::size_t> names;
};

Status GgufFile::Impl::Parse() {
  const auto bytes = mapped.bytes();
  Cursor cursor(bytes, mapped.path());
  if (bytes.empty()) return cursor.Corrupt(0, "the file is empty; a GGUF file was expected");
  if (bytes.size() < kHeaderBytes) {
    return cursor.Corrupt(0, fmt::format("the file has {} bytes, a GGUF header takes {}",
                                         bytes.size(), kHeaderBytes));
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto magic, cursor.Take(kMagic.size(), "magic"));
  if (std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0) {
    return cursor.Corrupt(
        0, fmt::format("bad magic '{}', a GGUF file begins with 'GGUF'",
                       Printable({reinterpret_cast<const char*>(magic.data()), magic.size()})));
  }
  LIUBAI_ASSIGN_OR_RETURN(version, cursor.Number<std::uint32_t>("version"));
  if (version != 2 && version != 3) {
    // A big-endian file stores a small version in its high byte.
    const bool swapped = (version & 0xffff) == 0 && version != 0;
    return cursor.Unsupported(4, fmt::format("version {}{} is not supported, only 2 and 3 are",
                                             version, swapped ? " (a big-endian file)" : ""));
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto tensor_count, cursor.Number<std::uint64_t>("tensor count"));
  LIUBAI_ASSIGN_OR_RETURN(const auto pair_count, cursor.Number<std::uint64_t>("metadata count"));
  // Signed in the format's first description: a negative count is above every limit here.
  if (tensor_count > cursor.remaining() / kLeastTensorBytes) {
    return cursor.Corrupt(
        8, fmt::format("tensor count {}: the {} bytes left hold at most {}", tensor_count,
                       cursor.remaining(), cursor.remaining() / kLeastTensorBytes));
  }
  if (pair_count > cursor.remaining() / kLeastPairBytes) {
    return cursor.Corrupt(
        16, fmt::format("metadata count {}: the {} bytes left hold at most {}", pair_count,
                        cursor.remaining(), cursor.remaining() / kLeastPairBytes));
  }
  for (std::uint64_t i = 0; i < pair_count; ++i) {
    const std::uint64_t at = cursor.offset();
    LIUBAI_ASSIGN_OR_RETURN(GgufValue value, ParsePair(cursor));
    if (!keys.emplace(value.key, metadata.size()).second) {
      return cursor.Corrupt(at, fmt::format("duplicate key '{}'", Printable(value.key)));
    }
    metadata.push_back(value);
  }
  LIUBAI_RETURN_IF_ERROR(SetAlignment(cursor));
  for (std::uint64_t i = 0; i < tensor_count; ++i) {
    const std::uint64_t at = cursor.offset();
    LIUBAI_ASSIGN_OR_RETURN(GgufTensor tensor, ParseTensor(cursor));
    if (!names.emplace(tensor.name, tensors.size()).second) {
      return cursor.Corrupt(at, fmt::format("duplicate tensor '{}'", Printable(tensor.name)));
    }
    tensors.push_back(tensor);
  }
  return PlaceTensors(cursor);
}

Result<GgufValue> GgufFile::Impl::ParsePair(Cursor& cursor) {
  GgufValue value;
  LIUBAI_ASSIGN_OR_RETURN(value.key, cursor.Name("key", kGgufMaxKeyBytes));
  const std::string what = fmt::format("key '{}'", Printable(value.key));
  const std::uint64_t type_offset = cursor.offset();
  LIUBAI_ASSIGN_OR_RETURN(const auto type, cursor.Number<std::uint32_t>(what));
  value.type = static_cast<GgufType>(type);
  value.element_type = value.type;
  value.offset = cursor.offset();
  if (GgufTypeName(value.type).empty()) {
    return cursor.Corrupt(type_offset,
                          fmt::format("{} has the unknown value type {}, the largest "
                                      "known is {}",
                                      what, type, static_cast<int>(GgufType::kFloat64)));
  }
  if (value.type == GgufType::kArray) {
    LIUBAI_RETURN_IF_ERROR(ParseArray(cursor, value));
    return value;
  }
  if (value.type == GgufType::kString) {
    LIUBAI_ASSIGN_OR_RETURN(const auto text, cursor.String(what));
    value.data = std::as_bytes(std::span(text));
    return value;
  }
  LIUBAI_ASSIGN_OR_RETURN(value.data, cursor.Take(GgufTypeBytes(value.type), what));
  if (value.type == GgufType::kBool) {
    LIUBAI_RETURN_IF_ERROR(CheckBools(cursor, value, value.offset));
  }
  return value;
}

Status GgufFile::Impl::ParseArray(Cursor& cursor, GgufValue& value) {
  const std::string what = fmt::format("array '{}'", Printable(value.key));
  LIUBAI_ASSIGN_OR_RETURN(const auto type, cursor.Number<std::uint32_t>(what));
  value.element_type = static_cast<GgufType>(type);
  if (value.element_type == GgufType::kArray) {
    return cursor.Corrupt(value.offset,
                          fmt::format("{} is nested; arrays of arrays are refused", what));
  }
  if (GgufTypeName(value.element_type).empty()) {
    return cursor.Corrupt(value.offset,
                          fmt::format("{} has the unknown element type {}, the "
                                      "largest known is {}",
                                      what, type, static_cast<int>(GgufType::kFloat64)));
  }
  const std::uint64_t count_offset = cursor.offset();
  LIUBAI_ASSIGN_OR_RETURN(value.count, cursor.Number<std::uint64_t>(what));
  const bool is_string = value.element_type == GgufType::kString;
  const std::uint64_t least = is_string ? kLeastStringBytes : GgufTypeBytes(value.element_type);
  if (value.count > cursor.remaining() / least) {
    return cursor.Corrupt(
        count_offset, fmt::format("{} has {} elements of {} bytes or more, {} bytes are left", what,
                                  value.count, least, cursor.remaining()));
  }
  if (!is_string) {
    const std::uint64_t at = cursor.offset();
    LIUBAI_ASSIGN_OR_RETURN(value.data, cursor.Take(value.count * least, what));
    if (value.element_type == GgufType::kBool) return CheckBools(cursor, value, at);
    return Status();
  }
  const std::uint64_t begin = cursor.offset();
  std::vector<std::string_view>& strings = string_arrays.emplace_back();
  strings.reserve(value.count);  // Two words each, for at least one word in the file.
  for (std::uint64_t i = 0; i < value.count; ++i) {
    LIUBAI_ASSIGN_OR_RETURN(const std::string_view text, cursor.String(what));
    strings.push_back(text);
  }
  value.strings = strings;
  value.data = mapped.bytes().subspan(begin, cursor.offset() - begin);
  return Status();
}

Status GgufFile::Impl::SetAlignment(const Cursor& cursor) {
  const auto found = keys.find("general.alignment");
  if (found == keys.end()) return Status();
  const GgufValue& value = metadata[found->second];
  if (value.type != GgufType::kUint32) {
    return cursor.Corrupt(value.offset, fmt::format("general.alignment has type {}, must be u32",
                                                    GgufTypeName(value.type)));
  }
  alignment = LoadAs<std::uint32_t>(value.data.data());
  // The specification asks for a multiple of 8, which also keeps f32 values in place readable.
  if (!std::has_single_bit(alignment) || alignment < 8 || alignment > kGgufMaxAlignment) {
    return cursor.Corrupt(value.offset,
                          fmt::format("general.alignment is {}, must be a power of two of 8 to {}",
                                      alignment, kGgufMaxAlignment));
  }
  return Status();
}

Result<GgufTensor> GgufFile::Impl::ParseTensor(Cursor& cursor) {
  GgufTensor tensor;
  LIUBAI_ASSIGN_OR_RETURN(tensor.name, cursor.Name("tensor name", kGgufMaxTensorNameBytes));
  const std::string what = fmt::format("tensor '{}'", Printable(tensor.name));
  std::uint64_t at = cursor.offset();
  LIUBAI_ASSIGN_OR_RETURN(const auto dim_count, cursor.Number<std::uint32_t>(what));
  if (dim_count < 1 || dim_count > kGgufMaxDims) {
    return cursor.Corrupt(
        at, fmt::format("{} has {} dimensions, must have 1 to {}", what, dim_count, kGgufMaxDims));
  }
  tensor.dim_count = static_cast<int>(dim_count);
  const std::uint64_t dims_offset = cursor.offset();
  for (std::uint32_t i = 0; i < dim_count; ++i) {
    at = cursor.offset();
    LIUBAI_ASSIGN_OR_RETURN(const auto dim, cursor.Number<std::int64_t>(what));
    if (dim <= 0) {
      return cursor.Corrupt(
          at, fmt::format("{} has dimension {} of {}, must be positive", what, i, dim));
    }
    tensor.dims[i] = dim;
  }
  at = cursor.offset();
  LIUBAI_ASSIGN_OR_RETURN(const auto type, cursor.Number<std::uint32_t>(what));
  tensor.type = static_cast<kernels::DataType>(type);
  const kernels::DataTypeInfo info = kernels::GetDataTypeInfo(tensor.type);
  if (info.name.empty()) {
    return cursor.Unsupported(
        at, fmt::format("{} has type {} ({}), supported are F32 F16 BF16 Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 "
                        "Q4_K Q5_K Q6_K",
                        what, type, ForeignTypeName(type)));
  }
  if (tensor.dims[0] % info.block_elements != 0) {
    return cursor.Corrupt(dims_offset,
                          fmt::format("{} has rows of {} values, not a multiple of the {} of a {} "
                                      "block",
                                      what, tensor.dims[0], info.block_elements, info.name));
  }
  // Every product stays below the size of the file, so none can overflow.
  const std::uint64_t limit = mapped.bytes().size();
  std::uint64_t bytes = info.block_bytes;
  const std::array<std::uint64_t, 4> factors = {
      static_cast<std::uint64_t>(tensor.dims[0]) / info.block_elements,
      static_cast<std::uint64_t>(tensor.dims[1]), static_cast<std::uint64_t>(tensor.dims[2]),
      static_cast<std::uint64_t>(tensor.dims[3])};
  for (const std::uint64_t factor : factors) {
    if (factor > limit / bytes) {
      return cursor.Corrupt(dims_offset, fmt::format("{} of shape {} in {} is larger than the file "
                                                     "of {} bytes",
                                                     what, tensor.ShapeString(), info.name, limit));
    }
    bytes *= factor;
  }
  at = cursor.offset();
  LIUBAI_ASSIGN_OR_RETURN(tensor.offset, cursor.Number<std::uint64_t>(what));
  if (tensor.offset % alignment != 0) {
    return cursor.Corrupt(at, fmt::format("{} is at data offset {}, not a multiple of the "
                                          "alignment {}",
                                          what, tensor.offset, alignment));
  }
  // Only the length for now: where the data begins is known after the last tensor.
  tensor.data = mapped.bytes().first(bytes);
  return tensor;
}

Status GgufFile::Impl::PlaceTensors(const Cursor& cursor) {
  const auto bytes = mapped.bytes();
  const std::uint64_t end = cursor.offset();
  const std::uint64_t padding = (alignment - end % alignment) % alignment;
  if (tensors.empty()) {
    data_offset = std::min<std::uint64_t>(bytes.size(), end + padding);
    return Status();
  }
  if (padding > bytes.size() - end) {
    return cursor.Corrupt(end, fmt::format("the padding before the tensor data needs {} bytes, {} "
                                           "are left",
                                           padding, bytes.size() - end));
  }
  data_offset = end + padding;
  const std::uint64_t data_bytes = bytes.size() - data_offset;
  for (GgufTensor& tensor : tensors) {
    const std::uint64_t length = tensor.data.size();
    if (tensor.offset > data_bytes || length > data_bytes - tensor.offset) {
      return Status(StatusCode::kDataLoss,
                    fmt::format("{}: tensor '{}' needs {} bytes at data offset {}, the file has {} "
                                "bytes of data from offset {}",
                                mapped.path(), Printable(tensor.name), length, tensor.offset,
                                data_bytes, data_offset));
    }
    tensor.offset += data_offset;
    tensor.data = bytes.subspan(tensor.offset, length);
  }
  std::vector<const GgufTensor*> order;
  order.reserve(tensors.size());
  for (const GgufTensor& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(),
            [](const GgufTensor* a, const GgufTensor* b) { return a->offset < b->offset; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const GgufTensor& before = *order[i - 1];
    if (before.offset + before.data.size() > order[i]->offset) {
      return cursor.Corrupt(
          order[i]->offset,
          fmt::format("tensor '{}' overlaps '{}', which ends at {},", Printable(order[i]->name),
                      Printable(before.name), before.offset + before.data.size()));
    }
  }
  return Status();
}

Status GgufFile::Impl::WrongType(const GgufValue& value, std::string_view wanted) const {
  const std::string type = value.is_array()
                               ? fmt::format("array of {}", GgufTypeName(value.element_type))
                               : std::string(GgufTypeName(value.type));
  return Status(StatusCode::kInvalidArgument,
                fmt::format("{}: key '{}' at offset {} is of type {}, {} was expected",
                            mapped.path(), Printable(value.key), value.offset, type, wanted));
}

Result<const GgufValue*> GgufFile::Impl::Get(std::string_view key) const {
  const auto found = keys.find(key);
  if (found == keys.end()) {
    return Status(StatusCode::kNotFound,
                  fmt::format("{}: key '{}' is missing", mapped.path(), Printable(key)));
  }
  return &metadata[found->second];
}

template <class T>
Result<T> GgufFile::Impl::ConvertInteger(const GgufValue& value, std::uint64_t index) const {
  const std::byte* at = value.data.data() + index * GgufTypeBytes(value.element_type);
  const auto convert = [&](auto number) -> Result<T> {
    if (!std::in_range<T>(number)) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}: key '{}' at offset {} holds {}, must be {} to {}",
                                mapped.path(), Printable(value.key), value.offset, number,
                                std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    }
    return static_cast<T>(number);
  };
  switch (value.element_type) {
    case GgufType::kUint8:
      return convert(static_cast<std::uint32_t>(LoadAs<std::uint8_t>(at)));
    case GgufType::kInt8:
      return convert(static_cast<std::int32_t>(LoadAs<std::int8_t>(at)));
    case GgufType::kUint16:
      return convert(LoadAs<std::uint16_t>(at));
    case GgufType::kInt16:
      return convert(LoadAs<std::int16_t>(at));
    case GgufType::kUint32:
      return convert(LoadAs<std::uint32_t>(at));
    case GgufType::kInt32:
      return convert(LoadAs<std::int32_t>(at));
    case GgufType::kUint64:
      return convert(LoadAs<std::uint64_t>(at));
    case GgufType::kInt64:
      return convert(LoadAs<std::int64_t>(at));
    default:
      return WrongType(value, value.is_array() ? "array of integers" : "integer");
  }
}

Result<float> GgufFile::Impl::ConvertFloat(const GgufValue& value, std::uint64_t index) const {
  const std::byte* at = value.data.data() + index * GgufTypeBytes(value.element_type);
  if (value.element_type == GgufType::kFloat32) return LoadAs<float>(at);
  if (value.element_type == GgufType::kFloat64) return static_cast<float>(LoadAs<double>(at));
  return WrongType(value, value.is_array() ? "array of floats" : "float");
}

template <class T>
Result<T> GgufFile::Impl::Integer(std::string_view key) const {
  LIUBAI_ASSIGN_OR_RETURN(const GgufValue* value, Get(key));
  if (value->is_array()) return WrongType(*value, "integer");
  return ConvertInteger<T>(*value, 0);
}

template <class T>
Result<std::vector<T>> GgufFile::Impl::IntegerArray(std::string_view key) const {
  LIUBAI_ASSIGN_OR_RETURN(const GgufValue* value, Get(key));
  if (!value->is_array() || GgufTypeBytes(value->element_type) == 0) {
    return WrongType(*value, "array of integers");
  }
  std::vector<T> numbers;
  numbers.reserve(value->count);
  for (std::uint64_t i = 0; i < value->count; ++i) {
    LIUBAI_ASSIGN_OR_RETURN(const T number, ConvertInteger<T>(*value, i));
    numbers.push_back(number);
  }
  return numbers;
}

GgufFile::GgufFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GgufFile::GgufFile(GgufFile&&) noexcept = default;
GgufFile& GgufFile::operator=(GgufFile&&) noexcept = default;
GgufFile::~GgufFile() = default;

Result<GgufFile> GgufFile::Open(const std::string& path) {
  LIUBAI_ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::Open(path));
  auto impl = std::make_unique<Impl>(std::move(mapped));
  LIUBAI_RETURN_IF_ERROR(impl->Parse());
  LIUBAI_RETURN_IF_ERROR(impl->mapped.CheckUnchanged());
  return GgufFile(std::move(impl));
}

const std::string& GgufFile::path() const { return impl_->mapped.path(); }
std::uint32_t GgufFile::version() const { return impl_->version; }
std::uint64_t GgufFile::alignment() const { return impl_->alignment; }
std::uint64_t GgufFile::data_offset() const { return impl_->data_offset; }
std::uint64_t GgufFile::file_bytes() const { return impl_->mapped.bytes().size(); }
std::span<const GgufValue> GgufFile::metadata() const { return impl_->metadata; }
std::span<const GgufTensor> GgufFile::tensors() const { return impl_->tensors; }

const GgufValue* GgufFile::Find(std::string_view key) const {
  const auto found = impl_->keys.find(key);
  return found == impl_->keys.end() ? nullptr : &impl_->metadata[found->second];
}

const GgufTensor* GgufFile::FindTensor(std::string_view name) const {
  const auto found = impl_->names.find(name);
  return found == impl_->names.end() ? nullptr : &impl_->tensors[found->second];
}

Result<const GgufTensor*> GgufFile::GetTensor(std::string_view name) const {
  const GgufTensor* tensor = FindTensor(name);
  if (tensor == nullptr) {
    return Status(StatusCode::kNotFound,
                  fmt::format("{}: tensor '{}' is missing", path(), Printable(name)));
  }
  return tensor;
}

Result<std::uint32_t> GgufFile::GetU32(std::string_view key) const {
  return impl_->Integer<std::uint32_t>(key);
}

Result<std::uint64_t> GgufFile::GetU64(std::string_view key) const {
  return impl_->Integer<std::uint64_t>(key);
}

Result<std::int64_t> GgufFile::GetI64(std::string_view key) const {
  return impl_->Integer<std::int64_t>(key);
}

Result<float> GgufFile::GetF32(std::string_view key) const {
  LIUBAI_ASSIGN_OR_RETURN(const GgufValue* value, impl_->Get(key));
  if (value->is_array()) return impl_->WrongType(*value, "float");
  return impl_->ConvertFloat(*value, 0);
}

Result<bool> GgufFile::GetBool(std::string_view key) const {
  LIUBAI_ASSIGN_OR_RETURN(const GgufValue* value, impl_->Get(key));
  if (value->type != GgufType::kBool) return impl_->WrongType(*value, "bool");
  return value->data[0] != std::byte{0};
}

Result<std::string_view> GgufFile::GetString(std::string_view key) const {
  LIUBAI_ASSIGN_OR_RETURN(const GgufValue* value, impl_->Get(key));
  if (value->type != GgufType::kString) return impl_->WrongType(*value, "string");
  return value->string();
}

Result<std::uint32_t> GgufFile::GetU32Or(std::string_view key, std::uint32_t fallback) const {
  if (Find(key) == nullptr) return fallback;
  return GetU32(key);
}

Result<std::uint64_t> GgufFile::GetU64Or(std::string_view key, std::uint64_t fallback) const {
  if (Find(key) == nullptr) return fallback;
  return GetU64(key);
}

Result<std::int64_t> GgufFile::GetI64Or(std::string_view key, std::int64_t fallback) const {
  if (Find(key) == nullptr) return fallback;
  return GetI64(key);
}

Result<float> GgufFile::GetF32Or(std::string_view key, float fallback) const {
  if (Find(key) == nullptr) return fallback;
  return GetF32(key);
}

Result<bool> GgufFile::GetBoolOr(std::string_view key, bool fallback) const {
  if (Find(key) == nullptr) return fallback;
  return GetBool(key);
}

Result<std::string_view> GgufFile::GetStringOr(std::string_view key,
                                               std::string_view fallback) const {
  if (Find(key) == nullptr) return fallback;
  return GetString(key);
}

Result<std::span<const std::string_view>> GgufFile::GetStringArray(std::string_view key) const {
  LIUBAI_ASSIGN_OR_RETURN(const GgufValue* value, impl_->Get(key));
  if (!value->is_array() || value->element_type != GgufType::kString) {
    return impl_->WrongType(*value, "array of string");
  }
  return value->strings;
}

Result<std::vector<std::uint8_t>> GgufFile::GetU8Array(std::string_view key) const {
  return impl_->IntegerArray<std::uint8_t>(key);
}

Result<std::vector<std::int32_t>> GgufFile::GetI32Array(std::string_view key) const {
  return impl_->IntegerArray<std::int32_t>(key);
}

Result<std::vector<std::uint32_t>> GgufFile::GetU32Array(std::string_view key) const {
  return impl_->IntegerArray<std::uint32_t>(key);
}

Result<std::vector<float>> GgufFile::GetF32Array(std::string_view key) const {
  LIUBAI_ASSIGN_OR_RETURN(const GgufValue* value, impl_->Get(key));
  if (!value->is_array() || GgufTypeBytes(value->element_type) == 0) {
    return impl_->WrongType(*value, "array of floats");
  }
  std::vector<float> numbers;
  numbers.reserve(value->count);
  for (std::uint64_t i = 0; i < value->count; ++i) {
    LIUBAI_ASSIGN_OR_RETURN(const float number, impl_->ConvertFloat(*value, i));
    numbers.push_back(number);
  }
  return numbers;
}

Result<std::vector<bool>> GgufFile::GetBoolArray(std::string_view key) const {
  LIUBAI_ASSIGN_OR_RETURN(const GgufValue* value, impl_->Get(key));
  if (!value->is_array() || value->element_type != GgufType::kBool) {
    return impl_->WrongType(*value, "array of bool");
  }
  std::vector<bool> flags(value->count);
  for (std::uint64_t i = 0; i < value->count; ++i) flags[i] = value->data[i] != std::byte{0};
  return flags;
}

Status GgufFile::CheckFinite(const GgufTensor& tensor) const {
  const std::int64_t block = kernels::FindNonFiniteBlock(tensor.type, tensor.data);
  if (block < 0) return Status();
  const kernels::DataTypeInfo info = kernels::GetDataTypeInfo(tensor.type);
  const std::uint64_t within = static_cast<std::uint64_t>(block) * info.block_bytes;
  return Status(
      StatusCode::kNumericError,
      fmt::format("{}: tensor '{}' holds a NaN or an infinity in {} block {} at offset {}", path(),
                  Printable(tensor.name), info.name, block, tensor.offset + within));
}

Status GgufFile::CheckUnchanged() const { return impl_->mapped.CheckUnchanged(); }

void GgufFile::Release(std::uint64_t offset, std::uint64_t length) const {
  impl_->mapped.Release(offset, length);
}

}  // namespace liubai::engine
