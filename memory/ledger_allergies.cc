// What somebody does not bear.
#include <algorithm>

#include "memory/ledger_scan.h"
#include "memory/ledger_statements.h"
#include "memory/ledger_words.h"

namespace liubai::memory {

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

}  // namespace liubai::memory
