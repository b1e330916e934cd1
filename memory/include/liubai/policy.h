// liubai/policy.h: what compaction keeps, when it begins and how much it takes, as numbers.
//
// The default is what the agent does when nobody says otherwise; `liubai tune` fits another one and
// writes it to a file (memory/FORMAT.md), `--policy FILE` and AgentOptions::policy take it.
//
// Errors:  kInvalidArgument names the file, the key, the value and its range; kNotFound and others
// of
//          reading the file.
// Threads: values and free functions.
// Units:   shares are of the whole named beside them, 0..1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "liubai/status.h"

namespace liubai::inline v1 {

struct CompactionPolicy {
  double high_mark = 0.85;          // Compaction starts when turns fill more of their part …
  double low_mark = 0.5;            // … and goes on down to this. 0 < low < high <= 1.
  double essences_share = 1.0 / 6;  // All essences, of the window. 0.02..0.5
  double recalled_share = 1.0 / 6;  // Recalled memories, of the window. 0.02..0.5
  double essence_share = 1.0 / 3;   // A new essence, of the part of all. 0.1..0.6
  double summary_share = 0.6;       // The summary, of its essence; the rest keeps exact words and
                                    // what is on record. 0.2..0.95
  double overview_share = 0.3;      // The overview of the oldest, of the part of all. 0.1..0.8
  std::int64_t fine_essences = 3;   // Essences of turns that are not merged, at least. 1..64
  std::int64_t fan_out = 4;         // Essences that become one, more or less. 2..16
  // How much a kind of detail ("money", "rule", …) counts beside the default: 0..10; 1 where a kind
  // is not named.
  std::vector<std::pair<std::string, double>> kind_weights;

  double KindWeight(std::string_view kind) const;
  Status Validate() const;
};

// Where the numbers of a file come from; what is not known is empty or 0.
struct PolicyProvenance {
  std::string data;       // What it was fitted on, in words.
  std::string data_hash;  // SHA-256 of the conversations and their questions.
  std::int64_t seed = 0;  // Of the search.
  std::int64_t trials = 0;
  std::string commit;
  std::string date;
  double reward_default = 0;  // On that data.
  double reward_fitted = 0;
};

struct PolicyFile {
  CompactionPolicy policy;
  PolicyProvenance provenance;
};

// `name` stands in messages.
Result<PolicyFile> ParsePolicy(std::string_view json, std::string_view name);
Result<PolicyFile> LoadPolicy(const std::string& path);
std::string FormatPolicy(const PolicyFile& file);

}  // namespace liubai::inline v1
