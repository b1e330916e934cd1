#include "memory/ledger_score.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/macros.h"
#include "core/text.h"
#include "memory/ledger_scan.h"
#include "nlohmann/json.hpp"

namespace liubai::memory {
namespace {

Status Wrong(std::string_view file, std::size_t line, std::string_view what) {
  return {StatusCode::kInvalidArgument, fmt::format("{}, line {}: {}", file, line, what)};
}

Result<LabelledTurn> ReadTurn(std::string_view line, std::string_view file, std::size_t number) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Wrong(file, number, "is not a JSON object");
  const auto text_of = [](const nlohmann::json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  LabelledTurn turn;
  turn.id = text_of(json, "id");
  turn.part = text_of(json, "part");
  turn.text = text_of(json, "text");
  if (turn.id.empty()) return Wrong(file, number, R"("id" is missing or not a text)");
  if (turn.text.empty()) return Wrong(file, number, R"("text" is missing or not a text)");
  const auto labels = json.find("labels");
  if (labels == json.end() || !labels->is_array())
    return Wrong(file, number, R"("labels" is missing or not a list)");
  for (const auto& label : *labels) {
    if (!label.is_object()) return Wrong(file, number, "a label is not a JSON object");
    const std::string kind = text_of(label, "kind"), text = text_of(label, "text");
    const auto known = DetailKindOf(kind);
    if (!known) return Wrong(file, number, fmt::format("\"{}\" is no kind of detail", kind));
    if (text.empty() || turn.text.find(text) == std::string::npos)
      return Wrong(file, number, fmt::format("the label \"{}\" is not in the text", text));
    turn.labels.push_back({*known, text});
  }
  return turn;
}

// Words of `text` beyond those of a label, a Chinese character as half of one.
double Length(std::string_view text) {
  double words = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    const bool letter = !IsCjkIdeograph(point.value) &&
                        (IsAsciiDigit(point.value) || (point.value >= 0 && IsLetter(point.value)));
    if (IsCjkIdeograph(point.value)) words += 0.5;
    if (letter && !inside) words += 1;
    inside = letter;
    i += point.length;
  }
  return words;
}

bool Finds(const Detail& detail, const LabelledTurn& turn, const DetailLabel& label) {
  if (detail.kind != label.kind) return false;
  for (auto at = turn.text.find(label.text); at != std::string::npos;
       at = turn.text.find(label.text, at + 1)) {
    const auto end = at + label.text.size();
    if (IsStatement(label.kind)) {
      const auto from = std::max<std::size_t>(at, detail.begin);
      const auto to = std::min<std::size_t>(end, detail.end);
      if (to > from && (to - from) * 2 >= std::min(label.text.size(), detail.text.size()))
        return true;
      continue;
    }
    if (detail.begin > at || detail.end < end) continue;
    const std::string_view text = turn.text;
    const double more = Length(text.substr(detail.begin, at - detail.begin)) +
                        Length(text.substr(end, detail.end - end));
    if (more <= 1) return true;
  }
  return false;
}

}  // namespace

DetailScore& DetailScore::operator+=(const DetailScore& other) {
  labels += other.labels;
  found += other.found;
  kept += other.kept;
  details += other.details;
  right += other.right;
  return *this;
}

std::array<DetailScore, kDetailKinds> LedgerScore::All() const {
  std::array<DetailScore, kDetailKinds> all{};
  for (const auto& [part, scores] : parts) {
    for (std::size_t kind = 0; kind < kDetailKinds; ++kind) all[kind] += scores[kind];
  }
  return all;
}

Result<std::vector<LabelledTurn>> ReadLabelledTurns(std::string_view jsonl, std::string_view file) {
  std::vector<LabelledTurn> turns;
  for (std::size_t at = 0, number = 1; at < jsonl.size(); ++number) {
    const auto end = std::min(jsonl.find('\n', at), jsonl.size());
    const std::string_view line = Trim(jsonl.substr(at, end - at));
    at = end + 1;
    if (line.empty()) continue;
    LIUBAI_ASSIGN_OR_RETURN(LabelledTurn turn, ReadTurn(line, file, number));
    turns.push_back(std::move(turn));
  }
  if (turns.empty()) return Wrong(file, 1, "no turn is there");
  return turns;
}

LedgerScore ScoreLedger(const std::vector<LabelledTurn>& turns) {
  LedgerScore score;
  for (const LabelledTurn& turn : turns) {
    auto& scores = score.parts[turn.part];
    const std::vector<Detail> details = ExtractDetails(turn.text);
    std::vector<bool> used(details.size(), false), met(turn.labels.size(), false);
    // The very text first: a longer detail may have a label of its own.
    for (const bool exact : {true, false}) {
      for (std::size_t l = 0; l < turn.labels.size(); ++l) {
        for (std::size_t d = 0; d < details.size() && !met[l]; ++d) {
          if (used[d] || (exact && details[d].text != turn.labels[l].text)) continue;
          if (Finds(details[d], turn, turn.labels[l])) used[d] = met[l] = true;
        }
      }
    }
    for (std::size_t l = 0; l < turn.labels.size(); ++l) {
      const DetailLabel& label = turn.labels[l];
      DetailScore& of = scores[static_cast<std::size_t>(label.kind)];
      ++of.labels;
      of.found += met[l];
      of.kept += met[l] || std::any_of(details.begin(), details.end(), [&](const Detail& detail) {
                   return detail.text.find(label.text) != std::string::npos;
                 });
      if (!met[l]) score.misses.push_back({turn.id, turn.part, label.kind, false, label.text});
    }
    for (std::size_t d = 0; d < details.size(); ++d) {
      DetailScore& of = scores[static_cast<std::size_t>(details[d].kind)];
      ++of.details;
      of.right += used[d];
      if (!used[d])
        score.misses.push_back({turn.id, turn.part, details[d].kind, true, details[d].text});
    }
  }
  return score;
}

}  // namespace liubai::memory
