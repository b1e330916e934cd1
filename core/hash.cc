#include "core/hash.h"

#include <openssl/evp.h>

#include <vector>

#include "core/file_system.h"
#include "core/macros.h"

namespace liubai {

struct Sha256::Impl {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~Impl() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : impl_(std::make_unique<Impl>()) {
  EVP_DigestInit_ex(impl_->context, EVP_sha256(), nullptr);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::Update(std::span<const std::byte> bytes) {
  EVP_DigestUpdate(impl_->context, bytes.data(), bytes.size());
}

void Sha256::Update(std::string_view bytes) { Update(std::as_bytes(std::span(bytes))); }

std::array<std::uint8_t, 32> Sha256::Digest() const {
  std::array<std::uint8_t, 32> digest{};
  Impl copy;
  EVP_MD_CTX_copy_ex(copy.context, impl_->context);
  EVP_DigestFinal_ex(copy.context, digest.data(), nullptr);
  return digest;
}

std::string Sha256::Hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(64);
  for (const std::uint8_t byte : Digest()) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

std::string Sha256Hex(std::string_view bytes) {
  Sha256 sha;
  sha.Update(bytes);
  return sha.Hex();
}

Result<std::string> Sha256HexOfFile(const std::string& path) {
  LIUBAI_ASSIGN_OR_RETURN(auto file, PosixFileSystem().OpenForRead(path));
  Sha256 sha;
  std::vector<std::byte> buffer(1 << 20);
  for (;;) {
    LIUBAI_ASSIGN_OR_RETURN(const std::size_t got, file->Read(buffer));
    if (got == 0) return sha.Hex();
    sha.Update(std::span<const std::byte>(buffer.data(), got));
  }
}

}  // namespace liubai
