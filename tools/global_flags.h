// tools/global_flags.h: the flags that every subcommand takes.
#pragma once

#include <string>

#include "tools/command.h"

namespace liubai::tools {

// `color` receives auto, on or off.
void DeclareGlobalFlags(Flags& flags, GlobalOptions& options, std::string& color);

}  // namespace liubai::tools
