// tools/readers.h: the ways in which one model reads a long conversation before it is asked
// something: as much of it as fits, word for word, or the tiers of an agent's memory. For
// benchmarks: each question is asked as if it were the only one.
//
// Errors:  those of LanguageModel, Store and Agent.
// Threads: none of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/agent.h"
#include "liubai/language_model.h"
#include "liubai/store.h"
#include "tools/recall_metrics.h"

namespace liubai::tools {

struct Reading {
  std::string answer;
  int prompt_tokens = 0;
  int computed_tokens = 0;  // Of those: what no earlier question had computed.
  std::int64_t total_us = 0;
  bool broke_off = false;  // The agent did not tell a value that it was not sure of.
  bool in_prompt = false;  // All that was asked for stood in the prompt.
};

// What an answer is to hold, for Reading::in_prompt; empty: not asked.
using References = std::span<const std::string>;

// The newest turns that fit, as messages of a chat. What it has read is computed once; each
// question is asked on a copy.
class TextReader {
 public:
  // The prompt has at most `limit_tokens`, of which `reserve_tokens` stay free for question and
  // reply.
  static Result<std::unique_ptr<TextReader>> Open(LanguageModel& model, std::string_view system,
                                                  std::span<const NewTurn> turns, int limit_tokens,
                                                  int reserve_tokens, std::stop_token stop);
  Result<Reading> Ask(std::string_view question, References references,
                      const SamplingParams& sampling, std::stop_token stop);
  int tokens() const { return context_->stats().tokens; }
  std::size_t turns_read() const { return turns_read_; }

 private:
  TextReader(LanguageModel& model, std::unique_ptr<Context> context, std::size_t turns_read,
             std::string text)
      : model_(model),
        context_(std::move(context)),
        turns_read_(turns_read),
        text_(std::move(text)) {}
  LanguageModel& model_;
  std::unique_ptr<Context> context_;
  std::size_t turns_read_;
  std::string text_;
};

// How many tokens of a chat such turns are, with the system prompt.
Result<int> CountChatTokens(LanguageModel& model, std::string_view system,
                            std::span<const NewTurn> turns);

// An agent that was told the turns, and has done its idle work: vectors, ledger, compaction.
class TieredReader {
 public:
  // Of `options`: model, embedder, window and the like; store and session are made here.
  static Result<std::unique_ptr<TieredReader>> Open(const AgentOptions& options,
                                                    std::span<const NewTurn> turns,
                                                    std::stop_token stop);
  Result<Reading> Ask(std::string_view question, References references, std::stop_token stop);
  Store& store() { return *store_; }
  Agent& agent() { return *agent_; }
  std::int64_t open_us() const { return open_us_; }

 private:
  TieredReader(const AgentOptions& options, ScratchFolder folder)
      : options_(options), folder_(std::move(folder)) {}
  AgentOptions options_;
  ScratchFolder folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Agent> agent_;
  std::int64_t open_us_ = 0;
};

}  // namespace liubai::tools
