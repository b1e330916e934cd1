#include "memory/compaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <unordered_set>

#include "core/macros.h"
#include "core/text.h"
#include "memory/essence.h"
#include "memory/essence_tree.h"
#include "memory/exact_words.h"
#include "memory/facts.h"
#include "memory/facts_resolve.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger_query.h"
#include "memory/ledger_scan.h"
#include "memory/sentence.h"
#include "memory/summary_check.h"
#include "nlohmann/json.hpp"

namespace liubai::memory {
namespace {

// A block that was written meanwhile is read and edited again, this often.
constexpr int kMostBlockTries = 4;
// The model may write beyond the budget: whole sentences are taken from it, as many as fit.
constexpr int kUnfinishedTokens = 32;
constexpr std::size_t kFewestBareTerms = 3;
constexpr std::size_t kMostBareBytes = 400;

struct Entry {
  Detail detail;
  const Turn* turn = nullptr;
  LedgerState state = LedgerState::kShelved;
  bool tried = false;     // Carried by the summary, or asked for.
  bool verbatim = false;  // Kept in the essence word by word, because unproved.
  bool apart = false;     // The same in an essence behind it.
};

// The turns stand behind essences of earlier ones: a small model that is not told where they begin
// sums those up again. Asked for sentences and not for a number of words, it keeps to what was
// said.
std::string Instruction(bool chinese, const Turn& first) {
  const std::string begin = OneLine(TruncateUtf8(Trim(first.text), 60));
  if (chinese) {
    return fmt::format(
        "请总结从“{}…”开始的对话：用户说了什么、决定了什么。用两三句话，照用户的原话写，"
        "不要添加对话里没有的内容。",
        begin);
  }
  return fmt::format(
      "Summarize the conversation from \"{}…\" on. Write two or three short sentences with what "
      "the user told you, in the user's own words, with the same names, numbers and dates.",
      begin);
}

std::string Heading(const std::vector<Turn>& turns) {
  const std::string from = FormatDay(turns.front().time_ms), to = FormatDay(turns.back().time_ms);
  return fmt::format("Turns {}–{} ({}):", turns.front().id, turns.back().id,
                     from == to ? from : from + " – " + to);
}

// One compaction, step by step; each step reads what those before it left.
class Compaction {
 public:
  Compaction(Store& store, const Retriever& retriever, const CompactionRequest& request,
             const Logger& logger, std::stop_token stop)
      : store_(store),
        request_(request),
        logger_(logger),
        stop_(std::move(stop)),
        prover_(retriever, request.tenant, request.now_ms, stop_),
        budget_(std::max(request.essence_tokens, 48)),
        heading_(Heading(request.turns)),
        body_(std::max(budget_ - request.count(heading_) - 4, 24)) {}

  Result<CompactionOutcome> Run() {
    LIUBAI_RETURN_IF_ERROR(ReadLedger());
    LIUBAI_RETURN_IF_ERROR(WriteSummary());
    LIUBAI_RETURN_IF_ERROR(ProveTheRest());
    const std::string text = EssenceText();
    LIUBAI_RETURN_IF_ERROR(GrowTheTree(text));
    PutTheRestBehind();
    LIUBAI_RETURN_IF_ERROR(ProveWhatMergesDrop());
    AddLedgerAndFacts();
    AddReport(text);
    return Commit();
  }

 private:
  static Status Cancelled() { return {StatusCode::kCancelled, "compaction cancelled"}; }
  std::string Where() const {
    return fmt::format("turns {}–{}", request_.turns.front().id, request_.turns.back().id);
  }
  // Indices of the entries that `wanted` holds for, the gravest first.
  template <class Wanted>
  std::vector<std::size_t> GravestFirst(const Wanted& wanted) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (wanted(entries_[i])) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return Weight(entries_[a].detail.kind) > Weight(entries_[b].detail.kind);
    });
    return order;
  }

  // What the turn asks, the next one of the other side does not leave open.
  bool IsAnswered(const Turn& turn) const {
    for (const Turn* next = &turn + 1; next != request_.turns.data() + request_.turns.size();
         ++next) {
      if (next->role == turn.role || next->role == Role::kTool) continue;
      return !LeavesOpen(next->text);
    }
    return false;
  }

  Status ReadLedger() {
    std::string all;
    for (const Turn& turn : request_.turns) {
      all += turn.text + "\n";
      const bool answered = IsAnswered(turn);
      for (Detail& detail : ExtractDetails(turn.text)) {
        if (answered && detail.kind == DetailKind::kQuestion && IsQuestion(detail.sentence))
          continue;
        Entry entry;
        entry.detail = std::move(detail);
        entry.turn = &turn;
        entries_.push_back(std::move(entry));
      }
      if (stop_.stop_requested()) return Cancelled();
    }
    chinese_ = MostlyChinese(all);
    return {};
  }

  // What of the model's summary was said in the turns, completed by sentences of theirs.
  Status WriteSummary() {
    const int budget = static_cast<int>(body_ * request_.policy.summary_share);
    std::vector<std::string> sentences;
    if (request_.summarise) {
      auto written = request_.summarise(Instruction(chinese_, request_.turns.front()),
                                        budget + kUnfinishedTokens, stop_);
      if (!written.ok()) {
        if (stop_.stop_requested() || written.status().code() == StatusCode::kCancelled)
          return Cancelled();
        why_ = "the model failed: " + written.status().ToString();
      } else {
        for (std::string& sentence :
             CheckedSentences(*written, request_.turns, &rejected_, &wrong_)) {
          const std::string longer = summary_.empty() ? sentence : summary_ + ' ' + sentence;
          if (request_.count(longer) > budget) continue;
          summary_ = longer;
          sentences.push_back(std::move(sentence));
        }
        if (summary_.empty()) {
          why_ = rejected_.empty() ? "the model's summary is empty"
                                   : "nothing of the model's summary was said in the turns";
        }
      }
      if (wrong_ > 0) {
        logger_.Log(LogLevel::kWarning, "compaction",
                    fmt::format("{}: {} sentences of the model's summary were removed because a "
                                "detail in them is wrong; the report has them",
                                Where(), wrong_));
      }
      if (!why_.empty()) {
        logger_.Log(LogLevel::kWarning, "compaction",
                    fmt::format("{}: {}; the essence is an extract", Where(), why_));
      }
    }
    const int left = budget - request_.count(summary_) - 1;
    const std::string extract = ExtractSummary(request_.turns, sentences.empty() ? budget : left,
                                               request_.count, sentences, request_.policy);
    method_ = sentences.empty() ? "extractive" : extract.empty() ? "model" : "model+extract";
    if (!summary_.empty() && !extract.empty()) summary_ += ' ';
    summary_ = FitWords(summary_ + extract, budget, request_.count);
    return {};
  }

  // The words of a sentence without any of its values: what finds these finds each of them. Empty
  // where too few are left.
  std::string BareQuery(const Entry& entry) const {
    if (IsStatement(entry.detail.kind) || entry.detail.sentence.size() > kMostBareBytes) return {};
    std::string bare = entry.detail.sentence;
    for (const Entry& other : entries_) {
      if (other.turn != entry.turn || IsStatement(other.detail.kind)) continue;
      if (other.detail.sentence == entry.detail.sentence) bare = Without(bare, other.detail.text);
    }
    return QueryTerms(bare).size() < kFewestBareTerms ? std::string() : bare;
  }

  // What the summary does not carry must be found again.
  Status ProveTheRest() {
    const Carried summary(summary_);
    std::map<TurnId, int> searches_of_turn;
    std::map<std::pair<TurnId, std::string>, std::string> bare;  // By turn and sentence.
    for (const std::size_t i : GravestFirst([](const Entry&) { return true; })) {
      Entry& entry = entries_[i];
      entry.tried = true;
      if (summary.Has(entry.detail.text, entry.detail.sentence)) {
        entry.state = LedgerState::kKept;
        continue;
      }
      if (stop_.stop_requested()) return Cancelled();
      const Turn& turn = *entry.turn;
      if (!prover_.Knows(turn.id, entry.detail.query) &&
          (prover_.searches() >= kMostProofs || searches_of_turn[turn.id] >= kMostProofsOfTurn)) {
        entry.tried = false;
        ++untried_;
        continue;
      }
      const int before = prover_.searches();
      const auto [known, fresh] = bare.try_emplace({turn.id, entry.detail.sentence});
      if (fresh) known->second = BareQuery(entry);
      bool found = false;
      if (!known->second.empty() && !IsStatement(entry.detail.kind)) {
        LIUBAI_ASSIGN_OR_RETURN(found, prover_.IsFound(turn, known->second));
        if (found) entry.detail.query = known->second;
      }
      if (!found) {
        LIUBAI_ASSIGN_OR_RETURN(
            std::string query,
            prover_.FindingQuery(turn,
                                 entry.turn == &request_.turns.front() ? nullptr : entry.turn - 1,
                                 entry.detail.sentence, entry.detail.text, entry.detail.query));
        found = !query.empty();
        if (found) entry.detail.query = std::move(query);
      }
      searches_of_turn[turn.id] += prover_.searches() - before;
      entry.state = found ? LedgerState::kProved : LedgerState::kUnproved;
    }
    return {};
  }

  // Details that essences of the prompt carried and those that take their place in it do not: they
  // must be found again from now on. What is new but under another has no place in the prompt.
  Status ProveWhatMergesDrop() {
    std::set<std::int64_t> gone;  // -1: batch_.essences[0].
    for (const auto& [essence, by] : batch_.essence_links) {
      if (by != 0) gone.insert(essence);
    }
    std::string text;
    for (std::size_t i = 0; i < batch_.essences.size(); ++i) {
      if (!gone.contains(-1 - static_cast<std::int64_t>(i))) text += batch_.essences[i].text + "\n";
    }
    const Carried after(text);
    for (const Essence& old : request_.essences) {
      if (!gone.contains(old.id)) continue;
      const Carried before(old.text);
      LIUBAI_ASSIGN_OR_RETURN(const auto ledger,
                              store_.Ledger(old.first_turn, old.last_turn, request_.tenant));
      for (const LedgerEntry& entry : ledger) {
        if (entry.state != LedgerState::kKept && entry.state != LedgerState::kUnproved) continue;
        // An overview covers a life and carries little of it.
        if (entry.state != LedgerState::kKept && old.text.find(entry.text) == std::string::npos)
          continue;
        if (stop_.stop_requested()) return Cancelled();
        LIUBAI_ASSIGN_OR_RETURN(const auto said,
                                store_.Neighbours(entry.turn_id, 1, 0, request_.tenant));
        const Turn& turn = said.back();
        const std::string_view sentence = SentenceAt(turn.text, entry.begin);
        const bool carried = entry.state == LedgerState::kKept || before.Has(entry.text, sentence);
        if (!carried || after.Has(entry.text, sentence)) continue;
        ++dropped_;
        LIUBAI_ASSIGN_OR_RETURN(
            const std::string query,
            prover_.FindingQuery(turn, said.size() > 1 ? &said.front() : nullptr, sentence,
                                 entry.text, entry.context));
        const LedgerState state = query.empty() ? LedgerState::kUnproved : LedgerState::kProved;
        dropped_unproved_ += query.empty();
        if (state != entry.state) batch_.ledger_states.emplace_back(entry.id, state);
      }
    }
    return {};
  }

  std::string EssenceText() {
    int left = body_ - request_.count(summary_);
    std::string exact = ExactWords(left);
    // What is not found again outweighs the budget: for it the essence may be twice as long, where
    // the other essences leave room.
    if (WithoutRoom() > 0) {
      int free = request_.all_essences_tokens - budget_;
      for (const Essence& old : request_.essences) free -= request_.count(old.text);
      exact = ExactWords(left + std::clamp(free, 0, budget_));
    }
    if (!exact.empty()) left -= request_.count(exact) + 1;
    const std::string shelved = ShelvedSubjects(left);
    std::string text = heading_ + " " + summary_;
    if (!exact.empty()) text += "\n" + exact;
    if (!shelved.empty()) text += "\n" + shelved;
    return text;
  }

  std::int64_t WithoutRoom() const {
    return std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) {
      return entry.state == LedgerState::kUnproved && !entry.verbatim;
    });
  }

  // Unproved details, the gravest first, verbatim.
  std::string ExactWords(int budget) {
    std::string exact;
    std::set<std::string> lines;
    for (const std::size_t i :
         GravestFirst([](const Entry& entry) { return entry.state == LedgerState::kUnproved; })) {
      Entry& entry = entries_[i];
      if (Carried(exact).Has(entry.detail.text, entry.detail.sentence)) {
        entry.verbatim = true;
        continue;
      }
      const std::string line = VerbatimLine(entry.detail);
      if (!lines.insert(line).second) continue;
      const std::string longer =
          exact.empty() ? std::string(ExactLabel(chinese_)) + line : exact + " | " + line;
      if (request_.count(longer) > budget) continue;
      exact = longer;
      entry.verbatim = Carried(line).Has(entry.detail.text, entry.detail.sentence);
    }
    return exact;
  }

  // What was shelved, by subject.
  std::string ShelvedSubjects(int budget) const {
    std::string shelved;
    std::unordered_set<std::string> subjects;
    for (const std::size_t i : GravestFirst([](const Entry& entry) {
           return entry.state != LedgerState::kKept && !entry.verbatim;
         })) {
      const std::string subject = SubjectOf(entries_[i].detail);
      if (subject.empty() || !subjects.insert(ToLowerUtf8(subject)).second) continue;
      const std::string longer =
          shelved.empty() ? std::string(RecordLabel(chinese_)) + subject : shelved + "; " + subject;
      if (request_.count(longer) + 1 > budget) break;
      shelved = longer;
    }
    return shelved;
  }

  // The essence takes its place in the tree; older ones are merged where it is time.
  Status GrowTheTree(std::string text) {
    Essence leaf;
    leaf.session_id = request_.session;
    leaf.first_turn = request_.turns.front().id;
    leaf.last_turn = request_.turns.back().id;
    leaf.first_time_ms = request_.turns.front().time_ms;
    leaf.last_time_ms = request_.turns.back().time_ms;
    leaf.text = std::move(text);
    leaf.method = method_;
    leaf.checked = true;
    leaf.time_ms = request_.now_ms;
    std::vector<Essence> under;
    for (const Essence& essence : request_.essences) {
      if (essence.method != kOverview) continue;
      LIUBAI_ASSIGN_OR_RETURN(auto unfolded, store_.UnfoldEssence(essence.id, 0, request_.tenant));
      under = std::move(unfolded.children);
    }
    TreeShape shape;
    shape.all_tokens = request_.all_essences_tokens;
    shape.upper_tokens = budget_;
    shape.policy = request_.policy;
    TreeGrowth growth = GrowTree(request_.essences, under, std::move(leaf), shape, request_.count);
    batch_.essences = std::move(growth.essences);
    batch_.essence_links = std::move(growth.links);
    return {};
  }

  // What is not found again and has no room in the essence, then what was not asked for, word for
  // word in essences that the leaf stands for.
  void PutTheRestBehind() {
    std::vector<ExactLine> lines;
    std::vector<Entry*> entries;
    for (const bool tried : {true, false}) {
      for (const std::size_t i : GravestFirst([&](const Entry& entry) {
             return !entry.verbatim && entry.tried == tried &&
                    (!tried || entry.state == LedgerState::kUnproved);
           })) {
        entries.push_back(&entries_[i]);
        lines.push_back(ExactLineOf(entries_[i].detail, entries_[i].turn->id));
      }
    }
    const Essence leaf = batch_.essences.front();
    ExactTexts all(fmt::format("{} {}", heading_, Trim(ExactLabel(chinese_))), lines);
    for (std::string& text : all.texts) {
      Essence behind = leaf;
      behind.text = std::move(text);
      behind.method = kExact;
      batch_.essences.push_back(std::move(behind));
      batch_.essence_links.emplace_back(-static_cast<std::int64_t>(batch_.essences.size()), -1);
      ++behind_;
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      entries[i]->apart = all.placed[i];
      without_place_ += !all.placed[i];
    }
  }

  // The rules for facts wrote it with its turn.
  static bool IsFactAlready(const Entry& entry) {
    const Detail& detail = entry.detail;
    const bool allergy = detail.kind == DetailKind::kAllergy;
    if (!allergy && detail.kind != DetailKind::kPreference) return false;
    const std::string text = ToLowerUtf8(OneLine(detail.text));
    for (const Claim& claim : ExtractClaims(*entry.turn)) {
      if (FactKindOf(claim.attribute) != (allergy ? "health" : "tastes")) continue;
      const std::string value = ToLowerUtf8(OneLine(claim.value));
      if (value.empty()) continue;
      if (text.find(value) != std::string::npos || value.find(text) != std::string::npos ||
          SameValue(claim.attribute, text, value))
        return true;
    }
    return false;
  }

  void AddLedgerAndFacts() {
    for (const Entry& entry : entries_) {
      LedgerEntry row;
      row.turn_id = entry.turn->id;
      row.kind = DetailKindName(entry.detail.kind);
      row.text = entry.detail.text;
      row.begin = entry.detail.begin;
      row.end = entry.detail.end;
      row.context = entry.detail.query;
      row.state = entry.state;
      batch_.ledger.push_back(std::move(row));

      const bool user = entry.turn->role == Role::kUser && entry.turn->trust >= Trust::kUser;
      if (!user || !IsLasting(entry.detail.kind)) continue;
      if (IsStanding(entry.detail))
        outcome_.standing.push_back(StandingLine(entry.detail, *entry.turn));
      const bool personal = entry.detail.kind == DetailKind::kRule ||
                            entry.detail.kind == DetailKind::kAllergy || entry.detail.first_person;
      if (!personal || IsFactAlready(entry)) continue;
      Fact fact;
      fact.statement = OneLine(entry.detail.sentence);
      fact.subject = entry.detail.first_person ? SpeakerOf(*entry.turn) : SubjectOf(entry.detail);
      fact.kind = DetailKindName(entry.detail.kind);
      fact.attribute = fact.kind;
      fact.value = entry.detail.text;
      fact.sources = {entry.turn->id};
      fact.valid_from_ms = entry.turn->time_ms;
      fact.origin = Origin::kUser;
      batch_.facts.push_back(std::move(fact));
    }
  }

  // "number \"300\" of turn 7; …", as many as a line of the log bears.
  std::string NamesWithoutRoom() const {
    std::string names;
    for (const Entry& entry : entries_) {
      if (entry.state != LedgerState::kUnproved || entry.verbatim) continue;
      if (names.size() > 400) return names + "; …";
      names += fmt::format("{}{} \"{}\" of turn {}", names.empty() ? "" : "; ",
                           DetailKindName(entry.detail.kind), Shorten(entry.detail.text, 60),
                           entry.turn->id);
    }
    return names;
  }

  void AddReport(std::string_view text) {
    CompactionReport& report = outcome_.report;
    report.session_id = request_.session;
    report.first_turn = request_.turns.front().id;
    report.last_turn = request_.turns.back().id;
    report.turns = static_cast<std::int64_t>(request_.turns.size());
    report.tokens_before = request_.tokens_before;
    report.tokens_after = request_.count(text);
    report.details = static_cast<std::int64_t>(entries_.size());
    report.method = method_;
    report.time_ms = request_.now_ms;
    const std::int64_t lost = WithoutRoom();
    for (const Entry& entry : entries_) {
      report.kept_in_essence += entry.state == LedgerState::kKept;
      report.shelved += entry.state != LedgerState::kKept && !entry.verbatim;
      report.proved += entry.state == LedgerState::kProved;
      report.kept_in_window += entry.verbatim;
    }
    if (lost > 0) {
      logger_.Log(LogLevel::kWarning, "compaction",
                  fmt::format("{}: {} details were not found again by their context and have no "
                              "room in the essence; they stand word for word behind it: {}",
                              Where(), lost, NamesWithoutRoom()));
    }
    if (without_place_ > 0) {
      logger_.Log(
          LogLevel::kError, "compaction",
          fmt::format("{}: {} details that were not proved have no place behind the "
                      "essence: it has {} of at most {} essences of {} bytes; they are in "
                      "the store and in the ledger only",
                      Where(), without_place_, behind_, kMostExactEssences, kMostExactBytes));
    }
    if (untried_ > 0) {
      logger_.Log(LogLevel::kWarning, "compaction",
                  fmt::format("{}: {} details are shelved without proof, word for word behind the "
                              "essence: more than {} searches, or {} for one turn, are not made",
                              Where(), untried_, kMostProofs, kMostProofsOfTurn));
    }
    if (dropped_unproved_ > 0) {
      logger_.Log(LogLevel::kWarning, "compaction",
                  fmt::format("{}: merging older essences drops {} details that are not found "
                              "again by their context; they stand in the merged ones",
                              Where(), dropped_unproved_));
    }
    nlohmann::json detail;
    detail["proofs"] = prover_.searches();
    detail["dropped_by_merging"] = dropped_;
    detail["dropped_unproved"] = dropped_unproved_;
    detail["rejected_sentences"] = rejected_;
    detail["wrong_sentences"] = wrong_;
    detail["unproved_without_room"] = lost;
    if (lost > 0) detail["without_room"] = NamesWithoutRoom();
    detail["not_tried"] = untried_;
    detail["behind"] = std::count_if(entries_.begin(), entries_.end(),
                                     [](const Entry& entry) { return entry.apart; });
    detail["without_place"] = without_place_;
    if (!why_.empty()) detail["fallback"] = why_;
    detail["merged_essences"] = batch_.essences.size() - 1 - behind_;
    report.detail_json = detail.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    report.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                             std::chrono::steady_clock::now() - start_)
                             .count();
  }

  // The block `user` with the user's standing words, and the facts that they replace.
  Result<StandingEdit> EditStanding() {
    batch_.block.reset();
    batch_.closed_facts.clear();
    if (outcome_.standing.empty() || request_.standing_tokens < 0) return StandingEdit();
    Block block;
    auto old = store_.GetBlock(kUserBlock, request_.tenant);
    if (old.ok()) {
      block = std::move(*old);
    } else if (old.status().code() != StatusCode::kNotFound) {
      return old.status();
    } else {
      LIUBAI_ASSIGN_OR_RETURN(const auto history, store_.BlockHistory(kUserBlock, request_.tenant));
      block.version = history.empty() ? 0 : history.back().version;
    }
    StandingEdit edit = AddStanding(block.value, outcome_.standing, request_.standing_tokens,
                                    block.limit_bytes, request_.count);
    const bool too_long =
        block.limit_bytes > 0 && edit.value.size() > static_cast<std::size_t>(block.limit_bytes);
    if (edit.value == block.value || too_long) return StandingEdit();
    block.label = std::string(kUserBlock);
    block.value = edit.value;
    if (block.description.empty()) block.description = "What the user said that holds for good.";
    block.origin = Origin::kUser;
    for (const std::string& line : outcome_.standing) {
      if (block.value.find(line) != std::string::npos) block.sources.push_back(TurnOfLine(line));
    }
    // What was replaced or had no room is not where the block comes from any more.
    const auto leave = [&](const std::string& line) {
      const TurnId turn = TurnOfLine(line);
      if (turn > 0 && block.value.find(fmt::format(", turn {}) ", turn)) == std::string::npos)
        std::erase(block.sources, turn);
    };
    for (const auto& [line, by] : edit.replaced) leave(line);
    for (const std::string& line : edit.dropped) leave(line);
    std::sort(block.sources.begin(), block.sources.end());
    block.sources.erase(std::unique(block.sources.begin(), block.sources.end()),
                        block.sources.end());
    // Of turns that were deleted since, nothing is left to come from.
    LIUBAI_ASSIGN_OR_RETURN(const auto turns, store_.GetTurns(block.sources, request_.tenant));
    block.sources.clear();
    for (const Turn& turn : turns) block.sources.push_back(turn.id);
    std::sort(block.sources.begin(), block.sources.end());
    LIUBAI_RETURN_IF_ERROR(CloseReplacedFacts(edit));
    batch_.block = std::move(block);
    return edit;
  }

  Status CloseReplacedFacts(const StandingEdit& edit) {
    std::set<TurnId> replaced;
    for (const auto& pair : edit.replaced) {
      if (const TurnId turn = TurnOfLine(pair.line); turn > 0) replaced.insert(turn);
    }
    if (replaced.empty()) return {};
    LIUBAI_ASSIGN_OR_RETURN(const auto facts, store_.Facts(false, {}, request_.tenant));
    for (const Fact& fact : facts) {
      if (fact.sources.size() != 1 || !replaced.contains(fact.sources.front())) continue;
      const bool said = std::any_of(
          edit.replaced.begin(), edit.replaced.end(), [&](const StandingEdit::Replaced& pair) {
            return TurnOfLine(pair.line) == fact.sources.front() &&
                   pair.line.starts_with(fmt::format("- ({},", fact.kind)) &&
                   pair.line.find(Shorten(fact.statement, 60).substr(0, 60)) != std::string::npos;
          });
      if (said) batch_.closed_facts.push_back(fact.id);
    }
    return {};
  }

  // All in one transaction.
  Result<CompactionOutcome> Commit() {
    batch_.tenant = request_.tenant;
    batch_.session_id = request_.session;
    batch_.covered_through = request_.turns.back().id;
    batch_.report = outcome_.report;
    for (int tries = 1;; ++tries) {
      LIUBAI_ASSIGN_OR_RETURN(const StandingEdit edit, EditStanding());
      if (stop_.stop_requested()) return Cancelled();
      auto ids = store_.Commit(batch_);
      if (ids.status().code() == StatusCode::kFailedPrecondition && batch_.block &&
          tries < kMostBlockTries)
        continue;
      if (!ids.ok()) return ids.status();
      outcome_.ids = std::move(*ids);
      outcome_.report.id = outcome_.ids.report;
      for (const auto& [line, by] : edit.replaced) {
        logger_.Log(
            LogLevel::kInfo, "compaction",
            fmt::format("block \"{}\": \"{}\" takes the place of \"{}\"", kUserBlock, by, line));
      }
      for (const std::string& line : edit.dropped) {
        logger_.Log(LogLevel::kInfo, "compaction",
                    fmt::format("block \"{}\": no room for \"{}\"", kUserBlock, line));
      }
      outcome_.edit = edit;
      return std::move(outcome_);
    }
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Store& store_;
  const CompactionRequest& request_;
  const Logger& logger_;
  std::stop_token stop_;
  Prover prover_;
  const int budget_;           // Of the essence.
  const std::string heading_;  // Of the essence.
  const int body_;             // Its budget below the heading.

  std::vector<Entry> entries_;
  bool chinese_ = false;
  std::string summary_;
  std::string method_;
  std::string why_;  // The summary is not the model's.
  std::vector<std::string> rejected_;
  int wrong_ = 0;  // Of those, with a wrong detail.
  int untried_ = 0;
  std::size_t behind_ = 0;          // Essences of method "exact".
  std::int64_t without_place_ = 0;  // Details for which these have no room.
  int dropped_ = 0;  // Details of earlier turns that no essence of the prompt carries any more.
  int dropped_unproved_ = 0;
  CompactionBatch batch_;
  CompactionOutcome outcome_;
};

}  // namespace

Result<CompactionOutcome> CompactTurns(Store& store, const Retriever& retriever,
                                       const CompactionRequest& request, const Logger& logger,
                                       std::stop_token stop) {
  return Compaction(store, retriever, request, logger, std::move(stop)).Run();
}

}  // namespace liubai::memory
