// tools/embedder_flags.h: the flags with which subcommands name and load an embedder.
#pragma once

#include <memory>
#include <string>

#include "liubai/embedder.h"
#include "tools/command.h"
#include "tools/embedding_cache.h"

namespace liubai::tools {

struct EmbedderFlags {
  std::string embedder;  // A catalogue name or a path; "none"; empty: the default, if it is here.
  int embedder_threads = 0;

  // The present value of `embedder` is the default.
  void Declare(Flags& flags);
  // Null for "none", and, with a warning, where no embedder was named and the default is not here.
  Result<std::unique_ptr<Embedder>> Load(Invocation& call) const;
  // Of benchmarks, which encode much and often the same: vectors are kept between runs.
  Result<std::unique_ptr<CachedEmbedder>> LoadCached(Invocation& call) const;
  // As Load, but without an embedder it is an error.
  Result<std::unique_ptr<Embedder>> Require(Invocation& call) const;
};

}  // namespace liubai::tools
