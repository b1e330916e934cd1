// memory/vector_lists.h: an inverted file over rows of bytes: each row belongs to the list of its
// nearest centroid (spherical k-means), and a search compares the rows of the nearest lists only.
// Two bytes a row in a file, four in memory; new rows go to a list at once, without training.
//
// Errors:  containers throw; the caller turns that into a Status.
// Threads: const methods may run together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/byte_index.h"

namespace liubai::memory {

class VectorLists {
 public:
  static constexpr std::int64_t kMostLists = 16384;

  VectorLists() = default;  // No lists: everything is compared.
  // Trained on a sample of these rows, all of which are assigned.
  VectorLists(std::span<const std::uint8_t> codes, std::span<const float> scales, int dimension);
  // As a file has it. REQUIRES: each of `of_row` is below centroids.rows().
  VectorLists(ByteVectors centroids, std::span<const std::uint16_t> of_row,
              std::int64_t trained_rows, int dimension);

  bool empty() const { return members_.empty(); }
  std::int64_t rows() const { return rows_; }
  std::int64_t trained_rows() const { return trained_rows_; }
  const ByteVectors& centroids() const { return centroids_; }
  // Four times as many rows as when the centroids were made deserve new ones.
  bool stale() const { return !empty() && rows_ > 4 * trained_rows_; }

  // The nearest list of each.
  std::vector<std::uint16_t> ListsOf(const ByteVectors& rows) const;
  // The next row.
  void Add(std::uint16_t list) { members_[list].push_back(static_cast<std::uint32_t>(rows_++)); }
  std::vector<std::uint16_t> OfRows() const;  // The list of each row.

  // Numbers of the lists, nearest first.
  std::vector<std::uint32_t> Nearest(const ByteQuery& query) const;
  std::span<const std::uint32_t> members(std::uint32_t list) const { return members_[list]; }

 private:
  // The nearest centroid.
  std::uint16_t ListOf(const std::uint8_t* codes, float scale, std::vector<float>& scores) const;
  void Train(std::span<const std::uint8_t> codes, std::span<const float> scales);

  int dimension_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t trained_rows_ = 0;
  ByteVectors centroids_;
  std::vector<std::vector<std::uint32_t>> members_;  // Rows of each list, in order.
};

}  // namespace liubai::memory
