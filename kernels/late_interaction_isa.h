// kernels/late_interaction_isa.h: one instruction set's copy of kernels/late_interaction.h,
// declared in the namespace LIUBAI_LATE_INTERACTION. Included once for each set, so there is no
// guard.
#include "kernels/late_interaction.h"

namespace liubai::kernels::LIUBAI_LATE_INTERACTION {

void LateInteraction(const std::int16_t* question, std::int64_t questions,
                     const std::uint8_t* tokens, std::int64_t count, std::int64_t dims,
                     const CodeLevels& levels, std::int32_t* best_of_question,
                     std::int32_t* best_of_token);

}  // namespace liubai::kernels::LIUBAI_LATE_INTERACTION
