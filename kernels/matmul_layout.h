// kernels/matmul_layout.h: the packed orders of weights and activations that all instruction sets
// share.
//
// A group is 16 rows. Its bytes are the scales of all column blocks, then their quants:
//
//   scales  Q4_0 Q5_0 Q8_0   per block of 32 columns: f16 d[16]
//           Q4_1 Q5_1        per block of 32 columns: f16 d[16], f16 m[16]
//           Q4_K Q5_K        per 256 columns: f16 d[16], f16 dmin[16], then for each of 8 blocks u8
//           scale[16],
//                            u8 min[16]
//           Q6_K             per 256 columns: f16 d[16], then for each of 8 blocks s8 scale[2][16],
//           one per 16
//                            columns
//   quants  per block of 32 columns, as eight quads: quad j has byte 4 * row + c for column 4 * j +
//   c
//           4 bits           4 x 64 bytes; vector i has quad i in its low and quad i + 4 in its
//           high nibbles 5 bits           the same, then 8 x 64 bits: bit 4 * row + c of word j is
//           bit 4 of quad j 6 bits           the same as 4 bits, then 2 x 64 bytes: vector h has
//           bits 4 and 5 of quad 4 * h + f
//                            at bit 2 * f
//           8 bits           8 x 64 bytes, each value + 128
//   F32 F16 BF16             per column: 16 values; no scales
//
// A weight is d * (q - zero), d * q + m, d * scale * q - dmin * min or d * scale * (q - 32), as in
// the file.
//
// Quantised activations: tiles of 16 tokens (the last one as wide as the tokens left). A tile of w
// tokens has for each block of 32 columns: s8 q[w][32], f32 scale[w], f32 scale * sum[w], and, to
// subtract the zero points in integers, s32 -128 * sum over columns [0, 32), [0, 16) and [16, 32),
// each [w].
#pragma once

#include <cstdint>

#include "kernels/data_type.h"
#include "kernels/matmul.h"

namespace liubai::kernels {

inline constexpr std::int64_t kTokenTile = 16;
inline constexpr std::int64_t kActivationBlockBytes = 52;  // Per token.

struct PackedFormat {
  int bits = 0;  // Of a quant; 0: float.
  int zero = 0;  // Subtracted from a quant.
  bool has_min = false;
  bool super_blocks = false;     // Scales in blocks of 256 columns.
  std::int64_t quant_bytes = 0;  // Of a block of 32 columns.
  std::int64_t scale_bytes = 0;  // Of a block, or of a super-block.
};

constexpr PackedFormat GetPackedFormat(DataType type) {
  switch (type) {
    case DataType::kQ4_0:
      return {4, 8, false, false, 256, 32};
    case DataType::kQ4_1:
      return {4, 0, true, false, 256, 64};
    case DataType::kQ5_0:
      return {5, 16, false, false, 320, 32};
    case DataType::kQ5_1:
      return {5, 0, true, false, 320, 64};
    case DataType::kQ8_0:
      return {8, 128, false, false, 512, 32};
    case DataType::kQ4_K:
      return {4, 0, true, true, 256, 320};
    case DataType::kQ5_K:
      return {5, 0, true, true, 320, 320};
    case DataType::kQ6_K:
      return {6, 32, false, true, 384, 288};
    case DataType::kF32:
    case DataType::kF16:
    case DataType::kBF16:
      break;
  }
  return {};
}

// Where the quants of a group begin: the scales of `cols` columns, rounded up to a cache line.
constexpr std::int64_t QuantOffset(const PackedFormat& format, std::int64_t cols) {
  const std::int64_t units = format.super_blocks ? cols / 256 : cols / 32;
  return (units * format.scale_bytes + 63) / 64 * 64;
}

// One per instruction set; the contract is that of the function without the suffix. The AVX files
// exist on x86-64 only.
void QuantizeActivationsCpu(const Activations& a, std::int64_t token_begin, std::int64_t token_end,
                            std::int64_t col_begin, std::int64_t col_end);
void QuantizeActivationsAvx2(const Activations& a, std::int64_t token_begin, std::int64_t token_end,
                             std::int64_t col_begin, std::int64_t col_end);
void QuantizeActivationsAvx512(const Activations& a, std::int64_t token_begin,
                               std::int64_t token_end, std::int64_t col_begin,
                               std::int64_t col_end);
void MatMulCpu(const PackedMatrix& w, const Activations& x, std::int64_t row_begin,
               std::int64_t row_end, const MatMulOutput& out);
void MatMulAvx2(const PackedMatrix& w, const Activations& x, std::int64_t row_begin,
                std::int64_t row_end, const MatMulOutput& out);
void MatMulAvx512(const PackedMatrix& w, const Activations& x, std::int64_t row_begin,
                  std::int64_t row_end, const MatMulOutput& out);
// One group of 16 float32 rows, [cols, 16]; `rows` <= 16 of them are written, to columns `row` ...
// of out.
void MatMulFloatGroupCpu(const float* group, const Activations& x, std::int64_t row, int rows,
                         const MatMulOutput& out);
void MatMulFloatGroupAvx2(const float* group, const Activations& x, std::int64_t row, int rows,
                          const MatMulOutput& out);
void MatMulFloatGroupAvx512(const float* group, const Activations& x, std::int64_t row, int rows,
                            const MatMulOutput& out);

}  // namespace liubai::kernels
