// AVX2 form of kernels/late_interaction.h: a token is widened once and stays in registers.
#include <immintrin.h>

#include <algorithm>
#include <limits>

#define LIUBAI_LATE_INTERACTION late_interaction_avx2
#include "kernels/late_interaction_isa.h"
#undef LIUBAI_LATE_INTERACTION

namespace liubai::kernels::late_interaction_avx2 {
namespace {

std::int32_t Sum(__m256i lanes) {
  const __m128i pairs =
      _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  const __m128i folded = _mm_add_epi32(pairs, _mm_shuffle_epi32(pairs, 0b01'00'11'10));
  return _mm_cvtsi128_si32(_mm_add_epi32(folded, _mm_shuffle_epi32(folded, 0b10'11'00'01)));
}

// kWide: registers of 16 dimensions that a token takes.
template <int kWide>
void Interact(const std::int16_t* question, std::int64_t questions, const std::uint8_t* tokens,
              std::int64_t count, const CodeLevels& levels, std::int32_t* best_of_question,
              std::int32_t* best_of_token) {
  constexpr std::int64_t kDims = kWide * 16;
  const __m256i table =
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(levels.data())));
  const __m256i low = _mm256_set1_epi8(15);
  for (std::int64_t t = 0; t < count; ++t) {
    const std::uint8_t* codes = tokens + t * kDims / 2;
    __m256i token[kWide];
    for (int i = 0; i < kWide / 4; ++i) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + i * 32));
      const __m256i first = _mm256_shuffle_epi8(table, _mm256_and_si256(bytes, low));
      const __m256i second =
          _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low));
      token[i * 2] = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(first));
      token[i * 2 + 1] = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(first, 1));
      token[kWide / 2 + i * 2] = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(second));
      token[kWide / 2 + i * 2 + 1] = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(second, 1));
    }
    std::int32_t best = std::numeric_limits<std::int32_t>::min();
    for (std::int64_t q = 0; q < questions; ++q) {
      const auto* row = reinterpret_cast<const __m256i*>(question + q * kDims);
      __m256i sums = _mm256_setzero_si256();
      for (int i = 0; i < kWide; ++i) {
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_loadu_si256(row + i), token[i]));
      }
      const std::int32_t sum = Sum(sums);
      best_of_question[q] = std::max(best_of_question[q], sum);
      best = std::max(best, sum);
    }
    best_of_token[t] = best;
  }
}

}  // namespace

void LateInteraction(const std::int16_t* question, std::int64_t questions,
                     const std::uint8_t* tokens, std::int64_t count, std::int64_t dims,
                     const CodeLevels& levels, std::int32_t* best_of_question,
                     std::int32_t* best_of_token) {
  switch (dims) {
    case 64:
      return Interact<4>(question, questions, tokens, count, levels, best_of_question,
                         best_of_token);
    case 128:
      return Interact<8>(question, questions, tokens, count, levels, best_of_question,
                         best_of_token);
    case 192:
      return Interact<12>(question, questions, tokens, count, levels, best_of_question,
                          best_of_token);
    default:
      return Interact<16>(question, questions, tokens, count, levels, best_of_question,
                          best_of_token);
  }
}

}  // namespace liubai::kernels::late_interaction_avx2
