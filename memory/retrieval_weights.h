// memory/retrieval_weights.h: how the fields of recall are weighed; one table, so that measuring
// and changing them is one place. Set by hand, on the parts of LoCoMo and LongMemEval_S that
// `liubai bench` names as set apart for it.
#pragma once

#include <string_view>
#include <utility>

namespace liubai::memory {

struct RetrievalWeights {
  // Of a turn, each field being normalised to 0..1 over the candidates.
  double words = 0.5;
  double words_around = 1.0;
  double meaning = 0.5;
  double meaning_around = 0.4;
  double speaker = 0.2;
  double said_by = 0.6;   // The role that the question asks about; of the fields above and below.
  double personal = 0.4;  // The same.
  double date = 0.8;
  double context = 0.25;  // What was said just before, of what is asked.

  // Words of a turn, on average in its window, up to which the turns around it count in full. Short
  // turns need their neighbours to be understood; among long ones the neighbours drown the turn.
  double short_turn = 40;

  // Of the vectors around a turn: its own, the next ones, the second next.
  double own = 1.0;
  double next = 0.8;
  double second = 0.5;

  // Of a session.
  double session_words = 1.0;
  double session_user_words = 0.6;
  double session_turn = 0.8;
  double session_second_turn = 0.2;
  double session_personal = 0.3;
  double session_date = 1.0;

  // Relevance: a hit has this share of the question's terms, or stands out by meaning by so many
  // standard deviations, or is among the best of its surroundings.
  double least_covered = 0.25;
  double least_deviations = 2.0;
  double least_around = 0.5;
};

// By the name of its member, for measuring; null when there is none of that name.
inline double* FindWeight(RetrievalWeights& weights, std::string_view name) {
  static constexpr std::pair<std::string_view, double RetrievalWeights::*> kNames[] = {
      {"words", &RetrievalWeights::words},
      {"words_around", &RetrievalWeights::words_around},
      {"meaning", &RetrievalWeights::meaning},
      {"meaning_around", &RetrievalWeights::meaning_around},
      {"speaker", &RetrievalWeights::speaker},
      {"said_by", &RetrievalWeights::said_by},
      {"personal", &RetrievalWeights::personal},
      {"date", &RetrievalWeights::date},
      {"short_turn", &RetrievalWeights::short_turn},
      {"context", &RetrievalWeights::context},
      {"own", &RetrievalWeights::own},
      {"next", &RetrievalWeights::next},
      {"second", &RetrievalWeights::second},
      {"session_words", &RetrievalWeights::session_words},
      {"session_user_words", &RetrievalWeights::session_user_words},
      {"session_turn", &RetrievalWeights::session_turn},
      {"session_second_turn", &RetrievalWeights::session_second_turn},
      {"session_personal", &RetrievalWeights::session_personal},
      {"session_date", &RetrievalWeights::session_date},
      {"least_covered", &RetrievalWeights::least_covered},
      {"least_deviations", &RetrievalWeights::least_deviations},
      {"least_around", &RetrievalWeights::least_around},
  };
  for (const auto& [known, member] : kNames) {
    if (name == known) return &(weights.*member);
  }
  return nullptr;
}

}  // namespace liubai::memory
