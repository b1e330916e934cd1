// kernels/dequantize.h: rows of the block formats of model files, to float32 and back; plain
// references.
//
// Sources: the block layouts are those of the GGUF type numbers (ggml's `block_q4_0`, …): scales
// are f16, nibbles of a 32-block hold elements j and j + 16, K blocks hold 256 elements in
// sub-blocks with 6-bit scales (Q4_K, Q5_K) or 8-bit scales (Q6_K).
//
// Errors:  none; the caller has checked types and sizes.
// Threads: free functions without state.
// Units:   `elements` are values, a multiple of the type's block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/data_type.h"

namespace liubai::kernels {

// The bytes of a row. REQUIRES: a supported type; elements is a multiple of its block.
constexpr std::int64_t RowBytes(DataType type, std::int64_t elements) {
  const DataTypeInfo info = GetDataTypeInfo(type);
  return elements / info.block_elements * info.block_bytes;
}

// src [elements] of `type`, at any address; dst [elements] f32.
// REQUIRES: a supported type; elements is a multiple of its block; no overlap.
void DequantizeRow(DataType type, const std::byte* src, float* dst, std::int64_t elements);

// True for the types that QuantizeRow writes: F32, F16, BF16, Q8_0, Q4_0.
constexpr bool CanQuantizeTo(DataType type) {
  return type == DataType::kF32 || type == DataType::kF16 || type == DataType::kBF16 ||
         type == DataType::kQ8_0 || type == DataType::kQ4_0;
}

// src [elements] f32; dst [elements] of `type`, at any address. Rounds to nearest.
// Q8_0: scale = max |x| / 127. Q4_0: scale = (value of the largest magnitude) / -8.
// REQUIRES: CanQuantizeTo(type); elements is a multiple of its block; no overlap; src is finite.
void QuantizeRow(DataType type, const float* src, std::byte* dst, std::int64_t elements);

// The first block of `data` whose scales (or values, for the float types) hold a NaN or an
// infinity; -1 when there is none. REQUIRES: a supported type; data.size() is a multiple of its
// block's bytes.
std::int64_t FindNonFiniteBlock(DataType type, std::span<const std::byte> data);

}  // namespace liubai::kernels
