#include "memory/compaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <unordered_set>

#include "core/macros.h"
#include "core/text.h"
#include "memory/date_expression.h"
#include "memory/fts_tokenizer.h"
#include "nlohmann/json.hpp"

namespace liubai::memory {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string OneLine(std::string_view text) {
  std::string line;
  for (char c : Trim(text)) {
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

// `text` or its beginning with "…", at most `bytes` and a little.
std::string Shorten(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  return std::string(Trim(TruncateUtf8(text, bytes))) + "…";
}

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

struct Entry {
  Detail detail;
  const Turn* turn = nullptr;
  LedgerState state = LedgerState::kShelved;
  bool verbatim = false;  // Kept in the essence word by word, because unproved.
};

// What is lost hardest comes first when there is no room for all.
int Weight(DetailKind kind) {
  switch (kind) {
    case DetailKind::kRule:
    case DetailKind::kAllergy:
      return 5;
    case DetailKind::kCorrection:
    case DetailKind::kPreference:
      return 4;
    case DetailKind::kMoney:
    case DetailKind::kDate:
    case DetailKind::kIdentifier:
    case DetailKind::kPhone:
    case DetailKind::kEmail:
      return 3;
    case DetailKind::kTime:
    case DetailKind::kName:
    case DetailKind::kUrl:
    case DetailKind::kFile:
    case DetailKind::kPercent:
      return 2;
    default:
      return 1;
  }
}

// A unit that a reader can use: the sentence, shortened around the detail.
std::string VerbatimLine(const Entry& entry) {
  const std::string sentence = OneLine(entry.detail.sentence);
  if (sentence.size() <= 160) return sentence;
  const auto at = sentence.find(OneLine(entry.detail.text));
  if (at == std::string::npos || at < 100) return Shorten(sentence, 160);
  std::size_t begin = at - 80;
  while ((static_cast<unsigned char>(sentence[begin]) & 0xC0) == 0x80) ++begin;
  return "…" + Shorten(std::string_view(sentence).substr(begin), 160);
}

std::string Instruction(bool chinese, int words) {
  if (chinese) {
    return fmt::format(
        "请用不超过{}个字总结以上对话：用户说了什么、决定了什么。名字、数字和日期必须照原样写。"
        "不要添加对话里没有的内容，只写总结。",
        words * 2);
  }
  return fmt::format(
      "Summarize the conversation above in at most {} words: what the user told you and what was "
      "decided. Copy names, numbers and dates exactly. Add nothing that was not said. Write only "
      "the summary.",
      words);
}

std::string Heading(const std::vector<Turn>& turns) {
  const std::string from = FormatDay(turns.front().time_ms), to = FormatDay(turns.back().time_ms);
  return fmt::format("Turns {}–{} ({}):", turns.front().id, turns.back().id,
                     from == to ? from : from + " – " + to);
}

}  // namespace

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

std::string CheckedSummary(std::string_view summary, const std::vector<Turn>& turns,
                           std::vector<std::string>* rejected) {
  std::unordered_set<std::string> numbers;
  std::string said;
  for (const Turn& turn : turns) {
    for (std::string& number : NumbersIn(turn.text)) numbers.insert(std::move(number));
    said += ToLowerUtf8(turn.speaker) + " " + ToLowerUtf8(turn.text) + "\n";
    // The date of a turn is known too.
    const std::string day = FormatDay(turn.time_ms);
    for (std::string& number : NumbersIn(day)) numbers.insert(std::move(number));
  }
  std::unordered_set<std::string> words;
  TokenizeText(said, [&](std::string_view term, bool) { words.emplace(term); });
  std::string checked;
  std::unordered_set<std::string> seen;
  for (const TextRange range : SplitSentences(summary)) {
    const std::string sentence = OneLine(summary.substr(range.begin, range.end - range.begin));
    if (!seen.insert(ToLowerUtf8(sentence)).second) continue;
    bool invented = false;
    for (std::size_t at = 0; at < sentence.size() && !invented; ++at) {
      if (sentence[at] < '0' || sentence[at] > '9') continue;
      std::size_t end = at;
      while (end < sentence.size() && ((sentence[end] >= '0' && sentence[end] <= '9') ||
                                       sentence[end] == '.' || sentence[end] == ','))
        ++end;
      for (const std::string& number : NumbersIn(sentence.substr(at, end - at)))
        invented |= !numbers.contains(number);
      at = end;
    }
    for (const Detail& detail : ExtractDetails(sentence)) {
      const bool literal = detail.kind == DetailKind::kName || detail.kind == DetailKind::kEmail ||
                           detail.kind == DetailKind::kUrl || detail.kind == DetailKind::kFile ||
                           detail.kind == DetailKind::kPhone ||
                           detail.kind == DetailKind::kIdentifier ||
                           detail.kind == DetailKind::kQuote;
      if (!literal) continue;
      const std::string value = ToLowerUtf8(detail.text);
      if (detail.kind == DetailKind::kName && (value == "user" || value == "assistant")) continue;
      invented |= said.find(value) == std::string::npos;
    }
    // Most of its words must be the turns' own: a small model likes to sum up its instructions
    // instead.
    const std::vector<std::string> terms = QueryTerms(sentence);
    std::size_t known = 0;
    for (const std::string& term : terms) known += words.contains(term);
    invented |= terms.size() >= 3 && known * 2 < terms.size();
    if (invented) {
      if (rejected != nullptr) rejected->push_back(sentence);
      continue;
    }
    if (!checked.empty()) checked += ' ';
    checked += sentence;
  }
  return checked;
}

std::string ExtractSummary(const std::vector<Turn>& turns, int budget, const CountTokens& count) {
  struct Sentence {
    std::string text;
    double score;
    std::size_t order;
  };
  std::vector<Sentence> sentences;
  for (const Turn& turn : turns) {
    const auto details = ExtractDetails(turn.text);
    bool first = true;
    for (const TextRange range : SplitSentences(turn.text)) {
      const std::string_view view =
          std::string_view(turn.text).substr(range.begin, range.end - range.begin);
      const std::string text = OneLine(view);
      if (text.size() < 4) continue;
      double score = first ? 0.5 : 0;
      first = false;
      for (const Detail& detail : details) {
        if (detail.begin >= range.begin && detail.end <= range.end) score += Weight(detail.kind);
      }
      if (turn.role == Role::kAssistant) score *= 0.5;
      if (IsQuestion(text)) score *= 0.3;
      // By length: many details in few words.
      score /= 1.0 + static_cast<double>(text.size()) / 120.0;
      sentences.push_back(
          {fmt::format("{}: {}", SpeakerOf(turn), Shorten(text, 240)), score, sentences.size()});
    }
  }
  std::stable_sort(sentences.begin(), sentences.end(),
                   [](const Sentence& a, const Sentence& b) { return a.score > b.score; });
  std::vector<Sentence> kept;
  int left = budget;
  for (Sentence& sentence : sentences) {
    if (sentence.score <= 0 && !kept.empty()) break;
    const int tokens = count(sentence.text) + 1;
    if (tokens > left) continue;
    left -= tokens;
    kept.push_back(std::move(sentence));
  }
  std::sort(kept.begin(), kept.end(),
            [](const Sentence& a, const Sentence& b) { return a.order < b.order; });
  std::string summary;
  for (const Sentence& sentence : kept) {
    if (!summary.empty()) summary += ' ';
    summary += sentence.text;
  }
  return summary;
}

std::string MergeEssences(const std::vector<Essence>& essences, int budget,
                          const CountTokens& count) {
  struct Line {
    TurnId first, last;
    std::string text;
  };
  std::vector<Line> lines;
  for (const Essence& essence : essences) {
    if (essence.level == 0) {
      std::string_view text = essence.text;
      // The heading is written anew.
      if (const auto colon = text.find("):"); text.starts_with("Turns ") && colon < 80)
        text = text.substr(colon + 2);
      lines.push_back({essence.first_turn, essence.last_turn, OneLine(text)});
      continue;
    }
    for (std::size_t at = 0; at < essence.text.size();) {
      const auto end = std::min(essence.text.find('\n', at), essence.text.size());
      const std::string line = essence.text.substr(at, end - at);
      at = end + 1;
      Line parsed{essence.first_turn, essence.last_turn, line};
      long long first = 0, last = 0;
      int used = 0;
      if (std::sscanf(line.c_str(), "Turns %lld–%lld: %n", &first, &last, &used) == 2 && used > 0) {
        parsed = {first, last, line.substr(static_cast<std::size_t>(used))};
      }
      if (!Trim(parsed.text).empty()) lines.push_back(std::move(parsed));
    }
  }
  const auto render = [&](std::size_t bytes) {
    std::string text;
    for (const Line& line : lines) {
      if (!text.empty()) text += '\n';
      text += fmt::format("Turns {}–{}: {}", line.first, line.last, Shorten(line.text, bytes));
    }
    return text;
  };
  for (std::size_t bytes = 400;; bytes = bytes * 3 / 4) {
    if (bytes < 40 && lines.size() > 1) {
      // Old neighbours share a line.
      std::vector<Line> merged;
      for (std::size_t i = 0; i < lines.size(); i += 2) {
        if (i + 1 == lines.size()) {
          merged.push_back(lines[i]);
          continue;
        }
        merged.push_back({lines[i].first, lines[i + 1].last,
                          Shorten(lines[i].text, 60) + " " + Shorten(lines[i + 1].text, 60)});
      }
      lines = std::move(merged);
      bytes = 160;
    }
    std::string text = render(bytes);
    if (count(text) <= budget) return text;
    if (lines.size() <= 1 && bytes < 40) {
      return std::string(HeadOfTokens(text, budget, count));
    }
  }
}

std::string AddStanding(std::string_view value,
                        const std::vector<std::pair<std::string, TurnId>>& lines, int budget,
                        const CountTokens& count) {
  std::vector<std::string> all;
  const auto add = [&](std::string line) {
    // The same words again: the later date stands.
    const auto words = [](std::string_view text) {
      const auto close = text.find(") ");
      return text.starts_with("- (") && close != text.npos ? text.substr(close + 2) : text;
    };
    std::erase_if(all, [&](const std::string& old) { return words(old) == words(line); });
    all.push_back(std::move(line));
  };
  for (std::size_t at = 0; at < value.size();) {
    const auto end = std::min(value.find('\n', at), value.size());
    if (end > at) add(std::string(value.substr(at, end - at)));
    at = end + 1;
  }
  for (const auto& [line, turn] : lines) add(line);
  const auto join = [&] {
    std::string text;
    for (const std::string& line : all) {
      if (!text.empty()) text += '\n';
      text += line;
    }
    return text;
  };
  const auto kind = [](const std::string& line, std::string_view name) {
    return line.starts_with(fmt::format("- ({},", name));
  };
  std::string text = join();
  while (!all.empty() && count(text) > budget) {
    // What a person wrote into the block goes last, since this program cannot judge it.
    auto victim = all.end();
    for (std::string_view name : {"correction", "preference", "rule", "allergy"}) {
      victim = std::find_if(all.begin(), all.end(),
                            [&](const std::string& line) { return kind(line, name); });
      if (victim != all.end()) break;
    }
    if (victim == all.end()) break;
    all.erase(victim);
    text = join();
  }
  return text;
}

Result<CompactionOutcome> CompactTurns(Store& store, const Retriever& retriever,
                                       const CompactionRequest& request, const Logger& logger,
                                       std::stop_token stop) {
  const auto start = std::chrono::steady_clock::now();
  const auto& turns = request.turns;
  const auto& count = request.count;
  const Status cancelled(StatusCode::kCancelled, "compaction cancelled");

  // The ledger.
  std::vector<Entry> entries;
  std::string all_text;
  for (const Turn& turn : turns) {
    all_text += turn.text + "\n";
    for (Detail& detail : ExtractDetails(turn.text)) {
      entries.push_back({std::move(detail), &turn, LedgerState::kShelved, false});
    }
    if (stop.stop_requested()) return cancelled;
  }
  const bool chinese = MostlyChinese(all_text);

  // The summary, checked.
  const int budget = std::max(request.essence_tokens, 48);
  const std::string heading = Heading(turns);
  const int body = std::max(budget - count(heading) - 4, 24);
  const int summary_budget = body * 6 / 10;
  std::string method = "extractive", why;
  std::vector<std::string> rejected;
  std::string summary;
  if (request.summarise) {
    auto written =
        request.summarise(Instruction(chinese, summary_budget / 2), summary_budget, stop);
    if (!written.ok()) {
      if (stop.stop_requested() || written.status().code() == StatusCode::kCancelled)
        return cancelled;
      why = "the model failed: " + written.status().ToString();
    } else {
      summary = CheckedSummary(*written, turns, &rejected);
      // The last sentence may have been cut by the limit.
      std::size_t bytes = 0;
      for (const std::string& sentence : rejected) bytes += sentence.size();
      if (summary.size() < 20) {
        why = rejected.empty() ? "the model's summary is empty"
                               : "nothing of the model's summary was said in the turns";
      } else if (bytes > summary.size()) {
        why = "most of the model's summary was not said in the turns";
      } else {
        method = "model";
      }
    }
    if (method != "model") {
      logger.Log(LogLevel::kWarning, "compaction",
                 fmt::format("turns {}–{}: {}; the essence is an extract", turns.front().id,
                             turns.back().id, why));
    }
  }
  if (method == "extractive") summary = ExtractSummary(turns, summary_budget, count);
  summary = std::string(HeadOfTokens(summary, summary_budget, count));

  // What the summary does not carry must be found again.
  int proofs = 0, untried = 0;
  std::map<std::pair<TurnId, std::string>, bool> proved;
  std::map<TurnId, int> proofs_of_turn;
  std::vector<std::size_t> by_weight(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) by_weight[i] = i;
  std::stable_sort(by_weight.begin(), by_weight.end(), [&](std::size_t a, std::size_t b) {
    return Weight(entries[a].detail.kind) > Weight(entries[b].detail.kind);
  });
  for (const std::size_t i : by_weight) {
    Entry& entry = entries[i];
    if (summary.find(entry.detail.text) != std::string::npos) {
      entry.state = LedgerState::kKept;
      continue;
    }
    if (stop.stop_requested()) return cancelled;
    const auto key = std::pair(entry.turn->id, entry.detail.query);
    auto known = proved.find(key);
    if (known == proved.end()) {
      if (proofs >= kMostProofs || proofs_of_turn[entry.turn->id] >= kMostProofsOfTurn) {
        ++untried;
        continue;
      }
      bool found = false;
      if (!Trim(entry.detail.query).empty()) {
        ++proofs;
        ++proofs_of_turn[entry.turn->id];
        RecallQuery query;
        query.text = entry.detail.query;
        query.filter.tenant = request.tenant;
        query.limit = kProofDepth;
        query.now_ms = request.now_ms;
        LIUBAI_ASSIGN_OR_RETURN(const RecallResult hits, retriever.Recall(query, stop));
        for (const RecallHit& hit : hits.hits) {
          // The same words in another turn answer as well.
          found |= hit.turn.id == entry.turn->id ||
                   hit.turn.text.find(entry.detail.sentence) != std::string::npos;
        }
      }
      known = proved.emplace(key, found).first;
    }
    entry.state = known->second ? LedgerState::kProved : LedgerState::kUnproved;
  }

  // Unproved details, the gravest first, verbatim.
  std::vector<std::size_t> unproved;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].state == LedgerState::kUnproved) unproved.push_back(i);
  }
  std::stable_sort(unproved.begin(), unproved.end(), [&](std::size_t a, std::size_t b) {
    return Weight(entries[a].detail.kind) > Weight(entries[b].detail.kind);
  });
  std::string exact;
  int left = body - count(summary);
  const std::string_view exact_label = chinese ? "原文：" : "Exact words: ";
  std::set<std::string> lines;
  for (const std::size_t i : unproved) {
    Entry& entry = entries[i];
    if (exact.find(entry.detail.text) != std::string::npos) {
      entry.verbatim = true;
      continue;
    }
    const std::string line = VerbatimLine(entry);
    if (!lines.insert(line).second) continue;
    const std::string longer =
        exact.empty() ? std::string(exact_label) + line : exact + " | " + line;
    if (count(longer) > left) continue;
    exact = longer;
    entry.verbatim = exact.find(entry.detail.text) != std::string::npos;
  }
  if (!exact.empty()) left -= count(exact) + 1;

  // What was shelved, by subject.
  std::string shelved;
  const std::string_view label = chinese ? "另有记录可查：" : "Also on record: ";
  std::unordered_set<std::string> subjects;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].state != LedgerState::kKept && !entries[i].verbatim) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return Weight(entries[a].detail.kind) > Weight(entries[b].detail.kind);
  });
  for (const std::size_t i : order) {
    const std::string subject = SubjectOf(entries[i].detail);
    const bool quoted = subject.find("“") != subject.npos || subject.find("《") != subject.npos;
    if (quoted || subject.size() < 4 || !subjects.insert(ToLowerUtf8(subject)).second) continue;
    const std::string longer =
        shelved.empty() ? std::string(label) + subject : shelved + "; " + subject;
    if (count(longer) + 1 > left) break;
    shelved = longer;
  }

  std::string text = heading + " " + summary;
  if (!exact.empty()) text += "\n" + exact;
  if (!shelved.empty()) text += "\n" + shelved;

  // One transaction.
  CompactionOutcome outcome;
  CompactionBatch batch;
  batch.tenant = request.tenant;
  batch.session_id = request.session;
  batch.covered_through = turns.back().id;
  Essence essence;
  essence.session_id = request.session;
  essence.first_turn = turns.front().id;
  essence.last_turn = turns.back().id;
  essence.text = text;
  essence.method = method;
  essence.checked = true;
  essence.time_ms = request.now_ms;

  // Older essences make room: the oldest half becomes one.
  int used = count(text);
  for (const Essence& old : request.essences) used += count(old.text);
  if (used > request.all_essences_tokens && !request.essences.empty()) {
    int excess = used - request.all_essences_tokens;
    std::vector<Essence> merged;
    int merged_tokens = 0;
    const std::size_t half = (request.essences.size() + 1) / 2;
    for (const Essence& old : request.essences) {
      if (merged.size() >= half && merged_tokens / 2 >= excess) break;
      merged.push_back(old);
      merged_tokens += count(old.text);
    }
    const int room = std::max(std::min(merged_tokens / 2, merged_tokens - excess), 24);
    Essence above;
    above.session_id = request.session;
    above.first_turn = merged.front().first_turn;
    above.last_turn = merged.back().last_turn;
    bool same = true;
    for (const Essence& old : merged) {
      same &= old.level == merged.front().level;
      above.level = std::max(above.level, old.level);
      batch.replaced_essences.push_back(old.id);
    }
    // A level above turns' essences; joining one that is there already stays on its level.
    if (same || above.level == 0) ++above.level;
    above.text = MergeEssences(merged, room, count);
    above.method = "extractive";
    above.checked = true;
    above.time_ms = request.now_ms;
    batch.essences.push_back(std::move(above));
  }
  batch.essences.push_back(std::move(essence));

  CompactionReport& report = outcome.report;
  report.session_id = request.session;
  report.first_turn = turns.front().id;
  report.last_turn = turns.back().id;
  report.turns = static_cast<std::int64_t>(turns.size());
  report.tokens_before = request.tokens_before;
  report.tokens_after = count(text);
  report.details = static_cast<std::int64_t>(entries.size());
  report.method = method;
  report.time_ms = request.now_ms;
  std::int64_t lost = 0;
  for (const Entry& entry : entries) {
    report.kept_in_essence += entry.state == LedgerState::kKept;
    report.shelved += entry.state != LedgerState::kKept && !entry.verbatim;
    report.proved += entry.state == LedgerState::kProved;
    report.kept_in_window += entry.verbatim;
    lost += entry.state == LedgerState::kUnproved && !entry.verbatim;

    LedgerEntry row;
    row.turn_id = entry.turn->id;
    row.kind = DetailKindName(entry.detail.kind);
    row.text = entry.detail.text;
    row.begin = entry.detail.begin;
    row.end = entry.detail.end;
    row.context = entry.detail.query;
    row.state = entry.state;
    batch.ledger.push_back(std::move(row));

    const bool user = entry.turn->role == Role::kUser && entry.turn->trust >= Trust::kUser;
    if (!user || !IsStatement(entry.detail.kind)) continue;
    const bool personal = entry.detail.kind == DetailKind::kRule ||
                          entry.detail.kind == DetailKind::kAllergy || entry.detail.first_person;
    if (!personal) continue;
    Fact fact;
    fact.statement = OneLine(entry.detail.sentence);
    fact.subject = entry.detail.first_person ? SpeakerOf(*entry.turn) : SubjectOf(entry.detail);
    fact.kind = DetailKindName(entry.detail.kind);
    fact.attribute = fact.kind;
    fact.value = entry.detail.text;
    fact.sources = {entry.turn->id};
    fact.valid_from_ms = entry.turn->time_ms;
    fact.origin = Origin::kUser;
    batch.facts.push_back(std::move(fact));
    outcome.standing.emplace_back(
        fmt::format("- ({}, {}, turn {}) {}", DetailKindName(entry.detail.kind),
                    FormatDay(entry.turn->time_ms), entry.turn->id, VerbatimLine(entry)),
        entry.turn->id);
  }
  if (lost > 0) {
    logger.Log(LogLevel::kWarning, "compaction",
               fmt::format("turns {}–{}: {} details were not found again by their context and have "
                           "no room in the essence; they are in the store and in the ledger",
                           turns.front().id, turns.back().id, lost));
  }
  nlohmann::json detail;
  detail["proofs"] = proofs;
  detail["rejected_sentences"] = rejected;
  detail["unproved_without_room"] = lost;
  detail["not_tried"] = untried;
  if (!why.empty()) detail["fallback"] = why;
  detail["merged_essences"] = batch.replaced_essences.size();
  report.detail_json = detail.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  report.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                           std::chrono::steady_clock::now() - start)
                           .count();
  batch.report = report;
  if (stop.stop_requested()) return cancelled;
  LIUBAI_ASSIGN_OR_RETURN(outcome.ids, store.Commit(batch));
  outcome.report.id = outcome.ids.report;
  return outcome;
}

}  // namespace liubai::memory
