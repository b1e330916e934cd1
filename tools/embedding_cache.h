// tools/embedding_cache.h: vectors of sessions and questions, kept between runs of the recall
// benchmarks by what was embedded and by which embedder, so that a second run takes seconds.
//
// The folder is $XDG_CACHE_HOME/liubai/embeddings, else ~/.cache/liubai/embeddings. A file that is
// damaged is written again; the folder may be removed at any time.
//
// Errors:  those of Store, Retriever and FileSystem.
// Threads: none of its own; processes may share the folder.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/embedder.h"
#include "liubai/retrieval.h"
#include "liubai/store.h"

namespace liubai::tools {

// Passes everything on; vectors of single questions come from the folder where they are there.
class CachedEmbedder final : public Embedder {
 public:
  CachedEmbedder(std::unique_ptr<Embedder> inner, std::string folder);
  static std::string DefaultFolder();

  const std::string& id() const override { return inner_->id(); }
  const std::string& name() const override { return inner_->name(); }
  int dimension() const override { return inner_->dimension(); }
  int max_tokens() const override { return inner_->max_tokens(); }
  Result<int> CountTokens(std::string_view text, EmbedKind kind) const override {
    return inner_->CountTokens(text, kind);
  }
  Result<double> UnknownShare(std::string_view text) const override {
    return inner_->UnknownShare(text);
  }
  Result<std::vector<float>> Embed(std::span<const std::string_view> texts, EmbedKind kind,
                                   std::stop_token stop) const override;
  Result<std::vector<TokenVectors>> EmbedTokens(std::span<const std::string_view> texts,
                                                EmbedKind kind,
                                                std::stop_token stop) const override;

  // Gives the turns of one whole session, just appended to `store` as `ids`, their vectors: from
  // the folder, else by `retriever`, which must be of this embedder. Returns them.
  // REQUIRES: no other turn of the store lacks a vector.
  Result<std::vector<NewEmbedding>> IndexSession(Store& store, Retriever& retriever,
                                                 std::span<const NewTurn> turns,
                                                 std::span<const TurnId> ids,
                                                 std::stop_token stop) const;

  // Name, id and how much came from the folder.
  nlohmann::json Describe() const;
  std::int64_t hits() const { return hits_; }
  std::int64_t misses() const { return misses_; }

 private:
  std::string PathOf(std::string_view content) const;

  std::unique_ptr<Embedder> inner_;
  std::string folder_;
  mutable std::int64_t hits_ = 0, misses_ = 0;  // Sessions.
};

// Nearest vectors and nothing else: what most people take for memory.
class VectorBaseline {
 public:
  void Add(std::span<const NewEmbedding> embeddings);
  // Units by their best piece, best first.
  std::vector<std::int64_t> Search(std::span<const float> query, std::size_t limit) const;

 private:
  struct Row {
    std::int64_t unit;
    std::vector<float> values;
  };
  std::vector<Row> rows_;
};

}  // namespace liubai::tools
