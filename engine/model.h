// engine/model.h: a decoder model's weights and the data that describe its graph.
//
// One graph serves all architectures: what differs is described by DecoderConfig and by which
// tensors exist.
//
//   x = embedding * embedding_scale
//   for each layer:
//     h = rms_norm(x);  q, k, v = h Wq + bq, h Wk + bk, h Wv + bv;  q, k = rms_norm per head, if
//     any q, k = rope(q), rope(k);  a = attention(q, k, v) Wo;  a = rms_norm(a), if any;  x += a h
//     = rms_norm(x);  f = (activation(h Wgate) * (h Wup)) Wdown;  f = rms_norm(f), if any;  x += f
//   logits = rms_norm(x) Woutput
//
// Errors:  kUnimplemented for an architecture or feature that is not known; kDataLoss for a file
// that
//          contradicts itself; both name the key or tensor.
// Threads: immutable after Load.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/thread_pool.h"
#include "engine/gguf.h"
#include "kernels/matmul.h"
#include "kernels/paged_attention.h"
#include "liubai/status.h"

namespace liubai::engine {

enum class RopePairs : std::uint8_t {
  kAdjacent,  // Dimensions 2i and 2i + 1 turn together (llama files).
  kHalves,    // Dimensions i and i + head_dim / 2 (qwen2, qwen3, gemma3).
};

enum class GateActivation : std::uint8_t { kSilu, kGeluTanh };

struct DecoderConfig {
  std::string architecture;
  std::string name;
  int layers = 0;
  int width = 0;
  int feed_forward = 0;
  int q_heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int vocabulary = 0;
  int trained_context_tokens = 0;
  float norm_epsilon = 1e-5f;
  float embedding_scale = 1.0f;
  float attention_scale = 1.0f;
  RopePairs rope_pairs = RopePairs::kAdjacent;
  GateActivation activation = GateActivation::kSilu;
  float rope_theta = 10000.0f;
  float rope_scale = 1.0f;          // Positions are multiplied by it (linear scaling).
  std::vector<float> rope_factors;  // [head_dim / 2] divisors of the frequencies, or empty.
  // Layers with a sliding window have a theta of their own. window_pattern n: every n-th layer is
  // global.
  int window = 0;
  int window_pattern = 0;
  float window_rope_theta = 10000.0f;

  bool IsWindowLayer(int layer) const {
    return window > 0 && (window_pattern == 0 || (layer + 1) % window_pattern != 0);
  }
};

// A weight matrix [rows, cols]: packed for the fast path, or where it lies in the file for the
// exact one.
struct WeightMatrix {
  kernels::PackedMatrix packed;
  kernels::DataType type = kernels::DataType::kF32;
  const std::byte* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> bias;  // [rows] or empty.
};

struct DecoderLayer {
  std::vector<float> attention_norm, feed_forward_norm;            // [width]
  std::vector<float> q_norm, k_norm;                               // [head_dim] or empty.
  std::vector<float> post_attention_norm, post_feed_forward_norm;  // [width] or empty.
  WeightMatrix q, k, v, output, gate, up, down;
};

class DecoderModel {
 public:
  // `exact` keeps the matrices in the file instead of packing them.
  static Result<std::unique_ptr<DecoderModel>> Load(const std::string& path, bool exact,
                                                    ThreadPool& pool);

  const DecoderConfig& config() const { return config_; }
  const GgufFile& file() const { return *file_; }
  bool exact() const { return exact_; }
  const std::vector<DecoderLayer>& layers() const { return layers_; }
  const std::vector<float>& output_norm() const { return output_norm_; }  // [width]
  const WeightMatrix& output() const { return output_; }                  // [vocabulary, width]
  std::uint64_t weight_bytes() const { return weight_bytes_; }
  std::uint64_t parameters() const { return parameters_; }

  // One row of the embedding, scaled.   out [width] f32
  void Embed(std::int64_t token, float* out) const;

 private:
  DecoderModel() = default;

  DecoderConfig config_;
  std::unique_ptr<GgufFile> file_;
  bool exact_ = false;
  std::vector<DecoderLayer> layers_;
  std::vector<float> output_norm_;
  WeightMatrix embedding_;
  WeightMatrix output_;
  std::uint64_t weight_bytes_ = 0;
  std::uint64_t parameters_ = 0;
};

}  // namespace liubai::engine
