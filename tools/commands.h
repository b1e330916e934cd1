// tools/commands.h: the makers of the subcommands, one line a file.
#pragma once

#include <memory>

#include "tools/command.h"

namespace liubai::tools {

std::unique_ptr<Command> MakeCompletion();  // cmd_completion.cc

}  // namespace liubai::tools
