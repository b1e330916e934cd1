#include "tools/lived_memory.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/macros.h"

namespace liubai::tools {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kDatabase = "memory.db";

std::string TextOf(const ReplayModel& model, const std::vector<Segment>& segments) {
  std::string text;
  for (const Segment& segment : segments) text += model.Detokenize(segment.tokens) + "\n";
  return text;
}

}  // namespace

Result<std::unique_ptr<LivedMemory>> LivedMemory::Open(ReplayModel& model, const Embedder* embedder,
                                                       const LivedOptions& options) {
  LIUBAI_ASSIGN_OR_RETURN(ScratchFolder folder, ScratchFolder::Make());
  std::unique_ptr<LivedMemory> memory(new LivedMemory(model, embedder, options, std::move(folder)));
  StoreOptions store;
  store.logger = options.logger;
  LIUBAI_ASSIGN_OR_RETURN(memory->store_, Store::Open(memory->folder_.path(), store));
  RetrieverOptions retriever;
  retriever.logger = options.logger;
  retriever.weights = options.weights;
  LIUBAI_ASSIGN_OR_RETURN(memory->retriever_,
                          Retriever::Open(*memory->store_, embedder, retriever));
  LIUBAI_RETURN_IF_ERROR(memory->Resume());
  return memory;
}

AgentOptions LivedMemory::OptionsFor(Store& store, Retriever& retriever) {
  AgentOptions agent;
  agent.store = &store;
  agent.model = &model_;
  agent.embedder = embedder_;
  agent.retriever = &retriever;
  agent.session = std::string(kLivedSession);
  agent.window_tokens = options_.window_tokens;
  agent.compaction = options_.compaction;
  agent.least_confidence = 0;  // Replies are given: there is nothing to hold back.
  agent.discourage_copies = false;
  agent.idle_work = false;  // Done when it is asked for.
  agent.now_ms = [this] { return now_ms_; };
  agent.logger = options_.logger;
  return agent;
}

Status LivedMemory::Resume() {
  agent_.reset();
  LIUBAI_ASSIGN_OR_RETURN(agent_, Agent::Create(OptionsFor(*store_, *retriever_)));
  return Status();
}

Status LivedMemory::Speak(std::span<const KnownTurn> turns,
                          const std::function<void(const Reply&)>& on_reply) {
  LIUBAI_RETURN_IF_ERROR(Resume());
  for (std::size_t i = 0; i + 1 < turns.size(); i += 2) {
    now_ms_ = turns[i].time_ms;
    model_.GiveReply(turns[i + 1].text);
    LIUBAI_ASSIGN_OR_RETURN(const Reply reply, agent_->Send(turns[i].text));
    if (reply.text != turns[i + 1].text) {
      return Status(StatusCode::kResourceExhausted,
                    fmt::format("a reply of {} bytes does not fit the {} tokens for replies",
                                turns[i + 1].text.size(), reply.reply_tokens));
    }
    turn_ids_.push_back(reply.user_turn);
    turn_ids_.push_back(reply.reply_turn);
    if (on_reply) on_reply(reply);
    LIUBAI_RETURN_IF_ERROR(agent_->WaitIdle());
  }
  return Status();
}

Status LivedMemory::Append(std::span<const KnownTurn> turns) {
  if (turns.empty()) return Status();
  std::vector<NewTurn> rows;
  for (const KnownTurn& turn : turns) {
    NewTurn row;
    row.session_id = agent_->session();
    row.role = turn.user ? Role::kUser : Role::kAssistant;
    row.text = turn.text;
    row.time_ms = turn.time_ms;
    rows.push_back(std::move(row));
  }
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<TurnId> ids, store_->AppendTurns(rows));
  turn_ids_.insert(turn_ids_.end(), ids.begin(), ids.end());
  now_ms_ = turns.back().time_ms;
  LIUBAI_RETURN_IF_ERROR(Resume());
  return agent_->WaitIdle();
}

Result<Reply> LivedMemory::AskCopy(const std::string& question, std::int64_t now_ms,
                                   std::string* prompt) {
  if (!copy_ || copy_turns_ != turn_ids_.size()) {
    copy_.reset();
    LIUBAI_ASSIGN_OR_RETURN(ScratchFolder copy, ScratchFolder::Make());
    LIUBAI_RETURN_IF_ERROR(store_->Backup(copy.path()));
    copy_.emplace(std::move(copy));
    copy_turns_ = turn_ids_.size();
  }
  LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
  std::error_code failed;
  fs::copy_file(fs::path(copy_->path()) / kDatabase, fs::path(folder.path()) / kDatabase, failed);
  if (failed) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("cannot copy the memory to {}: {}", folder.path(), failed.message()));
  }
  StoreOptions opened;
  opened.quick_check = false;  // Of the copy of a file that was just written.
  opened.logger = options_.logger;
  LIUBAI_ASSIGN_OR_RETURN(const auto store, Store::Open(folder.path(), opened));
  RetrieverOptions weighed;
  weighed.weights = options_.weights;
  LIUBAI_ASSIGN_OR_RETURN(const auto retriever, Retriever::Open(*store, embedder_, weighed));
  now_ms_ = now_ms;
  LIUBAI_ASSIGN_OR_RETURN(const auto agent, Agent::Create(OptionsFor(*store, *retriever)));
  model_.GiveReply("-");
  LIUBAI_ASSIGN_OR_RETURN(Reply reply, agent->Send(question));
  if (prompt != nullptr) *prompt = TextOf(model_, model_.last_prompt());
  return reply;
}

Result<std::string> LivedMemory::PromptText() {
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<Segment> segments, agent_->ContextSegments());
  return TextOf(model_, segments);
}

Result<LivedBytes> LivedMemory::Bytes() {
  LIUBAI_RETURN_IF_ERROR(store_->Checkpoint());
  LIUBAI_ASSIGN_OR_RETURN(const StoreStats stats, store_->Stats());
  LivedBytes bytes;
  bytes.text = stats.text_bytes;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder_.path(), failed)) {
    const auto size = static_cast<std::int64_t>(entry.file_size(failed));
    if (failed) continue;
    (entry.path().filename().string().starts_with(kDatabase) ? bytes.database : bytes.indexes) +=
        size;
  }
  return bytes;
}

}  // namespace liubai::tools
