// kernels/byte_rows.h: one vector of 16 bits against rows of 8 bits: the scan and the lists of a
// vector index. Sums are exact integers: the same on every instruction set.
//
// Threads: free functions without state, on the calling thread.
// Errors:  none.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cpu_features.h"

namespace liubai::kernels {

// The largest value of a query such that no sum over `dims` products with bytes leaves 32 bits.
constexpr std::int32_t MostByteQuery(std::int64_t dims) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(INT32_MAX / (128 * std::max<std::int64_t>(dims, 1)), 1, INT16_MAX));
}

// sums[i] = dot(query, rows[i])
//   query  [dims] i16, each within ±MostByteQuery(dims)     rows  [count, dims] i8
//   sums  [count] i32
void DotByteRows(const std::int16_t* query, const std::int8_t* rows, std::int64_t count,
                 std::int64_t dims, std::int32_t* sums, CpuIsa isa = BestCpuIsa());

}  // namespace liubai::kernels
