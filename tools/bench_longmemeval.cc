// liubai bench longmemeval: are the sessions, and the turns, that hold the answer among those
// recalled? A store for each question, beside plain FTS5, grep and, with an embedder, plain vectors
// in the same run.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/cpu_features.h"
#include "core/hash.h"
#include "core/macros.h"
#include "tools/ablation.h"
#include "tools/commands.h"
#include "tools/embedder_flags.h"
#include "tools/embedding_cache.h"
#include "tools/question_groups.h"
#include "tools/recall_data.h"
#include "tools/recall_metrics.h"
#include "tools/signal_file.h"

namespace liubai::tools {
namespace {

// Half of the questions, whatever their order in the file: weights may be set on these.
bool IsForFitting(const std::string& question_id) { return Sha256Hex(question_id)[0] < '8'; }

struct System {
  std::string name;
  std::map<std::string, RecallSums> sessions, turns;  // By population.
  std::map<std::string, RecallSums> by_type;          // Sessions, without abstention.
  std::map<std::string, RecallSums> by_group;         // The same by QuestionGroup.
};

constexpr std::string_view kPlain = "BM25 of turns and sessions";

// The session of each turn, each once, in the order of their best turn.
std::vector<std::string> SessionsOf(const std::vector<std::size_t>& places,
                                    const std::vector<std::string>& session_of) {
  std::vector<std::string> sessions;
  for (const std::size_t place : places) {
    if (std::find(sessions.begin(), sessions.end(), session_of[place]) == sessions.end()) {
      sessions.push_back(session_of[place]);
    }
  }
  return sessions;
}

class BenchLongMemEval final : public Command {
  void Declare(Flags& flags) override {
    flags.Text("--data", "PATH", &data_, "folder of the data sets, or the file");
    embedder_.embedder = "none";  // Encoding a data set takes minutes to hours the first time.
    embedder_.Declare(flags);
    flags.Switch("--ablation", &ablation_, "also with one stage of recall after the other");
    signal_file_.Declare(flags);
    flags.Text("--weights", "LIST", &weights_, "other weights, such as session_turn=0.5");
    flags.Integer("--questions", "N", &most_, 1, 1 << 20, "only the first N questions");
    flags.Integer("--skip", "N", &skip_, 0, 1 << 20, "leave the first N questions out");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_ASSIGN_OR_RETURN(const std::string path,
                            DataFile(data_, "longmemeval/longmemeval_s.json.gz"));
    LIUBAI_ASSIGN_OR_RETURN(const std::string text, ReadMaybeCompressed(path));
    call.UseData(path, text);
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::string_view> elements, SplitJsonArray(text));
    RetrieverOptions options;
    LIUBAI_ASSIGN_OR_RETURN(options.weights, ParseWeights(weights_));
    LIUBAI_ASSIGN_OR_RETURN(cached_, embedder_.LoadCached(call));
    for (std::size_t i = static_cast<std::size_t>(skip_);
         i < std::min(elements.size(),
                      static_cast<std::size_t>(skip_) + static_cast<std::size_t>(most_));
         ++i) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
      LIUBAI_ASSIGN_OR_RETURN(const LongMemQuestion question, ParseLongMemQuestion(elements[i]));
      LIUBAI_RETURN_IF_ERROR(Measure(question, !IsForFitting(question.id), options, stop)
                                 .WithContext("question " + question.id));
    }
    LIUBAI_RETURN_IF_ERROR(signal_file_.Close());
    Report(call, path, Sha256Hex(text), elements.size());
    return Status();
  }

  Status Measure(const LongMemQuestion& question, bool apart, const RetrieverOptions& options,
                 std::stop_token stop) {
    LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open(folder.path()));
    std::map<TurnId, std::string> turn_names;
    std::map<SessionId, std::string> session_names;
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Retriever> words_only,
                            Retriever::Open(*store, nullptr, options));
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Retriever> plain,
                            Retriever::Open(*store, nullptr, WordsOnly(options)));
    std::unique_ptr<Retriever> hybrid;
    if (cached_) {
      LIUBAI_ASSIGN_OR_RETURN(hybrid, Retriever::Open(*store, cached_.get(), options));
    }
    VectorBaseline vectors;
    std::map<TurnId, std::size_t> place_of;
    std::vector<std::string> texts, names, session_of, evidence_sessions, evidence_turns;
    for (const LongMemSession& session : question.sessions) {
      LIUBAI_ASSIGN_OR_RETURN(const SessionId id, store->EnsureSession(session.hashed_id));
      session_names[id] = session.hashed_id;
      if (session.evidence) evidence_sessions.push_back(session.hashed_id);
      std::vector<NewTurn> turns;
      std::vector<std::string> added_names;
      for (const LongMemTurn& turn : session.turns) {
        NewTurn row;
        row.session_id = id;
        row.role = turn.user ? Role::kUser : Role::kAssistant;
        row.text = turn.text;
        row.time_ms = session.time_ms;
        turns.push_back(std::move(row));
        added_names.push_back(fmt::format("{}#{}", session.hashed_id, added_names.size()));
        if (turn.evidence) evidence_turns.push_back(added_names.back());
        texts.push_back(turn.text);
        names.push_back(added_names.back());
        session_of.push_back(session.hashed_id);
      }
      if (turns.empty()) continue;
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<TurnId> added, store->AppendTurns(turns));
      for (std::size_t i = 0; i < added.size(); ++i) {
        turn_names[added[i]] = added_names[i];
        place_of[added[i]] = names.size() - added.size() + i;
      }
      if (!cached_) continue;
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<NewEmbedding> made,
                              cached_->IndexSession(*store, *hybrid, turns, added, stop));
      vectors.Add(made);
    }
    repeated_ += question.repeated_sessions;
    RecallQuery query;
    query.text = question.text;
    query.now_ms = question.time_ms;
    query.with_irrelevant = true;
    query.limit = kDepths.back();
    const auto MeasureLiubai = [&](const std::string& name, const Retriever& retriever) -> Status {
      LIUBAI_ASSIGN_OR_RETURN(const RecallResult result, retriever.Recall(query, stop));
      latencies_[name].push_back(result.search_us);
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<SessionHit> sessions,
                              retriever.RecallSessions(query, stop));
      std::vector<std::string> ranked, ranked_sessions;
      for (const RecallHit& hit : result.hits) ranked.push_back(turn_names.at(hit.turn.id));
      for (const SessionHit& hit : sessions)
        ranked_sessions.push_back(session_names.at(hit.session_id));
      Add(Named(name), question, apart, ranked, ranked_sessions, evidence_turns, evidence_sessions);
      return Status();
    };
    if (evidence_sessions.empty()) ++without_evidence_;
    if (ablation_) {
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<AblationStage> stages,
                              OpenAblation(*store, cached_.get(), options));
      for (const AblationStage& stage : stages) {
        LIUBAI_RETURN_IF_ERROR(MeasureLiubai("stage: " + stage.name, *stage.retriever));
      }
    }
    if (signal_file_.open() && !question.abstention) {
      const Retriever& retriever = hybrid ? *hybrid : *words_only;
      const std::string group = apart ? "apart" : "fitting";
      LIUBAI_RETURN_IF_ERROR(signal_file_.Turns(
          retriever, query, {question.id, group, question.type, evidence_turns.size()},
          [&](TurnId id) {
            return std::ranges::find(evidence_turns, turn_names.at(id)) != evidence_turns.end();
          }));
      LIUBAI_RETURN_IF_ERROR(signal_file_.Sessions(
          retriever, query, {question.id, group, question.type, evidence_sessions.size()},
          [&](SessionId id) {
            return std::ranges::find(evidence_sessions, session_names.at(id)) !=
                   evidence_sessions.end();
          }));
    }
    if (hybrid) {
      LIUBAI_RETURN_IF_ERROR(MeasureLiubai("liubai", *hybrid));
      LIUBAI_ASSIGN_OR_RETURN(const QuestionVectors asked, hybrid->EmbedQuestion(query, stop));
      std::vector<std::size_t> nearest;
      for (const std::int64_t id : vectors.Search(asked.pooled, texts.size()))
        nearest.push_back(place_of.at(id));
      Add(Named("vectors"), question, apart, Names(nearest, names), SessionsOf(nearest, session_of),
          evidence_turns, evidence_sessions);
    }
    LIUBAI_RETURN_IF_ERROR(MeasureLiubai("liubai (words)", *words_only));
    LIUBAI_RETURN_IF_ERROR(MeasureLiubai(std::string(kPlain), *plain));
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<FtsBaseline> fts, FtsBaseline::Open(texts));
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::size_t> words,
                            fts->Search(question.text, static_cast<int>(texts.size())));
    Add(Named("fts5 porter, OR"), question, apart, Names(words, names),
        SessionsOf(words, session_of), evidence_turns, evidence_sessions);
    const std::vector<std::size_t> grep =
        GrepSearch(texts, question.text, static_cast<int>(texts.size()));
    Add(Named("grep"), question, apart, Names(grep, names), SessionsOf(grep, session_of),
        evidence_turns, evidence_sessions);
    return Status();
  }

  System& Named(const std::string& name) { return NamedSystem(systems_, name); }

  void Add(System& system, const LongMemQuestion& question, bool apart,
           const std::vector<std::string>& turns, const std::vector<std::string>& sessions,
           const std::vector<std::string>& evidence_turns,
           const std::vector<std::string>& evidence_sessions) {
    if (evidence_sessions.empty()) return;
    std::vector<std::string> populations = {"all"};
    if (!question.abstention) {
      populations.push_back("without_abs");
      if (apart) populations.push_back("without_abs_and_fitting");
      if (question.evidence_in_user_turn) populations.push_back("strict");
      system.by_type[question.type].Add(sessions, evidence_sessions);
      const std::string_view group = QuestionGroup(question.text, question.type, question.time_ms);
      system.by_group[std::string(group)].Add(sessions, evidence_sessions);
    }
    for (const std::string& population : populations) {
      system.sessions[population].Add(sessions, evidence_sessions);
      if (!evidence_turns.empty()) system.turns[population].Add(turns, evidence_turns);
    }
  }

  void Report(Invocation& call, const std::string& path, const std::string& sha256,
              std::size_t in_file) {
    nlohmann::json systems = nlohmann::json::array();
    for (const System& system : systems_) {
      nlohmann::json sessions = nlohmann::json::object(), turns = sessions, types = sessions;
      for (const auto& [name, sums] : system.sessions) sessions[name] = sums.ToJson(true);
      for (const auto& [name, sums] : system.turns) turns[name] = sums.ToJson(true);
      for (const auto& [name, sums] : system.by_type) types[name] = sums.ToJson(true);
      systems.push_back({{"name", system.name},
                         {"sessions", sessions},
                         {"turns", turns},
                         {"sessions_by_type", types}});
    }
    const std::string full = cached_ ? "liubai" : "liubai (words)";
    const nlohmann::json kinds = Kinds(full);
    if (call.Report(
            {{"bench", "longmemeval"},
             {"data", {{"file", path}, {"sha256_unpacked", sha256}}},
             {"questions_in_file", in_file},
             {"excluded", {{"without_evidence_session", without_evidence_}}},
             {"repeated_sessions_stored_once", repeated_},
             {"populations",
              {{"all", "every question"},
               {"without_abs", "without abstention"},
               {"strict", "without abstention and without evidence in assistant turns only"},
               {"without_abs_and_fitting",
                "without abstention and without the half on which weights were set: questions "
                "of which the SHA-256 of the id begins with 0..7"}}},
             {"interval", "Wilson, 95 %"},
             {"embedder", cached_ ? cached_->Describe() : nlohmann::json()},
             {"threads", 1},
             {"isa", CpuIsaName(BestCpuIsa())},
             {"search_ms", LatenciesJson(latencies_)},
             {"kinds", kinds},
             {"systems", systems}})) {
      return;
    }
    Table table(
        {"system", "unit, population", "any@1", "any@5", "all@5", "all@10", "fraction@10", "n"});
    for (const System& system : systems_) {
      const auto Row = [&](const std::string& what, const RecallSums& sums) {
        const nlohmann::json j = sums.ToJson(true);
        std::vector<std::string> row = {system.name, what};
        for (const char* key : {"any@1", "any@5", "all@5", "all@10", "fraction@10"}) {
          row.push_back(fmt::format("{:.1f}", j[key]["value"].get<double>()));
        }
        row.push_back(std::to_string(sums.count()));
        table.Add(std::move(row));
      };
      for (const auto& [name, sums] : system.sessions) Row("sessions, " + name, sums);
      for (const auto& [name, sums] : system.by_type) Row("sessions, " + name, sums);
      for (const auto& [name, sums] : system.turns) Row("turns, " + name, sums);
    }
    table.Print(call);
    Table by_kind({"kind of question", "n", "all@5, BM25", "all@5, " + full, "all@10, BM25",
                   "all@10, " + full});
    for (const nlohmann::json& row : kinds) {
      std::vector<std::string> cells = {row["kind"], std::to_string(row["n"].get<int>())};
      for (const char* key : {"all@5", "all@10"}) {
        for (const char* side : {"before", "after"}) {
          const nlohmann::json& figure = row[side][key];
          cells.push_back(fmt::format("{:.1f} ({:.0f}–{:.0f})", figure["value"].get<double>(),
                                      figure["low"].get<double>(), figure["high"].get<double>()));
        }
      }
      by_kind.Add(std::move(cells));
    }
    by_kind.Print(call);
    if (!cached_) call.Note("Words only: --embedder NAME adds meaning.");
  }

  // Sessions found of each kind of question, by BM25 alone and by all stages.
  nlohmann::json Kinds(const std::string& full) {
    nlohmann::json kinds = nlohmann::json::array();
    for (const std::string_view group : kQuestionGroups) {
      const RecallSums& before = Named(std::string(kPlain)).by_group[std::string(group)];
      const RecallSums& after = Named(full).by_group[std::string(group)];
      if (before.count() == 0) continue;
      kinds.push_back({{"kind", group},
                       {"n", before.count()},
                       {"before", before.ToJson(true)},
                       {"after", after.ToJson(true)}});
    }
    return kinds;
  }

  std::string data_;
  std::string weights_;
  bool ablation_ = false;
  SignalFile signal_file_;
  int most_ = 1 << 20;
  int skip_ = 0;
  EmbedderFlags embedder_;
  std::unique_ptr<CachedEmbedder> cached_;
  std::vector<System> systems_;
  std::map<std::string, std::vector<std::int64_t>> latencies_;
  std::int64_t repeated_ = 0;
  std::int64_t without_evidence_ = 0;
};

}  // namespace

std::unique_ptr<Command> MakeBenchLongMemEval() { return std::make_unique<BenchLongMemEval>(); }

}  // namespace liubai::tools
