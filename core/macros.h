// core/macros.h: early return on failure.
#pragma once

#include "liubai/status.h"

// Returns from the enclosing function when `expr`, a Status, is not OK.
#define LIUBAI_RETURN_IF_ERROR(expr)                            \
  do {                                                          \
    if (auto liubai_status_ = (expr); !liubai_status_.ok()) {   \
      return liubai_status_;                                    \
    }                                                           \
  } while (false)

#define LIUBAI_CONCAT_INNER_(a, b) a##b
#define LIUBAI_CONCAT_(a, b) LIUBAI_CONCAT_INNER_(a, b)

// LIUBAI_ASSIGN_OR_RETURN(auto file, Open(path)): declares or assigns the value, or returns the failure.
#define LIUBAI_ASSIGN_OR_RETURN(lhs, expr) \
  LIUBAI_ASSIGN_OR_RETURN_IMPL_(LIUBAI_CONCAT_(liubai_result_, __LINE__), lhs, expr)
#define LIUBAI_ASSIGN_OR_RETURN_IMPL_(result, lhs, expr) \
  auto result = (expr);                                  \
  if (!result.ok()) return result.status();              \
  lhs = std::move(result).value()
