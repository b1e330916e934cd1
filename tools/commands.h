// tools/commands.h: the makers of the subcommands, one line a file.
#pragma once

#include <memory>

#include "tools/command.h"

namespace liubai::tools {

std::unique_ptr<Command> MakeBenchDecode();   // bench_engine.cc
std::unique_ptr<Command> MakeBenchPrefill();  // bench_engine.cc
std::unique_ptr<Command> MakeBenchGolden();   // bench_engine.cc
std::unique_ptr<Command> MakeComplete();      // cmd_complete.cc
std::unique_ptr<Command> MakeTokenize();      // cmd_complete.cc
std::unique_ptr<Command> MakeScore();         // cmd_complete.cc
std::unique_ptr<Command> MakeCompletion();    // cmd_completion.cc
std::unique_ptr<Command> MakeModelsFetch();   // cmd_models.cc
std::unique_ptr<Command> MakeModelsList();    // cmd_models.cc

}  // namespace liubai::tools
