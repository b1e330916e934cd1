// The model's own looks into the memory: calls, refusals, limits; and a real model that is made to
// call under its grammar.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "engine/model_store.h"
#include "liubai/agent.h"
#include "tests/memory/scripted_model.h"
#include "tests/memory/store_fixture.h"

namespace liubai {
namespace {

constexpr const char* kSecret = "The deposit for the kitchen was $4,237.";

class AgentToolsTest : public StoreAndRetriever {
 protected:
  // Turns that left the window, an essence that does not tell what they say, and others.
  void SetUp() override {
    StoreAndRetriever::SetUp();
    deposit_ = Say(kSecret);
    Say("The tiles are from Porto and rather blue.");
    last_ = Say("The plumber comes on Tuesday.");
    CompactionBatch batch;
    batch.session_id = session_;
    batch.covered_through = last_;
    Essence essence;
    essence.session_id = session_;
    essence.first_turn = deposit_;
    essence.last_turn = last_;
    essence.text = "The user spoke of a new kitchen.";
    essence.method = "extractive";
    batch.essences = {essence};
    const auto ids = store_->Commit(batch);
    ASSERT_TRUE(ids.ok()) << ids.status().ToString();
    essence_ = ids->essences.front();
  }
  TurnId Say(std::string text) {
    NewTurn turn;
    turn.session_id = session_;
    turn.text = std::move(text);
    return *store_->AppendTurn(turn);
  }
  AgentOptions Options(LanguageModel& model) {
    AgentOptions options;
    options.store = store_.get();
    options.model = &model;
    options.session = "main";
    options.window_tokens = 1024;
    options.system_prompt = "Be brief.";
    options.recall_turns = 0;  // What the model knows it has looked up.
    options.idle_work = false;
    options.max_tool_calls = 2;
    options.logger = Logger([this](LogLevel level, std::string_view, std::string_view line) {
      if (level >= LogLevel::kWarning) warnings_.emplace_back(line);
    });
    return options;
  }
  std::string Unfold(std::int64_t id) const {
    return "{\"tool\": \"unfold\", \"essence\": " + std::to_string(id) + "}";
  }
  Reply Ask(const AgentOptions& options, const std::string& text) {
    auto agent = Agent::Create(options);
    EXPECT_TRUE(agent.ok()) << agent.status().ToString();
    if (!agent.ok()) return {};
    auto reply = (*agent)->Send(text, [this](std::string_view piece) {
      shown_ += piece;
      return true;
    });
    EXPECT_TRUE(reply.ok()) << reply.status().ToString();
    // Nothing of calls and results is stored.
    TurnFilter filter;
    filter.after_turn = last_;
    const auto turns = store_->Turns(filter, 10);
    EXPECT_EQ(turns->size(), 2u);
    return reply.ok() ? *reply : Reply{};
  }

  TurnId deposit_ = 0, last_ = 0;
  std::int64_t essence_ = 0;
  std::vector<std::string> warnings_;
  std::string shown_;
  ScriptedModel model_;
};

TEST_F(AgentToolsTest, UnfoldsAnEssenceAndAnswersFromItsTurns) {
  std::vector<std::string> prompts;
  model_.script = [&](const std::string& prompt) -> Result<std::string> {
    prompts.push_back(prompt);
    return prompt.find("4,237") == std::string::npos ? Unfold(essence_)
                                                     : std::string("It was $4,237.");
  };
  const Reply reply = Ask(Options(model_), "What was the deposit for the kitchen?");
  EXPECT_EQ(reply.text, "It was $4,237.");
  EXPECT_EQ(shown_, "It was $4,237.") << "a call is not shown";
  ASSERT_EQ(reply.tool_calls.size(), 1u);
  const ToolCall& call = reply.tool_calls[0];
  EXPECT_TRUE(call.status.ok()) << call.status.ToString();
  EXPECT_EQ(call.tool, "unfold");
  EXPECT_EQ(call.argument, std::to_string(essence_));
  EXPECT_EQ(call.turns.front(), deposit_);
  EXPECT_GT(call.tokens, 10);
  EXPECT_TRUE(warnings_.empty());
  ASSERT_GE(prompts.size(), 2u);
  EXPECT_NE(prompts[0].find("\"tool\": \"unfold\""), std::string::npos) << "it is told of them";
  EXPECT_EQ(prompts[0].find("4,237"), std::string::npos);
}

TEST_F(AgentToolsTest, SearchesWithWordsOfItsOwn) {
  model_.script = [&](const std::string& prompt) -> Result<std::string> {
    return prompt.find("rather blue") == std::string::npos
               ? std::string("{\"tool\": \"recall\", \"query\": \"tiles Porto\"}")
               : std::string("They are blue.");
  };
  const Reply reply = Ask(Options(model_), "Which colour did we choose?");
  EXPECT_EQ(reply.text, "They are blue.");
  ASSERT_EQ(reply.tool_calls.size(), 1u);
  EXPECT_EQ(reply.tool_calls[0].argument, "tiles Porto");
}

TEST_F(AgentToolsTest, RefusesLoudlyAndAnswersWithout) {
  const struct {
    std::string call;
    StatusCode code;
    std::string message;
  } cases[] = {
      {Unfold(77), StatusCode::kNotFound, "the prompt shows no essence 77; it shows 1"},
      {"{\"tool\": \"delete\", \"turn\": 1}", StatusCode::kInvalidArgument, "is no call of a tool"},
      {"{\"tool\": \"recall\", \"query\": \"  \"}", StatusCode::kInvalidArgument,
       "the query is empty"},
      {"{\"tool\": \"recall\", \"query\": \"zebra quagga\"}", StatusCode::kNotFound,
       "nothing was found"},
      {"{broken", StatusCode::kInvalidArgument, "is no call of a tool"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.call);
    warnings_.clear();
    shown_.clear();
    int asked = 0;
    std::string second;
    model_.script = [&](const std::string& prompt) -> Result<std::string> {
      if (++asked == 1) return one.call;
      second = prompt;
      return std::string("I cannot tell.");
    };
    const Reply reply = Ask(Options(model_), "What was the deposit for the kitchen?");
    last_ = reply.reply_turn;
    EXPECT_EQ(reply.text, "I cannot tell.");
    ASSERT_EQ(reply.tool_calls.size(), 1u);
    EXPECT_EQ(reply.tool_calls[0].status.code(), one.code);
    EXPECT_NE(reply.tool_calls[0].status.message().find(one.message), std::string::npos)
        << reply.tool_calls[0].status.message();
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_NE(warnings_[0].find(one.message), std::string::npos) << warnings_[0];
    EXPECT_EQ(second.find(one.call), std::string::npos) << "the call is not left in the context";
  }
}

TEST_F(AgentToolsTest, StopsAtItsLimits) {
  int calls = 0;
  model_.script = [&](const std::string& prompt) -> Result<std::string> {
    // As often as it may: what a model that cannot be masked says then is its reply.
    if (std::count(prompt.begin(), prompt.end(), '[') > 100) return std::string("Enough.");
    ++calls;
    return calls == 1   ? Unfold(essence_)
           : calls == 2 ? std::string("{\"tool\": \"recall\", \"query\": \"plumber\"}")
                        : std::string("Enough.");
  };
  const Reply reply = Ask(Options(model_), "What was the deposit for the kitchen?");
  EXPECT_EQ(reply.text, "Enough.");
  EXPECT_EQ(reply.tool_calls.size(), 2u);
  EXPECT_EQ(calls, 3);

  // The same again brings nothing, and is said to.
  last_ = reply.reply_turn;
  calls = 0;
  model_.script = [&](const std::string&) -> Result<std::string> {
    return ++calls <= 2 ? Unfold(essence_) : std::string("Enough.");
  };
  const Reply again = Ask(Options(model_), "What was the deposit for the kitchen?");
  EXPECT_EQ(again.text, "Enough.");
  ASSERT_EQ(again.tool_calls.size(), 2u);
  EXPECT_TRUE(again.tool_calls[0].status.ok());
  EXPECT_EQ(again.tool_calls[1].status.code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(warnings_.size(), 1u);

  // No tools: none are told of, and a brace is text like any other.
  last_ = again.reply_turn;
  AgentOptions options = Options(model_);
  options.max_tool_calls = 0;
  std::string prompt_seen;
  model_.script = [&](const std::string& prompt) -> Result<std::string> {
    prompt_seen = prompt;
    return std::string("{}");
  };
  EXPECT_EQ(Ask(options, "Write an empty object.").text, "{}");
  EXPECT_EQ(prompt_seen.find("\"unfold\""), std::string::npos);

  options.max_tool_calls = 17;
  EXPECT_EQ(Agent::Create(options).status().message(), "max_tool_calls is 17; it must be 0..16");
}

TEST_F(AgentToolsTest, AResultThatDoesNotFitIsRefused) {
  model_.script = [&](const std::string& prompt) -> Result<std::string> {
    return prompt.find("4,237") == std::string::npos && warnings_.empty()
               ? Unfold(essence_)
               : std::string("I cannot tell.");
  };
  AgentOptions options = Options(model_);
  options.budgets.recalled_tokens = 20;
  const Reply reply = Ask(options, "What was the deposit for the kitchen?");
  EXPECT_EQ(reply.text, "I cannot tell.");
  ASSERT_EQ(reply.tool_calls.size(), 1u);
  EXPECT_EQ(reply.tool_calls[0].status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(reply.tool_calls[0].status.message().find("at least 48 are needed"), std::string::npos)
      << reply.tool_calls[0].status.message();
}

// A real model whose first token must be a brace: what follows can only be a call that exists.
class AgentToolsModelTest : public AgentToolsTest,
                            public ::testing::WithParamInterface<const char*> {};

TEST_P(AgentToolsModelTest, ACallUnderTheGrammarExists) {
  const std::string path = engine::ModelsFolder() + "/" + GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  auto model = LoadLanguageModel(path, {.threads = 1, .context_tokens = 1024});
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  std::vector<TokenId> braces;
  for (TokenId token = 0; token < (*model)->info().vocabulary_size; ++token) {
    if ((*model)->Detokenize(std::span(&token, 1)).starts_with('{')) braces.push_back(token);
  }
  ASSERT_FALSE(braces.empty());
  AgentOptions options = Options(**model);
  options.max_tool_calls = 1;
  options.sampling.max_tokens = 24;
  options.sampling.temperature = 1.5f;
  options.least_confidence = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    options.sampling.seed = seed;
    bool forced = false;
    options.sampling.mask = [&](std::span<float> logits, std::span<const TokenId> generated) {
      if (!generated.empty() || std::exchange(forced, true)) return;
      std::vector<float> only(logits.size(), -std::numeric_limits<float>::infinity());
      for (const TokenId brace : braces) {
        only[static_cast<std::size_t>(brace)] = logits[static_cast<std::size_t>(brace)];
      }
      std::copy(only.begin(), only.end(), logits.begin());
    };
    const Reply reply = Ask(options, "What was the deposit for the kitchen?");
    last_ = reply.reply_turn;
    ASSERT_EQ(reply.tool_calls.size(), 1u);
    const ToolCall& call = reply.tool_calls[0];
    std::printf("%s %s: %s; %s\n", call.tool.c_str(), call.argument.c_str(),
                call.status.ToString().c_str(), reply.text.c_str());
    ASSERT_TRUE(call.tool == "unfold" || call.tool == "recall");
    if (call.tool == "unfold") {
      EXPECT_EQ(call.argument, std::to_string(essence_));
      EXPECT_TRUE(call.status.ok()) << call.status.ToString();
      EXPECT_FALSE(call.turns.empty());
    } else {
      EXPECT_FALSE(call.argument.empty());
      EXPECT_TRUE(call.status.ok() || call.status.code() == StatusCode::kNotFound ||
                  call.status.code() == StatusCode::kInvalidArgument)
          << call.status.ToString();
    }
    EXPECT_FALSE(Trim(reply.text).starts_with('{')) << reply.text;
    EXPECT_FALSE(shown_.starts_with('{')) << shown_;
    shown_.clear();
  }
}

INSTANTIATE_TEST_SUITE_P(Models, AgentToolsModelTest,
                         ::testing::Values("SmolLM2-135M-Instruct.Q4_1.gguf",
                                           "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"));

}  // namespace
}  // namespace liubai
