#include "engine/grammar_mask.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/macros.h"
#include "fmt/format.h"

namespace liubai::engine {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

std::vector<TokenId> WritableTokens(const Tokenizer& tokenizer) {
  std::vector<TokenId> tokens;
  for (TokenId id = 0; id < tokenizer.vocab_size(); ++id) {
    const std::string_view text = tokenizer.TokenText(id);
    if (text.empty() || text.size() > 0xffff || tokenizer.IsControl(id) ||
        tokenizer.IsEndOfGeneration(id)) {
      continue;
    }
    tokens.push_back(id);
  }
  return tokens;
}

void Set(std::vector<std::uint64_t>* bits, TokenId token) {
  (*bits)[static_cast<std::size_t>(token) / 64] |= std::uint64_t{1} << (token % 64);
}

}  // namespace

TokenTrie::TokenTrie(const Tokenizer& tokenizer, std::vector<TokenId> tokens)
    : tokens_(std::move(tokens)) {
  std::stable_sort(tokens_.begin(), tokens_.end(), [&](TokenId a, TokenId b) {
    return tokenizer.TokenText(a) < tokenizer.TokenText(b);
  });
  std::vector<std::size_t> path;  // Nodes from the first byte to the last of the text before.
  const auto leave = [&](std::size_t depth) {
    for (; path.size() > depth; path.pop_back()) {
      nodes_[path.back()].end = static_cast<std::uint32_t>(nodes_.size());
    }
  };
  std::string_view before;
  for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
    const std::string_view text = tokenizer.TokenText(tokens_[i]);
    const auto common = static_cast<std::size_t>(
        std::mismatch(text.begin(), text.end(), before.begin(), before.end()).first - text.begin());
    leave(common);
    for (std::size_t at = common; at < text.size(); ++at) {
      path.push_back(nodes_.size());
      nodes_.push_back(
          {0, i, 0, static_cast<std::uint16_t>(at + 1), static_cast<unsigned char>(text[at])});
    }
    ++nodes_[path.back()].count;  // Equal texts are neighbours.
    depth_ = std::max(depth_, text.size());
    before = text;
  }
  leave(0);
}

GrammarVocabulary::GrammarVocabulary(const Tokenizer& tokenizer)
    : tokenizer_(tokenizer),
      trie_(tokenizer, WritableTokens(tokenizer)),
      words_((static_cast<std::size_t>(tokenizer.vocab_size()) + 63) / 64) {
  trie_.Walk(
      [&](std::uint16_t depth, unsigned char byte) {
        if (depth > 1) return false;
        // Set by its token, if it has one.
        has_byte_[byte] = false;
        return true;
      },
      [&](TokenId token) {
        has_byte_[static_cast<unsigned char>(tokenizer.TokenText(token)[0])] = true;
      });
  for (int byte = 0x80; byte < 0xc0; ++byte) {
    has_all_continuations_ &= has_byte_[static_cast<std::size_t>(byte)];
  }
}

std::shared_ptr<const GrammarVocabulary::ClassTokens> GrammarVocabulary::Of(
    const CharClass& char_class) const {
  std::vector<std::pair<char32_t, char32_t>> key;
  for (const CodePointRange& range : char_class.ranges()) key.emplace_back(range.first, range.last);
  const std::lock_guard lock(mutex_);
  auto& known = classes_[key];
  if (known != nullptr) return known;
  struct Begun {
    CharClass::Place place;
    std::uint32_t chars = 0;
    bool closed = false;
  };
  auto tokens = std::make_shared<ClassTokens>();
  tokens->bits.resize(words_);
  std::vector<TokenId> closing;
  std::vector<Begun> path(trie_.depth() + 1);
  std::uint16_t at = 0;
  trie_.Walk(
      [&](std::uint16_t depth, unsigned char byte) {
        Begun next = path[depth - 1];
        at = depth;
        if (!next.closed && byte == '"' && next.place.pending == 0) {
          next.closed = true;
        } else if (!next.closed) {
          bool begun = false;
          if (!char_class.Step(byte, &next.place, &begun)) return false;
          next.chars += begun ? 1 : 0;
        }
        path[depth] = next;
        return true;
      },
      [&](TokenId token) {
        const Begun& end = path[at];
        if (end.closed) {
          closing.push_back(token);
        } else if (has_all_continuations_ || end.place.pending == 0 ||
                   end.place.pending == CharClass::kEscape) {
          Set(&tokens->bits, token);
          tokens->long_first.push_back({token, end.chars});
        }
      });
  std::stable_sort(tokens->long_first.begin(), tokens->long_first.end(),
                   [](const auto& a, const auto& b) { return a.chars > b.chars; });
  tokens->closing = std::make_unique<TokenTrie>(tokenizer_, std::move(closing));
  known = std::move(tokens);
  return known;
}

GrammarMask::GrammarMask(std::shared_ptr<const GrammarVocabulary> vocabulary,
                         GrammarAutomaton automaton)
    : vocabulary_(std::move(vocabulary)),
      automaton_(std::move(automaton)),
      state_(automaton_.Start()),
      below_(vocabulary_->trie().depth() + 1) {}

Result<std::unique_ptr<GrammarMask>> GrammarMask::Create(
    std::shared_ptr<const GrammarVocabulary> vocabulary, const Grammar& grammar) {
  LIUBAI_ASSIGN_OR_RETURN(GrammarAutomaton automaton, GrammarAutomaton::Compile(grammar));
  std::unique_ptr<GrammarMask> mask(new GrammarMask(std::move(vocabulary), std::move(automaton)));
  LIUBAI_RETURN_IF_ERROR(mask->CheckSpelling());
  return mask;
}

// Where each byte that may come has a token of its own, no state is without a token.
Status GrammarMask::CheckSpelling() const {
  for (int byte = 0; byte < 256; ++byte) {
    const bool needed = (byte >= 0x20 && byte < 0x7f) || automaton_.Needs(byte);
    if (!needed || vocabulary_->HasByte(static_cast<unsigned char>(byte))) continue;
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("the vocabulary has no token for byte 0x{:02x} alone, and the "
                              "grammar needs it",
                              byte));
  }
  if (vocabulary_->has_all_continuations()) return Status();
  for (const CharClass& char_class : automaton_.classes()) {
    const auto tokens = vocabulary_->Of(char_class);
    const bool one = std::any_of(tokens->long_first.begin(), tokens->long_first.end(),
                                 [](const auto& inner) { return inner.chars == 1; });
    if (one || char_class.ranges().empty()) continue;
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("the vocabulary spells no character alone of those from U+{:04X} "
                              "that a string of the grammar may hold",
                              static_cast<std::uint32_t>(char_class.ranges().front().first)));
  }
  return Status();
}

void GrammarMask::Follow(std::span<const TokenId> generated) {
  const bool goes_on = followed_.size() <= generated.size() &&
                       std::equal(followed_.begin(), followed_.end(), generated.begin());
  if (!goes_on) {
    followed_.clear();
    state_ = automaton_.Start();
  }
  for (std::size_t i = followed_.size(); i < generated.size(); ++i) {
    for (const char byte : vocabulary_->tokenizer().TokenText(generated[i])) {
      automaton_.Step(state_, static_cast<unsigned char>(byte), &scratch_);
      std::swap(state_, scratch_);
    }
    followed_.push_back(generated[i]);
  }
}

void GrammarMask::WalkInto(const TokenTrie& trie, Bits* bits) {
  below_[0] = state_;
  std::uint16_t at = 0;
  trie.Walk(
      [&](std::uint16_t depth, unsigned char byte) {
        at = depth;
        automaton_.Step(below_[depth - 1u], byte, &below_[depth]);
        return !below_[depth].empty();
      },
      [&](TokenId token) {
        if (!vocabulary_->has_all_continuations() && automaton_.WithinCharacter(below_[at])) return;
        Set(bits, token);
      });
}

GrammarMask::Bits GrammarMask::Compute() {
  GrammarAutomaton::InString in;
  if (!automaton_.IsInString(state_, &in)) {
    Bits bits(vocabulary_->words());
    WalkInto(vocabulary_->trie(), &bits);
    return bits;
  }
  const auto tokens = vocabulary_->Of(automaton_.classes()[in.char_class]);
  Bits bits = tokens->bits;
  for (const auto& [token, chars] : tokens->long_first) {
    if (chars <= in.room) break;
    bits[static_cast<std::size_t>(token) / 64] &= ~(std::uint64_t{1} << (token % 64));
  }
  WalkInto(*tokens->closing, &bits);
  return bits;
}

const GrammarMask::Bits& GrammarMask::Allowed() {
  std::string key = automaton_.Key(state_, static_cast<std::uint32_t>(vocabulary_->trie().depth()));
  const auto known = cache_.find(key);
  if (known != cache_.end()) return known->second;
  if (cache_.size() * vocabulary_->words() * sizeof(std::uint64_t) > kMaxCacheBytes) {
    cache_.clear();
  }
  return cache_.emplace(std::move(key), Compute()).first->second;
}

void GrammarMask::Apply(std::span<float> logits, std::span<const TokenId> generated) {
  Follow(generated);
  const Bits& allowed = Allowed();
  // An end is no text: it is let through where the value is complete.
  std::vector<std::pair<TokenId, float>> ends;
  if (automaton_.Complete(state_)) {
    for (const TokenId end : vocabulary_->tokenizer().end_of_generation()) {
      if (end >= 0 && static_cast<std::size_t>(end) < logits.size()) {
        ends.emplace_back(end, logits[static_cast<std::size_t>(end)]);
      }
    }
  }
  for (std::size_t word = 0; word * 64 < logits.size(); ++word) {
    const std::uint64_t bits = word < allowed.size() ? allowed[word] : 0;
    if (bits == ~std::uint64_t{0}) continue;
    float* at = logits.data() + word * 64;
    const std::size_t count = std::min<std::size_t>(64, logits.size() - word * 64);
    if (bits == 0) {
      std::fill_n(at, count, kForbidden);
      continue;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if ((bits >> i & 1) == 0) at[i] = kForbidden;
    }
  }
  for (const auto& [end, logit] : ends) logits[static_cast<std::size_t>(end)] = logit;
}

}  // namespace liubai::engine
