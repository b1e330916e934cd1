// What kind of answer a question wants.
#include <algorithm>
#include <array>

#include "core/text.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/question_scan.h"
#include "memory/subject_words.h"

namespace liubai::memory {
namespace {

using words::Has;
using words::Holds;
using Trait = QuestionTrait;

struct Phrase {
  Trait trait;
  std::string_view text;  // English with blanks around whole words.
};
constexpr Phrase kEnglish[] = {
    {Trait::kCount, " how many "},
    {Trait::kCount, " number of "},
    {Trait::kCount, " count of "},
    {Trait::kCount, " count the "},
    {Trait::kTotal, " in total "},
    {Trait::kTotal, " total "},
    {Trait::kTotal, " altogether "},
    {Trait::kTotal, " all together "},
    {Trait::kTotal, " combined "},
    {Trait::kTotal, " sum of "},
    {Trait::kTotal, " overall "},
    {Trait::kFrequency, " how often "},
    {Trait::kFrequency, " how frequently "},
    {Trait::kFrequency, " how many times a "},
    {Trait::kFrequency, " how many times per "},
    {Trait::kFrequency, " how regularly "},
    {Trait::kList, " list all "},
    {Trait::kList, " list the "},
    {Trait::kList, " list every "},
    {Trait::kList, " name all "},
    {Trait::kList, " all the "},
    {Trait::kList, " all of the "},
    {Trait::kList, " what are all "},
    {Trait::kList, " what kinds of "},
    {Trait::kList, " what types of "},
    {Trait::kList, " what sorts of "},
    {Trait::kList, " which ones "},
    {Trait::kOrder, " came first "},
    {Trait::kOrder, " come first "},
    {Trait::kOrder, " happened first "},
    {Trait::kOrder, " happen first "},
    {Trait::kOrder, " what order "},
    {Trait::kOrder, " which order "},
    {Trait::kOrder, " order of "},
    {Trait::kOrder, " in order "},
    {Trait::kOrder, " order from "},
    {Trait::kOrder, " chronological "},
    {Trait::kOrder, " chronologically "},
    {Trait::kOrder, " earliest "},
    {Trait::kOrder, " before or after "},
    {Trait::kOrder, " earlier than "},
    {Trait::kOrder, " later than "},
    {Trait::kOrder, " earlier , "},
    {Trait::kComparison, " compared "},
    {Trait::kComparison, " compare "},
    {Trait::kComparison, " difference between "},
    {Trait::kComparison, " difference in "},
    {Trait::kComparison, " differ "},
    {Trait::kComparison, " different from "},
    {Trait::kComparison, " the same as "},
    {Trait::kComparison, " versus "},
    {Trait::kComparison, " vs "},
    {Trait::kComparison, " more than "},
    {Trait::kComparison, " less than "},
    {Trait::kComparison, " fewer than "},
    {Trait::kComparison, " years older "},
    {Trait::kComparison, " years younger "},
    {Trait::kComparison, " how much more "},
    {Trait::kComparison, " how much less "},
    {Trait::kComparison, " how many more "},
    {Trait::kComparison, " how many fewer "},
    {Trait::kDuration, " how long "},
    {Trait::kDuration, " how much time "},
    {Trait::kDuration, " time between "},
    {Trait::kSuggestion, " recommend "},
    {Trait::kSuggestion, " suggest "},
    {Trait::kSuggestion, " suggestions "},
    {Trait::kSuggestion, " suggestion "},
    {Trait::kSuggestion, " recommendations "},
    {Trait::kSuggestion, " recommendation "},
    {Trait::kSuggestion, " any tips "},
    {Trait::kSuggestion, " some tips "},
    {Trait::kSuggestion, " tips for "},
    {Trait::kSuggestion, " tips on "},
    {Trait::kSuggestion, " any advice "},
    {Trait::kSuggestion, " some advice "},
    {Trait::kSuggestion, " advice on "},
    {Trait::kSuggestion, " advice for "},
    {Trait::kSuggestion, " advise me "},
    {Trait::kSuggestion, " any ideas "},
    {Trait::kSuggestion, " some ideas "},
    {Trait::kSuggestion, " ideas for "},
    {Trait::kSuggestion, " ideas on "},
    {Trait::kSuggestion, " should i "},
    {Trait::kSuggestion, " should we "},
    {Trait::kSuggestion, " would you choose "},
    {Trait::kSuggestion, " help me find "},
    {Trait::kSuggestion, " help me choose "},
    {Trait::kSuggestion, " help me pick "},
    {Trait::kSuggestion, " help me decide "},
    {Trait::kSuggestion, " help me plan "},
    {Trait::kSuggestion, " help me come up "},
    {Trait::kSuggestion, " what can i "},
    {Trait::kSuggestion, " what could i "},
    {Trait::kSuggestion, " i'm looking for "},
    {Trait::kSuggestion, " good idea to "},
    {Trait::kSuggestion, " inspiration "},
    {Trait::kCurrent, " now "},
    {Trait::kCurrent, " currently "},
    {Trait::kCurrent, " current "},
    {Trait::kCurrent, " still "},
    {Trait::kCurrent, " these days "},
    {Trait::kCurrent, " nowadays "},
    {Trait::kCurrent, " at the moment "},
    {Trait::kCurrent, " presently "},
    {Trait::kCurrent, " right now "},
    {Trait::kCurrent, " most recent "},
    {Trait::kCurrent, " most recently "},
    {Trait::kCurrent, " recently "},
    {Trait::kCurrent, " lately "},
    {Trait::kCurrent, " latest "},
    {Trait::kCurrent, " newest "},
    {Trait::kCurrent, " anymore "},
    {Trait::kCurrent, " any longer "},
    {Trait::kCurrent, " so far "},
    {Trait::kCurrent, " as of today "},
    {Trait::kCurrent, " at present "},
    {Trait::kFormer, " used to "},
    {Trait::kFormer, " originally "},
    {Trait::kFormer, " previously "},
    {Trait::kFormer, " formerly "},
    {Trait::kFormer, " former "},
    {Trait::kFormer, " initially "},
    {Trait::kFormer, " initial "},
    {Trait::kFormer, " original "},
    {Trait::kFormer, " at first "},
    {Trait::kFormer, " at the start "},
    {Trait::kFormer, " at the beginning "},
    {Trait::kFormer, " in the beginning "},
    {Trait::kFormer, " in the past "},
    {Trait::kFormer, " back then "},
    {Trait::kFormer, " back when "},
    {Trait::kFormer, " before ? "},
    {Trait::kFormer, " before i switched "},
    {Trait::kFormer, " before i changed "},
    {Trait::kFormer, " before switching "},
    {Trait::kFormer, " before changing "},
    {Trait::kFormer, " before moving "},
    {Trait::kFormer, " before that "},
    {Trait::kFormer, " my old "},
    {Trait::kFormer, " my previous "},
    {Trait::kFormer, " my last job "},
};

constexpr Phrase kChinese[] = {
    {Trait::kCount, "几次"},
    {Trait::kCount, "几个"},
    {Trait::kCount, "几本"},
    {Trait::kCount, "几位"},
    {Trait::kCount, "几种"},
    {Trait::kCount, "几家"},
    {Trait::kCount, "几只"},
    {Trait::kCount, "几条"},
    {Trait::kCount, "几件"},
    {Trait::kCount, "几部"},
    {Trait::kCount, "几场"},
    {Trait::kCount, "几趟"},
    {Trait::kCount, "几遍"},
    {Trait::kCount, "几盆"},
    {Trait::kCount, "几人"},
    {Trait::kCount, "几口"},
    {Trait::kCount, "几回"},
    {Trait::kCount, "几辆"},
    {Trait::kCount, "几张"},
    {Trait::kCount, "多少个"},
    {Trait::kCount, "多少次"},
    {Trait::kCount, "多少人"},
    {Trait::kCount, "多少本"},
    {Trait::kCount, "多少种"},
    {Trait::kCount, "多少家"},
    {Trait::kCount, "多少件"},
    {Trait::kCount, "多少位"},
    {Trait::kTotal, "一共"},
    {Trait::kTotal, "总共"},
    {Trait::kTotal, "总计"},
    {Trait::kTotal, "合计"},
    {Trait::kTotal, "加起来"},
    {Trait::kTotal, "共花"},
    {Trait::kTotal, "总数"},
    {Trait::kTotal, "总额"},
    {Trait::kFrequency, "多久一次"},
    {Trait::kFrequency, "频率"},
    {Trait::kFrequency, "多频繁"},
    {Trait::kFrequency, "每周几次"},
    {Trait::kFrequency, "每月几次"},
    {Trait::kFrequency, "每天几次"},
    {Trait::kFrequency, "隔多久"},
    {Trait::kFrequency, "多经常"},
    {Trait::kList, "哪些"},
    {Trait::kList, "列出"},
    {Trait::kList, "列举"},
    {Trait::kList, "都有什么"},
    {Trait::kList, "都有谁"},
    {Trait::kList, "哪几"},
    {Trait::kList, "所有的"},
    {Trait::kList, "都去过"},
    {Trait::kList, "都做了什么"},
    {Trait::kList, "都买了什么"},
    {Trait::kOrder, "先后"},
    {Trait::kOrder, "顺序"},
    {Trait::kOrder, "哪个先"},
    {Trait::kOrder, "谁先"},
    {Trait::kOrder, "先发生"},
    {Trait::kOrder, "最早"},
    {Trait::kOrder, "哪件事在前"},
    {Trait::kOrder, "是先"},
    {Trait::kOrder, "更早"},
    {Trait::kComparison, "相比"},
    {Trait::kComparison, "谁更"},
    {Trait::kComparison, "哪个更"},
    {Trait::kComparison, "区别"},
    {Trait::kComparison, "有什么不同"},
    {Trait::kComparison, "差多少"},
    {Trait::kComparison, "差几"},
    {Trait::kComparison, "更大"},
    {Trait::kComparison, "更多"},
    {Trait::kComparison, "更贵"},
    {Trait::kComparison, "更便宜"},
    {Trait::kDuration, "多久"},
    {Trait::kDuration, "多长时间"},
    {Trait::kDuration, "隔了"},
    {Trait::kDuration, "相隔"},
    {Trait::kDuration, "多少天"},
    {Trait::kDuration, "多少年"},
    {Trait::kDuration, "几年了"},
    {Trait::kDuration, "几天了"},
    {Trait::kDuration, "几个月了"},
    {Trait::kDuration, "持续"},
    {Trait::kDuration, "几年之间"},
    {Trait::kSuggestion, "推荐"},
    {Trait::kSuggestion, "建议"},
    {Trait::kSuggestion, "该不该"},
    {Trait::kSuggestion, "怎么选"},
    {Trait::kSuggestion, "出个主意"},
    {Trait::kSuggestion, "帮我想"},
    {Trait::kSuggestion, "帮我选"},
    {Trait::kSuggestion, "帮我挑"},
    {Trait::kSuggestion, "有什么好"},
    {Trait::kSuggestion, "有没有适合"},
    {Trait::kSuggestion, "我该"},
    {Trait::kSuggestion, "我应该"},
    {Trait::kSuggestion, "给我一些"},
    {Trait::kCurrent, "现在"},
    {Trait::kCurrent, "目前"},
    {Trait::kCurrent, "如今"},
    {Trait::kCurrent, "最近"},
    {Trait::kCurrent, "最新"},
    {Trait::kCurrent, "眼下"},
    {Trait::kCurrent, "当前"},
    {Trait::kCurrent, "仍然"},
    {Trait::kCurrent, "依然"},
    {Trait::kCurrent, "至今"},
    {Trait::kCurrent, "还在"},
    {Trait::kCurrent, "还住"},
    {Trait::kCurrent, "还喜欢"},
    {Trait::kCurrent, "还用"},
    {Trait::kFormer, "以前"},
    {Trait::kFormer, "原来"},
    {Trait::kFormer, "曾经住"},
    {Trait::kFormer, "最初"},
    {Trait::kFormer, "当初"},
    {Trait::kFormer, "一开始"},
    {Trait::kFormer, "原先"},
    {Trait::kFormer, "从前"},
    {Trait::kFormer, "曾经在"},
    {Trait::kFormer, "曾经是"},
    {Trait::kFormer, "曾经叫"},
    {Trait::kFormer, "起初"},
    {Trait::kFormer, "刚开始"},
    {Trait::kFormer, "改期之前"},
    {Trait::kFormer, "之前的"},
    {Trait::kFormer, "过去住"},
    {Trait::kFormer, "老东家"},
};

std::string WordAt(std::string_view text, std::size_t at) {
  const std::size_t end = std::min(text.find(' ', at), text.size());
  return std::string(text.substr(std::min(at, text.size()), end - std::min(at, end)));
}

constexpr std::string_view kAuxiliaries[] = {
    "did",    "do",     "does",    "is",       "are",    "was",     "were",    "have",
    "has",    "had",    "can",     "could",    "will",   "would",   "am",      "should",
    "didn't", "don't",  "doesn't", "isn't",    "aren't", "wasn't",  "weren't", "haven't",
    "hasn't", "hadn't", "can't",   "couldn't", "won't",  "wouldn't"};
constexpr std::string_view kTimeUnits[] = {"seconds", "minutes", "hours", "days",
                                           "weeks",   "months",  "years", "nights"};

// "how many weeks ago", "how many days between": how long, and not how many things.
bool CountsTime(const std::string& text, std::size_t at) {
  const std::string unit = WordAt(text, at);
  if (!Has(kTimeUnits, unit)) return false;
  const std::string_view rest = std::string_view(text).substr(at + unit.size());
  return Holds(rest, {" ago ", " between ", " passed ", " since ", " before ", " after ", " until ",
                      " did it take ", " elapsed ", " apart ", " later ", " earlier ", " older ",
                      " younger ", " from "});
}

// "what activities", "which of the books": a noun in the plural is asked for.
bool AsksForSeveral(const std::string& text) {
  static constexpr std::string_view kSingular[] = {
      "does",     "was",     "is",      "has",     "his",   "this",     "its",
      "class",    "news",    "us",      "yes",     "dress", "business", "address",
      "process",  "status",  "bus",     "series",  "plus",  "lens",     "gas",
      "progress", "success", "physics", "towards", "thus",  "always",   "sometimes",
      "besides",  "boss",    "access",  "focus",   "virus", "bonus",    "campus"};
  for (const std::string_view ask : {" what ", " which "}) {
    for (std::size_t at = text.find(ask); at != text.npos; at = text.find(ask, at + 1)) {
      std::size_t next = at + ask.size();
      std::string word = WordAt(text, next);
      for (int skipped = 0; skipped < 2; ++skipped) {  // "which of the", "what new books"
        if (word.empty() || Has(kAuxiliaries, word)) break;
        const bool plural = word.size() > 3 && word.back() == 's' && !word.ends_with("ss") &&
                            !word.ends_with("'s") && !Has(kSingular, word);
        if (plural) return true;
        next += word.size() + 1;
        word = WordAt(text, next);
      }
      const bool plural = word.size() > 3 && word.back() == 's' && !word.ends_with("ss") &&
                          !word.ends_with("'s") && !Has(kSingular, word) &&
                          !Has(kAuxiliaries, WordAt(text, at + ask.size()));
      if (plural) return true;
      // "what are the names of"
      if (text.compare(at, ask.size() + 8, std::string(ask) + "are the ") == 0) {
        const std::string noun = WordAt(text, at + ask.size() + 8);
        if (noun.size() > 3 && noun.back() == 's' && !noun.ends_with("ss")) return true;
      }
    }
  }
  return false;
}

// 比我大, 比去年贵
bool ComparesInChinese(std::string_view text) {
  static constexpr std::string_view kAdjectives[] = {"大", "小", "多",   "少", "高",   "矮", "早",
                                                     "晚", "贵", "便宜", "好", "长",   "短", "重",
                                                     "轻", "快", "慢",   "老", "年轻", "远", "近"};
  for (std::size_t at = text.find("比"); at != text.npos; at = text.find("比", at + 3)) {
    const std::string_view after = text.substr(at + 3, 36);
    if (Holds(after.substr(0, 3), {"如", "赛", "例", "较", "方", "萨", "基"})) continue;
    if (at >= 3 && Holds(text.substr(at - 3, 3), {"对", "无", "相", "占", "好", "百"})) continue;
    const std::string_view clause = after.substr(0, std::min(after.find("，"), after.size()));
    if (Holds(clause, kAdjectives)) return true;
  }
  return false;
}

// 是不是, 有没有, 去没去, 喜不喜欢
bool AsksYesNoInChinese(std::string_view text) {
  for (const std::string_view no : {"不", "没"}) {
    for (std::size_t at = text.find(no); at != text.npos; at = text.find(no, at + 3)) {
      if (at < 3 || at + 6 > text.size()) continue;
      if (text.substr(at - 3, 3) == text.substr(at + 3, 3)) return true;
    }
  }
  const std::string_view end = Trim(text);
  return Holds(text, {"吗？", "吗?", "是否", "有没有", "对吧", "是吧"}) || end.ends_with("吗");
}

struct Ask {
  std::string_view text;
  AskedFor asked;
};
// The first that is found decides; so the narrow ones stand before the wide.
constexpr Ask kEnglishAsks[] = {{" how many ", AskedFor::kNumber},
                                {" how much ", AskedFor::kNumber},
                                {" how old ", AskedFor::kNumber},
                                {" how long ago ", AskedFor::kTime},
                                {" how long ", AskedFor::kNumber},
                                {" how often ", AskedFor::kNumber},
                                {" how far ", AskedFor::kNumber},
                                {" how tall ", AskedFor::kNumber},
                                {" how big ", AskedFor::kNumber},
                                {" how frequently ", AskedFor::kNumber},
                                {" what percentage ", AskedFor::kNumber},
                                {" what number ", AskedFor::kNumber},
                                {" what amount ", AskedFor::kNumber},
                                {" total number ", AskedFor::kNumber},
                                {" what time ", AskedFor::kTime},
                                {" what date ", AskedFor::kTime},
                                {" what day ", AskedFor::kTime},
                                {" which day ", AskedFor::kTime},
                                {" what month ", AskedFor::kTime},
                                {" which month ", AskedFor::kTime},
                                {" what year ", AskedFor::kTime},
                                {" which year ", AskedFor::kTime},
                                {" what city ", AskedFor::kPlace},
                                {" which city ", AskedFor::kPlace},
                                {" what country ", AskedFor::kPlace},
                                {" which country ", AskedFor::kPlace},
                                {" what place ", AskedFor::kPlace},
                                {" which place ", AskedFor::kPlace},
                                {" what town ", AskedFor::kPlace},
                                {" for what reason ", AskedFor::kReason},
                                {" who ", AskedFor::kPerson},
                                {" whom ", AskedFor::kPerson},
                                {" whose ", AskedFor::kPerson},
                                {" who's ", AskedFor::kPerson},
                                {" why ", AskedFor::kReason},
                                {" what ", AskedFor::kThing},
                                {" which ", AskedFor::kThing},
                                {" what's ", AskedFor::kThing},
                                {" where ", AskedFor::kPlace},
                                {" where's ", AskedFor::kPlace},
                                {" when ", AskedFor::kTime},
                                {" how ", AskedFor::kManner}};
constexpr Ask kChineseAsks[] = {
    {"什么时候", AskedFor::kTime},  {"几号", AskedFor::kTime},      {"几月", AskedFor::kTime},
    {"哪天", AskedFor::kTime},      {"哪一天", AskedFor::kTime},    {"何时", AskedFor::kTime},
    {"哪年", AskedFor::kTime},      {"哪一年", AskedFor::kTime},    {"几点", AskedFor::kTime},
    {"星期几", AskedFor::kTime},    {"周几", AskedFor::kTime},      {"什么时间", AskedFor::kTime},
    {"什么地方", AskedFor::kPlace}, {"哪里", AskedFor::kPlace},     {"哪儿", AskedFor::kPlace},
    {"哪座城市", AskedFor::kPlace}, {"哪个城市", AskedFor::kPlace}, {"何处", AskedFor::kPlace},
    {"多少", AskedFor::kNumber},    {"多久", AskedFor::kNumber},    {"多大", AskedFor::kNumber},
    {"多远", AskedFor::kNumber},    {"多高", AskedFor::kNumber},    {"几岁", AskedFor::kNumber},
    {"多长", AskedFor::kNumber},    {"几", AskedFor::kNumber},      {"为什么", AskedFor::kReason},
    {"为何", AskedFor::kReason},    {"怎么会", AskedFor::kReason},  {"谁", AskedFor::kPerson},
    {"哪位", AskedFor::kPerson},    {"什么", AskedFor::kThing},     {"哪", AskedFor::kThing},
    {"怎么", AskedFor::kManner},    {"如何", AskedFor::kManner},    {"怎样", AskedFor::kManner}};

AskedFor WhatIsAsked(std::string_view text, const std::string& plain) {
  // The question word that stands first; of those at one place the narrow one.
  AskedFor asked = AskedFor::kNothing;
  std::size_t first = std::string::npos;
  for (const Ask& ask : kEnglishAsks) {
    std::size_t at = plain.find(ask.text);
    // "When I turned thirty, where …" asks where.
    while (ask.text == " when " && at != plain.npos &&
           Has(words::kPronouns, WordAt(plain, at + ask.text.size()))) {
      at = plain.find(ask.text, at + 1);
    }
    if (at >= first) continue;
    first = at;
    asked = ask.asked;
  }
  if (asked != AskedFor::kNothing) return asked;
  for (const Ask& ask : kChineseAsks) {
    if (text.find(ask.text) != text.npos) return ask.asked;
  }
  return AskedFor::kNothing;
}

// Whether byte `at` of the text stands in one of the times.
bool InTime(const std::vector<TimeExpression>& times, std::size_t at) {
  const auto time = std::partition_point(times.begin(), times.end(),
                                         [&](const TimeExpression& t) { return t.text.end <= at; });
  return time != times.end() && time->text.begin <= at;
}

// "三天以前" and 最近三天 are times.
bool FindsOutsideTimes(std::string_view text, std::string_view phrase,
                       const std::vector<TimeExpression>& times) {
  for (std::size_t at = text.find(phrase); at != text.npos;
       at = text.find(phrase, at + phrase.size())) {
    const bool touches = at > 0 && InTime(times, at - 1);
    if (!touches && !InTime(times, at) && !InTime(times, at + phrase.size() - 1)) return true;
  }
  return false;
}

void ReadNegations(std::string_view text, const PlainText& plain, QuestionReading* reading) {
  const std::string& words = plain.text;
  const auto Quoted = [&](std::size_t at) {
    const auto quote =
        std::partition_point(reading->quotes.begin(), reading->quotes.end(),
                             [&](const QuestionQuote& q) { return q.text.end <= at; });
    return quote != reading->quotes.end() && quote->text.begin <= at;
  };
  const auto Add = [&](std::size_t begin, std::size_t end) {
    if (Quoted(plain.origin[begin])) return;
    reading->negations.push_back({plain.origin[begin], plain.origin[end - 1] + 1});
  };
  static constexpr std::string_view kWords[] = {"not",     "never",   "none",    "nobody",
                                                "nothing", "nowhere", "without", "neither",
                                                "nor",     "except",  "cannot",  "no"};
  for (std::size_t at = 1; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string_view word = std::string_view(words).substr(at, end - at);
    const std::string_view after = std::string_view(words).substr(std::min(end + 1, words.size()));
    bool negates = Has(kWords, word) || (word.ends_with("n't") && word.size() > 3);
    // "No, …", "no. 5", "not only", "no one": the first two are none.
    if (word == "no" && (after.starts_with(", ") || after.starts_with(". ") || after.empty()))
      negates = false;
    if (word == "not" && after.starts_with("only ")) negates = false;
    // "Why don't we", "couldn't you": a proposal.
    if ((word == "don't" && after.starts_with("we ")) ||
        ((word == "couldn't" || word == "can't" || word == "won't") && after.starts_with("you "))) {
      negates = false;
    }
    if (negates) Add(at, end);
    at = end + 1;
  }
  static constexpr std::string_view kNotNegating[] = {
      "不错", "不同", "不久",   "不过",     "不管", "不仅", "不断", "不少", "不如", "不但",
      "不只", "不止", "不得不", "不好意思", "不论", "不然", "不锈", "不妨", "不停", "不禁"};
  for (const std::string_view no : {"没", "不", "别", "未", "从未", "无"}) {
    for (std::size_t at = text.find(no); at != text.npos; at = text.find(no, at + no.size())) {
      const std::string_view here = text.substr(at);
      const std::string_view before = text.substr(at >= 3 ? at - 3 : 0, at >= 3 ? 3 : at);
      const std::string_view next = here.size() >= no.size() + 3 ? here.substr(no.size(), 3) : "";
      if (no == "不") {
        bool other = Holds(before, {"差", "对", "要", "得", "了"});
        for (const std::string_view word : kNotNegating) other |= here.starts_with(word);
        if (other) continue;
      } else if (no == "别") {
        if (Holds(before, {"特", "分", "区", "性", "级", "个", "告", "类", "识"})) continue;
        if (Holds(next, {"人", "墅", "的", "名", "针", "致", "处", "样"})) continue;
      } else if (no == "未") {
        if (Holds(next, {"来", "婚"}) || before == "从") continue;
      } else if (no == "无") {
        if (!Holds(next, {"法", "人", "需"})) continue;
      }
      if (!next.empty() && before == next) continue;  // 是不是
      if (Quoted(at)) continue;
      std::size_t end = at + no.size();
      if (no == "没" && (next == "有")) end += 3;
      reading->negations.push_back(
          {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)});
    }
  }
  std::sort(reading->negations.begin(), reading->negations.end(),
            [](const TextPart& a, const TextPart& b) { return a.begin < b.begin; });
  if (!reading->negations.empty()) reading->Add(Trait::kNegated);
}

void ReadEnglishKinds(const PlainText& plain, QuestionReading* reading) {
  const std::string& text = plain.text;
  for (const Phrase& phrase : kEnglish) {
    if (reading->Has(phrase.trait)) continue;
    for (std::size_t at = text.find(phrase.text); at != text.npos;
         at = text.find(phrase.text, at + 1)) {
      // "in the past month" is a time.
      if (InTime(reading->times, plain.origin[at + phrase.text.size() - 2])) continue;
      reading->Add(phrase.trait);
      break;
    }
  }
  // "how many weeks ago" is a duration; "how many hours did I spend" a sum.
  if (reading->Has(Trait::kCount)) {
    bool things = text.find(" number of ") != text.npos || text.find(" count ") != text.npos;
    for (std::size_t at = text.find(" how many "); at != text.npos;
         at = text.find(" how many ", at + 1)) {
      const std::size_t noun = at + 10;
      if (CountsTime(text, noun)) {
        reading->Add(Trait::kDuration);
      } else {
        things = true;
        if (Has(kTimeUnits, WordAt(text, noun))) reading->Add(Trait::kTotal);
      }
    }
    if (!things) reading->traits &= ~(1u << static_cast<int>(Trait::kCount));
  }
  if (Holds(text, {" how much "}) &&
      Holds(text,
            {" spend ", " spent ", " pay ", " paid ", " cost ", " earn ", " earned ", " raise ",
             " raised ", " save ", " saved ", " make ", " made ", " donate ", " donated "})) {
    reading->Add(Trait::kTotal);
  }
  if (AsksForSeveral(text)) reading->Add(Trait::kList);
  // "Which did I do first, …", "who was first"
  if (Holds(text, {" first "}) && Holds(text, {" which ", " who ", " or "})) {
    reading->Add(Trait::kOrder);
  }
  // "older than", "bigger of the two"
  for (std::size_t at = text.find(" than "); at != text.npos; at = text.find(" than ", at + 1)) {
    const std::size_t begin = at == 0 ? 0 : text.rfind(' ', at - 1);
    if (begin != text.npos && text.substr(begin + 1, at - begin - 1).ends_with("er")) {
      reading->Add(Trait::kComparison);
    }
  }
  const std::size_t start = text.size() > 1 ? 1 : 0;
  const std::string first = WordAt(text, start);
  // "Can you remind me …" wants no yes.
  const bool request =
      (first == "can" || first == "could" || first == "would" || first == "will") &&
      WordAt(text, start + first.size() + 1) == "you";
  if (Has(kAuxiliaries, first) && !request && text.find(" or ") == text.npos) {
    reading->Add(Trait::kYesNo);
  }
  if (Holds(text, {" my ", " mine ", " our ", " was i ", " am i ", " do i have ", " do i own ",
                   " do i live ", " do i work ", " did i live ", " did i work "})) {
    reading->Add(Trait::kPersonalFact);
  }
}

}  // namespace

void ReadKinds(std::string_view text, const PlainText& plain, QuestionReading* reading) {
  const QuestionKind kind = ReadQuestion(text);
  if (kind.about_self) reading->Add(Trait::kAboutSelf);
  if (kind.about_assistant) reading->Add(Trait::kAboutAssistant);
  ReadEnglishKinds(plain, reading);
  for (const Phrase& phrase : kChinese) {
    if (!reading->Has(phrase.trait) && FindsOutsideTimes(text, phrase.text, reading->times)) {
      reading->Add(phrase.trait);
    }
  }
  if (ComparesInChinese(text)) reading->Add(Trait::kComparison);
  if (AsksYesNoInChinese(text)) reading->Add(Trait::kYesNo);
  if (Holds(text, {"我的", "我是", "我家", "我妈", "我爸", "我们家", "我女儿", "我儿子", "我老婆",
                   "我老公", "我姐", "我哥", "我弟", "我妹", "我住", "我有"})) {
    reading->Add(Trait::kPersonalFact);
  }
  reading->asked = WhatIsAsked(text, plain.text);
  if (text.find("多少钱") != text.npos && Holds(text, {"花", "共", "付", "挣", "赚", "存"})) {
    reading->Add(Trait::kTotal);
  }
  // What was recommended is asked for, not a new recommendation.
  if (kind.about_assistant) {
    reading->traits &= ~(1u << static_cast<int>(Trait::kSuggestion));
  }
  ReadNegations(text, plain, reading);
  // "Can you suggest …" wants no yes.
  if (reading->Has(Trait::kSuggestion)) reading->traits &= ~(1u << static_cast<int>(Trait::kYesNo));
}

}  // namespace liubai::memory
