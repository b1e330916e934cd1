// core/reserved_memory.h: address space that costs memory only where it is touched.
//
// On large pages (2 MiB, where the system grants them), without which code that walks more memory
// than the translation buffer covers waits for page tables.
#pragma once

#include <cstddef>

namespace liubai {

class ReservedMemory {
 public:
  ReservedMemory() = default;
  ~ReservedMemory();
  ReservedMemory(ReservedMemory&& other) noexcept;
  ReservedMemory& operator=(ReservedMemory&& other) noexcept;

  // `bytes` zeroed bytes at an address aligned to a large page. Empty when the system refuses.
  static ReservedMemory Reserve(std::size_t bytes);

  bool empty() const { return data_ == nullptr; }
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace liubai
