// liubai models list | fetch: the catalogue and what of it is on this machine.
#include <nlohmann/json.hpp>

#include "core/file_system.h"
#include "core/macros.h"
#include "engine/model_store.h"
#include "fmt/format.h"
#include "tools/commands.h"

namespace liubai::tools {
namespace {

nlohmann::json Describe(const engine::CatalogueEntry& entry) {
  return {{"name", entry.name},
          {"role", entry.role},
          {"architecture", entry.architecture},
          {"bytes", entry.bytes},
          {"sha256", entry.sha256},
          {"licence", entry.licence},
          {"summary", entry.summary},
          {"default", entry.is_default},
          {"path", engine::ModelPath(entry)},
          {"fetched", engine::IsFetched(entry)}};
}

// A model that the catalogue does not know: what is known of it is its file.
nlohmann::json DescribeReference(const std::string& name) {
  const Result<std::string> path = engine::ResolveModel(name);
  const std::string file = path.ok() ? *path : "";
  const Result<std::uint64_t> bytes = PosixFileSystem().FileSize(file);
  return {
      {"name", name}, {"bytes", bytes.ok() ? *bytes : 0}, {"path", file}, {"fetched", bytes.ok()}};
}

class ModelsList final : public Command {
  void Declare(Flags&) override {}
  Status Run(Invocation& call, std::stop_token) override {
    if (call.json()) {
      nlohmann::json models = nlohmann::json::array();
      for (const auto& entry : engine::Catalogue()) models.push_back(Describe(entry));
      for (const std::string& name : engine::FetchedReferences()) {
        models.push_back(DescribeReference(name));
      }
      call.PrintJson({{"folder", engine::ModelsFolder()}, {"models", models}});
      return Status();
    }
    Table table({"NAME", "ROLE", "SIZE", "HERE", "LICENCE", "WHAT IT IS"});
    for (const auto& entry : engine::Catalogue()) {
      table.Add({entry.name, entry.role, HumanBytes(entry.bytes),
                 engine::IsFetched(entry) ? "yes" : "no", entry.licence, entry.summary});
    }
    for (const std::string& name : engine::FetchedReferences()) {
      const auto reference = DescribeReference(name);
      table.Add({name, "", HumanBytes(reference["bytes"]), "yes", "", "fetched from the hub"});
    }
    table.Print(call);
    return Status();
  }
};

class ModelsFetch final : public Command {
  void Declare(Flags& flags) override {
    flags.Arguments("NAME", &names_, true,
                    "models of the catalogue, or hf:owner/repository/file.gguf of the hub");
    std::vector<std::string> names;
    for (const auto& entry : engine::Catalogue()) names.push_back(entry.name);
    flags.Suggest(names);
  }
  Status Run(Invocation& call, std::stop_token stop) override {
    // All names are checked before anything is downloaded.
    for (const std::string& name : names_) {
      LIUBAI_RETURN_IF_ERROR(engine::CheckModelName(name));
    }
    for (const std::string& name : names_) {
      std::string path;
      {
        Progress progress = call.MakeProgress();
        engine::FetchOptions options;
        options.offline = call.options().offline;
        options.stop = stop;
        options.progress = [&](std::uint64_t done, std::uint64_t total) {
          progress.Update(name, done, total, true);
        };
        LIUBAI_ASSIGN_OR_RETURN(path, engine::FetchModel(name, options));
      }
      if (call.json()) {
        const engine::CatalogueEntry* entry = engine::FindModel(name);
        call.PrintJson(entry != nullptr ? Describe(*entry) : DescribeReference(name));
      } else {
        call.Print(fmt::format("{}  {}\n", name, path));
      }
    }
    return Status();
  }
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Command> MakeModelsList() { return std::make_unique<ModelsList>(); }
std::unique_ptr<Command> MakeModelsFetch() { return std::make_unique<ModelsFetch>(); }

}  // namespace liubai::tools
