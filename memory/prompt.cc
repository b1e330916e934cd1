#include "memory/prompt.h"

#include <fmt/format.h>

namespace liubai::memory {

std::string DefaultSystemText() {
  return "You are a helpful assistant with a long memory. Reply in the language of the user's "
         "message, briefly and exactly. Memories are things said earlier in this conversation. If "
         "you are asked about something that neither the memories nor the conversation tell, say "
         "that you don't know.";
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
    text += essences[i].text;
  }
  return text;
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
                                bool question) {
  if (!question) {
    // The message stands by itself behind them, or a small model answers the memories.
    return fmt::format("{}\n{}\n{}", MemoriesText(memories, chinese),
                       chinese ? "以上仅供参考。" : "These are only for reference.", message);
  }
  // A small model obeys what stands right before the question.
  return fmt::format(
      "{}\n{}{}", MemoriesText(memories, chinese),
      chinese
          ? "请只根据以上内容和前面的对话简短回答。如果里面没有答案，只说“我不知道”。\n问题："
          : "Using the memories, answer in one sentence; if none of them tells it, say you don't "
            "know.\nQuestion: ",
      message);
}

}  // namespace liubai::memory
