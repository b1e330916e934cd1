// tools/memory_bandwidth.h: how fast this machine reads memory, the limit of decoding: each token
// reads every weight and every key and value once.
//
// Errors:  none.
// Threads: starts `threads` of its own, the caller's among them.
#pragma once

namespace liubai::tools {

// Bytes per second that `threads` threads read together from 256 MiB, the best of three passes
// after one that is not counted. Takes about 0.1 s and, while it runs, that much memory. 0 where
// there is not so much memory.
double ReadBandwidth(int threads);

}  // namespace liubai::tools
