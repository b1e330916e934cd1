#include "memory/question.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/text.h"
#include "memory/fts_tokenizer.h"
#include "memory/question_scan.h"

namespace liubai::memory {
namespace {

// Calls `add` on each run of ASCII letters, lower-cased, with what an apostrophe joins to it.
template <class Add>
void ForEachWord(std::string_view text, const Add& add) {
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if ((c >= 'a' && c <= 'z') || (c == '\'' && !word.empty())) {
      word.push_back(c);
    } else if (c >= 'A' && c <= 'Z') {
      word.push_back(static_cast<char>(c - 'A' + 'a'));
    } else if (text.substr(std::min(i, text.size())).starts_with("\u2019") && !word.empty()) {
      word.push_back('\'');
      i += 2;
    } else if (!word.empty()) {
      add(std::string_view(word));
      word.clear();
    }
  }
}

bool IsFirstPerson(std::string_view word) {
  static const std::unordered_set<std::string_view> words = {
      "i",  "i'm", "i've",   "i'd", "i'll", "my",    "me",    "mine",
      "we", "our", "myself", "us",  "ours", "we've", "we're", "we'd"};
  return words.contains(word);
}

int Occurrences(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

// "you told me", "you had suggested"; not "could you suggest".
bool IsSaying(std::string_view word) {
  static const std::unordered_set<std::string_view> words = {
      "told",  "said",   "mentioned", "recommended", "suggested", "gave",      "provided",
      "wrote", "listed", "described", "explained",   "shared",    "advised",   "answered",
      "made",  "named",  "proposed",  "showed",      "created",   "generated", "drafted"};
  return words.contains(word);
}

// "did you recommend", not "would you recommend".
bool IsSayingNow(std::string_view word) {
  static const std::unordered_set<std::string_view> words = {
      "tell",  "say",  "mention",  "recommend", "suggest", "give",     "provide",
      "write", "list", "describe", "explain",   "share",   "advise",   "answer",
      "make",  "name", "propose",  "show",      "create",  "generate", "draft"};
  return words.contains(word);
}

bool IsTalk(std::string_view word) {
  return word == "conversation" || word == "chat" || word == "discussion" || word == "session";
}

// Whether 你, between `before` and `after`, said what is asked for: 你推荐的书, 上次你给我介绍了. A
// request asks for a new one: 你能推荐…吗, 你给我推荐一部吧.
bool SaysChinese(std::string_view before, std::string_view after) {
  const std::string_view near = after.substr(0, 30);  // Ten characters.
  const std::string_view clause = near.substr(0, std::min(near.find("，"), near.size()));
  if (clause.starts_with("能") || clause.starts_with("可以") || clause.starts_with("会")) {
    return false;
  }
  const auto Holds = [](std::string_view where, std::string_view part) {
    return where.find(part) != std::string_view::npos;
  };
  for (const std::string_view said : {"说过", "说的", "告诉", "提到", "提过", "讲过"}) {
    if (Holds(clause, said)) return true;
  }
  const bool before_now = Holds(clause, "上次") || Holds(clause, "之前") || Holds(clause, "曾经") ||
                          Holds(clause, "刚才") || before.ends_with("上次") ||
                          before.ends_with("之前") || before.ends_with("曾经");
  for (const std::string_view said : {"推荐", "建议", "介绍", "分享", "教", "列"}) {
    const std::size_t at = clause.find(said);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = clause.substr(at + said.size());
    if (before_now || rest.starts_with("了") || rest.starts_with("过") || rest.starts_with("的")) {
      return true;
    }
  }
  return false;
}

}  // namespace

QuestionKind ReadQuestion(std::string_view text) {
  QuestionKind kind;
  std::string before, before_that;
  ForEachWord(text, [&](std::string_view word) {
    kind.about_self |= IsFirstPerson(word);
    kind.about_assistant |= IsSaying(word) && (before == "you" || before_that == "you");
    kind.about_assistant |= IsSayingNow(word) && before == "you" && before_that == "did";
    kind.about_assistant |= word == "me" && before == "remind";
    kind.about_assistant |=
        IsTalk(word) && (before == "previous" || before == "last" || before == "earlier");
    before_that = std::move(before);
    before = word;
  });
  kind.about_self |= Occurrences(text, "我") > 0;
  kind.about_assistant |= Occurrences(text, "提醒我") > 0;
  for (std::size_t at = text.find("你"); at != std::string_view::npos;
       at = text.find("你", at + 3)) {
    kind.about_assistant |= SaysChinese(text.substr(0, at), text.substr(at + 3));
  }
  return kind;
}

// Behind the mark there may be a smile, a closing quotation mark, or what was shared.
bool EndsInQuestion(std::string_view text) {
  constexpr std::size_t kBehind_bytes = 12;
  const std::size_t shared = text.rfind(" [");
  if (shared != std::string_view::npos && text.ends_with(']')) text = text.substr(0, shared);
  const std::string_view tail =
      text.size() > kBehind_bytes ? text.substr(text.size() - kBehind_bytes) : text;
  const std::size_t mark = std::max(tail.rfind('?') + 1, tail.rfind("？") + 1);
  return mark != 0 && tail.find_first_of(".!", mark) == std::string_view::npos;
}

int CountFirstPerson(std::string_view text) {
  int count = Occurrences(text, "我");
  ForEachWord(text, [&](std::string_view word) { count += IsFirstPerson(word) ? 1 : 0; });
  return count;
}

// A pair of characters one of which only joins or asks: 的房, 是哪, 在谁. Most are the border of
// two words, and a text that answers has another one there.
constexpr double kParticleWeight = 0.4;
bool HasChineseParticle(std::string_view term) {
  if (term.size() != 6) return false;
  static const std::unordered_set<std::string_view> particles = {
      "的", "是", "了", "在", "我", "你", "他", "她", "它", "们", "哪", "什", "么",
      "谁", "几", "吗", "呢", "吧", "啊", "和", "跟", "与", "就", "也", "都", "又",
      "还", "这", "那", "把", "被", "给", "从", "向", "对", "于", "很", "太", "为",
      "着", "得", "地", "之", "其", "有", "怎", "多", "少", "个"};
  return particles.contains(term.substr(0, 3)) || particles.contains(term.substr(3));
}

double TopicWeight(std::string_view term) {
  // As they look after folding and stemming.
  static const std::unordered_set<std::string_view> wanted = {
      // How many, how much, how long, how often, when.
      "mani", "much", "number", "total", "long", "often", "frequent", "altogeth", "overal", "year",
      "month", "week", "day", "hour", "minut", "time", "date", "ago", "last", "past", "pass",
      "yesterday", "today", "tomorrow", "sinc", "until", "happen", "event", "one", "two", "three",
      "four", "five", "six", "seven", "eight", "nine", "ten",
      // Which of several, in which order, now or before.
      "order", "first", "second", "third", "earlier", "earliest", "later", "latest", "recent",
      "most", "current", "now", "still", "previous", "origin", "former", "between", "多久", "几天",
      "几年", "几次", "几个", "几本", "多少", "上个", "上周", "个月", "星期", "以前", "之前",
      "之后", "以后", "天前", "周前", "月前", "年前", "一共", "总共", "哪天", "哪个", "哪些",
      "次数", "现在", "目前", "最近", "原来", "曾经", "先后", "顺序", "去年", "昨天", "前天",
      "是否"};
  const bool digit = term.size() == 1 && term[0] >= '0' && term[0] <= '9';
  if (digit || wanted.contains(term)) return 0.6;
  return HasChineseParticle(term) ? kParticleWeight : 1.0;
}

std::string_view QuestionTraitName(QuestionTrait trait) {
  constexpr std::array<std::string_view, kQuestionTraits> kNames = {
      "count",           "total",      "frequency",     "list",    "order",  "comparison",
      "duration",        "suggestion", "personal_fact", "current", "former", "about_self",
      "about_assistant", "yes_no",     "several_hops",  "negated"};
  return kNames[static_cast<std::size_t>(trait)];
}

std::string_view AskedForName(AskedFor asked) {
  constexpr std::array<std::string_view, 8> kNames = {"thing",  "person", "time",   "place",
                                                      "number", "reason", "manner", "nothing"};
  return kNames[static_cast<std::size_t>(asked)];
}

std::string_view QuestionHopName(QuestionHop::Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"possessive", "clause", "event", "entity"};
  return kNames[static_cast<std::size_t>(kind)];
}

PlainText MakePlain(std::string_view text) {
  PlainText plain;
  plain.text.reserve(text.size() + 16);
  plain.origin.reserve(text.size() + 16);
  const auto Put = [&](char c, std::size_t at) {
    if (c == ' ' && !plain.text.empty() && plain.text.back() == ' ') return;
    plain.text += c;
    plain.origin.push_back(static_cast<std::uint32_t>(at));
  };
  Put(' ', 0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const unsigned char byte = static_cast<unsigned char>(c);
    const auto Letter = [&](std::size_t at) {
      return at < text.size() && ((text[at] | 32) >= 'a' && (text[at] | 32) <= 'z');
    };
    if (c >= 'A' && c <= 'Z') {
      Put(static_cast<char>(c + 32), i);
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || byte >= 0x80) {
      // \u2019 within a word is its apostrophe.
      if (text.substr(i, 3) == "\u2019" && i > 0 && Letter(i - 1) && Letter(i + 3)) {
        Put('\'', i);
        i += 2;
      } else {
        Put(c, i);
      }
    } else if ((c == '\'' || c == '-') && i > 0 && Letter(i - 1) && Letter(i + 1)) {
      Put(c, i);
    } else if (c == '?' || c == '!' || c == '.' || c == ',' || c == ';' || c == ':' || c == '(' ||
               c == ')' || c == '"') {
      Put(' ', i);
      Put(c, i);
      Put(' ', i);
    } else {
      Put(' ', i);
    }
  }
  Put(' ', text.size());
  return plain;
}

namespace {

// Words that ask the one who is asked to do something. Elsewhere they may be the topic: "the tip
// that the waiter got".
bool IsRequest(std::string_view term) {
  static const std::unordered_set<std::string_view> words = {
      "recommend", "suggest", "advic",  "tip",     "idea", "help",    "should", "find",
      "choos",     "remind",  "rememb", "mention", "told", "convers", "chat",   "list",
      "推荐",      "建议",    "提到",   "告诉",    "列出", "记得"};
  return words.contains(term);
}

void ReadTerms(std::string_view text, QuestionReading* reading) {
  // Words that stand in a time only do not tell the topic; the time itself is read.
  std::string rest(text);
  for (const TimeExpression& time : reading->times) {
    std::fill(rest.begin() + time.text.begin, rest.begin() + time.text.end, ' ');
  }
  const bool timed = !reading->times.empty();
  const bool requests = reading->Has(QuestionTrait::kSuggestion) ||
                        reading->Has(QuestionTrait::kAboutAssistant) ||
                        reading->Has(QuestionTrait::kList);
  const std::unordered_set<std::string> outside =
      timed ? TermSet(rest) : std::unordered_set<std::string>();
  constexpr double kOfTime = 0.4, kOfRequest = 0.6;
  for (std::string& term : QueryTerms(text)) {
    double weight = TopicWeight(term);
    if (requests && IsRequest(term)) weight = std::min(weight, kOfRequest);
    if (timed && !outside.contains(term)) weight = std::min(weight, kOfTime);
    reading->terms.push_back({std::move(term), weight});
  }
}

}  // namespace

QuestionReading ReadQuestion(std::string_view text, std::int64_t now_ms,
                             std::span<const std::string> speakers, int utc_offset_minutes) {
  QuestionReading reading;
  TimeReading times = ReadTimes(text, now_ms, TimeReader::kQuestion, utc_offset_minutes);
  reading.times = std::move(times.times);
  reading.impossible_dates = std::move(times.impossible);
  for (Quantity& quantity : QuantitiesIn(text)) {
    const auto Covers = [&](const TextPart& part) {
      return quantity.text.begin < part.end && part.begin < quantity.text.end;
    };
    // Both are in the order of the text: the first time that ends behind the number.
    const auto time = std::partition_point(
        reading.times.begin(), reading.times.end(),
        [&](const TimeExpression& t) { return t.text.end <= quantity.text.begin; });
    const auto impossible =
        std::partition_point(reading.impossible_dates.begin(), reading.impossible_dates.end(),
                             [&](const TextPart& part) { return part.end <= quantity.text.begin; });
    if (time != reading.times.end() && Covers(time->text)) continue;
    if (impossible != reading.impossible_dates.end() && Covers(*impossible)) continue;
    reading.numbers.push_back(std::move(quantity));
  }
  const PlainText plain = MakePlain(text);
  ReadQuotes(text, &reading);
  ReadKinds(text, plain, &reading);
  ReadNames(text, speakers, &reading);
  ReadHops(text, plain, &reading);
  ReadTerms(text, &reading);
  return reading;
}

}  // namespace liubai::memory
