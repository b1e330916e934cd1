// What a candidate is measured by, and how the measures become a score.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/macros.h"
#include "memory/fts_tokenizer.h"
#include "memory/retrieval_impl.h"

namespace liubai::inline v1 {

using memory::TokenizeText;

namespace {

constexpr double kBesideShare = 0.9;  // Of a token that only a neighbour has.

// How much each token of the question tells, as far as its words are known; 1 on average.
std::vector<double> TokenWeights(std::string_view text, const TokenVectors& tokens,
                                 const RecallResult& result) {
  std::unordered_map<std::string, double> known;
  for (std::size_t i = 0; i < result.terms.size(); ++i)
    known[result.terms[i]] = result.term_weights[i];
  std::vector<double> weights;
  double sum = 0;
  for (std::size_t t = 0; t < tokens.begin.size(); ++t) {
    double weight = 0;
    TokenizeText(memory::WordAt(text, tokens.begin[t], tokens.end[t]),
                 [&](std::string_view term, bool) {
                   const auto found = known.find(std::string(term));
                   if (found != known.end()) weight = std::max(weight, found->second);
                 });
    weights.push_back(weight);
    sum += weight;
  }
  const double mean = weights.empty() ? 0 : sum / static_cast<double>(weights.size());
  for (double& weight : weights) weight = mean > 0 ? (weight + 0.1 * mean) / (1.1 * mean) : 1.0;
  return weights;
}

// What a turn that fits best in what it says would score.
double MostOfContent(const memory::TurnWeights& weights) {
  double sum = 0;
  for (const RecallField field :
       {RecallField::kWords, RecallField::kWordsAround, RecallField::kMeaning,
        RecallField::kMeaningAround, RecallField::kTokens, RecallField::kTokensAround,
        RecallField::kContext, RecallField::kContextMeaning, RecallField::kContextTokens}) {
    sum += std::max(0.0, weights[field]);
  }
  return std::max(sum, 1e-6);
}

// Units that are wanted, each once, in the order in which they were asked for.
struct Wanted {
  std::vector<std::int64_t> units;
  std::unordered_map<std::int64_t, std::size_t> place;
  void Add(TurnId id) {
    if (id != 0 && place.emplace(id, units.size()).second) units.push_back(id);
  }
};

// The rows of one unit, from `at` on, which moves behind them.
std::vector<std::span<const std::uint8_t>> RunsOf(std::int64_t unit,
                                                  const std::vector<Embedding>& rows,
                                                  std::size_t& at) {
  std::vector<std::span<const std::uint8_t>> runs;
  for (; at < rows.size() && rows[at].unit_id == unit; ++at) {
    const std::size_t bytes = rows[at].values.size() * 2;
    runs.emplace_back(reinterpret_cast<const std::uint8_t*>(rows[at].values.data()),
                      bytes - bytes % memory::TokenCodec::kBytes);
  }
  return runs;
}

}  // namespace

Retriever::Impl::Background Retriever::Impl::Measure(std::span<const float> scores) {
  Background background;
  if (scores.size() < 2) return background;
  double sum = 0, squares = 0;
  for (const float score : scores) sum += score;
  background.mean = sum / static_cast<double>(scores.size());
  for (const float score : scores) squares += (score - background.mean) * (score - background.mean);
  background.deviation = std::max(1e-4, std::sqrt(squares / static_cast<double>(scores.size())));
  return background;
}

// Cosines of turn and neighbourhood. The vectors around a turn are weighed towards it.
Status Retriever::Impl::ScoreMeaning(const QuestionVectors& vectors,
                                     std::vector<Candidate>& candidates) const {
  Wanted wanted;
  for (const Candidate& candidate : candidates) {
    wanted.Add(candidate.id);
    for (const TurnId neighbour : table.Around(candidate.id)) wanted.Add(neighbour);
  }
  std::vector<float> scores(wanted.units.size());
  index->Score(vectors.pooled, wanted.units, scores);
  std::vector<float> context;
  if (!vectors.context_pooled.empty()) {
    context.resize(wanted.units.size());
    index->Score(vectors.context_pooled, wanted.units, context);
  }
  for (Candidate& candidate : candidates) {
    const std::size_t at = wanted.place.at(candidate.id);
    const float own = scores[at];
    if (std::isnan(own)) continue;
    candidate.value[RecallField::kMeaning] = own;
    if (!context.empty()) candidate.value[RecallField::kContextMeaning] = context[at];
    const std::array<TurnId, 4> around = table.Around(candidate.id);
    double sum = own * weights.own, weight = weights.own;
    for (std::size_t i = 0; i < around.size(); ++i) {
      if (around[i] == 0 || std::isnan(scores[wanted.place.at(around[i])])) continue;
      const double share = i == 1 || i == 2 ? weights.next : weights.second;
      sum += share * scores[wanted.place.at(around[i])];
      weight += share;
    }
    candidate.value[RecallField::kMeaningAround] = sum / weight;
  }
  return Status();
}

// Late interaction with the candidates' stored tokens, and with those of the turns beside them.
Status Retriever::Impl::ScoreTokens(const RecallQuery& query, const QuestionVectors& vectors,
                                    const RecallResult& result,
                                    std::span<Candidate> candidates) const {
  const memory::LateQuestion question = codec->Prepare(vectors.tokens.vectors);
  const memory::LateQuestion context = codec->Prepare(vectors.context_tokens.vectors);
  const std::vector<double> telling = TokenWeights(query.text, vectors.tokens, result);
  Wanted wanted;
  for (const Candidate& candidate : candidates) {
    wanted.Add(candidate.id);
    if (candidate.around_share < 0.1) continue;
    wanted.Add(candidate.meta->previous);
    wanted.Add(candidate.meta->next);
  }
  LIUBAI_ASSIGN_OR_RETURN(
      const std::vector<Embedding> rows,
      store->EmbeddingsOf(record.id, UnitKind::kTurnTokens, wanted.units, options.tenant));
  std::vector<memory::LateScore> scores(wanted.units.size());
  std::vector<double> of_context(wanted.units.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < wanted.units.size(); ++i) {
    const auto runs = RunsOf(wanted.units[i], rows, at);
    if (runs.empty()) continue;
    scores[i] = memory::TokenCodec::Score(question, runs);
    if (context.tokens > 0) of_context[i] = memory::TokenCodec::Score(context, runs).of_text;
  }
  double weight = 0;
  for (const double value : telling) weight += value;
  const double scale = weight > 0 ? question.scale / weight : 0;
  for (Candidate& candidate : candidates) {
    const std::size_t own_place = wanted.place.at(candidate.id);
    const memory::LateScore& own = scores[own_place];
    if (own.best.empty()) continue;
    if (context.tokens > 0) {
      candidate.value[RecallField::kContextTokens] = of_context[own_place];
    }
    std::vector<double> around(own.best.begin(), own.best.end());
    for (const TurnId id : {candidate.meta->previous, candidate.meta->next}) {
      const auto beside = wanted.place.find(id);
      if (id == 0 || beside == wanted.place.end()) continue;
      const std::vector<std::int32_t>& best = scores[beside->second].best;
      for (std::size_t q = 0; q < best.size(); ++q) {
        around[q] = std::max(around[q], kBesideShare * best[q]);
      }
    }
    double of_own = 0, of_around = 0;
    for (std::size_t q = 0; q < around.size(); ++q) {
      of_own += telling[q] * own.best[q];
      of_around += telling[q] * around[q];
    }
    candidate.value[RecallField::kTokens] = scale * of_own;
    candidate.value[RecallField::kTokensAround] = scale * of_around;
  }
  return Status();
}

void Retriever::Impl::Weigh(std::span<Candidate> candidates, const RecallResult& result,
                            const Background& background,
                            const Background& context_background) const {
  struct Spread {
    double least = 0, most = 0;  // Of these, a share is 0 and 1.
  };
  const auto ToLargest = [&](RecallField field, double least) {
    Spread spread{least, least};
    for (const Candidate& candidate : candidates) {
      const double value = candidate.value[field];
      if (!std::isnan(value)) spread.most = std::max(spread.most, value);
    }
    return spread;
  };
  // All token scores are far from 0: what tells is how far one is above the others.
  const auto AboveOthers = [&](RecallField field) {
    double sum = 0, count = 0;
    for (const Candidate& candidate : candidates) {
      const double value = candidate.value[field];
      if (!std::isnan(value)) sum += value, ++count;
    }
    return ToLargest(field, count > 0 ? sum / count : 0.0);
  };
  std::array<Spread, kRecallFields> spreads;
  spreads.fill({0, 1});
  const auto SpreadOf = [&](RecallField field) -> Spread& {
    return spreads[static_cast<std::size_t>(field)];
  };
  for (const RecallField field :
       {RecallField::kWords, RecallField::kWordsAround, RecallField::kWordsLong,
        RecallField::kSession, RecallField::kContext}) {
    SpreadOf(field) = ToLargest(field, 0);
  }
  SpreadOf(RecallField::kMeaning) = ToLargest(RecallField::kMeaning, background.mean);
  SpreadOf(RecallField::kMeaningAround) = ToLargest(RecallField::kMeaningAround, background.mean);
  SpreadOf(RecallField::kContextMeaning) =
      ToLargest(RecallField::kContextMeaning, context_background.mean);
  for (const RecallField field :
       {RecallField::kTokens, RecallField::kTokensAround, RecallField::kContextTokens}) {
    SpreadOf(field) = AboveOthers(field);
  }
  const memory::TurnWeights& by_words = result.talk ? weights.talk_words : weights.turn_words;
  const memory::TurnWeights& by_vectors = result.talk ? weights.talk_vectors : weights.turn_vectors;
  const double scale_of_words =
      result.by_meaning ? MostOfContent(by_vectors) / MostOfContent(by_words) : 1.0;
  for (Candidate& candidate : candidates) {
    candidate.score = 0;
    const bool encoded = !std::isnan(candidate.value[RecallField::kMeaning]);
    candidate.weights = result.by_meaning && encoded ? &by_vectors : &by_words;
    candidate.scale = result.by_meaning && encoded ? 1.0 : scale_of_words;
    for (int i = 0; i < kRecallFields; ++i) {
      const RecallField field = static_cast<RecallField>(i);
      const auto [least, most] = SpreadOf(field);
      const double value = candidate.value[field];
      double share = 0;
      if (!std::isnan(value) && most > least) {
        share = std::clamp((value - least) / (most - least), -1.0, 1.0);
      }
      switch (field) {
        case RecallField::kWordsAround:
        case RecallField::kTokensAround:
        case RecallField::kReply:
        case RecallField::kAsks:
        case RecallField::kLength:
          share *= candidate.around_share;
          break;
        case RecallField::kWordsLong:
          share *= 1 - candidate.around_share;
          break;
        default:
          break;
      }
      candidate.share[field] = share;
      candidate.score += candidate.Contribution(field);
    }
  }
}

}  // namespace liubai::inline v1
