// tests/engine/open_tokenizer.h: the tokenizer of a model file.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "engine/gguf.h"
#include "engine/tokenizer.h"

namespace liubai::engine {

// With ASSERT_NO_FATAL_FAILURE.
inline void OpenTokenizer(const std::string& path, std::unique_ptr<Tokenizer>* out) {
  auto file = GgufFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  auto data = LoadTokenizerData(*file);
  ASSERT_TRUE(data.ok()) << data.status().ToString();
  auto tokenizer = Tokenizer::Create(*data);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  *out = std::move(tokenizer).value();
}

}  // namespace liubai::engine
