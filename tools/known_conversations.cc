#include "tools/known_conversations.h"

#include <fmt/format.h>

#include <map>

#include "core/file_system.h"
#include "core/hash.h"
#include "core/macros.h"
#include "memory/jsonl.h"
#include "tools/life_generator.h"
#include "tools/recall_metrics.h"

namespace liubai::tools {
namespace {

// Turns of one side that follow one another are one message.
void AddTurn(bool user, std::string_view text, std::int64_t time_ms,
             KnownConversation* conversation) {
  auto& exchanges = conversation->exchanges;
  const bool next = user && (exchanges.empty() || !exchanges.back().assistant.empty());
  if (next || exchanges.empty()) exchanges.push_back({"", "", time_ms});
  std::string& side = user ? exchanges.back().user : exchanges.back().assistant;
  if (!side.empty()) side += '\n';
  side += text;
}

// The agent answers a user, and each message is answered.
void Complete(KnownConversation* conversation) {
  for (KnownExchange& exchange : conversation->exchanges) {
    if (exchange.user.empty()) exchange.user = "…";
    if (exchange.assistant.empty()) exchange.assistant = "…";
  }
  if (!conversation->exchanges.empty() && conversation->end_ms == 0) {
    conversation->end_ms = conversation->exchanges.back().time_ms;
  }
}

}  // namespace

Result<std::vector<KnownConversation>> GeneratedConversations(std::int64_t seed, int count,
                                                              int sessions) {
  static constexpr LifeLanguage kLanguages[] = {LifeLanguage::kEnglish, LifeLanguage::kChinese,
                                                LifeLanguage::kMixed};
  std::vector<KnownConversation> conversations;
  for (int i = 0; i < count; ++i) {
    LifeOptions options;
    options.sessions = sessions;
    options.seed = static_cast<std::uint64_t>(seed + i);
    options.language = kLanguages[i % 3];
    LIUBAI_ASSIGN_OR_RETURN(const Life life, GenerateLife(options));
    KnownConversation conversation;
    conversation.name = fmt::format("life {}", seed + i);
    for (const LifeTurn& turn : life.turns) {
      AddTurn(turn.user, turn.text, turn.time_ms, &conversation);
    }
    for (const LifeDetail& detail : life.details) {
      // What was taken back later is asked for only where the question says so.
      if (detail.question.empty() || (detail.superseded_by && !detail.past)) continue;
      DemoQuestion question;
      question.question = detail.question;
      question.accept = detail.accept;
      conversation.questions.push_back(std::move(question));
    }
    conversation.end_ms = life.end_ms;
    Complete(&conversation);
    conversations.push_back(std::move(conversation));
  }
  return conversations;
}

Result<std::vector<KnownConversation>> ReadConversations(const std::string& conversations,
                                                         const std::string& questions) {
  // Imported into a store for a while: one reader of the format is enough.
  LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
  LIUBAI_ASSIGN_OR_RETURN(const auto store, Store::Open(folder.path()));
  LIUBAI_ASSIGN_OR_RETURN(const auto file, PosixFileSystem().OpenForRead(conversations));
  auto imported = memory::ImportJsonl(*store, *file);
  if (!imported.ok()) return imported.status().WithContext(conversations);
  std::vector<KnownConversation> known;
  std::map<std::string, std::size_t> places;
  LIUBAI_ASSIGN_OR_RETURN(const std::vector<Session> sessions, store->Sessions());
  for (const Session& session : sessions) {
    TurnFilter filter;
    filter.session = session.id;
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Turn> turns, store->Turns(filter, session.turns + 1));
    places[session.name] = known.size();
    KnownConversation& conversation = known.emplace_back();
    conversation.name = session.name;
    for (const Turn& turn : turns) {
      if (turn.role != Role::kUser && turn.role != Role::kAssistant) continue;
      AddTurn(turn.role == Role::kUser, turn.text, turn.time_ms, &conversation);
    }
    Complete(&conversation);
  }
  LIUBAI_ASSIGN_OR_RETURN(const std::string text, ReadFile(PosixFileSystem(), questions));
  LIUBAI_ASSIGN_OR_RETURN(const auto asked, ParseDemoQuestions(text, questions));
  for (const DemoQuestion& question : asked) {
    if (!question.answerable) continue;
    if (!question.session.empty() && !places.contains(question.session)) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}: \"{}\" belongs to session \"{}\", which {} does not have",
                                questions, question.question, question.session, conversations));
    }
    for (KnownConversation& conversation : known) {
      if (question.session.empty() || question.session == conversation.name) {
        conversation.questions.push_back(question);
      }
    }
  }
  return known;
}

std::string BytesOf(std::span<const KnownConversation> conversations) {
  std::string bytes;
  const auto add = [&](std::string_view text) {
    bytes += fmt::format("{} ", text.size());
    bytes += text;
  };
  for (const KnownConversation& conversation : conversations) {
    add(conversation.name);
    for (const KnownExchange& exchange : conversation.exchanges) {
      add(exchange.user);
      add(exchange.assistant);
      add(fmt::format("{}", exchange.time_ms));
    }
    for (const DemoQuestion& question : conversation.questions) {
      add(question.question);
      for (const std::string& value : question.accept) add(value);
    }
  }
  return bytes;
}

std::string HashOf(std::span<const KnownConversation> conversations) {
  return Sha256Hex(BytesOf(conversations));
}

}  // namespace liubai::tools
