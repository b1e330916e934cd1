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
#include "memory/best_texts.h"
#include "memory/fts_tokenizer.h"
#include "memory/question.h"
#include "memory/store_impl.h"

namespace liubai::inline v1 {
namespace {

constexpr double kSessionK1 = 2.0;  // Sessions are long: a second mention tells more.
constexpr double kSessionB = 0.4;
// From here on a process reads the lists of frequent words before its first query.
constexpr std::int64_t kLargeStore_turns = 100'000;

using memory::TermPostings;

Status ReadPostings(memory::Database& db, std::string_view table,
                    const std::vector<std::string>& terms, const memory::PostingSink& sink) {
  if (terms.empty()) return Status();
  memory::SetPostingSink(&sink);
  auto query = db.Query(
      fmt::format("SELECT liubai_postings({0}) FROM {0} WHERE {0} MATCH ?1 LIMIT 1", table),
      memory::MatchExpression(terms));
  query.Step();
  memory::SetPostingSink(nullptr);
  return query.status();
}

double Idf(std::int64_t documents, std::int64_t with_term) {
  const double n = static_cast<double>(documents);
  const double f = static_cast<double>(with_term);
  return std::log(1.0 + (n - f + 0.5) / (f + 0.5));
}

// In a large store what two hundred of its most frequent words take.
std::size_t MostKept_bytes(std::size_t turns) {
  return std::max(std::size_t{16} << 20, 256 * turns);
}

}  // namespace

void Store::Impl::AddMeta(TurnId id, const TurnMeta& meta) {
  const std::size_t place = static_cast<std::size_t>(id);
  if (place >= turns.size()) turns.resize(place + 1);
  turns[place] = meta;
  const bool user = meta.role == Role::kUser;
  const memory::WordTable::Added added =
      words.Add(static_cast<std::uint32_t>(id), meta.session, meta.words, user);
  Totals& total = totals[meta.tenant];
  ++total.turns;
  total.words += meta.words;
  total.window_words += added.window_words;
  total.sessions += added.new_session ? 1 : 0;
  if (user) total.user_words += meta.words;
}

Result<bool> Store::Impl::ChangedByOthers(std::int64_t* seen) {
  auto query = db->Query("PRAGMA data_version");
  const std::int64_t version = query.Step() ? query.Int(0) : 0;
  LIUBAI_RETURN_IF_ERROR(query.status());
  return std::exchange(*seen, version) != version;
}

// The writer keeps its table up to date itself; a reader sees by the data version that another
// connection has committed, and reads the table again.
Status Store::Impl::LoadMeta() {
  LIUBAI_ASSIGN_OR_RETURN(const bool changed, ChangedByOthers(&meta_data_version));
  if (meta_loaded && !changed) return Status();
  meta_loaded = false;
  turns.clear();
  words.Clear();
  postings.Clear();
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
  return Status();
}

Status Store::Impl::ReadTurnPostings(const std::vector<std::string>& terms, TenantId tenant) {
  std::vector<std::string> missing;
  for (const std::string& term : terms) {
    if (postings.Find(tenant, term) == nullptr) missing.push_back(term);
  }
  std::vector<TermPostings> read(missing.size());
  LIUBAI_RETURN_IF_ERROR(
      ReadPostings(*db, "turns_fts", missing, [&](std::size_t term, std::int64_t row, int count) {
        const std::size_t place = static_cast<std::size_t>(row);
        if (row <= 0 || place >= turns.size()) return;
        if (turns[place].session == 0 || turns[place].tenant != tenant) return;
        read[term].Add(static_cast<std::uint32_t>(row), count);
      }));
  for (std::size_t i = 0; i < missing.size(); ++i) {
    read[i].ShrinkToFit();
    postings.Put(tenant, missing[i], std::move(read[i]));
  }
  return Status();
}

Result<std::vector<const TermPostings*>> Store::Impl::TurnPostings(
    const std::vector<std::string>& terms, TenantId tenant) {
  postings.Trim(MostKept_bytes(turns.size()));
  LIUBAI_RETURN_IF_ERROR(ReadTurnPostings(terms, tenant));
  std::vector<const TermPostings*> lists;
  for (const std::string& term : terms) {
    TermPostings* const list = postings.Find(tenant, term);
    words.Update(*list);
    lists.push_back(list);
  }
  return lists;
}

// By what share of a sample has them. A word that one query in a hundred holds would otherwise make
// that one wait for its reading.
Status Store::Impl::WarmPostings(TenantId tenant) {
  constexpr std::size_t kSample = 2000;
  constexpr std::size_t kLeast = kSample / 400;
  std::unordered_map<std::string, std::size_t> sampled;
  const std::size_t step = std::max<std::size_t>(1, turns.size() / kSample);
  for (std::size_t id = 1; id < turns.size(); id += step) {
    if (turns[id].session == 0 || turns[id].tenant != tenant) continue;
    auto row = db->Query("SELECT speaker, text FROM turns WHERE turn_id=?1",
                         static_cast<std::int64_t>(id));
    if (!row.Step()) continue;
    for (const std::string& term : memory::TermSet(memory::IndexedText(row.View(0), row.View(1)))) {
      ++sampled[term];
    }
    LIUBAI_RETURN_IF_ERROR(row.status());
  }
  std::vector<std::pair<std::size_t, std::string>> frequent;
  for (auto& [term, count] : sampled) {
    if (count >= kLeast && !memory::QueryTerms(term).empty()) frequent.emplace_back(count, term);
  }
  std::ranges::sort(frequent, std::greater<>());
  for (const auto& [count, term] : frequent) {
    if (postings.bytes() > MostKept_bytes(turns.size()) / 2) break;
    LIUBAI_RETURN_IF_ERROR(ReadTurnPostings({term}, tenant));
    words.Update(*postings.Find(tenant, term));
  }
  return Status();
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
  const Impl::Totals totals = impl.totals[filter.tenant];
  if (totals.turns == 0) {
    hits.term_weights.assign(hits.terms.size(), 0);
    return hits;
  }
  if (totals.turns >= kLargeStore_turns && !std::exchange(impl.postings_warm, true)) {
    LIUBAI_RETURN_IF_ERROR(impl.WarmPostings(filter.tenant));
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto postings, impl.TurnPostings(hits.terms, filter.tenant));
  // BM25's denominator is tf + base + slope * words.
  const float k1 = static_cast<float>(options.k1);
  const auto Lengths = [&](std::int64_t words) {
    const double mean = std::max(1.0, static_cast<double>(words) / totals.turns);
    return memory::ScoredLengths{k1 * static_cast<float>(1 - options.b),
                                 static_cast<float>(options.k1 * options.b / mean)};
  };

  // The sessions' texts: all, and the user's.
  const auto all_sessions = impl.words.sessions();
  std::vector<double> of_session(all_sessions.size()), of_user(all_sessions.size());
  const double sessions = static_cast<double>(totals.sessions);
  const double mean_words = std::max(1.0, static_cast<double>(totals.words) / sessions);
  const double mean_user_words = std::max(1.0, static_cast<double>(totals.user_words) / sessions);
  const auto SessionScore = [](double weight, double tf, double length) {
    return weight * (kSessionK1 + 1) * tf /
           (tf + kSessionK1 * (1 - kSessionB + kSessionB * length));
  };

  std::vector<memory::ScoredTerm> turn_terms, window_terms;
  for (std::size_t term = 0; term < postings.size(); ++term) {
    const TermPostings& list = *postings[term];
    const double topic = memory::TopicWeight(hits.terms[term]);
    const std::int64_t with_term = static_cast<std::int64_t>(list.size());
    const double weight = topic * Idf(totals.turns, with_term);
    // A Chinese bigram that nobody used is as often the border of two words as a word.
    constexpr double kUnusedBigram = 0.3;
    const bool bigram = with_term == 0 && static_cast<unsigned char>(hits.terms[term][0]) >= 0x80;
    hits.term_weights.push_back(bigram ? kUnusedBigram * weight : weight);
    if (with_term == 0) continue;
    turn_terms.push_back({&list, static_cast<float>(weight) * (k1 + 1)});
    window_terms.push_back(
        {&list, static_cast<float>(topic * Idf(totals.turns, list.windows)) * (k1 + 1)});
    const double session_weight =
        topic * Idf(totals.sessions, static_cast<std::int64_t>(list.sessions.size()));
    const double user_weight = topic * Idf(totals.sessions, list.user_sessions);
    for (const TermPostings::OfSession& found : list.sessions) {
      const memory::WordTable::Session& session = all_sessions[found.session];
      of_session[found.session] += SessionScore(session_weight, found.count,
                                                static_cast<double>(session.words) / mean_words);
      if (found.user_count == 0) continue;
      of_user[found.session] += SessionScore(
          user_weight, found.user_count, static_cast<double>(session.user_words) / mean_user_words);
    }
  }
  for (std::size_t i = 0; i < all_sessions.size(); ++i) {
    if (of_session[i] <= 0) continue;
    hits.sessions.push_back({all_sessions[i].id, of_session[i], of_user[i]});
  }

  const std::unordered_set<TurnId> exclude(filter.exclude.begin(), filter.exclude.end());
  const bool all_pass = !filter.session && filter.roles.empty() && filter.before_turn <= 0 &&
                        filter.after_turn <= 0 && exclude.empty() && !filter.from_ms &&
                        !filter.to_ms;
  std::function<bool(std::uint32_t)> passes;
  if (!all_pass) {
    passes = [&](std::uint32_t id) {
      const Impl::TurnMeta& turn = impl.turns[id];
      return (!filter.session || turn.session == *filter.session) &&
             (filter.roles.empty() ||
              std::ranges::find(filter.roles, turn.role) != filter.roles.end()) &&
             (filter.before_turn <= 0 || id < filter.before_turn) && id > filter.after_turn &&
             (!filter.from_ms || turn.time_ms >= *filter.from_ms) &&
             (!filter.to_ms || turn.time_ms < *filter.to_ms) && !exclude.contains(id);
    };
  }
  const auto RarestFirst = [](std::vector<memory::ScoredTerm>& terms) {
    std::ranges::stable_sort(terms, {}, [](const auto& term) { return term.list->size(); });
  };
  RarestFirst(turn_terms);
  RarestFirst(window_terms);
  const std::size_t wanted = static_cast<std::size_t>(limit);
  for (const auto& [turn, score] :
       memory::BestTexts(memory::ScoredText::kTurn, impl.words, turn_terms, Lengths(totals.words),
                         wanted, passes)) {
    hits.turn.push_back({turn, score, impl.words.words(turn)});
  }
  for (const auto& [turn, score] :
       memory::BestTexts(memory::ScoredText::kWindow, impl.words, window_terms,
                         Lengths(totals.window_words), wanted, passes)) {
    hits.window.push_back(
        {turn, score, impl.words.window_words(turn) / impl.words.WindowTurns(turn)});
  }
  return hits;
}

Result<std::vector<FactHit>> Store::SearchFacts(std::string_view query, std::int64_t limit,
                                                bool with_closed, TenantId tenant) const {
  std::vector<std::pair<double, std::int64_t>> scored;
  {
    std::lock_guard lock(impl_->mutex);
    const std::vector<std::string> terms = memory::QueryTerms(query);
    std::vector<std::vector<std::int64_t>> postings(terms.size());
    LIUBAI_RETURN_IF_ERROR(ReadPostings(
        *impl_->db, "facts_fts", terms,
        [&](std::size_t term, std::int64_t row, int) { postings[term].push_back(row); }));
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
      for (const std::int64_t fact : list) with_term += visible.contains(fact) ? 1 : 0;
      for (const std::int64_t fact : list) {
        const auto found = visible.find(fact);
        if (found != visible.end() && found->second) scores[fact] += Idf(total, with_term);
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
