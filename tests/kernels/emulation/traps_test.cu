// What is wrong in a kernel, and passes on many GPUs, must end the emulated launch with its reason.
#include <gtest/gtest.h>

#include <string>

#include "kernels/gpu.cuh"

namespace liubai::kernels {
namespace {

__global__ void ExitBeforeBarrier() {
  if (threadIdx.x > 40) return;
  __syncthreads();
}
__global__ void MissingLane() {
  if (threadIdx.x >= 32 && threadIdx.x < 63) __shfl_xor_sync(~0u, 1, 1);
  __syncthreads();
}
__global__ void OutsideOwnMask() {
  if (threadIdx.x & 1) __shfl_xor_sync(0x55555555u, 1, 2);
}
__global__ void ReadsInactiveLane() {
  if (threadIdx.x < 8) __shfl_sync(0xffu, 1, 9);
}
__global__ void TwoBarriers() {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}
__global__ void MatrixWithoutLane() {
  if (threadIdx.x == 3) return;
  std::uint32_t a[4]{}, b[2]{};
  float c[4]{};
  gpu::MmaM16N8K16<half>(c, a, b, c);
}
__global__ void MisalignedCopy() {
  GPU_DYN_SMEM(char, shared);
  static uint4 source[1];
  gpu::CpAsync16(shared + 8, source);
}
__global__ void LargeStatic() {
  GPU_SHARED(float, values, [12289]);
  values[0] = 1;
}
__global__ void WritesDynamic() {
  GPU_DYN_SMEM(int, shared);
  shared[threadIdx.x] = 1;
}
[[maybe_unused]] __global__ void WritesBeyondStatic() {
  GPU_SHARED(float, first, [5]);
  GPU_SHARED(float, second, [3]);
  float* volatile p = first;
  p[threadIdx.x] = 1;
  if (threadIdx.x == 0) second[0] = 1;
}
template <int N>
__global__ void ReadsUninitialised(int* is_nan) {
  GPU_SHARED(float, values, [N]);
  if (threadIdx.x == 0) *is_nan = values[N - 1] != values[N - 1];
  __syncthreads();
  values[threadIdx.x] = 1;
}

template <class... P>
std::string Reason(void (*kernel)(P...), unsigned grid, unsigned block, std::size_t shared_bytes) {
  try {
    static_cast<void>(gpu::Launch("Kernel", kernel, grid, block, shared_bytes, nullptr));
  } catch (const emu::Error& error) {
    return error.what();
  }
  return "no error";
}

void ExpectReason(const std::string& reason, const char* want) {
  EXPECT_NE(reason.find(want), std::string::npos) << reason;
}

TEST(TrapsTest, BarriersAndLanes) {
  ExpectReason(Reason(ExitBeforeBarrier, 1, 64, 0), "returned before __syncthreads");
  ExpectReason(Reason(MissingLane, 1, 64, 0), "missing lanes 80000000");
  ExpectReason(Reason(OutsideOwnMask, 1, 32, 0), "not in its own mask");
  ExpectReason(Reason(ReadsInactiveLane, 1, 32, 0), "does not take part");
  ExpectReason(Reason(TwoBarriers, 1, 64, 0), "barrier divergence");
  ExpectReason(Reason(MatrixWithoutLane, 1, 32, 0), "exited lanes");
}

TEST(TrapsTest, LimitsOfTheDevice) {
  ExpectReason(Reason(MisalignedCopy, 1, 1, 64), "not 16-byte aligned");
  ExpectReason(Reason(LargeStatic, 1, 1, 0), "48 KiB static");
  ExpectReason(Reason(WritesDynamic, 1, 1, 50000), "48 KiB");
  ExpectReason(Reason(WritesDynamic, 1, 1025, 0), "block size");
}

TEST(TrapsTest, SharedMemoryStartsAsNanInEveryBlock) {
  int* is_nan = nullptr;
  ASSERT_EQ(cudaMalloc(&is_nan, sizeof *is_nan), cudaSuccess);
  *is_nan = 0;
  ASSERT_EQ(GPU_LAUNCH(ReadsUninitialised<40>, 3, 40, 0, nullptr, is_nan), cudaSuccess);
  EXPECT_EQ(*is_nan, 1);
  cudaFree(is_nan);
}

#ifndef EMU_ASAN  // ASan ends the program at the write itself.
TEST(TrapsTest, WritesBeyondSharedMemory) {
  ExpectReason(Reason(WritesBeyondStatic, 1, 6, 0),
               "beyond shared variable first (20 bytes), at offset 20");
  ExpectReason(Reason(WritesDynamic, 1, 30, 100), "beyond the 100 bytes");
}
#endif

TEST(TrapsTest, TheEngineWorksAfterAnError) {
  ExpectReason(Reason(TwoBarriers, 1, 64, 0), "barrier divergence");
  ExpectReason(Reason(WritesDynamic, 2, 32, 128), "no error");
}

}  // namespace
}  // namespace liubai::kernels
