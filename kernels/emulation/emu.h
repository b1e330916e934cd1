// kernels/emulation/emu.h: CUDA on the CPU, for tests. Included by kernels/gpu.cuh, never directly.
//
// One fiber per CUDA thread, all in the one operating-system thread that launches; every barrier
// and warp operation is a checked meeting of fibers. The order in which ready threads run is
// ascending, descending or random (LIUBAI_EMU_ORDER=asc|desc|random, LIUBAI_EMU_SEED=n), and shared
// and device memory begin as NaN, so that a kernel that relies on luck is found out.
//
// Errors:  a broken rule (divergent barrier, deadlock, write beyond shared memory, ...) abandons
//          the launch, which then throws emu::Error with kernel, block, thread and source line.
// Threads: one at a time; the engine keeps global state, as the device that it stands for does.
// Not modelled: rounding inside tensor cores, bank conflicts, timing, wgmma, TMA, clusters, races
// between blocks.
#pragma once
#ifdef __CUDACC__
#error "emu.h is for host compilers; nvcc takes the other branch of kernels/gpu.cuh"
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "kernels/emulation/types.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

// A bare __shared__ would have to be a static variable in a section of its own, and g++ 12 silently
// drops the section attribute inside templates: so it does not compile.
#define __shared__ __shared__use_GPU_SHARED_or_GPU_DYN_SMEM
#define GPU_SHARED(T, name, ...)                                      \
  using name##_type_ = T __VA_ARGS__;                                 \
  static_assert(std::is_trivially_copyable_v<name##_type_>);          \
  static constinit ::liubai::kernels::emu::SharedSlot name##_slot_{}; \
  auto& name = *static_cast<name##_type_*>(                           \
      ::liubai::kernels::emu::SharedVariable(name##_slot_, sizeof(name##_type_), #name))
#define GPU_DYN_SMEM(T, name) T* name = reinterpret_cast<T*>(::liubai::kernels::emu::dynamic_shared)

// The last parameters of every operation that can fail: where in the kernel it was called.
#define EMU_SITE const char *file_ = __builtin_FILE(), int line_ = __builtin_LINE()
#define EMU_HERE \
  ::liubai::kernels::emu::Site { file_, line_ }

// Set at every switch of fibers.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

namespace liubai::kernels::emu {

struct Site {
  const char* file;
  int line;
};

struct Error : std::runtime_error {
  using runtime_error::runtime_error;
};

enum class Op : std::uint8_t {
  kSyncWarp,
  kShuffle,
  kBallot,
  kMatch,
  kReduceAdd,
  kReduceMin,
  kReduceMax,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
  kLdmatrix,
  kMmaF16,
  kMmaBf16,
  kMmaS8,  // From kLdmatrix on: whole warps only.
};

// The lanes of `mask` meet; the last one computes the results of all, in their `args`.
void WarpOp(Op op, unsigned mask, void* args, Site site);

// Meets `threads` threads (0: the whole block) at barrier `id`, and returns over their predicates:
enum class Vote : std::uint8_t { kNone, kCount, kAnd, kOr };
int Barrier(int id, unsigned threads, int predicate, Vote vote, Site site);

// Lets other threads of the block run.
void Yield();

// Abandons the launch.
[[noreturn]] __attribute__((format(printf, 1, 2))) void Fail(const char* format, ...);

void RunGrid(const char* name, const void* kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
             void (*body)(void*), void* argument);
void SetMaxDynamicShared(const void* kernel, int bytes);

struct SharedSlot {
  std::uint64_t block;
  void* data;
};
void* SharedVariable(SharedSlot& slot, std::size_t bytes, const char* name);
extern unsigned char* dynamic_shared;

enum class Order : std::uint8_t { kAscending, kDescending, kRandom };
struct Config {
  Order order = Order::kAscending;
  unsigned seed = 1;
  int poison = 0xff;  // The byte that uninitialised memory is made of: NaN in every float format.
};
extern Config config;

struct Stats {
  std::uint64_t launches, blocks, threads, switches, warp_ops, barriers;
};
extern Stats stats;

// Copies issued by cp.async in one thread, and the number of groups committed so far.
struct AsyncCopy {
  void* to;
  const void* from;
  unsigned group;
  bool zero;
};
struct AsyncState {
  std::vector<AsyncCopy> copies;
  unsigned group = 0;
};
AsyncState& ThreadAsyncState();

// Arguments of WarpOp.
struct ShuffleArgs {
  std::uint64_t value[2], result[2];
  int source;
};
struct VoteArgs {
  std::uint64_t value, result;
};
struct LdmatrixArgs {
  std::uint32_t row[4];  // The 16 bytes that this lane points at.
  std::uint32_t* result;
  int matrices;
  bool transposed;
};
struct MmaArgs {
  const std::uint32_t *a, *b;
  const void* c;
  void* d;
};

unsigned Lane();

template <class T>
T Shuffle(unsigned mask, T value, int source, Site site) {
  static_assert(sizeof(T) <= 16 && std::is_trivially_copyable_v<T>);
  ShuffleArgs args{{0, 0}, {0, 0}, source};
  std::memcpy(args.value, &value, sizeof value);
  WarpOp(Op::kShuffle, mask, &args, site);
  std::memcpy(&value, args.result, sizeof value);
  return value;
}

inline std::uint64_t VoteOp(Op op, unsigned mask, std::uint64_t value, Site site) {
  VoteArgs args{value, 0};
  WarpOp(op, mask, &args, site);
  return args.result;
}

template <class T>
T Reduce(Op op, unsigned mask, T value, Site site) {
  static_assert(sizeof(T) == 4 && std::is_integral_v<T>);
  return static_cast<T>(
      VoteOp(op, mask, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), site));
}

}  // namespace liubai::kernels::emu

#include "kernels/emulation/intrinsics.h"
#include "kernels/emulation/ptx.h"
#include "kernels/emulation/runtime.h"
