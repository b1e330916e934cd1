// Facts: those that the rules find in a turn, written with it; their states; queries by time.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/macros.h"
#include "core/text.h"
#include "memory/facts.h"
#include "memory/facts_resolve.h"
#include "memory/store_impl.h"

namespace liubai::inline v1 {
namespace {

using memory::Claim;
using memory::ClaimKind;
using memory::FactChange;
using memory::Resolution;
using memory::Statement;

constexpr int kRecentFacts = 40;  // Among which a bare correction is looked for.

}  // namespace

// The name under which `subject` is known: of "User's sister" the one sister's; else itself.
Result<std::string> Store::Impl::KnownSubject(const std::string& subject, TenantId tenant) {
  const auto at = subject.rfind("'s ");
  if (at == std::string::npos) return subject;
  auto rows = db->Query(
      "SELECT DISTINCT value FROM facts WHERE tenant=?1 AND subject=?2 AND attribute=?3 AND "
      "state IN (0,3) LIMIT 3",
      tenant, subject.substr(0, at), subject.substr(at + 3));
  std::vector<std::string> names;
  while (rows.Step()) names.push_back(rows.Text(0));
  LIUBAI_RETURN_IF_ERROR(rows.status());
  // "two sisters", "sister" are no names.
  std::erase_if(names, [&](const std::string& name) {
    return name == subject.substr(at + 3) || name.find(' ') != std::string::npos;
  });
  return names.size() == 1 ? names.front() : subject;
}

// The names of one person: "Anna", "User's sister".
Result<std::vector<std::string>> Store::Impl::SubjectNames(const std::string& subject,
                                                           TenantId tenant) {
  std::vector<std::string> names = {subject};
  {
    LIUBAI_ASSIGN_OR_RETURN(std::string known, KnownSubject(subject, tenant));
    if (known != subject) names.push_back(std::move(known));
  }
  auto rows = db->Query(
      "SELECT DISTINCT subject, attribute FROM facts WHERE tenant=?1 AND value=?2 AND state IN "
      "(0,3) AND kind IN ('family','relationships') LIMIT 20",
      tenant, subject);
  std::vector<std::string> relations;
  while (rows.Step()) {
    if (rows.View(1) != "partner" && rows.View(1) != "relationship") {
      relations.push_back(fmt::format("{}'s {}", rows.Text(0), rows.Text(1)));
    }
  }
  LIUBAI_RETURN_IF_ERROR(rows.status());
  for (const std::string& relation : relations) {
    LIUBAI_ASSIGN_OR_RETURN(const std::string known, KnownSubject(relation, tenant));
    if (known == subject) names.push_back(relation);
  }
  return names;
}

Result<std::vector<Fact>> Store::Impl::HoldingFacts(const std::string& subject,
                                                    std::string_view attribute,
                                                    std::string_view opposite, TenantId tenant) {
  std::vector<Fact> facts;
  if (attribute.empty() && opposite.empty()) return facts;
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::string> names, SubjectNames(subject, tenant));
  for (const std::string& name : names) {
    for (const std::string_view of : {attribute, opposite}) {
      if (of.empty()) continue;
      auto rows = db->Query("SELECT " LIUBAI_FACT_COLUMNS
                            " FROM facts WHERE tenant=?1 AND subject=?2 AND attribute=?3 AND "
                            "state IN (0,3) ORDER BY fact_id",
                            tenant, name, of);
      while (rows.Step()) facts.push_back(memory::ReadFact(rows));
      LIUBAI_RETURN_IF_ERROR(rows.status());
    }
  }
  return facts;
}

Status Store::Impl::WriteFacts(const Turn& turn, TenantId tenant) {
  for (Claim& claim : memory::ExtractClaims(turn)) {
    Resolution resolution;
    if (claim.attribute.empty()) {
      auto rows = db->Query("SELECT " LIUBAI_FACT_COLUMNS
                            " FROM facts WHERE tenant=?1 ORDER BY fact_id DESC LIMIT ?2",
                            tenant, kRecentFacts);
      std::vector<Fact> recent;
      while (rows.Step()) recent.push_back(memory::ReadFact(rows));
      LIUBAI_RETURN_IF_ERROR(rows.status());
      resolution = memory::ResolveCorrection(claim, turn, recent);
    } else {
      LIUBAI_ASSIGN_OR_RETURN(claim.subject, KnownSubject(claim.subject, tenant));
      // One more of many changes none of the others, and they may be thousands.
      const bool own = claim.kind != ClaimKind::kHolds || memory::IsSingleValued(claim.attribute);
      LIUBAI_ASSIGN_OR_RETURN(
          const std::vector<Fact> known,
          HoldingFacts(claim.subject, own ? std::string_view(claim.attribute) : "",
                       memory::OppositeOf(claim.attribute), tenant));
      resolution = memory::Resolve(claim, turn, known);
    }
    for (const FactChange& change : resolution.changes) {
      LIUBAI_RETURN_IF_ERROR(ChangeFact(change.fact, change.state, change.valid_to_ms, turn.id));
    }
    if (!resolution.fact) continue;
    resolution.fact->by_rules = true;
    LIUBAI_RETURN_IF_ERROR(InsertFact(*resolution.fact, tenant).status());
  }
  return Status();
}

Status Store::Impl::ChangeFact(std::int64_t id, FactState state,
                               std::optional<std::int64_t> valid_to_ms, TurnId by) {
  if (valid_to_ms) {
    return db
        ->Query("UPDATE facts SET state=?2, valid_to_ms=?3, closed_by=?4 WHERE fact_id=?1", id,
                static_cast<int>(state), *valid_to_ms, by)
        .Run();
  }
  return db
      ->Query("UPDATE facts SET state=?2, valid_to_ms=NULL, closed_by=?3 WHERE fact_id=?1", id,
              static_cast<int>(state), state == FactState::kValid ? 0 : by)
      .Run();
}

// What a deleted turn had ended or corrected holds again, unless a later fact ends it, too.
Status Store::Impl::ReopenFacts(TurnId turn, TenantId tenant) {
  std::vector<Fact> freed;
  {
    auto rows = db->Query("SELECT " LIUBAI_FACT_COLUMNS
                          " FROM facts WHERE tenant=?1 AND closed_by=?2 ORDER BY fact_id",
                          tenant, turn);
    while (rows.Step()) freed.push_back(memory::ReadFact(rows));
    LIUBAI_RETURN_IF_ERROR(rows.status());
  }
  for (const Fact& fact : freed) {
    LIUBAI_RETURN_IF_ERROR(ChangeFact(fact.id, FactState::kValid, std::nullopt, 0));
    if (!memory::IsSingleValued(fact.attribute)) continue;
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Fact> others,
                            HoldingFacts(fact.subject, fact.attribute, "", tenant));
    for (const Fact& later : others) {
      if (later.id <= fact.id || later.attribute != fact.attribute ||
          memory::SameValue(fact.attribute, fact.value, later.value) || later.sources.empty())
        continue;
      LIUBAI_RETURN_IF_ERROR(ChangeFact(fact.id, FactState::kClosed,
                                        std::max(later.valid_from_ms, fact.valid_from_ms),
                                        later.sources.front()));
      break;
    }
  }
  return Status();
}

// Facts of other rules than this library's are written anew from the turns, in their order.
Status Store::Impl::RefreshFacts() {
  std::int64_t rules = 0;
  {
    auto query = db->Query("SELECT value FROM store WHERE key='fact_rules'");
    if (query.Step()) rules = query.Int(0);
    LIUBAI_RETURN_IF_ERROR(query.status());
  }
  if (rules == memory::kFactRules || !options.facts) return Status();
  std::int64_t last = 0;
  {
    auto query = db->Query("SELECT coalesce(max(turn_id),0) FROM turns");
    if (query.Step()) last = query.Int(0);
    LIUBAI_RETURN_IF_ERROR(query.status());
  }
  if (last > 0) {
    options.logger.Log(LogLevel::kWarning, "store",
                       fmt::format("writing the facts of {} anew: rules {} became {}", path, rules,
                                   memory::kFactRules));
  }
  return Write([&]() -> Status {
    std::vector<std::pair<std::int64_t, std::string>> old;
    {
      auto rows = db->Query("DELETE FROM facts WHERE by_rules=1 RETURNING fact_id, statement");
      while (rows.Step()) old.emplace_back(rows.Int(0), rows.Text(1));
      LIUBAI_RETURN_IF_ERROR(rows.status());
    }
    for (const auto& [fact, statement] : old) {
      LIUBAI_RETURN_IF_ERROR(
          db->Query("INSERT INTO facts_fts(facts_fts,rowid,statement) VALUES('delete',?1,?2)", fact,
                    statement)
              .Run());
      auto vectors = db->Query(
          "DELETE FROM embeddings WHERE unit_id=?1 AND kind=2 RETURNING vector_id, embedder_id, "
          "tenant",
          fact);
      std::vector<std::array<std::int64_t, 3>> gone;
      while (vectors.Step()) gone.push_back({vectors.Int(0), vectors.Int(1), vectors.Int(2)});
      LIUBAI_RETURN_IF_ERROR(vectors.status());
      for (const auto& [vector, embedder, tenant] : gone) {
        LIUBAI_RETURN_IF_ERROR(
            LogOperation(tenant, embedder, UnitKind::kFact, vector, false).status());
      }
    }
    for (TurnId after = 0; after < last;) {
      std::vector<std::pair<Turn, TenantId>> turns;
      auto rows = db->Query(
          "SELECT turn_id, session_id, role, speaker, text, time_ms, origin, trust, tenant FROM "
          "turns WHERE turn_id>?1 ORDER BY turn_id LIMIT 500",
          after);
      while (rows.Step()) {
        Turn turn;
        turn.id = rows.Int(0);
        turn.session_id = rows.Int(1);
        turn.role = static_cast<Role>(rows.Int(2));
        turn.speaker = rows.Text(3);
        turn.text = rows.Text(4);
        turn.time_ms = rows.Int(5);
        turn.origin = static_cast<Origin>(rows.Int(6));
        turn.trust = static_cast<Trust>(rows.Int(7));
        turns.emplace_back(std::move(turn), rows.Int(8));
      }
      LIUBAI_RETURN_IF_ERROR(rows.status());
      if (turns.empty()) break;
      for (const auto& [turn, tenant] : turns) LIUBAI_RETURN_IF_ERROR(WriteFacts(turn, tenant));
      after = turns.back().first.id;
    }
    return db
        ->Query("INSERT OR REPLACE INTO store VALUES('fact_rules',?1)",
                std::to_string(memory::kFactRules))
        .Run();
  });
}

Status Store::MarkFact(std::int64_t id, FactState state, std::int64_t valid_to_ms,
                       TenantId tenant) {
  std::lock_guard lock(impl_->mutex);
  return impl_->Write([&]() -> Status {
    std::int64_t from = 0;
    {
      auto row = impl_->db->Query("SELECT valid_from_ms FROM facts WHERE fact_id=?1 AND tenant=?2",
                                  id, tenant);
      if (!row.Step()) {
        LIUBAI_RETURN_IF_ERROR(row.status());
        return Status(StatusCode::kNotFound, fmt::format("fact {} does not exist", id));
      }
      from = row.Int(0);
    }
    std::optional<std::int64_t> to;
    if (state == FactState::kClosed) to = std::max(memory::TimeOrNow(valid_to_ms), from);
    if (state == FactState::kWrong) to = from;
    return impl_->ChangeFact(id, state, to, 0);
  });
}

Result<std::vector<Fact>> Store::FindFacts(const FactFilter& filter) const {
  std::lock_guard lock(impl_->mutex);
  auto rows = impl_->db->Query(
      "SELECT " LIUBAI_FACT_COLUMNS
      " FROM facts WHERE tenant=?1 AND (?2='' OR subject=?2 COLLATE NOCASE) AND "
      "(?3='' OR attribute=?3) AND (?4='' OR kind=?4) AND "
      "CASE WHEN ?5 THEN valid_from_ms<=?6 AND (valid_to_ms IS NULL OR valid_to_ms>?6) AND "
      "state!=2 "
      "WHEN ?7 THEN 1 ELSE state IN (0,3) END ORDER BY fact_id",
      filter.tenant, filter.subject, filter.attribute, filter.kind,
      filter.as_of_ms.has_value() ? 1 : 0, filter.as_of_ms.value_or(0), filter.history ? 1 : 0);
  std::vector<Fact> facts;
  while (rows.Step()) facts.push_back(memory::ReadFact(rows));
  LIUBAI_RETURN_IF_ERROR(rows.status());
  return facts;
}

Result<std::vector<std::string>> Store::FactSubjects(bool only_self, TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  // Those who speak of themselves first, the one of whom most is known before the others.
  auto rows = impl_->db->Query(
      "SELECT subject, max(first_person) FROM facts WHERE tenant=?1 AND by_rules=1 GROUP BY "
      "subject "
      "HAVING NOT ?2 OR max(first_person AND origin=0) ORDER BY max(first_person) DESC, count(*) "
      "DESC, subject",
      tenant, only_self ? 1 : 0);
  std::vector<std::string> subjects;
  while (rows.Step()) subjects.push_back(rows.Text(0));
  LIUBAI_RETURN_IF_ERROR(rows.status());
  return subjects;
}

Result<std::vector<std::string>> Store::FactSubjectNames(std::string_view subject,
                                                         TenantId tenant) const {
  std::lock_guard lock(impl_->mutex);
  return impl_->SubjectNames(std::string(subject), tenant);
}

}  // namespace liubai::inline v1
