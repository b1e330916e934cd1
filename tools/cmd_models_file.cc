// liubai models show | import: what a model file says of itself, and files of other formats as
// GGUF.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/file_system.h"
#include "core/macros.h"
#include "engine/gguf.h"
#include "engine/import.h"
#include "engine/model_store.h"
#include "fmt/format.h"
#include "tools/commands.h"

namespace liubai::tools {
namespace {

// A metadata value for people: long arrays as their length.
std::string ShowValue(const engine::GgufFile& file, const engine::GgufValue& value) {
  using engine::GgufType;
  const std::string key(value.key);
  switch (value.type) {
    case GgufType::kString:
      return std::string(value.string());
    case GgufType::kArray:
      return fmt::format("[{} x {}]", value.count, engine::GgufTypeName(value.element_type));
    case GgufType::kFloat32:
    case GgufType::kFloat64: {
      const Result<float> number = file.GetF32(key);
      return number.ok() ? fmt::format("{}", *number) : number.status().message();
    }
    case GgufType::kBool: {
      const Result<bool> truth = file.GetBool(key);
      return truth.ok() ? (*truth ? "true" : "false") : truth.status().message();
    }
    case GgufType::kUint64: {
      const Result<std::uint64_t> number = file.GetU64(key);
      return number.ok() ? fmt::format("{}", *number) : number.status().message();
    }
    default: {
      const Result<std::int64_t> number = file.GetI64(key);
      return number.ok() ? fmt::format("{}", *number) : number.status().message();
    }
  }
}

class ModelsShow final : public Command {
  void Declare(Flags& flags) override {
    flags.Argument("NAME", &name_, true,
                   "catalogue name, hf:owner/repository/file.gguf or GGUF file");
    std::vector<std::string> names;
    for (const engine::CatalogueEntry& entry : engine::Catalogue()) names.push_back(entry.name);
    flags.Suggest(names);
    flags.Switch("--tensors", &tensors_, "list every tensor");
  }

  Status Run(Invocation& call, std::stop_token) override {
    LIUBAI_ASSIGN_OR_RETURN(const std::string path, engine::ResolveModel(name_));
    LIUBAI_ASSIGN_OR_RETURN(const engine::GgufFile file, engine::GgufFile::Open(path));
    std::map<std::string, std::pair<std::int64_t, std::uint64_t>> by_type;  // Count and bytes.
    std::int64_t parameters = 0;
    for (const engine::GgufTensor& tensor : file.tensors()) {
      auto& [count, bytes] = by_type[std::string(kernels::GetDataTypeInfo(tensor.type).name)];
      ++count;
      bytes += tensor.data.size();
      parameters += tensor.elements();
    }
    if (call.json()) {
      nlohmann::json metadata = nlohmann::json::object();
      for (const engine::GgufValue& value : file.metadata()) {
        metadata[std::string(value.key)] = ShowValue(file, value);
      }
      nlohmann::json types = nlohmann::json::object();
      for (const auto& [type, sum] : by_type) {
        types[type] = {{"tensors", sum.first}, {"bytes", sum.second}};
      }
      nlohmann::json result = {{"path", path},
                               {"gguf_version", file.version()},
                               {"file_bytes", file.file_bytes()},
                               {"parameters", parameters},
                               {"types", types},
                               {"metadata", metadata}};
      if (tensors_) {
        for (const engine::GgufTensor& tensor : file.tensors()) {
          result["tensors"].push_back({{"name", tensor.name},
                                       {"type", kernels::GetDataTypeInfo(tensor.type).name},
                                       {"shape", tensor.ShapeString()},
                                       {"bytes", tensor.data.size()}});
        }
      }
      call.PrintJson(result);
      return {};
    }
    call.Print(fmt::format("{}\n  GGUF version {}, {}, {:.1f} million parameters in {} tensors\n",
                           call.Bold(path), file.version(), HumanBytes(file.file_bytes()),
                           static_cast<double>(parameters) / 1e6, file.tensors().size()));
    for (const auto& [type, sum] : by_type) {
      call.Print(fmt::format("  {:<5} {} tensors, {}\n", type, sum.first, HumanBytes(sum.second)));
    }
    call.Print("\n");
    Table table({"KEY", "VALUE"});
    for (const engine::GgufValue& value : file.metadata()) {
      // A chat template has many lines; the first says enough here.
      std::string shown = ShowValue(file, value);
      if (shown.size() > 160) shown = FitToWidth(shown, 100);
      table.Add({std::string(value.key), shown});
    }
    table.Print(call);
    if (tensors_) {
      call.Print("\n");
      Table list({"TENSOR", "TYPE", "SHAPE", "SIZE"});
      for (const engine::GgufTensor& tensor : file.tensors()) {
        list.Add({std::string(tensor.name), std::string(kernels::GetDataTypeInfo(tensor.type).name),
                  tensor.ShapeString(), HumanBytes(tensor.data.size())});
      }
      list.Print(call);
    }
    return {};
  }

  std::string name_;
  bool tensors_ = false;
};

class ModelsImport final : public Command {
  void Declare(Flags& flags) override {
    flags.Argument("SOURCE", &source_, true,
                   "a folder with model.safetensors and vocab.txt, or an e5 file");
    flags.Text("-o,--output", "FILE", &output_, "the GGUF file (default: in the models folder)");
    flags.Choice("--type", &type_, {"f32", "f16", "q8_0"}, "of a safetensors model's matrices");
    flags.Text("--name", "NAME", &name_, "the model's name (default: that of the source)");
    flags.Switch("--overwrite", &overwrite_, "replace the file when it exists");
  }

  Status Run(Invocation& call, std::stop_token) override {
    FileSystem& fs = PosixFileSystem();
    engine::ImportOptions options;
    options.matrix_type = type_ == "f32"   ? kernels::DataType::kF32
                          : type_ == "f16" ? kernels::DataType::kF16
                                           : kernels::DataType::kQ8_0;
    options.name = name_;
    std::string target = output_;
    if (target.empty()) {
      std::filesystem::path source(source_);
      if (!source.has_filename()) source = source.parent_path();
      const std::string stem = !name_.empty()                          ? name_
                               : std::filesystem::is_directory(source) ? source.filename().string()
                                                                       : source.stem().string();
      if (stem.empty() || stem[0] == '.' || stem.find('/') != std::string::npos) {
        return call.UsageError(
            fmt::format("'{}' cannot be the name of a file; --output names it", stem));
      }
      LIUBAI_RETURN_IF_ERROR(fs.CreateDirectories(engine::ModelsFolder()));
      target = engine::ModelsFolder() + "/" + stem + ".gguf";
    }
    if (!overwrite_ && fs.Exists(target)) {
      return {StatusCode::kAlreadyExists,
              fmt::format("{} exists; --overwrite replaces it", target)};
    }
    LIUBAI_RETURN_IF_ERROR(engine::ImportModel(fs, source_, target, options));
    LIUBAI_ASSIGN_OR_RETURN(const std::uint64_t bytes, fs.FileSize(target));
    if (call.json()) {
      call.PrintJson({{"source", source_}, {"path", target}, {"bytes", bytes}});
    } else {
      call.Print(fmt::format("{}  {}\n", target, HumanBytes(bytes)));
    }
    return {};
  }

  std::string source_;
  std::string output_;
  std::string type_ = "f16";
  std::string name_;
  bool overwrite_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeModelsShow() { return std::make_unique<ModelsShow>(); }
std::unique_ptr<Command> MakeModelsImport() { return std::make_unique<ModelsImport>(); }

}  // namespace liubai::tools
