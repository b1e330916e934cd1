// memory/compaction.h: what happens to turns before they leave the window.
//
//   details of the turns -> summary, checked against them -> what it does not carry is queried from
//   the store without its value; found among the first kProofDepth: shelved; not found: kept
//   verbatim
//   -> essence that names what was shelved -> one transaction with ledger, facts and report
//
// Nothing is deleted: turns stay in the store. This file plans and writes; which turns leave, and
// when, the agent decides.
//
// Errors:  those of Store and Retriever; kCancelled: nothing was written, the turns stay where they
// are.
//          A model that fails or invents is no error: the essence becomes an extract, and the
//          report and the log say why.
// Threads: one compaction of a session at a time.
// Units:   *_tokens by the model's tokenizer.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "liubai/agent.h"
#include "memory/context_budget.h"
#include "memory/ledger.h"

namespace liubai::memory {

inline constexpr int kProofDepth = 5;
// More proofs than this, of one turn and of one compaction, would keep idle work busy for long: the
// gravest kinds go first, entries beyond stay "shelved" without proof and are counted in the
// report.
inline constexpr int kMostProofs = 150;
inline constexpr int kMostProofsOfTurn = 40;

// Whatever the model says for these turns; the agent runs it on a fork of the live context.
using Summarise = std::function<Result<std::string>(std::string_view instruction, int max_tokens,
                                                    std::stop_token stop)>;

struct CompactionRequest {
  TenantId tenant = kDefaultTenant;
  SessionId session = 0;
  std::vector<Turn> turns;        // Whole exchanges, oldest first. REQUIRES: not empty.
  int tokens_before = 0;          // What they take in the window.
  int essence_tokens = 0;         // Most of the new essence.
  int all_essences_tokens = 0;    // Most of all essences in use, this one included.
  std::vector<Essence> essences;  // In use now, oldest first.
  Summarise summarise;            // Empty: extractive.
  CountTokens count;
  std::int64_t now_ms = kNow;
};

struct CompactionOutcome {
  CompactionIds ids;
  CompactionReport report;
  // Statements of users (rules, preferences, allergies, corrections), for the block `user`: a line
  // and the turn that it came from.
  std::vector<std::pair<std::string, TurnId>> standing;
};

Result<CompactionOutcome> CompactTurns(Store& store, const Retriever& retriever,
                                       const CompactionRequest& request, const Logger& logger,
                                       std::stop_token stop);

// The parts, for tests.

// The summary without sentences that hold a number, name, address or identifier that no turn holds,
// without repetitions. `rejected` gets the sentences that were left out.
std::string CheckedSummary(std::string_view summary, const std::vector<Turn>& turns,
                           std::vector<std::string>* rejected);

// Sentences of the turns that carry most, in order, at most `budget` tokens.
std::string ExtractSummary(const std::vector<Turn>& turns, int budget, const CountTokens& count);

// One essence for several: a line each, and when that is too long, one line for neighbours.
std::string MergeEssences(const std::vector<Essence>& essences, int budget,
                          const CountTokens& count);

// The block's value with `lines` added at its end and, when it is over `budget` tokens, without its
// oldest lines; preferences and corrections go before rules and allergies.
std::string AddStanding(std::string_view value,
                        const std::vector<std::pair<std::string, TurnId>>& lines, int budget,
                        const CountTokens& count);

// Chinese, mostly: which language instructions are given in.
bool MostlyChinese(std::string_view text);

// "2024-03-04"
std::string FormatDay(std::int64_t time_ms);

}  // namespace liubai::memory
