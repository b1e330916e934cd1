#include "memory/prompt.h"

#include <fmt/format.h>

#include "memory/essence.h"

namespace liubai::memory {

std::string DefaultSystemText() {
  // A model of half a billion parameters that is asked to be exact repeats the message instead.
  return "You are a helpful assistant with a long memory. Answer each message in one or two "
         "sentences, in its own language.";
}

std::string SystemText(std::string_view system_prompt, std::span<const Block> blocks,
                       std::span<const Essence> essences) {
  std::string text(system_prompt);
  for (const Block& block : blocks) {
    if (block.value.empty()) continue;
    text += fmt::format("\n\n[{}]\n{}", block.label, block.value);
  }
  for (std::size_t i = 0; i < essences.size(); ++i) {
    text += i == 0 ? "\n\nEarlier in this conversation:\n" : "\n";
    text += EssenceLine(essences[i]);
  }
  return text;
}

std::string EssenceLine(const Essence& essence) {
  // Those of turns have their day in the text.
  if (essence.level == 0 || essence.last_time_ms == 0) {
    return fmt::format("[essence {}] {}", essence.id, essence.text);
  }
  const std::string from = FormatDay(essence.first_time_ms), to = FormatDay(essence.last_time_ms);
  return fmt::format("[essence {}, {}] {}", essence.id, from == to ? from : from + " – " + to,
                     essence.text);
}

std::string NoticeText(const Block& block) {
  return block.deleted ? fmt::format("[{}] was deleted.", block.label)
                       : fmt::format("[{}] is now:\n{}", block.label, block.value);
}

std::string MemoriesText(std::string_view memories, bool chinese) {
  return fmt::format("{}\n{}",
                     chinese ? "以前说过的话：" : "Memories of what was said earlier:", memories);
}

std::string MessageWithMemories(std::string_view memories, std::string_view message, bool chinese,
                                bool question, std::span<const std::string> tellings) {
  if (!question) {
    // The message stands by itself behind them, or a small model answers the memories.
    return fmt::format("{}\n\n{}", MemoriesText(memories, chinese), message);
  }
  // A small model obeys what stands right before the question, and told to answer in one sentence
  // it tells one thing.
  std::string text = memories.empty() ? "" : MemoriesText(memories, chinese);
  if (!tellings.empty()) {
    text += chinese ? "说到所问之事的话：\n" : "What was said of that which is asked:\n";
    for (const std::string& sentence : tellings) text += "- " + sentence + "\n";
  }
  std::string_view how;
  if (tellings.size() < 2) {
    how = chinese ? "请只根据以上内容和前面的对话简短回答。如果里面没有答案，只说“我不知道”。"
                  : "Using the memories, answer in one sentence; if none of them tells it, say you "
                    "don't know.";
  } else {
    how = chinese ? "请只根据以上内容，简短回答问题的每一部分。如果里面没有答案，只说“我不知道”。"
                  : "Using the memories, answer each part of the question; if none of them tells "
                    "it, say you don't know.";
  }
  return fmt::format("{}\n{}\n{}{}", text, how, chinese ? "问题：" : "Question: ", message);
}

std::string QuoteText(std::string_view sentence, std::string_view day, bool chinese) {
  if (day.empty()) return std::string(sentence);
  return chinese ? fmt::format("{}说过：“{}”", day, sentence)
                 : fmt::format("On {} it was said: \"{}\"", day, sentence);
}

}  // namespace liubai::memory
