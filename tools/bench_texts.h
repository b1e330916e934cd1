// tools/bench_texts.h: chat turns of our own making for benchmarks, and the memory of this process.
//
// Errors:  none.
// Threads: a generator belongs to one thread.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace liubai::tools {

// What somebody says about a household over a year: 8 to 60 tokens, 35 on average, names, amounts
// and dates among them. The same seed gives the same texts on every machine.
class ChatTurns {
 public:
  explicit ChatTurns(std::uint32_t seed) : random_(seed) {}
  std::string Next();

 private:
  // Not std::uniform_int_distribution, which each standard library computes in its own way.
  std::size_t Below(std::size_t count) { return random_() % count; }
  std::string Sentence();

  std::mt19937 random_;
};

// The most memory that this process has held so far, mapped files that it has read included;
// 0 where the system does not say.
std::uint64_t PeakMemoryBytes();

}  // namespace liubai::tools
