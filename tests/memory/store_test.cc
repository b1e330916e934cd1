#include "liubai/store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "memory/fts_tokenizer.h"
#include "memory/schema.h"

namespace {
// While it is set, syncs fail: SQLite's calls, in its shared library, find these definitions first.
std::atomic<bool> sync_fails{false};
int SyncOr(long call, int descriptor) {
  if (sync_fails) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(call, descriptor));
}
}  // namespace
extern "C" int fsync(int descriptor) { return SyncOr(SYS_fsync, descriptor); }
extern "C" int fdatasync(int descriptor) { return SyncOr(SYS_fdatasync, descriptor); }

namespace liubai {
namespace {

#define ASSERT_OK(expr)                                            \
  do {                                                             \
    const Status status_of_expr = (expr);                          \
    ASSERT_TRUE(status_of_expr.ok()) << status_of_expr.ToString(); \
  } while (false)

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "liubai-store-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    Reopen();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  void Reopen() {
    store_.reset();
    auto store = Store::Open(folder_);
    ASSERT_OK(store.status());
    store_ = std::move(*store);
    session_ = *store_->EnsureSession("main");
  }
  TurnId Add(std::string text, Role role = Role::kUser, std::string key = {}) {
    NewTurn turn;
    turn.session_id = session_;
    turn.role = role;
    turn.text = std::move(text);
    turn.idempotency_key = std::move(key);
    auto id = store_->AppendTurn(turn);
    EXPECT_TRUE(id.ok()) << id.status().ToString();
    return id.ok() ? *id : 0;
  }
  std::vector<TurnId> Find(std::string_view query, TextField field = TextField::kTurn) {
    auto hits = store_->SearchText(query, {}, 10, field);
    EXPECT_TRUE(hits.ok()) << hits.status().ToString();
    std::vector<TurnId> ids;
    for (const TextHit& hit : *hits) {
      EXPECT_GT(hit.score, 0);
      ids.push_back(hit.turn_id);
    }
    return ids;
  }
  // Names of files in the folder that hold `bytes`.
  std::vector<std::string> Scan(const std::string& bytes) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string all((std::istreambuf_iterator<char>(in)), {});
      if (all.find(bytes) != std::string::npos) found.push_back(entry.path().filename());
    }
    return found;
  }
  std::string folder_;
  std::unique_ptr<Store> store_;
  SessionId session_ = 0;
};

TEST_F(StoreTest, KeepsTurnsVerbatimAcrossOpens) {
  NewTurn turn;
  turn.session_id = session_;
  turn.role = Role::kAssistant;
  turn.speaker = "Ada";
  turn.text = "  It costs $4,237.\n\t花生过敏 \xf0\x9f\x8d\x9c ";
  turn.tokens = {1, 70000, 3};
  turn.time_ms = 1683554160123;
  turn.status = TurnStatus::kInterrupted;
  const TurnId id = *store_->AppendTurn(turn);
  const std::string store_id = store_->id();
  Reopen();
  EXPECT_EQ(store_->id(), store_id);
  const Turn read = *store_->GetTurn(id);
  EXPECT_EQ(read.text, turn.text);
  EXPECT_EQ(read.speaker, "Ada");
  EXPECT_EQ(read.tokens, turn.tokens);
  EXPECT_EQ(read.time_ms, turn.time_ms);
  EXPECT_EQ(read.seq, 1);
  EXPECT_EQ(read.status, TurnStatus::kInterrupted);
  EXPECT_EQ(read.trust, Trust::kModel);
  EXPECT_EQ(store_->GetTurn(id, 2).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(store_->GetTurn(id + 1).status().code(), StatusCode::kNotFound);
}

TEST_F(StoreTest, RefusesBadTextAndStoresNothing) {
  for (const std::string& text :
       {std::string("a\xff"), std::string("a\0b", 3), std::string("\xed\xa0\x80")}) {
    NewTurn turn;
    turn.session_id = session_;
    turn.text = text;
    EXPECT_EQ(store_->AppendTurn(turn).status().code(), StatusCode::kInvalidArgument);
  }
  NewTurn good;
  good.session_id = session_;
  good.text = "good";
  NewTurn lost = good;
  lost.session_id = 99;
  const std::vector<NewTurn> both = {good, lost};
  EXPECT_EQ(store_->AppendTurns(both).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(store_->Stats()->turns, 0);
  EXPECT_GT(Add(""), 0);
  EXPECT_EQ(store_->GetTurn(Add(std::string(5 << 20, 'x')))->text.size(), std::size_t{5} << 20);
}

TEST_F(StoreTest, IdempotencyKeyGivesTheSameTurn) {
  const TurnId id = Add("pay 5", Role::kUser, "k1");
  EXPECT_EQ(Add("pay 5", Role::kUser, "k1"), id);
  EXPECT_EQ(store_->FindTurn("k1")->id, id);
  NewTurn other;
  other.session_id = session_;
  other.text = "pay 6";
  other.idempotency_key = "k1";
  EXPECT_EQ(store_->AppendTurn(other).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(store_->Stats()->turns, 1);
}

TEST_F(StoreTest, RangesAndNeighbours) {
  std::vector<TurnId> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(Add("turn " + std::to_string(i)));
  TurnFilter filter;
  filter.session = session_;
  EXPECT_EQ(store_->Turns(filter, 3)->back().id, ids[2]);
  EXPECT_EQ(store_->Turns(filter, 3, true)->front().id, ids[7]);
  const auto near = *store_->Neighbours(ids[5], 2, 3);
  ASSERT_EQ(near.size(), 6u);
  EXPECT_EQ(near.front().id, ids[3]);
  EXPECT_EQ(near.back().id, ids[8]);
  EXPECT_EQ(store_->Neighbours(ids[0], 2, 0)->size(), 1u);
  EXPECT_EQ(store_->GetSession(session_)->turns, 10);
}

TEST_F(StoreTest, FindsWordsInManyScripts) {
  const TurnId money = Add("We agreed on $4,237.00 for the universities' libraries.");
  const TurnId peanut = Add("我对花生过敏，请记住。");
  const TurnId japan = Add("私は東京でコーヒーを飲みます");
  const TurnId korea = Add("서울에서 김치를 먹었어요");
  const TurnId date = Add("The launch moved to 2023-05-08, write to ada.lovelace@example.org");
  EXPECT_EQ(Find("4237"), std::vector{money});
  EXPECT_EQ(Find("$4,237"), std::vector{money});
  EXPECT_EQ(Find("４２３７"), std::vector{money});
  EXPECT_EQ(Find("university library"), std::vector{money});
  EXPECT_EQ(Find("花生"), std::vector{peanut});
  EXPECT_EQ(Find("我对什么过敏？"), std::vector{peanut});
  EXPECT_EQ(Find("敏"), std::vector{peanut});
  EXPECT_EQ(Find("コーヒー"), std::vector{japan});
  EXPECT_EQ(Find("ｺｰﾋｰ"), std::vector{japan});
  EXPECT_EQ(Find("김치"), std::vector{korea});
  EXPECT_EQ(Find("2023-05-08"), std::vector{date});
  EXPECT_EQ(Find("ada.lovelace@example.org"), std::vector{date});
  EXPECT_EQ(Find("lovelace"), std::vector{date});
}

TEST_F(StoreTest, QueriesAreNeverSyntax) {
  const TurnId id = Add("the word near and the quote");
  for (const char* query :
       {"\" OR *", "NEAR(a b)", "text:word*", "- ^ + {} ()", "\"\"\"", "a\" OR \"b",
        "word AND NOT near", "*", "'; DROP TABLE turns; --", ":", "\xff\xfe"}) {
    EXPECT_TRUE(store_->SearchText(query, {}, 5).ok()) << query;
  }
  EXPECT_EQ(Find("text:word* NOT near"), std::vector{id});
  EXPECT_TRUE(Find("\" OR *").empty());
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "w" + std::to_string(i) + " ";
  EXPECT_TRUE(store_->SearchText(many + "quote", {}, 5).ok());
}

TEST_F(StoreTest, WindowsFindTheAnswerBesideTheQuestion) {
  for (int i = 0; i < 20; ++i) Add("filler number " + std::to_string(i));
  Add("What is your favourite dessert?");
  const TurnId answer = Add("Tiramisu, always.");
  for (int i = 0; i < 20; ++i) Add("more filler " + std::to_string(i));
  const auto turn = Find("favourite dessert");
  EXPECT_EQ(turn, std::vector{answer - 1});
  const auto window = Find("favourite dessert", TextField::kWindow);
  EXPECT_EQ(window.size(), 5u);
  EXPECT_NE(std::find(window.begin(), window.end(), answer), window.end());
  // Windows end with their session.
  const SessionId other = *store_->EnsureSession("other");
  NewTurn next;
  next.session_id = other;
  next.text = "unrelated";
  const TurnId outside = *store_->AppendTurn(next);
  const auto last = Find("filler 19", TextField::kWindow);
  EXPECT_EQ(std::find(last.begin(), last.end(), outside), last.end());
}

TEST_F(StoreTest, FrequentTermsAreFoundInNewTurnsAndNotInDeletedOnes) {
  std::vector<NewTurn> turns(400);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    turns[i].session_id = session_;
    turns[i].text = i % 10 == 0 ? "kite" : "harbour wall";
  }
  const auto ids = store_->AppendTurns(turns);
  ASSERT_OK(ids.status());
  ASSERT_EQ(Find("harbour").size(), 10u);  // From here on its list is kept.
  const TurnId added = Add("harbour harbour, a harbour");
  EXPECT_EQ(Find("harbour").at(0), added);
  // A turn that was not committed leaves nothing.
  NewTurn bad = turns[0];
  bad.text = "harbour harbour harbour harbour";
  NewTurn nowhere = bad;
  nowhere.session_id = 12345;
  EXPECT_FALSE(store_->AppendTurns(std::vector<NewTurn>{bad, nowhere}).ok());
  EXPECT_EQ(Find("harbour").at(0), added);
  const auto grown = *store_->SearchTextFields("harbour kite", {}, 1000);
  Reopen();
  const auto loaded = *store_->SearchTextFields("harbour kite", {}, 1000);
  ASSERT_EQ(grown.turn.size(), loaded.turn.size());
  EXPECT_EQ(grown.turn.size(), 401u);
  for (std::size_t i = 0; i < loaded.turn.size(); ++i) {
    EXPECT_EQ(grown.turn[i].turn_id, loaded.turn[i].turn_id);
    EXPECT_DOUBLE_EQ(grown.turn[i].score, loaded.turn[i].score);
  }
  ASSERT_OK(store_->DeleteTurns(std::vector<TurnId>{added}).status());
  EXPECT_EQ((*store_->SearchTextFields("harbour kite", {}, 1000)).turn.size(), 400u);
  for (const TurnId id : Find("harbour")) EXPECT_NE(id, added);
}

TEST_F(StoreTest, ScoresAreTheSameAfterAnOpen) {
  // The table that grows with each append gives what a full reading gives.
  for (int i = 0; i < 30; ++i)
    Add("alpha" + std::string(i % 3 == 0 ? " beta gamma" : "") + " t" + std::to_string(i));
  const auto before = *store_->SearchTextFields("beta t7", {}, 30);
  Add("alpha beta");
  const auto grown = *store_->SearchTextFields("beta t7", {}, 30);
  Reopen();
  const auto loaded = *store_->SearchTextFields("beta t7", {}, 30);
  ASSERT_EQ(grown.window.size(), loaded.window.size());
  for (std::size_t i = 0; i < loaded.window.size(); ++i) {
    EXPECT_EQ(grown.window[i].turn_id, loaded.window[i].turn_id);
    EXPECT_DOUBLE_EQ(grown.window[i].score, loaded.window[i].score);
  }
  EXPECT_NE(before.turn.size(), loaded.turn.size());
}

TEST_F(StoreTest, FiltersAndTenants) {
  const TurnId mine = Add("secret cake recipe");
  const TurnId reply = Add("the cake is chocolate", Role::kAssistant);
  const SessionId theirs = *store_->EnsureSession("main", 2);
  NewTurn turn;
  turn.session_id = theirs;
  turn.text = "another cake";
  const TurnId foreign = *store_->AppendTurn(turn, 2);
  EXPECT_EQ(store_->AppendTurn(turn, 1).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(store_->SearchText("cake", {}, 10)->size(), 2u);
  TurnFilter filter;
  filter.tenant = 2;
  ASSERT_EQ(store_->SearchText("cake", filter, 10)->size(), 1u);
  EXPECT_EQ(store_->SearchText("cake", filter, 10)->front().turn_id, foreign);
  TurnFilter roles;
  roles.roles = {Role::kAssistant};
  EXPECT_EQ(store_->SearchText("cake", roles, 10)->front().turn_id, reply);
  TurnFilter exclude;
  exclude.exclude = {mine};
  EXPECT_EQ(store_->SearchText("cake", exclude, 10)->size(), 1u);
  TurnFilter before;
  before.before_turn = reply;
  EXPECT_EQ(store_->SearchText("cake", before, 10)->front().turn_id, mine);
}

TEST_F(StoreTest, BlocksHaveHistoryLimitsAndTrust) {
  Block block;
  block.label = "user";
  block.value = "likes tea";
  block.limit_bytes = 20;
  EXPECT_EQ(store_->SetBlock(block)->version, 1);
  block.value = "likes coffee";
  block.origin = Origin::kAssistant;
  EXPECT_EQ(store_->SetBlock(block)->version, 2);
  EXPECT_EQ(store_->GetBlock("user")->value, "likes coffee");
  EXPECT_EQ(store_->BlockHistory("user")->front().value, "likes tea");
  block.value = std::string(21, 'x');
  EXPECT_EQ(store_->SetBlock(block).status().code(), StatusCode::kResourceExhausted);
  block.value = "obey";
  block.origin = Origin::kWeb;
  EXPECT_EQ(store_->SetBlock(block).status().code(), StatusCode::kPermissionDenied);
  const TurnId tool = Add("obey me", Role::kTool);
  block.origin = Origin::kAssistant;
  block.sources = {tool};
  EXPECT_EQ(store_->SetBlock(block).status().code(), StatusCode::kPermissionDenied);
  ASSERT_OK(store_->DeleteBlock("user", Origin::kOperator));
  EXPECT_TRUE(store_->Blocks()->empty());
  EXPECT_EQ(store_->BlockHistory("user")->size(), 3u);
}

TEST_F(StoreTest, FactsCloseAndInheritTrust) {
  const TurnId tool = Add("the price is 5", Role::kTool);
  Fact fact;
  fact.statement = "The price is 5 euro";
  fact.subject = "price";
  fact.sources = {tool};
  const std::int64_t id = *store_->AddFact(fact);
  EXPECT_EQ(store_->GetFacts({&id, 1})->front().trust, Trust::kUntrusted);
  EXPECT_EQ(store_->SearchFacts("prices", 5)->front().fact.id, id);
  ASSERT_OK(store_->CloseFact(id));
  EXPECT_TRUE(store_->Facts()->empty());
  EXPECT_TRUE(store_->SearchFacts("prices", 5)->empty());
  EXPECT_EQ(store_->SearchFacts("prices", 5, true)->size(), 1u);
  EXPECT_EQ(store_->CloseFact(77).code(), StatusCode::kNotFound);
}

TEST_F(StoreTest, CompactionIsAllOrNothing) {
  const TurnId first = Add("I owe Bob 4,237 dollars");
  const TurnId last = Add("noted", Role::kAssistant);
  CompactionBatch batch;
  batch.session_id = session_;
  batch.covered_through = last;
  Essence essence;
  essence.first_turn = first;
  essence.last_turn = last;
  essence.text = "A debt to Bob.";
  essence.method = "extractive";
  batch.essences = {essence};
  LedgerEntry entry;
  entry.turn_id = first;
  entry.kind = "amount";
  entry.text = "4,237 dollars";
  entry.begin = 10;
  entry.end = 23;
  entry.context = "owe Bob";
  batch.ledger = {entry};
  CompactionReport report;
  report.first_turn = first;
  report.last_turn = last;
  report.turns = 2;
  report.method = "extractive";
  batch.report = report;
  batch.closed_facts = {123};  // Does not exist.
  EXPECT_EQ(store_->Commit(batch).status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(store_->Essences()->empty());
  EXPECT_TRUE(store_->Ledger(first, last)->empty());
  EXPECT_EQ(store_->GetSession(session_)->covered_through, 0);
  batch.closed_facts.clear();
  const auto ids = *store_->Commit(batch);
  EXPECT_EQ(store_->GetSession(session_)->covered_through, last);
  EXPECT_EQ(store_->Ledger(first, last)->front().text, "4,237 dollars");
  EXPECT_EQ(store_->Reports()->front().turns, 2);
  CompactionBatch next;
  next.session_id = session_;
  essence.level = 1;
  next.essences = {essence};
  for (const std::int64_t old : ids.essences) next.essence_links.emplace_back(old, -1);
  next.ledger_states = {{ids.ledger[0], LedgerState::kProved}};
  ASSERT_OK(store_->Commit(next).status());
  ASSERT_EQ(store_->Essences()->size(), 1u);
  EXPECT_EQ(store_->Essences()->front().level, 1);
  EXPECT_EQ(store_->Essences({}, true)->size(), 2u);
  EXPECT_EQ(store_->Ledger(first, last)->front().state, LedgerState::kProved);
}

TEST_F(StoreTest, ACompactionWritesItsBlockOrNothing) {
  const TurnId first = Add("Never call before nine.");
  CompactionBatch batch;
  batch.session_id = session_;
  batch.covered_through = first;
  Essence essence;
  essence.first_turn = essence.last_turn = first;
  essence.text = "A rule for calls.";
  essence.method = "model+extract";
  batch.essences = {essence};
  Block block;
  block.label = "user";
  block.value = "- Never call before nine.";
  block.origin = Origin::kUser;
  block.sources = {first};
  batch.block = block;
  CompactionReport report;
  report.first_turn = report.last_turn = first;
  report.method = "model+extract";
  report.detail_json = std::string("\0", 1);  // Refused when all else is written already.
  batch.report = report;
  const auto nothing = [&] {
    EXPECT_EQ(store_->GetBlock("user").status().code(), StatusCode::kNotFound);
    EXPECT_TRUE(store_->BlockHistory("user")->empty());
    EXPECT_TRUE(store_->Essences()->empty());
    EXPECT_TRUE(store_->Reports()->empty());
    EXPECT_EQ(store_->GetSession(session_)->covered_through, 0);
  };
  EXPECT_EQ(store_->Commit(batch).status().code(), StatusCode::kInvalidArgument);
  nothing();
  batch.report->detail_json.clear();
  batch.block->version = 3;  // Of another block than this one.
  EXPECT_EQ(store_->Commit(batch).status().code(), StatusCode::kFailedPrecondition);
  nothing();
  batch.block->version = 0;
  batch.block->limit_bytes = 5;
  EXPECT_EQ(store_->Commit(batch).status().code(), StatusCode::kResourceExhausted);
  nothing();
  batch.block->limit_bytes = 0;
  const auto ids = store_->Commit(batch);
  ASSERT_OK(ids.status());
  EXPECT_EQ(ids->block_version, 1);
  EXPECT_EQ(store_->GetBlock("user")->value, block.value);
  EXPECT_EQ(store_->GetBlock("user")->sources, block.sources);
  // An edit of what was read before somebody else wrote is refused whole.
  ASSERT_OK(store_->SetBlock(block).status());
  batch.block->version = 1;
  EXPECT_EQ(store_->Commit(batch).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(store_->Essences()->size(), 1u);
  EXPECT_EQ(store_->BlockHistory("user")->size(), 2u);
}

TEST_F(StoreTest, EmbeddingsAndTheirLog) {
  const auto embedder = *store_->EnsureEmbedder("e", "fp1", 4);
  EXPECT_EQ(store_->EnsureEmbedder("e", "fp1", 4)->id, embedder.id);
  EXPECT_EQ(store_->EnsureEmbedder("e", "fp1", 5).status().code(), StatusCode::kFailedPrecondition);
  const TurnId a = Add("a");
  const TurnId b = Add("b");
  EXPECT_EQ(*store_->PendingEmbeddings(embedder.id, UnitKind::kTurn, 10), (std::vector{a, b}));
  const std::vector<NewEmbedding> one = {{UnitKind::kTurn, a, 0, {1, 2, 3, 4}}};
  const VectorId v1 = store_->PutEmbeddings(embedder.id, one)->front();
  EXPECT_EQ(*store_->PendingEmbeddings(embedder.id, UnitKind::kTurn, 10), std::vector{b});
  const VectorId v2 = store_->PutEmbeddings(embedder.id, one)->front();
  EXPECT_GT(v2, v1);
  const auto ops = *store_->Operations(embedder.id, UnitKind::kTurn, 0, 10);
  ASSERT_EQ(ops.size(), 3u);
  EXPECT_FALSE(ops[1].add);
  EXPECT_EQ(ops[1].vector_id, v1);
  EXPECT_EQ(*store_->LastOperation(embedder.id, UnitKind::kTurn), ops[2].op_seq);
  const std::vector<VectorId> asked = {v1, v2};
  const auto live = *store_->GetEmbeddings(embedder.id, asked);
  ASSERT_EQ(live.size(), 1u);
  EXPECT_EQ(live[0].values, one[0].values);
  int seen = 0;
  ASSERT_OK(store_->ForEachEmbedding(embedder.id, UnitKind::kTurn, 0, [&](const Embedding& e) {
    seen += e.unit_id == a ? 1 : 0;
    return true;
  }));
  EXPECT_EQ(seen, 1);
  const std::vector<NewEmbedding> wrong = {{UnitKind::kTurn, a, 0, {1}}};
  EXPECT_EQ(store_->PutEmbeddings(embedder.id, wrong).status().code(),
            StatusCode::kInvalidArgument);
  const std::vector<NewEmbedding> lost = {{UnitKind::kTurn, 999, 0, {1, 2, 3, 4}}};
  EXPECT_EQ(store_->PutEmbeddings(embedder.id, lost).status().code(), StatusCode::kNotFound);
}

TEST_F(StoreTest, DeletionLeavesNoByte) {
  const std::string canary = "zanzibarcanary77";
  Add("before");
  const TurnId doomed = Add("my code is " + canary);
  const TurnId after = Add("after");
  const auto embedder = *store_->EnsureEmbedder("e", "fp", 2);
  const std::vector<NewEmbedding> vectors = {{UnitKind::kTurn, doomed, 0, {1, 2}},
                                             {UnitKind::kWindow, after, 0, {3, 4}}};
  const auto vector_ids = *store_->PutEmbeddings(embedder.id, vectors);
  Fact fact;
  fact.statement = "code " + canary;
  fact.sources = {doomed};
  const std::int64_t fact_id = *store_->AddFact(fact);
  CompactionBatch batch;
  batch.session_id = session_;
  Essence essence;
  essence.first_turn = doomed;
  essence.last_turn = after;
  essence.method = "extractive";
  essence.text = canary;
  batch.essences = {essence};
  LedgerEntry entry;
  entry.turn_id = doomed;
  entry.text = canary;
  entry.begin = 11;
  entry.end = 27;
  batch.ledger = {entry};
  ASSERT_OK(store_->Commit(batch).status());
  Block block;
  block.label = "user";
  block.value = canary;
  block.sources = {doomed};
  ASSERT_OK(store_->SetBlock(block).status());
  ASSERT_FALSE(Scan(canary).empty());
  const auto receipt = store_->DeleteTurns({&doomed, 1});
  ASSERT_OK(receipt.status());
  EXPECT_TRUE(receipt->log_truncated);
  EXPECT_EQ(receipt->vectors, vector_ids);
  EXPECT_EQ(receipt->facts, std::vector{fact_id});
  EXPECT_EQ(receipt->essences.size(), 1u);
  EXPECT_EQ(receipt->ledger_entries, 1);
  EXPECT_EQ(receipt->blocks, std::vector<std::string>{"user"});
  EXPECT_EQ(Scan(canary), std::vector<std::string>{});
  EXPECT_TRUE(Find(canary).empty());
  EXPECT_EQ(Find("after"), std::vector{after});
  EXPECT_TRUE(store_->Verify()->empty());
  EXPECT_GT(Add("next"), after) << "ids are never given out again";
  EXPECT_EQ(store_->DeleteTurns({&doomed, 1}).status().code(), StatusCode::kNotFound);
}

TEST_F(StoreTest, OneWriterManyReaders) {
  Add("hello reader");
  const auto second = Store::Open(folder_);
  ASSERT_EQ(second.status().code(), StatusCode::kLocked);
  EXPECT_NE(second.status().message().find(std::to_string(::getpid())), std::string::npos);
  StoreOptions options;
  options.read_only = true;
  const auto reader = Store::Open(folder_ + "/memory.db", options);
  ASSERT_OK(reader.status());
  EXPECT_EQ((*reader)->SearchText("hello", {}, 5)->size(), 1u);
  Add("hello again");
  EXPECT_EQ((*reader)->SearchText("hello", {}, 5)->size(), 2u);
  EXPECT_EQ((*reader)->EnsureSession("x").status().code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE((*reader)->Verify()->empty());
}

TEST_F(StoreTest, ReadsOnFoldersThatCannotBeWritten) {
  Add("kept");
  store_.reset();
  std::filesystem::permissions(folder_, std::filesystem::perms(0555));
  const pid_t child = ::fork();
  if (child == 0) {
    if (::getuid() == 0 && ::setuid(65534) != 0) ::_exit(77);
    StoreOptions options;
    options.read_only = true;
    const auto store = Store::Open(folder_, options);
    if (!store.ok() || (*store)->SearchText("kept", {}, 1)->size() != 1) ::_exit(1);
    if (Store::Open(folder_).status().code() != StatusCode::kPermissionDenied) ::_exit(2);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "cannot become an ordinary user";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

void RunSql(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  ASSERT_TRUE(memory::RegisterFullText(db).ok());
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
  sqlite3_free(error);
  sqlite3_close(db);
}

TEST_F(StoreTest, RefusesForeignNewerAndBrokenFiles) {
  store_.reset();
  const auto open = [&](const std::string& name) {
    return Store::Open(folder_ + "/" + name).status();
  };
  std::filesystem::create_directory(folder_ + "/foreign");
  RunSql(folder_ + "/foreign/memory.db", "CREATE TABLE t(x); PRAGMA application_id=7");
  EXPECT_EQ(open("foreign").code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(open("foreign").message().find("another program"), std::string::npos);
  std::filesystem::create_directory(folder_ + "/text");
  std::ofstream(folder_ + "/text/memory.db")
      << "this is not a database, but a text that is long enough to be read"
         " as a header of one hundred bytes, and more than that.";
  EXPECT_EQ(open("text").code(), StatusCode::kDataLoss);
  std::filesystem::create_directories(folder_ + "/folder/memory.db");
  EXPECT_EQ(open("folder").code(), StatusCode::kInvalidArgument);
  RunSql(folder_ + "/memory.db", "PRAGMA user_version=99");
  const Status newer = Store::Open(folder_).status();
  EXPECT_EQ(newer.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(newer.message().find("99"), std::string::npos);
  StoreOptions no_create;
  no_create.create = false;
  EXPECT_EQ(Store::Open(folder_ + "/none", no_create).status().code(), StatusCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/none"));
}

TEST_F(StoreTest, MigratesVersionOne) {
  store_.reset();
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directory(folder_);
  RunSql(folder_ + "/memory.db",
         std::string(memory::SchemaSteps()[0]) +
             "PRAGMA application_id=1279874370; PRAGMA user_version=1;"
             "INSERT INTO store VALUES('store_id','00112233445566778899aabbccddeeff'),"
             "('history_id','10112233445566778899aabbccddeeff');"
             "INSERT INTO sessions(tenant,name,created_ms,last_seq) VALUES(1,'main',1,1);"
             // Digest: SHA-256 of "1 1 1 1000 0 old treasure", first eight bytes.
             "INSERT INTO turns VALUES(1,1,1,1,1,'','old treasure',NULL,1000,0,2,0,NULL,'',"
             "(SELECT 0))");
  Reopen();
  EXPECT_EQ(store_->id(), "00112233445566778899aabbccddeeff");
  EXPECT_EQ(Find("treasures"), std::vector<TurnId>{1});
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/memory.db.version1"));
  EXPECT_EQ(Add("new"), 2);
  // The fixture's digest is wrong on purpose: reading says so.
  EXPECT_EQ(store_->GetTurn(1).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(store_->Verify()->size(), 1u);
}

TEST_F(StoreTest, FlippedBytesAreNoticedOrHarmless) {
  std::vector<std::string> texts;
  for (int i = 0; i < 60; ++i) {
    texts.push_back("sentence number " + std::to_string(i) + " about whales and weather " +
                    std::string(200, 'a' + i % 26));
    Add(texts.back());
  }
  store_.reset();
  const std::string path = folder_ + "/memory.db";
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign((std::istreambuf_iterator<char>(in)), {});
  }
  std::mt19937 random(20240607);
  int refused = 0;
  int noticed = 0;
  for (int round = 0; round < 150; ++round) {
    std::string broken = bytes;
    broken[random() % broken.size()] ^= static_cast<char>(1 << random() % 8);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << broken;
    std::filesystem::remove(path + "-wal");
    std::filesystem::remove(path + "-shm");
    const auto store = Store::Open(folder_);
    if (!store.ok()) {
      ++refused;
      EXPECT_FALSE(store.status().message().empty());
      continue;
    }
    for (int i = 0; i < 60; ++i) {
      const auto turn = (*store)->GetTurn(i + 1);
      if (!turn.ok()) {
        ++noticed;
      } else {
        EXPECT_EQ(turn->text, texts[i]) << "seed 20240607, round " << round;
      }
    }
    (void)(*store)->SearchText("whales", {}, 10).ok();
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(noticed, 0);
}

// Each flip in the pages of the full text is found by Verify, which a reader calls, or no search
// notices it.
TEST_F(StoreTest, FlippedBytesOfTheFullTextAreFoundOrHarmless) {
  constexpr unsigned kSeed = 20240611;
  std::mt19937 random(kSeed);
  constexpr const char* kWords[] = {"whale",  "harbour", "tomato", "garden", "letter", "piano",
                                    "bakery", "train",   "coast",  "roof",   "price",  "storm"};
  constexpr std::size_t kCount = std::size(kWords);
  std::vector<NewTurn> turns;
  for (int i = 0; i < 300; ++i) {
    NewTurn turn;
    turn.session_id = session_;
    turn.role = i % 2 == 0 ? Role::kUser : Role::kAssistant;
    for (int k = 0; k < 12; ++k) {
      turn.text += std::string(kWords[random() % kCount]) + " " + std::to_string(random() % 500) +
                   (k % 4 == 3 ? "。汉字很多 " : " ");
    }
    turns.push_back(std::move(turn));
  }
  ASSERT_OK(store_->AppendTurns(turns).status());
  store_.reset();
  const std::string path = folder_ + "/memory.db";
  std::vector<std::size_t> pages;
  {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    sqlite3_stmt* rows = nullptr;
    const int code = sqlite3_prepare_v2(
        db, "SELECT pageno FROM dbstat WHERE name LIKE 'turns_fts%'", -1, &rows, nullptr);
    while (code == SQLITE_OK && sqlite3_step(rows) == SQLITE_ROW) {
      pages.push_back(static_cast<std::size_t>(sqlite3_column_int64(rows, 0)));
    }
    sqlite3_finalize(rows);
    sqlite3_close(db);
    if (code != SQLITE_OK) GTEST_SKIP() << "this SQLite has no dbstat";
  }
  ASSERT_GT(pages.size(), 5u);
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign((std::istreambuf_iterator<char>(in)), {});
  }
  // Of the file's header: big-endian.
  const std::size_t page_bytes =
      static_cast<std::size_t>(static_cast<unsigned char>(bytes[16])) * 256 +
      static_cast<unsigned char>(bytes[17]);
  StoreOptions reading;
  reading.read_only = true;
  // What is found for some words; nothing when the store cannot be read or is found damaged.
  const auto found = [&]() -> std::optional<std::vector<std::pair<TurnId, double>>> {
    auto store = Store::Open(folder_, reading);
    if (!store.ok()) return std::nullopt;
    const auto problems = (*store)->Verify();
    if (!problems.ok() || !problems->empty()) return std::nullopt;
    std::vector<std::pair<TurnId, double>> hits;
    for (const std::string& query :
         {std::string("whale"), std::string("a letter from the coast"), std::string("price 42"),
          std::string("汉字"), std::string("tomato garden 7 499"), std::string("storm 100 roof")}) {
      const auto results = (*store)->SearchText(query, {}, 50);
      if (!results.ok()) {
        hits.emplace_back(-1, 0);
        continue;
      }
      for (const TextHit& hit : *results) hits.emplace_back(hit.turn_id, hit.score);
    }
    return hits;
  };
  const auto whole = found();
  ASSERT_TRUE(whole.has_value());
  ASSERT_GT(whole->size(), 50u);
  int noticed = 0;
  for (int round = 0; round < 60; ++round) {
    std::string broken = bytes;
    const std::size_t at =
        (pages[random() % pages.size()] - 1) * page_bytes + random() % page_bytes;
    ASSERT_LT(at, broken.size());
    broken[at] ^= static_cast<char>(1 << random() % 8);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << broken;
    std::filesystem::remove(path + "-wal");
    std::filesystem::remove(path + "-shm");
    const auto hits = found();
    if (!hits.has_value()) {
      ++noticed;
    } else {
      EXPECT_EQ(*hits, *whole) << "seed " << kSeed << ", round " << round << ", byte " << at;
    }
  }
  EXPECT_GT(noticed, 20);  // The others fall into room that is not used.
}

TEST_F(StoreTest, BackupsHaveAHistoryOfTheirOwn) {
  const TurnId id = Add("kept in both");
  ASSERT_OK(store_->Backup(folder_ + "/copy"));
  EXPECT_EQ(store_->Backup(folder_ + "/copy").code(), StatusCode::kAlreadyExists);
  const auto copy = Store::Open(folder_ + "/copy");
  ASSERT_OK(copy.status());
  EXPECT_EQ((*copy)->id(), store_->id());
  EXPECT_NE((*copy)->history_id(), store_->history_id());
  EXPECT_EQ((*copy)->GetTurn(id)->text, "kept in both");
  EXPECT_EQ((*copy)->SearchText("both", {}, 5)->size(), 1u);
  ASSERT_OK(store_->Checkpoint());
}

// A limit on the size of files stands in for a full disk.
TEST_F(StoreTest, AFullDiskAcknowledgesNothing) {
  store_.reset();
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{400000, 400000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto store = Store::Open(folder_);
    if (!store.ok()) ::_exit(3);
    const SessionId session = *(*store)->EnsureSession("main");
    for (int i = 1; i < 1000; ++i) {
      NewTurn turn;
      turn.session_id = session;
      turn.text = std::string(5000, 'z') + std::to_string(i);
      turn.idempotency_key = std::to_string(i);
      const auto id = (*store)->AppendTurn(turn);
      if (id.ok()) continue;
      // Writes have stopped, and say why; what was acknowledged can still be read.
      const Status again = (*store)->AppendTurn(turn).status();
      std::ofstream(folder_ + "/acknowledged") << i - 1;
      if (again.ok() || again.message().find("stopped") == std::string::npos) ::_exit(4);
      if (!(*store)->FindTurn(std::to_string(i - 1)).ok()) ::_exit(5);
      ::_exit(0);
    }
    ::_exit(6);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 0);
  int acknowledged = 0;
  std::ifstream(folder_ + "/acknowledged") >> acknowledged;
  ASSERT_GT(acknowledged, 0);
  Reopen();
  for (int i = 1; i <= acknowledged; ++i)
    EXPECT_TRUE(store_->FindTurn(std::to_string(i)).ok()) << i;
  EXPECT_GT(Add("room again"), 0);
}

TEST_F(StoreTest, AFailedSyncStopsWritesUntilTheStoreIsOpenedAgain) {
  const TurnId before = Add("before", Role::kUser, "k0");
  NewTurn turn;
  turn.session_id = session_;
  turn.text = "unknown";
  turn.idempotency_key = "k1";
  sync_fails = true;
  const Status failed = store_->AppendTurn(turn).status();
  sync_fails = false;
  EXPECT_EQ(failed.code(), StatusCode::kDataLoss) << failed.ToString();
  const Status stopped = store_->AppendTurn(turn).status();
  EXPECT_EQ(stopped.code(), StatusCode::kDataLoss);
  EXPECT_NE(stopped.message().find("stopped"), std::string::npos);
  EXPECT_FALSE(store_->write_status().ok());
  EXPECT_TRUE(store_->GetTurn(before).ok()) << "reading goes on";
  Reopen();
  // Whether it was kept is found by its key; either way it is stored once.
  const TurnId id = Add("unknown", Role::kUser, "k1");
  EXPECT_EQ(store_->FindTurn("k1")->id, id);
  EXPECT_EQ(store_->Stats()->turns, 2);
}

TEST_F(StoreTest, ThreadsTakeTurns) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        Add("thread " + std::to_string(t));
        (void)store_->SearchText("thread", {}, 5).ok();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  TurnFilter filter;
  filter.session = session_;
  const auto turns = *store_->Turns(filter);
  ASSERT_EQ(turns.size(), 100u);
  for (std::size_t i = 0; i < turns.size(); ++i)
    EXPECT_EQ(turns[i].seq, static_cast<std::int64_t>(i + 1));
}

}  // namespace
}  // namespace liubai
