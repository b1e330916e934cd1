// Dispatch of kernels/late_interaction.h.
#include "kernels/late_interaction.h"

#include <cassert>

#define LIUBAI_LATE_INTERACTION late_interaction_portable
#include "kernels/late_interaction_isa.h"
#undef LIUBAI_LATE_INTERACTION
#define LIUBAI_LATE_INTERACTION late_interaction_avx2
#include "kernels/late_interaction_isa.h"
#undef LIUBAI_LATE_INTERACTION

namespace liubai::kernels {

void LateInteraction(const std::int16_t* question, std::int64_t questions,
                     const std::uint8_t* tokens, std::int64_t count, std::int64_t dims,
                     const CodeLevels& levels, std::int32_t* best_of_question,
                     std::int32_t* best_of_token, CpuIsa isa) {
  assert(dims % 64 == 0 && dims <= 256 && questions >= 1);
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx512Vnni:  // The work is a hundredth of a search: 256 bits suffice.
    case CpuIsa::kAvx2:
      return late_interaction_avx2::LateInteraction(question, questions, tokens, count, dims,
                                                    levels, best_of_question, best_of_token);
#endif
    default:
      return late_interaction_portable::LateInteraction(question, questions, tokens, count, dims,
                                                        levels, best_of_question, best_of_token);
  }
}

}  // namespace liubai::kernels
