#include "memory/vector_lists.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace liubai::memory {
namespace {

constexpr int kRounds = 6;            // Of k-means: later ones hardly move a row.
constexpr std::int64_t kSample = 48;  // Rows for each list to train on.
constexpr std::int64_t kFewLists = 16;

std::int64_t ListsFor(std::int64_t rows) {
  const double lists = 2 * std::sqrt(static_cast<double>(rows));
  return std::clamp(std::llround(lists), static_cast<long long>(kFewLists),
                    static_cast<long long>(VectorLists::kMostLists));
}

// A row as a question: its own bytes, so that no rounding comes in.
void SetRow(ByteQuery& query, const std::uint8_t* codes, float scale, int dimension) {
  const auto* const values = reinterpret_cast<const std::int8_t*>(codes);
  query.values.assign(values, values + dimension);
  query.scale = scale;
}

}  // namespace

VectorLists::VectorLists(std::span<const std::uint8_t> codes, std::span<const float> scales,
                         int dimension)
    : dimension_(dimension) {
  Train(codes, scales);
  members_.resize(static_cast<std::size_t>(centroids_.rows()));
  std::vector<float> scores;
  for (std::size_t row = 0; row < scales.size(); ++row) {
    Add(ListOf(codes.data() + row * static_cast<std::size_t>(dimension), scales[row], scores));
  }
  trained_rows_ = rows_;
}

VectorLists::VectorLists(ByteVectors centroids, std::span<const std::uint16_t> of_row,
                         std::int64_t trained_rows, int dimension)
    : dimension_(dimension), trained_rows_(trained_rows), centroids_(std::move(centroids)) {
  members_.resize(static_cast<std::size_t>(centroids_.rows()));
  std::vector<std::size_t> counts(members_.size());
  for (const std::uint16_t list : of_row) ++counts[list];
  for (std::size_t i = 0; i < counts.size(); ++i) members_[i].reserve(counts[i]);
  for (const std::uint16_t list : of_row) {
    members_[list].push_back(static_cast<std::uint32_t>(rows_++));
  }
}

void VectorLists::Train(std::span<const std::uint8_t> codes, std::span<const float> scales) {
  const std::int64_t all = static_cast<std::int64_t>(scales.size());
  const std::int64_t lists = std::min(ListsFor(all), std::max<std::int64_t>(all, 1));
  const std::int64_t sample = std::min(all, kSample * lists);
  const std::size_t dimension = static_cast<std::size_t>(dimension_);
  const auto SampleRow = [&](std::int64_t i) { return i * all / sample; };
  // The first centroids are rows spread over all of them.
  for (std::int64_t i = 0; i < lists; ++i) {
    const std::int64_t row = SampleRow(i * sample / lists);
    centroids_.codes.insert(centroids_.codes.end(), codes.begin() + row * dimension_,
                            codes.begin() + (row + 1) * dimension_);
    centroids_.scales.push_back(scales[row]);
  }
  std::vector<float> scores(static_cast<std::size_t>(lists));
  for (int round = 0; round < kRounds; ++round) {
    std::vector<float> sums(static_cast<std::size_t>(lists) * dimension);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(lists));
    for (std::int64_t i = 0; i < sample; ++i) {
      const std::int64_t row = SampleRow(i);
      const std::uint8_t* const of_row = codes.data() + row * dimension_;
      const std::uint16_t list = ListOf(of_row, scales[row], scores);
      ++counts[list];
      float* const sum = sums.data() + list * dimension;
      for (std::size_t d = 0; d < dimension; ++d) {
        sum[d] += scales[row] * static_cast<float>(static_cast<std::int8_t>(of_row[d]));
      }
    }
    ByteVectors moved;
    for (std::int64_t list = 0; list < lists; ++list) {
      const std::span<float> sum(sums.data() + static_cast<std::size_t>(list) * dimension,
                                 dimension);
      const float length = std::sqrt(std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0f));
      if (counts[list] == 0 || !(length > 0)) {
        // Nobody's: another row may make more of it.
        const std::int64_t row = SampleRow((list * 7919 + round * 104729) % sample);
        for (std::size_t d = 0; d < dimension; ++d) {
          sum[d] = scales[row] * static_cast<float>(static_cast<std::int8_t>(
                                     codes[static_cast<std::size_t>(row) * dimension + d]));
        }
      } else {
        for (float& value : sum) value /= length;
      }
      moved.Pack(sum);
    }
    centroids_ = std::move(moved);
  }
}

std::uint16_t VectorLists::ListOf(const std::uint8_t* codes, float scale,
                                  std::vector<float>& scores) const {
  static thread_local ByteQuery query;
  SetRow(query, codes, scale, dimension_);
  scores.resize(static_cast<std::size_t>(centroids_.rows()));
  query.Score(centroids_.codes.data(), centroids_.scales.data(), scores);
  return static_cast<std::uint16_t>(std::ranges::max_element(scores) - scores.begin());
}

std::vector<std::uint16_t> VectorLists::ListsOf(const ByteVectors& rows) const {
  std::vector<std::uint16_t> of_row;
  std::vector<float> scores;
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    of_row.push_back(ListOf(rows.codes.data() + row * dimension_, rows.scales[row], scores));
  }
  return of_row;
}

std::vector<std::uint16_t> VectorLists::OfRows() const {
  std::vector<std::uint16_t> of_row(static_cast<std::size_t>(rows_));
  for (std::size_t list = 0; list < members_.size(); ++list) {
    for (const std::uint32_t row : members_[list]) of_row[row] = static_cast<std::uint16_t>(list);
  }
  return of_row;
}

std::vector<std::uint32_t> VectorLists::Nearest(const ByteQuery& query) const {
  std::vector<float> scores(static_cast<std::size_t>(centroids_.rows()));
  query.Score(centroids_.codes.data(), centroids_.scales.data(), scores);
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  return order;
}

}  // namespace liubai::memory
