// kernels/emulation/ptx.h: twins of the PTX wrappers of kernels/gpu.cuh, with the fragment layouts
// of the PTX ISA. Part of emu.h.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace liubai::kernels::gpu {

template <class H>
void MmaM16N8K16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                 const float (&c)[4], EMU_SITE) {
  emu::MmaArgs args{a, b, c, d};
  emu::WarpOp(std::is_same_v<H, __half> ? emu::Op::kMmaF16 : emu::Op::kMmaBf16, ~0u, &args,
              EMU_HERE);
}
inline void MmaM16N8K32S8(int (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                          const int (&c)[4], EMU_SITE) {
  emu::MmaArgs args{a, b, c, d};
  emu::WarpOp(emu::Op::kMmaS8, ~0u, &args, EMU_HERE);
}

template <int N, bool kTransposed>
void Ldmatrix(std::uint32_t (&r)[N], const void* row, EMU_SITE) {
  emu::LdmatrixArgs args{{}, r, N, kTransposed};
  if (emu::Lane() < 8 * N) {  // Read here, in instrumented code, so that the sanitizers see it.
    if (reinterpret_cast<std::size_t>(row) & 15) {
      emu::Fail("ldmatrix: row address not 16-byte aligned");
    }
    const uint4 value = *static_cast<const uint4*>(row);
    std::memcpy(args.row, &value, 16);
  }
  emu::WarpOp(emu::Op::kLdmatrix, ~0u, &args, EMU_HERE);
}

// Adversarial: the destination is poisoned when the copy is issued, and filled only by the wait
// that covers it.
inline void CpAsync16(void* to, const void* from, bool valid = true) {
  const auto bits = reinterpret_cast<std::size_t>(to) |
                    (valid ? reinterpret_cast<std::size_t>(from) : std::size_t{0});
  if (bits & 15) emu::Fail("cp.async: address not 16-byte aligned");
  auto& state = emu::ThreadAsyncState();
  *static_cast<uint4*>(to) = {~0u, ~0u, ~0u, ~0u};
  state.copies.push_back({to, from, state.group, !valid});
}
inline void CpAsyncCommit() { ++emu::ThreadAsyncState().group; }
template <int kGroupsLeft>
void CpAsyncWait() {
  auto& state = emu::ThreadAsyncState();
  std::size_t kept = 0;
  for (const auto& copy : state.copies) {
    if (static_cast<int>(copy.group + kGroupsLeft - state.group) >= 0) {
      state.copies[kept++] = copy;
    } else {
      *static_cast<uint4*>(copy.to) = copy.zero ? uint4{} : *static_cast<const uint4*>(copy.from);
    }
  }
  state.copies.resize(kept);
}
inline void CpAsyncWaitAll() {
  CpAsyncCommit();
  CpAsyncWait<0>();
}
inline void NamedBarrier(int id, int threads, EMU_SITE) {
  emu::Barrier(id, static_cast<unsigned>(threads), 0, emu::Vote::kNone, EMU_HERE);
}
inline float Exp2(float x) { return exp2f(x); }

}  // namespace liubai::kernels::gpu
