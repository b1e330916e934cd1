#include "tools/ablation.h"

#include <array>
#include <span>
#include <utility>

#include "core/macros.h"

namespace liubai::tools {
namespace {

struct Stage {
  std::string_view name;
  std::span<const RecallField> fields;
  bool vectors;
};

using enum RecallField;
constexpr RecallField kFirst[] = {kWords, kWordsLong};
constexpr RecallField kAround[] = {kWordsAround};
constexpr RecallField kPooled[] = {kMeaning, kMeaningAround};
constexpr RecallField kLate[] = {kTokens, kTokensAround};
constexpr RecallField kSaidBefore[] = {kContext, kContextMeaning, kContextTokens};
constexpr RecallField kAdjacency[] = {kReply, kAsks, kLength};
constexpr RecallField kOfSession[] = {kSession};
constexpr RecallField kWho[] = {kSpeaker, kRole, kPersonal};
constexpr RecallField kWhen[] = {kDate};
constexpr RecallField kRead[] = {kExact, kHop};
constexpr RecallField kFacts[] = {kProfile};
constexpr RecallField kStates[] = {kHeld};
constexpr RecallField kByReading[] = {kKind, kOrder, kNegation};
constexpr RecallField kOfEssences[] = {kEssence};
constexpr std::array<Stage, 14> kStages = {{
    {"words", kFirst, false},
    {"+ words around", kAround, false},
    {"+ vectors", kPooled, true},
    {"+ late interaction", kLate, true},
    {"+ what was said before", kSaidBefore, false},
    {"+ reply, question, length", kAdjacency, false},
    {"+ session", kOfSession, false},
    {"+ who speaks", kWho, false},
    {"+ dates", kWhen, false},
    {"+ quotations, numbers, hops", kRead, false},
    {"+ profile", kFacts, false},
    {"+ what held then", kStates, false},
    {"+ kinds, order, negation", kByReading, false},
    {"+ essences", kOfEssences, false},
}};

}  // namespace

Result<std::vector<AblationStage>> OpenAblation(Store& store, const Embedder* embedder,
                                                const RetrieverOptions& options) {
  std::vector<AblationStage> opened;
  for (std::size_t last = 0; last < kStages.size(); ++last) {
    if (kStages[last].vectors && embedder == nullptr) continue;
    RetrieverOptions without = options;
    for (std::size_t later = last + 1; later < kStages.size(); ++later) {
      for (const RecallField field : kStages[later].fields) {
        without.weights.emplace_back(RecallFieldName(field), 0.0);
      }
    }
    AblationStage& stage = opened.emplace_back();
    stage.name = kStages[last].name;
    LIUBAI_ASSIGN_OR_RETURN(stage.retriever, Retriever::Open(store, embedder, without));
  }
  return opened;
}

RetrieverOptions WordsOnly(RetrieverOptions options) {
  for (int i = 0; i < kRecallFields; ++i) {
    const RecallField field = static_cast<RecallField>(i);
    if (field == kWords || field == kWordsLong) continue;
    options.weights.emplace_back(RecallFieldName(field), 0.0);
  }
  options.weights.emplace_back(SessionFieldName(SessionField::kSentence), 0.0);
  return options;
}

}  // namespace liubai::tools
