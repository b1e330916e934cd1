#include "memory/fact_states.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "memory/facts_read.h"
#include "memory/facts_words.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {
namespace {

using words::Has;
using words::Pair;

using List = const std::string_view;

List kEmployer[] = {"employer", "company", "firm", "workplace", "公司", "单位", "东家", "雇主"};
List kEmployerAsks[] = {"work for",    "work at",     "working for", "working at", "employ me",
                        "employed by", "employed at", "employs me",  "my job at",  "哪里上班",
                        "在哪上班",    "哪儿上班",    "哪里工作",    "在哪工作",   "哪儿工作",
                        "哪家公司",    "什么公司",    "谁家上班",    "哪个单位",   "任职",
                        "在哪里任职",  "哪家企业"};
List kJob[] = {"job title", "position", "role", "职位", "职务", "岗位", "头衔"};
List kJobAsks[] = {
    "what do i do for a living", "work as", "my job", "做什么工作", "什么工作", "职业"};
List kSalary[] = {"salary", "income",     "monthly pay", "take-home pay", "wage",
                  "wages",  "yearly pay", "earnings",    "paycheck",      "annual salary",
                  "年薪",   "月薪",       "工资",        "薪水",          "收入",
                  "薪资",   "待遇",       "年收入",      "月收入"};
List kSalaryAsks[] = {"earn",        "earning",  "make a year", "make a month",
                      "paid a year", "pay me",   "get paid",    "一年挣",
                      "一个月挣",    "每月挣",   "挣多少",      "赚多少",
                      "一年赚",      "一个月赚", "拿多少钱",    "挣几"};
List kCommute[] = {"commute",      "way to work",     "way to the office", "route to work",
                   "trip to work", "journey to work", "way into work",     "通勤",
                   "通勤方式",     "上班方式",        "上班的方式",        "上班路上"};
List kCommuteAsks[] = {"get to work",     "go to work", "travel to work", "to the office",
                       "getting to work", "去上班",     "怎么上班",       "去公司",
                       "上下班",          "如何上班"};
List kAddress[] = {"address", "home address", "street address", "地址",
                   "住址",    "家庭住址",     "门牌号"};
List kAddressAsks[] = {"which street",
                       "what street",
                       "street and number",
                       "house number",
                       "where do we live",
                       "where do i live",
                       "where did we live",
                       "where did i live",
                       "were we living",
                       "was i living",
                       "我们住在哪",
                       "我住在哪",
                       "我住哪",
                       "我们住哪",
                       "哪条路",
                       "哪条街",
                       "几号楼",
                       "住在什么地方",
                       "家在哪"};
List kRent[] = {"rent", "monthly rent", "房租", "租金"};
List kRentAsks[] = {"pay for the flat", "pay for the apartment", "交多少租", "租房子花"};
List kTeam[] = {"team", "department", "crew", "团队", "小组", "部门", "我们组", "我组", "组"};
List kTeamAsks[] = {"report to me", "people do i lead", "people do i manage",
                    "手下有多少",   "手下有几",         "带多少人",
                    "带几个人",     "管多少人",         "管几个人"};
List kLandlord[] = {"landlord", "landlady", "房东"};
List kLandlordAsks[] = {"own our flat", "rent from", "租谁的"};
List kDoctor[] = {"doctor", "gp", "family doctor", "physician", "家庭医生", "主治医生"};
List kDentist[] = {"dentist", "牙医"};
List kTherapist[] = {"therapist", "psychologist", "心理医生", "心理咨询师"};
List kBoss[] = {"boss", "manager", "line manager", "supervisor", "老板",
                "领导", "上司",    "主管",         "顶头上司"};
List kBossAsks[] = {"report to", "谁管我"};
List kHairdresser[] = {"hairdresser", "barber", "理发师", "发型师"};
List kVet[] = {"vet", "兽医"};
List kGym[] = {"gym", "fitness studio", "fitness club", "climbing gym", "健身房", "健身馆"};
List kGymAsks[] = {"work out", "where do i train", "在哪健身", "哪里健身", "哪家健身"};
List kBank[] = {"bank", "银行", "开户行", "工资卡"};
List kBankAsks[] = {"bank with", "bank at", "哪家银行"};
List kEmail[] = {"e-mail", "email",    "e-mail address", "email address", "mail address",
                 "邮箱",   "电子邮箱", "邮箱地址",       "邮件地址"};
List kPhone[] = {"phone number", "mobile number", "cell number", "telephone number",
                 "mobile",       "手机号",        "手机号码",    "电话号码",
                 "电话",         "联系电话",      "电话号"};
List kWifi[] = {"wifi password", "wi-fi password", "wifi key",         "wifi code",
                "wi-fi key",     "wlan password",  "network password", "router password",
                "无线网密码",    "wifi密码",       "wi-fi密码",        "无线密码",
                "网络密码",      "无线网的密码",   "wifi的密码"};
List kWifiAsks[] = {"into our wifi",  "into the wifi", "on our wifi", "join our wifi",
                    "连我们的无线网", "连无线网",      "连wifi",      "连我们家wifi"};
List kDoor[] = {"door code",     "gate code",   "entry code", "building code", "front door code",
                "entrance code", "keypad code", "door pin",   "门禁密码",      "大门密码",
                "门密码",        "门锁密码",    "门禁码",     "大门的密码",    "开门密码"};
List kDoorAsks[] = {"at our front door",
                    "at the front door",
                    "into our building",
                    "open the front door",
                    "大门要按",
                    "大门按什么",
                    "进楼",
                    "进门按"};
List kAlarm[] = {"alarm code", "警报密码", "报警器密码"};
List kLocker[] = {"locker code", "locker combination", "储物柜密码", "柜子密码"};
List kPasscode[] = {"phone passcode", "phone pin", "锁屏密码", "手机密码"};
List kHomeAsks[] = {"which town", "what town",   "which city", "what city",         "which country",
                    "where do",   "where does",  "where did",  "where am i living", "哪个城市",
                    "哪座城市",   "什么城市",    "在哪里生活", "在哪生活",          "住在哪",
                    "住哪",       "住在什么地方"};
List kHometown[] = {"hometown", "home town", "老家", "家乡"};
List kSchool[] = {"university", "college", "alma mater", "母校"};

const DailyState kStates[] = {
    {"employer", StateValue::kOrganisation, kEmployer, kEmployerAsks},
    {"job", StateValue::kJob, kJob, kJobAsks},
    {"salary", StateValue::kMoney, kSalary, kSalaryAsks},
    {"commute", StateValue::kWay, kCommute, kCommuteAsks},
    {"address", StateValue::kAddress, kAddress, kAddressAsks},
    {"home", StateValue::kPlace, {}, kHomeAsks},
    {"rent", StateValue::kMoney, kRent, kRentAsks, true},
    {"team size", StateValue::kCount, kTeam, kTeamAsks},
    {"landlord", StateValue::kPerson, kLandlord, kLandlordAsks, true},
    {"doctor", StateValue::kPerson, kDoctor, {}},
    {"dentist", StateValue::kPerson, kDentist, {}},
    {"therapist", StateValue::kPerson, kTherapist, {}},
    {"boss", StateValue::kPerson, kBoss, kBossAsks},
    {"hairdresser", StateValue::kPerson, kHairdresser, {}},
    {"vet", StateValue::kPerson, kVet, {}},
    {"gym", StateValue::kOrganisation, kGym, kGymAsks},
    {"bank", StateValue::kOrganisation, kBank, kBankAsks},
    {"e-mail", StateValue::kContact, kEmail, {}},
    {"phone number", StateValue::kContact, kPhone, {}},
    {"wifi password", StateValue::kCode, kWifi, kWifiAsks, true},
    {"door code", StateValue::kCode, kDoor, kDoorAsks, true},
    {"alarm code", StateValue::kCode, kAlarm, {}, true},
    {"locker code", StateValue::kCode, kLocker, {}},
    {"phone passcode", StateValue::kCode, kPasscode, {}},
    {"hometown", StateValue::kPlace, kHometown, {}},
    {"school", StateValue::kOrganisation, kSchool, {}},
};

// "my team" names it, "our team won" does not ask for it: these need a word of what is asked.
bool AsksForMore(std::string_view attribute, std::string_view lower) {
  if (attribute == "team size") {
    return HasAnyWord(
        lower, std::initializer_list<std::string_view>{"how many", "how large", "how big", "size",
                                                       "多少", "几个", "几人", "多大", "人数"});
  }
  if (attribute == "home" && FindWord(lower, "where") != lower.npos) {
    return HasAnyWord(lower, std::initializer_list<std::string_view>{"live", "living", "lived"});
  }
  return true;
}

}  // namespace

std::span<const DailyState> DailyStates() { return kStates; }

const DailyState* DailyStateOf(std::string_view attribute) {
  const auto* const at = std::ranges::find(kStates, attribute, &DailyState::attribute);
  return at == std::end(kStates) ? nullptr : at;
}

std::string_view CodeOf(std::string_view lower) {
  static constexpr Pair kOf[] = {
      {"wifi", "wifi password"},   {"wi-fi", "wifi password"}, {"wlan", "wifi password"},
      {"router", "wifi password"}, {"无线", "wifi password"},  {"路由", "wifi password"},
      {"网络", "wifi password"},   {"alarm", "alarm code"},    {"报警", "alarm code"},
      {"警报", "alarm code"},      {"locker", "locker code"},  {"储物柜", "locker code"},
      {"柜子", "locker code"},     {"手机", "phone passcode"}, {"锁屏", "phone passcode"},
      {"phone", "phone passcode"}, {"door", "door code"},      {"gate", "door code"},
      {"building", "door code"},   {"entrance", "door code"},  {"garage", "door code"},
      {"门", "door code"},         {"楼下", "door code"}};
  for (const auto& [word, attribute] : kOf) {
    if (HasWord(lower, word)) return attribute;
  }
  return {};
}

std::string DistanceOf(std::string_view lower) {
  if (HasAnyWord(lower, std::initializer_list<std::string_view>{"half marathon", "half-marathon",
                                                                "半马", "半程马拉松"})) {
    return "half marathon";
  }
  if (HasAnyWord(lower, std::initializer_list<std::string_view>{"marathon", "全马", "马拉松"})) {
    return "marathon";
  }
  static constexpr Pair kUnits[] = {{"kilometres", "km"}, {"kilometers", "km"}, {"kilometre", "km"},
                                    {"kilometer", "km"},  {"km", "km"},         {"k", "km"},
                                    {"公里", "km"},       {"千米", "km"},       {"miles", "miles"},
                                    {"mile", "miles"},    {"英里", "miles"},    {"metres", "m"},
                                    {"meters", "m"},      {"metre", "m"},       {"meter", "m"},
                                    {"m", "m"},           {"米", "m"}};
  for (const auto& [unit, filed] : kUnits) {
    const bool chinese = static_cast<unsigned char>(unit[0]) >= 0x80;
    for (auto at = lower.find(unit); at != lower.npos; at = lower.find(unit, at + 1)) {
      const std::size_t end = at + unit.size();
      if (!chinese && end < lower.size() && IsAsciiWord(static_cast<unsigned char>(lower[end]))) {
        continue;
      }
      std::string_view before = lower.substr(0, at);
      while (before.ends_with(' ') || before.ends_with('-')) before.remove_suffix(1);
      std::size_t begin = before.size();
      const auto digit = [&](std::size_t i) {
        return IsAsciiDigit(static_cast<unsigned char>(before[i])) || before[i] == '.';
      };
      while (begin > 0 && digit(begin - 1)) --begin;
      if (begin < before.size()) return fmt::format("{} {}", before.substr(begin), filed);
      if (unit.size() == 1) continue;  // "k", "m" stand at digits.
      if (chinese) {
        while (begin >= 3 && IsChineseNumeral(DecodeUtf8(before, begin - 3).value)) begin -= 3;
      } else {
        begin = before.rfind(' ') == before.npos ? 0 : before.rfind(' ') + 1;
      }
      const std::string_view word = before.substr(begin);
      const int number = word.empty() ? -1 : SmallNumber(word);
      if (number > 0) return fmt::format("{} {}", number, filed);
    }
  }
  return {};
}

bool IsDrink(std::string_view lower) {
  static constexpr std::string_view kDrinks[] = {
      "drink",      "drinks",     "beverage",  "coffee",    "tea",      "espresso", "latte",
      "cappuccino", "flat white", "americano", "macchiato", "mocha",    "cocoa",    "juice",
      "smoothie",   "beer",       "wine",      "milk",      "chai",     "matcha",   "lemonade",
      "soda",       "water",      "whisky",    "gin",       "cider",    "kombucha", "mate",
      "饮料",       "喝",         "茶",        "咖啡",      "拿铁",     "浓缩",     "牛奶",
      "豆浆",       "果汁",       "可可",      "美式",      "卡布奇诺", "啤酒",     "红酒",
      "白开水",     "普洱",       "龙井",      "奶昔",      "豆奶"};
  return HasAnyWord(lower, kDrinks);
}

std::string_view OccasionOf(std::string_view lower) {
  static constexpr Pair kOccasions[] = {{"in the morning", "in the morning"},
                                        {"in the mornings", "in the morning"},
                                        {"morning", "in the morning"},
                                        {"mornings", "in the morning"},
                                        {"for breakfast", "in the morning"},
                                        {"breakfast", "in the morning"},
                                        {"in the evening", "in the evening"},
                                        {"evening", "in the evening"},
                                        {"evenings", "in the evening"},
                                        {"at night", "in the evening"},
                                        {"for lunch", "at lunch"},
                                        {"lunch", "at lunch"},
                                        {"for dinner", "at dinner"},
                                        {"dinner", "at dinner"},
                                        {"at work", "at work"},
                                        {"for work", "at work"},
                                        {"working", "at work"},
                                        {"work", "at work"},
                                        {"while i work", "at work"},
                                        {"weekend", "at weekends"},
                                        {"weekends", "at weekends"},
                                        {"running", "when running"},
                                        {"while driving", "when driving"},
                                        {"cooking", "when cooking"},
                                        {"studying", "when studying"},
                                        {"in summer", "in summer"},
                                        {"in winter", "in winter"},
                                        {"早上", "in the morning"},
                                        {"早晨", "in the morning"},
                                        {"早餐", "in the morning"},
                                        {"晚上", "in the evening"},
                                        {"晚间", "in the evening"},
                                        {"午饭", "at lunch"},
                                        {"午餐", "at lunch"},
                                        {"晚饭", "at dinner"},
                                        {"晚餐", "at dinner"},
                                        {"工作", "at work"},
                                        {"上班", "at work"},
                                        {"干活", "at work"},
                                        {"周末", "at weekends"},
                                        {"跑步", "when running"},
                                        {"开车", "when driving"},
                                        {"做饭", "when cooking"},
                                        {"学习", "when studying"},
                                        {"夏天", "in summer"},
                                        {"冬天", "in winter"}};
  for (const auto& [word, occasion] : kOccasions) {
    if (HasWord(lower, word)) return occasion;
  }
  return {};
}

std::vector<std::string> StatesAskedIn(std::string_view lower) {
  std::vector<std::string> asked;
  for (const DailyState& state : kStates) {
    const bool more = AsksForMore(state.attribute, lower);
    const bool asks = HasAnyWord(lower, state.asks);
    // "people do I manage" asks by itself; "where did" only with "live".
    if (more ? asks || HasAnyWord(lower, state.names) : asks && state.attribute != "home") {
      asked.emplace_back(state.attribute);
    }
  }
  if (HasAnyWord(lower, std::initializer_list<std::string_view>{"code", "password", "pin", "密码",
                                                                "combination"})) {
    const std::string_view code = CodeOf(lower);
    if (!code.empty() && std::ranges::find(asked, code) == asked.end()) asked.emplace_back(code);
  }
  static constexpr std::string_view kMost[] = {
      "favourite", "favorite",    "like best",     "like most",   "prefer",   "preferred",
      "go-to",     "best of all", "of choice",     "listen to",   "最喜欢",   "最爱",
      "偏爱",      "更喜欢",      "最常",          "喜欢喝",      "喜欢听",   "喜欢吃",
      "听什么",    "喝什么",      "like to drink", "like to eat", "eat best", "爱喝",
      "爱听",      "爱吃",        "usually drink"};
  if (HasAnyWord(lower, kMost)) asked.emplace_back("favourite *");
  static constexpr std::string_view kPrices[] = {"subscription", "membership", "a month",
                                                 "each month",   "每月",       "每个月",
                                                 "会员",         "订阅",       "月费"};
  if (HasAnyWord(lower, kPrices)) asked.emplace_back("price of *");
  static constexpr std::string_view kBest[] = {
      "best time", "personal best", "record", "pb",   "how fast", "fastest",
      "最好成绩",  "最快",          "纪录",   "记录", "多快",     "最佳成绩"};
  if (HasAnyWord(lower, kBest)) asked.emplace_back("best time over *");
  return asked;
}

}  // namespace liubai::memory
