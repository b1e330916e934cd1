// memory/retrieval_weights.h: how the fields of recall are weighed. The figures lie in
// retrieval_weights.json, which tools/fit_weights.py writes and which says on what they were
// fitted; it is compiled in.
//
// Threads: values.
// Errors:  kInvalidArgument for a name that is not known.
#pragma once

#include <array>
#include <string_view>

#include "liubai/retrieval.h"

namespace liubai::memory {

template <class Field, int kCount>
struct FieldWeights {
  std::array<double, kCount> values{};
  double& operator[](Field field) { return values[static_cast<std::size_t>(field)]; }
  double operator[](Field field) const { return values[static_cast<std::size_t>(field)]; }
};
using TurnWeights = FieldWeights<RecallField, kRecallFields>;
using SessionWeights = FieldWeights<SessionField, kSessionFields>;

// probability = 1 / (1 + exp(-(bias + sum of weight times measure))); below `least` a hit has
// nothing to do with the question.
struct RelevanceWeights {
  double covered = 0;
  double around = 0;
  double tokens = 0;
  double deviations = 0;
  double bias = 0;
  double least = 0.5;
};

struct RetrievalWeights {
  // Of a turn and of a session, with words alone and with vectors. talk: what is said asks nothing,
  // and recalled is what fits the talk.
  TurnWeights turn_words, turn_vectors, talk_words, talk_vectors;
  SessionWeights session_words, session_vectors;

  // Words of a turn, on average in its window, up to which the turns around it count in full. Short
  // turns need their neighbours to be understood; among long ones the neighbours drown the turn.
  double short_turn = 40;
  // Of the vectors around a turn: its own, the next ones, the second next.
  double own = 1.0;
  double next = 0.8;
  double second = 0.5;
  RelevanceWeights relevance_words, relevance_vectors;
};

// As compiled in.
const RetrievalWeights& FittedWeights();
// "tokens", in all groups that have it, or "turn_words.tokens".
Status SetWeight(RetrievalWeights& weights, std::string_view name, double value);

}  // namespace liubai::memory
