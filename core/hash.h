// core/hash.h: SHA-256 of memory and files (OpenSSL), and a 64-bit mixing hash for chained keys.
//
// Errors: none for memory; files report as in core/file_system.h.
// Threads: a Sha256 belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "liubai/status.h"

namespace liubai {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void Update(std::span<const std::byte> bytes);
  void Update(std::string_view bytes);
  // The digest so far, 32 bytes; more may be added after it.
  std::array<std::uint8_t, 32> Digest() const;
  // The digest as 64 lower-case hexadecimal digits.
  std::string Hex() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::string Sha256Hex(std::string_view bytes);
// Reads the file in pieces of 1 MiB.
Result<std::string> Sha256HexOfFile(const std::string& path);

// One step of a chained 64-bit hash (the finaliser of MurmurHash3, public domain): not cryptographic.
constexpr std::uint64_t HashCombine(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t h = seed ^ (value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2));
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdull;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ull;
  h ^= h >> 33;
  return h;
}

}  // namespace liubai
