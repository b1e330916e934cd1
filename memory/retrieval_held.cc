// Of several turns that tell of one thing, which told what held at the time that is asked of.
//
// "What was our rent in June?" is answered by the last turn on the rent before the end of June, and
// that is seldom a turn of June: a state lasts from the turn that tells of it to the next one. "Our
// rent now" is the last of all, "our first rent" the oldest.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>

#include "core/text.h"
#include "memory/ledger_scan.h"
#include "memory/question.h"
#include "memory/retrieval_impl.h"
#include "memory/retrieval_list.h"

namespace liubai::inline v1 {
namespace {

using memory::QuestionReading;
using memory::QuestionTrait;

// Of the best match of the question's words: from here on two turns speak of one thing.
constexpr double kSameThing = 0.45;
constexpr double kNewsNear = 0.8;  // As near as this to the best match, it may be news.
constexpr double kNext = 0.5;       // What the next older turn counts beside the one that held.
constexpr int kShort_bytes = 80;
constexpr double kLater = -1.0;  // What is told later holds later.

// "was", "did we live": what lasted, and not what happened.
bool AsksForState(std::string_view text, const QuestionReading& reading) {
  if (memory::WantsSeveral(reading) || reading.Has(QuestionTrait::kOrder) ||
      reading.Has(QuestionTrait::kDuration)) {
    return false;
  }
  const std::string lower = fmt::format(" {} ", ToLowerUtf8(text));
  static constexpr std::string_view kStates[] = {
      // The past of "to be" with what it is said of.
      " was my ", " were my ", " was our ", " were our ", " was the ", " were the ", " was his ",
      " was her ", " was their ", " were in my ", " were in our ",
      // Verbs of what goes on.
      " did i live ", " did we live ", " live in ", " did i work ", " work for ", " work at ",
      " did i have ", " did we have ", " did i own ", " did i use ", " did we use ",
      " did i drive ", " did i pay ", " did we pay ", " did i weigh ", " did i earn ",
      " did i like ", " did i prefer ", " did i get to work ", " did i listen to ",
      " was i working ", " were we living ", " was i living ", " did i take ", " belong to ",
      " cost ",
      // Chinese has no tense: what is, is a state.
      "是谁", "是什么", "是多少", "叫什么", "住在", "住哪", "在哪里上班", "在哪家", "在哪工作",
      "多少钱", "用的是", "开的是", "是哪", "有多少", "有几", "姓什么", "最喜欢", "最爱", "偏爱",
      "听什么", "喝什么", "怎么去", "怎么上班", "挣多少", "赚多少", "哪家", "住什么地方"};
  return std::ranges::any_of(
      kStates, [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

// "In June": a state of that time is asked for.
bool HeldAtTime(std::string_view text, const QuestionReading& reading) {
  return std::ranges::any_of(reading.times,
                             [](const memory::TimeExpression& time) {
                               return time.relation == memory::TimeRelation::kWithin;
                             }) &&
         AsksForState(text, reading);
}

// Where any of `phrases` stands in `text`.
template <class Phrases>
std::vector<memory::TextPart> PlacesOf(const Phrases& phrases, std::string_view text) {
  std::vector<memory::TextPart> parts;
  const std::string lower = ToLowerUtf8(text);
  if (lower.size() != text.size()) return parts;  // Positions would not be those of the text.
  for (const std::string_view phrase : phrases) {
    const bool ascii = static_cast<unsigned char>(phrase[0]) < 0x80;
    const std::size_t at = ascii ? memory::FindWord(lower, phrase) : lower.find(phrase);
    if (at == std::string::npos) continue;
    parts.push_back(
        {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + phrase.size())});
  }
  return parts;
}

// The words that ask for what holds today.
std::vector<memory::TextPart> WordsForNow(std::string_view text) {
  static constexpr std::string_view kNow[] = {
      "at present", "at the moment", "right now", "currently", "these days", "nowadays",
      "now",        "现在",          "目前",      "如今",      "眼下",       "当前"};
  return PlacesOf(kNow, text);
}

// The words that ask for what held first.
std::vector<memory::TextPart> WordsForFirst(std::string_view text) {
  static constexpr std::string_view kFirst[] = {
      "at first",   "at the start", "at the beginning", "in the beginning",
      "originally", "initially",    "original",         "initial",
      "最初",       "一开始",       "刚开始",           "起初",
      "当初",       "原先"};
  return PlacesOf(kFirst, text);
}

}  // namespace

std::string Retriever::Impl::WordsToSearch(const QuestionReading& reading, std::string_view text) {
  std::string words(text);
  const auto Blank = [&](std::size_t begin, std::size_t end) {
    std::fill(words.begin() + static_cast<std::ptrdiff_t>(begin),
              words.begin() + static_cast<std::ptrdiff_t>(std::min(end, words.size())), ' ');
  };
  if (HeldAtTime(text, reading)) {
    for (const memory::TimeExpression& time : reading.times) Blank(time.text.begin, time.text.end);
  }
  for (const memory::TextPart part : WordsForNow(text)) Blank(part.begin, part.end);
  if (reading.Has(QuestionTrait::kFormer)) {
    for (const memory::TextPart part : WordsForFirst(text)) Blank(part.begin, part.end);
  }
  // Of what is only a time, the words are all there is.
  return std::ranges::all_of(
             words, [](char c) { return static_cast<unsigned char>(c) < 0x80 && !std::isalnum(c); })
             ? std::string(text)
             : words;
}

memory::AskedState Retriever::Impl::StateAsked(const QuestionReading& reading,
                                               std::string_view text) {
  using memory::AskedState;
  if (HeldAtTime(text, reading)) {
    AskedState asked{AskedState::What::kThen, 0};
    for (const memory::TimeExpression& time : reading.times) {
      if (time.relation == memory::TimeRelation::kWithin) {
        asked.at_ms = std::max(asked.at_ms, time.range.to_ms);
      }
    }
    return asked;
  }
  if (reading.Has(QuestionTrait::kFormer)) return {AskedState::What::kFirst, 0};
  if (reading.times.empty() && !WordsForNow(text).empty()) {
    return {AskedState::What::kNow, std::numeric_limits<std::int64_t>::max()};
  }
  return {};
}

void Retriever::Impl::AddHeld(const memory::AskedState& asked,
                              std::span<Candidate> candidates) const {
  using What = memory::AskedState::What;
  if (asked.what == What::kNone) return;
  const bool oldest = asked.what == What::kFirst, timed = asked.what == What::kThen;
  // Both are shares of the best: how near a turn is to the one that fits the question's words.
  const auto Near = [](const Candidate& candidate) {
    return std::max(candidate.share[RecallField::kWords], candidate.share[RecallField::kTokens]);
  };
  // What the other side said is no state, nor is a short question.
  const auto MayTell = [](const Candidate& candidate) {
    return candidate.value[RecallField::kRole] > 0 &&
           !(candidate.meta->asks && candidate.meta->bytes < kShort_bytes);
  };
  double nearest = 0;
  for (const Candidate& candidate : candidates) {
    if (MayTell(candidate)) nearest = std::max(nearest, Near(candidate));
  }
  std::vector<Candidate*> same;
  for (Candidate& candidate : candidates) {
    const double near = Near(candidate);
    // What merely was said then has nothing to do with it.
    if (timed) candidate.value[RecallField::kDate] *= near;
    if (!MayTell(candidate) || near < kSameThing * nearest) continue;
    if (oldest || candidate.meta->time_ms < asked.at_ms) {
      same.push_back(&candidate);
    } else if (!candidate.in_time) {  // Unless it looks back at that time.
      candidate.value[RecallField::kHeld] = kLater;
    }
  }
  std::ranges::sort(same, [&](const Candidate* a, const Candidate* b) {
    return oldest ? a->id < b->id : a->id > b->id;
  });
  double value = 1;
  for (Candidate* candidate : same) {
    // Long turns share words without being on one thing.
    candidate->value[RecallField::kHeld] = value * candidate->around_share;
    value *= kNext;
  }
  // Facts know better than shared words which turns tell of the state, and when it held.
  TurnId told = 0;
  for (const Candidate& candidate : candidates) {
    if (candidate.told > 0) told = std::max(told, candidate.id);
  }
  if (told == 0) return;
  // What is told later in the first person and in the question's words may be news that no rule
  // reads.
  const auto MayBeNews = [&](const Candidate& candidate) {
    return candidate.told == 0 && candidate.id > told && candidate.meta->first_person > 0 &&
           candidate.value[RecallField::kHeld] > 0;
  };
  const bool news = !oldest && std::ranges::any_of(candidates, [&](const Candidate& candidate) {
    return MayBeNews(candidate) && Near(candidate) >= kNewsNear * nearest;
  });
  for (Candidate& candidate : candidates) {
    double& held = candidate.value[RecallField::kHeld];
    if (candidate.told > 0) {
      held = news ? kNext : 1;
    } else if (candidate.told < 0) {
      held = kLater;
    } else if (held > 0 && (oldest || !MayBeNews(candidate))) {
      held *= kNext;
    }
  }
}

}  // namespace liubai::inline v1
