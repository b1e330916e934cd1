// engine/grammar.h: a Grammar compiled to an automaton over bytes.
//
// A state is a set of threads, each a place in a flat program with counters for the arrays that it
// is in, the characters of its string, and the code point or number that has begun. All counts are
// bounded and the shapes do not recur, so there is no stack. Alternatives that begin alike run
// beside each other until they differ; literals are merged into a tree beforehand, so that a long
// list of them is one thread.
//
// No thread stands where its shape could not be completed: Step drops it at the byte that would
// lead there.
//
// Errors:  Compile: kInvalidArgument as Grammar::Validate says.
// Threads: const methods may run together.
// Units:   lengths are code points.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "liubai/grammar.h"
#include "liubai/status.h"

namespace liubai {

// A part of a grammar as it was given.
struct Grammar::Node {
  enum class Kind : std::uint8_t {
    kString,
    kEnum,
    kInteger,
    kArray,
    kObject,
    kOneOf,
    kText,
    kSequence
  };
  Kind kind = Kind::kText;
  StringShape shape;
  std::vector<std::string> texts;  // Of an enumeration; keys of an object; the text.
  std::int64_t least = 0, most = 0;
  std::vector<Grammar> parts;  // Items, values of members, alternatives.
  int depth = 1;               // Of nodes within one another.
};

namespace engine {

// Of all code points those that a string may hold, in ranges that neither touch nor overlap.
class CharClass {
 public:
  explicit CharClass(std::vector<CodePointRange> allowed);  // Empty: all but control characters.

  bool Contains(char32_t point) const { return Meets(point, point); }
  bool Meets(char32_t first, char32_t last) const;  // Some code point of first..last.
  const std::vector<CodePointRange>& ranges() const { return ranges_; }

  // A place within the text of a string.
  struct Place {
    std::uint8_t pending = 0;  // Bytes that the code point still needs; kEscape after a backslash.
    std::uint8_t length = 0;   // Of that code point in all.
    std::uint32_t point = 0;   // Its bits so far.
    auto operator<=>(const Place&) const = default;
  };
  static constexpr std::uint8_t kEscape = 0xff;
  // Goes on with `byte`, which is no closing quote; false: no string of this class does. `begun` is
  // set where a character begins.
  bool Step(unsigned char byte, Place* place, bool* begun) const;

 private:
  std::vector<CodePointRange> ranges_;
  bool escapes_ = false;  // Some character of it can be written as an escape.
};

class GrammarAutomaton {
 public:
  static constexpr std::size_t kMaxDepth = 4;  // Arrays within one another.

  struct Thread {
    std::uint32_t at = 0;  // The instruction.
    std::array<std::uint16_t, kMaxDepth> items{};
    std::uint32_t chars = 0;  // Of the string, begun ones included.
    CharClass::Place place;
    std::int64_t number = 0;  // Of an integer so far, without its sign.
    std::uint8_t digits = 0;  // 0: none; 1: a sign; 2: digits.
    bool negative = false;
    auto operator<=>(const Thread&) const = default;
  };
  using State = std::vector<Thread>;  // In order, without repetition; empty: dead.

  static Result<GrammarAutomaton> Compile(const Grammar& grammar);

  State Start() const;
  // `next` takes its memory along; REQUIRES: it is not `state`.
  void Step(const State& state, unsigned char byte, State* next) const;
  bool Complete(const State& state) const;  // The value may end here.
  bool WithinCharacter(const State& state) const;
  bool Needs(int byte) const;  // Some literal of the grammar holds it.

  // Where `state` is one thread at the beginning of a character of a string.
  struct InString {
    std::size_t char_class = 0;
    std::uint32_t room = 0;  // Characters that may still come.
  };
  bool IsInString(const State& state, InString* out) const;
  const std::vector<CharClass>& classes() const { return classes_; }

  // Equal for states from which the same continuations of at most `reach` bytes are allowed.
  std::string Key(const State& state, std::uint32_t reach) const;

 private:
  enum class Op : std::uint8_t { kByte, kChars, kInteger, kSplit, kJump, kBegin, kNext, kAccept };
  struct Instruction {
    Op op = Op::kAccept;
    std::uint32_t a = 0;  // Byte; string; number; first target; target; depth; loop.
    std::uint32_t b = 0;  // Number of targets.
  };
  struct Chars {
    std::uint32_t char_class = 0, min = 0, max = 0;
  };
  struct Loop {
    std::uint32_t depth = 0, min = 0, max = 0, again = 0, leave = 0;
  };
  friend class GrammarCompiler;

  void Enter(Thread thread, State* state) const;
  static bool StepNumber(unsigned char byte, std::int64_t least, std::int64_t most, Thread* thread);

  std::vector<Instruction> program_;
  std::vector<std::uint32_t> targets_;
  std::vector<CharClass> classes_;
  std::vector<Chars> chars_;
  std::vector<std::pair<std::int64_t, std::int64_t>> numbers_;
  std::vector<Loop> loops_;
};

}  // namespace engine
}  // namespace liubai
