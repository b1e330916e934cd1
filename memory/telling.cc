#include "memory/telling.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/text.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger.h"
#include "memory/question.h"
#include "memory/retrieval_list.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

constexpr std::size_t kMostParts = 5;    // Sentences, for a question of several parts …
constexpr std::size_t kMostSeveral = 8;  // … and where all of a kind are asked for.
constexpr std::size_t kLongest = 400;    // Bytes of one; a longer one is shown by its turn.
constexpr double kLeastShare = 0.35;     // Of the question's words, by weight.
constexpr double kLeastOfBest = 0.5;     // Of the share that the first one has.
constexpr double kLeastAdded = 0.08;     // Of the question's words, by weight.
constexpr double kAboutAsClose = 0.85;   // Of the share that the first one has.

struct Candidate {
  Telling telling;
  std::vector<bool> has;  // [terms]
  Terms words;
};

}  // namespace

bool HasCharacters(std::string_view text, std::string_view term) {
  if (static_cast<unsigned char>(term[0]) < 0x80) return false;
  for (std::size_t i = 0; i < term.size();) {
    const std::size_t length = DecodeUtf8(term, i).length;
    if (text.find(term.substr(i, length)) == std::string_view::npos) return false;
    i += length;
  }
  return true;
}

Wanted WantedBy(std::string_view question) {
  // Chinese sets words beside each other with marks of its own.
  for (const std::string_view mark : {"、", "，", "和", "与", "跟", "及", "分别", "各"}) {
    if (question.find(mark) != std::string_view::npos) return Wanted::kParts;
  }
  const std::string lower = " " + ToLowerUtf8(question);
  for (const std::string_view mark : {" and ", " or ", ", ", "; "}) {
    if (lower.find(mark) != std::string::npos) return Wanted::kParts;
  }
  return WantsSeveral(ReadQuestion(question, 0)) ? Wanted::kSeveral : Wanted::kOne;
}

Tellings TellingSentences(std::span<const std::string> terms, std::span<const double> weights,
                          std::span<const std::string_view> texts, Wanted wanted) {
  Tellings out;
  const bool several = wanted == Wanted::kSeveral;
  const std::size_t limit = several ? kMostSeveral : wanted == Wanted::kParts ? kMostParts : 1;
  double all = 0;
  for (const double weight : weights) all += weight;
  if (all <= 0) return out;
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (const TextRange range : SplitSentences(texts[i])) {
      const std::string_view sentence = texts[i].substr(range.begin, range.end - range.begin);
      if (sentence.size() > kLongest || IsQuestion(sentence)) continue;
      const std::unordered_set<std::string> words = TermSet(sentence);
      Candidate one{{i, OneLine(sentence), 0, 0}, std::vector<bool>(terms.size()), {}};
      for (std::size_t term = 0; term < terms.size(); ++term) {
        one.has[term] = words.contains(terms[term]);
        if (one.has[term]) one.telling.share += weights[term] / all;
      }
      if (one.telling.share < kLeastShare) continue;
      one.words = TermsOf(sentence);
      candidates.push_back(std::move(one));
    }
  }
  std::vector<bool> covered(terms.size());
  std::vector<Candidate> chosen;
  const auto adds = [&](const Candidate& one) {
    double added = 0;
    for (std::size_t term = 0; term < terms.size(); ++term) {
      if (one.has[term] && !covered[term]) added += weights[term] / all;
    }
    return added;
  };
  const auto said_already = [&](const Candidate& one) {
    return std::ranges::any_of(chosen,
                               [&](const Candidate& other) { return one.words == other.words; });
  };
  while (chosen.size() < limit) {
    const Candidate* best = nullptr;
    double most = 0;
    for (const Candidate& one : candidates) {
      const double added = adds(one);
      const double first = chosen.empty() ? 0 : chosen.front().telling.share;
      const bool enough = chosen.empty() ||
                          (added >= kLeastAdded && one.telling.share >= kLeastOfBest * first) ||
                          (several && one.telling.share >= kAboutAsClose * first);
      if (!enough || said_already(one)) continue;
      // Of two that add the same, the one that has more of the question.
      const double worth = added + one.telling.share * 1e-3;
      if (worth > most) {
        most = worth;
        best = &one;
      }
    }
    if (best == nullptr) break;
    chosen.push_back(*best);
    chosen.back().telling.added = adds(*best);
    for (std::size_t term = 0; term < terms.size(); ++term) {
      if (best->has[term]) covered[term] = true;
    }
    out.together += chosen.back().telling.added;
  }
  // As the question asks: by the first word that a sentence has and not all of them have.
  const auto first_own = [&](const Candidate& one) {
    for (std::size_t term = 0; term < terms.size(); ++term) {
      if (one.has[term] &&
          !std::ranges::all_of(chosen, [&](const Candidate& other) { return other.has[term]; })) {
        return term;
      }
    }
    return terms.size();
  };
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t i = 0; i < chosen.size(); ++i) order.emplace_back(first_own(chosen[i]), i);
  std::ranges::sort(order);
  for (const auto& [first, i] : order) out.sentences.push_back(std::move(chosen[i].telling));
  return out;
}

std::vector<std::size_t> LeftOut(const Tellings& tellings, std::string_view question,
                                 std::string_view answer) {
  const std::unordered_set<std::string> asked = TermSet(question), said = TermSet(answer);
  std::vector<Terms> own;
  for (const Telling& one : tellings.sentences) {
    Terms terms = TermsOf(one.sentence);
    std::erase_if(terms, [&](const std::string& term) {
      return asked.contains(term) || HasCharacters(question, term);
    });
    own.push_back(std::move(terms));
  }
  std::vector<std::size_t> left_out;
  for (std::size_t i = 0; i < own.size(); ++i) {
    bool told = false, tells = false;
    for (const std::string& term : own[i]) {
      bool shared = false;
      for (std::size_t j = 0; j < own.size(); ++j) shared |= j != i && own[j].contains(term);
      if (shared) continue;
      tells = true;
      told |= said.contains(term);
    }
    if (tells && !told) left_out.push_back(i);
  }
  return left_out;
}

}  // namespace liubai::memory
