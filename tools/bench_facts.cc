// liubai bench facts: what the rules find of the facts that were marked in a file of turns, and
// what a language model adds to them and spoils.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "core/file_system.h"
#include "core/macros.h"
#include "memory/facts.h"
#include "memory/facts_resolve.h"
#include "memory/jsonl.h"
#include "memory/model_facts.h"
#include "tools/commands.h"
#include "tools/model_flags.h"
#include "tools/recall_metrics.h"

namespace liubai::tools {
namespace {

// One that was marked, or one that was found.
struct Statement {
  std::string subject, attribute, value;
  char mark = ' ';  // '~': held once; '-': has ended; '!': corrects.
};

struct MarkedTurn {
  Turn turn;
  std::vector<Statement> facts;
  std::vector<Statement> rules;
  std::vector<Statement> model;
};

bool Same(const Statement& found, const Statement& marked) {
  // To correct is to state.
  const auto kind = [](char mark) { return mark == '!' ? ' ' : mark; };
  return kind(found.mark) == kind(marked.mark) && found.subject == marked.subject &&
         found.attribute == marked.attribute &&
         (marked.value == "*" || memory::SameValue(found.attribute, found.value, marked.value));
}

bool Among(const Statement& one, const std::vector<Statement>& marked) {
  return std::any_of(marked.begin(), marked.end(),
                     [&](const Statement& other) { return Same(one, other); });
}

Result<Statement> ReadStatement(std::string text, const std::string& where) {
  Statement statement;
  if (!text.empty() && std::string_view("~-!").find(text[0]) != std::string_view::npos) {
    statement.mark = text[0];
    text.erase(0, 1);
  }
  const auto first = text.find(" | ");
  const auto second = first == text.npos ? text.npos : text.find(" | ", first + 3);
  if (second == text.npos) {
    return Status(
        StatusCode::kDataLoss,
        fmt::format("{}: the fact \"{}\" is not \"subject | attribute | value\"", where, text));
  }
  statement.subject = text.substr(0, first);
  if (statement.subject.starts_with("me")) statement.subject.replace(0, 2, "User");
  statement.attribute = text.substr(first + 3, second - first - 3);
  statement.value = text.substr(second + 3);
  return statement;
}

Result<std::vector<MarkedTurn>> ReadTurns(const std::string& file) {
  LIUBAI_ASSIGN_OR_RETURN(const std::string text, ReadFile(PosixFileSystem(), file));
  std::vector<MarkedTurn> turns;
  std::int64_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}", file, number);
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("text") || !json["text"].is_string() ||
        !json.contains("facts") || !json["facts"].is_array()) {
      return Status(StatusCode::kDataLoss,
                    fmt::format("{}: not a line {{\"text\": …, \"facts\": […]}}", where));
    }
    MarkedTurn turn;
    turn.turn.role = Role::kUser;
    turn.turn.text = json["text"].get<std::string>();
    turn.turn.time_ms = memory::ParseTime("2024-03-04").value_or(0);
    for (const nlohmann::json& fact : json["facts"]) {
      if (!fact.is_string()) {
        return Status(StatusCode::kDataLoss, fmt::format("{}: a fact is no string", where));
      }
      LIUBAI_ASSIGN_OR_RETURN(Statement statement, ReadStatement(fact.get<std::string>(), where));
      turn.facts.push_back(std::move(statement));
    }
    turns.push_back(std::move(turn));
  }
  return turns;
}

// Of the marked facts found, and of those found marked.
struct Figures {
  std::int64_t marked = 0, found = 0, written = 0, right = 0;
};

nlohmann::json Share(std::int64_t part, std::int64_t all) {
  if (all == 0) return nullptr;
  const Interval interval = Wilson95(static_cast<double>(part), static_cast<double>(all));
  return {{"value", 100.0 * static_cast<double>(part) / static_cast<double>(all)},
          {"low", 100.0 * interval.low},
          {"high", 100.0 * interval.high}};
}

std::string Percent(std::int64_t part, std::int64_t all) {
  if (all == 0) return "-";
  const Interval interval = Wilson95(static_cast<double>(part), static_cast<double>(all));
  return fmt::format("{:.1f} ({:.1f}–{:.1f})",
                     100.0 * static_cast<double>(part) / static_cast<double>(all),
                     100.0 * interval.low, 100.0 * interval.high);
}

class BenchFacts final : public Command {
  void Declare(Flags& flags) override {
    flags.Switch("--without-model", &without_model_, "the rules alone");
    flags.Integer("--sample", "N", &sample_, 0, 1 << 20, "so many turns, drawn; 0: all");
    flags.Integer("--seed", "N", &seed_, 0, 1 << 30, "of the draw");
    flags.Switch("--list", &list_, "list what the model stated, right and wrong");
    model_.Declare(flags);
    flags.Arguments("FILE", &files_, true,
                    "JSON lines: {\"text\", \"facts\": [\"subject | attribute | value\"]}");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    std::vector<MarkedTurn> turns;
    for (const std::string& file : files_) {
      LIUBAI_ASSIGN_OR_RETURN(auto some, ReadTurns(file));
      std::move(some.begin(), some.end(), std::back_inserter(turns));
    }
    if (sample_ > 0 && static_cast<std::size_t>(sample_) < turns.size()) {
      std::mt19937 random(static_cast<unsigned>(seed_));
      std::shuffle(turns.begin(), turns.end(), random);
      turns.resize(static_cast<std::size_t>(sample_));
    }
    if (turns.empty()) return {StatusCode::kNotFound, "the files hold no turns"};
    for (std::size_t i = 0; i < turns.size(); ++i) {
      turns[i].turn.id = static_cast<TurnId>(i) + 1;
      for (const memory::Claim& claim : memory::ExtractClaims(turns[i].turn)) {
        const char mark = claim.kind == memory::ClaimKind::kFormer     ? '~'
                          : claim.kind == memory::ClaimKind::kEnded    ? '-'
                          : claim.kind == memory::ClaimKind::kCorrects ? '!'
                                                                       : ' ';
        turns[i].rules.push_back({claim.subject, claim.attribute, claim.value, mark});
      }
    }
    std::unique_ptr<LanguageModel> model;
    if (!without_model_) {
      LIUBAI_ASSIGN_OR_RETURN(model, model_.Load(call));
      LIUBAI_RETURN_IF_ERROR(ReadByModel(call, *model, &turns, stop));
    }
    Report(call, turns, model.get());
    return {};
  }

  // As the agent does in idle time, a few turns at a time; here also those in which the rules find
  // something, to see what the model does by itself.
  Status ReadByModel(Invocation& call, LanguageModel& model, std::vector<MarkedTurn>* turns,
                     std::stop_token stop) {
    Progress progress = call.MakeProgress();
    std::vector<Turn> together;
    for (std::size_t i = 0; i < turns->size(); ++i) {
      if (memory::MayStateFacts((*turns)[i].turn)) together.push_back((*turns)[i].turn);
      const bool full = together.size() == memory::kTurnsReadTogether;
      if (together.empty() || (!full && i + 1 < turns->size())) continue;
      progress.Update("reading", static_cast<std::int64_t>(i + 1),
                      static_cast<std::int64_t>(turns->size()));
      LIUBAI_ASSIGN_OR_RETURN(const memory::ModelReading reading,
                              memory::ReadFactsByModel(model, together, {}, stop));
      shown_ += static_cast<std::int64_t>(together.size());
      stated_ += reading.stated;
      not_said_ += reading.not_said;
      not_of_subject_ += reading.not_of_subject;
      not_a_value_ += reading.not_a_value;
      cut_ += reading.cut ? 1 : 0;
      tokens_ += reading.tokens;
      for (const Fact& fact : reading.facts) {
        (*turns)[static_cast<std::size_t>(fact.sources.front() - 1)].model.push_back(
            {fact.subject, fact.attribute, fact.value});
      }
      together.clear();
    }
    progress.Clear();
    return {};
  }

  void Report(Invocation& call, const std::vector<MarkedTurn>& turns, const LanguageModel* model) {
    Figures rules, alone, rest, both;
    std::int64_t rest_added = 0, rest_right = 0;
    std::vector<std::string> lines;
    for (const MarkedTurn& turn : turns) {
      const auto count = [&](const std::vector<Statement>& found, Figures* figures) {
        figures->marked += static_cast<std::int64_t>(turn.facts.size());
        for (const Statement& fact : turn.facts) figures->found += Finds(found, fact);
        figures->written += static_cast<std::int64_t>(found.size());
        for (const Statement& one : found) figures->right += Among(one, turn.facts);
      };
      // What the rules have is not written again.
      std::vector<Statement> added;
      for (const Statement& one : turn.model) {
        if (!Among(one, turn.rules)) added.push_back(one);
        if (list_) {
          lines.push_back(fmt::format("{}  {} | {} | {}  <- {}",
                                      Among(one, turn.facts) ? "right" : "wrong", one.subject,
                                      one.attribute, one.value, turn.turn.text));
        }
      }
      std::vector<Statement> together = turn.rules;
      together.insert(together.end(), added.begin(), added.end());
      count(turn.rules, &rules);
      count(turn.model, &alone);
      count(together, &both);
      count(turn.rules.empty() ? turn.model : turn.rules, &rest);
      if (!turn.rules.empty()) continue;
      rest_added += static_cast<std::int64_t>(turn.model.size());
      for (const Statement& one : turn.model) rest_right += Among(one, turn.facts);
    }
    const std::int64_t rejected = not_said_ + not_of_subject_ + not_a_value_;
    if (call.json()) {
      const auto json = [](const Figures& f) -> nlohmann::json {
        return {{"marked", f.marked},
                {"written", f.written},
                {"recall", Share(f.found, f.marked)},
                {"precision", Share(f.right, f.written)}};
      };
      nlohmann::json result = {{"turns", turns.size()}, {"rules", json(rules)}};
      if (model != nullptr) {
        result["model"] = {{"alone", json(alone)},        {"shown_turns", shown_},
                           {"stated", stated_},           {"rejected", rejected},
                           {"not_said", not_said_},       {"not_of_subject", not_of_subject_},
                           {"not_a_value", not_a_value_}, {"cut", cut_},
                           {"tokens", tokens_},           {"info", DescribeModel(model->info())}};
        result["rules_then_model"] = json(rest);
        result["rules_then_model"]["added"] = rest_added;
        result["rules_then_model"]["added_right"] = rest_right;
        result["rules_and_model"] = json(both);
      }
      if (list_) result["statements"] = lines;
      call.PrintJson(result);
      return;
    }
    call.Print(fmt::format("{} turns with {} marked facts; per cent with 95 % intervals\n\n",
                           turns.size(), rules.marked));
    Table table({"", "WRITTEN", "RECALL", "PRECISION"});
    const auto row = [&](std::string name, const Figures& f) {
      table.Add({std::move(name), fmt::format("{}", f.written), Percent(f.found, f.marked),
                 Percent(f.right, f.written)});
    };
    row("rules", rules);
    if (model != nullptr) {
      row("model alone", alone);
      row("rules, the model where they find nothing", rest);
      row("rules and model everywhere", both);
    }
    table.Print(call);
    if (model != nullptr) {
      call.Print(fmt::format(
          "\n{}: {} turns shown, {} statements, {} rejected (value not in the turn {}, sentence "
          "not\nof the subject {}, no value of the attribute {}); {} readings cut; {} tokens. "
          "Where the rules\nfind nothing it adds {}, of which {} are right.\n",
          model->info().name, shown_, stated_, rejected, not_said_, not_of_subject_, not_a_value_,
          cut_, tokens_, rest_added, rest_right));
    }
    for (const std::string& line : lines) call.Print(line + "\n");
  }

  static bool Finds(const std::vector<Statement>& found, const Statement& fact) {
    return std::any_of(found.begin(), found.end(),
                       [&](const Statement& one) { return Same(one, fact); });
  }

  ModelFlags model_;
  std::vector<std::string> files_;
  bool without_model_ = false;
  bool list_ = false;
  int sample_ = 0;
  int seed_ = 1;
  std::int64_t shown_ = 0, stated_ = 0, not_said_ = 0, not_of_subject_ = 0, not_a_value_ = 0;
  std::int64_t cut_ = 0, tokens_ = 0;
};

}  // namespace

std::unique_ptr<Command> MakeBenchFacts() { return std::make_unique<BenchFacts>(); }

}  // namespace liubai::tools
