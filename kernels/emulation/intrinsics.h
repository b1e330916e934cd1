// kernels/emulation/intrinsics.h: CUDA's synchronisation, warp, atomic and arithmetic intrinsics.
// Part of emu.h. Names and meanings are those of the CUDA C++ programming guide.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

// Synchronisation and votes.
inline void __syncthreads(EMU_SITE) {
  liubai::kernels::emu::Barrier(0, 0, 0, liubai::kernels::emu::Vote::kNone, EMU_HERE);
}
inline int __syncthreads_count(int p, EMU_SITE) {
  return liubai::kernels::emu::Barrier(0, 0, p, liubai::kernels::emu::Vote::kCount, EMU_HERE);
}
inline int __syncthreads_and(int p, EMU_SITE) {
  return liubai::kernels::emu::Barrier(0, 0, p, liubai::kernels::emu::Vote::kAnd, EMU_HERE);
}
inline int __syncthreads_or(int p, EMU_SITE) {
  return liubai::kernels::emu::Barrier(0, 0, p, liubai::kernels::emu::Vote::kOr, EMU_HERE);
}
inline void __syncwarp(unsigned mask = ~0u, EMU_SITE) {
  liubai::kernels::emu::VoteOp(liubai::kernels::emu::Op::kSyncWarp, mask, 0, EMU_HERE);
}
inline unsigned __ballot_sync(unsigned mask, int p, EMU_SITE) {
  return static_cast<unsigned>(
      liubai::kernels::emu::VoteOp(liubai::kernels::emu::Op::kBallot, mask, p != 0, EMU_HERE));
}
inline int __any_sync(unsigned mask, int p, EMU_SITE) {
  return liubai::kernels::emu::VoteOp(liubai::kernels::emu::Op::kBallot, mask, p != 0, EMU_HERE) !=
         0;
}
inline int __all_sync(unsigned mask, int p, EMU_SITE) {
  return liubai::kernels::emu::VoteOp(liubai::kernels::emu::Op::kBallot, mask, p == 0, EMU_HERE) ==
         0;
}

// Exchanges between lanes. A source outside of the segment of `width` lanes is the lane itself.
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, EMU_SITE) {
  const int first = static_cast<int>(liubai::kernels::emu::Lane()) & -width;
  return liubai::kernels::emu::Shuffle(mask, value, first | (source & (width - 1)), EMU_HERE);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, EMU_SITE) {
  const int lane = static_cast<int>(liubai::kernels::emu::Lane());
  const int source = lane - static_cast<int>(delta);
  return liubai::kernels::emu::Shuffle(mask, value, source < (lane & -width) ? lane : source,
                                       EMU_HERE);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, EMU_SITE) {
  const int lane = static_cast<int>(liubai::kernels::emu::Lane());
  const int source = lane + static_cast<int>(delta);
  return liubai::kernels::emu::Shuffle(mask, value, source > (lane | (width - 1)) ? lane : source,
                                       EMU_HERE);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, EMU_SITE) {
  const int lane = static_cast<int>(liubai::kernels::emu::Lane());
  const int source = lane ^ bits;
  return liubai::kernels::emu::Shuffle(mask, value, source > (lane | (width - 1)) ? lane : source,
                                       EMU_HERE);
}
template <class T>
unsigned __match_any_sync(unsigned mask, T value, EMU_SITE) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return static_cast<unsigned>(
      liubai::kernels::emu::VoteOp(liubai::kernels::emu::Op::kMatch, mask, bits, EMU_HERE));
}
#define EMU_REDUCE(name, op)                                                                  \
  template <class T>                                                                          \
  T __reduce_##name##_sync(unsigned mask, T value, EMU_SITE) {                                \
    return liubai::kernels::emu::Reduce(liubai::kernels::emu::Op::op, mask, value, EMU_HERE); \
  }
EMU_REDUCE(add, kReduceAdd)
EMU_REDUCE(min, kReduceMin)
EMU_REDUCE(max, kReduceMax)
EMU_REDUCE(and, kReduceAnd)
EMU_REDUCE(or, kReduceOr)
EMU_REDUCE(xor, kReduceXor)
#undef EMU_REDUCE

inline void __threadfence() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __threadfence(); }
inline void __nanosleep(unsigned) { liubai::kernels::emu::Yield(); }

// Atomics: relaxed, as on the device.
namespace liubai::kernels::emu {
template <class T, class F>
T Update(T* p, F next) {
  T old, value;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  do {
    value = next(old);
  } while (!__atomic_compare_exchange(p, &old, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}
}  // namespace liubai::kernels::emu
#define EMU_ATOMIC(name, expression)                                              \
  template <class T>                                                              \
  T name(T* p, std::type_identity_t<T> v) {                                       \
    return liubai::kernels::emu::Update(p, [=](T old) { return T(expression); }); \
  }
EMU_ATOMIC(atomicAdd, old + v)
EMU_ATOMIC(atomicSub, old - v)
EMU_ATOMIC(atomicMax, old > v ? old : v)
EMU_ATOMIC(atomicMin, old < v ? old : v)
EMU_ATOMIC(atomicOr, old | v)
EMU_ATOMIC(atomicAnd, old& v)
#undef EMU_ATOMIC
template <class T>
T atomicExch(T* p, std::type_identity_t<T> v) {
  return liubai::kernels::emu::Update(p, [=](T) { return v; });
}
template <class T>
T atomicCAS(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> v) {
  return liubai::kernels::emu::Update(p, [=](T old) { return old == expected ? v : old; });
}
inline unsigned atomicInc(unsigned* p, unsigned limit) {
  return liubai::kernels::emu::Update(p, [=](unsigned old) { return old >= limit ? 0 : old + 1; });
}

// Loads, stores and arithmetic.
using std::max;
using std::min;
template <class T>
T __ldg(const T* p) {
  return *p;
}
template <class T>
T __ldcs(const T* p) {
  return *p;
}
template <class T>
T __ldcg(const T* p) {
  return *p;
}
template <class T>
void __stcs(T* p, std::type_identity_t<T> v) {
  *p = v;
}
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline void __sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float rsqrtf(float a) { return 1.0f / sqrtf(a); }
inline float __saturatef(float a) { return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline int __float2int_rn(float a) { return static_cast<int>(nearbyintf(a)); }
inline int __float2int_rz(float a) { return static_cast<int>(a); }
inline int __float_as_int(float a) { return std::bit_cast<int>(a); }
inline unsigned __float_as_uint(float a) { return std::bit_cast<unsigned>(a); }
inline float __int_as_float(int a) { return std::bit_cast<float>(a); }
inline float __uint_as_float(unsigned a) { return std::bit_cast<float>(a); }
inline int __popc(unsigned a) { return std::popcount(a); }
inline int __clz(int a) { return std::countl_zero(static_cast<unsigned>(a)); }
inline int __ffs(int a) { return __builtin_ffs(a); }
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> 4 * i & 15;
    const auto byte = static_cast<unsigned>(bytes >> 8 * (nibble & 7)) & 255;
    result |= (nibble & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * i;
  }
  return result;
}
inline int __dp4a(int a, int b, int c) {
  auto result = static_cast<unsigned>(c);
  for (int i = 0; i < 4; ++i) {
    result += static_cast<unsigned>(static_cast<std::int8_t>(a >> 8 * i) *
                                    static_cast<std::int8_t>(b >> 8 * i));
  }
  return static_cast<int>(result);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
  return c;
}
