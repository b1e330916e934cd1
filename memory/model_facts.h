// memory/model_facts.h: facts that a language model reads out of a few turns, held to a grammar.
//
// The model sees the turns with their numbers and writes JSON in which the turn is one of those,
// the subject one of the people and the attribute one that is known: nothing else can be written.
// What a grammar cannot hold is checked afterwards, and a statement that fails is dropped and
// counted: its value must stand in its turn, outside quotations and questions; the sentence must
// speak of its subject; a value of an attribute that is a number must be one.
//
// Errors:  what the model's calls return; kCancelled when a stop was requested.
// Threads: free functions; the model is used by one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/language_model.h"
#include "liubai/records.h"
#include "liubai/store.h"

namespace liubai::memory {

// How many turns are read at once, and bytes of each that are shown.
inline constexpr std::size_t kTurnsReadTogether = 4;
inline constexpr std::size_t kMostShownBytes = 600;

struct ModelReading {
  std::vector<Fact> facts;  // That passed; with source, origin and a low confidence.
  int stated = 0;           // Statements that the model wrote, those that it repeated once.
  int not_said = 0;         // Of these: the value is not in the turn, or only quoted or asked …
  int not_of_subject = 0;   // … the sentence does not speak of the subject …
  int not_a_value = 0;      // … or the value is none of the attribute.
  int tokens = 0;           // Generated.
  bool cut = false;         // No room for turns and answer: nothing counts.
  int rejected() const { return not_said + not_of_subject + not_a_value; }
};

// Worth the model's time: somebody's own words, and more than a greeting or a question.
bool MayStateFacts(const Turn& turn);

// Who may be a subject of `turns`: those who speak in them, then those of `known` and other names
// that they mention; at most 24.
std::vector<std::string> SubjectsOf(std::span<const Turn> turns,
                                    std::span<const std::string> known);

// REQUIRES: 1 <= turns.size() <= 16, ids grow.
Result<ModelReading> ReadFactsByModel(LanguageModel& model, std::span<const Turn> turns,
                                      std::span<const std::string> known,
                                      std::stop_token stop = {});

// How far the reading of a session has come, and what it gave; a setting of the store.
struct FactsMark {
  TurnId through = 0;      // Turns up to this one are read, or need no reading.
  std::int64_t turns = 0;  // That the model was shown.
  std::int64_t stated = 0, rejected = 0, written = 0;
  std::string model;  // Its fingerprint; the counts are of it.
};
// Not read yet: through 0.
Result<FactsMark> LoadFactsMark(const Store& store, SessionId session, TenantId tenant);
Status SaveFactsMark(Store& store, SessionId session, TenantId tenant, const FactsMark& mark);

// Stores those of `facts` that are news, and returns how many. What is known is not repeated, also
// when it no longer holds or was taken back, and nothing that the rules or anybody else wrote is
// ended, contradicted or changed: of an attribute that has one value a statement is kept only where
// there is none, or an older one of a model, which it closes.
Result<int> FileModelFacts(Store& store, std::span<const Fact> facts, TenantId tenant);

// A model of whose statements most are not in the turns is not asked on.
bool TooWeakForFacts(const FactsMark& mark);

// Written by a model: by no rule, and of the origin of summaries.
inline bool IsByModel(const Fact& fact) {
  return !fact.by_rules && fact.origin == Origin::kSummary && fact.confidence < 1.0;
}

}  // namespace liubai::memory
