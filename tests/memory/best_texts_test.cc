#include "memory/best_texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace liubai::memory {
namespace {

constexpr float kK1 = 1.2f, kB = 0.75f;

// Turns of several sessions in turn, in which each term is rarer than the one before.
struct World {
  explicit World(int seed) : random(static_cast<std::uint32_t>(seed)) {}

  void Grow(int turns, std::vector<TermPostings>& lists) {
    for (int i = 0; i < turns; ++i) {
      const std::uint32_t turn = next;
      next += random() % 20 == 0 ? 3 : 1;  // Ids have holes.
      std::map<std::size_t, int> counts;
      std::int32_t words = 1 + static_cast<std::int32_t>(random() % 40);
      for (std::size_t term = 0; term < lists.size(); ++term) {
        const double share = 0.9 / static_cast<double>(1 + term * term * term);
        if (std::uniform_real_distribution<double>(0, 1)(random) > share) continue;
        const int count = random() % 50 == 0 ? 300 : 1 + static_cast<int>(random() % 4);
        counts[term] = count;
        words += count;
      }
      session = random() % 8 == 0 ? 1 + random() % 30 : session;
      table.Add(turn, session, words, random() % 2 == 0);
      for (const auto& [term, count] : counts) lists[term].Add(turn, count);
      texts[turn] = counts;
    }
  }
  std::int64_t Count(std::uint32_t turn, std::size_t term, bool window) const {
    const auto of_turn = [&](std::uint32_t id) -> std::int64_t {
      const auto text = texts.find(id);
      if (text == texts.end()) return 0;
      const auto found = text->second.find(term);
      return found != text->second.end() ? found->second : 0;
    };
    std::int64_t count = of_turn(turn);
    for (const std::uint32_t id : table.beside(turn)) count += window && id != 0 ? of_turn(id) : 0;
    return count;
  }

  std::mt19937 random;
  std::uint32_t next = 7, session = 1;
  WordTable table;
  std::map<std::uint32_t, std::map<std::size_t, int>> texts;
};

class BestTextsTest : public testing::TestWithParam<int> {};

TEST_P(BestTextsTest, AreThoseOfAllThatAreScored) {
  SCOPED_TRACE(GetParam());
  World world(GetParam());
  std::vector<TermPostings> lists(24);
  world.Grow(20000, lists);
  for (TermPostings& list : lists) world.table.Update(list);
  for (const ScoredText text : {ScoredText::kTurn, ScoredText::kWindow}) {
    const bool window = text == ScoredText::kWindow;
    const ScoredLengths lengths{kK1 * (1 - kB), kK1 * kB / (window ? 150.0f : 30.0f)};
    for (int query = 0; query < 12; ++query) {
      std::vector<ScoredTerm> terms;
      std::vector<std::size_t> which;
      for (std::size_t term = lists.size(); term-- > 0;) {
        if (world.random() % 3 != 0 || lists[term].size() == 0) continue;
        const double with = static_cast<double>(window ? lists[term].windows : lists[term].size());
        const double idf = std::log(1 + (20000 - with + 0.5) / (with + 0.5));
        terms.push_back({&lists[term], static_cast<float>(idf) * (kK1 + 1)});
        which.push_back(term);
      }
      const bool filtered = query % 3 == 0;
      const auto allows = [](std::uint32_t turn) { return turn % 5 != 0; };
      std::vector<BestText> all;
      for (const auto& [turn, counts] : world.texts) {
        float score = 0;
        for (std::size_t i = 0; i < terms.size(); ++i) {
          const float tf = static_cast<float>(world.Count(turn, which[i], window));
          const float words =
              static_cast<float>(window ? world.table.window_words(turn) : world.table.words(turn));
          if (tf > 0) score += terms[i].gain * tf / (tf + lengths.base + lengths.slope * words);
        }
        if (score > 0 && (!filtered || allows(turn))) all.push_back({turn, score});
      }
      std::ranges::sort(all, [](const BestText& a, const BestText& b) {
        return a.score != b.score ? a.score > b.score : a.turn > b.turn;
      });
      for (const std::size_t wanted : {std::size_t{1}, std::size_t{10}, std::size_t{300}}) {
        std::function<bool(std::uint32_t)> filter;
        if (filtered) filter = allows;
        const auto best = BestTexts(text, world.table, terms, lengths, wanted, filter);
        ASSERT_EQ(best.size(), std::min(wanted, all.size()));
        for (std::size_t i = 0; i < best.size(); ++i) {
          EXPECT_EQ(best[i].turn, all[i].turn) << "place " << i;
          EXPECT_FLOAT_EQ(best[i].score, all[i].score);
        }
      }
    }
  }
}

// Counting on after some more turns gives what counting all at once gives.
TEST_P(BestTextsTest, WhatIsKnownOfATermGrows) {
  World world(GetParam());
  std::vector<TermPostings> lists(12);
  for (int part = 0; part < 40; ++part) {
    world.Grow(1 + part % 5, lists);
    for (TermPostings& list : lists) world.table.Update(list);
  }
  for (std::size_t term = 0; term < lists.size(); ++term) {
    TermPostings fresh;
    lists[term].ForEach([&](std::uint32_t turn, int count) { fresh.Add(turn, count); });
    world.table.Update(fresh);
    EXPECT_EQ(lists[term].windows, fresh.windows);
    EXPECT_EQ(lists[term].user_sessions, fresh.user_sessions);
    ASSERT_EQ(lists[term].sessions.size(), fresh.sessions.size());
    for (std::size_t i = 0; i < fresh.sessions.size(); ++i) {
      EXPECT_EQ(lists[term].sessions[i].count, fresh.sessions[i].count);
      EXPECT_EQ(lists[term].sessions[i].user_count, fresh.sessions[i].user_count);
    }
    EXPECT_GE(lists[term].window_impact.Bound(0.3f, 0.01f), fresh.window_impact.Bound(0.3f, 0.01f));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BestTextsTest, testing::Range(1, 5));

TEST(TermPostings, KeepCountsInEitherForm) {
  for (const std::uint32_t step : {1u, 3u, 40u}) {
    TermPostings list;
    std::map<std::uint32_t, int> all;
    for (std::uint32_t i = 0; i < 5000; ++i) {
      const std::uint32_t turn = 11 + i * step + i % 2;
      const int count = i % 97 == 0 ? 254 + static_cast<int>(i % 5) : 1 + static_cast<int>(i % 7);
      if (!all.empty() && all.rbegin()->first >= turn) continue;
      list.Add(turn, count);
      all[turn] = count;
    }
    EXPECT_LE(list.bytes(), 16 * list.size()) << step;  // Capacities are up to twice the sizes.
    std::map<std::uint32_t, int> seen;
    list.ForEach([&](std::uint32_t turn, int count) { seen[turn] = count; });
    EXPECT_EQ(seen, all) << step;
    TermPostings::Cursor cursor(list);
    std::mt19937 random(5);
    for (int i = 0; i < 20000; ++i) {
      const std::uint32_t turn = random() % (all.rbegin()->first + 20);
      const auto found = all.find(turn);
      ASSERT_EQ(cursor.CountOf(turn), found != all.end() ? found->second : 0) << turn;
    }
  }
}

TEST(PostingsCache, DropsWhatWasUsedLongestAgo) {
  PostingsCache cache;
  for (int i = 0; i < 100; ++i) {
    TermPostings list;
    for (std::uint32_t turn = 1; turn <= 100; ++turn) list.Add(turn * 50, 1);
    cache.Put(1, "w" + std::to_string(i), std::move(list));
  }
  const std::size_t all = cache.bytes();
  ASSERT_NE(cache.Find(1, "w0"), nullptr);
  EXPECT_EQ(cache.Find(2, "w0"), nullptr);
  cache.Trim(all / 2);
  EXPECT_LE(cache.bytes(), all / 2);
  EXPECT_GT(cache.bytes(), all / 3);
  EXPECT_NE(cache.Find(1, "w0"), nullptr);
  EXPECT_EQ(cache.Find(1, "w1"), nullptr);
  EXPECT_NE(cache.Find(1, "w99"), nullptr);
}

}  // namespace
}  // namespace liubai::memory
