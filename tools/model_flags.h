// tools/model_flags.h: the flags with which subcommands name and load a language model.
#pragma once

#include <memory>
#include <string>

#include "liubai/language_model.h"
#include "tools/command.h"

namespace liubai::tools {

struct ModelFlags {
  std::string model;  // A catalogue name or a path; empty before Declare: the default chat model.
  int threads = 0;
  int context_tokens = 0;
  int default_context_tokens = 0;  // When the flag is not given; 0: the trained length.
  std::string kv_format = "q8";
  bool exact = false;

  void Declare(Flags& flags);
  Result<std::unique_ptr<LanguageModel>> Load(Invocation& call) const;
};

// The model's name, threads, instruction set: what every measurement states.
nlohmann::json DescribeModel(const ModelInfo& info);

}  // namespace liubai::tools
