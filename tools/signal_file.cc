#include "tools/signal_file.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/macros.h"

namespace liubai::tools {
namespace {

constexpr int kCandidates = 400;

double Round(double share) { return std::round(share * 1e4) / 1e4; }

}  // namespace

void SignalFile::Add(std::string_view unit, bool vectors, bool talk, const SignalSource& source,
                     nlohmann::json candidates) {
  const nlohmann::json line = {{"unit", unit},
                               {"id", source.id},
                               {"group", source.group},
                               {"kind", source.kind},
                               {"vectors", vectors},
                               {"talk", talk},
                               {"evidence", source.evidence},
                               {"candidates", std::move(candidates)}};
  text_ += line.dump() + "\n";
}

Status SignalFile::Turns(const Retriever& retriever, RecallQuery query, const SignalSource& source,
                         const std::function<bool(TurnId)>& holds) {
  query.limit = kCandidates;
  query.with_irrelevant = true;
  LIUBAI_ASSIGN_OR_RETURN(const RecallResult result, retriever.Recall(query));
  nlohmann::json candidates = nlohmann::json::array();
  for (const RecallHit& hit : result.hits) {
    nlohmann::json fields = nlohmann::json::object();
    for (const RecallSignal& signal : hit.signals) {
      fields[std::string(RecallFieldName(signal.field))] = Round(signal.share);
    }
    candidates.push_back({holds(hit.turn.id) ? 1 : 0, std::move(fields)});
  }
  Add("turn", result.by_meaning, result.talk, source, std::move(candidates));
  return Status();
}

Status SignalFile::Sessions(const Retriever& retriever, RecallQuery query,
                            const SignalSource& source,
                            const std::function<bool(SessionId)>& holds) {
  query.limit = kCandidates;
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<SessionHit> hits, retriever.RecallSessions(query));
  nlohmann::json candidates = nlohmann::json::array();
  for (const SessionHit& hit : hits) {
    nlohmann::json fields = nlohmann::json::object();
    for (const SessionSignal& signal : hit.signals) {
      fields[std::string(SessionFieldName(signal.field))] = Round(signal.share);
    }
    candidates.push_back({holds(hit.session_id) ? 1 : 0, std::move(fields)});
  }
  Add("session", retriever.status().by_meaning, false, source, std::move(candidates));
  return Status();
}

void SignalFile::Relevance(const RecallResult& result, const SignalSource& source,
                           const std::function<bool(TurnId)>& holds) {
  nlohmann::json candidates = nlohmann::json::array();
  for (const RecallHit& hit : result.hits) {
    if (holds && !holds(hit.turn.id)) continue;
    candidates.push_back({holds ? 1 : 0,
                          {{"covered", Round(hit.relevance.covered)},
                           {"around", Round(hit.relevance.around)},
                           {"tokens", Round(hit.relevance.tokens)},
                           {"deviations", Round(hit.relevance.deviations)}}});
  }
  Add("relevance", result.by_meaning, result.talk, source, std::move(candidates));
}

void SignalFile::Declare(Flags& flags) {
  flags.Text("--signals", "FILE", &path_,
             "write what each candidate was scored by, to fit weights");
}

Status SignalFile::Close() {
  return open() ? WriteFileAtomically(PosixFileSystem(), path_, text_) : Status();
}

}  // namespace liubai::tools
