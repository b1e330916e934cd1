// liubai ask: one question, answered by the language model from turns that it recalls.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "core/text.h"
#include "fmt/format.h"
#include "memory/jsonl.h"
#include "tools/commands.h"
#include "tools/model_flags.h"
#include "tools/recall_flags.h"

namespace liubai::tools {
namespace {

std::string Speaker(const Turn& turn) {
  return turn.speaker.empty() ? std::string(memory::RoleName(turn.role)) : turn.speaker;
}

nlohmann::json Describe(const Turn& turn) {
  return {{"turn_id", turn.id},      {"session_id", turn.session_id},
          {"seq", turn.seq},         {"role", memory::RoleName(turn.role)},
          {"speaker", turn.speaker}, {"time_ms", turn.time_ms},
          {"text", turn.text},       {"interrupted", turn.status == TurnStatus::kInterrupted}};
}

// Texts joined may be a few tokens more than their parts.
constexpr int kSeams_tokens = 8;

constexpr std::string_view kSystem =
    "You answer from the memories of an earlier conversation. Answer in one short sentence, in the "
    "language of the question. If the memories do not hold the answer, say that you do not know.";

class Ask final : public Command {
  void Declare(Flags& flags) override {
    recall_.Declare(flags);
    model_.Declare(flags);
    flags.Argument("QUESTION", &question_, true, "answered from what the store holds");
    flags.Integer("-k,--count", "N", &count_, 0, 100, "memories to show the model; 0: none");
    flags.Integer("-n,--max-tokens", "N", &max_tokens_, 1, 4096, "tokens of the answer at most");
  }
  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_RETURN_IF_ERROR(CheckText(question_, "the question"));
    LIUBAI_ASSIGN_OR_RETURN(const OpenedRecall opened, recall_.Open(call, stop));
    if (model_.context_tokens == 0) model_.context_tokens = 2048;
    LIUBAI_ASSIGN_OR_RETURN(const auto model, model_.Load(call));
    RecallResult found;
    if (count_ > 0) {
      RecallQuery query;
      query.text = question_;
      query.limit = count_;
      LIUBAI_ASSIGN_OR_RETURN(query.filter, recall_.store.Filter(*opened.store));
      LIUBAI_ASSIGN_OR_RETURN(found, opened.retriever->Recall(query, stop));
    }
    LIUBAI_ASSIGN_OR_RETURN(const auto header, model->ChatReplyHeader());
    const int room = model->info().context_tokens - static_cast<int>(header.size()) - max_tokens_;
    LIUBAI_ASSIGN_OR_RETURN(const PackedMemories packed, Pack(*model, found, room));
    LIUBAI_ASSIGN_OR_RETURN(std::vector<TokenId> message,
                            model->ChatOpening(kSystem, Message(packed.text)));
    if (static_cast<int>(message.size()) > room) {
      return Status(
          StatusCode::kInvalidArgument,
          fmt::format("the question and what tells the model to answer it have {} tokens; the "
                      "window has room for {}",
                      message.size(), std::max(room, 0)));
    }
    message.insert(message.end(), header.begin(), header.end());
    LIUBAI_ASSIGN_OR_RETURN(auto context, model->NewContext());
    LIUBAI_RETURN_IF_ERROR(context->Append({SegmentKind::kRecalled, 1, std::move(message)}));
    SamplingParams sampling;
    sampling.max_tokens = max_tokens_;
    const OnText show = [&](std::string_view piece) {
      if (!call.json()) {
        call.Print(piece);
        std::fflush(stdout);
      }
      return true;
    };
    if (!call.json()) {
      for (const Turn& turn : Shown(found, packed)) {
        call.Note(fmt::format("recalled turn {} ({}): {}", turn.id, Speaker(turn),
                              FitToWidth(turn.text, std::max(20, TerminalWidth() - 30))));
      }
    }
    LIUBAI_ASSIGN_OR_RETURN(const Generation answer, context->Generate(sampling, show, stop));
    if (call.json()) {
      nlohmann::json recalled = nlohmann::json::array();
      for (const Turn& turn : Shown(found, packed)) recalled.push_back(Describe(turn));
      call.PrintJson({{"question", question_},
                      {"answer", answer.text},
                      {"recalled", recalled},
                      {"prompt_tokens", answer.prompt_tokens},
                      {"first_token_us", answer.first_token_us},
                      {"total_us", answer.total_us},
                      {"stop_reason", StopReasonName(answer.reason)},
                      {"model", DescribeModel(model->info())}});
    } else {
      call.Print("\n");
      call.Note(fmt::format("{} tokens in the window; first token after {:.0f} ms",
                            answer.prompt_tokens,
                            static_cast<double>(answer.first_token_us) / 1e3));
    }
    return answer.reason == StopReason::kCancelled ? Status(StatusCode::kCancelled, "interrupted")
                                                   : Status();
  }

  // As many of the best memories as fit beside the question, the best one last.
  Result<PackedMemories> Pack(const LanguageModel& model, const RecallResult& found,
                              int room) const {
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<TokenId> bare,
                            model.ChatOpening(kSystem, Message("-")));
    PackOptions options;
    options.budget_tokens =
        std::max<std::int64_t>(0, room - static_cast<int>(bare.size()) - kSeams_tokens);
    options.most = count_;
    options.count = [&](std::string_view text) -> Result<std::int64_t> {
      return static_cast<std::int64_t>(model.Tokenize(text).size());
    };
    return PackMemories(found, options);
  }
  std::string Message(const std::string& memories) const {
    if (count_ == 0) return question_;
    return (memories.empty() ? "Memories: none. You do not know the answer.\n"
                             : "Memories:\n" + memories) +
           "\nQuestion: " + question_;
  }
  static std::vector<Turn> Shown(const RecallResult& found, const PackedMemories& packed) {
    std::vector<Turn> turns;
    for (const TurnId id : packed.turns) {
      for (const RecallHit& hit : found.hits) {
        if (hit.turn.id == id) turns.push_back(hit.turn);
      }
    }
    return turns;
  }

  RecallFlags recall_;
  ModelFlags model_;
  std::string question_;
  int count_ = 2;
  int max_tokens_ = 64;
};

}  // namespace

std::unique_ptr<Command> MakeAsk() { return std::make_unique<Ask>(); }

}  // namespace liubai::tools
