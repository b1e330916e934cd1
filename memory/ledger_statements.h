// memory/ledger_statements.h: a sentence as the finders of statements read it.
//
// Threads: one thread for each sentence.
// Units:   byte offsets into the plain text of the sentence; ranges are half-open.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "memory/ledger.h"

namespace liubai::memory {

class Sentence {
 public:
  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  // `details` holds the values and quotations of `text`; statements are added to it.
  Sentence(std::string_view text, TextRange range, std::vector<Detail>* details);

  // In lower case, with straight apostrophes; what stands in quotation marks or code is blank.
  std::string_view plain() const { return plain_; }
  std::string_view original() const { return sentence_; }
  // Between commas, semicolons, dashes and conjunctions that begin another subject.
  const std::vector<Range>& clauses() const { return clauses_; }
  Range ClauseAt(std::size_t at) const;
  std::string_view Text(Range range) const {
    return plain().substr(range.begin, range.end - range.begin);
  }
  // The end of what goes on at `begin`: up to a Chinese comma, a semicolon, ", but", "because".
  std::size_t EndOf(std::size_t begin) const;
  Range Trimmed(Range range) const;

  // Adds a statement, less the stops at its edges; `covered`, when it is wider, is said by it too.
  void Add(DetailKind kind, Range range, Range covered);
  void Add(DetailKind kind, Range range) { Add(kind, range, range); }
  // A statement that was added says most of it.
  bool IsCovered(Range range) const;
  void Cover(Range range) { covered_.push_back(range); }

  // A value of the kind lies in the range.
  bool Has(DetailKind kind, Range range) const;
  bool HasValue() const;
  bool HasWhen() const;
  bool ValueNotValue() const;
  bool MeasureIn(std::size_t begin, std::size_t end) const;
  bool HasMeasure() const { return MeasureIn(0, plain_.size()); }
  bool TwoOfAKind() const;

 private:
  bool Inside(const Detail& detail) const {
    return detail.begin >= range_.begin && detail.end <= range_.end;
  }
  void PutApostrophes();
  void SplitClauses();

  TextRange range_;
  std::string_view sentence_;
  std::vector<Detail>* details_;
  std::string plain_;
  std::vector<std::uint32_t> origin_;  // Of each byte of plain_, and of its end, in sentence_.
  std::vector<Range> clauses_;
  std::vector<Range> covered_;
};

// Blanks and the signs at the ends of a clause.
inline constexpr std::string_view kEdges = " \t\r\n.,;:!?";
// Up to a blank or a sign.
std::string_view FirstWord(std::string_view text);
bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> list);

// Each in the file of its name: ledger_allergies.cc, ….
void FindAllergies(Sentence& sentence);
void FindRules(Sentence& sentence);
void FindPreferences(Sentence& sentence);
void FindCorrections(Sentence& sentence);
void FindPromises(Sentence& sentence);
void FindOpenQuestions(Sentence& sentence, bool asks);  // ledger_questions.cc
void FindNegations(Sentence& sentence);
// ledger_tastes.cc
void FindReactions(Sentence& sentence);
void FindTastes(Sentence& sentence);

}  // namespace liubai::memory
