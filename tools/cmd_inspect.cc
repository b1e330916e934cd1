// liubai inspect: what a memory holds. Everything here opens the store read-only, also beside a
// writer.
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "fmt/format.h"
#include "tools/commands.h"
#include "tools/store_flags.h"

namespace liubai::tools {
namespace {

// What all of them share: the store, --session, and a limit where rows are listed.
class Inspect : public Command {
 public:
  void Declare(Flags& flags) override { store_.Declare(flags); }

  Status Run(Invocation& call, std::stop_token) override {
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, store_.OpenForReading(call));
    LIUBAI_ASSIGN_OR_RETURN(const TurnFilter filter, store_.Filter(*store));
    return Show(call, *store, filter);
  }

 protected:
  virtual Status Show(Invocation& call, const Store& store, const TurnFilter& filter) = 0;
  StoreFlags store_;
};

class Summary final : public Inspect {
  Status Show(Invocation& call, const Store& store, const TurnFilter& filter) override {
    LIUBAI_ASSIGN_OR_RETURN(const StoreStats stats, store.Stats());
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Session> sessions, store.Sessions());
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<EmbedderRecord> embedders, store.Embedders());
    if (call.json()) {
      nlohmann::json list = nlohmann::json::array();
      for (const Session& s : sessions) {
        if (filter.session && *filter.session != s.id) continue;
        list.push_back({{"id", s.id},
                        {"name", s.name},
                        {"turns", s.turns},
                        {"first_time_ms", s.first_time_ms},
                        {"last_time_ms", s.last_time_ms},
                        {"covered_through", s.covered_through}});
      }
      nlohmann::json models = nlohmann::json::array();
      for (const EmbedderRecord& e : embedders) {
        models.push_back(
            {{"name", e.name}, {"fingerprint", e.fingerprint}, {"dimension", e.dimension}});
      }
      call.PrintJson({{"store", store.folder()},
                      {"id", store.id()},
                      {"turns", stats.turns},
                      {"facts", stats.facts},
                      {"closed_facts", stats.closed_facts},
                      {"blocks", stats.blocks},
                      {"essences", stats.essences},
                      {"ledger_entries", stats.ledger_entries},
                      {"compactions", stats.reports},
                      {"embeddings", stats.embeddings},
                      {"text_bytes", stats.text_bytes},
                      {"file_bytes", stats.file_bytes},
                      {"sessions", list},
                      {"embedders", models}});
      return {};
    }
    call.Print(fmt::format(
        "{}\n  {} turns in {} session(s), {} of text, {} on disk\n"
        "  {} blocks, {} facts ({} no longer valid), {} essences, {} compactions\n"
        "  {} exact details in the ledger, {} vectors\n",
        call.Bold(store.folder()), stats.turns, stats.sessions,
        HumanBytes(static_cast<std::uint64_t>(stats.text_bytes)),
        HumanBytes(static_cast<std::uint64_t>(stats.file_bytes)), stats.blocks, stats.facts,
        stats.closed_facts, stats.essences, stats.reports, stats.ledger_entries, stats.embeddings));
    for (const EmbedderRecord& e : embedders) {
      call.Print(fmt::format("  embedder {} ({} values)\n", e.name, e.dimension));
    }
    call.Print("\n");
    Table table({"SESSION", "TURNS", "FROM", "TO", "COMPACTED THROUGH"});
    for (const Session& s : sessions) {
      if (filter.session && *filter.session != s.id) continue;
      table.Add({s.name, fmt::format("{}", s.turns), s.turns > 0 ? ShortTime(s.first_time_ms) : "",
                 s.turns > 0 ? ShortTime(s.last_time_ms) : "",
                 s.covered_through > 0 ? fmt::format("turn {}", s.covered_through) : "-"});
    }
    table.Print(call);
    return {};
  }
};

class Turns final : public Inspect {
  void Declare(Flags& flags) override {
    Inspect::Declare(flags);
    flags.Integer("-n,--last", "N", &last_, 1, 1'000'000, "the last N turns (default: 20)");
    flags.Integer("--turn", "ID", &turn_, 1, std::numeric_limits<std::int64_t>::max(),
                  "this turn, whole");
  }

  Status Show(Invocation& call, const Store& store, const TurnFilter& filter) override {
    std::vector<Turn> turns;
    if (turn_ > 0) {
      LIUBAI_ASSIGN_OR_RETURN(Turn turn, store.GetTurn(turn_));
      turns.push_back(std::move(turn));
    } else {
      LIUBAI_ASSIGN_OR_RETURN(turns, store.Turns(filter, last_, /*last=*/true));
    }
    if (call.json()) {
      for (const Turn& t : turns) {
        call.PrintJson({{"id", t.id},
                        {"session_id", t.session_id},
                        {"seq", t.seq},
                        {"role", RoleWord(t.role)},
                        {"speaker", t.speaker},
                        {"text", t.text},
                        {"time_ms", t.time_ms},
                        {"interrupted", t.status == TurnStatus::kInterrupted}});
      }
      return {};
    }
    if (turn_ > 0) {
      const Turn& t = turns.front();
      call.Print(call.Dim(fmt::format("turn {}  {}  {}", t.id, ShortTime(t.time_ms),
                                      t.speaker.empty() ? RoleWord(t.role) : t.speaker)) +
                 "\n" + t.text + "\n");
      return {};
    }
    Table table({"TURN", "TIME", "WHO", "TEXT"});
    for (const Turn& t : turns) {
      table.Add({fmt::format("{}", t.id), ShortTime(t.time_ms),
                 std::string(t.speaker.empty() ? RoleWord(t.role) : t.speaker), t.text});
    }
    table.Print(call);
    return {};
  }

  std::int64_t last_ = 20;
  std::int64_t turn_ = 0;
};

class Compactions final : public Inspect {
  Status Show(Invocation& call, const Store& store, const TurnFilter& filter) override {
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<CompactionReport> reports,
                            store.Reports(filter.session));
    Table table({"REPORT", "TURNS", "TOKENS BEFORE", "AFTER", "DETAILS", "IN ESSENCE", "SHELVED",
                 "PROVED", "KEPT IN WINDOW", "TIME", "METHOD"});
    for (const CompactionReport& r : reports) {
      if (call.json()) {
        nlohmann::json line = {{"id", r.id},
                               {"session_id", r.session_id},
                               {"first_turn", r.first_turn},
                               {"last_turn", r.last_turn},
                               {"turns", r.turns},
                               {"tokens_before", r.tokens_before},
                               {"tokens_after", r.tokens_after},
                               {"details", r.details},
                               {"kept_in_essence", r.kept_in_essence},
                               {"shelved", r.shelved},
                               {"proved", r.proved},
                               {"kept_in_window", r.kept_in_window},
                               {"duration_ms", r.duration_ms},
                               {"method", r.method},
                               {"time_ms", r.time_ms}};
        if (!r.detail_json.empty()) {
          line["detail"] =
              nlohmann::json::parse(r.detail_json, nullptr, /*allow_exceptions=*/false);
        }
        call.PrintJson(line);
      } else {
        table.Add({fmt::format("{}", r.id), fmt::format("{}-{}", r.first_turn, r.last_turn),
                   fmt::format("{}", r.tokens_before), fmt::format("{}", r.tokens_after),
                   fmt::format("{}", r.details), fmt::format("{}", r.kept_in_essence),
                   fmt::format("{}", r.shelved), fmt::format("{}", r.proved),
                   fmt::format("{}", r.kept_in_window), HumanMillis(r.duration_ms * 1000),
                   r.method});
      }
    }
    if (!call.json()) table.Print(call);
    return {};
  }
};

}  // namespace

std::unique_ptr<Command> MakeInspectSummary() { return std::make_unique<Summary>(); }
std::unique_ptr<Command> MakeInspectTurns() { return std::make_unique<Turns>(); }
std::unique_ptr<Command> MakeInspectCompactions() { return std::make_unique<Compactions>(); }

}  // namespace liubai::tools
