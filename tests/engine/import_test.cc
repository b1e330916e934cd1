// Small encoders made here are imported and read back; every malformed source is refused by name;
// the two real encoders are checked by their tokens where their files are there.
#include "engine/import.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>

#include "engine/gguf.h"
#include "engine/model_store.h"
#include "engine/tokenizer.h"
#include "kernels/dequantize.h"
#include "nlohmann/json.hpp"

namespace liubai::engine {
namespace {

using Json = nlohmann::ordered_json;
using kernels::DataType;

constexpr int kWidth = 384, kFeedForward = 64, kPositions = 16;
const std::vector<std::string> kPieces = {"[PAD]", "[unused0]", "[UNK]", "[CLS]",
                                          "[SEP]", "[MASK]",    "play",  "##ing"};

class ImportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "liubai-import-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    target_ = folder_ + "/out.gguf";
    source_ = folder_ + "/tiny-bert";
    std::filesystem::create_directories(source_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Put(const std::string& path, std::string_view bytes) {
    auto file = PosixFileSystem().OpenForWrite(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->Write(std::as_bytes(std::span(bytes))).ok());
  }

  // Refused in words that hold `part`, and no target is left.
  void ExpectRefused(const std::string& source, std::string_view part,
                     StatusCode code = StatusCode::kDataLoss) {
    const Status status = ImportModel(PosixFileSystem(), source, target_);
    EXPECT_EQ(status.code(), code) << status.ToString();
    EXPECT_NE(status.message().find(part), std::string::npos)
        << "no \"" << part << "\" in: " << status.message();
    EXPECT_FALSE(PosixFileSystem().Exists(target_));
  }

  std::string folder_, source_, target_;
};

template <class T>
void Append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

struct SafetensorsFile {
  Json header = Json::object();
  std::string data;

  std::string Bytes() const {
    const std::string text = header.dump();
    std::string out;
    Append(out, static_cast<std::uint64_t>(text.size()));
    return out + text + data;
  }
};

// A BERT of one layer with random weights.
SafetensorsFile TinyBert() {
  SafetensorsFile file;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  const auto add = [&](const std::string& name, std::vector<int> shape) {
    std::int64_t count = 1;
    for (const int dim : shape) count *= dim;
    const std::size_t begin = file.data.size();
    for (std::int64_t i = 0; i < count; ++i) Append(file.data, normal(random));
    file.header[name] = {
        {"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, file.data.size()}}};
  };
  const auto linear = [&](const std::string& name, int rows, int cols) {
    add(name + ".weight", {rows, cols});
    add(name + ".bias", {rows});
  };
  const auto norm = [&](const std::string& name) {
    add(name + ".weight", {kWidth});
    add(name + ".bias", {kWidth});
  };
  file.header["__metadata__"] = {{"format", "pt"}};
  add("embeddings.word_embeddings.weight", {static_cast<int>(kPieces.size()), kWidth});
  add("embeddings.position_embeddings.weight", {kPositions, kWidth});
  add("embeddings.token_type_embeddings.weight", {2, kWidth});
  norm("embeddings.LayerNorm");
  const std::string layer = "encoder.layer.0.";
  for (const char* part : {"query", "key", "value"}) {
    linear(layer + "attention.self." + part, kWidth, kWidth);
  }
  linear(layer + "attention.output.dense", kWidth, kWidth);
  norm(layer + "attention.output.LayerNorm");
  linear(layer + "intermediate.dense", kFeedForward, kWidth);
  linear(layer + "output.dense", kWidth, kFeedForward);
  norm(layer + "output.LayerNorm");
  return file;
}

std::string Vocabulary() {
  std::string text;
  for (const std::string& piece : kPieces) text += piece + "\n";
  return text;
}

TEST_F(ImportTest, SafetensorsBecomeGguf) {
  const SafetensorsFile bert = TinyBert();
  Put(source_ + "/model.safetensors", bert.Bytes());
  Put(source_ + "/vocab.txt", Vocabulary());
  ASSERT_TRUE(
      ImportModel(PosixFileSystem(), source_ + "/", target_, {.matrix_type = DataType::kQ8_0})
          .ok());
  const auto file = GgufFile::Open(target_);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(*file->GetString("general.architecture"), "bert");
  EXPECT_EQ(*file->GetString("general.name"), "tiny-bert");
  EXPECT_EQ(*file->GetU32("bert.block_count"), 1u);
  EXPECT_EQ(*file->GetU32("bert.context_length"), 16u);
  EXPECT_EQ(*file->GetU32("bert.embedding_length"), 384u);
  EXPECT_EQ(*file->GetU32("bert.feed_forward_length"), 64u);
  EXPECT_EQ(*file->GetU32("bert.attention.head_count"), 12u);
  EXPECT_EQ(*file->GetF32("bert.attention.layer_norm_epsilon"), 1e-12f);
  EXPECT_FALSE(*file->GetBool("bert.attention.causal"));
  EXPECT_EQ(*file->GetU32("bert.pooling_type"), 1u);
  EXPECT_EQ(*file->GetU32("liubai.embedder.max_tokens"), 16u);
  EXPECT_EQ(*file->GetString("liubai.embedder.query_prefix"), "");
  EXPECT_EQ(*file->GetU32("tokenizer.ggml.cls_token_id"), 3u);
  EXPECT_EQ(*file->GetU32("tokenizer.ggml.seperator_token_id"), 4u);
  EXPECT_EQ(*file->GetI32Array("tokenizer.ggml.token_type"),
            (std::vector<std::int32_t>{3, 5, 2, 3, 3, 3, 1, 1}));
  const auto tokens = *file->GetStringArray("tokenizer.ggml.tokens");
  EXPECT_EQ(tokens[6], "\xe2\x96\x81play");
  EXPECT_EQ(tokens[7], "ing");
  EXPECT_EQ(file->tensors().size(), 5u + 16u);
  const GgufTensor* up = file->FindTensor("blk.0.ffn_up.weight");
  ASSERT_NE(up, nullptr);
  EXPECT_EQ(up->type, DataType::kQ8_0);
  EXPECT_EQ(up->ShapeString(), "[384, 64]");
  // The right values in the right place: row 5 of the matrix, within half a step of 8 bits.
  const auto& entry = bert.header["encoder.layer.0.intermediate.dense.weight"];
  std::vector<float> want(kWidth), got(kWidth);
  std::memcpy(want.data(),
              bert.data.data() + entry["data_offsets"][0].get<std::size_t>() + 5 * kWidth * 4,
              kWidth * 4);
  kernels::DequantizeRow(up->type, up->row(5).data(), got.data(), kWidth);
  for (int i = 0; i < kWidth; ++i) EXPECT_NEAR(got[i], want[i], 5.0f / 127) << i;
  const GgufTensor* bias = file->FindTensor("blk.0.layer_output_norm.bias");
  ASSERT_NE(bias, nullptr);
  EXPECT_EQ(bias->type, DataType::kF32);
  EXPECT_EQ(
      std::memcmp(bias->data.data(), bert.data.data() + bert.data.size() - kWidth * 4, kWidth * 4),
      0);
}

TEST_F(ImportTest, MatrixTypeAndNameAreOptions) {
  Put(source_ + "/model.safetensors", TinyBert().Bytes());
  Put(source_ + "/vocab.txt", Vocabulary());
  ImportOptions options;
  options.name = "named";
  // By default the weights lose as little as half the bytes allow.
  ASSERT_TRUE(ImportModel(PosixFileSystem(), source_, target_, options).ok());
  const auto file = GgufFile::Open(target_);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->FindTensor("blk.0.attn_q.weight")->type, DataType::kF16);
  EXPECT_EQ(*file->GetString("general.name"), "named");
  options.matrix_type = DataType::kF32;
  ASSERT_TRUE(ImportModel(PosixFileSystem(), source_, target_, options).ok());
  EXPECT_EQ(GgufFile::Open(target_)->FindTensor("blk.0.attn_q.weight")->type, DataType::kF32);
  options.matrix_type = DataType::kQ4_K;
  EXPECT_EQ(ImportModel(PosixFileSystem(), source_, target_, options).code(),
            StatusCode::kInvalidArgument);
}

TEST_F(ImportTest, RefusesMalformedSafetensors) {
  const std::string path = source_ + "/model.safetensors";
  Put(source_ + "/vocab.txt", Vocabulary());
  const SafetensorsFile good = TinyBert();
  const auto broken = [&](const std::function<void(SafetensorsFile&)>& damage,
                          std::string_view part, StatusCode code = StatusCode::kDataLoss) {
    SafetensorsFile file = good;
    damage(file);
    Put(path, file.Bytes());
    ExpectRefused(source_, part, code);
  };
  const std::string words = "embeddings.word_embeddings.weight";
  Put(path, "tiny");
  ExpectRefused(source_, "4 bytes");
  Put(path, std::string(8, '\xff') + "{}");
  ExpectRefused(source_, "18446744073709551615");
  Put(path, std::string("\x02\0\0\0\0\0\0\0[]", 10));
  ExpectRefused(source_, "no JSON object");
  Put(path, std::string_view(good.Bytes()).substr(0, 200));
  ExpectRefused(source_, "header has length");
  Put(path, std::string_view(good.Bytes()).substr(0, good.Bytes().size() - 1));
  ExpectRefused(source_, "lies at data offsets");
  broken([&](auto& f) { f.header[words]["data_offsets"] = {100, 50}; }, "lies at data offsets");
  broken([&](auto& f) { f.header[words]["data_offsets"] = {-1, 50}; }, "none negative");
  broken([&](auto& f) { f.header[words]["data_offsets"] = {0, 4}; }, "span 4");
  broken([&](auto& f) { f.header[words]["shape"] = {1ull << 62, 4}; }, "larger than the file");
  broken([&](auto& f) { f.header[words]["shape"] = {1ull << 63, 1ull << 63}; }, "larger than");
  broken([&](auto& f) { f.header[words]["shape"] = "wide"; }, "needs a dtype");
  broken([&](auto& f) { f.header[words] = 7; }, "is no JSON object");
  broken([&](auto& f) { f.header.erase(words); }, words);
  broken([&](auto& f) { f.header[words]["dtype"] = "I64"; }, words);
  broken([&](auto& f) { f.header.erase("encoder.layer.0.output.dense.bias"); },
         "'encoder.layer.0.output.dense.bias' is missing");
  broken(
      [&](auto& f) {
        f.header["embeddings.LayerNorm.bias"]["shape"] = {2, kWidth / 2};
      },
      "must have [384]");
  broken(
      [](auto& f) {
        const float nan = std::nanf("");
        std::memcpy(f.data.data() + f.data.size() - 4, &nan, 4);
      },
      "NaN", StatusCode::kNumericError);
}

TEST_F(ImportTest, RefusesFoldersAndVocabulariesThatDoNotFit) {
  ExpectRefused(source_, "no model.safetensors", StatusCode::kNotFound);
  ExpectRefused(folder_ + "/none", "none", StatusCode::kNotFound);
  Put(source_ + "/model.safetensors", TinyBert().Bytes());
  ExpectRefused(source_, "vocab.txt", StatusCode::kNotFound);
  Put(source_ + "/vocab.txt", Vocabulary() + "more\n");
  ExpectRefused(source_, "9 pieces for 8 rows");
  Put(source_ + "/vocab.txt", Vocabulary() + "play\n");
  ExpectRefused(source_, "repeats 'play'");
  Put(source_ + "/vocab.txt", "[PAD]\n[UNK]\n[CLS]\na\nb\nc\nd\ne\n");
  ExpectRefused(source_, "[SEP] is missing");
  Put(source_ + "/vocab.txt", Vocabulary());
  Put(source_ + "/config.json", R"({"hidden_act": "relu"})");
  ExpectRefused(source_, "hidden_act", StatusCode::kUnimplemented);
  Put(source_ + "/config.json", R"({"num_attention_heads": 7})");
  ExpectRefused(source_, "7 heads");
  Put(source_ + "/config.json", R"({"num_hidden_layers": 2})");
  ExpectRefused(source_, "num_hidden_layers is 2");
  Put(source_ + "/config.json", "[");
  ExpectRefused(source_, "config.json");
  Put(folder_ + "/text", "only text");
  ExpectRefused(folder_ + "/text", "neither", StatusCode::kInvalidArgument);
}

// An e5 file of one layer of width 32, its places noted so that a test can damage them.
struct E5File {
  std::string bytes;
  std::size_t pieces_at = 0, blob_length_at = 0, offsets_at = 0, map_at = 0, tensors_at = 0;

  static E5File Make() {
    E5File file;
    std::string& out = file.bytes;
    out = "E5S1";
    Append(out, std::uint32_t{1});
    for (const std::int32_t size : {32, 1, 2, 64, 8, 4, 2}) Append(out, size);
    Append(out, 1e-12f);
    Append(out, std::int32_t{32});
    const std::vector<std::string> pieces = {"<s>",
                                             "<pad>",
                                             "</s>",
                                             "<unk>",
                                             "\xe2\x96\x81"
                                             "a",
                                             "<mask>"};
    file.pieces_at = out.size();
    Append(out, static_cast<std::int32_t>(pieces.size()));
    for (const std::int32_t id : {0, 2, 1, 3}) Append(out, id);
    std::string blob;
    for (const std::string& piece : pieces) blob += piece;
    file.blob_length_at = out.size();
    Append(out, static_cast<std::uint64_t>(blob.size()));
    file.offsets_at = out.size();
    std::uint32_t offset = 0;
    Append(out, offset);
    for (const std::string& piece : pieces) {
      Append(out, offset += static_cast<std::uint32_t>(piece.size()));
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) Append(out, -static_cast<float>(i));
    out += blob;
    file.map_at = out.size();
    Append(out, std::int32_t{1});
    Append(out, std::uint32_t{9});
    Append(out, std::uint32_t{0xff21});  // Full-width A.
    out.push_back(1);
    Append(out, std::uint32_t{'A'});
    file.AddTensors();
    return file;
  }

  void AddTensors() {
    struct Tensor {
      std::string name;
      std::uint8_t type;
      std::uint32_t elements;
    };
    std::vector<Tensor> tensors = {{"emb.word", 1, 8 * 32},
                                   {"emb.pos", 0, 4 * 32},
                                   {"emb.type", 0, 2 * 32},
                                   {"emb.ln.w", 0, 32},
                                   {"emb.ln.b", 0, 32}};
    for (const char* part : {"q", "k", "v", "ao", "fi", "fo"}) {
      const bool wide = part[0] == 'f';
      const std::string name = std::string("l0.") + part;
      tensors.push_back({name + ".w", 1, (wide ? 64u : 32u) * 32u});
      tensors.push_back({name + ".b", 0, std::string(part) == "fi" ? 64u : 32u});
    }
    for (const char* part : {"aln", "oln"}) {
      tensors.push_back({std::string("l0.") + part + ".w", 0, 32});
      tensors.push_back({std::string("l0.") + part + ".b", 0, 32});
    }
    tensors_at = bytes.size();
    Append(bytes, static_cast<std::int32_t>(tensors.size()));
    std::size_t place = bytes.size();
    for (const Tensor& tensor : tensors) place += 2 + tensor.name.size() + 1 + 4 + 8 + 8;
    std::string data;
    for (const Tensor& tensor : tensors) {
      const std::uint64_t size = tensor.type == 0 ? tensor.elements * 4 : tensor.elements / 32 * 18;
      Append(bytes, static_cast<std::uint16_t>(tensor.name.size()));
      bytes += tensor.name;
      Append(bytes, tensor.type);
      Append(bytes, tensor.elements);
      Append(bytes, static_cast<std::uint64_t>(place + data.size()));
      Append(bytes, size);
      for (std::uint64_t i = 0; i < size; ++i) data.push_back(static_cast<char>(i % 60));
    }
    bytes += data;
  }

  template <class T>
  E5File& Set(std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof(T));
    return *this;
  }
};

TEST_F(ImportTest, E5BecomesGgufWithItsMatricesByteForByte) {
  const E5File e5 = E5File::Make();
  const std::string path = folder_ + "/e5.bin";
  Put(path, e5.bytes);
  const Status status = ImportModel(PosixFileSystem(), path, target_);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const auto file = GgufFile::Open(target_);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(*file->GetString("tokenizer.ggml.model"), "t5");
  EXPECT_EQ(*file->GetString("liubai.embedder.query_prefix"), "query: ");
  EXPECT_EQ(*file->GetString("liubai.embedder.passage_prefix"), "passage: ");
  EXPECT_EQ(*file->GetU32("tokenizer.ggml.bos_token_id"), 0u);
  EXPECT_EQ(*file->GetU32("tokenizer.ggml.eos_token_id"), 2u);
  EXPECT_EQ(*file->GetU32("tokenizer.ggml.padding_token_id"), 1u);
  EXPECT_EQ(*file->GetU32("tokenizer.ggml.unknown_token_id"), 3u);
  EXPECT_EQ(*file->GetU32("tokenizer.ggml.mask_token_id"), 5u);
  EXPECT_EQ(file->GetStringArray("tokenizer.ggml.tokens")->size(), 8u);  // As the matrix has rows.
  EXPECT_EQ(file->GetF32Array("tokenizer.ggml.scores")->size(), 8u);
  EXPECT_EQ(*file->GetI32Array("tokenizer.ggml.token_type"),
            (std::vector<std::int32_t>{3, 3, 3, 2, 1, 3, 5, 5}));
  EXPECT_EQ(*file->GetU8Array("liubai.tokenizer.normalization_map"),
            (std::vector<std::uint8_t>{1, 0, 0, 0, 0x21, 0xff, 0, 0, 1, 'A', 0, 0, 0}));
  const GgufTensor* down = file->FindTensor("blk.0.ffn_down.weight");
  ASSERT_NE(down, nullptr);
  EXPECT_EQ(down->type, DataType::kQ4_0);
  EXPECT_EQ(down->ShapeString(), "[64, 32]");
  for (std::size_t i = 0; i < down->data.size(); ++i) {
    ASSERT_EQ(std::to_integer<int>(down->data[i]), static_cast<int>(i % 60));
  }
}

TEST_F(ImportTest, RefusesMalformedE5) {
  const std::string path = folder_ + "/e5.bin";
  const E5File good = E5File::Make();
  const auto broken = [&](E5File file, std::string_view part,
                          StatusCode code = StatusCode::kDataLoss) {
    Put(path, file.bytes);
    ExpectRefused(path, part, code);
  };
  broken(E5File(good).Set(4, std::uint32_t{2}), "version 2", StatusCode::kUnimplemented);
  broken(E5File(good).Set(8, std::int32_t{0}), "width is 0");
  broken(E5File(good).Set(12, std::int32_t{-1}), "layers is -1");
  broken(E5File(good).Set(12, std::int32_t{1 << 30}), "layers is 1073741824");
  broken(E5File(good).Set(16, std::int32_t{5}), "5 heads");
  broken(E5File(good).Set(24, std::int32_t{1 << 30}), "vocabulary is 1073741824");
  broken(E5File(good).Set(24, std::int32_t{1 << 23}), "'emb.word' has 256 values");
  broken(E5File(good).Set(36, std::nanf("")), "epsilon");
  broken(E5File(good).Set(40, std::int32_t{64}), "group is 64");
  broken(E5File(good).Set(good.pieces_at, std::int32_t{9}), "piece count is 9");
  broken(E5File(good).Set(good.pieces_at + 4, std::int32_t{6}), "bos is 6");
  broken(E5File(good).Set(good.blob_length_at, ~std::uint64_t{0}), "piece blob");
  broken(E5File(good).Set(good.offsets_at + 4, std::uint32_t{9}), "piece 1 lies at 9 to 8");
  broken(E5File(good).Set(good.offsets_at + 4, std::uint32_t{0}), "piece 0");
  broken(E5File(good).Set(good.map_at, std::int32_t{2}), "normalisation map ends in entry 1");
  broken(E5File(good).Set(good.map_at, std::int32_t{0}), "normalisation map has 0 entries");
  broken(E5File(good).Set(good.map_at + 4, std::uint32_t{1} << 30), "normalisation map");
  broken(E5File(good).Set(good.tensors_at, std::int32_t{1 << 30}), "tensor count is 1073741824");
  broken(E5File(good).Set(good.tensors_at, std::int32_t{-1}), "tensor count is -1");
  broken(E5File(good).Set(good.tensors_at, std::int32_t{3}), "'emb.ln.w' is missing");
  const std::size_t word = good.tensors_at + 4 + 2 + 8;  // After the name of the first tensor.
  broken(E5File(good).Set(word, std::uint8_t{2}), "has type 2");
  broken(E5File(good).Set(word + 1, std::uint32_t{33}), "33 values");
  broken(E5File(good).Set(word + 5, ~std::uint64_t{0} - 10), "needs 144 bytes at offset");
  broken(E5File(good).Set(word + 13, std::uint64_t{1}), "cannot take 1 bytes");
  for (std::size_t length = 4; length < good.bytes.size(); length += 7) {
    Put(path, std::string_view(good.bytes).substr(0, length));
    const Status status = ImportModel(PosixFileSystem(), path, target_);
    ASSERT_EQ(status.code(), StatusCode::kDataLoss) << length << " " << status.ToString();
  }
}

TEST_F(ImportTest, SurvivesRandomDamage) {
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  const std::string e5 = E5File::Make().bytes;
  const std::string path = folder_ + "/e5.bin";
  const std::string bert = TinyBert().Bytes();
  Put(source_ + "/vocab.txt", Vocabulary());
  for (int round = 0; round < 300; ++round) {
    std::string bytes = e5;
    bytes[random() % 700] = static_cast<char>(random());
    Put(path, bytes);
    (void)ImportModel(PosixFileSystem(), path, target_).ok();
    if (round % 10 != 0) continue;
    bytes = bert;
    bytes[random() % 2000] = static_cast<char>(random());
    Put(source_ + "/model.safetensors", bytes);
    (void)ImportModel(PosixFileSystem(), source_, target_).ok();
  }
}

// The tokens of the golden texts, by the tokenizer built from the imported file.
void ExpectGoldenTokens(const std::string& model, const std::string& file_name) {
  const std::string path = ModelsFolder() + "/" + file_name;
  if (!PosixFileSystem().Exists(path)) GTEST_SKIP() << path << " is not there";
  const auto file = GgufFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  const auto data = LoadTokenizerData(*file);
  ASSERT_TRUE(data.ok()) << data.status().ToString();
  const auto tokenizer = Tokenizer::Create(*data);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  const auto text = ReadFile(
      PosixFileSystem(), std::string(LIUBAI_SOURCE_DIR) + "/tests/golden/embed-" + model + ".json");
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  const std::uint32_t limit = *file->GetU32("liubai.embedder.max_tokens");
  int checked = 0, differences = 0;
  std::string different;
  const Json golden = Json::parse(*text);
  for (const auto& item : golden["items"]) {
    const auto ids = item["ids"].get<std::vector<TokenId>>();
    const std::string input = item.value("prefix", "") + item["text"].get<std::string>();
    EncodeOptions options;
    options.add_special = true;
    options.parse_special = true;
    const auto got = (*tokenizer)->Encode(input, options);
    if (got.size() > limit) continue;  // The golden text was cut at the model's limit.
    ++checked;
    if (got != ids) different += input + "\n", ++differences;
  }
  EXPECT_GT(checked, 40);
  // What is tested here is the imported vocabulary; the tokenizer's own tests hold it to every
  // text.
  EXPECT_LE(differences, 1) << different;
}

TEST(ImportedModelTest, MiniLmTokens) {
  ExpectGoldenTokens("all-minilm-l6-v2", "all-minilm-l6-v2-f16.gguf");
}

TEST(ImportedModelTest, E5Tokens) {
  ExpectGoldenTokens("multilingual-e5-small", "multilingual-e5-small.gguf");
}

}  // namespace
}  // namespace liubai::engine
