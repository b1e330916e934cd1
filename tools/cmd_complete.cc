// liubai complete | tokenize | score: the language model by itself.
#include <cmath>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/file_system.h"
#include "core/macros.h"
#include "core/text.h"
#include "fmt/format.h"
#include "tools/commands.h"
#include "tools/model_flags.h"

namespace liubai::tools {
namespace {

// The words given, or standard input where there are none or "-" is given.
Result<std::string> TextOrInput(const std::string& text, std::string_view what) {
  std::string input = text;
  if (text.empty() || text == "-") {
    input.assign(std::istreambuf_iterator<char>(std::cin), {});
    if (input.ends_with('\n')) input.pop_back();
  }
  if (input.empty()) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{} is empty", what));
  }
  LIUBAI_RETURN_IF_ERROR(CheckText(input, what));
  return input;
}

class Complete final : public Command {
  void Declare(Flags& flags) override {
    model_.Declare(flags);
    flags.Argument("PROMPT", &prompt_, false,
                   "text to continue; standard input where it is left out");
    flags.Integer("-n,--max-tokens", "N", &sampling_.max_tokens, 1, 1 << 20,
                  "tokens to generate at most");
    flags.Real("--temperature", "T", &temperature_, 0.0, 100.0, "0 takes the most likely token");
    flags.Integer("--top-k", "K", &sampling_.top_k, 0, 1 << 20, "0 keeps all");
    flags.Real("--top-p", "P", &top_p_, 1e-6, 1.0, "1 keeps all");
    flags.Real("--min-p", "P", &min_p_, 0.0, 1.0, "least share of the most likely token");
    flags.Real("--repetition-penalty", "R", &penalty_, 0.1, 10.0, "1 is none");
    flags.Integer("--seed", "N", &seed_, -1, std::int64_t{1} << 62, "-1: a random one");
    flags.TextList("--stop", "TEXT", &sampling_.stop, "ends the text; may be repeated");
    flags.Text("--schema", "FILE", &schema_,
               "what is written is JSON of this JSON Schema (see liubai/grammar.h)");
    flags.Switch("--chat", &chat_, "the prompt is a user's message to a chat model");
    flags.Text("--system", "TEXT", &system_,
               "system message, with --chat (default: the model's own)");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_ASSIGN_OR_RETURN(const std::string prompt, TextOrInput(prompt_, "the prompt"));
    sampling_.temperature = static_cast<float>(temperature_);
    sampling_.top_p = static_cast<float>(top_p_);
    sampling_.min_p = static_cast<float>(min_p_);
    sampling_.repetition_penalty = static_cast<float>(penalty_);
    if (seed_ >= 0) sampling_.seed = static_cast<std::uint64_t>(seed_);
    LIUBAI_RETURN_IF_ERROR(sampling_.Validate());
    std::optional<Grammar> grammar;
    if (!schema_.empty()) {
      LIUBAI_ASSIGN_OR_RETURN(const std::string schema, ReadFile(PosixFileSystem(), schema_));
      auto read = Grammar::FromJsonSchema(schema);
      if (!read.ok()) return read.status().WithContext(schema_);
      grammar = std::move(*read);
    }
    LIUBAI_ASSIGN_OR_RETURN(const auto model, model_.Load(call));
    if (grammar) {
      LIUBAI_ASSIGN_OR_RETURN(sampling_.mask, model->MaskFor(*grammar));
    }
    LIUBAI_ASSIGN_OR_RETURN(auto context, model->NewContext());
    if (chat_) {
      LIUBAI_ASSIGN_OR_RETURN(auto chat, model->ChatOpening(system_, prompt));
      LIUBAI_ASSIGN_OR_RETURN(const auto header, model->ChatReplyHeader());
      chat.insert(chat.end(), header.begin(), header.end());
      LIUBAI_RETURN_IF_ERROR(context->Append({SegmentKind::kTurn, 1, std::move(chat)}));
    } else {
      LIUBAI_RETURN_IF_ERROR(
          context->Append({SegmentKind::kOther, 0, model->TokenizeWithControls(prompt, true)}));
    }
    const OnText show = [&](std::string_view piece) {
      if (!call.json()) {
        call.Print(piece);
        std::fflush(stdout);
      }
      return true;
    };
    LIUBAI_ASSIGN_OR_RETURN(const Generation generation, context->Generate(sampling_, show, stop));
    const double decode_s =
        static_cast<double>(generation.total_us - generation.first_token_us) / 1e6;
    if (call.json()) {
      call.PrintJson({{"text", generation.text},
                      {"tokens", generation.tokens},
                      {"stop_reason", StopReasonName(generation.reason)},
                      {"prompt_tokens", generation.prompt_tokens},
                      {"first_token_us", generation.first_token_us},
                      {"total_us", generation.total_us},
                      {"model", DescribeModel(model->info())}});
    } else {
      call.Print("\n");
      call.Note(fmt::format(
          "{} tokens, {}; first after {:.0f} ms, then {:.1f} tokens/s", generation.tokens.size(),
          StopReasonName(generation.reason), static_cast<double>(generation.first_token_us) / 1e3,
          decode_s > 0 ? static_cast<double>(generation.tokens.size()) / decode_s : 0.0));
    }
    if (generation.reason == StopReason::kCancelled) {
      return Status(StatusCode::kCancelled, "interrupted");
    }
    if (grammar && generation.reason != StopReason::kEndOfTurn) {
      return Status(StatusCode::kResourceExhausted,
                    fmt::format("the value is not complete after {} tokens ({}); the longest of "
                                "this schema has {} bytes, see -n",
                                generation.tokens.size(), StopReasonName(generation.reason),
                                grammar->max_bytes()));
    }
    return Status();
  }

  ModelFlags model_;
  std::string prompt_, system_, schema_;
  SamplingParams sampling_ = [] {
    SamplingParams sampling;
    sampling.max_tokens = 128;
    return sampling;
  }();
  double temperature_ = 0.0, top_p_ = 1.0, min_p_ = 0.0, penalty_ = 1.0;
  std::int64_t seed_ = -1;
  bool chat_ = false;
};

class TokenizeCommand final : public Command {
  void Declare(Flags& flags) override {
    model_.Declare(flags);
    flags.Argument("TEXT", &text_, false, "standard input where it is left out");
    flags.Switch("--controls", &controls_, "control tokens in the text are recognised");
  }
  Status Run(Invocation& call, std::stop_token) override {
    LIUBAI_ASSIGN_OR_RETURN(const std::string text, TextOrInput(text_, "the text"));
    LIUBAI_ASSIGN_OR_RETURN(const auto model, model_.Load(call));
    const auto tokens = controls_ ? model->TokenizeWithControls(text) : model->Tokenize(text);
    if (call.json()) {
      call.PrintJson({{"tokens", tokens}, {"count", tokens.size()}, {"model", model->info().name}});
      return Status();
    }
    Table table({"ID", "TEXT"});
    for (const TokenId token : tokens) {
      table.Add({std::to_string(token),
                 nlohmann::json(model->Detokenize(std::span(&token, 1)))
                     .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
    }
    table.Print(call);
    call.Note(fmt::format("{} tokens", tokens.size()));
    return Status();
  }
  ModelFlags model_;
  std::string text_;
  bool controls_ = false;
};

class ScoreCommand final : public Command {
  void Declare(Flags& flags) override {
    model_.Declare(flags);
    flags.Argument("FILE", &file_, true, "text to score");
  }
  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_ASSIGN_OR_RETURN(const std::string text, ReadFile(PosixFileSystem(), file_));
    LIUBAI_RETURN_IF_ERROR(CheckText(text, file_));
    LIUBAI_ASSIGN_OR_RETURN(const auto model, model_.Load(call));
    const auto tokens = model->TokenizeWithControls(text, true);
    LIUBAI_ASSIGN_OR_RETURN(const auto score, model->ScoreTokens(tokens, stop));
    double sum = 0.0;
    for (const float nll : score.nll) sum += static_cast<double>(nll);
    const double mean = sum / static_cast<double>(score.nll.size());
    if (call.json()) {
      call.PrintJson({{"file", file_},
                      {"tokens", tokens.size()},
                      {"mean_nll", mean},
                      {"perplexity", std::exp(mean)},
                      {"model", DescribeModel(model->info())}});
    } else {
      call.Print(fmt::format("{} tokens, mean NLL {:.5f}, perplexity {:.3f}\n", tokens.size(), mean,
                             std::exp(mean)));
    }
    return Status();
  }
  ModelFlags model_;
  std::string file_;
};

}  // namespace

std::unique_ptr<Command> MakeComplete() { return std::make_unique<Complete>(); }
std::unique_ptr<Command> MakeTokenize() { return std::make_unique<TokenizeCommand>(); }
std::unique_ptr<Command> MakeScore() { return std::make_unique<ScoreCommand>(); }

}  // namespace liubai::tools
