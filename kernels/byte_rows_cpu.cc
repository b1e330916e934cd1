// The plain form of kernels/byte_rows.h.
#define LIUBAI_BYTE_ROWS byte_rows_portable
#include "kernels/byte_rows_isa.h"
#undef LIUBAI_BYTE_ROWS

namespace liubai::kernels::byte_rows_portable {

void DotByteRows(const std::int16_t* query, const std::int8_t* rows, std::int64_t count,
                 std::int64_t dims, std::int32_t* sums) {
  for (std::int64_t row = 0; row < count; ++row) {
    std::int32_t sum = 0;
    for (std::int64_t i = 0; i < dims; ++i) sum += query[i] * rows[row * dims + i];
    sums[row] = sum;
  }
}

}  // namespace liubai::kernels::byte_rows_portable
