// engine/normalized_text.h: text after normalisation, each byte with the range it came from.
//
// Threads: a value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/text.h"

namespace liubai::engine {

struct NormalizedText {
  explicit NormalizedText(bool keep_origin) : with_origin(keep_origin) {}

  void Add(std::int32_t code_point, std::size_t begin, std::size_t end) {
    AppendUtf8(code_point, text);
    if (!with_origin) return;
    from.resize(text.size(), static_cast<std::uint32_t>(begin));
    to.resize(text.size(), static_cast<std::uint32_t>(end));
  }
  void Clear() {
    text.clear();
    from.clear();
    to.clear();
  }
  // Where the bytes [begin, end) of `text` came from. REQUIRES: begin < end.
  std::size_t From(std::size_t begin) const { return with_origin ? from[begin] : 0; }
  std::size_t To(std::size_t end) const { return with_origin ? to[end - 1] : 0; }

  bool with_origin;
  std::string text;
  std::vector<std::uint32_t> from, to;  // [text.size()], or empty.
};

}  // namespace liubai::engine
