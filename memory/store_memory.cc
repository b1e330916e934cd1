// Blocks, facts, and what compaction writes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/macros.h"
#include "core/text.h"
#include "memory/exact_words.h"
#include "memory/store_impl.h"

namespace liubai::inline v1 {
namespace {

using memory::Statement;

constexpr std::size_t kMaxLabelBytes = 200;

#define LIUBAI_BLOCK_COLUMNS \
  "label, version, value, description, limit_bytes, origin, sources, time_ms, deleted"
Block ReadBlock(const Statement& row) {
  Block block;
  block.label = row.Text(0);
  block.version = row.Int(1);
  block.value = row.Text(2);
  block.description = row.Text(3);
  block.limit_bytes = row.Int(4);
  block.origin = static_cast<Origin>(row.Int(5));
  block.sources = memory::SplitIds(row.View(6));
  block.time_ms = row.Int(7);
  block.deleted = row.Int(8) != 0;
  return block;
}

Status CheckLabel(std::string_view label) {
  if (label.empty() || label.size() > kMaxLabelBytes) {
    return Status(
        StatusCode::kInvalidArgument,
        fmt::format("block label of {} bytes: must be 1 to {}", label.size(), kMaxLabelBytes));
  }
  return CheckText(label, "block label");
}

}  // namespace

Status Store::Impl::CheckBlock(const Block& block, TenantId tenant) {
  LIUBAI_RETURN_IF_ERROR(CheckLabel(block.label));
  LIUBAI_RETURN_IF_ERROR(CheckText(block.value, "block value"));
  LIUBAI_RETURN_IF_ERROR(CheckText(block.description, "block description"));
  if (block.limit_bytes < 0) {
    return Status(StatusCode::kInvalidArgument, fmt::format("block \"{}\": limit {} is negative",
                                                            block.label, block.limit_bytes));
  }
  if (block.limit_bytes > 0 && block.value.size() > static_cast<std::size_t>(block.limit_bytes)) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("block \"{}\": value of {} bytes is over its limit of {}",
                              block.label, block.value.size(), block.limit_bytes));
  }
  LIUBAI_ASSIGN_OR_RETURN(const Trust trust,
                          LeastTrust(TrustOfOrigin(block.origin), block.sources, tenant));
  if (trust == Trust::kUntrusted) {
    return Status(
        StatusCode::kPermissionDenied,
        fmt::format("block \"{}\": untrusted words must not write memory blocks", block.label));
  }
  return Status();
}

Result<Block> Store::Impl::InsertBlock(Block block, TenantId tenant) {
  block.deleted = false;
  block.time_ms = memory::NowMs();
  auto insert = db->Query(
      "INSERT INTO block_versions SELECT ?1, ?2, 1 + coalesce(max(version), 0), ?3, ?4, ?5, ?6, "
      "?7, ?8, 0 "
      "FROM block_versions WHERE tenant=?1 AND label=?2 RETURNING version",
      tenant, block.label, block.value, block.description, block.limit_bytes,
      static_cast<int>(block.origin), memory::JoinIds(block.sources), block.time_ms);
  if (insert.Step()) block.version = insert.Int(0);
  LIUBAI_RETURN_IF_ERROR(insert.Run());
  return block;
}

Result<Block> Store::SetBlock(const Block& block, TenantId tenant) {
  std::lock_guard lock(impl_->mutex);
  LIUBAI_RETURN_IF_ERROR(impl_->CheckBlock(block, tenant));
  Block stored;
  LIUBAI_RETURN_IF_ERROR(impl_->Write([&]() -> Status {
    LIUBAI_ASSIGN_OR_RETURN(stored, impl_->InsertBlock(block, tenant));
    return Status();
  }));
  return stored;
}

Status Store::DeleteBlock(std::string_view label, Origin who, TenantId tenant) {
  LIUBAI_ASSIGN_OR_RETURN(const Block block, GetBlock(label, tenant));
  if (TrustOfOrigin(who) == Trust::kUntrusted) {
    return Status(StatusCode::kPermissionDenied,
                  fmt::format("block \"{}\": untrusted words must not write memory blocks", label));
  }
  std::lock_guard lock(impl_->mutex);
  return impl_->Write([&] {
    return impl_->db
        ->Query(
            "INSERT INTO block_versions SELECT ?1, ?2, 1 + max(version), '', ?3, ?4, ?5, '', ?6, 1 "
            "FROM block_versions WHERE tenant=?1 AND label=?2",
            tenant, label, block.description, block.limit_bytes, static_cast<int>(who),
            memory::NowMs())
        .Run();
  });
}

Result<Block> Store::GetBlock(std::string_view label, TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query(
      "SELECT " LIUBAI_BLOCK_COLUMNS
      " FROM block_versions WHERE tenant=?1 AND label=?2 ORDER BY version DESC LIMIT 1",
      tenant, label);
  if (query.Step() && query.Int(8) == 0) return ReadBlock(query);
  LIUBAI_RETURN_IF_ERROR(query.status());
  return Status(StatusCode::kNotFound, fmt::format("block \"{}\" does not exist", label));
}

Result<std::vector<Block>> Store::Blocks(TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query(
      "SELECT " LIUBAI_BLOCK_COLUMNS
      " FROM block_versions b WHERE tenant=?1 AND deleted=0 AND version=(SELECT max(version) FROM "
      "block_versions x WHERE x.tenant=b.tenant AND x.label=b.label)"
      " ORDER BY (SELECT min(rowid) FROM block_versions x WHERE x.tenant=b.tenant AND "
      "x.label=b.label)",
      tenant);
  std::vector<Block> blocks;
  while (query.Step()) blocks.push_back(ReadBlock(query));
  LIUBAI_RETURN_IF_ERROR(query.status());
  return blocks;
}

Result<std::vector<Block>> Store::BlockHistory(std::string_view label, TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query =
      impl_->db->Query("SELECT " LIUBAI_BLOCK_COLUMNS
                       " FROM block_versions WHERE tenant=?1 AND label=?2 ORDER BY version",
                       tenant, label);
  std::vector<Block> blocks;
  while (query.Step()) blocks.push_back(ReadBlock(query));
  LIUBAI_RETURN_IF_ERROR(query.status());
  return blocks;
}

Result<std::int64_t> Store::Impl::InsertFact(const Fact& fact, TenantId tenant) {
  for (const std::string* text :
       {&fact.statement, &fact.subject, &fact.attribute, &fact.value, &fact.kind}) {
    LIUBAI_RETURN_IF_ERROR(CheckText(*text, "fact"));
  }
  if (fact.statement.empty())
    return Status(StatusCode::kInvalidArgument, "fact without a statement");
  if (!(fact.confidence >= 0 && fact.confidence <= 1)) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("fact confidence {}: must be within 0..1", fact.confidence));
  }
  LIUBAI_ASSIGN_OR_RETURN(
      const Trust trust,
      LeastTrust(
          std::min(fact.trust, fact.sources.empty() ? TrustOfOrigin(fact.origin) : fact.trust),
          fact.sources, tenant));
  const char* sql =
      "INSERT INTO "
      "facts(tenant,statement,subject,attribute,value,kind,sources,valid_from_ms,valid_to_ms,"
      "confidence,origin,trust,state,closed_by,first_person,by_rules) "
      "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,NULL,?9,?10,?11,?12,?13,?14,?15)";
  const FactState state =
      fact.valid_to_ms && fact.state == FactState::kValid ? FactState::kClosed : fact.state;
  LIUBAI_RETURN_IF_ERROR(db->Query(sql, tenant, fact.statement, fact.subject, fact.attribute,
                                   fact.value, fact.kind, memory::JoinIds(fact.sources),
                                   memory::TimeOrNow(fact.valid_from_ms), fact.confidence,
                                   static_cast<int>(fact.origin), static_cast<int>(trust),
                                   static_cast<int>(state), fact.closed_by,
                                   fact.first_person ? 1 : 0, fact.by_rules ? 1 : 0)
                             .Run());
  const std::int64_t id = db->LastRow();
  if (fact.valid_to_ms) {
    LIUBAI_RETURN_IF_ERROR(
        db->Query("UPDATE facts SET valid_to_ms=?1 WHERE fact_id=?2", *fact.valid_to_ms, id).Run());
  }
  LIUBAI_RETURN_IF_ERROR(
      db->Query("INSERT INTO facts_fts(rowid,statement) VALUES(?1,?2)", id, fact.statement).Run());
  return id;
}

Result<std::int64_t> Store::AddFact(const Fact& fact, TenantId tenant) {
  std::lock_guard lock(impl_->mutex);
  std::int64_t id = 0;
  LIUBAI_RETURN_IF_ERROR(impl_->Write([&]() -> Status {
    LIUBAI_ASSIGN_OR_RETURN(id, impl_->InsertFact(fact, tenant));
    return Status();
  }));
  return id;
}

Status Store::CloseFact(std::int64_t id, std::int64_t valid_to_ms, TenantId tenant) {
  std::lock_guard lock(impl_->mutex);
  return impl_->Write([&]() -> Status {
    auto update = impl_->db->Query(
        "UPDATE facts SET valid_to_ms=?1, state=1 WHERE fact_id=?2 AND tenant=?3 RETURNING 1",
        memory::TimeOrNow(valid_to_ms), id, tenant);
    const bool found = update.Step();
    LIUBAI_RETURN_IF_ERROR(update.Run());
    return found ? Status()
                 : Status(StatusCode::kNotFound, fmt::format("fact {} does not exist", id));
  });
}

Result<std::vector<Fact>> Store::Facts(bool with_closed, std::string_view subject,
                                       TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query("SELECT " LIUBAI_FACT_COLUMNS
                                " FROM facts WHERE tenant=?1 AND (?2 OR valid_to_ms IS NULL) AND "
                                "(?3='' OR subject=?3) ORDER BY fact_id",
                                tenant, with_closed ? 1 : 0, subject);
  std::vector<Fact> facts;
  while (query.Step()) facts.push_back(ReadFact(query));
  LIUBAI_RETURN_IF_ERROR(query.status());
  return facts;
}

Result<std::vector<Fact>> Store::GetFacts(std::span<const std::int64_t> ids,
                                          TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  std::vector<Fact> facts;
  for (const std::int64_t id : ids) {
    auto query = impl_->db->Query(
        "SELECT " LIUBAI_FACT_COLUMNS " FROM facts WHERE fact_id=?1 AND tenant=?2", id, tenant);
    if (query.Step()) facts.push_back(ReadFact(query));
    LIUBAI_RETURN_IF_ERROR(query.status());
  }
  return facts;
}

namespace {

Result<std::int64_t> InsertEssence(memory::Database& db, const Essence& essence, Trust trust,
                                   TenantId tenant) {
  LIUBAI_RETURN_IF_ERROR(CheckText(essence.text, "essence"));
  if (essence.method != "model" && essence.method != "extractive" &&
      essence.method != "model+extract" && essence.method != "overview" &&
      essence.method != memory::kExact) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("essence method \"{}\": must be model, extractive, model+extract, "
                              "overview or exact",
                              essence.method));
  }
  if (essence.first_turn < 1 || essence.last_turn < essence.first_turn || essence.level < 0) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("essence of level {} over turns {} to {}", essence.level,
                              essence.first_turn, essence.last_turn));
  }
  const char* sql =
      "INSERT INTO "
      "essences(tenant,session_id,first_turn,last_turn,level,text,method,checked,tokens,time_ms,"
      "trust) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)";
  LIUBAI_RETURN_IF_ERROR(db.Query(sql, tenant, essence.session_id, essence.first_turn,
                                  essence.last_turn, essence.level, essence.text, essence.method,
                                  essence.checked ? 1 : 0, memory::TokensBlob(essence.tokens),
                                  memory::TimeOrNow(essence.time_ms), static_cast<int>(trust))
                             .Run());
  return db.LastRow();
}

Result<std::int64_t> InsertLedger(memory::Database& db, const LedgerEntry& entry, TenantId tenant) {
  LIUBAI_RETURN_IF_ERROR(CheckText(entry.text, "ledger text"));
  LIUBAI_RETURN_IF_ERROR(CheckText(entry.context, "ledger context"));
  LIUBAI_RETURN_IF_ERROR(CheckText(entry.kind, "ledger kind"));
  auto turn =
      db.Query("SELECT length(CAST(text AS BLOB)) FROM turns WHERE turn_id=?1 AND tenant=?2",
               entry.turn_id, tenant);
  const bool found = turn.Step();
  LIUBAI_RETURN_IF_ERROR(turn.status());
  if (!found || entry.begin > entry.end || entry.end > turn.Int(0)) {
    return Status(
        StatusCode::kInvalidArgument,
        fmt::format("ledger entry [{}, {}) of turn {}: {}", entry.begin, entry.end, entry.turn_id,
                    found ? fmt::format("the turn has {} bytes", turn.Int(0))
                          : std::string("no such turn")));
  }
  LIUBAI_RETURN_IF_ERROR(
      db.Query("INSERT INTO ledger(tenant,turn_id,kind,text,begin_byte,end_byte,context,state)"
               " VALUES(?1,?2,?3,?4,?5,?6,?7,?8)",
               tenant, entry.turn_id, entry.kind, entry.text,
               static_cast<std::int64_t>(entry.begin), static_cast<std::int64_t>(entry.end),
               entry.context, static_cast<int>(entry.state))
          .Run());
  return db.LastRow();
}

Result<std::int64_t> InsertReport(memory::Database& db, const CompactionReport& r,
                                  TenantId tenant) {
  LIUBAI_RETURN_IF_ERROR(CheckText(r.detail_json, "report detail"));
  const char* sql =
      "INSERT INTO "
      "compactions(tenant,session_id,first_turn,last_turn,turns,tokens_before,tokens_after,"
      "details,kept_in_essence,shelved,proved,kept_in_window,duration_ms,method,detail_json,time_"
      "ms) "
      "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16)";
  LIUBAI_RETURN_IF_ERROR(db.Query(sql, tenant, r.session_id, r.first_turn, r.last_turn, r.turns,
                                  r.tokens_before, r.tokens_after, r.details, r.kept_in_essence,
                                  r.shelved, r.proved, r.kept_in_window, r.duration_ms, r.method,
                                  r.detail_json, memory::TimeOrNow(r.time_ms))
                             .Run());
  return db.LastRow();
}

// Runs an UPDATE … RETURNING 1 that must hit a row.
Status MustHit(Statement statement, std::string_view what, std::int64_t id) {
  const bool found = statement.Step();
  LIUBAI_RETURN_IF_ERROR(statement.Run());
  return found ? Status()
               : Status(StatusCode::kNotFound, fmt::format("{} {} does not exist", what, id));
}

// That nobody has written the block since `block` was read.
Status CheckVersion(memory::Database& db, const Block& block, TenantId tenant) {
  auto query =
      db.Query("SELECT coalesce(max(version), 0) FROM block_versions WHERE tenant=?1 AND label=?2",
               tenant, block.label);
  const std::int64_t stored = query.Step() ? query.Int(0) : 0;
  LIUBAI_RETURN_IF_ERROR(query.status());
  if (stored == block.version) return Status();
  return Status(StatusCode::kFailedPrecondition,
                fmt::format("block \"{}\" is of version {} now; the edit was made from {}",
                            block.label, stored, block.version));
}

}  // namespace

Result<CompactionIds> Store::Commit(const CompactionBatch& batch) {
  std::lock_guard lock(impl_->mutex);
  auto& db = *impl_->db;
  CompactionIds ids;
  const TenantId tenant = batch.tenant;
  if (batch.block) LIUBAI_RETURN_IF_ERROR(impl_->CheckBlock(*batch.block, tenant));
  LIUBAI_RETURN_IF_ERROR(impl_->Write([&]() -> Status {
    LIUBAI_RETURN_IF_ERROR(
        MustHit(db.Query("UPDATE sessions SET covered_through=max(covered_through,?1) "
                         "WHERE session_id=?2 AND tenant=?3 RETURNING 1",
                         batch.covered_through, batch.session_id, tenant),
                "session", batch.session_id));
    for (Essence essence : batch.essences) {
      essence.session_id = batch.session_id;
      Trust trust = std::min(essence.trust, Trust::kModel);
      {
        auto least = db.Query(
            "SELECT min(trust) FROM turns WHERE tenant=?1 AND session_id=?2 AND turn_id BETWEEN ?3 "
            "AND ?4",
            tenant, batch.session_id, essence.first_turn, essence.last_turn);
        if (least.Step() && !least.IsNull(0))
          trust = std::min(trust, static_cast<Trust>(least.Int(0)));
        LIUBAI_RETURN_IF_ERROR(least.status());
      }
      LIUBAI_ASSIGN_OR_RETURN(const std::int64_t id, InsertEssence(db, essence, trust, tenant));
      ids.essences.push_back(id);
    }
    LIUBAI_RETURN_IF_ERROR(memory::LinkEssences(db, batch, ids.essences));
    for (const LedgerEntry& entry : batch.ledger) {
      LIUBAI_ASSIGN_OR_RETURN(const std::int64_t id, InsertLedger(db, entry, tenant));
      ids.ledger.push_back(id);
    }
    for (const auto& [id, state] : batch.ledger_states) {
      LIUBAI_RETURN_IF_ERROR(
          MustHit(db.Query("UPDATE ledger SET state=?1 WHERE entry_id=?2 AND tenant=?3 RETURNING 1",
                           static_cast<int>(state), id, tenant),
                  "ledger entry", id));
    }
    for (const std::int64_t id : batch.closed_facts) {
      LIUBAI_RETURN_IF_ERROR(MustHit(
          db.Query(
              "UPDATE facts SET valid_to_ms=?1, state=1 WHERE fact_id=?2 AND tenant=?3 RETURNING 1",
              memory::NowMs(), id, tenant),
          "fact", id));
    }
    for (const Fact& fact : batch.facts) {
      LIUBAI_ASSIGN_OR_RETURN(const std::int64_t id, impl_->InsertFact(fact, tenant));
      ids.facts.push_back(id);
    }
    if (batch.block) {
      LIUBAI_RETURN_IF_ERROR(CheckVersion(db, *batch.block, tenant));
      LIUBAI_ASSIGN_OR_RETURN(const Block stored, impl_->InsertBlock(*batch.block, tenant));
      ids.block_version = stored.version;
    }
    if (batch.report) {
      CompactionReport report = *batch.report;
      report.session_id = batch.session_id;
      LIUBAI_ASSIGN_OR_RETURN(ids.report, InsertReport(db, report, tenant));
    }
    return Status();
  }));
  return ids;
}

Result<std::vector<LedgerEntry>> Store::Ledger(TurnId first, TurnId last, TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query(
      "SELECT entry_id, turn_id, kind, text, begin_byte, end_byte, context, state FROM ledger "
      "WHERE tenant=?1 AND turn_id BETWEEN ?2 AND ?3 ORDER BY turn_id, begin_byte, entry_id",
      tenant, first, last);
  std::vector<LedgerEntry> entries;
  while (query.Step()) {
    LedgerEntry entry;
    entry.id = query.Int(0);
    entry.turn_id = query.Int(1);
    entry.kind = query.Text(2);
    entry.text = query.Text(3);
    entry.begin = static_cast<std::uint32_t>(query.Int(4));
    entry.end = static_cast<std::uint32_t>(query.Int(5));
    entry.context = query.Text(6);
    entry.state = static_cast<LedgerState>(query.Int(7));
    entries.push_back(std::move(entry));
  }
  LIUBAI_RETURN_IF_ERROR(query.status());
  return entries;
}

Result<std::vector<CompactionReport>> Store::Reports(std::optional<SessionId> session,
                                                     TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query(
      "SELECT report_id, session_id, first_turn, last_turn, turns, tokens_before, tokens_after, "
      "details, "
      "kept_in_essence, shelved, proved, kept_in_window, duration_ms, method, detail_json, time_ms "
      "FROM compactions WHERE tenant=?1 AND (?2=0 OR session_id=?2) ORDER BY report_id",
      tenant, session.value_or(0));
  std::vector<CompactionReport> reports;
  while (query.Step()) {
    CompactionReport r;
    int i = 0;
    for (std::int64_t* field : {&r.id, &r.session_id, &r.first_turn, &r.last_turn, &r.turns,
                                &r.tokens_before, &r.tokens_after, &r.details, &r.kept_in_essence,
                                &r.shelved, &r.proved, &r.kept_in_window, &r.duration_ms}) {
      *field = query.Int(i++);
    }
    r.method = query.Text(13);
    r.detail_json = query.Text(14);
    r.time_ms = query.Int(15);
    reports.push_back(std::move(r));
  }
  LIUBAI_RETURN_IF_ERROR(query.status());
  return reports;
}

}  // namespace liubai::inline v1

namespace liubai::memory {

Fact ReadFact(const Statement& row) {
  Fact fact;
  fact.id = row.Int(0);
  fact.statement = row.Text(1);
  fact.subject = row.Text(2);
  fact.attribute = row.Text(3);
  fact.value = row.Text(4);
  fact.kind = row.Text(5);
  fact.sources = SplitIds(row.View(6));
  fact.valid_from_ms = row.Int(7);
  if (!row.IsNull(8)) fact.valid_to_ms = row.Int(8);
  fact.confidence = row.Double(9);
  fact.origin = static_cast<Origin>(row.Int(10));
  fact.trust = static_cast<Trust>(row.Int(11));
  fact.state = static_cast<FactState>(row.Int(12));
  fact.closed_by = row.Int(13);
  fact.first_person = row.Int(14) != 0;
  fact.by_rules = row.Int(15) != 0;
  return fact;
}

}  // namespace liubai::memory
