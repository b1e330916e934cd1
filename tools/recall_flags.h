// tools/recall_flags.h: the flags with which subcommands look things up in a memory, and the memory
// with all that recall stands on.
#pragma once

#include <memory>
#include <stop_token>

#include "liubai/retrieval.h"
#include "tools/command.h"
#include "tools/embedder_flags.h"
#include "tools/store_flags.h"

namespace liubai::tools {

// Declared in the order in which they depend on each other.
struct OpenedRecall {
  std::unique_ptr<Embedder> embedder;  // Null: words only.
  std::unique_ptr<Store> store;
  std::unique_ptr<Retriever> retriever;
};

struct RecallFlags {
  StoreFlags store;
  EmbedderFlags embedder;

  void Declare(Flags& flags);
  // With an embedder, turns without a vector get one, unless another process is writing.
  Result<OpenedRecall> Open(Invocation& call, std::stop_token stop) const;
};

}  // namespace liubai::tools
