// The engine of the emulator. Compiled without -fsanitize flags, with EMU_ASAN or EMU_TSAN defined
// where the kernels are instrumented.
//
// Invariants
//  1. Every thread of the block is ready (in Warp::ready), waits at a warp operation
//     (Warp::waiting), waits at a barrier (Warp::at_barrier) or has exited (Warp::exited).
//  2. The last thread to arrive does the work of a meeting and makes the others ready.
//  3. An abandoned fiber runs no destructors: the engine owns nothing on fiber stacks.
#include "kernels/emulation/emu.h"

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <bit>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>

#ifdef EMU_ASAN
extern "C" {
void __sanitizer_start_switch_fiber(void**, const void*, std::size_t);
void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*);
void __asan_unpoison_memory_region(const volatile void*, std::size_t);
void __asan_poison_memory_region(const volatile void*, std::size_t);
}
#endif
#ifdef EMU_TSAN
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned);
void __tsan_switch_to_fiber(void*, unsigned);
void __tsan_acquire(void*);
void __tsan_release(void*);
}
#define TSAN(x) x
#else
#define TSAN(x) static_cast<void>(0)
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace liubai::kernels::emu {

Config config = [] {
  Config c;
  if (const char* order = std::getenv("LIUBAI_EMU_ORDER")) {
    c.order = *order == 'd'   ? Order::kDescending
              : *order == 'r' ? Order::kRandom
                              : Order::kAscending;
  }
  if (const char* seed = std::getenv("LIUBAI_EMU_SEED")) {
    c.seed = static_cast<unsigned>(std::strtoul(seed, nullptr, 10));
    c.order = Order::kRandom;
  }
  return c;
}();
Stats stats;
unsigned char* dynamic_shared;

#if defined(__x86_64__)
// Saves rsp, rip and rbp; the compiler saves what else is live. Leaving by jmp and arriving by ret
// keeps the return stack of the processor balanced (5 ns a switch; swapcontext takes 340).
struct Context {
  void *rsp, *rip, *rbp;
};
static __attribute__((noinline)) void SwitchContext(Context* from, Context* to) {
  asm volatile(
      "leaq 1f(%%rip),%%rax\n\tmovq %%rax,8(%%rdi)\n\tmovq %%rsp,0(%%rdi)\n\tmovq "
      "%%rbp,16(%%rdi)\n\t"
      "movq 0(%%rsi),%%rsp\n\tmovq 16(%%rsi),%%rbp\n\tjmp *8(%%rsi)\n\t.p2align 4\n1:"
      : "+D"(from), "+S"(to)::"rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13",
        "r14", "r15", "memory", "cc");
}
static void InitContext(Context& context, char*, char* top, void (*entry)()) {
  reinterpret_cast<void**>(top)[-1] = nullptr;  // As if called: rsp = 8 modulo 16.
  context = {top - 8, reinterpret_cast<void*>(entry), nullptr};
}
#else
using Context = ucontext_t;
static void SwitchContext(Context* from, Context* to) { swapcontext(from, to); }
static void InitContext(Context& context, char* low, char* top, void (*entry)()) {
  getcontext(&context);
  context.uc_stack.ss_sp = low;
  context.uc_stack.ss_size = static_cast<std::size_t>(top - low);
  context.uc_link = nullptr;
  makecontext(&context, entry, 0);
}
#endif
// Called through an external pointer: otherwise the optimiser proves that the switch cannot touch
// our static variables and keeps them in registers.
extern void (*switch_context)(Context*, Context*);
void (*switch_context)(Context*, Context*) = SwitchContext;

namespace {

#if defined(EMU_ASAN) || defined(EMU_TSAN)
constexpr std::size_t kStackBytes = 256 << 10;
#else
constexpr std::size_t kStackBytes = 64 << 10;
#endif
constexpr std::size_t kGuardBytes = 4096;
constexpr std::size_t kMaxSharedBytes = 227 << 10;
constexpr std::size_t kMaxStaticBytes = 48 << 10;
constexpr std::size_t kRedzoneBytes = 64;
constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kMaxStatics = 256;

struct Warp;

struct Fiber {
  Context context;
  uint3 thread;
  unsigned lane, mask;
  Op op;
  Site site;
  void* args;
  Warp* warp;
  AsyncState async;
  char* stack;  // Its low end.
  std::size_t stack_bytes;
  void *asan, *tsan;
};

struct Warp {  // Bits are lanes.
  unsigned ready, waiting, at_barrier[16], exited, size, phase;
  Fiber* lanes[32];
  char tsan_tag[2];
};

struct BlockBarrier {
  unsigned arrived, expected, count, all, any, result[4], phase;
  Site site;
  uint3 first;
  char tsan_tag[2];
};

struct StaticVariable {
  char* data;
  std::size_t bytes;
  const char* name;
};

Fiber main_fiber, fibers[kMaxThreads], *current = &main_fiber;
Warp warps[32];
BlockBarrier barriers[16];
StaticVariable statics[kMaxStatics];
unsigned warp_count, live_threads, exited_threads, fibers_made, static_count;
std::size_t static_used, static_sum;
std::uint64_t block_number;
void (*body)(void*);
void* body_argument;
const char* kernel_name = "?";
char error[4096];
std::minstd_rand random_bits;
[[maybe_unused]] char launch_tag, end_tag;
char* shared_end;

std::map<const void*, int>& MaxDynamicShared() {
  static std::map<const void*, int> bytes;
  return bytes;
}

void SwitchTo(Fiber* to, [[maybe_unused]] bool dying = false) {
  Fiber* from = current;
  current = to;
  threadIdx = to->thread;
  ++stats.switches;
#ifdef EMU_ASAN
  __sanitizer_start_switch_fiber(dying ? nullptr : &from->asan, to->stack, to->stack_bytes);
#endif
  TSAN(__tsan_switch_to_fiber(to->tsan, 1));  // 1: a switch orders nothing.
  switch_context(&from->context, &to->context);
#ifdef EMU_ASAN
  const void* bottom;
  std::size_t bytes;
  __sanitizer_finish_switch_fiber(from->asan, &bottom, &bytes);
#endif
}

unsigned PickLane(unsigned lanes) {
  if (config.order == Order::kAscending) return static_cast<unsigned>(std::countr_zero(lanes));
  if (config.order == Order::kDescending) {
    return 31u - static_cast<unsigned>(std::countl_zero(lanes));
  }
  for (auto k = random_bits() % static_cast<unsigned>(std::popcount(lanes)); k > 0; --k) {
    lanes &= lanes - 1;
  }
  return static_cast<unsigned>(std::countr_zero(lanes));
}

// The next thread to run: of the same warp while it has one (random order hops once in eight).
Fiber* NextReady() {
  const bool from_main = current == &main_fiber;
  unsigned at = from_main ? (config.order == Order::kDescending ? warp_count - 1 : 0)
                          : static_cast<unsigned>(current->warp - warps);
  if (config.order == Order::kRandom && (from_main || random_bits() % 8 == 0)) {
    at = static_cast<unsigned>(random_bits() % warp_count);
  }
  for (unsigned i = 0; i < warp_count; ++i) {
    Warp& warp = warps[at];
    if (warp.ready != 0) {
      const unsigned lane = PickLane(warp.ready);
      warp.ready &= ~(1u << lane);
      return warp.lanes[lane];
    }
    if (config.order == Order::kDescending) {
      at = at > 0 ? at - 1 : warp_count - 1;
    } else {
      at = at + 1 < warp_count ? at + 1 : 0;
    }
  }
  return nullptr;
}

void BlockHere() {
  Fiber* next = NextReady();
  if (next == current) return;
  SwitchTo(next != nullptr ? next : &main_fiber);  // The main fiber: finished or deadlocked.
}

// A ring of buffers instead of std::string: see invariant 3.
const char* Format(const char* format, ...) {
  static char ring[16][512];
  static unsigned next;
  char* text = ring[next++ % 16];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof ring[0], format, arguments);
  va_end(arguments);
  return text;
}
const char* Text(Site site) { return Format("%s:%d", site.file, site.line); }
const char* Text(uint3 t) { return Format("(%u,%u,%u)", t.x, t.y, t.z); }
const char* OpName(Op op) {
  static const char* const names[] = {"__syncwarp",
                                      "__shfl_sync",
                                      "vote",
                                      "__match_any_sync",
                                      "__reduce_add_sync",
                                      "__reduce_min_sync",
                                      "__reduce_max_sync",
                                      "__reduce_and_sync",
                                      "__reduce_or_sync",
                                      "__reduce_xor_sync",
                                      "ldmatrix",
                                      "mma f16",
                                      "mma bf16",
                                      "mma s8"};
  return names[static_cast<int>(op)];
}

template <class F>
void ForEachLane(Warp& warp, unsigned lanes, F visit) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    visit(lane, warp.lanes[lane]->args);
  }
}

void ComputeShuffle(Warp& warp, unsigned lanes) {
  ForEachLane(warp, lanes, [&](int lane, void* args) {
    auto& mine = *static_cast<ShuffleArgs*>(args);
    if ((lanes >> mine.source & 1) == 0) {
      Fail("shuffle at %s: lane %d reads lane %d, which does not take part",
           Text(warp.lanes[lane]->site), lane, mine.source);
    }
    const auto& theirs = *static_cast<ShuffleArgs*>(warp.lanes[mine.source]->args);
    mine.result[0] = theirs.value[0];
    mine.result[1] = theirs.value[1];
  });
}

void ComputeLdmatrix(Warp& warp) {
  ForEachLane(warp, ~0u, [&](int lane, void* args) {
    auto& mine = *static_cast<LdmatrixArgs*>(args);
    const int group = lane >> 2, pair = 2 * (lane & 3);
    for (int i = 0; i < mine.matrices; ++i) {
      const auto at = [&](int row, int column) -> std::uint32_t {
        const auto* source = static_cast<LdmatrixArgs*>(warp.lanes[8 * i + row]->args);
        return source->row[column / 2] >> 16 * (column & 1) & 0xffff;
      };
      mine.result[i] = mine.transposed ? at(pair, group) | at(pair + 1, group) << 16
                                       : at(group, pair) | at(group, pair + 1) << 16;
    }
  });
}

// Rows and columns of the fragments of m16n8k16 and m16n8k32: PTX ISA, "Matrix fragments".
template <class Scalar, class Sum, int K, class Convert>
void ComputeMma(Warp& warp, Convert convert) {
  constexpr int kPerWord = 4 / sizeof(Scalar);
  Scalar a[16][K], b[8][K];
  Sum c[16][8];
  ForEachLane(warp, ~0u, [&](int lane, void* args) {
    const auto& mine = *static_cast<MmaArgs*>(args);
    const int group = lane >> 2, in_group = lane & 3;
    for (int r = 0; r < 4; ++r) {
      std::memcpy(&a[group + 8 * (r & 1)][kPerWord * (in_group + 4 * (r >> 1))], &mine.a[r], 4);
    }
    for (int r = 0; r < 2; ++r) {
      std::memcpy(&b[group][kPerWord * (in_group + 4 * r)], &mine.b[r], 4);
    }
    std::memcpy(&c[group][2 * in_group], mine.c, 8);
    std::memcpy(&c[group + 8][2 * in_group], static_cast<const char*>(mine.c) + 8, 8);
  });
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) {
      for (int k = 0; k < K; ++k) c[i][j] += convert(a[i][k]) * convert(b[j][k]);
    }
  }
  ForEachLane(warp, ~0u, [&](int lane, void* args) {
    auto* d = static_cast<char*>(static_cast<MmaArgs*>(args)->d);
    std::memcpy(d, &c[lane >> 2][2 * (lane & 3)], 8);
    std::memcpy(d + 8, &c[(lane >> 2) + 8][2 * (lane & 3)], 8);
  });
}

// The value was sign- or zero-extended by the caller.
void ComputeReduction(Warp& warp, unsigned lanes, Op op) {
  bool first = true;
  std::int64_t sum = 0;
  ForEachLane(warp, lanes, [&](int, void* args) {
    const auto value = static_cast<std::int64_t>(static_cast<VoteArgs*>(args)->value);
    if (first) {
      sum = value;
      first = false;
      return;
    }
    switch (op) {
      case Op::kReduceAdd:
        sum += value;
        break;
      case Op::kReduceMin:
        sum = std::min(sum, value);
        break;
      case Op::kReduceMax:
        sum = std::max(sum, value);
        break;
      case Op::kReduceAnd:
        sum &= value;
        break;
      case Op::kReduceOr:
        sum |= value;
        break;
      default:
        sum ^= value;
    }
  });
  ForEachLane(warp, lanes, [&](int, void* args) {
    static_cast<VoteArgs*>(args)->result = static_cast<std::uint64_t>(sum);
  });
}

void Compute(Warp& warp, unsigned lanes, Op op) {
  const auto vote = [](void* args) -> VoteArgs& { return *static_cast<VoteArgs*>(args); };
  switch (op) {
    case Op::kSyncWarp:
      return;
    case Op::kShuffle:
      return ComputeShuffle(warp, lanes);
    case Op::kBallot: {
      std::uint64_t ballot = 0;
      ForEachLane(warp, lanes, [&](int lane, void* args) { ballot |= vote(args).value << lane; });
      return ForEachLane(warp, lanes, [&](int, void* args) { vote(args).result = ballot; });
    }
    case Op::kMatch:
      return ForEachLane(warp, lanes, [&](int, void* args) {
        vote(args).result = 0;
        ForEachLane(warp, lanes, [&](int lane, void* other) {
          vote(args).result |= std::uint64_t{vote(other).value == vote(args).value} << lane;
        });
      });
    case Op::kLdmatrix:
      return ComputeLdmatrix(warp);
    case Op::kMmaF16:
      return ComputeMma<std::uint16_t, float, 16>(warp, HalfBitsToFloat);
    case Op::kMmaBf16:
      return ComputeMma<std::uint16_t, float, 16>(warp, Bfloat16BitsToFloat);
    case Op::kMmaS8:
      return ComputeMma<std::int8_t, int, 32>(warp, [](int x) { return x; });
    default:
      return ComputeReduction(warp, lanes, op);
  }
}

// Do all live lanes that `fiber` names wait at the same operation? Then it is done.
bool TryComplete(Warp& warp, Fiber* fiber) {
  const unsigned need = fiber->mask & ~warp.exited;
  if ((warp.waiting & need) != need) return false;
  for (unsigned k = need; k != 0; k &= k - 1) {
    const Fiber* other = warp.lanes[std::countr_zero(k)];
    if (other->op != fiber->op || other->mask != fiber->mask) return false;
    if (other->site.line != fiber->site.line || other->site.file != fiber->site.file) {
      Fail("divergent warp operation: %s reached at %s by thread %s and at %s by thread %s",
           OpName(fiber->op), Text(fiber->site), Text(fiber->thread), Text(other->site),
           Text(other->thread));
    }
  }
  if (fiber->op >= Op::kLdmatrix && warp.exited != 0) {
    Fail("%s at %s in a warp with missing or exited lanes", OpName(fiber->op), Text(fiber->site));
  }
  Compute(warp, need, fiber->op);
  warp.waiting &= ~need;
  warp.ready |= need;
  ++stats.warp_ops;
  return true;
}

void Release(BlockBarrier& barrier, int id) {
  barrier.result[static_cast<int>(Vote::kCount)] = barrier.count;
  barrier.result[static_cast<int>(Vote::kAnd)] = barrier.all;
  barrier.result[static_cast<int>(Vote::kOr)] = barrier.any;
  for (unsigned i = 0; i < warp_count; ++i) {
    warps[i].ready |= warps[i].at_barrier[id];
    warps[i].at_barrier[id] = 0;
  }
  barrier.arrived = barrier.count = barrier.any = 0;
  barrier.all = 1;
  ++barrier.phase;
  ++stats.barriers;
}

void CheckBlockBarrier() {
  BlockBarrier& barrier = barriers[0];
  if (barrier.arrived == 0 || barrier.arrived != live_threads) return;
  if (exited_threads != 0) {
    Fail("barrier divergence: %u thread(s) of the block returned before __syncthreads at %s",
         exited_threads, Text(barrier.site));
  }
  Release(barrier, 0);
}

void FiberMain() {
#ifdef EMU_ASAN
  const void* bottom;
  std::size_t bytes;
  __sanitizer_finish_switch_fiber(current->asan, &bottom, &bytes);
#endif
  TSAN(__tsan_acquire(&launch_tag));
  body(body_argument);
  TSAN(__tsan_release(&end_tag));
  Warp& warp = *current->warp;
  warp.exited |= 1u << current->lane;
  --live_threads;
  ++exited_threads;
  for (unsigned k = warp.waiting; k != 0; k &= k - 1) {  // My exit may complete their operation.
    if (TryComplete(warp, warp.lanes[std::countr_zero(k)])) break;
  }
  CheckBlockBarrier();
  Fiber* next = NextReady();
  SwitchTo(next != nullptr ? next : &main_fiber, true);
  __builtin_unreachable();
}

void ReportDeadlock() {
  std::map<std::string, std::pair<unsigned, std::string>> groups;
  for (unsigned i = 0; i < warp_count; ++i) {
    const Warp& warp = warps[i];
    for (unsigned lane = 0; lane < warp.size; ++lane) {
      if ((warp.exited >> lane & 1) != 0) continue;
      const Fiber* fiber = warp.lanes[lane];
      const bool in_warp_op = (warp.waiting >> lane & 1) != 0;
      std::string where = in_warp_op ? OpName(fiber->op) : "__syncthreads";
      where += std::string(" at ") + Text(fiber->site);
      if (in_warp_op) {
        where += Format(" mask %08x missing lanes %08x", fiber->mask,
                        fiber->mask & ~warp.waiting & ~warp.exited);
      }
      auto& group = groups[where];
      if (group.first++ == 0) group.second = Text(fiber->thread);
    }
  }
  std::string text = "deadlock (divergent barrier or warp operation), " +
                     std::to_string(exited_threads) + " threads exited";
  for (const auto& [where, group] : groups) {
    text += "\n    " + std::to_string(group.first) + " thread(s), first " + group.second +
            ", wait in " + where;
  }
  std::snprintf(error, sizeof error, "%s", text.c_str());
}

// Static shared variables, each between redzones: everything outside of them stays poisoned.
char* StaticArea() {
  alignas(128) static char area[kMaxStaticBytes + 3 * kMaxStatics * kRedzoneBytes];
  return area;
}

void Poison(void* data, std::size_t bytes) {
#if defined(__x86_64__)  // Not memset: ASan would intercept it and trip over the redzones.
  asm volatile("rep stosb" : "+D"(data), "+c"(bytes) : "a"(config.poison) : "memory");
#else
  auto* p = static_cast<volatile char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) p[i] = static_cast<char>(config.poison);
#endif
}

bool IsPoison(const volatile char* p) { return *p == static_cast<char>(config.poison); }

// Writes beyond shared memory (ASan has reported them before).
void CheckCanaries(std::size_t shared_bytes) {
  for (unsigned i = 0; i < static_count && *error == 0; ++i) {
    const StaticVariable& variable = statics[i];
    const char* end = i + 1 < static_count ? statics[i + 1].data : StaticArea() + static_used;
    for (const char* p = variable.data + variable.bytes; *error == 0 && p < end; ++p) {
      if (IsPoison(p)) continue;
      std::snprintf(error, sizeof error,
                    "write beyond shared variable %s (%zu bytes), at offset %td", variable.name,
                    variable.bytes, p - variable.data);
    }
  }
  const char* begin = reinterpret_cast<char*>(dynamic_shared);
  for (const char* p = begin + shared_bytes; *error == 0 && p < shared_end; ++p) {
    if (IsPoison(p)) continue;
    std::snprintf(error, sizeof error,
                  "write beyond the %zu bytes of dynamic shared memory (offset %td)", shared_bytes,
                  p - begin);
  }
}

void PrepareBlock(unsigned threads) {
  warp_count = (threads + 31) / 32;
  live_threads = threads;
  exited_threads = 0;
  static_used = 0;
  static_count = 0;
  ++block_number;
  Poison(dynamic_shared,
         static_cast<std::size_t>(shared_end - reinterpret_cast<char*>(dynamic_shared)));
  for (BlockBarrier& barrier : barriers) {
    barrier = {};
    barrier.all = 1;
  }
  for (unsigned i = 0; i < threads; ++i) {
    Fiber& fiber = fibers[i];
    // Staggered, or all stacks share a few cache sets and large blocks take twice the time.
    char* top = fiber.stack + kStackBytes - 64 - i * 192 % 4096;
#ifdef EMU_ASAN
    __asan_unpoison_memory_region(fiber.stack, kStackBytes);
#endif
    InitContext(fiber.context, fiber.stack, top, FiberMain);
    fiber.thread = {i % blockDim.x, i / blockDim.x % blockDim.y, i / (blockDim.x * blockDim.y)};
    fiber.warp = &warps[i / 32];
    fiber.lane = i % 32;
    fiber.asan = nullptr;
    fiber.async.copies.clear();
    fiber.async.group = 0;
    fiber.warp->lanes[i % 32] = &fiber;
  }
  for (unsigned i = 0; i < warp_count; ++i) {
    Warp& warp = warps[i];
    warp.size = std::min(32u, threads - 32 * i);
    warp.ready = warp.size == 32 ? ~0u : (1u << warp.size) - 1;
    warp.waiting = 0;
    warp.exited = ~warp.ready;
    std::memset(warp.at_barrier, 0, sizeof warp.at_barrier);
  }
}

void RunBlock(std::size_t shared_bytes) {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  PrepareBlock(threads);
  TSAN(__tsan_release(&launch_tag));
  SwitchTo(NextReady());
  TSAN(__tsan_acquire(&end_tag));
  ++stats.blocks;
  stats.threads += threads;
#ifdef EMU_TSAN
  if (live_threads != 0) {  // Abandoned fibers: order what they did before what the host does next.
    for (unsigned i = 0; i < threads; ++i) {
      __tsan_switch_to_fiber(fibers[i].tsan, 0);
      __tsan_switch_to_fiber(main_fiber.tsan, 0);
    }
  }
#endif
  if (*error == 0 && live_threads != 0) ReportDeadlock();
  CheckCanaries(shared_bytes);
}

// The end of the memory that dynamic shared memory ends at; a guard page follows.
char* SharedArea() {
  static char* const end = [] {
    const std::size_t bytes = (kMaxSharedBytes + 2 * kGuardBytes) & ~(kGuardBytes - 1);
    void* memory =
        mmap(nullptr, bytes + 2 * kGuardBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw Error("emu: no memory for shared memory");
    char* begin = static_cast<char*>(memory) + kGuardBytes;
    mprotect(begin, bytes, PROT_READ | PROT_WRITE);
    return begin + bytes;
  }();
  return end;
}

void MakeFibers(unsigned threads) {
  for (; fibers_made < threads; ++fibers_made) {
    Fiber& fiber = fibers[fibers_made];
    void* memory = mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw Error("emu: no memory for the stack of a thread");
    mprotect(memory, kGuardBytes, PROT_NONE);
    fiber.stack = static_cast<char*>(memory) + kGuardBytes;
    fiber.stack_bytes = kStackBytes;
    TSAN(fiber.tsan = __tsan_create_fiber(0));
  }
  TSAN(if (main_fiber.tsan == nullptr) main_fiber.tsan = __tsan_get_current_fiber());
}

#if !defined(EMU_ASAN) && !defined(EMU_TSAN)
void OnFault(int signal_number, siginfo_t* info, void*) {
  if (current != &main_fiber) {
    const char* address = static_cast<char*>(info->si_addr);
    const char* what = address >= shared_end && address < shared_end + kGuardBytes
                           ? "just past dynamic shared memory"
                       : address >= current->stack - kGuardBytes && address < current->stack
                           ? "in the stack guard (the kernel's frame is too large)"
                           : "wild";
    dprintf(2, "emu: signal %d in kernel %s, block %s, thread %s: address %p is %s\n",
            signal_number, kernel_name, Text(blockIdx), Text(threadIdx), info->si_addr, what);
  }
  signal(signal_number, SIG_DFL);
}

const bool fault_handler = [] {
  static char alternate[1 << 16];
  stack_t stack{};
  stack.ss_sp = alternate;
  stack.ss_size = sizeof alternate;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  return true;
}();
#endif

}  // namespace

unsigned Lane() { return current->lane; }
AsyncState& ThreadAsyncState() { return current->async; }
void SetMaxDynamicShared(const void* kernel, int bytes) { MaxDynamicShared()[kernel] = bytes; }

void* SharedVariable(SharedSlot& slot, std::size_t bytes, const char* name) {
  if (slot.block == block_number) return slot.data;
  if (static_used == 0) {
    static_used = kRedzoneBytes;
    static_sum = 0;
  }
  static_sum += (bytes + 15) & ~std::size_t{15};
  if (static_sum > kMaxStaticBytes || static_count == kMaxStatics) {
    Fail("%s: more than 48 KiB static shared memory", name);
  }
  char* data = StaticArea() + static_used;
  static_used = (static_used + bytes + 2 * kRedzoneBytes - 1) & ~(kRedzoneBytes - 1);
  statics[static_count++] = {data, bytes, name};
  char* begin = data - kRedzoneBytes;
  const auto whole = static_cast<std::size_t>(StaticArea() + static_used - begin);
  Poison(begin, whole);
#ifdef EMU_ASAN
  __asan_poison_memory_region(begin, whole);
  __asan_unpoison_memory_region(data, bytes);
#endif
  slot = {block_number, data};
  return data;
}

void Fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(error, sizeof error, format, arguments);
  va_end(arguments);
  if (current != &main_fiber && length >= 0 && static_cast<std::size_t>(length) < sizeof error) {
    std::snprintf(error + length, sizeof error - static_cast<std::size_t>(length), " [thread %s]",
                  Text(current->thread));
  }
  SwitchTo(&main_fiber, true);
  __builtin_unreachable();
}

void Yield() {
  current->warp->ready |= 1u << current->lane;
  BlockHere();
}

void WarpOp(Op op, unsigned mask, void* args, Site site) {
  Fiber* self = current;
  Warp& warp = *self->warp;
  if ((mask >> self->lane & 1) == 0) {
    Fail("%s at %s: calling lane is not in its own mask", OpName(op), Text(site));
  }
  self->op = op;
  self->mask = mask;
  self->args = args;
  self->site = site;
#ifdef EMU_TSAN
  // Only __syncwarp orders memory; shuffles and votes do not.
  const unsigned phase = warp.phase & 1;
  if (op == Op::kSyncWarp) __tsan_release(&warp.tsan_tag[phase]);
#endif
  warp.waiting |= 1u << self->lane;
  if (TryComplete(warp, self)) {
    if (op == Op::kSyncWarp) ++warp.phase;
    warp.ready &= ~(1u << self->lane);
    if (config.order == Order::kRandom && random_bits() % 4 == 0) Yield();
  } else {
    BlockHere();
  }
#ifdef EMU_TSAN
  if (op == Op::kSyncWarp) __tsan_acquire(&warp.tsan_tag[phase]);
#endif
}

int Barrier(int id, unsigned threads, int predicate, Vote vote, Site site) {
  Fiber* self = current;
  BlockBarrier& barrier = barriers[id];
  if (barrier.arrived == 0) {
    barrier.site = site;
    barrier.first = self->thread;
    barrier.expected = threads;
  } else if (barrier.site.line != site.line || barrier.site.file != site.file ||
             barrier.expected != threads) {
    Fail("barrier divergence: thread %s is at %s, thread %s waits at %s", Text(self->thread),
         Text(site), Text(barrier.first), Text(barrier.site));
  }
  self->site = site;
  ++barrier.arrived;
  barrier.count += predicate != 0;
  barrier.any |= predicate != 0;
  barrier.all &= predicate != 0;
  self->warp->at_barrier[id] |= 1u << self->lane;
  [[maybe_unused]] char* tag = &barrier.tsan_tag[barrier.phase & 1];
  TSAN(__tsan_release(tag));
  if (threads != 0 && barrier.arrived == threads) {
    Release(barrier, id);
    self->warp->ready &= ~(1u << self->lane);
  } else if (threads == 0 && barrier.arrived == live_threads) {
    CheckBlockBarrier();
    self->warp->ready &= ~(1u << self->lane);
  } else {
    BlockHere();
  }
  TSAN(__tsan_acquire(tag));
  return static_cast<int>(barrier.result[static_cast<int>(vote)]);
}

void RunGrid(const char* name, const void* kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
             void (*run)(void*), void* argument) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  const auto refuse = [&](const char* why) {
    throw Error(Format("emu: launch of %s: %s", name, why));
  };
  if (current != &main_fiber) refuse("launch from inside a kernel");
  if (threads == 0 || threads > kMaxThreads || block.z > 64) refuse("invalid block size");
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.y > 65535 || grid.z > 65535) {
    refuse("invalid grid size");
  }
  if (shared_bytes > kMaxStaticBytes) {
    const auto found = MaxDynamicShared().find(kernel);
    if (found == MaxDynamicShared().end() ||
        static_cast<std::size_t>(found->second) < shared_bytes) {
      refuse("more than 48 KiB dynamic shared memory without cudaFuncSetAttribute");
    }
  }
  if (shared_bytes > kMaxSharedBytes) refuse("more than 227 KiB dynamic shared memory");
  MakeFibers(static_cast<unsigned>(threads));
  shared_end = SharedArea();
  const std::size_t padded = (shared_bytes + 127) & ~std::size_t{127};
  dynamic_shared = reinterpret_cast<unsigned char*>(shared_end - padded);
#ifdef EMU_ASAN
  if (main_fiber.stack == nullptr) {  // ASan wants the bounds of the stack that we come back to.
    pthread_attr_t attributes;
    void* stack;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &stack, &main_fiber.stack_bytes);
    pthread_attr_destroy(&attributes);
    main_fiber.stack = static_cast<char*>(stack);
  }
  __asan_unpoison_memory_region(dynamic_shared, padded);
  __asan_poison_memory_region(shared_end - kMaxSharedBytes, kMaxSharedBytes - padded);
  if (padded != shared_bytes) {
    __asan_poison_memory_region(dynamic_shared + shared_bytes, padded - shared_bytes);
  }
#endif
  kernel_name = name;
  body = run;
  body_argument = argument;
  blockDim = block;
  gridDim = grid;
  *error = 0;
  ++stats.launches;
  random_bits.seed(config.seed + static_cast<unsigned>(stats.launches) * 7919u);
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  for (std::uint64_t i = 0; i < blocks && *error == 0; ++i) {
    const std::uint64_t k = config.order == Order::kDescending ? blocks - 1 - i : i;
    blockIdx = {static_cast<unsigned>(k % grid.x), static_cast<unsigned>(k / grid.x % grid.y),
                static_cast<unsigned>(k / grid.x / grid.y)};
    RunBlock(shared_bytes);
  }
  if (*error != 0) {
    throw Error(Format("emu: kernel %s, block %s: %s", name, Text(blockIdx), error));
  }
}

}  // namespace liubai::kernels::emu
