// Whole sessions: the words of each as one text, its best turns, and what the question tells.
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "core/macros.h"
#include "core/text.h"
#include "memory/date_expression.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger.h"
#include "memory/question.h"
#include "memory/retrieval_impl.h"

namespace liubai::inline v1 {

using memory::FindTimeRanges;
using memory::NowOf;
using memory::TimeRange;

namespace {

constexpr std::size_t kReadOf_bytes = 4000;  // Of a turn, for its sentences.

// How much of the question one sentence has.
class SentenceScore {
 public:
  explicit SentenceScore(const RecallResult& question) : weights_(question.term_weights) {
    for (std::size_t i = 0; i < question.terms.size(); ++i) {
      place_.emplace(question.terms[i], static_cast<int>(i));
      total_ += weights_[i];
    }
  }
  // The best of `text`: each term once, and words that stand beside each other there as in the
  // question half again.
  double Best(std::string_view text) const {
    if (total_ <= 0) return 0;
    double best = 0;
    for (const memory::TextRange range : memory::SplitSentences(text)) {
      std::vector<bool> seen(weights_.size());
      double sum = 0;
      int previous = -2;
      memory::TokenizeText(text.substr(range.begin, range.end - range.begin),
                           [&](std::string_view term, bool) {
                             const auto found = place_.find(std::string(term));
                             const int at = found == place_.end() ? -2 : found->second;
                             if (at >= 0 && !seen[static_cast<std::size_t>(at)]) {
                               seen[static_cast<std::size_t>(at)] = true;
                               sum += Weight(at);
                               if (previous == at - 1) sum += 0.5 * (Weight(at) + Weight(at - 1));
                             }
                             previous = at;
                           });
      best = std::max(best, sum / total_);
    }
    return best;
  }

 private:
  double Weight(int at) const { return at < 0 ? 0 : weights_[static_cast<std::size_t>(at)]; }
  const std::vector<double>& weights_;
  std::unordered_map<std::string, int> place_;
  double total_ = 0;
};

}  // namespace

Result<std::vector<SessionHit>> Retriever::RecallSessions(const RecallQuery& query,
                                                          std::stop_token stop) const {
  RecallQuery turns_query = query;
  turns_query.limit = 200;
  turns_query.with_irrelevant = true;
  turns_query.before = turns_query.after = 0;
  LIUBAI_ASSIGN_OR_RETURN(const RecallResult turns, RecallByScore(turns_query, stop));
  using Shares = memory::FieldWeights<SessionField, kSessionFields>;
  struct Session {
    Shares share;
    TurnId best_turn = 0;
    int turns = 0;
  };
  std::unordered_map<SessionId, Session> sessions;

  double most = 0, user_most = 0;
  for (const SessionTextHit& hit : turns.sessions) {
    most = std::max(most, hit.score);
    user_most = std::max(user_most, hit.user_score);
  }
  for (const SessionTextHit& hit : turns.sessions) {
    Shares& share = sessions[hit.session_id].share;
    if (most > 0) share[SessionField::kWords] = hit.score / most;
    if (user_most > 0) share[SessionField::kUserWords] = hit.user_score / user_most;
  }
  {
    std::lock_guard lock(impl_->mutex);
    const memory::QuestionKind kind = memory::ReadQuestion(query.text);
    if (kind.about_self && !kind.about_assistant) {
      for (const auto& [id, count] : impl_->table.FirstPersonBySession()) {
        sessions[id].share[SessionField::kPersonal] =
            static_cast<double>(count) / (static_cast<double>(count) + 4);
      }
    }
    const std::vector<TimeRange> ranges = FindTimeRanges(query.text, NowOf(query));
    if (!ranges.empty()) {
      for (const auto& [id, value] : impl_->table.SessionsInTime(ranges)) {
        sessions[id].share[SessionField::kDate] = value;
      }
    }
  }
  const SentenceScore sentences(turns);
  const double best = turns.hits.empty() ? 0 : turns.hits.front().score;
  for (const RecallHit& turn : turns.hits) {
    if (best <= 0) break;
    Session& session = sessions[turn.turn.session_id];
    const double share = std::max(0.0, turn.score / best);
    const int rank = session.turns++;
    if (rank == 0) {
      session.best_turn = turn.turn.id;
      session.share[SessionField::kBestTurn] = share;
    } else if (rank == 1) {
      session.share[SessionField::kSecondTurn] = share;
    } else if (rank < 5) {
      session.share[SessionField::kMoreTurns] += share / 3;
    }
    if (turn.turn.role == Role::kUser) {
      double& sentence = session.share[SessionField::kSentence];
      sentence = std::max(sentence, sentences.Best(TruncateUtf8(turn.turn.text, kReadOf_bytes)));
    }
    for (const RecallSignal& signal : turn.signals) {
      const auto Keep = [&](SessionField field) {
        double& kept = session.share[field];
        kept = std::max(kept, signal.share);
      };
      if (signal.field == RecallField::kMeaning) Keep(SessionField::kMeaning);
      if (signal.field == RecallField::kKind) Keep(SessionField::kKind);
      if (signal.field == RecallField::kProfile) Keep(SessionField::kProfile);
      if (signal.field == RecallField::kWords && turn.turn.role == Role::kUser) {
        Keep(SessionField::kUserTurn);
      }
    }
  }
  double most_sentence = 0;
  for (const auto& [id, session] : sessions) {
    most_sentence = std::max(most_sentence, session.share[SessionField::kSentence]);
  }
  for (auto& [id, session] : sessions) {
    if (most_sentence > 0) session.share[SessionField::kSentence] /= most_sentence;
  }
  const memory::SessionWeights& weight =
      turns.by_meaning ? impl_->weights.session_vectors : impl_->weights.session_words;
  std::vector<SessionHit> found;
  for (const auto& [id, session] : sessions) {
    if (query.filter.session && id != *query.filter.session) continue;
    SessionHit hit;
    hit.session_id = id;
    hit.best_turn = session.best_turn;
    for (int i = 0; i < kSessionFields; ++i) {
      const SessionField field = static_cast<SessionField>(i);
      const double share = session.share[field];
      if (share == 0) continue;
      hit.score += weight[field] * share;
      hit.signals.push_back({field, share, weight[field] * share});
    }
    std::sort(hit.signals.begin(), hit.signals.end(),
              [](const auto& a, const auto& b) { return a.contribution > b.contribution; });
    found.push_back(std::move(hit));
  }
  std::sort(found.begin(), found.end(), [](const SessionHit& a, const SessionHit& b) {
    return a.score != b.score ? a.score > b.score : a.session_id > b.session_id;
  });
  if (found.size() > static_cast<std::size_t>(query.limit))
    found.resize(static_cast<std::size_t>(query.limit));
  return found;
}

}  // namespace liubai::inline v1
