// How what a model read is filed, and the mark of how far it has read.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/macros.h"
#include "memory/facts.h"
#include "memory/facts_resolve.h"
#include "memory/model_facts.h"

namespace liubai::memory {
namespace {

constexpr std::string_view kNoFingerprint = "-";
constexpr std::int64_t kLeastStated = 20;  // Before a model is judged.

std::string MarkKey(SessionId session) { return fmt::format("facts.model.{}", session); }

// All facts of this subject, under each of its names, with this attribute.
Result<std::vector<Fact>> Known(const Store& store, const std::string& subject,
                                std::string_view attribute, TenantId tenant) {
  std::vector<Fact> known;
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                          store.FactSubjectNames(subject, tenant));
  for (const std::string& name : names) {
    FactFilter filter;
    filter.tenant = tenant;
    filter.subject = name;
    filter.attribute = attribute;
    filter.history = true;
    LIUBAI_ASSIGN_OR_RETURN(std::vector<Fact> some, store.FindFacts(filter));
    known.insert(known.end(), some.begin(), some.end());
  }
  return known;
}

}  // namespace

Result<FactsMark> LoadFactsMark(const Store& store, SessionId session, TenantId tenant) {
  FactsMark mark;
  const auto setting = store.GetSetting(MarkKey(session), tenant);
  if (setting.status().code() == StatusCode::kNotFound) return mark;
  LIUBAI_RETURN_IF_ERROR(setting.status());
  std::istringstream in(*setting);
  if (in >> mark.through >> mark.turns >> mark.stated >> mark.rejected >> mark.written >>
      mark.model) {
    if (mark.model == kNoFingerprint) mark.model.clear();
    return mark;
  }
  return Status(StatusCode::kDataLoss,
                fmt::format("setting \"{}\" is \"{}\"; five numbers and a fingerprint are expected",
                            MarkKey(session), *setting));
}

Status SaveFactsMark(Store& store, SessionId session, TenantId tenant, const FactsMark& mark) {
  return store.SetSetting(
      MarkKey(session),
      fmt::format("{} {} {} {} {} {}", mark.through, mark.turns, mark.stated, mark.rejected,
                  mark.written, mark.model.empty() ? kNoFingerprint : mark.model),
      tenant);
}

bool TooWeakForFacts(const FactsMark& mark) {
  return mark.stated >= kLeastStated && mark.rejected * 2 > mark.stated;
}

Result<int> FileModelFacts(Store& store, std::span<const Fact> facts, TenantId tenant) {
  int written = 0;
  for (const Fact& fact : facts) {
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Fact> known,
                            Known(store, fact.subject, fact.attribute, tenant));
    const auto same = [&](const Fact& old) {
      return SameValue(fact.attribute, fact.value, old.value);
    };
    if (std::any_of(known.begin(), known.end(), same)) continue;
    const std::string_view opposite = OppositeOf(fact.attribute);
    if (!opposite.empty()) {
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<Fact> against,
                              Known(store, fact.subject, opposite, tenant));
      if (std::any_of(against.begin(), against.end(),
                      [&](const Fact& old) { return Holding(old) && same(old); })) {
        continue;
      }
    }
    std::vector<std::int64_t> closed;
    bool refused = false;
    for (const Fact& old : known) {
      if (!IsSingleValued(fact.attribute) || !Holding(old)) continue;
      const bool older = !old.sources.empty() && old.sources.back() < fact.sources.front();
      refused |= !IsByModel(old) || !older || IsLasting(fact.attribute);
      closed.push_back(old.id);
    }
    if (refused) continue;
    LIUBAI_RETURN_IF_ERROR(store.AddFact(fact, tenant).status());
    for (const std::int64_t id : closed) {
      LIUBAI_RETURN_IF_ERROR(store.MarkFact(id, FactState::kClosed, fact.valid_from_ms, tenant));
    }
    ++written;
  }
  return written;
}

}  // namespace liubai::memory
