#include "memory/facts_resolve.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "memory/facts_read.h"
#include "memory/ledger.h"
#include "memory/ledger_words.h"
#include "memory/sentence.h"

namespace liubai::memory {
namespace {

using words::Has;
using words::Holds;

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kSameTimeMs =
    kDayMs / 2;                      // Statements nearer than this are of one occasion.
constexpr TurnId kCorrectsBack = 8;  // A correction without a subject means one of the last turns.

// Words that name whatever there is of an attribute: "I sold my car", 辞职了.
constexpr std::string_view kAny[] = {"job",  "employer", "home", "car", "pet",   "pets", "partner",
                                     "工作", "单位",     "对象", "车",  "phone", "手机"};

std::string Plain(std::string_view value) { return ToLowerUtf8(Trim(value)); }

std::string_view AnimalOf(std::string_view value) {
  static constexpr std::string_view kDogs[] = {
      "dog",       "puppy",    "retriever", "labrador",  "poodle", "corgi",   "beagle",
      "terrier",   "bulldog",  "husky",     "dachshund", "collie", "spaniel", "chihuahua",
      "dalmatian", "shepherd", "mutt",      "狗",        "金毛",   "柯基",    "泰迪",
      "哈士奇",    "拉布拉多", "边牧",      "柴犬"};
  static constexpr std::string_view kCats[] = {"cat",  "kitten", "siamese", "tabby", "ragdoll",
                                               "coon", "猫",     "布偶",    "英短"};
  if (Holds(value, kDogs)) return "dog";
  if (Holds(value, kCats)) return "cat";
  return {};
}

bool Digits(std::string_view text) {
  return text.find_first_of("0123456789") != text.npos || SmallNumber(text) >= 0;
}

int AgeOf(std::string_view value) {
  const auto numbers = NumbersIn(value);
  if (numbers.empty() || numbers.front().size() > 3) return -1;
  return SmallNumber(numbers.front());
}

// Whether one can have been `before` then and be `after` now, `elapsed_ms` later.
bool AgesAgree(int before, int after, std::int64_t elapsed_ms) {
  if (before < 0 || after < 0) return true;
  const double years = static_cast<double>(elapsed_ms) / (365.25 * kDayMs);
  const double grown = after - before;
  return grown >= std::floor(years) - 1 && grown <= std::ceil(years) + 1 && grown >= 0;
}

Fact NewFact(const Claim& claim, const Turn& turn) {
  Fact fact;
  fact.statement = claim.statement;
  fact.subject = claim.subject;
  fact.attribute = claim.attribute;
  fact.value = claim.value;
  fact.kind = FactKindOf(claim.attribute);
  fact.sources = {turn.id};
  fact.valid_from_ms = claim.from_ms.value_or(turn.time_ms);
  fact.confidence = std::clamp(claim.confidence, 0.0, 1.0);
  fact.origin = turn.origin;
  fact.trust = turn.trust;
  fact.first_person = claim.first_person;
  return fact;
}

std::int64_t EndOf(const Fact& fact, std::int64_t at_ms) {
  return std::max(at_ms, fact.valid_from_ms);
}

}  // namespace

bool Holding(const Fact& fact) {
  return fact.state == FactState::kValid || fact.state == FactState::kDisputed;
}

std::string_view OppositeOf(std::string_view attribute) {
  if (attribute == "likes") return "dislikes";
  if (attribute == "dislikes" || attribute == "avoids") return "likes";
  return {};
}

bool SameValue(std::string_view attribute, std::string_view a, std::string_view b) {
  const std::string left = Plain(a), right = Plain(b);
  if (left.empty() || right.empty()) return false;
  if (left == right) return true;
  if (attribute == "age" || attribute == "turning age" || (Digits(left) && Digits(right))) {
    const auto numbers = NumbersIn(left), others = NumbersIn(right);
    if (!numbers.empty() && !others.empty() && numbers != others) return false;
    if (attribute == "age") return !numbers.empty() && numbers == others;
  }
  if (attribute == "pet") {
    const std::string_view animal = AnimalOf(left);
    // "dog" and "Max (golden retriever)"; two names are two animals.
    const bool bare = left.find('(') == left.npos && left.find("（") == left.npos;
    const bool other_bare = right.find('(') == right.npos && right.find("（") == right.npos;
    if (!animal.empty() && animal == AnimalOf(right) && (bare || other_bare)) return true;
  }
  // One says the other with more words: "Lyon" and "Lyon, France", 杭州 and 杭州西湖区.
  const std::string& shorter = left.size() < right.size() ? left : right;
  const std::string& longer = left.size() < right.size() ? right : left;
  if (shorter.size() >= 3 && longer.find(shorter) != longer.npos) {
    const Terms few = TermsOf(shorter), many = TermsOf(longer);
    if (few.empty()) return false;
    return Shared(few, many) == few.size();
  }
  // The same words in another order, or with others between. Most values have not one word in
  // common, and a look at two of them tells.
  const auto begins = [&](std::size_t at) {
    return longer.find(std::string_view(shorter).substr(at, 3)) != longer.npos;
  };
  const auto last_word = shorter.rfind(' ');
  if (shorter.size() < 3 ||
      (!begins(0) && !begins(last_word == shorter.npos ? 0 : last_word + 1))) {
    return false;
  }
  const Terms few = TermsOf(left), many = TermsOf(right);
  const std::size_t shared = Shared(few, many);
  return !few.empty() && !many.empty() && shared == std::min(few.size(), many.size());
}

Resolution Resolve(const Claim& claim, const Turn& turn, std::span<const Fact> known) {
  Resolution result;
  const std::int64_t now = turn.time_ms;
  const bool any = Has(kAny, Plain(claim.value));
  const auto close = [&](const Fact& fact, std::int64_t at_ms) {
    result.changes.push_back({fact.id, FactState::kClosed, EndOf(fact, at_ms)});
  };

  if (claim.kind == ClaimKind::kEnded) {
    const std::int64_t end = claim.to_ms.value_or(now);
    for (const Fact& fact : known) {
      if (fact.attribute != claim.attribute || !Holding(fact)) continue;
      // "I love my new phone; I sold the old one": what is told in the same breath stays.
      if (std::find(fact.sources.begin(), fact.sources.end(), turn.id) != fact.sources.end())
        continue;
      if (any || SameValue(claim.attribute, claim.value, fact.value)) close(fact, end);
    }
    return result;
  }

  Fact fact = NewFact(claim, turn);
  if (claim.kind == ClaimKind::kFormer) {
    fact.state = FactState::kClosed;
    fact.closed_by = turn.id;
    fact.valid_to_ms = claim.to_ms.value_or(now);
    // When it began is not known, unless it is said.
    fact.valid_from_ms = std::min(claim.from_ms.value_or(0), *fact.valid_to_ms);
    for (const Fact& old : known) {
      if (old.attribute == claim.attribute && Holding(old) &&
          SameValue(claim.attribute, claim.value, old.value))
        close(old, *fact.valid_to_ms);
    }
    result.fact = std::move(fact);
    return result;
  }

  bool repeated = false, corrected = false;
  for (const Fact& old : known) {
    if (!Holding(old)) continue;
    if (old.attribute == OppositeOf(claim.attribute)) {
      // "I love coffee now": what was disliked.
      if (SameValue(claim.attribute, claim.value, old.value)) close(old, fact.valid_from_ms);
      continue;
    }
    if (old.attribute != claim.attribute) continue;
    if (SameValue(claim.attribute, claim.value, old.value)) {
      repeated = true;
      if (old.state == FactState::kDisputed && now - old.valid_from_ms > kSameTimeMs) {
        result.changes.push_back({old.id, FactState::kValid, std::nullopt});
      }
      continue;
    }
    if (claim.kind == ClaimKind::kCorrects) {
      const bool meant = claim.wrong.empty() ? IsSingleValued(claim.attribute)
                                             : SameValue(claim.attribute, claim.wrong, old.value);
      if (meant) {
        corrected = true;
        result.changes.push_back({old.id, FactState::kWrong, old.valid_from_ms});
        // It stands in the other's place from the beginning.
        fact.valid_from_ms = std::min(fact.valid_from_ms, old.valid_from_ms);
        continue;
      }
    }
    if (!IsSingleValued(claim.attribute)) continue;
    const bool age = claim.attribute == "age";
    const std::int64_t said = old.valid_from_ms;
    // Grown older is no contradiction, and no later news either if one tells of the other day.
    if (age && !AgesAgree(AgeOf(old.value), AgeOf(claim.value), now - said)) {
      if (!claim.change) {
        fact.state = FactState::kDisputed;
        result.changes.push_back({old.id, FactState::kDisputed, std::nullopt});
        continue;
      }
    }
    const bool later = now - said > kSameTimeMs;
    const bool decided = old.state == FactState::kDisputed && later;
    if (IsLasting(claim.attribute) && !decided) {
      fact.state = FactState::kDisputed;
      result.changes.push_back({old.id, FactState::kDisputed, std::nullopt});
    } else if (claim.change || later || decided) {
      close(old, fact.valid_from_ms);
    } else {
      fact.state = FactState::kDisputed;
      result.changes.push_back({old.id, FactState::kDisputed, std::nullopt});
    }
  }
  // Said again, a disputed fact is the one that counts.
  if (repeated && !corrected && fact.state == FactState::kDisputed &&
      std::any_of(result.changes.begin(), result.changes.end(),
                  [](const FactChange& change) { return change.state == FactState::kValid; })) {
    fact.state = FactState::kValid;
    for (FactChange& change : result.changes) {
      if (change.state == FactState::kDisputed) {
        change.state = FactState::kClosed;
        change.valid_to_ms = now;
      }
    }
  }
  result.fact = std::move(fact);
  return result;
}

Resolution ResolveCorrection(const Claim& claim, const Turn& turn, std::span<const Fact> recent) {
  for (const Fact& old : recent) {
    if (!Holding(old) || old.sources.empty()) continue;
    if (turn.id - old.sources.back() > kCorrectsBack || old.sources.back() == turn.id) continue;
    if (FactKindOf(old.attribute).empty()) continue;
    if (claim.wrong.empty()) {
      // "I meant Hanna": of the same make, and not the same.
      if (Digits(claim.value) != Digits(old.value) || old.attribute == "plan") continue;
      if (SameValue(old.attribute, claim.value, old.value)) continue;
    } else if (!SameValue(old.attribute, claim.wrong, old.value)) {
      continue;
    }
    Resolution result;
    Claim corrected = claim;
    corrected.subject = old.subject;
    corrected.attribute = old.attribute;
    corrected.first_person = old.first_person;
    Fact fact = NewFact(corrected, turn);
    // "Max (dog)" keeps what was not corrected.
    if (!claim.wrong.empty() && old.value.size() > claim.wrong.size()) {
      const auto at = old.value.find(claim.wrong);
      if (at != old.value.npos) {
        fact.value = old.value;
        fact.value.replace(at, claim.wrong.size(), claim.value);
      }
    }
    fact.valid_from_ms = old.valid_from_ms;
    for (const Fact& same : recent) {
      if (Holding(same) && same.subject == old.subject && same.attribute == old.attribute &&
          SameValue(old.attribute, same.value, old.value)) {
        result.changes.push_back({same.id, FactState::kWrong, same.valid_from_ms});
      }
    }
    result.fact = std::move(fact);
    return result;
  }
  return {};
}

}  // namespace liubai::memory
