// What the memory has for a message: which turns come back, and what an answer may be taken from.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/elapsed.h"
#include "core/macros.h"
#include "core/text.h"
#include "memory/agent_impl.h"
#include "memory/date_expression.h"
#include "memory/essence.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/prompt.h"
#include "memory/question.h"
#include "memory/supersession.h"

namespace liubai::inline v1 {
namespace {

// Asks in every sentence: it holds the words of its answer but not the answer.
bool OnlyAsks(std::string_view text) {
  for (const memory::TextRange range : memory::SplitSentences(text)) {
    if (!memory::IsQuestion(text.substr(range.begin, range.end - range.begin))) return false;
  }
  return true;
}

// How much a hit counts as a memory, beside how well it fits the words.
double Usefulness(const Turn& turn) {
  if (OnlyAsks(turn.text)) return 0.3;
  if (turn.role == Role::kAssistant) return memory::SaysUnknown(turn.text) ? 0.2 : 0.85;
  return turn.status == TurnStatus::kInterrupted ? 0.7 : 1.0;
}

// Below this share of the best score a memory distracts more than it helps.
constexpr double kLeastOfBest = 0.6;
constexpr double kLeastOfList = 0.4;  // Where all there is of something is wanted.
// Of a message's words, by weight.
constexpr double kAskedCover = 0.75;
constexpr double kFactCover = 0.6;
constexpr double kFactCoverChinese = 0.4;
constexpr double kRelatedCover = 0.5;
constexpr double kSameAsked = 0.8;
// Of sentences that tell what is asked: one alone, several together.
constexpr double kPlainCover = 0.65;
constexpr double kPartsCover = 0.5;
constexpr TurnId kNear = 3;  // Turns that speak of one thing.
// No search of turns tells those apart that only their essences have: a few of them.
constexpr std::size_t kMostFromEssences = 3;
constexpr std::size_t kMostQueryBytes = 2000;
constexpr std::size_t kMostEvidenceBytes = 8000;

// The terms of a message and how much each tells.
class Topic {
 public:
  explicit Topic(const RecallResult& found) : terms_(found.terms), weights_(found.term_weights) {
    for (const double weight : weights_) all_ += weight;
  }
  // 0..1: which share of them `has` holds.
  template <class Set>
  double Share(const Set& has) const {
    double share = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (has.contains(terms_[i])) share += weights_[i];
    }
    return all_ > 0 ? share / all_ : 0.0;
  }
  double ShareOfText(std::string_view text) const { return Share(memory::TermSet(text)); }

 private:
  const std::vector<std::string>& terms_;
  const std::vector<double>& weights_;
  double all_ = 0;
};

std::unordered_set<std::string> WordsOf(const RecallHit& hit) {
  return {hit.words.begin(), hit.words.end()};
}

RecallQuery QueryFor(std::string_view text) {
  RecallQuery query;
  // A long message is asked for by its two ends.
  query.text = std::string(TruncateUtf8(text, kMostQueryBytes));
  if (text.size() > 2 * kMostQueryBytes) {
    query.text += "\n";
    query.text += memory::TailBytes(text, kMostQueryBytes / 2);
  }
  return query;
}

// Who, when, where, how many, which: an answer that somebody told. What anybody might know, an
// opinion, a way to do something are asked otherwise.
bool AsksForFact(std::string_view text) {
  const std::string lower = ToLowerUtf8(text);
  if (memory::FindWord(lower, "you") != lower.npos || lower.find("你") != lower.npos) return false;
  const memory::QuestionReading reading = memory::ReadQuestion(TruncateUtf8(text, 1000), 0);
  if (reading.Has(memory::QuestionTrait::kSuggestion)) return false;
  switch (reading.asked) {
    case memory::AskedFor::kPerson:
    case memory::AskedFor::kTime:
    case memory::AskedFor::kPlace:
    case memory::AskedFor::kNumber:
    case memory::AskedFor::kThing:
      return true;
    case memory::AskedFor::kReason:
    case memory::AskedFor::kManner:
    case memory::AskedFor::kNothing:
      return false;
  }
  return false;
}

// Whether a question is one for the memory, by what it found: all its words were said together,
// most of those of a question for a fact, or the user spoke of somebody whom it names.
bool FoundWhatIsAsked(std::string_view text, const RecallResult& found, const Topic& topic) {
  if (!memory::IsQuestion(text) || found.hits.empty()) return false;
  const RecallHit& best = found.hits.front();
  std::unordered_set<std::string> together;
  for (const RecallHit& hit : found.hits) {
    if (std::abs(hit.turn.id - best.turn.id) <= kNear) {
      together.insert(hit.words.begin(), hit.words.end());
    }
  }
  // Half the pairs of characters of a Chinese question are borders of words.
  const bool plain = best.turn.role == Role::kUser && AsksForFact(text);
  const double cover = !plain                        ? kAskedCover
                       : memory::MostlyChinese(text) ? kFactCoverChinese
                                                     : kFactCover;
  if (found.terms.size() >= 2 && topic.Share(together) >= cover) return true;
  const std::vector<std::string> names = memory::NamesIn(text);
  return std::any_of(found.hits.begin(), found.hits.end(), [&](const RecallHit& hit) {
    return hit.turn.role == Role::kUser &&
           std::any_of(names.begin(), names.end(), [&](const std::string& name) {
             return std::find(hit.words.begin(), hit.words.end(), name) != hit.words.end();
           });
  });
}

// What was taken back would be told as readily as what holds now.
void DropTakenBack(std::string_view text, std::int64_t now_ms, const Topic& topic,
                   RecallResult* found, std::string* note) {
  // "In June": what held then may have been taken back since.
  if (memory::AsksAboutPast(text) ||
      !memory::FindTimeRanges(TruncateUtf8(text, 1000), now_ms).empty()) {
    return;
  }
  std::vector<RecallHit> standing;
  for (const RecallHit& hit : found->hits) {
    const auto later =
        std::find_if(found->hits.begin(), found->hits.end(), [&](const RecallHit& one) {
          // Of the same person or project something else may have been told later.
          return one.turn.role == Role::kUser && one.turn.id > hit.turn.id &&
                 topic.Share(WordsOf(one)) >= kSameAsked * topic.Share(WordsOf(hit)) &&
                 memory::Supersedes(one.turn.text, hit.turn.text, found->terms);
        });
    if (later == found->hits.end()) {
      standing.push_back(hit);
      continue;
    }
    if (!note->empty()) *note += "; ";
    *note += fmt::format("turn {} is left out: turn {} takes it back", hit.turn.id, later->turn.id);
  }
  found->hits = std::move(standing);
}

// A hit's text as far as it is looked at; a turn can have megabytes.
std::string_view Said(const RecallHit& hit) {
  const std::string_view text = hit.turn.text;
  return text.size() <= kMostEvidenceBytes ? text : text.substr(hit.begin, hit.end - hit.begin);
}

}  // namespace

// The sentences that tell what is asked, of what was found and of what the window still has: a
// small model overlooks there what is not among the memories. A question of several parts gets a
// memory for each.
Status Agent::Impl::FindTellings(std::string_view text, RecallResult* found, Recalled* recalled,
                                 PackOptions* pack) const {
  const memory::Wanted wanted = memory::WantedBy(text);
  std::vector<std::string_view> texts;
  for (const RecallHit& hit : found->hits) {
    texts.push_back(hit.turn.role == Role::kUser ? Said(hit) : std::string_view());
  }
  std::vector<Turn> visible;
  for (const WindowTurn& turn : window) {
    if (turn.role != Role::kUser || turn.id == 0) continue;
    LIUBAI_ASSIGN_OR_RETURN(visible.emplace_back(),
                            options.store->GetTurn(turn.id, options.tenant));
  }
  // Of two that tell as much, the newer.
  std::ranges::reverse(visible);
  for (const Turn& turn : visible) texts.push_back(TruncateUtf8(turn.text, kMostEvidenceBytes));
  memory::Tellings tellings =
      memory::TellingSentences(found->terms, found->term_weights, texts, wanted);
  const bool parts = tellings.sentences.size() > 1;
  if (tellings.sentences.empty() || tellings.together < (parts ? kPartsCover : kPlainCover)) {
    return Status();
  }
  const auto source = [&](std::size_t place) -> const Turn& {
    return place < found->hits.size() ? found->hits[place].turn
                                      : visible[place - found->hits.size()];
  };
  if (!memory::AsksAboutPast(text)) {
    // What was taken back tells nothing.
    for (const memory::Telling& one : tellings.sentences) {
      const TurnId told = source(one.text).id;
      for (std::size_t i = 0; i < texts.size(); ++i) {
        if (source(i).id > told && !texts[i].empty() &&
            memory::Supersedes(texts[i], one.sentence, found->terms)) {
          return Status();
        }
      }
    }
  }
  std::vector<std::size_t> places;  // Of hits.
  std::int64_t tokens = 0;
  for (const memory::Telling& one : tellings.sentences) {
    tokens += Count(one.sentence) + 3;
    const bool hit = one.text < found->hits.size();
    if (hit && std::ranges::find(places, one.text) == places.end()) places.push_back(one.text);
    recalled->days.push_back(memory::FormatDay(
        hit ? found->hits[one.text].turn.time_ms : visible[one.text - found->hits.size()].time_ms));
  }
  pack->most = std::max(pack->most, static_cast<int>(places.size()));
  pack->budget_tokens = std::max<std::int64_t>(pack->budget_tokens - tokens - 16, 0);
  // They are packed before the others.
  std::vector<RecallHit> hits;
  for (const std::size_t place : places) hits.push_back(found->hits[place]);
  for (std::size_t i = 0; i < found->hits.size(); ++i) {
    if (std::ranges::find(places, i) == places.end()) hits.push_back(found->hits[i]);
  }
  found->hits = std::move(hits);
  recalled->tellings = std::move(tellings);
  return Status();
}

// What a question asks for stands in the window: nothing comes back, but a small model overlooks it
// there as well.
Result<bool> Agent::Impl::WindowTells(std::string_view text, const RecallResult& found) const {
  if (!memory::IsQuestion(text) || !AsksForFact(text)) return false;
  RecallResult of_window;
  of_window.terms = found.terms;
  of_window.term_weights = found.term_weights;
  Recalled recalled;
  PackOptions pack;
  LIUBAI_RETURN_IF_ERROR(FindTellings(text, &of_window, &recalled, &pack));
  return !recalled.tellings.sentences.empty();
}

Result<Agent::Impl::Recalled> Agent::Impl::RecallFor(std::string_view text, Reply* reply,
                                                     std::stop_token stop) {
  Recalled recalled;
  if (options.memory_mode != MemoryMode::kLiubai) return recalled;
  recalled.asks = memory::AsksMemory(text);
  if (options.recall_turns == 0) return recalled;
  const auto start = Clock::now();
  RecallQuery query = QueryFor(text);
  query.context = last_user_text;
  query.filter.tenant = options.tenant;
  for (const WindowTurn& turn : window) {
    if (turn.id != 0) query.filter.exclude.push_back(turn.id);
  }
  query.filter.exclude.push_back(reply->user_turn);
  query.limit = options.recall_turns * 3 + 4;
  query.now_ms = Now();
  auto found = retriever->Recall(query, stop);
  if (!found.ok()) {
    if (found.status().code() == StatusCode::kCancelled) return found.status();
    // A reply without memories is better than none, and it says so.
    reply->recall_note = "recall failed: " + found.status().ToString();
    options.logger.Log(LogLevel::kError, "agent", reply->recall_note);
    return recalled;
  }
  reply->recall_note = found->note;
  const Topic topic(*found);
  std::unordered_set<std::string> seen;
  for (const WindowTurn& turn : window) {
    if (!turn.text.empty()) seen.insert(turn.text);
  }
  std::vector<RecallHit> hits;
  for (RecallHit& hit : found->hits) {
    // The same words in another session (a fork, a repeated import) count once.
    if (!seen.insert(std::string(TruncateUtf8(hit.turn.text, 300))).second) continue;
    // Neighbours bring a turn in; of a few turns the ones with the question's own words answer it.
    hit.score *= Usefulness(hit.turn) * (0.9 + 0.2 * topic.Share(WordsOf(hit)));
    hits.push_back(std::move(hit));
  }
  std::stable_sort(hits.begin(), hits.end(),
                   [](const RecallHit& a, const RecallHit& b) { return a.score > b.score; });
  const double least = found->several ? kLeastOfList : kLeastOfBest;
  while (!hits.empty() && hits.back().score < least * hits.front().score) hits.pop_back();
  found->hits = std::move(hits);
  recalled.asks |= FoundWhatIsAsked(text, *found, topic) || found->distance.has_value();
  if (!recalled.asks) {
    LIUBAI_ASSIGN_OR_RETURN(recalled.asks, WindowTells(text, *found));
  }
  // What does not ask the memory gets only what is plainly about the same: a small model answers
  // the memories instead of the message.
  if (!recalled.asks) {
    std::erase_if(found->hits,
                  [&](const RecallHit& hit) { return topic.Share(WordsOf(hit)) < kRelatedCover; });
  }
  // These had their chance, what is taken back among them too.
  std::unordered_set<TurnId> searched;
  for (const RecallHit& hit : found->hits) searched.insert(hit.turn.id);
  DropTakenBack(text, query.now_ms, topic, &*found, &reply->recall_note);
  const bool guarded = recalled.asks && options.least_confidence > 0;

  if (recalled.asks || !found->hits.empty()) {
    const bool chinese = memory::MostlyChinese(text);
    PackOptions pack;
    pack.budget_tokens =
        plan.recalled - Count(memory::MessageWithMemories("\n", "", chinese, true)) - 4;
    // What does not ask the memory gets the best one only: more of them draw the reply away.
    pack.most = recalled.asks ? options.recall_turns : std::min(options.recall_turns, 1);
    if (found->distance) {
      // Where the calendar answers, its line tells what is asked, and nothing else does.
      const std::string& line = found->distance->text;
      recalled.tellings = {{{0, line, 1, 1}}, 1};
      recalled.days.emplace_back();
      pack.budget_tokens = std::max<std::int64_t>(pack.budget_tokens - Count(line) - 16, 0);
      found->distance.reset();  // It is not packed once more.
    } else if (recalled.asks) {
      LIUBAI_RETURN_IF_ERROR(FindTellings(text, &*found, &recalled, &pack));
    }
    pack.count = [this](std::string_view part) -> Result<std::int64_t> { return Count(part); };
    LIUBAI_ASSIGN_OR_RETURN(const PackedMemories packed, PackMemories(*found, pack));
    recalled.memories = packed.text;
    for (const TurnId id : packed.turns) {
      const auto hit = std::find_if(found->hits.begin(), found->hits.end(),
                                    [&](const RecallHit& one) { return one.turn.id == id; });
      if (hit == found->hits.end()) continue;
      RecalledTurn turn;
      turn.turn_id = id;
      turn.score = hit->score;
      turn.why = hit->Why();
      turn.text = RenderMemory(
          hit->turn, std::string_view(hit->turn.text).substr(hit->begin, hit->end - hit->begin));
      reply->recalled.push_back(std::move(turn));
      if (!guarded) continue;
      const std::string_view said = Said(*hit);
      recalled.evidence.push_back({std::string(said), topic.ShareOfText(said)});
    }
  }
  if (recalled.asks) LIUBAI_RETURN_IF_ERROR(AddWordsOfEssences(text, searched, &recalled, reply));
  if (guarded) {
    for (const memory::Telling& one : recalled.tellings.sentences) {
      recalled.evidence.push_back({one.sentence, recalled.tellings.together, true});
    }
    // What the model said itself is no evidence.
    for (const WindowTurn& turn : window) {
      if (turn.role == Role::kUser && !turn.text.empty()) {
        recalled.evidence.push_back({turn.text, topic.ShareOfText(turn.text)});
      }
    }
    // Blocks and essences speak of many things: each sentence for itself.
    const auto add_sentences = [&](std::string_view text) {
      for (const memory::TextRange range : memory::SplitSentences(text)) {
        const std::string_view sentence = text.substr(range.begin, range.end - range.begin);
        recalled.evidence.push_back({std::string(sentence), topic.ShareOfText(sentence)});
      }
    };
    for (const Block& block : blocks) add_sentences(block.value);
    for (const Essence& essence : essences) add_sentences(essence.text);
  }
  reply->recall_us = MicrosSince(start);
  return recalled;
}

Status Agent::Impl::AddWordsOfEssences(std::string_view text,
                                       const std::unordered_set<TurnId>& searched,
                                       Recalled* recalled, Reply* reply) const {
  LIUBAI_ASSIGN_OR_RETURN(const auto hits,
                          options.store->SearchEssences(TruncateUtf8(text, kMostQueryBytes),
                                                        4 * kMostFromEssences, options.tenant));
  const bool chinese = memory::MostlyChinese(text);
  std::size_t taken = 0;
  for (const EssenceHit& hit : hits) {
    if (taken == kMostFromEssences || hit.score < kAskedCover) break;
    if (searched.contains(hit.turn_id)) continue;
    LIUBAI_ASSIGN_OR_RETURN(const auto turns,
                            options.store->GetTurns(std::span(&hit.turn_id, 1), options.tenant));
    if (turns.empty()) continue;
    // The best memory stands last, nearest to the question.
    std::string line = RenderMemory(turns.front(), hit.text);
    const std::string longer = line + "\n" + recalled->memories;
    if (Count(memory::MessageWithMemories(longer, "", chinese, true)) + 4 > plan.recalled) break;
    recalled->memories = longer;
    if (options.least_confidence > 0) recalled->evidence.push_back({hit.text, hit.score});
    reply->recalled.insert(
        reply->recalled.begin(),
        {hit.turn_id, hit.score,
         fmt::format("word for word behind an essence ({})", hit.essence_id), std::move(line)});
    ++taken;
  }
  return Status();
}

}  // namespace liubai::inline v1
