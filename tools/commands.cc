// The one table of subcommands: dispatch, help and completion are made from it.
#include "tools/commands.h"

namespace liubai::tools {
namespace {

constexpr CommandEntry kCommands[] = {
    {"completion", "Print a completion script for bash, zsh or fish",
     "source <(liubai completion bash)", MakeCompletion},
};

}  // namespace

std::span<const CommandEntry> AllCommands() { return kCommands; }

}  // namespace liubai::tools
