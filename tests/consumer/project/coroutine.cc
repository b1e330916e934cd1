// Compiles and links: a coroutine that awaits a reply.
#include <liubai/asio.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

boost::asio::awaitable<bool> Talk(liubai::Agent& agent) {
  const auto reply = co_await liubai::async_send(agent, "Hello", boost::asio::use_awaitable);
  co_return reply.ok();
}

int main() { return &Talk == nullptr; }
