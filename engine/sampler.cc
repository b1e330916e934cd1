#include "engine/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <unordered_set>

#include "core/hash.h"
#include "core/text.h"
#include "fmt/format.h"

namespace liubai::engine {

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

  candidates_.clear();
  const float inverse = 1.0f / params_.temperature;
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
  }
  std::sort(candidates_.begin(), candidates_.end(), better);
  double total = 0.0;
  for (auto& [value, id] : candidates_) {
    value = std::exp((value - most) * inverse);
    total += static_cast<double>(value);
  }
  std::size_t kept = candidates_.size();
  if (params_.top_p < 1.0f) {
    double mass = 0.0;
    for (kept = 0; kept < candidates_.size();) {
      mass += static_cast<double>(candidates_[kept++].first);
      if (mass >= static_cast<double>(params_.top_p) * total) break;
    }
  }
  while (kept > 1 && candidates_[kept - 1].first < params_.min_p) --kept;
  total = 0.0;
  for (std::size_t i = 0; i < kept; ++i) total += static_cast<double>(candidates_[i].first);
  double draw = NextUniform() * total;
  for (std::size_t i = 0; i < kept; ++i) {
    draw -= static_cast<double>(candidates_[i].first);
    if (draw < 0.0) return candidates_[i].second;
  }
  return candidates_[kept - 1].second;
}

std::string TextGate::Push(std::string_view bytes) {
  if (stopped_) return "";
  held_.append(bytes);
  std::size_t first = std::string::npos;
  for (const std::string& stop : stops_) first = std::min(first, held_.find(stop));
  if (first != std::string::npos) {
    stopped_ = true;
    std::string shown = RepairUtf8(held_.substr(0, first));
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
