// engine/import.h: turns encoders published in other formats into GGUF files of architecture
// `bert`.
//
// Sources: a folder with a BERT in safetensors (model.safetensors, vocab.txt; config.json and
// sentence_bert_config.json are read where present), and the file of the e5 package ("E5S1"). Keys
// and tensor names are those that GGUF readers know for `bert`; four keys are ours:
//   liubai.tokenizer.normalization_map  u8 array: i32 count, then for each u32 code point, u8 n, n
//   × u32 liubai.embedder.query_prefix, liubai.embedder.passage_prefix  strings put before a text
//   liubai.embedder.max_tokens          u32, special tokens and prefix included
//
// Errors:  kDataLoss for a source that is truncated or contradicts itself (field, value, limit and
//          offset in the message), kUnimplemented for a variant of BERT that is not supported,
//          kNumericError for weights that are not finite; those of core/file_system.h.
// Threads: free functions; one import of a target at a time.
#pragma once

#include <string>

#include "core/file_system.h"
#include "kernels/data_type.h"
#include "liubai/status.h"

namespace liubai::engine {

struct ImportOptions {
  // Of the matrices of a safetensors model: kF32, kF16 or kQ8_0; norms and biases stay F32. The
  // matrices of an e5 file are copied byte for byte.
  kernels::DataType matrix_type = kernels::DataType::kF16;
  // `general.name`; empty: the name of the folder or file.
  std::string name;
};

// `source` is a folder, a .safetensors file inside one, or an e5 file, told apart by content.
// The target appears whole or not at all.
Status ImportModel(FileSystem& fs, const std::string& source, const std::string& target,
                   const ImportOptions& options = {});

}  // namespace liubai::engine
