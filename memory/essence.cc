#include "memory/essence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <unordered_set>

#include "core/text.h"
#include "memory/date_expression.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/standing.h"

namespace liubai::memory {
namespace {

// Below this a sentence is talk: it is chosen only when nothing else is left.
constexpr double kLeastWorth = 0.1;
constexpr std::size_t kMostSentenceBytes = 240;

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

std::set<std::string> TermsOf(std::string_view text) {
  const auto terms = QueryTerms(text);
  return {terms.begin(), terms.end()};
}

std::size_t Shared(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::size_t shared = 0;
  for (const std::string& term : a) shared += b.contains(term);
  return shared;
}

// Both say much the same, and with the same numbers.
bool Repeats(const std::set<std::string>& a, const std::set<std::string>& b) {
  const std::size_t shared = Shared(a, b);
  if (shared * 5 < std::min(a.size(), b.size()) * 4) return false;
  if (shared == 0 || shared * 3 < std::max(a.size(), b.size()) * 2) return false;
  const auto only_there = [](const std::set<std::string>& here,
                             const std::set<std::string>& there) {
    return std::any_of(here.begin(), here.end(), [&](const std::string& term) {
      return IsAsciiDigit(static_cast<unsigned char>(term[0])) && !there.contains(term);
    });
  };
  return !only_there(a, b) && !only_there(b, a);
}

struct Speech {
  bool assistant = false;
  std::string_view known;  // Details that are in this text count for nothing.
};

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

// How much a sentence carries for its length; 0: talk.
double Worth(std::string_view sentence, const Speech& speech) {
  if (IsSmallTalk(sentence)) return 0;
  const std::size_t terms = TermsOf(sentence).size();
  double worth = 0.03 * static_cast<double>(std::min<std::size_t>(terms, 12));
  bool first_person = false;
  std::unordered_set<std::string> seen;
  for (const Detail& detail : ExtractDetails(sentence)) {
    if (!seen.insert(detail.text).second) continue;
    if (!speech.known.empty() && speech.known.find(detail.text) != std::string_view::npos) continue;
    worth += DetailWorth(detail, speech.assistant);
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
  return worth / (1.0 + static_cast<double>(sentence.size()) / 120.0);
}

// Indices of `worths` in the order in which they are chosen.
std::vector<std::size_t> ByWorth(const std::vector<double>& worths) {
  std::vector<std::size_t> order(worths.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return worths[a] > worths[b]; });
  return order;
}

// Words that a summary needs and a conversation does not: they prove nothing either way.
constexpr std::string_view kSummaryWords =
    "user users assistant conversation summary told tells tell said says say mentioned mentions "
    "mention asked asks ask discussed discuss decided decides decide talked talks talk stated "
    "shared explained wants wanted plans planned also about additionally finally";
constexpr std::string_view kChineseSummaryWords[] = {
    "用户", "助手", "对话", "总结", "提到", "决定", "讨论", "告诉", "询问", "希望",
    "表示", "谈到", "介绍", "建议", "说了", "说明", "他们", "她们", "并且", "以及"};

std::set<std::string> OwnTerms(std::string sentence) {
  static const std::set<std::string> kBoilerplate = TermsOf(kSummaryWords);
  for (std::string_view word : kChineseSummaryWords) sentence = Without(sentence, word);
  std::set<std::string> terms = TermsOf(sentence);
  std::erase_if(terms, [](const std::string& term) { return kBoilerplate.contains(term); });
  return terms;
}

// What the turns say, as a summary's sentence is compared with it.
struct Said {
  std::unordered_set<std::string> numbers;
  std::string text;   // Lower case.
  std::string names;  // The same without full stops and titles.
  std::unordered_set<std::string> words;
};

// "dr. chen" and "mr chen" are "chen": words by one blank each, titles and stops left out.
std::string PlainName(std::string_view lower) {
  std::string plain, word;
  for (std::size_t i = 0; i <= lower.size(); ++i) {
    const bool blank = i == lower.size() || lower[i] == ' ' || lower[i] == '\n';
    if (!blank && lower[i] != '.' && lower[i] != ',') word += lower[i];
    if (!blank || word.empty()) continue;
    if (!words::Has(words::kTitles, word)) {
      if (!plain.empty()) plain += ' ';
      plain += word;
    }
    word.clear();
  }
  return plain;
}

Said ReadTurns(const std::vector<Turn>& turns) {
  Said said;
  for (const Turn& turn : turns) {
    for (std::string& number : NumbersIn(turn.text)) said.numbers.insert(std::move(number));
    said.text += ToLowerUtf8(turn.speaker) + " " + ToLowerUtf8(turn.text) + "\n";
    // The date of a turn is known too.
    const std::string day = FormatDay(turn.time_ms);
    for (std::string& number : NumbersIn(day)) said.numbers.insert(std::move(number));
  }
  said.names = fmt::format(" {} ", PlainName(said.text));
  TokenizeText(said.text, [&](std::string_view term, bool) { said.words.emplace(term); });
  return said;
}

bool InventsNumber(std::string_view sentence, const Said& said) {
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    if (!IsAsciiDigit(static_cast<unsigned char>(sentence[at]))) continue;
    std::size_t end = at;
    while (end < sentence.size() && (IsAsciiDigit(static_cast<unsigned char>(sentence[end])) ||
                                     sentence[end] == '.' || sentence[end] == ','))
      ++end;
    for (const std::string& number : NumbersIn(sentence.substr(at, end - at))) {
      if (!said.numbers.contains(number)) return true;
    }
    at = end;
  }
  return false;
}

bool InventsLiteral(std::string_view sentence, const Said& said) {
  for (const Detail& detail : ExtractDetails(sentence)) {
    const bool literal = detail.kind == DetailKind::kName || detail.kind == DetailKind::kEmail ||
                         detail.kind == DetailKind::kUrl || detail.kind == DetailKind::kFile ||
                         detail.kind == DetailKind::kPhone ||
                         detail.kind == DetailKind::kIdentifier ||
                         detail.kind == DetailKind::kQuote;
    if (!literal) continue;
    const std::string value = ToLowerUtf8(detail.text);
    if (said.text.find(value) != std::string::npos) continue;
    if (detail.kind != DetailKind::kName) return true;
    if (value == "user" || value == "assistant") continue;
    const std::string plain = PlainName(value);
    if (!plain.empty() && said.names.find(fmt::format(" {} ", plain)) != std::string::npos)
      continue;
    // One word at the beginning may be no name at all, but another form of a word that was said.
    bool another_form = sentence.starts_with(detail.text) && value.find(' ') == std::string::npos;
    if (another_form) {
      const auto terms = QueryTerms(value);
      another_form = !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const auto& t) {
        return said.words.contains(t);
      });
    }
    if (!another_form) return true;
  }
  return false;
}

// Most of its words must be the turns' own: a small model likes to sum up its instructions instead.
bool SpeaksOfElse(const std::string& sentence, const Said& said) {
  const std::set<std::string> terms = OwnTerms(sentence);
  std::size_t known = 0;
  for (const std::string& term : terms) known += said.words.contains(term);
  return terms.size() >= 3 ? known * 2 < terms.size() : known == 0;
}

// A sentence of an older essence with the turns that it comes from.
struct Piece {
  std::size_t range = 0;
  std::string speaker;
  std::string text;
  double worth = 0;
  std::set<std::string> terms;
};
struct Range {
  TurnId first = 0;
  TurnId last = 0;
};
struct Pieces {
  std::vector<Range> ranges;
  std::vector<Piece> pieces;
  std::vector<std::string> subjects;  // Said to be on record.
  bool chinese = false;
};

// "Anna: I will." names its speaker; "Noted: 5 pm." does not. The label's bytes, or 0.
std::size_t SpeakerLabel(std::string_view sentence) {
  const auto colon = sentence.find(": ");
  if (colon == std::string_view::npos || colon == 0 || colon > 40) return 0;
  const std::string_view label = sentence.substr(0, colon);
  if (label.find_first_of(",;(\"'0123456789") != std::string_view::npos) return 0;
  if (words::Has(words::kNotNames, ToLowerUtf8(label))) return 0;
  int words = 0;
  bool capital = true;
  for (std::size_t i = 0; i < label.size(); ++words) {
    capital &= IsUpper(DecodeUtf8(label, i).value) || IsCjk(DecodeUtf8(label, i).value);
    i = std::min(label.find(' ', i), label.size() - 1) + 1;
  }
  return capital && words <= 3 ? colon + 2 : 0;
}

void AddSentences(std::string_view line, std::size_t range, Pieces* out) {
  std::string speaker;
  for (const TextRange part : SplitSentences(line)) {
    std::string_view sentence = line.substr(part.begin, part.end - part.begin);
    if (const std::size_t label = SpeakerLabel(sentence); label > 0) {
      speaker = std::string(sentence.substr(0, label - 2));
      sentence = Trim(sentence.substr(label));
    }
    if (sentence.empty()) continue;
    Piece piece;
    piece.range = range;
    piece.speaker = speaker;
    piece.text = Shorten(OneLine(sentence), kMostSentenceBytes);
    piece.worth = Worth(piece.text, {speaker == "Assistant", {}});
    piece.terms = TermsOf(piece.text);
    out->pieces.push_back(std::move(piece));
  }
}

// What an essence of turns or a line of a merged one says, its labelled lines apart.
void AddText(std::string_view text, std::size_t range, Pieces* out) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    std::string_view line = Trim(text.substr(at, end - at));
    at = end + 1;
    for (const bool chinese : {false, true}) {
      if (line.starts_with(Trim(RecordLabel(chinese)))) {
        line.remove_prefix(Trim(RecordLabel(chinese)).size());
        while (!line.empty()) {
          const auto stop = std::min(line.find(';'), line.size());
          const std::string subject(Trim(line.substr(0, stop)));
          if (!subject.empty() &&
              std::find(out->subjects.begin(), out->subjects.end(), subject) == out->subjects.end())
            out->subjects.push_back(subject);
          line.remove_prefix(std::min(stop + 1, line.size()));
        }
      } else if (line.starts_with(Trim(ExactLabel(chinese)))) {
        line.remove_prefix(Trim(ExactLabel(chinese)).size());
        while (!line.empty()) {
          const auto stop = std::min(line.find(" | "), line.size());
          const std::size_t before = out->pieces.size();
          AddSentences(Trim(line.substr(0, stop)), range, out);
          // These words are found nowhere else.
          for (std::size_t i = before; i < out->pieces.size(); ++i) out->pieces[i].worth += 1;
          line.remove_prefix(std::min(stop + 3, line.size()));
        }
      }
    }
    AddSentences(line, range, out);
  }
}

Pieces TakeApart(const std::vector<Essence>& essences) {
  Pieces out;
  std::string all;
  for (const Essence& essence : essences) {
    all += essence.text;
    std::string_view text = essence.text;
    if (essence.level == 0) {
      // The heading is written anew.
      if (const auto colon = text.find("):"); text.starts_with("Turns ") && colon < 80)
        text = text.substr(colon + 2);
      out.ranges.push_back({essence.first_turn, essence.last_turn});
      AddText(text, out.ranges.size() - 1, &out);
      continue;
    }
    // A line that names no turns belongs to the whole.
    bool any = false;
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find('\n', at), text.size());
      const std::string line(text.substr(at, end - at));
      at = end + 1;
      long long first = 0, last = 0;
      int used = 0;
      if (std::sscanf(line.c_str(), "Turns %lld–%lld: %n", &first, &last, &used) == 2 && used > 0) {
        out.ranges.push_back({first, last});
        any = true;
        AddText(std::string_view(line).substr(static_cast<std::size_t>(used)),
                out.ranges.size() - 1, &out);
        continue;
      }
      if (!any) out.ranges.push_back({essence.first_turn, essence.last_turn}), any = true;
      AddText(line, out.ranges.size() - 1, &out);
    }
    if (!any) out.ranges.push_back({essence.first_turn, essence.last_turn});
  }
  out.chinese = MostlyChinese(all);
  return out;
}

// The chosen pieces, a line for each range that has one; ranges without join their neighbour.
std::string Render(const Pieces& from, const std::vector<bool>& chosen) {
  struct Line {
    Range range;
    std::string text;
    std::string speaker;
  };
  std::vector<Line> lines;
  TurnId waiting = 0;  // The first turn of ranges that wait for a line after them.
  std::size_t next = 0;
  for (std::size_t r = 0; r < from.ranges.size(); ++r) {
    Line line{from.ranges[r], "", ""};
    for (; next < from.pieces.size() && from.pieces[next].range == r; ++next) {
      if (!chosen[next]) continue;
      const Piece& piece = from.pieces[next];
      if (!line.text.empty()) line.text += ' ';
      if (!piece.speaker.empty() && piece.speaker != line.speaker)
        line.text += piece.speaker + ": ";
      line.speaker = piece.speaker;
      line.text += piece.text;
    }
    if (line.text.empty() && !lines.empty()) {
      lines.back().range.last = std::max(lines.back().range.last, line.range.last);
    } else if (line.text.empty()) {
      if (waiting == 0) waiting = line.range.first;
    } else {
      if (waiting != 0) line.range.first = std::min(waiting, line.range.first);
      waiting = 0;
      lines.push_back(std::move(line));
    }
  }
  std::string text;
  for (const Line& line : lines) {
    if (!text.empty()) text += '\n';
    text += fmt::format("Turns {}–{}: {}", line.range.first, line.range.last, line.text);
  }
  return text;
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
  return std::string(Trim(TruncateUtf8(text, bytes))) + "…";
}

std::string SpeakerOf(const Turn& turn) {
  if (!turn.speaker.empty()) return turn.speaker;
  switch (turn.role) {
    case Role::kUser:
      return "User";
    case Role::kAssistant:
      return "Assistant";
    case Role::kTool:
      return "Tool";
    case Role::kSystem:
      return "System";
  }
  return "";
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
      return 3;
    case DetailKind::kTime:
    case DetailKind::kName:
    case DetailKind::kUrl:
    case DetailKind::kFile:
    case DetailKind::kPercent:
      return 2;
    default:
      return 1;
  }
}

std::string_view ExactLabel(bool chinese) { return chinese ? "原文：" : "Exact words: "; }
std::string_view RecordLabel(bool chinese) {
  return chinese ? "另有记录可查：" : "Also on record: ";
}

std::string FormatDay(std::int64_t time_ms) { return FormatMinute(time_ms).substr(0, 10); }

bool MostlyChinese(std::string_view text) {
  std::size_t cjk = 0, letters = 0;
  for (std::size_t at = 0; at < text.size() && at < 4000;) {
    const DecodedCodePoint point = DecodeUtf8(text, at);
    if (IsCjkIdeograph(point.value)) {
      ++cjk;
    } else if (point.value >= 0 && IsLetter(point.value)) {
      ++letters;
    }
    at += point.length;
  }
  // A Chinese character says about as much as three letters.
  return cjk * 3 > letters;
}

bool IsSmallTalk(std::string_view sentence) {
  if (sentence.size() > 120) return false;
  std::string rest(sentence);
  for (const Detail& detail : ExtractDetails(sentence)) {
    if (detail.kind == DetailKind::kName || detail.text == "周末") {
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

std::vector<std::string> CheckedSentences(std::string_view summary, const std::vector<Turn>& turns,
                                          std::vector<std::string>* rejected) {
  const Said said = ReadTurns(turns);
  std::vector<std::string> checked;
  std::unordered_set<std::string> seen;
  for (const TextRange range : SplitSentences(summary)) {
    const std::string sentence = OneLine(summary.substr(range.begin, range.end - range.begin));
    if (!seen.insert(ToLowerUtf8(sentence)).second) continue;
    if (IsSmallTalk(sentence)) continue;
    if (sentence.ends_with("…") || InventsNumber(sentence, said) ||
        InventsLiteral(sentence, said) || SpeaksOfElse(sentence, said)) {
      if (rejected != nullptr) rejected->push_back(sentence);
      continue;
    }
    checked.push_back(sentence);
  }
  return checked;
}

std::string CheckedSummary(std::string_view summary, const std::vector<Turn>& turns,
                           std::vector<std::string>* rejected) {
  std::string text;
  for (const std::string& sentence : CheckedSentences(summary, turns, rejected)) {
    if (!text.empty()) text += ' ';
    text += sentence;
  }
  return text;
}

std::string ExtractSummary(const std::vector<Turn>& turns, int budget, const CountTokens& count,
                           const std::vector<std::string>& already) {
  struct Sentence {
    std::string speaker;
    std::string text;
    std::set<std::string> terms;
  };
  std::vector<Sentence> sentences;
  std::vector<double> worths;
  std::string asked;  // By the user, in the turn before.
  std::set<std::string> asked_terms;
  for (const Turn& turn : turns) {
    const bool assistant = turn.role == Role::kAssistant;
    for (const TextRange range : SplitSentences(turn.text)) {
      const std::string text =
          OneLine(std::string_view(turn.text).substr(range.begin, range.end - range.begin));
      if (text.size() < 4) continue;
      Sentence sentence{SpeakerOf(turn), Shorten(text, kMostSentenceBytes), TermsOf(text)};
      double worth =
          Worth(text, {assistant, assistant ? std::string_view(asked) : std::string_view()});
      // An echo of the user says nothing that the user's own words do not.
      if (assistant && Shared(sentence.terms, asked_terms) * 2 > sentence.terms.size())
        worth *= 0.2;
      sentences.push_back(std::move(sentence));
      worths.push_back(worth);
    }
    if (!assistant) asked = turn.text, asked_terms = TermsOf(asked);
  }
  std::vector<std::set<std::string>> kept_terms;
  for (const std::string& text : already) kept_terms.push_back(TermsOf(text));
  std::vector<bool> chosen(sentences.size(), false);
  const auto render = [&] {
    std::string text;
    std::string_view speaker;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      if (!chosen[i]) continue;
      if (!text.empty()) text += ' ';
      if (speaker != sentences[i].speaker) text += sentences[i].speaker + ": ";
      speaker = sentences[i].speaker;
      text += sentences[i].text;
    }
    return text;
  };
  std::string summary;
  for (const std::size_t i : ByWorth(worths)) {
    if (worths[i] < kLeastWorth && (!summary.empty() || !already.empty())) break;
    const bool repeated = std::any_of(kept_terms.begin(), kept_terms.end(), [&](const auto& terms) {
      return Repeats(sentences[i].terms, terms);
    });
    if (repeated) continue;
    chosen[i] = true;
    std::string longer = render();
    if (count(longer) > budget) {
      chosen[i] = false;
      continue;
    }
    summary = std::move(longer);
    kept_terms.push_back(sentences[i].terms);
  }
  return summary;
}

std::string MergeEssences(const std::vector<Essence>& essences, int budget,
                          const CountTokens& count) {
  const Pieces from = TakeApart(essences);
  std::vector<double> worths;
  for (const Piece& piece : from.pieces) worths.push_back(piece.worth);
  const std::vector<std::size_t> order = ByWorth(worths);
  // A part is set aside for the subjects on record.
  const int for_sentences = from.subjects.empty() ? budget : budget * 5 / 6;
  std::vector<bool> chosen(from.pieces.size(), false);
  std::vector<std::size_t> taken;
  std::string text;
  for (const std::size_t i : order) {
    const Piece& piece = from.pieces[i];
    if (piece.worth < kLeastWorth && !text.empty()) break;
    const bool repeated = std::any_of(taken.begin(), taken.end(), [&](std::size_t other) {
      return Repeats(piece.terms, from.pieces[other].terms);
    });
    if (repeated) continue;
    chosen[i] = true;
    std::string longer = Render(from, chosen);
    if (count(longer) > for_sentences) {
      chosen[i] = false;
      continue;
    }
    text = std::move(longer);
    taken.push_back(i);
  }
  if (text.empty()) {
    // Not even one sentence fits whole: the best one's beginning stands for all.
    const std::string best = order.empty() ? "" : from.pieces[order.front()].text;
    return std::string(HeadOfTokens(fmt::format("Turns {}–{}: {}", essences.front().first_turn,
                                                essences.back().last_turn, best),
                                    budget, count));
  }
  std::string record;
  for (const std::string& subject : from.subjects) {
    const std::string longer =
        record.empty() ? std::string(RecordLabel(from.chinese)) + subject : record + "; " + subject;
    if (count(text + "\n" + longer) > budget) break;
    record = longer;
  }
  return record.empty() ? text : text + "\n" + record;
}

}  // namespace liubai::memory
