// Dispatch of kernels/byte_rows.h.
#include "kernels/byte_rows.h"

#include <cassert>

#define LIUBAI_BYTE_ROWS byte_rows_portable
#include "kernels/byte_rows_isa.h"
#undef LIUBAI_BYTE_ROWS
#define LIUBAI_BYTE_ROWS byte_rows_avx2
#include "kernels/byte_rows_isa.h"
#undef LIUBAI_BYTE_ROWS

namespace liubai::kernels {

void DotByteRows(const std::int16_t* query, const std::int8_t* rows, std::int64_t count,
                 std::int64_t dims, std::int32_t* sums, CpuIsa isa) {
  assert(count >= 0 && dims >= 1);
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx512Vnni:  // Memory is what it waits for: 256 bits suffice.
    case CpuIsa::kAvx2:
      return byte_rows_avx2::DotByteRows(query, rows, count, dims, sums);
#endif
    default:
      return byte_rows_portable::DotByteRows(query, rows, count, dims, sums);
  }
}

}  // namespace liubai::kernels
