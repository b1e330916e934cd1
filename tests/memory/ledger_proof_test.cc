// What a detail is asked by, and whether compaction loses none: over a store of the labelled turns
// with its FAISS index caught up.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/file_system.h"
#include "core/text.h"
#include "liubai/retrieval.h"
#include "memory/compaction.h"
#include "memory/ledger_query.h"
#include "memory/ledger_score.h"
#include "tests/memory/store_fixture.h"

namespace liubai::memory {
namespace {

constexpr auto Count = FourBytesAToken;

// A vector of each word and each Chinese character, by its hash.
class WordEmbedder final : public Embedder {
 public:
  static constexpr int kWidth = 64;
  const std::string& id() const override { return id_; }
  const std::string& name() const override { return id_; }
  int dimension() const override { return kWidth; }
  int max_tokens() const override { return 512; }
  Result<int> CountTokens(std::string_view text, EmbedKind) const override {
    return static_cast<int>(Words(text).size()) + 2;
  }
  Result<std::vector<TokenVectors>> EmbedTokens(std::span<const std::string_view> texts, EmbedKind,
                                                std::stop_token) const override {
    std::vector<TokenVectors> out;
    for (const std::string_view text : texts) {
      TokenVectors& tokens = out.emplace_back();
      for (const auto& [begin, end] : Words(text)) {
        tokens.begin.push_back(static_cast<std::uint32_t>(begin));
        tokens.end.push_back(static_cast<std::uint32_t>(end));
        std::size_t seed = std::hash<std::string>()(ToLowerUtf8(text.substr(begin, end - begin)));
        for (int i = 0; i < kWidth; ++i) {
          seed = seed * 6364136223846793005ull + 1442695040888963407ull;
          tokens.vectors.push_back(static_cast<float>((seed >> 40) % 1000) / 1000.0f - 0.5f);
        }
      }
    }
    return out;
  }
  Result<std::vector<float>> Embed(std::span<const std::string_view> texts, EmbedKind kind,
                                   std::stop_token stop) const override {
    auto tokens = EmbedTokens(texts, kind, stop);
    if (!tokens.ok()) return tokens.status();
    std::vector<float> out;
    for (const TokenVectors& text : *tokens) {
      std::vector<float> mean(kWidth, 0.0f);
      for (std::size_t i = 0; i < text.vectors.size(); ++i) mean[i % kWidth] += text.vectors[i];
      double squares = 1e-12;
      for (const float value : mean) squares += value * value;
      for (const float value : mean) out.push_back(static_cast<float>(value / std::sqrt(squares)));
    }
    return out;
  }

 private:
  static std::vector<std::pair<std::size_t, std::size_t>> Words(std::string_view text) {
    std::vector<std::pair<std::size_t, std::size_t>> words;
    for (std::size_t i = 0; i < text.size() && words.size() < 500;) {
      const DecodedCodePoint point = DecodeUtf8(text, i);
      std::size_t end = i + point.length;
      if (point.value < 128 && std::isalnum(static_cast<int>(point.value)) != 0) {
        while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
        words.emplace_back(i, end);
      } else if (IsCjkIdeograph(point.value)) {
        words.emplace_back(i, end);
      }
      i = end;
    }
    return words;
  }
  std::string id_ = "words-1";
};

std::vector<LabelledTurn> LabelledSet() {
  std::vector<LabelledTurn> turns;
  for (const char* name : {"en.jsonl", "zh.jsonl"}) {
    const auto path =
        std::filesystem::path(LIUBAI_SOURCE_DIR) / "tests" / "memory" / "ledger_set" / name;
    const auto text = ReadFile(PosixFileSystem(), path.string());
    EXPECT_TRUE(text.ok()) << text.status().ToString();
    auto read = ReadLabelledTurns(text.ok() ? *text : "", name);
    EXPECT_TRUE(read.ok()) << read.status().ToString();
    if (!read.ok()) continue;
    // Turns of whole sentences: "ok thx" names nothing to ask by.
    for (LabelledTurn& turn : *read) {
      if (turn.part != "chat" && turn.part != "blind") turns.push_back(std::move(turn));
    }
  }
  return turns;
}

class LedgerProofTest : public StoreAndRetriever {
 protected:
  // The index has what the store has.
  void CatchUp() {
    auto retriever = Retriever::Open(*store_, &embedder_);
    ASSERT_TRUE(retriever.ok());
    retriever_ = std::move(*retriever);
    const auto progress = retriever_->IndexPending(100000);
    ASSERT_TRUE(progress.ok()) << progress.status().ToString();
    ASSERT_EQ(progress->pending, 0);
    ASSERT_TRUE(retriever_->Publish().ok());
  }
  bool IsAmongFirst(const std::string& query, TurnId turn) const {
    RecallQuery recall;
    recall.text = query;
    recall.limit = kProofDepth;
    const auto hits = retriever_->Recall(recall);
    EXPECT_TRUE(hits.ok() && hits->by_meaning) << query;
    return hits.ok() && std::any_of(hits->hits.begin(), hits->hits.end(),
                                    [&](const RecallHit& hit) { return hit.turn.id == turn; });
  }
  CompactionRequest Request(std::size_t turns) {
    CompactionRequest request;
    request.session = session_;
    TurnFilter filter;
    filter.session = session_;
    request.turns = *store_->Turns(filter);
    request.turns.resize(std::min(turns, request.turns.size()));
    request.tokens_before = 100;
    request.essence_tokens = 120;
    request.all_essences_tokens = 1000;
    request.count = Count;
    return request;
  }
  std::vector<LedgerEntry> Ledger() { return *store_->Ledger(1, 1'000'000); }

  WordEmbedder embedder_;
};

TEST_F(LedgerProofTest, EveryKindIsFoundAgainWithoutItsValue) {
  const auto turns = LabelledSet();
  std::vector<TurnId> ids;
  for (const LabelledTurn& turn : turns) ids.push_back(Add(Role::kUser, turn.text));
  CatchUp();
  struct Proofs {
    int asked = 0;
    int found = 0;
  };
  std::map<DetailKind, Proofs> kinds;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    for (const Detail& detail : ExtractDetails(turns[i].text)) {
      if (!IsStatement(detail.kind)) {
        EXPECT_EQ(detail.query.find(detail.text), std::string::npos)
            << turns[i].id << ": \"" << detail.text << "\" is in " << detail.query;
      }
      Proofs& proofs = kinds[detail.kind];
      ++proofs.asked;
      proofs.found += !detail.query.empty() && IsAmongFirst(detail.query, ids[i]);
    }
  }
  EXPECT_EQ(kinds.size(), kDetailKinds);
  for (const auto& [kind, proofs] : kinds) {
    std::printf("%-11s %4d of %4d proved\n", std::string(DetailKindName(kind)).c_str(),
                proofs.found, proofs.asked);
    EXPECT_GE(proofs.found * 100, proofs.asked * 90) << DetailKindName(kind);
  }
}

TEST_F(LedgerProofTest, WhatIsSaidOfAThingIsLeftOutOfItsQuestion) {
  struct Case {
    std::string_view text;
    DetailKind kind;
    std::vector<std::string_view> without;
    std::vector<std::string_view> with;
  };
  const Case cases[] = {
      {"We did not sign the lease for the bakery.", DetailKind::kNegation, {"not"}, {"lease"}},
      {"I promise I'll return the ladder to Hugo on 14 May.",
       DetailKind::kPromise,
       {"14 May", "promise"},
       {"ladder", "Hugo"}},
      {"Never book a dentist appointment for me before 10:30.",
       DetailKind::kRule,
       {"Never", "10:30"},
       {"dentist"}},
      {"Who is going to paint the fence?", DetailKind::kQuestion, {"Who"}, {"paint", "fence"}},
      {"合同还没有签，房东在等。", DetailKind::kNegation, {"没有"}, {"合同"}},
      {"我保证下周三把梯子还给你。", DetailKind::kPromise, {"保证", "下周三"}, {"梯子"}},
      {"以后不要在晚上十点以后给我打电话。", DetailKind::kRule, {"不要", "十点"}, {"电话"}},
  };
  for (const Case& one : cases) {
    const auto details = ExtractDetails(one.text);
    const auto hit = std::find_if(details.begin(), details.end(),
                                  [&](const Detail& detail) { return detail.kind == one.kind; });
    ASSERT_NE(hit, details.end()) << one.text;
    for (const auto word : one.without)
      EXPECT_EQ(hit->query.find(word), std::string::npos) << word << " is in: " << hit->query;
    for (const auto word : one.with)
      EXPECT_NE(hit->query.find(word), std::string::npos) << word << " is not in: " << hit->query;
  }
}

TEST_F(LedgerProofTest, EachDetailIsKeptProvedOrVerbatim) {
  const auto turns = LabelledSet();
  for (const LabelledTurn& turn : turns) Add(Role::kUser, turn.text);
  CatchUp();
  const auto request = Request(24);
  const auto outcome = CompactTurns(*store_, *retriever_, request, {}, {});
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  const std::string essence = store_->Essences(session_)->front().text;
  const auto report = nlohmann::json::parse(outcome->report.detail_json);
  EXPECT_EQ(report["unproved_without_room"], 0);
  EXPECT_EQ(report["not_tried"], 0);
  int proved = 0;
  for (const LedgerEntry& entry : Ledger()) {
    switch (entry.state) {
      case LedgerState::kProved:
        ++proved;
        EXPECT_TRUE(IsAmongFirst(entry.context, entry.turn_id)) << entry.context;
        break;
      case LedgerState::kKept:
      case LedgerState::kUnproved:
        EXPECT_NE(essence.find(entry.text), std::string::npos) << entry.text << " in " << essence;
        break;
      default:
        ADD_FAILURE() << entry.kind << " \"" << entry.text << "\" was not tried";
    }
  }
  EXPECT_GT(proved, 10);
}

TEST_F(LedgerProofTest, TheSameSentenceOfAnotherThingIsNoProof) {
  Add(Role::kUser, "It is quite dear. It costs $1,900.");
  // Nothing tells these from the first one but what they speak of.
  for (const char* thing : {"flat", "car", "piano", "boat", "horse", "barn", "loom", "kiln"})
    Add(Role::kUser, std::string("It is the ") + thing + " that is quite dear. It costs $1,900.");
  CatchUp();
  auto request = Request(1);
  request.summarise = [](std::string_view, int, std::stop_token) -> Result<std::string> {
    return std::string("It is quite dear.");
  };
  ASSERT_TRUE(CompactTurns(*store_, *retriever_, request, {}, {}).ok());
  const std::string essence = store_->Essences(session_)->front().text;
  for (const LedgerEntry& entry : Ledger()) {
    if (entry.text != "$1,900") continue;
    const bool found = IsAmongFirst(entry.context, entry.turn_id);
    EXPECT_EQ(entry.state == LedgerState::kProved, found && essence.find("$1,900") == essence.npos);
    EXPECT_TRUE(found || essence.find("$1,900") != std::string::npos) << essence;
  }
}

TEST_F(LedgerProofTest, AnAnsweredQuestionIsNotOpen) {
  Add(Role::kUser, "Which hotel should we take in Porto?");
  Add(Role::kAssistant, "Casa do Rio is the quiet one.");
  Add(Role::kUser, "Who will feed the hens in August?");
  Add(Role::kAssistant, "I don't know that yet.");
  Add(Role::kUser, "押金到底是谁付的？");
  CatchUp();
  ASSERT_TRUE(CompactTurns(*store_, *retriever_, Request(5), {}, {}).ok());
  std::vector<std::string> open;
  for (const LedgerEntry& entry : Ledger()) {
    if (entry.kind == "question") open.push_back(entry.text);
  }
  EXPECT_EQ(open,
            (std::vector<std::string>{"Who will feed the hens in August", "押金到底是谁付的"}));
}

TEST_F(LedgerProofTest, TheEssenceGrowsForWhatIsNotFoundAgainAndNamesWhatHasNoRoom) {
  // The same words in many turns, after the same words: neither their context nor the turn before
  // can tell which one is meant.
  for (int i = 0; i < 60; ++i) {
    Add(Role::kAssistant, "Which number has the locker today?");
    Add(Role::kUser, "The number of the locker today is " + std::to_string(311 + 7 * i) + ".");
  }
  CatchUp();
  std::string log;
  const Logger logger([&](LogLevel level, std::string_view, std::string_view line) {
    if (level >= LogLevel::kWarning) log += std::string(line) + "\n";
  });
  auto request = Request(116);
  request.essence_tokens = 96;
  request.summarise = [](std::string_view, int, std::stop_token) -> Result<std::string> {
    return std::string("The user told the number of the locker.");
  };
  const auto outcome = CompactTurns(*store_, *retriever_, request, logger, {});
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  const std::string essence = store_->Essences(session_)->front().text;
  EXPECT_GT(Count(essence), 96) << "it grew: " << essence;
  EXPECT_LE(Count(essence), 2 * 96 + 8);
  const auto report = nlohmann::json::parse(outcome->report.detail_json);
  int without_room = 0;
  for (const LedgerEntry& entry : Ledger()) {
    if (entry.state != LedgerState::kUnproved || essence.find(entry.text) != std::string::npos)
      continue;
    ++without_room;
  }
  ASSERT_GT(without_room, 0);
  EXPECT_EQ(report["unproved_without_room"], without_room);
  EXPECT_NE(log.find("\" of turn "), std::string::npos) << "they are named: " << log;
  EXPECT_NE(report["without_room"].get<std::string>().find("of turn "), std::string::npos);
}

}  // namespace
}  // namespace liubai::memory
