// memory/compaction.h: what happens to turns before they leave the window.
//
//   details of the turns -> summary, checked against them -> what it does not carry is queried from
//   the store without its value; found among the first kProofDepth: shelved; not found: kept
//   verbatim, beyond the essence's room in essences behind it (exact_words.h)
//   -> essence that names what was shelved -> one transaction with ledger, facts, the user's
//   standing words and the report
//
// What an essence carried and a merge of essences drops is proved then; the report counts, and the
// log tells, what is not found again and no longer in any essence of the prompt. It stays in the
// merged one: Store::SearchEssences finds it.
//
// Nothing is deleted: turns stay in the store. This file plans and writes; which turns leave, and
// when, the agent decides.
//
// Errors:  those of Store and Retriever; kCancelled: nothing was written, the turns stay where they
// are.
//          A model that fails or invents is no error: an extract takes its place or completes it,
//          and the report and the log say why.
// Threads: one compaction of a session at a time.
// Units:   *_tokens by the model's tokenizer.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/agent.h"
#include "memory/context_budget.h"
#include "memory/ledger.h"
#include "memory/proof.h"
#include "memory/standing.h"

namespace liubai::memory {

// More searches than this, for one turn and for one compaction, would keep idle work busy for long:
// the gravest kinds go first, entries beyond stay "shelved" without proof and word for word behind the
// essence; the report counts them and the log warns.
inline constexpr int kMostProofs = 240;
inline constexpr int kMostProofsOfTurn = 60;

// Whatever the model says for these turns; the agent runs it on a fork of the live context. A text
// that the limit broke off ends with "…".
using Summarise = std::function<Result<std::string>(std::string_view instruction, int max_tokens,
                                                    std::stop_token stop)>;

struct CompactionRequest {
  TenantId tenant = kDefaultTenant;
  SessionId session = 0;
  std::vector<Turn> turns;        // Whole exchanges, oldest first. REQUIRES: not empty.
  int tokens_before = 0;          // What they take in the window.
  int essence_tokens = 0;         // Most of the new essence.
  int all_essences_tokens = 0;    // Most of all essences in use as the prompt shows them.
  int standing_tokens = -1;       // Most of the block `user`; negative: it is left as it is.
  std::vector<Essence> essences;  // In use now, oldest first.
  CompactionPolicy policy;
  Summarise summarise;  // Empty: extractive.
  CountTokens count;
  std::int64_t now_ms = kNow;
};

struct CompactionOutcome {
  CompactionIds ids;
  CompactionReport report;
  // Lines of what the user said for good; the block `user` has them as far as there was room.
  std::vector<std::string> standing;
  StandingEdit edit;  // What of them took another's place, and what had no room.
};

Result<CompactionOutcome> CompactTurns(Store& store, const Retriever& retriever,
                                       const CompactionRequest& request, const Logger& logger,
                                       std::stop_token stop);

}  // namespace liubai::memory
