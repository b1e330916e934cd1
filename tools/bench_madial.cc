// liubai bench madial: are the memories that fit a dialogue among those recalled? MADial-Bench in
// Chinese and English; a memory is a turn of a session of its own. Beside it, in the same run,
// plain FTS5 and, with an embedder, plain vectors.
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
#include "tools/madial_data.h"
#include "tools/recall_metrics.h"
#include "tools/signal_file.h"

namespace liubai::tools {
namespace {

// Half of the dialogues, whatever their order in the file: weights may be fitted on these.
bool IsForFitting(const MadialDialogue& dialogue) { return Sha256Hex(dialogue.text)[0] < '8'; }

struct System {
  std::string name;
  std::map<std::string, RecallSums> sums;  // By language, and language and part.
};

class BenchMadial final : public Command {
  void Declare(Flags& flags) override {
    flags.Text("--data", "PATH", &data_, "folder of the data sets");
    flags.Text("--language", "zh|en", &language_, "only this one");
    embedder_.embedder = "none";
    embedder_.Declare(flags);
    flags.Switch("--ablation", &ablation_, "also with one stage of recall after the other");
    signal_file_.Declare(flags);
    flags.Text("--weights", "LIST", &weights_, "other weights, such as context_tokens=0.5");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    if (!language_.empty() && language_ != "zh" && language_ != "en") {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("language \"{}\": zh and en are known", language_));
    }
    RetrieverOptions options;
    LIUBAI_ASSIGN_OR_RETURN(options.weights, ParseWeights(weights_));
    LIUBAI_ASSIGN_OR_RETURN(cached_, embedder_.LoadCached(call));
    nlohmann::json files = nlohmann::json::object();
    for (const std::string language : {"zh", "en"}) {
      if (!language_.empty() && language != language_) continue;
      LIUBAI_ASSIGN_OR_RETURN(const MadialData data, ReadMadial(data_, language));
      call.UseData("madial_bench/" + language, data.sha256);
      files[language] = {{"sha256", data.sha256},
                         {"memories", data.memories.size()},
                         {"dialogues", data.dialogues.size()},
                         {"unknown_ids", data.unknown_ids},
                         {"without_evidence", data.without_evidence}};
      LIUBAI_RETURN_IF_ERROR(Measure(data, options, stop).WithContext(language));
    }
    LIUBAI_RETURN_IF_ERROR(signal_file_.Close());
    Report(call, files);
    return Status();
  }

  Status Measure(const MadialData& data, const RetrieverOptions& options, std::stop_token stop) {
    for (const std::string& user : data.users) {
      LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
      LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open(folder.path()));
      LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Retriever> retriever,
                              Retriever::Open(*store, cached_ ? cached_.get() : nullptr, options));
      std::map<TurnId, std::string> names;
      std::vector<std::string> texts, ids;
      VectorBaseline vectors;
      for (const MadialMemory& memory : data.memories) {
        if (memory.user != user) continue;
        LIUBAI_ASSIGN_OR_RETURN(const SessionId session, store->EnsureSession(memory.id));
        NewTurn turn;
        turn.session_id = session;
        turn.text = memory.text;
        turn.time_ms = memory.time_ms;
        const std::vector<NewTurn> turns = {turn};
        LIUBAI_ASSIGN_OR_RETURN(const std::vector<TurnId> added, store->AppendTurns(turns));
        names[added[0]] = memory.id;
        texts.push_back(memory.text);
        ids.push_back(memory.id);
        if (!cached_) continue;
        LIUBAI_ASSIGN_OR_RETURN(const std::vector<NewEmbedding> made,
                                cached_->IndexSession(*store, *retriever, turns, added, stop));
        vectors.Add(made);
      }
      std::vector<AblationStage> stages;
      if (ablation_) {
        LIUBAI_ASSIGN_OR_RETURN(stages, OpenAblation(*store, cached_.get(), options));
      }
      LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<FtsBaseline> fts, FtsBaseline::Open(texts));
      for (const MadialDialogue& dialogue : data.dialogues) {
        if (dialogue.user != user || dialogue.relevant.empty()) continue;
        if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
        const std::string part = IsForFitting(dialogue) ? "for fitting" : "apart";
        RecallQuery query;
        query.text = dialogue.last;
        query.context = dialogue.text;
        query.limit = kDepths.back();
        query.with_irrelevant = true;
        const auto MeasureLiubai = [&](const std::string& name, const Retriever& by) -> Status {
          LIUBAI_ASSIGN_OR_RETURN(const RecallResult result, by.Recall(query, stop));
          latencies_[name].push_back(result.search_us);
          std::vector<std::string> ranked;
          for (const RecallHit& hit : result.hits) ranked.push_back(names.at(hit.turn.id));
          Add(name, data.language, part, ranked, dialogue.relevant);
          return Status();
        };
        LIUBAI_RETURN_IF_ERROR(MeasureLiubai("liubai", *retriever));
        for (const AblationStage& stage : stages) {
          LIUBAI_RETURN_IF_ERROR(MeasureLiubai("stage: " + stage.name, *stage.retriever));
        }
        LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::size_t> words,
                                fts->Search(dialogue.text, kDepths.back()));
        Add("fts5 porter, OR", data.language, part, Names(words, ids), dialogue.relevant);
        if (cached_) {
          RecallQuery whole;
          whole.text = dialogue.text;
          LIUBAI_ASSIGN_OR_RETURN(const QuestionVectors asked,
                                  retriever->EmbedQuestion(whole, stop));
          std::vector<std::string> nearest;
          for (const std::int64_t id : vectors.Search(asked.pooled, kDepths.back())) {
            nearest.push_back(names.at(id));
          }
          Add("vectors", data.language, part, nearest, dialogue.relevant);
        }
        if (!signal_file_.open()) continue;
        LIUBAI_RETURN_IF_ERROR(signal_file_.Turns(
            *retriever, query,
            {dialogue.id, "madial " + part, data.language, dialogue.relevant.size()},
            [&](TurnId id) {
              return std::ranges::find(dialogue.relevant, names.at(id)) != dialogue.relevant.end();
            }));
      }
    }
    return Status();
  }

  void Add(const std::string& name, const std::string& language, const std::string& part,
           const std::vector<std::string>& ranked, const std::vector<std::string>& relevant) {
    System& system = NamedSystem(systems_, name);
    system.sums[language].Add(ranked, relevant);
    system.sums[language + ", " + part].Add(ranked, relevant);
  }

  void Report(Invocation& call, const nlohmann::json& files) {
    nlohmann::json systems = nlohmann::json::array();
    for (const System& system : systems_) {
      nlohmann::json sums = nlohmann::json::object();
      for (const auto& [name, sum] : system.sums) sums[name] = sum.ToJson(false);
      systems.push_back({{"name", system.name}, {"recall", sums}});
    }
    if (call.Report({{"bench", "madial"},
                     {"unit", "memory"},
                     {"data", files},
                     {"question", "the last utterance, with the dialogue before it as context"},
                     {"fitting", "dialogues of which the SHA-256 begins with 0..7"},
                     {"interval", "Wilson, 95 %"},
                     {"embedder", cached_ ? cached_->Describe() : nlohmann::json()},
                     {"isa", CpuIsaName(BestCpuIsa())},
                     {"search_ms", LatenciesJson(latencies_)},
                     {"systems", systems}})) {
      return;
    }
    Table table({"system", "dialogues", "@1", "@5", "@10", "@25", "@50", "n"});
    for (const System& system : systems_) {
      for (const auto& [name, sum] : system.sums) {
        std::vector<std::string> row = {system.name, name};
        for (std::size_t d = 0; d < kDepths.size(); ++d)
          row.push_back(fmt::format("{:.1f}", sum.Fraction(d)));
        row.push_back(std::to_string(sum.count()));
        table.Add(std::move(row));
      }
    }
    table.Print(call);
    call.Note("Per cent of the memories that fit among the first k." +
              std::string(cached_ ? "" : " Words only: --embedder NAME adds meaning."));
  }

  std::string data_, language_, weights_;
  bool ablation_ = false;
  EmbedderFlags embedder_;
  std::unique_ptr<CachedEmbedder> cached_;
  SignalFile signal_file_;
  std::vector<System> systems_;
  std::map<std::string, std::vector<std::int64_t>> latencies_;
};

}  // namespace

std::unique_ptr<Command> MakeBenchMadial() { return std::make_unique<BenchMadial>(); }

}  // namespace liubai::tools
