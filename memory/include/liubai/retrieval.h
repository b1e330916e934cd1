// liubai/retrieval.h: what was said, found again by words and by meaning.
//
// A turn is scored in several fields: its own words, the words of the turns around it, its vector,
// the vectors around it, late interaction of its tokens with the question's, its session, and what
// the question tells: a date, a speaker, a side of the conversation. Each field is normalised over
// the candidates and summed with weights that were fitted (memory/retrieval_weights.json); every
// hit says which fields brought it. Vectors are derived: turns without them yet are found by words.
//
// Errors:  those of Store and Embedder. Without an embedder, or while the index is rebuilt, recall
//          goes on by words, and RecallResult::note and the log say so.
// Threads: const methods may run together and beside one call of IndexPending or Publish. A search
//          of 5,000 vectors or more starts a thread of its own, which ends with it.
// Units:   *_tokens by the caller's counter; times are UTC milliseconds; *_us are microseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "liubai/embedder.h"
#include "liubai/log.h"
#include "liubai/reranker.h"
#include "liubai/store.h"

namespace liubai::inline v1 {

enum class RecallField : std::uint8_t {  // Printed by name.
  kWords,                                // BM25 of the turn.
  kWordsAround,     // BM25 of the turn with the two before and the two after it; short turns only.
  kWordsLong,       // BM25 of a long turn, which needs no neighbours to be understood.
  kMeaning,         // Cosine of the turn's vector; of the nearest piece of a long turn.
  kMeaningAround,   // Cosine of the vectors of the turn and its neighbours together.
  kTokens,          // Late interaction: the best cosine in the turn, on average over the question's
                    // tokens, each counted by how much its word tells.
  kTokensAround,    // The same over the turn and its neighbours; short turns only.
  kSession,         // BM25 of its session as one text.
  kSpeaker,         // The question names who speaks.
  kDate,            // The question gives a date, and the turn is of that time.
  kRole,            // The question asks what this side of the conversation said.
  kPersonal,        // The question is of the one who asks, and here he speaks of himself.
  kReply,           // The turn before it asks something.
  kAsks,            // It asks something itself.
  kLength,          // How long it is, from a greeting to some sentences.
  kContext,         // BM25 against what was said just before the question.
  kContextMeaning,  // Cosine with that.
  kContextTokens,   // Late interaction with that, on average over the turn's tokens.
  kHop,             // BM25 against a part of the question that must be found first, and against
                    // the names that the turns bring which tell of that part.
  kExact,           // It holds what the question quotes, or a number of it in any spelling.
  kProfile,         // It told what the question presupposes of the person who asks.
  kHeld,            // Of the turns on one thing, it told what held at the time that is asked of.
  kKind,            // It names a thing of a kind that the question names: a sofa is furniture.
  kOrder,           // It is of the right side of an event: "the day before I moved".
  kNegation,        // It denies what the question does: "what did I never try".
  kEssence,         // It is covered by an essence that has words of the question.
};
inline constexpr int kRecallFields = 26;
std::string_view RecallFieldName(RecallField field);  // "words", "words_around", …

struct RecallSignal {
  RecallField field = RecallField::kWords;
  double value = 0;         // As measured: BM25, cosine, 0 or 1.
  double share = 0;         // The same among the candidates: 1 is the best of them.
  double contribution = 0;  // Its part of the hit's score: share times the field's weight.
};

struct RecallQuery {
  std::string text;
  std::string context;  // What was said just before, or empty: it counts less than the text.
  TurnFilter filter;    // filter.exclude: turns that are in the window already.
  int limit = 8;
  int before = 0;  // Neighbours to fetch with each hit.
  int after = 0;
  bool with_irrelevant = false;  // Return the nearest even when nothing is relevant.
  std::int64_t now_ms = kNow;    // What "last week" refers to.
};

// What is asked, encoded once.
struct QuestionVectors {
  std::vector<float> pooled;  // [dimension], normalised; empty: by words only.
  TokenVectors tokens;        // Places in the whole text; empty: without late interaction.
  // The same of what was said just before.
  std::vector<float> context_pooled;
  TokenVectors context_tokens;
};

// Whether a hit has to do with the question at all, whatever came beside it.
struct RecallRelevance {
  double covered = 0;      // Share of the question's words that it has, each by how much it tells.
  double around = 0;       // BM25 with the turns around it over the most that there could be.
  double tokens = 0;       // Late interaction, the better of itself and with its neighbours.
  double deviations = 0;   // How far its cosine, or its neighbourhood's, is above chance.
  double probability = 0;  // 0..1, of these four, fitted on questions that nothing answers.
};

// Where a thing was told as well.
struct RecallSource {
  TurnId turn = 0;
  SessionId session = 0;
  std::int64_t time_ms = 0;
};

struct RecallHit {
  Turn turn;
  double score = 0;
  RecallRelevance relevance;
  std::vector<RecallSignal> signals;  // Those that contributed, the largest first.
  std::vector<std::string> words;     // Terms of the question that the turn has, stemmed.
  std::uint32_t begin = 0;            // The part of a long turn that fits best: bytes [begin, end).
  std::uint32_t end = 0;
  std::vector<Turn> before;  // Oldest first.
  std::vector<Turn> after;
  std::vector<RecallSource> same;  // Of a list: turns that tell the same, oldest first.

  std::string Why() const;  // One line for people.
};

// An event that the question names, as a turn tells of it.
struct RecalledEvent {
  TurnId turn = 0;
  std::int64_t day_ms = 0;  // The day that the sentence names, or else that of the turn.
  std::string sentence;     // One line; a long one is cut.
};
// The answer of the calendar to "how many days ago", "how many weeks between", "which came first":
// a model reads dates and cannot subtract them.
struct TimeDistance {
  std::vector<RecalledEvent> events;  // One or two, the older first.
  std::string
      text;  // "12 days ago by the calendar: 2023-03-10 ("…").", in the question's language.
};

struct RecallResult {
  std::vector<RecallHit> hits;       // Best first, one a turn; empty: nothing relevant.
  std::vector<std::string> terms;    // The question's words as they were searched.
  std::vector<double> term_weights;  // [terms]: how much each tells; rare ones most.
  bool by_meaning = false;           // false: words only, and `note` says why.
  bool talk = false;  // There was a context, and nothing is asked: recalled is what fits the talk.
  // The question is for all there is of something ("how many …", "how much … in total"): the hits
  // are its list, from many sessions, each once and by its best sentences. ByTime orders them.
  bool several = false;
  std::vector<const RecallHit*> ByTime() const;  // Oldest first; as long as the result lives.
  std::vector<SessionTextHit> sessions;          // That have a word of the question, in no order.
  std::optional<TimeDistance>
      distance;  // Where the question asks for one, and its events are known.
  std::string note;
  std::int64_t candidates = 0;
  std::int64_t dropped_irrelevant = 0;
  std::int64_t embed_us = 0;
  std::int64_t search_us = 0;
  // Of the search: full text, vectors beyond that (many are compared meanwhile), token vectors.
  std::int64_t words_us = 0;
  std::int64_t vectors_us = 0;
  std::int64_t tokens_us = 0;
  bool reranked = false;  // The first hits are in the order of RetrieverOptions::reranker.
  std::int64_t rerank_us = 0;
};

enum class SessionField : std::uint8_t {  // Printed by name.
  kWords,                                 // BM25 of the session as one text.
  kUserWords,                             // BM25 of what the user said in it.
  kBestTurn,                              // The score of its best turn.
  kSecondTurn,                            // Of the next one: several mentions beat one.
  kMoreTurns,                             // Of the third to the fifth, on average.
  kMeaning,                               // The best cosine of its turns.
  kPersonal,  // The question is of the one who asks, and here he speaks of himself.
  kDate,      // The question gives a date, and the session is of that time.
  kProfile,   // It told what the question presupposes of the person who asks.
  kUserTurn,  // The best score of a turn by its own words that the user said.
  kKind,      // The user names in it a thing of a kind that the question names.
  kSentence,  // How much of the question one sentence of the user has, neighbouring words most.
};
inline constexpr int kSessionFields = 12;
std::string_view SessionFieldName(SessionField field);  // "words", "user_words", …

struct SessionSignal {
  SessionField field = SessionField::kWords;
  double share = 0;
  double contribution = 0;
};

struct SessionHit {
  SessionId session_id = 0;
  double score = 0;
  TurnId best_turn = 0;
  std::vector<SessionSignal> signals;  // Those that contributed, the largest first.
};

struct IndexProgress {
  std::int64_t embedded = 0;  // Turns that this call gave vectors.
  std::int64_t vectors = 0;
  std::int64_t pending = 0;  // Turns that still lack one; at least this many.
};

struct RetrieverOptions {
  TenantId tenant = kDefaultTenant;
  // Vectors up to which all are compared; above, only those of the lists that are nearest.
  std::int64_t lists_above = 100000;
  bool token_vectors = true;  // Kept and used: most of recall by meaning, 64 bytes a token.
  // Other weights than the fitted ones, by name (memory/retrieval_weights.json), as "tokens" or
  // "turn_words.tokens": for measuring.
  std::vector<std::pair<std::string, double>> weights;
  // Orders the first hits of Recall anew; null: none does (liubai/reranker.h).
  const Reranker* reranker = nullptr;
  int rerank_first = 50;                // 1..1000 hits are given to it.
  std::int64_t rerank_budget_ms = 200;  // At least 1.
  Logger logger;
};

struct RetrieverStatus {
  bool by_meaning = false;
  std::string embedder;  // Its name, or "".
  std::string note;      // Why words only, or why the index was rebuilt; "" when all is well.
  std::int64_t vectors = 0;
  std::int64_t unmerged = 0;
  std::int64_t tombstones = 0;
  std::int64_t generation = 0;
  std::int64_t lists = 0;  // Of vectors; 0: all are compared.
};

class Retriever {
 public:
  // `store` and `embedder` outlive it; a null embedder means words only.
  static Result<std::unique_ptr<Retriever>> Open(Store& store, const Embedder* embedder,
                                                 const RetrieverOptions& options = {});
  ~Retriever();
  Retriever(const Retriever&) = delete;
  Retriever& operator=(const Retriever&) = delete;

  Result<RecallResult> Recall(const RecallQuery& query, std::stop_token stop = {}) const;
  // With the question encoded before, for callers that measure or repeat.
  Result<RecallResult> RecallWithVectors(const RecallQuery& query,
                                         const QuestionVectors& vectors) const;
  Result<QuestionVectors> EmbedQuestion(const RecallQuery& query, std::stop_token stop = {}) const;
  // Whole sessions, best first: the words of each as one text, and its best turns.
  Result<std::vector<SessionHit>> RecallSessions(const RecallQuery& query,
                                                 std::stop_token stop = {}) const;

  // Gives vectors to up to `limit` turns that have none, oldest first, in batches, each committed.
  // OK and nothing done without an embedder. kCancelled keeps what was committed.
  Result<IndexProgress> IndexPending(std::int64_t limit, std::stop_token stop = {});
  // Merges new vectors into the index and publishes its file; after a deletion this removes the
  // deleted ones from disk.
  Status Publish();

  RetrieverStatus status() const;
  // Compares index and store: one line a problem.
  Result<std::vector<std::string>> Verify() const;

 private:
  struct Impl;
  explicit Retriever(std::unique_ptr<Impl> impl);
  // All hits by their scores: neither gathered into a list nor reranked.
  Result<RecallResult> RecallByScore(const RecallQuery& query, std::stop_token stop) const;
  std::unique_ptr<Impl> impl_;
};

// How many tokens a text is, by the reader's tokenizer.
using TokenCounter = std::function<Result<std::int64_t>(std::string_view text)>;

struct PackOptions {
  std::int64_t budget_tokens = 512;
  int most = 8;        // Hits; the best ones are taken. Of a list twice as many, each in short.
  TokenCounter count;  // REQUIRES: set.
};

struct PackedMemories {
  std::string text;           // A line a turn: "[2023-05-08 13:56] Caroline: …".
  std::vector<TurnId> turns;  // In the order of `text`.
  std::int64_t tokens = 0;
  std::int64_t left_out = 0;     // Hits for which the budget had no room.
  std::vector<TurnId> excerpts;  // Turns of which only a part is shown, marked by "…".
};

// Hits under a budget, oldest first but the best one last, nearest to the question; a list all
// oldest first, each item with the other days on which it was told. What the calendar says of them
// stands at the end.
Result<PackedMemories> PackMemories(const RecallResult& result, const PackOptions& options);
// "[2023-05-08 13:56] Caroline: " and `text`.
std::string RenderMemory(const Turn& turn, std::string_view text);

}  // namespace liubai::inline v1
