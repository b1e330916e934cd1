#include "kernels/paged_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace liubai::kernels {
namespace {

struct Case {
  int head_dim, kv_heads, group, tokens, window;
  KvElement element;
  bool bias;
};

class PagedAttentionTest : public ::testing::TestWithParam<CpuIsa> {};

// Attention in double precision over the keys and values as they were given.
std::vector<double> Reference(const Case& c, const std::vector<float>& q,
                              const std::vector<float>& k, const std::vector<float>& v, int kv_head,
                              std::int64_t begin, std::int64_t end) {
  std::vector<double> out(static_cast<std::size_t>(c.group * c.head_dim));
  for (int h = 0; h < c.group; ++h) {
    std::vector<double> p;
    double most = -1e30, sum = 0;
    for (std::int64_t t = begin; t < end; ++t) {
      double s = 0;
      for (int d = 0; d < c.head_dim; ++d) {
        s += static_cast<double>(q[h * c.head_dim + d]) *
             k[(t * c.kv_heads + kv_head) * c.head_dim + d];
      }
      p.push_back(s / std::sqrt(c.head_dim));
      most = std::max(most, p.back());
    }
    for (double& x : p) sum += x = std::exp(x - most);
    for (std::int64_t t = begin; t < end; ++t) {
      for (int d = 0; d < c.head_dim; ++d) {
        out[h * c.head_dim + d] +=
            p[t - begin] / sum * v[(t * c.kv_heads + kv_head) * c.head_dim + d];
      }
    }
  }
  return out;
}

TEST_P(PagedAttentionTest, MatchesDoublePrecisionOnScatteredPages) {
  if (GetParam() > BestCpuIsa()) GTEST_SKIP() << "this processor lacks " << CpuIsaName(GetParam());
  const Case cases[] = {
      {64, 3, 3, 77, 0, KvElement::kF16, false},  {64, 3, 3, 77, 0, KvElement::kQ8, false},
      {64, 2, 7, 130, 0, KvElement::kQ8, true},   {128, 2, 6, 33, 0, KvElement::kQ8, true},
      {256, 1, 4, 50, 20, KvElement::kQ8, false}, {256, 1, 4, 50, 20, KvElement::kF16, false},
      {32, 2, 2, 1, 0, KvElement::kF16, false},   {96, 1, 1, 16, 0, KvElement::kQ8, false},
      {32, 1, 9, 17, 3, KvElement::kQ8, true},    {64, 1, 5, 300, 0, KvElement::kF16, false}};
  std::mt19937 random(20);
  for (const Case& c : cases) {
    std::normal_distribution<float> normal;
    const std::size_t values = static_cast<std::size_t>(c.tokens * c.kv_heads * c.head_dim);
    std::vector<float> k(values), v(values), q(static_cast<std::size_t>(c.group * c.head_dim));
    for (float& x : k) x = normal(random);
    for (float& x : v) x = normal(random);
    for (float& x : q) x = normal(random);
    // A rotated bias of the key at position p: pairs are (i, i + half).
    const int half = c.head_dim / 2;
    std::vector<float> bias(static_cast<std::size_t>(c.head_dim));
    for (float& x : bias) x = c.bias ? 3.0f * normal(random) : 0.0f;
    const int pages = (c.tokens + 15) / 16;
    std::vector<float> rotation(static_cast<std::size_t>(pages * 16 * c.head_dim));
    std::vector<float> full = k;
    for (int p = 0; p < pages * 16; ++p) {
      for (int i = 0; i < half; ++i) {
        const double angle = p * std::pow(10000.0, -2.0 * i / c.head_dim);
        const auto cosine = static_cast<float>(std::cos(angle));
        const auto sine = static_cast<float>(std::sin(angle));
        rotation[(p / 16 * c.head_dim + i) * 16 + p % 16] = cosine;
        rotation[(p / 16 * c.head_dim + half + i) * 16 + p % 16] = sine;
        if (p >= c.tokens) continue;
        for (int h = 0; h < c.kv_heads; ++h) {
          float* key = &full[(p * c.kv_heads + h) * c.head_dim];
          key[i] += bias[i] * cosine - bias[i + half] * sine;
          key[i + half] += bias[i + half] * cosine + bias[i] * sine;
        }
      }
    }
    std::vector<float> bias_query(q.size());
    for (int h = 0; h < c.group; ++h) {
      for (int i = 0; i < half; ++i) {
        const float a = q[h * c.head_dim + i], b = q[h * c.head_dim + half + i];
        bias_query[h * c.head_dim + i] = a * bias[i] + b * bias[i + half];
        bias_query[h * c.head_dim + half + i] = b * bias[i] - a * bias[i + half];
      }
    }
    const int layers = 2;
    const std::size_t record = KvRecordBytes(c.element, c.head_dim);
    PagedKvView kv;
    kv.page_bytes = layers * c.kv_heads * record;
    kv.layer_offset = static_cast<std::size_t>(c.kv_heads) * record;
    kv.head_dim = c.head_dim;
    kv.element = c.element;
    // Every slot that is never written holds NaN scales or halves.
    std::vector<float> pool((pages + 3) * kv.page_bytes / 4,
                            std::numeric_limits<float>::quiet_NaN());
    kv.pages = reinterpret_cast<std::byte*>(pool.data());
    std::vector<std::int32_t> table;
    for (int i = 0; i < pages; ++i)
      table.push_back((i * 7 + 2) % (pages + 3) == 0 ? 0 : pages + 2 - i);
    kv.block_table = table.data();
    for (int t = 0; t < c.tokens; ++t) {
      for (int h = 0; h < c.kv_heads; ++h) {
        const std::size_t at = static_cast<std::size_t>((t * c.kv_heads + h) * c.head_dim);
        StoreKv(kv, h, t, &k[at], &v[at]);
      }
    }
    const double tolerance = c.element == KvElement::kF16 ? 3e-3 : 4e-2;
    for (int h = 0; h < c.kv_heads; ++h) {
      const std::int64_t begin = c.window > 0 ? std::max(0, c.tokens - c.window) : 0;
      std::vector<float> workspace(AttentionWorkspaceFloats(c.group, c.tokens));
      std::vector<float> out(q.size()), lse(static_cast<std::size_t>(c.group));
      AttentionQuery query{q.data(),        c.bias ? bias_query.data() : nullptr,
                           rotation.data(), h,
                           c.group,         begin,
                           c.tokens,        1.0f / std::sqrt(static_cast<float>(c.head_dim)),
                           out.data(),      lse.data(),
                           workspace};
      PagedAttention(GetParam(), kv, query);
      const std::vector<double> want = Reference(c, q, full, v, h, begin, c.tokens);
      for (std::size_t i = 0; i < want.size(); ++i) {
        ASSERT_NEAR(out[i], want[i], tolerance) << c.head_dim << " head " << h << " at " << i;
      }
      if (c.tokens - begin < 2) continue;
      // Two halves of the keys, merged, are the whole.
      const std::int64_t middle = (begin + c.tokens) / 2;
      std::vector<float> parts(2 * out.size()), lses(2 * lse.size());
      for (int part = 0; part < 2; ++part) {
        query.key_begin = part == 0 ? begin : middle;
        query.key_end = part == 0 ? middle : c.tokens;
        query.out = parts.data() + part * out.size();
        query.log_sum_exp = lses.data() + part * lse.size();
        PagedAttention(GetParam(), kv, query);
      }
      std::vector<float> merged(static_cast<std::size_t>(c.head_dim));
      for (int g = 0; g < c.group; ++g) {
        MergeAttention(2, c.head_dim, parts.data() + g * c.head_dim, out.size(), lses.data() + g,
                       lse.size(), merged.data());
        for (int d = 0; d < c.head_dim; ++d) {
          ASSERT_NEAR(merged[d], out[g * c.head_dim + d], 2e-5);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, PagedAttentionTest,
                         ::testing::Values(CpuIsa::kPortable, CpuIsa::kAvx2, CpuIsa::kAvx512Vnni),
                         [](const auto& info) {
                           return std::to_string(static_cast<int>(info.param));
                         });

}  // namespace
}  // namespace liubai::kernels
