// liubai/embedder.h: texts as vectors.
//
// Errors:  kInvalidArgument for a text longer than max_tokens() (both figures are in the message: callers
//          cut long texts, nothing is truncated in silence), invalid UTF-8 or a NUL; kCancelled.
// Threads: const methods may run together; they take turns on the embedder's own threads.
// Units:   vectors are L2-normalised float32, [texts, dimension], row-major.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/log.h"
#include "liubai/status.h"

namespace liubai::inline v1 {

enum class EmbedKind : std::uint8_t {
  kQuery,    // What is asked.
  kPassage,  // What is stored.
  kPlain,    // Without the model's prefix for either.
};

struct EmbedderOptions {
  int threads = 0;     // 1..256; 0: one for each core that this process may use.
  bool exact = false;  // float32 throughout: slow, for tests.
  Logger logger;
};

// One text's tokens, the model's special tokens and the prefix left out.
struct TokenVectors {
  std::vector<std::uint32_t> begin;  // [tokens] byte offset of the token in the text.
  std::vector<std::uint32_t> end;    // [tokens]
  std::vector<float> vectors;        // [tokens, dimension], not normalised.
};

class Embedder {
 public:
  virtual ~Embedder() = default;

  // Changes with weights, tokenizer or pooling: vectors of different ids must never be compared.
  virtual const std::string& id() const = 0;
  virtual const std::string& name() const = 0;
  virtual int dimension() const = 0;
  virtual int max_tokens() const = 0;  // Of one text, prefix and special tokens included.

  // With the prefix of `kind` and the special tokens.
  virtual Result<int> CountTokens(std::string_view text, EmbedKind kind) const = 0;
  // 0..1: which share of the text's tokens the vocabulary does not know, as those of a language
  // that the model was not made for. Vectors of such texts tell nothing.
  virtual Result<double> UnknownShare(std::string_view) const { return 0.0; }

  // [texts.size(), dimension()]
  virtual Result<std::vector<float>> Embed(std::span<const std::string_view> texts, EmbedKind kind,
                                           std::stop_token stop = {}) const = 0;

  // The last hidden state of every token, one entry a text.
  virtual Result<std::vector<TokenVectors>> EmbedTokens(std::span<const std::string_view> texts,
                                                        EmbedKind kind,
                                                        std::stop_token stop = {}) const = 0;
};

// Loads a GGUF file of architecture `bert`.
Result<std::unique_ptr<Embedder>> LoadEmbedder(const std::string& path,
                                               const EmbedderOptions& options = {});

}  // namespace liubai::inline v1
