// core/cpu_features.h: which instruction sets this processor offers, and which one the kernels use.
//
// Threads: const after the first call.
#pragma once

#include <cstdint>
#include <string_view>

namespace liubai {

// Ordered: a level includes those below it.
enum class CpuIsa : std::uint8_t {
  kPortable = 0,    // Plain C++.
  kAvx2 = 1,        // AVX2, FMA, F16C.
  kAvx512Vnni = 2,  // AVX-512 F, BW, VL, DQ, VNNI.
};

std::string_view CpuIsaName(CpuIsa isa);  // "portable", "avx2", "avx512-vnni".

// The highest level of this processor, or a lower one named by the environment variable
// LIUBAI_ISA (for tests and for reports of faults); a name that is unknown or too high is ignored.
CpuIsa BestCpuIsa();

}  // namespace liubai
