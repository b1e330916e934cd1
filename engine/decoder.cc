#include "engine/decoder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "core/cpu_features.h"
#include "fmt/format.h"
#include "kernels/paged_attention.h"
#include "kernels/vector_ops.h"

namespace liubai::engine {
namespace {

constexpr int kPage = kernels::kPageTokens;
// Up to this many tokens every member normalises and quantises all rows for itself: cheaper than a
// barrier.
constexpr int kReplicatedTokens = 2;

template <class T>
struct AlignedDelete {
  void operator()(T* p) const { std::free(p); }
};
template <class T>
using AlignedArray = std::unique_ptr<T[], AlignedDelete<T>>;

// Grows only; contents are lost when it does.
template <class T>
class Scratch {
 public:
  T* Reserve(std::size_t count) {
    if (count > count_) {
      data_.reset(static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64)));
      count_ = count;
    }
    return data_.get();
  }
  T* get() const { return data_.get(); }

 private:
  AlignedArray<T> data_;
  std::size_t count_ = 0;
};

// Private copies of what a member prepares in replicated mode, and its workspaces.
struct Member {
  Scratch<float> normed;         // [tokens, width]
  Scratch<std::byte> quantized;  // Of `normed` or of the attention's output.
  Scratch<float> attention;      // [tokens, q_heads * head_dim]
  Scratch<float> scores;
  std::vector<float> exact_scratch;
};

}  // namespace

// cos and sin of every position and pair, [positions / 16][head_dim][16]: cosines of the head_dim /
// 2 pairs, then sines. The same table rotates queries and keys and restores rotated biases in
// attention.
struct Decoder::Rotation {
  std::vector<float> table;
  int head_dim;

  Rotation(const DecoderConfig& config, float theta, float scale, bool factors, int positions)
      : head_dim(config.head_dim) {
    const int half = head_dim / 2;
    table.resize(static_cast<std::size_t>((positions + kPage - 1) / kPage * kPage) *
                 static_cast<std::size_t>(head_dim));
    for (int i = 0; i < half; ++i) {
      double frequency = std::pow(static_cast<double>(theta), -2.0 * i / head_dim) * scale;
      if (factors && !config.rope_factors.empty()) {
        frequency /= static_cast<double>(config.rope_factors[static_cast<std::size_t>(i)]);
      }
      for (int p = 0; p < positions; ++p) {
        const double angle = p * frequency;
        table[At(p, i)] = static_cast<float>(std::cos(angle));
        table[At(p, half + i)] = static_cast<float>(std::sin(angle));
      }
    }
  }
  std::size_t At(int position, int i) const {
    return (static_cast<std::size_t>(position / kPage) * static_cast<std::size_t>(head_dim) +
            static_cast<std::size_t>(i)) *
               kPage +
           static_cast<std::size_t>(position % kPage);
  }

  // x [head_dim], in place.
  void Rotate(float* x, int position, RopePairs pairs) const {
    const int half = head_dim / 2;
    for (int i = 0; i < half; ++i) {
      const float cosine = table[At(position, i)], sine = table[At(position, half + i)];
      float& a = pairs == RopePairs::kHalves ? x[i] : x[2 * i];
      float& b = pairs == RopePairs::kHalves ? x[i + half] : x[2 * i + 1];
      const float rotated = a * cosine - b * sine;
      b = b * cosine + a * sine;
      a = rotated;
    }
  }

  // out [head_dim]: the coefficients with which q . R(p) bias is a dot product with the table's row
  // p.
  void BiasQuery(const float* q, const float* bias, RopePairs pairs, float* out) const {
    const int half = head_dim / 2;
    for (int i = 0; i < half; ++i) {
      const int a = pairs == RopePairs::kHalves ? i : 2 * i;
      const int b = pairs == RopePairs::kHalves ? i + half : 2 * i + 1;
      out[i] = q[a] * bias[a] + q[b] * bias[b];
      out[half + i] = q[b] * bias[a] - q[a] * bias[b];
    }
  }
};

struct Decoder::Buffers {
  struct Row {
    const KvSequence* sequence;
    int position;
    TokenId token;
  };
  KvPool* pool = nullptr;
  std::vector<Row> rows;        // [tokens]
  std::vector<int> logit_rows;  // Rows whose logits are wanted.
  bool replicated = false;
  bool split_keys = false;
  std::atomic<int> bad_layer{-1};

  Scratch<float> x;              // [tokens, width]
  Scratch<float> normed;         // [tokens, width]
  Scratch<float> branch;         // [tokens, width], where a norm follows the branch.
  Scratch<std::byte> quantized;  // Of normed, of attention, of hidden: one at a time.
  Scratch<std::byte> hidden_quantized;
  Scratch<float> q, k, v;     // [tokens, heads * head_dim]
  Scratch<float> bias_query;  // [tokens, q_heads * head_dim]
  Scratch<float> attention;   // [tokens, q_heads * head_dim]
  Scratch<float> part_out;    // [members, tokens, q_heads * head_dim]
  Scratch<float> part_lse;    // [members, tokens, q_heads]
  Scratch<float> gate, up;    // [tokens, feed_forward]
  Scratch<float> logits;      // [logit rows, vocabulary]
  std::vector<Member> members;
};

Decoder::Decoder(const DecoderModel& model, KvFormat format, int context_tokens,
                 ThreadPool& threads)
    : model_(model),
      format_(format),
      context_tokens_(context_tokens),
      threads_(threads),
      buffers_(std::make_unique<Buffers>()) {
  const DecoderConfig& config = model.config();
  int group_of_kind[2] = {-1, -1};
  for (int layer = 0; layer < config.layers; ++layer) {
    const bool window = config.IsWindowLayer(layer);
    int& group = group_of_kind[window];
    if (group < 0) {
      group = static_cast<int>(groups_.size());
      groups_.push_back(
          {0, window ? config.window : 0, config.kv_heads, config.head_dim,
           format == KvFormat::kF16 ? kernels::KvElement::kF16 : kernels::KvElement::kQ8});
    }
    group_of_layer_.push_back(group);
    index_in_group_.push_back(groups_[static_cast<std::size_t>(group)].layers++);
  }
  full_rotation_ = std::make_unique<Rotation>(config, config.rope_theta, config.rope_scale, true,
                                              context_tokens);
  if (group_of_kind[1] >= 0) {
    window_rotation_ =
        std::make_unique<Rotation>(config, config.window_rope_theta, 1.0f, false, context_tokens);
  }
  buffers_->members.resize(static_cast<std::size_t>(threads.size()));
}

Decoder::~Decoder() = default;

std::span<const float> Decoder::logits() const {
  return {buffers_->logits.get(),
          buffers_->logit_rows.size() * static_cast<std::size_t>(model_.config().vocabulary)};
}

Status Decoder::Forward(KvPool& pool, std::span<const DecoderInput> inputs) {
  Buffers& b = *buffers_;
  const DecoderConfig& config = model_.config();
  b.pool = &pool;
  b.rows.clear();
  b.logit_rows.clear();
  for (const DecoderInput& input : inputs) {
    const auto& tokens = input.sequence->tokens();
    const int end = static_cast<int>(tokens.size());
    for (int position = end - input.count; position < end; ++position) {
      if (input.all_logits || (input.last_logits && position + 1 == end)) {
        b.logit_rows.push_back(static_cast<int>(b.rows.size()));
      }
      b.rows.push_back({input.sequence, position, tokens[static_cast<std::size_t>(position)]});
    }
  }
  if (b.rows.empty()) return Status();
  const std::size_t tokens = b.rows.size(), members = static_cast<std::size_t>(threads_.size());
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  const std::size_t q_width = size(config.q_heads * config.head_dim);
  const std::size_t kv_width = size(config.kv_heads * config.head_dim);
  const std::size_t widest = std::max(size(config.width), q_width);
  b.replicated = tokens <= kReplicatedTokens && model_.layers()[0].post_attention_norm.empty();
  b.split_keys = tokens < 2 * members;
  b.bad_layer = -1;
  b.x.Reserve(tokens * size(config.width));
  b.normed.Reserve(tokens * size(config.width));
  b.branch.Reserve(tokens * size(config.width));
  b.quantized.Reserve(kernels::ActivationBytes(static_cast<std::int64_t>(tokens),
                                               static_cast<std::int64_t>((widest + 31) / 32 * 32)));
  b.hidden_quantized.Reserve(kernels::ActivationBytes(static_cast<std::int64_t>(tokens),
                                                      (config.feed_forward + 31) / 32 * 32));
  b.q.Reserve(tokens * q_width);
  b.k.Reserve(tokens * kv_width);
  b.v.Reserve(tokens * kv_width);
  b.bias_query.Reserve(tokens * q_width);
  b.attention.Reserve(tokens * q_width);
  if (b.split_keys) {
    b.part_out.Reserve(members * tokens * q_width);
    b.part_lse.Reserve(members * tokens * size(config.q_heads));
  }
  b.gate.Reserve(tokens * size(config.feed_forward));
  b.up.Reserve(tokens * size(config.feed_forward));
  b.logits.Reserve(b.logit_rows.size() * size(config.vocabulary));
  threads_.Run([this](int member) { RunMember(member); });
  if (const int layer = b.bad_layer.load(); layer >= 0) {
    return Status(
        StatusCode::kNumericError,
        fmt::format("the hidden state after layer {} of {} is not finite", layer, config.layers));
  }
  return Status();
}

void Decoder::RunMember(int member) {
  Buffers& b = *buffers_;
  const DecoderConfig& config = model_.config();
  const CpuIsa isa = BestCpuIsa();
  const int members = threads_.size();
  const auto tokens = static_cast<std::int64_t>(b.rows.size());
  const std::int64_t width = config.width;
  const std::int64_t q_width = config.q_heads * config.head_dim;
  const std::int64_t hidden = config.feed_forward;
  Member& own = b.members[static_cast<std::size_t>(member)];
  own.exact_scratch.resize(kernels::ExactScratchFloats(std::max({width, q_width, hidden})));
  const WorkRange mine = SplitWork(tokens, member, members);

  const auto multiply = [&](const WeightMatrix& w, const kernels::Activations& a,
                            std::int64_t begin, std::int64_t end, float* out, bool accumulate,
                            bool bias = true) {
    if (begin >= end) return;
    const kernels::MatMulOutput output{
        out, w.rows, bias && !w.bias.empty() ? w.bias.data() : nullptr, accumulate};
    if (model_.exact()) {
      kernels::MatMulExact(w.type, w.data, a, begin, end, output, own.exact_scratch, isa);
    } else {
      kernels::MatMul(w.packed, a, begin, end, output, isa);
    }
  };
  // The member's part of the rows of several matrices laid end to end, in groups of 16 rows.
  struct Product {
    const WeightMatrix* w;
    float* out;
    bool bias;
  };
  const auto multiply_all = [&](std::initializer_list<Product> products,
                                const kernels::Activations& a) {
    const auto padded = [](std::int64_t n) { return (n + 15) / 16 * 16; };
    std::int64_t total = 0;
    for (const Product& p : products) total += padded(p.w->rows);
    const WorkRange range = SplitWork(total, member, members, 16);
    std::int64_t begin = 0;
    for (const Product& p : products) {
      multiply(*p.w, a, std::max<std::int64_t>(0, range.begin - begin),
               std::min(p.w->rows, range.end - begin), p.out, false, p.bias);
      begin += padded(p.w->rows);
    }
  };
  const bool quantize = !model_.exact();
  const auto view = [&](const float* x, std::int64_t cols, std::byte* quantized) {
    const bool possible = quantize && cols % kernels::kActivationBlock == 0;
    return kernels::Activations{tokens, cols, x, cols, possible ? quantized : nullptr};
  };
  const auto quantize_rows = [&](const kernels::Activations& a, std::int64_t begin,
                                 std::int64_t end) {
    if (a.quantized != nullptr && begin < end) {
      kernels::QuantizeActivations(a, begin, end, 0, a.cols, isa);
    }
  };
  // Normalises x for the next matrices, in private when replicated; everyone may read the result.
  const auto normalise = [&](const std::vector<float>& weight) {
    float* normed = b.normed.get();
    std::byte* quantized = b.quantized.get();
    std::int64_t begin = mine.begin, end = mine.end;
    if (b.replicated) {
      normed = own.normed.Reserve(static_cast<std::size_t>(tokens * width));
      quantized = own.quantized.Reserve(
          kernels::ActivationBytes(tokens, (std::max(width, q_width) + 31) / 32 * 32));
      begin = 0;
      end = tokens;
    }
    for (std::int64_t t = begin; t < end; ++t) {
      kernels::RmsNorm(b.x.get() + t * width, weight.data(), config.norm_epsilon, width,
                       normed + t * width, isa);
    }
    const kernels::Activations a = view(normed, width, quantized);
    quantize_rows(a, begin, end);
    if (!b.replicated) threads_.Barrier();
    return a;
  };
  // Adds a branch's output to x, through a norm of its own.
  const auto add_branch = [&](const std::vector<float>& norm) {
    for (std::int64_t t = mine.begin; t < mine.end; ++t) {
      float* row = b.branch.get() + t * width;
      kernels::RmsNorm(row, norm.data(), config.norm_epsilon, width, row, isa);
      kernels::Add(b.x.get() + t * width, row, width, b.x.get() + t * width);
    }
  };

  for (std::int64_t t = mine.begin; t < mine.end; ++t) {
    model_.Embed(b.rows[static_cast<std::size_t>(t)].token, b.x.get() + t * width);
  }
  threads_.Barrier();

  for (int layer = 0; layer < config.layers; ++layer) {
    const DecoderLayer& w = model_.layers()[static_cast<std::size_t>(layer)];
    {
      const kernels::Activations a = normalise(w.attention_norm);
      // In q8 the keys go into the cache less their bias.
      const bool key_bias = format_ != KvFormat::kQ8;
      multiply_all({{&w.q, b.q.get(), true}, {&w.k, b.k.get(), key_bias}, {&w.v, b.v.get(), true}},
                   a);
      threads_.Barrier();
    }
    RotateAndStore(member, layer);
    threads_.Barrier();
    Attend(member, layer);
    threads_.Barrier();
    {
      float* attention = b.attention.get();
      std::byte* quantized = b.quantized.get();
      std::int64_t begin = mine.begin, end = mine.end;
      if (b.replicated) {
        // The parts are merged in private; whole rows lie where the members have put them.
        if (b.split_keys) {
          attention = own.attention.Reserve(static_cast<std::size_t>(tokens * q_width));
        }
        quantized = own.quantized.get();
        begin = 0;
        end = tokens;
      }
      if (b.split_keys) {
        for (std::int64_t t = begin; t < end; ++t) {
          for (int head = 0; head < config.q_heads; ++head) {
            kernels::MergeAttention(members, config.head_dim,
                                    b.part_out.get() + t * q_width + head * config.head_dim,
                                    static_cast<std::size_t>(tokens * q_width),
                                    b.part_lse.get() + t * config.q_heads + head,
                                    static_cast<std::size_t>(tokens * config.q_heads),
                                    attention + t * q_width + head * config.head_dim);
          }
        }
      }
      const kernels::Activations a = view(attention, q_width, quantized);
      quantize_rows(a, begin, end);
      if (!b.replicated) threads_.Barrier();
      const bool post = !w.post_attention_norm.empty();
      const WorkRange rows = SplitWork(w.output.rows, member, members, 16);
      multiply(w.output, a, rows.begin, rows.end, post ? b.branch.get() : b.x.get(), !post);
      threads_.Barrier();
      if (post) add_branch(w.post_attention_norm);
    }
    {
      // Rows of x are this member's own here in the shared mode: no barrier between the two.
      const kernels::Activations a = normalise(w.feed_forward_norm);
      const WorkRange rows = SplitWork(hidden, member, members, 32);
      multiply(w.gate, a, rows.begin, rows.end, b.gate.get(), false);
      multiply(w.up, a, rows.begin, rows.end, b.up.get(), false);
      for (std::int64_t t = 0; t < tokens && rows.begin < rows.end; ++t) {
        float* gate = b.gate.get() + t * hidden + rows.begin;
        const float* up = b.up.get() + t * hidden + rows.begin;
        if (config.activation == GateActivation::kSilu) {
          kernels::SiluMul(gate, up, rows.end - rows.begin, gate, isa);
        } else {
          kernels::GeluTanhMul(gate, up, rows.end - rows.begin, gate, isa);
        }
      }
      const kernels::Activations h = view(b.gate.get(), hidden, b.hidden_quantized.get());
      if (h.quantized != nullptr && rows.begin < rows.end) {
        kernels::QuantizeActivations(h, 0, tokens, rows.begin, rows.end, isa);
      }
      threads_.Barrier();
      const bool post = !w.post_feed_forward_norm.empty();
      const WorkRange down = SplitWork(width, member, members, 16);
      multiply(w.down, h, down.begin, down.end, post ? b.branch.get() : b.x.get(), !post);
      threads_.Barrier();
      if (post) add_branch(w.post_feed_forward_norm);
    }
    if (mine.begin < mine.end) {
      const float* last = b.x.get() + (mine.end - 1) * width;
      float sum = 0.0f;
      for (std::int64_t i = 0; i < width; ++i) sum += last[i];
      int none = -1;
      if (!std::isfinite(sum)) b.bad_layer.compare_exchange_strong(none, layer);
    }
  }

  const auto wanted = static_cast<std::int64_t>(b.logit_rows.size());
  if (wanted == 0) return;
  threads_.Barrier();
  // The rows of interest are gathered in front of `normed`.
  const WorkRange rows = SplitWork(wanted, member, members);
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    kernels::RmsNorm(b.x.get() + b.logit_rows[static_cast<std::size_t>(i)] * width,
                     model_.output_norm().data(), config.norm_epsilon, width,
                     b.normed.get() + i * width, isa);
  }
  kernels::Activations a = view(b.normed.get(), width, b.quantized.get());
  a.tokens = wanted;
  quantize_rows(a, rows.begin, rows.end);
  threads_.Barrier();
  const WorkRange vocabulary = SplitWork(config.vocabulary, member, members, 16);
  multiply(model_.output(), a, vocabulary.begin, vocabulary.end, b.logits.get(), false);
}

// Where a layer's keys and values lie; the block table is each sequence's own.
struct Decoder::LayerCache {
  kernels::PagedKvView kv;
  const Rotation& rotation;
  std::size_t group;
  bool bias;  // Keys are stored less their bias.
};

Decoder::LayerCache Decoder::CacheOf(int layer) const {
  const DecoderConfig& config = model_.config();
  const auto index = static_cast<std::size_t>(layer);
  const int group_index = group_of_layer_[index];
  const KvGroup& group = groups_[static_cast<std::size_t>(group_index)];
  kernels::PagedKvView kv;
  kv.pages = buffers_->pool->pages(group_index);
  kv.page_bytes = group.page_bytes();
  kv.layer_offset = static_cast<std::size_t>(index_in_group_[index]) * group.layer_bytes();
  kv.head_dim = config.head_dim;
  kv.element = group.element;
  return {kv, config.IsWindowLayer(layer) ? *window_rotation_ : *full_rotation_,
          static_cast<std::size_t>(group_index),
          format_ == KvFormat::kQ8 && !model_.layers()[index].k.bias.empty()};
}

void Decoder::RotateAndStore(int member, int layer) {
  Buffers& b = *buffers_;
  const DecoderConfig& config = model_.config();
  const DecoderLayer& w = model_.layers()[static_cast<std::size_t>(layer)];
  LayerCache cache = CacheOf(layer);
  const Rotation& rotation = cache.rotation;
  const int dim = config.head_dim, heads_per_kv = config.q_heads / config.kv_heads;
  const WorkRange range = SplitWork(static_cast<std::int64_t>(b.rows.size()) * config.kv_heads,
                                    member, threads_.size());
  for (std::int64_t item = range.begin; item < range.end; ++item) {
    const std::int64_t t = item / config.kv_heads;
    const int kv_head = static_cast<int>(item % config.kv_heads);
    const Buffers::Row& row = b.rows[static_cast<std::size_t>(t)];
    cache.kv.block_table = row.sequence->block_tables()[cache.group].data();
    float* k = b.k.get() + item * dim;
    if (!w.k_norm.empty()) kernels::RmsNorm(k, w.k_norm.data(), config.norm_epsilon, dim, k);
    rotation.Rotate(k, row.position, config.rope_pairs);
    kernels::StoreKv(cache.kv, kv_head, row.position, k, b.v.get() + item * dim);
    for (int g = 0; g < heads_per_kv; ++g) {
      const std::int64_t head = t * config.q_heads + kv_head * heads_per_kv + g;
      float* q = b.q.get() + head * dim;
      if (!w.q_norm.empty()) kernels::RmsNorm(q, w.q_norm.data(), config.norm_epsilon, dim, q);
      rotation.Rotate(q, row.position, config.rope_pairs);
      if (cache.bias) {
        rotation.BiasQuery(q, w.k.bias.data() + kv_head * dim, config.rope_pairs,
                           b.bias_query.get() + head * dim);
      }
    }
  }
}

void Decoder::Attend(int member, int layer) {
  Buffers& b = *buffers_;
  const DecoderConfig& config = model_.config();
  LayerCache cache = CacheOf(layer);
  const Rotation& rotation = cache.rotation;
  const int dim = config.head_dim, heads_per_kv = config.q_heads / config.kv_heads;
  const int window = groups_[cache.group].window;
  const auto tokens = static_cast<std::int64_t>(b.rows.size());
  const std::int64_t q_width = config.q_heads * dim;
  const CpuIsa isa = BestCpuIsa();
  Member& own = b.members[static_cast<std::size_t>(member)];
  // Tokens are dealt out in turn, since later ones have more keys; with few tokens the keys are.
  const std::int64_t step = b.split_keys ? 1 : threads_.size();
  for (std::int64_t t = b.split_keys ? 0 : member; t < tokens; t += step) {
    const Buffers::Row& row = b.rows[static_cast<std::size_t>(t)];
    std::int64_t key_begin = window > 0 ? std::max(0, row.position - window + 1) : 0;
    std::int64_t key_end = row.position + 1;
    float* out = b.attention.get() + t * q_width;
    float* lse = nullptr;
    if (b.split_keys) {
      out = b.part_out.get() + (member * tokens + t) * q_width;
      lse = b.part_lse.get() + (member * tokens + t) * config.q_heads;
      const std::int64_t first_page = key_begin / kPage;
      const WorkRange pages =
          SplitWork(row.position / kPage + 1 - first_page, member, threads_.size());
      key_end = std::min(key_end, (first_page + pages.end) * kPage);
      key_begin = std::max(key_begin, (first_page + pages.begin) * kPage);
      if (pages.begin >= pages.end) {
        std::fill(out, out + q_width, 0.0f);
        std::fill(lse, lse + config.q_heads, -INFINITY);
        continue;
      }
    }
    cache.kv.block_table = row.sequence->block_tables()[cache.group].data();
    const std::size_t floats = kernels::AttentionWorkspaceFloats(heads_per_kv, key_end - key_begin);
    kernels::AttentionQuery query;
    query.rotation = rotation.table.data();
    query.group = heads_per_kv;
    query.key_begin = key_begin;
    query.key_end = key_end;
    query.scale = config.attention_scale;
    query.workspace = {own.scores.Reserve(floats), floats};
    for (int kv_head = 0; kv_head < config.kv_heads; ++kv_head) {
      const std::int64_t head = kv_head * heads_per_kv;
      query.q = b.q.get() + t * q_width + head * dim;
      query.bias_query = cache.bias ? b.bias_query.get() + t * q_width + head * dim : nullptr;
      query.kv_head = kv_head;
      query.out = out + head * dim;
      query.log_sum_exp = lse != nullptr ? lse + head : nullptr;
      kernels::PagedAttention(isa, cache.kv, query);
    }
  }
}

}  // namespace liubai::engine
