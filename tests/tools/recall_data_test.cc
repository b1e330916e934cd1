#include "tools/recall_data.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/recall_metrics.h"

namespace liubai::tools {
namespace {

constexpr std::string_view kLocomo = R"([{"sample_id": "made-up", "conversation": {
  "speaker_a": "Ada", "speaker_b": "Ben",
  "session_1_date_time": "1:56 pm on 8 May, 2023",
  "session_1": [
    {"speaker": "Ada", "dia_id": "D1:1", "text": "I sold the cello."},
    {"speaker": "Ben", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red kite", "query": "LEAK", "img_url": ["x"]}],
  "session_2_date_time": "12:05 am on 9 May, 2023",
  "session_2": [{"speaker": "Ada", "dia_id": "D2:1", "text": "Good night."}],
  "session_3_date_time": "1:00 pm on 10 May, 2023"},
  "observation": {"x": "LEAK"}, "event_summary": {}, "session_summary": {},
  "qa": [
    {"question": "Who sold a cello?", "answer": "Ada", "category": 4, "evidence": ["D1:1"]},
    {"question": "Which kite?", "answer": 3, "category": 1, "evidence": ["D1:2; D2:01"]},
    {"question": "Broken?", "category": 2, "evidence": ["D", "D:11:26", "D9:9"]},
    {"question": "Never said?", "category": 5, "adversarial_answer": "x", "evidence": []}]}])";

TEST(Locomo, ReadsTurnsAndDropsWhatLeaks) {
  const auto data = ParseLocomo(kLocomo, "");
  ASSERT_TRUE(data.ok()) << data.status().ToString();
  ASSERT_EQ(data->conversations.size(), 1u);
  const LocomoConversation& conversation = data->conversations[0];
  ASSERT_EQ(conversation.sessions.size(), 2u);
  EXPECT_EQ(conversation.sessions[0].time_ms, 1683554160000);
  EXPECT_EQ(conversation.sessions[1].time_ms - conversation.sessions[0].time_ms,
            (10 * 60 + 9) * 60000);
  EXPECT_EQ(conversation.sessions[0].turns[1].text, "Look! [shares a red kite]");
  for (const LocomoSession& session : conversation.sessions) {
    for (const LocomoTurn& turn : session.turns)
      EXPECT_EQ(turn.text.find("LEAK"), std::string::npos);
  }
  EXPECT_EQ(data->dates_without_session, 1);
}

TEST(Locomo, ReadsEvidenceHoweverItIsWritten) {
  const auto data = ParseLocomo(kLocomo, "");
  ASSERT_TRUE(data.ok());
  const auto& questions = data->conversations[0].questions;
  ASSERT_EQ(questions.size(), 4u);
  EXPECT_EQ(questions[1].evidence, (std::vector<std::string>{"D1:2", "D2:1"}));
  EXPECT_TRUE(questions[2].evidence.empty());
  EXPECT_EQ(data->unknown_ids, 2);
  EXPECT_EQ(data->without_evidence, 2);
  EXPECT_EQ(data->questions, 4);
  EXPECT_EQ(questions[0].answer, "Ada");
  EXPECT_EQ(questions[1].answer, "3");  // A number in the file.
  EXPECT_EQ(questions[2].answer, "");
  EXPECT_EQ(questions[3].answer, "");
  EXPECT_EQ(FindDialogIds("D8:6; D9:17 D30:05 D:11:26 D x"),
            (std::vector<std::string>{"D8:6", "D9:17", "D30:5", "D11:26"}));
}

TEST(Locomo, CorrectsOnlyTheQuestionThatIsMeant) {
  const auto corrected = ParseLocomo(kLocomo, R"([
    {"question_id": "locomo_0_qa0", "question": "Who sold a cello?", "correct_evidence": ["D2:1"]},
    {"question_id": "locomo_0_qa1", "question": "Another question", "correct_evidence": ["D1:1"],
     "correct_answer": "one"},
    {"question_id": "locomo_0_qa2", "question": "Broken?", "correct_evidence": [],
     "correct_answer": 7}])");
  ASSERT_TRUE(corrected.ok());
  const auto& questions = corrected->conversations[0].questions;
  EXPECT_EQ(questions[0].evidence, std::vector<std::string>{"D1:1"});
  EXPECT_EQ(questions[0].corrected, std::vector<std::string>{"D2:1"});
  EXPECT_EQ(questions[1].corrected, questions[1].evidence);
  EXPECT_EQ(corrected->corrections, 1);
  EXPECT_EQ(questions[0].corrected_answer, "Ada");
  EXPECT_EQ(questions[1].corrected_answer, "3");
  EXPECT_EQ(questions[2].answer, "");
  EXPECT_EQ(questions[2].corrected_answer, "7");
}

TEST(Locomo, RefusesWhatIsNotInTheFormat) {
  for (const std::string_view bad : {"", "{}", "[1]", R"([{"conversation": {}}])",
                                     R"([{"conversation": {"session_1": []}, "qa": []}])"}) {
    EXPECT_EQ(ParseLocomo(bad, "").status().code(), StatusCode::kDataLoss) << bad;
  }
  EXPECT_FALSE(ParseLocomoTime("13:00 pm on 8 May, 2023").ok());
  EXPECT_FALSE(ParseLocomoTime("1:00 pm on 31 June, 2023").ok());
}

constexpr std::string_view kQuestion =
    R"({"question_id": "q1_abs", "question_type": "multi-session",
  "question": "How many?", "answer": 3, "question_date": "2023/05/30 (Tue) 23:40",
  "haystack_session_ids": ["answer_1", "plain", "answer_1"],
  "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/01 (Mon) 10:00", "2023/05/20 (Sat) 02:21"],
  "haystack_sessions": [[{"role": "user", "content": "two ] [ \" }", "has_answer": true},
                         {"role": "assistant", "content": "", "has_answer": false}],
                        [{"role": "user", "content": "nothing"}],
                        [{"role": "user", "content": "again"}]],
  "answer_session_ids": ["answer_1"]})";

TEST(LongMem, HashesIdsSortsByTimeAndStoresARepeatedSessionOnce) {
  const auto question = ParseLongMemQuestion(kQuestion);
  ASSERT_TRUE(question.ok()) << question.status().ToString();
  EXPECT_TRUE(question->abstention);
  EXPECT_TRUE(question->evidence_in_user_turn);
  EXPECT_EQ(question->repeated_sessions, 1);
  ASSERT_EQ(question->sessions.size(), 2u);
  EXPECT_FALSE(question->sessions[0].evidence);
  EXPECT_TRUE(question->sessions[1].evidence);
  EXPECT_LT(question->sessions[0].time_ms, question->sessions[1].time_ms);
  for (const LongMemSession& session : question->sessions) {
    EXPECT_EQ(session.hashed_id.find("answer"), std::string::npos);
    EXPECT_EQ(session.hashed_id.size(), 16u);
  }
  EXPECT_TRUE(question->sessions[1].turns[0].evidence);
  EXPECT_FALSE(question->sessions[1].turns[1].evidence);
}

TEST(LongMem, SplitsAnArrayByItsStructure) {
  const std::string text = "[ " + std::string(kQuestion) + ", {\"a\": [1, {}]} ]";
  const auto elements = SplitJsonArray(text);
  ASSERT_TRUE(elements.ok()) << elements.status().ToString();
  ASSERT_EQ(elements->size(), 2u);
  EXPECT_EQ((*elements)[0], kQuestion);
  for (const std::string_view bad : {"[{", "{}", "[1}]", "[[]]", "]", "[{\"a\": \"]"}) {
    EXPECT_FALSE(SplitJsonArray(bad).ok()) << bad;
  }
}

TEST(LongMem, RefusesArraysOfDifferentLengths) {
  nlohmann::json question = nlohmann::json::parse(kQuestion);
  question["haystack_dates"].erase(0);
  EXPECT_EQ(ParseLongMemQuestion(question.dump()).status().code(), StatusCode::kDataLoss);
  question = nlohmann::json::parse(kQuestion);
  question.erase("answer_session_ids");
  EXPECT_EQ(ParseLongMemQuestion(question.dump()).status().code(), StatusCode::kDataLoss);
}

TEST(RecallMetrics, CountsFractionAnyAllAndGain) {
  RecallSums sums;
  const std::vector<std::string> ranked = {"a", "x", "b", "y"}, evidence = {"a", "b"};
  sums.Add(ranked, evidence);
  const nlohmann::json json = sums.ToJson(true);
  EXPECT_EQ(json["n"], 1);
  EXPECT_DOUBLE_EQ(json["fraction@1"]["value"], 50.0);
  EXPECT_DOUBLE_EQ(json["fraction@5"]["value"], 100.0);
  EXPECT_DOUBLE_EQ(json["any@1"]["value"], 100.0);
  EXPECT_DOUBLE_EQ(json["all@1"]["value"], 0.0);
  EXPECT_DOUBLE_EQ(json["ndcg@1"], 100.0);
  // (1 + 1/log2 3) / (1 + 1/log2 2)
  EXPECT_NEAR(json["ndcg@5"].get<double>(), 81.55, 0.01);
}

TEST(RecallMetrics, WilsonsIntervalIsAsPublished) {
  const Interval interval = Wilson95(81, 263);  // Newcombe 1998, table I: 0.2553 to 0.3662.
  EXPECT_NEAR(interval.low, 0.2553, 5e-4);
  EXPECT_NEAR(interval.high, 0.3662, 5e-4);
  EXPECT_DOUBLE_EQ(Wilson95(0, 10).low, 0.0);
}

TEST(RecallMetrics, BaselinesFindWords) {
  const std::vector<std::string> texts = {"a boat", "the running horse", "horses run",
                                          "\"quoted\" OR"};
  auto fts = FtsBaseline::Open(texts);
  ASSERT_TRUE(fts.ok()) << fts.status().ToString();
  const auto found = (*fts)->Search("Do horses run?", 10);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 2u);
  EXPECT_TRUE((*fts)->Search("\"unbalanced AND (", 10).ok());
  EXPECT_EQ(GrepSearch(texts, "which horse?", 10), (std::vector<std::size_t>{1, 2}));
}

}  // namespace
}  // namespace liubai::tools
