#include "memory/lunar_calendar.h"

#include <array>
#include <cstdint>

namespace liubai::memory {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

// After the Gregorian-lunar conversion tables of the Hong Kong Observatory. Bits 15..4:
// months 1..12 have 30 days (else 29); bits 3..0: the month after which the leap month comes, 0:
// none; bit 16: the leap month has 30 days.
constexpr std::array<std::uint32_t, kLastLunarYear - kFirstLunarYear + 1> kYears = {
    0x04af5, 0x04970, 0x064b0, 0x074a3, 0x0ea50, 0x06b58, 0x05ac0, 0x0ab60, 0x096d5, 0x092e0,
    0x0c960, 0x0d954, 0x0d4a0, 0x0da50, 0x07552, 0x056a0, 0x0abb7, 0x025d0, 0x092d0, 0x0cab5,
    0x0a950, 0x0b4a0, 0x0baa4, 0x0ad50, 0x055d9, 0x04ba0, 0x0a5b0, 0x15176, 0x052b0, 0x0a930,
    0x07954, 0x06aa0, 0x0ad50, 0x05b52, 0x04b60, 0x0a6e6, 0x0a4e0, 0x0d260, 0x0ea65, 0x0d530,
    0x05aa0, 0x076a3, 0x096d0, 0x04afb, 0x04ad0, 0x0a4d0, 0x1d0b6, 0x0d250, 0x0d520, 0x0dd45,
    0x0b5a0, 0x056d0, 0x055b2, 0x049b0, 0x0a577, 0x0a4b0, 0x0aa50, 0x1b255, 0x06d20, 0x0ada0};

int MonthDays(std::uint32_t year, int month) { return (year & (0x10000u >> month)) != 0 ? 30 : 29; }
int LeapDays(std::uint32_t year) {
  return (year & 0xf) == 0 ? 0 : (year & 0x10000u) != 0 ? 30 : 29;
}

}  // namespace

std::optional<sys_days> FromLunar(int year, int month, int day) {
  if (year < kFirstLunarYear || year > kLastLunarYear || month < 1 || month > 12 || day < 1) {
    return std::nullopt;
  }
  sys_days at = std::chrono::year(kFirstLunarYear) / std::chrono::January / 27;
  for (int y = kFirstLunarYear; y < year; ++y) {
    const std::uint32_t bits = kYears[static_cast<std::size_t>(y - kFirstLunarYear)];
    for (int m = 1; m <= 12; ++m) at += days(MonthDays(bits, m));
    at += days(LeapDays(bits));
  }
  const std::uint32_t bits = kYears[static_cast<std::size_t>(year - kFirstLunarYear)];
  for (int m = 1; m < month; ++m) {
    at += days(MonthDays(bits, m));
    if (static_cast<int>(bits & 0xf) == m) at += days(LeapDays(bits));
  }
  if (day > MonthDays(bits, month)) return std::nullopt;
  return at + days(day - 1);
}

}  // namespace liubai::memory
