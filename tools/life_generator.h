// tools/life_generator.h: a life in sessions over years, for measuring what a memory keeps of it.
//
// A person talks with an assistant every few days: purchases, trips, projects, friends, repairs,
// health, promises, rules; a home, a job and tastes that change; numbers that are corrected; other
// people's values of the same kind; and talk about nothing. What was told is known with the turns
// that hold it, for how long it held, and a question that asks for it without its value. The texts
// are tools/life/*.json, built into the program.
//
// Errors:  kInvalidArgument: sessions out of their range.
// Threads: free functions.
// Units:   times are UTC milliseconds; turns and sessions are counted as their comments say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/status.h"

namespace liubai::tools {

inline constexpr int kFewestLifeSessions = 5;
inline constexpr int kMostLifeSessions = 600;

enum class LifeLanguage : std::uint8_t { kEnglish, kChinese, kMixed };
// "en", "zh", "mixed". REQUIRES: `name` is one of them.
LifeLanguage LifeLanguageOf(std::string_view name);

struct LifeOptions {
  int sessions = 300;  // kFewestLifeSessions..kMostLifeSessions; 300 are three years.
  std::uint64_t seed = 1;
  LifeLanguage language = LifeLanguage::kMixed;
};

struct LifeTurn {
  bool user = true;
  std::string text;
  std::int64_t time_ms = 0;
  int session = 1;  // From 1.
};

struct LifeDetail {
  std::string kind;      // "money", "date", "preference", …
  std::string topic;     // "purchase", "project", …; "self" for what the person has only one of.
  std::string value;     // As its turns have it.
  std::string language;  // "en" or "zh".
  std::vector<std::size_t> turns;  // Places in Life::turns that hold it, the statement first.
  int session = 1;                 // Of the statement.
  // Until the statement in this turn it held; not set: to the end.
  std::optional<std::size_t> superseded_by;
  bool past = false;                // The question asks for what held before.
  std::string question;             // Asked at the end.
  std::vector<std::string> accept;  // Any of these in an answer makes it right.
};

struct Life {
  int sessions = 0;
  std::vector<LifeTurn> turns;      // In the order of time; user and assistant take turns.
  std::vector<LifeDetail> details;  // In the order of their statements.
  std::int64_t end_ms = 0;          // When the questions are asked.
};

// The same options give the same life on every machine.
Result<Life> GenerateLife(const LifeOptions& options);

// `value` is in `text` and is no part of a longer number or word there; case and width do not
// count.
bool HoldsValue(std::string_view text, std::string_view value);
bool HoldsAnswer(std::string_view text, const LifeDetail& detail);

}  // namespace liubai::tools
