#include "liubai/asio.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/memory/scripted_model.h"

namespace liubai {
namespace {

namespace asio = boost::asio;

class AsioTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "liubai-asio-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto store = Store::Open(folder_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
    AgentOptions options;
    options.store = store_.get();
    options.model = &model_;
    options.idle_work = false;
    auto agent = Agent::Create(options);
    ASSERT_TRUE(agent.ok()) << agent.status().ToString();
    agent_ = std::move(*agent);
  }
  void TearDown() override {
    agent_.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string folder_;
  ScriptedModel model_;
  asio::io_context context_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Agent> agent_;
};

TEST_F(AsioTest, ACoroutineAwaitsReplies) {
  std::string streamed;
  std::vector<std::string> replies;
  const auto talk = [&]() -> asio::awaitable<void> {
    auto first = co_await async_send(*agent_, "Hello.", asio::use_awaitable);
    EXPECT_TRUE(first.ok()) << first.status().ToString();
    EXPECT_TRUE(context_.get_executor().running_in_this_thread());
    if (first.ok()) replies.push_back(first->text);
    const OnText on_text = [&](std::string_view piece) {
      streamed += piece;
      return true;
    };
    auto second = co_await async_send(*agent_, "And again.", on_text, asio::use_awaitable);
    EXPECT_TRUE(second.ok()) << second.status().ToString();
    if (second.ok()) replies.push_back(second->text);
  };
  asio::co_spawn(context_, talk(), asio::detached);
  context_.run();  // Ends when the coroutine does: the operation counts as work until then.
  EXPECT_EQ(replies, (std::vector<std::string>{"All right.", "All right."}));
  EXPECT_EQ(streamed, "All right.");
}

TEST_F(AsioTest, AFailureIsAValue) {
  StatusCode code = StatusCode::kOk;
  const auto talk = [&]() -> asio::awaitable<void> {
    auto reply = co_await async_send(*agent_, std::string("\xff"), asio::use_awaitable);
    code = reply.status().code();
  };
  asio::co_spawn(context_, talk(), asio::detached);
  context_.run();
  EXPECT_EQ(code, StatusCode::kInvalidArgument);
}

TEST_F(AsioTest, OtherTokensWorkToo) {
  auto future = async_send(*agent_, "Hello.", asio::use_future);
  const Result<Reply> reply = future.get();
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_EQ(reply->text, "All right.");
}

TEST_F(AsioTest, CancellationStopsTheReplyAndKeepsWhatWasSaid) {
  std::string endless;
  for (int i = 0; i < 200; ++i) endless += "word ";
  model_.script = [&](const std::string&) -> Result<std::string> { return endless; };
  asio::cancellation_signal signal;
  // After some words. A signal belongs to one thread at a time: it is sent from the context's own.
  int words = 0;
  model_.before_token = [&] {
    if (++words == 5) {
      asio::post(context_, [&] { signal.emit(asio::cancellation_type::terminal); });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  StopReason reason = StopReason::kEndOfTurn;
  std::string said;
  TurnId stored = 0;
  bool done = false;
  const auto talk = [&]() -> asio::awaitable<void> {
    auto reply = co_await async_send(*agent_, "Tell me all.", asio::use_awaitable);
    EXPECT_TRUE(reply.ok()) << reply.status().ToString();
    if (!reply.ok()) co_return;
    reason = reply->stop_reason;
    said = reply->text;
    stored = reply->reply_turn;
  };
  asio::co_spawn(context_, talk(),
                 asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr error) {
                   EXPECT_FALSE(error);
                   done = true;
                 }));
  context_.run();
  EXPECT_TRUE(done);
  EXPECT_EQ(reason, StopReason::kCancelled);
  EXPECT_FALSE(said.empty());
  EXPECT_LT(said.size(), endless.size() / 2);
  const auto turn = store_->GetTurn(stored);
  ASSERT_TRUE(turn.ok()) << turn.status().ToString();
  EXPECT_EQ(turn->text, said);
  // The agent is as good as before.
  model_.before_token = nullptr;
  model_.script = [](const std::string&) -> Result<std::string> { return std::string("Yes."); };
  const auto next = agent_->Send("Still there?");
  ASSERT_TRUE(next.ok()) << next.status().ToString();
  EXPECT_EQ(next->text, "Yes.");
}

}  // namespace
}  // namespace liubai
