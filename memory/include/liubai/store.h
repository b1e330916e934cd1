// liubai/store.h: the truth of a memory: every turn verbatim, blocks, facts, essences, vectors; in
// SQLite.
//
// A store is a folder: `memory.db`, `store.lock` and index files. memory/FORMAT.md describes it.
//
// Errors:  kNotFound; kAlreadyExists; kInvalidArgument (text that is not UTF-8 or holds a NUL, ids
// and
//          values outside their ranges); kLocked (another writer; its PID is in the message);
//          kFailedPrecondition (a newer version, another program's database, a read-only store, or
//          a store whose writes stopped); kPermissionDenied; kResourceExhausted (disk full: nothing
//          of the call was stored); kDataLoss (a corrupt file, or a disk that failed: whether the
//          call's commit reached the disk is unknown, and all writes are refused until the store is
//          opened again; look a turn up by its idempotency key).
// Threads: all methods may be called from any thread; they take turns on one lock.
// Each writing method is one transaction: on OK it is on disk (synchronous=FULL), else nothing
// changed. Every statement is bound to a tenant: rows of another tenant are not found.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/log.h"
#include "liubai/records.h"
#include "liubai/status.h"

namespace liubai::inline v1 {

struct StoreOptions {
  bool create = true;       // Make the folder and the database when there is none.
  bool read_only = false;   // Works beside a writer and on folders that cannot be written.
  bool quick_check = true;  // Check the file's structure when opening.
  bool facts = true;        // Write with each turn the facts that rules find in it.
  int busy_timeout_ms = 5000;
  Logger logger;
};

// Which turns a search may return; the default is all of the tenant's.
struct TurnFilter {
  TenantId tenant = kDefaultTenant;
  std::optional<SessionId> session;
  std::vector<Role> roles;  // Empty: any.
  TurnId before_turn = 0;   // 0: no limit; else only ids below it.
  TurnId after_turn = 0;    // Only ids above it.
  std::vector<TurnId> exclude;
  std::optional<std::int64_t> from_ms;  // Times in [from_ms, to_ms).
  std::optional<std::int64_t> to_ms;
};

enum class TextField : std::uint8_t {
  kTurn,    // The turn alone.
  kWindow,  // The turn with the two before and the two after it in its session.
};

struct TextHit {
  TurnId turn_id = 0;
  double score = 0;  // BM25, larger is better.
  int words = 0;     // Of the turn; of a window, on average over its turns.
};

// A session of which a turn has a word of the query; in no order.
struct SessionTextHit {
  SessionId session_id = 0;
  double score = 0;       // BM25 of the session as one text.
  double user_score = 0;  // The same of what the user said in it.
};

// All fields of one query; turns and windows each with their own best, best first.
struct TextHits {
  std::vector<TextHit> turn;
  std::vector<TextHit> window;
  std::vector<SessionTextHit> sessions;
  std::vector<std::string>
      terms;  // What was searched: folded and stemmed, function words left out.
  std::vector<double> term_weights;  // [terms]: how much each tells; rare ones most.
};

struct Bm25Options {
  double k1 = 1.2;
  double b = 0.75;
};

// Which facts are wanted; the default is those that hold or are disputed.
struct FactFilter {
  TenantId tenant = kDefaultTenant;
  std::string subject;                   // In any case of letters; empty: of all.
  std::string attribute;                 // Empty: all.
  std::string kind;                      // Empty: all.
  std::optional<std::int64_t> as_of_ms;  // Those that held at this time, as far as is known.
  bool history = false;                  // All, also closed and wrong ones.
};

struct FactHit {
  Fact fact;
  double score = 0;
};

// What one compaction changes; all of it or nothing.
struct CompactionBatch {
  TenantId tenant = kDefaultTenant;
  SessionId session_id = 0;
  TurnId covered_through = 0;  // 0: unchanged; else not below what it was.
  std::vector<Essence> essences;
  // The first is from now on stood for by the second; 0: it is in use again. Ids, or -1 for
  // essences[0], -2 for essences[1], …
  std::vector<std::pair<std::int64_t, std::int64_t>> essence_links;
  std::vector<LedgerEntry> ledger;
  std::vector<std::pair<std::int64_t, LedgerState>>
      ledger_states;  // Entries that are there already.
  std::vector<Fact> facts;
  std::vector<std::int64_t> closed_facts;  // Valid until now.
  // Written as the next version after block->version, as by SetBlock; kFailedPrecondition when that
  // is not the stored one's (0: there was never one).
  std::optional<Block> block;
  std::optional<CompactionReport> report;
};

struct CompactionIds {
  std::vector<std::int64_t> essences;
  std::vector<std::int64_t> ledger;
  std::vector<std::int64_t> facts;
  std::int64_t block_version = 0;  // 0: no block was written.
  std::int64_t report = 0;
};

// An essence and what it stands for.
struct UnfoldedEssence {
  Essence essence;
  std::vector<Essence> children;  // One step down, oldest first; empty: it stands for turns.
  std::vector<Essence> exact;     // Of a leaf: those of method "exact" behind it.
  std::vector<Turn> turns;        // All that are under it, oldest first, as many as were asked for.
  std::int64_t turns_total = 0;
};

// A sentence of an essence that is not in the prompt.
struct EssenceHit {
  std::int64_t essence_id = 0;
  TurnId turn_id = 0;  // In which it was said.
  std::string text;
  double score = 0;  // 0..1: the share of the question's words that it has.
};

// What a deletion removed, and what is left to its caller.
struct DeletionReceipt {
  std::vector<TurnId> turns;
  std::vector<VectorId> vectors;  // Index files must be rebuilt without them.
  std::vector<Essence> essences;  // Dropped: to be written again from what is left. No text.
  std::vector<std::int64_t> facts;
  std::int64_t ledger_entries = 0;
  std::vector<std::string>
      blocks;  // Labels whose versions named the turns; those versions are gone.
  std::vector<std::string> files;  // Files of the folder that were removed with them.
  std::int64_t op_seq = 0;         // The last operation of the deletion.
  bool log_truncated = false;      // false: a reader held the write-ahead log; Checkpoint again.
  std::int64_t time_ms = 0;
};

struct StoreStats {
  std::int64_t sessions = 0;
  std::int64_t turns = 0;
  std::int64_t facts = 0;  // Valid now.
  std::int64_t closed_facts = 0;
  std::int64_t blocks = 0;
  std::int64_t essences = 0;  // In use.
  std::int64_t ledger_entries = 0;
  std::int64_t reports = 0;
  std::int64_t embeddings = 0;
  std::int64_t last_op_seq = 0;
  std::int64_t text_bytes = 0;
  std::int64_t file_bytes = 0;  // Database and write-ahead log.
  std::int64_t first_time_ms = 0;
  std::int64_t last_time_ms = 0;
};

class Store {
 public:
  // `path` is a folder, or a `.db` file whose folder is meant.
  static Result<std::unique_ptr<Store>> Open(const std::string& path,
                                             const StoreOptions& options = {});
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::string& folder() const;
  const std::string& id() const;          // 32 hexadecimal digits, for ever.
  const std::string& history_id() const;  // New in each copy that Backup writes.
  bool read_only() const;
  static std::string SqliteVersion();

  // Sessions. Ensure returns the session of that name, made when there was none.
  Result<SessionId> EnsureSession(std::string_view name, TenantId tenant = kDefaultTenant);
  Result<Session> GetSession(SessionId id, TenantId tenant = kDefaultTenant) const;
  Result<Session> FindSession(std::string_view name, TenantId tenant = kDefaultTenant) const;
  Result<std::vector<Session>> Sessions(TenantId tenant = kDefaultTenant) const;  // By id.

  // Turns. A key that is known already returns the turn stored under it when role and text agree,
  // else kAlreadyExists. AppendTurns is one transaction: all or none; kCancelled: none, since
  // `stop` was requested.
  Result<TurnId> AppendTurn(const NewTurn& turn, TenantId tenant = kDefaultTenant);
  Result<std::vector<TurnId>> AppendTurns(std::span<const NewTurn> turns,
                                          TenantId tenant = kDefaultTenant,
                                          std::stop_token stop = {});
  Result<Turn> GetTurn(TurnId id, TenantId tenant = kDefaultTenant) const;
  Result<Turn> FindTurn(std::string_view idempotency_key, TenantId tenant = kDefaultTenant) const;
  // Those of `ids` that exist, in the order asked for.
  Result<std::vector<Turn>> GetTurns(std::span<const TurnId> ids,
                                     TenantId tenant = kDefaultTenant) const;
  // In the order of the session (of ids without a session), at most `limit`, from the start or,
  // `last`, the end.
  Result<std::vector<Turn>> Turns(const TurnFilter& filter, std::int64_t limit = 1000,
                                  bool last = false) const;
  // The turn between up to `before` and `after` turns of its session.
  Result<std::vector<Turn>> Neighbours(TurnId id, int before, int after,
                                       TenantId tenant = kDefaultTenant) const;

  // Words. Whatever the user typed is words, never syntax. At most `limit` hits a field, best
  // first. Words that say which kind of answer is wanted ("how many weeks ago") count less.
  Result<std::vector<TextHit>> SearchText(std::string_view query, const TurnFilter& filter,
                                          std::int64_t limit, TextField field = TextField::kTurn,
                                          const Bm25Options& options = {}) const;
  Result<TextHits> SearchTextFields(std::string_view query, const TurnFilter& filter,
                                    std::int64_t limit, const Bm25Options& options = {}) const;
  Result<std::vector<FactHit>> SearchFacts(std::string_view query, std::int64_t limit,
                                           bool with_closed = false,
                                           TenantId tenant = kDefaultTenant) const;

  // Blocks. kResourceExhausted: the value is over the block's limit (both figures are in the
  // message). kPermissionDenied: the origin, or a source turn, is untrusted.
  Result<Block> SetBlock(const Block& block, TenantId tenant = kDefaultTenant);
  Status DeleteBlock(std::string_view label, Origin who, TenantId tenant = kDefaultTenant);
  Result<Block> GetBlock(std::string_view label, TenantId tenant = kDefaultTenant) const;
  Result<std::vector<Block>> Blocks(TenantId tenant = kDefaultTenant) const;  // Oldest label first.
  Result<std::vector<Block>> BlockHistory(std::string_view label,
                                          TenantId tenant = kDefaultTenant) const;

  // Facts.
  Result<std::int64_t> AddFact(const Fact& fact, TenantId tenant = kDefaultTenant);
  Status CloseFact(std::int64_t id, std::int64_t valid_to_ms = kNow,
                   TenantId tenant = kDefaultTenant);
  Result<std::vector<Fact>> Facts(bool with_closed = false, std::string_view subject = {},
                                  TenantId tenant = kDefaultTenant) const;
  Result<std::vector<Fact>> GetFacts(std::span<const std::int64_t> ids,
                                     TenantId tenant = kDefaultTenant) const;
  Result<std::vector<Fact>> FindFacts(const FactFilter& filter) const;  // By id.
  // kClosed: valid until `valid_to_ms`, else the time is not read.
  Status MarkFact(std::int64_t id, FactState state, std::int64_t valid_to_ms = kNow,
                  TenantId tenant = kDefaultTenant);
  // Whom the rules' facts speak of, those who speak of themselves first; only those users.
  Result<std::vector<std::string>> FactSubjects(bool only_self = false,
                                                TenantId tenant = kDefaultTenant) const;
  // The subjects that are the same person as `subject`, itself first: "Anna", "User's sister".
  Result<std::vector<std::string>> FactSubjectNames(std::string_view subject,
                                                    TenantId tenant = kDefaultTenant) const;

  // Compaction.
  Result<CompactionIds> Commit(const CompactionBatch& batch);
  Result<std::vector<LedgerEntry>> Ledger(TurnId first, TurnId last,
                                          TenantId tenant = kDefaultTenant) const;
  // Oldest first; those in use, or all.
  Result<std::vector<Essence>> Essences(std::optional<SessionId> session = {},
                                        bool with_replaced = false,
                                        TenantId tenant = kDefaultTenant) const;
  // Those with a higher id, in that order; used or not.
  Result<std::vector<Essence>> EssencesAfter(std::int64_t id,
                                             TenantId tenant = kDefaultTenant) const;
  // How many there are, the highest id, their characters. Another one than before when any essence was added or removed: for those who keep them.
  Result<std::array<std::int64_t, 3>> EssenceStamp(TenantId tenant = kDefaultTenant) const;
  // Also one that is no longer in use, and one that a fork took over from another session.
  Result<UnfoldedEssence> UnfoldEssence(std::int64_t id, std::int64_t most_turns = 200,
                                        TenantId tenant = kDefaultTenant) const;
  // Sentences behind the essences in use that have at least half of the words of `query`, the best
  // first and of equal ones the latest: what is kept word for word because no search of turns finds
  // it, there or in essences that others took the place of.
  Result<std::vector<EssenceHit>> SearchEssences(std::string_view query, std::size_t limit = 8,
                                                 TenantId tenant = kDefaultTenant) const;
  Result<std::vector<CompactionReport>> Reports(std::optional<SessionId> session = {},
                                                TenantId tenant = kDefaultTenant) const;

  // Vectors. The store gives out vector ids and writes the operation log in the same transaction.
  Result<EmbedderRecord> EnsureEmbedder(std::string_view name, std::string_view fingerprint,
                                        std::int32_t dimension);
  Result<std::vector<EmbedderRecord>> Embedders() const;
  // How rows of kTurnTokens are packed from now on; those there are, packed otherwise, are dropped.
  Status SetTokenCodec(std::int64_t embedder_id, std::string_view bytes);
  // A vector that is there already for the same unit and piece is replaced (deleted and added).
  Result<std::vector<VectorId>> PutEmbeddings(std::int64_t embedder_id,
                                              std::span<const NewEmbedding> embeddings,
                                              TenantId tenant = kDefaultTenant);
  // Turns (facts, essences) without a vector of `kind`, oldest first, ids above `after`.
  Result<std::vector<std::int64_t>> PendingEmbeddings(std::int64_t embedder_id, UnitKind kind,
                                                      std::int64_t limit, std::int64_t after = 0,
                                                      TenantId tenant = kDefaultTenant) const;
  // Live vectors in order of id, ids above `after`; the callback returns false to stop.
  Status ForEachEmbedding(std::int64_t embedder_id, UnitKind kind, VectorId after,
                          const std::function<bool(const Embedding&)>& callback,
                          TenantId tenant = kDefaultTenant) const;
  // Those of `ids` that are live, in the order asked for; without values when not wanted.
  Result<std::vector<Embedding>> GetEmbeddings(std::int64_t embedder_id,
                                               std::span<const VectorId> ids,
                                               bool with_values = true,
                                               TenantId tenant = kDefaultTenant) const;
  Result<std::vector<Embedding>> EmbeddingsOf(std::int64_t embedder_id, UnitKind kind,
                                              std::span<const std::int64_t> unit_ids,
                                              TenantId tenant = kDefaultTenant) const;
  // Operations above `after`, in order.
  Result<std::vector<IndexOperation>> Operations(std::int64_t embedder_id, UnitKind kind,
                                                 std::int64_t after, std::int64_t limit,
                                                 TenantId tenant = kDefaultTenant) const;
  Result<std::int64_t> LastOperation(std::int64_t embedder_id, UnitKind kind,
                                     TenantId tenant = kDefaultTenant) const;  // 0: none.
  // Records a file that lies synced in the folder; returns its generation number.
  Result<std::int64_t> PublishIndex(const IndexGeneration& index, TenantId tenant = kDefaultTenant);
  Result<IndexGeneration> LatestIndex(std::int64_t embedder_id, UnitKind kind,
                                      TenantId tenant = kDefaultTenant) const;

  // Removes turns and all that came from them, so that no byte of theirs is left in the folder.

  // removed.
  Result<DeletionReceipt> DeleteTurns(std::span<const TurnId> ids,
                                      TenantId tenant = kDefaultTenant);

  // Small values of the application, by key. kNotFound: not set.
  Status SetSetting(std::string_view key, std::string_view value, TenantId tenant = kDefaultTenant);
  Result<std::string> GetSetting(std::string_view key, TenantId tenant = kDefaultTenant) const;

  // Maintenance.
  Result<StoreStats> Stats(TenantId tenant = kDefaultTenant) const;
  // Structure, references, full text, digests of turns: one line a problem, empty when all is well.
  Result<std::vector<std::string>> Verify() const;
  Status Checkpoint();  // Moves the write-ahead log into the database and truncates it.
  // A whole copy with a new history id in `folder`, which must not hold a store; index files are
  // left out.
  Status Backup(const std::string& folder) const;
  // OK, or why writes stopped.
  Status write_status() const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace liubai::inline v1
