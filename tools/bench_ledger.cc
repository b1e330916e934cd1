// liubai bench ledger: how many of the details that were marked in a file of turns the ledger
// takes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "core/file_system.h"
#include "core/macros.h"
#include "liubai/retrieval.h"
#include "memory/compaction.h"
#include "memory/ledger_score.h"
#include "tools/commands.h"
#include "tools/embedder_flags.h"
#include "tools/recall_metrics.h"

namespace liubai::tools {
namespace {

using memory::DetailKind;
using memory::DetailKindName;
using memory::DetailScore;
using memory::kDetailKinds;

nlohmann::json Share(std::int64_t part, std::int64_t all) {
  if (all == 0) return nullptr;
  const Interval interval = Wilson95(static_cast<double>(part), static_cast<double>(all));
  return {{"value", 100.0 * static_cast<double>(part) / static_cast<double>(all)},
          {"low", 100.0 * interval.low},
          {"high", 100.0 * interval.high}};
}

std::string Percent(std::int64_t part, std::int64_t all) {
  return all == 0
             ? std::string("-")
             : fmt::format("{:.1f}", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

class BenchLedger final : public Command {
  void Declare(Flags& flags) override {
    flags.Text("--part", "NAME", &part_, "only the turns with this \"part\"");
    flags.Switch("--misses", &misses_, "list what was missed and what was taken in vain");
    flags.Switch("--prove", &prove_,
                 "ask for each detail without its value in a store of these turns");
    embedder_.Declare(flags);
    flags.Arguments("FILE", &files_, true,
                    "JSON lines: {\"id\", \"text\", \"labels\": [{\"kind\", \"text\"}]}");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    std::vector<memory::LabelledTurn> turns;
    for (const std::string& file : files_) {
      LIUBAI_ASSIGN_OR_RETURN(const std::string text, ReadFile(PosixFileSystem(), file));
      LIUBAI_ASSIGN_OR_RETURN(auto read, memory::ReadLabelledTurns(text, file));
      for (memory::LabelledTurn& turn : read) {
        if (part_.empty() || turn.part == part_) turns.push_back(std::move(turn));
      }
      if (stop.stop_requested()) return {StatusCode::kCancelled, "stopped"};
    }
    if (turns.empty())
      return {StatusCode::kNotFound, fmt::format("no turn has the part \"{}\"", part_)};
    const memory::LedgerScore score = memory::ScoreLedger(turns);
    if (prove_) LIUBAI_RETURN_IF_ERROR(Prove(call, turns, stop));
    if (call.json()) {
      call.PrintJson(ToJson(score, turns.size()));
    } else {
      Print(call, score, turns.size());
    }
    return {};
  }

  // Each turn of the file is a turn of one store; a detail is proved when its query brings its turn
  // among the first five.
  Status Prove(Invocation& call, const std::vector<memory::LabelledTurn>& turns,
               std::stop_token stop) {
    LIUBAI_ASSIGN_OR_RETURN(const auto embedder, embedder_.Load(call));
    LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
    LIUBAI_ASSIGN_OR_RETURN(const auto store, Store::Open(folder.path()));
    LIUBAI_ASSIGN_OR_RETURN(const SessionId session, store->EnsureSession("turns"));
    std::vector<NewTurn> said(turns.size());
    for (std::size_t i = 0; i < turns.size(); ++i) {
      said[i].session_id = session;
      said[i].text = turns[i].text;
    }
    LIUBAI_ASSIGN_OR_RETURN(const auto ids, store->AppendTurns(said));
    LIUBAI_ASSIGN_OR_RETURN(const auto retriever, Retriever::Open(*store, embedder.get()));
    LIUBAI_RETURN_IF_ERROR(
        retriever->IndexPending(static_cast<std::int64_t>(turns.size()), stop).status());
    LIUBAI_RETURN_IF_ERROR(retriever->Publish());
    for (std::size_t i = 0; i < turns.size(); ++i) {
      for (const memory::Detail& detail : memory::ExtractDetails(turns[i].text)) {
        RecallQuery query;
        query.text = detail.query;
        query.limit = memory::kProofDepth;
        auto& [asked, found] = proofs_[turns[i].part][static_cast<std::size_t>(detail.kind)];
        ++asked;
        if (detail.query.empty()) continue;
        LIUBAI_ASSIGN_OR_RETURN(const RecallResult hits, retriever->Recall(query, stop));
        found += std::any_of(hits.hits.begin(), hits.hits.end(),
                             [&](const RecallHit& hit) { return hit.turn.id == ids[i]; });
      }
    }
    return {};
  }

  nlohmann::json ToJson(const memory::LedgerScore& score, std::size_t turns) const {
    nlohmann::json report = {{"turns", turns}, {"parts", nlohmann::json::object()}};
    for (const auto& [part, kinds] : score.parts) {
      nlohmann::json& of = report["parts"][part];
      for (std::size_t i = 0; i < kDetailKinds; ++i) {
        const DetailScore& kind = kinds[i];
        of[std::string(DetailKindName(static_cast<DetailKind>(i)))] = {
            {"labels", kind.labels},
            {"details", kind.details},
            {"recall", Share(kind.found, kind.labels)},
            {"kept", Share(kind.kept, kind.labels)},
            {"precision", Share(kind.right, kind.details)}};
        if (!prove_) continue;
        const Proofs& proofs = proofs_.at(part)[i];
        of[std::string(DetailKindName(static_cast<DetailKind>(i)))]["proved"] =
            Share(proofs.found, proofs.asked);
      }
    }
    if (misses_) {
      report["misses"] = nlohmann::json::array();
      for (const memory::DetailMiss& miss : score.misses) {
        report["misses"].push_back({{"id", miss.id},
                                    {"part", miss.part},
                                    {"kind", DetailKindName(miss.kind)},
                                    {"extra", miss.extra},
                                    {"text", miss.text}});
      }
    }
    return report;
  }

  void Print(Invocation& call, const memory::LedgerScore& score, std::size_t turns) const {
    std::vector<std::string> header = {"kind"};
    for (const auto& [part, kinds] : score.parts) {
      const std::string name = part.empty() ? "" : fmt::format("{} ", part);
      for (const char* figure : {"n", "recall", "kept", "precision"})
        header.push_back(name + figure);
      if (prove_) header.push_back(name + "proved");
    }
    Table table(header);
    const auto row = [&](const std::string& name, std::size_t from, std::size_t to) {
      std::vector<std::string> cells = {name};
      for (const auto& [part, kinds] : score.parts) {
        DetailScore sum;
        Proofs proofs;
        for (std::size_t i = from; i < to; ++i) {
          sum += kinds[i];
          if (!prove_) continue;
          proofs.asked += proofs_.at(part)[i].asked;
          proofs.found += proofs_.at(part)[i].found;
        }
        cells.push_back(fmt::format("{}", sum.labels));
        cells.push_back(Percent(sum.found, sum.labels));
        cells.push_back(Percent(sum.kept, sum.labels));
        cells.push_back(Percent(sum.right, sum.details));
        if (prove_) cells.push_back(Percent(proofs.found, proofs.asked));
      }
      table.Add(cells);
    };
    for (std::size_t i = 0; i < kDetailKinds; ++i)
      row(std::string(DetailKindName(static_cast<DetailKind>(i))), i, i + 1);
    row("all", 0, kDetailKinds);
    call.Print(
        fmt::format("{} turns; per cent of the marked details that one of their kind has "
                    "(recall), of those\nthat are in one of any kind (kept), and of the "
                    "details taken that are marked (precision){}\n\n",
                    turns, prove_ ? "; of these whose turn their query finds (proved)" : ""));
    table.Print(call);
    if (!misses_) return;
    for (const memory::DetailMiss& miss : score.misses) {
      call.Print(fmt::format("{:8} {:10} {:7} {}\n", miss.id, DetailKindName(miss.kind),
                             miss.extra ? "in vain" : "missed", miss.text));
    }
  }

  std::vector<std::string> files_;
  std::string part_;
  bool misses_ = false;
  bool prove_ = false;
  EmbedderFlags embedder_;
  struct Proofs {
    std::int64_t asked = 0;
    std::int64_t found = 0;
  };
  std::map<std::string, std::array<Proofs, kDetailKinds>> proofs_;  // By part, then by kind.
};

}  // namespace

std::unique_ptr<Command> MakeBenchLedger() { return std::make_unique<BenchLedger>(); }

}  // namespace liubai::tools
