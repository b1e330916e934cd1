// The emulated intrinsics mean what CUDA's do: the same checks run on the emulator and on a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/gpu.cuh"

namespace liubai::kernels {
namespace {

constexpr int kWarpResults = 22;

__global__ void WarpIntrinsics(int* out) {
  const int lane = threadIdx.x;
  int* p = out + lane * kWarpResults;
  *p++ = __shfl_xor_sync(~0u, lane, 5);
  *p++ = __shfl_up_sync(~0u, lane, 3);
  *p++ = __shfl_down_sync(~0u, lane, 3);
  *p++ = __shfl_sync(~0u, lane, 7);
  *p++ = __shfl_up_sync(~0u, lane, 3, 8);
  *p++ = __shfl_down_sync(~0u, lane, 3, 8);
  *p++ = __shfl_sync(~0u, lane, 5, 16);
  *p++ = static_cast<int>(__ballot_sync(~0u, lane % 3 == 0));
  *p++ = __any_sync(~0u, lane == 31);
  *p++ = __all_sync(~0u, lane < 32);
  *p++ = static_cast<int>(__match_any_sync(~0u, lane % 5));
  *p++ = __reduce_add_sync(~0u, lane - 40);
  *p++ = __reduce_min_sync(~0u, lane - 40);
  *p++ = static_cast<int>(__reduce_max_sync(~0u, static_cast<unsigned>(lane)));
  *p++ = static_cast<int>(__reduce_xor_sync(~0u, static_cast<unsigned>(lane * lane)));
  if (lane < 16) {  // Two masks at once.
    *p++ = __shfl_xor_sync(0x0000ffffu, lane, 1);
  } else {
    *p++ = __shfl_xor_sync(0xffff0000u, lane, 2);
  }
  *p++ = static_cast<int>(__shfl_xor_sync(~0u, 1LL * lane << 33, 1) >> 33);
  *p++ = static_cast<int>(
      __byte_perm(0x33221100u, 0x77665544u, 0x6420u + static_cast<unsigned>(lane % 2)));
  *p++ = __dp4a(0x01ff7f80, 0x02030405, lane);
  *p++ = __syncthreads_count(lane % 2);
  *p++ = __syncthreads_or(lane == 9);
  *p++ = __syncthreads_and(lane != 9);
}

// d = a b, and whether ldmatrix gives each lane the elements of the PTX ISA's tables.
template <class H>
__global__ void MatrixFragments(const H* a, const H* b, float* d, int* layout_ok) {
  GPU_SHARED(H, s_a, [16][16]);
  GPU_SHARED(H, s_b, [8][16]);
  GPU_SHARED(H, s_b_rows, [16][8]);
  const int lane = threadIdx.x, group = lane / 4, pair = lane % 4 * 2;
  for (int i = lane; i < 256; i += 32) s_a[i / 16][i % 16] = a[i];
  for (int i = lane; i < 128; i += 32) {  // b is [k][n].
    s_b[i % 8][i / 8] = b[i];
    s_b_rows[i / 8][i % 8] = b[i];
  }
  __syncthreads();
  std::uint32_t a_words[4], b_words[2], b_words_transposed[2];
  gpu::Ldmatrix<4, false>(a_words, &s_a[lane % 16][lane / 16 * 8]);
  gpu::Ldmatrix<2, false>(b_words, &s_b[lane % 8][lane / 8 % 2 * 8]);
  gpu::Ldmatrix<2, true>(b_words_transposed, &s_b_rows[lane % 16][0]);
  bool ok = b_words[0] == b_words_transposed[0] && b_words[1] == b_words_transposed[1];
  for (int i = 0; i < 8; ++i) {
    H element;
    memcpy(&element, reinterpret_cast<char*>(a_words) + 2 * i, 2);
    const int row = i % 4 < 2 ? group : group + 8, column = pair + i % 2 + (i >= 4 ? 8 : 0);
    ok = ok && float(element) == float(s_a[row][column]);
  }
  for (int i = 0; i < 4; ++i) {
    H element;
    memcpy(&element, reinterpret_cast<char*>(b_words) + 2 * i, 2);
    const int k = pair + i % 2 + (i >= 2 ? 8 : 0);
    ok = ok && float(element) == float(s_b[group][k]);
  }
  layout_ok[lane] = ok;
  float c[4] = {};
  gpu::MmaM16N8K16<H>(c, a_words, b_words, c);
  for (int i = 0; i < 4; ++i) d[(group + i / 2 * 8) * 8 + pair + i % 2] = c[i];
}

__global__ void ByteMatrices(const signed char* a, const signed char* b, int* d) {  // b is [n][k].
  const int lane = threadIdx.x, group = lane / 4, in_group = lane % 4;
  std::uint32_t a_words[4], b_words[2];
  for (int r = 0; r < 4; ++r) {
    memcpy(&a_words[r], a + (group + r % 2 * 8) * 32 + in_group * 4 + r / 2 * 16, 4);
  }
  for (int r = 0; r < 2; ++r) memcpy(&b_words[r], b + group * 32 + in_group * 4 + r * 16, 4);
  int c[4] = {1, 1, 1, 1};
  gpu::MmaM16N8K32S8(c, a_words, b_words, c);
  for (int i = 0; i < 4; ++i) d[(group + i / 2 * 8) * 8 + in_group * 2 + i % 2] = c[i];
}

__global__ void Atomics(int* histogram, float* sum, unsigned* ticket) {
  GPU_SHARED(bool, last);
  atomicAdd(&histogram[threadIdx.x % 7], 1);
  atomicAdd(sum, 0.5f);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) histogram[7] = histogram[0] + histogram[1];
}

// Two tiles in flight; each is read only after the wait that covers it.
__global__ void AsyncCopies(const int* in, int* out) {
  GPU_SHARED(int, tiles, [2][32][4]);
  const int lane = threadIdx.x;
  for (int t = 0; t < 2; ++t) {
    gpu::CpAsync16(tiles[t][lane], in + (t * 32 + lane) * 4, lane != 5);
    gpu::CpAsyncCommit();
  }
  gpu::CpAsyncWait<1>();
  for (int i = 0; i < 4; ++i) out[lane * 4 + i] = tiles[0][lane][i];
  gpu::CpAsyncWaitAll();
  for (int i = 0; i < 4; ++i) out[(32 + lane) * 4 + i] = tiles[1][lane][i];
}

__global__ void SpecialFunctions(float* out) {
  if (threadIdx.x == 0) out[0] = gpu::Exp2(3.5f);
  gpu::NamedBarrier(1, 32);  // Orders the write before the read.
  if (threadIdx.x == 31) out[1] = out[0] * __expf(-2.0f);
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) {
    EXPECT_EQ(cudaMalloc(&data_, size * sizeof(T)), cudaSuccess);
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    EXPECT_EQ(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* data() { return data_; }
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

class IntrinsicsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      GTEST_SKIP() << "no CUDA device here";
    }
  }
};

TEST_F(IntrinsicsTest, WarpOperations) {
  DeviceArray<int> out(32 * kWarpResults);
  ASSERT_EQ(GPU_LAUNCH(WarpIntrinsics, 1, 32, 0, nullptr, out.data()), cudaSuccess);
  const std::vector<int> got = out.Copy();
  unsigned ballot = 0, same[5] = {};
  int xor_of_squares = 0;
  for (int l = 0; l < 32; ++l) {
    ballot |= (l % 3 == 0 ? 1u : 0u) << l;
    same[l % 5] |= 1u << l;
    xor_of_squares ^= l * l;
  }
  for (int l = 0; l < 32; ++l) {
    const int want[kWarpResults] = {l ^ 5,
                                    l < 3 ? l : l - 3,
                                    l > 28 ? l : l + 3,
                                    7,
                                    l % 8 < 3 ? l : l - 3,
                                    l % 8 > 4 ? l : l + 3,
                                    l / 16 * 16 + 5,
                                    static_cast<int>(ballot),
                                    1,
                                    1,
                                    static_cast<int>(same[l % 5]),
                                    496 - 1280,
                                    -40,
                                    31,
                                    xor_of_squares,
                                    l < 16 ? l ^ 1 : l ^ 2,
                                    l ^ 1,
                                    l % 2 ? 0x66442211 : 0x66442200,
                                    -128 * 5 + 127 * 4 - 1 * 3 + 2 + l,
                                    16,
                                    1,
                                    0};
    for (int i = 0; i < kWarpResults; ++i) {
      EXPECT_EQ(got[l * kWarpResults + i], want[i]) << "result " << i << " of lane " << l;
    }
  }
}

template <class H>
void CheckMatrixFragments() {
  std::vector<H> a(256), b(128);
  for (int i = 0; i < 256; ++i) a[i] = H(static_cast<float>(i * 37 % 61) / 8 - 3);
  for (int i = 0; i < 128; ++i) b[i] = H(static_cast<float>(i * 53 % 47) / 8 - 3);
  DeviceArray<H> device_a(a), device_b(b);
  DeviceArray<float> device_d(128);
  DeviceArray<int> device_ok(32);
  ASSERT_EQ(GPU_LAUNCH(MatrixFragments<H>, 1, 32, 0, nullptr, device_a.data(), device_b.data(),
                       device_d.data(), device_ok.data()),
            cudaSuccess);
  const std::vector<float> d = device_d.Copy();
  for (int ok : device_ok.Copy()) EXPECT_EQ(ok, 1);
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) {
      double sum = 0;
      for (int k = 0; k < 16; ++k) {
        sum += double(float(a[i * 16 + k])) * double(float(b[k * 8 + j]));
      }
      EXPECT_NEAR(d[i * 8 + j], sum, 1e-4);
    }
  }
}

TEST_F(IntrinsicsTest, MatrixFragmentsOfHalves) { CheckMatrixFragments<__half>(); }
TEST_F(IntrinsicsTest, MatrixFragmentsOfBfloat16) { CheckMatrixFragments<__nv_bfloat16>(); }

TEST_F(IntrinsicsTest, MatricesOfBytes) {
  std::vector<signed char> a(512), b(256);
  for (int i = 0; i < 512; ++i) a[i] = static_cast<signed char>(i * 37);
  for (int i = 0; i < 256; ++i) b[i] = static_cast<signed char>(i * 91 + 5);
  DeviceArray<signed char> device_a(a), device_b(b);
  DeviceArray<int> device_d(128);
  ASSERT_EQ(GPU_LAUNCH(ByteMatrices, 1, 32, 0, nullptr, device_a.data(), device_b.data(),
                       device_d.data()),
            cudaSuccess);
  const std::vector<int> d = device_d.Copy();
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) {
      int sum = 1;
      for (int k = 0; k < 32; ++k) sum += a[i * 32 + k] * b[j * 32 + k];
      EXPECT_EQ(d[i * 8 + j], sum);
    }
  }
}

TEST_F(IntrinsicsTest, AtomicsAndTheLastBlock) {
  DeviceArray<int> histogram(std::vector<int>(8, 0));
  DeviceArray<float> sum(std::vector<float>{0.0f});
  DeviceArray<unsigned> ticket(std::vector<unsigned>{0});
  ASSERT_EQ(GPU_LAUNCH(Atomics, 5, 70, 0, nullptr, histogram.data(), sum.data(), ticket.data()),
            cudaSuccess);
  EXPECT_EQ(histogram.Copy(), (std::vector<int>{50, 50, 50, 50, 50, 50, 50, 100}));
  EXPECT_EQ(sum.Copy()[0], 175.0f);
}

TEST_F(IntrinsicsTest, AsynchronousCopies) {
  std::vector<int> in(256);
  for (int i = 0; i < 256; ++i) in[i] = i + 1;
  DeviceArray<int> device_in(in), device_out(256);
  ASSERT_EQ(GPU_LAUNCH(AsyncCopies, 1, 32, 0, nullptr, device_in.data(), device_out.data()),
            cudaSuccess);
  const std::vector<int> out = device_out.Copy();
  for (int i = 0; i < 256; ++i) EXPECT_EQ(out[i], i / 4 % 32 == 5 ? 0 : i + 1);
}

TEST_F(IntrinsicsTest, SpecialFunctions) {
  DeviceArray<float> device_out(2);
  ASSERT_EQ(GPU_LAUNCH(SpecialFunctions, 1, 32, 0, nullptr, device_out.data()), cudaSuccess);
  const std::vector<float> out = device_out.Copy();
  EXPECT_NEAR(out[0], std::exp2(3.5), 1e-5);
  EXPECT_NEAR(out[1], std::exp2(3.5) * std::exp(-2.0), 1e-5);
}

}  // namespace
}  // namespace liubai::kernels
