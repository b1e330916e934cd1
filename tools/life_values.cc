#include "tools/life_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "memory/month_names.h"

namespace liubai::tools {

// Made from tools/life/*.json by the build.
extern const char kLifeEnglish[];
extern const char kLifeChinese[];

namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::sys_time;
using std::chrono::year_month_day;

year_month_day DayOf(std::int64_t time_ms) {
  return year_month_day(std::chrono::floor<days>(sys_time<milliseconds>(milliseconds(time_ms))));
}

// REQUIRES: amount < 1,000,000.
std::string Grouped(int amount) {
  return amount < 1000 ? std::to_string(amount)
                       : fmt::format("{},{:03}", amount / 1000, amount % 1000);
}

// The numbers of "money:30:2900".
std::pair<int, int> RangeOf(std::string_view spec) {
  const std::size_t first = spec.find(':'), second = spec.find(':', first + 1);
  return {std::stoi(std::string(spec.substr(first + 1, second - first - 1))),
          std::stoi(std::string(spec.substr(second + 1)))};
}

std::string Code(std::string_view pattern, LifeRandom& random) {
  std::string code;
  for (const char c : pattern) {
    if (c == 'A') {
      code += static_cast<char>('A' + random.Below(26));
    } else if (c == 'a') {
      code += static_cast<char>('a' + random.Below(26));
    } else if (c == '0') {
      code += static_cast<char>('0' + random.Below(10));
    } else {
      code += c;
    }
  }
  return code;
}

std::string Ordinal(unsigned number) {
  const unsigned last = number % 10;
  const bool teen = number / 10 == 1;
  return fmt::format("{}{}", number,
                     teen || last == 0 || last > 3 ? "th"
                     : last == 1                   ? "st"
                     : last == 2                   ? "nd"
                                                   : "rd");
}

LifeValue DateValue(const LifeWords& words, year_month_day date, bool with_year,
                    LifeRandom& random) {
  const unsigned m = static_cast<unsigned>(date.month()), d = static_cast<unsigned>(date.day());
  const int y = static_cast<int>(date.year());
  LifeValue value;
  const std::string iso = fmt::format("{:04}-{:02}-{:02}", y, m, d);
  if (words.chinese()) {
    value.text = with_year ? fmt::format("{}年{}月{}日", y, m, d) : fmt::format("{}月{}日", m, d);
    value.accept = {value.text, fmt::format("{}月{}日", m, d), fmt::format("{}月{}号", m, d), iso};
    return value;
  }
  const std::string_view name = memory::kMonthNames[m - 1];
  const std::string year = with_year ? fmt::format(" {}", y) : std::string();
  switch (random.Below(3)) {
    case 0:
      value.text = fmt::format("{} {}{}", d, name, year);
      break;
    case 1:
      value.text = fmt::format("{} {}{}{}", name, d, with_year ? "," : "", year);
      break;
    default:
      value.text = fmt::format("the {} of {}{}", Ordinal(d), name, year);
  }
  value.accept = {value.text,
                  fmt::format("{} {}", d, name),
                  fmt::format("{} {}", name, d),
                  fmt::format("{} of {}", Ordinal(d), name),
                  fmt::format("{} {}", Ordinal(d), name),
                  fmt::format("{} {}", name, Ordinal(d)),
                  iso};
  return value;
}

LifeValue TimeValue(const LifeWords& words, LifeRandom& random) {
  const int hour = random.Between(8, 20), minute = 5 * random.Between(1, 11);
  const int half = hour > 12 ? hour - 12 : hour;
  LifeValue value;
  const std::string clock = fmt::format("{}:{:02}", hour, minute);
  if (words.chinese()) {
    value.text = random.Chance(50)
                     ? clock
                     : fmt::format("{}{}点{}分", hour < 12 ? "上午" : "下午", half, minute);
    value.accept = {value.text, clock, fmt::format("{}点{}分", hour, minute),
                    fmt::format("{}点{}分", half, minute)};
  } else {
    value.text = random.Chance(50)
                     ? clock
                     : fmt::format("{}:{:02} {}", half, minute, hour < 12 ? "am" : "pm");
    value.accept = {value.text, clock, fmt::format("{}:{:02}", half, minute)};
  }
  return value;
}

// Without blanks; and without the article that an answer may leave out.
void AddPlainForms(LifeValue* value) {
  std::string dense = value->text;
  std::erase(dense, ' ');
  value->accept.push_back(dense);
}

}  // namespace

LifeWords::LifeWords(std::string_view text, bool chinese)
    : json_(nlohmann::json::parse(text)), chinese_(chinese) {}

const LifeWords& LifeWords::English() {
  static const LifeWords words(kLifeEnglish, false);
  return words;
}

const LifeWords& LifeWords::Chinese() {
  static const LifeWords words(kLifeChinese, true);
  return words;
}

const std::string& LifeWords::Pick(const nlohmann::json& list, LifeRandom& random) const {
  return list[random.Below(list.size())].get_ref<const std::string&>();
}

const std::string& LifeWords::PickList(std::string_view name, LifeRandom& random) const {
  return Pick(json_["lists"][std::string(name)], random);
}

std::string LifeWords::Fill(std::string_view text,
                            std::vector<std::pair<std::string, std::string>>* given,
                            LifeRandom& random) const {
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = std::min(text.find('{', at), text.size());
    filled += text.substr(at, open - at);
    if (open == text.size()) break;
    const std::size_t close = text.find('}', open);
    const std::string name(text.substr(open + 1, close - open - 1));
    at = close + 1;
    const auto known = std::find_if(given->begin(), given->end(),
                                    [&](const auto& one) { return one.first == name; });
    if (known != given->end()) {
      filled += known->second;
      continue;
    }
    std::string list = name;
    while (!list.empty() && list.back() >= '0' && list.back() <= '9') list.pop_back();
    std::string word;
    do {
      word = PickList(list, random);
    } while (std::any_of(given->begin(), given->end(),
                         [&](const auto& one) { return one.second == word; }));
    filled += word;
    given->emplace_back(name, word);
  }
  return filled;
}

LifeValue MakeLifeValue(const LifeWords& words, std::string_view spec, std::int64_t time_ms,
                        std::size_t earlier, LifeRandom& random) {
  LifeValue value;
  const bool chinese = words.chinese();
  if (spec.starts_with("money:")) {
    const auto [least, most] = RangeOf(spec);
    const int amount = random.Between(least, most);
    value.text = chinese ? fmt::format("{}元", amount) : fmt::format("${}", Grouped(amount));
    value.accept = {value.text, std::to_string(amount), Grouped(amount)};
  } else if (spec.starts_with("number:")) {
    const auto [least, most] = RangeOf(spec);
    value.text = std::to_string(random.Between(least, most));
    value.accept = {value.text};
  } else if (spec.starts_with("date:")) {
    const auto [least, most] = RangeOf(spec);
    const auto date = sys_days(DayOf(time_ms)) + days(random.Between(least, most));
    value = DateValue(words, year_month_day(date), random.Chance(50), random);
  } else if (spec == "birthday") {
    const year_month_day date(std::chrono::year(2000), month(random.Between(1, 12)),
                              day(random.Between(1, 28)));
    value = DateValue(words, date, false, random);
    value.accept.pop_back();  // A birthday has no year.
  } else if (spec == "time") {
    value = TimeValue(words, random);
  } else if (spec == "runtime") {
    // Each best is better than the one before.
    const int seconds = 3480 - static_cast<int>(earlier) * 75 - random.Between(0, 60);
    value.text = fmt::format("{}:{:02}", seconds / 60, seconds % 60);
    value.accept = {value.text};
  } else if (spec == "dose") {
    const int dose = 5 * random.Between(3, 80);
    value.text = fmt::format(fmt::runtime(chinese ? "{}毫克" : "{} mg"), dose);
    value.accept = {value.text, fmt::format("{} mg", dose), fmt::format("{}mg", dose),
                    fmt::format("{}毫克", dose), fmt::format("{} milligrams", dose)};
  } else if (spec.starts_with("code:")) {
    value.text = Code(spec.substr(5), random);
    value.accept = {value.text};
    AddPlainForms(&value);
  } else if (spec == "address") {
    const std::string& street = words.PickList("street", random);
    const int number = random.Between(13, 188);
    value.text =
        chinese ? fmt::format("{}{}号", street, number) : fmt::format("{} {}", number, street);
    value.accept = {value.text};
  } else if (spec == "email") {
    value.text = fmt::format("{}.{}@{}.example", Code("aaaaa", random), Code("aaa00", random),
                             Code("aaaaaa", random));
    value.accept = {value.text};
  } else if (spec == "url") {
    value.text =
        fmt::format("https://{}.example/{}", Code("aaaaa", random), Code("aaaa0000", random));
    value.accept = {value.text, value.text.substr(8)};
  } else if (spec == "phone") {
    value.text = Code(chinese ? "139 0000 0000" : "0155 000 0000", random);
    value.accept = {value.text};
    AddPlainForms(&value);
  } else {
    value.text = words.PickList(spec.substr(spec.find(':') + 1), random);
    value.accept = {value.text};
    for (const std::string_view article : {"the ", "a "}) {
      if (value.text.starts_with(article))
        value.accept.push_back(value.text.substr(article.size()));
    }
  }
  std::sort(value.accept.begin(), value.accept.end());
  value.accept.erase(std::unique(value.accept.begin(), value.accept.end()), value.accept.end());
  return value;
}

std::string LifeMonth(const LifeWords& words, std::int64_t time_ms) {
  const year_month_day date = DayOf(time_ms);
  const unsigned m = static_cast<unsigned>(date.month());
  if (words.chinese()) return fmt::format("{}年{}月", static_cast<int>(date.year()), m);
  return fmt::format("{} {}", memory::kMonthNames[m - 1], static_cast<int>(date.year()));
}

std::pair<std::int64_t, std::int64_t> MonthOf(std::int64_t time_ms) {
  const year_month_day date = DayOf(time_ms);
  const auto first = date.year() / date.month() / day(1);
  const auto next = first + std::chrono::months(1);
  const auto ms = [](year_month_day at) {
    return std::chrono::duration_cast<milliseconds>(sys_days(at).time_since_epoch()).count();
  };
  return {ms(first), ms(next)};
}

}  // namespace liubai::tools
