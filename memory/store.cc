// Opening, closing and maintaining a store.
#include "liubai/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>

#include "core/file_system.h"
#include "core/hash.h"
#include "core/macros.h"
#include "core/text.h"
#include "memory/fts_tokenizer.h"
#include "memory/schema.h"
#include "memory/store_impl.h"

namespace liubai::memory {

std::int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}
std::int64_t TimeOrNow(std::int64_t time_ms) { return time_ms == kNow ? NowMs() : time_ms; }

std::string JoinIds(std::span<const std::int64_t> ids) {
  std::string out;
  for (const std::int64_t id : ids) out += fmt::format("{}{} ", out.empty() ? " " : "", id);
  return out;
}

std::vector<std::int64_t> SplitIds(std::string_view joined) {
  std::vector<std::int64_t> ids;
  std::int64_t id = 0;
  for (const char c : joined) {
    if (c >= '0' && c <= '9') {
      id = id * 10 + (c - '0');
    } else if (id != 0) {
      ids.push_back(id);
      id = 0;
    }
  }
  if (id != 0) ids.push_back(id);
  return ids;
}

std::vector<TokenId> ReadTokens(Blob blob) {
  std::vector<TokenId> tokens(blob.bytes / sizeof(TokenId));
  if (!tokens.empty()) std::memcpy(tokens.data(), blob.data, tokens.size() * sizeof(TokenId));
  return tokens;
}
Blob TokensBlob(const std::vector<TokenId>& tokens) {
  return {tokens.data(), tokens.size() * sizeof(TokenId)};
}

std::string RandomHex() {
  std::random_device device;
  std::string out;
  for (int i = 0; i < 4; ++i) out += fmt::format("{:08x}", device());
  return out;
}

std::string IndexedText(std::string_view speaker, std::string_view text) {
  return speaker.empty() ? std::string(text) : fmt::format("{}: {}", speaker, text);
}

std::int64_t TurnDigest(SessionId session, std::int64_t seq, Role role, std::int64_t time_ms,
                        std::string_view speaker, std::string_view text) {
  Sha256 hash;
  hash.Update(fmt::format("{} {} {} {} {} ", session, seq, static_cast<int>(role), time_ms,
                          speaker.size()));
  hash.Update(speaker);
  hash.Update(text);
  std::int64_t digest = 0;
  std::memcpy(&digest, hash.Digest().data(), sizeof(digest));
  return digest;
}

}  // namespace liubai::memory

namespace liubai::inline v1 {

using memory::Database;
using memory::NowMs;

namespace {

constexpr std::string_view kDatabaseName = "memory.db";
constexpr std::string_view kLockName = "store.lock";

bool IsFile(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}
std::int64_t SizeOf(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 ? static_cast<std::int64_t>(info.st_size) : 0;
}

// Takes the writer's lock, whose file holds the PID of its holder.
Result<int> TakeLock(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return ErrnoStatus(errno, "open", path);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    char pid[32] = {};
    const ssize_t n = ::pread(descriptor, pid, sizeof(pid) - 1, 0);
    ::close(descriptor);
    if (error != EWOULDBLOCK) return ErrnoStatus(error, "flock", path);
    std::string holder(pid, n > 0 ? static_cast<std::size_t>(n) : 0);
    while (!holder.empty() && holder.back() == '\n') holder.pop_back();
    return Status(
        StatusCode::kLocked,
        fmt::format("{} is open for writing in process {}; open it read-only, or end that "
                    "process",
                    path.substr(0, path.rfind('/')), holder.empty() ? "?" : holder));
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    const Status status = ErrnoStatus(errno, "write", path);
    ::close(descriptor);
    return status;
  }
  return descriptor;
}

Result<std::int64_t> Number(Database& db, std::string_view sql) {
  auto query = db.Query(sql);
  const bool row = query.Step();
  if (!query.status().ok()) return query.status();
  return row ? query.Int(0) : 0;
}

// What is in the file before anything is written to it.
Status CheckOwner(Database& db, const std::string& path, bool* fresh) {
  LIUBAI_ASSIGN_OR_RETURN(const std::int64_t tables,
                          Number(db, "SELECT count(*) FROM sqlite_schema"));
  LIUBAI_ASSIGN_OR_RETURN(const std::int64_t application, Number(db, "PRAGMA application_id"));
  LIUBAI_ASSIGN_OR_RETURN(const std::int64_t version, Number(db, "PRAGMA user_version"));
  *fresh = tables == 0 && application == 0 && version == 0;
  if (*fresh) return Status();
  if (application != memory::kApplicationId) {
    return Status(StatusCode::kFailedPrecondition,
                  fmt::format("{} belongs to another program: application_id {:#x}, expected {:#x}",
                              path, application, memory::kApplicationId));
  }
  if (version > memory::SchemaVersion()) {
    return Status(
        StatusCode::kFailedPrecondition,
        fmt::format("{} was written by a newer Liubai: version {}, this one reads up to {}", path,
                    version, memory::SchemaVersion()));
  }
  return Status();
}

}  // namespace

Trust TrustOfOrigin(Origin origin) {
  switch (origin) {
    case Origin::kUser:
      return Trust::kUser;
    case Origin::kAssistant:
    case Origin::kSummary:
      return Trust::kModel;
    case Origin::kTool:
    case Origin::kWeb:
      return Trust::kUntrusted;
    case Origin::kOperator:
      return Trust::kOperator;
  }
  return Trust::kUntrusted;
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Store::Impl::~Impl() {
  db.reset();  // The last connection moves the log into the database.
  if (lock_descriptor >= 0) ::close(lock_descriptor);
}

const std::string& Store::folder() const { return impl_->folder; }
const std::string& Store::id() const { return impl_->store_id; }
const std::string& Store::history_id() const { return impl_->history_id; }
bool Store::read_only() const { return impl_->options.read_only; }
std::string Store::SqliteVersion() { return sqlite3_libversion(); }

Result<std::unique_ptr<Store>> Store::Open(const std::string& path, const StoreOptions& options) {
  if (path.empty() || path.find('\0') != std::string::npos || path.size() > 4000) {
    return Status(
        StatusCode::kInvalidArgument,
        fmt::format("store path of {} bytes: must be 1 to 4000 bytes without NUL", path.size()));
  }
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  impl->folder = path;
  impl->path = fmt::format("{}/{}", path, kDatabaseName);
  if (path.ends_with(".db")) {
    const std::size_t slash = path.rfind('/');
    impl->folder =
        slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
    impl->path = path;
  }
  FileSystem& fs = PosixFileSystem();
  if (fs.Exists(impl->path) && !IsFile(impl->path)) {
    return Status(StatusCode::kInvalidArgument, impl->path + " is not a regular file");
  }
  const bool there = IsFile(impl->path);
  if (!there && (options.read_only || !options.create)) {
    return Status(StatusCode::kNotFound, fmt::format("no store at {}", impl->path));
  }
  if (!options.read_only) {
    if (!there) LIUBAI_RETURN_IF_ERROR(fs.CreateDirectories(impl->folder));
    LIUBAI_ASSIGN_OR_RETURN(impl->lock_descriptor,
                            TakeLock(fmt::format("{}/{}", impl->folder, kLockName)));
  }

  const auto connect = [&](bool immutable) -> Status {
    impl->db.reset();
    LIUBAI_ASSIGN_OR_RETURN(
        impl->db, Database::Open(impl->path, options.read_only, options.create, immutable));
    sqlite3_busy_timeout(impl->db->handle(), options.busy_timeout_ms);
    sqlite3_db_config(impl->db->handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_update_hook(impl->db->handle(), &Impl::NoteRowChange, impl.get());
    LIUBAI_RETURN_IF_ERROR(impl->db->Execute(
        "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;"
        "PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY"));
    return memory::RegisterFullText(impl->db->handle());
  };
  LIUBAI_RETURN_IF_ERROR(connect(false));
  bool fresh = false;
  Status owner = CheckOwner(*impl->db, impl->path, &fresh);
  if (!owner.ok() && options.read_only &&
      (owner.code() == StatusCode::kPermissionDenied ||
       owner.code() == StatusCode::kFailedPrecondition || owner.code() == StatusCode::kDataLoss) &&
      SizeOf(impl->path + "-wal") == 0) {
    // A folder that cannot be written has no place for SQLite's shared memory; without a log the
    // file is complete by itself.
    LIUBAI_RETURN_IF_ERROR(connect(true));
    owner = CheckOwner(*impl->db, impl->path, &fresh);
  }
  LIUBAI_RETURN_IF_ERROR(owner);
  if (options.read_only) {
    if (fresh) return Status(StatusCode::kNotFound, fmt::format("{} is empty: no turn is in it yet", impl->path));
    LIUBAI_ASSIGN_OR_RETURN(const std::int64_t version, Number(*impl->db, "PRAGMA user_version"));
    if (version < memory::SchemaVersion()) {
      return Status(
          StatusCode::kFailedPrecondition,
          fmt::format("{} has version {}, this Liubai {}: open it once for writing to migrate it",
                      impl->path, version, memory::SchemaVersion()));
    }
  }
  if (options.quick_check && !fresh) {
    auto check = impl->db->Query("PRAGMA quick_check(1)");
    const bool row = check.Step();
    LIUBAI_RETURN_IF_ERROR(check.status());
    if (!row || check.View(0) != "ok") {
      return Status(
          StatusCode::kDataLoss,
          fmt::format("{} is corrupt: {}; restore a backup, or save what can be read with "
                      "`sqlite3 {} .recover`",
                      impl->path, row ? check.Text(0) : "no answer", impl->path));
    }
  }
  if (!options.read_only) {
    // Rows of token vectors are of some 2 KB: in pages of 4 KB a fifth would be left empty. Only a
    // new file takes this.
    if (fresh) LIUBAI_RETURN_IF_ERROR(impl->db->Execute("PRAGMA page_size=8192"));
    {
      auto mode = impl->db->Query("PRAGMA journal_mode=WAL");
      if (!mode.Step() || mode.View(0) != "wal") {
        LIUBAI_RETURN_IF_ERROR(mode.status());
        return Status(
            StatusCode::kFailedPrecondition,
            fmt::format("{}: no write-ahead log here (journal_mode {}); is it on a network drive?",
                        impl->path, mode.Text(0)));
      }
    }
    // Freed pages are zeroed at all times: what a deletion must not leave behind was freed before
    // it, too.
    LIUBAI_RETURN_IF_ERROR(impl->db->Execute(
        "PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA wal_autocheckpoint=500"));
    LIUBAI_RETURN_IF_ERROR(impl->Migrate());
    LIUBAI_RETURN_IF_ERROR(impl->RefreshFacts());
  }
  LIUBAI_RETURN_IF_ERROR(impl->ReadIds());
  return std::unique_ptr<Store>(new Store(std::move(impl)));
}

Status Store::Impl::Migrate() {
  LIUBAI_ASSIGN_OR_RETURN(const std::int64_t version, Number(*db, "PRAGMA user_version"));
  if (version > 0 && version < memory::SchemaVersion()) {
    const std::string copy = fmt::format("{}.version{}", path, version);
    LIUBAI_RETURN_IF_ERROR(PosixFileSystem().Remove(copy));
    auto vacuum = db->Query("VACUUM INTO ?1", copy);
    LIUBAI_RETURN_IF_ERROR(vacuum.Run().WithContext("copy before the migration"));
    options.logger.Log(LogLevel::kWarning, "store",
                       fmt::format("migrating {} from version {} to {}; a copy is in {}", path,
                                   version, memory::SchemaVersion(), copy));
  }
  if (version < memory::SchemaVersion()) {
    LIUBAI_RETURN_IF_ERROR(Write([&]() -> Status {
      for (std::int64_t v = version; v < memory::SchemaVersion(); ++v) {
        LIUBAI_RETURN_IF_ERROR(
            db->Execute(std::string(memory::SchemaSteps()[static_cast<std::size_t>(v)])));
      }
      if (version == 0) {
        LIUBAI_RETURN_IF_ERROR(
            db->Query("INSERT INTO store VALUES('store_id',?1),('history_id',?2)",
                      memory::RandomHex(), memory::RandomHex())
                .Run());
      }
      LIUBAI_RETURN_IF_ERROR(RebuildFullText());
      return db->Execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}",
                                     memory::kApplicationId, memory::SchemaVersion()));
    }));
  }
  std::int64_t tokenizer = 0;
  {
    auto query = db->Query("SELECT value FROM store WHERE key='tokenizer'");
    if (query.Step()) tokenizer = query.Int(0);
    LIUBAI_RETURN_IF_ERROR(query.status());
  }
  if (tokenizer != memory::kTokenizerVersion) {
    options.logger.Log(LogLevel::kWarning, "store",
                       fmt::format("rebuilding the full text of {}: tokenizer {} became {}", path,
                                   tokenizer, memory::kTokenizerVersion));
    return Write([&] { return RebuildFullText(); });
  }
  return Status();
}

Status Store::Impl::RebuildFullText() {
  {
    auto rows = db->Query("SELECT turn_id, speaker, text FROM turns");
    while (rows.Step()) {
      const int words = memory::CountTerms(memory::IndexedText(rows.View(1), rows.View(2)));
      LIUBAI_RETURN_IF_ERROR(
          db->Query("UPDATE turns SET words=?1 WHERE turn_id=?2", words, rows.Int(0)).Run());
    }
    LIUBAI_RETURN_IF_ERROR(rows.status());
  }
  LIUBAI_RETURN_IF_ERROR(
      db->Execute("INSERT INTO turns_fts(turns_fts) VALUES('rebuild');"
                  "INSERT INTO facts_fts(facts_fts) VALUES('rebuild')"));
  meta_loaded = false;
  return db
      ->Query("INSERT OR REPLACE INTO store VALUES('tokenizer',?1)",
              std::to_string(memory::kTokenizerVersion))
      .Run();
}

Status Store::Impl::ReadIds() {
  auto rows = db->Query("SELECT key, value FROM store WHERE key IN ('store_id','history_id')");
  while (rows.Step()) (rows.View(0) == "store_id" ? store_id : history_id) = rows.Text(1);
  LIUBAI_RETURN_IF_ERROR(rows.status());
  if (store_id.size() != 32 || history_id.size() != 32) {
    return Status(StatusCode::kDataLoss, fmt::format("{} has no store id or history id", path));
  }
  return Status();
}

Status Store::Impl::CheckWritable() const {
  if (options.read_only) {
    return Status(StatusCode::kFailedPrecondition, fmt::format("{} was opened read-only", folder));
  }
  return stopped;
}

void Store::Impl::EndFailedWrite(const Status& why) {
  if (sqlite3_get_autocommit(db->handle()) == 0) {
    const Status rolled_back = db->Execute("ROLLBACK");
    if (!rolled_back.ok()) options.logger.Log(LogLevel::kError, "store", rolled_back.message());
  }
  meta_loaded = false;
  if (db->io_failed()) {
    stopped = Status(
        StatusCode::kDataLoss,
        fmt::format("writes to {} stopped after a disk failure; the last commit is unknown: open "
                    "the store again and look the turn up by its key ({})",
                    folder, why.message()));
    options.logger.Log(LogLevel::kError, "store", stopped.message());
  }
}

Status Store::write_status() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->CheckWritable();
}

Status Store::SetSetting(std::string_view key, std::string_view value, TenantId tenant) {
  std::lock_guard lock(impl_->mutex);
  LIUBAI_RETURN_IF_ERROR(CheckText(key, "setting key"));
  LIUBAI_RETURN_IF_ERROR(CheckText(value, "setting value"));
  return impl_->Write([&] {
    return impl_->db->Query("INSERT OR REPLACE INTO settings VALUES(?1,?2,?3)", tenant, key, value)
        .Run();
  });
}

Result<std::string> Store::GetSetting(std::string_view key, TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query =
      impl_->db->Query("SELECT value FROM settings WHERE tenant=?1 AND key=?2", tenant, key);
  if (query.Step()) return query.Text(0);
  LIUBAI_RETURN_IF_ERROR(query.status());
  return Status(StatusCode::kNotFound, fmt::format("setting \"{}\" is not set", key));
}

Result<StoreStats> Store::Stats(TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  auto query = impl_->db->Query(
      "SELECT (SELECT count(*) FROM sessions WHERE tenant=?1),"
      "(SELECT count(*) FROM turns WHERE tenant=?1),"
      "(SELECT count(*) FROM facts WHERE tenant=?1 AND valid_to_ms IS NULL),"
      "(SELECT count(*) FROM facts WHERE tenant=?1 AND valid_to_ms IS NOT NULL),"
      "(SELECT count(*) FROM v_blocks WHERE tenant=?1),"
      "(SELECT count(*) FROM essences WHERE tenant=?1 AND replaced_by=0),"
      "(SELECT count(*) FROM ledger WHERE tenant=?1),"
      "(SELECT count(*) FROM compactions WHERE tenant=?1),"
      "(SELECT count(*) FROM embeddings WHERE tenant=?1),"
      "(SELECT coalesce(max(op_seq),0) FROM operations WHERE tenant=?1),"
      "(SELECT coalesce(sum(length(CAST(text AS BLOB))),0) FROM turns WHERE tenant=?1),"
      "(SELECT coalesce(min(time_ms),0) FROM turns WHERE tenant=?1),"
      "(SELECT coalesce(max(time_ms),0) FROM turns WHERE tenant=?1)",
      tenant);
  query.Step();
  LIUBAI_RETURN_IF_ERROR(query.status());
  StoreStats stats;
  stats.sessions = query.Int(0);
  stats.turns = query.Int(1);
  stats.facts = query.Int(2);
  stats.closed_facts = query.Int(3);
  stats.blocks = query.Int(4);
  stats.essences = query.Int(5);
  stats.ledger_entries = query.Int(6);
  stats.reports = query.Int(7);
  stats.embeddings = query.Int(8);
  stats.last_op_seq = query.Int(9);
  stats.text_bytes = query.Int(10);
  stats.first_time_ms = query.Int(11);
  stats.last_time_ms = query.Int(12);
  stats.file_bytes = SizeOf(impl_->path) + SizeOf(impl_->path + "-wal");
  return stats;
}

namespace {

// A private database with the same pages, in a temporary file that nobody else sees.
Result<std::unique_ptr<Database>> CopyForChecks(Database& from) {
  LIUBAI_ASSIGN_OR_RETURN(auto copy, Database::Open("", false, true));
  LIUBAI_RETURN_IF_ERROR(memory::RegisterFullText(copy->handle()));
  sqlite3_backup* backup = sqlite3_backup_init(copy->handle(), "main", from.handle(), "main");
  if (backup == nullptr) return copy->Error(sqlite3_errcode(copy->handle()), "copying");
  (void)sqlite3_backup_step(backup, -1);  // Its failure is what finish returns.
  const int code = sqlite3_backup_finish(backup);
  if (code != SQLITE_OK) return copy->Error(code, "copying");
  return copy;
}

}  // namespace

Result<std::vector<std::string>> Store::Verify() const {
  std::lock_guard lock(impl_->mutex);
  std::vector<std::string> problems;
  {
    auto rows = impl_->db->Query("PRAGMA integrity_check");
    while (rows.Step()) {
      if (rows.View(0) != "ok") problems.push_back("integrity_check: " + rows.Text(0));
    }
    if (!rows.status().ok()) problems.push_back("integrity_check: " + rows.status().message());
  }
  {
    auto rows = impl_->db->Query("PRAGMA foreign_key_check");
    while (rows.Step()) {
      problems.push_back(fmt::format("foreign_key_check: row {} of {} names a missing row of {}",
                                     rows.Int(1), rows.View(0), rows.View(2)));
    }
    if (!rows.status().ok()) problems.push_back("foreign_key_check: " + rows.status().message());
  }
  // The check of full text against what it was made from is a write to SQLite, though it changes
  // nothing: a reader has it on a copy.
  std::unique_ptr<Database> copy;
  if (impl_->options.read_only) {
    auto made = CopyForChecks(*impl_->db);
    if (made.ok()) {
      copy = std::move(*made);
    } else {
      problems.push_back("full text could not be checked: " + made.status().message());
    }
  }
  if (Database* checked = impl_->options.read_only ? copy.get() : impl_->db.get()) {
    for (const char* table : {"turns_fts", "facts_fts"}) {
      const Status status = checked->Execute(
          fmt::format("INSERT INTO {}({}, rank) VALUES('integrity-check', 1)", table, table));
      if (!status.ok()) problems.push_back(fmt::format("{}: {}", table, status.message()));
    }
  }
  auto rows = impl_->db->Query(
      "SELECT turn_id, session_id, seq, role, time_ms, speaker, text, digest, words FROM turns");
  while (rows.Step()) {
    if (memory::TurnDigest(rows.Int(1), rows.Int(2), static_cast<Role>(rows.Int(3)), rows.Int(4),
                           rows.View(5), rows.View(6)) != rows.Int(7)) {
      problems.push_back(
          fmt::format("turn {} is not what was stored: its digest differs", rows.Int(0)));
    }
    const int words = memory::CountTerms(memory::IndexedText(rows.Text(5), rows.Text(6)));
    if (words != rows.Int(8)) {
      problems.push_back(fmt::format("turn {} has {} words and is stored with {}", rows.Int(0),
                                     words, rows.Int(8)));
    }
  }
  if (!rows.status().ok()) problems.push_back("turns: " + rows.status().message());
  return problems;
}

Status Store::Checkpoint() {
  std::lock_guard lock(impl_->mutex);
  LIUBAI_RETURN_IF_ERROR(impl_->CheckWritable());
  auto query = impl_->db->Query("PRAGMA wal_checkpoint(TRUNCATE)");
  query.Step();
  LIUBAI_RETURN_IF_ERROR(query.status());
  if (query.Int(0) != 0) {
    return Status(StatusCode::kUnavailable,
                  fmt::format("a reader of {} holds the write-ahead log; try again when it is done",
                              impl_->path));
  }
  return Status();
}

Status Store::Backup(const std::string& folder) const {
  std::lock_guard lock(impl_->mutex);
  FileSystem& fs = PosixFileSystem();
  const std::string target = fmt::format("{}/{}", folder, kDatabaseName);
  if (fs.Exists(target)) {
    return Status(StatusCode::kAlreadyExists, fmt::format("{} is there already", target));
  }
  LIUBAI_RETURN_IF_ERROR(fs.CreateDirectories(folder));
  const std::string partial = target + ".partial";
  LIUBAI_RETURN_IF_ERROR(fs.Remove(partial));
  Status status = impl_->db->Query("VACUUM INTO ?1", partial).Run();
  if (status.ok()) {
    // The copy may go its own way from here: its caches must not be taken for the original's.
    auto copy = Database::Open(partial, false, false);
    status = copy.status();
    if (status.ok()) {
      status = (*copy)
                   ->Query("UPDATE store SET value=?1 WHERE key='history_id'", memory::RandomHex())
                   .Run();
    }
    if (status.ok()) status = (*copy)->Execute("DELETE FROM index_generations");
  }
  if (status.ok()) status = fs.Rename(partial, target);
  if (status.ok()) return fs.SyncDirectory(folder);
  if (const Status removed = fs.Remove(partial); !removed.ok()) {
    impl_->options.logger.Log(LogLevel::kWarning, "store", removed.message());
  }
  return status.WithContext("backup");
}

}  // namespace liubai::inline v1
