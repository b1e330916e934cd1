// Sessions and turns.
#include <fmt/format.h>

#include <algorithm>

#include "core/macros.h"
#include "core/text.h"
#include "memory/fts_tokenizer.h"
#include "memory/store_impl.h"

namespace liubai::inline v1 {
namespace {

using memory::Statement;

constexpr std::size_t kMaxNameBytes = 1000;
constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;

#define LIUBAI_TURN_COLUMNS                                                                 \
  "turn_id, session_id, seq, role, speaker, text, tokens, time_ms, origin, trust, status, " \
  "idempotency_key, sources, digest"

Result<Turn> ReadTurn(const Statement& row) {
  Turn turn;
  turn.id = row.Int(0);
  turn.session_id = row.Int(1);
  turn.seq = row.Int(2);
  turn.role = static_cast<Role>(row.Int(3));
  turn.speaker = row.Text(4);
  turn.text = row.Text(5);
  turn.tokens = memory::ReadTokens(row.Bytes(6));
  turn.time_ms = row.Int(7);
  turn.origin = static_cast<Origin>(row.Int(8));
  turn.trust = static_cast<Trust>(row.Int(9));
  turn.status = static_cast<TurnStatus>(row.Int(10));
  turn.idempotency_key = row.Text(11);
  turn.sources = memory::SplitIds(row.View(12));
  if (memory::TurnDigest(turn.session_id, turn.seq, turn.role, turn.time_ms, turn.speaker,
                         turn.text) != row.Int(13)) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("turn {} is not what was stored: its digest differs", turn.id));
  }
  return turn;
}

Status CheckName(std::string_view name, std::string_view what) {
  if (name.size() > kMaxNameBytes) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} of {} bytes, limit {}", what, name.size(), kMaxNameBytes));
  }
  return CheckText(name, what);
}

Status CheckTurn(const NewTurn& turn) {
  LIUBAI_RETURN_IF_ERROR(CheckName(turn.speaker, "speaker"));
  LIUBAI_RETURN_IF_ERROR(CheckName(turn.idempotency_key, "idempotency key"));
  if (turn.text.size() > kMaxTextBytes) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("turn of {} bytes, limit {}", turn.text.size(), kMaxTextBytes));
  }
  if (turn.role > Role::kTool) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("role {} is unknown", static_cast<int>(turn.role)));
  }
  return CheckText(turn.text, "turn text");
}

Origin DefaultOrigin(Role role) {
  switch (role) {
    case Role::kSystem:
      return Origin::kOperator;
    case Role::kUser:
      return Origin::kUser;
    case Role::kAssistant:
      return Origin::kAssistant;
    case Role::kTool:
      return Origin::kTool;
  }
  return Origin::kTool;
}

constexpr std::string_view kSessionSelect =
    "SELECT s.session_id, s.name, s.created_ms, s.covered_through, count(t.turn_id),"
    " coalesce(min(t.turn_id),0), coalesce(max(t.turn_id),0), coalesce(min(t.time_ms),0),"
    " coalesce(max(t.time_ms),0) FROM sessions s LEFT JOIN turns t USING (session_id)";

Session ReadSession(const Statement& row) {
  Session session;
  session.id = row.Int(0);
  session.name = row.Text(1);
  session.created_ms = row.Int(2);
  session.covered_through = row.Int(3);
  session.turns = row.Int(4);
  session.first_turn = row.Int(5);
  session.last_turn = row.Int(6);
  session.first_time_ms = row.Int(7);
  session.last_time_ms = row.Int(8);
  return session;
}

}  // namespace

Result<SessionId> Store::EnsureSession(std::string_view name, TenantId tenant) {
  std::lock_guard lock(impl_->mutex);
  LIUBAI_RETURN_IF_ERROR(CheckName(name, "session name"));
  auto& db = *impl_->db;
  {
    auto query =
        db.Query("SELECT session_id FROM sessions WHERE tenant=?1 AND name=?2", tenant, name);
    if (query.Step()) return query.Int(0);
    LIUBAI_RETURN_IF_ERROR(query.status());
  }
  SessionId id = 0;
  LIUBAI_RETURN_IF_ERROR(impl_->Write([&]() -> Status {
    LIUBAI_RETURN_IF_ERROR(db.Query("INSERT INTO sessions(tenant,name,created_ms) VALUES(?1,?2,?3)",
                                    tenant, name, memory::NowMs())
                               .Run());
    id = db.LastRow();
    return Status();
  }));
  return id;
}

Result<Session> Store::GetSession(SessionId id, TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query(
      fmt::format("{} WHERE s.tenant=?1 AND s.session_id=?2 GROUP BY s.session_id", kSessionSelect),
      tenant, id);
  if (query.Step()) return ReadSession(query);
  LIUBAI_RETURN_IF_ERROR(query.status());
  return Status(StatusCode::kNotFound, fmt::format("session {} does not exist", id));
}

Result<Session> Store::FindSession(std::string_view name, TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query(
      fmt::format("{} WHERE s.tenant=?1 AND s.name=?2 GROUP BY s.session_id", kSessionSelect),
      tenant, name);
  if (query.Step()) return ReadSession(query);
  LIUBAI_RETURN_IF_ERROR(query.status());
  return Status(StatusCode::kNotFound, fmt::format("session \"{}\" does not exist", name));
}

Result<std::vector<Session>> Store::Sessions(TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query(
      fmt::format("{} WHERE s.tenant=?1 GROUP BY s.session_id ORDER BY s.session_id",
                  kSessionSelect),
      tenant);
  std::vector<Session> sessions;
  while (query.Step()) sessions.push_back(ReadSession(query));
  LIUBAI_RETURN_IF_ERROR(query.status());
  return sessions;
}

Result<Trust> Store::Impl::LeastTrust(Trust trust, std::span<const TurnId> sources,
                                      TenantId tenant) {
  for (const TurnId id : sources) {
    auto query = db->Query("SELECT trust FROM turns WHERE turn_id=?1 AND tenant=?2", id, tenant);
    if (query.Step()) {
      trust = std::min(trust, static_cast<Trust>(query.Int(0)));
      continue;
    }
    if (!query.status().ok()) return query.status();
    return Status(StatusCode::kNotFound, fmt::format("source turn {} does not exist", id));
  }
  return trust;
}

Result<TurnId> Store::AppendTurn(const NewTurn& turn, TenantId tenant) {
  auto ids = AppendTurns({&turn, 1}, tenant);
  if (!ids.ok()) return ids.status();
  return ids->front();
}

Result<std::vector<TurnId>> Store::AppendTurns(std::span<const NewTurn> turns, TenantId tenant,
                                               std::stop_token stop) {
  std::lock_guard lock(impl_->mutex);
  for (const NewTurn& turn : turns) LIUBAI_RETURN_IF_ERROR(CheckTurn(turn));
  auto& db = *impl_->db;
  std::vector<TurnId> ids;
  std::vector<std::pair<TurnId, Impl::TurnMeta>> added;
  struct Grown {
    memory::TermPostings* list;
    TurnId turn;
    int count;
  };
  std::vector<Grown> grown;  // Kept lists.
  const auto append = [&](const NewTurn& turn) -> Status {
    if (!turn.idempotency_key.empty()) {
      auto known =
          db.Query("SELECT turn_id, role, text FROM turns WHERE tenant=?1 AND idempotency_key=?2",
                   tenant, turn.idempotency_key);
      if (known.Step()) {
        if (known.Int(1) != static_cast<int>(turn.role) || known.View(2) != turn.text) {
          return Status(
              StatusCode::kAlreadyExists,
              fmt::format("idempotency key \"{}\" belongs to turn {}, whose role or text differs",
                          turn.idempotency_key, known.Int(0)));
        }
        ids.push_back(known.Int(0));
        return Status();
      }
      LIUBAI_RETURN_IF_ERROR(known.status());
    }
    std::int64_t seq = 0;
    {
      auto next = db.Query(
          "UPDATE sessions SET last_seq=last_seq+1 WHERE session_id=?1 AND tenant=?2 RETURNING "
          "last_seq",
          turn.session_id, tenant);
      if (next.Step()) seq = next.Int(0);
      LIUBAI_RETURN_IF_ERROR(next.Run());
    }
    if (seq == 0) {
      return Status(StatusCode::kNotFound,
                    fmt::format("session {} does not exist", turn.session_id));
    }
    const Origin origin = turn.origin.value_or(DefaultOrigin(turn.role));
    LIUBAI_ASSIGN_OR_RETURN(const Trust trust,
                            impl_->LeastTrust(TrustOfOrigin(origin), turn.sources, tenant));
    const std::int64_t time_ms = memory::TimeOrNow(turn.time_ms);
    const std::string indexed = memory::IndexedText(turn.speaker, turn.text);
    int words = 0;
    std::unordered_map<memory::TermPostings*, int> kept_here;
    memory::TokenizeText(indexed, [&](std::string_view term, bool counts) {
      words += counts ? 1 : 0;
      if (auto* const kept = impl_->postings.Find(tenant, term)) ++kept_here[kept];
    });
    const char* sql =
        "INSERT INTO "
        "turns(tenant,session_id,seq,role,speaker,text,tokens,time_ms,origin,trust,status,"
        "idempotency_key,sources,digest,words) "
        "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,nullif(?12,''),"
        "?13,?14,?15)";
    LIUBAI_RETURN_IF_ERROR(
        db.Query(
              sql, tenant, turn.session_id, seq, static_cast<int>(turn.role), turn.speaker,
              turn.text, memory::TokensBlob(turn.tokens), time_ms, static_cast<int>(origin),
              static_cast<int>(trust), static_cast<int>(turn.status), turn.idempotency_key,
              memory::JoinIds(turn.sources),
              memory::TurnDigest(turn.session_id, seq, turn.role, time_ms, turn.speaker, turn.text),
              words)
            .Run());
    const TurnId id = db.LastRow();
    LIUBAI_RETURN_IF_ERROR(
        db.Query("INSERT INTO turns_fts(rowid,text) VALUES(?1,?2)", id, indexed).Run());
    if (impl_->options.facts) {
      Turn stored;
      stored.id = id;
      stored.session_id = turn.session_id;
      stored.role = turn.role;
      stored.speaker = turn.speaker;
      stored.text = turn.text;
      stored.time_ms = time_ms;
      stored.origin = origin;
      stored.trust = trust;
      LIUBAI_RETURN_IF_ERROR(impl_->WriteFacts(stored, tenant));
    }
    ids.push_back(id);
    for (const auto& [list, count] : kept_here) grown.push_back({list, id, count});
    Impl::TurnMeta meta;
    meta.session = turn.session_id;
    meta.tenant = tenant;
    meta.time_ms = time_ms;
    meta.words = words;
    meta.role = turn.role;
    added.emplace_back(id, meta);
    return Status();
  };
  LIUBAI_RETURN_IF_ERROR(impl_->Write([&]() -> Status {
    // Without their facts these turns make the store write all anew when it next wants them.
    if (!impl_->options.facts) {
      LIUBAI_RETURN_IF_ERROR(db.Execute("DELETE FROM store WHERE key='fact_rules'"));
    }
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "interrupted");
      if (Status s = append(turns[i]); !s.ok()) {
        return turns.size() == 1 ? s
                                 : s.WithContext(fmt::format("turn {} of {}", i + 1, turns.size()));
      }
    }
    return Status();
  }));
  if (impl_->meta_loaded) {
    for (const auto& [id, meta] : added) impl_->AddMeta(id, meta);
    for (const Grown& more : grown) {
      more.list->Add(static_cast<std::uint32_t>(more.turn), more.count);
    }
  }
  return ids;
}

Result<Turn> Store::GetTurn(TurnId id, TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query(
      "SELECT " LIUBAI_TURN_COLUMNS " FROM turns WHERE turn_id=?1 AND tenant=?2", id, tenant);
  if (query.Step()) return ReadTurn(query);
  LIUBAI_RETURN_IF_ERROR(query.status());
  return Status(StatusCode::kNotFound, fmt::format("turn {} does not exist", id));
}

Result<Turn> Store::FindTurn(std::string_view idempotency_key, TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query("SELECT " LIUBAI_TURN_COLUMNS
                                " FROM turns WHERE tenant=?1 AND idempotency_key=?2",
                                tenant, idempotency_key);
  if (query.Step()) return ReadTurn(query);
  LIUBAI_RETURN_IF_ERROR(query.status());
  return Status(StatusCode::kNotFound, fmt::format("no turn has the key \"{}\"", idempotency_key));
}

Result<std::vector<Turn>> Store::GetTurns(std::span<const TurnId> ids, TenantId tenant) const {
  std::vector<Turn> turns;
  for (const TurnId id : ids) {
    auto turn = GetTurn(id, tenant);
    if (turn.ok()) {
      turns.push_back(std::move(*turn));
    } else if (turn.status().code() != StatusCode::kNotFound) {
      return turn.status();
    }
  }
  return turns;
}

Result<std::vector<Turn>> Store::Turns(const TurnFilter& filter, std::int64_t limit,
                                       bool last) const {
  std::lock_guard lock(impl_->mutex);
  // The + keeps SQLite from the tenant's index, which holds all its turns and not in order: a page
  // of turns would cost as much as the store has.
  std::string sql = "SELECT " LIUBAI_TURN_COLUMNS " FROM turns WHERE +tenant=?1";
  if (filter.session) sql += fmt::format(" AND session_id={}", *filter.session);
  if (filter.before_turn > 0) sql += fmt::format(" AND turn_id<{}", filter.before_turn);
  if (filter.after_turn > 0) sql += fmt::format(" AND turn_id>{}", filter.after_turn);
  if (filter.from_ms) sql += fmt::format(" AND time_ms>={}", *filter.from_ms);
  if (filter.to_ms) sql += fmt::format(" AND time_ms<{}", *filter.to_ms);
  sql += filter.session ? " ORDER BY seq" : " ORDER BY turn_id";
  if (last) sql += " DESC";
  std::vector<Turn> turns;
  auto query = impl_->db->Query(sql, filter.tenant);
  while (static_cast<std::int64_t>(turns.size()) < limit && query.Step()) {
    if (!filter.roles.empty() &&
        std::ranges::find(filter.roles, static_cast<Role>(query.Int(3))) == filter.roles.end()) {
      continue;
    }
    if (std::ranges::find(filter.exclude, query.Int(0)) != filter.exclude.end()) continue;
    LIUBAI_ASSIGN_OR_RETURN(Turn turn, ReadTurn(query));
    turns.push_back(std::move(turn));
  }
  LIUBAI_RETURN_IF_ERROR(query.status());
  if (last) std::ranges::reverse(turns);
  return turns;
}

Result<std::vector<Turn>> Store::Neighbours(TurnId id, int before, int after,
                                            TenantId tenant) const {
  if (before < 0 || after < 0) {
    return Status(
        StatusCode::kInvalidArgument,
        fmt::format("neighbours: before {} and after {} must not be negative", before, after));
  }
  LIUBAI_ASSIGN_OR_RETURN(const Turn turn, GetTurn(id, tenant));
  TurnFilter filter;
  filter.tenant = tenant;
  filter.session = turn.session_id;
  filter.before_turn = id;
  LIUBAI_ASSIGN_OR_RETURN(std::vector<Turn> turns, Turns(filter, before, true));
  turns.push_back(turn);
  filter.before_turn = 0;
  filter.after_turn = id;
  LIUBAI_ASSIGN_OR_RETURN(std::vector<Turn> later, Turns(filter, after));
  std::ranges::move(later, std::back_inserter(turns));
  return turns;
}

}  // namespace liubai::inline v1
