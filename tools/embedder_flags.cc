#include "tools/embedder_flags.h"

#include "core/macros.h"
#include "engine/model_store.h"
#include "fmt/format.h"

namespace liubai::tools {
namespace {

const engine::CatalogueEntry* DefaultEmbedder() {
  for (const engine::CatalogueEntry& entry : engine::Catalogue()) {
    if (entry.role == "embedding" && entry.is_default) return &entry;
  }
  return nullptr;
}

}  // namespace

void EmbedderFlags::Declare(Flags& flags) {
  flags.Text("--embedder", "NAME", &embedder,
             std::string("catalogue name, hf: reference or GGUF file, or none for words only") +
                 (embedder.empty() ? " (default: that of the catalogue)" : ""));
  std::vector<std::string> names = {"none"};
  for (const engine::CatalogueEntry& entry : engine::Catalogue()) {
    if (entry.role == "embedding") names.push_back(entry.name);
  }
  flags.Suggest(names);
  flags.Integer("--embedder-threads", "N", &embedder_threads, 1, 256,
                "its threads (default: one for each core)");
}

Result<std::unique_ptr<Embedder>> EmbedderFlags::Load(Invocation& call) const {
  if (embedder == "none") return std::unique_ptr<Embedder>();
  std::string name = embedder;
  if (name.empty()) {
    const engine::CatalogueEntry* entry = DefaultEmbedder();
    if (entry == nullptr || !engine::IsFetched(*entry)) {
      call.Warn(entry == nullptr ? "no embedder: turns are found by words only"
                                 : fmt::format("no embedder here: turns are found by words only; "
                                               "liubai models fetch {} brings it",
                                               entry->name));
      return std::unique_ptr<Embedder>();
    }
    name = entry->name;
  }
  LIUBAI_ASSIGN_OR_RETURN(const std::string path, engine::ResolveModel(name));
  EmbedderOptions options;
  options.threads = embedder_threads;
  options.logger = call.logger();
  return LoadEmbedder(path, options);
}

Result<std::unique_ptr<CachedEmbedder>> EmbedderFlags::LoadCached(Invocation& call) const {
  LIUBAI_ASSIGN_OR_RETURN(std::unique_ptr<Embedder> inner, Load(call));
  if (!inner) return std::unique_ptr<CachedEmbedder>();
  return std::make_unique<CachedEmbedder>(std::move(inner), CachedEmbedder::DefaultFolder());
}

Result<std::unique_ptr<Embedder>> EmbedderFlags::Require(Invocation& call) const {
  if (embedder.empty()) {
    const engine::CatalogueEntry* entry = DefaultEmbedder();
    if (entry == nullptr) {
      return call.UsageError("--embedder is missing: the catalogue has no default embedder");
    }
    EmbedderFlags named = *this;
    named.embedder = entry->name;
    return named.Load(call);
  }
  if (embedder == "none")
    return call.UsageError("--embedder is 'none'; an embedder is needed here");
  return Load(call);
}

}  // namespace liubai::tools
