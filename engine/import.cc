#include "engine/import.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/half.h"
#include "core/macros.h"
#include "core/text.h"
#include "engine/gguf_writer.h"
#include "fmt/format.h"
#include "kernels/dequantize.h"
#include "nlohmann/json.hpp"

namespace liubai::engine {
namespace {

using kernels::DataType;
using Json = nlohmann::json;

constexpr std::uint64_t kMaxSafetensorsHeaderBytes = std::uint64_t{100} << 20;
constexpr std::int64_t kMaxDimension = 1 << 20;
constexpr std::int64_t kMaxLayers = 1024;
constexpr std::int64_t kMaxVocabulary = 1 << 24;

// Kinds of tokens in `tokenizer.ggml.token_type`.
enum TokenType : std::int32_t { kNormal = 1, kUnknown = 2, kControl = 3, kUnused = 5 };

Status Corrupt(const std::string& path, std::string_view what) {
  return Status(StatusCode::kDataLoss, fmt::format("{}: {}", path, what));
}

// What both sources say, in the order of the keys in the target.
struct Encoder {
  std::string name;
  std::int64_t layers = 0, width = 0, heads = 0, feed_forward = 0, positions = 0;
  float epsilon = 0;
  std::uint32_t max_tokens = 0;
  std::string query_prefix, passage_prefix;
  std::string tokenizer;  // "bert", "t5"
  std::vector<std::string> tokens;
  std::vector<float> scores;
  std::vector<std::int32_t> token_types;
  std::map<std::string, std::uint32_t> ids;  // By key, without "tokenizer.ggml.".
  std::vector<std::uint8_t> normalization_map;
};

Status CheckSizes(const Encoder& e, const std::string& path) {
  const struct {
    std::string_view name;
    std::int64_t value, limit;
  } sizes[] = {{"layers", e.layers, kMaxLayers},
               {"width", e.width, kMaxDimension},
               {"heads", e.heads, kMaxDimension},
               {"feed-forward width", e.feed_forward, kMaxDimension},
               {"positions", e.positions, kMaxDimension}};
  for (const auto& size : sizes) {
    if (size.value < 1 || size.value > size.limit) {
      return Corrupt(path,
                     fmt::format("{} is {}, must be 1 to {}", size.name, size.value, size.limit));
    }
  }
  if (e.width % e.heads != 0) {
    return Corrupt(path, fmt::format("width {} is not a multiple of {} heads", e.width, e.heads));
  }
  if (!(e.epsilon > 0 && e.epsilon < 1)) {
    return Corrupt(path,
                   fmt::format("the norm's epsilon is {}, must lie between 0 and 1", e.epsilon));
  }
  return Status();
}

void SetKeys(const Encoder& e, GgufWriter& writer) {
  const auto u32 = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  writer.SetString("general.architecture", "bert");
  writer.SetString("general.type", "model");
  writer.SetString("general.name", e.name);
  writer.SetU32("bert.block_count", u32(e.layers));
  writer.SetU32("bert.context_length", u32(e.positions));
  writer.SetU32("bert.embedding_length", u32(e.width));
  writer.SetU32("bert.feed_forward_length", u32(e.feed_forward));
  writer.SetU32("bert.attention.head_count", u32(e.heads));
  writer.SetF32("bert.attention.layer_norm_epsilon", e.epsilon);
  writer.SetBool("bert.attention.causal", false);
  writer.SetU32("bert.pooling_type", 1);  // The mean over tokens.
  writer.SetString("liubai.embedder.query_prefix", e.query_prefix);
  writer.SetString("liubai.embedder.passage_prefix", e.passage_prefix);
  writer.SetU32("liubai.embedder.max_tokens", e.max_tokens);
  writer.SetString("tokenizer.ggml.model", e.tokenizer);
  writer.SetStringArray("tokenizer.ggml.tokens", e.tokens);
  if (!e.scores.empty()) writer.SetF32Array("tokenizer.ggml.scores", e.scores);
  writer.SetI32Array("tokenizer.ggml.token_type", e.token_types);
  for (const auto& [key, id] : e.ids) writer.SetU32("tokenizer.ggml." + key, id);
  writer.SetBool("tokenizer.ggml.add_bos_token", true);
  writer.SetBool("tokenizer.ggml.add_eos_token", true);
  if (e.tokenizer == "t5") {
    writer.SetBool("tokenizer.ggml.add_space_prefix", true);
    writer.SetBool("tokenizer.ggml.remove_extra_whitespaces", true);
  } else {
    writer.SetU32("tokenizer.ggml.token_type_count", 2);
  }
  if (!e.normalization_map.empty()) {
    writer.SetU8Array("liubai.tokenizer.normalization_map", e.normalization_map);
  }
}

// One tensor of the target with its names in both sources. Shapes are [cols] or [cols, rows].
struct Wanted {
  std::string name, safetensors_name, e5_name;
  std::int64_t cols = 0, rows = 0;  // rows 0: a vector.
  bool matrix = false;              // Takes part in a product, so it is quantised.
};

std::vector<Wanted> WantedTensors(const Encoder& e, std::int64_t vocabulary, std::int64_t types) {
  std::vector<Wanted> wanted = {
      {"token_embd.weight", "embeddings.word_embeddings.weight", "emb.word", e.width, vocabulary,
       true},
      {"position_embd.weight", "embeddings.position_embeddings.weight", "emb.pos", e.width,
       e.positions, false},
      {"token_types.weight", "embeddings.token_type_embeddings.weight", "emb.type", e.width, types,
       false},
      {"token_embd_norm.weight", "embeddings.LayerNorm.weight", "emb.ln.w", e.width},
      {"token_embd_norm.bias", "embeddings.LayerNorm.bias", "emb.ln.b", e.width}};
  const struct {
    std::string_view gguf, safetensors, e5;
    std::int64_t cols, rows;  // cols 0: a norm of `rows` values.
  } parts[] = {
      {"attn_q", "attention.self.query", "q", e.width, e.width},
      {"attn_k", "attention.self.key", "k", e.width, e.width},
      {"attn_v", "attention.self.value", "v", e.width, e.width},
      {"attn_output", "attention.output.dense", "ao", e.width, e.width},
      {"attn_output_norm", "attention.output.LayerNorm", "aln", 0, e.width},
      {"ffn_up", "intermediate.dense", "fi", e.width, e.feed_forward},
      {"ffn_down", "output.dense", "fo", e.feed_forward, e.width},
      {"layer_output_norm", "output.LayerNorm", "oln", 0, e.width},
  };
  for (std::int64_t layer = 0; layer < e.layers; ++layer) {
    for (const auto& part : parts) {
      Wanted weight;
      weight.name = fmt::format("blk.{}.{}.weight", layer, part.gguf);
      weight.safetensors_name = fmt::format("encoder.layer.{}.{}.weight", layer, part.safetensors);
      weight.e5_name = fmt::format("l{}.{}.w", layer, part.e5);
      weight.matrix = part.cols != 0;
      weight.cols = weight.matrix ? part.cols : part.rows;
      weight.rows = weight.matrix ? part.rows : 0;
      Wanted bias;
      bias.name = fmt::format("blk.{}.{}.bias", layer, part.gguf);
      bias.safetensors_name = fmt::format("encoder.layer.{}.{}.bias", layer, part.safetensors);
      bias.e5_name = fmt::format("l{}.{}.b", layer, part.e5);
      bias.cols = part.rows;
      wanted.push_back(std::move(weight));
      wanted.push_back(std::move(bias));
    }
  }
  return wanted;
}

std::vector<std::int64_t> DimsOf(const Wanted& wanted) {
  if (wanted.rows == 0) return {wanted.cols};
  return {wanted.cols, wanted.rows};
}

Status CheckFinite(const std::string& path, const std::string& tensor, DataType type,
                   std::span<const std::byte> data) {
  const std::int64_t block = kernels::FindNonFiniteBlock(type, data);
  if (block < 0) return Status();
  return Status(StatusCode::kNumericError,
                fmt::format("{}: tensor '{}' holds a NaN or an infinity in {} block {}", path,
                            tensor, kernels::GetDataTypeInfo(type).name, block));
}

// --- safetensors: u64 length, a JSON header, the data. ---

struct SafeTensor {
  DataType type = DataType::kF32;
  std::vector<std::int64_t> shape;  // Rows first, as there.
  std::span<const std::byte> data;
};

class Safetensors {
 public:
  static Result<Safetensors> Open(const std::string& path) {
    LIUBAI_ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::Open(path));
    Safetensors file(std::move(mapped));
    LIUBAI_RETURN_IF_ERROR(file.Parse());
    return file;
  }

  const std::string& path() const { return mapped_.path(); }

  // Models saved with their head carry "bert." before each name.
  const SafeTensor* Find(const std::string& name) const {
    for (const std::string_view prefix : {"", "bert."}) {
      const auto found = tensors_.find(std::string(prefix) + name);
      if (found != tensors_.end()) return &found->second;
    }
    return nullptr;
  }

  Result<const SafeTensor*> Get(const std::string& name, std::vector<std::int64_t> shape) const {
    const SafeTensor* tensor = Find(name);
    if (tensor == nullptr) return Corrupt(path(), fmt::format("tensor '{}' is missing", name));
    if (tensor->shape != shape) {
      return Corrupt(path(), fmt::format("tensor '{}' has shape [{}], must have [{}]", name,
                                         fmt::join(tensor->shape, ", "), fmt::join(shape, ", ")));
    }
    return tensor;
  }

 private:
  explicit Safetensors(MappedFile mapped) : mapped_(std::move(mapped)) {}

  Status Parse() {
    const auto bytes = mapped_.bytes();
    if (bytes.size() < 8) {
      return Corrupt(path(), fmt::format("{} bytes are no safetensors file, the header length "
                                         "takes 8",
                                         bytes.size()));
    }
    std::uint64_t length;
    std::memcpy(&length, bytes.data(), 8);
    if (length > bytes.size() - 8 || length > kMaxSafetensorsHeaderBytes) {
      return Corrupt(
          path(),
          fmt::format("the header has length {} at offset 0, the limit is {}", length,
                      std::min<std::uint64_t>(bytes.size() - 8, kMaxSafetensorsHeaderBytes)));
    }
    const auto* text = reinterpret_cast<const char*>(bytes.data() + 8);
    const Json header = Json::parse(text, text + length, nullptr, /*allow_exceptions=*/false);
    if (!header.is_object()) {
      return Corrupt(path(),
                     fmt::format("the header of {} bytes at offset 8 is no JSON object", length));
    }
    data_ = bytes.subspan(8 + length);
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") continue;
      LIUBAI_RETURN_IF_ERROR(Add(name, entry));
    }
    return Status();
  }

  Status Add(const std::string& name, const Json& entry) {
    const auto bad = [&](std::string_view what) {
      return Corrupt(path(), fmt::format("tensor '{}' {}", name, what));
    };
    const auto is_count = [](const Json& value) { return value.is_number_unsigned(); };
    if (!entry.is_object()) return bad("is no JSON object");
    const Json dtype = entry.value("dtype", Json());
    const Json shape = entry.value("shape", Json());
    const Json offsets = entry.value("data_offsets", Json());
    if (!dtype.is_string() || !shape.is_array() || !offsets.is_array() || offsets.size() != 2 ||
        !is_count(offsets[0]) || !is_count(offsets[1]) ||
        !std::all_of(shape.begin(), shape.end(), is_count)) {
      return bad("needs a dtype, a shape and two data_offsets, none negative");
    }
    const auto begin = offsets[0].get<std::uint64_t>();
    const auto end = offsets[1].get<std::uint64_t>();
    if (begin > end || end > data_.size()) {
      return bad(fmt::format("lies at data offsets {} to {}, the file has {} bytes of data", begin,
                             end, data_.size()));
    }
    const auto type = dtype.get<std::string>();
    SafeTensor tensor;
    if (type == "F32") {
      tensor.type = DataType::kF32;
    } else if (type == "F16") {
      tensor.type = DataType::kF16;
    } else if (type == "BF16") {
      tensor.type = DataType::kBF16;
    } else {
      return Status();  // Indices and the like: a wanted tensor of such a type will be missed by
                        // name.
    }
    std::uint64_t bytes = kernels::GetDataTypeInfo(tensor.type).block_bytes;
    for (const Json& dim : shape) {
      const auto size = dim.get<std::uint64_t>();
      if (size != 0 && bytes > data_.size() / size) {
        return bad(fmt::format("of shape {} is larger than the file's {} bytes of data",
                               shape.dump(), data_.size()));
      }
      bytes *= size;
      tensor.shape.push_back(static_cast<std::int64_t>(size));
    }
    if (bytes != end - begin) {
      return bad(fmt::format("of shape {} in {} takes {} bytes, its data_offsets span {}",
                             shape.dump(), type, bytes, end - begin));
    }
    tensor.data = data_.subspan(begin, bytes);
    tensors_.emplace(name, std::move(tensor));
    return Status();
  }

  MappedFile mapped_;
  std::span<const std::byte> data_;
  std::unordered_map<std::string, SafeTensor> tensors_;
};

// vocab.txt: one piece a line. Written as GGUF readers expect: continuations bare, beginnings of
// words marked with U+2581, names in brackets as they are.
Status ReadVocabulary(FileSystem& fs, const std::string& path, Encoder& encoder) {
  LIUBAI_ASSIGN_OR_RETURN(const std::string text, ReadFile(fs, path, std::uint64_t{1} << 28));
  std::unordered_set<std::string_view> seen;
  const std::map<std::string_view, std::vector<std::string>> special = {
      {"[PAD]", {"padding_token_id"}},
      {"[UNK]", {"unknown_token_id"}},
      {"[CLS]", {"cls_token_id", "bos_token_id"}},
      {"[SEP]", {"seperator_token_id", "eos_token_id"}},  // Spelt so in the format.
      {"[MASK]", {"mask_token_id"}}};
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view piece = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (piece.ends_with('\r')) piece.remove_suffix(1);
    const std::size_t id = encoder.tokens.size();
    LIUBAI_RETURN_IF_ERROR(CheckText(piece, fmt::format("{}: line {}", path, id + 1)));
    if (piece.empty()) return Corrupt(path, fmt::format("line {} is empty", id + 1));
    if (!seen.insert(piece).second) {
      return Corrupt(path, fmt::format("line {} repeats '{}'", id + 1, piece));
    }
    TokenType type = kNormal;
    if (const auto found = special.find(piece); found != special.end()) {
      type = piece == "[UNK]" ? kUnknown : kControl;
      for (const std::string& key : found->second) {
        encoder.ids[key] = static_cast<std::uint32_t>(id);
      }
      encoder.tokens.emplace_back(piece);
    } else if (piece.starts_with("[unused") && piece.ends_with(']')) {
      type = kUnused;
      encoder.tokens.emplace_back(piece);
    } else if (piece.size() > 2 && piece.starts_with("##")) {
      encoder.tokens.emplace_back(piece.substr(2));
    } else {
      encoder.tokens.push_back("\xe2\x96\x81" + std::string(piece));
    }
    encoder.token_types.push_back(type);
  }
  for (const auto& [piece, keys] : special) {
    if (piece != "[MASK]" && !encoder.ids.contains(keys[0])) {
      return Corrupt(path, fmt::format("the special piece {} is missing", piece));
    }
  }
  return Status();
}

Result<Json> ReadJsonIfThere(FileSystem& fs, const std::string& path) {
  if (!fs.Exists(path)) return Json::object();
  LIUBAI_ASSIGN_OR_RETURN(const std::string text, ReadFile(fs, path, std::uint64_t{1} << 24));
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Corrupt(path, "is no JSON object");
  return json;
}

// Heads of the BERT sizes in use; a config.json says it for any other.
std::int64_t UsualHeads(std::int64_t width) {
  switch (width) {
    case 384:
    case 768:
      return 12;
    case 1024:
      return 16;
    default:
      return 0;
  }
}

Status ApplyConfig(const Json& config, const std::string& path, Encoder& encoder) {
  const auto text = [&](const char* key, std::string_view wanted) -> Status {
    const Json value = config.value(key, Json());
    if (value.is_null() || value == wanted) return Status();
    return Status(StatusCode::kUnimplemented, fmt::format("{}: {} is {}, only \"{}\" is supported",
                                                          path, key, value.dump(), wanted));
  };
  LIUBAI_RETURN_IF_ERROR(text("model_type", "bert"));
  LIUBAI_RETURN_IF_ERROR(text("hidden_act", "gelu"));
  LIUBAI_RETURN_IF_ERROR(text("position_embedding_type", "absolute"));
  const struct {
    const char* key;
    std::int64_t* value;
    bool must_agree;  // Known from the tensors.
  } numbers[] = {{"num_attention_heads", &encoder.heads, false},
                 {"hidden_size", &encoder.width, true},
                 {"intermediate_size", &encoder.feed_forward, true},
                 {"num_hidden_layers", &encoder.layers, true},
                 {"max_position_embeddings", &encoder.positions, true}};
  for (const auto& number : numbers) {
    const Json value = config.value(number.key, Json());
    if (value.is_null()) continue;
    if (!value.is_number_unsigned()) {
      return Corrupt(path, fmt::format("{} is {}, must be a count", number.key, value.dump()));
    }
    const auto count = value.get<std::uint64_t>();
    if (number.must_agree && count != static_cast<std::uint64_t>(*number.value)) {
      return Corrupt(path,
                     fmt::format("{} is {}, the tensors say {}", number.key, count, *number.value));
    }
    if (count > static_cast<std::uint64_t>(kMaxDimension)) {
      return Corrupt(path,
                     fmt::format("{} is {}, the limit is {}", number.key, count, kMaxDimension));
    }
    *number.value = static_cast<std::int64_t>(count);
  }
  const Json epsilon = config.value("layer_norm_eps", Json());
  if (epsilon.is_number()) encoder.epsilon = epsilon.get<float>();
  return Status();
}

// Rows of any float type, converted one at a time.
GgufWriter::Source RowsOf(const SafeTensor& tensor, DataType target, std::int64_t cols) {
  return [&tensor, target, cols](const GgufWriter::Sink& sink) -> Status {
    const auto row_bytes = static_cast<std::size_t>(kernels::RowBytes(tensor.type, cols));
    std::vector<float> values(static_cast<std::size_t>(cols));
    std::vector<std::byte> out(static_cast<std::size_t>(kernels::RowBytes(target, cols)));
    for (std::size_t at = 0; at < tensor.data.size(); at += row_bytes) {
      kernels::DequantizeRow(tensor.type, tensor.data.data() + at, values.data(), cols);
      kernels::QuantizeRow(target, values.data(), out.data(), cols);
      LIUBAI_RETURN_IF_ERROR(sink(out));
    }
    return Status();
  };
}

Status ImportSafetensors(FileSystem& fs, const std::string& path, const std::string& target,
                         const ImportOptions& options) {
  if (options.matrix_type != DataType::kF32 && options.matrix_type != DataType::kF16 &&
      options.matrix_type != DataType::kQ8_0) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("matrices cannot be imported as {}, only as F32, F16 or Q8_0",
                              kernels::GetDataTypeInfo(options.matrix_type).name));
  }
  const std::string folder = std::filesystem::path(path).parent_path().string();
  LIUBAI_ASSIGN_OR_RETURN(const Safetensors file, Safetensors::Open(path));
  const auto shape_of = [&](const std::string& name,
                            std::size_t rank) -> Result<std::vector<std::int64_t>> {
    const SafeTensor* tensor = file.Find(name);
    if (tensor == nullptr) {
      return Corrupt(path, fmt::format("tensor '{}' is missing: no BERT in safetensors", name));
    }
    if (tensor->shape.size() != rank) {
      return Corrupt(path, fmt::format("tensor '{}' has {} dimensions, must have {}", name,
                                       tensor->shape.size(), rank));
    }
    return tensor->shape;
  };
  LIUBAI_ASSIGN_OR_RETURN(const auto words, shape_of("embeddings.word_embeddings.weight", 2));
  LIUBAI_ASSIGN_OR_RETURN(const auto places, shape_of("embeddings.position_embeddings.weight", 2));
  LIUBAI_ASSIGN_OR_RETURN(const auto types, shape_of("embeddings.token_type_embeddings.weight", 2));
  LIUBAI_ASSIGN_OR_RETURN(const auto wide,
                          shape_of("encoder.layer.0.intermediate.dense.weight", 2));
  Encoder encoder;
  encoder.name =
      options.name.empty() ? std::filesystem::path(folder).filename().string() : options.name;
  encoder.width = words[1];
  encoder.positions = places[0];
  encoder.feed_forward = wide[0];
  encoder.heads = UsualHeads(encoder.width);
  encoder.epsilon = 1e-12f;
  while (encoder.layers <= kMaxLayers &&
         file.Find(fmt::format("encoder.layer.{}.attention.self.query.weight", encoder.layers))) {
    ++encoder.layers;
  }
  const std::string config_path = folder + "/config.json";
  LIUBAI_ASSIGN_OR_RETURN(const Json config, ReadJsonIfThere(fs, config_path));
  LIUBAI_RETURN_IF_ERROR(ApplyConfig(config, config_path, encoder));
  LIUBAI_RETURN_IF_ERROR(CheckSizes(encoder, path));
  LIUBAI_ASSIGN_OR_RETURN(const Json sentence,
                          ReadJsonIfThere(fs, folder + "/sentence_bert_config.json"));
  const Json limit = sentence.value("max_seq_length", Json(256u));
  encoder.max_tokens = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(limit.is_number_unsigned() ? limit.get<std::uint64_t>() : 256,
                              static_cast<std::uint64_t>(encoder.positions)));
  encoder.tokenizer = "bert";
  const std::string vocabulary_path = folder + "/vocab.txt";
  LIUBAI_RETURN_IF_ERROR(ReadVocabulary(fs, vocabulary_path, encoder));
  if (static_cast<std::int64_t>(encoder.tokens.size()) != words[0]) {
    return Corrupt(vocabulary_path, fmt::format("{} pieces for {} rows of word embeddings",
                                                encoder.tokens.size(), words[0]));
  }
  GgufWriter writer;
  SetKeys(encoder, writer);
  for (const Wanted& wanted : WantedTensors(encoder, words[0], types[0])) {
    std::vector<std::int64_t> shape = DimsOf(wanted);
    std::reverse(shape.begin(), shape.end());
    LIUBAI_ASSIGN_OR_RETURN(const SafeTensor* tensor, file.Get(wanted.safetensors_name, shape));
    LIUBAI_RETURN_IF_ERROR(CheckFinite(path, wanted.safetensors_name, tensor->type, tensor->data));
    DataType type = wanted.matrix ? options.matrix_type : DataType::kF32;
    if (wanted.cols % kernels::GetDataTypeInfo(type).block_elements != 0) type = DataType::kF16;
    writer.AddTensor(wanted.name, type, DimsOf(wanted), RowsOf(*tensor, type, wanted.cols));
  }
  return writer.Write(fs, target);
}

// --- The e5 package's file. ---

class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  std::uint64_t offset() const { return offset_; }
  std::uint64_t remaining() const { return bytes_.size() - offset_; }

  Result<std::span<const std::byte>> Take(std::uint64_t count, std::uint64_t each,
                                          std::string_view what) {
    if (count > remaining() / each) {
      return Corrupt(path_, fmt::format("{} needs {} × {} bytes at offset {}, {} are left", what,
                                        count, each, offset_, remaining()));
    }
    const auto taken = bytes_.subspan(offset_, count * each);
    offset_ += count * each;
    return taken;
  }

  template <class T>
  Result<T> Number(std::string_view what) {
    LIUBAI_ASSIGN_OR_RETURN(const auto taken, Take(1, sizeof(T), what));
    T value;
    std::memcpy(&value, taken.data(), sizeof(T));
    return value;
  }

  template <class T>
  Result<std::vector<T>> Numbers(std::uint64_t count, std::string_view what) {
    LIUBAI_ASSIGN_OR_RETURN(const auto taken, Take(count, sizeof(T), what));
    std::vector<T> values(count);
    std::memcpy(values.data(), taken.data(), taken.size());
    return values;
  }

 private:
  std::span<const std::byte> bytes_;
  const std::string& path_;
  std::uint64_t offset_ = 0;
};

constexpr std::string_view kE5Magic = "E5S1";

struct E5Tensor {
  DataType type = DataType::kF32;
  std::uint32_t elements = 0;
  std::span<const std::byte> data;
};

// i32 count and u32 bytes, then count × (u32 code point, u8 n, n × u32). Kept with its count in
// front.
Status ReadNormalizationMap(Cursor& cursor, const std::string& path, Encoder& encoder) {
  LIUBAI_ASSIGN_OR_RETURN(const auto count, cursor.Number<std::int32_t>("normalisation count"));
  LIUBAI_ASSIGN_OR_RETURN(const auto length, cursor.Number<std::uint32_t>("normalisation bytes"));
  const std::uint64_t at = cursor.offset();
  LIUBAI_ASSIGN_OR_RETURN(const auto bytes, cursor.Take(length, 1, "normalisation map"));
  std::size_t place = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    if (bytes.size() - place < 5) {
      return Corrupt(path, fmt::format("the normalisation map ends in entry {} of {} at offset {}",
                                       i, count, at + place));
    }
    const std::size_t entry = 5 + 4 * std::to_integer<std::size_t>(bytes[place + 4]);
    if (bytes.size() - place < entry) {
      return Corrupt(path, fmt::format("the normalisation map ends in entry {} of {} at offset {}",
                                       i, count, at + place));
    }
    place += entry;
  }
  if (count < 0 || place != bytes.size()) {
    return Corrupt(path, fmt::format("the normalisation map has {} entries in {} bytes at offset "
                                     "{}, they take {}",
                                     count, bytes.size(), at, place));
  }
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  encoder.normalization_map.resize(4);
  std::memcpy(encoder.normalization_map.data(), &count, 4);
  encoder.normalization_map.insert(encoder.normalization_map.end(), data, data + bytes.size());
  return Status();
}

Status ReadPieces(Cursor& cursor, const std::string& path, std::int64_t vocabulary,
                  Encoder& encoder) {
  LIUBAI_ASSIGN_OR_RETURN(const auto pieces, cursor.Number<std::int32_t>("piece count"));
  if (pieces < 1 || pieces > vocabulary) {
    return Corrupt(path, fmt::format("piece count is {} at offset {}, must be 1 to {}", pieces,
                                     cursor.offset() - 4, vocabulary));
  }
  const std::pair<std::string_view, std::vector<std::string>> ids[] = {
      {"bos", {"bos_token_id", "cls_token_id"}},
      {"eos", {"eos_token_id", "seperator_token_id"}},
      {"pad", {"padding_token_id"}},
      {"unk", {"unknown_token_id"}}};
  for (const auto& [name, keys] : ids) {
    LIUBAI_ASSIGN_OR_RETURN(const auto id, cursor.Number<std::int32_t>(name));
    if (id < 0 || id >= pieces) {
      return Corrupt(path, fmt::format("{} is {} at offset {}, must be 0 to {}", name, id,
                                       cursor.offset() - 4, pieces - 1));
    }
    for (const std::string& key : keys) encoder.ids[key] = static_cast<std::uint32_t>(id);
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto blob_bytes, cursor.Number<std::uint64_t>("blob length"));
  const auto count = static_cast<std::uint64_t>(pieces);
  LIUBAI_ASSIGN_OR_RETURN(const auto offsets,
                          cursor.Numbers<std::uint32_t>(count + 1, "piece offsets"));
  LIUBAI_ASSIGN_OR_RETURN(encoder.scores, cursor.Numbers<float>(count, "scores"));
  const std::uint64_t blob_at = cursor.offset();
  LIUBAI_ASSIGN_OR_RETURN(const auto blob, cursor.Take(blob_bytes, 1, "piece blob"));
  LIUBAI_RETURN_IF_ERROR(
      CheckFinite(path, "scores", DataType::kF32, std::as_bytes(std::span(encoder.scores))));
  encoder.tokens.reserve(static_cast<std::size_t>(pieces));
  for (std::uint64_t i = 0; i < count; ++i) {
    if (offsets[i] > offsets[i + 1] || offsets[i + 1] > blob.size()) {
      return Corrupt(path, fmt::format("piece {} lies at {} to {} of a blob of {} bytes", i,
                                       offsets[i], offsets[i + 1], blob.size()));
    }
    const std::string_view piece(reinterpret_cast<const char*>(blob.data()) + offsets[i],
                                 offsets[i + 1] - offsets[i]);
    if (piece.empty() || FindInvalidUtf8(piece) != std::string_view::npos) {
      return Corrupt(path, fmt::format("piece {} at offset {} is {}", i, blob_at + offsets[i],
                                       piece.empty() ? "empty" : "not valid UTF-8"));
    }
    encoder.tokens.emplace_back(piece);
    if (piece == "<mask>") encoder.ids["mask_token_id"] = static_cast<std::uint32_t>(i);
  }
  encoder.token_types.assign(encoder.tokens.size(), kNormal);
  for (const auto& [key, id] : encoder.ids) encoder.token_types[id] = kControl;
  encoder.token_types[encoder.ids["unknown_token_id"]] = kUnknown;
  return Status();
}

Status ReadE5Tensors(Cursor& cursor, std::span<const std::byte> file, const std::string& path,
                     std::unordered_map<std::string, E5Tensor>& tensors) {
  LIUBAI_ASSIGN_OR_RETURN(const auto count, cursor.Number<std::int32_t>("tensor count"));
  constexpr std::uint64_t kLeastBytes = 2 + 1 + 4 + 8 + 8;
  if (count < 0 || static_cast<std::uint64_t>(count) > cursor.remaining() / kLeastBytes) {
    return Corrupt(path, fmt::format("tensor count is {} at offset {}, the {} bytes left hold at "
                                     "most {}",
                                     count, cursor.offset() - 4, cursor.remaining(),
                                     cursor.remaining() / kLeastBytes));
  }
  for (std::int32_t i = 0; i < count; ++i) {
    LIUBAI_ASSIGN_OR_RETURN(const auto length, cursor.Number<std::uint16_t>("tensor name length"));
    LIUBAI_ASSIGN_OR_RETURN(const auto bytes, cursor.Take(length, 1, "tensor name"));
    const std::string name =
        RepairUtf8({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    LIUBAI_ASSIGN_OR_RETURN(const auto type, cursor.Number<std::uint8_t>(name));
    LIUBAI_ASSIGN_OR_RETURN(const auto elements, cursor.Number<std::uint32_t>(name));
    LIUBAI_ASSIGN_OR_RETURN(const auto offset, cursor.Number<std::uint64_t>(name));
    LIUBAI_ASSIGN_OR_RETURN(const auto size, cursor.Number<std::uint64_t>(name));
    if (type > 1) {
      return Corrupt(
          path, fmt::format("tensor '{}' has type {}, must be 0 (f32) or 1 (4-bit)", name, type));
    }
    E5Tensor tensor;
    tensor.type = type == 0 ? DataType::kF32 : DataType::kQ4_0;
    tensor.elements = elements;
    if (elements % kernels::GetDataTypeInfo(tensor.type).block_elements != 0 ||
        static_cast<std::uint64_t>(kernels::RowBytes(tensor.type, elements)) != size) {
      return Corrupt(path, fmt::format("tensor '{}' of {} values in {} cannot take {} bytes", name,
                                       elements, kernels::GetDataTypeInfo(tensor.type).name, size));
    }
    if (offset > file.size() || size > file.size() - offset) {
      return Corrupt(path, fmt::format("tensor '{}' needs {} bytes at offset {}, the file has {}",
                                       name, size, offset, file.size()));
    }
    tensor.data = file.subspan(offset, size);
    if (!tensors.emplace(name, tensor).second) {
      return Corrupt(path, fmt::format("duplicate tensor '{}'", name));
    }
  }
  return Status();
}

Status ImportE5(FileSystem& fs, const std::string& path, const std::string& target,
                const ImportOptions& options) {
  LIUBAI_ASSIGN_OR_RETURN(const MappedFile mapped, MappedFile::Open(path));
  const auto file = mapped.bytes();
  Cursor cursor(file, path);
  LIUBAI_ASSIGN_OR_RETURN(const auto magic, cursor.Take(kE5Magic.size(), 1, "magic"));
  if (std::memcmp(magic.data(), kE5Magic.data(), kE5Magic.size()) != 0) {
    return Corrupt(path, "does not begin with 'E5S1'");
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto version, cursor.Number<std::uint32_t>("version"));
  if (version != 1) {
    return Status(StatusCode::kUnimplemented,
                  fmt::format("{}: version {} at offset 4, only 1 is supported", path, version));
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto sizes, cursor.Numbers<std::int32_t>(7, "sizes"));
  Encoder encoder;
  encoder.name = options.name.empty() ? std::filesystem::path(path).stem().string() : options.name;
  encoder.width = sizes[0];
  encoder.layers = sizes[1];
  encoder.heads = sizes[2];
  encoder.feed_forward = sizes[3];
  const std::int64_t vocabulary = sizes[4];
  encoder.positions = sizes[5];
  const std::int64_t types = sizes[6];
  LIUBAI_ASSIGN_OR_RETURN(encoder.epsilon, cursor.Number<float>("epsilon"));
  LIUBAI_RETURN_IF_ERROR(CheckSizes(encoder, path));
  if (vocabulary < 1 || vocabulary > kMaxVocabulary) {
    return Corrupt(path,
                   fmt::format("vocabulary is {}, must be 1 to {}", vocabulary, kMaxVocabulary));
  }
  if (types < 1 || types > 256) {
    return Corrupt(path, fmt::format("token types are {}, must be 1 to 256", types));
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto group, cursor.Number<std::int32_t>("group"));
  if (group != 32) return Corrupt(path, fmt::format("group is {}, must be 32", group));
  encoder.max_tokens = static_cast<std::uint32_t>(std::min<std::int64_t>(512, encoder.positions));
  encoder.query_prefix = "query: ";
  encoder.passage_prefix = "passage: ";
  encoder.tokenizer = "t5";
  LIUBAI_RETURN_IF_ERROR(ReadPieces(cursor, path, vocabulary, encoder));
  LIUBAI_RETURN_IF_ERROR(ReadNormalizationMap(cursor, path, encoder));
  std::unordered_map<std::string, E5Tensor> tensors;
  LIUBAI_RETURN_IF_ERROR(ReadE5Tensors(cursor, file, path, tensors));
  // The matrix may have rows for ids that no piece uses: the list of tokens is made as long, so
  // that both agree. What the matrix really holds bounds it.
  const auto words = tensors.find("emb.word");
  if (words != tensors.end() && words->second.elements == vocabulary * encoder.width) {
    for (auto id = static_cast<std::int64_t>(encoder.tokens.size()); id < vocabulary; ++id) {
      encoder.tokens.push_back(fmt::format("[PAD{}]", id));
      encoder.scores.push_back(-1000.0f);
      encoder.token_types.push_back(kUnused);
    }
  }
  GgufWriter writer;
  SetKeys(encoder, writer);
  for (const Wanted& wanted : WantedTensors(encoder, vocabulary, types)) {
    const auto found = tensors.find(wanted.e5_name);
    if (found == tensors.end()) {
      return Corrupt(path, fmt::format("tensor '{}' is missing", wanted.e5_name));
    }
    const E5Tensor& tensor = found->second;
    const std::int64_t elements = wanted.cols * std::max<std::int64_t>(1, wanted.rows);
    if (tensor.elements != elements) {
      return Corrupt(path, fmt::format("tensor '{}' has {} values, must have {}", wanted.e5_name,
                                       tensor.elements, elements));
    }
    if (wanted.cols % kernels::GetDataTypeInfo(tensor.type).block_elements != 0) {
      return Corrupt(path, fmt::format("tensor '{}' has rows of {} values, not of whole blocks",
                                       wanted.e5_name, wanted.cols));
    }
    LIUBAI_RETURN_IF_ERROR(CheckFinite(path, wanted.e5_name, tensor.type, tensor.data));
    const auto source = [data = tensor.data](const GgufWriter::Sink& sink) { return sink(data); };
    writer.AddTensor(wanted.name, tensor.type, DimsOf(wanted), source);
  }
  return writer.Write(fs, target);
}

}  // namespace

Status ImportModel(FileSystem& fs, const std::string& source, const std::string& target,
                   const ImportOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(source, ignored)) {
    // Without a trailing slash, so that the folder's name is the last part.
    std::filesystem::path folder = std::filesystem::path(source).lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    const std::string file = (folder / "model.safetensors").string();
    if (!fs.Exists(file)) {
      return Status(StatusCode::kNotFound,
                    fmt::format("{}: the folder holds no model.safetensors", source));
    }
    return ImportSafetensors(fs, file, target, options);
  }
  LIUBAI_ASSIGN_OR_RETURN(const auto file, fs.OpenForRead(source));
  std::byte magic[4];
  LIUBAI_ASSIGN_OR_RETURN(const std::size_t got, file->Read(magic));
  const std::string_view begin(reinterpret_cast<const char*>(magic), got);
  if (begin == kE5Magic) return ImportE5(fs, source, target, options);
  if (begin == "GGUF") {
    return Status(StatusCode::kInvalidArgument, fmt::format("{} is a GGUF file already", source));
  }
  if (source.ends_with(".safetensors")) return ImportSafetensors(fs, source, target, options);
  return Status(
      StatusCode::kInvalidArgument,
      fmt::format("{} is neither a folder with model.safetensors nor an E5S1 file", source));
}

}  // namespace liubai::engine
