// memory/essence_tree.h: essences as a tree whose top is all that the prompt carries.
//
//   leaf (level 0)  stands for turns; the newest ones stay as they are
//   level n         stands for `fan_out` neighbours of level n - 1, more or less: the border is set
//                   where topic or time change most
//   overview        when the roots are more than the prompt has room for, one text for the oldest
//   of
//                   them; written anew when it changes, and part of no other node
//
// A life of n compactions has about `fan_out` * log(n) roots and a depth of log(n) + 1; each turn
// that left the window is under exactly one essence in use. Nothing is deleted: what a node stands
// for is in the store.
//
// Threads: free functions without state.
// Units:   tokens by `count`, as the prompt shows an essence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "liubai/policy.h"
#include "liubai/records.h"
#include "memory/context_budget.h"

namespace liubai::memory {

inline constexpr std::string_view kOverview = "overview";  // Essence::method of an overview.

// The setting that says which sessions a fork took its essences from: " 3@57 1@20", the nearest
// first, each with the last turn that was compacted then.
std::string ForkKey(SessionId session);

struct TreeShape {
  int all_tokens = 0;       // Of the prompt, for all essences in use.
  int upper_tokens = 0;     // Most of one above the leaves.
  CompactionPolicy policy;  // How many stay fine, how many become one, the overview's share.
};

struct TreeGrowth {
  std::vector<Essence> essences;  // New ones, the leaf first.
  // As CompactionBatch::essence_links.
  std::vector<std::pair<std::int64_t, std::int64_t>> links;
};

// The tree with `leaf` at its end.
//   in_use  the essences in use, oldest first
//   under   what the overview among them, if any, stands for, oldest first
// REQUIRES: `leaf` and the others have their times.
TreeGrowth GrowTree(const std::vector<Essence>& in_use, const std::vector<Essence>& under,
                    Essence leaf, const TreeShape& shape, const CountTokens& count);

}  // namespace liubai::memory
