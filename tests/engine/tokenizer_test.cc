// Tokenizers: small vocabularies written here, and the model files that are installed.
#include "engine/tokenizer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/text.h"
#include "engine/bpe_merge.h"
#include "engine/model_store.h"
#include "engine/pretokenizer.h"
#include "tests/engine/open_tokenizer.h"

namespace liubai::engine {
namespace {

std::string ModelPath(const std::string& file) { return engine::ModelsFolder() + "/" + file; }

constexpr std::int32_t kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kByte = 6;

// A byte-level vocabulary of all printable ASCII, "Ġ" and what a few merges make.
struct SmallBpe {
  std::vector<std::string> tokens;
  std::vector<std::string> merges = {"l l", "h e", "he ll", "hell o", "Ġ hello", "a a", "aa aa"};
  TokenizerData data;

  SmallBpe() {
    for (char c = '!'; c <= '~'; ++c) tokens.emplace_back(1, c);
    tokens.insert(tokens.end(), {"Ġ", "Ċ", "ll", "he", "hell", "hello", "Ġhello", "aa", "aaaa",
                                 "<|im_start|>", "<|im_end|>", "<tool_call>"});
    data.model = "gpt2";
    data.pre = "gpt-2";
    Refresh();
  }
  void Refresh() {
    data.tokens.assign(tokens.begin(), tokens.end());
    data.merges.assign(merges.begin(), merges.end());
    data.token_types.assign(tokens.size(), kNormal);
    data.token_types[tokens.size() - 3] = kControl;
    data.token_types[tokens.size() - 2] = kControl;
    data.token_types[tokens.size() - 1] = kUserDefined;
  }
};

std::vector<std::string> Pieces(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  std::vector<std::string> pieces;
  for (const TokenId id : ids) pieces.emplace_back(tokenizer.TokenText(id));
  return pieces;
}

std::vector<std::string> Words(PreTokenizer kind, std::string_view text) {
  WordScanner scanner(kind, text);
  std::vector<std::string> words;
  for (auto word = scanner.Next(); !word.empty(); word = scanner.Next()) words.emplace_back(word);
  return words;
}

using Strings = std::vector<std::string>;

TEST(PreTokenizerTest, CutsAsTheRegularExpressionsDo) {
  EXPECT_EQ(Words(PreTokenizer::kGpt2, "don't  stop 123!? "),
            (Strings{"don", "'t", " ", " stop", " 123", "!?", " "}));
  EXPECT_EQ(Words(PreTokenizer::kGpt2, "DON'T\n\n x"), (Strings{"DON", "'", "T", "\n\n", " x"}));
  EXPECT_EQ(Words(PreTokenizer::kSmollm, "a 12  b"), (Strings{"a", " ", "1", "2", " ", " b"}));
  EXPECT_EQ(Words(PreTokenizer::kQwen2, "DON'T (x) 12\n \n  y"),
            (Strings{"DON", "'T", " (", "x", ")", " ", "1", "2", "\n \n", " ", " y"}));
  EXPECT_EQ(Words(PreTokenizer::kQwen2, "a;\n\nb"), (Strings{"a", ";\n\n", "b"}));
  EXPECT_EQ(Words(PreTokenizer::kLlamaBpe, "12345"), (Strings{"123", "45"}));
  // Ideographic spaces are white space of three bytes.
  EXPECT_EQ(Words(PreTokenizer::kGpt2, "中\u3000\u3000文"),
            (Strings{"中", "\u3000", "\u3000", "文"}));
}

TEST(BpeMergerTest, HeapAndScanAgree) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  // A random table over 12 ids; merged ids fold back into it.
  std::vector<BpeMerge> table(12 * 12);
  for (auto& merge : table) {
    if (random() % 3 == 0)
      merge = {static_cast<std::uint32_t>(random() % 40), static_cast<TokenId>(random() % 12)};
  }
  const auto lookup = [&](const BpeSymbol& a, const BpeSymbol& b) {
    return table[static_cast<std::size_t>(a.id * 12 + b.id)];
  };
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t count = 41 + random() % 200;
    std::vector<BpeSymbol> plain;
    for (std::uint32_t i = 0; i < count; ++i) {
      plain.push_back({i, 1, static_cast<TokenId>(random() % 12)});
    }
    BpeMerger merger;
    merger.symbols() = plain;
    merger.Run(lookup);
    // The definition, without any cleverness.
    for (;;) {
      std::size_t best = plain.size();
      for (std::size_t i = 0; i + 1 < plain.size(); ++i) {
        const std::uint32_t rank = lookup(plain[i], plain[i + 1]).rank;
        if (rank != BpeMerge::kNone &&
            (best == plain.size() || rank < lookup(plain[best], plain[best + 1]).rank)) {
          best = i;
        }
      }
      if (best == plain.size()) break;
      plain[best].id = lookup(plain[best], plain[best + 1]).id;
      plain[best].length += plain[best + 1].length;
      plain.erase(plain.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
    ASSERT_EQ(merger.symbols().size(), plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      ASSERT_EQ(merger.symbols()[i].begin, plain[i].begin);
      ASSERT_EQ(merger.symbols()[i].id, plain[i].id);
    }
  }
}

TEST(TokenizerTest, MergesByRankAndGivesOffsets) {
  SmallBpe small;
  auto tokenizer = Tokenizer::Create(small.data);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  const EncodedText encoded = (*tokenizer)->EncodeWithOffsets("hello hello aaaaaaa");
  EXPECT_EQ(Pieces(**tokenizer, encoded.ids), (Strings{"hello", " hello", " ", "aaaa", "aa", "a"}));
  EXPECT_EQ(encoded.begin, (std::vector<std::uint32_t>{0, 5, 11, 12, 16, 18}));
  EXPECT_EQ(encoded.end, (std::vector<std::uint32_t>{5, 11, 12, 16, 18, 19}));
  EXPECT_EQ((*tokenizer)->TokenText(-1), "");
  EXPECT_EQ((*tokenizer)->TokenText(100000), "");
}

TEST(TokenizerTest, ControlTokensOnlyWhereAsked) {
  SmallBpe small;
  auto tokenizer = Tokenizer::Create(small.data);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  const std::string text = "<|im_end|><tool_call>hello";
  EXPECT_EQ(Pieces(**tokenizer, (*tokenizer)->Encode(text, {.parse_special = true})),
            (Strings{"<|im_end|>", "<tool_call>", "hello"}));
  const auto plain = (*tokenizer)->Encode(text);
  EXPECT_EQ((*tokenizer)->Decode(plain), text);
  EXPECT_GT(plain.size(), 15u);
  EXPECT_TRUE((*tokenizer)->IsEndOfGeneration((*tokenizer)->FindToken("<|im_end|>")));
  EXPECT_EQ((*tokenizer)->eot(), (*tokenizer)->FindToken("<|im_end|>"));
  EXPECT_EQ(
      (*tokenizer)
          ->Decode((*tokenizer)->Encode(text, {.parse_special = true}), {.skip_control = true}),
      "<tool_call>hello");
}

// A file that calls its control tokens normal does not open a door.
TEST(TokenizerTest, NamesOfControlTokensWinOverTheirType) {
  SmallBpe small;
  small.data.token_types.assign(small.tokens.size(), kNormal);
  auto tokenizer = Tokenizer::Create(small.data);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  for (const TokenId id : (*tokenizer)->Encode("x<|im_end|>")) {
    EXPECT_FALSE((*tokenizer)->IsControl(id));
  }
}

void ExpectRefused(const TokenizerData& data, StatusCode code, std::string_view part) {
  const auto tokenizer = Tokenizer::Create(data);
  ASSERT_FALSE(tokenizer.ok()) << part;
  EXPECT_EQ(tokenizer.status().code(), code) << tokenizer.status().ToString();
  EXPECT_NE(tokenizer.status().message().find(part), std::string::npos)
      << tokenizer.status().ToString();
}

TEST(TokenizerTest, RefusesByName) {
  const auto broken = [](auto change) {
    SmallBpe small;
    change(small);
    return small;
  };
  using enum StatusCode;
  const std::string count = std::to_string(SmallBpe().tokens.size());
  ExpectRefused(broken([](SmallBpe& s) { s.data.model = "rwkv"; }).data, kUnimplemented,
                "'rwkv'; known are gpt2, llama, bert, t5");
  ExpectRefused(broken([](SmallBpe& s) { s.data.pre = "tekken"; }).data, kUnimplemented,
                "'tekken'; known are gpt-2, smollm, qwen2, llama-bpe");
  ExpectRefused(broken([](SmallBpe& s) { s.data.tokens.clear(); }).data, kDataLoss,
                "tokens has 0 entries");
  ExpectRefused(broken([](SmallBpe& s) { s.data.scores = {1.0f}; }).data, kDataLoss,
                "scores has 1 entries for " + count);
  ExpectRefused(broken([](SmallBpe& s) { s.data.token_types.pop_back(); }).data, kDataLoss,
                "entries for " + count);
  ExpectRefused(broken([](SmallBpe& s) { s.data.token_types[3] = 9; }).data, kDataLoss,
                "token 3 is of type 9");
  ExpectRefused(broken([](SmallBpe& s) { s.data.token_types[0] = kByte; }).data, kDataLoss,
                "reads '!', not <0xHH>");
  ExpectRefused(broken([](SmallBpe& s) { s.data.bos = 1 << 20; }).data, kDataLoss,
                "bos_token_id is 1048576; the vocabulary has " + count);
  ExpectRefused(broken([](SmallBpe& s) { s.data.eos = -7; }).data, kDataLoss, "eos_token_id is -7");
  ExpectRefused(broken([](SmallBpe& s) { s.data.merges[2] = "hell"; }).data, kDataLoss,
                "merge 2 is 'hell', not two tokens");
  ExpectRefused(broken([](SmallBpe& s) { s.data.merges[1] = "h Ø"; }).data, kDataLoss,
                "its right side is not in the vocabulary");
  ExpectRefused(broken([](SmallBpe& s) { s.data.merges[1] = "q q"; }).data, kDataLoss,
                "its result is not in the vocabulary");
  // A merge may not spell a control token either.
  ExpectRefused(broken([](SmallBpe& s) {
                  s.tokens.insert(s.tokens.begin(), {"<|im_", "end|>"});
                  s.merges.push_back("<|im_ end|>");
                  s.Refresh();
                }).data,
                kDataLoss, "its result is not in the vocabulary");

  TokenizerData unigram;
  unigram.model = "t5";
  unigram.tokens = {"<unk>", "a"};
  unigram.token_types = {kUnknown, kNormal};
  ExpectRefused(unigram, kDataLoss, "tokenizer.ggml.scores is missing");
  unigram.scores = {0.0f, -1.0f};
  EXPECT_TRUE(Tokenizer::Create(unigram).ok());
  unigram.normalization_map = {1, 0, 0, 0, 65, 0, 0, 0, 1};
  ExpectRefused(unigram, kDataLoss, "normalisation map: truncated");
  unigram.normalization_map = {255, 255, 255, 255};
  ExpectRefused(unigram, kDataLoss, "normalisation map: impossible count");
  unigram.normalization_map.clear();
  unigram.scores[1] = std::numeric_limits<float>::quiet_NaN();
  ExpectRefused(unigram, kDataLoss, "the score of token 1 is nan");
  unigram.scores[1] = 0.0f;
  unigram.token_types[0] = kNormal;
  ExpectRefused(unigram, kDataLoss, "no unknown token");

  TokenizerData bert;
  bert.model = "bert";
  bert.tokens = {"[UNK]", "[CLS]", "a"};
  ExpectRefused(bert, kDataLoss, "the vocabulary has no [SEP] token");
}

TEST(TokenizerTest, DuplicateTokensAreTheFirst) {
  SmallBpe small;
  small.tokens.insert(small.tokens.end() - 3, "hello");
  small.Refresh();
  auto tokenizer = Tokenizer::Create(small.data);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  const auto ids = (*tokenizer)->Encode("hello");
  ASSERT_EQ(ids.size(), 1u);
  EXPECT_EQ(small.tokens[static_cast<std::size_t>(ids[0])], "hello");
  EXPECT_LT(ids[0], static_cast<TokenId>(small.tokens.size()) - 6);
}

TEST(TokenizerTest, SentencePieceFallsBackToBytes) {
  std::vector<std::string> tokens = {"<unk>", "<s>", "▁", "a", "b", "▁a", "ab", "▁ab"};
  std::vector<std::int32_t> types = {kUnknown, kControl, kNormal, kNormal,
                                     kNormal,  kNormal,  kNormal, kNormal};
  std::vector<float> scores = {0, 0, -9, -8, -7, -2, -1, -3};
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", byte);
    tokens.emplace_back(name);
    types.push_back(kByte);
    scores.push_back(0);
  }
  TokenizerData data;
  data.model = "llama";
  data.tokens.assign(tokens.begin(), tokens.end());
  data.token_types = types;
  data.scores = scores;
  data.bos = 1;
  auto tokenizer = Tokenizer::Create(data);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  // "ab" has the better score, then joins the space; the accent is spelled in bytes.
  EXPECT_EQ(Pieces(**tokenizer, (*tokenizer)->Encode("ab abé", {.add_special = true})),
            (Strings{"<s>", " ab", " ab", "\xc3", "\xa9"}));
  // What looks like a byte token is text.
  EXPECT_EQ((*tokenizer)->Decode((*tokenizer)->Encode("<0x41>")), " <0x41>");
  const EncodedText encoded = (*tokenizer)->EncodeWithOffsets("ab▁ab");
  EXPECT_EQ(encoded.begin, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(encoded.end, (std::vector<std::uint32_t>{2, 7}));
}

TEST(TokenizerTest, WordPieceOffsetsAreOfTheTextAsGiven) {
  const std::vector<std::string> tokens = {"[UNK]", "[CLS]", "[SEP]", "cafe", "##s", "!", "中"};
  TokenizerData data;
  data.model = "bert";
  data.tokens.assign(tokens.begin(), tokens.end());
  auto tokenizer = Tokenizer::Create(data);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  const EncodedText encoded =
      (*tokenizer)->EncodeWithOffsets("  CAFÉs!中 [CLS]", {.add_special = true});
  EXPECT_EQ(encoded.ids, (std::vector<TokenId>{1, 3, 4, 5, 6, 0, 0, 0, 2}));
  EXPECT_EQ(encoded.begin, (std::vector<std::uint32_t>{0, 2, 7, 8, 9, 13, 14, 17, 18}));
  EXPECT_EQ(encoded.end, (std::vector<std::uint32_t>{0, 7, 8, 9, 12, 14, 17, 18, 18}));
}

// Every installed model, by its file.
class InstalledModelTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string path = ModelPath(GetParam());
    if (!std::ifstream(path)) GTEST_SKIP() << "model file " << path << " is not there";
    ASSERT_NO_FATAL_FAILURE(OpenTokenizer(path, &tokenizer_));
    lossless_ = tokenizer_->model() == "gpt2" || tokenizer_->model() == "llama";
  }
  std::unique_ptr<Tokenizer> tokenizer_;
  bool lossless_ = false;
};

TEST_P(InstalledModelTest, GoldenIds) {
  const std::string name(GetParam());
  if (lossless_) {
    std::string stem = name.substr(0, name.size() - 5);
    for (char& c : stem) c = c == '.' && stem.starts_with("Smol") ? '-' : c;
    if (stem.starts_with("Smol")) stem = ToLowerUtf8(stem);
    const auto golden = nlohmann::json::parse(
        std::ifstream(LIUBAI_SOURCE_DIR "/tests/golden/tokens-" + stem + ".json"));
    for (const auto& item : golden["strings"]) {
      const auto text = item["text"].get<std::string>();
      const auto ids = tokenizer_->Encode(text, {.parse_special = true});
      EXPECT_EQ(ids, item["ids"].get<std::vector<TokenId>>()) << text;
      EXPECT_EQ(tokenizer_->Decode(ids), text);
    }
    return;
  }
  const std::string stem =
      name.substr(0, name.find(name.find("-f16.") < name.size() ? "-f16." : ".gguf"));
  const auto golden = nlohmann::json::parse(
      std::ifstream(LIUBAI_SOURCE_DIR "/tests/golden/embed-" + stem + ".json"));
  const std::size_t limit = tokenizer_->model() == "bert" ? 256 : 512;
  for (const auto& item : golden["items"]) {
    const auto text = item.value("prefix", "") + item["text"].get<std::string>();
    auto ids = tokenizer_->Encode(text, {.add_special = true, .parse_special = true});
    if (ids.size() > limit) {
      ids[limit - 1] = ids.back();
      ids.resize(limit);
    }
    EXPECT_EQ(ids, item["ids"].get<std::vector<TokenId>>()) << text;
  }
}

TEST_P(InstalledModelTest, AnyBytesGiveTokensAndNeverControlTokens) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const std::vector<std::string> parts = {"<|im_end|>",
                                          "<|im_start|>",
                                          "<tool_call>",
                                          "<start_of_turn>",
                                          "<end_of_turn>",
                                          "<bos>",
                                          "<eos>",
                                          "<|endoftext|>",
                                          "<s>",
                                          "</s>",
                                          "[CLS]",
                                          "[SEP]",
                                          "[MASK]",
                                          "<unk>",
                                          "<mask>",
                                          "<pad>",
                                          "[PAD]",
                                          "<0x0A>",
                                          "▁",
                                          "中文",
                                          " ",
                                          "\n\n",
                                          "\xff",
                                          "\xe4\xb8"};
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (unsigned n = random() % 40; n > 0; --n) {
      if (random() % 2 == 0) {
        text += parts[random() % parts.size()];
      } else {
        text.push_back(static_cast<char>(random() % 256));
      }
    }
    const EncodedText encoded = tokenizer_->EncodeWithOffsets(text);
    ASSERT_EQ(encoded.ids, tokenizer_->Encode(text));
    ASSERT_EQ(encoded.ids, tokenizer_->Encode(RepairUtf8(text)));
    ASSERT_EQ(encoded.begin.size(), encoded.ids.size());
    for (std::size_t i = 0; i < encoded.ids.size(); ++i) {
      ASSERT_FALSE(tokenizer_->IsControl(encoded.ids[i])) << tokenizer_->TokenText(encoded.ids[i]);
      ASSERT_NE(tokenizer_->TokenText(encoded.ids[i]), "<tool_call>");
      ASSERT_LE(encoded.begin[i], encoded.end[i]);
      ASSERT_LE(encoded.end[i], text.size());
    }
    const auto parsed = tokenizer_->Encode(text, {.add_special = true, .parse_special = true});
    for (const TokenId id : parsed) ASSERT_LT(id, tokenizer_->vocab_size());
    // Models whose vocabulary lacks bytes leave them out.
    if (tokenizer_->model() == "llama" || std::string_view(GetParam()).starts_with("qwen")) {
      ASSERT_EQ(RepairUtf8(tokenizer_->Decode(encoded.ids)).find('\xff'), std::string::npos);
    }
  }
}

TEST_P(InstalledModelTest, LongTextsTakeSeconds) {
  std::string sentences;
  for (int i = 0; sentences.size() < 5'000'000; ++i) {
    sentences += "On day " + std::to_string(i) + ", Jun sold the spare key; it cost $" +
                 std::to_string(i * 37 % 9973) + ". 场地押金是" + std::to_string(i) + "元。\n";
  }
  std::mt19937 random(7);
  std::string word, chinese;
  while (word.size() < 1'000'000) word.push_back(static_cast<char>('a' + random() % 26));
  while (chinese.size() < 1'000'000)
    AppendUtf8(0x4e00 + static_cast<int>(random() % 5000), chinese);
  const std::string same(1'000'000, 'a'), spaces(1'000'000, ' '), newlines(1'000'000, '\n');
  const auto measure = [&](const char* what, const std::string& text) {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<TokenId> ids = tokenizer_->Encode(text);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%-40s %-12s %8.1f MB/s %8zu tokens\n", GetParam(), what,
                static_cast<double>(text.size()) / 1e6 / seconds, ids.size());
    EXPECT_LT(seconds, 20.0) << what;
    if (lossless_) {
      EXPECT_EQ(tokenizer_->Decode(ids), text) << what;
    }
  };
  measure("sentences", sentences);
  measure("word", word);
  measure("chinese", chinese);
  measure("same", same);
  measure("spaces", spaces);
  measure("newlines", newlines);
}

INSTANTIATE_TEST_SUITE_P(Models, InstalledModelTest,
                         ::testing::Values("SmolLM2-135M-Instruct.Q4_1.gguf",
                                           "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
                                           "gemma-3-270m-q4_k_m.gguf", "all-minilm-l6-v2-f16.gguf",
                                           "multilingual-e5-small.gguf"),
                         [](const auto& info) {
                           std::string name(info.param);
                           std::erase_if(name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });

}  // namespace
}  // namespace liubai::engine
