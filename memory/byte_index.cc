#include "memory/byte_index.h"

#include <faiss/impl/FaissAssert.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/byte_rows.h"

namespace liubai::memory {
namespace {

const std::int8_t* Signed(const std::uint8_t* codes) {
  return reinterpret_cast<const std::int8_t*>(codes);
}

// A little more than is wanted: rows come a few at a time, and doubling would cost half the memory.
template <class T>
void MakeRoom(std::vector<T>& values, std::size_t more) {
  const std::size_t need = values.size() + more;
  if (need > values.capacity()) values.reserve(need + need / 8);
}

}  // namespace

void ByteVectors::Pack(std::span<const float> values) {
  float most = 0;
  for (const float value : values) most = std::max(most, std::abs(value));
  const float step = most / 127;
  const std::size_t begin = codes.size();
  MakeRoom(codes, values.size());
  codes.resize(begin + values.size());
  // The scale that fits all values best: one value alone, rounded to f16, would tell it worse.
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const long code = step > 0 ? std::clamp(std::lround(values[i] / step), -127L, 127L) : 0;
    codes[begin + i] = static_cast<std::uint8_t>(static_cast<std::int8_t>(code));
    products += static_cast<double>(values[i]) * static_cast<double>(code);
    squares += static_cast<double>(code * code);
  }
  scales.push_back(squares > 0 ? static_cast<float>(products / squares) : 0.0f);
}

void ByteVectors::RemoveFirst(std::int64_t count, int dimension) {
  codes.erase(codes.begin(), codes.begin() + count * dimension);
  scales.erase(scales.begin(), scales.begin() + count);
  if (scales.empty()) *this = ByteVectors();
}

void ByteQuery::Set(std::span<const float> query) {
  float most = 0;
  for (const float value : query) most = std::max(most, std::abs(value));
  const float steps =
      static_cast<float>(kernels::MostByteQuery(static_cast<std::int64_t>(query.size())));
  scale = most / steps;
  values.resize(query.size());
  for (std::size_t i = 0; i < query.size(); ++i) {
    values[i] = static_cast<std::int16_t>(
        scale > 0 ? std::clamp(std::round(query[i] / scale), -steps, steps) : 0.0f);
  }
}

float ByteQuery::Dot(const std::uint8_t* codes, float row_scale) const {
  std::int32_t sum = 0;
  kernels::DotByteRows(values.data(), Signed(codes), 1, static_cast<std::int64_t>(values.size()),
                       &sum);
  return static_cast<float>(sum) * scale * row_scale;
}

void ByteQuery::Score(const std::uint8_t* codes, const float* row_scales,
                      std::span<float> scores) const {
  constexpr std::size_t kBlock = 64;
  std::int32_t sums[kBlock];
  for (std::size_t begin = 0; begin < scores.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, scores.size() - begin);
    kernels::DotByteRows(values.data(), Signed(codes + begin * values.size()),
                         static_cast<std::int64_t>(count), static_cast<std::int64_t>(values.size()),
                         sums);
    for (std::size_t i = 0; i < count; ++i) {
      scores[begin + i] = static_cast<float>(sums[i]) * scale * row_scales[begin + i];
    }
  }
}

ByteStorage::ByteStorage(int dimension)
    : faiss::IndexScalarQuantizer(dimension, faiss::ScalarQuantizer::QT_8bit_direct,
                                  faiss::METRIC_INNER_PRODUCT) {}

ByteStorage::ByteStorage(faiss::IndexScalarQuantizer& read, std::vector<float> row_scales)
    : ByteStorage(static_cast<int>(read.d)) {
  codes = std::move(read.codes);
  scales = std::move(row_scales);
  ntotal = static_cast<idx_t>(scales.size());
}

bool ByteStorage::Fits(const faiss::IndexScalarQuantizer* read, std::int64_t rows, int dimension) {
  return read != nullptr && read->sq.qtype == faiss::ScalarQuantizer::QT_8bit_direct &&
         read->metric_type == faiss::METRIC_INNER_PRODUCT && read->d == dimension &&
         read->ntotal == rows && read->code_size == static_cast<std::size_t>(dimension) &&
         read->codes.size() == static_cast<std::size_t>(rows) * read->code_size;
}

void ByteStorage::Append(const ByteVectors& from, std::int64_t begin, std::int64_t count) {
  MakeRoom(codes, static_cast<std::size_t>(count * d));
  MakeRoom(scales, static_cast<std::size_t>(count));
  const auto first = from.codes.begin() + begin * d;
  codes.insert(codes.end(), first, first + count * d);
  scales.insert(scales.end(), from.scales.begin() + begin, from.scales.begin() + begin + count);
}

void ByteStorage::Reserve(std::int64_t rows) {
  codes.reserve(static_cast<std::size_t>(rows * d));
  scales.reserve(static_cast<std::size_t>(rows));
}

void ByteStorage::add(idx_t n, const float*) {
  FAISS_THROW_IF_NOT_MSG(static_cast<std::size_t>(ntotal + n) <= scales.size(),
                         "rows are counted that were not appended");
  ntotal += n;
}

}  // namespace liubai::memory
