// The seam for a reranker: liubai/reranker.h says what it owes and what happens when it fails.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/elapsed.h"
#include "memory/retrieval_impl.h"
#include "memory/retrieval_list.h"

namespace liubai::inline v1 {

void Retriever::Impl::Finish(const RecallQuery& query, RecallResult& result,
                             std::stop_token stop) const {
  if (result.several) {
    memory::GatherItems(result, static_cast<std::size_t>(query.limit),
                        memory::CountsUp(memory::ReadForRecall(query)));
  }
  Rerank(query, result, stop);
}

void Retriever::Impl::Rerank(const RecallQuery& query, RecallResult& result,
                             std::stop_token stop) const {
  const std::size_t count =
      std::min(result.hits.size(), static_cast<std::size_t>(options.rerank_first));
  if (options.reranker == nullptr || count < 2) return;
  std::vector<RerankCandidate> candidates;
  for (const RecallHit& hit : std::span(result.hits).first(count)) {
    const std::string_view text = hit.turn.text;
    candidates.push_back({&hit.turn, text.substr(hit.begin, hit.end - hit.begin), hit.score});
  }
  const auto start = std::chrono::steady_clock::now();
  const Result<std::vector<double>> scores =
      options.reranker->Score(query.text, candidates, options.rerank_budget_ms, stop);
  result.rerank_us = MicrosSince(start);
  std::string problem;
  if (!scores.ok()) {
    problem = scores.status().ToString();
  } else if (scores->size() != count) {
    problem = fmt::format("{} scores for {} candidates", scores->size(), count);
  } else if (!std::ranges::all_of(*scores, [](double score) { return std::isfinite(score); })) {
    problem = "a score is not finite";
  } else if (result.rerank_us > options.rerank_budget_ms * 1000) {
    problem = fmt::format("it took {} ms of {} allowed", result.rerank_us / 1000,
                          options.rerank_budget_ms);
  }
  if (!problem.empty()) {
    if (!result.note.empty()) result.note += "; ";
    result.note += fmt::format("reranker {} is not heard, the order is recall's own: {}",
                               options.reranker->name(), problem);
    options.logger.Log(LogLevel::kWarning, "recall", result.note);
    return;
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return (*scores)[a] > (*scores)[b]; });
  std::vector<RecallHit> hits;
  for (const std::size_t at : order) hits.push_back(std::move(result.hits[at]));
  std::move(hits.begin(), hits.end(), result.hits.begin());
  result.reranked = true;
}

}  // namespace liubai::inline v1
