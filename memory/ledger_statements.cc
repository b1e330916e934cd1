// A sentence as statements are looked for in it: its plain text, clauses, values; and the order in
// which they are looked for.
#include "memory/ledger_statements.h"

#include <algorithm>
#include <array>

#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

constexpr std::string_view kStops[] = {"。", "！", "？", "；", "，", "：", "…", "～"};

}  // namespace

std::string_view FirstWord(std::string_view text) {
  text = TrimmedView(text, kBlanks);
  return text.substr(0, text.find_first_of(" ,.;:!?"));
}

bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::any_of(list.begin(), list.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

// In haste one leaves out the apostrophe: how many letters stand behind it in `word`, which is
// followed by `next`; 0: none is left out.
std::size_t LettersBehindApostrophe(std::string_view word, std::string_view next) {
  static constexpr std::string_view kNot[] = {
      "dont",   "cant",   "wont",  "didnt", "doesnt",  "isnt",     "arent",   "wasnt",
      "werent", "havent", "hasnt", "hadnt", "couldnt", "shouldnt", "wouldnt", "mustnt"};
  static constexpr std::string_view kOne[] = {"im",   "thats",  "whats", "hes",
                                              "shes", "theres", "whos"};
  static constexpr std::string_view kTwo[] = {"ive",  "youre", "theyre", "youll", "theyll",
                                              "weve", "youve", "theyve", "itll",  "heres"};
  static constexpr std::string_view kDone[] = {"send", "call",  "bring", "get",  "do",   "pay",
                                               "fix",  "check", "let",   "ask",  "text", "email",
                                               "book", "make",  "pick",  "take", "drop", "give"};
  if (words::Has(kNot, word)) return 1;
  if (words::Has(kOne, word)) return 1;
  if (words::Has(kTwo, word)) return word == "heres" ? 1 : 2;
  if (word == "ill" && words::Has(kDone, next)) return 2;
  return word == "id" && (next == "rather" || next == "love" || next == "like") ? 1 : 0;
}

Sentence::Sentence(std::string_view text, TextRange range, std::vector<Detail>* details)
    : range_(range),
      sentence_(text.substr(range.begin, range.end - range.begin)),
      details_(details) {
  for (std::size_t i = 0; i < sentence_.size(); ++i) {
    const char c = sentence_[i];
    const bool curly = sentence_.substr(i).starts_with("’");
    origin_.push_back(static_cast<std::uint32_t>(i));
    plain_ += curly ? '\'' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    if (curly) i += 2;
  }
  origin_.push_back(static_cast<std::uint32_t>(sentence_.size()));
  PutApostrophes();
  for (const Detail& detail : *details_) {
    if (detail.kind != DetailKind::kQuote && detail.kind != DetailKind::kCode) continue;
    if (detail.end <= range_.begin || detail.begin >= range_.end) continue;
    for (std::size_t i = 0; i + 1 < origin_.size(); ++i) {
      const std::uint32_t at = range_.begin + origin_[i];
      if (at >= detail.begin && at < detail.end) plain_[i] = ' ';
    }
  }
  SplitClauses();
}

void Sentence::PutApostrophes() {
  const auto letter = [&](std::size_t i) {
    return i < plain_.size() &&
           (IsAsciiWord(static_cast<unsigned char>(plain_[i])) || plain_[i] == '\'');
  };
  for (std::size_t i = 0; i < plain_.size();) {
    std::size_t end = i;
    while (letter(end)) ++end;
    std::size_t next = end;
    while (letter(next + 1)) ++next;
    const std::string_view after =
        end < plain_.size() && plain_[end] == ' ' ? plain().substr(end + 1, next - end) : "";
    const std::size_t behind = LettersBehindApostrophe(plain().substr(i, end - i), after);
    if (behind > 0) {
      plain_.insert(end - behind, 1, '\'');
      const auto at = static_cast<std::ptrdiff_t>(end - behind);
      origin_.insert(origin_.begin() + at, origin_[end - behind]);
      ++end;
    }
    i = std::max(end, i + 1);
  }
}

void Sentence::SplitClauses() {
  static constexpr std::string_view kBreaks[] = {"，",    "；",        "。",         "：",
                                                 "——",    "—",         " – ",        ";",
                                                 " but ", " because ", " although ", " though "};
  static constexpr std::string_view kSubjects[] = {
      "i",   "he",       "she",    "we",     "they",  "it",     "you",
      "the", "my",       "our",    "i'm",    "i'll",  "nobody", "his",
      "her", "couldn't", "didn't", "wasn't", "don't", "never",  "not"};
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end, std::size_t next) {
    if (end > begin) clauses_.push_back({begin, end});
    begin = next;
  };
  const std::string_view text = plain_;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 0;
    for (std::string_view stop : kBreaks) {
      if (length == 0 && text.substr(i).starts_with(stop)) length = stop.size();
    }
    const bool comma = text[i] == ',' && i + 1 < text.size() && !IsAsciiDigit(text[i + 1]);
    if (comma) length = 1;
    if (length == 0 && text.substr(i).starts_with(" and ")) {
      const auto word = text.substr(i + 5, text.find_first_of(" ,.", i + 5) - (i + 5));
      if (words::Has(kSubjects, word)) length = 5;
    }
    if (length > 0) cut(i, i + length);
    i += std::max<std::size_t>(length, 1);
  }
  cut(text.size(), text.size());
  if (clauses_.empty()) clauses_.push_back({0, text.size()});
}

Sentence::Range Sentence::ClauseAt(std::size_t at) const {
  for (const Range& clause : clauses_) {
    if (at < clause.end) return clause;
  }
  return clauses_.back();
}

std::size_t Sentence::EndOf(std::size_t begin) const {
  static constexpr std::string_view kEnds[] = {
      ", but ",     "，",        "；",       "。",          ";",         " because ", ", so ",
      ", and she ", ", and he ", ", and i ", ", and they ", ", and we ", " since ",   "但",
      ", the ",     ", it",      ", just ",  ", my ",       ", he ",     ", she ",    ", i ",
      ", we ",      ", they ",   ", you ",   " so ",        ", that",    ", this ",   " so the "};
  std::size_t unused = 0;
  const auto at = FindAny(plain().substr(begin), kEnds, &unused);
  return at == std::string_view::npos ? plain_.size() : begin + at;
}

Sentence::Range Sentence::Trimmed(Range range) const {
  std::string_view part = Text(range);
  for (bool again = true; again;) {
    const auto size = part.size();
    part = TrimmedView(part, kEdges);
    for (std::string_view stop : kStops) {
      if (part.ends_with(stop)) part.remove_suffix(stop.size());
      if (part.starts_with(stop)) part.remove_prefix(stop.size());
    }
    again = part.size() < size && !part.empty();
  }
  const auto begin = static_cast<std::size_t>(part.data() - plain_.data());
  return {begin, begin + part.size()};
}

void Sentence::Add(DetailKind kind, Range range, Range covered) {
  // A statement may end in quotation marks, whose text is blank here.
  range = Trimmed(range);
  if (range.end <= range.begin) return;
  std::size_t end = range.end;
  const auto past = plain().substr(end).find_first_not_of(' ');
  if (past != std::string_view::npos && past > 1) {
    const std::string_view mark = plain().substr(end + past);
    for (std::string_view close : {"\"", "”", "」", "》", "`", "»"}) {
      if (mark.starts_with(close)) end += past + close.size();
    }
  }
  Detail detail;
  detail.kind = kind;
  detail.begin = range_.begin + origin_[range.begin];
  detail.end = range_.begin + origin_[end];
  detail.text =
      std::string(sentence_.substr(origin_[range.begin], origin_[end] - origin_[range.begin]));
  details_->push_back(std::move(detail));
  covered_.push_back(covered);
}

bool Sentence::IsCovered(Range range) const {
  return std::any_of(covered_.begin(), covered_.end(), [&](const Range& covered) {
    const auto from = std::max(range.begin, covered.begin);
    const auto to = std::min(range.end, covered.end);
    return to > from && (to - from) * 2 > range.end - range.begin;
  });
}

bool Sentence::Has(DetailKind kind, Range range) const {
  const std::uint32_t begin = range_.begin + origin_[range.begin];
  const std::uint32_t end = range_.begin + origin_[range.end];
  return std::any_of(details_->begin(), details_->end(), [&](const Detail& detail) {
    return detail.kind == kind && detail.begin >= begin && detail.end <= end;
  });
}

bool Sentence::HasValue() const {
  return std::any_of(details_->begin(), details_->end(), [&](const Detail& detail) {
    return Inside(detail) && !IsStatement(detail.kind);
  });
}

// "it's RX-2207 not RX-2270", "tuesday not wednesday", 是18不是80: a value, and what it is not.
bool Sentence::ValueNotValue() const {
  for (const Detail& first : *details_) {
    if (!Inside(first) || IsStatement(first.kind)) continue;
    for (const Detail& second : *details_) {
      if (second.kind != first.kind || second.begin <= first.end || !Inside(second)) continue;
      const std::string_view between =
          sentence_.substr(first.end - range_.begin, second.begin - first.end);
      if (between == "不是" || between == "，不是") return true;
      std::string_view bare = TrimmedView(between, " ,");
      for (std::string_view article : {" the", " on", " at", " in", " to"}) {
        if (bare.ends_with(article)) bare.remove_suffix(article.size());
      }
      if (!bare.ends_with("not") || bare.ends_with("but not")) continue;
      bare = TrimmedView(bare.substr(0, bare.size() - 3), " ,");
      // "190 cm wide, not 210"
      if (!bare.empty() && bare != "and" && (bare.find(' ') != bare.npos || bare.size() > 8))
        continue;
      if (!IsNameKind(first.kind)) return true;
      // Of names only who or what something is: "it's Mr. Pell, not Mr. Bell".
      const std::string_view before =
          TrimmedView(sentence_.substr(0, first.begin - range_.begin), " ");
      for (std::string_view is : {"it's", "It's", "its", " is", " was", "It is"}) {
        if (before.ends_with(is)) return true;
      }
    }
  }
  return false;
}

// A value that is no name, in [begin, end) of plain().
bool Sentence::MeasureIn(std::size_t begin, std::size_t end) const {
  const std::uint32_t from = range_.begin + origin_[begin], to = range_.begin + origin_[end];
  return std::any_of(details_->begin(), details_->end(), [&](const Detail& detail) {
    return detail.begin >= from && detail.end <= to && !IsStatement(detail.kind) &&
           !IsNameKind(detail.kind);
  });
}

// Two values of one kind.
bool Sentence::TwoOfAKind() const {
  std::array<int, kDetailKinds> counts{};
  for (const Detail& detail : *details_) {
    if (Inside(detail) && !IsStatement(detail.kind) &&
        ++counts[static_cast<std::size_t>(detail.kind)] > 1)
      return true;
  }
  return false;
}

bool Sentence::HasWhen() const {
  return std::any_of(details_->begin(), details_->end(), [&](const Detail& detail) {
    return Inside(detail) && (detail.kind == DetailKind::kDate || detail.kind == DetailKind::kTime);
  });
}

void FindStatements(std::string_view text, TextRange range, std::vector<Detail>* details) {
  Sentence sentence(text, range, details);
  const bool asks = IsQuestion(sentence.original());
  if (asks) {
    FindOpenQuestions(sentence, asks);
    return;
  }
  FindAllergies(sentence);
  FindReactions(sentence);
  FindRules(sentence);
  FindPreferences(sentence);
  FindTastes(sentence);
  FindPromises(sentence);
  FindCorrections(sentence);
  FindOpenQuestions(sentence, asks);
  FindNegations(sentence);
}

}  // namespace liubai::memory
