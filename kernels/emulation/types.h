// kernels/emulation/types.h: CUDA's vector, half and bfloat16 types for host compilers.
//
// Sizes and alignments are CUDA's; conversions round to nearest even. The toolkit's own headers are
// not used: they lack half arithmetic on the host.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/half.h"
#ifdef __F16C__
#include <immintrin.h>
#endif

#define EMU_VECTOR(T, NAME, ALIGN2, ALIGN4)                          \
  struct NAME##1 {                                                   \
    T x;                                                             \
  };                                                                 \
  struct alignas(ALIGN2) NAME##2 {                                   \
    T x, y;                                                          \
  };                                                                 \
  struct NAME##3 {                                                   \
    T x, y, z;                                                       \
  };                                                                 \
  struct alignas(ALIGN4) NAME##4 {                                   \
    T x, y, z, w;                                                    \
  };                                                                 \
  inline NAME##1 make_##NAME##1(T x) { return {x}; }                 \
  inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }         \
  inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; } \
  inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }
EMU_VECTOR(signed char, char, 2, 4)
EMU_VECTOR(unsigned char, uchar, 2, 4)
EMU_VECTOR(short, short, 4, 8)
EMU_VECTOR(unsigned short, ushort, 4, 8)
EMU_VECTOR(int, int, 8, 16)
EMU_VECTOR(unsigned, uint, 8, 16)
EMU_VECTOR(float, float, 8, 16)
EMU_VECTOR(long long, longlong, 16, 16)
EMU_VECTOR(double, double, 16, 16)
#undef EMU_VECTOR

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_in = 1, unsigned y_in = 1, unsigned z_in = 1)
      : x(x_in), y(y_in), z(z_in) {}
};

namespace liubai::kernels::emu {
#ifdef __F16C__  // Four times faster than core/half.h, with the same results.
inline float HalfBitsToFloat(std::uint16_t bits) { return _cvtsh_ss(bits); }
inline std::uint16_t FloatToHalfBits(float value) { return _cvtss_sh(value, 0); }
#else
inline float HalfBitsToFloat(std::uint16_t bits) { return HalfToFloat(bits); }
inline std::uint16_t FloatToHalfBits(float value) { return FloatToHalf(value); }
#endif
inline float Bfloat16BitsToFloat(std::uint16_t bits) { return Bfloat16ToFloat(bits); }
inline std::uint16_t FloatToBfloat16Bits(float value) {
  return value != value ? std::uint16_t{0x7fff} : FloatToBfloat16(value);
}
}  // namespace liubai::kernels::emu

#define EMU_HALF(H, H2, TO_FLOAT, FROM_FLOAT, N, N2)                                             \
  struct H {                                                                                     \
    std::uint16_t x;                                                                             \
    H() = default;                                                                               \
    H(float f) : x(liubai::kernels::emu::FROM_FLOAT(f)) {}                                       \
    H(double f) : H(static_cast<float>(f)) {}                                                    \
    H(int f) : H(static_cast<float>(f)) {}                                                       \
    operator float() const { return liubai::kernels::emu::TO_FLOAT(x); }                         \
  };                                                                                             \
  struct alignas(4) H2 {                                                                         \
    H x, y;                                                                                      \
  };                                                                                             \
  inline H __float2##N(float f) { return H(f); }                                                 \
  inline H __float2##N##_rn(float f) { return H(f); }                                            \
  inline float __##N##2float(H h) { return h; }                                                  \
  inline H operator+(H a, H b) { return H(float(a) + float(b)); }                                \
  inline H operator-(H a, H b) { return H(float(a) - float(b)); }                                \
  inline H operator*(H a, H b) { return H(float(a) * float(b)); }                                \
  inline H operator/(H a, H b) { return H(float(a) / float(b)); }                                \
  inline H __hadd(H a, H b) { return a + b; }                                                    \
  inline H __hsub(H a, H b) { return a - b; }                                                    \
  inline H __hmul(H a, H b) { return a * b; }                                                    \
  inline H __hfma(H a, H b, H c) { return H(float(double(float(a)) * float(b) + float(c))); }    \
  inline H __hmax(H a, H b) { return H(fmaxf(a, b)); }                                           \
  inline H __hmin(H a, H b) { return H(fminf(a, b)); }                                           \
  inline H2 __hadd2(H2 a, H2 b) { return {a.x + b.x, a.y + b.y}; }                               \
  inline H2 __hmul2(H2 a, H2 b) { return {a.x * b.x, a.y * b.y}; }                               \
  inline H2 __hfma2(H2 a, H2 b, H2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; } \
  inline H2 __floats2##N2##_rn(float a, float b) { return {H(a), H(b)}; }                        \
  inline H2 __float22##N2##_rn(float2 f) { return {H(f.x), H(f.y)}; }                            \
  inline H2 __##N##2##N2(H a) { return {a, a}; }                                                 \
  inline H2 __halves2##N2(H a, H b) { return {a, b}; }                                           \
  inline float __low2float(H2 a) { return a.x; }                                                 \
  inline float __high2float(H2 a) { return a.y; }
EMU_HALF(__half, __half2, HalfBitsToFloat, FloatToHalfBits, half, half2)
EMU_HALF(__nv_bfloat16, __nv_bfloat162, Bfloat16BitsToFloat, FloatToBfloat16Bits, bfloat16,
         bfloat162)
#undef EMU_HALF

using half = __half;
using half2 = __half2;
inline float2 __half22float2(__half2 h) { return {float(h.x), float(h.y)}; }
inline float2 __bfloat1622float2(__nv_bfloat162 h) { return {float(h.x), float(h.y)}; }
inline unsigned short __half_as_ushort(__half h) { return h.x; }
inline __half __ushort_as_half(unsigned short bits) {
  __half h;
  h.x = bits;
  return h;
}
