// Statements: rules, preferences, allergies, corrections.
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

constexpr std::string_view kEdges = " \t\r\n.,;:!?";

class Statements {
 public:
  Statements(std::string_view text, TextRange range, std::vector<Detail>* out)
      : text_(text), range_(range), out_(out) {
    sentence_ = text.substr(range.begin, range.end - range.begin);
    // Byte offsets must stay: only ASCII is folded, and the curly apostrophe is left alone.
    lower_ = std::string(sentence_);
    for (char& c : lower_) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
  }

  void Find() {
    if (IsQuestion(sentence_)) return;
    Allergy();
    const bool rule = Rule();
    if (!rule) Preference();
    Correction();
  }

 private:
  bool FirstPerson() const {
    static constexpr std::string_view kWords[] = {"i", "i'm", "my", "me", "we", "our", "i've"};
    std::size_t end = 0;
    return FindAnyWord(lower_, kWords, &end) != std::string::npos ||
           sentence_.find("我") != std::string_view::npos;
  }
  void Add(DetailKind kind, std::size_t begin, std::size_t end) {
    std::string_view part = sentence_.substr(begin, end - begin);
    const std::string_view trimmed = TrimmedView(part, kEdges);
    if (trimmed.empty()) return;
    Detail detail;
    detail.kind = kind;
    detail.begin = range_.begin + static_cast<std::uint32_t>(trimmed.data() - sentence_.data());
    detail.end = detail.begin + static_cast<std::uint32_t>(trimmed.size());
    detail.text = std::string(trimmed);
    // Full-width stops at the end are no part of it.
    static constexpr std::string_view kStops[] = {"。", "！", "？", "；", "，"};
    for (bool again = true; again;) {
      again = false;
      for (std::string_view stop : kStops) {
        if (detail.text.ends_with(stop)) {
          detail.text.resize(detail.text.size() - stop.size());
          detail.end -= static_cast<std::uint32_t>(stop.size());
          again = true;
        }
      }
    }
    if (!detail.text.empty()) out_->push_back(std::move(detail));
  }
  bool HasWhen() const {
    for (const Detail& detail : *out_) {
      const bool when = detail.kind == DetailKind::kDate || detail.kind == DetailKind::kTime;
      if (when && detail.begin >= range_.begin && detail.end <= range_.end) return true;
    }
    return false;
  }
  // The end of the clause that goes on at `begin`.
  std::size_t ClauseEnd(std::size_t begin) const {
    static constexpr std::string_view kEnds[] = {", but ",    "，",    "；",      "。", ";",
                                                 " because ", ", so ", " since ", "但"};
    std::size_t end = sentence_.size(), unused = 0;
    const auto at = FindAny(std::string_view(lower_).substr(begin), kEnds, &unused);
    return at == std::string::npos ? end : begin + at;
  }
  std::size_t ClauseBegin(std::size_t end) const {
    static constexpr std::string_view kBreaks[] = {"，", "；", "。", "、"};
    std::size_t begin = 0;
    for (std::string_view stop : kBreaks) {
      const auto at = sentence_.substr(0, end).rfind(stop);
      if (at != std::string_view::npos) begin = std::max(begin, at + stop.size());
    }
    return begin;
  }

  void Allergy() {
    static constexpr std::string_view kEnglish[] = {"allergic to",   "allergy to",
                                                    "allergies to",  "intolerant to",
                                                    "allergies are", "anaphylactic to"};
    std::size_t end = 0;
    if (FindAnyWord(lower_, kEnglish, &end) != std::string::npos) {
      Add(DetailKind::kAllergy, end, ClauseEnd(end));
      return;
    }
    static constexpr std::string_view kCompound[] = {"intolerant", "intolerance", "allergy"};
    if (const auto at = FindAnyWord(lower_, kCompound, &end); at != std::string::npos && at > 0) {
      auto begin = lower_.find_last_of(' ', at >= 2 ? at - 2 : 0);
      begin = begin == std::string::npos ? 0 : begin + 1;
      Add(DetailKind::kAllergy, begin, at);
      return;
    }
    static constexpr std::string_view kChinese[] = {"过敏", "不耐受"};
    if (const auto at = FindAny(sentence_, kChinese, &end); at != std::string::npos) {
      std::size_t begin = ClauseBegin(at);
      const auto dui = sentence_.substr(0, at).rfind("对");
      if (dui != std::string_view::npos && dui + 3 < at && dui >= begin) {
        Add(DetailKind::kAllergy, dui + 3, at);
      } else if (at > begin) {
        Add(DetailKind::kAllergy, begin, end);
      }
    }
  }

  bool Rule() {
    static constexpr std::string_view kStarts[] = {
        "never ",           "always ",         "please always", "please never", "remember to",
        "remember,",        "please remember", "don't ever",    "do not ever",  "make sure",
        "please make sure", "from now on",     "don't forget",  "you must",     "only reply",
        "only answer",      "please don't",    "please do not", "don't ",       "do not ",
        "remember that",    "whenever i",      "every time i",  "must "};
    static constexpr std::string_view kInside[] = {", never ",
                                                   ", always ",
                                                   "you must",
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
                                                   "; never ",
                                                   ": never ",
                                                   ": always ",
                                                   "rule:",
                                                   "remember to",
                                                   "under no circumstances"};
    static constexpr std::string_view kChinese[] = {
        "以后都", "以后请",   "以后不要", "以后别",   "从现在起", "从今以后", "必须",
        "务必",   "千万不要", "千万别",   "切记",     "请记住",   "记住",     "永远不要",
        "一律",   "禁止",     "每次都",   "绝对不要", "绝不要",   "请不要",   "请始终",
        "请总是", "请一直",   "记得要",   "请记得",   "不许",     "不准"};
    bool found = false;
    std::string plain;
    for (std::size_t i = 0; i < lower_.size(); ++i) {
      const bool curly = std::string_view(lower_).substr(i).starts_with("’");
      plain += curly ? '\'' : lower_[i];
      if (curly) i += std::string_view("’").size() - 1;
    }
    for (std::string_view start : kStarts) found |= plain.starts_with(start);
    for (std::string_view inside : kInside) found |= plain.find(inside) != std::string::npos;
    if (!found) {
      std::size_t end = 0;
      const auto at = FindAny(sentence_, kChinese, &end);
      if (at != std::string_view::npos) {
        // 我不要辣 is a preference; 我必须走了 is a duty of the speaker.
        const auto begin = ClauseBegin(at);
        const std::string_view before = sentence_.substr(begin, at - begin);
        found = before.find("我") == std::string_view::npos ||
                before.find("给我") != std::string_view::npos ||
                before.find("跟我") != std::string_view::npos ||
                before.find("对我") != std::string_view::npos;
      }
    }
    if (!found) {
      // 不要 alone commands only at the head of a clause; 不要太辣 and 不要紧 are wishes and words.
      for (std::string_view start : {"不要", "别再"}) {
        for (auto at = sentence_.find(start); at != std::string_view::npos;
             at = sentence_.find(start, at + start.size())) {
          const std::string_view rest = sentence_.substr(at + start.size());
          found |= at == ClauseBegin(at) && !rest.starts_with("太") && !rest.starts_with("紧");
        }
      }
    }
    if (found) Add(DetailKind::kRule, 0, sentence_.size());
    return found;
  }

  void Preference() {
    static constexpr std::string_view kEnglish[] = {
        "prefer",     "prefers",         "i like",        "i love",           "i enjoy",
        "i hate",     "i dislike",       "can't stand",   "don't like",       "doesn't like",
        "i'd rather", "would rather",    "i really like", "i really love",    "i never",
        "i always",   "i don't eat",     "i don't drink", "favourite",        "favorite",
        "likes",      "loves",           "hates",         "i no longer like", "i don't want",
        "fond of",    "i'm a fan of",    "i now like",    "i also like",      "i still like",
        "i adore",    "i don't care for"};
    static constexpr std::string_view kChinese[] = {
        "更喜欢", "最喜欢", "不喜欢", "喜欢",   "讨厌",   "最爱", "偏爱", "偏好", "爱吃", "不吃",
        "爱喝",   "不喝",   "受不了", "习惯用", "我不要", "宁愿", "爱看", "爱听", "最怕", "更爱"};
    std::size_t end = 0;
    if (FindAnyWord(lower_, kEnglish, &end) != std::string::npos) {
      // "My favourite colour is teal": the value follows the verb.
      const std::string_view rest = std::string_view(lower_).substr(end);
      for (std::string_view verb : {" is now ", " is ", " are ", " was "}) {
        const auto at = rest.find(verb);
        if (at != std::string_view::npos &&
            std::string_view(lower_).substr(0, end).ends_with("rite")) {
          Add(DetailKind::kPreference, end + at + verb.size(), ClauseEnd(end + at + verb.size()));
          return;
        }
      }
      Add(DetailKind::kPreference, end, ClauseEnd(end));
      return;
    }
    if (FindAny(sentence_, kChinese, &end) != std::string::npos) {
      std::size_t begin = end;
      for (std::string_view verb : {"的颜色是", "的是", "是"}) {
        const auto at = sentence_.substr(end).find(verb);
        if (at != std::string_view::npos && at < 30) {
          begin = end + at + verb.size();
          break;
        }
      }
      Add(DetailKind::kPreference, begin, ClauseEnd(begin));
    }
  }

  void Correction() {
    static constexpr std::string_view kStarts[] = {"no,",      "no wait",    "wait,",
                                                   "actually", "correction", "sorry,",
                                                   "i meant",  "oops",       "scratch that"};
    static constexpr std::string_view kInside[] = {
        ", not ",        "i was wrong",     "i misspoke",  "correction:", "i meant",
        "changed to",    "instead of",      "not anymore", "no longer",   "i made a mistake",
        "moved to",      "has been moved",  "rescheduled", "used to be",  "is now",
        "it's actually", "turned out to be"};
    static constexpr std::string_view kChinese[] = {
        "不对，", "不对,",  "说错了", "更正",   "改成",   "改到", "改为", "记错了",
        "应该是", "其实是", "纠正",   "写错了", "搞错了", "而是", "不再"};
    bool found = false;
    for (std::string_view start : kStarts) found |= lower_.starts_with(start);
    // "Sorry, I am late" corrects nothing: a value must follow.
    for (std::string_view inside : kInside) found |= lower_.find(inside) != std::string::npos;
    if (const auto at = FindWord(lower_, "moved"); at != std::string::npos) {
      found |= lower_.find(" to ", at) != std::string::npos && HasWhen();
    }
    if (found) {
      bool value = false;
      for (const Detail& detail : *out_) {
        value |=
            detail.begin >= range_.begin && detail.end <= range_.end && !IsStatement(detail.kind);
      }
      found = value || lower_.find(", not ") != std::string::npos;
    }
    std::size_t end = 0;
    found |= FindAny(sentence_, kChinese, &end) != std::string_view::npos;
    // 不是 80，是 18
    if (const auto at = sentence_.find("不是"); at != std::string_view::npos) {
      const auto rest = sentence_.substr(at + 6);
      found |= rest.find("，是") != std::string_view::npos || rest.find("而是") != rest.npos ||
               rest.find(",是") != std::string_view::npos;
    }
    if (const auto at = sentence_.find("，不是"); at != std::string_view::npos) {
      found |= sentence_.substr(0, at).find("是") != std::string_view::npos;
    }
    if (found) Add(DetailKind::kCorrection, 0, sentence_.size());
  }

  std::string_view text_;
  TextRange range_;
  std::string_view sentence_;
  std::string lower_;
  std::vector<Detail>* out_;
};

}  // namespace

void FindStatements(std::string_view text, TextRange range, std::vector<Detail>* details) {
  Statements(text, range, details).Find();
}

}  // namespace liubai::memory
