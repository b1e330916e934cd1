#include "memory/essence_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "liubai/agent.h"
#include "memory/compaction.h"
#include "memory/prompt.h"
#include "tests/memory/scripted_model.h"
#include "tests/memory/store_fixture.h"

namespace liubai {
namespace {

using memory::CompactionRequest;

constexpr auto Count = FourBytesAToken;

class EssenceTreeTest : public StoreAndRetriever {
 protected:
  // Two turns more, compacted.
  void CompactTwo(int all_tokens, const CompactionPolicy& policy = {}) {
    const int n = compactions_++;
    CompactionRequest request;
    std::vector<TurnId> ids;
    for (const Role role : {Role::kUser, Role::kAssistant}) {
      NewTurn turn;
      turn.session_id = session_;
      turn.role = role;
      turn.time_ms = 1'709'500'000'000 + n * 86'400'000LL;
      turn.text = role == Role::kUser
                      ? (n / 5 % 2 == 0 ? "The boat number " + std::to_string(1000 + n * 7) +
                                              " came into the harbour with crabs."
                                        : "Garden bed " + std::to_string(1000 + n * 7) +
                                              " was planted with beans and dill.")
                      : "Thank you.";
      ids.push_back(*store_->AppendTurn(turn));
    }
    request.session = session_;
    request.turns = *store_->GetTurns(ids);
    request.essence_tokens = 48;
    request.all_essences_tokens = all_tokens;
    request.essences = *store_->Essences(session_);
    request.policy = policy;
    request.count = Count;
    request.now_ms = request.turns.back().time_ms;
    const auto outcome = CompactTurns(*store_, *retriever_, request, {}, {});
    ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  }
  std::vector<Essence> InUse() { return *store_->Essences(session_); }
  int PromptTokens() { return Count(memory::SystemText("", {}, InUse())); }
  // Follows the tree down to the leaves; returns how deep it goes.
  int Unfold(std::int64_t id, std::multiset<TurnId>* under) {
    const auto unfolded = store_->UnfoldEssence(id, 10'000);
    EXPECT_TRUE(unfolded.ok()) << unfolded.status().ToString();
    if (!unfolded.ok()) return 0;
    const Essence& essence = unfolded->essence;
    EXPECT_EQ(unfolded->turns_total, essence.last_turn - essence.first_turn + 1);
    EXPECT_EQ(static_cast<std::int64_t>(unfolded->turns.size()), unfolded->turns_total);
    if (essence.level == 0) {
      EXPECT_TRUE(unfolded->children.empty());
      for (const Turn& turn : unfolded->turns) under->insert(turn.id);
      return 1;
    }
    EXPECT_GE(unfolded->children.size(), essence.method == memory::kOverview ? 1u : 2u);
    TurnId next = essence.first_turn;
    int depth = 0;
    for (const Essence& child : unfolded->children) {
      EXPECT_EQ(child.first_turn, next) << "essence " << id;
      EXPECT_LT(child.level, essence.level);
      EXPECT_EQ(child.replaced_by, id);
      next = child.last_turn + 1;
      depth = std::max(depth, Unfold(child.id, under));
    }
    EXPECT_EQ(next, essence.last_turn + 1) << "essence " << id;
    return depth + 1;
  }
  // Every compacted turn is under exactly one essence in use; returns the depth.
  int ExpectWhole() {
    std::multiset<TurnId> under;
    TurnId next = 1;
    int depth = 0;
    for (const Essence& root : InUse()) {
      EXPECT_EQ(root.first_turn, next);
      next = root.last_turn + 1;
      depth = std::max(depth, Unfold(root.id, &under));
    }
    const TurnId covered = store_->GetSession(session_)->covered_through;
    EXPECT_EQ(next, covered + 1);
    EXPECT_EQ(under.size(), static_cast<std::size_t>(covered));
    for (TurnId turn = 1; turn <= covered; ++turn) EXPECT_EQ(under.count(turn), 1u) << turn;
    return depth;
  }

  int compactions_ = 0;
};

TEST_F(EssenceTreeTest, StaysBoundedWholeAndShallowOverFourHundredCompactions) {
  constexpr int kBudget = 230;
  std::map<int, int> depth;
  std::size_t most_roots = 0;
  for (int i = 1; i <= 420; ++i) {
    ASSERT_NO_FATAL_FAILURE(CompactTwo(kBudget));
    ASSERT_LE(PromptTokens(), kBudget + 16) << "the lead is the caller's, after " << i;
    const std::vector<Essence> roots = InUse();
    most_roots = std::max(most_roots, roots.size());
    ASSERT_EQ(roots.back().level, 0) << "the newest stays fine";
    if (i == 8 || i == 40 || i == 120 || i == 420) depth[i] = ExpectWhole();
  }
  EXPECT_LE(most_roots, 8u);
  // A node has 3 to 5 children; the overview is one more step.
  for (const auto& [n, steps] : depth) {
    EXPECT_LE(steps, 3 + std::log(n) / std::log(3)) << n << " compactions";
  }
  EXPECT_GT(depth[420], depth[8]);
  EXPECT_LE(depth[420] - depth[40], 3);
}

TEST_F(EssenceTreeTest, AWiderBudgetShowsThreeFineOnesAndUpperLevelsOnly) {
  for (int i = 0; i < 60; ++i) ASSERT_NO_FATAL_FAILURE(CompactTwo(100'000));
  ExpectWhole();
  const std::vector<Essence> roots = InUse();
  std::int32_t level = roots.front().level;
  int fine = 0;
  for (const Essence& root : roots) {
    EXPECT_NE(root.method, memory::kOverview);
    EXPECT_LE(root.level, level) << "the older, the coarser";
    level = root.level;
    fine += root.level == 0;
  }
  EXPECT_GE(roots.front().level, 2);
  EXPECT_GE(fine, 3);
  EXPECT_LE(fine, 8);
}

TEST_F(EssenceTreeTest, BordersLieWhereTheTopicChanges) {
  // Five of the boats, five of the garden, and so on: with a fan-out of 4, 5 belong together.
  for (int i = 0; i < 14; ++i) ASSERT_NO_FATAL_FAILURE(CompactTwo(100'000));
  const std::vector<Essence> roots = InUse();
  ASSERT_EQ(roots.front().level, 1);
  EXPECT_EQ(roots.front().last_turn, 10) << roots.front().text;
}

TEST_F(EssenceTreeTest, AnOtherWindowShowsMoreOrLessOfTheSameTree) {
  for (int i = 0; i < 30; ++i) ASSERT_NO_FATAL_FAILURE(CompactTwo(120));
  ASSERT_EQ(InUse().front().method, memory::kOverview);
  const std::int64_t overview = InUse().front().id;
  ASSERT_NO_FATAL_FAILURE(CompactTwo(100'000));
  EXPECT_NE(InUse().front().method, memory::kOverview);
  ExpectWhole();
  // It still unfolds, by what it covered.
  const auto former = store_->UnfoldEssence(overview);
  ASSERT_TRUE(former.ok());
  EXPECT_FALSE(former->children.empty());
  ASSERT_NO_FATAL_FAILURE(CompactTwo(120));
  EXPECT_EQ(InUse().front().method, memory::kOverview);
  ExpectWhole();
}

TEST_F(EssenceTreeTest, WhatIsDeletedLeavesTheRestInUse) {
  for (int i = 0; i < 40; ++i) ASSERT_NO_FATAL_FAILURE(CompactTwo(150));
  const TurnId gone = 21;
  ASSERT_TRUE(store_->DeleteTurns(std::span(&gone, 1)).ok());
  const auto in_use = [&] {
    std::map<TurnId, int> under;
    for (const Essence& essence : InUse()) {
      for (TurnId turn = essence.first_turn; turn <= essence.last_turn; ++turn) ++under[turn];
    }
    return under;
  };
  for (const auto& [turn, times] : in_use()) EXPECT_EQ(times, 1) << turn;
  EXPECT_FALSE(in_use().contains(gone));
  ASSERT_NO_FATAL_FAILURE(CompactTwo(150));
  for (const auto& [turn, times] : in_use()) EXPECT_EQ(times, 1) << turn;
  EXPECT_LE(PromptTokens(), 166);
}

TEST_F(EssenceTreeTest, ThePromptShowsIdAndTime) {
  for (int i = 0; i < 12; ++i) ASSERT_NO_FATAL_FAILURE(CompactTwo(100'000));
  for (const Essence& essence : InUse()) {
    const std::string line = memory::EssenceLine(essence);
    EXPECT_TRUE(line.starts_with("[essence " + std::to_string(essence.id))) << line;
    EXPECT_NE(line.substr(0, 60).find("2024-03-"), line.npos) << line;
    EXPECT_NE(line.find("Turns " + std::to_string(essence.first_turn) + "–"), line.npos) << line;
  }
}

TEST_F(EssenceTreeTest, RefusesWhatIsNotThere) {
  EXPECT_EQ(store_->UnfoldEssence(7).status().code(), StatusCode::kNotFound);
  ASSERT_NO_FATAL_FAILURE(CompactTwo(200));
  EXPECT_EQ(store_->UnfoldEssence(1, -1).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(store_->UnfoldEssence(1, 10, 99).status().code(), StatusCode::kNotFound);
  CompactionBatch batch;
  batch.session_id = session_;
  batch.essence_links = {{1, -2}};
  EXPECT_EQ(store_->Commit(batch).status().code(), StatusCode::kInvalidArgument);
  batch.essence_links = {{5, 0}};
  EXPECT_EQ(store_->Commit(batch).status().code(), StatusCode::kNotFound);
}

TEST_F(EssenceTreeTest, AForkUnfoldsWhatItTookOver) {
  ScriptedModel model;
  AgentOptions options;
  options.store = store_.get();
  options.model = &model;
  options.window_tokens = 512;
  options.session = "agent";
  options.idle_work = false;
  options.compaction = CompactionMode::kExtractive;
  auto agent = *Agent::Create(options);
  const auto speak = [](Agent& one, int from, int to) {
    for (int i = from; i < to; ++i) {
      ASSERT_TRUE(one.Send("The boat number " + std::to_string(1000 + i * 7) + " came in.").ok());
      ASSERT_TRUE(one.Compact().ok());
    }
  };
  speak(*agent, 0, 60);
  auto fork = agent->Fork("other");
  ASSERT_TRUE(fork.ok()) << fork.status().ToString();
  speak(*agent, 60, 70);
  speak(**fork, 200, 230);
  auto second = (*fork)->Fork("third");
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  for (const Agent* one : {fork->get(), second->get()}) {
    const std::vector<Essence> roots = *store_->Essences(one->session());
    ASSERT_FALSE(roots.empty());
    std::string all;
    std::set<TurnId> turns;
    for (const Essence& root : roots) {
      const auto unfolded = store_->UnfoldEssence(root.id, 10'000);
      ASSERT_TRUE(unfolded.ok());
      EXPECT_TRUE(root.level == 0 || !unfolded->children.empty()) << root.text;
      for (const Turn& turn : unfolded->turns) {
        EXPECT_TRUE(turns.insert(turn.id).second) << turn.id;
        all += turn.text;
      }
    }
    EXPECT_NE(all.find("1000 came"), all.npos) << "of the first session";
    EXPECT_EQ(all.find(std::to_string(1000 + 69 * 7) + " came"), all.npos)
        << "said in the first session after the fork";
    EXPECT_NE(all.find(std::to_string(1000 + 205 * 7) + " came"), all.npos) << "of the fork";
  }
  // What is deleted where it was said is gone from the forks' essences, too.
  const TurnId gone = store_->Essences(agent->session())->front().first_turn;
  ASSERT_TRUE(store_->DeleteTurns(std::span(&gone, 1)).ok());
  for (const Agent* one : {fork->get(), second->get()}) {
    const std::vector<Essence> all = *store_->Essences(one->session(), true);
    for (const Essence& essence : all) {
      EXPECT_FALSE(essence.first_turn <= gone && gone <= essence.last_turn) << essence.text;
    }
  }
}

TEST_F(EssenceTreeTest, AnAgentsPromptStaysBoundedOverFourHundredCompactions) {
  ScriptedModel model;
  AgentOptions options;
  options.store = store_.get();
  options.model = &model;
  options.window_tokens = 512;
  options.session = "agent";
  options.idle_work = false;
  std::string left_out;
  options.logger = Logger([&](LogLevel, std::string_view, std::string_view line) {
    if (line.find("left out of the window") != line.npos) left_out = line;
  });
  model.script = [](const std::string& prompt) -> Result<std::string> {
    const bool asked = prompt.find("Summarize the conversation") != std::string::npos;
    return std::string(asked ? "The user told the assistant that the boat came in with crabs."
                             : "All right.");
  };
  auto agent = *Agent::Create(options);
  while (agent->idle_status().compactions < 410) {
    const auto reply = agent->Send("The boat number " +
                                   std::to_string(1000 + agent->idle_status().compactions * 37) +
                                   " came in at dawn with fish and crabs, it was a long night.");
    ASSERT_TRUE(reply.ok()) << reply.status().ToString();
    ASSERT_TRUE(agent->Compact().ok());
    const auto info = agent->Window();
    ASSERT_LE(info->essences_tokens, info->essences_budget);
    ASSERT_EQ(left_out, "");
  }
  session_ = agent->session();
  EXPECT_LE(ExpectWhole(), 8);
}

}  // namespace
}  // namespace liubai
