#include "engine/kv_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

namespace liubai::engine {
namespace {

std::vector<KvGroup> OneGroup() { return {{2, 0, 1, 32, kernels::KvElement::kQ8}}; }

std::vector<TokenId> Numbers(int first, int count) {
  std::vector<TokenId> tokens;
  for (int i = 0; i < count; ++i) tokens.push_back(first + i);
  return tokens;
}

TEST(KvCacheTest, ExhaustionNamesFiguresAndLeavesThePoolAsItWas) {
  auto pool = KvPool::Create(OneGroup(), 64, 1, 16, 0);
  ASSERT_TRUE(pool.ok()) << pool.status().ToString();
  const int total = (*pool)->total_pages();
  KvSequence sequence(**pool);
  ASSERT_TRUE(sequence.Extend(Numbers(0, 20)).ok());
  const int free = (*pool)->free_pages();
  const Status full = sequence.Extend(Numbers(20, 16 * total));
  EXPECT_EQ(full.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(full.message().find(std::to_string(total)), std::string::npos) << full.message();
  EXPECT_EQ((*pool)->free_pages(), free);
  EXPECT_EQ(sequence.length(), 20);
}

TEST(KvCacheTest, BudgetBelowTwoPagesIsRefused) {
  const auto pool = KvPool::Create(OneGroup(), 4096, 1, 16, 100);
  EXPECT_EQ(pool.status().code(), StatusCode::kResourceExhausted);
}

TEST(KvCacheTest, ForksShareUntilOneWrites) {
  auto pool = KvPool::Create(OneGroup(), 256, 2, 16, 0);
  KvSequence a(**pool), b(**pool);
  ASSERT_TRUE(a.Extend(Numbers(0, 24)).ok());
  a.Publish();
  const int page = a.block_tables()[0][1];
  std::memset(
      (*pool)->pages(0) + static_cast<std::size_t>(page) * (*pool)->groups()[0].page_bytes(), 7,
      (*pool)->groups()[0].page_bytes());
  b.CopyFrom(a);
  EXPECT_EQ(a.pages(), 2);
  EXPECT_EQ((*pool)->CountShared(b.block_tables()), 2);
  ASSERT_TRUE(b.Extend(Numbers(100, 1)).ok());
  EXPECT_EQ(b.block_tables()[0][0], a.block_tables()[0][0]);
  const int copy = b.block_tables()[0][1];
  EXPECT_NE(copy, page);
  EXPECT_EQ(static_cast<int>(((*pool)->pages(0) + static_cast<std::size_t>(copy) *
                                                      (*pool)->groups()[0].page_bytes())[5]),
            7);
}

TEST(KvCacheTest, PrefixIsAdoptedByAnotherSequenceAndGivenUpUnderPressure) {
  auto pool = KvPool::Create(OneGroup(), 96, 1, 16, 0);
  const int total = (*pool)->total_pages();
  const std::vector<TokenId> text = Numbers(0, 50);
  {
    KvSequence a(**pool);
    ASSERT_TRUE(a.Extend(text).ok());
    a.Publish();
  }
  EXPECT_EQ((*pool)->free_pages(), total);
  KvSequence b(**pool);
  EXPECT_EQ(b.AdoptPrefix(text), 48);
  EXPECT_EQ(b.Truncate(0), 0);
  std::vector<TokenId> other = text;
  other[20] = 999;
  EXPECT_EQ(b.AdoptPrefix(other), 16);
  EXPECT_EQ(b.Truncate(0), 0);
  // The last token is never adopted: its logits are wanted.
  EXPECT_EQ(b.AdoptPrefix(std::span(text).first(48)), 32);
  EXPECT_EQ(b.Truncate(0), 0);
  ASSERT_TRUE(b.Extend(Numbers(1000, 16 * total)).ok());
  EXPECT_EQ((*pool)->free_pages(), 0);
  KvSequence c(**pool);
  EXPECT_EQ(c.AdoptPrefix(text), 0);
}

// How many tokens of `text` the prefix index still has.
int Known(KvPool& pool, const std::vector<TokenId>& text) {
  KvSequence probe(pool);
  return probe.AdoptPrefix(text);
}

TEST(KvCacheTest, APrefixIsGivenUpFromItsEnd) {
  auto pool = KvPool::Create(OneGroup(), 96, 1, 16, 0);
  const int total = (*pool)->total_pages();
  const std::vector<TokenId> text = Numbers(0, 16 * total + 1);
  {
    KvSequence a(**pool);
    ASSERT_TRUE(a.Extend(std::span(text).first(16 * static_cast<std::size_t>(total))).ok());
    a.Publish();
  }
  for (int taken = 0; taken <= total; ++taken) {
    KvSequence other(**pool);
    ASSERT_TRUE(other.Extend(Numbers(5000, 16 * taken)).ok());
    KvSequence probe(**pool);
    EXPECT_EQ(probe.AdoptPrefix(text), 16 * (total - taken)) << taken;
  }
}

TEST(KvCacheTest, ThePrefixThatWasUsedLongestAgoGoesFirst) {
  auto pool = KvPool::Create(OneGroup(), 96, 1, 16, 0);  // 7 pages.
  ASSERT_EQ((*pool)->total_pages(), 7);
  // Three texts of three pages that share the first one.
  std::vector<std::vector<TokenId>> texts;
  for (int i = 0; i < 3; ++i) {
    texts.push_back(Numbers(0, 16));
    const auto own = Numbers(1000 * (i + 1), 33);
    texts.back().insert(texts.back().end(), own.begin(), own.end());
    KvSequence sequence(**pool);
    sequence.AdoptPrefix(texts.back());
    const auto rest = std::span(texts.back()).subspan(sequence.length(), 48 - sequence.length());
    ASSERT_TRUE(sequence.Extend(rest).ok());
    sequence.Publish();
  }
  EXPECT_EQ(Known(**pool, texts[0]), 48);  // Now the most recently used; texts[1] is the oldest.
  KvSequence hungry(**pool);
  const auto expect = [&](int first, int second, int third) {
    ASSERT_TRUE(hungry.Extend(Numbers(9000 + hungry.length(), 16)).ok());
    // A probe makes what it finds the newest: the order of these three is kept.
    EXPECT_EQ(Known(**pool, texts[1]), second);
    EXPECT_EQ(Known(**pool, texts[2]), third);
    EXPECT_EQ(Known(**pool, texts[0]), first);
  };
  expect(48, 32, 48);
  expect(48, 16, 48);
  expect(48, 16, 32);
  expect(48, 16, 16);
  expect(32, 16, 16);
  expect(16, 16, 16);  // The shared page is the last to go.
  expect(0, 0, 0);
}

TEST(KvCacheTest, WindowGroupsReleaseWhatLiesBehind) {
  std::vector<KvGroup> groups = OneGroup();
  groups.push_back({1, 20, 1, 32, kernels::KvElement::kF16});
  auto pool = KvPool::Create(groups, 512, 1, 16, 0);
  KvSequence a(**pool);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(a.Extend(Numbers(i, 1)).ok());
    a.Publish();
  }
  // Token 100 attends from 81 on: the page of 80..95 is the first that stays.
  const auto& window = a.block_tables()[1];
  for (int page = 0; page < 7; ++page) EXPECT_EQ(window[page] >= 0, page >= 5) << page;
  EXPECT_EQ(a.block_tables()[0][0] >= 0, true);
  // Going back to where the window is gone starts over; within the window it does not.
  EXPECT_EQ(a.Truncate(99), 99);
  EXPECT_EQ(a.Truncate(50), 0);
  EXPECT_EQ(a.pages(), 0);
}

// Random work on several sequences against a model that only knows lengths: references always add
// up.
TEST(KvCacheTest, RandomWorkLeaksNothing) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::vector<KvGroup> groups = OneGroup();
  groups.push_back({1, 40, 1, 32, kernels::KvElement::kQ8});
  auto pool = KvPool::Create(groups, 256, 3, 64, 0);
  const int total = (*pool)->total_pages();
  {
    std::map<int, std::unique_ptr<KvSequence>> live;
    for (int step = 0; step < 3000; ++step) {
      const int id = static_cast<int>(random() % 5);
      auto& sequence = live[id];
      if (!sequence) sequence = std::make_unique<KvSequence>(**pool);
      const int before = sequence->length();
      switch (random() % 5) {
        case 0:
        case 1: {
          const int count = 1 + static_cast<int>(random() % 40);
          const Status status = sequence->Extend(Numbers(static_cast<int>(random() % 3), count));
          if (status.ok()) sequence->Publish();
          ASSERT_EQ(sequence->length(), status.ok() ? before + count : before);
          break;
        }
        case 2: {
          const int wanted = static_cast<int>(random() % (before + 1));
          ASSERT_LE(sequence->Truncate(wanted), wanted);
          break;
        }
        case 3: {
          auto fork = std::make_unique<KvSequence>(**pool);
          fork->CopyFrom(*sequence);
          live[static_cast<int>(random() % 5)] = std::move(fork);
          break;
        }
        default:
          sequence.reset();
      }
    }
  }
  EXPECT_EQ((*pool)->free_pages(), total);
}

}  // namespace
}  // namespace liubai::engine
