// Packing: from rows of a GGUF file to groups of 16 rows (kernels/matmul_layout.h). Block formats
// are those of the GGUF specification.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>

#include "core/half.h"
#include "core/reserved_memory.h"
#include "kernels/dequantize.h"
#include "kernels/matmul.h"
#include "kernels/matmul_layout.h"

namespace liubai::kernels {
namespace {

using u8 = std::uint8_t;

std::uint16_t LoadU16(const u8* p) {
  std::uint16_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

std::uint32_t LoadU32(const u8* p) {
  std::uint32_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

void StoreU16(std::byte* p, std::uint16_t value) { std::memcpy(p, &value, sizeof(value)); }

void StoreQuad(std::byte* p, const u8* q) { std::memcpy(p, q, 4); }

// Writes the quants q[32] of one row and block.
void PutQuants(int bits, const u8* q, int row, std::byte* tile) {
  std::byte* lane = tile + 4 * row;
  if (bits == 8) {
    for (int j = 0; j < 8; ++j) StoreQuad(lane + 64 * j, q + 4 * j);
    return;
  }
  for (int i = 0; i < 4; ++i) {
    u8 packed[4];
    for (int c = 0; c < 4; ++c) {
      packed[c] = static_cast<u8>((q[4 * i + c] & 15) | (q[16 + 4 * i + c] & 15) << 4);
    }
    StoreQuad(lane + 64 * i, packed);
  }
  if (bits == 5) {
    for (int j = 0; j < 8; ++j) {
      unsigned high = 0;
      for (int c = 0; c < 4; ++c) high |= static_cast<unsigned>(q[4 * j + c] >> 4) << c;
      tile[256 + 8 * j + row / 2] |= static_cast<std::byte>(high << (4 * (row % 2)));
    }
  } else if (bits == 6) {
    for (int h = 0; h < 2; ++h) {
      u8 packed[4] = {};
      for (int f = 0; f < 4; ++f) {
        for (int c = 0; c < 4; ++c) {
          packed[c] = static_cast<u8>(packed[c] | (q[16 * h + 4 * f + c] >> 4) << (2 * f));
        }
      }
      StoreQuad(lane + 256 + 64 * h, packed);
    }
  }
}

// The 6-bit scale and minimum of block j of a Q4_K or Q5_K super-block.
void ScaleAndMin(const u8* s, int j, u8* scale, u8* min) {
  if (j < 4) {
    *scale = s[j] & 63;
    *min = s[j + 4] & 63;
  } else {
    *scale = static_cast<u8>((s[j + 4] & 15) | (s[j - 4] >> 6) << 4);
    *min = static_cast<u8>((s[j + 4] >> 4) | (s[j] >> 6) << 4);
  }
}

// Packs one row of Q4_0, Q4_1, Q5_0, Q5_1 or Q8_0.
void PackRow32(DataType type, const u8* block, std::int64_t blocks, int row, std::byte* scales,
               std::byte* quants) {
  const PackedFormat format = GetPackedFormat(type);
  const std::uint32_t block_bytes = GetDataTypeInfo(type).block_bytes;
  for (std::int64_t b = 0; b < blocks; ++b, block += block_bytes) {
    StoreU16(scales + b * format.scale_bytes + 2 * row, LoadU16(block));
    const u8* rest = block + 2;
    if (format.has_min) {
      StoreU16(scales + b * format.scale_bytes + 32 + 2 * row, LoadU16(rest));
      rest += 2;
    }
    u8 q[32];
    if (format.bits == 8) {
      for (int i = 0; i < 32; ++i) q[i] = static_cast<u8>(rest[i] ^ 0x80);
    } else {
      std::uint32_t high = 0;
      if (format.bits == 5) {
        high = LoadU32(rest);
        rest += 4;
      }
      for (int i = 0; i < 16; ++i) {
        q[i] = static_cast<u8>((rest[i] & 15) | (high >> i & 1) << 4);
        q[i + 16] = static_cast<u8>(rest[i] >> 4 | (high >> (i + 16) & 1) << 4);
      }
    }
    PutQuants(format.bits, q, row, quants + b * format.quant_bytes);
  }
}

// Packs one row of Q4_K, Q5_K or Q6_K.
void PackRow256(DataType type, const u8* block, std::int64_t super_blocks, int row,
                std::byte* scales, std::byte* quants) {
  const PackedFormat format = GetPackedFormat(type);
  const std::uint32_t block_bytes = GetDataTypeInfo(type).block_bytes;
  for (std::int64_t s = 0; s < super_blocks; ++s, block += block_bytes) {
    std::byte* head = scales + s * format.scale_bytes;
    u8 q[256];
    if (type == DataType::kQ6_K) {
      StoreU16(head + 2 * row, LoadU16(block + 208));
      for (int i = 0; i < 16; ++i) {
        head[32 + 16 * i + row] = static_cast<std::byte>(block[192 + i]);
      }
      for (int half = 0; half < 2; ++half) {
        const u8* low = block + 64 * half;
        const u8* high = block + 128 + 32 * half;
        u8* out = q + 128 * half;
        for (int i = 0; i < 32; ++i) {
          out[i] = static_cast<u8>((low[i] & 15) | (high[i] & 3) << 4);
          out[i + 32] = static_cast<u8>((low[i + 32] & 15) | (high[i] >> 2 & 3) << 4);
          out[i + 64] = static_cast<u8>(low[i] >> 4 | (high[i] >> 4 & 3) << 4);
          out[i + 96] = static_cast<u8>(low[i + 32] >> 4 | (high[i] >> 6) << 4);
        }
      }
    } else {
      StoreU16(head + 2 * row, LoadU16(block));
      StoreU16(head + 32 + 2 * row, LoadU16(block + 2));
      for (int j = 0; j < 8; ++j) {
        u8 scale, min;
        ScaleAndMin(block + 4, j, &scale, &min);
        head[64 + 32 * j + row] = static_cast<std::byte>(scale);
        head[64 + 32 * j + 16 + row] = static_cast<std::byte>(min);
      }
      const u8* high = type == DataType::kQ5_K ? block + 16 : nullptr;
      const u8* low = block + (high != nullptr ? 48 : 16);
      for (int chunk = 0; chunk < 4; ++chunk) {
        for (int i = 0; i < 32; ++i) {
          const u8 nibbles = low[32 * chunk + i];
          const int bits = high != nullptr ? high[i] >> (2 * chunk) : 0;
          q[64 * chunk + i] = static_cast<u8>((nibbles & 15) | (bits & 1) << 4);
          q[64 * chunk + 32 + i] = static_cast<u8>(nibbles >> 4 | (bits >> 1 & 1) << 4);
        }
      }
    }
    for (int j = 0; j < 8; ++j) {
      PutQuants(format.bits, q + 32 * j, row, quants + (8 * s + j) * format.quant_bytes);
    }
  }
}

float LoadFloat(DataType type, const u8* p) {
  if (type == DataType::kF16) return HalfToFloat(LoadU16(p));
  if (type == DataType::kBF16) return Bfloat16ToFloat(LoadU16(p));
  return std::bit_cast<float>(LoadU32(p));
}

// Rounds one row of floats to Q8_0 and packs it.
void PackRowToQ8(DataType type, const u8* data, std::int64_t blocks, int row, std::byte* scales,
                 std::byte* quants) {
  const std::uint32_t size = GetDataTypeInfo(type).block_bytes;
  for (std::int64_t b = 0; b < blocks; ++b) {
    float x[32];
    float largest = 0;
    bool finite = true;
    for (int i = 0; i < 32; ++i) {
      x[i] = LoadFloat(type, data + (32 * b + i) * size);
      largest = std::fmax(largest, std::fabs(x[i]));
      finite = finite && std::isfinite(x[i]);
    }
    // Beyond f16's range the scale becomes infinite, and the products NaN: said, not hidden.
    const std::uint16_t scale =
        FloatToHalf(finite ? largest / 127.0f : std::numeric_limits<float>::quiet_NaN());
    const float rounded = HalfToFloat(scale);
    const float inverse = rounded > 0 && std::isfinite(rounded) ? 1 / rounded : 0;
    u8 q[32];
    for (int i = 0; i < 32; ++i) {
      const float value = finite ? std::nearbyint(x[i] * inverse) : 0.0f;
      q[i] = static_cast<u8>(static_cast<int>(std::fmin(std::fmax(value, -127.0f), 127.0f)) + 128);
    }
    StoreU16(scales + 32 * b + 2 * row, scale);
    PutQuants(8, q, row, quants + 512 * b);
  }
}

// Zeroed memory on large pages: matrices of a model are a few hundred KB each, so they share
// regions. A region is unmapped with its last matrix. Null when the system has no memory.
std::shared_ptr<std::byte[]> AllocatePacked(std::size_t bytes) {
  constexpr std::size_t kRegionBytes = std::size_t{64} << 20;
  struct Region {
    ReservedMemory memory;
    std::size_t used = 0;  // Guarded by the mutex below.
  };
  static std::mutex mutex;
  static std::weak_ptr<Region> current;
  std::lock_guard<std::mutex> lock(mutex);
  bytes = (bytes + 63) / 64 * 64;
  std::shared_ptr<Region> region = current.lock();
  if (region == nullptr || region->memory.size() - region->used < bytes) {
    region = std::make_shared<Region>();
    region->memory = ReservedMemory::Reserve(std::max(kRegionBytes, bytes));
    if (region->memory.empty()) return nullptr;
    current = region;
  }
  std::byte* data = region->memory.data() + region->used;
  region->used += bytes;
  return std::shared_ptr<std::byte[]>(std::move(region), data);
}

}  // namespace

Result<PackedMatrix> PackedMatrix::Pack(DataType type, std::span<const std::byte> data,
                                        std::int64_t rows, std::int64_t cols, ThreadPool& pool,
                                        FloatWeights float_weights) {
  const DataTypeInfo info = GetDataTypeInfo(type);
  if (info.block_elements == 0) {
    return Status(StatusCode::kUnimplemented,
                  fmt::format("a matrix of type {} cannot be packed", static_cast<unsigned>(type)));
  }
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  if (rows < 1 || cols < 1 || rows > kLimit || cols > kLimit || rows * cols > kLimit * 16) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("a matrix of {} x {} cannot be packed: 1 to {} on each side, at most "
                              "{} elements",
                              rows, cols, kLimit, kLimit * 16));
  }
  if (cols % info.block_elements != 0) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("rows of {} columns are not whole blocks of {} ({} elements)", cols,
                              info.name, info.block_elements));
  }
  const std::int64_t row_bytes = RowBytes(type, cols);
  if (static_cast<std::int64_t>(data.size()) != rows * row_bytes) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("a {} matrix of {} x {} has {} bytes, not {}", info.name, rows, cols,
                              rows * row_bytes, data.size()));
  }

  PackedMatrix packed;
  packed.rows_ = rows;
  packed.cols_ = cols;
  packed.type_ = type;
  const bool to_q8 =
      float_weights == FloatWeights::kToQ8 && packed.is_float() && cols % kActivationBlock == 0;
  if (to_q8) packed.type_ = DataType::kQ8_0;
  const PackedFormat format = GetPackedFormat(packed.type_);
  const std::int64_t quant_offset = format.bits == 0 ? 0 : QuantOffset(format, cols);
  packed.group_bytes_ =
      format.bits == 0
          ? (cols * kRowGroup * static_cast<std::int64_t>(info.block_bytes) + 63) / 64 * 64
          : quant_offset + cols / kActivationBlock * format.quant_bytes;
  const std::int64_t groups = (rows + kRowGroup - 1) / kRowGroup;
  packed.bytes_ = static_cast<std::size_t>(groups * packed.group_bytes_);

  packed.data_ = AllocatePacked(packed.bytes_);  // Zeroed: padding rows need no work.
  if (packed.data_ == nullptr) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("no memory for a packed matrix of {} bytes", packed.bytes_));
  }

  pool.Run([&](int member) {
    const WorkRange range = SplitWork(groups, member, pool.size());
    for (std::int64_t group = range.begin; group < range.end; ++group) {
      std::byte* out = packed.data_.get() + group * packed.group_bytes_;
      for (int row = 0; row < kRowGroup && group * kRowGroup + row < rows; ++row) {
        const u8* in =
            reinterpret_cast<const u8*>(data.data()) + (group * kRowGroup + row) * row_bytes;
        if (to_q8) {
          PackRowToQ8(type, in, cols / 32, row, out, out + quant_offset);
        } else if (format.bits == 0) {
          const std::size_t size = info.block_bytes;
          for (std::int64_t c = 0; c < cols; ++c) {
            std::memcpy(out + static_cast<std::size_t>(c * kRowGroup + row) * size,
                        in + static_cast<std::size_t>(c) * size, size);
          }
        } else if (format.super_blocks) {
          PackRow256(type, in, cols / 256, row, out, out + quant_offset);
        } else {
          PackRow32(type, in, cols / 32, row, out, out + quant_offset);
        }
      }
    }
  });
  return packed;
}

}  // namespace liubai::kernels
