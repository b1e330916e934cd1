#include "memory/exact_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "memory/fts_tokenizer.h"
#include "memory/proof.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

constexpr std::string_view kIndent = "  ";
constexpr std::size_t kMostLineBytes = 400;
constexpr std::size_t kAroundBytes = 120;

}  // namespace

ExactLine ExactLineOf(const Detail& detail, TurnId turn) {
  // A block of code keeps its lines.
  if (detail.text.find('\n') != std::string::npos) return {turn, detail.text};
  const std::string sentence = OneLine(detail.sentence), value = OneLine(detail.text);
  const auto at = sentence.find(value);
  // A sentence without stops is cut off before its end.
  if (at == std::string::npos) return {turn, value};
  if (sentence.size() <= kMostLineBytes) return {turn, sentence};
  const std::string_view after = std::string_view(sentence).substr(at + value.size());
  const std::size_t before = at - std::min(at, kAroundBytes);
  std::string line(std::string_view(sentence).substr(before, at - before));
  while (!line.empty() && (static_cast<unsigned char>(line.front()) & 0xC0) == 0x80)
    line.erase(0, 1);
  return {turn, fmt::format("{}{}{}{}", before > 0 ? "…" : "", line, value,
                            Shorten(after, kAroundBytes))};
}

ExactTexts::ExactTexts(std::string_view heading, std::span<const ExactLine> lines)
    : placed(lines.size(), false) {
  using Shown = std::pair<TurnId, std::string>;
  std::vector<std::vector<Shown>> parts;
  std::map<std::pair<TurnId, std::string_view>, bool> known;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto [same, fresh] = known.try_emplace({lines[i].turn, lines[i].text}, false);
    if (!fresh) {
      placed[i] = same->second;
      continue;
    }
    std::string shown = fmt::format("\n[{}] ", lines[i].turn);
    for (const char c : lines[i].text) {
      shown += c;
      if (c == '\n') shown += kIndent;
    }
    if (heading.size() + shown.size() > kMostExactBytes) continue;
    if (parts.empty() || bytes + shown.size() > kMostExactBytes) {
      if (parts.size() == kMostExactEssences) continue;
      parts.emplace_back();
      bytes = heading.size();
    }
    bytes += shown.size();
    parts.back().emplace_back(lines[i].turn, std::move(shown));
    placed[i] = same->second = true;
  }
  for (auto& part : parts) {
    std::stable_sort(part.begin(), part.end(),
                     [](const Shown& a, const Shown& b) { return a.first < b.first; });
    std::string& text = texts.emplace_back(heading);
    for (const auto& [turn, shown] : part) text += shown;
  }
}

std::vector<ExactLine> ReadExactLines(std::string_view text) {
  std::vector<ExactLine> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with(kIndent) && !lines.empty()) {
      lines.back().text += '\n';
      lines.back().text += line.substr(kIndent.size());
      continue;
    }
    ExactLine read;
    const auto close = line.find("] ");
    if (!line.starts_with('[') || close == std::string_view::npos) continue;
    const auto [stop, error] = std::from_chars(line.data() + 1, line.data() + close, read.turn);
    if (error != std::errc() || stop != line.data() + close) continue;
    read.text = std::string(line.substr(close + 2));
    lines.push_back(std::move(read));
  }
  return lines;
}

std::vector<ExactLine> SearchedLines(const Essence& essence) {
  if (essence.method == kExact) return ReadExactLines(essence.text);
  std::vector<ExactLine> lines;
  for (std::string& sentence : SentencesOfEssence(essence.text))
    lines.push_back({0, std::move(sentence)});
  return lines;
}

}  // namespace liubai::memory
