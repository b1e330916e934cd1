// tests/memory/facts_set.h: our own turns, with the facts that a careful reader would write down
// (facts_set.jsonl, which `liubai bench facts` reads, too).
//
// A fact is "subject | attribute | value"; "~" before it: held once; "-": has ended; "!": corrects.
// "me" is whoever speaks; the value "*" is any.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace liubai::memory {

struct LabelledTurn {
  std::string text;
  std::vector<std::string> facts;
};

// Empty where the file cannot be read.
inline const std::vector<LabelledTurn>& FactsSet() {
  static const auto* set = [] {
    auto* turns = new std::vector<LabelledTurn>;
    std::ifstream file(LIUBAI_SOURCE_DIR "/tests/memory/facts_set.jsonl");
    for (std::string line; std::getline(file, line);) {
      const auto json = nlohmann::json::parse(line);
      turns->push_back({json["text"], json["facts"]});
    }
    return turns;
  }();
  return *set;
}

}  // namespace liubai::memory
