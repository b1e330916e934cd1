#include "core/thread_pool.h"

#include <sched.h>

#include <system_error>

namespace liubai {
namespace {

// About 50 us of spinning before the thread sleeps in the kernel.
constexpr int kSpins = 20000;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Returns once `word` is no longer `old`.
template <class T>
void AwaitChange(const std::atomic<T>& word, T old) {
  for (int i = 0; i < kSpins; ++i) {
    if (word.load(std::memory_order_acquire) != old) return;
    Pause();
  }
  while (word.load(std::memory_order_acquire) == old) word.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  workers_.reserve(static_cast<std::size_t>(threads > 0 ? threads - 1 : 0));
  for (int member = 1; member < threads; ++member) {
    try {
      workers_.emplace_back([this, member] { Work(member); });
    } catch (const std::system_error&) {
      break;
    }
    ++size_;
  }
}

ThreadPool::~ThreadPool() {
  stop_.store(true, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::RunRaw(RawBody body, void* argument) {
  body_ = body;
  argument_ = argument;
  running_.store(size_ - 1, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  body(argument, 0);
  for (int left = running_.load(std::memory_order_acquire); left != 0;
       left = running_.load(std::memory_order_acquire)) {
    AwaitChange(running_, left);
  }
}

void ThreadPool::Work(int member) {
  std::uint32_t seen = 0;
  for (;;) {
    AwaitChange(epoch_, seen);
    ++seen;
    if (stop_.load(std::memory_order_relaxed)) return;
    body_(argument_, member);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
  }
}

void ThreadPool::Barrier() {
  if (size_ == 1) return;
  const std::uint32_t epoch = barrier_epoch_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    arrived_.store(0, std::memory_order_relaxed);
    barrier_epoch_.fetch_add(1, std::memory_order_release);
    barrier_epoch_.notify_all();
  } else {
    AwaitChange(barrier_epoch_, epoch);
  }
}

int AvailableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace liubai
