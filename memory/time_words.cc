#include "memory/time_words.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "memory/ledger_words.h"
#include "memory/numerals.h"
#include "memory/time_scan.h"

namespace liubai::memory::timing {
namespace {

using Table = std::unordered_map<std::string_view, WordInfo>;
using FestivalTable = std::unordered_map<std::string_view, std::vector<FestivalName>>;

// Apostrophes are dropped with the "s" that follows: "valentine's day" is "valentine day".
constexpr std::pair<std::string_view, Festival> kFestivals[] = {
    {"new year eve", Festival::kNewYearsEve},
    {"new years eve", Festival::kNewYearsEve},
    {"new year day", Festival::kNewYearsDay},
    {"new years day", Festival::kNewYearsDay},
    {"new years", Festival::kNewYear},
    {"martin luther king day", Festival::kMartinLutherKingDay},
    {"mlk day", Festival::kMartinLutherKingDay},
    {"valentine day", Festival::kValentinesDay},
    {"valentines day", Festival::kValentinesDay},
    {"valentines", Festival::kValentinesDay},
    {"presidents day", Festival::kPresidentsDay},
    {"president day", Festival::kPresidentsDay},
    {"women day", Festival::kWomensDay},
    {"womens day", Festival::kWomensDay},
    {"st patrick day", Festival::kSaintPatricksDay},
    {"st patricks day", Festival::kSaintPatricksDay},
    {"saint patrick day", Festival::kSaintPatricksDay},
    {"april fools", Festival::kAprilFools},
    {"april fool day", Festival::kAprilFools},
    {"april fools day", Festival::kAprilFools},
    {"mardi gras", Festival::kMardiGras},
    {"shrove tuesday", Festival::kMardiGras},
    {"ash wednesday", Festival::kAshWednesday},
    {"good friday", Festival::kGoodFriday},
    {"easter monday", Festival::kEasterMonday},
    {"easter sunday", Festival::kEaster},
    {"easter", Festival::kEaster},
    {"earth day", Festival::kEarthDay},
    {"may day", Festival::kMayDay},
    {"mother day", Festival::kMothersDay},
    {"mothers day", Festival::kMothersDay},
    {"memorial day", Festival::kMemorialDay},
    {"children day", Festival::kChildrensDay},
    {"father day", Festival::kFathersDay},
    {"fathers day", Festival::kFathersDay},
    {"juneteenth", Festival::kJuneteenth},
    {"independence day", Festival::kIndependenceDay},
    {"labor day", Festival::kLaborDay},
    {"columbus day", Festival::kColumbusDay},
    {"halloween", Festival::kHalloween},
    {"bonfire night", Festival::kBonfireNight},
    {"guy fawkes night", Festival::kBonfireNight},
    {"veterans day", Festival::kVeteransDay},
    {"veteran day", Festival::kVeteransDay},
    {"thanksgiving day", Festival::kThanksgiving},
    {"thanksgiving", Festival::kThanksgiving},
    {"black friday", Festival::kBlackFriday},
    {"cyber monday", Festival::kCyberMonday},
    {"christmas eve", Festival::kChristmasEve},
    {"xmas eve", Festival::kChristmasEve},
    {"christmas day", Festival::kChristmas},
    {"christmas", Festival::kChristmas},
    {"christmases", Festival::kChristmas},
    {"xmas", Festival::kChristmas},
    {"boxing day", Festival::kBoxingDay},
    {"spring festival eve", Festival::kSpringFestivalEve},
    {"spring festival", Festival::kSpringFestival},
    {"chinese new year eve", Festival::kSpringFestivalEve},
    {"chinese new year", Festival::kSpringFestival},
    {"lunar new year eve", Festival::kSpringFestivalEve},
    {"lunar new year", Festival::kSpringFestival},
    {"lantern festival", Festival::kLanternFestival},
    {"qingming festival", Festival::kQingming},
    {"qingming", Festival::kQingming},
    {"tomb sweeping day", Festival::kQingming},
    {"dragon boat festival", Festival::kDragonBoat},
    {"qixi festival", Festival::kQixi},
    {"mid autumn festival", Festival::kMidAutumn},
    {"moon festival", Festival::kMidAutumn},
    {"double ninth festival", Festival::kDoubleNinth},
    {"winter solstice", Festival::kWinterSolstice},
};

FestivalTable MakeFestivals() {
  FestivalTable table;
  for (const auto& [words, festival] : kFestivals) {
    const int count = 1 + static_cast<int>(std::count(words.begin(), words.end(), ' '));
    table[words.substr(0, words.find(' '))].push_back({words, static_cast<int>(festival), count});
  }
  for (auto& [first, names] : table) {
    std::stable_sort(names.begin(), names.end(), [](const FestivalName& a, const FestivalName& b) {
      return a.count > b.count;
    });
    names.push_back({"", 0, 0});
  }
  return table;
}

const FestivalTable& Festivals() {
  static const FestivalTable table = MakeFestivals();
  return table;
}

Table MakeTable() {
  Table table;
  const auto Add = [&](std::string_view word, Word kind, int value = 0, bool trigger = false,
                       bool plural = false) {
    table.emplace(word, WordInfo{kind, static_cast<std::int16_t>(value), trigger, plural, false});
  };
  for (int i = 0; i < 12; ++i) {
    const std::string_view month = words::kWholeMonths[static_cast<std::size_t>(i)];
    Add(month, Word::kMonth, i + 1, true);
    if (month.size() > 3) Add(month.substr(0, 3), Word::kMonthShort, i + 1, true);
  }
  Add("sept", Word::kMonthShort, 9, true);
  constexpr std::string_view kDays[][2] = {{"monday", "mondays"},       {"tuesday", "tuesdays"},
                                           {"wednesday", "wednesdays"}, {"thursday", "thursdays"},
                                           {"friday", "fridays"},       {"saturday", "saturdays"},
                                           {"sunday", "sundays"}};
  for (int i = 0; i < 7; ++i) {
    Add(kDays[i][0], Word::kWeekday, i, true);
    Add(kDays[i][1], Word::kWeekday, i, true, true);
  }
  constexpr std::pair<std::string_view, int> kShortDays[] = {
      {"mon", 0},  {"tue", 1},   {"tues", 1}, {"wed", 2}, {"thu", 3},
      {"thur", 3}, {"thurs", 3}, {"fri", 4},  {"sat", 5}, {"sun", 6}};
  for (const auto& [word, value] : kShortDays) Add(word, Word::kWeekdayShort, value, true);
  for (int i = 1; i < 20; ++i) Add(kSmallNumbers[i], Word::kNumber, i);
  for (int i = 0; i < 8; ++i) Add(kTensNumbers[i], Word::kNumber, 20 + 10 * i);
  constexpr std::string_view kOrdinals[] = {
      "",           "first",      "second",     "third",     "fourth",    "fifth",
      "sixth",      "seventh",    "eighth",     "ninth",     "tenth",     "eleventh",
      "twelfth",    "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
      "eighteenth", "nineteenth", "twentieth"};
  for (int i = 1; i <= 20; ++i) Add(kOrdinals[i], Word::kOrdinal, i);
  Add("thirtieth", Word::kOrdinal, 30);
  constexpr std::pair<std::string_view, int> kDecades[] = {
      {"sixties", 1960}, {"seventies", 1970}, {"eighties", 1980}, {"nineties", 1990}};
  for (const auto& [word, value] : kDecades) Add(word, Word::kDecade, value, true);
  constexpr std::pair<std::string_view, Unit> kUnits[] = {
      {"minute", Unit::kMinute}, {"hour", Unit::kHour},       {"day", Unit::kDay},
      {"night", Unit::kNight},   {"weekend", Unit::kWeekend}, {"week", Unit::kWeek},
      {"month", Unit::kMonth},   {"quarter", Unit::kQuarter}, {"fortnight", Unit::kFortnight},
      {"year", Unit::kYear},     {"decade", Unit::kDecade}};
  constexpr std::string_view kPlurals[] = {"minutes",    "hours", "days",   "nights",
                                           "weekends",   "weeks", "months", "quarters",
                                           "fortnights", "years", "decades"};
  int at = 0;
  for (const auto& [word, unit] : kUnits) {
    Add(word, Word::kUnit, static_cast<int>(unit), true);
    Add(kPlurals[at++], Word::kUnit, static_cast<int>(unit), true, true);
  }
  constexpr std::pair<std::string_view, int> kSeasons[] = {
      {"spring", 0}, {"summer", 1}, {"autumn", 2}, {"fall", 2}, {"winter", 3}};
  for (const auto& [word, value] : kSeasons) Add(word, Word::kSeason, value, true);
  constexpr std::pair<std::string_view, int> kManySeasons[] = {
      {"springs", 0}, {"summers", 1}, {"autumns", 2}, {"falls", 2}, {"winters", 3}};
  for (const auto& [word, value] : kManySeasons) Add(word, Word::kSeason, value, true, true);
  constexpr std::pair<std::string_view, Part> kParts[] = {{"morning", Part::kMorning},
                                                          {"noon", Part::kNoon},
                                                          {"afternoon", Part::kAfternoon},
                                                          {"evening", Part::kEvening}};
  for (const auto& [word, part] : kParts) Add(word, Word::kPart, static_cast<int>(part));
  constexpr std::pair<std::string_view, Word> kTriggers[] = {{"yesterday", Word::kYesterday},
                                                             {"today", Word::kToday},
                                                             {"tonight", Word::kTonight},
                                                             {"tomorrow", Word::kTomorrow},
                                                             {"ago", Word::kAgo},
                                                             {"last", Word::kLast},
                                                             {"past", Word::kPast},
                                                             {"previous", Word::kPrevious},
                                                             {"next", Word::kNext},
                                                             {"coming", Word::kComing},
                                                             {"upcoming", Word::kComing},
                                                             {"this", Word::kThis},
                                                             {"back", Word::kBack},
                                                             {"before", Word::kBefore},
                                                             {"after", Word::kAfter},
                                                             {"in", Word::kIn},
                                                             {"other", Word::kOtherWord}};
  for (const auto& [word, kind] : kTriggers) {
    const bool trigger = kind != Word::kIn && kind != Word::kBefore && kind != Word::kAfter &&
                         kind != Word::kBack && kind != Word::kOtherWord;
    Add(word, kind, 0, trigger);
  }
  constexpr std::pair<std::string_view, Word> kSmall[] = {
      {"now", Word::kNow},       {"the", Word::kThe},
      {"a", Word::kA},           {"an", Word::kA},
      {"of", Word::kOf},         {"on", Word::kOn},
      {"at", Word::kAt},         {"by", Word::kBy},
      {"for", Word::kFor},       {"from", Word::kFrom},
      {"to", Word::kTo},         {"through", Word::kTo},
      {"since", Word::kSince},   {"until", Word::kUntil},
      {"till", Word::kUntil},    {"between", Word::kBetween},
      {"during", Word::kDuring}, {"over", Word::kOver},
      {"within", Word::kWithin}, {"and", Word::kAnd},
      {"or", Word::kOr},         {"so", Word::kSo},
      {"half", Word::kHalf},     {"couple", Word::kCouple},
      {"few", Word::kFew},       {"several", Word::kSeveral},
      {"about", Word::kAbout},   {"around", Word::kAbout},
      {"roughly", Word::kAbout}, {"almost", Word::kAbout},
      {"nearly", Word::kAbout},  {"approximately", Word::kAbout},
      {"every", Word::kEvery},   {"each", Word::kEvery},
      {"early", Word::kEarly},   {"mid", Word::kMid},
      {"late", Word::kLate},     {"beginning", Word::kStart},
      {"start", Word::kStart},   {"end", Word::kEnd},
      {"middle", Word::kMiddle}, {"earlier", Word::kEarly},
      {"later", Word::kLate},    {"i", Word::kPronoun},
      {"we", Word::kPronoun},    {"you", Word::kPronoun},
      {"he", Word::kPronoun},    {"she", Word::kPronoun},
      {"they", Word::kPronoun},  {"it", Word::kPronoun},
      {"have", Word::kPronoun},  {"be", Word::kPronoun},
      {"not", Word::kPronoun}};
  for (const auto& [word, kind] : kSmall) Add(word, kind);
  for (const auto& [first, names] : Festivals()) {
    WordInfo& info = table[first];
    if (info.word == Word::kOther) info.word = Word::kFestival;
    info.festival = true;
    info.trigger = true;
  }
  return table;
}

}  // namespace

WordInfo LookUpWord(std::string_view lower) {
  static const Table table = MakeTable();
  const auto found = table.find(lower);
  return found == table.end() ? WordInfo{} : found->second;
}

const FestivalName* FestivalsOf(std::string_view first) {
  static constexpr FestivalName kNone[] = {{"", 0, 0}};
  const auto found = Festivals().find(first);
  return found == Festivals().end() ? kNone : found->second.data();
}

}  // namespace liubai::memory::timing
