#include "memory/scheduler.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <mutex>
#include <thread>

namespace liubai::memory {

namespace asio = boost::asio;

struct Scheduler::Impl {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  std::thread thread;
};

Scheduler::Scheduler() : impl_(std::make_shared<Impl>()) {
  // The thread keeps the context alive, so that the last owner may be one of its tasks.
  impl_->thread = std::thread([impl = impl_] { impl->context.run(); });
}

Scheduler::~Scheduler() {
  impl_->work.reset();
  impl_->context.stop();
  if (impl_->thread.get_id() == std::this_thread::get_id()) {
    impl_->thread.detach();
  } else {
    impl_->thread.join();
  }
}

struct Scheduler::Strand::Impl {
  explicit Impl(asio::io_context& context) : strand(asio::make_strand(context)), timer(strand) {}
  asio::strand<asio::io_context::executor_type> strand;
  std::mutex mutex;  // Of the timer.
  asio::steady_timer timer;
};

Scheduler::Strand::Strand(std::shared_ptr<Scheduler> scheduler)
    : scheduler_(std::move(scheduler)), impl_(std::make_unique<Impl>(scheduler_->impl_->context)) {}

Scheduler::Strand::~Strand() = default;

void Scheduler::Strand::Post(std::function<void()> task) {
  asio::post(impl_->strand, std::move(task));
}

void Scheduler::Strand::PostAfter(int delay_ms, std::function<void()> task) {
  std::lock_guard lock(impl_->mutex);
  impl_->timer.expires_after(std::chrono::milliseconds(delay_ms));
  impl_->timer.async_wait([task = std::move(task)](const boost::system::error_code& error) {
    if (!error) task();
  });
}

void Scheduler::Strand::CancelTimer() {
  std::lock_guard lock(impl_->mutex);
  impl_->timer.cancel();
}

bool Scheduler::Strand::RunsHere() const { return impl_->strand.running_in_this_thread(); }

}  // namespace liubai::memory
