// engine/chat_template.h: the chat formats of the models, rendered message by message.
//
// Headers and footers are written with the model's control tokens; the content of a message never
// becomes one.
//
// Errors:  kUnimplemented for a template that is not recognised (the known ones are listed);
//          kInvalidArgument for an unknown name; kDataLoss when the vocabulary lacks a token of the
//          format.
// Threads: const methods may run together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer.h"
#include "liubai/status.h"

namespace liubai::engine {

class ChatTemplate {
 public:
  // `jinja` is the file's own template, looked at for what it writes, never run; `name` overrides
  // it: "chatml", "qwen", "llama3", "gemma". A file without either has no chat:
  // kFailedPrecondition.
  static Result<ChatTemplate> Recognize(std::string_view jinja, std::string_view name,
                                        const Tokenizer& tokenizer);

  const std::string& name() const { return name_; }
  // The system message that the model was trained to expect where none is given; empty: none.
  const std::string& default_system() const { return default_system_; }

  std::vector<TokenId> Message(const Tokenizer& tokenizer, std::string_view role,
                               std::string_view content) const;
  // A chat's beginning, as the model's own template writes it, in two parts: a
  // beginning-of-sequence token and the system message, then the user's first message. Llama 3.1
  // has two lines of dates before the system text; Gemma writes both into one turn, so that its
  // start ends inside of it. An empty `system` is the default one.
  std::vector<TokenId> Start(const Tokenizer& tokenizer, std::string_view system) const;
  std::vector<TokenId> First(const Tokenizer& tokenizer, std::string_view system,
                             std::string_view user) const;
  std::vector<TokenId> ReplyHeader(const Tokenizer& tokenizer) const;
  std::vector<TokenId> MessageEnd(const Tokenizer& tokenizer) const;

 private:
  // The header of a message and, joined to its last characters, `content`: the tokens are those of
  // the whole text, since words and line ends may merge across the two.
  std::vector<TokenId> Open(const Tokenizer& tokenizer, std::string_view role,
                            std::string_view content) const;
  std::string_view Content(std::string_view content) const;  // Trimmed where the format trims.
  std::string_view System(std::string_view system) const;    // Or the default one.

  std::string name_;
  std::string default_system_;
  std::string system_head_;  // Before the text of the first system message.
  // header_open_ and header_close_ are control tokens, the latter empty in some formats; role,
  // header_end_ and content are text.
  std::string header_open_, header_close_, header_end_, footer_;
  bool trims_content_ = false;
  bool calls_assistant_model_ = false;
  bool has_system_role_ = true;
  std::vector<TokenId> prologue_;
};

}  // namespace liubai::engine
