// memory/numerals.h: number words of English and numerals of Chinese, as values.
//
// Threads: free functions without state.
#pragma once

#include <cstdint>
#include <string_view>

namespace liubai::memory {

inline constexpr std::string_view kSmallNumbers[] = {  // 0..19
    "zero",     "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
inline constexpr std::string_view kTensNumbers[] = {  // 20, 30, …
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"};

// 0..19 and the tens, in lower case; -1 for other words.
int EnglishNumber(std::string_view lower);
// "hundred" to "trillion"; 0 for other words.
std::int64_t EnglishScale(std::string_view lower);

// Digits of Chinese numerals; -1 for other characters.
int ChineseDigit(std::int32_t c);
// 十, 百, 千, 万 and 亿 as numbers; 0 for other characters.
std::int64_t ChineseScale(std::int32_t c);
inline bool IsChineseNumeral(std::int32_t c) { return ChineseDigit(c) >= 0 || ChineseScale(c) > 0; }

// 四千二百三十七 is 4237, 三百二 320, 二〇二三 2023; what does not fit below 10^15 is left out.
// REQUIRES: all of them are Chinese numerals.
inline constexpr std::int64_t kMostNumeral = 1'000'000'000'000'000;
std::int64_t ChineseValue(std::u32string_view numerals);

}  // namespace liubai::memory
