// The plain form of kernels/late_interaction.h.
#include <algorithm>
#include <limits>

#define LIUBAI_LATE_INTERACTION late_interaction_portable
#include "kernels/late_interaction_isa.h"
#undef LIUBAI_LATE_INTERACTION

namespace liubai::kernels::late_interaction_portable {

void LateInteraction(const std::int16_t* question, std::int64_t questions,
                     const std::uint8_t* tokens, std::int64_t count, std::int64_t dims,
                     const CodeLevels& levels, std::int32_t* best_of_question,
                     std::int32_t* best_of_token) {
  const std::int64_t half = dims / 2;
  std::int16_t token[256];
  for (std::int64_t t = 0; t < count; ++t) {
    const std::uint8_t* codes = tokens + t * half;
    for (std::int64_t i = 0; i < half; ++i) {
      token[i] = levels[codes[i] & 15];
      token[half + i] = levels[codes[i] >> 4];
    }
    std::int32_t best = std::numeric_limits<std::int32_t>::min();
    for (std::int64_t q = 0; q < questions; ++q) {
      std::int32_t sum = 0;
      for (std::int64_t i = 0; i < dims; ++i) sum += question[q * dims + i] * token[i];
      best_of_question[q] = std::max(best_of_question[q], sum);
      best = std::max(best, sum);
    }
    best_of_token[t] = best;
  }
}

}  // namespace liubai::kernels::late_interaction_portable
