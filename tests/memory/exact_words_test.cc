#include "memory/exact_words.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "liubai/agent.h"
#include "memory/compaction.h"
#include "tests/memory/scripted_model.h"
#include "tests/memory/store_fixture.h"

namespace liubai::memory {
namespace {

TEST(ExactTexts, KeepsLinesWholeAndReadsThemBack) {
  const std::vector<ExactLine> lines = {{9, "The code is 4417."},
                                        {3, "def f(x):\n    return x\n[7] not a line"},
                                        {9, "The code is 4417."},
                                        {5, "门牌号是14。"}};
  const ExactTexts exact("Turns 3–9 (2024-05-01): Exact words:", lines);
  EXPECT_EQ(exact.placed, std::vector<bool>(4, true));
  ASSERT_EQ(exact.texts.size(), 1u);
  const auto read = ReadExactLines(exact.texts.front());
  ASSERT_EQ(read.size(), 3u) << exact.texts.front();
  EXPECT_EQ(read[0].turn, 3);
  EXPECT_EQ(read[0].text, lines[1].text);
  EXPECT_EQ(read[1].text, lines[3].text);
  EXPECT_EQ(read[2].turn, 9);
}

TEST(ExactTexts, IsBoundedAndSaysWhatHasNoPlace) {
  std::vector<ExactLine> lines = {{1, std::string(kMostExactBytes, 'x')}};
  for (int i = 2; i < 1500; ++i) lines.push_back({i, std::string(140, 'a') + std::to_string(i)});
  const ExactTexts exact("Turns 1–1500:", lines);
  EXPECT_EQ(exact.texts.size(), kMostExactEssences);
  std::set<TurnId> held;
  for (const std::string& text : exact.texts) {
    EXPECT_LE(text.size(), kMostExactBytes);
    for (const ExactLine& line : ReadExactLines(text)) held.insert(line.turn);
  }
  EXPECT_FALSE(exact.placed.front()) << "longer than an essence";
  EXPECT_TRUE(exact.placed[1]) << "what follows it is not lost with it";
  EXPECT_FALSE(exact.placed.back());
  for (std::size_t i = 0; i < lines.size(); ++i)
    ASSERT_EQ(exact.placed[i], held.contains(lines[i].turn)) << i;
}

TEST(ExactLineOf, OfALongSentenceTheDetailIsWhole) {
  std::string text = "it is";
  for (int i = 0; i < 90; ++i) text += " on and on";
  text += " until gate B-417 opens";
  for (int i = 0; i < 20; ++i) text += " and on";
  for (const Detail& detail : ExtractDetails(text)) {
    const ExactLine line = ExactLineOf(detail, 4);
    EXPECT_NE(line.text.find(detail.text), std::string::npos) << line.text;
    EXPECT_LT(line.text.size(), detail.text.size() + 400) << line.text;
  }
}

class ExactWordsTest : public StoreAndRetriever {
 protected:
  // The same words in many turns, after the same words: no search of turns tells them apart.
  void AddLockers(int from, int to) {
    for (int i = from; i < to; ++i) {
      Add(Role::kAssistant, "Which number has the locker today?");
      Add(Role::kUser, "The number of the locker today is " + std::to_string(311 + 7 * i) + ".");
    }
  }
  CompactionOutcome Compact(TurnId from, TurnId to, const Logger& logger = {}) {
    CompactionRequest request;
    request.session = session_;
    std::vector<TurnId> ids;
    for (TurnId id = from; id <= to; ++id) ids.push_back(id);
    request.turns = *store_->GetTurns(ids);
    request.tokens_before = 100;
    request.essence_tokens = 48;
    request.all_essences_tokens = 160;
    request.essences = *store_->Essences(session_);
    request.count = FourBytesAToken;
    request.summarise = [](std::string_view, int, std::stop_token) -> Result<std::string> {
      return std::string("The user told the number of the locker.");
    };
    auto outcome = CompactTurns(*store_, *retriever_, request, logger, {});
    EXPECT_TRUE(outcome.ok()) << outcome.status().ToString();
    return outcome.ok() ? std::move(*outcome) : CompactionOutcome();
  }
  // All texts that unfolding the essences in use, again and again, brings.
  std::string Unfolded() {
    std::string all;
    std::vector<Essence> open = *store_->Essences(session_);
    while (!open.empty()) {
      const Essence one = std::move(open.back());
      open.pop_back();
      all += one.text + "\n";
      const auto unfolded = store_->UnfoldEssence(one.id, 0);
      EXPECT_TRUE(unfolded.ok()) << unfolded.status().ToString();
      for (const Essence& child : unfolded->children) open.push_back(child);
      for (const Essence& exact : unfolded->exact) {
        EXPECT_EQ(exact.method, kExact);
        all += exact.text + "\n";
      }
    }
    return all;
  }
};

TEST_F(ExactWordsTest, WhatIsNotProvedIsInAnEssenceThatUnfoldsAndIsFound) {
  AddLockers(0, 60);
  std::string log;
  const Logger logger([&](LogLevel level, std::string_view, std::string_view line) {
    if (level >= LogLevel::kWarning) log += std::string(line) + "\n";
  });
  std::size_t behind = 0;
  for (TurnId from = 1; from <= 120; from += 12) {
    Compact(from, from + 11, logger);
    const std::string all = Unfolded();
    const auto ledger = store_->Ledger(1, 1000);
    ASSERT_TRUE(ledger.ok());
    std::string in_use;
    const auto roots = store_->Essences(session_);
    for (const Essence& essence : *roots) {
      EXPECT_NE(essence.method, kExact);
      in_use += essence.text + "\n";
    }
    for (const LedgerEntry& entry : *ledger) {
      if (entry.state != LedgerState::kUnproved) continue;
      EXPECT_NE(all.find(entry.text), std::string::npos) << entry.text << " in " << all;
      if (in_use.find(entry.text) != std::string::npos) continue;
      ++behind;
      const auto hits = store_->SearchEssences("What number has the locker today?", 500);
      ASSERT_TRUE(hits.ok()) << hits.status().ToString();
      EXPECT_TRUE(std::any_of(hits->begin(), hits->end(), [&](const EssenceHit& hit) {
        return hit.turn_id == entry.turn_id && hit.text.find(entry.text) != std::string::npos;
      })) << entry.text;
    }
  }
  EXPECT_GT(behind, 20u);
  EXPECT_NE(log.find("stand word for word behind it: "), std::string::npos) << log;
}

TEST_F(ExactWordsTest, TheBestAndTheLatestComeFirstAndFewWordsInCommonAreNone) {
  AddLockers(0, 30);
  Compact(1, 60);
  const auto hits = store_->SearchEssences("locker number today", 5);
  ASSERT_TRUE(hits.ok());
  ASSERT_EQ(hits->size(), 5u);
  for (std::size_t i = 1; i < hits->size(); ++i)
    EXPECT_GE((*hits)[i - 1].turn_id, (*hits)[i].turn_id);
  EXPECT_EQ(hits->front().score, 1.0);
  EXPECT_TRUE(store_->SearchEssences("Where did the cat of the neighbour sleep?")->empty());
  EXPECT_TRUE(store_->SearchEssences("")->empty());
  EXPECT_TRUE(store_->SearchEssences("locker", 8, 77)->empty()) << "of another tenant";
}

// More than the essences behind one compaction hold: the log says so as an error, and the ledger
// and the turns have all of it.
TEST_F(ExactWordsTest, WhatHasNoPlaceIsAnErrorInTheLogAndIsNotLost) {
  constexpr int kTurns = 250;
  for (int i = 0; i < kTurns; ++i) {
    std::string numbers;
    for (int j = 0; j < 8; ++j) {
      numbers += fmt::format(
          "The number of locker row {} in the long corridor of the old station today is {}. ", j,
          30011 + 8 * i + j);
    }
    Add(Role::kUser, numbers);
  }
  std::string errors;
  const Logger logger([&](LogLevel level, std::string_view, std::string_view line) {
    if (level >= LogLevel::kError) errors += std::string(line) + "\n";
  });
  const CompactionOutcome outcome = Compact(1, kTurns, logger);
  EXPECT_NE(errors.find("have no place behind the essence"), std::string::npos) << errors;
  EXPECT_NE(errors.find(fmt::format("at most {} essences of {} bytes", kMostExactEssences,
                                    kMostExactBytes)),
            std::string::npos)
      << errors;
  EXPECT_EQ(outcome.report.details, static_cast<std::int64_t>(store_->Ledger(1, kTurns)->size()));
  EXPECT_GE(outcome.report.details, kTurns * 8);
  const auto last = store_->GetTurn(kTurns);
  ASSERT_TRUE(last.ok());
  EXPECT_NE(last->text.find(std::to_string(30011 + 8 * (kTurns - 1) + 7)), std::string::npos);
}

TEST_F(ExactWordsTest, ADeletionTakesItAlong) {
  AddLockers(0, 30);
  Compact(1, 60);
  const auto hits = store_->SearchEssences("locker number today", 500);
  ASSERT_FALSE(hits->empty());
  const TurnId gone = hits->front().turn_id;
  ASSERT_TRUE(store_->DeleteTurns(std::span(&gone, 1)).ok());
  EXPECT_TRUE(store_->SearchEssences("locker number today", 500)->empty());
  const auto left = store_->Essences(session_, true);
  for (const Essence& essence : *left)
    EXPECT_FALSE(essence.first_turn <= gone && gone <= essence.last_turn) << essence.text;
}

TEST_F(ExactWordsTest, AnAgentIsToldWhatOnlyTheEssencesHave) {
  AddLockers(0, 40);
  Compact(1, 80);
  ScriptedModel model;
  AgentOptions options;
  options.store = store_.get();
  options.model = &model;
  options.window_tokens = 4096;
  options.session = "another";
  options.idle_work = false;
  options.recall_turns = 2;
  auto agent = Agent::Create(options);
  ASSERT_TRUE(agent.ok()) << agent.status().ToString();
  const auto reply = (*agent)->Send("What is the number of the locker today?");
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_TRUE(std::any_of(reply->recalled.begin(), reply->recalled.end(),
                          [](const RecalledTurn& one) {
                            return one.why.starts_with("word for word") &&
                                   one.text.find("locker") != std::string::npos;
                          }))
      << reply->recalled.size();
}

}  // namespace
}  // namespace liubai::memory
