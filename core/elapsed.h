// core/elapsed.h: time that has passed on the steady clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace liubai {

inline std::int64_t MicrosSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                               start)
      .count();
}

}  // namespace liubai
