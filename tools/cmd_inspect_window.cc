// liubai inspect window, liubai inspect pages: the context that a conversation would go on with,
// and the KV pages that it takes. Both open the store read-only and load the model, whose tokens
// they count.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "fmt/format.h"
#include "kernels/paged_attention.h"
#include "tools/agent_flags.h"
#include "tools/commands.h"

namespace liubai::tools {
namespace {

using kernels::kPageTokens;

std::string_view KindName(SegmentKind kind) {
  switch (kind) {
    case SegmentKind::kSystem:
      return "system";
    case SegmentKind::kBlock:
      return "blocks";
    case SegmentKind::kEssence:
      return "essence";
    case SegmentKind::kTurn:
      return "turn";
    case SegmentKind::kRecalled:
      return "recalled";
    case SegmentKind::kNotice:
      return "notice";
    case SegmentKind::kOther:
      break;
  }
  return "other";
}

// What both share: an agent on the read-only store, with nothing done and nothing written.
class InspectContext : public Command {
 protected:
  InspectContext() { model_.default_context_tokens = AgentFlags::kWindowTokens; }

  void Declare(Flags& flags) override {
    store_.Declare(flags);
    model_.Declare(flags);
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_ASSIGN_OR_RETURN(const auto store, store_.OpenForReading(call));
    if (store_.session.empty()) store_.session = std::string(kDefaultSession);
    LIUBAI_RETURN_IF_ERROR(store_.Filter(*store).status());  // A mistyped name gets a suggestion.
    LIUBAI_ASSIGN_OR_RETURN(const auto model, model_.Load(call));
    AgentOptions options;
    options.store = store.get();
    options.model = model.get();
    options.session = store_.session;
    options.window_tokens = 0;
    options.idle_work = false;
    LIUBAI_ASSIGN_OR_RETURN(const auto agent, Agent::Create(options));
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Segment> segments, agent->ContextSegments());
    return Show(call, *agent, *model, segments, stop);
  }

  virtual Status Show(Invocation& call, const Agent& agent, LanguageModel& model,
                      const std::vector<Segment>& segments, std::stop_token stop) = 0;

  StoreFlags store_;
  ModelFlags model_;
};

class Window final : public InspectContext {
  Status Show(Invocation& call, const Agent& agent, LanguageModel& model,
              const std::vector<Segment>& segments, std::stop_token) override {
    LIUBAI_ASSIGN_OR_RETURN(const WindowInfo info, agent.Window());
    if (call.json()) {
      nlohmann::json list = nlohmann::json::array();
      int at = 0;
      for (const Segment& segment : segments) {
        list.push_back({{"kind", KindName(segment.kind)},
                        {"id", segment.id},
                        {"first_token", at},
                        {"tokens", segment.tokens.size()},
                        {"text", model.Detokenize(segment.tokens)}});
        at += static_cast<int>(segment.tokens.size());
      }
      nlohmann::json object = DescribeWindow(info);
      object["segments"] = list;
      call.PrintJson(object);
      return {};
    }
    call.Print(WindowText(call, info) + "\n");
    Table table({"FROM", "TOKENS", "WHAT", "TEXT"});
    int at = 0;
    for (const Segment& segment : segments) {
      table.Add({fmt::format("{}", at), fmt::format("{}", segment.tokens.size()),
                 segment.id == 0 ? std::string(KindName(segment.kind))
                                 : fmt::format("{} {}", KindName(segment.kind), segment.id),
                 model.Detokenize(segment.tokens)});
      at += static_cast<int>(segment.tokens.size());
    }
    table.Print(call);
    return {};
  }
};

class Pages final : public InspectContext {
  Status Show(Invocation& call, const Agent&, LanguageModel& model,
              const std::vector<Segment>& segments, std::stop_token stop) override {
    LIUBAI_ASSIGN_OR_RETURN(const auto context, model.NewContext());
    LIUBAI_RETURN_IF_ERROR(context->SetSegments(segments));
    LIUBAI_RETURN_IF_ERROR(context->Prefill(stop));  // What it takes is counted, not estimated.
    const ContextStats stats = context->stats();
    const ModelInfo& info = model.info();
    const std::uint64_t bytes = static_cast<std::uint64_t>(stats.tokens) * info.kv_bytes_per_token;
    nlohmann::json list = nlohmann::json::array();
    Table table({"PAGES", "TOKENS", "WHAT"});
    int at = 0;
    for (const Segment& segment : segments) {
      const int size = static_cast<int>(segment.tokens.size());
      const int first = at / kPageTokens, last = std::max(at, at + size - 1) / kPageTokens;
      list.push_back({{"kind", KindName(segment.kind)},
                      {"id", segment.id},
                      {"first_page", first},
                      {"last_page", last},
                      {"tokens", size}});
      table.Add({first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last),
                 fmt::format("{}", size),
                 segment.id == 0 ? std::string(KindName(segment.kind))
                                 : fmt::format("{} {}", KindName(segment.kind), segment.id)});
      at += size;
    }
    if (call.json()) {
      call.PrintJson({{"model", DescribeModel(info)},
                      {"page_tokens", kPageTokens},
                      {"tokens", stats.tokens},
                      {"pages", stats.pages},
                      {"pool_pages", stats.pool_pages},
                      {"pool_free_pages", stats.pool_free_pages},
                      {"kv_bytes", bytes},
                      {"kv_budget_bytes", info.kv_budget_bytes},
                      {"segments", list}});
      return {};
    }
    call.Print(fmt::format(
        "{} tokens in {} pages of {} tokens: {} of keys and values ({} a token, {})\n"
        "the pool has {} pages, {} free, in {}\n\n",
        stats.tokens, stats.pages, kPageTokens, HumanBytes(bytes),
        HumanBytes(info.kv_bytes_per_token), info.kv_format == KvFormat::kF16 ? "f16" : "q8",
        stats.pool_pages, stats.pool_free_pages, HumanBytes(info.kv_budget_bytes)));
    table.Print(call);
    return {};
  }
};

}  // namespace

std::unique_ptr<Command> MakeInspectWindow() { return std::make_unique<Window>(); }
std::unique_ptr<Command> MakeInspectPages() { return std::make_unique<Pages>(); }

}  // namespace liubai::tools
