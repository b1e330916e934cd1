// Names and quotations of a question.
#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "core/text.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/question_scan.h"
#include "memory/subject_words.h"
#include "memory/time_words.h"

namespace liubai::memory {
namespace {

using words::Has;

constexpr std::size_t kLongestQuote = 400;  // Bytes; what is longer is a text with a lost mark.

// Words that may be capitalised without being a name.
bool IsPlainWord(std::string_view lower) {
  static const std::unordered_set<std::string_view> words = [] {
    std::unordered_set<std::string_view> set;
    const auto Add = [&](const auto& list) { set.insert(std::begin(list), std::end(list)); };
    Add(words::kNotNames);
    Add(words::kDeterminers);
    Add(words::kPossessives);
    Add(words::kPrepositions);
    Add(words::kPronouns);
    Add(words::kConjunctions);
    Add(words::kAdverbs);
    Add(words::kVerbs);
    Add(words::kMonths);
    static constexpr std::string_view kOfPlaces[] = {
        "italian", "mexican", "indian", "thai",     "korean",     "russian",  "american", "british",
        "african", "asian",   "greek",  "turkish",  "vietnamese", "european", "dutch",    "swedish",
        "arabic",  "latin",   "irish",  "canadian", "brazilian",  "polish",   "danish",   "swiss"};
    Add(kOfPlaces);
    return set;
  }();
  if (words.contains(lower)) return true;
  const timing::WordInfo info = timing::LookUpWord(lower);
  return info.word == timing::Word::kFestival || info.word == timing::Word::kWeekday ||
         info.word == timing::Word::kSeason;
}

struct NameWord {
  std::size_t begin;
  std::size_t end;  // Without a possessive ending.

  std::string lower;
  bool upper;
  bool starts;  // A sentence.
  bool joined;  // To the word before by one blank, a hyphen or "X. ".
  bool possessive;
};

std::vector<NameWord> WordsOf(std::string_view text) {
  std::vector<NameWord> list;
  bool starts = true;
  std::string gap;
  for (std::size_t i = 0; i < text.size();) {
    DecodedCodePoint point = DecodeUtf8(text, i);
    const auto InWord = [](std::int32_t c) {
      return c >= 0 && !IsCjk(c) && (IsLetter(c) || IsMark(c) || (c >= '0' && c <= '9'));
    };
    if (!InWord(point.value)) {
      const std::int32_t c = point.value;
      starts |= c == '.' || c == '!' || c == '?' || c == '\n' || c == ':' || c == ';' || c == '"' ||
                c == 0x201c || c == 0x3002 || c == 0xff01 || c == 0xff1f;
      if (IsCjk(c)) starts = false;
      if (gap.size() < 8) gap.append(text.substr(i, point.length));
      i += point.length;
      continue;
    }
    NameWord word{i, i, {}, IsUpper(point.value), starts, false, false};
    word.joined = !list.empty() &&
                  (gap == " " || gap == "-" ||
                   (gap == ". " && (list.back().lower.size() == 1 || list.back().lower == "st" ||
                                    Has(words::kTitles, list.back().lower))));
    if (word.joined && gap == ". ") word.starts = false;
    std::size_t last = i;
    while (i < text.size()) {
      point = DecodeUtf8(text, i);
      const bool mark = point.value == '\'' || point.value == 0x2019;
      if (mark && i + point.length < text.size() &&
          InWord(DecodeUtf8(text, i + point.length).value)) {
        last = i;
        i += point.length;
        continue;
      }
      if (!InWord(point.value)) break;
      i += point.length;
    }
    word.end = i;
    if (last > word.begin) {
      const std::string_view ending = text.substr(last, i - last);
      if (ending == "'s" || ending == "\u2019s") word.end = last, word.possessive = true;
    }
    // "the Browns' garden"
    const std::string_view past = text.substr(i, 4);
    const bool quoted = word.begin > 0 && (text[word.begin - 1] == '\'' ||
                                           text.substr(0, word.begin).ends_with("\u2018"));
    word.possessive |=
        !quoted && text[i - 1] == 's' && (past.starts_with("' ") || past.starts_with("\u2019 "));
    word.lower = word.end - word.begin < 40
                     ? ToLowerUtf8(text.substr(word.begin, word.end - word.begin))
                     : std::string();
    list.push_back(std::move(word));
    starts = false;
    gap.clear();
  }
  return list;
}

void EnglishNames(std::string_view text, std::vector<QuestionName>* names) {
  const std::vector<NameWord> list = WordsOf(text);
  const auto upper =
      std::count_if(list.begin(), list.end(), [](const NameWord& w) { return w.upper; });
  // Headlines and shouting tell nothing by their capitals.
  if (list.size() >= 4 && upper * 5 >= static_cast<std::ptrdiff_t>(list.size()) * 4) return;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const NameWord& word = list[i];
    const bool title = Has(words::kTitles, word.lower) && i + 1 < list.size() &&
                       list[i + 1].joined && list[i + 1].upper;
    // "New Zealand"
    const bool saint = word.lower == "st" || word.lower == "saint";  // "St. Mary's Church"
    const bool leads = (word.lower == "new" || word.lower == "great" || saint) && !word.starts &&
                       i + 1 < list.size() && list[i + 1].joined && list[i + 1].upper &&
                       !IsPlainWord(list[i + 1].lower);
    if (!word.upper || (IsPlainWord(word.lower) && !title && !leads) || word.lower.empty())
      continue;
    if (word.end - word.begin == 1 &&
        !(i + 1 < list.size() && list[i + 1].joined && list[i + 1].upper))
      continue;
    std::size_t last = i;
    while (last + 1 < list.size() && list[last + 1].joined && (saint || !list[last].possessive)) {
      const NameWord& next = list[last + 1];
      static constexpr std::string_view kLinks[] = {"of", "de", "van", "von", "da", "del", "la"};
      if (next.upper && !IsPlainWord(next.lower)) {
        ++last;
      } else if (Has(kLinks, next.lower) && !next.upper && last + 2 < list.size() &&
                 list[last + 2].joined && list[last + 2].upper &&
                 !IsPlainWord(list[last + 2].lower)) {
        last += 2;
      } else {
        break;
      }
    }
    // One word at the start of a sentence has to look like a name.
    if (word.starts && last == i && !word.possessive) {
      const std::string_view follower =
          i + 1 < list.size() && list[i + 1].joined ? std::string_view(list[i + 1].lower) : "";
      static constexpr std::string_view kMore[] = {"and", "or", "did", "does", "never", "would"};
      const bool like_verb = word.lower.ends_with("ing") || word.lower.ends_with("ly");
      const bool before_chinese = word.end < text.size() && IsCjk(DecodeUtf8(text, word.end).value);
      if (like_verb ||
          !(before_chinese || Has(words::kNameFollowers, follower) || Has(kMore, follower)))
        continue;
    }
    const NameWord& end = list[last];
    names->push_back({{static_cast<std::uint32_t>(word.begin), static_cast<std::uint32_t>(end.end)},
                      std::string(text.substr(word.begin, end.end - word.begin)),
                      -1,
                      end.possessive});
    i = last;
  }
}

// Characters and where they come from.
struct Characters {
  std::u32string code;
  std::vector<std::uint32_t> offset;
  char32_t At(std::size_t i) const { return i < code.size() ? code[i] : 0; }
  bool Is(std::size_t i, std::u32string_view word) const {
    return std::u32string_view(code).substr(std::min(i, code.size())).starts_with(word);
  }
};

bool InSet(char32_t c, std::u32string_view set) { return c != 0 && set.find(c) != set.npos; }

const std::u32string& Surnames() {
  static const std::u32string set = [] {
    std::u32string out;
    for (std::size_t i = 0; i < words::kSurnames.size();) {
      const DecodedCodePoint point = DecodeUtf8(words::kSurnames, i);
      out += static_cast<char32_t>(point.value);
      i += point.length;
    }
    return out;
  }();
  return set;
}
const std::u32string& NotGiven() {
  static const std::u32string set = [] {
    std::u32string out = U"买卖吃喝住做写看听开养学送借用换搬结推喜爱最哪怎什多几吧啊呀";
    for (std::size_t i = 0; i < words::kNotGiven.size();) {
      const DecodedCodePoint point = DecodeUtf8(words::kNotGiven, i);
      out += static_cast<char32_t>(point.value);
      i += point.length;
    }
    return out;
  }();
  return set;
}

void ChineseNames(std::string_view text, std::vector<QuestionName>* names) {
  Characters characters;
  bool any = false;
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    any |= IsCjkIdeograph(point.value);
    characters.code += static_cast<char32_t>(point.value < 0 ? 0xfffd : point.value);
    characters.offset.push_back(static_cast<std::uint32_t>(i));
    i += point.length;
  }
  characters.offset.push_back(static_cast<std::uint32_t>(text.size()));
  if (!any) return;
  constexpr std::u32string_view kBefore =
      U"和跟给问找与同对叫是的让请把被为了在向替帮比或、，。？！：；“”「」《》\"'( （说陪约见";
  constexpr std::u32string_view kAfter =
      U"的是在去说有和跟喜买住做叫什怎多哪上给为把被送对从到会想要没不也都还就今昨前最那这来吃看写"
      U"开养"
      U"学工打约了过吗呢与同几现换搬结生聊谈见借教帮弹唱跑讲提告答应当可能得已送收拿带请讨爱讨跳出"
      U"回，。？！、：；“”」》\"') ）推";
  constexpr std::u32string_view kOther[] = {
      U"高兴", U"马上", U"周末", U"周围", U"周一", U"周日", U"周年", U"方法", U"安全", U"黄色",
      U"白色", U"江边", U"金额", U"程度", U"何时", U"任何", U"万一", U"张开", U"石头", U"雷雨",
      U"夏天", U"钱包", U"康复", U"温度", U"于是", U"高中", U"高考", U"马路", U"马拉", U"白天",
      U"白酒", U"毛病", U"毛衣", U"段时", U"龙虾", U"熊猫", U"黄瓜", U"金鱼", U"石榴", U"汤圆",
      U"孔雀", U"梁上", U"高铁", U"程序", U"文件", U"文章", U"文化", U"易怒", U"常去", U"孟加",
      U"杨树", U"柳树", U"林子", U"江南", U"江西", U"江苏", U"贵州", U"曾经", U"史上", U"许多",
      U"罗马", U"韩国", U"秦岭", U"武汉", U"武术", U"任务", U"邮件", U"谢谢", U"金毛", U"马桶",
      U"苏州", U"吴江", U"郑州", U"万里", U"胡同", U"胡子", U"胡萝", U"田里", U"丁香", U"高跟"};
  constexpr std::u32string_view kCompound[] = {U"欧阳", U"司马", U"上官", U"诸葛",
                                               U"慕容", U"令狐", U"皇甫", U"尉迟"};
  const auto Add = [&](std::size_t begin, std::size_t end) {
    const std::uint32_t from = characters.offset[begin], to = characters.offset[end];
    const bool owns = characters.At(end) == U'的';
    names->push_back({{from, to}, std::string(text.substr(from, to - from)), -1, owns});
  };
  const auto EndsLead = [&](std::size_t i) {
    const std::string_view before = text.substr(0, characters.offset[i]);
    return std::any_of(std::begin(words::kPersonLeads), std::end(words::kPersonLeads),
                       [&](std::string_view lead) { return before.ends_with(lead); });
  };
  for (std::size_t i = 0; i < characters.code.size(); ++i) {
    const char32_t c = characters.code[i];
    const bool open = i == 0 || InSet(characters.code[i - 1], kBefore) || EndsLead(i);
    // 小王, 老张, 阿明
    if (open && InSet(c, U"小老阿")) {
      const char32_t name = characters.At(i + 1);
      const bool surname = InSet(name, Surnames()) && !InSet(name, U"康龙熊马程江文白高");
      // Given names that 小 is often put before, and any after 阿.
      const bool given = c == U'小' && InSet(name,
                                             U"明红芳刚美丽华强军兰英玲杰伟涛敏静娟燕霞斌磊"
                                             U"鹏飞婷琳萍莉佳宁洁欣慧");
      const bool called =
          given || (c == U'阿' && IsCjkIdeograph(static_cast<std::int32_t>(name)) &&
                    !InSet(name, U"姨拉富根婆哥里尔司") && !InSet(name, NotGiven()));
      const bool ends = i + 2 >= characters.code.size() || InSet(characters.At(i + 2), kAfter);
      if ((surname || called) && ends) {
        Add(i, i + 2);
        ++i;
        continue;
      }
    }
    std::size_t surname = 0;
    for (const std::u32string_view two : kCompound) {
      if (characters.Is(i, two)) surname = 2;
    }
    if (surname == 0 && InSet(c, Surnames())) surname = 1;
    if (surname == 0) continue;
    // 王医生, 李明老师
    bool titled = false;
    for (std::size_t given = 0; given <= 2 && !titled; ++given) {
      const std::size_t at = i + surname + given;
      if (at >= characters.code.size()) break;
      if (given > 0 && InSet(characters.code[at - 1], NotGiven())) break;
      const std::string_view rest = text.substr(characters.offset[at]);
      for (const std::string_view title : words::kChineseTitles) {
        if (title == "总" || !rest.starts_with(title)) continue;
        Add(i, at + CountCodePoints(title));
        i = at + CountCodePoints(title) - 1;
        titled = true;
        break;
      }
    }
    if (titled || !open) continue;
    if (std::any_of(std::begin(kOther), std::end(kOther),
                    [&](std::u32string_view word) { return characters.Is(i, word); })) {
      continue;
    }
    for (std::size_t given = 2; given >= 1; --given) {
      const std::size_t end = i + surname + given;
      if (end > characters.code.size()) continue;
      bool name = true;
      for (std::size_t k = i + surname; k < end; ++k) {
        name &= IsCjkIdeograph(static_cast<std::int32_t>(characters.code[k])) &&
                !InSet(characters.code[k], NotGiven());
      }
      if (!name || !(end == characters.code.size() || InSet(characters.At(end), kAfter))) continue;
      Add(i, end);
      i = end - 1;
      break;
    }
  }
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

// `name` anywhere in any case, at word boundaries; its first word, too, when that is capitalised.
void SpeakerNames(std::string_view text, const std::string& lower, std::string_view name,
                  int speaker, std::vector<QuestionName>* names) {
  const auto IsWord = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  const auto Find = [&](std::string_view part, bool exact) {
    const std::string wanted = Lower(part);
    for (std::size_t at = lower.find(wanted); at != lower.npos; at = lower.find(wanted, at + 1)) {
      const std::size_t end = at + wanted.size();
      if (at > 0 && IsWord(lower[at - 1]) && IsWord(wanted.front())) continue;
      if (end < lower.size() && IsWord(lower[end]) && IsWord(wanted.back())) continue;
      if (exact && text.substr(at, part.size()) != part) continue;
      const std::string_view after = text.substr(end, 6);
      names->push_back(
          {{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)},
           std::string(text.substr(at, end - at)),
           speaker,
           after.starts_with("'s") || after.starts_with("\u2019s") || after.starts_with("的")});
    }
  };
  name = Trim(name);
  if (name.empty() || name.size() > 100) return;
  // "will" and "may" in lower case are no people.
  Find(name, IsPlainWord(Lower(name)));
  const std::size_t blank = name.find(' ');
  if (blank != name.npos && blank >= 3 && !IsPlainWord(Lower(name.substr(0, blank)))) {
    Find(name.substr(0, blank), true);
  }
}

struct Marks {
  std::string_view open;
  std::string_view close;
};
constexpr Marks kMarks[] = {
    {"\"", "\""}, {"\u201c", "\u201d"}, {"\u2018", "\u2019"}, {"「", "」"},         {"『", "』"},
    {"《", "》"}, {"〈", "〉"},         {"«", "»"},           {"\u201e", "\u201c"}, {"'", "'"},
    {"`", "`"}};

}  // namespace

void ReadQuotes(std::string_view text, QuestionReading* reading) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '"' && c != '\'' && c != '`' && static_cast<unsigned char>(c) < 0xc2) continue;
    for (const Marks& marks : kMarks) {
      if (!text.substr(i).starts_with(marks.open)) continue;
      const bool single = marks.open == "'" || marks.open == "\u2018";
      const auto IsWord = [&](std::size_t at) {
        return at < text.size() && (IsAsciiWord(static_cast<unsigned char>(text[at])) ||
                                    static_cast<unsigned char>(text[at]) >= 0x80);
      };
      // An apostrophe has a letter before it.
      if (single && i > 0 && IsAsciiWord(static_cast<unsigned char>(text[i - 1]))) continue;
      const std::size_t begin = i + marks.open.size();
      const std::string_view window = text.substr(begin, kLongestQuote);
      std::size_t end = window.find(marks.close);
      while (single && end != window.npos && IsWord(begin + end + marks.close.size())) {
        end = window.find(marks.close, end + 1);  // "'it isn't'"
      }
      if (end == window.npos || end == 0 || Trim(window.substr(0, end)).empty()) continue;
      const std::size_t past = begin + end + marks.close.size();
      reading->quotes.push_back({{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(past)},
                                 std::string(Trim(window.substr(0, end)))});
      i = past - 1;
      break;
    }
  }
}

void ReadNames(std::string_view text, std::span<const std::string> speakers,
               QuestionReading* reading) {
  std::vector<QuestionName> names;
  const std::string lower = Lower(text);
  for (std::size_t i = 0; i < speakers.size(); ++i) {
    SpeakerNames(text, lower, speakers[i], static_cast<int>(i), &names);
  }
  EnglishNames(text, &names);
  ChineseNames(text, &names);
  // Of two that overlap the speaker's is kept, else the longer.
  std::stable_sort(names.begin(), names.end(), [](const QuestionName& a, const QuestionName& b) {
    if (a.text.begin != b.text.begin) return a.text.begin < b.text.begin;
    if ((a.speaker >= 0) != (b.speaker >= 0)) return a.speaker >= 0;
    return a.text.end > b.text.end;
  });
  for (QuestionName& name : names) {
    // A title in quotation marks is one thing and no list of names.
    const auto quote =
        std::partition_point(reading->quotes.begin(), reading->quotes.end(),
                             [&](const QuestionQuote& q) { return q.text.end <= name.text.begin; });
    const bool quoted = quote != reading->quotes.end() && quote->text.begin <= name.text.begin;
    const auto time = std::partition_point(
        reading->times.begin(), reading->times.end(),
        [&](const TimeExpression& t) { return t.text.end <= name.text.begin; });
    const bool timed = time != reading->times.end() && time->text.begin < name.text.end;
    if ((quoted || timed) && name.speaker < 0) continue;
    if (!reading->names.empty() && name.text.begin < reading->names.back().text.end) {
      QuestionName& kept = reading->names.back();
      if (name.speaker >= 0 && kept.speaker < 0) kept.speaker = name.speaker;
      continue;
    }
    reading->names.push_back(std::move(name));
  }
}

}  // namespace liubai::memory
