#include "memory/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace liubai::memory {

Statement::Statement(Database* database, std::string sql, sqlite3_stmt* statement, Status status)
    : database_(database),
      sql_(std::move(sql)),
      statement_(statement),
      status_(std::move(status)) {}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_),
      sql_(std::move(other.sql_)),
      statement_(other.statement_),
      status_(std::move(other.status_)) {
  other.statement_ = nullptr;
}

Statement::~Statement() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  database_->idle_[sql_].push_back(statement_);
}

bool Statement::Step() {
  if (!status_.ok()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) status_ = database_->Error(code, sql_.substr(0, 60));
  return false;
}

Status Statement::Run() {
  while (Step()) {
  }
  return status_;
}

std::int64_t Statement::Int(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::Double(int column) const { return sqlite3_column_double(statement_, column); }
std::string_view Statement::View(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}
std::string Statement::Text(int column) const { return std::string(View(column)); }
Blob Statement::Bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}
bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

// The values outlive the statement's steps: callers bind arguments of their own.
void Statement::Bind(int index, std::int64_t value) {
  if (status_.ok()) sqlite3_bind_int64(statement_, index, value);
}
void Statement::Bind(int index, double value) {
  if (status_.ok()) sqlite3_bind_double(statement_, index, value);
}
void Statement::Bind(int index, std::string_view value) {
  if (!status_.ok()) return;
  const int code =
      sqlite3_bind_text64(statement_, index, value.data() == nullptr ? "" : value.data(),
                          value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) status_ = database_->Error(code, "binding text");
}
void Statement::Bind(int index, Null) {
  if (status_.ok()) sqlite3_bind_null(statement_, index);
}
void Statement::Bind(int index, Blob value) {
  if (!status_.ok()) return;
  const int code = sqlite3_bind_blob64(statement_, index, value.data == nullptr ? "" : value.data,
                                       value.bytes, SQLITE_TRANSIENT);
  if (code != SQLITE_OK) status_ = database_->Error(code, "binding bytes");
}

Database::~Database() {
  for (auto& [sql, statements] : idle_) {
    for (sqlite3_stmt* statement : statements) sqlite3_finalize(statement);
  }
  sqlite3_close_v2(db_);
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& path, bool read_only,
                                                 bool create, bool immutable) {
  std::unique_ptr<Database> database(new Database());
  database->path_ = path;
  std::string name = path;
  if (immutable) {
    name = "file:";
    for (const char c : path) {
      if (c == '?' || c == '#' || c == '%') {
        name += fmt::format("%{:02x}", static_cast<unsigned char>(c));
      } else {
        name.push_back(c);
      }
    }
    name += "?immutable=1";
  }
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (create && !read_only) flags |= SQLITE_OPEN_CREATE;
  if (immutable) flags |= SQLITE_OPEN_URI;
  const int code = sqlite3_open_v2(name.c_str(), &database->db_, flags, nullptr);
  if (code != SQLITE_OK) return database->Error(code, "opening");
  return database;
}

Statement Database::Prepare(std::string_view sql) {
  std::string key(sql);
  auto& idle = idle_[key];
  if (!idle.empty()) {
    sqlite3_stmt* statement = idle.back();
    idle.pop_back();
    return Statement(this, std::move(key), statement, Status());
  }
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(db_, key.c_str(), static_cast<int>(key.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) {
    return Statement(this, key, nullptr, Error(code, key.substr(0, 60)));
  }
  return Statement(this, std::move(key), statement, Status());
}

Status Database::Execute(const std::string& sql) {
  const int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status() : Error(code, sql.substr(0, 60));
}

std::int64_t Database::LastRow() const { return sqlite3_last_insert_rowid(db_); }

Status Database::Error(int code, std::string_view what) const {
  StatusCode status = StatusCode::kInternal;
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_NOMEM:
      status = StatusCode::kResourceExhausted;
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      status = StatusCode::kDataLoss;
      break;
    case SQLITE_IOERR:
      status = code == SQLITE_IOERR_NOMEM ? StatusCode::kResourceExhausted : StatusCode::kDataLoss;
      io_failed_ = true;
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      status = StatusCode::kLocked;
      break;
    case SQLITE_READONLY:
      status = StatusCode::kFailedPrecondition;
      break;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      status = StatusCode::kPermissionDenied;
      break;
    case SQLITE_CONSTRAINT:
      status = StatusCode::kAlreadyExists;
      break;
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
    case SQLITE_RANGE:
      status = StatusCode::kInvalidArgument;
      break;
    default:
      break;
  }
  return Status(status, fmt::format("{}: {} ({}, code {}) in {}", path_,
                                    db_ == nullptr ? "" : sqlite3_errmsg(db_), sqlite3_errstr(code),
                                    code, what));
}

}  // namespace liubai::memory
