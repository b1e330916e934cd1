// engine/grammar_mask.h: which tokens of a vocabulary an automaton over bytes allows next.
//
// The vocabulary is a tree of bytes (Willard and Louf 2023 index a vocabulary by state; llama.cpp
// and XGrammar walk it as a tree): a walk steps the automaton down the tree and leaves every branch
// at the first byte that is not allowed. Within a string nearly all branches live. There the tokens
// that are nothing but characters of the string's class are known beforehand, with how many
// characters each begins, and only those with a closing quote in them are walked. What a state
// allows is kept, so that a state seen before costs a look-up and the pass over the logits.
//
// Errors:  GrammarMask::Create: kInvalidArgument for a grammar that is not valid or that the
//          vocabulary cannot spell byte by byte (naming the byte).
// Threads: const methods of GrammarVocabulary may run together; a GrammarMask belongs to one thread
//          at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/grammar.h"
#include "engine/tokenizer.h"
#include "liubai/types.h"

namespace liubai::engine {

// The texts of some tokens as a tree, its nodes in the order of a walk: a node, then all below it.
class TokenTrie {
 public:
  TokenTrie(const Tokenizer& tokenizer, std::vector<TokenId> tokens);

  // Calls enter(depth, byte) for nodes on the way down (depth 1 is a first byte), and, where it
  // returned true, found(token) for the tokens that end at the node; false leaves the branch.
  template <class Enter, class Found>
  void Walk(Enter&& enter, Found&& found) const {
    for (std::size_t node = 0; node < nodes_.size();) {
      const Node& one = nodes_[node];
      if (!enter(one.depth, one.byte)) {
        node = one.end;
        continue;
      }
      for (std::uint32_t i = one.first; i < one.first + one.count; ++i) found(tokens_[i]);
      ++node;
    }
  }
  std::size_t depth() const { return depth_; }  // Bytes of the longest token.

 private:
  struct Node {
    std::uint32_t end;           // The first node that is not below this one.
    std::uint32_t first, count;  // Tokens that end here, in tokens_.
    std::uint16_t depth;
    unsigned char byte;
  };
  std::vector<Node> nodes_;
  std::vector<TokenId> tokens_;  // By text.
  std::size_t depth_ = 0;
};

class GrammarVocabulary {
 public:
  // `tokenizer` outlives it. Control tokens and tokens without text are never allowed.
  explicit GrammarVocabulary(const Tokenizer& tokenizer);

  // Tokens within strings of a class.
  struct ClassTokens {
    struct Inner {
      TokenId token;
      std::uint32_t chars;  // Characters that it begins.
    };
    std::vector<std::uint64_t> bits;     // [words()]: all tokens that hold nothing else.
    std::vector<Inner> long_first;       // The same tokens, the one with most characters first.
    std::unique_ptr<TokenTrie> closing;  // Those with characters of the class, then a quote.
  };
  std::shared_ptr<const ClassTokens> Of(const CharClass& char_class) const;

  const Tokenizer& tokenizer() const { return tokenizer_; }
  const TokenTrie& trie() const { return trie_; }
  std::size_t words() const { return words_; }  // Of 64 tokens each.
  bool HasByte(unsigned char byte) const { return has_byte_[byte]; }
  bool has_all_continuations() const { return has_all_continuations_; }

 private:
  const Tokenizer& tokenizer_;
  TokenTrie trie_;
  std::size_t words_;
  std::array<bool, 256> has_byte_{};  // A token is this byte alone.
  bool has_all_continuations_ = true;
  mutable std::mutex mutex_;
  mutable std::map<std::vector<std::pair<char32_t, char32_t>>, std::shared_ptr<const ClassTokens>>
      classes_;
};

class GrammarMask {
 public:
  static Result<std::unique_ptr<GrammarMask>> Create(
      std::shared_ptr<const GrammarVocabulary> vocabulary, const Grammar& grammar);

  // Forbids what may not follow `generated`: see TokenMask. A list that does not go on from that of
  // the call before is read from its beginning.
  void Apply(std::span<float> logits, std::span<const TokenId> generated);

 private:
  using Bits = std::vector<std::uint64_t>;

  GrammarMask(std::shared_ptr<const GrammarVocabulary> vocabulary, GrammarAutomaton automaton);
  Status CheckSpelling() const;
  void Follow(std::span<const TokenId> generated);
  const Bits& Allowed();
  Bits Compute();
  void WalkInto(const TokenTrie& trie, Bits* bits);

  static constexpr std::size_t kMaxCacheBytes = std::size_t{32} << 20;

  std::shared_ptr<const GrammarVocabulary> vocabulary_;
  GrammarAutomaton automaton_;
  std::vector<TokenId> followed_;
  GrammarAutomaton::State state_, scratch_;
  std::vector<GrammarAutomaton::State> below_;  // [depth of the trie + 1]
  std::unordered_map<std::string, Bits> cache_;
};

}  // namespace liubai::engine
