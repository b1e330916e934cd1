// A search: candidates by words, vectors, time and speaker, and what makes them hits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/elapsed.h"
#include "core/macros.h"
#include "core/text.h"
#include "memory/date_expression.h"
#include "memory/fts_tokenizer.h"
#include "memory/question.h"
#include "memory/retrieval_impl.h"

namespace liubai::inline v1 {

using memory::EmbeddedText;
using memory::FindTimeRanges;
using memory::NowOf;
using memory::TimeRange;
using memory::TokenizeText;
using memory::TurnMeta;
using memory::TurnTable;
using memory::VectorHit;

namespace {

constexpr std::int64_t kCandidates = 300;  // Of each field.
constexpr std::int64_t kSpreading = 100;   // Best by vector whose neighbours are candidates too.
constexpr std::size_t kExcerptFrom_bytes = 1200;
constexpr std::size_t kExcerpt_bytes = 900;

template <class Candidate>
double Largest(const std::vector<Candidate>& candidates, double Candidate::*field) {
  double most = 0;
  for (const Candidate& candidate : candidates) most = std::max(most, candidate.*field);
  return most;
}

// The stretch of a long text that holds most of `terms`, cut at spaces where there are some.
std::pair<std::size_t, std::size_t> Excerpt(std::string_view text,
                                            const std::vector<std::string>& terms) {
  if (text.size() <= kExcerptFrom_bytes) return {0, text.size()};
  const std::unordered_set<std::string> wanted(terms.begin(), terms.end());
  std::size_t best_begin = 0, best_count = 0;
  for (std::size_t begin = 0; begin < text.size(); begin += kExcerpt_bytes / 3) {
    while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80) ++begin;
    std::size_t count = 0;
    std::unordered_set<std::string> seen;
    TokenizeText(TruncateUtf8(text.substr(begin), kExcerpt_bytes),
                 [&](std::string_view term, bool) {
                   if (wanted.contains(std::string(term)) && seen.emplace(term).second) ++count;
                 });
    if (count > best_count) best_count = count, best_begin = begin;
  }
  std::size_t begin = best_begin;
  if (begin > 0) {
    const std::size_t space = text.substr(begin, 80).find_first_of(" \n");
    if (space != std::string_view::npos) begin += space + 1;
  }
  std::size_t end = begin + TruncateUtf8(text.substr(begin), kExcerpt_bytes).size();
  if (end < text.size()) {
    const std::size_t space = text.substr(begin, end - begin).find_last_of(" \n");
    if (space != std::string_view::npos && space > kExcerpt_bytes / 2) end = begin + space;
  }
  return {begin, end};
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
Status Retriever::Impl::ScoreMeaning(std::span<const float> vector,
                                     std::vector<Candidate>& candidates) const {
  std::vector<std::int64_t> units;
  std::unordered_map<std::int64_t, std::size_t> place;
  const auto Want = [&](TurnId id) {
    if (id != 0 && place.emplace(id, units.size()).second) units.push_back(id);
  };
  for (const Candidate& candidate : candidates) {
    Want(candidate.id);
    for (const TurnId neighbour : table.Around(candidate.id)) Want(neighbour);
  }
  std::vector<float> scores(units.size());
  index->Score(vector, units, scores);
  for (Candidate& candidate : candidates) {
    const float own = scores[place.at(candidate.id)];
    if (std::isnan(own)) continue;
    candidate.meaning = own;
    const std::array<TurnId, 4> around = table.Around(candidate.id);
    double sum = own * weights.own, weight = weights.own;
    for (std::size_t i = 0; i < around.size(); ++i) {
      if (around[i] == 0 || std::isnan(scores[place.at(around[i])])) continue;
      const double share = i == 1 || i == 2 ? weights.next : weights.second;
      sum += share * scores[place.at(around[i])];
      weight += share;
    }
    candidate.meaning_around = sum / weight;
  }
  return Status();
}

Status Retriever::Impl::Collect(const RecallQuery& query, std::span<const float> vector,
                                std::vector<Candidate>& candidates, RecallResult& result,
                                Background& background) const {
  const TurnFilter filter = Bound(query.filter);
  std::unordered_map<TurnId, std::size_t> place;
  const auto At = [&](TurnId id) -> Candidate& {
    const auto [entry, fresh] = place.emplace(id, candidates.size());
    if (fresh) candidates.emplace_back().id = id;
    return candidates[entry->second];
  };
  LIUBAI_ASSIGN_OR_RETURN(TextHits hits, store->SearchTextFields(query.text, filter, kCandidates));
  for (const TextHit& hit : hits.turn) At(hit.turn_id).words = hit.score;
  for (const TextHit& hit : hits.window) {
    Candidate& candidate = At(hit.turn_id);
    candidate.words_around = hit.score;
    const double share = std::min(1.0, weights.short_turn / std::max(1, hit.words));
    candidate.around_share = share * share;
  }
  result.terms = std::move(hits.terms);
  result.term_weights = std::move(hits.term_weights);
  if (!query.context.empty()) {
    LIUBAI_ASSIGN_OR_RETURN(const TextHits said,
                            store->SearchTextFields(query.context, filter, kCandidates));
    for (const TextHit& hit : said.turn) At(hit.turn_id).words += weights.context * hit.score;
    for (const TextHit& hit : said.window)
      At(hit.turn_id).words_around += weights.context * hit.score;
  }

  std::lock_guard lock(mutex);
  const memory::CompiledFilter allows(filter, table);
  if (!vector.empty()) {
    LIUBAI_ASSIGN_OR_RETURN(
        const std::vector<VectorHit> nearest,
        index->Search(
            vector, kCandidates, allows.empty() ? memory::UnitFilter() : [&](std::int64_t unit) {
              return allows(unit);
            }));
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      At(nearest[i].unit_id);
      if (static_cast<std::int64_t>(i) >= kSpreading) continue;
      for (const TurnId neighbour : table.Around(nearest[i].unit_id)) {
        if (neighbour != 0 && allows(neighbour)) At(neighbour);
      }
    }
    background = Measure(index->SampleScores(vector, 512));
    LIUBAI_RETURN_IF_ERROR(ScoreMeaning(vector, candidates));
  }

  const std::vector<TimeRange> ranges = FindTimeRanges(query.text, NowOf(query));
  const std::unordered_set<std::int32_t> named = table.SpeakersNamedIn(query.text);
  const memory::QuestionKind kind = memory::ReadQuestion(query.text);
  double rarity = 0;
  if (!ranges.empty()) {
    const TurnTable::TimeMatches matches = table.InTime(ranges, 64);
    rarity = matches.rarity;
    for (const TurnId id : matches.turns) {
      if (allows(id)) At(id);
    }
  }
  for (Candidate& candidate : candidates) {
    const TurnMeta* meta = table.Find(candidate.id);
    if (meta == nullptr) continue;
    // Naming everyone tells nothing.
    if (named.size() == 1 && named.contains(meta->speaker)) candidate.speaker = 1;
    candidate.date = rarity * memory::BestCloseness(ranges, meta->time_ms);
    candidate.in_time = memory::BestCloseness(ranges, meta->time_ms) >= 0.5;
    if (meta->role == (kind.about_assistant ? Role::kAssistant : Role::kUser)) candidate.role = 1;
    if (kind.about_self && !kind.about_assistant) {
      candidate.personal = meta->first_person / (meta->first_person + 2.0);
    }
  }
  return Status();
}

Result<RecallResult> Retriever::Impl::Search(const RecallQuery& query,
                                             std::span<const float> vector) const {
  const auto start = std::chrono::steady_clock::now();
  if (query.limit < 1 || query.limit > 10000) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("a limit of {} memories; 1..10000 are allowed", query.limit));
  }
  LIUBAI_RETURN_IF_ERROR(CheckText(query.text, "the question"));
  LIUBAI_RETURN_IF_ERROR(Refresh());
  if (index) LIUBAI_RETURN_IF_ERROR(index->CatchUp());
  RecallResult result;
  result.by_meaning = !vector.empty();
  result.note = note;
  std::vector<Candidate> candidates;
  Background background;
  LIUBAI_RETURN_IF_ERROR(Collect(query, vector, candidates, result, background));
  result.candidates = static_cast<std::int64_t>(candidates.size());

  const double words = Largest(candidates, &Candidate::words);
  const double words_around = Largest(candidates, &Candidate::words_around);
  const double meaning = Largest(candidates, &Candidate::meaning);
  const double meaning_around = Largest(candidates, &Candidate::meaning_around);
  const auto Share = [](double value, double most) { return most > 0 ? value / most : 0.0; };
  const auto AboveChance = [&](double value, double most) {
    if (std::isnan(value) || most <= background.mean) return 0.0;
    return std::max(0.0, (value - background.mean) / (most - background.mean));
  };
  for (Candidate& candidate : candidates) {
    const auto Add = [&](RecallField field, double value, double contribution) {
      if (contribution <= 0) return;
      candidate.score += contribution;
      candidate.signals.push_back({field, value, contribution});
    };
    // What the turns around do not count for, the turn itself does.
    const double around = weights.words_around * candidate.around_share;
    Add(RecallField::kWords, candidate.words,
        (weights.words + weights.words_around - around) * Share(candidate.words, words));
    Add(RecallField::kWordsAround, candidate.words_around,
        around * Share(candidate.words_around, words_around));
    Add(RecallField::kMeaning, candidate.meaning,
        weights.meaning * AboveChance(candidate.meaning, meaning));
    Add(RecallField::kMeaningAround, candidate.meaning_around,
        weights.meaning_around * AboveChance(candidate.meaning_around, meaning_around));
    Add(RecallField::kSpeaker, candidate.speaker, weights.speaker * candidate.speaker);
    Add(RecallField::kDate, candidate.date, weights.date * candidate.date);
    // Who says it orders what fits; it makes nothing fit.
    const double fit = candidate.score;
    Add(RecallField::kRole, candidate.role, weights.said_by * candidate.role * fit);
    Add(RecallField::kPersonal, candidate.personal, weights.personal * candidate.personal * fit);
  }
  const auto Better = [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : a.id > b.id;  // Newer first among equals.
  };
  // Some more than asked for: rows may be gone or irrelevant.
  const std::size_t most =
      std::min(candidates.size(), static_cast<std::size_t>(query.limit) * 2 + 16);
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(most),
                    candidates.end(), Better);
  candidates.resize(most);

  std::vector<TurnId> ids;
  for (const Candidate& candidate : candidates) ids.push_back(candidate.id);
  LIUBAI_ASSIGN_OR_RETURN(std::vector<Turn> turns, store->GetTurns(ids, options.tenant));
  std::unordered_map<TurnId, Turn*> live;
  for (Turn& turn : turns) live[turn.id] = &turn;
  for (Candidate& candidate : candidates) {
    if (result.hits.size() == static_cast<std::size_t>(query.limit)) break;
    const auto found = live.find(candidate.id);
    if (found == live.end()) continue;
    RecallHit hit;
    hit.turn = std::move(*found->second);
    const std::unordered_set<std::string> has = memory::TermSet(EmbeddedText(hit.turn));
    for (const std::string& term : result.terms) {
      if (has.contains(term)) hit.words.push_back(term);
    }
    const double covered = result.terms.empty() ? 0.0
                                                : static_cast<double>(hit.words.size()) /
                                                      static_cast<double>(result.terms.size());
    const double above =
        std::max(std::isnan(candidate.meaning) ? 0.0 : candidate.meaning,
                 std::isnan(candidate.meaning_around) ? 0.0 : candidate.meaning_around) -
        background.mean;
    const bool relevant =
        covered >= weights.least_covered || candidate.in_time ||
        (!vector.empty() && above >= weights.least_deviations * background.deviation) ||
        Share(candidate.words_around, words_around) >= weights.least_around;
    if (!relevant && !query.with_irrelevant) {
      ++result.dropped_irrelevant;
      continue;
    }
    hit.score = candidate.score;
    hit.signals = std::move(candidate.signals);
    std::sort(hit.signals.begin(), hit.signals.end(),
              [](const RecallSignal& a, const RecallSignal& b) {
                return a.contribution > b.contribution;
              });
    const auto [begin, end] = Excerpt(hit.turn.text, result.terms);
    hit.begin = static_cast<std::uint32_t>(begin);
    hit.end = static_cast<std::uint32_t>(end);
    if (query.before > 0 || query.after > 0) {
      LIUBAI_ASSIGN_OR_RETURN(
          std::vector<Turn> around,
          store->Neighbours(hit.turn.id, query.before, query.after, options.tenant));
      for (Turn& turn : around) {
        if (turn.seq < hit.turn.seq) {
          hit.before.push_back(std::move(turn));
        } else if (turn.seq > hit.turn.seq) {
          hit.after.push_back(std::move(turn));
        }
      }
    }
    result.hits.push_back(std::move(hit));
  }
  result.search_us = MicrosSince(start);
  return result;
}

}  // namespace liubai::inline v1
