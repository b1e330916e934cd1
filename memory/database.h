// memory/database.h: a SQLite connection whose statements are prepared once, with our status codes.
//
// Errors:  kResourceExhausted (disk full), kDataLoss (corrupt file, I/O error), kLocked (busy),
//          kPermissionDenied, kAlreadyExists (a constraint), kInternal; with SQLite's own words.
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "liubai/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace liubai::memory {

class Database;

struct Null {};
struct Blob {
  const void* data;
  std::size_t bytes;
};

// A prepared statement with its values bound. The first failure sticks and ends the rows.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  ~Statement();
  Statement& operator=(Statement&&) = delete;

  bool Step();  // True: there is a row.
  const Status& status() const { return status_; }
  Status Run();  // Steps to the end.

  std::int64_t Int(int column) const;
  double Double(int column) const;
  std::string Text(int column) const;
  std::string_view View(int column) const;  // Until the next Step.
  Blob Bytes(int column) const;             // Until the next Step.
  bool IsNull(int column) const;

 private:
  friend class Database;
  Statement(Database* database, std::string sql, sqlite3_stmt* statement, Status status);
  void Bind(int index, std::int64_t value);
  void Bind(int index, int value) { Bind(index, static_cast<std::int64_t>(value)); }
  void Bind(int index, double value);
  void Bind(int index, std::string_view value);
  void Bind(int index, const std::string& value) { Bind(index, std::string_view(value)); }
  void Bind(int index, const char* value) { Bind(index, std::string_view(value)); }
  void Bind(int index, Null value);
  void Bind(int index, Blob value);

  Database* database_;
  std::string sql_;
  sqlite3_stmt* statement_;
  Status status_;
};

class Database {
 public:
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  static Result<std::unique_ptr<Database>> Open(const std::string& path, bool read_only,
                                                bool create, bool immutable = false);

  // Binds `values` to ?1, ?2, …
  template <class... Values>
  Statement Query(std::string_view sql, const Values&... values) {
    Statement statement = Prepare(sql);
    int index = 0;
    (statement.Bind(++index, values), ...);
    return statement;
  }
  Status Execute(const std::string& sql);  // Several statements, none with values.

  sqlite3* handle() const { return db_; }
  std::int64_t LastRow() const;
  // The status of SQLite's result code on this connection.
  Status Error(int code, std::string_view what) const;
  // An I/O error happened since the connection was opened.
  bool io_failed() const { return io_failed_; }

 private:
  friend class Statement;
  Database() = default;
  Statement Prepare(std::string_view sql);
  sqlite3* db_ = nullptr;
  std::string path_;
  mutable bool io_failed_ = false;
  std::unordered_map<std::string, std::vector<sqlite3_stmt*>> idle_;
};

}  // namespace liubai::memory
