// liubai inspect essences, liubai inspect essence: the summaries that stand for older turns, the
// tree that they form, and what is behind one of them.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "fmt/format.h"
#include "tools/commands.h"
#include "tools/essence_text.h"
#include "tools/store_flags.h"

namespace liubai::tools {
namespace {

class Essences final : public Command {
  void Declare(Flags& flags) override {
    store_.Declare(flags);
    flags.Switch("--with-replaced", &with_replaced_, "also those that a later essence stands for");
    flags.Switch("--tree", &tree_, "what each stands for, down to the essences of turns");
    flags.Integer("--depth", "N", &depth_, 1, 64, "with --tree: N steps only");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_ASSIGN_OR_RETURN(const auto store, store_.OpenForReading(call));
    LIUBAI_ASSIGN_OR_RETURN(const TurnFilter filter, store_.Filter(*store));
    if (tree_ && with_replaced_) {
      return call.UsageError(
          "--with-replaced has no place in --tree, which shows all that is used");
    }
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Essence> essences,
                            store->Essences(filter.session, with_replaced_));
    if (essences.empty()) call.Note("no essences: nothing has been compacted yet");
    for (const Essence& essence : essences) {
      if (stop.stop_requested()) return {StatusCode::kCancelled, "interrupted"};
      if (tree_) {
        LIUBAI_RETURN_IF_ERROR(ShowTree(call, *store, essence));
      } else if (call.json()) {
        call.PrintJson(DescribeEssence(essence));
      } else {
        call.Print(EssenceText(call, essence) + "\n");
      }
    }
    return {};
  }

  Status ShowTree(Invocation& call, const Store& store, const Essence& root) {
    nlohmann::json json;
    LIUBAI_RETURN_IF_ERROR(Branch(call, store, root, "", "", 1, &json));
    if (call.json()) call.PrintJson(json);
    return {};
  }

  // `first` stands before its own line, `rest` before those of its children.
  Status Branch(Invocation& call, const Store& store, const Essence& essence,
                const std::string& first, const std::string& rest, int step, nlohmann::json* json) {
    LIUBAI_ASSIGN_OR_RETURN(const UnfoldedEssence unfolded, store.UnfoldEssence(essence.id, 0));
    if (call.json()) {
      *json = DescribeEssence(essence);
      (*json)["turns"] = unfolded.turns_total;
      for (const Essence& exact : unfolded.exact) (*json)["exact"].push_back(exact.id);
      (*json)["children"] = nlohmann::json::array();
    } else {
      const std::string line = first + EssenceHead(essence) + "  ";
      std::string words =
          FitToWidth(EssenceWords(essence), std::max(TerminalWidth() - DisplayWidth(line), 20));
      words.erase(words.find_last_not_of(' ') + 1);
      call.Print(fmt::format("{}{}\n", line, call.Dim(words)));
      for (const Essence& exact : unfolded.exact)
        call.Print(fmt::format("{}   word for word: essence {}\n", rest, exact.id));
    }
    if (step > depth_) return {};
    for (std::size_t i = 0; i < unfolded.children.size(); ++i) {
      const bool last = i + 1 == unfolded.children.size();
      nlohmann::json child;
      LIUBAI_RETURN_IF_ERROR(Branch(call, store, unfolded.children[i],
                                    rest + (last ? "└─ " : "├─ "), rest + (last ? "   " : "│  "),
                                    step + 1, &child));
      if (call.json()) (*json)["children"].push_back(std::move(child));
    }
    return {};
  }

  StoreFlags store_;
  bool with_replaced_ = false;
  bool tree_ = false;
  int depth_ = 64;
};

class OneEssence final : public Command {
  void Declare(Flags& flags) override {
    store_.Declare(flags);
    flags.Argument("ID", &id_, true, "the number behind \"essence\" in the prompt");
    flags.Integer("-n,--turns", "N", &turns_, 0, 1'000'000, "turns shown at most");
  }

  Status Run(Invocation& call, std::stop_token) override {
    LIUBAI_ASSIGN_OR_RETURN(const std::int64_t id, ParseEssenceId(id_));
    LIUBAI_ASSIGN_OR_RETURN(const auto store, store_.OpenForReading(call));
    LIUBAI_ASSIGN_OR_RETURN(const UnfoldedEssence unfolded, store->UnfoldEssence(id, turns_));
    if (!call.json()) {
      call.Print(UnfoldedText(call, unfolded));
      return {};
    }
    nlohmann::json json = DescribeEssence(unfolded.essence);
    json["children"] = nlohmann::json::array();
    for (const Essence& child : unfolded.children) {
      json["children"].push_back(DescribeEssence(child));
    }
    json["exact"] = nlohmann::json::array();
    for (const Essence& exact : unfolded.exact) json["exact"].push_back(DescribeEssence(exact));
    json["turns"] = nlohmann::json::array();
    for (const Turn& turn : unfolded.turns) {
      json["turns"].push_back({{"id", turn.id},
                               {"role", RoleWord(turn.role)},
                               {"speaker", turn.speaker},
                               {"time_ms", turn.time_ms},
                               {"text", turn.text}});
    }
    json["turns_total"] = unfolded.turns_total;
    call.PrintJson(json);
    return {};
  }

  StoreFlags store_;
  std::string id_;
  std::int64_t turns_ = 200;
};

}  // namespace

std::unique_ptr<Command> MakeInspectEssences() { return std::make_unique<Essences>(); }
std::unique_ptr<Command> MakeInspectEssence() { return std::make_unique<OneEssence>(); }

}  // namespace liubai::tools
