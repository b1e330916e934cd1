#include "memory/fts_tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace liubai::memory {
namespace {

std::vector<std::string> Terms(std::string_view text) {
  std::vector<std::string> terms;
  TokenizeText(text, [&](std::string_view term, bool) { terms.emplace_back(term); });
  return terms;
}
bool Holds(std::string_view text, const std::string& term) {
  const auto terms = Terms(text);
  return std::find(terms.begin(), terms.end(), term) != terms.end();
}
// Every term of the query is a term of the text.
bool Meets(std::string_view query, std::string_view text) {
  for (const std::string& term : QueryTerms(query)) {
    if (!Holds(text, term)) return false;
  }
  return true;
}

TEST(FtsTokenizerTest, EnglishIsFoldedAndStemmed) {
  EXPECT_EQ(Terms("Running DOGS, quickly!"), (std::vector<std::string>{"run", "dog", "quick"}));
  EXPECT_TRUE(Meets("cafe", "Café"));
  EXPECT_TRUE(Meets("Malmö Łódź", "malmo lodz"));
  EXPECT_TRUE(Meets("STRASSE", "Straße"));
  EXPECT_TRUE(Meets("ﬁnance", "finance"));
  EXPECT_TRUE(Meets("Alice", "Alice's book"));
  EXPECT_TRUE(Meets("Alice’s", "alice"));
  EXPECT_TRUE(Holds("й", "й")) << "marks of other alphabets are letters' own";
}

TEST(FtsTokenizerTest, NumbersAreWhole) {
  for (const char* form :
       {"$4,237", "4237", "4,237.00", "４，２３７", "€4237.0", "(4,237)", "4,237元", "共4237元"}) {
    EXPECT_TRUE(Meets("4237", form)) << form;
    EXPECT_TRUE(Meets(form, "the 4237 元 共")) << form;
  }
  EXPECT_EQ(Terms("3.14"), std::vector<std::string>{"3.14"});
  EXPECT_EQ(Terms("1,2,3")[0], "1");
  EXPECT_FALSE(Meets("237", "4,237"));
  EXPECT_EQ(Terms("1,234,567.50"), std::vector<std::string>{"1234567.5"});
  EXPECT_EQ(Terms("007"), std::vector<std::string>{"007"});
}

TEST(FtsTokenizerTest, CompoundsWholeAndInParts) {
  EXPECT_TRUE(Holds("on 2023-05-08.", "2023-05-08"));
  for (const char* part : {"2023", "05", "8", "2023-05-08"})
    EXPECT_TRUE(Meets(part, "2023-05-08")) << part;
  for (const char* part : {"ada.lovelace@example.org", "lovelace", "example"}) {
    EXPECT_TRUE(Meets(part, "Mail: Ada.Lovelace@example.org!")) << part;
  }
  for (const char* part : {"https://example.org/a_b?c=7", "example.org", "example"}) {
    EXPECT_TRUE(Meets(part, "see https://example.org/a_b?c=7")) << part;
  }
  EXPECT_TRUE(Meets("max_tokens", "set max_tokens=5, max_tokens"));
  EXPECT_TRUE(Meets("tokens", "set max_tokens"));
  EXPECT_TRUE(Meets("10", "it is 10km away"));
  EXPECT_TRUE(Meets("A-12/B", "locker A-12/B"));
}

TEST(FtsTokenizerTest, ChineseJapaneseKoreanByPairs) {
  EXPECT_EQ(QueryTerms("花生过敏"), (std::vector<std::string>{"花生", "生过", "过敏"}));
  EXPECT_EQ(QueryTerms("敏"), std::vector<std::string>{"敏"});
  EXPECT_TRUE(Meets("敏", "花生过敏"));
  EXPECT_EQ(CountTerms("花生过敏"), 3) << "single characters do not lengthen a text";
  EXPECT_TRUE(Meets("ｺｰﾋｰ", "コーヒー"));
  EXPECT_TRUE(Meets("김치", "김치를"));
  EXPECT_TRUE(Meets("Python", "用Python写的"));
}

TEST(FtsTokenizerTest, FunctionWordsLeaveQueriesUnlessAlone) {
  EXPECT_EQ(QueryTerms("What is the name of my dog?"), (std::vector<std::string>{"name", "dog"}));
  EXPECT_EQ(QueryTerms("who are you"), (std::vector<std::string>{"who", "are", "you"}));
  const auto terms = QueryTerms("我的生日是什么时候");
  EXPECT_EQ(std::count(terms.begin(), terms.end(), "什么"), 0);
  EXPECT_EQ(std::count(terms.begin(), terms.end(), "生日"), 1);
  EXPECT_FALSE(QueryTerms("什么").empty());
}

TEST(FtsTokenizerTest, AnythingIsQuoted) {
  EXPECT_EQ(MatchExpression({"a", "b\"c"}), "\"a\" OR \"b\"\"c\"");
  EXPECT_TRUE(QueryTerms("\" ( * ^ : - )").empty());
  for (const std::string& term : QueryTerms("NEAR(a, \"b\") title:x* -y")) {
    EXPECT_EQ(term.find_first_of("\"*()"), std::string::npos) << term;
  }
  EXPECT_LE(QueryTerms(std::string(100000, 'a')).front().size(), 128u);
  std::string all;
  for (int c = 1; c < 256; ++c) all.push_back(static_cast<char>(c));
  Terms(all);  // Invalid UTF-8 of any kind is passed over.
}

}  // namespace
}  // namespace liubai::memory
