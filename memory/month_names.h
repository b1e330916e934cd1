// memory/month_names.h: the months as dates are written, "January" first.
#pragma once

#include <string_view>

namespace liubai::memory {

inline constexpr std::string_view kMonthNames[] = {"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};

}  // namespace liubai::memory
