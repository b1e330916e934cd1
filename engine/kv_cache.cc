#include "engine/kv_cache.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "core/hash.h"
#include "core/macros.h"
#include "fmt/format.h"

namespace liubai::engine {
namespace {

constexpr int kPage = kernels::kPageTokens;
constexpr std::uint64_t kRootHash = 0x4c697562616921ull;

int PagesFor(int tokens) { return (tokens + kPage - 1) / kPage; }

std::uint64_t HashPage(std::uint64_t parent, std::span<const TokenId> tokens) {
  std::uint64_t hash = parent;
  for (const TokenId token : tokens) hash = HashCombine(hash, static_cast<std::uint64_t>(token));
  return hash;
}

}  // namespace

Result<std::unique_ptr<KvPool>> KvPool::Create(std::vector<KvGroup> groups, int context_tokens,
                                               int contexts, int chunk_tokens,
                                               std::uint64_t budget_bytes) {
  std::unique_ptr<KvPool> pool(new KvPool());
  pool->groups_ = std::move(groups);
  std::vector<std::uint64_t> wanted;
  std::uint64_t total = 0;
  for (const KvGroup& group : pool->groups_) {
    // A window group holds its window and the chunk being computed, and a page at either end.
    const int tokens = group.window > 0
                           ? std::min(context_tokens, group.window + chunk_tokens + 2 * kPage)
                           : context_tokens;
    wanted.push_back(static_cast<std::uint64_t>(PagesFor(tokens) + 1) *
                     static_cast<std::uint64_t>(contexts));
    total += wanted.back() * group.page_bytes();
  }
  for (std::size_t g = 0; g < wanted.size(); ++g) {
    const KvGroup& group = pool->groups_[g];
    if (budget_bytes != 0 && total > budget_bytes) {
      wanted[g] = static_cast<std::uint64_t>(
          static_cast<double>(wanted[g]) *
          (static_cast<double>(budget_bytes) / static_cast<double>(total)));
    }
    if (wanted[g] < 2) {
      return Status(
          StatusCode::kResourceExhausted,
          fmt::format("a KV budget of {} bytes holds {} pages of {} bytes; at least 2 are needed",
                      budget_bytes, wanted[g], group.page_bytes()));
    }
    Store store;
    const std::size_t bytes = wanted[g] * group.page_bytes();
    store.memory = ReservedMemory::Reserve(bytes);
    if (store.memory.empty()) {
      return Status(StatusCode::kResourceExhausted,
                    fmt::format("cannot reserve {} bytes for the KV cache", bytes));
    }
    store.references.assign(wanted[g], 0);
    for (std::uint64_t page = wanted[g]; page-- > 0;) {
      store.free.push_back(static_cast<std::int32_t>(page));
    }
    pool->stores_.push_back(std::move(store));
  }
  return pool;
}

std::uint64_t KvPool::bytes() const {
  std::uint64_t bytes = 0;
  for (const Store& store : stores_) bytes += store.memory.size();
  return bytes;
}

int KvPool::total_pages() const {
  std::size_t pages = 0;
  for (const Store& store : stores_) pages += store.references.size();
  return static_cast<int>(pages);
}

int KvPool::free_pages() const {
  const std::lock_guard lock(mutex_);
  std::size_t pages = 0;
  for (const Store& store : stores_) pages += store.free.size();
  for (const Entry& entry : entries_) {
    for (std::size_t g = 0; g < entry.pages.size(); ++g) {
      if (entry.pages[g] >= 0 &&
          stores_[g].references[static_cast<std::size_t>(entry.pages[g])] == 1) {
        ++pages;
      }
    }
  }
  return static_cast<int>(pages);
}

int KvPool::CountShared(std::span<const std::vector<std::int32_t>> tables) const {
  const std::lock_guard lock(mutex_);
  int shared = 0;
  for (std::size_t g = 0; g < tables.size(); ++g) {
    for (const std::int32_t page : tables[g]) {
      shared += page >= 0 && stores_[g].references[static_cast<std::size_t>(page)] > 1;
    }
  }
  return shared;
}

std::int32_t KvPool::TakeLocked(int group) {
  Store& store = stores_[static_cast<std::size_t>(group)];
  // From the oldest on; an entry that frees nothing for this group is passed over.
  for (auto entry = entries_.end(); store.free.empty() && entry != entries_.begin();) {
    --entry;
    const std::int32_t page = entry->pages[static_cast<std::size_t>(group)];
    if (page < 0 || store.references[static_cast<std::size_t>(page)] != 1) continue;
    const auto victim = entry++;
    EvictLocked(victim);
  }
  if (store.free.empty()) return -1;
  const std::int32_t page = store.free.back();
  store.free.pop_back();
  store.references[static_cast<std::size_t>(page)] = 1;
  return page;
}

void KvPool::DropLocked(int group, std::int32_t page) {
  Store& store = stores_[static_cast<std::size_t>(group)];
  assert(page >= 0 && store.references[static_cast<std::size_t>(page)] > 0);
  if (--store.references[static_cast<std::size_t>(page)] == 0) store.free.push_back(page);
}

void KvPool::EvictLocked(std::list<Entry>::iterator entry) {
  for (std::size_t g = 0; g < entry->pages.size(); ++g) {
    if (entry->pages[g] >= 0) DropLocked(static_cast<int>(g), entry->pages[g]);
  }
  index_.erase(entry->key);
  entries_.erase(entry);
}

void KvPool::TouchLocked(std::span<const std::uint64_t> prefix) {
  for (std::size_t i = prefix.size(); i-- > 0;) {
    const auto found = index_.find(prefix[i]);
    if (found != index_.end()) entries_.splice(entries_.begin(), entries_, found->second);
  }
}

Status KvPool::ExhaustedLocked(int group, int wanted) const {
  const Store& store = stores_[static_cast<std::size_t>(group)];
  return Status(
      StatusCode::kResourceExhausted,
      fmt::format("the KV pool is full: {} more pages of {} tokens wanted, {} free of {} "
                  "({} bytes); raise the KV budget or close a context",
                  wanted, kPage, store.free.size(), store.references.size(), store.memory.size()));
}

KvSequence::KvSequence(KvPool& pool) : pool_(pool), tables_(pool.groups().size()) {}

KvSequence::~KvSequence() { ReleaseAll(); }

int KvSequence::pages() const {
  std::ptrdiff_t pages = 0;
  for (const auto& table : tables_) {
    pages += static_cast<std::ptrdiff_t>(table.size()) - std::count(table.begin(), table.end(), -1);
  }
  return static_cast<int>(pages);
}

int KvSequence::WindowStart(int group, int length) const {
  const int window = pool_.groups()[static_cast<std::size_t>(group)].window;
  return window > 0 ? std::max(0, length - window + 1) : 0;
}

void KvSequence::ReleaseAll() {
  const std::lock_guard lock(pool_.mutex_);
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    for (const std::int32_t page : tables_[g]) {
      if (page >= 0) pool_.DropLocked(static_cast<int>(g), page);
    }
    tables_[g].clear();
  }
  tokens_.clear();
  hashes_.clear();
}

int KvSequence::Truncate(int length) {
  length = std::clamp(length, 0, this->length());
  if (length == this->length()) return length;
  bool whole = true;
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    for (int page = WindowStart(static_cast<int>(g), length) / kPage; page < PagesFor(length);
         ++page) {
      whole = whole && tables_[g][static_cast<std::size_t>(page)] >= 0;
    }
  }
  if (!whole) {
    ReleaseAll();
    return 0;
  }
  const std::lock_guard lock(pool_.mutex_);
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    auto& table = tables_[g];
    while (static_cast<int>(table.size()) > PagesFor(length)) {
      if (table.back() >= 0) pool_.DropLocked(static_cast<int>(g), table.back());
      table.pop_back();
    }
  }
  tokens_.resize(static_cast<std::size_t>(length));
  hashes_.resize(std::min<std::size_t>(hashes_.size(), static_cast<std::size_t>(length / kPage)));
  return length;
}

int KvSequence::AdoptPrefix(std::span<const TokenId> tokens) {
  if (length() % kPage != 0) return length();
  const int first = length() / kPage;
  const int limit = static_cast<int>(tokens.size() > 0 ? (tokens.size() - 1) / kPage : 0);
  const std::lock_guard lock(pool_.mutex_);
  std::vector<std::list<KvPool::Entry>::iterator> found;
  std::uint64_t hash = first > 0 ? hashes_.back() : kRootHash;
  for (int page = first; page < limit; ++page) {
    const auto part = tokens.subspan(static_cast<std::size_t>(page * kPage), kPage);
    const std::uint64_t key = HashPage(hash, part);
    const auto hit = pool_.index_.find(key);
    if (hit == pool_.index_.end() || hit->second->parent != hash ||
        !std::equal(part.begin(), part.end(), hit->second->tokens.begin())) {
      break;
    }
    found.push_back(hit->second);
    hash = key;
  }
  // Groups with a window need their last pages present; those further back may have been released.
  const auto usable = [&](int count) {
    const int end = first + count;
    for (std::size_t g = 0; g < tables_.size(); ++g) {
      for (int page = WindowStart(static_cast<int>(g), end * kPage) / kPage; page < end; ++page) {
        const std::int32_t id = page < first
                                    ? tables_[g][static_cast<std::size_t>(page)]
                                    : found[static_cast<std::size_t>(page - first)]->pages[g];
        if (id < 0) return false;
      }
    }
    return true;
  };
  int count = static_cast<int>(found.size());
  while (count > 0 && !usable(count)) --count;
  for (int i = 0; i < count; ++i) {
    const auto entry = found[static_cast<std::size_t>(i)];
    for (std::size_t g = 0; g < tables_.size(); ++g) {
      const bool behind =
          (first + i + 1) * kPage <= WindowStart(static_cast<int>(g), (first + count) * kPage);
      const std::int32_t page = behind ? -1 : entry->pages[g];
      if (page >= 0) ++pool_.stores_[g].references[static_cast<std::size_t>(page)];
      tables_[g].push_back(page);
    }
    hashes_.push_back(entry->key);
    tokens_.insert(tokens_.end(), entry->tokens.begin(), entry->tokens.end());
  }
  if (count > 0) pool_.TouchLocked(hashes_);
  return length();
}

Status KvSequence::Extend(std::span<const TokenId> tokens) {
  const int end = length() + static_cast<int>(tokens.size());
  const std::lock_guard lock(pool_.mutex_);
  struct Taken {
    int group;
    std::int32_t page;
  };
  std::vector<Taken> taken;
  const auto give_back = [&] {
    for (const Taken& t : taken) pool_.DropLocked(t.group, t.page);
  };
  // All pages are taken before anything changes.
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    auto& store = pool_.stores_[g];
    int wanted = PagesFor(end) - static_cast<int>(tables_[g].size());
    const bool copy = length() % kPage != 0 && !tokens.empty() &&
                      store.references[static_cast<std::size_t>(tables_[g].back())] > 1;
    wanted += copy;
    for (int i = 0; i < wanted; ++i) {
      const std::int32_t page = pool_.TakeLocked(static_cast<int>(g));
      if (page < 0) {
        const Status full = pool_.ExhaustedLocked(static_cast<int>(g), wanted - i);
        give_back();
        return full;
      }
      taken.push_back({static_cast<int>(g), page});
    }
  }
  for (std::size_t g = 0, next = 0; g < tables_.size(); ++g) {
    auto& table = tables_[g];
    auto& store = pool_.stores_[g];
    const std::size_t page_bytes = pool_.groups_[g].page_bytes();
    bool copy = length() % kPage != 0 && !tokens.empty() &&
                store.references[static_cast<std::size_t>(table.back())] > 1;
    for (; next < taken.size() && taken[next].group == static_cast<int>(g); ++next) {
      const std::int32_t page = taken[next].page;
      if (copy) {
        std::memcpy(store.memory.data() + static_cast<std::size_t>(page) * page_bytes,
                    store.memory.data() + static_cast<std::size_t>(table.back()) * page_bytes,
                    page_bytes);
        pool_.DropLocked(static_cast<int>(g), table.back());
        table.back() = page;
        copy = false;
      } else {
        table.push_back(page);
      }
    }
  }
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  return Status();
}

void KvSequence::Publish() {
  const std::lock_guard lock(pool_.mutex_);
  const std::size_t published = hashes_.size();
  for (int page = static_cast<int>(published); page < length() / kPage; ++page) {
    const std::uint64_t parent = page > 0 ? hashes_.back() : kRootHash;
    const std::span part =
        std::span(tokens_).subspan(static_cast<std::size_t>(page * kPage), kPage);
    const std::uint64_t key = HashPage(parent, part);
    hashes_.push_back(key);
    if (pool_.index_.contains(key)) continue;
    KvPool::Entry entry;
    entry.key = key;
    entry.parent = parent;
    entry.tokens.assign(part.begin(), part.end());
    for (std::size_t g = 0; g < tables_.size(); ++g) {
      const std::int32_t id = tables_[g][static_cast<std::size_t>(page)];
      if (id >= 0) ++pool_.stores_[g].references[static_cast<std::size_t>(id)];
      entry.pages.push_back(id);
    }
    pool_.entries_.push_front(std::move(entry));
    pool_.index_[key] = pool_.entries_.begin();
  }
  if (hashes_.size() > published) pool_.TouchLocked(hashes_);
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    const int behind = WindowStart(static_cast<int>(g), length()) / kPage;
    for (int page = behind - 1; page >= 0 && tables_[g][static_cast<std::size_t>(page)] >= 0;
         --page) {
      pool_.DropLocked(static_cast<int>(g), tables_[g][static_cast<std::size_t>(page)]);
      tables_[g][static_cast<std::size_t>(page)] = -1;
    }
  }
}

void KvSequence::CopyFrom(const KvSequence& other) {
  assert(tokens_.empty() && &pool_ == &other.pool_);
  const std::lock_guard lock(pool_.mutex_);
  tokens_ = other.tokens_;
  tables_ = other.tables_;
  hashes_ = other.hashes_;
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    for (const std::int32_t page : tables_[g]) {
      if (page >= 0) ++pool_.stores_[g].references[static_cast<std::size_t>(page)];
    }
  }
}

}  // namespace liubai::engine
