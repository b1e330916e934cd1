#include "memory/sentence.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "core/text.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/standing.h"

namespace liubai::memory {
namespace {

constexpr std::string_view kStops[] = {"。", "！", "？", "；", "，", "…",  "”", "」",
                                       ".",  "!",  "?",  ";",  ",",  "\"", "~"};

// The words of courtesy, and those that go with them.
constexpr std::string_view kCourtesy[] = {
    "hi",         "hello",   "hey",     "good",      "morning", "evening",  "afternoon", "night",
    "thanks",     "thank",   "you",     "very",      "much",    "so",       "a",         "lot",
    "welcome",    "dear",    "sure",    "of",        "course",  "ok",       "okay",      "got",
    "it",         "great",   "noted",   "perfect",   "yes",     "yeah",     "no",        "problem",
    "right",      "exactly", "please",  "glad",      "happy",   "pleasure", "my",        "to",
    "help",       "hear",    "know",    "that",      "that's",  "is",       "kind",      "lovely",
    "nice",       "how",     "are",     "well",      "i'm",     "i",        "am",        "fine",
    "see",        "bye",     "goodbye", "take",      "care",    "cheers",   "enjoy",     "sleep",
    "the",        "your",    "for",     "all",       "will",    "do",       "be",        "helps",
    "wonderful",  "alright", "again",   "everybody", "not",     "at",       "what",      "can",
    "day",        "weekend", "have",    "and",       "then",    "helpful",  "indeed",    "oh",
    "wow",        "cool",    "let",     "me",        "if",      "anything", "else",      "need",
    "understood", "from",    "there",   "today",     "feel",    "free",     "ask",       "any",
    "time",       "with",    "this",    "here",      "true",    "really",   "just",      "talk"};
constexpr std::string_view kChineseCourtesy[] = {
    "早上好",   "上午好", "下午好",   "晚上好", "你好",   "您好",   "大家好", "谢谢你", "谢谢您",
    "谢谢",     "多谢",   "感谢",     "不客气", "不用谢", "好的",   "好呀",   "好啊",   "好吧",
    "明白了",   "明白",   "知道了",   "收到",   "没问题", "没关系", "当然",   "太好了", "太棒了",
    "辛苦了",   "再见",   "晚安",     "哈哈",   "是的",   "对的",   "请问",   "真不错", "很高兴",
    "为您服务", "帮到你", "帮到您",   "记住了", "了解了", "今天",   "一切",   "顺利",   "愉快",
    "祝你",     "祝您",   "有什么",   "可以",   "需要",   "随时",   "告诉我", "听起来", "不错",
    "真好",     "周末",   "天气真好", "辛苦",   "客气",   "没事",   "放心",   "您",     "你",
    "嗯",       "好",     "了",       "啊",     "呀",     "吧",     "的",     "很",     "我"};

// What a detail adds to its sentence. A name or a number that says nothing of a thing is mostly
// part of the talk: "Tom laughed", "two of us", 三步; so are a day of the week, a quotation and a
// wish for once.
double DetailWorth(const Detail& detail, bool assistant) {
  const bool digits = detail.text.find_first_of("0123456789") != std::string::npos;
  switch (detail.kind) {
    case DetailKind::kNumber: {
      const auto many = std::count_if(detail.text.begin(), detail.text.end(), [](char c) {
        return IsAsciiDigit(static_cast<unsigned char>(c));
      });
      return !digits ? 0.3 : many < 3 ? 1 : 2.5;
    }
    case DetailKind::kName:
    case DetailKind::kPlace:
      return SubjectOf(detail).empty() ? 0.5 : Weight(detail.kind);
    case DetailKind::kDate:
      return digits ? Weight(detail.kind) : 1;
    case DetailKind::kQuote:
      return 0.3;
    default:
      if (!IsStatement(detail.kind)) return Weight(detail.kind);
      return !assistant && IsStanding(detail) ? Weight(detail.kind) : 0.5;
  }
}

}  // namespace

std::string OneLine(std::string_view text) {
  std::string line;
  for (char c : Trim(text)) {
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

std::string Shorten(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  return CutAtWord(text, TruncateUtf8(text, bytes).size());
}

std::string CutAtWord(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return std::string(text);
  const auto inside = [&](std::size_t at) {
    const auto joins = [](char c) {
      return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '.' || c == ',' ||
             c == '-' || c == ':' || c == '@' || c == '/';
    };
    // 三十|二: numerals are no words, but numbers.
    const auto numeral = [&](std::size_t begin) {
      const std::int32_t c = DecodeUtf8(text, begin).value;
      return IsChineseNumeral(c) || c == U'点';
    };
    return at > 0 && ((joins(text[at - 1]) && joins(text[at])) ||
                      (at >= 3 && numeral(at - 3) && numeral(at)));
  };
  while (bytes > 0 && inside(bytes)) bytes = TruncateUtf8(text, bytes - 1).size();
  const std::string_view head = Trim(text.substr(0, bytes));
  return head.empty() ? std::string() : std::string(head) + "…";
}

int Weight(DetailKind kind) {
  switch (kind) {
    case DetailKind::kRule:
    case DetailKind::kAllergy:
      return 5;
    case DetailKind::kCorrection:
    case DetailKind::kPreference:
      return 4;
    case DetailKind::kMoney:
    case DetailKind::kDate:
    case DetailKind::kIdentifier:
    case DetailKind::kPhone:
    case DetailKind::kEmail:
    case DetailKind::kPromise:
      return 3;
    case DetailKind::kTime:
    case DetailKind::kName:
    case DetailKind::kPlace:
    case DetailKind::kUrl:
    case DetailKind::kFile:
    case DetailKind::kPercent:
      return 2;
    default:
      return 1;
  }
}

Terms TermsOf(std::string_view text) {
  const auto terms = QueryTerms(text);
  return {terms.begin(), terms.end()};
}

std::size_t Shared(const Terms& a, const Terms& b) {
  std::size_t shared = 0;
  for (const std::string& term : a) shared += b.contains(term);
  return shared;
}

bool Repeats(const Terms& a, const Terms& b) {
  const std::size_t shared = Shared(a, b);
  if (shared * 5 < std::min(a.size(), b.size()) * 4) return false;
  if (shared == 0 || shared * 3 < std::max(a.size(), b.size()) * 2) return false;
  const auto only_there = [](const Terms& here, const Terms& there) {
    return std::any_of(here.begin(), here.end(), [&](const std::string& term) {
      return IsAsciiDigit(static_cast<unsigned char>(term[0])) && !there.contains(term);
    });
  };
  return !only_there(a, b) && !only_there(b, a);
}

bool IsSmallTalk(std::string_view sentence) {
  if (sentence.size() > 120) return false;
  std::string rest(sentence);
  for (const Detail& detail : ExtractDetails(sentence)) {
    // What is asked or denied in courtesies is told by their words.
    if (detail.kind == DetailKind::kQuestion || detail.kind == DetailKind::kNegation) continue;
    if (IsNameKind(detail.kind) || detail.text == "周末") {
      rest = Without(rest, detail.text);
    } else if (detail.kind != DetailKind::kQuote &&
               !(detail.kind == DetailKind::kNumber && DetailWorth(detail, false) < 1)) {
      return false;
    }
  }
  for (std::string_view stop : kStops) rest = Without(rest, stop);
  for (std::string_view phrase : kChineseCourtesy) rest = Without(rest, phrase);
  std::size_t others = 0;
  const std::string lower = ToLowerUtf8(rest);
  for (std::size_t i = 0; i < lower.size();) {
    const DecodedCodePoint point = DecodeUtf8(lower, i);
    if (IsAsciiWord(point.value)) {
      std::size_t end = i;
      while (end < lower.size() &&
             (IsAsciiWord(static_cast<unsigned char>(lower[end])) || lower[end] == '\''))
        ++end;
      // A word says as much as two characters of Chinese.
      if (!words::Has(kCourtesy, std::string_view(lower).substr(i, end - i))) others += 2;
      i = end;
      continue;
    }
    others += point.value >= 0 && IsLetter(point.value);
    i += point.length;
  }
  return others <= 2;
}

bool Denies(std::string_view sentence) {
  static constexpr std::string_view kNo[] = {
      "not",     "never",  "no longer", "don't",    "doesn't",  "didn't",  "isn't",   "aren't",
      "wasn't",  "can't",  "cannot",    "won't",    "no",       "stopped", "none",    "nobody",
      "weren't", "hasn't", "haven't",   "couldn't", "wouldn't", "without", "neither", "shouldn't"};
  static constexpr std::string_view kChineseNo[] = {"不", "没", "别", "未", "无"};
  // Words with these characters that deny nothing.
  static constexpr std::string_view kIdle[] = {
      "不错",   "不过",   "不同",   "不仅",   "不但",   "不管",   "不断",   "不久",  "差不多",
      "对不起", "没关系", "特别",   "别人",   "别的",   "区别",   "分别",   "个别",  "级别",
      "性别",   "别墅",   "告别",   "识别",   "无论",   "未来",   "无法",   "无线",  "无锡",
      "不少",   "是不是", "能不能", "会不会", "要不要", "好不好", "有没有", "没问题"};
  std::string plain;
  const std::string lower = ToLowerUtf8(sentence);
  constexpr std::string_view kCurly = "’";
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const bool curly = std::string_view(lower).substr(i).starts_with(kCurly);
    plain += curly ? '\'' : lower[i];
    if (curly) i += kCurly.size() - 1;
  }
  for (std::string_view word : kIdle) {
    if (plain.find(word) != plain.npos) plain = Without(plain, word);
  }
  std::size_t end = 0;
  return FindAnyWord(std::string_view(plain), kNo, &end) != std::string_view::npos ||
         words::Holds(plain, kChineseNo);
}

double Worth(std::string_view sentence, const Speech& speech) {
  if (IsSmallTalk(sentence)) return 0;
  const std::size_t terms = TermsOf(sentence).size();
  double worth = 0.03 * static_cast<double>(std::min<std::size_t>(terms, 12));
  bool first_person = false;
  std::unordered_set<std::string> seen;
  for (const Detail& detail : ExtractDetails(sentence)) {
    if (!seen.insert(detail.text).second) continue;
    if (!speech.known.empty() && speech.known.find(detail.text) != std::string_view::npos) continue;
    worth +=
        DetailWorth(detail, speech.assistant) *
        (speech.policy == nullptr ? 1.0 : speech.policy->KindWeight(DetailKindName(detail.kind)));
    first_person |= detail.first_person;
  }
  if (terms < 3) worth *= 0.6;
  // Whom it speaks of stood in the sentence before.
  static constexpr std::string_view kPronouns[] = {"He ",   "She ",  "It ",   "They ", "That ",
                                                   "This ", "Them ", "It's ", "他",    "她",
                                                   "它",    "那",    "这"};
  for (std::string_view pronoun : kPronouns) {
    if (sentence.starts_with(pronoun)) worth *= 0.5;
  }
  if (speech.assistant) worth *= 0.4;
  if (!speech.assistant && first_person) worth *= 1.2;
  if (IsQuestion(sentence)) worth *= 0.1;
  if (sentence.ends_with("…")) worth *= 0.5;
  // A reply that its limit broke off.
  const bool stopped = std::any_of(std::begin(kStops), std::end(kStops),
                                   [&](std::string_view stop) { return sentence.ends_with(stop); });
  if (speech.assistant && !stopped) worth *= 0.3;
  return worth / (1.0 + static_cast<double>(sentence.size()) / 120.0);
}

}  // namespace liubai::memory
