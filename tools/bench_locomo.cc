// liubai bench locomo: are the turns that hold the answer among those recalled? LoCoMo's
// conversations, beside plain FTS5, grep and, with an embedder, plain vectors in the same run.
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
#include "tools/recall_data.h"
#include "tools/recall_metrics.h"
#include "tools/signal_file.h"

namespace liubai::tools {
namespace {

// Weights may be fitted on these: figures are given with and without them.
bool IsForFitting(const LocomoConversation& conversation) {
  return conversation.sample_id == "conv-26" || conversation.sample_id == "conv-30";
}

struct System {
  std::string name;
  RecallSums raw, corrected,
      apart;  // apart: corrected labels not used, conversations for fitting left out.
  std::map<int, RecallSums> by_category, by_category_corrected;
};

class BenchLocomo final : public Command {
  void Declare(Flags& flags) override {
    flags.Text("--data", "PATH", &data_, "folder of the data sets, or locomo.json");
    embedder_.embedder = "none";  // Encoding a data set takes minutes to hours the first time.
    embedder_.Declare(flags);
    flags.Switch("--ablation", &ablation_, "also with one stage of recall after the other");
    signal_file_.Declare(flags);
    flags.Text("--weights", "LIST", &weights_, "other weights, such as words=0.5,speaker=0.3");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_ASSIGN_OR_RETURN(const std::string path, DataFile(data_, "locomo/locomo.json"));
    LIUBAI_ASSIGN_OR_RETURN(const std::string text, ReadMaybeCompressed(path));
    std::string corrections;
    const std::string audit = path.substr(0, path.find_last_of('/') + 1) + "audit_errors.json";
    if (Result<std::string> read = ReadMaybeCompressed(audit); read.ok()) {
      corrections = std::move(*read);
    } else {
      call.Warn("no corrections of the labels: " + read.status().message());
    }
    LIUBAI_ASSIGN_OR_RETURN(const LocomoData data, ParseLocomo(text, corrections));
    RetrieverOptions options;
    LIUBAI_ASSIGN_OR_RETURN(options.weights, ParseWeights(weights_));
    LIUBAI_ASSIGN_OR_RETURN(cached_, embedder_.LoadCached(call));
    all_ = &data.conversations;
    for (const LocomoConversation& conversation : data.conversations) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
      LIUBAI_RETURN_IF_ERROR(
          Measure(conversation, options, stop).WithContext(conversation.sample_id));
    }
    LIUBAI_RETURN_IF_ERROR(signal_file_.Close());
    Report(call, path, text, data);
    return Status();
  }

  Status Measure(const LocomoConversation& conversation, const RetrieverOptions& options,
                 std::stop_token stop) {
    LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open(folder.path()));
    std::map<TurnId, std::string> dialog_ids;
    std::vector<std::string> texts, ids;  // For the baselines, in order.
    std::int64_t last_ms = 0;
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Retriever> words_only,
                            Retriever::Open(*store, nullptr, options));
    std::unique_ptr<Retriever> hybrid;
    if (cached_) {
      LIUBAI_ASSIGN_OR_RETURN(hybrid, Retriever::Open(*store, cached_.get(), options));
    }
    VectorBaseline vectors;
    for (const LocomoSession& session : conversation.sessions) {
      LIUBAI_ASSIGN_OR_RETURN(const SessionId id,
                              store->EnsureSession(fmt::format("{}", session.number)));
      std::vector<NewTurn> turns;
      for (const LocomoTurn& turn : session.turns) {
        NewTurn row;
        row.session_id = id;
        row.speaker = turn.speaker;
        row.text = turn.text;
        row.time_ms = session.time_ms;
        turns.push_back(std::move(row));
        texts.push_back(turn.speaker + ": " + turn.text);
        ids.push_back(turn.dia_id);
      }
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<TurnId> added, store->AppendTurns(turns));
      for (std::size_t i = 0; i < added.size(); ++i) dialog_ids[added[i]] = session.turns[i].dia_id;
      last_ms = std::max(last_ms, session.time_ms);
      if (!cached_) continue;
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<NewEmbedding> made,
                              cached_->IndexSession(*store, *hybrid, turns, added, stop));
      vectors.Add(made);
    }
    std::vector<AblationStage> stages;
    if (ablation_) {
      LIUBAI_ASSIGN_OR_RETURN(stages, OpenAblation(*store, cached_.get(), options));
    }
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<FtsBaseline> fts, FtsBaseline::Open(texts));
    LIUBAI_RETURN_IF_ERROR(AskForeign(hybrid ? *hybrid : *words_only, conversation, last_ms));
    for (const LocomoQuestion& question : conversation.questions) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
      if (question.evidence.empty() && question.corrected.empty()) continue;
      RecallQuery query;
      query.text = question.text;
      query.limit = kDepths.back();
      query.now_ms = last_ms;
      query.with_irrelevant = true;
      for (const AblationStage& stage : stages) {
        LIUBAI_RETURN_IF_ERROR(MeasureLiubai("stage: " + stage.name, *stage.retriever, query,
                                             conversation, question, dialog_ids));
      }
      if (signal_file_.open() && !question.evidence.empty()) {
        LIUBAI_RETURN_IF_ERROR(
            signal_file_.Turns(hybrid ? *hybrid : *words_only, query,
                               {question.id, conversation.sample_id,
                                std::to_string(question.category), question.evidence.size()},
                               [&](TurnId id) {
                                 return std::ranges::find(question.evidence, dialog_ids.at(id)) !=
                                        question.evidence.end();
                               }));
      }
      if (hybrid) {
        LIUBAI_RETURN_IF_ERROR(
            MeasureLiubai("liubai", *hybrid, query, conversation, question, dialog_ids));
        LIUBAI_ASSIGN_OR_RETURN(const QuestionVectors asked, hybrid->EmbedQuestion(query, stop));
        std::vector<std::string> ranked;
        for (const std::int64_t id : vectors.Search(asked.pooled, kDepths.back()))
          ranked.push_back(dialog_ids.at(id));
        Add(Named("vectors"), conversation, question, ranked);
      }
      LIUBAI_RETURN_IF_ERROR(
          MeasureLiubai("liubai (words)", *words_only, query, conversation, question, dialog_ids));
      CountFloor(hybrid ? *hybrid : *words_only, query, conversation.sample_id, question,
                 dialog_ids);
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::size_t> words,
                              fts->Search(question.text, kDepths.back()));
      Add(Named("fts5 porter, OR"), conversation, question, Names(words, ids));
      Add(Named("grep"), conversation, question,
          Names(GrepSearch(texts, question.text, kDepths.back()), ids));
    }
    return Status();
  }

  Status MeasureLiubai(const std::string& name, const Retriever& retriever,
                       const RecallQuery& query, const LocomoConversation& conversation,
                       const LocomoQuestion& question,
                       const std::map<TurnId, std::string>& dialog_ids) {
    LIUBAI_ASSIGN_OR_RETURN(const RecallResult result, retriever.Recall(query));
    latencies_[name].push_back(result.search_us);
    std::vector<std::string> ranked;
    for (const RecallHit& hit : result.hits) ranked.push_back(dialog_ids.at(hit.turn.id));
    Add(Named(name), conversation, question, ranked);
    return Status();
  }

  System& Named(const std::string& name) { return NamedSystem(systems_, name); }

  // Does the relevance floor drop evidence that would have been in the first ten?
  void CountFloor(const Retriever& retriever, RecallQuery query, const std::string& group,
                  const LocomoQuestion& question, const std::map<TurnId, std::string>& dialog_ids) {
    query.limit = 10;
    const Result<RecallResult> all = retriever.Recall(query);
    query.with_irrelevant = false;
    const Result<RecallResult> kept = retriever.Recall(query);
    if (!all.ok() || !kept.ok()) return;
    if (signal_file_.open() && !question.evidence.empty()) {
      signal_file_.Relevance(*all, {question.id, group, "own", 1}, [&](TurnId id) {
        return std::ranges::find(question.evidence, dialog_ids.at(id)) != question.evidence.end();
      });
    }
    const auto Count = [&](const RecallResult& result) {
      std::int64_t count = 0;
      for (const RecallHit& hit : result.hits) {
        count += std::count(question.evidence.begin(), question.evidence.end(),
                            dialog_ids.at(hit.turn.id));
      }
      return count;
    };
    evidence_without_floor_ += Count(*all);
    evidence_with_floor_ += Count(*kept);
    dropped_by_floor_ += kept->dropped_irrelevant;
  }

  // Questions of the other conversations: nothing here answers them, and nothing should come.
  Status AskForeign(const Retriever& retriever, const LocomoConversation& conversation,
                    std::int64_t now_ms) {
    constexpr std::size_t kEach = 25;
    for (const LocomoConversation& other : *all_) {
      if (&other == &conversation) continue;
      const std::size_t count = other.questions.size();
      for (std::size_t i = 0; i < std::min(kEach, count); ++i) {
        RecallQuery query;
        query.text = other.questions[i * count / std::min(kEach, count)].text;
        query.limit = 10;
        query.now_ms = now_ms;
        LIUBAI_ASSIGN_OR_RETURN(const RecallResult result, retriever.Recall(query));
        if (signal_file_.open()) {
          query.with_irrelevant = true;
          LIUBAI_ASSIGN_OR_RETURN(const RecallResult all, retriever.Recall(query));
          signal_file_.Relevance(all, {other.questions[i].id, conversation.sample_id, "foreign", 1},
                                 {});
        }
        ++foreign_;
        foreign_with_hits_ += result.hits.empty() ? 0 : 1;
        foreign_hits_ += static_cast<std::int64_t>(result.hits.size());
      }
    }
    return Status();
  }

  static void Add(System& system, const LocomoConversation& conversation,
                  const LocomoQuestion& question, const std::vector<std::string>& ranked) {
    if (!question.evidence.empty()) {
      system.raw.Add(ranked, question.evidence);
      system.by_category[question.category].Add(ranked, question.evidence);
      if (!IsForFitting(conversation)) system.apart.Add(ranked, question.evidence);
    }
    if (!question.corrected.empty()) {
      system.corrected.Add(ranked, question.corrected);
      system.by_category_corrected[question.category].Add(ranked, question.corrected);
    }
  }

  void Report(Invocation& call, const std::string& path, const std::string& text,
              const LocomoData& data) {
    nlohmann::json systems = nlohmann::json::array();
    for (const System& system : systems_) {
      nlohmann::json categories = nlohmann::json::object(), corrected = nlohmann::json::object();
      for (const auto& [number, sums] : system.by_category)
        categories[std::to_string(number)] = sums.ToJson(false);
      for (const auto& [number, sums] : system.by_category_corrected) {
        corrected[std::to_string(number)] = sums.ToJson(false);
      }
      systems.push_back({{"name", system.name},
                         {"raw", system.raw.ToJson(false)},
                         {"raw_by_category", categories},
                         {"corrected", system.corrected.ToJson(false)},
                         {"corrected_by_category", corrected},
                         {"raw_without_fitting_conversations", system.apart.ToJson(false)}});
    }
    call.UseData(path, text);
    if (call.Report(
            {{"bench", "locomo"},
             {"unit", "turn"},
             {"data", {{"file", path}, {"sha256", Sha256Hex(text)}}},
             {"conversations", data.conversations.size()},
             {"questions", data.questions},
             {"excluded", {{"without_usable_evidence", data.without_evidence}}},
             {"unknown_evidence_ids", data.unknown_ids},
             {"dates_without_session", data.dates_without_session},
             {"corrections_applied", data.corrections},
             {"fitting", "conversations conv-26 and conv-30 are set apart for fitting weights"},
             {"interval", "Wilson, 95 %"},
             {"embedder", cached_ ? cached_->Describe() : nlohmann::json()},
             {"threads", 1},
             {"isa", CpuIsaName(BestCpuIsa())},
             {"search_ms", LatenciesJson(latencies_)},
             {"relevance_floor",
              {{"evidence_in_first_ten_without", evidence_without_floor_},
               {"evidence_in_first_ten_with", evidence_with_floor_},
               {"turns_dropped", dropped_by_floor_},
               {"foreign_questions", foreign_},
               {"foreign_with_hits", foreign_with_hits_},
               {"foreign_hits_of_ten",
                foreign_ > 0 ? static_cast<double>(foreign_hits_) / static_cast<double>(foreign_)
                             : 0.0}}},
             {"systems", systems}})) {
      return;
    }
    Table table({"system", "@1", "@5", "@10", "@25", "@50", "n"});
    const auto Row = [&](const std::string& name, const RecallSums& sums) {
      std::vector<std::string> row = {name};
      for (std::size_t d = 0; d < kDepths.size(); ++d)
        row.push_back(fmt::format("{:.1f}", sums.Fraction(d)));
      row.push_back(std::to_string(sums.count()));
      table.Add(std::move(row));
    };
    for (const System& system : systems_) {
      Row(system.name, system.raw);
      Row("  labels corrected", system.corrected);
      Row("  without conv-26, conv-30", system.apart);
      for (const auto& [number, sums] : system.by_category)
        Row(fmt::format("  category {}", number), sums);
    }
    table.Print(call);
    call.Note("Per cent of the evidence turns among the first k." +
              std::string(cached_ ? "" : " Words only: --embedder NAME adds meaning."));
  }

  std::string data_;
  std::string weights_;
  bool ablation_ = false;
  SignalFile signal_file_;
  EmbedderFlags embedder_;
  std::unique_ptr<CachedEmbedder> cached_;
  std::vector<System> systems_;
  std::map<std::string, std::vector<std::int64_t>> latencies_;
  const std::vector<LocomoConversation>* all_ = nullptr;
  std::int64_t foreign_ = 0, foreign_with_hits_ = 0, foreign_hits_ = 0;
  std::int64_t evidence_without_floor_ = 0, evidence_with_floor_ = 0, dropped_by_floor_ = 0;
};

}  // namespace

std::unique_ptr<Command> MakeBenchLocomo() { return std::make_unique<BenchLocomo>(); }

}  // namespace liubai::tools
