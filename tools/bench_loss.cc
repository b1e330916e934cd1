// liubai bench loss: what becomes of exact details when their turns leave the window.
//
// Conversations whose details are known run through the agent until all but the last turns are
// compacted. Then each detail is in one of five places, the first that holds:
//   in the prompt  its value stands in what the next message's prompt begins with (blocks,
//   essences,
//                  window), in a line that shares a word with the sentence in which it was said
//   proved         the ledger has it as proved, and its query or a wider one (memory/proof.h),
//   which
//                  do not hold the value, still bring the turn back among the first 5
//   found          what a person would ask, or else its sentence without the value, brings the turn
//                  back among the first 5, though no proof says so
//   reported       none of these, but the ledger has it as unproved or not tried: the compaction's
//                  report counts it and the log warns, or the log warned when its proof was tried
//                  again in idle time and no longer held
//   lost           none of these: lost in silence
// The details come from a generated life (tools/life_generator.h) with questions of its own, and
// from sessions of LongMemEval, found by tools/exact_details.h, which have their sentence alone.
// Baselines have only their prompt: what is not in it is lost.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <unordered_set>

#include "core/macros.h"
#include "memory/fts_tokenizer.h"
#include "memory/proof.h"
#include "tools/commands.h"
#include "tools/exact_details.h"
#include "tools/life_bench.h"
#include "tools/recall_data.h"

namespace liubai::tools {
namespace {

enum class Fate : std::uint8_t { kInPrompt, kProved, kFound, kReported, kLost };
constexpr std::array<std::string_view, 5> kFates = {"in_prompt", "proved", "found", "reported",
                                                    "lost"};
constexpr std::array<std::string_view, 4> kStates = {"kept", "shelved", "proved", "unproved"};
constexpr std::string_view kOurs = "liubai";
constexpr std::size_t kMostShown = 20;

struct KnownDetail {
  std::string kind;
  std::string value;
  std::string sentence;            // In which it stands.
  std::string question;            // A person's, or empty.
  std::string context;             // The sentence without the value.
  std::vector<std::size_t> turns;  // Places in the conversation; the first is where it was said.
};

struct Conversation {
  std::string source;  // "life" or "longmemeval"
  std::vector<std::vector<KnownTurn>> sittings;
  std::vector<KnownDetail> details;
  std::int64_t end_ms = 0;
};

struct Counts {
  std::array<std::int64_t, 5> of{};
  std::int64_t n = 0;
  void Add(Fate fate) {
    ++of[static_cast<std::size_t>(fate)];
    ++n;
  }
  Share ShareOf(Fate fate) const { return {of[static_cast<std::size_t>(fate)], n}; }
  nlohmann::json ToJson() const {
    nlohmann::json out = {{"n", n}};
    for (std::size_t i = 0; i < kFates.size(); ++i) {
      out[std::string(kFates[i])] = ShareOf(static_cast<Fate>(i)).ToJson();
    }
    return out;
  }
};

// A prompt, line by line.
class PromptLines {
 public:
  explicit PromptLines(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (end > at) {
        const std::string line(text.substr(at, end - at));
        lines_.push_back({line, memory::TermSet(line)});
      }
      at = end + 1;
    }
  }
  bool Holds(const KnownDetail& detail) const {
    std::string around = detail.sentence;
    for (std::size_t at; (at = around.find(detail.value)) != std::string::npos;) {
      around.replace(at, detail.value.size(), 1, ' ');
    }
    const std::vector<std::string> terms = memory::QueryTerms(around);
    return std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) {
      const bool about =
          terms.empty() || std::any_of(terms.begin(), terms.end(), [&](const std::string& term) {
            return line.terms.contains(term);
          });
      return about && HoldsValue(line.text, detail.value);
    });
  }

 private:
  struct Line {
    std::string text;
    std::unordered_set<std::string> terms;
  };
  std::vector<Line> lines_;
};

class BenchLoss final : public Command {
 public:
  BenchLoss() { flags_.sessions = 60; }

 private:
  void Declare(Flags& flags) override {
    flags_.Declare(flags);
    flags.Text("--data", "PATH", &data_, "folder of the data sets: LongMemEval's sessions too");
    flags.Integer("--questions", "N", &questions_, 0, 1 << 20,
                  "LongMemEval questions whose sessions are one conversation each");
    flags.Integer("--skip", "N", &skip_, 0, 1 << 20, "leave the first N questions out");
    flags.Integer("--details", "N", &most_details_, 10, 1 << 20,
                  "details of one conversation that are looked for, drawn by the seed; lost in "
                  "silence is what is not in the prompt, not proved, not found by a question and "
                  "not reported as unproved");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_ASSIGN_OR_RETURN(models_, LifeBenchModels::Load(call, flags_));
    Progress progress = call.MakeProgress();
    progress_ = &progress;
    LIUBAI_ASSIGN_OR_RETURN(const Life life, GenerateLife(flags_.Life()));
    call.UseData(LifeName(flags_), LifeText(life));
    Conversation lived = Of(life);
    LIUBAI_RETURN_IF_ERROR(Measure(std::move(lived), stop));
    if (data_.empty()) {
      call.Note("The generated life alone: --data PATH adds LongMemEval's sessions.");
    } else if (questions_ > 0) {
      LIUBAI_RETURN_IF_ERROR(MeasureLongMemEval(call, stop));
    }
    progress.Clear();
    Report(call);
    return Status();
  }

  static Conversation Of(const Life& life) {
    Conversation conversation;
    conversation.source = "life";
    conversation.end_ms = life.end_ms;
    conversation.sittings.resize(static_cast<std::size_t>(life.sessions));
    for (const LifeTurn& turn : life.turns) {
      conversation.sittings[static_cast<std::size_t>(turn.session - 1)].push_back(
          {turn.user, turn.text, turn.time_ms});
    }
    for (const LifeDetail& detail : life.details) {
      const ExactDetail exact =
          DetailAt(life.turns[detail.turns.front()].text, detail.kind, detail.value);
      conversation.details.push_back({detail.kind, detail.value, exact.sentence, detail.question,
                                      exact.question, detail.turns});
    }
    return conversation;
  }

  static Conversation Of(const LongMemQuestion& question) {
    Conversation conversation;
    conversation.source = "longmemeval";
    std::size_t place = 0;
    for (const LongMemSession& session : question.sessions) {
      std::vector<KnownTurn> sitting;
      for (const LongMemTurn& turn : session.turns) {
        if (turn.text.empty()) continue;
        sitting.push_back({turn.user, turn.text, session.time_ms});
        for (ExactDetail& detail : FindExactDetails(turn.text)) {
          conversation.details.push_back({std::move(detail.kind),
                                          std::move(detail.value),
                                          std::move(detail.sentence),
                                          {},
                                          std::move(detail.question),
                                          {place}});
        }
        ++place;
      }
      if (!sitting.empty()) conversation.sittings.push_back(std::move(sitting));
      conversation.end_ms = std::max(conversation.end_ms, session.time_ms);
    }
    return conversation;
  }

  Status MeasureLongMemEval(Invocation& call, std::stop_token stop) {
    LIUBAI_ASSIGN_OR_RETURN(const std::string path,
                            DataFile(data_, "longmemeval/longmemeval_s.json.gz"));
    LIUBAI_ASSIGN_OR_RETURN(const std::string text, ReadMaybeCompressed(path));
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::string_view> elements, SplitJsonArray(text));
    call.UseData(path, text);
    const auto begin = static_cast<std::size_t>(skip_);
    const std::size_t end = std::min(elements.size(), begin + static_cast<std::size_t>(questions_));
    for (std::size_t i = begin; i < end; ++i) {
      LIUBAI_ASSIGN_OR_RETURN(const LongMemQuestion question, ParseLongMemQuestion(elements[i]));
      LIUBAI_RETURN_IF_ERROR(Measure(Of(question), stop).WithContext("question " + question.id));
    }
    return Status();
  }

  // A sample, in order.
  void Draw(std::vector<KnownDetail>* details) {
    details_known_ += static_cast<std::int64_t>(details->size());
    const std::size_t all = details->size();
    std::size_t need = std::min(all, static_cast<std::size_t>(most_details_));
    std::mt19937_64 random(static_cast<std::uint64_t>(flags_.seed));
    std::vector<KnownDetail> kept;
    for (std::size_t i = 0; i < all; ++i) {
      if (random() % (all - i) >= need) continue;
      kept.push_back(std::move((*details)[i]));
      --need;
    }
    *details = std::move(kept);
  }

  Status Measure(Conversation conversation, std::stop_token stop) {
    Draw(&conversation.details);
    LIUBAI_ASSIGN_OR_RETURN(
        const auto memory,
        LivedMemory::Open(*models_.replay, models_.embedder.get(), models_.lived));
    LIUBAI_ASSIGN_OR_RETURN(const WindowInfo window, memory->agent().Window());
    std::vector<ContextBaseline> baselines = MakeBaselines(models_, PromptTokens(window));
    std::uint64_t done = 0;
    for (const std::vector<KnownTurn>& sitting : conversation.sittings) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
      LIUBAI_RETURN_IF_ERROR(memory->Append(sitting));
      for (const KnownTurn& known : sitting) {
        Turn turn;
        turn.role = known.user ? Role::kUser : Role::kAssistant;
        turn.text = known.text;
        turn.time_ms = known.time_ms;
        for (ContextBaseline& baseline : baselines) {
          LIUBAI_RETURN_IF_ERROR(baseline.Add(turn, stop));
        }
      }
      progress_->Update(conversation.source + ": sittings", ++done, conversation.sittings.size());
    }
    turns_ += static_cast<std::int64_t>(memory->turn_ids().size());
    ++conversations_;
    LIUBAI_RETURN_IF_ERROR(CountReports(*memory));
    // The night after the last day.
    LIUBAI_RETURN_IF_ERROR(memory->agent().ProveAgain());
    const IdleStatus idle = memory->agent().idle_status();
    ledger_["proofs_tried_again"] += idle.proofs_tried_again;
    ledger_["proofs_gone"] += idle.proofs_gone;

    LIUBAI_ASSIGN_OR_RETURN(const std::string text, memory->PromptText());
    const PromptLines ours(text);
    for (const KnownDetail& detail : conversation.details) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
      LIUBAI_ASSIGN_OR_RETURN(const Fate fate, FateOf(*memory, detail, ours, conversation, stop));
      Note(conversation.source, std::string(kOurs), detail, fate);
    }
    for (const ContextBaseline& baseline : baselines) {
      const PromptLines lines(baseline.Text());
      for (const KnownDetail& detail : conversation.details) {
        Note(conversation.source, std::string(BaselineName(baseline.kind())), detail,
             lines.Holds(detail) ? Fate::kInPrompt : Fate::kLost);
      }
    }
    return Status();
  }

  void Note(const std::string& source, const std::string& system, const KnownDetail& detail,
            Fate fate) {
    counts_[source][system].Add(fate);
    counts_["all"][system].Add(fate);
    if (system == kOurs) by_kind_[detail.kind].Add(fate);
  }

  Status CountReports(LivedMemory& memory) {
    LIUBAI_ASSIGN_OR_RETURN(const auto reports, memory.store().Reports(memory.agent().session()));
    for (const CompactionReport& report : reports) {
      ++compactions_;
      ledger_["details"] += report.details;
      ledger_["kept_in_essence"] += report.kept_in_essence;
      ledger_["proved"] += report.proved;
      ledger_["kept_verbatim"] += report.kept_in_window;
      compaction_ms_ += report.duration_ms;
      const auto more = nlohmann::json::parse(report.detail_json, nullptr, false);
      if (!more.is_object()) continue;
      for (const char* key : {"proofs", "unproved_without_room", "not_tried", "dropped_by_merging",
                              "dropped_unproved"}) {
        ledger_[key] += more.value(key, std::int64_t{0});
      }
    }
    return Status();
  }

  Result<bool> Brings(const LivedMemory& memory, const std::string& query,
                      const KnownDetail& detail, std::int64_t now_ms, std::stop_token stop) const {
    RecallQuery asked;
    asked.text = query;
    asked.limit = memory::kProofDepth;
    asked.now_ms = now_ms;
    LIUBAI_ASSIGN_OR_RETURN(const RecallResult found, memory.retriever().Recall(asked, stop));
    return std::any_of(found.hits.begin(), found.hits.end(), [&](const RecallHit& hit) {
      // The same words in another turn answer as well.
      return hit.turn.text.find(detail.sentence) != std::string::npos ||
             std::any_of(detail.turns.begin(), detail.turns.end(),
                         [&](std::size_t turn) { return hit.turn.id == memory.turn_ids()[turn]; });
    });
  }

  Result<Fate> FateOf(LivedMemory& memory, const KnownDetail& detail, const PromptLines& prompt,
                      const Conversation& conversation, std::stop_token stop) {
    if (prompt.Holds(detail)) return Fate::kInPrompt;
    const TurnId turn = memory.turn_ids()[detail.turns.front()];
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<LedgerEntry> ledger,
                            memory.store().Ledger(turn, turn));
    LIUBAI_ASSIGN_OR_RETURN(const Turn stored, memory.store().GetTurn(turn));
    // Where in the turn the value stands: in its sentence.
    const std::size_t sentence = stored.text.find(detail.sentence);
    const std::size_t begin =
        stored.text.find(detail.value, sentence == std::string::npos ? 0 : sentence);
    const std::size_t end = begin + detail.value.size();
    LIUBAI_ASSIGN_OR_RETURN(const auto near, memory.store().Neighbours(turn, 1, 0));
    const Turn* before = near.size() > 1 ? &near.front() : nullptr;
    memory::Prover prover(memory.retriever(), kDefaultTenant, conversation.end_ms, stop);
    bool proved = false, stale = false, told = false;
    std::string states;
    for (const LedgerEntry& entry : ledger) {
      if (entry.end <= begin || entry.begin >= end) continue;
      states += fmt::format("{}{} {}", states.empty() ? "" : ", ", entry.kind,
                            kStates[static_cast<std::size_t>(entry.state)]);
      told |= entry.state == LedgerState::kUnproved || entry.state == LedgerState::kShelved;
      if (entry.state != LedgerState::kProved || proved) continue;
      LIUBAI_ASSIGN_OR_RETURN(
          const std::string query,
          prover.FindingQuery(stored, before, detail.sentence, detail.value, entry.context));
      (query.empty() ? stale : proved) = true;
    }
    if (stale && !proved) ++stale_;
    if (states.empty()) ++not_in_ledger_;
    if (proved) return Fate::kProved;
    for (const std::string* question : {&detail.question, &detail.context}) {
      if (question->empty()) continue;
      LIUBAI_ASSIGN_OR_RETURN(const bool found,
                              Brings(memory, *question, detail, conversation.end_ms, stop));
      if (!found) continue;
      found_by_sentence_ += question == &detail.context;
      return Fate::kFound;
    }
    const Fate fate = told ? Fate::kReported : Fate::kLost;
    if (lost_.size() < kMostShown) {
      lost_.push_back({{"fate", kFates[static_cast<std::size_t>(fate)]},
                       {"source", conversation.source},
                       {"turn", turn},
                       {"kind", detail.kind},
                       {"value", detail.value},
                       {"question", detail.question.empty() ? detail.context : detail.question},
                       {"ledger", states}});
    }
    return fate;
  }

  void Report(Invocation& call) {
    using nlohmann::json;
    json systems = json::object(), kinds = json::object();
    for (const auto& [source, by_system] : counts_) {
      for (const auto& [system, counts] : by_system) systems[source][system] = counts.ToJson();
    }
    for (const auto& [kind, counts] : by_kind_) kinds[kind] = counts.ToJson();
    json report = {
        {"bench", "loss"},
        {"interval", "Wilson, 95 %"},
        {"fates",
         {{"in_prompt", "its value stands in the prompt, in a line about the same"},
          {"proved", "the ledger's query without the value brings the turn among the first 5"},
          {"found",
           "a person's question, or its sentence without the value, brings the turn among the "
           "first 5"},
          {"reported", "none of these; the ledger and the report have it as not proved"},
          {"lost", "none of these"}}},
        {"conversations", conversations_},
        {"turns", turns_},
        {"details_known", details_known_},
        {"compactions", compactions_},
        {"compaction_ms", compaction_ms_},
        {"ledger", ledger_},
        {"proofs_that_no_longer_hold", stale_},
        {"not_in_ledger", not_in_ledger_},
        {"found_by_the_sentence_only", found_by_sentence_},
        {"systems", systems},
        {"by_kind", kinds},
        {"not_found", lost_}};
    report.update(models_.Describe());
    if (call.Report(std::move(report))) return;
    Table table({"conversations", "system", "n", "in prompt %", "proved %", "found %", "reported %",
                 "lost in silence %"});
    for (const auto& [source, by_system] : counts_) {
      if (source == "all" && counts_.size() == 2) continue;
      std::vector<std::string> systems = {std::string(kOurs)};
      for (const BaselineKind kind : kBaselines) systems.emplace_back(BaselineName(kind));
      for (const std::string& system : systems) {
        const Counts& counts = by_system.at(system);
        std::vector<std::string> row = {source, system, std::to_string(counts.n)};
        for (std::size_t i = 0; i < kFates.size(); ++i) {
          row.push_back(counts.ShareOf(static_cast<Fate>(i)).Text());
        }
        table.Add(std::move(row));
      }
    }
    table.Print(call);
    call.Print(fmt::format(
        "  {} conversations, {} turns, {} details known; {} compactions: {} ledger entries, {} in "
        "essences, {} proved by {} queries, {} verbatim, {} unproved without room, {} not tried\n"
        "  {} of the details are not in the ledger; {} were found by their sentence only; {} "
        "proofs "
        "no longer hold; {} details left the essences, {} of them not found again; at the end {} "
        "proofs "
        "were tried again, {} of them gone and told\n",
        conversations_, turns_, details_known_, compactions_, ledger_["details"],
        ledger_["kept_in_essence"], ledger_["proved"], ledger_["proofs"], ledger_["kept_verbatim"],
        ledger_["unproved_without_room"], ledger_["not_tried"], not_in_ledger_, found_by_sentence_,
        stale_, ledger_["dropped_by_merging"], ledger_["dropped_unproved"],
        ledger_["proofs_tried_again"], ledger_["proofs_gone"]));
    for (const json& one : lost_) {
      call.Print(fmt::format("  {}: turn {} \"{}\" ({}): {}\n", one["fate"].get<std::string>(),
                             one["turn"].get<std::int64_t>(), one["value"].get<std::string>(),
                             one["kind"].get<std::string>(), one["question"].get<std::string>()));
    }
  }

  LifeBenchFlags flags_;
  std::string data_;
  int questions_ = 2;
  int skip_ = 0;
  int most_details_ = 500;
  LifeBenchModels models_;
  Progress* progress_ = nullptr;                                 // During a run.
  std::map<std::string, std::map<std::string, Counts>> counts_;  // By source, by system.
  std::map<std::string, Counts> by_kind_;
  std::map<std::string, std::int64_t> ledger_;
  nlohmann::json lost_ = nlohmann::json::array();
  std::int64_t conversations_ = 0, turns_ = 0, details_known_ = 0, compactions_ = 0;
  std::int64_t compaction_ms_ = 0, stale_ = 0, not_in_ledger_ = 0;
  std::int64_t found_by_sentence_ = 0;
};

}  // namespace

std::unique_ptr<Command> MakeBenchLoss() { return std::make_unique<BenchLoss>(); }

}  // namespace liubai::tools
