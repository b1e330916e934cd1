// The plain reference of kernels/matmul.h, on the packed layout.
#include <cmath>
#include <cstring>
#include <limits>

#include "core/half.h"
#include "kernels/matmul_layout.h"

namespace liubai::kernels {
namespace {

template <class T>
T Load(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

template <class T>
void Store(std::byte* p, T value) {
  std::memcpy(p, &value, sizeof(value));
}

int U8(std::byte b) { return static_cast<int>(b); }

// The quant of `row` and column `c` < 32 in a block's quants.
int Quant(const PackedFormat& format, const std::byte* tile, int row, int c) {
  const int quad = c / 4;
  const int lane = 4 * row + c % 4;
  if (format.bits == 8) return U8(tile[64 * quad + lane]);
  int q = U8(tile[64 * (quad % 4) + lane]) >> (quad < 4 ? 0 : 4) & 15;
  if (format.bits == 5) q |= (U8(tile[256 + 8 * quad + lane / 8]) >> (lane % 8) & 1) << 4;
  if (format.bits == 6) {
    q |= (U8(tile[256 + 64 * (quad / 4) + lane]) >> (2 * (quad % 4)) & 3) << 4;
  }
  return q;
}

// The scales of columns [0, 16) and [16, 32) and the minimum of `row` in block b.
struct Scales {
  float scale[2];
  float min;
};
Scales ReadScales(const PackedFormat& format, const std::byte* scales, std::int64_t b, int row) {
  if (!format.super_blocks) {
    const std::byte* p = scales + b * format.scale_bytes + 2 * row;
    const float d = HalfToFloat(Load<std::uint16_t>(p));
    return {{d, d}, format.has_min ? HalfToFloat(Load<std::uint16_t>(p + 32)) : 0.0f};
  }
  const std::byte* head = scales + b / 8 * format.scale_bytes;
  const float d = HalfToFloat(Load<std::uint16_t>(head + 2 * row));
  if (format.bits == 6) {
    const std::byte* p = head + 32 + 32 * (b % 8) + row;
    return {{d * static_cast<float>(static_cast<std::int8_t>(p[0])),
             d * static_cast<float>(static_cast<std::int8_t>(p[16]))},
            0.0f};
  }
  const float min = HalfToFloat(Load<std::uint16_t>(head + 32 + 2 * row));
  const std::byte* p = head + 64 + 32 * (b % 8) + row;
  const float scale = d * static_cast<float>(U8(p[0]));
  return {{scale, scale}, -min * static_cast<float>(U8(p[16]))};
}

void Write(const MatMulOutput& out, std::int64_t token, std::int64_t row, float value) {
  float* place = out.data + token * out.stride + row;
  if (out.bias != nullptr) value += out.bias[row];
  *place = out.accumulate ? *place + value : value;
}

float ReadFloat(DataType type, const std::byte* group, std::int64_t index) {
  if (type == DataType::kF16) return HalfToFloat(Load<std::uint16_t>(group + 2 * index));
  if (type == DataType::kBF16) return Bfloat16ToFloat(Load<std::uint16_t>(group + 2 * index));
  return Load<float>(group + 4 * index);
}

void FloatGroup(DataType type, const std::byte* group, const Activations& x, std::int64_t row,
                int rows, const MatMulOutput& out) {
  for (std::int64_t token = 0; token < x.tokens; ++token) {
    float sums[kRowGroup] = {};
    for (std::int64_t c = 0; c < x.cols; ++c) {
      const float value = x.x[token * x.x_stride + c];
      for (int r = 0; r < kRowGroup; ++r) {
        sums[r] += ReadFloat(type, group, c * kRowGroup + r) * value;
      }
    }
    for (int r = 0; r < rows; ++r) Write(out, token, row + r, sums[r]);
  }
}

}  // namespace

void QuantizeActivationsCpu(const Activations& a, std::int64_t token_begin, std::int64_t token_end,
                            std::int64_t col_begin, std::int64_t col_end) {
  const std::int64_t blocks = a.cols / kActivationBlock;
  for (std::int64_t token = token_begin; token < token_end; ++token) {
    const std::int64_t tile = token / kTokenTile * kTokenTile;
    const std::int64_t left = a.tokens - tile;
    const std::int64_t width = left < kTokenTile ? left : kTokenTile;
    const std::int64_t t = token - tile;
    for (std::int64_t b = col_begin / 32; b < col_end / 32; ++b) {
      const float* x = a.x + token * a.x_stride + 32 * b;
      float largest = 0;
      bool finite = true;
      for (int i = 0; i < 32; ++i) {
        const float magnitude = std::fabs(x[i]);
        largest = magnitude > largest ? magnitude : largest;
        finite = finite && magnitude <= std::numeric_limits<float>::max();
      }
      // Below 2^-100 the inverse of the scale would overflow; such values count as zero.
      const bool zero = !finite || largest < 0x1p-100f;
      const float scale =
          finite ? (zero ? 0.0f : largest / 127.0f) : std::numeric_limits<float>::quiet_NaN();
      const float inverse = zero ? 0.0f : 127.0f / largest;
      std::byte* block = a.quantized + (tile * blocks + b * width) * kActivationBlockBytes;
      int sums[2] = {0, 0};
      for (int i = 0; i < 32; ++i) {
        const int q = zero ? 0 : static_cast<int>(std::lrint(x[i] * inverse));
        block[32 * t + i] = static_cast<std::byte>(q);
        sums[i / 16] += q;
      }
      std::byte* tail = block + 32 * width + 4 * t;
      const int sum = sums[0] + sums[1];
      Store(tail, scale);
      Store(tail + 4 * width, scale * static_cast<float>(sum));
      Store(tail + 8 * width, -128 * sum);
      Store(tail + 12 * width, -128 * sums[0]);
      Store(tail + 16 * width, -128 * sums[1]);
    }
  }
}

void MatMulCpu(const PackedMatrix& w, const Activations& x, std::int64_t row_begin,
               std::int64_t row_end, const MatMulOutput& out) {
  const PackedFormat format = GetPackedFormat(w.type());
  const std::int64_t blocks = w.cols() / kActivationBlock;
  for (std::int64_t row = row_begin; row < row_end; row += kRowGroup) {
    const std::byte* group = w.group(row / kRowGroup);
    const int rows = static_cast<int>(row_end - row < kRowGroup ? row_end - row : kRowGroup);
    if (w.is_float()) {
      FloatGroup(w.type(), group, x, row, rows, out);
      continue;
    }
    const std::byte* quants = group + QuantOffset(format, w.cols());
    for (std::int64_t token = 0; token < x.tokens; ++token) {
      const std::int64_t tile = token / kTokenTile * kTokenTile;
      const std::int64_t left = x.tokens - tile;
      const std::int64_t width = left < kTokenTile ? left : kTokenTile;
      const std::int64_t t = token - tile;
      for (int r = 0; r < rows; ++r) {
        float sum = 0;
        for (std::int64_t b = 0; b < blocks; ++b) {
          const std::byte* block =
              x.quantized + (tile * blocks + b * width) * kActivationBlockBytes;
          const std::byte* tail = block + 32 * width + 4 * t;
          const Scales scales = ReadScales(format, group, b, r);
          int dots[2] = {0, 0};
          for (int c = 0; c < 32; ++c) {
            const int weight = Quant(format, quants + b * format.quant_bytes, r, c) - format.zero;
            dots[c / 16] += weight * static_cast<std::int8_t>(block[32 * t + c]);
          }
          const float scale = Load<float>(tail);
          sum += scale * (scales.scale[0] * static_cast<float>(dots[0]) +
                          scales.scale[1] * static_cast<float>(dots[1]));
          sum += scales.min * Load<float>(tail + 4 * width);
        }
        Write(out, token, row + r, sum);
      }
    }
  }
}

void MatMulFloatGroupCpu(const float* group, const Activations& x, std::int64_t row, int rows,
                         const MatMulOutput& out) {
  FloatGroup(DataType::kF32, reinterpret_cast<const std::byte*>(group), x, row, rows, out);
}

}  // namespace liubai::kernels
