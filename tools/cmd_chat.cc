// liubai chat: talk with an agent whose memory outlives its window.
#include <nlohmann/json.hpp>
#include <optional>

#include "core/file_system.h"
#include "core/macros.h"
#include "core/text.h"
#include "fmt/format.h"
#include "tools/agent_flags.h"
#include "tools/commands.h"
#include "tools/essence_text.h"
#include "tools/line_editor.h"
#include "tools/terminal.h"

namespace liubai::tools {
namespace {

constexpr std::string_view kHelp =
    "  /window        what the context holds, with its pressure\n"
    "  /recall TEXT   search the memory without asking the model\n"
    "  /why           why the last reply recalled what it did\n"
    "  /blocks        the blocks that are always in the prompt\n"
    "  /compact       summarise older turns now\n"
    "  /unfold ID     what is behind a summary: those below it, and the turns\n"
    "  /help          this list\n"
    "  /quit          leave (also Ctrl-D); the memory stays\n"
    "Ctrl-C stops a reply and keeps the session. A paste of several lines is one message.\n";

// Lines of standard input that is not a terminal; one longer than the limit is refused, not cut.
class LineReader {
 public:
  // False: the end, or an interruption.
  Result<bool> Next(std::string* line) {
    while (true) {
      const std::size_t newline = buffer_.find('\n', searched_);
      if (newline != std::string::npos || (ended_ && !buffer_.empty())) {
        const std::size_t end = std::min(newline, buffer_.size());
        *line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        searched_ = 0;
        ++number_;
        if (line->ends_with('\r')) line->pop_back();
        return true;
      }
      if (ended_) return false;
      searched_ = buffer_.size();
      if (buffer_.size() > kMostBytes) {
        return Status(StatusCode::kInvalidArgument,
                      fmt::format("line {} of standard input is longer than {} bytes", number_ + 1,
                                  kMostBytes));
      }
      char bytes[1 << 16];
      LIUBAI_ASSIGN_OR_RETURN(const std::size_t got, ReadStandardInput(bytes));
      if (got == 0) ended_ = true;
      buffer_.append(bytes, got);
    }
  }
  std::int64_t number() const { return number_; }

 private:
  static constexpr std::size_t kMostBytes = 64 << 20;
  std::string buffer_;
  std::size_t searched_ = 0;
  bool ended_ = false;
  std::int64_t number_ = 0;
};

class Chat final : public Command {
  void Declare(Flags& flags) override {
    flags_.Declare(flags);
    flags.Text("-p,--prompt", "TEXT", &prompt_, "say this, print the reply, leave");
    flags.Switch("--no-idle", &no_idle_, "leave embedding and compaction to the next run");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_ASSIGN_OR_RETURN(OpenedAgent opened, flags_.Open(call));
    if (!prompt_.empty()) {
      LIUBAI_RETURN_IF_ERROR(Say(call, *opened.agent, prompt_, stop));
      return Finish(call, *opened.agent, stop);
    }
    if (StdinIsTerminal() && StdoutIsTerminal() && !call.json()) return Converse(call, opened);
    return ReadLines(call, opened, stop);
  }

  // One turn a line. A message that fails ends the run: what follows may depend on it.
  Status ReadLines(Invocation& call, OpenedAgent& opened, std::stop_token stop) {
    LineReader reader;
    std::string line;
    while (true) {
      LIUBAI_ASSIGN_OR_RETURN(const bool more, reader.Next(&line));
      if (!more) break;
      if (line.find_first_not_of(" \t") == std::string::npos) continue;
      const Status status = Say(call, *opened.agent, line, stop);
      if (!status.ok()) return status.WithContext(fmt::format("line {}", reader.number()));
    }
    return Finish(call, *opened.agent, stop);
  }

  Status Converse(Invocation& call, OpenedAgent& opened) {
    Interrupts::KeepRunning(true);
    Agent& agent = *opened.agent;
    LIUBAI_ASSIGN_OR_RETURN(const WindowInfo info, agent.Window());
    call.Note(fmt::format("{} · {} tokens of window · memory in {}", opened.model->info().name,
                          info.window_tokens, opened.store->folder()));
    if (info.turns + info.backlog_turns > 0) {
      call.Note(
          fmt::format("the conversation goes on after {} turns in the window and {} before "
                      "them; /help lists the commands",
                      info.turns, info.backlog_turns));
    } else {
      call.Note("a new conversation; /help lists the commands");
    }
    LineEditor editor(HistoryFile("chat_history"));
    std::string line;
    int interrupts = 0;
    while (true) {
      Interrupts::Begin();
      const LineEditor::Event event = editor.Read("you> ", &line);
      if (event == LineEditor::Event::kEnd) break;
      if (event == LineEditor::Event::kInterrupted) {
        call.Print("\n");
        if (++interrupts == 2) break;
        call.Note("press Ctrl-C again to leave");
        continue;
      }
      interrupts = 0;
      const std::string_view text = Trim(line);
      if (text.empty()) continue;
      const std::stop_token stop = Interrupts::Begin();
      Status status;
      if (text[0] == '/' && text.find('/', 1) == std::string_view::npos) {
        bool quit = false;
        status = Obey(call, opened, text, stop, &quit);
        if (quit) break;
      } else {
        status = Say(call, agent, line, stop);
      }
      // The session goes on: the message that failed is named, everything else is as it was.
      if (!status.ok() && status.code() != StatusCode::kCancelled) {
        call.Warn(status.message());
      }
    }
    call.Print("\n");
    const std::stop_token stop = Interrupts::Begin();
    const Status finished = Finish(call, agent, stop);
    return finished.code() == StatusCode::kCancelled ? Status() : finished;
  }

  Status Say(Invocation& call, Agent& agent, const std::string& text, std::stop_token stop) {
    const std::stop_callback cancel(stop, [&agent] { agent.Cancel(); });
    const bool terminal = StdoutIsTerminal() && !call.json();
    const OnText show = [&](std::string_view piece) {
      if (!call.json()) {
        call.Print(piece);
        std::fflush(stdout);
      }
      return !stop.stop_requested();
    };
    LIUBAI_ASSIGN_OR_RETURN(Reply reply, agent.Send(text, show));
    last_ = std::move(reply);
    if (call.json()) {
      call.PrintJson(DescribeReply(*last_));
    } else {
      call.Print("\n");
      if (last_->shortened) {
        call.Note(
            fmt::format("the message is larger than its part of the window: the model saw "
                        "its beginning and its end; the whole is turn {}",
                        last_->user_turn));
      }
      if (!last_->recall_note.empty()) call.Note(last_->recall_note);
      for (const StandingChange& change : last_->standing_changes) call.Note(StandingLine(change));
      for (const ToolCall& one : last_->tool_calls) call.Note(ToolCallLine(one));
      if (terminal) {
        for (const RecalledTurn& turn : last_->recalled) {
          call.Print(call.Dim("  ↑ " + RecalledLine(turn, TerminalWidth() - 5)) + "\n");
        }
      }
      if (last_->stop_reason == StopReason::kCancelled) call.Note("(stopped)");
    }
    std::fflush(stdout);  // Who talks through pipes waits for it.
    if (last_->stop_reason == StopReason::kCancelled) {
      return {StatusCode::kCancelled, "interrupted"};
    }
    return {};
  }

  Status Obey(Invocation& call, OpenedAgent& opened, std::string_view line, std::stop_token stop,
              bool* quit) {
    const std::size_t space = line.find(' ');
    const std::string_view word = line.substr(0, space);
    const std::string rest(space == std::string_view::npos ? std::string_view()
                                                           : Trim(line.substr(space)));
    Agent& agent = *opened.agent;
    if (word == "/quit" || word == "/exit") {
      *quit = true;
    } else if (word == "/help") {
      call.Print(kHelp);
    } else if (word == "/window") {
      LIUBAI_ASSIGN_OR_RETURN(const WindowInfo info, agent.Window());
      call.Print(WindowText(call, info));
    } else if (word == "/why") {
      if (!last_ || last_->recalled.empty()) call.Print("nothing was recalled\n");
      for (std::size_t i = 0; last_ && i < last_->recalled.size(); ++i) {
        const RecalledTurn& turn = last_->recalled[i];
        call.Print(fmt::format("turn {}  {:.2f}  {}\n{}\n", turn.turn_id, turn.score, turn.why,
                               call.Dim(Wrap(turn.text, TerminalWidth(), "  "))));
      }
    } else if (word == "/recall") {
      if (rest.empty()) return {StatusCode::kInvalidArgument, "/recall needs what to look for"};
      RecallQuery query;
      query.text = rest;
      query.limit = 5;
      LIUBAI_ASSIGN_OR_RETURN(const RecallResult found, agent.retriever().Recall(query, stop));
      if (found.hits.empty()) call.Print("nothing relevant is in the memory\n");
      for (const RecallHit& hit : found.hits) {
        call.Print(fmt::format("turn {}  {}  {}\n{}\n", hit.turn.id, ShortTime(hit.turn.time_ms),
                               hit.Why(), call.Dim(Wrap(hit.turn.text, TerminalWidth(), "  "))));
      }
    } else if (word == "/blocks") {
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<Block> blocks, opened.store->Blocks());
      if (blocks.empty()) call.Print("no blocks yet\n");
      for (const Block& block : blocks) {
        call.Print(fmt::format("{}\n{}\n", call.Bold("[" + block.label + "]"), block.value));
      }
    } else if (word == "/compact") {
      LIUBAI_RETURN_IF_ERROR(agent.Compact());
      LIUBAI_ASSIGN_OR_RETURN(const WindowInfo info, agent.Window());
      call.Print(fmt::format("{} turns in the window, {} summaries\n", info.turns, info.essences));
      TellChanges(call, agent);
    } else if (word == "/unfold") {
      LIUBAI_ASSIGN_OR_RETURN(const std::int64_t id, ParseEssenceId(rest));
      LIUBAI_ASSIGN_OR_RETURN(const UnfoldedEssence unfolded, opened.store->UnfoldEssence(id));
      call.Print(UnfoldedText(call, unfolded));
    } else {
      static constexpr std::string_view kWords[] = {"/help",   "/window",  "/why",    "/recall",
                                                    "/blocks", "/compact", "/unfold", "/quit"};
      const std::string_view nearest = NearestWord(word, kWords);
      return {StatusCode::kInvalidArgument,
              fmt::format("unknown command '{}'{}", word,
                          nearest.empty() ? "; /help lists them"
                                          : fmt::format("; did you mean {}?", nearest))};
    }
    return {};
  }

  // Idle work that the last turns left: a quick run would otherwise leave vectors to the next one.
  Status Finish(Invocation& call, Agent& agent, std::stop_token stop) {
    if (no_idle_) return {};
    if (stop.stop_requested()) return {StatusCode::kCancelled, "interrupted"};
    const std::stop_callback cancel(stop, [&agent] { agent.Cancel(); });
    Progress progress = call.MakeProgress();
    progress.Update("finishing the memory's work (Ctrl-C leaves it for the next run)", 0, 0);
    const Status finished = agent.WaitIdle();
    progress.Clear();
    TellChanges(call, agent);
    return finished;
  }

  // What the user said for good and has now said otherwise.
  static void TellChanges(Invocation& call, Agent& agent) {
    for (const StandingChange& change : agent.TakeStandingChanges()) {
      call.Note(StandingLine(change));
    }
  }

  AgentFlags flags_;
  std::string prompt_;
  bool no_idle_ = false;
  std::optional<Reply> last_;
};

}  // namespace

std::unique_ptr<Command> MakeChat() { return std::make_unique<Chat>(); }

}  // namespace liubai::tools
