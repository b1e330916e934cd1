#include "memory/model_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/macros.h"
#include "core/text.h"
#include "memory/facts.h"
#include "memory/facts_read.h"
#include "memory/ledger.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

constexpr std::size_t kMostSubjects = 24;
constexpr int kMostStatements = 8;  // Of one reading.
constexpr int kMostValueChars = 48;
constexpr int kLeastAnswerTokens = 64;  // For two statements.
constexpr double kConfidence = 0.5;     // The rules' is 0.9.
constexpr std::size_t kLeastBytes = 12;

// "User" without a name, as the rules have it.
std::string SpeakerOf(const Turn& turn) { return turn.speaker.empty() ? "User" : turn.speaker; }

// Attributes whose values are numbers, and those that are numbers or dates.
constexpr std::string_view kNumeric[] = {
    "age",      "turning age",  "past age",           "birth year", "height",
    "weight",   "phone number", "shoe size",          "salary",     "rent",
    "birthday", "anniversary",  "birthday celebrated"};

bool SpeaksOfSpeaker(std::string_view sentence) {
  const std::string lower = ToLowerUtf8(sentence);
  for (const std::string_view word : {"i", "i'm", "i’m", "i've", "i’ve", "i'd", "i’d", "my", "me",
                                      "mine", "we", "we're", "we’re", "we've", "our", "us"}) {
    if (FindWord(lower, word) != lower.npos) return true;
  }
  return words::Holds(lower, {"我", "咱", "俺", "本人"});
}

// The sentence of `text` that holds `value`, with quotations as blanks; empty: none does.
std::string_view SentenceWith(std::string_view value, std::string_view text,
                              std::string_view masked) {
  const std::string wanted = ToLowerUtf8(value);
  for (const TextRange range : SplitSentences(text)) {
    const std::string sentence = ToLowerUtf8(masked.substr(range.begin, range.end - range.begin));
    for (auto at = sentence.find(wanted); at != sentence.npos; at = sentence.find(wanted, at + 1)) {
      // Not within a word: "art" is not said by "start".
      const auto letter = [&](std::size_t i) {
        return i < sentence.size() && IsAsciiWord(static_cast<unsigned char>(sentence[i]));
      };
      const std::size_t end = at + wanted.size();
      if ((at > 0 && letter(at - 1) && letter(at)) || (letter(end - 1) && letter(end))) continue;
      return text.substr(range.begin, range.end - range.begin);
    }
  }
  return {};
}

Grammar FactsGrammar(std::span<const Turn> turns, const std::vector<std::string>& subjects) {
  std::vector<Grammar> ids;
  for (const Turn& turn : turns) ids.push_back(Grammar::Text(fmt::format("{}", turn.id)));
  std::vector<std::string> attributes;
  for (const std::string_view attribute : FactAttributes()) attributes.emplace_back(attribute);
  return Grammar::Object(
      {{"facts",
        Grammar::Array(Grammar::Object({{"turn", Grammar::OneOf(std::move(ids))},
                                        {"subject", Grammar::Enum(subjects)},
                                        {"attribute", Grammar::Enum(std::move(attributes))},
                                        {"value", Grammar::String({1, kMostValueChars, {}})}}),
                       0, kMostStatements)}});
}

constexpr std::string_view kInstruction =
    "Write down what the people below state about themselves or about people they know: age, home, "
    "job, family, pets, health, tastes, plans and the like. Write JSON. Take only what is plainly "
    "said; copy each value from its turn, as few words as possible. Questions, advice and small "
    "talk state nothing: {\"facts\": []}.";

// Two examples of one conversation: something, in both languages, and nothing.
constexpr std::string_view kExample =
    "[1] User: I moved to Lyon in May, and I work as a nurse. How do I find a flat?\n"
    "[2] 小林: 我弟弟养了一只猫，我对花生过敏。\n"
    "[3] User: Thanks, that was a nice evening!";
constexpr std::string_view kExampleAnswer =
    R"({"facts": [{"turn": 1, "subject": "User", "attribute": "home", "value": "Lyon"}, )"
    R"({"turn": 1, "subject": "User", "attribute": "job", "value": "nurse"}, )"
    R"({"turn": 2, "subject": "小林", "attribute": "allergy", "value": "花生"}]})";

std::string Shown(std::span<const Turn> turns) {
  std::string text;
  for (const Turn& turn : turns) {
    std::string line(TruncateUtf8(turn.text, kMostShownBytes));
    std::replace(line.begin(), line.end(), '\n', ' ');
    text += fmt::format("{}[{}] {}: {}", text.empty() ? "" : "\n", turn.id, SpeakerOf(turn), line);
  }
  return text;
}

// The example as an exchange of its own, so that its prefix is computed once for all readings.
Result<std::vector<Segment>> Prompt(const LanguageModel& model, std::span<const Turn> turns) {
  LIUBAI_ASSIGN_OR_RETURN(std::vector<TokenId> tokens, model.ChatOpening(kInstruction, kExample));
  const auto add = [&](const std::vector<TokenId>& more) {
    tokens.insert(tokens.end(), more.begin(), more.end());
  };
  LIUBAI_ASSIGN_OR_RETURN(const auto header, model.ChatReplyHeader());
  LIUBAI_ASSIGN_OR_RETURN(const auto end, model.ChatMessageEnd());
  LIUBAI_ASSIGN_OR_RETURN(const auto message, model.ChatMessage("user", Shown(turns)));
  add(header);
  add(model.Tokenize(kExampleAnswer));
  add(end);
  add(message);
  add(header);
  return std::vector<Segment>{{SegmentKind::kOther, 0, std::move(tokens)}};
}

// Counts `statement` and, where it holds, adds it.
void Check(const nlohmann::json& statement, std::span<const Turn> turns, ModelReading* reading) {
  const auto id = statement["turn"].get<TurnId>();
  const auto subject = statement["subject"].get<std::string>();
  const auto attribute = statement["attribute"].get<std::string>();
  const std::string value(Trim(statement["value"].get<std::string>()));
  const auto turn =
      std::find_if(turns.begin(), turns.end(), [&](const Turn& one) { return one.id == id; });
  const std::string_view shown = TruncateUtf8(turn->text, kMostShownBytes);
  const std::string_view sentence =
      value.empty() ? std::string_view() : SentenceWith(value, shown, MaskQuoted(shown));
  if (sentence.empty() || IsQuestion(sentence)) {
    ++reading->not_said;
    return;
  }
  const bool self = subject == SpeakerOf(*turn);
  if (self ? !SpeaksOfSpeaker(sentence) : shown.find(subject) == shown.npos) {
    ++reading->not_of_subject;
    return;
  }
  const bool numeric = words::Has(kNumeric, attribute);
  // A whole sentence is no value, and a name has no digits in it.
  if ((numeric && NumbersIn(value).empty()) || (attribute == "name" && !NumbersIn(value).empty()) ||
      ToLowerUtf8(value) == ToLowerUtf8(subject) || value.size() * 5 > sentence.size() * 4) {
    ++reading->not_a_value;
    return;
  }
  Fact fact;
  fact.statement = sentence;
  fact.subject = subject;
  fact.attribute = attribute;
  fact.value = value;
  fact.kind = FactKindOf(attribute);
  fact.sources = {id};
  fact.valid_from_ms = turn->time_ms;
  fact.confidence = kConfidence;
  fact.origin = Origin::kSummary;
  fact.trust = std::min(turn->trust, Trust::kModel);
  fact.first_person = self;
  reading->facts.push_back(std::move(fact));
}

}  // namespace

bool MayStateFacts(const Turn& turn) {
  if (turn.role != Role::kUser && turn.speaker.empty()) return false;
  if (turn.role == Role::kSystem || turn.role == Role::kTool) return false;
  const std::string_view shown = TruncateUtf8(turn.text, kMostShownBytes);
  if (shown.size() < kLeastBytes) return false;
  for (const TextRange range : SplitSentences(shown)) {
    if (!IsQuestion(shown.substr(range.begin, range.end - range.begin))) return true;
  }
  return false;
}

std::vector<std::string> SubjectsOf(std::span<const Turn> turns,
                                    std::span<const std::string> known) {
  std::vector<std::string> subjects;
  const auto add = [&](std::string name) {
    if (name.empty() || name.size() > 60 || subjects.size() >= kMostSubjects) return;
    if (std::find(subjects.begin(), subjects.end(), name) == subjects.end()) {
      subjects.push_back(std::move(name));
    }
  };
  for (const Turn& turn : turns) add(SpeakerOf(turn));
  for (const std::string& name : known) {
    for (const Turn& turn : turns) {
      if (turn.text.find(name) != turn.text.npos) add(name);
    }
  }
  for (const Turn& turn : turns) {
    for (const Detail& detail : ExtractDetails(TruncateUtf8(turn.text, kMostShownBytes))) {
      if (detail.kind == DetailKind::kName) add(detail.text);
    }
  }
  return subjects;
}

Result<ModelReading> ReadFactsByModel(LanguageModel& model, std::span<const Turn> turns,
                                      std::span<const std::string> known, std::stop_token stop) {
  ModelReading reading;
  const Grammar grammar = FactsGrammar(turns, SubjectsOf(turns, known));
  SamplingParams sampling;
  LIUBAI_ASSIGN_OR_RETURN(sampling.mask, model.MaskFor(grammar));
  LIUBAI_ASSIGN_OR_RETURN(std::vector<Segment> prompt, Prompt(model, turns));
  if (static_cast<int>(prompt.front().tokens.size()) + kLeastAnswerTokens >
      model.info().context_tokens) {
    reading.cut = true;
    return reading;
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto context, model.NewContext());
  LIUBAI_RETURN_IF_ERROR(context->SetSegments(std::move(prompt)));
  // Enough for any answer, as far as the context has room.
  sampling.max_tokens = static_cast<int>(std::min<std::int64_t>(grammar.max_bytes(), 4096));
  LIUBAI_ASSIGN_OR_RETURN(const Generation generated, context->Generate(sampling, {}, stop));
  reading.tokens = static_cast<int>(generated.tokens.size());
  if (generated.reason == StopReason::kCancelled) {
    return Status(StatusCode::kCancelled, "reading facts made way");
  }
  const auto value = nlohmann::json::parse(generated.text, nullptr, /*allow_exceptions=*/false);
  if (generated.reason != StopReason::kEndOfTurn || value.is_discarded()) {
    reading.cut = true;
    return reading;
  }
  std::set<std::tuple<TurnId, std::string, std::string, std::string>> seen;
  for (const nlohmann::json& statement : value["facts"]) {
    if (!seen.emplace(statement["turn"].get<TurnId>(), statement["subject"].get<std::string>(),
                      statement["attribute"].get<std::string>(),
                      statement["value"].get<std::string>())
             .second) {
      continue;
    }
    ++reading.stated;
    Check(statement, turns, &reading);
  }
  return reading;
}

}  // namespace liubai::memory
