// A search: candidates by words, vectors, time and speaker, and what makes them hits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/elapsed.h"
#include "core/macros.h"
#include "core/text.h"
#include "memory/date_expression.h"
#include "memory/fts_tokenizer.h"
#include "memory/kind_words.h"
#include "memory/profile.h"
#include "memory/question.h"
#include "memory/retrieval_impl.h"
#include "memory/retrieval_list.h"

namespace liubai::inline v1 {

using memory::EmbeddedText;
using memory::NowOf;
using memory::TimeRange;
using memory::TokenizeText;
using memory::TurnMeta;
using memory::TurnTable;
using memory::VectorHit;

namespace {

constexpr std::int64_t kCandidates = 300;  // Of each field.
constexpr std::int64_t kOfKind = 100;
constexpr std::size_t kFewTurns = 200;
constexpr double kLeastCovered = 0.25;  // Of the question's words, among few turns.
constexpr std::size_t kLateCandidates = 256;
constexpr std::int64_t kSpreading = 100;  // Best by vector whose neighbours are candidates too.
// From so many vectors on comparing them takes far longer than to start a thread.
constexpr std::int64_t kManyVectors = 5000;
constexpr std::size_t kExcerptFrom_bytes = 1200;
constexpr std::size_t kExcerpt_bytes = 900;

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

Result<std::vector<std::vector<VectorHit>>> Retriever::Impl::Nearest(
    const QuestionVectors& vectors, const TurnFilter& filter) const {
  std::unique_lock lock(mutex);
  const memory::CompiledFilter allows(filter, table);
  memory::UnitFilter units;
  if (allows.empty()) {
    lock.unlock();  // The table is not asked.
  } else {
    units = [&](std::int64_t unit) { return allows(unit); };
  }
  std::vector<std::vector<VectorHit>> lists;
  for (const std::vector<float>* vector : {&vectors.pooled, &vectors.context_pooled}) {
    if (vector->empty()) continue;
    LIUBAI_ASSIGN_OR_RETURN(lists.emplace_back(), index->Search(*vector, kCandidates, units));
  }
  return lists;
}

Status Retriever::Impl::Collect(const RecallQuery& query, const memory::QuestionReading& reading,
                                const memory::AskedState& state, const QuestionVectors& vectors,
                                std::vector<Candidate>& candidates, RecallResult& result,
                                Background& background) const {
  const TurnFilter filter = Bound(query.filter);
  std::unordered_map<TurnId, std::size_t> place;
  const auto At = [&](TurnId id) -> Candidate& {
    const auto [entry, fresh] = place.emplace(id, candidates.size());
    if (fresh) candidates.emplace_back().id = id;
    return candidates[entry->second];
  };
  // Another thread compares many vectors while this one reads words. Where the system refuses it
  // one, and where they are few, this one does it when it asks for them.
  std::future<Result<std::vector<std::vector<VectorHit>>>> nearest;
  if (!vectors.pooled.empty()) {
    const bool many = index->status().live_rows >= kManyVectors;
    nearest = std::async(many ? std::launch::async | std::launch::deferred : std::launch::deferred,
                         [&] { return Nearest(vectors, filter); });
  }
  auto start = std::chrono::steady_clock::now();
  LIUBAI_ASSIGN_OR_RETURN(TextHits hits, store->SearchTextFields(WordsToSearch(reading, query.text),
                                                                 filter, kCandidates));
  for (const TextHit& hit : hits.turn) {
    Candidate& candidate = At(hit.turn_id);
    candidate.value[RecallField::kWords] = candidate.value[RecallField::kWordsLong] = hit.score;
  }
  for (const TextHit& hit : hits.window) {
    Candidate& candidate = At(hit.turn_id);
    candidate.value[RecallField::kWordsAround] = hit.score;
    const double share = std::min(1.0, weights.short_turn / std::max(1, hit.words));
    candidate.around_share = share * share;
  }
  result.terms = std::move(hits.terms);
  result.term_weights = std::move(hits.term_weights);
  if (!query.context.empty()) {
    LIUBAI_ASSIGN_OR_RETURN(const TextHits said,
                            store->SearchTextFields(query.context, filter, kCandidates));
    for (const TextHit& hit : said.turn) At(hit.turn_id).value[RecallField::kContext] = hit.score;
  }
  // People tell what they did, not what the assistant listed.
  const std::string kinds = memory::KindWordsFor(query.text);
  if (!kinds.empty()) {
    TurnFilter said_by_user = filter;
    if (said_by_user.roles.empty()) said_by_user.roles = {Role::kUser};
    LIUBAI_ASSIGN_OR_RETURN(const TextHits named,
                            store->SearchTextFields(kinds, said_by_user, kOfKind));
    for (const TextHit& hit : named.turn) {
      At(hit.turn_id).value[RecallField::kKind] = hit.score / named.turn.front().score;
    }
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto of_essences, EssenceValues(result, filter));
  for (const auto& [id, value] : of_essences) At(id).value[RecallField::kEssence] = value;
  result.words_us = MicrosSince(start);

  LIUBAI_ASSIGN_OR_RETURN(
      const std::vector<memory::ProfileSource> known,
      memory::ProfileSourcesFor(
          *store, {.text = query.text, .tenant = options.tenant, .state = state, .others = true}));
  start = std::chrono::steady_clock::now();
  std::vector<std::vector<VectorHit>> by_vector;
  if (nearest.valid()) {
    LIUBAI_ASSIGN_OR_RETURN(by_vector, nearest.get());
  }
  std::lock_guard lock(mutex);
  const memory::CompiledFilter allows(filter, table);
  for (const memory::ProfileSource& source : known) {
    if (!allows(source.turn) || (source.weight <= 0 && !place.contains(source.turn))) continue;
    Candidate& candidate = At(source.turn);
    if (source.weight > 0) candidate.value[RecallField::kProfile] = source.weight;
    candidate.told = source.held;
  }
  for (const std::vector<VectorHit>& near : by_vector) {
    for (std::size_t i = 0; i < near.size(); ++i) {
      At(near[i].unit_id);
      if (static_cast<std::int64_t>(i) >= kSpreading) continue;
      for (const TurnId neighbour : table.Around(near[i].unit_id)) {
        if (neighbour != 0 && allows(neighbour)) At(neighbour);
      }
    }
  }

  const std::vector<TimeRange> ranges = memory::TimeRangesOf(reading.times, NowOf(query));
  const std::unordered_set<std::int32_t> named = table.SpeakersNamedIn(query.text);
  const bool about_assistant = reading.Has(memory::QuestionTrait::kAboutAssistant);
  const bool about_self = reading.Has(memory::QuestionTrait::kAboutSelf);
  double rarity = 0;
  if (!ranges.empty()) {
    const TurnTable::TimeMatches matches = table.InTime(ranges, 64);
    rarity = matches.rarity;
    for (const TurnId id : matches.turns) {
      if (allows(id)) At(id);
    }
  }
  result.sessions = std::move(hits.sessions);
  std::unordered_map<SessionId, double> sessions;
  for (const SessionTextHit& hit : result.sessions) sessions[hit.session_id] = hit.score;
  std::erase_if(candidates, [&](Candidate& candidate) {
    candidate.meta = table.Find(candidate.id);
    return candidate.meta == nullptr;
  });
  for (Candidate& candidate : candidates) {
    const TurnMeta& meta = *candidate.meta;
    auto& value = candidate.value;
    // Naming everyone tells nothing.
    value[RecallField::kSpeaker] = named.size() == 1 && named.contains(meta.speaker) ? 1 : 0;
    const double closeness = table.Closeness(meta, ranges);
    value[RecallField::kDate] = rarity * closeness;
    candidate.in_time = closeness >= 0.5;
    value[RecallField::kRole] =
        meta.role == (about_assistant ? Role::kAssistant : Role::kUser) ? 1 : 0;
    value[RecallField::kPersonal] =
        about_self && !about_assistant ? meta.first_person / (meta.first_person + 2.0) : 0;
    const TurnMeta* const previous = table.Find(meta.previous);
    value[RecallField::kReply] = previous != nullptr && previous->asks ? 1 : 0;
    value[RecallField::kAsks] = meta.asks ? 1 : 0;
    value[RecallField::kLength] = std::log1p(meta.bytes / 16.0) / 4;
    if (const auto found = sessions.find(meta.session); found != sessions.end()) {
      value[RecallField::kSession] = found->second;
    }
  }
  if (!vectors.pooled.empty()) {
    background = Measure(index->SampleScores(vectors.pooled, 512));
    LIUBAI_RETURN_IF_ERROR(ScoreMeaning(vectors, candidates));
  }
  result.vectors_us = MicrosSince(start);
  return Status();
}

// "my sister's company", "the person who taught me": the part that must be found first is searched
// for by itself, where its words do not drown among the others, and then the names that the turns
// bring which tell of it.
Status Retriever::Impl::AddHops(const memory::QuestionReading& reading, const RecallQuery& query,
                                std::vector<Candidate>& candidates) const {
  constexpr std::int64_t kFirst = 3;
  const TurnFilter filter = Bound(query.filter);
  std::unordered_map<TurnId, std::size_t> place;
  for (std::size_t i = 0; i < candidates.size(); ++i) place.emplace(candidates[i].id, i);
  const auto Add = [&](const TextHits& hits, double share) {
    if (hits.window.empty()) return;
    const double most = hits.window.front().score;
    for (const TextHit& hit : hits.window) {
      const auto found = place.find(hit.turn_id);
      if (found == place.end() || most <= 0) continue;
      candidates[found->second].Raise(RecallField::kHop, share * hit.score / most);
    }
  };
  std::size_t parts = 0;
  for (const memory::QuestionHop& hop : reading.hops) {
    if (++parts > 3) break;
    LIUBAI_ASSIGN_OR_RETURN(const TextHits first,
                            store->SearchTextFields(hop.part, filter, kCandidates));
    Add(first, 0.7);
    std::vector<TurnId> best;
    for (const TextHit& hit : first.turn) {
      if (static_cast<std::int64_t>(best.size()) == kFirst) break;
      best.push_back(hit.turn_id);
    }
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Turn> turns, store->GetTurns(best, options.tenant));
    std::string names;
    for (const Turn& turn : turns) {
      const std::string_view text = TruncateUtf8(turn.text, kExcerptFrom_bytes);
      for (const memory::QuestionName& name : memory::ReadQuestion(text, turn.time_ms).names) {
        if (query.text.find(name.name) == std::string::npos) names += name.name + " ";
      }
    }
    if (names.empty()) continue;
    LIUBAI_ASSIGN_OR_RETURN(const TextHits second,
                            store->SearchTextFields(names, filter, kCandidates));
    Add(second, 1.0);
  }
  return Status();
}

Result<std::vector<Turn>> Retriever::Impl::TurnsOf(std::span<const Candidate> candidates) const {
  std::vector<TurnId> ids;
  for (const Candidate& candidate : candidates) ids.push_back(candidate.id);
  return store->GetTurns(ids, options.tenant);
}

// Turns that hold what the question quotes, or one of its numbers however they are written.
Status Retriever::Impl::AddExact(const memory::QuestionReading& reading,
                                 std::span<Candidate> candidates) const {
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<Turn> turns, TurnsOf(candidates));
  std::unordered_map<TurnId, const Turn*> texts;
  for (const Turn& turn : turns) texts[turn.id] = &turn;
  std::vector<std::string> quotes;
  for (const memory::QuestionQuote& quote : reading.quotes) {
    quotes.push_back(ToLowerUtf8(quote.quote));
  }
  const double wanted = static_cast<double>(quotes.size() + reading.numbers.size());
  for (Candidate& candidate : candidates) {
    const auto found = texts.find(candidate.id);
    if (found == texts.end()) continue;
    double held = 0;
    const std::string text = ToLowerUtf8(found->second->text);
    for (const std::string& quote : quotes) held += text.find(quote) != std::string::npos ? 1 : 0;
    if (!reading.numbers.empty()) {
      const std::vector<memory::Quantity> numbers = memory::QuantitiesIn(found->second->text);
      for (const memory::Quantity& number : reading.numbers) {
        held += std::ranges::any_of(numbers, [&](const memory::Quantity& other) {
          return other.value == number.value &&
                 (other.unit == number.unit || other.unit.empty() || number.unit.empty());
        });
      }
    }
    candidate.value[RecallField::kExact] = held / wanted;
  }
  return Status();
}

RecallRelevance Retriever::Impl::Relevance(const Candidate& candidate, const RecallResult& result,
                                           const std::vector<std::string>& words,
                                           const Background& background) const {
  RecallRelevance relevance;
  double total = 0, has = 0;
  for (std::size_t i = 0; i < result.terms.size(); ++i) {
    total += result.term_weights[i];
    if (std::ranges::find(words, result.terms[i]) != words.end()) has += result.term_weights[i];
  }
  const auto Known = [&](RecallField field, double otherwise) {
    const double value = candidate.value[field];
    return std::isnan(value) ? otherwise : value;
  };
  if (total > 0) {
    relevance.covered = has / total;
    relevance.around = Known(RecallField::kWordsAround, 0) / total;
  }
  relevance.tokens = std::max(Known(RecallField::kTokens, 0), Known(RecallField::kTokensAround, 0));
  const bool encoded = !std::isnan(candidate.value[RecallField::kMeaning]);
  if (encoded) {
    relevance.deviations =
        (std::max(Known(RecallField::kMeaning, 0), Known(RecallField::kMeaningAround, 0)) -
         background.mean) /
        background.deviation;
  }
  const memory::RelevanceWeights& weight =
      result.by_meaning && encoded ? weights.relevance_vectors : weights.relevance_words;
  const double sum = weight.bias + weight.covered * relevance.covered +
                     weight.around * relevance.around + weight.tokens * relevance.tokens +
                     weight.deviations * relevance.deviations;
  relevance.probability = 1 / (1 + std::exp(-sum));
  return relevance;
}

Result<RecallResult> Retriever::Impl::Search(const RecallQuery& query,
                                             const QuestionVectors& vectors) const {
  const std::span<const float> vector = vectors.pooled;
  const auto start = std::chrono::steady_clock::now();
  if (query.limit < 1 || query.limit > 10000) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("a limit of {} memories; 1..10000 are allowed", query.limit));
  }
  LIUBAI_RETURN_IF_ERROR(CheckText(query.text, "the question"));
  LIUBAI_RETURN_IF_ERROR(Refresh());
  if (index) LIUBAI_RETURN_IF_ERROR(index->CatchUp());
  RecallResult result;
  std::size_t store_turns = 0;
  {
    std::lock_guard lock(mutex);
    store_turns = table.size();
  }
  result.by_meaning = !vector.empty();
  result.talk = !query.context.empty() && !memory::EndsInQuestion(query.text);
  result.note = note;
  const memory::QuestionReading reading = memory::ReadForRecall(query);
  const memory::AskedState state = StateAsked(reading, query.text);
  std::vector<Candidate> candidates;
  Background background;
  LIUBAI_RETURN_IF_ERROR(Collect(query, reading, state, vectors, candidates, result, background));
  result.candidates = static_cast<std::int64_t>(candidates.size());

  const Background context_background =
      vectors.context_pooled.empty() ? Background()
                                     : Measure(index->SampleScores(vectors.context_pooled, 512));
  const auto Better = [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : a.id > b.id;  // Newer first among equals.
  };
  Weigh(candidates, result, background, context_background);
  // Tokens are compared for the most promising ones; what is left has no chance against them.
  const auto Promising = [&] {
    const std::size_t count = std::min(candidates.size(), kLateCandidates);
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
                      candidates.end(), Better);
    return std::span(candidates).first(count);
  };
  if (codec && !vectors.tokens.begin.empty()) {
    const auto scoring = std::chrono::steady_clock::now();
    std::lock_guard lock(mutex);
    LIUBAI_RETURN_IF_ERROR(ScoreTokens(query, vectors, result, Promising()));
    Weigh(candidates, result, background, context_background);
    result.tokens_us = MicrosSince(scoring);
  }
  if (!reading.hops.empty() || !reading.quotes.empty() || !reading.numbers.empty()) {
    if (!reading.hops.empty()) LIUBAI_RETURN_IF_ERROR(AddHops(reading, query, candidates));
    if (!reading.quotes.empty() || !reading.numbers.empty()) {
      LIUBAI_RETURN_IF_ERROR(AddExact(reading, Promising()));
    }
    Weigh(candidates, result, background, context_background);
  }
  if (!reading.negations.empty()) LIUBAI_RETURN_IF_ERROR(AddNegation(reading, query, Promising()));
  LIUBAI_RETURN_IF_ERROR(AddOrder(reading, query, candidates));
  {
    std::lock_guard lock(mutex);
    AddHeld(state, candidates);
  }
  Weigh(candidates, result, background, context_background);
  // For a list more are read, of which those that tell the same, or are of one session, yield.
  result.several = memory::WantsSeveral(reading);
  const std::size_t wanted = static_cast<std::size_t>(query.limit) * (result.several ? 3 : 1);
  // Some more than asked for: rows may be gone or irrelevant.
  const std::size_t most = std::min(candidates.size(), wanted * 2 + 16);
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(most),
                    candidates.end(), Better);
  candidates.resize(most);

  LIUBAI_ASSIGN_OR_RETURN(std::vector<Turn> turns, TurnsOf(candidates));
  std::unordered_map<TurnId, Turn*> live;
  for (Turn& turn : turns) live[turn.id] = &turn;
  for (Candidate& candidate : candidates) {
    if (result.hits.size() == wanted) break;
    const auto found = live.find(candidate.id);
    if (found == live.end()) continue;
    RecallHit hit;
    hit.turn = std::move(*found->second);
    const std::unordered_set<std::string> has = memory::TermSet(EmbeddedText(hit.turn));
    for (const std::string& term : result.terms) {
      if (has.contains(term)) hit.words.push_back(term);
    }
    hit.relevance = Relevance(candidate, result, hit.words, background);
    const memory::RelevanceWeights& floor =
        result.by_meaning && !std::isnan(candidate.value[RecallField::kMeaning])
            ? weights.relevance_vectors
            : weights.relevance_words;
    // What the question points at by other means than what it speaks of.
    const bool pointed = candidate.in_time || candidate.share[RecallField::kProfile] > 0 ||
                         candidate.share[RecallField::kExact] > 0;
    // Among few turns the rarity of words tells little, and what there is should be shown.
    const bool few = store_turns < kFewTurns &&
                     static_cast<double>(hit.words.size()) >=
                         kLeastCovered * static_cast<double>(result.terms.size()) &&
                     !hit.words.empty();
    const bool relevant = pointed || few || hit.relevance.probability >= floor.least;
    if (!relevant && !query.with_irrelevant) {
      ++result.dropped_irrelevant;
      continue;
    }
    hit.score = candidate.score;
    for (int i = 0; i < kRecallFields; ++i) {
      const RecallField field = static_cast<RecallField>(i);
      const double share = candidate.share[field];
      if (share == 0) continue;
      hit.signals.push_back({field, candidate.value[field], share, candidate.Contribution(field)});
    }
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
