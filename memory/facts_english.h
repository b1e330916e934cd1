// memory/facts_english.h: the words of an English sentence, and how values are read from them.
//
// Threads: one thread for each sentence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "memory/facts_read.h"

namespace liubai::memory {

struct EnglishWord {
  std::string text;
  std::string lower;  // Contractions are undone: "I'm" is "i", "am".
  std::size_t begin = 0;
  std::size_t end = 0;
  bool capital = false;
  bool stop = false;  // Punctuation.
};
std::vector<EnglishWord> EnglishWords(std::string_view sentence);

struct EnglishValue {
  std::string text;     // "": there is none.
  std::size_t end = 0;  // The word after it.
};

// Reads values at a word of one sentence.
class EnglishValues {
 public:
  explicit EnglishValues(const std::vector<EnglishWord>& words, std::string_view sentence)
      : words_(words), sentence_(sentence) {}

  const std::string& Lower(std::size_t i) const;
  bool Stop(std::size_t i) const { return i >= words_.size() || words_[i].stop; }
  bool Capital(std::size_t i) const { return i < words_.size() && words_[i].capital; }
  // The words as they were written.
  std::string Text(std::size_t begin, std::size_t end) const;

  bool IsNameAt(std::size_t i) const;  // A capitalised word that is no common word.
  EnglishValue Name(std::size_t i) const;
  EnglishValue Place(std::size_t i) const;
  EnglishValue Organisation(std::size_t i) const;
  EnglishValue Job(std::size_t i) const;  // "a senior software engineer"
  EnglishValue Noun(std::size_t i, std::size_t most = 7) const;
  EnglishValue Thing(std::size_t i, std::string_view* attribute) const;
  EnglishValue Named(std::size_t i) const;  // "named Max", "called Max", ", Max,"
  EnglishValue Date(std::size_t i) const;
  EnglishValue Rest(std::size_t i, std::size_t most = 14) const;
  // Parts of "A, B and C", each as Noun.
  std::vector<std::string> List(std::size_t i) const;
  // An age: "34", "thirty-four", and that nothing else is counted by it.
  int Age(std::size_t i, std::size_t* end) const;
  std::string_view JobHead(std::size_t i) const;

 private:
  const std::vector<EnglishWord>& words_;
  std::string_view sentence_;
};

}  // namespace liubai::memory
