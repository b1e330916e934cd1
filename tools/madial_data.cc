#include "tools/madial_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/hash.h"
#include "core/macros.h"
#include "memory/date_expression.h"
#include "tools/recall_data.h"
#include "tools/recall_metrics.h"

namespace liubai::tools {
namespace {

// Calls `read` on each line that is not blank, as JSON; what it throws names the line.
template <class Read>
Status ForEachLine(std::string_view text, const std::string& what, const Read& read) {
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      read(nlohmann::json::parse(line));
    } catch (const std::exception& error) {
      return Status(StatusCode::kDataLoss,
                    fmt::format("{}, line {}: {}", what, number, error.what()));
    }
  }
  return Status();
}

// Ids are numbers in one file and texts in another.
std::string IdOf(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string UserOf(const nlohmann::json& row) {
  return row.contains("user-id") ? IdOf(row.at("user-id")) : "";
}

// "Bart" of `<Bart>:"Hello!"`, or "".
std::string SpeakerOf(std::string_view line) {
  const std::size_t close = line.find('>');
  if (!line.starts_with('<') || close == std::string_view::npos) return "";
  const std::string name(line.substr(1, close - 1));
  return name == "BOD" || name == "EOD" ? "" : name;
}

// `<Bart>:"Hello!"\n` as `Hello!`.
std::string Utterance(std::string line) {
  if (line.starts_with('<')) {
    const std::size_t close = line.find('>');
    if (close != std::string::npos) line = line.substr(close + 1);
  }
  const auto Trimmed = [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) || c == '"' || c == ':';
  };
  while (!line.empty() && Trimmed(line.back())) line.pop_back();
  std::size_t begin = 0;
  while (begin < line.size() && Trimmed(line[begin])) ++begin;
  line = line.substr(begin);
  for (const std::string_view mark : {"：", "“"}) {
    if (line.starts_with(mark)) line = line.substr(mark.size());
  }
  return line.ends_with("”") ? line.substr(0, line.size() - std::string_view("”").size()) : line;
}

// As Python prints it.
std::string Quoted(const std::string& text) {
  const bool single = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
  const char quote = single ? '"' : '\'';
  std::string quoted(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + quote;
}

// What the published figures are of: the authors' script embeds the text that Python makes of a
// record without its time and ids (https://github.com/hejunqing/MADial-Bench, Embedding.py).
std::string PublishedText(const nlohmann::json& record) {
  std::string text;
  for (const char* const field : {"scene", "emotion", "event"}) {
    if (!record.contains(field)) continue;
    text += fmt::format("{}'{}': {}", text.empty() ? "" : ", ", field,
                        Quoted(record.at(field).get<std::string>()));
  }
  return "{" + text + "}";
}

}  // namespace

Result<MadialData> ParseMadial(std::string_view memories, std::string_view dialogues,
                               const std::string& language) {
  MadialData data;
  data.language = language;
  data.sha256 = Sha256Hex(std::string(memories) + std::string(dialogues));
  std::set<std::string> known;
  LIUBAI_RETURN_IF_ERROR(
      ForEachLine(memories, language + "-memory.json", [&](const nlohmann::json& line) {
        for (const auto& [id, row] : line.items()) {
          MadialMemory& memory = data.memories.emplace_back();
          memory.id = id;
          memory.user = UserOf(row);
          row.at("event");  // Without one there is nothing to remember.
          memory.text = PublishedText(row);
          if (row.contains("time") && row.at("time").is_string()) {
            const auto ranges = memory::FindTimeRanges(row.at("time").get<std::string>(), 0);
            if (!ranges.empty()) memory.time_ms = ranges.front().from_ms;
          }
          known.insert(id);
        }
      }));
  std::map<std::string, std::set<std::string>> names;  // Of each user.
  LIUBAI_RETURN_IF_ERROR(
      ForEachLine(dialogues, language + "-dialogue.json", [&](const nlohmann::json& row) {
        MadialDialogue& dialogue = data.dialogues.emplace_back();
        dialogue.id = fmt::format(
            "{}-{}", language,
            row.contains("id") ? IdOf(row.at("id")) : std::to_string(data.dialogues.size()));
        dialogue.user = UserOf(row);
        const auto& lines = row.at("dialogue");
        const auto& tests = row.at("test-turn");
        const std::size_t first = tests.empty() ? lines.size() : tests.at(0).get<std::size_t>();
        for (std::size_t i = 0; i < std::min(first, lines.size()); ++i) {
          const std::string line = lines.at(i).get<std::string>();
          if (const std::string name = SpeakerOf(line); name != "" && name != "Assistant") {
            names[dialogue.user].insert(name);
          }
          if (line.starts_with("<BOD>") || line.starts_with("<EOD>")) continue;
          dialogue.last = Utterance(line);
          dialogue.text += dialogue.last + "\n";
        }
        for (const nlohmann::json& id : row.at("relevant-id")) {
          const std::string name = IdOf(id);
          if (!known.contains(name)) {
            ++data.unknown_ids;
          } else if (std::ranges::find(dialogue.relevant, name) == dialogue.relevant.end()) {
            dialogue.relevant.push_back(name);
          }
        }
        data.without_evidence += dialogue.relevant.empty() ? 1 : 0;
      }));
  // The English memories name no user: each is of those whom it speaks of.
  std::vector<MadialMemory> owned;
  for (const MadialMemory& memory : data.memories) {
    for (const auto& [user, called] : names) {
      const bool named = std::ranges::any_of(called, [&](const std::string& name) {
        return memory.text.find(name) != std::string::npos;
      });
      if (memory.user.empty() ? !named : memory.user != user) continue;
      owned.push_back(memory);
      owned.back().user = user;
    }
  }
  data.memories = std::move(owned);
  for (const auto& [user, called] : names) data.users.push_back(user);
  return data;
}

Result<MadialData> ReadMadial(const std::string& data, const std::string& language) {
  LIUBAI_ASSIGN_OR_RETURN(const std::string memories,
                          DataFile(data, fmt::format("madial_bench/{}-memory.json", language)));
  LIUBAI_ASSIGN_OR_RETURN(const std::string dialogues,
                          DataFile(data, fmt::format("madial_bench/{}-dialogue.json", language)));
  LIUBAI_ASSIGN_OR_RETURN(const std::string memories_text, ReadMaybeCompressed(memories));
  LIUBAI_ASSIGN_OR_RETURN(const std::string dialogues_text, ReadMaybeCompressed(dialogues));
  return ParseMadial(memories_text, dialogues_text, language);
}

}  // namespace liubai::tools
