// tests/memory/facts_set.h: our own turns, with the facts that a careful reader would write down.
// `liubai bench facts` reads the files, too: facts_set.jsonl; facts_everyday.jsonl, states of every
// day; facts_everyday_held.jsonl, the same, written before the rules that read them.
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
inline std::vector<LabelledTurn> ReadFactsSet(const std::string& name) {
  std::vector<LabelledTurn> turns;
  std::ifstream file(LIUBAI_SOURCE_DIR "/tests/memory/" + name);
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line);
    turns.push_back({json["text"], json["facts"]});
  }
  return turns;
}
inline const std::vector<LabelledTurn>& FactsSet() {
  static const auto* set = new std::vector<LabelledTurn>(ReadFactsSet("facts_set.jsonl"));
  return *set;
}

}  // namespace liubai::memory
