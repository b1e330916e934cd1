// memory/proof.h: whether a detail is found again by what a person would ask, without its value.
//
// Asked, one after the other until one finds it: the words around it; those and the rest of its
// turn; those and the month in which it was said; what was said before it. It is found when its
// turn, or another that says the same sentence, is among the first kProofDepth.
//
// Errors:  those of Retriever; kCancelled.
// Threads: one thread.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "liubai/records.h"
#include "liubai/retrieval.h"

namespace liubai::memory {

inline constexpr int kProofDepth = 5;

class Prover {
 public:
  Prover(const Retriever& retriever, TenantId tenant, std::int64_t now_ms, std::stop_token stop)
      : retriever_(retriever), tenant_(tenant), now_ms_(now_ms), stop_(std::move(stop)) {}

  // `query` alone. What was asked before is not searched again.
  Result<bool> IsFound(const Turn& turn, const std::string& query);
  // `query`, then wider ones; the one that finds it, or "". `before` is the turn before it in the
  // conversation, or null.
  Result<std::string> FindingQuery(const Turn& turn, const Turn* before, std::string_view sentence,
                                   std::string_view value, const std::string& query);
  bool Knows(TurnId turn, const std::string& query) const { return known_.contains({turn, query}); }
  int searches() const { return searches_; }

 private:
  const Retriever& retriever_;
  TenantId tenant_;
  std::int64_t now_ms_;
  std::stop_token stop_;
  std::map<std::pair<TurnId, std::string>, bool> known_;
  int searches_ = 0;
};

// What a text carries: a value counts when it stands whole, no part of a longer number or word, in
// a sentence that shares a word with the one in which it was said. The turns and days at the head
// of an essence's line carry nothing.
class Carried {
 public:
  explicit Carried(std::string_view text);
  bool Has(std::string_view value, std::string_view sentence) const;

 private:
  struct Sentence {
    std::string text;
    std::unordered_set<std::string> terms;
  };
  std::vector<Sentence> sentences_;
};

// The sentences of an essence's text, without the turns and days at the head of its lines.
std::vector<std::string> SentencesOfEssence(std::string_view text);

// The sentence of `text` in which byte `at` stands.
std::string_view SentenceAt(std::string_view text, std::size_t at);

}  // namespace liubai::memory
