#include "tools/essence_text.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "fmt/format.h"
#include "memory/essence.h"
#include "memory/essence_tree.h"
#include "memory/sentence.h"
#include "tools/store_flags.h"

namespace liubai::tools {

nlohmann::json DescribeEssence(const Essence& essence) {
  return {{"id", essence.id},
          {"session_id", essence.session_id},
          {"first_turn", essence.first_turn},
          {"last_turn", essence.last_turn},
          {"first_time_ms", essence.first_time_ms},
          {"last_time_ms", essence.last_time_ms},
          {"level", essence.level},
          {"method", essence.method},
          {"checked", essence.checked},
          {"replaced_by", essence.replaced_by},
          {"time_ms", essence.time_ms},
          {"text", essence.text}};
}

std::string EssenceHead(const Essence& essence) {
  std::string head = fmt::format("{} {}  turns {}-{}",
                                 essence.method == memory::kOverview ? "overview" : "essence",
                                 essence.id, essence.first_turn, essence.last_turn);
  if (essence.first_time_ms > 0 && essence.last_time_ms > 0) {
    const std::string from = memory::FormatDay(essence.first_time_ms),
                      to = memory::FormatDay(essence.last_time_ms);
    head += from == to ? "  " + from : fmt::format("  {} – {}", from, to);
  }
  return head + fmt::format("  level {}", essence.level);
}

std::string EssenceWords(const Essence& essence) {
  std::string_view text = essence.text;
  if (const auto colon = text.find(": "); text.starts_with("Turns ") && colon < 80) {
    text.remove_prefix(colon + 2);
  }
  return memory::OneLine(text);
}

std::string EssenceText(Invocation& call, const Essence& essence) {
  std::string note = fmt::format("  {}", essence.method);
  if (essence.checked) note += ", checked against the ledger";
  if (essence.replaced_by > 0)
    note += fmt::format(", essence {} stands for it", essence.replaced_by);
  return fmt::format("{}{}\n{}\n", call.Bold(EssenceHead(essence)), call.Dim(note),
                     Wrap(essence.text, TerminalWidth(), "  "));
}

std::string UnfoldedText(Invocation& call, const UnfoldedEssence& unfolded) {
  std::string text = EssenceText(call, unfolded.essence);
  if (!unfolded.children.empty()) {
    text += fmt::format(
        "\n{}\n", call.Bold(fmt::format("It stands for {} essences", unfolded.children.size())));
    for (const Essence& child : unfolded.children) {
      text += fmt::format("{}\n{}\n", EssenceHead(child),
                          call.Dim(Wrap(EssenceWords(child), TerminalWidth(), "  ")));
    }
  }
  for (const Essence& exact : unfolded.exact) {
    text += fmt::format("\n{}\n{}\n", call.Bold(EssenceHead(exact) + "  word for word"),
                        call.Dim(Wrap(exact.text, TerminalWidth(), "  ")));
  }
  text += fmt::format("\n{}\n", call.Bold(fmt::format("{} turns", unfolded.turns_total)));
  for (const Turn& turn : unfolded.turns) {
    const std::string head =
        fmt::format("turn {}  {}  {}", turn.id, ShortTime(turn.time_ms),
                    turn.speaker.empty() ? RoleWord(turn.role) : std::string_view(turn.speaker));
    text += fmt::format("{}\n{}\n", call.Dim(head), Wrap(turn.text, TerminalWidth(), "  "));
  }
  const auto more = unfolded.turns_total - static_cast<std::int64_t>(unfolded.turns.size());
  if (more > 0) text += fmt::format("{}\n", call.Dim(fmt::format("… and {} more", more)));
  return text;
}

Result<std::int64_t> ParseEssenceId(std::string_view text) {
  std::string_view digits = Trim(text);
  for (std::string_view lead : {"essence", "#"}) {
    if (digits.starts_with(lead)) digits = Trim(digits.substr(lead.size()));
  }
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (error != std::errc() || end != digits.data() + digits.size() || id < 1) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("\"{}\" is not the number of an essence; `liubai inspect essences` "
                              "lists them",
                              text));
  }
  return id;
}

}  // namespace liubai::tools
