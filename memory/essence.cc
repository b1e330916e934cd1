#include "memory/essence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "core/text.h"
#include "memory/date_expression.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

// Below this a sentence is talk: it is chosen only when nothing else is left.
constexpr double kLeastWorth = 0.1;
constexpr std::size_t kMostSentenceBytes = 240;

// Indices of `worths` in the order in which they are chosen.
std::vector<std::size_t> ByWorth(const std::vector<double>& worths) {
  std::vector<std::size_t> order(worths.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return worths[a] > worths[b]; });
  return order;
}

// A sentence of an older essence with the turns that it comes from.
struct Piece {
  std::size_t range = 0;
  std::string speaker;
  std::string text;
  double worth = 0;
  Terms terms;
};
struct Range {
  TurnId first = 0;
  TurnId last = 0;
};
struct Pieces {
  std::vector<Range> ranges;
  std::vector<Piece> pieces;
  std::vector<std::string> subjects;  // Said to be on record.
  bool chinese = false;
  const CompactionPolicy* policy = nullptr;
};

// "Anna: I will." names its speaker; "Noted: 5 pm." does not. The label's bytes, or 0.
std::size_t SpeakerLabel(std::string_view sentence) {
  const auto colon = sentence.find(": ");
  if (colon == std::string_view::npos || colon == 0 || colon > 40) return 0;
  const std::string_view label = sentence.substr(0, colon);
  if (label.find_first_of(",;(\"'0123456789") != std::string_view::npos) return 0;
  if (words::Has(words::kNotNames, ToLowerUtf8(label))) return 0;
  int words = 0;
  bool capital = true;
  for (std::size_t i = 0; i < label.size(); ++words) {
    capital &= IsUpper(DecodeUtf8(label, i).value) || IsCjk(DecodeUtf8(label, i).value);
    i = std::min(label.find(' ', i), label.size() - 1) + 1;
  }
  return capital && words <= 3 ? colon + 2 : 0;
}

void AddSentences(std::string_view line, std::size_t range, Pieces* out) {
  std::string speaker;
  for (const TextRange part : SplitSentences(line)) {
    std::string_view sentence = line.substr(part.begin, part.end - part.begin);
    if (const std::size_t label = SpeakerLabel(sentence); label > 0) {
      speaker = std::string(sentence.substr(0, label - 2));
      sentence = Trim(sentence.substr(label));
    }
    if (sentence.empty()) continue;
    Piece piece;
    piece.range = range;
    piece.speaker = speaker;
    piece.text = Shorten(OneLine(sentence), kMostSentenceBytes);
    piece.worth = Worth(piece.text, {speaker == "Assistant", {}, out->policy});
    piece.terms = TermsOf(piece.text);
    out->pieces.push_back(std::move(piece));
  }
}

// What an essence of turns or a line of a merged one says, its labelled lines apart.
void AddText(std::string_view text, std::size_t range, Pieces* out) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    std::string_view line = Trim(text.substr(at, end - at));
    at = end + 1;
    for (const bool chinese : {false, true}) {
      if (line.starts_with(Trim(RecordLabel(chinese)))) {
        line.remove_prefix(Trim(RecordLabel(chinese)).size());
        while (!line.empty()) {
          const auto stop = std::min(line.find(';'), line.size());
          const std::string subject(Trim(line.substr(0, stop)));
          if (!subject.empty() &&
              std::find(out->subjects.begin(), out->subjects.end(), subject) == out->subjects.end())
            out->subjects.push_back(subject);
          line.remove_prefix(std::min(stop + 1, line.size()));
        }
      } else if (line.starts_with(Trim(ExactLabel(chinese)))) {
        line.remove_prefix(Trim(ExactLabel(chinese)).size());
        while (!line.empty()) {
          const auto stop = std::min(line.find(" | "), line.size());
          const std::size_t before = out->pieces.size();
          AddSentences(Trim(line.substr(0, stop)), range, out);
          // These words are found nowhere else.
          for (std::size_t i = before; i < out->pieces.size(); ++i) out->pieces[i].worth += 1;
          line.remove_prefix(std::min(stop + 3, line.size()));
        }
      }
    }
    AddSentences(line, range, out);
  }
}

Pieces TakeApart(const std::vector<Essence>& essences, const CompactionPolicy& policy) {
  Pieces out;
  out.policy = &policy;
  std::string all;
  for (const Essence& essence : essences) {
    all += essence.text;
    std::string_view text = essence.text;
    if (essence.level == 0) {
      // The heading is written anew.
      if (const auto colon = text.find("):"); text.starts_with("Turns ") && colon < 80)
        text = text.substr(colon + 2);
      out.ranges.push_back({essence.first_turn, essence.last_turn});
      AddText(text, out.ranges.size() - 1, &out);
      continue;
    }
    // A line that names no turns belongs to the whole.
    bool any = false;
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find('\n', at), text.size());
      const std::string line(text.substr(at, end - at));
      at = end + 1;
      long long first = 0, last = 0;
      int used = 0;
      if (std::sscanf(line.c_str(), "Turns %lld–%lld: %n", &first, &last, &used) == 2 && used > 0) {
        out.ranges.push_back({first, last});
        any = true;
        AddText(std::string_view(line).substr(static_cast<std::size_t>(used)),
                out.ranges.size() - 1, &out);
        continue;
      }
      if (!any) out.ranges.push_back({essence.first_turn, essence.last_turn}), any = true;
      AddText(line, out.ranges.size() - 1, &out);
    }
    if (!any) out.ranges.push_back({essence.first_turn, essence.last_turn});
  }
  out.chinese = MostlyChinese(all);
  return out;
}

// The chosen pieces, a line for each range that has one; ranges without join their neighbour.
std::string Render(const Pieces& from, const std::vector<bool>& chosen) {
  struct Line {
    Range range;
    std::string text;
    std::string speaker;
  };
  std::vector<Line> lines;
  TurnId waiting = 0;  // The first turn of ranges that wait for a line after them.
  std::size_t next = 0;
  for (std::size_t r = 0; r < from.ranges.size(); ++r) {
    Line line{from.ranges[r], "", ""};
    for (; next < from.pieces.size() && from.pieces[next].range == r; ++next) {
      if (!chosen[next]) continue;
      const Piece& piece = from.pieces[next];
      if (!line.text.empty()) line.text += ' ';
      if (!piece.speaker.empty() && piece.speaker != line.speaker)
        line.text += piece.speaker + ": ";
      line.speaker = piece.speaker;
      line.text += piece.text;
    }
    if (line.text.empty() && !lines.empty()) {
      lines.back().range.last = std::max(lines.back().range.last, line.range.last);
    } else if (line.text.empty()) {
      if (waiting == 0) waiting = line.range.first;
    } else {
      if (waiting != 0) line.range.first = std::min(waiting, line.range.first);
      waiting = 0;
      lines.push_back(std::move(line));
    }
  }
  std::string text;
  for (const Line& line : lines) {
    if (!text.empty()) text += '\n';
    text += fmt::format("Turns {}–{}: {}", line.range.first, line.range.last, line.text);
  }
  return text;
}

}  // namespace

std::string SpeakerOf(const Turn& turn) {
  if (!turn.speaker.empty()) return turn.speaker;
  switch (turn.role) {
    case Role::kUser:
      return "User";
    case Role::kAssistant:
      return "Assistant";
    case Role::kTool:
      return "Tool";
    case Role::kSystem:
      return "System";
  }
  return "";
}

std::string_view ExactLabel(bool chinese) { return chinese ? "原文：" : "Exact words: "; }
std::string_view RecordLabel(bool chinese) {
  return chinese ? "另有记录可查：" : "Also on record: ";
}

std::string FormatDay(std::int64_t time_ms) { return FormatMinute(time_ms).substr(0, 10); }

bool MostlyChinese(std::string_view text) {
  std::size_t cjk = 0, letters = 0;
  for (std::size_t at = 0; at < text.size() && at < 4000;) {
    const DecodedCodePoint point = DecodeUtf8(text, at);
    if (IsCjkIdeograph(point.value)) {
      ++cjk;
    } else if (point.value >= 0 && IsLetter(point.value)) {
      ++letters;
    }
    at += point.length;
  }
  // A Chinese character says about as much as three letters.
  return cjk * 3 > letters;
}

std::string ExtractSummary(const std::vector<Turn>& turns, int budget, const CountTokens& count,
                           const std::vector<std::string>& already,
                           const CompactionPolicy& policy) {
  struct Sentence {
    std::string speaker;
    std::string text;
    Terms terms;
  };
  std::vector<Sentence> sentences;
  std::vector<double> worths;
  std::string asked;  // By the user, in the turn before.
  Terms asked_terms;
  for (const Turn& turn : turns) {
    const bool assistant = turn.role == Role::kAssistant;
    for (const TextRange range : SplitSentences(turn.text)) {
      const std::string text =
          OneLine(std::string_view(turn.text).substr(range.begin, range.end - range.begin));
      if (text.size() < 4) continue;
      Sentence sentence{SpeakerOf(turn), Shorten(text, kMostSentenceBytes), TermsOf(text)};
      double worth = Worth(
          text, {assistant, assistant ? std::string_view(asked) : std::string_view(), &policy});
      // An echo of the user says nothing that the user's own words do not.
      if (assistant && Shared(sentence.terms, asked_terms) * 2 > sentence.terms.size())
        worth *= 0.2;
      sentences.push_back(std::move(sentence));
      worths.push_back(worth);
    }
    if (!assistant) asked = turn.text, asked_terms = TermsOf(asked);
  }
  std::vector<Terms> kept_terms;
  for (const std::string& text : already) kept_terms.push_back(TermsOf(text));
  std::vector<bool> chosen(sentences.size(), false);
  const auto render = [&] {
    std::string text;
    std::string_view speaker;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      if (!chosen[i]) continue;
      if (!text.empty()) text += ' ';
      if (speaker != sentences[i].speaker) text += sentences[i].speaker + ": ";
      speaker = sentences[i].speaker;
      text += sentences[i].text;
    }
    return text;
  };
  std::string summary;
  for (const std::size_t i : ByWorth(worths)) {
    if (worths[i] < kLeastWorth && (!summary.empty() || !already.empty())) break;
    const bool repeated = std::any_of(kept_terms.begin(), kept_terms.end(), [&](const auto& terms) {
      return Repeats(sentences[i].terms, terms);
    });
    if (repeated) continue;
    chosen[i] = true;
    std::string longer = render();
    if (count(longer) > budget) {
      chosen[i] = false;
      continue;
    }
    summary = std::move(longer);
    kept_terms.push_back(sentences[i].terms);
  }
  if (summary.empty() && already.empty() && !sentences.empty()) {
    // Not even one sentence fits whole: the best one's beginning stands for all.
    const Sentence& best = sentences[ByWorth(worths).front()];
    return FitWords(best.speaker + ": " + best.text, budget, count);
  }
  return summary;
}

std::string FitWords(std::string_view text, int budget, const CountTokens& count) {
  std::size_t bytes = HeadOfTokens(text, budget, count).size();
  std::string fitted = CutAtWord(text, bytes);
  // "…" is a token or two of its own.
  while (!fitted.empty() && count(fitted) > budget) {
    bytes = TruncateUtf8(text, bytes - 1).size();
    fitted = CutAtWord(text, bytes);
  }
  return fitted;
}

std::string MergeEssences(const std::vector<Essence>& essences, int budget,
                          const CountTokens& count, const CompactionPolicy& policy) {
  const Pieces from = TakeApart(essences, policy);
  std::vector<double> worths;
  for (const Piece& piece : from.pieces) worths.push_back(piece.worth);
  const std::vector<std::size_t> order = ByWorth(worths);
  // A part is set aside for the subjects on record.
  const int for_sentences = from.subjects.empty() ? budget : budget * 5 / 6;
  std::vector<bool> chosen(from.pieces.size(), false);
  std::vector<std::size_t> taken;
  std::string text;
  for (const std::size_t i : order) {
    const Piece& piece = from.pieces[i];
    if (piece.worth < kLeastWorth && !text.empty()) break;
    const bool repeated = std::any_of(taken.begin(), taken.end(), [&](std::size_t other) {
      return Repeats(piece.terms, from.pieces[other].terms);
    });
    if (repeated) continue;
    chosen[i] = true;
    std::string longer = Render(from, chosen);
    if (count(longer) > for_sentences) {
      chosen[i] = false;
      continue;
    }
    text = std::move(longer);
    taken.push_back(i);
  }
  if (text.empty()) {
    // Not even one sentence fits whole: the best one's beginning stands for all.
    const std::string best = order.empty() ? "" : from.pieces[order.front()].text;
    return FitWords(fmt::format("Turns {}–{}: {}", essences.front().first_turn,
                                essences.back().last_turn, best),
                    budget, count);
  }
  std::string record;
  for (const std::string& subject : from.subjects) {
    const std::string longer =
        record.empty() ? std::string(RecordLabel(from.chinese)) + subject : record + "; " + subject;
    if (count(text + "\n" + longer) > budget) break;
    record = longer;
  }
  return record.empty() ? text : text + "\n" + record;
}

}  // namespace liubai::memory
