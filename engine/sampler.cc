#include "engine/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "core/hash.h"
#include "core/text.h"
#include "fmt/format.h"

namespace liubai::engine {
namespace {

// e^x for x in [-40, 0]: arithmetic alone, so that every platform gets the same bits (this file is
// compiled without contraction). x = n ln 2 + r, e^r by its series.
double PortableExp(double x) {
  constexpr double kLog2E = 1.4426950408889634, kLn2 = 0.6931471805599453;
  const double n = std::floor(x * kLog2E + 0.5);
  const double r = x - n * kLn2;
  constexpr double kInverse[] = {1.0,     1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5,
                                 1.0 / 6, 1.0 / 7, 1.0 / 8, 1.0 / 9, 1.0 / 10};
  double sum = 1.0;
  for (int k = 9; k >= 0; --k) sum = 1.0 + sum * (r * kInverse[k]);
  const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(n) + 1023);
  return sum * std::bit_cast<double>(exponent << 52);
}

}  // namespace

Sampler::Sampler(const SamplingParams& params) : params_(params) {
  state_ = params.seed.has_value()
               ? *params.seed
               : (std::uint64_t{std::random_device{}()} << 32 | std::random_device{}());
}

// SplitMix64 (Steele, Lea and Flood 2014): the same on every platform.
double Sampler::NextUniform() {
  state_ += 0x9e3779b97f4a7c15ull;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53;
}

Result<TokenId> Sampler::Choose(std::span<float> logits, std::span<const TokenId> history,
                                std::size_t generated) {
  for (const auto& [id, bias] : params_.logit_bias) {
    if (id < 0 || static_cast<std::size_t>(id) >= logits.size()) {
      return Status(
          StatusCode::kInvalidArgument,
          fmt::format("logit_bias names token {}; the vocabulary has {}", id, logits.size()));
    }
    logits[static_cast<std::size_t>(id)] += bias;
  }
  if (params_.repetition_penalty != 1.0f) {
    const std::size_t window =
        std::min(history.size(), static_cast<std::size_t>(params_.repetition_window));
    std::unordered_set<TokenId> seen(history.end() - static_cast<std::ptrdiff_t>(window),
                                     history.end());
    for (const TokenId id : seen) {
      float& logit = logits[static_cast<std::size_t>(id)];
      logit =
          logit > 0.0f ? logit / params_.repetition_penalty : logit * params_.repetition_penalty;
    }
  }
  if (params_.dry_multiplier > 0.0f) DiscourageCopies(logits, history, generated);
  if (params_.mask) params_.mask(logits, history.last(generated));
  TokenId best = -1;
  float most = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (!(logits[i] <= std::numeric_limits<float>::max())) {
      return Status(StatusCode::kNumericError,
                    fmt::format("numeric_error: the logit of token {} is {}", i, logits[i]));
    }
    if (logits[i] > most) {
      most = logits[i];
      best = static_cast<TokenId>(i);
    }
  }
  if (best < 0) return Status(StatusCode::kNumericError, "every token is forbidden");
  if (params_.temperature == 0.0f) return best;

  return Draw(logits, most);
}

void Sampler::DiscourageCopies(std::span<float> logits, std::span<const TokenId> history,
                               std::size_t generated) const {
  constexpr std::size_t kMost = 48;  // Longer copies are as good as forbidden already.
  const auto allowed = static_cast<std::size_t>(params_.dry_allowed);
  if (generated < allowed) return;
  const std::size_t end = history.size();
  const std::size_t most = std::min({generated, kMost, end - 1});
  std::unordered_map<TokenId, std::size_t> longest;
  for (std::size_t next = 1; next < end; ++next) {
    // How much of what stands before `next` is also what was generated last.
    std::size_t length = 0;
    while (length < most && length < next &&
           history[next - 1 - length] == history[end - 1 - length]) {
      ++length;
    }
    if (length < allowed) continue;
    std::size_t& known = longest[history[next]];
    known = std::max(known, length);
  }
  for (const auto& [token, length] : longest) {
    logits[static_cast<std::size_t>(token)] -=
        params_.dry_multiplier * std::pow(params_.dry_base, static_cast<float>(length - allowed));
  }
}

TokenId Sampler::Draw(std::span<const float> logits, float most) {
  candidates_.clear();
  const double inverse = 1.0 / static_cast<double>(params_.temperature);
  // Below e^-30 of the best a token could not matter in single precision.
  const float least = most - 30.0f * params_.temperature;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] >= least) candidates_.emplace_back(logits[i], static_cast<TokenId>(i));
  }
  const auto better = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  if (params_.top_k > 0 && static_cast<std::size_t>(params_.top_k) < candidates_.size()) {
    std::nth_element(candidates_.begin(), candidates_.begin() + params_.top_k, candidates_.end(),
                     better);
    candidates_.resize(static_cast<std::size_t>(params_.top_k));
    std::sort(candidates_.begin(), candidates_.end(), better);  // One order on every platform.
  }
  double total = 0.0;
  for (auto& [value, id] : candidates_) {
    value = static_cast<float>(
        PortableExp((static_cast<double>(value) - static_cast<double>(most)) * inverse));
    total += static_cast<double>(value);
  }
  if (params_.top_p < 1.0f) {
    // A vocabulary is large and the kept part small: sort from the top, only as far as needed.
    const double wanted = static_cast<double>(params_.top_p) * total;
    double mass = 0.0;
    std::size_t kept = 0;
    for (std::size_t sorted = 0; kept < candidates_.size() && mass < wanted;) {
      const std::size_t next = std::min(candidates_.size(), std::max<std::size_t>(64, sorted * 4));
      const auto begin = candidates_.begin() + static_cast<std::ptrdiff_t>(sorted);
      const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(next);
      if (end != candidates_.end()) std::nth_element(begin, end, candidates_.end(), better);
      std::sort(begin, end, better);
      sorted = next;
      while (kept < sorted && mass < wanted) {
        mass += static_cast<double>(candidates_[kept++].first);
      }
    }
    candidates_.resize(std::max<std::size_t>(kept, 1));
  }
  // The best token has the value 1.
  std::erase_if(candidates_, [&](const auto& one) { return one.first < params_.min_p; });
  total = 0.0;
  for (const auto& one : candidates_) total += static_cast<double>(one.first);
  double draw = NextUniform() * total;
  for (const auto& [value, id] : candidates_) {
    draw -= static_cast<double>(value);
    if (draw < 0.0) return id;
  }
  return candidates_.back().second;
}

std::string TextGate::Push(std::string_view bytes) {
  if (stopped_) return "";
  // Byte by byte: the result does not depend on how the text was cut into tokens.
  for (const char byte : bytes) {
    held_.push_back(byte);
    std::size_t longest = 0;
    for (const std::string& stop : stops_) {
      if (stop.back() == byte && stop.size() > longest && held_.ends_with(stop)) {
        longest = stop.size();
      }
    }
    if (longest == 0) continue;
    stopped_ = true;
    std::string shown = RepairUtf8(std::string_view(held_).substr(0, held_.size() - longest));
    held_.clear();
    return shown;
  }
  // The longest end of the text that begins a stop string stays back.
  std::size_t keep = 0;
  for (const std::string& stop : stops_) {
    for (std::size_t n = std::min(stop.size() - 1, held_.size()); n > keep; --n) {
      if (held_.compare(held_.size() - n, n, stop, 0, n) == 0) {
        keep = n;
        break;
      }
    }
  }
  const std::size_t show =
      CompleteUtf8Prefix(std::string_view(held_).substr(0, held_.size() - keep));
  std::string shown = RepairUtf8(std::string_view(held_).substr(0, show));
  held_.erase(0, show);
  return shown;
}

std::string TextGate::Finish() {
  std::string rest = stopped_ ? "" : RepairUtf8(held_);
  held_.clear();
  return rest;
}

}  // namespace liubai::engine
