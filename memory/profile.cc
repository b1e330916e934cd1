#include "memory/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/macros.h"
#include "core/text.h"
#include "memory/facts.h"
#include "memory/facts_resolve.h"

namespace liubai::memory {
namespace {

constexpr std::size_t kMostPlans = 10;  // Older ones have come to pass, or not.

std::size_t OrderOf(std::string_view kind) {
  const auto kinds = FactKinds();
  return static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
}

void AddLine(const Fact& fact, const std::string& about, std::vector<ProfileLine>* lines) {
  for (ProfileLine& line : *lines) {
    if (line.about != about || line.attribute != fact.attribute || line.state != fact.state ||
        !SameValue(fact.attribute, line.value, fact.value))
      continue;
    // The one that says more stands.
    if (fact.value.size() > line.value.size()) line.value = fact.value;
    line.facts.push_back(fact.id);
    for (const TurnId turn : fact.sources) {
      if (std::find(line.sources.begin(), line.sources.end(), turn) == line.sources.end()) {
        line.sources.push_back(turn);
      }
    }
    line.since_ms = std::min(line.since_ms, fact.valid_from_ms);
    line.confidence = std::max(line.confidence, fact.confidence);
    return;
  }
  lines->push_back({about,
                    fact.kind,
                    fact.attribute,
                    fact.value,
                    fact.sources,
                    {fact.id},
                    fact.state,
                    fact.valid_from_ms,
                    fact.confidence});
}

Result<std::vector<Fact>> FactsOf(const Store& store, const std::vector<std::string>& names,
                                  std::optional<std::int64_t> as_of_ms, TenantId tenant) {
  std::vector<Fact> facts;
  for (const std::string& name : names) {
    FactFilter filter;
    filter.tenant = tenant;
    filter.subject = name;
    filter.as_of_ms = as_of_ms;
    LIUBAI_ASSIGN_OR_RETURN(std::vector<Fact> found, store.FindFacts(filter));
    for (Fact& fact : found) {
      if (!FactKindOf(fact.attribute).empty()) facts.push_back(std::move(fact));
    }
  }
  std::sort(facts.begin(), facts.end(), [](const Fact& a, const Fact& b) { return a.id < b.id; });
  return facts;
}

}  // namespace

Result<Profile> ReadProfile(const Store& store, std::string_view subject,
                            std::optional<std::int64_t> as_of_ms, TenantId tenant) {
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::string> known, store.FactSubjects(false, tenant));
  const std::string wanted = ToLowerUtf8(subject);
  const auto found = std::find_if(known.begin(), known.end(), [&](const std::string& name) {
    return ToLowerUtf8(name) == wanted;
  });
  if (found == known.end()) {
    const std::vector<std::string_view> names(known.begin(), known.end());
    const std::string_view nearest = NearestWord(subject, names);
    return Status(
        StatusCode::kNotFound,
        known.empty()
            ? std::string("nothing is known of anybody yet")
            : fmt::format("nothing is known of '{}'{}", subject,
                          nearest.empty()
                              ? fmt::format("; known are: {}",
                                            fmt::join(names.begin(),
                                                      names.begin() + static_cast<std::ptrdiff_t>(
                                                                          std::min<std::size_t>(
                                                                              names.size(), 10)),
                                                      ", "))
                              : fmt::format("; did you mean '{}'?", nearest)));
  }
  Profile profile;
  profile.subject = *found;
  LIUBAI_ASSIGN_OR_RETURN(std::vector<std::string> names,
                          store.FactSubjectNames(profile.subject, tenant));
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<Fact> facts, FactsOf(store, names, as_of_ms, tenant));
  std::vector<std::pair<std::string, std::vector<std::string>>> relations;  // About, subjects.
  std::set<std::string> seen(names.begin(), names.end());
  for (const Fact& fact : facts) {
    AddLine(fact, "", &profile.lines);
    if (fact.kind != "family" && fact.kind != "relationships") continue;
    if (fact.attribute == "relationship" || fact.attribute == "anniversary") continue;
    if (!seen.insert(fact.value).second) continue;
    relations.push_back({fmt::format("{} {}", fact.attribute, fact.value), {fact.value}});
  }
  // Those of whom only the relation is known: "User's sister".
  for (const std::string& name : known) {
    for (const std::string& own : names) {
      const std::string prefix = own + "'s ";
      if (!name.starts_with(prefix) || !seen.insert(name).second) continue;
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::string> same,
                              store.FactSubjectNames(name, tenant));
      const auto named = std::find_if(relations.begin(), relations.end(), [&](const auto& entry) {
        return std::find(same.begin(), same.end(), entry.second.front()) != same.end();
      });
      if (named != relations.end()) {
        named->second.push_back(name);
      } else {
        relations.push_back({name.substr(prefix.size()), {name}});
      }
    }
  }
  for (const auto& [about, subjects] : relations) {
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Fact> theirs,
                            FactsOf(store, subjects, as_of_ms, tenant));
    for (const Fact& fact : theirs) {
      // "Anna's brother is Tom" where Tom is the one whose profile this is.
      if (fact.value != profile.subject) AddLine(fact, about, &profile.lines);
    }
  }
  names.erase(names.begin());
  profile.names = std::move(names);
  std::stable_sort(profile.lines.begin(), profile.lines.end(),
                   [](const ProfileLine& a, const ProfileLine& b) {
                     const bool other_a = !a.about.empty(), other_b = !b.about.empty();
                     if (other_a != other_b) return other_b;
                     if (a.about != b.about) return a.about < b.about;
                     const std::size_t order_a = OrderOf(a.kind), order_b = OrderOf(b.kind);
                     if (order_a != order_b) return order_a < order_b;
                     // The latest plan is the one that counts.
                     if (a.kind == "plans") return a.facts.back() > b.facts.back();
                     return a.attribute < b.attribute;
                   });
  std::size_t plans = 0;
  std::erase_if(profile.lines, [&](const ProfileLine& line) {
    return line.kind == "plans" && ++plans > kMostPlans;
  });
  return profile;
}

}  // namespace liubai::memory
