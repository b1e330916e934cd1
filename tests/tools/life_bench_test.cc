// bench life and bench loss through the built program, small and without a model, and the parts
// that they are made of.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/tools/program_fixture.h"
#include "tools/context_baselines.h"
#include "tools/exact_details.h"
#include "tools/lived_memory.h"

namespace liubai::tools {
namespace {

using nlohmann::json;

class LifeBenchTest : public ProgramTest {
 protected:
  json RunJson(const std::string& args) {
    const Outcome ran = Run(args + " --json");
    EXPECT_EQ(ran.status, 0) << ran.err;
    json result = json::parse(ran.out, nullptr, false);
    EXPECT_TRUE(result.is_object()) << ran.out;
    return result;
  }
};

void ExpectShare(const json& share) {
  EXPECT_GE(share["low"].get<double>(), 0);
  EXPECT_LE(share["low"].get<double>(), share["value"].get<double>());
  EXPECT_LE(share["value"].get<double>(), share["high"].get<double>());
  EXPECT_LE(share["high"].get<double>(), 100);
  EXPECT_LE(share["hits"].get<int>(), share["n"].get<int>());
}

TEST_F(LifeBenchTest, LifeTellsOfEachTenthUnderItsBudget) {
  const json life = RunJson("bench life --sessions 20 --seed 3 --without-model --asked 20");
  EXPECT_EQ(life["bench"], "life");
  EXPECT_EQ(life["life"]["sessions"], 20);
  EXPECT_EQ(life["run"]["bench"], "bench life");
  EXPECT_EQ(life["run"]["configuration"]["seed"], 3);
  EXPECT_TRUE(life["run"].contains("machine") && life["run"].contains("commit"));
  EXPECT_TRUE(life["model"].is_null());
  ASSERT_EQ(life["tenths"].size(), 10u);
  int details = 0, turns = 0, asked = 0, next = 1;
  for (const json& tenth : life["tenths"]) {
    EXPECT_EQ(tenth["sessions"][0], next);
    EXPECT_EQ(tenth["sessions"][1], next + 1);
    next += 2;
    turns += tenth["turns"].get<int>();
    details += tenth["recall_at_5"]["n"].get<int>();
    asked += tenth["value_in_recalled_text"]["n"].get<int>();
    EXPECT_LE(tenth["prompt_tokens_max"], life["prompt"]["budget_tokens"]);
    EXPECT_GE(tenth["recall_at_10"]["hits"], tenth["recall_at_5"]["hits"]);
    EXPECT_GT(tenth["bytes"]["database"], tenth["bytes"]["text"]);
  }
  EXPECT_EQ(turns, life["life"]["turns"].get<int>());
  EXPECT_EQ(details, life["life"]["details"].get<int>());
  EXPECT_EQ(asked, 20);
  EXPECT_EQ(life["store"]["turns"], turns);
  EXPECT_EQ(life["prompt"]["max_tokens_by_session"].size(), 20u);
  ExpectShare(life["recall_at_5"]);
  ASSERT_EQ(life["value_in_prompt"].size(), 4u);
  for (const auto& [system, share] : life["value_in_prompt"].items()) {
    SCOPED_TRACE(system);
    ExpectShare(share);
    EXPECT_EQ(share["n"], 20);
  }
  // What was told long ago is found by a memory and is in no window.
  EXPECT_GE(life["recall_at_5"]["value"], 70);
  EXPECT_GT(life["value_in_prompt"]["liubai"]["hits"],
            life["value_in_prompt"]["sliding window"]["hits"]);
  EXPECT_GT(life["files"]["database"]["bytes_per_turn"], 0);
}

TEST_F(LifeBenchTest, LifeIsTheSameForTheSameSeed) {
  const std::string command = "bench life --sessions 6 --without-model --asked 10 --language zh";
  const json one = RunJson(command), same = RunJson(command),
             other = RunJson(command + " --seed 2");
  ASSERT_EQ(one["run"]["data"].size(), 1u);
  EXPECT_EQ(one["run"]["data"][0]["sha256"], same["run"]["data"][0]["sha256"]);
  EXPECT_EQ(one["recall_at_5"], same["recall_at_5"]);
  EXPECT_EQ(one["prompt"], same["prompt"]);
  EXPECT_NE(one["run"]["data"][0]["sha256"], other["run"]["data"][0]["sha256"]);
  EXPECT_EQ(one["recall_at_5_by_language"].size(), 1u);
  // Fewer sessions than ten: a part for each; people are told the same.
  ASSERT_EQ(one["tenths"].size(), 6u);
  EXPECT_EQ(one["tenths"][5]["sessions"], json({6, 6}));
  EXPECT_TRUE(one["tenths"][0]["recall_ms"].is_object());
  const Outcome shown = Run(command);
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_NE(shown.out.find("6–6"), std::string::npos) << shown.out;
}

void ExpectFates(const json& counts) {
  int hits = 0;
  double sum = 0;
  for (const char* fate : {"in_prompt", "proved", "found", "reported", "lost"}) {
    ExpectShare(counts[fate]);
    hits += counts[fate]["hits"].get<int>();
    sum += counts[fate]["value"].get<double>();
  }
  EXPECT_EQ(hits, counts["n"].get<int>());
  EXPECT_NEAR(sum, 100, 0.1);
}

TEST_F(LifeBenchTest, NothingIsLostInSilenceButByTheBaselines) {
  for (const char* language : {"en", "zh"}) {
    SCOPED_TRACE(language);
    const json loss =
        RunJson(fmt::format("bench loss --sessions 24 --without-model --language {}", language));
    EXPECT_EQ(loss["bench"], "loss");
    EXPECT_EQ(loss["conversations"], 1);
    EXPECT_GT(loss["compactions"], 0);
    const json& life = loss["systems"]["life"];
    ASSERT_EQ(life.size(), 4u);
    for (const auto& [system, counts] : life.items()) {
      SCOPED_TRACE(system);
      ExpectFates(counts);
      EXPECT_EQ(counts["n"], loss["details_known"]);
    }
    EXPECT_EQ(life["liubai"]["lost"]["hits"], 0) << loss["not_found"].dump(1);
    EXPECT_GT(life["liubai"]["proved"]["hits"], 0);
    for (const char* system : {"sliding window", "plain summary", "recursive summary"}) {
      EXPECT_GT(life[system]["lost"]["hits"], 0) << system;
      EXPECT_EQ(life[system]["proved"]["hits"], 0) << system;
    }
  }
}

TEST_F(LifeBenchTest, LossReadsSessionsOfLongMemEval) {
  // In the published form; the values are told once each.
  json sessions = json::array(), ids = json::array(), dates = json::array();
  for (int i = 0; i < 40; ++i) {
    json session = json::array();
    session.push_back(
        {{"role", "user"},
         {"content", fmt::format("My {} arrived from shop number {} today, and the "
                                 "bill was ${}.50 in total.",
                                 std::string(1, static_cast<char>('a' + i % 26)) + "lder chair",
                                 100 + i, 4000 + 17 * i)}});
    session.push_back({{"role", "assistant"}, {"content", "Enjoy it! Chairs last for decades."}});
    sessions.push_back(session);
    ids.push_back(fmt::format("s{}", i));
    dates.push_back(fmt::format("2023/{:02}/{:02} (Mon) 10:00", 1 + i / 20, 1 + i % 20));
  }
  json question = {{"question_id", "q1"},
                   {"question_type", "single-session-user"},
                   {"question", "What did I pay?"},
                   {"answer", "4000.50"},
                   {"question_date", "2023/05/30 (Tue) 23:40"},
                   {"haystack_session_ids", ids},
                   {"haystack_dates", dates},
                   {"haystack_sessions", sessions},
                   {"answer_session_ids", {"s0"}}};
  std::ofstream(folder_ / "small.json") << json::array({question});
  const json loss =
      RunJson("bench loss --sessions 5 --without-model --data small.json --questions 1 -c 1024");
  EXPECT_EQ(loss["conversations"], 2);
  ASSERT_EQ(loss["run"]["data"].size(), 2u);
  EXPECT_EQ(loss["run"]["data"][1]["sha256"].get<std::string>().size(), 64u);
  ASSERT_TRUE(loss["systems"].contains("longmemeval"));
  const json& ours = loss["systems"]["longmemeval"]["liubai"];
  ExpectFates(ours);
  EXPECT_GE(ours["n"], 80);
  EXPECT_EQ(ours["lost"]["hits"], 0) << loss["not_found"].dump(1);
  EXPECT_GT(loss["systems"]["longmemeval"]["sliding window"]["lost"]["value"], 30);
}

TEST_F(LifeBenchTest, RefusesWhatCannotBe) {
  for (const auto& [args, status, says] : {
           std::tuple("bench life --sessions 4 --without-model", 2, "5"),
           std::tuple("bench life --sessions 601 --without-model", 2, "600"),
           std::tuple("bench loss --language fr --without-model", 2, "mixed"),
           std::tuple("bench loss --without-model --compaction model", 2, "--without-model"),
           std::tuple("bench loss --sessions 5 --without-model --data nowhere", 1, "nowhere"),
           std::tuple("bench life --sessions 5 --without-model -c 100", 1, "256"),
       }) {
    SCOPED_TRACE(args);
    const Outcome ran = Run(args);
    EXPECT_EQ(ran.status, status) << ran.err;
    EXPECT_NE(ran.err.find(says), std::string::npos) << ran.err;
  }
}

TEST(ExactDetailsTest, FindsValuesOfBothLanguages) {
  const auto found = FindExactDetails(
      "1. I paid $4,237.50 to Anna Berg on 8 May 2023, write to a.berg@mail.example.\n"
      "See https://maps.example/x?id=3 at 10:30 am, 12 % off.\n"
      "我3月14日花了260元，订单号88213，另付€95。");
  const auto has = [&](std::string_view kind, std::string_view value) {
    return std::any_of(found.begin(), found.end(), [&](const ExactDetail& detail) {
      return detail.kind == kind && detail.value == value;
    });
  };
  EXPECT_TRUE(has("money", "$4,237.50"));
  EXPECT_TRUE(has("name", "Anna Berg"));
  EXPECT_TRUE(has("date", "8 May 2023"));
  EXPECT_TRUE(has("email", "a.berg@mail.example"));
  EXPECT_TRUE(has("url", "https://maps.example/x?id=3"));
  EXPECT_TRUE(has("time", "10:30 am"));
  EXPECT_TRUE(has("percent", "12 %"));
  EXPECT_TRUE(has("date", "3月14日"));
  EXPECT_TRUE(has("money", "260元"));
  EXPECT_TRUE(has("money", "€95"));
  EXPECT_TRUE(has("number", "88213"));
  EXPECT_FALSE(has("number", "1")) << "counts the lines";
  for (const ExactDetail& detail : found) {
    EXPECT_EQ(detail.question.find(detail.value), std::string::npos) << detail.question;
    EXPECT_NE(detail.sentence.find(detail.value), std::string::npos);
  }
  EXPECT_TRUE(FindExactDetails("").empty());
  EXPECT_TRUE(FindExactDetails("nothing here").empty());
}

TEST(ExactDetailsTest, AsksWithTheSentenceBeforeWhereItsOwnSaysTooLittle) {
  const auto found = FindExactDetails("The greenhouse heater broke again. It cost $310.");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].question.find("greenhouse"), std::string::npos) << found[0].question;
  const ExactDetail known = DetailAt("We moved. The boiler is from Lund.", "name", "Lund");
  EXPECT_EQ(known.sentence, "The boiler is from Lund.");
  EXPECT_EQ(known.question.find("Lund"), std::string::npos);
}

TEST(ExactDetailsTest, TakesTextsThatAreNoSentences) {
  const std::string page(100'000, 'x'), digits(50'000, '7');
  EXPECT_TRUE(FindExactDetails(page).empty());
  EXPECT_FALSE(FindExactDetails(digits).empty());
  EXPECT_TRUE(FindExactDetails("...!!!???\n\n\n").empty());
}

Turn Said(bool user, const std::string& text) {
  Turn turn;
  turn.role = user ? Role::kUser : Role::kAssistant;
  turn.text = text;
  return turn;
}

int Words(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), ' ')) + 1;
}

TEST(ContextBaselineTest, EachKeepsToItsTokensAndToItsKind) {
  for (const BaselineKind kind : kBaselines) {
    SCOPED_TRACE(BaselineName(kind));
    int summaries = 0, with_before = 0;
    ContextBaseline baseline(kind, 120, Words,
                             [&](std::string_view before, const std::vector<Turn>& turns,
                                 int max_tokens, std::stop_token) -> Result<std::string> {
                               ++summaries;
                               with_before += !before.empty();
                               EXPECT_FALSE(turns.empty());
                               EXPECT_GT(max_tokens, 0);
                               return fmt::format("Summary {} of {}", summaries, turns.size());
                             });
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(
          baseline.Add(Said(i % 2 == 0, fmt::format("turn {} says one thing or two", i)), {}).ok());
      EXPECT_LE(baseline.tokens(), 120);
    }
    EXPECT_NE(baseline.Text().find("turn 59 "), std::string::npos);
    EXPECT_EQ(baseline.Text().find("turn 0 "), std::string::npos);
    const bool slides = kind == BaselineKind::kSlidingWindow;
    EXPECT_EQ(summaries > 2, !slides);
    EXPECT_EQ(baseline.Summary().empty(), slides);
    EXPECT_EQ(with_before > 0, kind == BaselineKind::kRecursiveSummary);
  }
}

TEST(ReplayModelTest, SaysWhatItIsGivenAndNothingOfItsOwn) {
  ReplayModel model(nullptr, 512);
  const std::string text = "The rent is 1,450 euros; 房租三千。";
  const auto tokens = model.Tokenize(text);
  EXPECT_EQ(model.Detokenize(tokens), text);
  EXPECT_GE(tokens.size(), 15u);
  EXPECT_LE(tokens.size(), 22u);
  auto context = std::move(*model.NewContext());
  EXPECT_EQ(context->Generate({}).status().code(), StatusCode::kFailedPrecondition);
  ASSERT_TRUE(context->Append({SegmentKind::kTurn, 1, tokens}).ok());
  model.GiveReply("Noted: 1,450.");
  const auto said = context->Generate({});
  ASSERT_TRUE(said.ok());
  EXPECT_EQ(said->text, "Noted: 1,450.");
  EXPECT_EQ(said->prompt_tokens, static_cast<int>(tokens.size()));
  ASSERT_EQ(model.last_prompt().size(), 1u);
  EXPECT_EQ((*context->Fork())->Generate({}).status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(context->Append({SegmentKind::kTurn, 2, std::vector<TokenId>(600, 0)}).code(),
            StatusCode::kInvalidArgument);
}

TEST(LivedMemoryTest, AsksACopyAndLeavesTheMemoryAsItWas) {
  ReplayModel model(nullptr, 1024);
  LivedOptions options;
  options.window_tokens = 1024;
  auto opened = LivedMemory::Open(model, nullptr, options);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  LivedMemory& memory = **opened;
  constexpr std::int64_t kTime = 1'700'000'000'000;
  std::vector<KnownTurn> turns = {{true, "The deposit for the kitchen was $4,237.", kTime},
                                  {false, "Noted.", kTime + 1}};
  for (int i = 0; i < 40; ++i) {
    turns.push_back(
        {true, fmt::format("Today I watered plant {} and read for hours.", i), kTime + i});
    turns.push_back({false, "That sounds like a quiet day, enjoy the rest of it.", kTime + i});
  }
  int replies = 0;
  ASSERT_TRUE(memory.Speak(turns, [&](const Reply&) { ++replies; }).ok());
  EXPECT_EQ(replies, 41);
  ASSERT_EQ(memory.turn_ids().size(), 82u);
  const auto before = memory.store().Stats();
  std::string prompt;
  const auto reply = memory.AskCopy("What was the deposit for the kitchen?", kTime + 1000, &prompt);
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_NE(prompt.find("$4,237"), std::string::npos) << prompt;
  EXPECT_NE(prompt.find("What was the deposit"), std::string::npos);
  EXPECT_EQ(memory.store().Stats()->turns, before->turns);
  const auto text = memory.PromptText();
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("plant 39"), std::string::npos);
  // A sitting elsewhere is taken up where it was left.
  ASSERT_TRUE(memory.Append(std::vector<KnownTurn>{{true, "Back again.", kTime + 2000}}).ok());
  EXPECT_EQ(memory.store().Stats()->turns, 83);
  const auto bytes = memory.Bytes();
  ASSERT_TRUE(bytes.ok());
  EXPECT_GT(bytes->database, bytes->text);
}

}  // namespace
}  // namespace liubai::tools
