// Embeddings, the operation log, published index files, and deletion, which touches all of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "core/file_system.h"
#include "core/half.h"
#include "core/macros.h"
#include "core/text.h"
#include "memory/store_impl.h"

namespace liubai::inline v1 {
namespace {

using memory::Statement;

// A vector in 8 bits a value, which moves no recall: how many bytes at the end are no values, the
// scale as float32, then a signed byte each. The length is odd, as that of f16 never is.
std::string PackVector(std::span<const std::uint16_t> values) {
  float most = 0;
  for (const std::uint16_t value : values) most = std::max(most, std::abs(HalfToFloat(value)));
  const float scale = most / 127;
  std::string out(1, values.size() % 2 == 0 ? '\0' : '\1');
  out.append(reinterpret_cast<const char*>(&scale), sizeof(scale));
  for (const std::uint16_t value : values) {
    out.push_back(static_cast<char>(scale > 0 ? std::lround(HalfToFloat(value) / scale) : 0));
  }
  if (out.size() % 2 == 0) out.push_back('\0');
  return out;
}

std::vector<std::uint16_t> UnpackVector(const memory::Blob& blob) {
  const auto* bytes = static_cast<const std::int8_t*>(blob.data);
  constexpr std::size_t kHead = 1 + sizeof(float);
  if (blob.bytes < kHead) return {};
  float scale = 0;
  std::memcpy(&scale, bytes + 1, sizeof(scale));
  std::vector<std::uint16_t> values;
  const std::size_t end = blob.bytes - static_cast<std::size_t>(bytes[0] & 1);
  for (std::size_t i = kHead; i < end; ++i) {
    values.push_back(FloatToHalf(scale * static_cast<float>(bytes[i])));
  }
  return values;
}

Embedding ReadEmbedding(const Statement& row, bool with_values) {
  Embedding embedding;
  embedding.id = row.Int(0);
  embedding.kind = static_cast<UnitKind>(row.Int(1));
  embedding.unit_id = row.Int(2);
  embedding.piece = static_cast<std::int32_t>(row.Int(3));
  if (with_values) {
    const memory::Blob blob = row.Bytes(4);
    if (embedding.kind == UnitKind::kTurnTokens || blob.bytes % 2 == 0) {
      embedding.values.resize(blob.bytes / 2);
      if (blob.bytes >= 2)
        std::memcpy(embedding.values.data(), blob.data, embedding.values.size() * 2);
    } else {
      embedding.values = UnpackVector(blob);
    }
  }
  return embedding;
}

std::string BytesOf(const Statement& row, int column) {
  const memory::Blob blob = row.Bytes(column);
  return std::string(static_cast<const char*>(blob.data), blob.bytes);
}

Result<std::int32_t> Dimension(memory::Database& db, std::int64_t embedder_id) {
  auto query = db.Query("SELECT dimension FROM embedders WHERE embedder_id=?1", embedder_id);
  if (query.Step()) return static_cast<std::int32_t>(query.Int(0));
  LIUBAI_RETURN_IF_ERROR(query.status());
  return Status(StatusCode::kNotFound, fmt::format("embedder {} does not exist", embedder_id));
}

// The table whose rows a unit of `kind` stands for, and its id.
std::pair<const char*, const char*> UnitTable(UnitKind kind) {
  switch (kind) {
    case UnitKind::kFact:
      return {"facts", "fact_id"};
    case UnitKind::kEssence:
      return {"essences", "essence_id"};
    default:
      return {"turns", "turn_id"};
  }
}

}  // namespace

Result<EmbedderRecord> Store::EnsureEmbedder(std::string_view name, std::string_view fingerprint,
                                             std::int32_t dimension) {
  std::lock_guard lock(impl_->mutex);
  LIUBAI_RETURN_IF_ERROR(CheckText(name, "embedder name"));
  LIUBAI_RETURN_IF_ERROR(CheckText(fingerprint, "embedder fingerprint"));
  if (fingerprint.empty() || dimension < 1 || dimension > 65536) {
    return Status(
        StatusCode::kInvalidArgument,
        fmt::format("embedder \"{}\" with {} dimensions: needs a fingerprint and 1 to 65536", name,
                    dimension));
  }
  EmbedderRecord record{0, std::string(name), std::string(fingerprint), dimension, {}};
  {
    auto query = impl_->db->Query(
        "SELECT embedder_id, name, dimension, token_codec FROM embedders WHERE fingerprint=?1",
        fingerprint);
    if (query.Step()) {
      if (query.Int(2) != dimension) {
        return Status(StatusCode::kFailedPrecondition,
                      fmt::format("embedder \"{}\" has {} dimensions in the store, {} now", name,
                                  query.Int(2), dimension));
      }
      record.id = query.Int(0);
      record.name = query.Text(1);
      record.token_codec = BytesOf(query, 3);
      return record;
    }
    LIUBAI_RETURN_IF_ERROR(query.status());
  }
  LIUBAI_RETURN_IF_ERROR(impl_->Write([&]() -> Status {
    LIUBAI_RETURN_IF_ERROR(
        impl_->db
            ->Query("INSERT INTO embedders(name,fingerprint,dimension) VALUES(?1,?2,?3)", name,
                    fingerprint, dimension)
            .Run());
    record.id = impl_->db->LastRow();
    return Status();
  }));
  return record;
}

Result<std::vector<EmbedderRecord>> Store::Embedders() const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query(
      "SELECT embedder_id, name, fingerprint, dimension, token_codec FROM embedders ORDER BY 1");
  std::vector<EmbedderRecord> records;
  while (query.Step()) {
    records.push_back({query.Int(0), query.Text(1), query.Text(2),
                       static_cast<std::int32_t>(query.Int(3)), BytesOf(query, 4)});
  }
  LIUBAI_RETURN_IF_ERROR(query.status());
  return records;
}

Status Store::SetTokenCodec(std::int64_t embedder_id, std::string_view bytes) {
  std::lock_guard lock(impl_->mutex);
  LIUBAI_RETURN_IF_ERROR(Dimension(*impl_->db, embedder_id).status());
  return impl_->Write([&]() -> Status {
    // Rows that another codec packed cannot be read by this one: they are written again.
    LIUBAI_RETURN_IF_ERROR(impl_->db
                               ->Query("DELETE FROM embeddings WHERE embedder_id=?1 AND kind=?2",
                                       embedder_id, static_cast<int>(UnitKind::kTurnTokens))
                               .Run());
    return impl_->db
        ->Query("UPDATE embedders SET token_codec=?2 WHERE embedder_id=?1", embedder_id,
                memory::Blob{bytes.data(), bytes.size()})
        .Run();
  });
}

Result<std::int64_t> Store::Impl::LogOperation(TenantId tenant, std::int64_t embedder,
                                               UnitKind kind, VectorId vector, bool add) {
  LIUBAI_RETURN_IF_ERROR(
      db->Query(
            "INSERT INTO operations(tenant,embedder_id,kind,vector_id,op) VALUES(?1,?2,?3,?4,?5)",
            tenant, embedder, static_cast<int>(kind), vector, add ? 1 : 0)
          .Run());
  return db->LastRow();
}

Result<std::vector<VectorId>> Store::PutEmbeddings(std::int64_t embedder_id,
                                                   std::span<const NewEmbedding> embeddings,
                                                   TenantId tenant) {
  std::lock_guard lock(impl_->mutex);
  auto& db = *impl_->db;
  std::vector<VectorId> ids;
  LIUBAI_ASSIGN_OR_RETURN(const std::int32_t dimension, Dimension(db, embedder_id));
  for (const NewEmbedding& e : embeddings) {
    if (e.values.empty() || (e.kind != UnitKind::kTurnTokens &&
                             e.values.size() != static_cast<std::size_t>(dimension))) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("vector of {} values for unit {}: embedder {} has {}",
                                e.values.size(), e.unit_id, embedder_id, dimension));
    }
  }
  LIUBAI_RETURN_IF_ERROR(impl_->Write([&]() -> Status {
    for (const NewEmbedding& e : embeddings) {
      const int kind = static_cast<int>(e.kind);
      const auto [table, column] = UnitTable(e.kind);
      {
        auto unit =
            db.Query(fmt::format("SELECT 1 FROM {} WHERE {}=?1 AND tenant=?2", table, column),
                     e.unit_id, tenant);
        const bool found = unit.Step();
        LIUBAI_RETURN_IF_ERROR(unit.status());
        if (!found) {
          return Status(StatusCode::kNotFound,
                        fmt::format("{} {} of a vector does not exist", column, e.unit_id));
        }
      }
      VectorId old = 0;
      {
        auto removed = db.Query(
            "DELETE FROM embeddings WHERE tenant=?1 AND embedder_id=?2 AND kind=?3 AND unit_id=?4 "
            "AND piece=?5 "
            "RETURNING vector_id",
            tenant, embedder_id, kind, e.unit_id, e.piece);
        if (removed.Step()) old = removed.Int(0);
        LIUBAI_RETURN_IF_ERROR(removed.Run());
      }
      const bool indexed = e.kind != UnitKind::kTurnTokens;
      if (old != 0 && indexed) {
        LIUBAI_RETURN_IF_ERROR(
            impl_->LogOperation(tenant, embedder_id, e.kind, old, false).status());
      }
      const std::string packed = indexed ? PackVector(e.values) : std::string();
      LIUBAI_RETURN_IF_ERROR(
          db.Query("INSERT INTO embeddings(tenant,embedder_id,kind,unit_id,piece,vector) "
                   "VALUES(?1,?2,?3,?4,?5,?6)",
                   tenant, embedder_id, kind, e.unit_id, e.piece,
                   indexed ? memory::Blob{packed.data(), packed.size()}
                           : memory::Blob{e.values.data(), e.values.size() * 2})
              .Run());
      ids.push_back(db.LastRow());
      if (!indexed) continue;
      LIUBAI_RETURN_IF_ERROR(
          impl_->LogOperation(tenant, embedder_id, e.kind, ids.back(), true).status());
    }
    return Status();
  }));
  return ids;
}

Result<std::vector<std::int64_t>> Store::PendingEmbeddings(std::int64_t embedder_id, UnitKind kind,
                                                           std::int64_t limit, std::int64_t after,
                                                           TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  const auto [table, column] = UnitTable(kind);
  auto query = impl_->db->Query(
      fmt::format(
          "SELECT {1} FROM {0} u WHERE u.tenant=?1 AND u.{1}>?2 AND NOT EXISTS (SELECT 1 FROM "
          "embeddings e WHERE e.tenant=?1 AND e.embedder_id=?3 AND e.kind=?4 AND e.unit_id=u.{1}) "
          "ORDER BY {1} LIMIT ?5",
          table, column),
      tenant, after, embedder_id, static_cast<int>(kind), limit);
  std::vector<std::int64_t> ids;
  while (query.Step()) ids.push_back(query.Int(0));
  LIUBAI_RETURN_IF_ERROR(query.status());
  return ids;
}

Status Store::ForEachEmbedding(std::int64_t embedder_id, UnitKind kind, VectorId after,
                               const std::function<bool(const Embedding&)>& callback,
                               TenantId tenant) const {
  // Read in parts, and called without the lock: the callback may use the store.
  constexpr std::int64_t kPart = 512;
  for (;;) {
    std::vector<Embedding> part;
    {
      std::lock_guard lock(impl_->mutex);
      auto query = impl_->db->Query(
          "SELECT vector_id, kind, unit_id, piece, vector FROM embeddings "
          "WHERE vector_id>?1 AND tenant=?2 AND embedder_id=?3 AND kind=?4 ORDER BY vector_id "
          "LIMIT ?5",
          after, tenant, embedder_id, static_cast<int>(kind), kPart);
      while (query.Step()) part.push_back(ReadEmbedding(query, true));
      LIUBAI_RETURN_IF_ERROR(query.status());
    }
    for (const Embedding& embedding : part) {
      if (!callback(embedding)) return Status();
    }
    if (static_cast<std::int64_t>(part.size()) < kPart) return Status();
    after = part.back().id;
  }
}

Result<std::vector<Embedding>> Store::GetEmbeddings(std::int64_t embedder_id,
                                                    std::span<const VectorId> ids, bool with_values,
                                                    TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  std::vector<Embedding> embeddings;
  for (const VectorId id : ids) {
    auto query = impl_->db->Query(
        "SELECT vector_id, kind, unit_id, piece, vector FROM embeddings "
        "WHERE vector_id=?1 AND tenant=?2 AND embedder_id=?3",
        id, tenant, embedder_id);
    if (query.Step()) embeddings.push_back(ReadEmbedding(query, with_values));
    LIUBAI_RETURN_IF_ERROR(query.status());
  }
  return embeddings;
}

Result<std::vector<Embedding>> Store::EmbeddingsOf(std::int64_t embedder_id, UnitKind kind,
                                                   std::span<const std::int64_t> unit_ids,
                                                   TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  std::vector<Embedding> embeddings;
  for (const std::int64_t id : unit_ids) {
    auto query = impl_->db->Query(
        "SELECT vector_id, kind, unit_id, piece, vector FROM embeddings "
        "WHERE tenant=?1 AND embedder_id=?2 AND kind=?3 AND unit_id=?4 ORDER BY piece",
        tenant, embedder_id, static_cast<int>(kind), id);
    while (query.Step()) embeddings.push_back(ReadEmbedding(query, true));
    LIUBAI_RETURN_IF_ERROR(query.status());
  }
  return embeddings;
}

Result<std::vector<IndexOperation>> Store::Operations(std::int64_t embedder_id, UnitKind kind,
                                                      std::int64_t after, std::int64_t limit,
                                                      TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query(
      "SELECT op_seq, vector_id, op FROM operations WHERE tenant=?1 AND embedder_id=?2 AND kind=?3 "
      "AND "
      "op_seq>?4 ORDER BY op_seq LIMIT ?5",
      tenant, embedder_id, static_cast<int>(kind), after, limit);
  std::vector<IndexOperation> operations;
  while (query.Step()) operations.push_back({query.Int(0), query.Int(1), query.Int(2) != 0});
  LIUBAI_RETURN_IF_ERROR(query.status());
  return operations;
}

Result<std::int64_t> Store::LastOperation(std::int64_t embedder_id, UnitKind kind,
                                          TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query(
      "SELECT coalesce(max(op_seq),0) FROM operations WHERE tenant=?1 AND embedder_id=?2 AND "
      "kind=?3",
      tenant, embedder_id, static_cast<int>(kind));
  query.Step();
  LIUBAI_RETURN_IF_ERROR(query.status());
  return query.Int(0);
}

Result<std::int64_t> Store::PublishIndex(const IndexGeneration& index, TenantId tenant) {
  std::lock_guard lock(impl_->mutex);
  if (index.file.empty() ||
      index.file.find_first_of(std::string_view("/\0", 2)) != std::string::npos ||
      index.file.front() == '.' || index.file.size() > 200 || index.sha256.size() != 64) {
    return Status(
        StatusCode::kInvalidArgument,
        fmt::format("index file \"{}\" with a hash of {} digits: needs a plain name and 64 digits",
                    index.file, index.sha256.size()));
  }
  std::int64_t generation = 0;
  LIUBAI_RETURN_IF_ERROR(impl_->Write([&]() -> Status {
    auto& db = *impl_->db;
    LIUBAI_RETURN_IF_ERROR(
        db.Query("DELETE FROM index_generations WHERE tenant=?1 AND embedder_id=?2 AND kind=?3",
                 tenant, index.embedder_id, static_cast<int>(index.kind))
            .Run());
    LIUBAI_RETURN_IF_ERROR(
        db.Query(
              "INSERT INTO index_generations(tenant,embedder_id,kind,op_seq,file,sha256,time_ms) "
              "VALUES(?1,?2,?3,?4,?5,?6,?7)",
              tenant, index.embedder_id, static_cast<int>(index.kind), index.op_seq, index.file,
              index.sha256, memory::TimeOrNow(index.time_ms))
            .Run());
    generation = db.LastRow();
    return Status();
  }));
  return generation;
}

Result<IndexGeneration> Store::LatestIndex(std::int64_t embedder_id, UnitKind kind,
                                           TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query(
      "SELECT generation, op_seq, file, sha256, time_ms FROM index_generations "
      "WHERE tenant=?1 AND embedder_id=?2 AND kind=?3 ORDER BY generation DESC LIMIT 1",
      tenant, embedder_id, static_cast<int>(kind));
  if (query.Step()) {
    return IndexGeneration{query.Int(0),  embedder_id,   kind,        query.Int(1),
                           query.Text(2), query.Text(3), query.Int(4)};
  }
  LIUBAI_RETURN_IF_ERROR(query.status());
  return Status(StatusCode::kNotFound,
                fmt::format("embedder {} has no published index", embedder_id));
}

Result<DeletionReceipt> Store::DeleteTurns(std::span<const TurnId> ids, TenantId tenant) {
  std::lock_guard lock(impl_->mutex);
  auto& db = *impl_->db;
  DeletionReceipt receipt;
  const std::set<TurnId> doomed(ids.begin(), ids.end());
  std::set<std::string> blocks;
  std::vector<std::string> files;

  const auto drop_vectors = [&](std::string_view kinds, std::int64_t unit) -> Status {
    std::vector<std::pair<VectorId, std::pair<std::int64_t, UnitKind>>> gone;
    auto removed =
        db.Query(fmt::format("DELETE FROM embeddings WHERE tenant=?1 AND unit_id=?2 AND kind IN "
                             "({}) RETURNING vector_id, embedder_id, kind",
                             kinds),
                 tenant, unit);
    while (removed.Step()) {
      gone.push_back({removed.Int(0), {removed.Int(1), static_cast<UnitKind>(removed.Int(2))}});
    }
    LIUBAI_RETURN_IF_ERROR(removed.status());
    for (const auto& [vector, index] : gone) {
      if (index.second == UnitKind::kTurnTokens) continue;  // In no index.
      LIUBAI_ASSIGN_OR_RETURN(
          receipt.op_seq, impl_->LogOperation(tenant, index.first, index.second, vector, false));
      receipt.vectors.push_back(vector);
    }
    return Status();
  };
  const auto delete_turn = [&](TurnId id) -> Status {
    std::string speaker;
    std::string text;
    SessionId session = 0;
    {
      auto row = db.Query(
          "SELECT speaker, text, session_id FROM turns WHERE turn_id=?1 AND tenant=?2", id, tenant);
      if (!row.Step()) {
        LIUBAI_RETURN_IF_ERROR(row.status());
        return Status(StatusCode::kNotFound, fmt::format("turn {} does not exist", id));
      }
      speaker = row.Text(0);
      text = row.Text(1);
      session = row.Int(2);
    }
    // The vectors of turns hold something of their neighbours, with which they were encoded.
    LIUBAI_RETURN_IF_ERROR(drop_vectors("0,1,4,5", id));
    std::vector<TurnId> near;
    for (const char* side : {"SELECT turn_id FROM turns WHERE session_id=?1 AND turn_id<?2 "
                             "ORDER BY turn_id DESC LIMIT 2",
                             "SELECT turn_id FROM turns WHERE session_id=?1 AND turn_id>?2 "
                             "ORDER BY turn_id LIMIT 2"}) {
      auto rows = db.Query(side, session, id);
      while (rows.Step()) near.push_back(rows.Int(0));
      LIUBAI_RETURN_IF_ERROR(rows.status());
    }
    for (const TurnId neighbour : near) LIUBAI_RETURN_IF_ERROR(drop_vectors("0,1,5", neighbour));

    const std::string mention = fmt::format("% {} %", id);
    {
      auto rows = db.Query(
          "DELETE FROM facts WHERE tenant=?1 AND sources LIKE ?2 RETURNING fact_id, statement",
          tenant, mention);
      std::vector<std::pair<std::int64_t, std::string>> facts;
      while (rows.Step()) facts.emplace_back(rows.Int(0), rows.Text(1));
      LIUBAI_RETURN_IF_ERROR(rows.status());
      for (const auto& [fact, statement] : facts) {
        LIUBAI_RETURN_IF_ERROR(
            db.Query("INSERT INTO facts_fts(facts_fts,rowid,statement) VALUES('delete',?1,?2)",
                     fact, statement)
                .Run());
        LIUBAI_RETURN_IF_ERROR(drop_vectors("2", fact));
        receipt.facts.push_back(fact);
      }
      LIUBAI_RETURN_IF_ERROR(impl_->ReopenFacts(id, tenant));
    }
    {
      auto rows = db.Query(
          "DELETE FROM essences WHERE tenant=?1 AND ?3 BETWEEN first_turn AND last_turn AND "
          "(session_id=?2 OR session_id IN (SELECT CAST(substr(key, 15) AS INTEGER) FROM settings "
          "WHERE tenant=?1 AND key LIKE 'essences.from.%' AND value LIKE '% ' || ?2 || '@%')) "
          "RETURNING essence_id, first_turn, last_turn, level, method, replaced_by, session_id",
          tenant, session, id);
      std::vector<Essence> dropped;
      while (rows.Step()) {
        Essence essence;
        essence.id = rows.Int(0);
        essence.session_id = rows.Int(6);
        essence.first_turn = rows.Int(1);
        essence.last_turn = rows.Int(2);
        essence.level = static_cast<std::int32_t>(rows.Int(3));
        essence.method = rows.Text(4);
        essence.replaced_by = rows.Int(5);
        dropped.push_back(std::move(essence));
      }
      LIUBAI_RETURN_IF_ERROR(rows.status());
      for (Essence& essence : dropped) {
        LIUBAI_RETURN_IF_ERROR(drop_vectors("3", essence.id));
        // What it stood for is in use again, as far as it is left.
        LIUBAI_RETURN_IF_ERROR(
            db.Query("UPDATE essences SET replaced_by=0 WHERE tenant=?1 AND replaced_by=?2 AND "
                     "method NOT IN ('overview', 'exact')",
                     tenant, essence.id)
                .Run());
        receipt.essences.push_back(std::move(essence));
      }
    }
    LIUBAI_RETURN_IF_ERROR(db.Query("UPDATE compactions SET detail_json='' WHERE tenant=?1 AND "
                                    "session_id=?2 AND ?3 BETWEEN "
                                    "first_turn AND last_turn",
                                    tenant, session, id)
                               .Run());
    {
      auto rows =
          db.Query("DELETE FROM block_versions WHERE tenant=?1 AND sources LIKE ?2 RETURNING label",
                   tenant, mention);
      while (rows.Step()) blocks.insert(rows.Text(0));
      LIUBAI_RETURN_IF_ERROR(rows.status());
    }
    {
      auto rows = db.Query("DELETE FROM ledger WHERE tenant=?1 AND turn_id=?2 RETURNING entry_id",
                           tenant, id);
      while (rows.Step()) ++receipt.ledger_entries;
      LIUBAI_RETURN_IF_ERROR(rows.status());
    }
    LIUBAI_RETURN_IF_ERROR(
        db.Query("INSERT INTO turns_fts(turns_fts,rowid,text) VALUES('delete',?1,?2)", id,
                 memory::IndexedText(speaker, text))
            .Run());
    LIUBAI_RETURN_IF_ERROR(
        db.Query("DELETE FROM turns WHERE turn_id=?1 AND tenant=?2", id, tenant).Run());
    receipt.turns.push_back(id);
    return Status();
  };

  LIUBAI_RETURN_IF_ERROR(impl_->Write([&]() -> Status {
    for (const TurnId id : doomed) LIUBAI_RETURN_IF_ERROR(delete_turn(id));
    // 'delete' only marks a term; optimize writes the index anew without it.
    LIUBAI_RETURN_IF_ERROR(
        db.Execute("INSERT INTO turns_fts(turns_fts) VALUES('optimize');"
                   "INSERT INTO facts_fts(facts_fts) VALUES('optimize')"));
    // Published indexes hold the vectors: they are withdrawn here and built again from what is
    // left.
    auto rows = db.Query("DELETE FROM index_generations WHERE tenant=?1 RETURNING file", tenant);
    while (rows.Step()) files.push_back(rows.Text(0));
    return rows.status();
  }));
  impl_->meta_loaded = false;
  receipt.blocks.assign(blocks.begin(), blocks.end());
  receipt.time_ms = memory::NowMs();

  // Copies made before migrations hold everything that was there at the time.
  FileSystem& fs = PosixFileSystem();
  if (auto names = fs.List(impl_->folder); names.ok()) {
    const std::string prefix = impl_->path.substr(impl_->path.rfind('/') + 1) + ".version";
    for (const std::string& name : *names) {
      if (name.starts_with(prefix)) files.push_back(name);
    }
  }
  for (const std::string& name : files) {
    const Status removed = fs.Remove(fmt::format("{}/{}", impl_->folder, name));
    if (removed.ok()) {
      receipt.files.push_back(name);
    } else {
      impl_->options.logger.Log(LogLevel::kError, "store", removed.message());
    }
  }
  auto checkpoint = db.Query("PRAGMA wal_checkpoint(TRUNCATE)");
  receipt.log_truncated = checkpoint.Step() && checkpoint.Int(0) == 0;
  return receipt;
}

}  // namespace liubai::inline v1
