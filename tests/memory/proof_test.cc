// Whether details are found again, and that no merge of essences takes one away unproved.
#include "memory/proof.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "memory/compaction.h"
#include "tests/memory/store_fixture.h"

namespace liubai::memory {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kBeginMs = 1'700'000'000'000;  // November 2023.

constexpr auto Count = FourBytesAToken;

class ProofTest : public StoreAndRetriever {
 protected:
  Turn Add(Role role, const std::string& text, std::int64_t time_ms) {
    return *store_->GetTurn(StoreAndRetriever::Add(role, text, time_ms));
  }
  Prover NewProver() { return Prover(*retriever_, kDefaultTenant, kBeginMs + 900 * kDayMs, {}); }
};

TEST_F(ProofTest, FindsByTheWordsAroundTheValue) {
  const Turn turn = Add(Role::kUser, "The boiler was serviced by Mr Novak.", kBeginMs);
  Prover prover = NewProver();
  const auto query =
      prover.FindingQuery(turn, nullptr, turn.text, "Novak", "The boiler was serviced by Mr .");
  ASSERT_TRUE(query.ok()) << query.status().ToString();
  EXPECT_EQ(*query, "The boiler was serviced by Mr .");
  EXPECT_EQ(prover.searches(), 1);
  // Asked again, it is known.
  ASSERT_TRUE(prover.FindingQuery(turn, nullptr, turn.text, "Novak", *query).ok());
  EXPECT_EQ(prover.searches(), 1);
}

TEST_F(ProofTest, FindsAmongEqualsByTheMonthAndByWhatWasSaidBefore) {
  std::vector<Turn> months, answers, asked;
  for (int i = 0; i < 12; ++i) {
    months.push_back(Add(Role::kUser, "The rent is " + std::to_string(1000 + 13 * i) + " now.",
                         kBeginMs + 35 * i * kDayMs));
  }
  Prover prover = NewProver();
  for (const std::size_t i : {0u, 6u, 11u}) {
    const Turn& turn = months[i];
    const auto query = prover.FindingQuery(turn, nullptr, turn.text, std::to_string(1000 + 13 * i),
                                           "The rent is  now.");
    ASSERT_TRUE(query.ok());
    EXPECT_FALSE(query->empty()) << i;
  }
  // The same words on the same day: only what was said before tells them apart.
  const char* things[] = {"violin", "kayak",        "parrot",     "scooter", "cottage", "orchard",
                          "kiln",   "sailing boat", "greenhouse", "piano",   "barn",    "caravan"};
  for (const char* thing : things) {
    asked.push_back(
        Add(Role::kAssistant, std::string("And the ") + thing + "?", kBeginMs + 500 * kDayMs));
    answers.push_back(Add(Role::kUser,
                          "I sold it for " + std::to_string(3000 + answers.size()) + ".",
                          kBeginMs + 500 * kDayMs));
  }
  const auto query =
      prover.FindingQuery(answers[2], &asked[2], answers[2].text, "3002", "I sold it for .");
  ASSERT_TRUE(query.ok());
  EXPECT_NE(query->find("parrot"), std::string::npos) << *query;
  const auto none =
      prover.FindingQuery(answers[2], nullptr, answers[2].text, "3002", "I sold it for .");
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none, "");
}

TEST_F(ProofTest, ACancelledProofIsNoProof) {
  const Turn turn = Add(Role::kUser, "The boiler cost 180 euros.", kBeginMs);
  std::stop_source stop;
  stop.request_stop();
  Prover prover(*retriever_, kDefaultTenant, kBeginMs, stop.get_token());
  EXPECT_EQ(prover.IsFound(turn, "The boiler cost").status().code(), StatusCode::kCancelled);
}

TEST_F(ProofTest, SentenceAtIsTheOneThatHoldsTheByte) {
  const std::string text = "One two. Three four. Five.";
  EXPECT_EQ(SentenceAt(text, 0), "One two.");
  EXPECT_EQ(SentenceAt(text, text.find("four")), "Three four.");
  EXPECT_EQ(SentenceAt(text, text.size() - 1), "Five.");
  EXPECT_EQ(SentenceAt("", 0), "");
}

TEST_F(ProofTest, AValueIsCarriedWholeAndInASentenceAboutTheSame) {
  const Carried carried(
      "Turns 9–10 (2024-05-10): User: The rent is 1,450 euros. Anna moved to Porto.\n"
      "Turns 11–80: Assistant: It costs 7.5 percent.");
  EXPECT_TRUE(carried.Has("1,450 euros", "My rent is 1,450 euros now."));
  EXPECT_TRUE(carried.Has("Porto", "Anna lives in Porto."));
  EXPECT_TRUE(carried.Has("7.5", "7.5"));
  EXPECT_FALSE(carried.Has("Porto", "The ferry from Porto was late."));
  EXPECT_FALSE(carried.Has("10", "It is 10."));
  EXPECT_FALSE(carried.Has("80", "It costs 80."));
  EXPECT_FALSE(carried.Has("450", "My rent is 450."));
  EXPECT_FALSE(carried.Has("7", "It costs 7."));
  EXPECT_FALSE(carried.Has("An", "An moved."));
  EXPECT_FALSE(carried.Has("", "The rent is."));
}

// Essences are merged again and again; whatever the ledger says of a detail is true in the end.
TEST_F(ProofTest, MergesTakeNoDetailAwayUnproved) {
  const char* things[] = {"boiler",  "fridge",  "kayak",  "violin", "scooter", "greenhouse",
                          "curtain", "printer", "carpet", "ladder", "mirror",  "tent"};
  std::vector<std::string> warnings;
  Logger logger([&](LogLevel level, std::string_view, std::string_view text) {
    if (level == LogLevel::kWarning) warnings.emplace_back(text);
  });
  std::int64_t told = 0;
  for (int round = 0; round < 24; ++round) {
    const std::int64_t now = kBeginMs + round * 9 * kDayMs;
    CompactionRequest request;
    request.session = session_;
    // Some say nothing but a number, again and again: they cannot all be found.
    request.turns.push_back(Add(Role::kUser,
                                "The " + std::string(things[round % 12]) + " number " +
                                    std::to_string(round) + " cost " +
                                    std::to_string(2000 + 37 * round) + " euros at the market.",
                                now));
    request.turns.push_back(
        Add(Role::kAssistant, "It is " + std::to_string(70 + round) + ".", now));
    request.tokens_before = 60;
    request.essence_tokens = 60;
    request.all_essences_tokens = 130;
    request.essences = *store_->Essences(session_);
    request.count = Count;
    request.now_ms = now;
    const auto outcome = CompactTurns(*store_, *retriever_, request, logger, {});
    ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
    const auto detail = nlohmann::json::parse(outcome->report.detail_json);
    told += outcome->report.kept_in_window + detail["unproved_without_room"].get<int>() +
            detail["dropped_unproved"].get<int>();
  }
  std::string essences;
  const auto in_use = store_->Essences(session_);
  for (const Essence& essence : *in_use) essences += essence.text + "\n";
  const Carried carried(essences);
  const auto ledger = store_->Ledger(1, 1000);
  ASSERT_TRUE(ledger.ok());
  ASSERT_GE(ledger->size(), 48u);
  std::int64_t kept = 0, proved = 0, unproved = 0, hidden = 0;
  Prover prover = NewProver();
  for (const LedgerEntry& entry : *ledger) {
    SCOPED_TRACE(entry.text + ", turn " + std::to_string(entry.turn_id));
    const Turn turn = *store_->GetTurn(entry.turn_id);
    switch (entry.state) {
      case LedgerState::kKept:
        ++kept;
        EXPECT_TRUE(carried.Has(entry.text, SentenceAt(turn.text, entry.begin))) << essences;
        break;
      case LedgerState::kProved: {
        ++proved;
        const auto before = store_->Neighbours(entry.turn_id, 1, 0);
        const auto query =
            prover.FindingQuery(turn, before->size() > 1 ? &before->front() : nullptr,
                                SentenceAt(turn.text, entry.begin), entry.text, entry.context);
        ASSERT_TRUE(query.ok());
        hidden += query->empty() ? 1 : 0;
        break;
      }
      default:
        ++unproved;
    }
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(proved, 24);
  // A proof is of the store as it was: more of the same words may hide a turn later, now and then.
  EXPECT_LE(hidden * 8, proved);
  EXPECT_GE(told, unproved);
  EXPECT_EQ(unproved > 0, !warnings.empty() || told > 0);
}

}  // namespace
}  // namespace liubai::memory
