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
#include <vector>

#include "liubai/store.h"
#include "memory/database.h"
#include "memory/fts_tokenizer.h"

#define LIUBAI_FACT_COLUMNS                                                                    \
  "fact_id, statement, subject, attribute, value, kind, sources, valid_from_ms, valid_to_ms, " \
  "confidence, origin, trust, state, closed_by, first_person, by_rules"

namespace liubai::inline v1 {

struct Store::Impl {
  // What a search needs to know of a turn; the place in `turns` is the turn's id.
  struct TurnMeta {
    SessionId session = 0;  // 0: no such turn.
    TenantId tenant = 0;
    TurnId previous = 0;  // In the session; 0: none.
    TurnId next = 0;
    std::int64_t time_ms = 0;
    std::int32_t words = 0;
    Role role = Role::kUser;
  };
  // What scoring reads of every turn that has a word of the query: small, so that caches hold it.
  struct Window {
    static constexpr TenantId kNone = std::numeric_limits<TenantId>::min();
    TenantId tenant = kNone;               // kNone: there is no such turn.
    std::array<std::int32_t, 4> beside{};  // Two before and two after, in order; 0: none.
    std::int32_t words = 0;                // Of the turn.
    std::int32_t window_words = 0;         // With the turns beside it.
    std::int32_t session = 0;              // Place in `sessions`.
    bool user = false;                     // The user said it.
    int turns() const {
      return 1 + static_cast<int>(std::ranges::count_if(beside, [](auto id) { return id != 0; }));
    }
  };
  struct Totals {
    std::int64_t turns = 0;
    std::int64_t words = 0;
    std::int64_t window_words = 0;
    std::int64_t sessions = 0;
    std::int64_t user_words = 0;
  };
  // A session as one text, and what the user said of it as another.
  struct SessionMeta {
    SessionId id = 0;
    std::int64_t words = 0;
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

  Status LoadMeta();
  // One list for each of `terms`, valid until the next call. Frequent ones are kept.
  Result<std::vector<const std::vector<memory::Posting>*>> TurnPostings(
      const std::vector<std::string>& terms);
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
  // Turns that have a term, of terms that many turns have, as FTS5 has them: reading those is most
  // of a search. Grows with each append and is emptied with `turns`; deleted turns stay in it until
  // then.
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, std::vector<memory::Posting>, TextHash, std::equal_to<>> frequent;
  std::size_t frequent_postings = 0;
  std::vector<std::vector<memory::Posting>> rare;  // Of the last query.
  std::vector<Window> windows;                     // By id.
  std::vector<SessionMeta> sessions;
  std::unordered_map<SessionId, std::int32_t> session_places;
  std::unordered_map<SessionId, TurnId> last_turn;
  std::map<TenantId, Totals> totals;
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
