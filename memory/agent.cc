#include "liubai/agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/macros.h"
#include "memory/agent_impl.h"
#include "memory/essence_tree.h"
#include "memory/prompt.h"

namespace liubai::inline v1 {

Result<std::unique_ptr<Agent>> Agent::Create(const AgentOptions& options) {
  auto impl = std::make_shared<Impl>(options);
  LIUBAI_RETURN_IF_ERROR(impl->Open(nullptr, nullptr));
  return std::unique_ptr<Agent>(new Agent(std::move(impl)));
}

Agent::Agent(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {
  if (impl_->options.idle_work) impl_->ScheduleIdle(impl_->options.idle_delay_ms);
}

Agent::~Agent() { impl_->Close(); }

std::string Agent::DefaultSystemPrompt() { return memory::DefaultSystemText(); }

std::shared_ptr<std::stop_source> Agent::Impl::Register() {
  auto source = std::make_shared<std::stop_source>();
  std::lock_guard lock(mutex);
  running.insert(source);
  if (closing) source->request_stop();
  return source;
}

void Agent::Impl::Unregister(const std::shared_ptr<std::stop_source>& source) {
  std::lock_guard lock(mutex);
  running.erase(source);
}

void Agent::Impl::CancelAll() {
  std::lock_guard lock(mutex);
  for (const auto& source : running) source->request_stop();
}

void Agent::Impl::Close() {
  closing = true;
  {
    std::lock_guard lock(mutex);
    for (const auto& source : running) source->request_stop();
    idle_stop.request_stop();
  }
  strand->CancelTimer();
  if (strand->RunsHere()) return;  // Destroyed by a callback: nothing else runs.
  auto done = std::make_shared<std::promise<void>>();
  auto future = done->get_future();
  strand->Post([done] { done->set_value(); });
  future.wait();
}

void Agent::SendAsync(std::string text, OnText on_text,
                      std::function<void(Result<Reply>)> on_done) {
  const auto called = Impl::Clock::now();
  {
    std::unique_lock lock(impl_->mutex);
    if (impl_->waiting >= impl_->options.queue_limit) {
      lock.unlock();
      on_done(Status(StatusCode::kResourceExhausted,
                     fmt::format("{} messages wait already; the limit is {}",
                                 impl_->options.queue_limit, impl_->options.queue_limit)));
      return;
    }
    ++impl_->waiting;
    impl_->idle_stop.request_stop();  // Idle work makes way.
  }
  auto source = impl_->Register();
  impl_->strand->Post([impl = impl_, source, called, text = std::move(text),
                       on_text = std::move(on_text), on_done = std::move(on_done)]() mutable {
    Result<Reply> reply = Status(StatusCode::kCancelled, "the agent is closed");
    if (!impl->Closing()) {
      reply = impl->RunTurn(text, on_text, {}, source->get_token(), called);
    }
    impl->Unregister(source);
    {
      std::lock_guard lock(impl->mutex);
      --impl->waiting;
    }
    on_done(std::move(reply));
    if (impl->options.idle_work) impl->ScheduleIdle(impl->options.idle_delay_ms);
  });
}

std::future<Result<Reply>> Agent::SendAsync(std::string text, OnText on_text) {
  auto promise = std::make_shared<std::promise<Result<Reply>>>();
  auto future = promise->get_future();
  SendAsync(std::move(text), std::move(on_text),
            [promise](Result<Reply> reply) { promise->set_value(std::move(reply)); });
  return future;
}

Result<Reply> Agent::Send(std::string_view text, const OnText& on_text) {
  return Send(text, on_text, {});
}

Result<Reply> Agent::Send(std::string_view text, const OnText& on_text, const SendOptions& send) {
  const auto called = Impl::Clock::now();
  if (impl_->strand->RunsHere()) {
    return Status(StatusCode::kFailedPrecondition,
                  "Send was called inside a callback of the same agent and would wait for itself");
  }
  {
    std::lock_guard lock(impl_->mutex);
    if (impl_->waiting >= impl_->options.queue_limit) {
      return Status(StatusCode::kResourceExhausted,
                    fmt::format("{} messages wait already; the limit is {}",
                                impl_->options.queue_limit, impl_->options.queue_limit));
    }
    ++impl_->waiting;
    impl_->idle_stop.request_stop();
  }
  auto source = impl_->Register();
  // Shared: the waiting thread may go on before set_value has returned.
  auto promise = std::make_shared<std::promise<Result<Reply>>>();
  auto future = promise->get_future();
  impl_->strand->Post([&, promise] {
    auto reply = impl_->RunTurn(text, on_text, send, source->get_token(), called);
    {
      std::lock_guard lock(impl_->mutex);
      --impl_->waiting;
    }
    promise->set_value(std::move(reply));
  });
  auto reply = future.get();
  impl_->Unregister(source);
  if (impl_->options.idle_work) impl_->ScheduleIdle(impl_->options.idle_delay_ms);
  return reply;
}

void Agent::Cancel() { impl_->CancelAll(); }

void Agent::Impl::ScheduleIdle(int delay_ms) {
  {
    std::lock_guard lock(mutex);
    if (closing || idle_scheduled) return;
    idle_scheduled = true;
  }
  strand->PostAfter(delay_ms, [weak = weak_from_this()] {
    const auto impl = weak.lock();
    if (impl == nullptr) return;
    {
      std::lock_guard lock(impl->mutex);
      impl->idle_scheduled = false;
    }
    impl->RunIdle();
  });
}

void Agent::Impl::RunIdle() {
  std::stop_token stop;
  {
    std::lock_guard lock(mutex);
    if (closing || waiting > 0) return;  // Scheduled again after the turn.
    idle_stop = std::stop_source();
    stop = idle_stop.get_token();
    idle.busy = true;
  }
  auto more = IdleStep(stop);
  Refresh();
  std::lock_guard lock(mutex);
  idle.busy = false;
  if (!more.ok()) {
    if (more.status().code() != StatusCode::kCancelled) idle.last_error = more.status();
    return;  // Tried again after the next turn.
  }
  idle.last_error = Status();
  // One piece a task: a turn that arrives meanwhile is next.
  if (*more && !closing) {
    strand->Post([weak = weak_from_this()] {
      if (const auto impl = weak.lock()) impl->RunIdle();
    });
  }
}

namespace {

// Runs `work` as a task of the strand and waits.
template <class Work>
auto OnStrand(memory::Scheduler::Strand& strand, Work&& work) {
  using Value = decltype(work());
  if (strand.RunsHere()) return work();
  auto promise = std::make_shared<std::promise<Value>>();
  auto future = promise->get_future();
  strand.Post([&work, promise] { promise->set_value(work()); });
  return future.get();
}

}  // namespace

Status Agent::WaitIdle() {
  auto source = impl_->Register();
  {
    std::lock_guard lock(impl_->mutex);
    impl_->idle_stop.request_stop();  // What runs now is done here, without its pauses.
  }
  const Status status = OnStrand(*impl_->strand, [&]() -> Status {
    while (true) {
      auto more = impl_->IdleStep(source->get_token());
      impl_->Refresh();
      {
        std::lock_guard lock(impl_->mutex);
        impl_->idle.last_error = more.status();
      }
      LIUBAI_RETURN_IF_ERROR(more.status());
      if (!*more) return Status();
    }
  });
  impl_->Unregister(source);
  return status;
}

Status Agent::ProveAgain() {
  LIUBAI_RETURN_IF_ERROR(WaitIdle());
  if (impl_->options.memory_mode != MemoryMode::kLiubai) return Status();
  const Status started = OnStrand(*impl_->strand, [&]() -> Status {
    impl_->StartRecheck();
    return Status();
  });
  LIUBAI_RETURN_IF_ERROR(started);
  return WaitIdle();
}

IdleStatus Agent::idle_status() const {
  std::lock_guard lock(impl_->mutex);
  IdleStatus status = impl_->idle;
  status.busy |= impl_->waiting > 0 || impl_->idle_scheduled;
  return status;
}

Status Agent::Compact() {
  auto source = impl_->Register();
  {
    std::lock_guard lock(impl_->mutex);
    impl_->idle_stop.request_stop();
  }
  const Status status = OnStrand(*impl_->strand, [&]() -> Status {
    auto done = impl_->CompactOnce(true, source->get_token());
    impl_->Refresh();
    return done.status();
  });
  impl_->Unregister(source);
  return status;
}

Result<WindowInfo> Agent::Window() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->snapshot;
}

Result<std::vector<Segment>> Agent::ContextSegments() const {
  return OnStrand(*impl_->strand,
                  [&]() -> Result<std::vector<Segment>> { return impl_->Segments(); });
}

std::vector<StandingChange> Agent::Impl::TakeStandingChanges() {
  std::lock_guard lock(mutex);
  return std::exchange(standing_changes, {});
}

std::vector<StandingChange> Agent::TakeStandingChanges() { return impl_->TakeStandingChanges(); }

SessionId Agent::session() const { return impl_->session; }

const Retriever& Agent::retriever() const { return *impl_->retriever; }

Result<std::unique_ptr<Agent>> Agent::Fork(std::string_view name) {
  return OnStrand(*impl_->strand, [&]() -> Result<std::unique_ptr<Agent>> {
    Store& store = *impl_->options.store;
    const TenantId tenant = impl_->options.tenant;
    LIUBAI_ASSIGN_OR_RETURN(const SessionId id, store.EnsureSession(name, tenant));
    LIUBAI_ASSIGN_OR_RETURN(const Session session, store.GetSession(id, tenant));
    if (session.turns > 0 || id == impl_->session) {
      return Status(
          StatusCode::kAlreadyExists,
          fmt::format("session \"{}\" has {} turns; a fork needs a new name", name, session.turns));
    }
    // The uncompacted turns are copied, so that the new session can be resumed by itself.
    TurnFilter filter;
    filter.tenant = tenant;
    filter.session = impl_->session;
    filter.after_turn = impl_->covered;
    LIUBAI_ASSIGN_OR_RETURN(std::vector<Turn> turns, store.Turns(filter, 10'000));
    std::vector<NewTurn> copies;
    for (const Turn& turn : turns) {
      NewTurn copy;
      copy.session_id = id;
      copy.role = turn.role;
      copy.speaker = turn.speaker;
      copy.text = turn.text;
      if (impl_->tokens_known && turn.id >= impl_->tokens_from) copy.tokens = turn.tokens;
      copy.time_ms = turn.time_ms;
      copy.origin = turn.origin;
      copy.sources = {turn.id};
      copy.status = turn.status;
      copies.push_back(std::move(copy));
    }
    std::vector<TurnId> ids;
    if (!copies.empty()) {
      LIUBAI_ASSIGN_OR_RETURN(ids, store.AppendTurns(copies, tenant));
    }
    if (!impl_->essences.empty()) {
      CompactionBatch batch;
      batch.tenant = tenant;
      batch.session_id = id;
      batch.essences = impl_->essences;
      for (Essence& essence : batch.essences) {
        essence.id = 0;
        // In the new session it is a node like others.
        if (essence.method == memory::kOverview) essence.method = "extractive";
      }
      LIUBAI_RETURN_IF_ERROR(store.Commit(batch).status());
      auto sources = store.GetSetting(memory::ForkKey(impl_->session), tenant);
      if (!sources.ok() && sources.status().code() != StatusCode::kNotFound)
        return sources.status();
      LIUBAI_RETURN_IF_ERROR(store.SetSetting(
          memory::ForkKey(id),
          fmt::format(" {}@{}{}", impl_->session, impl_->covered, sources.ok() ? *sources : ""),
          tenant));
    }
    if (impl_->tokens_known && !ids.empty()) {
      LIUBAI_RETURN_IF_ERROR(store.SetSetting(
          fmt::format("agent.tokens.{}", id),
          fmt::format("{} {}", impl_->options.model->info().fingerprint, ids.front()), tenant));
    }
    AgentOptions options = impl_->options;
    options.session = std::string(name);
    auto forked = std::make_shared<Impl>(options);
    LIUBAI_ASSIGN_OR_RETURN(forked->context, impl_->context->Fork());
    LIUBAI_RETURN_IF_ERROR(forked->Open(impl_->strand->scheduler(), impl_->own_retriever));
    return std::unique_ptr<Agent>(new Agent(std::move(forked)));
  });
}

}  // namespace liubai::inline v1
