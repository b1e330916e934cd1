// The labelled set: turns of our own in English and Chinese with every detail marked; what each
// part was used for says ledger_set/README.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "core/file_system.h"
#include "memory/ledger_score.h"

namespace liubai::memory {
namespace {

std::vector<LabelledTurn> LabelledSet() {
  std::vector<LabelledTurn> turns;
  for (const char* name : {"en.jsonl", "zh.jsonl"}) {
    const auto path =
        std::filesystem::path(LIUBAI_SOURCE_DIR) / "tests" / "memory" / "ledger_set" / name;
    const auto text = ReadFile(PosixFileSystem(), path.string());
    EXPECT_TRUE(text.ok()) << text.status().ToString();
    if (!text.ok()) continue;
    auto read = ReadLabelledTurns(*text, name);
    EXPECT_TRUE(read.ok()) << read.status().ToString();
    if (!read.ok()) continue;
    std::move(read->begin(), read->end(), std::back_inserter(turns));
  }
  return turns;
}

TEST(LedgerLabelled, TheSetIsWhole) {
  const auto turns = LabelledSet();
  std::map<std::string, int> parts;
  for (const LabelledTurn& turn : turns) ++parts[turn.part];
  EXPECT_GE(turns.size(), 420u);
  EXPECT_EQ(parts.size(), 9u);
  EXPECT_GE(parts["blind"], 120);
  EXPECT_GE(parts["talk-held"], 60);
  EXPECT_GE(parts["hand-held"], 160);
  EXPECT_GE((parts["check"] + parts["unseen"] + parts["blind"]) * 10,
            static_cast<int>(parts["dev"] + parts["check"] + parts["unseen"]) * 4);
}

void Print(std::string_view name, const DetailScore& score) {
  std::printf("%-10s %5lld %8.1f %8.1f %10.1f\n", std::string(name).c_str(),
              static_cast<long long>(score.labels), 100 * score.Recall(),
              score.labels == 0
                  ? 100.0
                  : 100.0 * static_cast<double>(score.kept) / static_cast<double>(score.labels),
              100 * score.Precision());
}

TEST(LedgerLabelled, TakesWhatAReaderMarked) {
  const LedgerScore score = ScoreLedger(LabelledSet());
  for (const auto& [part, kinds] : score.parts) {
    std::printf("%-10s %5s %8s %8s %10s\n", part.c_str(), "n", "recall", "kept", "precision");
    DetailScore all;
    for (std::size_t i = 0; i < kDetailKinds; ++i) {
      const auto kind = static_cast<DetailKind>(i);
      Print(DetailKindName(kind), kinds[i]);
      all += kinds[i];
      if (part != "dev" && part != "check") continue;
      EXPECT_GE(kinds[i].Recall(), 0.99) << part << " " << DetailKindName(kind);
      EXPECT_GE(kinds[i].Precision(), 0.90) << part << " " << DetailKindName(kind);
    }
    Print("all", all);
    const auto floor = [&](double recall, double precision) {
      EXPECT_GE(all.Recall(), recall) << part;
      EXPECT_GE(all.Precision(), precision) << part;
    };
    if (part == "unseen") floor(0.95, 0.95);
    if (part == "chat") floor(0.93, 0.97);
    if (part == "talk-read") floor(0.93, 0.96);
    // Turns by whose misses nothing was mended: what to expect of others.
    if (part == "blind") floor(0.89, 0.90);
    if (part == "talk-held") floor(0.85, 0.91);
    // By another hand: of the first half the misses were mended.
    if (part == "hand-read") floor(0.88, 0.95);
    if (part == "hand-held") floor(0.75, 0.84);
  }
}

TEST(LedgerLabelled, BadFilesAreNamed) {
  struct Case {
    std::string_view jsonl, says;
  };
  const Case cases[] = {
      {"", "marks.jsonl, line 1: no turn is there"},
      {"[1]", "marks.jsonl, line 1: is not a JSON object"},
      {"\n{\"id\": \"a\"", "marks.jsonl, line 2: is not a JSON object"},
      {R"({"id": "a", "labels": []})", "\"text\" is missing"},
      {R"({"id": "a", "text": "b"})", "\"labels\" is missing"},
      {R"({"id": "a", "text": "b", "labels": [{"kind": "colour", "text": "b"}]})",
       "\"colour\" is no kind of detail"},
      {R"({"id": "a", "text": "b", "labels": [{"kind": "name", "text": "c"}]})",
       "the label \"c\" is not in the text"},
  };
  for (const Case& one : cases) {
    const auto turns = ReadLabelledTurns(one.jsonl, "marks.jsonl");
    EXPECT_EQ(turns.status().code(), StatusCode::kInvalidArgument) << one.jsonl;
    EXPECT_NE(turns.status().ToString().find(one.says), std::string::npos)
        << turns.status().ToString();
  }
}

TEST(LedgerLabelled, AValueCountsWholeAndAStatementByHalf) {
  const auto score = [](std::string_view text, std::string_view kind, std::string_view label) {
    const std::string line =
        fmt::format(R"({{"id": "a", "text": "{}", "labels": [{{"kind": "{}", "text": "{}"}}]}})",
                    text, kind, label);
    const auto turns = ReadLabelledTurns(line, "one");
    EXPECT_TRUE(turns.ok()) << turns.status().ToString();
    return ScoreLedger(*turns).All()[static_cast<std::size_t>(*DetailKindOf(kind))];
  };
  EXPECT_EQ(score("The rent is $4,237 now.", "money", "$4,237").found, 1);
  const DetailScore less = score("The rent is $4,237 now.", "money", "rent is $4,237");
  EXPECT_EQ(less.found, 0) << "what is taken lacks a word of the label";
  EXPECT_EQ(less.details, 1);
  EXPECT_EQ(less.right, 0);
  EXPECT_EQ(score("I prefer tea to coffee.", "preference", "I prefer tea to coffee").found, 1);
}

}  // namespace
}  // namespace liubai::memory
