#include "core/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "fmt/format.h"

namespace liubai {
namespace {

utf8proc_category_t Category(std::int32_t code_point) {
  return static_cast<utf8proc_category_t>(utf8proc_get_property(code_point)->category);
}

std::string Map(std::string_view text, int options) {
  utf8proc_uint8_t* mapped = nullptr;
  const std::string repaired = RepairUtf8(text);
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(repaired.data()),
                   static_cast<utf8proc_ssize_t>(repaired.size()), &mapped,
                   static_cast<utf8proc_option_t>(options));
  if (size < 0) return repaired;
  std::string result(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size));
  std::free(mapped);
  return result;
}

}  // namespace

DecodedCodePoint DecodeUtf8(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(text[offset + i]);
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {static_cast<std::int32_t>(first), 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || offset + length > text.size()) return {-1, 1};
  std::uint32_t value = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {-1, 1};
    value = value << 6 | (byte(i) & 0x3f);
  }
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) {
    return {-1, 1};
  }
  return {static_cast<std::int32_t>(value), length};
}

void AppendUtf8(std::int32_t code_point, std::string& out) {
  const auto c = static_cast<std::uint32_t>(code_point);
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xc0 | c >> 6));
    out.push_back(static_cast<char>(0x80 | (c & 0x3f)));
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | c >> 12));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3f)));
  } else {
    out.push_back(static_cast<char>(0xf0 | c >> 18));
    out.push_back(static_cast<char>(0x80 | (c >> 12 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3f)));
  }
}

std::size_t FindInvalidUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    if (point.value < 0) return i;
    i += point.length;
  }
  return std::string_view::npos;
}

Status CheckText(std::string_view text, std::string_view what) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} holds a NUL byte at offset {}", what, nul));
  }
  if (const std::size_t bad = FindInvalidUtf8(text); bad != std::string_view::npos) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} is not valid UTF-8: byte 0x{:02x} at offset {}", what,
                              static_cast<unsigned char>(text[bad]), bad));
  }
  return Status();
}

std::string RepairUtf8(std::string_view text) {
  if (FindInvalidUtf8(text) == std::string_view::npos) return std::string(text);
  std::string repaired;
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    if (point.value < 0) {
      repaired += "\xef\xbf\xbd";
    } else {
      repaired.append(text.substr(i, point.length));
    }
    i += point.length;
  }
  return repaired;
}

std::size_t CompleteUtf8Prefix(std::string_view text) {
  const std::size_t size = text.size();
  for (std::size_t back = 1; back <= std::min<std::size_t>(4, size); ++back) {
    const auto byte = static_cast<unsigned char>(text[size - back]);
    if ((byte & 0xc0) == 0x80) continue;
    const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return length > back ? size - back : size;
  }
  return size;
}

std::string_view TruncateUtf8(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xc0) == 0x80) --max_bytes;
  return text.substr(0, max_bytes);
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::size_t CountCodePoints(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); i += DecodeUtf8(text, i).length) ++count;
  return count;
}

bool IsLetter(std::int32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const auto category = Category(c);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool IsMark(std::int32_t c) {
  const auto category = Category(c);
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool IsNumber(std::int32_t c) {
  if (c < 0x80) return c >= '0' && c <= '9';
  const auto category = Category(c);
  return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool IsPunctuation(std::int32_t c) {
  if ((c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
      (c >= 123 && c <= 126)) {
    return true;
  }
  const auto category = Category(c);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool IsSpace(std::int32_t c) {
  if ((c >= 9 && c <= 13) || c == 32 || c == 0x85 || c == 0xa0) return true;
  if (c < 0x1680) return false;
  return c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
         c == 0x205f || c == 0x3000;
}

bool IsControl(std::int32_t c) {
  if (c == '\t' || c == '\n' || c == '\r') return false;
  const auto category = Category(c);
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
         category == UTF8PROC_CATEGORY_CN || category == UTF8PROC_CATEGORY_CO ||
         category == UTF8PROC_CATEGORY_CS;
}

bool IsCjkIdeograph(std::int32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) ||
         (c >= 0x20000 && c <= 0x2a6df) || (c >= 0x2a700 && c <= 0x2ebef) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f) ||
         (c >= 0x30000 && c <= 0x3134f);
}

bool IsCjk(std::int32_t c) {
  return IsCjkIdeograph(c) || c == 0x3005 || (c >= 0x3041 && c <= 0x30ff) ||
         (c >= 0x31f0 && c <= 0x31ff) || (c >= 0xff66 && c <= 0xff9f) ||
         (c >= 0xac00 && c <= 0xd7a3) || (c >= 0x1100 && c <= 0x11ff);
}

std::int32_t ToLower(std::int32_t c) { return utf8proc_tolower(c); }

std::string ToLowerUtf8(std::string_view text) {
  std::string lower;
  lower.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    if (point.value < 0) {
      lower.push_back(text[i]);
    } else {
      AppendUtf8(ToLower(point.value), lower);
    }
    i += point.length;
  }
  return lower;
}

std::string NormalizeNfc(std::string_view text) {
  return Map(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
}

std::string NormalizeNfd(std::string_view text) {
  return Map(text, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
}

std::string FoldNfkc(std::string_view text) {
  return Map(text, UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string_view NearestWord(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view nearest;
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = EditDistance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace liubai
