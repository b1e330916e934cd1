// Full text: BM25 over turns and over windows of turns, from one reading of the postings.
//
// FTS5 keeps the postings; the scores are ours, because document frequencies must be the tenant's
// own and a window is no row: its counts are the sums of its turns', so an index of windows (five
// times the text, two neighbours rewritten at every append) is not needed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "core/macros.h"
#include "memory/fts_tokenizer.h"
#include "memory/question.h"
#include "memory/store_impl.h"

namespace liubai::inline v1 {
namespace {

constexpr std::size_t kReach = 2;   // Turns before and after that belong to a window.
constexpr double kSessionK1 = 2.0;  // Sessions are long: a second mention tells more.
constexpr double kSessionB = 0.4;

using memory::Posting;

Result<std::vector<std::vector<Posting>>> ReadPostings(memory::Database& db, std::string_view table,
                                                       const std::vector<std::string>& terms) {
  std::vector<std::vector<Posting>> postings;
  if (terms.empty()) return postings;
  memory::SetPostingsSink(&postings);
  auto query = db.Query(
      fmt::format("SELECT liubai_postings({0}) FROM {0} WHERE {0} MATCH ?1 LIMIT 1", table),
      memory::MatchExpression(terms));
  query.Step();
  memory::SetPostingsSink(nullptr);
  LIUBAI_RETURN_IF_ERROR(query.status());
  return postings;
}

double Idf(std::int64_t documents, std::int64_t with_term) {
  const double n = static_cast<double>(documents);
  const double f = static_cast<double>(with_term);
  return std::log(1.0 + (n - f + 0.5) / (f + 0.5));
}

}  // namespace

void Store::Impl::AddMeta(TurnId id, const TurnMeta& meta) {
  const std::size_t place = static_cast<std::size_t>(id);
  if (place >= turns.size()) {
    turns.resize(place + 1);
    windows.resize(place + 1);
  }
  TurnMeta& turn = turns[place];
  turn = meta;
  TurnId& last = last_turn[meta.session];
  turn.previous = last;
  if (last != 0) turns[last].next = id;
  last = id;
  Totals& total = totals[meta.tenant];
  ++total.turns;
  total.words += meta.words;
  total.window_words += meta.words;
  const auto [session, fresh] =
      session_places.emplace(meta.session, static_cast<std::int32_t>(sessions.size()));
  if (fresh) {
    sessions.push_back({meta.session, 0, 0});
    ++total.sessions;
  }
  const bool user = meta.role == Role::kUser;
  sessions[session->second].words += meta.words;
  if (user) {
    sessions[session->second].user_words += meta.words;
    total.user_words += meta.words;
  }
  Window& window = windows[place];
  window = Window{meta.tenant, {}, meta.words, meta.words, session->second, user};
  TurnId t = turn.previous;
  for (std::size_t distance = 1; distance <= kReach && t != 0; ++distance, t = turns[t].previous) {
    Window& before = windows[t];
    window.beside[2 - distance] = static_cast<std::int32_t>(t);
    window.window_words += before.words;
    before.beside[1 + distance] = static_cast<std::int32_t>(id);
    before.window_words += meta.words;
    total.window_words += before.words + meta.words;
  }
}

// The writer keeps its table up to date itself; a reader sees by the data version that another
// connection has committed, and reads the table again.
Status Store::Impl::LoadMeta() {
  std::int64_t version = 0;
  {
    auto query = db->Query("PRAGMA data_version");
    if (query.Step()) version = query.Int(0);
    LIUBAI_RETURN_IF_ERROR(query.status());
  }
  if (meta_loaded && version == meta_data_version) return Status();
  turns.clear();
  windows.clear();
  frequent.clear();
  frequent_postings = 0;
  last_turn.clear();
  sessions.clear();
  session_places.clear();
  totals.clear();
  auto rows = db->Query(
      "SELECT turn_id, tenant, session_id, time_ms, words, role FROM turns ORDER BY turn_id");
  while (rows.Step()) {
    TurnMeta meta;
    meta.tenant = rows.Int(1);
    meta.session = rows.Int(2);
    meta.time_ms = rows.Int(3);
    meta.words = static_cast<std::int32_t>(rows.Int(4));
    meta.role = static_cast<Role>(rows.Int(5));
    AddMeta(rows.Int(0), meta);
  }
  LIUBAI_RETURN_IF_ERROR(rows.status());
  meta_loaded = true;
  meta_data_version = version;
  return Status();
}

Result<std::vector<const std::vector<Posting>*>> Store::Impl::TurnPostings(
    const std::vector<std::string>& terms) {
  constexpr std::size_t kFrequentFrom = 256;
  // 16 bytes each: in a large store what 16 of the most frequent words take at most.
  const std::size_t most_kept = std::max(std::size_t{1} << 20, 16 * turns.size());
  if (frequent_postings > most_kept) {
    frequent.clear();
    frequent_postings = 0;
  }
  std::vector<std::string> missing;
  for (const std::string& term : terms) {
    if (!frequent.contains(term)) missing.push_back(term);
  }
  LIUBAI_ASSIGN_OR_RETURN(rare, ReadPostings(*db, "turns_fts", missing));
  rare.resize(missing.size());  // FTS5 gives no lists where no turn has any of the terms.
  std::vector<const std::vector<Posting>*> lists;
  std::size_t next = 0;
  for (const std::string& term : terms) {
    if (const auto kept = frequent.find(term); kept != frequent.end()) {
      lists.push_back(&kept->second);
      continue;
    }
    std::vector<Posting>& list = rare[next++];
    if (list.size() < kFrequentFrom) {
      lists.push_back(&list);
      continue;
    }
    frequent_postings += list.size();
    lists.push_back(&frequent.emplace(term, std::move(list)).first->second);
  }
  return lists;
}

Result<std::vector<TextHit>> Store::SearchText(std::string_view query, const TurnFilter& filter,
                                               std::int64_t limit, TextField field,
                                               const Bm25Options& options) const {
  LIUBAI_ASSIGN_OR_RETURN(TextHits hits, SearchTextFields(query, filter, limit, options));
  return field == TextField::kTurn ? std::move(hits.turn) : std::move(hits.window);
}

Result<TextHits> Store::SearchTextFields(std::string_view query, const TurnFilter& filter,
                                         std::int64_t limit, const Bm25Options& options) const {
  if (limit < 0 || !(options.k1 >= 0) || !(options.b >= 0 && options.b <= 1)) {
    return Status(
        StatusCode::kInvalidArgument,
        fmt::format(
            "search: limit {}, k1 {}, b {}: limit and k1 must not be negative, b within 0..1",
            limit, options.k1, options.b));
  }
  std::lock_guard lock(impl_->mutex);
  Impl& impl = *impl_;
  LIUBAI_RETURN_IF_ERROR(impl.LoadMeta());
  TextHits hits;
  hits.terms = memory::QueryTerms(query);
  LIUBAI_ASSIGN_OR_RETURN(const auto postings, impl.TurnPostings(hits.terms));
  const Impl::Totals totals = impl.totals[filter.tenant];
  if (totals.turns == 0) {
    hits.term_weights.assign(hits.terms.size(), 0);
    return hits;
  }
  const std::size_t places = impl.turns.size();
  // BM25's denominator is tf + base + slope * words.
  const float k1 = static_cast<float>(options.k1);
  const float base = k1 * static_cast<float>(1 - options.b);
  const auto Slope = [&](std::int64_t words) {
    const double mean = std::max(1.0, static_cast<double>(words) / totals.turns);
    return static_cast<float>(options.k1 * options.b / mean);
  };
  const float slope = Slope(totals.words);
  const float window_slope = Slope(totals.window_words);

  // The sessions' texts: all, and the user's.
  struct SessionText {
    std::vector<std::int32_t> counts, touched;
    std::vector<double> scores;
    double mean_words;
  };
  const double sessions = static_cast<double>(totals.sessions);
  SessionText whole{std::vector<std::int32_t>(impl.sessions.size()),
                    {},
                    std::vector<double>(impl.sessions.size()),
                    std::max(1.0, static_cast<double>(totals.words) / sessions)};
  SessionText users{std::vector<std::int32_t>(impl.sessions.size()),
                    {},
                    std::vector<double>(impl.sessions.size()),
                    std::max(1.0, static_cast<double>(totals.user_words) / sessions)};
  const auto Count = [](SessionText& text, std::int32_t session, int count) {
    if (text.counts[session] == 0) text.touched.push_back(session);
    text.counts[session] += count;
  };
  const auto AddTerm = [&](SessionText& text, double topic,
                           std::int64_t Impl::SessionMeta::*words) {
    const double weight =
        topic * Idf(totals.sessions, static_cast<std::int64_t>(text.touched.size()));
    for (const std::int32_t session : text.touched) {
      const double tf = std::exchange(text.counts[session], 0);
      const double length = static_cast<double>(impl.sessions[session].*words) / text.mean_words;
      text.scores[session] +=
          weight * (kSessionK1 + 1) * tf / (tf + kSessionK1 * (1 - kSessionB + kSessionB * length));
    }
    text.touched.clear();
  };

  // All zero between searches: to clear what a search touched is less than to make it anew.
  struct Scratch {
    std::vector<float> turn_scores, window_scores;
    std::vector<std::int32_t> counts;
    std::vector<std::int32_t> touched;  // By one term.
    std::vector<std::int32_t> candidates;
  };
  static thread_local Scratch scratch;
  auto& [turn_scores, window_scores, counts, touched, candidates] = scratch;
  if (turn_scores.size() < places) {
    turn_scores.resize(places);
    window_scores.resize(places);
    counts.resize(places);
  }
  candidates.clear();
  // In a large store, a word of most turns takes most of the time and, beside others, tells next to
  // nothing.
  constexpr std::int64_t kLargeStore_turns = 100'000;
  const auto IsCommon = [&](std::size_t with_term) {
    return 2 * static_cast<std::int64_t>(with_term) > totals.turns;
  };
  const bool skip_common =
      totals.turns >= kLargeStore_turns && std::ranges::any_of(postings, [&](const auto* list) {
        return !list->empty() && !IsCommon(list->size());
      });
  for (std::size_t term = 0; term < postings.size(); ++term) {
    const std::vector<Posting>& list = *postings[term];
    const double topic = memory::TopicWeight(hits.terms[term]);
    touched.clear();
    const auto ours = [&](std::int64_t row) {
      return row > 0 && static_cast<std::size_t>(row) < places &&
             impl.windows[row].tenant == filter.tenant;
    };
    std::int64_t with_term = 0;
    for (const Posting& posting : list) with_term += ours(posting.row) ? 1 : 0;
    const double weight = topic * Idf(totals.turns, with_term);
    // A Chinese bigram that nobody used is as often the border of two words as a word.
    constexpr double kUnusedBigram = 0.3;
    const bool bigram = with_term == 0 && static_cast<unsigned char>(hits.terms[term][0]) >= 0x80;
    hits.term_weights.push_back(bigram ? kUnusedBigram * weight : weight);
    if (skip_common && IsCommon(list.size())) continue;
    const float gain = static_cast<float>(weight) * (k1 + 1);
    for (const Posting& posting : list) {
      if (!ours(posting.row)) continue;
      const Impl::Window& window = impl.windows[posting.row];
      const float tf = static_cast<float>(posting.count);
      Count(whole, window.session, posting.count);
      if (window.user) Count(users, window.session, posting.count);
      turn_scores[posting.row] +=
          gain * tf / (tf + base + slope * static_cast<float>(window.words));
      const auto touch = [&](std::int32_t id) {
        if (counts[id] == 0) touched.push_back(id);
        counts[id] += posting.count;
      };
      touch(static_cast<std::int32_t>(posting.row));
      for (const std::int32_t id : window.beside) {
        if (id != 0) touch(id);
      }
    }
    AddTerm(whole, topic, &Impl::SessionMeta::words);
    AddTerm(users, topic, &Impl::SessionMeta::user_words);
    const float window_gain =
        static_cast<float>(topic * Idf(totals.turns, static_cast<std::int64_t>(touched.size()))) *
        (k1 + 1);
    for (const std::int32_t id : touched) {
      const float tf = static_cast<float>(std::exchange(counts[id], 0));
      if (window_scores[id] == 0) candidates.push_back(id);
      window_scores[id] +=
          window_gain * tf /
          (tf + base + window_slope * static_cast<float>(impl.windows[id].window_words));
    }
  }

  const std::unordered_set<TurnId> exclude(filter.exclude.begin(), filter.exclude.end());
  const auto passes = [&](TurnId id) {
    const Impl::TurnMeta& turn = impl.turns[id];
    return (!filter.session || turn.session == *filter.session) &&
           (filter.roles.empty() ||
            std::ranges::find(filter.roles, turn.role) != filter.roles.end()) &&
           (filter.before_turn <= 0 || id < filter.before_turn) && id > filter.after_turn &&
           (!filter.from_ms || turn.time_ms >= *filter.from_ms) &&
           (!filter.to_ms || turn.time_ms < *filter.to_ms) && !exclude.contains(id);
  };
  for (std::size_t i = 0; i < impl.sessions.size(); ++i) {
    if (whole.scores[i] <= 0) continue;
    hits.sessions.push_back({impl.sessions[i].id, whole.scores[i], users.scores[i]});
  }
  for (const TurnId id : candidates) {
    if (!passes(id)) continue;
    if (turn_scores[id] > 0) hits.turn.push_back({id, turn_scores[id], impl.turns[id].words});
    hits.window.push_back({id, window_scores[id], 0});
  }
  for (const std::int32_t id : candidates) turn_scores[id] = window_scores[id] = 0;
  for (std::vector<TextHit>* list : {&hits.turn, &hits.window}) {
    // Equal scores: the later turn first.
    const auto better = [](const TextHit& x, const TextHit& y) {
      return x.score != y.score ? x.score > y.score : x.turn_id > y.turn_id;
    };
    const auto keep = std::min<std::size_t>(list->size(), static_cast<std::size_t>(limit));
    const auto last = list->begin() + static_cast<std::ptrdiff_t>(keep);
    if (last != list->end()) std::ranges::nth_element(*list, last, better);
    std::ranges::sort(list->begin(), last, better);
    list->resize(keep);
  }
  for (TextHit& hit : hits.window) {
    const Impl::Window& window = impl.windows[hit.turn_id];
    hit.words = window.window_words / window.turns();
  }
  return hits;
}

Result<std::vector<FactHit>> Store::SearchFacts(std::string_view query, std::int64_t limit,
                                                bool with_closed, TenantId tenant) const {
  std::vector<std::pair<double, std::int64_t>> scored;
  {
    std::lock_guard lock(impl_->mutex);
    LIUBAI_ASSIGN_OR_RETURN(const auto postings,
                            ReadPostings(*impl_->db, "facts_fts", memory::QueryTerms(query)));
    // Facts are short and few: a term counts by its rarity alone.
    std::unordered_map<std::int64_t, double> scores;
    std::unordered_map<std::int64_t, bool> visible;
    std::int64_t total = 0;
    auto rows =
        impl_->db->Query("SELECT fact_id, valid_to_ms IS NULL FROM facts WHERE tenant=?1", tenant);
    while (rows.Step()) {
      ++total;
      visible[rows.Int(0)] = with_closed || rows.Int(1) != 0;
    }
    LIUBAI_RETURN_IF_ERROR(rows.status());
    for (const auto& list : postings) {
      std::int64_t with_term = 0;
      for (const Posting& posting : list) with_term += visible.contains(posting.row) ? 1 : 0;
      for (const Posting& posting : list) {
        const auto found = visible.find(posting.row);
        if (found != visible.end() && found->second) scores[posting.row] += Idf(total, with_term);
      }
    }
    for (const auto& [id, score] : scores) scored.emplace_back(score, id);
  }
  std::ranges::sort(scored, std::greater<>());
  if (static_cast<std::int64_t>(scored.size()) > limit)
    scored.resize(std::max<std::int64_t>(limit, 0));
  std::vector<FactHit> hits;
  for (const auto& [score, id] : scored) {
    LIUBAI_ASSIGN_OR_RETURN(std::vector<Fact> facts, GetFacts({&id, 1}, tenant));
    if (!facts.empty()) hits.push_back({std::move(facts.front()), score});
  }
  return hits;
}

}  // namespace liubai::inline v1
