// tools/embedder_flags.h: the flags with which subcommands name and load an embedder.
#pragma once

#include <memory>
#include <string>

#include "liubai/embedder.h"
#include "tools/command.h"

namespace liubai::tools {

struct EmbedderFlags {
  std::string embedder;  // A catalogue name or a path; "none"; empty: the default, if it is here.
  int embedder_threads = 0;

  void Declare(Flags& flags);
  // Null for "none", and, with a warning, where no embedder was named and the default is not here.
  Result<std::unique_ptr<Embedder>> Load(Invocation& call) const;
  // As above, but without an embedder it is an error.
  Result<std::unique_ptr<Embedder>> Require(Invocation& call) const;
};

}  // namespace liubai::tools
