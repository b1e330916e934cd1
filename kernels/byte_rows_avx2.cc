// AVX2 form of kernels/byte_rows.h.
#include <immintrin.h>

#define LIUBAI_BYTE_ROWS byte_rows_avx2
#include "kernels/byte_rows_isa.h"
#undef LIUBAI_BYTE_ROWS

namespace liubai::kernels::byte_rows_avx2 {
namespace {

__m256i Products(const std::int16_t* query, const std::int8_t* row) {
  return _mm256_madd_epi16(
      _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row))),
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(query)));
}

std::int32_t Sum(__m256i lanes) {
  const __m128i pairs =
      _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  const __m128i folded = _mm_add_epi32(pairs, _mm_shuffle_epi32(pairs, 0b01'00'11'10));
  return _mm_cvtsi128_si32(_mm_add_epi32(folded, _mm_shuffle_epi32(folded, 0b10'11'00'01)));
}

}  // namespace

void DotByteRows(const std::int16_t* query, const std::int8_t* rows, std::int64_t count,
                 std::int64_t dims, std::int32_t* sums) {
  for (std::int64_t at = 0; at < count; ++at) {
    const std::int8_t* row = rows + at * dims;
    __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
    std::int64_t i = 0;
    for (; i + 32 <= dims; i += 32) {
      even = _mm256_add_epi32(even, Products(query + i, row + i));
      odd = _mm256_add_epi32(odd, Products(query + i + 16, row + i + 16));
    }
    if (i + 16 <= dims) even = _mm256_add_epi32(even, Products(query + i, row + i)), i += 16;
    std::int32_t sum = Sum(_mm256_add_epi32(even, odd));
    for (; i < dims; ++i) sum += query[i] * row[i];
    sums[at] = sum;
  }
}

}  // namespace liubai::kernels::byte_rows_avx2
