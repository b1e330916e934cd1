// liubai/status.h: how every Liubai call reports failure.
//
// A Status is OK or carries a code and a message; a Result<T> is a value or a Status that is not OK.
// Messages name the thing, the value and the limit. Neither type throws; both are [[nodiscard]].
// Threads: values; const methods may run together.
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace liubai::inline v1 {

enum class StatusCode : std::uint8_t {  // Printed in JSON by name: never rename.
  kOk = 0,
  kCancelled,           // The caller asked to stop.
  kInvalidArgument,     // A value is outside its documented range.
  kNotFound,            // A file, model, row or label does not exist.
  kAlreadyExists,       // A name that must be new is taken.
  kPermissionDenied,    // The operating system or an origin rule refused.
  kResourceExhausted,   // Memory, pages, disk or a configured budget ran out.
  kFailedPrecondition,  // The object is not in a state that allows the call.
  kUnimplemented,       // Known, and not supported.
  kUnavailable,         // A network or another process did not answer; trying again may help.
  kLocked,              // Another process holds the store; the message names it.
  kDataLoss,            // A file is corrupt, truncated or not what its header says.
  kNumericError,        // NaN or infinity where a number was needed.
  kDeviceError,         // An accelerator refused or failed.
  kInternal,            // A defect in Liubai.
};

// The code's name in snake_case, for example "data_loss".
std::string_view StatusCodeName(StatusCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  // REQUIRES: code != StatusCode::kOk.
  Status(StatusCode code, std::string message);

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // "data_loss: bad magic 0x.. in x.gguf", or "ok".
  std::string ToString() const;

  // The same failure with `context` and ": " before its message; an OK status stays OK.
  Status WithContext(std::string_view context) const;

  bool operator==(const Status&) const = default;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<1>, std::move(value)) {}  // NOLINT: implicit
  // REQUIRES: !status.ok().
  Result(Status status) : state_(std::in_place_index<0>, std::move(status)) {  // NOLINT: implicit
    assert(!std::get<0>(state_).ok());
  }

  bool ok() const { return state_.index() == 1; }
  // OK when a value is held.
  Status status() const { return ok() ? Status() : std::get<0>(state_); }

  // REQUIRES: ok().
  T& value() & { return Checked(); }
  const T& value() const& { return const_cast<Result*>(this)->Checked(); }
  T&& value() && { return std::move(Checked()); }
  T& operator*() & { return Checked(); }
  const T& operator*() const& { return const_cast<Result*>(this)->Checked(); }
  T&& operator*() && { return std::move(Checked()); }
  T* operator->() { return &Checked(); }
  const T* operator->() const { return &const_cast<Result*>(this)->Checked(); }

  T value_or(T fallback) && { return ok() ? std::move(Checked()) : std::move(fallback); }

 private:
  T& Checked() {
    assert(ok());
    return std::get<1>(state_);
  }
  std::variant<Status, T> state_;
};

}  // namespace liubai::inline v1
