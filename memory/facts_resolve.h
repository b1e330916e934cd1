// memory/facts_resolve.h: what a new claim does to the facts that are there: what it repeats, ends,
// corrects or contradicts.
//
// Of a single-valued attribute the later statement closes the earlier one when it says that
// something changed, or was made on another day; an age must also be one that the years between
// allow. What cannot be decided so (two homes on one day, two birthdays) is disputed, both sides,
// until a later statement decides it. A correction marks the earlier one wrong: it never held.
//
// Threads: free functions without state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/records.h"
#include "memory/facts.h"

namespace liubai::memory {

struct FactChange {
  std::int64_t fact = 0;
  FactState state = FactState::kClosed;
  std::optional<std::int64_t> valid_to_ms;  // Of closed and wrong ones.
};

struct Resolution {
  std::optional<Fact> fact;  // To be stored; its state says whether it holds.
  std::vector<FactChange> changes;
};

// It holds, or another fact contradicts it and nothing has decided between them.
bool Holding(const Fact& fact);

// The attribute whose facts the claim can end beside its own: of "likes" "dislikes" and the other
// way round; "": none.
std::string_view OppositeOf(std::string_view attribute);

// `known`: the facts that hold or are disputed, of the claim's subject and of its attribute or the
// opposite one. REQUIRES: the claim has an attribute.
Resolution Resolve(const Claim& claim, const Turn& turn, std::span<const Fact> known);

// A correction without an attribute ("No, 18, not 80"). `recent`: the last facts, latest first.
// Empty when none of them is meant.
Resolution ResolveCorrection(const Claim& claim, const Turn& turn, std::span<const Fact> recent);

// Whether two values name the same: "Lyon" and "Lyon, France", "dog" and "Max (golden retriever)".
bool SameValue(std::string_view attribute, std::string_view a, std::string_view b);

}  // namespace liubai::memory
