// liubai/types.h: the small types that every part of the SDK shares.
#pragma once

#include <cstdint>

namespace liubai::inline v1 {

// An index into a model's vocabulary; never negative where a token is meant.
using TokenId = std::int32_t;

}  // namespace liubai::inline v1
