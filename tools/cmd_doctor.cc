// liubai doctor: what is wrong with this machine's installation and memory, and what is merely
// worth knowing. Exit code 1 when something is wrong.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/cpu_features.h"
#include "core/file_system.h"
#include "core/macros.h"
#include "engine/model_store.h"
#include "fmt/format.h"
#include "tools/commands.h"
#include "tools/store_flags.h"

namespace liubai::tools {
namespace {

enum class Grade { kOk, kNote, kProblem };

class Doctor final : public Command {
  void Declare(Flags& flags) override { store_.Declare(flags); }

  Status Run(Invocation& call, std::stop_token) override {
    Add(Grade::kOk, "processor", fmt::format("instruction set {}", CpuIsaName(BestCpuIsa())));
    // The WAL-reset defect needs two connections that write; stores have one, held by a lock.
    Add(Grade::kOk, "sqlite",
        fmt::format("version {}; one writing connection a store", Store::SqliteVersion()));
    CheckModels();
    CheckStore(call);

    int problems = 0;
    for (const Finding& finding : findings_) problems += finding.grade == Grade::kProblem;
    if (call.json()) {
      nlohmann::json list = nlohmann::json::array();
      for (const Finding& f : findings_) {
        list.push_back({{"subject", f.subject}, {"grade", Word(f.grade)}, {"message", f.message}});
      }
      call.PrintJson({{"problems", problems}, {"findings", list}});
    } else {
      for (const Finding& f : findings_) {
        const Style style = f.grade == Grade::kOk     ? Style::kGreen
                            : f.grade == Grade::kNote ? Style::kYellow
                                                      : Style::kRed;
        call.Print(fmt::format("{}  {:<10} {}\n",
                               call.Paint(style, fmt::format("{:<7}", Word(f.grade))), f.subject,
                               f.message));
      }
    }
    if (problems == 0) return {};
    return {StatusCode::kFailedPrecondition, fmt::format("doctor found {} problem(s)", problems)};
  }

  void CheckModels() {
    for (const engine::CatalogueEntry& entry : engine::Catalogue()) {
      const std::string path = engine::ModelPath(entry);
      if (!PosixFileSystem().Exists(path)) {
        if (entry.is_default) {
          Add(Grade::kNote, "model",
              fmt::format("{} is not here; liubai models fetch {} brings it", entry.name,
                          entry.name));
        }
        continue;
      }
      const Result<std::uint64_t> size = PosixFileSystem().FileSize(path);
      if (!size.ok()) {
        Add(Grade::kProblem, "model", size.status().message());
      } else if (entry.role != "embedding" && *size != entry.bytes) {
        Add(Grade::kProblem, "model",
            fmt::format("{} has {} bytes and should have {}; remove it and fetch it again", path,
                        *size, entry.bytes));
      } else {
        Add(Grade::kOk, "model", fmt::format("{}, {}", entry.name, HumanBytes(*size)));
      }
    }
  }

  void CheckStore(Invocation& call) {
    const std::string folder = store_.Folder();
    if (!PosixFileSystem().Exists(folder)) {
      Add(Grade::kNote, "memory", fmt::format("none yet in {}", folder));
      return;
    }
    const Result<std::unique_ptr<Store>> store = store_.OpenForReading(call);
    if (!store.ok()) {
      const bool begun = store.status().code() == StatusCode::kNotFound && OnlyBegun(folder);
      Add(begun ? Grade::kNote : Grade::kProblem, "memory",
          store.status().message() +
              (begun ? "; its creation was interrupted, and the next chat completes it" : ""));
      return;
    }
    const Result<std::vector<std::string>> problems = (*store)->Verify();
    if (!problems.ok()) {
      Add(Grade::kProblem, "memory", problems.status().message());
      return;
    }
    for (const std::string& problem : *problems) Add(Grade::kProblem, "memory", problem);
    const Result<StoreStats> stats = (*store)->Stats();
    if (!stats.ok()) {
      Add(Grade::kProblem, "memory", stats.status().message());
    } else if (problems->empty()) {
      Add(Grade::kOk, "memory",
          fmt::format("{}: {} turns; structure, references, full text and digests are right",
                      folder, stats->turns));
    }
  }

  // An index is made after the first turn: a database without one and without turns lost none.
  static bool OnlyBegun(const std::string& folder) {
    std::error_code error;
    for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
      const std::string name = file.path().filename().string();
      if (!name.starts_with("memory.db") && name != "store.lock") return false;
    }
    return !error;
  }

  static std::string Word(Grade grade) {
    return grade == Grade::kOk ? "ok" : grade == Grade::kNote ? "note" : "problem";
  }
  void Add(Grade grade, std::string subject, std::string message) {
    findings_.push_back({grade, std::move(subject), std::move(message)});
  }

  struct Finding {
    Grade grade;
    std::string subject;
    std::string message;
  };
  std::vector<Finding> findings_;
  StoreFlags store_;
};

}  // namespace

std::unique_ptr<Command> MakeDoctor() { return std::make_unique<Doctor>(); }

}  // namespace liubai::tools
