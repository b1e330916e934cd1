#include "tools/life_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "core/text.h"
#include "tools/life_values.h"

namespace liubai::tools {
namespace {

using nlohmann::json;

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kHourMs = 60 * kMinuteMs;
constexpr std::int64_t kBeginMs = 1'641'196'800'000;                // 2022-01-03 08:00
constexpr std::int64_t kBetweenMs = 87 * kHourMs + 36 * kMinuteMs;  // Three years in 300.
// Between two values of what one has only one of: a whole month lies in it, to be asked for.
constexpr int kLeastBetween = 20;
constexpr int kMostTries = 200;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// One sentence of the user's, and what it tells.
struct Statement {
  std::string sentence;
  std::string value;                  // Empty: somebody else's.
  std::optional<std::size_t> detail;  // Place in Life::details.
};

struct Exchange {
  const LifeWords* words = nullptr;
  std::vector<Statement> statements;  // None: talk.
};

// What is told of one attribute of one thing, in order.
struct Thread {
  const LifeWords* words = nullptr;
  const json* attribute = nullptr;
  std::string topic;
  std::string subject;
  std::vector<LifeValue> values;  // Others' values too: none may answer for another.
  std::size_t changes = 0;
};

class Writer {
 public:
  explicit Writer(const LifeOptions& options)
      : options_(options), random_(options.seed * 2654435761U + 97), exchanges_(options.sessions) {}

  Life Write() {
    // What is planned for a session comes before what turns up in it.
    PlanSelf();
    for (int session = 0; session < options_.sessions; ++session) PlanThing(session);
    life_.sessions = options_.sessions;
    for (int session = 0; session < options_.sessions; ++session) Speak(session);
    life_.end_ms = life_.turns.back().time_ms + 26 * kHourMs;
    AskForPast();
    SortDetails();
    return std::move(life_);
  }

 private:
  const LifeWords& AnyWords() {
    switch (options_.language) {
      case LifeLanguage::kEnglish:
        return LifeWords::English();
      case LifeLanguage::kChinese:
        return LifeWords::Chinese();
      case LifeLanguage::kMixed:
        break;
    }
    return random_.Chance(50) ? LifeWords::English() : LifeWords::Chinese();
  }

  static std::int64_t TimeOf(int session) { return kBeginMs + session * kBetweenMs; }

  std::string Say(const Thread& thread, const char* form, const std::string& value,
                  const std::string& wrong = {}) {
    std::vector<std::pair<std::string, std::string>> given = {
        {"x", thread.subject}, {"v", value}, {"w", wrong}};
    return thread.words->Fill(thread.words->Pick((*thread.attribute)[form], random_), &given,
                              random_);
  }

  // A value that neither answers for another of the thread nor stands in what it is asked with.
  LifeValue NewValue(Thread* thread, int session) {
    for (int tries = 0;; ++tries) {
      LifeValue value =
          MakeLifeValue(*thread->words, (*thread->attribute)["value"].get<std::string>(),
                        TimeOf(session), thread->changes, random_);
      const bool clashes =
          std::any_of(thread->values.begin(), thread->values.end(),
                      [&](const LifeValue& old) {
                        return Answers(old.text, value) || Answers(value.text, old);
                      }) ||
          Answers(thread->subject, value);
      if (clashes && tries < kMostTries) continue;
      thread->values.push_back(value);
      return value;
    }
  }

  static bool Answers(std::string_view text, const LifeValue& value) {
    return std::any_of(value.accept.begin(), value.accept.end(),
                       [&](const std::string& form) { return HoldsValue(text, form); });
  }

  // A detail that `form` states; its turn is known when it is spoken.
  Statement State(Thread* thread, const char* form, const LifeValue& value,
                  const std::string& wrong = {}) {
    LifeDetail detail;
    detail.kind = (*thread->attribute)["kind"].get<std::string>();
    detail.topic = thread->topic;
    detail.value = value.text;
    detail.language = thread->words->chinese() ? "zh" : "en";
    detail.question = Say(*thread, "ask", "");
    detail.accept = value.accept;
    life_.details.push_back(std::move(detail));
    threads_.push_back(*thread);
    follows_.emplace_back();
    return {Say(*thread, form, value.text, wrong), value.text, life_.details.size() - 1};
  }

  Statement Change(Thread* thread, int session, std::size_t before) {
    ++thread->changes;
    const LifeValue value = NewValue(thread, session);
    Statement statement = State(thread, "change", value);
    follows_[before] = statement.detail;
    return statement;
  }

  void Add(int session, const LifeWords& words, std::vector<Statement> statements) {
    exchanges_[static_cast<std::size_t>(session)].push_back({&words, std::move(statements)});
  }

  // The same of somebody else, in a session not far away.
  void AddOther(Thread* thread, int session) {
    if (!thread->attribute->contains("other")) return;
    const int near = std::clamp(session + random_.Between(-8, 8), 0, options_.sessions - 1);
    std::vector<std::pair<std::string, std::string>> given = {
        {"x", thread->subject},
        {"p", thread->words->PickList("outsider", random_)},
        {"o", NewValue(thread, near).text}};
    std::string sentence = thread->words->Fill(
        thread->words->Pick((*thread->attribute)["other"], random_), &given, random_);
    if (sentence.front() >= 'a' && sentence.front() <= 'z') sentence.front() -= 'a' - 'A';
    Add(near, *thread->words, {{std::move(sentence), {}, {}}});
  }

  // Home, job, tastes: told early, changed now and then.
  void PlanSelf() {
    const std::size_t count = LifeWords::English().json()["self"].size();
    for (std::size_t i = 0; i < count; ++i) {
      const LifeWords& words = AnyWords();
      Thread thread{&words, &words.json()["self"][i], "self", {}, {}, 0};
      int session = random_.Between(0, std::max(options_.sessions / 10, 1));
      Statement said = State(&thread, "say", NewValue(&thread, session));
      std::size_t last = *said.detail;
      Add(session, words, {std::move(said)});
      AddOther(&thread, session);
      // Lists of words are short, and no value comes back.
      while (thread.changes < 5) {
        session += random_.Between(kLeastBetween, 3 * kLeastBetween);
        if (session >= options_.sessions) break;
        Statement changed = Change(&thread, session, last);
        last = *changed.detail;
        Add(session, words, {std::move(changed)});
        if (random_.Chance(40)) AddOther(&thread, session);
      }
    }
  }

  // A thing that was not spoken of before, with up to three of its attributes.
  void PlanThing(int session) {
    const LifeWords& words = AnyWords();
    const json* topic = nullptr;
    std::string subject;
    for (int tries = 0; tries < kMostTries; ++tries) {
      const json& candidate = PickTopic(words);
      std::vector<std::pair<std::string, std::string>> given;
      subject = words.Fill(candidate["subject"].get<std::string>(), &given, random_);
      const std::string name = candidate["name"].get<std::string>();
      if (!subjects_.insert(name + "|" + subject).second) continue;
      topic = &candidate;
      break;
    }
    if (topic == nullptr) return;
    std::vector<const json*> attributes;
    for (const json& attribute : (*topic)["attributes"]) attributes.push_back(&attribute);
    while (attributes.size() > 1 + random_.Below(3)) {
      attributes.erase(attributes.begin() +
                       static_cast<std::ptrdiff_t>(random_.Below(attributes.size())));
    }
    std::vector<Statement> together;
    for (const json* attribute : attributes) {
      Thread thread{&words, attribute, (*topic)["name"].get<std::string>(), subject, {}, 0};
      Tell(&thread, session, &together);
    }
    // Together in one message, or one after the other.
    if (together.size() > 1 && random_.Chance(50)) {
      for (Statement& one : together) Add(session, words, {std::move(one)});
    } else if (!together.empty()) {
      Add(session, words, std::move(together));
    }
  }

  void Tell(Thread* thread, int session, std::vector<Statement>* together) {
    const int last = options_.sessions - 1;
    if (thread->attribute->contains("wrong") && random_.Chance(60)) {
      // Said wrong first and corrected, at once or the next time.
      const LifeValue wrong = NewValue(thread, session);
      Add(session, *thread->words, {{Say(*thread, "say", wrong.text), {}, {}}});
      const LifeValue right = NewValue(thread, session);
      Add(std::min(session + random_.Between(0, 1), last), *thread->words,
          {State(thread, "wrong", right, wrong.text)});
    } else {
      Statement said = State(thread, "say", NewValue(thread, session));
      const std::size_t first = *said.detail;
      together->push_back(std::move(said));
      const int later = session + random_.Between(2, 60);
      if (thread->attribute->contains("change") && later <= last && random_.Chance(50)) {
        Add(later, *thread->words, {Change(thread, later, first)});
      }
    }
    if (random_.Chance(40)) AddOther(thread, session);
  }

  const json& PickTopic(const LifeWords& words) {
    const json& topics = words.json()["topics"];
    std::size_t all = 0;
    for (const json& topic : topics) all += topic["weight"].get<std::size_t>();
    std::size_t at = random_.Below(all);
    for (const json& topic : topics) {
      const auto weight = topic["weight"].get<std::size_t>();
      if (at < weight) return topic;
      at -= weight;
    }
    return topics.back();
  }

  void Speak(int session) {
    std::vector<Exchange>& planned = exchanges_[static_cast<std::size_t>(session)];
    // Talk between what is told, at any place.
    const std::size_t talk = std::max<std::size_t>(1, planned.size() < 4 ? 4 - planned.size() : 1);
    for (std::size_t i = 0; i < talk; ++i) {
      planned.insert(
          planned.begin() + static_cast<std::ptrdiff_t>(random_.Below(planned.size() + 1)),
          Exchange{&AnyWords(), {}});
    }
    std::int64_t now = TimeOf(session) + random_.Between(0, 600) * kMinuteMs;
    const auto say = [&](bool user, std::string text) {
      now += random_.Between(1, 3) * kMinuteMs;
      life_.turns.push_back({user, std::move(text), now, session + 1});
    };
    for (const Exchange& exchange : planned) {
      if (exchange.statements.empty()) {
        const json& talks = exchange.words->json()["filler"];
        const json& one = talks[random_.Below(talks.size())];
        std::vector<std::pair<std::string, std::string>> given;
        std::string user_text = exchange.words->Fill(one[0].get<std::string>(), &given, random_);
        Join(&user_text, exchange.words->PickList("tail", random_), exchange.words->chinese());
        say(true, std::move(user_text));
        say(false, Capital(exchange.words->Fill(one[1].get<std::string>(), &given, random_)));
        continue;
      }
      const std::size_t place = life_.turns.size();
      say(true, UserText(exchange));
      const Statement& last = exchange.statements.back();
      const bool echoes = !last.value.empty() && random_.Chance(30);
      say(false, ReplyText(*exchange.words, echoes ? last.value : std::string()));
      for (const Statement& statement : exchange.statements) {
        if (!statement.detail) continue;
        LifeDetail& detail = life_.details[*statement.detail];
        detail.turns.push_back(place);
        if (HoldsValue(life_.turns.back().text, detail.value)) detail.turns.push_back(place + 1);
        detail.session = session + 1;
      }
    }
  }

  static std::string Capital(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() -= 'a' - 'A';
    return text;
  }

  static void Join(std::string* text, const std::string& part, bool chinese) {
    if (part.empty()) return;
    if (!text->empty() && !chinese) *text += ' ';
    *text += part;
  }

  std::string UserText(const Exchange& exchange) {
    const bool chinese = exchange.words->chinese();
    std::string text = exchange.words->PickList("lead", random_);
    for (const Statement& statement : exchange.statements) {
      Join(&text, statement.sentence, chinese);
    }
    Join(&text, exchange.words->PickList("tail", random_), chinese);
    return text;
  }

  std::string ReplyText(const LifeWords& words, const std::string& value) {
    std::vector<std::pair<std::string, std::string>> given = {{"v", value}};
    std::string text = Capital(
        words.Fill(words.PickList(value.empty() ? "ack" : "ack_value", random_), &given, random_));
    Join(&text, words.PickList("follow", random_), words.chinese());
    return text;
  }

  // What was superseded is asked for as such: by how it was at first, or in a month of its time.
  void AskForPast() {
    for (std::size_t i = 0; i < life_.details.size(); ++i) {
      if (!follows_[i]) continue;
      LifeDetail& detail = life_.details[i];
      const std::size_t next = life_.details[*follows_[i]].turns.front();
      detail.superseded_by = next;
      detail.past = true;
      std::vector<std::int64_t> months;
      const std::int64_t from = life_.turns[detail.turns.front()].time_ms;
      const std::int64_t to = life_.turns[next].time_ms;
      for (auto [begin, end] = MonthOf(MonthOf(from).second); end <= to;
           std::tie(begin, end) = MonthOf(end)) {
        months.push_back(begin);
      }
      std::vector<std::pair<std::string, std::string>> given = {
          {"x", threads_[i].subject},
          {"month", months.empty()
                        ? std::string()
                        : LifeMonth(*threads_[i].words, months[random_.Below(months.size())])}};
      detail.question = threads_[i].words->Fill(
          threads_[i].words->Pick((*threads_[i].attribute)["ask_past"], random_), &given, random_);
    }
  }

  void SortDetails() {
    std::stable_sort(
        life_.details.begin(), life_.details.end(),
        [](const LifeDetail& a, const LifeDetail& b) { return a.turns.front() < b.turns.front(); });
  }

  LifeOptions options_;
  LifeRandom random_;
  Life life_;
  std::vector<std::vector<Exchange>> exchanges_;     // [sessions]
  std::set<std::string> subjects_;                   // "topic|subject": asked for by it alone.
  std::vector<Thread> threads_;                      // [details]
  std::vector<std::optional<std::size_t>> follows_;  // [details]: the detail that takes its place.
};

}  // namespace

LifeLanguage LifeLanguageOf(std::string_view name) {
  return name == "en"   ? LifeLanguage::kEnglish
         : name == "zh" ? LifeLanguage::kChinese
                        : LifeLanguage::kMixed;
}

bool HoldsValue(std::string_view text, std::string_view value) {
  const std::string in = FoldNfkc(text), what = FoldNfkc(value);
  if (what.empty()) return false;
  for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) {
    const std::size_t end = at + what.size();
    const char before = at > 0 ? in[at - 1] : ' ', after = end < in.size() ? in[end] : ' ';
    const bool longer_number =
        (IsDigit(what.front()) && (IsDigit(before) || ((before == '.' || before == ',') && at > 1 &&
                                                       IsDigit(in[at - 2])))) ||
        (IsDigit(what.back()) && (IsDigit(after) || ((after == '.' || after == ',') &&
                                                     end + 1 < in.size() && IsDigit(in[end + 1]))));
    const bool longer_word =
        (IsWord(what.front()) && IsWord(before)) || (IsWord(what.back()) && IsWord(after));
    if (!longer_number && !longer_word) return true;
  }
  return false;
}

bool HoldsAnswer(std::string_view text, const LifeDetail& detail) {
  return std::any_of(detail.accept.begin(), detail.accept.end(),
                     [&](const std::string& form) { return HoldsValue(text, form); });
}

Result<Life> GenerateLife(const LifeOptions& options) {
  if (options.sessions < kFewestLifeSessions || options.sessions > kMostLifeSessions) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("a life has {} sessions; it may have {}..{}", options.sessions,
                              kFewestLifeSessions, kMostLifeSessions));
  }
  return Writer(options).Write();
}

}  // namespace liubai::tools
