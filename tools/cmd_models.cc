// liubai models list | fetch: the catalogue and what of it is on this machine.
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "core/text.h"
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

class ModelsList final : public Command {
  void Declare(Flags&) override {}
  Status Run(Invocation& call, std::stop_token) override {
    if (call.json()) {
      nlohmann::json models = nlohmann::json::array();
      for (const auto& entry : engine::Catalogue()) models.push_back(Describe(entry));
      call.PrintJson({{"folder", engine::ModelsFolder()}, {"models", models}});
      return Status();
    }
    Table table({"NAME", "ROLE", "SIZE", "HERE", "LICENCE", "WHAT IT IS"});
    for (const auto& entry : engine::Catalogue()) {
      table.Add({entry.name, entry.role, HumanBytes(entry.bytes),
                 engine::IsFetched(entry) ? "yes" : "no", entry.licence, entry.summary});
    }
    table.Print(call);
    return Status();
  }
};

class ModelsFetch final : public Command {
  void Declare(Flags& flags) override {
    flags.Arguments("NAME", &names_, true, "models of the catalogue");
    std::vector<std::string> names;
    for (const auto& entry : engine::Catalogue()) names.push_back(entry.name);
    flags.Suggest(names);
  }
  Status Run(Invocation& call, std::stop_token stop) override {
    // All names are checked before anything is downloaded.
    for (const std::string& name : names_) {
      if (engine::FindModel(name) == nullptr) {
        std::vector<std::string_view> known;
        for (const auto& entry : engine::Catalogue()) known.push_back(entry.name);
        const std::string_view nearest = NearestWord(name, known);
        return Status(StatusCode::kNotFound,
                      fmt::format("the catalogue has no model {}{}", name,
                                  nearest.empty() ? "; run: liubai models list"
                                                  : fmt::format("; did you mean {}?", nearest)));
      }
    }
    for (const std::string& name : names_) {
      const engine::CatalogueEntry& entry = *engine::FindModel(name);
      std::string path;
      {
        Progress progress = call.MakeProgress();
        LIUBAI_ASSIGN_OR_RETURN(path, engine::FetchModel(
                                          entry,
                                          [&](std::uint64_t done, std::uint64_t total) {
                                            progress.Update(name, done, total, true);
                                          },
                                          stop));
      }
      if (call.json()) {
        call.PrintJson(Describe(entry));
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
