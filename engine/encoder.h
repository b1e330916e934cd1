// engine/encoder.h: BERT encoders (Devlin and others 2018): texts of token ids in, hidden states
// out.
//
//   x = layer_norm(token_embedding[id] + position_embedding[i] + type_embedding[0])
//   for each layer:
//     x = layer_norm(x + attention(x Wq + bq, x Wk + bk, x Wv + bv) Wo + bo)
//     x = layer_norm(x + gelu(x Wup + bup) Wdown + bdown)
//
// Texts lie in a batch one after the other, without padding; each attends to its own tokens.
//
// Errors:  kUnimplemented for another architecture or pooling; kDataLoss for a file that
// contradicts
//          itself; both name the key or tensor.
// Threads: Forward is const and uses only its workspace; a team of threads may share one call.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/thread_pool.h"
#include "engine/gguf.h"
#include "kernels/matmul.h"
#include "liubai/status.h"
#include "liubai/types.h"

namespace liubai::engine {

struct EncoderConfig {
  std::string name;
  int layers = 0;
  int width = 0;
  int feed_forward = 0;
  int heads = 0;
  int vocabulary = 0;
  int max_tokens = 0;  // Of one text, special tokens included.
  float norm_epsilon = 1e-12f;
  std::string query_prefix;
  std::string passage_prefix;
};

// Texts that are encoded together.
struct EncoderBatch {
  std::vector<TokenId> ids;         // [tokens], the texts one after the other.
  std::vector<std::int64_t> begin;  // [texts + 1], where each text begins in `ids`.

  std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }
  std::int64_t texts() const { return static_cast<std::int64_t>(begin.size()) - 1; }
};

class Encoder {
 public:
  // The buffers of one Forward; they grow and are used again.
  struct Workspace;
  struct WorkspaceDelete {
    void operator()(Workspace* workspace) const;
  };
  using WorkspacePtr = std::unique_ptr<Workspace, WorkspaceDelete>;

  // `exact` computes in float32; else floats in the file are rounded to 8 bits when they are
  // packed.
  static Result<std::unique_ptr<Encoder>> Load(const std::string& path, bool exact,
                                               ThreadPool& pool);
  ~Encoder();

  const EncoderConfig& config() const;
  const GgufFile& file() const;
  // SHA-256 over the weights, the vocabulary and the rest of the metadata, its first 16 digits.
  const std::string& fingerprint() const;

  static WorkspacePtr NewWorkspace();
  // Sizes the workspace for a batch and a team of `members`.
  void Prepare(const EncoderBatch& batch, int members, Workspace& workspace) const;
  // Runs member `member` of a team of `members`: all of a pool's (they meet at its barrier), or one
  // thread alone with members == 1. Result: Hidden(workspace), complete when all members returned.
  // REQUIRES: Prepare came before; every id is below vocabulary; no text exceeds max_tokens.
  void Forward(const EncoderBatch& batch, int member, int members, ThreadPool& pool,
               Workspace& workspace) const;
  // [tokens, width] f32
  static const float* Hidden(const Workspace& workspace);

 private:
  struct Impl;
  explicit Encoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace liubai::engine
