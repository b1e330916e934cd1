// liubai inspect facts, liubai inspect profile: what is known, since when, and who said it.
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "fmt/format.h"
#include "memory/jsonl.h"
#include "memory/model_facts.h"
#include "memory/profile.h"
#include "tools/commands.h"
#include "tools/store_flags.h"

namespace liubai::tools {
namespace {

std::string Ids(const std::vector<TurnId>& ids) { return fmt::format("{}", fmt::join(ids, ",")); }

std::string_view StateWord(FactState state) {
  switch (state) {
    case FactState::kValid:
      return "valid";
    case FactState::kClosed:
      return "closed";
    case FactState::kWrong:
      return "wrong";
    case FactState::kDisputed:
      return "disputed";
  }
  return "valid";
}

// Who wrote a fact: the rules, a model in idle time, or the application and its users.
std::string_view Writer(const Fact& fact) {
  return fact.by_rules ? "rules" : memory::IsByModel(fact) ? "model" : "told";
}

std::string Since(std::int64_t time_ms) { return time_ms == 0 ? "?" : ShortTime(time_ms); }

// The time of --as-of: a day means its end, so that what was said on it counts.
Result<std::optional<std::int64_t>> AsOf(const std::string& text) {
  if (text.empty()) return std::optional<std::int64_t>();
  const std::optional<std::int64_t> time = memory::ParseTime(text);
  if (!time) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("--as-of: '{}' is no date; write it as 2024-03-05 or "
                              "2024-03-05T10:00:00Z",
                              text));
  }
  constexpr std::int64_t kDayMs = 86'400'000;
  return std::optional<std::int64_t>(text.size() == 10 ? *time + kDayMs - 1 : *time);
}

class Facts final : public Command {
 public:
  void Declare(Flags& flags) override {
    store_.Declare(flags);
    flags.Switch("--history", &history_, "all of them: also closed, wrong and disputed ones");
    flags.Switch("--with-closed", &with_closed_, "also those that no longer hold; wrong ones not");
    flags.Text("--as-of", "DATE", &as_of_, "those that held at the end of this day");
    flags.Text("--subject", "NAME", &subject_, "of this person, with all of their names");
    flags.Switch("--model", &model_,
                 "instead: how much a model has read in each session, stated, and had rejected");
  }

  Status Run(Invocation& call, std::stop_token) override {
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, store_.OpenForReading(call));
    if (model_) return ShowReadings(call, *store);
    FactFilter filter;
    LIUBAI_ASSIGN_OR_RETURN(filter.as_of_ms, AsOf(as_of_));
    filter.history = history_ || with_closed_;
    if (filter.history && filter.as_of_ms) {
      return Status(StatusCode::kInvalidArgument,
                    "--as-of shows what held at one time; it goes with neither --history nor "
                    "--with-closed");
    }
    LIUBAI_ASSIGN_OR_RETURN(const TurnFilter turns, store_.Filter(*store));
    std::vector<std::string> names = {""};
    if (!subject_.empty()) {
      LIUBAI_ASSIGN_OR_RETURN(names, store->FactSubjectNames(subject_));
    }
    Table table({"FACT", "SUBJECT", "ATTRIBUTE", "VALUE", "STATE", "SINCE", "UNTIL", "BY TURN",
                 "FROM TURN", "WRITER", "STATEMENT"});
    for (const std::string& name : names) {
      filter.subject = name;
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<Fact> facts, store->FindFacts(filter));
      for (const Fact& f : facts) {
        if (with_closed_ && !history_ && f.state == FactState::kWrong) continue;
        LIUBAI_ASSIGN_OR_RETURN(const bool shown, OfSession(*store, f, turns));
        if (!shown) continue;
        if (call.json()) {
          nlohmann::json line = {{"id", f.id},
                                 {"statement", f.statement},
                                 {"subject", f.subject},
                                 {"attribute", f.attribute},
                                 {"value", f.value},
                                 {"kind", f.kind},
                                 {"state", StateWord(f.state)},
                                 {"sources", f.sources},
                                 {"confidence", f.confidence},
                                 {"writer", Writer(f)},
                                 {"valid_from_ms", f.valid_from_ms}};
          line["valid_to_ms"] = f.valid_to_ms ? nlohmann::json(*f.valid_to_ms) : nlohmann::json();
          line["closed_by"] = f.closed_by > 0 ? nlohmann::json(f.closed_by) : nlohmann::json();
          call.PrintJson(line);
        } else {
          table.Add({fmt::format("{}", f.id), f.subject, f.attribute, f.value,
                     std::string(StateWord(f.state)), Since(f.valid_from_ms),
                     f.valid_to_ms ? ShortTime(*f.valid_to_ms) : "-",
                     f.closed_by > 0 ? fmt::format("{}", f.closed_by) : "-", Ids(f.sources),
                     std::string(Writer(f)), f.statement});
        }
      }
    }
    if (!call.json()) table.Print(call);
    return {};
  }

 private:
  static Result<bool> OfSession(const Store& store, const Fact& fact, const TurnFilter& turns) {
    if (!turns.session) return true;
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Turn> sources, store.GetTurns(fact.sources));
    return std::any_of(sources.begin(), sources.end(),
                       [&](const Turn& turn) { return turn.session_id == *turns.session; });
  }

  static Status ShowReadings(Invocation& call, const Store& store) {
    Table table({"SESSION", "THROUGH TURN", "TURNS", "STATED", "REJECTED", "WRITTEN", "VERDICT"});
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Session> sessions, store.Sessions());
    for (const Session& session : sessions) {
      LIUBAI_ASSIGN_OR_RETURN(const memory::FactsMark mark,
                              memory::LoadFactsMark(store, session.id, kDefaultTenant));
      if (mark.through == 0) continue;
      const bool weak = memory::TooWeakForFacts(mark);
      if (call.json()) {
        call.PrintJson({{"session", session.name},
                        {"through_turn", mark.through},
                        {"turns", mark.turns},
                        {"stated", mark.stated},
                        {"rejected", mark.rejected},
                        {"written", mark.written},
                        {"model", mark.model},
                        {"too_weak", weak}});
        continue;
      }
      const double share = mark.stated == 0 ? 0.0
                                            : 100.0 * static_cast<double>(mark.rejected) /
                                                  static_cast<double>(mark.stated);
      table.Add({session.name, fmt::format("{}", mark.through), fmt::format("{}", mark.turns),
                 fmt::format("{}", mark.stated), fmt::format("{} ({:.0f} %)", mark.rejected, share),
                 fmt::format("{}", mark.written),
                 weak               ? "too weak: not asked on"
                 : mark.stated < 20 ? "too few to tell"
                                    : "goes on"});
    }
    if (!call.json()) table.Print(call);
    return {};
  }

  StoreFlags store_;
  bool model_ = false;
  bool history_ = false;
  bool with_closed_ = false;
  std::string as_of_;
  std::string subject_;
};

class Profile final : public Command {
 public:
  void Declare(Flags& flags) override {
    store_.Declare(flags);
    flags.Text("--subject", "NAME", &subject_, "of this person (default: all who speak)");
    flags.Text("--as-of", "DATE", &as_of_, "as it was at the end of this day");
    flags.Text("--question", "TEXT", &question_, "only the turns that this question presupposes");
  }

  Status Run(Invocation& call, std::stop_token) override {
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, store_.OpenForReading(call));
    if (!question_.empty()) return Presupposed(call, *store);
    LIUBAI_ASSIGN_OR_RETURN(const std::optional<std::int64_t> as_of, AsOf(as_of_));
    std::vector<std::string> subjects = {subject_};
    if (subject_.empty()) {
      LIUBAI_ASSIGN_OR_RETURN(subjects, Speakers(*store));
    }
    for (const std::string& subject : subjects) {
      LIUBAI_ASSIGN_OR_RETURN(const memory::Profile profile,
                              memory::ReadProfile(*store, subject, as_of));
      Show(call, profile);
    }
    if (subjects.empty()) call.Note("nothing is known of anybody yet");
    return {};
  }

 private:
  // Those who say something of themselves.
  static Result<std::vector<std::string>> Speakers(const Store& store) {
    FactFilter filter;
    filter.history = true;
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Fact> facts, store.FindFacts(filter));
    std::vector<std::string> speakers;
    for (const Fact& fact : facts) {
      if (!fact.first_person) continue;
      if (std::find(speakers.begin(), speakers.end(), fact.subject) == speakers.end()) {
        speakers.push_back(fact.subject);
      }
    }
    return speakers;
  }

  static void Show(Invocation& call, const memory::Profile& profile) {
    if (call.json()) {
      nlohmann::json lines = nlohmann::json::array();
      for (const memory::ProfileLine& line : profile.lines) {
        lines.push_back({{"about", line.about},
                         {"kind", line.kind},
                         {"attribute", line.attribute},
                         {"value", line.value},
                         {"state", StateWord(line.state)},
                         {"sources", line.sources},
                         {"facts", line.facts},
                         {"since_ms", line.since_ms},
                         {"confidence", line.confidence}});
      }
      call.PrintJson({{"subject", profile.subject}, {"names", profile.names}, {"lines", lines}});
      return;
    }
    call.Print(call.Bold(profile.subject) +
               (profile.names.empty()
                    ? ""
                    : call.Dim(fmt::format("  also {}", fmt::join(profile.names, ", ")))) +
               "\n");
    Table table({"OF", "KIND", "ATTRIBUTE", "VALUE", "SINCE", "FROM TURN"});
    for (const memory::ProfileLine& line : profile.lines) {
      table.Add({line.about.empty() ? "-" : line.about, line.kind, line.attribute,
                 line.state == FactState::kDisputed ? line.value + " (disputed)" : line.value,
                 Since(line.since_ms), Ids(line.sources)});
    }
    table.Print(call);
    call.Print("\n");
  }

  Status Presupposed(Invocation& call, const Store& store) {
    memory::ProfileQuestion question;
    question.text = question_;
    question.asker = subject_;
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<memory::ProfileSource> sources,
                            memory::ProfileSourcesFor(store, question));
    Table table({"TURN", "WEIGHT", "REASON"});
    for (const memory::ProfileSource& source : sources) {
      if (call.json()) {
        call.PrintJson(
            {{"turn", source.turn}, {"weight", source.weight}, {"reason", source.reason}});
      } else {
        table.Add(
            {fmt::format("{}", source.turn), fmt::format("{:.2f}", source.weight), source.reason});
      }
    }
    if (!call.json()) table.Print(call);
    if (sources.empty()) call.Note("the question presupposes nothing that is known");
    return {};
  }

  StoreFlags store_;
  std::string subject_;
  std::string as_of_;
  std::string question_;
};

}  // namespace

std::unique_ptr<Command> MakeInspectFacts() { return std::make_unique<Facts>(); }
std::unique_ptr<Command> MakeInspectProfile() { return std::make_unique<Profile>(); }

}  // namespace liubai::tools
