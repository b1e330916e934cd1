// A reply as it is generated, stopped in the middle; the conversation goes on afterwards.
#include <cstdio>
#include <string>

#include "liubai/agent.h"

namespace {
int Fail(const liubai::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: %s STORE MODEL\n", argv[0]), 2;
  auto store = liubai::Store::Open(argv[1]);
  if (!store.ok()) return Fail(store.status());
  auto model = liubai::LoadLanguageModel(argv[2]);
  if (!model.ok()) return Fail(model.status());
  liubai::AgentOptions options;
  options.store = store->get();
  options.model = model->get();
  auto agent = liubai::Agent::Create(options);
  if (!agent.ok()) return Fail(agent.status());

  // The callback runs on the agent's thread; returning false, or Agent::Cancel from any thread,
  // stops.
  std::size_t shown = 0;
  auto story =
      (*agent)->Send("Tell me a long story about a lighthouse.", [&](std::string_view piece) {
        std::printf("%.*s", static_cast<int>(piece.size()), piece.data());
        shown += piece.size();
        return shown < 60;
      });
  if (!story.ok()) return Fail(story.status());
  std::printf("\n[%s after %d tokens]\n",
              std::string(liubai::StopReasonName(story->stop_reason)).c_str(), story->reply_tokens);
  if (story->stop_reason != liubai::StopReason::kCancelled) return 1;

  auto next = (*agent)->SendAsync("Thank you. Say goodbye in one word.").get();
  if (!next.ok()) return Fail(next.status());
  std::printf("%s\n", next->text.c_str());
}
