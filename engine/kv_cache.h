// engine/kv_cache.h: the pool of KV pages, shared by all contexts of a model, and one sequence's
// hold on it.
//
// Invariants
//   1. A page belongs to one group of layers and is free, or has a positive reference count.
//   2. Holders are sequences and the prefix index; a page with more than one holder is never
//   written.
//   3. The pool's memory is reserved once; the budget is never exceeded. When no page is free,
//   pages that only the prefix index holds are given up: those of the prefix that was used longest
//   ago, its deepest page first, since a page is of no use without those before it.
//   4. A sequence of n computed tokens holds, for each group, the page of every position that a
//   token at n
//      may still attend to; pages wholly behind a sliding window are released (block table entry
//      -1).
//   5. A failed call leaves pool and sequence as they were.
//
// The prefix index maps the chained hash of all tokens up to the end of a full page to that page in
// every group, so that an unchanged prefix is never computed twice, whichever context computed it.
// The tokens themselves are compared too: a collision of hashes is a miss, not a wrong answer.
//
// Errors:  kResourceExhausted, with pages wanted, free and total.
// Threads: KvPool locks; a KvSequence belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/reserved_memory.h"
#include "kernels/paged_attention.h"
#include "liubai/status.h"
#include "liubai/types.h"

namespace liubai::engine {

// Layers that share page numbers: equal shape, equal window.
struct KvGroup {
  int layers = 0;
  int window = 0;  // Keys at distance >= window are not attended to; 0: all are.
  int kv_heads = 0;
  int head_dim = 0;
  kernels::KvElement element = kernels::KvElement::kQ8;

  std::size_t layer_bytes() const {
    return static_cast<std::size_t>(kv_heads) * kernels::KvRecordBytes(element, head_dim);
  }
  std::size_t page_bytes() const { return static_cast<std::size_t>(layers) * layer_bytes(); }
};

class KvPool {
 public:
  // Pages for `contexts` full contexts of `context_tokens` within `budget_bytes`, whichever is
  // less. kResourceExhausted: not even one context of 16 tokens fits.
  static Result<std::unique_ptr<KvPool>> Create(std::vector<KvGroup> groups, int context_tokens,
                                                int contexts, int chunk_tokens,
                                                std::uint64_t budget_bytes);
  KvPool(const KvPool&) = delete;
  KvPool& operator=(const KvPool&) = delete;

  const std::vector<KvGroup>& groups() const { return groups_; }
  std::byte* pages(int group) const {
    return stores_[static_cast<std::size_t>(group)].memory.data();
  }
  std::uint64_t bytes() const;
  int total_pages() const;
  int free_pages() const;  // Those that only the prefix index holds count as free.
  // Pages held by more than one holder, of those named.
  int CountShared(std::span<const std::vector<std::int32_t>> tables) const;

 private:
  friend class KvSequence;
  struct Store {
    ReservedMemory memory;
    std::vector<std::int32_t> references;
    std::vector<std::int32_t> free;
  };
  struct Entry {
    std::uint64_t key = 0;
    std::uint64_t parent = 0;
    std::vector<TokenId> tokens;      // [16]
    std::vector<std::int32_t> pages;  // [groups], -1 where it was released already.
  };

  KvPool() = default;
  std::int32_t TakeLocked(int group);  // -1 when nothing can be given up.
  void DropLocked(int group, std::int32_t page);
  void EvictLocked(std::list<Entry>::iterator entry);
  // The pages of a prefix, given by their keys, root first, become the most recently used.
  void TouchLocked(std::span<const std::uint64_t> prefix);
  Status ExhaustedLocked(int group, int wanted) const;

  std::vector<KvGroup> groups_;
  mutable std::mutex mutex_;
  std::vector<Store> stores_;
  // Most recently used first; an entry always stands before those that continue it.
  std::list<Entry> entries_;
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> index_;
};

class KvSequence {
 public:
  explicit KvSequence(KvPool& pool);
  ~KvSequence();
  KvSequence(const KvSequence&) = delete;
  KvSequence& operator=(const KvSequence&) = delete;

  int length() const { return static_cast<int>(tokens_.size()); }
  const std::vector<TokenId>& tokens() const { return tokens_; }
  std::span<const std::vector<std::int32_t>> block_tables() const { return tables_; }
  int pages() const;

  // Keeps the first `length` tokens, or fewer where a sliding window has released what the next
  // token would attend to. Returns the new length.
  int Truncate(int length);

  // Extends an empty or full-paged sequence by pages of the prefix index that continue it with
  // `tokens` (the whole wanted sequence, of which the first length() are held); stops before the
  // last token, whose logits someone wants. Returns the new length.
  int AdoptPrefix(std::span<const TokenId> tokens);

  // Makes room for `tokens` after the present end: pages are taken, a shared last page is copied.
  Status Extend(std::span<const TokenId> tokens);
  // The tokens of the last Extend are computed: full pages enter the prefix index, pages behind a
  // window are released.
  void Publish();

  // Shares every page of `other`. REQUIRES: this sequence is empty and of the same pool.
  void CopyFrom(const KvSequence& other);

 private:
  void ReleaseAll();
  int WindowStart(int group,
                  int length) const;  // The first position that a token at `length` attends to.

  KvPool& pool_;
  std::vector<TokenId> tokens_;
  std::vector<std::vector<std::int32_t>> tables_;  // [groups][ceil(length / 16)]
  std::vector<std::uint64_t> hashes_;  // Chained hash at the end of each published page.
};

}  // namespace liubai::engine
