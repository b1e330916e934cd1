#include "core/reserved_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <utility>

namespace liubai {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

}  // namespace

ReservedMemory ReservedMemory::Reserve(std::size_t bytes) {
  ReservedMemory reserved;
  if (bytes > SIZE_MAX - kLargePage) return reserved;
  const std::size_t mapped_bytes = bytes + kLargePage;
  void* memory = ::mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return reserved;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  reserved.mapped_ = memory;
  reserved.mapped_bytes_ = mapped_bytes;
  reserved.data_ =
      static_cast<std::byte*>(memory) + (kLargePage - address % kLargePage) % kLargePage;
  reserved.size_ = bytes;
  // Advice only: a system without large pages gives small ones.
  ::madvise(reserved.data_, bytes, MADV_HUGEPAGE);
  return reserved;
}

ReservedMemory::~ReservedMemory() {
  if (mapped_ != nullptr) ::munmap(mapped_, mapped_bytes_);
}

ReservedMemory::ReservedMemory(ReservedMemory&& other) noexcept { *this = std::move(other); }

ReservedMemory& ReservedMemory::operator=(ReservedMemory&& other) noexcept {
  std::swap(mapped_, other.mapped_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace liubai
