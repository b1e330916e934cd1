#include "liubai/agent.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <random>
#include <thread>

#include "memory/compaction.h"
#include "tests/memory/scripted_model.h"

namespace liubai {
namespace {

class AgentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "liubai-agent-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    OpenStore();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  void OpenStore() {
    store_.reset();
    auto store = Store::Open(folder_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
  }
  AgentOptions Options() {
    AgentOptions options;
    options.store = store_.get();
    options.model = &model_;
    options.window_tokens = 512;
    options.system_prompt = "Be brief.";
    options.idle_work = false;
    options.now_ms = [this] { return clock_ms_ += 60'000; };
    return options;
  }
  std::unique_ptr<Agent> Make(const AgentOptions& options) {
    auto agent = Agent::Create(options);
    EXPECT_TRUE(agent.ok()) << agent.status().ToString();
    return agent.ok() ? std::move(*agent) : nullptr;
  }
  std::vector<Turn> StoredTurns(SessionId session) {
    TurnFilter filter;
    filter.session = session;
    auto turns = store_->Turns(filter, 10'000);
    EXPECT_TRUE(turns.ok());
    return turns.ok() ? *turns : std::vector<Turn>();
  }
  // Small talk without the words of any question asked here.
  void Chatter(Agent& agent, int turns) {
    for (int i = 0; i < turns; ++i) {
      auto reply = agent.Send("Today the garden looks fine and the tomatoes grow well, round " +
                              std::string(1, static_cast<char>('a' + i % 26)) + " of many.");
      ASSERT_TRUE(reply.ok()) << reply.status().ToString();
    }
  }

  std::string folder_;
  std::int64_t clock_ms_ = 1'709'500'000'000;
  ScriptedModel model_;
  std::unique_ptr<Store> store_;
};

TEST_F(AgentTest, CommitsTheUsersTurnBeforeTheModelRuns) {
  auto agent = Make(Options());
  int seen = -1;
  model_.script = [&](const std::string&) -> Result<std::string> {
    seen = static_cast<int>(StoredTurns(agent->session()).size());
    return std::string("Noted.");
  };
  std::string streamed;
  auto reply = agent->Send("My rent is $4,237.", [&](std::string_view piece) {
    streamed += piece;
    return true;
  });
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(streamed, "Noted.");
  EXPECT_EQ(reply->text, "Noted.");
  const auto turns = StoredTurns(agent->session());
  ASSERT_EQ(turns.size(), 2u);
  EXPECT_EQ(turns[0].text, "My rent is $4,237.");
  EXPECT_EQ(turns[1].text, "Noted.");
  EXPECT_EQ(turns[1].role, Role::kAssistant);
  EXPECT_EQ(turns[1].id, reply->reply_turn);
  EXPECT_EQ(turns[1].tokens, model_.Tokenize("Noted."));
}

TEST_F(AgentTest, AFailedGenerationStoresNoReplyAndTheNextTurnWorks) {
  auto agent = Make(Options());
  model_.script = [](const std::string&) -> Result<std::string> {
    return Status(StatusCode::kNumericError, "layer 3: NaN");
  };
  auto failed = agent->Send("Hello there.");
  EXPECT_EQ(failed.status().code(), StatusCode::kNumericError);
  EXPECT_NE(failed.status().message().find("layer 3"), std::string::npos);
  EXPECT_EQ(StoredTurns(agent->session()).size(), 1u);
  model_.script = [](const std::string&) -> Result<std::string> { return std::string("Hi."); };
  auto reply = agent->Send("Are you there?");
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_NE(model_.last().prompt.find("Hello there."), std::string::npos);
  EXPECT_EQ(StoredTurns(agent->session()).size(), 3u);
}

TEST_F(AgentTest, AnInterruptedReplyIsStoredAsSuch) {
  auto agent = Make(Options());
  model_.script = [](const std::string&) -> Result<std::string> {
    return std::string("one two three four five six");
  };
  int pieces = 0;
  auto reply = agent->Send("Count.", [&](std::string_view) { return ++pieces < 3; });
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_EQ(reply->stop_reason, StopReason::kCancelled);
  EXPECT_EQ(reply->text, "one two three");
  const auto turns = StoredTurns(agent->session());
  ASSERT_EQ(turns.size(), 2u);
  EXPECT_EQ(turns[1].status, TurnStatus::kInterrupted);
  EXPECT_EQ(turns[1].text, "one two three");

  // Before the first word: the user's turn alone.
  model_.before_token = [&] { agent->Cancel(); };
  auto none = agent->Send("Again.");
  ASSERT_TRUE(none.ok()) << none.status().ToString();
  EXPECT_EQ(none->stop_reason, StopReason::kCancelled);
  EXPECT_EQ(none->reply_turn, 0);
  EXPECT_EQ(StoredTurns(agent->session()).size(), 3u);
  model_.before_token = nullptr;
  EXPECT_TRUE(agent->Send("Once more.").ok());
}

TEST_F(AgentTest, CancelFromAnotherThreadStopsWithinAStep) {
  auto agent = Make(Options());
  model_.script = [](const std::string&) -> Result<std::string> {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "word ";
    return text;
  };
  std::atomic<int> words = 0;
  model_.before_token = [&] {
    ++words;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  auto future = agent->SendAsync("Go on.");
  while (words < 3) std::this_thread::yield();
  agent->Cancel();
  auto reply = future.get();
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_EQ(reply->stop_reason, StopReason::kCancelled);
  EXPECT_LT(words, 20);
}

TEST_F(AgentTest, RefusesBadMessages) {
  auto agent = Make(Options());
  EXPECT_EQ(agent->Send("").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(agent->Send(" \n ").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(agent->Send("\xff\xfe").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(agent->Send(std::string_view("a\0b", 3)).status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(StoredTurns(agent->session()).empty());
}

TEST_F(AgentTest, RefusesOptionsOutOfRange) {
  AgentOptions options = Options();
  options.window_tokens = 8192;
  EXPECT_EQ(Agent::Create(options).status().code(), StatusCode::kInvalidArgument);
  options = Options();
  options.window_tokens = 64;
  EXPECT_EQ(Agent::Create(options).status().code(), StatusCode::kInvalidArgument);
  options = Options();
  options.recall_turns = -1;
  EXPECT_EQ(Agent::Create(options).status().code(), StatusCode::kInvalidArgument);
  options = Options();
  options.model = nullptr;
  EXPECT_EQ(Agent::Create(options).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(AgentTest, AWindowSmallerThanTheBlocksIsAClearError) {
  Block block;
  block.label = "persona";
  for (int i = 0; i < 400; ++i) block.value += "word ";
  ASSERT_TRUE(store_->SetBlock(block).ok());
  const auto agent = Agent::Create(Options());
  EXPECT_EQ(agent.status().code(), StatusCode::kResourceExhausted);
  EXPECT_NE(agent.status().message().find("512"), std::string::npos) << agent.status().message();
}

TEST_F(AgentTest, ThePromptNeverExceedsTheWindow) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  auto options = Options();
  auto agent = Make(options);
  model_.script = [&](const std::string&) -> Result<std::string> {
    std::string text;
    for (unsigned i = 0, n = random() % 80; i < n; ++i) text += "reply" + std::to_string(i) + " ";
    return text;
  };
  for (int i = 0; i < 80; ++i) {
    std::string text = "note " + std::to_string(i);
    const unsigned words = random() % 5 == 0 ? random() % 900 : random() % 40;
    for (unsigned k = 0; k < words; ++k) text += " item" + std::to_string(random() % 1000);
    auto reply = agent->Send(text);
    ASSERT_TRUE(reply.ok()) << "turn " << i << ": " << reply.status().ToString();
    if (random() % 3 == 0) {
      ASSERT_TRUE(agent->WaitIdle().ok());
    }
  }
  int most = 0;
  for (const auto& call : model_.calls()) most = std::max(most, call.tokens);
  const auto info = agent->Window();
  ASSERT_TRUE(info.ok());
  EXPECT_LE(most, 512 - info->reply_budget);
  EXPECT_GT(most, 256) << "the window was hardly used";
  EXPECT_GT(agent->idle_status().compactions, 3);
}

TEST_F(AgentTest, ATurnLargerThanTheWindowIsStoredWholeAndShownByItsEnds) {
  auto agent = Make(Options());
  std::string text = "BEGIN of the log. ";
  while (text.size() < 5 << 20)
    text += "line of the log number " + std::to_string(text.size()) + "\n";
  text += " END of the log.";
  auto reply = agent->Send(text);
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_TRUE(reply->shortened);
  const auto call = model_.last();
  EXPECT_LE(call.tokens, 512);
  EXPECT_NE(call.prompt.find("BEGIN of the log."), std::string::npos);
  EXPECT_NE(call.prompt.find("END of the log."), std::string::npos);
  EXPECT_NE(call.prompt.find("stored as turn " + std::to_string(reply->user_turn)),
            std::string::npos);
  EXPECT_EQ(StoredTurns(agent->session())[0].text, text);
}

TEST_F(AgentTest, WhatLeftTheWindowIsRecalledLate) {
  auto agent = Make(Options());
  ASSERT_TRUE(agent->Send("The storage unit has the code 5812.").ok());
  Chatter(*agent, 30);
  ASSERT_TRUE(agent->WaitIdle().ok());
  const auto info = agent->Window();
  ASSERT_TRUE(info.ok());
  EXPECT_GT(info->first_turn, 2);
  EXPECT_GT(info->essences, 0);
  EXPECT_EQ(info->backlog_turns, 0);

  auto reply = agent->Send("What is the code of the storage unit?");
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  ASSERT_FALSE(reply->recalled.empty());
  EXPECT_EQ(reply->recalled.back().turn_id, 1);  // The best one is nearest to the question.
  EXPECT_NE(reply->recalled.back().why, "");
  const std::string prompt = model_.last().prompt;
  const auto memory = prompt.rfind("5812"), question = prompt.rfind("What is the code");
  ASSERT_NE(memory, std::string::npos) << prompt;
  EXPECT_LT(memory, question);
  EXPECT_GT(memory, prompt.rfind("tomatoes")) << "recalled text must stand behind the window";
  EXPECT_LE(reply->recalled.size(), 3u);

  // At the next turn it is gone, and only the tail was computed again.
  auto next = agent->Send("Thank you.");
  ASSERT_TRUE(next.ok());
  EXPECT_GT(next->cached_tokens, next->prompt_tokens / 3);
  const auto reports = store_->Reports(agent->session());
  ASSERT_TRUE(reports.ok());
  ASSERT_FALSE(reports->empty());
  const CompactionReport& first = reports->front();
  EXPECT_EQ(first.first_turn, 1);
  EXPECT_GT(first.details, 0);
  EXPECT_LT(first.tokens_after, first.tokens_before);
  EXPECT_EQ(first.kept_in_essence + first.shelved + first.kept_in_window, first.details);
}

TEST_F(AgentTest, AQuestionOfSeveralPartsIsAnsweredInEach) {
  auto options = Options();
  options.recall_turns = 1;
  options.budgets.recalled_tokens = 160;
  auto agent = Make(options);
  ASSERT_TRUE(agent->Send("It rained. The code of our cellar is 1208.").ok());
  Chatter(*agent, 15);
  ASSERT_TRUE(agent->Send("We had soup. The code of our attic is 4471.").ok());
  Chatter(*agent, 25);
  ASSERT_TRUE(agent->WaitIdle().ok());
  model_.script = [](const std::string&) -> Result<std::string> {
    return std::string("The code of the cellar is 1208.");
  };
  std::string shown;
  auto reply = agent->Send("What are the codes of our cellar and of our attic?",
                           [&](std::string_view piece) {
                             shown += piece;
                             return true;
                           });
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  // A memory for each part, though one is the limit for a question of one.
  for (const char* part : {"cellar is 1208", "attic is 4471"}) {
    EXPECT_TRUE(std::any_of(
        reply->recalled.begin(), reply->recalled.end(),
        [&](const RecalledTurn& turn) { return turn.text.find(part) != std::string::npos; }))
        << part;
  }
  EXPECT_NE(model_.last().prompt.find("- The code of our cellar is 1208.\n"
                                      "- The code of our attic is 4471.\n"),
            std::string::npos)
      << model_.last().prompt;
  EXPECT_TRUE(reply->text.starts_with("The code of the cellar is 1208.\nOn 2024-03-0"));
  EXPECT_TRUE(reply->text.ends_with(" it was said: \"The code of our attic is 4471.\""))
      << reply->text;
  EXPECT_EQ(shown, reply->text);
  EXPECT_EQ(StoredTurns(agent->session()).back().text, reply->text);
}

TEST_F(AgentTest, RecalledMemoriesAreDroppedOrKeptByOption) {
  for (const bool keep : {false, true}) {
    auto options = Options();
    options.keep_recalled = keep;
    options.session = keep ? "keep" : "drop";
    auto agent = Make(options);
    ASSERT_TRUE(agent->Send("The tailor lives at " + options.session + "ers Lane 19.").ok());
    Chatter(*agent, 25);
    ASSERT_TRUE(agent->WaitIdle().ok());
    ASSERT_TRUE(agent->Send("Where does the tailor live?").ok());
    ASSERT_NE(model_.last().prompt.find("Memories"), std::string::npos);
    ASSERT_TRUE(agent->Send("Fine.").ok());
    const std::string prompt = model_.last().prompt;
    const auto question = prompt.find("Where does the tailor live?");
    ASSERT_NE(question, std::string::npos);
    EXPECT_EQ(prompt.substr(0, question).find("Memories") != std::string::npos, keep) << prompt;
  }
}

TEST_F(AgentTest, AQuestionAskedBeforeDoesNotHideItsAnswer) {
  auto options = Options();
  options.recall_turns = 1;
  auto agent = Make(options);
  ASSERT_TRUE(agent->Send("Our dentist is called Zhou.").ok());
  model_.script = [](const std::string&) -> Result<std::string> {
    return std::string("I don't know the name of your dentist.");
  };
  ASSERT_TRUE(agent->Send("What is the name of our dentist?").ok());
  model_.script = [](const std::string&) -> Result<std::string> { return std::string("Good."); };
  Chatter(*agent, 30);
  ASSERT_TRUE(agent->WaitIdle().ok());
  auto reply = agent->Send("What is the name of our dentist?");
  ASSERT_TRUE(reply.ok());
  ASSERT_EQ(reply->recalled.size(), 1u);
  EXPECT_EQ(reply->recalled[0].turn_id, 1) << reply->recalled[0].text;
}

TEST_F(AgentTest, WhatWasTakenBackIsRecalledOnlyForAQuestionAboutThePast) {
  auto agent = Make(Options());
  ASSERT_TRUE(agent->Send("The code of the storage unit is 5821.").ok());
  ASSERT_TRUE(agent->Send("The code of the storage unit is not what I told you, it is 5812.").ok());
  Chatter(*agent, 30);
  ASSERT_TRUE(agent->WaitIdle().ok());
  const auto recalls = [](const Reply& reply, TurnId id) {
    return std::any_of(reply.recalled.begin(), reply.recalled.end(),
                       [&](const RecalledTurn& turn) { return turn.turn_id == id; });
  };
  auto now = agent->Send("What is the code of the storage unit?");
  ASSERT_TRUE(now.ok()) << now.status().ToString();
  EXPECT_TRUE(recalls(*now, 3));
  EXPECT_FALSE(recalls(*now, 1));
  EXPECT_NE(now->recall_note.find("turn 1 is left out: turn 3 takes it back"), std::string::npos)
      << now->recall_note;
  auto past = agent->Send("What was the code of the storage unit before?");
  ASSERT_TRUE(past.ok()) << past.status().ToString();
  EXPECT_TRUE(recalls(*past, 1));
}

// No "my", no name: that somebody told of it makes it a question for the memory.
TEST_F(AgentTest, AQuestionForAFactThatWasToldReachesIt) {
  auto agent = Make(Options());
  ASSERT_TRUE(agent->Send("The teacher of the pottery course is called Nakagawa.").ok());
  Chatter(*agent, 10);
  auto keyboard = agent->Send("北欧风键盘来自码头街的地摊，万一要找收据。");
  ASSERT_TRUE(keyboard.ok());
  Chatter(*agent, 30);
  ASSERT_TRUE(agent->WaitIdle().ok());
  const auto recalls = [&](const std::string& question, TurnId id) {
    auto reply = agent->Send(question);
    EXPECT_TRUE(reply.ok()) << reply.status().ToString();
    return reply.ok() && std::any_of(reply->recalled.begin(), reply->recalled.end(),
                                     [&](const RecalledTurn& turn) { return turn.turn_id == id; });
  };
  EXPECT_TRUE(recalls("Who teaches the pottery course?", 1));
  EXPECT_TRUE(recalls("北欧风键盘是哪家店的？", keyboard->user_turn));
  // What anybody may know is no question for the memory.
  EXPECT_FALSE(recalls("How is clay fired in a kiln?", 1));
  EXPECT_FALSE(recalls("键盘怎么清洁？", keyboard->user_turn));
}

TEST_F(AgentTest, TheModelsSummaryIsCheckedAgainstTheTurns) {
  auto options = Options();
  std::string warned;
  options.logger = Logger([&](LogLevel level, std::string_view, std::string_view line) {
    if (level == LogLevel::kWarning) warned += line;
  });
  auto agent = Make(options);
  model_.script = [](const std::string& prompt) -> Result<std::string> {
    if (prompt.find("Summarize the conversation") == std::string::npos)
      return std::string("All right.");
    return std::string(
        "The user pays 4237 for the flat and talks about the garden and its tomatoes. "
        "The user pays 9999 for the car. The garden looks fine to everybody.");
  };
  ASSERT_TRUE(agent->Send("I pay $4237 for the flat.").ok());
  Chatter(*agent, 12);
  ASSERT_TRUE(agent->Compact().ok());
  const auto essences = store_->Essences(agent->session());
  ASSERT_TRUE(essences.ok());
  ASSERT_FALSE(essences->empty());
  EXPECT_EQ(essences->front().method, "model");
  EXPECT_NE(essences->front().text.find("4237"), std::string::npos);
  EXPECT_EQ(essences->front().text.find("9999"), std::string::npos) << essences->front().text;
  const auto reports = store_->Reports(agent->session());
  EXPECT_NE(reports->front().detail_json.find("9999 for the car. [a value that no turn holds]"),
            std::string::npos)
      << "the report names what was rejected, and why";
  EXPECT_NE(warned.find("1 sentences of the model's summary were removed"), std::string::npos)
      << warned;
}

TEST_F(AgentTest, AProofThatNoLongerHoldsIsToldOf) {
  std::vector<std::string> warnings;
  AgentOptions options = Options();
  options.logger = Logger([&](LogLevel level, std::string_view, std::string_view line) {
    if (level == LogLevel::kWarning) warnings.emplace_back(line);
  });
  auto agent = Make(options);
  auto told = agent->Send("The plumber charged 180 euros for the valve of the boiler.");
  ASSERT_TRUE(told.ok()) << told.status().ToString();
  Chatter(*agent, 12);
  ASSERT_TRUE(agent->WaitIdle().ok());
  ASSERT_TRUE(agent->Compact().ok());
  const auto Entry = [&] {
    const auto ledger = store_->Ledger(told->user_turn, told->user_turn);
    for (const LedgerEntry& entry : *ledger) {
      if (entry.text == "180 euros") return entry;
    }
    ADD_FAILURE() << "the ledger lacks 180 euros";
    return LedgerEntry();
  };
  // As if no essence carried it.
  CompactionBatch batch;
  batch.session_id = agent->session();
  batch.ledger_states = {{Entry().id, LedgerState::kProved}};
  const auto committed = store_->Commit(batch);
  ASSERT_TRUE(committed.ok()) << committed.status().ToString();
  ASSERT_TRUE(agent->ProveAgain().ok());
  EXPECT_EQ(Entry().state, LedgerState::kProved);
  EXPECT_GE(agent->idle_status().proofs_tried_again, 1);
  EXPECT_EQ(agent->idle_status().proofs_gone, 0);

  // The same words many times, and nothing tells this one from them.
  auto other = store_->EnsureSession("other");
  ASSERT_TRUE(other.ok());
  for (int i = 0; i < 40; ++i) {
    NewTurn turn;
    turn.session_id = *other;
    turn.time_ms = clock_ms_;
    turn.text =
        "The plumber charged " + std::to_string(200 + i) + " euros for the valve of the boiler.";
    ASSERT_TRUE(store_->AppendTurn(turn).ok());
  }
  warnings.clear();
  ASSERT_TRUE(agent->ProveAgain().ok());
  EXPECT_EQ(Entry().state, LedgerState::kUnproved);
  EXPECT_EQ(agent->idle_status().proofs_gone, 1);
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings.back().find("\"180 euros\" of turn"), std::string::npos) << warnings.back();
  EXPECT_NE(warnings.back().find("no longer found again"), std::string::npos);
}

TEST_F(AgentTest, AReplacedPreferenceIsToldOnce) {
  auto options = Options();
  options.compaction = CompactionMode::kExtractive;
  auto agent = Make(options);
  ASSERT_TRUE(agent->Send("My favourite colour is teal. 以后都用中文回答我。").ok());
  Chatter(*agent, 12);
  ASSERT_TRUE(agent->Compact().ok());
  EXPECT_TRUE(agent->TakeStandingChanges().empty()) << "nothing was there before";
  ASSERT_TRUE(agent->Send("My favourite colour is green now. 以后请一律用英文回复我。").ok());
  Chatter(*agent, 12);
  ASSERT_TRUE(agent->Compact().ok());
  const auto reply = agent->Send("Good morning.");
  ASSERT_TRUE(reply.ok());
  ASSERT_EQ(reply->standing_changes.size(), 2u);
  for (const StandingChange& change : reply->standing_changes) {
    const bool colour = change.was.find("teal") != std::string::npos;
    EXPECT_NE(change.was.find(colour ? "teal" : "中文"), std::string::npos) << change.was;
    EXPECT_NE(change.now.find(colour ? "green" : "英文"), std::string::npos) << change.now;
    EXPECT_NE(change.now.find("turn 27"), std::string::npos) << "with its source: " << change.now;
  }
  EXPECT_TRUE(agent->TakeStandingChanges().empty());
  EXPECT_TRUE(agent->Send("Good evening.")->standing_changes.empty());
  std::string prompt = model_.last().prompt;
  prompt.resize(prompt.find("Earlier in this conversation"));
  EXPECT_NE(prompt.find("[user]"), std::string::npos) << prompt;
  EXPECT_NE(prompt.find("green now"), std::string::npos) << "in the prompt for good: " << prompt;
  EXPECT_EQ(prompt.find("teal"), std::string::npos) << prompt;
}

TEST_F(AgentTest, AFailingModelGivesAnExtract) {
  auto agent = Make(Options());
  model_.script = [](const std::string& prompt) -> Result<std::string> {
    if (prompt.find("Summarize the conversation") == std::string::npos)
      return std::string("All right.");
    return Status(StatusCode::kNumericError, "NaN");
  };
  ASSERT_TRUE(agent->Send("I pay $4237 for the flat in Porto.").ok());
  Chatter(*agent, 12);
  ASSERT_TRUE(agent->Compact().ok());
  const auto essences = store_->Essences(agent->session());
  ASSERT_TRUE(essences.ok() && !essences->empty());
  EXPECT_EQ(essences->front().method, "extractive");
  EXPECT_NE(essences->front().text.find("$4237"), std::string::npos) << essences->front().text;
}

TEST_F(AgentTest, EssencesThatDoNotFitASmallerWindowAreToldOfOnce) {
  auto options = Options();
  options.window_tokens = 2048;
  options.compaction = CompactionMode::kExtractive;
  {
    auto agent = Make(options);
    for (int i = 0; i < 120; ++i) {
      ASSERT_TRUE(agent
                      ->Send("Entry " + std::to_string(i) + ": the boat number " +
                             std::to_string(i * 37) + " came in at dawn with fish.")
                      .ok());
    }
    ASSERT_TRUE(agent->Compact().ok());
  }
  const auto essences = store_->Essences(1);
  ASSERT_TRUE(essences.ok());
  ASSERT_GT(essences->size(), 1u);
  int told = 0;
  options.window_tokens = 256;
  options.logger = Logger([&](LogLevel, std::string_view, std::string_view line) {
    told += line.find("left out of the window") != std::string_view::npos;
  });
  auto agent = Make(options);
  EXPECT_EQ(told, 1);
  const auto info = agent->Window();
  EXPECT_LE(info->essences_tokens, info->essences_budget);
  Block block;
  block.label = "task";
  block.value = "Count the boats.";
  ASSERT_TRUE(store_->SetBlock(block).ok());
  ASSERT_TRUE(agent->Send("Good morning.").ok());
  EXPECT_EQ(told, 1) << "nothing has changed";
}

TEST_F(AgentTest, EssencesStayWithinTheirBudgetForEver) {
  auto options = Options();
  options.compaction = CompactionMode::kExtractive;
  auto agent = Make(options);
  for (int i = 0; i < 300; ++i) {
    auto reply = agent->Send("Entry " + std::to_string(i) + ": the boat number " +
                             std::to_string(i * 37) + " came in at dawn with fish and crabs.");
    ASSERT_TRUE(reply.ok()) << reply.status().ToString();
    if (i % 10 == 0) {
      ASSERT_TRUE(agent->WaitIdle().ok());
    }
    const auto info = agent->Window();
    ASSERT_LE(info->essences_tokens, info->essences_budget) << "turn " << i;
  }
  const auto all = store_->Essences(agent->session(), true);
  ASSERT_TRUE(all.ok());
  int levels = 0;
  for (const Essence& essence : *all) levels = std::max(levels, essence.level);
  EXPECT_GE(levels, 1);
  // Together those in use stand for all that has left the window.
  const auto used = store_->Essences(agent->session());
  ASSERT_TRUE(used.ok());
  EXPECT_EQ(used->front().first_turn, 1);
  for (std::size_t i = 1; i < used->size(); ++i) {
    EXPECT_GT((*used)[i].first_turn, (*used)[i - 1].last_turn) << (*used)[i].text << "\n--\n"
                                                               << (*used)[i - 1].text;
  }
}

TEST_F(AgentTest, ResumesFromTheStoreAloneWithTheSameContext) {
  auto options = Options();
  WindowInfo before;
  {
    auto agent = Make(options);
    ASSERT_TRUE(agent->Send("Remember to call me Captain.").ok());
    Chatter(*agent, 40);
    ASSERT_TRUE(agent->WaitIdle().ok());
    Chatter(*agent, 2);
    before = *agent->Window();
  }
  OpenStore();
  auto agent = Make(Options());
  const WindowInfo after = *agent->Window();
  EXPECT_EQ(after.turns_tokens, before.turns_tokens);
  EXPECT_EQ(after.first_turn, before.first_turn);
  EXPECT_EQ(after.essences_tokens, before.essences_tokens);
  EXPECT_EQ(after.blocks_tokens, before.blocks_tokens);
  EXPECT_GT(after.blocks_tokens, 0);
  const std::string last_prompt = model_.last().prompt;
  ASSERT_TRUE(agent->Send("And on we go.").ok());
  const std::string prompt = model_.last().prompt;
  const auto common =
      std::mismatch(last_prompt.begin(), last_prompt.end(), prompt.begin(), prompt.end()).first -
      last_prompt.begin();
  EXPECT_GT(common, static_cast<std::ptrdiff_t>(last_prompt.size()) * 2 / 3)
      << "the prefix must not change on resume";
  EXPECT_NE(prompt.find("call me Captain"), std::string::npos)
      << "standing rules stay in the block";
}

TEST_F(AgentTest, TokenIdsOfAnotherModelAreNotUsed) {
  {
    auto agent = Make(Options());
    ASSERT_TRUE(agent->Send("Hello.").ok());
  }
  ScriptedModel other;
  other.Tokenize("these words shift every token id of the second model");
  auto options = Options();
  options.model = &other;
  auto agent = Make(options);
  ASSERT_TRUE(agent->Send("Still there?").ok());
  EXPECT_NE(other.last().prompt.find("All right."), std::string::npos) << other.last().prompt;
}

TEST_F(AgentTest, TokenIdsOutsideTheVocabularyAreNotUsed) {
  model_.mutable_info().vocabulary_size = 1000;
  SessionId session = 0;
  {
    auto agent = Make(Options());
    ASSERT_TRUE(agent->Send("Hello.").ok());
    session = agent->session();
  }
  NewTurn damaged;
  damaged.session_id = session;
  damaged.role = Role::kAssistant;
  damaged.text = "I am well.";
  damaged.tokens = {1000, 1001};
  ASSERT_TRUE(store_->AppendTurn(damaged).ok());
  auto agent = Make(Options());
  auto reply = agent->Send("Still there?");
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_NE(model_.last().prompt.find("I am well."), std::string::npos) << model_.last().prompt;
}

TEST_F(AgentTest, AnImportLargerThanTheWindowIsCompactedInIdleTime) {
  const auto session = store_->EnsureSession("default");
  ASSERT_TRUE(session.ok());
  std::vector<NewTurn> turns;
  for (int i = 0; i < 200; ++i) {
    NewTurn turn;
    turn.session_id = *session;
    turn.role = i % 2 == 0 ? Role::kUser : Role::kAssistant;
    turn.text = i == 6 ? "My passport ends with 7719 and expires in 2026."
                       : "Some talk about ships and harbours, part " + std::to_string(i) + ".";
    turns.push_back(turn);
  }
  ASSERT_TRUE(store_->AppendTurns(turns).ok());
  auto agent = Make(Options());
  EXPECT_GT(agent->Window()->backlog_turns, 100);
  // Recalled by its words before anything was compacted.
  auto early = agent->Send("With which digits does my passport end?");
  ASSERT_TRUE(early.ok()) << early.status().ToString();
  EXPECT_NE(model_.last().prompt.find("7719"), std::string::npos);
  ASSERT_TRUE(agent->WaitIdle().ok());
  const auto info = agent->Window();
  EXPECT_EQ(info->backlog_turns, 0);
  const auto row = store_->GetSession(*session);
  ASSERT_TRUE(row.ok());
  EXPECT_EQ(row->covered_through, info->first_turn - 1);
  // Every turn that left has its reports, without holes.
  const auto reports = store_->Reports(*session);
  ASSERT_TRUE(reports.ok());
  TurnId next = 1;
  for (const CompactionReport& report : *reports) {
    EXPECT_EQ(report.first_turn, next);
    next = report.last_turn + 1;
  }
  EXPECT_EQ(next, info->first_turn);
}

TEST_F(AgentTest, ASlidingWindowForgets) {
  auto options = Options();
  options.memory_mode = MemoryMode::kSlidingWindow;
  auto agent = Make(options);
  ASSERT_TRUE(agent->Send("The storage unit has the code 5812.").ok());
  Chatter(*agent, 40);
  ASSERT_TRUE(agent->WaitIdle().ok());
  auto reply = agent->Send("What is the code of the storage unit?");
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_TRUE(reply->recalled.empty());
  EXPECT_EQ(model_.last().prompt.find("5812"), std::string::npos);
  EXPECT_TRUE(store_->Reports(agent->session())->empty());
  for (const auto& call : model_.calls()) EXPECT_LE(call.tokens, 512);
}

TEST_F(AgentTest, AnEditedBlockIsAnnouncedAtTheTail) {
  Block block;
  block.label = "persona";
  block.value = "You are a gardener.";
  ASSERT_TRUE(store_->SetBlock(block).ok());
  auto agent = Make(Options());
  ASSERT_TRUE(agent->Send("Hello.").ok());
  block.value = "You are a sailor.";
  ASSERT_TRUE(store_->SetBlock(block).ok());
  auto reply = agent->Send("Who are you?");
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  const std::string prompt = model_.last().prompt;
  EXPECT_NE(prompt.find("gardener"), std::string::npos) << "the prefix stays cached";
  EXPECT_GT(prompt.find("sailor"), prompt.find("Hello."));
  EXPECT_GT(reply->cached_tokens, 0);
  Chatter(*agent, 20);
  ASSERT_TRUE(agent->Compact().ok());
  ASSERT_TRUE(agent->Send("And now?").ok());
  EXPECT_EQ(model_.last().prompt.find("gardener"), std::string::npos);
  EXPECT_LT(model_.last().prompt.find("sailor"), model_.last().prompt.find("tomatoes"));
}

TEST_F(AgentTest, TheSameKeyIsOneTurn) {
  auto agent = Make(Options());
  model_.script = [](const std::string&) -> Result<std::string> {
    return Status(StatusCode::kNumericError, "NaN");
  };
  EXPECT_FALSE(agent->Send("Pay the gas bill.", {}, {.idempotency_key = "k1"}).ok());
  model_.script = [](const std::string&) -> Result<std::string> { return std::string("Paid."); };
  auto again = agent->Send("Pay the gas bill.", {}, {.idempotency_key = "k1"});
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(StoredTurns(agent->session()).size(), 2u);
  const std::string prompt = model_.last().prompt;
  EXPECT_EQ(prompt.find("gas bill"), prompt.rfind("gas bill")) << prompt;
  EXPECT_EQ(agent->Send("Pay the gas bill.", {}, {.idempotency_key = "k1"}).status().code(),
            StatusCode::kAlreadyExists);
}

TEST_F(AgentTest, QueuedMessagesRunInOrderAndTheQueueIsBounded) {
  auto options = Options();
  options.queue_limit = 4;
  auto agent = Make(options);
  std::atomic<bool> go = false;
  model_.before_token = [&] {
    while (!go) std::this_thread::yield();
  };
  std::vector<std::future<Result<Reply>>> futures;
  for (int i = 0; i < 4; ++i) futures.push_back(agent->SendAsync("Message " + std::to_string(i)));
  auto refused = agent->SendAsync("Too many");
  EXPECT_EQ(refused.get().status().code(), StatusCode::kResourceExhausted);
  go = true;
  TurnId last = 0;
  for (auto& future : futures) {
    auto reply = future.get();
    ASSERT_TRUE(reply.ok()) << reply.status().ToString();
    EXPECT_GT(reply->user_turn, last);
    last = reply->user_turn;
  }
}

TEST_F(AgentTest, SendInsideACallbackIsRefusedInsteadOfWaitingForItself) {
  auto agent = Make(Options());
  Status inner;
  auto reply = agent->Send("Hello.", [&](std::string_view) {
    inner = agent->Send("Nested.").status();
    return true;
  });
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(inner.code(), StatusCode::kFailedPrecondition);
}

TEST_F(AgentTest, IdleWorkRunsByItself) {
  auto options = Options();
  options.idle_work = true;
  options.idle_delay_ms = 1;
  auto agent = Make(options);
  Chatter(*agent, 40);
  for (int i = 0; i < 500 && agent->idle_status().compactions == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_GT(agent->idle_status().compactions, 0);
  EXPECT_TRUE(agent->idle_status().last_error.ok()) << agent->idle_status().last_error.ToString();
}

TEST_F(AgentTest, AForkGoesItsOwnWay) {
  auto agent = Make(Options());
  ASSERT_TRUE(agent->Send("We sail on Monday.").ok());
  auto fork = agent->Fork("other");
  ASSERT_TRUE(fork.ok()) << fork.status().ToString();
  auto there = (*fork)->Send("Let us sail on Friday instead.");
  ASSERT_TRUE(there.ok()) << there.status().ToString();
  EXPECT_NE(model_.last().prompt.find("We sail on Monday."), std::string::npos);
  EXPECT_GT(there->cached_tokens, 5) << "pages are shared";
  ASSERT_TRUE(agent->Send("What is the plan?").ok());
  EXPECT_EQ(StoredTurns(agent->session()).size(), 4u);
  EXPECT_EQ(StoredTurns((*fork)->session()).size(), 4u);
  EXPECT_EQ(agent->Fork("other").status().code(), StatusCode::kAlreadyExists);
  fork->reset();
  EXPECT_TRUE(agent->Send("Goodbye.").ok());
}

// A limit on the size of files stands in for a full disk.
TEST_F(AgentTest, AFullDiskAcknowledgesNothing) {
  auto agent = Make(Options());
  ASSERT_TRUE(agent->Send("Hello.").ok());
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit small = old;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto calls = model_.calls().size();
  auto full = agent->Send(std::string(200'000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(model_.calls().size(), calls) << "the model must not run for a turn that is not stored";
  agent.reset();
  OpenStore();
  agent = Make(Options());
  EXPECT_EQ(StoredTurns(agent->session()).size(), 2u);
  EXPECT_TRUE(agent->Send("Back again.").ok());
}

// Sends until it is killed; writes each acknowledged user turn's number to `pipe`.
[[noreturn]] void Talker(const std::string& folder, int from, int pipe) {
  ScriptedModel model;
  auto store = Store::Open(folder);
  if (!store.ok()) ::_exit(2);
  AgentOptions options;
  options.store = store->get();
  options.model = &model;
  options.window_tokens = 512;
  options.system_prompt = "Be brief.";
  options.idle_delay_ms = 0;
  auto agent = Agent::Create(options);
  if (!agent.ok()) ::_exit(3);
  for (int number = from;; ++number) {
    auto reply = (*agent)->Send("This is message " + std::to_string(number) +
                                " about the price of $" + std::to_string(number * 7) + ".");
    if (!reply.ok()) ::_exit(4);
    if (::write(pipe, &number, sizeof(number)) != sizeof(number)) ::_exit(5);
  }
}

TEST_F(AgentTest, EveryAcknowledgedTurnAndReplySurvivesKillMinusNine) {
  store_.reset();
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int next = 1, acknowledged = 0;
  for (int round = 0; round < 25; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(ends[0]);
      Talker(folder_, next, ends[1]);
    }
    ::close(ends[1]);
    ::usleep(20'000 + random() % 250'000);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        << "the child ended by itself: " << std::hex << status;
    int number = 0;
    while (::read(ends[0], &number, sizeof(number)) == sizeof(number)) acknowledged = number;
    ::close(ends[0]);

    OpenStore();
    const auto session = store_->FindSession("default");
    if (!session.ok()) {
      store_.reset();
      continue;
    }
    int user = 0, replies = 0;
    for (const Turn& turn : StoredTurns(session->id)) {
      if (turn.role == Role::kUser) {
        user = std::stoi(turn.text.substr(std::string("This is message ").size()));
      } else {
        EXPECT_EQ(turn.text, "All right.");
        replies = user;
      }
    }
    ASSERT_GE(user, acknowledged);
    ASSERT_GE(replies, acknowledged);
    ASSERT_LE(user, std::max(acknowledged, next - 1) + 1);
    // What compaction covers has essences and reports, whole.
    const auto reports = store_->Reports(session->id);
    ASSERT_TRUE(reports.ok());
    EXPECT_EQ(reports->empty() ? 0 : reports->back().last_turn, session->covered_through);
    const auto problems = store_->Verify();
    ASSERT_TRUE(problems.ok());
    EXPECT_TRUE(problems->empty()) << problems->front();
    store_.reset();
    next = user + 1;
  }
  EXPECT_GT(next, 25) << "hardly anything was sent";
  OpenStore();
}

}  // namespace
}  // namespace liubai
