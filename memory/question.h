// memory/question.h: what a question asks for, as far as its words tell, in English and Chinese:
// its kind, the times, names, quotations and numbers in it, and which of its words name a topic.
//
// Errors:  none; any text has a reading, in time linear in its length.
// Threads: free functions without state.
// Units:   UTC milliseconds; text positions are bytes; ranges are half-open.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "memory/date_expression.h"
#include "memory/quantity.h"

namespace liubai::memory {

struct QuestionKind {
  bool about_self = false;       // Of the one who asks: "my", "did I".
  bool about_assistant = false;  // Of what the assistant said: "you recommended", "remind me".
};
QuestionKind ReadQuestion(std::string_view text);

// The last sentence asks.
bool EndsInQuestion(std::string_view text);

// How often a text speaks of the one who says it: "I", "my", "we", "我". What is asked about a
// person later ("how old was I when …") was mostly said in passing, in such a text.
int CountFirstPerson(std::string_view text);

// 0..1: how much a term of a question tells of its topic. "How many weeks ago" says which kind of
// answer is wanted; the texts that hold it need not have these words.
double TopicWeight(std::string_view term);

// What kind of answer is wanted; several may hold.
enum class QuestionTrait : std::uint8_t {
  kCount,         // "how many", 几次
  kTotal,         // A sum: "in total", "how much did I spend", 一共
  kFrequency,     // "how often", 多久一次
  kList,          // "which books", "list all", 哪些
  kOrder,         // "which came first", 先后
  kComparison,    // "older than", "the difference between", 比…大
  kDuration,      // "how long between", 隔了多久
  kSuggestion,    // "can you recommend", 推荐
  kPersonalFact,  // Presupposes what is known of the one who asks: "how old was I when", "my car".
  kCurrent,       // The newest value is wanted: "now", "still", 现在
  kFormer,        // An earlier value: "used to", "originally", 以前
  kAboutSelf,
  kAboutAssistant,
  kYesNo,
  kSeveralHops,  // See QuestionReading::hops.
  kNegated,      // See QuestionReading::negations.
};
inline constexpr int kQuestionTraits = 16;
std::string_view QuestionTraitName(QuestionTrait trait);  // "count", "total", …

enum class AskedFor : std::uint8_t {
  kThing,
  kPerson,
  kTime,
  kPlace,
  kNumber,
  kReason,
  kManner,
  kNothing,  // No question word.
};
std::string_view AskedForName(AskedFor asked);  // "thing", "person", …

struct QuestionName {
  TextPart text;
  std::string name;         // Without a possessive ending.
  int speaker = -1;         // Its place among the speakers that were told, -1: not one of them.
  bool possessive = false;  // "Caroline's", 小李的
};

struct QuestionQuote {
  TextPart text;      // With its marks.
  std::string quote;  // Without them.
};

// A part that has to be found first, for the rest to be asked of it.
struct QuestionHop {
  enum class Kind : std::uint8_t {
    kPossessive,  // "my sister's company", 我姐姐的公司: `part` is "my sister", 我姐姐.
    kClause,      // "the person who taught me": `part` is "person who taught me".
    kEvent,       // "when I moved to Lyon": `part` is "I moved to Lyon".
    kEntity,      // One of several names.
  };
  Kind kind = Kind::kEntity;
  TextPart text;
  std::string part;
};
std::string_view QuestionHopName(QuestionHop::Kind kind);  // "possessive", …

struct QuestionTerm {
  std::string term;     // As QueryTerms gives it.
  double weight = 1.0;  // 0..1, as TopicWeight; less for the words of a time.
};

struct QuestionReading {
  AskedFor asked = AskedFor::kNothing;
  std::uint32_t traits = 0;  // One bit for each QuestionTrait.
  bool Has(QuestionTrait trait) const { return (traits >> static_cast<int>(trait) & 1) != 0; }
  void Add(QuestionTrait trait) { traits |= 1u << static_cast<int>(trait); }

  std::vector<TimeExpression> times;
  std::vector<TextPart> impossible_dates;  // "February 30"
  std::vector<QuestionName> names;
  std::vector<QuestionQuote> quotes;
  std::vector<Quantity> numbers;    // Those of times are left out.
  std::vector<TextPart> negations;  // The words that negate.
  std::vector<QuestionHop> hops;
  std::vector<QuestionTerm> terms;
};

// A question for what holds now, held at a time, or held first.
struct AskedState {
  enum class What : std::uint8_t { kNone, kThen, kNow, kFirst };
  What what = What::kNone;
  std::int64_t at_ms = 0;  // kThen: the end of that time. kNow: the end of all times.
};

// `speakers`: names known from the conversation, found in any case of letters. At most 64 hops and
// 256 terms are told.
QuestionReading ReadQuestion(std::string_view text, std::int64_t now_ms,
                             std::span<const std::string> speakers = {},
                             int utc_offset_minutes = 0);

}  // namespace liubai::memory
