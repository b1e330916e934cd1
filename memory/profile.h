// memory/profile.h: what is known of a person, line by line with its source turns, and the lines
// that a question presupposes.
//
// "How old was I when I moved?" and "suggest something for my sister" share no words with the turns
// that say how old one is and what the sister likes; they reach them here.
//
// Errors:  those of the store. Threads: as the store. Units: UTC milliseconds; weights 0..1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/store.h"
#include "memory/question.h"

namespace liubai::memory {

struct ProfileLine {
  std::string about;  // Empty: the person; else who of theirs: "sister Anna".
  std::string kind;   // As FactKinds, in this order.
  std::string attribute;
  std::string value;
  std::vector<TurnId> sources;  // All turns that say so, oldest first.
  std::vector<std::int64_t> facts;
  FactState state = FactState::kValid;  // kDisputed: another line contradicts it.
  std::int64_t since_ms = 0;            // 0: not known.
  double confidence = 0;
};

struct Profile {
  std::string subject;
  std::vector<std::string> names;  // The subject's other names in the facts.
  std::vector<ProfileLine> lines;
};

// `subject` as the facts have it ("User", "Caroline", "User's sister"), in any case of letters;
// kNotFound names the nearest. As of a time: what held then.
Result<Profile> ReadProfile(const Store& store, std::string_view subject,
                            std::optional<std::int64_t> as_of_ms = {},
                            TenantId tenant = kDefaultTenant);

struct ProfileSource {
  TurnId turn = 0;
  std::string reason;  // "age of User: 34".
  double weight = 0;
  // Of a question for a state at a time: the turn tells of that state, and what it tells held then
  // (1) or did not (-1). 0: it tells of something else.
  int held = 0;
};

struct ProfileQuestion {
  std::string_view text;
  std::string asker;  // Who asks; empty: whoever of the users speaks of themselves in the facts.
  TenantId tenant = kDefaultTenant;
  int most = 12;
  AskedState state;  // What held then counts most.
  // Also the turns that tell of the asked state of somebody else, last, of weight 0.
  bool others = false;
};

// The turns whose facts the question presupposes, heaviest first, one entry a turn; empty when it
// presupposes none. Wrong facts never count, closed ones less.
Result<std::vector<ProfileSource>> ProfileSourcesFor(const Store& store,
                                                     const ProfileQuestion& question);

}  // namespace liubai::memory
