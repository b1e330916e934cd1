#include "engine/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/cpu_features.h"
#include "core/hash.h"
#include "core/macros.h"
#include "kernels/dense_attention.h"
#include "kernels/dequantize.h"
#include "kernels/vector_ops.h"

namespace liubai::engine {
namespace {

using kernels::FloatWeights;

constexpr std::uint32_t kMaxLayers = 1024;
constexpr std::uint32_t kMaxWidth = 1 << 16;
constexpr std::uint32_t kMaxHeads = 1024;
constexpr std::uint32_t kMaxPositions = 1 << 20;
constexpr std::int64_t kMaxVocabulary = 1 << 24;

struct Matrix {
  kernels::PackedMatrix packed;     // The fast path.
  const std::byte* data = nullptr;  // The exact path: where it lies in the file.
  kernels::DataType type = kernels::DataType::kF32;
  std::int64_t rows = 0;
  std::vector<float> bias;  // [rows] or empty.
};

struct Layer {
  Matrix q, k, v, output, up, down;
  std::vector<float> attention_norm, attention_norm_bias;  // [width]
  std::vector<float> output_norm, output_norm_bias;        // [width]
};

// Aligned to cache lines; grows only, and loses its contents when it does.
template <class T>
class Buffer {
 public:
  T* Reserve(std::size_t count) {
    if (count > count_) {
      data_.reset(static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64)));
      if (data_ == nullptr) std::abort();  // As `new` would: the sizes are bounded by the batch.
      count_ = count;
    }
    return data_.get();
  }
  T* get() const { return data_.get(); }
  std::size_t size() const { return count_; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t count_ = 0;
};

}  // namespace

struct Encoder::Workspace {
  Buffer<float> x;                   // [tokens, width]
  Buffer<float> q, k, v, attention;  // [tokens, width]
  Buffer<float> hidden;              // [tokens, feed_forward]
  Buffer<std::byte> quantized;       // Of x, then of attention.
  Buffer<std::byte> hidden_quantized;
  struct Member {
    Buffer<float> attention;
    Buffer<float> exact;
  };
  std::vector<Member> members;
};

struct Encoder::Impl {
  EncoderConfig config;
  std::unique_ptr<GgufFile> file;
  bool exact = false;
  std::string fingerprint;
  const GgufTensor* embedding = nullptr;  // [vocabulary, width]
  std::vector<float> positions;           // [positions, width], the type's vector added.
  std::vector<float> norm, norm_bias;     // [width]
  std::vector<Layer> layers;

  Status Load(ThreadPool& pool);
  Status ReadConfig();
  Result<int> Positive(const std::string& key, std::uint32_t limit) const;
  Result<const GgufTensor*> Tensor(const std::string& name, std::int64_t rows,
                                   std::int64_t cols) const;
  Status ReadVector(const std::string& name, std::int64_t rows, std::int64_t cols,
                    std::vector<float>& out) const;
  Status ReadMatrix(const std::string& name, std::int64_t rows, std::int64_t cols, ThreadPool& pool,
                    FloatWeights float_weights, Matrix& out) const;
  void Fingerprint();
};

Result<int> Encoder::Impl::Positive(const std::string& key, std::uint32_t limit) const {
  LIUBAI_ASSIGN_OR_RETURN(const std::uint32_t number, file->GetU32(key));
  if (number == 0 || number > limit) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("{} is {}; it must be 1..{}", key, number, limit));
  }
  return static_cast<int>(number);
}

Status Encoder::Impl::ReadConfig() {
  LIUBAI_ASSIGN_OR_RETURN(const auto architecture, file->GetString("general.architecture"));
  if (architecture != "bert") {
    return Status(StatusCode::kUnimplemented,
                  fmt::format("architecture \"{}\" is not supported as an embedder; supported is "
                              "bert",
                              architecture));
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto title, file->GetStringOr("general.name", ""));
  config.name = std::string(title);
  LIUBAI_ASSIGN_OR_RETURN(config.layers, Positive("bert.block_count", kMaxLayers));
  LIUBAI_ASSIGN_OR_RETURN(config.width, Positive("bert.embedding_length", kMaxWidth));
  LIUBAI_ASSIGN_OR_RETURN(config.feed_forward, Positive("bert.feed_forward_length", 8 * kMaxWidth));
  LIUBAI_ASSIGN_OR_RETURN(config.heads, Positive("bert.attention.head_count", kMaxHeads));
  LIUBAI_ASSIGN_OR_RETURN(const int positions_limit,
                          Positive("bert.context_length", kMaxPositions));
  const int head_dim = config.width / config.heads;
  if (config.width % config.heads != 0 || head_dim % 16 != 0 || head_dim > 256 ||
      config.width % 32 != 0 || config.feed_forward % 32 != 0) {
    return Status(
        StatusCode::kUnimplemented,
        fmt::format("width {} with {} heads and {} inner values is not supported: heads "
                    "must have a multiple of 16 dimensions, at most 256, the other two be "
                    "multiples of 32",
                    config.width, config.heads, config.feed_forward));
  }
  LIUBAI_ASSIGN_OR_RETURN(config.norm_epsilon, file->GetF32("bert.attention.layer_norm_epsilon"));
  if (!(config.norm_epsilon >= 0.0f && config.norm_epsilon < 1.0f)) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("bert.attention.layer_norm_epsilon is {}", config.norm_epsilon));
  }
  LIUBAI_ASSIGN_OR_RETURN(const bool causal, file->GetBoolOr("bert.attention.causal", false));
  LIUBAI_ASSIGN_OR_RETURN(const auto pooling, file->GetU32Or("bert.pooling_type", 1));
  if (causal || pooling != 1) {
    return Status(StatusCode::kUnimplemented,
                  fmt::format("an embedder with causal attention {} and pooling {} is not "
                              "supported: only full attention and the mean (1) are",
                              causal, pooling));
  }
  LIUBAI_ASSIGN_OR_RETURN(
      const auto max_tokens,
      file->GetU32Or("liubai.embedder.max_tokens", static_cast<std::uint32_t>(positions_limit)));
  if (max_tokens < 3 || max_tokens > static_cast<std::uint32_t>(positions_limit)) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("liubai.embedder.max_tokens is {}; it must be 3..{}, the positions",
                              max_tokens, positions_limit));
  }
  config.max_tokens = static_cast<int>(max_tokens);
  LIUBAI_ASSIGN_OR_RETURN(const auto query, file->GetStringOr("liubai.embedder.query_prefix", ""));
  LIUBAI_ASSIGN_OR_RETURN(const auto passage,
                          file->GetStringOr("liubai.embedder.passage_prefix", ""));
  config.query_prefix = std::string(query);
  config.passage_prefix = std::string(passage);
  return Status();
}

// `rows` may be 1 for a vector.
Result<const GgufTensor*> Encoder::Impl::Tensor(const std::string& name, std::int64_t rows,
                                                std::int64_t cols) const {
  const GgufTensor* tensor = file->FindTensor(name);
  if (tensor == nullptr) {
    return Status(StatusCode::kDataLoss, fmt::format("tensor {} is missing", name));
  }
  if (tensor->dims[0] != cols || tensor->dims[1] != rows || tensor->rows() != rows) {
    return Status(StatusCode::kDataLoss, fmt::format("tensor {} is {}, expected [{}, {}]", name,
                                                     tensor->ShapeString(), cols, rows));
  }
  LIUBAI_RETURN_IF_ERROR(file->CheckFinite(*tensor));
  return tensor;
}

Status Encoder::Impl::ReadVector(const std::string& name, std::int64_t rows, std::int64_t cols,
                                 std::vector<float>& out) const {
  LIUBAI_ASSIGN_OR_RETURN(const GgufTensor* tensor, Tensor(name, rows, cols));
  out.resize(static_cast<std::size_t>(rows * cols));
  for (std::int64_t row = 0; row < rows; ++row) {
    kernels::DequantizeRow(tensor->type, tensor->row(row).data(), out.data() + row * cols, cols);
  }
  return Status();
}

Status Encoder::Impl::ReadMatrix(const std::string& name, std::int64_t rows, std::int64_t cols,
                                 ThreadPool& pool, FloatWeights float_weights, Matrix& out) const {
  LIUBAI_ASSIGN_OR_RETURN(const GgufTensor* tensor, Tensor(name + ".weight", rows, cols));
  out.rows = rows;
  out.type = tensor->type;
  out.data = tensor->data.data();
  if (!exact) {
    auto packed =
        kernels::PackedMatrix::Pack(tensor->type, tensor->data, rows, cols, pool, float_weights);
    if (!packed.ok()) return packed.status().WithContext(name);
    out.packed = std::move(packed).value();
    file->Release(*tensor);
  }
  return ReadVector(name + ".bias", 1, rows, out.bias);
}

void Encoder::Impl::Fingerprint() {
  Sha256 hash;
  for (const GgufTensor& tensor : file->tensors()) {
    hash.Update(tensor.name);
    hash.Update(tensor.data);
    file->Release(tensor);
  }
  for (const GgufValue& value : file->metadata()) {
    // Titles and descriptions do not change a vector.
    if (value.key.starts_with("general.")) continue;
    hash.Update(value.key);
    if (!value.data.empty()) hash.Update(value.data);
    for (const std::string_view text : value.strings) {
      hash.Update(text);
      hash.Update(std::string_view("\0", 1));
    }
  }
  fingerprint = hash.Hex().substr(0, 16);
}

Status Encoder::Impl::Load(ThreadPool& pool) {
  LIUBAI_RETURN_IF_ERROR(ReadConfig());
  const std::int64_t width = config.width;
  const GgufTensor* words = file->FindTensor("token_embd.weight");
  if (words == nullptr) {
    return Status(StatusCode::kDataLoss, "tensor token_embd.weight is missing");
  }
  if (words->rows() > kMaxVocabulary) {
    return Status(StatusCode::kDataLoss, fmt::format("token_embd.weight has {} rows; at most {}",
                                                     words->rows(), kMaxVocabulary));
  }
  LIUBAI_ASSIGN_OR_RETURN(embedding, Tensor("token_embd.weight", words->rows(), width));
  config.vocabulary = static_cast<int>(words->rows());
  const GgufTensor* places = file->FindTensor("position_embd.weight");
  if (places == nullptr || places->rows() < config.max_tokens) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("tensor position_embd.weight is missing or has fewer than {} rows",
                              config.max_tokens));
  }
  LIUBAI_RETURN_IF_ERROR(ReadVector("position_embd.weight", places->rows(), width, positions));
  if (const GgufTensor* types = file->FindTensor("token_types.weight"); types != nullptr) {
    std::vector<float> type;
    LIUBAI_RETURN_IF_ERROR(ReadVector("token_types.weight", types->rows(), width, type));
    for (std::size_t i = 0; i < positions.size(); ++i) {
      positions[i] += type[i % static_cast<std::size_t>(width)];
    }
  }
  LIUBAI_RETURN_IF_ERROR(ReadVector("token_embd_norm.weight", 1, width, norm));
  LIUBAI_RETURN_IF_ERROR(ReadVector("token_embd_norm.bias", 1, width, norm_bias));
  layers.resize(static_cast<std::size_t>(config.layers));
  for (int i = 0; i < config.layers; ++i) {
    Layer& l = layers[static_cast<std::size_t>(i)];
    const auto name = [&](std::string_view part) { return fmt::format("blk.{}.{}", i, part); };
    const std::int64_t inner = config.feed_forward;
    const auto matrix = [&](std::string_view part, std::int64_t rows, std::int64_t cols,
                            Matrix& out, FloatWeights floats = FloatWeights::kToQ8) {
      return ReadMatrix(name(part), rows, cols, pool, floats, out);
    };
    LIUBAI_RETURN_IF_ERROR(matrix("attn_q", width, width, l.q));
    LIUBAI_RETURN_IF_ERROR(matrix("attn_k", width, width, l.k));
    // Of all matrices the values' rounding costs the vectors most: kept as the file has it, a
    // twelfth of the work, MiniLM's least cosine to its oracle is 0.9994 instead of 0.9986; no
    // other kind of matrix brings it to 0.999.
    LIUBAI_RETURN_IF_ERROR(matrix("attn_v", width, width, l.v, FloatWeights::kKeep));
    LIUBAI_RETURN_IF_ERROR(matrix("attn_output", width, width, l.output));
    LIUBAI_RETURN_IF_ERROR(matrix("ffn_up", inner, width, l.up));
    LIUBAI_RETURN_IF_ERROR(matrix("ffn_down", width, inner, l.down));
    LIUBAI_RETURN_IF_ERROR(ReadVector(name("attn_output_norm.weight"), 1, width, l.attention_norm));
    LIUBAI_RETURN_IF_ERROR(
        ReadVector(name("attn_output_norm.bias"), 1, width, l.attention_norm_bias));
    LIUBAI_RETURN_IF_ERROR(ReadVector(name("layer_output_norm.weight"), 1, width, l.output_norm));
    LIUBAI_RETURN_IF_ERROR(
        ReadVector(name("layer_output_norm.bias"), 1, width, l.output_norm_bias));
  }
  Fingerprint();
  return file->CheckUnchanged();
}

Encoder::Encoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Encoder::~Encoder() = default;
const EncoderConfig& Encoder::config() const { return impl_->config; }
const GgufFile& Encoder::file() const { return *impl_->file; }
const std::string& Encoder::fingerprint() const { return impl_->fingerprint; }

void Encoder::WorkspaceDelete::operator()(Workspace* workspace) const { delete workspace; }
Encoder::WorkspacePtr Encoder::NewWorkspace() {
  return WorkspacePtr(std::make_unique<Workspace>().release());
}
const float* Encoder::Hidden(const Workspace& workspace) { return workspace.x.get(); }

Result<std::unique_ptr<Encoder>> Encoder::Load(const std::string& path, bool exact,
                                               ThreadPool& pool) {
  LIUBAI_ASSIGN_OR_RETURN(GgufFile file, GgufFile::Open(path));
  auto impl = std::make_unique<Impl>();
  impl->file = std::make_unique<GgufFile>(std::move(file));
  impl->exact = exact;
  const Status status = impl->Load(pool);
  if (!status.ok()) return status.WithContext(path);
  return std::unique_ptr<Encoder>(new Encoder(std::move(impl)));
}

void Encoder::Prepare(const EncoderBatch& batch, int members, Workspace& w) const {
  const EncoderConfig& c = impl_->config;
  const auto tokens = static_cast<std::size_t>(batch.tokens());
  const std::size_t values = tokens * static_cast<std::size_t>(c.width);
  for (Buffer<float>* buffer : {&w.x, &w.q, &w.k, &w.v, &w.attention}) buffer->Reserve(values);
  w.hidden.Reserve(tokens * static_cast<std::size_t>(c.feed_forward));
  if (!impl_->exact) {
    w.quantized.Reserve(kernels::ActivationBytes(batch.tokens(), c.width));
    w.hidden_quantized.Reserve(kernels::ActivationBytes(batch.tokens(), c.feed_forward));
  }
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < batch.texts(); ++i) {
    const auto text = static_cast<std::size_t>(i);
    longest = std::max(longest, batch.begin[text + 1] - batch.begin[text]);
  }
  if (w.members.size() < static_cast<std::size_t>(members)) {
    w.members.resize(static_cast<std::size_t>(members));
  }
  for (Workspace::Member& member : w.members) {
    member.attention.Reserve(kernels::DenseAttentionFloats(longest, c.width / c.heads));
    if (impl_->exact) {
      member.exact.Reserve(kernels::ExactScratchFloats(std::max(c.width, c.feed_forward)));
    }
  }
}

void Encoder::Forward(const EncoderBatch& batch, int member, int members, ThreadPool& pool,
                      Workspace& w) const {
  const EncoderConfig& c = impl_->config;
  const bool exact = impl_->exact;
  const CpuIsa isa = BestCpuIsa();
  const std::int64_t tokens = batch.tokens(), width = c.width, inner = c.feed_forward;
  const WorkRange mine = SplitWork(tokens, member, members);
  const WorkRange width_rows = SplitWork(width, member, members, kernels::kRowGroup);
  // Whole blocks of 32, so that the member that computes them can quantise them.
  const WorkRange inner_rows = SplitWork(inner, member, members, kernels::kActivationBlock);
  Workspace::Member& own = w.members[static_cast<std::size_t>(member)];
  float* x = w.x.get();

  const auto meet = [&] {
    if (members > 1) pool.Barrier();
  };
  const auto multiply = [&](const Matrix& matrix, const kernels::Activations& a, WorkRange rows,
                            float* out, bool accumulate) {
    const kernels::MatMulOutput output{out, matrix.rows, matrix.bias.data(), accumulate};
    if (exact) {
      kernels::MatMulExact(matrix.type, matrix.data, a, rows.begin, rows.end, output,
                           {own.exact.get(), own.exact.size()}, isa);
    } else {
      kernels::MatMul(matrix.packed, a, rows.begin, rows.end, output, isa);
    }
  };
  const auto normalise = [&](const std::vector<float>& weight, const std::vector<float>& bias) {
    for (std::int64_t t = mine.begin; t < mine.end; ++t) {
      kernels::LayerNorm(x + t * width, weight.data(), bias.data(), c.norm_epsilon, width,
                         x + t * width, isa);
    }
  };
  const auto quantize = [&](const kernels::Activations& a) {
    if (!exact) kernels::QuantizeActivations(a, mine.begin, mine.end, 0, width, isa);
  };
  const kernels::Activations x_in{tokens, width, x, width, w.quantized.get()};
  const kernels::Activations attention_in{tokens, width, w.attention.get(), width,
                                          w.quantized.get()};
  const kernels::Activations inner_in{tokens, inner, w.hidden.get(), inner,
                                      w.hidden_quantized.get()};

  std::int64_t text = std::upper_bound(batch.begin.begin(), batch.begin.end(), mine.begin) -
                      batch.begin.begin() - 1;
  for (std::int64_t t = mine.begin; t < mine.end; ++t) {
    while (batch.begin[static_cast<std::size_t>(text) + 1] <= t) ++text;
    const std::int64_t position = t - batch.begin[static_cast<std::size_t>(text)];
    kernels::DequantizeRow(impl_->embedding->type,
                           impl_->embedding->row(batch.ids[static_cast<std::size_t>(t)]).data(),
                           x + t * width, width);
    kernels::Add(x + t * width, impl_->positions.data() + position * width, width, x + t * width);
  }
  normalise(impl_->norm, impl_->norm_bias);

  for (const Layer& layer : impl_->layers) {
    quantize(x_in);
    meet();
    multiply(layer.q, x_in, width_rows, w.q.get(), false);
    multiply(layer.k, x_in, width_rows, w.k.get(), false);
    multiply(layer.v, x_in, width_rows, w.v.get(), false);
    meet();
    const int head_dim = c.width / c.heads;
    // Every text is split by heads: balanced whatever the lengths.
    const WorkRange heads = SplitWork(c.heads, member, members);
    for (std::int64_t i = 0; i < batch.texts(); ++i) {
      const std::int64_t begin = batch.begin[static_cast<std::size_t>(i)];
      for (std::int64_t head = heads.begin; head < heads.end; ++head) {
        const std::int64_t offset = begin * width + head * head_dim;
        kernels::DenseAttentionHead one;
        one.q = w.q.get() + offset;
        one.k = w.k.get() + offset;
        one.v = w.v.get() + offset;
        one.out = w.attention.get() + offset;
        one.stride = width;
        one.tokens = batch.begin[static_cast<std::size_t>(i) + 1] - begin;
        one.head_dim = head_dim;
        one.scale = 1.0f / std::sqrt(static_cast<float>(head_dim));
        one.workspace = {own.attention.get(), own.attention.size()};
        kernels::DenseAttention(one, isa);
      }
    }
    meet();
    quantize(attention_in);
    meet();
    multiply(layer.output, attention_in, width_rows, x, true);
    meet();
    normalise(layer.attention_norm, layer.attention_norm_bias);
    quantize(x_in);
    meet();
    multiply(layer.up, x_in, inner_rows, w.hidden.get(), false);
    for (std::int64_t t = 0; t < tokens; ++t) {
      float* row = w.hidden.get() + t * inner + inner_rows.begin;
      kernels::GeluErf(row, inner_rows.end - inner_rows.begin, row, isa);
    }
    if (!exact) {
      kernels::QuantizeActivations(inner_in, 0, tokens, inner_rows.begin, inner_rows.end, isa);
    }
    meet();
    multiply(layer.down, inner_in, width_rows, x, true);
    meet();
    normalise(layer.output_norm, layer.output_norm_bias);
  }
  meet();
}

}  // namespace liubai::engine
