#include "memory/essence_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "memory/essence.h"
#include "memory/prompt.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

constexpr int kLeastOverview = 24;

// A root, and how links name it: its id, or -1 - its place among the new ones.
struct Root {
  Essence essence;
  std::int64_t name = 0;
};

// How closely the second goes on with what the first speaks of: shared words, less with the days
// between them.
double Affinity(const Essence& first, const Essence& second) {
  const Terms a = TermsOf(first.text), b = TermsOf(second.text);
  const double shared = static_cast<double>(Shared(a, b));
  const double all = static_cast<double>(a.size() + b.size()) - shared;
  const double days =
      static_cast<double>(std::max<std::int64_t>(second.first_time_ms - first.last_time_ms, 0)) /
      86'400'000.0;
  return (all > 0 ? shared / all : 0.0) / (1.0 + days / 7.0);
}

class Growth {
 public:
  Growth(const TreeShape& shape, const CountTokens& count) : shape_(shape), count_(count) {}

  TreeGrowth Run(const std::vector<Essence>& in_use, const std::vector<Essence>& under,
                 Essence leaf) {
    for (const Essence& essence : under) roots_.push_back({essence, essence.id});
    for (const Essence& essence : in_use) {
      last_id_ = std::max(last_id_, essence.id);
      if (essence.method == kOverview) {
        overview_ = &essence;
      } else {
        roots_.push_back({essence, essence.id});
      }
    }
    std::stable_sort(roots_.begin(), roots_.end(), [](const Root& a, const Root& b) {
      return a.essence.first_turn < b.essence.first_turn;
    });
    hidden_before_ = under.size();
    Add(std::move(leaf));
    roots_.push_back({out_.essences.back(), -1});
    while (MergeOnce()) {
    }
    Cover();
    return std::move(out_);
  }

 private:
  std::int64_t Add(Essence essence) {
    out_.essences.push_back(std::move(essence));
    return -static_cast<std::int64_t>(out_.essences.size());
  }

  // What the prompt has to hold for it. New ones get ids a little above the last.
  int Cost(const Essence& essence) const {
    Essence shown = essence;
    if (shown.id == 0) shown.id = last_id_ + 100;
    return count_(EssenceLine(shown)) + 2;
  }

  Essence Above(std::size_t begin, std::size_t end, int tokens) const {
    std::vector<Essence> parts;
    std::int32_t level = 0;
    for (std::size_t i = begin; i < end; ++i) {
      parts.push_back(roots_[i].essence);
      level = std::max(level, parts.back().level);
    }
    Essence above;
    above.session_id = parts.front().session_id;
    above.first_turn = parts.front().first_turn;
    above.last_turn = parts.back().last_turn;
    above.first_time_ms = parts.front().first_time_ms;
    above.last_time_ms = parts.back().last_time_ms;
    above.level = level + 1;
    above.text = MergeEssences(parts, tokens, count_, shape_.policy);
    above.method = "extractive";
    above.checked = true;
    above.time_ms = out_.essences.front().time_ms;
    return above;
  }

  // The oldest of a run of roots of one level become one when the run is long enough.
  bool MergeOnce() {
    for (std::size_t begin = 0; begin < roots_.size();) {
      const std::int32_t level = roots_[begin].essence.level;
      std::size_t end = begin;
      while (end < roots_.size() && roots_[end].essence.level == level) ++end;
      const int most = static_cast<int>(shape_.policy.fan_out) + 1;
      const int stay = level == 0 ? static_cast<int>(shape_.policy.fine_essences) : 1;
      if (end - begin >= static_cast<std::size_t>(most + stay)) {
        Merge(begin, begin + Border(begin, most));
        return true;
      }
      begin = end;
    }
    return false;
  }

  // How many of the roots from `begin` on belong together best: fan_out, one less or one more.
  std::size_t Border(std::size_t begin, int most) const {
    std::size_t best = 0;
    double least = 0;
    for (int k = std::max(2, most - 2); k <= most; ++k) {
      const std::size_t at = begin + static_cast<std::size_t>(k);
      const double affinity = Affinity(roots_[at - 1].essence, roots_[at].essence);
      if (best == 0 || affinity < least) least = affinity, best = static_cast<std::size_t>(k);
    }
    return best;
  }

  void Merge(std::size_t begin, std::size_t end) {
    Root above{Above(begin, end, shape_.upper_tokens), 0};
    above.name = Add(above.essence);
    std::size_t hidden = 0;  // Of those that are hidden now, as many become one.
    for (std::size_t i = begin; i < end; ++i) {
      out_.links.emplace_back(roots_[i].name, above.name);
      hidden += i < hidden_before_;
    }
    hidden_before_ -= hidden;
    hidden_before_ += hidden == end - begin;
    roots_.erase(roots_.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                 roots_.begin() + static_cast<std::ptrdiff_t>(end));
    roots_[begin] = std::move(above);
  }

  // The newest roots as far as they fit; what is older is under the overview.
  void Cover() {
    std::vector<int> costs;
    int all = 0;
    for (const Root& root : roots_) all += costs.emplace_back(Cost(root.essence));
    const int for_overview = std::max(
        kLeastOverview, static_cast<int>(shape_.policy.overview_share * shape_.all_tokens));
    std::size_t hidden = 0;
    if (all > shape_.all_tokens) {
      while (hidden + 1 < roots_.size() && all > shape_.all_tokens - for_overview) {
        all -= costs[hidden++];
      }
    }
    if (hidden == 0) {
      // A larger window shows what was under the overview.
      for (const Root& root : roots_) {
        if (overview_ != nullptr && root.name > 0) out_.links.emplace_back(root.name, 0);
      }
      if (overview_ != nullptr) out_.links.emplace_back(overview_->id, roots_.front().name);
      return;
    }
    const bool below =
        std::all_of(roots_.begin(), roots_.begin() + static_cast<std::ptrdiff_t>(hidden),
                    [&](const Root& root) {
                      return overview_ != nullptr && root.essence.level < overview_->level;
                    });
    if (below && hidden == hidden_before_ &&
        overview_->last_turn == roots_[hidden - 1].essence.last_turn &&
        all + Cost(*overview_) <= shape_.all_tokens) {
      // The same turns; merged ones among them have moved one step down.
      for (std::size_t i = 0; i < hidden; ++i) {
        if (roots_[i].name < 0) out_.links.emplace_back(roots_[i].name, overview_->id);
      }
      return;
    }
    Essence overview = Above(0, hidden, 0);
    overview.method = kOverview;
    const int around = Cost(overview) - count_(overview.text);
    int room = std::max(for_overview - around, kLeastOverview / 2);
    // Tokens may split otherwise where heading and text meet.
    for (int tries = 0; tries < 4; ++tries) {
      std::vector<Essence> parts;
      for (std::size_t i = 0; i < hidden; ++i) parts.push_back(roots_[i].essence);
      overview.text = MergeEssences(parts, room, count_, shape_.policy);
      const int over = all + Cost(overview) - shape_.all_tokens;
      if (over <= 0 || room <= kLeastOverview / 2) break;
      room = std::max(room - over, kLeastOverview / 2);
    }
    const std::int64_t name = Add(std::move(overview));
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      if (i < hidden) {
        out_.links.emplace_back(roots_[i].name, name);
      } else if (i < hidden_before_ && roots_[i].name > 0) {
        out_.links.emplace_back(roots_[i].name, 0);
      }
    }
    if (overview_ != nullptr) out_.links.emplace_back(overview_->id, name);
  }

  const TreeShape& shape_;
  const CountTokens& count_;
  TreeGrowth out_;
  std::vector<Root> roots_;
  std::size_t hidden_before_ = 0;  // Of the roots, those under the present overview.
  const Essence* overview_ = nullptr;
  std::int64_t last_id_ = 0;
};

}  // namespace

std::string ForkKey(SessionId session) { return fmt::format("essences.from.{}", session); }

TreeGrowth GrowTree(const std::vector<Essence>& in_use, const std::vector<Essence>& under,
                    Essence leaf, const TreeShape& shape, const CountTokens& count) {
  return Growth(shape, count).Run(in_use, under, std::move(leaf));
}

}  // namespace liubai::memory
