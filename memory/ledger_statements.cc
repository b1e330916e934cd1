// Statements: allergies, rules, preferences, corrections.
#include "memory/ledger_statements.h"

#include <algorithm>
#include <array>

#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

constexpr std::string_view kEdges = " \t\r\n.,;:!?";
constexpr std::string_view kStops[] = {"。", "！", "？", "；", "，", "：", "…", "～"};

bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::any_of(list.begin(), list.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

std::string_view WithoutLeads(std::string_view clause) {
  static constexpr std::string_view kLeads[] = {
      "and ", "so ",  "but ", "please ", "then ", "also ", "just ", "or ",  "well, ",
      "ok, ", "pls ", "plz ", "ok ",     "hey ",  "oh ",   "and, ", "btw ", "请",
      "就",   "那",   "所以", "但",      "但是",  "还有",  "而且",  "麻烦", "，"};
  for (bool again = true; again;) {
    again = false;
    clause = TrimmedView(clause, kBlanks);
    for (std::string_view lead : kLeads) {
      if (clause.starts_with(lead)) clause.remove_prefix(lead.size()), again = true;
    }
  }
  return clause;
}

// The first "love", "hate" and the like behind a plural, and where it ends.
std::size_t ManyLike(std::string_view text, std::size_t* end) {
  static constexpr std::string_view kVerbs[] = {"love",    "hate",  "like",   "adore",
                                                "dislike", "enjoy", "prefer", "detest"};
  static constexpr std::string_view kNot[] = {
      "always", "does",      "this",    "was",    "is",     "looks", "feels",  "sounds",
      "seems",  "sometimes", "things",  "tastes", "smells", "it's",  "that's", "words",
      "lots",   "needs",     "perhaps", "works",  "acts",   "plus",  "unless", "dress"};
  std::size_t best = std::string_view::npos;
  for (std::string_view verb : kVerbs) {
    const auto at = FindWord(text, verb);
    if (at == text.npos || at < 5 || at >= best || text[at - 1] != ' ') continue;
    const std::string_view before = text.substr(0, at - 1);
    const auto blank = before.rfind(' ');
    const std::string_view word = before.substr(blank == before.npos ? 0 : blank + 1);
    if (word.size() < 4 || !word.ends_with("s") || word.ends_with("'s") || word.ends_with("ss") ||
        words::Has(kNot, word))
      continue;
    best = at;
    *end = at + verb.size();
  }
  return best;
}

}  // namespace

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

void FindAllergies(Sentence& sentence) {
  const std::string_view text = sentence.plain();
  const Sentence::Range whole{0, text.size()};
  static constexpr std::string_view kEnglish[] = {
      "allergic to",   "allergy to",      "allergies to",  "intolerant to",
      "allergies are", "anaphylactic to", "intolerance to"};
  static constexpr std::string_view kEat[] = {"can't eat",     "can't have", "cannot eat",
                                              "can't drink",   "don't eat",  "mustn't eat",
                                              "can't tolerate"};
  // "Isla can't have dairy", "Noor is coeliac"
  static constexpr std::string_view kCannotEat[] = {"can't have",   "cannot have", "can't eat",
                                                    "cannot eat",   "can't do",    "can't tolerate",
                                                    "mustn't have", "cant have"};
  static constexpr std::string_view kFoods[] = {
      "dairy",      "milk",      "lactose", "gluten", "wheat",   "nuts", "peanuts", "nut",
      "eggs",       "shellfish", "soy",     "soya",   "sesame",  "fish", "prawns",  "strawberries",
      "penicillin", "ibuprofen", "aspirin", "latex",  "cashews", "kiwi", "almonds", "walnuts"};
  static constexpr std::string_view kCoeliac[] = {"is coeliac",    "is celiac",  "i'm coeliac",
                                                  "am coeliac",    "i'm celiac", "he's coeliac",
                                                  "she's coeliac", "a coeliac"};
  static constexpr std::string_view kCompound[] = {"intolerant", "intolerance", "allergy",
                                                   "allergies"};
  bool found = false;
  std::size_t end = 0;
  for (std::size_t from = 0; from < text.size();) {
    const auto at = FindAnyWord(text.substr(from), kEnglish, &end);
    if (at == text.npos) break;
    const std::size_t begin = from + end;
    const std::size_t stop = std::min(sentence.EndOf(begin), text.size());
    const std::string_view what = TrimmedView(text.substr(begin, stop - begin), kEdges);
    std::size_t eat = 0;
    // "can't eat sesame, he's allergic to it"
    if ((what == "it" || what == "them" || what == "that") &&
        FindAnyWord(text, kEat, &eat) != text.npos && eat < begin) {
      sentence.Add(DetailKind::kAllergy, {eat, sentence.ClauseAt(eat).end}, whole);
    } else {
      sentence.Add(DetailKind::kAllergy, {begin, stop}, whole);
    }
    found = true;
    from = stop;
  }
  for (const Sentence::Range clause : sentence.clauses()) {
    const std::string_view part = sentence.Text(clause);
    std::size_t past = 0, food = 0;
    const auto cannot = FindAnyWord(part, kCannotEat, &past);
    const bool eats = !found && cannot != part.npos &&
                      FindAnyWord(part.substr(past), kFoods, &food) != part.npos &&
                      !words::Holds(text, {"intoleran", "allerg"});
    if (eats || (!found && FindAnyWord(part, kCoeliac, &past) != part.npos)) {
      sentence.Add(DetailKind::kAllergy, {clause.begin, sentence.EndOf(clause.begin)}, clause);
      found = true;
    }
  }
  for (std::size_t from = 0; from < text.size() && !found;) {
    const auto hit = FindAnyWord(text.substr(from), kCompound, &end);
    if (hit == text.npos) break;
    const std::size_t at = from + hit;
    from += end;
    if (at < 2) continue;
    // "bee venom allergy", "lactose intolerant": the words before it, up to one that is no noun.
    std::size_t begin = at - 1;
    int words = 0;
    static constexpr std::string_view kNot[] = {
        "a",       "an",  "is",     "am",   "are", "severe", "bad",    "her", "his",      "my",
        "the",     "has", "have",   "and",  "or",  "mild",   "slight", "i'm", "nut-free", "with",
        "serious", "of",  "strong", "food", "an",  "their",  "our",    "its", "some",     "to"};
    while (begin > 0 && words < 3) {
      const auto blank = text.substr(0, begin).rfind(' ');
      const std::size_t word = blank == text.npos ? 0 : blank + 1;
      const std::string_view one = text.substr(word, begin - word);
      if (one.empty() || words::Has(kNot, one) || one.ends_with(',') || one.ends_with("'s")) break;
      begin = word == 0 ? 0 : word - 1;
      ++words;
      if (word == 0) break;
    }
    if (words > 0) sentence.Add(DetailKind::kAllergy, {begin, at}, whole);
  }
  static constexpr std::string_view kChinese[] = {"过敏", "不耐受"};
  static constexpr std::string_view kChineseEat[] = {"不能吃", "吃不了", "不能碰", "不能喝"};
  static constexpr std::string_view kRelations[] = {
      "外甥女", "外甥", "侄女", "侄子", "妹妹", "弟弟", "姐姐", "哥哥", "女儿", "儿子", "孩子",
      "妈妈",   "爸爸", "奶奶", "爷爷", "外婆", "外公", "老公", "老婆", "先生", "太太", "全家",
      "我",     "他",   "她",   "从小", "有",   "也",   "都",   "家",   "们"};
  for (const Sentence::Range clause : sentence.clauses()) {
    const std::string_view part = sentence.Text(clause);
    const auto at = FindAny(part, kChinese, &end);
    if (at == part.npos) continue;
    std::size_t begin = 0;
    if (const auto dui = part.substr(0, at).rfind("对"); dui != part.npos && dui + 3 < at) {
      begin = dui + 3;
    } else {
      for (std::string_view relation : kRelations) {
        const auto last = part.substr(0, at).rfind(relation);
        if (last != part.npos) begin = std::max(begin, last + relation.size());
      }
    }
    if (begin < at && CountCodePoints(part.substr(begin, at - begin)) >= 1 &&
        !words::Holds(part.substr(begin, at - begin), {"会", "容易", "皮肤", "可能"})) {
      sentence.Add(DetailKind::kAllergy, {clause.begin + begin, clause.begin + at}, whole);
      continue;
    }
    // 不能吃芝麻，会过敏
    std::size_t eat = 0;
    const auto eats = FindAny(text, kChineseEat, &eat);
    if (eats != text.npos && eat < clause.begin + at)
      sentence.Add(DetailKind::kAllergy, {eat, sentence.ClauseAt(eat).end}, whole);
  }
}

void FindRules(Sentence& sentence) {
  // At the head of a clause.
  static constexpr std::string_view kStarts[] = {"never ",
                                                 "always ",
                                                 "remember to",
                                                 "remember,",
                                                 "remember:",
                                                 "make sure",
                                                 "from now on",
                                                 "don't forget",
                                                 "you must",
                                                 "only reply",
                                                 "only answer",
                                                 "don't ",
                                                 "do not ",
                                                 "remember that",
                                                 "whenever i",
                                                 "every time i",
                                                 "must ",
                                                 "be sure to",
                                                 "under no circumstances",
                                                 "you have to",
                                                 "you are not allowed",
                                                 "no exceptions",
                                                 "you may not",
                                                 "make it a rule"};
  static constexpr std::string_view kInside[] = {"you must",
                                                 "you should always",
                                                 "you should never",
                                                 "from now on",
                                                 "please always",
                                                 "please never",
                                                 "standing rule",
                                                 "house rule",
                                                 "must always",
                                                 "must never",
                                                 "must not",
                                                 "mustn't",
                                                 "rule:",
                                                 "remember to",
                                                 "under no circumstances",
                                                 "never more",
                                                 "not allowed",
                                                 "is forbidden",
                                                 "are forbidden",
                                                 "is prohibited",
                                                 "are prohibited",
                                                 "not permitted",
                                                 "no matter what",
                                                 "so always",
                                                 "so never",
                                                 "are not to",
                                                 "is not to",
                                                 "and not to",
                                                 "aren't to",
                                                 "isn't to",
                                                 "nobody else",
                                                 "no one else",
                                                 "nobody ever",
                                                 "no more than one",
                                                 "each time you",
                                                 "needs to be kept",
                                                 "should be kept",
                                                 "make sure",
                                                 "every visitor",
                                                 "must be",
                                                 "at all times"};
  static constexpr std::string_view kSoothing[] = {
      "don't worry",    "don't mind",         "don't know",     "don't think",      "don't care",
      "don't bother",   "don't get me wrong", "don't be silly", "don't panic",      "never mind",
      "don't you",      "don't ask",          "don't i",        "don't we",         "don't they",
      "do not worry",   "don't believe",      "don't have",     "don't understand", "don't see",
      "don't remember", "don't want",         "don't like",     "don't need",       "don't mention",
      "never-",         "never say never",    "always nice",    "always good",      "always a ",
      "always happy",   "always the",         "never been",     "never had",        "don't even",
      "don't feel"};
  const std::string_view text = sentence.plain();
  std::size_t added = 0;
  const auto add = [&](Sentence::Range clause) {
    // The rule goes on over commas, not over "; " and ", so ".
    std::size_t begin = 0, end = text.size();
    for (std::string_view stop : {"; ", "；", ", so ", ", but ", "，所以", ": \"", ". "}) {
      const auto before = text.substr(0, clause.begin + 1).rfind(stop);
      if (before != text.npos) begin = std::max(begin, before + stop.size());
      const auto after = text.substr(clause.end).find(stop);
      if (after != text.npos) end = std::min(end, clause.end + after);
      if (text.substr(clause.end).starts_with(stop)) end = std::min(end, clause.end);
    }
    if (begin > clause.begin || sentence.Text(clause).find("no ") <= 1) begin = clause.begin;
    if (clause.begin < added) return;
    // 进车间必须戴护目镜，手机一律放柜子里; 别嫌烦，她右耳听不见了: a clause with its own subject
    // is another matter.
    for (const Sentence::Range next : sentence.clauses()) {
      if (next.begin <= clause.begin || next.begin >= end ||
          !text.substr(0, next.begin).ends_with("，"))
        continue;
      const std::string_view part = sentence.Text(next);
      if (clause.end - clause.begin > 12 &&
          (StartsWithAny(part,
                         {"他", "她", "我", "它", "你", "咱", "不然", "否则", "因为", "明天"}) ||
           words::Holds(part, {"必须", "一律", "禁止", "不许", "不准", "别", "务必", "一定要"})))
        end = std::min(end, next.begin);
    }
    added = end;
    sentence.Add(DetailKind::kRule, {begin, end}, {begin, end});
  };
  for (const Sentence::Range range : sentence.clauses()) {
    const std::string_view clause = WithoutLeads(sentence.Text(range));
    if (clause.empty()) continue;
    bool soothing = false;
    for (std::string_view start : kSoothing) soothing |= clause.starts_with(start);
    soothing |= clause.find("never mind") != clause.npos;
    bool found = false;
    for (std::string_view start : kStarts) found |= clause.starts_with(start);
    std::size_t unused = 0;
    found |= FindAnyWord(clause, kInside, &unused) != clause.npos;
    found |= TrimmedView(clause, kEdges) == "always";
    // "never lost patience" tells, "never lose patience" commands.
    static constexpr std::string_view kPast[] = {
        "lost",    "was",   "had",   "got",   "came", "went", "said", "saw",    "told",
        "took",    "made",  "found", "knew",  "gave", "left", "felt", "kept",   "began",
        "spoke",   "wrote", "ate",   "drank", "met",  "paid", "been", "forgot", "heard",
        "thought", "meant", "were",  "won",   "sent", "did"};
    for (std::string_view often : {"never ", "always "}) {
      if (!clause.starts_with(often)) continue;
      const std::string_view rest = clause.substr(often.size());
      const std::string_view verb = rest.substr(0, rest.find_first_of(" ,.;!"));
      if (words::Has(kPast, verb) || (verb.size() > 4 && verb.ends_with("ed") && verb != "need"))
        found = false;
    }
    // "The children must be in bed by 8", but not "you must be tired", "it must have been".
    if (const auto must = FindWord(clause, "must"); must != clause.npos && must > 0) {
      const std::string_view before = clause.substr(0, must);
      const std::string_view after = clause.substr(must);
      const bool guess = after.starts_with("must have been") || after.starts_with("must've") ||
                         (after.starts_with("must be") &&
                          StartsWithAny(before, {"you ", "it ", "that ", "this ", "he ", "she ",
                                                 "there ", "they "}));
      found |= !guess && !StartsWithAny(before, {"i ", "we "});
    }
    // "Guests have to leave by nine": of many, or of whom one speaks to.
    if (const auto duty = clause.find(" have to "); duty != clause.npos) {
      const auto blank = clause.substr(0, duty).rfind(' ');
      const std::string_view who =
          clause.substr(0, duty).substr(blank == clause.npos ? 0 : blank + 1);
      found |= (who.ends_with("s") && who.size() > 3) || who == "you" || who == "children";
    }
    if (const auto duty = clause.find(" has to "); duty != clause.npos)
      found |= clause.starts_with("every") || clause.starts_with("nobody");
    // "all visitors sign in at the front desk"
    if (clause.starts_with("all ") || clause.starts_with("every ")) {
      static constexpr std::string_view kDuties[] = {
          "sign in",  "sign out",    "wear",       "report to",  "carry",     "bring",
          "check in", "leave their", "go through", "keep their", "get signed"};
      std::size_t duty_end = 0;
      const auto duty = FindAnyWord(clause, kDuties, &duty_end);
      found |= duty != clause.npos && duty < 30;
    }
    // "No phones at the dinner table": a ban has no verb.
    if (clause.starts_with("no ")) {
      static constexpr std::string_view kVerbs[] = {
          "is",     "are",    "was",   "were",  "has",   "have",    "had",     "did",
          "does",   "do",     "came",  "can",   "will",  "would",   "could",   "told",
          "knows",  "wants",  "said",  "found", "there", "problem", "worries", "idea",
          "thanks", "wonder", "doubt", "one",   "way",   "need",    "rush",    "luck",
          "news",   "matter", "that",  "it",    "i",     "we",      "he",      "she",
          "they",   "wait",   "thank", "you",   "other", "left",    "more",    "answer",
          "sign",   "trace",  "reply", "word",  "go",    "deal",    "kidding"};
      std::size_t verb_end = 0;
      found |= range.begin == 0 && FindAnyWord(clause, kVerbs, &verb_end) == clause.npos &&
               clause.find(' ', 3) != clause.npos;
      found |= clause.ends_with("ing") && clause.find(' ', 3) == clause.npos;
      // "phones off, no highlighters": of several.
      const std::string_view thing = TrimmedView(clause.substr(3), kEdges);
      found |= range.begin > 0 && thing.find(' ') == thing.npos && thing.size() > 4 &&
               thing.ends_with("s") && !words::Has(kVerbs, thing);
      if (range.begin == 0 && thing.find(' ') == thing.npos && !thing.ends_with("ing"))
        found = false;
    }
    if (found && !soothing) {
      add(range);
      continue;
    }
    // Chinese.
    static constexpr std::string_view kChinese[] = {
        "以后都",   "以后请",     "以后不要", "以后别",     "从现在起", "从今以后", "从今往后",
        "必须",     "务必",       "切记",     "请记住",     "永远不要", "一律",     "禁止",
        "严禁",     "绝对不要",   "绝不要",   "绝不能",     "绝对不能", "请不要",   "请始终",
        "请总是",   "请一直",     "记得要",   "请记得",     "不许",     "不准",     "不得",
        "万万不可", "不可以",     "每次都要", "每次都",     "始终",     "千万不要", "千万别",
        "一定要",   "都别",       "都不要",   "也别",       "也不要",   "谁也不许", "谁都不许",
        "不要告诉", "不能和",     "天内不能", "小时内不能", "之前不能", "期间不能", "不能一起",
        "不能跟",   "每次提交前", "每四小时", "要两个人",   "医生让",   "医生叫我", "医嘱",
        "凡是",     "一概",       "睡前吃",   "饭后吃",     "饭前吃",   "不能直接", "不能私自"};
    static constexpr std::string_view kNotChinese[] = {
        "不得不", "不得了", "必须的", "禁止区", "记住了",   "没必须",
        "舍不得", "巴不得", "恨不得", "不得已", "怪不得",   "了不得",
        "由不得", "不得超", "始终没", "始终不", "不得而知", "可不可以"};
    static constexpr std::string_view kKind[] = {
        "着急",     "担心", "客气", "生气", "介意", "难过", "紧张", "害怕", "在意", "挂念",
        "放在心上", "怕",   "说了", "提了", "闹",   "逗",   "误会", "见外", "多想", "忘了",
        "急",       "说",   "写错", "弄错", "搞错", "走开", "走",   "动"};
    std::size_t end = 0;
    const std::string_view part = sentence.Text(range);
    const auto soothes = [&](std::string_view rest) {
      return std::any_of(std::begin(kKind), std::end(kKind),
                         [&](std::string_view word) { return rest.starts_with(word); });
    };
    if (const auto at = FindAny(part, kChinese, &end); at != part.npos) {
      // 我不要辣 is a preference; 我必须走了 is a duty of the speaker.
      const std::string_view before = part.substr(0, at);
      found = before.find("我") == part.npos ||
              words::Holds(before, {"给我", "跟我", "对我", "回复我"});
      for (std::string_view word : kNotChinese) found &= part.find(word) == part.npos;
      // 闻不得, 说不准: what cannot be done, not what may not.
      static constexpr std::string_view kCannot[] = {
          "闻", "吃", "碰", "看", "听", "急", "动", "惹", "缺", "少", "见", "使",
          "要", "算", "说", "拿", "摸", "猜", "瞄", "记", "认", "怪", "舍", "巴"};
      if (part.substr(at, end - at).starts_with("不得") || part.substr(at).starts_with("不准"))
        found &= !std::any_of(std::begin(kCannot), std::end(kCannot),
                              [&](std::string_view verb) { return before.ends_with(verb); });
      if (part.substr(at, end - at).ends_with("别")) found &= !soothes(part.substr(end));
      if (part.substr(at).starts_with("千万不要")) found &= !soothes(part.substr(end));
      // 医生让我下周去复查 is an appointment.
      if (part.substr(at).starts_with("医生"))
        found = words::Holds(part.substr(end), {"少", "多", "别", "每", "不", "戒", "忌", "按时"});
      // 一定要 of a wish: 一定要幸福.
      if (part.substr(at).starts_with("一定要"))
        found &= sentence.plain().find("切记") != part.npos || before.find("前") != part.npos ||
                 before.find("时") != part.npos || part.substr(end).find("带") != part.npos;
    }
    // 不要 and 别 alone command only at the head of a clause; 不要太辣 and 不要紧 are wishes and
    // words; 记得 commands where nobody is asked or remembers.
    for (std::string_view start : {"不要", "别再", "别", "千万不能"}) {
      if (!clause.starts_with(start)) continue;
      const std::string_view rest = clause.substr(start.size());
      found |= !StartsWithAny(rest, {"太", "紧", "的", "人", "墅", "扭", "致", "名", "针", "看",
                                     "样", "处", "家", "提", "了", "脸", "吧", "不"}) &&
               !soothes(rest) && CountCodePoints(rest) >= 2;
    }
    // 沙发后面的阀门别碰
    for (auto at = part.find("别"); at != part.npos && at > 0; at = part.find("别", at + 3)) {
      static constexpr std::string_view kWords[] = {"特", "区", "分", "告", "个", "性", "级", "差",
                                                    "鉴", "识", "辨", "离", "派", "类", "国", "送"};
      const std::string_view before = part.substr(0, at), rest = part.substr(at + 3);
      const bool word = std::any_of(std::begin(kWords), std::end(kWords),
                                    [&](std::string_view one) { return before.ends_with(one); });
      found |= !word && !soothes(rest) && CountCodePoints(rest) >= 1 && rest.size() <= 36 &&
               !words::Holds(before, {"让我", "叫我", "劝我"}) &&
               !StartsWithAny(rest, {"的", "人", "墅", "扭", "致", "名", "针", "样", "处", "家",
                                     "提", "了", "去"});
    }
    if (const auto at = part.find("不要"); at != part.npos && at > 0) {
      // 24小时内不要开车
      found |= words::Holds(part.substr(0, at), {"内", "以前", "之前", "时候", "情况下", "期间"}) &&
               part.find("要不要") == part.npos;
    }
    if (const auto at = part.find("记得"); at != part.npos) {
      const std::string_view rest = part.substr(at + std::string_view("记得").size());
      const std::string_view before = part.substr(0, at);
      found |= !words::Holds(before, {"我", "不", "还", "他", "她", "你", "谁", "只"}) &&
               !rest.empty() &&
               !StartsWithAny(rest, {"吗", "了", "很", "是", "当", "那", "小时", "以前"});
    }
    if (clause.starts_with("记住")) {
      found |= !clause.starts_with("记住了") &&
               CountCodePoints(sentence.plain()) > CountCodePoints(clause) + 2;
      found |= CountCodePoints(clause) > 4 && !clause.starts_with("记住了");
    }
    // 以后回复都用英文
    if (const auto later = part.find("以后"); later != part.npos && later < 7) {
      const auto all = part.find("都", later);
      found |= all != part.npos && all - later < 30 && part.find("我") == part.npos;
    }
    // 离开的时候要在前台签退
    for (std::string_view when : {"时候要", "时要", "之后要", "后要"}) {
      found |= part.find(when) != part.npos && part.find("我") == part.npos;
    }
    if (clause.starts_with("每次我") || clause.starts_with("每当我")) found = true;
    if (found) add(range);
  }
}

void FindPreferences(Sentence& sentence) {
  static constexpr std::string_view kEnglish[] = {"prefer",
                                                  "prefers",
                                                  "i like",
                                                  "i love",
                                                  "i enjoy",
                                                  "i hate",
                                                  "i dislike",
                                                  "can't stand",
                                                  "don't like",
                                                  "doesn't like",
                                                  "i'd rather",
                                                  "would rather",
                                                  "i really like",
                                                  "i really love",
                                                  "i don't eat",
                                                  "i don't drink",
                                                  "favourite",
                                                  "favorite",
                                                  "likes",
                                                  "loves",
                                                  "hates",
                                                  "i no longer like",
                                                  "i don't want",
                                                  "fond of",
                                                  "a fan of",
                                                  "i now like",
                                                  "i also like",
                                                  "i still like",
                                                  "i adore",
                                                  "i don't care for",
                                                  "favourites",
                                                  "favorites",
                                                  "adore",
                                                  "adores",
                                                  "loathe",
                                                  "loathes",
                                                  "detests",
                                                  "can't bear",
                                                  "is crazy about",
                                                  "am crazy about",
                                                  "obsessed with",
                                                  "dislikes",
                                                  "dislike",
                                                  "enjoys",
                                                  "we'd rather",
                                                  "she'd rather",
                                                  "he'd rather",
                                                  "they'd rather",
                                                  "they like",
                                                  "they love",
                                                  "we love",
                                                  "we like",
                                                  "both hate",
                                                  "both love",
                                                  "both like",
                                                  "all love",
                                                  "all hate",
                                                  "we hate",
                                                  "they hate",
                                                  "mad about",
                                                  "crazy about",
                                                  "keen on",
                                                  "can't bear",
                                                  "my go-to",
                                                  "not a fan",
                                                  "big fan",
                                                  "they enjoy",
                                                  "we enjoy",
                                                  "detest",
                                                  "detests",
                                                  "couldn't live without",
                                                  "kids love",
                                                  "kids like",
                                                  "children love",
                                                  "children like",
                                                  "cats love",
                                                  "i can't eat without",
                                                  "not keen",
                                                  "people like",
                                                  "have a soft spot for",
                                                  "partial to",
                                                  "likes to",
                                                  "much rather",
                                                  "far rather",
                                                  "can't abide",
                                                  "cannot stand",
                                                  "cannot bear",
                                                  "can't resist",
                                                  "more of a",
                                                  "i'm into",
                                                  "is into",
                                                  "can't get enough of",
                                                  "not my thing",
                                                  "not my cup of tea",
                                                  "a sucker for",
                                                  "really into",
                                                  "i always drink",
                                                  "i always eat",
                                                  "i always take",
                                                  "i always have",
                                                  "i always wear",
                                                  "i always use",
                                                  "i always buy",
                                                  "i never drink",
                                                  "i never eat",
                                                  "i never wear",
                                                  "i never use",
                                                  "i never buy",
                                                  "i never watch",
                                                  "i never take",
                                                  "i never work",
                                                  "i never cook",
                                                  "i'd sooner",
                                                  "would sooner",
                                                  "i always sleep",
                                                  "i always order",
                                                  "i always read"};
  static constexpr std::string_view kNot[] = {
      "would like", "i'd like",     "i'd love",    "would love", "looks like",
      "feels like", "feel like",    "love you",    "love it",    "hate to say",
      "loves me",   "love to hear", "like to ask", "likes of"};
  static constexpr std::string_view kChinese[] = {
      "更喜欢", "最喜欢", "不喜欢",     "喜欢",     "讨厌",   "最爱",     "偏爱",   "偏好",
      "爱吃",   "不吃",   "爱喝",       "不喝",     "受不了", "习惯用",   "我不要", "宁愿",
      "宁可",   "情愿",   "爱看",       "爱听",     "最怕",   "更爱",     "爱坐",   "爱去",
      "不爱",   "爱用",   "爱穿",       "爱玩",     "钟爱",   "热爱",     "享受",   "痴迷",
      "爱睡",   "爱逛",   "爱住",       "爱买",     "爱养",   "爱打",     "爱做",   "很爱",
      "特别爱", "不太爱", "超爱",       "反感",     "最烦",   "烦透",     "习惯",   "闻不得",
      "吃不惯", "喝不惯", "住不惯",     "看不惯",   "听不惯", "见不得",   "嫌弃",   "崇拜",
      "只喝",   "只吃",   "只穿",       "只看",     "专爱",   "就好一口", "爱啃",   "她嫌",
      "他嫌",   "我嫌",   "中意",       "欣赏不来", "没兴趣", "更愿意",   "吃不来", "迷上",
      "只认",   "没兴趣", "兴趣都没有", "还是得吃", "离不开", "不感冒",   "无感",   "情有独钟",
      "看不上", "吃不腻", "爱个",       "情愿"};
  static constexpr std::string_view kNotChinese[] = {
      "从来不吃", "从来不喝", "从不吃", "从不喝", "不吃饭", "吃不吃",
      "喝不喝",   "喜欢你",   "习惯了", "好习惯", "坏习惯", "的习惯",
      "个习惯",   "习惯就好", "可爱",   "爱情",   "恋爱",   "不爱惜"};
  const std::string_view text = sentence.plain();
  for (std::size_t from = 0; from < text.size();) {
    std::size_t end = 0;
    auto hit = FindAnyWord(text.substr(from), kEnglish, &end);
    // "The twins love chocolate"
    if (std::size_t past = 0, many = ManyLike(text.substr(from), &past); many < hit)
      hit = many, end = past;
    if (hit == text.npos) {
      hit = FindAny(text.substr(from), kChinese, &end);
      if (hit == text.npos) break;
    }
    const std::size_t at = from + hit;
    std::size_t begin = from + end;
    from = begin;
    const Sentence::Range clause = sentence.ClauseAt(at);
    if (sentence.IsCovered(clause)) continue;
    const std::string_view part = sentence.Text(clause);
    std::size_t unused = 0;
    if (FindAny(part, kNot, &unused) != part.npos ||
        FindAny(part, kNotChinese, &unused) != part.npos)
      continue;
    // "My favourite colour is teal": the value follows the verb.
    const std::string_view rest = text.substr(begin);
    const bool favourite =
        text.substr(0, begin).ends_with("rite") || text.substr(0, begin).ends_with("rites");
    const std::size_t stop = sentence.EndOf(begin);
    // "We'll bring her favourite toy" says nothing of what it is.
    if (favourite) {
      const std::string_view before = text.substr(clause.begin, at - clause.begin);
      const std::string_view after = text.substr(begin, stop - begin);
      const bool says =
          words::Holds(after, {" is", " are", " was", " were", ":", " has ", "'s "}) ||
          words::Holds(before, {" is ", "'s ", " are ", " was ", "'re "});
      if (!says) continue;
    }
    for (std::string_view verb : {" is now ", " is ", " are ", " was "}) {
      const auto is = rest.find(verb);
      if (favourite && is != rest.npos && begin + is < stop) {
        begin += is + verb.size();
        break;
      }
    }
    if (begin == from) {
      for (std::string_view verb : {"的颜色是", "的是", "是"}) {
        const auto is = rest.find(verb);
        if (is != rest.npos && is < 30 && begin + is < stop) {
          begin += is + verb.size();
          break;
        }
      }
    }
    std::size_t value_end = std::max(sentence.EndOf(begin), begin);
    // "loves jazz and plays the saxophone": another verb tells something else.
    static constexpr std::string_view kAnd[] = {
        " and plays ",  " and works ",   " and goes ",   " and lives ", " and has ",
        " and is ",     " and does ",    " and drinks ", " and eats ",  " and reads ",
        " and runs ",   " and hates ",   " and wants ",  " and can't ", " and never ",
        " and always ", " and doesn't ", " and i "};
    std::size_t unused_end = 0;
    if (const auto cut = FindAny(text.substr(begin, value_end - begin), kAnd, &unused_end);
        cut != text.npos)
      value_end = begin + cut;
    const Sentence::Range covered{std::min(clause.begin, at), std::max(clause.end, value_end)};
    const Sentence::Range value = sentence.Trimmed({begin, value_end});
    // 女儿偏偏爱吃: what it is stands before.
    if (value.end > value.begin && sentence.Text(value).find_first_not_of(' ') != text.npos) {
      sentence.Add(DetailKind::kPreference, value, covered);
    } else {
      sentence.Add(DetailKind::kPreference, {clause.begin, begin}, covered);
    }
    from = std::max(from, value_end);
  }
}

// "it's RX-2207 not RX-2270", "the sofa is 190 cm wide, not 210": one value, and what it is not.
bool SaysOneNotOther(const Sentence& sentence) {
  const std::string_view text = sentence.plain();
  // "I want the 7:40, not the 8:10" chooses.
  static constexpr std::string_view kChooses[] = {
      "want",   "wants", "prefer", "prefers", "need",  "needs", "use",  "take",
      "would",  "let's", "please", "get",     "buy",   "wear",  "make", "bring",
      "rather", "like",  "should", "choose",  "chose", "picked"};
  std::size_t end = 0;
  if (FindAnyWord(text, kChooses, &end) != text.npos) return false;
  return sentence.ValueNotValue();
}

bool CorrectsInEnglish(const Sentence& sentence) {
  const std::string_view text = sentence.plain();
  static constexpr std::string_view kStarts[] = {
      "no,",         "no wait",      "wait,",    "actually",   "correction", "sorry,", "i meant",
      "oops",        "scratch that", "no, wait", "my mistake", "sorry typo", "typo",   "my bad",
      "sorry wrong", "no i ",        "no it",    "nope",       "nvm ",       "edit:",  "whoops"};
  static constexpr std::string_view kSays[] = {
      "i was wrong",  "i misspoke",    "correction:",     "i meant",          "i made a mistake",
      "my mistake",   "it's actually", "it was actually", "turned out to be", "sorry, it's",
      "sorry it's",   "i mistyped",    "was wrong about", "i mixed up",       "got that wrong",
      "that's wrong", "scratch that",  "turns out it's"};
  const auto holds = [&](const auto& list) {
    return std::any_of(std::begin(list), std::end(list),
                       [&](std::string_view one) { return text.find(one) != text.npos; });
  };
  if (text.find("sorry, not sorry") != text.npos) return false;
  static constexpr std::string_view kPlainly[] = {
      "i meant",       "i was wrong",      "i misspoke", "i mistyped",       "mixed them up",
      "i mixed up",    "had them swapped", "as i wrote", "as i said before", "scratch that",
      "ignore what i", "ignore my last",   "i said it",  "was mistaken"};
  if (holds(kPlainly) && (text.find("i said it") == text.npos || text.find("but") != text.npos))
    return true;
  if (!sentence.HasValue()) return false;
  for (std::string_view start : kStarts) {
    if (text.starts_with(start)) return true;
  }
  if (holds(kSays) || SaysOneNotOther(sentence)) return true;
  // "the code is for the back door, not 4471"
  if (const auto at = text.find(", not ");
      at != text.npos && sentence.MeasureIn(at, text.size()) &&
      words::Holds(text.substr(0, at), {" is ", "'s ", " are ", " was ", "its ", "it's "}))
    return true;
  if (text.find("i said") != text.npos &&
      words::Holds(text, {" but ", "sorry", " not ", "actually"}))
    return true;
  // Another day than was said.
  static constexpr std::string_view kShifts[] = {
      "has been moved", "rescheduled",    "changed to",   "postponed to",  "brought forward",
      "been pushed",    "been postponed", "been put off", "put off until", "pushed back to",
      "moved up to",    "pushed to",      "bumped to"};
  if (holds(kShifts) && sentence.HasMeasure()) return true;
  if (const auto at = FindWord(text, "moved"); at != text.npos) {
    // "Tom moved to Bristol in 2020" tells news, not another date.
    const auto to = text.find(" to ", at);
    if (to != text.npos && sentence.HasWhen() &&
        !sentence.Has(DetailKind::kPlace, {to, sentence.ClauseAt(to).end}))
      return true;
  }
  // "The rate is now 3.4% instead of 3.25%", "I said Tuesday but it's Wednesday"
  if (const auto at = text.find("instead of"); at != text.npos && sentence.TwoOfAKind()) {
    const std::size_t begin = sentence.ClauseAt(at).begin;
    const std::string_view before = text.substr(begin, at - begin);
    if (words::Holds(before, {" is ", " are ", "it's ", "now "})) return true;
  }
  static constexpr std::string_view kBefore[] = {"i said", "no longer", "not anymore",
                                                 "used to be"};
  if (holds(kBefore) && sentence.TwoOfAKind() &&
      (text.find("used to be") == text.npos || words::Holds(text, {"now", "but"})))
    return true;
  // "The talk isn't at 3 but at 4:30"
  if (const auto at = text.find("n't "); at != text.npos) {
    const auto but = text.find(" but ", at);
    static constexpr std::string_view kAgain[] = {"at", "on", "in", "by", "the",
                                                  "a",  "an", "to", "for"};
    if (but != text.npos && text.substr(at, but - at).find(',') == text.npos) {
      const auto word = text.substr(but + 5, text.find(' ', but + 5) - (but + 5));
      return words::Has(kAgain, word) && sentence.TwoOfAKind();
    }
  }
  return false;
}

bool CorrectsInChinese(const Sentence& sentence) {
  const std::string_view text = sentence.plain();
  static constexpr std::string_view kWrong[] = {
      "不对，",   "不对,",  "说错了",   "更正",     "记错了",  "我是说", "纠正",   "写错了",
      "搞错了",   "弄错",   "看错了",   "算错了",   "打错了",  "说岔了", "口误",   "手误",
      "记岔了",   "作废",   "之前说的", "刚才说的", "写反了",  "发错了", "记混了", "听错了",
      "报错了价", "更正下", "订正",     "有误",     "不对不对"};
  std::size_t end = 0;
  if (FindAny(text, kWrong, &end) != text.npos) return true;
  if (!sentence.HasValue()) return false;
  static constexpr std::string_view kChanges[] = {"改成",   "改到", "改为",   "推迟到",
                                                  "提前到", "延到", "延期到", "挪到",
                                                  "不再是", "而是", "换到",   "变成了"};
  if (const auto cue = FindAny(text, kChanges, &end); cue != text.npos) {
    // 请帮我改成循环, 把max_conn改成200 ask for it.
    const std::string_view before = text.substr(0, cue);
    const bool asked = text.substr(end).ends_with("吧") ||
                       words::Holds(text, {"吧。", "吧，", "吧！"}) ||
                       words::Holds(before, {"帮我", "请", "麻烦", "能不能", "想"}) ||
                       (text.starts_with("把") && text.find("了") == text.npos);
    if (!asked) return true;
  }
  // 应该是周三 guesses, where nothing is said to be wrong.
  if (words::Holds(text, {"应该是", "其实是"}) &&
      words::Holds(text, {"错", "不是", "不对", "之前"}))
    return true;
  if (text.find("不再") != text.npos) return true;
  // 不是 80，是 18
  if (const auto at = text.find("不是"); at != text.npos) {
    const auto rest = text.substr(at + std::string_view("不是").size());
    if (words::Holds(rest, {"，是", "而是", ",是"})) return true;
  }
  const auto at = text.find("，不是");
  return at != text.npos && text.substr(0, at).find("是") != text.npos;
}

void FindCorrections(Sentence& sentence) {
  if (CorrectsInEnglish(sentence) || CorrectsInChinese(sentence))
    sentence.Add(DetailKind::kCorrection, {0, sentence.plain().size()});
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
