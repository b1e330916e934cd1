#include "memory/retrieval_weights.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/macros.h"

namespace liubai::memory {

extern const char* const kRetrievalWeightsJson;  // Made from retrieval_weights.json.

namespace {

// Sets `name` of `group`; false when it has none of that name.
bool SetOf(RetrievalWeights& weights, std::string_view group, std::string_view name, double value) {
  const auto Turn = [&](TurnWeights& turn) {
    for (int i = 0; i < kRecallFields; ++i) {
      const RecallField field = static_cast<RecallField>(i);
      if (RecallFieldName(field) == name) return turn[field] = value, true;
    }
    return false;
  };
  const auto Session = [&](SessionWeights& session) {
    for (int i = 0; i < kSessionFields; ++i) {
      const SessionField field = static_cast<SessionField>(i);
      if (SessionFieldName(field) == name) return session[field] = value, true;
    }
    return false;
  };
  if (group == "turn_words") return Turn(weights.turn_words);
  if (group == "turn_vectors") return Turn(weights.turn_vectors);
  if (group == "talk_words") return Turn(weights.talk_words);
  if (group == "talk_vectors") return Turn(weights.talk_vectors);
  if (group == "session_words") return Session(weights.session_words);
  if (group == "session_vectors") return Session(weights.session_vectors);
  const auto Relevance = [&](RelevanceWeights& relevance) {
    static constexpr std::pair<std::string_view, double RelevanceWeights::*> kNames[] = {
        {"covered", &RelevanceWeights::covered}, {"around", &RelevanceWeights::around},
        {"tokens", &RelevanceWeights::tokens},   {"deviations", &RelevanceWeights::deviations},
        {"bias", &RelevanceWeights::bias},       {"least", &RelevanceWeights::least},
    };
    for (const auto& [known, member] : kNames) {
      if (known == name) return relevance.*member = value, true;
    }
    return false;
  };
  if (group == "relevance_words") return Relevance(weights.relevance_words);
  if (group == "relevance_vectors") return Relevance(weights.relevance_vectors);
  if (group != "shape") return false;
  static constexpr std::pair<std::string_view, double RetrievalWeights::*> kShape[] = {
      {"short_turn", &RetrievalWeights::short_turn},
      {"own", &RetrievalWeights::own},
      {"next", &RetrievalWeights::next},
      {"second", &RetrievalWeights::second},
  };
  for (const auto& [known, member] : kShape) {
    if (known == name) return weights.*member = value, true;
  }
  return false;
}

constexpr std::string_view kGroups[] = {"turn_words",      "turn_vectors",      "talk_words",
                                        "talk_vectors",    "session_words",     "session_vectors",
                                        "relevance_words", "relevance_vectors", "shape"};

}  // namespace

Status SetWeight(RetrievalWeights& weights, std::string_view name, double value) {
  const std::size_t dot = name.find('.');
  bool known = false;
  for (const std::string_view group : kGroups) {
    if (dot != std::string_view::npos && name.substr(0, dot) != group) continue;
    known |=
        SetOf(weights, group, dot == std::string_view::npos ? name : name.substr(dot + 1), value);
  }
  if (!known || !std::isfinite(value)) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("weight {} = {}: {}", name, value,
                              known ? "not a finite number" : "there is none of that name"));
  }
  return Status();
}

const RetrievalWeights& FittedWeights() {
  static const RetrievalWeights fitted = [] {
    RetrievalWeights weights;
    const nlohmann::json data = nlohmann::json::parse(kRetrievalWeightsJson);
    for (const auto& [group, values] : data.items()) {
      if (group == "provenance") continue;
      for (const auto& [name, value] : values.items()) {
        // The file is part of the program: what it cannot hold is a defect, and a test says so.
        if (!SetOf(weights, group, name, value.get<double>())) std::abort();
      }
    }
    return weights;
  }();
  return fitted;
}

}  // namespace liubai::memory
