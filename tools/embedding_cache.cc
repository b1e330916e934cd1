#include "tools/embedding_cache.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/file_system.h"
#include "core/half.h"
#include "core/hash.h"
#include "core/macros.h"

namespace liubai::tools {
namespace {

// To be raised when Retriever cuts turns into blocks in another way.
constexpr std::uint32_t kVersion = 4;
constexpr std::size_t kDigest_bytes = 64;

template <class T>
void Put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// Moves `in` behind what it read; false where there is less.
template <class T>
bool Take(std::string_view& in, T& value) {
  if (in.size() < sizeof(T)) return false;
  std::memcpy(&value, in.data(), sizeof(T));
  in.remove_prefix(sizeof(T));
  return true;
}

// Length and bytes: two lists of texts never give the same content.
void PutText(std::string& out, std::string_view text) {
  Put(out, static_cast<std::uint64_t>(text.size()));
  out += text;
}

// Rows of vectors with the place of their turn in the session; `unit_id` holds the place.
std::string Pack(std::span<const NewEmbedding> rows) {
  std::string out;
  for (const NewEmbedding& row : rows) {
    Put(out, row.kind);
    Put(out, row.unit_id);
    Put(out, row.piece);
    Put(out, static_cast<std::uint32_t>(row.values.size()));
    out.append(reinterpret_cast<const char*>(row.values.data()), row.values.size() * 2);
  }
  return out + Sha256Hex(out);
}

bool Unpack(std::string_view in, std::vector<NewEmbedding>& rows) {
  if (in.size() < kDigest_bytes) return false;
  const std::string_view digest = in.substr(in.size() - kDigest_bytes);
  in.remove_suffix(kDigest_bytes);
  if (Sha256Hex(in) != digest) return false;
  while (!in.empty()) {
    NewEmbedding& row = rows.emplace_back();
    std::uint32_t count = 0;
    if (!Take(in, row.kind) || !Take(in, row.unit_id) || !Take(in, row.piece) || !Take(in, count) ||
        in.size() / 2 < count) {
      return false;
    }
    row.values.resize(count);
    std::memcpy(row.values.data(), in.data(), std::size_t{count} * 2);
    in.remove_prefix(std::size_t{count} * 2);
  }
  return true;
}

// A cache that cannot be written makes the next run slow and nothing worse.
void Keep(const std::string& path, std::string_view bytes) {
  FileSystem& files = PosixFileSystem();
  if (files.CreateDirectories(std::filesystem::path(path).parent_path().string()).ok()) {
    (void)WriteFileAtomically(files, path, bytes).ok();
  }
}

}  // namespace

CachedEmbedder::CachedEmbedder(std::unique_ptr<Embedder> inner, std::string folder)
    : inner_(std::move(inner)), folder_(std::move(folder)) {}

std::string CachedEmbedder::DefaultFolder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  const std::filesystem::path root =
      cache != nullptr && *cache != '\0'
          ? std::filesystem::path(cache)
          : std::filesystem::path(home != nullptr ? home : "/tmp") / ".cache";
  return (root / "liubai" / "embeddings").string();
}

std::string CachedEmbedder::PathOf(std::string_view content) const {
  std::string key;
  Put(key, kVersion);
  PutText(key, inner_->id());
  key += content;
  const std::string name = Sha256Hex(key);
  return (std::filesystem::path(folder_) / name.substr(0, 2) / name.substr(2)).string();
}

Result<std::vector<float>> CachedEmbedder::Embed(std::span<const std::string_view> texts,
                                                 EmbedKind kind, std::stop_token stop) const {
  if (texts.size() != 1 || kind != EmbedKind::kQuery) return inner_->Embed(texts, kind, stop);
  const std::size_t dimension = static_cast<std::size_t>(inner_->dimension());
  std::string content = "question";
  PutText(content, texts[0]);
  const std::string path = PathOf(content);
  std::vector<float> vector(dimension);
  const std::size_t bytes = dimension * sizeof(float);
  if (Result<std::string> kept = ReadFile(PosixFileSystem(), path, bytes + kDigest_bytes);
      kept.ok() && kept->size() == bytes + kDigest_bytes &&
      Sha256Hex(std::string_view(*kept).substr(0, bytes)) == kept->substr(bytes)) {
    std::memcpy(vector.data(), kept->data(), bytes);
    return vector;
  }
  LIUBAI_ASSIGN_OR_RETURN(vector, inner_->Embed(texts, kind, stop));
  std::string out(reinterpret_cast<const char*>(vector.data()), vector.size() * sizeof(float));
  Keep(path, out + Sha256Hex(out));
  return vector;
}

Result<std::vector<TokenVectors>> CachedEmbedder::EmbedTokens(
    std::span<const std::string_view> texts, EmbedKind kind, std::stop_token stop) const {
  if (texts.size() != 1 || kind != EmbedKind::kQuery) return inner_->EmbedTokens(texts, kind, stop);
  const std::size_t dimension = static_cast<std::size_t>(inner_->dimension());
  std::string content = "tokens of a question";
  PutText(content, texts[0]);
  const std::string path = PathOf(content);
  std::vector<TokenVectors> vectors(1);
  constexpr std::uint64_t kLimit_bytes = std::uint64_t{1} << 24;
  if (Result<std::string> kept = ReadFile(PosixFileSystem(), path, kLimit_bytes);
      kept.ok() && kept->size() > kDigest_bytes) {
    std::string_view in(*kept);
    const std::string_view digest = in.substr(in.size() - kDigest_bytes);
    in.remove_suffix(kDigest_bytes);
    if (Sha256Hex(in) == digest && in.size() % ((dimension + 2) * sizeof(float)) == 0) {
      const std::size_t tokens = in.size() / ((dimension + 2) * sizeof(float));
      TokenVectors& text = vectors[0];
      text.begin.resize(tokens);
      text.end.resize(tokens);
      text.vectors.resize(tokens * dimension);
      for (std::uint32_t& value : text.begin) Take(in, value);
      for (std::uint32_t& value : text.end) Take(in, value);
      for (float& value : text.vectors) Take(in, value);
      return vectors;
    }
  }
  LIUBAI_ASSIGN_OR_RETURN(vectors, inner_->EmbedTokens(texts, kind, stop));
  std::string out;
  for (const std::uint32_t value : vectors[0].begin) Put(out, value);
  for (const std::uint32_t value : vectors[0].end) Put(out, value);
  for (const float value : vectors[0].vectors) Put(out, value);
  Keep(path, out + Sha256Hex(out));
  return vectors;
}

Result<std::vector<NewEmbedding>> CachedEmbedder::IndexSession(Store& store, Retriever& retriever,
                                                               std::span<const NewTurn> turns,
                                                               std::span<const TurnId> ids,
                                                               std::stop_token stop) const {
  LIUBAI_ASSIGN_OR_RETURN(const EmbedderRecord record,
                          store.EnsureEmbedder(name(), id(), dimension()));
  std::string content = "session";
  PutText(content, record.token_codec);
  std::unordered_map<std::int64_t, std::int64_t> place_of;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    PutText(content, turns[i].speaker);
    PutText(content, turns[i].text);
    place_of[ids[i]] = static_cast<std::int64_t>(i);
  }
  const std::string path = PathOf(content);
  std::vector<NewEmbedding> rows;
  constexpr std::uint64_t kLimit_bytes = std::uint64_t{1} << 30;
  Result<std::string> kept = ReadFile(PosixFileSystem(), path, kLimit_bytes);
  if (kept.ok() && Unpack(*kept, rows) &&
      std::all_of(rows.begin(), rows.end(), [&](const NewEmbedding& row) {
        return row.unit_id >= 0 && row.unit_id < static_cast<std::int64_t>(ids.size());
      })) {
    ++hits_;
    for (NewEmbedding& row : rows) row.unit_id = ids[static_cast<std::size_t>(row.unit_id)];
    LIUBAI_RETURN_IF_ERROR(store.PutEmbeddings(record.id, rows).status());
    return rows;
  }
  ++misses_;
  rows.clear();
  LIUBAI_RETURN_IF_ERROR(
      retriever.IndexPending(static_cast<std::int64_t>(turns.size()), stop).status());
  for (const UnitKind kind : {UnitKind::kTurn, UnitKind::kTurnTokens}) {
    LIUBAI_ASSIGN_OR_RETURN(std::vector<Embedding> made, store.EmbeddingsOf(record.id, kind, ids));
    for (Embedding& embedding : made) {
      rows.push_back(
          {kind, place_of.at(embedding.unit_id), embedding.piece, std::move(embedding.values)});
    }
  }
  Keep(path, Pack(rows));
  for (NewEmbedding& row : rows) row.unit_id = ids[static_cast<std::size_t>(row.unit_id)];
  return rows;
}

nlohmann::json CachedEmbedder::Describe() const {
  return {{"name", name()},
          {"id", id()},
          {"sessions_from_cache", hits_},
          {"sessions_encoded", misses_}};
}

void VectorBaseline::Add(std::span<const NewEmbedding> embeddings) {
  for (const NewEmbedding& embedding : embeddings) {
    if (embedding.kind != UnitKind::kTurn) continue;
    Row& row = rows_.emplace_back(Row{embedding.unit_id, {}});
    for (const std::uint16_t value : embedding.values) row.values.push_back(HalfToFloat(value));
  }
}

std::vector<std::int64_t> VectorBaseline::Search(std::span<const float> query,
                                                 std::size_t limit) const {
  std::unordered_map<std::int64_t, float> best;
  for (const Row& row : rows_) {
    float score = 0;
    for (std::size_t i = 0; i < query.size(); ++i) score += query[i] * row.values[i];
    const auto [entry, fresh] = best.emplace(row.unit, score);
    if (!fresh) entry->second = std::max(entry->second, score);
  }
  std::vector<std::pair<float, std::int64_t>> ranked;
  for (const auto& [unit, score] : best) ranked.emplace_back(-score, unit);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::int64_t> units;
  for (std::size_t i = 0; i < std::min(limit, ranked.size()); ++i)
    units.push_back(ranked[i].second);
  return units;
}

}  // namespace liubai::tools
