// tools/madial_data.h: MADial-Bench's memories and dialogues, read in their published format, one
// JSON object a line.
//
// Errors:  kNotFound; kDataLoss naming file, line and field for what is not in the format. Ids of
//          memories that do not exist are no error: they are counted.
// Threads: free functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/status.h"

namespace liubai::tools {

struct MadialMemory {
  std::string id;
  std::string user;
  std::string text;
  std::int64_t time_ms = 0;
};

struct MadialDialogue {
  std::string id;
  std::string user;
  std::string text;  // Until the first test turn, an utterance a line, without the speakers.
  std::string last;  // Its last utterance.
  std::vector<std::string> relevant;  // Ids of memories that exist, each once.
};

struct MadialData {
  std::string language;
  std::string sha256;  // Of memories and dialogues.
  std::vector<std::string> users;
  std::vector<MadialMemory> memories;  // One for each user whose it is.
  std::vector<MadialDialogue> dialogues;
  std::int64_t unknown_ids = 0;
  std::int64_t without_evidence = 0;
};

// `language`: "zh" or "en"; `data` as for DataFile.
Result<MadialData> ReadMadial(const std::string& data, const std::string& language);
// The two files' texts; `name` is for messages.
Result<MadialData> ParseMadial(std::string_view memories, std::string_view dialogues,
                               const std::string& language);

}  // namespace liubai::tools
