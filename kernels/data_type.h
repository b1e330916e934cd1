// kernels/data_type.h: element and block types of tensors, numbered as in GGUF files.
//
// Source: the GGUF specification (ggml type numbers). A block holds `block_elements` values in
// `block_bytes` bytes; rows are whole blocks.
#pragma once

#include <cstdint>
#include <string_view>

namespace liubai::kernels {

enum class DataType : std::uint32_t {  // Stored in model files: never renumber.
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kBF16 = 30,
};

struct DataTypeInfo {
  std::string_view name;  // "Q4_K"; empty for a type that is not supported.
  std::uint32_t block_elements = 0;
  std::uint32_t block_bytes = 0;
};

constexpr DataTypeInfo GetDataTypeInfo(DataType type) {
  switch (type) {
    case DataType::kF32:
      return {"F32", 1, 4};
    case DataType::kF16:
      return {"F16", 1, 2};
    case DataType::kBF16:
      return {"BF16", 1, 2};
    case DataType::kQ4_0:
      return {"Q4_0", 32, 18};
    case DataType::kQ4_1:
      return {"Q4_1", 32, 20};
    case DataType::kQ5_0:
      return {"Q5_0", 32, 22};
    case DataType::kQ5_1:
      return {"Q5_1", 32, 24};
    case DataType::kQ8_0:
      return {"Q8_0", 32, 34};
    case DataType::kQ4_K:
      return {"Q4_K", 256, 144};
    case DataType::kQ5_K:
      return {"Q5_K", 256, 176};
    case DataType::kQ6_K:
      return {"Q6_K", 256, 210};
  }
  return {};
}

}  // namespace liubai::kernels
