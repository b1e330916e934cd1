#include "memory/numerals.h"

namespace liubai::memory {

int EnglishNumber(std::string_view lower) {
  int value = 0;
  for (std::string_view word : kSmallNumbers) {
    if (lower == word) return value;
    ++value;
  }
  for (std::string_view word : kTensNumbers) {
    if (lower == word) return value;
    value += 10;
  }
  return -1;
}

std::int64_t EnglishScale(std::string_view lower) {
  if (lower == "hundred") return 100;
  if (lower == "thousand") return 1000;
  if (lower == "million") return 1'000'000;
  if (lower == "billion") return 1'000'000'000;
  if (lower == "trillion") return 1'000'000'000'000;
  return 0;
}

int ChineseDigit(std::int32_t c) {
  switch (c) {
    case U'零':
    case U'〇':
      return 0;
    case U'一':
      return 1;
    case U'二':
    case U'两':
      return 2;
    case U'三':
      return 3;
    case U'四':
      return 4;
    case U'五':
      return 5;
    case U'六':
      return 6;
    case U'七':
      return 7;
    case U'八':
      return 8;
    case U'九':
      return 9;
    default:
      return -1;
  }
}

std::int64_t ChineseScale(std::int32_t c) {
  switch (c) {
    case U'十':
      return 10;
    case U'百':
      return 100;
    case U'千':
      return 1000;
    case U'万':
      return 10'000;
    case U'亿':
      return 100'000'000;
    default:
      return 0;
  }
}

std::int64_t ChineseValue(std::u32string_view numerals) {
  bool scaled = false;
  for (const char32_t c : numerals) scaled |= ChineseScale(static_cast<std::int32_t>(c)) > 0;
  std::int64_t total = 0, section = 0, digit = 0, last_scale = 0;
  for (const char32_t c : numerals) {
    const int d = ChineseDigit(static_cast<std::int32_t>(c));
    if (d >= 0 && !scaled) {  // Digit by digit, as years and telephone numbers are.
      if (total < kMostNumeral / 10) total = total * 10 + d;
    } else if (d >= 0) {
      digit = d;
      if (d == 0) last_scale = 0;
    } else {
      const std::int64_t scale = ChineseScale(static_cast<std::int32_t>(c));
      if (scale >= 10'000) {
        if (total + section + digit < kMostNumeral / scale)
          total = (total + section + digit) * scale;
        section = 0;
      } else {
        section += (digit == 0 ? 1 : digit) * scale;
      }
      digit = 0;
      last_scale = scale;
    }
  }
  if (!scaled) return total;
  // 三百二 is 320: the last digit stands for the scale below.
  return total + section + (last_scale >= 100 ? digit * last_scale / 10 : digit);
}

}  // namespace liubai::memory
