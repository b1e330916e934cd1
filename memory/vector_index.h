// memory/vector_index.h: nearest vectors of one kind, embedder and tenant: a cache over the store's
// embeddings, kept in memory and in a stamped file of the store's folder (memory/FORMAT.md).
//
//   rows   [0, main) are in the FAISS index, [main, rows) in the tail; a deleted row is a tombstone
//   exact  up to `lists_above` rows; above, the nearest lists (memory/vector_lists.h) and the tail
//   truth  every row comes from SQLite; a file whose stamp is wrong is quarantined and rebuilt
//
// Publishing writes a temporary file, syncs it, renames it, syncs the folder, commits (generation,
// operation, sha256) to the store and unlinks the file before it: a crash between any two steps
// leaves one valid generation, and Open removes what else lies there.
//
// Errors:  those of Store and FileSystem; kResourceExhausted when memory runs out; kInternal for an
//          exception of FAISS. A file that cannot be trusted is no error: see status().note.
// Threads: const methods may run together and beside CatchUp and Publish, which take turns.
// Units:   scores are inner products of normalised vectors, -1..1.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/file_system.h"
#include "liubai/log.h"
#include "liubai/store.h"

namespace liubai::memory {

struct VectorIndexOptions {
  std::int64_t lists_above = 100000;  // Rows up to which the scan is exact.
  // How many rows a search of lists compares at least: so many, and one in so many of all.
  std::int64_t least_compared = 16384;
  std::int64_t compared_part = 16;
  FileSystem* file_system = nullptr;  // Null: the operating system's.
  Logger logger;
};

struct VectorHit {
  VectorId vector_id = 0;
  std::int64_t unit_id = 0;
  std::int32_t piece = 0;
  float score = 0;
};

struct VectorIndexStatus {
  std::int64_t generation = 0;  // Of the file; 0: none.
  std::int64_t covered_op_seq = 0;
  std::int64_t applied_op_seq = 0;
  std::int64_t live_rows = 0;
  std::int64_t tail_rows = 0;  // Not in the FAISS index yet: searched exactly.
  std::int64_t tombstones = 0;
  std::int64_t lists = 0;  // 0: every search is exact.
  bool rebuilt = false;
  std::string note;  // Why it was rebuilt, or "".
};

struct VectorIndexAudit {
  std::vector<VectorId> missing;    // Live in the store, not here.
  std::vector<VectorId> extra;      // Here, not live in the store.
  std::vector<VectorId> differing;  // Other values than the store's.
  std::int64_t compared = 0;
  bool ok() const { return missing.empty() && extra.empty() && differing.empty(); }
};

// Which units may be returned. Called inside the search, from the searching thread.
using UnitFilter = std::function<bool(std::int64_t unit_id)>;

class VectorIndex {
 public:
  // Loads the published file, or rebuilds from the store's rows, then catches up. `store` outlives
  // it.
  static Result<std::unique_ptr<VectorIndex>> Open(Store& store, const EmbedderRecord& embedder,
                                                   UnitKind kind, TenantId tenant,
                                                   const VectorIndexOptions& options = {});
  ~VectorIndex();
  VectorIndex(const VectorIndex&) = delete;
  VectorIndex& operator=(const VectorIndex&) = delete;

  // Applies the store's operations above those applied: new rows to the tail, deletions as
  // tombstones.
  Status CatchUp();
  // Merges the tail, drops tombstones and publishes a new generation; OK and nothing done when the
  // file covers all already. Searches go on meanwhile.
  Status Publish();

  // The `limit` nearest live rows that `filter` allows (empty: all), best first. A unit with
  // several pieces may appear several times. REQUIRES: query.size() == dimension.
  Result<std::vector<VectorHit>> Search(std::span<const float> query, std::int64_t limit,
                                        const UnitFilter& filter = {}) const;
  // The same, certain: every row is compared.
  Result<std::vector<VectorHit>> Scan(std::span<const float> query, std::int64_t limit) const;
  // Best score over each unit's live rows; NaN for a unit without one. Exact.
  void Score(std::span<const float> query, std::span<const std::int64_t> units,
             std::span<float> scores) const;
  // Up to `count` scores of live rows spread evenly over the index: what a row has by chance.
  std::vector<float> SampleScores(std::span<const float> query, int count) const;

  VectorIndexStatus status() const;
  // Compares all ids and up to `sample` values with the store.
  Result<VectorIndexAudit> Audit(std::int64_t sample = 256) const;

 private:
  struct Impl;
  explicit VectorIndex(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace liubai::memory
