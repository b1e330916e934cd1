// tools/recall_data.h: the public recall benchmarks LoCoMo and LongMemEval, read in their published
// formats.
//
// What would leak the answers is dropped here: captions' search queries, gold summaries, the keys
// that only evidence carries, and session ids, which are hashed.
//
// Errors:  kNotFound; kDataLoss naming file, element and field for what is not in the format.
// Malformed
//          evidence is no error: it is counted.
// Threads: free functions without state.
// Units:   times are UTC milliseconds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/status.h"

namespace liubai::tools {

// The file's text; a name that ends in .gz is unpacked. kResourceExhausted above `limit_bytes`.
Result<std::string> ReadMaybeCompressed(const std::string& path,
                                        std::uint64_t limit_bytes = std::uint64_t{4} << 30);

struct LocomoTurn {
  std::string dia_id;  // "D1:5", normalised.
  std::string speaker;
  std::string text;  // With "[shares …]" for a picture.
};

struct LocomoSession {
  int number = 0;
  std::int64_t time_ms = 0;
  std::vector<LocomoTurn> turns;
};

struct LocomoQuestion {
  std::string id;  // "locomo_<conversation>_qa<question>"
  std::string text;
  int category = 0;
  std::string answer;                  // Empty where there is none, as of most of category 5.
  std::string corrected_answer;        // The same with the audit's corrections.
  std::vector<std::string> evidence;   // Ids that exist, each once.
  std::vector<std::string> corrected;  // The same with the audit's corrections.
};

struct LocomoConversation {
  std::string sample_id;
  std::vector<LocomoSession> sessions;
  std::vector<LocomoQuestion> questions;
};

struct LocomoData {
  std::vector<LocomoConversation> conversations;
  std::int64_t questions = 0;
  std::int64_t without_evidence = 0;  // No usable id.
  std::int64_t unknown_ids = 0;       // Ids of turns that do not exist.
  std::int64_t dates_without_session = 0;
  std::int64_t corrections = 0;
};

// `corrections_json` may be empty.
Result<LocomoData> ParseLocomo(std::string_view json, std::string_view corrections_json);
// All "D<session>:<turn>" in `text`, as "D8:6", however they are written.
std::vector<std::string> FindDialogIds(std::string_view text);
// "1:56 pm on 8 May, 2023"; kDataLoss for another form.
Result<std::int64_t> ParseLocomoTime(std::string_view text);

struct LongMemTurn {
  bool user = true;
  std::string text;
  bool evidence = false;  // For scoring only.
};

struct LongMemSession {
  std::string hashed_id;
  std::int64_t time_ms = 0;
  bool evidence = false;  // For scoring only.
  std::vector<LongMemTurn> turns;
};

struct LongMemQuestion {
  std::string id;
  std::string type;
  std::string text;
  std::string answer;
  std::int64_t time_ms = 0;
  bool abstention = false;
  bool evidence_in_user_turn = false;
  std::vector<LongMemSession> sessions;  // In the order of time, each once.
  int repeated_sessions = 0;
};

// One question; LongMemElements finds them in the file's array.
Result<LongMemQuestion> ParseLongMemQuestion(std::string_view json);
// The elements of a JSON array of objects, as views into `json`.
Result<std::vector<std::string_view>> SplitJsonArray(std::string_view json);
// "2023/05/30 (Tue) 23:40"
Result<std::int64_t> ParseLongMemTime(std::string_view text);

}  // namespace liubai::tools
