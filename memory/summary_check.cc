#include "memory/summary_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/text.h"
#include "memory/essence.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/said.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

// Words that a summary needs and a conversation does not: they prove nothing either way.
constexpr std::string_view kSummaryWords =
    "user users assistant conversation summary told tells tell said says say mentioned mentions "
    "mention asked asks ask discussed discuss decided decides decide talked talks talk stated "
    "shared explained wants wanted plans planned also about additionally finally half past quarter";
constexpr std::string_view kChineseSummaryWords[] = {
    "用户", "助手", "对话", "总结", "提到", "决定", "讨论", "告诉", "询问", "希望",
    "表示", "谈到", "介绍", "建议", "说了", "说明", "他们", "她们", "并且", "以及"};

bool IsValue(DetailKind kind) {
  return kind == DetailKind::kNumber || kind == DetailKind::kMoney ||
         kind == DetailKind::kPercent || kind == DetailKind::kDate || kind == DetailKind::kTime;
}

// Words of the sentence but those of summaries and of values, which are compared as what they
// amount to.
std::string OwnWords(std::string sentence) {
  for (const Detail& detail : ExtractDetails(sentence)) {
    if (IsValue(detail.kind)) sentence = Without(sentence, detail.text);
  }
  for (std::string_view word : kChineseSummaryWords) sentence = Without(sentence, word);
  return sentence;
}
const Terms& Boilerplate() {
  static const Terms kTerms = TermsOf(kSummaryWords);
  return kTerms;
}

Terms OwnTerms(std::string sentence) {
  sentence = OwnWords(std::move(sentence));
  Terms terms = TermsOf(sentence);
  std::erase_if(terms, [](const std::string& term) { return Boilerplate().contains(term); });
  return terms;
}

// "u:week:3" of `values` without the 3, or nothing: another of its kind was said of that number.
bool SaidOtherwise(const Values& values, std::string_view kind, std::string_view rest) {
  return std::any_of(values.begin(), values.end(), [&](const std::string& value) {
    return value.starts_with(kind) && value.ends_with(rest);
  });
}

// A number, an amount, a date or a time that no turn holds.
bool InventsValue(std::string_view sentence, const Said& said) {
  for (const std::string& value : ValuesOf(sentence)) {
    if (value.starts_with("n:")) {
      if (!said.numbers.contains(value.substr(2))) return true;
    } else if (said.values.contains(value)) {
      continue;
    } else if (value.starts_with("u:")) {
      // A unit that the turn leaves out is no invention; another one is.
      if (SaidOtherwise(said.values, "u:", value.substr(value.rfind(':')))) return true;
    } else if (value.starts_with("ap:")) {
      const std::string time = value.substr(0, value.rfind(':'));
      if (SaidOtherwise(said.values, time, "m")) return true;
    } else {
      return true;
    }
  }
  // Digits of no detail, such as those of a list.
  std::string rest(sentence);
  for (const Detail& detail : ExtractDetails(sentence)) {
    if (!IsStatement(detail.kind) && detail.kind != DetailKind::kQuote)
      rest = Without(rest, detail.text);
  }
  for (const std::string& number : NumbersIn(rest)) {
    if (number != "1" && !said.numbers.contains(number)) return true;
  }
  return false;
}

bool InventsLiteral(std::string_view sentence, const Said& said) {
  for (const Detail& detail : ExtractDetails(sentence)) {
    const bool literal = IsNameKind(detail.kind) || detail.kind == DetailKind::kEmail ||
                         detail.kind == DetailKind::kUrl || detail.kind == DetailKind::kFile ||
                         detail.kind == DetailKind::kPhone || detail.kind == DetailKind::kCode ||
                         detail.kind == DetailKind::kIdentifier ||
                         detail.kind == DetailKind::kQuote;
    if (!literal) continue;
    std::string value = ToLowerUtf8(Straight(detail.text));
    if (detail.kind == DetailKind::kQuote) {
      // Its last mark may be the summary's own.
      value = std::string(TrimmedView(value, "\"' .,!?"));
    }
    if (said.text.find(value) != std::string::npos) continue;
    if (!IsNameKind(detail.kind)) return true;
    if (value == "user" || value == "assistant") continue;
    const std::string plain = PlainName(value);
    if (!plain.empty() && said.names.find(fmt::format(" {} ", plain)) != std::string::npos)
      continue;
    // One word at the beginning may be no name at all, but another form of a word that was said.
    bool another_form = sentence.starts_with(detail.text) && value.find(' ') == std::string::npos;
    if (another_form) {
      const auto terms = QueryTerms(value);
      another_form = std::any_of(said.words.begin(), said.words.end(), [&](const auto& words) {
        return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const auto& term) {
          return words.contains(term);
        });
      });
    }
    if (!another_form) return true;
  }
  return false;
}

// Where a value was said.
struct Place {
  const SaidTurn* turn;
  std::size_t sentence;
  const SaidSentence& said() const { return turn->sentences[sentence]; }
};

std::vector<Place> PlacesOf(const Detail& detail, const Said& said) {
  Values values = ValuesOf(detail);
  // The half of the day, a unit and a year may be known from elsewhere.
  const bool dated = detail.kind == DetailKind::kDate && values.size() > 1;
  std::erase_if(values, [&](const std::string& value) {
    return value.starts_with("ap:") || value.starts_with("u:") || value.starts_with("m:") ||
           (dated && value.starts_with("n:"));
  });
  const std::string literal = ToLowerUtf8(Straight(detail.text));
  std::vector<Place> places;
  for (const SaidTurn& turn : said.turns) {
    for (std::size_t i = 0; i < turn.sentences.size(); ++i) {
      const SaidSentence& sentence = turn.sentences[i];
      const bool holds = values.empty()
                             ? sentence.text.find(literal) != std::string::npos
                             : std::includes(sentence.values.begin(), sentence.values.end(),
                                             values.begin(), values.end());
      if (holds) places.push_back({&turn, i});
    }
  }
  return places;
}

bool Names(const SaidSentence& sentence, const std::string& name) {
  return sentence.names.find(fmt::format(" {} ", name)) != std::string::npos ||
         (!name.empty() && static_cast<unsigned char>(name[0]) >= 0x80 &&
          sentence.text.find(name) != std::string::npos);
}

// The value and the name stand in one sentence, or in one and the next of which the one with the
// value does not say itself who it speaks of; or the one who is named says it.
bool SaidOf(const Place& place, const std::string& name) {
  if (Names(place.said(), name) || place.turn->speaker == name) return true;
  if (place.said().first_person || (place.said().names_somebody && !place.said().pronoun))
    return false;
  const auto& sentences = place.turn->sentences;
  if (place.sentence > 0 && Names(sentences[place.sentence - 1], name)) return true;
  return place.sentence + 1 < sentences.size() && Names(sentences[place.sentence + 1], name);
}

constexpr std::string_view kReports[] = {
    "said",    "says",     "told",  "tells",     "mentioned", "mentions", "asked",   "asks",
    "noted",   "notes",    "wrote", "explained", "shared",    "stated",   "reports", "reported",
    "learned", "informed", "heard", "confirmed", "discussed", "talks",    "talked",  "mention"};
constexpr std::string_view kChineseReports[] = {"说",   "提到", "告诉", "问",   "表示", "谈到",
                                                "介绍", "讨论", "知道", "听说", "确认"};

// Whose the sentence says that a thing is: begins with the user or the assistant and goes on to
// what they did, not to what they told of others.
enum class Doer : std::uint8_t { kOther, kUser, kAssistant };
Doer DoerOf(std::string_view lower, const Said& said) {
  if (HasAnyWord(lower, kReports) || words::Holds(lower, kChineseReports)) return Doer::kOther;
  for (std::string_view lead : {"the user", "user ", "用户"}) {
    if (lower.starts_with(lead)) return Doer::kUser;
  }
  for (std::string_view lead : {"the assistant", "assistant ", "助手"}) {
    if (lower.starts_with(lead)) return Doer::kAssistant;
  }
  for (const SaidTurn& turn : said.turns) {
    if (turn.role == Role::kUser && !turn.speaker.empty() && lower.starts_with(turn.speaker))
      return Doer::kUser;
  }
  return Doer::kOther;
}

bool DidIt(const Place& place, Doer doer) {
  const SaidSentence& sentence = place.said();
  const bool by_user = place.turn->role == Role::kUser;
  if (doer == Doer::kAssistant) return !by_user || sentence.second_person;
  if (!by_user) return sentence.second_person || !sentence.names_somebody;
  return sentence.first_person || !sentence.names_somebody;
}

// What the sentence begins with, if the turns have it somewhere: mostly what it is about.
std::string LeadTerm(std::string_view sentence, const Said& said) {
  for (const std::string& term : QueryTerms(OwnWords(std::string(sentence)))) {
    if (Boilerplate().contains(term)) continue;
    const bool known = std::any_of(said.words.begin(), said.words.end(),
                                   [&](const auto& words) { return words.contains(term); });
    return known ? term : "";
  }
  return "";
}

// As SaidOf, for any word.
bool LeadsTo(const Place& place, const std::string& lead) {
  const auto& sentences = place.turn->sentences;
  if (place.said().terms.contains(lead)) return true;
  if (place.said().first_person && place.turn->role == Role::kUser &&
      place.said().text.find("我") != std::string::npos)
    return false;
  if (place.said().first_person || place.said().second_person) return true;
  return (place.sentence > 0 && sentences[place.sentence - 1].terms.contains(lead)) ||
         (place.sentence + 1 < sentences.size() &&
          sentences[place.sentence + 1].terms.contains(lead));
}

// 用户的车 where the turn has 汤姆的车.
bool OwnedByAnother(std::string_view sentence, std::string_view said) {
  constexpr std::string_view kOwned = "用户的", kOf = "的";
  const auto at = sentence.find(kOwned);
  if (at == sentence.npos || sentence.size() < at + kOwned.size() + 3) return false;
  const std::string_view thing = sentence.substr(at + kOwned.size(), 3);
  for (auto found = said.find(thing); found != said.npos; found = said.find(thing, found + 1)) {
    if (found < kOf.size() + 3 || said.substr(found - kOf.size(), kOf.size()) != kOf) return false;
    const std::string_view owner = said.substr(found - kOf.size() - 3, 3);
    if (owner == "我" || owner == "们" || owner == "家" || owner == "己") return false;
  }
  return said.find(thing) != said.npos;
}

// A value that was said of somebody else than the one it is told of here.
bool MixesUp(std::string_view sentence, const Said& said) {
  const std::string lower = ToLowerUtf8(Straight(sentence));
  const Doer doer = DoerOf(lower, said);
  auto names = NamesOf(sentence);
  std::erase_if(names, [&](const auto& name) {
    return name.second == "user" || name.second == "assistant" ||
           std::any_of(said.turns.begin(), said.turns.end(), [&](const SaidTurn& turn) {
             return turn.speaker == name.second && turn.role == Role::kUser;
           });
  });
  const std::string lead = LeadTerm(sentence, said);
  const std::vector<Detail> details = ExtractDetails(sentence);
  for (const Detail& detail : details) {
    if (detail.kind == DetailKind::kName || IsStatement(detail.kind)) continue;
    const std::vector<Place> places = PlacesOf(detail, said);
    if (places.empty()) continue;  // Known from a turn's date, or as parts.
    // The nearest name before it, else the first behind it.
    const std::string* name = nullptr;
    for (const auto& [at, one] : names) {
      if (at < detail.begin || name == nullptr) name = &one;
    }
    const bool holds = std::any_of(places.begin(), places.end(), [&](const Place& place) {
      if (name != nullptr && !SaidOf(place, *name)) return false;
      if (name == nullptr && !lead.empty() && !LeadsTo(place, lead)) return false;
      if (doer == Doer::kUser && OwnedByAnother(lower, place.said().text)) return false;
      return doer == Doer::kOther || name != nullptr || DidIt(place, doer);
    });
    if (!holds) return true;
  }
  return false;
}

// What was said with a "not" is told without it, or the other way round.
bool TurnsAround(const std::string& sentence, const Said& said) {
  const Terms terms = OwnTerms(sentence);
  if (terms.empty()) return false;
  const bool denies = Denies(sentence);
  bool other = false;
  for (const SaidTurn& turn : said.turns) {
    for (const SaidSentence& one : turn.sentences) {
      if (Shared(terms, one.terms) * 3 < terms.size() * 2) continue;
      if (one.denies == denies) return false;
      other = true;
    }
  }
  return other;
}

// Most of its words must be those of one turn: a small model likes to sum up its instructions
// instead, and to join what two turns said.
bool SpeaksOfElse(const std::string& sentence, const Said& said) {
  const Terms terms = OwnTerms(sentence);
  std::vector<std::vector<Place>> values;  // A value is as good as a word.
  for (const Detail& detail : ExtractDetails(sentence)) {
    if (IsValue(detail.kind)) values.push_back(PlacesOf(detail, said));
  }
  std::size_t most = 0;
  for (std::size_t i = 0; i < said.words.size(); ++i) {
    std::size_t known = 0;
    for (const std::string& term : terms) known += said.words[i].contains(term);
    for (const auto& places : values) {
      known += std::any_of(places.begin(), places.end(),
                           [&](const Place& place) { return place.turn == &said.turns[i]; });
    }
    most = std::max(most, known);
  }
  const std::size_t all = terms.size() + values.size();
  if (all < 3) return most == 0;
  // Pairs of characters fit a paraphrase less often than words do.
  return MostlyChinese(sentence) ? most * 2 < all : most * 5 < all * 3;
}

// "- ", "* " and "2. " before a line of a list.
std::string_view WithoutListMark(std::string_view line) {
  line = Trim(line);
  if (line.starts_with("- ") || line.starts_with("* ")) return Trim(line.substr(2));
  std::size_t digits = 0;
  while (digits < line.size() && IsAsciiDigit(static_cast<unsigned char>(line[digits]))) ++digits;
  const std::string_view rest = line.substr(digits);
  const bool mark = digits > 0 && digits <= 2 && (rest.starts_with(". ") || rest.starts_with(") "));
  return mark ? Trim(rest.substr(2)) : line;
}

// The turn that says exactly this, or null.
const Turn* SaidBy(const std::string& sentence, const std::vector<Turn>& turns) {
  const auto turn = std::find_if(turns.begin(), turns.end(), [&](const Turn& one) {
    return OneLine(one.text).find(sentence) != std::string::npos;
  });
  return turn == turns.end() ? nullptr : &*turn;
}

// "I", "my", 我: said by the one who says it.
bool SpeaksOfItself(std::string_view sentence) { return IsSelf(ToLowerUtf8(Straight(sentence))); }

constexpr std::string_view kBreaksOff = "it breaks off";
constexpr std::string_view kOfElse = "not what one turn says";

// Why a sentence is left out; empty: it is not. `verbatim`: a turn has it as it is.
std::string_view FaultOf(const std::string& sentence, const Said& said, bool verbatim) {
  if (sentence.ends_with("…")) return kBreaksOff;
  if (InventsValue(sentence, said)) return "a value that no turn holds";
  if (InventsLiteral(sentence, said)) return "a name or words that no turn holds";
  if (verbatim) return "";
  if (SpeaksOfElse(sentence, said)) return kOfElse;
  if (MixesUp(sentence, said)) return "a value of somebody else";
  if (TurnsAround(sentence, said)) return "the contrary of what was said";
  return "";
}

}  // namespace

std::vector<std::string> CheckedSentences(std::string_view summary, const std::vector<Turn>& turns,
                                          std::vector<std::string>* rejected, int* wrong) {
  const Said said = ReadTurns(turns);
  std::vector<std::string> checked;
  std::unordered_set<std::string> seen;
  for (std::size_t at = 0; at < summary.size();) {
    const std::size_t end = std::min(summary.find('\n', at), summary.size());
    const std::string_view line = WithoutListMark(summary.substr(at, end - at));
    at = end + 1;
    for (const TextRange range : SplitSentences(line)) {
      std::string sentence = OneLine(line.substr(range.begin, range.end - range.begin));
      if (!seen.insert(ToLowerUtf8(sentence)).second || IsSmallTalk(sentence)) continue;
      const Turn* source = SpeaksOfItself(sentence) ? SaidBy(sentence, turns) : nullptr;
      const std::string_view fault = FaultOf(sentence, said, source != nullptr);
      if (!fault.empty()) {
        if (wrong != nullptr) *wrong += fault != kBreaksOff && fault != kOfElse;
        if (rejected != nullptr) rejected->push_back(fmt::format("{} [{}]", sentence, fault));
        continue;
      }
      checked.push_back(source == nullptr ? std::move(sentence)
                                          : fmt::format("{}: {}", SpeakerOf(*source), sentence));
    }
  }
  return checked;
}

std::string CheckedSummary(std::string_view summary, const std::vector<Turn>& turns,
                           std::vector<std::string>* rejected) {
  std::string text;
  for (const std::string& sentence : CheckedSentences(summary, turns, rejected)) {
    if (!text.empty()) text += ' ';
    text += sentence;
  }
  return text;
}

}  // namespace liubai::memory
