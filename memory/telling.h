// memory/telling.h: of the texts that were recalled for a question, the sentences that tell what it
// asks.
//
// A turn says more than what is asked. A small model that reads several whole turns gives one of
// them back, or answers the first part of the question only; beside the few sentences that together
// have the question's words it finds each part. They are chosen as a cover: the sentence with most
// of the words, by what they tell, then whichever adds most to it. What only repeats the same words
// of somebody or something else adds nothing and stays out, unless several things are asked for.
//
// Threads: free functions without state.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace liubai::memory {

struct Telling {
  std::size_t text = 0;  // Its place among the texts.
  std::string sentence;
  double share = 0;  // 0..1: of the question's words, by weight.
  double added = 0;  // Of those, what no sentence before it has.
};

struct Tellings {
  std::vector<Telling> sentences;  // In the order of the question's words.
  double together = 0;             // 0..1: the words that they have, all together.
};

enum class Wanted {
  kOne,
  kParts,    // "the numbers of X and of Y": a sentence for each part.
  kSeveral,  // "which books", "how many times": all that are about as close as the best.
};
Wanted WantedBy(std::string_view question);

// `terms`, `weights`: the question's words and how much each tells.
Tellings TellingSentences(std::span<const std::string> terms, std::span<const double> weights,
                          std::span<const std::string_view> texts, Wanted wanted);

// A Chinese term of which each character stands somewhere in `text`: 签租 in 签了租约, or the
// border of two words of a question, 司在 of 公司在. Other terms: false. REQUIRES: a term is not
// empty.
bool HasCharacters(std::string_view text, std::string_view term);

// The sentences of which an answer has nothing that the question and the others do not have, too.
std::vector<std::size_t> LeftOut(const Tellings& tellings, std::string_view question,
                                 std::string_view answer);

}  // namespace liubai::memory
