// What held at the time that a question asks of, among turns that all tell of the same thing.
#include "memory/date_expression.h"
#include "store_fixture.h"

namespace liubai {
namespace {

constexpr std::int64_t kDay = 86400000;
constexpr std::int64_t kJan1 = 1640995200000;  // 2022-01-01 00:00 UTC.

class HeldTest : public StoreAndRetriever {
 protected:
  TurnId Say(int day, const std::string& text) {
    NewTurn turn;
    turn.session_id = session_;
    turn.role = Role::kUser;
    turn.speaker = "user";
    turn.text = text;
    turn.time_ms = kJan1 + day * kDay;
    auto added = store_->AppendTurn(turn);
    EXPECT_TRUE(added.ok()) << added.status().ToString();
    return added.ok() ? *added : 0;
  }
  // The first of what is found at the end of 2023.
  TurnId First(const std::string& question) {
    RecallQuery query;
    query.text = question;
    query.now_ms = kJan1 + 729 * kDay;
    auto found = retriever_->Recall(query);
    EXPECT_TRUE(found.ok()) << found.status().ToString();
    return found.ok() && !found->hits.empty() ? found->hits.front().turn.id : 0;
  }
};

TEST_F(HeldTest, TheLastWordBeforeTheTimeAnswers) {
  const TurnId first = Say(10, "Our rent is 900 a month.");
  Say(40, "We went for a walk along the canal.");
  const TurnId second = Say(100, "From now on our rent is 950 a month.");
  Say(165, "In June we went to the lake and had plum cake.");
  Say(170, "The car needs a new battery.");
  const TurnId third = Say(400, "The rent is up: 1,020 a month.");
  EXPECT_EQ(First("What was our rent in February 2022?"), first);
  EXPECT_EQ(First("What was our rent in June 2022?"), second);
  EXPECT_EQ(First("What was our rent in December 2022?"), second);
  EXPECT_EQ(First("What was our rent in May 2023?"), third);
  EXPECT_EQ(First("What is our rent now?"), third);
  EXPECT_EQ(First("What was our rent at first?"), first);
}

TEST_F(HeldTest, InChineseToo) {
  const TurnId first = Say(10, "我们的房租是三千元。");
  Say(40, "今天去公园散步了。");
  const TurnId second = Say(100, "我们的房租涨到三千五百元了。");
  Say(165, "2022年6月要去一趟湖边。");
  const TurnId third = Say(400, "我们的房租又涨了，四千元。");
  EXPECT_EQ(First("2022年2月我们的房租是多少？"), first);
  EXPECT_EQ(First("2022年6月我们的房租是多少？"), second);
  EXPECT_EQ(First("我们现在的房租是多少？"), third);
  EXPECT_EQ(First("我们最初的房租是多少？"), first);
}

// Others' statements share the question's words, and one's own need not.
TEST_F(HeldTest, FactsTellWhoseStateItWas) {
  Say(5, "The parents of my colleague live in Winterthur.");
  const TurnId lund = Say(10, "Mum and Dad are in Lund.");
  Say(60, "My neighbour Walter works for Halden Optics, a company in the port.");
  const TurnId vela = Say(70, "First day at Vela Motors!");
  const TurnId moved = Say(300, "My parents have moved to Aarhus.");
  const TurnId job = Say(320, "I have changed jobs: Tidewater Press now.");
  EXPECT_EQ(First("In which town did my parents live in May 2022?"), lund);
  EXPECT_EQ(First("In which town do my parents live now?"), moved);
  EXPECT_EQ(First("Which company did I work for in June 2022?"), vela);
  EXPECT_EQ(First("Which company do I work for now?"), job);
}

// News in words that no rule reads still comes before what a rule has read.
TEST_F(HeldTest, UnreadNewsIsHeard) {
  Say(10, "Our rent is 900 a month.");
  const TurnId news = Say(100, "Our rent, believe it or not: 980 a month.");
  EXPECT_EQ(First("What is our rent now?"), news);
}

// What happened is of its time, whatever was said of the like before.
TEST_F(HeldTest, EventsStayWhereTheyWere) {
  Say(10, "We went hiking in the hills with Anna.");
  const TurnId june = Say(165, "We went hiking by the lake with Tom.");
  Say(400, "We went hiking on the coast.");
  EXPECT_EQ(First("Where did we go hiking in June 2022?"), june);
}

// A turn that looks back at the time counts, however late it is.
TEST_F(HeldTest, LookingBackCounts) {
  Say(10, "Our rent is 900 a month.");
  const TurnId back = Say(500, "In June 2022 our rent was 940 a month, I found the letter.");
  RecallQuery query;
  query.text = "What was our rent in June 2022?";
  query.now_ms = kJan1 + 729 * kDay;
  auto found = retriever_->Recall(query);
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  ASSERT_EQ(found->hits.size(), 2u);
  EXPECT_TRUE(found->hits[0].turn.id == back || found->hits[1].turn.id == back);
  for (const RecallHit& hit : found->hits) {
    for (const RecallSignal& signal : hit.signals) {
      if (hit.turn.id != back || signal.field != RecallField::kHeld) continue;
      EXPECT_GE(signal.share, 0);
    }
  }
}

TEST_F(HeldTest, AQuestionOfTimesOnlyIsSearchedAsItIs) {
  const TurnId turn = Say(165, "In June 2022 nothing much happened.");
  EXPECT_EQ(First("June 2022 now?"), turn);
  EXPECT_EQ(First("2022-06?"), turn);
}

}  // namespace
}  // namespace liubai
