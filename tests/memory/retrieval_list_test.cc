// Questions for all there is of something, for what came before or after, for what is not so; what
// essences and a reranker do to the order.
#include "memory/retrieval_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "memory/kind_words.h"
#include "memory/question_relation.h"
#include "tests/memory/store_fixture.h"

namespace liubai {
namespace {

constexpr std::int64_t kDay = 86400000;
constexpr std::int64_t kMay8 = 1683504000000;  // 2023-05-08 00:00 UTC, a Monday.

class ListTest : public StoreAndRetriever {
 protected:
  TurnId Say(const std::string& session, std::string text, std::int64_t time_ms = kMay8,
             Role role = Role::kUser) {
    NewTurn turn;
    turn.session_id = *store_->EnsureSession(session);
    turn.role = role;
    turn.text = std::move(text);
    turn.time_ms = time_ms;
    auto id = store_->AppendTurn(turn);
    EXPECT_TRUE(id.ok()) << id.status().ToString();
    return id.ok() ? *id : 0;
  }
  RecallResult Ask(std::string text, int limit = 8, const Retriever* retriever = nullptr) {
    RecallQuery query;
    query.text = std::move(text);
    query.limit = limit;
    query.with_irrelevant = true;
    query.now_ms = kMay8 + 60 * kDay;
    auto result = (retriever != nullptr ? *retriever : *retriever_).Recall(query);
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    return result.ok() ? std::move(*result) : RecallResult();
  }
  static std::size_t Rank(const RecallResult& result, TurnId id) {
    const auto hit =
        std::ranges::find_if(result.hits, [&](const RecallHit& one) { return one.turn.id == id; });
    return static_cast<std::size_t>(hit - result.hits.begin());
  }
  static double Share(const RecallResult& result, TurnId id, RecallField field) {
    for (const RecallHit& hit : result.hits) {
      if (hit.turn.id != id) continue;
      for (const RecallSignal& signal : hit.signals) {
        if (signal.field == field) return signal.share;
      }
    }
    return 0;
  }
  std::unique_ptr<Retriever> With(const Reranker& reranker, int first = 50,
                                  std::int64_t budget_ms = 200) {
    RetrieverOptions options;
    options.reranker = &reranker;
    options.rerank_first = first;
    options.rerank_budget_ms = budget_ms;
    auto retriever = Retriever::Open(*store_, nullptr, options);
    EXPECT_TRUE(retriever.ok()) << retriever.status().ToString();
    return std::move(*retriever);
  }
};

TEST_F(ListTest, AQuestionForANumberGetsEachThingOnceFromManySessions) {
  const TurnId first = Say("a", "I bought a kayak paddle made of carbon fibre for the river.");
  const TurnId again =
      Say("b", "I bought a kayak paddle made of carbon fibre for the river!", kMay8 + 2 * kDay);
  const TurnId second =
      Say("c", "Then I bought a wooden kayak paddle at the harbour.", kMay8 + 5 * kDay);
  for (int i = 0; i < 6; ++i) {
    Say("talk", "A kayak paddle, a kayak paddle: number " + std::to_string(i) + " in the shop.",
        kMay8 + 3 * kDay);
  }
  const RecallResult result = Ask("How many kayak paddles did I buy?");
  EXPECT_TRUE(result.several);
  ASSERT_EQ(result.hits.size(), 8u);
  EXPECT_LT(Rank(result, second), 8u);
  // One of the two that tell the same stays, and names the other.
  const bool kept_first = Rank(result, first) < 8u;
  EXPECT_NE(kept_first, Rank(result, again) < 8u);
  const RecallHit& kept = result.hits[Rank(result, kept_first ? first : again)];
  ASSERT_EQ(kept.same.size(), 1u);
  EXPECT_EQ(kept.same[0].turn, kept_first ? again : first);
  EXPECT_EQ(kept.same[0].time_ms, kept_first ? kMay8 + 2 * kDay : kMay8);
  const std::vector<const RecallHit*> ordered = result.ByTime();
  for (std::size_t i = 1; i < ordered.size(); ++i) {
    EXPECT_LE(ordered[i - 1]->turn.time_ms, ordered[i]->turn.time_ms);
  }
  EXPECT_FALSE(Ask("Where is the kayak paddle?").several);
  EXPECT_TRUE(Ask("我一共买了几本书？").several);
}

TEST_F(ListTest, AThirdTurnOfASessionYieldsToOthersThatFitNearlyAsWell) {
  RecallResult result;
  const auto Hit = [&](TurnId id, SessionId session, double score, std::string text) {
    RecallHit& hit = result.hits.emplace_back();
    hit.turn.id = id;
    hit.turn.session_id = session;
    hit.turn.text = std::move(text);
    hit.score = score;
  };
  Hit(1, 1, 1.0, "The red boat sank near Malta.");
  Hit(2, 1, 0.99, "A green canoe capsized upstream yesterday.");
  Hit(3, 1, 0.98, "Some yellow raft drifted towards Iceland.");
  Hit(4, 2, 0.9, "My white ferry crossed the strait.");
  Hit(5, 3, 0.5, "Grandfather rowed a black gondola.");
  const auto Order = [](RecallResult of, bool spread) {
    memory::GatherItems(of, 4, spread);
    std::vector<TurnId> order;
    for (const RecallHit& hit : of.hits) order.push_back(hit.turn.id);
    return order;
  };
  EXPECT_EQ(Order(result, true), (std::vector<TurnId>{1, 2, 4, 3}));
  EXPECT_EQ(Order(result, false), (std::vector<TurnId>{1, 2, 3, 4}));
}

TEST_F(ListTest, TheSameWordsWithAnotherNumberAreAnotherThing) {
  Say("a", "The repair of the old motorbike cost 120 dollars at the garage.");
  Say("b", "The repair of the old motorbike cost 85 dollars at the garage.", kMay8 + kDay);
  const RecallResult result = Ask("How much did the motorbike repairs cost in total?");
  EXPECT_TRUE(result.several);
  ASSERT_EQ(result.hits.size(), 2u);
  EXPECT_TRUE(result.hits[0].same.empty());
}

TEST_F(ListTest, ALongTurnIsAnItemByItsBestSentences) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "The weather in the hills was nice and quiet all day. ";
  text += "By the way, I planted two pear trees. ";
  for (int i = 0; i < 30; ++i) text += "We walked along the lake and talked of old times. ";
  const auto [begin, end] = memory::ItemExcerpt(text, {"plant", "pear", "tree"});
  const std::string shown = text.substr(begin, end - begin);
  EXPECT_NE(shown.find("two pear trees"), std::string::npos);
  EXPECT_LE(shown.size(), 300u);
  EXPECT_EQ(memory::ItemExcerpt("Short.", {"short"}), (std::pair<std::size_t, std::size_t>(0, 6)));
  // Without a sentence's end a text is cut.
  EXPECT_LE(memory::ItemExcerpt(std::string(5000, 'x'), {"y"}).second, 600u);

  Say("a", text);
  Say("b", "I planted a cherry tree.", kMay8 + 3 * kDay);
  const RecallResult result = Ask("How many trees did I plant?");
  PackOptions options;
  options.budget_tokens = 500;
  options.count = [](std::string_view part) -> Result<std::int64_t> {
    return static_cast<std::int64_t>(part.size());
  };
  auto packed = PackMemories(result, options);
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(packed->turns.size(), 2u);
  EXPECT_LT(packed->text.find("pear"), packed->text.find("cherry"));
  EXPECT_LE(packed->tokens, 500);
}

TEST_F(ListTest, APackedListSaysWhenAThingWasToldAgain) {
  Say("a", "I visited the lighthouse museum with my uncle Peter.");
  Say("b", "I visited the lighthouse museum with my uncle Peter.", kMay8 + 9 * kDay);
  const RecallResult result = Ask("How many museums did I visit?");
  ASSERT_EQ(result.hits.size(), 1u);
  PackOptions options;
  options.count = [](std::string_view part) -> Result<std::int64_t> {
    return static_cast<std::int64_t>(part.size());
  };
  auto packed = PackMemories(result, options);
  ASSERT_TRUE(packed.ok());
  EXPECT_NE(packed->text.find("told again on 2023-05-"), std::string::npos);
}

TEST_F(ListTest, AThingIsFoundByItsKind) {
  EXPECT_NE(memory::KindWordsFor("How many pieces of furniture did I buy?").find("sofa"),
            std::string::npos);
  EXPECT_NE(memory::KindWordsFor("我买了几件家具？").find("沙发"), std::string::npos);
  EXPECT_EQ(memory::KindWordsFor("Who is Tom?"), "");
  EXPECT_EQ(memory::KindWordsFor(""), "");
  // "part" is no kind of art.
  EXPECT_EQ(memory::KindWordsFor("Which part of the wall is wet?"), "");
  const TurnId sofa = Say("a", "We carried the new sofa upstairs.");
  for (int i = 0; i < 20; ++i) Say("b", "It was day " + std::to_string(i) + " of the rain.");
  const RecallResult result = Ask("Which furniture do I own?");
  ASSERT_FALSE(result.hits.empty());
  EXPECT_EQ(result.hits[0].turn.id, sofa);
  EXPECT_GT(Share(result, sofa, RecallField::kKind), 0.9);
}

TEST_F(ListTest, WhatCameBeforeAnEventIsLiftedAndNothingHidden) {
  const TurnId long_before = Say("a", "I repainted the fence.", kMay8 - 200 * kDay);
  const TurnId day_before = Say("b", "I repainted the shed.", kMay8 + 9 * kDay);
  Say("c", "Today I moved to Lyon with all my boxes.", kMay8 + 10 * kDay);
  const TurnId after = Say("d", "I repainted the kitchen.", kMay8 + 12 * kDay);
  const RecallResult before = Ask("What did I repaint the day before I moved to Lyon?");
  EXPECT_GT(Share(before, day_before, RecallField::kOrder),
            Share(before, long_before, RecallField::kOrder));
  EXPECT_EQ(Share(before, after, RecallField::kOrder), 0);
  EXPECT_LT(Rank(before, day_before), Rank(before, after));
  EXPECT_LT(Rank(before, after), before.hits.size());
  const RecallResult later = Ask("What did I repaint after I moved to Lyon?");
  EXPECT_GT(Share(later, after, RecallField::kOrder), 0.5);
  EXPECT_LT(Rank(later, after), Rank(later, day_before));
}

TEST(OrderAnchor, ReadsEventsAndNotTimes) {
  const auto Read = [](std::string_view text) {
    return memory::ReadOrderAnchors(text, memory::ReadQuestion(text, kMay8));
  };
  auto anchors = Read("Where did I eat two weeks after the interview at the bank?");
  ASSERT_EQ(anchors.size(), 1u);
  EXPECT_FALSE(anchors[0].before);
  EXPECT_EQ(anchors[0].event, "the interview at the bank");
  EXPECT_EQ(anchors[0].days, 14.0);
  anchors = Read("How many days before I moved did I sign the lease?");
  ASSERT_EQ(anchors.size(), 1u);
  EXPECT_TRUE(anchors[0].before);
  EXPECT_EQ(anchors[0].event, "i moved");
  EXPECT_FALSE(anchors[0].days.has_value());
  anchors = Read("我搬家的前一天吃了什么？");
  ASSERT_EQ(anchors.size(), 1u);
  EXPECT_TRUE(anchors[0].before);
  EXPECT_EQ(anchors[0].days, 1.0);
  EXPECT_FALSE(Read("面试结束之后我去了哪里？").empty());
  EXPECT_TRUE(Read("What did I do after May 5?").empty());
  EXPECT_TRUE(Read("三天以前我在哪里？").empty());
  EXPECT_TRUE(Read("Did she call before or after?").empty());
  EXPECT_TRUE(Read("Who is the cat named after?").empty());
  EXPECT_TRUE(Read("before").empty());
  EXPECT_TRUE(Read("").empty());
}

TEST_F(ListTest, WhatTheQuestionDeniesIsSoughtAmongDenials) {
  const TurnId likes = Say("a", "I eat mushrooms, mushrooms are what I eat each Friday.");
  const TurnId never = Say("b", "I never eat mushrooms.");
  Say("c", "Nothing but rain again.");
  const RecallResult result = Ask("What do I never eat?");
  EXPECT_EQ(Share(result, likes, RecallField::kNegation), 0);
  EXPECT_EQ(Share(result, never, RecallField::kNegation), 1);
  EXPECT_LT(Rank(result, likes), result.hits.size());
  const auto Terms = [](std::string_view text) {
    return memory::NegatedTerms(text, memory::ReadQuestion(text, kMay8));
  };
  EXPECT_EQ(Terms("Which book did I not finish?"), std::vector<std::string>{"finish"});
  EXPECT_TRUE(Terms("Which book did I finish?").empty());
  EXPECT_EQ(memory::DeniesToo("我没去成北京。", Terms("我没去成哪里？")) > 0, true);
  EXPECT_EQ(memory::DeniesToo("", {"finish"}), 0);
}

TEST_F(ListTest, AnEssenceLiftsTheTurnsThatItCovers) {
  const TurnId covered = Say("a", "It went well, and she agreed to all of it.");
  for (int i = 0; i < 12; ++i) {
    Say("b", "It went on, line " + std::to_string(i) + ", and all of it was fine.");
  }
  const std::string question = "What came of the salary negotiation?";
  const auto Has = [&](const RecallResult& result) { return Rank(result, covered); };
  EXPECT_EQ(Has(Ask(question, 20)), Ask(question, 20).hits.size());
  CompactionBatch batch;
  batch.session_id = *store_->EnsureSession("a");
  Essence essence;
  essence.session_id = batch.session_id;
  essence.first_turn = essence.last_turn = covered;
  essence.text = "The salary negotiation with her.";
  essence.method = "extractive";
  batch.essences.push_back(essence);
  ASSERT_TRUE(store_->Commit(batch).ok());
  const RecallResult result = Ask(question, 20);
  EXPECT_EQ(Has(result), 0u);
  EXPECT_GT(Share(result, covered, RecallField::kEssence), 0.5);
  EXPECT_NE(result.hits[0].Why().find("essence"), std::string::npos);
}

// Longer turns first: deterministic, and another order than recall's.
class ByLength : public Reranker {
 public:
  const std::string& name() const override { return name_; }
  Result<std::vector<double>> Score(std::string_view, std::span<const RerankCandidate> candidates,
                                    std::int64_t budget_ms, std::stop_token) const override {
    calls_ += 1;
    seen_ = candidates.size();
    if (mode == "error") return Status(StatusCode::kUnavailable, "it sleeps");
    if (mode == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(budget_ms + 5));
    std::vector<double> scores;
    for (const RerankCandidate& candidate : candidates) {
      scores.push_back(static_cast<double>(candidate.turn->text.size()));
    }
    if (mode == "few") scores.pop_back();
    if (mode == "nan") scores[0] = std::numeric_limits<double>::quiet_NaN();
    return scores;
  }
  std::string mode;
  mutable int calls_ = 0;
  mutable std::size_t seen_ = 0;

 private:
  std::string name_ = "by length";
};

TEST_F(ListTest, ARerankerOrdersTheFirstHitsAndNoOthers) {
  const TurnId brief = Say("a", "The comet was green.");
  const TurnId wordy =
      Say("b", "Somebody said that a comet might come by at some point, or so it was told to us.");
  Say("c", "Comets are ice.");
  const RecallResult own = Ask("What colour was the green comet?");
  EXPECT_FALSE(own.reranked);
  ASSERT_EQ(own.hits[0].turn.id, brief);
  ByLength reranker;
  const auto retriever = With(reranker);
  const RecallResult result = Ask("What colour was the green comet?", 8, retriever.get());
  EXPECT_TRUE(result.reranked);
  ASSERT_EQ(result.hits.size(), own.hits.size());
  EXPECT_EQ(result.hits[0].turn.id, wordy);
  const auto two = With(reranker, 2);
  const RecallResult part = Ask("What colour was the green comet?", 8, two.get());
  EXPECT_EQ(reranker.seen_, 2u);
  EXPECT_EQ(part.hits.back().turn.id, own.hits.back().turn.id);
  // Sessions are ranked by recall's own scores.
  const int before = reranker.calls_;
  RecallQuery query;
  query.text = "the green comet";
  ASSERT_TRUE(retriever->RecallSessions(query).ok());
  EXPECT_EQ(reranker.calls_, before);
}

TEST_F(ListTest, ARerankerThatFailsIsToldOfAndLeavesTheOrder) {
  Say("a", "The comet was green.");
  Say("b", "Somebody said that a comet might come by at some point, or so it was told to us.");
  const RecallResult own = Ask("What colour was the green comet?");
  for (const char* mode : {"error", "few", "nan", "slow"}) {
    ByLength reranker;
    reranker.mode = mode;
    const auto retriever = With(reranker, 50, 20);
    const RecallResult result = Ask("What colour was the green comet?", 8, retriever.get());
    EXPECT_FALSE(result.reranked) << mode;
    EXPECT_NE(result.note.find("reranker by length is not heard"), std::string::npos) << mode;
    ASSERT_EQ(result.hits.size(), own.hits.size());
    for (std::size_t i = 0; i < own.hits.size(); ++i) {
      EXPECT_EQ(result.hits[i].turn.id, own.hits[i].turn.id) << mode;
    }
  }
  RetrieverOptions options;
  options.rerank_first = 0;
  EXPECT_EQ(Retriever::Open(*store_, nullptr, options).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(ListTest, ASessionIsFoundByASentenceAndByAKind) {
  Say("a", "The oak table wobbles. Trees are tall. Oak is hard.");
  Say("b", "Rain. Nothing else.");
  RecallQuery query;
  query.text = "Which furniture wobbles?";
  query.now_ms = kMay8;
  auto sessions = retriever_->RecallSessions(query);
  ASSERT_TRUE(sessions.ok());
  ASSERT_FALSE(sessions->empty());
  const auto Share = [&](SessionField field) {
    for (const SessionSignal& signal : sessions->front().signals) {
      if (signal.field == field) return signal.share;
    }
    return 0.0;
  };
  EXPECT_EQ(Share(SessionField::kSentence), 1);
  EXPECT_EQ(Share(SessionField::kKind), 1);
}

}  // namespace
}  // namespace liubai
