// memory/byte_index.h: vectors in 8 bits a value with a scale each, which is what the store keeps
// of them, and FAISS's storage over such rows: a quarter of float32 in memory and in files, and
// integer products in place of float ones.
//
// Errors:  containers and FAISS throw; the caller turns that into a Status.
// Threads: const methods may run together.
#pragma once

#include <faiss/IndexScalarQuantizer.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace liubai::memory {

struct ByteVectors {
  std::vector<std::uint8_t> codes;  // [rows, dimension], each a signed byte.
  std::vector<float> scales;        // [rows]; a value is its byte times this.

  std::int64_t rows() const { return static_cast<std::int64_t>(scales.size()); }
  // Values that came from bytes and a scale become the same bytes again.
  void Pack(std::span<const float> values);
  void RemoveFirst(std::int64_t count, int dimension);
};

// A question in 16 bits.
struct ByteQuery {
  std::vector<std::int16_t> values;
  float scale = 0;

  ByteQuery() = default;
  explicit ByteQuery(std::span<const float> query) { Set(query); }
  void Set(std::span<const float> query);
  // The product with one row.
  float Dot(const std::uint8_t* codes, float row_scale) const;
  // scores[i] = this · row i
  void Score(const std::uint8_t* codes, const float* row_scales, std::span<float> scores) const;
};

// For FAISS an IndexScalarQuantizer of kind 8bit_direct, as which it is written. FAISS's own
// reading of the codes, unsigned and without a scale, is never used.
class ByteStorage final : public faiss::IndexScalarQuantizer {
 public:
  explicit ByteStorage(int dimension);
  // What read_index made of a file. REQUIRES: Fits(&read, scales.size(), dimension).
  ByteStorage(faiss::IndexScalarQuantizer& read, std::vector<float> scales);
  static bool Fits(const faiss::IndexScalarQuantizer* read, std::int64_t rows, int dimension);

  std::vector<float> scales;  // [rows], beside `codes`.

  // Rows of `from`; add() counts them.
  void Append(const ByteVectors& from, std::int64_t begin, std::int64_t count);
  void Reserve(std::int64_t rows);
  void add(idx_t n, const float* x) override;
};

}  // namespace liubai::memory
