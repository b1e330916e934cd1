// The one table of subcommands: dispatch, help and completion are made from it.
#include "tools/commands.h"

namespace liubai::tools {
namespace {

constexpr CommandEntry kCommands[] = {
    {"ask", "Answer a question from what a memory holds",
     "liubai ask 'What did I pay for the boat?'", MakeAsk},
    {"bench decode", "Time the generation of single tokens",
     "liubai bench decode -m smollm2-135m --threads 2", MakeBenchDecode},
    {"bench embed", "Time the turning of texts into vectors",
     "liubai bench embed --embedder all-minilm-l6-v2 --embedder-threads 2", MakeBenchEmbed},
    {"bench golden", "Compare with the results of other implementations",
     "liubai bench golden tests/golden/tokens-smollm2-135m-instruct-q4_1.json -m smollm2-135m",
     MakeBenchGolden},
    {"bench locomo", "Measure the recall of turns over LoCoMo's conversations",
     "liubai bench locomo --data DATA --json", MakeBenchLocomo},
    {"bench longmemeval", "Measure the recall of sessions and turns over LongMemEval",
     "liubai bench longmemeval --data DATA --json", MakeBenchLongMemEval},
    {"bench prefill", "Time the reading of a prompt",
     "liubai bench prefill -m smollm2-135m --tokens 512", MakeBenchPrefill},
    {"bench search", "Time hybrid searches over many turns", "liubai bench search --turns 20000",
     MakeBenchSearch},
    {"chat", "Talk with an agent whose memory outlives its window",
     "liubai chat -p 'Hello! Who are you?'", MakeChat},
    {"bench turns", "Time the first token over one long conversation with an agent",
     "liubai bench turns --turns 100", MakeBenchTurns},
    {"complete", "Continue a text, or answer one message with --chat",
     "liubai complete -m smollm2-135m 'The capital of France is'", MakeComplete},
    {"completion", "Print a completion script for bash, zsh or fish",
     "source <(liubai completion bash)", MakeCompletion},
    {"demo", "Show exact recall from a conversation of ten windows", "liubai demo", MakeDemo},
    {"doctor", "Check the models, the memory and this machine", "liubai doctor", MakeDoctor},
    {"embed", "Turn texts into vectors",
     "liubai embed --embedder multilingual-e5-small --kind query 'Where is the key?'", MakeEmbed},
    {"export", "Write a conversation as JSON lines", "liubai export conversation.jsonl",
     MakeExport},
    {"import", "Take conversations in from JSON lines",
     "echo '{\"role\":\"user\",\"content\":\"I paid $4,237.\"}' | liubai import -", MakeImport},
    {"inspect blocks", "The labelled blocks that are always in the prompt", "liubai inspect blocks",
     MakeInspectBlocks},
    {"inspect compactions", "What each compaction kept, shelved and proved",
     "liubai inspect compactions --json", MakeInspectCompactions},
    {"inspect essences", "The summaries that stand for older turns", "liubai inspect essences",
     MakeInspectEssences},
    {"inspect facts", "Single statements with their sources", "liubai inspect facts --with-closed",
     MakeInspectFacts},
    {"inspect pages", "The KV pages that a conversation's context takes", "liubai inspect pages",
     MakeInspectPages},
    {"inspect summary", "How much a memory holds", "liubai inspect summary", MakeInspectSummary},
    {"inspect turns", "The last turns, or one turn whole", "liubai inspect turns --last 5",
     MakeInspectTurns},
    {"inspect window", "What the context of a conversation holds, part by part",
     "liubai inspect window", MakeInspectWindow},
    {"models fetch", "Bring models of the catalogue to this machine",
     "liubai models fetch smollm2-135m", MakeModelsFetch},
    {"models import", "Turn an encoder of another format into GGUF",
     "liubai models import all-minilm-l6-v2/ --type f16", MakeModelsImport},
    {"models list", "Show the catalogue and what of it is here", "liubai models list",
     MakeModelsList},
    {"models show", "What a model file says of itself", "liubai models show smollm2-135m",
     MakeModelsShow},
    {"recall", "Find turns of a memory", "liubai recall 'how much was the deposit?'", MakeRecall},
    {"score", "Measure how likely a text is", "liubai score -m smollm2-135m README.md", MakeScore},
    {"tokenize", "Show the tokens of a text", "liubai tokenize -m smollm2-135m 'Hello, 世界'",
     MakeTokenize},
};

}  // namespace

std::span<const CommandEntry> AllCommands() { return kCommands; }

}  // namespace liubai::tools
