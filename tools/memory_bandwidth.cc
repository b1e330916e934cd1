#include "tools/memory_bandwidth.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "core/reserved_memory.h"
#include "core/thread_pool.h"

namespace liubai::tools {

double ReadBandwidth(int threads) {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  constexpr int kPasses = 4, kLanes = 32;
  const ReservedMemory memory = ReservedMemory::Reserve(kBytes);
  if (memory.empty()) return 0;
  auto* words = reinterpret_cast<std::uint64_t*>(memory.data());
  const std::size_t count = kBytes / sizeof(std::uint64_t);
  ThreadPool pool(threads);
  const std::size_t share = count / static_cast<std::size_t>(pool.size()) / kLanes * kLanes;
  std::atomic<std::uint64_t> sink{0};
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    pool.Run([&](int member) {
      std::uint64_t* mine = words + share * static_cast<std::size_t>(member);
      if (pass == 0) {  // Untouched memory would be one page of zeros.
        std::fill(mine, mine + share, static_cast<std::uint64_t>(member) + 1);
        return;
      }
      std::uint64_t sums[kLanes] = {};
      for (std::size_t i = 0; i < share; i += kLanes) {
        for (int lane = 0; lane < kLanes; ++lane) sums[lane] += mine[i + lane];
      }
      std::uint64_t sum = 0;
      for (const std::uint64_t part : sums) sum += part;
      sink.fetch_add(sum, std::memory_order_relaxed);
    });
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto bytes = static_cast<double>(share * sizeof(std::uint64_t)) * pool.size();
    if (pass > 0 && seconds > 0) best = std::max(best, bytes / seconds);
  }
  return best;
}

}  // namespace liubai::tools
