// Recalled turns as the text of a prompt.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/macros.h"
#include "core/text.h"
#include "liubai/retrieval.h"
#include "memory/date_expression.h"

namespace liubai::inline v1 {

using memory::FormatMinute;

std::string RenderMemory(const Turn& turn, std::string_view text) {
  static constexpr std::string_view kRoles[] = {"system", "user", "assistant", "tool"};
  return fmt::format("[{}] {}: {}", FormatMinute(turn.time_ms),
                     turn.speaker.empty() ? kRoles[static_cast<int>(turn.role) & 3]
                                          : std::string_view(turn.speaker),
                     text);
}

namespace {

// " (told again on 2023-05-09)"
std::string AlsoTold(const RecallHit& hit) {
  constexpr std::size_t kDay_bytes = 10;  // "2023-05-09"
  constexpr std::size_t kMostDays = 4;
  std::vector<std::string> days;
  for (const RecallSource& source : hit.same) {
    std::string day = FormatMinute(source.time_ms).substr(0, kDay_bytes);
    if (days.size() < kMostDays && (days.empty() || days.back() != day)) {
      days.push_back(std::move(day));
    }
  }
  return days.empty() ? "" : fmt::format(" (told again on {})", fmt::join(days, ", "));
}

}  // namespace

Result<PackedMemories> PackMemories(const RecallResult& result, const PackOptions& options) {
  struct Line {
    const RecallHit* hit;
    std::string text;
    std::int64_t tokens;
    bool excerpt;
  };
  PackedMemories packed;
  std::vector<Line> lines;
  std::int64_t left = options.budget_tokens;
  std::string reckoned;
  if (result.distance) {
    LIUBAI_ASSIGN_OR_RETURN(const std::int64_t tokens, options.count(result.distance->text + "\n"));
    if (tokens <= left) {
      reckoned = result.distance->text + "\n";
      left -= tokens;
      packed.tokens += tokens;
    }
  }
  const int most = result.several ? 2 * options.most : options.most;
  int taken = 0;
  for (const RecallHit& hit : result.hits) {
    if (taken == most) {
      ++packed.left_out;
      continue;
    }
    const std::string_view text = hit.turn.text;
    const bool long_turn = hit.begin > 0 || hit.end < text.size();
    std::size_t begin = hit.begin, end = hit.end;
    const auto Excerpt = [&] {
      return RenderMemory(
          hit.turn, fmt::format("{}{}{}", begin > 0 ? "… " : "", text.substr(begin, end - begin),
                                end < text.size() ? " …" : ""));
    };
    Line line{&hit, RenderMemory(hit.turn, text), 0, false};
    if (result.several) {
      line.excerpt = long_turn;
      line.text = Excerpt() + AlsoTold(hit);
    }
    LIUBAI_ASSIGN_OR_RETURN(line.tokens, options.count(line.text + "\n"));
    // A turn that does not fit whole is shown in part; the best one in as small a part as must be.
    while (line.tokens > left && (long_turn || lines.empty()) && end > begin + 40) {
      if (line.excerpt)
        end = begin + TruncateUtf8(text.substr(begin), (end - begin) * 3 / 4).size();
      line.excerpt = true;
      line.text = Excerpt();
      LIUBAI_ASSIGN_OR_RETURN(line.tokens, options.count(line.text + "\n"));
      if (!lines.empty() && line.tokens > left) break;
    }
    if (line.tokens > left) {
      ++packed.left_out;
      continue;
    }
    left -= line.tokens;
    ++taken;
    lines.push_back(std::move(line));
  }
  if (lines.size() > 1) {
    std::sort(lines.begin() + (result.several ? 0 : 1), lines.end(),
              [](const Line& a, const Line& b) {
                return std::pair(a.hit->turn.time_ms, a.hit->turn.id) <
                       std::pair(b.hit->turn.time_ms, b.hit->turn.id);
              });
  }
  if (lines.size() > 1 && !result.several)
    std::rotate(lines.begin(), lines.begin() + 1, lines.end());
  for (const Line& line : lines) {
    packed.text += line.text + "\n";
    packed.turns.push_back(line.hit->turn.id);
    packed.tokens += line.tokens;
    if (line.excerpt) packed.excerpts.push_back(line.hit->turn.id);
  }
  packed.text += reckoned;
  return packed;
}

}  // namespace liubai::inline v1
