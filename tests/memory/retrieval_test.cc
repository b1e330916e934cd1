#include "liubai/retrieval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "memory/date_expression.h"
#include "memory/question.h"

namespace liubai {
namespace {

constexpr std::int64_t kDay = 86400000;
constexpr std::int64_t kMay8 = 1683504000000;  // 2023-05-08 00:00 UTC, a Monday.

// Vectors from the words of a text: deterministic, and near for texts that share words. It stands
// where the ways of vectors are tested, not their quality.
class HashEmbedder : public Embedder {
 public:
  explicit HashEmbedder(std::string id = "hash-1") : id_(std::move(id)) {}
  const std::string& id() const override { return id_; }
  const std::string& name() const override { return name_; }
  int dimension() const override { return 64; }
  int max_tokens() const override { return 64; }
  Result<int> CountTokens(std::string_view text, EmbedKind) const override {
    return static_cast<int>(Words(text).size()) + 2;
  }
  Result<double> UnknownShare(std::string_view text) const override {
    return Words(text).empty() ? 1.0 : 0.0;
  }
  Result<std::vector<float>> Embed(std::span<const std::string_view> texts, EmbedKind kind,
                                   std::stop_token stop) const override {
    Result<std::vector<TokenVectors>> tokens = EmbedTokens(texts, kind, stop);
    if (!tokens.ok()) return tokens.status();
    std::vector<float> out;
    for (const TokenVectors& text : *tokens) {
      std::vector<float> mean(64, 0.0f);
      for (std::size_t i = 0; i < text.vectors.size(); ++i) mean[i % 64] += text.vectors[i];
      double squares = 1e-12;
      for (const float value : mean) squares += value * value;
      for (const float value : mean) out.push_back(static_cast<float>(value / std::sqrt(squares)));
    }
    return out;
  }
  Result<std::vector<TokenVectors>> EmbedTokens(std::span<const std::string_view> texts, EmbedKind,
                                                std::stop_token) const override {
    std::vector<TokenVectors> out;
    for (const std::string_view text : texts) {
      TokenVectors& tokens = out.emplace_back();
      for (const auto& [begin, end] : Words(text)) {
        if (Words(text).size() + 2 > 64) return Status(StatusCode::kInvalidArgument, "too long");
        tokens.begin.push_back(static_cast<std::uint32_t>(begin));
        tokens.end.push_back(static_cast<std::uint32_t>(end));
        std::size_t seed = std::hash<std::string_view>()(text.substr(begin, end - begin));
        for (int i = 0; i < 64; ++i) {
          seed = seed * 6364136223846793005ull + 1442695040888963407ull;
          tokens.vectors.push_back(
              static_cast<float>(static_cast<int>(seed >> 40) % 1000) / 1000.0f - 0.5f);
        }
      }
    }
    return out;
  }

 private:
  static std::vector<std::pair<std::size_t, std::size_t>> Words(std::string_view text) {
    std::vector<std::pair<std::size_t, std::size_t>> words;
    for (std::size_t i = 0; i < text.size();) {
      while (i < text.size() && !std::isalnum(static_cast<unsigned char>(text[i]))) ++i;
      const std::size_t begin = i;
      while (i < text.size() && std::isalnum(static_cast<unsigned char>(text[i]))) ++i;
      if (i > begin) words.emplace_back(begin, i);
    }
    return words;
  }
  std::string id_;
  std::string name_ = "hash";
};

class RetrievalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "liubai-recall-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    auto store = Store::Open(folder_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
    auto session = store_->EnsureSession("first");
    ASSERT_TRUE(session.ok());
    session_ = *session;
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  TurnId Say(std::string speaker, std::string text, std::int64_t time_ms = kMay8) {
    NewTurn turn;
    turn.session_id = session_;
    turn.speaker = std::move(speaker);
    turn.text = std::move(text);
    turn.time_ms = time_ms;
    auto id = store_->AppendTurn(turn);
    EXPECT_TRUE(id.ok()) << id.status().ToString();
    return id.ok() ? *id : 0;
  }
  std::unique_ptr<Retriever> Open(const Embedder* embedder = nullptr) {
    auto retriever = Retriever::Open(*store_, embedder);
    EXPECT_TRUE(retriever.ok()) << retriever.status().ToString();
    return std::move(*retriever);
  }
  RecallResult Ask(const Retriever& retriever, std::string text, RecallQuery query = {}) {
    query.text = std::move(text);
    auto result = retriever.Recall(query);
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    return result.ok() ? std::move(*result) : RecallResult();
  }

  std::string folder_;
  std::unique_ptr<Store> store_;
  SessionId session_ = 0;
};

TEST_F(RetrievalTest, FindsByWordsAloneAndSaysSo) {
  Say("Ann", "I paid 4,237 dollars for the boat.");
  const TurnId parrot = Say("Bob", "My parrot is called Pablo.");
  Say("Ann", "It rains again.");
  auto retriever = Open();
  const RecallResult result = Ask(*retriever, "What is the parrot called?");
  ASSERT_FALSE(result.hits.empty());
  EXPECT_EQ(result.hits[0].turn.id, parrot);
  EXPECT_FALSE(result.by_meaning);
  EXPECT_NE(result.note.find("words only"), std::string::npos);
  EXPECT_EQ(result.hits[0].words.size(), 2u);
  EXPECT_NE(result.hits[0].Why().find("words"), std::string::npos);
  EXPECT_FALSE(result.hits[0].signals.empty());
}

TEST_F(RetrievalTest, NothingRelevantIsAResult) {
  Say("Ann", "I paid 4,237 dollars for the boat.");
  auto retriever = Open();
  EXPECT_TRUE(Ask(*retriever, "quantum chromodynamics lecture").hits.empty());
}

TEST_F(RetrievalTest, TurnsInTheWindowAreLeftOutInEveryField) {
  const HashEmbedder embedder;
  const TurnId first = Say("Ann", "The boat is blue.");
  const TurnId second = Say("Ann", "The boat is blue and old.");
  auto retriever = Open(&embedder);
  ASSERT_TRUE(retriever->IndexPending(100).ok());
  RecallQuery query;
  query.filter.exclude = {first};
  query.with_irrelevant = true;
  const RecallResult result = Ask(*retriever, "Which colour has the boat?", query);
  ASSERT_EQ(result.hits.size(), 1u);
  EXPECT_EQ(result.hits[0].turn.id, second);
  EXPECT_TRUE(result.by_meaning);
}

TEST_F(RetrievalTest, AQuestionInALanguageThatTheEmbedderDoesNotKnowIsSearchedByWords) {
  const HashEmbedder embedder;
  Say("Ann", "The boat is blue.");
  const TurnId turn = Say("Ann", "我们的船是蓝色的。");
  auto retriever = Open(&embedder);
  ASSERT_TRUE(retriever->IndexPending(100).ok());
  const RecallResult result = Ask(*retriever, "船是什么颜色？", {});
  EXPECT_FALSE(result.by_meaning);
  EXPECT_NE(result.note.find("does not know the language"), std::string::npos) << result.note;
  ASSERT_FALSE(result.hits.empty());
  EXPECT_EQ(result.hits[0].turn.id, turn);
}

TEST_F(RetrievalTest, IndexesOnceAndFindsNewTurnsByWordsBefore) {
  const HashEmbedder embedder;
  auto retriever = Open(&embedder);
  for (int i = 0; i < 30; ++i) Say("Ann", "Sentence about nothing, number " + std::to_string(i));
  auto progress = retriever->IndexPending(10);
  ASSERT_TRUE(progress.ok()) << progress.status().ToString();
  EXPECT_EQ(progress->embedded, 10);
  EXPECT_EQ(progress->pending, 20);
  const TurnId harp = Say("Bob", "I bought a harp.");
  EXPECT_EQ(Ask(*retriever, "Who bought a harp?").hits.at(0).turn.id, harp);
  progress = retriever->IndexPending(1000);
  ASSERT_TRUE(progress.ok());
  EXPECT_EQ(progress->embedded, 21);
  EXPECT_EQ(progress->pending, 0);
  EXPECT_EQ(retriever->status().vectors, 31);
  ASSERT_TRUE(retriever->Publish().ok());
  auto problems = retriever->Verify();
  ASSERT_TRUE(problems.ok());
  EXPECT_TRUE(problems->empty());
}

TEST_F(RetrievalTest, ALongTurnIsCutIntoPiecesAndStaysOneResult) {
  const HashEmbedder embedder;
  std::string text;
  for (int i = 0; i < 400; ++i) text += "filler" + std::to_string(i) + " ";
  text += "The password of the vault is marzipan. ";
  for (int i = 400; i < 800; ++i) text += "filler" + std::to_string(i) + " ";
  const TurnId id = Say("Ann", text);
  Say("Bob", "Good night.");
  auto retriever = Open(&embedder);
  auto progress = retriever->IndexPending(10);
  ASSERT_TRUE(progress.ok()) << progress.status().ToString();
  EXPECT_EQ(progress->embedded, 2);
  EXPECT_GT(progress->vectors, 10);
  const RecallResult result = Ask(*retriever, "password of the vault");
  ASSERT_FALSE(result.hits.empty());
  int times = 0;
  for (const RecallHit& hit : result.hits) times += hit.turn.id == id ? 1 : 0;
  EXPECT_EQ(times, 1);
  const RecallHit& hit = result.hits[0];
  EXPECT_NE(text.substr(hit.begin, hit.end - hit.begin).find("marzipan"), std::string::npos);
  EXPECT_LT(hit.end - hit.begin, 1000u);
}

TEST_F(RetrievalTest, AVeryLongTurnKeepsNoOtherWaiting) {
  HashEmbedder embedder;
  std::string text;
  while (text.size() < 150'000) text += "the log says again and again ";
  const TurnId long_turn = Say("Mia", text);
  for (int i = 0; i < 3; ++i) Say("Mia", "A short word on whales, part " + std::to_string(i));
  const auto retriever = Open(&embedder);
  const auto pending = [&] {
    const auto known = store_->Embedders();
    EXPECT_TRUE(known.ok() && known->size() == 1);
    auto ids = store_->PendingEmbeddings(known->front().id, UnitKind::kTurn, 10);
    EXPECT_TRUE(ids.ok());
    return ids.ok() ? *ids : std::vector<std::int64_t>();
  };
  EXPECT_EQ(pending().front(), long_turn);
  auto progress = retriever->IndexPending(3);
  ASSERT_TRUE(progress.ok()) << progress.status().ToString();
  EXPECT_EQ(progress->embedded, 3);
  EXPECT_EQ(pending(), std::vector<std::int64_t>{long_turn});
  progress = retriever->IndexPending(3);
  ASSERT_TRUE(progress.ok()) << progress.status().ToString();
  EXPECT_EQ(progress->embedded, 1);
  EXPECT_GT(progress->vectors, 100);
  EXPECT_TRUE(pending().empty());
}

TEST_F(RetrievalTest, AnotherEmbedderStartsAfreshAndNeverMixes) {
  const HashEmbedder first("hash-1"), second("hash-2");
  Say("Ann", "The boat is blue.");
  ASSERT_TRUE(Open(&first)->IndexPending(10).ok());
  auto retriever = Open(&second);
  EXPECT_EQ(retriever->status().vectors, 0);
  auto progress = retriever->IndexPending(10);
  ASSERT_TRUE(progress.ok());
  EXPECT_EQ(progress->embedded, 1);
}

TEST_F(RetrievalTest, ADeletedTurnIsNotFoundAgain) {
  const HashEmbedder embedder;
  const TurnId secret = Say("Ann", "The canary sings in the cellar.");
  Say("Bob", "Oh.");
  auto retriever = Open(&embedder);
  ASSERT_TRUE(retriever->IndexPending(10).ok());
  ASSERT_TRUE(retriever->Publish().ok());
  ASSERT_FALSE(Ask(*retriever, "canary cellar").hits.empty());
  ASSERT_TRUE(store_->DeleteTurns(std::vector<TurnId>{secret}).ok());
  RecallQuery query;
  query.with_irrelevant = true;
  for (const RecallHit& hit : Ask(*retriever, "canary cellar", query).hits) {
    EXPECT_NE(hit.turn.id, secret);
  }
  ASSERT_TRUE(retriever->Publish().ok());
  EXPECT_EQ(retriever->status().tombstones, 0);
}

TEST_F(RetrievalTest, ARelativeDateReachesTheTurnOfThatDay) {
  Say("Ann", "Nothing much.", kMay8);
  const TurnId kite = Say("Ann", "We flew a kite.", kMay8 + 10 * kDay);
  Say("Ann", "Resting today.", kMay8 + 20 * kDay);
  auto retriever = Open();
  RecallQuery query;
  query.now_ms = kMay8 + 13 * kDay;
  EXPECT_EQ(Ask(*retriever, "What happened three days ago?", query).hits.at(0).turn.id, kite);
}

TEST_F(RetrievalTest, WhatTheUserSaidComesBeforeWhatTheAssistantSaidAndTheOtherWayRound) {
  const auto SayAs = [&](Role role, std::string text) {
    NewTurn turn;
    turn.session_id = session_;
    turn.role = role;
    turn.text = std::move(text);
    turn.time_ms = kMay8;
    auto id = store_->AppendTurn(turn);
    EXPECT_TRUE(id.ok()) << id.status().ToString();
    return id.ok() ? *id : 0;
  };
  const TurnId told = SayAs(Role::kUser, "By the way, I sold my red bicycle to a neighbour.");
  const TurnId advice = SayAs(Role::kAssistant, "A bicycle, red or not, wants oil on its chain.");
  for (int i = 0; i < 20; ++i) {
    SayAs(Role::kUser, "filler " + std::to_string(i));
    SayAs(Role::kAssistant, "more filler " + std::to_string(i));
  }
  auto retriever = Open();
  EXPECT_EQ(Ask(*retriever, "What about my red bicycle?").hits.at(0).turn.id, told);
  EXPECT_EQ(
      Ask(*retriever, "What did you say you recommended for the red bicycle?").hits.at(0).turn.id,
      advice);
}

TEST_F(RetrievalTest, AmongLongTurnsATurnStandsForItself) {
  // Every neighbour of the second half has the words of the question many times.
  std::string lecture;
  for (int i = 0; i < 120; ++i) lecture += "lecture" + std::to_string(i) + " ";
  const TurnId answer = Say("", "The lighthouse keeper owns a harmonium.");
  for (int i = 0; i < 4; ++i) Say("", lecture);
  Say("", lecture + "lighthouse");
  Say("", lecture + "lighthouse keeper");
  const TurnId between = Say("", lecture);
  Say("", lecture + "keeper lighthouse");
  Say("", lecture + "harmonium");
  auto retriever = Open();
  RecallQuery query;
  query.with_irrelevant = true;
  const RecallResult result = Ask(*retriever, "lighthouse keeper harmonium", query);
  ASSERT_GE(result.hits.size(), 5u);
  EXPECT_EQ(result.hits[0].turn.id, answer);
  const auto Rank = [&](const RecallResult& found) {
    std::size_t rank = 0;
    while (rank < found.hits.size() && found.hits[rank].turn.id != between) ++rank;
    return rank;
  };
  // As if no turn were long, its neighbours carry it up.
  RetrieverOptions options;
  options.weights = {{"short_turn", 1e9}};
  auto other = Retriever::Open(*store_, nullptr, options);
  ASSERT_TRUE(other.ok());
  EXPECT_GT(Rank(result), Rank(Ask(**other, "lighthouse keeper harmonium", query)));
}

TEST_F(RetrievalTest, ARareDateOutweighsACommonOne) {
  for (int day = 0; day < 40; ++day) {
    auto session = store_->EnsureSession("day " + std::to_string(day));
    ASSERT_TRUE(session.ok());
    session_ = *session;
    Say("", "A chat about chess, number " + std::to_string(day), kMay8 + day * kDay);
  }
  auto retriever = Open();
  const auto Date = [&](std::string text) {
    RecallQuery query;
    query.text = std::move(text);
    query.now_ms = kMay8 + 45 * kDay;
    query.limit = 40;
    auto sessions = retriever->RecallSessions(query);
    EXPECT_TRUE(sessions.ok()) << sessions.status().ToString();
    double best = 0;
    for (const SessionHit& hit : *sessions) {
      for (const SessionSignal& signal : hit.signals) {
        if (signal.field == SessionField::kDate) best = std::max(best, signal.share);
      }
    }
    return best;
  };
  EXPECT_GT(Date("What did we play 10 days ago?"), Date("What did we play last month?"));
  EXPECT_GT(Date("What did we play last month?"), 0);
}

TEST_F(RetrievalTest, RefusesBadQuestions) {
  auto retriever = Open();
  RecallQuery query;
  query.limit = 0;
  query.text = "x";
  EXPECT_EQ(retriever->Recall(query).status().code(), StatusCode::kInvalidArgument);
  query.limit = 1;
  query.text = "\xff";
  EXPECT_EQ(retriever->Recall(query).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(RetrievalTest, SessionsAreRankedByTheirWords) {
  Say("", "We talked about gardening.");
  Say("", "Roses and tulips.");
  auto second = store_->EnsureSession("second");
  ASSERT_TRUE(second.ok());
  session_ = *second;
  Say("", "The telescope showed Saturn.");
  Say("", "A telescope needs a dark sky.");
  auto retriever = Open();
  RecallQuery query;
  query.text = "my telescope";
  auto sessions = retriever->RecallSessions(query);
  ASSERT_TRUE(sessions.ok()) << sessions.status().ToString();
  ASSERT_FALSE(sessions->empty());
  EXPECT_EQ(sessions->front().session_id, *second);
  EXPECT_NE(sessions->front().best_turn, 0);
}

TEST_F(RetrievalTest, PacksOldestFirstTheBestLastUnderTheBudget) {
  const TurnId old_turn = Say("Ann", "The boat cost 4,237 dollars.", kMay8);
  Say("Ann", "Lunch was fine.", kMay8 + kDay);
  Say("Ann", "Weather turns.", kMay8 + kDay);
  Say("Ann", "Trees grow.", kMay8 + kDay);
  const TurnId new_turn = Say("Ann", "The boat sank.", kMay8 + 3 * kDay);
  auto retriever = Open();
  RecallResult result = Ask(*retriever, "What did the boat cost in dollars?");
  ASSERT_GE(result.hits.size(), 2u);
  EXPECT_EQ(result.hits[0].turn.id, old_turn);
  PackOptions options;
  options.most = 2;
  options.count = [](std::string_view text) -> Result<std::int64_t> {
    return static_cast<std::int64_t>(text.size());
  };
  options.budget_tokens = 1000;
  auto packed = PackMemories(result, options);
  ASSERT_TRUE(packed.ok());
  ASSERT_EQ(packed->turns.size(), 2u);
  EXPECT_EQ(packed->turns.back(), old_turn);
  EXPECT_NE(packed->text.find("[2023-05-08 00:00] Ann: The boat cost 4,237 dollars."),
            std::string::npos);
  options.budget_tokens = 60;
  packed = PackMemories(result, options);
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(packed->turns, std::vector<TurnId>{old_turn});
  EXPECT_LE(packed->tokens, 60);
  EXPECT_GT(packed->left_out, 0);
  (void)new_turn;
}

TEST(Question, SaysWhoseWordsItAsksFor) {
  const auto Self = [](std::string_view text) { return memory::ReadQuestion(text).about_self; };
  const auto Assistant = [](std::string_view text) {
    return memory::ReadQuestion(text).about_assistant;
  };
  EXPECT_TRUE(Self("How old was I when my sister was born?"));
  EXPECT_TRUE(Self("I’m looking for it"));
  EXPECT_TRUE(Self("我的自行车是什么颜色?"));
  EXPECT_FALSE(Self("When did Caroline visit Rome in winter?"));
  EXPECT_TRUE(Assistant("Which wine did you recommend, the one you suggested in May?"));
  EXPECT_TRUE(Assistant("Can you remind me of the name?"));
  EXPECT_TRUE(Assistant("In our last conversation there was a list."));
  EXPECT_TRUE(Assistant("你上次推荐的书是哪本?"));
  EXPECT_FALSE(Assistant("Can you suggest a hotel for me?"));
  EXPECT_FALSE(Assistant("你能推荐一本书吗?"));
  EXPECT_EQ(memory::CountFirstPerson("I've told my aunt, imitating me. 我和我的猫"), 5);
  EXPECT_EQ(memory::CountFirstPerson("The mine is over there; it is inside."), 1);
  EXPECT_LT(memory::TopicWeight("week"), memory::TopicWeight("chess"));
  EXPECT_LT(memory::TopicWeight("几天"), memory::TopicWeight("象棋"));
}

TEST(DateExpression, IsCloserToTheMiddleOfWhatIsOnlyAboutRight) {
  const memory::TimeRange weeks = memory::FindTimeRanges("three weeks ago", kMay8).at(0);
  EXPECT_GT(memory::Closeness(weeks, kMay8 - 21 * kDay),
            memory::Closeness(weeks, kMay8 - 23 * kDay));
  EXPECT_GE(memory::Closeness(weeks, kMay8 - 23 * kDay), 0.5);
  EXPECT_LT(memory::Closeness(weeks, kMay8 - 24 * kDay), 0.5);
  EXPECT_GT(memory::Closeness(weeks, kMay8 - 24 * kDay), 0);
  EXPECT_EQ(memory::Closeness(weeks, kMay8 - 30 * kDay), 0);
  const memory::TimeRange day = memory::FindTimeRanges("on 8 May 2023", kMay8).at(0);
  EXPECT_EQ(memory::Closeness(day, kMay8), 1);
  EXPECT_EQ(memory::Closeness(day, kMay8 + kDay - 1), 1);
}

TEST(DateExpression, ReadsWhatPeopleSay) {
  const std::int64_t now = kMay8 + 12 * 3600000;
  const auto One = [&](std::string_view text) {
    const std::vector<memory::TimeRange> ranges = memory::FindTimeRanges(text, now);
    EXPECT_EQ(ranges.size(), 1u) << text;
    return ranges.empty() ? memory::TimeRange{0, 0} : ranges.front();
  };
  const auto Holds = [](memory::TimeRange range, std::int64_t at) {
    return at >= range.from_ms && at < range.to_ms;
  };
  EXPECT_TRUE(Holds(One("what did I do yesterday?"), kMay8 - kDay / 2));
  EXPECT_TRUE(Holds(One("four weeks ago"), kMay8 - 28 * kDay));
  EXPECT_EQ(One("5 days ago").from_ms, kMay8 - 5 * kDay);
  EXPECT_EQ(One("last Saturday").from_ms, kMay8 - 2 * kDay);
  EXPECT_EQ(One("last Monday").from_ms, kMay8 - 7 * kDay);
  EXPECT_EQ(One("on 8 May 2023").from_ms, kMay8);
  EXPECT_EQ(One("May 8th, 2023?").from_ms, kMay8);
  EXPECT_EQ(One("2023-05-08").to_ms, kMay8 + kDay);
  EXPECT_TRUE(Holds(One("in March"), kMay8 - 50 * kDay));
  EXPECT_EQ(One("三天前说了什么").from_ms, kMay8 - 3 * kDay);
  EXPECT_EQ(One("昨天").from_ms, kMay8 - kDay);
  for (const std::string_view text :
       {"may I march", "last time", "a few ago", "31 February 2023", ""}) {
    EXPECT_TRUE(memory::FindTimeRanges(text, now).empty()) << text;
  }
  EXPECT_EQ(memory::FormatMinute(kMay8 + 13 * 3600000 + 56 * 60000), "2023-05-08 13:56");
}

}  // namespace
}  // namespace liubai
