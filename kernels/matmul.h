// kernels/matmul.h: products of weight matrices with activations on the CPU.
//
// Weights [rows, cols] are packed once, when a model is loaded: 16 rows side by side, in blocks of
// 32 columns, in the precision of the file, so that one 512-bit instruction serves 16 rows and
// decoding streams memory. Activations are quantised to 8 bits in blocks of 32 columns (float
// scale), unless the weights are floats: those are multiplied with the float32 activations. One
// packed layout serves every instruction set.
//
// Errors:  Pack reports kInvalidArgument (shape, size) and kResourceExhausted (memory). The rest
// cannot
//          fail. A value that is not finite makes the products of its token NaN, never garbage.
// Threads: MatMul and QuantizeActivations run in the calling thread, on the range they are given;
//          callers split the ranges over the members of a ThreadPool. Distinct ranges may run
//          together.
// Units:   *_bytes; ranges are half-open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/cpu_features.h"
#include "core/thread_pool.h"
#include "kernels/data_type.h"
#include "liubai/status.h"

namespace liubai::kernels {

inline constexpr std::int64_t kRowGroup = 16;         // Rows that are packed side by side.
inline constexpr std::int64_t kActivationBlock = 32;  // Columns that share an activation scale.

// What becomes of F32, F16 and BF16 weights.
enum class FloatWeights : std::uint8_t {
  kKeep,  // Packed as they are and multiplied with float32 activations.
  kToQ8,  // Rounded to Q8_0 where cols % 32 == 0: about twice as fast, four times less exact.
};

class PackedMatrix {
 public:
  PackedMatrix() = default;
  PackedMatrix(PackedMatrix&&) = default;
  PackedMatrix& operator=(PackedMatrix&&) = default;

  // `data` is [rows, cols] of `type`, laid out as in a GGUF file; it is not needed afterwards.
  // kInvalidArgument: rows or cols < 1, cols not whole blocks, data of another size.
  static Result<PackedMatrix> Pack(DataType type, std::span<const std::byte> data,
                                   std::int64_t rows, std::int64_t cols, ThreadPool& pool,
                                   FloatWeights float_weights = FloatWeights::kKeep);

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  // The type as packed: kQ8_0 after FloatWeights::kToQ8.
  DataType type() const { return type_; }
  // Whether MatMul reads Activations::x (true) or Activations::quantized (false).
  bool is_float() const {
    return type_ == DataType::kF32 || type_ == DataType::kF16 || type_ == DataType::kBF16;
  }
  // Memory held.
  std::size_t bytes() const { return bytes_; }

  // For the kernels: the group of rows 16 * group ..., see kernels/matmul_layout.h.
  const std::byte* group(std::int64_t group) const { return data_.get() + group * group_bytes_; }

 private:
  // In memory that matrices share, so that small ones lie on large pages too.
  std::shared_ptr<std::byte[]> data_;
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  std::int64_t group_bytes_ = 0;
  std::size_t bytes_ = 0;
  DataType type_ = DataType::kF32;
};

// A view of the activations of some tokens, in one or both forms.
struct Activations {
  std::int64_t tokens = 0;
  std::int64_t cols = 0;
  const float* x = nullptr;        // [tokens, x_stride] f32; read by float matrices only.
  std::int64_t x_stride = 0;       // >= cols.
  std::byte* quantized = nullptr;  // ActivationBytes(tokens, cols), aligned to 64; else null.
};

// Size of Activations::quantized. REQUIRES: cols % kActivationBlock == 0.
std::size_t ActivationBytes(std::int64_t tokens, std::int64_t cols);

// Fills columns [col_begin, col_end) of tokens [token_begin, token_end) of a.quantized from a.x,
// whose x_stride and cols count. Members may share the work by tokens or by columns: in decoding,
// the member that computed a range of columns quantises it before the barrier. REQUIRES: col_begin
// and col_end are multiples of kActivationBlock.
void QuantizeActivations(const Activations& a, std::int64_t token_begin, std::int64_t token_end,
                         std::int64_t col_begin, std::int64_t col_end, CpuIsa isa = BestCpuIsa());

struct MatMulOutput {
  float* data = nullptr;  // [tokens, stride] f32: token t and matrix row r meet at t * stride + r.
  std::int64_t stride = 0;      // >= the matrix's rows.
  const float* bias = nullptr;  // [rows] f32, added; null: none.
  bool accumulate = false;      // Adds to what is there (a residual) instead of replacing it.
};

// out[t, r] (+)= sum over c of w[r, c] * x[t, c] (+ bias[r]) for every token and r in [row_begin,
// row_end). REQUIRES: w.cols() == x.cols; row_begin % 16 == 0; row_end % 16 == 0 or row_end ==
// w.rows(); the form of x that w.is_float() names is filled.
void MatMul(const PackedMatrix& w, const Activations& x, std::int64_t row_begin,
            std::int64_t row_end, const MatMulOutput& out, CpuIsa isa = BestCpuIsa());

// The same with float32 arithmetic on weights that are dequantised on the fly from the rows of a
// model file: the exact mode, for tests and for measuring what quantised activations cost.
//   data     [rows, cols] of `type`, as in a GGUF file
//   scratch  at least ExactScratchFloats(cols) floats, for this thread alone
// REQUIRES: x.x is filled; cols are whole blocks of `type`; any row_begin <= row_end.
std::size_t ExactScratchFloats(std::int64_t cols);
void MatMulExact(DataType type, const std::byte* data, const Activations& x, std::int64_t row_begin,
                 std::int64_t row_end, const MatMulOutput& out, std::span<float> scratch,
                 CpuIsa isa = BestCpuIsa());

}  // namespace liubai::kernels
