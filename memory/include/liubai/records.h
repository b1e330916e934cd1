// liubai/records.h: the rows of a memory store, as values.
//
// Units: times are UTC milliseconds since 1970; text is UTF-8 without NUL; ids are positive, given
// out by
//        the store and never used twice; id ranges are closed, [first, last].
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "liubai/types.h"

namespace liubai::inline v1 {

using TenantId = std::int64_t;
using SessionId = std::int64_t;
using TurnId = std::int64_t;
using VectorId = std::int64_t;  // The id of a vector in an index.

inline constexpr TenantId kDefaultTenant = 1;
inline constexpr std::int64_t kNow = std::numeric_limits<std::int64_t>::min();

enum class Role : std::uint8_t {  // Stored on disk: never renumber.
  kSystem = 0,
  kUser = 1,
  kAssistant = 2,
  kTool = 3,
};

// Who the words came from.
enum class Origin : std::uint8_t {  // Stored on disk: never renumber.
  kUser = 0,
  kAssistant = 1,
  kTool = 2,
  kWeb = 3,
  kSummary = 4,
  kOperator = 5,  // Whoever runs the agent: system prompts, the command line.
};

// How far words are believed. A derived row has the least trust of the turns that it came from.
enum class Trust : std::uint8_t {  // Stored on disk: never renumber; ordered.
  kUntrusted = 0,                  // Web pages, tool output: may never write a memory block.
  kModel = 1,
  kUser = 2,
  kOperator = 3,
};

Trust TrustOfOrigin(Origin origin);

enum class TurnStatus : std::uint8_t {  // Stored on disk: never renumber.
  kComplete = 0,
  kInterrupted = 1,  // Cancelled while it was generated; what is stored is what was shown.
};

struct NewTurn {
  SessionId session_id = 0;
  Role role = Role::kUser;
  std::string speaker;  // A name, or empty.
  std::string text;     // May be empty.
  std::vector<TokenId> tokens;
  std::int64_t time_ms = kNow;
  std::optional<Origin> origin;  // Default: by role.
  std::string idempotency_key;   // Empty: none. Unique within the tenant.
  std::vector<TurnId> sources;   // Turns that this one repeats; lower its trust to theirs.
  TurnStatus status = TurnStatus::kComplete;
};

struct Turn {
  TurnId id = 0;
  SessionId session_id = 0;
  std::int64_t seq = 0;  // 1, 2, … in the session, in the order of commits; deletions leave holes.
  Role role = Role::kUser;
  std::string speaker;
  std::string text;
  std::vector<TokenId> tokens;
  std::int64_t time_ms = 0;
  Origin origin = Origin::kUser;
  Trust trust = Trust::kUser;
  TurnStatus status = TurnStatus::kComplete;
  std::string idempotency_key;
  std::vector<TurnId> sources;
};

struct Session {
  SessionId id = 0;
  std::string name;  // Unique within the tenant.
  std::int64_t created_ms = 0;
  std::int64_t turns = 0;
  TurnId first_turn = 0;  // 0: no turn.
  TurnId last_turn = 0;
  std::int64_t first_time_ms = 0;
  std::int64_t last_time_ms = 0;
  TurnId covered_through = 0;  // Compaction took turns up to this one out of the window; 0: none.
};

// A labelled piece of the prompt that the model may rewrite.
struct Block {
  std::string label;
  std::string value;
  std::string description;
  std::int64_t limit_bytes = 0;  // 0: no limit.
  std::int64_t version = 0;      // 1, 2, …
  Origin origin = Origin::kOperator;
  std::vector<TurnId> sources;
  std::int64_t time_ms = 0;
  bool deleted = false;  // Only in histories.
};

enum class FactState : std::uint8_t {  // Stored on disk: never renumber.
  kValid = 0,
  kClosed = 1,    // Held until valid_to_ms.
  kWrong = 2,     // Taken back: it never held; valid_to_ms is valid_from_ms.
  kDisputed = 3,  // Another statement contradicts it, and which of them holds is not decided.
};

struct Fact {
  std::int64_t id = 0;
  std::string statement;
  std::string subject;
  std::string attribute;
  std::string value;
  std::string kind;  // "amount", "preference", "rule", …: the caller's words.
  std::vector<TurnId> sources;
  std::int64_t valid_from_ms = kNow;        // 0: since when is not known.
  std::optional<std::int64_t> valid_to_ms;  // Not set: still valid.
  double confidence = 1.0;                  // 0..1
  Origin origin = Origin::kSummary;
  Trust trust = Trust::kOperator;  // Lowered to that of the sources when stored.
  FactState state = FactState::kValid;
  TurnId closed_by = 0;       // The turn that ended, corrected or contradicted it; 0: none did.
  bool first_person = false;  // The subject says it of itself.
  bool by_rules = false;      // Found in its turn by the library's rules, and written with it.
};

enum class LedgerState : std::uint8_t {  // Stored on disk: never renumber.
  kKept = 0,                             // The essence carries it.
  kShelved = 1,                          // Not in the essence; not yet proved.
  kProved = 2,                           // Not in the essence; found again by its context.
  kUnproved = 3,                         // Not found again: verbatim in the essence or behind it.
};

// One exact detail of a turn: bytes [begin, end) of its text.
struct LedgerEntry {
  std::int64_t id = 0;
  TurnId turn_id = 0;
  std::string kind;
  std::string text;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string context;  // The query by which it must be found: its surroundings without the value.
  LedgerState state = LedgerState::kShelved;
};

struct Essence {
  std::int64_t id = 0;
  SessionId session_id = 0;
  TurnId first_turn = 0;
  TurnId last_turn = 0;
  // When the first and the last turn were said; read from the turns, not stored.
  std::int64_t first_time_ms = 0;
  std::int64_t last_time_ms = 0;
  std::int32_t level = 0;  // 0 stands for turns, n for essences of lower levels.
  std::string text;
  // "model", "extractive", "model+extract": the model's sentences that were said, and the turns';
  // or "overview": one for all that the prompt has no room to show apart, written anew as it grows;
  // or "exact": sentences word for word that are not found again by their context and for which the
  // leaf that stands for them has no room.
  std::string method;
  bool checked = false;  // Compared with the ledger.
  std::vector<TokenId> tokens;
  std::int64_t time_ms = kNow;
  std::int64_t replaced_by = 0;    // The essence that stands for this one now; 0: it is in use.
  Trust trust = Trust::kOperator;  // Lowered to that of the turns when stored.
};

struct CompactionReport {
  std::int64_t id = 0;
  SessionId session_id = 0;
  TurnId first_turn = 0;
  TurnId last_turn = 0;
  std::int64_t turns = 0;
  std::int64_t tokens_before = 0;
  std::int64_t tokens_after = 0;
  std::int64_t details = 0;
  std::int64_t kept_in_essence = 0;
  std::int64_t shelved = 0;
  std::int64_t proved = 0;
  std::int64_t kept_in_window = 0;  // Because unproved.
  std::int64_t duration_ms = 0;
  std::string method;
  std::string detail_json;  // "" or a JSON object.
  std::int64_t time_ms = kNow;
};

// What a vector stands for.
enum class UnitKind : std::uint8_t {  // Stored on disk: never renumber.
  kTurn = 0,
  kWindow = 1,  // A turn with its neighbours; the unit id is the turn's.
  kFact = 2,
  kEssence = 3,
  kPiece = 4,       // A part of a turn that is longer than the embedder's limit.
  kTurnTokens = 5,  // Token vectors of a turn, packed by whoever wrote them.
};

struct EmbedderRecord {
  std::int64_t id = 0;
  std::string name;         // As Embedder::name().
  std::string fingerprint;  // As Embedder::id(): vectors of different fingerprints never meet.
  std::int32_t dimension = 0;
  std::string token_codec;  // How its rows of kTurnTokens are packed; "": there are none yet.
};

struct NewEmbedding {
  UnitKind kind = UnitKind::kTurn;
  std::int64_t unit_id = 0;
  std::int32_t piece = 0;
  std::vector<std::uint16_t> values;  // [dimension] f16; kTurnTokens: any length.
};

struct Embedding {
  VectorId id = 0;
  UnitKind kind = UnitKind::kTurn;
  std::int64_t unit_id = 0;
  std::int32_t piece = 0;
  std::vector<std::uint16_t> values;  // [dimension] f16
};

struct IndexOperation {
  std::int64_t op_seq = 0;
  VectorId vector_id = 0;
  bool add = true;  // false: deleted.
};

// A published index file: it covers the operations up to op_seq.
struct IndexGeneration {
  std::int64_t generation = 0;
  std::int64_t embedder_id = 0;
  UnitKind kind = UnitKind::kTurn;
  std::int64_t op_seq = 0;
  std::string file;    // A plain name in the store's folder.
  std::string sha256;  // Of the file, 64 hexadecimal digits.
  std::int64_t time_ms = kNow;
};

}  // namespace liubai::inline v1
