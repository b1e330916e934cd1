// What an agent's context holds in each chat format: token for token what the model's own template
// gives for the same messages.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "core/macros.h"
#include "engine/chat_template.h"
#include "liubai/agent.h"
#include "tests/engine/chat_vocabulary.h"
#include "tests/memory/scripted_model.h"

namespace liubai {
namespace {

// A scripted model with the vocabulary of tests/engine/chat_vocabulary.h and a format of its own.
class TemplateModel final : public ScriptedModel {
 public:
  explicit TemplateModel(std::string_view jinja) : tokenizer_(engine::ChatVocabulary()) {
    auto chat = engine::ChatTemplate::Recognize(jinja, "", *tokenizer_);
    EXPECT_TRUE(chat.ok()) << chat.status().ToString();
    if (chat.ok()) chat_ = std::make_unique<engine::ChatTemplate>(std::move(*chat));
  }
  std::vector<TokenId> Tokenize(std::string_view text) const override {
    return tokenizer_->Encode(text, {});
  }
  std::vector<TokenId> TokenizeWithControls(std::string_view text, bool) const override {
    return tokenizer_->Encode(text, {.parse_special = true});
  }
  std::string Detokenize(std::span<const TokenId> tokens) const override {
    return tokenizer_->Decode(tokens);
  }
  Result<std::vector<TokenId>> ChatStart(std::string_view system) const override {
    return chat_->Start(*tokenizer_, system);
  }
  Result<std::vector<TokenId>> ChatFirst(std::string_view system,
                                         std::string_view user) const override {
    return chat_->First(*tokenizer_, system, user);
  }
  Result<std::vector<TokenId>> ChatMessage(std::string_view role,
                                           std::string_view content) const override {
    return chat_->Message(*tokenizer_, role, content);
  }
  Result<std::vector<TokenId>> ChatReplyHeader() const override {
    return chat_->ReplyHeader(*tokenizer_);
  }
  Result<std::vector<TokenId>> ChatMessageEnd() const override {
    return chat_->MessageEnd(*tokenizer_);
  }

 private:
  std::unique_ptr<engine::Tokenizer> tokenizer_;
  std::unique_ptr<engine::ChatTemplate> chat_;
};

struct Format {
  const char* name;
  const char* jinja;
  // Around the messages "Hello.", the reply "Hi." and "And now?".
  const char* before;
  const char* to_reply;
  const char* after_reply;
  const char* end;
};

class AgentTemplateTest : public ::testing::TestWithParam<Format> {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "liubai-agent-template-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto store = Store::Open(folder_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
    options_.store = store_.get();
    options_.model = &model_;
    options_.system_prompt = "Be brief.";
    options_.idle_work = false;
    model_.script = [](const std::string&) -> Result<std::string> { return std::string("Hi."); };
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  std::vector<TokenId> LastPrompt() const {
    std::vector<TokenId> tokens;
    for (const Segment& segment : model_.last().segments) {
      tokens.insert(tokens.end(), segment.tokens.begin(), segment.tokens.end());
    }
    return tokens;
  }

  TemplateModel model_{GetParam().jinja};
  std::string folder_;
  std::unique_ptr<Store> store_;
  AgentOptions options_;
};

TEST_P(AgentTemplateTest, TheContextIsThatOfTheModelsTemplate) {
  const Format& format = GetParam();
  auto agent = Agent::Create(options_);
  ASSERT_TRUE(agent.ok()) << agent.status().ToString();
  ASSERT_TRUE((*agent)->Send("Hello.").ok());
  auto expected = model_.ChatOpening("Be brief.", "Hello.");
  ASSERT_TRUE(expected.ok());
  const auto header = model_.ChatReplyHeader();
  expected->insert(expected->end(), header->begin(), header->end());
  EXPECT_EQ(LastPrompt(), *expected);
  const std::string first = std::string(format.before) + "Hello." + format.to_reply;
  EXPECT_EQ(model_.last().prompt, first);

  auto reply = (*agent)->Send("And now?");
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(model_.last().prompt, first + "Hi." + format.after_reply + "And now?" + format.end);
  // What was computed is what the next turn begins with.
  EXPECT_GE(reply->cached_tokens, static_cast<int>(expected->size()));

  // In a new process, from the store.
  const auto before = model_.last().prompt;
  agent->reset();
  agent = Agent::Create(options_);
  ASSERT_TRUE(agent.ok());
  ASSERT_TRUE((*agent)->Send("Bye.").ok());
  EXPECT_TRUE(model_.last().prompt.starts_with(before)) << model_.last().prompt;
}

TEST_P(AgentTemplateTest, AfterACompactionTheOldestTurnLeftIsTheFirst) {
  options_.window_tokens = 2048;
  options_.compaction = CompactionMode::kExtractive;
  auto agent = Agent::Create(options_);
  ASSERT_TRUE(agent.ok()) << agent.status().ToString();
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE((*agent)
                    ->Send("The garden looks fine in week " + std::to_string(i) +
                           ", and the tomatoes grow well. " + std::string(40, 'x'))
                    .ok());
  }
  ASSERT_TRUE((*agent)->Compact().ok());
  auto reply = (*agent)->Send("And now?");
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  std::string system, turns;
  for (const Segment& segment : model_.last().segments) {
    const bool prefix = segment.kind == SegmentKind::kSystem ||
                        segment.kind == SegmentKind::kBlock ||
                        segment.kind == SegmentKind::kEssence;
    (prefix ? system : turns) += model_.Detokenize(segment.tokens);
  }
  EXPECT_NE(system.find("Earlier in this conversation:"), std::string::npos) << system;
  // Every message is opened once and ended once.
  const std::string whole = system + turns;
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (auto at = whole.find(part); at != std::string::npos; at = whole.find(part, at + 1))
      ++found;
    return found;
  };
  const std::string open = whole.find("<start_of_turn>") != std::string::npos ? "<start_of_turn>"
                           : whole.find("<|im_start|>") != std::string::npos
                               ? "<|im_start|>"
                               : "<|start_header_id|>";
  const std::string end = open == "<start_of_turn>" ? "<end_of_turn>"
                          : open == "<|im_start|>"  ? "<|im_end|>"
                                                    : "<|eot_id|>";
  EXPECT_EQ(count(open), count(end) + 1) << whole;  // The reply is open.
  // A user's message and a reply take turns, the system text in the first where it has no role.
  const auto info = (*agent)->Window();
  ASSERT_TRUE(info.ok());
  EXPECT_GT(info->first_turn, 1);
  const bool joined = open == "<start_of_turn>";
  EXPECT_EQ(count(open), static_cast<std::size_t>(info->turns) + (joined ? 0 : 1)) << whole;
}

// A window that does not begin with a user's message: the start is closed first.
TEST_P(AgentTemplateTest, AReplyThatStandsFirstIsAMessageOfItsOwn) {
  auto session = store_->EnsureSession("default");
  ASSERT_TRUE(session.ok());
  NewTurn turn;
  turn.session_id = *session;
  turn.role = Role::kAssistant;
  turn.text = "Welcome.";
  ASSERT_TRUE(store_->AppendTurn(turn).ok());
  auto agent = Agent::Create(options_);
  ASSERT_TRUE(agent.ok()) << agent.status().ToString();
  ASSERT_TRUE((*agent)->Send("Hello.").ok());
  const auto welcome = model_.ChatMessage("assistant", "Welcome.");
  const std::string prompt = model_.last().prompt;
  const auto at = prompt.find(model_.Detokenize(*welcome));
  ASSERT_NE(at, std::string::npos) << prompt;
  const auto end = model_.ChatMessageEnd();
  EXPECT_TRUE(std::string_view(prompt).substr(0, at).ends_with(model_.Detokenize(*end))) << prompt;
}

constexpr Format kFormats[] = {
    {"ChatML", engine::kSmolLmJinja, "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n",
     "<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>\n<|im_start|>user\n",
     "<|im_end|>\n<|im_start|>assistant\n"},
    {"Qwen", engine::kQwenJinja, "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n",
     "<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>\n<|im_start|>user\n",
     "<|im_end|>\n<|im_start|>assistant\n"},
    {"Llama31", engine::kLlama31Jinja,
     "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n"
     "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\nBe brief.<|eot_id|>"
     "<|start_header_id|>user<|end_header_id|>\n\n",
     "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
     "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n",
     "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"},
    {"Gemma", engine::kGemmaJinja, "<|begin_of_text|><start_of_turn>user\nBe brief.\n\n",
     "<end_of_turn>\n<start_of_turn>model\n", "<end_of_turn>\n<start_of_turn>user\n",
     "<end_of_turn>\n<start_of_turn>model\n"},
};

INSTANTIATE_TEST_SUITE_P(Formats, AgentTemplateTest, ::testing::ValuesIn(kFormats),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace liubai
