// What a GGUF file says about its tokenizer.
#include "core/macros.h"
#include "engine/gguf.h"
#include "engine/tokenizer.h"
#include "fmt/format.h"

namespace liubai::engine {

Result<TokenizerData> LoadTokenizerData(const GgufFile& file) {
  TokenizerData data;
  const auto key = [](std::string_view name) { return fmt::format("tokenizer.ggml.{}", name); };
  LIUBAI_ASSIGN_OR_RETURN(const auto model, file.GetString(key("model")));
  LIUBAI_ASSIGN_OR_RETURN(const auto pre, file.GetStringOr(key("pre"), ""));
  data.model = std::string(model);
  data.pre = std::string(pre);
  LIUBAI_ASSIGN_OR_RETURN(const auto tokens, file.GetStringArray(key("tokens")));
  data.tokens.assign(tokens.begin(), tokens.end());
  if (file.Find(key("scores")) != nullptr) {
    LIUBAI_ASSIGN_OR_RETURN(data.scores, file.GetF32Array(key("scores")));
  }
  if (file.Find(key("token_type")) != nullptr) {
    LIUBAI_ASSIGN_OR_RETURN(data.token_types, file.GetI32Array(key("token_type")));
  }
  if (file.Find(key("merges")) != nullptr) {
    LIUBAI_ASSIGN_OR_RETURN(const auto merges, file.GetStringArray(key("merges")));
    data.merges.assign(merges.begin(), merges.end());
  }
  const struct {
    std::string_view name;
    TokenId* id;
  } ids[] = {{"bos_token_id", &data.bos},       {"eos_token_id", &data.eos},
             {"eot_token_id", &data.eot},       {"unknown_token_id", &data.unk},
             {"padding_token_id", &data.pad},   {"cls_token_id", &data.cls},
             {"seperator_token_id", &data.sep},  // Spelt so in the format.
             {"mask_token_id", &data.mask}};
  for (const auto& [name, id] : ids) {
    LIUBAI_ASSIGN_OR_RETURN(const auto value, file.GetI64Or(key(name), kNoToken));
    if (value < kNoToken || value >= static_cast<std::int64_t>(data.tokens.size())) {
      return Status(StatusCode::kDataLoss, fmt::format("{} is {}; the vocabulary has {} tokens",
                                                       key(name), value, data.tokens.size()));
    }
    *id = static_cast<TokenId>(value);
  }
  const struct {
    std::string_view name;
    std::optional<bool>* flag;
  } flags[] = {{"add_bos_token", &data.add_bos},
               {"add_eos_token", &data.add_eos},
               {"add_space_prefix", &data.add_space_prefix}};
  for (const auto& [name, flag] : flags) {
    if (file.Find(key(name)) == nullptr) continue;
    LIUBAI_ASSIGN_OR_RETURN(*flag, file.GetBool(key(name)));
  }
  if (file.Find("liubai.tokenizer.normalization_map") != nullptr) {
    LIUBAI_ASSIGN_OR_RETURN(data.normalization_map,
                            file.GetU8Array("liubai.tokenizer.normalization_map"));
  }
  return data;
}

}  // namespace liubai::engine
