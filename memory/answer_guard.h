// memory/answer_guard.h: whether a message asks the memory, and whether the answer is made up.
//
// A small model that does not find the answer in its context makes one up, and its probabilities
// betray it: the tokens of a value that is copied from the context are nearly certain, those of an
// invented one are not. So numbers, names and other values of an answer from memory are watched
// while they are generated, and the reply breaks off before one that is too improbable. How
// probable it must be depends on where it was said: in a turn that speaks of what was asked, less
// is enough; in one that does not, or nowhere, it must be all but certain; in one about somebody
// else only, it is refused. (That low token probability marks missing knowledge is also what FLARE
// acts on, Jiang et al. 2023, arXiv:2305.06983; it retrieves, this refuses.)
//
// Threads: a value; one generation each.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace liubai::memory {

// A question about what was said or about the people of the conversation, and not about the world:
// "What is my rule …?", "我的牙医叫什么？"; not "How long do potatoes cook?".
bool AsksMemory(std::string_view text);

// Names in an English question, as search terms: capitalised words that do not begin a sentence,
// days and months left out.
std::vector<std::string> NamesIn(std::string_view text);

// What an answer may be taken from: a recalled turn, one of the window, a block, an essence.
struct Evidence {
  std::string text;
  double about = 0;   // 0..1: which share of the question's words it has, by what they tell.
  bool part = false;  // Of a question of several parts: it has the names of its own part only.
};

class AnswerGuard {
 public:
  // `least`: the joint probability, 0..1, of a value whose evidence is about nothing but a little
  // of the question. 0: every value passes.
  AnswerGuard(std::string_view question, double least, std::vector<Evidence> evidence);

  // The next token of the reply, its bytes and probability; false: the value that it belongs to is
  // too improbable, and the reply should end where that value began.
  bool Accept(std::string_view piece, double probability);

  // A value is under way: its text is not to be shown yet.
  bool in_value() const { return in_value_; }
  // Tokens before the value that is under way or was refused.
  std::size_t tokens_before() const { return value_begin_; }

 private:
  struct Source {
    std::string text;                  // Folded.
    std::vector<std::string> numbers;  // All, in one form.
    double about;
    bool of_others;  // Lacks a name that the question has.
  };

  bool StartsSentence() const;
  // The probability that `value`, or what of it is there, must have.
  double Needed(std::string_view value) const;

  std::string question_;  // Lower case.
  double least_;
  std::vector<Source> sources_;
  std::string text_;   // Of the reply so far.
  std::string value_;  // Under way.
  std::size_t tokens_ = 0;
  std::size_t value_begin_ = 0;
  bool in_value_ = false;
  double probability_ = 1;
};

// Whether a reply only gives the message back, in its words or nearly: what a small model does that
// has nothing to say, and then goes on doing, since it sees that it did.
class EchoWatch {
 public:
  // `asks`: the answer may begin with the question's own words ("My rule is …").
  EchoWatch(std::string_view message, bool asks);
  // The next token's bytes; false: this is an echo.
  bool Accept(std::string_view piece);
  // Neither clear nor an echo yet: not to be shown.
  bool undecided() const { return undecided_; }
  // Of the reply as it is, when it has ended.
  bool IsEcho() const;

 private:
  std::u32string message_;  // Letters and digits, folded.
  std::u32string reply_;
  std::string bytes_;  // Of the reply, which tokens may cut inside a character.
  std::size_t enough_ = 0;
  double nearly_ = 0;
  bool undecided_ = true;
};

// "I don't know" and its kin: such replies, recalled, only teach the model to repeat them.
bool SaysUnknown(std::string_view text);

// What the reply ends with when it breaks off after `shown`, which may be empty.
std::string BreakOff(std::string_view shown, bool chinese);

}  // namespace liubai::memory
