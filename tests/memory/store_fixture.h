// tests/memory/store_fixture.h: a store in a folder of its own with one session and recall by
// words, for tests of what stands on both.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "liubai/retrieval.h"
#include "liubai/store.h"

namespace liubai {

class StoreAndRetriever : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "liubai-store-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto store = Store::Open(folder_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
    session_ = *store_->EnsureSession("main");
    auto retriever = Retriever::Open(*store_, nullptr);
    ASSERT_TRUE(retriever.ok()) << retriever.status().ToString();
    retriever_ = std::move(*retriever);
  }
  void TearDown() override {
    retriever_.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  TurnId Add(Role role, const std::string& text, std::int64_t time_ms = kNow) {
    NewTurn turn;
    turn.session_id = session_;
    turn.role = role;
    turn.text = text;
    turn.time_ms = time_ms;
    const auto id = store_->AppendTurn(turn);
    EXPECT_TRUE(id.ok()) << id.status().ToString();
    return id.ok() ? *id : 0;
  }

  std::string folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Retriever> retriever_;
  SessionId session_ = 0;
};

// Tokens, as a model might count them.
inline int FourBytesAToken(std::string_view text) {
  return static_cast<int>((text.size() + 3) / 4);
}

}  // namespace liubai
