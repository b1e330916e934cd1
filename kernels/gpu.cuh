// kernels/gpu.cuh: the one header of kernels and of the host code that launches them. nvcc takes
// CUDA's own headers and the PTX wrappers below; a host compiler with GPU_EMULATE defined takes
// kernels/emulation/emu.h, so that tests execute every kernel on machines without a GPU.
//
// Rules for kernels
//  1. Include only this device header. Inline PTX stays inside it; each wrapper has an emulated
//     twin (kernels/emulation/ptx.h) and a self-test (tests/kernels/emulation).
//  2. GPU_SHARED(float, tile, [4][64]), GPU_DYN_SMEM(float, scores) and GPU_LAUNCH: no <<<>>> and
//     no bare __shared__.
//  3. Kernels and device helpers sit in an unnamed namespace; a host function, the launcher, is the
//     interface. It takes the stream last, allocates nothing and checks every launch.
//  4. No __CUDA_ARCH__, __CUDACC__ or GPU_EMULATE branches in a kernel: they would be code that no
//     test runs.
//  5. Full warp masks unless lanes truly differ; __syncwarp between lanes that exchange through
//     shared memory; never return before a barrier.
//  6. memcpy or aligned vector types to read bytes as something else; min and max of one type; no
//     __noinline__.
//  7. No dependence on the order of blocks or on another block's progress.
//  8. Tests fill unused pages with NaN and unused table entries with garbage, use ragged lengths,
//     compare with double precision, and run in ascending, descending and random thread order and
//     under ASan, UBSan and TSan: each finds faults that the others miss.
#pragma once

#ifdef GPU_EMULATE
#include "kernels/emulation/emu.h"
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __CUDACC__
#define GPU_SHARED(T, name, ...) __shared__ __align__(16) T name __VA_ARGS__
#define GPU_DYN_SMEM(T, name)                                           \
  extern __shared__ __align__(128) unsigned char gpu_dynamic_shared_[]; \
  T* name = reinterpret_cast<T*>(gpu_dynamic_shared_)

namespace liubai::kernels::gpu {

// d = a * b + c over a warp, m16n8k16, f32 sums; H is __half or __nv_bfloat16.
template <class H>
__device__ __forceinline__ void MmaM16N8K16(float (&d)[4], const std::uint32_t (&a)[4],
                                            const std::uint32_t (&b)[2], const float (&c)[4]) {
  if constexpr (std::is_same_v<H, __half>) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]),
          "f"(c[2]), "f"(c[3]));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]),
          "f"(c[2]), "f"(c[3]));
  }
}

// d = a * b + c over a warp, m16n8k32, signed bytes.
__device__ __forceinline__ void MmaM16N8K32S8(int (&d)[4], const std::uint32_t (&a)[4],
                                              const std::uint32_t (&b)[2], const int (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
      "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]),
        "r"(c[2]), "r"(c[3]));
}

__device__ __forceinline__ std::uint32_t SharedAddress(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// N = 2 or 4 matrices of 8 x 8 halves; lane l < 8 N points at row l % 8 of matrix l / 8.
template <int N, bool kTransposed>
__device__ __forceinline__ void Ldmatrix(std::uint32_t (&r)[N], const void* row) {
  static_assert(N == 2 || N == 4);
  if constexpr (N == 4 && kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(SharedAddress(row))
                 : "memory");
  } else if constexpr (N == 4) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(SharedAddress(row))
                 : "memory");
  } else if constexpr (kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(SharedAddress(row))
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(SharedAddress(row))
                 : "memory");
  }
}

// Copies 16 aligned bytes to shared memory in the background; zeros where not `valid`.
__device__ __forceinline__ void CpAsync16(void* to, const void* from, bool valid = true) {
  const int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(SharedAddress(to)), "l"(from),
               "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void CpAsyncCommit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int kGroupsLeft>
__device__ __forceinline__ void CpAsyncWait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroupsLeft) : "memory");
}
__device__ __forceinline__ void CpAsyncWaitAll() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}
__device__ __forceinline__ void NamedBarrier(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ float Exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

template <class... P, class... A>
cudaError_t Launch(const char*, void (*kernel)(P...), dim3 grid, dim3 block,
                   std::size_t shared_bytes, cudaStream_t stream, A&&... arguments) {
  cudaLaunchConfig_t launch{};
  launch.gridDim = grid;
  launch.blockDim = block;
  launch.dynamicSmemBytes = shared_bytes;
  launch.stream = stream;
  return cudaLaunchKernelEx(&launch, kernel, static_cast<P>(arguments)...);
}

}  // namespace liubai::kernels::gpu
#endif  // __CUDACC__
#endif  // GPU_EMULATE

// GPU_LAUNCH((kernel<64, 3>), grid, block, shared_bytes, stream, arguments...) is a cudaError_t; a
// kernel's name with commas goes in parentheses.
#define GPU_LAUNCH(kernel, ...) ::liubai::kernels::gpu::Launch(#kernel, kernel, __VA_ARGS__)
