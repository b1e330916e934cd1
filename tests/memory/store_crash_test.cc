// kill -9 at random points: every acknowledged turn is there, in order, without holes.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "liubai/store.h"

namespace liubai {
namespace {

std::string TextOf(std::int64_t number) {
  return "turn " + std::to_string(number) + " " + std::string(number % 700, 'x');
}

// Appends until it is killed; writes each acknowledged number to `pipe`.
[[noreturn]] void Appender(const std::string& folder, std::int64_t from, int pipe) {
  auto store = Store::Open(folder);
  if (!store.ok()) ::_exit(2);
  const auto session = (*store)->EnsureSession("main");
  if (!session.ok()) ::_exit(3);
  for (std::int64_t number = from;; ++number) {
    NewTurn turn;
    turn.session_id = *session;
    turn.text = TextOf(number);
    turn.idempotency_key = std::to_string(number);
    if (!(*store)->AppendTurn(turn).ok()) ::_exit(4);
    if (::write(pipe, &number, sizeof(number)) != sizeof(number)) ::_exit(5);
  }
}

TEST(StoreCrashTest, EveryAcknowledgedTurnSurvivesKillMinusNine) {
  std::string pattern = ::testing::TempDir() + "liubai-crash-XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::string folder = pattern;
  const auto seed = std::random_device()();
  RecordProperty("seed", static_cast<int>(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::int64_t acknowledged = 0;
  std::int64_t stored = 0;
  constexpr int kKills = 200;
  for (int round = 0; round < kKills; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(ends[0]);
      Appender(folder, stored + 1, ends[1]);
    }
    ::close(ends[1]);
    // Now and then in the middle of opening, mostly while turns are being written.
    ::usleep(random() % 60000);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        << "exit status " << WEXITSTATUS(status) << " in round " << round;
    std::int64_t number = 0;
    while (::read(ends[0], &number, sizeof(number)) == sizeof(number)) acknowledged = number;
    ::close(ends[0]);

    auto store = Store::Open(folder);
    ASSERT_TRUE(store.ok()) << store.status().ToString() << " in round " << round;
    const auto session = (*store)->FindSession("main");
    if (!session.ok()) {  // Killed before the session was made.
      ASSERT_EQ(acknowledged, 0);
      continue;
    }
    stored = session->turns;
    ASSERT_GE(stored, acknowledged) << "round " << round;
    ASSERT_LE(stored, acknowledged + 1) << "round " << round;
    acknowledged = stored;
    if (stored > 0) {
      const auto last = (*store)->FindTurn(std::to_string(stored));
      ASSERT_TRUE(last.ok()) << last.status().ToString();
      ASSERT_EQ(last->text, TextOf(stored));
    }
  }
  auto store = Store::Open(folder);
  ASSERT_TRUE(store.ok());
  TurnFilter filter;
  const auto turns = (*store)->Turns(filter, stored + 10);
  ASSERT_TRUE(turns.ok());
  ASSERT_EQ(static_cast<std::int64_t>(turns->size()), stored);
  ASSERT_GT(stored, kKills);
  for (std::int64_t i = 0; i < stored; ++i) {
    ASSERT_EQ((*turns)[i].seq, i + 1);
    ASSERT_EQ((*turns)[i].text, TextOf(i + 1));
  }
  EXPECT_TRUE((*store)->Verify()->empty());
  std::printf("seed %u: %lld turns over %d kills\n", seed, static_cast<long long>(stored), kKills);
  store->reset();
  std::filesystem::remove_all(folder);
}

// A power cut keeps what was synced and loses the rest: the write-ahead log is cut at random
// lengths, and whatever is left must be a prefix of what was written.
TEST(StoreCrashTest, ATornLogLosesOnlyItsTail) {
  std::string pattern = ::testing::TempDir() + "liubai-torn-XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::string folder = pattern;
  {
    auto store = Store::Open(folder + "/a");
    ASSERT_TRUE(store.ok());
    const SessionId session = *(*store)->EnsureSession("main");
    for (int i = 1; i <= 40; ++i) {
      NewTurn turn;
      turn.session_id = session;
      turn.text = TextOf(i);
      ASSERT_TRUE((*store)->AppendTurn(turn).ok());
    }
    std::mt19937 random(7);
    const auto size = std::filesystem::file_size(folder + "/a/memory.db-wal");
    for (int round = 0; round < 40; ++round) {
      const std::string copy = folder + "/" + std::to_string(round);
      std::filesystem::create_directory(copy);
      std::filesystem::copy_file(folder + "/a/memory.db", copy + "/memory.db");
      std::filesystem::copy_file(folder + "/a/memory.db-wal", copy + "/memory.db-wal");
      std::filesystem::resize_file(copy + "/memory.db-wal", random() % size);
      auto torn = Store::Open(copy);
      ASSERT_TRUE(torn.ok()) << torn.status().ToString();
      const auto turns = (*torn)->Turns({}, 100);
      ASSERT_TRUE(turns.ok());
      for (std::size_t i = 0; i < turns->size(); ++i) {
        ASSERT_EQ((*turns)[i].text, TextOf(static_cast<std::int64_t>(i + 1)));
      }
      ASSERT_TRUE((*torn)->Verify()->empty());
    }
  }
  std::filesystem::remove_all(folder);
}

// Commits compactions until it is killed: the nth writes the nth essence and version n of a block.
[[noreturn]] void Compactor(const std::string& folder) {
  auto store = Store::Open(folder);
  if (!store.ok()) ::_exit(2);
  const auto session = (*store)->EnsureSession("main");
  if (!session.ok()) ::_exit(3);
  for (auto number = static_cast<std::int64_t>((*store)->BlockHistory("user")->size());; ++number) {
    CompactionBatch batch;
    batch.session_id = *session;
    Essence essence;
    essence.first_turn = essence.last_turn = 1;
    essence.text = TextOf(number);
    essence.method = "extractive";
    batch.essences = {essence};
    Block block;
    block.label = "user";
    block.value = TextOf(number);
    block.version = number;
    batch.block = block;
    if (!(*store)->Commit(batch).ok()) ::_exit(4);
  }
}

TEST(StoreCrashTest, ACompactionAndItsBlockSurviveTogetherOrNotAtAll) {
  std::string pattern = ::testing::TempDir() + "liubai-compacted-XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::string folder = pattern;
  {
    auto store = Store::Open(folder);
    ASSERT_TRUE(store.ok());
    NewTurn turn;
    turn.session_id = *(*store)->EnsureSession("main");
    turn.text = "a turn";
    ASSERT_TRUE((*store)->AppendTurn(turn).ok());
  }
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::size_t written = 0;
  for (int round = 0; round < 40; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) Compactor(folder);
    ::usleep(10000 + random() % 40000);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status))
        << "exit status " << WEXITSTATUS(status) << " in round " << round;
    auto store = Store::Open(folder);
    ASSERT_TRUE(store.ok()) << store.status().ToString() << " in round " << round;
    const auto essences = (*store)->Essences();
    const auto versions = (*store)->BlockHistory("user");
    ASSERT_TRUE(essences.ok() && versions.ok());
    ASSERT_EQ(essences->size(), versions->size()) << "round " << round;
    for (std::size_t i = 0; i < versions->size(); ++i) {
      ASSERT_EQ((*essences)[i].text, (*versions)[i].value);
    }
    written = versions->size();
  }
  EXPECT_GT(written, 40u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace liubai
