// memory/store_impl.h: what the sources of the store share. `mutex` guards everything below it.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "liubai/store.h"
#include "memory/database.h"
#include "memory/fts_tokenizer.h"
#include "memory/term_postings.h"
#include "memory/text_terms.h"
#include "memory/word_table.h"

#define LIUBAI_FACT_COLUMNS                                                                    \
  "fact_id, statement, subject, attribute, value, kind, sources, valid_from_ms, valid_to_ms, " \
  "confidence, origin, trust, state, closed_by, first_person, by_rules"

namespace liubai::inline v1 {

struct Store::Impl {
  // What a filter asks of a turn; the place in `turns` is the turn's id.
  struct TurnMeta {
    SessionId session = 0;  // 0: no such turn.
    TenantId tenant = 0;
    std::int64_t time_ms = 0;
    std::int32_t words = 0;
    Role role = Role::kUser;
  };
  struct Totals {
    std::int64_t turns = 0;
    std::int64_t words = 0;
    std::int64_t window_words = 0;
    std::int64_t sessions = 0;
    std::int64_t user_words = 0;
  };

  ~Impl();

  Status Migrate();
  Status RebuildFullText();
  Status ReadIds();

  // Refuses when the store is read-only or its writes stopped.
  Status CheckWritable() const;
  // Runs `body` in one transaction. A disk failure stops all further writes.
  template <class Body>
  Status Write(const Body& body) {
    if (Status s = CheckWritable(); !s.ok()) return s;
    Status status = db->Execute("BEGIN IMMEDIATE");
    if (!status.ok()) return status;
    status = body();
    if (status.ok()) status = db->Execute("COMMIT");
    if (!status.ok()) EndFailedWrite(status);
    return status;
  }
  void EndFailedWrite(const Status& why);

  // Another connection has committed since this was asked last.
  Result<bool> ChangedByOthers(std::int64_t* seen);
  Status LoadMeta();
  // One list for each of `terms`, up to date and valid until the next call.
  Result<std::vector<const memory::TermPostings*>> TurnPostings(
      const std::vector<std::string>& terms, TenantId tenant);
  // Reads those of `terms` that are not kept.
  Status ReadTurnPostings(const std::vector<std::string>& terms, TenantId tenant);
  // Reads the lists of the tenant's most frequent words ahead of the queries that need them.
  Status WarmPostings(TenantId tenant);
  void AddMeta(TurnId id, const TurnMeta& meta);

  // The least of `trust` and the trust of `sources`; kNotFound when one of them does not exist.
  Result<Trust> LeastTrust(Trust trust, std::span<const TurnId> sources, TenantId tenant);
  // What SetBlock refuses.
  Status CheckBlock(const Block& block, TenantId tenant);
  // The next version of a block, in the transaction that is open.
  Result<Block> InsertBlock(Block block, TenantId tenant);
  Result<std::int64_t> InsertFact(const Fact& fact, TenantId tenant);

  // store_facts.cc, all but the last in the transaction that is open.
  Status WriteFacts(const Turn& turn, TenantId tenant);
  Status ChangeFact(std::int64_t id, FactState state, std::optional<std::int64_t> valid_to_ms,
                    TurnId by);
  Status ReopenFacts(TurnId turn, TenantId tenant);
  // store_essences.cc. What is kept of essences in memory, up to date.
  static void NoteRowChange(void* impl, int operation, const char* database, const char* table,
                            long long row);  // For sqlite3_update_hook.
  Status RefreshEssences();
  Status ReadHiddenLines(TenantId tenant);
  // The turn of an unproved detail of the essence's that stands in `sentence`; 0: none does.
  Result<TurnId> UnprovedIn(TurnId first, TurnId last, std::string_view sentence, TenantId tenant);
  Result<std::string> KnownSubject(const std::string& subject, TenantId tenant);
  Result<std::vector<std::string>> SubjectNames(const std::string& subject, TenantId tenant);
  // Those of `subject` that hold or are disputed; an empty attribute has none.
  Result<std::vector<Fact>> HoldingFacts(const std::string& subject, std::string_view attribute,
                                         std::string_view opposite, TenantId tenant);
  Status RefreshFacts();
  Result<std::int64_t> LogOperation(TenantId tenant, std::int64_t embedder, UnitKind kind,
                                    VectorId vector, bool add);

  std::string folder;
  std::string path;
  StoreOptions options;
  std::string store_id;
  std::string history_id;
  int lock_descriptor = -1;

  std::mutex mutex;
  std::unique_ptr<memory::Database> db;
  Status stopped;  // Why writes stopped.

  bool meta_loaded = false;
  std::int64_t meta_data_version = -1;
  std::vector<TurnMeta> turns;  // By id.
  // Reading lists of turns from FTS5 is most of a search: they are kept. They grow with each append
  // and are emptied with `turns`; deleted turns stay in them until then.
  memory::PostingsCache postings;
  bool postings_warm = false;
  memory::WordTable words;
  std::map<TenantId, Totals> totals;

  // The sentences behind the essences in use, as they are searched.
  struct HiddenLines {
    struct Line {
      std::int64_t essence = 0;
      TurnId first_turn = 0, last_turn = 0;  // Of the essence.
      TurnId turn = 0;                       // 0: see UnprovedIn.
      std::string text;
    };
    std::unordered_set<std::int64_t> read;  // Essences.
    bool complete = false;                  // No essence was written since.
    std::vector<Line> lines;
    memory::TextTerms terms;  // Of each line.
  };
  enum class EssenceChange : std::uint8_t { kNone, kAdded, kRemoved };
  // SQLite tells of every row that this connection writes.
  EssenceChange essence_change = EssenceChange::kRemoved;
  std::int64_t essence_data_version = -1;
  std::map<TenantId, std::array<std::int64_t, 3>> essence_stamps;
  std::map<TenantId, HiddenLines> hidden_lines;
};

}  // namespace liubai::inline v1

namespace liubai::memory {

std::int64_t NowMs();
std::int64_t TimeOrNow(std::int64_t time_ms);
std::string JoinIds(std::span<const std::int64_t> ids);  // ' 3 9 ', or ''.
std::vector<std::int64_t> SplitIds(std::string_view joined);
Fact ReadFact(const Statement& row);  // Of LIUBAI_FACT_COLUMNS.
std::vector<TokenId> ReadTokens(Blob blob);
Blob TokensBlob(const std::vector<TokenId>& tokens);
std::string RandomHex();
// CompactionBatch::essence_links, in the transaction that is open.
Status LinkEssences(Database& db, const CompactionBatch& batch,
                    const std::vector<std::int64_t>& added);
// The words that full text has of a turn.
std::string IndexedText(std::string_view speaker, std::string_view text);
// Of the columns that must never change.
std::int64_t TurnDigest(SessionId session, std::int64_t seq, Role role, std::int64_t time_ms,
                        std::string_view speaker, std::string_view text);

}  // namespace liubai::memory
