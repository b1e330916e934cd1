// liubai/reranker.h: a second opinion on the first hits of a recall, supplied by the user: a
// cross-encoder, a larger model, a service. Liubai has none of its own and calls none by default.
//
// Who owns it: the caller; it outlives the Retriever that it was given to (RetrieverOptions).
// Threads:  Score may be called from several threads at once, as Recall may.
// Units:    budget_ms is wall time. Liubai does not interrupt a call: the reranker keeps to it, and
//           what comes later than that is not used.
// Errors:   a status, a wrong number of scores, a score that is not finite, or a call over its
//           budget: recall keeps its own order, and says so in RecallResult::note and in the log.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/records.h"
#include "liubai/status.h"

namespace liubai::inline v1 {

struct RerankCandidate {
  const Turn* turn = nullptr;  // Valid during the call.
  std::string_view excerpt;    // The part of it that fits best.
  double score = 0;            // Recall's own.
};

class Reranker {
 public:
  virtual ~Reranker() = default;
  // For notes and logs.
  virtual const std::string& name() const = 0;
  // How well each of `candidates`, the best first, answers `question`: a score for each, larger is
  // better. Only their order is used.
  virtual Result<std::vector<double>> Score(std::string_view question,
                                            std::span<const RerankCandidate> candidates,
                                            std::int64_t budget_ms, std::stop_token stop) const = 0;
};

}  // namespace liubai::inline v1
