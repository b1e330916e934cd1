// tools/needle_text.h: long texts of our own making with facts hidden in them, for measuring how
// well a fact is found again by the length of the text and the place of the fact.
//
// The filler is prose on ten quiet subjects, English or Chinese, put together from phrases by a
// seeded generator; a longer text begins with the shorter ones of the same seed. Needles are
// sentences of a kind that the filler has none of; those that are asked for stand at the asked
// depth, between two sentences.
//
// Threads: values; a generator belongs to one thread.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace liubai::tools {

// The same seed gives the same sentences on every machine.
class FillerSentences {
 public:
  FillerSentences(bool chinese, std::uint32_t seed) : chinese_(chinese), random_(seed) {}
  std::string Next();

 private:
  // Not std::uniform_int_distribution, which each standard library computes in its own way.
  std::size_t Below(std::size_t count) { return random_() % count; }

  bool chinese_;
  std::mt19937 random_;
  std::size_t last_subject_ = 0;
};

// What is hidden and asked. After RULER (Hsieh et al. 2024, arXiv:2404.06654), with sentences that
// are alike instead of noise.
enum class NeedleTask {
  kSingle,       // One fact, nothing like it in the text.
  kDistractors,  // One fact among five that are alike: other people, other values, the same words.
  kValues,       // One person, three values said apart; all are asked for.
  kQueries,      // Two facts among four that are alike; one question asks for both.
};
inline constexpr std::string_view kNeedleTasks[] = {"single", "distractors", "values", "queries"};

struct Needle {
  std::string sentence;
  double place = 0;  // 0: before the first sentence of the text; 1: after the last.
};

struct NeedleQuestion {
  NeedleTask task = NeedleTask::kSingle;
  std::string question;
  std::vector<std::string> references;  // Each is to be found in the answer.
};

struct Haystack {
  std::vector<Needle> needles;
  std::vector<NeedleQuestion> questions;  // One of each task.
};

// Needles for all tasks: what is asked for at `depth` (0..1) or, where it is several things, that
// and evenly away from it; what is alike at places that do not depend on `depth`.
Haystack MakeHaystack(bool chinese, std::uint32_t seed, double depth);

// `sentences` of filler with the needles between them, in paragraphs of `per_paragraph` filler
// sentences: what one turn says.
std::vector<std::string> Paragraphs(const std::vector<std::string>& sentences,
                                    const std::vector<Needle>& needles, bool chinese,
                                    std::size_t per_paragraph);

// RULER's score: the share of the references that are in the answer, whatever their case.
double ReferencesFound(const std::vector<std::string>& references, std::string_view answer);

}  // namespace liubai::tools
