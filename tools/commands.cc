// The one table of subcommands: dispatch, help and completion are made from it.
#include "tools/commands.h"

namespace liubai::tools {
namespace {

constexpr CommandEntry kCommands[] = {
    {"bench decode", "Time the generation of single tokens",
     "liubai bench decode -m smollm2-135m --threads 2", MakeBenchDecode},
    {"bench golden", "Compare with the results of other implementations",
     "liubai bench golden tests/golden/tokens-smollm2-135m-instruct-q4_1.json -m smollm2-135m",
     MakeBenchGolden},
    {"bench prefill", "Time the reading of a prompt",
     "liubai bench prefill -m smollm2-135m --tokens 512", MakeBenchPrefill},
    {"complete", "Continue a text, or answer one message with --chat",
     "liubai complete -m smollm2-135m 'The capital of France is'", MakeComplete},
    {"completion", "Print a completion script for bash, zsh or fish",
     "source <(liubai completion bash)", MakeCompletion},
    {"models fetch", "Bring models of the catalogue to this machine",
     "liubai models fetch smollm2-135m", MakeModelsFetch},
    {"models list", "Show the catalogue and what of it is here", "liubai models list",
     MakeModelsList},
    {"score", "Measure how likely a text is", "liubai score -m smollm2-135m README.md", MakeScore},
    {"tokenize", "Show the tokens of a text", "liubai tokenize -m smollm2-135m 'Hello, 世界'",
     MakeTokenize},
};

}  // namespace

std::span<const CommandEntry> AllCommands() { return kCommands; }

}  // namespace liubai::tools
