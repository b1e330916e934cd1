// kernels/late_interaction.h: every token of a question against every token of a stored text, and
// for each the best on the other side: late interaction (Khattab and Zaharia 2020) over stored
// tokens of 4 bits a dimension.
//
// A stored token is `dims` codes of 4 bits, dims / 2 bytes: byte i holds dimension i in its low
// half and dimension i + dims / 2 in its high half. A code stands for levels[code]. Scores are
// exact integers: the same on every instruction set.
//
// Threads: free functions without state, on the calling thread.
// Errors:  none.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu_features.h"

namespace liubai::kernels {

using CodeLevels = std::array<std::int8_t, 16>;
inline constexpr std::int16_t kMostLateQuestion = 2047;  // So that a sum of 256 products fits.

// best_of_question[q] = max over t of dot(question[q], levels[tokens[t]]), or what it was when that
// is more; best_of_token[t] = max over q.
//   question  [questions, dims] i16, each within ±kMostLateQuestion
//   tokens  [count, dims / 2] u8     best_of_question  [questions] i32     best_of_token  [count]
//   i32
// REQUIRES: dims is a multiple of 64, at most 256; questions >= 1.
void LateInteraction(const std::int16_t* question, std::int64_t questions,
                     const std::uint8_t* tokens, std::int64_t count, std::int64_t dims,
                     const CodeLevels& levels, std::int32_t* best_of_question,
                     std::int32_t* best_of_token, CpuIsa isa = BestCpuIsa());

}  // namespace liubai::kernels
