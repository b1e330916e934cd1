// tools/ablation.h: recall with one stage after the other, so that a benchmark shows what each is
// worth. The weights are the fitted ones; those of later stages are 0.
//
// Errors:  those of Retriever.
// Threads: none of its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/retrieval.h"

namespace liubai::tools {

struct AblationStage {
  std::string name;  // "words", "+ words around", …
  std::unique_ptr<Retriever> retriever;
};
// Over a store that is filled and indexed; `embedder` null: the stages that need none.
Result<std::vector<AblationStage>> OpenAblation(Store& store, const Embedder* embedder,
                                                const RetrieverOptions& options);

// The same weights, but 0 for all that is not BM25 of a turn or a session.
RetrieverOptions WordsOnly(RetrieverOptions options);

}  // namespace liubai::tools
