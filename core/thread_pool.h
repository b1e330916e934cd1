// core/thread_pool.h: a fixed team of threads that runs one parallel region at a time.
//
// A region is entered by Run and executed once by every member, the caller being member 0. Inside
// it, Barrier lets all members meet; both spin for a while before they sleep, since the regions of
// a decode step are shorter than a system call.
//
// Errors:  the constructor falls back to fewer threads when the system refuses one; see size().
// Threads: Run may be called by one thread at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace liubai {

class ThreadPool {
 public:
  // REQUIRES: threads >= 1.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return size_; }

  // Calls body(member) on every member and returns when all are done. REQUIRES: not called from a
  // body.
  template <class Body>
  void Run(Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    RunRaw([](void* self, int member) { (*static_cast<Plain*>(self))(member); },
           const_cast<void*>(static_cast<const void*>(&body)));
  }

  // Waits until every member has called it. REQUIRES: called by all members, inside Run.
  void Barrier();

 private:
  using RawBody = void (*)(void*, int);
  void RunRaw(RawBody body, void* argument);
  void Work(int member);

  int size_ = 1;
  std::vector<std::thread> workers_;
  RawBody body_ = nullptr;
  void* argument_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> epoch_{0};
  alignas(64) std::atomic<int> running_{0};
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> barrier_epoch_{0};
  std::atomic<bool> stop_{false};
};

// The cores that this process may use, at least 1.
int AvailableCores();

// [begin, end) of `count` items for `member` of `members`, sizes multiples of `grain` but the last.
struct WorkRange {
  std::int64_t begin;
  std::int64_t end;
};
inline WorkRange SplitWork(std::int64_t count, int member, int members, std::int64_t grain = 1) {
  const std::int64_t units = (count + grain - 1) / grain;
  const std::int64_t begin = units * member / members * grain;
  const std::int64_t end = units * (member + 1) / members * grain;
  return {begin < count ? begin : count, end < count ? end : count};
}

}  // namespace liubai
