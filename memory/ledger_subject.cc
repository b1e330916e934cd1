// What a detail is about.
#include "core/text.h"
#include "memory/fts_tokenizer.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {

using words::Has;

std::string SubjectOf(const Detail& detail) {
  const std::string_view sentence = detail.sentence;
  auto at = sentence.find(detail.text);
  if (at == std::string_view::npos) at = sentence.size();
  std::string_view before = sentence.substr(0, at);
  const std::string_view value = detail.text;
  // Chinese: the last clause before the value, its pronouns and copulas taken off.
  bool cjk = false;
  for (std::size_t i = 0; i < sentence.size() && !cjk;) {
    const DecodedCodePoint point = DecodeUtf8(sentence, i);
    cjk = IsCjkIdeograph(point.value);
    i += point.length;
  }
  if (cjk) {
    if (IsStatement(detail.kind) || before.empty()) {
      before = detail.kind == DetailKind::kCorrection || detail.kind == DetailKind::kRule
                   ? std::string_view()
                   : before;
    }
    static constexpr std::string_view kBreaks[] = {"，", "。", "、", "；", "：", "！", " "};
    for (std::string_view stop : kBreaks) {
      const auto cut = before.rfind(stop);
      if (cut != std::string_view::npos && cut + stop.size() < before.size())
        before = before.substr(cut + stop.size());
    }
    static constexpr std::string_view kLeads[] = {"我们的", "我们", "我的", "我", "他的", "她的",
                                                  "你的",   "另外", "其实", "那", "这",   "就"};
    static constexpr std::string_view kTails[] = {"是", "叫", "为", "在", "要", "有", "了", "花",
                                                  "：", ":",  "，", "的", "约", "共", "做", "名"};
    for (bool again = true; again;) {
      again = false;
      for (std::string_view lead : kLeads) {
        if (before.starts_with(lead)) before.remove_prefix(lead.size()), again = true;
      }
      for (std::string_view tail : kTails) {
        if (before.ends_with(tail)) before.remove_suffix(tail.size()), again = true;
      }
      before = TrimmedView(before, kBlanks);
    }
    return std::string(TruncateUtf8(before, 24));
  }
  // English: up to three words before the value that mean something, the nearest ones.
  std::vector<std::string_view> kept;
  const auto take = [&](std::string_view part, bool from_end) {
    std::vector<std::string_view> all;
    for (std::size_t i = 0; i < part.size();) {
      std::size_t j = i;
      while (j < part.size() &&
             (IsAsciiLetter(static_cast<unsigned char>(part[j])) || (part[j] == '\'' && j > i) ||
              static_cast<unsigned char>(part[j]) >= 0x80 || (part[j] == '-' && j > i)))
        ++j;
      if (j > i) {
        const std::string_view word = part.substr(i, j - i);
        const std::string lower = ToLowerUtf8(word);
        static constexpr std::string_view kEmpty[] = {
            "about", "costs",   "cost",    "paid",   "pay",   "bought",    "called",   "named",
            "name",  "around",  "exactly", "born",   "lives", "live",      "going",    "need",
            "want",  "said",    "got",     "will",   "would", "also",      "just",     "really",
            "now",   "like",    "love",    "prefer", "using", "takes",     "comes",    "pounds",
            "total", "back",    "like",    "hate",   "likes", "favourite", "favorite", "lives",
            "works", "because", "it's",    "that's", "i'm",   "i've",      "we're",    "don't",
            "let's", "again",   "still",   "even",   "much",  "many",      "very"};
        if (!Has(words::kNotNames, lower) && !Has(kEmpty, lower) && lower.size() > 2 &&
            !QueryTerms(lower).empty())
          all.push_back(word);
      }
      i = std::max(j, i + 1);
    }
    if (from_end && all.size() > 3) all.erase(all.begin(), all.end() - 3);
    if (!from_end && all.size() > 2) all.resize(2);
    return all;
  };
  if (IsStatement(detail.kind)) {
    kept = take(detail.kind == DetailKind::kPreference ? before : std::string_view(), true);
  } else {
    kept = take(before, true);
    if (kept.empty() && at + value.size() < sentence.size())
      kept = take(sentence.substr(at + value.size()), false);
  }
  std::string subject;
  for (std::string_view word : kept) {
    if (!subject.empty()) subject += ' ';
    subject += word;
  }
  return subject;
}

}  // namespace liubai::memory
