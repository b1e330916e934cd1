#include "core/cpu_features.h"

#include <cstdlib>

namespace liubai {
namespace {

CpuIsa DetectIsa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("f16c")) {
    return CpuIsa::kPortable;
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vnni")) {
    return CpuIsa::kAvx512Vnni;
  }
  return CpuIsa::kAvx2;
#else
  return CpuIsa::kPortable;
#endif
}

CpuIsa ChooseIsa() {
  const CpuIsa best = DetectIsa();
  const char* wanted = std::getenv("LIUBAI_ISA");
  if (wanted == nullptr) return best;
  for (const CpuIsa isa : {CpuIsa::kPortable, CpuIsa::kAvx2, CpuIsa::kAvx512Vnni}) {
    if (CpuIsaName(isa) == wanted && isa <= best) return isa;
  }
  return best;
}

}  // namespace

std::string_view CpuIsaName(CpuIsa isa) {
  switch (isa) {
    case CpuIsa::kPortable:
      return "portable";
    case CpuIsa::kAvx2:
      return "avx2";
    case CpuIsa::kAvx512Vnni:
      return "avx512-vnni";
  }
  return "unknown";
}

CpuIsa BestCpuIsa() {
  static const CpuIsa isa = ChooseIsa();
  return isa;
}

}  // namespace liubai
