#include "memory/vector_index.h"

#include <faiss/impl/FaissException.h>
#include <faiss/impl/io.h>
#include <faiss/index_io.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <random>
#include <shared_mutex>
#include <unordered_map>
#include <unordered_set>

#include "core/half.h"
#include "core/hash.h"
#include "core/macros.h"
#include "memory/byte_index.h"
#include "memory/vector_lists.h"

namespace liubai::memory {
namespace {

constexpr std::string_view kMagic = "LBVECIDX";
constexpr std::uint32_t kFormat = 2;  // Persistent: see memory/FORMAT.md.
constexpr std::string_view kQuarantined = ".quarantined";
constexpr std::uint32_t kHeaderLimit = 4096;
constexpr std::size_t kIoBytes = std::size_t{1} << 20;

constexpr std::size_t kRowBytes = 24;  // Of a row in a file, without its vector.

struct Row {
  VectorId vector_id;
  std::int64_t unit_id;
  std::int32_t piece;
  bool dead;
  std::uint32_t before;  // The row before it of the same unit; kNoRow: none.
};
constexpr std::uint32_t kNoRow = 0xffffffff;

enum Metric : std::uint32_t { kInnerProduct = 0 };  // Persistent.
// Persistent. 1 was a graph, which this program does not read.
enum IndexType : std::uint32_t { kFlatIndex = 0, kListsIndex = 2 };

// What a file says of itself.
struct Header {
  std::string store_id;
  std::string history_id;
  std::string embedder_id;
  std::int64_t tenant = 0;
  std::uint32_t kind = 0;
  std::uint32_t dimension = 0;
  std::uint32_t metric = kInnerProduct;
  std::uint32_t type = kFlatIndex;
  std::uint32_t lists = 0;
  std::uint32_t reserved = 0;
  std::int64_t op_seq = 0;
  std::int64_t count = 0;
  std::uint64_t payload_bytes = 0;
  std::string sha256;  // Of the payload, 32 bytes.
};

template <class T>
void PutNumber(T value, std::string& out) {
  static_assert(std::endian::native == std::endian::little);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void PutString(std::string_view text, std::string& out) {
  PutNumber(static_cast<std::uint32_t>(text.size()), out);
  out.append(text);
}

class HeaderReader {
 public:
  explicit HeaderReader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  bool Number(T& value) {
    if (bytes_.size() < sizeof(T)) return false;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    return true;
  }
  bool String(std::string& text) {
    std::uint32_t length = 0;
    if (!Number(length) || length > bytes_.size()) return false;
    text.assign(bytes_.substr(0, length));
    bytes_.remove_prefix(length);
    return true;
  }
  bool done() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

std::string EncodeHeader(const Header& header) {
  std::string body;
  PutString(header.store_id, body);
  PutString(header.history_id, body);
  PutString(header.embedder_id, body);
  PutNumber(header.tenant, body);
  PutNumber(header.kind, body);
  PutNumber(header.dimension, body);
  PutNumber(header.metric, body);
  PutNumber(header.type, body);
  PutNumber(header.lists, body);
  PutNumber(header.reserved, body);
  PutNumber(header.op_seq, body);
  PutNumber(header.count, body);
  PutNumber(header.payload_bytes, body);
  PutString(header.sha256, body);
  std::string bytes(kMagic);
  PutNumber(kFormat, bytes);
  PutNumber(static_cast<std::uint32_t>(body.size()), bytes);
  return bytes + body;
}

bool DecodeHeader(std::string_view body, Header& header) {
  HeaderReader reader(body);
  return reader.String(header.store_id) && reader.String(header.history_id) &&
         reader.String(header.embedder_id) && reader.Number(header.tenant) &&
         reader.Number(header.kind) && reader.Number(header.dimension) &&
         reader.Number(header.metric) && reader.Number(header.type) &&
         reader.Number(header.lists) && reader.Number(header.reserved) &&
         reader.Number(header.op_seq) && reader.Number(header.count) &&
         reader.Number(header.payload_bytes) && reader.String(header.sha256) && reader.done();
}

// Runs `body`, which may throw as FAISS and its containers do, and returns its Status.
template <class Body>
Status Guarded(std::string_view what, Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kResourceExhausted, fmt::format("{}: out of memory", what));
  } catch (const std::length_error& error) {
    return Status(StatusCode::kDataLoss, fmt::format("{}: {}", what, error.what()));
  } catch (const faiss::FaissException& error) {
    return Status(StatusCode::kInternal, fmt::format("{}: FAISS: {}", what, error.what()));
  } catch (const std::exception& error) {
    return Status(StatusCode::kInternal, fmt::format("{}: {}", what, error.what()));
  }
}

// FAISS's bytes to a file, or only through a hash; keeps the file's first failure.
class Output : public faiss::IOWriter {
 public:
  explicit Output(WritableFile* file) : file_(file) { buffer_.reserve(kIoBytes); }
  size_t operator()(const void* data, size_t size, size_t items) override {
    const std::size_t bytes = size * items;
    Put(std::string_view(static_cast<const char*>(data), bytes));
    return status_.ok() ? items : 0;
  }
  void Put(std::string_view bytes) {
    count_ += bytes.size();
    if (bytes.size() + buffer_.size() > kIoBytes) (void)Flush();
    if (bytes.size() > kIoBytes) {
      Pass(bytes);
    } else {
      buffer_.append(bytes);
    }
  }
  Status Flush() {
    Pass(buffer_);
    buffer_.clear();
    return status_;
  }
  std::uint64_t count() const { return count_; }
  const Sha256& hash() const { return hash_; }

 private:
  void Pass(std::string_view bytes) {
    if (bytes.empty()) return;
    hash_.Update(bytes);
    if (file_ != nullptr && status_.ok()) status_ = file_->Write(std::as_bytes(std::span(bytes)));
  }

  WritableFile* file_;
  std::string buffer_;
  Sha256 hash_;
  std::uint64_t count_ = 0;
  Status status_;
};

// Reads forward through a file in large steps.
class Input : public faiss::IOReader {
 public:
  explicit Input(ReadableFile& file) : file_(file) {}
  size_t operator()(void* out, size_t size, size_t items) override {
    if (size == 0) return items;
    return Get(static_cast<char*>(out), size * items) / size;
  }
  std::size_t Get(char* out, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes) {
      if (begin_ == buffer_.size()) {
        buffer_.resize(kIoBytes);
        Result<std::size_t> read = file_.Read(std::as_writable_bytes(std::span(buffer_)));
        buffer_.resize(read.ok() ? *read : 0);
        begin_ = 0;
        if (!read.ok()) status_ = read.status();
        if (buffer_.empty()) break;
      }
      const std::size_t step = std::min(bytes - done, buffer_.size() - begin_);
      std::memcpy(out + done, buffer_.data() + begin_, step);
      begin_ += step;
      done += step;
    }
    return done;
  }
  const Status& status() const { return status_; }

 private:
  ReadableFile& file_;
  std::string buffer_;
  std::size_t begin_ = 0;
  Status status_;
};

// The best `limit` of what is offered.
class Best {
 public:
  explicit Best(std::int64_t limit) : limit_(static_cast<std::size_t>(limit)) {}
  bool Wants(float score) const { return heap_.size() < limit_ || score > heap_.front().score; }
  void Offer(const VectorHit& hit) {
    if (heap_.size() == limit_) {
      std::pop_heap(heap_.begin(), heap_.end(), Worse);
      heap_.pop_back();
    }
    heap_.push_back(hit);
    std::push_heap(heap_.begin(), heap_.end(), Worse);
  }
  std::size_t size() const { return heap_.size(); }
  std::vector<VectorHit> Take() {
    std::sort(heap_.begin(), heap_.end(), [](const VectorHit& a, const VectorHit& b) {
      return a.score != b.score ? a.score > b.score : a.vector_id < b.vector_id;
    });
    return std::move(heap_);
  }

 private:
  static bool Worse(const VectorHit& a, const VectorHit& b) { return a.score > b.score; }
  std::size_t limit_;
  std::vector<VectorHit> heap_;
};

std::vector<float> Widen(std::span<const std::uint16_t> values) {
  std::vector<float> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = HalfToFloat(values[i]);
  return out;
}

}  // namespace

struct VectorIndex::Impl {
  Store* store = nullptr;
  EmbedderRecord embedder;
  UnitKind kind = UnitKind::kTurn;
  TenantId tenant = kDefaultTenant;
  VectorIndexOptions options;
  FileSystem* files = nullptr;
  int dimension = 0;

  mutable std::shared_mutex mutex;  // Guards what follows.
  std::mutex change_mutex;          // One CatchUp or Publish at a time; taken before `mutex`.
  std::unique_ptr<ByteStorage> main;
  VectorLists lists;  // Of `main`; none: every row is compared.
  std::int64_t main_rows = 0;
  std::vector<Row> rows;                                         // In order of vector id.
  ByteVectors tail;                                              // [rows.size() - main_rows]
  std::unordered_map<std::int64_t, std::uint32_t> last_of_unit;  // A row; `before` leads on.
  std::int64_t dead_rows = 0;
  std::int64_t applied = 0;
  std::int64_t covered = 0;
  IndexGeneration published;  // generation 0: none.
  bool rebuilt = false;
  std::string note;

  struct Vector {
    const std::uint8_t* codes;
    float scale;
  };
  Vector VectorOf(std::int64_t row) const {
    const std::int64_t at = row < main_rows ? row : row - main_rows;
    if (row >= main_rows) return {tail.codes.data() + at * dimension, tail.scales[at]};
    return {main->codes.data() + at * dimension, main->scales[at]};
  }
  std::string Prefix() const {
    return fmt::format("vectors-t{}-e{}-k{}-", tenant, embedder.id, static_cast<int>(kind));
  }
  std::string PathOf(const std::string& name) const { return store->folder() + "/" + name; }
  Header Expected() const {
    Header header;
    header.store_id = store->id();
    header.history_id = store->history_id();
    header.embedder_id = embedder.fingerprint;
    header.tenant = tenant;
    header.kind = static_cast<std::uint32_t>(kind);
    header.dimension = static_cast<std::uint32_t>(dimension);
    return header;
  }

  void Clear() {
    main = std::make_unique<ByteStorage>(dimension);
    lists = VectorLists();
    main_rows = 0;
    rows.clear();
    tail = ByteVectors();
    last_of_unit.clear();
    dead_rows = 0;
    applied = covered = 0;
  }

  // Position of a vector id, or -1.
  std::int64_t Find(VectorId id) const {
    const auto place = std::lower_bound(
        rows.begin(), rows.end(), id, [](const Row& row, VectorId v) { return row.vector_id < v; });
    return place != rows.end() && place->vector_id == id ? place - rows.begin() : -1;
  }
  void Bury(VectorId id) {
    const std::int64_t row = Find(id);
    if (row < 0 || rows[row].dead) return;
    rows[row].dead = true;
    ++dead_rows;
  }
  // REQUIRES: the id is above all those here.
  void AppendRow(VectorId vector_id, std::int64_t unit_id, std::int32_t piece) {
    const auto [last, first] = last_of_unit.try_emplace(unit_id, kNoRow);
    rows.push_back({vector_id, unit_id, piece, false, last->second});
    last->second = static_cast<std::uint32_t>(rows.size() - 1);
  }

  Status Load(const IndexGeneration& generation, std::string& reason);
  Status Rebuild();
  Status CatchUpLocked();
  Status ReadLists(Input& input, const Header& header);
  void RemoveLeftovers(bool quarantined);
  Status MergeTail();
  Status DropDead();
  Status MakeLists();
  Status WriteFile();
  void WriteLists(Output& output) const;
  std::vector<VectorHit> SearchExact(std::span<const float> query, std::int64_t limit,
                                     const UnitFilter& filter) const;
  std::vector<VectorHit> SearchLists(std::span<const float> query, std::int64_t limit,
                                     const UnitFilter& filter) const;
  bool IsSelective(const UnitFilter& filter) const;
  Result<std::vector<VectorHit>> Find(std::span<const float> query, std::int64_t limit,
                                      const UnitFilter& filter, bool scan) const;
};

// Fills `reason`, and leaves nothing loaded, when the file cannot be trusted.
Status VectorIndex::Impl::Load(const IndexGeneration& generation, std::string& reason) {
  const std::string path = PathOf(generation.file);
  const auto Distrust = [&](std::string why) {
    reason = std::move(why);
    Clear();
    return Status();
  };
  if (generation.file.find('/') != std::string::npos) return Distrust("its name holds a slash");
  if (!files->Exists(path)) return Distrust("the file is missing");
  const Result<std::uint64_t> size = files->FileSize(path);
  if (!size.ok()) return Distrust(size.status().message());
  const std::uint64_t file_bytes = *size;

  // First pass: header, lengths and both hashes, before a byte is interpreted.
  Header header;
  std::uint64_t header_bytes = 0;
  {
    const Result<std::unique_ptr<ReadableFile>> file = files->OpenForRead(path);
    if (!file.ok()) return Distrust(file.status().message());
    Input input(**file);
    char fixed[16];
    if (input.Get(fixed, sizeof fixed) != sizeof fixed) return Distrust("shorter than a header");
    if (std::string_view(fixed, 8) != kMagic) return Distrust("wrong magic");
    std::uint32_t format = 0, body_bytes = 0;
    std::memcpy(&format, fixed + 8, 4);
    std::memcpy(&body_bytes, fixed + 12, 4);
    if (format != kFormat)
      return Distrust(fmt::format("format {}, this program reads {}", format, kFormat));
    if (body_bytes > kHeaderLimit || body_bytes + sizeof fixed > file_bytes) {
      return Distrust(fmt::format("a header of {} bytes", body_bytes));
    }
    std::string body(body_bytes, '\0');
    if (input.Get(body.data(), body.size()) != body.size() || !DecodeHeader(body, header)) {
      return Distrust("a malformed header");
    }
    header_bytes = sizeof fixed + body.size();
    const Header expected = Expected();
    if (header.store_id != expected.store_id) return Distrust("store id " + header.store_id);
    if (header.history_id != expected.history_id)
      return Distrust("history id " + header.history_id);
    if (header.embedder_id != expected.embedder_id)
      return Distrust("embedder " + header.embedder_id);
    if (header.tenant != tenant) return Distrust(fmt::format("tenant {}", header.tenant));
    if (header.kind != expected.kind) return Distrust(fmt::format("kind {}", header.kind));
    if (header.dimension != expected.dimension) {
      return Distrust(fmt::format("dimension {}, expected {}", header.dimension, dimension));
    }
    if (header.type != kFlatIndex && header.type != kListsIndex) {
      return Distrust(fmt::format("type {}, this program reads {} and {}", header.type,
                                  static_cast<int>(kFlatIndex), static_cast<int>(kListsIndex)));
    }
    if (header.metric != kInnerProduct) return Distrust(fmt::format("metric {}", header.metric));
    if (header.op_seq != generation.op_seq) {
      return Distrust(
          fmt::format("operation {}, the store says {}", header.op_seq, generation.op_seq));
    }
    if (header.payload_bytes != file_bytes - header_bytes) {
      return Distrust(fmt::format("a payload of {} bytes where {} are stated",
                                  file_bytes - header_bytes, header.payload_bytes));
    }
    // Each row has its ids and its vector: a count beyond the file's size is a lie.
    const std::uint64_t row_bytes = kRowBytes + header.dimension;
    if (header.count < 0 ||
        static_cast<std::uint64_t>(header.count) > header.payload_bytes / row_bytes) {
      return Distrust(fmt::format("{} rows in {} bytes", header.count, header.payload_bytes));
    }
    Sha256 whole, payload;
    whole.Update(std::string_view(fixed, sizeof fixed));
    whole.Update(body);
    std::string piece(kIoBytes, '\0');
    std::uint64_t left = header.payload_bytes;
    while (left > 0) {
      const std::size_t want = static_cast<std::size_t>(std::min<std::uint64_t>(left, kIoBytes));
      const std::size_t got = input.Get(piece.data(), want);
      whole.Update(std::string_view(piece).substr(0, got));
      payload.Update(std::string_view(piece).substr(0, got));
      left -= got;
      if (got < want) break;
    }
    if (!input.status().ok()) return Distrust(input.status().message());
    const auto digest = payload.Digest();
    if (left != 0 ||
        header.sha256 != std::string_view(reinterpret_cast<const char*>(digest.data()), 32)) {
      return Distrust("the payload's SHA-256 differs from its header's");
    }
    if (whole.Hex() != generation.sha256) return Distrust("its SHA-256 differs from the store's");
  }

  const Result<std::unique_ptr<ReadableFile>> file = files->OpenForRead(path);
  if (!file.ok()) return Distrust(file.status().message());
  Input input(**file);
  std::string skipped(header_bytes, '\0');
  if (input.Get(skipped.data(), skipped.size()) != skipped.size()) return Distrust("it shrank");
  const Status read = Guarded("loading " + generation.file, [&]() -> Status {
    std::vector<float> scales(static_cast<std::size_t>(header.count));
    for (float& scale : scales) {
      char bytes[kRowBytes];
      Row row{};
      if (input.Get(bytes, sizeof bytes) != sizeof bytes) {
        return Status(StatusCode::kDataLoss, "it ends among its ids");
      }
      std::memcpy(&row.vector_id, bytes, 8);
      std::memcpy(&row.unit_id, bytes + 8, 8);
      std::memcpy(&row.piece, bytes + 16, 4);
      std::memcpy(&scale, bytes + 20, 4);
      if (!rows.empty() && row.vector_id <= rows.back().vector_id) {
        return Status(StatusCode::kDataLoss,
                      fmt::format("vector id {} is out of order", row.vector_id));
      }
      AppendRow(row.vector_id, row.unit_id, row.piece);
    }
    std::unique_ptr<faiss::Index> read(faiss::read_index(&input));
    auto* const codes = dynamic_cast<faiss::IndexScalarQuantizer*>(read.get());
    if (!ByteStorage::Fits(codes, header.count, dimension)) {
      return Status(StatusCode::kDataLoss, "the FAISS part does not fit the header");
    }
    main = std::make_unique<ByteStorage>(*codes, std::move(scales));
    if (header.type == kListsIndex) LIUBAI_RETURN_IF_ERROR(ReadLists(input, header));
    main_rows = header.count;
    return Status();
  });
  if (!read.ok()) {
    if (read.code() == StatusCode::kResourceExhausted) return read;
    return Distrust(read.message());
  }
  applied = covered = header.op_seq;
  return Status();
}

Status VectorIndex::Impl::ReadLists(Input& input, const Header& header) {
  const auto Read = [&](auto& values) {
    const std::size_t bytes = values.size() * sizeof(values[0]);
    return input.Get(reinterpret_cast<char*>(values.data()), bytes) == bytes;
  };
  const std::uint64_t list_bytes = static_cast<std::uint64_t>(dimension) + sizeof(float);
  if (header.lists == 0 || header.lists > VectorLists::kMostLists ||
      header.lists * list_bytes > header.payload_bytes) {
    return Status(StatusCode::kDataLoss, fmt::format("{} lists", header.lists));
  }
  std::vector<std::int64_t> trained(1);
  ByteVectors centroids;
  centroids.codes.resize(static_cast<std::size_t>(header.lists) * dimension);
  centroids.scales.resize(header.lists);
  std::vector<std::uint16_t> of_row(static_cast<std::size_t>(header.count));
  if (!Read(trained) || !Read(centroids.codes) || !Read(centroids.scales) || !Read(of_row)) {
    return Status(StatusCode::kDataLoss, "it ends among its lists");
  }
  for (const std::uint16_t list : of_row) {
    if (list >= header.lists) {
      return Status(StatusCode::kDataLoss,
                    fmt::format("a row in list {} of {}", list, header.lists));
    }
  }
  lists = VectorLists(std::move(centroids), of_row, trained.front(), dimension);
  return Status();
}

// All live rows of the store, into the FAISS index when there are few, else into the tail until
// Publish.
Status VectorIndex::Impl::Rebuild() {
  Clear();
  LIUBAI_ASSIGN_OR_RETURN(const std::int64_t last, store->LastOperation(embedder.id, kind, tenant));
  Status status;
  const Status walked = store->ForEachEmbedding(
      embedder.id, kind, 0,
      [&](const Embedding& embedding) {
        if (embedding.values.size() != static_cast<std::size_t>(dimension)) {
          status = Status(StatusCode::kDataLoss,
                          fmt::format("vector {} has {} values, its embedder has {}", embedding.id,
                                      embedding.values.size(), dimension));
          return false;
        }
        AppendRow(embedding.id, embedding.unit_id, embedding.piece);
        tail.Pack(Widen(embedding.values));
        return true;
      },
      tenant);
  LIUBAI_RETURN_IF_ERROR(walked);
  LIUBAI_RETURN_IF_ERROR(status);
  applied = last;
  return Status();
}

Status VectorIndex::Impl::CatchUpLocked() {
  constexpr std::int64_t kBatch = 1000;
  while (true) {
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<IndexOperation> operations,
                            store->Operations(embedder.id, kind, applied, kBatch, tenant));
    if (operations.empty()) return Status();
    std::vector<VectorId> added;
    {
      std::shared_lock lock(mutex);
      for (const IndexOperation& operation : operations) {
        if (operation.add && Find(operation.vector_id) < 0) added.push_back(operation.vector_id);
      }
    }
    LIUBAI_ASSIGN_OR_RETURN(std::vector<Embedding> embeddings,
                            store->GetEmbeddings(embedder.id, added, true, tenant));
    std::sort(embeddings.begin(), embeddings.end(),
              [](const Embedding& a, const Embedding& b) { return a.id < b.id; });
    for (const Embedding& embedding : embeddings) {
      if (embedding.values.size() != static_cast<std::size_t>(dimension)) {
        return Status(StatusCode::kDataLoss,
                      fmt::format("vector {} has {} values, its embedder has {}", embedding.id,
                                  embedding.values.size(), dimension));
      }
    }
    std::unique_lock lock(mutex);
    for (const Embedding& embedding : embeddings) {
      if (!rows.empty() && embedding.id <= rows.back().vector_id) {
        return Status(StatusCode::kInternal, fmt::format("vector id {} comes after {}",
                                                         embedding.id, rows.back().vector_id));
      }
      AppendRow(embedding.id, embedding.unit_id, embedding.piece);
      tail.Pack(Widen(embedding.values));
    }
    bool buried = false;
    for (const IndexOperation& operation : operations) {
      if (!operation.add) Bury(operation.vector_id), buried = true;
    }
    applied = operations.back().op_seq;
    lock.unlock();
    // What was deleted must not live on in a file kept for inspection.
    if (buried && !store->read_only()) RemoveLeftovers(/*quarantined=*/true);
  }
}

// Files of this index that are not the published one: temporary, superseded and, if asked,
// quarantined.
void VectorIndex::Impl::RemoveLeftovers(bool quarantined) {
  Result<std::vector<std::string>> names = files->List(store->folder());
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (name.starts_with(Prefix()) && name != published.file &&
        (quarantined || !name.ends_with(kQuarantined))) {
      const Status removed = files->Remove(PathOf(name));
      if (!removed.ok()) options.logger.Log(LogLevel::kWarning, "vectors", removed.message());
    }
  }
}

// Moves the tail into the FAISS index. Called under change_mutex: nothing else changes rows
// meanwhile, and searches wait for the copying only.
Status VectorIndex::Impl::MergeTail() {
  return Guarded("merging vectors", [&]() -> Status {
    std::vector<std::uint16_t> of_tail;
    if (!lists.empty()) of_tail = lists.ListsOf(tail);
    std::unique_lock lock(mutex);
    const std::int64_t count = tail.rows();
    if (main_rows == 0) {
      main->codes = std::move(tail.codes);
      main->scales = std::move(tail.scales);
    } else {
      main->Append(tail, 0, count);
    }
    main->add(count, nullptr);
    for (const std::uint16_t list : of_tail) lists.Add(list);
    main_rows = static_cast<std::int64_t>(rows.size());
    tail = ByteVectors();
    return Status();
  });
}

// Called under change_mutex, with an empty tail. Searches go on meanwhile.
Status VectorIndex::Impl::MakeLists() {
  return Guarded("sorting vectors into lists", [&]() -> Status {
    VectorLists made(main->codes, main->scales, dimension);
    std::unique_lock lock(mutex);
    lists = std::move(made);
    return Status();
  });
}

// A new FAISS index of the live rows only. Called under change_mutex, with an empty tail.
Status VectorIndex::Impl::DropDead() {
  return Guarded("rebuilding vectors", [&]() -> Status {
    auto fresh = std::make_unique<ByteStorage>(dimension);
    const std::vector<std::uint16_t> of_row = lists.OfRows();
    std::vector<Row> kept;
    std::vector<std::uint16_t> kept_of_row;
    fresh->Reserve(main_rows - dead_rows);
    for (std::int64_t i = 0; i < main_rows; ++i) {
      if (rows[i].dead) continue;
      kept.push_back(rows[i]);
      if (!lists.empty()) kept_of_row.push_back(of_row[i]);
      const Vector vector = VectorOf(i);
      fresh->codes.insert(fresh->codes.end(), vector.codes, vector.codes + dimension);
      fresh->scales.push_back(vector.scale);
    }
    fresh->add(static_cast<std::int64_t>(kept.size()), nullptr);
    VectorLists kept_lists;
    if (!lists.empty()) {
      kept_lists = VectorLists(lists.centroids(), kept_of_row, lists.trained_rows(), dimension);
    }
    std::unique_lock lock(mutex);
    rows.clear();
    last_of_unit.clear();
    for (const Row& row : kept) AppendRow(row.vector_id, row.unit_id, row.piece);
    main = std::move(fresh);
    lists = std::move(kept_lists);
    main_rows = static_cast<std::int64_t>(rows.size());
    dead_rows = 0;
    return Status();
  });
}

void VectorIndex::Impl::WriteLists(Output& output) const {
  const auto Put = [&](const void* values, std::size_t bytes) {
    output.Put({static_cast<const char*>(values), bytes});
  };
  const std::int64_t trained = lists.trained_rows();
  const ByteVectors& centroids = lists.centroids();
  const std::vector<std::uint16_t> of_row = lists.OfRows();
  Put(&trained, sizeof trained);
  Put(centroids.codes.data(), centroids.codes.size());
  Put(centroids.scales.data(), centroids.scales.size() * sizeof(float));
  Put(of_row.data(), of_row.size() * sizeof(std::uint16_t));
}

// The steps of the header's comment. Called under change_mutex, with an empty tail.
Status VectorIndex::Impl::WriteFile() {
  std::shared_lock lock(mutex);
  Header header = Expected();
  header.type = lists.empty() ? kFlatIndex : kListsIndex;
  header.lists = static_cast<std::uint32_t>(lists.centroids().rows());
  header.op_seq = applied;
  header.count = main_rows;
  const auto WritePayload = [&](Output& output) {
    return Guarded("writing vectors", [&]() -> Status {
      std::string ids;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        PutNumber(rows[i].vector_id, ids);
        PutNumber(rows[i].unit_id, ids);
        PutNumber(rows[i].piece, ids);
        PutNumber(main->scales[i], ids);
      }
      output.Put(ids);
      faiss::write_index(main.get(), &output);
      if (!lists.empty()) WriteLists(output);
      return Status();
    });
  };
  Output measured(nullptr);
  LIUBAI_RETURN_IF_ERROR(WritePayload(measured));
  LIUBAI_RETURN_IF_ERROR(measured.Flush());
  const auto digest = measured.hash().Digest();
  header.payload_bytes = measured.count();
  header.sha256.assign(reinterpret_cast<const char*>(digest.data()), digest.size());

  IndexGeneration next;
  next.embedder_id = embedder.id;
  next.kind = kind;
  next.op_seq = applied;
  // The name is new each time: the generation's number is not known before it is committed.
  next.file = fmt::format("{}{}-{:08x}.index", Prefix(), applied, std::random_device()());
  const std::string path = PathOf(next.file), temporary = path + ".tmp";
  const auto Fail = [&](const Status& status) {
    (void)files->Remove(temporary);
    (void)files->Remove(path);
    return status.WithContext("publishing the vector index");
  };
  {
    Result<std::unique_ptr<WritableFile>> file = files->OpenForWrite(temporary);
    if (!file.ok()) return Fail(file.status());
    Output output(file->get());
    output.Put(EncodeHeader(header));
    const Status written = WritePayload(output);
    // The file's own failure says more than FAISS's that came of it.
    if (const Status flushed = output.Flush(); !flushed.ok()) return Fail(flushed);
    if (!written.ok()) return Fail(written);
    if (const Status synced = (*file)->Sync(); !synced.ok()) return Fail(synced);
    if (const Status closed = (*file)->Close(); !closed.ok()) return Fail(closed);
    next.sha256 = output.hash().Hex();
  }
  if (const Status renamed = files->Rename(temporary, path); !renamed.ok()) return Fail(renamed);
  if (const Status synced = files->SyncDirectory(store->folder()); !synced.ok())
    return Fail(synced);
  Result<std::int64_t> generation = store->PublishIndex(next, tenant);
  // Whether a failed commit reached the disk may be unknown: the file stays, Open removes it if
  // not.
  if (!generation.ok()) return generation.status().WithContext("publishing the vector index");
  next.generation = *generation;
  lock.unlock();
  std::string old;
  {
    std::unique_lock exclusive(mutex);
    old = published.file;
    published = next;
    covered = next.op_seq;
  }
  if (!old.empty() && old != next.file) return files->Remove(PathOf(old));
  return Status();
}

VectorIndex::VectorIndex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VectorIndex::~VectorIndex() = default;

Result<std::unique_ptr<VectorIndex>> VectorIndex::Open(Store& store, const EmbedderRecord& embedder,
                                                       UnitKind kind, TenantId tenant,
                                                       const VectorIndexOptions& options) {
  if (embedder.dimension <= 0) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("embedder {} has dimension {}", embedder.name, embedder.dimension));
  }
  auto impl = std::make_unique<Impl>();
  impl->store = &store;
  impl->embedder = embedder;
  impl->kind = kind;
  impl->tenant = tenant;
  impl->options = options;
  impl->files = options.file_system != nullptr ? options.file_system : &PosixFileSystem();
  impl->dimension = embedder.dimension;
  LIUBAI_RETURN_IF_ERROR(Guarded("opening the vector index", [&]() -> Status {
    impl->Clear();
    return Status();
  }));

  Result<IndexGeneration> latest = store.LatestIndex(embedder.id, kind, tenant);
  if (!latest.ok() && latest.status().code() != StatusCode::kNotFound) return latest.status();
  std::string reason;
  if (latest.ok()) {
    LIUBAI_RETURN_IF_ERROR(impl->Load(*latest, reason));
    if (reason.empty()) {
      LIUBAI_ASSIGN_OR_RETURN(const std::int64_t last,
                              store.LastOperation(embedder.id, kind, tenant));
      if (latest->op_seq > last) {
        reason =
            fmt::format("it covers operation {}, the store's last is {}", latest->op_seq, last);
      }
    }
    if (reason.empty()) impl->published = *latest;
  }
  if (!store.read_only()) {
    // One distrusted file is kept for whoever asks why: the newest.
    if (!reason.empty()) impl->published.file = latest->file;
    impl->RemoveLeftovers(/*quarantined=*/!reason.empty());
    if (!reason.empty()) impl->published.file.clear();
  }
  if (!reason.empty()) {
    impl->rebuilt = true;
    impl->note = fmt::format("vector index {} is not to be trusted ({}); rebuilt from the store",
                             latest->file, reason);
    options.logger.Log(LogLevel::kWarning, "vectors", impl->note);
    const std::string path = impl->PathOf(latest->file);
    if (!store.read_only() && latest->file.find('/') == std::string::npos &&
        impl->files->Exists(path)) {
      const Status moved = impl->files->Rename(path, path + std::string(kQuarantined));
      if (!moved.ok()) options.logger.Log(LogLevel::kWarning, "vectors", moved.message());
    }
  }
  if (impl->published.generation == 0) LIUBAI_RETURN_IF_ERROR(impl->Rebuild());
  LIUBAI_RETURN_IF_ERROR(impl->CatchUpLocked());
  return std::unique_ptr<VectorIndex>(new VectorIndex(std::move(impl)));
}

Status VectorIndex::CatchUp() {
  std::lock_guard change(impl_->change_mutex);
  return Guarded("catching up with the store", [&] { return impl_->CatchUpLocked(); });
}

Status VectorIndex::Publish() {
  if (impl_->store->read_only()) {
    return Status(StatusCode::kFailedPrecondition,
                  "the store is read-only: its vector index cannot be published");
  }
  std::lock_guard change(impl_->change_mutex);
  LIUBAI_RETURN_IF_ERROR(
      Guarded("catching up with the store", [&] { return impl_->CatchUpLocked(); }));
  const std::int64_t live = [&] {
    std::shared_lock lock(impl_->mutex);
    return static_cast<std::int64_t>(impl_->rows.size()) - impl_->dead_rows;
  }();
  // Back to the exact scan only well below the limit: no new lists at each step across it.
  const bool had_lists = !impl_->lists.empty();
  const bool with_lists =
      live > (had_lists ? impl_->options.lists_above / 2 : impl_->options.lists_above);
  if (impl_->published.generation != 0 && impl_->covered == impl_->applied &&
      with_lists == had_lists) {
    return Status();
  }
  LIUBAI_RETURN_IF_ERROR(impl_->MergeTail());
  if (impl_->dead_rows > 0) LIUBAI_RETURN_IF_ERROR(impl_->DropDead());
  if (!with_lists && had_lists) {
    std::unique_lock lock(impl_->mutex);
    impl_->lists = VectorLists();
  }
  if (with_lists && (!had_lists || impl_->lists.stale())) {
    LIUBAI_RETURN_IF_ERROR(impl_->MakeLists());
  }
  return impl_->WriteFile();
}

std::vector<VectorHit> VectorIndex::Impl::SearchExact(std::span<const float> query,
                                                      std::int64_t limit,
                                                      const UnitFilter& filter) const {
  std::vector<float> scores(rows.size());
  const ByteQuery bytes(query);
  const std::span<float> all(scores);
  bytes.Score(main->codes.data(), main->scales.data(), all.first(main_rows));
  bytes.Score(tail.codes.data(), tail.scales.data(), all.subspan(main_rows));
  Best best(limit);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (row.dead || !best.Wants(scores[i]) || (filter && !filter(row.unit_id))) continue;
    best.Offer({row.vector_id, row.unit_id, row.piece, scores[i]});
  }
  return best.Take();
}

// Lists searched under a filter that allows few rows miss most of them: those are scanned.
bool VectorIndex::Impl::IsSelective(const UnitFilter& filter) const {
  if (!filter) return false;
  constexpr std::size_t kSample = 256;
  std::size_t seen = 0, allowed = 0;
  for (std::size_t i = 0; i < rows.size(); i += std::max<std::size_t>(1, rows.size() / kSample)) {
    ++seen;
    allowed += !rows[i].dead && filter(rows[i].unit_id) ? 1 : 0;
  }
  return allowed * 4 < seen;
}

std::vector<VectorHit> VectorIndex::Impl::SearchLists(std::span<const float> query,
                                                      std::int64_t limit,
                                                      const UnitFilter& filter) const {
  const ByteQuery bytes(query);
  Best best(limit);
  const auto Offer = [&](std::int64_t at, float score) {
    const Row& row = rows[at];
    if (row.dead || !best.Wants(score) || (filter && !filter(row.unit_id))) return;
    best.Offer({row.vector_id, row.unit_id, row.piece, score});
  };
  const std::int64_t wanted = std::max(options.least_compared, main_rows / options.compared_part);
  std::int64_t compared = 0;
  const std::size_t row_bytes = static_cast<std::size_t>(dimension);
  for (const std::uint32_t list : lists.Nearest(bytes)) {
    if (compared >= wanted && static_cast<std::int64_t>(best.size()) == limit) break;
    const std::span<const std::uint32_t> members = lists.members(list);
    for (std::size_t i = 0; i < members.size(); ++i) {
      // They lie scattered: the one after next is fetched meanwhile.
      if (i + 2 < members.size()) {
        const std::uint8_t* const ahead = main->codes.data() + members[i + 2] * row_bytes;
        for (std::size_t at = 0; at < row_bytes; at += 64) __builtin_prefetch(ahead + at);
      }
      const std::uint32_t row = members[i];
      Offer(row, bytes.Dot(main->codes.data() + row * row_bytes, main->scales[row]));
    }
    compared += static_cast<std::int64_t>(members.size());
  }
  std::vector<float> scores(tail.rows());
  bytes.Score(tail.codes.data(), tail.scales.data(), scores);
  for (std::int64_t i = 0; i < tail.rows(); ++i) Offer(main_rows + i, scores[i]);
  return best.Take();
}

Result<std::vector<VectorHit>> VectorIndex::Impl::Find(std::span<const float> query,
                                                       std::int64_t limit, const UnitFilter& filter,
                                                       bool scan) const {
  if (query.size() != static_cast<std::size_t>(dimension)) {
    return Status(
        StatusCode::kInvalidArgument,
        fmt::format("a query of {} values, the index has dimension {}", query.size(), dimension));
  }
  std::vector<VectorHit> hits;
  std::shared_lock lock(mutex);
  LIUBAI_RETURN_IF_ERROR(Guarded("searching vectors", [&]() -> Status {
    const std::int64_t most = std::min(limit, static_cast<std::int64_t>(rows.size()));
    if (most <= 0) return Status();
    hits = scan || lists.empty() || IsSelective(filter) ? SearchExact(query, most, filter)
                                                        : SearchLists(query, most, filter);
    return Status();
  }));
  return hits;
}

Result<std::vector<VectorHit>> VectorIndex::Search(std::span<const float> query, std::int64_t limit,
                                                   const UnitFilter& filter) const {
  return impl_->Find(query, limit, filter, /*scan=*/false);
}

Result<std::vector<VectorHit>> VectorIndex::Scan(std::span<const float> query,
                                                 std::int64_t limit) const {
  return impl_->Find(query, limit, {}, /*scan=*/true);
}

void VectorIndex::Score(std::span<const float> query, std::span<const std::int64_t> units,
                        std::span<float> scores) const {
  std::shared_lock lock(impl_->mutex);
  const ByteQuery bytes(query);
  for (std::size_t i = 0; i < units.size(); ++i) {
    float best = std::numeric_limits<float>::quiet_NaN();
    const auto found = impl_->last_of_unit.find(units[i]);
    std::uint32_t row = found != impl_->last_of_unit.end() ? found->second : kNoRow;
    for (; row != kNoRow; row = impl_->rows[row].before) {
      if (impl_->rows[row].dead) continue;
      const Impl::Vector vector = impl_->VectorOf(row);
      const float score = bytes.Dot(vector.codes, vector.scale);
      if (!(best >= score)) best = score;
    }
    scores[i] = best;
  }
}

std::vector<float> VectorIndex::SampleScores(std::span<const float> query, int count) const {
  std::shared_lock lock(impl_->mutex);
  const ByteQuery bytes(query);
  std::vector<float> scores;
  const std::size_t step =
      std::max<std::size_t>(1, impl_->rows.size() / static_cast<std::size_t>(std::max(1, count)));
  for (std::size_t i = 0; i < impl_->rows.size(); i += step) {
    if (impl_->rows[i].dead) continue;
    const Impl::Vector vector = impl_->VectorOf(static_cast<std::int64_t>(i));
    scores.push_back(bytes.Dot(vector.codes, vector.scale));
  }
  return scores;
}

VectorIndexStatus VectorIndex::status() const {
  std::shared_lock lock(impl_->mutex);
  VectorIndexStatus status;
  status.generation = impl_->published.generation;
  status.covered_op_seq = impl_->covered;
  status.applied_op_seq = impl_->applied;
  status.live_rows = static_cast<std::int64_t>(impl_->rows.size()) - impl_->dead_rows;
  status.tail_rows = static_cast<std::int64_t>(impl_->rows.size()) - impl_->main_rows;
  status.tombstones = impl_->dead_rows;
  status.lists = impl_->lists.centroids().rows();
  status.rebuilt = impl_->rebuilt;
  status.note = impl_->note;
  return status;
}

Result<VectorIndexAudit> VectorIndex::Audit(std::int64_t sample) const {
  // Nothing is applied or published meanwhile; a row that is written during the walk shows as
  // missing only if it was committed before the walk reached it, so the operations are compared
  // again below.
  std::lock_guard change(impl_->change_mutex);
  std::shared_lock lock(impl_->mutex);
  VectorIndexAudit audit;
  std::unordered_set<VectorId> live;
  const std::int64_t stride = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(impl_->rows.size()) / std::max<std::int64_t>(1, sample));
  std::int64_t at = 0;
  LIUBAI_RETURN_IF_ERROR(impl_->store->ForEachEmbedding(
      impl_->embedder.id, impl_->kind, 0,
      [&](const Embedding& embedding) {
        live.insert(embedding.id);
        const std::int64_t row = impl_->Find(embedding.id);
        if (row < 0 || impl_->rows[row].dead) {
          audit.missing.push_back(embedding.id);
        } else if (at++ % stride == 0) {
          ++audit.compared;
          ByteVectors stored;
          stored.Pack(Widen(embedding.values));
          const Impl::Vector vector = impl_->VectorOf(row);
          const Row& mine = impl_->rows[row];
          if (stored.codes.size() != static_cast<std::size_t>(impl_->dimension) ||
              mine.unit_id != embedding.unit_id || mine.piece != embedding.piece ||
              stored.scales.front() != vector.scale ||
              !std::equal(stored.codes.begin(), stored.codes.end(), vector.codes)) {
            audit.differing.push_back(embedding.id);
          }
        }
        return true;
      },
      impl_->tenant));
  for (const Row& row : impl_->rows) {
    if (!row.dead && !live.contains(row.vector_id)) audit.extra.push_back(row.vector_id);
  }
  return audit;
}

}  // namespace liubai::memory
