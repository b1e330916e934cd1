#include "memory/facts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>

#include "liubai/store.h"
#include "memory/facts_resolve.h"
#include "memory/jsonl.h"
#include "tests/memory/facts_set.h"

namespace liubai::memory {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

std::int64_t Day(std::string_view day) { return *ParseTime(day); }

Turn UserTurn(std::string_view text) {
  Turn turn;
  turn.id = 1;
  turn.role = Role::kUser;
  turn.text = std::string(text);
  turn.time_ms = Day("2024-03-04 10:00");
  return turn;
}

std::string Key(std::string_view subject, std::string_view attribute, std::string_view value) {
  return fmt::format("{} | {} | {}", subject, attribute, value);
}

std::string Written(const Claim& claim) {
  std::string subject = claim.subject;
  if (subject.starts_with("User")) subject.replace(0, 4, "me");
  const char* mark = claim.kind == ClaimKind::kFormer     ? "~"
                     : claim.kind == ClaimKind::kEnded    ? "-"
                     : claim.kind == ClaimKind::kCorrects ? "!"
                                                          : "";
  return mark + Key(subject, claim.attribute, claim.value);
}

// "*": any value will do.
bool Meets(std::string_view expected, std::string_view written) {
  if (!expected.ends_with("*")) return expected == written;
  return written.starts_with(expected.substr(0, expected.size() - 1));
}

TEST(FactsTest, FindsWhatIsSaidAndNothingElse) {
  int expected = 0, found = 0, written = 0, right = 0, quiet = 0, false_alarms = 0;
  for (const LabelledTurn& turn : FactsSet()) {
    std::vector<std::string> claims;
    for (const Claim& claim : ExtractClaims(UserTurn(turn.text))) claims.push_back(Written(claim));
    expected += static_cast<int>(turn.facts.size());
    written += static_cast<int>(claims.size());
    if (turn.facts.empty()) {
      ++quiet;
      false_alarms += !claims.empty();
    }
    for (std::string_view fact : turn.facts) {
      const bool hit = std::any_of(claims.begin(), claims.end(),
                                   [&](const std::string& claim) { return Meets(fact, claim); });
      found += hit;
      if (!hit) std::printf("missed: %s  <- %s\n", std::string(fact).c_str(), turn.text.data());
    }
    for (const std::string& claim : claims) {
      const bool hit = std::any_of(turn.facts.begin(), turn.facts.end(),
                                   [&](std::string_view fact) { return Meets(fact, claim); });
      right += hit;
      if (!hit) std::printf("too much: %s  <- %s\n", claim.c_str(), turn.text.data());
    }
  }
  const double recall = static_cast<double>(found) / expected;
  const double precision = static_cast<double>(right) / written;
  std::printf(
      "%zu turns, %d facts: recall %.1f %%, precision %.1f %%; %d turns without facts, "
      "%d with a false one\n",
      FactsSet().size(), expected, 100 * recall, 100 * precision, quiet, false_alarms);
  EXPECT_GE(FactsSet().size(), 120u);
  EXPECT_GE(recall, 0.95);
  EXPECT_GE(precision, 0.95);
  EXPECT_LE(false_alarms, 1);
}

}  // namespace
}  // namespace liubai::memory
