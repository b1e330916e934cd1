// engine/decoder.h: runs batches of tokens of several sequences through a decoder model.
//
// Errors:  kCancelled between chunks (by the caller); kNumericError naming the layer when a hidden
// state is
//          not finite.
// Threads: one Forward at a time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/thread_pool.h"
#include "engine/kv_cache.h"
#include "engine/model.h"
#include "liubai/language_model.h"
#include "liubai/status.h"

namespace liubai::engine {

// The last `count` tokens of a sequence that was extended for them.
struct DecoderInput {
  const KvSequence* sequence = nullptr;
  int count = 0;
  bool all_logits = false;  // Logits of each of the tokens, else of the last one if last_logits.
  bool last_logits = false;
};

class Decoder {
 public:
  // `model` and `threads` outlive the decoder. Positions are below context_tokens.
  Decoder(const DecoderModel& model, KvFormat format, int context_tokens, ThreadPool& threads);
  ~Decoder();

  // The groups of layers that the pool must serve.
  const std::vector<KvGroup>& groups() const { return groups_; }

  // Computes keys and values of all inputs into `pool` and the logits asked for, in order of the
  // inputs: logits() is [rows, vocabulary] until the next call.
  Status Forward(KvPool& pool, std::span<const DecoderInput> inputs);
  std::span<const float> logits() const;

 private:
  struct Buffers;
  struct Rotation;
  struct LayerCache;
  LayerCache CacheOf(int layer) const;
  void RunMember(int member);
  void Attend(int member, int layer);
  void RotateAndStore(int member, int layer);

  const DecoderModel& model_;
  KvFormat format_;
  int context_tokens_;
  ThreadPool& threads_;
  std::vector<KvGroup> groups_;
  std::vector<int> group_of_layer_;
  std::vector<int> index_in_group_;
  std::unique_ptr<Rotation> full_rotation_;
  std::unique_ptr<Rotation> window_rotation_;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace liubai::engine
