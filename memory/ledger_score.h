// memory/ledger_score.h: how many of the details that a reader marked in turns the ledger takes,
// and how much of what it takes was marked.
//
// A file holds one turn a line:
//   {"id": "en-001", "text": "Rent is $1,475.", "labels": [{"kind": "money", "text": "$1,475"}]}
// with every detail of the turn, by the kinds of ledger.h; "part" ("dev", "check", …) may group the
// turns. A value is found by a detail of its kind that covers it and holds at most one word or two
// Chinese characters more; a statement by one of its kind that has half of it, or is half in it.
//
// Errors:  kInvalidArgument names the file, the line and what is wrong there.
// Threads: free functions without state.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/status.h"
#include "memory/ledger.h"

namespace liubai::memory {

struct DetailLabel {
  DetailKind kind = DetailKind::kNumber;
  std::string text;
};

struct LabelledTurn {
  std::string id;
  std::string part;  // "" when the line has none.
  std::string text;
  std::vector<DetailLabel> labels;
};

// The turns of `jsonl`; errors call it `file`.
Result<std::vector<LabelledTurn>> ReadLabelledTurns(std::string_view jsonl, std::string_view file);

struct DetailScore {
  std::int64_t labels = 0;
  std::int64_t found = 0;    // By a detail of their kind.
  std::int64_t kept = 0;     // Within a detail of any kind: nothing of them is lost.
  std::int64_t details = 0;  // That the ledger took.
  std::int64_t right = 0;    // Of these, by a label of their kind.

  double Recall() const { return labels == 0 ? 1 : static_cast<double>(found) / labels; }
  double Precision() const { return details == 0 ? 1 : static_cast<double>(right) / details; }
  DetailScore& operator+=(const DetailScore& other);
};

// A label that no detail of its kind has, or a detail that no label has.
struct DetailMiss {
  std::string id;
  std::string part;
  DetailKind kind = DetailKind::kNumber;
  bool extra = false;
  std::string text;
};

struct LedgerScore {
  // By part, then by DetailKind.
  std::map<std::string, std::array<DetailScore, kDetailKinds>> parts;
  std::vector<DetailMiss> misses;

  std::array<DetailScore, kDetailKinds> All() const;
};

LedgerScore ScoreLedger(const std::vector<LabelledTurn>& turns);

}  // namespace liubai::memory
