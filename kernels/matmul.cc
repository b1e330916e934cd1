// Checks and dispatch of kernels/matmul.h.
#include "kernels/matmul.h"

#include <cassert>

#include "kernels/dequantize.h"
#include "kernels/matmul_layout.h"

namespace liubai::kernels {

std::size_t ActivationBytes(std::int64_t tokens, std::int64_t cols) {
  assert(cols % kActivationBlock == 0);
  return static_cast<std::size_t>(tokens * (cols / kActivationBlock) * kActivationBlockBytes);
}

void QuantizeActivations(const Activations& a, std::int64_t token_begin, std::int64_t token_end,
                         std::int64_t col_begin, std::int64_t col_end, CpuIsa isa) {
  assert(a.x != nullptr && a.quantized != nullptr);
  assert(col_begin % kActivationBlock == 0 && col_end % kActivationBlock == 0);
  assert(token_begin >= 0 && token_end <= a.tokens && col_begin >= 0 && col_end <= a.cols);
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx512Vnni:
      return QuantizeActivationsAvx512(a, token_begin, token_end, col_begin, col_end);
    case CpuIsa::kAvx2:
      return QuantizeActivationsAvx2(a, token_begin, token_end, col_begin, col_end);
#endif
    default:
      return QuantizeActivationsCpu(a, token_begin, token_end, col_begin, col_end);
  }
}

void MatMul(const PackedMatrix& w, const Activations& x, std::int64_t row_begin,
            std::int64_t row_end, const MatMulOutput& out, CpuIsa isa) {
  assert(w.cols() == x.cols);
  assert(row_begin % kRowGroup == 0 && (row_end % kRowGroup == 0 || row_end == w.rows()));
  assert(row_end <= w.rows());
  assert(w.is_float() ? x.x != nullptr : x.quantized != nullptr);
  if (row_begin >= row_end || x.tokens == 0) return;
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx512Vnni:
      return MatMulAvx512(w, x, row_begin, row_end, out);
    case CpuIsa::kAvx2:
      return MatMulAvx2(w, x, row_begin, row_end, out);
#endif
    default:
      return MatMulCpu(w, x, row_begin, row_end, out);
  }
}

std::size_t ExactScratchFloats(std::int64_t cols) {
  return static_cast<std::size_t>(cols * (kRowGroup + 1)) + kRowGroup;
}

void MatMulExact(DataType type, const std::byte* data, const Activations& x, std::int64_t row_begin,
                 std::int64_t row_end, const MatMulOutput& out, std::span<float> scratch,
                 CpuIsa isa) {
  const std::int64_t cols = x.cols;
  assert(x.x != nullptr && scratch.size() >= ExactScratchFloats(cols));
  const std::int64_t row_bytes = RowBytes(type, cols);
  // The group begins on a cache line.
  const auto address = reinterpret_cast<std::uintptr_t>(scratch.data());
  float* group = scratch.data() + (64 - address % 64) % 64 / sizeof(float);
  float* line = group + cols * kRowGroup;
  for (std::int64_t row = row_begin; row < row_end; row += kRowGroup) {
    const int rows = static_cast<int>(row_end - row < kRowGroup ? row_end - row : kRowGroup);
    for (int r = 0; r < rows; ++r) {
      DequantizeRow(type, data + (row + r) * row_bytes, line, cols);
      for (std::int64_t c = 0; c < cols; ++c) group[c * kRowGroup + r] = line[c];
    }
    for (int r = rows; r < kRowGroup; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) group[c * kRowGroup + r] = 0;
    }
    switch (isa) {
#if defined(__x86_64__)
      case CpuIsa::kAvx512Vnni:
        MatMulFloatGroupAvx512(group, x, row, rows, out);
        break;
      case CpuIsa::kAvx2:
        MatMulFloatGroupAvx2(group, x, row, rows, out);
        break;
#endif
      default:
        MatMulFloatGroupCpu(group, x, row, rows, out);
        break;
    }
  }
}

}  // namespace liubai::kernels
