// memory/scheduler.h: a thread that runs the work of agents in order (Boost.Asio, hidden).
//
// Errors:  none; a task must not throw.
// Threads: Post and PostAfter may be called from any thread. Tasks of one strand never overlap and
// run
//          in the order of Post.
#pragma once

#include <functional>
#include <memory>

namespace liubai::memory {

class Scheduler {
 public:
  Scheduler();
  // Tasks that have not begun are dropped; waits for the one that runs (not when called by it).
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  class Strand {
   public:
    explicit Strand(std::shared_ptr<Scheduler> scheduler);
    ~Strand();
    void Post(std::function<void()> task);
    // One timer a strand: a later call replaces an earlier one that has not fired.
    void PostAfter(int delay_ms, std::function<void()> task);
    void CancelTimer();
    bool RunsHere() const;  // Called by one of its tasks.
    const std::shared_ptr<Scheduler>& scheduler() const { return scheduler_; }

   private:
    struct Impl;
    std::shared_ptr<Scheduler> scheduler_;
    std::unique_ptr<Impl> impl_;
  };

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace liubai::memory
