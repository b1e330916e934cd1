// liubai/language_model.h: a model that continues a context, and the context as a list of segments.
//
// Errors:  kNotFound, kDataLoss, kUnimplemented when a model file cannot be used;
// kResourceExhausted
//          when the KV pool cannot hold a context (the message gives pages wanted, free and total);
//          kCancelled when a stop was requested; kNumericError when logits are not finite;
//          kInvalidArgument for values outside their documented range.
// Threads: const methods of LanguageModel may run together, also while contexts are in use. A
// Context
//          belongs to one thread at a time; contexts of one model used from different threads take
//          turns.
// Units:   *_tokens are tokens of this model's own tokenizer; *_us are microseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/grammar.h"
#include "liubai/log.h"
#include "liubai/sampling.h"
#include "liubai/status.h"
#include "liubai/types.h"

namespace liubai::inline v1 {

enum class KvFormat : std::uint8_t {  // Stored in session files: never renumber.
  kF16 = 0,                           // 2 bytes a value.
  kQ8 = 1,                            // 1 byte a value and a float32 scale for each head and token.
};

struct LanguageModelOptions {
  int threads = 0;                    // 1..256; 0: one for each core that this process may use.
  int context_tokens = 0;             // 16..the trained length; 0: that length, at most 8,192.
  std::uint64_t kv_budget_bytes = 0;  // 0: room for four contexts of context_tokens.
  KvFormat kv_format = KvFormat::kQ8;
  bool exact = false;              // float32 activations on dequantised weights: slow, for tests.
  int prefill_chunk_tokens = 256;  // 1..4096: also how often a prefill looks at its stop token.
  std::string chat_template;  // "", or "chatml", "qwen", "llama3", "gemma" against the file's own.
  Logger logger;
};

struct ModelInfo {
  std::string name;  // general.name of the file, or the file's own name.
  std::string path;
  std::string architecture;   // "llama", "qwen2", ...
  std::string fingerprint;    // Of weights and tokenizer: equal for equal files.
  std::string isa;            // "avx512-vnni", "avx2", "portable".
  std::string chat_template;  // "chatml", ...; empty when the file has none.
  std::uint64_t parameters = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t weight_bytes = 0;  // In memory, after repacking.
  std::uint64_t kv_budget_bytes = 0;
  std::uint64_t kv_bytes_per_token = 0;
  int trained_context_tokens = 0;
  int context_tokens = 0;
  int vocabulary_size = 0;
  int layers = 0;
  int threads = 0;
  KvFormat kv_format = KvFormat::kQ8;
};

enum class SegmentKind : std::uint8_t {  // Stored in session files: never renumber.
  kSystem = 0,
  kBlock = 1,     // A memory block.
  kEssence = 2,   // A summary of older turns.
  kTurn = 3,      // One turn of the hot window, verbatim.
  kRecalled = 4,  // Memories brought back for one question.
  kNotice = 5,    // An announcement late in the context.
  kOther = 6,
};

// A stretch of the context that is edited as a whole.
struct Segment {
  SegmentKind kind = SegmentKind::kOther;
  std::uint64_t id = 0;  // The caller's own label, for example a turn id; not interpreted.
  std::vector<TokenId> tokens;
};

struct ContextStats {
  int tokens = 0;           // In the list of segments.
  int computed_tokens = 0;  // Leading tokens whose keys and values are in the cache.
  int capacity_tokens = 0;
  int pages = 0;         // Held by this context, shared ones included.
  int shared_pages = 0;  // Of those, held by others too.
  int pool_pages = 0;    // In the model's pool.
  int pool_free_pages = 0;
};

enum class StopReason : std::uint8_t {
  kEndOfTurn,    // The model ended its message.
  kStopString,   // One of SamplingParams::stop was produced; it is not part of the text.
  kMaxTokens,    // SamplingParams::max_tokens was reached.
  kContextFull,  // The context's capacity was reached.
  kCancelled,    // The stop token or the callback asked for it.
  kRejected,     // SamplingParams::accept refused the next token.
};
std::string_view StopReasonName(StopReason reason);

struct Generation {
  std::string text;             // Valid UTF-8.
  std::vector<TokenId> tokens;  // What the context was extended with: no end-of-turn token.
  // Of each token under the model's own distribution, before bias, penalty and temperature; empty
  // unless SamplingParams::logprobs.
  std::vector<float> logprobs;
  StopReason reason = StopReason::kEndOfTurn;
  int prompt_tokens = 0;            // In the context before the first generated token.
  int prefilled_tokens = 0;         // Of those, computed by this call; the rest was in the cache.
  std::int64_t first_token_us = 0;  // From the call to the first generated token.
  std::int64_t total_us = 0;
};

// Called with each new piece of whole code points; false stops the generation. Must not throw.
using OnText = std::function<bool(std::string_view piece)>;

// A sequence of tokens in segments, with its keys and values in pages of the model's pool.
// The model outlives its contexts.
class Context {
 public:
  virtual ~Context() = default;

  // Replaces the whole list. The longest common prefix with what is computed stays computed; pages
  // found in the prefix index are shared instead of computed. Nothing is computed by this call.
  // kInvalidArgument: a token is not in the vocabulary, or the list is longer than the capacity.
  virtual Status SetSegments(std::vector<Segment> segments) = 0;
  virtual Status Append(Segment segment) = 0;
  virtual const std::vector<Segment>& segments() const = 0;
  virtual ContextStats stats() const = 0;

  // Computes everything that is not in the cache. On failure what was computed stays usable.
  virtual Status Prefill(std::stop_token stop = {}) = 0;

  // Prefills, then extends the last segment token by token. A cancelled generation is an OK result
  // with StopReason::kCancelled. kFailedPrecondition: the context is empty.
  virtual Result<Generation> Generate(const SamplingParams& sampling, const OnText& on_text = {},
                                      std::stop_token stop = {}) = 0;

  // The next-token logits after the last token, [vocabulary_size]; prefills first.
  virtual Result<std::vector<float>> NextLogits(std::stop_token stop = {}) = 0;

  // A second context with the same segments that shares this one's pages until either writes.
  virtual Result<std::unique_ptr<Context>> Fork() const = 0;
};

class LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  virtual const ModelInfo& info() const = 0;

  // Text of users and memories: control tokens inside it are encoded as plain characters.
  virtual std::vector<TokenId> Tokenize(std::string_view text) const = 0;
  // Control tokens such as <|im_start|> are recognised; `add_special` adds what the model expects
  // around a whole text (a beginning-of-sequence token, for example).
  virtual std::vector<TokenId> TokenizeWithControls(std::string_view text,
                                                    bool add_special = false) const = 0;
  virtual std::string Detokenize(std::span<const TokenId> tokens) const = 0;

  // Chat, rendered message by message so that history is tokenised once. The context of a chat is
  //   Start(system), First(system, user), ReplyHeader, <generated>, MessageEnd,
  //   Message("user", ...), ReplyHeader, <generated>, MessageEnd, ...
  // as the model's own template writes it. An empty `system` is the template's default, if it has
  // one. A format without a system role (Gemma) begins the user's first turn with the system text:
  // there the start ends within that turn, which nothing but First may go on, or a MessageEnd
  // close. kFailedPrecondition: the model has no chat template.
  virtual Result<std::vector<TokenId>> ChatStart(std::string_view system) const = 0;
  virtual Result<std::vector<TokenId>> ChatFirst(std::string_view system,
                                                 std::string_view user) const = 0;
  virtual Result<std::vector<TokenId>> ChatMessage(std::string_view role,
                                                   std::string_view content) const = 0;
  virtual Result<std::vector<TokenId>> ChatReplyHeader() const = 0;
  virtual Result<std::vector<TokenId>> ChatMessageEnd() const = 0;
  Result<std::vector<TokenId>> ChatOpening(std::string_view system,
                                           std::string_view user) const;  // Start and First.

  // For SamplingParams::mask: what is generated is a value of `grammar` (see liubai/grammar.h). It
  // serves one generation at a time and may be used for many; the model outlives it.
  // kUnimplemented: this model has no vocabulary to mask.
  virtual Result<TokenMask> MaskFor(const Grammar& grammar) const;

  virtual Result<std::unique_ptr<Context>> NewContext() = 0;

  struct BatchItem {
    Context* context = nullptr;  // Of this model; distinct.
    SamplingParams sampling;
    OnText on_text;
  };
  // Generates for several contexts together, one batch a step. Result i belongs to items[i].
  virtual Result<std::vector<Generation>> GenerateBatch(std::span<const BatchItem> items,
                                                        std::stop_token stop = {}) = 0;

  // Negative log-likelihood of tokens[i] given tokens[0..i), for i in [1, size), and the arg-max of
  // each position's logits. kInvalidArgument: fewer than 2 tokens, or more than the capacity.
  struct Score {
    std::vector<float> nll;        // [size - 1]
    std::vector<TokenId> arg_max;  // [size]
  };
  virtual Result<Score> ScoreTokens(std::span<const TokenId> tokens, std::stop_token stop = {}) = 0;
};

// Loads a GGUF file: `llama`, `qwen2`, `qwen3`, `gemma3`.
Result<std::unique_ptr<LanguageModel>> LoadLanguageModel(const std::string& path,
                                                         const LanguageModelOptions& options = {});

}  // namespace liubai::inline v1
