#include "engine/chat_template.h"

#include "core/text.h"
#include "fmt/format.h"

namespace liubai::engine {
namespace {

constexpr std::string_view kKnown = "chatml, qwen, llama3, gemma";

// The first system message that the template writes whole: its line end may be written as two
// characters.
std::string DefaultSystem(std::string_view jinja) {
  constexpr std::string_view kOpen = "<|im_start|>system", kClose = "<|im_end|>";
  for (std::size_t at = jinja.find(kOpen); at != std::string_view::npos;
       at = jinja.find(kOpen, at + 1)) {
    std::string_view rest = jinja.substr(at + kOpen.size());
    if (rest.starts_with("\n")) {
      rest.remove_prefix(1);
    } else if (rest.starts_with("\\n")) {
      rest.remove_prefix(2);
    } else {
      continue;
    }
    const std::string_view text = rest.substr(0, rest.find(kClose));
    // A message put together from variables is not a default.
    if (!text.empty() && text.size() < rest.size() &&
        text.find_first_of("'\"{+\\") == std::string_view::npos) {
      return std::string(text);
    }
  }
  return "";
}

// What stands between `open` and `close`, at its first place; "" when it is nowhere.
std::string_view Between(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t at = text.find(open);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = text.substr(at + open.size());
  const std::size_t end = rest.find(close);
  return end == std::string_view::npos ? "" : rest.substr(0, end);
}

// The lines of dates of Llama 3.1 and later. The day is the one that the template names where it is
// told none: today's would make a prefix that was computed yesterday useless.
std::string DateLines(std::string_view jinja) {
  constexpr std::string_view kCut = "Cutting Knowledge Date: ", kToday = "Today Date: ";
  const std::string_view cut = Between(jinja, kCut, "\\n");
  const std::string_view today = Between(jinja, "date_string = \"", "\"");
  if (cut.empty() || cut.size() > 40 || today.empty() || today.size() > 40 ||
      jinja.find(kToday) == std::string_view::npos) {
    return "";
  }
  return fmt::format("{}{}\n{}{}\n\n", kCut, cut, kToday, today);
}

}  // namespace

Result<ChatTemplate> ChatTemplate::Recognize(std::string_view jinja, std::string_view name,
                                             const Tokenizer& tokenizer) {
  ChatTemplate chat;
  chat.name_ = std::string(name);
  if (name.empty()) {
    const auto holds = [&](std::string_view part) {
      return jinja.find(part) != std::string_view::npos;
    };
    if (jinja.empty()) {
      return Status(StatusCode::kFailedPrecondition,
                    fmt::format("the model has no chat template; name one of {}", kKnown));
    }
    if (holds("<|im_start|>") && holds("<|im_end|>") && !holds("<|im_sep|>")) {
      chat.name_ = std::string(holds("Qwen") ? "qwen" : "chatml");
    } else if (holds("<|start_header_id|>") && holds("<|eot_id|>")) {
      chat.name_ = std::string("llama3");
    } else if (holds("<start_of_turn>") && holds("<end_of_turn>")) {
      chat.name_ = std::string("gemma");
    } else {
      return Status(
          StatusCode::kUnimplemented,
          fmt::format("the model's chat template is not recognised; known are {}", kKnown));
    }
  }
  std::vector<std::string_view> controls;
  if (chat.name_ == "chatml" || chat.name_ == "qwen") {
    chat.header_open_ = std::string("<|im_start|>");
    chat.header_end_ = std::string("\n");
    chat.footer_ = std::string("<|im_end|>\n");
    chat.default_system_ = DefaultSystem(jinja);
    controls = {"<|im_start|>", "<|im_end|>"};
  } else if (chat.name_ == "llama3") {
    chat.header_open_ = std::string("<|start_header_id|>");
    chat.header_close_ = std::string("<|end_header_id|>");
    chat.header_end_ = std::string("\n\n");
    chat.footer_ = std::string("<|eot_id|>");
    chat.trims_content_ = true;
    chat.system_head_ = DateLines(jinja);
    controls = {"<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"};
    if (tokenizer.bos() != kNoToken) chat.prologue_ = {tokenizer.bos()};
  } else if (chat.name_ == "gemma") {
    chat.header_open_ = std::string("<start_of_turn>");
    chat.header_end_ = std::string("\n");
    chat.footer_ = std::string("<end_of_turn>\n");
    chat.trims_content_ = true;
    chat.calls_assistant_model_ = true;
    chat.has_system_role_ = false;
    controls = {"<start_of_turn>", "<end_of_turn>"};
    if (tokenizer.bos() != kNoToken) chat.prologue_ = {tokenizer.bos()};
  } else {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("chat template \"{}\" is unknown; known are {}", name, kKnown));
  }
  for (const std::string_view control : controls) {
    if (tokenizer.FindToken(control) == kNoToken) {
      return Status(StatusCode::kDataLoss,
                    fmt::format("the vocabulary has no token {}, which the chat "
                                "template {} needs",
                                control, chat.name_));
    }
  }
  return chat;
}

std::vector<TokenId> ChatTemplate::Open(const Tokenizer& tokenizer, std::string_view role,
                                        std::string_view content) const {
  if (calls_assistant_model_ && role == "assistant") role = "model";
  // A system text between other messages, or alone, is a user's there.
  if (!has_system_role_ && role != "model") role = "user";
  std::vector<TokenId> ids = tokenizer.Encode(header_open_, {.parse_special = true});
  const auto append = [&](std::string_view text, bool parse_special) {
    const auto more = tokenizer.Encode(text, {.parse_special = parse_special});
    ids.insert(ids.end(), more.begin(), more.end());
  };
  std::string text(role);
  if (!header_close_.empty()) {
    append(text, false);
    append(header_close_, true);
    text.clear();
  }
  text += header_end_;
  text += content;
  append(text, false);
  return ids;
}

std::string_view ChatTemplate::Content(std::string_view content) const {
  return trims_content_ ? Trim(content) : content;
}

std::vector<TokenId> ChatTemplate::Message(const Tokenizer& tokenizer, std::string_view role,
                                           std::string_view content) const {
  std::vector<TokenId> ids = Open(tokenizer, role, Content(content));
  const auto footer = MessageEnd(tokenizer);
  ids.insert(ids.end(), footer.begin(), footer.end());
  return ids;
}

std::string_view ChatTemplate::System(std::string_view system) const {
  return system.empty() ? default_system_ : system;
}

std::vector<TokenId> ChatTemplate::Start(const Tokenizer& tokenizer,
                                         std::string_view system) const {
  system = System(system);
  std::vector<TokenId> ids = prologue_;
  const auto append = [&](const std::vector<TokenId>& more) {
    ids.insert(ids.end(), more.begin(), more.end());
  };
  if (!has_system_role_) {
    if (!system.empty()) append(Open(tokenizer, "user", fmt::format("{}\n\n", system)));
  } else if (!system.empty() || !system_head_.empty()) {
    append(Open(tokenizer, "system", fmt::format("{}{}", system_head_, Content(system))));
    append(MessageEnd(tokenizer));
  }
  return ids;
}

std::vector<TokenId> ChatTemplate::First(const Tokenizer& tokenizer, std::string_view system,
                                         std::string_view user) const {
  if (has_system_role_ || System(system).empty()) return Message(tokenizer, "user", user);
  // Behind the system text and an empty line. The content is trimmed, and no word has a line end
  // before its letters: the tokens are those of the whole turn.
  std::vector<TokenId> ids = tokenizer.Encode(Content(user), {});
  const auto end = MessageEnd(tokenizer);
  ids.insert(ids.end(), end.begin(), end.end());
  return ids;
}

std::vector<TokenId> ChatTemplate::ReplyHeader(const Tokenizer& tokenizer) const {
  return Open(tokenizer, "assistant", "");
}

std::vector<TokenId> ChatTemplate::MessageEnd(const Tokenizer& tokenizer) const {
  return tokenizer.Encode(footer_, {.parse_special = true});
}

}  // namespace liubai::engine
