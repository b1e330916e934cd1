#include "engine/model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/macros.h"
#include "fmt/format.h"
#include "kernels/dequantize.h"

namespace liubai::engine {
namespace {

// Limits beyond which a file is absurd rather than large.
constexpr std::uint32_t kMaxLayers = 1024;
constexpr std::uint32_t kMaxWidth = 1 << 17;
constexpr std::uint32_t kMaxHeads = 1024;
constexpr std::uint32_t kMaxContext = 1 << 24;

struct Architecture {
  std::string_view name;
  RopePairs rope_pairs;
  GateActivation activation;
  bool scaled_embedding;
  int window_pattern;
};
constexpr std::array<Architecture, 4> kArchitectures = {{
    {"llama", RopePairs::kAdjacent, GateActivation::kSilu, false, 0},
    {"qwen2", RopePairs::kHalves, GateActivation::kSilu, false, 0},
    {"qwen3", RopePairs::kHalves, GateActivation::kSilu, false, 0},
    {"gemma3", RopePairs::kHalves, GateActivation::kGeluTanh, true, 6},
}};

class Loader {
 public:
  Loader(const GgufFile& file, ThreadPool& pool, bool exact)
      : file_(file), pool_(pool), exact_(exact) {}

  Status ReadConfig(DecoderConfig& config);
  // A vector of `size` values; a missing one stays empty when it is optional.
  Status ReadVector(const std::string& name, std::int64_t size, bool optional,
                    std::vector<float>& out);
  Status ReadMatrix(const std::string& name, std::int64_t rows, std::int64_t cols,
                    WeightMatrix& out, bool pack = true);
  std::uint64_t bytes() const { return bytes_; }

 private:
  Result<int> Positive(const std::string& key, std::uint32_t limit) const;
  std::string Key(std::string_view suffix) const {
    return fmt::format("{}.{}", architecture_, suffix);
  }

  const GgufFile& file_;
  ThreadPool& pool_;
  bool exact_;
  std::string architecture_;
  std::uint64_t bytes_ = 0;
};

Result<int> Loader::Positive(const std::string& key, std::uint32_t limit) const {
  // Per-layer arrays are allowed by the format; the architectures here have one value for all
  // layers.
  const GgufValue* value = file_.Find(key);
  std::uint32_t number = 0;
  if (value != nullptr && value->is_array()) {
    LIUBAI_ASSIGN_OR_RETURN(const auto values, file_.GetU32Array(key));
    if (values.empty() || std::any_of(values.begin(), values.end(),
                                      [&](std::uint32_t v) { return v != values[0]; })) {
      return Status(StatusCode::kUnimplemented,
                    fmt::format("{} differs between layers, which is not supported", key));
    }
    number = values[0];
  } else {
    LIUBAI_ASSIGN_OR_RETURN(number, file_.GetU32(key));
  }
  if (number == 0 || number > limit) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("{} is {}; it must be 1..{}", key, number, limit));
  }
  return static_cast<int>(number);
}

Status Loader::ReadConfig(DecoderConfig& config) {
  LIUBAI_ASSIGN_OR_RETURN(const auto name, file_.GetString("general.architecture"));
  architecture_ = config.architecture = std::string(name);
  const auto* known = std::find_if(kArchitectures.begin(), kArchitectures.end(),
                                   [&](const Architecture& a) { return a.name == name; });
  if (known == kArchitectures.end()) {
    return Status(
        StatusCode::kUnimplemented,
        fmt::format(
            "architecture \"{}\" is not supported as a language model; supported are llama, "
            "qwen2, qwen3, gemma3",
            name));
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto title, file_.GetStringOr("general.name", ""));
  config.name = std::string(title);
  config.rope_pairs = known->rope_pairs;
  config.activation = known->activation;
  LIUBAI_ASSIGN_OR_RETURN(config.layers, Positive(Key("block_count"), kMaxLayers));
  LIUBAI_ASSIGN_OR_RETURN(config.width, Positive(Key("embedding_length"), kMaxWidth));
  LIUBAI_ASSIGN_OR_RETURN(config.feed_forward, Positive(Key("feed_forward_length"), 8 * kMaxWidth));
  LIUBAI_ASSIGN_OR_RETURN(config.q_heads, Positive(Key("attention.head_count"), kMaxHeads));
  config.kv_heads = config.q_heads;
  if (file_.Find(Key("attention.head_count_kv")) != nullptr) {
    LIUBAI_ASSIGN_OR_RETURN(config.kv_heads, Positive(Key("attention.head_count_kv"), kMaxHeads));
  }
  if (config.q_heads % config.kv_heads != 0) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("{} query heads are not a multiple of {} KV heads", config.q_heads,
                              config.kv_heads));
  }
  if (config.q_heads / config.kv_heads > kernels::kMaxGroup) {
    return Status(StatusCode::kUnimplemented,
                  fmt::format("{} query heads share a KV head; at most {} are supported",
                              config.q_heads / config.kv_heads, kernels::kMaxGroup));
  }
  if (file_.Find(Key("attention.key_length")) != nullptr) {
    LIUBAI_ASSIGN_OR_RETURN(config.head_dim, Positive(Key("attention.key_length"), 256));
    LIUBAI_ASSIGN_OR_RETURN(const auto value_dim,
                            file_.GetU32Or(Key("attention.value_length"), config.head_dim));
    if (static_cast<int>(value_dim) != config.head_dim) {
      return Status(StatusCode::kUnimplemented,
                    fmt::format("values of {} dimensions beside keys of {} are not supported",
                                value_dim, config.head_dim));
    }
  } else {
    if (config.width % config.q_heads != 0) {
      return Status(StatusCode::kDataLoss, fmt::format("width {} is not a multiple of {} heads",
                                                       config.width, config.q_heads));
    }
    config.head_dim = config.width / config.q_heads;
  }
  if (config.head_dim % 32 != 0 || config.head_dim > 256) {
    return Status(
        StatusCode::kUnimplemented,
        fmt::format("heads of {} dimensions are not supported: a multiple of 32, at most 256",
                    config.head_dim));
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto rope_dim,
                          file_.GetU32Or(Key("rope.dimension_count"), config.head_dim));
  if (static_cast<int>(rope_dim) != config.head_dim) {
    return Status(
        StatusCode::kUnimplemented,
        fmt::format("rotation of {} of {} dimensions is not supported", rope_dim, config.head_dim));
  }
  LIUBAI_ASSIGN_OR_RETURN(config.trained_context_tokens,
                          Positive(Key("context_length"), kMaxContext));
  LIUBAI_ASSIGN_OR_RETURN(config.norm_epsilon,
                          file_.GetF32(Key("attention.layer_norm_rms_epsilon")));
  LIUBAI_ASSIGN_OR_RETURN(config.rope_theta, file_.GetF32Or(Key("rope.freq_base"), 10000.0f));
  if (!(config.norm_epsilon >= 0.0f && config.norm_epsilon < 1.0f) || !(config.rope_theta > 0.0f)) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("norm epsilon {} or rotation base {} is out of range",
                              config.norm_epsilon, config.rope_theta));
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto scaling, file_.GetStringOr(Key("rope.scaling.type"), "none"));
  if (scaling == "linear") {
    LIUBAI_ASSIGN_OR_RETURN(const float factor, file_.GetF32(Key("rope.scaling.factor")));
    if (!(factor > 0.0f)) {
      return Status(StatusCode::kDataLoss, fmt::format("rope.scaling.factor is {}", factor));
    }
    config.rope_scale = 1.0f / factor;
  } else if (scaling != "none" && !scaling.empty()) {
    return Status(StatusCode::kUnimplemented,
                  fmt::format("rope scaling \"{}\" is not supported", scaling));
  }
  config.attention_scale = 1.0f / std::sqrt(static_cast<float>(config.head_dim));
  config.embedding_scale =
      known->scaled_embedding ? std::sqrt(static_cast<float>(config.width)) : 1.0f;
  if (known->window_pattern > 0) {
    config.window_pattern = known->window_pattern;
    LIUBAI_ASSIGN_OR_RETURN(config.window, Positive(Key("attention.sliding_window"), kMaxContext));
    LIUBAI_ASSIGN_OR_RETURN(config.window_rope_theta,
                            file_.GetF32Or(Key("rope.freq_base_swa"), 10000.0f));
  }
  return Status();
}

Status Loader::ReadVector(const std::string& name, std::int64_t size, bool optional,
                          std::vector<float>& out) {
  const GgufTensor* tensor = file_.FindTensor(name);
  if (tensor == nullptr) {
    if (optional) return Status();
    return Status(StatusCode::kDataLoss, fmt::format("tensor {} is missing", name));
  }
  if (tensor->elements() != size) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("tensor {} is {}, expected [{}]", name, tensor->ShapeString(), size));
  }
  LIUBAI_RETURN_IF_ERROR(file_.CheckFinite(*tensor));
  out.resize(static_cast<std::size_t>(size));
  kernels::DequantizeRow(tensor->type, tensor->data.data(), out.data(), size);
  bytes_ += out.size() * sizeof(float);
  return Status();
}

Status Loader::ReadMatrix(const std::string& name, std::int64_t rows, std::int64_t cols,
                          WeightMatrix& out, bool pack) {
  const GgufTensor* tensor = file_.FindTensor(name + ".weight");
  if (tensor == nullptr) {
    return Status(StatusCode::kDataLoss, fmt::format("tensor {}.weight is missing", name));
  }
  if (tensor->dims[0] != cols || tensor->rows() != rows || tensor->dims[2] != 1 ||
      tensor->dims[3] != 1) {
    return Status(StatusCode::kDataLoss, fmt::format("tensor {}.weight is {}, expected [{}, {}]",
                                                     name, tensor->ShapeString(), cols, rows));
  }
  LIUBAI_RETURN_IF_ERROR(file_.CheckFinite(*tensor));
  out.type = tensor->type;
  out.data = tensor->data.data();
  out.rows = rows;
  out.cols = cols;
  if (pack && !exact_) {
    auto packed = kernels::PackedMatrix::Pack(tensor->type, tensor->data, rows, cols, pool_);
    if (!packed.ok()) return packed.status().WithContext(name);
    out.packed = std::move(packed).value();
    bytes_ += out.packed.bytes();
  }
  file_.Release(*tensor);
  return ReadVector(name + ".bias", rows, true, out.bias);
}

}  // namespace

Result<std::unique_ptr<DecoderModel>> DecoderModel::Load(const std::string& path, bool exact,
                                                         ThreadPool& pool) {
  LIUBAI_ASSIGN_OR_RETURN(GgufFile file, GgufFile::Open(path));
  std::unique_ptr<DecoderModel> model(new DecoderModel());
  model->exact_ = exact;
  model->file_ = std::make_unique<GgufFile>(std::move(file));
  const auto load = [&]() -> Status {
    Loader loader(*model->file_, pool, exact);
    DecoderConfig& c = model->config_;
    LIUBAI_RETURN_IF_ERROR(loader.ReadConfig(c));
    const GgufTensor* embedding = model->file_->FindTensor("token_embd.weight");
    if (embedding == nullptr) {
      return Status(StatusCode::kDataLoss, "tensor token_embd.weight is missing");
    }
    constexpr std::int64_t kMaxVocabulary = 1 << 24;
    if (embedding->rows() > kMaxVocabulary) {
      return Status(StatusCode::kDataLoss, fmt::format("token_embd.weight has {} rows; at most {}",
                                                       embedding->rows(), kMaxVocabulary));
    }
    c.vocabulary = static_cast<int>(embedding->rows());
    // A model without an output matrix uses the embedding for it.
    const bool tied = model->file_->FindTensor("output.weight") == nullptr;
    if (tied) {
      WeightMatrix& output = model->output_;
      LIUBAI_RETURN_IF_ERROR(loader.ReadMatrix("token_embd", c.vocabulary, c.width, output));
      // Its rows are read where they lie in the file.
      model->embedding_.type = output.type;
      model->embedding_.data = output.data;
      model->embedding_.rows = output.rows;
      model->embedding_.cols = output.cols;
    } else {
      LIUBAI_RETURN_IF_ERROR(
          loader.ReadMatrix("token_embd", c.vocabulary, c.width, model->embedding_, false));
      LIUBAI_RETURN_IF_ERROR(loader.ReadMatrix("output", c.vocabulary, c.width, model->output_));
    }
    LIUBAI_RETURN_IF_ERROR(
        loader.ReadVector("output_norm.weight", c.width, false, model->output_norm_));
    if (model->file_->FindTensor("rope_freqs.weight") != nullptr) {
      LIUBAI_RETURN_IF_ERROR(
          loader.ReadVector("rope_freqs.weight", c.head_dim / 2, false, c.rope_factors));
      for (const float factor : c.rope_factors) {
        if (!(factor > 0.0f)) {
          return Status(StatusCode::kDataLoss, fmt::format("rope_freqs.weight holds {}", factor));
        }
      }
    }
    const std::int64_t q_width = c.q_heads * c.head_dim, kv_width = c.kv_heads * c.head_dim;
    model->layers_.resize(static_cast<std::size_t>(c.layers));
    for (int i = 0; i < c.layers; ++i) {
      DecoderLayer& l = model->layers_[static_cast<std::size_t>(i)];
      const auto name = [&](std::string_view part) { return fmt::format("blk.{}.{}", i, part); };
      LIUBAI_RETURN_IF_ERROR(
          loader.ReadVector(name("attn_norm.weight"), c.width, false, l.attention_norm));
      LIUBAI_RETURN_IF_ERROR(loader.ReadMatrix(name("attn_q"), q_width, c.width, l.q));
      LIUBAI_RETURN_IF_ERROR(loader.ReadMatrix(name("attn_k"), kv_width, c.width, l.k));
      LIUBAI_RETURN_IF_ERROR(loader.ReadMatrix(name("attn_v"), kv_width, c.width, l.v));
      LIUBAI_RETURN_IF_ERROR(loader.ReadMatrix(name("attn_output"), c.width, q_width, l.output));
      LIUBAI_RETURN_IF_ERROR(
          loader.ReadVector(name("attn_q_norm.weight"), c.head_dim, true, l.q_norm));
      LIUBAI_RETURN_IF_ERROR(
          loader.ReadVector(name("attn_k_norm.weight"), c.head_dim, true, l.k_norm));
      LIUBAI_RETURN_IF_ERROR(loader.ReadVector(name("post_attention_norm.weight"), c.width, true,
                                               l.post_attention_norm));
      LIUBAI_RETURN_IF_ERROR(
          loader.ReadVector(name("ffn_norm.weight"), c.width, false, l.feed_forward_norm));
      LIUBAI_RETURN_IF_ERROR(loader.ReadMatrix(name("ffn_gate"), c.feed_forward, c.width, l.gate));
      LIUBAI_RETURN_IF_ERROR(loader.ReadMatrix(name("ffn_up"), c.feed_forward, c.width, l.up));
      LIUBAI_RETURN_IF_ERROR(loader.ReadMatrix(name("ffn_down"), c.width, c.feed_forward, l.down));
      LIUBAI_RETURN_IF_ERROR(
          loader.ReadVector(name("post_ffw_norm.weight"), c.width, true, l.post_feed_forward_norm));
    }
    // Architectures that need a tensor which the graph could do without.
    const DecoderLayer& first = model->layers_[0];
    if ((c.architecture == "qwen3" || c.architecture == "gemma3") && first.q_norm.empty()) {
      return Status(StatusCode::kDataLoss, "tensor blk.0.attn_q_norm.weight is missing");
    }
    if (c.architecture == "gemma3" &&
        (first.post_attention_norm.empty() || first.post_feed_forward_norm.empty())) {
      return Status(
          StatusCode::kDataLoss,
          "tensor blk.0.post_attention_norm.weight or blk.0.post_ffw_norm.weight is missing");
    }
    for (const GgufTensor& tensor : model->file_->tensors()) {
      model->parameters_ += static_cast<std::uint64_t>(tensor.elements());
    }
    model->weight_bytes_ = loader.bytes();
    return model->file_->CheckUnchanged();
  };
  const Status status = load();
  if (!status.ok()) return status.WithContext(path);
  return model;
}

void DecoderModel::Embed(std::int64_t token, float* out) const {
  const std::int64_t row_bytes = kernels::RowBytes(embedding_.type, embedding_.cols);
  kernels::DequantizeRow(embedding_.type, embedding_.data + token * row_bytes, out,
                         embedding_.cols);
  if (config_.embedding_scale != 1.0f) {
    for (std::int64_t i = 0; i < embedding_.cols; ++i) out[i] *= config_.embedding_scale;
  }
}

}  // namespace liubai::engine
