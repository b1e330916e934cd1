#include "liubai/sampling.h"

#include <cmath>
#include <limits>

#include "core/macros.h"
#include "core/text.h"
#include "fmt/format.h"

namespace liubai::inline v1 {
namespace {

// NaN fails every comparison, hence the form of the test.
template <class T>
Status CheckRange(const char* name, T value, T least, T most) {
  if (value >= least && value <= most) return Status();
  return Status(StatusCode::kInvalidArgument,
                fmt::format("{} is {}; it must be {} to {}", name, value, least, most));
}

}  // namespace

Status SamplingParams::Validate() const {
  LIUBAI_RETURN_IF_ERROR(CheckRange("max_tokens", max_tokens, 1, 1 << 20));
  LIUBAI_RETURN_IF_ERROR(CheckRange("temperature", temperature, 0.0f, 100.0f));
  LIUBAI_RETURN_IF_ERROR(CheckRange("top_k", top_k, 0, 1 << 20));
  if (!(top_p > 0.0f && top_p <= 1.0f)) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("top_p is {}; it must be above 0 and at most 1", top_p));
  }
  LIUBAI_RETURN_IF_ERROR(CheckRange("min_p", min_p, 0.0f, 1.0f));
  LIUBAI_RETURN_IF_ERROR(CheckRange("repetition_penalty", repetition_penalty, 0.1f, 10.0f));
  LIUBAI_RETURN_IF_ERROR(CheckRange("dry_multiplier", dry_multiplier, 0.0f, 100.0f));
  LIUBAI_RETURN_IF_ERROR(CheckRange("dry_base", dry_base, 1.0f, 10.0f));
  LIUBAI_RETURN_IF_ERROR(CheckRange("dry_allowed", dry_allowed, 1, 1024));
  LIUBAI_RETURN_IF_ERROR(CheckRange("repetition_window", repetition_window, 0, 1 << 16));
  LIUBAI_RETURN_IF_ERROR(CheckRange("the number of logit_bias entries", logit_bias.size(),
                                    std::size_t{0}, std::size_t{1} << 16));
  for (const auto& [token, bias] : logit_bias) {
    if (token < 0) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("logit_bias names token {}; it must not be negative", token));
    }
    if (!std::isfinite(bias) && bias != -std::numeric_limits<float>::infinity()) {
      return Status(
          StatusCode::kInvalidArgument,
          fmt::format("logit_bias of token {} is {}; it must be finite or -inf", token, bias));
    }
  }
  LIUBAI_RETURN_IF_ERROR(
      CheckRange("the number of stop strings", stop.size(), std::size_t{0}, std::size_t{64}));
  for (std::size_t i = 0; i < stop.size(); ++i) {
    if (stop[i].empty() || stop[i].size() > 1024) {
      return Status(
          StatusCode::kInvalidArgument,
          fmt::format("stop string {} has {} bytes; it must have 1 to 1024", i, stop[i].size()));
    }
    if (const std::size_t bad = FindInvalidUtf8(stop[i]); bad != std::string_view::npos) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("stop string {} is not valid UTF-8: byte 0x{:02x} at offset {}", i,
                                static_cast<unsigned char>(stop[i][bad]), bad));
    }
  }
  return Status();
}

}  // namespace liubai::inline v1
