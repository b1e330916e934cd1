#include "memory/facts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>

#include "core/text.h"
#include "liubai/store.h"
#include "memory/facts_resolve.h"
#include "memory/jsonl.h"
#include "memory/profile.h"
#include "tests/memory/facts_set.h"

namespace liubai::memory {
namespace {

std::int64_t Day(std::string_view day) { return *ParseTime(day); }

Turn UserTurn(std::string_view text) {
  Turn turn;
  turn.id = 1;
  turn.role = Role::kUser;
  turn.text = std::string(text);
  turn.time_ms = Day("2024-03-04 10:00");
  return turn;
}

std::string Key(std::string_view subject, std::string_view attribute, std::string_view value) {
  return fmt::format("{} | {} | {}", subject, attribute, value);
}

std::string Written(const Claim& claim) {
  std::string subject = claim.subject;
  if (subject.starts_with("User")) subject.replace(0, 4, "me");
  const char* mark = claim.kind == ClaimKind::kFormer     ? "~"
                     : claim.kind == ClaimKind::kEnded    ? "-"
                     : claim.kind == ClaimKind::kCorrects ? "!"
                                                          : "";
  return fmt::format("{}{}", mark, Key(subject, claim.attribute, claim.value));
}

// "*": any value will do. A value in more or fewer words is the same value.
bool Meets(std::string_view expected, std::string_view written) {
  if (expected == written) return true;
  const auto value = expected.rfind(" | ") + 3, other = written.rfind(" | ") + 3;
  if (expected.substr(0, value) != written.substr(0, other)) return false;
  const auto attribute = expected.find(" | ") + 3;
  return expected.substr(value) == "*" ||
         SameValue(expected.substr(attribute, value - 3 - attribute), expected.substr(value),
                   written.substr(other));
}

struct Score {
  double recall = 0, precision = 0;
  int false_alarms = 0;  // Turns without facts that give some.
};

Score ScoreOf(const std::string& name, const std::vector<LabelledTurn>& set) {
  int expected = 0, found = 0, written = 0, right = 0, quiet = 0;
  Score score;
  for (const LabelledTurn& turn : set) {
    std::vector<std::string> claims;
    for (const Claim& claim : ExtractClaims(UserTurn(turn.text))) claims.push_back(Written(claim));
    expected += static_cast<int>(turn.facts.size());
    written += static_cast<int>(claims.size());
    if (turn.facts.empty()) {
      ++quiet;
      score.false_alarms += !claims.empty();
    }
    for (std::string_view fact : turn.facts) {
      const bool hit = std::any_of(claims.begin(), claims.end(),
                                   [&](const std::string& claim) { return Meets(fact, claim); });
      found += hit;
      if (!hit) std::printf("missed: %s  <- %s\n", std::string(fact).c_str(), turn.text.c_str());
    }
    for (const std::string& claim : claims) {
      const bool hit = std::any_of(turn.facts.begin(), turn.facts.end(),
                                   [&](std::string_view fact) { return Meets(fact, claim); });
      right += hit;
      if (!hit) std::printf("too much: %s  <- %s\n", claim.c_str(), turn.text.data());
    }
  }
  score.recall = static_cast<double>(found) / expected;
  score.precision = static_cast<double>(right) / written;
  std::printf(
      "%s: %zu turns, %d facts: recall %.1f %%, precision %.1f %%; %d turns without facts, "
      "%d with a false one\n",
      name.c_str(), set.size(), expected, 100 * score.recall, 100 * score.precision, quiet,
      score.false_alarms);
  return score;
}

TEST(FactsTest, FindsWhatIsSaidAndNothingElse) {
  const Score score = ScoreOf("facts_set.jsonl", FactsSet());
  EXPECT_GE(FactsSet().size(), 120u);
  EXPECT_GE(score.recall, 0.95);
  EXPECT_GE(score.precision, 0.95);
  EXPECT_LE(score.false_alarms, 1);
}

TEST(FactsTest, ReadsStatesOfEveryDay) {
  for (const std::string name : {"facts_everyday.jsonl", "facts_everyday_held.jsonl"}) {
    const std::vector<LabelledTurn> set = ReadFactsSet(name);
    const Score score = ScoreOf(name, set);
    EXPECT_GE(set.size(), 70u) << name;
    EXPECT_GE(score.recall, 0.9) << name;
    EXPECT_GE(score.precision, 0.9) << name;
    EXPECT_LE(score.false_alarms, 1) << name;
  }
}

// What is said on which day, and what then holds. "-": nothing else of that attribute holds.
struct Said {
  std::string_view day;
  std::string_view text;
};
struct Sequence {
  std::vector<Said> said;
  std::string_view subject;
  std::string_view attribute;
  std::vector<std::string_view> states;  // "value: state", in the order of ids.
};

const std::vector<Sequence>& Sequences() {
  static const auto* sequences = new std::vector<Sequence>{
      {{{"2023-01-01", "I live in Lyon."}, {"2023-06-01", "I moved to Paris."}},
       "User",
       "home",
       {"Lyon: closed", "Paris: valid"}},
      {{{"2023-01-01", "I live in Lyon."}, {"2023-06-01", "I live in Paris."}},
       "User",
       "home",
       {"Lyon: closed", "Paris: valid"}},
      {{{"2023-01-01", "I live in Lyon."}, {"2023-06-01", "I used to live in Lyon."}},
       "User",
       "home",
       {"Lyon: closed", "Lyon: closed"}},
      {{{"2023-01-01", "I live in Lyon."}, {"2023-06-01", "I don't live in Lyon anymore."}},
       "User",
       "home",
       {"Lyon: closed"}},
      {{{"2023-01-01", "I live in Lyon."}, {"2023-01-01", "I live in Paris."}},
       "User",
       "home",
       {"Lyon: disputed", "Paris: disputed"}},
      {{{"2023-01-01", "I live in Lyon."},
        {"2023-01-01", "I live in Paris."},
        {"2023-02-01", "I live in Paris."}},
       "User",
       "home",
       {"Lyon: closed", "Paris: valid", "Paris: valid"}},
      {{{"2023-01-01", "I live in Lyon."}, {"2023-01-02", "I live in Lyon, France."}},
       "User",
       "home",
       {"Lyon: valid", "Lyon, France: valid"}},
      {{{"2023-01-01", "I'm 80."}, {"2023-01-01", "No, 18, not 80."}},
       "User",
       "age",
       {"80: wrong", "18: valid"}},
      {{{"2023-01-01", "I'm 80."}, {"2023-01-01", "Sorry, I'm 18, not 80."}},
       "User",
       "age",
       {"80: wrong", "18: valid"}},
      {{{"2023-01-01", "I'm 34."}, {"2024-02-01", "I'm 35."}},
       "User",
       "age",
       {"34: closed", "35: valid"}},
      {{{"2023-01-01", "I'm 34."}, {"2023-02-01", "I'm 52."}},
       "User",
       "age",
       {"34: disputed", "52: disputed"}},
      {{{"2023-01-01", "My sister is called Anna."}, {"2023-01-01", "I meant Hanna."}},
       "User",
       "sister",
       {"Anna: wrong", "Hanna: valid"}},
      {{{"2023-01-01", "My birthday is on 3 March."}, {"2023-05-01", "My birthday is on 4 May."}},
       "User",
       "birthday",
       {"3 March: disputed", "4 May: disputed"}},
      {{{"2023-01-01", "My birthday is on 3 March."},
        {"2023-05-01", "Correction: my birthday is on 4 May."}},
       "User",
       "birthday",
       {"3 March: wrong", "4 May: valid"}},
      {{{"2023-01-01", "I love coffee."}, {"2023-05-01", "I don't like coffee any more."}},
       "User",
       "likes",
       {"coffee: closed"}},
      {{{"2023-01-01", "I love coffee."}, {"2023-05-01", "I hate coffee."}},
       "User",
       "likes",
       {"coffee: closed"}},
      {{{"2023-01-01", "I love coffee."}, {"2023-05-01", "I love tea."}},
       "User",
       "likes",
       {"coffee: valid", "tea: valid"}},
      {{{"2023-01-01", "I have a dog named Max."},
        {"2023-02-01", "I have a cat named Miso."},
        {"2023-05-01", "I no longer have a dog."}},
       "User",
       "pet",
       {"Max (dog): closed", "Miso (cat): valid"}},
      {{{"2023-01-01", "I have a dog named Max."}, {"2023-05-01", "Our dog Max passed away."}},
       "User",
       "pet",
       {"Max (dog): closed"}},
      {{{"2023-01-01", "I'm a nurse at St. Mary's Hospital."}, {"2023-05-01", "I quit my job."}},
       "User",
       "employer",
       {"St. Mary's Hospital: closed"}},
      {{{"2023-01-01", "I work at Acme."}, {"2023-05-01", "I started working at Globex."}},
       "User",
       "employer",
       {"Acme: closed", "Globex: valid"}},
      {{{"2023-01-01", "I drive a Honda Civic."},
        {"2023-05-01", "I sold my car and bought a Tesla."}},
       "User",
       "car",
       {"Honda Civic: closed", "Tesla: valid"}},
      {{{"2023-01-01", "I'm single."}, {"2023-05-01", "I got married to Daniel."}},
       "User",
       "relationship",
       {"single: closed", "married: valid"}},
      {{{"2023-01-01", "My sister Anna lives in Porto."},
        {"2023-05-01", "My sister moved to Madrid."}},
       "Anna",
       "home",
       {"Porto: closed", "Madrid: valid"}},
      {{{"2023-01-01", "My favourite colour is teal."},
        {"2023-05-01", "My favourite colour is now red."}},
       "User",
       "favourite colour",
       {"teal: closed", "red: valid"}},
      {{{"2023-01-01", "I'm vegetarian."}, {"2023-05-01", "I'm not vegetarian anymore."}},
       "User",
       "diet",
       {"vegetarian: closed"}},
      {{{"2023-01-01", "我住在北京。"}, {"2023-05-01", "我搬到了上海。"}},
       "User",
       "home",
       {"北京: closed", "上海: valid"}},
      {{{"2023-01-01", "我住在上海。"}, {"2023-05-01", "我以前住在北京。"}},
       "User",
       "home",
       {"上海: valid", "北京: closed"}},
      {{{"2023-01-01", "我今年80岁。"}, {"2023-01-01", "不是80，是18。"}},
       "User",
       "age",
       {"80: wrong", "18: valid"}},
      {{{"2023-01-01", "我喜欢喝咖啡。"}, {"2023-05-01", "我不再喝咖啡了。"}},
       "User",
       "likes",
       {"喝咖啡: closed"}},
      {{{"2023-01-01", "我养了一只猫。"}, {"2023-05-01", "我不养猫了。"}},
       "User",
       "pet",
       {"猫: closed"}},
      {{{"2023-01-01", "我的生日是3月5日。"}, {"2023-01-01", "更正：我的生日是3月15日。"}},
       "User",
       "birthday",
       {"3月5日: wrong", "3月15日: valid"}},
      {{{"2023-01-01", "我是老师。"}, {"2023-05-01", "我退休了。"}},
       "User",
       "job",
       {"老师: closed", "退休: valid"}},
      {{{"2023-01-01", "我在腾讯公司工作。"}, {"2023-05-01", "我上个月辞职了。"}},
       "User",
       "employer",
       {"腾讯公司: closed"}},
      {{{"2023-01-01", "My salary is 52,000 a year."},
        {"2023-03-01", "My sister's salary is 70,000 a year."},
        {"2023-05-01", "I got a raise: 58,000 a year."}},
       "User",
       "salary",
       {"52,000 a year: closed", "58,000 a year: valid"}},
      {{{"2023-01-01", "I go to work by tram."}, {"2023-05-01", "These days I cycle to work."}},
       "User",
       "commute",
       {"by tram: closed", "cycle: valid"}},
      {{{"2023-01-01", "We live at 14 Mill Street."},
        {"2023-05-01", "We moved house! The new address is 3 Elm Row."}},
       "User",
       "address",
       {"14 Mill Street: closed", "3 Elm Row: valid"}},
      {{{"2023-01-01", "Our landlord is called Bauer."},
        {"2023-05-01", "Anna's landlord is called Kim."},
        {"2023-06-01", "We have a new landlord called Lund."}},
       "User",
       "landlord",
       {"Bauer: closed", "Lund: valid"}},
      {{{"2023-01-01", "The wifi password is plum-4471."},
        {"2023-05-01", "I changed the wifi password to fig-9023."}},
       "User",
       "wifi password",
       {"plum-4471: closed", "fig-9023: valid"}},
      {{{"2023-01-01", "My favourite restaurant is Casa Verde."},
        {"2023-05-01", "Of all restaurants I like Lotus Garden best now."}},
       "User",
       "favourite restaurant",
       {"Casa Verde: closed", "Lotus Garden: valid"}},
      {{{"2023-01-01", "My best time over ten kilometres is 52:10."},
        {"2023-05-01", "I ran 10k in 49:48, a new record."}},
       "User",
       "best time over 10 km",
       {"52:10: closed", "49:48: valid"}},
      {{{"2023-01-01", "我的年薪是二十万。"},
        {"2023-03-01", "李娜的年薪是四十万。"},
        {"2023-05-01", "我现在一年挣二十五万。"}},
       "User",
       "salary",
       {"二十万: closed", "二十五万: valid"}},
      {{{"2023-01-01", "我在青石设计上班。"}, {"2023-05-01", "我换工作了，新公司是云杉科技。"}},
       "User",
       "employer",
       {"青石设计: closed", "云杉科技: valid"}},
      {{{"2023-01-01", "我们住在柳荫街12号。"}, {"2023-05-01", "我们搬到了长乐路88号。"}},
       "User",
       "address",
       {"柳荫街12号: closed", "长乐路88号: valid"}},
      {{{"2023-01-01", "大门密码是4021。"},
        {"2023-03-01", "小罗家的大门密码是9999。"},
        {"2023-05-01", "物业把大门密码改成7254了。"}},
       "User",
       "door code",
       {"4021: closed", "7254: valid"}},
      {{{"2023-01-01", "我单身。"}, {"2023-05-01", "我和王芳结婚了。"}},
       "User",
       "relationship",
       {"single: closed", "married: valid"}},
  };
  return *sequences;
}

std::string_view StateName(FactState state) {
  static constexpr std::string_view kNames[] = {"valid", "closed", "wrong", "disputed"};
  return kNames[static_cast<std::size_t>(state)];
}

class FactStoreTest : public ::testing::Test {
 protected:
  void SetUp() override { Reopen(); }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  void Reopen(const StoreOptions& options = {}) {
    store_.reset();
    if (folder_.empty()) {
      std::string pattern = ::testing::TempDir() + "liubai-facts-XXXXXX";
      ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
      folder_ = pattern;
    }
    auto store = Store::Open(folder_, options);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
  }
  void Fresh() {
    TearDown();
    folder_.clear();
    Reopen();
  }
  TurnId Say(std::string_view day, std::string_view text, std::string_view speaker = "",
             Role role = Role::kUser) {
    NewTurn turn;
    turn.session_id = *store_->EnsureSession("talk");
    turn.role = role;
    turn.text = std::string(text);
    turn.speaker = std::string(speaker);
    turn.time_ms = Day(day);
    auto id = store_->AppendTurn(turn);
    EXPECT_TRUE(id.ok()) << id.status().ToString();
    return *id;
  }
  std::vector<std::string> States(std::string_view subject, std::string_view attribute) {
    FactFilter filter;
    filter.subject = std::string(subject);
    filter.attribute = std::string(attribute);
    filter.history = true;
    std::vector<std::string> states;
    auto facts = store_->FindFacts(filter);
    for (const Fact& fact : *facts) {
      states.push_back(fmt::format("{}: {}", fact.value, StateName(fact.state)));
    }
    return states;
  }
  std::vector<std::string> AsOf(std::string_view day, std::string_view attribute) {
    FactFilter filter;
    filter.subject = "user";  // Any case of letters.
    filter.attribute = std::string(attribute);
    filter.as_of_ms = Day(day);
    std::vector<std::string> values;
    auto facts = store_->FindFacts(filter);
    for (const Fact& fact : *facts) values.push_back(fact.value);
    return values;
  }

  std::string folder_;
  std::unique_ptr<Store> store_;
};

TEST_F(FactStoreTest, LaterWordsCloseCorrectOrDispute) {
  int right = 0;
  for (const Sequence& sequence : Sequences()) {
    Fresh();
    for (const Said& said : sequence.said) Say(said.day, said.text);
    const auto states = States(sequence.subject, sequence.attribute);
    const bool same = states.size() == sequence.states.size() &&
                      std::equal(states.begin(), states.end(), sequence.states.begin());
    right += same;
    EXPECT_TRUE(same) << sequence.said.back().text << " gives "
                      << fmt::format("{}", fmt::join(states, "; "));
  }
  std::printf("%d of %zu sequences end as they should\n", right, Sequences().size());
}

TEST_F(FactStoreTest, TellsWhatHeldAtATime) {
  Say("2023-01-01", "I live in Lyon.");
  Say("2023-06-15", "I moved to Paris last month.");
  Say("2023-07-01", "I used to live in Ghent until 2020.");
  Say("2023-08-01", "I have worked at Acme since 2016.");
  EXPECT_EQ(AsOf("2023-04-30", "home"), std::vector<std::string>{"Lyon"});
  EXPECT_EQ(AsOf("2023-05-02", "home"), std::vector<std::string>{"Paris"});
  EXPECT_EQ(AsOf("2019-01-01", "home"), std::vector<std::string>{"Ghent"});
  EXPECT_EQ(AsOf("2021-01-01", "home"), std::vector<std::string>{});
  EXPECT_EQ(AsOf("2017-01-01", "employer"), std::vector<std::string>{"Acme"});
  EXPECT_EQ(AsOf("2015-12-31", "employer"), std::vector<std::string>{});
}

TEST_F(FactStoreTest, WhatADeletedTurnEndedHoldsAgain) {
  Say("2023-01-01", "I live in Lyon.");
  const TurnId moved = Say("2023-06-01", "I moved to Paris.");
  ASSERT_EQ(States("User", "home"), (std::vector<std::string>{"Lyon: closed", "Paris: valid"}));
  auto receipt = store_->DeleteTurns({&moved, 1});
  ASSERT_TRUE(receipt.ok());
  EXPECT_EQ(receipt->facts.size(), 1u);
  EXPECT_EQ(States("User", "home"), std::vector<std::string>{"Lyon: valid"});

  // A third home ends the first when the second was never said.
  const TurnId rome = Say("2023-07-01", "I moved to Rome.");
  Say("2023-08-01", "I moved to Oslo.");
  ASSERT_TRUE(store_->DeleteTurns({&rome, 1}).ok());
  EXPECT_EQ(States("User", "home"), (std::vector<std::string>{"Lyon: closed", "Oslo: valid"}));
}

TEST_F(FactStoreTest, EachTurnGivesItsFactsOnce) {
  NewTurn turn;
  turn.session_id = *store_->EnsureSession("talk");
  turn.text = "I'm allergic to peanuts.";
  turn.idempotency_key = "once";
  ASSERT_TRUE(store_->AppendTurn(turn).ok());
  ASSERT_TRUE(store_->AppendTurn(turn).ok());  // Known already.
  Reopen();
  EXPECT_EQ(States("User", "allergy"), std::vector<std::string>{"peanuts: valid"});

  // Turns of a writer that wants no facts get them from the next one that does.
  StoreOptions without;
  without.facts = false;
  Reopen(without);
  Say("2024-01-01", "I'm allergic to kiwi.");
  EXPECT_EQ(States("User", "allergy").size(), 1u);
  Reopen();
  EXPECT_EQ(States("User", "allergy"), (std::vector<std::string>{"peanuts: valid", "kiwi: valid"}));
  EXPECT_TRUE(store_->Verify()->empty());
}

TEST_F(FactStoreTest, BelievesNeitherToolsNorLongRepliesOfAModel) {
  Say("2024-01-01", "I live in Lyon.", "", Role::kTool);
  Say("2024-01-01", "I live in Lyon.", "", Role::kSystem);
  Say("2024-01-01", "I live in Lyon. " + std::string(500, 'x'), "", Role::kAssistant);
  EXPECT_TRUE(store_->FindFacts({})->empty());
  // Another speaker who is stored as the assistant is a person.
  Say("2024-01-01", "I live in Lyon.", "Melanie", Role::kAssistant);
  EXPECT_EQ(States("Melanie", "home"), std::vector<std::string>{"Lyon: valid"});
}

TEST_F(FactStoreTest, MarksByHand) {
  Say("2024-01-01", "I live in Lyon.");
  const std::int64_t id = store_->FindFacts({})->front().id;
  ASSERT_TRUE(store_->MarkFact(id, FactState::kWrong).ok());
  EXPECT_TRUE(store_->Facts()->empty());
  EXPECT_EQ(States("User", "home"), std::vector<std::string>{"Lyon: wrong"});
  ASSERT_TRUE(store_->MarkFact(id, FactState::kValid).ok());
  EXPECT_EQ(store_->Facts()->size(), 1u);
  EXPECT_EQ(store_->MarkFact(99, FactState::kWrong).code(), StatusCode::kNotFound);
}

TEST_F(FactStoreTest, AProfileHasItsSources) {
  const TurnId sister = Say("2023-01-01", "My sister Anna is 30.");
  Say("2023-01-02", "I'm 34 and I'm allergic to nuts.");
  const TurnId again = Say("2023-03-01", "As you know, I'm allergic to nuts.");
  Say("2023-04-01", "My sister loves pottery.");
  const auto profile = ReadProfile(*store_, "user");
  ASSERT_TRUE(profile.ok()) << profile.status().ToString();
  const auto line = [&](std::string_view about, std::string_view attribute) {
    const auto at = std::find_if(
        profile->lines.begin(), profile->lines.end(), [&](const ProfileLine& candidate) {
          return candidate.about == about && candidate.attribute == attribute;
        });
    return at == profile->lines.end() ? ProfileLine() : *at;
  };
  EXPECT_EQ(line("", "age").value, "34");
  EXPECT_EQ(line("", "sister").sources, std::vector{sister});
  EXPECT_EQ(line("sister Anna", "age").value, "30");
  EXPECT_EQ(line("sister Anna", "likes").value, "pottery");
  ASSERT_EQ(line("", "allergy").sources.size(), 2u);
  EXPECT_EQ(line("", "allergy").sources.back(), again);
  EXPECT_EQ(ReadProfile(*store_, "Anne").status().code(), StatusCode::kNotFound);
  EXPECT_NE(ReadProfile(*store_, "Anne").status().message().find("did you mean 'Anna'"),
            std::string::npos);
}

TEST_F(FactStoreTest, QuestionsReachWhatTheyPresuppose) {
  const TurnId born = Say("2023-01-01", "I was born on 3 May 1990.");
  const TurnId grandma = Say("2023-01-02", "My grandma is 78.");
  const TurnId nuts = Say("2023-01-03", "I'm allergic to nuts.");
  const TurnId phone = Say("2023-01-04", "I use my iPhone 13 Pro for everything.");
  const TurnId pottery = Say("2023-01-05", "My sister Anna loves pottery.");
  const TurnId moved = Say("2023-01-06", "I moved to Oslo in 2015.");
  Say("2023-01-07", "What a lovely day.");
  const auto reaches = [&](std::string_view question, TurnId turn, std::size_t within) {
    ProfileQuestion asked;
    asked.text = question;
    const auto sources = ProfileSourcesFor(*store_, asked);
    EXPECT_TRUE(sources.ok());
    const auto end =
        sources->begin() + static_cast<std::ptrdiff_t>(std::min(within, sources->size()));
    return std::any_of(sources->begin(), end,
                       [&](const ProfileSource& source) { return source.turn == turn; });
  };
  EXPECT_TRUE(reaches("How old was I when I moved to Oslo?", born, 2));
  EXPECT_TRUE(reaches("How old was I when I moved to Oslo?", moved, 3));
  EXPECT_TRUE(reaches("How many years older is my grandma than me?", grandma, 2));
  EXPECT_TRUE(reaches("Can you suggest a snack for tonight?", nuts, 1));
  EXPECT_TRUE(reaches("Suggest accessories for my phone.", phone, 1));
  EXPECT_TRUE(reaches("What should I give my sister as a gift?", pottery, 1));
  EXPECT_TRUE(reaches("我搬到奥斯陆的时候多大？", born, 2));
  EXPECT_TRUE(reaches("给我推荐点零食。", nuts, 1));
  EXPECT_TRUE(reaches("我奶奶比我大几岁？", grandma, 2));
  ProfileQuestion nothing;
  nothing.text = "What is the capital of France?";
  EXPECT_TRUE(ProfileSourcesFor(*store_, nothing)->empty());
}

// The words of a question are others than those of the statement.
TEST_F(FactStoreTest, QuestionsReachStatesInOtherWords) {
  Say("2022-01-03", "My employer is Falk & Sons.");
  const TurnId globex = Say("2022-06-01", "First day at Globex today!");
  const TurnId tram = Say("2022-02-01", "I get to work by tram.");
  Say("2022-02-02", "My neighbour Walter gets to work by ferry.");
  const TurnId parents = Say("2022-02-03", "Mum and Dad live in Lund.");
  const TurnId home = Say("2022-02-04", "We live at 14 Mill Street.");
  const TurnId pay = Say("2022-02-05", "我一年挣二十五万。");
  const TurnId tea = Say("2022-02-06", "In the morning I prefer green tea.");
  const TurnId gym = Say("2022-02-07", "I train at Ironhouse.");
  const auto first = [&](std::string_view question) {
    ProfileQuestion asked;
    asked.text = question;
    const auto sources = ProfileSourcesFor(*store_, asked);
    EXPECT_TRUE(sources.ok());
    return sources->empty() ? 0 : sources->front().turn;
  };
  EXPECT_EQ(first("Who do I work for?"), globex);
  EXPECT_EQ(first("Which company am I at?"), globex);
  EXPECT_EQ(first("How do I commute?"), tram);
  EXPECT_EQ(first("我怎么去上班？"), tram);
  EXPECT_EQ(first("In which town do my parents live?"), parents);
  EXPECT_EQ(first("Where are Mum and Dad?"), parents);
  EXPECT_EQ(first("What is our address?"), home);
  EXPECT_EQ(first("How much do I earn?"), pay);
  EXPECT_EQ(first("我的年薪是多少？"), pay);
  EXPECT_EQ(first("What do I like to drink in the morning?"), tea);
  EXPECT_EQ(first("Where do I work out?"), gym);

  // What held in March: the turn before the new job; a neighbour's way to work is none of one's
  // own.
  ProfileQuestion then;
  then.text = "Which company did I work for in March 2022?";
  then.state = {AskedState::What::kThen, Day("2022-04-01")};
  const auto sources = ProfileSourcesFor(*store_, then);
  ASSERT_TRUE(sources.ok());
  ASSERT_GE(sources->size(), 2u);
  EXPECT_EQ(sources->front().turn, 1);
  EXPECT_EQ(sources->front().held, 1);
  EXPECT_TRUE(std::ranges::any_of(*sources, [&](const ProfileSource& source) {
    return source.turn == globex && source.held == -1;
  }));
  then.text = "How did I get to work in March 2022?";
  then.others = true;
  const auto ways = ProfileSourcesFor(*store_, then);
  ASSERT_TRUE(ways.ok());
  EXPECT_EQ(ways->front().turn, tram);
  EXPECT_EQ(ways->back().weight, 0);
  EXPECT_EQ(ways->back().held, -1);
}

// Whatever is put together from what the rules look for ends, and gives text that is UTF-8.
TEST(FactsTest, BearsAnything) {
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  static constexpr std::string_view kPieces[] = {
      "I",       "'m",     "my",          "sister",    "Anna",
      "live",    "in",     " ",           ",",         ".",
      "not",     "80",     "岁",          "我",        "的",
      "妹妹",    "，",     "不是",        "是",        "住在",
      "\"",      "“",      "allergic to", "No,",       "\xE2\x80\x99",
      "who",     "(",      ")",           "and",       "moved",
      "from",    "to",     "'s",          "-year-old", "born",
      "🙂",    "\n",     "> ",          "```",       "叫",
      "喜欢",    "salary", "rent",        "is",        "changed",
      ":",       "：",     "密码",        "房租",      "换成",
      "把",      "团队",   "有",          "best",      "10",
      "km",      "in",     "favourite",   "wifi",      "password",
      "commute", "by",     "tram"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const int pieces = static_cast<int>(random() % 25);
    for (int i = 0; i < pieces; ++i) {
      text += kPieces[random() % std::size(kPieces)];
      if (random() % 2 == 0) text += ' ';
    }
    for (const Claim& claim : ExtractClaims(UserTurn(text))) {
      EXPECT_TRUE(CheckText(claim.value, "value").ok()) << text;
      EXPECT_TRUE(CheckText(claim.subject, "subject").ok()) << text;
      EXPECT_FALSE(claim.statement.empty()) << text;
      EXPECT_TRUE(claim.confidence > 0 && claim.confidence <= 1) << text;
    }
  }
  std::string words;
  for (int i = 0; i < 10'000; ++i) words += "I live in Lyon and ";
  (void)ExtractClaims(UserTurn(words));
  (void)ExtractClaims(UserTurn("我"));
  (void)ExtractClaims(UserTurn(""));
}

}  // namespace
}  // namespace liubai::memory
