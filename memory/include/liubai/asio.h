// liubai/asio.h: turns of an agent as asynchronous operations of Boost.Asio (1.77 or later):
//
//   Result<Reply> reply = co_await liubai::async_send(agent, "Hello", on_text, use_awaitable);
//
// For programs that use Asio already: no other header includes this one, and it is a target of its
// own, liubai::asio.
//
// Errors:  those of Agent::Send, in the Result; nothing is thrown.
// Threads: the completion handler runs on its associated executor, `on_text` on the agent's own
//          thread. Agent and execution context outlive the operation.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <string>
#include <utility>

#include "liubai/agent.h"

namespace liubai::inline v1 {

namespace asio_internal {

// Shared, because the agent's callback may be copied and a handler may not.
template <class Handler>
struct Send {
  explicit Send(Handler&& moved)
      : handler(std::move(moved)), work(boost::asio::make_work_guard(handler)) {}

  Handler handler;
  boost::asio::executor_work_guard<boost::asio::associated_executor_t<Handler>> work;
};

}  // namespace asio_internal

// Agent::Send with a completion token: `void(Result<Reply>)`. A cancellation of any type is
// Agent::Cancel: it stops the turn that runs, in prefill or in decode, and those that wait. What
// was generated is kept and stored, with StopReason::kCancelled; before the first token the result
// is kCancelled or an empty reply.
template <class CompletionToken>
auto async_send(Agent& agent, std::string text, OnText on_text, CompletionToken&& token) {
  return boost::asio::async_initiate<CompletionToken, void(Result<Reply>)>(
      [&agent](auto handler, std::string text, OnText on_text) {
        using State = asio_internal::Send<decltype(handler)>;
        auto state = std::make_shared<State>(std::move(handler));
        auto slot = boost::asio::get_associated_cancellation_slot(state->handler);
        if (slot.is_connected()) {
          slot.assign([&agent](boost::asio::cancellation_type type) {
            if (type != boost::asio::cancellation_type::none) agent.Cancel();
          });
        }
        agent.SendAsync(std::move(text), std::move(on_text), [state](Result<Reply> reply) {
          boost::asio::post(state->work.get_executor(),
                            [state, reply = std::move(reply)]() mutable {
                              boost::asio::get_associated_cancellation_slot(state->handler).clear();
                              auto handler = std::move(state->handler);
                              state->work.reset();
                              std::move(handler)(std::move(reply));
                            });
        });
      },
      token, std::move(text), std::move(on_text));
}

template <class CompletionToken>
auto async_send(Agent& agent, std::string text, CompletionToken&& token) {
  return async_send(agent, std::move(text), OnText(), std::forward<CompletionToken>(token));
}

}  // namespace liubai::inline v1
