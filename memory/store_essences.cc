// Essences: the tree, read and linked.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <unordered_set>
#include <utility>

#include "core/macros.h"
#include "memory/essence_tree.h"
#include "memory/exact_words.h"
#include "memory/fts_tokenizer.h"
#include "memory/store_impl.h"

namespace liubai::inline v1 {
namespace {

using memory::Statement;

#define LIUBAI_ESSENCE_COLUMNS                                                                    \
  "e.essence_id, e.session_id, e.first_turn, e.last_turn, e.level, e.text, e.method, e.checked, " \
  "e.tokens, e.time_ms, e.replaced_by, e.trust, coalesce((SELECT time_ms FROM turns t WHERE "     \
  "t.turn_id=e.first_turn), 0), coalesce((SELECT time_ms FROM turns t WHERE "                     \
  "t.turn_id=e.last_turn), 0)"

Essence ReadEssence(const Statement& row) {
  Essence essence;
  essence.id = row.Int(0);
  essence.session_id = row.Int(1);
  essence.first_turn = row.Int(2);
  essence.last_turn = row.Int(3);
  essence.level = static_cast<std::int32_t>(row.Int(4));
  essence.text = row.Text(5);
  essence.method = row.Text(6);
  essence.checked = row.Int(7) != 0;
  essence.tokens = memory::ReadTokens(row.Bytes(8));
  essence.time_ms = row.Int(9);
  essence.replaced_by = row.Int(10);
  essence.trust = static_cast<Trust>(row.Int(11));
  essence.first_time_ms = row.Int(12);
  essence.last_time_ms = row.Int(13);
  return essence;
}

Result<std::vector<Essence>> ReadAll(Statement query) {
  std::vector<Essence> essences;
  while (query.Step()) essences.push_back(ReadEssence(query));
  LIUBAI_RETURN_IF_ERROR(query.status());
  return essences;
}

// Of those within one range, of any level: the highest that are in no other.
std::vector<Essence> Outermost(std::vector<Essence> within) {
  std::stable_sort(within.begin(), within.end(),
                   [](const Essence& a, const Essence& b) { return a.level > b.level; });
  std::vector<Essence> outermost;
  for (Essence& essence : within) {
    const bool inside = std::any_of(outermost.begin(), outermost.end(), [&](const Essence& other) {
      return other.first_turn <= essence.first_turn && essence.last_turn <= other.last_turn;
    });
    if (!inside) outermost.push_back(std::move(essence));
  }
  std::sort(outermost.begin(), outermost.end(),
            [](const Essence& a, const Essence& b) { return a.first_turn < b.first_turn; });
  return outermost;
}

// Where the turns and essences of a session lie: in it, and, up to a turn, in those that it was
// forked from.
struct Place {
  SessionId session = 0;
  TurnId through = 0;  // 0: all.
};

Result<std::vector<Place>> PlacesOf(memory::Database& db, SessionId session, TenantId tenant) {
  std::vector<Place> places = {{session, 0}};
  auto query = db.Query("SELECT value FROM settings WHERE tenant=?1 AND key=?2", tenant,
                        memory::ForkKey(session));
  const std::string sources = query.Step() ? query.Text(0) : "";
  LIUBAI_RETURN_IF_ERROR(query.status());
  for (std::size_t at = 0; at < sources.size();) {
    long long source = 0, through = 0;
    int used = 0;
    if (std::sscanf(sources.c_str() + at, " %lld@%lld%n", &source, &through, &used) != 2) break;
    places.push_back({source, through});
    at += static_cast<std::size_t>(used);
  }
  return places;
}

}  // namespace

Result<std::vector<Essence>> Store::Essences(std::optional<SessionId> session, bool with_replaced,
                                             TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  return ReadAll(impl_->db->Query("SELECT " LIUBAI_ESSENCE_COLUMNS
                                  " FROM essences e WHERE e.tenant=?1 AND (?2=0 OR "
                                  "e.session_id=?2) AND (?3 OR e.replaced_by=0) "
                                  "ORDER BY e.first_turn, e.essence_id",
                                  tenant, session.value_or(0), with_replaced ? 1 : 0));
}

Result<std::vector<Essence>> Store::EssencesAfter(std::int64_t id, TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  return ReadAll(impl_->db->Query("SELECT " LIUBAI_ESSENCE_COLUMNS
                                  " FROM essences e WHERE e.tenant=?1 AND e.essence_id>?2 "
                                  "ORDER BY e.essence_id",
                                  tenant, id));
}

void Store::Impl::NoteRowChange(void* impl, int operation, const char*, const char* table,
                                long long) {
  if (std::string_view(table) != "essences") return;
  EssenceChange& change = static_cast<Impl*>(impl)->essence_change;
  change = std::max(change,
                    operation == SQLITE_DELETE ? EssenceChange::kRemoved : EssenceChange::kAdded);
}

Status Store::Impl::RefreshEssences() {
  LIUBAI_ASSIGN_OR_RETURN(const bool changed, ChangedByOthers(&essence_data_version));
  if (changed) essence_change = EssenceChange::kRemoved;
  if (essence_change == EssenceChange::kNone) return Status();
  essence_stamps.clear();
  if (essence_change == EssenceChange::kRemoved) hidden_lines.clear();
  for (auto& [tenant, hidden] : hidden_lines) hidden.complete = false;
  essence_change = EssenceChange::kNone;
  return Status();
}

// Ids may be given anew after a removal; texts are never changed in their place.
Result<std::array<std::int64_t, 3>> Store::EssenceStamp(TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  LIUBAI_RETURN_IF_ERROR(impl_->RefreshEssences());
  if (const auto known = impl_->essence_stamps.find(tenant); known != impl_->essence_stamps.end()) {
    return known->second;
  }
  auto query = impl_->db->Query(
      "SELECT count(*), coalesce(max(essence_id),0), coalesce(sum(length(text)),0) FROM essences "
      "WHERE tenant=?1",
      tenant);
  std::array<std::int64_t, 3> stamp{};
  if (query.Step()) {
    for (std::size_t i = 0; i < stamp.size(); ++i) stamp[i] = query.Int(static_cast<int>(i));
  }
  LIUBAI_RETURN_IF_ERROR(query.status());
  impl_->essence_stamps[tenant] = stamp;
  return stamp;
}

Result<UnfoldedEssence> Store::UnfoldEssence(std::int64_t id, std::int64_t most_turns,
                                             TenantId tenant) const {
  if (most_turns < 0) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("most_turns is {}; it must not be negative", most_turns));
  }
  UnfoldedEssence unfolded;
  std::vector<TurnId> ids;
  {
    std::lock_guard lock(impl_->mutex);
    auto& db = *impl_->db;
    LIUBAI_ASSIGN_OR_RETURN(auto found,
                            ReadAll(db.Query("SELECT " LIUBAI_ESSENCE_COLUMNS
                                             " FROM essences e WHERE e.essence_id=?1 AND "
                                             "e.tenant=?2",
                                             id, tenant)));
    if (found.empty()) {
      return Status(StatusCode::kNotFound, fmt::format("essence {} does not exist", id));
    }
    const Essence& essence = unfolded.essence = std::move(found.front());
    LIUBAI_ASSIGN_OR_RETURN(const auto places, PlacesOf(db, essence.session_id, tenant));
    if (essence.level > 0) {
      LIUBAI_ASSIGN_OR_RETURN(unfolded.children,
                              ReadAll(db.Query("SELECT " LIUBAI_ESSENCE_COLUMNS
                                               " FROM essences e WHERE e.tenant=?1 AND "
                                               "e.session_id=?2 AND e.replaced_by=?3 AND "
                                               "e.method NOT IN ('overview', 'exact') ORDER BY "
                                               "e.first_turn",
                                               tenant, essence.session_id, id)));
    }
    // Behind a leaf that a fork took over, too.
    for (const Place& place : places) {
      if (essence.level > 0 || essence.method == memory::kExact || !unfolded.exact.empty()) break;
      LIUBAI_ASSIGN_OR_RETURN(
          auto exact,
          ReadAll(db.Query("SELECT " LIUBAI_ESSENCE_COLUMNS
                           " FROM essences e WHERE e.tenant=?1 AND e.session_id=?2 AND "
                           "e.first_turn>=?3 AND e.last_turn<=?4 AND e.method='exact' "
                           "ORDER BY e.essence_id",
                           tenant, place.session, essence.first_turn, essence.last_turn)));
      unfolded.exact = std::move(exact);
    }
    // An earlier overview, or one that a fork took over: by what it covers.
    for (const Place& place : places) {
      if (essence.level == 0 || !unfolded.children.empty()) break;
      LIUBAI_ASSIGN_OR_RETURN(
          auto within, ReadAll(db.Query("SELECT " LIUBAI_ESSENCE_COLUMNS
                                        " FROM essences e WHERE e.tenant=?1 AND e.session_id=?2 "
                                        "AND e.first_turn>=?3 AND e.last_turn<=?4 AND e.level<?5 "
                                        "AND e.method NOT IN ('overview', 'exact') "
                                        "ORDER BY e.first_turn",
                                        tenant, place.session, essence.first_turn,
                                        essence.last_turn, essence.level)));
      unfolded.children = Outermost(std::move(within));
    }
    for (const Place& place : places) {
      const TurnId last =
          place.through == 0 ? essence.last_turn : std::min(essence.last_turn, place.through);
      auto query = db.Query(
          "SELECT turn_id FROM turns WHERE tenant=?1 AND session_id=?2 AND turn_id BETWEEN ?3 AND "
          "?4",
          tenant, place.session, essence.first_turn, last);
      while (query.Step()) ids.push_back(query.Int(0));
      LIUBAI_RETURN_IF_ERROR(query.status());
    }
  }
  std::sort(ids.begin(), ids.end());
  unfolded.turns_total = static_cast<std::int64_t>(ids.size());
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(most_turns)));
  LIUBAI_ASSIGN_OR_RETURN(unfolded.turns, GetTurns(ids, tenant));
  return unfolded;
}

Result<TurnId> Store::Impl::UnprovedIn(TurnId first, TurnId last, std::string_view sentence,
                                       TenantId tenant) {
  auto query = db->Query(
      "SELECT turn_id FROM ledger WHERE tenant=?1 AND turn_id BETWEEN ?2 AND ?3 AND state=?4 AND "
      "instr(?5, text)>0",
      tenant, first, last, static_cast<int>(LedgerState::kUnproved), sentence);
  const TurnId turn = query.Step() ? query.Int(0) : 0;
  LIUBAI_RETURN_IF_ERROR(query.status());
  return turn;
}

Status Store::Impl::ReadHiddenLines(TenantId tenant) {
  HiddenLines& hidden = hidden_lines[tenant];
  if (hidden.complete) return Status();
  std::vector<std::int64_t> fresh;
  auto ids = db->Query(
      "SELECT essence_id FROM essences WHERE tenant=?1 AND replaced_by>0 AND level=0 ORDER BY "
      "essence_id",
      tenant);
  while (ids.Step()) {
    if (!hidden.read.contains(ids.Int(0))) fresh.push_back(ids.Int(0));
  }
  LIUBAI_RETURN_IF_ERROR(ids.status());
  for (const std::int64_t id : fresh) {
    LIUBAI_ASSIGN_OR_RETURN(
        const std::vector<Essence> essences,
        ReadAll(db->Query("SELECT " LIUBAI_ESSENCE_COLUMNS " FROM essences e WHERE e.essence_id=?1",
                          id)));
    for (const Essence& essence : essences) {
      for (memory::ExactLine& line : memory::SearchedLines(essence)) {
        hidden.terms.Add(line.text);
        hidden.lines.push_back(
            {id, essence.first_turn, essence.last_turn, line.turn, std::move(line.text)});
      }
    }
    hidden.read.insert(id);
  }
  hidden.complete = true;
  return Status();
}

Result<std::vector<EssenceHit>> Store::SearchEssences(std::string_view query, std::size_t limit,
                                                      TenantId tenant) const {
  std::vector<EssenceHit> hits;
  const std::vector<std::string> terms = memory::QueryTerms(query);
  if (terms.empty() || limit == 0) return hits;
  std::lock_guard lock(impl_->mutex);
  LIUBAI_RETURN_IF_ERROR(impl_->RefreshEssences());
  LIUBAI_RETURN_IF_ERROR(impl_->ReadHiddenLines(tenant));
  const Impl::HiddenLines& hidden = impl_->hidden_lines[tenant];
  const std::vector<double> has = hidden.terms.Weigh(terms, std::vector<double>(terms.size(), 1.0));
  std::vector<std::size_t> fitting;  // At least half of the words.
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (2 * has[i] >= static_cast<double>(terms.size())) fitting.push_back(i);
  }
  // A fork has the same sentences: those of the latest essence count.
  std::ranges::stable_sort(fitting, std::greater<>(),
                           [&](std::size_t i) { return hidden.lines[i].essence; });
  std::unordered_set<std::string> seen;
  for (const std::size_t i : fitting) {
    const Impl::HiddenLines::Line& line = hidden.lines[i];
    TurnId turn = line.turn;
    if (turn == 0) {
      LIUBAI_ASSIGN_OR_RETURN(
          turn, impl_->UnprovedIn(line.first_turn, line.last_turn, line.text, tenant));
    }
    if (turn == 0 || !seen.insert(fmt::format("{} {}", turn, line.text)).second) continue;
    hits.push_back({line.essence, turn, line.text, has[i] / static_cast<double>(terms.size())});
  }
  std::stable_sort(hits.begin(), hits.end(), [](const EssenceHit& a, const EssenceHit& b) {
    return std::pair(a.score, a.turn_id) > std::pair(b.score, b.turn_id);
  });
  if (hits.size() > limit) hits.resize(limit);
  return hits;
}

}  // namespace liubai::inline v1

namespace liubai::memory {

Status LinkEssences(Database& db, const CompactionBatch& batch,
                    const std::vector<std::int64_t>& added) {
  // -1 is the first of those that were added.
  const auto id_of = [&](std::int64_t name) {
    return name >= 0 ? name : added[static_cast<std::size_t>(-1 - name)];
  };
  for (const auto& [essence, by] : batch.essence_links) {
    for (const std::int64_t name : {essence, by}) {
      if (name >= 0 || -name <= static_cast<std::int64_t>(added.size())) continue;
      return Status(
          StatusCode::kInvalidArgument,
          fmt::format("an essence is linked to new essence {} of {}", -name, added.size()));
    }
    auto update = db.Query(
        "UPDATE essences SET replaced_by=?1 WHERE essence_id=?2 AND tenant=?3 AND session_id=?4 "
        "RETURNING 1",
        id_of(by), id_of(essence), batch.tenant, batch.session_id);
    const bool hit = update.Step();
    LIUBAI_RETURN_IF_ERROR(update.Run());
    if (!hit) {
      return Status(StatusCode::kNotFound, fmt::format("essence {} does not exist in session {}",
                                                       id_of(essence), batch.session_id));
    }
  }
  return Status();
}

}  // namespace liubai::memory
