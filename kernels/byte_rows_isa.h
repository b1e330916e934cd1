// kernels/byte_rows_isa.h: one instruction set's copy of kernels/byte_rows.h, declared in the
// namespace LIUBAI_BYTE_ROWS. Included once for each set, so there is no guard.
#include "kernels/byte_rows.h"

namespace liubai::kernels::LIUBAI_BYTE_ROWS {

void DotByteRows(const std::int16_t* query, const std::int8_t* rows, std::int64_t count,
                 std::int64_t dims, std::int32_t* sums);

}  // namespace liubai::kernels::LIUBAI_BYTE_ROWS
