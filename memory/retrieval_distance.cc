// How far apart the events of a question are, and which came first: found by words, reckoned by the
// calendar.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/macros.h"
#include "memory/answer_guard.h"
#include "memory/date_expression.h"
#include "memory/essence.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger.h"
#include "memory/ledger_words.h"
#include "memory/retrieval_impl.h"
#include "memory/retrieval_list.h"
#include "memory/sentence.h"
#include "memory/telling.h"
#include "memory/time_distance.h"

namespace liubai::inline v1 {
namespace {

using memory::AskedDistance;
using memory::words::Holds;

constexpr int kTurnsOfEvent = 6;
constexpr std::size_t kRead_bytes = 8000;  // Of a turn.
constexpr double kLeastShare = 0.5;        // Of an event's words, by how much each tells.
constexpr double kToldByOther = 0.7;       // What the assistant says of one's life is hearsay.
constexpr double kPlanned = 0.8;           // "I'm thinking of buying one" is not the purchase.
constexpr double kDated = 1.15;            // "today", "just", "last Friday": when it happened.
constexpr std::size_t kQuoted_bytes = 100;

struct FoundEvent {
  RecalledEvent event;
  double share = 0;
};

// How much a sentence tells of what happened, and when.
double Tells(std::string_view sentence, std::int64_t told_ms) {
  const std::string lower = " " + ToLowerUtf8(sentence);
  const bool dated = std::ranges::any_of(memory::TimeExpressionsInTurn(sentence, told_ms),
                                         [](const memory::TimeExpression& time) {
                                           return time.precision <= memory::TimePrecision::kWeek;
                                         });
  const bool planned =
      Holds(lower, {" plan to ", " planning ", " thinking of ", " thinking about ", " considering ",
                    " going to ", " want to ", " hoping to ", " looking for ", " looking to ",
                    " preparing for ", "打算", "计划", "考虑", "准备", "想要", "希望"});
  if (planned) return dated ? kPlanned : 0;
  const bool fresh = dated || Holds(lower, {" today", " just ", " finally ", "今天", "刚", "终于"});
  return fresh ? kDated : 1;
}

// A word of the event, in the forms in which it may be told, and how much it tells.
struct Word {
  std::vector<std::string> forms;
  double weight = 0;
};

// What to search for: the words and their irregular pasts.
std::vector<std::pair<std::string, std::string>> Pasts(std::string_view event) {
  std::vector<std::pair<std::string, std::string>> pasts;
  for (std::size_t at = 0; at < event.size();) {
    const std::size_t end = std::min(event.find(' ', at), event.size());
    const std::string_view word = event.substr(at, end - at);
    if (const std::string_view past = memory::PastOf(word); !past.empty()) {
      pasts.emplace_back(word, past);
    }
    at = end + 1;
  }
  return pasts;
}

// The event's terms by how much the search found each to tell. One that nothing in the memory has
// tells most: who never sold a kayak did not do it when he bought one.
std::vector<Word> WordsOf(std::string_view event, const RecallResult& found,
                          const std::vector<std::pair<std::string, std::string>>& pasts) {
  double most = 0;
  for (const double weight : found.term_weights) most = std::max(most, weight);
  std::vector<Word> words;
  for (const std::string& term : memory::QueryTerms(event)) {
    Word word{{term}, 0};
    for (const auto& [verb, past] : pasts) {
      if (memory::TermSet(verb).contains(term)) {
        for (const std::string& form : memory::TermSet(past)) word.forms.push_back(form);
      }
    }
    for (std::size_t i = 0; i < found.terms.size(); ++i) {
      if (std::ranges::find(word.forms, found.terms[i]) != word.forms.end()) {
        word.weight = std::max(word.weight, found.term_weights[i]);
      }
    }
    if (word.weight == 0) word.weight = most;
    words.push_back(std::move(word));
  }
  return words;
}

// The sentence that has most of the event's words.
void Look(const Turn& turn, const std::vector<Word>& words, std::int64_t now_ms, FoundEvent* best) {
  double all = 0;
  for (const Word& word : words) all += word.weight;
  if (all <= 0 || turn.time_ms > now_ms) return;
  const std::string_view text = TruncateUtf8(turn.text, kRead_bytes);
  for (const memory::TextRange range : memory::SplitSentences(text)) {
    const std::string_view sentence = text.substr(range.begin, range.end - range.begin);
    if (memory::IsQuestion(sentence) || memory::SaysUnknown(sentence)) continue;
    const std::unordered_set<std::string> has = memory::TermSet(sentence);
    double share = 0;
    for (const Word& word : words) {
      const bool told = std::ranges::any_of(word.forms, [&](const std::string& form) {
        return has.contains(form) || memory::HasCharacters(sentence, form);
      });
      if (told) share += word.weight / all;
    }
    if (turn.role == Role::kAssistant) share *= kToldByOther;
    if (share < kLeastShare) continue;
    share *= Tells(sentence, turn.time_ms);
    if (share <= best->share) continue;
    const std::int64_t day = memory::DayOf(sentence, turn.time_ms);
    if (day > now_ms) continue;
    best->share = share;
    best->event = {turn.id, day, memory::Shorten(memory::OneLine(sentence), kQuoted_bytes)};
  }
}

std::string Say(const AskedDistance& asked, const std::vector<RecalledEvent>& events,
                std::int64_t now_ms, bool chinese) {
  const auto Named = [&](const RecalledEvent& event) {
    return chinese ? fmt::format("{}（{}）", memory::FormatDay(event.day_ms), event.sentence)
                   : fmt::format("{} (\"{}\")", memory::FormatDay(event.day_ms), event.sentence);
  };
  const RecalledEvent& first = events.front();
  // The answer first: a small model gives back what it reads first.
  switch (asked.what) {
    case AskedDistance::What::kToNow: {
      const std::string distance = memory::SayDistance(first.day_ms, now_ms, asked.unit, chinese);
      return chinese ? fmt::format("按日历是 {}前：{}。", distance, Named(first))
                     : fmt::format("{} ago by the calendar: {}.", distance, Named(first));
    }
    case AskedDistance::What::kBetween: {
      const std::string distance =
          memory::SayDistance(first.day_ms, events.back().day_ms, asked.unit, chinese);
      return chinese ? fmt::format("按日历隔了 {}：从 {}到 {}。", distance, Named(first),
                                   Named(events.back()))
                     : fmt::format("{} by the calendar: from {} to {}.", distance, Named(first),
                                   Named(events.back()));
    }
    case AskedDistance::What::kOrder:
      return chinese ? fmt::format("按日历先是 {}，后是 {}。", Named(first), Named(events.back()))
                     : fmt::format("By the calendar first {}, then {}.", Named(first),
                                   Named(events.back()));
  }
  return "";
}

}  // namespace

Status Retriever::Impl::AddDistance(const RecallQuery& query, RecallResult& result) const {
  const auto asked = memory::ReadDistance(query.text);
  if (!asked) return Status();
  const std::int64_t now_ms = memory::NowOf(query);
  std::vector<RecalledEvent> events;
  for (const std::string& event : asked->events) {
    const auto pasts = Pasts(event);
    RecallQuery of_event;
    of_event.text = event;
    for (const auto& [verb, past] : pasts) of_event.text += " " + past;
    of_event.filter = query.filter;
    of_event.filter.exclude.clear();  // What is in the window happened as well.
    of_event.limit = kTurnsOfEvent;
    of_event.now_ms = now_ms;
    LIUBAI_ASSIGN_OR_RETURN(const RecallResult found, Search(of_event, {}));
    const std::vector<Word> words = WordsOf(event, found, pasts);
    FoundEvent best;
    for (const RecallHit& hit : found.hits) Look(hit.turn, words, now_ms, &best);
    for (const RecallHit& hit : result.hits) Look(hit.turn, words, now_ms, &best);
    if (best.share == 0) return Status();
    events.push_back(std::move(best.event));
  }
  if (events.size() == 2) {
    // One sentence that has the words of both tells of neither.
    if (events[0].turn == events[1].turn && events[0].sentence == events[1].sentence) {
      return Status();
    }
    // Nobody asks how far apart two things of one day are: one of them was not found.
    if (memory::FormatDay(events[0].day_ms) == memory::FormatDay(events[1].day_ms)) {
      return Status();
    }
    if (events[1].day_ms < events[0].day_ms) std::swap(events[0], events[1]);
  }
  std::string text = Say(*asked, events, now_ms, memory::MostlyChinese(query.text));
  result.distance = TimeDistance{std::move(events), std::move(text)};
  return Status();
}

}  // namespace liubai::inline v1
