// Which facts a question presupposes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include "core/macros.h"
#include "core/text.h"
#include "memory/fact_states.h"
#include "memory/facts.h"
#include "memory/facts_words.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"
#include "memory/profile.h"
#include "memory/question.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

using words::Has;

constexpr std::size_t kMostFacts = 3'000;  // Of one subject; the latest are read.
constexpr std::size_t kMostSubjects = 2'000;

// A word of a question, and the attributes that it is about. Words end in "*" where any ending
// does.
struct Topic {
  std::span<const std::string_view> words;
  std::span<const std::string_view> attributes;
  double weight;      // Where the question asks for a suggestion, or the attribute itself.
  bool asked = true;  // Also without a request: the word names the attribute.
};

constexpr std::string_view kAgeWords[] = {
    "how old", "what age", "years older", "years younger",  "older than", "younger than", "my age",
    "the age", "birthday", "born",        "age difference", "年龄",       "多大",         "几岁",
    "岁数",    "年纪",     "大几岁",      "小几岁",         "多少岁",     "生日",         "出生"};
constexpr std::string_view kAges[] = {
    "age", "birthday", "birth year", "past age", "birthday celebrated", "turning age"};
constexpr std::string_view kWorkWords[] = {
    "job",     "work",         "working",  "career",     "boss",      "colleague*", "coworker*",
    "office",  "company",      "employer", "profession", "interview", "resume",     "promotion",
    "commute", "professional", "industry", "field",      "工作",      "上班",       "公司",
    "同事",    "老板",         "职业",     "职位",       "面试",      "简历"};
constexpr std::string_view kWork[] = {"job", "employer", "field of work", "workplace"};
constexpr std::string_view kHomeWords[] = {
    "live",          "living",      "home",     "apartment", "house", "address", "neighborhood",
    "neighbourhood", "city",        "hometown", "moved",     "move",  "weekend", "nearby",
    "local",         "around here", "near me",  "住",        "家",    "地址",    "搬",
    "附近",          "老家",        "周末",     "本地"};
constexpr std::string_view kHome[] = {"home", "address", "housing", "hometown", "birthplace"};
constexpr std::string_view kStudyWords[] = {
    "degree", "graduat*", "college", "university", "school",  "major",  "studied",
    "study",  "studying", "course*", "class",      "classes", "learn*", "language*",
    "毕业",   "大学",     "学校",    "专业",       "学习",    "课程",   "学"};
constexpr std::string_view kStudies[] = {"school", "degree", "studies", "learning", "language"};
constexpr std::string_view kFoodWords[] = {
    "recipe*", "cook*",    "dinner", "lunch",       "breakfast", "brunch",  "restaurant*",
    "snack*",  "meal*",    "eat",    "eating",      "dish*",     "drink*",  "bak*",
    "cake*",   "dessert*", "food*",  "ingredient*", "cuisine",   "kitchen", "cocktail*",
    "coffee",  "吃",       "菜",     "餐厅",        "零食",      "做饭",    "喝",
    "饭",      "早餐",     "午餐",   "晚餐",        "蛋糕",      "食物",    "火锅"};
constexpr std::string_view kFood[] = {"allergy", "diet", "avoids", "condition"};
constexpr std::string_view kTastesOf[] = {"likes", "dislikes", "hobby"};
constexpr std::string_view kHealthWords[] = {
    "exercise*", "workout*", "yoga",        "fitness",  "sleep",  "health*",  "weight",
    "diet",      "allerg*",  "medication*", "medicine", "doctor", "symptom*", "pain",
    "gym",       "运动",     "健身",        "减肥",     "睡眠",   "健康",     "过敏",
    "药",        "医生",     "锻炼",        "身体"};
constexpr std::string_view kHealth[] = {"condition", "medication", "allergy",
                                        "diet",      "hobby",      "blood type"};
constexpr std::string_view kTripWords[] = {
    "trip*",   "travel*",   "vacation*",    "holiday*", "hotel*",      "visit*",
    "flight*", "itinerary", "destination*", "tour*",    "sightseeing", "旅行",
    "旅游",    "酒店",      "度假",         "出差",     "景点",        "机票"};
constexpr std::string_view kTrip[] = {"plan", "home", "hobby"};
constexpr std::string_view kShowWords[] = {
    "movie*",   "film*",      "show*",       "series", "book*", "read*",   "music", "song*",
    "podcast*", "game*",      "concert*",    "watch*", "play*", "evening", "hobby", "hobbies",
    "activity", "activities", "documentar*", "event*", "电影",  "书",      "音乐",  "歌",
    "电视剧",   "游戏",       "演唱会",      "看",     "爱好",  "节目",    "活动"};
constexpr std::string_view kShow[] = {"hobby", "language", "instrument"};
constexpr std::string_view kDeviceWords[] = {
    "phone*", "laptop*", "computer*", "camera*", "photo*",     "accessor*", "charger*", "lens*",
    "app",    "apps",    "battery",   "tablet*", "headphone*", "tech",      "gadget*",  "手机",
    "电脑",   "相机",    "配件",      "耳机",    "充电",       "平板",      "拍照",     "摄影"};
constexpr std::string_view kDevices[] = {"phone", "computer", "camera", "device"};
constexpr std::string_view kCarWords[] = {"car",     "cars",     "drive*", "driving",
                                          "tire*",   "vehicle*", "bike*",  "motorcycle*",
                                          "parking", "车",       "轮胎",   "自驾"};
constexpr std::string_view kCars[] = {"car", "vehicle"};
constexpr std::string_view kPetWords[] = {"dog*",  "cat",     "cats",    "pet", "pets",
                                          "puppy", "kitten*", "animal*", "vet", "猫",
                                          "狗",    "宠物",    "兔"};
constexpr std::string_view kPets[] = {"pet"};
constexpr std::string_view kMusicWords[] = {"guitar*", "piano*",   "violin*",  "instrument*",
                                            "drum*",   "practice", "practise", "吉他",
                                            "钢琴",    "乐器",     "琴"};
constexpr std::string_view kMusic[] = {"instrument", "learning"};
constexpr std::string_view kLoveWords[] = {
    "married",    "marry",     "wedding", "anniversary", "wife", "husband", "partner",
    "girlfriend", "boyfriend", "date",    "dating",      "结婚", "老婆",    "老公",
    "女朋友",     "男朋友",    "纪念日",  "约会",        "婚礼"};
constexpr std::string_view kLove[] = {"relationship", "partner", "anniversary",
                                      "wife",         "husband", "girlfriend",
                                      "boyfriend",    "fiancé",  "fiancée"};
constexpr std::string_view kKinWords[] = {"family",   "kid",     "kids",      "child", "children",
                                          "sibling*", "parents", "relatives", "家人",  "孩子",
                                          "家庭",     "父母",    "兄弟姐妹"};
constexpr std::string_view kKin[] = {
    "child",  "son",    "daughter",     "sibling",        "sister",        "brother",
    "mother", "father", "older sister", "younger sister", "older brother", "younger brother"};
constexpr std::string_view kHouseWords[] = {
    "decorat*", "furniture", "garden*",  "plant*", "room", "living room",
    "bedroom",  "organiz*",  "organis*", "clean*", "装修", "家具",
    "植物",     "花园",      "卧室",     "客厅",   "收纳"};
constexpr std::string_view kHouse[] = {"housing", "belonging"};

const Topic kTopics[] = {
    {kAgeWords, kAges, 1.0},
    {kWorkWords, kWork, 0.6},
    {kHomeWords, kHome, 0.55},
    {kStudyWords, kStudies, 0.6},
    {kFoodWords, kFood, 0.85},
    {kFoodWords, kTastesOf, 0.35, false},
    {kHealthWords, kHealth, 0.8},
    {kTripWords, kTrip, 0.5, false},
    {kTripWords, kTastesOf, 0.3, false},
    {kShowWords, kTastesOf, 0.4, false},
    {kShowWords, kShow, 0.4, false},
    {kDeviceWords, kDevices, 0.75},
    {kCarWords, kCars, 0.75},
    {kPetWords, kPets, 0.75},
    {kMusicWords, kMusic, 0.7},
    {kLoveWords, kLove, 0.7},
    {kKinWords, kKin, 0.6},
    {kHouseWords, kHouse, 0.6},
};

constexpr std::string_view kRequests[] = {
    "suggest",     "recommend",   "recommendation", "recommendations",
    "suggestion",  "suggestions", "ideas",          "advice",
    "tips",        "should i",    "any good",       "help me",
    "looking for", "what to",     "gift",           "present",
    "could i",     "can i",       "would suit",     "good for me",
    "推荐",        "建议",        "有什么好",       "帮我",
    "送什么",      "吃什么",      "去哪",           "看什么",
    "礼物",        "适合我",      "适合",           "怎么办",
    "选哪",        "出主意",      "玩什么",         "做什么"};
constexpr std::string_view kGiftWords[] = {"gift", "gifts",  "present", "presents",
                                           "礼物", "送什么", "送给"};

// Relations that the question names: "my grandma", 我妹妹. Of "older sister" the base, too.
std::set<std::string> RelationsIn(std::string_view lower) {
  std::set<std::string> relations;
  for (const auto& [word, filed] : words::kRelationWords) {
    if (HasWord(lower, word)) relations.insert(std::string(filed));
  }
  for (const auto& [word, filed] : words::kPluralRelations) {
    if (HasWord(lower, word)) relations.insert(std::string(filed));
  }
  for (const auto& [word, filed] : words::kChineseRelations) {
    if (lower.find(word) != lower.npos) relations.insert(std::string(filed));
  }
  if (relations.contains("mother") && relations.contains("father")) relations.insert("parents");
  return relations;
}

bool IsRelation(std::string_view attribute, const std::set<std::string>& relations) {
  return std::any_of(relations.begin(), relations.end(), [&](const std::string& relation) {
    return attribute == relation ||
           (attribute.size() > relation.size() && attribute.ends_with(relation) &&
            attribute[attribute.size() - relation.size() - 1] == ' ') ||
           (relation.ends_with(attribute) && relation.size() > attribute.size() &&
            relation[relation.size() - attribute.size() - 1] == ' ');
  });
}

struct Asked {
  std::map<std::string, double, std::less<>> attributes;  // And how much each is presupposed.
  bool request = false;
  bool gift = false;
  Terms terms;
  std::vector<std::string> families;  // "favourite ", "price of ": attributes that begin so.
  std::string_view occasion;          // "in the morning"
};

constexpr double kState = 0.95;  // The question asks for the state itself.

Asked ReadAsked(std::string_view text, std::string_view lower,
                const std::set<std::string>& relations) {
  Asked asked;
  asked.terms = TermsOf(text);
  asked.request = HasAnyWord(lower, kRequests);
  asked.gift = HasAnyWord(lower, kGiftWords);
  for (const Topic& topic : kTopics) {
    if (!topic.asked && !asked.request) continue;
    if (!HasAnyWord(lower, topic.words)) continue;
    for (std::string_view attribute : topic.attributes) {
      double& weight = asked.attributes[std::string(attribute)];
      weight = std::max(weight, topic.weight);
    }
  }
  // The state itself is asked for: "who do I work for", 我一年挣多少.
  for (std::string& state : StatesAskedIn(lower)) {
    if (state.ends_with('*')) {
      state.pop_back();
      asked.families.push_back(std::move(state));
    } else {
      asked.attributes[state] = kState;
      // A street is a home, too, and who asks for the one wants the other.
      if (state == "address") asked.attributes["home"] = std::max(asked.attributes["home"], 0.7);
    }
  }
  // "Where are Mum and Dad at present?"
  if (!relations.empty() && lower.starts_with("where ")) asked.attributes["home"] = kState;
  asked.occasion = OccasionOf(lower);
  return asked;
}

// How much a fact counts for when it held.
double ShareOfState(const Fact& fact, const AskedState& state) {
  constexpr double kClosed = 0.6, kOtherTime = 0.3;
  if (state.what == AskedState::What::kFirst) return 1;
  if (state.what != AskedState::What::kThen) {
    return fact.state == FactState::kClosed ? kClosed : 1;
  }
  const bool began = fact.valid_from_ms < state.at_ms;
  const bool ended = fact.valid_to_ms.has_value() && *fact.valid_to_ms < state.at_ms;
  return began && !ended ? 1 : kOtherTime;
}

// "our landlord", "my favourite restaurant": the question names the attribute itself.
bool NamesAttribute(const Fact& fact, const Asked& asked) {
  const Terms terms = TermsOf(fact.attribute);
  return !terms.empty() && Shared(terms, asked.terms) == terms.size();
}

// "favourite restaurant", "best time over 10 km": how far the question names this one of its kind.
double WeightInFamily(const Fact& fact, const Asked& asked) {
  constexpr double kAny = 0.4, kNamed = 0.55, kOccasion = 0.3;
  for (const std::string& family : asked.families) {
    if (!fact.attribute.starts_with(family)) continue;
    const Terms terms = TermsOf(std::string_view(fact.attribute).substr(family.size()));
    const double share = terms.empty() ? 0
                                       : static_cast<double>(Shared(terms, asked.terms)) /
                                             static_cast<double>(terms.size());
    const std::string_view occasion = OccasionOf(fact.attribute);
    double weight = kAny + kNamed * share;
    if (!occasion.empty()) weight += occasion == asked.occasion ? kOccasion : -kOccasion;
    return std::clamp(weight, 0.0, 0.95);
  }
  return 0;
}

// The question asks for this state itself, and not only for what hangs on it.
bool AsksForState(const Fact& fact, const Asked& asked) {
  constexpr double kMeant = 0.8;
  const auto at = asked.attributes.find(fact.attribute);
  if (at != asked.attributes.end() && at->second >= kState) return true;
  return WeightInFamily(fact, asked) >= kMeant;
}

// How much the question presupposes this fact.
double WeightOf(const Fact& fact, const Asked& asked, const AskedState& state, bool of_relation) {
  double weight = 0;
  if (const auto at = asked.attributes.find(fact.attribute); at != asked.attributes.end()) {
    weight = at->second;
  }
  if (NamesAttribute(fact, asked)) weight = std::max(weight, 0.9);
  weight = std::max(weight, WeightInFamily(fact, asked));
  const bool taste = fact.kind == "tastes";
  if (asked.request && taste && asked.attributes.contains("likes")) weight = std::max(weight, 0.3);
  // "a gift for my sister": whatever is known of her.
  if (asked.gift && of_relation) {
    weight = std::max(weight, taste ? 0.9 : fact.kind == "plans" ? 0.4 : 0.6);
  }
  // What the fact itself says comes up in the question.
  // Terms are stems: few values have the beginning of one of the question's at all.
  const std::string lower = ToLowerUtf8(fact.value);
  const bool may_share = std::any_of(
      asked.terms.begin(), asked.terms.end(),
      [&](const std::string& term) { return lower.find(term.substr(0, 3)) != std::string::npos; });
  const Terms terms = may_share ? TermsOf(fact.value) : Terms();
  const std::size_t shared = Shared(terms, asked.terms);
  if (!terms.empty() && shared > 0) {
    const double share = static_cast<double>(shared) / static_cast<double>(terms.size());
    weight = std::max(weight, 0.45 * share) + 0.3 * share;
  }
  if (weight <= 0) return 0;
  weight *= 0.5 + 0.5 * fact.confidence;
  weight *= ShareOfState(fact, state);
  if (fact.kind == "plans") weight *= 0.8;
  return std::min(weight, 1.0);
}

// "my parents", and nothing of "I": what is asked for is theirs alone.
bool OnlyOfRelations(std::string_view lower, const std::set<std::string>& relations) {
  if (relations.empty()) return false;
  for (const std::string_view self : {"i", "we", "me", "us", "am", "i'm", "we're"}) {
    if (FindWord(lower, self) != lower.npos) return false;
  }
  // 我爸妈; but 我和爸妈, 我比妹妹.
  for (auto at = lower.find("我"); at != lower.npos; at = lower.find("我", at + 3)) {
    std::string_view after = lower.substr(at + 3);
    for (const std::string_view of : {"们", "的", "家"}) {
      if (after.starts_with(of)) after.remove_prefix(of.size());
    }
    const bool kin = std::ranges::any_of(words::kChineseRelations, [&](const words::Pair& pair) {
      return after.starts_with(pair.first);
    });
    if (!kin) return false;
  }
  return true;
}

// Whether what the fact tells held when the question asks, among those of one state.
int HeldThen(const Fact& fact, const AskedState& state, std::int64_t first_ms) {
  switch (state.what) {
    case AskedState::What::kThen:
      return fact.valid_from_ms < state.at_ms &&
                     (!fact.valid_to_ms || *fact.valid_to_ms >= state.at_ms)
                 ? 1
                 : -1;
    case AskedState::What::kNow:
      return fact.state == FactState::kClosed ? -1 : 1;
    case AskedState::What::kFirst:
      return fact.valid_from_ms == first_ms ? 1 : -1;
    case AskedState::What::kNone:
      return 0;
  }
  return 0;
}

}  // namespace

Result<std::vector<ProfileSource>> ProfileSourcesFor(const Store& store,
                                                     const ProfileQuestion& question) {
  const std::string_view text = TruncateUtf8(question.text, 4'000);
  const std::string lower = ToLowerUtf8(text);
  LIUBAI_ASSIGN_OR_RETURN(std::vector<std::string> known,
                          store.FactSubjects(false, question.tenant));
  if (known.size() > kMostSubjects) known.resize(kMostSubjects);
  const std::set<std::string> relations = RelationsIn(lower);
  const Asked asked = ReadAsked(text, lower, relations);
  const bool only_relations = OnlyOfRelations(lower, relations);

  // Of whom the question speaks: who asks, those it names, and theirs.
  std::map<std::string, bool> subjects;  // And whether it is a relation's.
  std::vector<std::string> owners;
  for (const std::string& name : known) {
    if (name.find("'s ") == std::string::npos && name != "User" && name != "Assistant" &&
        HasWord(lower, ToLowerUtf8(name))) {
      owners.push_back(name);
    }
  }
  // A suggestion that names nobody is for the one who asks.
  if (CountFirstPerson(text) > 0 || ((asked.request || !relations.empty()) && owners.empty())) {
    if (!question.asker.empty()) {
      owners.push_back(question.asker);
    } else {
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::string> self,
                              store.FactSubjects(true, question.tenant));
      owners.insert(owners.end(), self.begin(), self.end());
    }
  }
  for (const std::string& owner : owners) subjects.emplace(owner, false);
  if (!relations.empty()) {
    for (const std::string& owner : owners) {
      for (const std::string& name : known) {
        const std::string prefix = owner + "'s ";
        if (!name.starts_with(prefix)) continue;
        // "my parents" are not those of "my colleague".
        const std::string relation = name.substr(prefix.size());
        const auto of = relation.find("'s ");
        if (of != relation.npos && !IsRelation(relation.substr(0, of), relations)) continue;
        if (IsRelation(relation, relations)) subjects[name] = true;
      }
      FactFilter filter;
      filter.tenant = question.tenant;
      filter.subject = owner;
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<Fact> facts, store.FindFacts(filter));
      for (const Fact& fact : facts) {
        if (IsRelation(fact.attribute, relations)) subjects[fact.value] = true;
      }
    }
  }

  std::map<TurnId, ProfileSource> sources;
  std::set<std::string> states;  // Those of the asked that somebody has.
  for (const auto& [subject, of_relation] : subjects) {
    FactFilter filter;
    filter.tenant = question.tenant;
    filter.subject = subject;
    filter.history = true;
    LIUBAI_ASSIGN_OR_RETURN(std::vector<Fact> facts, store.FindFacts(filter));
    if (facts.size() > kMostFacts) {
      facts.erase(facts.begin(), facts.end() - static_cast<std::ptrdiff_t>(kMostFacts));
    }
    // The beginning of each state; what somebody else's question asks for is none of theirs.
    std::map<std::string_view, std::int64_t> began;
    if (of_relation || !only_relations) {
      for (const Fact& fact : facts) {
        if (fact.state == FactState::kWrong || !AsksForState(fact, asked)) continue;
        const auto [at, fresh] = began.emplace(fact.attribute, fact.valid_from_ms);
        states.insert(fact.attribute);
        if (!fresh) at->second = std::min(at->second, fact.valid_from_ms);
      }
    }
    for (const Fact& fact : facts) {
      if (fact.state == FactState::kWrong) continue;
      if (FactKindOf(fact.attribute).empty() && !NamesAttribute(fact, asked)) continue;
      double weight = WeightOf(fact, asked, question.state, of_relation);
      // The relation's name is wanted wherever the relation is.
      if (!of_relation && IsRelation(fact.attribute, relations)) weight = std::max(weight, 0.6);
      const bool theirs = !of_relation && only_relations && !IsRelation(fact.attribute, relations);
      if (theirs) weight *= 0.6;
      if (weight < 0.15) continue;
      const auto state = began.find(fact.attribute);
      const int held = state == began.end() ? 0 : HeldThen(fact, question.state, state->second);
      for (const TurnId turn : fact.sources) {
        ProfileSource& source = sources[turn];
        // One turn may tell of two states, of which one held.
        if (held != 0) source.held = std::max(held, source.held == 0 ? held : source.held);
        if (weight <= source.weight) continue;
        source.turn = turn;
        source.weight = weight;
        source.reason = fmt::format("{} of {}: {}", fact.attribute, fact.subject, fact.value);
      }
    }
  }
  std::vector<ProfileSource> list;
  for (auto& [turn, source] : sources) list.push_back(std::move(source));
  // Of equal weights the later turn is nearer to what holds.
  std::sort(list.begin(), list.end(), [](const ProfileSource& a, const ProfileSource& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.turn > b.turn;
  });
  if (list.size() > static_cast<std::size_t>(std::max(question.most, 0))) {
    list.resize(static_cast<std::size_t>(std::max(question.most, 0)));
  }
  if (!question.others || question.state.what == AskedState::What::kNone) return list;
  // A neighbour's rent shares every word with one's own.
  constexpr std::size_t kMostStates = 3;
  std::size_t looked = 0;
  for (const std::string& attribute : states) {
    if (++looked > kMostStates) break;
    FactFilter filter;
    filter.tenant = question.tenant;
    filter.attribute = attribute;
    filter.history = true;
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Fact> facts, store.FindFacts(filter));
    for (const Fact& fact : facts) {
      const auto asked_of = subjects.find(fact.subject);
      if (asked_of != subjects.end() && (asked_of->second || !only_relations)) continue;
      for (const TurnId turn : fact.sources) {
        const auto [at, fresh] = sources.try_emplace(turn);
        if (fresh) list.push_back({turn, {}, 0, -1});
      }
    }
  }
  return list;
}

}  // namespace liubai::memory
