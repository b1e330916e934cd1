// tests/engine/chat_vocabulary.h: a byte-level vocabulary with the control tokens of every chat
// format, without merges but the one that tells where two line ends meet.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/tokenizer.h"

namespace liubai::engine {

inline std::unique_ptr<Tokenizer> ChatVocabulary() {
  std::vector<std::string> tokens;
  for (char c = '!'; c <= '~'; ++c) tokens.emplace_back(1, c);
  tokens.insert(tokens.end(), {"Ġ", "Ċ", "ĊĊ"});
  const std::size_t plain = tokens.size();
  tokens.insert(tokens.end(),
                {"<|im_start|>", "<|im_end|>", "<|begin_of_text|>", "<|start_header_id|>",
                 "<|end_header_id|>", "<|eot_id|>", "<start_of_turn>", "<end_of_turn>"});
  TokenizerData data;
  data.model = "gpt2";
  data.pre = "qwen2";
  data.tokens.assign(tokens.begin(), tokens.end());
  data.merges = {"Ċ Ċ"};
  data.token_types.assign(tokens.size(), 3);
  for (std::size_t i = 0; i < plain; ++i) data.token_types[i] = 1;
  data.bos = static_cast<TokenId>(plain + 2);
  auto tokenizer = Tokenizer::Create(data);
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  return tokenizer.ok() ? std::move(tokenizer).value() : nullptr;
}

// What the templates of the models' own files write, as far as a format is recognised by it.
inline constexpr char kSmolLmJinja[] =
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a helpful AI assistant.<|im_end|>\n' }}{% endif %}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
inline constexpr char kQwenJinja[] =
    "{%- if messages[0]['role'] == 'system' %}\n"
    "    {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}\n"
    "{%- else %}\n"
    "    {{- '<|im_start|>system\\nYou are Qwen, created by Alibaba Cloud.<|im_end|>\\n' }}\n"
    "{%- endif %}";
inline constexpr char kLlama31Jinja[] =
    "{%- if not date_string is defined %}\n    {%- set date_string = \"26 Jul 2024\" %}\n"
    "{%- endif %}\n{{- \"<|start_header_id|>system<|end_header_id|>\\n\\n\" }}\n"
    "{{- \"Cutting Knowledge Date: December 2023\\n\" }}\n"
    "{{- \"Today Date: \" + date_string + \"\\n\\n\" }}\n"
    "{{- system_message }}\n{{- \"<|eot_id|>\" }}";
inline constexpr char kGemmaJinja[] =
    "{{ bos_token }}{%- if messages[0]['role'] == 'system' -%}"
    "{%- set first_user_prefix = messages[0]['content'] + '\n\n' -%}{%- endif -%}"
    "{{ '<start_of_turn>' + role + '\n' + (first_user_prefix if loop.first else \"\") }}"
    "{{ message['content'] | trim }}{{ '<end_of_turn>\n' }}";

}  // namespace liubai::engine
