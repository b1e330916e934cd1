// The reply of a turn while it is generated: nothing made up is told as remembered, and a message
// is not given back as its own answer.
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/macros.h"
#include "memory/agent_impl.h"
#include "memory/answer_guard.h"
#include "memory/essence.h"
#include "memory/prompt.h"

namespace liubai::inline v1 {
namespace {

constexpr int kAttempts = 3;          // Openings that are tried before an echo is let through.
constexpr double kQuotedAlone = 0.8;  // Of the question's words, by weight.
constexpr float kCopyPenalty = 0.8f;  // The value that DRY's author proposes.

}  // namespace

bool Agent::Impl::CanQuote(const Recalled& recalled) {
  return recalled.tellings.sentences.size() > 1 || recalled.tellings.together >= kQuotedAlone;
}

Result<Generation> Agent::Impl::GenerateReply(std::string_view text, const Recalled& recalled,
                                              SamplingParams sampling, const OnText& on_text,
                                              std::stop_token stop, Reply* reply) {
  const bool asks = recalled.asks;
  const LanguageModel& model = *options.model;
  const bool with_memory = options.memory_mode == MemoryMode::kLiubai;
  const bool guarded = with_memory && asks && options.least_confidence > 0;
  const bool watched = options.discourage_copies;
  // What is not asked of the memory is no occasion to recite it, which small models like to do.
  if (watched && !asks && sampling.dry_multiplier == 0.0f) sampling.dry_multiplier = kCopyPenalty;
  if (!guarded && !watched) return context->Generate(sampling, on_text, stop);

  const std::vector<Segment> prompt = context->segments();
  const memory::AnswerGuard fresh(text, options.least_confidence, recalled.evidence);
  std::int64_t before_us = 0;
  int prefilled = -1;
  for (int attempt = 1;; ++attempt) {
    memory::AnswerGuard guard = fresh;
    memory::EchoWatch echo(text, asks);
    const bool may_repeat = watched && attempt <= kAttempts;
    bool echoed = false;
    TokenId first = -1;
    std::string held;   // Of a value or a possible echo under way.
    std::string shown;  // What the caller has seen.
    const OnText show = [&](std::string_view piece) {
      held += piece;
      // A model that does not ask before each token is shown as it comes.
      if (first >= 0 && ((guarded && guard.in_value()) || (may_repeat && echo.undecided())))
        return true;
      shown += held;
      const std::string out = std::exchange(held, {});
      return !on_text || on_text(out);
    };
    SamplingParams params = sampling;
    params.logprobs |= guarded;  // They cost a pass over the vocabulary.
    params.accept = [&](TokenId token, float logprob) {
      if (first < 0) first = token;
      const std::string piece = model.Detokenize(std::span(&token, 1));
      if (may_repeat && !echo.Accept(piece)) {
        echoed = true;
        return false;
      }
      if (sampling.accept && !sampling.accept(token, logprob)) return false;
      return !guarded || guard.Accept(piece, std::exp(logprob));
    };
    LIUBAI_ASSIGN_OR_RETURN(Generation generated, context->Generate(params, show, stop));
    if (prefilled < 0) prefilled = generated.prefilled_tokens;
    if (may_repeat && shown.empty() && generated.reason == StopReason::kEndOfTurn && first >= 0) {
      echoed = echo.IsEcho();
    }
    if (echoed && shown.empty() && first >= 0) {
      // Another opening; the prompt's pages are kept.
      before_us += generated.total_us;
      sampling.logit_bias.emplace_back(first, -std::numeric_limits<float>::infinity());
      LIUBAI_RETURN_IF_ERROR(context->SetSegments(prompt));
      continue;
    }
    if (guarded && generated.reason == StopReason::kRejected) {
      generated.tokens.resize(std::min(generated.tokens.size(), guard.tokens_before()));
      // Where it can be quoted the answer goes on with that.
      const std::string rest = !CanQuote(recalled)
                                   ? memory::BreakOff(shown, memory::MostlyChinese(text))
                                   : std::string(shown.empty() ? "" : " …");
      for (const TokenId token : model.Tokenize(rest)) generated.tokens.push_back(token);
      generated.text = shown + rest;
      reply->broke_off = true;
      if (on_text && !rest.empty()) on_text(rest);
    } else if (!held.empty() && on_text) {
      on_text(held);
    }
    generated.prefilled_tokens = prefilled;
    generated.first_token_us += before_us;
    generated.total_us += before_us;
    return generated;
  }
}

void Agent::Impl::Complete(std::string_view text, const Recalled& recalled, bool broke_off,
                           int room, const OnText& on_text, Generation* generated) const {
  if (!CanQuote(recalled) || generated->reason == StopReason::kCancelled) return;
  const memory::Tellings& tellings = recalled.tellings;
  const bool chinese = memory::MostlyChinese(text);
  const auto say = [&](const std::string& rest) {
    const std::vector<TokenId> tokens = options.model->Tokenize(rest);
    if (room < static_cast<int>(tokens.size())) return false;
    room -= static_cast<int>(tokens.size());
    generated->tokens.insert(generated->tokens.end(), tokens.begin(), tokens.end());
    generated->text += rest;
    return !on_text || on_text(rest);
  };
  // One sentence alone only where the answer has nothing.
  if (tellings.sentences.size() > 1 || broke_off || memory::SaysUnknown(generated->text)) {
    for (const std::size_t place : memory::LeftOut(tellings, text, generated->text)) {
      const std::string quote =
          memory::QuoteText(tellings.sentences[place].sentence, recalled.days[place], chinese);
      if (!say((generated->text.empty() ? "" : "\n") + quote)) break;
    }
  }
  if (broke_off && generated->text.empty()) say(memory::BreakOff("", chinese));
}

}  // namespace liubai::inline v1
