// One test body for the emulator and for a GPU. Pages are written by the CPU's StoreKv, so that the
// two devices cannot disagree about their bytes; the reference reads them in double precision.
#include "kernels/paged_attention_cuda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/half.h"
#include "kernels/gpu.cuh"

namespace liubai::kernels {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int kLayers = 2;
constexpr int kLayer = 1;  // The one that is attended to; the other stays NaN.

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values) : size_(values.size()) {
    EXPECT_EQ(cudaMalloc(&data_, size_ * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::vector<T> Copy() const {
    std::vector<T> values(size_);
    EXPECT_EQ(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

struct Case {
  KvElement element;
  int head_dim, kv_heads, group;
  std::vector<int> lengths;
  int splits = 1;
  int window = 0;
  bool bias = false;
};

// Where the attended keys of a sequence begin.
int KeyBegin(const Case& c, int length) {
  return c.window > 0 ? std::max(0, length - c.window) : 0;
}

// A batch on the host. Slots and pages without a key hold NaN, table entries without a page hold
// garbage, and there is not one byte more than needed.
struct Batch {
  Batch(const Case& c_in, unsigned seed) : c(c_in), random(seed) {
    const int longest = *std::max_element(c.lengths.begin(), c.lengths.end());
    stride = std::max(1, (longest + kPageTokens - 1) / kPageTokens);
    int pages = 1;  // Page 0 is no one's.
    for (int length : c.lengths) pages += (length + kPageTokens - 1) / kPageTokens;
    std::vector<std::int32_t> free(static_cast<std::size_t>(pages - 1));
    std::iota(free.begin(), free.end(), 1);
    std::shuffle(free.begin(), free.end(), random);

    record_bytes = KvRecordBytes(c.element, c.head_dim);
    layer_bytes = record_bytes * static_cast<std::size_t>(c.kv_heads);
    page_bytes = layer_bytes * kLayers;
    pool.assign(static_cast<std::size_t>(pages) * page_bytes / sizeof(float), kNan);
    std::memset(pool.data(), 0xff, pool.size() * sizeof(float));
    table.assign(c.lengths.size() * static_cast<std::size_t>(stride), 0x3fffffff);
    for (std::size_t s = 0; s < c.lengths.size(); ++s) Store(static_cast<int>(s), free);

    q = Normal(c.lengths.size() * static_cast<std::size_t>(c.kv_heads * c.group * c.head_dim));
    if (!c.bias) return;
    bias_query = Normal(q.size());
    rotation.assign(static_cast<std::size_t>(stride * kPageTokens * c.head_dim), kNan);
    const int half = c.head_dim / 2;
    for (int p = 0; p < longest; ++p) {
      for (int i = 0; i < half; ++i) {
        const double angle = p * std::pow(10000.0, -2.0 * i / c.head_dim);
        rotation[RotationIndex(p, i)] = static_cast<float>(std::cos(angle));
        rotation[RotationIndex(p, half + i)] = static_cast<float>(std::sin(angle));
      }
    }
  }

  std::size_t RotationIndex(int position, int d) const {
    return static_cast<std::size_t>((position / kPageTokens * c.head_dim + d) * kPageTokens +
                                    position % kPageTokens);
  }

  std::vector<float> Normal(std::size_t size) {
    std::normal_distribution<float> normal;
    std::vector<float> values(size);
    for (float& x : values) x = normal(random);
    return values;
  }

  // Stores the attended keys of sequence s; pages behind its window are released.
  void Store(int s, std::vector<std::int32_t>& free) {
    const int length = c.lengths[static_cast<std::size_t>(s)], begin = KeyBegin(c, length);
    std::int32_t* row = table.data() + s * stride;
    for (int p = 0; p < (length + kPageTokens - 1) / kPageTokens; ++p) {
      row[p] = -1;
      if (p < begin / kPageTokens) continue;
      row[p] = free.back();
      free.pop_back();
    }
    PagedKvView view;
    view.pages = reinterpret_cast<std::byte*>(pool.data());
    view.block_table = row;
    view.page_bytes = page_bytes;
    view.layer_offset = kLayer * layer_bytes;
    view.head_dim = c.head_dim;
    view.element = c.element;
    for (int t = begin; t < length; ++t) {
      for (int h = 0; h < c.kv_heads; ++h) {
        const std::vector<float> k = Normal(static_cast<std::size_t>(c.head_dim));
        const std::vector<float> v = Normal(static_cast<std::size_t>(c.head_dim));
        StoreKv(view, h, t, k.data(), v.data());
      }
    }
  }

  const std::byte* Record(int s, int kv_head, int position) const {
    const auto page = static_cast<std::size_t>(
        table[static_cast<std::size_t>(s * stride + position / kPageTokens)]);
    return reinterpret_cast<const std::byte*>(pool.data()) + page * page_bytes +
           kLayer * layer_bytes + static_cast<std::size_t>(kv_head) * record_bytes;
  }
  double Key(int s, int kv_head, int position, int d) const {
    const std::byte* record = Record(s, kv_head, position);
    const int slot = position % kPageTokens;
    if (c.element == KvElement::kF16) {
      return Half(record, d * kPageTokens + slot);
    }
    return Byte(record, d / 4 * 64 + slot * 4 + d % 4) * Scale(record, slot);
  }
  double Value(int s, int kv_head, int position, int d) const {
    const std::byte* record = Record(s, kv_head, position);
    const int slot = position % kPageTokens;
    const int at = kPageTokens * c.head_dim + slot * c.head_dim + d;
    if (c.element == KvElement::kF16) return Half(record, at);
    return Byte(record, at) * Scale(record, kPageTokens + slot);
  }
  static double Half(const std::byte* record, int index) {
    std::uint16_t bits;
    std::memcpy(&bits, record + 2 * index, 2);
    return HalfToFloat(bits);
  }
  static double Byte(const std::byte* record, int index) {
    return static_cast<std::int8_t>(record[index]);
  }
  double Scale(const std::byte* record, int index) const {
    float scale;
    std::memcpy(&scale, record + 2 * kPageTokens * c.head_dim + 4 * index, 4);
    return scale;
  }

  // One head's output [head_dim] and its log-sum-exp.
  std::vector<double> Reference(int s, int head, double scale, double* log_sum_exp) const {
    const int length = c.lengths[static_cast<std::size_t>(s)], begin = KeyBegin(c, length);
    const int kv_head = head / c.group;
    const auto row = static_cast<std::size_t>((s * c.kv_heads * c.group + head) * c.head_dim);
    std::vector<double> weights, out(static_cast<std::size_t>(c.head_dim));
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int t = begin; t < length; ++t) {
      double score = 0;
      for (int d = 0; d < c.head_dim; ++d) {
        score += double{q[row + static_cast<std::size_t>(d)]} * Key(s, kv_head, t, d);
        if (c.bias) {
          score +=
              double{bias_query[row + static_cast<std::size_t>(d)]} * rotation[RotationIndex(t, d)];
        }
      }
      weights.push_back(score * scale);
      most = std::max(most, weights.back());
    }
    for (double& w : weights) sum += w = std::exp(w - most);
    for (int t = begin; t < length; ++t) {
      const double weight = weights[static_cast<std::size_t>(t - begin)] / sum;
      for (int d = 0; d < c.head_dim; ++d) {
        out[static_cast<std::size_t>(d)] += weight * Value(s, kv_head, t, d);
      }
    }
    *log_sum_exp = most + std::log(sum);
    return out;
  }

  Case c;
  std::mt19937 random;
  int stride = 0;
  std::size_t record_bytes = 0, layer_bytes = 0, page_bytes = 0;
  std::vector<float> pool, q, bias_query, rotation;
  std::vector<std::int32_t> table;
};

class PagedAttentionCudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      GTEST_SKIP() << "no CUDA device here";
    }
  }

  static void Check(const Case& c) {
    constexpr unsigned kSeed = 31;
    SCOPED_TRACE("seed " + std::to_string(kSeed) + " element " +
                 std::to_string(static_cast<int>(c.element)) + " head_dim " +
                 std::to_string(c.head_dim) + " kv_heads " + std::to_string(c.kv_heads) +
                 " group " + std::to_string(c.group) + " splits " + std::to_string(c.splits) +
                 " window " + std::to_string(c.window) + " bias " + std::to_string(c.bias));
    const Batch batch(c, kSeed);
    const int sequences = static_cast<int>(c.lengths.size()), q_heads = c.kv_heads * c.group;
    const DeviceArray<float> pool(batch.pool), q(batch.q), bias_query(batch.bias_query),
        rotation(batch.rotation);
    const DeviceArray<std::int32_t> table(batch.table), lengths(c.lengths);
    const DeviceArray<float> out(std::vector<float>(batch.q.size(), kNan));
    const DeviceArray<float> lse(
        std::vector<float>(static_cast<std::size_t>(sequences * q_heads), kNan));
    const DeviceArray<float> workspace(std::vector<float>(
        PagedDecodeWorkspaceFloats(sequences, q_heads, c.head_dim, c.splits), kNan));
    PagedDecode decode;
    decode.q = q.data();
    decode.bias_query = c.bias ? bias_query.data() : nullptr;
    decode.rotation = c.bias ? rotation.data() : nullptr;
    decode.pages = reinterpret_cast<const std::byte*>(pool.data());
    decode.block_table = table.data();
    decode.lengths = lengths.data();
    decode.out = out.data();
    decode.log_sum_exp = lse.data();
    decode.page_bytes = batch.page_bytes;
    decode.layer_offset = kLayer * batch.layer_bytes;
    decode.sequences = sequences;
    decode.q_heads = q_heads;
    decode.kv_heads = c.kv_heads;
    decode.head_dim = c.head_dim;
    decode.table_stride = batch.stride;
    decode.window = c.window;
    decode.scale = 1.0f / std::sqrt(static_cast<float>(c.head_dim));
    decode.element = c.element;
    const Status status =
        PagedDecodeAttentionCuda(decode, c.splits, {workspace.data(), workspace.size()}, nullptr);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const std::vector<float> got = out.Copy(), got_lse = lse.Copy();
    for (int s = 0; s < sequences; ++s) {
      for (int h = 0; h < q_heads; ++h) {
        const auto row = static_cast<std::size_t>(s * q_heads + h);
        double want_lse = 0;
        const std::vector<double> want = batch.Reference(s, h, decode.scale, &want_lse);
        if (c.lengths[static_cast<std::size_t>(s)] == 0) {
          ASSERT_EQ(got_lse[row], -std::numeric_limits<float>::infinity());
        } else {
          ASSERT_NEAR(got_lse[row], want_lse, 1e-4) << "sequence " << s << " head " << h;
        }
        for (std::size_t d = 0; d < want.size(); ++d) {
          ASSERT_NEAR(got[row * want.size() + d], want[d], 1e-4)
              << "sequence " << s << " head " << h << " dimension " << d;
        }
      }
    }
  }
};

constexpr KvElement kElements[] = {KvElement::kF16, KvElement::kQ8};

TEST_F(PagedAttentionCudaTest, EveryHeadDimAndGroup) {
  for (KvElement element : kElements) {
    for (int head_dim : {32, 64, 128, 256}) {
      for (int group : {1, 2, 3, 4, 6, 7, 8}) {
        Check({element, head_dim, 1, group, {37, 1}, 2, 0, true});
      }
    }
  }
}

// The planted bugs of CMakeLists.txt are looked for with this one.
TEST_F(PagedAttentionCudaTest, OneKernel) { Check({KvElement::kF16, 64, 1, 3, {37, 100, 5}, 2}); }

TEST_F(PagedAttentionCudaTest, GroupsWithoutAKernelOfTheirOwn) {
  for (KvElement element : kElements) {
    for (int group : {5, 9, 11, 12, 16}) Check({element, 32, 2, group, {35}, 2});
  }
}

TEST_F(PagedAttentionCudaTest, RaggedLengths) {
  for (KvElement element : kElements) {
    Check({element, 64, 3, 3, {37, 100, 5, 16, 17}, 1});
    Check({element, 64, 2, 2, {1, 65, 0, 15, 64}, 3});
    Check({element, 128, 1, 4, {129, 3}, 16});  // More splits than pages.
  }
}

TEST_F(PagedAttentionCudaTest, SlidingWindow) {
  for (KvElement element : kElements) {
    for (int window : {1, 15, 16, 17, 40, 1000}) {
      Check({element, 32, 1, 2, {100, 33, 16, 5}, 1, window});
      Check({element, 32, 1, 2, {100, 33, 16, 5}, 3, window, true});
    }
  }
}

TEST_F(PagedAttentionCudaTest, BiasOfKeys) {
  for (KvElement element : kElements) {
    Check({element, 64, 2, 7, {70, 21}, 1, 0, true});
    Check({element, 128, 2, 6, {33}, 2, 0, true});
  }
}

TEST_F(PagedAttentionCudaTest, LargeBatch) {
  for (KvElement element : kElements) {
    Check({element, 64, 3, 3, {700, 301, 1, 48}, 5});
    Check({element, 128, 2, 6, {400, 250}, 4, 300, true});
    Check({element, 256, 1, 4, {300, 513}, 3, 512});
  }
}

TEST_F(PagedAttentionCudaTest, RefusesByNameAndValue) {
  alignas(16) static float memory[64];
  alignas(16) static std::int32_t integers[4];
  PagedDecode good;
  good.q = good.out = memory;
  good.pages = reinterpret_cast<const std::byte*>(memory);
  good.block_table = good.lengths = integers;
  good.page_bytes = KvRecordBytes(KvElement::kQ8, 64);
  good.sequences = good.q_heads = good.kv_heads = good.table_stride = 1;
  good.head_dim = 64;
  const auto expect = [&](auto change, int splits, const char* text) {
    PagedDecode bad = good;
    change(bad);
    const Status status = PagedDecodeAttentionCuda(bad, splits, {}, nullptr);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
  };
  expect([](PagedDecode& d) { d.head_dim = 96; }, 1, "head_dim is 96; it must be 32, 64, 128");
  expect([](PagedDecode& d) { d.sequences = 0; }, 1, "sequences is 0");
  expect([](PagedDecode& d) { d.sequences = 70000; }, 1, "sequences is 70000");
  expect([](PagedDecode& d) { d.kv_heads = 0; }, 1, "kv_heads is 0");
  expect([](PagedDecode& d) { d.kv_heads = 2; }, 1, "q_heads is 1");
  expect([](PagedDecode& d) { d.table_stride = 0; }, 1, "table_stride is 0");
  expect([](PagedDecode& d) { d.window = -1; }, 1, "window is -1");
  expect([](PagedDecode&) {}, 0, "splits is 0");
  expect([](PagedDecode&) {}, 2000, "splits is 2000");
  expect([](PagedDecode&) {}, 2, "workspace is 0; it must be at least 130 floats");
  expect([](PagedDecode& d) { d.page_bytes += 8; }, 1, "page_bytes is 2184");
  expect([](PagedDecode& d) { d.layer_offset = 8; }, 1, "layer_offset is 8");
  expect([](PagedDecode& d) { d.layer_offset = 16; }, 1, "page_bytes is 2176");
  expect([](PagedDecode& d) { d.rotation = memory; }, 1, "given together");
  expect([](PagedDecode& d) { d.lengths = nullptr; }, 1, "must not be null");
  expect([](PagedDecode& d) { d.pages += 4; }, 1, "aligned to 16 bytes");
}

TEST(PagedDecodeSplitsTest, FillsTheDeviceAndNoMore) {
  EXPECT_EQ(PagedDecodeSplits(1, 9, 3, 100, 132), 1);        // Too short to share.
  EXPECT_EQ(PagedDecodeSplits(1, 9, 3, 8192, 132), 64);      // Two pages for each warp.
  EXPECT_EQ(PagedDecodeSplits(1, 32, 8, 131072, 132), 66);   // 528 blocks.
  EXPECT_EQ(PagedDecodeSplits(1, 64, 4, 131072, 132), 66);   // Groups of 16 take two blocks.
  EXPECT_EQ(PagedDecodeSplits(256, 32, 8, 131072, 132), 1);  // The batch fills it.
  EXPECT_EQ(PagedDecodeSplits(1, 1, 1, 10000000, 1000), 1024);
}

}  // namespace
}  // namespace liubai::kernels
