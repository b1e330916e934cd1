// liubai ask: one question, answered by the language model from turns that words of the question
// recall.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "core/text.h"
#include "fmt/format.h"
#include "liubai/store.h"
#include "memory/jsonl.h"
#include "tools/commands.h"
#include "tools/model_flags.h"
#include "tools/store_flags.h"

namespace liubai::tools {
namespace {

constexpr char kSystem[] =
    "You answer from the memories of an earlier conversation. Answer in one short sentence, in the "
    "language of the question. If the memories do not hold the answer, say that you do not know.";

std::string Speaker(const Turn& turn) {
  return turn.speaker.empty() ? std::string(memory::RoleName(turn.role)) : turn.speaker;
}

nlohmann::json Describe(const Turn& turn) {
  return {{"turn_id", turn.id},      {"session_id", turn.session_id},
          {"seq", turn.seq},         {"role", memory::RoleName(turn.role)},
          {"speaker", turn.speaker}, {"time_ms", turn.time_ms},
          {"text", turn.text},       {"interrupted", turn.status == TurnStatus::kInterrupted}};
}

struct Found {
  Turn turn;
  double score = 0.0;   // Sum of the two normalised scores, 0..2.
  double alone = 0.0;   // BM25 of the turn itself over the best one's.
  double window = 0.0;  // BM25 of the turn with its neighbours over the best one's.
};

// The best turns by words: each alone and with its neighbours, normalised scores summed.
Result<std::vector<Found>> Search(const Store& store, const TurnFilter& filter,
                                  const std::string& query, int count) {
  constexpr std::int64_t kCandidates = 200;
  LIUBAI_ASSIGN_OR_RETURN(const TextHits hits, store.SearchTextFields(query, filter, kCandidates));
  std::map<TurnId, Found> found;
  for (const TextHit& hit : hits.turn) found[hit.turn_id].alone = hit.score / hits.turn[0].score;
  for (const TextHit& hit : hits.window)
    found[hit.turn_id].window = hit.score / hits.window[0].score;
  std::vector<std::pair<double, TurnId>> order;
  for (auto& [id, one] : found) {
    one.score = one.alone + one.window;
    order.emplace_back(-one.score, id);
  }
  std::sort(order.begin(), order.end());
  if (order.size() > static_cast<std::size_t>(count)) order.resize(static_cast<std::size_t>(count));
  std::vector<Found> best;
  for (const auto& [score, id] : order) {
    Found one = found[id];
    LIUBAI_ASSIGN_OR_RETURN(one.turn, store.GetTurn(id));
    best.push_back(std::move(one));
  }
  return best;
}

class Ask final : public Command {
  void Declare(Flags& flags) override {
    store_.Declare(flags);
    model_.Declare(flags);
    flags.Argument("QUESTION", &question_, true, "answered from what the store holds");
    flags.Integer("-k,--count", "N", &count_, 0, 100, "memories to show the model; 0: none");
    flags.Integer("-n,--max-tokens", "N", &max_tokens_, 1, 4096, "tokens of the answer at most");
  }
  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_RETURN_IF_ERROR(CheckText(question_, "the question"));
    LIUBAI_ASSIGN_OR_RETURN(const auto store, store_.OpenForReading(call));
    if (model_.context_tokens == 0) model_.context_tokens = 2048;
    LIUBAI_ASSIGN_OR_RETURN(const auto model, model_.Load(call));
    LIUBAI_ASSIGN_OR_RETURN(const TurnFilter filter, store_.Filter(*store));
    std::vector<Found> found;
    if (count_ > 0) {
      LIUBAI_ASSIGN_OR_RETURN(found, Search(*store, filter, question_, count_));
    }
    LIUBAI_ASSIGN_OR_RETURN(const auto header, model->ChatReplyHeader());
    // Memories from worst to best: the best one is nearest to the question. Those that do not fit
    // are left out.
    const int room = model->info().context_tokens - static_cast<int>(header.size()) - max_tokens_;
    std::vector<Found> shown;
    std::vector<TokenId> message;
    LIUBAI_RETURN_IF_ERROR(Fit(*model, found, room, shown, message));
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
      for (const Found& one : shown) {
        call.Note(fmt::format("recalled turn {} ({}): {}", one.turn.id, Speaker(one.turn),
                              FitToWidth(one.turn.text, std::max(20, TerminalWidth() - 30))));
      }
    }
    LIUBAI_ASSIGN_OR_RETURN(const Generation answer, context->Generate(sampling, show, stop));
    if (call.json()) {
      nlohmann::json recalled = nlohmann::json::array();
      for (const Found& one : shown) recalled.push_back(Describe(one.turn));
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

  // Renders the question behind as many of the best memories as `room` tokens hold.
  Status Fit(const LanguageModel& model, const std::vector<Found>& found, int room,
             std::vector<Found>& shown, std::vector<TokenId>& message) const {
    for (std::size_t count = found.size();; --count) {
      shown.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
      std::reverse(shown.begin(), shown.end());
      std::string text;
      if (count_ > 0) {
        text = shown.empty() ? "Memories: none. You do not know the answer.\n" : "Memories:\n";
        for (const Found& one : shown) {
          text += fmt::format("[{}] {}: {}\n", memory::FormatTime(one.turn.time_ms).substr(0, 10),
                              Speaker(one.turn), one.turn.text);
        }
        text += "\nQuestion: ";
      }
      text += question_;
      LIUBAI_ASSIGN_OR_RETURN(message, model.ChatOpening(kSystem, text));
      if (static_cast<int>(message.size()) <= room) return Status();
      if (count == 0) {
        return Status(
            StatusCode::kInvalidArgument,
            fmt::format("the question and what tells the model to answer it have {} tokens; "
                        "the window has room for {}",
                        message.size(), std::max(room, 0)));
      }
    }
  }

  StoreFlags store_;
  ModelFlags model_;
  std::string question_;
  int count_ = 2;
  int max_tokens_ = 64;
};

}  // namespace

std::unique_ptr<Command> MakeAsk() { return std::make_unique<Ask>(); }

}  // namespace liubai::tools
