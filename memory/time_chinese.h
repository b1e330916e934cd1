// memory/time_chinese.h: the scanner of Chinese times, which time_chinese*.cc share.
//
// Its methods take the place of a character; those that return a place return the end of what they
// found and added, or the place they were given when it is not there.
//
// Threads: one thread for each scanner.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "memory/ledger_scan.h"
#include "memory/time_scan.h"

namespace liubai::memory::timing {

class ChineseScan {
 public:
  using U32 = std::u32string_view;

  ChineseScan(std::string_view text, const Calendar& calendar, Found* found)
      : calendar_(calendar), found_(found) {
    code_.reserve(text.size() / 2);
    offset_.reserve(text.size() / 2 + 1);
    for (std::size_t i = 0; i < text.size();) {
      const DecodedCodePoint point = DecodeUtf8(text, i);
      char32_t c = point.value < 0 ? 0xfffd : static_cast<char32_t>(point.value);
      if (c >= 0xff10 && c <= 0xff19) c -= 0xfee0;
      code_.push_back(c);
      offset_.push_back(static_cast<std::uint32_t>(i));
      i += point.length;
    }
    offset_.push_back(static_cast<std::uint32_t>(text.size()));
  }

  void Run() {
    for (std::size_t i = 0; i < code_.size();) {
      const std::size_t end = At(i);
      i = end > i ? end : i + 1;
    }
  }

 private:
  char32_t C(std::size_t i) const { return i < code_.size() ? code_[i] : 0; }
  char32_t Prev(std::size_t i) const { return i > 0 ? code_[i - 1] : 0; }
  bool Is(std::size_t i, U32 word) const {
    return U32(code_).substr(std::min(i, code_.size())).starts_with(word);
  }
  bool In(char32_t c, U32 list) const { return c != 0 && list.find(c) != U32::npos; }
  bool EveryBefore(std::size_t i) const {  // 每, 每年, 每个, 每到
    return Prev(i) == U'每' || (i > 1 && In(Prev(i), U"年个逢到") && code_[i - 2] == U'每');
  }
  static bool IsNumeral(char32_t c) {
    return (c >= '0' && c <= '9') || IsChineseNumeral(static_cast<std::int32_t>(c)) || c == U'廿';
  }

  std::size_t Add(Piece piece, std::size_t i, std::size_t end) {
    piece.begin = offset_[i];
    piece.end = offset_[end];
    found_->pieces.push_back(piece);
    return end;
  }
  std::size_t Impossible(std::size_t i, std::size_t end) {
    found_->impossible.push_back({offset_[i], offset_[end]});
    return end;
  }

  struct Numeral {
    int value = 0;
    std::size_t end = 0;
    bool arabic = false;
    bool positional = false;  // 二〇二三
  };
  // A numeral of at most `most` characters; its end is `i` when there is none.
  Numeral NumeralAt(std::size_t i, std::size_t most) const;

  // 初, 中旬, 底, … after a month or a year; moves `end` past it.
  Portion PortionAt(std::size_t i, bool year, std::size_t* end) const;

  // Past "5月20日", "五月", "五月初", "五月初五" of `year` (0: not said) at `i`; `begin`: where the
  // year began. `i` when there is no month.
  std::size_t MonthAt(std::size_t i, int year, std::size_t begin, Pick pick);

  // What may follow a year: a month, a season, 底, a half, a quarter. Adds the piece.
  std::size_t AfterYear(std::size_t i, std::size_t begin, const Piece& year, int number);

  struct Amount {
    int value = 0;
    bool half = false;
    bool few = false;
    bool about = false;
    Unit unit = Unit::kDay;
    std::size_t end = 0;  // 0: none
  };
  // 三天, 两个多月, 半年, 几周, 十多年, 一年半
  Amount AmountAt(std::size_t i) const;

  // 三天前, 两个月后; of numerals that are no date.
  std::size_t Distance(std::size_t i);

  std::size_t Numbers(std::size_t i);

  std::size_t Festive(std::size_t i, std::size_t end, Festival festival);

  std::size_t YearWord(std::size_t i, std::size_t end, int steps);

  // 今天, 昨晚, 大前天, 去年, …
  std::size_t DayWord(std::size_t i);

  // Past 三, 日, 天, 末 after 周, 星期 or 礼拜; 0..6, 7 for 末, -1: none.
  int WeekdayAt(std::size_t i) const;
  std::size_t WeekName(std::size_t i) const {  // Its length, 0: none.
    return Is(i, U"星期") || Is(i, U"礼拜") ? 2 : C(i) == U'周' ? 1 : 0;
  }

  // 上周三, 上上个月初, 这个周末, 下礼拜天, 本月5号
  std::size_t UnitWord(std::size_t i);

  // 最近三天, 过去一个月, 近两年, 这几天, 前几天, 前阵子
  std::size_t Recent(std::size_t i);

  std::size_t At(std::size_t i);

  // 第二个周末, 第一周, 第三季度, of a month or year named before it.
  std::size_t Ordinal(std::size_t i);

  const Calendar& calendar_;
  Found* found_;
  std::u32string code_;
  std::vector<std::uint32_t> offset_;
};

}  // namespace liubai::memory::timing
