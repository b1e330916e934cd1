// Facts that the model reads in idle time, a few turns at a time, out of those in which the rules
// find none. How far it has come is in the store; what is interrupted is read again.
#include <fmt/format.h>

#include "core/macros.h"
#include "memory/agent_impl.h"
#include "memory/facts.h"
#include "memory/model_facts.h"

namespace liubai::inline v1 {
namespace {

constexpr std::int64_t kTurnsLookedAt = 64;  // In one step of idle work.

}  // namespace

Result<bool> Agent::Impl::ReadFactsOnce(std::stop_token stop) {
  if (!options.model_facts || facts_too_weak || options.memory_mode != MemoryMode::kLiubai) {
    return false;
  }
  Store& store = *options.store;
  const std::string& fingerprint = options.model->info().fingerprint;
  LIUBAI_ASSIGN_OR_RETURN(memory::FactsMark mark,
                          memory::LoadFactsMark(store, session, options.tenant));
  // Another model is judged by its own statements.
  if (mark.model != fingerprint) mark = {mark.through, 0, 0, 0, 0, fingerprint};
  const auto give_up = [&](std::string why) {
    facts_too_weak = true;
    options.logger.Log(LogLevel::kWarning, "agent",
                       fmt::format("no more facts are read by {}: {}", options.model->info().name,
                                   std::move(why)));
    return false;
  };
  if (memory::TooWeakForFacts(mark)) {
    return give_up(fmt::format("it is too weak, {} of its {} statements are not in their turns",
                               mark.rejected, mark.stated));
  }
  TurnFilter filter;
  filter.tenant = options.tenant;
  filter.session = session;
  filter.after_turn = mark.through;
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<Turn> turns, store.Turns(filter, kTurnsLookedAt));
  std::vector<Turn> chosen;
  for (const Turn& turn : turns) {
    mark.through = turn.id;
    if (memory::MayStateFacts(turn) && memory::ExtractClaims(turn).empty()) chosen.push_back(turn);
    if (chosen.size() == memory::kTurnsReadTogether) break;
  }
  if (turns.empty()) return false;
  if (!chosen.empty()) {
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::string> known,
                            store.FactSubjects(false, options.tenant));
    const auto reading = memory::ReadFactsByModel(*options.model, chosen, known, stop);
    // No grammar, or no pages for a second context: the conversation needs them more.
    if (reading.status().code() == StatusCode::kUnimplemented ||
        reading.status().code() == StatusCode::kResourceExhausted) {
      return give_up(reading.status().message());
    }
    LIUBAI_RETURN_IF_ERROR(reading.status());
    if (reading->cut) {
      options.logger.Log(
          LogLevel::kWarning, "agent",
          fmt::format("no facts are read from turns {} to {}: they and what the "
                      "model writes of them do not fit its context of {} tokens",
                      chosen.front().id, chosen.back().id, options.model->info().context_tokens));
    }
    LIUBAI_ASSIGN_OR_RETURN(const int written,
                            memory::FileModelFacts(store, reading->facts, options.tenant));
    mark.turns += static_cast<std::int64_t>(chosen.size());
    mark.stated += reading->stated;
    mark.rejected += reading->rejected();
    mark.written += written;
    const std::lock_guard lock(mutex);
    idle.fact_statements += reading->stated;
    idle.fact_statements_rejected += reading->rejected();
    idle.facts_read += written;
  }
  LIUBAI_RETURN_IF_ERROR(memory::SaveFactsMark(store, session, options.tenant, mark));
  return true;
}

}  // namespace liubai::inline v1
