// tools/life_values.h: the texts of a generated life in one language, and values made from them.
//
// Threads: a generator of numbers belongs to one thread; LifeWords is constant.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace liubai::tools {

class LifeRandom {
 public:
  explicit LifeRandom(std::uint64_t seed) : random_(seed) {}
  // Not std::uniform_int_distribution, which each standard library computes in its own way.
  // REQUIRES: count > 0.
  std::size_t Below(std::size_t count) { return random_() % count; }
  int Between(int least, int most) {
    return least + static_cast<int>(Below(static_cast<std::size_t>(most - least) + 1));
  }
  bool Chance(int per_cent) { return Below(100) < static_cast<std::size_t>(per_cent); }

 private:
  std::mt19937_64 random_;
};

// tools/life/<language>.json.
class LifeWords {
 public:
  static const LifeWords& English();
  static const LifeWords& Chinese();

  bool chinese() const { return chinese_; }
  const nlohmann::json& json() const { return json_; }
  const std::string& Pick(const nlohmann::json& list, LifeRandom& random) const;
  const std::string& PickList(std::string_view name, LifeRandom& random) const;
  // "{name}" replaced: by `given`, else by a word of that list; "{food}" and "{food2}" differ, and
  // a name that comes again is replaced as before. `given` grows by what was picked.
  std::string Fill(std::string_view text, std::vector<std::pair<std::string, std::string>>* given,
                   LifeRandom& random) const;

 private:
  LifeWords(std::string_view text, bool chinese);
  nlohmann::json json_;
  bool chinese_;
};

struct LifeValue {
  std::string text;                 // As it is said.
  std::vector<std::string> accept;  // Forms of it, `text` among them.
};

// A value of `spec` ("money:30:2900", "date:15:80", "code:AA-0000", "list:shop", …) said at
// `time_ms`; `earlier`: how many of the kind were said before.
LifeValue MakeLifeValue(const LifeWords& words, std::string_view spec, std::int64_t time_ms,
                        std::size_t earlier, LifeRandom& random);

// "May 2023", "2023年5月"
std::string LifeMonth(const LifeWords& words, std::int64_t time_ms);
// The first millisecond of the month of `time_ms`, and of the month after it.
std::pair<std::int64_t, std::int64_t> MonthOf(std::int64_t time_ms);

}  // namespace liubai::tools
