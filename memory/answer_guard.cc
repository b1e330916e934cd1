#include "memory/answer_guard.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>
#include <vector>

#include "core/text.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

using words::Holds;

// Chinese characters that answers are built with, whatever they tell.
constexpr std::string_view kChineseFrame =
    "的是了在有和与就都也很我你您他她它们这那个一不没被把给对从到为叫于以及或但而所因每请会能可将要"
    "说"
    "知道记忆里中提目前现用者户大约左右";

// A lone Chinese token below this was guessed; ordinary words vary, so it is far below a value's.
constexpr double kLeastChinese = 0.45;

// The probability that a value must have, beside `least`: of what is left to certainty where no
// source has it, or only one about other things; of `least` itself where a source is plainly about
// the question.
constexpr double kUnsaid = 0.075;
constexpr double kUnrelated = 0.125;
constexpr double kRelated = 0.6;
constexpr double kHardlyAbout = 0.35;  // Of the question's words, by weight.
constexpr double kPlainlyAbout = 0.65;
constexpr double kNever = 1.1;

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : ToLowerUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || byte >= 0x80) {
      word.push_back(c);
    } else if (c != '\'' && !word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool HasChinese(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    if (point.value >= 0 && IsCjk(point.value)) return true;
    i += point.length;
  }
  return false;
}

bool ChineseAsksMemory(std::string_view text) {
  if (Holds(text, {"记得", "上次", "说过", "告诉过", "提到过", "以前", "之前"})) return true;
  // What the speaker means to do is asked of the world, what the speaker has or is of the memory.
  if (Holds(text, {"我想", "我要", "我该", "我应该", "我可以", "我能", "我需要", "打算", "怎么办",
                   "你有什么", "帮我", "推荐", "建议"})) {
    return false;
  }
  if (Holds(text, {"我", "咱", "俺"})) return true;
  // Of the speaker's family.
  if (Holds(text, {"妈妈", "爸爸", "母亲", "父亲", "婆婆", "公公", "岳父", "岳母", "丈夫",
                   "妻子", "老公", "老婆", "女儿", "儿子", "哥哥", "弟弟", "姐姐", "妹妹",
                   "外公", "外婆", "爷爷", "奶奶", "同事", "房东", "老板"})) {
    return true;
  }
  // Of something that was done: 取了什么名字.
  return Holds(text, {"了", "过"}) && Holds(text, {"什么", "谁", "哪", "几", "多少"});
}

// A possessive: "Mia's birthday".
bool NamesSomebody(std::string_view text) {
  const std::size_t at = text.find("'s ");
  if (at == std::string_view::npos || at <= 6) return false;
  // "What's the weather" is no possessive: those stand on a question word.
  return !Holds(ToLowerUtf8(text),
                {"what's", "who's", "where's", "when's", "how's", "it's", "that's", "let's"});
}

}  // namespace

bool AsksMemory(std::string_view text) {
  if (!IsQuestion(text)) return false;
  if (HasChinese(text)) return ChineseAsksMemory(text);
  const std::vector<std::string> words = Words(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (IsOneOf(word, {"my", "our", "mine", "ours", "remember", "told", "mentioned", "said",
                       "earlier", "again"})) {
      return true;
    }
    // "did I pay", "have we booked", "was I"; not "should I", "can we".
    if (i > 0 && IsOneOf(word, {"i", "we"}) &&
        IsOneOf(words[i - 1], {"did", "have", "had", "was", "were", "am", "are", "do"})) {
      return true;
    }
    // "the deposit I paid", "what we said".
    if (i + 1 < words.size() && IsOneOf(word, {"i", "we"}) &&
        (words[i + 1].ends_with("ed") ||
         IsOneOf(words[i + 1], {"paid", "bought", "told", "said", "had", "was", "were", "made",
                                "got", "went", "took", "gave", "met", "wrote", "chose"}))) {
      return true;
    }
  }
  return NamesSomebody(text);
}

std::vector<std::string> NamesIn(std::string_view text) {
  std::vector<std::string> names;
  if (HasChinese(text)) return names;
  bool begins = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) {
      begins |= c == '.' || c == '?' || c == '!' || c == ':' || c == '"';
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) ++end;
    const std::string_view word = text.substr(i, end - i);
    // Days and months are written in many ways.
    const std::string lower = ToLowerUtf8(word);
    const bool date = words::Has(words::kWeekdays, lower) || words::Has(words::kWholeMonths, lower);
    if (!begins && !date && word.size() >= 2 && std::isupper(static_cast<unsigned char>(c)) != 0) {
      for (std::string& term : QueryTerms(word)) names.push_back(std::move(term));
    }
    begins = false;
    i = end;
  }
  return names;
}

AnswerGuard::AnswerGuard(std::string_view question, double least, std::vector<Evidence> evidence)
    : question_(FoldNfkc(question)), least_(least) {
  const std::vector<std::string> names = NamesIn(question);
  for (Evidence& one : evidence) {
    Source source{FoldNfkc(one.text), NumbersIn(one.text), one.about, false};
    std::unordered_set<std::string> terms;
    if (!names.empty()) terms = TermSet(one.text);
    // A text in Chinese has them in Chinese.
    const auto lacks = [&](const std::string& name) { return !terms.contains(name); };
    source.of_others =
        !HasChinese(one.text) && !names.empty() &&
        (one.part ? std::ranges::all_of(names, lacks) : std::ranges::any_of(names, lacks));
    sources_.push_back(std::move(source));
  }
}

double AnswerGuard::Needed(std::string_view value) const {
  // A value is known by its letters and digits.
  const auto first = std::find_if(value.begin(), value.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           static_cast<unsigned char>(c) >= 0x80;
  });
  value.remove_prefix(static_cast<std::size_t>(first - value.begin()));
  while (!value.empty() && std::ispunct(static_cast<unsigned char>(value.back())) != 0) {
    value.remove_suffix(1);
  }
  if (value.empty()) return 0;
  const std::string folded = FoldNfkc(value);
  const std::vector<std::string> numbers = NumbersIn(folded);
  const bool number =
      numbers.size() == 1 && std::isdigit(static_cast<unsigned char>(folded[0])) != 0;
  double about = -1;
  bool others = false;
  for (const Source& source : sources_) {
    bool said = false;
    for (std::size_t at = source.text.find(folded); at != std::string::npos && !said;
         at = source.text.find(folded, at + 1)) {
      said = at == 0 || std::isalnum(static_cast<unsigned char>(source.text[at - 1])) == 0;
    }
    // Written otherwise, and perhaps not to its end yet.
    if (number && !said) {
      said = std::any_of(source.numbers.begin(), source.numbers.end(),
                         [&](const std::string& known) { return known.starts_with(numbers[0]); });
    }
    if (!said) continue;
    if (source.of_others) {
      others = true;
    } else {
      about = std::max(about, source.about);
    }
  }
  if (about < 0) return others ? kNever : 1 - (1 - least_) * kUnsaid;
  const double unrelated = 1 - (1 - least_) * kUnrelated;
  const double share =
      std::clamp((about - kHardlyAbout) / (kPlainlyAbout - kHardlyAbout), 0.0, 1.0);
  return unrelated + share * (least_ * kRelated - unrelated);
}

bool AnswerGuard::StartsSentence() const {
  const std::size_t last = text_.find_last_not_of(" \t\r\n");
  if (last == std::string::npos || last + 1 < text_.size() - text_.ends_with(' ')) return true;
  return IsOneOf(std::string_view(text_).substr(last, 1), {".", "!", "?", ":", "\""}) ||
         std::string_view(text_).ends_with("。");
}

bool AnswerGuard::Accept(std::string_view piece, double probability) {
  const std::size_t index = tokens_++;
  const std::string_view bare = piece.substr(std::min(piece.find_first_not_of(' '), piece.size()));
  const bool digits =
      std::any_of(piece.begin(), piece.end(), [](char c) { return c >= '0' && c <= '9'; });
  const bool joins = in_value_ && piece.find_first_not_of(" ,.:-/$%") == std::string_view::npos;
  const bool upper = !bare.empty() && bare[0] >= 'A' && bare[0] <= 'Z';
  const bool goes_on =
      in_value_ && !piece.empty() && std::islower(static_cast<unsigned char>(piece[0]));
  const bool name = upper && !StartsSentence() && bare != "I" &&
                    question_.find(ToLowerUtf8(bare)) == std::string::npos;
  bool chinese = false;
  if (FindInvalidUtf8(piece) == std::string_view::npos && HasChinese(piece)) {
    // Frames and words of the question tell nothing.
    for (std::size_t i = 0; i < piece.size();) {
      const std::size_t length = DecodeUtf8(piece, i).length;
      const std::string_view character = piece.substr(i, length);
      chinese |= question_.find(character) == std::string::npos &&
                 kChineseFrame.find(character) == std::string_view::npos;
      i += length;
    }
  }
  text_ += piece;
  if (least_ <= 0) return true;
  if (digits || name || goes_on) {
    if (!in_value_) {
      in_value_ = true;
      value_begin_ = index;
      probability_ = 1;
      value_.clear();
    }
    value_ += piece;
    probability_ *= probability;
    return probability_ >= Needed(value_);
  }
  if (joins) {
    value_ += piece;
    return true;
  }
  in_value_ = false;
  value_begin_ = index;
  return !chinese || probability >= std::min(Needed(piece), kLeastChinese);
}

namespace {

// Letters and digits of `text`, in lower case; a character that is not whole yet is left out.
std::u32string Bare(std::string_view text) {
  std::u32string bare;
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    i += point.length;
    if (point.value < 0 || !(IsLetter(point.value) || IsNumber(point.value))) continue;
    bare.push_back(static_cast<char32_t>(ToLower(point.value)));
  }
  return bare;
}

// The least edit distance between `a` and any beginning of `b`.
std::size_t DistanceToBeginning(std::u32string_view a, std::u32string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1])});
      corner = above;
    }
  }
  return *std::min_element(row.begin(), row.end());
}

constexpr std::size_t kLeastMessage = 4;       // "OK" and "好的" may be said back.
constexpr std::size_t kEnoughToTell = 16;      // Characters after which an echo is seen.
constexpr std::size_t kLongestCompared = 400;  // Of the message.
constexpr double kNearly = 0.2;                // Edits for a character of an echo.
constexpr double kNearlyAsked = 0.12;

}  // namespace

EchoWatch::EchoWatch(std::string_view message, bool asks)
    : message_(Bare(TruncateUtf8(message, 4 * kLongestCompared)).substr(0, kLongestCompared)) {
  // An answer is told from its question by the end only.
  enough_ = asks ? message_.size() : std::min(kEnoughToTell, message_.size() * 2 / 3);
  nearly_ = asks ? kNearlyAsked : kNearly;
  undecided_ = message_.size() >= kLeastMessage;
}

bool EchoWatch::Accept(std::string_view piece) {
  if (!undecided_) return true;
  bytes_ += piece;
  reply_ = Bare(bytes_);
  if (reply_.size() >= enough_) {
    undecided_ = false;
    return !IsEcho();
  }
  // Most replies are clear at once, and shown at once.
  if (static_cast<double>(DistanceToBeginning(reply_, message_)) >
      1.0 + nearly_ * static_cast<double>(reply_.size())) {
    undecided_ = false;
  }
  return true;
}

bool EchoWatch::IsEcho() const {
  const bool tells = reply_.size() >= enough_ || reply_.size() * 2 > message_.size();
  return message_.size() >= kLeastMessage && tells &&
         static_cast<double>(DistanceToBeginning(reply_, message_)) <=
             nearly_ * static_cast<double>(reply_.size());
}

bool SaysUnknown(std::string_view text) {
  const std::string lower = ToLowerUtf8(TruncateUtf8(text, 300));
  return words::Holds(
      lower, {"don't know", "do not know", "don't have", "do not have", "no information",
              "not sure", "cannot recall", "can't recall", "don’t know", "i'm sorry", "i apologize",
              "as an ai", "不知道", "不清楚", "没有相关", "没有提到", "无法", "抱歉"});
}

std::string BreakOff(std::string_view shown, bool chinese) {
  const bool empty = shown.find_first_not_of(" \t\r\n") == std::string_view::npos;
  if (chinese) return empty ? "我不知道，记忆里没有提到。" : "……我不知道，记忆里没有提到。";
  return empty ? "I don't know; nothing that I remember tells it."
               : " … I don't know; nothing that I remember tells it.";
}

}  // namespace liubai::memory
