// Questions about something that has to be found first.
#include <algorithm>
#include <unordered_set>

#include "core/text.h"
#include "memory/ledger_words.h"
#include "memory/question_scan.h"
#include "memory/subject_words.h"

namespace liubai::memory {
namespace {

using words::Has;
using words::Holds;
using Kind = QuestionHop::Kind;

constexpr std::size_t kMostHops = 64;
constexpr int kClauseWords = 14;

// People by what they are to someone.
constexpr std::string_view kRelations[] = {"sister",
                                           "brother",
                                           "mother",
                                           "father",
                                           "mom",
                                           "mum",
                                           "dad",
                                           "wife",
                                           "husband",
                                           "son",
                                           "daughter",
                                           "grandma",
                                           "grandpa",
                                           "grandmother",
                                           "grandfather",
                                           "aunt",
                                           "uncle",
                                           "cousin",
                                           "niece",
                                           "nephew",
                                           "boss",
                                           "manager",
                                           "coworker",
                                           "colleague",
                                           "friend",
                                           "roommate",
                                           "neighbor",
                                           "neighbour",
                                           "teacher",
                                           "doctor",
                                           "dentist",
                                           "therapist",
                                           "girlfriend",
                                           "boyfriend",
                                           "partner",
                                           "fiance",
                                           "fiancee",
                                           "landlord",
                                           "coach",
                                           "tutor",
                                           "professor",
                                           "mentor",
                                           "flatmate",
                                           "classmate",
                                           "parents",
                                           "grandparents",
                                           "kid",
                                           "child",
                                           "kids",
                                           "children",
                                           "mother-in-law",
                                           "father-in-law",
                                           "sister-in-law",
                                           "brother-in-law",
                                           "godmother",
                                           "stepmother",
                                           "stepfather",
                                           "twin",
                                           "trainer",
                                           "supervisor",
                                           "client",
                                           "nanny",
                                           "hairdresser",
                                           "dog",
                                           "cat"};
constexpr std::string_view kChineseRelations[] = {
    "姐姐", "妹妹", "哥哥", "弟弟", "妈妈", "爸爸", "母亲", "父亲", "老婆",   "老公",   "妻子",
    "丈夫", "儿子", "女儿", "奶奶", "爷爷", "外婆", "外公", "姥姥", "姥爷",   "阿姨",   "叔叔",
    "舅舅", "姑姑", "表哥", "表姐", "表弟", "表妹", "堂哥", "堂姐", "堂弟",   "堂妹",   "老板",
    "经理", "同事", "朋友", "室友", "邻居", "老师", "导师", "同学", "女朋友", "男朋友", "女友",
    "男友", "房东", "教练", "闺蜜", "岳父", "岳母", "婆婆", "公公", "孩子",   "侄子",   "外甥",
    "侄女", "领导", "客户", "医生", "姐",   "哥",   "妹",   "弟",   "妈",     "爸"};

struct Word {
  std::size_t begin;  // In the plain text.
  std::size_t end;
  std::string_view text;
};

class HopFinder {
 public:
  HopFinder(std::string_view text, const PlainText& plain, QuestionReading* reading)
      : text_(text), plain_(plain), reading_(reading) {
    const std::string_view all = plain.text;
    for (std::size_t at = 1; at < all.size();) {
      const std::size_t end = std::min(all.find(' ', at), all.size());
      if (end > at) words_.push_back({at, end, all.substr(at, end - at)});
      at = end + 1;
    }
  }

  void Run() {
    for (std::size_t i = 0; i < words_.size() && Room(); ++i) {
      Possessive(i);
      Clause(i);
      Event(i);
    }
    Chinese();
    Entities();
    if (!reading_->hops.empty()) reading_->Add(QuestionTrait::kSeveralHops);
  }

 private:
  bool Room() const { return reading_->hops.size() < kMostHops; }
  std::string_view W(std::size_t i) const {
    return i < words_.size() ? words_[i].text : std::string_view();
  }
  static bool IsSign(std::string_view word) {
    return word.size() == 1 && !(word[0] >= 'a' && word[0] <= 'z') &&
           !(word[0] >= '0' && word[0] <= '9');
  }
  // The words [from, to) of the original.
  void Add(Kind kind, std::size_t from, std::size_t to, bool trim_possessive = false) {
    if (to <= from || !Room()) return;
    std::size_t end = words_[to - 1].end;
    if (trim_possessive) end -= 2;
    const TextPart part{plain_.origin[words_[from].begin], plain_.origin[end - 1] + 1};
    AddPart(kind, part);
  }
  void AddPart(Kind kind, TextPart part) {
    if (!Room() || part.end <= part.begin || part.end > text_.size()) return;
    for (const QuestionHop& hop : reading_->hops) {
      if (hop.kind == kind && hop.text.begin == part.begin) return;
    }
    reading_->hops.push_back(
        {kind, part, std::string(Trim(text_.substr(part.begin, part.end - part.begin)))});
  }
  static bool IsOwner(std::string_view word) {
    return word == "my" || word == "our" || word == "his" || word == "her" || word == "their";
  }
  static bool IsSubject(std::string_view word) {
    return word == "i" || word == "we" || word == "he" || word == "she" || word == "they" ||
           word == "my" || word == "our" || word == "i'd" || word == "i've" || word == "you";
  }
  bool IsName(std::size_t i) const {
    if (i >= words_.size()) return false;
    const std::uint32_t at = plain_.origin[words_[i].begin];
    const auto after = std::upper_bound(
        reading_->names.begin(), reading_->names.end(), at,
        [](std::uint32_t begin, const QuestionName& name) { return begin < name.text.begin; });
    return after != reading_->names.begin() && at < std::prev(after)->text.end;
  }

  // "my sister's company", "Caroline's sister", "the dog of my brother"
  void Possessive(std::size_t i) {
    const std::string_view word = W(i);
    if (word.ends_with("'s") && word.size() > 2) {
      const std::string_view owner = word.substr(0, word.size() - 2);
      const bool related = Has(kRelations, owner);
      if (related && i > 0 && (IsOwner(W(i - 1)) || W(i - 1).ends_with("'s"))) {
        std::size_t from = i - 1;
        while (from > 0 && (W(from).ends_with("'s") || IsName(from)) &&
               (IsOwner(W(from - 1)) || IsName(from - 1) || W(from - 1).ends_with("'s"))) {
          --from;
        }
        Add(Kind::kPossessive, from, i + 1, true);
      } else if (IsName(i) && Has(kRelations, W(i + 1))) {
        std::size_t from = i;
        while (from > 0 && IsName(from - 1)) --from;
        Add(Kind::kPossessive, from, i + 2);
      }
      return;
    }
    // "does my sister work", not "is my sister": what is asked is something of hers.
    if (Has(kRelations, word) && i > 1 && IsOwner(W(i - 1)) && W(i - 2) == "of") {
      Add(Kind::kPossessive, i - 1, i + 1);
    }
  }

  // The end of a clause that begins at word `i`.
  std::size_t ClauseEnd(std::size_t i) const {
    std::size_t end = i;
    while (end < words_.size() && end < i + kClauseWords && !IsSign(W(end))) {
      // "… the meeting I prepared, did I": the question itself.
      const bool turns = W(end) == "did" || W(end) == "do" || W(end) == "does";
      if (end > i && turns && IsSubject(W(end + 1))) break;
      ++end;
    }
    return end;
  }

  // "the amount I spent": what is asked for, and nothing to be found first.
  static bool IsAnswer(std::string_view noun) {
    static constexpr std::string_view kAnswers[] = {"amount", "number", "cost",   "time", "money",
                                                    "way",    "reason", "total",  "name", "price",
                                                    "length", "first",  "second", "last", "most"};
    return Has(kAnswers, noun);
  }
  // "the day I moved" tells of an event, "the book I bought" of a thing.
  static Kind KindOf(std::string_view noun) {
    static constexpr std::string_view kTimes[] = {"day",  "week",  "weekend", "month",  "year",
                                                  "time", "night", "summer",  "winter", "morning"};
    return Has(kTimes, noun) ? Kind::kEvent : Kind::kClause;
  }

  // "the person who taught me", "the book that Tom lent me", "the café we went to"
  void Clause(std::size_t i) {
    if (W(i) != "the" && W(i) != "that" && W(i) != "a" && W(i) != "an") return;
    static constexpr std::string_view kRelative[] = {"who",  "whom",  "whose",
                                                     "that", "which", "where"};
    for (std::size_t at = i + 1; at <= i + 3 && at < words_.size(); ++at) {
      const std::string_view word = W(at);
      if (at > i + 1 && Has(kRelative, word) && at + 1 < words_.size() && !IsSign(W(at + 1))) {
        Add(KindOf(W(at - 1)), i + 1, ClauseEnd(at + 1));
        return;
      }
      if (at > i + 1 && W(i) != "that" && !IsAnswer(W(at - 1)) &&
          (word == "i" || word == "we" || word == "i'd" || word == "i've") &&
          at + 1 < words_.size() && !IsSign(W(at + 1)) && !Has(words::kVerbs, W(at - 1))) {
        Add(KindOf(W(at - 1)), i + 1, ClauseEnd(at + 1));
        return;
      }
      // A noun phrase goes on; prepositions and verbs end it.
      if (IsSign(word) || Has(words::kPrepositions, word) || Has(words::kConjunctions, word) ||
          Has(words::kPronouns, word)) {
        return;
      }
    }
  }

  // "how old was I when my sister was born"
  void Event(std::size_t i) {
    static constexpr std::string_view kLeads[] = {"when", "after", "before", "while", "until"};
    if (!Has(kLeads, W(i))) return;
    std::size_t next = i + 1;
    if (W(next) == "the" && !Has(words::kPrepositions, W(next + 2))) {
      // "when the baby was born"; "after the wedding" alone is a hop, too.
      if (i == 0) return;
      Add(Kind::kEvent, next, ClauseEnd(next));
      return;
    }
    if (!IsSubject(W(next)) && !IsName(next)) return;
    // "when I" of a question that begins with it: "When I moved, …" is one as well.
    if (Has(words::kVerbs, W(next + 1)) || next + 1 < words_.size()) {
      if (IsSign(W(next + 1)) || W(next + 1).empty()) return;
      Add(Kind::kEvent, next, ClauseEnd(next));
    }
  }

  void Chinese() {
    // 我姐姐的公司, 小李的妹妹
    for (std::size_t at = text_.find("我"); at != text_.npos && Room();
         at = text_.find("我", at + 3)) {
      std::size_t begin = at + 3;
      if (text_.substr(begin).starts_with("的")) begin += 3;
      if (text_.substr(begin).starts_with("们")) begin += 3;
      for (const std::string_view relation : kChineseRelations) {
        if (!text_.substr(begin).starts_with(relation)) continue;
        const std::size_t end = begin + relation.size();
        const std::string_view after = text_.substr(end);
        if (after.starts_with("的") || after.starts_with("家") || after.starts_with("公司")) {
          AddPart(Kind::kPossessive,
                  {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)});
        }
        break;
      }
    }
    for (const QuestionName& name : reading_->names) {
      const std::string_view after = text_.substr(name.text.end);
      const std::string_view owned = after.starts_with("的") ? after.substr(3) : after;
      for (const std::string_view relation : kChineseRelations) {
        if (relation.size() < 6 || !owned.starts_with(relation)) continue;
        AddPart(Kind::kPossessive,
                {name.text.begin,
                 static_cast<std::uint32_t>(text_.size() - owned.size() + relation.size())});
        break;
      }
    }
    // 教我弹琴的那个人, 在里昂认识的朋友; 我搬家的时候
    DemonstrativeClauses();
    ChineseClause("的那", Kind::kClause);
    ChineseClause("的人", Kind::kClause);
    ChineseClause("的朋友", Kind::kClause);
    ChineseClause("的时候", Kind::kEvent);
    ChineseClause("那年", Kind::kEvent);
  }
  // Past the noun at `end`, at most four characters, up to a verb or a sign.
  std::size_t NounEnd(std::size_t end) const {
    for (int taken = 0; taken < 4 && end < text_.size(); ++taken) {
      const DecodedCodePoint point = DecodeUtf8(text_, end);
      if (!IsCjkIdeograph(point.value) ||
          Holds("是叫在有的住做多什怎哪现会去说喜送给", {text_.substr(end, point.length)})) {
        break;
      }
      end += point.length;
    }
    return end;
  }
  // 那位教我法语的老师
  void DemonstrativeClauses() {
    constexpr std::size_t kLongest = 60;
    for (std::size_t at = text_.find("那"); at != text_.npos && Room();
         at = text_.find("那", at + 3)) {
      const std::size_t begin = at + 6;
      if (begin >= text_.size() || !Holds("位个家本部间座条只台件张", {text_.substr(at + 3, 3)})) {
        continue;
      }
      const std::string_view window = text_.substr(begin, kLongest);
      const std::size_t of = window.find("的");
      const std::size_t sign = std::min({window.find("，"), window.find("？"), window.find("。")});
      // 那个红色的包: too short for a clause.
      if (of == window.npos || of < 12 || sign < of) continue;
      const std::size_t end = NounEnd(begin + of + 3);
      if (end == begin + of + 3) continue;
      AddPart(Kind::kClause, {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)});
    }
  }
  void ChineseClause(std::string_view mark, Kind kind) {
    constexpr std::size_t kLongest = 60;
    for (std::size_t at = text_.find(mark); at != text_.npos && Room();
         at = text_.find(mark, at + mark.size())) {
      std::size_t begin = at;
      while (begin > 0 && at - begin < kLongest) {
        std::size_t previous = begin - 1;
        while (previous > 0 && (static_cast<unsigned char>(text_[previous]) & 0xc0) == 0x80)
          --previous;
        const std::string_view character = text_.substr(previous, begin - previous);
        if (Holds("，。？！；、：“”「」,?!;\n", {character})) break;
        begin = previous;
      }
      // 我的那本, 什么时候: too short for a clause.
      if (at - begin < 9) continue;
      const std::string_view clause = text_.substr(begin, at - begin);
      if (Holds(clause, {"什么"}) || clause.starts_with("是")) continue;
      std::size_t end = at;
      if (kind == Kind::kClause) {
        end = NounEnd(at + mark.size());
      }
      AddPart(kind, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    }
  }

  void Entities() {
    std::unordered_set<std::string> seen;
    for (const QuestionName& name : reading_->names) seen.insert(ToLowerUtf8(name.name));
    if (seen.size() < 2) return;
    std::unordered_set<std::string> told;
    for (const QuestionName& name : reading_->names) {
      if (!Room() || told.size() >= 8) return;
      if (told.insert(ToLowerUtf8(name.name)).second) AddPart(Kind::kEntity, name.text);
    }
  }

  std::string_view text_;
  const PlainText& plain_;
  QuestionReading* reading_;
  std::vector<Word> words_;
};

}  // namespace

void ReadHops(std::string_view text, const PlainText& plain, QuestionReading* reading) {
  HopFinder(text, plain, reading).Run();
}

}  // namespace liubai::memory
