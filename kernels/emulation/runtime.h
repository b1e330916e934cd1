// kernels/emulation/runtime.h: the part of the CUDA runtime API that launchers and tests use. Part
// of emu.h. Everything is done on return; memory begins as NaN.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
using cudaStream_t = struct CUstream_st*;

inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "emulated CUDA error";
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }

template <class T>
cudaError_t cudaMalloc(T** p, std::size_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, 256, bytes != 0 ? bytes : 1) != 0) return cudaErrorMemoryAllocation;
  std::memset(memory, liubai::kernels::emu::config.poison, bytes);
  *p = static_cast<T*>(memory);
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* p) {
  std::free(p);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (bytes != 0) std::memmove(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
template <class K>
cudaError_t cudaFuncSetAttribute(K* kernel, cudaFuncAttribute, int value) {
  liubai::kernels::emu::SetMaxDynamicShared(reinterpret_cast<const void*>(kernel), value);
  return cudaSuccess;
}

namespace liubai::kernels::gpu {

template <class... P, class... A>
cudaError_t Launch(const char* name, void (*kernel)(P...), dim3 grid, dim3 block,
                   std::size_t shared_bytes, cudaStream_t, A&&... arguments) {
  struct Call {
    void (*kernel)(P...);
    std::tuple<std::decay_t<P>...> arguments;
  };
  Call call{kernel, {static_cast<P>(std::forward<A>(arguments))...}};
  emu::RunGrid(
      name, reinterpret_cast<const void*>(kernel), grid, block, shared_bytes,
      [](void* p) {
        auto& self = *static_cast<Call*>(p);
        std::apply(self.kernel, self.arguments);
      },
      &call);
  return cudaSuccess;
}

}  // namespace liubai::kernels::gpu
