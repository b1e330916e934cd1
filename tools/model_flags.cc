#include "tools/model_flags.h"

#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "engine/model_store.h"
#include "fmt/format.h"

namespace liubai::tools {

void ModelFlags::Declare(Flags& flags) {
  for (const engine::CatalogueEntry& entry : engine::Catalogue()) {
    if (model.empty() && entry.is_default && entry.role != "embedding") model = entry.name;
  }
  flags.Text("-m,--model", "NAME", &model,
             "catalogue name, hf:owner/repository/file.gguf or GGUF file");
  std::vector<std::string> names;
  for (const engine::CatalogueEntry& entry : engine::Catalogue()) {
    if (entry.role != "embedding") names.push_back(entry.name);
  }
  flags.Suggest(names);
  threads = 0;
  flags.Integer("-t,--threads", "N", &threads, 1, 256, "threads (default: one for each core)");
  flags.Integer("-c,--context-tokens", "N", &context_tokens, 16, 1 << 20,
                default_context_tokens == 0
                    ? "tokens of context (default: the trained length, at most 8192)"
                    : fmt::format("tokens of context (default: {})", default_context_tokens));
  flags.Choice("--kv-format", &kv_format, {"f16", "q8"}, "format of keys and values");
  flags.Switch("--exact", &exact, "float32 activations: slow, for tests");
}

Result<std::unique_ptr<LanguageModel>> ModelFlags::Load(Invocation& call) const {
  LIUBAI_ASSIGN_OR_RETURN(const std::string path, engine::ResolveModel(model));
  LanguageModelOptions options;
  options.threads = threads;
  options.context_tokens = context_tokens != 0 ? context_tokens : default_context_tokens;
  options.kv_format = kv_format == "f16" ? KvFormat::kF16 : KvFormat::kQ8;
  options.exact = exact;
  options.logger = call.logger();
  return LoadLanguageModel(path, options);
}

nlohmann::json DescribeModel(const ModelInfo& info) {
  return {{"name", info.name},
          {"path", info.path},
          {"architecture", info.architecture},
          {"parameters", info.parameters},
          {"file_bytes", info.file_bytes},
          {"weight_bytes", info.weight_bytes},
          {"kv_format", info.kv_format == KvFormat::kF16 ? "f16" : "q8"},
          {"kv_budget_bytes", info.kv_budget_bytes},
          {"kv_bytes_per_token", info.kv_bytes_per_token},
          {"context_tokens", info.context_tokens},
          {"threads", info.threads},
          {"isa", info.isa}};
}

}  // namespace liubai::tools
