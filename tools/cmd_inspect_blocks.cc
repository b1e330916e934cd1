// liubai inspect blocks: the labelled blocks that are always in the prompt, and how they came to
// say what they say.
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "fmt/format.h"
#include "memory/standing.h"
#include "tools/commands.h"
#include "tools/store_flags.h"

namespace liubai::tools {
namespace {

class Blocks final : public Command {
  void Declare(Flags& flags) override {
    store_.Declare(flags);
    flags.Switch("--history", &history_, "what each version brought, and what it replaced");
    flags.Text("--label", "NAME", &label_, "this block only, also one that was deleted");
  }

  Status Run(Invocation& call, std::stop_token) override {
    LIUBAI_ASSIGN_OR_RETURN(const auto store, store_.OpenForReading(call));
    std::vector<std::string> labels;
    Table table({"BLOCK", "VERSION", "WRITTEN", "FROM TURNS", "VALUE"});
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Block> blocks, store->Blocks());
    for (const Block& block : blocks) {
      if (!label_.empty() && block.label != label_) continue;
      labels.push_back(block.label);
      if (history_) continue;
      if (call.json()) {
        call.PrintJson(Describe(block));
      } else {
        table.Add({block.label, fmt::format("{}", block.version), ShortTime(block.time_ms),
                   fmt::format("{}", fmt::join(block.sources, ",")), block.value});
      }
    }
    if (!label_.empty() && labels.empty()) {
      LIUBAI_ASSIGN_OR_RETURN(const auto past, store->BlockHistory(label_));
      if (past.empty() || !history_) {
        return Status(
            StatusCode::kNotFound,
            fmt::format("block \"{}\" {}", label_,
                        past.empty() ? "does not exist" : "was deleted; --history shows it"));
      }
      labels.push_back(label_);
    }
    if (!history_) {
      if (!call.json()) table.Print(call);
      return {};
    }
    for (const std::string& label : labels) {
      LIUBAI_RETURN_IF_ERROR(ShowHistory(call, *store, label));
    }
    return {};
  }

  static nlohmann::json Describe(const Block& block) {
    return {{"label", block.label},
            {"value", block.value},
            {"description", block.description},
            {"limit_bytes", block.limit_bytes},
            {"version", block.version},
            {"sources", block.sources},
            {"time_ms", block.time_ms}};
  }

  // A version a line of JSON, or a paragraph.
  static Status ShowHistory(Invocation& call, const Store& store, const std::string& label) {
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Block> versions, store.BlockHistory(label));
    std::string before;
    for (const Block& version : versions) {
      const auto changes = memory::StandingChanges(before, version.value);
      before = version.value;
      if (call.json()) {
        nlohmann::json json = Describe(version), list = nlohmann::json::array();
        for (const auto& [was, now] : changes) list.push_back({{"was", was}, {"now", now}});
        json["deleted"] = version.deleted;
        json["changes"] = list;
        call.PrintJson(json);
        continue;
      }
      call.Print(call.Bold(fmt::format("{} version {}", label, version.version)) +
                 call.Dim(fmt::format("  {}{}", ShortTime(version.time_ms),
                                      version.deleted ? "  deleted" : "")) +
                 "\n");
      for (const auto& [was, now] : changes) {
        if (was.empty()) {
          call.Print(fmt::format("  + {}\n", now));
        } else if (now.empty()) {
          call.Print(fmt::format("  - {}\n", was));
        } else {
          call.Print(fmt::format("  ~ {}\n    {} {}\n", was, call.Dim("replaced by"), now));
        }
      }
    }
    return {};
  }

  StoreFlags store_;
  std::string label_;
  bool history_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeInspectBlocks() { return std::make_unique<Blocks>(); }

}  // namespace liubai::tools
