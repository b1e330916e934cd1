// Proofs are of the day on which they were made: what is said later in the same words may hide a
// turn behind others. So they are tried again in idle time, and those that no longer hold are told.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/macros.h"
#include "memory/agent_impl.h"
#include "memory/essence.h"
#include "memory/proof.h"

namespace liubai::inline v1 {
namespace {

constexpr TurnId kTurnsAtOnce = 8;  // A message that comes waits for so many.
// All proofs are tried again when so much more was compacted: what is said once costs some ten
// trials, however long the life.
constexpr double kGrown = 1.1;
constexpr TurnId kLeastMore_turns = 100;
constexpr std::size_t kMostTold = 5;

// A setting of the store: up to which turn the last whole pass went.
std::string MarkKey(SessionId session) { return fmt::format("proofs.through.{}", session); }

}  // namespace

void Agent::Impl::StartRecheck() {
  recheck.next = 1;
  recheck.last = covered;
}

Result<bool> Agent::Impl::RecheckOnce(std::stop_token stop) {
  Store& store = *options.store;
  if (recheck.last < 0) {  // Not known to this object yet.
    const auto mark = store.GetSetting(MarkKey(session), options.tenant);
    if (!mark.ok() && mark.status().code() != StatusCode::kNotFound) return mark.status();
    // Of a mark that is no number all are tried again.
    recheck.last = mark.ok() ? std::max<TurnId>(0, std::strtoll(mark->c_str(), nullptr, 10)) : 0;
    recheck.next = recheck.last + 1;
  }
  if (recheck.next > recheck.last) {
    const auto due = static_cast<TurnId>(kGrown * static_cast<double>(recheck.last));
    if (covered < std::max(due, recheck.last + kLeastMore_turns)) return false;
    StartRecheck();
  }
  const TurnId last = std::min(recheck.next + kTurnsAtOnce - 1, recheck.last);
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<LedgerEntry> ledger,
                          store.Ledger(recheck.next, last, options.tenant));
  memory::Prover prover(*retriever, options.tenant, Now(), stop);
  CompactionBatch batch;
  batch.tenant = options.tenant;
  batch.session_id = session;
  std::string told;
  std::int64_t tried = 0;
  for (const LedgerEntry& entry : ledger) {
    if (entry.state != LedgerState::kProved) continue;
    if (stop.stop_requested()) return Status(StatusCode::kCancelled, "idle work made way");
    const auto said = store.Neighbours(entry.turn_id, 1, 0, options.tenant);
    if (said.status().code() == StatusCode::kNotFound) continue;  // Deleted meanwhile.
    LIUBAI_RETURN_IF_ERROR(said.status());
    const Turn& turn = said->back();
    if (turn.session_id != session) continue;
    ++tried;
    LIUBAI_ASSIGN_OR_RETURN(
        const std::string query,
        prover.FindingQuery(turn, said->size() > 1 ? &said->front() : nullptr,
                            memory::SentenceAt(turn.text, entry.begin), entry.text, entry.context));
    if (!query.empty()) continue;
    batch.ledger_states.emplace_back(entry.id, LedgerState::kUnproved);
    if (batch.ledger_states.size() <= kMostTold) {
      told += fmt::format("{}{} \"{}\" of turn {}", told.empty() ? "" : ", ", entry.kind,
                          entry.text, turn.id);
    }
  }
  if (!batch.ledger_states.empty()) {
    LIUBAI_RETURN_IF_ERROR(store.Commit(batch).status());
    const std::size_t gone = batch.ledger_states.size();
    options.logger.Log(
        LogLevel::kWarning, "compaction",
        fmt::format(
            "turns {}–{}: {} no longer found again by {} context, since more was said in the "
            "same words: {}{}; the turns stay whole",
            recheck.next, last, gone == 1 ? "1 detail is" : fmt::format("{} details are", gone),
            gone == 1 ? "its" : "their", told, gone > kMostTold ? ", …" : ""));
  }
  recheck.next = last + 1;
  if (recheck.next > recheck.last) {
    LIUBAI_RETURN_IF_ERROR(
        store.SetSetting(MarkKey(session), std::to_string(recheck.last), options.tenant));
  }
  const std::lock_guard lock(mutex);
  idle.proofs_tried_again += tried;
  idle.proofs_gone += static_cast<std::int64_t>(batch.ledger_states.size());
  return true;
}

}  // namespace liubai::inline v1
