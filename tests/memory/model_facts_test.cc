// Facts that a model reads in idle time: what is checked of its statements, how they are filed, and
// how far it has come.
#include "memory/model_facts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/text.h"
#include "engine/model_store.h"
#include "liubai/agent.h"
#include "memory/facts.h"
#include "tests/memory/scripted_model.h"
#include "tests/memory/store_fixture.h"

namespace liubai::memory {
namespace {

// Writes what the script says and can be held to anything.
class Writer : public ScriptedModel {
 public:
  using ScriptedModel::ScriptedModel;
  Result<TokenMask> MaskFor(const Grammar& grammar) const override {
    EXPECT_TRUE(grammar.Validate().ok()) << grammar.Validate().ToString();
    return TokenMask([](std::span<float>, std::span<const TokenId>) {});
  }
};

Turn Said(TurnId id, std::string text, std::string speaker = "") {
  Turn turn;
  turn.id = id;
  turn.text = std::move(text);
  turn.speaker = std::move(speaker);
  turn.time_ms = 1'709'500'000'000 + id * 86'400'000;
  return turn;
}

std::string Statement(TurnId turn, std::string subject, std::string attribute, std::string value) {
  return "{\"turn\": " + std::to_string(turn) + ", \"subject\": \"" + subject +
         "\", \"attribute\": \"" + attribute + "\", \"value\": \"" + value + "\"}";
}

TEST(ModelFactsTest, DropsAndCountsWhatItsTurnDoesNotSay) {
  const std::vector<Turn> turns = {
      Said(3, "Since spring home has meant Lyon for me. She said \"I am from Kyiv\"."),
      Said(5, "Anna started again as a nurse in Porto. Do I live in Bern?"),
      Said(8, "我养的那只叫团团的猫又胖了。", "小林")};
  Writer model;
  std::string prompt;
  model.script = [&](const std::string& given) -> Result<std::string> {
    prompt = given;
    return "{\"facts\": [" + Statement(3, "User", "home", "Lyon") + ", " +
           Statement(3, "User", "home", "Lyon") + ", " +   // Repeated: counts once.
           Statement(3, "User", "home", "Paris") + ", " +  // Not said.
           Statement(3, "User", "home", "yon") + ", " +    // Within a word.
           Statement(3, "User", "home", "Kyiv") + ", " +   // Quoted.
           Statement(5, "User", "home", "Bern") + ", " +   // Asked.
           Statement(5, "User", "job", "nurse") + ", " +   // Of Anna.
           Statement(5, "Anna", "job", "nurse") + ", " + Statement(5, "Anna", "age", "nurse") +
           ", " +  // No number.
           Statement(8, "小林", "pet", "团团") + "]}";
  };
  const auto reading = ReadFactsByModel(model, turns, {});
  ASSERT_TRUE(reading.ok()) << reading.status().ToString();
  EXPECT_EQ(reading->stated, 9);
  EXPECT_EQ(reading->not_said, 4);
  EXPECT_EQ(reading->not_of_subject, 1);
  EXPECT_EQ(reading->not_a_value, 1);
  ASSERT_EQ(reading->facts.size(), 3u);
  EXPECT_EQ(reading->facts[0].value, "Lyon");
  EXPECT_EQ(reading->facts[0].sources, std::vector<TurnId>{3});
  EXPECT_EQ(reading->facts[0].statement, "Since spring home has meant Lyon for me.");
  EXPECT_TRUE(reading->facts[0].first_person);
  EXPECT_LT(reading->facts[0].confidence, 0.9);
  EXPECT_TRUE(IsByModel(reading->facts[0]));
  EXPECT_EQ(reading->facts[1].subject, "Anna");
  EXPECT_FALSE(reading->facts[1].first_person);
  EXPECT_EQ(reading->facts[2].subject, "小林");
  for (const char* shown : {"[3] User: Since spring", "[5] User: Anna", "[8] 小林: 我养"}) {
    EXPECT_NE(prompt.find(shown), std::string::npos) << shown;
  }
}

TEST(ModelFactsTest, AsksOnlyWhereSomethingMayBeSaid) {
  EXPECT_TRUE(MayStateFacts(Said(1, "The move to Lyon went well, I love the flat.")));
  EXPECT_FALSE(MayStateFacts(Said(1, "Hello!")));
  EXPECT_FALSE(MayStateFacts(Said(1, "How long do potatoes cook, and do they need salt?")));
  Turn turn = Said(1, "The move to Lyon went well, I love the flat.");
  turn.role = Role::kAssistant;
  EXPECT_FALSE(MayStateFacts(turn));
  turn.speaker = "Caroline";
  EXPECT_TRUE(MayStateFacts(turn));
  const std::vector<Turn> turns = {Said(1, "Bruno met Anna in Porto.", "Caroline")};
  const std::vector<std::string> known = {"Anna", "Dora"};
  const auto subjects = SubjectsOf(turns, known);
  ASSERT_GE(subjects.size(), 2u);
  EXPECT_EQ(subjects[0], "Caroline");
  EXPECT_EQ(subjects[1], "Anna");
  EXPECT_EQ(std::count(subjects.begin(), subjects.end(), "Dora"), 0);
}

class FiledFactsTest : public StoreAndRetriever {
 protected:
  TurnId Say(std::string text) {
    NewTurn turn;
    turn.session_id = session_;
    turn.text = std::move(text);
    turn.time_ms = clock_ms_ += 86'400'000;
    return *store_->AppendTurn(turn);
  }
  Fact ByModel(TurnId turn, std::string attribute, std::string value) {
    Fact fact;
    fact.statement = value + ".";
    fact.subject = "User";
    fact.attribute = std::move(attribute);
    fact.value = std::move(value);
    fact.sources = {turn};
    fact.valid_from_ms = clock_ms_;
    fact.confidence = 0.5;
    fact.first_person = true;
    return fact;
  }
  int File(const Fact& fact) {
    auto written = FileModelFacts(*store_, std::span(&fact, 1), kDefaultTenant);
    EXPECT_TRUE(written.ok()) << written.status().ToString();
    return written.ok() ? *written : -1;
  }
  // "attribute value state", of all.
  std::vector<std::string> Facts() {
    FactFilter filter;
    filter.history = true;
    std::vector<std::string> lines;
    const auto facts = store_->FindFacts(filter);
    for (const Fact& fact : *facts) {
      lines.push_back(fact.attribute + " " + fact.value + " " +
                      std::to_string(static_cast<int>(fact.state)));
    }
    return lines;
  }
  std::int64_t clock_ms_ = 1'709'500'000'000;
};

TEST_F(FiledFactsTest, NeverAgainstWhatRulesAndPeopleWrote) {
  Say("I live in Lyon.");
  const TurnId later = Say("Everything went well.");
  ASSERT_EQ(Facts(), (std::vector<std::string>{"home Lyon 0"}));
  EXPECT_EQ(File(ByModel(later, "home", "Oslo")), 0) << "the rules have a home";
  EXPECT_EQ(File(ByModel(later, "home", "lyon")), 0) << "known";
  EXPECT_EQ(File(ByModel(later, "job", "nurse")), 1);
  EXPECT_EQ(File(ByModel(later, "job", "nurse")), 0) << "known";
  // What was taken back stays so.
  Fact told = ByModel(later, "pet", "cat");
  told.confidence = 1.0;
  const auto id = store_->AddFact(told);
  ASSERT_TRUE(id.ok());
  ASSERT_TRUE(store_->MarkFact(*id, FactState::kWrong).ok());
  EXPECT_EQ(File(ByModel(later, "pet", "cat")), 0);
  // Many at a time are no contradiction; likes and dislikes are.
  EXPECT_EQ(File(ByModel(later, "likes", "tea")), 1);
  EXPECT_EQ(File(ByModel(later, "likes", "rain")), 1);
  EXPECT_EQ(File(ByModel(later, "dislikes", "tea")), 0);
  EXPECT_EQ(Facts(), (std::vector<std::string>{"home Lyon 0", "job nurse 0", "pet cat 2",
                                               "likes tea 0", "likes rain 0"}));
}

TEST_F(FiledFactsTest, ALaterWordOfTheModelClosesItsEarlierOneOnly) {
  const TurnId first = Say("Everything went well.");
  const TurnId second = Say("It rained again.");
  EXPECT_EQ(File(ByModel(second, "job", "nurse")), 1);
  EXPECT_EQ(File(ByModel(first, "job", "waiter")), 0) << "an older turn";
  const TurnId third = Say("The sun came out.");
  EXPECT_EQ(File(ByModel(third, "job", "doctor")), 1);
  EXPECT_EQ(Facts(), (std::vector<std::string>{"job nurse 1", "job doctor 0"}));
  // A turn of the user that the rules read ends it, as any other.
  Say("I got a new job as a data analyst.");
  EXPECT_EQ(Facts().back(), "job data analyst 0");
  EXPECT_EQ(Facts()[1], "job doctor 1");
}

TEST_F(FiledFactsTest, TheMarkIsReadBackOrRefused) {
  EXPECT_EQ(LoadFactsMark(*store_, session_, kDefaultTenant)->through, 0);
  ASSERT_TRUE(SaveFactsMark(*store_, session_, kDefaultTenant, {7, 4, 25, 13, 9, "abc"}).ok());
  const auto mark = LoadFactsMark(*store_, session_, kDefaultTenant);
  ASSERT_TRUE(mark.ok());
  EXPECT_EQ(mark->through, 7);
  EXPECT_EQ(mark->rejected, 13);
  EXPECT_EQ(mark->model, "abc");
  EXPECT_TRUE(TooWeakForFacts(*mark));
  EXPECT_FALSE(TooWeakForFacts({7, 4, 25, 12, 9, "abc"}));
  EXPECT_FALSE(TooWeakForFacts({7, 4, 19, 19, 0, "abc"})) << "too few to tell";
  ASSERT_TRUE(store_->SetSetting("facts.model." + std::to_string(session_), "7 x").ok());
  EXPECT_EQ(LoadFactsMark(*store_, session_, kDefaultTenant).status().code(),
            StatusCode::kDataLoss);
}

class IdleFactsTest : public FiledFactsTest {
 protected:
  AgentOptions Options(LanguageModel& model) {
    AgentOptions options;
    options.store = store_.get();
    options.model = &model;
    options.window_tokens = 512;
    options.system_prompt = "Be brief.";
    options.session = "main";
    options.idle_work = false;
    options.model_facts = true;
    options.logger = Logger([this](LogLevel level, std::string_view, std::string_view line) {
      // Compaction has its own.
      if (level >= LogLevel::kWarning && line.find("facts are read") != line.npos) {
        warnings_.emplace_back(line);
      }
    });
    return options;
  }
  std::vector<std::string> warnings_;
};

TEST_F(IdleFactsTest, ReadsEachTurnOnceAlsoAfterARestart) {
  const TurnId said = Say("Since spring home has meant Lyon for me.");
  const TurnId second = Say("I live in Lyon.");  // The rules read it.
  Writer model;
  int readings = 0;
  model.script = [&](const std::string& prompt) -> Result<std::string> {
    if (prompt.find("Write JSON") == std::string::npos) return std::string("All right.");
    ++readings;
    EXPECT_EQ(prompt.find("I live in Lyon."), std::string::npos);
    return "{\"facts\": [" + Statement(said, "User", "housing", "home") + "]}";
  };
  {
    auto agent = Agent::Create(Options(model));
    ASSERT_TRUE(agent.ok()) << agent.status().ToString();
    ASSERT_TRUE((*agent)->WaitIdle().ok());
    EXPECT_EQ(readings, 1);
    EXPECT_EQ((*agent)->idle_status().fact_statements, 1);
    EXPECT_EQ((*agent)->idle_status().facts_read, 1);
    EXPECT_EQ(LoadFactsMark(*store_, session_, kDefaultTenant)->through, second);
  }
  auto agent = Agent::Create(Options(model));
  ASSERT_TRUE(agent.ok());
  ASSERT_TRUE((*agent)->WaitIdle().ok());
  EXPECT_EQ(readings, 1);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(IdleFactsTest, MakesWayAndBeginsAgain) {
  Say("Since spring home has meant Lyon for me.");
  Writer model;
  std::unique_ptr<Agent> agent;
  int readings = 0;
  model.script = [&](const std::string& prompt) -> Result<std::string> {
    if (prompt.find("Write JSON") == std::string::npos) return std::string("All right.");
    if (++readings == 1) agent->Cancel();  // As a message that comes meanwhile does.
    return std::string("{\"facts\": []}");
  };
  agent = std::move(*Agent::Create(Options(model)));
  EXPECT_EQ(agent->WaitIdle().code(), StatusCode::kCancelled);
  EXPECT_EQ(LoadFactsMark(*store_, session_, kDefaultTenant)->through, 0);
  EXPECT_TRUE(agent->WaitIdle().ok());
  EXPECT_EQ(readings, 2);
  EXPECT_GT(LoadFactsMark(*store_, session_, kDefaultTenant)->through, 0);
}

TEST_F(IdleFactsTest, TellsOfAModelThatIsTooWeak) {
  for (int i = 0; i < 30; ++i)
    Say("The garden was green and I sat there, day " + std::to_string(i));
  Writer model;
  int readings = 0;
  model.script = [&](const std::string& prompt) -> Result<std::string> {
    if (prompt.find("Write JSON") == std::string::npos) return std::string("All right.");
    ++readings;
    const TurnId turn = std::stoll(prompt.substr(prompt.rfind("\n[") + 2));
    std::string all;
    for (const char* value : {"Paris", "Rome", "Oslo", "Bern", "Kyiv", "Lyon", "Riga"}) {
      all += (all.empty() ? "" : ", ") + Statement(turn, "User", "home", value);
    }
    return "{\"facts\": [" + all + "]}";
  };
  auto agent = std::move(*Agent::Create(Options(model)));
  ASSERT_TRUE(agent->WaitIdle().ok());
  EXPECT_EQ(readings, 3);  // 21 statements, none of them said.
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("too weak, 21 of its 21 statements"), std::string::npos)
      << warnings_[0];
  EXPECT_EQ(agent->idle_status().fact_statements_rejected, 21);
  EXPECT_EQ(agent->idle_status().facts_read, 0);
  // One that cannot be held to a grammar is told of, too, and asked for nothing.
  ScriptedModel free;
  auto other = std::move(*Agent::Create(Options(free)));
  ASSERT_TRUE(other->WaitIdle().ok());
  ASSERT_EQ(warnings_.size(), 2u);
  EXPECT_NE(warnings_[1].find("cannot be held to a grammar"), std::string::npos) << warnings_[1];
}

// A real model, small as it is, states only what the grammar lets it, and what passes is in its
// turn.
TEST_F(IdleFactsTest, WhatARealModelReadsStandsInItsTurn) {
  const std::string path = engine::ModelsFolder() + "/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  auto model = LoadLanguageModel(path, {.threads = 1, .context_tokens = 1024});
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const std::vector<Turn> turns = {
      Said(11, "I moved to Lyon in May and I work as a nurse now."),
      Said(12, "My sister Anna has two cats, and she is allergic to them."),
      Said(14, "我住在上海，养了一只叫团团的猫。", "小林")};
  const auto reading = ReadFactsByModel(**model, turns, {});
  ASSERT_TRUE(reading.ok()) << reading.status().ToString();
  EXPECT_EQ(reading->stated, static_cast<int>(reading->facts.size()) + reading->rejected());
  std::printf("%d statements, %d rejected\n", reading->stated, reading->rejected());
  for (const Fact& fact : reading->facts) {
    const auto turn = std::find_if(turns.begin(), turns.end(),
                                   [&](const Turn& one) { return one.id == fact.sources.front(); });
    ASSERT_NE(turn, turns.end());
    EXPECT_NE(ToLowerUtf8(turn->text).find(ToLowerUtf8(fact.value)), std::string::npos);
    EXPECT_FALSE(FactKindOf(fact.attribute).empty()) << fact.attribute;
  }
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(ReadFactsByModel(**model, turns, {}, stop.get_token()).status().code(),
            StatusCode::kCancelled);
}

}  // namespace
}  // namespace liubai::memory
