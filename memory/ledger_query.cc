#include "memory/ledger_query.h"

#include <algorithm>

#include "core/text.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger_scan.h"

namespace liubai::memory {
namespace {

constexpr std::size_t kFewestTerms = 3;
constexpr std::size_t kMostBytes = 300;
constexpr std::size_t kLongSentence = 320;

// The words within a clause or two of bytes [begin, end), cut between code points.
std::string_view Around(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t from = begin > 160 ? begin - 160 : 0;
  std::size_t to = std::min(text.size(), end + 100);
  while (from < begin && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
  while (to < text.size() && (static_cast<unsigned char>(text[to]) & 0xC0) == 0x80) ++to;
  return text.substr(from, to - from);
}

// English words as a whole, in any case; Chinese ones wherever they stand.
std::string WithoutWords(std::string_view text, std::initializer_list<std::string_view> words) {
  std::string out(text);
  for (std::string_view word : words) {
    std::string lower = out;
    for (char& c : lower) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    for (auto at = FindWord(lower, word); at != std::string::npos; at = FindWord(lower, word)) {
      out.replace(at, word.size(), 1, ' ');
      lower.replace(at, word.size(), 1, ' ');
    }
  }
  return out;
}

// `part` without the values of these kinds that stand in it.
template <class Wanted>
std::string WithoutValues(std::string_view part, TextRange range, const std::vector<Detail>& all,
                          const Wanted& wanted) {
  std::string out(part);
  for (const Detail& value : all) {
    if (value.begin >= range.begin && value.end <= range.end && wanted(value.kind))
      out = Without(out, value.text);
  }
  return out;
}

bool IsValue(DetailKind kind) { return !IsStatement(kind); }
// What a person who asks may well know: of whom and what it is.
bool IsUnknownValue(DetailKind kind) {
  return IsValue(kind) && !IsNameKind(kind) && kind != DetailKind::kCode;
}

std::string OfSentence(std::string_view text, TextRange range, const std::vector<Detail>& all,
                       const Detail& detail) {
  const std::string_view sentence = text.substr(range.begin, range.end - range.begin);
  const TextRange own{detail.begin, detail.end};
  switch (detail.kind) {
    case DetailKind::kCorrection:
      return WithoutValues(sentence, range, all, IsValue);
    case DetailKind::kRule: {
      // How the rule begins must be enough to find it.
      const std::string rest = WithoutWords(
          WithoutValues(detail.text, own, all, IsUnknownValue),
          {"never", "always", "must", "please", "don't", "remember", "从现在起", "以后", "必须",
           "务必", "千万", "不要", "切记", "记住", "一律", "禁止", "请"});
      if (QueryTerms(rest).size() < 2 * kFewestTerms) return rest;
      return std::string(TruncateUtf8(rest, rest.size() * 2 / 3));
    }
    case DetailKind::kPromise:
      return WithoutWords(WithoutValues(detail.text, own, all, IsUnknownValue),
                          {"promise", "promised", "i'll", "we'll", "will", "swore", "guaranteed",
                           "my word", "assured", "答应", "保证", "承诺", "发誓", "一定", "马上"});
    case DetailKind::kNegation:
      return WithoutWords(
          detail.text, {"not",     "never",  "no",     "nobody", "nothing",  "cannot",   "don't",
                        "doesn't", "didn't", "isn't",  "aren't", "wasn't",   "weren't",  "haven't",
                        "hasn't",  "hadn't", "won't",  "can't",  "couldn't", "wouldn't", "none",
                        "neither", "没有",   "从来不", "从不",   "没",       "未",       "不"});
    case DetailKind::kQuestion:
      return WithoutWords(WithoutValues(detail.text, own, all,
                                        [](DetailKind kind) {
                                          return kind == DetailKind::kDate ||
                                                 kind == DetailKind::kTime;
                                        }),
                          {"what",     "who",    "when",    "where",      "which",
                           "why",      "how",    "whether", "still open", "haven't decided",
                           "i wonder", "什么",   "谁",      "多少",       "哪里",
                           "怎么",     "还没定", "待定",    "吗",         "呢",
                           "不知道"});
    default:
      break;
  }
  if (sentence.size() <= kLongSentence) return Without(sentence, detail.text);
  return Without(Around(sentence, detail.begin - range.begin,
                        std::min<std::size_t>(detail.end - range.begin, sentence.size())),
                 detail.text);
}

}  // namespace

std::string ProofQuery(std::string_view text, const std::vector<TextRange>& sentences,
                       std::size_t index, const std::vector<Detail>& all, const Detail& detail) {
  std::string query = OfSentence(text, sentences[index], all, detail);
  const auto part = [&](std::size_t at) {
    const TextRange range = sentences[at];
    return Without(text.substr(range.begin, range.end - range.begin), detail.text);
  };
  // Too few words name nothing: those of its own sentence that a statement left out, then the
  // sentences around it, still without the value.
  if (IsStatement(detail.kind) && detail.kind != DetailKind::kCorrection &&
      QueryTerms(query).size() < kFewestTerms) {
    query += ' ';
    query += part(index);
  }
  std::size_t before = index, after = index + 1;
  while (QueryTerms(query).size() < kFewestTerms && (before > 0 || after < sentences.size())) {
    query = before > 0 ? part(--before) + " " + query : query + " " + part(after++);
    if (query.size() > kMostBytes) break;
  }
  return std::string(TruncateUtf8(TrimmedView(query, kBlanks), kMostBytes));
}

bool LeavesOpen(std::string_view reply) {
  const std::string lower = ToLowerUtf8(reply);
  static constexpr std::string_view kUnknown[] = {
      "don't know",    "do not know",   "not sure",   "no idea",        "can't find",
      "cannot find",   "couldn't find", "no record",  "not certain",    "don't have",
      "haven't found", "let me check",  "i'll check", "don't remember", "can't recall",
      "不知道",        "不清楚",        "不确定",     "没有记录",       "没找到",
      "找不到",        "不记得",        "想不起来",   "我查一下",       "还没定",
      "没有提到",      "don’t know",    "can’t find", "don’t have"};
  std::size_t unused = 0;
  if (FindAny(std::string_view(lower), kUnknown, &unused) != std::string_view::npos) return true;
  const std::vector<TextRange> sentences = SplitSentences(reply);
  return sentences.empty() ||
         std::all_of(sentences.begin(), sentences.end(), [&](const TextRange& range) {
           return IsQuestion(reply.substr(range.begin, range.end - range.begin));
         });
}

}  // namespace liubai::memory
