#include "liubai/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/file_system.h"
#include "core/macros.h"
#include "memory/ledger.h"

namespace liubai::inline v1 {
namespace {

constexpr std::string_view kFormat = "liubai-policy";
constexpr int kVersion = 1;

struct Share {
  std::string_view name;
  double CompactionPolicy::*value;
  double least;
  double most;
};
constexpr Share kShares[] = {
    {"high_mark", &CompactionPolicy::high_mark, 0.05, 1},
    {"low_mark", &CompactionPolicy::low_mark, 0.02, 0.98},
    {"essences_share", &CompactionPolicy::essences_share, 0.02, 0.5},
    {"recalled_share", &CompactionPolicy::recalled_share, 0.02, 0.5},
    {"essence_share", &CompactionPolicy::essence_share, 0.1, 0.6},
    {"summary_share", &CompactionPolicy::summary_share, 0.2, 0.95},
    {"overview_share", &CompactionPolicy::overview_share, 0.1, 0.8},
};
struct Whole {
  std::string_view name;
  std::int64_t CompactionPolicy::*value;
  std::int64_t least;
  std::int64_t most;
};
constexpr Whole kWholes[] = {
    {"fine_essences", &CompactionPolicy::fine_essences, 1, 64},
    {"fan_out", &CompactionPolicy::fan_out, 2, 16},
};
constexpr double kMostWeight = 10;

Status Bad(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }

bool IsKind(std::string_view name) {
  const auto kinds = memory::DetailKindNames();
  return std::find(kinds.begin(), kinds.end(), name) != kinds.end();
}

// What a JSON text holds, key by key; a key that is not known is refused: it would be a parameter
// that somebody believes to be in force.
Status ReadParameters(const nlohmann::json& object, CompactionPolicy* policy) {
  for (const auto& [key, value] : object.items()) {
    if (key == "kind_weights") {
      if (!value.is_object()) return Bad("kind_weights is not an object");
      for (const auto& [kind, weight] : value.items()) {
        if (!IsKind(kind)) return Bad(fmt::format("kind_weights: no kind is called \"{}\"", kind));
        if (!weight.is_number()) {
          return Bad(fmt::format("kind_weights: {} is {}, not a number", kind, weight.dump()));
        }
        policy->kind_weights.emplace_back(kind, weight.get<double>());
      }
      continue;
    }
    bool known = false;
    for (const Share& share : kShares) {
      if (key != share.name) continue;
      known = true;
      if (!value.is_number()) return Bad(fmt::format("{} is {}, not a number", key, value.dump()));
      policy->*share.value = value.get<double>();
    }
    for (const Whole& whole : kWholes) {
      if (key != whole.name) continue;
      known = true;
      if (!value.is_number_integer()) {
        return Bad(fmt::format("{} is {}, not a whole number", key, value.dump()));
      }
      policy->*whole.value = value.get<std::int64_t>();
    }
    if (!known) return Bad(fmt::format("no parameter is called \"{}\"", key));
  }
  return policy->Validate();
}

Status ReadProvenance(const nlohmann::json& object, PolicyProvenance* from) {
  const auto text = [&](const char* key, std::string* value) -> Status {
    if (!object.contains(key)) return {};
    if (!object[key].is_string()) return Bad(fmt::format("provenance: {} is not a text", key));
    *value = object[key].get<std::string>();
    return {};
  };
  const auto number = [&](const char* key, auto* value) -> Status {
    if (!object.contains(key)) return {};
    if (!object[key].is_number()) return Bad(fmt::format("provenance: {} is not a number", key));
    *value = object[key].get<std::remove_pointer_t<decltype(value)>>();
    return {};
  };
  LIUBAI_RETURN_IF_ERROR(text("data", &from->data));
  LIUBAI_RETURN_IF_ERROR(text("data_hash", &from->data_hash));
  LIUBAI_RETURN_IF_ERROR(number("seed", &from->seed));
  LIUBAI_RETURN_IF_ERROR(number("trials", &from->trials));
  LIUBAI_RETURN_IF_ERROR(text("commit", &from->commit));
  LIUBAI_RETURN_IF_ERROR(text("date", &from->date));
  LIUBAI_RETURN_IF_ERROR(number("reward_default", &from->reward_default));
  return number("reward_fitted", &from->reward_fitted);
}

Result<PolicyFile> Read(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Bad("it is not JSON");
  if (!json.is_object()) return Bad("it is not a JSON object");
  if (!json.contains("format") || json["format"] != kFormat) {
    return Bad(fmt::format("\"format\" is not \"{}\"", kFormat));
  }
  if (!json.contains("version") || json["version"] != kVersion) {
    return Bad(fmt::format("\"version\" is {}; {} is known",
                           json.contains("version") ? json["version"].dump() : "not there",
                           kVersion));
  }
  PolicyFile file;
  if (!json.contains("policy") || !json["policy"].is_object()) {
    return Bad("\"policy\" is not an object");
  }
  LIUBAI_RETURN_IF_ERROR(ReadParameters(json["policy"], &file.policy));
  if (json.contains("provenance")) {
    if (!json["provenance"].is_object()) return Bad("\"provenance\" is not an object");
    LIUBAI_RETURN_IF_ERROR(ReadProvenance(json["provenance"], &file.provenance));
  }
  return file;
}

}  // namespace

double CompactionPolicy::KindWeight(std::string_view kind) const {
  for (const auto& [name, weight] : kind_weights) {
    if (name == kind) return weight;
  }
  return 1;
}

Status CompactionPolicy::Validate() const {
  for (const Share& share : kShares) {
    const double value = this->*share.value;
    if (!(value >= share.least && value <= share.most)) {
      return Bad(
          fmt::format("{} is {}; it must be {}..{}", share.name, value, share.least, share.most));
    }
  }
  if (!(low_mark < high_mark)) {
    return Bad(fmt::format("low_mark {} must be below high_mark {}", low_mark, high_mark));
  }
  for (const Whole& whole : kWholes) {
    const std::int64_t value = this->*whole.value;
    if (value < whole.least || value > whole.most) {
      return Bad(
          fmt::format("{} is {}; it must be {}..{}", whole.name, value, whole.least, whole.most));
    }
  }
  std::set<std::string_view> seen;
  for (const auto& [kind, weight] : kind_weights) {
    if (!IsKind(kind)) return Bad(fmt::format("kind_weights: no kind is called \"{}\"", kind));
    if (!seen.insert(kind).second) return Bad(fmt::format("kind_weights: {} is there twice", kind));
    if (!(weight >= 0 && weight <= kMostWeight)) {
      return Bad(
          fmt::format("kind_weights: {} is {}; it must be 0..{}", kind, weight, kMostWeight));
    }
  }
  return {};
}

Result<PolicyFile> ParsePolicy(std::string_view json, std::string_view name) {
  auto file = Read(json);
  if (!file.ok()) return file.status().WithContext(fmt::format("policy {}", name));
  return file;
}

Result<PolicyFile> LoadPolicy(const std::string& path) {
  LIUBAI_ASSIGN_OR_RETURN(const std::string text, ReadFile(PosixFileSystem(), path));
  return ParsePolicy(text, path);
}

std::string FormatPolicy(const PolicyFile& file) {
  nlohmann::ordered_json policy, weights = nlohmann::ordered_json::object();
  for (const Share& share : kShares) policy[std::string(share.name)] = file.policy.*share.value;
  for (const Whole& whole : kWholes) policy[std::string(whole.name)] = file.policy.*whole.value;
  for (const auto& [kind, weight] : file.policy.kind_weights) weights[kind] = weight;
  policy["kind_weights"] = weights;
  const PolicyProvenance& from = file.provenance;
  const nlohmann::ordered_json json = {{"format", kFormat},
                                       {"version", kVersion},
                                       {"policy", policy},
                                       {"provenance",
                                        {{"data", from.data},
                                         {"data_hash", from.data_hash},
                                         {"seed", from.seed},
                                         {"trials", from.trials},
                                         {"commit", from.commit},
                                         {"date", from.date},
                                         {"reward_default", from.reward_default},
                                         {"reward_fitted", from.reward_fitted}}}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace liubai::inline v1
