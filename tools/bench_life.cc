// liubai bench life: three years of sessions through the real agent, then questions about all of
// it. Is session 3 remembered as well as session 299, does the prompt stay within its budget, does
// recall stay quick, do the files grow in a straight line? Beside it, on the same life and under
// the same budget: a sliding window, plain summaries, recursive summaries.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/elapsed.h"
#include "core/macros.h"
#include "memory/essence.h"
#include "memory/prompt.h"
#include "tools/bench_texts.h"
#include "tools/commands.h"
#include "tools/life_bench.h"
#include "tools/recall_metrics.h"
#include "tools/signal_file.h"

namespace liubai::tools {
namespace {

constexpr int kMostParts = 10;
constexpr int kAnswerTokens = 48;
constexpr std::string_view kOurs = "liubai";
constexpr std::string_view kOracle = "oracle";

// Of one tenth of the life.
struct Tenth {
  Share recall_5, recall_10, recalled_text;
  Share current, past;  // Of recall_5: what still holds, and what something later replaced.
  std::map<std::string, Share> in_prompt;  // By system.
  std::vector<std::int64_t> recall_us;
  int prompt_tokens = 0;  // The most.
  LivedBytes bytes;       // At its end.
  std::size_t turns = 0;  // At its end.
};

// y = slope * x + intercept by least squares, and how much of the variation it explains.
struct Line {
  double slope = 0, intercept = 0, r2 = 0;
};
Line FitLine(const std::vector<std::pair<double, double>>& points) {
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  const auto n = static_cast<double>(points.size());
  for (const auto& [px, py] : points) {
    x += px / n;
    y += py / n;
  }
  for (const auto& [px, py] : points) {
    xx += (px - x) * (px - x);
    xy += (px - x) * (py - y);
    yy += (py - y) * (py - y);
  }
  Line line;
  if (xx > 0) line.slope = xy / xx;
  line.intercept = y - line.slope * x;
  line.r2 = xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 1;
  return line;
}

class BenchLife final : public Command {
  void Declare(Flags& flags) override {
    flags_.Declare(flags);
    flags.Integer("--asked", "N", &asked_, 10, 1 << 20,
                  "questions that are sent to the agent, spread over the life; all are searched");
    flags.Integer("--answers", "N", &answers_, 0, 1 << 20,
                  "of those, questions that the model answers, in every system");
    signal_file_.Declare(flags);
    flags.Text("--weights", "LIST", &weights_, "other weights, such as words=0.5,speaker=0.3");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_ASSIGN_OR_RETURN(life_, GenerateLife(flags_.Life()));
    call.UseData(LifeName(flags_), LifeText(life_));
    LIUBAI_ASSIGN_OR_RETURN(models_, LifeBenchModels::Load(call, flags_));
    LIUBAI_ASSIGN_OR_RETURN(models_.lived.weights, ParseWeights(weights_));
    LIUBAI_ASSIGN_OR_RETURN(
        memory_, LivedMemory::Open(*models_.replay, models_.embedder.get(), models_.lived));
    LIUBAI_ASSIGN_OR_RETURN(window_, memory_->agent().Window());
    baselines_ = MakeBaselines(models_, PromptTokens(window_));
    // A life of fewer sessions has a part for each.
    tenths_.resize(static_cast<std::size_t>(std::min(kMostParts, life_.sessions)));
    Progress progress = call.MakeProgress();
    const auto start = std::chrono::steady_clock::now();
    LIUBAI_RETURN_IF_ERROR(LiveThrough(&progress, stop));
    lived_s_ = static_cast<double>(MicrosSince(start)) / 1e6;
    LIUBAI_RETURN_IF_ERROR(SearchAll(&progress, stop));
    LIUBAI_RETURN_IF_ERROR(signal_file_.Close());
    LIUBAI_RETURN_IF_ERROR(AskSome(&progress, stop));
    progress.Clear();
    LIUBAI_ASSIGN_OR_RETURN(const nlohmann::json report, Report());
    if (!call.Report(report)) Show(call, report);
    return Status();
  }

  static Status GoesOn(const std::stop_token& stop) {
    if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
    return Status();
  }

  int Parts() const { return static_cast<int>(tenths_.size()); }
  Tenth& TenthOf(int session) {
    return tenths_[static_cast<std::size_t>((session - 1) * Parts() / life_.sessions)];
  }

  Status LiveThrough(Progress* progress, std::stop_token stop) {
    std::size_t begin = 0;
    for (int session = 1; session <= life_.sessions; ++session) {
      LIUBAI_RETURN_IF_ERROR(GoesOn(stop));
      std::size_t end = begin;
      while (end < life_.turns.size() && life_.turns[end].session == session) ++end;
      const std::span<const LifeTurn> turns(life_.turns.data() + begin, end - begin);
      Tenth& tenth = TenthOf(session);
      int most = 0;
      LIUBAI_RETURN_IF_ERROR(memory_->Speak(KnownTurns(turns), [&](const Reply& reply) {
        tenth.recall_us.push_back(reply.recall_us);
        most = std::max(most, reply.prompt_tokens);
      }));
      prompt_tokens_.push_back(most);
      tenth.prompt_tokens = std::max(tenth.prompt_tokens, most);
      for (std::size_t i = begin; i < end; ++i) {
        Turn turn;
        turn.id = memory_->turn_ids()[i];
        turn.role = life_.turns[i].user ? Role::kUser : Role::kAssistant;
        turn.text = life_.turns[i].text;
        turn.time_ms = life_.turns[i].time_ms;
        for (ContextBaseline& baseline : baselines_) {
          LIUBAI_RETURN_IF_ERROR(baseline.Add(turn, stop));
        }
      }
      begin = end;
      tenth.turns = end;
      if (session == life_.sessions || &TenthOf(session + 1) != &tenth) {
        LIUBAI_ASSIGN_OR_RETURN(tenth.bytes, memory_->Bytes());
      }
      progress->Update("sessions", static_cast<std::uint64_t>(session),
                       static_cast<std::uint64_t>(life_.sessions));
    }
    return Status();
  }

  // The place of the first turn that holds the detail among those found for its question, or -1.
  Result<int> RankOf(const LifeDetail& detail, std::stop_token stop) {
    RecallQuery query;
    query.text = detail.question;
    query.limit = 10;
    query.now_ms = life_.end_ms;
    query.with_irrelevant = true;
    LIUBAI_ASSIGN_OR_RETURN(const RecallResult found, memory_->retriever().Recall(query, stop));
    std::set<TurnId> wanted;
    for (const std::size_t turn : detail.turns) wanted.insert(memory_->turn_ids()[turn]);
    if (signal_file_.open()) {
      LIUBAI_RETURN_IF_ERROR(
          signal_file_.Turns(memory_->retriever(), query,
                             {.id = fmt::format("{} {}", detail.session, detail.question),
                              .group = fmt::format("life {}", flags_.seed),
                              .kind = detail.past ? "past" : "current",
                              .evidence = wanted.size()},
                             [&](TurnId id) { return wanted.contains(id); }));
    }
    for (std::size_t i = 0; i < found.hits.size(); ++i) {
      if (wanted.contains(found.hits[i].turn.id)) return static_cast<int>(i);
    }
    return -1;
  }

  Status SearchAll(Progress* progress, std::stop_token stop) {
    std::uint64_t done = 0;
    for (const LifeDetail& detail : life_.details) {
      LIUBAI_RETURN_IF_ERROR(GoesOn(stop));
      LIUBAI_ASSIGN_OR_RETURN(const int rank, RankOf(detail, stop));
      const bool first_5 = rank >= 0 && rank < 5;
      Tenth& tenth = TenthOf(detail.session);
      tenth.recall_5.Add(first_5);
      tenth.recall_10.Add(rank >= 0);
      (detail.past ? tenth.past : tenth.current).Add(first_5);
      // The same in every run over the same life, so that two results can be paired.
      questions_.push_back({{"id", fmt::format("{} {}", detail.session, detail.question)},
                            {"first_5", first_5},
                            {"first_10", rank >= 0}});
      by_kind_[detail.kind].Add(first_5);
      by_language_[detail.language].Add(first_5);
      by_time_[detail.past ? "past" : "current"].Add(first_5);
      progress->Update("searches", ++done, life_.details.size());
    }
    return Status();
  }

  // As many of each part of the life.
  std::vector<const LifeDetail*> Spread(int count) const {
    std::vector<const LifeDetail*> chosen;
    const std::size_t all = life_.details.size();
    const std::size_t take = std::min(all, static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < take; ++i) chosen.push_back(&life_.details[i * all / take]);
    return chosen;
  }

  Status AskSome(Progress* progress, std::stop_token stop) {
    const std::vector<const LifeDetail*> asked = Spread(asked_);
    const int answers = models_.real ? std::min(answers_, static_cast<int>(asked.size())) : 0;
    std::uint64_t done = 0;
    for (const LifeDetail* detail : asked) {
      LIUBAI_RETURN_IF_ERROR(GoesOn(stop));
      std::string prompt;
      LIUBAI_ASSIGN_OR_RETURN(const Reply reply,
                              memory_->AskCopy(detail->question, life_.end_ms, &prompt));
      asked_prompt_tokens_ = std::max(asked_prompt_tokens_, reply.prompt_tokens);
      Tenth& tenth = TenthOf(detail->session);
      const bool recalled =
          std::any_of(reply.recalled.begin(), reply.recalled.end(),
                      [&](const RecalledTurn& turn) { return HoldsAnswer(turn.text, *detail); });
      tenth.recalled_text.Add(recalled);
      nlohmann::json turns = nlohmann::json::array();
      for (const RecalledTurn& turn : reply.recalled) turns.push_back(turn.turn_id);
      nlohmann::json wanted = nlohmann::json::array();
      for (const std::size_t turn : detail->turns) wanted.push_back(memory_->turn_ids()[turn]);
      asked_questions_.push_back({{"id", fmt::format("{} {}", detail->session, detail->question)},
                                  {"kind", detail->kind},
                                  {"accept", detail->accept},
                                  {"wanted_turns", std::move(wanted)},
                                  {"recalled_turns", std::move(turns)},
                                  {"recall_note", reply.recall_note},
                                  {"recalled", recalled}});
      tenth.in_prompt[std::string(kOurs)].Add(HoldsAnswer(prompt, *detail));
      for (const ContextBaseline& baseline : baselines_) {
        tenth.in_prompt[std::string(BaselineName(baseline.kind()))].Add(
            HoldsAnswer(baseline.Text(), *detail));
      }
      // Every so many of them, the model answers.
      const auto at = static_cast<int>(done);
      const auto all = static_cast<int>(asked.size());
      if (answers > 0 && (at + 1) * answers / all > at * answers / all) {
        LIUBAI_RETURN_IF_ERROR(AnswerInAll(*detail, stop));
      }
      progress->Update("questions", ++done, asked.size());
    }
    return Status();
  }

  // The same model and the same words around the question in every system.
  Status AnswerInAll(const LifeDetail& detail, std::stop_token stop) {
    LIUBAI_RETURN_IF_ERROR(Answer(std::string(kOurs), models_.replay->last_prompt(), detail, stop));
    for (const ContextBaseline& baseline : baselines_) {
      LIUBAI_ASSIGN_OR_RETURN(std::vector<Segment> prompt,
                              PromptOf(baseline.Summary(), baseline.turns(), {}, detail));
      LIUBAI_RETURN_IF_ERROR(
          Answer(std::string(BaselineName(baseline.kind())), std::move(prompt), detail, stop));
    }
    std::vector<TurnId> ids;
    for (const std::size_t turn : detail.turns) ids.push_back(memory_->turn_ids()[turn]);
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Turn> evidence, memory_->store().GetTurns(ids));
    std::string memories;
    for (const Turn& turn : evidence) memories += RenderMemory(turn, turn.text) + "\n";
    LIUBAI_ASSIGN_OR_RETURN(std::vector<Segment> prompt, PromptOf({}, {}, memories, detail));
    return Answer(std::string(kOracle), std::move(prompt), detail, stop);
  }

  Result<std::vector<Segment>> PromptOf(const std::string& summary, const std::deque<Turn>& turns,
                                        const std::string& memories,
                                        const LifeDetail& detail) const {
    const LanguageModel& model = *models_.real;
    std::string system = memory::DefaultSystemText();
    if (!summary.empty()) system += "\n\nEarlier in this conversation:\n" + summary;
    const bool chinese = memory::MostlyChinese(detail.question);
    const std::string question =
        memory::MessageWithMemories(memories, detail.question, chinese, true);
    std::vector<Segment> prompt;
    LIUBAI_ASSIGN_OR_RETURN(std::vector<TokenId> tokens, model.ChatStart(system));
    prompt.push_back({SegmentKind::kSystem, 0, std::move(tokens)});
    bool first = true;
    for (const Turn& turn : turns) {
      if (first && turn.role == Role::kUser) {
        LIUBAI_ASSIGN_OR_RETURN(tokens, model.ChatFirst(system, turn.text));
      } else {
        LIUBAI_ASSIGN_OR_RETURN(
            tokens, model.ChatMessage(turn.role == Role::kUser ? "user" : "assistant", turn.text));
      }
      first = false;
      prompt.push_back({SegmentKind::kTurn, 0, std::move(tokens)});
    }
    if (first) {
      LIUBAI_ASSIGN_OR_RETURN(tokens, model.ChatFirst(system, question));
    } else {
      LIUBAI_ASSIGN_OR_RETURN(tokens, model.ChatMessage("user", question));
    }
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<TokenId> header, model.ChatReplyHeader());
    tokens.insert(tokens.end(), header.begin(), header.end());
    prompt.push_back({SegmentKind::kTurn, 0, std::move(tokens)});
    return prompt;
  }

  Status Answer(const std::string& system, std::vector<Segment> prompt, const LifeDetail& detail,
                std::stop_token stop) {
    // What a system's prompts begin with alike is computed once.
    std::unique_ptr<Context>& context = contexts_[system];
    if (!context) {
      LIUBAI_ASSIGN_OR_RETURN(context, models_.real->NewContext());
    }
    LIUBAI_RETURN_IF_ERROR(context->SetSegments(std::move(prompt)).WithContext(system));
    SamplingParams greedy;
    greedy.max_tokens = kAnswerTokens;
    LIUBAI_ASSIGN_OR_RETURN(const Generation made, context->Generate(greedy, {}, stop));
    LIUBAI_RETURN_IF_ERROR(GoesOn(stop));
    answered_[system].Add(HoldsAnswer(made.text, detail));
    return Status();
  }

  std::vector<std::string> Systems() const {
    std::vector<std::string> names = {std::string(kOurs)};
    for (const BaselineKind kind : kBaselines) names.emplace_back(BaselineName(kind));
    return names;
  }

  Result<nlohmann::json> Report() {
    using nlohmann::json;
    Tenth all;
    json tenths = json::array();
    std::vector<std::pair<double, double>> database, indexes;
    for (std::size_t i = 0; i < tenths_.size(); ++i) {
      Tenth& tenth = tenths_[i];
      const auto begin = static_cast<int>(i) * life_.sessions;
      json prompts = json::object();
      for (auto& [system, share] : tenth.in_prompt) {
        prompts[system] = share.ToJson();
        Share& sum = all.in_prompt[system];
        sum.hits += share.hits;
        sum.n += share.n;
      }
      for (const auto& [sum, part] :
           {std::pair(&all.recall_5, &tenth.recall_5), std::pair(&all.recall_10, &tenth.recall_10),
            std::pair(&all.recalled_text, &tenth.recalled_text)}) {
        sum->hits += part->hits;
        sum->n += part->n;
      }
      all.prompt_tokens = std::max(all.prompt_tokens, tenth.prompt_tokens);
      all.recall_us.insert(all.recall_us.end(), tenth.recall_us.begin(), tenth.recall_us.end());
      database.emplace_back(tenth.turns, tenth.bytes.database);
      indexes.emplace_back(tenth.turns, tenth.bytes.indexes);
      const LivedBytes before = i > 0 ? tenths_[i - 1].bytes : LivedBytes();
      const std::size_t turns = tenth.turns - (i > 0 ? tenths_[i - 1].turns : 0);
      const auto per_turn = [&](std::int64_t now, std::int64_t then) {
        return turns > 0 ? static_cast<double>(now - then) / static_cast<double>(turns) : 0.0;
      };
      tenths.push_back({{"sessions",
                         {(begin + Parts() - 1) / Parts() + 1,
                          (begin + life_.sessions + Parts() - 1) / Parts()}},
                        {"turns", turns},
                        {"recall_at_5", tenth.recall_5.ToJson()},
                        {"recall_at_5_current", tenth.current.ToJson()},
                        {"recall_at_5_past", tenth.past.ToJson()},
                        {"recall_at_10", tenth.recall_10.ToJson()},
                        {"value_in_recalled_text", tenth.recalled_text.ToJson()},
                        {"value_in_prompt", prompts},
                        {"prompt_tokens_max", tenth.prompt_tokens},
                        {"recall_ms", LatencyJson(tenth.recall_us)},
                        {"bytes",
                         {{"database", tenth.bytes.database},
                          {"indexes", tenth.bytes.indexes},
                          {"text", tenth.bytes.text},
                          {"database_per_turn", per_turn(tenth.bytes.database, before.database)},
                          {"indexes_per_turn", per_turn(tenth.bytes.indexes, before.indexes)},
                          {"text_per_turn", per_turn(tenth.bytes.text, before.text)}}}});
    }
    const auto shares = [](const std::map<std::string, Share>& by) {
      json out = json::object();
      for (const auto& [name, share] : by) out[name] = share.ToJson();
      return out;
    };
    const auto line = [](const std::vector<std::pair<double, double>>& points) -> json {
      const Line fit = FitLine(points);
      return {{"bytes_per_turn", fit.slope}, {"intercept", fit.intercept}, {"r2", fit.r2}};
    };
    LIUBAI_ASSIGN_OR_RETURN(const StoreStats stats, memory_->store().Stats());
    json report = {{"bench", "life"},
                   {"life",
                    {{"sessions", life_.sessions},
                     {"turns", life_.turns.size()},
                     {"details", life_.details.size()}}},
                   {"interval", "Wilson, 95 %"},
                   {"prompt",
                    {{"window_tokens", window_.window_tokens},
                     {"budget_tokens", window_.window_tokens - window_.reply_budget},
                     {"baseline_tokens", PromptTokens(window_)},
                     {"max_tokens", all.prompt_tokens},
                     {"max_tokens_of_a_question", asked_prompt_tokens_},
                     {"max_tokens_by_session", prompt_tokens_}}},
                   {"recall_at_5", all.recall_5.ToJson()},
                   {"recall_at_10", all.recall_10.ToJson()},
                   {"recall_at_5_by_kind", shares(by_kind_)},
                   {"recall_at_5_by_language", shares(by_language_)},
                   {"recall_at_5_by_time", shares(by_time_)},
                   {"value_in_recalled_text", all.recalled_text.ToJson()},
                   {"value_in_prompt", shares(all.in_prompt)},
                   {"answers_right", shares(answered_)},
                   {"recall_ms", LatencyJson(all.recall_us)},
                   {"files", {{"database", line(database)}, {"indexes", line(indexes)}}},
                   {"store",
                    {{"turns", stats.turns},
                     {"essences", stats.essences},
                     {"ledger_entries", stats.ledger_entries},
                     {"reports", stats.reports}}},
                   {"lived_s", lived_s_},
                   {"peak_memory_bytes", PeakMemoryBytes()},
                   {"tenths", tenths},
                   {"questions", questions_},
                   {"asked", asked_questions_}};
    report.update(models_.Describe());
    return report;
  }

  static std::string Part(const Share& share) {
    return share.n > 0 ? fmt::format("{:.1f} of {}", share.per_cent(), share.n) : "-";
  }

  void Show(Invocation& call, const nlohmann::json& report) const {
    call.Print(fmt::format(
        "{} sessions, {} turns, {} details; window {} tokens, {}; recall by {}; seed {}\n",
        life_.sessions, life_.turns.size(), life_.details.size(), window_.window_tokens,
        models_.real ? models_.real->info().name : "no model",
        models_.embedder ? models_.embedder->name() : "words", flags_.seed));
    std::vector<std::string> header = {"sessions", "n",   "recall@5", "current",
                                       "past",     "@10", "asked",    "recalled"};
    for (const std::string& system : Systems()) header.push_back(system);
    for (const char* column : {"prompt", "p50 ms", "p95 ms", "B/turn"}) header.push_back(column);
    Table table(header);
    for (std::size_t i = 0; i < tenths_.size(); ++i) {
      const Tenth& tenth = tenths_[i];
      const nlohmann::json& json = report["tenths"][i];
      std::vector<std::string> row = {
          fmt::format("{}–{}", json["sessions"][0].get<int>(), json["sessions"][1].get<int>()),
          std::to_string(tenth.recall_5.n),
          fmt::format("{:.1f}", tenth.recall_5.per_cent()),
          Part(tenth.current),
          Part(tenth.past),
          fmt::format("{:.1f}", tenth.recall_10.per_cent()),
          std::to_string(tenth.recalled_text.n),
          fmt::format("{:.1f}", tenth.recalled_text.per_cent())};
      for (const std::string& system : Systems()) {
        const auto known = tenth.in_prompt.find(system);
        row.push_back(
            known == tenth.in_prompt.end() ? "-" : fmt::format("{:.1f}", known->second.per_cent()));
      }
      row.push_back(std::to_string(tenth.prompt_tokens));
      row.push_back(fmt::format("{:.1f}", json["recall_ms"]["p50"].get<double>()));
      row.push_back(fmt::format("{:.1f}", json["recall_ms"]["p95"].get<double>()));
      row.push_back(fmt::format("{:.0f}", json["bytes"]["database_per_turn"].get<double>() +
                                              json["bytes"]["indexes_per_turn"].get<double>()));
      table.Add(std::move(row));
    }
    table.Print(call);
    const auto share = [](const nlohmann::json& one) {
      return fmt::format("{:.1f} % ({:.1f}–{:.1f}, N {})", one["value"].get<double>(),
                         one["low"].get<double>(), one["high"].get<double>(), one["n"].get<int>());
    };
    call.Print(fmt::format(
        "  the turn among the first 5: {}; first 10: {}\n  the value in what was recalled: {}\n",
        share(report["recall_at_5"]), share(report["recall_at_10"]),
        share(report["value_in_recalled_text"])));
    for (const auto& [time, one] : report["recall_at_5_by_time"].items()) {
      call.Print(fmt::format("  among the first 5, {}: {}\n", time, share(one)));
    }
    for (const std::string& system : Systems()) {
      call.Print(fmt::format("  the value in the prompt, {}: {}\n", system,
                             share(report["value_in_prompt"][system])));
    }
    for (const auto& [system, one] : report["answers_right"].items()) {
      call.Print(fmt::format("  answered rightly, {}: {}\n", system, share(one)));
    }
    call.Print(fmt::format(
        "  largest prompt {} tokens of {}; with a question {}\n"
        "  files: {:.0f} bytes a turn in the database (r² {:.4f}), {:.0f} in indexes; lived in "
        "{:.0f} s\n",
        report["prompt"]["max_tokens"].get<int>(), report["prompt"]["budget_tokens"].get<int>(),
        asked_prompt_tokens_, report["files"]["database"]["bytes_per_turn"].get<double>(),
        report["files"]["database"]["r2"].get<double>(),
        report["files"]["indexes"]["bytes_per_turn"].get<double>(), lived_s_));
  }

  LifeBenchFlags flags_;
  std::string weights_;
  SignalFile signal_file_;
  int asked_ = 200;
  int answers_ = 40;
  Life life_;
  LifeBenchModels models_;
  std::map<std::string, std::unique_ptr<Context>> contexts_;  // By system.
  std::unique_ptr<LivedMemory> memory_;
  WindowInfo window_;
  std::vector<ContextBaseline> baselines_;
  std::vector<Tenth> tenths_;
  std::vector<int> prompt_tokens_;  // [sessions] the largest of each.
  int asked_prompt_tokens_ = 0;
  nlohmann::json questions_ = nlohmann::json::array();
  nlohmann::json asked_questions_ = nlohmann::json::array();
  std::map<std::string, Share> by_kind_, by_language_, by_time_, answered_;
  double lived_s_ = 0;
};

}  // namespace

std::unique_ptr<Command> MakeBenchLife() { return std::make_unique<BenchLife>(); }

}  // namespace liubai::tools
