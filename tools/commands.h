// tools/commands.h: the makers of the subcommands, one line a file.
#pragma once

#include <memory>

#include "tools/command.h"

namespace liubai::tools {

std::unique_ptr<Command> MakeAsk();                 // cmd_ask.cc
std::unique_ptr<Command> MakeBenchDecode();         // bench_engine.cc
std::unique_ptr<Command> MakeBenchEmbed();          // bench_embed.cc
std::unique_ptr<Command> MakeBenchEmbedders();      // bench_embedders.cc
std::unique_ptr<Command> MakeBenchAnswer();         // bench_answer.cc
std::unique_ptr<Command> MakeBenchCompare();        // bench_compare.cc
std::unique_ptr<Command> MakeBenchNeedle();         // bench_needle.cc
std::unique_ptr<Command> MakeBenchPosition();       // bench_position.cc
std::unique_ptr<Command> MakeBenchFacts();          // bench_facts.cc
std::unique_ptr<Command> MakeBenchLedger();         // bench_ledger.cc
std::unique_ptr<Command> MakeBenchTurns();          // bench_turns.cc
std::unique_ptr<Command> MakeBenchPrefill();        // bench_engine.cc
std::unique_ptr<Command> MakeBenchLife();           // bench_life.cc
std::unique_ptr<Command> MakeBenchLoss();           // bench_loss.cc
std::unique_ptr<Command> MakeBenchLocomo();         // bench_locomo.cc
std::unique_ptr<Command> MakeBenchMadial();         // bench_madial.cc
std::unique_ptr<Command> MakeBenchLongMemEval();    // bench_longmemeval.cc
std::unique_ptr<Command> MakeBenchSearch();         // bench_search.cc
std::unique_ptr<Command> MakeBenchGolden();         // bench_golden.cc
std::unique_ptr<Command> MakeChat();                // cmd_chat.cc
std::unique_ptr<Command> MakeComplete();            // cmd_complete.cc
std::unique_ptr<Command> MakeTokenize();            // cmd_complete.cc
std::unique_ptr<Command> MakeScore();               // cmd_complete.cc
std::unique_ptr<Command> MakeCompletion();          // cmd_completion.cc
std::unique_ptr<Command> MakeDemo();                // cmd_demo.cc
std::unique_ptr<Command> MakeDoctor();              // cmd_doctor.cc
std::unique_ptr<Command> MakeEmbed();               // cmd_embed.cc
std::unique_ptr<Command> MakeExport();              // cmd_import.cc
std::unique_ptr<Command> MakeImport();              // cmd_import.cc
std::unique_ptr<Command> MakeInspectBlocks();       // cmd_inspect_blocks.cc
std::unique_ptr<Command> MakeInspectCompactions();  // cmd_inspect.cc
std::unique_ptr<Command> MakeInspectEssence();      // cmd_inspect_essences.cc
std::unique_ptr<Command> MakeInspectEssences();     // cmd_inspect_essences.cc
std::unique_ptr<Command> MakeInspectFacts();        // cmd_inspect_facts.cc
std::unique_ptr<Command> MakeInspectPages();        // cmd_inspect_window.cc
std::unique_ptr<Command> MakeInspectQuestion();     // cmd_inspect_question.cc
std::unique_ptr<Command> MakeInspectProfile();      // cmd_inspect_facts.cc
std::unique_ptr<Command> MakeInspectSummary();      // cmd_inspect.cc
std::unique_ptr<Command> MakeInspectTurns();        // cmd_inspect.cc
std::unique_ptr<Command> MakeInspectWindow();       // cmd_inspect_window.cc
std::unique_ptr<Command> MakeModelsFetch();         // cmd_models.cc
std::unique_ptr<Command> MakeModelsImport();        // cmd_models_file.cc
std::unique_ptr<Command> MakeModelsShow();          // cmd_models_file.cc
std::unique_ptr<Command> MakeTune();                // cmd_tune.cc
std::unique_ptr<Command> MakeBenchPolicy();         // cmd_tune.cc
std::unique_ptr<Command> MakeRecall();              // cmd_recall.cc
std::unique_ptr<Command> MakeModelsList();          // cmd_models.cc

}  // namespace liubai::tools
