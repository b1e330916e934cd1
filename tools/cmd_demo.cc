// liubai demo: the main job in front of the user's eyes. A conversation of ten windows, its last
// turns spoken live, then questions about what left the window long ago: the same model with a
// sliding window alone and with its memory.
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/file_system.h"
#include "core/macros.h"
#include "fmt/format.h"
#include "memory/jsonl.h"
#include "tools/agent_flags.h"
#include "tools/commands.h"
#include "tools/demo_score.h"
#include "tools/recall_metrics.h"

namespace liubai::tools {
namespace {

// A file in memory.
class TextInput final : public ReadableFile {
 public:
  explicit TextInput(std::string_view text) : text_(text) {}
  Result<std::size_t> Read(std::span<std::byte> buffer) override {
    const std::size_t take = std::min(buffer.size(), text_.size());
    std::copy_n(text_.data(), take, reinterpret_cast<char*>(buffer.data()));
    text_.remove_prefix(take);
    return take;
  }

 private:
  std::string_view text_;
};

struct Asked {
  Reply reply;
  bool right = false;
};

class Demo final : public Command {
 public:
  Demo() { flags_.max_tokens = 64; }

 private:
  void Declare(Flags& flags) override {
    flags_.Declare(flags);
    flags.Integer("--live-turns", "N", &live_turns_, 0, 1000,
                  "speak the first N of the live turns only");
    flags.Text(
        "--questions", "FILE|further", &questions_,
        "ask these instead: a file in the form of tools/demo/questions.jsonl, or the further ones");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    const auto began = std::chrono::steady_clock::now();
    LIUBAI_ASSIGN_OR_RETURN(const auto live, DemoLiveTurns());
    LIUBAI_ASSIGN_OR_RETURN(const auto questions, Questions());
    LIUBAI_RETURN_IF_ERROR(PrepareFolder(call));
    LIUBAI_ASSIGN_OR_RETURN(OpenedAgent ours, OpenMemory(call));
    const std::stop_callback cancel(stop, [&] { ours.agent->Cancel(); });

    LIUBAI_RETURN_IF_ERROR(GoesOn(stop));
    LIUBAI_RETURN_IF_ERROR(Catch(call, ours));
    LIUBAI_RETURN_IF_ERROR(SpeakLive(call, ours, live, stop));

    LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
    LIUBAI_ASSIGN_OR_RETURN(OpenedBaseline sliding, OpenBaseline(call, ours, folder.path()));
    const std::stop_callback cancel_sliding(stop, [&] { sliding.agent->Cancel(); });

    if (!call.json()) {
      LIUBAI_ASSIGN_OR_RETURN(const std::int64_t tokens, CountTokens(ours));
      LIUBAI_ASSIGN_OR_RETURN(const WindowInfo info, ours.agent->Window());
      call.Print(fmt::format("\nthe conversation has {} tokens now, {:.1f} windows\n", tokens,
                             static_cast<double>(tokens) / info.window_tokens));
      call.Print("\n" +
                 call.Bold(fmt::format("{} questions about what left the window long ago",
                                       questions.size())) +
                 "\n");
    }
    std::vector<Asked> without, with;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      LIUBAI_RETURN_IF_ERROR(GoesOn(stop));
      LIUBAI_ASSIGN_OR_RETURN(Reply plain, sliding.agent->Send(questions[i].question));
      LIUBAI_RETURN_IF_ERROR(GoesOn(stop));
      LIUBAI_RETURN_IF_ERROR(sliding.agent->WaitIdle());
      LIUBAI_RETURN_IF_ERROR(GoesOn(stop));
      LIUBAI_ASSIGN_OR_RETURN(Reply recalled, ours.agent->Send(questions[i].question));
      LIUBAI_RETURN_IF_ERROR(GoesOn(stop));
      // As between two messages of a person: the next one finds vectors and window ready.
      LIUBAI_RETURN_IF_ERROR(ours.agent->WaitIdle());
      without.push_back({plain, IsRight(questions[i], plain.text)});
      with.push_back({recalled, IsRight(questions[i], recalled.text)});
      ShowQuestion(call, static_cast<int>(i) + 1, questions[i], without.back(), with.back());
    }
    return ShowResult(
        call, ours, questions, without, with,
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }

  Result<std::vector<DemoQuestion>> Questions() const {
    if (questions_.empty()) return DemoQuestions();
    if (questions_ == "further") return DemoFurtherQuestions();
    LIUBAI_ASSIGN_OR_RETURN(const std::string text, ReadFile(PosixFileSystem(), questions_));
    return ParseDemoQuestions(text, questions_);
  }

  // An interruption stops what runs; what would be next is not begun.
  static Status GoesOn(const std::stop_token& stop) {
    if (stop.stop_requested()) return {StatusCode::kCancelled, "interrupted"};
    return {};
  }

  struct OpenedBaseline {
    std::unique_ptr<Store> store;
    std::unique_ptr<Agent> agent;
  };

  // The demonstration's own memory: nobody's conversation is ever mixed with it or replaced.
  Status PrepareFolder(Invocation& call) {
    if (flags_.store.store.empty()) {
      flags_.store.store =
          (std::filesystem::path(flags_.store.Folder()).parent_path() / "demo").string();
    }
    flags_.store.session = std::string(kDefaultSession);
    const std::string& folder = flags_.store.store;
    FileSystem& fs = PosixFileSystem();
    // The mark is there before anything else and stays: a run that is killed leaves no folder that
    // the next one would not know.
    constexpr std::string_view kMarkName = "liubai-demo";
    const std::string mark = fmt::format("{}/{}", folder, kMarkName);
    std::error_code failed;
    if (fs.Exists(mark)) {
      for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
        if (entry.path().filename() != kMarkName) {
          std::filesystem::remove_all(entry.path(), failed);
        }
        if (failed) break;
      }
      if (failed) {
        return {StatusCode::kPermissionDenied,
                fmt::format("cannot remove the earlier demonstration in {}: {}", folder,
                            failed.message())};
      }
      return {};
    }
    if (fs.Exists(folder) && !std::filesystem::is_empty(folder, failed)) {
      return call.UsageError(fmt::format(
          "{} holds something that is no earlier demonstration; name another --store", folder));
    }
    LIUBAI_RETURN_IF_ERROR(fs.CreateDirectories(folder));
    return WriteFileAtomically(fs, mark, "Made by liubai demo, which replaces this folder.\n");
  }

  Result<OpenedAgent> OpenMemory(Invocation& call) {
    OpenedAgent opened;
    LIUBAI_ASSIGN_OR_RETURN(opened.model, flags_.model.Load(call));
    LIUBAI_ASSIGN_OR_RETURN(opened.embedder, flags_.embedder.Load(call));
    LIUBAI_ASSIGN_OR_RETURN(opened.store, flags_.store.OpenForWriting(call));
    TextInput input(DemoConversation());
    memory::JsonlOptions import;
    import.default_session = flags_.store.session;
    LIUBAI_ASSIGN_OR_RETURN(const memory::JsonlReport report,
                            memory::ImportJsonl(*opened.store, input, import));
    imported_ = report.turns;
    LIUBAI_ASSIGN_OR_RETURN(const AgentOptions options, Options(call, opened, *opened.store));
    LIUBAI_ASSIGN_OR_RETURN(opened.agent, Agent::Create(options));
    return opened;
  }

  Result<AgentOptions> Options(Invocation& call, const OpenedAgent& opened, Store& store) {
    LIUBAI_ASSIGN_OR_RETURN(AgentOptions options, flags_.Options(call));
    options.store = &store;
    options.model = opened.model.get();
    options.embedder = opened.embedder.get();
    options.idle_work = false;  // Waited for between turns, so that what is timed is a turn.
    return options;
  }

  // Of all turns, their words alone.
  static Result<std::int64_t> CountTokens(const OpenedAgent& ours) {
    std::int64_t tokens = 0;
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Turn> turns, ours.store->Turns({}, 100'000));
    for (const Turn& turn : turns) {
      tokens += static_cast<std::int64_t>(ours.model->Tokenize(turn.text).size());
    }
    return tokens;
  }

  // Embeds and compacts what was imported.
  Status Catch(Invocation& call, OpenedAgent& ours) {
    LIUBAI_ASSIGN_OR_RETURN(const std::int64_t tokens, CountTokens(ours));
    LIUBAI_ASSIGN_OR_RETURN(const WindowInfo before, ours.agent->Window());
    if (!call.json()) {
      call.Print(fmt::format(
          "{}\n  model    {} ({}, {} threads, {})\n  embedder {}\n  window   {} tokens\n"
          "  memory   {}\n\n{} turns imported from a conversation of nearly two years: {} tokens, "
          "{:.1f} "
          "windows\n",
          call.Bold("An agent whose memory outlives its window"), ours.model->info().name,
          ours.model->info().architecture, ours.model->info().threads, ours.model->info().isa,
          ours.embedder == nullptr ? "none: recall by words only" : ours.embedder->name(),
          before.window_tokens, ours.store->folder(), imported_, tokens,
          static_cast<double>(tokens) / before.window_tokens));
    }
    std::fflush(stdout);  // It takes a while, also for who reads from a pipe.
    Progress progress = call.MakeProgress();
    progress.Update("embedding and compacting what is outside the window", 0, 0);
    const auto start = std::chrono::steady_clock::now();
    LIUBAI_RETURN_IF_ERROR(ours.agent->WaitIdle());
    progress.Clear();
    if (call.json()) return {};
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    LIUBAI_ASSIGN_OR_RETURN(const WindowInfo after, ours.agent->Window());
    call.Print(
        fmt::format("embedded and compacted in {:.1f} s: {} turns stay in the window, {} "
                    "summaries stand for the rest\n\n",
                    seconds, after.turns, after.essences));
    return {};
  }

  Status SpeakLive(Invocation& call, OpenedAgent& ours, const std::vector<std::string>& live,
                   std::stop_token stop) {
    const std::size_t count = std::min(live.size(), static_cast<std::size_t>(live_turns_));
    if (!call.json() && count > 0) {
      call.Print(call.Bold(fmt::format("{} turns spoken live", count)) + "\n");
    }
    for (std::size_t i = 0; i < count; ++i) {
      LIUBAI_RETURN_IF_ERROR(GoesOn(stop));
      const OnText show = [&](std::string_view piece) {
        if (!call.json()) {
          call.Print(piece);
          std::fflush(stdout);
        }
        return !stop.stop_requested();
      };
      if (!call.json()) call.Print(call.Paint(Style::kCyan, "you> ") + live[i] + "\n");
      LIUBAI_ASSIGN_OR_RETURN(const Reply reply, ours.agent->Send(live[i], show));
      if (reply.stop_reason == StopReason::kCancelled) {
        return {StatusCode::kCancelled, "interrupted"};
      }
      LIUBAI_RETURN_IF_ERROR(GoesOn(stop));
      const IdleStatus before = ours.agent->idle_status();
      LIUBAI_RETURN_IF_ERROR(ours.agent->WaitIdle());
      const IdleStatus after = ours.agent->idle_status();
      if (call.json()) {
        nlohmann::json object = DescribeReply(reply);
        object["event"] = "live";
        object["message"] = live[i];
        call.PrintJson(object);
        continue;
      }
      LIUBAI_ASSIGN_OR_RETURN(const WindowInfo info, ours.agent->Window());
      call.Print("\n" +
                 call.Dim(fmt::format(
                     "     {} tokens in the window, {} of them cached; first token after {}; "
                     "pressure {:.0f} %{}",
                     reply.prompt_tokens + reply.reply_tokens, reply.cached_tokens,
                     HumanMillis(reply.ttft_us), info.pressure * 100,
                     after.compactions > before.compactions ? "; compacted" : "")) +
                 "\n");
    }
    return {};
  }

  // The same conversation, the live replies included, with a sliding window alone.
  Result<OpenedBaseline> OpenBaseline(Invocation& call, OpenedAgent& ours,
                                      const std::string& folder) {
    OpenedBaseline opened;
    StoreOptions options;
    options.logger = call.logger();
    LIUBAI_ASSIGN_OR_RETURN(opened.store, Store::Open(folder, options));
    LIUBAI_ASSIGN_OR_RETURN(const SessionId session, opened.store->EnsureSession(kDefaultSession));
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Turn> turns, ours.store->Turns({}, 100'000));
    std::vector<NewTurn> copies;
    for (const Turn& turn : turns) {
      NewTurn copy;
      copy.session_id = session;
      copy.role = turn.role;
      copy.speaker = turn.speaker;
      copy.text = turn.text;
      copy.time_ms = turn.time_ms;
      copies.push_back(std::move(copy));
    }
    LIUBAI_RETURN_IF_ERROR(opened.store->AppendTurns(copies).status());
    LIUBAI_ASSIGN_OR_RETURN(AgentOptions agent, Options(call, ours, *opened.store));
    agent.memory_mode = MemoryMode::kSlidingWindow;
    LIUBAI_ASSIGN_OR_RETURN(opened.agent, Agent::Create(agent));
    LIUBAI_RETURN_IF_ERROR(opened.agent->WaitIdle());
    return opened;
  }

  void ShowQuestion(Invocation& call, int number, const DemoQuestion& question,
                    const Asked& without, const Asked& with) const {
    if (call.json()) {
      nlohmann::json plain = DescribeReply(without.reply);
      plain["right"] = without.right;
      nlohmann::json ours = DescribeReply(with.reply);
      ours["right"] = with.right;
      call.PrintJson({{"event", "question"},
                      {"number", number},
                      {"question", question.question},
                      {"answerable", question.answerable},
                      {"sliding_window", plain},
                      {"liubai", ours}});
      return;
    }
    const auto side = [&](std::string_view name, const Asked& asked) {
      const std::string mark =
          asked.right ? call.Paint(Style::kGreen, "right") : call.Paint(Style::kRed, "wrong");
      std::string text = fmt::format("  {:<14} {}  ", name, mark);
      text += Wrap(asked.reply.text, TerminalWidth() - 24, "").append("\n");
      for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1)) {
        text.insert(at + 1, std::string(24, ' '));
      }
      std::vector<TurnId> ids;
      for (const RecalledTurn& turn : asked.reply.recalled) ids.push_back(turn.turn_id);
      text += call.Dim(fmt::format(
                  "{:24}{} tokens in the window, first token after {}{}", "",
                  asked.reply.prompt_tokens + asked.reply.reply_tokens,
                  HumanMillis(asked.reply.ttft_us),
                  ids.empty() ? "" : fmt::format(", recalled turns {}", fmt::join(ids, ", ")))) +
              "\n";
      call.Print(text);
    };
    call.Print(fmt::format("{:>2}. {}{}\n", number, call.Bold(question.question),
                           question.answerable ? "" : call.Dim("  (never said)")));
    side("sliding window", without);
    side("Liubai", with);
    std::fflush(stdout);
  }

  Status ShowResult(Invocation& call, OpenedAgent& ours, const std::vector<DemoQuestion>& questions,
                    const std::vector<Asked>& without, const std::vector<Asked>& with,
                    double seconds) {
    int known = 0, plain = 0, right = 0, unknown = 0, plain_refused = 0, refused = 0;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      (questions[i].answerable ? known : unknown) += 1;
      (questions[i].answerable ? plain : plain_refused) += without[i].right;
      (questions[i].answerable ? right : refused) += with[i].right;
    }
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<CompactionReport> reports,
                            ours.store->Reports(ours.agent->session()));
    if (call.json()) {
      call.PrintJson({{"event", "result"},
                      {"model", DescribeModel(ours.model->info())},
                      {"imported_turns", imported_},
                      {"answerable", known},
                      {"never_said", unknown},
                      {"sliding_window", {{"right", plain}, {"refused", plain_refused}}},
                      {"liubai", {{"right", right}, {"refused", refused}}},
                      {"compactions", reports.size()},
                      {"seconds", seconds},
                      {"store", ours.store->folder()}});
      return {};
    }
    call.Print("\n" + call.Bold("Result") + "\n");
    call.Print(fmt::format("  {:<14} {:>2} of {} right, {} of {} never-said questions refused\n",
                           "sliding window", plain, known, plain_refused, unknown));
    call.Print(fmt::format("  {:<14} {:>2} of {} right, {} of {} never-said questions refused\n\n",
                           "Liubai", right, known, refused, unknown));
    call.Print(call.Bold("Compaction reports") + "\n");
    Table table({"TURNS", "TOKENS", "DETAILS", "IN SUMMARY", "PROVED", "VERBATIM", "METHOD"});
    for (const CompactionReport& report : reports) {
      table.Add({fmt::format("{}-{}", report.first_turn, report.last_turn),
                 fmt::format("{} -> {}", report.tokens_before, report.tokens_after),
                 fmt::format("{}", report.details), fmt::format("{}", report.kept_in_essence),
                 fmt::format("{}", report.proved), fmt::format("{}", report.kept_in_window),
                 report.method});
    }
    table.Print(call);
    const std::string store = ours.store->folder();
    call.Print(
        fmt::format("\n{}\n  liubai chat --store {}\n  liubai recall --store {} 'kitchen deposit'\n"
                    "  liubai inspect compactions --store {}\n",
                    call.Bold("To try next"), store, store, store));
    call.Note(fmt::format("the demonstration took {:.0f} s", seconds));
    return {};
  }

  AgentFlags flags_;
  int live_turns_ = 1000;
  std::string questions_;
  std::int64_t imported_ = 0;
};

}  // namespace

std::unique_ptr<Command> MakeDemo() { return std::make_unique<Demo>(); }

}  // namespace liubai::tools
