#include "memory/schema.h"

#include <array>

namespace liubai::memory {
namespace {

constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE store (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE settings (
  tenant INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (tenant, key)) WITHOUT ROWID;

CREATE TABLE sessions (
  session_id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant INTEGER NOT NULL,
  name TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  last_seq INTEGER NOT NULL DEFAULT 0,         -- given out so far; never goes back
  covered_through INTEGER NOT NULL DEFAULT 0,  -- turns up to this id left the window
  UNIQUE (tenant, name));

CREATE TABLE turns (
  turn_id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant INTEGER NOT NULL,
  session_id INTEGER NOT NULL REFERENCES sessions,
  seq INTEGER NOT NULL,
  role INTEGER NOT NULL,
  speaker TEXT NOT NULL,
  text TEXT NOT NULL,
  tokens BLOB,                                 -- int32, little-endian
  time_ms INTEGER NOT NULL,
  origin INTEGER NOT NULL,
  trust INTEGER NOT NULL,
  status INTEGER NOT NULL,
  idempotency_key TEXT,
  sources TEXT NOT NULL,                       -- turn ids between spaces: ' 3 9 '
  digest INTEGER NOT NULL,                     -- of the columns above, see FORMAT.md
  UNIQUE (session_id, seq),
  UNIQUE (tenant, idempotency_key));

CREATE TABLE block_versions (
  tenant INTEGER NOT NULL, label TEXT NOT NULL, version INTEGER NOT NULL,
  value TEXT NOT NULL, description TEXT NOT NULL, limit_bytes INTEGER NOT NULL,
  origin INTEGER NOT NULL, sources TEXT NOT NULL, time_ms INTEGER NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, label, version));

CREATE TABLE facts (
  fact_id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant INTEGER NOT NULL,
  statement TEXT NOT NULL, subject TEXT NOT NULL, attribute TEXT NOT NULL, value TEXT NOT NULL,
  kind TEXT NOT NULL, sources TEXT NOT NULL,
  valid_from_ms INTEGER NOT NULL, valid_to_ms INTEGER,
  confidence REAL NOT NULL, origin INTEGER NOT NULL, trust INTEGER NOT NULL);
CREATE INDEX facts_by_subject ON facts (tenant, subject);

CREATE TABLE ledger (
  entry_id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant INTEGER NOT NULL,
  turn_id INTEGER NOT NULL REFERENCES turns,
  kind TEXT NOT NULL, text TEXT NOT NULL, begin_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL,
  context TEXT NOT NULL, state INTEGER NOT NULL);
CREATE INDEX ledger_by_turn ON ledger (turn_id);

CREATE TABLE essences (
  essence_id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant INTEGER NOT NULL,
  session_id INTEGER NOT NULL REFERENCES sessions,
  first_turn INTEGER NOT NULL, last_turn INTEGER NOT NULL, level INTEGER NOT NULL,
  text TEXT NOT NULL, method TEXT NOT NULL, checked INTEGER NOT NULL, tokens BLOB,
  time_ms INTEGER NOT NULL, trust INTEGER NOT NULL,
  replaced_by INTEGER NOT NULL DEFAULT 0);
CREATE INDEX essences_by_session ON essences (session_id, first_turn);

CREATE TABLE compactions (
  report_id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant INTEGER NOT NULL,
  session_id INTEGER NOT NULL REFERENCES sessions,
  first_turn INTEGER NOT NULL, last_turn INTEGER NOT NULL, turns INTEGER NOT NULL,
  tokens_before INTEGER NOT NULL, tokens_after INTEGER NOT NULL,
  details INTEGER NOT NULL, kept_in_essence INTEGER NOT NULL, shelved INTEGER NOT NULL,
  proved INTEGER NOT NULL, kept_in_window INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL, method TEXT NOT NULL, detail_json TEXT NOT NULL,
  time_ms INTEGER NOT NULL);

CREATE TABLE embedders (
  embedder_id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL, fingerprint TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
CREATE TABLE embeddings (
  vector_id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant INTEGER NOT NULL,
  embedder_id INTEGER NOT NULL REFERENCES embedders,
  kind INTEGER NOT NULL, unit_id INTEGER NOT NULL, piece INTEGER NOT NULL,
  vector BLOB NOT NULL,                        -- f16, little-endian
  UNIQUE (tenant, embedder_id, kind, unit_id, piece));
CREATE TABLE operations (
  op_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant INTEGER NOT NULL, embedder_id INTEGER NOT NULL, kind INTEGER NOT NULL,
  vector_id INTEGER NOT NULL,
  op INTEGER NOT NULL);                        -- 1 add, 0 delete
CREATE INDEX operations_by_index ON operations (tenant, embedder_id, kind, op_seq);
CREATE TABLE index_generations (
  generation INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant INTEGER NOT NULL, embedder_id INTEGER NOT NULL, kind INTEGER NOT NULL,
  op_seq INTEGER NOT NULL, file TEXT NOT NULL, sha256 TEXT NOT NULL, time_ms INTEGER NOT NULL);

CREATE VIEW v_turns AS
  SELECT t.turn_id AS turn, s.name AS session, t.seq,
         datetime(t.time_ms / 1000, 'unixepoch') AS time_utc,
         CASE t.role WHEN 0 THEN 'system' WHEN 1 THEN 'user' WHEN 2 THEN 'assistant' ELSE 'tool' END AS role,
         t.speaker, t.text,
         CASE t.status WHEN 0 THEN 'complete' ELSE 'interrupted' END AS status, t.tenant
  FROM turns t JOIN sessions s USING (session_id) ORDER BY t.turn_id;
CREATE VIEW v_facts AS
  SELECT fact_id AS fact, statement, subject, attribute, value, kind, trim(sources) AS source_turns,
         datetime(valid_from_ms / 1000, 'unixepoch') AS valid_from,
         datetime(valid_to_ms / 1000, 'unixepoch') AS valid_to, confidence, tenant
  FROM facts ORDER BY fact_id;
CREATE VIEW v_blocks AS
  SELECT label, version, value, limit_bytes, datetime(time_ms / 1000, 'unixepoch') AS time_utc, tenant
  FROM block_versions b WHERE deleted = 0 AND version =
    (SELECT max(version) FROM block_versions x WHERE x.tenant = b.tenant AND x.label = b.label);
CREATE VIEW v_essences AS
  SELECT e.essence_id AS essence, s.name AS session, e.first_turn, e.last_turn, e.level, e.text, e.method,
         CASE e.checked WHEN 1 THEN 'yes' ELSE 'no' END AS checked,
         datetime(e.time_ms / 1000, 'unixepoch') AS time_utc,
         CASE e.replaced_by WHEN 0 THEN 'in use' ELSE 'replaced by ' || e.replaced_by END AS state, e.tenant
  FROM essences e JOIN sessions s USING (session_id) ORDER BY e.essence_id;
CREATE VIEW v_compactions AS
  SELECT c.report_id AS report, s.name AS session, c.first_turn, c.last_turn, c.turns, c.tokens_before,
         c.tokens_after, c.details, c.kept_in_essence, c.shelved, c.proved, c.kept_in_window, c.method,
         c.duration_ms, datetime(c.time_ms / 1000, 'unixepoch') AS time_utc, c.tenant
  FROM compactions c JOIN sessions s USING (session_id) ORDER BY c.report_id;
)sql";

// Full text: lengths of turns in words (filled by the rebuild that follows), and the two indexes.
constexpr std::string_view kVersion2 = R"sql(
ALTER TABLE turns ADD COLUMN words INTEGER NOT NULL DEFAULT 0;
CREATE VIEW turns_words AS
  SELECT turn_id, CASE speaker WHEN '' THEN text ELSE speaker || ': ' || text END AS text FROM turns;
CREATE VIRTUAL TABLE turns_fts USING fts5(
  text, content='turns_words', content_rowid='turn_id', tokenize='liubai', columnsize=0);
CREATE VIRTUAL TABLE facts_fts USING fts5(
  statement, content='facts', content_rowid='fact_id', tokenize='liubai', columnsize=0);
)sql";

// How an embedder's token vectors are packed; beside its fingerprint, since no other can read them.
constexpr std::string_view kVersion3 = R"sql(
ALTER TABLE embedders ADD COLUMN token_codec BLOB;
)sql";

// Facts with states: what ended, what was wrong, what is disputed, and by which turn.
constexpr std::string_view kVersion4 = R"sql(
ALTER TABLE facts ADD COLUMN state INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts ADD COLUMN closed_by INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts ADD COLUMN first_person INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts ADD COLUMN by_rules INTEGER NOT NULL DEFAULT 0;
UPDATE facts SET state=1 WHERE valid_to_ms IS NOT NULL;
DROP INDEX facts_by_subject;
CREATE INDEX facts_by_subject ON facts (tenant, subject, attribute);
CREATE INDEX facts_by_value ON facts (tenant, value);
CREATE INDEX facts_by_closer ON facts (closed_by) WHERE closed_by != 0;
DROP VIEW v_facts;
CREATE VIEW v_facts AS
  SELECT fact_id AS fact, statement, subject, attribute, value, kind, trim(sources) AS source_turns,
         CASE state WHEN 0 THEN 'valid' WHEN 1 THEN 'closed' WHEN 2 THEN 'wrong' ELSE 'disputed' END
           AS state,
         CASE valid_from_ms WHEN 0 THEN NULL ELSE datetime(valid_from_ms / 1000, 'unixepoch') END
           AS valid_from,
         datetime(valid_to_ms / 1000, 'unixepoch') AS valid_to, closed_by AS closed_by_turn,
         confidence, tenant
  FROM facts ORDER BY fact_id;
)sql";

constexpr std::array<std::string_view, 4> kSteps = {kVersion1, kVersion2, kVersion3,
                                                     kVersion4};

}  // namespace

std::span<const std::string_view> SchemaSteps() { return kSteps; }

}  // namespace liubai::memory
